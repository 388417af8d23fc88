//! The host's clock, by which the CPU device and the recorder count.

/// CLOCK_MONOTONIC in nanoseconds; 0 if the system has no such clock.
pub fn now() -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is valid for writing.
    if unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut t) } != 0 {
        return 0;
    }
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}
