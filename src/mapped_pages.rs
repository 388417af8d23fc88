//! Pages of memory: new ones, or those of a file.

use std::fs::File;
use std::io::Error;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::sync::Arc;

/// Private pages of this process, which are unmapped when it is dropped.
///
/// The bytes of a file's pages are those of the file: if it is changed or cut off in place, so are they. The
/// files that are mapped are written once and then only renamed or deleted.
pub struct MappedPages {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the pages are not written while they are shared, and any thread may read, run or unmap them.
unsafe impl Send for MappedPages {}
// SAFETY: as above.
unsafe impl Sync for MappedPages {}

impl MappedPages {
    /// Maps readable and writable pages of zeros, and provides all of them at once: faster than by faults if
    /// all are written next.
    pub fn anonymous(bytes: usize) -> Result<MappedPages, Error> {
        MappedPages::map(
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_ANONYMOUS | libc::MAP_POPULATE,
            -1,
        )
    }

    /// Maps the first `bytes` of a file that has them, readable.
    pub fn of_file(file: &File, bytes: usize) -> Result<MappedPages, Error> {
        MappedPages::map(bytes, libc::PROT_READ, 0, file.as_raw_fd())
    }

    /// Maps the first `bytes` of a file, readable and executable.
    pub fn of_code_file(file: &File, bytes: usize) -> Result<MappedPages, Error> {
        MappedPages::map(bytes, libc::PROT_READ | libc::PROT_EXEC, 0, file.as_raw_fd())
    }

    fn map(
        bytes: usize,
        access: libc::c_int,
        flags: libc::c_int,
        fd: libc::c_int,
    ) -> Result<MappedPages, Error> {
        let flags = flags | libc::MAP_PRIVATE;
        // SAFETY: new memory at an address of the system's choice.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, flags, fd, 0) };
        if start == libc::MAP_FAILED {
            return Err(Error::last_os_error());
        }
        let start = NonNull::new(start.cast::<u8>()).ok_or(Error::other("memory at address 0"))?;
        Ok(MappedPages { start, bytes })
    }

    /// The first byte.
    pub fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// The part of the mapping that a slice is, if it lies in it.
    pub fn range_of(&self, slice: &[u8]) -> Option<Range<usize>> {
        let first = slice.as_ptr().addr().checked_sub(self.start.addr().get())?;
        let end = first.checked_add(slice.len())?;
        (end <= self.bytes).then_some(first..end)
    }

    /// Makes the pages with these bytes readable and executable, and no longer writable.
    pub fn make_executable(&self, range: Range<usize>) -> Result<(), Error> {
        if range.start > range.end || range.end > self.bytes {
            return Err(Error::other("no such pages"));
        }
        // SAFETY: asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(1) as usize;
        let first = range.start - range.start % page;
        let access = libc::PROT_READ | libc::PROT_EXEC;
        // SAFETY: pages of this mapping, which begins with a page. Linux makes the instruction cache coherent
        // with pages that become executable.
        match unsafe { libc::mprotect(self.start.add(first).as_ptr().cast(), range.end - first, access) } {
            0 => Ok(()),
            _ => Err(Error::last_os_error()),
        }
    }
}

impl AsRef<[u8]> for MappedPages {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: readable pages, which are not written while they are shared.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.bytes) }
    }
}

impl Drop for MappedPages {
    fn drop(&mut self) {
        // SAFETY: the pages were mapped with this size, and nothing uses them any more.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

/// A shared mapping as the owner of its bytes.
pub struct SharedPages(pub Arc<MappedPages>);

impl AsRef<[u8]> for SharedPages {
    fn as_ref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, Write};

    #[test]
    fn slices_have_ranges() {
        let mapping = MappedPages::anonymous(10_000).expect("pages");
        let bytes = mapping.as_ref();
        assert_eq!(bytes, [0; 10_000]);
        assert_eq!(mapping.range_of(&bytes[5000..6000]), Some(5000..6000));
        assert_eq!(mapping.range_of(&[1, 2]), None);
        assert!(mapping.make_executable(9000..10_001).is_err());
    }

    #[test]
    fn files_are_mapped() {
        let path = std::env::temp_dir().join(format!("pyroclast-mapping-{}", std::process::id()));
        let mut file = File::options().read(true).write(true).create(true).truncate(true).open(&path);
        let file = file.as_mut().expect("a file");
        std::fs::remove_file(path).expect("removed");
        file.write_all(&[7; 5000]).expect("written");
        file.rewind().expect("at the start");
        assert_eq!(MappedPages::of_file(file, 5000).expect("mapped").as_ref(), [7; 5000]);
        assert!(MappedPages::of_file(file, 0).is_err());
    }
}
