//! Micro-benchmark of latencies and rates as a client measures them, on every device of our driver and of
//! every other OpenCL installed, in one run.
//!
//! `bench [--driver libpyroclast.so]`: the loader offers the driver beside the system's own. Latencies are
//! medians in microseconds, rates the best of several runs. Machines are noisy: compare columns, not runs.

#![allow(clippy::print_stdout)] // a program that prints

use std::time::Instant;
use test_support::cl::{self, Arg, Session};

const KERNELS: &str = "
__kernel void nothing(__global float *a) { if (get_global_id(0) == 0xffffffffu) a[0] = 0; }
__kernel void triad(__global float4 *a, __global const float4 *b, __global const float4 *c, float s) {
    size_t i = get_global_id(0); a[i] = b[i] + s * c[i]; }";

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn measure(session: &Session<'_>) -> Result<Vec<(&'static str, f64)>, String> {
    let mut out = Vec::new();
    let begin = Instant::now();
    let program = session.build(KERNELS, "")?;
    out.push(("build, ms", begin.elapsed().as_secs_f64() * 1e3));
    let nothing = program.kernel("nothing")?;
    let small = session.buffer(1 << 20)?;
    nothing.set(&[Arg::Buffer(&small)])?;
    let round = || -> Result<f64, String> {
        let t = Instant::now();
        nothing.launch(&[64], Some(&[64]))?;
        session.finish()?;
        Ok(t.elapsed().as_secs_f64() * 1e6)
    };
    round()?;
    out.push(("launch + finish, us", median((0..2000).map(|_| round()).collect::<Result<_, _>>()?)));
    let t = Instant::now();
    for _ in 0..20000 {
        nothing.launch(&[64], Some(&[64]))?;
    }
    out.push(("enqueue, us", t.elapsed().as_secs_f64() * 1e6 / 20000.0));
    session.finish()?;
    out.push(("a kernel in a chain, us", t.elapsed().as_secs_f64() * 1e6 / 20000.0));
    let times = |run: &dyn Fn() -> Result<(), String>| -> Result<(f64, f64), String> {
        let once = || -> Result<(f64, f64), String> {
            let t = Instant::now();
            run()?;
            let enqueued = t.elapsed().as_secs_f64() * 1e6;
            session.finish()?;
            Ok((enqueued, t.elapsed().as_secs_f64() * 1e6))
        };
        let all = (0..300).map(|_| once()).collect::<Result<Vec<_>, _>>()?;
        Ok((median(all.iter().map(|t| t.0).collect()), median(all.iter().map(|t| t.1).collect())))
    };
    let enqueued = times(&|| (0..100).try_for_each(|_| nothing.launch(&[64], Some(&[64]))))?;
    out.push(("100 launches, host us", enqueued.0));
    out.push(("100 launches done, us", enqueued.1));
    let replay = session.record(&nothing, 100, 64, 64)?;
    let replayed = replay.as_ref().map_or(Ok((f64::NAN, f64::NAN)), |r| times(&|| r.enqueue()))?;
    out.push(("replay of 100, host us", replayed.0));
    out.push(("replay of 100 done, us", replayed.1));
    for (size, write, read) in [
        (4 << 10, "write 4 KiB, GB/s", "read 4 KiB, GB/s"),
        (64 << 20, "write 64 MiB, GB/s", "read 64 MiB, GB/s"),
    ] {
        let buffer = session.buffer(size)?;
        let mut data = vec![1u8; size];
        out.push((write, size as f64 / session.best_time(0.2, || session.write(&buffer, &data))? / 1e9));
        out.push((read, size as f64 / session.best_time(0.2, || session.read(&buffer, &mut data))? / 1e9));
    }
    let triad = program.kernel("triad")?;
    let n = 16 << 20;
    let (a, b, c) = (session.buffer(n)?, session.buffer(n)?, session.buffer(n)?);
    let data = vec![1f32; n / 4];
    session.write(&b, &data)?;
    session.write(&c, &data)?;
    triad.set(&[Arg::Buffer(&a), Arg::Buffer(&b), Arg::Buffer(&c), Arg::F32(2.0)])?;
    out.push((
        "triad, GB/s",
        3.0 * n as f64 / session.best_time(0.3, || triad.launch(&[n / 16], None))? / 1e9,
    ));
    let mut sum = vec![0f32; n / 4];
    session.read(&a, &mut sum)?;
    if sum.iter().any(|x| *x != 3.0) {
        return Err("triad: wrong result".into());
    }
    Ok(out)
}

fn main() -> Result<(), String> {
    cl::compare(measure)
}
