//! Error codes of the calls that enqueue commands or create buffers: a line for each condition of the
//! specification that a test can provoke.

#![allow(clippy::unwrap_used)]

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use test_support::api::rig::*;
use test_support::api::*;

const SOURCE: &str = "
kernel void one(global int *p, int n) { p[0] = n; }
kernel void big(local int *l, global int *p) { l[get_local_id(0)] = 1; barrier(CLK_LOCAL_MEM_FENCE); p[0] = l[0]; }
kernel __attribute__((reqd_work_group_size(4, 2, 1))) void eight(global int *p) { p[0] = 1; }
kernel void nothing(void) { }
";
const SIZE: usize = 1024;

/// A call with a queue, a memory object and a wait list; everything else is valid.
type Call<'a> =
    (&'static str, Box<dyn Fn(cl_command_queue, cl_mem, cl_uint, *const cl_event) -> cl_int + 'a>);

/// Every call that enqueues a command on memory objects. `host` has room for `SIZE` bytes.
fn calls<'a>(host: *mut c_void, other: cl_mem, kernel: cl_kernel) -> Vec<Call<'a>> {
    let (zero, region) = ([0usize; 3], [8usize, 2, 2]);
    let boxed = |name, call| (name, call);
    // SAFETY: handles are checked by the calls; sizes and memory are those of `SIZE` bytes.
    unsafe {
        vec![
            boxed(
                "read",
                Box::new(move |q, m, n, l| clEnqueueReadBuffer(q, m, 1, 0, SIZE, host, n, l, null_mut()))
                    as Box<_>,
            ),
            boxed(
                "write",
                Box::new(move |q, m, n, l| clEnqueueWriteBuffer(q, m, 1, 0, SIZE, host, n, l, null_mut())),
            ),
            boxed(
                "read rect",
                Box::new(move |q, m, n, l| {
                    let (o, r) = (zero.as_ptr(), region.as_ptr());
                    clEnqueueReadBufferRect(q, m, 1, o, o, r, 0, 0, 0, 0, host, n, l, null_mut())
                }),
            ),
            boxed(
                "write rect",
                Box::new(move |q, m, n, l| {
                    let (o, r) = (zero.as_ptr(), region.as_ptr());
                    clEnqueueWriteBufferRect(q, m, 1, o, o, r, 0, 0, 0, 0, host, n, l, null_mut())
                }),
            ),
            boxed(
                "copy from",
                Box::new(move |q, m, n, l| clEnqueueCopyBuffer(q, m, other, 0, 0, 8, n, l, null_mut())),
            ),
            boxed(
                "copy to",
                Box::new(move |q, m, n, l| clEnqueueCopyBuffer(q, other, m, 0, 0, 8, n, l, null_mut())),
            ),
            boxed(
                "copy rect",
                Box::new(move |q, m, n, l| {
                    let (o, r) = (zero.as_ptr(), region.as_ptr());
                    clEnqueueCopyBufferRect(q, m, other, o, o, r, 0, 0, 0, 0, n, l, null_mut())
                }),
            ),
            boxed(
                "fill",
                Box::new(move |q, m, n, l| {
                    clEnqueueFillBuffer(q, m, [1u32].as_ptr().cast(), 4, 0, 8, n, l, null_mut())
                }),
            ),
            boxed(
                "map",
                Box::new(move |q, m, n, l| {
                    let mut code = 1;
                    let ptr = clEnqueueMapBuffer(q, m, 1, CL_MAP_READ, 0, 8, n, l, null_mut(), &mut code);
                    assert_eq!(ptr.is_null(), code != CL_SUCCESS);
                    if code == CL_SUCCESS {
                        ok(clEnqueueUnmapMemObject(q, m, ptr, 0, null(), null_mut()));
                    }
                    code
                }),
            ),
            boxed(
                "migrate",
                Box::new(move |q, m, n, l| clEnqueueMigrateMemObjects(q, 1, &m, 0, n, l, null_mut())),
            ),
            boxed(
                "launch",
                Box::new(move |q, m, n, l| {
                    // The memory object is checked when the argument is set.
                    let code = clSetKernelArg(kernel, 0, size_of::<cl_mem>(), (&raw const m).cast());
                    let size = 1usize;
                    if code != CL_SUCCESS {
                        code
                    } else {
                        clEnqueueNDRangeKernel(q, kernel, 1, null(), &size, null(), n, l, null_mut())
                    }
                }),
            ),
            boxed(
                "task",
                Box::new(move |q, m, n, l| {
                    let code = clSetKernelArg(kernel, 0, size_of::<cl_mem>(), (&raw const m).cast());
                    if code != CL_SUCCESS { code } else { clEnqueueTask(q, kernel, n, l, null_mut()) }
                }),
            ),
        ]
    }
}

#[test]
fn handles_contexts_and_wait_lists() {
    let rig = Rig::new(SOURCE);
    let foreign = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let mut host = vec![0u8; SIZE];
    let (mem, other) = (rig.buffer(&[0u8; SIZE]), rig.buffer(&[0u8; SIZE]));
    let foreign_mem = foreign.buffer(&[0u8; SIZE]);
    let kernel = rig.kernel("one");
    set(kernel, 1, 5i32);
    let (gate, foreign_gate, failed) = (rig.gate(), foreign.gate(), rig.gate());
    open_gate(gate, CL_COMPLETE);
    open_gate(failed, -5);
    for (name, call) in calls(host.as_mut_ptr().cast(), other, kernel) {
        assert_eq!(call(queue, mem, 0, null()), CL_SUCCESS, "{name}");
        assert_eq!(call(queue, mem, 1, &gate), CL_SUCCESS, "{name}");
        // CL_INVALID_COMMAND_QUEUE
        assert_eq!(call(wrong_kind(mem), mem, 0, null()), CL_INVALID_COMMAND_QUEUE, "{name}");
        // CL_INVALID_MEM_OBJECT; NULL is valid for kernel arguments only.
        assert_eq!(call(queue, wrong_kind(queue), 0, null()), CL_INVALID_MEM_OBJECT, "{name}");
        if !["launch", "task"].contains(&name) {
            assert_eq!(call(queue, null_mut(), 0, null()), CL_INVALID_MEM_OBJECT, "{name}");
        }
        // CL_INVALID_CONTEXT: queue, memory objects and events belong to different contexts.
        assert_eq!(call(queue, foreign_mem, 0, null()), CL_INVALID_CONTEXT, "{name}");
        assert_eq!(call(queue, mem, 1, &foreign_gate), CL_INVALID_CONTEXT, "{name}");
        // CL_INVALID_EVENT_WAIT_LIST: list and count disagree, or an entry is not an event.
        assert_eq!(call(queue, mem, 1, null()), CL_INVALID_EVENT_WAIT_LIST, "{name}");
        assert_eq!(call(queue, mem, 0, &gate), CL_INVALID_EVENT_WAIT_LIST, "{name}");
        let wrong = [gate, null_mut()];
        assert_eq!(call(queue, mem, 2, wrong.as_ptr()), CL_INVALID_EVENT_WAIT_LIST, "{name}");
        let wrong: [cl_event; 2] = [gate, wrong_kind(mem)];
        assert_eq!(call(queue, mem, 2, wrong.as_ptr()), CL_INVALID_EVENT_WAIT_LIST, "{name}");
        // CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: a blocking call returns it; other commands are
        // enqueued and fail.
        let blocking = ["read", "write", "read rect", "write rect", "map"].contains(&name);
        let expected = if blocking { CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST } else { CL_SUCCESS };
        assert_eq!(call(queue, mem, 1, &failed), expected, "{name}");
        // The failure does not affect later commands.
        assert_eq!(call(queue, mem, 0, null()), CL_SUCCESS, "{name}");
        finish(queue);
    }
    wait_lists(queue, mem, [gate, foreign_gate, failed]);
    events(queue, mem, gate);
    release([gate, foreign_gate, failed]);
    release([mem, other, foreign_mem]);
    kernel.release();
    queue.release();
    for rig in [rig, foreign] {
        rig.program.release();
        rig.context.release();
    }
}

/// Markers, barriers and waits.
fn wait_lists(queue: cl_command_queue, mem: cl_mem, [gate, foreign_gate, failed]: [cl_event; 3]) {
    // SAFETY: lists and lengths as given; nothing is enqueued.
    unsafe {
        assert_eq!(clEnqueueMarkerWithWaitList(queue, 1, null(), null_mut()), CL_INVALID_EVENT_WAIT_LIST);
        assert_eq!(clEnqueueMarkerWithWaitList(queue, 1, &foreign_gate, null_mut()), CL_INVALID_CONTEXT);
        assert_eq!(
            clEnqueueMarkerWithWaitList(wrong_kind(mem), 0, null(), null_mut()),
            CL_INVALID_COMMAND_QUEUE
        );
        assert_eq!(clEnqueueBarrierWithWaitList(queue, 0, &gate, null_mut()), CL_INVALID_EVENT_WAIT_LIST);
        assert_eq!(clEnqueueBarrierWithWaitList(queue, 1, &foreign_gate, null_mut()), CL_INVALID_CONTEXT);
        assert_eq!(
            clEnqueueBarrierWithWaitList(wrong_kind(mem), 0, null(), null_mut()),
            CL_INVALID_COMMAND_QUEUE
        );
        assert_eq!(clEnqueueMarker(queue, null_mut()), CL_INVALID_VALUE);
        assert_eq!(clEnqueueMarker(wrong_kind(mem), null_mut()), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(clEnqueueBarrier(wrong_kind(mem)), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(clEnqueueWaitForEvents(queue, 0, null()), CL_INVALID_VALUE);
        assert_eq!(clEnqueueWaitForEvents(queue, 1, null()), CL_INVALID_VALUE);
        assert_eq!(clEnqueueWaitForEvents(queue, 1, &foreign_gate), CL_INVALID_CONTEXT);
        assert_eq!(clEnqueueWaitForEvents(queue, 1, &wrong_kind(mem)), CL_INVALID_EVENT);
        assert_eq!(clEnqueueWaitForEvents(wrong_kind(mem), 1, &gate), CL_INVALID_COMMAND_QUEUE);
        // Wait functions.
        assert_eq!(clWaitForEvents(0, null()), CL_INVALID_VALUE);
        assert_eq!(clWaitForEvents(1, null()), CL_INVALID_VALUE);
        assert_eq!(clWaitForEvents(2, [gate, foreign_gate].as_ptr()), CL_INVALID_CONTEXT);
        assert_eq!(clWaitForEvents(2, [gate, wrong_kind(mem)].as_ptr()), CL_INVALID_EVENT);
        assert_eq!(clWaitForEvents(2, [gate, failed].as_ptr()), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    }
}

/// Statuses, callbacks and queries of events.
fn events(queue: cl_command_queue, mem: cl_mem, gate: cl_event) {
    // SAFETY: as above.
    unsafe {
        let (mut code, mut value) = (1, 0u64);
        assert!(clCreateUserEvent(wrong_kind(mem), &mut code).is_null());
        assert_eq!(code, CL_INVALID_CONTEXT);
        let marker = marker(queue, &[]);
        assert_eq!(clSetUserEventStatus(marker, CL_COMPLETE), CL_INVALID_EVENT);
        assert_eq!(clSetUserEventStatus(wrong_kind(mem), CL_COMPLETE), CL_INVALID_EVENT);
        assert_eq!(clSetEventCallback(marker, CL_COMPLETE, None, null_mut()), CL_INVALID_VALUE);
        assert_eq!(clSetEventCallback(marker, CL_QUEUED, Some(never), null_mut()), CL_INVALID_VALUE);
        assert_eq!(
            clSetEventCallback(wrong_kind(mem), CL_COMPLETE, Some(never), null_mut()),
            CL_INVALID_EVENT
        );
        let mut ask =
            |event, name, size| clGetEventInfo(event, name, size, (&raw mut value).cast(), null_mut());
        assert_eq!(ask(marker, CL_EVENT_COMMAND_TYPE, 3), CL_INVALID_VALUE);
        assert_eq!(ask(marker, 0x1, 8), CL_INVALID_VALUE);
        assert_eq!(ask(wrong_kind(mem), CL_EVENT_COMMAND_TYPE, 8), CL_INVALID_EVENT);
        ok(wait(&[marker]));
        let mut ask = |event, name, size| {
            clGetEventProfilingInfo(event, name, size, (&raw mut value).cast(), null_mut())
        };
        // CL_PROFILING_INFO_NOT_AVAILABLE: the queue does not profile, or the event is a user event.
        assert_eq!(ask(marker, CL_PROFILING_COMMAND_END, 8), CL_PROFILING_INFO_NOT_AVAILABLE);
        assert_eq!(ask(gate, CL_PROFILING_COMMAND_END, 8), CL_PROFILING_INFO_NOT_AVAILABLE);
        assert_eq!(ask(marker, 0x1, 8), CL_INVALID_VALUE);
        assert_eq!(ask(wrong_kind(mem), CL_PROFILING_COMMAND_END, 8), CL_INVALID_EVENT);
        marker.release();
    }
}

unsafe extern "C" fn never(_: cl_event, _: cl_int, _: *mut c_void) {
    std::process::abort();
}

#[test]
fn ranges_of_buffers() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let mut bytes = vec![0u8; SIZE];
    let host: *mut c_void = bytes.as_mut_ptr().cast();
    let (mem, other) = (rig.buffer(&[0u8; SIZE]), rig.buffer(&[0u8; SIZE]));
    let out_of_bounds =
        [(0, SIZE + 1), (1, SIZE), (SIZE + 1, 0), (SIZE, 1), (usize::MAX, 2), (2, usize::MAX)];
    // SAFETY: live handles; what is refused touches nothing.
    unsafe {
        for (offset, size) in out_of_bounds {
            let list = null();
            assert_eq!(
                clEnqueueReadBuffer(queue, mem, 1, offset, size, host, 0, list, null_mut()),
                CL_INVALID_VALUE
            );
            assert_eq!(
                clEnqueueWriteBuffer(queue, mem, 1, offset, size, host, 0, list, null_mut()),
                CL_INVALID_VALUE
            );
            assert_eq!(
                clEnqueueCopyBuffer(queue, mem, other, offset, 0, size, 0, list, null_mut()),
                CL_INVALID_VALUE
            );
            assert_eq!(
                clEnqueueCopyBuffer(queue, mem, other, 0, offset, size, 0, list, null_mut()),
                CL_INVALID_VALUE
            );
            let pattern: *const c_void = [1u8].as_ptr().cast();
            assert_eq!(
                clEnqueueFillBuffer(queue, mem, pattern, 1, offset, size, 0, list, null_mut()),
                CL_INVALID_VALUE
            );
            let mut code = 1;
            assert!(
                clEnqueueMapBuffer(queue, mem, 1, CL_MAP_READ, offset, size, 0, list, null_mut(), &mut code)
                    .is_null()
            );
            assert_eq!(code, CL_INVALID_VALUE);
        }
        // CL_INVALID_VALUE: host memory is NULL.
        assert_eq!(
            clEnqueueReadBuffer(queue, mem, 1, 0, 8, null_mut(), 0, null(), null_mut()),
            CL_INVALID_VALUE
        );
        assert_eq!(
            clEnqueueWriteBuffer(queue, mem, 1, 0, 8, null(), 0, null(), null_mut()),
            CL_INVALID_VALUE
        );
        // CL_MEM_COPY_OVERLAP: regions of one buffer overlap.
        for (from, to, size, code) in
            [(0, 4, 8, CL_MEM_COPY_OVERLAP), (4, 0, 8, CL_MEM_COPY_OVERLAP), (0, 8, 8, CL_SUCCESS)]
        {
            assert_eq!(clEnqueueCopyBuffer(queue, mem, mem, from, to, size, 0, null(), null_mut()), code);
        }
        // CL_INVALID_VALUE: no pattern, a size that is not a power of two up to 128, a range that is not a
        // multiple of it.
        let fill = |pattern: *const u8, length, offset, size| {
            clEnqueueFillBuffer(queue, mem, pattern.cast(), length, offset, size, 0, null(), null_mut())
        };
        let pattern = [0u8; 256];
        assert_eq!(fill(null(), 4, 0, 8), CL_INVALID_VALUE);
        for length in [0, 3, 12, 256] {
            assert_eq!(fill(pattern.as_ptr(), length, 0, 512), CL_INVALID_VALUE, "{length}");
        }
        assert_eq!(fill(pattern.as_ptr(), 8, 4, 8), CL_INVALID_VALUE);
        assert_eq!(fill(pattern.as_ptr(), 8, 8, 12), CL_INVALID_VALUE);
    }
    release([mem, other]);
    queue.release();
    rig.program.release();
    rig.context.release();
}

#[test]
fn maps_and_migrations() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let mut bytes = vec![0u8; SIZE];
    let host: *mut c_void = bytes.as_mut_ptr().cast();
    let (mem, other) = (rig.buffer(&[0u8; SIZE]), rig.buffer(&[0u8; SIZE]));
    // SAFETY: live handles; what is refused touches nothing.
    unsafe {
        // CL_INVALID_VALUE: unknown map flags, invalidation combined with reading or writing.
        let mut code = 1;
        for flags in [
            1 << 7,
            CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_READ,
            CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_WRITE,
        ] {
            assert!(
                clEnqueueMapBuffer(queue, mem, 1, flags, 0, 8, 0, null(), null_mut(), &mut code).is_null()
            );
            assert_eq!(code, CL_INVALID_VALUE, "{flags:#x}");
        }
        assert_eq!(clEnqueueUnmapMemObject(queue, mem, host, 0, null(), null_mut()), CL_INVALID_VALUE);
        let ptr = clEnqueueMapBuffer(queue, mem, 1, CL_MAP_READ, 0, 8, 0, null(), null_mut(), &mut code);
        ok(code);
        assert_eq!(clEnqueueUnmapMemObject(queue, other, ptr, 0, null(), null_mut()), CL_INVALID_VALUE);
        assert_eq!(
            clEnqueueUnmapMemObject(wrong_kind(mem), mem, ptr, 0, null(), null_mut()),
            CL_INVALID_COMMAND_QUEUE
        );
        assert_eq!(
            clEnqueueUnmapMemObject(queue, wrong_kind(queue), ptr, 0, null(), null_mut()),
            CL_INVALID_MEM_OBJECT
        );
        ok(clEnqueueUnmapMemObject(queue, mem, ptr, 0, null(), null_mut()));
        // Flags of 0: the mapping is neither read nor written.
        let ptr = clEnqueueMapBuffer(queue, mem, 1, 0, 0, 8, 0, null(), null_mut(), &mut code);
        ok(code);
        ok(clEnqueueUnmapMemObject(queue, mem, ptr, 0, null(), null_mut()));
        // CL_INVALID_VALUE: no objects, unknown flags.
        assert_eq!(clEnqueueMigrateMemObjects(queue, 0, null(), 0, 0, null(), null_mut()), CL_INVALID_VALUE);
        assert_eq!(clEnqueueMigrateMemObjects(queue, 1, null(), 0, 0, null(), null_mut()), CL_INVALID_VALUE);
        assert_eq!(clEnqueueMigrateMemObjects(queue, 1, &mem, 4, 0, null(), null_mut()), CL_INVALID_VALUE);
    }
    release([mem, other]);
    queue.release();
    rig.program.release();
    rig.context.release();
}

#[test]
fn host_access_flags() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let mut bytes = vec![0u8; SIZE];
    let host: *mut c_void = bytes.as_mut_ptr().cast();
    // SAFETY: live handles; what is refused touches nothing.
    unsafe {
        let mut code = 1;
        // CL_INVALID_OPERATION: the buffer's flags forbid the host access.
        let mut with = |flags| {
            let mem = clCreateBuffer(rig.context, flags, SIZE, null_mut(), &raw mut code);
            assert!(!mem.is_null());
            mem
        };
        for (flags, may_read, may_write) in [
            (CL_MEM_HOST_READ_ONLY, true, false),
            (CL_MEM_HOST_WRITE_ONLY, false, true),
            (CL_MEM_HOST_NO_ACCESS, false, false),
        ] {
            let mem = with(flags);
            let answer = |may: bool| if may { CL_SUCCESS } else { CL_INVALID_OPERATION };
            assert_eq!(
                clEnqueueReadBuffer(queue, mem, 1, 0, 8, host, 0, null(), null_mut()),
                answer(may_read)
            );
            assert_eq!(
                clEnqueueWriteBuffer(queue, mem, 1, 0, 8, host, 0, null(), null_mut()),
                answer(may_write)
            );
            let (zero, region) = ([0usize; 3], [4usize, 1, 1]);
            let (o, r) = (zero.as_ptr(), region.as_ptr());
            let read =
                clEnqueueReadBufferRect(queue, mem, 1, o, o, r, 0, 0, 0, 0, host, 0, null(), null_mut());
            let write =
                clEnqueueWriteBufferRect(queue, mem, 1, o, o, r, 0, 0, 0, 0, host, 0, null(), null_mut());
            assert_eq!((read, write), (answer(may_read), answer(may_write)));
            for (map, may) in [
                (CL_MAP_READ, may_read),
                (CL_MAP_WRITE, may_write),
                (CL_MAP_WRITE_INVALIDATE_REGION, may_write),
                (CL_MAP_READ | CL_MAP_WRITE, may_read && may_write),
            ] {
                let mut code = 1;
                let ptr = clEnqueueMapBuffer(queue, mem, 1, map, 0, 8, 0, null(), null_mut(), &mut code);
                assert_eq!(code, answer(may), "{flags:#x} {map:#x}");
                if may {
                    ok(clEnqueueUnmapMemObject(queue, mem, ptr, 0, null(), null_mut()));
                }
            }
            finish(queue);
            mem.release();
        }
    }
    queue.release();
    rig.program.release();
    rig.context.release();
}

#[test]
fn regions_mapped_for_writing_do_not_overlap() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let mem = rig.buffer(&[0u8; SIZE]);
    let region = cl_buffer_region { origin: SIZE / 2, size: SIZE / 2 };
    let mut code = 1;
    let map = |mem, flags, offset, size| {
        let mut code = 1;
        // SAFETY: live handles.
        let ptr = unsafe {
            clEnqueueMapBuffer(queue, mem, 1, flags, offset, size, 0, null(), null_mut(), &mut code)
        };
        assert_eq!(ptr.is_null(), code != CL_SUCCESS);
        if code == CL_SUCCESS { Ok(ptr) } else { Err(code) }
    };
    // SAFETY: live handles and a region of the buffer.
    unsafe {
        let part =
            clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast(), &mut code);
        ok(code);
        let unmap = |mem, ptr| ok(clEnqueueUnmapMemObject(queue, mem, ptr, 0, null(), null_mut()));
        let first = map(mem, CL_MAP_WRITE, 0, SIZE / 2 + 16).unwrap();
        for flags in [CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION] {
            assert_eq!(map(mem, flags, 8, 8), Err(CL_INVALID_OPERATION));
            assert_eq!(map(part, flags, 0, 8), Err(CL_INVALID_OPERATION));
        }
        // Adjacent regions may be written, and any region may be mapped for reading.
        let beside = map(part, CL_MAP_WRITE, 16, 8).unwrap();
        assert_eq!(map(mem, CL_MAP_WRITE, SIZE / 2 + 16, 8), Err(CL_INVALID_OPERATION));
        let read = map(mem, CL_MAP_READ, SIZE / 2 + 8, 16).unwrap();
        unmap(mem, first);
        unmap(mem, map(mem, CL_MAP_WRITE, 8, 8).unwrap());
        unmap(part, beside);
        unmap(mem, read);
        unmap(mem, map(mem, CL_MAP_WRITE, 0, SIZE).unwrap());
        finish(queue);
        release([part, mem]);
    }
    queue.release();
    rig.program.release();
    rig.context.release();
}

/// A rectangle of a buffer with its pitches, and the result of commands on it.
struct Case {
    origin: [usize; 3],
    region: [usize; 3],
    row: usize,
    slice: usize,
    code: cl_int,
}

fn rectangle_cases() -> Vec<Case> {
    let case = |origin, region, row, slice, code| Case { origin, region, row, slice, code };
    let bad = CL_INVALID_VALUE;
    vec![
        case([0; 3], [8, 2, 2], 0, 0, CL_SUCCESS),
        case([0; 3], [8, 2, 2], 16, 64, CL_SUCCESS),
        // CL_INVALID_VALUE: beyond the end, in each dimension.
        case([SIZE, 0, 0], [1, 1, 1], 0, 0, bad),
        case([0, SIZE / 8, 0], [8, 1, 1], 0, 0, bad),
        case([0, 0, 1], [SIZE, 1, 1], 0, 0, bad),
        case([usize::MAX, 0, 0], [8, 1, 1], 0, 0, bad),
        case([0, usize::MAX, 0], [8, 1, 1], 0, 0, bad),
        case([0; 3], [8, 2, 1], usize::MAX, 0, bad),
        // CL_INVALID_VALUE: an empty region.
        case([0; 3], [0, 1, 1], 0, 0, bad),
        case([0; 3], [8, 0, 1], 0, 0, bad),
        case([0; 3], [8, 1, 0], 0, 0, bad),
        // CL_INVALID_VALUE: rows shorter than the region; slices shorter than its rows, or not a multiple of
        // rows.
        case([0; 3], [8, 2, 2], 7, 0, bad),
        case([0; 3], [8, 2, 2], 8, 15, bad),
        case([0; 3], [8, 2, 2], 8, 20, bad),
    ]
}

#[test]
fn rectangles() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let mut bytes = vec![0u8; SIZE];
    let host: *mut c_void = bytes.as_mut_ptr().cast();
    let (mem, other) = (rig.buffer(&[0u8; SIZE]), rig.buffer(&[0u8; SIZE]));
    let plain = [0usize; 3];
    for (i, c) in rectangle_cases().iter().enumerate() {
        let (o, r, p) = (c.origin.as_ptr(), c.region.as_ptr(), plain.as_ptr());
        // SAFETY: live handles; the host's side has room wherever the call is valid.
        unsafe {
            let read = clEnqueueReadBufferRect(
                queue,
                mem,
                1,
                o,
                p,
                r,
                c.row,
                c.slice,
                0,
                0,
                host,
                0,
                null(),
                null_mut(),
            );
            let write = clEnqueueWriteBufferRect(
                queue,
                mem,
                1,
                o,
                p,
                r,
                c.row,
                c.slice,
                0,
                0,
                host,
                0,
                null(),
                null_mut(),
            );
            let from = clEnqueueCopyBufferRect(
                queue,
                mem,
                other,
                o,
                p,
                r,
                c.row,
                c.slice,
                0,
                0,
                0,
                null(),
                null_mut(),
            );
            let to = clEnqueueCopyBufferRect(
                queue,
                other,
                mem,
                p,
                o,
                r,
                0,
                0,
                c.row,
                c.slice,
                0,
                null(),
                null_mut(),
            );
            assert_eq!([read, write, from, to], [c.code; 4], "case {i}");
        }
    }
    finish(queue);
    release([mem, other]);
    queue.release();
    rig.program.release();
    rig.context.release();
}

#[test]
fn rectangles_of_the_host_and_overlaps() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let mut bytes = vec![0u8; SIZE];
    let host: *mut c_void = bytes.as_mut_ptr().cast();
    let (mem, plain, bad) = (rig.buffer(&[0u8; SIZE]), [0usize; 3], CL_INVALID_VALUE);
    // SAFETY: live handles; the host's side has room wherever the call is valid.
    unsafe {
        let (o, r) = (plain.as_ptr(), [8usize, 2, 2]);
        let r = r.as_ptr();
        // CL_INVALID_VALUE: pitches of the host; NULL origins, region or memory.
        let read = |host_row, host_slice| {
            clEnqueueReadBufferRect(
                queue,
                mem,
                1,
                o,
                o,
                r,
                0,
                0,
                host_row,
                host_slice,
                host,
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!([read(7, 0), read(8, 15), read(8, 20), read(8, 16)], [bad, bad, bad, CL_SUCCESS]);
        let with = |o, h, r, host| {
            clEnqueueWriteBufferRect(queue, mem, 1, o, h, r, 0, 0, 0, 0, host, 0, null(), null_mut())
        };
        assert_eq!([with(null(), o, r, host), with(o, null(), r, host), with(o, o, null(), host)], [bad; 3]);
        assert_eq!(with(o, o, r, null_mut()), bad);
        // CL_INVALID_VALUE, CL_MEM_COPY_OVERLAP: within one buffer, different pitches and overlapping
        // regions.
        let copy = |from: [usize; 3], to: [usize; 3], rows: [usize; 2]| {
            let (from, to, slices) = (from.as_ptr(), to.as_ptr(), rows.map(|r| r * 4));
            clEnqueueCopyBufferRect(
                queue,
                mem,
                mem,
                from,
                to,
                r,
                rows[0],
                slices[0],
                rows[1],
                slices[1],
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(copy([0; 3], [8, 0, 0], [16, 32]), bad);
        assert_eq!(copy([0; 3], [4, 0, 0], [16, 16]), CL_MEM_COPY_OVERLAP);
        assert_eq!(copy([0; 3], [0, 1, 1], [16, 16]), CL_MEM_COPY_OVERLAP);
        assert_eq!(copy([0; 3], [8, 0, 0], [16, 16]), CL_SUCCESS);
    }
    finish(queue);
    mem.release();
    queue.release();
    rig.program.release();
    rig.context.release();
}

#[test]
fn creation_of_buffers() {
    let rig = Rig::new(SOURCE);
    let mut bytes = [0u8; 64];
    let host: *mut c_void = bytes.as_mut_ptr().cast();
    let largest = number(&device_info(rig.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE).unwrap()) as usize;
    let make = |context, flags, size, ptr| {
        let mut code = 1;
        // SAFETY: NULL or memory of the size.
        let mem = unsafe { clCreateBuffer(context, flags, size, ptr, &mut code) };
        assert_eq!(mem.is_null(), code != CL_SUCCESS);
        if !mem.is_null() {
            mem.release();
        }
        code
    };
    let context = rig.context;
    assert_eq!(make(wrong_kind(rig.program), 0, 64, null_mut()), CL_INVALID_CONTEXT);
    for flags in [
        1 << 50,
        CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
        CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY,
        CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
        CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR,
        CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
        CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY,
        CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
        CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS,
    ] {
        let needs = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
        assert_eq!(
            make(context, flags, 64, if needs { host } else { null_mut() }),
            CL_INVALID_VALUE,
            "{flags:#x}"
        );
    }
    assert_eq!(make(context, CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, 64, host), CL_SUCCESS);
    assert_eq!(make(context, 0, 0, null_mut()), CL_INVALID_BUFFER_SIZE);
    assert_eq!(make(context, 0, largest + 1, null_mut()), CL_INVALID_BUFFER_SIZE);
    assert_eq!(make(context, 0, 64, host), CL_INVALID_HOST_PTR);
    assert_eq!(make(context, CL_MEM_ALLOC_HOST_PTR, 64, host), CL_INVALID_HOST_PTR);
    assert_eq!(make(context, CL_MEM_USE_HOST_PTR, 64, null_mut()), CL_INVALID_HOST_PTR);
    assert_eq!(make(context, CL_MEM_COPY_HOST_PTR, 64, null_mut()), CL_INVALID_HOST_PTR);
    rig.program.release();
    rig.context.release();
}

#[test]
fn creation_of_sub_buffers() {
    let rig = Rig::new(SOURCE);
    let context = rig.context;
    let align = number(&device_info(rig.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN).unwrap()) as usize / 8;
    let sub = |parent, flags, kind, region: Option<[usize; 2]>| {
        let region = region.map(|[origin, size]| cl_buffer_region { origin, size });
        let (info, mut code) = (region.as_ref().map_or(null(), |r| &raw const *r), 1);
        // SAFETY: a region, or NULL.
        let mem = unsafe { clCreateSubBuffer(parent, flags, kind, info.cast(), &mut code) };
        assert_eq!(mem.is_null(), code != CL_SUCCESS);
        if code == CL_SUCCESS { Ok(mem) } else { Err(code) }
    };
    let (parent, region) = (rig.buffer(&vec![0u8; 4 * align]), CL_BUFFER_CREATE_TYPE_REGION);
    let child = sub(parent, 0, region, Some([align, align])).unwrap();
    assert_eq!(sub(child, 0, region, Some([0, 4])), Err(CL_INVALID_MEM_OBJECT));
    assert_eq!(sub(wrong_kind(rig.program), 0, region, Some([0, 4])), Err(CL_INVALID_MEM_OBJECT));
    assert_eq!(sub(parent, 0, 0, Some([0, 4])), Err(CL_INVALID_VALUE));
    assert_eq!(sub(parent, 0, region, None), Err(CL_INVALID_VALUE));
    assert_eq!(sub(parent, 0, region, Some([0, 4 * align + 1])), Err(CL_INVALID_VALUE));
    assert_eq!(sub(parent, 0, region, Some([4 * align, 1])), Err(CL_INVALID_VALUE));
    assert_eq!(sub(parent, 0, region, Some([usize::MAX, 2])), Err(CL_INVALID_VALUE));
    assert_eq!(sub(parent, 0, region, Some([0, 0])), Err(CL_INVALID_BUFFER_SIZE));
    assert_eq!(sub(parent, 0, region, Some([align + 1, 4])), Err(CL_MISALIGNED_SUB_BUFFER_OFFSET));
    for flags in [1 << 50, CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR, CL_MEM_ALLOC_HOST_PTR] {
        assert_eq!(sub(parent, flags, region, Some([0, 4])), Err(CL_INVALID_VALUE), "{flags:#x}");
    }
    // A sub-buffer allows no more host access than its parent.
    for (of_parent, of_child) in [
        (CL_MEM_READ_ONLY, CL_MEM_READ_WRITE),
        (CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY),
        (CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY),
        (CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE),
        (CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY),
        (CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY),
        (CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY),
        (CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY),
    ] {
        let mut code = 1;
        // SAFETY: a live context.
        let parent = unsafe { clCreateBuffer(context, of_parent, 64, null_mut(), &mut code) };
        assert_eq!(
            sub(parent, of_child, region, Some([0, 4])),
            Err(CL_INVALID_VALUE),
            "{of_parent:#x} {of_child:#x}"
        );
        parent.release();
    }
    // SAFETY: live handles, and callbacks that are missing.
    unsafe {
        assert_eq!(clSetMemObjectDestructorCallback(parent, None, null_mut()), CL_INVALID_VALUE);
        assert_eq!(
            clSetMemObjectDestructorCallback(wrong_kind(context), None, null_mut()),
            CL_INVALID_MEM_OBJECT
        );
        assert_eq!(clSetContextDestructorCallback(context, None, null_mut()), CL_INVALID_VALUE);
        assert_eq!(clSetProgramReleaseCallback(rig.program, None, null_mut()), CL_INVALID_VALUE);
        let mut value = [0u8; 8];
        let mut ask =
            |mem, name, size| clGetMemObjectInfo(mem, name, size, value.as_mut_ptr().cast(), null_mut());
        assert_eq!(ask(parent, CL_MEM_SIZE, 7), CL_INVALID_VALUE);
        assert_eq!(ask(parent, 0x1, 8), CL_INVALID_VALUE);
        assert_eq!(ask(wrong_kind(context), CL_MEM_SIZE, 8), CL_INVALID_MEM_OBJECT);
    }
    release([child, parent]);
    rig.program.release();
    rig.context.release();
}

#[test]
fn launches() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let mem = rig.buffer(&[0i32; 64]);
    let [one, big, eight, nothing] = ["one", "big", "eight", "nothing"].map(|name| rig.kernel(name));
    let most = number(&device_info(rig.device, CL_DEVICE_MAX_WORK_GROUP_SIZE).unwrap()) as usize;
    let run =
        |kernel, dims, offset: Option<[usize; 3]>, global: Option<[usize; 3]>, local: Option<[usize; 3]>| {
            let pointer = |list: &Option<[usize; 3]>| list.as_ref().map_or(null(), |l| l.as_ptr());
            // SAFETY: three sizes each; nothing is launched that is refused.
            unsafe {
                let (offset, global, local) = (pointer(&offset), pointer(&global), pointer(&local));
                clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, 0, null(), null_mut())
            }
        };
    let plain = |kernel| run(kernel, 1, None, Some([8, 1, 1]), None);
    assert_eq!(plain(wrong_kind(queue)), CL_INVALID_KERNEL);
    assert_eq!(plain(one), CL_INVALID_KERNEL_ARGS);
    set(one, 0, mem);
    assert_eq!(plain(one), CL_INVALID_KERNEL_ARGS);
    set(one, 1, 3i32);
    assert_eq!(plain(one), CL_SUCCESS);
    for dims in [0, 4, 99] {
        assert_eq!(run(one, dims, None, Some([1; 3]), None), CL_INVALID_WORK_DIMENSION);
    }
    assert_eq!(run(nothing, 1, Some([usize::MAX, 0, 0]), Some([2, 1, 1]), None), CL_INVALID_GLOBAL_OFFSET);
    for local in [[0, 1, 1], [1, 0, 1], [most + 1, 1, 1]] {
        let code = run(nothing, 2, None, Some([(most + 1) * 2, 1, 1]), Some(local));
        assert!([CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE].contains(&code), "{local:?}: {code}");
    }
    let sizes = device_info(rig.device, CL_DEVICE_MAX_WORK_ITEM_SIZES).unwrap();
    let largest = usize::from_ne_bytes(sizes[..8].try_into().unwrap());
    assert_eq!(
        run(nothing, 1, None, Some([2 * largest + 2, 1, 1]), Some([largest + 1, 1, 1])),
        CL_INVALID_WORK_ITEM_SIZE
    );
    assert_eq!(run(nothing, 3, None, Some([most; 3]), Some([most, 2, 1])), CL_INVALID_WORK_GROUP_SIZE);
    // CL_INVALID_WORK_GROUP_SIZE: other than the size that the source requires.
    set(eight, 0, mem);
    assert_eq!(run(eight, 2, None, Some([8, 2, 1]), Some([4, 2, 1])), CL_SUCCESS);
    assert_eq!(run(eight, 2, None, Some([8, 2, 1]), None), CL_SUCCESS);
    assert_eq!(run(eight, 2, None, Some([8, 2, 1]), Some([2, 2, 1])), CL_INVALID_WORK_GROUP_SIZE);
    assert_eq!(run(eight, 2, None, Some([6, 2, 1]), None), CL_INVALID_WORK_GROUP_SIZE);
    // clEnqueueTask launches one work-item.
    // SAFETY: live handles.
    assert_eq!(unsafe { clEnqueueTask(queue, eight, 0, null(), null_mut()) }, CL_INVALID_WORK_GROUP_SIZE);
    // CL_OUT_OF_RESOURCES: more local memory than the device has.
    let room = number(&device_info(rig.device, CL_DEVICE_LOCAL_MEM_SIZE).unwrap()) as usize;
    set(big, 1, mem);
    // SAFETY: local memory has no value.
    unsafe { ok(clSetKernelArg(big, 0, room + 4, null())) };
    assert_eq!(plain(big), CL_OUT_OF_RESOURCES);
    finish(queue);
    release([one, big, eight, nothing]);
    mem.release();
    queue.release();
    rig.program.release();
    rig.context.release();
}

#[test]
fn a_program_that_is_not_built_has_no_kernels() {
    let rig = Rig::new(SOURCE);
    let mut code = 1;
    let (mut text, length) = (SOURCE.as_ptr().cast(), SOURCE.len());
    // SAFETY: one string with its length; live handles.
    unsafe {
        let program = clCreateProgramWithSource(rig.context, 1, &mut text, &length, &mut code);
        ok(code);
        assert!(clCreateKernel(program, c"one".as_ptr(), &mut code).is_null());
        assert_eq!(code, CL_INVALID_PROGRAM_EXECUTABLE);
        assert!(clCreateKernel(rig.program, c"none".as_ptr(), &mut code).is_null());
        assert_eq!(code, CL_INVALID_KERNEL_NAME);
        assert!(clCreateKernel(rig.program, null(), &mut code).is_null());
        assert_eq!(code, CL_INVALID_VALUE);
        assert!(clCreateKernel(wrong_kind(rig.context), c"one".as_ptr(), &mut code).is_null());
        assert_eq!(code, CL_INVALID_PROGRAM);
        program.release();
    }
    rig.program.release();
    rig.context.release();
}
