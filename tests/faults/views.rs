//! Devices that see new views and pipelines late, and what image copies need: a submission begins and
//! completes before one is first used. The loader counts submissions.

use super::Faults;
use super::queues::{submissions, with_queues};
use std::ptr::{null, null_mut};
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

/// Each copy between an image and the host has `more` submissions than its own.
fn copies(more: u64) {
    let (faults, rig) = (Faults::open(), Rig::new(SOURCE));
    let queue = rig.queue(0);
    // SAFETY: zeroes are valid for the structure.
    let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
    (desc.image_type, desc.image_width, desc.image_height) = (CL_MEM_OBJECT_IMAGE2D, SIZE, 2);
    let (mut code, origin, region) = (1, [0usize; 3], [SIZE, 2, 1]);
    // SAFETY: format and description are alive.
    let image =
        unsafe { clCreateImage(rig.context, CL_MEM_READ_WRITE, &TEXELS, &desc, null_mut(), &mut code) };
    ok(code);
    for start in [1u32, 1_000] {
        let content: Vec<u32> = (start..).take(2 * SIZE).collect();
        let mut found = vec![0u32; content.len()];
        let before = submissions(&faults)[0];
        // SAFETY: the image has the region, and the lists its texels.
        unsafe {
            let (from, to) = (content.as_ptr().cast(), found.as_mut_ptr().cast());
            let (origin, region) = (origin.as_ptr(), region.as_ptr());
            ok(clEnqueueWriteImage(queue, image, 1, origin, region, 0, 0, from, 0, null(), null_mut()));
            finish(queue);
            ok(clEnqueueReadImage(queue, image, 1, origin, region, 0, 0, to, 0, null(), null_mut()));
        }
        assert_eq!(submissions(&faults)[0] - before, 2 * (1 + more));
        assert_eq!(found, content);
    }
    release([image]);
}

pub const CASES: &[Case] = &[
    Case {
        name: "views_are_used_after_a_submission",
        run: || first_uses(1),
        prepare: |command, folder| with_queues(command, folder, "-pipelines_ahead,-immediate_uploads"),
    },
    Case {
        name: "images_are_copied_after_a_submission",
        run: || copies(1),
        prepare: |command, folder| with_queues(command, folder, "-mapped_buffers,-immediate_uploads"),
    },
    Case {
        name: "images_are_copied_at_once",
        run: || copies(0),
        prepare: |command, folder| with_queues(command, folder, "-mapped_buffers"),
    },
    Case {
        name: "views_are_used_at_once",
        run: || first_uses(0),
        prepare: |command, folder| with_queues(command, folder, "-pipelines_ahead"),
    },
];
