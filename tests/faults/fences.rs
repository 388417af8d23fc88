//! Devices without timeline semaphores: each submission has a fence, and one that fails gives it back.

use super::{Faults, OUT_OF_HOST_MEMORY, SUBMIT, with_faults};
use test_support::api::rig::*;
use test_support::api::supervised::Case;
use test_support::api::*;

const SIZE: usize = 64;

/// The number of fences does not grow with the number of submissions that fail.
fn failed_submissions() {
    let (faults, rig) =
        (Faults::open(), Rig::new("kernel void k(global uint *p) { p[get_global_id(0)]++; }"));
    let (queue, kernel, mem) = (rig.queue(0), rig.kernel("k"), rig.buffer(&[0u32; SIZE]));
    set(kernel, 0, mem);
    let fences = |failures: usize| {
        for _ in 0..failures {
            faults.set(SUBMIT, 0, OUT_OF_HOST_MEMORY);
            let event = launch(queue, kernel, SIZE, &[]);
            // SAFETY: a live queue.
            let code = unsafe { clFinish(queue) };
            assert!(code != CL_SUCCESS && status(event) < 0, "code {code}, status {}", status(event));
            assert!(faults.failed().is_some(), "no call of the class");
            faults.set(0, 0, 0);
            release([event]);
            launch_and_finish(queue, kernel);
        }
        faults.live()["fence"]
    };
    let few = fences(2);
    assert!(few > 0, "no fences");
    assert_eq!(fences(20), few);
    assert_eq!(read::<u32>(queue, mem, SIZE), [22; SIZE]);
}

fn launch_and_finish(queue: cl_command_queue, kernel: cl_kernel) {
    let event = launch(queue, kernel, SIZE, &[]);
    finish(queue);
    release([event]);
}

pub const CASES: &[Case] = &[Case {
    name: "failed_submissions_keep_their_fences",
    run: failed_submissions,
    prepare: |command, folder| {
        with_faults(command, folder);
        command.env("PYROCLAST_FEATURES", "-mapped_buffers,-timeline_semaphore");
    },
}];
