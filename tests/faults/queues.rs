//! Several VkQueues, which the loader emulates on devices with one: queues that wait for each other by
//! events, with semaphores or on one VkQueue, and submissions by several threads.

use super::{Faults, with_faults};
use std::path::Path;
use std::process::Command;
use std::ptr::null_mut;
use test_support::api::rig::*;
use test_support::api::supervised::Case;
use test_support::api::*;

const SOURCE: &str = "kernel void begin(global const uint *s, global uint *a, global uint *b) {
    size_t i = get_global_id(0); a[i] = s[i] * 3; b[i] = s[i] ^ 0x55; }
kernel void relax(global uint *to, global const uint *from) {
    size_t i = get_global_id(0); to[i] = from[i] * 5 + from[(i + 1) & 63]; }
kernel void join(global uint *s, global const uint *a, global const uint *b) {
    size_t i = get_global_id(0); s[i] += a[i] ^ b[i]; }
kernel void slow(global uint *s, uint rounds) {
    size_t i = get_global_id(0); uint x = s[i];
    for (uint r = 0; r < rounds; r++) x = x * 5 + 7;
    s[i] = x; }";
const SIZE: usize = 64;

/// Submissions so far, those that wait for semaphores, the most made at the same time, and the most at the
/// same time with queries of and waits for semaphores.
pub fn submissions(faults: &Faults) -> [u64; 4] {
    // SAFETY: the function has this type.
    let count = unsafe { faults.0.get::<extern "C" fn(u32) -> u64>(b"vulkan_faults_submissions\0") }.unwrap();
    [0, 1, 2, 3].map(|kind| count(kind))
}

fn relaxed(from: &[u32]) -> Vec<u32> {
    (0..SIZE).map(|i| from[i].wrapping_mul(5).wrapping_add(from[(i + 1) % SIZE])).collect()
}

/// Runs steps of two queues. Returns the submissions that wait for semaphores.
fn steps(count: usize, read_every: usize) -> u64 {
    let (faults, rig) = (Faults::open(), Rig::new(SOURCE));
    let queues = [rig.queue(0), rig.queue(0)];
    let mut expected: Vec<u32> = (0..SIZE as u32).collect();
    let state = rig.buffer(&expected);
    let [a, b] = [(); 2].map(|()| [rig.buffer(&[0u32; SIZE]), rig.buffer(&[0u32; SIZE])]);
    let kernel = |name: &str, args: &[cl_mem]| {
        let kernel = rig.kernel(name);
        (0..).zip(args).for_each(|(i, arg)| set(kernel, i, *arg));
        kernel
    };
    let begin = kernel("begin", &[state, a[0], b[0]]);
    let links = [kernel("relax", &[a[1], a[0]]), kernel("relax", &[b[1], b[0]])];
    let join = kernel("join", &[state, a[1], b[1]]);
    let before = submissions(&faults);
    for step in 0..count {
        let begun = launch(queues[0], begin, SIZE, &[]);
        let done = launch(queues[1], links[1], SIZE, &[begun]);
        // SAFETY: a live queue.
        ok(unsafe { clFlush(queues[1]) });
        let near = launch(queues[0], links[0], SIZE, &[]);
        let joined = launch(queues[0], join, SIZE, &[done]);
        release([begun, done, near, joined]);
        let [x, y] = [
            relaxed(&expected.iter().map(|s| s.wrapping_mul(3)).collect::<Vec<_>>()),
            relaxed(&expected.iter().map(|s| s ^ 0x55).collect::<Vec<_>>()),
        ];
        expected.iter_mut().zip(x.iter().zip(&y)).for_each(|(s, (x, y))| *s = s.wrapping_add(x ^ y));
        if step % read_every == 0 {
            assert_eq!(read::<u32>(queues[0], state, SIZE), expected, "step {step}");
        }
    }
    assert_eq!(read::<u32>(queues[0], state, SIZE), expected);
    queues.iter().for_each(|queue| finish(*queue));
    let after = submissions(&faults);
    eprintln!("{} submissions, {} with waits", after[0] - before[0], after[1] - before[1]);
    after[1] - before[1]
}

/// Two queues that both have work in flight wait for each other by semaphores.
fn semaphores() {
    // On a busy machine what is waited for may be complete before.
    assert!((0..50).any(|_| crossed_waits() > 0));
    threads();
}

/// Two queues change each other's state. Returns the submissions that wait for semaphores.
fn crossed_waits() -> u64 {
    let (faults, rig) = (Faults::open(), Rig::new(SOURCE));
    let queues = [rig.queue(0), rig.queue(0)];
    let mut expected: [Vec<u32>; 2] = [(0..SIZE as u32).collect(), (5..SIZE as u32 + 5).collect()];
    let states = [rig.buffer(&expected[0]), rig.buffer(&expected[1])];
    let rounds = 1 << 15;
    let kernels = states.map(|state| {
        let kernel = rig.kernel("slow");
        set(kernel, 0, state);
        set(kernel, 1, rounds);
        kernel
    });
    let before = submissions(&faults)[1];
    for step in 0..30 {
        let [near, far] = [step % 2, 1 - step % 2];
        let own = launch(queues[near], kernels[near], SIZE, &[]);
        let other = launch(queues[far], kernels[far], SIZE, &[]);
        // SAFETY: live queues.
        queues.iter().for_each(|queue| ok(unsafe { clFlush(*queue) }));
        // Both change the state that the other queue changed before.
        let crossed = launch(queues[near], kernels[far], SIZE, &[other]);
        let back = launch(queues[far], kernels[near], SIZE, &[own, crossed]);
        release([own, other, crossed, back]);
        for _ in 0..2 {
            expected.iter_mut().flatten().for_each(|x| *x = slowed(*x, rounds));
        }
        if step % 7 == 0 {
            queues.iter().for_each(|queue| finish(*queue));
        }
    }
    queues.iter().for_each(|queue| finish(*queue));
    for (state, expected) in states.iter().zip(&expected) {
        assert_eq!(read::<u32>(queues[0], *state, SIZE), *expected);
    }
    submissions(&faults)[1] - before
}

/// `rounds` times `x * 5 + 7`, for a power of two.
fn slowed(x: u32, rounds: u32) -> u32 {
    let twice = |(a, b): (u32, u32), _| (a.wrapping_mul(a), a.wrapping_mul(b).wrapping_add(b));
    let (factor, term) = (0..rounds.ilog2()).fold((5, 7), twice);
    x.wrapping_mul(factor).wrapping_add(term)
}

/// Two queues that wait for each other share a VkQueue from the first wait at which one of them has nothing
/// in flight. Until then they wait by semaphores: if the first command was complete before the other queue
/// would have waited for it, both queues may have work when one first waits.
fn one_vkqueue() {
    let waits = [steps(300, 7), steps(300, 1), steps(300, 10)];
    assert!(waits.iter().all(|waits| *waits < 30), "{waits:?}");
    threads();
}

/// Several threads submit to several VkQueues at the same time.
fn submitters() {
    let faults = Faults::open();
    // On a busy machine they may take turns for a while.
    let overlap = (0..50).any(|_| {
        threads();
        submissions(&faults)[2] > 1
    });
    assert!(overlap);
}

/// Several threads submit to several VkQueues one by one.
fn serial_submitters() {
    let faults = Faults::open();
    (0..5).for_each(|_| threads());
    assert_eq!(submissions(&faults)[2], 1);
}

/// Under the validation layer several threads submit, query semaphores and wait for them one by one.
fn semaphores_under_validation() {
    let faults = Faults::open();
    (0..3).for_each(|_| threads());
    assert_eq!(submissions(&faults)[3], 1);
}

/// Pairs of queues of several threads, which wait for queues of other threads at times.
fn threads() {
    let rig = Rig::new(SOURCE);
    let shared: Vec<Any<_>> = (0..6).map(|_| Any(rig.queue(0))).collect();
    std::thread::scope(|scope| {
        for t in 0..6usize {
            let (rig, shared) = (&rig, &shared);
            scope.spawn(move || {
                let mut random = Random(t as u64);
                let mut expected: Vec<u32> = (0..SIZE as u32).map(|i| i + t as u32).collect();
                let [a, b] = [rig.buffer(&expected), rig.buffer(&expected)];
                let kernels = [rig.kernel("relax"), rig.kernel("relax")];
                for (kernel, [to, from]) in kernels.iter().zip([[b, a], [a, b]]) {
                    set(*kernel, 0, to);
                    set(*kernel, 1, from);
                }
                let mut last: Option<cl_event> = None;
                for i in 0..200 {
                    let queue = shared[random.below(shared.len())].get();
                    let event = launch(queue, kernels[i % 2], SIZE, last.as_slice());
                    expected = relaxed(&expected);
                    if random.below(3) > 0 {
                        // SAFETY: a live queue.
                        ok(unsafe { clFlush(queue) });
                    }
                    if random.below(20) == 0 {
                        assert_eq!(wait(&[event]), CL_SUCCESS);
                    }
                    release(last.replace(event));
                }
                let queue = shared[t].get();
                let mut out = vec![0u32; SIZE];
                let (to, waits) = (out.as_mut_ptr().cast(), last.as_slice());
                // SAFETY: room for the elements; one live event.
                ok(unsafe {
                    clEnqueueReadBuffer(queue, a, 1, 0, SIZE * 4, to, 1, waits.as_ptr(), null_mut())
                });
                assert_eq!(out, expected);
                release(last);
            });
        }
    });
}

pub fn with_queues(command: &mut Command, folder: &Path, hidden: &str) {
    with_faults(command, folder);
    let hidden = format!("-slow_signals,{hidden}");
    command.env("VULKAN_FAULTS_QUEUES", "6").env("PYROCLAST_FEATURES", hidden);
}

pub const CASES: &[Case] = &[
    Case {
        name: "queues_wait_by_semaphores",
        run: semaphores,
        prepare: |command, folder| with_queues(command, folder, "-mapped_buffers"),
    },
    Case {
        name: "queues_wait_by_semaphores_that_are_signalled_late",
        run: semaphores,
        prepare: |command, folder| with_queues(command, folder, "-mapped_buffers,-quick_signals"),
    },
    Case {
        name: "queues_share_a_vkqueue",
        run: one_vkqueue,
        prepare: |command, folder| with_queues(command, folder, "-mapped_buffers"),
    },
    Case {
        name: "queues_share_a_vkqueue_with_events",
        run: one_vkqueue,
        prepare: |command, folder| with_queues(command, folder, "-mapped_buffers,-quick_signals"),
    },
    Case {
        name: "threads_submit_at_the_same_time",
        run: submitters,
        prepare: |command, folder| with_queues(command, folder, "-mapped_buffers"),
    },
    Case {
        name: "threads_submit_one_by_one",
        run: serial_submitters,
        prepare: |command, folder| with_queues(command, folder, "-mapped_buffers,-parallel_submissions"),
    },
    Case {
        name: "threads_use_semaphores_one_by_one_under_validation",
        run: semaphores_under_validation,
        prepare: |command, folder| {
            with_queues(command, folder, "-mapped_buffers");
            command.env("PYROCLAST_VALIDATE", "vulkan");
        },
    },
];
