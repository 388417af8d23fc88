//! Addresses of application memory that travel with commands.

use crate::cl::region::RectLayout;
use std::sync::OnceLock;

/// An address in the application's memory (or in mapped device memory). It is dereferenced under the
/// command's contract: the application keeps the range valid and unshared until the command completes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct HostPtr(*mut u8);

// SAFETY: an address is plain data; dereferencing it is unsafe and governed by the command that carries it.
unsafe impl Send for HostPtr {}
// SAFETY: as above.
unsafe impl Sync for HostPtr {}

impl HostPtr {
    /// Wraps a pointer of the application.
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
        // SAFETY: returns a number.
        let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        u64::try_from(size).ok().filter(|s| s.is_power_of_two()).unwrap_or(4096)
    })
}

/// Whether the process has a mapping at every byte of a range, whatever its protection.
pub(crate) fn is_mapped(ptr: HostPtr, size: u64) -> bool {
    const PAGES: u64 = 4096;
    let (start, Some(end)) = (ptr.addr() as u64 / page() * page(), (ptr.addr() as u64).checked_add(size))
    else {
        return false;
    };
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
/// Both ranges are valid for `len` bytes and are not written by others during the call.
pub unsafe fn copy(src: HostPtr, dst: HostPtr, len: u64) {
    let bytes = len as usize;
    if bytes >= STREAMED && src.addr().abs_diff(dst.addr()) >= bytes {
        // SAFETY: by this function's contract; the ranges do not overlap.
        return unsafe { copy_past_caches(src.0, dst.0, bytes) };
    }
    if len != 0 {
        // SAFETY: by this function's contract.
        unsafe { std::ptr::copy(src.0, dst.0, bytes) }
    }
}

/// Size from which copies bypass the caches, which would not keep the data: overwritten lines are not read
/// before.
const STREAMED: usize = 24 << 20;

/// Copies whole lines by non-temporal stores.
///
/// # Safety
/// Both ranges are valid for `len` bytes, do not overlap, and are not written by others during the call.
#[cfg(target_arch = "x86_64")]
unsafe fn copy_past_caches(src: *const u8, dst: *mut u8, len: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    // Two lines are read before they are written: a read after a write of the same page offset in another
    // page would stall.
    const BLOCK: usize = 128;
    const PART: usize = size_of::<__m128i>();
    let head = dst.align_offset(BLOCK).min(len);
    let rest = head + (len - head) / BLOCK * BLOCK;
    // SAFETY: ranges within those of the contract.
    unsafe { std::ptr::copy_nonoverlapping(src, dst, head) };
    for at in (head..rest).step_by(BLOCK) {
        // SAFETY: as above. Every x86-64 processor has the instruction.
        let part = |i: usize| unsafe { _mm_loadu_si128(src.wrapping_add(at + i * PART).cast()) };
        let block: [__m128i; BLOCK / PART] = std::array::from_fn(part);
        for (i, part) in block.into_iter().enumerate() {
            // SAFETY: as above; the destination is aligned.
            unsafe { _mm_stream_si128(dst.wrapping_add(at + i * PART).cast(), part) };
        }
    }
    // SAFETY: as above.
    unsafe { std::ptr::copy_nonoverlapping(src.wrapping_add(rest), dst.wrapping_add(rest), len - rest) };
    // SAFETY: an instruction that orders what follows behind these stores.
    unsafe { _mm_sfence() };
}

/// # Safety
/// As for `copy_nonoverlapping`.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn copy_past_caches(src: *const u8, dst: *mut u8, len: usize) {
    // SAFETY: by this function's contract.
    unsafe { std::ptr::copy_nonoverlapping(src, dst, len) }
}

/// Copies `len` bytes of a copy of `whole` bytes; the ranges do not overlap.
///
/// # Safety
/// Both ranges are valid for `len` bytes and are not written by others during the call.
pub unsafe fn copy_part(src: HostPtr, dst: HostPtr, len: u64, whole: u64) {
    let bytes = len as usize;
    if whole >= STREAMED as u64 {
        // SAFETY: by this function's contract.
        return unsafe { copy_past_caches(src.0, dst.0, bytes) };
    }
    // SAFETY: by this function's contract.
    unsafe { std::ptr::copy_nonoverlapping(src.0, dst.0, bytes) }
}

/// Copies a region of bytes, rows and slices between two pitched layouts.
///
/// # Safety
/// Every row of both regions is valid and is not written by others during the call.
pub unsafe fn copy_rect(
    src: HostPtr,
    src_layout: RectLayout,
    dst: HostPtr,
    dst_layout: RectLayout,
    region: [u64; 3],
) {
    for z in 0..region[2] {
        for y in 0..region[1] {
            let from = src.offset(src_layout.offset + z * src_layout.slice_pitch + y * src_layout.row_pitch);
            let to = dst.offset(dst_layout.offset + z * dst_layout.slice_pitch + y * dst_layout.row_pitch);
            // SAFETY: by this function's contract.
            unsafe { copy(from, to, region[0]) }
        }
    }
}

/// Repeats `pattern` over `len` bytes. Only writes to the memory, from which reads may be slow.
///
/// # Safety
/// The range is valid for `len` bytes and is not used by others during the call.
pub unsafe fn fill(dst: HostPtr, pattern: &[u8], len: u64) {
    if pattern.is_empty() || len == 0 {
        return;
    }
    // SAFETY: by this function's contract.
    let bytes = unsafe { std::slice::from_raw_parts_mut(dst.0, len as usize) };
    let mut block = [0; 2048];
    if let [byte] = pattern {
        bytes.fill(*byte);
    } else if pattern.len() >= block.len() {
        bytes.chunks_mut(pattern.len()).for_each(|chunk| chunk.copy_from_slice(&pattern[..chunk.len()]));
    } else {
        // Whole patterns, by doubling.
        let whole = (block.len() / pattern.len()).min(bytes.len().div_ceil(pattern.len()));
        let block = &mut block[..whole * pattern.len()];
        let mut done = pattern.len();
        block[..done].copy_from_slice(pattern);
        while done < block.len() {
            let (from, to) = block.split_at_mut(done);
            let more = from.len().min(to.len());
            to[..more].copy_from_slice(&from[..more]);
            done += more;
        }
        for chunk in bytes.chunks_mut(block.len()) {
            chunk.copy_from_slice(&block[..chunk.len()]);
        }
    }
}

/// Size from which memory is mapped from the system: its pages are zero, and allocated at first touch.
const LARGE: usize = 1 << 20;
/// Size of a huge page, and of allocations from which on huge pages are requested.
const HUGE_PAGE: usize = 2 << 20;
const HUGE: usize = 2 * HUGE_PAGE;

/// Host memory allocated by the runtime, aligned to a page, zeroed, freed on drop: buffers of the CPU device,
/// and shadow copies of buffers that the host cannot access.
pub struct HostAllocation {
    ptr: HostPtr,
    layout: std::alloc::Layout,
}

impl HostAllocation {
    /// Allocates `size` bytes (at least 1) aligned to a page; `None` if out of memory.
    pub fn new(size: u64) -> Option<HostAllocation> {
        let layout = std::alloc::Layout::from_size_align(usize::try_from(size).ok()?.max(1), 4096).ok()?;
        if layout.size() >= LARGE {
            let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            let extra = if layout.size() >= HUGE { HUGE_PAGE } else { 0 };
            let whole = layout.size().checked_next_multiple_of(page() as usize)?.checked_add(extra)?;
            // SAFETY: new pages; nothing is replaced.
            let ptr = unsafe { libc::mmap(std::ptr::null_mut(), whole, prot, flags, -1, 0) };
            if ptr == libc::MAP_FAILED {
                return None;
            }
            let mapped = HostPtr(ptr.cast());
            let ptr = if extra == 0 { mapped } else { huge_pages(mapped, whole, whole - extra) };
            return Some(HostAllocation { ptr, layout });
        }
        // SAFETY: the size is not zero.
        let ptr = unsafe { std::alloc::alloc_zeroed(layout) };
        (!ptr.is_null()).then_some(HostAllocation { ptr: HostPtr(ptr), layout })
    }

    /// Start of the memory.
    pub fn ptr(&self) -> HostPtr {
        self.ptr
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.layout.size() as u64
    }
}

/// Trims `whole` mapped bytes to `size` bytes aligned to a huge page, and requests huge pages for them.
fn huge_pages(mapped: HostPtr, whole: usize, size: usize) -> HostPtr {
    let before = mapped.addr().next_multiple_of(HUGE_PAGE) - mapped.addr();
    let start = mapped.offset(before as u64);
    for (at, len) in [(mapped, before), (start.offset(size as u64), whole - before - size)] {
        if len > 0 {
            // SAFETY: pages of the new mapping, which is not shared yet.
            unsafe { libc::munmap(at.0.cast(), len) };
        }
    }
    prefer_huge_pages(start, size as u64);
    start
}

/// Requests huge pages for a range of private memory that is not touched yet, where it contains whole ones.
pub(crate) fn prefer_huge_pages(ptr: HostPtr, size: u64) {
    let start = ptr.addr().next_multiple_of(HUGE_PAGE);
    let end = ptr.addr().saturating_add(size as usize) / HUGE_PAGE * HUGE_PAGE;
    if end.saturating_sub(start) >= HUGE - HUGE_PAGE {
        let at = ptr.offset((start - ptr.addr()) as u64);
        #[cfg(target_os = "linux")]
        // SAFETY: a hint about pages, which may be refused and changes no contents.
        let _ = unsafe { libc::madvise(at.0.cast(), end - start, libc::MADV_HUGEPAGE) };
        #[cfg(not(target_os = "linux"))]
        let _ = at;
    }
}

impl Drop for HostAllocation {
    fn drop(&mut self) {
        if self.layout.size() >= LARGE {
            // SAFETY: mapped in `new` with this size; not used any more.
            unsafe { libc::munmap(self.ptr.0.cast(), self.layout.size()) };
            return;
        }
        // SAFETY: allocated in `new` with this layout.
        unsafe { std::alloc::dealloc(self.ptr.0, self.layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_copies_are_complete_at_any_alignment() {
        let source: Vec<u8> = (0..STREAMED + 500).map(|i| (i * 7 + i / 251) as u8).collect();
        for (from, to, more) in [(0, 0, 0), (3, 1, 77), (64, 5, 191), (1, 64, 63)] {
            let (len, mut copied) = (STREAMED + more, vec![1u8; STREAMED + 500]);
            let (src, dst) =
                (HostPtr::new(source[from..].as_ptr().cast_mut()), HostPtr::new(copied[to..].as_mut_ptr()));
            // SAFETY: both vectors are longer than that.
            unsafe { copy(src, dst, len as u64) };
            assert!(copied[to..to + len] == source[from..from + len], "{from} {to} {more}");
            assert!(copied[..to].iter().chain(&copied[to + len..]).all(|b| *b == 1), "{from} {to} {more}");
        }
    }

    #[test]
    fn large_memory_is_zero_and_begins_where_huge_pages_do() {
        for size in [1u64, LARGE as u64, HUGE as u64 - 1, HUGE as u64, HUGE as u64 * 3 + 5] {
            let memory = HostAllocation::new(size).unwrap();
            let aligned = if size >= HUGE as u64 { HUGE_PAGE } else { 4096 };
            assert!(memory.size() == size && memory.ptr().addr().is_multiple_of(aligned), "{size}");
            // SAFETY: the memory has that size, and is not shared.
            let bytes = unsafe { std::slice::from_raw_parts_mut(memory.ptr().as_ptr(), size as usize) };
            assert!(bytes.iter().all(|b| *b == 0), "{size}");
            bytes.fill(1);
        }
        assert!(HostAllocation::new(u64::MAX - 4096).is_none());
    }

    #[test]
    fn asking_for_huge_pages_changes_nothing() {
        let bytes: Vec<u8> = (0..3 * HUGE + 5000).map(|i| (i * 7 + i / 251) as u8).collect();
        let copy = bytes.clone();
        for (at, size) in
            [(0, 0), (1, 1), (4097, HUGE_PAGE), (4095, HUGE), (16, 3 * HUGE + 11), (0, bytes.len())]
        {
            prefer_huge_pages(HostPtr::new(bytes[at..].as_ptr().cast_mut()), size as u64);
            assert!(bytes == copy, "{at} {size}");
        }
    }
}
