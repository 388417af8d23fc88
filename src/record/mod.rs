//! The recorder: what a program does on the driver, appended to a file for `pyroclast profile` and `pyroclast
//! trace`.
//!
//! It is off unless PYROCLAST_PROFILE names a folder, and then costs one relaxed load for each call. Each
//! thread appends records to a part of the file that it has mapped ([`writer`]), so nothing is lost if the
//! process is killed, and nothing has to be done when it exits. `pyroclast_recording` defines the
//! records.
//!
//! Locks: those of the names and of the file, both innermost; neither is held while the other is taken.

pub mod calls;
mod chunk;
mod writer;

/// The clock of all records.
pub use crate::clock::now;
use crate::config::Config;
use crate::fork;
use parking_lot::Mutex;
pub use pyroclast_recording::{Record, stage};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

const UNKNOWN: u8 = 0;
const OFF: u8 = 1;
const CALLS: u8 = 2;
const ARGUMENTS: u8 = 3;

static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);

/// Whether the recorder is on.
#[inline]
pub fn is_on() -> bool {
    match STATE.load(Ordering::Relaxed) {
        OFF => false,
        UNKNOWN => start(),
        _ => true,
    }
}

/// Whether it records the arguments of calls.
pub fn takes_arguments() -> bool {
    STATE.load(Ordering::Relaxed) == ARGUMENTS
}

/// Reads the settings, and creates the file if they ask for it.
#[cold]
fn start() -> bool {
    static STARTING: Mutex<()> = Mutex::new(());
    let _starting = STARTING.lock();
    if STATE.load(Ordering::Relaxed) == UNKNOWN {
        let config = Config::get();
        let state = match &config.profile {
            None => OFF,
            Some(folder) => match writer::create(folder) {
                // Writers must know whether they run in a forked child.
                Ok(()) => {
                    fork::watch();
                    if config.profile_arguments { ARGUMENTS } else { CALLS }
                }
                Err(error) => {
                    tracing::warn!("no profile is recorded in {}: {error}", folder.display());
                    OFF
                }
            },
        };
        STATE.store(state, Ordering::Relaxed);
    }
    STATE.load(Ordering::Relaxed) != OFF
}

/// Stops recording for good.
fn stop() {
    STATE.store(OFF, Ordering::Relaxed);
}

/// Appends a record to this thread's part of the file.
pub fn put(record: &Record) {
    writer::put(record);
}

/// A new id for an object or a command.
pub fn new_id() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

/// The number of a name, which is defined in the file first.
pub fn name(text: &str) -> u32 {
    static NAMES: Mutex<Option<HashMap<String, u32>>> = Mutex::new(None);
    if let Some(id) = writer::recent_name(text) {
        return id;
    }
    let (id, is_new) = {
        let mut names = NAMES.lock();
        let names = names.get_or_insert_default();
        let next = names.len() as u32 + 1;
        match names.get(text) {
            Some(id) => (*id, false),
            None => {
                names.insert(text.to_owned(), next);
                (next, true)
            }
        }
    };
    if is_new {
        put(&Record::Name { id, text });
    }
    writer::keep_name(text, id);
    id
}

/// A part of a build: recorded from its creation until it is dropped.
pub struct BuildStage {
    what: u8,
    label: String,
    cached: bool,
    start: u64,
}

impl BuildStage {
    /// Begins a part of a build (see [`stage`]); `None` if the recorder is off.
    pub fn begin(what: u8, label: impl FnOnce() -> String) -> Option<BuildStage> {
        is_on().then(|| BuildStage { what, label: label(), cached: false, start: now() })
    }
}

impl Drop for BuildStage {
    fn drop(&mut self) {
        let BuildStage { what, label, cached, start } = self;
        put(&Record::Stage { what: *what, cached: u8::from(*cached), label, start: *start, end: now() });
    }
}

/// Notes that the disk cache had the stage's result.
pub fn note_cached(stage: &mut Option<BuildStage>) {
    if let Some(stage) = stage {
        stage.cached = true;
    }
}
