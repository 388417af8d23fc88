//! Benchmark: kernels that live from vectors, caches and barriers, on every device of our driver (the CPU device too) and of
//! every other OpenCL installed, in one run.
//!
//! `bench_kernels [--driver libpyroclast.so]`. Rates are the best of several runs, with data already on the device; every result
//! is checked. Machines are noisy: compare columns, not runs.

#![allow(clippy::print_stdout)] // a program that prints

mod cl;

use cl::{Arg, Session};

const KERNELS: &str = "
__kernel void triad(__global float *a, __global const float *b, __global const float *c, float s) {
    size_t i = get_global_id(0); a[i] = b[i] + s * c[i]; }

__kernel void naive(__global const float *a, __global const float *b, __global float *c, int n) {
    int col = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum; }

#define T 16
__kernel __attribute__((reqd_work_group_size(T, T, 1)))
void tiled(__global const float *a, __global const float *b, __global float *c, int n) {
    __local float x[T][T], y[T][T];
    int lx = get_local_id(0), ly = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int t = 0; t < n; t += T) {
        x[ly][lx] = a[row * n + t + lx];
        y[ly][lx] = b[(t + ly) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < T; k++) sum += x[ly][k] * y[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum; }

__kernel void mandelbrot(__global int *out, int width, float scale) {
    int px = get_global_id(0), py = get_global_id(1), n = 0;
    float cx = px * scale - 2.0f, cy = py * scale - 1.25f, x = 0, y = 0;
    while (n < 256 && x * x + y * y < 4.0f) { float t = x * x - y * y + cx; y = 2 * x * y + cy; x = t; n++; }
    out[py * width + px] = n; }

__kernel void nbody(__global const float4 *p, __global float4 *f, int n) {
    int i = get_global_id(0);
    float4 me = p[i];
    float fx = 0, fy = 0, fz = 0;
    for (int j = 0; j < n; j++) {
        float4 o = p[j];
        float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
        float r = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
        float s = o.w * r * r * r;
        fx += s * dx; fy += s * dy; fz += s * dz;
    }
    f[i] = (float4)(fx, fy, fz, 0); }

__kernel void reduction(__global const float *in, __global float *out, __local float *t, int each) {
    size_t l = get_local_id(0), n = get_local_size(0), first = get_group_id(0) * n * each + l;
    float sum = 0;
    for (int k = 0; k < each; k++) sum += in[first + k * n];
    t[l] = sum;
    for (size_t d = n / 2; d > 0; d /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) t[l] += t[l + d];
    }
    if (l == 0) out[get_group_id(0)] = t[0]; }

__kernel void black_scholes(__global const float *s, __global float *call, float k, float r, float v) {
    int i = get_global_id(0);
    float t = 1.0f, x = s[i];
    float d1 = (log(x / k) + (r + 0.5f * v * v) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);
    float n1 = 0.5f * erfc(-d1 * 0.70710678f), n2 = 0.5f * erfc(-d2 * 0.70710678f);
    call[i] = x * n1 - k * exp(-r * t) * n2; }";

fn check(name: &str, right: bool) -> Result<(), String> {
    if right { Ok(()) } else { Err(format!("{name}: wrong result")) }
}

fn measure(session: &Session<'_>) -> Result<Vec<(&'static str, f64)>, String> {
    let mut out = Vec::new();
    let program = session.build(KERNELS, "")?;
    let floats = |n: usize, f: &dyn Fn(usize) -> f32| -> Result<_, String> {
        let data: Vec<f32> = (0..n).map(f).collect();
        let buffer = session.buffer(n * 4)?;
        session.write(&buffer, &data)?;
        Ok(buffer)
    };
    let near = |x: f32, y: f32| (x - y).abs() <= 1e-3 * y.abs().max(1.0);

    let n = 1 << 22;
    let (a, b, c) = (floats(n, &|_| 0.0)?, floats(n, &|i| (i % 7) as f32)?, floats(n, &|_| 2.0)?);
    let triad = program.kernel("triad")?;
    triad.set(&[Arg::Buffer(&a), Arg::Buffer(&b), Arg::Buffer(&c), Arg::F32(3.0)])?;
    let time = session.best_time(0.5, || triad.launch(&[n], None))?;
    out.push(("triad, GB/s", 12.0 * n as f64 / time / 1e9));
    let mut result = vec![0f32; n];
    session.read(&a, &mut result)?;
    check("triad", result.iter().enumerate().all(|(i, x)| *x == (i % 7) as f32 + 6.0))?;

    let n = 512usize;
    let value = |i: usize| ((i * 31 + i / 512 * 7) % 13) as f32 - 6.0;
    let (a, b, c) = (floats(n * n, &value)?, floats(n * n, &|i| value(i + 5))?, floats(n * n, &|_| 0.0)?);
    for (name, label, local) in [("naive", "SGEMM naive, GFLOP/s", None), ("tiled", "SGEMM tiled, GFLOP/s", Some([16usize, 16]))]
    {
        let kernel = program.kernel(name)?;
        kernel.set(&[Arg::Buffer(&a), Arg::Buffer(&b), Arg::Buffer(&c), Arg::U32(n as u32)])?;
        let time = session.best_time(1.0, || kernel.launch(&[n, n], local.as_ref().map(|l| &l[..])))?;
        out.push((label, 2.0 * (n * n * n) as f64 / time / 1e9));
        let mut result = vec![0f32; n * n];
        session.read(&c, &mut result)?;
        let right = [(0, 0), (3, 500), (511, 511), (77, 130)].into_iter().all(|(r, c)| {
            let sum: f32 = (0..n).map(|k| value(r * n + k) * value(k * n + c + 5)).sum();
            result[r * n + c] == sum
        });
        check(name, right)?;
    }

    let (w, h) = (1024usize, 1024usize);
    let image = session.buffer(w * h * 4)?;
    let kernel = program.kernel("mandelbrot")?;
    let scale = 2.5 / w as f32;
    kernel.set(&[Arg::Buffer(&image), Arg::U32(w as u32), Arg::F32(scale)])?;
    out.push(("Mandelbrot, ms", session.best_time(1.0, || kernel.launch(&[w, h], None))? * 1e3));
    let mut result = vec![0i32; w * h];
    session.read(&image, &mut result)?;
    check("mandelbrot", result[512 * w + 900] == 256 || result[512 * w + 820] == 256)?;
    check("mandelbrot", result[0] < 3)?;

    let n = 4096usize;
    let place = |i: usize| ((i * 7919) % 1000) as f32 / 500.0 - 1.0;
    let (p, f) = (floats(n * 4, &|i| if i % 4 == 3 { 1.0 } else { place(i) })?, session.buffer(n * 16)?);
    let kernel = program.kernel("nbody")?;
    kernel.set(&[Arg::Buffer(&p), Arg::Buffer(&f), Arg::U32(n as u32)])?;
    out.push(("N-body, Gpair/s", (n * n) as f64 / session.best_time(1.0, || kernel.launch(&[n], None))? / 1e9));
    let mut result = vec![0f32; n * 4];
    session.read(&f, &mut result)?;
    let fx: f32 = (0..n)
        .map(|j| {
            let d: Vec<f32> = (0..3).map(|k| place(j * 4 + k) - place(k)).collect();
            let r = 1.0 / (d.iter().map(|x| x * x).sum::<f32>() + 0.01).sqrt();
            r * r * r * d[0]
        })
        .sum();
    check("nbody", (result[0] - fx).abs() <= 1e-2 * fx.abs().max(10.0))?;

    let (n, local, each) = (1usize << 22, 256usize, 64usize);
    let (input, sums) = (floats(n, &|i| (i % 3) as f32)?, session.buffer(n / local / each * 4)?);
    let kernel = program.kernel("reduction")?;
    kernel.set(&[Arg::Buffer(&input), Arg::Buffer(&sums), Arg::Local(local * 4), Arg::U32(each as u32)])?;
    let time = session.best_time(0.5, || kernel.launch(&[n / each], Some(&[local])))?;
    out.push(("reduction, GB/s", 4.0 * n as f64 / time / 1e9));
    let mut result = vec![0f32; n / local / each];
    session.read(&sums, &mut result)?;
    let expected: f64 = (0..n).map(|i| (i % 3) as f64).sum();
    check("reduction", result.iter().map(|x| f64::from(*x)).sum::<f64>() == expected)?;

    let n = 1usize << 20;
    let (s, call) = (floats(n, &|i| 50.0 + (i % 1000) as f32 * 0.1)?, session.buffer(n * 4)?);
    let kernel = program.kernel("black_scholes")?;
    kernel.set(&[Arg::Buffer(&s), Arg::Buffer(&call), Arg::F32(100.0), Arg::F32(0.02), Arg::F32(0.3)])?;
    out.push(("Black-Scholes, M/s", n as f64 / session.best_time(0.5, || kernel.launch(&[n], None))? / 1e6));
    let mut result = vec![0f32; n];
    session.read(&call, &mut result)?;
    check("black_scholes", near(result[500], 12.821_58))?;
    Ok(out)
}

fn main() -> Result<(), String> {
    cl::compare(measure)
}
