//! Benchmark of launches and builds, and of kernels limited by vectors, caches, barriers, atomics and images,
//! on every device of our driver (the CPU device too) and of every other OpenCL installed, in one run.
//!
//! `bench_kernels [--driver libpyroclast.so] [part of a row's label]`. Rates are the best of several runs,
//! with data already on the device; every result is checked. Machines are noisy: compare columns, not runs.

#![allow(clippy::print_stdout)] // a program that prints

use pyroclast_runtime::cl::{CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_RGBA, CL_UNORM_INT8};
use test_support::cl::{self, Arg, Buffer, HostData, ImageKind, Program, Rows, Session, image_format};

const KERNELS: &str = include_str!("bench_kernels.cl");
const SHA256: &str = include_str!("../code_speed/kernels/sha256.cl");

type Measured = Result<f64, String>;
type Measure = fn(&Session<'_>, &Program<'_>) -> Measured;

/// The rows: label and measurement.
const ROWS: &[(&str, Measure)] = &[
    ("empty kernel + clFinish, us", latency),
    ("build of these kernels, ms", build_time),
    ("triad, GB/s", |s, p| triad(s, p, None)),
    ("triad in groups of 1, GB/s", |s, p| triad(s, p, Some(&[1]))),
    ("SGEMM naive, GFLOP/s", |s, p| sgemm(s, p, "naive", None)),
    ("SGEMM tiled, GFLOP/s", |s, p| sgemm(s, p, "tiled", Some(&[16, 16]))),
    ("Mandelbrot, ms", mandelbrot),
    ("N-body, Gpair/s", nbody),
    ("reduction, GB/s", reduction),
    ("grid-stride sum, GB/s", |s, p| strided_sum(s, p, "strided_sum", |_| true)),
    ("the same of some, GB/s", |s, p| strided_sum(s, p, "strided_sum_if", |i| i % 4 != 1)),
    ("scan, GB/s", scan),
    ("bitonic sort, M/s", bitonic),
    ("histogram, GB/s", histogram),
    ("stencil, GB/s", stencil),
    ("Black-Scholes, M/s", black_scholes),
    ("SHA-256, M/s", sha256),
    ("image blur 5x5, Mpixel/s", blur),
    ("blend of pixels in buffers, GB/s", |s, p| {
        bytes(s, p, "blend", 4, |x, y| ((u32::from(x) * WEIGHT + u32::from(y) * (256 - WEIGHT)) >> 8) as u8)
    }),
    ("saturated sums of bytes, GB/s", |s, p| {
        bytes(s, p, "brighten", 8, |x, y| x.saturating_add(y).saturating_add(WEIGHT as u8))
    }),
];

fn check(name: &str, right: bool) -> Result<(), String> {
    if right { Ok(()) } else { Err(format!("{name}: wrong result")) }
}

fn near(x: f32, y: f32) -> bool {
    (x - y).abs() <= 1e-3 * y.abs().max(1.0)
}

/// A buffer of `n` values.
fn filled<'a, T: Copy>(
    session: &'a Session<'a>,
    n: usize,
    f: impl Fn(usize) -> T,
) -> Result<Buffer<'a>, String> {
    let data: Vec<T> = (0..n).map(f).collect();
    let buffer = session.buffer(n * size_of::<T>())?;
    session.write(&buffer, &data)?;
    Ok(buffer)
}

/// Numbers without a pattern.
fn mixed(i: usize) -> u32 {
    let x = (i as u32 ^ 0x9e37_79b9).wrapping_mul(0x85eb_ca6b);
    (x ^ x >> 13).wrapping_mul(0xc2b2_ae35) ^ x >> 7
}

fn latency(session: &Session<'_>, program: &Program<'_>) -> Measured {
    let kernel = program.kernel("empty")?;
    Ok(session.best_time(0.3, || kernel.launch(&[1], None))? * 1e6)
}

/// Every build has a distinct option, so that no cache contains it.
fn build_time(session: &Session<'_>, _: &Program<'_>) -> Measured {
    let since =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_err(|e| e.to_string())?;
    let mut salt = since.as_nanos();
    let built = || {
        salt += 1;
        session.build(KERNELS, &format!("-DSALT={salt}")).map(drop)
    };
    Ok(session.best_time(2.0, built)? * 1e3)
}

fn triad(session: &Session<'_>, program: &Program<'_>, local: Option<&[usize]>) -> Measured {
    let n = 1 << 22;
    let (a, b, c) = (
        filled(session, n, |_| 0f32)?,
        filled(session, n, |i| (i % 7) as f32)?,
        filled(session, n, |_| 2f32)?,
    );
    let kernel = program.kernel("triad")?;
    kernel.set(&[Arg::Buffer(&a), Arg::Buffer(&b), Arg::Buffer(&c), Arg::F32(3.0)])?;
    let time = session.best_time(0.5, || kernel.launch(&[n], local))?;
    let result: Vec<f32> = session.content(&a, n)?;
    check("triad", result.iter().enumerate().all(|(i, x)| *x == (i % 7) as f32 + 6.0))?;
    Ok(12.0 * n as f64 / time / 1e9)
}

fn sgemm(session: &Session<'_>, program: &Program<'_>, name: &str, local: Option<&[usize]>) -> Measured {
    let n = 512usize;
    let value = |i: usize| ((i * 31 + i / 512 * 7) % 13) as f32 - 6.0;
    let (a, b) = (filled(session, n * n, value)?, filled(session, n * n, |i| value(i + 5))?);
    let c = session.buffer(4 * n * n)?;
    let kernel = program.kernel(name)?;
    kernel.set(&[Arg::Buffer(&a), Arg::Buffer(&b), Arg::Buffer(&c), Arg::U32(n as u32)])?;
    let time = session.best_time(1.0, || kernel.launch(&[n, n], local))?;
    let result: Vec<f32> = session.content(&c, n * n)?;
    let right = [(0, 0), (3, 500), (511, 511), (77, 130)].into_iter().all(|(r, c)| {
        let sum: f32 = (0..n).map(|k| value(r * n + k) * value(k * n + c + 5)).sum();
        result[r * n + c] == sum
    });
    check(name, right)?;
    Ok(2.0 * (n * n * n) as f64 / time / 1e9)
}

fn mandelbrot(session: &Session<'_>, program: &Program<'_>) -> Measured {
    let (w, h) = (1024usize, 1024usize);
    let image = session.buffer(w * h * 4)?;
    let kernel = program.kernel("mandelbrot")?;
    kernel.set(&[Arg::Buffer(&image), Arg::U32(w as u32), Arg::F32(2.5 / w as f32)])?;
    let time = session.best_time(1.0, || kernel.launch(&[w, h], None))?;
    let result: Vec<i32> = session.content(&image, w * h)?;
    check("mandelbrot", result[512 * w + 900] == 256 || result[512 * w + 820] == 256)?;
    check("mandelbrot", result[0] < 3)?;
    Ok(time * 1e3)
}

fn nbody(session: &Session<'_>, program: &Program<'_>) -> Measured {
    let n = 4096usize;
    let coordinate = |i: usize| ((i * 7919) % 1000) as f32 / 500.0 - 1.0;
    let p = filled(session, n * 4, |i| if i % 4 == 3 { 1.0 } else { coordinate(i) })?;
    let f = session.buffer(n * 16)?;
    let kernel = program.kernel("nbody")?;
    kernel.set(&[Arg::Buffer(&p), Arg::Buffer(&f), Arg::U32(n as u32)])?;
    let time = session.best_time(1.0, || kernel.launch(&[n], None))?;
    let result: Vec<f32> = session.content(&f, n * 4)?;
    let fx: f32 = (0..n)
        .map(|j| {
            let d: Vec<f32> = (0..3).map(|k| coordinate(j * 4 + k) - coordinate(k)).collect();
            let r = 1.0 / (d.iter().map(|x| x * x).sum::<f32>() + 0.01).sqrt();
            r * r * r * d[0]
        })
        .sum();
    check("nbody", (result[0] - fx).abs() <= 1e-2 * fx.abs().max(10.0))?;
    Ok((n * n) as f64 / time / 1e9)
}

fn reduction(session: &Session<'_>, program: &Program<'_>) -> Measured {
    let (n, local, each) = (1usize << 22, 256usize, 64usize);
    let (input, sums) = (filled(session, n, |i| (i % 3) as f32)?, session.buffer(n / local / each * 4)?);
    let kernel = program.kernel("reduction")?;
    kernel.set(&[Arg::Buffer(&input), Arg::Buffer(&sums), Arg::Local(local * 4), Arg::U32(each as u32)])?;
    let time = session.best_time(0.5, || kernel.launch(&[n / each], Some(&[local])))?;
    let result: Vec<f32> = session.content(&sums, n / local / each)?;
    let expected: f64 = (0..n).map(|i| (i % 3) as f64).sum();
    check("reduction", result.iter().map(|x| f64::from(*x)).sum::<f64>() == expected)?;
    Ok(4.0 * n as f64 / time / 1e9)
}

/// The number that kernels on bytes receive.
const WEIGHT: u32 = 77;

/// A kernel that computes each byte from those of two buffers, `each` of them in a work-item.
fn bytes(
    session: &Session<'_>,
    program: &Program<'_>,
    name: &'static str,
    each: usize,
    expected: fn(u8, u8) -> u8,
) -> Measured {
    let n = 1 << 22;
    let (x, y) = (|i: usize| mixed(i) as u8, |i: usize| mixed(i + 1) as u8);
    let (out, a, b) = (session.buffer(n)?, filled(session, n, x)?, filled(session, n, y)?);
    let kernel = program.kernel(name)?;
    kernel.set(&[Arg::Buffer(&out), Arg::Buffer(&a), Arg::Buffer(&b), Arg::U32(WEIGHT)])?;
    let time = session.best_time(0.5, || kernel.launch(&[n / each], None))?;
    let result: Vec<u8> = session.content(&out, n)?;
    check(name, result.iter().enumerate().all(|(i, byte)| *byte == expected(x(i), y(i))))?;
    Ok(3.0 * n as f64 / time / 1e9)
}

/// A sum by a few work-items, which each read many values.
fn strided_sum(
    session: &Session<'_>,
    program: &Program<'_>,
    name: &str,
    counts: impl Fn(usize) -> bool,
) -> Measured {
    let (n, items) = (1usize << 23, 1usize << 13);
    let (input, sums) = (filled(session, n, mixed)?, session.buffer(4 * items)?);
    let kernel = program.kernel(name)?;
    kernel.set(&[Arg::Buffer(&input), Arg::Buffer(&sums), Arg::U32(n as u32)])?;
    let time = session.best_time(0.5, || kernel.launch(&[items], Some(&[64])))?;
    let expected = (0..n).filter(|i| counts(*i)).map(mixed).fold(0, u32::wrapping_add);
    let result = session.content::<u32>(&sums, items)?.into_iter().fold(0, u32::wrapping_add);
    check(name, result == expected)?;
    Ok(4.0 * n as f64 / time / 1e9)
}

fn scan(session: &Session<'_>, program: &Program<'_>) -> Measured {
    let (n, local) = (1usize << 22, 256usize);
    let blocks = n / 4 / local;
    let (input, out, totals) =
        (filled(session, n, mixed)?, session.buffer(4 * n)?, session.buffer(4 * blocks)?);
    let (first, second, third) =
        (program.kernel("scan_blocks")?, program.kernel("scan_totals")?, program.kernel("scan_add")?);
    first.set(&[Arg::Buffer(&input), Arg::Buffer(&out), Arg::Buffer(&totals), Arg::Local(4 * local)])?;
    second.set(&[Arg::Buffer(&totals), Arg::U32(blocks as u32), Arg::Local(4 * local)])?;
    third.set(&[Arg::Buffer(&out), Arg::Buffer(&totals)])?;
    let time = session.best_time(0.5, || {
        first.launch(&[n / 4], Some(&[local]))?;
        second.launch(&[local], Some(&[local]))?;
        third.launch(&[n / 4], Some(&[local]))
    })?;
    let mut sum = 0u32;
    let right = session.content::<u32>(&out, n)?.iter().enumerate().all(|(i, x)| {
        sum = sum.wrapping_add(mixed(i));
        *x == sum
    });
    check("scan", right)?;
    Ok(8.0 * n as f64 / time / 1e9)
}

/// Sorts in alternating directions, so that every run has the same work.
fn bitonic(session: &Session<'_>, program: &Program<'_>) -> Measured {
    let n = 1usize << 18;
    let data = filled(session, n, mixed)?;
    let kernel = program.kernel("bitonic")?;
    let mut down = 1;
    let time = session.best_time(0.5, || {
        down = 1 - down;
        for stage in (1..=n.ilog2()).map(|k| 1u32 << k) {
            let mut step = stage / 2;
            while step > 0 {
                kernel.set(&[Arg::Buffer(&data), Arg::U32(stage), Arg::U32(step), Arg::U32(down)])?;
                kernel.launch(&[n / 2], None)?;
                step /= 2;
            }
        }
        Ok(())
    })?;
    let mut expected: Vec<u32> = (0..n).map(mixed).collect();
    expected.sort_unstable();
    if down == 1 {
        expected.reverse();
    }
    check("bitonic sort", session.content::<u32>(&data, n)? == expected)?;
    Ok(n as f64 / time / 1e6)
}

fn histogram(session: &Session<'_>, program: &Program<'_>) -> Measured {
    let (n, local, each) = (1usize << 22, 256usize, 64usize);
    let (input, bins) = (filled(session, n, mixed)?, session.buffer(4 * 256)?);
    let (clear, kernel) = (program.kernel("clear")?, program.kernel("histogram")?);
    clear.set(&[Arg::Buffer(&bins)])?;
    kernel.set(&[Arg::Buffer(&input), Arg::Buffer(&bins), Arg::U32(each as u32)])?;
    let time = session.best_time(0.5, || {
        clear.launch(&[256], None)?;
        kernel.launch(&[n / each], Some(&[local]))
    })?;
    let mut expected = vec![0u32; 256];
    (0..n).for_each(|i| expected[mixed(i) as usize >> 24] += 1);
    check("histogram", session.content::<u32>(&bins, 256)? == expected)?;
    Ok(4.0 * n as f64 / time / 1e9)
}

/// Several steps from one picture to another and back.
fn stencil(session: &Session<'_>, program: &Program<'_>) -> Measured {
    let (width, steps) = (1026usize, 10);
    let value = |i: usize| (i * 13 % 64) as f32;
    let (a, b) = (filled(session, width * width, value)?, filled(session, width * width, value)?);
    let (forth, back) = (program.kernel("stencil")?, program.kernel("stencil")?);
    forth.set(&[Arg::Buffer(&a), Arg::Buffer(&b), Arg::U32(width as u32)])?;
    back.set(&[Arg::Buffer(&b), Arg::Buffer(&a), Arg::U32(width as u32)])?;
    let size = [width - 2, width - 2];
    forth.launch(&size, None)?;
    let result: Vec<f32> = session.content(&b, width * width)?;
    let right = |at: usize| {
        let around = value(at - 1) + value(at + 1) + value(at - width) + value(at + width);
        near(result[at], 0.5 * value(at) + 0.125 * around)
    };
    check(
        "stencil",
        (1..width - 1).all(|y| right(y * width + 1) && right(y * width + y) && right((y + 1) * width - 2)),
    )?;
    let time = session.best_time(0.5, || {
        for _ in 0..steps / 2 {
            back.launch(&size, None)?;
            forth.launch(&size, None)?;
        }
        Ok(())
    })?;
    Ok(8.0 * (steps * size[0] * size[1]) as f64 / time / 1e9)
}

fn black_scholes(session: &Session<'_>, program: &Program<'_>) -> Measured {
    let n = 1usize << 20;
    let (s, call) = (filled(session, n, |i| 50.0 + (i % 1000) as f32 * 0.1)?, session.buffer(n * 4)?);
    let kernel = program.kernel("black_scholes")?;
    kernel.set(&[Arg::Buffer(&s), Arg::Buffer(&call), Arg::F32(100.0), Arg::F32(0.02), Arg::F32(0.3)])?;
    let time = session.best_time(0.5, || kernel.launch(&[n], None))?;
    let result: Vec<f32> = session.content(&call, n)?;
    check("black_scholes", near(result[500], 12.821_58))?;
    Ok(n as f64 / time / 1e6)
}

/// One block per work-item, with its number in the block; block 0 is the empty message.
fn sha256(session: &Session<'_>, _: &Program<'_>) -> Measured {
    let n = 1usize << 20;
    let program = session.build(SHA256, "")?;
    let (text, out) =
        (filled(session, 16, |i| if i == 0 { 0x8000_0000u32 } else { 0 })?, session.buffer(4 * n)?);
    let kernel = program.kernel("sha256")?;
    kernel.set(&[Arg::Buffer(&text), Arg::Buffer(&out)])?;
    let time = session.best_time(0.5, || kernel.launch(&[n], None))?;
    let mut result: Vec<u32> = session.content(&out, n)?;
    check("SHA-256", result[0] == 0xe3b0_c442)?;
    result.sort_unstable();
    result.dedup();
    check("SHA-256", result.len() > n - n / 1024)?;
    Ok(n as f64 / time / 1e6)
}

fn blur(session: &Session<'_>, program: &Program<'_>) -> Measured {
    if !session.has_images()? {
        return Err("no images".into());
    }
    let (w, h) = (1024usize, 1024usize);
    let pixels: Vec<u8> = (0..4 * w * h).map(|i| mixed(i) as u8).collect();
    let format = image_format(CL_RGBA, CL_UNORM_INT8);
    let data = HostData { bytes: &pixels, row_pitch: 0, slice_pitch: 0 };
    let from = session.image(CL_MEM_READ_ONLY, format, ImageKind::D2, [w, h, 1], 4, Some(data))?;
    let to = session.image(CL_MEM_WRITE_ONLY, format, ImageKind::D2, [w, h, 1], 4, None)?;
    let kernel = program.kernel("blur")?;
    kernel.set(&[Arg::Image(&from), Arg::Image(&to)])?;
    let time = session.best_time(0.5, || kernel.launch(&[w, h], None))?;
    let mut result = vec![0u8; 4 * w * h];
    session.read_image(&to, [0, 0, 0], [w, h, 1], [0, 0], &mut result)?;
    let right = [(0usize, 0usize), (1, 700), (513, 512), (1023, 1023)].into_iter().all(|(x, y)| {
        let near = |v: usize, d: usize, size: usize| (v + d).saturating_sub(2).min(size - 1);
        (0..4).all(|c| {
            let rows = (0..5).flat_map(|dy| (0..5).map(move |dx| (near(x, dx, w), near(y, dy, h))));
            let sum: f32 = rows.map(|(x, y)| f32::from(pixels[4 * (y * w + x) + c])).sum();
            (f32::from(result[4 * (y * w + x) + c]) - sum / 25.0).abs() < 1.01
        })
    });
    check("image blur", right)?;
    Ok((w * h) as f64 / time / 1e6)
}

/// Measurements that a device cannot run are reported and left out.
fn measure(session: &Session<'_>, wanted: &str) -> Result<Rows, String> {
    let program = session.build(KERNELS, "")?;
    let mut rows = Rows::new();
    for (label, measure) in ROWS.iter().filter(|(label, _)| label.contains(wanted)) {
        cl::add_row(session, &mut rows, label, measure(session, &program));
    }
    Ok(rows)
}

fn main() -> Result<(), String> {
    let wanted = cl::wanted_part();
    cl::compare(|session| measure(session, &wanted))
}
