//! The recorder's file, and the threads' writers.
//!
//! A writer is a thread-local value with a mapped chunk. A full chunk is replaced by a new one at the end of
//! the file, whose space is allocated first: a full disk ends the recording, not the program.

use super::chunk::Chunk;
use super::{now, stop};
use crate::fork;
use parking_lot::Mutex;
use pyroclast_recording::{self as format, CHUNK, EXTENSION, FLAG_FULL, FLAGS_OFFSET, Record};
use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Largest size of a file: 1 GiB.
const MOST_CHUNKS: u64 = 16 << 10;

struct Output {
    file: File,
    chunks: u64,
}

static OUTPUT: Mutex<Option<Output>> = Mutex::new(None);

/// Creates this process's file in the folder.
pub fn create(folder: &Path) -> io::Result<()> {
    let process = std::process::id();
    let path = folder.join(format!("{process}.{EXTENSION}"));
    let file = File::options().read(true).write(true).create_new(true).open(path)?;
    let real = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_nanos() as u64);
    let words: Vec<String> = std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect();
    file.write_all_at(&format::file_header(process, now(), real, &words.join(" ")), 0)?;
    file.set_len(CHUNK as u64)?;
    *OUTPUT.lock() = Some(Output { file, chunks: 0 });
    Ok(())
}

/// Adds a chunk for the thread; `None` ends the recording.
fn new_chunk(thread: u32) -> Option<Chunk> {
    let mut output = OUTPUT.lock();
    let output = output.as_mut()?;
    let offset = (output.chunks + 1) * CHUNK as u64;
    // SAFETY: the descriptor is open.
    let space = || unsafe {
        libc::posix_fallocate(output.file.as_raw_fd(), offset as libc::off_t, CHUNK as libc::off_t)
    };
    let made = match output.chunks < MOST_CHUNKS {
        false => Err(io::Error::from(io::ErrorKind::FileTooLarge)),
        true => match space() {
            0 => Chunk::map(&output.file, offset, thread),
            code => Err(io::Error::from_raw_os_error(code)),
        },
    };
    match made {
        Ok(chunk) => {
            output.chunks += 1;
            Some(chunk)
        }
        Err(error) => {
            tracing::warn!("the recording ends here: {error}");
            let _ = output.file.write_all_at(&FLAG_FULL.to_le_bytes(), FLAGS_OFFSET);
            stop();
            None
        }
    }
}

struct Writer {
    chunk: Option<Chunk>,
    /// Call in progress, and its start.
    open: (u32, u64),
    encoded: Vec<u8>,
}

thread_local! {
    static WRITER: RefCell<Writer> =
        const { RefCell::new(Writer { chunk: None, open: (0, 0), encoded: Vec::new() }) };
}

impl Writer {
    fn put(&mut self, record: &Record) {
        self.encoded.clear();
        record.encode(&mut self.encoded);
        if self.chunk.as_mut().is_some_and(|chunk| chunk.append(&self.encoded)) {
            return;
        }
        let is_first = self.chunk.is_none();
        self.chunk = new_chunk(thread_id());
        let Some(chunk) = &mut self.chunk else { return };
        chunk.set_open(self.open.0, self.open.1);
        if is_first {
            let mut name = Vec::new();
            Record::Thread { name: &thread_name() }.encode(&mut name);
            chunk.append(&name);
        }
        chunk.append(&self.encoded);
    }

    fn set_open(&mut self, name: u32, start: u64) {
        self.open = (name, start);
        if let Some(chunk) = &self.chunk {
            chunk.set_open(name, start);
        }
    }
}

/// Calls `f` with this thread's writer: not in a forked child, whose parent writes the same chunks, and not
/// while the thread is being torn down.
fn with_writer<T>(f: impl FnOnce(&mut Writer) -> T) -> Option<T> {
    if fork::is_child() {
        return None;
    }
    WRITER.try_with(|writer| writer.try_borrow_mut().ok().map(|mut writer| f(&mut writer))).ok().flatten()
}

/// Appends a record.
pub fn put(record: &Record) {
    with_writer(|writer| writer.put(record));
}

/// Notes the call in progress, and returns the one before.
pub fn open_call(name: u32, start: u64) -> (u32, u64) {
    let set = |writer: &mut Writer| {
        let before = writer.open;
        writer.set_open(name, start);
        before
    };
    with_writer(set).unwrap_or_default()
}

/// Records the end of a call; `before` is the call in progress around it.
pub fn close_call(call: &Record, before: (u32, u64)) {
    with_writer(|writer| {
        writer.put(call);
        writer.set_open(before.0, before.1);
    });
}

fn thread_id() -> u32 {
    // SAFETY: gettid has no arguments and always succeeds.
    unsafe { libc::gettid() as u32 }
}

/// The name that the system knows.
fn thread_name() -> String {
    let text = std::fs::read_to_string("/proc/thread-self/comm").unwrap_or_default();
    text.trim_end().to_owned()
}
