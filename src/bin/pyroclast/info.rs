//! `pyroclast info`: the installation, the devices with the reasons for missing features, and what to do
//! about defects.

use super::report::{DeviceReport, Report};
use super::system::Survey;
use pyroclast_runtime::device::info::{DOUBLE, ENQUEUE, HALF, IMAGE_FORMATS, INT64_ATOMICS};
use pyroclast_runtime::platform::Platform;
use std::fmt::Write;
use std::process::ExitCode;

/// Arguments of `pyroclast info`.
#[derive(clap::Args)]
pub struct InfoArgs {
    /// Also list extensions and what the compiler may use
    #[arg(short, long)]
    verbose: bool,
    /// Write everything as one JSON object
    #[arg(long, conflicts_with = "verbose")]
    json: bool,
}

/// Prints the report; the exit status is 1 if there are no devices.
pub fn run(arguments: &InfoArgs) -> Result<ExitCode, String> {
    let report = Report::new();
    if arguments.json {
        let text = serde_json::to_string_pretty(&report).map_err(|e| e.to_string())?;
        print(&format!("{text}\n"))?;
    } else {
        print(&text(&report, arguments.verbose))?;
    }
    Ok(if report.devices.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Writes to standard output; a closed pipe is not an error.
pub fn print(text: &str) -> Result<(), String> {
    use std::io::Write;
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("standard output: {e}")),
        _ => Ok(()),
    }
}

/// A number of bytes for people.
pub fn bytes(n: u64) -> String {
    match n {
        n if n >= 1 << 30 => format!("{:.1} GiB", n as f64 / (1u64 << 30) as f64),
        n if n >= 1 << 20 => format!("{:.1} MiB", n as f64 / (1u64 << 20) as f64),
        n if n >= 1 << 10 => format!("{} KiB", n >> 10),
        n => format!("{n} bytes"),
    }
}

fn text(report: &Report, verbose: bool) -> String {
    let mut out = format!("{}\n", report.version);
    let mut rows = installation(&report.system);
    rows.push(("OpenCL C", report.front_end.clone()));
    rows.push(("code of the CPU", report.cpu_code.clone()));
    let cache = &report.cache;
    rows.push((
        "cache",
        match &cache.folder {
            Some(folder) => {
                let (used, limit) = (bytes(cache.bytes), bytes(cache.limit));
                format!("{}: {} entries, {used} of {limit}", folder.display(), cache.entries)
            }
            None => "none is kept".to_string(),
        },
    ));
    let configuration = &report.configuration;
    rows.extend(configuration.files.iter().map(|f| ("configuration", f.display().to_string())));
    for setting in &configuration.settings {
        rows.push(("setting", format!("{}={} ({})", setting.name, setting.value, setting.origin)));
    }
    print_rows(&mut out, &rows);
    for (index, device) in report.devices.iter().enumerate() {
        describe(&mut out, index, device, verbose);
    }
    for (index, problem) in report.problems.iter().enumerate() {
        let title = if index == 0 { "\nTo do\n" } else { "" };
        let _ = writeln!(out, "{title}  {}. {problem}.", index + 1);
    }
    out
}

/// Rows about the driver's installation, the loader and other drivers.
fn installation(system: &Survey) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    for installed in &system.installations {
        let version = installed.version.as_ref().map_or(String::new(), |v| format!(", version {v}"));
        let place = installed.place.trim_start_matches("--");
        rows.push(("installation", format!("{place}: {}{version}", installed.state)));
    }
    if system.installations.is_empty() {
        rows.push(("installation", "none".to_string()));
    }
    rows.push((
        "OpenCL loader",
        match &system.loader {
            Some(loader) if loader.name.is_empty() => loader.path.clone(),
            Some(loader) => format!("{} ({})", loader.path, loader.name),
            None => "none".to_string(),
        },
    ));
    for file in &system.vendor_files {
        rows.push(("driver", format!("{}: {}", file.file.display(), file.library)));
    }
    for platform in system.loader.iter().flat_map(|l| &l.platforms) {
        let devices = platform.devices;
        let plural = if devices == 1 { "" } else { "s" };
        rows.push((
            "platform",
            format!("{} ({}), {devices} device{plural}", platform.name, platform.version),
        ));
    }
    rows
}

/// Rows of names and values; repeated names are left out.
fn print_rows(out: &mut String, rows: &[(&str, String)]) {
    let mut last = "";
    for (name, value) in rows {
        let label = if *name == last { "" } else { name };
        let _ = writeln!(out, "  {label:<20} {value}");
        last = name;
    }
}

fn describe(out: &mut String, index: usize, d: &DeviceReport, verbose: bool) {
    let rows = [
        ("kind", format!("{}, by the {} back end", d.kind, d.back_end)),
        ("vendor", format!("{} ({:#06x})", d.vendor, d.vendor_id)),
        ("driver", d.driver.clone()),
        ("compute units", format!("{} at {} MHz", d.compute_units, d.clock_mhz)),
        ("work-group", format!("up to {} work-items, {:?}", d.max_work_group_size, d.max_work_item_sizes)),
        (
            "local memory",
            format!(
                "{}{}",
                bytes(d.local_memory),
                if d.local_memory_dedicated { "" } else { ", part of global memory" }
            ),
        ),
        (
            "global memory",
            format!("{}, single allocations up to {}", bytes(d.global_memory), bytes(d.max_allocation)),
        ),
        (
            "host memory",
            if d.unified_memory { "unified with the device's".into() } else { "separate".to_string() },
        ),
        ("cache", format!("{}, lines of {}", bytes(d.cache), bytes(d.cache_line.into()))),
        (DOUBLE, d.doubles.clone()),
        (HALF, d.halves.clone()),
        (INT64_ATOMICS, d.int64_atomics.clone()),
        (IMAGE_FORMATS, d.image_formats.clone()),
        (ENQUEUE, d.enqueued_kernels.clone()),
        (
            "sub-groups",
            d.sub_group_size
                .map_or_else(|| "no".into(), |size| format!("of {size} ({:?})", d.sub_group_sizes)),
        ),
    ];
    let _ = writeln!(out, "\nDevice {index}: {}", d.name);
    print_rows(out, &rows);
    if verbose {
        let lists =
            [("extensions", d.extensions.join(" ")), ("OpenCL C features", d.opencl_c_features.join(" "))];
        print_rows(out, &lists);
        if let Some(device) = Platform::get().devices().get(index) {
            for line in format!("{:#?}", device.target()).lines() {
                let _ = writeln!(out, "  {line}");
            }
        }
    }
    for note in &d.notes {
        let _ = writeln!(out, "  note: {note}");
    }
}
