//! Reads of device memory by the host across a bus.
//!
//! The host does not cache such memory: each load waits for the bus, about a microsecond. Streaming loads
//! fetch whole cache lines, several at a time (Intel 64 and IA-32 Architectures Optimization Reference
//! Manual, "Non-Temporal Loads"), so that small reads are faster than a submission.

use crate::device::vulkan::core::gpu::Gpu;
use crate::host_ptr::HostPtr;
use std::time::Instant;

/// Bytes of a cache line.
pub const LINE: u64 = 64;
/// Maximum size of a write that is faster than a submission.
pub const QUICK_WRITE: u64 = 128 << 10;
/// Bytes of the reads that are timed.
const SAMPLE: usize = 1 << 10;
/// A read that takes at most this time is faster than a submission.
const QUICK_NS: u64 = 14_000;
/// Limits of the size of such reads.
const QUICK: (u64, u64) = (LINE, 12 << 10);

/// Maximum size of a read of mapped memory of `size` bytes that is faster than a submission. Times some reads
/// if this processor's are not known yet.
pub fn quick_read(gpu: &Gpu, mapped: HostPtr, size: u64) -> u64 {
    if size < SAMPLE as u64 {
        return size.min(QUICK.0);
    }
    *gpu.quick_read.get_or_init(|| {
        let mut bytes = [0; SAMPLE];
        let mut time = || {
            let start = Instant::now();
            // SAFETY: the memory has the bytes. Work that writes them meanwhile only changes what is read,
            // which is not used.
            unsafe { read(mapped, HostPtr::new(bytes.as_mut_ptr()), SAMPLE as u64) };
            start.elapsed().as_nanos().max(1) as u64
        };
        let least = (0..3).map(|_| time()).fold(u64::MAX, u64::min);
        (SAMPLE as u64 * QUICK_NS / least).clamp(QUICK.0, QUICK.1)
    })
}

/// Maximum size of a read that is faster than a transfer in the submission before it, which takes an eighth
/// of the time of one in a submission of its own.
pub fn quick_read_after_work(quick_read: u64) -> u64 {
    (quick_read / 8).max(quick_read.min(LINE)).min(SAMPLE as u64)
}

/// Makes the loads that follow return what is in memory from now on, also where it is across a bus.
///
/// A sequentially consistent fence is not enough: on x86-64 it is a locked instruction (LLVM 22), which need
/// not order loads of write-combining memory (Intel SDM volume 3A, "Software Controlled Bus Locking").
pub fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction.
    unsafe {
        std::arch::x86_64::_mm_mfence()
    };
    #[cfg(not(target_arch = "x86_64"))]
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
}

/// Copies from memory that is not cached.
///
/// # Safety
/// Both ranges are valid for `len` bytes and do not overlap.
pub unsafe fn read(src: HostPtr, dst: HostPtr, len: u64) {
    fence();
    let start = src.addr() as u64;
    let head = (start.next_multiple_of(LINE) - start).min(len);
    let lines = (len - head) / LINE;
    let tail = head + lines * LINE;
    let part = |at: u64, len: u64| {
        let (mut line, before) = ([0; LINE as usize], (start + at) % LINE);
        let first = src.as_ptr().wrapping_add(at as usize).wrapping_sub(before as usize);
        if len > 0 {
            // SAFETY: the rest of the line is in the same page of the mapping; `dst` has room for the part.
            unsafe {
                read_lines(first, line.as_mut_ptr(), 1);
                let part = line[before as usize..].as_ptr();
                std::ptr::copy_nonoverlapping(part, dst.offset(at).as_ptr(), len as usize);
            }
        }
    };
    part(0, head);
    // SAFETY: whole lines within the ranges.
    unsafe { read_lines(src.offset(head).as_ptr(), dst.offset(head).as_ptr(), lines as usize) };
    part(tail, len - tail);
}

/// Copies whole lines, the first of which is at an aligned address.
///
/// # Safety
/// As for `copy_nonoverlapping`.
unsafe fn read_lines(src: *const u8, dst: *mut u8, lines: usize) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, and by this function's contract.
        return unsafe { stream_lines(src, dst, lines) };
    }
    // SAFETY: by this function's contract.
    unsafe { std::ptr::copy_nonoverlapping(src, dst, lines * LINE as usize) };
}

/// [`read_lines`] by streaming loads.
///
/// # Safety
/// As for [`read_lines`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn stream_lines(src: *const u8, dst: *mut u8, lines: usize) {
    use std::arch::x86_64::{_mm256_storeu_si256, _mm256_stream_load_si256};
    const HALF: usize = LINE as usize / 2;
    for line in 0..lines {
        let (src, dst) = (src.wrapping_add(line * 2 * HALF), dst.wrapping_add(line * 2 * HALF));
        // SAFETY: by this function's contract; lines are aligned.
        unsafe {
            let (low, high) = (
                _mm256_stream_load_si256(src.cast()),
                _mm256_stream_load_si256(src.wrapping_add(HALF).cast()),
            );
            _mm256_storeu_si256(dst.cast(), low);
            _mm256_storeu_si256(dst.wrapping_add(HALF).cast(), high);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_after_work_are_shorter() {
        for (idle, after) in [(0, 0), (4, 4), (64, 64), (843, 105), (8 << 10, 1 << 10), (12 << 10, 1 << 10)] {
            assert_eq!(quick_read_after_work(idle), after, "{idle}");
        }
    }

    #[test]
    fn any_range_is_copied() {
        let source: Vec<u8> = (0..4096 + 128).map(|i| (i * 7 + i / 251) as u8).collect();
        let first = source.as_ptr().align_offset(LINE as usize);
        for (start, len) in [(0, 0), (0, 1), (3, 5), (60, 8), (0, 64), (1, 63), (1, 64), (63, 66), (7, 4000)]
        {
            let (from, mut copied) = (&source[first + start..], vec![1; len + 2]);
            let (src, dst) = (HostPtr::new(from.as_ptr().cast_mut()), HostPtr::new(copied[1..].as_mut_ptr()));
            // SAFETY: both have the bytes, and `source` has whole lines around them.
            unsafe { read(src, dst, len as u64) };
            assert!(
                copied[1..=len] == from[..len] && (copied[0], copied[len + 1]) == (1, 1),
                "{start} {len}"
            );
        }
    }
}
