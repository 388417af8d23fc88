//! Failing Vulkan calls: one call of a program (`program.rs`) returns an error that Vulkan
//! allows, each call in turn. The program must receive an error that OpenCL allows there, without crashes,
//! hangs and leaks, and the next program must work, unless the device was lost. `limits.rs` has
//! the faults of the system: full disks, no descriptors, no memory.
//!
//! The loader in `vulkan_faults` replaces libvulkan.so.1 in the child processes. `PYROCLAST_STRESS=1` tries
//! every call with every error; without it the tests try a selection.

#![allow(clippy::unwrap_used, clippy::panic)]

mod ahead;
mod fences;
mod fills;
mod internal_cache;
mod limits;
mod loss;
mod opening;
mod program;
mod queues;
mod repeats;
mod sleepers;
mod statistics;
mod views;

use libloading::Library;
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::ptr::null_mut;
use std::time::Duration;
use test_support::api::rig::*;
use test_support::api::supervised::{
    self, Case, memory_settles, no_children, open_descriptors, supervise, thorough, threads,
};
use test_support::api::*;

/// Classes of functions of the faulty loader.
const MEMORY: u32 = 1;
const LOSS: u32 = 2;
const SUBMIT: u32 = 4;
const WAIT: u32 = 8;
const FENCE: u32 = 32;
const PIPELINE: u32 = 64;
const OUT_OF_HOST_MEMORY: i32 = -1;
const OUT_OF_DEVICE_MEMORY: i32 = -2;
const INITIALIZATION_FAILED: i32 = -3;
const DEVICE_LOST: i32 = -4;

/// Folder from which the child loads the faulty loader.
const FOLDER: &str = "VULKAN_FAULTS_FOLDER";

/// Control functions of the faulty loader.
struct Faults(Library);

impl Faults {
    fn open() -> Faults {
        let path = Path::new(&std::env::var_os(FOLDER).unwrap()).join("libvulkan.so.1");
        // SAFETY: it does nothing when loaded.
        Faults(unsafe { Library::new(path) }.unwrap())
    }
    fn set(&self, class: u32, number: u64, result: i32) {
        // SAFETY: the function has this type.
        unsafe {
            self.0.get::<extern "C" fn(u32, u64, i32)>(b"vulkan_faults_set\0").unwrap()(class, number, result)
        }
    }
    fn calls(&self) -> u64 {
        // SAFETY: as above.
        unsafe { self.0.get::<extern "C" fn() -> u64>(b"vulkan_faults_calls\0").unwrap()() }
    }
    /// Name of the function that failed.
    fn failed(&self) -> Option<&'static str> {
        // SAFETY: as above; a string that lives as long as the library, which is not closed.
        unsafe {
            let name = self.0.get::<extern "C" fn() -> *const c_char>(b"vulkan_faults_failed\0").unwrap()();
            (!name.is_null()).then(|| CStr::from_ptr(name).to_str().unwrap())
        }
    }
    /// Live objects by kind.
    fn live(&self) -> BTreeMap<&'static str, i64> {
        let mut all = BTreeMap::new();
        for kind in 0.. {
            let mut count = 0i64;
            // SAFETY: as above.
            unsafe {
                let name = self
                    .0
                    .get::<extern "C" fn(u32, *mut i64) -> *const c_char>(b"vulkan_faults_live\0")
                    .unwrap()(kind, &mut count);
                if name.is_null() {
                    return all;
                }
                all.insert(CStr::from_ptr(name).to_str().unwrap(), count);
            }
        }
        all
    }
}

/// The path of the Vulkan loader of this machine.
fn vulkan() -> Option<PathBuf> {
    // SAFETY: the Vulkan loader does nothing when loaded.
    let library = unsafe { Library::new("libvulkan.so.1") }.ok()?;
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let path = maps
        .lines()
        .find_map(|l| l.find('/').map(|at| &l[at..]).filter(|p| p.contains("/libvulkan.so")))?
        .to_owned();
    drop(library);
    Some(path.into())
}

fn with_faults(command: &mut Command, folder: &Path) {
    let own = std::env::current_exe().unwrap().with_file_name("libvulkan_faults.so");
    assert!(own.is_file(), "{} is missing", own.display());
    std::os::unix::fs::symlink(own, folder.join("libvulkan.so.1")).unwrap();
    command.env("VULKAN_FAULTS_REAL", vulkan().expect("a Vulkan loader is installed"));
    let path = std::env::var("LD_LIBRARY_PATH").unwrap_or_default();
    command.env("LD_LIBRARY_PATH", format!("{}:{path}", folder.display())).env(FOLDER, folder);
    // All cases share one cache of compilations: other tests cover the compiler's child process.
    command
        .env_remove("PYROCLAST_NO_CACHE")
        .env("PYROCLAST_CACHE_DIR", std::env::temp_dir().join("pyroclast-faults-cache"));
    command.env("PYROCLAST_DEVICES", "vulkan").env("PYROCLAST_VALIDATE", "none");
    command.env("PYROCLAST_FEATURES", "-slow_signals");
}

/// The completion of work is seen by events that command buffers set, not by semaphores.
fn with_events(command: &mut Command, folder: &Path) {
    with_faults(command, folder);
    command.env("PYROCLAST_FEATURES", "-quick_signals,-mapped_buffers");
}

/// Errors that OpenCL allows for a call whose allocation fails.
fn allowed((what, code): program::Failure) -> bool {
    match code {
        CL_OUT_OF_RESOURCES | CL_OUT_OF_HOST_MEMORY => true,
        CL_MEM_OBJECT_ALLOCATION_FAILURE => {
            what.starts_with("clCreate")
                || what.starts_with("clEnqueue")
                || what.starts_with("clSVM")
                || what.starts_with("clCommand")
        }
        // A command that waits for a failed one, and a call that waits for such a command.
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST => {
            what == "clWaitForEvents" || what.starts_with("clEnqueue")
        }
        _ => false,
    }
}

fn memory_runs_out() {
    let faults = Faults::open();
    for _ in 0..3 {
        program::run().unwrap();
    }
    faults.set(MEMORY, u64::MAX, 0);
    program::run().unwrap();
    let calls = faults.calls();
    assert!(calls > 40, "{calls} calls");
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    objects_settle(&faults, || {
        for number in 0..calls {
            let results = [OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY];
            let results = if thorough() { &results[..] } else { &results[number as usize % 2..][..1] };
            for result in results {
                faults.set(MEMORY, number, *result);
                let ended = program::run();
                let failed = faults.failed();
                faults.set(0, 0, 0);
                eprintln!("call {number}, {}, result {result}: {ended:?}", failed.unwrap_or("not reached"));
                if let Err(failure) = ended {
                    assert!(allowed(failure), "{failure:?}");
                    *seen.entry(failed.unwrap()).or_default() += 1;
                }
                if thorough() || number % 8 == 0 {
                    program::run().unwrap();
                }
            }
        }
        program::run().unwrap();
    });
    // Calls that only fail where pools are empty come and go with the timing of threads.
    assert!(seen.len() >= 6, "only {seen:?} failed");
    no_children();
}

/// Requires that a pass of work leaves hardly more objects and descriptors than existed before it. Earlier
/// passes may leave more, since pools grow to the maximum number in use, or free, at a time.
fn objects_settle(faults: &Faults, mut pass: impl FnMut()) {
    let mut counts = vec![(faults.live(), open_descriptors())];
    while counts.len() <= 8 {
        pass();
        let (before, descriptors) = &counts[counts.len() - 1];
        let few = || as_few(before, &faults.live()) && open_descriptors() <= descriptors + 2;
        if within(Duration::from_secs(5), few) {
            return;
        }
        counts.push((faults.live(), open_descriptors()));
    }
    panic!("objects and descriptors after each pass: {counts:?}");
}

/// Whether the number of live objects has hardly grown.
fn as_few(before: &BTreeMap<&str, i64>, after: &BTreeMap<&str, i64>) -> bool {
    after.iter().all(|(kind, count)| *count <= before[kind] + 2)
}

/// Requires that everything is released: Vulkan objects, memory, descriptors, threads.
fn nothing_is_left() {
    let faults = Faults::open();
    let rounds = if thorough() { 5_000 } else { 75 };
    (0..40).for_each(|_| program::run().unwrap());
    let before = threads();
    memory_settles(12, || objects_settle(&faults, || (0..rounds).for_each(|_| program::run().unwrap())));
    assert!(eventually(|| threads() <= before + 2), "threads: {before} before, {} after", threads());
    no_children();
}

/// After the last command completes, no thread of the driver calls Vulkan: the application may exit and run
/// the destructors of Vulkan's libraries. The reaper completes the commands, since no other thread waits.
fn vulkan_is_left_alone() {
    let faults = Faults::open();
    let rig = Rig::new(
        "kernel void k(global uint *p, uint n) { for (uint i = 0; i < n; i++) p[get_global_id(0)] += i; }",
    );
    let (queue, kernel, buffer) = (rig.queue(0), rig.kernel("k"), rig.buffer(&[0u32; 64]));
    set(kernel, 0, buffer);
    for round in 0..30 {
        set(kernel, 1, 1000u32 << (round % 8));
        let event = launch(queue, kernel, 64, &[]);
        faults.set(MEMORY, u64::MAX, 0);
        // SAFETY: a live queue.
        ok(unsafe { clFlush(queue) });
        while status(event) != CL_COMPLETE {
            std::thread::yield_now();
        }
        let calls = faults.calls();
        std::thread::sleep(Duration::from_millis(3));
        assert_eq!(faults.calls(), calls, "round {round}");
        event.release();
    }
}

/// The device is lost in the middle of a program's work.
fn the_device_is_lost() {
    let faults = Faults::open();
    let number: u64 = std::env::var("FAULT_NUMBER").unwrap().parse().unwrap();
    let (device, unavailable) = (device(), || number_of(CL_DEVICE_AVAILABLE) == 0);
    assert!(!unavailable());
    faults.set(LOSS, number, DEVICE_LOST);
    let ended = program::run();
    eprintln!("call {number}, {:?}: {ended:?}", faults.failed());
    let lost = faults.failed().is_some();
    if let Err(failure) = ended {
        assert!(lost && allowed(failure), "{failure:?}");
    }
    if lost {
        // Every later program fails as well; queries of the platform and the device still work.
        let (what, code) = program::run().expect_err("the device is lost");
        assert!(
            matches!(code, CL_OUT_OF_RESOURCES | CL_DEVICE_NOT_AVAILABLE | CL_OUT_OF_HOST_MEMORY),
            "{what}: {code}"
        );
        assert!(unavailable());
        assert!(!text(&device_info(device, CL_DEVICE_NAME).unwrap()).is_empty());
    }
}

fn number_of(name: cl_device_info) -> u64 {
    number(&device_info(device(), name).unwrap())
}

/// A call fails during device enumeration: the list is empty, or contains a working device.
fn the_start_fails() {
    let (faults, mut count) = (Faults::open(), 0);
    // SAFETY: a query of the count.
    let code = unsafe { clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 0, null_mut(), &mut count) };
    let failed = faults.failed();
    faults.set(0, 0, 0);
    eprintln!("{failed:?}: code {code}, {count} devices");
    match code {
        CL_SUCCESS => program::run().unwrap(),
        code => assert!(code == CL_DEVICE_NOT_FOUND && failed.is_some(), "{failed:?}: {code}"),
    }
}

const PARTS: &[Case] = &[
    Case { name: "part_device_is_lost", run: the_device_is_lost, prepare: with_faults },
    Case { name: "part_device_is_lost_with_events", run: the_device_is_lost, prepare: with_events },
    Case { name: "part_start_fails", run: the_start_fails, prepare: with_faults },
    limits::SHARER,
    ahead::FIRST,
    ahead::NEXT,
    loss::REPORT,
    loss::REPORT_WITH_EVENTS,
    loss::LONG_EXECUTION,
    opening::FIRST,
    opening::NEXT,
    opening::FAILING,
];
const CASES: &[Case] = &[
    Case { name: "memory_runs_out", run: memory_runs_out, prepare: with_faults },
    Case { name: "vulkan_is_left_alone", run: vulkan_is_left_alone, prepare: with_faults },
    Case { name: "memory_runs_out_with_events", run: memory_runs_out, prepare: with_events },
    Case { name: "vulkan_is_left_alone_with_events", run: vulkan_is_left_alone, prepare: with_events },
    Case { name: "nothing_is_left_with_events", run: nothing_is_left, prepare: with_events },
    Case { name: "nothing_is_left", run: nothing_is_left, prepare: with_faults },
];

fn losses() -> Result<(), Failed> {
    let step = if thorough() { 1 } else { 9 };
    for number in (0..100).step_by(step) {
        for part in &PARTS[..2] {
            supervise(part, &[("FAULT_NUMBER", &number.to_string())])?;
        }
    }
    Ok(())
}

fn starts() -> Result<(), Failed> {
    let results = [OUT_OF_HOST_MEMORY, INITIALIZATION_FAILED, OUT_OF_DEVICE_MEMORY];
    for number in 0..if thorough() { 60 } else { 24 } {
        let chosen = if thorough() { &results[..] } else { &results[number % 3..][..1] };
        for result in chosen {
            supervise(&PARTS[2], &[("VULKAN_FAULTS", &format!("{MEMORY} {number} {result}"))])?;
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let more = vec![
        Trial::test("the_device_is_lost", losses),
        Trial::test("the_start_fails", starts),
        Trial::test("pipelines_are_created_ahead", ahead::processes),
        Trial::test("a_lost_device_is_reported", loss::reports_name_the_kernel),
        Trial::test("long_executions_are_named", loss::long_executions_are_named),
        Trial::test("contexts_open_devices", opening::processes),
    ];
    supervised::main_with(
        &[
            CASES,
            fences::CASES,
            fills::CASES,
            limits::CASES,
            queues::CASES,
            repeats::CASES,
            sleepers::CASES,
            internal_cache::CASES,
            statistics::CASES,
            views::CASES,
        ],
        PARTS,
        more,
    )
}
