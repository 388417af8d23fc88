//! Print buffer of a launch: its kernel writes printf records there, which are then formatted as text
//! (`clspv_bridge::printf`).

use super::super::batch::{ArgValue, Launch};
use super::super::traits::{DeviceError, DeviceResult};
use super::loaded::LoadedKernel;
use crate::host_ptr::{HostAllocation, HostPtr};
use crate::printf::Printer;
use clspv_bridge::printf::{CAPACITY, DROPPED, HEAD, NEXT};
use std::borrow::Cow;

/// Maximum bytes of a string in a buffer.
const LONGEST_STRING: u64 = 4096;

/// The print buffer of one launch.
pub struct CpuPrintBuffer {
    memory: HostAllocation,
    capacity: u32,
}

impl CpuPrintBuffer {
    /// A buffer of `bytes` for a kernel; `None` if it does not print.
    pub fn new(kernel: &LoadedKernel, bytes: u64) -> DeviceResult<Option<CpuPrintBuffer>> {
        let Some(longest) = kernel.native().info.printf.iter().map(|c| c.words()).max() else {
            return Ok(None);
        };
        let capacity = u32::try_from(bytes / 4).unwrap_or(1 << 28).max(HEAD + 1);
        let size = (u64::from(capacity) + u64::from(longest)) * 4;
        let memory = HostAllocation::new(size).ok_or(DeviceError::OutOfHostMemory)?;
        let words = memory.ptr().as_ptr().cast::<u32>();
        // SAFETY: the memory is larger than the head, and new.
        unsafe {
            words.add(NEXT as usize).write(HEAD);
            words.add(CAPACITY as usize).write(capacity);
        }
        Ok(Some(CpuPrintBuffer { memory, capacity }))
    }

    /// Address that the kernel writes to.
    pub fn ptr(&self) -> HostPtr {
        self.memory.ptr()
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.memory.size()
    }

    /// The printed text. The launch must be complete.
    pub fn text(&self, kernel: &LoadedKernel, launch: &Launch) -> Vec<u8> {
        // SAFETY: the memory is aligned to a page and no kernel writes it any more.
        let words = unsafe {
            std::slice::from_raw_parts(
                self.memory.ptr().as_ptr().cast::<u32>(),
                self.memory.size() as usize / 4,
            )
        };
        let head = |i: u32| words.get(i as usize).copied().unwrap_or(0);
        if head(DROPPED) != 0 {
            tracing::warn!("the print buffer was full: {} calls of printf are lost", head(DROPPED));
        }
        let printers: Vec<Printer<'_>> = kernel.native().info.printf.iter().map(Printer::new).collect();
        let mut out = Vec::new();
        let end = head(NEXT).min(self.capacity) as usize;
        let mut at = HEAD as usize;
        while at < end {
            let Some((&number, rest)) = words.get(at..).and_then(<[u32]>::split_first) else { break };
            let Some(printer) = printers.get(number as usize) else { break };
            let Some(operands) = rest.get(..printer.words - 1) else { break };
            let strings = |address| {
                kernel.constant_at(address).map(Cow::Borrowed).or_else(|| in_buffers(launch, address))
            };
            printer.record(operands, &strings, &mut out);
            at += printer.words;
        }
        out
    }
}

/// The string at an address in a buffer argument, with its current contents.
fn in_buffers(launch: &Launch, address: u64) -> Option<Cow<'static, [u8]>> {
    launch.args.iter().find_map(|arg| {
        let ArgValue::Buffer(range) = arg else { return None };
        let base = range.memory.host_ptr()?.offset(range.offset);
        let at = address.checked_sub(base.addr() as u64).filter(|at| *at < range.size)?;
        let size = (range.size - at).min(LONGEST_STRING) as usize;
        // SAFETY: the range is inside the buffer, which the launch keeps.
        let bytes = unsafe { std::slice::from_raw_parts(base.offset(at).as_ptr(), size) };
        let end = bytes.iter().position(|b| *b == 0).unwrap_or(size);
        Some(Cow::Owned(bytes[..end].to_vec()))
    })
}
