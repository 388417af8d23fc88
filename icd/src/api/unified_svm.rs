//! Entry points of cl_khr_unified_svm.

use crate::convert::{properties, write_out};
use crate::entry;
use crate::handle::Handle;
use crate::info;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::context::Context;
use pyroclast_runtime::device::Device;
use pyroclast_runtime::err;
use pyroclast_runtime::error::Result;
use pyroclast_runtime::info::InfoValue;
use pyroclast_runtime::memory::svm::unified::{self, Request};
use pyroclast_runtime::platform::Platform;
use std::ffi::c_void;

fn request(list: *const cl_svm_alloc_properties_khr) -> Result<Request<'static>> {
    let list = properties(list).map_err(|e| err!(CL_INVALID_PROPERTY, "{e}"))?;
    let device = |handle: usize| (handle as cl_device_id).get();
    unified::request(&list.pairs, list.raw, device)
}

entry! { extension fn clSVMAllocWithPropertiesKHR(
    context: cl_context, properties: *const cl_svm_alloc_properties_khr, svm_type_index: cl_uint, size: usize;
    errcode_ret
) -> *mut c_void {
    let context = context.get()?;
    let devices = Platform::get().devices();
    Ok(unified::alloc(context, devices, svm_type_index, size, request(properties)?)?.as_ptr().cast())
} }

entry! { extension fn clSVMFreeWithPropertiesKHR(
    context: cl_context, properties: *const cl_svm_free_properties_khr, flags: cl_svm_free_flags_khr,
    ptr: *mut c_void,
) -> cl_int {
    let context = context.get()?;
    // No property or flag is defined.
    if let Some((name, _)) = self::properties(properties)?.pairs.first() {
        return Err(err!(CL_INVALID_PROPERTY, "property {name:#x}"));
    }
    if flags != 0 {
        return Err(err!(CL_INVALID_VALUE, "flags {flags:#x}"));
    }
    if !ptr.is_null() && context.allocations.remove(ptr as u64).is_none() {
        return Err(err!(CL_INVALID_VALUE, "{ptr:p} is not an allocation"));
    }
    Ok(())
} }

/// The device of a query: NULL, or a device of the context.
fn device_in(context: &Context, device: cl_device_id) -> Result<Option<&'static Device>> {
    if device.is_null() {
        return Ok(None);
    }
    let device = device.get()?;
    context.device(device)?;
    Ok(Some(device))
}

entry! { extension fn clGetSVMPointerInfoKHR(
    context: cl_context, device: cl_device_id, ptr: *const c_void, param_name: cl_svm_pointer_info_khr,
    param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize,
) -> cl_int {
    let context = context.get()?;
    let device = device_in(context, device)?;
    let found = context.allocations.find(ptr as u64);
    let found = found.as_deref();
    let answer = match param_name {
        CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR => {
            let associated = found.and_then(|a| context.devices().get(a.device?));
            associated.map_or(InfoValue::Handle(0), |d| cl_device_id::of(d).into())
        }
        other => unified::query(context, device, found, other)
            .ok_or_else(|| info::unknown("clGetSVMPointerInfoKHR", other))?,
    };
    info::write(answer, param_value_size, param_value, param_value_size_ret)
} }

entry! { extension fn clGetSVMSuggestedTypeIndexKHR(
    context: cl_context, required_capabilities: cl_svm_capabilities_khr,
    desired_capabilities: cl_svm_capabilities_khr, properties: *const cl_svm_alloc_properties_khr,
    size: usize, suggested_svm_type_index: *mut cl_uint,
) -> cl_int {
    let context = context.get()?;
    let request = request(properties)?;
    if suggested_svm_type_index.is_null() {
        return Err(err!(CL_INVALID_VALUE, "no room for the answer"));
    }
    let index = unified::suggest(context, required_capabilities, desired_capabilities, size, &request)?;
    write_out(suggested_svm_type_index, index);
    Ok(())
} }
