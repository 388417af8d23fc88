//! Order of callbacks: they run before the calls return that cover the event or object they are registered
//! for, whatever they do themselves.

#![allow(clippy::unwrap_used)] // a failed step is a failed test

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use test_support::api::rig::*;
use test_support::api::*;

const SOURCE: &str = "kernel void add(global uint *p) { p[get_global_id(0)] += 1; }";

/// Longer than any call that does not wait for the callback.
const SLOW: Duration = Duration::from_millis(150);

extern "C" fn count_slowly(_: cl_event, _: cl_int, counter: *mut c_void) {
    std::thread::sleep(SLOW);
    // SAFETY: a counter on the stack of a test, which has waited for this callback when it goes on.
    unsafe { &*counter.cast::<AtomicU32>() }.fetch_add(1, Ordering::SeqCst);
}

fn on_event(event: cl_event, level: cl_int, counter: &AtomicU32) {
    // SAFETY: a live event; the counter lives until the callback has run.
    ok(unsafe {
        clSetEventCallback(event, level, Some(count_slowly), (&raw const *counter).cast_mut().cast())
    });
}

#[test]
fn callbacks_of_events_have_run_when_a_call_that_covers_them_returns() {
    let rig = Rig::new(SOURCE);
    let (kernel, mem) = (rig.kernel("add"), rig.buffer(&[0u32; 64]));
    set(kernel, 0, mem);
    type Cover = fn(cl_command_queue, cl_mem, cl_event);
    let covers: [Cover; 5] = [
        |queue, _, _| finish(queue),
        |_, _, event| ok(wait(&[event])),
        |queue, mem, _| drop(read::<u32>(queue, mem, 64)),
        |queue, mem, _| {
            let bytes = [0u8; 4];
            // SAFETY: room for the bytes.
            ok(unsafe {
                clEnqueueWriteBuffer(queue, mem, 1, 0, 4, bytes.as_ptr().cast(), 0, null(), null_mut())
            });
        },
        |queue, _, _| {
            let last = marker(queue, &[]);
            ok(wait(&[last]));
            last.release();
        },
    ];
    for properties in [0, OUT_OF_ORDER] {
        let queue = rig.queue(properties);
        // A blocking transfer of an out-of-order queue covers its wait list only.
        let count = if properties == 0 { covers.len() } else { 2 };
        for cover in &covers[..count] {
            let counter = AtomicU32::new(0);
            let event = launch(queue, kernel, 64, &[]);
            on_event(event, CL_COMPLETE, &counter);
            on_event(event, CL_SUBMITTED, &counter);
            cover(queue, mem, event);
            assert_eq!(counter.load(Ordering::SeqCst), 2);
            // A callback registered too late for a call to wait for it.
            on_event(event, CL_COMPLETE, &counter);
            cover(queue, mem, event);
            assert_eq!(counter.load(Ordering::SeqCst), 3);
            event.release();
        }
        queue.release();
    }
    release([mem]);
    release([kernel]);
}

#[test]
fn callbacks_of_wait_lists_and_of_user_events() {
    let rig = Rig::new(SOURCE);
    let (queue, mem, gate) = (rig.queue(OUT_OF_ORDER), rig.buffer(&[7u32]), rig.gate());
    let (counter, mut word) = (AtomicU32::new(0), 0u32);
    let waits = marker(queue, &[gate]);
    for event in [gate, waits] {
        on_event(event, CL_COMPLETE, &counter);
    }
    open_gate(gate, CL_COMPLETE);
    // SAFETY: room for the word.
    ok(unsafe { clEnqueueReadBuffer(queue, mem, 1, 0, 4, (&raw mut word).cast(), 1, &waits, null_mut()) });
    ok(wait(&[gate]));
    assert_eq!((word, counter.load(Ordering::SeqCst)), (7, 2));
    // Callbacks of failed commands run, too.
    let (failing, fails) = (rig.gate(), AtomicU32::new(0));
    let failed = marker(queue, &[failing]);
    on_event(failed, CL_COMPLETE, &fails);
    open_gate(failing, -1);
    assert_eq!(wait(&[failed]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_eq!(fails.load(Ordering::SeqCst), 1);
    release([gate, waits, failing, failed]);
    release([mem]);
    release([queue]);
}

extern "C" fn count_end(_: cl_mem, counter: *mut c_void) {
    std::thread::sleep(SLOW);
    // SAFETY: as above.
    unsafe { &*counter.cast::<AtomicU32>() }.fetch_add(1, Ordering::SeqCst);
}

extern "C" fn count_end_of_context(_: cl_context, counter: *mut c_void) {
    count_end(null_mut(), counter);
}

#[test]
fn destructors_have_run_when_the_last_release_of_an_idle_object_returns() {
    let rig = Rig::new(SOURCE);
    let (queue, counter) = (rig.queue(0), AtomicU32::new(0));
    let data = || (&raw const counter).cast_mut().cast::<c_void>();
    let buffer = || {
        let mem = rig.buffer(&[0u32; 64]);
        // SAFETY: a live object; the counter lives until the callback has run.
        ok(unsafe { clSetMemObjectDestructorCallback(mem, Some(count_end), data()) });
        mem
    };
    let idle = buffer();
    idle.release();
    assert_eq!(counter.swap(0, Ordering::SeqCst), 1);
    let mut words = [0u32; 64];
    for _ in 0..8 {
        // Idle after a command that has left no trace.
        let used = buffer();
        let event = read_later(queue, used, &mut words, &[]);
        finish(queue);
        used.release();
        assert_eq!(counter.swap(0, Ordering::SeqCst), 1);
        event.release();
    }
    // Released while a command uses it: waiting for the command also waits for the destructor callback.
    let gate = rig.gate();
    let busy = buffer();
    let event = read_later(queue, busy, &mut words, &[gate]);
    busy.release();
    assert_eq!(counter.load(Ordering::SeqCst), 0);
    open_gate(gate, CL_COMPLETE);
    finish(queue);
    assert_eq!(counter.swap(0, Ordering::SeqCst), 1);
    release([event, gate]);
    queue.release();
    // The context is destroyed with the last object made from it.
    // SAFETY: as above.
    ok(unsafe { clSetContextDestructorCallback(rig.context, Some(count_end_of_context), data()) });
    rig.context.release();
    assert_eq!(counter.load(Ordering::SeqCst), 0);
    rig.program.release();
    assert_eq!(counter.load(Ordering::SeqCst), 1);
}

/// Action of a callback, and the channel that reports its completion.
struct Task {
    work: Box<dyn FnOnce(cl_event) + Send>,
    done: Sender<()>,
}

extern "C" fn perform(event: cl_event, _: cl_int, task: *mut c_void) {
    // SAFETY: made by `when_complete` for this call.
    let Task { work, done } = *unsafe { Box::from_raw(task.cast::<Task>()) };
    work(event);
    let _ = done.send(());
}

/// Registers a callback that performs an action. The receiver gets a message when the action has returned.
fn when_complete(event: cl_event, work: impl FnOnce(cl_event) + Send + 'static) -> Receiver<()> {
    let (done, wait) = channel();
    let task = Box::new(Task { work: Box::new(work), done });
    // SAFETY: the callback takes the box.
    ok(unsafe { clSetEventCallback(event, CL_COMPLETE, Some(perform), Box::into_raw(task).cast()) });
    wait
}

#[test]
fn callbacks_may_block() {
    let rig = Rig::new(SOURCE);
    let (queue, other) = (rig.queue(0), rig.queue(OUT_OF_ORDER));
    let mem = rig.buffer(&[5u32]);
    let handles = (Any(queue), Any(other), Any(mem));
    let begin = rig.gate();
    let first = marker(queue, &[begin]);
    // A callback that waits for its own event and queue, and for other ones.
    let done = when_complete(first, move |event| {
        let (queue, other, mem) = (handles.0.get(), handles.1.get(), handles.2.get());
        ok(wait(&[event]));
        finish(queue);
        finish(other);
        assert_eq!(read::<u32>(other, mem, 1), [5]);
    });
    open_gate(begin, CL_COMPLETE);
    finish(queue);
    assert_eq!(done.try_recv(), Ok(()));
    // A callback that waits for another thread, while this one waits for the callback.
    let (go, gone) = channel::<()>();
    let second = marker(queue, &[]);
    let done = when_complete(second, move |_| gone.recv().unwrap());
    let helper = std::thread::spawn(move || {
        std::thread::sleep(SLOW);
        go.send(()).unwrap();
    });
    finish(queue);
    assert_eq!(done.try_recv(), Ok(()));
    helper.join().unwrap();
    release([begin, first, second]);
    release([mem]);
    release([queue, other]);
}

#[test]
fn callbacks_open_gates_and_wait_for_callbacks() {
    let rig = Rig::new(SOURCE);
    let (queue, other, gate) = (rig.queue(0), rig.queue(0), rig.gate());
    // A callback of the first queue completes the user event that the second queue waits for.
    let behind = marker(other, &[gate]);
    let first = marker(queue, &[]);
    let handle = Any(gate);
    let done = when_complete(first, move |_| open_gate(handle.get(), CL_COMPLETE));
    // SAFETY: a live queue.
    ok(unsafe { clFlush(queue) });
    finish(other);
    assert_eq!(status(behind), CL_COMPLETE);
    finish(queue);
    assert_eq!(done.try_recv(), Ok(()));
    // A callback blocked until after a call that covers another callback.
    let (go, gone) = channel::<()>();
    let blocked = marker(queue, &[]);
    let blocked_done = when_complete(blocked, move |_| gone.recv().unwrap());
    // SAFETY: a live queue.
    ok(unsafe { clFlush(queue) });
    assert!(eventually(|| status(blocked) == CL_COMPLETE));
    let last = marker(other, &[]);
    let done = when_complete(last, |_| {});
    finish(other);
    assert_eq!(done.try_recv(), Ok(()));
    go.send(()).unwrap();
    finish(queue);
    assert_eq!(blocked_done.try_recv(), Ok(()));
    release([gate, behind, first, blocked, last]);
    release([queue, other]);
}
