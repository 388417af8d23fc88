//! The core API of the loader as functions, and the extension functions that tests use.

pub use pyroclast_runtime::cl::*;
pub use test_support::api::autogen_api::*;

use std::ffi::{CStr, CString, c_void};
use std::ptr::{null, null_mut};

/// The platforms, in the loader's order.
pub fn platforms() -> Vec<cl_platform_id> {
    let mut count = 0;
    // SAFETY: a query of the count, then of as many handles.
    unsafe {
        if clGetPlatformIDs(0, null_mut(), &mut count) != CL_SUCCESS {
            return Vec::new();
        }
        let mut list = vec![null_mut(); count as usize];
        clGetPlatformIDs(count, list.as_mut_ptr(), null_mut());
        list
    }
}

/// A numeric device query.
pub fn device_number(device: cl_device_id, name: cl_uint) -> u64 {
    let mut value = 0u64;
    let mut size = 0;
    // SAFETY: at most eight bytes are written to eight; the machine is little-endian, so smaller numbers fit
    // too.
    let code = unsafe { clGetDeviceInfo(device, name, 8, (&raw mut value).cast(), &mut size) };
    if code == CL_SUCCESS { value } else { 0 }
}

/// A textual device query.
pub fn device_text(device: cl_device_id, name: cl_uint) -> String {
    let mut size = 0;
    // SAFETY: a query of the size, then of as many bytes.
    unsafe {
        if clGetDeviceInfo(device, name, 0, null_mut(), &mut size) != CL_SUCCESS {
            return String::new();
        }
        let mut bytes = vec![0u8; size];
        clGetDeviceInfo(device, name, size, bytes.as_mut_ptr().cast(), null_mut());
        String::from_utf8_lossy(&bytes).trim_end_matches('\0').trim().to_owned()
    }
}

/// The version of the device, e.g. 300.
pub fn version(device: cl_device_id) -> u32 {
    let text = device_text(device, CL_DEVICE_VERSION);
    let number =
        text.strip_prefix("OpenCL ").and_then(|t| t.split(' ').next()).and_then(|t| t.split_once('.'));
    number.and_then(|(a, b)| Some(a.parse::<u32>().ok()? * 100 + b.parse::<u32>().ok()? * 10)).unwrap_or(0)
}

/// Unless the call succeeded, an error that names it.
pub fn ok(what: &str, code: cl_int) -> Result<(), String> {
    if code == CL_SUCCESS { Ok(()) } else { Err(format!("{what} gives {code}")) }
}

/// A context with a queue, a program and a buffer, released on drop.
pub struct Rig {
    pub device: cl_device_id,
    pub context: cl_context,
    pub queue: cl_command_queue,
    pub program: cl_program,
    pub buffer: cl_mem,
}

/// Size of the buffer in bytes.
pub const SIZE: usize = 4096;

impl Rig {
    pub fn new(
        device: cl_device_id,
        properties: cl_command_queue_properties,
        source: &str,
    ) -> Result<Rig, String> {
        Rig::with_options(device, properties, source, c"")
    }

    pub fn with_options(
        device: cl_device_id,
        properties: cl_command_queue_properties,
        source: &str,
        options: &CStr,
    ) -> Result<Rig, String> {
        let mut code = 1;
        let mut rig =
            Rig { device, context: null_mut(), queue: null_mut(), program: null_mut(), buffer: null_mut() };
        let text = CString::new(source).map_err(|e| e.to_string())?;
        // SAFETY: one live device, terminated strings, no callbacks.
        unsafe {
            rig.context = clCreateContext(null(), 1, &device, None, null_mut(), &mut code);
            ok("clCreateContext", code)?;
            rig.queue = clCreateCommandQueue(rig.context, device, properties, &mut code);
            ok("clCreateCommandQueue", code)?;
            rig.program = clCreateProgramWithSource(rig.context, 1, &mut text.as_ptr(), null(), &mut code);
            ok("clCreateProgramWithSource", code)?;
            ok("clBuildProgram", clBuildProgram(rig.program, 0, null(), options.as_ptr(), None, null_mut()))?;
            let zeros = vec![0u8; SIZE];
            let flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
            rig.buffer =
                clCreateBuffer(rig.context, flags, SIZE, zeros.as_ptr().cast_mut().cast(), &mut code);
            ok("clCreateBuffer", code)?;
        }
        Ok(rig)
    }

    pub fn kernel(&self, name: &str) -> cl_kernel {
        let (name, mut code) = (CString::new(name).unwrap_or_default(), 1);
        // SAFETY: a terminated string.
        unsafe { clCreateKernel(self.program, name.as_ptr(), &mut code) }
    }

    /// Reads the beginning of the buffer, after all other commands of the queue.
    pub fn read(&self, count: usize) -> Result<Vec<u32>, String> {
        let mut out = vec![0u32; count];
        let to: *mut c_void = out.as_mut_ptr().cast();
        // SAFETY: room for the elements.
        let code = unsafe {
            clEnqueueReadBuffer(self.queue, self.buffer, 1, 0, count * 4, to, 0, null(), null_mut())
        };
        if code == CL_SUCCESS { Ok(out) } else { Err(format!("clEnqueueReadBuffer gives {code}")) }
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        // SAFETY: each handle is released once; NULL handles are refused.
        unsafe {
            clReleaseMemObject(self.buffer);
            clReleaseProgram(self.program);
            clReleaseCommandQueue(self.queue);
            clReleaseContext(self.context);
        }
    }
}
