//! A context with queues, buffers, kernels and events in short form: every call is checked. Objects are plain
//! handles, which tests release or leave to the end of the process.

use super::*;
use std::ffi::{CString, c_char};

/// Kernels that do not commute, so that the result shows their order.
pub const STEPS: &str = "
kernel void step(global uint *p, uint factor, uint addend) {
    size_t i = get_global_id(0);
    p[i] = p[i] * factor + addend;
}
kernel void combine(global uint *to, global const uint *from) {
    size_t i = get_global_id(0);
    to[i] = to[i] * 3 + from[i];
}
";

/// A context of the first device with a program.
#[derive(Clone, Copy)]
pub struct Rig {
    pub device: cl_device_id,
    pub context: cl_context,
    pub program: cl_program,
}

// SAFETY: handles may be used by any thread.
unsafe impl Send for Rig {}
// SAFETY: as above.
unsafe impl Sync for Rig {}

/// A handle for use in other threads.
pub struct Any<T>(pub *mut T);
impl<T> Any<T> {
    /// The handle; a method, so that closures capture the whole struct.
    pub fn get(&self) -> *mut T {
        self.0
    }
}
// SAFETY: handles may be used by any thread.
unsafe impl<T> Send for Any<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Any<T> {}

pub const OUT_OF_ORDER: cl_command_queue_properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

#[track_caller]
pub fn ok(code: cl_int) {
    assert_eq!(code, CL_SUCCESS);
}

impl Rig {
    pub fn new(source: &str) -> Rig {
        Rig::with_options(source, "")
    }
    /// Builds a program with options.
    pub fn with_options(source: &str, options: &str) -> Rig {
        let (device, context) = (device(), context());
        let program = build_with(context, device, source, options).unwrap_or_else(|log| panic!("{log}"));
        Rig { device, context, program }
    }
    pub fn queue(&self, properties: cl_command_queue_properties) -> cl_command_queue {
        let mut code = 1;
        // SAFETY: live handles.
        let queue = unsafe { clCreateCommandQueue(self.context, self.device, properties, &mut code) };
        ok(code);
        queue
    }
    pub fn kernel(&self, name: &str) -> cl_kernel {
        let (name, mut code) = (CString::new(name).unwrap(), 1);
        // SAFETY: a terminated string.
        let kernel = unsafe { clCreateKernel(self.program, name.as_ptr(), &mut code) };
        ok(code);
        kernel
    }
    pub fn buffer<T: Copy>(&self, content: &[T]) -> cl_mem {
        let (mut code, flags) = (1, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR);
        // SAFETY: the content has the size.
        let mem = unsafe {
            clCreateBuffer(
                self.context,
                flags,
                size_of_val(content),
                content.as_ptr().cast_mut().cast(),
                &mut code,
            )
        };
        ok(code);
        mem
    }
    pub fn gate(&self) -> cl_event {
        let mut code = 1;
        // SAFETY: a live handle.
        let event = unsafe { clCreateUserEvent(self.context, &mut code) };
        ok(code);
        event
    }
}

/// A context of the devices.
pub fn context_of(devices: &[cl_device_id]) -> cl_context {
    let (count, mut code) = (devices.len() as u32, 1);
    // SAFETY: the count agrees with the list.
    let context = unsafe { clCreateContext(null(), count, devices.as_ptr(), None, null_mut(), &mut code) };
    ok(code);
    context
}

/// A program with the source, not built.
pub fn program_of(context: cl_context, source: &str) -> cl_program {
    let (mut text, length, mut code) = (source.as_ptr().cast::<c_char>(), source.len(), 1);
    // SAFETY: one string with its length.
    let program = unsafe { clCreateProgramWithSource(context, 1, &mut text, &length, &mut code) };
    ok(code);
    program
}

/// Builds a program; a failure is reported with its log.
pub fn build(context: cl_context, device: cl_device_id, source: &str) -> cl_program {
    build_with(context, device, source, "").unwrap_or_else(|log| panic!("{log}"))
}

/// Builds a program with options. The error is the build log.
pub fn build_with(
    context: cl_context,
    device: cl_device_id,
    source: &str,
    options: &str,
) -> Result<cl_program, String> {
    let (program, options) = (program_of(context, source), CString::new(options).unwrap());
    // SAFETY: terminated options.
    let code = unsafe { clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut()) };
    if code == CL_SUCCESS { Ok(program) } else { Err(build_log(program, device)) }
}

pub fn build_log(program: cl_program, device: cl_device_id) -> String {
    // SAFETY: `query_bytes` passes buffers of the size it says.
    let log = query_bytes(|s, v, r| unsafe {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, s, v, r)
    });
    text(&log.unwrap())
}

/// Sets an argument to a value, for example a number or a `cl_mem`.
pub fn set<T>(kernel: cl_kernel, index: cl_uint, value: T) {
    // SAFETY: the value has its size.
    ok(unsafe { clSetKernelArg(kernel, index, size_of::<T>(), (&raw const value).cast()) });
}

fn list(waits: &[cl_event]) -> *const cl_event {
    if waits.is_empty() { null() } else { waits.as_ptr() }
}

/// Launches a one-dimensional range.
pub fn launch(queue: cl_command_queue, kernel: cl_kernel, size: usize, waits: &[cl_event]) -> cl_event {
    let mut event = null_mut();
    // SAFETY: live handles; the size has one dimension.
    ok(unsafe {
        clEnqueueNDRangeKernel(
            queue,
            kernel,
            1,
            null(),
            &size,
            null(),
            waits.len() as u32,
            list(waits),
            &mut event,
        )
    });
    event
}

/// A profiling time of a complete event, in nanoseconds.
pub fn time(event: cl_event, name: cl_profiling_info) -> u64 {
    let mut value = 0u64;
    // SAFETY: room for a cl_ulong.
    ok(unsafe { clGetEventProfilingInfo(event, name, 8, (&raw mut value).cast(), null_mut()) });
    value
}

/// When a complete command was queued, submitted, started and ended, in nanoseconds.
pub fn times(event: cl_event) -> [u64; 4] {
    let names = [
        CL_PROFILING_COMMAND_QUEUED,
        CL_PROFILING_COMMAND_SUBMIT,
        CL_PROFILING_COMMAND_START,
        CL_PROFILING_COMMAND_END,
    ];
    names.map(|name| time(event, name))
}

pub fn marker(queue: cl_command_queue, waits: &[cl_event]) -> cl_event {
    let mut event = null_mut();
    // SAFETY: live handles.
    ok(unsafe { clEnqueueMarkerWithWaitList(queue, waits.len() as u32, list(waits), &mut event) });
    event
}

/// Reads without blocking; `out` must live until the event is complete.
pub fn read_later<T: Copy>(
    queue: cl_command_queue,
    mem: cl_mem,
    out: &mut [T],
    waits: &[cl_event],
) -> cl_event {
    let mut event = null_mut();
    let (size, to) = (size_of_val(out), out.as_mut_ptr().cast());
    // SAFETY: the caller keeps the memory.
    ok(unsafe {
        clEnqueueReadBuffer(queue, mem, 0, 0, size, to, waits.len() as u32, list(waits), &mut event)
    });
    event
}

pub fn read<T: Copy + Default>(queue: cl_command_queue, mem: cl_mem, count: usize) -> Vec<T> {
    let mut out = vec![T::default(); count];
    let size = size_of_val(&out[..]);
    // SAFETY: room for the bytes.
    ok(unsafe {
        clEnqueueReadBuffer(queue, mem, 1, 0, size, out.as_mut_ptr().cast(), 0, null(), null_mut())
    });
    out
}

/// Runs a kernel whose argument is one buffer of `words` words, all `initial` before. Returns its contents.
pub fn results(rig: &Rig, name: &str, items: usize, words: usize, initial: i32) -> Vec<i32> {
    let (queue, kernel, mem) = (rig.queue(0), rig.kernel(name), rig.buffer(&vec![initial; words]));
    set(kernel, 0, mem);
    release([launch(queue, kernel, items, &[])]);
    finish(queue);
    let out = read(queue, mem, words);
    release([kernel]);
    release([mem]);
    release([queue]);
    out
}

pub fn wait(events: &[cl_event]) -> cl_int {
    // SAFETY: live handles.
    unsafe { clWaitForEvents(events.len() as u32, events.as_ptr()) }
}

pub fn status(event: cl_event) -> cl_int {
    let mut value: cl_int = 77;
    // SAFETY: room for a cl_int.
    ok(unsafe {
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, (&raw mut value).cast(), null_mut())
    });
    value
}

pub fn open_gate(gate: cl_event, status: cl_int) {
    // SAFETY: a live handle.
    ok(unsafe { clSetUserEventStatus(gate, status) });
}

pub fn finish(queue: cl_command_queue) {
    // SAFETY: a live handle.
    ok(unsafe { clFinish(queue) });
}

/// Releases a handle by its type.
pub trait Release {
    fn release(self);
}

macro_rules! release {
    ($($handle:ty: $function:ident,)*) => {
        $(impl Release for $handle {
            fn release(self) {
                // SAFETY: tests release what they made, once.
                ok(unsafe { $function(self) });
            }
        })*
    };
}

release! {
    cl_event: clReleaseEvent,
    cl_mem: clReleaseMemObject,
    cl_kernel: clReleaseKernel,
    cl_program: clReleaseProgram,
    cl_command_queue: clReleaseCommandQueue,
    cl_context: clReleaseContext,
}

pub fn release<T: Release>(handles: impl IntoIterator<Item = T>) {
    handles.into_iter().for_each(T::release);
}

/// A small generator of pseudo-random numbers.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % limit
    }
}
