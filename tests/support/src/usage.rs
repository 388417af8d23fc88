//! Processor time and memory of this process and of those of its children that have ended.

/// Resources used by this process, and by its children.
fn usage() -> [libc::rusage; 2] {
    [libc::RUSAGE_SELF, libc::RUSAGE_CHILDREN].map(|who| {
        // SAFETY: all zeros is a valid rusage.
        let mut usage = unsafe { std::mem::zeroed() };
        // SAFETY: `usage` is valid for a write. The call cannot fail with these arguments.
        unsafe { libc::getrusage(who, &raw mut usage) };
        usage
    })
}

/// Milliseconds of processor time so far, of all threads.
pub fn processor_ms() -> f64 {
    let ms = |t: libc::timeval| t.tv_sec as f64 * 1e3 + t.tv_usec as f64 / 1e3;
    usage().iter().map(|u| ms(u.ru_utime) + ms(u.ru_stime)).sum()
}

/// Largest resident set of the process or of a child so far, in MiB.
pub fn peak_mib() -> f64 {
    usage().iter().map(|u| u.ru_maxrss as f64 / 1024.0).fold(0.0, f64::max)
}
