//! Pools that recording and submission on a device share.

use super::command_allocator::CommandAllocators;
use super::profiling::QueryPools;
use crate::device::vulkan::core::gpu::Gpu;
use crate::device::vulkan::memory::pools::MemoryPools;
use crate::device::vulkan::program::caches::ProgramCaches;
use std::sync::atomic::AtomicU64;

/// Command allocators, query pools and a counter of submissions.
pub struct SubmitPools {
    pub gpu: &'static Gpu,
    pub memory: &'static MemoryPools,
    pub programs: &'static ProgramCaches,
    pub allocators: CommandAllocators,
    /// Unused timestamp query pools.
    pub queries: QueryPools,
    /// Number of submissions on all submit queues so far.
    pub submissions: AtomicU64,
}

impl SubmitPools {
    /// Empty pools.
    pub fn new(programs: &'static ProgramCaches) -> SubmitPools {
        let memory = programs.memory;
        SubmitPools {
            gpu: memory.gpu,
            memory,
            programs,
            allocators: CommandAllocators::new(memory),
            queries: QueryPools::default(),
            submissions: AtomicU64::new(0),
        }
    }
}
