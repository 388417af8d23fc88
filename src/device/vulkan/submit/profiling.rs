//! Timestamp queries of profiled batches.

use crate::device::batch::Times;
use crate::device::traits::DeviceResult;
use crate::device::vulkan::core::conv::VkResultExt;
use crate::device::vulkan::core::gpu::Gpu;
use ash::vk;
use parking_lot::Mutex;
use smallvec::SmallVec;

/// Unused query pools, whose queries are reset if the host can do it, with their number of queries.
#[derive(Default)]
pub struct QueryPools(Mutex<Vec<(vk::QueryPool, u32)>>);

impl QueryPools {
    /// An unused pool of at least `wanted` queries.
    fn take(&self, wanted: u32) -> Option<(vk::QueryPool, u32)> {
        let mut free = self.0.lock();
        let at = free.iter().position(|(_, capacity)| *capacity >= wanted)?;
        Some(free.swap_remove(at))
    }
}

/// Timestamp queries of one batch: one at the end of each item, and one at the start of each command buffer.
/// Items of profiling queues run one after another, so an item begins when the one before it ends. Software
/// devices wait at each timestamp.
pub struct Queries {
    gpu: &'static Gpu,
    /// Where the pool returns to.
    unused: &'static QueryPools,
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

impl Drop for Queries {
    fn drop(&mut self) {
        self.reset();
        self.unused.0.lock().push((self.pool, self.capacity));
    }
}

impl Queries {
    /// Room for `items` items.
    pub fn new(gpu: &'static Gpu, unused: &'static QueryPools, items: usize) -> DeviceResult<Queries> {
        let wanted = (items as u32).saturating_mul(2).max(64);
        let queries = |(pool, capacity)| Queries { gpu, unused, pool, capacity, used: 0, items: Vec::new() };
        if let Some(found) = unused.take(wanted) {
            return Ok(queries(found));
        }
        let new = queries((create_pool(gpu, wanted)?, wanted));
        new.reset();
        Ok(new)
    }

    /// Resets the queries, which no submitted work uses, if the host can.
    pub fn reset(&self) {
        if self.gpu.adapter.features.host_query_reset {
            // SAFETY: no submitted work uses the pool, and the feature is enabled.
            unsafe { self.gpu.raw.reset_query_pool(self.pool, 0, self.capacity) };
        }
    }

    /// Resets the queries on the device where the host cannot; to be recorded before the first
    /// [`Queries::start`].
    pub fn record_reset(&self, cmd: vk::CommandBuffer) {
        if !self.gpu.adapter.features.host_query_reset {
            // SAFETY: the command buffer is recording and no submitted work uses the pool.
            unsafe { self.gpu.raw.cmd_reset_query_pool(cmd, self.pool, 0, self.capacity) };
        }
    }

    /// Begins an item: the first of a command buffer, or one that follows the item before it there. Work
    /// before the first item was complete when its command buffer began.
    pub fn start(&mut self, cmd: vk::CommandBuffer, item: usize, first: bool) {
        let start = match self.items.last() {
            Some(before) if !first => before.end,
            _ => self.stamp(cmd, vk::PipelineStageFlags2::TOP_OF_PIPE),
        };
        self.items.push(Span { item, start, end: start });
    }

    /// Records the end timestamp of the item begun last.
    pub fn stop(&mut self, cmd: vk::CommandBuffer) {
        let end = self.stamp(cmd, vk::PipelineStageFlags2::ALL_COMMANDS);
        if let Some(last) = self.items.last_mut() {
            last.end = end;
        }
    }

    /// Records a timestamp. Returns its query.
    fn stamp(&mut self, cmd: vk::CommandBuffer, stage: vk::PipelineStageFlags2) -> u32 {
        let query = self.used;
        if query < self.capacity {
            self.used += 1;
            // SAFETY: the command buffer is recording and the query was reset in it or before it.
            unsafe { self.gpu.write_timestamp(cmd, stage, self.pool, query) };
        }
        query
    }

    /// Reads the times, which completed work has written.
    pub fn read(&self, times: &mut [Times]) {
        if self.used == 0 {
            return;
        }
        let mut ticks: SmallVec<[u64; 8]> = smallvec::smallvec![0; self.used as usize];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        // SAFETY: the queries have been written by completed work.
        if let Err(e) = unsafe { self.gpu.raw.get_query_pool_results(self.pool, 0, &mut ticks, flags) } {
            tracing::warn!("vkGetQueryPoolResults: {e:?}");
            return;
        }
        let time = |query: u32| ticks.get(query as usize).map(|t| self.gpu.clock.nanoseconds(*t));
        for span in &self.items {
            if let (Some(start), Some(end), Some(slot)) =
                (time(span.start), time(span.end), times.get_mut(span.item))
            {
                *slot = Times { start, end: end.max(start), complete: 0 };
            }
        }
    }
}

fn create_pool(gpu: &Gpu, count: u32) -> DeviceResult<vk::QueryPool> {
    let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(count);
    // SAFETY: the device is alive.
    unsafe { gpu.raw.create_query_pool(&info, None) }.during("vkCreateQueryPool")
}
