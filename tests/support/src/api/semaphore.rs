//! The functions of cl_khr_semaphore and cl_khr_external_semaphore.

use super::*;
use crate::extension_functions;

extension_functions! {
    fn clCreateSemaphoreWithPropertiesKHR(context: cl_context, list: *const u64,
        code: *mut cl_int) -> cl_semaphore_khr;
    fn clRetainSemaphoreKHR(semaphore: cl_semaphore_khr) -> cl_int;
    fn clReleaseSemaphoreKHR(semaphore: cl_semaphore_khr) -> cl_int;
    fn clEnqueueWaitSemaphoresKHR(
        queue: cl_command_queue, n: cl_uint, list: *const cl_semaphore_khr, payloads: *const u64,
        num_events: cl_uint, events: *const cl_event, event: *mut cl_event
    ) -> cl_int;
    fn clEnqueueSignalSemaphoresKHR(
        queue: cl_command_queue, n: cl_uint, list: *const cl_semaphore_khr, payloads: *const u64,
        num_events: cl_uint, events: *const cl_event, event: *mut cl_event
    ) -> cl_int;
    fn clGetSemaphoreInfoKHR(
        semaphore: cl_semaphore_khr, name: cl_uint, size: usize, value: *mut c_void, size_ret: *mut usize
    ) -> cl_int;
    fn clGetSemaphoreHandleForTypeKHR(
        semaphore: cl_semaphore_khr, device: cl_device_id, kind: cl_uint, size: usize, handle: *mut c_void,
        size_ret: *mut usize
    ) -> cl_int;
    fn clReImportSemaphoreSyncFdKHR(semaphore: cl_semaphore_khr, list: *mut u64, fd: i32) -> cl_int;
}
