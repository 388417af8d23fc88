//! Loaded code: a shared object, or flat code in memory that is either writable or executable, never both.

use super::super::traits::{DeviceError, DeviceResult};
use clspv_bridge::native::flat_code::{self, FlatCode};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// A work-group function.
pub type Function = unsafe extern "C" fn(*const u8);

/// A program's code, loaded as long as this lives.
pub enum LoadedCode {
    Shared(Library),
    /// The code, and its functions with their offsets.
    Flat(CodeMemory, HashMap<String, usize>),
}

/// Executable memory of this process.
pub struct CodeMemory {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the memory is not written after its creation, and any thread may run it or unmap it.
unsafe impl Send for CodeMemory {}
// SAFETY: as above.
unsafe impl Sync for CodeMemory {}

impl LoadedCode {
    /// Loads the object of a program.
    pub fn new(object: &[u8]) -> DeviceResult<LoadedCode> {
        if !flat_code::is_flat(object) {
            return open(object).map(LoadedCode::Shared);
        }
        let flat = FlatCode::read(object).ok_or_else(|| failed(&"it is damaged"))?;
        let functions = flat.functions().map(|(name, offset)| (name.to_owned(), offset)).collect();
        Ok(LoadedCode::Flat(CodeMemory::new(flat.code)?, functions))
    }

    /// The function with this name.
    pub fn function(&self, name: &str) -> DeviceResult<Function> {
        let missing = |e: &dyn std::fmt::Display| DeviceError::Unexpected(format!("no function {name}: {e}"));
        match self {
            LoadedCode::Shared(library) => {
                // SAFETY: the symbol is a function of this type by the contract with the compiler, which made
                // the object.
                let found = unsafe { library.get::<Function>(name.as_bytes()) };
                found.map(|f| *f).map_err(|e| missing(&e))
            }
            LoadedCode::Flat(memory, functions) => {
                let offset = functions.get(name).filter(|at| **at < memory.bytes);
                let offset = offset.ok_or_else(|| missing(&"unknown"))?;
                // SAFETY: the offset lies in the memory.
                let address = unsafe { memory.start.add(*offset) };
                // SAFETY: a function of this type begins there, by the contract with the compiler.
                Ok(unsafe { std::mem::transmute::<NonNull<u8>, Function>(address) })
            }
        }
    }
}

impl CodeMemory {
    /// Copies code to executable memory.
    fn new(code: &[u8]) -> DeviceResult<CodeMemory> {
        let bytes = code.len();
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: new memory at an address of the system's choice.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(failed(&std::io::Error::last_os_error()));
        }
        let start = NonNull::new(start.cast::<u8>()).ok_or(DeviceError::OutOfHostMemory)?;
        let memory = CodeMemory { start, bytes };
        // SAFETY: the memory is new and as large as the code.
        unsafe { std::ptr::copy_nonoverlapping(code.as_ptr(), start.as_ptr(), bytes) };
        // Linux makes the instruction cache coherent with pages that become executable.
        let access = libc::PROT_READ | libc::PROT_EXEC;
        // SAFETY: the memory is our own.
        if unsafe { libc::mprotect(start.as_ptr().cast(), bytes, access) } != 0 {
            let error = std::io::Error::last_os_error();
            return Err(failed(&format!("the system permits no executable memory ({error})")));
        }
        Ok(memory)
    }
}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        // SAFETY: the memory was mapped with this size; no function of it is used any more.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

fn failed(e: &dyn std::fmt::Display) -> DeviceError {
    DeviceError::Unexpected(format!("cannot load native code: {e}"))
}

/// A redundant path component that is new each time: the loader identifies objects by path, and descriptor
/// numbers are reused.
fn detour() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let n = COUNT.fetch_add(1, Ordering::Relaxed);
    (0..64 - n.leading_zeros()).map(|bit| if n >> bit & 1 == 1 { "/./" } else { "///" }).collect()
}

/// Opens a shared object in memory.
fn open(object: &[u8]) -> DeviceResult<Library> {
    // SAFETY: the name is a string; the descriptor is checked.
    let fd = unsafe { libc::memfd_create(c"pyroclast-code".as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(failed(&std::io::Error::last_os_error()));
    }
    // SAFETY: the descriptor is new and has no other owner.
    let mut file = unsafe { File::from_raw_fd(fd) };
    file.write_all(object).map_err(|e| failed(&e))?;
    let path = format!("/proc/self{}/fd/{}", detour(), file.as_raw_fd());
    // SAFETY: the object has no initialisers; it was made by the compiler or comes from the cache of this
    // user.
    unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(|e| failed(&e))
}
