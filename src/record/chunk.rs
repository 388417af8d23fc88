//! A part of the recorder's file, mapped into memory and written by one thread at a time.

use pyroclast_recording::{CHUNK, CHUNK_HEADER, CHUNK_MAGIC};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A mapped chunk.
pub struct Chunk {
    base: NonNull<u8>,
    /// Bytes of records.
    used: usize,
}

// SAFETY: the mapping belongs to this value alone, whichever thread has it.
unsafe impl Send for Chunk {}

/// Offsets of the header's fields.
const THREAD: usize = 4;
const USED: usize = 8;
const OPEN_NAME: usize = 12;
const OPEN_START: usize = 16;
const BEGUN: usize = 24;

impl Chunk {
    /// Maps the chunk at this offset of the file, whose space is allocated: storing to it never fails, nor
    /// waits for a page if the system can prepare them (Linux 5.14).
    pub fn map(file: &File, offset: u64) -> io::Result<Chunk> {
        // SAFETY: a new shared mapping of a file; no address is requested.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                CHUNK,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_POPULATE,
                file.as_raw_fd(),
                offset as libc::off_t,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base: NonNull<u8> = NonNull::new(base.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        // SAFETY: the mapping was just made. After an error the stores allocate its pages.
        unsafe { libc::madvise(base.as_ptr().cast(), CHUNK, libc::MADV_POPULATE_WRITE) };
        Ok(Chunk { base, used: 0 })
    }

    /// Begins to use the chunk for a thread.
    pub fn begin(&self, thread: u32, now: u64) {
        self.write(THREAD, &thread.to_le_bytes());
        self.write(BEGUN, &now.to_le_bytes());
        self.write(0, &CHUNK_MAGIC);
    }

    /// Copies bytes into the chunk.
    fn write(&self, at: usize, bytes: &[u8]) {
        debug_assert!(at + bytes.len() <= CHUNK);
        // SAFETY: the callers keep the range inside the mapping, which only this thread writes.
        unsafe { self.base.add(at).copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) };
    }

    fn field(&self, at: usize) -> &AtomicU32 {
        // SAFETY: an aligned field of the header, which lives as long as the mapping and is only stored to as
        // an atomic from here on.
        unsafe { self.base.add(at).cast::<AtomicU32>().as_ref() }
    }

    /// Appends an encoded record; returns false if the chunk is full.
    pub fn append(&mut self, record: &[u8]) -> bool {
        if CHUNK_HEADER + self.used + record.len() > CHUNK {
            return false;
        }
        self.write(CHUNK_HEADER + self.used, record);
        self.used += record.len();
        // After the record, for a reader that follows the file or reads it after a crash.
        self.field(USED).store((self.used as u32).to_le(), Ordering::Release);
        true
    }

    /// Notes the call in progress; 0 for none.
    pub fn set_open(&self, name: u32, start: u64) {
        // SAFETY: an aligned field of the header, like those of `field`.
        let field = unsafe { self.base.add(OPEN_START).cast::<AtomicU64>().as_ref() };
        field.store(start.to_le(), Ordering::Relaxed);
        self.field(OPEN_NAME).store(name.to_le(), Ordering::Release);
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `map`, and nothing refers to it any more.
        unsafe { libc::munmap(self.base.as_ptr().cast(), CHUNK) };
    }
}
