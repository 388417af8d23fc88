//! Fills by the driver's own shader: if it cannot be created, the fill fails, and nothing is left behind.

use super::queues::with_queues;
use super::{Faults, OUT_OF_DEVICE_MEMORY, PIPELINE};
use std::ptr::{null, null_mut};
use test_support::api::rig::*;
use test_support::api::supervised::Case;
use test_support::api::*;

const SIZE: usize = 1 << 10;
/// A pattern that vkCmdFillBuffer does not know.
const PATTERN: [u32; 2] = [3, 5];

fn fill(queue: cl_command_queue, buffer: cl_mem) -> cl_int {
    let (pattern, size) = (PATTERN.as_ptr().cast(), size_of_val(&PATTERN));
    // SAFETY: a live queue and buffer of the size.
    unsafe {
        let code = clEnqueueFillBuffer(queue, buffer, pattern, size, 0, SIZE * 4, 0, null(), null_mut());
        if code == CL_SUCCESS { clFinish(queue) } else { code }
    }
}

fn failed_fills() {
    let (faults, rig) = (Faults::open(), Rig::new("kernel void unused(global uint *p) { p[0] = 1; }"));
    let (queue, buffer) = (rig.queue(0), rig.buffer(&[0u32; SIZE]));
    for _ in 0..3 {
        faults.set(PIPELINE, 0, OUT_OF_DEVICE_MEMORY);
        assert!(fill(queue, buffer) < 0 && faults.failed().is_some());
    }
    faults.set(0, 0, 0);
    ok(fill(queue, buffer));
    assert_eq!(read::<u32>(queue, buffer, SIZE), PATTERN.repeat(SIZE / 2));
    let live = faults.live();
    let of = |kind| live[kind];
    assert_eq!([of("descriptor set layout"), of("pipeline layout"), of("shader module")], [1, 1, 0]);
}

pub const CASES: &[Case] = &[Case {
    name: "failed_fills_leave_nothing",
    run: failed_fills,
    prepare: |command, folder| with_queues(command, folder, "-mapped_buffers,-pipelines_ahead"),
}];
