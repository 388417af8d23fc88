//! The dispatch table of loaders, and the lookup of functions by name.
//!
//! The two slots that ICD 2 reserves contain its tag. A function that is not named here returns
//! CL_INVALID_OPERATION, so no slot of the table that a loader may call is null.

use crate::api::platform;
use crate::autogen_dispatch::{Dispatch, MISSING};
use std::ffi::c_void;

macro_rules! dispatch_table {
    ($($module:ident: [$($name:ident),* $(,)?])*) => {
        /// The dispatch table that the first word of every handle points to.
        pub static DISPATCH: Dispatch = Dispatch {
            $($($name: crate::api::$module::$name,)*)*
            ..MISSING
        };
    };
}

// One block per file of `api/`, in alphabetical order.
dispatch_table! {
    buffer: [
        clCreateBuffer, clCreateBufferWithProperties, clCreateSubBuffer, clRetainMemObject,
        clReleaseMemObject, clSetMemObjectDestructorCallback, clGetMemObjectInfo,
    ]

    context: [
        clCreateContext, clCreateContextFromType, clRetainContext, clReleaseContext, clGetContextInfo,
        clSetContextDestructorCallback,
    ]

    device: [
        clGetDeviceInfo, clRetainDevice, clReleaseDevice, clCreateSubDevices, clGetDeviceAndHostTimer,
        clGetHostTimer, clSetDefaultDeviceCommandQueue,
    ]

    enqueue: [
        clEnqueueReadBuffer, clEnqueueWriteBuffer, clEnqueueReadBufferRect, clEnqueueWriteBufferRect,
        clEnqueueCopyBuffer, clEnqueueCopyBufferRect, clEnqueueFillBuffer, clEnqueueMapBuffer,
        clEnqueueUnmapMemObject, clEnqueueMigrateMemObjects, clEnqueueNDRangeKernel, clEnqueueTask,
        clEnqueueMarkerWithWaitList, clEnqueueBarrierWithWaitList, clEnqueueMarker, clEnqueueBarrier,
        clEnqueueWaitForEvents,
    ]

    event: [
        clCreateUserEvent, clSetUserEventStatus, clWaitForEvents, clGetEventInfo, clRetainEvent,
        clReleaseEvent, clSetEventCallback, clGetEventProfilingInfo,
    ]

    image: [
        clGetSupportedImageFormats, clCreateImage, clCreateImageWithProperties, clCreateImage2D,
        clCreateImage3D, clGetImageInfo, clEnqueueReadImage, clEnqueueWriteImage, clEnqueueFillImage,
        clEnqueueCopyImage, clEnqueueCopyImageToBuffer, clEnqueueCopyBufferToImage, clEnqueueMapImage,
    ]

    kernel: [
        clCreateKernel, clCreateKernelsInProgram, clRetainKernel, clReleaseKernel, clCloneKernel,
        clSetKernelArg, clSetKernelArgSVMPointer, clSetKernelExecInfo, clGetKernelInfo, clGetKernelArgInfo,
        clGetKernelWorkGroupInfo, clGetKernelSubGroupInfo, clGetKernelSubGroupInfoKHR,
        clGetKernelSuggestedLocalWorkSize,
    ]

    native: [clEnqueueNativeKernel]

    pipe: [
        clCreatePipe, clGetPipeInfo,
    ]

    platform: [
        clGetPlatformInfo, clGetDeviceIDs, clGetExtensionFunctionAddress,
        clGetExtensionFunctionAddressForPlatform, clUnloadPlatformCompiler,
    ]

    program: [
        clCreateProgramWithSource, clCreateProgramWithIL, clCreateProgramWithBinary,
        clCreateProgramWithBuiltInKernels, clRetainProgram, clReleaseProgram, clSetProgramReleaseCallback,
        clSetProgramSpecializationConstant, clBuildProgram, clCompileProgram, clLinkProgram, clGetProgramInfo,
        clGetProgramBuildInfo,
    ]

    queue: [
        clCreateCommandQueue, clCreateCommandQueueWithProperties, clRetainCommandQueue, clReleaseCommandQueue,
        clGetCommandQueueInfo, clSetCommandQueueProperty, clFlush, clFinish,
    ]

    sampler: [
        clCreateSampler, clCreateSamplerWithProperties, clRetainSampler, clReleaseSampler, clGetSamplerInfo,
    ]

    svm: [
        clSVMAlloc, clSVMFree, clEnqueueSVMFree, clEnqueueSVMMemcpy, clEnqueueSVMMemFill, clEnqueueSVMMap,
        clEnqueueSVMUnmap, clEnqueueSVMMigrateMem,
    ]
}

macro_rules! extension_table {
    ($($module:ident: [$($name:ident),* $(,)?])*) => {
        /// Extension functions by name.
        const EXTENSIONS: &[(&str, fn() -> *const c_void)] =
            &[$($((stringify!($name), || crate::api::$module::$name as *const c_void),)*)*];
    };
}

// One block per file of `api/`, in alphabetical order.
extension_table! {
    command_buffer: [
        clCreateCommandBufferKHR, clRetainCommandBufferKHR, clReleaseCommandBufferKHR,
        clFinalizeCommandBufferKHR, clEnqueueCommandBufferKHR, clCommandBarrierWithWaitListKHR,
        clCommandCopyBufferKHR, clCommandCopyBufferRectKHR, clCommandCopyBufferToImageKHR,
        clCommandCopyImageKHR, clCommandCopyImageToBufferKHR, clCommandFillBufferKHR, clCommandFillImageKHR,
        clCommandSVMMemcpyKHR, clCommandSVMMemFillKHR, clCommandNDRangeKernelKHR, clUpdateMutableCommandsKHR,
        clGetCommandBufferInfoKHR, clRemapCommandBufferKHR, clGetMutableCommandInfoKHR,
    ]

    external: [clEnqueueAcquireExternalMemObjectsKHR, clEnqueueReleaseExternalMemObjectsKHR]

    image: [clGetImageRequirementsInfoEXT]

    import: [clImportMemoryARM]

    kernel: [clSetKernelArgDevicePointerEXT]

    platform: [clIcdGetPlatformIDsKHR, clIcdGetFunctionAddressForPlatformKHR, clIcdSetPlatformDispatchDataKHR]

    semaphore: [
        clCreateSemaphoreWithPropertiesKHR, clRetainSemaphoreKHR, clReleaseSemaphoreKHR,
        clEnqueueWaitSemaphoresKHR, clEnqueueSignalSemaphoresKHR, clGetSemaphoreInfoKHR,
        clGetSemaphoreHandleForTypeKHR, clReImportSemaphoreSyncFdKHR,
    ]

    unified_svm: [
        clSVMAllocWithPropertiesKHR, clSVMFreeWithPropertiesKHR, clGetSVMPointerInfoKHR,
        clGetSVMSuggestedTypeIndexKHR,
    ]

    usm: [
        clHostMemAllocINTEL, clDeviceMemAllocINTEL, clSharedMemAllocINTEL, clMemFreeINTEL,
        clMemBlockingFreeINTEL, clGetMemAllocInfoINTEL, clSetKernelArgMemPointerINTEL, clEnqueueMemFillINTEL,
        clEnqueueMemsetINTEL, clEnqueueMemcpyINTEL, clEnqueueMigrateMemINTEL, clEnqueueMemAdviseINTEL,
    ]
}

/// Extension functions that are core functions under another name.
const ALIASES: &[(&str, &str)] = &[
    ("clCreateCommandQueueWithPropertiesKHR", "clCreateCommandQueueWithProperties"),
    ("clCreateProgramWithILKHR", "clCreateProgramWithIL"),
    ("clGetKernelSuggestedLocalWorkSizeKHR", "clGetKernelSuggestedLocalWorkSize"),
];

/// The address of an implemented extension function; `None` for core functions.
pub(crate) fn find_extension(name: &str) -> Option<*const c_void> {
    if let Some((_, address)) = EXTENSIONS.iter().find(|(own, _)| *own == name) {
        return Some(address());
    }
    let core = ALIASES.iter().find(|(alias, _)| *alias == name)?.1;
    let (found, missing) = (DISPATCH.find(core)?, MISSING.find(core)?);
    (found != missing).then_some(found)
}

/// The address of any function: core, or extension.
pub fn find(name: &str) -> Option<*const c_void> {
    match name {
        "clGetPlatformIDs" => Some(platform::clGetPlatformIDs as *const c_void),
        "clUnloadCompiler" => Some(platform::clUnloadCompiler as *const c_void),
        _ => DISPATCH.find(name).or_else(|| find_extension(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::autogen_dispatch::CL_ICD2_TAG_KHR;

    #[test]
    fn the_table_has_the_slots_of_the_abi() {
        assert_eq!(DISPATCH.clGetPlatformIDs, CL_ICD2_TAG_KHR);
        assert_eq!(DISPATCH.clUnloadCompiler, CL_ICD2_TAG_KHR);
        assert_eq!(std::mem::offset_of!(Dispatch, clGetPlatformInfo), size_of::<usize>());
        assert_eq!(size_of::<Dispatch>(), 150 * size_of::<usize>());
    }

    #[test]
    fn extensions_are_found_and_core_functions_are_not() {
        assert!(find_extension("clIcdGetPlatformIDsKHR").is_some());
        assert!(find_extension("clGetPlatformInfo").is_none());
        assert!(find_extension("clCreateNothingKHR").is_none());
        assert!(find("clGetPlatformInfo").is_some());
        assert!(find("clGetPlatformIDs").is_some());
    }
}
