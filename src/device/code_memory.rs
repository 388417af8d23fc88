//! Memory for machine code, which is writable or executable at a time, never both.

use super::traits::{DeviceError, DeviceResult};
use crate::mapped_pages::MappedPages;
use clspv_bridge::native::flat_code::ALIGNMENT;
use std::fs::File;
use std::io::{Error, Write};
use std::ops::Range;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Executable memory of this process.
pub struct CodeMemory {
    mapping: Arc<MappedPages>,
    /// The part of the mapping with the code.
    range: Range<usize>,
}

impl CodeMemory {
    /// Copies code to executable memory. Where the system lets no memory become executable that was writable
    /// (`MemoryDenyWriteExecute`, SELinux's execmem), a new file is mapped.
    pub fn new(code: &[u8]) -> DeviceResult<CodeMemory> {
        let made = CodeMemory::protected(code).or_else(|_| CodeMemory::mapped(code));
        made.map_err(|e| DeviceError::Unexpected(format!("the system permits no executable memory ({e})")))
    }

    /// Makes code executable where it lies in a mapping. `None` if it lies elsewhere or not at a multiple of
    /// [`ALIGNMENT`], or if the system does not permit it (a file on a file system without executable files).
    pub fn in_place(code: &[u8], mapping: &Arc<MappedPages>) -> Option<CodeMemory> {
        let range = mapping.range_of(code).filter(|_| code.as_ptr().addr().is_multiple_of(ALIGNMENT))?;
        mapping.make_executable(range.clone()).ok()?;
        Some(CodeMemory { mapping: mapping.clone(), range })
    }

    /// Whether the system permits executable memory. Tried once.
    pub fn is_permitted() -> bool {
        static PERMITTED: OnceLock<bool> = OnceLock::new();
        *PERMITTED.get_or_init(|| match CodeMemory::new(&[0]) {
            Ok(_) => true,
            Err(error) => {
                tracing::info!("no code is generated in the process: {error}");
                false
            }
        })
    }

    /// The address at an offset in the code.
    pub fn at(&self, offset: usize) -> Option<NonNull<u8>> {
        // SAFETY: the offset lies in the memory.
        (offset < self.range.len()).then(|| unsafe { self.mapping.start().add(self.range.start + offset) })
    }

    /// Anonymous memory, made executable after it is written.
    fn protected(code: &[u8]) -> Result<CodeMemory, Error> {
        let mapping = MappedPages::anonymous(code.len())?;
        // SAFETY: the memory is new and as large as the code.
        unsafe { std::ptr::copy_nonoverlapping(code.as_ptr(), mapping.start().as_ptr(), code.len()) };
        mapping.make_executable(0..code.len())?;
        Ok(CodeMemory { mapping: Arc::new(mapping), range: 0..code.len() })
    }

    /// A file that is only mapped to be executed.
    fn mapped(code: &[u8]) -> Result<CodeMemory, Error> {
        let mut file = code_file()?;
        file.write_all(code)?;
        let mapping = MappedPages::of_code_file(&file, code.len())?;
        Ok(CodeMemory { mapping: Arc::new(mapping), range: 0..code.len() })
    }
}

/// A new file for code: in memory or, if the system permits no such file, in the folder of temporary files,
/// without a name.
pub fn code_file() -> Result<File, Error> {
    memory_file().map(File::from).or_else(|refused| unnamed_file(&std::env::temp_dir()).map_err(|_| refused))
}

/// A new file in memory.
fn memory_file() -> Result<OwnedFd, Error> {
    // SAFETY: the name is a string; the descriptor is checked.
    let fd = unsafe { libc::memfd_create(c"pyroclast-code".as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(Error::last_os_error());
    }
    // SAFETY: the descriptor is new and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// A new file in a folder, accessible to this user only. Its name exists for a moment.
fn unnamed_file(folder: &Path) -> Result<File, Error> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!("pyroclast-code-{}-{count}", std::process::id()));
    let file = File::options().read(true).write(true).create_new(true).mode(0o700).open(&path)?;
    std::fs::remove_file(path)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_of_either_kind_runs() {
        assert!(CodeMemory::is_permitted());
        #[cfg(target_arch = "x86_64")]
        let code = [0xb8, 42, 0, 0, 0, 0xc3]; // mov eax, 42; ret
        #[cfg(target_arch = "aarch64")]
        let code = [0x40, 0x05, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6]; // mov w0, #42; ret
        for memory in [CodeMemory::protected(&code), CodeMemory::mapped(&code)] {
            let memory = memory.expect("executable memory");
            assert!(memory.at(code.len()).is_none());
            let start = memory.at(0).expect("code");
            // SAFETY: a function of this type.
            let f = unsafe { std::mem::transmute::<NonNull<u8>, extern "C" fn() -> i32>(start) };
            assert_eq!(f(), 42);
        }
    }
}
