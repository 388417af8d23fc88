//! Addresses of application memory that travel with commands.

use crate::cl::region::RectLayout;
use std::sync::OnceLock;

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

/// Bytes of a page.
pub fn page() -> u64 {
    static PAGE: OnceLock<u64> = OnceLock::new();
    *PAGE.get_or_init(|| {
        // SAFETY: asks for a number.
        let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        u64::try_from(size).ok().filter(|s| s.is_power_of_two()).unwrap_or(4096)
    })
}

/// Whether the process has something mapped at every byte of a range, whatever may be done there.
pub fn is_mapped(ptr: HostPtr, size: u64) -> bool {
    const PAGES: u64 = 4096;
    let (start, Some(end)) = (ptr.addr() as u64 / page() * page(), (ptr.addr() as u64).checked_add(size)) else { return false };
    let mut resident = [0; PAGES as usize];
    let mut piece = |at: u64| {
        let len = (end - at).min(PAGES * page());
        let address = std::ptr::without_provenance_mut(at as usize);
        // SAFETY: nothing is read or written at the address; there is room for a byte a page.
        unsafe { libc::mincore(address, len as usize, resident.as_mut_ptr()) == 0 }
    };
    (start..end).step_by((PAGES * page()) as usize).all(&mut piece)
}

/// Copies `len` bytes; the ranges may overlap.
///
/// # Safety
/// Both ranges are valid for `len` bytes and nobody else writes them during the call.
pub unsafe fn copy(src: HostPtr, dst: HostPtr, len: u64) {
    if len != 0 {
        // SAFETY: by this function's contract.
        unsafe { std::ptr::copy(src.0, dst.0, len as usize) }
    }
}

/// Copies a region of bytes, rows and slices between two pitched layouts.
///
/// # Safety
/// Every row of both regions is valid and nobody else writes it during the call.
pub unsafe fn copy_rect(src: HostPtr, src_layout: RectLayout, dst: HostPtr, dst_layout: RectLayout, region: [u64; 3]) {
    for z in 0..region[2] {
        for y in 0..region[1] {
            let from = src.offset(src_layout.offset + z * src_layout.slice_pitch + y * src_layout.row_pitch);
            let to = dst.offset(dst_layout.offset + z * dst_layout.slice_pitch + y * dst_layout.row_pitch);
            // SAFETY: by this function's contract.
            unsafe { copy(from, to, region[0]) }
        }
    }
}

/// Repeats `pattern` over `len` bytes.
///
/// # Safety
/// The range is valid for `len` bytes and nobody else uses it during the call.
pub unsafe fn fill(dst: HostPtr, pattern: &[u8], len: u64) {
    if pattern.is_empty() || len == 0 {
        return;
    }
    // SAFETY: by this function's contract.
    let bytes = unsafe { std::slice::from_raw_parts_mut(dst.0, len as usize) };
    if let [byte] = pattern {
        bytes.fill(*byte);
    } else {
        // A block of whole patterns first, by doubling, which is then copied as a whole.
        let (block, rest) = bytes.split_at_mut(bytes.len().min((4096 / pattern.len()).max(1) * pattern.len()));
        let mut done = pattern.len().min(block.len());
        block[..done].copy_from_slice(&pattern[..done]);
        while done < block.len() {
            let (from, to) = block.split_at_mut(done);
            let more = from.len().min(to.len());
            to[..more].copy_from_slice(&from[..more]);
            done += more;
        }
        for chunk in rest.chunks_mut(block.len()) {
            chunk.copy_from_slice(&block[..chunk.len()]);
        }
    }
}

/// Sizes from which memory is taken from the system page by page: it is zero, and real where it is first touched.
const LARGE: usize = 1 << 20;

/// Host memory of our own, aligned to a page, zeroed, freed on drop: buffers of the CPU device and shadows of buffers that
/// the host cannot see.
pub struct HostAllocation {
    ptr: HostPtr,
    layout: std::alloc::Layout,
}

impl HostAllocation {
    /// Allocates `size` bytes (at least 1) aligned to a page; `None` if there is no memory.
    pub fn new(size: u64) -> Option<HostAllocation> {
        let layout = std::alloc::Layout::from_size_align(usize::try_from(size).ok()?.max(1), 4096).ok()?;
        if layout.size() >= LARGE {
            let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            // SAFETY: new pages; nothing is replaced.
            let ptr = unsafe { libc::mmap(std::ptr::null_mut(), layout.size(), prot, flags, -1, 0) };
            return (ptr != libc::MAP_FAILED).then_some(HostAllocation { ptr: HostPtr(ptr.cast()), layout });
        }
        // SAFETY: the size is not zero.
        let ptr = unsafe { std::alloc::alloc_zeroed(layout) };
        (!ptr.is_null()).then_some(HostAllocation { ptr: HostPtr(ptr), layout })
    }

    /// Start of the memory.
    pub fn ptr(&self) -> HostPtr {
        self.ptr
    }

    /// Bytes.
    pub fn size(&self) -> u64 {
        self.layout.size() as u64
    }
}

impl Drop for HostAllocation {
    fn drop(&mut self) {
        if self.layout.size() >= LARGE {
            // SAFETY: mapped in `new` with this size; nobody uses it any more.
            unsafe { libc::munmap(self.ptr.0.cast(), self.layout.size()) };
            return;
        }
        // SAFETY: allocated in `new` with this layout.
        unsafe { std::alloc::dealloc(self.ptr.0, self.layout) }
    }
}
