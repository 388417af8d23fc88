//! Images in a context of several devices, some of which may have no images.

#![allow(clippy::unwrap_used)]

use std::ptr::{null, null_mut};
use test_support::api::devices::*;
use test_support::api::rig::*;
use test_support::api::*;
use test_support::skipped;

/// Writes through a mapping are kept, whichever device wrote the image before.
#[test]
fn mapped_images_in_buffers() {
    let world = World::new(0);
    let has = |at: &usize| number(&device_info(world.devices[*at], CL_DEVICE_IMAGE_SUPPORT).unwrap()) != 0;
    let queues: Vec<cl_command_queue> =
        (0..world.devices.len()).filter(has).map(|at| world.queues[at]).collect();
    let [one, other, ..] = queues[..] else {
        skipped::because(&format!("{} devices have images", queues.len()));
        return world.end();
    };
    let format = cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNSIGNED_INT32 };
    let (mut code, color, words) = (1, [8u32; 4], 16 * 8 * 4);
    let (origin, region, mut pitch) = ([0usize; 3], [16usize, 8, 1], 0);
    // SAFETY: live handles; the mapping has eight rows of 256 bytes.
    unsafe {
        let mem = world.rig.buffer(&vec![1u32; words]);
        let mut desc: cl_image_desc = std::mem::zeroed();
        (desc.image_type, desc.image_width, desc.image_height, desc.image_row_pitch) =
            (CL_MEM_OBJECT_IMAGE2D, 16, 8, 256);
        desc.mem_object = mem;
        let image = clCreateImage(world.rig.context, 0, &format, &desc, null_mut(), &mut code);
        ok(code);
        for (round, flags) in [CL_MAP_WRITE_INVALIDATE_REGION, CL_MAP_WRITE].into_iter().enumerate() {
            ok(clEnqueueFillImage(
                other,
                image,
                color.as_ptr().cast(),
                origin.as_ptr(),
                region.as_ptr(),
                0,
                null(),
                null_mut(),
            ));
            finish(other);
            let at = clEnqueueMapImage(
                one,
                image,
                1,
                flags,
                origin.as_ptr(),
                region.as_ptr(),
                &mut pitch,
                null_mut(),
                0,
                null(),
                null_mut(),
                &mut code,
            );
            ok(code);
            for row in 0..8 {
                std::slice::from_raw_parts_mut(at.byte_add(row * pitch).cast::<u32>(), 64)
                    .fill(round as u32 + row as u32);
            }
            ok(clEnqueueUnmapMemObject([one, other][round], image, at, 0, null(), null_mut()));
            finish([one, other][round]);
            let expected: Vec<u32> = (0..words as u32).map(|i| round as u32 + i / 64).collect();
            assert_eq!(read::<u32>(other, mem, words), expected);
        }
        image.release();
        mem.release();
    }
    world.end();
}

/// An image of one kind with its mip levels, and the texels that each level must contain.
struct Levels {
    kind: cl_mem_object_type,
    size: [usize; 3],
    /// Number of axes that shrink from level to level. The axis after them counts layers.
    axes: usize,
    /// Number of mip levels, or 0.
    levels: usize,
    image: cl_mem,
    model: Vec<Vec<u32>>,
}

impl Levels {
    fn new(
        context: cl_context,
        (kind, size, axes): (cl_mem_object_type, [usize; 3], usize),
        levels: usize,
    ) -> Levels {
        let format =
            cl_image_format { image_channel_order: CL_R, image_channel_data_type: CL_UNSIGNED_INT32 };
        // SAFETY: plain numbers and pointers.
        let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
        (desc.image_type, desc.image_width, desc.image_height, desc.image_depth) =
            (kind, size[0], size[1], size[2]);
        (desc.image_array_size, desc.num_mip_levels) = (size[axes.min(2)], levels as u32);
        let mut code = 1;
        // SAFETY: a live context, no host pointer.
        let image = unsafe { clCreateImage(context, 0, &format, &desc, null_mut(), &mut code) };
        ok(code);
        let mut made = Levels { kind, size, axes, levels, image, model: Vec::new() };
        made.model = (0..levels.max(1)).map(|l| vec![0; made.level_size(l).iter().product()]).collect();
        made
    }

    fn level_size(&self, level: usize) -> [usize; 3] {
        [0, 1, 2].map(|i| if i < self.axes { (self.size[i] >> level).max(1) } else { self.size[i] })
    }

    /// Origin that commands take, with the level after the coordinates.
    fn origin(&self, at: [usize; 3], level: usize) -> [usize; 4] {
        let layered = self.size[self.axes.min(2)] > 1 && self.axes < 3;
        let mut origin = [at[0], at[1], at[2], 0];
        if self.levels > 0 {
            origin[if layered { self.axes + 1 } else { self.axes }] = level;
        }
        origin
    }

    /// Writes or fills a random part of a random level.
    fn change(&mut self, step: usize, random: &mut Random, queues: &[cl_command_queue]) {
        // Each level is written completely first: other contents are undefined.
        let whole = step < self.model.len();
        let level = if whole { step } else { random.below(self.model.len()) };
        let all = self.level_size(level);
        let at = all.map(|n| if whole { 0 } else { random.below(n) });
        let region = [0, 1, 2].map(|i| if whole { all[i] } else { 1 + random.below(all[i] - at[i]) });
        let new: Vec<u32> = match random.below(2) {
            0 => vec![step as u32 * 7 + 1; region.iter().product()],
            _ => (0..region.iter().product::<usize>()).map(|i| (step * 1000 + i) as u32).collect(),
        };
        for (i, value) in new.iter().enumerate() {
            let [x, y, z] = [i % region[0], i / region[0] % region[1], i / region[0] / region[1]];
            self.model[level][((at[2] + z) * all[1] + at[1] + y) * all[0] + at[0] + x] = *value;
        }
        self.put(queues[random.below(queues.len())], self.origin(at, level), region, &new);
    }

    /// Fills a region with a colour if all texels are equal, and writes it otherwise.
    fn put(&self, queue: cl_command_queue, origin: [usize; 4], region: [usize; 3], texels: &[u32]) {
        let (origin, region, none, end) = (origin.as_ptr(), region.as_ptr(), null(), null_mut());
        // SAFETY: live handles; memory of the region's size until the command is done; a colour of four
        // components.
        unsafe {
            if texels.iter().all(|v| *v == texels[0]) {
                let color = [texels[0]; 4];
                let color = color.as_ptr().cast();
                ok(clEnqueueFillImage(queue, self.image, color, origin, region, 0, none, end));
            } else {
                let data = texels.as_ptr().cast();
                ok(clEnqueueWriteImage(queue, self.image, 0, origin, region, 0, 0, data, 0, none, end));
            }
        }
        finish(queue);
    }

    /// Compares a random level of those that have been written.
    fn check(&self, step: usize, random: &mut Random, queues: &[cl_command_queue]) {
        let level = random.below((step + 1).min(self.model.len()));
        let queue = queues[random.below(queues.len())];
        let (mut seen, all) = (vec![0u32; self.model[level].len()], self.level_size(level));
        let (origin, data, end) = (self.origin([0; 3], level), seen.as_mut_ptr().cast(), null_mut());
        let (origin, all) = (origin.as_ptr(), all.as_ptr());
        // SAFETY: live handles; memory of the level's size.
        ok(unsafe { clEnqueueReadImage(queue, self.image, 1, origin, all, 0, 0, data, 0, null(), end) });
        let Levels { kind, levels, .. } = self;
        assert!(seen == self.model[level], "{kind:#x} with {levels} levels, step {step}, level {level}");
    }
}

/// Images of every type, with and without mip levels, contain the last write of any device.
#[test]
fn images_with_their_levels() {
    let world = World::new(0);
    let has = |at: &usize| {
        let extensions = text(&device_info(world.devices[*at], CL_DEVICE_EXTENSIONS).unwrap());
        extensions.split(' ').any(|e| e == "cl_khr_mipmap_image")
    };
    let queues: Vec<cl_command_queue> =
        (0..world.devices.len()).filter(has).map(|at| world.queues[at]).collect();
    if queues.len() < 2 {
        skipped::because(&format!("{} devices have images with levels", queues.len()));
        return world.end();
    }
    let kinds = [
        (CL_MEM_OBJECT_IMAGE1D, [40usize, 1, 1], 1),
        (CL_MEM_OBJECT_IMAGE1D_ARRAY, [40, 3, 1], 1),
        (CL_MEM_OBJECT_IMAGE2D, [20, 9, 1], 2),
        (CL_MEM_OBJECT_IMAGE2D_ARRAY, [20, 9, 3], 2),
        (CL_MEM_OBJECT_IMAGE3D, [12, 10, 9], 3),
    ];
    let mut random = Random(11);
    for kind in kinds {
        for levels in [0usize, 3] {
            let mut image = Levels::new(world.rig.context, kind, levels);
            for step in 0..60 {
                image.change(step, &mut random, &queues);
                image.check(step, &mut random, &queues);
            }
            image.image.release();
        }
    }
    world.end();
}

/// Only devices with images accept commands on images.
#[test]
fn images_of_some_devices() {
    let world = World::new(0);
    let has = |device: &cl_device_id| number(&device_info(*device, CL_DEVICE_IMAGE_SUPPORT).unwrap()) != 0;
    let format = cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNSIGNED_INT32 };
    let (mut code, size) = (1, [16usize, 8, 1]);
    let texels: Vec<u32> = (0..16 * 8 * 4).collect();
    if !world.devices.iter().any(has) {
        skipped::because("no device has images");
        return world.end();
    }
    // SAFETY: live handles; memory of the image's size.
    unsafe {
        let flags = CL_MEM_COPY_HOST_PTR;
        let image = clCreateImage2D(
            world.rig.context,
            flags,
            &format,
            16,
            8,
            0,
            texels.as_ptr().cast_mut().cast(),
            &mut code,
        );
        ok(code);
        let mut last = [1u32; 4];
        let mut expected = texels.clone();
        for round in 0..6 {
            for (queue, device) in world.queues.iter().zip(&world.devices) {
                let (mut seen, origin, one) =
                    (vec![0u32; texels.len()], [round, round, 0usize], [1usize, 1, 1]);
                let read = clEnqueueReadImage(
                    *queue,
                    image,
                    1,
                    [0; 3].as_ptr(),
                    size.as_ptr(),
                    0,
                    0,
                    seen.as_mut_ptr().cast(),
                    0,
                    null(),
                    null_mut(),
                );
                let color = last.as_ptr().cast();
                let fill = clEnqueueFillImage(
                    *queue,
                    image,
                    color,
                    origin.as_ptr(),
                    one.as_ptr(),
                    0,
                    null(),
                    null_mut(),
                );
                if !has(device) {
                    assert_eq!((read, fill), (CL_INVALID_OPERATION, CL_INVALID_OPERATION));
                    continue;
                }
                assert_eq!((read, fill), (CL_SUCCESS, CL_SUCCESS));
                assert_eq!(seen, expected);
                let at = (round * 16 + round) * 4;
                expected[at..at + 4].copy_from_slice(&last);
                finish(*queue);
                last = last.map(|v| v * 3 + 1);
            }
        }
        image.release();
    }
    // CL_INVALID_OPERATION: the context's device has no images.
    if let Some(device) = world.devices.iter().find(|d| !has(d)) {
        // SAFETY: as above; lists are terminated.
        unsafe {
            let context = clCreateContext(null(), 1, device, None, null_mut(), &mut code);
            ok(code);
            assert!(clCreateImage2D(context, 0, &format, 16, 8, 0, null_mut(), &mut code).is_null());
            assert_eq!(code, CL_INVALID_OPERATION);
            assert!(clCreateImage3D(context, 0, &format, 16, 8, 2, 0, 0, null_mut(), &mut code).is_null());
            assert_eq!(code, CL_INVALID_OPERATION);
            let mut desc: cl_image_desc = std::mem::zeroed();
            (desc.image_type, desc.image_width, desc.image_height) = (CL_MEM_OBJECT_IMAGE2D, 16, 8);
            assert!(clCreateImage(context, 0, &format, &desc, null_mut(), &mut code).is_null());
            assert_eq!(code, CL_INVALID_OPERATION);
            assert!(clCreateSampler(context, 0, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &mut code).is_null());
            assert_eq!(code, CL_INVALID_OPERATION);
            assert!(clCreateSamplerWithProperties(context, null(), &mut code).is_null());
            assert_eq!(code, CL_INVALID_OPERATION);
            context.release();
        }
    }
    world.end();
}
