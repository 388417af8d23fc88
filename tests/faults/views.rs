//! Devices that see new views and pipelines late, and what image copies need: a submission begins and
//! completes before one is first used. The loader counts submissions.

use super::queues::{submissions, with_queues};
use super::{FENCE, Faults, OUT_OF_DEVICE_MEMORY, PIPELINE};
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

/// An image of two rows.
fn two_rows(rig: &Rig) -> cl_mem {
    // SAFETY: zeroes are valid for the structure.
    let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
    (desc.image_type, desc.image_width, desc.image_height) = (CL_MEM_OBJECT_IMAGE2D, SIZE, 2);
    let mut code = 1;
    // SAFETY: format and description are alive.
    let image =
        unsafe { clCreateImage(rig.context, CL_MEM_READ_WRITE, &TEXELS, &desc, null_mut(), &mut code) };
    ok(code);
    image
}

/// Writes the image's texels.
fn write_rows(queue: cl_command_queue, image: cl_mem, content: &[u32]) -> cl_int {
    let (from, origin, region) = (content.as_ptr().cast(), [0usize; 3], [SIZE, 2, 1]);
    let (origin, region) = (origin.as_ptr(), region.as_ptr());
    // SAFETY: the image has the region, and the list its texels.
    unsafe { clEnqueueWriteImage(queue, image, 1, origin, region, 0, 0, from, 0, null(), null_mut()) }
}

/// Reads the image's texels.
fn read_rows(queue: cl_command_queue, image: cl_mem) -> Vec<u32> {
    let mut found = vec![0u32; 2 * SIZE];
    let (to, origin, region) = (found.as_mut_ptr().cast(), [0usize; 3], [SIZE, 2, 1]);
    let (origin, region) = (origin.as_ptr(), region.as_ptr());
    // SAFETY: the image has the region, and the list room for its texels.
    ok(unsafe { clEnqueueReadImage(queue, image, 1, origin, region, 0, 0, to, 0, null(), null_mut()) });
    found
}

/// Each copy between an image and the host has `more` submissions than its own.
fn copies(more: u64) {
    let (faults, rig) = (Faults::open(), Rig::new(SOURCE));
    let (queue, image) = (rig.queue(0), two_rows(&rig));
    for start in [1u32, 1_000] {
        let content: Vec<u32> = (start..).take(2 * SIZE).collect();
        let before = submissions(&faults)[0];
        ok(write_rows(queue, image, &content));
        finish(queue);
        let found = read_rows(queue, image);
        assert_eq!(submissions(&faults)[0] - before, 2 * (1 + more));
        assert_eq!(found, content);
    }
    release([image]);
}

/// The file of the validation layer's messages.
const MESSAGES: &str = "PYROCLAST_VALIDATE_LOG";

/// The submission before a copy fails while it is waited for. Later ones do not use its fence before it is
/// reset.
fn failed_settlings() {
    let (faults, rig) = (Faults::open(), Rig::new(SOURCE));
    let (queue, image) = (rig.queue(0), two_rows(&rig));
    let content: Vec<u32> = (7..).take(2 * SIZE).collect();
    for call in [0, 1, 0, 1] {
        faults.set(FENCE, call, OUT_OF_DEVICE_MEMORY);
        assert!(write_rows(queue, image, &content) < 0);
        assert!(faults.failed().is_some());
        faults.set(0, 0, 0);
        ok(write_rows(queue, image, &content));
        assert_eq!(read_rows(queue, image), content);
    }
    release([image]);
    let messages = std::fs::read_to_string(std::env::var_os(MESSAGES).unwrap()).unwrap_or_default();
    assert!(messages.is_empty(), "{messages}");
}

/// Number of the call that fails where none should.
const NEVER: u64 = u64::MAX;

/// The first launch of a kernel creates a further pipeline, the very first one two, one of which is for the
/// compilation. After failures of each, the kernels work.
fn first_code() {
    let (faults, rig) = (Faults::open(), Rig::new(STEPS));
    let (queue, mem) = (rig.queue(0), rig.buffer(&[1u32; SIZE]));
    let launched = |name: &str, failing: u64| {
        let kernel = rig.kernel(name);
        set(kernel, 0, mem);
        match name {
            "step" => (1..3).for_each(|i| set(kernel, i, 2u32)),
            _ => set(kernel, 1, mem),
        }
        faults.set(PIPELINE, failing, OUT_OF_DEVICE_MEMORY);
        let event = launch(queue, kernel, SIZE, &[]);
        // SAFETY: a live handle.
        let (status, calls) = (unsafe { clWaitForEvents(1, &event) }, faults.calls());
        assert_eq!(status < 0, failing != NEVER);
        event.release();
        kernel.release();
        calls
    };
    assert_eq!(launched("step", 1), 2);
    assert_eq!(launched("step", 1), 2);
    assert_eq!(launched("step", NEVER), 1);
    assert_eq!(launched("step", NEVER), 0);
    assert_eq!(launched("combine", 1), 2);
    assert_eq!(launched("combine", NEVER), 1);
    // Two of the steps and the last launch were executed: 1, 4, 10, 40.
    assert_eq!(read::<u32>(queue, mem, SIZE), [40; SIZE]);
}

pub const CASES: &[Case] = &[
    Case {
        name: "code_is_used_after_a_submission_with_further_code",
        run: first_code,
        prepare: |command, folder| with_queues(command, folder, "-pipelines_ahead,-immediate_uploads"),
    },
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
        name: "images_are_copied_after_failed_submissions",
        run: failed_settlings,
        prepare: |command, folder| {
            with_queues(command, folder, "-mapped_buffers,-immediate_uploads");
            command.env("PYROCLAST_VALIDATE", "vulkan").env(MESSAGES, folder.join("messages"));
        },
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
