//! Addresses of application memory that travel with commands.

/// An address in the application's memory (or in mapped device memory). Whoever dereferences it does so under the
/// command's contract: the application keeps the range valid and unshared until the command completes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct HostPtr(*mut u8);

// SAFETY: an address is plain data; dereferencing it is unsafe and governed by the command that carries it.
unsafe impl Send for HostPtr {}
// SAFETY: as above.
unsafe impl Sync for HostPtr {}

impl HostPtr {
    /// Wraps a pointer given by the application.
    pub fn new(ptr: *mut u8) -> Self {
        HostPtr(ptr)
    }
    /// The pointer.
    pub fn as_ptr(self) -> *mut u8 {
        self.0
    }
    /// The address.
    pub fn addr(self) -> usize {
        self.0 as usize
    }
    /// The pointer `bytes` further on; the range must belong to the same object when it is dereferenced.
    pub fn offset(self, bytes: u64) -> Self {
        HostPtr(self.0.wrapping_add(bytes as usize))
    }
}

impl std::fmt::Debug for HostPtr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:p}", self.0)
    }
}
