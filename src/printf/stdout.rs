//! Output of printed text to the process's standard output.
//!
//! Text is written to C's `stdout`, not to descriptor 1: buffered text that the application has printed
//! before comes first, and a redirected stream is respected. One fwrite keeps a batch of text together. The
//! flush makes it visible before the event completes, also to programs that read descriptor 1 or end without
//! flushing. If the stream is closed or full the text is lost and nothing else happens: errors are ignored,
//! and a broken pipe raises no signal here.

use std::time::{Duration, Instant};

/// Time limit for the stream's lock. A thread that holds it may be waiting for the commands that print.
const PATIENCE: Duration = Duration::from_secs(1);

unsafe extern "C" {
    static stdout: *mut libc::FILE;
    fn ftrylockfile(stream: *mut libc::FILE) -> libc::c_int;
    fn funlockfile(stream: *mut libc::FILE);
}

/// Writes the text.
pub fn write(text: &[u8]) {
    if text.is_empty() {
        return;
    }
    without_sigpipe(|| {
        // SAFETY: C's standard stream, whose object is never freed.
        let stream = unsafe { stdout };
        if stream.is_null() {
            return;
        }
        let start = Instant::now();
        // SAFETY: a stream.
        while unsafe { ftrylockfile(stream) } != 0 {
            if start.elapsed() > PATIENCE {
                return to_descriptor(text);
            }
            std::thread::sleep(Duration::from_micros(50));
        }
        // SAFETY: a stream whose lock this thread has; the text is valid.
        unsafe {
            libc::fwrite(text.as_ptr().cast(), 1, text.len(), stream);
            libc::fflush(stream);
            funlockfile(stream);
        }
    });
}

fn to_descriptor(mut text: &[u8]) {
    while !text.is_empty() {
        // SAFETY: the text is valid.
        let written = unsafe { libc::write(libc::STDOUT_FILENO, text.as_ptr().cast(), text.len()) };
        match usize::try_from(written) {
            Ok(n) => text = text.get(n..).unwrap_or_default(),
            Err(_) if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Runs `f` with SIGPIPE blocked in this thread, and discards one that it raised.
fn without_sigpipe(f: impl FnOnce()) {
    // SAFETY: the sets are filled before they are used; only this thread's mask changes, and is put back.
    unsafe {
        let (mut pipe, mut before, mut pending) = (
            std::mem::zeroed::<libc::sigset_t>(),
            std::mem::zeroed::<libc::sigset_t>(),
            std::mem::zeroed::<libc::sigset_t>(),
        );
        libc::sigemptyset(&mut pipe);
        libc::sigaddset(&mut pipe, libc::SIGPIPE);
        libc::sigpending(&mut pending);
        let was_pending = libc::sigismember(&pending, libc::SIGPIPE) == 1;
        if libc::pthread_sigmask(libc::SIG_BLOCK, &pipe, &mut before) != 0 {
            return f();
        }
        f();
        if !was_pending {
            let none = libc::timespec { tv_sec: 0, tv_nsec: 0 };
            while libc::sigtimedwait(&pipe, std::ptr::null_mut(), &none) < 0
                && *libc::__errno_location() == libc::EINTR
            {}
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
    }
}
