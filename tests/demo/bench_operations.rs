//! Benchmark of single operations and built-in functions, and of memory accesses at random, on every device
//! of our driver and of every other OpenCL installed, in one run.
//!
//! `bench_operations [--driver libpyroclast.so] [part of a row's label]`. Rates are 10^9 operations per
//! second, the best of several runs, with data already on the device; every kernel's results are checked.
//! Machines are noisy: compare columns, not runs.

#![allow(clippy::print_stdout)] // a program that prints

use pyroclast_runtime::cl::{CL_FLOAT, CL_MEM_READ_ONLY, CL_RGBA};
use test_support::cl::{self, Arg, HostData, ImageKind, Kernel, Rows, Session, image_format};

/// Work-items of a launch.
const ITEMS: usize = 1 << 20;
/// Operations of a work-item.
const EACH: usize = 64;
/// Work-items whose results are checked.
const CHECKED: usize = 1 << 12;

/// A function of floating-point numbers.
struct Function {
    label: &'static str,
    double: bool,
    expression: &'static str,
    /// Least value of the first argument, and the width of its range.
    range: (f64, f64),
    host: fn(f64, f64) -> f64,
}

macro_rules! functions {
    ($($expression:literal $low:literal $width:literal $host:expr;)*) => {
        /// Functions in single and double precision. The second argument lies between 0.5 and 2.5.
        const FUNCTIONS: &[Function] = &[
            $(Function {
                label: concat!("float ", $expression),
                double: false,
                expression: $expression,
                range: ($low, $width),
                host: $host,
            },)*
            $(Function {
                label: concat!("double ", $expression),
                double: true,
                expression: $expression,
                range: ($low, $width),
                host: $host,
            },)*
        ];
    };
}

functions! {
    "x / y" 0.1 4.0 |x, y| x / y;
    "sqrt(x)" 0.1 4.0 |x, _| x.sqrt();
    "rsqrt(x)" 0.1 4.0 |x, _| 1.0 / x.sqrt();
    "cbrt(x)" 0.1 4.0 |x, _| x.cbrt();
    "hypot(x, y)" 0.1 4.0 f64::hypot;
    "exp(x)" -4.0 4.0 |x, _| x.exp();
    "exp2(x)" -4.0 4.0 |x, _| x.exp2();
    "expm1(x)" -1.0 1.0 |x, _| x.exp_m1();
    "log(x)" 0.1 4.0 |x, _| x.ln();
    "log2(x)" 0.1 4.0 |x, _| x.log2();
    "log1p(x)" -0.5 2.0 |x, _| x.ln_1p();
    "pow(x, y)" 0.1 4.0 f64::powf;
    "pown(x, 3)" 0.1 4.0 |x, _| x.powi(3);
    "sin(x)" -4.0 4.0 |x, _| x.sin();
    "cos(x)" -4.0 4.0 |x, _| x.cos();
    "tan(x)" -0.7 0.7 |x, _| x.tan();
    "asin(x)" -0.9 0.9 |x, _| x.asin();
    "acos(x)" -0.9 0.9 |x, _| x.acos();
    "atan(x)" -4.0 4.0 |x, _| x.atan();
    "atan2(x, y)" -4.0 4.0 f64::atan2;
    "sinh(x)" -4.0 4.0 |x, _| x.sinh();
    "cosh(x)" -4.0 4.0 |x, _| x.cosh();
    "tanh(x)" -4.0 4.0 |x, _| x.tanh();
    "fmod(x, y)" 0.1 40.0 |x, y| x % y;
    "floor(x)" -4.0 4.0 |x, _| x.floor();
}

/// An operation on integers.
struct Operation {
    label: &'static str,
    ty: &'static str,
    expression: &'static str,
    host: fn(u64, u64) -> u64,
}

macro_rules! operations {
    ($($ty:literal $expression:literal $host:expr;)*) => {
        /// Operations on integers. The second operand is not zero.
        const OPERATIONS: &[Operation] = &[
            $(Operation {
                label: concat!($ty, " ", $expression),
                ty: $ty,
                expression: $expression,
                host: $host,
            },)*
        ];
    };
}

operations! {
    "uint" "x / y" |x, y| x / y;
    "uint" "x % y" |x, y| x % y;
    "uint" "x / 7" |x, _| x / 7;
    "uint" "mul_hi(x, y)" |x, y| (x * y) >> 32;
    "uint" "rotate(x, y)" |x, y| u64::from((x as u32).rotate_left(y as u32 & 31));
    "uint" "popcount(x)" |x, _| u64::from(x.count_ones());
    "uint" "clz(x)" |x, _| u64::from((x as u32).leading_zeros());
    "uint" "dot(x, y)" |x, y| bytes(x).zip(bytes(y)).map(|(x, y)| x * y).sum();
    "uint" "u8sat(x)" |x, _| u64::from((x as f32 * 1e-7) as u8);
    "int" "x / y" |x, y| (i64::from(x as i32) / i64::from(y as i32)) as u64;
    "int" "x % y" |x, y| (i64::from(x as i32) % i64::from(y as i32)) as u64;
    "int" "add_sat(x, y)" |x, y| (x as i32).saturating_add(y as i32) as u64;
    "int" "sign(x)" |x, _| (x as i32).signum() as u64;
    "ulong" "x / y" |x, y| x / y;
    "ulong" "x % y" |x, y| x % y;
    "ulong" "mul_hi(x, y)" |x, y| ((u128::from(x) * u128::from(y)) >> 64) as u64;
    "ulong" "rotate(x, y)" |x, y| x.rotate_left(y as u32 & 63);
    "long" "x / y" |x, y| (x as i64).wrapping_div(y as i64) as u64;
}

/// Functions that the expressions use.
const HELPERS: &str = "
    uint dot_bytes(uchar4 x, uchar4 y) { return x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w; }
    #define dot(x, y) dot_bytes(as_uchar4(x), as_uchar4(y))
    #define u8sat(x) convert_uchar_sat((float)x * 1e-7f)
    #define sign(x) (x > 0 ? 1 : x < 0 ? -1 : 0)
";

/// Kernels that access memory at random.
const MEMORY: &str = "
    uint mixed(uint x) { x ^= x >> 15; x *= 0x85ebca6bu; x ^= x >> 13; x *= 0xc2b2ae35u; return x ^ x >> 16; }
    kernel void gather(global const uint *in, global uint *out, uint mask) {
        uint i = get_global_id(0);
        out[i] = in[mixed(i) & mask];
    }
    kernel void scatter(global const uint *in, global uint *out, uint mask) {
        uint i = get_global_id(0);
        out[(i * 0x9e3779b1u) & mask] = i;
    }
    kernel void texels(read_only image2d_t in, global uint *out, uint mask) {
        const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
        uint i = get_global_id(0), h = mixed(i);
        out[i] = as_uint(read_imagef(in, nearest, (int2)(h & mask, (h >> 16) & mask)).y);
    }
";

type Measured = Result<f64, String>;

/// The four bytes of a word.
fn bytes(word: u64) -> impl Iterator<Item = u64> {
    (word as u32).to_le_bytes().into_iter().map(u64::from)
}

/// A word that is mixed as in [`MEMORY`].
fn mixed(i: usize) -> u32 {
    let mut x = i as u32;
    x = (x ^ x >> 15).wrapping_mul(0x85eb_ca6b);
    x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
    x ^ x >> 16
}

/// A number from 0 to 1 without a pattern.
fn unit(i: usize) -> f64 {
    f64::from(mixed(i) >> 8) / f64::from(1 << 24)
}

/// A kernel that adds [`EACH`] results of an expression of `x` and `y`, which change by steps.
fn source(ty: &str, expression: &str, steps: [&str; 2]) -> String {
    let [x_step, y_step] = steps;
    format!(
        "{HELPERS}
        kernel void each(global const {ty} *xs, global const {ty} *ys, global {ty} *out) {{
            uint i = get_global_id(0);
            {ty} x = xs[i], y = ys[i], sum = 0;
            for (int k = 0; k < {EACH}; k++) {{
                sum += {expression};
                x += {x_step};
                y += {y_step};
            }}
            out[i] = sum;
        }}"
    )
}

/// Seconds of a launch, as one of many where it is short.
fn launch_time(session: &Session<'_>, kernel: &Kernel<'_>) -> Result<f64, String> {
    let time = |seconds, launches: usize| {
        let launch = || (0..launches).try_for_each(|_| kernel.launch(&[ITEMS], Some(&[64])));
        Ok::<_, String>(session.best_time(seconds, launch)? / launches as f64)
    };
    let once = time(0.0, 1)?;
    if once < 2e-3 { time(0.05, 16) } else { time(0.1, 1) }
}

/// Runs a kernel with two inputs; returns the seconds of a launch and the results to check.
fn run<T: Copy + Default>(
    session: &Session<'_>,
    source: &str,
    inputs: [impl Fn(usize) -> T; 2],
) -> Result<(f64, Vec<T>), String> {
    let program = session.build(source, "-cl-std=CL1.2")?;
    let kernel = program.kernel("each")?;
    let buffer = || session.buffer(ITEMS * size_of::<T>());
    let buffers = [buffer()?, buffer()?, buffer()?];
    for (buffer, value) in buffers.iter().zip(inputs) {
        session.write(buffer, &(0..ITEMS).map(value).collect::<Vec<T>>())?;
    }
    let args: Vec<Arg<'_>> = buffers.iter().map(Arg::Buffer).collect();
    kernel.set(&args)?;
    let time = launch_time(session, &kernel)?;
    Ok((time, session.content(&buffers[2], CHECKED)?))
}

fn function(session: &Session<'_>, function: &Function) -> Measured {
    let (low, width) = function.range;
    let step = (width / EACH as f64) as f32;
    let (x, y) = (|i: usize| low + width * unit(i), |i: usize| 0.5 + unit(i + ITEMS));
    // Sums of the arguments are rounded as on the device.
    let expected = |i: usize, add: fn(f64, f64) -> f64| {
        let (mut x, mut y, mut sum, mut size) = (add(x(i), 0.0), add(y(i), 0.0), 0.0, 0.0);
        for _ in 0..EACH {
            let value = (function.host)(x, y);
            (sum, size) = (sum + value, size + value.abs());
            (x, y) = (add(x, f64::from(step)), add(y, 0.0625));
        }
        (sum, size)
    };
    let steps = [format!("{step:?}f"), "0.0625f".to_string()];
    let source = |ty| source(ty, function.expression, [&steps[0], &steps[1]]);
    let is_right = |(i, result): (usize, f64), add, error: f64| {
        let (sum, size) = expected(i, add);
        (result - sum).abs() <= error * size + 1e-30
    };
    let (time, right) = if function.double {
        let (time, results) = run(session, &source("double"), [&x as &dyn Fn(usize) -> f64, &y])?;
        (time, results.into_iter().enumerate().all(|(i, x)| is_right((i, x), |a, b| a + b, 1e-12)))
    } else {
        let (x, y) = (|i: usize| x(i) as f32, |i: usize| y(i) as f32);
        let (time, results) = run(session, &source("float"), [&x as &dyn Fn(usize) -> f32, &y])?;
        let add = |a: f64, b: f64| f64::from(a as f32 + b as f32);
        (time, results.into_iter().enumerate().all(|(i, x)| is_right((i, f64::from(x)), add, 2e-5)))
    };
    rate(right, time, EACH)
}

fn operation(session: &Session<'_>, operation: &Operation) -> Measured {
    let source = source(operation.ty, operation.expression, ["0x9e3779b9u", "2"]);
    // The second operand is odd, and in 32 bits has all lengths.
    let y = |i: usize| mixed(i + ITEMS) >> (i % 24) | 1;
    let is_right = |i: usize, x: u64, narrow: fn(u64) -> u64, result: u64| {
        let (mut x, mut y, mut sum) = (x, u64::from(y(i)), 0u64);
        for _ in 0..EACH {
            sum = sum.wrapping_add((operation.host)(x, y));
            (x, y) = (narrow(x.wrapping_add(0x9e37_79b9)), narrow(y + 2));
        }
        narrow(sum) == result
    };
    let (time, right) = if operation.ty.ends_with("long") {
        let x = |i: usize| u64::from(mixed(i)) << 32 | u64::from(mixed(i + 7));
        let y = |i: usize| u64::from(y(i));
        let (time, results) = run(session, &source, [&x as &dyn Fn(usize) -> u64, &y])?;
        (time, results.into_iter().enumerate().all(|(i, result)| is_right(i, x(i), |x| x, result)))
    } else {
        let narrow = |x: u64| u64::from(x as u32);
        let (time, results) = run(session, &source, [&mixed as &dyn Fn(usize) -> u32, &y])?;
        let results = results.into_iter().map(u64::from).enumerate();
        (time, results.into_iter().all(|(i, result)| is_right(i, u64::from(mixed(i)), narrow, result)))
    };
    rate(right, time, EACH)
}

fn rate(right: bool, time: f64, each: usize) -> Measured {
    if right { Ok((ITEMS * each) as f64 / time / 1e9) } else { Err("wrong result".into()) }
}

/// Accesses to a buffer of `1 << bits` words.
fn access(session: &Session<'_>, name: &str, bits: u32) -> Measured {
    let program = session.build(MEMORY, "-cl-std=CL1.2")?;
    let (kernel, words) = (program.kernel(name)?, 1usize << bits);
    let (input, out) = (session.buffer(4 * words)?, session.buffer(4 * words.max(ITEMS))?);
    session.write(&input, &(0..words as u32).collect::<Vec<u32>>())?;
    kernel.set(&[Arg::Buffer(&input), Arg::Buffer(&out), Arg::U32(words as u32 - 1)])?;
    let time = launch_time(session, &kernel)?;
    let result: Vec<u32> = session.content(&out, if name == "scatter" { words } else { ITEMS })?;
    let right = (0..ITEMS).all(|i| match name {
        "scatter" => result[(i as u32).wrapping_mul(0x9e37_79b1) as usize & (words - 1)] == i as u32,
        _ => result[i] == mixed(i) & (words as u32 - 1),
    });
    rate(right, time, 1)
}

/// Reads of an image of four floats a texel.
fn texels(session: &Session<'_>, size: usize) -> Measured {
    if !session.has_images()? {
        return Err("no images".into());
    }
    let program = session.build(MEMORY, "-cl-std=CL1.2")?;
    let kernel = program.kernel("texels")?;
    let texels: Vec<u8> = (0..4 * size * size).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let (format, data) =
        (image_format(CL_RGBA, CL_FLOAT), HostData { bytes: &texels, row_pitch: 0, slice_pitch: 0 });
    let image = session.image(CL_MEM_READ_ONLY, format, ImageKind::D2, [size, size, 1], 16, Some(data))?;
    let out = session.buffer(4 * ITEMS)?;
    kernel.set(&[Arg::Image(&image), Arg::Buffer(&out), Arg::U32(size as u32 - 1)])?;
    let time = launch_time(session, &kernel)?;
    let result: Vec<u32> = session.content(&out, ITEMS)?;
    let right = (0..ITEMS).all(|i| {
        let (x, y) = (mixed(i) as usize & (size - 1), mixed(i) as usize >> 16 & (size - 1));
        f32::from_bits(result[i]) == (4 * (y * size + x) + 1) as f32
    });
    rate(right, time, 1)
}

/// Measurements that a device cannot run are reported and left out.
fn measure(session: &Session<'_>, wanted: &str) -> Result<Rows, String> {
    let has_doubles = session.extensions().contains("cl_khr_fp64");
    let mut rows = Rows::new();
    let mut row = |label: &'static str, measure: &dyn Fn() -> Measured| {
        if label.contains(wanted) {
            cl::add_row(session, &mut rows, label, measure());
        }
    };
    for f in FUNCTIONS.iter().filter(|f| has_doubles || !f.double) {
        row(f.label, &|| function(session, f));
    }
    for o in OPERATIONS {
        row(o.label, &|| operation(session, o));
    }
    row("gather of 4 MiB", &|| access(session, "gather", 20));
    row("gather of 32 MiB", &|| access(session, "gather", 23));
    row("scatter to 32 MiB", &|| access(session, "scatter", 23));
    row("texels of 1 MiB", &|| texels(session, 256));
    row("texels of 16 MiB", &|| texels(session, 1024));
    Ok(rows)
}

fn main() -> Result<(), String> {
    let wanted = cl::wanted_part();
    cl::compare(|session| measure(session, &wanted))
}
