//! Overhead of the recorder: the same launches with it off and on, in turn, in processes of their own.
//!
//! `bench_profile [DEVICE] [MICROSECONDS]`: a device as in PYROCLAST_DEVICES ("cpu" if absent), and the
//! length of a launch (20 if absent). For each mode it prints medians of rounds in microseconds for a launch,
//! and the median of the paired differences. `./x bench profile` runs it.

#![allow(clippy::print_stdout)] // a program that prints
#![allow(clippy::unwrap_used)] // a step that fails ends it

use std::process::Command;
use std::ptr::{null, null_mut};
use std::time::Instant;
use test_support::api::rig::*;
use test_support::api::*;
use test_support::cl::Progress;

const SOURCE: &str = "kernel void spin(global uint *p, uint n) {
    uint x = p[get_global_id(0)];
    for (uint i = 0; i < n; i++) x = x * 1664525u + 1013904223u;
    p[get_global_id(0)] = x;
}";
/// Names the child process's launch time in nanoseconds.
const ROLE: &str = "BENCH_PROFILE_CHILD";
/// Launches of a block, and blocks of a round. The fast blocks count: other processes disturb the rest.
const LAUNCHES: usize = 100;
const BLOCKS: usize = 60;
const ROUNDS: usize = 15;
const MODES: [&str; 3] = ["launches in a chain", "launch and finish", "launch and blocking read"];

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The time that a tenth of the blocks undercut, in microseconds for a launch.
fn fast_block(block: impl Fn()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        block();
        start.elapsed().as_secs_f64() * 1e6 / LAUNCHES as f64
    };
    let mut times: Vec<f64> = (0..BLOCKS).map(time).collect();
    times.sort_by(f64::total_cmp);
    times[BLOCKS / 10]
}

/// Microseconds for a launch in each mode.
fn measure(length: f64) -> [f64; 3] {
    let rig = Rig::new(SOURCE);
    let (queue, kernel, buffer) = (rig.queue(0), rig.kernel("spin"), rig.buffer(&[1u32; 64]));
    set(kernel, 0, buffer);
    // SAFETY: a live queue.
    let finish = || ok(unsafe { clFinish(queue) });
    let launch = || {
        let size = 64usize;
        // SAFETY: live handles; the size has one dimension.
        ok(unsafe { clEnqueueNDRangeKernel(queue, kernel, 1, null(), &size, null(), 0, null(), null_mut()) });
    };
    let chain = || {
        (0..LAUNCHES).for_each(|_| launch());
        finish();
    };
    // The code of a kernel that runs long becomes better; then the trips are chosen for the length.
    let mut trips = 2000u32;
    for _ in 0..6 {
        set(kernel, 1, trips);
        let time = fast_block(chain);
        std::thread::sleep(std::time::Duration::from_millis(80));
        trips = ((f64::from(trips) * length / time) as u32).clamp(1, 1 << 24);
    }
    if let Ok(fixed) = std::env::var("BENCH_PROFILE_TRIPS") {
        trips = fixed.parse().unwrap();
    }
    set(kernel, 1, trips);
    eprintln!("{trips}");
    let each = |step: &dyn Fn()| {
        fast_block(|| {
            (0..LAUNCHES).for_each(|_| {
                launch();
                step();
            });
        })
    };
    [fast_block(chain), each(&finish), each(&|| drop(read::<u32>(queue, buffer, 1)))]
}

/// Runs a child. Returns its times and the kernel's trips.
fn child(
    device: &str,
    length: f64,
    trips: Option<&str>,
    folder: Option<&std::path::Path>,
) -> ([f64; 3], String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env(ROLE, length.to_string()).env("PYROCLAST_DEVICES", device);
    if let Some(trips) = trips {
        command.env("BENCH_PROFILE_TRIPS", trips);
    }
    if let Some(folder) = folder {
        command.env("PYROCLAST_PROFILE", folder);
    }
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let times: Vec<f64> = text.split_whitespace().map(|t| t.parse().unwrap()).collect();
    let trips = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    (times.try_into().unwrap(), trips)
}

fn main() {
    if let Ok(length) = std::env::var(ROLE) {
        let times = measure(length.parse().unwrap());
        return println!("{} {} {}", times[0], times[1], times[2]);
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let device = arguments.first().map_or("cpu", String::as_str);
    let length = arguments.get(1).map_or(20.0, |t| t.parse().unwrap());
    let folder = std::env::temp_dir().join(format!("pyroclast-bench-profile-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (_, trips) = child(device, length, None, None);
    let progress = Progress::new(false, "rounds", 1, (0..ROUNDS).map(|round| (round.to_string(), None)));
    let pairs: Vec<([f64; 3], [f64; 3])> = (0..ROUNDS)
        .map(|round| {
            let start = Instant::now();
            let off = || child(device, length, Some(&trips), None).0;
            let on = || child(device, length, Some(&trips), Some(&folder)).0;
            // Each is first in turn.
            let pair = if round % 2 == 0 {
                let first = off();
                (first, on())
            } else {
                let first = on();
                (off(), first)
            };
            progress.done(&round.to_string(), start.elapsed().as_secs_f64(), false);
            pair
        })
        .collect();
    progress.clear();
    std::fs::remove_dir_all(folder).unwrap();
    println!("{device}, {trips} trips, {ROUNDS} rounds");
    println!("{:<28}{:>9}{:>9}{:>11}", "us a launch", "off", "on", "overhead");
    for (mode, name) in MODES.iter().enumerate() {
        let off = median(pairs.iter().map(|p| p.0[mode]).collect());
        let on = median(pairs.iter().map(|p| p.1[mode]).collect());
        let more = median(pairs.iter().map(|p| p.1[mode] / p.0[mode] - 1.0).collect());
        println!("{name:<28}{off:>9.2}{on:>9.2}{:>10.1}%", more * 100.0);
    }
}
