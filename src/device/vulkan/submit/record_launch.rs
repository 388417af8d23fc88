//! Recording of launches: arguments, descriptors and pipelines are only bound where they differ from those of
//! the previous launch.

use super::hazard::Engine;
use super::recent_launches::RecentLaunch;
use super::record::Recorder;
use super::rect;
use crate::device::batch::Launch;
use crate::device::traits::{DeviceError, DeviceResult};
use crate::device::vulkan::memory::access::{Accesses, ObjectAccess};
use crate::device::vulkan::memory::buffer::Buffer;
use crate::device::vulkan::memory::image::Bound;
use crate::device::vulkan::memory::staging::ArenaSlice;
use crate::device::vulkan::program::descriptors;
use crate::device::vulkan::program::dispatch::DispatchState;
use crate::device::vulkan::program::kernel::{Plan, PrintTarget, VulkanKernel};
use crate::device::vulkan::program::pipeline::Pipeline;
use crate::device::vulkan::program::print::VulkanPrintBuffer;
use crate::device::vulkan::program::window::{self, WindowMemory};
use crate::host_ptr::HostPtr;
use ash::vk;
use clspv_bridge::abi::{BindingSource, BlockStorage};
use std::sync::Arc;

/// The Vulkan kernel of a launch.
fn kernel_of(launch: &Launch) -> DeviceResult<&VulkanKernel> {
    let kernel = launch.kernel.as_any().downcast_ref::<VulkanKernel>();
    kernel.ok_or_else(|| DeviceError::Unexpected("kernel of another kind of device".into()))
}

impl Recorder {
    /// Records a launch, by all of its dispatches.
    pub(super) fn launch(&mut self, launch: &Launch, ordered: bool) -> DeviceResult<()> {
        if self.launch_again(launch, ordered)? {
            return Ok(());
        }
        self.bound.launch = None;
        let kernel = kernel_of(launch)?;
        let print =
            if kernel.compiled().info.printf.is_empty() { None } else { Some(self.printing(launch)?) };
        let printing = print.as_ref().map(|(buffer, base)| PrintTarget { buffer, base: *base });
        let mut plan = kernel.plan(launch, printing)?;
        let is_provisional = kernel.use_existing_pipeline(&mut plan, launch)?;
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
            plan.set_dispatch(dispatch)?;
            self.dispatch(&mut plan.state)?;
        }
        if let Some(piece) = &staged {
            self.write_back_window(&plan, piece);
        }
        for &(arg, _) in plan.shadow_images.iter().filter(|(_, write)| *write) {
            self.write_back_shadow_image(&launch.args[arg])?;
        }
        if dispatches.len() == 1
            && plan.shadow_images.is_empty()
            && staged.is_none()
            && print.is_none()
            && !is_provisional
        {
            self.bound.launch = self.launches.add(launch, accesses, plan.state);
        }
        Ok(())
    }

    /// Records a launch without planning it, if it differs from a recent one by numbers at most; returns
    /// whether it does.
    fn launch_again(&mut self, launch: &Launch, ordered: bool) -> DeviceResult<bool> {
        let mut launches = std::mem::take(&mut self.launches);
        let recorded = match launches.find(launch) {
            Some((at, recent)) => {
                let bound = self.bound.launch.replace(at) == Some(at);
                self.again(recent, launch, ordered, bound).map(|()| true)
            }
            None => Ok(false),
        };
        self.launches = launches;
        recorded
    }

    /// Records a launch that differs from a recent one by numbers at most. Everything may still be `bound` as
    /// for that.
    fn again(
        &mut self,
        recent: &mut RecentLaunch,
        launch: &Launch,
        ordered: bool,
        bound: bool,
    ) -> DeviceResult<()> {
        self.order(&recent.accesses, ordered, Engine::Compute);
        if !recent.has_arguments_of(launch) {
            kernel_of(launch)?.put_numbers(&mut recent.state, &launch.args)?;
            recent.note_arguments_of(launch);
        } else if bound {
            let [x, y, z] = recent.state.groups;
            // SAFETY: the command buffer is recording, and everything is bound as for the launch before.
            unsafe { self.gpu.raw.cmd_dispatch(self.allocator.cmd, x, y, z) };
            return Ok(());
        }
        self.dispatch(&mut recent.state)
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
        for (bound, source) in plan.state.bindings.iter_mut().zip(&plan.variant.abi.bindings) {
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

    /// Binds what a dispatch needs, and records it.
    fn dispatch(&mut self, state: &mut DispatchState) -> DeviceResult<()> {
        if let Some(at) = state.block_binding {
            let piece = self.argument_block(&state.block)?;
            let range = state.block.len() as u64;
            state.bindings[at] = Bound::Buffer { buffer: piece.buffer, offset: piece.offset, range };
        }
        self.bind(state)?;
        let address;
        let constants: &[u8] = match state.storage {
            BlockStorage::Push => &state.block,
            BlockStorage::Bound => &[],
            BlockStorage::Buffer => {
                address = self.argument_block(&state.block)?.address.to_ne_bytes();
                &address
            }
        };
        let (cmd, layout, [x, y, z]) = (self.allocator.cmd, state.pipeline.layout, state.groups);
        // SAFETY: the command buffer is recording; the constants fit the layout, the groups the device's
        // limits.
        unsafe {
            if self.bound.constants[..] != *constants {
                self.gpu.raw.cmd_push_constants(cmd, layout, vk::ShaderStageFlags::COMPUTE, 0, constants);
                self.bound.constants.clear();
                self.bound.constants.extend_from_slice(constants);
            }
            self.gpu.raw.cmd_dispatch(cmd, x, y, z);
        }
        Ok(())
    }

    /// Copies an argument block to memory of the command buffer.
    fn argument_block(&mut self, block: &[u8]) -> DeviceResult<ArenaSlice> {
        let piece = self.allocator.args.alloc(&self.pools.memory.args, block.len() as u64, 256)?;
        // SAFETY: the piece has the block's size.
        unsafe { std::ptr::copy_nonoverlapping(block.as_ptr(), piece.ptr, block.len()) };
        Ok(piece)
    }

    /// Binds descriptors and the pipeline.
    fn bind(&mut self, state: &DispatchState) -> DeviceResult<()> {
        let Pipeline { pipeline, layout, sets } = state.pipeline;
        let cmd = self.allocator.cmd;
        self.bound.use_layout(layout);
        if self.bound.descriptors != state.bindings {
            let allocator = &mut self.allocator.descriptors;
            descriptors::bind(self.gpu, cmd, allocator, layout, sets, &state.bindings)?;
            self.bound.descriptors.clone_from(&state.bindings);
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
