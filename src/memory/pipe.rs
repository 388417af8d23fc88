//! Pipes: memory objects that only kernels access, with the layout of `clspv_bridge::abi::pipe`.

use super::MemObject;
use super::residency::{Initial, Residency};
use crate::cl::flags::MemFlags;
use crate::cl::*;
use crate::context::Context;
use crate::device::query::MAX_PACKET_SIZE;
use crate::device::traits::BufferDesc;
use crate::error::{Error, Result};
use crate::host_ptr::{self, HostAllocation, HostPtr};
use crate::info::InfoValue;
use clspv_bridge::abi::pipe as layout;
use std::sync::Arc;

/// Parameters of a pipe's creation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PipeInfo {
    pub packet_size: u32,
    pub max_packets: u32,
}

impl PipeInfo {
    /// Answers clGetPipeInfo; `None` for an unknown parameter.
    pub fn query(&self, param: cl_pipe_info) -> Option<InfoValue> {
        Some(match param {
            CL_PIPE_PACKET_SIZE => self.packet_size.into(),
            CL_PIPE_MAX_PACKETS => self.max_packets.into(),
            // A pipe has no properties.
            CL_PIPE_PROPERTIES => InfoValue::Empty,
            _ => return None,
        })
    }
}

/// clCreatePipe.
pub fn create(
    context: &Arc<Context>,
    flags: cl_mem_flags,
    packet_size: u32,
    max_packets: u32,
) -> Result<Arc<MemObject>> {
    let flags = MemFlags::for_pipe(flags)?;
    // CL_INVALID_PIPE_SIZE: packets of no size or too large, or none.
    if packet_size == 0 || packet_size > MAX_PACKET_SIZE || max_packets == 0 {
        return Err(Error::with(
            CL_INVALID_PIPE_SIZE,
            format!("{max_packets} packets of {packet_size} bytes"),
        ));
    }
    let size = layout::size(packet_size, max_packets);
    let largest = context.devices().iter().map(|d| d.info().max_alloc_size).max().unwrap_or(0);
    if size > largest {
        return Err(Error::with(
            CL_MEM_OBJECT_ALLOCATION_FAILURE,
            format!("{size} bytes; at most {largest} can be allocated"),
        ));
    }
    let bytes = HostAllocation::new(size).ok_or_else(|| Error::new(CL_OUT_OF_HOST_MEMORY))?;
    let mut words = [0u32; 4];
    words[layout::MASK] = (layout::slots(max_packets) - 1) as u32;
    words[layout::MAX_PACKETS] = max_packets;
    words[layout::PACKET_SIZE] = packet_size;
    words[layout::PACKETS] = u32::try_from(layout::packets(max_packets))
        .map_err(|_| Error::new(CL_MEM_OBJECT_ALLOCATION_FAILURE))?;
    // SAFETY: the allocation is new and larger than the words.
    unsafe {
        host_ptr::copy(HostPtr::new(words.as_mut_ptr().cast()), bytes.ptr(), size_of_val(&words) as u64)
    };
    let desc = BufferDesc { size, host_visible: false, read_only: false, name: "pipe" };
    let residency = Arc::new(Residency::new(context.device_ops(), &desc, Initial::Copy(bytes.ptr()))?);
    let mem = MemObject::new(context, flags, size, residency, 0);
    let pipe = Some(PipeInfo { packet_size, max_packets });
    Ok(Arc::new(MemObject { object_type: CL_MEM_OBJECT_PIPE, pipe, ..mem }))
}
