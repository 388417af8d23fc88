//! The report on a lost device: one line in the log, and the same text for the context's callback. It names
//! the queue, the kernel, the command (if the log shows messages for debugging) and the address of the fault.

use super::{DEVICE_LOST, FOLDER, Faults, SUBMIT, WAIT, with_events, with_faults};
use libtest_mimic::Failed;
use std::ffi::{CStr, c_char, c_void};
use std::path::Path;
use std::process::Command;
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use test_support::api::rig::*;
use test_support::api::supervised::{Case, supervise};
use test_support::api::*;

const SOURCE: &str = "kernel void first(global uint *p) { p[get_global_id(0)] += 1; }
kernel void second(global uint *p, uint n) { for (uint i = 0; i < n; i++) p[get_global_id(0)] += i; }
kernel void slow(global uint *p) {
    uint at = get_global_id(0) % 64, x = p[at];
    for (uint i = 0; i < 60000; i++) x = (x ^ x >> 7) * 1664525 + i;
    p[at] = x;
}";
const SIZE: usize = 64;

/// Texts that the context reported.
static TEXTS: Mutex<Vec<String>> = Mutex::new(Vec::new());

unsafe extern "C" fn remember(text: *const c_char, _: *const c_void, _: usize, _: *mut c_void) {
    // SAFETY: a string.
    TEXTS.lock().unwrap().push(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned());
}

fn reports() -> Vec<String> {
    TEXTS.lock().unwrap().iter().filter(|t| t.contains(" is lost")).cloned().collect()
}

fn rig() -> Rig {
    let (device, mut code) = (device(), 1);
    // SAFETY: one device; the callback needs no data.
    let context = unsafe { clCreateContext(null(), 1, &device, Some(remember), null_mut(), &mut code) };
    ok(code);
    Rig { device, context, program: build(context, device, SOURCE) }
}

/// A buffer and its device address; 0 if the device has no such addresses.
fn addressed(rig: &Rig) -> (cl_mem, u64) {
    let (list, mut code, mut address) = ([u64::from(CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT), 1, 0], 1, 0u64);
    // SAFETY: a terminated list; no host memory; room for the address.
    unsafe {
        let size = SIZE * 4;
        let mem = clCreateBufferWithProperties(rig.context, list.as_ptr(), 0, size, null_mut(), &mut code);
        if code != CL_SUCCESS {
            return (rig.buffer(&[0u32; SIZE]), 0);
        }
        let to = (&raw mut address).cast();
        ok(clGetMemObjectInfo(mem, CL_MEM_DEVICE_ADDRESS_EXT, 8, to, null_mut()));
        (mem, address)
    }
}

fn set_address(faults: &Faults, address: u64) {
    // SAFETY: the function has this type.
    unsafe { faults.0.get::<extern "C" fn(u64)>(b"vulkan_faults_address\0").unwrap()(address) }
}

/// Loses the device in a call of the class that `LOSS_CLASS` names, while two kernels are in one batch.
fn the_report() {
    let class: u32 = std::env::var("LOSS_CLASS").unwrap().parse().unwrap();
    let debugging = std::env::var("PYROCLAST_LOG").unwrap() == "debug";
    let (faults, rig) = (Faults::open(), rig());
    let (queue, kernels) = (rig.queue(0), [rig.kernel("first"), rig.kernel("second")]);
    let (mem, address) = addressed(&rig);
    kernels.iter().for_each(|kernel| set(*kernel, 0, mem));
    set(kernels[1], 1, 1u32 << 20); // long enough for waiting threads to sleep
    // The first launches create pipelines.
    let warm: Vec<cl_event> = kernels.iter().map(|k| launch(queue, *k, SIZE, &[])).collect();
    finish(queue);
    set_address(&faults, address + SIZE as u64 * 4 + 16);
    let gate = rig.gate();
    let events = [launch(queue, kernels[0], SIZE, &[gate]), launch(queue, kernels[1], SIZE, &[])];
    faults.set(class, 0, DEVICE_LOST);
    open_gate(gate, CL_COMPLETE);
    // SAFETY: a live queue. Whether the call fails depends on the class.
    unsafe { clFinish(queue) };
    assert!(faults.failed().is_some(), "no call of the class");
    assert!(status(events[1]) < 0, "status {}", status(events[1]));
    assert!(within(Duration::from_secs(60), || !reports().is_empty()), "no report");
    let all = reports();
    assert_eq!(all.len(), 1, "{all:?}");
    let text = &all[0];
    let has = |part: &str| assert!(text.contains(part), "no {part:?} in {text:?}");
    has("queue 0");
    // The loader reports the loss after all work is done, which is seen by events.
    let events_seen = std::env::var("PYROCLAST_FEATURES").unwrap().contains("-quick_signals");
    match (class, debugging) {
        (WAIT, _) if events_seen => has("had completed kernel first (global size 64, local size "),
        (SUBMIT, _) => has("was idle before kernel first (global size 64, local size "),
        (_, false) => has("was executing kernel first (global size 64, local size "),
        (_, true) => has("was executing kernel second (global size 64, local size "),
    }
    if class == WAIT && debugging && !events_seen {
        has("command 2 of 2");
    }
    has("the driver reports: emulated page fault; invalid write at 0x");
    if address != 0 {
        has("(16 bytes after the end of argument 0 of ");
    }
    let log =
        std::fs::read_to_string(std::env::var_os(FOLDER).map(|f| Path::new(&f).join("stderr")).unwrap());
    let lines =
        log.unwrap().lines().filter(|l| l.contains(" is lost")).map(str::to_owned).collect::<Vec<_>>();
    assert!(lines.len() == 1 && lines[0].contains(text), "{lines:?}");
    release([events[0], events[1], gate]);
    release(warm);
}

/// A kernel that executes longer than ten seconds is named in the log, and completes.
fn the_long_execution() {
    let rig = rig();
    let (queue, kernel) = (rig.queue(0), rig.kernel("slow"));
    set(kernel, 0, rig.buffer(&[0u32; SIZE]));
    let seconds = |items: usize| {
        let start = Instant::now();
        let event = launch(queue, kernel, items, &[]);
        finish(queue);
        assert_eq!(status(event), CL_COMPLETE);
        release([event]);
        start.elapsed().as_secs_f64()
    };
    seconds(SIZE);
    let mut items = SIZE;
    let mut last = seconds(items);
    while last < 11.0 {
        items = (items as f64 * (12.5 / last).clamp(1.2, 64.0)) as usize / SIZE * SIZE + SIZE;
        assert!(items < 1 << 30, "{last} s");
        last = seconds(items);
    }
    let log = std::fs::read_to_string(Path::new(&std::env::var_os(FOLDER).unwrap()).join("stderr")).unwrap();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("has been executing")).collect();
    let wanted = "queue 0 has been executing kernel slow (global size ";
    assert!(!lines.is_empty() && lines.iter().all(|line| line.contains(wanted)), "{log}");
}

pub const LONG_EXECUTION: Case =
    Case { name: "part_long_execution", run: the_long_execution, prepare: with_faults };

pub fn long_executions_are_named() -> Result<(), Failed> {
    supervise(&LONG_EXECUTION, &[("PYROCLAST_LOG", "warn")])
}

pub fn with_reports(command: &mut Command, folder: &Path) {
    with_faults(command, folder);
    command.env("VULKAN_FAULTS_REPORT", "1");
}

fn with_events_and_reports(command: &mut Command, folder: &Path) {
    with_events(command, folder);
    command.env("VULKAN_FAULTS_REPORT", "1");
}

pub const REPORT: Case = Case { name: "part_report", run: the_report, prepare: with_reports };
pub const REPORT_WITH_EVENTS: Case =
    Case { name: "part_report_with_events", run: the_report, prepare: with_events_and_reports };

pub fn reports_name_the_kernel() -> Result<(), Failed> {
    let events = &REPORT_WITH_EVENTS;
    for (part, class) in [(&REPORT, SUBMIT), (&REPORT, WAIT), (events, SUBMIT), (events, WAIT)] {
        for log in ["warn", "debug"] {
            supervise(part, &[("LOSS_CLASS", &class.to_string()), ("PYROCLAST_LOG", log)])?;
        }
    }
    Ok(())
}
