//! Timestamp queries of profiled batches.

use crate::device::batch::Times;
use crate::device::traits::DeviceResult;
use crate::device::vulkan::core::conv::VkResultExt;
use crate::device::vulkan::core::gpu::Gpu;
use ash::vk;
use parking_lot::Mutex;

/// Unused query pools with their number of queries.
#[derive(Default)]
pub struct QueryPools(Mutex<Vec<(vk::QueryPool, u32)>>);

/// Timestamp queries of one batch: two for each item.
pub struct Queries {
    pool: vk::QueryPool,
    capacity: u32,
    /// Item of each pair of queries.
    items: Vec<usize>,
}

impl Queries {
    /// Room for `items` items.
    pub fn new(gpu: &Gpu, pools: &QueryPools, items: usize) -> DeviceResult<Queries> {
        let wanted = (items as u32).saturating_mul(2).max(64);
        {
            let mut free = pools.0.lock();
            if let Some(i) = free.iter().position(|(_, capacity)| *capacity >= wanted) {
                let (pool, capacity) = free.swap_remove(i);
                return Ok(Queries { pool, capacity, items: Vec::new() });
            }
        }
        let info =
            vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(wanted);
        // SAFETY: the device is alive.
        let pool = unsafe { gpu.raw.create_query_pool(&info, None) }.during("vkCreateQueryPool")?;
        if gpu.adapter.features.host_query_reset {
            // SAFETY: the pool is new and the feature enabled.
            unsafe { gpu.raw.reset_query_pool(pool, 0, wanted) };
        }
        Ok(Queries { pool, capacity: wanted, items: Vec::new() })
    }

    /// Resets the queries, unless the host resets them in advance; to be recorded before the first
    /// [`Queries::start`].
    pub fn reset(&self, gpu: &Gpu, cmd: vk::CommandBuffer) {
        if gpu.adapter.features.host_query_reset {
            return;
        }
        // SAFETY: the command buffer is recording and no submitted work uses the pool.
        unsafe { gpu.raw.cmd_reset_query_pool(cmd, self.pool, 0, self.capacity) };
    }

    /// Records the begin timestamp of an item. All earlier commands count as complete when it is taken, since
    /// items run one after another on profiling queues; work before the first item was complete when its
    /// command buffer began.
    pub fn start(&mut self, gpu: &Gpu, cmd: vk::CommandBuffer, item: usize, first: bool) {
        use vk::PipelineStageFlags2 as Stage;
        let query = self.items.len() as u32 * 2;
        self.items.push(item);
        self.stamp(gpu, cmd, query, if first { Stage::TOP_OF_PIPE } else { Stage::ALL_COMMANDS });
    }

    /// Records the end timestamp of the item begun last.
    pub fn stop(&self, gpu: &Gpu, cmd: vk::CommandBuffer) {
        let last = (self.items.len() as u32 * 2).saturating_sub(1);
        self.stamp(gpu, cmd, last, vk::PipelineStageFlags2::ALL_COMMANDS);
    }

    fn stamp(&self, gpu: &Gpu, cmd: vk::CommandBuffer, query: u32, stage: vk::PipelineStageFlags2) {
        if query < self.capacity {
            // SAFETY: the command buffer is recording and the query was reset in it or before it.
            unsafe { gpu.write_timestamp(cmd, stage, self.pool, query) };
        }
    }

    /// Reads the times and returns the pool.
    pub fn finish(self, gpu: &Gpu, pools: &QueryPools, valid: bool, times: &mut [Times]) {
        let mut ticks = vec![0u64; self.items.len() * 2];
        if valid && !ticks.is_empty() {
            let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
            // SAFETY: the queries have been written by completed work.
            match unsafe { gpu.raw.get_query_pool_results(self.pool, 0, &mut ticks, flags) } {
                Ok(()) => {
                    for (pair, &item) in ticks.chunks_exact(2).zip(&self.items) {
                        if let Some(slot) = times.get_mut(item) {
                            let start = gpu.clock.nanoseconds(pair[0]);
                            *slot =
                                Times { start, end: gpu.clock.nanoseconds(pair[1]).max(start), complete: 0 };
                        }
                    }
                }
                Err(e) => tracing::warn!("vkGetQueryPoolResults: {e:?}"),
            }
        }
        if gpu.adapter.features.host_query_reset {
            // SAFETY: no submitted work uses the pool, and the feature is enabled.
            unsafe { gpu.raw.reset_query_pool(self.pool, 0, self.capacity) };
        }
        pools.0.lock().push((self.pool, self.capacity));
    }
}
