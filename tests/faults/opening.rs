//! Devices are opened by the first context. The first process on a machine opens them to learn what they can
//! do, and later ones read that from the disk cache. The loader counts the devices.

use super::{Faults, MEMORY, OUT_OF_DEVICE_MEMORY, OUT_OF_HOST_MEMORY, program, with_faults};
use libtest_mimic::Failed;
use std::ptr::{null, null_mut};
use test_support::api::rig::ok;
use test_support::api::supervised::{Case, supervise};
use test_support::api::*;

fn open_devices(faults: &Faults) -> i64 {
    faults.live()["device"]
}

/// Facts that trials of an open device show.
fn trial_facts() -> [Vec<u8>; 4] {
    [
        CL_DEVICE_SVM_CAPABILITIES,
        CL_DEVICE_EXTENSIONS,
        CL_DEVICE_IMAGE_PITCH_ALIGNMENT,
        CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT,
    ]
    .map(|name| device_info(device(), name).unwrap())
}

/// The file in which the first process leaves the facts that it reports.
fn report() -> std::path::PathBuf {
    std::path::Path::new(&std::env::var_os("PYROCLAST_CACHE_DIR").unwrap()).join("report")
}

/// The device is open once it is listed.
fn first() {
    let faults = Faults::open();
    let facts = trial_facts();
    assert!(open_devices(&faults) > 0);
    std::fs::write(report(), facts.join(&b'\n')).unwrap();
    program::run().unwrap();
}

/// The device is open once it has a context, and the same facts are known before.
fn next() {
    let faults = Faults::open();
    assert!(trial_facts().join(&b'\n') == std::fs::read(report()).unwrap());
    assert_eq!(number(&device_info(device(), CL_DEVICE_AVAILABLE).unwrap()), 1);
    assert_eq!(open_devices(&faults), 0);
    program::run().unwrap();
    assert_eq!(open_devices(&faults), 1);
}

/// Calls of the opening fail. The context is not created then, and the program can try again.
fn failing() {
    let faults = Faults::open();
    let (device, mut failures) = (device(), 0);
    for call in 0.. {
        let result = [OUT_OF_DEVICE_MEMORY, OUT_OF_HOST_MEMORY][call % 2];
        faults.set(MEMORY, call as u64, result);
        let mut code = 0;
        // SAFETY: one live device, no properties and no callback.
        let context = unsafe { clCreateContext(null(), 1, &device, None, null_mut(), &mut code) };
        if code == CL_SUCCESS {
            // SAFETY: the live context.
            ok(unsafe { clReleaseContext(context) });
            break;
        }
        let expected = if call % 2 == 0 { CL_DEVICE_NOT_AVAILABLE } else { CL_OUT_OF_HOST_MEMORY };
        assert_eq!(code, expected, "{:?}", faults.failed());
        assert_eq!(open_devices(&faults), i64::from(call > 0), "{:?}", faults.failed());
        failures += 1;
    }
    assert!(failures >= 2, "{failures} failures");
    faults.set(0, 0, 0);
    program::run().unwrap();
    assert_eq!(open_devices(&faults), 1);
}

pub const FIRST: Case = Case { name: "part_first_lists_devices", run: first, prepare: with_faults };
pub const NEXT: Case = Case { name: "part_next_lists_devices", run: next, prepare: with_faults };
pub const FAILING: Case = Case { name: "part_opening_fails", run: failing, prepare: with_faults };

pub fn processes() -> Result<(), Failed> {
    let cache = std::env::temp_dir().join(format!("pyroclast-opening-{}", std::process::id()));
    let folder = cache.to_str().ok_or("a temporary folder with a strange name")?;
    // A process whose trials fail for lack of memory keeps no facts: the last one finds those of the first.
    let result = [&FIRST, &NEXT, &FAILING, &NEXT]
        .iter()
        .try_for_each(|part| supervise(part, &[("PYROCLAST_CACHE_DIR", folder)]));
    let _ = std::fs::remove_dir_all(&cache);
    result
}
