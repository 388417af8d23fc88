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

/// Timestamp queries of one batch: one at the end of each item, and one at the start of each command buffer.
/// Items of profiling queues run one after another, so an item begins when the one before it ends. Software
/// devices wait at each timestamp.
pub struct Queries {
    pool: vk::QueryPool,
    capacity: u32,
    used: u32,
    items: Vec<Span>,
}

/// Queries at the start and at the end of an item.
struct Span {
    item: usize,
    start: u32,
    end: u32,
}

impl Queries {
    /// Room for `items` items.
    pub fn new(gpu: &Gpu, pools: &QueryPools, items: usize) -> DeviceResult<Queries> {
        let wanted = (items as u32).saturating_mul(2).max(64);
        {
            let mut free = pools.0.lock();
            if let Some(i) = free.iter().position(|(_, capacity)| *capacity >= wanted) {
                let (pool, capacity) = free.swap_remove(i);
                return Ok(Queries { pool, capacity, used: 0, items: Vec::new() });
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
        Ok(Queries { pool, capacity: wanted, used: 0, items: Vec::new() })
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

    /// Begins an item: the first of a command buffer, or one that follows the item before it there. Work
    /// before the first item was complete when its command buffer began.
    pub fn start(&mut self, gpu: &Gpu, cmd: vk::CommandBuffer, item: usize, first: bool) {
        let start = match self.items.last() {
            Some(before) if !first => before.end,
            _ => self.stamp(gpu, cmd, vk::PipelineStageFlags2::TOP_OF_PIPE),
        };
        self.items.push(Span { item, start, end: start });
    }

    /// Records the end timestamp of the item begun last.
    pub fn stop(&mut self, gpu: &Gpu, cmd: vk::CommandBuffer) {
        let end = self.stamp(gpu, cmd, vk::PipelineStageFlags2::ALL_COMMANDS);
        if let Some(last) = self.items.last_mut() {
            last.end = end;
        }
    }

    /// Records a timestamp. Returns its query.
    fn stamp(&mut self, gpu: &Gpu, cmd: vk::CommandBuffer, stage: vk::PipelineStageFlags2) -> u32 {
        let query = self.used;
        if query < self.capacity {
            self.used += 1;
            // SAFETY: the command buffer is recording and the query was reset in it or before it.
            unsafe { gpu.write_timestamp(cmd, stage, self.pool, query) };
        }
        query
    }

    /// Reads the times and returns the pool.
    pub fn finish(self, gpu: &Gpu, pools: &QueryPools, valid: bool, times: &mut [Times]) {
        let mut ticks = vec![0u64; self.used as usize];
        if valid && !ticks.is_empty() {
            let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
            // SAFETY: the queries have been written by completed work.
            match unsafe { gpu.raw.get_query_pool_results(self.pool, 0, &mut ticks, flags) } {
                Ok(()) => {
                    let time = |query: u32| ticks.get(query as usize).map(|t| gpu.clock.nanoseconds(*t));
                    for span in &self.items {
                        if let (Some(start), Some(end), Some(slot)) =
                            (time(span.start), time(span.end), times.get_mut(span.item))
                        {
                            *slot = Times { start, end: end.max(start), complete: 0 };
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
