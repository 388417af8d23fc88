//! `pyroclast info`: the devices, their features, and the reasons for missing ones.

use clspv_bridge::options::FrontEnd;
use clspv_bridge::target::CodeGenerator;
use pyroclast_runtime::device::info::{DOUBLE, ENQUEUE, HALF, IMAGE_FORMATS, INT64_ATOMICS};
use pyroclast_runtime::device::{Device, compiler};
use pyroclast_runtime::platform::{Platform, version_text};
use std::fmt::Write;
use std::process::ExitCode;

/// Arguments of `pyroclast info`.
#[derive(clap::Args)]
pub struct InfoArgs {
    /// Also list extensions and what the compiler may use
    #[arg(short, long)]
    verbose: bool,
}

/// Prints the devices; the exit status is 1 if there are none.
pub fn run(arguments: &InfoArgs) -> Result<ExitCode, String> {
    let devices = Platform::get().devices();
    let mut out = format!("{}\n", version_text());
    out.push_str(match (compiler::front_end(), compiler::clang_available()) {
        (FrontEnd::Clang, true) => "OpenCL C is compiled by clang\n",
        (FrontEnd::Clang, false) => {
            "clang was not found: programs cannot be built from source (install clang-22, or set \
             PYROCLAST_CLANG)\n"
        }
        (FrontEnd::BuiltIn, true) => "OpenCL C is compiled by the built-in front end\n",
        (FrontEnd::BuiltIn, false) => {
            "OpenCL C is compiled by the built-in front end (clang was not found: no C++ for OpenCL)\n"
        }
    });
    let generators = compiler::cpu_generators().map(|g| (g.first.is_cranelift(), g.hot.last()));
    out.push_str(match generators {
        Some((true, Some(CodeGenerator::Llvm))) => {
            "The CPU device runs quick code by Cranelift, and optimized code by clang for kernels that run long\n"
        }
        Some((true, _)) => "The CPU device runs quick code, by Cranelift\n",
        Some((false, _)) => "The CPU device runs optimized code, by clang\n",
        None => "The CPU device is not used: it has no code generator (PYROCLAST_CPU_CODE)\n",
    });
    if !compiler::permits_code() {
        out.push_str("The system permits no executable memory: no quick code\n");
    }
    if devices.is_empty() {
        out.push_str(
            "No devices. A Vulkan 1.2 driver with buffer device addresses and 64-bit integers is needed;\n",
        );
        out.push_str("PYROCLAST_LOG=debug shows what was looked at.\n");
    }
    for (index, device) in devices.iter().enumerate() {
        describe(&mut out, index, device, arguments.verbose);
    }
    print(&out)?;
    Ok(if devices.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Writes to standard output; a closed pipe is not an error.
pub fn print(text: &str) -> Result<(), String> {
    use std::io::Write;
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("standard output: {e}")),
        _ => Ok(()),
    }
}

fn bytes(n: u64) -> String {
    match n {
        n if n >= 1 << 30 => format!("{:.1} GiB", n as f64 / (1u64 << 30) as f64),
        n if n >= 1 << 20 => format!("{:.1} MiB", n as f64 / (1u64 << 20) as f64),
        n if n >= 1 << 10 => format!("{} KiB", n >> 10),
        n => format!("{n} bytes"),
    }
}

fn describe(out: &mut String, index: usize, device: &Device, verbose: bool) {
    let i = device.info();
    // Where the device has a feature only on another processor, that is named.
    let either = |what: &'static str, own: String| {
        let elsewhere = i.elsewhere.iter().find(|(name, _)| *name == what);
        (what, elsewhere.map_or(own, |(_, text)| text.clone()))
    };
    let yes_no = |has: bool| if has { "yes" } else { "no" }.to_string();
    let rows = [
        ("kind", format!("{:?}, by the {} back end", i.kind, device.driver())),
        ("vendor", format!("{} ({:#06x})", i.vendor, i.vendor_id)),
        ("driver", i.driver_version.clone()),
        ("compute units", format!("{} at {} MHz", i.compute_units, i.clock_mhz)),
        ("work-group", format!("up to {} work-items, {:?}", i.max_work_group_size, i.max_work_item_sizes)),
        (
            "local memory",
            format!(
                "{}{}",
                bytes(i.local_mem_size),
                if i.local_mem_dedicated { "" } else { ", part of global memory" }
            ),
        ),
        (
            "global memory",
            format!("{}, single allocations up to {}", bytes(i.global_mem_size), bytes(i.max_alloc_size)),
        ),
        (
            "host memory",
            if i.host_unified_memory { "unified with the device's".into() } else { "separate".to_string() },
        ),
        ("cache", format!("{}, lines of {}", bytes(i.cache_size), bytes(i.cache_line.into()))),
        either(DOUBLE, yes_no(i.fp64)),
        either(HALF, yes_no(i.fp16)),
        either(INT64_ATOMICS, yes_no(i.int64_atomics)),
        either(IMAGE_FORMATS, i.image.formats.len().to_string()),
        either(ENQUEUE, yes_no(i.enqueue.is_some())),
        (
            "sub-groups",
            if i.max_num_sub_groups > 0 {
                format!("of {} ({:?})", i.sub_group_size, i.sub_group_sizes)
            } else {
                "no".into()
            },
        ),
    ];
    let _ = writeln!(out, "\nDevice {index}: {}", i.name);
    for (name, value) in rows {
        let _ = writeln!(out, "  {name:<20} {value}");
    }
    if verbose {
        let names: Vec<&str> = device.extensions().iter().map(|f| f.name).collect();
        let _ = writeln!(out, "  {:<20} {}", "extensions", names.join(" "));
        let names: Vec<&str> = device.c_features().iter().map(|f| f.name).collect();
        let _ = writeln!(out, "  {:<20} {}", "OpenCL C features", names.join(" "));
        let target = format!("{:#?}", device.target());
        for line in target.lines() {
            let _ = writeln!(out, "  {line}");
        }
    }
    for note in &i.notes {
        let _ = writeln!(out, "  note: {note}");
    }
}
