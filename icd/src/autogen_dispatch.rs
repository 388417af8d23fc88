//! The dispatch table of the ICD interface, in the order of its ABI, and a table of functions that answer
//! CL_INVALID_OPERATION for whatever is not implemented.
//! Generated from the OpenCL registry by `cargo xtask gen-cl`; do not edit.

#![allow(
    non_snake_case,
    missing_docs,
    clippy::too_many_arguments,
    clippy::missing_safety_doc,
    clippy::type_complexity
)]

use pyroclast_runtime::cl::*;
use std::ffi::{c_char, c_void};

/// Marks a table of an ICD 2 driver.
#[cfg(target_pointer_width = "64")]
pub const CL_ICD2_TAG_KHR: usize = 0x4F50_454E_434C_3331;
/// Marks a table of an ICD 2 driver.
#[cfg(target_pointer_width = "32")]
pub const CL_ICD2_TAG_KHR: usize = 0x434C_3331;

/// Dispatch table, to which the first word of every handle points.
#[repr(C)]
pub struct Dispatch {
    /// The ICD 2 tag.
    pub clGetPlatformIDs: usize,
    pub clGetPlatformInfo:
        unsafe extern "C" fn(cl_platform_id, cl_platform_info, usize, *mut c_void, *mut usize) -> cl_int,
    pub clGetDeviceIDs: unsafe extern "C" fn(
        cl_platform_id,
        cl_device_type,
        cl_uint,
        *mut cl_device_id,
        *mut cl_uint,
    ) -> cl_int,
    pub clGetDeviceInfo:
        unsafe extern "C" fn(cl_device_id, cl_device_info, usize, *mut c_void, *mut usize) -> cl_int,
    pub clCreateContext: unsafe extern "C" fn(
        *const cl_context_properties,
        cl_uint,
        *const cl_device_id,
        Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>,
        *mut c_void,
        *mut cl_int,
    ) -> cl_context,
    pub clCreateContextFromType: unsafe extern "C" fn(
        *const cl_context_properties,
        cl_device_type,
        Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>,
        *mut c_void,
        *mut cl_int,
    ) -> cl_context,
    pub clRetainContext: unsafe extern "C" fn(cl_context) -> cl_int,
    pub clReleaseContext: unsafe extern "C" fn(cl_context) -> cl_int,
    pub clGetContextInfo:
        unsafe extern "C" fn(cl_context, cl_context_info, usize, *mut c_void, *mut usize) -> cl_int,
    pub clCreateCommandQueue: unsafe extern "C" fn(
        cl_context,
        cl_device_id,
        cl_command_queue_properties,
        *mut cl_int,
    ) -> cl_command_queue,
    pub clRetainCommandQueue: unsafe extern "C" fn(cl_command_queue) -> cl_int,
    pub clReleaseCommandQueue: unsafe extern "C" fn(cl_command_queue) -> cl_int,
    pub clGetCommandQueueInfo: unsafe extern "C" fn(
        cl_command_queue,
        cl_command_queue_info,
        usize,
        *mut c_void,
        *mut usize,
    ) -> cl_int,
    pub clSetCommandQueueProperty: unsafe extern "C" fn(
        cl_command_queue,
        cl_command_queue_properties,
        cl_bool,
        *mut cl_command_queue_properties,
    ) -> cl_int,
    pub clCreateBuffer:
        unsafe extern "C" fn(cl_context, cl_mem_flags, usize, *mut c_void, *mut cl_int) -> cl_mem,
    pub clCreateImage2D: unsafe extern "C" fn(
        cl_context,
        cl_mem_flags,
        *const cl_image_format,
        usize,
        usize,
        usize,
        *mut c_void,
        *mut cl_int,
    ) -> cl_mem,
    pub clCreateImage3D: unsafe extern "C" fn(
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
    ) -> cl_mem,
    pub clRetainMemObject: unsafe extern "C" fn(cl_mem) -> cl_int,
    pub clReleaseMemObject: unsafe extern "C" fn(cl_mem) -> cl_int,
    pub clGetSupportedImageFormats: unsafe extern "C" fn(
        cl_context,
        cl_mem_flags,
        cl_mem_object_type,
        cl_uint,
        *mut cl_image_format,
        *mut cl_uint,
    ) -> cl_int,
    pub clGetMemObjectInfo:
        unsafe extern "C" fn(cl_mem, cl_mem_info, usize, *mut c_void, *mut usize) -> cl_int,
    pub clGetImageInfo: unsafe extern "C" fn(cl_mem, cl_image_info, usize, *mut c_void, *mut usize) -> cl_int,
    pub clCreateSampler: unsafe extern "C" fn(
        cl_context,
        cl_bool,
        cl_addressing_mode,
        cl_filter_mode,
        *mut cl_int,
    ) -> cl_sampler,
    pub clRetainSampler: unsafe extern "C" fn(cl_sampler) -> cl_int,
    pub clReleaseSampler: unsafe extern "C" fn(cl_sampler) -> cl_int,
    pub clGetSamplerInfo:
        unsafe extern "C" fn(cl_sampler, cl_sampler_info, usize, *mut c_void, *mut usize) -> cl_int,
    pub clCreateProgramWithSource: unsafe extern "C" fn(
        cl_context,
        cl_uint,
        *mut *const c_char,
        *const usize,
        *mut cl_int,
    ) -> cl_program,
    pub clCreateProgramWithBinary: unsafe extern "C" fn(
        cl_context,
        cl_uint,
        *const cl_device_id,
        *const usize,
        *mut *const u8,
        *mut cl_int,
        *mut cl_int,
    ) -> cl_program,
    pub clRetainProgram: unsafe extern "C" fn(cl_program) -> cl_int,
    pub clReleaseProgram: unsafe extern "C" fn(cl_program) -> cl_int,
    pub clBuildProgram: unsafe extern "C" fn(
        cl_program,
        cl_uint,
        *const cl_device_id,
        *const c_char,
        Option<unsafe extern "C" fn(cl_program, *mut c_void)>,
        *mut c_void,
    ) -> cl_int,
    /// The ICD 2 tag.
    pub clUnloadCompiler: usize,
    pub clGetProgramInfo:
        unsafe extern "C" fn(cl_program, cl_program_info, usize, *mut c_void, *mut usize) -> cl_int,
    pub clGetProgramBuildInfo: unsafe extern "C" fn(
        cl_program,
        cl_device_id,
        cl_program_build_info,
        usize,
        *mut c_void,
        *mut usize,
    ) -> cl_int,
    pub clCreateKernel: unsafe extern "C" fn(cl_program, *const c_char, *mut cl_int) -> cl_kernel,
    pub clCreateKernelsInProgram:
        unsafe extern "C" fn(cl_program, cl_uint, *mut cl_kernel, *mut cl_uint) -> cl_int,
    pub clRetainKernel: unsafe extern "C" fn(cl_kernel) -> cl_int,
    pub clReleaseKernel: unsafe extern "C" fn(cl_kernel) -> cl_int,
    pub clSetKernelArg: unsafe extern "C" fn(cl_kernel, cl_uint, usize, *const c_void) -> cl_int,
    pub clGetKernelInfo:
        unsafe extern "C" fn(cl_kernel, cl_kernel_info, usize, *mut c_void, *mut usize) -> cl_int,
    pub clGetKernelWorkGroupInfo: unsafe extern "C" fn(
        cl_kernel,
        cl_device_id,
        cl_kernel_work_group_info,
        usize,
        *mut c_void,
        *mut usize,
    ) -> cl_int,
    pub clWaitForEvents: unsafe extern "C" fn(cl_uint, *const cl_event) -> cl_int,
    pub clGetEventInfo:
        unsafe extern "C" fn(cl_event, cl_event_info, usize, *mut c_void, *mut usize) -> cl_int,
    pub clRetainEvent: unsafe extern "C" fn(cl_event) -> cl_int,
    pub clReleaseEvent: unsafe extern "C" fn(cl_event) -> cl_int,
    pub clGetEventProfilingInfo:
        unsafe extern "C" fn(cl_event, cl_profiling_info, usize, *mut c_void, *mut usize) -> cl_int,
    pub clFlush: unsafe extern "C" fn(cl_command_queue) -> cl_int,
    pub clFinish: unsafe extern "C" fn(cl_command_queue) -> cl_int,
    pub clEnqueueReadBuffer: unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        cl_bool,
        usize,
        usize,
        *mut c_void,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clEnqueueWriteBuffer: unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        cl_bool,
        usize,
        usize,
        *const c_void,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clEnqueueCopyBuffer: unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        cl_mem,
        usize,
        usize,
        usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clEnqueueReadImage: unsafe extern "C" fn(
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
    ) -> cl_int,
    pub clEnqueueWriteImage: unsafe extern "C" fn(
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
    ) -> cl_int,
    pub clEnqueueCopyImage: unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        cl_mem,
        *const usize,
        *const usize,
        *const usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clEnqueueCopyImageToBuffer: unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        cl_mem,
        *const usize,
        *const usize,
        usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clEnqueueCopyBufferToImage: unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        cl_mem,
        usize,
        *const usize,
        *const usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clEnqueueMapBuffer: unsafe extern "C" fn(
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
    ) -> *mut c_void,
    pub clEnqueueMapImage: unsafe extern "C" fn(
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
    ) -> *mut c_void,
    pub clEnqueueUnmapMemObject: unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        *mut c_void,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clEnqueueNDRangeKernel: unsafe extern "C" fn(
        cl_command_queue,
        cl_kernel,
        cl_uint,
        *const usize,
        *const usize,
        *const usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clEnqueueTask:
        unsafe extern "C" fn(cl_command_queue, cl_kernel, cl_uint, *const cl_event, *mut cl_event) -> cl_int,
    pub clEnqueueNativeKernel: unsafe extern "C" fn(
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
    ) -> cl_int,
    pub clEnqueueMarker: unsafe extern "C" fn(cl_command_queue, *mut cl_event) -> cl_int,
    pub clEnqueueWaitForEvents: unsafe extern "C" fn(cl_command_queue, cl_uint, *const cl_event) -> cl_int,
    pub clEnqueueBarrier: unsafe extern "C" fn(cl_command_queue) -> cl_int,
    pub clGetExtensionFunctionAddress: unsafe extern "C" fn(*const c_char) -> *mut c_void,
    pub clCreateFromGLBuffer:
        unsafe extern "C" fn(cl_context, cl_mem_flags, cl_GLuint, *mut cl_int) -> cl_mem,
    pub clCreateFromGLTexture2D:
        unsafe extern "C" fn(cl_context, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint, *mut cl_int) -> cl_mem,
    pub clCreateFromGLTexture3D:
        unsafe extern "C" fn(cl_context, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint, *mut cl_int) -> cl_mem,
    pub clCreateFromGLRenderbuffer:
        unsafe extern "C" fn(cl_context, cl_mem_flags, cl_GLuint, *mut cl_int) -> cl_mem,
    pub clGetGLObjectInfo: unsafe extern "C" fn(cl_mem, *mut cl_gl_object_type, *mut cl_GLuint) -> cl_int,
    pub clGetGLTextureInfo:
        unsafe extern "C" fn(cl_mem, cl_gl_texture_info, usize, *mut c_void, *mut usize) -> cl_int,
    pub clEnqueueAcquireGLObjects: unsafe extern "C" fn(
        cl_command_queue,
        cl_uint,
        *const cl_mem,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clEnqueueReleaseGLObjects: unsafe extern "C" fn(
        cl_command_queue,
        cl_uint,
        *const cl_mem,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clGetGLContextInfoKHR: unsafe extern "C" fn(
        *const cl_context_properties,
        cl_gl_context_info,
        usize,
        *mut c_void,
        *mut usize,
    ) -> cl_int,
    pub clGetDeviceIDsFromD3D10KHR: unsafe extern "C" fn(
        cl_platform_id,
        cl_d3d10_device_source_khr,
        *mut c_void,
        cl_d3d10_device_set_khr,
        cl_uint,
        *mut cl_device_id,
        *mut cl_uint,
    ) -> cl_int,
    /// Needs types of another system.
    pub clCreateFromD3D10BufferKHR: usize,
    /// Needs types of another system.
    pub clCreateFromD3D10Texture2DKHR: usize,
    /// Needs types of another system.
    pub clCreateFromD3D10Texture3DKHR: usize,
    pub clEnqueueAcquireD3D10ObjectsKHR: unsafe extern "C" fn(
        cl_command_queue,
        cl_uint,
        *const cl_mem,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clEnqueueReleaseD3D10ObjectsKHR: unsafe extern "C" fn(
        cl_command_queue,
        cl_uint,
        *const cl_mem,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clSetEventCallback: unsafe extern "C" fn(
        cl_event,
        cl_int,
        Option<unsafe extern "C" fn(cl_event, cl_int, *mut c_void)>,
        *mut c_void,
    ) -> cl_int,
    pub clCreateSubBuffer: unsafe extern "C" fn(
        cl_mem,
        cl_mem_flags,
        cl_buffer_create_type,
        *const c_void,
        *mut cl_int,
    ) -> cl_mem,
    pub clSetMemObjectDestructorCallback: unsafe extern "C" fn(
        cl_mem,
        Option<unsafe extern "C" fn(cl_mem, *mut c_void)>,
        *mut c_void,
    ) -> cl_int,
    pub clCreateUserEvent: unsafe extern "C" fn(cl_context, *mut cl_int) -> cl_event,
    pub clSetUserEventStatus: unsafe extern "C" fn(cl_event, cl_int) -> cl_int,
    pub clEnqueueReadBufferRect: unsafe extern "C" fn(
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
    ) -> cl_int,
    pub clEnqueueWriteBufferRect: unsafe extern "C" fn(
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
    ) -> cl_int,
    pub clEnqueueCopyBufferRect: unsafe extern "C" fn(
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
    ) -> cl_int,
    pub clCreateSubDevicesEXT: unsafe extern "C" fn(
        cl_device_id,
        *const cl_device_partition_property_ext,
        cl_uint,
        *mut cl_device_id,
        *mut cl_uint,
    ) -> cl_int,
    pub clRetainDeviceEXT: unsafe extern "C" fn(cl_device_id) -> cl_int,
    pub clReleaseDeviceEXT: unsafe extern "C" fn(cl_device_id) -> cl_int,
    pub clCreateEventFromGLsyncKHR: unsafe extern "C" fn(cl_context, cl_GLsync, *mut cl_int) -> cl_event,
    pub clCreateSubDevices: unsafe extern "C" fn(
        cl_device_id,
        *const cl_device_partition_property,
        cl_uint,
        *mut cl_device_id,
        *mut cl_uint,
    ) -> cl_int,
    pub clRetainDevice: unsafe extern "C" fn(cl_device_id) -> cl_int,
    pub clReleaseDevice: unsafe extern "C" fn(cl_device_id) -> cl_int,
    pub clCreateImage: unsafe extern "C" fn(
        cl_context,
        cl_mem_flags,
        *const cl_image_format,
        *const cl_image_desc,
        *mut c_void,
        *mut cl_int,
    ) -> cl_mem,
    pub clCreateProgramWithBuiltInKernels: unsafe extern "C" fn(
        cl_context,
        cl_uint,
        *const cl_device_id,
        *const c_char,
        *mut cl_int,
    ) -> cl_program,
    pub clCompileProgram: unsafe extern "C" fn(
        cl_program,
        cl_uint,
        *const cl_device_id,
        *const c_char,
        cl_uint,
        *const cl_program,
        *mut *const c_char,
        Option<unsafe extern "C" fn(cl_program, *mut c_void)>,
        *mut c_void,
    ) -> cl_int,
    pub clLinkProgram: unsafe extern "C" fn(
        cl_context,
        cl_uint,
        *const cl_device_id,
        *const c_char,
        cl_uint,
        *const cl_program,
        Option<unsafe extern "C" fn(cl_program, *mut c_void)>,
        *mut c_void,
        *mut cl_int,
    ) -> cl_program,
    pub clUnloadPlatformCompiler: unsafe extern "C" fn(cl_platform_id) -> cl_int,
    pub clGetKernelArgInfo: unsafe extern "C" fn(
        cl_kernel,
        cl_uint,
        cl_kernel_arg_info,
        usize,
        *mut c_void,
        *mut usize,
    ) -> cl_int,
    pub clEnqueueFillBuffer: unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        *const c_void,
        usize,
        usize,
        usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clEnqueueFillImage: unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        *const c_void,
        *const usize,
        *const usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clEnqueueMigrateMemObjects: unsafe extern "C" fn(
        cl_command_queue,
        cl_uint,
        *const cl_mem,
        cl_mem_migration_flags,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clEnqueueMarkerWithWaitList:
        unsafe extern "C" fn(cl_command_queue, cl_uint, *const cl_event, *mut cl_event) -> cl_int,
    pub clEnqueueBarrierWithWaitList:
        unsafe extern "C" fn(cl_command_queue, cl_uint, *const cl_event, *mut cl_event) -> cl_int,
    pub clGetExtensionFunctionAddressForPlatform:
        unsafe extern "C" fn(cl_platform_id, *const c_char) -> *mut c_void,
    pub clCreateFromGLTexture:
        unsafe extern "C" fn(cl_context, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint, *mut cl_int) -> cl_mem,
    pub clGetDeviceIDsFromD3D11KHR: unsafe extern "C" fn(
        cl_platform_id,
        cl_d3d11_device_source_khr,
        *mut c_void,
        cl_d3d11_device_set_khr,
        cl_uint,
        *mut cl_device_id,
        *mut cl_uint,
    ) -> cl_int,
    /// Needs types of another system.
    pub clCreateFromD3D11BufferKHR: usize,
    /// Needs types of another system.
    pub clCreateFromD3D11Texture2DKHR: usize,
    /// Needs types of another system.
    pub clCreateFromD3D11Texture3DKHR: usize,
    pub clCreateFromDX9MediaSurfaceKHR: unsafe extern "C" fn(
        cl_context,
        cl_mem_flags,
        cl_dx9_media_adapter_type_khr,
        *mut c_void,
        cl_uint,
        *mut cl_int,
    ) -> cl_mem,
    pub clEnqueueAcquireD3D11ObjectsKHR: unsafe extern "C" fn(
        cl_command_queue,
        cl_uint,
        *const cl_mem,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clEnqueueReleaseD3D11ObjectsKHR: unsafe extern "C" fn(
        cl_command_queue,
        cl_uint,
        *const cl_mem,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clGetDeviceIDsFromDX9MediaAdapterKHR: unsafe extern "C" fn(
        cl_platform_id,
        cl_uint,
        *mut cl_dx9_media_adapter_type_khr,
        *mut c_void,
        cl_dx9_media_adapter_set_khr,
        cl_uint,
        *mut cl_device_id,
        *mut cl_uint,
    ) -> cl_int,
    pub clEnqueueAcquireDX9MediaSurfacesKHR: unsafe extern "C" fn(
        cl_command_queue,
        cl_uint,
        *const cl_mem,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clEnqueueReleaseDX9MediaSurfacesKHR: unsafe extern "C" fn(
        cl_command_queue,
        cl_uint,
        *const cl_mem,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clCreateFromEGLImageKHR: unsafe extern "C" fn(
        cl_context,
        CLeglDisplayKHR,
        CLeglImageKHR,
        cl_mem_flags,
        *const cl_egl_image_properties_khr,
        *mut cl_int,
    ) -> cl_mem,
    pub clEnqueueAcquireEGLObjectsKHR: unsafe extern "C" fn(
        cl_command_queue,
        cl_uint,
        *const cl_mem,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clEnqueueReleaseEGLObjectsKHR: unsafe extern "C" fn(
        cl_command_queue,
        cl_uint,
        *const cl_mem,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clCreateEventFromEGLSyncKHR:
        unsafe extern "C" fn(cl_context, CLeglSyncKHR, CLeglDisplayKHR, *mut cl_int) -> cl_event,
    pub clCreateCommandQueueWithProperties: unsafe extern "C" fn(
        cl_context,
        cl_device_id,
        *const cl_queue_properties,
        *mut cl_int,
    ) -> cl_command_queue,
    pub clCreatePipe: unsafe extern "C" fn(
        cl_context,
        cl_mem_flags,
        cl_uint,
        cl_uint,
        *const cl_pipe_properties,
        *mut cl_int,
    ) -> cl_mem,
    pub clGetPipeInfo: unsafe extern "C" fn(cl_mem, cl_pipe_info, usize, *mut c_void, *mut usize) -> cl_int,
    pub clSVMAlloc: unsafe extern "C" fn(cl_context, cl_svm_mem_flags, usize, cl_uint) -> *mut c_void,
    pub clSVMFree: unsafe extern "C" fn(cl_context, *mut c_void),
    pub clEnqueueSVMFree: unsafe extern "C" fn(
        cl_command_queue,
        cl_uint,
        *mut *mut c_void,
        Option<unsafe extern "C" fn(cl_command_queue, cl_uint, *mut *mut c_void, *mut c_void)>,
        *mut c_void,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clEnqueueSVMMemcpy: unsafe extern "C" fn(
        cl_command_queue,
        cl_bool,
        *mut c_void,
        *const c_void,
        usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clEnqueueSVMMemFill: unsafe extern "C" fn(
        cl_command_queue,
        *mut c_void,
        *const c_void,
        usize,
        usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clEnqueueSVMMap: unsafe extern "C" fn(
        cl_command_queue,
        cl_bool,
        cl_map_flags,
        *mut c_void,
        usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clEnqueueSVMUnmap: unsafe extern "C" fn(
        cl_command_queue,
        *mut c_void,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clCreateSamplerWithProperties:
        unsafe extern "C" fn(cl_context, *const cl_sampler_properties, *mut cl_int) -> cl_sampler,
    pub clSetKernelArgSVMPointer: unsafe extern "C" fn(cl_kernel, cl_uint, *const c_void) -> cl_int,
    pub clSetKernelExecInfo:
        unsafe extern "C" fn(cl_kernel, cl_kernel_exec_info, usize, *const c_void) -> cl_int,
    pub clGetKernelSubGroupInfoKHR: unsafe extern "C" fn(
        cl_kernel,
        cl_device_id,
        cl_kernel_sub_group_info,
        usize,
        *const c_void,
        usize,
        *mut c_void,
        *mut usize,
    ) -> cl_int,
    pub clCloneKernel: unsafe extern "C" fn(cl_kernel, *mut cl_int) -> cl_kernel,
    pub clCreateProgramWithIL:
        unsafe extern "C" fn(cl_context, *const c_void, usize, *mut cl_int) -> cl_program,
    pub clEnqueueSVMMigrateMem: unsafe extern "C" fn(
        cl_command_queue,
        cl_uint,
        *mut *const c_void,
        *const usize,
        cl_mem_migration_flags,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    pub clGetDeviceAndHostTimer: unsafe extern "C" fn(cl_device_id, *mut cl_ulong, *mut cl_ulong) -> cl_int,
    pub clGetHostTimer: unsafe extern "C" fn(cl_device_id, *mut cl_ulong) -> cl_int,
    pub clGetKernelSubGroupInfo: unsafe extern "C" fn(
        cl_kernel,
        cl_device_id,
        cl_kernel_sub_group_info,
        usize,
        *const c_void,
        usize,
        *mut c_void,
        *mut usize,
    ) -> cl_int,
    pub clSetDefaultDeviceCommandQueue:
        unsafe extern "C" fn(cl_context, cl_device_id, cl_command_queue) -> cl_int,
    pub clSetProgramReleaseCallback: unsafe extern "C" fn(
        cl_program,
        Option<unsafe extern "C" fn(cl_program, *mut c_void)>,
        *mut c_void,
    ) -> cl_int,
    pub clSetProgramSpecializationConstant:
        unsafe extern "C" fn(cl_program, cl_uint, usize, *const c_void) -> cl_int,
    pub clCreateBufferWithProperties: unsafe extern "C" fn(
        cl_context,
        *const cl_mem_properties,
        cl_mem_flags,
        usize,
        *mut c_void,
        *mut cl_int,
    ) -> cl_mem,
    pub clCreateImageWithProperties: unsafe extern "C" fn(
        cl_context,
        *const cl_mem_properties,
        cl_mem_flags,
        *const cl_image_format,
        *const cl_image_desc,
        *mut c_void,
        *mut cl_int,
    ) -> cl_mem,
    pub clSetContextDestructorCallback: unsafe extern "C" fn(
        cl_context,
        Option<unsafe extern "C" fn(cl_context, *mut c_void)>,
        *mut c_void,
    ) -> cl_int,
    pub clGetKernelSuggestedLocalWorkSize: unsafe extern "C" fn(
        cl_command_queue,
        cl_kernel,
        cl_uint,
        *const usize,
        *const usize,
        *mut usize,
    ) -> cl_int,
}

impl Dispatch {
    /// The address in the slot of that name.
    pub fn find(&self, name: &str) -> Option<*const c_void> {
        Some(match name {
            "clGetPlatformInfo" => self.clGetPlatformInfo as *const c_void,
            "clGetDeviceIDs" => self.clGetDeviceIDs as *const c_void,
            "clGetDeviceInfo" => self.clGetDeviceInfo as *const c_void,
            "clCreateContext" => self.clCreateContext as *const c_void,
            "clCreateContextFromType" => self.clCreateContextFromType as *const c_void,
            "clRetainContext" => self.clRetainContext as *const c_void,
            "clReleaseContext" => self.clReleaseContext as *const c_void,
            "clGetContextInfo" => self.clGetContextInfo as *const c_void,
            "clCreateCommandQueue" => self.clCreateCommandQueue as *const c_void,
            "clRetainCommandQueue" => self.clRetainCommandQueue as *const c_void,
            "clReleaseCommandQueue" => self.clReleaseCommandQueue as *const c_void,
            "clGetCommandQueueInfo" => self.clGetCommandQueueInfo as *const c_void,
            "clSetCommandQueueProperty" => self.clSetCommandQueueProperty as *const c_void,
            "clCreateBuffer" => self.clCreateBuffer as *const c_void,
            "clCreateImage2D" => self.clCreateImage2D as *const c_void,
            "clCreateImage3D" => self.clCreateImage3D as *const c_void,
            "clRetainMemObject" => self.clRetainMemObject as *const c_void,
            "clReleaseMemObject" => self.clReleaseMemObject as *const c_void,
            "clGetSupportedImageFormats" => self.clGetSupportedImageFormats as *const c_void,
            "clGetMemObjectInfo" => self.clGetMemObjectInfo as *const c_void,
            "clGetImageInfo" => self.clGetImageInfo as *const c_void,
            "clCreateSampler" => self.clCreateSampler as *const c_void,
            "clRetainSampler" => self.clRetainSampler as *const c_void,
            "clReleaseSampler" => self.clReleaseSampler as *const c_void,
            "clGetSamplerInfo" => self.clGetSamplerInfo as *const c_void,
            "clCreateProgramWithSource" => self.clCreateProgramWithSource as *const c_void,
            "clCreateProgramWithBinary" => self.clCreateProgramWithBinary as *const c_void,
            "clRetainProgram" => self.clRetainProgram as *const c_void,
            "clReleaseProgram" => self.clReleaseProgram as *const c_void,
            "clBuildProgram" => self.clBuildProgram as *const c_void,
            "clGetProgramInfo" => self.clGetProgramInfo as *const c_void,
            "clGetProgramBuildInfo" => self.clGetProgramBuildInfo as *const c_void,
            "clCreateKernel" => self.clCreateKernel as *const c_void,
            "clCreateKernelsInProgram" => self.clCreateKernelsInProgram as *const c_void,
            "clRetainKernel" => self.clRetainKernel as *const c_void,
            "clReleaseKernel" => self.clReleaseKernel as *const c_void,
            "clSetKernelArg" => self.clSetKernelArg as *const c_void,
            "clGetKernelInfo" => self.clGetKernelInfo as *const c_void,
            "clGetKernelWorkGroupInfo" => self.clGetKernelWorkGroupInfo as *const c_void,
            "clWaitForEvents" => self.clWaitForEvents as *const c_void,
            "clGetEventInfo" => self.clGetEventInfo as *const c_void,
            "clRetainEvent" => self.clRetainEvent as *const c_void,
            "clReleaseEvent" => self.clReleaseEvent as *const c_void,
            "clGetEventProfilingInfo" => self.clGetEventProfilingInfo as *const c_void,
            "clFlush" => self.clFlush as *const c_void,
            "clFinish" => self.clFinish as *const c_void,
            "clEnqueueReadBuffer" => self.clEnqueueReadBuffer as *const c_void,
            "clEnqueueWriteBuffer" => self.clEnqueueWriteBuffer as *const c_void,
            "clEnqueueCopyBuffer" => self.clEnqueueCopyBuffer as *const c_void,
            "clEnqueueReadImage" => self.clEnqueueReadImage as *const c_void,
            "clEnqueueWriteImage" => self.clEnqueueWriteImage as *const c_void,
            "clEnqueueCopyImage" => self.clEnqueueCopyImage as *const c_void,
            "clEnqueueCopyImageToBuffer" => self.clEnqueueCopyImageToBuffer as *const c_void,
            "clEnqueueCopyBufferToImage" => self.clEnqueueCopyBufferToImage as *const c_void,
            "clEnqueueMapBuffer" => self.clEnqueueMapBuffer as *const c_void,
            "clEnqueueMapImage" => self.clEnqueueMapImage as *const c_void,
            "clEnqueueUnmapMemObject" => self.clEnqueueUnmapMemObject as *const c_void,
            "clEnqueueNDRangeKernel" => self.clEnqueueNDRangeKernel as *const c_void,
            "clEnqueueTask" => self.clEnqueueTask as *const c_void,
            "clEnqueueNativeKernel" => self.clEnqueueNativeKernel as *const c_void,
            "clEnqueueMarker" => self.clEnqueueMarker as *const c_void,
            "clEnqueueWaitForEvents" => self.clEnqueueWaitForEvents as *const c_void,
            "clEnqueueBarrier" => self.clEnqueueBarrier as *const c_void,
            "clGetExtensionFunctionAddress" => self.clGetExtensionFunctionAddress as *const c_void,
            "clCreateFromGLBuffer" => self.clCreateFromGLBuffer as *const c_void,
            "clCreateFromGLTexture2D" => self.clCreateFromGLTexture2D as *const c_void,
            "clCreateFromGLTexture3D" => self.clCreateFromGLTexture3D as *const c_void,
            "clCreateFromGLRenderbuffer" => self.clCreateFromGLRenderbuffer as *const c_void,
            "clGetGLObjectInfo" => self.clGetGLObjectInfo as *const c_void,
            "clGetGLTextureInfo" => self.clGetGLTextureInfo as *const c_void,
            "clEnqueueAcquireGLObjects" => self.clEnqueueAcquireGLObjects as *const c_void,
            "clEnqueueReleaseGLObjects" => self.clEnqueueReleaseGLObjects as *const c_void,
            "clGetGLContextInfoKHR" => self.clGetGLContextInfoKHR as *const c_void,
            "clGetDeviceIDsFromD3D10KHR" => self.clGetDeviceIDsFromD3D10KHR as *const c_void,
            "clEnqueueAcquireD3D10ObjectsKHR" => self.clEnqueueAcquireD3D10ObjectsKHR as *const c_void,
            "clEnqueueReleaseD3D10ObjectsKHR" => self.clEnqueueReleaseD3D10ObjectsKHR as *const c_void,
            "clSetEventCallback" => self.clSetEventCallback as *const c_void,
            "clCreateSubBuffer" => self.clCreateSubBuffer as *const c_void,
            "clSetMemObjectDestructorCallback" => self.clSetMemObjectDestructorCallback as *const c_void,
            "clCreateUserEvent" => self.clCreateUserEvent as *const c_void,
            "clSetUserEventStatus" => self.clSetUserEventStatus as *const c_void,
            "clEnqueueReadBufferRect" => self.clEnqueueReadBufferRect as *const c_void,
            "clEnqueueWriteBufferRect" => self.clEnqueueWriteBufferRect as *const c_void,
            "clEnqueueCopyBufferRect" => self.clEnqueueCopyBufferRect as *const c_void,
            "clCreateSubDevicesEXT" => self.clCreateSubDevicesEXT as *const c_void,
            "clRetainDeviceEXT" => self.clRetainDeviceEXT as *const c_void,
            "clReleaseDeviceEXT" => self.clReleaseDeviceEXT as *const c_void,
            "clCreateEventFromGLsyncKHR" => self.clCreateEventFromGLsyncKHR as *const c_void,
            "clCreateSubDevices" => self.clCreateSubDevices as *const c_void,
            "clRetainDevice" => self.clRetainDevice as *const c_void,
            "clReleaseDevice" => self.clReleaseDevice as *const c_void,
            "clCreateImage" => self.clCreateImage as *const c_void,
            "clCreateProgramWithBuiltInKernels" => self.clCreateProgramWithBuiltInKernels as *const c_void,
            "clCompileProgram" => self.clCompileProgram as *const c_void,
            "clLinkProgram" => self.clLinkProgram as *const c_void,
            "clUnloadPlatformCompiler" => self.clUnloadPlatformCompiler as *const c_void,
            "clGetKernelArgInfo" => self.clGetKernelArgInfo as *const c_void,
            "clEnqueueFillBuffer" => self.clEnqueueFillBuffer as *const c_void,
            "clEnqueueFillImage" => self.clEnqueueFillImage as *const c_void,
            "clEnqueueMigrateMemObjects" => self.clEnqueueMigrateMemObjects as *const c_void,
            "clEnqueueMarkerWithWaitList" => self.clEnqueueMarkerWithWaitList as *const c_void,
            "clEnqueueBarrierWithWaitList" => self.clEnqueueBarrierWithWaitList as *const c_void,
            "clGetExtensionFunctionAddressForPlatform" => {
                self.clGetExtensionFunctionAddressForPlatform as *const c_void
            }
            "clCreateFromGLTexture" => self.clCreateFromGLTexture as *const c_void,
            "clGetDeviceIDsFromD3D11KHR" => self.clGetDeviceIDsFromD3D11KHR as *const c_void,
            "clCreateFromDX9MediaSurfaceKHR" => self.clCreateFromDX9MediaSurfaceKHR as *const c_void,
            "clEnqueueAcquireD3D11ObjectsKHR" => self.clEnqueueAcquireD3D11ObjectsKHR as *const c_void,
            "clEnqueueReleaseD3D11ObjectsKHR" => self.clEnqueueReleaseD3D11ObjectsKHR as *const c_void,
            "clGetDeviceIDsFromDX9MediaAdapterKHR" => {
                self.clGetDeviceIDsFromDX9MediaAdapterKHR as *const c_void
            }
            "clEnqueueAcquireDX9MediaSurfacesKHR" => {
                self.clEnqueueAcquireDX9MediaSurfacesKHR as *const c_void
            }
            "clEnqueueReleaseDX9MediaSurfacesKHR" => {
                self.clEnqueueReleaseDX9MediaSurfacesKHR as *const c_void
            }
            "clCreateFromEGLImageKHR" => self.clCreateFromEGLImageKHR as *const c_void,
            "clEnqueueAcquireEGLObjectsKHR" => self.clEnqueueAcquireEGLObjectsKHR as *const c_void,
            "clEnqueueReleaseEGLObjectsKHR" => self.clEnqueueReleaseEGLObjectsKHR as *const c_void,
            "clCreateEventFromEGLSyncKHR" => self.clCreateEventFromEGLSyncKHR as *const c_void,
            "clCreateCommandQueueWithProperties" => self.clCreateCommandQueueWithProperties as *const c_void,
            "clCreatePipe" => self.clCreatePipe as *const c_void,
            "clGetPipeInfo" => self.clGetPipeInfo as *const c_void,
            "clSVMAlloc" => self.clSVMAlloc as *const c_void,
            "clSVMFree" => self.clSVMFree as *const c_void,
            "clEnqueueSVMFree" => self.clEnqueueSVMFree as *const c_void,
            "clEnqueueSVMMemcpy" => self.clEnqueueSVMMemcpy as *const c_void,
            "clEnqueueSVMMemFill" => self.clEnqueueSVMMemFill as *const c_void,
            "clEnqueueSVMMap" => self.clEnqueueSVMMap as *const c_void,
            "clEnqueueSVMUnmap" => self.clEnqueueSVMUnmap as *const c_void,
            "clCreateSamplerWithProperties" => self.clCreateSamplerWithProperties as *const c_void,
            "clSetKernelArgSVMPointer" => self.clSetKernelArgSVMPointer as *const c_void,
            "clSetKernelExecInfo" => self.clSetKernelExecInfo as *const c_void,
            "clGetKernelSubGroupInfoKHR" => self.clGetKernelSubGroupInfoKHR as *const c_void,
            "clCloneKernel" => self.clCloneKernel as *const c_void,
            "clCreateProgramWithIL" => self.clCreateProgramWithIL as *const c_void,
            "clEnqueueSVMMigrateMem" => self.clEnqueueSVMMigrateMem as *const c_void,
            "clGetDeviceAndHostTimer" => self.clGetDeviceAndHostTimer as *const c_void,
            "clGetHostTimer" => self.clGetHostTimer as *const c_void,
            "clGetKernelSubGroupInfo" => self.clGetKernelSubGroupInfo as *const c_void,
            "clSetDefaultDeviceCommandQueue" => self.clSetDefaultDeviceCommandQueue as *const c_void,
            "clSetProgramReleaseCallback" => self.clSetProgramReleaseCallback as *const c_void,
            "clSetProgramSpecializationConstant" => self.clSetProgramSpecializationConstant as *const c_void,
            "clCreateBufferWithProperties" => self.clCreateBufferWithProperties as *const c_void,
            "clCreateImageWithProperties" => self.clCreateImageWithProperties as *const c_void,
            "clSetContextDestructorCallback" => self.clSetContextDestructorCallback as *const c_void,
            "clGetKernelSuggestedLocalWorkSize" => self.clGetKernelSuggestedLocalWorkSize as *const c_void,
            _ => return None,
        })
    }
}

/// Every function answers CL_INVALID_OPERATION.
pub const MISSING: Dispatch = Dispatch {
    clGetPlatformIDs: CL_ICD2_TAG_KHR,
    clGetPlatformInfo: missing::clGetPlatformInfo,
    clGetDeviceIDs: missing::clGetDeviceIDs,
    clGetDeviceInfo: missing::clGetDeviceInfo,
    clCreateContext: missing::clCreateContext,
    clCreateContextFromType: missing::clCreateContextFromType,
    clRetainContext: missing::clRetainContext,
    clReleaseContext: missing::clReleaseContext,
    clGetContextInfo: missing::clGetContextInfo,
    clCreateCommandQueue: missing::clCreateCommandQueue,
    clRetainCommandQueue: missing::clRetainCommandQueue,
    clReleaseCommandQueue: missing::clReleaseCommandQueue,
    clGetCommandQueueInfo: missing::clGetCommandQueueInfo,
    clSetCommandQueueProperty: missing::clSetCommandQueueProperty,
    clCreateBuffer: missing::clCreateBuffer,
    clCreateImage2D: missing::clCreateImage2D,
    clCreateImage3D: missing::clCreateImage3D,
    clRetainMemObject: missing::clRetainMemObject,
    clReleaseMemObject: missing::clReleaseMemObject,
    clGetSupportedImageFormats: missing::clGetSupportedImageFormats,
    clGetMemObjectInfo: missing::clGetMemObjectInfo,
    clGetImageInfo: missing::clGetImageInfo,
    clCreateSampler: missing::clCreateSampler,
    clRetainSampler: missing::clRetainSampler,
    clReleaseSampler: missing::clReleaseSampler,
    clGetSamplerInfo: missing::clGetSamplerInfo,
    clCreateProgramWithSource: missing::clCreateProgramWithSource,
    clCreateProgramWithBinary: missing::clCreateProgramWithBinary,
    clRetainProgram: missing::clRetainProgram,
    clReleaseProgram: missing::clReleaseProgram,
    clBuildProgram: missing::clBuildProgram,
    clUnloadCompiler: CL_ICD2_TAG_KHR,
    clGetProgramInfo: missing::clGetProgramInfo,
    clGetProgramBuildInfo: missing::clGetProgramBuildInfo,
    clCreateKernel: missing::clCreateKernel,
    clCreateKernelsInProgram: missing::clCreateKernelsInProgram,
    clRetainKernel: missing::clRetainKernel,
    clReleaseKernel: missing::clReleaseKernel,
    clSetKernelArg: missing::clSetKernelArg,
    clGetKernelInfo: missing::clGetKernelInfo,
    clGetKernelWorkGroupInfo: missing::clGetKernelWorkGroupInfo,
    clWaitForEvents: missing::clWaitForEvents,
    clGetEventInfo: missing::clGetEventInfo,
    clRetainEvent: missing::clRetainEvent,
    clReleaseEvent: missing::clReleaseEvent,
    clGetEventProfilingInfo: missing::clGetEventProfilingInfo,
    clFlush: missing::clFlush,
    clFinish: missing::clFinish,
    clEnqueueReadBuffer: missing::clEnqueueReadBuffer,
    clEnqueueWriteBuffer: missing::clEnqueueWriteBuffer,
    clEnqueueCopyBuffer: missing::clEnqueueCopyBuffer,
    clEnqueueReadImage: missing::clEnqueueReadImage,
    clEnqueueWriteImage: missing::clEnqueueWriteImage,
    clEnqueueCopyImage: missing::clEnqueueCopyImage,
    clEnqueueCopyImageToBuffer: missing::clEnqueueCopyImageToBuffer,
    clEnqueueCopyBufferToImage: missing::clEnqueueCopyBufferToImage,
    clEnqueueMapBuffer: missing::clEnqueueMapBuffer,
    clEnqueueMapImage: missing::clEnqueueMapImage,
    clEnqueueUnmapMemObject: missing::clEnqueueUnmapMemObject,
    clEnqueueNDRangeKernel: missing::clEnqueueNDRangeKernel,
    clEnqueueTask: missing::clEnqueueTask,
    clEnqueueNativeKernel: missing::clEnqueueNativeKernel,
    clEnqueueMarker: missing::clEnqueueMarker,
    clEnqueueWaitForEvents: missing::clEnqueueWaitForEvents,
    clEnqueueBarrier: missing::clEnqueueBarrier,
    clGetExtensionFunctionAddress: missing::clGetExtensionFunctionAddress,
    clCreateFromGLBuffer: missing::clCreateFromGLBuffer,
    clCreateFromGLTexture2D: missing::clCreateFromGLTexture2D,
    clCreateFromGLTexture3D: missing::clCreateFromGLTexture3D,
    clCreateFromGLRenderbuffer: missing::clCreateFromGLRenderbuffer,
    clGetGLObjectInfo: missing::clGetGLObjectInfo,
    clGetGLTextureInfo: missing::clGetGLTextureInfo,
    clEnqueueAcquireGLObjects: missing::clEnqueueAcquireGLObjects,
    clEnqueueReleaseGLObjects: missing::clEnqueueReleaseGLObjects,
    clGetGLContextInfoKHR: missing::clGetGLContextInfoKHR,
    clGetDeviceIDsFromD3D10KHR: missing::clGetDeviceIDsFromD3D10KHR,
    clCreateFromD3D10BufferKHR: 0,
    clCreateFromD3D10Texture2DKHR: 0,
    clCreateFromD3D10Texture3DKHR: 0,
    clEnqueueAcquireD3D10ObjectsKHR: missing::clEnqueueAcquireD3D10ObjectsKHR,
    clEnqueueReleaseD3D10ObjectsKHR: missing::clEnqueueReleaseD3D10ObjectsKHR,
    clSetEventCallback: missing::clSetEventCallback,
    clCreateSubBuffer: missing::clCreateSubBuffer,
    clSetMemObjectDestructorCallback: missing::clSetMemObjectDestructorCallback,
    clCreateUserEvent: missing::clCreateUserEvent,
    clSetUserEventStatus: missing::clSetUserEventStatus,
    clEnqueueReadBufferRect: missing::clEnqueueReadBufferRect,
    clEnqueueWriteBufferRect: missing::clEnqueueWriteBufferRect,
    clEnqueueCopyBufferRect: missing::clEnqueueCopyBufferRect,
    clCreateSubDevicesEXT: missing::clCreateSubDevicesEXT,
    clRetainDeviceEXT: missing::clRetainDeviceEXT,
    clReleaseDeviceEXT: missing::clReleaseDeviceEXT,
    clCreateEventFromGLsyncKHR: missing::clCreateEventFromGLsyncKHR,
    clCreateSubDevices: missing::clCreateSubDevices,
    clRetainDevice: missing::clRetainDevice,
    clReleaseDevice: missing::clReleaseDevice,
    clCreateImage: missing::clCreateImage,
    clCreateProgramWithBuiltInKernels: missing::clCreateProgramWithBuiltInKernels,
    clCompileProgram: missing::clCompileProgram,
    clLinkProgram: missing::clLinkProgram,
    clUnloadPlatformCompiler: missing::clUnloadPlatformCompiler,
    clGetKernelArgInfo: missing::clGetKernelArgInfo,
    clEnqueueFillBuffer: missing::clEnqueueFillBuffer,
    clEnqueueFillImage: missing::clEnqueueFillImage,
    clEnqueueMigrateMemObjects: missing::clEnqueueMigrateMemObjects,
    clEnqueueMarkerWithWaitList: missing::clEnqueueMarkerWithWaitList,
    clEnqueueBarrierWithWaitList: missing::clEnqueueBarrierWithWaitList,
    clGetExtensionFunctionAddressForPlatform: missing::clGetExtensionFunctionAddressForPlatform,
    clCreateFromGLTexture: missing::clCreateFromGLTexture,
    clGetDeviceIDsFromD3D11KHR: missing::clGetDeviceIDsFromD3D11KHR,
    clCreateFromD3D11BufferKHR: 0,
    clCreateFromD3D11Texture2DKHR: 0,
    clCreateFromD3D11Texture3DKHR: 0,
    clCreateFromDX9MediaSurfaceKHR: missing::clCreateFromDX9MediaSurfaceKHR,
    clEnqueueAcquireD3D11ObjectsKHR: missing::clEnqueueAcquireD3D11ObjectsKHR,
    clEnqueueReleaseD3D11ObjectsKHR: missing::clEnqueueReleaseD3D11ObjectsKHR,
    clGetDeviceIDsFromDX9MediaAdapterKHR: missing::clGetDeviceIDsFromDX9MediaAdapterKHR,
    clEnqueueAcquireDX9MediaSurfacesKHR: missing::clEnqueueAcquireDX9MediaSurfacesKHR,
    clEnqueueReleaseDX9MediaSurfacesKHR: missing::clEnqueueReleaseDX9MediaSurfacesKHR,
    clCreateFromEGLImageKHR: missing::clCreateFromEGLImageKHR,
    clEnqueueAcquireEGLObjectsKHR: missing::clEnqueueAcquireEGLObjectsKHR,
    clEnqueueReleaseEGLObjectsKHR: missing::clEnqueueReleaseEGLObjectsKHR,
    clCreateEventFromEGLSyncKHR: missing::clCreateEventFromEGLSyncKHR,
    clCreateCommandQueueWithProperties: missing::clCreateCommandQueueWithProperties,
    clCreatePipe: missing::clCreatePipe,
    clGetPipeInfo: missing::clGetPipeInfo,
    clSVMAlloc: missing::clSVMAlloc,
    clSVMFree: missing::clSVMFree,
    clEnqueueSVMFree: missing::clEnqueueSVMFree,
    clEnqueueSVMMemcpy: missing::clEnqueueSVMMemcpy,
    clEnqueueSVMMemFill: missing::clEnqueueSVMMemFill,
    clEnqueueSVMMap: missing::clEnqueueSVMMap,
    clEnqueueSVMUnmap: missing::clEnqueueSVMUnmap,
    clCreateSamplerWithProperties: missing::clCreateSamplerWithProperties,
    clSetKernelArgSVMPointer: missing::clSetKernelArgSVMPointer,
    clSetKernelExecInfo: missing::clSetKernelExecInfo,
    clGetKernelSubGroupInfoKHR: missing::clGetKernelSubGroupInfoKHR,
    clCloneKernel: missing::clCloneKernel,
    clCreateProgramWithIL: missing::clCreateProgramWithIL,
    clEnqueueSVMMigrateMem: missing::clEnqueueSVMMigrateMem,
    clGetDeviceAndHostTimer: missing::clGetDeviceAndHostTimer,
    clGetHostTimer: missing::clGetHostTimer,
    clGetKernelSubGroupInfo: missing::clGetKernelSubGroupInfo,
    clSetDefaultDeviceCommandQueue: missing::clSetDefaultDeviceCommandQueue,
    clSetProgramReleaseCallback: missing::clSetProgramReleaseCallback,
    clSetProgramSpecializationConstant: missing::clSetProgramSpecializationConstant,
    clCreateBufferWithProperties: missing::clCreateBufferWithProperties,
    clCreateImageWithProperties: missing::clCreateImageWithProperties,
    clSetContextDestructorCallback: missing::clSetContextDestructorCallback,
    clGetKernelSuggestedLocalWorkSize: missing::clGetKernelSuggestedLocalWorkSize,
};

mod missing {
    use super::*;

    fn fail<T>(errcode_ret: *mut cl_int) -> *mut T {
        if !errcode_ret.is_null() {
            // SAFETY: a non-null errcode_ret points to a cl_int of the caller.
            unsafe { *errcode_ret = CL_INVALID_OPERATION };
        }
        std::ptr::null_mut()
    }

    pub unsafe extern "C" fn clGetPlatformInfo(
        _platform: cl_platform_id,
        _param_name: cl_platform_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetDeviceIDs(
        _platform: cl_platform_id,
        _device_type: cl_device_type,
        _num_entries: cl_uint,
        _devices: *mut cl_device_id,
        _num_devices: *mut cl_uint,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetDeviceInfo(
        _device: cl_device_id,
        _param_name: cl_device_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clCreateContext(
        _properties: *const cl_context_properties,
        _num_devices: cl_uint,
        _devices: *const cl_device_id,
        _pfn_notify: Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>,
        _user_data: *mut c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_context {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clCreateContextFromType(
        _properties: *const cl_context_properties,
        _device_type: cl_device_type,
        _pfn_notify: Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>,
        _user_data: *mut c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_context {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clRetainContext(_context: cl_context) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clReleaseContext(_context: cl_context) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetContextInfo(
        _context: cl_context,
        _param_name: cl_context_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clCreateCommandQueue(
        _context: cl_context,
        _device: cl_device_id,
        _properties: cl_command_queue_properties,
        errcode_ret: *mut cl_int,
    ) -> cl_command_queue {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clRetainCommandQueue(_command_queue: cl_command_queue) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clReleaseCommandQueue(_command_queue: cl_command_queue) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetCommandQueueInfo(
        _command_queue: cl_command_queue,
        _param_name: cl_command_queue_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clSetCommandQueueProperty(
        _command_queue: cl_command_queue,
        _properties: cl_command_queue_properties,
        _enable: cl_bool,
        _old_properties: *mut cl_command_queue_properties,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clCreateBuffer(
        _context: cl_context,
        _flags: cl_mem_flags,
        _size: usize,
        _host_ptr: *mut c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_mem {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clCreateImage2D(
        _context: cl_context,
        _flags: cl_mem_flags,
        _image_format: *const cl_image_format,
        _image_width: usize,
        _image_height: usize,
        _image_row_pitch: usize,
        _host_ptr: *mut c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_mem {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clCreateImage3D(
        _context: cl_context,
        _flags: cl_mem_flags,
        _image_format: *const cl_image_format,
        _image_width: usize,
        _image_height: usize,
        _image_depth: usize,
        _image_row_pitch: usize,
        _image_slice_pitch: usize,
        _host_ptr: *mut c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_mem {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clRetainMemObject(_memobj: cl_mem) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clReleaseMemObject(_memobj: cl_mem) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetSupportedImageFormats(
        _context: cl_context,
        _flags: cl_mem_flags,
        _image_type: cl_mem_object_type,
        _num_entries: cl_uint,
        _image_formats: *mut cl_image_format,
        _num_image_formats: *mut cl_uint,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetMemObjectInfo(
        _memobj: cl_mem,
        _param_name: cl_mem_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetImageInfo(
        _image: cl_mem,
        _param_name: cl_image_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clCreateSampler(
        _context: cl_context,
        _normalized_coords: cl_bool,
        _addressing_mode: cl_addressing_mode,
        _filter_mode: cl_filter_mode,
        errcode_ret: *mut cl_int,
    ) -> cl_sampler {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clRetainSampler(_sampler: cl_sampler) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clReleaseSampler(_sampler: cl_sampler) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetSamplerInfo(
        _sampler: cl_sampler,
        _param_name: cl_sampler_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clCreateProgramWithSource(
        _context: cl_context,
        _count: cl_uint,
        _strings: *mut *const c_char,
        _lengths: *const usize,
        errcode_ret: *mut cl_int,
    ) -> cl_program {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clCreateProgramWithBinary(
        _context: cl_context,
        _num_devices: cl_uint,
        _device_list: *const cl_device_id,
        _lengths: *const usize,
        _binaries: *mut *const u8,
        _binary_status: *mut cl_int,
        errcode_ret: *mut cl_int,
    ) -> cl_program {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clRetainProgram(_program: cl_program) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clReleaseProgram(_program: cl_program) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clBuildProgram(
        _program: cl_program,
        _num_devices: cl_uint,
        _device_list: *const cl_device_id,
        _options: *const c_char,
        _pfn_notify: Option<unsafe extern "C" fn(cl_program, *mut c_void)>,
        _user_data: *mut c_void,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetProgramInfo(
        _program: cl_program,
        _param_name: cl_program_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetProgramBuildInfo(
        _program: cl_program,
        _device: cl_device_id,
        _param_name: cl_program_build_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clCreateKernel(
        _program: cl_program,
        _kernel_name: *const c_char,
        errcode_ret: *mut cl_int,
    ) -> cl_kernel {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clCreateKernelsInProgram(
        _program: cl_program,
        _num_kernels: cl_uint,
        _kernels: *mut cl_kernel,
        _num_kernels_ret: *mut cl_uint,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clRetainKernel(_kernel: cl_kernel) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clReleaseKernel(_kernel: cl_kernel) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clSetKernelArg(
        _kernel: cl_kernel,
        _arg_index: cl_uint,
        _arg_size: usize,
        _arg_value: *const c_void,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetKernelInfo(
        _kernel: cl_kernel,
        _param_name: cl_kernel_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetKernelWorkGroupInfo(
        _kernel: cl_kernel,
        _device: cl_device_id,
        _param_name: cl_kernel_work_group_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clWaitForEvents(_num_events: cl_uint, _event_list: *const cl_event) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetEventInfo(
        _event: cl_event,
        _param_name: cl_event_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clRetainEvent(_event: cl_event) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clReleaseEvent(_event: cl_event) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetEventProfilingInfo(
        _event: cl_event,
        _param_name: cl_profiling_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clFlush(_command_queue: cl_command_queue) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clFinish(_command_queue: cl_command_queue) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueReadBuffer(
        _command_queue: cl_command_queue,
        _buffer: cl_mem,
        _blocking_read: cl_bool,
        _offset: usize,
        _size: usize,
        _ptr: *mut c_void,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueWriteBuffer(
        _command_queue: cl_command_queue,
        _buffer: cl_mem,
        _blocking_write: cl_bool,
        _offset: usize,
        _size: usize,
        _ptr: *const c_void,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueCopyBuffer(
        _command_queue: cl_command_queue,
        _src_buffer: cl_mem,
        _dst_buffer: cl_mem,
        _src_offset: usize,
        _dst_offset: usize,
        _size: usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueReadImage(
        _command_queue: cl_command_queue,
        _image: cl_mem,
        _blocking_read: cl_bool,
        _origin: *const usize,
        _region: *const usize,
        _row_pitch: usize,
        _slice_pitch: usize,
        _ptr: *mut c_void,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueWriteImage(
        _command_queue: cl_command_queue,
        _image: cl_mem,
        _blocking_write: cl_bool,
        _origin: *const usize,
        _region: *const usize,
        _input_row_pitch: usize,
        _input_slice_pitch: usize,
        _ptr: *const c_void,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueCopyImage(
        _command_queue: cl_command_queue,
        _src_image: cl_mem,
        _dst_image: cl_mem,
        _src_origin: *const usize,
        _dst_origin: *const usize,
        _region: *const usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueCopyImageToBuffer(
        _command_queue: cl_command_queue,
        _src_image: cl_mem,
        _dst_buffer: cl_mem,
        _src_origin: *const usize,
        _region: *const usize,
        _dst_offset: usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueCopyBufferToImage(
        _command_queue: cl_command_queue,
        _src_buffer: cl_mem,
        _dst_image: cl_mem,
        _src_offset: usize,
        _dst_origin: *const usize,
        _region: *const usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueMapBuffer(
        _command_queue: cl_command_queue,
        _buffer: cl_mem,
        _blocking_map: cl_bool,
        _map_flags: cl_map_flags,
        _offset: usize,
        _size: usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
        errcode_ret: *mut cl_int,
    ) -> *mut c_void {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clEnqueueMapImage(
        _command_queue: cl_command_queue,
        _image: cl_mem,
        _blocking_map: cl_bool,
        _map_flags: cl_map_flags,
        _origin: *const usize,
        _region: *const usize,
        _image_row_pitch: *mut usize,
        _image_slice_pitch: *mut usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
        errcode_ret: *mut cl_int,
    ) -> *mut c_void {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clEnqueueUnmapMemObject(
        _command_queue: cl_command_queue,
        _memobj: cl_mem,
        _mapped_ptr: *mut c_void,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueNDRangeKernel(
        _command_queue: cl_command_queue,
        _kernel: cl_kernel,
        _work_dim: cl_uint,
        _global_work_offset: *const usize,
        _global_work_size: *const usize,
        _local_work_size: *const usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueTask(
        _command_queue: cl_command_queue,
        _kernel: cl_kernel,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueNativeKernel(
        _command_queue: cl_command_queue,
        _user_func: Option<unsafe extern "C" fn(*mut c_void)>,
        _args: *mut c_void,
        _cb_args: usize,
        _num_mem_objects: cl_uint,
        _mem_list: *const cl_mem,
        _args_mem_loc: *mut *const c_void,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueMarker(
        _command_queue: cl_command_queue,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueWaitForEvents(
        _command_queue: cl_command_queue,
        _num_events: cl_uint,
        _event_list: *const cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueBarrier(_command_queue: cl_command_queue) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetExtensionFunctionAddress(_func_name: *const c_char) -> *mut c_void {
        std::ptr::null_mut()
    }
    pub unsafe extern "C" fn clCreateFromGLBuffer(
        _context: cl_context,
        _flags: cl_mem_flags,
        _bufobj: cl_GLuint,
        errcode_ret: *mut cl_int,
    ) -> cl_mem {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clCreateFromGLTexture2D(
        _context: cl_context,
        _flags: cl_mem_flags,
        _target: cl_GLenum,
        _miplevel: cl_GLint,
        _texture: cl_GLuint,
        errcode_ret: *mut cl_int,
    ) -> cl_mem {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clCreateFromGLTexture3D(
        _context: cl_context,
        _flags: cl_mem_flags,
        _target: cl_GLenum,
        _miplevel: cl_GLint,
        _texture: cl_GLuint,
        errcode_ret: *mut cl_int,
    ) -> cl_mem {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clCreateFromGLRenderbuffer(
        _context: cl_context,
        _flags: cl_mem_flags,
        _renderbuffer: cl_GLuint,
        errcode_ret: *mut cl_int,
    ) -> cl_mem {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clGetGLObjectInfo(
        _memobj: cl_mem,
        _gl_object_type: *mut cl_gl_object_type,
        _gl_object_name: *mut cl_GLuint,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetGLTextureInfo(
        _memobj: cl_mem,
        _param_name: cl_gl_texture_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueAcquireGLObjects(
        _command_queue: cl_command_queue,
        _num_objects: cl_uint,
        _mem_objects: *const cl_mem,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueReleaseGLObjects(
        _command_queue: cl_command_queue,
        _num_objects: cl_uint,
        _mem_objects: *const cl_mem,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetGLContextInfoKHR(
        _properties: *const cl_context_properties,
        _param_name: cl_gl_context_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetDeviceIDsFromD3D10KHR(
        _platform: cl_platform_id,
        _d3d_device_source: cl_d3d10_device_source_khr,
        _d3d_object: *mut c_void,
        _d3d_device_set: cl_d3d10_device_set_khr,
        _num_entries: cl_uint,
        _devices: *mut cl_device_id,
        _num_devices: *mut cl_uint,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueAcquireD3D10ObjectsKHR(
        _command_queue: cl_command_queue,
        _num_objects: cl_uint,
        _mem_objects: *const cl_mem,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueReleaseD3D10ObjectsKHR(
        _command_queue: cl_command_queue,
        _num_objects: cl_uint,
        _mem_objects: *const cl_mem,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clSetEventCallback(
        _event: cl_event,
        _command_exec_callback_type: cl_int,
        _pfn_notify: Option<unsafe extern "C" fn(cl_event, cl_int, *mut c_void)>,
        _user_data: *mut c_void,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clCreateSubBuffer(
        _buffer: cl_mem,
        _flags: cl_mem_flags,
        _buffer_create_type: cl_buffer_create_type,
        _buffer_create_info: *const c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_mem {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clSetMemObjectDestructorCallback(
        _memobj: cl_mem,
        _pfn_notify: Option<unsafe extern "C" fn(cl_mem, *mut c_void)>,
        _user_data: *mut c_void,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clCreateUserEvent(_context: cl_context, errcode_ret: *mut cl_int) -> cl_event {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clSetUserEventStatus(_event: cl_event, _execution_status: cl_int) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueReadBufferRect(
        _command_queue: cl_command_queue,
        _buffer: cl_mem,
        _blocking_read: cl_bool,
        _buffer_origin: *const usize,
        _host_origin: *const usize,
        _region: *const usize,
        _buffer_row_pitch: usize,
        _buffer_slice_pitch: usize,
        _host_row_pitch: usize,
        _host_slice_pitch: usize,
        _ptr: *mut c_void,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueWriteBufferRect(
        _command_queue: cl_command_queue,
        _buffer: cl_mem,
        _blocking_write: cl_bool,
        _buffer_origin: *const usize,
        _host_origin: *const usize,
        _region: *const usize,
        _buffer_row_pitch: usize,
        _buffer_slice_pitch: usize,
        _host_row_pitch: usize,
        _host_slice_pitch: usize,
        _ptr: *const c_void,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueCopyBufferRect(
        _command_queue: cl_command_queue,
        _src_buffer: cl_mem,
        _dst_buffer: cl_mem,
        _src_origin: *const usize,
        _dst_origin: *const usize,
        _region: *const usize,
        _src_row_pitch: usize,
        _src_slice_pitch: usize,
        _dst_row_pitch: usize,
        _dst_slice_pitch: usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clCreateSubDevicesEXT(
        _in_device: cl_device_id,
        _properties: *const cl_device_partition_property_ext,
        _num_entries: cl_uint,
        _out_devices: *mut cl_device_id,
        _num_devices: *mut cl_uint,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clRetainDeviceEXT(_device: cl_device_id) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clReleaseDeviceEXT(_device: cl_device_id) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clCreateEventFromGLsyncKHR(
        _context: cl_context,
        _sync: cl_GLsync,
        errcode_ret: *mut cl_int,
    ) -> cl_event {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clCreateSubDevices(
        _in_device: cl_device_id,
        _properties: *const cl_device_partition_property,
        _num_devices: cl_uint,
        _out_devices: *mut cl_device_id,
        _num_devices_ret: *mut cl_uint,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clRetainDevice(_device: cl_device_id) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clReleaseDevice(_device: cl_device_id) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clCreateImage(
        _context: cl_context,
        _flags: cl_mem_flags,
        _image_format: *const cl_image_format,
        _image_desc: *const cl_image_desc,
        _host_ptr: *mut c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_mem {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clCreateProgramWithBuiltInKernels(
        _context: cl_context,
        _num_devices: cl_uint,
        _device_list: *const cl_device_id,
        _kernel_names: *const c_char,
        errcode_ret: *mut cl_int,
    ) -> cl_program {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clCompileProgram(
        _program: cl_program,
        _num_devices: cl_uint,
        _device_list: *const cl_device_id,
        _options: *const c_char,
        _num_input_headers: cl_uint,
        _input_headers: *const cl_program,
        _header_include_names: *mut *const c_char,
        _pfn_notify: Option<unsafe extern "C" fn(cl_program, *mut c_void)>,
        _user_data: *mut c_void,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clLinkProgram(
        _context: cl_context,
        _num_devices: cl_uint,
        _device_list: *const cl_device_id,
        _options: *const c_char,
        _num_input_programs: cl_uint,
        _input_programs: *const cl_program,
        _pfn_notify: Option<unsafe extern "C" fn(cl_program, *mut c_void)>,
        _user_data: *mut c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_program {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clUnloadPlatformCompiler(_platform: cl_platform_id) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetKernelArgInfo(
        _kernel: cl_kernel,
        _arg_index: cl_uint,
        _param_name: cl_kernel_arg_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueFillBuffer(
        _command_queue: cl_command_queue,
        _buffer: cl_mem,
        _pattern: *const c_void,
        _pattern_size: usize,
        _offset: usize,
        _size: usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueFillImage(
        _command_queue: cl_command_queue,
        _image: cl_mem,
        _fill_color: *const c_void,
        _origin: *const usize,
        _region: *const usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueMigrateMemObjects(
        _command_queue: cl_command_queue,
        _num_mem_objects: cl_uint,
        _mem_objects: *const cl_mem,
        _flags: cl_mem_migration_flags,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueMarkerWithWaitList(
        _command_queue: cl_command_queue,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueBarrierWithWaitList(
        _command_queue: cl_command_queue,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetExtensionFunctionAddressForPlatform(
        _platform: cl_platform_id,
        _func_name: *const c_char,
    ) -> *mut c_void {
        std::ptr::null_mut()
    }
    pub unsafe extern "C" fn clCreateFromGLTexture(
        _context: cl_context,
        _flags: cl_mem_flags,
        _target: cl_GLenum,
        _miplevel: cl_GLint,
        _texture: cl_GLuint,
        errcode_ret: *mut cl_int,
    ) -> cl_mem {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clGetDeviceIDsFromD3D11KHR(
        _platform: cl_platform_id,
        _d3d_device_source: cl_d3d11_device_source_khr,
        _d3d_object: *mut c_void,
        _d3d_device_set: cl_d3d11_device_set_khr,
        _num_entries: cl_uint,
        _devices: *mut cl_device_id,
        _num_devices: *mut cl_uint,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clCreateFromDX9MediaSurfaceKHR(
        _context: cl_context,
        _flags: cl_mem_flags,
        _adapter_type: cl_dx9_media_adapter_type_khr,
        _surface_info: *mut c_void,
        _plane: cl_uint,
        errcode_ret: *mut cl_int,
    ) -> cl_mem {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clEnqueueAcquireD3D11ObjectsKHR(
        _command_queue: cl_command_queue,
        _num_objects: cl_uint,
        _mem_objects: *const cl_mem,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueReleaseD3D11ObjectsKHR(
        _command_queue: cl_command_queue,
        _num_objects: cl_uint,
        _mem_objects: *const cl_mem,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetDeviceIDsFromDX9MediaAdapterKHR(
        _platform: cl_platform_id,
        _num_media_adapters: cl_uint,
        _media_adapter_type: *mut cl_dx9_media_adapter_type_khr,
        _media_adapters: *mut c_void,
        _media_adapter_set: cl_dx9_media_adapter_set_khr,
        _num_entries: cl_uint,
        _devices: *mut cl_device_id,
        _num_devices: *mut cl_uint,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueAcquireDX9MediaSurfacesKHR(
        _command_queue: cl_command_queue,
        _num_objects: cl_uint,
        _mem_objects: *const cl_mem,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueReleaseDX9MediaSurfacesKHR(
        _command_queue: cl_command_queue,
        _num_objects: cl_uint,
        _mem_objects: *const cl_mem,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clCreateFromEGLImageKHR(
        _context: cl_context,
        _egldisplay: CLeglDisplayKHR,
        _eglimage: CLeglImageKHR,
        _flags: cl_mem_flags,
        _properties: *const cl_egl_image_properties_khr,
        errcode_ret: *mut cl_int,
    ) -> cl_mem {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clEnqueueAcquireEGLObjectsKHR(
        _command_queue: cl_command_queue,
        _num_objects: cl_uint,
        _mem_objects: *const cl_mem,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueReleaseEGLObjectsKHR(
        _command_queue: cl_command_queue,
        _num_objects: cl_uint,
        _mem_objects: *const cl_mem,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clCreateEventFromEGLSyncKHR(
        _context: cl_context,
        _sync: CLeglSyncKHR,
        _display: CLeglDisplayKHR,
        errcode_ret: *mut cl_int,
    ) -> cl_event {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clCreateCommandQueueWithProperties(
        _context: cl_context,
        _device: cl_device_id,
        _properties: *const cl_queue_properties,
        errcode_ret: *mut cl_int,
    ) -> cl_command_queue {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clCreatePipe(
        _context: cl_context,
        _flags: cl_mem_flags,
        _pipe_packet_size: cl_uint,
        _pipe_max_packets: cl_uint,
        _properties: *const cl_pipe_properties,
        errcode_ret: *mut cl_int,
    ) -> cl_mem {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clGetPipeInfo(
        _pipe: cl_mem,
        _param_name: cl_pipe_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clSVMAlloc(
        _context: cl_context,
        _flags: cl_svm_mem_flags,
        _size: usize,
        _alignment: cl_uint,
    ) -> *mut c_void {
        std::ptr::null_mut()
    }
    pub unsafe extern "C" fn clSVMFree(_context: cl_context, _svm_pointer: *mut c_void) {}
    pub unsafe extern "C" fn clEnqueueSVMFree(
        _command_queue: cl_command_queue,
        _num_svm_pointers: cl_uint,
        _svm_pointers: *mut *mut c_void,
        _pfn_free_func: Option<
            unsafe extern "C" fn(cl_command_queue, cl_uint, *mut *mut c_void, *mut c_void),
        >,
        _user_data: *mut c_void,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueSVMMemcpy(
        _command_queue: cl_command_queue,
        _blocking_copy: cl_bool,
        _dst_ptr: *mut c_void,
        _src_ptr: *const c_void,
        _size: usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueSVMMemFill(
        _command_queue: cl_command_queue,
        _svm_ptr: *mut c_void,
        _pattern: *const c_void,
        _pattern_size: usize,
        _size: usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueSVMMap(
        _command_queue: cl_command_queue,
        _blocking_map: cl_bool,
        _flags: cl_map_flags,
        _svm_ptr: *mut c_void,
        _size: usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clEnqueueSVMUnmap(
        _command_queue: cl_command_queue,
        _svm_ptr: *mut c_void,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clCreateSamplerWithProperties(
        _context: cl_context,
        _sampler_properties: *const cl_sampler_properties,
        errcode_ret: *mut cl_int,
    ) -> cl_sampler {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clSetKernelArgSVMPointer(
        _kernel: cl_kernel,
        _arg_index: cl_uint,
        _arg_value: *const c_void,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clSetKernelExecInfo(
        _kernel: cl_kernel,
        _param_name: cl_kernel_exec_info,
        _param_value_size: usize,
        _param_value: *const c_void,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetKernelSubGroupInfoKHR(
        _in_kernel: cl_kernel,
        _in_device: cl_device_id,
        _param_name: cl_kernel_sub_group_info,
        _input_value_size: usize,
        _input_value: *const c_void,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clCloneKernel(_source_kernel: cl_kernel, errcode_ret: *mut cl_int) -> cl_kernel {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clCreateProgramWithIL(
        _context: cl_context,
        _il: *const c_void,
        _length: usize,
        errcode_ret: *mut cl_int,
    ) -> cl_program {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clEnqueueSVMMigrateMem(
        _command_queue: cl_command_queue,
        _num_svm_pointers: cl_uint,
        _svm_pointers: *mut *const c_void,
        _sizes: *const usize,
        _flags: cl_mem_migration_flags,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetDeviceAndHostTimer(
        _device: cl_device_id,
        _device_timestamp: *mut cl_ulong,
        _host_timestamp: *mut cl_ulong,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetHostTimer(_device: cl_device_id, _host_timestamp: *mut cl_ulong) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetKernelSubGroupInfo(
        _kernel: cl_kernel,
        _device: cl_device_id,
        _param_name: cl_kernel_sub_group_info,
        _input_value_size: usize,
        _input_value: *const c_void,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clSetDefaultDeviceCommandQueue(
        _context: cl_context,
        _device: cl_device_id,
        _command_queue: cl_command_queue,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clSetProgramReleaseCallback(
        _program: cl_program,
        _pfn_notify: Option<unsafe extern "C" fn(cl_program, *mut c_void)>,
        _user_data: *mut c_void,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clSetProgramSpecializationConstant(
        _program: cl_program,
        _spec_id: cl_uint,
        _spec_size: usize,
        _spec_value: *const c_void,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clCreateBufferWithProperties(
        _context: cl_context,
        _properties: *const cl_mem_properties,
        _flags: cl_mem_flags,
        _size: usize,
        _host_ptr: *mut c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_mem {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clCreateImageWithProperties(
        _context: cl_context,
        _properties: *const cl_mem_properties,
        _flags: cl_mem_flags,
        _image_format: *const cl_image_format,
        _image_desc: *const cl_image_desc,
        _host_ptr: *mut c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_mem {
        fail(errcode_ret)
    }
    pub unsafe extern "C" fn clSetContextDestructorCallback(
        _context: cl_context,
        _pfn_notify: Option<unsafe extern "C" fn(cl_context, *mut c_void)>,
        _user_data: *mut c_void,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
    pub unsafe extern "C" fn clGetKernelSuggestedLocalWorkSize(
        _command_queue: cl_command_queue,
        _kernel: cl_kernel,
        _work_dim: cl_uint,
        _global_work_offset: *const usize,
        _global_work_size: *const usize,
        _suggested_local_work_size: *mut usize,
    ) -> cl_int {
        CL_INVALID_OPERATION
    }
}
