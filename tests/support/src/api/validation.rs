//! Enables the driver's validation (Vulkan's validation layer, spirv-val for every module) and makes the test
//! program fail on any message, in whichever test.
//!
//! The driver appends messages to a file of this process. `PYROCLAST_VALIDATE` in the environment (for
//! example empty) overrides the selection.

use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

static LOG: OnceLock<PathBuf> = OnceLock::new();

/// To be called before the driver is loaded and before other threads use the environment.
pub fn watch() {
    let log = std::env::temp_dir().join(format!("pyroclast-validation-{}", std::process::id()));
    let _ = std::fs::remove_file(&log);
    if LOG.set(log.clone()).is_err() {
        return;
    }
    // SAFETY: the caller vouches for the moment.
    unsafe {
        if std::env::var_os("PYROCLAST_VALIDATE").is_none() {
            std::env::set_var("PYROCLAST_VALIDATE", "vulkan,spirv");
        }
        std::env::set_var("PYROCLAST_VALIDATE_LOG", &log);
        // On a busy machine the compiler may be slow.
        if std::env::var_os("PYROCLAST_CLANG_TIMEOUT").is_none() {
            std::env::set_var("PYROCLAST_CLANG_TIMEOUT", "1000");
        }
        libc::atexit(at_exit);
    }
}

static ALLOWED: OnceLock<&str> = OnceLock::new();

/// Ignores messages that contain this word.
pub fn allow(word: &'static str) {
    let _ = ALLOWED.set(word);
}

fn text() -> String {
    let text = LOG.get().and_then(|log| std::fs::read(log).ok());
    let text = text.map_or(String::new(), |b| String::from_utf8_lossy(&b).into_owned());
    match ALLOWED.get() {
        Some(word) => text.split_inclusive('\n').filter(|line| !line.contains(word)).collect(),
        None => text,
    }
}

/// Messages since the last call.
pub fn new_complaints() -> Option<String> {
    static SEEN: Mutex<usize> = Mutex::new(0);
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let all = text();
    let new = all.get(*seen..).unwrap_or_default().to_owned();
    *seen = all.len();
    (!new.is_empty()).then_some(new)
}

/// Overrides the exit status, which the test harness has decided before.
extern "C" fn at_exit() {
    let text = text();
    if let Some(log) = LOG.get() {
        let _ = std::fs::remove_file(log);
    }
    if !text.is_empty() {
        eprintln!("validation complained in this test program:\n{text}");
        // SAFETY: ends the process; other handlers have nothing of ours to do.
        unsafe { libc::_exit(101) };
    }
}
