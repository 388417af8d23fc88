//! Claims to ranges of the process's addresses.

use std::ffi::c_void;
use std::os::fd::{AsRawFd, OwnedFd};

/// A claimed range of the process's addresses: a mapping that is unmapped on drop.
pub struct Claim {
    pub ptr: *mut c_void,
    len: usize,
}

// SAFETY: a range of addresses; any thread may unmap it.
unsafe impl Send for Claim {}
// SAFETY: as above.
unsafe impl Sync for Claim {}

impl Claim {
    /// Maps `len` bytes of `file`, or of anonymous memory, at `address` if that is free, or anywhere if it is
    /// `None`.
    pub fn new(address: Option<u64>, len: u64, access: libc::c_int, file: Option<&OwnedFd>) -> Option<Claim> {
        let len = usize::try_from(len).ok()?;
        let wanted = address.map_or(0, |a| a as usize);
        let fixed = if address.is_some() { libc::MAP_FIXED_NOREPLACE } else { 0 };
        let source = if file.is_some() {
            libc::MAP_SHARED
        } else {
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE
        };
        let fd = file.map_or(-1, AsRawFd::as_raw_fd);
        // SAFETY: without MAP_FIXED a new mapping replaces none.
        let ptr = unsafe {
            libc::mmap(std::ptr::without_provenance_mut(wanted), len, access, fixed | source, fd, 0)
        };
        if ptr == libc::MAP_FAILED {
            return None;
        }
        let claim = Claim { ptr, len };
        // Kernels that do not support MAP_FIXED_NOREPLACE treat the address as a hint.
        (address.is_none() || ptr as usize == wanted).then_some(claim)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own.
        unsafe { libc::munmap(self.ptr, self.len) };
    }
}

/// Protection of a claim.
pub const NO_ACCESS: libc::c_int = libc::PROT_NONE;
pub const READ_WRITE: libc::c_int = libc::PROT_READ | libc::PROT_WRITE;
