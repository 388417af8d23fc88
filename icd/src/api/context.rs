//! Context entry points.

use super::device::device_list;
use super::platform::{platform_handle, the_platform};
use crate::callback::{UserData, with_handle};
use crate::convert::properties;
use crate::entry::entry;
use crate::handle::{Handle, HandleTarget};
use crate::info;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::context::{Context, Notify, PrintCallback, PrintConfig, validate_properties};
use pyroclast_runtime::device::Device;
use pyroclast_runtime::err;
use pyroclast_runtime::error::Result;
use std::ffi::{CString, c_char, c_void};
use std::sync::Arc;

impl HandleTarget for _cl_context {
    type Object = Context;
}

type NotifyFunction = Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>;

type PrintFunction = unsafe extern "C" fn(*const c_char, usize, usize, *mut c_void);

/// Reads the properties of cl_arm_printf.
fn printing(pairs: &[(cl_context_properties, cl_context_properties)], user_data: *mut c_void) -> PrintConfig {
    let value = |key: cl_uint| pairs.iter().find(|p| p.0 == key as cl_context_properties).map_or(0, |p| p.1);
    let address = value(CL_PRINTF_CALLBACK_ARM) as *const c_void;
    // SAFETY: the application passes a function of this type, or NULL.
    let function = unsafe { std::mem::transmute::<*const c_void, Option<PrintFunction>>(address) };
    let user_data = UserData(user_data);
    let callback = function.map(|function| -> PrintCallback {
        Arc::new(move |text: &[u8]| {
            // SAFETY: the application's function with the arguments it was registered for; the text outlives
            // the call.
            unsafe { function(text.as_ptr().cast(), text.len(), 1, user_data.get()) }
        })
    });
    PrintConfig { callback, bytes: value(CL_PRINTF_BUFFERSIZE_ARM) as u64 }
}

fn notify_closure(function: NotifyFunction, user_data: *mut c_void, prints: bool) -> Result<Option<Notify>> {
    let Some(function) = function else {
        // CL_INVALID_VALUE: user_data requires a callback.
        return if user_data.is_null() || prints {
            Ok(None)
        } else {
            Err(err!(CL_INVALID_VALUE, "user_data without pfn_notify"))
        };
    };
    let user_data = UserData(user_data);
    Ok(Some(Arc::new(move |text: &str| {
        let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
        // SAFETY: the application's function with the arguments it was registered for; the text outlives the
        // call.
        unsafe { function(text.as_ptr(), std::ptr::null(), 0, user_data.get()) }
    })))
}

fn create(
    list: *const cl_context_properties,
    devices: impl FnOnce() -> Result<Vec<Arc<Device>>>,
    function: NotifyFunction,
    user_data: *mut c_void,
) -> Result<cl_context> {
    let list = properties(list).map_err(|e| err!(CL_INVALID_PROPERTY, "{e}"))?;
    validate_properties(&list.pairs, |platform| platform == platform_handle() as cl_context_properties)?;
    let printing = printing(&list.pairs, user_data);
    let notify = notify_closure(function, user_data, printing.callback.is_some())?;
    Ok(cl_context::publish(Context::new(devices()?, list.raw, notify, printing)?))
}

entry! { fn clCreateContext(
    properties: *const cl_context_properties, num_devices: cl_uint, devices: *const cl_device_id,
    pfn_notify: NotifyFunction, user_data: *mut c_void; errcode_ret
) -> cl_context {
    create(properties, || device_list(num_devices, devices), pfn_notify, user_data)
} }

entry! { fn clCreateContextFromType(
    properties: *const cl_context_properties, device_type: cl_device_type, pfn_notify: NotifyFunction,
    user_data: *mut c_void; errcode_ret
) -> cl_context {
    create(properties, || the_platform().devices_of_type(device_type), pfn_notify, user_data)
} }

entry! { fn clRetainContext(context: cl_context) -> cl_int { context.retain() } }

entry! { fn clReleaseContext(context: cl_context) -> cl_int { context.release() } }

entry! { fn clGetContextInfo(
    context: cl_context, param_name: cl_context_info, size: usize, value: *mut c_void, size_ret: *mut usize,
) -> cl_int {
    let object = context.get()?;
    let answer = match param_name {
        CL_CONTEXT_REFERENCE_COUNT => context.reference_count()?.into(),
        CL_CONTEXT_DEVICES => object.devices().iter().map(cl_device_id::of).collect::<Vec<_>>().into(),
        other => object.query(other)?,
    };
    info::write(answer, size, value, size_ret)
} }

entry! { fn clSetContextDestructorCallback(
    context: cl_context, pfn_notify: Option<unsafe extern "C" fn(cl_context, *mut c_void)>,
    user_data: *mut c_void,
) -> cl_int {
    let object = context.get()?;
    let function = pfn_notify.ok_or_else(|| err!(CL_INVALID_VALUE, "pfn_notify is NULL"))?;
    object.on_destroy(with_handle(function, context, user_data));
    Ok(())
} }
