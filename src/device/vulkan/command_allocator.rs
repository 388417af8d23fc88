//! A frame: what one command buffer needs from recording until the device is done with it.

use super::super::traits::DeviceResult;
use super::conv::VkResultExt;
use super::device::Gpu;
use super::hazard::Hazards;
use super::staging::Arena;
use ash::vk;

/// Smallest blocks of the two arenas.
const STAGING_BLOCK: u64 = 256 << 10;
const ARGS_BLOCK: u64 = 32 << 10;

/// The stages of all commands that are recorded here, and their accesses.
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
    /// Memory for the next recording.
    pub hazards: Hazards,
}

// SAFETY: a frame is used by one thread at a time; its arenas' pointers are into memory it owns.
unsafe impl Send for CommandAllocator {}

impl CommandAllocator {
    /// A frame in the recording state.
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
                Err(super::conv::error("vkBeginCommandBuffer", e))
            }
        }
    }

    /// A frame of its own, in the recording state, for commands that other frames execute any number of times.
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
                Err(super::conv::error("vkBeginCommandBuffer", e))
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
                Err(super::conv::error("vkAllocateCommandBuffers", e))
            }
        }
    }

    /// Takes the frame back once the device is done with it (or it was never submitted). It is reset later, while the
    /// device is at work ([`Gpu::reset_command_allocators`]).
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

    /// Ends the frame of a list: no work that uses it is left.
    pub fn dispose(&mut self, gpu: &Gpu) {
        self.staging.give_back(&gpu.staging);
        self.args.give_back(&gpu.args);
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
    /// Makes all earlier device work visible to all later device work. Compute and transfers are all the work there is, and
    /// to say so is a good deal cheaper than ALL_COMMANDS.
    pub fn full_barrier(&self, cmd: vk::CommandBuffer) {
        self.barrier(cmd, (WORK, WRITES), (WORK, READS | WRITES));
    }

    /// The last barrier of a frame: its work becomes visible to the host and to later submissions; if the frame's work was
    /// all compute, only to compute work of later submissions.
    pub fn last_barrier(&self, cmd: vk::CommandBuffer, transfers: bool) {
        let work = if transfers { WORK } else { vk::PipelineStageFlags2::COMPUTE_SHADER };
        let (reads, writes) = if transfers {
            (READS, WRITES)
        } else {
            (vk::AccessFlags2::SHADER_READ, vk::AccessFlags2::SHADER_WRITE)
        };
        self.barrier(cmd, (work, writes), (work | vk::PipelineStageFlags2::HOST, reads | writes | HOST));
    }

    /// Makes earlier device work visible to the host, and keeps no later device work waiting.
    pub fn barrier_to_host(&self, cmd: vk::CommandBuffer) {
        self.barrier(cmd, (WORK, WRITES), (vk::PipelineStageFlags2::HOST, HOST));
    }

    /// Makes visible to later device work what the host wrote, or has seen the device write.
    pub fn barrier_from_host(&self, cmd: vk::CommandBuffer) {
        self.barrier(
            cmd,
            (vk::PipelineStageFlags2::HOST, vk::AccessFlags2::HOST_WRITE),
            (WORK, READS | WRITES),
        );
    }

    /// Makes earlier compute work visible to later compute work, and to that alone.
    pub fn compute_barrier(&self, cmd: vk::CommandBuffer) {
        let compute = vk::PipelineStageFlags2::COMPUTE_SHADER;
        let (read, write) = (vk::AccessFlags2::SHADER_READ, vk::AccessFlags2::SHADER_WRITE);
        self.barrier(cmd, (compute, write), (compute, read | write));
    }

    /// Takes buffers over from other users of their memory, or hands them over (`release`).
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

    /// Resets what has been used and puts it in the recording state; to be called when the device has work, for this takes a while.
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
