//! Images on every device that supports them (the tests of others are ignored), compared with a reference in
//! test code (`test_support::images`): each format with each command, each format read and written by
//! kernels, each mode of samplers, for each type of image.
//!
//! The same tests run again on devices with hidden features. `PYROCLAST_EXEC_MATRIX=1` samples every format
//! and adds more such devices; `PYROCLAST_EXEC_VENDORS=/etc/OpenCL/vendors` runs the tests on the drivers
//! installed there.

use libtest_mimic::{Arguments, Failed, Trial};
use std::sync::Arc;
use test_support::api::{is_another_device, validation};
use test_support::cl::{Api, Device, ImageKind, Session};
use test_support::exec::driver::{self, run_checked, run_without, wants_matrix};
use test_support::images::{
    ImageMemory, commands, filters, il, kernels, levels, objects, read_write, required_formats, samplers,
};

/// A test, and the types of images that it applies to.
type Test = (&'static str, fn(&Session<'_>, ImageKind) -> Result<(), String>, &'static [ImageKind]);

const SAMPLED: [ImageKind; 5] =
    [ImageKind::D1, ImageKind::D1Array, ImageKind::D2, ImageKind::D2Array, ImageKind::D3];

const TESTS: &[Test] = &[
    ("required_formats", required_formats, &ImageKind::ALL),
    ("commands", |session, kind| commands::commands(session, kind, ImageMemory::Own), &ImageKind::ALL),
    ("commands_in_buffers", |session, kind| commands::commands(session, kind, ImageMemory::Buffer), &SAMPLED),
    ("commands_in_rows", |session, kind| commands::commands(session, kind, ImageMemory::Rows), &SAMPLED),
    ("commands_between_types", commands::commands_between_types, &ImageKind::ALL),
    ("texels", |session, kind| kernels::texels(session, kind, ImageMemory::Own), &ImageKind::ALL),
    ("texels_in_buffers", |session, kind| kernels::texels(session, kind, ImageMemory::Buffer), &SAMPLED),
    ("texels_in_rows", |session, kind| kernels::texels(session, kind, ImageMemory::Rows), &SAMPLED),
    ("queries", kernels::queries, &ImageKind::ALL),
    (
        "samplers",
        |session, kind| samplers::sampling(session, kind, wants_matrix(), ImageMemory::Own),
        &SAMPLED,
    ),
    (
        "samplers_in_buffers",
        |session, kind| samplers::sampling(session, kind, false, ImageMemory::Buffer),
        &SAMPLED,
    ),
    (
        "samplers_in_rows",
        |session, kind| samplers::sampling(session, kind, false, ImageMemory::Rows),
        &SAMPLED,
    ),
    ("samplers_together", samplers::together, &[ImageKind::D2, ImageKind::D3]),
    ("levels_in_commands", levels::commands, &SAMPLED),
    ("levels_of_single_texels", levels::single_texels, &SAMPLED),
    ("levels_in_kernels", levels::kernels, &SAMPLED),
    ("writes_to_levels", levels::writes, &SAMPLED),
    ("read_write_levels", |session, _| levels::read_and_written(session), &[ImageKind::D2]),
    ("many_arguments", |session, _| kernels::many_arguments(session), &[ImageKind::D2]),
    ("exchange", read_write::exchange, &ImageKind::ALL),
    ("several_read_write", |session, _| read_write::several(session), &[ImageKind::D2]),
    ("filters", |session, _| filters::filters(session), &[ImageKind::D2]),
    ("images_in_spirv", |session, _| il::images_in_spirv(session), &[ImageKind::D2]),
    ("image_of_buffer", |session, _| objects::image_of_buffer(session), &[ImageKind::D2]),
    ("image_of_image", |session, _| objects::image_of_image(session), &[ImageKind::D2]),
];

/// Features that a device may lack; the tests whose names contain a text run again without each of them.
const LACKING: &[(&str, &str)] = &[
    ("-bindings", "texels"),
    ("-buffer_device_address", "arguments"),
    ("-mapped_buffers,-host_import", "commands"),
    ("-unified_memory,-host_import", "commands"),
    ("-mapped_buffers,-host_import", "texels"),
    ("-vulkan_memory_model,-variable_pointers,-scalar_block_layout", "texels"),
    ("-int8,-int16,-storage8,-storage16,-float16", "texels"),
    ("-formatless_reads", "read_write"),
    ("-formatless_writes", "texels"),
    ("-formatless_writes", "exchange"),
    ("-bgra_images", "texels::D2"),
    ("-bgra_images", "image_of_image"),
    ("-int64,-int16,-int8,-storage8,-storage16,-float16,-float64,-float_controls", "samplers_together"),
    ("-buffer_device_address", "samplers_together"),
    ("-buffer_device_address", "_levels"),
    ("-border_fetches", "samplers"),
    ("-border_fetches", "levels_in_kernels"),
    // Texture units filter on software devices, too.
    ("-slow_filters", "samplers"),
    ("-slow_filters", "filters"),
    ("-slow_filters", "levels_in_kernels"),
    ("-slow_filters,-buffer_device_address", "samplers_together"),
];

/// Tests that run with fallback to the processor for a hidden feature.
const HELPED: &[(&str, &str)] =
    &[("-images", "commands::D2"), ("-images", "levels_in_commands"), ("-read_write_images", "exchange")];

/// Further hidden features: with `PYROCLAST_EXEC_MATRIX` set, every test runs without each of them.
const MATRIX: &[&str] = &[
    "-bindings",
    "-buffer_device_address",
    "-mapped_buffers,-host_import",
    "-vulkan_memory_model",
    "-int8,-int16,-storage8,-storage16,-float16,-float64,-float_controls,-bindings,-mapped_buffers,-host_import,\
     -scalar_block_layout,-variable_pointers,-vulkan_memory_model,-workgroup_explicit_layout,-maintenance4",
];

fn run(api: &Api, device: &Device, test: &Test, kind: ImageKind) -> Result<(), Failed> {
    (test.1)(&Session::new(api, device)?, kind)?;
    // Tests that run at the same time may have caused it.
    validation::new_complaints().map_or(Ok(()), |text| Err(Failed::from(format!("validation: {text}"))))
}

fn main() -> std::process::ExitCode {
    let arguments = Arguments::from_args();
    let everything = driver::is_whole();
    if std::env::var_os("PYROCLAST_DEVICES").is_none() {
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("PYROCLAST_DEVICES", "vulkan,cpu") };
    }
    let folder = driver::offer();
    let mut trials = Vec::new();
    match Api::load().and_then(|api| api.devices().map(|d| (Arc::new(api), d))) {
        Ok((api, devices)) => {
            for device in devices {
                // CL_DEVICE_IMAGE_SUPPORT: images are optional.
                let lacking = !Session::new(&api, &device).and_then(|s| s.has_images()).unwrap_or(true);
                if everything && device.name.contains("llvmpipe") && !is_another_device() {
                    // Without images all tests below would be ignored.
                    let has = if lacking { Err(Failed::from("the device has no images")) } else { Ok(()) };
                    trials.push(Trial::test(format!("{}::has_images", device.name), move || has));
                }
                for test in TESTS {
                    for &kind in test.2 {
                        let name = format!("{}::{}::{kind:?}", device.name, test.0);
                        let (api, device) = (api.clone(), device.clone());
                        trials.push(
                            Trial::test(name, move || run(&api, &device, test, kind))
                                .with_ignored_flag(lacking),
                        );
                    }
                }
            }
        }
        Err(error) => trials.push(Trial::test("devices", move || Err(Failed::from(error)))),
    }
    let matrix = if wants_matrix() { MATRIX } else { &[] };
    for (hidden, filter) in
        LACKING.iter().copied().chain(matrix.iter().map(|m| (*m, ""))).filter(|_| everything)
    {
        trials.push(Trial::test(format!("without::{hidden}: {filter}"), move || {
            run_without(hidden, filter, false)
        }));
    }
    for (hidden, filter) in HELPED.iter().copied().filter(|_| everything) {
        trials.push(Trial::test(format!("falling_back::{hidden}: {filter}"), move || {
            run_without(hidden, filter, true)
        }));
    }
    if everything {
        // The checker accepts kernels' accesses to mip levels, and knows the image descriptors.
        trials.push(Trial::test("checked::writes_to_levels", || run_checked("writes_to_levels::D1")));
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    if wants_matrix() {
        driver::print_runs();
    }
    if let Some(folder) = folder {
        let _ = std::fs::remove_dir_all(folder);
    }
    conclusion.exit_code() // complaints overrule it: see `validation`
}
