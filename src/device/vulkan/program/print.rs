//! Print buffers: kernels write printf records there, which are then formatted as text.
//!
//! The launches of one command buffer share a print buffer (format: `clspv_bridge::printf`), taken from a
//! small pool when the first of them is recorded; kernels that do not print cost nothing. Where the host sees
//! device memory it reads the buffer directly. Elsewhere the end of the command buffer copies the beginning
//! of the print buffer, which usually suffices; more is fetched when necessary. The text is formatted when
//! the command buffer is complete.

use super::kernel::VulkanKernel;
use crate::device::batch::{ArgValue, BufferRange, DeviceCommand, Launch};
use crate::device::traits::{DeviceError, DeviceKernel, DeviceMemory, DeviceResult};
use crate::device::vulkan::memory::buffer::buffer_of;
use crate::device::vulkan::memory::buffer::{Buffer, Use};
use crate::device::vulkan::memory::heap::Heap;
use crate::host_ptr::HostPtr;
use crate::printf::Printer;
use clspv_bridge::printf::{CAPACITY, DROPPED, HEAD, NEXT};
use parking_lot::Mutex;
use std::borrow::Cow;
use std::sync::Arc;

/// Bytes of the smallest buffers, for one launch or several.
const SMALLEST: u64 = 16 << 20;
/// Maximum size of a buffer, and maximum size that contexts may request.
const LARGEST: u64 = 256 << 20;
const LARGEST_WANTED: u64 = 1 << 30;
/// Words after the capacity: the longest record of most kernels.
const SLACK: u32 = 16 << 10;
/// Bytes copied at the end of a command buffer.
const BEGINNING: u64 = 64 << 10;
/// Maximum length of a string in a buffer.
const LONGEST_STRING: u64 = 4096;
/// Maximum number of pooled buffers.
const KEEP: usize = 4;

/// Executes a transfer immediately.
pub type Transfers = dyn Fn(&DeviceCommand) -> DeviceResult<()> + Send + Sync;

/// Unused print buffers.
pub struct PrintBuffers {
    heap: &'static Heap,
    free: Mutex<Vec<Arc<Buffer>>>,
}

impl PrintBuffers {
    /// An empty pool.
    pub fn new(heap: &'static Heap) -> PrintBuffers {
        PrintBuffers { heap, free: Mutex::default() }
    }
}

/// The print buffer of a command buffer.
pub struct VulkanPrintBuffer {
    pub buffer: Arc<Buffer>,
    capacity: u32,
    slack: u32,
    /// The kernels, each with the first number of its printf calls.
    kernels: Vec<(u32, Arc<dyn DeviceKernel>)>,
    next: u32,
    /// Arguments of the launches: `%s` may receive a string in a buffer.
    args: Vec<Arc<Vec<ArgValue>>>,
    /// Destination of the beginning, if the host cannot read the buffer.
    pub beginning: Option<HostPtr>,
}

/// Words of the longest record of a kernel.
fn longest(kernel: &dyn DeviceKernel) -> u32 {
    kernel.info().printf.iter().map(|c| c.words()).max().unwrap_or(0)
}

impl VulkanPrintBuffer {
    /// Takes a buffer for `launches` launches that may print `bytes` each, the first one of `kernel`. The
    /// caller writes the head ([`VulkanPrintBuffer::head`]).
    pub fn new(
        pool: &PrintBuffers,
        kernel: &dyn DeviceKernel,
        launches: u64,
        bytes: u64,
    ) -> DeviceResult<VulkanPrintBuffer> {
        let slack = SLACK.max(longest(kernel));
        // In bindings mode kernels see the buffer as one storage buffer.
        let most = u64::from(pool.heap.gpu.adapter.props.limits.max_storage_buffer_range)
            .saturating_sub(u64::from(slack) * 4 + 16);
        let room =
            bytes.saturating_mul(launches).clamp(SMALLEST, LARGEST.max(bytes.min(LARGEST_WANTED))).min(most);
        let mut size = room + u64::from(slack) * 4;
        let kept = {
            let mut free = pool.free.lock();
            let fits = free.iter().position(|b| b.size >= size);
            fits.map(|i| free.swap_remove(i))
        };
        let buffer = match kept {
            Some(buffer) => buffer,
            // When memory is short, less output is better than none.
            None => loop {
                match Buffer::new(pool.heap, size, Use::Device { host_visible: true }, "print buffer") {
                    Ok(buffer) => break Arc::new(buffer),
                    Err(DeviceError::OutOfDeviceMemory | DeviceError::OutOfHostMemory)
                        if size > u64::from(slack) * 4 + (2 << 20) =>
                    {
                        size = u64::from(slack) * 4 + room.min(1 << 20);
                    }
                    Err(e) => return Err(e),
                }
            },
        };
        let capacity = u32::try_from(buffer.size / 4).unwrap_or(u32::MAX).saturating_sub(slack);
        Ok(VulkanPrintBuffer {
            buffer,
            capacity,
            slack,
            kernels: Vec::new(),
            next: 0,
            args: Vec::new(),
            beginning: None,
        })
    }

    /// Whether records of this kernel fit the space after the capacity.
    pub fn takes(&self, kernel: &dyn DeviceKernel) -> bool {
        longest(kernel) <= self.slack
    }

    /// The first words of an empty buffer.
    pub fn head(&self) -> [u32; HEAD as usize] {
        let mut head = [0; HEAD as usize];
        head[NEXT as usize] = HEAD;
        head[CAPACITY as usize] = self.capacity;
        head
    }

    /// Adds a launch. Returns the number that its kernel's printf calls count from.
    pub fn add(&mut self, launch: &Launch) -> u32 {
        let kernel = &launch.kernel;
        if launch.args.iter().any(|a| matches!(a, ArgValue::Buffer(_) | ArgValue::Pointer { .. }))
            && !self.args.iter().any(|a| Arc::ptr_eq(a, &launch.args))
        {
            self.args.push(launch.args.clone());
        }
        // Addresses alone do not identify kernels: two of a type without fields could share one.
        if let Some((base, _)) =
            self.kernels.iter().find(|(_, k)| std::ptr::addr_eq(Arc::as_ptr(k), Arc::as_ptr(kernel)))
        {
            return *base;
        }
        let base = self.next;
        self.next += kernel.info().printf.len() as u32;
        self.kernels.push((base, kernel.clone()));
        base
    }

    /// The host address of the buffer, if the host reads it directly.
    pub fn readable(&self) -> Option<HostPtr> {
        self.buffer.mapped().filter(|_| self.buffer.host_cached())
    }

    /// Bytes of the beginning that is copied.
    pub fn beginning_bytes(&self) -> u64 {
        BEGINNING.min(self.buffer.size)
    }

    /// The printed text. The command buffer must be complete. `transfer` executes the reads of what was not
    /// copied.
    pub fn text(&self, transfer: &Transfers) -> Vec<u8> {
        let mut out = Vec::new();
        let all = self.buffer.size / 4;
        if let Some(base) = self.readable() {
            // SAFETY: the mapping is that large and aligned, and the device is done with it.
            self.render(transfer, unsafe { words(base, all) }, &mut out);
            return out;
        }
        let Some(beginning) = self.beginning else { return out };
        let count = self.beginning_bytes() / 4;
        // SAFETY: the piece has that size and is aligned; the device is done with it.
        let first = unsafe { words(beginning, count) };
        let used = u64::from(first[NEXT as usize].min(self.capacity)) + u64::from(self.slack);
        if u64::from(first[NEXT as usize]) <= count {
            self.render(transfer, first, &mut out);
            return out;
        }
        let mut fetched = vec![0u32; used.min(all) as usize];
        let memory: Arc<dyn DeviceMemory> = self.buffer.clone();
        let src = BufferRange { memory, offset: 0, size: fetched.len() as u64 * 4 };
        let dst = HostPtr::new(fetched.as_mut_ptr().cast());
        match transfer(&DeviceCommand::read(src, dst)) {
            Ok(()) => self.render(transfer, &fetched, &mut out),
            Err(e) => tracing::error!("the output of printf is lost: {e}"),
        }
        out
    }

    fn render(&self, transfer: &Transfers, words: &[u32], out: &mut Vec<u8>) {
        let head = |i: u32| words.get(i as usize).copied().unwrap_or(0);
        if head(DROPPED) != 0 {
            tracing::warn!("the print buffer was full: {} calls of printf are lost", head(DROPPED));
        }
        // Printers by call number.
        let printers: Vec<(Option<&VulkanKernel>, Printer<'_>)> = (self.kernels.iter())
            .flat_map(|(_, k)| k.info().printf.iter().map(|c| (k.as_any().downcast_ref(), Printer::new(c))))
            .collect();
        let end = head(NEXT).min(self.capacity) as usize;
        let mut at = HEAD as usize;
        while at < end {
            let Some((&number, rest)) = words.get(at..).and_then(<[u32]>::split_first) else { break };
            let Some((kernel, printer)) = printers.get(number as usize) else { break };
            let Some(operands) = rest.get(..printer.words - 1) else { break };
            let constant = |address| kernel.and_then(|k| k.constant_at(address)).map(Cow::Borrowed);
            printer.record(
                operands,
                &|address| constant(address).or_else(|| self.in_buffers(transfer, address)),
                out,
            );
            at += printer.words;
        }
    }

    /// The string at an address in a buffer argument, with its current contents.
    fn in_buffers(&self, transfer: &Transfers, address: u64) -> Option<Cow<'_, [u8]>> {
        let ranges = self.args.iter().flat_map(|a| a.iter()).filter_map(|a| match a {
            ArgValue::Buffer(range) | ArgValue::Pointer { within: Some(range), .. } => Some(range),
            _ => None,
        });
        for range in ranges {
            let Ok(buffer) = buffer_of(range) else { continue };
            let Some(at) = address.checked_sub(buffer.address + range.offset).filter(|at| *at < range.size)
            else {
                continue;
            };
            let (offset, size) = (range.offset + at, (range.size - at).min(LONGEST_STRING));
            let mut bytes = vec![0u8; size as usize];
            let dst = HostPtr::new(bytes.as_mut_ptr());
            match buffer.mapped().filter(|_| buffer.host_cached()) {
                // SAFETY: the range is inside the mapped buffer.
                Some(base) => unsafe {
                    std::ptr::copy_nonoverlapping(base.offset(offset).as_ptr(), dst.as_ptr(), size as usize)
                },
                None => {
                    let src = BufferRange { memory: range.memory.clone(), offset, size };
                    transfer(&DeviceCommand::read(src, dst)).ok()?;
                }
            }
            bytes.truncate(bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len()));
            return Some(Cow::Owned(bytes));
        }
        None
    }

    /// Returns the buffer to the pool.
    pub fn recycle(self, pool: &PrintBuffers) {
        let mut free = pool.free.lock();
        if free.len() < KEEP && self.buffer.size <= SMALLEST + 4 * u64::from(SLACK) {
            free.push(self.buffer);
        }
    }
}

/// # Safety
/// `base` is aligned to words and valid for `count` of them, which nothing writes meanwhile.
unsafe fn words<'a>(base: HostPtr, count: u64) -> &'a [u32] {
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(base.as_ptr().cast::<u32>(), count as usize) }
}
