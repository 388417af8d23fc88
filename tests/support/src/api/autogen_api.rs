//! The core API through the ICD loader, one function each.
//! Generated from the OpenCL registry by `cargo xtask gen-cl`; do not edit.

#![allow(non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc, clippy::type_complexity)]

use pyroclast_runtime::cl::*;
use std::ffi::{c_char, c_void};
use std::sync::OnceLock;

pub unsafe fn clGetPlatformIDs(
    num_entries: cl_uint,
    platforms: *mut cl_platform_id,
    num_platforms: *mut cl_uint,
) -> cl_int {
    type Function = unsafe extern "C" fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetPlatformIDs"))(num_entries, platforms, num_platforms)
    }
}

pub unsafe fn clGetPlatformInfo(
    platform: cl_platform_id,
    param_name: cl_platform_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl_int {
    type Function =
        unsafe extern "C" fn(cl_platform_id, cl_platform_info, usize, *mut c_void, *mut usize) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetPlatformInfo"))(
            platform,
            param_name,
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn clGetDeviceIDs(
    platform: cl_platform_id,
    device_type: cl_device_type,
    num_entries: cl_uint,
    devices: *mut cl_device_id,
    num_devices: *mut cl_uint,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_platform_id,
        cl_device_type,
        cl_uint,
        *mut cl_device_id,
        *mut cl_uint,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetDeviceIDs"))(
            platform,
            device_type,
            num_entries,
            devices,
            num_devices,
        )
    }
}

pub unsafe fn clGetDeviceInfo(
    device: cl_device_id,
    param_name: cl_device_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl_int {
    type Function =
        unsafe extern "C" fn(cl_device_id, cl_device_info, usize, *mut c_void, *mut usize) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetDeviceInfo"))(
            device,
            param_name,
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn clCreateSubDevices(
    in_device: cl_device_id,
    properties: *const cl_device_partition_property,
    num_devices: cl_uint,
    out_devices: *mut cl_device_id,
    num_devices_ret: *mut cl_uint,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_device_id,
        *const cl_device_partition_property,
        cl_uint,
        *mut cl_device_id,
        *mut cl_uint,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clCreateSubDevices"))(
            in_device,
            properties,
            num_devices,
            out_devices,
            num_devices_ret,
        )
    }
}

pub unsafe fn clRetainDevice(device: cl_device_id) -> cl_int {
    type Function = unsafe extern "C" fn(cl_device_id) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clRetainDevice"))(device) }
}

pub unsafe fn clReleaseDevice(device: cl_device_id) -> cl_int {
    type Function = unsafe extern "C" fn(cl_device_id) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clReleaseDevice"))(device) }
}

pub unsafe fn clSetDefaultDeviceCommandQueue(
    context: cl_context,
    device: cl_device_id,
    command_queue: cl_command_queue,
) -> cl_int {
    type Function = unsafe extern "C" fn(cl_context, cl_device_id, cl_command_queue) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clSetDefaultDeviceCommandQueue"))(
            context,
            device,
            command_queue,
        )
    }
}

pub unsafe fn clGetDeviceAndHostTimer(
    device: cl_device_id,
    device_timestamp: *mut cl_ulong,
    host_timestamp: *mut cl_ulong,
) -> cl_int {
    type Function = unsafe extern "C" fn(cl_device_id, *mut cl_ulong, *mut cl_ulong) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetDeviceAndHostTimer"))(
            device,
            device_timestamp,
            host_timestamp,
        )
    }
}

pub unsafe fn clGetHostTimer(device: cl_device_id, host_timestamp: *mut cl_ulong) -> cl_int {
    type Function = unsafe extern "C" fn(cl_device_id, *mut cl_ulong) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clGetHostTimer"))(device, host_timestamp) }
}

pub unsafe fn clCreateContext(
    properties: *const cl_context_properties,
    num_devices: cl_uint,
    devices: *const cl_device_id,
    pfn_notify: Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>,
    user_data: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_context {
    type Function = unsafe extern "C" fn(
        *const cl_context_properties,
        cl_uint,
        *const cl_device_id,
        Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>,
        *mut c_void,
        *mut cl_int,
    ) -> cl_context;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clCreateContext"))(
            properties,
            num_devices,
            devices,
            pfn_notify,
            user_data,
            errcode_ret,
        )
    }
}

pub unsafe fn clCreateContextFromType(
    properties: *const cl_context_properties,
    device_type: cl_device_type,
    pfn_notify: Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>,
    user_data: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_context {
    type Function = unsafe extern "C" fn(
        *const cl_context_properties,
        cl_device_type,
        Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>,
        *mut c_void,
        *mut cl_int,
    ) -> cl_context;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clCreateContextFromType"))(
            properties,
            device_type,
            pfn_notify,
            user_data,
            errcode_ret,
        )
    }
}

pub unsafe fn clRetainContext(context: cl_context) -> cl_int {
    type Function = unsafe extern "C" fn(cl_context) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clRetainContext"))(context) }
}

pub unsafe fn clReleaseContext(context: cl_context) -> cl_int {
    type Function = unsafe extern "C" fn(cl_context) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clReleaseContext"))(context) }
}

pub unsafe fn clGetContextInfo(
    context: cl_context,
    param_name: cl_context_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl_int {
    type Function =
        unsafe extern "C" fn(cl_context, cl_context_info, usize, *mut c_void, *mut usize) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetContextInfo"))(
            context,
            param_name,
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn clSetContextDestructorCallback(
    context: cl_context,
    pfn_notify: Option<unsafe extern "C" fn(cl_context, *mut c_void)>,
    user_data: *mut c_void,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_context,
        Option<unsafe extern "C" fn(cl_context, *mut c_void)>,
        *mut c_void,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clSetContextDestructorCallback"))(
            context, pfn_notify, user_data,
        )
    }
}

pub unsafe fn clCreateCommandQueueWithProperties(
    context: cl_context,
    device: cl_device_id,
    properties: *const cl_queue_properties,
    errcode_ret: *mut cl_int,
) -> cl_command_queue {
    type Function = unsafe extern "C" fn(
        cl_context,
        cl_device_id,
        *const cl_queue_properties,
        *mut cl_int,
    ) -> cl_command_queue;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clCreateCommandQueueWithProperties"))(
            context,
            device,
            properties,
            errcode_ret,
        )
    }
}

pub unsafe fn clRetainCommandQueue(command_queue: cl_command_queue) -> cl_int {
    type Function = unsafe extern "C" fn(cl_command_queue) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clRetainCommandQueue"))(command_queue) }
}

pub unsafe fn clReleaseCommandQueue(command_queue: cl_command_queue) -> cl_int {
    type Function = unsafe extern "C" fn(cl_command_queue) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clReleaseCommandQueue"))(command_queue) }
}

pub unsafe fn clGetCommandQueueInfo(
    command_queue: cl_command_queue,
    param_name: cl_command_queue_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_command_queue_info,
        usize,
        *mut c_void,
        *mut usize,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetCommandQueueInfo"))(
            command_queue,
            param_name,
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn clCreateBuffer(
    context: cl_context,
    flags: cl_mem_flags,
    size: usize,
    host_ptr: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    type Function = unsafe extern "C" fn(cl_context, cl_mem_flags, usize, *mut c_void, *mut cl_int) -> cl_mem;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clCreateBuffer"))(context, flags, size, host_ptr, errcode_ret)
    }
}

pub unsafe fn clCreateBufferWithProperties(
    context: cl_context,
    properties: *const cl_mem_properties,
    flags: cl_mem_flags,
    size: usize,
    host_ptr: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    type Function = unsafe extern "C" fn(
        cl_context,
        *const cl_mem_properties,
        cl_mem_flags,
        usize,
        *mut c_void,
        *mut cl_int,
    ) -> cl_mem;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clCreateBufferWithProperties"))(
            context,
            properties,
            flags,
            size,
            host_ptr,
            errcode_ret,
        )
    }
}

pub unsafe fn clCreateSubBuffer(
    buffer: cl_mem,
    flags: cl_mem_flags,
    buffer_create_type: cl_buffer_create_type,
    buffer_create_info: *const c_void,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    type Function = unsafe extern "C" fn(
        cl_mem,
        cl_mem_flags,
        cl_buffer_create_type,
        *const c_void,
        *mut cl_int,
    ) -> cl_mem;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clCreateSubBuffer"))(
            buffer,
            flags,
            buffer_create_type,
            buffer_create_info,
            errcode_ret,
        )
    }
}

pub unsafe fn clCreateImage(
    context: cl_context,
    flags: cl_mem_flags,
    image_format: *const cl_image_format,
    image_desc: *const cl_image_desc,
    host_ptr: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    type Function = unsafe extern "C" fn(
        cl_context,
        cl_mem_flags,
        *const cl_image_format,
        *const cl_image_desc,
        *mut c_void,
        *mut cl_int,
    ) -> cl_mem;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clCreateImage"))(
            context,
            flags,
            image_format,
            image_desc,
            host_ptr,
            errcode_ret,
        )
    }
}

pub unsafe fn clCreateImageWithProperties(
    context: cl_context,
    properties: *const cl_mem_properties,
    flags: cl_mem_flags,
    image_format: *const cl_image_format,
    image_desc: *const cl_image_desc,
    host_ptr: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    type Function = unsafe extern "C" fn(
        cl_context,
        *const cl_mem_properties,
        cl_mem_flags,
        *const cl_image_format,
        *const cl_image_desc,
        *mut c_void,
        *mut cl_int,
    ) -> cl_mem;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clCreateImageWithProperties"))(
            context,
            properties,
            flags,
            image_format,
            image_desc,
            host_ptr,
            errcode_ret,
        )
    }
}

pub unsafe fn clCreatePipe(
    context: cl_context,
    flags: cl_mem_flags,
    pipe_packet_size: cl_uint,
    pipe_max_packets: cl_uint,
    properties: *const cl_pipe_properties,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    type Function = unsafe extern "C" fn(
        cl_context,
        cl_mem_flags,
        cl_uint,
        cl_uint,
        *const cl_pipe_properties,
        *mut cl_int,
    ) -> cl_mem;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clCreatePipe"))(
            context,
            flags,
            pipe_packet_size,
            pipe_max_packets,
            properties,
            errcode_ret,
        )
    }
}

pub unsafe fn clRetainMemObject(memobj: cl_mem) -> cl_int {
    type Function = unsafe extern "C" fn(cl_mem) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clRetainMemObject"))(memobj) }
}

pub unsafe fn clReleaseMemObject(memobj: cl_mem) -> cl_int {
    type Function = unsafe extern "C" fn(cl_mem) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clReleaseMemObject"))(memobj) }
}

pub unsafe fn clGetSupportedImageFormats(
    context: cl_context,
    flags: cl_mem_flags,
    image_type: cl_mem_object_type,
    num_entries: cl_uint,
    image_formats: *mut cl_image_format,
    num_image_formats: *mut cl_uint,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_context,
        cl_mem_flags,
        cl_mem_object_type,
        cl_uint,
        *mut cl_image_format,
        *mut cl_uint,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetSupportedImageFormats"))(
            context,
            flags,
            image_type,
            num_entries,
            image_formats,
            num_image_formats,
        )
    }
}

pub unsafe fn clGetMemObjectInfo(
    memobj: cl_mem,
    param_name: cl_mem_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl_int {
    type Function = unsafe extern "C" fn(cl_mem, cl_mem_info, usize, *mut c_void, *mut usize) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetMemObjectInfo"))(
            memobj,
            param_name,
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn clGetImageInfo(
    image: cl_mem,
    param_name: cl_image_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl_int {
    type Function = unsafe extern "C" fn(cl_mem, cl_image_info, usize, *mut c_void, *mut usize) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetImageInfo"))(
            image,
            param_name,
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn clGetPipeInfo(
    pipe: cl_mem,
    param_name: cl_pipe_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl_int {
    type Function = unsafe extern "C" fn(cl_mem, cl_pipe_info, usize, *mut c_void, *mut usize) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetPipeInfo"))(
            pipe,
            param_name,
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn clSetMemObjectDestructorCallback(
    memobj: cl_mem,
    pfn_notify: Option<unsafe extern "C" fn(cl_mem, *mut c_void)>,
    user_data: *mut c_void,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_mem,
        Option<unsafe extern "C" fn(cl_mem, *mut c_void)>,
        *mut c_void,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clSetMemObjectDestructorCallback"))(
            memobj, pfn_notify, user_data,
        )
    }
}

pub unsafe fn clSVMAlloc(
    context: cl_context,
    flags: cl_svm_mem_flags,
    size: usize,
    alignment: cl_uint,
) -> *mut c_void {
    type Function = unsafe extern "C" fn(cl_context, cl_svm_mem_flags, usize, cl_uint) -> *mut c_void;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clSVMAlloc"))(context, flags, size, alignment) }
}

pub unsafe fn clSVMFree(context: cl_context, svm_pointer: *mut c_void) {
    type Function = unsafe extern "C" fn(cl_context, *mut c_void);
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clSVMFree"))(context, svm_pointer) }
}

pub unsafe fn clCreateSamplerWithProperties(
    context: cl_context,
    sampler_properties: *const cl_sampler_properties,
    errcode_ret: *mut cl_int,
) -> cl_sampler {
    type Function = unsafe extern "C" fn(cl_context, *const cl_sampler_properties, *mut cl_int) -> cl_sampler;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clCreateSamplerWithProperties"))(
            context,
            sampler_properties,
            errcode_ret,
        )
    }
}

pub unsafe fn clRetainSampler(sampler: cl_sampler) -> cl_int {
    type Function = unsafe extern "C" fn(cl_sampler) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clRetainSampler"))(sampler) }
}

pub unsafe fn clReleaseSampler(sampler: cl_sampler) -> cl_int {
    type Function = unsafe extern "C" fn(cl_sampler) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clReleaseSampler"))(sampler) }
}

pub unsafe fn clGetSamplerInfo(
    sampler: cl_sampler,
    param_name: cl_sampler_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl_int {
    type Function =
        unsafe extern "C" fn(cl_sampler, cl_sampler_info, usize, *mut c_void, *mut usize) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetSamplerInfo"))(
            sampler,
            param_name,
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn clCreateProgramWithSource(
    context: cl_context,
    count: cl_uint,
    strings: *mut *const c_char,
    lengths: *const usize,
    errcode_ret: *mut cl_int,
) -> cl_program {
    type Function = unsafe extern "C" fn(
        cl_context,
        cl_uint,
        *mut *const c_char,
        *const usize,
        *mut cl_int,
    ) -> cl_program;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clCreateProgramWithSource"))(
            context,
            count,
            strings,
            lengths,
            errcode_ret,
        )
    }
}

pub unsafe fn clCreateProgramWithBinary(
    context: cl_context,
    num_devices: cl_uint,
    device_list: *const cl_device_id,
    lengths: *const usize,
    binaries: *mut *const u8,
    binary_status: *mut cl_int,
    errcode_ret: *mut cl_int,
) -> cl_program {
    type Function = unsafe extern "C" fn(
        cl_context,
        cl_uint,
        *const cl_device_id,
        *const usize,
        *mut *const u8,
        *mut cl_int,
        *mut cl_int,
    ) -> cl_program;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clCreateProgramWithBinary"))(
            context,
            num_devices,
            device_list,
            lengths,
            binaries,
            binary_status,
            errcode_ret,
        )
    }
}

pub unsafe fn clCreateProgramWithBuiltInKernels(
    context: cl_context,
    num_devices: cl_uint,
    device_list: *const cl_device_id,
    kernel_names: *const c_char,
    errcode_ret: *mut cl_int,
) -> cl_program {
    type Function = unsafe extern "C" fn(
        cl_context,
        cl_uint,
        *const cl_device_id,
        *const c_char,
        *mut cl_int,
    ) -> cl_program;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clCreateProgramWithBuiltInKernels"))(
            context,
            num_devices,
            device_list,
            kernel_names,
            errcode_ret,
        )
    }
}

pub unsafe fn clCreateProgramWithIL(
    context: cl_context,
    il: *const c_void,
    length: usize,
    errcode_ret: *mut cl_int,
) -> cl_program {
    type Function = unsafe extern "C" fn(cl_context, *const c_void, usize, *mut cl_int) -> cl_program;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clCreateProgramWithIL"))(context, il, length, errcode_ret)
    }
}

pub unsafe fn clRetainProgram(program: cl_program) -> cl_int {
    type Function = unsafe extern "C" fn(cl_program) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clRetainProgram"))(program) }
}

pub unsafe fn clReleaseProgram(program: cl_program) -> cl_int {
    type Function = unsafe extern "C" fn(cl_program) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clReleaseProgram"))(program) }
}

pub unsafe fn clBuildProgram(
    program: cl_program,
    num_devices: cl_uint,
    device_list: *const cl_device_id,
    options: *const c_char,
    pfn_notify: Option<unsafe extern "C" fn(cl_program, *mut c_void)>,
    user_data: *mut c_void,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_program,
        cl_uint,
        *const cl_device_id,
        *const c_char,
        Option<unsafe extern "C" fn(cl_program, *mut c_void)>,
        *mut c_void,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clBuildProgram"))(
            program,
            num_devices,
            device_list,
            options,
            pfn_notify,
            user_data,
        )
    }
}

pub unsafe fn clCompileProgram(
    program: cl_program,
    num_devices: cl_uint,
    device_list: *const cl_device_id,
    options: *const c_char,
    num_input_headers: cl_uint,
    input_headers: *const cl_program,
    header_include_names: *mut *const c_char,
    pfn_notify: Option<unsafe extern "C" fn(cl_program, *mut c_void)>,
    user_data: *mut c_void,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_program,
        cl_uint,
        *const cl_device_id,
        *const c_char,
        cl_uint,
        *const cl_program,
        *mut *const c_char,
        Option<unsafe extern "C" fn(cl_program, *mut c_void)>,
        *mut c_void,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clCompileProgram"))(
            program,
            num_devices,
            device_list,
            options,
            num_input_headers,
            input_headers,
            header_include_names,
            pfn_notify,
            user_data,
        )
    }
}

pub unsafe fn clLinkProgram(
    context: cl_context,
    num_devices: cl_uint,
    device_list: *const cl_device_id,
    options: *const c_char,
    num_input_programs: cl_uint,
    input_programs: *const cl_program,
    pfn_notify: Option<unsafe extern "C" fn(cl_program, *mut c_void)>,
    user_data: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_program {
    type Function = unsafe extern "C" fn(
        cl_context,
        cl_uint,
        *const cl_device_id,
        *const c_char,
        cl_uint,
        *const cl_program,
        Option<unsafe extern "C" fn(cl_program, *mut c_void)>,
        *mut c_void,
        *mut cl_int,
    ) -> cl_program;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clLinkProgram"))(
            context,
            num_devices,
            device_list,
            options,
            num_input_programs,
            input_programs,
            pfn_notify,
            user_data,
            errcode_ret,
        )
    }
}

pub unsafe fn clSetProgramReleaseCallback(
    program: cl_program,
    pfn_notify: Option<unsafe extern "C" fn(cl_program, *mut c_void)>,
    user_data: *mut c_void,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_program,
        Option<unsafe extern "C" fn(cl_program, *mut c_void)>,
        *mut c_void,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clSetProgramReleaseCallback"))(program, pfn_notify, user_data)
    }
}

pub unsafe fn clSetProgramSpecializationConstant(
    program: cl_program,
    spec_id: cl_uint,
    spec_size: usize,
    spec_value: *const c_void,
) -> cl_int {
    type Function = unsafe extern "C" fn(cl_program, cl_uint, usize, *const c_void) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clSetProgramSpecializationConstant"))(
            program, spec_id, spec_size, spec_value,
        )
    }
}

pub unsafe fn clUnloadPlatformCompiler(platform: cl_platform_id) -> cl_int {
    type Function = unsafe extern "C" fn(cl_platform_id) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clUnloadPlatformCompiler"))(platform) }
}

pub unsafe fn clGetProgramInfo(
    program: cl_program,
    param_name: cl_program_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl_int {
    type Function =
        unsafe extern "C" fn(cl_program, cl_program_info, usize, *mut c_void, *mut usize) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetProgramInfo"))(
            program,
            param_name,
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn clGetProgramBuildInfo(
    program: cl_program,
    device: cl_device_id,
    param_name: cl_program_build_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_program,
        cl_device_id,
        cl_program_build_info,
        usize,
        *mut c_void,
        *mut usize,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetProgramBuildInfo"))(
            program,
            device,
            param_name,
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn clCreateKernel(
    program: cl_program,
    kernel_name: *const c_char,
    errcode_ret: *mut cl_int,
) -> cl_kernel {
    type Function = unsafe extern "C" fn(cl_program, *const c_char, *mut cl_int) -> cl_kernel;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clCreateKernel"))(program, kernel_name, errcode_ret) }
}

pub unsafe fn clCreateKernelsInProgram(
    program: cl_program,
    num_kernels: cl_uint,
    kernels: *mut cl_kernel,
    num_kernels_ret: *mut cl_uint,
) -> cl_int {
    type Function = unsafe extern "C" fn(cl_program, cl_uint, *mut cl_kernel, *mut cl_uint) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clCreateKernelsInProgram"))(
            program,
            num_kernels,
            kernels,
            num_kernels_ret,
        )
    }
}

pub unsafe fn clCloneKernel(source_kernel: cl_kernel, errcode_ret: *mut cl_int) -> cl_kernel {
    type Function = unsafe extern "C" fn(cl_kernel, *mut cl_int) -> cl_kernel;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clCloneKernel"))(source_kernel, errcode_ret) }
}

pub unsafe fn clRetainKernel(kernel: cl_kernel) -> cl_int {
    type Function = unsafe extern "C" fn(cl_kernel) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clRetainKernel"))(kernel) }
}

pub unsafe fn clReleaseKernel(kernel: cl_kernel) -> cl_int {
    type Function = unsafe extern "C" fn(cl_kernel) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clReleaseKernel"))(kernel) }
}

pub unsafe fn clSetKernelArg(
    kernel: cl_kernel,
    arg_index: cl_uint,
    arg_size: usize,
    arg_value: *const c_void,
) -> cl_int {
    type Function = unsafe extern "C" fn(cl_kernel, cl_uint, usize, *const c_void) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clSetKernelArg"))(kernel, arg_index, arg_size, arg_value)
    }
}

pub unsafe fn clSetKernelArgSVMPointer(
    kernel: cl_kernel,
    arg_index: cl_uint,
    arg_value: *const c_void,
) -> cl_int {
    type Function = unsafe extern "C" fn(cl_kernel, cl_uint, *const c_void) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clSetKernelArgSVMPointer"))(kernel, arg_index, arg_value)
    }
}

pub unsafe fn clSetKernelExecInfo(
    kernel: cl_kernel,
    param_name: cl_kernel_exec_info,
    param_value_size: usize,
    param_value: *const c_void,
) -> cl_int {
    type Function = unsafe extern "C" fn(cl_kernel, cl_kernel_exec_info, usize, *const c_void) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clSetKernelExecInfo"))(
            kernel,
            param_name,
            param_value_size,
            param_value,
        )
    }
}

pub unsafe fn clGetKernelInfo(
    kernel: cl_kernel,
    param_name: cl_kernel_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl_int {
    type Function = unsafe extern "C" fn(cl_kernel, cl_kernel_info, usize, *mut c_void, *mut usize) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetKernelInfo"))(
            kernel,
            param_name,
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn clGetKernelArgInfo(
    kernel: cl_kernel,
    arg_index: cl_uint,
    param_name: cl_kernel_arg_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_kernel,
        cl_uint,
        cl_kernel_arg_info,
        usize,
        *mut c_void,
        *mut usize,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetKernelArgInfo"))(
            kernel,
            arg_index,
            param_name,
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn clGetKernelWorkGroupInfo(
    kernel: cl_kernel,
    device: cl_device_id,
    param_name: cl_kernel_work_group_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_kernel,
        cl_device_id,
        cl_kernel_work_group_info,
        usize,
        *mut c_void,
        *mut usize,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetKernelWorkGroupInfo"))(
            kernel,
            device,
            param_name,
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn clGetKernelSubGroupInfo(
    kernel: cl_kernel,
    device: cl_device_id,
    param_name: cl_kernel_sub_group_info,
    input_value_size: usize,
    input_value: *const c_void,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_kernel,
        cl_device_id,
        cl_kernel_sub_group_info,
        usize,
        *const c_void,
        usize,
        *mut c_void,
        *mut usize,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetKernelSubGroupInfo"))(
            kernel,
            device,
            param_name,
            input_value_size,
            input_value,
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn clGetKernelSuggestedLocalWorkSize(
    command_queue: cl_command_queue,
    kernel: cl_kernel,
    work_dim: cl_uint,
    global_work_offset: *const usize,
    global_work_size: *const usize,
    suggested_local_work_size: *mut usize,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_kernel,
        cl_uint,
        *const usize,
        *const usize,
        *mut usize,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetKernelSuggestedLocalWorkSize"))(
            command_queue,
            kernel,
            work_dim,
            global_work_offset,
            global_work_size,
            suggested_local_work_size,
        )
    }
}

pub unsafe fn clWaitForEvents(num_events: cl_uint, event_list: *const cl_event) -> cl_int {
    type Function = unsafe extern "C" fn(cl_uint, *const cl_event) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clWaitForEvents"))(num_events, event_list) }
}

pub unsafe fn clGetEventInfo(
    event: cl_event,
    param_name: cl_event_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl_int {
    type Function = unsafe extern "C" fn(cl_event, cl_event_info, usize, *mut c_void, *mut usize) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetEventInfo"))(
            event,
            param_name,
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn clCreateUserEvent(context: cl_context, errcode_ret: *mut cl_int) -> cl_event {
    type Function = unsafe extern "C" fn(cl_context, *mut cl_int) -> cl_event;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clCreateUserEvent"))(context, errcode_ret) }
}

pub unsafe fn clRetainEvent(event: cl_event) -> cl_int {
    type Function = unsafe extern "C" fn(cl_event) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clRetainEvent"))(event) }
}

pub unsafe fn clReleaseEvent(event: cl_event) -> cl_int {
    type Function = unsafe extern "C" fn(cl_event) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clReleaseEvent"))(event) }
}

pub unsafe fn clSetUserEventStatus(event: cl_event, execution_status: cl_int) -> cl_int {
    type Function = unsafe extern "C" fn(cl_event, cl_int) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clSetUserEventStatus"))(event, execution_status) }
}

pub unsafe fn clSetEventCallback(
    event: cl_event,
    command_exec_callback_type: cl_int,
    pfn_notify: Option<unsafe extern "C" fn(cl_event, cl_int, *mut c_void)>,
    user_data: *mut c_void,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_event,
        cl_int,
        Option<unsafe extern "C" fn(cl_event, cl_int, *mut c_void)>,
        *mut c_void,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clSetEventCallback"))(
            event,
            command_exec_callback_type,
            pfn_notify,
            user_data,
        )
    }
}

pub unsafe fn clGetEventProfilingInfo(
    event: cl_event,
    param_name: cl_profiling_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl_int {
    type Function =
        unsafe extern "C" fn(cl_event, cl_profiling_info, usize, *mut c_void, *mut usize) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetEventProfilingInfo"))(
            event,
            param_name,
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn clFlush(command_queue: cl_command_queue) -> cl_int {
    type Function = unsafe extern "C" fn(cl_command_queue) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clFlush"))(command_queue) }
}

pub unsafe fn clFinish(command_queue: cl_command_queue) -> cl_int {
    type Function = unsafe extern "C" fn(cl_command_queue) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clFinish"))(command_queue) }
}

pub unsafe fn clEnqueueReadBuffer(
    command_queue: cl_command_queue,
    buffer: cl_mem,
    blocking_read: cl_bool,
    offset: usize,
    size: usize,
    ptr: *mut c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        cl_bool,
        usize,
        usize,
        *mut c_void,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueReadBuffer"))(
            command_queue,
            buffer,
            blocking_read,
            offset,
            size,
            ptr,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueReadBufferRect(
    command_queue: cl_command_queue,
    buffer: cl_mem,
    blocking_read: cl_bool,
    buffer_origin: *const usize,
    host_origin: *const usize,
    region: *const usize,
    buffer_row_pitch: usize,
    buffer_slice_pitch: usize,
    host_row_pitch: usize,
    host_slice_pitch: usize,
    ptr: *mut c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        cl_bool,
        *const usize,
        *const usize,
        *const usize,
        usize,
        usize,
        usize,
        usize,
        *mut c_void,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueReadBufferRect"))(
            command_queue,
            buffer,
            blocking_read,
            buffer_origin,
            host_origin,
            region,
            buffer_row_pitch,
            buffer_slice_pitch,
            host_row_pitch,
            host_slice_pitch,
            ptr,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueWriteBuffer(
    command_queue: cl_command_queue,
    buffer: cl_mem,
    blocking_write: cl_bool,
    offset: usize,
    size: usize,
    ptr: *const c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        cl_bool,
        usize,
        usize,
        *const c_void,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueWriteBuffer"))(
            command_queue,
            buffer,
            blocking_write,
            offset,
            size,
            ptr,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueWriteBufferRect(
    command_queue: cl_command_queue,
    buffer: cl_mem,
    blocking_write: cl_bool,
    buffer_origin: *const usize,
    host_origin: *const usize,
    region: *const usize,
    buffer_row_pitch: usize,
    buffer_slice_pitch: usize,
    host_row_pitch: usize,
    host_slice_pitch: usize,
    ptr: *const c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        cl_bool,
        *const usize,
        *const usize,
        *const usize,
        usize,
        usize,
        usize,
        usize,
        *const c_void,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueWriteBufferRect"))(
            command_queue,
            buffer,
            blocking_write,
            buffer_origin,
            host_origin,
            region,
            buffer_row_pitch,
            buffer_slice_pitch,
            host_row_pitch,
            host_slice_pitch,
            ptr,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueFillBuffer(
    command_queue: cl_command_queue,
    buffer: cl_mem,
    pattern: *const c_void,
    pattern_size: usize,
    offset: usize,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        *const c_void,
        usize,
        usize,
        usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueFillBuffer"))(
            command_queue,
            buffer,
            pattern,
            pattern_size,
            offset,
            size,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueCopyBuffer(
    command_queue: cl_command_queue,
    src_buffer: cl_mem,
    dst_buffer: cl_mem,
    src_offset: usize,
    dst_offset: usize,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        cl_mem,
        usize,
        usize,
        usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueCopyBuffer"))(
            command_queue,
            src_buffer,
            dst_buffer,
            src_offset,
            dst_offset,
            size,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueCopyBufferRect(
    command_queue: cl_command_queue,
    src_buffer: cl_mem,
    dst_buffer: cl_mem,
    src_origin: *const usize,
    dst_origin: *const usize,
    region: *const usize,
    src_row_pitch: usize,
    src_slice_pitch: usize,
    dst_row_pitch: usize,
    dst_slice_pitch: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        cl_mem,
        *const usize,
        *const usize,
        *const usize,
        usize,
        usize,
        usize,
        usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueCopyBufferRect"))(
            command_queue,
            src_buffer,
            dst_buffer,
            src_origin,
            dst_origin,
            region,
            src_row_pitch,
            src_slice_pitch,
            dst_row_pitch,
            dst_slice_pitch,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueReadImage(
    command_queue: cl_command_queue,
    image: cl_mem,
    blocking_read: cl_bool,
    origin: *const usize,
    region: *const usize,
    row_pitch: usize,
    slice_pitch: usize,
    ptr: *mut c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        cl_bool,
        *const usize,
        *const usize,
        usize,
        usize,
        *mut c_void,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueReadImage"))(
            command_queue,
            image,
            blocking_read,
            origin,
            region,
            row_pitch,
            slice_pitch,
            ptr,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueWriteImage(
    command_queue: cl_command_queue,
    image: cl_mem,
    blocking_write: cl_bool,
    origin: *const usize,
    region: *const usize,
    input_row_pitch: usize,
    input_slice_pitch: usize,
    ptr: *const c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        cl_bool,
        *const usize,
        *const usize,
        usize,
        usize,
        *const c_void,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueWriteImage"))(
            command_queue,
            image,
            blocking_write,
            origin,
            region,
            input_row_pitch,
            input_slice_pitch,
            ptr,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueFillImage(
    command_queue: cl_command_queue,
    image: cl_mem,
    fill_color: *const c_void,
    origin: *const usize,
    region: *const usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        *const c_void,
        *const usize,
        *const usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueFillImage"))(
            command_queue,
            image,
            fill_color,
            origin,
            region,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueCopyImage(
    command_queue: cl_command_queue,
    src_image: cl_mem,
    dst_image: cl_mem,
    src_origin: *const usize,
    dst_origin: *const usize,
    region: *const usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        cl_mem,
        *const usize,
        *const usize,
        *const usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueCopyImage"))(
            command_queue,
            src_image,
            dst_image,
            src_origin,
            dst_origin,
            region,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueCopyImageToBuffer(
    command_queue: cl_command_queue,
    src_image: cl_mem,
    dst_buffer: cl_mem,
    src_origin: *const usize,
    region: *const usize,
    dst_offset: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        cl_mem,
        *const usize,
        *const usize,
        usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueCopyImageToBuffer"))(
            command_queue,
            src_image,
            dst_buffer,
            src_origin,
            region,
            dst_offset,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueCopyBufferToImage(
    command_queue: cl_command_queue,
    src_buffer: cl_mem,
    dst_image: cl_mem,
    src_offset: usize,
    dst_origin: *const usize,
    region: *const usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        cl_mem,
        usize,
        *const usize,
        *const usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueCopyBufferToImage"))(
            command_queue,
            src_buffer,
            dst_image,
            src_offset,
            dst_origin,
            region,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueMapBuffer(
    command_queue: cl_command_queue,
    buffer: cl_mem,
    blocking_map: cl_bool,
    map_flags: cl_map_flags,
    offset: usize,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
    errcode_ret: *mut cl_int,
) -> *mut c_void {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        cl_bool,
        cl_map_flags,
        usize,
        usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
        *mut cl_int,
    ) -> *mut c_void;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueMapBuffer"))(
            command_queue,
            buffer,
            blocking_map,
            map_flags,
            offset,
            size,
            num_events_in_wait_list,
            event_wait_list,
            event,
            errcode_ret,
        )
    }
}

pub unsafe fn clEnqueueMapImage(
    command_queue: cl_command_queue,
    image: cl_mem,
    blocking_map: cl_bool,
    map_flags: cl_map_flags,
    origin: *const usize,
    region: *const usize,
    image_row_pitch: *mut usize,
    image_slice_pitch: *mut usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
    errcode_ret: *mut cl_int,
) -> *mut c_void {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        cl_bool,
        cl_map_flags,
        *const usize,
        *const usize,
        *mut usize,
        *mut usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
        *mut cl_int,
    ) -> *mut c_void;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueMapImage"))(
            command_queue,
            image,
            blocking_map,
            map_flags,
            origin,
            region,
            image_row_pitch,
            image_slice_pitch,
            num_events_in_wait_list,
            event_wait_list,
            event,
            errcode_ret,
        )
    }
}

pub unsafe fn clEnqueueUnmapMemObject(
    command_queue: cl_command_queue,
    memobj: cl_mem,
    mapped_ptr: *mut c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        *mut c_void,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueUnmapMemObject"))(
            command_queue,
            memobj,
            mapped_ptr,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueMigrateMemObjects(
    command_queue: cl_command_queue,
    num_mem_objects: cl_uint,
    mem_objects: *const cl_mem,
    flags: cl_mem_migration_flags,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_uint,
        *const cl_mem,
        cl_mem_migration_flags,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueMigrateMemObjects"))(
            command_queue,
            num_mem_objects,
            mem_objects,
            flags,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueNDRangeKernel(
    command_queue: cl_command_queue,
    kernel: cl_kernel,
    work_dim: cl_uint,
    global_work_offset: *const usize,
    global_work_size: *const usize,
    local_work_size: *const usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_kernel,
        cl_uint,
        *const usize,
        *const usize,
        *const usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueNDRangeKernel"))(
            command_queue,
            kernel,
            work_dim,
            global_work_offset,
            global_work_size,
            local_work_size,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueNativeKernel(
    command_queue: cl_command_queue,
    user_func: Option<unsafe extern "C" fn(*mut c_void)>,
    args: *mut c_void,
    cb_args: usize,
    num_mem_objects: cl_uint,
    mem_list: *const cl_mem,
    args_mem_loc: *mut *const c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        Option<unsafe extern "C" fn(*mut c_void)>,
        *mut c_void,
        usize,
        cl_uint,
        *const cl_mem,
        *mut *const c_void,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueNativeKernel"))(
            command_queue,
            user_func,
            args,
            cb_args,
            num_mem_objects,
            mem_list,
            args_mem_loc,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueMarkerWithWaitList(
    command_queue: cl_command_queue,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(cl_command_queue, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueMarkerWithWaitList"))(
            command_queue,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueBarrierWithWaitList(
    command_queue: cl_command_queue,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(cl_command_queue, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueBarrierWithWaitList"))(
            command_queue,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueSVMFree(
    command_queue: cl_command_queue,
    num_svm_pointers: cl_uint,
    svm_pointers: *mut *mut c_void,
    pfn_free_func: Option<unsafe extern "C" fn(cl_command_queue, cl_uint, *mut *mut c_void, *mut c_void)>,
    user_data: *mut c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_uint,
        *mut *mut c_void,
        Option<unsafe extern "C" fn(cl_command_queue, cl_uint, *mut *mut c_void, *mut c_void)>,
        *mut c_void,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueSVMFree"))(
            command_queue,
            num_svm_pointers,
            svm_pointers,
            pfn_free_func,
            user_data,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueSVMMemcpy(
    command_queue: cl_command_queue,
    blocking_copy: cl_bool,
    dst_ptr: *mut c_void,
    src_ptr: *const c_void,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_bool,
        *mut c_void,
        *const c_void,
        usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueSVMMemcpy"))(
            command_queue,
            blocking_copy,
            dst_ptr,
            src_ptr,
            size,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueSVMMemFill(
    command_queue: cl_command_queue,
    svm_ptr: *mut c_void,
    pattern: *const c_void,
    pattern_size: usize,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        *mut c_void,
        *const c_void,
        usize,
        usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueSVMMemFill"))(
            command_queue,
            svm_ptr,
            pattern,
            pattern_size,
            size,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueSVMMap(
    command_queue: cl_command_queue,
    blocking_map: cl_bool,
    flags: cl_map_flags,
    svm_ptr: *mut c_void,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_bool,
        cl_map_flags,
        *mut c_void,
        usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueSVMMap"))(
            command_queue,
            blocking_map,
            flags,
            svm_ptr,
            size,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueSVMUnmap(
    command_queue: cl_command_queue,
    svm_ptr: *mut c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        *mut c_void,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueSVMUnmap"))(
            command_queue,
            svm_ptr,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clEnqueueSVMMigrateMem(
    command_queue: cl_command_queue,
    num_svm_pointers: cl_uint,
    svm_pointers: *mut *const c_void,
    sizes: *const usize,
    flags: cl_mem_migration_flags,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_uint,
        *mut *const c_void,
        *const usize,
        cl_mem_migration_flags,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueSVMMigrateMem"))(
            command_queue,
            num_svm_pointers,
            svm_pointers,
            sizes,
            flags,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn clGetExtensionFunctionAddressForPlatform(
    platform: cl_platform_id,
    func_name: *const c_char,
) -> *mut c_void {
    type Function = unsafe extern "C" fn(cl_platform_id, *const c_char) -> *mut c_void;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clGetExtensionFunctionAddressForPlatform"))(
            platform, func_name,
        )
    }
}

pub unsafe fn clSetCommandQueueProperty(
    command_queue: cl_command_queue,
    properties: cl_command_queue_properties,
    enable: cl_bool,
    old_properties: *mut cl_command_queue_properties,
) -> cl_int {
    type Function = unsafe extern "C" fn(
        cl_command_queue,
        cl_command_queue_properties,
        cl_bool,
        *mut cl_command_queue_properties,
    ) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clSetCommandQueueProperty"))(
            command_queue,
            properties,
            enable,
            old_properties,
        )
    }
}

pub unsafe fn clCreateImage2D(
    context: cl_context,
    flags: cl_mem_flags,
    image_format: *const cl_image_format,
    image_width: usize,
    image_height: usize,
    image_row_pitch: usize,
    host_ptr: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    type Function = unsafe extern "C" fn(
        cl_context,
        cl_mem_flags,
        *const cl_image_format,
        usize,
        usize,
        usize,
        *mut c_void,
        *mut cl_int,
    ) -> cl_mem;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clCreateImage2D"))(
            context,
            flags,
            image_format,
            image_width,
            image_height,
            image_row_pitch,
            host_ptr,
            errcode_ret,
        )
    }
}

pub unsafe fn clCreateImage3D(
    context: cl_context,
    flags: cl_mem_flags,
    image_format: *const cl_image_format,
    image_width: usize,
    image_height: usize,
    image_depth: usize,
    image_row_pitch: usize,
    image_slice_pitch: usize,
    host_ptr: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    type Function = unsafe extern "C" fn(
        cl_context,
        cl_mem_flags,
        *const cl_image_format,
        usize,
        usize,
        usize,
        usize,
        usize,
        *mut c_void,
        *mut cl_int,
    ) -> cl_mem;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clCreateImage3D"))(
            context,
            flags,
            image_format,
            image_width,
            image_height,
            image_depth,
            image_row_pitch,
            image_slice_pitch,
            host_ptr,
            errcode_ret,
        )
    }
}

pub unsafe fn clEnqueueMarker(command_queue: cl_command_queue, event: *mut cl_event) -> cl_int {
    type Function = unsafe extern "C" fn(cl_command_queue, *mut cl_event) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clEnqueueMarker"))(command_queue, event) }
}

pub unsafe fn clEnqueueWaitForEvents(
    command_queue: cl_command_queue,
    num_events: cl_uint,
    event_list: *const cl_event,
) -> cl_int {
    type Function = unsafe extern "C" fn(cl_command_queue, cl_uint, *const cl_event) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueWaitForEvents"))(
            command_queue,
            num_events,
            event_list,
        )
    }
}

pub unsafe fn clEnqueueBarrier(command_queue: cl_command_queue) -> cl_int {
    type Function = unsafe extern "C" fn(cl_command_queue) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clEnqueueBarrier"))(command_queue) }
}

pub unsafe fn clUnloadCompiler() -> cl_int {
    type Function = unsafe extern "C" fn() -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clUnloadCompiler"))() }
}

pub unsafe fn clGetExtensionFunctionAddress(func_name: *const c_char) -> *mut c_void {
    type Function = unsafe extern "C" fn(*const c_char) -> *mut c_void;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe { FUNCTION.get_or_init(|| super::symbol("clGetExtensionFunctionAddress"))(func_name) }
}

pub unsafe fn clCreateCommandQueue(
    context: cl_context,
    device: cl_device_id,
    properties: cl_command_queue_properties,
    errcode_ret: *mut cl_int,
) -> cl_command_queue {
    type Function = unsafe extern "C" fn(
        cl_context,
        cl_device_id,
        cl_command_queue_properties,
        *mut cl_int,
    ) -> cl_command_queue;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clCreateCommandQueue"))(
            context,
            device,
            properties,
            errcode_ret,
        )
    }
}

pub unsafe fn clCreateSampler(
    context: cl_context,
    normalized_coords: cl_bool,
    addressing_mode: cl_addressing_mode,
    filter_mode: cl_filter_mode,
    errcode_ret: *mut cl_int,
) -> cl_sampler {
    type Function = unsafe extern "C" fn(
        cl_context,
        cl_bool,
        cl_addressing_mode,
        cl_filter_mode,
        *mut cl_int,
    ) -> cl_sampler;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clCreateSampler"))(
            context,
            normalized_coords,
            addressing_mode,
            filter_mode,
            errcode_ret,
        )
    }
}

pub unsafe fn clEnqueueTask(
    command_queue: cl_command_queue,
    kernel: cl_kernel,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    type Function =
        unsafe extern "C" fn(cl_command_queue, cl_kernel, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    static FUNCTION: OnceLock<Function> = OnceLock::new();
    // SAFETY: the loader's function of that name has that type; the caller keeps the API's contract.
    unsafe {
        FUNCTION.get_or_init(|| super::symbol("clEnqueueTask"))(
            command_queue,
            kernel,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

/// Calls with a handle to test and nothing else: name, type of the handle, the call. A function without an error
/// code answers -1 for NULL.
pub type BadCall = (&'static str, &'static str, fn(*mut c_void) -> cl_int);

/// Every core function that takes a handle first.
pub const BAD_CALLS: &[BadCall] = &[
    ("clGetPlatformInfo", "cl_platform_id", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clGetPlatformInfo(handle.cast(), 0, 0, std::ptr::null_mut(), std::ptr::null_mut());
        }
        code
    }),
    ("clGetDeviceIDs", "cl_platform_id", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clGetDeviceIDs(handle.cast(), 0, 0, std::ptr::null_mut(), std::ptr::null_mut());
        }
        code
    }),
    ("clGetDeviceInfo", "cl_device_id", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clGetDeviceInfo(handle.cast(), 0, 0, std::ptr::null_mut(), std::ptr::null_mut());
        }
        code
    }),
    ("clCreateSubDevices", "cl_device_id", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clCreateSubDevices(
                handle.cast(),
                std::ptr::null(),
                0,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clRetainDevice", "cl_device_id", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clRetainDevice(handle.cast());
        }
        code
    }),
    ("clReleaseDevice", "cl_device_id", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clReleaseDevice(handle.cast());
        }
        code
    }),
    ("clSetDefaultDeviceCommandQueue", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clSetDefaultDeviceCommandQueue(handle.cast(), std::ptr::null_mut(), std::ptr::null_mut());
        }
        code
    }),
    ("clGetDeviceAndHostTimer", "cl_device_id", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clGetDeviceAndHostTimer(handle.cast(), std::ptr::null_mut(), std::ptr::null_mut());
        }
        code
    }),
    ("clGetHostTimer", "cl_device_id", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clGetHostTimer(handle.cast(), std::ptr::null_mut());
        }
        code
    }),
    ("clRetainContext", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clRetainContext(handle.cast());
        }
        code
    }),
    ("clReleaseContext", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clReleaseContext(handle.cast());
        }
        code
    }),
    ("clGetContextInfo", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clGetContextInfo(handle.cast(), 0, 0, std::ptr::null_mut(), std::ptr::null_mut());
        }
        code
    }),
    ("clSetContextDestructorCallback", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clSetContextDestructorCallback(handle.cast(), None, std::ptr::null_mut());
        }
        code
    }),
    ("clCreateCommandQueueWithProperties", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(
                clCreateCommandQueueWithProperties(
                    handle.cast(),
                    std::ptr::null_mut(),
                    std::ptr::null(),
                    &mut code
                )
                .is_null()
            );
        }
        code
    }),
    ("clRetainCommandQueue", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clRetainCommandQueue(handle.cast());
        }
        code
    }),
    ("clReleaseCommandQueue", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clReleaseCommandQueue(handle.cast());
        }
        code
    }),
    ("clGetCommandQueueInfo", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clGetCommandQueueInfo(handle.cast(), 0, 0, std::ptr::null_mut(), std::ptr::null_mut());
        }
        code
    }),
    ("clCreateBuffer", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(clCreateBuffer(handle.cast(), 0, 0, std::ptr::null_mut(), &mut code).is_null());
        }
        code
    }),
    ("clCreateBufferWithProperties", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(
                clCreateBufferWithProperties(
                    handle.cast(),
                    std::ptr::null(),
                    0,
                    0,
                    std::ptr::null_mut(),
                    &mut code
                )
                .is_null()
            );
        }
        code
    }),
    ("clCreateSubBuffer", "cl_mem", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(clCreateSubBuffer(handle.cast(), 0, 0, std::ptr::null(), &mut code).is_null());
        }
        code
    }),
    ("clCreateImage", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(
                clCreateImage(
                    handle.cast(),
                    0,
                    std::ptr::null(),
                    std::ptr::null(),
                    std::ptr::null_mut(),
                    &mut code
                )
                .is_null()
            );
        }
        code
    }),
    ("clCreateImageWithProperties", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(
                clCreateImageWithProperties(
                    handle.cast(),
                    std::ptr::null(),
                    0,
                    std::ptr::null(),
                    std::ptr::null(),
                    std::ptr::null_mut(),
                    &mut code
                )
                .is_null()
            );
        }
        code
    }),
    ("clCreatePipe", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(clCreatePipe(handle.cast(), 0, 0, 0, std::ptr::null(), &mut code).is_null());
        }
        code
    }),
    ("clRetainMemObject", "cl_mem", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clRetainMemObject(handle.cast());
        }
        code
    }),
    ("clReleaseMemObject", "cl_mem", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clReleaseMemObject(handle.cast());
        }
        code
    }),
    ("clGetSupportedImageFormats", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clGetSupportedImageFormats(
                handle.cast(),
                0,
                0,
                0,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clGetMemObjectInfo", "cl_mem", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clGetMemObjectInfo(handle.cast(), 0, 0, std::ptr::null_mut(), std::ptr::null_mut());
        }
        code
    }),
    ("clGetImageInfo", "cl_mem", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clGetImageInfo(handle.cast(), 0, 0, std::ptr::null_mut(), std::ptr::null_mut());
        }
        code
    }),
    ("clGetPipeInfo", "cl_mem", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clGetPipeInfo(handle.cast(), 0, 0, std::ptr::null_mut(), std::ptr::null_mut());
        }
        code
    }),
    ("clSetMemObjectDestructorCallback", "cl_mem", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clSetMemObjectDestructorCallback(handle.cast(), None, std::ptr::null_mut());
        }
        code
    }),
    ("clSVMAlloc", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = i32::from(clSVMAlloc(handle.cast(), 0, 0, 0).is_null()) - 2;
        }
        code
    }),
    ("clCreateSamplerWithProperties", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(clCreateSamplerWithProperties(handle.cast(), std::ptr::null(), &mut code).is_null());
        }
        code
    }),
    ("clRetainSampler", "cl_sampler", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clRetainSampler(handle.cast());
        }
        code
    }),
    ("clReleaseSampler", "cl_sampler", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clReleaseSampler(handle.cast());
        }
        code
    }),
    ("clGetSamplerInfo", "cl_sampler", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clGetSamplerInfo(handle.cast(), 0, 0, std::ptr::null_mut(), std::ptr::null_mut());
        }
        code
    }),
    ("clCreateProgramWithSource", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(
                clCreateProgramWithSource(
                    handle.cast(),
                    0,
                    std::ptr::null_mut(),
                    std::ptr::null(),
                    &mut code
                )
                .is_null()
            );
        }
        code
    }),
    ("clCreateProgramWithBinary", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(
                clCreateProgramWithBinary(
                    handle.cast(),
                    0,
                    std::ptr::null(),
                    std::ptr::null(),
                    std::ptr::null_mut(),
                    std::ptr::null_mut(),
                    &mut code
                )
                .is_null()
            );
        }
        code
    }),
    ("clCreateProgramWithBuiltInKernels", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(
                clCreateProgramWithBuiltInKernels(
                    handle.cast(),
                    0,
                    std::ptr::null(),
                    std::ptr::null(),
                    &mut code
                )
                .is_null()
            );
        }
        code
    }),
    ("clCreateProgramWithIL", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(clCreateProgramWithIL(handle.cast(), std::ptr::null(), 0, &mut code).is_null());
        }
        code
    }),
    ("clRetainProgram", "cl_program", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clRetainProgram(handle.cast());
        }
        code
    }),
    ("clReleaseProgram", "cl_program", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clReleaseProgram(handle.cast());
        }
        code
    }),
    ("clBuildProgram", "cl_program", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clBuildProgram(
                handle.cast(),
                0,
                std::ptr::null(),
                std::ptr::null(),
                None,
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clCompileProgram", "cl_program", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clCompileProgram(
                handle.cast(),
                0,
                std::ptr::null(),
                std::ptr::null(),
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
                None,
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clLinkProgram", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(
                clLinkProgram(
                    handle.cast(),
                    0,
                    std::ptr::null(),
                    std::ptr::null(),
                    0,
                    std::ptr::null(),
                    None,
                    std::ptr::null_mut(),
                    &mut code
                )
                .is_null()
            );
        }
        code
    }),
    ("clSetProgramReleaseCallback", "cl_program", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clSetProgramReleaseCallback(handle.cast(), None, std::ptr::null_mut());
        }
        code
    }),
    ("clSetProgramSpecializationConstant", "cl_program", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clSetProgramSpecializationConstant(handle.cast(), 0, 0, std::ptr::null());
        }
        code
    }),
    ("clUnloadPlatformCompiler", "cl_platform_id", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clUnloadPlatformCompiler(handle.cast());
        }
        code
    }),
    ("clGetProgramInfo", "cl_program", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clGetProgramInfo(handle.cast(), 0, 0, std::ptr::null_mut(), std::ptr::null_mut());
        }
        code
    }),
    ("clGetProgramBuildInfo", "cl_program", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clGetProgramBuildInfo(
                handle.cast(),
                std::ptr::null_mut(),
                0,
                0,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clCreateKernel", "cl_program", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(clCreateKernel(handle.cast(), std::ptr::null(), &mut code).is_null());
        }
        code
    }),
    ("clCreateKernelsInProgram", "cl_program", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clCreateKernelsInProgram(handle.cast(), 0, std::ptr::null_mut(), std::ptr::null_mut());
        }
        code
    }),
    ("clCloneKernel", "cl_kernel", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(clCloneKernel(handle.cast(), &mut code).is_null());
        }
        code
    }),
    ("clRetainKernel", "cl_kernel", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clRetainKernel(handle.cast());
        }
        code
    }),
    ("clReleaseKernel", "cl_kernel", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clReleaseKernel(handle.cast());
        }
        code
    }),
    ("clSetKernelArg", "cl_kernel", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clSetKernelArg(handle.cast(), 0, 0, std::ptr::null());
        }
        code
    }),
    ("clSetKernelArgSVMPointer", "cl_kernel", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clSetKernelArgSVMPointer(handle.cast(), 0, std::ptr::null());
        }
        code
    }),
    ("clSetKernelExecInfo", "cl_kernel", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clSetKernelExecInfo(handle.cast(), 0, 0, std::ptr::null());
        }
        code
    }),
    ("clGetKernelInfo", "cl_kernel", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clGetKernelInfo(handle.cast(), 0, 0, std::ptr::null_mut(), std::ptr::null_mut());
        }
        code
    }),
    ("clGetKernelArgInfo", "cl_kernel", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clGetKernelArgInfo(handle.cast(), 0, 0, 0, std::ptr::null_mut(), std::ptr::null_mut());
        }
        code
    }),
    ("clGetKernelWorkGroupInfo", "cl_kernel", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clGetKernelWorkGroupInfo(
                handle.cast(),
                std::ptr::null_mut(),
                0,
                0,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clGetKernelSubGroupInfo", "cl_kernel", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clGetKernelSubGroupInfo(
                handle.cast(),
                std::ptr::null_mut(),
                0,
                0,
                std::ptr::null(),
                0,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clGetKernelSuggestedLocalWorkSize", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clGetKernelSuggestedLocalWorkSize(
                handle.cast(),
                std::ptr::null_mut(),
                0,
                std::ptr::null(),
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clGetEventInfo", "cl_event", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clGetEventInfo(handle.cast(), 0, 0, std::ptr::null_mut(), std::ptr::null_mut());
        }
        code
    }),
    ("clCreateUserEvent", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(clCreateUserEvent(handle.cast(), &mut code).is_null());
        }
        code
    }),
    ("clRetainEvent", "cl_event", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clRetainEvent(handle.cast());
        }
        code
    }),
    ("clReleaseEvent", "cl_event", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clReleaseEvent(handle.cast());
        }
        code
    }),
    ("clSetUserEventStatus", "cl_event", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clSetUserEventStatus(handle.cast(), 0);
        }
        code
    }),
    ("clSetEventCallback", "cl_event", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clSetEventCallback(handle.cast(), 0, None, std::ptr::null_mut());
        }
        code
    }),
    ("clGetEventProfilingInfo", "cl_event", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clGetEventProfilingInfo(handle.cast(), 0, 0, std::ptr::null_mut(), std::ptr::null_mut());
        }
        code
    }),
    ("clFlush", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clFlush(handle.cast());
        }
        code
    }),
    ("clFinish", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clFinish(handle.cast());
        }
        code
    }),
    ("clEnqueueReadBuffer", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueReadBuffer(
                handle.cast(),
                std::ptr::null_mut(),
                0,
                0,
                0,
                std::ptr::null_mut(),
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueReadBufferRect", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueReadBufferRect(
                handle.cast(),
                std::ptr::null_mut(),
                0,
                std::ptr::null(),
                std::ptr::null(),
                std::ptr::null(),
                0,
                0,
                0,
                0,
                std::ptr::null_mut(),
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueWriteBuffer", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueWriteBuffer(
                handle.cast(),
                std::ptr::null_mut(),
                0,
                0,
                0,
                std::ptr::null(),
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueWriteBufferRect", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueWriteBufferRect(
                handle.cast(),
                std::ptr::null_mut(),
                0,
                std::ptr::null(),
                std::ptr::null(),
                std::ptr::null(),
                0,
                0,
                0,
                0,
                std::ptr::null(),
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueFillBuffer", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueFillBuffer(
                handle.cast(),
                std::ptr::null_mut(),
                std::ptr::null(),
                0,
                0,
                0,
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueCopyBuffer", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueCopyBuffer(
                handle.cast(),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                0,
                0,
                0,
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueCopyBufferRect", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueCopyBufferRect(
                handle.cast(),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                std::ptr::null(),
                std::ptr::null(),
                std::ptr::null(),
                0,
                0,
                0,
                0,
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueReadImage", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueReadImage(
                handle.cast(),
                std::ptr::null_mut(),
                0,
                std::ptr::null(),
                std::ptr::null(),
                0,
                0,
                std::ptr::null_mut(),
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueWriteImage", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueWriteImage(
                handle.cast(),
                std::ptr::null_mut(),
                0,
                std::ptr::null(),
                std::ptr::null(),
                0,
                0,
                std::ptr::null(),
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueFillImage", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueFillImage(
                handle.cast(),
                std::ptr::null_mut(),
                std::ptr::null(),
                std::ptr::null(),
                std::ptr::null(),
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueCopyImage", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueCopyImage(
                handle.cast(),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                std::ptr::null(),
                std::ptr::null(),
                std::ptr::null(),
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueCopyImageToBuffer", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueCopyImageToBuffer(
                handle.cast(),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                std::ptr::null(),
                std::ptr::null(),
                0,
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueCopyBufferToImage", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueCopyBufferToImage(
                handle.cast(),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                0,
                std::ptr::null(),
                std::ptr::null(),
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueMapBuffer", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(
                clEnqueueMapBuffer(
                    handle.cast(),
                    std::ptr::null_mut(),
                    0,
                    0,
                    0,
                    0,
                    0,
                    std::ptr::null(),
                    std::ptr::null_mut(),
                    &mut code
                )
                .is_null()
            );
        }
        code
    }),
    ("clEnqueueMapImage", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(
                clEnqueueMapImage(
                    handle.cast(),
                    std::ptr::null_mut(),
                    0,
                    0,
                    std::ptr::null(),
                    std::ptr::null(),
                    std::ptr::null_mut(),
                    std::ptr::null_mut(),
                    0,
                    std::ptr::null(),
                    std::ptr::null_mut(),
                    &mut code
                )
                .is_null()
            );
        }
        code
    }),
    ("clEnqueueUnmapMemObject", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueUnmapMemObject(
                handle.cast(),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueMigrateMemObjects", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueMigrateMemObjects(
                handle.cast(),
                0,
                std::ptr::null(),
                0,
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueNDRangeKernel", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueNDRangeKernel(
                handle.cast(),
                std::ptr::null_mut(),
                0,
                std::ptr::null(),
                std::ptr::null(),
                std::ptr::null(),
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueNativeKernel", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueNativeKernel(
                handle.cast(),
                None,
                std::ptr::null_mut(),
                0,
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueMarkerWithWaitList", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueMarkerWithWaitList(handle.cast(), 0, std::ptr::null(), std::ptr::null_mut());
        }
        code
    }),
    ("clEnqueueBarrierWithWaitList", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueBarrierWithWaitList(handle.cast(), 0, std::ptr::null(), std::ptr::null_mut());
        }
        code
    }),
    ("clEnqueueSVMFree", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueSVMFree(
                handle.cast(),
                0,
                std::ptr::null_mut(),
                None,
                std::ptr::null_mut(),
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueSVMMemcpy", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueSVMMemcpy(
                handle.cast(),
                0,
                std::ptr::null_mut(),
                std::ptr::null(),
                0,
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueSVMMemFill", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueSVMMemFill(
                handle.cast(),
                std::ptr::null_mut(),
                std::ptr::null(),
                0,
                0,
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueSVMMap", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueSVMMap(
                handle.cast(),
                0,
                0,
                std::ptr::null_mut(),
                0,
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueSVMUnmap", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueSVMUnmap(
                handle.cast(),
                std::ptr::null_mut(),
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clEnqueueSVMMigrateMem", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueSVMMigrateMem(
                handle.cast(),
                0,
                std::ptr::null_mut(),
                std::ptr::null(),
                0,
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
        }
        code
    }),
    ("clGetExtensionFunctionAddressForPlatform", "cl_platform_id", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = i32::from(
                clGetExtensionFunctionAddressForPlatform(handle.cast(), std::ptr::null()).is_null(),
            ) - 2;
        }
        code
    }),
    ("clSetCommandQueueProperty", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clSetCommandQueueProperty(handle.cast(), 0, 0, std::ptr::null_mut());
        }
        code
    }),
    ("clCreateImage2D", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(
                clCreateImage2D(handle.cast(), 0, std::ptr::null(), 0, 0, 0, std::ptr::null_mut(), &mut code)
                    .is_null()
            );
        }
        code
    }),
    ("clCreateImage3D", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(
                clCreateImage3D(
                    handle.cast(),
                    0,
                    std::ptr::null(),
                    0,
                    0,
                    0,
                    0,
                    0,
                    std::ptr::null_mut(),
                    &mut code
                )
                .is_null()
            );
        }
        code
    }),
    ("clEnqueueMarker", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueMarker(handle.cast(), std::ptr::null_mut());
        }
        code
    }),
    ("clEnqueueWaitForEvents", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueWaitForEvents(handle.cast(), 0, std::ptr::null());
        }
        code
    }),
    ("clEnqueueBarrier", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code = clEnqueueBarrier(handle.cast());
        }
        code
    }),
    ("clCreateCommandQueue", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(clCreateCommandQueue(handle.cast(), std::ptr::null_mut(), 0, &mut code).is_null());
        }
        code
    }),
    ("clCreateSampler", "cl_context", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            assert!(clCreateSampler(handle.cast(), 0, 0, 0, &mut code).is_null());
        }
        code
    }),
    ("clEnqueueTask", "cl_command_queue", |handle| {
        let mut code = 0;
        let _ = &mut code;
        // SAFETY: every pointer but the handle is NULL or valid; the handle is what is tested.
        unsafe {
            code =
                clEnqueueTask(handle.cast(), std::ptr::null_mut(), 0, std::ptr::null(), std::ptr::null_mut());
        }
        code
    }),
];
