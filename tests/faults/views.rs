//! Devices that see new views and pipelines late: a submission begins and completes before one is first used.
//! The loader counts submissions.

use super::Faults;
use super::queues::{submissions, with_queues};
use std::ptr::null_mut;
use test_support::api::rig::*;
use test_support::api::supervised::Case;
use test_support::api::*;

const SOURCE: &str = "kernel void copy(read_only image1d_buffer_t from, global uint *to) {
    int i = (int)get_global_id(0); to[i] = read_imageui(from, i).x; }";
const SIZE: usize = 64;
const TEXELS: cl_image_format =
    cl_image_format { image_channel_order: CL_R, image_channel_data_type: CL_UNSIGNED_INT32 };

fn line_of(rig: &Rig, buffer: cl_mem) -> cl_mem {
    let (mut code, flags) = (1, CL_MEM_READ_ONLY);
    // SAFETY: zeroes are valid for the structure.
    let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
    (desc.image_type, desc.image_width) = (CL_MEM_OBJECT_IMAGE1D_BUFFER, SIZE);
    desc.mem_object = buffer;
    // SAFETY: a live buffer of the size; format and description are alive.
    let line = unsafe { clCreateImage(rig.context, flags, &TEXELS, &desc, null_mut(), &mut code) };
    ok(code);
    line
}

/// Each of the first launches with three views, and the first with a pipeline, has `more` submissions than
/// the next one.
fn first_uses(more: u64) {
    let (faults, rig) = (Faults::open(), Rig::new(SOURCE));
    let (queue, kernel, to) = (rig.queue(0), rig.kernel("copy"), rig.buffer(&[0u32; SIZE]));
    set(kernel, 1, to);
    let launched = |line: cl_mem| {
        let before = submissions(&faults)[0];
        set(kernel, 0, line);
        release([launch(queue, kernel, SIZE, &[])]);
        finish(queue);
        submissions(&faults)[0] - before
    };
    for start in [1u32, 100, 1_000] {
        let content: Vec<u32> = (start..).take(SIZE).collect();
        let buffer = rig.buffer(&content);
        let line = line_of(&rig, buffer);
        let [first, next] = [launched(line), launched(line)];
        assert_eq!(first, next + more);
        assert_eq!(read::<u32>(queue, to, SIZE), content);
        release([line, buffer]);
    }
}

pub const CASES: &[Case] = &[
    Case {
        name: "views_are_used_after_a_submission",
        run: || first_uses(1),
        prepare: |command, folder| with_queues(command, folder, "-pipelines_ahead,-immediate_uploads"),
    },
    Case {
        name: "views_are_used_at_once",
        run: || first_uses(0),
        prepare: |command, folder| with_queues(command, folder, "-pipelines_ahead"),
    },
];
