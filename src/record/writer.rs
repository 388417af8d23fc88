//! The recorder's file, and the threads' writers.
//!
//! A writer is a thread-local value with a mapped chunk. A full chunk is replaced by another one, which a
//! thread of the recorder has prepared. Its space is allocated first: a full disk ends the recording, not the
//! program.

use super::chunk::Chunk;
use super::{now, stop};
use crate::fork;
use parking_lot::{Condvar, Mutex};
use pyroclast_recording::{self as format, CHUNK, EXTENSION, FLAG_FULL, FLAGS_OFFSET, Record};
use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// Largest size of a file: 1 GiB.
const MOST_CHUNKS: u64 = 16 << 10;

/// Chunks that are ready for the threads.
const SPARES: usize = 2;

/// The process's file.
static FILE: OnceLock<File> = OnceLock::new();

#[derive(Default)]
struct Pool {
    /// Number of chunks in the file.
    chunks: u64,
    spares: Vec<Chunk>,
    /// Full ones, to be unmapped.
    full: Vec<Chunk>,
}

static POOL: Mutex<Pool> = Mutex::new(Pool { chunks: 0, spares: Vec::new(), full: Vec::new() });
/// A spare chunk was taken.
static TAKEN: Condvar = Condvar::new();

/// Creates this process's file in the folder.
pub fn create(folder: &Path) -> io::Result<()> {
    let process = std::process::id();
    let path = folder.join(format!("{process}.{EXTENSION}"));
    let file = File::options().read(true).write(true).create_new(true).open(path)?;
    let real = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_nanos() as u64);
    let words: Vec<String> = std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect();
    file.write_all_at(&format::file_header(process, now(), real, &words.join(" ")), 0)?;
    file.set_len(CHUNK as u64)?;
    let _ = FILE.set(file);
    // If it cannot be started, the threads prepare their chunks themselves.
    let _ = std::thread::Builder::new().name("pyroclast-record".into()).spawn(prepare);
    Ok(())
}

/// Prepares chunks for the threads, and unmaps full ones: allocating space and pages of a file takes hundreds
/// of microseconds, for which no call is to wait.
fn prepare() {
    loop {
        let (full, is_enough) = {
            let mut pool = POOL.lock();
            if pool.spares.len() >= SPARES && pool.full.is_empty() {
                TAKEN.wait(&mut pool);
            }
            (std::mem::take(&mut pool.full), pool.spares.len() >= SPARES)
        };
        drop(full);
        if !is_enough {
            // A thread that needs a chunk and cannot have one reports the error.
            let Ok(chunk) = new_chunk() else { return };
            POOL.lock().spares.push(chunk);
        }
    }
}

/// A new chunk at the end of the file.
fn new_chunk() -> io::Result<Chunk> {
    let file = FILE.get().ok_or(io::ErrorKind::NotFound)?;
    let offset = {
        let mut pool = POOL.lock();
        if pool.chunks == MOST_CHUNKS {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        pool.chunks += 1;
        pool.chunks * CHUNK as u64
    };
    // SAFETY: the descriptor is open.
    let code =
        unsafe { libc::posix_fallocate(file.as_raw_fd(), offset as libc::off_t, CHUNK as libc::off_t) };
    if code != 0 {
        return Err(io::Error::from_raw_os_error(code));
    }
    Chunk::map(file, offset)
}

/// The next chunk of a thread; `None` ends the recording.
fn next_chunk(full: Option<Chunk>) -> Option<Chunk> {
    let spare = {
        let mut pool = POOL.lock();
        pool.full.extend(full);
        pool.spares.pop()
    };
    TAKEN.notify_one();
    match spare.map_or_else(new_chunk, Ok) {
        Ok(chunk) => {
            chunk.begin(thread_id(), now());
            Some(chunk)
        }
        Err(error) => {
            tracing::warn!("the recording ends here: {error}");
            if let Some(file) = FILE.get() {
                let _ = file.write_all_at(&FLAG_FULL.to_le_bytes(), FLAGS_OFFSET);
            }
            stop();
            None
        }
    }
}

/// Number of names that a thread finds without a lock.
const RECENT_NAMES: usize = 8;

struct Writer {
    chunk: Option<Chunk>,
    /// Call in progress, and its start.
    open: (u32, u64),
    encoded: Vec<u8>,
    /// Names that the thread has used, and the one that the next new name replaces.
    names: Vec<(String, u32)>,
    oldest_name: usize,
}

thread_local! {
    static WRITER: RefCell<Writer> = const {
        RefCell::new(Writer {
            chunk: None,
            open: (0, 0),
            encoded: Vec::new(),
            names: Vec::new(),
            oldest_name: 0,
        })
    };
}

impl Writer {
    fn put(&mut self, record: &Record) {
        self.encoded.clear();
        record.encode(&mut self.encoded);
        if self.chunk.as_mut().is_some_and(|chunk| chunk.append(&self.encoded)) {
            return;
        }
        let full = self.chunk.take();
        let is_first = full.is_none();
        self.chunk = next_chunk(full);
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

/// The number of a name that this thread has used recently.
pub fn recent_name(text: &str) -> Option<u32> {
    let find = |writer: &mut Writer| writer.names.iter().find(|n| n.0 == text).map(|n| n.1);
    with_writer(find).flatten()
}

/// Keeps a name for [`recent_name`].
pub fn keep_name(text: &str, id: u32) {
    with_writer(|writer| {
        let name = (text.to_owned(), id);
        match writer.names.get_mut(writer.oldest_name) {
            Some(place) => *place = name,
            None => writer.names.push(name),
        }
        writer.oldest_name = (writer.oldest_name + 1) % RECENT_NAMES;
    });
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
