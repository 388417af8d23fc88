//! A program that uses most features of the API: buffers of every kind, images, shared memory, kernels,
//! printf, command buffers, events. Calls may fail; the program then releases its objects. Calls that succeed
//! must produce the right result.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use test_support::api::command_buffer::*;
use test_support::api::extension::has_extension;
use test_support::api::*;

const SOURCE: &CStr = c"
constant uint table[4] = { 1, 1, 1, 1 };
global uint calls;
kernel void scale(global uint *to, global const uint *from, uint by, local uint *l) {
    size_t i = get_global_id(0);
    l[get_local_id(0)] = from[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    to[i] = l[get_local_id(0)] * by * table[i & 3];
    if (i == 0) calls++;
}
kernel void poke(global uint *p) { p[get_global_id(0)] += 5; }
kernel void say(global const uint *p) { if (get_global_id(0) == 0) printf(\"%u\\n\", p[0]); }
kernel void draw(write_only image2d_t to, read_only image2d_t from) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(to, at, read_imageui(from, at) + 1u);
}
";
/// Elements of the small buffers.
const N: usize = 1024;
/// Size in bytes of a buffer whose transfers are split.
const BIG: usize = 3 << 20;
const PAGE: usize = 4096;

/// The call that failed, and its error.
pub type Failure = (&'static str, cl_int);
type Step<T = ()> = Result<T, Failure>;

/// Objects to release at the end, the newest first.
struct Bag(Vec<Box<dyn FnOnce()>>);

impl Bag {
    fn keep<T: 'static>(&mut self, handle: *mut T, release: unsafe fn(*mut T) -> cl_int) -> *mut T {
        // SAFETY: released once.
        self.0.push(Box::new(move || assert_eq!(unsafe { release(handle) }, CL_SUCCESS)));
        handle
    }
}

impl Drop for Bag {
    fn drop(&mut self) {
        while let Some(release) = self.0.pop() {
            release();
        }
    }
}

fn done(what: &'static str, code: cl_int) -> Step {
    if code == CL_SUCCESS { Ok(()) } else { Err((what, code)) }
}

/// Result of a creation function: an object or an error, never both or neither.
fn made<T>(what: &'static str, handle: *mut T, code: cl_int) -> Step<*mut T> {
    assert_eq!(handle.is_null(), code != CL_SUCCESS, "{what}: {handle:?} with {code}");
    if code == CL_SUCCESS { Ok(handle) } else { Err((what, code)) }
}

#[track_caller]
fn same(got: &[u32], wanted: &[u32]) {
    let at = got.iter().zip(wanted).position(|(g, w)| g != w);
    assert!(
        at.is_none() && got.len() == wanted.len(),
        "element {at:?}: {:?}, not {:?}",
        at.map(|i| got[i]),
        at.map(|i| wanted[i])
    );
}

struct Program {
    bag: Bag,
    context: cl_context,
    queue: cl_command_queue,
    program: cl_program,
    /// Events whose status has not been checked yet.
    pending: Vec<cl_event>,
}

/// Runs all parts.
pub fn run() -> Step {
    let mut bag = Bag(Vec::new());
    let (device, mut code) = (device(), 1);
    // SAFETY: one live device, no callback; properties end with 0; one terminated string.
    unsafe {
        let context = clCreateContext(null(), 1, &device, None, null_mut(), &mut code);
        let context = bag.keep(made("clCreateContext", context, code)?, clReleaseContext);
        let properties = [u64::from(CL_QUEUE_PROPERTIES), CL_QUEUE_PROFILING_ENABLE, 0];
        let queue = clCreateCommandQueueWithProperties(context, device, properties.as_ptr(), &mut code);
        let queue = bag.keep(made("clCreateCommandQueueWithProperties", queue, code)?, clReleaseCommandQueue);
        let program = clCreateProgramWithSource(context, 1, &mut SOURCE.as_ptr(), null(), &mut code);
        let program = bag.keep(made("clCreateProgramWithSource", program, code)?, clReleaseProgram);
        done(
            "clBuildProgram",
            clBuildProgram(program, 0, null(), c"-cl-std=CL3.0".as_ptr(), None, null_mut()),
        )?;
        let mut program = Program { bag, context, queue, program, pending: Vec::new() };
        let result = program.everything();
        // The queue finishes, whatever failed.
        let finished = clFinish(queue);
        result?;
        done("clFinish", finished)
    }
}

impl Program {
    fn everything(&mut self) -> Step {
        self.buffers()?;
        self.shared_memory()?;
        self.images()?;
        self.recorded()?;
        self.print()
    }

    fn kernel(&mut self, name: &CStr) -> Step<cl_kernel> {
        let mut code = 1;
        // SAFETY: a terminated string.
        let kernel = unsafe { clCreateKernel(self.program, name.as_ptr().cast::<c_char>(), &mut code) };
        Ok(self.bag.keep(made("clCreateKernel", kernel, code)?, clReleaseKernel))
    }

    fn buffer(&mut self, flags: cl_mem_flags, size: usize, host: *mut c_void) -> Step<cl_mem> {
        let mut code = 1;
        // SAFETY: host memory has the size where there is some.
        let mem = unsafe { clCreateBuffer(self.context, flags, size, host, &mut code) };
        Ok(self.bag.keep(made("clCreateBuffer", mem, code)?, clReleaseMemObject))
    }

    /// Receiver of a command's event; [`Program::settle`] checks it at the end.
    fn later(&mut self, what: &'static str, code: cl_int, event: cl_event) -> Step {
        done(what, code)?;
        assert!(!event.is_null(), "{what} gave no event");
        self.pending.push(self.bag.keep(event, clReleaseEvent));
        Ok(())
    }

    /// Waits for the enqueued commands. Returns the error of the first one that failed; later commands of a
    /// queue still run.
    fn settle(&mut self) -> Step {
        let mut result = Ok(());
        for event in std::mem::take(&mut self.pending) {
            let mut status: cl_int = 1;
            // SAFETY: a live event; room for a status.
            let waited = unsafe {
                let waited = clWaitForEvents(1, &event);
                let value = (&raw mut status).cast();
                done(
                    "clGetEventInfo",
                    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, value, null_mut()),
                )?;
                waited
            };
            assert!(status <= 0, "a command is waited for and has status {status}");
            assert_eq!(waited == CL_SUCCESS, status == CL_COMPLETE, "{waited} for status {status}");
            result = result.and(done("clEnqueue...", status));
        }
        result
    }

    /// A blocking read, after which every earlier command is complete.
    fn read(&mut self, mem: cl_mem, count: usize) -> Step<Vec<u32>> {
        let mut out = vec![0u32; count];
        let to = out.as_mut_ptr().cast();
        // SAFETY: room for the elements.
        done("clEnqueueReadBuffer", unsafe {
            clEnqueueReadBuffer(self.queue, mem, 1, 0, count * 4, to, 0, null(), null_mut())
        })?;
        self.settle()?;
        Ok(out)
    }

    fn launch(&mut self, kernel: cl_kernel, size: &[usize]) -> Step {
        let (dims, mut event) = (size.len() as u32, null_mut());
        // SAFETY: a size for each dimension.
        let code = unsafe {
            clEnqueueNDRangeKernel(
                self.queue,
                kernel,
                dims,
                null(),
                size.as_ptr(),
                null(),
                0,
                null(),
                &mut event,
            )
        };
        self.later("clEnqueueNDRangeKernel", code, event)
    }

    fn set<T>(&self, kernel: cl_kernel, index: u32, value: T) -> Step {
        // SAFETY: the value has its size.
        done("clSetKernelArg", unsafe {
            clSetKernelArg(kernel, index, size_of::<T>(), (&raw const value).cast())
        })
    }

    fn buffers(&mut self) -> Step {
        let mut data: Vec<u32> = (0..N as u32).collect();
        let copied = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
        let a = self.buffer(copied, N * 4, data.as_mut_ptr().cast())?;
        let b = self.buffer(CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, N * 4, null_mut())?;
        let user = self.page_of_host()?;
        let big = self.buffer(0, BIG, null_mut())?;
        let content = vec![7u8; BIG];
        let from = content.as_ptr().cast();
        // SAFETY: live objects; the memory has the size said.
        done("clEnqueueWriteBuffer", unsafe {
            clEnqueueWriteBuffer(self.queue, big, 1, 0, BIG, from, 0, null(), null_mut())
        })?;
        self.fill_half(b)?;
        same(&self.read(b, N)?[N / 2..], &[9; N / 2]);

        let scale = self.kernel(c"scale")?;
        self.set(scale, 0, b)?;
        self.set(scale, 1, a)?;
        self.set(scale, 2, 3u32)?;
        // SAFETY: local memory has no content.
        done("clSetKernelArg", unsafe { clSetKernelArg(scale, 3, 1024 * 4, null()) })?;
        self.launch(scale, &[N])?;
        let tripled: Vec<u32> = data.iter().map(|v| v * 3).collect();
        same(&self.read(b, N)?, &tripled);
        self.set(scale, 0, user)?;
        self.launch(scale, &[N])?;
        self.map(user, &tripled)?;
        self.copy_rows(b, a)?;
        same(&self.read(a, 8)?, &[0, 3, 6, 9, 48, 51, 54, 57]);
        assert!(self.read(big, BIG / 4)?.iter().all(|v| *v == 0x0707_0707));
        Ok(())
    }

    /// A buffer of one page of host memory, which the driver may import. The memory outlives the buffer.
    fn page_of_host(&mut self) -> Step<cl_mem> {
        let host = Box::leak(vec![0u8; 4 * PAGE].into_boxed_slice());
        let own: *mut [u8] = host;
        // SAFETY: made by Box::leak above, and freed once, after the release of the buffer.
        self.bag.0.push(Box::new(move || drop(unsafe { Box::from_raw(own) })));
        let aligned = host.as_mut_ptr().wrapping_add(host.as_ptr().align_offset(PAGE));
        self.buffer(CL_MEM_USE_HOST_PTR, PAGE, aligned.cast())
    }

    /// Fills the second half of a buffer through a sub-buffer, and checks the times of the command.
    fn fill_half(&mut self, mem: cl_mem) -> Step {
        let (region, mut code) = (cl_buffer_region { origin: N * 2, size: N * 2 }, 1);
        let (pattern, mut event) = (9u32, null_mut());
        let word = (&raw const pattern).cast();
        // SAFETY: live objects; a region within the buffer; the wait is for an event of the same context.
        unsafe {
            let kind = CL_BUFFER_CREATE_TYPE_REGION;
            let sub = clCreateSubBuffer(mem, 0, kind, (&raw const region).cast(), &mut code);
            let sub = self.bag.keep(made("clCreateSubBuffer", sub, code)?, clReleaseMemObject);
            let code = clEnqueueFillBuffer(self.queue, sub, word, 4, 0, N * 2, 0, null(), &mut event);
            done("clEnqueueFillBuffer", code)?;
            let event = self.bag.keep(event, clReleaseEvent);
            done("clFlush", clFlush(self.queue))?;
            done("clWaitForEvents", clWaitForEvents(1, &event))?;
            let mut times = [0u64; 2];
            for (name, time) in
                [CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END].into_iter().zip(&mut times)
            {
                let code = clGetEventProfilingInfo(event, name, 8, (time as *mut u64).cast(), null_mut());
                done("clGetEventProfilingInfo", code)?;
            }
            assert!(times[0] <= times[1]);
        }
        Ok(())
    }

    /// Compares a buffer of a page through a mapping.
    fn map(&mut self, mem: cl_mem, wanted: &[u32]) -> Step {
        let (flags, end, mut code) = (CL_MAP_READ | CL_MAP_WRITE, null_mut(), 1);
        let mut event = null_mut();
        // SAFETY: live objects; the mapping is used before it is unmapped.
        unsafe {
            let ptr = clEnqueueMapBuffer(self.queue, mem, 1, flags, 0, PAGE, 0, null(), end, &mut code);
            let ptr = made("clEnqueueMapBuffer", ptr, code)?;
            self.settle()?;
            same(std::slice::from_raw_parts(ptr.cast::<u32>(), N), wanted);
            let unmapped = clEnqueueUnmapMemObject(self.queue, mem, ptr, 0, null(), &mut event);
            self.later("clEnqueueUnmapMemObject", unmapped, event)
        }
    }

    /// Copies rows of 16 bytes out of rows of 64.
    fn copy_rows(&mut self, from: cl_mem, to: cl_mem) -> Step {
        let (q, origin, region, mut event) = (self.queue, [0usize; 3], [16usize, 8, 2], null_mut());
        let (at, size) = (origin.as_ptr(), region.as_ptr());
        // SAFETY: live objects; regions within the buffers.
        let code = unsafe {
            clEnqueueCopyBufferRect(q, from, to, at, at, size, 64, 512, 16, 128, 0, null(), &mut event)
        };
        self.later("clEnqueueCopyBufferRect", code, event)
    }

    fn shared_memory(&mut self) -> Step {
        let svm = device_info(device(), CL_DEVICE_SVM_CAPABILITIES).map_or(0, |b| number(&b));
        if svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER == 0 {
            return Ok(());
        }
        let context = self.context;
        // SAFETY: the memory is mapped while the host uses it, and freed after the last command.
        unsafe {
            let ptr = clSVMAlloc(context, CL_MEM_READ_WRITE, N * 4, 0);
            if ptr.is_null() {
                return Err(("clSVMAlloc", CL_MEM_OBJECT_ALLOCATION_FAILURE));
            }
            let queue = self.queue;
            self.bag.0.push(Box::new(move || {
                clFinish(queue);
                clSVMFree(context, ptr);
            }));
            let (pattern, mut event) = (37u32, null_mut());
            let code =
                clEnqueueSVMMemFill(queue, ptr, (&raw const pattern).cast(), 4, N * 4, 0, null(), &mut event);
            self.later("clEnqueueSVMMemFill", code, event)?;
            let poke = self.kernel(c"poke")?;
            done("clSetKernelArgSVMPointer", clSetKernelArgSVMPointer(poke, 0, ptr))?;
            self.launch(poke, &[N])?;
            done(
                "clEnqueueSVMMap",
                clEnqueueSVMMap(queue, 1, CL_MAP_READ, ptr, N * 4, 0, null(), null_mut()),
            )?;
            self.settle()?;
            same(std::slice::from_raw_parts(ptr.cast::<u32>(), N), &[42; N]);
            let code = clEnqueueSVMUnmap(queue, ptr, 0, null(), &mut event);
            self.later("clEnqueueSVMUnmap", code, event)
        }
    }

    fn images(&mut self) -> Step {
        if device_info(device(), CL_DEVICE_IMAGE_SUPPORT).map_or(0, |b| number(&b)) == 0 {
            return Ok(());
        }
        let format =
            cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNSIGNED_INT8 };
        // SAFETY: plain data, of which zero is a value.
        let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
        (desc.image_type, desc.image_width, desc.image_height) = (CL_MEM_OBJECT_IMAGE2D, 32, 16);
        let texels: Vec<u8> = (0..32 * 16 * 4).map(|i| (i % 200) as u8).collect();
        let (origin, region) = ([0usize; 3], [32usize, 16, 1]);
        let (o, r) = (origin.as_ptr(), region.as_ptr());
        let mut code = 1;
        let mut out = vec![0u8; texels.len()];
        // SAFETY: live objects; host memory has the size of the region.
        unsafe {
            let from = clCreateImage(self.context, CL_MEM_READ_ONLY, &format, &desc, null_mut(), &mut code);
            let from = self.bag.keep(made("clCreateImage", from, code)?, clReleaseMemObject);
            let to = clCreateImage(self.context, CL_MEM_WRITE_ONLY, &format, &desc, null_mut(), &mut code);
            let to = self.bag.keep(made("clCreateImage", to, code)?, clReleaseMemObject);
            let code = clEnqueueWriteImage(
                self.queue,
                from,
                1,
                o,
                r,
                0,
                0,
                texels.as_ptr().cast(),
                0,
                null(),
                null_mut(),
            );
            done("clEnqueueWriteImage", code)?;
            let draw = self.kernel(c"draw")?;
            self.set(draw, 0, to)?;
            self.set(draw, 1, from)?;
            self.launch(draw, &[32, 16])?;
            let code = clEnqueueReadImage(
                self.queue,
                to,
                1,
                o,
                r,
                0,
                0,
                out.as_mut_ptr().cast(),
                0,
                null(),
                null_mut(),
            );
            done("clEnqueueReadImage", code)?;
        }
        self.settle()?;
        assert!(out.iter().zip(&texels).all(|(o, t)| *o == t + 1));
        Ok(())
    }

    fn recorded(&mut self) -> Step {
        if !has_extension("cl_khr_command_buffer") {
            return Ok(());
        }
        let mut start = vec![1u32; N];
        let mem = self.buffer(CL_MEM_COPY_HOST_PTR, N * 4, start.as_mut_ptr().cast())?;
        let poke = self.kernel(c"poke")?;
        self.set(poke, 0, mem)?;
        let mut code = 1;
        // SAFETY: live objects; one dimension.
        unsafe {
            let list = clCreateCommandBufferKHR(1, &self.queue, null(), &mut code);
            let list =
                self.bag.keep(made("clCreateCommandBufferKHR", list, code)?, clReleaseCommandBufferKHR);
            let none = null_mut();
            let code = clCommandNDRangeKernelKHR(
                list,
                none,
                null(),
                poke,
                1,
                null(),
                &N,
                null(),
                0,
                null(),
                null_mut(),
                null_mut(),
            );
            done("clCommandNDRangeKernelKHR", code)?;
            done("clFinalizeCommandBufferKHR", clFinalizeCommandBufferKHR(list))?;
            for _ in 0..2 {
                let mut event = null_mut();
                let code = clEnqueueCommandBufferKHR(0, null_mut(), list, 0, null(), &mut event);
                self.later("clEnqueueCommandBufferKHR", code, event)?;
            }
        }
        same(&self.read(mem, N)?, &[11; N]);
        Ok(())
    }

    fn print(&mut self) -> Step {
        let mut data = vec![3u32; N];
        let mem = self.buffer(CL_MEM_COPY_HOST_PTR, N * 4, data.as_mut_ptr().cast())?;
        let say = self.kernel(c"say")?;
        self.set(say, 0, mem)?;
        self.launch(say, &[N])?;
        self.settle()
    }
}
