//! Batches that repeat are not recorded again, and batches that differ in anything are.

use super::queues::with_queues;
use super::{Faults, with_faults};
use std::ptr::{null, null_mut};
use test_support::api::rig::*;
use test_support::api::supervised::Case;
use test_support::api::*;

/// The class of vkEndCommandBuffer.
const RECORD: u32 = 16;

const SOURCE: &str = "
kernel void add(global uint *a, uint by) { a[get_global_id(0)] += by + get_local_size(0) * 1000; }
kernel void put(global uint *a, global const uint *b) { a[get_global_id(0)] = b[get_global_id(0)] + 1; }
kernel void later(global uint *a, local uint *l) {
    l[get_local_id(0)] = get_global_offset(0);
    a[get_global_id(0) - get_global_offset(0)] += l[get_local_id(0)];
}";
const SIZE: usize = 64;
/// Limit of command buffers for a batch that repeats: its first one, and those kept, as many as are executed
/// at the same time.
const MOST: u64 = 9;

/// Number of command buffers that `run` records.
fn recorded(faults: &Faults, run: impl FnOnce()) -> u64 {
    faults.set(RECORD, u64::MAX, 0);
    run();
    faults.calls()
}

/// Launches with a size of groups and an offset.
fn range(queue: cl_command_queue, kernel: cl_kernel, offset: usize, local: usize) {
    let size = SIZE;
    let (offset, size, local) = (&raw const offset, &raw const size, &raw const local);
    // SAFETY: live handles, and arrays of one element.
    ok(unsafe { clEnqueueNDRangeKernel(queue, kernel, 1, offset, size, local, 0, null(), null_mut()) });
}

/// Launches that are repeated many times.
fn same() {
    let (faults, rig) = (Faults::open(), Rig::new(SOURCE));
    let queue = rig.queue(0);
    let kernels = [rig.kernel("add"), rig.kernel("put")];
    let [a, b] = [(); 2].map(|()| rig.buffer(&[0u32; SIZE]));
    set(kernels[0], 0, a);
    set(kernels[0], 1, 3u32);
    set(kernels[1], 0, b);
    set(kernels[1], 1, a);
    let one = recorded(&faults, || {
        for _ in 0..50 {
            range(queue, kernels[0], 0, 32);
            finish(queue);
        }
    });
    assert_eq!(read::<u32>(queue, a, SIZE), [50 * 32003; SIZE]);
    let several = recorded(&faults, || {
        for _ in 0..50 {
            kernels.iter().for_each(|kernel| range(queue, *kernel, 0, 16));
            range(queue, kernels[0], 0, 16);
            finish(queue);
        }
    });
    assert_eq!(read::<u32>(queue, a, SIZE), [50 * 32003 + 100 * 16003; SIZE]);
    assert_eq!(read::<u32>(queue, b, SIZE), [50 * 32003 + 99 * 16003 + 1; SIZE]);
    let turns = recorded(&faults, || {
        for _ in 0..50 {
            for kernel in kernels {
                range(queue, kernel, 0, 32);
                finish(queue);
            }
        }
    });
    assert_eq!(read::<u32>(queue, b, SIZE), [100 * 32003 + 100 * 16003 + 1; SIZE]);
    eprintln!("{one}, {several} and {turns} command buffers");
    // One, three (the first launch, the second, and the second with the third) and two different batches.
    assert!(one <= MOST && several <= 3 * MOST && turns <= 2 * MOST, "{one}, {several}, {turns}");
}

/// Launches of a profiling queue that are repeated many times: each has times of its own.
fn profiled() {
    let (faults, rig) = (Faults::open(), Rig::new(SOURCE));
    let (queue, add) = (rig.queue(CL_QUEUE_PROFILING_ENABLE), rig.kernel("add"));
    let a = rig.buffer(&[0u32; SIZE]);
    set(add, 0, a);
    set(add, 1, 3u32);
    let mut last = 0;
    let count = recorded(&faults, || {
        for i in 0..50 {
            let events = [(); 2].map(|()| launch(queue, add, SIZE, &[]));
            finish(queue);
            for event in events {
                let times = times(event);
                assert!(times.is_sorted() && last < times[3], "{i}: {times:?} after {last}");
                last = times[3];
            }
            release(events);
        }
    });
    eprintln!("{count} command buffers");
    // Each launch is a batch of its own, and all are the same.
    assert!(count <= MOST, "{count}");
}

/// Launches that differ in an argument, a size or an offset.
fn different() {
    let (faults, rig) = (Faults::open(), Rig::new(SOURCE));
    let queue = rig.queue(0);
    let (add, later) = (rig.kernel("add"), rig.kernel("later"));
    let a = rig.buffer(&[0u32; SIZE]);
    set(add, 0, a);
    let mut expected = 0u32;
    for i in 0..60u32 {
        set(add, 1, i / 5 % 3);
        let local = [16, 32, 64][i as usize / 15 % 3];
        range(queue, add, 0, local);
        finish(queue);
        expected += i / 5 % 3 + local as u32 * 1000;
    }
    assert_eq!(read::<u32>(queue, a, SIZE), [expected; SIZE]);
    set(later, 0, a);
    for i in 0..60usize {
        // SAFETY: a live kernel; a local argument has a size only.
        ok(unsafe { clSetKernelArg(later, 1, 256 << (i / 4 % 3), null()) });
        range(queue, later, i / 3 % 4, 16);
        finish(queue);
        expected += i as u32 / 3 % 4;
    }
    assert_eq!(read::<u32>(queue, a, SIZE), [expected; SIZE]);
    drop(faults);
}

/// Buffers and kernels that are destroyed between launches, so that others take their places.
fn destroyed() {
    let (faults, rig) = (Faults::open(), Rig::new(SOURCE));
    let queue = rig.queue(0);
    let source = rig.buffer(&[7u32; SIZE]);
    let recorded = recorded(&faults, || {
        for i in 0..40u32 {
            let add = rig.kernel("add");
            let [a, b] = [(); 2].map(|()| rig.buffer(&[i; SIZE]));
            set(add, 0, a);
            set(add, 1, 1u32);
            for _ in 0..3 {
                range(queue, add, 0, 16);
                finish(queue);
            }
            let put = rig.kernel("put");
            set(put, 0, b);
            set(put, 1, source);
            range(queue, put, 0, 16);
            assert_eq!(read::<u32>(queue, a, SIZE), [i + 3 * 16001; SIZE]);
            assert_eq!(read::<u32>(queue, b, SIZE), [8; SIZE]);
            release([add, put]);
            release([a, b]);
        }
    });
    assert!(recorded > 40, "{recorded}");
}

/// Copies, fills and reads that are repeated, on a device across a bus, of sizes that the host leaves to it.
fn transfers() {
    const WORDS: usize = 40 << 10;
    const READ: usize = 12 << 10;
    let (faults, rig) = (Faults::open(), Rig::new(SOURCE));
    let (queue, add) = (rig.queue(0), rig.kernel("add"));
    let start: Vec<u32> = (0..WORDS as u32).collect();
    let [a, b, c] = [(); 3].map(|()| rig.buffer(&start));
    set(add, 0, a);
    set(add, 1, 1u32);
    let mut seen = [(); 2].map(|()| vec![0u32; READ]);
    let mut wrong = Vec::new();
    let count = recorded(&faults, || {
        for i in 1..=50u32 {
            range(queue, add, 0, 32);
            let (bytes, zero) = (WORDS * 4, null_mut());
            // SAFETY: live handles; the vectors have the sizes, and live until the queue is finished.
            unsafe {
                ok(clEnqueueCopyBuffer(queue, a, b, 0, 0, bytes, 0, null(), zero));
                finish(queue);
                let pattern: *const u32 = &0x1234_5678;
                ok(clEnqueueFillBuffer(queue, c, pattern.cast(), 4, 0, bytes, 0, null(), zero));
                finish(queue);
                for (mem, to) in [b, c].into_iter().zip(&mut seen) {
                    to.fill(0);
                    let to = to.as_mut_ptr().cast();
                    ok(clEnqueueReadBuffer(queue, mem, 0, 0, READ * 4, to, 0, null(), zero));
                    finish(queue);
                }
            }
            let added = |at: usize| if at < SIZE { i * 32001 } else { 0 };
            let right = (0..READ).all(|at| seen[0][at] == at as u32 + added(at));
            if !right || seen[1] != [0x1234_5678; READ] {
                wrong.push(i);
            }
        }
    });
    eprintln!("{count} command buffers");
    assert!(wrong.is_empty() && count <= 40, "{count} command buffers, wrong in {wrong:?}");
}

/// A buffer that two queues and the host change in turns.
fn queues() {
    let (faults, rig) = (Faults::open(), Rig::new(SOURCE));
    let queues = [rig.queue(0), rig.queue(0)];
    let add = rig.kernel("add");
    let a = rig.buffer(&[0u32; SIZE]);
    set(add, 0, a);
    set(add, 1, 5u32);
    let mut expected = 0u32;
    for i in 0..200usize {
        let mut last = None;
        for at in [i, i + 1, i] {
            let event = launch(queues[at % 2], add, SIZE, last.as_slice());
            // SAFETY: a live queue.
            ok(unsafe { clFlush(queues[at % 2]) });
            release(last.replace(event));
        }
        queues.iter().for_each(|queue| finish(*queue));
        release(last);
        let now = read::<u32>(queues[0], a, SIZE);
        let step = (now[0] - expected) / 3;
        assert!(step % 1000 == 5 && now[0] == expected + 3 * step && now == [now[0]; SIZE], "{i}: {now:?}");
        expected = now[0];
    }
    drop(faults);
}

pub const CASES: &[Case] = &[
    Case { name: "the_same_launches_are_recorded_once", run: same, prepare: with_faults },
    Case { name: "the_same_profiled_launches_are_recorded_once", run: profiled, prepare: with_faults },
    Case { name: "different_launches_are_recorded", run: different, prepare: with_faults },
    Case { name: "launches_with_new_objects_are_recorded", run: destroyed, prepare: with_faults },
    Case {
        name: "the_same_transfers_are_recorded_once",
        run: transfers,
        prepare: |command, folder| with_queues(command, folder, "-unified_memory,-host_import"),
    },
    Case {
        name: "recordings_of_two_queues",
        run: queues,
        prepare: |command, folder| with_queues(command, folder, "-mapped_buffers"),
    },
    Case {
        name: "recordings_of_two_queues_with_events",
        run: queues,
        prepare: |command, folder| with_queues(command, folder, "-mapped_buffers,-quick_signals"),
    },
    Case {
        name: "recordings_with_events",
        run: different,
        prepare: |command, folder| with_queues(command, folder, "-quick_signals"),
    },
];
