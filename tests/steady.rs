//! Calls that enqueue and wait allocate nothing in the steady state: a command reuses the memory of earlier
//! ones.
//!
//! The driver is linked into the test, so that its allocations are counted; those of the Vulkan driver are
//! not.

#![allow(clippy::unwrap_used, clippy::panic)]

use pyroclast::api::{
    buffer::*, context::*, enqueue::*, event::*, kernel::*, platform::*, program::*, queue::*,
};
use pyroclast_runtime::cl::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(ptr, layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(ptr, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[track_caller]
fn ok(code: cl_int) {
    assert_eq!(code, CL_SUCCESS);
}

/// Limit of rounds, and number of successive rounds that must not allocate. The limit is high for machines
/// under load, where the number of commands in flight varies.
const SETTLES: usize = 500;
const STEADY: usize = 10;

/// Repeats the round until it settles: the number of commands in flight, and so the memory in use, depends on
/// the device's speed.
#[track_caller]
fn settles(what: &str, mut round: impl FnMut()) {
    let mut steady = 0;
    let mut last = 0;
    for _ in 0..SETTLES {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        round();
        let count = ALLOCATIONS.load(Ordering::Relaxed) - before;
        if count == 0 {
            steady += 1;
            if steady == STEADY {
                return;
            }
        } else {
            (steady, last) = (0, count);
        }
    }
    panic!("{what}: there are always allocations, {last} in a round");
}

#[test]
fn commands_allocate_nothing_in_the_steady_state() {
    // No compiler runs in the background, which allocates.
    for (name, value) in [("PYROCLAST_DEVICES", "vulkan,cpu"), ("PYROCLAST_CPU_CODE", "quick")] {
        if std::env::var_os(name).is_none() {
            // SAFETY: the only test of the program, before anything reads the environment.
            unsafe { std::env::set_var(name, value) };
        }
    }
    let (mut platform, mut devices, mut count) = (null_mut(), [null_mut(); 8], 0);
    // SAFETY: arrays of the passed sizes.
    unsafe {
        ok(clGetPlatformIDs(1, &mut platform, null_mut()));
        ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 8, devices.as_mut_ptr(), &mut count));
    }
    for device in devices.into_iter().take(count as usize) {
        // SAFETY: a device of the platform.
        unsafe { commands_of(device) };
    }
}

/// Commands of a device.
///
/// # Safety
/// The handle must be live.
unsafe fn commands_of(device: cl_device_id) {
    let mut code = 1;
    // SAFETY: live handles, and arrays and values of the passed sizes.
    unsafe {
        let context = clCreateContext(null(), 1, &device, None, null_mut(), &mut code);
        ok(code);
        let queue = clCreateCommandQueue(context, device, 0, &mut code);
        ok(code);
        let source = c"
            kernel void add(global int *a, global const int *b, int c) { a[get_global_id(0)] += b[0] + c; }
            kernel void hold(global int *a) {
                uint x = 1;
                for (uint i = 0; i < 40; i++)
                    for (uint j = 0; j < 60000; j++)
                        x = x * 1664525 + (x >> 3) + j;
                a[0] = x;
            }
            kernel void spread(global int *a) {
                uint x = get_global_id(0);
                for (uint i = 0; i < 20000; i++)
                    x = x * 1664525 + (x >> 3) + i;
                a[get_global_id(0)] = x;
            }";
        let program = clCreateProgramWithSource(context, 1, &mut source.as_ptr(), null(), &mut code);
        ok(code);
        ok(clBuildProgram(program, 1, &device, null(), None, null_mut()));
        let kernel = clCreateKernel(program, c"add".as_ptr(), &mut code);
        ok(code);
        let buffers = [(); 2].map(|()| {
            let buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, null_mut(), &mut code);
            ok(code);
            buffer
        });
        let set = |index, mem: &cl_mem| {
            ok(clSetKernelArg(kernel, index, size_of::<cl_mem>(), (&raw const *mem).cast()))
        };
        let set_number = |n: i32| ok(clSetKernelArg(kernel, 2, 4, (&raw const n).cast()));
        set(0, &buffers[0]);
        set(1, &buffers[1]);
        set_number(0);
        let size = 64usize;
        let launch = |waits: &[cl_event], event| {
            let list = if waits.is_empty() { null() } else { waits.as_ptr() };
            ok(clEnqueueNDRangeKernel(
                queue,
                kernel,
                1,
                null(),
                &size,
                null(),
                waits.len() as cl_uint,
                list,
                event,
            ));
        };
        let finish = || ok(clFinish(queue));

        settles("a launch", || {
            launch(&[], null_mut());
            finish();
        });
        settles("launches", || {
            (0..100).for_each(|_| launch(&[], null_mut()));
            finish();
        });
        let hold = clCreateKernel(program, c"hold".as_ptr(), &mut code);
        ok(code);
        ok(clSetKernelArg(hold, 0, size_of::<cl_mem>(), (&raw const buffers[0]).cast()));
        settles("batches that pile up", || {
            ok(clEnqueueNDRangeKernel(queue, hold, 1, null(), &1, null(), 0, null(), null_mut()));
            ok(clFlush(queue));
            for _ in 0..100 {
                launch(&[], null_mut());
                ok(clFlush(queue));
            }
            finish();
        });
        let spread = clCreateKernel(program, c"spread".as_ptr(), &mut code);
        ok(code);
        ok(clSetKernelArg(spread, 0, size_of::<cl_mem>(), (&raw const buffers[0]).cast()));
        settles("launches on all threads", || {
            ok(clEnqueueNDRangeKernel(queue, spread, 1, null(), &64, &1, 0, null(), null_mut()));
            finish();
        });
        settles("launches with new arguments", || {
            for i in 0..100 {
                set_number(i);
                set(0, &buffers[i as usize % 2]);
                set(1, &buffers[(i as usize + 1) % 2]);
                launch(&[], null_mut());
            }
            finish();
        });
        events(queue, &launch);
        transfers(queue, buffers, &|| launch(&[], null_mut()));
    }
}

/// Launches with events.
///
/// # Safety
/// The handle must be live.
unsafe fn events(queue: cl_command_queue, launch: &dyn Fn(&[cl_event], *mut cl_event)) {
    // SAFETY: the caller's promise; events are released once.
    unsafe {
        settles("launches with events", || {
            for _ in 0..100 {
                let mut event = null_mut();
                launch(&[], &mut event);
                ok(clReleaseEvent(event));
            }
            let mut event = null_mut();
            launch(&[], &mut event);
            ok(clWaitForEvents(1, &event));
            ok(clReleaseEvent(event));
        });
        settles("a chain of events", || {
            let mut last = null_mut();
            launch(&[], &mut last);
            for _ in 0..100 {
                let mut event = null_mut();
                launch(&[last], &mut event);
                ok(clReleaseEvent(last));
                last = event;
            }
            ok(clFinish(queue));
            ok(clReleaseEvent(last));
        });
    }
}

/// Reads, writes, copies, fills and mappings.
///
/// # Safety
/// The handles must be live, and the buffers have 4096 bytes.
unsafe fn transfers(queue: cl_command_queue, buffers: [cl_mem; 2], launch: &dyn Fn()) {
    let mut code = 1;
    // SAFETY: the caller's promise; host memory has as many bytes.
    unsafe {
        let mut bytes = [0u8; 4096];
        settles("blocking transfers", || {
            for _ in 0..20 {
                launch();
                ok(clEnqueueWriteBuffer(
                    queue,
                    buffers[0],
                    1,
                    0,
                    4096,
                    bytes.as_ptr().cast(),
                    0,
                    null(),
                    null_mut(),
                ));
                ok(clEnqueueReadBuffer(
                    queue,
                    buffers[0],
                    1,
                    0,
                    4096,
                    bytes.as_mut_ptr().cast(),
                    0,
                    null(),
                    null_mut(),
                ));
            }
        });
        settles("transfers behind launches", || {
            for _ in 0..20 {
                launch();
                ok(clEnqueueWriteBuffer(
                    queue,
                    buffers[0],
                    0,
                    0,
                    4096,
                    bytes.as_ptr().cast(),
                    0,
                    null(),
                    null_mut(),
                ));
                ok(clEnqueueCopyBuffer(queue, buffers[0], buffers[1], 0, 0, 4096, 0, null(), null_mut()));
                let pattern = [1u32, 2];
                ok(clEnqueueFillBuffer(
                    queue,
                    buffers[0],
                    pattern.as_ptr().cast(),
                    8,
                    0,
                    4096,
                    0,
                    null(),
                    null_mut(),
                ));
                ok(clEnqueueMarkerWithWaitList(queue, 0, null(), null_mut()));
                ok(clFlush(queue));
            }
            ok(clFinish(queue));
        });
        settles("mappings", || {
            for _ in 0..20 {
                let ptr = clEnqueueMapBuffer(
                    queue,
                    buffers[0],
                    1,
                    CL_MAP_READ,
                    0,
                    4096,
                    0,
                    null(),
                    null_mut(),
                    &mut code,
                );
                ok(code);
                ok(clEnqueueUnmapMemObject(queue, buffers[0], ptr, 0, null(), null_mut()));
            }
            ok(clFinish(queue));
        });
    }
}
