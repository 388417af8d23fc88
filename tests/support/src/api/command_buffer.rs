//! The functions of cl_khr_command_buffer and cl_khr_command_buffer_mutable_dispatch.

use super::*;
use crate::extension_functions;

extension_functions! {
    fn clCreateCommandBufferKHR(
        n: cl_uint, queues: *const cl_command_queue, properties: *const cl_command_buffer_properties_khr,
        code: *mut cl_int
    ) -> cl_command_buffer_khr;
    fn clRetainCommandBufferKHR(buffer: cl_command_buffer_khr) -> cl_int;
    fn clReleaseCommandBufferKHR(buffer: cl_command_buffer_khr) -> cl_int;
    fn clFinalizeCommandBufferKHR(buffer: cl_command_buffer_khr) -> cl_int;
    fn clEnqueueCommandBufferKHR(
        n: cl_uint, queues: *const cl_command_queue, buffer: cl_command_buffer_khr, num_events: cl_uint,
        events: *const cl_event, event: *mut cl_event
    ) -> cl_int;
    fn clCommandBarrierWithWaitListKHR(
        buffer: cl_command_buffer_khr, queue: cl_command_queue, properties: *const cl_command_properties_khr,
        n: cl_uint, waits: *const cl_sync_point_khr, point: *mut cl_sync_point_khr,
        handle: *mut cl_mutable_command_khr
    ) -> cl_int;
    fn clCommandCopyBufferKHR(
        buffer: cl_command_buffer_khr, queue: cl_command_queue, properties: *const cl_command_properties_khr,
        src: cl_mem, dst: cl_mem, src_offset: usize, dst_offset: usize, size: usize, n: cl_uint,
        waits: *const cl_sync_point_khr, point: *mut cl_sync_point_khr, handle: *mut cl_mutable_command_khr
    ) -> cl_int;
    fn clCommandCopyBufferRectKHR(
        buffer: cl_command_buffer_khr, queue: cl_command_queue, properties: *const cl_command_properties_khr,
        src: cl_mem, dst: cl_mem, src_origin: *const usize, dst_origin: *const usize, region: *const usize,
        src_row: usize, src_slice: usize, dst_row: usize, dst_slice: usize, n: cl_uint,
        waits: *const cl_sync_point_khr, point: *mut cl_sync_point_khr, handle: *mut cl_mutable_command_khr
    ) -> cl_int;
    fn clCommandFillBufferKHR(
        buffer: cl_command_buffer_khr, queue: cl_command_queue, properties: *const cl_command_properties_khr,
        mem: cl_mem, pattern: *const c_void, pattern_size: usize, offset: usize, size: usize, n: cl_uint,
        waits: *const cl_sync_point_khr, point: *mut cl_sync_point_khr, handle: *mut cl_mutable_command_khr
    ) -> cl_int;
    fn clCommandNDRangeKernelKHR(
        buffer: cl_command_buffer_khr, queue: cl_command_queue, properties: *const cl_command_properties_khr,
        kernel: cl_kernel, dims: cl_uint, offset: *const usize, global: *const usize, local: *const usize,
        n: cl_uint, waits: *const cl_sync_point_khr, point: *mut cl_sync_point_khr,
        handle: *mut cl_mutable_command_khr
    ) -> cl_int;
    fn clUpdateMutableCommandsKHR(
        buffer: cl_command_buffer_khr, n: cl_uint, types: *const cl_command_buffer_update_type_khr,
        configs: *const *const c_void
    ) -> cl_int;
    fn clRemapCommandBufferKHR(
        buffer: cl_command_buffer_khr, automatic: cl_bool, n: cl_uint, queues: *const cl_command_queue,
        num_handles: cl_uint, handles: *const cl_mutable_command_khr,
        handles_ret: *mut cl_mutable_command_khr, code: *mut cl_int
    ) -> cl_command_buffer_khr;
    fn clGetCommandBufferInfoKHR(
        buffer: cl_command_buffer_khr, name: cl_command_buffer_info_khr, size: usize, value: *mut c_void,
        size_ret: *mut usize
    ) -> cl_int;
    fn clGetMutableCommandInfoKHR(
        command: cl_mutable_command_khr, name: cl_mutable_command_info_khr, size: usize, value: *mut c_void,
        size_ret: *mut usize
    ) -> cl_int;
    fn clCommandCopyImageKHR(
        buffer: cl_command_buffer_khr, queue: cl_command_queue, properties: *const cl_command_properties_khr,
        src: cl_mem, dst: cl_mem, src_origin: *const usize, dst_origin: *const usize, region: *const usize,
        n: cl_uint, waits: *const cl_sync_point_khr, point: *mut cl_sync_point_khr,
        handle: *mut cl_mutable_command_khr
    ) -> cl_int;
    fn clCommandCopyBufferToImageKHR(
        buffer: cl_command_buffer_khr, queue: cl_command_queue, properties: *const cl_command_properties_khr,
        src: cl_mem, dst: cl_mem, offset: usize, origin: *const usize, region: *const usize, n: cl_uint,
        waits: *const cl_sync_point_khr, point: *mut cl_sync_point_khr, handle: *mut cl_mutable_command_khr
    ) -> cl_int;
    fn clCommandCopyImageToBufferKHR(
        buffer: cl_command_buffer_khr, queue: cl_command_queue, properties: *const cl_command_properties_khr,
        src: cl_mem, dst: cl_mem, origin: *const usize, region: *const usize, offset: usize, n: cl_uint,
        waits: *const cl_sync_point_khr, point: *mut cl_sync_point_khr, handle: *mut cl_mutable_command_khr
    ) -> cl_int;
    fn clCommandFillImageKHR(
        buffer: cl_command_buffer_khr, queue: cl_command_queue, properties: *const cl_command_properties_khr,
        image: cl_mem, color: *const c_void, origin: *const usize, region: *const usize, n: cl_uint,
        waits: *const cl_sync_point_khr, point: *mut cl_sync_point_khr, handle: *mut cl_mutable_command_khr
    ) -> cl_int;
}
