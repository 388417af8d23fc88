//! Images in command buffers: copies, fills, kernels that read and write them, and errors.

#![allow(clippy::unwrap_used)]

use std::ptr::{null, null_mut};
use test_support::api::command_buffer::*;
use test_support::api::rig::*;
use test_support::api::*;
use test_support::skipped;

const SOURCE: &str = "
kernel void twice(read_only image2d_t src, write_only image2d_t dst) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(dst, at, read_imageui(src, at) * 2);
}";
const SIDE: usize = 8;

fn has_images() -> bool {
    let has = number(&device_info(device(), CL_DEVICE_IMAGE_SUPPORT).unwrap()) != 0;
    if !has {
        skipped::because("the device has no images");
    }
    has
}

fn image(rig: &Rig) -> cl_mem {
    let format = cl_image_format { image_channel_order: CL_R, image_channel_data_type: CL_UNSIGNED_INT32 };
    // SAFETY: a description of zeroes is valid memory; what matters is set.
    let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
    (desc.image_type, desc.image_width, desc.image_height) = (CL_MEM_OBJECT_IMAGE2D, SIDE, SIDE);
    let mut code = 1;
    // SAFETY: format and description are alive.
    let image =
        unsafe { clCreateImage(rig.context, CL_MEM_READ_WRITE, &format, &desc, null_mut(), &mut code) };
    ok(code);
    image
}

const ORIGIN: [usize; 3] = [0; 3];
const ALL: [usize; 3] = [SIDE, SIDE, 1];

fn texels(queue: cl_command_queue, image: cl_mem) -> Vec<u32> {
    let (mut out, origin) = (vec![0u32; SIDE * SIDE], [0usize; 3]);
    let (at, size) = (origin.as_ptr(), ALL.as_ptr());
    // SAFETY: room for every texel.
    ok(unsafe {
        clEnqueueReadImage(queue, image, 1, at, size, 0, 0, out.as_mut_ptr().cast(), 0, null(), null_mut())
    });
    out
}

fn create(queue: cl_command_queue) -> cl_command_buffer_khr {
    let list = [u64::from(CL_COMMAND_BUFFER_FLAGS_KHR), CL_COMMAND_BUFFER_MUTABLE_KHR, 0];
    let mut code = 1;
    // SAFETY: one queue and a terminated list.
    let buffer = unsafe { clCreateCommandBufferKHR(1, &queue, list.as_ptr(), &mut code) };
    ok(code);
    buffer
}

/// A command buffer that fills a part of an image, doubles its texels, and copies them.
struct Recorded {
    buffer: cl_command_buffer_khr,
    /// The launch.
    command: cl_mutable_command_khr,
    words: Vec<u32>,
    from: cl_mem,
    /// Result as a buffer.
    to: cl_mem,
    source: cl_mem,
    doubled: cl_mem,
    /// Result of the filled part.
    copied: cl_mem,
}

impl Recorded {
    fn new(rig: &Rig, queue: cl_command_queue) -> Recorded {
        let words: Vec<u32> = (0..64).collect();
        let (from, to, twice) = (rig.buffer(&words), rig.buffer(&[0u32; 64]), rig.kernel("twice"));
        let [source, doubled, copied] = [(); 3].map(|()| image(rig));
        set(twice, 0, source);
        set(twice, 1, doubled);
        let (buffer, mut command) = (create(queue), null_mut());
        let (corner, part, color) = ([4usize, 2, 0], [2usize, 3, 1], [1000u32, 0, 0, 0]);
        let (at, part, color) = (corner.as_ptr(), part.as_ptr(), color.as_ptr().cast());
        let (o, all, on, end) = (ORIGIN.as_ptr(), ALL.as_ptr(), null_mut(), null_mut());
        let (mut put, mut fill, mut run, mut done) = (0, 0, 0, 0);
        // SAFETY: live handles, arrays of three, colours of four.
        unsafe {
            ok(clCommandCopyBufferToImageKHR(
                buffer,
                on,
                null(),
                from,
                source,
                0,
                o,
                all,
                0,
                null(),
                &mut put,
                end,
            ));
            ok(clCommandFillImageKHR(buffer, on, null(), source, color, at, part, 1, &put, &mut fill, end));
            let (none, launch) = (null(), &raw mut command);
            ok(clCommandNDRangeKernelKHR(
                buffer,
                on,
                null(),
                twice,
                2,
                none,
                all,
                none,
                1,
                &fill,
                &mut run,
                launch,
            ));
            ok(clCommandCopyImageKHR(
                buffer,
                on,
                null(),
                doubled,
                copied,
                at,
                o,
                part,
                1,
                &run,
                &mut done,
                end,
            ));
            ok(clCommandCopyImageToBufferKHR(
                buffer,
                on,
                null(),
                doubled,
                to,
                o,
                all,
                0,
                1,
                &run,
                &mut done,
                end,
            ));
            ok(clFinalizeCommandBufferKHR(buffer));
        }
        Recorded { buffer, command, words, from, to, source, doubled, copied }
    }

    /// Texels after a replay.
    fn expected(&self) -> Vec<u32> {
        let mut expected: Vec<u32> = self.words.iter().map(|w| w * 2).collect();
        for y in 2..5 {
            expected[y * SIDE + 4..y * SIDE + 6].fill(2000);
        }
        expected
    }

    fn replay(&self, queue: cl_command_queue) {
        let mut event = null_mut();
        // SAFETY: live handles.
        ok(unsafe { clEnqueueCommandBufferKHR(0, null(), self.buffer, 0, null(), &mut event) });
        ok(wait(&[event]));
        assert_eq!(read::<u32>(queue, self.to, 64), self.expected());
        assert_eq!(texels(queue, self.copied)[..2], [2000, 2000]);
    }

    /// Makes the kernel write another image.
    fn redirect(&self, image: cl_mem) {
        let args = [cl_mutable_dispatch_arg_khr {
            arg_index: 1,
            arg_size: size_of::<cl_mem>(),
            arg_value: (&raw const image).cast(),
        }];
        // SAFETY: zeroes are valid for the structure.
        let mut config: cl_mutable_dispatch_config_khr = unsafe { std::mem::zeroed() };
        (config.command, config.num_args, config.arg_list) = (self.command, 1, args.as_ptr());
        let (kind, pointer) = (CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR, (&raw const config).cast());
        // SAFETY: one configuration of its type.
        ok(unsafe { clUpdateMutableCommandsKHR(self.buffer, 1, &kind, &pointer) });
    }

    fn end(self) {
        // SAFETY: a live handle, released once.
        ok(unsafe { clReleaseCommandBufferKHR(self.buffer) });
        release([self.source, self.doubled, self.copied, self.from, self.to]);
    }
}

#[test]
fn images_are_copied_filled_and_used_by_kernels() {
    if !has_images() {
        return;
    }
    let rig = Rig::new(SOURCE);
    for properties in [0, OUT_OF_ORDER] {
        let (queue, other) = (rig.queue(properties), image(&rig));
        let recorded = Recorded::new(&rig, queue);
        recorded.replay(queue);
        recorded.redirect(other);
        // The copied texels stay.
        recorded.replay(queue);
        assert_eq!(texels(queue, other), recorded.expected());
        recorded.end();
        release([other]);
    }
}

#[test]
fn errors_of_recording() {
    if !has_images() {
        return;
    }
    let (rig, foreign) = (Rig::new(SOURCE), Rig::new(SOURCE));
    let queue = rig.queue(0);
    let (buffer, a, elsewhere) = (create(queue), image(&rig), image(&foreign));
    let (mem, other_mem) = (rig.buffer(&[0u32; 64]), foreign.buffer(&[0u32; 64]));
    let (origin, far, color) = ([0usize; 3], [SIDE, 0, 0], [0u32; 4]);
    let (o, all, none, color) = (origin.as_ptr(), ALL.as_ptr(), null_mut(), color.as_ptr().cast());
    let end = null_mut();
    // SAFETY: arrays of three, colours of four, handles live or looked up only.
    unsafe {
        let fill = |b, q, image, color, at, n| {
            clCommandFillImageKHR(b, q, null(), image, color, at, all, n, null(), null_mut(), end)
        };
        assert_eq!(fill(wrong_kind(queue), none, a, color, o, 0), CL_INVALID_COMMAND_BUFFER_KHR);
        assert_eq!(fill(buffer, rig.queue(0), a, color, o, 0), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(fill(buffer, none, a, color, o, 1), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
        assert_eq!(fill(buffer, none, mem, color, o, 0), CL_INVALID_MEM_OBJECT);
        assert_eq!(fill(buffer, none, elsewhere, color, o, 0), CL_INVALID_CONTEXT);
        assert_eq!(fill(buffer, none, a, null(), o, 0), CL_INVALID_VALUE);
        assert_eq!(fill(buffer, none, a, color, null(), 0), CL_INVALID_VALUE);
        assert_eq!(fill(buffer, none, a, color, far.as_ptr(), 0), CL_INVALID_VALUE);
        let copy = |src, dst, at| {
            clCommandCopyImageKHR(buffer, none, null(), src, dst, o, at, all, 0, null(), null_mut(), end)
        };
        assert_eq!(copy(a, mem, o), CL_INVALID_MEM_OBJECT);
        assert_eq!(copy(mem, a, o), CL_INVALID_MEM_OBJECT);
        assert_eq!(copy(a, elsewhere, o), CL_INVALID_CONTEXT);
        assert_eq!(copy(a, a, o), CL_MEM_COPY_OVERLAP);
        let put = |src, dst, offset| {
            clCommandCopyBufferToImageKHR(
                buffer,
                none,
                null(),
                src,
                dst,
                offset,
                o,
                all,
                0,
                null(),
                null_mut(),
                end,
            )
        };
        assert_eq!(put(mem, mem, 0), CL_INVALID_MEM_OBJECT);
        assert_eq!(put(other_mem, a, 0), CL_INVALID_CONTEXT);
        assert_eq!(put(mem, a, 4), CL_INVALID_VALUE);
        let take = |src, dst, offset| {
            clCommandCopyImageToBufferKHR(
                buffer,
                none,
                null(),
                src,
                dst,
                o,
                all,
                offset,
                0,
                null(),
                null_mut(),
                end,
            )
        };
        assert_eq!(take(mem, mem, 0), CL_INVALID_MEM_OBJECT);
        assert_eq!(take(a, other_mem, 0), CL_INVALID_CONTEXT);
        assert_eq!(take(a, mem, 4), CL_INVALID_VALUE);
        ok(clFinalizeCommandBufferKHR(buffer));
        assert_eq!(fill(buffer, none, a, color, o, 0), CL_INVALID_OPERATION);
        assert_eq!(put(mem, a, 0), CL_INVALID_OPERATION);
        assert_eq!(take(a, mem, 0), CL_INVALID_OPERATION);
        ok(clReleaseCommandBufferKHR(buffer));
    }
}
