//! Images and samplers through the ICD loader: error codes, queries, pitches, mappings, images created from
//! buffers and images, kernel arguments. `images.rs` tests the texels.

#![allow(clippy::unwrap_used)]

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use test_support::api::rig::{Rig, finish, launch, ok, read, release, set};
use test_support::api::*;
use test_support::skipped;

const RGBA8: cl_image_format =
    cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNORM_INT8 };

const SOURCE: &str = r"
    kernel void get(read_only image2d_t image, sampler_t s, global float4 *out)
    {
        int x = get_global_id(0);
        out[x] = read_imagef(image, s, (int2)(x, 1));
    }
    kernel void put(write_only image2d_t image, float4 v) { write_imagef(image, (int2)(get_global_id(0), 0), v); }
    kernel void get3(read_only image3d_t image, global float4 *out) { out[0] = read_imagef(image, (int4)(0)); }
    kernel void line(read_only image1d_buffer_t image, global uint4 *out) { out[get_global_id(0)] = read_imageui(image, get_global_id(0)); }
    kernel void plain(global float *p) { p[0] = 1; }
";

fn desc(image_type: cl_uint, size: [usize; 3]) -> cl_image_desc {
    cl_image_desc {
        image_type,
        image_width: size[0],
        image_height: size[1],
        image_depth: size[2],
        image_array_size: if image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY { size[1] } else { size[2] },
        image_row_pitch: 0,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        mem_object: null_mut(),
    }
}

fn flat(width: usize, height: usize) -> cl_image_desc {
    desc(CL_MEM_OBJECT_IMAGE2D, [width, height, 1])
}

fn create(
    context: cl_context,
    flags: cl_mem_flags,
    format: &cl_image_format,
    desc: &cl_image_desc,
    ptr: *mut c_void,
) -> Result<cl_mem, cl_int> {
    let mut code = 1;
    // SAFETY: live context; format and description are valid pointers; the pointer goes with flags and
    // description.
    let mem = unsafe { clCreateImage(context, flags, format, desc, ptr, &mut code) };
    if code == CL_SUCCESS { Ok(mem) } else { Err(code) }
}

fn image(context: cl_context, flags: cl_mem_flags, desc: &cl_image_desc) -> cl_mem {
    create(context, flags, &RGBA8, desc, null_mut()).unwrap()
}

fn image_info(mem: cl_mem, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    // SAFETY: `query_bytes` passes buffers of the size it says.
    query_bytes(|size, value, ret| unsafe { clGetImageInfo(mem, name, size, value, ret) })
}

fn mem_info(mem: cl_mem, name: cl_uint) -> u64 {
    // SAFETY: as above.
    number(
        &query_bytes(|size, value, ret| unsafe { clGetMemObjectInfo(mem, name, size, value, ret) }).unwrap(),
    )
}

fn write_image(
    queue: cl_command_queue,
    mem: cl_mem,
    origin: [usize; 3],
    region: [usize; 3],
    bytes: &[u8],
) -> cl_int {
    let ptr = bytes.as_ptr().cast();
    // SAFETY: live handles; the bytes cover the region.
    unsafe {
        clEnqueueWriteImage(
            queue,
            mem,
            CL_TRUE,
            origin.as_ptr(),
            region.as_ptr(),
            0,
            0,
            ptr,
            0,
            null(),
            null_mut(),
        )
    }
}

fn read_image(
    queue: cl_command_queue,
    mem: cl_mem,
    origin: [usize; 3],
    region: [usize; 3],
    pitches: (usize, usize),
    out: &mut [u8],
) -> cl_int {
    let (ptr, (row, slice)) = (out.as_mut_ptr().cast(), pitches);
    // SAFETY: live handles; there is room for the region with these pitches.
    unsafe {
        clEnqueueReadImage(
            queue,
            mem,
            CL_TRUE,
            origin.as_ptr(),
            region.as_ptr(),
            row,
            slice,
            ptr,
            0,
            null(),
            null_mut(),
        )
    }
}

fn pattern(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 7 + i / 256 * 3 + 1) as u8).collect()
}

/// Whether the device has no images, with a message.
fn no_images() -> bool {
    let lacks = number(&device_info(device(), CL_DEVICE_IMAGE_SUPPORT).unwrap()) == 0;
    assert!(!lacks || is_another_device());
    if lacks {
        skipped::because("the device has no images");
    }
    lacks
}

#[test]
fn formats_are_listed_for_what_they_can_do() {
    if no_images() {
        return;
    }
    let context = context();
    let list = |flags, kind| {
        let mut count = 0;
        // SAFETY: a count, then room for as many.
        unsafe {
            match clGetSupportedImageFormats(context, flags, kind, 0, null_mut(), &mut count) {
                CL_SUCCESS => {}
                code => return Err(code),
            }
            let mut formats = vec![RGBA8; count as usize + 1];
            let room = formats.len() as cl_uint;
            ok(clGetSupportedImageFormats(context, flags, kind, room, formats.as_mut_ptr(), null_mut()));
            formats.truncate(count as usize);
            Ok(formats.iter().map(|f| (f.image_channel_order, f.image_channel_data_type)).collect::<Vec<_>>())
        }
    };
    for kind in CL_MEM_OBJECT_IMAGE2D..=CL_MEM_OBJECT_IMAGE1D_BUFFER {
        let read = list(CL_MEM_READ_ONLY, kind).unwrap();
        let both = list(CL_MEM_READ_WRITE, kind).unwrap();
        assert_eq!(list(0, kind).unwrap(), both);
        assert_eq!(list(CL_MEM_WRITE_ONLY, kind).unwrap(), both);
        assert!(both.contains(&(CL_RGBA, CL_FLOAT)) && both.iter().all(|f| read.contains(f)), "{kind:#x}");
        let one_kernel = list(CL_MEM_KERNEL_READ_AND_WRITE, kind).unwrap();
        assert!(one_kernel.iter().all(|f| both.contains(f)));
        let none = number(&device_info(device(), CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS).unwrap()) == 0;
        assert_eq!(one_kernel.is_empty(), none);
    }
    assert_eq!(list(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D), Err(CL_INVALID_VALUE));
    assert_eq!(list(1 << 60, CL_MEM_OBJECT_IMAGE2D), Err(CL_INVALID_VALUE));
    assert_eq!(list(CL_MEM_READ_WRITE, CL_MEM_OBJECT_BUFFER), Err(CL_INVALID_VALUE));
    let mut one = RGBA8;
    // SAFETY: the list is not written.
    let code =
        unsafe { clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_IMAGE2D, 0, &mut one, null_mut()) };
    assert_eq!(code, CL_INVALID_VALUE);
    release([context]);
}

#[test]
fn creation_is_refused_with_the_code_of_the_condition() {
    if no_images() {
        return;
    }
    let context = context();
    let mut bytes = vec![0u8; 4096];
    let ptr: *mut c_void = bytes.as_mut_ptr().cast();
    let make = |flags, format: &cl_image_format, desc: &cl_image_desc, ptr| {
        create(context, flags, format, desc, ptr).map(|mem| release([mem])).err()
    };
    let format = |image_channel_order, image_channel_data_type| cl_image_format {
        image_channel_order,
        image_channel_data_type,
    };
    let good = flat(8, 8);
    let with = |change: fn(&mut cl_image_desc)| {
        let mut d = flat(8, 8);
        change(&mut d);
        d
    };
    let none = null_mut();
    for (want, flags, format, desc, ptr) in [
        (CL_INVALID_VALUE, 1 << 60, RGBA8, good, none),
        (CL_INVALID_VALUE, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, RGBA8, good, none),
        (CL_INVALID_VALUE, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, RGBA8, good, ptr),
        (CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, format(0, CL_FLOAT), good, none),
        (CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, format(CL_RGBA, 7), good, none),
        (CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, format(CL_RGB, CL_UNORM_INT8), good, none),
        (CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, format(CL_DEPTH, CL_UNORM_INT8), good, none),
        (CL_IMAGE_FORMAT_NOT_SUPPORTED, 0, format(CL_Rx, CL_UNORM_INT8), good, none),
        (CL_INVALID_IMAGE_DESCRIPTOR, 0, RGBA8, with(|d| d.image_type = CL_MEM_OBJECT_BUFFER), none),
        (CL_INVALID_IMAGE_DESCRIPTOR, 0, RGBA8, with(|d| d.num_samples = 2), none),
        (CL_INVALID_IMAGE_DESCRIPTOR, 0, RGBA8, with(|d| d.num_mip_levels = 5), none),
        (CL_INVALID_HOST_PTR, CL_MEM_COPY_HOST_PTR, RGBA8, with(|d| d.num_mip_levels = 2), ptr),
        (
            CL_INVALID_IMAGE_DESCRIPTOR,
            CL_MEM_READ_ONLY,
            format(CL_DEPTH, CL_FLOAT),
            with(|d| d.num_mip_levels = 2),
            none,
        ),
        (CL_INVALID_IMAGE_DESCRIPTOR, 0, RGBA8, with(|d| d.image_row_pitch = 64), none),
        (CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_COPY_HOST_PTR, RGBA8, with(|d| d.image_row_pitch = 31), ptr),
        (CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_COPY_HOST_PTR, RGBA8, with(|d| d.image_row_pitch = 28), ptr),
        (CL_INVALID_IMAGE_DESCRIPTOR, 0, RGBA8, desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, [8, 1, 1]), none),
        (CL_INVALID_IMAGE_SIZE, 0, RGBA8, with(|d| d.image_width = 0), none),
        (CL_INVALID_IMAGE_SIZE, 0, RGBA8, with(|d| d.image_height = 1 << 30), none),
        (CL_INVALID_IMAGE_SIZE, 0, RGBA8, with(|d| d.image_height = usize::MAX), none),
        (CL_INVALID_HOST_PTR, 0, RGBA8, good, ptr),
        (CL_INVALID_HOST_PTR, CL_MEM_COPY_HOST_PTR, RGBA8, good, none),
    ] {
        let got = make(flags, &format, &desc, ptr);
        assert_eq!(got, Some(want), "{flags:#x} {format:x?} {desc:?}");
    }
    assert_eq!(make(CL_MEM_READ_ONLY, &format(CL_sRGBA, CL_UNORM_INT8), &good, none), None);
    let mut code = 1;
    // SAFETY: NULL where that is what is tested.
    unsafe {
        assert!(clCreateImage(context, 0, null(), &good, none, &mut code).is_null());
        assert_eq!(code, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        assert!(clCreateImage(context, 0, &RGBA8, null(), none, &mut code).is_null());
        assert_eq!(code, CL_INVALID_IMAGE_DESCRIPTOR);
        assert!(clCreateImage(device().cast(), 0, &RGBA8, &good, none, &mut code).is_null());
        assert_eq!(code, CL_INVALID_CONTEXT);
        // The functions of OpenCL 1.0 have no description that could be invalid.
        assert!(clCreateImage2D(context, CL_MEM_COPY_HOST_PTR, &RGBA8, 8, 8, 30, ptr, &mut code).is_null());
        assert_eq!(code, CL_INVALID_IMAGE_SIZE);
        assert!(clCreateImage3D(context, 0, &RGBA8, 8, 8, 1, 0, 0, none, &mut code).is_null());
        assert_eq!(code, CL_INVALID_IMAGE_SIZE);
        let mem = clCreateImage3D(context, 0, &RGBA8, 8, 8, 2, 0, 0, none, &mut code);
        ok(code);
        release([mem]);
        if has_symbol("clCreateImageWithProperties") {
            let unknown: [cl_mem_properties; 3] = [77, 1, 0];
            assert!(
                clCreateImageWithProperties(context, unknown.as_ptr(), 0, &RGBA8, &good, none, &mut code)
                    .is_null()
            );
            assert_eq!(code, CL_INVALID_PROPERTY);
        }
    }
    release([context]);
}

#[test]
fn images_tell_what_they_are() {
    if no_images() {
        return;
    }
    let context = context();
    let one = |d: &cl_image_desc| {
        let mem = image(context, CL_MEM_READ_ONLY, d);
        let get = |name| number(&image_info(mem, name).unwrap());
        let (w, h, d, n) =
            (get(CL_IMAGE_WIDTH), get(CL_IMAGE_HEIGHT), get(CL_IMAGE_DEPTH), get(CL_IMAGE_ARRAY_SIZE));
        let pitches = (get(CL_IMAGE_ROW_PITCH), get(CL_IMAGE_SLICE_PITCH));
        assert_eq!(get(CL_IMAGE_ELEMENT_SIZE), 4);
        assert_eq!(
            (get(CL_IMAGE_NUM_MIP_LEVELS), get(CL_IMAGE_NUM_SAMPLES), get(CL_IMAGE_BUFFER)),
            (0, 0, 0)
        );
        assert_eq!(image_info(mem, CL_IMAGE_FORMAT).unwrap().len(), size_of::<cl_image_format>());
        assert_eq!(image_info(mem, 0xdead), Err(CL_INVALID_VALUE));
        assert_eq!(mem_info(mem, CL_MEM_FLAGS), CL_MEM_READ_ONLY);
        let kind = mem_info(mem, CL_MEM_TYPE) as cl_uint;
        release([mem]);
        (kind, [w, h, d, n], pitches)
    };
    for (kind, sizes, pitches) in [
        (CL_MEM_OBJECT_IMAGE1D, [5, 0, 0, 0], (20, 0)),
        (CL_MEM_OBJECT_IMAGE1D_ARRAY, [5, 0, 0, 3], (20, 20)),
        (CL_MEM_OBJECT_IMAGE2D, [5, 3, 0, 0], (20, 0)),
        (CL_MEM_OBJECT_IMAGE2D_ARRAY, [5, 3, 0, 2], (20, 60)),
        (CL_MEM_OBJECT_IMAGE3D, [5, 3, 2, 0], (20, 60)),
    ] {
        assert_eq!(one(&desc(kind, [5, 3, 2])), (kind, sizes, pitches));
    }
    let mut code = 1;
    // SAFETY: live handles.
    let buffer = unsafe { clCreateBuffer(context, CL_MEM_READ_WRITE, 64, null_mut(), &mut code) };
    ok(code);
    assert_eq!(image_info(buffer, CL_IMAGE_WIDTH), Err(CL_INVALID_MEM_OBJECT));
    release([buffer]);
    release([context]);
}

const ZERO: [usize; 3] = [0; 3];
const ONE: [usize; 3] = [1; 3];
/// Size of the images of [`Objects`].
const ALL: [usize; 3] = [8, 8, 1];

/// A rig without a program.
fn bare_rig() -> Rig {
    Rig { device: device(), context: context(), program: null_mut() }
}

/// Objects of refused commands: images of one format, one of another format, and a buffer.
struct Objects {
    rig: Rig,
    queue: cl_command_queue,
    a: cl_mem,
    b: cl_mem,
    other: cl_mem,
    buffer: cl_mem,
}

impl Objects {
    fn new() -> Objects {
        let rig = bare_rig();
        let format = cl_image_format { image_channel_data_type: CL_UNSIGNED_INT8, ..RGBA8 };
        let [a, b] = [(); 2].map(|()| image(rig.context, 0, &flat(8, 8)));
        let other = create(rig.context, 0, &format, &flat(8, 8), null_mut()).unwrap();
        Objects { rig, queue: rig.queue(0), a, b, other, buffer: rig.buffer(&[0u8; 256]) }
    }

    fn end(self) {
        finish(self.queue);
        release([self.a, self.b, self.other, self.buffer]);
        release([self.queue]);
        release([self.rig.context]);
    }
}

#[test]
fn reads_are_refused_with_the_code_of_the_condition() {
    if no_images() {
        return;
    }
    let objects = Objects::new();
    let (queue, a, mut bytes) = (objects.queue, objects.a, vec![0u8; 1024]);
    let mut read = |origin, region, pitches| read_image(queue, a, origin, region, pitches, &mut bytes);
    assert_eq!(read([0; 3], [8, 8, 1], (0, 0)), CL_SUCCESS);
    assert_eq!(read([1, 0, 0], [8, 8, 1], (0, 0)), CL_INVALID_VALUE);
    assert_eq!(read([0; 3], [8, 8, 2], (0, 0)), CL_INVALID_VALUE);
    assert_eq!(read([0, 0, 1], [1, 1, 1], (0, 0)), CL_INVALID_VALUE);
    assert_eq!(read([0; 3], [0, 8, 1], (0, 0)), CL_INVALID_VALUE);
    assert_eq!(read([0; 3], [8, 8, 1], (31, 0)), CL_INVALID_VALUE);
    assert_eq!(read([0; 3], [8, 8, 1], (32, 256)), CL_INVALID_VALUE);
    assert_eq!(read_image(queue, objects.buffer, ZERO, ONE, (0, 0), &mut bytes), CL_INVALID_MEM_OBJECT);
    let closed = image(objects.rig.context, CL_MEM_HOST_NO_ACCESS, &flat(8, 8));
    assert_eq!(read_image(queue, closed, ZERO, ONE, (0, 0), &mut bytes), CL_INVALID_OPERATION);
    let (zero, one, ptr, end) = (ZERO.as_ptr(), ONE.as_ptr(), bytes.as_mut_ptr().cast(), null_mut());
    // SAFETY: live handles, NULL where that is tested; sizes are within the memory.
    unsafe {
        let no_ptr = clEnqueueReadImage(queue, a, 1, zero, one, 0, 0, null_mut(), 0, null(), end);
        assert_eq!(no_ptr, CL_INVALID_VALUE);
        let no_origin = clEnqueueReadImage(queue, a, 1, null(), one, 0, 0, ptr, 0, null(), end);
        assert_eq!(no_origin, CL_INVALID_VALUE);
        let of_buffer = clEnqueueReadBuffer(queue, a, 1, 0, 4, ptr, 0, null(), end);
        assert_eq!(of_buffer, CL_INVALID_MEM_OBJECT);
    }
    release([closed]);
    objects.end();
}

#[test]
fn copies_are_refused_with_the_code_of_the_condition() {
    if no_images() {
        return;
    }
    let objects = Objects::new();
    let Objects { queue, a, b, other, buffer, .. } = objects;
    let (zero, all, end) = (ZERO.as_ptr(), ALL.as_ptr(), null_mut());
    let copy = |src, dst, from: [usize; 3], to: [usize; 3], size: [usize; 3]| {
        let (from, to, size) = (from.as_ptr(), to.as_ptr(), size.as_ptr());
        // SAFETY: live handles, three sizes each.
        unsafe { clEnqueueCopyImage(queue, src, dst, from, to, size, 0, null(), end) }
    };
    assert_eq!(copy(a, b, ZERO, ZERO, ALL), CL_SUCCESS);
    assert_eq!(copy(a, other, ZERO, ZERO, ALL), CL_IMAGE_FORMAT_MISMATCH);
    assert_eq!(copy(a, b, ZERO, [1, 0, 0], ALL), CL_INVALID_VALUE);
    assert_eq!(copy(a, a, ZERO, [3, 3, 0], [4, 4, 1]), CL_MEM_COPY_OVERLAP);
    assert_eq!(copy(a, a, ZERO, [4, 4, 0], [4, 4, 1]), CL_SUCCESS);
    // SAFETY: as above.
    let to_buffer =
        |at| unsafe { clEnqueueCopyImageToBuffer(queue, a, buffer, zero, all, at, 0, null(), end) };
    assert_eq!((to_buffer(0), to_buffer(1)), (CL_SUCCESS, CL_INVALID_VALUE));
    // SAFETY: as above.
    let back = |src| unsafe { clEnqueueCopyBufferToImage(queue, src, a, 0, zero, all, 0, null(), end) };
    assert_eq!((back(buffer), back(b)), (CL_SUCCESS, CL_INVALID_MEM_OBJECT));
    objects.end();
}

#[test]
fn fills_are_refused_with_the_code_of_the_condition() {
    if no_images() {
        return;
    }
    let objects = Objects::new();
    let fill = |color: *const c_void, origin: [usize; 3]| {
        let (queue, image, origin, size) = (objects.queue, objects.a, origin.as_ptr(), ALL.as_ptr());
        // SAFETY: live handles, a colour of four components or NULL.
        unsafe { clEnqueueFillImage(queue, image, color, origin, size, 0, null(), null_mut()) }
    };
    let color = [0f32; 4];
    assert_eq!(fill(color.as_ptr().cast(), ZERO), CL_SUCCESS);
    assert_eq!(fill(null(), ZERO), CL_INVALID_VALUE);
    assert_eq!(fill(color.as_ptr().cast(), [0, 1, 0]), CL_INVALID_VALUE);
    objects.end();
}

#[test]
fn mappings_are_refused_with_the_code_of_the_condition() {
    if no_images() {
        return;
    }
    let objects = Objects::new();
    let (queue, a, context) = (objects.queue, objects.a, objects.rig.context);
    let (mut row, mut bytes) = (0, [0u8; 4]);
    let map = |mem, flags, row: *mut usize| {
        let (zero, one, end, mut code) = (ZERO.as_ptr(), ONE.as_ptr(), null_mut(), 1);
        let (slice, none) = (null_mut(), null());
        // SAFETY: live handles, NULL where that is tested.
        let at = unsafe {
            clEnqueueMapImage(queue, mem, 1, flags, zero, one, row, slice, 0, none, end, &mut code)
        };
        (at.is_null(), code)
    };
    assert_eq!(map(a, CL_MAP_READ, null_mut()), (true, CL_INVALID_VALUE));
    assert_eq!(map(a, 1 << 40, &mut row), (true, CL_INVALID_VALUE));
    let closed = image(context, CL_MEM_HOST_NO_ACCESS, &flat(8, 8));
    assert_eq!(map(closed, CL_MAP_READ, &mut row), (true, CL_INVALID_OPERATION));
    let deep = image(context, 0, &desc(CL_MEM_OBJECT_IMAGE3D, [4, 4, 4]));
    // Images of three dimensions report a slice pitch.
    assert_eq!(map(deep, CL_MAP_READ, &mut row), (true, CL_INVALID_VALUE));
    // SAFETY: live handles; an address that is not mapped.
    let unmapped =
        unsafe { clEnqueueUnmapMemObject(queue, a, bytes.as_mut_ptr().cast(), 0, null(), null_mut()) };
    assert_eq!(unmapped, CL_INVALID_VALUE);
    release([closed, deep]);
    objects.end();
}

#[test]
fn host_pitches_and_mappings_agree() {
    if no_images() {
        return;
    }
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let mut d = desc(CL_MEM_OBJECT_IMAGE3D, [5, 4, 3]);
    (d.image_row_pitch, d.image_slice_pitch) = (24, 120);
    let mut memory = pattern(360);
    let texel =
        |memory: &[u8], x: usize, y: usize, z: usize| memory[z * 120 + y * 24 + x * 4..][..4].to_vec();
    let original = memory.clone();
    for flags in [CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR] {
        let mem = create(rig.context, flags, &RGBA8, &d, memory.as_mut_ptr().cast()).unwrap();
        let get = |name| number(&image_info(mem, name).unwrap());
        assert_eq!((get(CL_IMAGE_ROW_PITCH), get(CL_IMAGE_SLICE_PITCH)), (24, 120));
        let mut out = vec![0u8; 400];
        ok(read_image(queue, mem, [1, 2, 1], [3, 2, 2], (16, 40), &mut out));
        for (x, y, z) in (0..3).flat_map(|x| (0..2).flat_map(move |y| (0..2).map(move |z| (x, y, z)))) {
            assert_eq!(out[z * 40 + y * 16 + x * 4..][..4], texel(&original, x + 1, y + 2, z + 1));
        }
        let (origin, region, mut row, mut slice, mut code) = ([1usize, 1, 1], [3usize, 2, 2], 0, 0, 1);
        // SAFETY: live handles; the mapped region is read and written within its pitches.
        unsafe {
            let flags_map = CL_MAP_READ | CL_MAP_WRITE;
            let event = null_mut();
            let (o, r) = (origin.as_ptr(), region.as_ptr());
            let at = clEnqueueMapImage(
                queue,
                mem,
                1,
                flags_map,
                o,
                r,
                &mut row,
                &mut slice,
                0,
                null(),
                event,
                &mut code,
            );
            ok(code);
            assert_eq!(mem_info(mem, CL_MEM_MAP_COUNT), 1);
            let bytes = at.cast::<u8>();
            if flags == CL_MEM_USE_HOST_PTR {
                assert_eq!((bytes as usize, row, slice), (memory.as_ptr() as usize + 120 + 24 + 4, 24, 120));
            }
            assert_eq!(std::slice::from_raw_parts(bytes.add(slice + row), 4), texel(&original, 1, 2, 2));
            bytes.add(slice + row).write(99);
            ok(clEnqueueUnmapMemObject(queue, mem, at, 0, null(), null_mut()));
        }
        finish(queue);
        assert_eq!(mem_info(mem, CL_MEM_MAP_COUNT), 0);
        ok(read_image(queue, mem, [1, 2, 2], [1, 1, 1], (0, 0), &mut out));
        assert_eq!(out[0], 99);
        release([mem]);
        memory.copy_from_slice(&original);
    }
    // A row of an array image is a layer.
    let layers = image(rig.context, 0, &desc(CL_MEM_OBJECT_IMAGE1D_ARRAY, [4, 3, 1]));
    let bytes = pattern(48);
    ok(write_image(queue, layers, [0; 3], [4, 3, 1], &bytes));
    let mut out = vec![0u8; 64];
    ok(read_image(queue, layers, [0; 3], [4, 3, 1], (16, 20), &mut out));
    assert_eq!(out[20..36], bytes[16..32]);
    assert_eq!(read_image(queue, layers, [0; 3], [4, 3, 1], (16, 12), &mut out), CL_INVALID_VALUE);
    release([layers]);
    release([queue]);
    release([rig.context]);
}

/// Bytes in a buffer of 4096, of which [`Shared::part`] has the second 1024.
struct Shared {
    rig: Rig,
    queue: cl_command_queue,
    bytes: Vec<u8>,
    buffer: cl_mem,
    part: cl_mem,
}

impl Shared {
    fn new(rig: Rig) -> Shared {
        let bytes = pattern(4096);
        let buffer = rig.buffer(&bytes);
        Shared { rig, queue: rig.queue(0), bytes, buffer, part: devices::part(buffer, 1024, 1024) }
    }

    /// An image of 8 by 6 texels in the part, with padding after each row.
    fn plane(&self) -> cl_mem {
        image(self.rig.context, 0, &inside(self.part, CL_MEM_OBJECT_IMAGE2D, [8, 6, 1], 48))
    }

    fn content(&self) -> Vec<u8> {
        read(self.queue, self.buffer, 4096)
    }

    fn end(self) {
        finish(self.queue);
        release([self.part, self.buffer]);
        release([self.queue]);
        release([self.rig.context]);
    }
}

/// Description of an image in the memory of another object.
fn inside(mem_object: cl_mem, kind: cl_uint, size: [usize; 3], image_row_pitch: usize) -> cl_image_desc {
    cl_image_desc { mem_object, image_row_pitch, ..desc(kind, size) }
}

/// The colours that the kernel `get` reads from the second row of an image.
fn second_row(rig: &Rig, queue: cl_command_queue, image: cl_mem) -> Vec<f32> {
    let (get, out, mut code) = (rig.kernel("get"), rig.buffer(&[0f32; 32]), 1);
    // SAFETY: a live context.
    let sampler = unsafe { clCreateSampler(rig.context, 0, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &mut code) };
    ok(code);
    set(get, 0, image);
    set(get, 1, sampler);
    set(get, 2, out);
    launch(queue, get, 8, &[]);
    let got = read(queue, out, 32);
    release([out]);
    got
}

#[test]
fn images_of_buffers_are_checked() {
    if no_images() {
        return;
    }
    let shared = Shared::new(bare_rig());
    let (context, buffer, part, two) =
        (shared.rig.context, shared.buffer, shared.part, CL_MEM_OBJECT_IMAGE2D);
    let with = |d: &cl_image_desc| create(context, 0, &RGBA8, d, null_mut());
    assert_eq!(with(&inside(buffer, two, [16, 65, 1], 64)), Err(CL_INVALID_IMAGE_SIZE));
    assert_eq!(with(&inside(buffer, two, [16, 8, 1], 66)), Err(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR));
    assert_eq!(with(&inside(part, CL_MEM_OBJECT_IMAGE1D_BUFFER, [257, 1, 1], 0)), Err(CL_INVALID_IMAGE_SIZE));
    let host_flags =
        create(context, CL_MEM_ALLOC_HOST_PTR, &RGBA8, &inside(buffer, two, [4, 4, 1], 0), null_mut());
    assert_eq!(host_flags, Err(CL_INVALID_VALUE));
    let plane = shared.plane();
    assert_eq!(number(&image_info(plane, CL_IMAGE_BUFFER).unwrap()), part as u64);
    assert_eq!(mem_info(plane, CL_MEM_ASSOCIATED_MEMOBJECT), part as u64);
    assert_eq!(number(&image_info(plane, CL_IMAGE_ROW_PITCH).unwrap()), 48);
    release([plane]);
    shared.end();
}

#[test]
fn images_share_the_bytes_of_buffers() {
    if no_images() {
        return;
    }
    let shared = Shared::new(Rig::new(SOURCE));
    let (plane, bytes, put) = (shared.plane(), &shared.bytes, shared.rig.kernel("put"));
    // Kernels read the buffer's texels, and write to the buffer.
    let got = second_row(&shared.rig, shared.queue, plane);
    let want = |i: usize| f32::from(bytes[1024 + 48 + i]) / 255.0;
    assert!((0..32).all(|i| (got[i] - want(i)).abs() < 1e-6));
    set(put, 0, plane);
    set(put, 1, [1f32, 0.0, 0.0, 1.0]);
    launch(shared.queue, put, 8, &[]);
    let after = shared.content();
    assert_eq!(after[1024..1032], [255, 0, 0, 255, 255, 0, 0, 255]);
    assert_eq!((&after[..1024], &after[1056..]), (&bytes[..1024], &bytes[1056..]));
    // Transfers access the buffer, too; padding between and after rows is unchanged.
    ok(write_image(shared.queue, plane, [6, 4, 0], [2, 2, 1], &[7; 16]));
    let after = shared.content();
    assert_eq!(after[1024 + 4 * 48 + 24..][..8], [7; 8]);
    assert_eq!(after[1024 + 4 * 48 + 32..][..40], bytes[1024 + 4 * 48 + 32..][..40]);
    let (color, at, size) = ([0f32; 4], [1usize, 0, 0], [2usize, 3, 1]);
    let (color, at, size) = (color.as_ptr().cast(), at.as_ptr(), size.as_ptr());
    // SAFETY: live handles, a colour of four components.
    ok(unsafe { clEnqueueFillImage(shared.queue, plane, color, at, size, 0, null(), null_mut()) });
    let after = shared.content();
    assert_eq!((&after[1024 + 48 + 4..][..8], after[1024 + 48 + 12]), (&[0u8; 8][..], bytes[1024 + 48 + 12]));
    release([plane]);
    shared.end();
}

#[test]
fn buffer_images_share_the_bytes_of_buffers() {
    if no_images() {
        return;
    }
    let shared = Shared::new(Rig::new(SOURCE));
    let (rig, queue, part) = (shared.rig, shared.queue, shared.part);
    let ui = cl_image_format { image_channel_order: CL_R, image_channel_data_type: CL_UNSIGNED_INT16 };
    let row = inside(part, CL_MEM_OBJECT_IMAGE1D_BUFFER, [100, 1, 1], 0);
    let line = create(rig.context, CL_MEM_READ_ONLY, &ui, &row, null_mut()).unwrap();
    let (kernel, numbers) = (rig.kernel("line"), rig.buffer(&[0u32; 400]));
    set(kernel, 0, line);
    set(kernel, 1, numbers);
    launch(queue, kernel, 100, &[]);
    let got: Vec<u32> = read(queue, numbers, 400);
    let bytes = shared.content();
    let want = |i: usize| u32::from(bytes[1024 + 2 * i]) | u32::from(bytes[1025 + 2 * i]) << 8;
    assert!((0..100).all(|i| got[4 * i..][..4] == [want(i), 0, 0, 1]));
    let (at, size, end) = (ZERO.as_ptr(), [4usize, 1, 1], null_mut());
    let size = size.as_ptr();
    // SAFETY: live handles.
    let copied = unsafe { clEnqueueCopyImageToBuffer(queue, line, part, at, size, 512, 0, null(), end) };
    assert_eq!(copied, CL_INVALID_MEM_OBJECT);
    release([line, numbers]);
    shared.end();
}

/// An image in the memory of another image has another channel order of the same texels.
#[test]
fn images_share_the_texels_of_images() {
    if no_images() {
        return;
    }
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let whole = image(rig.context, CL_MEM_READ_ONLY, &flat(8, 4));
    let of = |format: cl_image_format, size| {
        create(rig.context, 0, &format, &inside(whole, CL_MEM_OBJECT_IMAGE2D, size, 0), null_mut())
    };
    let srgb = cl_image_format { image_channel_order: CL_sRGBA, ..RGBA8 };
    assert_eq!(of(srgb, [8, 5, 1]), Err(CL_INVALID_IMAGE_DESCRIPTOR));
    let float = cl_image_format { image_channel_data_type: CL_FLOAT, ..RGBA8 };
    assert_eq!(of(float, [8, 4, 1]), Err(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR));
    let bgra = cl_image_format { image_channel_order: CL_BGRA, ..RGBA8 };
    assert_eq!(of(bgra, [8, 4, 1]), Err(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR));
    let curved = of(srgb, [8, 4, 1]).unwrap();
    ok(write_image(queue, curved, [0; 3], [8, 4, 1], &[188; 128]));
    let got = second_row(&rig, queue, curved);
    assert!((got[0] - 0.502_886_5).abs() < 2e-3 && (got[3] - 188.0 / 255.0).abs() < 1e-6, "{got:?}");
    finish(queue);
    release([curved, whole]);
    release([queue]);
    release([rig.context]);
}

#[test]
fn arguments_are_checked_and_samplers_told() {
    if no_images() {
        return;
    }
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let (get, put, get3, plain) =
        (rig.kernel("get"), rig.kernel("put"), rig.kernel("get3"), rig.kernel("plain"));
    let (both, shut) =
        (image(rig.context, 0, &flat(4, 4)), image(rig.context, CL_MEM_WRITE_ONLY, &flat(4, 4)));
    let open = image(rig.context, CL_MEM_READ_ONLY, &flat(4, 4));
    let buffer = rig.buffer(&[0u8; 64]);
    let mut code = 1;
    // SAFETY: live contexts, lists with an end.
    let (sampler, listed) = unsafe {
        let list: [cl_sampler_properties; 5] = [
            CL_SAMPLER_NORMALIZED_COORDS.into(),
            0,
            CL_SAMPLER_FILTER_MODE.into(),
            CL_FILTER_LINEAR.into(),
            0,
        ];
        let one = clCreateSampler(rig.context, CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, &mut code);
        ok(code);
        assert!(clCreateSampler(rig.context, CL_FALSE, 7, CL_FILTER_NEAREST, &mut code).is_null());
        assert_eq!(code, CL_INVALID_VALUE);
        assert!(clCreateSampler(rig.context, CL_FALSE, CL_ADDRESS_CLAMP, 7, &mut code).is_null());
        assert_eq!(code, CL_INVALID_VALUE);
        let two = clCreateSamplerWithProperties(rig.context, list.as_ptr(), &mut code);
        ok(code);
        let twice: [cl_sampler_properties; 5] = [
            CL_SAMPLER_FILTER_MODE.into(),
            CL_FILTER_LINEAR.into(),
            CL_SAMPLER_FILTER_MODE.into(),
            CL_FILTER_LINEAR.into(),
            0,
        ];
        assert!(clCreateSamplerWithProperties(rig.context, twice.as_ptr(), &mut code).is_null());
        assert_eq!(code, CL_INVALID_VALUE);
        (one, two)
    };
    let info = |s: cl_sampler, name| {
        // SAFETY: `query_bytes` passes buffers of the size it says.
        query_bytes(|size, value, ret| unsafe { clGetSamplerInfo(s, name, size, value, ret) })
    };
    let reported = |s| {
        [CL_SAMPLER_NORMALIZED_COORDS, CL_SAMPLER_ADDRESSING_MODE, CL_SAMPLER_FILTER_MODE]
            .map(|n| number(&info(s, n).unwrap()))
    };
    assert_eq!(reported(sampler), [0, CL_ADDRESS_REPEAT.into(), CL_FILTER_NEAREST.into()]);
    assert_eq!(reported(listed), [0, CL_ADDRESS_CLAMP.into(), CL_FILTER_LINEAR.into()]);
    assert_eq!(info(sampler, CL_SAMPLER_PROPERTIES).map(|b| b.len()), Ok(0));
    assert_eq!(info(listed, CL_SAMPLER_PROPERTIES).map(|b| b.len()), Ok(40));
    assert_eq!(number(&info(sampler, CL_SAMPLER_REFERENCE_COUNT).unwrap()), 1);
    assert_eq!(info(sampler, 0xdead), Err(CL_INVALID_VALUE));
    // SAFETY: the value has the size given.
    let arg = |kernel, index, handle: *mut c_void| unsafe {
        clSetKernelArg(kernel, index, size_of::<cl_mem>(), (&raw const handle).cast())
    };
    assert_eq!(arg(get, 0, both.cast()), CL_SUCCESS);
    assert_eq!(arg(get, 0, shut.cast()), CL_INVALID_ARG_VALUE);
    assert_eq!(arg(put, 0, open.cast()), CL_INVALID_ARG_VALUE);
    assert_eq!(arg(get3, 0, both.cast()), CL_INVALID_ARG_VALUE);
    assert_eq!(arg(get, 0, buffer.cast()), CL_INVALID_MEM_OBJECT);
    assert_eq!(arg(plain, 0, both.cast()), CL_INVALID_MEM_OBJECT);
    assert_eq!(arg(get, 1, both.cast()), CL_INVALID_SAMPLER);
    assert_eq!(arg(get, 1, sampler.cast()), CL_SUCCESS);
    // SAFETY: as above.
    assert_eq!(unsafe { clSetKernelArg(get, 0, 4, (&raw const both).cast()) }, CL_INVALID_ARG_SIZE);
    // SAFETY: as above.
    assert_eq!(unsafe { clSetKernelArg(get, 1, 4, (&raw const sampler).cast()) }, CL_INVALID_ARG_SIZE);
    // SAFETY: live handles, released once.
    unsafe {
        ok(clRetainSampler(sampler));
        ok(clReleaseSampler(sampler));
        ok(clReleaseSampler(sampler));
        ok(clReleaseSampler(listed));
        assert_eq!(clRetainSampler(rig.context.cast()), CL_INVALID_SAMPLER);
    }
    release([both, shut, open, buffer]);
    release([queue]);
    release([rig.context]);
}

type Requirements = unsafe extern "C" fn(
    cl_context,
    *const cl_mem_properties,
    cl_mem_flags,
    *const cl_image_format,
    *const cl_image_desc,
    cl_image_requirements_info_ext,
    usize,
    *mut c_void,
    *mut usize,
) -> cl_int;

#[test]
fn requirements_of_images_are_told_before_there_are_any() {
    if no_images() {
        return;
    }
    let context = context();
    // SAFETY: the function has this type.
    let query: Requirements = unsafe { extension::extension("clGetImageRequirementsInfoEXT") };
    let ask = |format: *const cl_image_format, desc: *const cl_image_desc, name| {
        // SAFETY: `query_bytes` passes buffers of the size it says; format and description are NULL or valid.
        query_bytes(|size, value, ret| unsafe {
            query(context, null(), 0, format, desc, name, size, value, ret)
        })
    };
    let (rg, plane) = (cl_image_format { image_channel_order: CL_RG, ..RGBA8 }, flat(10, 4));
    let number_of = |format, desc, name| ask(format, desc, name).map(|b| number(&b));
    assert_eq!(number_of(&rg, &plane, CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT), Ok(2));
    assert_eq!(number_of(null(), null(), CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT), Ok(16));
    assert_eq!(number_of(&rg, &plane, CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT), Ok(1));
    assert_eq!(number_of(&rg, &plane, CL_IMAGE_REQUIREMENTS_SIZE_EXT), Ok(80));
    assert_eq!(number_of(&rg, null(), CL_IMAGE_REQUIREMENTS_SIZE_EXT), Err(CL_INVALID_VALUE));
    let layers = number(&device_info(device(), CL_DEVICE_IMAGE_MAX_ARRAY_SIZE).unwrap());
    let array = desc(CL_MEM_OBJECT_IMAGE2D_ARRAY, [4, 4, 4]);
    assert_eq!(number_of(&rg, &array, CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT), Ok(layers));
    assert_eq!(
        number_of(&rg, &plane, CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT),
        Err(CL_INVALID_IMAGE_DESCRIPTOR)
    );
    assert_eq!(number_of(&rg, &plane, CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT), Err(CL_INVALID_IMAGE_DESCRIPTOR));
    let nothing = flat(0, 4);
    assert_eq!(
        number_of(&rg, &nothing, CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT),
        Err(CL_INVALID_IMAGE_DESCRIPTOR)
    );
    let widest = number(&device_info(device(), CL_DEVICE_IMAGE2D_MAX_WIDTH).unwrap());
    assert!(number_of(&rg, &nothing, CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT).is_ok_and(|n| n >= widest));
    assert_eq!(number_of(&rg, &plane, CL_IMAGE_FORMAT), Err(CL_INVALID_VALUE));
    let bad =
        cl_image_format { image_channel_order: CL_INTENSITY, image_channel_data_type: CL_UNORM_SHORT_555 };
    let code = number_of(&bad, &plane, CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT);
    assert_eq!(code, Err(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR));
    release([context]);
}
