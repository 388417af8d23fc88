//! Error codes of the calls that enqueue commands on images or create images: a line for each condition of
//! the specification that a test can provoke and that all of them share. `api_image.rs` has the conditions of
//! single calls.

#![allow(clippy::unwrap_used)]

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use test_support::api::rig::*;
use test_support::api::*;
use test_support::skipped;

const SOURCE: &str = "kernel void nothing(void) { }";
const SIDE: usize = 8;
const BYTES: usize = 4 * SIDE * SIDE;
const FORMAT: cl_image_format =
    cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNORM_INT8 };

fn plane() -> cl_image_desc {
    // SAFETY: zeroes are valid for the structure.
    let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
    (desc.image_type, desc.image_width, desc.image_height) = (CL_MEM_OBJECT_IMAGE2D, SIDE, SIDE);
    desc
}

fn image(rig: &Rig, flags: cl_mem_flags) -> cl_mem {
    let mut code = 1;
    // SAFETY: format and description are alive.
    let image = unsafe { clCreateImage(rig.context, flags, &FORMAT, &plane(), null_mut(), &mut code) };
    ok(code);
    image
}

fn has_images() -> bool {
    let has = number(&device_info(device(), CL_DEVICE_IMAGE_SUPPORT).unwrap()) != 0;
    if !has {
        skipped::because("the device has no images");
    }
    has
}

/// Origin and region.
type Box3 = [*const usize; 2];

/// A call with a queue, an image, regions and a wait list; everything else is valid.
type Call<'a> = Box<dyn Fn(cl_command_queue, cl_mem, Box3, cl_uint, *const cl_event) -> cl_int + 'a>;

/// Every call that enqueues a command on images. `host` has room for an image.
fn calls<'a>(host: *mut c_void, other: cl_mem, buffer: cl_mem) -> Vec<(&'static str, Call<'a>)> {
    let origin = [0usize; 3];
    let color = [0f32; 4];
    // SAFETY: handles are checked by the calls; memory is that of an image.
    unsafe {
        vec![
            named("read", move |q, m, [o, r], n, l| {
                clEnqueueReadImage(q, m, 1, o, r, 0, 0, host, n, l, null_mut())
            }),
            named("write", move |q, m, [o, r], n, l| {
                clEnqueueWriteImage(q, m, 1, o, r, 0, 0, host, n, l, null_mut())
            }),
            named("fill", move |q, m, [o, r], n, l| {
                clEnqueueFillImage(q, m, color.as_ptr().cast(), o, r, n, l, null_mut())
            }),
            named("copy from", move |q, m, [o, r], n, l| {
                clEnqueueCopyImage(q, m, other, o, origin.as_ptr(), r, n, l, null_mut())
            }),
            named("copy to", move |q, m, [o, r], n, l| {
                clEnqueueCopyImage(q, other, m, origin.as_ptr(), o, r, n, l, null_mut())
            }),
            named("image to buffer", move |q, m, [o, r], n, l| {
                clEnqueueCopyImageToBuffer(q, m, buffer, o, r, 0, n, l, null_mut())
            }),
            named("buffer to image", move |q, m, [o, r], n, l| {
                clEnqueueCopyBufferToImage(q, buffer, m, 0, o, r, n, l, null_mut())
            }),
            named("map", move |q, m, [o, r], n, l| {
                let (mut code, mut pitch, none) = (1, 0, null_mut());
                let ptr = clEnqueueMapImage(
                    q,
                    m,
                    1,
                    CL_MAP_READ,
                    o,
                    r,
                    &mut pitch,
                    none,
                    n,
                    l,
                    null_mut(),
                    &mut code,
                );
                assert_eq!(ptr.is_null(), code != CL_SUCCESS);
                if code == CL_SUCCESS {
                    ok(clEnqueueUnmapMemObject(q, m, ptr, 0, null(), null_mut()));
                }
                code
            }),
        ]
    }
}

fn named<'a>(
    name: &'static str,
    call: impl Fn(cl_command_queue, cl_mem, Box3, cl_uint, *const cl_event) -> cl_int + 'a,
) -> (&'static str, Call<'a>) {
    (name, Box::new(call))
}

#[test]
fn handles_contexts_places_and_wait_lists() {
    if !has_images() {
        return;
    }
    let (rig, foreign) = (Rig::new(SOURCE), Rig::new(SOURCE));
    let queue = rig.queue(0);
    let mut host = vec![0u8; BYTES];
    let (mem, other, buffer) = (image(&rig, 0), image(&rig, 0), rig.buffer(&[0u8; BYTES]));
    let foreign_mem = image(&foreign, 0);
    let (gate, foreign_gate, failed) = (rig.gate(), foreign.gate(), rig.gate());
    open_gate(gate, CL_COMPLETE);
    open_gate(failed, -5);
    let (zero, all) = ([0usize; 3], [SIDE, SIDE, 1]);
    let whole = [zero.as_ptr(), all.as_ptr()];
    for (name, call) in calls(host.as_mut_ptr().cast(), other, buffer) {
        assert_eq!(call(queue, mem, whole, 0, null()), CL_SUCCESS, "{name}");
        assert_eq!(call(queue, mem, whole, 1, &gate), CL_SUCCESS, "{name}");
        // CL_INVALID_COMMAND_QUEUE
        assert_eq!(call(wrong_kind(mem), mem, whole, 0, null()), CL_INVALID_COMMAND_QUEUE, "{name}");
        // CL_INVALID_MEM_OBJECT: not an image.
        assert_eq!(call(queue, wrong_kind(queue), whole, 0, null()), CL_INVALID_MEM_OBJECT, "{name}");
        assert_eq!(call(queue, null_mut(), whole, 0, null()), CL_INVALID_MEM_OBJECT, "{name}");
        assert_eq!(call(queue, buffer, whole, 0, null()), CL_INVALID_MEM_OBJECT, "{name}");
        // CL_INVALID_CONTEXT: queue, image and events belong to different contexts.
        assert_eq!(call(queue, foreign_mem, whole, 0, null()), CL_INVALID_CONTEXT, "{name}");
        assert_eq!(call(queue, mem, whole, 1, &foreign_gate), CL_INVALID_CONTEXT, "{name}");
        // CL_INVALID_VALUE: NULL origin or region, an empty region, one outside the image.
        assert_eq!(call(queue, mem, [null(), whole[1]], 0, null()), CL_INVALID_VALUE, "{name}");
        assert_eq!(call(queue, mem, [whole[0], null()], 0, null()), CL_INVALID_VALUE, "{name}");
        for (origin, region) in [
            ([1, 0, 0], all),
            ([0, 0, 1], [1; 3]),
            (zero, [SIDE, SIDE + 1, 1]),
            (zero, [SIDE, 0, 1]),
            ([usize::MAX; 3], all),
        ] {
            let region_at = [origin.as_ptr(), region.as_ptr()];
            assert_eq!(
                call(queue, mem, region_at, 0, null()),
                CL_INVALID_VALUE,
                "{name} {origin:?} {region:?}"
            );
        }
        // CL_INVALID_EVENT_WAIT_LIST: list and count disagree, or an entry is not an event.
        assert_eq!(call(queue, mem, whole, 1, null()), CL_INVALID_EVENT_WAIT_LIST, "{name}");
        assert_eq!(call(queue, mem, whole, 0, &gate), CL_INVALID_EVENT_WAIT_LIST, "{name}");
        let wrong: [cl_event; 2] = [gate, wrong_kind(mem)];
        assert_eq!(call(queue, mem, whole, 2, wrong.as_ptr()), CL_INVALID_EVENT_WAIT_LIST, "{name}");
        // CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: a blocking call returns it; other commands are
        // enqueued and fail.
        let blocking = ["read", "write", "map"].contains(&name);
        let expected = if blocking { CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST } else { CL_SUCCESS };
        assert_eq!(call(queue, mem, whole, 1, &failed), expected, "{name}");
        assert_eq!(call(queue, mem, whole, 0, null()), CL_SUCCESS, "{name}");
        finish(queue);
    }
    // CL_INVALID_OPERATION: the image's flags forbid the host access.
    let mut call = |name: &str| {
        calls(host.as_mut_ptr().cast(), other, buffer).into_iter().find(|(n, _)| *n == name).unwrap().1
    };
    for (flags, refused) in [
        (CL_MEM_HOST_NO_ACCESS, &["read", "write", "map"][..]),
        (CL_MEM_HOST_WRITE_ONLY, &["read", "map"]),
        (CL_MEM_HOST_READ_ONLY, &["write"]),
    ] {
        let closed = image(&rig, flags);
        for name in refused {
            assert_eq!(
                call(name)(queue, closed, whole, 0, null()),
                CL_INVALID_OPERATION,
                "{name} {flags:#x}"
            );
        }
        assert_eq!(call("fill")(queue, closed, whole, 0, null()), CL_SUCCESS);
        finish(queue);
        closed.release();
    }
    // SAFETY: live handles; lists and lengths as given.
    unsafe {
        let unmap = |mem, n, list| {
            clEnqueueUnmapMemObject(queue, mem, host.as_ptr().cast_mut().cast(), n, list, null_mut())
        };
        assert_eq!(unmap(mem, 1, null()), CL_INVALID_EVENT_WAIT_LIST);
        assert_eq!(unmap(mem, 0, null()), CL_INVALID_VALUE);
        assert_eq!(unmap(foreign_mem, 0, null()), CL_INVALID_CONTEXT);
        assert_eq!(unmap(wrong_kind(queue), 0, null()), CL_INVALID_MEM_OBJECT);
    }
    release([mem, other, buffer, foreign_mem]);
    release([gate, foreign_gate, failed]);
    queue.release();
    release([rig.program, foreign.program]);
    release([rig.context, foreign.context]);
}

#[test]
fn regions_mapped_for_writing_do_not_overlap() {
    if !has_images() {
        return;
    }
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let mem = image(&rig, 0);
    let map = |flags, x: usize, width: usize| {
        let (origin, region, mut pitch, mut code) = ([x, 0, 0], [width, SIDE, 1], 0, 1);
        let (o, r, none) = (origin.as_ptr(), region.as_ptr(), null_mut());
        // SAFETY: live handles; valid origin, region and pitch.
        let ptr = unsafe {
            clEnqueueMapImage(queue, mem, 1, flags, o, r, &mut pitch, none, 0, null(), null_mut(), &mut code)
        };
        if code == CL_SUCCESS { Ok(ptr) } else { Err(code) }
    };
    // SAFETY: live handles.
    let unmap = |ptr| ok(unsafe { clEnqueueUnmapMemObject(queue, mem, ptr, 0, null(), null_mut()) });
    let first = map(CL_MAP_WRITE, 0, 2).unwrap();
    assert_eq!(map(CL_MAP_WRITE_INVALIDATE_REGION, 1, 1), Err(CL_INVALID_OPERATION));
    let beside = map(CL_MAP_WRITE, 2, 1).unwrap();
    unmap(first);
    unmap(beside);
    // Flags of 0: the mapping is neither read nor written.
    unmap(map(0, 0, SIDE).unwrap());
    unmap(map(CL_MAP_WRITE, 0, SIDE).unwrap());
    finish(queue);
    mem.release();
    queue.release();
    rig.program.release();
    rig.context.release();
}

/// The functions of OpenCL 1.0 and clCreateImageWithProperties check the conditions of clCreateImage.
#[test]
fn creation() {
    if !has_images() {
        return;
    }
    without_loader();
    let context = context();
    let mut bytes = vec![0u8; BYTES];
    let there: *mut c_void = bytes.as_mut_ptr().cast();
    let format = |order, kind| cl_image_format { image_channel_order: order, image_channel_data_type: kind };
    let (intensity, unsupported) = (format(CL_INTENSITY, CL_UNORM_SHORT_555), format(CL_Rx, CL_UNORM_INT8));
    let mut code = 1;
    // SAFETY: pointers are NULL or valid; the list is terminated.
    unsafe {
        let list: [cl_mem_properties; 1] = [0];
        let mut check = |flags, format: *const cl_image_format, width, ptr: *mut c_void, expected: cl_int| {
            let desc = cl_image_desc { image_width: width, ..plane() };
            let made = [
                clCreateImage2D(context, flags, format, width, SIDE, 0, ptr, &mut code),
                clCreateImageWithProperties(context, list.as_ptr(), flags, format, &desc, ptr, &mut code),
                clCreateImage3D(context, flags, format, width, SIDE, 2, 0, 0, ptr, &mut code),
            ];
            assert!(made.iter().all(|m| m.is_null()), "{expected}");
            assert_eq!(code, expected);
        };
        check(1 << 60, &FORMAT, SIDE, null_mut(), CL_INVALID_VALUE);
        check(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &FORMAT, SIDE, null_mut(), CL_INVALID_VALUE);
        check(0, null(), SIDE, null_mut(), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        check(0, &intensity, SIDE, null_mut(), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        check(0, &unsupported, SIDE, null_mut(), CL_IMAGE_FORMAT_NOT_SUPPORTED);
        check(0, &FORMAT, 0, null_mut(), CL_INVALID_IMAGE_SIZE);
        check(0, &FORMAT, usize::MAX / 2, null_mut(), CL_INVALID_IMAGE_SIZE);
        check(0, &FORMAT, SIDE, there, CL_INVALID_HOST_PTR);
        check(CL_MEM_COPY_HOST_PTR, &FORMAT, SIDE, null_mut(), CL_INVALID_HOST_PTR);
        let none = null_mut();
        for bad in [null_mut(), wrong_kind(device())] {
            assert!(clCreateImage2D(bad, 0, &FORMAT, SIDE, SIDE, 0, none, &mut code).is_null());
            assert_eq!(code, CL_INVALID_CONTEXT);
            assert!(clCreateImage3D(bad, 0, &FORMAT, SIDE, SIDE, 2, 0, 0, none, &mut code).is_null());
            assert_eq!(code, CL_INVALID_CONTEXT);
            assert!(
                clCreateImageWithProperties(bad, list.as_ptr(), 0, &FORMAT, &plane(), none, &mut code)
                    .is_null()
            );
            assert_eq!(code, CL_INVALID_CONTEXT);
        }
        // CL_INVALID_PROPERTY: an unknown property.
        let unknown: [cl_mem_properties; 3] = [77, 1, 0];
        assert!(
            clCreateImageWithProperties(context, unknown.as_ptr(), 0, &FORMAT, &plane(), none, &mut code)
                .is_null()
        );
        assert_eq!(code, CL_INVALID_PROPERTY);
        assert!(
            clCreateImageWithProperties(context, list.as_ptr(), 0, &FORMAT, null(), none, &mut code)
                .is_null()
        );
        assert_eq!(code, CL_INVALID_IMAGE_DESCRIPTOR);
        // CL_MEM_PROPERTIES returns an empty list for an empty list.
        let image =
            clCreateImageWithProperties(context, list.as_ptr(), 0, &FORMAT, &plane(), none, &mut code);
        ok(code);
        let kept = query_bytes(|s, v, r| clGetMemObjectInfo(image, CL_MEM_PROPERTIES, s, v, r)).unwrap();
        assert_eq!(kept, [0; 8]);
        image.release();
        type Requirements = unsafe extern "C" fn(
            cl_context,
            *const cl_mem_properties,
            cl_mem_flags,
            *const cl_image_format,
            *const cl_image_desc,
            cl_uint,
            usize,
            *mut c_void,
            *mut usize,
        ) -> cl_int;
        let ask: Requirements = extension::extension("clGetImageRequirementsInfoEXT");
        let name = CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT;
        let (desc, mut size) = (plane(), 0);
        let ask =
            |context, list, flags| ask(context, list, flags, &FORMAT, &desc, name, 0, null_mut(), &mut size);
        let mut ask = ask;
        assert_eq!(ask(context, list.as_ptr(), 0), CL_SUCCESS);
        assert_eq!(ask(wrong_kind(device()), null(), 0), CL_INVALID_CONTEXT);
        assert_eq!(ask(context, unknown.as_ptr(), 0), CL_INVALID_PROPERTY);
        assert_eq!(ask(context, null(), 1 << 60), CL_INVALID_VALUE);
    }
    context.release();
}
