//! Execution tests: every `tests/exec/*.cl` is built and launched through the system's OpenCL loader on every device of
//! our driver, and its results are compared with the expectations in its `//!` lines (see `exec_support/case.rs`).
//! Vulkan's validation layer and spirv-val must have nothing to complain of.
//!
//! The same tests run once more on devices that lack something. `PYROCLAST_EXEC_MATRIX=1` adds many more such devices.
//!
//! `PYROCLAST_EXEC_VENDORS=/etc/OpenCL/vendors` runs the same tests on the drivers installed there instead.

#[path = "exec_support/case.rs"]
mod case;
#[path = "demo/cl.rs"]
mod cl;
#[path = "exec_support/driver.rs"]
mod driver;
#[path = "exec_support/expr.rs"]
mod expr;
#[path = "common/validation.rs"]
mod validation;

use case::{ArgSpec, Case};
use cl::{Api, Arg, Device, Session};
use driver::run_without;
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn run(api: &Api, device: &Device, path: &Path) -> Result<(), String> {
    let source = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let case = Case::parse(&source)?;
    let session = Session::new(api, device)?;
    let extensions = session.extensions();
    if case.require.iter().any(|r| !extensions.split_whitespace().any(|e| e == r)) {
        return Ok(());
    }
    let program = match (session.build(&source, &case.options), &case.error) {
        (Ok(p), None) => p,
        (Ok(_), Some(text)) => return Err(format!("the build succeeded, expected an error with '{text}'")),
        (Err(log), Some(text)) if log.contains(text) => return Ok(()),
        (Err(log), _) => return Err(log),
    };
    let mut buffers = Vec::new();
    for arg in &case.args {
        buffers.push(match arg {
            ArgSpec::Buffer { bytes, .. } => {
                let buffer = session.buffer(bytes.len())?;
                session.write(&buffer, bytes)?;
                Some(buffer)
            }
            _ => None,
        });
    }
    let args: Vec<Arg<'_>> = case
        .args
        .iter()
        .zip(&buffers)
        .map(|(arg, buffer)| match (arg, buffer) {
            (ArgSpec::Buffer { .. }, Some(b)) => Arg::Buffer(b),
            (ArgSpec::Value(bytes), _) => Arg::Bytes(bytes),
            (ArgSpec::Local(size), _) => Arg::Local(*size),
            _ => Arg::Null,
        })
        .collect();
    for name in &case.kernels {
        let kernel = program.kernel(name)?;
        kernel.set(&args)?;
        kernel.launch_at(case.offset.as_deref(), &case.global, case.local.as_deref())?;
    }
    session.finish()?;
    let mut after = Vec::new();
    for (arg, buffer) in case.args.iter().zip(&buffers) {
        after.push(match (arg, buffer) {
            (ArgSpec::Buffer { bytes, .. }, Some(buffer)) => {
                let mut result = vec![0u8; bytes.len()];
                session.read(buffer, &mut result)?;
                Some(result)
            }
            _ => None,
        });
    }
    case.check(&after, session.keeps_denormals())
}

/// What a device may lack; the tests whose names hold a text run once more without each.
const LACKING: &[(&str, &str)] = &[
    ("-bindings", ""),
    ("-mapped_buffers,-host_import", ""),
    ("-buffer_device_address,-scalar_block_layout,-variable_pointers,-vulkan_memory_model", ""),
    ("-int8,-int16,-storage8,-storage16,-float16,-float64,-int64,-int64_atomics,-float_atomics", ""),
    ("-subgroups", "_group_"),
    ("-subgroup_arithmetic,-subgroup_shuffle_relative,-subgroup_extended_types", "_group_"),
];

/// More of that, one by one and together: with `PYROCLAST_EXEC_MATRIX` set.
const MATRIX: &[&str] = &[
    "-buffer_device_address",
    "-buffer_device_address,-bindings",
    "-buffer_device_address,-int64,-int64_atomics",
    "-buffer_device_address,-int8,-int16,-storage8,-storage16",
    "-scalar_block_layout,-variable_pointers,-vulkan_memory_model",
    "-int8",
    "-int16",
    "-int8,-int16",
    "-storage8",
    "-storage16",
    "-storage8,-storage16",
    "-int8,-storage16",
    "-int16,-storage8,-bindings",
    "-int8,-int16,-storage8,-storage16",
    "-int8,-int16,-storage8,-storage16,-bindings",
    "-float16",
    "-float16,-int16,-storage16",
    "-float64",
    "-int64_atomics",
    "-int64",
    "-int64,-int8,-int16,-storage8,-storage16",
    "-int64,-bindings",
    "-float_atomics",
    "-float_controls",
    "-vulkan_memory_model",
    "-vulkan_memory_model,-bindings",
    "-variable_pointers",
    "-scalar_block_layout",
    "-workgroup_explicit_layout",
    "-subgroup_size_control",
    "-integer_dot_product",
    "-maintenance4",
    "-int8,-int16,-storage8,-storage16,-float16,-float64,-int64,-int64_atomics,-float_atomics,-float_controls,-bindings,\
     -buffer_device_address,-mapped_buffers,-host_import,-scalar_block_layout,-variable_pointers,-vulkan_memory_model,-workgroup_explicit_layout,\
     -subgroups,-subgroup_size_control,-integer_dot_product,-maintenance4",
];

fn main() -> std::process::ExitCode {
    let arguments = Arguments::from_args();
    let everything = driver::is_whole();
    if std::env::var_os("PYROCLAST_DEVICES").is_none() {
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("PYROCLAST_DEVICES", "vulkan,cpu") };
    }
    let folder = driver::offer();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exec");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "cl"))
        .collect();
    files.sort();
    let mut trials = Vec::new();
    match Api::load().and_then(|api| api.devices().map(|d| (Arc::new(api), d))) {
        Ok((api, devices)) => {
            for device in devices {
                for path in &files {
                    let name = format!("{}::{}", device.name, path.file_stem().unwrap_or_default().to_string_lossy());
                    let (api, device, path) = (api.clone(), device.clone(), path.clone());
                    trials.push(Trial::test(name, move || {
                        run(&api, &device, &path).map_err(Failed::from)?;
                        // Tests beside this one may have caused it.
                        validation::new_complaints().map_or(Ok(()), |text| Err(Failed::from(format!("validation: {text}"))))
                    }));
                }
            }
        }
        Err(error) => trials.push(Trial::test("devices", move || Err(Failed::from(error)))),
    }
    let matrix = if driver::wants_matrix() { MATRIX } else { &[] };
    for (hidden, filter) in LACKING.iter().copied().chain(matrix.iter().map(|m| (*m, ""))).filter(|_| everything) {
        trials.push(Trial::test(format!("without::{hidden}"), move || run_without(hidden, filter)));
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    if let Some(folder) = folder {
        let _ = std::fs::remove_dir_all(folder);
    }
    conclusion.exit_code() // complaints overrule it: see `validation`
}
