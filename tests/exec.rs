//! Execution tests: every `tests/exec/*.cl` is built and launched through the system's OpenCL loader on every
//! device of our driver. Its results are compared with the expectations in its `//!` lines (see
//! `tests/support/src/exec/case.rs`). Vulkan's validation layer and spirv-val must report nothing.
//!
//! The tests run again on devices with hidden features: a few of them by default, each feature and many
//! combinations with `PYROCLAST_EXEC_MATRIX=1`, any two features with `PYROCLAST_EXEC_MATRIX=pairs`. `cargo
//! test --test exec -- without` then prints a line for each device. Tests that require a hidden feature are
//! ignored there; a separate test checks the device's queries.
//!
//! Tests with doubles also run on devices that fall back to the processor; in the matrix all tests do. Tests
//! of variables and vectors run under the checker of the CPU device, in the matrix all tests do; the checker
//! must report nothing. All tests also run on the CPU device with code of
//! either generator alone.
//!
//! `PYROCLAST_EXEC_VENDORS=/etc/OpenCL/vendors` runs the same tests on the drivers installed there instead.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use test_support::api::validation;
use test_support::cl::{Api, Arg, Device, Session};
use test_support::exec::case::{ArgSpec, Case};
use test_support::exec::driver::{self, run_checked, run_on_processor, run_without};

fn run(api: &Api, device: &Device, path: &Path) -> Result<(), String> {
    let source = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let case = Case::parse(&source)?;
    let session = Session::new(api, device)?;
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

/// Features that a device may lack; the tests whose names contain a text run again without each of them.
const LACKING: &[(&str, &str)] = &[
    ("-bindings", ""),
    ("-mapped_buffers,-host_import", ""),
    // Vulkan 1.1, with fences and barriers of Vulkan 1.0, and SPIR-V 1.3.
    (
        "-vulkan_1_2,-spirv_1_4,-timeline_semaphore,-synchronization2,-maintenance4,-buffer_device_address,\
         -scalar_block_layout,-variable_pointers,-vulkan_memory_model,-float_controls,-subgroup_size_control,\
         -zero_workgroup,-workgroup_explicit_layout,-integer_dot_product,-shader_clock",
        "",
    ),
    // Vulkan 1.0 without extensions, with 4 storage buffers in a kernel.
    ("-vulkan_1_1,-storage_buffer_class,-many_descriptors", ""),
    ("-int8,-int16,-storage8,-storage16,-float16,-float64,-int64,-int64_atomics,-float_atomics", ""),
    ("-subgroups", "_group_"),
    ("-subgroup_arithmetic,-subgroup_shuffle_relative,-subgroup_extended_types", "_group_"),
];

/// Optional features, each with the extensions and queries that depend on it.
const FEATURES: &[&str] = &[
    "-buffer_device_address",
    "-int64,-int64_atomics",
    "-int8",
    "-int16",
    "-float16",
    "-float64",
    "-storage8",
    "-storage16",
    "-workgroup_explicit_layout",
    "-variable_pointers",
    "-subgroups",
    "-float_controls",
];

/// Further features and combinations that devices may lack: with `PYROCLAST_EXEC_MATRIX` set, besides each
/// feature alone.
const MATRIX: &[&str] = &[
    "-buffer_device_address,-many_descriptors",
    "-buffer_device_address,-bindings",
    "-buffer_device_address,-int64,-int64_atomics",
    "-buffer_device_address,-int8,-int16,-storage8,-storage16",
    "-scalar_block_layout,-variable_pointers,-vulkan_memory_model",
    "-int8,-int16",
    "-storage8,-storage16",
    "-int16,-storage8,-bindings",
    "-int8,-int16,-storage8,-storage16,-bindings",
    "-float16,-int16,-storage16",
    "-int64_atomics",
    "-int64,-int8,-int16,-storage8,-storage16",
    "-int64,-bindings",
    "-float_atomics",
    "-vulkan_memory_model",
    "-vulkan_memory_model,-bindings",
    "-scalar_block_layout",
    "-subgroup_arithmetic,-subgroup_shuffle_relative,-subgroup_extended_types",
    "-subgroup_size_control",
    "-integer_dot_product",
    "-maintenance4",
    "-buffer_device_address,-aliased_views",
    EVERYTHING,
];

/// Devices that fall back to the processor for the features they lack.
const FALLING_BACK: &[&str] = &["-float16,-float64,-int64_atomics", EVERYTHING];

const EVERYTHING: &str = "-int8,-int16,-storage8,-storage16,-float16,-float64,-int64,-int64_atomics,-float_atomics,-float_controls,-bindings,\
    -buffer_device_address,-mapped_buffers,-host_import,-scalar_block_layout,-variable_pointers,-vulkan_memory_model,\
    -workgroup_explicit_layout,-subgroups,-subgroup_size_control,-integer_dot_product,-maintenance4";

/// Processors of QEMU: with SSE3 at most, with AVX2 and FMA, and in the matrix with SSE4.2 and of another
/// vendor. QEMU 7.2 has none with AVX-512.
const PROCESSORS: &[&str] = &["qemu64,-popcnt,-abm", "Haswell", "Nehalem", "EPYC"];
/// Those with AVX2. QEMU 7.2 reads the elements that masked loads leave out, and may fault there: LLVM uses
/// such loads in most kernels.
const WITH_MASKED_LOADS: &[&str] = &["Haswell", "EPYC"];

/// Tests on emulated processors with code of each kind: a few, in the matrix all that QEMU can execute.
fn emulated() -> Vec<Trial> {
    let (models, filter) =
        if driver::wants_matrix() { (PROCESSORS, "") } else { (&PROCESSORS[..2], "vector_float") };
    let kinds = ["baseline", "quick", "optimized"].into_iter();
    let kinds = kinds.filter(|kind| *kind != "optimized" || !test_support::clang::is_missing());
    let all = kinds.flat_map(|kind| models.iter().map(move |model| (*model, kind)));
    let trial = |(model, kind): (&'static str, &'static str)| {
        let faults = kind == "optimized" && WITH_MASKED_LOADS.contains(&model);
        let filter = if faults { "vector_float" } else { filter };
        let run = move || run_on_processor(model, kind, filter);
        let name = format!("processor::{model}, {kind}");
        Trial::test(name, run).with_ignored_flag(driver::emulator_is_missing())
    };
    all.map(trial).collect()
}

/// The devices with hidden features on which tests run again, with the filter of test names.
fn lacking() -> Vec<(String, &'static str)> {
    let mut list: Vec<(String, &str)> =
        LACKING.iter().map(|(hidden, filter)| (hidden.to_string(), *filter)).collect();
    if driver::wants_matrix() {
        list.extend(FEATURES.iter().chain(MATRIX).map(|hidden| (hidden.to_string(), "")));
    }
    if std::env::var_os("PYROCLAST_EXEC_MATRIX").is_some_and(|v| v == "pairs") {
        let pairs = FEATURES
            .iter()
            .enumerate()
            .flat_map(|(i, a)| FEATURES[i + 1..].iter().map(move |b| format!("{a},{b}")));
        list.extend(pairs.map(|hidden| (hidden, "")));
    }
    list
}

/// Features that must not be reported if another one is hidden.
const REPORTED: &[(&str, &[&str])] = &[
    ("float16", &["cl_khr_fp16", "__opencl_c_ext_fp16_global_atomic_add"]),
    ("float64", &["cl_khr_fp64", "__opencl_c_fp64", "__opencl_c_ext_fp64_global_atomic_add"]),
    ("int64", &["cl_khr_int64_base_atomics", "__opencl_c_ext_fp64_global_atomic_add"]),
    (
        "int64_atomics",
        &[
            "cl_khr_int64_base_atomics",
            "cl_khr_int64_extended_atomics",
            "__opencl_c_ext_fp64_local_atomic_add",
        ],
    ),
    (
        "buffer_device_address",
        &["cl_ext_buffer_device_address", "cl_intel_unified_shared_memory", "cl_khr_unified_svm"],
    ),
];

/// Extensions, features of the language and the compiler's macros agree, and none of them depends on a hidden
/// feature.
fn reported(api: &Api, device: &Device) -> Result<(), String> {
    let session = Session::new(api, device)?;
    let (extensions, features) = (session.extensions(), session.c_features());
    let has =
        |name: &str| extensions.split_whitespace().any(|e| e == name) || features.iter().any(|f| f == name);
    let hidden = std::env::var("PYROCLAST_FEATURES").unwrap_or_default();
    let hidden: Vec<&str> = hidden.split(',').map(|h| h.trim().trim_start_matches('-')).collect();
    let mut source = String::new();
    let falls_back = std::env::var_os("PYROCLAST_FALLBACK").is_some();
    for (feature, names) in REPORTED {
        for name in *names {
            // Fallback to the processor does not change the memory features.
            let helped = falls_back && *feature != "buffer_device_address";
            if hidden.contains(feature) && has(name) != helped {
                let but = if helped { "not reported, though the processor has it," } else { "reported" };
                return Err(format!("{name} is {but} without {feature}"));
            }
            // Extensions of the API only define no macro.
            if !names.contains(&"cl_ext_buffer_device_address") {
                let wrong = if has(name) { "!" } else { "" };
                source += &format!("#if {wrong}defined({name})\n#error {name}\n#endif\n");
            }
        }
    }
    session.build(&(source + "kernel void k() {}"), "-cl-std=CL3.0").map(drop)
}

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
                let offered = Session::new(&api, &device).map(|s| s.offers()).unwrap_or_default();
                let reports = (api.clone(), device.clone());
                trials.push(Trial::test(format!("{}::reported", device.name), move || {
                    reported(&reports.0, &reports.1).map_err(Failed::from)
                }));
                for path in &files {
                    let case =
                        std::fs::read_to_string(path).ok().and_then(|source| Case::parse(&source).ok());
                    let ignored = case.is_some_and(|c| c.unsuitable(&offered).is_some());
                    let name = format!(
                        "{}::{}",
                        device.name,
                        path.file_stem().unwrap_or_default().to_string_lossy()
                    );
                    let (api, device, path) = (api.clone(), device.clone(), path.clone());
                    let trial = Trial::test(name, move || {
                        run(&api, &device, &path).map_err(Failed::from)?;
                        // Tests that run at the same time may have caused it.
                        validation::new_complaints()
                            .map_or(Ok(()), |text| Err(Failed::from(format!("validation: {text}"))))
                    });
                    trials.push(trial.with_ignored_flag(ignored));
                }
            }
        }
        Err(error) => trials.push(Trial::test("devices", move || Err(Failed::from(error)))),
    }
    for (hidden, filter) in lacking().into_iter().filter(|_| everything) {
        trials.push(Trial::test(format!("without::{hidden}"), move || run_without(&hidden, filter, false)));
    }
    let filter = if driver::wants_matrix() { "" } else { "double" };
    for hidden in FALLING_BACK.iter().filter(|_| everything) {
        trials.push(Trial::test(format!("without::{hidden}, falling back"), move || {
            run_without(hidden, filter, true)
        }));
    }
    let filters: &[&str] = if driver::wants_matrix() { &[""] } else { &["variable", "vector_"] };
    for filter in filters.iter().filter(|_| everything) {
        trials.push(Trial::test(format!("checked::{filter}"), move || run_checked(filter)));
    }
    if everything && std::env::var_os("PYROCLAST_CPU_CODE").is_none() {
        trials.push(Trial::test("baseline", || driver::run_with_code("baseline")));
        trials.push(Trial::test("quick", || driver::run_with_code("quick")));
        if !test_support::clang::is_missing() {
            trials.push(Trial::test("optimized", || driver::run_with_code("optimized")));
        }
        trials.push(Trial::test("full_disk", || driver::run_on_full_disk("::vector_")));
        trials.extend(emulated());
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    if driver::wants_matrix() {
        driver::print_runs();
    }
    if let Some(folder) = folder {
        let _ = std::fs::remove_dir_all(folder);
    }
    conclusion.exit_code() // complaints overrule it: see `validation`
}
