//! Images in a context with two devices: each command sees the last write, whichever device executed it.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use test_support::api::rig::{Random, Rig, finish, ok, release, set};
use test_support::api::*;

pub const SOURCE: &str = "
kernel void pixels(read_only image2d_t from, write_only image2d_t to, uint factor, uint addend)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    if (all(at < get_image_dim(from))) write_imageui(to, at, (read_imageui(from, at) * factor + addend) & 255u);
}";

const SIZE: [usize; 3] = [37, 23, 1];
const ROW: usize = SIZE[0] * 4;
const BYTES: usize = ROW * SIZE[1];
const FORMAT: cl_image_format =
    cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNSIGNED_INT8 };

fn create(
    context: cl_context,
    flags: cl_mem_flags,
    row_pitch: usize,
    object: cl_mem,
    ptr: *mut c_void,
) -> cl_mem {
    let desc = cl_image_desc {
        image_type: CL_MEM_OBJECT_IMAGE2D,
        image_width: SIZE[0],
        image_height: SIZE[1],
        image_depth: 1,
        image_array_size: 1,
        image_row_pitch: row_pitch,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        mem_object: object,
    };
    let mut code = 1;
    // SAFETY: a live context; the pointer goes with flags and description.
    let image = unsafe { clCreateImage(context, flags, &FORMAT, &desc, ptr, &mut code) };
    ok(code);
    image
}

fn contents(queue: cl_command_queue, image: cl_mem) -> Vec<u8> {
    let (origin, mut bytes) = ([0usize; 3], vec![0u8; BYTES]);
    let (o, r, ptr) = (origin.as_ptr(), SIZE.as_ptr(), bytes.as_mut_ptr().cast());
    // SAFETY: live handles; the bytes are those of the image.
    ok(unsafe { clEnqueueReadImage(queue, image, 1, o, r, 0, 0, ptr, 0, null(), null_mut()) });
    bytes
}

/// Maps a region, changes each byte of it, and unmaps, possibly through another queue.
fn change_mapped(
    queues: [cl_command_queue; 2],
    image: cl_mem,
    flags: cl_map_flags,
    expected: &mut [u8],
    value: u8,
) {
    let (origin, region, mut pitch, mut code) = ([3usize, 5, 0], [20usize, 11, 1], 0, 1);
    let (o, r) = (origin.as_ptr(), region.as_ptr());
    // SAFETY: live handles; rows of the mapping are used as far as the region goes.
    unsafe {
        let ptr = clEnqueueMapImage(
            queues[0],
            image,
            1,
            flags,
            o,
            r,
            &mut pitch,
            null_mut(),
            0,
            null(),
            null_mut(),
            &mut code,
        );
        ok(code);
        for y in 0..region[1] {
            let row = std::slice::from_raw_parts_mut(ptr.cast::<u8>().add(y * pitch), region[0] * 4);
            let list = &mut expected[(origin[1] + y) * ROW + origin[0] * 4..][..region[0] * 4];
            if flags & CL_MAP_READ != 0 {
                assert_eq!(row, list);
            }
            row.iter_mut().zip(list).for_each(|(to, list)| {
                *list = if flags & CL_MAP_READ != 0 { list.wrapping_add(value) } else { value };
                *to = *list;
            });
        }
        ok(clEnqueueUnmapMemObject(queues[1], image, ptr, 0, null(), null_mut()));
    }
    queues.iter().for_each(|q| finish(*q));
}

/// Random commands on images of a kind, on random devices.
fn shuffle(rigs: &[Rig; 2], queues: [cl_command_queue; 2], images: [cl_mem; 2], mut expected: [Vec<u8>; 2]) {
    let kernels = rigs.map(|rig| rig.kernel("pixels"));
    let mut random = Random(11);
    for round in 0..60u32 {
        let (device, from) = (random.below(2), random.below(2));
        let (queue, to) = (queues[device], 1 - from);
        match random.below(7) {
            0 | 1 => {
                let kernel = kernels[device];
                set(kernel, 0, images[from]);
                set(kernel, 1, images[to]);
                set(kernel, 2, 3u32);
                set(kernel, 3, round);
                let global = [SIZE[0], SIZE[1]];
                // SAFETY: live handles; two dimensions.
                ok(unsafe {
                    clEnqueueNDRangeKernel(
                        queue,
                        kernel,
                        2,
                        null(),
                        global.as_ptr(),
                        null(),
                        0,
                        null(),
                        null_mut(),
                    )
                });
                expected[to] =
                    expected[from].iter().map(|v| v.wrapping_mul(3).wrapping_add(round as u8)).collect();
            }
            2 => {
                let (a, b) = ([1usize, 2, 0], [0usize, 4, 0]);
                let size = [30usize, 15, 1];
                let (s, d, r) = (a.as_ptr(), b.as_ptr(), size.as_ptr());
                // SAFETY: live handles, arrays of three.
                ok(unsafe {
                    clEnqueueCopyImage(queue, images[from], images[to], s, d, r, 0, null(), null_mut())
                });
                for y in 0..15 {
                    let row = expected[from][(y + 2) * ROW + 4..][..120].to_vec();
                    expected[to][(y + 4) * ROW..][..120].copy_from_slice(&row);
                }
            }
            3 => {
                let (colour, origin, size) = ([round, 1, 2, 3], [4usize, 0, 0], [5usize, 6, 1]);
                let (o, r) = (origin.as_ptr(), size.as_ptr());
                // SAFETY: live handles, a colour of four integers.
                ok(unsafe {
                    clEnqueueFillImage(queue, images[to], colour.as_ptr().cast(), o, r, 0, null(), null_mut())
                });
                for (x, y) in (0..5).flat_map(|x| (0..6).map(move |y| (x, y))) {
                    expected[to][y * ROW + (x + 4) * 4..][..4].copy_from_slice(&[round as u8, 1, 2, 3]);
                }
            }
            4 => {
                finish(queue);
                let flags = [CL_MAP_READ | CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION][random.below(2)];
                let unmapped_by = queues[random.below(2)];
                change_mapped([queue, unmapped_by], images[to], flags, &mut expected[to], round as u8);
            }
            5 => {
                let hint = [0, CL_MIGRATE_MEM_OBJECT_HOST][random.below(2)];
                // SAFETY: live handles.
                ok(unsafe {
                    clEnqueueMigrateMemObjects(queue, 2, images.as_ptr(), hint, 0, null(), null_mut())
                });
            }
            _ => assert_eq!(contents(queue, images[to]), expected[to], "round {round}"),
        }
        finish(queue);
    }
    for queue in queues {
        assert_eq!(contents(queue, images[0]), expected[0]);
        assert_eq!(contents(queue, images[1]), expected[1]);
    }
    release(kernels);
}

/// Images with their own memory, with memory of the application, and in buffers.
pub fn images_of_two_devices(rigs: &[Rig; 2], queues: [cl_command_queue; 2]) {
    let context = rigs[0].context;
    let first: [Vec<u8>; 2] = [7usize, 5].map(|n| (0..BYTES).map(|i| (i * n + i / 7) as u8).collect());
    let of = |i: usize| first[i].as_ptr().cast_mut().cast();
    let images = [0, 1].map(|i| create(context, CL_MEM_COPY_HOST_PTR, 0, null_mut(), of(i)));
    shuffle(rigs, queues, images, first.clone());
    release(images);

    let pitch = ROW + 12;
    let mut own = first.clone().map(|bytes| {
        let mut memory = vec![0xeeu8; pitch * SIZE[1]];
        bytes
            .chunks(ROW)
            .zip(memory.chunks_mut(pitch))
            .for_each(|(from, to)| to[..ROW].copy_from_slice(from));
        memory
    });
    let [a, b] = &mut own;
    let images =
        [a, b].map(|m| create(context, CL_MEM_USE_HOST_PTR, pitch, null_mut(), m.as_mut_ptr().cast()));
    shuffle(rigs, queues, images, first.clone());
    release(images);
    assert!(
        own.iter().all(|m| m.chunks(pitch).all(|row| row[ROW..] == [0xee; 12])),
        "bytes between rows were written"
    );

    // Row pitches equal to the device's, and others.
    for pitch in [256, ROW + 4] {
        let mut code = 1;
        let buffers = [0, 1].map(|_| {
            // SAFETY: a live context, no host pointer.
            let buffer = unsafe { clCreateBuffer(context, 0, pitch * SIZE[1], null_mut(), &mut code) };
            ok(code);
            buffer
        });
        let images = buffers.map(|buffer| create(context, 0, pitch, buffer, null_mut()));
        for i in 0..2 {
            let (origin, o) = ([0usize; 3], SIZE.as_ptr());
            // SAFETY: live handles; the bytes are those of the image.
            ok(unsafe {
                clEnqueueWriteImage(
                    queues[i],
                    images[i],
                    1,
                    origin.as_ptr(),
                    o,
                    0,
                    0,
                    of(i),
                    0,
                    null(),
                    null_mut(),
                )
            });
        }
        shuffle(rigs, queues, images, first.clone());
        release(images);
        release(buffers);
    }
}
