//! Entry points of kernel objects.

use super::queue::device_queue;
use crate::convert::{optional_slice, string, write_out};
use crate::entry;
use crate::handle::{Handle, HandleTarget};
use crate::info;
use clspv_bridge::metadata::ArgKind;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::device::Device;
use pyroclast_runtime::err;
use pyroclast_runtime::error::{Error, Result};
use pyroclast_runtime::info::InfoValue;
use pyroclast_runtime::kernel::Kernel;
use pyroclast_runtime::kernel::args::ArgInput;
use pyroclast_runtime::kernel::exec_info::{Indirect, Setting};
use std::ffi::{c_char, c_void};
use std::sync::Arc;

impl HandleTarget for _cl_kernel {
    type Object = Kernel;
}

entry! { fn clCreateKernel(program: cl_program, kernel_name: *const c_char; errcode_ret) -> cl_kernel {
    let program = program.arc()?;
    // CL_INVALID_VALUE: the name is NULL.
    let name = string(kernel_name)?;
    Ok(cl_kernel::publish(Kernel::create(&program, &name)?))
} }

entry! { fn clCreateKernelsInProgram(
    program: cl_program,
    num_kernels: cl_uint,
    kernels: *mut cl_kernel,
    num_kernels_ret: *mut cl_uint
) -> cl_int {
    let program = program.arc()?;
    if kernels.is_null() {
        write_out(num_kernels_ret, program.kernel_names()?.len() as cl_uint);
        return Ok(());
    }
    let created = Kernel::create_all(&program)?;
    if (num_kernels as usize) < created.len() {
        return Err(err!(CL_INVALID_VALUE, "the program has {} kernels", created.len()));
    }
    write_out(num_kernels_ret, created.len() as cl_uint);
    for (i, kernel) in created.into_iter().enumerate() {
        // SAFETY: the application's array has num_kernels entries.
        unsafe { kernels.add(i).write(cl_kernel::publish(kernel)) };
    }
    Ok(())
} }

entry! { fn clRetainKernel(kernel: cl_kernel) -> cl_int { kernel.retain() } }

entry! { fn clReleaseKernel(kernel: cl_kernel) -> cl_int { kernel.release() } }

entry! { fn clCloneKernel(source_kernel: cl_kernel; errcode_ret) -> cl_kernel {
    Ok(cl_kernel::publish(source_kernel.get()?.duplicate()?))
} }

entry! { fn clSetKernelArg(
    kernel: cl_kernel, arg_index: cl_uint, arg_size: usize, arg_value: *const c_void
) -> cl_int {
    set_arg(kernel.get()?, arg_index, arg_size, arg_value)
} }

/// Sets an argument to the value passed by the application.
pub(super) fn set_arg(
    kernel: &Kernel,
    arg_index: cl_uint,
    arg_size: usize,
    arg_value: *const c_void,
) -> Result<()> {
    // CL_INVALID_ARG_INDEX: not the index of an argument.
    let info = kernel.arg(arg_index)?;
    if arg_value.is_null() {
        return kernel.set_arg(arg_index, ArgInput::Null { size: arg_size });
    }
    match info.kind {
        ArgKind::GlobalPtr | ArgKind::ConstantPtr => {
            if arg_size != size_of::<cl_mem>() {
                return Err(err!(
                    CL_INVALID_ARG_SIZE,
                    "argument {arg_index} is a memory object, not {arg_size} bytes"
                ));
            }
            // SAFETY: the application passes arg_size bytes.
            let handle = unsafe { arg_value.cast::<cl_mem>().read_unaligned() };
            // CL_INVALID_MEM_OBJECT: neither NULL nor a memory object.
            let mem = if handle.is_null() { None } else { Some(handle.arc()?) };
            kernel.set_arg(arg_index, ArgInput::Mem(mem.as_ref()))
        }
        ArgKind::Value if arg_size != info.size as usize => {
            Err(err!(CL_INVALID_ARG_SIZE, "argument {arg_index} has {} bytes, not {arg_size}", info.size))
        }
        ArgKind::Value => {
            // SAFETY: the application passes arg_size bytes.
            let bytes = unsafe { std::slice::from_raw_parts(arg_value.cast::<u8>(), arg_size) };
            kernel.set_arg(arg_index, ArgInput::Bytes(bytes))
        }
        ArgKind::Image => {
            if arg_size != size_of::<cl_mem>() {
                return Err(err!(
                    CL_INVALID_ARG_SIZE,
                    "argument {arg_index} is an image, not {arg_size} bytes"
                ));
            }
            // SAFETY: the application passes arg_size bytes.
            let mem = unsafe { arg_value.cast::<cl_mem>().read_unaligned() }.arc()?;
            kernel.set_arg(arg_index, ArgInput::Mem(Some(&mem)))
        }
        ArgKind::Sampler => {
            if arg_size != size_of::<cl_sampler>() {
                return Err(err!(
                    CL_INVALID_ARG_SIZE,
                    "argument {arg_index} is a sampler, not {arg_size} bytes"
                ));
            }
            // SAFETY: the application passes arg_size bytes.
            let sampler = unsafe { arg_value.cast::<cl_sampler>().read_unaligned() };
            kernel.set_arg(arg_index, ArgInput::Sampler(sampler.get()?))
        }
        ArgKind::Queue => {
            if arg_size != size_of::<cl_command_queue>() {
                return Err(err!(
                    CL_INVALID_ARG_SIZE,
                    "argument {arg_index} is a queue, not {arg_size} bytes"
                ));
            }
            // SAFETY: the application passes arg_size bytes.
            let queue = unsafe { arg_value.cast::<cl_command_queue>().read_unaligned() };
            // CL_INVALID_DEVICE_QUEUE: not an on-device queue.
            let queue =
                device_queue(queue).arc().map_err(|e| Error::with(CL_INVALID_DEVICE_QUEUE, e.to_string()))?;
            kernel.set_arg(arg_index, ArgInput::Queue(&queue))
        }
        ArgKind::LocalPtr => kernel.set_arg(arg_index, ArgInput::Bytes(&[])),
    }
}

entry! { fn clSetKernelArgSVMPointer(
    kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void
) -> cl_int {
    kernel.get()?.set_svm_pointer(arg_index, arg_value as u64)
} }

entry! { extension fn clSetKernelArgDevicePointerEXT(
    kernel: cl_kernel, arg_index: cl_uint, arg_value: cl_mem_device_address_ext,
) -> cl_int {
    kernel.get()?.set_device_pointer(arg_index, arg_value)
} }

/// The elements of a parameter that is an array of 8-byte numbers.
fn numbers(name: cl_kernel_exec_info, size: usize, value: *const c_void) -> Result<Vec<u64>> {
    // CL_INVALID_VALUE: pointer and size disagree, or the size is not a multiple of the elements'.
    if value.is_null() != (size == 0) || !size.is_multiple_of(size_of::<u64>()) {
        return Err(err!(CL_INVALID_VALUE, "{size} bytes for {name:#x}"));
    }
    let count = size / size_of::<u64>();
    // SAFETY: the application passes `size` bytes.
    Ok((0..count).map(|i| unsafe { value.cast::<u64>().add(i).read_unaligned() }).collect())
}

/// A parameter that is a cl_bool.
fn truth(name: cl_kernel_exec_info, size: usize, value: *const c_void) -> Result<bool> {
    if value.is_null() || size != size_of::<cl_bool>() {
        return Err(err!(CL_INVALID_VALUE, "{size} bytes for {name:#x}"));
    }
    // SAFETY: the application passes `size` bytes.
    Ok(unsafe { value.cast::<cl_bool>().read_unaligned() } != 0)
}

/// Reads and applies a parameter of clSetKernelExecInfo.
pub(super) fn set_exec_info(
    kernel: &Kernel,
    param_name: cl_kernel_exec_info,
    param_value_size: usize,
    param_value: *const c_void,
) -> Result<()> {
    let numbers = || numbers(param_name, param_value_size, param_value);
    let truth = || truth(param_name, param_value_size, param_value);
    kernel.set_exec_info(match param_name {
        CL_KERNEL_EXEC_INFO_SVM_PTRS => Setting::SvmPointers(numbers()?),
        CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM => Setting::System(truth()?),
        CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL => Setting::UsmPointers(numbers()?),
        CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL => Setting::Indirect(Indirect::Host, truth()?),
        CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL => Setting::Indirect(Indirect::Device, truth()?),
        CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL => Setting::Indirect(Indirect::Shared, truth()?),
        CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR => Setting::Indirect(Indirect::Every, truth()?),
        CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT => Setting::DevicePointers(numbers()?),
        _ => return Err(info::unknown("clSetKernelExecInfo", param_name)),
    })
}

entry! { fn clSetKernelExecInfo(
    kernel: cl_kernel,
    param_name: cl_kernel_exec_info,
    param_value_size: usize,
    param_value: *const c_void
) -> cl_int {
    set_exec_info(kernel.get()?, param_name, param_value_size, param_value)
} }

entry! { fn clGetKernelInfo(
    kernel: cl_kernel,
    param_name: cl_kernel_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize
) -> cl_int {
    let object = kernel.get()?;
    let value = match param_name {
        CL_KERNEL_REFERENCE_COUNT => InfoValue::U32(kernel.reference_count()?),
        CL_KERNEL_CONTEXT => cl_context::of(&object.program.context).into(),
        CL_KERNEL_PROGRAM => cl_program::of(&object.program).into(),
        _ => object.query(param_name).ok_or_else(|| info::unknown("clGetKernelInfo", param_name))?,
    };
    info::write(value, param_value_size, param_value, param_value_size_ret)
} }

entry! { fn clGetKernelArgInfo(
    kernel: cl_kernel,
    arg_index: cl_uint,
    param_name: cl_kernel_arg_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize
) -> cl_int {
    let value = kernel.get()?.arg_info(arg_index, param_name)?;
    info::write(value, param_value_size, param_value, param_value_size_ret)
} }

/// The device of a query; `None` for NULL.
fn query_device<'a>(device: cl_device_id) -> Result<Option<&'a Device>> {
    if device.is_null() { Ok(None) } else { device.get().map(Some) }
}

entry! { fn clGetKernelWorkGroupInfo(
    kernel: cl_kernel,
    device: cl_device_id,
    param_name: cl_kernel_work_group_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize
) -> cl_int {
    let value = kernel.get()?.work_group_info(query_device(device)?, param_name)?;
    info::write(value, param_value_size, param_value, param_value_size_ret)
} }

#[allow(clippy::too_many_arguments)]
fn sub_group_info(
    kernel: cl_kernel,
    device: cl_device_id,
    param_name: cl_kernel_sub_group_info,
    input_size: usize,
    input: *const c_void,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> Result<()> {
    let kernel = kernel.get()?;
    let words = input_size / size_of::<usize>();
    // The query checks the number of sizes.
    let given = optional_slice(input.cast::<usize>(), words)
        .filter(|w| !w.is_empty() && input_size.is_multiple_of(size_of::<usize>()));
    let room = if value.is_null() { 0 } else { size };
    let answer = kernel.sub_group_info(query_device(device)?, param_name, given, room)?;
    info::write(answer, size, value, size_ret)
}

entry! { fn clGetKernelSubGroupInfo(
    kernel: cl_kernel, device: cl_device_id, param_name: cl_kernel_sub_group_info, input_value_size: usize,
    input_value: *const c_void, param_value_size: usize, param_value: *mut c_void,
    param_value_size_ret: *mut usize
) -> cl_int {
    sub_group_info(
        kernel,
        device,
        param_name,
        input_value_size,
        input_value,
        param_value_size,
        param_value,
        param_value_size_ret,
    )
} }

entry! { extension fn clGetKernelSubGroupInfoKHR(
    kernel: cl_kernel, device: cl_device_id, param_name: cl_kernel_sub_group_info, input_value_size: usize,
    input_value: *const c_void, param_value_size: usize, param_value: *mut c_void,
    param_value_size_ret: *mut usize
) -> cl_int {
    sub_group_info(
        kernel,
        device,
        param_name,
        input_value_size,
        input_value,
        param_value_size,
        param_value,
        param_value_size_ret,
    )
} }

entry! { fn clGetKernelSuggestedLocalWorkSize(
    command_queue: cl_command_queue, kernel: cl_kernel, work_dim: cl_uint, global_work_offset: *const usize,
    global_work_size: *const usize, suggested_local_work_size: *mut usize
) -> cl_int {
    let queue = command_queue.get()?;
    let kernel = kernel.get()?;
    if !Arc::ptr_eq(&kernel.program.context, queue.context()) {
        return Err(err!(CL_INVALID_CONTEXT, "the queue is of another context"));
    }
    // CL_INVALID_PROGRAM_EXECUTABLE: no executable for the queue's device.
    kernel.on_device(queue.device())?;
    if !(1..=3).contains(&work_dim) {
        return Err(err!(CL_INVALID_WORK_DIMENSION, "{work_dim} dimensions"));
    }
    let n = work_dim as usize;
    let sizes = optional_slice(global_work_size, n)
        .ok_or_else(|| err!(CL_INVALID_GLOBAL_WORK_SIZE, "no global size"))?;
    if sizes.contains(&0) {
        return Err(err!(CL_INVALID_GLOBAL_WORK_SIZE, "a global size of zero"));
    }
    if let Some(offsets) = optional_slice(global_work_offset, n)
        && sizes.iter().zip(offsets).any(|(size, offset)| size.checked_add(*offset).is_none())
    {
        return Err(err!(CL_INVALID_GLOBAL_OFFSET, "offset and size exceed size_t"));
    }
    if suggested_local_work_size.is_null() {
        return Err(err!(CL_INVALID_VALUE, "no room for the answer"));
    }
    let mut global = [1u64; 3];
    for (dst, src) in global.iter_mut().zip(sizes) {
        *dst = *src as u64;
    }
    let local = kernel.suggested_local_size(queue.device(), global, work_dim)?;
    for (i, size) in local.iter().take(n).enumerate() {
        // SAFETY: the application's array has work_dim entries.
        unsafe { suggested_local_work_size.add(i).write(*size as usize) };
    }
    Ok(())
    // Not checked: CL_MISALIGNED_SUB_BUFFER_OFFSET, which clEnqueueNDRangeKernel reports.
} }
