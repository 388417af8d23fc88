//! Threads that sleep until long work is complete: each has a signal at the right time, also if another one
//! sleeps already. The loader counts how often they look.

use super::{Faults, WAIT, with_events};
use test_support::api::rig::*;
use test_support::api::supervised::Case;

const SOURCE: &str = "kernel void slow(global uint *p) {
    size_t i = get_global_id(0); uint x = p[i];
    for (uint r = 0; r < 30000; r++) x = x * 5 + (x >> 7);
    p[i] = x; }";
const SIZE: usize = 1 << 14;
/// A thread that must look for itself does so this often within a few milliseconds.
const MANY: u64 = 20;

fn all_are_woken() {
    let (faults, rig) = (Faults::open(), Rig::new(SOURCE));
    let (queue, kernel) = (rig.queue(0), rig.kernel("slow"));
    set(kernel, 0, rig.buffer(&[1u32; SIZE]));
    // The first launch is prepared by it.
    release([launch(queue, kernel, SIZE, &[])]);
    finish(queue);
    let event = launch(queue, kernel, SIZE, &[]);
    faults.set(WAIT, u64::MAX, 0);
    let sleeper = Any(event);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| ok(wait(&[sleeper.get()])));
        }
    });
    let looks = faults.calls();
    assert!(looks < MANY, "{looks} calls");
    event.release();
}

pub const CASES: &[Case] =
    &[Case { name: "all_sleeping_threads_are_woken", run: all_are_woken, prepare: with_events }];
