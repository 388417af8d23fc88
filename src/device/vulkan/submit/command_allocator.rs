//! A command allocator: one command buffer with its pool, staging memory and kernel arguments, from recording
//! until the device has executed it.

use super::hazard::Hazards;
use crate::device::traits::DeviceResult;
use crate::device::vulkan::core::conv::VkResultExt;
use crate::device::vulkan::device::Gpu;
use crate::device::vulkan::memory::staging::Arena;
use ash::vk;

/// Minimum block sizes of the two arenas.
const STAGING_BLOCK: u64 = 256 << 10;
const ARGS_BLOCK: u64 = 32 << 10;

/// Stages and accesses of all commands recorded here.
const WORK: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::from_raw(
    vk::PipelineStageFlags2::COMPUTE_SHADER.as_raw() | vk::PipelineStageFlags2::ALL_TRANSFER.as_raw(),
);
const READS: vk::AccessFlags2 = vk::AccessFlags2::from_raw(
    vk::AccessFlags2::SHADER_READ.as_raw() | vk::AccessFlags2::TRANSFER_READ.as_raw(),
);
const WRITES: vk::AccessFlags2 = vk::AccessFlags2::from_raw(
    vk::AccessFlags2::SHADER_WRITE.as_raw() | vk::AccessFlags2::TRANSFER_WRITE.as_raw(),
);
const HOST: vk::AccessFlags2 =
    vk::AccessFlags2::from_raw(vk::AccessFlags2::HOST_READ.as_raw() | vk::AccessFlags2::HOST_WRITE.as_raw());

/// A command buffer with its pool, its staging space and its kernel arguments.
pub struct CommandAllocator {
    pool: vk::CommandPool,
    pub cmd: vk::CommandBuffer,
    pub staging: Arena,
    pub args: Arena,
    /// Descriptor pools of launches with more descriptors than can be pushed.
    pub descriptors: Vec<vk::DescriptorPool>,
    /// Hazard lists recycled for the next recording.
    pub hazards: Hazards,
}

// SAFETY: one thread at a time uses the allocator; its arenas' pointers are into memory it owns.
unsafe impl Send for CommandAllocator {}

impl CommandAllocator {
    /// A primary command buffer in the recording state.
    pub fn begin(gpu: &'static Gpu) -> DeviceResult<CommandAllocator> {
        if let Some(ready) = gpu.command_allocators.lock().pop() {
            return Ok(ready);
        }
        let used = gpu.used_command_allocators.lock().pop();
        match used.and_then(|f| f.reset(gpu)) {
            Some(allocator) => allocator.start(gpu),
            None => CommandAllocator::new(gpu, vk::CommandBufferLevel::PRIMARY)?.start(gpu),
        }
    }

    /// From the initial to the recording state.
    fn start(self, gpu: &Gpu) -> DeviceResult<CommandAllocator> {
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the command buffer is in the initial state.
        match unsafe { gpu.raw.begin_command_buffer(self.cmd, &info) } {
            Ok(()) => Ok(self),
            Err(e) => {
                self.destroy(gpu);
                Err(crate::device::vulkan::core::conv::error("vkBeginCommandBuffer", e))
            }
        }
    }

    /// A secondary command buffer in the recording state, for commands that primary ones execute any number
    /// of times.
    pub fn of_list(gpu: &'static Gpu) -> DeviceResult<CommandAllocator> {
        let allocator = CommandAllocator::new(gpu, vk::CommandBufferLevel::SECONDARY)?;
        let inheritance = vk::CommandBufferInheritanceInfo::default();
        let info = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE)
            .inheritance_info(&inheritance);
        // SAFETY: the command buffer is in the initial state.
        match unsafe { gpu.raw.begin_command_buffer(allocator.cmd, &info) } {
            Ok(()) => Ok(allocator),
            Err(e) => {
                allocator.destroy(gpu);
                Err(crate::device::vulkan::core::conv::error("vkBeginCommandBuffer", e))
            }
        }
    }

    fn new(gpu: &'static Gpu, level: vk::CommandBufferLevel) -> DeviceResult<CommandAllocator> {
        let once = level == vk::CommandBufferLevel::PRIMARY;
        let info = vk::CommandPoolCreateInfo::default()
            .flags(if once {
                vk::CommandPoolCreateFlags::TRANSIENT
            } else {
                vk::CommandPoolCreateFlags::empty()
            })
            .queue_family_index(gpu.adapter.family);
        // SAFETY: the device is alive.
        let pool = unsafe { gpu.raw.create_command_pool(&info, None) }.during("vkCreateCommandPool")?;
        let info =
            vk::CommandBufferAllocateInfo::default().command_pool(pool).level(level).command_buffer_count(1);
        // SAFETY: the pool is alive and used by this thread only.
        match unsafe { gpu.raw.allocate_command_buffers(&info) } {
            Ok(list) => Ok(CommandAllocator {
                pool,
                cmd: list[0],
                staging: Arena::new(STAGING_BLOCK),
                args: Arena::new(ARGS_BLOCK),
                descriptors: Vec::new(),
                hazards: Hazards::default(),
            }),
            Err(e) => {
                // SAFETY: nothing was allocated from the pool.
                unsafe { gpu.raw.destroy_command_pool(pool, None) };
                Err(crate::device::vulkan::core::conv::error("vkAllocateCommandBuffers", e))
            }
        }
    }

    /// Recycles the allocator once the device has executed it (or it was never submitted). It is reset later,
    /// while the device is busy ([`Gpu::reset_command_allocators`]).
    pub fn recycle(mut self, gpu: &'static Gpu) {
        self.staging.reset(&gpu.staging);
        self.args.reset(&gpu.args);
        self.drop_descriptors(gpu);
        gpu.used_command_allocators.lock().push(self);
    }

    fn drop_descriptors(&mut self, gpu: &Gpu) {
        for pool in self.descriptors.drain(..) {
            // SAFETY: no submitted work uses the pool's set.
            unsafe { gpu.raw.destroy_descriptor_pool(pool, None) };
        }
    }

    fn reset(self, gpu: &Gpu) -> Option<CommandAllocator> {
        // SAFETY: no submitted work uses the command buffer.
        match unsafe { gpu.raw.reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty()) } {
            Ok(()) => Some(self),
            Err(_) => {
                self.destroy(gpu);
                None
            }
        }
    }

    /// Frees the allocator of a list, which no work uses any more.
    pub fn dispose(&mut self, gpu: &Gpu) {
        self.staging.release(&gpu.staging);
        self.args.release(&gpu.args);
        self.drop_descriptors(gpu);
        // SAFETY: no submitted work uses the command buffer; the pool is not used again.
        unsafe { gpu.raw.destroy_command_pool(std::mem::take(&mut self.pool), None) };
    }

    fn destroy(self, gpu: &Gpu) {
        // SAFETY: no submitted work uses the command buffer.
        unsafe { gpu.raw.destroy_command_pool(self.pool, None) };
    }
}

impl Gpu {
    /// Makes all earlier device work visible to all later device work. The stages are compute and transfer,
    /// the only work there is, which is considerably cheaper than ALL_COMMANDS.
    pub fn full_barrier(&self, cmd: vk::CommandBuffer) {
        self.barrier(cmd, (WORK, WRITES), (WORK, READS | WRITES));
    }

    /// The last barrier of a command buffer: makes its work visible to the host and to later submissions. If
    /// it contains only compute work, later submissions see it in compute work only.
    pub fn last_barrier(&self, cmd: vk::CommandBuffer, transfers: bool) {
        let work = if transfers { WORK } else { vk::PipelineStageFlags2::COMPUTE_SHADER };
        let (reads, writes) = if transfers {
            (READS, WRITES)
        } else {
            (vk::AccessFlags2::SHADER_READ, vk::AccessFlags2::SHADER_WRITE)
        };
        self.barrier(cmd, (work, writes), (work | vk::PipelineStageFlags2::HOST, reads | writes | HOST));
    }

    /// Makes earlier device work visible to the host. Later device work does not wait.
    pub fn barrier_to_host(&self, cmd: vk::CommandBuffer) {
        self.barrier(cmd, (WORK, WRITES), (vk::PipelineStageFlags2::HOST, HOST));
    }

    /// Makes host writes, and device writes that the host has waited for, visible to later device work.
    pub fn barrier_from_host(&self, cmd: vk::CommandBuffer) {
        self.barrier(
            cmd,
            (vk::PipelineStageFlags2::HOST, vk::AccessFlags2::HOST_WRITE),
            (WORK, READS | WRITES),
        );
    }

    /// Makes earlier compute work visible to later compute work only.
    pub fn compute_barrier(&self, cmd: vk::CommandBuffer) {
        let compute = vk::PipelineStageFlags2::COMPUTE_SHADER;
        let (read, write) = (vk::AccessFlags2::SHADER_READ, vk::AccessFlags2::SHADER_WRITE);
        self.barrier(cmd, (compute, write), (compute, read | write));
    }

    /// Acquires buffers from other users of their memory, or releases them (`release`).
    pub fn ownership_barrier(&self, cmd: vk::CommandBuffer, buffers: &[vk::Buffer], release: bool) {
        let (own, others) = (self.adapter.family, vk::QUEUE_FAMILY_EXTERNAL);
        let barrier = |buffer: &vk::Buffer| {
            let b = vk::BufferMemoryBarrier2::default().buffer(*buffer).size(vk::WHOLE_SIZE);
            match release {
                true => b
                    .src_queue_family_index(own)
                    .dst_queue_family_index(others)
                    .src_stage_mask(WORK)
                    .src_access_mask(WRITES),
                false => {
                    let b = b.src_queue_family_index(others).dst_queue_family_index(own);
                    b.dst_stage_mask(WORK).dst_access_mask(READS | WRITES)
                }
            }
        };
        let barriers: Vec<_> = buffers.iter().map(barrier).collect();
        let info = vk::DependencyInfo::default().buffer_memory_barriers(&barriers);
        // SAFETY: the command buffer is recording; the buffers live until its work is complete.
        unsafe { (self.sync2.barrier)(cmd, &info) };
    }

    /// Resets used command buffers and begins their recording. Call it while the device has work, since it
    /// takes a while.
    pub fn reset_command_allocators(&self) {
        loop {
            let Some(allocator) = self.used_command_allocators.lock().pop() else { return };
            if let Some(Ok(allocator)) = allocator.reset(self).map(|f| f.start(self)) {
                self.command_allocators.lock().push(allocator);
            }
        }
    }

    fn barrier(
        &self,
        cmd: vk::CommandBuffer,
        src: (vk::PipelineStageFlags2, vk::AccessFlags2),
        dst: (vk::PipelineStageFlags2, vk::AccessFlags2),
    ) {
        let barriers = [vk::MemoryBarrier2::default()
            .src_stage_mask(src.0)
            .src_access_mask(src.1)
            .dst_stage_mask(dst.0)
            .dst_access_mask(dst.1)];
        let info = vk::DependencyInfo::default().memory_barriers(&barriers);
        // SAFETY: the command buffer is recording.
        unsafe { (self.sync2.barrier)(cmd, &info) };
    }
}
