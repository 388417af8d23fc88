//! The reaper: a lane's thread that reports completions nobody is waiting for. Parked while nothing is in flight and
//! while a waiting thread does the work; never ends, and never touches Vulkan when parked.

use super::lane::Lane;

/// Starts the thread; false (logged) if there is none to be had, and then only waiting threads report.
pub fn start(lane: &'static Lane) -> bool {
    let body = move || {
        block_signals();
        loop {
            let value = lane.next_for_reaper();
            lane.wait_value(value, None, false);
            lane.reap();
            // Whoever submits finds the frames ready.
            lane.gpu.reset_frames();
        }
    };
    match std::thread::Builder::new().name("pyroclast-reaper".into()).stack_size(512 << 10).spawn(body) {
        Ok(_) => true,
        Err(e) => {
            tracing::error!("no reaper thread: {e}");
            false
        }
    }
}

/// Signals are the application's business.
pub fn block_signals() {
    // SAFETY: the set is filled before it is used; only this thread's mask changes.
    unsafe {
        let mut all = std::mem::zeroed::<libc::sigset_t>();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
    }
}
