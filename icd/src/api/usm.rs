//! Entry points of cl_intel_unified_shared_memory.

use super::event::publish_event;
use super::svm::{host, pattern};
use crate::convert::{properties, wait_list};
use crate::entry;
use crate::handle::Handle;
use crate::info;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::command::svm;
use pyroclast_runtime::device::Device;
use pyroclast_runtime::err;
use pyroclast_runtime::error::Result;
use pyroclast_runtime::info::InfoValue;
use pyroclast_runtime::memory::svm::{SvmKind, usm_alloc};
use std::ffi::c_void;

fn allocate(
    context: cl_context,
    kind: SvmKind,
    device: Option<&Device>,
    list: *const cl_mem_properties_intel,
    size: usize,
    alignment: cl_uint,
) -> Result<*mut c_void> {
    let list = properties(list).map_err(|e| err!(CL_INVALID_PROPERTY, "{e}"))?;
    Ok(usm_alloc(context.get()?, kind, device, &list.pairs, size, alignment)?.as_ptr().cast())
}

entry! { extension fn clHostMemAllocINTEL(
    context: cl_context, properties: *const cl_mem_properties_intel, size: usize, alignment: cl_uint;
    errcode_ret
) -> *mut c_void {
    allocate(context, SvmKind::Host, None, properties, size, alignment)
} }

entry! { extension fn clDeviceMemAllocINTEL(
    context: cl_context, device: cl_device_id, properties: *const cl_mem_properties_intel, size: usize,
    alignment: cl_uint; errcode_ret
) -> *mut c_void {
    context.get()?;
    allocate(context, SvmKind::Device, Some(device.get()?), properties, size, alignment)
} }

entry! { extension fn clSharedMemAllocINTEL(
    context: cl_context, device: cl_device_id, properties: *const cl_mem_properties_intel, size: usize,
    alignment: cl_uint; errcode_ret
) -> *mut c_void {
    context.get()?;
    // CL_INVALID_DEVICE: neither NULL nor a device.
    let device = if device.is_null() { None } else { Some(device.get()?) };
    allocate(context, SvmKind::Shared, device, properties, size, alignment)
} }

fn free(context: cl_context, ptr: *mut c_void, blocking: bool) -> Result<()> {
    let context = context.get()?;
    if ptr.is_null() {
        return Ok(());
    }
    // CL_INVALID_VALUE: not the start of a USM allocation.
    match context.allocations.find(ptr as u64) {
        Some(found) if found.address == ptr as u64 && !matches!(found.kind, SvmKind::Svm { .. }) => {}
        _ => return Err(err!(CL_INVALID_VALUE, "{ptr:p} is not unified shared memory")),
    }
    if blocking {
        context.drain();
    }
    drop(context.allocations.remove(ptr as u64));
    Ok(())
}

entry! { extension fn clMemFreeINTEL(context: cl_context, ptr: *mut c_void) -> cl_int {
    free(context, ptr, false)
} }

entry! { extension fn clMemBlockingFreeINTEL(context: cl_context, ptr: *mut c_void) -> cl_int {
    free(context, ptr, true)
} }

entry! { extension fn clGetMemAllocInfoINTEL(
    context: cl_context, ptr: *const c_void, param_name: cl_mem_info_intel, param_value_size: usize,
    param_value: *mut c_void, param_value_size_ret: *mut usize,
) -> cl_int {
    let context = context.get()?;
    let found = context.allocations.find(ptr as u64).filter(|a| !matches!(a.kind, SvmKind::Svm { .. }));
    let found = found.as_ref();
    let device = found.and_then(|a| context.devices().get(a.device?));
    let answer: InfoValue = match param_name {
        CL_MEM_ALLOC_TYPE_INTEL => match found.map(|a| a.kind) {
            Some(SvmKind::Host) => CL_MEM_TYPE_HOST_INTEL,
            Some(SvmKind::Device) => CL_MEM_TYPE_DEVICE_INTEL,
            Some(SvmKind::Shared) => CL_MEM_TYPE_SHARED_INTEL,
            Some(SvmKind::Svm { .. }) | None => CL_MEM_TYPE_UNKNOWN_INTEL,
        }
        .into(),
        CL_MEM_ALLOC_BASE_PTR_INTEL => InfoValue::Handle(found.map_or(0, |a| a.address as usize)),
        CL_MEM_ALLOC_SIZE_INTEL => found.map_or(0, |a| a.size as usize).into(),
        CL_MEM_ALLOC_DEVICE_INTEL => device.map_or(InfoValue::Handle(0), |d| cl_device_id::of(d).into()),
        CL_MEM_ALLOC_FLAGS_INTEL => found.map_or(0, |a| a.flags).into(),
        other => return Err(info::unknown("clGetMemAllocInfoINTEL", other)),
    };
    info::write(answer, param_value_size, param_value, param_value_size_ret)
} }

entry! { extension fn clSetKernelArgMemPointerINTEL(
    kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void,
) -> cl_int {
    kernel.get()?.set_usm_pointer(arg_index, arg_value as u64)
} }

entry! { extension fn clEnqueueMemFillINTEL(
    command_queue: cl_command_queue, dst_ptr: *mut c_void, pattern: *const c_void, pattern_size: usize,
    size: usize, num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
) -> cl_int {
    let (queue, waits) = (command_queue.arc()?, wait_list(num_events, events)?);
    let pattern = self::pattern(pattern, pattern_size)?;
    publish_event(event, svm::fill(&queue, CL_COMMAND_MEMFILL_INTEL, host(dst_ptr), pattern, size, waits)?);
    Ok(())
} }

// The fill of earlier revisions of the extension: the value is one byte, passed as an int like memset's.
entry! { extension fn clEnqueueMemsetINTEL(
    command_queue: cl_command_queue, dst_ptr: *mut c_void, value: cl_int, size: usize,
    num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
) -> cl_int {
    let (queue, waits) = (command_queue.arc()?, wait_list(num_events, events)?);
    let pattern = [value as u8];
    publish_event(event, svm::fill(&queue, CL_COMMAND_MEMFILL_INTEL, host(dst_ptr), &pattern, size, waits)?);
    Ok(())
} }

entry! { extension fn clEnqueueMemcpyINTEL(
    command_queue: cl_command_queue, blocking: cl_bool, dst_ptr: *mut c_void, src_ptr: *const c_void,
    size: usize, num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
) -> cl_int {
    let (queue, waits) = (command_queue.arc()?, wait_list(num_events, events)?);
    let pointers = (host(dst_ptr), host(src_ptr));
    publish_event(event, svm::memcpy(&queue, CL_COMMAND_MEMCPY_INTEL, blocking != 0, pointers, size, waits)?);
    Ok(())
} }

entry! { extension fn clEnqueueMigrateMemINTEL(
    command_queue: cl_command_queue, _ptr: *const c_void, _size: usize, flags: cl_mem_migration_flags,
    num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
) -> cl_int {
    let (queue, waits) = (command_queue.arc()?, wait_list(num_events, events)?);
    publish_event(event, svm::migrate_usm(&queue, flags, waits)?);
    Ok(())
} }

entry! { extension fn clEnqueueMemAdviseINTEL(
    command_queue: cl_command_queue, _ptr: *const c_void, _size: usize, advice: cl_mem_advice_intel,
    num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
) -> cl_int {
    let (queue, waits) = (command_queue.arc()?, wait_list(num_events, events)?);
    publish_event(event, svm::advise(&queue, advice, waits)?);
    Ok(())
} }
