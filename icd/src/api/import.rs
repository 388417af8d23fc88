//! The entry point of cl_arm_import_memory, which is found by name only.

use crate::convert;
use crate::entry;
use crate::handle::Handle;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::err;
use pyroclast_runtime::error::Result;
use pyroclast_runtime::host_ptr::HostPtr;
use pyroclast_runtime::memory::import::{self, ImportKind, Source};
use std::ffi::{c_int, c_void};
use std::os::fd::BorrowedFd;

/// A dma_buf, with a duplicate of the descriptor; the application keeps its own.
fn dma_buf(fd: c_int) -> Result<Source> {
    // SAFETY: takes only a number; an invalid one is reported.
    let state = unsafe { libc::fcntl(fd, libc::F_GETFL) };
    if state < 0 {
        return Err(err!(CL_INVALID_VALUE, "{fd} is not a descriptor"));
    }
    // SAFETY: the descriptor is open, and the application's for as long as the call takes.
    let fd = unsafe { BorrowedFd::borrow_raw(fd) }.try_clone_to_owned();
    let fd = fd.map_err(|e| err!(CL_OUT_OF_HOST_MEMORY, "{e}"))?;
    Ok(Source::DmaBuf { fd, writable: state & libc::O_ACCMODE != libc::O_RDONLY })
}

entry! { extension fn clImportMemoryARM(
    context: cl_context, flags: cl_mem_flags, properties: *const cl_import_properties_arm,
    memory: *mut c_void, size: usize; errcode_ret
) -> cl_mem {
    let context = context.arc()?;
    let list = convert::properties(properties).map_err(|e| err!(CL_INVALID_PROPERTY, "{e}"))?;
    let kind = import::kind(&context, &list.pairs)?;
    if memory.is_null() {
        return Err(err!(CL_INVALID_VALUE, "no memory"));
    }
    let source = match kind {
        ImportKind::Host => Source::Host(HostPtr::new(memory.cast())),
        // SAFETY: for this type the pointer is to a descriptor.
        ImportKind::DmaBuf => dma_buf(unsafe { memory.cast::<c_int>().read_unaligned() })?,
    };
    Ok(cl_mem::publish(import::create(&context, source, flags, size)?))
} }
