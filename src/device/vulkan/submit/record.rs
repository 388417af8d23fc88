//! Recording of device commands into a command buffer, with barriers only at hazards.
//!
//! Host memory is read while recording (writes go through staging or into the command buffer) and written at
//! completion ([`ReadBack`]).

use super::command_allocator::CommandAllocator;
use super::events::SharedEvent;
use super::hazard::{Barrier, BarrierTracker, Before, Engine, Footprint};
use super::list::List;
use super::pools::SubmitPools;
use super::recent_launches::RecentLaunches;
use super::rect;
use super::timeline::Timeline;
use crate::device::batch::{BufferRange, DeviceCommand, Endpoint, RectLayout, Region};
use crate::device::traits::{DeviceError, DeviceResult};
use crate::device::vulkan::core::conv::VkResultExt;
use crate::device::vulkan::core::gpu::Gpu;
use crate::device::vulkan::memory::access::{Object, ObjectAccess};
use crate::device::vulkan::memory::buffer::Buffer;
use crate::device::vulkan::memory::buffer::buffer_of;
use crate::device::vulkan::memory::bus;
use crate::device::vulkan::memory::image::Bound;
use crate::device::vulkan::memory::staging::ArenaSlice;
use crate::device::vulkan::program::print::VulkanPrintBuffer;
use crate::host_ptr::HostPtr;
use ash::vk;
use smallvec::SmallVec;
use std::ops::Range;

/// Maximum size of a write that is embedded in the command buffer.
const INLINE_WRITE: u64 = 16 << 10;
/// Maximum regions of one vkCmdCopyBuffer.
const MAX_REGIONS: usize = 4096;
/// Bytes of pattern staged where neither vkCmdFillBuffer nor the internal shader applies.
const STAGED_PATTERN: u64 = 64 << 10;

/// A copy out of staging memory, due at completion.
pub struct ReadBack {
    pub(super) src: HostPtr,
    pub(super) dst: HostPtr,
    pub(super) layout: RectLayout,
    pub(super) region: [u64; 3],
}

/// The read-backs of a command buffer.
pub type ReadBacks = SmallVec<[ReadBack; 1]>;

impl ReadBack {
    /// Copies.
    ///
    /// # Safety
    /// Both sides must be valid for the region, and the device done with the staging memory.
    pub unsafe fn run(&self) {
        // SAFETY: the caller's promise.
        unsafe { copy_rect(self.src, &RectLayout::packed(self.region), self.dst, &self.layout, self.region) };
    }
}

/// Copies a region between host layouts.
///
/// # Safety
/// Both sides must be valid for the region.
pub unsafe fn copy_rect(src: HostPtr, from: &RectLayout, dst: HostPtr, to: &RectLayout, region: [u64; 3]) {
    // Memory across the bus is weakly ordered: loads from it could be reordered before the load that observed
    // the completion.
    bus::fence();
    for run in rect::runs(from, to, region) {
        // SAFETY: the caller's promise. The ranges may be the same memory (mapped buffers).
        unsafe { super::copy::copy(src.offset(run.src), dst.offset(run.dst), run.size) };
    }
}

/// Recorder of one command buffer.
pub struct Recorder {
    pub gpu: &'static Gpu,
    pub(super) pools: &'static SubmitPools,
    pub allocator: CommandAllocator,
    barriers: BarrierTracker,
    /// Whether a transfer was recorded.
    pub(super) any_transfer: bool,
    pub(super) bound: Binding,
    /// Launches that need not be planned again.
    pub launches: RecentLaunches,
    pub read_backs: ReadBacks,
    /// Print buffers of the launches that print.
    pub(super) prints: Vec<VulkanPrintBuffer>,
    /// Number of launches that share a print buffer, and bytes for each.
    pub room: (u64, u64),
    /// For lists: accesses of the whole recording.
    footprint: Option<Footprint>,
}

/// State bound in the command buffer for compute work: a launch does not bind again what it shares with the
/// previous one.
#[derive(Default)]
pub(super) struct Binding {
    pub(super) pipeline: vk::Pipeline,
    /// Pipeline layout of the bound descriptors and constants.
    layout: vk::PipelineLayout,
    pub(super) descriptors: SmallVec<[Bound; 8]>,
    pub(super) constants: SmallVec<[u8; 128]>,
    /// The place among the recent launches of one for which everything is bound.
    pub(super) launch: Option<usize>,
}

impl Binding {
    /// Invalidates bindings of another layout.
    pub(super) fn use_layout(&mut self, layout: vk::PipelineLayout) {
        if self.layout != layout {
            self.layout = layout;
            self.descriptors.clear();
            self.constants.clear();
        }
    }

    /// Invalidates the bindings, after other code has bound something.
    fn forget(&mut self) {
        self.launch = None;
        self.pipeline = vk::Pipeline::null();
        self.use_layout(vk::PipelineLayout::null());
    }
}

pub(super) fn part(
    range: &BufferRange,
    buffer: &Buffer,
    layout: &RectLayout,
    region: [u64; 3],
    write: bool,
) -> DeviceResult<ObjectAccess> {
    let start = range.offset + layout.offset;
    let end = start + rect::extent(layout, region);
    if end > buffer.padded {
        return Err(DeviceError::Unexpected("region outside the buffer".into()));
    }
    Ok(ObjectAccess { object: Object::Buffer(buffer.raw), start, end, write })
}

pub(super) fn shifted(layout: &RectLayout, by: u64) -> RectLayout {
    RectLayout { offset: layout.offset + by, ..*layout }
}

/// A command buffer whose recording has ended.
pub struct EndedRecording {
    pub allocator: CommandAllocator,
    pub read_backs: ReadBacks,
    /// The event that it sets at its end.
    pub event: Option<SharedEvent>,
}

impl Recorder {
    /// Begins a command buffer. `before` says how its work is synchronised with earlier command buffers.
    pub fn begin(pools: &'static SubmitPools, before: Before) -> DeviceResult<Recorder> {
        Ok(Recorder::with_allocator(pools, CommandAllocator::begin(&pools.allocators)?, before))
    }

    /// Begins a list. The command buffer that executes it synchronises it with the commands before and after.
    pub fn begin_list(pools: &'static SubmitPools) -> DeviceResult<Recorder> {
        let recorder =
            Recorder::with_allocator(pools, CommandAllocator::of_list(pools.gpu)?, Before::Barrier);
        Ok(Recorder { footprint: Some(Footprint::default()), ..recorder })
    }

    fn with_allocator(
        pools: &'static SubmitPools,
        mut allocator: CommandAllocator,
        before: Before,
    ) -> Recorder {
        let barriers = BarrierTracker::new(std::mem::take(&mut allocator.hazards), before);
        Recorder {
            gpu: pools.gpu,
            pools,
            allocator,
            barriers,
            any_transfer: false,
            bound: Binding::default(),
            launches: RecentLaunches::default(),
            read_backs: ReadBacks::new(),
            prints: Vec::new(),
            room: (1, 0),
            footprint: None,
        }
    }

    /// Whether the barrier at the end will be for compute work only.
    pub fn ends_narrow(&self) -> bool {
        !self.any_transfer
    }

    /// Ends the recording. Makes results visible to the host, by the last barrier or by the event of the
    /// `timeline` that is set then, and by the barrier also to later command buffers, unless these do it
    /// themselves (`open`).
    pub fn end(mut self, open: bool, timeline: &Timeline) -> DeviceResult<EndedRecording> {
        let (cmd, event) = (self.allocator.cmd, timeline.next_event());
        match &event {
            Some(event) => {
                // The event may be set before transfers are complete (quirk `slow_signals`).
                if self.any_transfer {
                    self.gpu.barrier_to_host(cmd);
                }
                // Transfers of earlier command buffers may be under way if this one begins without a barrier.
                self.gpu.set_event(cmd, event.raw, open || self.any_transfer);
            }
            None if open => self.gpu.barrier_to_host(cmd),
            None => self.gpu.last_barrier(cmd, self.any_transfer),
        }
        self.allocator.hazards = self.barriers.into_hazards();
        // SAFETY: the command buffer is recording.
        match unsafe { self.gpu.raw.end_command_buffer(cmd) }.during("vkEndCommandBuffer") {
            Ok(()) => Ok(EndedRecording { allocator: self.allocator, read_backs: self.read_backs, event }),
            Err(e) => {
                self.allocator.recycle(&self.pools.allocators, None);
                event.into_iter().for_each(|event| timeline.put_back_event(event));
                Err(e)
            }
        }
    }

    /// Ends a list. Returns its command allocator, its accesses, and whether it contains transfers.
    pub fn end_list(mut self) -> DeviceResult<(CommandAllocator, Vec<ObjectAccess>, bool)> {
        // SAFETY: the command buffer is recording.
        match unsafe { self.gpu.raw.end_command_buffer(self.allocator.cmd) } {
            Ok(()) => Ok((self.allocator, self.footprint.unwrap_or_default().accesses(), self.any_transfer)),
            Err(e) => {
                self.allocator.dispose(self.pools.memory);
                Err(crate::device::vulkan::core::conv::error("vkEndCommandBuffer", e))
            }
        }
    }

    /// Discards the recording.
    pub fn abandon(mut self) {
        match self.footprint {
            Some(_) => self.allocator.dispose(self.pools.memory),
            None => self.allocator.recycle(&self.pools.allocators, None),
        }
    }

    /// Records the barrier that a command needs before it.
    pub(super) fn order(&mut self, accesses: &[ObjectAccess], ordered: bool, engine: Engine) {
        if let Some(footprint) = &mut self.footprint {
            footprint.add(accesses);
        }
        match self.barriers.next(accesses, ordered, engine) {
            Barrier::None => {}
            Barrier::Compute => self.gpu.compute_barrier(self.allocator.cmd),
            Barrier::Full => self.gpu.full_barrier(self.allocator.cmd),
        }
        self.any_transfer |= engine == Engine::Transfer;
    }

    /// Records a barrier for everything before the command buffer.
    pub fn begin_with_barrier(&mut self) {
        self.gpu.full_barrier(self.allocator.cmd);
        self.barriers.fenced();
    }

    /// Makes the writes of earlier work visible whose completion the host has seen.
    pub fn begin_after_host(&mut self) {
        self.gpu.barrier_from_host(self.allocator.cmd);
    }

    pub(super) fn staging(&mut self, size: u64) -> DeviceResult<ArenaSlice> {
        self.allocator.staging.alloc(&self.pools.memory.staging, size, 16)
    }

    pub(super) fn copy(&self, src: vk::Buffer, dst: vk::Buffer, runs: &[rect::Run]) {
        for chunk in runs.chunks(MAX_REGIONS) {
            let regions: SmallVec<[vk::BufferCopy; 4]> = chunk
                .iter()
                .map(|r| vk::BufferCopy { src_offset: r.src, dst_offset: r.dst, size: r.size })
                .collect();
            // SAFETY: the command buffer is recording; the regions are inside the buffers and not empty.
            unsafe { self.gpu.raw.cmd_copy_buffer(self.allocator.cmd, src, dst, &regions) };
        }
    }

    /// Records one command.
    pub fn command(&mut self, command: &DeviceCommand, ordered: bool) -> DeviceResult<()> {
        match command {
            DeviceCommand::Copy { src, dst, region } => self.copy_region(src, dst, *region, ordered),
            DeviceCommand::Fill { dst, region, pattern } => match dst {
                Endpoint::Buffer(range, layout) => self.fill_rect((range, layout), *region, pattern, ordered),
                Endpoint::Image(range) => self.fill_image(range, pattern, ordered),
                Endpoint::Host(..) => Err(DeviceError::Unexpected("a fill of host memory".into())),
            },
            DeviceCommand::Launch(launch) => self.launch(launch, ordered),
            DeviceCommand::Replay(list) => self.replay(List::of(list)?, ordered),
            DeviceCommand::Ownership { ranges, release } => self.transfer_ownership(ranges, *release),
            // The submission handles semaphores.
            DeviceCommand::Wait(_) | DeviceCommand::Signal(_) | DeviceCommand::Nop => Ok(()),
        }
    }

    fn copy_region(
        &mut self,
        src: &Endpoint,
        dst: &Endpoint,
        region: Region,
        ordered: bool,
    ) -> DeviceResult<()> {
        use Endpoint::{Buffer, Host, Image};
        match (src, dst) {
            (Host(src, from), Buffer(dst, to)) => self.write((*src, from), (dst, to), region, ordered),
            (Buffer(src, from), Host(dst, to)) => self.read((src, from), (*dst, to), region, ordered),
            (Buffer(src, from), Buffer(dst, to)) => {
                self.copy_buffers((src, from), (dst, to), region, ordered)
            }
            (Host(src, layout), Image(dst)) => self.write_image(*src, layout, dst, ordered),
            (Image(src), Host(dst, layout)) => self.read_image(src, *dst, layout, ordered),
            (Image(src), Image(dst)) => self.copy_image(src, dst, ordered),
            (Image(src), Buffer(dst, layout)) => self.image_to_buffer(src, dst, layout, ordered),
            (Buffer(src, layout), Image(dst)) => self.buffer_to_image(src, layout, dst, ordered),
            (Host(..), Host(..)) => Err(DeviceError::Unexpected("a copy within host memory".into())),
        }
    }

    /// Acquires buffers from users outside of this device, or releases them.
    fn transfer_ownership(&mut self, ranges: &[BufferRange], release: bool) -> DeviceResult<()> {
        self.begin_with_barrier();
        self.any_transfer = true;
        let buffers = ranges.iter().map(|r| Ok(buffer_of(r)?.raw)).collect::<DeviceResult<Vec<_>>>()?;
        self.gpu.ownership_barrier(self.allocator.cmd, &buffers, release);
        Ok(())
    }

    /// Writes from host memory, which is read immediately.
    pub fn write(
        &mut self,
        (src, src_layout): (HostPtr, &RectLayout),
        (dst, dst_layout): (&BufferRange, &RectLayout),
        region: Region,
        ordered: bool,
    ) -> DeviceResult<()> {
        if region.contains(&0) {
            return Ok(());
        }
        let buffer = buffer_of(dst)?;
        let access = part(dst, buffer, dst_layout, region, true)?;
        self.order(&[access], ordered, Engine::Transfer);
        let size = region[0] * region[1] * region[2];
        let linear = region[1] == 1 && region[2] == 1;
        if linear && size <= INLINE_WRITE && size.is_multiple_of(4) && access.start.is_multiple_of(4) {
            // SAFETY: the application keeps the source valid until completion.
            let data =
                unsafe { std::slice::from_raw_parts(src.offset(src_layout.offset).as_ptr(), size as usize) };
            // SAFETY: the command buffer is recording; offset and size are multiples of 4 and inside the
            // buffer.
            unsafe { self.gpu.raw.cmd_update_buffer(self.allocator.cmd, buffer.raw, access.start, data) };
            return Ok(());
        }
        let piece = self.staging(size)?;
        let packed = RectLayout::packed(region);
        // SAFETY: the application keeps the source valid; the piece has room for the packed region.
        unsafe { copy_rect(src, src_layout, HostPtr::new(piece.ptr), &packed, region) };
        let runs = rect::runs(&shifted(&packed, piece.offset), &shifted(dst_layout, dst.offset), region);
        self.copy(piece.buffer, buffer.raw, &runs);
        Ok(())
    }

    /// Reads into host memory at completion.
    pub fn read(
        &mut self,
        (src, src_layout): (&BufferRange, &RectLayout),
        (dst, dst_layout): (HostPtr, &RectLayout),
        region: Region,
        ordered: bool,
    ) -> DeviceResult<()> {
        if region.contains(&0) {
            return Ok(());
        }
        let buffer = buffer_of(src)?;
        let access = part(src, buffer, src_layout, region, false)?;
        let piece = self.staging(region[0] * region[1] * region[2])?;
        let packed = RectLayout::packed(region);
        let runs = rect::runs(&shifted(src_layout, src.offset), &shifted(&packed, piece.offset), region);
        match runs.as_slice() {
            [run] if self.pools.programs.shaders.copies_by_shader(run.src, run.dst, run.size, false) => {
                self.order(&[access], ordered, Engine::Compute);
                self.copy_by_shader(buffer.raw, piece.buffer, run)?;
            }
            _ => {
                self.order(&[access], ordered, Engine::Transfer);
                self.copy(buffer.raw, piece.buffer, &runs);
            }
        }
        self.read_backs.push(ReadBack { src: HostPtr::new(piece.ptr), dst, layout: *dst_layout, region });
        Ok(())
    }

    /// Uploads bytes to a buffer that nothing else uses.
    pub fn upload(&mut self, buffer: &Buffer, at: u64, bytes: &[u8]) -> DeviceResult<()> {
        self.order(&[], true, Engine::Transfer);
        let piece = self.staging(bytes.len() as u64)?;
        // SAFETY: the piece has room for the bytes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), piece.ptr, bytes.len()) };
        self.copy(
            piece.buffer,
            buffer.raw,
            &[rect::Run { src: piece.offset, dst: at, size: bytes.len() as u64 }],
        );
        Ok(())
    }

    fn copy_buffers(
        &mut self,
        (src, src_layout): (&BufferRange, &RectLayout),
        (dst, dst_layout): (&BufferRange, &RectLayout),
        region: [u64; 3],
        ordered: bool,
    ) -> DeviceResult<()> {
        if region.contains(&0) {
            return Ok(());
        }
        let (from, to) = (buffer_of(src)?, buffer_of(dst)?);
        let accesses =
            [part(src, from, src_layout, region, false)?, part(dst, to, dst_layout, region, true)?];
        let runs = rect::runs(&shifted(src_layout, src.offset), &shifted(dst_layout, dst.offset), region);
        if from.raw == to.raw && rect::may_overlap(&runs) {
            self.order(&accesses, ordered, Engine::Transfer);
            return self.copy_by_staging(from.raw, &runs);
        }
        if let [run] = runs.as_slice()
            && self.pools.programs.shaders.copies_by_shader(
                run.src,
                run.dst,
                run.size,
                from.is_local() && to.is_local(),
            )
        {
            self.order(&accesses, ordered, Engine::Compute);
            return self.copy_by_shader(from.raw, to.raw, run);
        }
        self.order(&accesses, ordered, Engine::Transfer);
        self.copy(from.raw, to.raw, &runs);
        Ok(())
    }

    /// Copies within a buffer through staging memory: source and destination may overlap, which
    /// vkCmdCopyBuffer does not allow. Images that share a buffer's storage lead to such copies.
    fn copy_by_staging(&mut self, buffer: vk::Buffer, runs: &[rect::Run]) -> DeviceResult<()> {
        if runs.iter().all(|run| run.src == run.dst) {
            return Ok(());
        }
        let piece = self.staging(runs.iter().map(|run| run.size).sum())?;
        let (mut to, mut from) = (rect::Runs::new(), rect::Runs::new());
        let mut at = piece.offset;
        for run in runs {
            to.push(rect::Run { dst: at, ..*run });
            from.push(rect::Run { src: at, ..*run });
            at += run.size;
        }
        self.copy(buffer, piece.buffer, &to);
        self.gpu.full_barrier(self.allocator.cmd);
        self.copy(piece.buffer, buffer, &from);
        Ok(())
    }

    /// Copies with the internal shader, where `InternalShaders::can_copy_units` allows it.
    pub fn copy_by_shader(&mut self, from: vk::Buffer, to: vk::Buffer, run: &rect::Run) -> DeviceResult<()> {
        self.bound.forget();
        self.pools.programs.shaders.copy_units(self.allocator.cmd, (from, run.src), (to, run.dst), run.size)
    }

    fn fill_rect(
        &mut self,
        (dst, layout): (&BufferRange, &RectLayout),
        region: Region,
        pattern: &[u8],
        ordered: bool,
    ) -> DeviceResult<()> {
        let buffer = buffer_of(dst)?;
        let access = part(dst, buffer, layout, region, true)?;
        let runs = rect::runs(layout, layout, region);
        let bytes = |run: &rect::Run| dst.offset + run.dst..dst.offset + run.dst + run.size;
        match runs.as_slice() {
            [] => Ok(()),
            [run] => self.fill(buffer, bytes(run), pattern, ordered),
            rows => {
                self.order(&[access], ordered, Engine::Transfer);
                rows.iter().try_for_each(|run| self.fill(buffer, bytes(run), pattern, false))
            }
        }
    }

    fn fill(
        &mut self,
        buffer: &Buffer,
        Range { start, end }: Range<u64>,
        pattern: &[u8],
        ordered: bool,
    ) -> DeviceResult<()> {
        if pattern.is_empty() {
            return Err(DeviceError::Unexpected("empty fill pattern".into()));
        }
        let size = end - start;
        let access = ObjectAccess { object: Object::Buffer(buffer.raw), start, end, write: true };
        let (inner, last) =
            (start.next_multiple_of(4).min(end), (end & !3).max(start.next_multiple_of(4).min(end)));
        let words = pattern.len() / 4;
        let shader = self.gpu.push_descriptor.is_some()
            && pattern.len().is_multiple_of(4)
            && words.is_power_of_two()
            && words <= 32
            && start.is_multiple_of(4)
            && size.is_multiple_of(4);
        let word = word_of(pattern, inner - start);
        if let Some(word) = word.filter(|_| !shader || !self.pools.programs.shaders.fills_by_shader(size)) {
            self.order(&[access], ordered, Engine::Transfer);
            if last > inner {
                // SAFETY: the command buffer is recording; offset and size are multiples of 4 and inside the
                // buffer.
                unsafe {
                    self.gpu.raw.cmd_fill_buffer(self.allocator.cmd, buffer.raw, inner, last - inner, word)
                };
            }
            // At most three bytes at either end.
            self.fill_staged(buffer, start, start, inner, pattern)?;
            return self.fill_staged(buffer, start, last, end, pattern);
        }
        self.order(&[access], ordered, if shader { Engine::Compute } else { Engine::Transfer });
        if !shader {
            return self.fill_staged(buffer, start, start, end, pattern);
        }
        let align = self.gpu.adapter.props.limits.min_storage_buffer_offset_alignment.max(4);
        let piece = self.allocator.args.alloc(&self.pools.memory.args, pattern.len() as u64, align)?;
        // SAFETY: the piece has the pattern's size.
        unsafe { std::ptr::copy_nonoverlapping(pattern.as_ptr(), piece.ptr, pattern.len()) };
        self.bound.forget();
        self.pools.programs.shaders.fill_words(
            self.allocator.cmd,
            (buffer.raw, start, size),
            piece,
            words as u32,
        )
    }

    /// Fills `from..to` by copies of staged pattern; the pattern's phase counts from `origin`.
    fn fill_staged(
        &mut self,
        buffer: &Buffer,
        origin: u64,
        from: u64,
        to: u64,
        pattern: &[u8],
    ) -> DeviceResult<()> {
        if from >= to {
            return Ok(());
        }
        let unit = (STAGED_PATTERN / pattern.len() as u64).max(1) * pattern.len() as u64;
        let unit = unit.min(to - from);
        let piece = self.staging(unit)?;
        let phase = (from - origin) as usize;
        for i in 0..unit as usize {
            // SAFETY: the piece has `unit` bytes.
            unsafe { *piece.ptr.add(i) = pattern[(phase + i) % pattern.len()] };
        }
        let runs: Vec<rect::Run> = (from..to)
            .step_by(unit as usize)
            .map(|at| rect::Run { src: piece.offset, dst: at, size: unit.min(to - at) })
            .collect();
        self.copy(piece.buffer, buffer.raw, &runs);
        Ok(())
    }

    /// Executes a list as one command, or records its commands again if it has no command buffer.
    fn replay(&mut self, list: &List, ordered: bool) -> DeviceResult<()> {
        let Some(recorded) = &list.recorded else {
            return list
                .items
                .iter()
                .try_for_each(|item| self.command(&item.command, ordered || item.ordered));
        };
        let engine = if recorded.transfers { Engine::Transfer } else { Engine::Compute };
        self.order(&recorded.accesses, ordered, engine);
        self.bound.forget();
        // SAFETY: both command buffers are of this device's family; this one is recording, the other
        // complete.
        unsafe { self.gpu.raw.cmd_execute_commands(self.allocator.cmd, &[recorded.cmd]) };
        Ok(())
    }
}

/// The word that repeats over a fill from `phase` bytes after its start, if one word does.
fn word_of(pattern: &[u8], phase: u64) -> Option<u32> {
    let n = pattern.len();
    let byte = |i: u64| pattern[((phase + i) % n as u64) as usize];
    let word = [byte(0), byte(1), byte(2), byte(3)];
    let repeats = (0..n.max(4) as u64).all(|i| byte(i) == word[(i % 4) as usize]);
    (repeats && (4 % n == 0 || n.is_multiple_of(4))).then(|| u32::from_ne_bytes(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_patterns() {
        assert_eq!(word_of(&[7], 3), Some(0x0707_0707));
        assert_eq!(word_of(&[1, 2], 0), Some(u32::from_ne_bytes([1, 2, 1, 2])));
        assert_eq!(word_of(&[1, 2], 1), Some(u32::from_ne_bytes([2, 1, 2, 1])));
        assert_eq!(word_of(&[1, 2, 3, 4], 2), Some(u32::from_ne_bytes([3, 4, 1, 2])));
        assert_eq!(word_of(&[0; 16], 0), Some(0));
        assert_eq!(word_of(&[1, 2, 3, 4, 5, 6, 7, 8], 0), None);
        assert_eq!(word_of(&[1, 2, 3], 0), None);
    }
}
