//! The driver's own cache of pipelines, which the loader emulates: off where compilations are kept on disk.

use super::{Faults, loss::with_reports};
use std::path::Path;
use std::process::Command;
use test_support::api::rig::*;
use test_support::api::supervised::Case;

/// Opens the device, and looks at how it was created.
fn is_off() -> bool {
    let faults = Faults::open();
    Rig::new("kernel void f(global uint *p) { p[0] = 1; }");
    // SAFETY: the function has this type.
    unsafe { faults.0.get::<extern "C" fn() -> bool>(b"vulkan_faults_cache_is_off\0").unwrap()() }
}

fn without_cache(command: &mut Command, folder: &Path) {
    with_reports(command, folder);
    command.env("PYROCLAST_NO_CACHE", "1");
}

fn hidden(command: &mut Command, folder: &Path) {
    with_reports(command, folder);
    command.env("PYROCLAST_FEATURES", "-cache_control");
}

pub const CASES: &[Case] = &[
    Case { name: "the_drivers_cache_is_off", run: || assert!(is_off()), prepare: with_reports },
    Case { name: "the_drivers_cache_is_the_only_one", run: || assert!(!is_off()), prepare: without_cache },
    Case { name: "the_drivers_cache_cannot_be_off", run: || assert!(!is_off()), prepare: hidden },
];
