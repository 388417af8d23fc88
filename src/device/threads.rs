//! Threads of the driver in the process of an application.

/// Blocks all signals in the calling thread: they belong to the application's threads.
pub fn block_signals() {
    // SAFETY: the set is filled before it is used; only this thread's mask changes.
    unsafe {
        let mut all = std::mem::zeroed::<libc::sigset_t>();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
    }
}
