//! Native kernels: functions of the application in the order of queues, with memory objects as pointers.

#![allow(clippy::unwrap_used)]

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::mpsc::{Receiver, Sender, channel};
use test_support::api::rig::*;
use test_support::api::*;

const SOURCE: &str = "kernel void twice(global int *p) { p[get_global_id(0)] *= 2; }";
const N: usize = 100;

/// Adds a number to each element.
#[repr(C)]
struct Add {
    first: u8,
    values: *mut i32,
    none: *mut c_void,
    addend: i32,
}

unsafe extern "C" fn add(args: *mut c_void) {
    // SAFETY: called with what was enqueued.
    unsafe {
        let args = &*args.cast::<Add>();
        assert!(args.first == 77 && args.none.is_null());
        for i in 0..N {
            *args.values.add(i) += args.addend;
        }
    }
}

fn enqueue_add(queue: cl_command_queue, mem: cl_mem, addend: i32, waits: &[cl_event]) -> cl_event {
    let mut args = Add { first: 77, values: mem.cast(), none: null_mut(), addend };
    let mems = [mem, null_mut()];
    let mut locations: [*const c_void; 2] = [(&raw const args.values).cast(), (&raw const args.none).cast()];
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    let (size, mut event) = (size_of::<Add>(), null_mut());
    let ptr: *mut c_void = (&raw mut args).cast();
    // SAFETY: the locations lie in the arguments; the lists have two entries.
    let code = unsafe {
        let (mems, locations) = (mems.as_ptr(), locations.as_mut_ptr());
        clEnqueueNativeKernel(
            queue,
            Some(add),
            ptr,
            size,
            2,
            mems,
            locations,
            waits.len() as u32,
            list,
            &mut event,
        )
    };
    ok(code);
    // The arguments may be overwritten; volatile, so that the write is not removed.
    // SAFETY: a local variable.
    unsafe {
        (&raw mut args).write_volatile(Add { first: 0, values: null_mut(), none: null_mut(), addend: 0 })
    };
    event
}

#[test]
fn functions_run_in_the_order_of_the_queue() {
    let rig = Rig::new(SOURCE);
    let capabilities = number(&device_info(rig.device, CL_DEVICE_EXECUTION_CAPABILITIES).unwrap());
    assert_eq!(capabilities, CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL);
    for properties in [0, OUT_OF_ORDER, CL_QUEUE_PROFILING_ENABLE] {
        let queue = rig.queue(properties);
        let (mem, kernel) = (rig.buffer(&[1i32; N]), rig.kernel("twice"));
        set(kernel, 0, mem);
        let (mut expected, mut last) = (1i32, None::<cl_event>);
        for i in 0..20 {
            let chain = if properties == OUT_OF_ORDER { last.as_slice() } else { &[] };
            let event = if i % 3 == 1 {
                expected = expected.wrapping_mul(2);
                launch(queue, kernel, N, chain)
            } else {
                expected += i;
                enqueue_add(queue, mem, i, chain)
            };
            release(last.replace(event));
        }
        ok(wait(last.as_slice()));
        release(last);
        assert_eq!(read::<i32>(queue, mem, N), [expected; N]);
        let event = enqueue_add(queue, mem, 1, &[]);
        finish(queue);
        assert_eq!(status(event), CL_COMPLETE);
        // SAFETY: `query_bytes` passes buffers of the size it says.
        let kind = query_bytes(|s, v, r| unsafe { clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, s, v, r) });
        assert_eq!(number(&kind.unwrap()), u64::from(CL_COMMAND_NATIVE_KERNEL));
        event.release();
        mem.release();
        kernel.release();
        queue.release();
    }
    rig.program.release();
    rig.context.release();
}

/// Channels of a function that reports that it runs and returns after a message.
struct Meeting {
    here: Sender<()>,
    there: Receiver<()>,
}

unsafe extern "C" fn meet(args: *mut c_void) {
    // SAFETY: called with the address of a meeting that is never dropped.
    let meeting = unsafe { &**args.cast::<*const Meeting>() };
    meeting.here.send(()).unwrap();
    meeting.there.recv().unwrap();
}

fn enqueue_meeting(queue: cl_command_queue, meeting: &Meeting) -> cl_event {
    let (mut args, mut event) = (&raw const *meeting, null_mut());
    let ptr: *mut c_void = (&raw mut args).cast();
    // SAFETY: no memory objects; the meeting is never dropped.
    ok(unsafe {
        clEnqueueNativeKernel(queue, Some(meet), ptr, 8, 0, null(), null_mut(), 0, null(), &mut event)
    });
    // SAFETY: a live handle.
    ok(unsafe { clFlush(queue) });
    event
}

unsafe extern "C" fn send_status(_: cl_event, status: cl_int, data: *mut c_void) {
    // SAFETY: the data is a sender that is never dropped.
    unsafe { &*data.cast::<Sender<cl_int>>() }.send(status).unwrap();
}

#[test]
fn functions_may_block_without_holding_up_anything_else() {
    let rig = Rig::new(SOURCE);
    let queues = [rig.queue(0), rig.queue(0), rig.queue(OUT_OF_ORDER)];
    // Three functions wait for each other, two of them in a cycle.
    let ((a, at_b), (b, at_a)) = (channel(), channel());
    let (open, gate) = channel();
    let (started, start) = channel();
    let meetings = vec![
        Meeting { here: a, there: at_a },
        Meeting { here: b, there: at_b },
        Meeting { here: started, there: gate },
    ]
    .leak();
    let events: Vec<cl_event> = queues.iter().zip(&*meetings).map(|(q, m)| enqueue_meeting(*q, m)).collect();
    ok(wait(&events[..2]));
    start.recv().unwrap();
    assert_eq!(status(events[2]), CL_SUBMITTED);
    // Callbacks and other commands proceed meanwhile.
    let (sender, statuses) = channel::<cl_int>();
    // Never dropped: a callback may still use it when its message has arrived.
    let sender: *mut c_void = Box::into_raw(Box::new(sender)).cast();
    // SAFETY: live handles.
    unsafe {
        ok(clSetEventCallback(events[0], CL_COMPLETE, Some(send_status), sender));
        assert_eq!(statuses.recv().unwrap(), CL_COMPLETE);
        ok(clSetEventCallback(events[2], CL_COMPLETE, Some(send_status), sender));
    }
    let mem = rig.buffer(&[3i32; N]);
    let other = enqueue_add(queues[2], mem, 4, &[]);
    ok(wait(&[other]));
    let after = marker(queues[2], &events[2..]);
    assert_eq!(status(events[2]), CL_SUBMITTED);
    open.send(()).unwrap();
    finish(queues[2]);
    assert_eq!(status(after), CL_COMPLETE);
    assert_eq!(statuses.recv().unwrap(), CL_COMPLETE);
    assert_eq!(read::<i32>(queues[0], mem, N), [7; N]);
    release(events);
    release([other, after]);
    release(queues);
    mem.release();
    rig.program.release();
    rig.context.release();
}

unsafe extern "C" fn never(_: *mut c_void) {
    std::process::abort();
}

#[test]
fn errors() {
    let rig = Rig::new(SOURCE);
    let other = context();
    let queue = rig.queue(0);
    let mut code = 1;
    // SAFETY: live handles.
    let foreign = unsafe { clCreateBuffer(other, CL_MEM_READ_WRITE, 64, null_mut(), &mut code) };
    ok(code);
    let mem = rig.buffer(&[0i32; N]);
    let mut args = [mem, mem];
    let base: *mut c_void = args.as_mut_ptr().cast();
    let try_it = |function, args: *mut c_void, size, mems: &[cl_mem], locations: Option<*const c_void>| {
        let list = if mems.is_empty() { null() } else { mems.as_ptr() };
        let mut location = [locations.unwrap_or_default()];
        let locations = if locations.is_some() { location.as_mut_ptr() } else { null_mut() };
        // SAFETY: lists of at most one entry; nothing that is refused is called.
        unsafe {
            clEnqueueNativeKernel(
                queue,
                function,
                args,
                size,
                mems.len() as u32,
                list,
                locations,
                0,
                null(),
                null_mut(),
            )
        }
    };
    assert_eq!(try_it(None, null_mut(), 0, &[], None), CL_INVALID_VALUE);
    assert_eq!(try_it(Some(never), null_mut(), 8, &[], None), CL_INVALID_VALUE);
    assert_eq!(try_it(Some(never), base, 0, &[], None), CL_INVALID_VALUE);
    assert_eq!(try_it(Some(never), null_mut(), 0, &[mem], Some(base)), CL_INVALID_VALUE);
    assert_eq!(try_it(Some(never), base, 16, &[mem], None), CL_INVALID_VALUE);
    assert_eq!(try_it(Some(never), base, 16, &[], Some(base)), CL_INVALID_VALUE);
    assert_eq!(try_it(Some(never), base, 16, &[mem], Some(base.wrapping_byte_add(9))), CL_INVALID_VALUE);
    assert_eq!(try_it(Some(never), base, 16, &[mem], Some(base.wrapping_byte_sub(1))), CL_INVALID_VALUE);
    assert_eq!(try_it(Some(never), base, 16, &[wrong_kind(queue)], Some(base)), CL_INVALID_MEM_OBJECT);
    assert_eq!(try_it(Some(never), base, 16, &[foreign], Some(base)), CL_INVALID_CONTEXT);
    // SAFETY: a NULL queue is refused by loaders too; the others are live; nothing that is refused is called.
    unsafe {
        let enqueue = |queue, waits: u32, list: *const cl_event| {
            clEnqueueNativeKernel(
                queue,
                Some(never),
                base,
                16,
                0,
                null(),
                null_mut(),
                waits,
                list,
                null_mut(),
            )
        };
        assert_eq!(enqueue(wrong_kind(mem), 0, null()), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(enqueue(queue, 1, null()), CL_INVALID_EVENT_WAIT_LIST);
        let gate = clCreateUserEvent(other, &mut code);
        assert_eq!(enqueue(queue, 1, &gate), CL_INVALID_CONTEXT);
        gate.release();
        // The function is not called if an event of its wait list failed.
        let gate = rig.gate();
        let mut event = null_mut();
        ok(clEnqueueNativeKernel(queue, Some(never), base, 16, 0, null(), null_mut(), 1, &gate, &mut event));
        open_gate(gate, -7);
        assert_eq!(wait(&[event]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        release([gate, event]);
    }
    release([mem, foreign]);
    queue.release();
    rig.program.release();
    release([rig.context, other]);
}
