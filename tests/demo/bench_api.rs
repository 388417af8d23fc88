//! What calls cost: on every device of our driver and of every other OpenCL installed, in one run.
//!
//! `bench_api [--driver libpyroclast.so]`. Costs of calls are processor time of the calling thread, and of the whole
//! process where other threads may do the work; both are the median of rounds, and other processes hardly change them.
//! Latencies are wall time, medians. Rates are the best of several runs.

#![allow(clippy::print_stdout)] // a program that prints

mod cl;

use cl::{Arg, Buffer, Kernel, Session, check};
use pyroclast_runtime::cl::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::time::Instant;

const KERNELS: &str = "
__kernel void nothing(__global float *a, float b, int c) { if (get_global_id(0) == 0xffffffffu) a[0] = b + c; }";
/// Calls of a round.
const CALLS: usize = 1000;
const ROUNDS: usize = 31;

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn clock(id: libc::clockid_t) -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a clock of this process and room for its time.
    unsafe { libc::clock_gettime(id, &mut time) };
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Nanoseconds of processor time for each call of a round: of this thread, and of the process until `end` has returned.
fn cost(
    mut call: impl FnMut(usize) -> Result<(), String>,
    mut end: impl FnMut() -> Result<(), String>,
) -> Result<[f64; 2], String> {
    let mut rounds: [Vec<f64>; 2] = Default::default();
    for _ in 0..ROUNDS {
        let (thread, process) = (clock(libc::CLOCK_THREAD_CPUTIME_ID), clock(libc::CLOCK_PROCESS_CPUTIME_ID));
        for i in 0..CALLS {
            call(i)?;
        }
        rounds[0].push((clock(libc::CLOCK_THREAD_CPUTIME_ID) - thread) / CALLS as f64);
        end()?;
        rounds[1].push((clock(libc::CLOCK_PROCESS_CPUTIME_ID) - process) / CALLS as f64);
    }
    Ok(rounds.map(median))
}

/// Median wall time in microseconds.
fn latency(count: usize, mut call: impl FnMut() -> Result<(), String>) -> Result<f64, String> {
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let start = Instant::now();
        call()?;
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median(times))
}

/// Resident memory in MiB.
fn resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: f64 = text.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0.0);
    pages * 4096.0 / f64::from(1 << 20)
}

fn launch(
    session: &Session<'_>,
    queue: cl_command_queue,
    kernel: &Kernel<'_>,
    waits: &[cl_event],
    event: *mut cl_event,
) -> Result<(), String> {
    let (size, list) = (64usize, if waits.is_empty() { null() } else { waits.as_ptr() });
    // SAFETY: live handles and one dimension.
    check("clEnqueueNDRangeKernel", unsafe {
        (session.api.clEnqueueNDRangeKernel)(queue, kernel.kernel, 1, null(), &size, &size, waits.len() as cl_uint, list, event)
    })
}

fn release(session: &Session<'_>, event: cl_event) -> Result<(), String> {
    // SAFETY: a live handle, released once.
    check("clReleaseEvent", unsafe { (session.api.clReleaseEvent)(event) })
}

fn calls(session: &Session<'_>, out: &mut Vec<(&'static str, f64)>) -> Result<(), String> {
    let api = session.api;
    let program = session.build(KERNELS, "")?;
    let kernel = program.kernel("nothing")?;
    let buffers = [session.buffer(1 << 20)?, session.buffer(1 << 20)?];
    kernel.set(&[Arg::Buffer(&buffers[0]), Arg::F32(0.0), Arg::U32(0)])?;
    launch(session, session.queue, &kernel, &[], null_mut())?;
    session.finish()?;

    let none = || Ok(());
    let set = |index: cl_uint, size: usize, value: *const c_void| {
        // SAFETY: the value has this size.
        check("clSetKernelArg", unsafe { (api.clSetKernelArg)(kernel.kernel, index, size, value) })
    };
    out.push(("clSetKernelArg, number, ns", cost(|i| set(2, 4, (&raw const i).cast()), none)?[0]));
    let change = |i: usize| set(0, size_of::<cl_mem>(), (&raw const buffers[i % 2].mem).cast());
    out.push(("clSetKernelArg, buffer, ns", cost(change, none)?[0]));

    let finish = || session.finish();
    let [call, all] = cost(|_| launch(session, session.queue, &kernel, &[], null_mut()), finish)?;
    out.push(("enqueue, ns of the caller", call));
    out.push(("enqueue to end, ns of the process", all));
    let [call, all] = cost(
        |i| {
            set(2, 4, (&raw const i).cast())?;
            launch(session, session.queue, &kernel, &[], null_mut())
        },
        finish,
    )?;
    out.push(("set number + enqueue, ns of the caller", call));
    out.push(("set number + enqueue to end, ns of the process", all));
    let with_event = |_| {
        let mut event = null_mut();
        launch(session, session.queue, &kernel, &[], &mut event)?;
        release(session, event)
    };
    out.push(("enqueue with event, ns of the caller", cost(with_event, finish)?[0]));
    let mut last: cl_event = null_mut();
    let chained = |_| {
        let mut event = null_mut();
        let waits = if last.is_null() { &[][..] } else { std::slice::from_ref(&last) };
        launch(session, session.queue, &kernel, waits, &mut event)?;
        if !last.is_null() {
            release(session, last)?;
        }
        last = event;
        Ok(())
    };
    out.push(("enqueue in a chain of events, ns of the caller", cost(chained, finish)?[0]));
    release(session, last)?;
    let mut code = 0;
    // SAFETY: live handles.
    let free = unsafe {
        (api.clCreateCommandQueue)(session.context, session.device.id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &mut code)
    };
    if code == CL_SUCCESS {
        // SAFETY: a live handle.
        let end = || check("clFinish", unsafe { (api.clFinish)(free) });
        let call = cost(|_| launch(session, free, &kernel, &[], null_mut()), end)?[0];
        out.push(("enqueue out of order, ns of the caller", call));
        // SAFETY: a live handle, released once.
        check("clReleaseCommandQueue", unsafe { (api.clReleaseCommandQueue)(free) })?;
    } else {
        out.push(("enqueue out of order, ns of the caller", f64::NAN));
    }
    let marker = |_| {
        // SAFETY: a live handle.
        let code = unsafe { (api.clEnqueueMarkerWithWaitList)(session.queue, 0, null(), null_mut()) };
        check("clEnqueueMarkerWithWaitList", code)
    };
    out.push(("marker, ns of the caller", cost(marker, finish)?[0]));
    // SAFETY: a live handle.
    out.push(("clFlush of an idle queue, ns", cost(|_| check("clFlush", unsafe { (api.clFlush)(session.queue) }), none)?[0]));
    out.push(("clFinish of an idle queue, ns", cost(|_| finish(), none)?[0]));
    let round = || {
        launch(session, session.queue, &kernel, &[], null_mut())?;
        session.finish()
    };
    out.push(("empty kernel + clFinish, us", latency(2000, round)?));
    let round = || {
        let mut event = null_mut();
        launch(session, session.queue, &kernel, &[], &mut event)?;
        // SAFETY: one live handle.
        check("clWaitForEvents", unsafe { (api.clWaitForEvents)(1, &event) })?;
        release(session, event)
    };
    out.push(("empty kernel + clWaitForEvents, us", latency(2000, round)?));
    let before = resident();
    for _ in 0..100_000 {
        launch(session, session.queue, &kernel, &[], null_mut())?;
    }
    session.finish()?;
    out.push(("growth by 100,000 enqueues, MiB", resident() - before));
    Ok(())
}

fn transfers(session: &Session<'_>, out: &mut Vec<(&'static str, f64)>) -> Result<(), String> {
    let api = session.api;
    let labels = [
        (4 << 10, ["memcpy 4 KiB, GB/s", "write 4 KiB", "read 4 KiB", "copy 4 KiB", "fill 4 KiB", "map + unmap 4 KiB, us"]),
        (
            64 << 10,
            ["memcpy 64 KiB, GB/s", "write 64 KiB", "read 64 KiB", "copy 64 KiB", "fill 64 KiB", "map + unmap 64 KiB, us"],
        ),
        (1 << 20, ["memcpy 1 MiB, GB/s", "write 1 MiB", "read 1 MiB", "copy 1 MiB", "fill 1 MiB", "map + unmap 1 MiB, us"]),
        (
            64 << 20,
            ["memcpy 64 MiB, GB/s", "write 64 MiB", "read 64 MiB", "copy 64 MiB", "fill 64 MiB", "map + unmap 64 MiB, us"],
        ),
    ];
    for (size, [memcpy, write, read, copy, fill, map]) in labels {
        let (a, b) = (session.buffer(size)?, session.buffer(size)?);
        let (from, mut to) = (vec![3u8; size], vec![1u8; size]);
        let rate = |us: f64| size as f64 / us / 1e3;
        let count = if size > 1 << 20 { 9 } else { 500 };
        let own = latency(count, || {
            to.copy_from_slice(std::hint::black_box(&from));
            std::hint::black_box(&mut to);
            Ok(())
        })?;
        out.push((memcpy, rate(own)));
        session.write(&b, &from)?;
        out.push((write, rate(latency(count, || session.write(&a, &from))?)));
        out.push((read, rate(latency(count, || session.read(&a, &mut to))?)));
        if to != from {
            return Err("wrong bytes".into());
        }
        let (_, mem): (&Buffer<'_>, cl_mem) = (&a, a.mem);
        let run = || {
            // SAFETY: live handles and ranges within the buffers.
            let code = unsafe { (api.clEnqueueCopyBuffer)(session.queue, b.mem, mem, 0, 0, size, 0, null(), null_mut()) };
            check("clEnqueueCopyBuffer", code)?;
            session.finish()
        };
        out.push((copy, rate(latency(count, run)?)));
        let pattern = 7u32;
        let run = || {
            // SAFETY: as above; the pattern has four bytes.
            let code = unsafe {
                (api.clEnqueueFillBuffer)(session.queue, mem, (&raw const pattern).cast(), 4, 0, size, 0, null(), null_mut())
            };
            check("clEnqueueFillBuffer", code)?;
            session.finish()
        };
        out.push((fill, rate(latency(count, run)?)));
        let run = || {
            let mut code = 0;
            let flags = CL_MAP_READ | CL_MAP_WRITE;
            // SAFETY: as above; the mapping is given back.
            unsafe {
                let ptr = (api.clEnqueueMapBuffer)(session.queue, mem, 1, flags, 0, size, 0, null(), null_mut(), &mut code);
                check("clEnqueueMapBuffer", code)?;
                check("clEnqueueUnmapMemObject", (api.clEnqueueUnmapMemObject)(session.queue, mem, ptr, 0, null(), null_mut()))?;
            }
            session.finish()
        };
        out.push((map, latency(count, run)?));
    }
    Ok(())
}

fn main() -> Result<(), String> {
    cl::compare(|session| {
        let mut rows = Vec::new();
        calls(session, &mut rows)?;
        transfers(session, &mut rows)?;
        Ok(rows)
    })
}
