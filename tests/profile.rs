//! `pyroclast profile` and `pyroclast trace`: programs with several threads and queues, out-of-order queues,
//! command buffers, and programs that crash or are killed, on the CPU device and on Vulkan devices.
//!
//! The programs are tests of this file, run in a child process with their names in an environment variable.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::ptr::{null, null_mut};
use std::time::Duration;
use test_support::api::command_buffer::*;
use test_support::api::extension::has_extension;
use test_support::api::recording;
use test_support::api::rig::*;
use test_support::api::*;

/// Names the program in the child process.
const ROLE: &str = "PROFILED_PROGRAM";
const SOURCE: &str = "
kernel void step(global int *p) { int i = get_global_id(0); p[i] = p[i] * 3 + 1; }
kernel void sum(global int *p, global const int *q) { int i = get_global_id(0); p[i] += q[i]; }
";
const N: usize = 256;

/// Whether this process is the child that runs `name`.
fn plays(name: &str) -> bool {
    std::env::var(ROLE).is_ok_and(|role| role == name)
}

fn numbers() -> Vec<i32> {
    (0..N as i32).collect()
}

/// Launches and blocking reads of 4 bytes in one queue.
fn work(rig: Rig, queue: cl_command_queue, count: usize) {
    let (kernel, buffer) = (rig.kernel("step"), rig.buffer(&numbers()));
    set(kernel, 0, buffer);
    for _ in 0..count {
        launch(queue, kernel, N, &[]);
        read::<i32>(queue, buffer, 1);
    }
    // SAFETY: live handles.
    ok(unsafe { clReleaseMemObject(buffer) });
}

#[test]
fn program_threads() {
    if !plays("program_threads") {
        return;
    }
    let rig = Rig::new(SOURCE);
    // Two queues of one device, and an out-of-order one, each with a thread.
    let queues = [0, 0, OUT_OF_ORDER].map(|properties| Any(rig.queue(properties)));
    std::thread::scope(|scope| {
        for queue in &queues {
            scope.spawn(move || work(rig, queue.get(), 5));
        }
    });
    // A command that waits for a user event.
    let (kernel, buffer) = (rig.kernel("step"), rig.buffer(&numbers()));
    set(kernel, 0, buffer);
    let mut code = 1;
    // SAFETY: live handles.
    let event = unsafe { clCreateUserEvent(rig.context, &mut code) };
    let launched = launch(queues[0].get(), kernel, N, &[event]);
    std::thread::sleep(std::time::Duration::from_millis(30));
    // SAFETY: live handles.
    ok(unsafe { clSetUserEventStatus(event, CL_COMPLETE) });
    ok(wait(&[launched]));
    // A call that fails.
    // SAFETY: the size is what is wrong.
    let failed = unsafe { clCreateBuffer(rig.context, CL_MEM_READ_ONLY, 0, null_mut(), &mut code) };
    assert!(failed.is_null());
}

#[test]
fn program_command_buffer() {
    if !plays("program_command_buffer") {
        return;
    }
    let rig = Rig::new(SOURCE);
    let (queue, kernel, buffer) = (rig.queue(0), rig.kernel("step"), rig.buffer(&numbers()));
    set(kernel, 0, buffer);
    if !has_extension("cl_khr_command_buffer") {
        return;
    }
    let recorded = recording::create(queue, &[]).unwrap();
    for _ in 0..3 {
        recording::record(recorded, kernel, N, &[]);
    }
    // SAFETY: live handles.
    unsafe {
        ok(clFinalizeCommandBufferKHR(recorded));
        for _ in 0..2 {
            ok(clEnqueueCommandBufferKHR(0, null_mut(), recorded, 0, null(), null_mut()));
        }
        ok(clFinish(queue));
    }
}

#[test]
fn program_killed() {
    if !plays("program_killed") {
        return;
    }
    let rig = Rig::new(SOURCE);
    work(rig, rig.queue(0), 3);
    let kill = Command::new("sh").args(["-c", &format!("kill -s KILL {}", std::process::id())]).status();
    assert!(kill.is_ok_and(|status| status.success()));
    std::thread::sleep(Duration::from_secs(60));
}

#[test]
fn program_crashes_in_a_call() {
    if !plays("program_crashes_in_a_call") {
        return;
    }
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    work(rig, queue, 1);
    extern "C" fn crash(_: *mut c_void) {
        // The main thread is in clFinish by then.
        std::thread::sleep(Duration::from_millis(300));
        std::process::abort();
    }
    // SAFETY: live handles; the native kernel has no arguments.
    unsafe {
        ok(clEnqueueNativeKernel(
            queue,
            Some(crash),
            null_mut(),
            0,
            0,
            null(),
            null_mut(),
            0,
            null(),
            null_mut(),
        ));
        clFinish(queue);
    }
}

/// A folder of a test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("pyroclast-test-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs a program of this file under a command of the tool.
fn run(command: &[&str], folder: &Path, device: &str, program: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pyroclast"))
        .args(command)
        .arg("--")
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", program])
        .current_dir(folder)
        .env(ROLE, program)
        .env("PYROCLAST_DEVICES", device)
        .env("PYROCLAST_NO_CACHE", "1")
        .output()
        .unwrap()
}

/// Profiles a program: the summary, and the events of the trace.
fn profile(folder: &Folder, device: &str, program: &str) -> (Output, Vec<Value>) {
    let command = ["profile", "--trace", "trace.json", "--html", "report.html"];
    let output = run(&command, &folder.0, device, program);
    let trace: Value = serde_json::from_str(&folder.read("trace.json")).unwrap();
    let events = trace["traceEvents"].as_array().unwrap().clone();
    check_events(&events);
    (output, events)
}

/// Checks every event against the trace format.
fn check_events(events: &[Value]) {
    let number = |event: &Value, field: &str| event[field].as_f64().filter(|n| *n >= 0.0).is_some();
    for event in events {
        let phase = event["ph"].as_str().unwrap();
        assert!(["X", "M", "C", "s", "f"].contains(&phase), "{event}");
        assert!(event["name"].is_string() && number(event, "ts"), "{event}");
        assert!(event["pid"].is_u64() && event["tid"].is_u64(), "{event}");
        match phase {
            "X" => assert!(number(event, "dur") && event["cat"].is_string(), "{event}"),
            "M" => assert!(event["args"]["name"].is_string(), "{event}"),
            "C" => assert!(event["args"]["bytes"].is_u64(), "{event}"),
            // Perfetto drops flows whose ids are not numbers.
            _ => assert!(event["id"].is_u64(), "{event}"),
        }
    }
    // Flows begin and end in pairs.
    let flows = |phase: &str| events.iter().filter(|e| e["ph"] == phase).count();
    assert_eq!(flows("s"), flows("f"));
    // Events of a row nest or follow each other.
    let mut rows: BTreeMap<(u64, u64), Vec<(u64, u64)>> = BTreeMap::new();
    for event in events.iter().filter(|e| e["ph"] == "X" && e["cat"] != "call" && e["cat"] != "build") {
        let nanos = |field: &str| (event[field].as_f64().unwrap() * 1e3).round() as u64;
        let row = (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap());
        rows.entry(row).or_default().push((nanos("ts"), nanos("ts") + nanos("dur")));
    }
    for times in rows.values_mut() {
        times.sort_unstable();
        assert!(times.windows(2).all(|pair| pair[0].1 <= pair[1].0), "commands of a row overlap");
    }
}

/// Events with this name and category.
fn count(events: &[Value], category: &str, name: &str) -> usize {
    events.iter().filter(|e| e["ph"] == "X" && e["cat"] == category && e["name"] == name).count()
}

/// Devices of this machine: software ones are enough.
const DEVICES: [&str; 2] = ["cpu", "vulkan"];

#[test]
fn threads_and_queues() {
    for device in DEVICES {
        let folder = Folder::new(&format!("threads-{device}"));
        let (output, events) = profile(&folder, device, "program_threads");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{text}");
        assert_eq!(count(&events, "kernel", "step"), 16, "{device}");
        assert_eq!(count(&events, "read", "read"), 15, "{device}");
        assert_eq!(count(&events, "call", "clEnqueueNDRangeKernel"), 16, "{device}");
        assert!(count(&events, "build", "front end") >= 1 && count(&events, "build", "build") == 1);
        let blocking = |e: &&Value| e["cat"] == "read" && e["args"]["blocking"] == true;
        assert_eq!(events.iter().filter(blocking).count(), 15, "{device}");
        // Three queues, and a thread for each of them besides the main one.
        // The out-of-order queue may have several rows.
        let names: BTreeSet<&str> = events.iter().filter_map(|e| e["args"]["name"].as_str()).collect();
        assert_eq!(names.iter().filter(|n| n.starts_with("queue ")).count(), 3, "{names:?}");
        let callers: BTreeSet<u64> =
            events.iter().filter(|e| e["cat"] == "call").filter_map(|e| e["tid"].as_u64()).collect();
        assert!(callers.len() >= 4, "{callers:?}");
        // The launch that a user event held back for 30 ms.
        assert!(text.contains("waits for an event") && text.contains("computes"), "{text}");
        assert!(text.contains("1 call returned an error"), "{text}");
        for part in ["Kernels", "step", "Transfers", "Calls", "clCreateBuffer", "Builds", "Memory objects"] {
            assert!(text.contains(part), "{part} is missing:\n{text}");
        }
        let page = folder.read("report.html");
        assert!(page.contains("\"name\":\"step\"") && page.contains("</html>"));
    }
}

#[test]
fn times_of_commands_are_in_order() {
    for device in DEVICES {
        let folder = Folder::new(&format!("order-{device}"));
        let (_, events) = profile(&folder, device, "program_threads");
        for event in events.iter().filter(|e| e["args"]["queued"].is_number()) {
            let time = |field: &str| event["args"][field].as_f64().unwrap();
            let start = event["ts"].as_f64().unwrap();
            assert!(time("queued") <= time("submitted") && time("submitted") <= start + 0.001, "{event}");
        }
    }
}

#[test]
fn command_buffers() {
    for device in DEVICES {
        let folder = Folder::new(&format!("buffers-{device}"));
        let (output, events) = profile(&folder, device, "program_command_buffer");
        assert!(output.status.success());
        let name = "command buffer (3 commands)";
        assert_eq!(count(&events, "command buffer", name), 2, "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn killed_programs_keep_what_was_recorded() {
    for device in DEVICES {
        let folder = Folder::new(&format!("killed-{device}"));
        let (output, events) = profile(&folder, device, "program_killed");
        assert_eq!(output.status.code(), Some(128 + 9));
        assert_eq!(count(&events, "kernel", "step"), 3, "{device}");
        assert_eq!(count(&events, "call", "clReleaseMemObject"), 1, "{device}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("signal 9"));
    }
}

#[test]
fn crashing_programs_show_the_call_they_were_in() {
    let folder = Folder::new("crash");
    let (output, events) = profile(&folder, "cpu", "program_crashes_in_a_call");
    assert_eq!(output.status.code(), Some(128 + 6));
    assert_eq!(count(&events, "kernel", "step"), 1);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("was in clFinish when the program ended"), "{text}");
    let folder = Folder::new("crash-trace");
    run(&["trace", "-o", "calls"], &folder.0, "cpu", "program_crashes_in_a_call");
    let last = folder.read("calls").lines().last().unwrap().to_owned();
    assert!(last.contains("clFinish(command_queue=0x") && last.ends_with("= ?"), "{last}");
}

#[test]
fn traces_have_arguments_and_errors() {
    let folder = Folder::new("trace");
    let output = run(&["trace", "-o", "calls"], &folder.0, "cpu", "program_threads");
    assert!(output.status.success());
    let text = folder.read("calls");
    for part in [
        "clCreateKernel(program=0x",
        "kernel_name=\"step\"",
        "global_work_offset=NULL, global_work_size=[256], local_work_size=NULL",
        "flags=CL_MEM_READ_WRITE|CL_MEM_COPY_HOST_PTR, size=1024",
        "properties=CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE",
        "blocking_read=CL_TRUE, offset=0, size=4",
        "size=0, host_ptr=NULL) = CL_INVALID_BUFFER_SIZE <",
        "execution_status=0) = CL_SUCCESS <",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
    // Calls of several threads name their threads.
    let launches: Vec<&str> = text.lines().filter(|l| l.contains("clEnqueueNDRangeKernel")).collect();
    assert_eq!(launches.len(), 16);
    assert!(launches.iter().all(|l| l.contains("] clEnqueue")), "{text}");
    let only = Folder::new("trace-only");
    run(&["trace", "--errors", "--only", "clCreate", "-o", "calls"], &only.0, "cpu", "program_threads");
    assert_eq!(only.read("calls").lines().count(), 1);
}

#[test]
fn recordings_can_be_kept_and_reported_later() {
    let folder = Folder::new("data");
    let output = run(&["profile", "-q", "--data", "data"], &folder.0, "cpu", "program_killed");
    assert_eq!(output.status.code(), Some(128 + 9));
    let report = Command::new(env!("CARGO_BIN_EXE_pyroclast"))
        .args(["profile", "--data", "data", "--trace", "trace.json"])
        .current_dir(&folder.0)
        .output()
        .unwrap();
    assert!(report.status.success());
    assert!(String::from_utf8_lossy(&report.stderr).contains("step"));
    // A cut file is read as far as it goes.
    let file = std::fs::read_dir(folder.0.join("data")).unwrap().flatten().next().unwrap().path();
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() / 2 + 100]).unwrap();
    let report = Command::new(env!("CARGO_BIN_EXE_pyroclast"))
        .args(["profile", "--data", "data"])
        .current_dir(&folder.0)
        .output()
        .unwrap();
    assert!(report.status.success(), "{}", String::from_utf8_lossy(&report.stderr));
}
