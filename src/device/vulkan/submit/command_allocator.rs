//! A command allocator: one command buffer with its pool, staging memory and kernel arguments, from recording
//! until the device has executed it.

use super::hazard::Hazards;
use super::timeline::Timeline;
use crate::device::traits::DeviceResult;
use crate::device::vulkan::core::conv::VkResultExt;
use crate::device::vulkan::core::gpu::Gpu;
use crate::device::vulkan::memory::pools::MemoryPools;
use crate::device::vulkan::memory::staging::Arena;
use ash::vk;
use parking_lot::Mutex;

/// Minimum block sizes of the two arenas.
const STAGING_BLOCK: u64 = 256 << 10;
const ARGS_BLOCK: u64 = 32 << 10;

/// Command allocators between two recordings.
pub struct CommandAllocators {
    memory: &'static MemoryPools,
    /// Those in the recording state.
    ready: Mutex<Vec<CommandAllocator>>,
    /// Those that are still to be reset.
    used: Mutex<Vec<CommandAllocator>>,
}

impl CommandAllocators {
    /// An empty pool.
    pub fn new(memory: &'static MemoryPools) -> CommandAllocators {
        CommandAllocators { memory, ready: Mutex::default(), used: Mutex::default() }
    }

    /// Prepares command buffers for the next recordings: resets used ones, or creates one if none is ready.
    /// Call it while the device has work, since it takes a while.
    pub fn prepare(&self) {
        let gpu = self.memory.gpu;
        while let Some(allocator) = self.take_used() {
            if let Some(Ok(allocator)) = allocator.reset(gpu).map(|f| f.start(gpu)) {
                self.ready.lock().push(allocator);
            }
        }
        let is_ready = !self.ready.lock().is_empty();
        // A recording reports the failure, if it fails again.
        if !is_ready && let Ok(allocator) = CommandAllocator::primary(gpu) {
            self.ready.lock().push(allocator);
        }
    }

    /// Number of command buffers that are ready.
    #[cfg(test)]
    pub fn ready(&self) -> usize {
        self.ready.lock().len()
    }
}

impl CommandAllocators {
    /// A used command buffer that the device has left.
    fn take_used(&self) -> Option<CommandAllocator> {
        let mut used = self.used.lock();
        let at = used
            .iter()
            .rposition(|a| a.submitted.is_none_or(|(timeline, value)| timeline.has_left(value)))?;
        Some(used.swap_remove(at))
    }
}

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
    /// The submission that executed it.
    submitted: Option<(&'static Timeline, u64)>,
}

// SAFETY: one thread at a time uses the allocator; its arenas' pointers are into memory it owns.
unsafe impl Send for CommandAllocator {}

impl CommandAllocator {
    /// A primary command buffer in the recording state.
    pub fn begin(pool: &CommandAllocators) -> DeviceResult<CommandAllocator> {
        let gpu = pool.memory.gpu;
        if let Some(ready) = pool.ready.lock().pop() {
            return Ok(ready);
        }
        match pool.take_used().and_then(|f| f.reset(gpu)) {
            Some(allocator) => allocator.start(gpu),
            None => CommandAllocator::primary(gpu),
        }
    }

    /// A new primary command buffer in the recording state.
    fn primary(gpu: &Gpu) -> DeviceResult<CommandAllocator> {
        CommandAllocator::new(gpu, vk::CommandBufferLevel::PRIMARY)?.start(gpu)
    }

    /// From the initial to the recording state.
    fn start(self, gpu: &Gpu) -> DeviceResult<CommandAllocator> {
        // Not ONE_TIME_SUBMIT: it may be submitted again (`repeats`).
        let info = vk::CommandBufferBeginInfo::default();
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

    fn new(gpu: &Gpu, level: vk::CommandBufferLevel) -> DeviceResult<CommandAllocator> {
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
                submitted: None,
            }),
            Err(e) => {
                // SAFETY: nothing was allocated from the pool.
                unsafe { gpu.raw.destroy_command_pool(pool, None) };
                Err(crate::device::vulkan::core::conv::error("vkAllocateCommandBuffers", e))
            }
        }
    }

    /// Recycles the allocator once the device has executed it, by the submission of a reached value (none if
    /// it was never submitted). It is reset later, when the device has left it ([`Timeline::has_left`]) and
    /// while the device is busy ([`CommandAllocators::prepare`]).
    pub fn recycle(mut self, pool: &CommandAllocators, submitted: Option<(&'static Timeline, u64)>) {
        self.submitted = submitted;
        self.staging.reset(&pool.memory.staging);
        self.args.reset(&pool.memory.args);
        self.drop_descriptors(pool.memory.gpu);
        pool.used.lock().push(self);
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
    pub fn dispose(&mut self, pools: &MemoryPools) {
        let gpu = pools.gpu;
        self.staging.release(&pools.staging);
        self.args.release(&pools.args);
        self.drop_descriptors(gpu);
        // SAFETY: no submitted work uses the command buffer; the pool is not used again.
        unsafe { gpu.raw.destroy_command_pool(std::mem::take(&mut self.pool), None) };
    }

    fn destroy(self, gpu: &Gpu) {
        // SAFETY: no submitted work uses the command buffer.
        unsafe { gpu.raw.destroy_command_pool(self.pool, None) };
    }
}
