//! Error codes of the API: a condition of the specification each, with the codes that it allows. Handles are
//! live ones or NULL, since loaders dereference every other.
//!
//! SAFETY of every call in the table: handles are live or NULL, pointers are NULL or have the sizes said,
//! strings end.

#![allow(clippy::undocumented_unsafe_blocks)] // documented above for all of them

use super::raw::*;
use super::{Context, Outcome, Sink, expect};
use std::cell::OnceCell;
use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::AtomicU64;

const SOURCE: &str = "
kernel void one(global int *p, int n) { p[get_global_id(0)] = n; }
kernel void tile(local int *l, global int *p) { l[get_local_id(0)] = 1; barrier(CLK_LOCAL_MEM_FENCE); p[0] = l[0]; }
kernel __attribute__((reqd_work_group_size(4, 2, 1))) void eight(global int *p) { p[0] = 1; }
";

/// A condition: its name, the allowed codes, and the call.
type Check = (&'static str, &'static [cl_int], fn(&Rig) -> cl_int);

/// Eight bytes of a value, and room for as many.
fn word() -> *const c_void {
    static WORD: u64 = 4096;
    (&raw const WORD).cast()
}
fn room() -> *mut c_void {
    static ROOM: AtomicU64 = AtomicU64::new(0);
    ROOM.as_ptr().cast()
}

/// The code of a call that creates an object; an object created by mistake is leaked.
fn code_of<T>(call: impl FnOnce(*mut cl_int) -> *mut T) -> cl_int {
    let mut code = 12345;
    let made = call(&mut code);
    // An object or an error, never both.
    if made.is_null() == (code == CL_SUCCESS) { 54321 } else { code }
}

fn launch(rig: &Rig, kernel: &str, dims: cl_uint, global: &[usize], local: Option<&[usize]>) -> cl_int {
    let kernel = rig.kernel(kernel);
    // SAFETY: live handles; sizes for as many dimensions as there are.
    unsafe {
        clSetKernelArg(kernel, 0, size_of::<cl_mem>(), (&raw const rig.buffer).cast());
        clSetKernelArg(kernel, 1, 4, (&raw const dims).cast());
        let local = local.map_or(null(), |l| l.as_ptr());
        let code = clEnqueueNDRangeKernel(
            rig.queue,
            kernel,
            dims,
            null(),
            global.as_ptr(),
            local,
            0,
            null(),
            null_mut(),
        );
        clFinish(rig.queue);
        clReleaseKernel(kernel);
        code
    }
}

fn image(
    rig: &Rig,
    flags: cl_mem_flags,
    format: Option<cl_image_format>,
    kind: cl_mem_object_type,
    width: usize,
    height: usize,
) -> cl_int {
    // SAFETY: plain data, of which zero is a value; a live context.
    unsafe {
        let mut desc: cl_image_desc = std::mem::zeroed();
        (desc.image_type, desc.image_width, desc.image_height) = (kind, width, height);
        let format = format.as_ref().map_or(null(), |f| &raw const *f);
        code_of(|code| clCreateImage(rig.context, flags, format, &desc, null_mut(), code))
    }
}

fn rgba8() -> Option<cl_image_format> {
    Some(cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNORM_INT8 })
}

fn read(rig: &Rig, mem: cl_mem, offset: usize, size: usize, ptr: *mut c_void) -> cl_int {
    // SAFETY: wrong sizes are refused before anything is touched.
    unsafe { clEnqueueReadBuffer(rig.queue, mem, 1, offset, size, ptr, 0, null(), null_mut()) }
}

/// Reads an invalid box of a buffer.
fn rect(rig: &Rig, origin: [usize; 3], region: [usize; 3], row: usize, slice: usize) -> cl_int {
    let (mut host, zero) = (vec![0u8; 4096], [0usize; 3]);
    let (origin, region, host) = (origin.as_ptr(), region.as_ptr(), host.as_mut_ptr().cast());
    // SAFETY: boxes that are wrong are refused before anything is touched.
    unsafe {
        let zero = zero.as_ptr();
        clEnqueueReadBufferRect(
            rig.queue,
            rig.buffer,
            1,
            origin,
            zero,
            region,
            row,
            slice,
            0,
            0,
            host,
            0,
            null(),
            null_mut(),
        )
    }
}

fn built(rig: &Rig, source: &std::ffi::CStr, options: &std::ffi::CStr) -> cl_int {
    let mut code = 1;
    // SAFETY: terminated strings.
    unsafe {
        let program = clCreateProgramWithSource(rig.context, 1, &mut source.as_ptr(), null(), &mut code);
        let code = clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut());
        clReleaseProgram(program);
        code
    }
}

fn sub(rig: &Rig, flags: cl_mem_flags, origin: usize, size: usize) -> cl_int {
    let region = cl_buffer_region { origin, size };
    // SAFETY: a live buffer and a region.
    code_of(|c| unsafe {
        clCreateSubBuffer(rig.buffer, flags, CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast(), c)
    })
}

const VALUE: &[cl_int] = &[CL_INVALID_VALUE];
const FLAGS: cl_mem_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY;

const CHECKS: &[Check] = &[
    ("clGetDeviceIDs: no room and no count", VALUE, |_| unsafe {
        let mut platform = null_mut();
        clGetPlatformIDs(1, &mut platform, null_mut());
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, null_mut(), null_mut())
    }),
    ("clGetDeviceIDs: unknown type", &[CL_INVALID_DEVICE_TYPE, CL_DEVICE_NOT_FOUND], |_| unsafe {
        let (mut platform, mut count) = (null_mut(), 0);
        clGetPlatformIDs(1, &mut platform, null_mut());
        clGetDeviceIDs(platform, 1 << 40, 0, null_mut(), &mut count)
    }),
    ("clGetDeviceInfo: unknown query", VALUE, |r| unsafe {
        clGetDeviceInfo(r.device, 0x7777, 0, null_mut(), &mut 0)
    }),
    ("clGetDeviceInfo: too little room", VALUE, |r| unsafe {
        let mut byte = 0u8;
        clGetDeviceInfo(r.device, CL_DEVICE_NAME, 1, (&raw mut byte).cast(), null_mut())
    }),
    ("clCreateContext: no devices", VALUE, |_| {
        code_of(|c| unsafe { clCreateContext(null(), 0, null(), None, null_mut(), c) })
    }),
    ("clCreateContext: unknown property", &[CL_INVALID_PROPERTY], |r| {
        let list: [isize; 3] = [0x7777, 1, 0];
        code_of(|c| unsafe { clCreateContext(list.as_ptr(), 1, &r.device, None, null_mut(), c) })
    }),
    ("clCreateCommandQueue: unknown property", &[CL_INVALID_VALUE, CL_INVALID_QUEUE_PROPERTIES], |r| {
        code_of(|c| unsafe { clCreateCommandQueue(r.context, r.device, 1 << 40, c) })
    }),
    ("clCreateBuffer: size 0", &[CL_INVALID_BUFFER_SIZE], |r| {
        code_of(|c| unsafe { clCreateBuffer(r.context, 0, 0, null_mut(), c) })
    }),
    ("clCreateBuffer: contradicting flags", VALUE, |r| {
        code_of(|c| unsafe { clCreateBuffer(r.context, FLAGS, 64, null_mut(), c) })
    }),
    ("clCreateBuffer: host pointer missing", &[CL_INVALID_HOST_PTR], |r| {
        code_of(|c| unsafe { clCreateBuffer(r.context, CL_MEM_USE_HOST_PTR, 64, null_mut(), c) })
    }),
    ("clCreateBuffer: host pointer not asked for", &[CL_INVALID_HOST_PTR], |r| {
        let mut word = 0u64;
        code_of(|c| unsafe { clCreateBuffer(r.context, 0, 8, (&raw mut word).cast(), c) })
    }),
    (
        "clCreateBuffer: larger than the device allows",
        &[CL_INVALID_BUFFER_SIZE, CL_MEM_OBJECT_ALLOCATION_FAILURE],
        |r| {
            let most = device_number(r.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE) as usize;
            code_of(|c| unsafe { clCreateBuffer(r.context, 0, most.saturating_add(1 << 20), null_mut(), c) })
        },
    ),
    ("clCreateSubBuffer: outside", VALUE, |r| sub(r, 0, 0, SIZE + 1)),
    ("clCreateSubBuffer: size 0", &[CL_INVALID_BUFFER_SIZE], |r| sub(r, 0, 0, 0)),
    ("clCreateSubBuffer: contradicting flags", VALUE, |r| sub(r, FLAGS, 0, 64)),
    ("clCreateSubBuffer: misaligned", &[CL_MISALIGNED_SUB_BUFFER_OFFSET], |r| sub(r, 0, 1, 64)),
    ("clCreateSubBuffer: unknown kind", VALUE, |r| {
        let region = cl_buffer_region { origin: 0, size: 64 };
        code_of(|c| unsafe { clCreateSubBuffer(r.buffer, 0, 0x7777, (&raw const region).cast(), c) })
    }),
    ("clCreateImage: no format", &[CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_INVALID_OPERATION], |r| {
        image(r, 0, None, CL_MEM_OBJECT_IMAGE2D, 4, 4)
    }),
    (
        "clCreateImage: width 0",
        &[CL_INVALID_IMAGE_SIZE, CL_INVALID_IMAGE_DESCRIPTOR, CL_INVALID_OPERATION],
        |r| image(r, 0, rgba8(), CL_MEM_OBJECT_IMAGE2D, 0, 4),
    ),
    ("clCreateImage: unknown type", &[CL_INVALID_IMAGE_DESCRIPTOR, CL_INVALID_OPERATION], |r| {
        image(r, 0, rgba8(), CL_MEM_OBJECT_BUFFER, 4, 4)
    }),
    ("clCreateImage: contradicting flags", &[CL_INVALID_VALUE, CL_INVALID_OPERATION], |r| {
        image(r, FLAGS, rgba8(), CL_MEM_OBJECT_IMAGE2D, 4, 4)
    }),
    (
        "clCreateImage: impossible format",
        &[CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_INVALID_OPERATION],
        |r| {
            let format =
                cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNORM_SHORT_565 };
            image(r, 0, Some(format), CL_MEM_OBJECT_IMAGE2D, 4, 4)
        },
    ),
    ("clCreateSampler: unknown filter", &[CL_INVALID_VALUE, CL_INVALID_OPERATION], |r| {
        code_of(|c| unsafe { clCreateSampler(r.context, 0, CL_ADDRESS_CLAMP, 0x7777, c) })
    }),
    ("clCreateProgramWithSource: no strings", VALUE, |r| {
        code_of(|c| unsafe { clCreateProgramWithSource(r.context, 0, null_mut(), null(), c) })
    }),
    ("clCreateProgramWithSource: a string is NULL", VALUE, |r| {
        let mut none: *const c_char = null();
        code_of(|c| unsafe { clCreateProgramWithSource(r.context, 1, &mut none, null(), c) })
    }),
    ("clCreateProgramWithBinary: nonsense", &[CL_INVALID_BINARY], |r| {
        let (bytes, size, mut status) = ([1u8; 64], 64usize, 0);
        let mut list = bytes.as_ptr();
        code_of(|c| unsafe {
            clCreateProgramWithBinary(r.context, 1, &r.device, &size, &mut list, &mut status, c)
        })
    }),
    ("clBuildProgram: an error in the source", &[CL_BUILD_PROGRAM_FAILURE], |r| {
        built(r, c"kernel void k() { nothing }", c"")
    }),
    ("clBuildProgram: unknown option", &[CL_INVALID_BUILD_OPTIONS], |r| {
        built(r, c"kernel void k() { }", c"-nonsense-option")
    }),
    ("clBuildProgram: data without a callback", VALUE, |r| unsafe {
        clBuildProgram(r.program, 0, null(), null(), None, (&raw const *r).cast_mut().cast())
    }),
    ("clBuildProgram: kernels are attached", &[CL_INVALID_OPERATION], |r| unsafe {
        let kernel = r.kernel("one");
        let code = clBuildProgram(r.program, 0, null(), null(), None, null_mut());
        clReleaseKernel(kernel);
        code
    }),
    ("clCreateKernel: unknown name", &[CL_INVALID_KERNEL_NAME], |r| {
        code_of(|c| unsafe { clCreateKernel(r.program, c"nobody".as_ptr(), c) })
    }),
    ("clCreateKernel: no name", VALUE, |r| code_of(|c| unsafe { clCreateKernel(r.program, null(), c) })),
    ("clCreateKernel: program not built", &[CL_INVALID_PROGRAM_EXECUTABLE], |r| unsafe {
        let mut code = 1;
        let text = c"kernel void k() { }";
        let program = clCreateProgramWithSource(r.context, 1, &mut text.as_ptr(), null(), &mut code);
        let code = code_of(|c| clCreateKernel(program, c"k".as_ptr(), c));
        clReleaseProgram(program);
        code
    }),
    ("clSetKernelArg: index too large", &[CL_INVALID_ARG_INDEX], |r| {
        with_kernel(r, "one", |k| unsafe { clSetKernelArg(k, 2, 4, word()) })
    }),
    ("clSetKernelArg: wrong size", &[CL_INVALID_ARG_SIZE], |r| {
        with_kernel(r, "one", |k| unsafe { clSetKernelArg(k, 1, 8, word()) })
    }),
    ("clSetKernelArg: value missing", &[CL_INVALID_ARG_VALUE], |r| {
        with_kernel(r, "one", |k| unsafe { clSetKernelArg(k, 1, 4, null()) })
    }),
    ("clSetKernelArg: local memory of size 0, before OpenCL 3.1", &[CL_INVALID_ARG_SIZE], |r| {
        let code = with_kernel(r, "tile", |k| unsafe { clSetKernelArg(k, 0, 0, null()) });
        if version(r.device) >= 310 && code == CL_SUCCESS { CL_INVALID_ARG_SIZE } else { code }
    }),
    ("clSetKernelArg: local memory with a value", &[CL_INVALID_ARG_VALUE], |r| {
        with_kernel(r, "tile", |k| unsafe { clSetKernelArg(k, 0, 8, word()) })
    }),
    ("clEnqueueNDRangeKernel: arguments missing", &[CL_INVALID_KERNEL_ARGS], |r| {
        with_kernel(r, "one", |k| unsafe {
            clEnqueueNDRangeKernel(r.queue, k, 1, null(), &4usize, null(), 0, null(), null_mut())
        })
    }),
    ("clEnqueueNDRangeKernel: no dimensions", &[CL_INVALID_WORK_DIMENSION], |r| {
        launch(r, "one", 0, &[4], None)
    }),
    ("clEnqueueNDRangeKernel: four dimensions", &[CL_INVALID_WORK_DIMENSION], |r| {
        launch(r, "one", 4, &[1, 1, 1, 1], None)
    }),
    (
        "clEnqueueNDRangeKernel: group larger than the device allows",
        &[CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE],
        |r| {
            let most = device_number(r.device, CL_DEVICE_MAX_WORK_GROUP_SIZE) as usize;
            launch(r, "one", 1, &[most * 2], Some(&[most * 2]))
        },
    ),
    (
        "clEnqueueNDRangeKernel: group of size 0",
        &[CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE],
        |r| launch(r, "one", 1, &[4], Some(&[0])),
    ),
    ("clEnqueueNDRangeKernel: not the required size", &[CL_INVALID_WORK_GROUP_SIZE], |r| {
        launch(r, "eight", 2, &[8, 2], Some(&[8, 1]))
    }),
    ("clEnqueueReadBuffer: outside", VALUE, |r| read(r, r.buffer, SIZE - 4, 8, room())),
    ("clEnqueueReadBuffer: no pointer", VALUE, |r| read(r, r.buffer, 0, 8, null_mut())),
    ("clEnqueueReadBuffer: buffer that the host may not read", &[CL_INVALID_OPERATION], |r| unsafe {
        let mut code = 1;
        let mem = clCreateBuffer(r.context, CL_MEM_HOST_WRITE_ONLY, 64, null_mut(), &mut code);
        let code = read(r, mem, 0, 8, room());
        clReleaseMemObject(mem);
        code
    }),
    ("clEnqueueReadBuffer: wait list without events", &[CL_INVALID_EVENT_WAIT_LIST], |r| unsafe {
        clEnqueueReadBuffer(r.queue, r.buffer, 1, 0, 8, room(), 1, null(), null_mut())
    }),
    ("clEnqueueReadBuffer: NULL queue", &[CL_INVALID_COMMAND_QUEUE], |r| unsafe {
        clEnqueueReadBuffer(null_mut(), r.buffer, 1, 0, 8, room(), 0, null(), null_mut())
    }),
    ("clEnqueueReadBuffer: NULL buffer", &[CL_INVALID_MEM_OBJECT], |r| read(r, null_mut(), 0, 8, room())),
    ("clEnqueueReadBufferRect: region of size 0", VALUE, |r| rect(r, [0; 3], [8, 0, 1], 0, 0)),
    ("clEnqueueReadBufferRect: outside", VALUE, |r| rect(r, [0, SIZE, 0], [8, 1, 1], 0, 0)),
    ("clEnqueueReadBufferRect: rows overlap", VALUE, |r| rect(r, [0; 3], [8, 2, 1], 4, 0)),
    ("clEnqueueReadBufferRect: slices overlap", VALUE, |r| rect(r, [0; 3], [8, 2, 2], 8, 12)),
    ("clEnqueueReadBufferRect: slices are no whole rows", VALUE, |r| rect(r, [0; 3], [8, 2, 2], 8, 20)),
    ("clEnqueueMarkerWithWaitList: wait list without events", &[CL_INVALID_EVENT_WAIT_LIST], |r| unsafe {
        clEnqueueMarkerWithWaitList(r.queue, 1, null(), null_mut())
    }),
    ("clEnqueueBarrierWithWaitList: events without a count", &[CL_INVALID_EVENT_WAIT_LIST], |r| {
        user_event(r, |e| unsafe {
            clSetUserEventStatus(e, CL_COMPLETE);
            clEnqueueBarrierWithWaitList(r.queue, 0, &e, null_mut())
        })
    }),
    ("clWaitForEvents: NULL event", &[CL_INVALID_EVENT], |_| unsafe {
        clWaitForEvents(1, [null_mut()].as_ptr())
    }),
    ("clSetUserEventStatus: event of a command", &[CL_INVALID_EVENT], |r| unsafe {
        let mut event = null_mut();
        clEnqueueMarkerWithWaitList(r.queue, 0, null(), &mut event);
        let code = clSetUserEventStatus(event, CL_COMPLETE);
        clReleaseEvent(event);
        code
    }),
    ("clSetEventCallback: unknown moment", VALUE, |r| {
        unsafe extern "C" fn nothing(_: cl_event, _: cl_int, _: *mut c_void) {}
        user_event(r, |e| unsafe { clSetEventCallback(e, 77, Some(nothing), null_mut()) })
    }),
    ("clEnqueueMigrateMemObjects: unknown flags", VALUE, |r| unsafe {
        clEnqueueMigrateMemObjects(r.queue, 1, &r.buffer, 1 << 20, 0, null(), null_mut())
    }),
    ("clGetPlatformInfo: unknown query", VALUE, |_| unsafe {
        let mut platform = null_mut();
        clGetPlatformIDs(1, &mut platform, null_mut());
        clGetPlatformInfo(platform, 0x7777, 0, null_mut(), &mut 0)
    }),
    ("clGetContextInfo: unknown query", VALUE, |r| unsafe {
        clGetContextInfo(r.context, 0x7777, 0, null_mut(), &mut 0)
    }),
    ("clGetCommandQueueInfo: unknown query", VALUE, |r| unsafe {
        clGetCommandQueueInfo(r.queue, 0x7777, 0, null_mut(), &mut 0)
    }),
    ("clGetProgramInfo: unknown query", VALUE, |r| unsafe {
        clGetProgramInfo(r.program, 0x7777, 0, null_mut(), &mut 0)
    }),
    ("clGetProgramBuildInfo: unknown query", VALUE, |r| unsafe {
        clGetProgramBuildInfo(r.program, r.device, 0x7777, 0, null_mut(), &mut 0)
    }),
    ("clGetProgramBuildInfo: NULL device", &[CL_INVALID_DEVICE], |r| unsafe {
        clGetProgramBuildInfo(r.program, null_mut(), CL_PROGRAM_BUILD_STATUS, 0, null_mut(), &mut 0)
    }),
    ("clGetKernelInfo: unknown query", VALUE, |r| {
        with_kernel(r, "one", |k| unsafe { clGetKernelInfo(k, 0x7777, 0, null_mut(), &mut 0) })
    }),
    ("clGetKernelArgInfo: index too large", &[CL_INVALID_ARG_INDEX], |r| {
        with_kernel(r, "one", |k| unsafe {
            clGetKernelArgInfo(k, 9, CL_KERNEL_ARG_NAME, 0, null_mut(), &mut 0)
        })
    }),
    ("clGetEventInfo: unknown query", VALUE, |r| {
        user_event(r, |e| unsafe { clGetEventInfo(e, 0x7777, 0, null_mut(), &mut 0) })
    }),
    ("clGetImageInfo: a buffer", &[CL_INVALID_MEM_OBJECT], |r| unsafe {
        clGetImageInfo(r.buffer, CL_IMAGE_WIDTH, 0, null_mut(), &mut 0)
    }),
    ("clGetSupportedImageFormats: contradicting flags", VALUE, |r| unsafe {
        clGetSupportedImageFormats(r.context, FLAGS, CL_MEM_OBJECT_IMAGE2D, 0, null_mut(), &mut 0)
    }),
    ("clCreateKernelsInProgram: too little room", VALUE, |r| unsafe {
        clCreateKernelsInProgram(r.program, 1, [null_mut()].as_mut_ptr(), null_mut())
    }),
    ("clCompileProgram: names of headers without headers", VALUE, |r| unsafe {
        let mut code = 1;
        let text = c"kernel void k() { }";
        let program = clCreateProgramWithSource(r.context, 1, &mut text.as_ptr(), null(), &mut code);
        let mut name = c"a.h".as_ptr();
        let code = clCompileProgram(program, 0, null(), null(), 0, null(), &mut name, None, null_mut());
        clReleaseProgram(program);
        code
    }),
    ("clLinkProgram: no programs", VALUE, |r| {
        code_of(|c| unsafe { clLinkProgram(r.context, 0, null(), null(), 0, null(), None, null_mut(), c) })
    }),
    ("clLinkProgram: a program that is not compiled", &[CL_INVALID_OPERATION], |r| unsafe {
        let mut code = 1;
        let text = c"kernel void k() { }";
        let program = clCreateProgramWithSource(r.context, 1, &mut text.as_ptr(), null(), &mut code);
        let code = code_of(|c| clLinkProgram(r.context, 0, null(), null(), 1, &program, None, null_mut(), c));
        clReleaseProgram(program);
        code
    }),
    ("clCreateBufferWithProperties: unknown property, from OpenCL 3.0", &[CL_INVALID_PROPERTY], |r| {
        if version(r.device) < 300 {
            return CL_INVALID_PROPERTY;
        }
        let list = [0x7777u64, 1, 0];
        code_of(|c| unsafe { clCreateBufferWithProperties(r.context, list.as_ptr(), 0, 64, null_mut(), c) })
    }),
    ("clCreateSubBuffer: of a sub-buffer", &[CL_INVALID_MEM_OBJECT], |r| unsafe {
        let (region, mut code) = (cl_buffer_region { origin: 0, size: 64 }, 1);
        let (kind, info) = (CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast());
        let part = clCreateSubBuffer(r.buffer, 0, kind, info, &mut code);
        let code = code_of(|c| clCreateSubBuffer(part, 0, kind, info, c));
        clReleaseMemObject(part);
        code
    }),
    ("clSetKernelArg: NULL kernel", &[CL_INVALID_KERNEL], |_| unsafe {
        clSetKernelArg(null_mut(), 0, 4, word())
    }),
    ("clCloneKernel: NULL, from OpenCL 2.1", &[CL_INVALID_KERNEL], |r| {
        if version(r.device) < 210 {
            CL_INVALID_KERNEL
        } else {
            code_of(|c| unsafe { clCloneKernel(null_mut(), c) })
        }
    }),
    ("clRetainContext: NULL", &[CL_INVALID_CONTEXT], |_| unsafe { clRetainContext(null_mut()) }),
    ("clRetainKernel: NULL", &[CL_INVALID_KERNEL], |_| unsafe { clRetainKernel(null_mut()) }),
    ("clRetainProgram: NULL", &[CL_INVALID_PROGRAM], |_| unsafe { clRetainProgram(null_mut()) }),
    ("clRetainSampler: NULL", &[CL_INVALID_SAMPLER], |_| unsafe { clRetainSampler(null_mut()) }),
    ("clFlush: NULL", &[CL_INVALID_COMMAND_QUEUE], |_| unsafe { clFlush(null_mut()) }),
    ("clEnqueueCopyBuffer: overlap", &[CL_MEM_COPY_OVERLAP], |r| unsafe {
        clEnqueueCopyBuffer(r.queue, r.buffer, r.buffer, 0, 16, 64, 0, null(), null_mut())
    }),
    ("clEnqueueCopyBuffer: outside", VALUE, |r| unsafe {
        clEnqueueCopyBuffer(r.queue, r.buffer, r.buffer, 0, SIZE - 8, 64, 0, null(), null_mut())
    }),
    ("clEnqueueFillBuffer: odd pattern size", VALUE, |r| unsafe {
        clEnqueueFillBuffer(r.queue, r.buffer, word(), 3, 0, 12, 0, null(), null_mut())
    }),
    ("clEnqueueFillBuffer: not a multiple of the pattern", VALUE, |r| unsafe {
        clEnqueueFillBuffer(r.queue, r.buffer, word(), 4, 0, 10, 0, null(), null_mut())
    }),
    ("clEnqueueMapBuffer: unknown flags", VALUE, |r| {
        code_of(|c| unsafe {
            clEnqueueMapBuffer(r.queue, r.buffer, 1, 1 << 20, 0, 8, 0, null(), null_mut(), c)
        })
    }),
    ("clEnqueueUnmapMemObject: not mapped", VALUE, |r| unsafe {
        clEnqueueUnmapMemObject(r.queue, r.buffer, room(), 0, null(), null_mut())
    }),
    ("clWaitForEvents: none", VALUE, |_| unsafe { clWaitForEvents(0, null()) }),
    ("clSetUserEventStatus: not a final status", VALUE, |r| {
        user_event(r, |e| unsafe { clSetUserEventStatus(e, CL_SUBMITTED) })
    }),
    ("clSetUserEventStatus: set twice", &[CL_INVALID_OPERATION], |r| {
        user_event(r, |e| unsafe {
            clSetUserEventStatus(e, CL_COMPLETE);
            clSetUserEventStatus(e, CL_COMPLETE)
        })
    }),
    ("clSetEventCallback: no callback", VALUE, |r| {
        user_event(r, |e| unsafe { clSetEventCallback(e, CL_COMPLETE, None, null_mut()) })
    }),
    ("clGetEventProfilingInfo: user event", &[CL_PROFILING_INFO_NOT_AVAILABLE], |r| {
        user_event(r, |e| unsafe {
            let mut time = 0u64;
            clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, 8, (&raw mut time).cast(), null_mut())
        })
    }),
    ("clRetainMemObject: NULL", &[CL_INVALID_MEM_OBJECT], |_| unsafe { clRetainMemObject(null_mut()) }),
    ("clReleaseContext: NULL", &[CL_INVALID_CONTEXT], |_| unsafe { clReleaseContext(null_mut()) }),
    ("clReleaseEvent: NULL", &[CL_INVALID_EVENT], |_| unsafe { clReleaseEvent(null_mut()) }),
    ("clFinish: NULL", &[CL_INVALID_COMMAND_QUEUE], |_| unsafe { clFinish(null_mut()) }),
    ("clGetMemObjectInfo: unknown query", VALUE, |r| unsafe {
        clGetMemObjectInfo(r.buffer, 0x7777, 0, null_mut(), &mut 0)
    }),
    ("clGetKernelWorkGroupInfo: unknown query", VALUE, |r| {
        with_kernel(r, "one", |k| unsafe {
            clGetKernelWorkGroupInfo(k, r.device, 0x7777, 0, null_mut(), &mut 0)
        })
    }),
    ("clSetMemObjectDestructorCallback: no callback", VALUE, |r| unsafe {
        clSetMemObjectDestructorCallback(r.buffer, None, null_mut())
    }),
    ("clEnqueueMigrateMemObjects: no objects", VALUE, |r| unsafe {
        clEnqueueMigrateMemObjects(r.queue, 0, null(), 0, 0, null(), null_mut())
    }),
];

fn with_kernel(rig: &Rig, name: &str, call: impl FnOnce(cl_kernel) -> cl_int) -> cl_int {
    let kernel = rig.kernel(name);
    let code = call(kernel);
    // SAFETY: our own kernel.
    unsafe { clReleaseKernel(kernel) };
    code
}

fn user_event(rig: &Rig, call: impl FnOnce(cl_event) -> cl_int) -> cl_int {
    let mut code = 1;
    // SAFETY: a live context; our own event.
    unsafe {
        let event = clCreateUserEvent(rig.context, &mut code);
        let code = call(event);
        clReleaseEvent(event);
        code
    }
}

pub fn tests(context: &Context<'_>, sink: &mut Sink<'_>) {
    let rig = OnceCell::new();
    for (name, allowed, call) in CHECKS {
        sink.test(*name, || match rig.get_or_init(|| Rig::new(context.device.id, 0, SOURCE)) {
            Ok(rig) => expect(call(rig), allowed).into(),
            Err(text) => Outcome::Fail(text.clone()),
        });
    }
}
