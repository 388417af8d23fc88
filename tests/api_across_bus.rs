//! A device whose memory the host reaches across a bus (simulated): small transfers that the host executes
//! when nothing precedes them, and larger ones that the device executes.

#![allow(clippy::unwrap_used)]

use std::ptr::{null, null_mut};
use std::sync::Once;
use test_support::api::rig::*;
use test_support::api::*;

const SIZE: usize = 300 << 10;
/// Offsets and sizes around those of cache lines and of what the host transfers itself.
const SPANS: &[(usize, usize)] = &[
    (0, 1),
    (3, 61),
    (4, 64),
    (63, 66),
    (64, 4096),
    (1, 8192),
    (60, 8196),
    (16, 65536),
    (5, 131_072),
    (8, 131_076),
    (12, 262_144),
];

/// Buffers with what they should contain.
struct Pair {
    mem: cl_mem,
    bytes: Vec<u8>,
}

impl Pair {
    fn new(rig: &Rig, salt: usize) -> Pair {
        let bytes: Vec<u8> = (0..SIZE).map(|i| (i * 31 + i / 253 + salt) as u8).collect();
        Pair { mem: rig.buffer(&bytes), bytes }
    }

    /// Adds one to all bytes, by a kernel.
    fn change(&mut self, queue: cl_command_queue, kernel: cl_kernel) {
        set(kernel, 0, self.mem);
        release([launch(queue, kernel, SIZE, &[])]);
        self.bytes.iter_mut().for_each(|byte| *byte = byte.wrapping_add(1));
    }

    fn check(&self, queue: cl_command_queue, (at, size): (usize, usize), blocking: bool) {
        let mut seen = vec![0; size + 1];
        let flag = u32::from(blocking);
        // SAFETY: live handles; the range and the vector have the size.
        ok(unsafe {
            let to = seen.as_mut_ptr().cast();
            clEnqueueReadBuffer(queue, self.mem, flag, at, size, to, 0, null(), null_mut())
        });
        finish(queue);
        assert!(seen[..size] == self.bytes[at..at + size] && seen[size] == 0, "{at}, {size}, {blocking}");
    }
}

/// The queues on which transfers run.
fn queues(rig: &Rig) -> [cl_command_queue; 3] {
    [0, OUT_OF_ORDER, CL_QUEUE_PROFILING_ENABLE].map(|properties| rig.queue(properties))
}

fn rig() -> Rig {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: every test of the program waits here before it does anything else.
        unsafe {
            std::env::set_var("PYROCLAST_DEVICES", "vulkan");
            std::env::set_var("PYROCLAST_FEATURES", "-unified_memory,-host_import");
        }
    });
    Rig::new("kernel void add(global uchar *a) { a[get_global_id(0)] += 1; }")
}

#[test]
fn reads_and_fills() {
    let rig = rig();
    let kernel = rig.kernel("add");
    for queue in queues(&rig) {
        let mut a = Pair::new(&rig, 1);
        for (round, &(at, size)) in SPANS.iter().cycle().take(SPANS.len() * 3).enumerate() {
            if round % 3 == 0 {
                a.change(queue, kernel);
                // An out-of-order queue orders nothing else.
                finish(queue);
            }
            a.check(queue, (at, size), round % 2 == 0);
            let length = [1, 2, 4, 8, 16, 64, 128][round % 7];
            let (first, whole) = (at.next_multiple_of(length), size / length * length);
            let pattern: Vec<u8> = (0..length).map(|i| (i * 3 + round) as u8).collect();
            // SAFETY: live handles; the range is in the buffer.
            ok(unsafe {
                let (from, zero) = (pattern.as_ptr().cast(), null_mut());
                clEnqueueFillBuffer(queue, a.mem, from, length, first, whole, 0, null(), zero)
            });
            finish(queue);
            a.bytes[first..first + whole].chunks_mut(length).for_each(|c| c.copy_from_slice(&pattern));
            a.check(queue, (first.saturating_sub(3), (whole + 7).min(SIZE - 128)), round % 2 == 1);
        }
        a.check(queue, (0, SIZE), true);
        release([a.mem]);
    }
}

#[test]
fn copies_and_maps() {
    let rig = rig();
    let kernel = rig.kernel("add");
    for queue in queues(&rig) {
        let [mut a, mut b] = [5, 77].map(|salt| Pair::new(&rig, salt));
        for (round, &(at, size)) in SPANS.iter().cycle().take(SPANS.len() * 3).enumerate() {
            if round % 4 == 0 {
                a.change(queue, kernel);
                finish(queue);
            }
            let to = (round * 5) % 64;
            // SAFETY: live handles; the ranges are in the buffers.
            ok(unsafe { clEnqueueCopyBuffer(queue, a.mem, b.mem, at, to, size, 0, null(), null_mut()) });
            finish(queue);
            b.bytes[to..to + size].copy_from_slice(&a.bytes[at..at + size]);
            b.check(queue, (0, SIZE), true);
            // SAFETY: live handles; the mapped range is changed before it is unmapped.
            unsafe {
                let (flags, mut code) = (CL_MAP_READ | CL_MAP_WRITE, 0);
                let zero = null_mut();
                let ptr =
                    clEnqueueMapBuffer(queue, b.mem, 1, flags, at, size, 0, null(), null_mut(), &mut code);
                ok(code);
                let mapped = std::slice::from_raw_parts_mut(ptr.cast::<u8>(), size);
                assert!(mapped == &b.bytes[at..at + size], "{at}, {size}");
                mapped.iter_mut().for_each(|byte| *byte = byte.wrapping_mul(3));
                b.bytes[at..at + size].copy_from_slice(mapped);
                ok(clEnqueueUnmapMemObject(queue, b.mem, ptr, 0, null(), zero));
            }
            finish(queue);
            b.change(queue, kernel);
            finish(queue);
            b.check(queue, (at, size), round % 2 == 0);
        }
        release([a.mem, b.mem]);
    }
}

#[test]
fn rows_and_slices() {
    let rig = rig();
    let [a, mut b] = [9, 40].map(|salt| Pair::new(&rig, salt));
    let queue = rig.queue(0);
    for (width, rows, slices) in [(1, 1, 1), (5, 3, 2), (64, 64, 1), (64, 64, 2), (100, 70, 3), (1000, 9, 4)]
    {
        let (origin, to, region) = ([7, 2, 1], [3, 1, 0], [width, rows, slices]);
        let (pitch, slice) = (width + 13, (width + 13) * (rows + 3));
        let mut seen = vec![0u8; width * rows * slices];
        // SAFETY: live handles; the regions are in the buffers and in the vector.
        unsafe {
            ok(clEnqueueCopyBufferRect(
                queue,
                a.mem,
                b.mem,
                origin.as_ptr(),
                to.as_ptr(),
                region.as_ptr(),
                pitch,
                slice,
                pitch,
                slice,
                0,
                null(),
                null_mut(),
            ));
            finish(queue);
            ok(clEnqueueReadBufferRect(
                queue,
                a.mem,
                1,
                origin.as_ptr(),
                [0; 3].as_ptr(),
                region.as_ptr(),
                pitch,
                slice,
                0,
                0,
                seen.as_mut_ptr().cast(),
                0,
                null(),
                null_mut(),
            ));
        }
        for (i, row) in seen.chunks(width).enumerate() {
            let start = |o: [usize; 3]| (o[2] + i / rows) * slice + (o[1] + i % rows) * pitch + o[0];
            let from = &a.bytes[start(origin)..][..width];
            assert!(row == from, "{region:?}, row {i}");
            b.bytes[start(to)..][..width].copy_from_slice(from);
        }
        b.check(queue, (0, SIZE), true);
    }
}
