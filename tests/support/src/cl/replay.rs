//! Command buffers of the small binding in `cl.rs`, if the platform supports them.

use super::{Kernel, Session, check};
use pyroclast_runtime::cl::*;
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

type Create =
    unsafe extern "C" fn(cl_uint, *const cl_command_queue, *const u64, *mut cl_int) -> cl_command_buffer_khr;
type OfBuffer = unsafe extern "C" fn(cl_command_buffer_khr) -> cl_int;
type Enqueue = unsafe extern "C" fn(
    cl_uint,
    *const cl_command_queue,
    cl_command_buffer_khr,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;
type Launch = unsafe extern "C" fn(
    cl_command_buffer_khr,
    cl_command_queue,
    *const u64,
    cl_kernel,
    cl_uint,
    *const usize,
    *const usize,
    *const usize,
    cl_uint,
    *const cl_sync_point_khr,
    *mut cl_sync_point_khr,
    *mut cl_mutable_command_khr,
) -> cl_int;

/// A finalized command buffer.
pub struct Replay {
    buffer: cl_command_buffer_khr,
    enqueue: Enqueue,
    release: OfBuffer,
}

impl Session<'_> {
    fn function<T: Copy>(&self, name: &CStr) -> Result<T, String> {
        let mut platform: cl_platform_id = null_mut();
        // SAFETY: room for the handle.
        check("clGetDeviceInfo", unsafe {
            let size = size_of::<cl_platform_id>();
            (self.api.clGetDeviceInfo)(
                self.device.id,
                CL_DEVICE_PLATFORM,
                size,
                (&raw mut platform).cast(),
                null_mut(),
            )
        })?;
        // SAFETY: a live platform and a terminated name.
        let address = unsafe { (self.api.clGetExtensionFunctionAddressForPlatform)(platform, name.as_ptr()) };
        if address.is_null() || size_of::<T>() != size_of::<*mut c_void>() {
            return Err(format!("no {name:?}"));
        }
        // SAFETY: the caller names the type of the function.
        Ok(unsafe { std::mem::transmute_copy(&address) })
    }

    /// Records a launch several times; `None` without support for command buffers.
    pub fn record(
        &self,
        kernel: &Kernel<'_>,
        times: usize,
        global: usize,
        local: usize,
    ) -> Result<Option<Replay>, String> {
        if !self.extensions().split(' ').any(|e| e == "cl_khr_command_buffer") {
            return Ok(None);
        }
        let create: Create = self.function(c"clCreateCommandBufferKHR")?;
        let launch: Launch = self.function(c"clCommandNDRangeKernelKHR")?;
        let finalize: OfBuffer = self.function(c"clFinalizeCommandBufferKHR")?;
        let mut code = 0;
        // SAFETY: one live queue.
        let buffer = unsafe { create(1, &self.queue, null(), &mut code) };
        check("clCreateCommandBufferKHR", code)?;
        let replay = Replay {
            buffer,
            enqueue: self.function(c"clEnqueueCommandBufferKHR")?,
            release: self.function(c"clReleaseCommandBufferKHR")?,
        };
        for _ in 0..times {
            let (queue, none) = (null_mut(), null_mut());
            // SAFETY: live handles, sizes of one dimension.
            check("clCommandNDRangeKernelKHR", unsafe {
                launch(
                    buffer,
                    queue,
                    null(),
                    kernel.kernel,
                    1,
                    null(),
                    &global,
                    &local,
                    0,
                    null(),
                    null_mut(),
                    none,
                )
            })?;
        }
        // SAFETY: a live handle.
        check("clFinalizeCommandBufferKHR", unsafe { finalize(buffer) })?;
        Ok(Some(replay))
    }
}

impl Replay {
    /// Enqueues the command buffer.
    pub fn enqueue(&self) -> Result<(), String> {
        // SAFETY: a live handle.
        check("clEnqueueCommandBufferKHR", unsafe {
            (self.enqueue)(0, null(), self.buffer, 0, null(), null_mut())
        })
    }
}

impl Drop for Replay {
    fn drop(&mut self) {
        // SAFETY: the handle is ours and released once.
        unsafe { (self.release)(self.buffer) };
    }
}
