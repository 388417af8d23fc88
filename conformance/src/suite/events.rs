//! Events: order by wait lists, markers and barriers, user events, propagated failures, callbacks, profiling
//! times.

use super::raw::*;
use super::{Context, Outcome, Sink, expect};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::time::{Duration, Instant};

const SOURCE: &str = "
kernel void advance(global uint *p, uint factor, uint addend) { p[get_global_id(0)] = p[get_global_id(0)] * factor + addend; }
";
const OUT_OF_ORDER: cl_command_queue_properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

/// Launches p = p * factor + addend over 64 elements.
fn step(
    rig: &Rig,
    kernel: cl_kernel,
    factor: u32,
    addend: u32,
    waits: &[cl_event],
) -> Result<cl_event, String> {
    let mut event = null_mut();
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    // SAFETY: live handles; arguments with their sizes.
    unsafe {
        ok("clSetKernelArg", clSetKernelArg(kernel, 0, size_of::<cl_mem>(), (&raw const rig.buffer).cast()))?;
        ok("clSetKernelArg", clSetKernelArg(kernel, 1, 4, (&raw const factor).cast()))?;
        ok("clSetKernelArg", clSetKernelArg(kernel, 2, 4, (&raw const addend).cast()))?;
        let size = 64usize;
        let code = clEnqueueNDRangeKernel(
            rig.queue,
            kernel,
            1,
            null(),
            &size,
            null(),
            waits.len() as u32,
            list,
            &mut event,
        );
        ok("clEnqueueNDRangeKernel", code)?;
    }
    Ok(event)
}

fn status(event: cl_event) -> cl_int {
    let mut value: cl_int = 77;
    // SAFETY: room for a status.
    unsafe {
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, (&raw mut value).cast(), null_mut())
    };
    value
}

/// A chain of steps whose order shows in the result, each waiting for the previous one by `wait`.
fn chain(rig: &Rig, wait: fn(&Rig, &[cl_event]) -> Result<Vec<cl_event>, String>) -> Result<(), String> {
    let kernel = rig.kernel("advance");
    let mut events: Vec<cl_event> = Vec::new();
    let mut want = 0u32;
    for i in 0..40u32 {
        let waits = wait(rig, &events)?;
        events.push(step(rig, kernel, 3, i, &waits)?);
        want = want.wrapping_mul(3).wrapping_add(i);
    }
    // SAFETY: live handles, each released once.
    unsafe {
        ok("clFinish", clFinish(rig.queue))?;
        events.iter().for_each(|e| {
            clReleaseEvent(*e);
        });
        clReleaseKernel(kernel);
    }
    let got = rig.read(64)?;
    if got.iter().all(|g| *g == want) { Ok(()) } else { Err(format!("gives {}, expected {want}", got[0])) }
}

fn user_event(rig: &Rig) -> Result<(), String> {
    let (kernel, mut code) = (rig.kernel("advance"), 1);
    // SAFETY: live handles.
    unsafe {
        let gate = clCreateUserEvent(rig.context, &mut code);
        ok("clCreateUserEvent", code)?;
        let event = step(rig, kernel, 0, 5, &[gate])?;
        ok("clFlush", clFlush(rig.queue))?;
        std::thread::sleep(Duration::from_millis(20));
        let before = status(event);
        ok("clSetUserEventStatus", clSetUserEventStatus(gate, CL_COMPLETE))?;
        ok("clWaitForEvents", clWaitForEvents(1, &event))?;
        let after = status(event);
        clReleaseEvent(event);
        clReleaseEvent(gate);
        clReleaseKernel(kernel);
        if before <= CL_RUNNING || after != CL_COMPLETE {
            return Err(format!("status {before} before the user event is set, {after} in the end"));
        }
    }
    expect(rig.read(1)?[0] as i32, &[5])
}

fn failure_spreads(rig: &Rig) -> Result<(), String> {
    let (kernel, mut code) = (rig.kernel("advance"), 1);
    // SAFETY: live handles.
    unsafe {
        let gate = clCreateUserEvent(rig.context, &mut code);
        ok("clCreateUserEvent", code)?;
        let event = step(rig, kernel, 0, 6, &[gate])?;
        ok("clSetUserEventStatus", clSetUserEventStatus(gate, -7))?;
        // CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: an event of the list failed.
        expect(clWaitForEvents(1, &event), &[CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST])?;
        let after = status(event);
        clReleaseEvent(event);
        clReleaseEvent(gate);
        clReleaseKernel(kernel);
        if after < 0 { Ok(()) } else { Err(format!("status {after} after what it waits for failed")) }
    }
}

static CALLED: Mutex<Vec<cl_int>> = Mutex::new(Vec::new());

unsafe extern "C" fn note(_: cl_event, status: cl_int, _: *mut c_void) {
    if let Ok(mut list) = CALLED.lock() {
        list.push(status);
    }
}

fn callbacks(rig: &Rig) -> Result<(), String> {
    let kernel = rig.kernel("advance");
    if let Ok(mut list) = CALLED.lock() {
        list.clear();
    }
    let event = step(rig, kernel, 1, 1, &[])?;
    // SAFETY: live handles; the callback only notes.
    unsafe {
        for moment in [CL_SUBMITTED, CL_RUNNING, CL_COMPLETE] {
            ok("clSetEventCallback", clSetEventCallback(event, moment, Some(note), null_mut()))?;
        }
        ok("clFinish", clFinish(rig.queue))?;
        let start = Instant::now();
        let count = || CALLED.lock().map_or(0, |l| l.len());
        while count() < 3 && start.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(2));
        }
        clReleaseEvent(event);
        clReleaseKernel(kernel);
    }
    let mut called = CALLED.lock().map(|l| l.clone()).unwrap_or_default();
    called.sort_unstable();
    if called == [CL_COMPLETE, CL_RUNNING, CL_SUBMITTED] {
        Ok(())
    } else {
        Err(format!("called with {called:?}"))
    }
}

fn profiling(rig: &Rig) -> Result<(), String> {
    let kernel = rig.kernel("advance");
    let events = [step(rig, kernel, 1, 1, &[])?, step(rig, kernel, 1, 1, &[])?];
    // SAFETY: live handles.
    unsafe {
        ok("clFinish", clFinish(rig.queue))?;
        for event in events {
            let names = [
                CL_PROFILING_COMMAND_QUEUED,
                CL_PROFILING_COMMAND_SUBMIT,
                CL_PROFILING_COMMAND_START,
                CL_PROFILING_COMMAND_END,
            ];
            let mut times = [0u64; 4];
            for (name, time) in names.into_iter().zip(&mut times) {
                ok(
                    "clGetEventProfilingInfo",
                    clGetEventProfilingInfo(event, name, 8, (time as *mut u64).cast(), null_mut()),
                )?;
            }
            clReleaseEvent(event);
            if !times.is_sorted() || times[3] == 0 {
                return Err(format!("times out of order: {times:?}"));
            }
        }
        clReleaseKernel(kernel);
    }
    Ok(())
}

fn reference_counts(rig: &Rig) -> Result<(), String> {
    let count = |event: cl_event| {
        let mut n: cl_uint = 0;
        // SAFETY: room for a count.
        unsafe { clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, 4, (&raw mut n).cast(), null_mut()) };
        n
    };
    let mut code = 1;
    // SAFETY: live handles.
    unsafe {
        let event = clCreateUserEvent(rig.context, &mut code);
        ok("clCreateUserEvent", code)?;
        let one = count(event);
        ok("clRetainEvent", clRetainEvent(event))?;
        let two = count(event);
        clSetUserEventStatus(event, CL_COMPLETE);
        ok("clReleaseEvent", clReleaseEvent(event))?;
        ok("clReleaseEvent", clReleaseEvent(event))?;
        if (one, two) == (1, 2) { Ok(()) } else { Err(format!("{one}, then {two}")) }
    }
}

/// A test, and the properties of its queue.
type Test = (&'static str, cl_command_queue_properties, fn(&Rig) -> Result<(), String>);

const TESTS: &[Test] = &[
    ("in-order queue", 0, |r| chain(r, |_, _| Ok(Vec::new()))),
    ("wait lists", OUT_OF_ORDER, |r| chain(r, |_, e| Ok(e.last().copied().into_iter().collect()))),
    ("wait lists of every earlier command", OUT_OF_ORDER, |r| chain(r, |_, e| Ok(e.to_vec()))),
    ("markers", OUT_OF_ORDER, |r| {
        chain(r, |r, _| {
            let mut event = null_mut();
            // SAFETY: a live queue. The event is kept to the end of the process.
            ok("clEnqueueMarkerWithWaitList", unsafe {
                clEnqueueMarkerWithWaitList(r.queue, 0, null(), &mut event)
            })?;
            Ok(vec![event])
        })
    }),
    ("barriers", OUT_OF_ORDER, |r| {
        chain(r, |r, _| {
            // SAFETY: a live queue.
            ok("clEnqueueBarrierWithWaitList", unsafe {
                clEnqueueBarrierWithWaitList(r.queue, 0, null(), null_mut())
            })?;
            Ok(Vec::new())
        })
    }),
    ("user events hold commands back", OUT_OF_ORDER, user_event),
    ("failures spread to what waits", OUT_OF_ORDER, failure_spreads),
    ("callbacks", 0, callbacks),
    ("profiling times", CL_QUEUE_PROFILING_ENABLE, profiling),
    ("reference counts", 0, reference_counts),
];

pub fn tests(context: &Context<'_>, sink: &mut Sink<'_>) {
    for (name, properties, run) in TESTS {
        sink.test(*name, || {
            let offered = device_number(context.device.id, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES);
            if properties & !offered != 0 {
                return Outcome::Skip("needs out-of-order queues".into());
            }
            Rig::new(context.device.id, *properties, SOURCE).and_then(|rig| run(&rig)).into()
        });
    }
}
