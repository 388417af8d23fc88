//! Cost of API calls on every device of our driver and of every other OpenCL installed, in one run.
//!
//! `bench_api [--driver libpyroclast.so]`. Costs of calls are processor time of the calling thread, and of
//! the whole process if other threads may do the work. Both are medians of rounds and hardly depend on other
//! processes. Latencies (wall time) and rates of transfers are medians, too. Ratios are of best times. A part
//! that an OpenCL cannot run is reported and left out.

#![allow(clippy::print_stdout)] // a program that prints

use pyroclast_runtime::cl::*;
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};
use test_support::cl::{self, Arg, Buffer, Device, Kernel, Rows, Session, check};

const KERNELS: &str = "
__kernel void nothing(__global float *a, float b, int c) { if (get_global_id(0) == 0xffffffffu) a[0] = b + c; }
__kernel void spin(__global uint *a, uint n) {
    uint x = a[get_global_id(0)];
    for (uint i = 0; i < n; i++) x = x * 1664525u + 1013904223u;
    a[get_global_id(0)] = x; }
__kernel void line(__global float *a, __global const float *b) {
    size_t i = get_global_id(0); a[i] = a[i] * 0.5f + b[i]; }
__kernel void square(__global float *a, __global const float *b) {
    size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0); a[i] = a[i] * 0.5f + b[i]; }
__kernel void turn(__global float *a, __global const float *b) {
    a[get_global_id(0) * get_global_size(1) + get_global_id(1)] = b[get_global_id(1) * get_global_size(0) + get_global_id(0)]; }
__kernel void cube(__global float *a, __global const float *b) {
    size_t i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
    a[i] = a[i] * 0.5f + b[i]; }";
/// Calls per round.
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

/// Nanoseconds of processor time for each call of a round: of this thread, and of the process until `end` has
/// returned.
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
        (session.api.clEnqueueNDRangeKernel)(
            queue,
            kernel.kernel,
            1,
            null(),
            &size,
            &size,
            waits.len() as cl_uint,
            list,
            event,
        )
    })
}

fn release(session: &Session<'_>, event: cl_event) -> Result<(), String> {
    // SAFETY: a live handle, released once.
    check("clReleaseEvent", unsafe { (session.api.clReleaseEvent)(event) })
}

fn calls(session: &Session<'_>, out: &mut Rows) -> Result<(), String> {
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
    if let Some(free) = queue(session, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) {
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
    out.push((
        "clFlush of an idle queue, ns",
        cost(|_| check("clFlush", unsafe { (api.clFlush)(session.queue) }), none)?[0],
    ));
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
    let start = Instant::now();
    for _ in 0..20_000 {
        launch(session, session.queue, &kernel, &[], null_mut())?;
    }
    session.finish()?;
    out.push(("a kernel of 20,000 in a row, us", start.elapsed().as_secs_f64() * 1e6 / 2e4));
    let before = resident();
    for _ in 0..100_000 {
        launch(session, session.queue, &kernel, &[], null_mut())?;
    }
    session.finish()?;
    out.push(("growth by 100,000 enqueues, MiB", resident() - before));
    Ok(())
}

/// A queue; `None` if the platform does not support the properties.
fn queue(session: &Session<'_>, properties: cl_command_queue_properties) -> Option<cl_command_queue> {
    let mut code = 0;
    // SAFETY: live handles.
    let queue = unsafe {
        (session.api.clCreateCommandQueue)(session.context, session.device.id, properties, &mut code)
    };
    (code == CL_SUCCESS).then_some(queue)
}

/// Latency of a profiling queue, and of launches between which the host does something else.
fn other_latencies(session: &Session<'_>, out: &mut Rows) -> Result<(), String> {
    let program = session.build(KERNELS, "")?;
    let (kernel, buffer) = (program.kernel("nothing")?, session.buffer(4096)?);
    kernel.set(&[Arg::Buffer(&buffer), Arg::F32(0.0), Arg::U32(0)])?;
    let round = || {
        launch(session, session.queue, &kernel, &[], null_mut())?;
        session.finish()
    };
    let away = |length: Duration| {
        let start = Instant::now();
        while start.elapsed() < length {
            std::hint::spin_loop();
        }
    };
    for (name, count, length) in
        [("empty kernel after 1 ms, us", 200, 1), ("empty kernel after 25 ms, us", ROUNDS, 25)]
    {
        let rounds = (0..count).map(|_| {
            away(Duration::from_millis(length));
            latency(1, round)
        });
        out.push((name, median(rounds.collect::<Result<_, _>>()?)));
    }
    let Some(queue) = queue(session, CL_QUEUE_PROFILING_ENABLE) else { return Ok(()) };
    let (mut whole, mut to_start) = (Vec::new(), Vec::new());
    for _ in 0..2000 {
        let mut event = null_mut();
        whole.push(latency(1, || {
            launch(session, queue, &kernel, &[], &mut event)?;
            // SAFETY: a live handle.
            check("clFinish", unsafe { (session.api.clFinish)(queue) })
        })?);
        let queued = time(session, event, CL_PROFILING_COMMAND_QUEUED)?;
        to_start.push((time(session, event, CL_PROFILING_COMMAND_START)? - queued) / 1e3);
        release(session, event)?;
    }
    out.push(("empty kernel + clFinish, profiled, us", median(whole)));
    out.push(("empty kernel, queued to start, us", median(to_start)));
    // SAFETY: a live handle, released once.
    check("clReleaseCommandQueue", unsafe { (session.api.clReleaseCommandQueue)(queue) })
}

/// How much longer than a long kernel the call that waits for it takes, and how long an empty kernel takes
/// behind it: threads may sleep meanwhile.
fn long_waits(session: &Session<'_>, out: &mut Rows) -> Result<(), String> {
    let program = session.build(KERNELS, "")?;
    let (kernel, buffer) = (program.kernel("spin")?, session.buffer(4096)?);
    let empty = program.kernel("nothing")?;
    empty.set(&[Arg::Buffer(&buffer), Arg::F32(0.0), Arg::U32(0)])?;
    session.write(&buffer, &[1u32; 1024])?;
    let Some(queue) = queue(session, CL_QUEUE_PROFILING_ENABLE) else { return Ok(()) };
    // Times of the kernel and of the calls in microseconds.
    let run = |count: u32| -> Result<[f64; 2], String> {
        let (start, mut event) = (Instant::now(), null_mut());
        kernel.set(&[Arg::Buffer(&buffer), Arg::U32(count)])?;
        launch(session, queue, &kernel, &[], &mut event)?;
        // SAFETY: a live event.
        let waited = unsafe { (session.api.clWaitForEvents)(1, &event) };
        let calls = start.elapsed().as_secs_f64() * 1e6;
        let times = [CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END].map(|of| time(session, event, of));
        release(session, event)?;
        check("clWaitForEvents", waited)?;
        let [start, end] = times;
        Ok([(end? - start?) / 1e3, calls])
    };
    let behind = || {
        let start = Instant::now();
        launch(session, queue, &empty, &[], null_mut())?;
        // SAFETY: a live handle.
        check("clFinish", unsafe { (session.api.clFinish)(queue) })?;
        Ok::<f64, String>(start.elapsed().as_secs_f64() * 1e6)
    };
    let rows = [
        (["wait for a kernel of 2 ms, us more", "empty kernel behind it, us"], 2e3),
        (["wait for a kernel of 20 ms, us more", "empty kernel behind that, us"], 2e4),
    ];
    for (names, wanted) in rows {
        let mut count = 1 << 12;
        while run(count)?[0] < wanted && count < 1 << 30 {
            count += count / 4;
        }
        let (mut more, mut next) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let ([kernel, calls], behind) = (run(count)?, behind()?);
            // Some devices end loops early.
            let is_long = kernel >= 0.5 * wanted;
            more.push(if is_long { calls - kernel } else { f64::NAN });
            next.push(if is_long { behind } else { f64::NAN });
        }
        out.extend([(names[0], median(more)), (names[1], median(next))]);
    }
    // SAFETY: a live handle, released once.
    check("clReleaseCommandQueue", unsafe { (session.api.clReleaseCommandQueue)(queue) })
}

/// A time of a complete event in nanoseconds.
fn time(session: &Session<'_>, event: cl_event, of: cl_profiling_info) -> Result<f64, String> {
    let mut time = 0u64;
    // SAFETY: a live event, and room for its time.
    check("clGetEventProfilingInfo", unsafe {
        (session.api.clGetEventProfilingInfo)(event, of, 8, (&raw mut time).cast(), null_mut())
    })?;
    Ok(time as f64)
}

/// Whether independent commands run at the same time: two long launches of one group compared with one.
fn overlap(session: &Session<'_>, out: &mut Rows) -> Result<(), String> {
    let api = session.api;
    let program = session.build(KERNELS, "")?;
    let kernel = program.kernel("spin")?;
    let buffers = [session.buffer(4096)?, session.buffer(4096)?];
    for buffer in &buffers {
        session.write(buffer, &[1u32; 1024])?;
    }
    let run = |queues: &[cl_command_queue], count: u32| -> Result<f64, String> {
        let start = Instant::now();
        for (queue, buffer) in queues.iter().zip(&buffers) {
            kernel.set(&[Arg::Buffer(buffer), Arg::U32(count)])?;
            launch(session, *queue, &kernel, &[], null_mut())?;
            // SAFETY: a live handle.
            check("clFlush", unsafe { (api.clFlush)(*queue) })?;
        }
        for queue in queues {
            // SAFETY: a live handle.
            check("clFinish", unsafe { (api.clFinish)(*queue) })?;
        }
        Ok(start.elapsed().as_secs_f64())
    };
    let best = |queues: &[cl_command_queue], count| -> Result<f64, String> {
        (0..5).map(|_| run(queues, count)).try_fold(f64::MAX, |best, time| Ok(best.min(time?)))
    };
    // Long enough to hide the cost of calls.
    let mut count = 1 << 16;
    while best(&[session.queue], count)? < 5e-3 && count < 1 << 30 {
        count *= 2;
    }
    let alone = best(&[session.queue], count)?;
    let free = queue(session, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let ratio = free.map_or(Ok(f64::NAN), |q| best(&[q, q], count).map(|time| time / alone))?;
    out.push(("two long kernels out of order, time of one", ratio));
    let other = queue(session, 0);
    let ratio = other.map_or(Ok(f64::NAN), |q| best(&[session.queue, q], count).map(|time| time / alone))?;
    out.push(("two long kernels in two queues, time of one", ratio));
    let ratio = other.map_or(Ok(f64::NAN), |q| {
        cross(session, &kernel, [session.queue, q])?;
        best(&[session.queue, q], count).map(|time| time / alone)
    })?;
    out.push(("the same after one queue waited for the other", ratio));
    for queue in free.into_iter().chain(other) {
        // SAFETY: a live handle, released once.
        check("clReleaseCommandQueue", unsafe { (api.clReleaseCommandQueue)(queue) })?;
    }
    Ok(())
}

/// Launches a kernel on one queue, and on another that waits for it.
fn cross(session: &Session<'_>, kernel: &Kernel<'_>, queues: [cl_command_queue; 2]) -> Result<(), String> {
    let (api, mut event) = (session.api, null_mut());
    launch(session, queues[0], kernel, &[], &mut event)?;
    let second = launch(session, queues[1], kernel, &[event], null_mut());
    // SAFETY: live handles; the event is released once.
    unsafe {
        check("clReleaseEvent", (api.clReleaseEvent)(event))?;
        second?;
        queues.iter().try_for_each(|queue| check("clFinish", (api.clFinish)(*queue)))
    }
}

/// Quality of the default local size: its time compared with that of the best of many.
fn local_sizes(session: &Session<'_>, out: &mut Rows) -> Result<(), String> {
    const SIZES: [&[usize]; 21] = [
        &[32],
        &[64],
        &[128],
        &[256],
        &[512],
        &[8, 8],
        &[16, 4],
        &[16, 8],
        &[16, 16],
        &[32, 4],
        &[32, 8],
        &[64, 1],
        &[64, 4],
        &[128, 1],
        &[256, 1],
        &[4, 32],
        &[64, 1, 1],
        &[8, 8, 4],
        &[16, 4, 4],
        &[32, 4, 2],
        &[128, 1, 1],
    ];
    let program = session.build(KERNELS, "")?;
    let size = 4 << 20;
    let (a, b) = (session.buffer(4 * size)?, session.buffer(4 * size)?);
    session.write(&a, &vec![1f32; size])?;
    session.write(&b, &vec![1f32; size])?;
    let shapes: [(&str, &[usize], &str); 5] = [
        ("line", &[4 << 20], "no local size, line: time of the best"),
        ("line", &[4_000_000 - 64], "no local size, odd line: time of the best"),
        ("square", &[2048, 2048], "no local size, plane: time of the best"),
        ("turn", &[2048, 2048], "no local size, transpose: time of the best"),
        ("cube", &[256, 128, 128], "no local size, space: time of the best"),
    ];
    for (name, global, label) in shapes {
        let kernel = program.kernel(name)?;
        kernel.set(&[Arg::Buffer(&a), Arg::Buffer(&b)])?;
        let time = |local: Option<&[usize]>| session.best_time(0.05, || kernel.launch(global, local));
        let fits = |local: &&&[usize]| {
            local.len() == global.len() && local.iter().zip(global).all(|(l, g)| g % l == 0)
        };
        // A size may be too large for a device.
        let best =
            SIZES.iter().filter(fits).filter_map(|local| time(Some(local)).ok()).fold(f64::MAX, f64::min);
        out.push((label, time(None)? / best));
    }
    Ok(())
}

/// Transfers of one size, with the labels of their rows.
struct Transfer {
    size: usize,
    memcpy: &'static str,
    write: &'static str,
    read: &'static str,
    copy: &'static str,
    fill: &'static str,
    map: &'static str,
}

macro_rules! transfer {
    ($size:expr, $name:literal) => {
        Transfer {
            size: $size,
            memcpy: concat!("memcpy ", $name, ", GB/s"),
            write: concat!("write ", $name),
            read: concat!("read ", $name),
            copy: concat!("copy ", $name),
            fill: concat!("fill ", $name),
            map: concat!("map + unmap ", $name, ", us"),
        }
    };
}

const TRANSFERS: [Transfer; 5] = [
    transfer!(4 << 10, "4 KiB"),
    transfer!(64 << 10, "64 KiB"),
    transfer!(1 << 20, "1 MiB"),
    transfer!(16 << 20, "16 MiB"),
    transfer!(256 << 20, "256 MiB"),
];

impl Transfer {
    fn measure(&self, session: &Session<'_>, out: &mut Rows) -> Result<(), String> {
        let size = self.size;
        let (a, b) = (session.buffer(size)?, session.buffer(size)?);
        let (from, mut to) = (vec![3u8; size], vec![1u8; size]);
        let rate = |us: f64| size as f64 / us / 1e3;
        let count = if size > 1 << 20 { 9 } else { 500 };
        let own = latency(count, || {
            to.copy_from_slice(std::hint::black_box(&from));
            std::hint::black_box(&mut to);
            Ok(())
        })?;
        out.push((self.memcpy, rate(own)));
        session.write(&b, &from)?;
        if size == 4 << 10 {
            let mut word = [0u8; 4];
            out.push(("write 4 bytes, us", latency(count, || session.write(&a, &word))?));
            out.push(("read 4 bytes, us", latency(count, || session.read(&a, &mut word))?));
        }
        out.push((self.write, rate(latency(count, || session.write(&a, &from))?)));
        out.push((self.read, rate(latency(count, || session.read(&a, &mut to))?)));
        if to != from {
            return Err("wrong bytes".into());
        }
        out.push((self.copy, rate(latency(count, || copy(session, &b, &a, size))?)));
        out.push((self.fill, rate(latency(count, || fill(session, &a, size))?)));
        out.push((self.map, latency(count, || map(session, &a, size))?));
        Ok(())
    }
}

/// Copies a buffer and waits for the end.
fn copy(session: &Session<'_>, from: &Buffer<'_>, to: &Buffer<'_>, size: usize) -> Result<(), String> {
    let (queue, from, to) = (session.queue, from.mem, to.mem);
    // SAFETY: live handles and ranges within the buffers.
    check("clEnqueueCopyBuffer", unsafe {
        (session.api.clEnqueueCopyBuffer)(queue, from, to, 0, 0, size, 0, null(), null_mut())
    })?;
    session.finish()
}

/// Fills a buffer and waits for the end.
fn fill(session: &Session<'_>, buffer: &Buffer<'_>, size: usize) -> Result<(), String> {
    let (queue, mem, word) = (session.queue, buffer.mem, 7u32);
    let pattern = (&raw const word).cast();
    // SAFETY: live handles and a range within the buffer; the pattern has four bytes.
    check("clEnqueueFillBuffer", unsafe {
        (session.api.clEnqueueFillBuffer)(queue, mem, pattern, 4, 0, size, 0, null(), null_mut())
    })?;
    session.finish()
}

/// Maps and unmaps a buffer and waits for the end.
fn map(session: &Session<'_>, buffer: &Buffer<'_>, size: usize) -> Result<(), String> {
    let (api, queue, mem) = (session.api, session.queue, buffer.mem);
    let (flags, end, mut code) = (CL_MAP_READ | CL_MAP_WRITE, null_mut(), 0);
    // SAFETY: live handles and a range within the buffer; the range is unmapped.
    unsafe {
        let ptr = (api.clEnqueueMapBuffer)(queue, mem, 1, flags, 0, size, 0, null(), end, &mut code);
        check("clEnqueueMapBuffer", code)?;
        check(
            "clEnqueueUnmapMemObject",
            (api.clEnqueueUnmapMemObject)(queue, mem, ptr, 0, null(), null_mut()),
        )?;
    }
    session.finish()
}

fn transfers(session: &Session<'_>, out: &mut Rows) -> Result<(), String> {
    TRANSFERS.iter().try_for_each(|transfer| transfer.measure(session, out))
}

/// Size of the buffer that moves between devices.
const MOVED: usize = 64 << 20;

/// Rate at which a buffer that one device has filled reaches another device of the platform, which copies it.
fn between_devices(session: &Session<'_>, out: &mut Rows) -> Result<(), String> {
    let (api, device) = (session.api, &session.device);
    let others = api.devices()?;
    let other = others.iter().find(|other| other.platform == device.platform && other.id != device.id);
    let Some(other) = other else { return Ok(()) };
    let (ids, mut code) = ([device.id, other.id], 0);
    // SAFETY: two live devices, no callback.
    let context = unsafe { (api.clCreateContext)(null(), 2, ids.as_ptr(), null(), null_mut(), &mut code) };
    check("clCreateContext", code)?;
    let on = |device: &Device| {
        let mut code = 0;
        // SAFETY: live handles.
        let queue = unsafe { (api.clCreateCommandQueue)(context, device.id, 0, &mut code) };
        check("clCreateCommandQueue", code)?;
        Ok::<_, String>(Session { api, device: device.clone(), context, queue })
    };
    // The first session releases the context, the second one its queue only.
    let (here, there) = (on(device)?, ManuallyDrop::new(on(other)?));
    let [moved, target] = [here.buffer(MOVED)?, here.buffer(MOVED)?];
    let mut times = Vec::new();
    for _ in 0..8 {
        fill(&here, &moved, MOVED)?;
        let start = Instant::now();
        copy(&there, &moved, &target, MOVED)?;
        times.push(start.elapsed().as_secs_f64());
    }
    let mut words = vec![0u32; MOVED / 4];
    there.read(&target, &mut words)?;
    if words.iter().any(|word| *word != 7) {
        return Err("wrong bytes after moving".into());
    }
    out.push(("64 MiB to another device, GB/s", MOVED as f64 / median(times) / 1e9));
    // SAFETY: a live handle, released once.
    check("clReleaseCommandQueue", unsafe { (api.clReleaseCommandQueue)(there.queue) })
}

fn main() -> Result<(), String> {
    cl::compare(|session| {
        let mut rows = Vec::new();
        for part in [calls, other_latencies, long_waits, overlap, local_sizes, transfers, between_devices] {
            if let Err(error) = part(session, &mut rows) {
                println!("{}: {error}", session.device.name);
            }
        }
        Ok(rows)
    })
}
