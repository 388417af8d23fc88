//! Speed of the compiler's code: six kernels written twice, in OpenCL C and in GLSL, run alternately through
//! plain Vulkan.
//!
//! `code_speed [--device NAME] [--rounds N] [--embedded] [KERNEL...]`. The OpenCL C is compiled in both
//! pointer modes (storage-buffer bindings, device addresses), from source if clang is found, otherwise (or
//! with `--embedded`) from the OpenCL SPIR-V in the program. The results of all three must agree.
//!
//! A ratio below 1 means that the compiler's code is faster than GLSL's. For CPU devices it is a ratio of
//! processor time, which other programs on the machine hardly disturb.

#![allow(clippy::print_stdout)] // a program that prints

mod vulkan;

use clspv_bridge::abi::{CompiledKernel, PointerMode};
use clspv_bridge::driver;
use clspv_bridge::options::{CompileRequest, Extent, Library, Options};
use pyroclast_runtime::device::Device;
use pyroclast_runtime::device::compiler::compiler_available;
use pyroclast_runtime::platform::Platform;
use std::sync::Arc;
use vulkan::{Arg, Buffer, Gpu, Kernel, Time};

/// A kernel with its data.
struct Case {
    name: &'static str,
    source: &'static str,
    il: &'static [u8],
    glsl: &'static [u8],
    /// Contents before a run.
    buffers: Vec<Vec<u8>>,
    /// In the parameter order of the OpenCL kernel; GLSL uses the same order for buffers and for values.
    args: Vec<Arg>,
    local: [u32; 3],
    groups: [u32; 3],
    /// Whether results are single-precision numbers that may differ by rounding.
    floats: bool,
    /// Amount and unit of the work of one run.
    work: (f64, &'static str),
}

macro_rules! case {
    ($name:literal) => {
        Case {
            name: $name,
            source: include_str!(concat!("kernels/", $name, ".cl")),
            il: include_bytes!(concat!("kernels/", $name, ".cl.spv")),
            glsl: include_bytes!(concat!("kernels/", $name, ".comp.spv")),
            buffers: vec![],
            args: vec![],
            local: [1; 3],
            groups: [1; 3],
            floats: true,
            work: (0.0, ""),
        }
    };
}

/// Pseudo-random numbers between -1 and 1, always the same.
fn floats(n: usize) -> Vec<u8> {
    let value = |i: u32| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 8_388_608.0 - 1.0;
    (0..n as u32).flat_map(|i| value(i).to_le_bytes()).collect()
}

fn zeros(n: usize) -> Vec<u8> {
    vec![0; n * 4]
}

/// The kernels, with sizes for a CPU or for a graphics card.
fn cases(small: bool) -> Vec<Case> {
    use Arg::{Buffer as B, F32, U32};
    let size = |cpu: usize, gpu: usize| if small { cpu } else { gpu };
    let n = size(1 << 22, 1 << 26);
    // Each run adds y, so a is small.
    let saxpy = Case {
        buffers: vec![floats(n), floats(n)],
        args: vec![U32(n as u32), F32(1e-3), B(0), B(1)],
        local: [256, 1, 1],
        groups: [n as u32 / 256, 1, 1],
        work: (12.0 * n as f64 / 1e9, "GB"),
        ..case!("saxpy")
    };
    let side = size(2048, 8192);
    let transpose = Case {
        buffers: vec![floats(side * side), zeros(side * side)],
        args: vec![U32(side as u32), B(0), B(1)],
        local: [32, 8, 1],
        groups: [side as u32 / 32, side as u32 / 32, 1],
        work: (8.0 * (side * side) as f64 / 1e9, "GB"),
        ..case!("transpose")
    };
    let groups = size(256, 4096);
    let reduce = Case {
        buffers: vec![floats(n), zeros(groups)],
        args: vec![U32(n as u32), B(0), B(1)],
        local: [256, 1, 1],
        groups: [groups as u32, 1, 1],
        floats: false,
        work: (4.0 * n as f64 / 1e9, "GB"),
        ..case!("reduce")
    };
    let side = size(512, 4096);
    let sgemm = Case {
        buffers: vec![floats(side * side), floats(side * side), zeros(side * side)],
        args: vec![U32(side as u32), B(0), B(1), B(2)],
        local: [16, 16, 1],
        groups: [side as u32 / 64, side as u32 / 64, 1],
        work: (2.0 * (side as f64).powi(3) / 1e9, "GFLOP"),
        ..case!("sgemm")
    };
    let n = size(1 << 17, 1 << 24);
    let sha256 = Case {
        buffers: vec![floats(16), zeros(n)],
        args: vec![B(0), B(1)],
        local: [64, 1, 1],
        groups: [n as u32 / 64, 1, 1],
        floats: false,
        work: (n as f64 / 1e6, "Mhash"),
        ..case!("sha256")
    };
    let n = size(4096, 1 << 16);
    let nbody = Case {
        buffers: vec![floats(4 * n), floats(4 * n), zeros(4 * n), zeros(4 * n)],
        args: vec![U32(n as u32), F32(0.01), F32(0.1), B(0), B(1), B(2), B(3)],
        local: [128, 1, 1],
        groups: [n as u32 / 128, 1, 1],
        work: ((n as f64).powi(2) / 1e9, "Gpair"),
        ..case!("nbody")
    };
    vec![saxpy, transpose, reduce, sgemm, sha256, nbody]
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// The kernel in both pointer modes, and the program's data.
fn compile(case: &Case, device: &Device, embedded: bool) -> Result<(CompiledKernel, Vec<u8>), String> {
    let options = Options::default();
    let library = if embedded {
        Library::from_spirv(words(case.il))
    } else {
        let config = device.front_config();
        let request = CompileRequest::new(case.source, &options, &config);
        let request = CompileRequest { extent: Extent::Program, ..request };
        driver::compile(&request).map_err(|e| e.to_string())?.library
    };
    let target = device.target().clone().with_vulkan(|vulkan| {
        (vulkan.prefer_bindings, vulkan.max_buffer_descriptors) = (true, 32);
    });
    let program = driver::build(&[&library], &options, &[], &target).map_err(|e| e.to_string())?;
    let kernel = program.vulkan().first().cloned().ok_or("no kernel")?;
    Ok((kernel, program.data.bytes))
}

fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Compares two results; returns the first difference.
fn compare(case: &Case, a: &[Vec<u8>], b: &[Vec<u8>]) -> Result<(), String> {
    for (n, (a, b)) in a.iter().zip(b).enumerate() {
        for (i, (x, y)) in words(a).into_iter().zip(words(b)).enumerate() {
            let (fx, fy) = (f32::from_bits(x), f32::from_bits(y));
            let close = case.floats && (fx - fy).abs() <= 1e-4 * (1.0 + fx.abs().max(fy.abs()));
            if x != y && !close {
                return Err(format!(
                    "buffer {n}, element {i}: GLSL has {x:#x} ({fx}), OpenCL C {y:#x} ({fy})"
                ));
            }
        }
    }
    Ok(())
}

/// Measures one kernel and prints its line.
fn measure(gpu: &Gpu, device: &Device, case: &Case, rounds: usize, embedded: bool) -> Result<(), String> {
    let (compiled, data) = compile(case, device, embedded)?;
    let data = if data.is_empty() { None } else { Some(gpu.buffer(&data)?) };
    let mut buffers: Vec<Buffer> = Vec::new();
    for data in &case.buffers {
        buffers.push(gpu.buffer(data)?);
    }
    let mut kernels: Vec<Kernel> = vec![gpu.glsl(&words(case.glsl), &case.args, &buffers, case.groups)?];
    for mode in [PointerMode::Bindings, PointerMode::Addresses] {
        let variant = compiled
            .variants
            .iter()
            .find(|v| v.abi.mode == mode)
            .ok_or(format!("no variant for {mode:?}"))?;
        kernels.push(gpu.opencl(
            variant,
            &compiled.info,
            &case.args,
            &buffers,
            data.as_ref(),
            case.local,
            case.groups,
        )?);
    }
    let mut results = Vec::new();
    for kernel in &kernels {
        for (buffer, data) in buffers.iter().zip(&case.buffers) {
            gpu.write(buffer, data)?;
        }
        gpu.run(kernel, 1)?;
        results.push(buffers.iter().map(|b| gpu.read(b)).collect::<Result<Vec<_>, _>>()?);
    }
    compare(case, &results[0], &results[1]).map_err(|e| format!("bindings: {e}"))?;
    compare(case, &results[0], &results[2]).map_err(|e| format!("addresses: {e}"))?;
    // As many runs per submission as take about 20 ms.
    let once = gpu.run(&kernels[0], 1)?.device.max(1e-7);
    let times = ((0.02 / once).round() as u32).clamp(1, 1000);
    let mut all: Vec<Vec<Time>> = vec![vec![]; kernels.len()];
    for round in 0..rounds {
        for i in 0..kernels.len() {
            // Another order each time, so that no kernel always runs after the same one.
            let i = (i + round) % kernels.len();
            all[i].push(gpu.run(&kernels[i], times)?);
        }
    }
    let of = |i: usize| {
        median(&all[i].iter().map(|t| if gpu.is_cpu { t.processor } else { t.device }).collect::<Vec<_>>())
    };
    let (glsl, bindings, addresses) = (of(0), of(1), of(2));
    println!(
        "{:<10} {:>10.3} ms {:>9.2} {:<8} {:>9.3} {:>9.3}",
        case.name,
        glsl * 1e3,
        case.work.0 / glsl,
        format!("{}/s", case.work.1),
        bindings / glsl,
        addresses / glsl
    );
    buffers.into_iter().chain(data).for_each(|b| gpu.free(b));
    Ok(())
}

fn choose(name: Option<&str>) -> Result<Arc<Device>, String> {
    let devices = Platform::get().devices();
    let found = devices
        .iter()
        .find(|d| name.is_none_or(|n| d.info().name.to_lowercase().contains(&n.to_lowercase())));
    let names: Vec<&str> = devices.iter().map(|d| d.info().name.as_str()).collect();
    found.cloned().ok_or_else(|| format!("no such device; there are: {}", names.join(", ")))
}

fn main() -> Result<(), String> {
    let (mut device, mut rounds, mut embedded, mut wanted) = (None, 15, !compiler_available(), Vec::new());
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--device" => device = Some(args.next().ok_or("--device needs a name")?),
            "--rounds" => {
                rounds = args
                    .next()
                    .and_then(|n| n.parse().ok())
                    .filter(|n| *n > 0)
                    .ok_or("--rounds needs a number")?
            }
            "--embedded" => embedded = true,
            name if !name.starts_with('-') => wanted.push(arg),
            _ => return Err(format!("unknown option {arg}")),
        }
    }
    let device = choose(device.as_deref())?;
    let gpu = Gpu::open(device.info().uuid)?;
    println!(
        "{}: {}; median of {rounds} rounds; OpenCL C from {}",
        gpu.name,
        device.info().driver_version,
        if embedded { "embedded SPIR-V" } else { "source" }
    );
    println!(
        "the driver prefers {}",
        if device.target().vulkan().is_some_and(|vulkan| vulkan.prefer_bindings) {
            "bindings"
        } else {
            "addresses"
        }
    );
    println!(
        "{:<10} {:>13} {:>18} {:>9} {:>9}",
        "",
        if gpu.is_cpu { "GLSL, CPU time" } else { "GLSL" },
        "",
        "bindings",
        "addresses"
    );
    let mut failed = false;
    for case in cases(gpu.is_cpu).iter().filter(|c| wanted.is_empty() || wanted.iter().any(|w| w == c.name)) {
        if let Err(error) = measure(&gpu, &device, case, rounds, embedded) {
            failed = true;
            println!("{:<10} FAILED: {error}", case.name);
        }
    }
    if failed { Err("not every kernel could be measured".into()) } else { Ok(()) }
}
