//! Loaded code of a program: a shared object or flat code.

use super::super::code_memory::{CodeMemory, code_file};
use super::super::traits::{DeviceError, DeviceResult};
use crate::mapped_pages::MappedPages;
use clspv_bridge::native::flat_code::{self, FlatCode};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::collections::HashMap;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A work-group function.
pub type Function = unsafe extern "C" fn(*const u8);

/// A program's code, loaded as long as this lives.
pub enum LoadedCode {
    Shared(Library),
    /// The code, and its functions with their offsets.
    Flat(CodeMemory, HashMap<String, usize>),
}

impl LoadedCode {
    /// Loads the object of a program. Flat code in a mapped file runs there if it can.
    pub fn new(object: &[u8], mapping: Option<&Arc<MappedPages>>) -> DeviceResult<LoadedCode> {
        if !flat_code::is_flat(object) {
            return open(object).map(LoadedCode::Shared);
        }
        let flat = FlatCode::read(object).ok_or_else(|| failed(&"it is damaged"))?;
        let functions = flat.functions().map(|(name, offset)| (name.to_owned(), offset)).collect();
        let in_place = mapping.and_then(|mapping| CodeMemory::in_place(flat.code, mapping));
        Ok(LoadedCode::Flat(in_place.map_or_else(|| CodeMemory::new(flat.code), Ok)?, functions))
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
                let address = functions.get(name).and_then(|offset| memory.at(*offset));
                let address = address.ok_or_else(|| missing(&"unknown"))?;
                // SAFETY: a function of this type begins there, by the contract with the compiler.
                Ok(unsafe { std::mem::transmute::<NonNull<u8>, Function>(address) })
            }
        }
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
    let mut file = code_file().map_err(|e| failed(&e))?;
    file.write_all(object).map_err(|e| failed(&e))?;
    let path = format!("/proc/self{}/fd/{}", detour(), file.as_raw_fd());
    // SAFETY: the object has no initialisers; it was made by the compiler or comes from the cache of this
    // user.
    unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(|e| failed(&e))
}
