//! Recording of launches: arguments, descriptors and pipelines are only bound where they differ from those of
//! the previous launch.

use super::hazard::Engine;
use super::record::{LastLaunch, Recorder};
use super::rect;
use crate::device::batch::Launch;
use crate::device::traits::{DeviceError, DeviceResult};
use crate::device::vulkan::memory::access::{Accesses, ObjectAccess};
use crate::device::vulkan::memory::buffer::Buffer;
use crate::device::vulkan::memory::image::Bound;
use crate::device::vulkan::memory::staging::ArenaSlice;
use crate::device::vulkan::program::descriptors;
use crate::device::vulkan::program::grid::GridDispatch;
use crate::device::vulkan::program::kernel::{Plan, PrintTarget, VulkanKernel};
use crate::device::vulkan::program::pipeline::Pipeline;
use crate::device::vulkan::program::print::VulkanPrintBuffer;
use crate::device::vulkan::program::window::{self, WindowMemory};
use crate::host_ptr::HostPtr;
use ash::vk;
use clspv_bridge::abi::{BindingSource, BlockStorage};
use std::sync::Arc;

impl Recorder {
    /// Records a launch, by all of its dispatches.
    pub(super) fn launch(&mut self, launch: &Launch, ordered: bool) -> DeviceResult<()> {
        if self.repeat(launch, ordered) {
            return Ok(());
        }
        self.bound.last = None;
        let kernel = launch.kernel.as_any().downcast_ref::<VulkanKernel>();
        let kernel =
            kernel.ok_or_else(|| DeviceError::Unexpected("kernel of another kind of device".into()))?;
        let print =
            if kernel.compiled().info.printf.is_empty() { None } else { Some(self.printing(launch)?) };
        let printing = print.as_ref().map(|(buffer, base)| PrintTarget { buffer, base: *base });
        let mut plan = kernel.plan(launch, printing)?;
        kernel.use_existing_pipeline(&mut plan, launch)?;
        if plan.dispatches.is_empty() {
            return Ok(());
        }
        let ordered = ordered || !plan.shadow_images.is_empty() || plan.window.is_some();
        for &(arg, _) in &plan.shadow_images {
            self.fill_shadow_image(&launch.args[arg])?;
        }
        let accesses: Accesses = std::mem::take(&mut plan.accesses);
        let staged = self.fill_window(&mut plan, &accesses)?;
        if staged.is_none() {
            self.order(&accesses, ordered, Engine::Compute);
        }
        let dispatches = std::mem::take(&mut plan.dispatches);
        for dispatch in &dispatches {
            self.dispatch(&mut plan, dispatch)?;
        }
        if let Some(piece) = &staged {
            self.write_back_window(&plan, piece);
        }
        for &(arg, _) in plan.shadow_images.iter().filter(|(_, write)| *write) {
            self.write_back_shadow_image(&launch.args[arg])?;
        }
        if let [dispatch] = dispatches[..]
            && plan.shadow_images.is_empty()
            && staged.is_none()
            && print.is_none()
            && launch.indirect.is_empty()
        {
            self.bound.last = Some(LastLaunch {
                kernel: Arc::as_ptr(&launch.kernel).cast(),
                args: launch.args.clone(),
                dims: launch.dims,
                offset: launch.offset,
                global: launch.global,
                local: launch.local,
                accesses,
                groups: dispatch.groups,
            });
        }
        Ok(())
    }

    /// Copies the buffers of a launch to its window, if it is in staging memory; returns that.
    fn fill_window(
        &mut self,
        plan: &mut Plan<'_>,
        accesses: &[ObjectAccess],
    ) -> DeviceResult<Option<ArenaSlice>> {
        let Some(WindowMemory::Staged { size, copies }) = plan.window.as_ref().map(|w| &w.memory) else {
            return Ok(None);
        };
        let piece = self.allocator.staging.alloc(&self.pools.memory.staging, *size, window::ALIGN)?;
        self.order(accesses, true, Engine::Transfer);
        for copy in copies {
            let run = rect::Run { src: copy.start, dst: piece.offset + copy.at, size: copy.end - copy.start };
            self.copy(copy.raw, piece.buffer, &[run]);
        }
        self.begin_with_barrier();
        for (bound, source) in plan.bindings.iter_mut().zip(&plan.variant.abi.bindings) {
            if *source == BindingSource::Window {
                *bound = Bound::Buffer { buffer: piece.buffer, offset: piece.offset, range: *size };
            }
        }
        Ok(Some(piece))
    }

    /// Copies what the kernel may have written from the window in staging memory back to the buffers.
    fn write_back_window(&mut self, plan: &Plan<'_>, piece: &ArenaSlice) {
        let Some(WindowMemory::Staged { copies, .. }) = plan.window.as_ref().map(|w| &w.memory) else {
            return;
        };
        self.begin_with_barrier();
        for copy in copies {
            let run = |&(start, end): &(u64, u64)| {
                let src = piece.offset + copy.at + start - copy.start;
                rect::Run { src, dst: start, size: end - start }
            };
            let runs: Vec<rect::Run> = copy.writes.iter().map(run).collect();
            self.copy(piece.buffer, copy.raw, &runs);
        }
        self.any_transfer = true;
        self.begin_with_barrier();
    }

    /// Records a launch that is the same as the previous one; returns whether it is.
    fn repeat(&mut self, launch: &Launch, ordered: bool) -> bool {
        let Some(last) = self.bound.last.as_mut().filter(|last| last.is(launch)) else { return false };
        let (accesses, [x, y, z]) = (std::mem::take(&mut last.accesses), last.groups);
        self.order(&accesses, ordered, Engine::Compute);
        // SAFETY: the command buffer is recording, and everything is bound as for the launch before.
        unsafe { self.gpu.raw.cmd_dispatch(self.allocator.cmd, x, y, z) };
        if let Some(last) = &mut self.bound.last {
            last.accesses = accesses;
        }
        true
    }

    /// Binds what a dispatch needs, and records it.
    fn dispatch(&mut self, plan: &mut Plan<'_>, dispatch: &GridDispatch) -> DeviceResult<()> {
        let pipeline = plan.pipelines.get(plan.variant, &plan.key(dispatch))?;
        plan.set_dispatch(dispatch)?;
        if let Some(at) = plan.block_binding() {
            let piece = self.argument_block(plan)?;
            let range = plan.block.len() as u64;
            plan.bindings[at] = Bound::Buffer { buffer: piece.buffer, offset: piece.offset, range };
        }
        self.bind(&pipeline, plan)?;
        let address;
        let constants: &[u8] = match plan.variant.abi.block_storage {
            BlockStorage::Push => &plan.block,
            BlockStorage::Bound => &[],
            BlockStorage::Buffer => {
                address = self.argument_block(plan)?.address.to_ne_bytes();
                &address
            }
        };
        let (cmd, stages, [x, y, z]) = (self.allocator.cmd, vk::ShaderStageFlags::COMPUTE, dispatch.groups);
        // SAFETY: the command buffer is recording; the constants fit the layout, the groups the device's
        // limits.
        unsafe {
            if self.bound.constants[..] != *constants {
                self.gpu.raw.cmd_push_constants(cmd, pipeline.layout, stages, 0, constants);
                self.bound.constants.clear();
                self.bound.constants.extend_from_slice(constants);
            }
            self.gpu.raw.cmd_dispatch(cmd, x, y, z);
        }
        Ok(())
    }

    /// Copies the argument block to memory of the command buffer.
    fn argument_block(&mut self, plan: &Plan<'_>) -> DeviceResult<ArenaSlice> {
        let size = plan.block.len() as u64;
        let piece = self.allocator.args.alloc(&self.pools.memory.args, size, 256)?;
        // SAFETY: the piece has the block's size.
        unsafe { std::ptr::copy_nonoverlapping(plan.block.as_ptr(), piece.ptr, plan.block.len()) };
        Ok(piece)
    }

    /// Binds descriptors and the pipeline.
    fn bind(&mut self, pipeline: &Pipeline, plan: &Plan<'_>) -> DeviceResult<()> {
        let Pipeline { pipeline, layout, sets } = *pipeline;
        let cmd = self.allocator.cmd;
        self.bound.use_layout(layout);
        if self.bound.descriptors != plan.bindings {
            let allocator = &mut self.allocator.descriptors;
            descriptors::bind(self.gpu, cmd, allocator, layout, sets, &plan.bindings)?;
            self.bound.descriptors.clone_from(&plan.bindings);
        }
        if self.bound.pipeline != pipeline {
            // SAFETY: the command buffer is recording; the launch keeps the kernel alive.
            unsafe { self.gpu.raw.cmd_bind_pipeline(cmd, vk::PipelineBindPoint::COMPUTE, pipeline) };
            self.bound.pipeline = pipeline;
        }
        Ok(())
    }

    /// Whether there is a print buffer.
    pub fn has_prints(&self) -> bool {
        !self.prints.is_empty()
    }

    /// The print buffer of a launch, and the number that its kernel's printf calls count from.
    fn printing(&mut self, launch: &Launch) -> DeviceResult<(Arc<Buffer>, u32)> {
        if self.prints.last().is_none_or(|p| !p.takes(&*launch.kernel)) {
            let (launches, bytes) = self.room;
            let print =
                VulkanPrintBuffer::new(&self.pools.programs.prints, &*launch.kernel, launches, bytes)?;
            let head = print.head().map(u32::to_ne_bytes);
            match print.buffer.mapped() {
                // SAFETY: the mapping is larger than the head, and no work uses the buffer.
                Some(base) => unsafe {
                    std::ptr::copy_nonoverlapping(head.as_ptr(), base.as_ptr().cast(), head.len())
                },
                None => {
                    // SAFETY: the command buffer is recording; the buffer is larger than the head.
                    unsafe {
                        self.gpu.raw.cmd_update_buffer(
                            self.allocator.cmd,
                            print.buffer.raw,
                            0,
                            head.as_flattened(),
                        )
                    };
                    self.any_transfer = true;
                    self.begin_with_barrier();
                }
            }
            self.prints.push(print);
        }
        let print =
            self.prints.last_mut().ok_or_else(|| DeviceError::Unexpected("no print buffer".into()))?;
        let base = print.add(launch);
        Ok((print.buffer.clone(), base))
    }

    /// Takes the print buffers at the end of the command buffer. Records copies of their beginnings to the
    /// host where necessary.
    pub fn take_prints(&mut self) -> DeviceResult<Vec<VulkanPrintBuffer>> {
        let mut prints = std::mem::take(&mut self.prints);
        if prints.iter().any(|p| p.readable().is_none()) {
            self.begin_with_barrier();
        }
        for print in prints.iter_mut().filter(|p| p.readable().is_none()) {
            let size = print.beginning_bytes();
            let piece = self.staging(size)?;
            self.copy(print.buffer.raw, piece.buffer, &[rect::Run { src: 0, dst: piece.offset, size }]);
            self.any_transfer = true;
            print.beginning = Some(HostPtr::new(piece.ptr));
        }
        Ok(prints)
    }
}
