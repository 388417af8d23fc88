//! Entry points of program objects.

use crate::callback::{UserData, with_handle};
use crate::convert::{optional_slice, optional_string, slice, string, strings, write_out};
use crate::entry;
use crate::handle::{Handle, HandleTarget};
use crate::info;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::device::Device;
use pyroclast_runtime::err;
use pyroclast_runtime::error::Result;
use pyroclast_runtime::info::InfoValue;
use pyroclast_runtime::program::binary::Binary;
use pyroclast_runtime::program::{Program, ProgramOrigin};
use std::ffi::{c_char, c_void};
use std::sync::Arc;

impl HandleTarget for _cl_program {
    type Object = Program;
}

/// A build callback of the application.
type Notify = Option<unsafe extern "C" fn(cl_program, *mut c_void)>;

/// The devices of a call that may list none: `None` stands for all.
fn device_list(n: cl_uint, list: *const cl_device_id) -> Result<Option<Vec<Arc<Device>>>> {
    // CL_INVALID_VALUE: list and count disagree.
    let list = slice(list, n as usize)?;
    if list.is_empty() {
        return Ok(None);
    }
    // CL_INVALID_DEVICE: an entry is not a device.
    list.iter().map(|d| d.arc()).collect::<Result<Vec<_>>>().map(Some)
}

/// The callback of a build; `None` if there is none.
fn notify(
    program: cl_program,
    function: Notify,
    user_data: *mut c_void,
) -> Result<Option<Box<dyn FnOnce() + Send>>> {
    match function {
        Some(function) => Ok(Some(with_handle(function, program, user_data))),
        None if !user_data.is_null() => Err(err!(CL_INVALID_VALUE, "user_data without a callback")),
        None => Ok(None),
    }
}

entry! { fn clCreateProgramWithSource(
    context: cl_context,
    count: cl_uint,
    sources: *mut *const c_char,
    lengths: *const usize;
    errcode_ret
) -> cl_program {
    let context = context.arc()?;
    // CL_INVALID_VALUE: no strings, or one is NULL.
    let text = strings(count, sources.cast_const(), lengths)?.concat();
    let text = String::from_utf8(text).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
    Ok(cl_program::publish(Arc::new(Program::from_source(context, text))))
} }

entry! { fn clCreateProgramWithIL(
    context: cl_context, il: *const c_void, length: usize; errcode_ret
) -> cl_program {
    let context = context.arc()?;
    // CL_INVALID_VALUE: NULL, or a length of 0.
    let bytes = optional_slice(il.cast::<u8>(), length).filter(|b| !b.is_empty());
    let bytes = bytes.ok_or_else(|| err!(CL_INVALID_VALUE, "no intermediate language"))?;
    Ok(cl_program::publish(Arc::new(Program::from_il(context, bytes)?)))
} }

entry! { fn clCreateProgramWithBinary(
    context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id, lengths: *const usize,
    binaries: *mut *const u8, binary_status: *mut cl_int; errcode_ret
) -> cl_program {
    let context = context.arc()?;
    let n = num_devices as usize;
    let devices = optional_slice(device_list, n).filter(|d| !d.is_empty());
    let devices = devices.ok_or_else(|| err!(CL_INVALID_VALUE, "no devices"))?;
    // CL_INVALID_DEVICE: an entry is not a device.
    let devices = devices.iter().map(|d| d.arc()).collect::<Result<Vec<_>>>()?;
    for device in &devices {
        context.device(device)?;
    }
    let (Some(lengths), Some(binaries)) =
        (optional_slice(lengths, n), optional_slice(binaries.cast_const(), n))
    else {
        return Err(err!(CL_INVALID_VALUE, "no lengths or no binaries"));
    };
    let mut read = Vec::new();
    let mut kept: Vec<Arc<[u8]>> = Vec::new();
    let mut result = Ok(());
    for (i, (length, binary)) in lengths.iter().zip(binaries).enumerate() {
        let status = match optional_slice(*binary, *length).filter(|b| !b.is_empty()) {
            // CL_INVALID_VALUE: a length of 0, or a NULL binary.
            None => CL_INVALID_VALUE,
            Some(bytes) => match Binary::from_bytes(bytes) {
                Some(binary) => {
                    read.push(binary);
                    kept.push(bytes.into());
                    CL_SUCCESS
                }
                // CL_INVALID_BINARY: not a valid binary for its device.
                None => CL_INVALID_BINARY,
            },
        };
        if !binary_status.is_null() {
            // SAFETY: the application's array has num_devices entries.
            unsafe { binary_status.add(i).write(status) };
        }
        if status != CL_SUCCESS && result.is_ok() {
            result = Err(err!(status, "binary {i} cannot be loaded"));
        }
    }
    result?;
    Ok(cl_program::publish(Arc::new(Program::from_binaries(context, devices, read, kept))))
} }

entry! { fn clCreateProgramWithBuiltInKernels(
    context: cl_context,
    num_devices: cl_uint,
    device_list: *const cl_device_id,
    kernel_names: *const c_char;
    errcode_ret
) -> cl_program {
    let context = context.get()?;
    let devices = optional_slice(device_list, num_devices as usize).filter(|d| !d.is_empty());
    let devices = devices.ok_or_else(|| err!(CL_INVALID_VALUE, "no devices"))?;
    // CL_INVALID_VALUE: the names are NULL.
    let names = string(kernel_names)?;
    for device in devices {
        // CL_INVALID_DEVICE: not a device of the context.
        context.device(device.get()?)?;
    }
    Err(err!(CL_INVALID_VALUE, "no device has built-in kernels ('{names}')"))
} }

entry! { fn clRetainProgram(program: cl_program) -> cl_int { program.retain() } }

entry! { fn clReleaseProgram(program: cl_program) -> cl_int { program.release() } }

entry! { fn clSetProgramReleaseCallback(
    program: cl_program, pfn_notify: Notify, user_data: *mut c_void
) -> cl_int {
    program.get()?;
    let _ = user_data;
    if pfn_notify.is_none() {
        return Err(err!(CL_INVALID_VALUE, "no callback"));
    }
    Err(err!(CL_INVALID_OPERATION, "no device has destructors of program-scope variables"))
} }

entry! { fn clSetProgramSpecializationConstant(
    program: cl_program,
    spec_id: cl_uint,
    spec_size: usize,
    spec_value: *const c_void
) -> cl_int {
    let program = program.get()?;
    let Some(size) = program.spec_constant_size(spec_id) else {
        return Err(err!(CL_INVALID_PROGRAM, "the program is not from an intermediate language"));
    };
    let size = size.ok_or_else(|| err!(CL_INVALID_SPEC_ID, "no specialisation constant {spec_id}"))?;
    // CL_INVALID_VALUE: another size than the constant's, or a NULL value.
    let value = optional_slice(spec_value.cast::<u8>(), if size == spec_size { size } else { 0 });
    match value {
        Some(value) if spec_size == size => program.set_spec_constant(spec_id, value),
        _ => Err(err!(CL_INVALID_VALUE, "specialisation constant {spec_id} takes {size} bytes")),
    }
} }

entry! { for program fn clBuildProgram(
    program: cl_program,
    num_devices: cl_uint,
    devices: *const cl_device_id,
    options: *const c_char,
    pfn_notify: Notify,
    user_data: *mut c_void
) -> cl_int {
    let object = program.arc()?;
    let devices = device_list(num_devices, devices)?;
    let notify = notify(program, pfn_notify, user_data)?;
    object.build(devices.as_deref(), &optional_string(options).unwrap_or_default(), notify)
} }

entry! { for program fn clCompileProgram(
    program: cl_program,
    num_devices: cl_uint,
    devices: *const cl_device_id,
    options: *const c_char,
    num_input_headers: cl_uint,
    input_headers: *const cl_program,
    header_include_names: *mut *const c_char,
    pfn_notify: Notify,
    user_data: *mut c_void
) -> cl_int {
    let object = program.arc()?;
    let devices = device_list(num_devices, devices)?;
    // CL_INVALID_VALUE: headers, their names and their number disagree.
    let headers = slice(input_headers, num_input_headers as usize)?;
    let names = slice(header_include_names.cast_const(), num_input_headers as usize)?;
    let notify = notify(program, pfn_notify, user_data)?;
    let mut texts = Vec::new();
    if !matches!(object.origin, ProgramOrigin::Il { .. }) {
        for (header, name) in headers.iter().zip(names) {
            let header = header.get()?;
            if !Arc::ptr_eq(&header.context, &object.context) {
                return Err(err!(CL_INVALID_CONTEXT, "a header is of another context"));
            }
            let ProgramOrigin::Source(text) = &header.origin else {
                return Err(err!(CL_INVALID_OPERATION, "a header was not created from source"));
            };
            texts.push(clspv_bridge::options::Header { name: string(*name)?, text: text.clone() });
        }
    }
    object.compile(devices.as_deref(), &optional_string(options).unwrap_or_default(), texts, notify)
} }

fn link(
    context: cl_context,
    devices: Option<Vec<Arc<Device>>>,
    options: &str,
    inputs: &[cl_program],
    pfn_notify: Notify,
    user_data: *mut c_void,
) -> Result<(cl_program, cl_int)> {
    let context = context.arc()?;
    let inputs = inputs.iter().map(|p| p.arc()).collect::<Result<Vec<_>>>()?;
    let (program, job) = Program::link(&context, devices.as_deref(), options, &inputs)?;
    let program = Arc::new(program);
    let handle = cl_program::publish(program.clone());
    let notify = notify(handle, pfn_notify, user_data)?;
    // From here on the program is returned, whether it is linked or not.
    let code = program.start(job, notify).map_or_else(|e| e.code(), |()| CL_SUCCESS);
    Ok((handle, code))
}

/// Unlike all other calls, this one also returns a handle when linking fails.
///
/// # Safety
/// The arguments are as the specification requires.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn clLinkProgram(
    context: cl_context,
    num_devices: cl_uint,
    devices: *const cl_device_id,
    options: *const c_char,
    num_input_programs: cl_uint,
    input_programs: *const cl_program,
    pfn_notify: Notify,
    user_data: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_program {
    let user_data = UserData(user_data);
    let (function, words) = entry::describe!(clLinkProgram(
        context: cl_context,
        num_devices: cl_uint,
        devices: *const cl_device_id,
        options: *const c_char,
        num_input_programs: cl_uint,
        input_programs: *const cl_program,
        pfn_notify: Notify,
        errcode_ret: *mut cl_int
    ));
    let result = entry::guard(function, words, move || {
        let user_data = user_data.get();
        context.get()?;
        let devices = device_list(num_devices, devices)?;
        let inputs = optional_slice(input_programs, num_input_programs as usize).filter(|p| !p.is_empty());
        let inputs = inputs.ok_or_else(|| err!(CL_INVALID_VALUE, "no programs to link"))?;
        if pfn_notify.is_none() && !user_data.is_null() {
            return Err(err!(CL_INVALID_VALUE, "user_data without a callback"));
        }
        link(context, devices, &optional_string(options).unwrap_or_default(), inputs, pfn_notify, user_data)
    });
    if let Err(error) = &result {
        crate::notify::report("clLinkProgram", context, error);
    }
    let (handle, code) = match result {
        Ok((handle, _)) if handle.is_null() => (handle, CL_OUT_OF_HOST_MEMORY),
        Ok(pair) => pair,
        Err(error) => (std::ptr::null_mut(), error.code()),
    };
    write_out(errcode_ret, code);
    handle
}

entry! { fn clGetProgramInfo(
    program: cl_program,
    param_name: cl_program_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize
) -> cl_int {
    let object = program.arc()?;
    let value = match param_name {
        CL_PROGRAM_REFERENCE_COUNT => InfoValue::U32(program.reference_count()?),
        CL_PROGRAM_CONTEXT => cl_context::of(&object.context).into(),
        CL_PROGRAM_DEVICES => object.devices.iter().map(cl_device_id::of).collect::<Vec<_>>().into(),
        CL_PROGRAM_BINARIES => {
            return write_binaries(&object, param_value_size, param_value, param_value_size_ret);
        }
        _ => object.info(param_name)?.ok_or_else(|| info::unknown("clGetProgramInfo", param_name))?,
    };
    info::write(value, param_value_size, param_value, param_value_size_ret)
} }

/// Copies the binaries to the addresses in the application's array.
fn write_binaries(program: &Program, size: usize, array: *mut c_void, size_ret: *mut usize) -> Result<()> {
    let needed = program.devices.len() * size_of::<*mut u8>();
    if !array.is_null() {
        if size < needed {
            return Err(err!(CL_INVALID_VALUE, "the array has {needed} bytes, not {size}"));
        }
        for (i, binary) in program.binaries().into_iter().enumerate() {
            // SAFETY: the application's array has an entry for each device.
            let destination = unsafe { array.cast::<*mut u8>().add(i).read_unaligned() };
            if let Some(binary) = binary
                && !destination.is_null()
            {
                // SAFETY: the application's buffer has the size reported by CL_PROGRAM_BINARY_SIZES.
                unsafe { std::ptr::copy_nonoverlapping(binary.as_ptr(), destination, binary.len()) };
            }
        }
    }
    write_out(size_ret, needed);
    Ok(())
}

entry! { fn clGetProgramBuildInfo(
    program: cl_program,
    device: cl_device_id,
    param_name: cl_program_build_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize
) -> cl_int {
    let value = program.get()?.build_info(device.get()?, param_name)?;
    info::write(value, param_value_size, param_value, param_value_size_ret)
} }
