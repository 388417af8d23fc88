//! A device whose buffers the host cannot map (hidden here): blocking calls, and memory of the application
//! that is reused as soon as they return.

#![allow(clippy::unwrap_used)]

use std::ptr::{null, null_mut};
use test_support::api::rig::*;
use test_support::api::*;

#[test]
fn the_source_of_a_blocking_write_may_be_used_again() {
    // SAFETY: the only test of the program, before it does anything else.
    unsafe { std::env::set_var("PYROCLAST_FEATURES", "-mapped_buffers") };
    let rig = Rig::new(
        "kernel void add(global uint *a, uint n) { for (uint i = 0; i < n; i++) a[get_global_id(0)] += 1; }",
    );
    const WORDS: usize = 8192;
    let bytes = WORDS * 4;
    let (long, target) = (rig.buffer(&[0u32; WORDS]), rig.buffer(&[0u32; WORDS]));
    let (kernel, size, mut seen) = (rig.kernel("add"), WORDS, vec![0u32; WORDS]);
    for properties in [0, OUT_OF_ORDER, CL_QUEUE_PROFILING_ENABLE] {
        let queue = rig.queue(properties);
        let mut source = vec![0u32; WORDS];
        for round in 1..40u32 {
            let length = if round % 3 == 0 { bytes } else { 64 };
            // SAFETY: live handles; values and ranges have the sizes given.
            unsafe {
                ok(clSetKernelArg(kernel, 0, size_of::<cl_mem>(), (&raw const long).cast()));
                ok(clSetKernelArg(kernel, 1, 4, (&raw const round).cast()));
                ok(clEnqueueNDRangeKernel(queue, kernel, 1, null(), &size, null(), 0, null(), null_mut()));
                let mut written = null_mut();
                source.fill(round);
                ok(clEnqueueWriteBuffer(
                    queue,
                    target,
                    1,
                    0,
                    length,
                    source.as_ptr().cast(),
                    0,
                    null(),
                    &mut written,
                ));
                source.fill(u32::MAX);
                // Commands that wait for the write see all of it.
                seen.fill(0);
                ok(clEnqueueReadBuffer(
                    queue,
                    target,
                    1,
                    0,
                    length,
                    seen.as_mut_ptr().cast(),
                    1,
                    &written,
                    null_mut(),
                ));
                ok(clReleaseEvent(written));
            }
            assert!(seen[..length / 4].iter().all(|word| *word == round), "{properties:#x}, round {round}");
        }
        // SAFETY: a live handle.
        unsafe {
            ok(clFinish(queue));
            ok(clReleaseCommandQueue(queue));
        }
    }
    // SAFETY: live handles.
    unsafe {
        ok(clReleaseKernel(kernel));
        ok(clReleaseMemObject(long));
        ok(clReleaseMemObject(target));
    }
}
