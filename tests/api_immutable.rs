//! cl_ext_immutable_memory_objects: creation of immutable buffers and images; no command writes to them.

#![allow(clippy::unwrap_used)]

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use test_support::api::rig::*;
use test_support::api::*;
use test_support::skipped;

const SOURCE: &str = "
kernel void by_constant(constant uint *from, global uint *to) { to[get_global_id(0)] = from[get_global_id(0)]; }
kernel void by_const(global const uint *from, global uint *to) { to[get_global_id(0)] = from[get_global_id(0)]; }
kernel void by_images(read_only image2d_t from, write_only image2d_t to) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(to, at, read_imageui(from, at));
}";
const SIDE: usize = 4;
const TEXELS: usize = SIDE * SIDE;
const FORMAT: cl_image_format =
    cl_image_format { image_channel_order: CL_R, image_channel_data_type: CL_UNSIGNED_INT32 };
const IMMUTABLE: cl_mem_flags = CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR;

fn contents() -> [u32; TEXELS] {
    std::array::from_fn(|i| 3 * i as u32 + 1)
}

fn buffer(rig: &Rig, flags: cl_mem_flags) -> Result<cl_mem, cl_int> {
    let (mut code, content) = (1, contents());
    let needs = flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR) != 0;
    let ptr = if needs { content.as_ptr().cast_mut().cast() } else { null_mut() };
    // SAFETY: the content has the size; what is used in place is released before this returns.
    let mem = unsafe { clCreateBuffer(rig.context, flags, size_of_val(&content), ptr, &mut code) };
    if flags & CL_MEM_USE_HOST_PTR != 0 && code == CL_SUCCESS {
        release([mem]);
    }
    if code == CL_SUCCESS { Ok(mem) } else { Err(code) }
}

fn image(rig: &Rig, flags: cl_mem_flags, of: cl_mem) -> Result<cl_mem, cl_int> {
    // SAFETY: zeroes are valid for the structure.
    let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
    (desc.image_type, desc.image_width, desc.image_height) = (CL_MEM_OBJECT_IMAGE2D, SIDE, SIDE);
    let (mut code, content) = (1, contents());
    let ptr = if flags & CL_MEM_COPY_HOST_PTR != 0 { content.as_ptr().cast_mut().cast() } else { null_mut() };
    if !of.is_null() {
        (desc.image_type, desc.image_width, desc.image_height) = (CL_MEM_OBJECT_IMAGE1D_BUFFER, TEXELS, 0);
        desc.mem_object = of;
    }
    // SAFETY: format and description are alive, and so is the content.
    let mem = unsafe { clCreateImage(rig.context, flags, &FORMAT, &desc, ptr, &mut code) };
    if code == CL_SUCCESS { Ok(mem) } else { Err(code) }
}

fn flags_of(mem: cl_mem) -> u64 {
    // SAFETY: `query_bytes` passes buffers of the size it says.
    number(&query_bytes(|s, v, r| unsafe { clGetMemObjectInfo(mem, CL_MEM_FLAGS, s, v, r) }).unwrap())
}

fn sub_buffer(parent: cl_mem, flags: cl_mem_flags) -> Result<cl_mem, cl_int> {
    let (region, mut code) = (cl_buffer_region { origin: 0, size: 16 }, 1);
    // SAFETY: a region of the buffer.
    let part = unsafe {
        clCreateSubBuffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast(), &mut code)
    };
    if code == CL_SUCCESS { Ok(part) } else { Err(code) }
}

fn has_images() -> bool {
    number(&device_info(device(), CL_DEVICE_IMAGE_SUPPORT).unwrap()) != 0
}

#[test]
fn flags_are_checked_and_inherited() {
    let rig = Rig::new(SOURCE);
    let extensions = text(&device_info(device(), CL_DEVICE_EXTENSIONS).unwrap());
    assert!(extensions.split(' ').any(|e| e == "cl_ext_immutable_memory_objects"));
    let invalid = Err(CL_INVALID_VALUE);
    for flags in [CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_MEM_HOST_WRITE_ONLY] {
        assert_eq!(buffer(&rig, IMMUTABLE | flags), invalid);
    }
    // CL_INVALID_VALUE: immutable memory without initial contents.
    assert_eq!(buffer(&rig, CL_MEM_IMMUTABLE_EXT), invalid);
    assert!(buffer(&rig, CL_MEM_IMMUTABLE_EXT | CL_MEM_USE_HOST_PTR).is_ok());
    let whole = buffer(&rig, IMMUTABLE).unwrap();
    assert_eq!(flags_of(whole), IMMUTABLE);
    for flags in [CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_MEM_HOST_WRITE_ONLY] {
        assert_eq!(sub_buffer(whole, flags), invalid);
    }
    let part = sub_buffer(whole, 0).unwrap();
    assert_eq!(flags_of(part), IMMUTABLE);
    if has_images() {
        assert_eq!(image(&rig, CL_MEM_IMMUTABLE_EXT, null_mut()), invalid);
        // An image created from an immutable buffer reports the flag.
        assert_eq!(image(&rig, CL_MEM_READ_ONLY, whole), invalid);
        let inside = image(&rig, CL_MEM_IMMUTABLE_EXT, whole).unwrap();
        release([inside]);
        let mut count = 0;
        // SAFETY: room for a number.
        ok(unsafe {
            clGetSupportedImageFormats(
                rig.context,
                CL_MEM_IMMUTABLE_EXT,
                CL_MEM_OBJECT_IMAGE2D,
                0,
                null_mut(),
                &mut count,
            )
        });
        assert!(count > 0);
    }
    release([part, whole]);
    release([rig.program]);
    release([rig.context]);
}

/// Every command that would write to a buffer.
fn writes(queue: cl_command_queue, to: cl_mem, from: cl_mem) -> Vec<cl_int> {
    let (mut host, zero, region) = ([0u32; TEXELS], [0usize; 3], [4usize, 1, 1]);
    let ptr: *mut c_void = host.as_mut_ptr().cast();
    let map = |flags| {
        let mut code = 1;
        // SAFETY: a range of the buffer.
        unsafe { clEnqueueMapBuffer(queue, to, 1, flags, 0, 4, 0, null(), null_mut(), &mut code) };
        code
    };
    let o = zero.as_ptr();
    // SAFETY: the host memory has the size of the buffers, and regions are within them.
    unsafe {
        vec![
            clEnqueueWriteBuffer(queue, to, 1, 0, 4, ptr, 0, null(), null_mut()),
            clEnqueueWriteBufferRect(
                queue,
                to,
                1,
                o,
                o,
                region.as_ptr(),
                0,
                0,
                0,
                0,
                ptr,
                0,
                null(),
                null_mut(),
            ),
            clEnqueueCopyBuffer(queue, from, to, 0, 0, 4, 0, null(), null_mut()),
            clEnqueueCopyBufferRect(
                queue,
                from,
                to,
                o,
                o,
                region.as_ptr(),
                0,
                0,
                0,
                0,
                0,
                null(),
                null_mut(),
            ),
            clEnqueueFillBuffer(queue, to, ptr, 4, 0, 4, 0, null(), null_mut()),
            map(CL_MAP_WRITE),
            map(CL_MAP_WRITE_INVALIDATE_REGION),
        ]
    }
}

#[test]
fn buffers_are_read_and_not_written() {
    let rig = Rig::new(SOURCE);
    let (queue, mem, other) = (rig.queue(0), buffer(&rig, IMMUTABLE).unwrap(), rig.buffer(&[0u32; TEXELS]));
    assert_eq!(writes(queue, mem, other), [CL_INVALID_OPERATION; 7]);
    for name in ["by_constant", "by_const"] {
        let kernel = rig.kernel(name);
        // SAFETY: a handle has its size.
        let code = unsafe { clSetKernelArg(kernel, 1, size_of::<cl_mem>(), (&raw const mem).cast()) };
        assert_eq!(code, CL_INVALID_ARG_VALUE);
        set(kernel, 0, mem);
        set(kernel, 1, other);
        release([launch(queue, kernel, TEXELS, &[])]);
        assert_eq!(read::<u32>(queue, other, TEXELS), contents(), "{name}");
        release([kernel]);
    }
    assert_eq!(read::<u32>(queue, mem, TEXELS), contents());
    // Reading through a mapping and as the source of a copy is allowed.
    let mut code = 1;
    // SAFETY: the whole buffer; the mapping is unmapped once.
    unsafe {
        let mapped =
            clEnqueueMapBuffer(queue, mem, 1, CL_MAP_READ, 0, 4 * TEXELS, 0, null(), null_mut(), &mut code);
        ok(code);
        assert_eq!(*mapped.cast::<[u32; TEXELS]>(), contents());
        ok(clEnqueueUnmapMemObject(queue, mem, mapped, 0, null(), null_mut()));
        ok(clEnqueueCopyBuffer(queue, mem, other, 0, 0, 4 * TEXELS, 0, null(), null_mut()));
    }
    finish(queue);
    release([mem, other]);
    release([queue]);
    release([rig.program]);
    release([rig.context]);
}

#[test]
fn images_are_read_and_not_written() {
    if !has_images() {
        return skipped::because("the device has no images");
    }
    let rig = Rig::new(SOURCE);
    let (queue, kernel, plain) = (rig.queue(0), rig.kernel("by_images"), rig.buffer(&contents()));
    let mem = image(&rig, IMMUTABLE, null_mut()).unwrap();
    let other = image(&rig, CL_MEM_READ_WRITE, null_mut()).unwrap();
    let (zero, region, mut host) = ([0usize; 3], [SIDE, SIDE, 1], [0u32; TEXELS]);
    let (o, r, ptr): (_, _, *mut c_void) = (zero.as_ptr(), region.as_ptr(), host.as_mut_ptr().cast());
    let map = |flags| {
        let (mut code, nothing) = (1, null_mut());
        // SAFETY: the whole image. The pitches do not matter.
        unsafe {
            clEnqueueMapImage(queue, mem, 1, flags, o, r, nothing, nothing, 0, null(), null_mut(), &mut code)
        };
        code
    };
    // SAFETY: the host memory has the size of the images, and regions are within them.
    let codes = unsafe {
        [
            clEnqueueWriteImage(queue, mem, 1, o, r, 0, 0, ptr, 0, null(), null_mut()),
            clEnqueueCopyImage(queue, other, mem, o, o, r, 0, null(), null_mut()),
            clEnqueueFillImage(queue, mem, ptr, o, r, 0, null(), null_mut()),
            clEnqueueCopyBufferToImage(queue, plain, mem, 0, o, r, 0, null(), null_mut()),
            map(CL_MAP_WRITE),
            map(CL_MAP_WRITE_INVALIDATE_REGION),
        ]
    };
    assert_eq!(codes, [CL_INVALID_OPERATION; 6]);
    let closed = buffer(&rig, IMMUTABLE).unwrap();
    // SAFETY: as above.
    let code = unsafe { clEnqueueCopyImageToBuffer(queue, other, closed, o, r, 0, 0, null(), null_mut()) };
    assert_eq!(code, CL_INVALID_OPERATION);
    // SAFETY: a handle has its size.
    let code = unsafe { clSetKernelArg(kernel, 1, size_of::<cl_mem>(), (&raw const mem).cast()) };
    assert_eq!(code, CL_INVALID_ARG_VALUE);
    set(kernel, 0, mem);
    set(kernel, 1, other);
    // SAFETY: sizes of two dimensions; the host memory has the size of the image.
    unsafe {
        ok(clEnqueueNDRangeKernel(queue, kernel, 2, null(), r, null(), 0, null(), null_mut()));
        ok(clEnqueueReadImage(queue, other, 1, o, r, 0, 0, ptr, 0, null(), null_mut()));
    }
    assert_eq!(host, contents());
    release([mem, other, plain, closed]);
    release([kernel]);
    release([queue]);
    release([rig.program]);
    release([rig.context]);
}
