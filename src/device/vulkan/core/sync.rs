//! Barriers, timestamps and submissions, by synchronization2 where the device has it, otherwise by the
//! commands of Vulkan 1.0. Callers describe them in the structures of synchronization2, with stages and
//! accesses that both have.
//!
//! Under the validation layer, submissions and calls about timeline semaphores are made one by one: before
//! 1.3.261 the layer changes what it knows of a semaphore under a reader's lock when a thread has seen or
//! waited for a value (Vulkan-ValidationLayers, commit f02f740b0).

use super::conv::VkResultExt;
use super::gpu::Gpu;
use crate::device::traits::DeviceResult;
use ash::vk;
use parking_lot::MutexGuard;
use smallvec::SmallVec;
use std::time::{Duration, Instant};

/// Time between two looks at a semaphore under the validation layer.
const PAUSE: Duration = Duration::from_micros(100);

/// Contents of a submission to a VkQueue. Semaphores have the value that is waited for or signalled, which
/// binary ones ignore.
#[derive(Default)]
pub struct QueueSubmit<'a> {
    pub cmd: Option<vk::CommandBuffer>,
    pub waits: &'a [(vk::Semaphore, u64)],
    pub signals: &'a [(vk::Semaphore, u64)],
    pub fence: vk::Fence,
}

impl Gpu {
    /// Submits to a VkQueue.
    ///
    /// # Safety
    /// As for vkQueueSubmit: the caller holds the queue's lock, and keeps what is submitted until the device
    /// has executed it.
    pub unsafe fn submit(&self, queue: vk::Queue, work: &QueueSubmit<'_>) -> DeviceResult<()> {
        // SAFETY: the caller's promise.
        unsafe { self.submit_after(queue, work, || Ok(())) }
    }

    /// Calls `first`, then submits to a VkQueue. Where submissions are serial, no other one is made
    /// meanwhile.
    ///
    /// # Errors
    /// An error of `first`, after which nothing is submitted; otherwise those of vkQueueSubmit.
    ///
    /// # Safety
    /// As for [`Gpu::submit`].
    pub unsafe fn submit_after(
        &self,
        queue: vk::Queue,
        work: &QueueSubmit<'_>,
        first: impl FnOnce() -> DeviceResult<()>,
    ) -> DeviceResult<()> {
        let serial = self.instance.validates || self.adapter.has_serial_submissions();
        let _one = serial.then(|| self.submitting.lock());
        first()?;
        match self.adapter.features.synchronization2 {
            // SAFETY: the caller's promise.
            true => unsafe { self.submit2(queue, work) }.during("vkQueueSubmit2"),
            // SAFETY: the caller's promise.
            false => unsafe { self.submit1(queue, work) }.during("vkQueueSubmit"),
        }
    }

    /// Lock for a call about a timeline semaphore.
    fn semaphore_lock(&self) -> Option<MutexGuard<'_, ()>> {
        self.instance.validates.then(|| self.submitting.lock())
    }

    /// The value of a timeline semaphore.
    ///
    /// # Safety
    /// The semaphore is alive.
    pub unsafe fn semaphore_value(&self, semaphore: vk::Semaphore) -> Result<u64, vk::Result> {
        let _one = self.semaphore_lock();
        // SAFETY: the caller's promise.
        unsafe { self.raw.get_semaphore_counter_value(semaphore) }
    }

    /// Waits until a timeline semaphore has a value, or a larger one.
    ///
    /// # Errors
    /// `TIMEOUT` if it has not after the time; otherwise those of vkWaitSemaphores.
    ///
    /// # Safety
    /// The semaphore is alive.
    pub unsafe fn wait_for_semaphore(
        &self,
        semaphore: vk::Semaphore,
        value: u64,
        timeout: Duration,
    ) -> Result<(), vk::Result> {
        let (semaphores, values) = ([semaphore], [value]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        let wait = |time: Duration| {
            let _one = self.semaphore_lock();
            // SAFETY: the caller's promise.
            unsafe { self.raw.wait_semaphores(&info, time.as_nanos().min(1 << 62) as u64) }
        };
        if !self.instance.validates {
            return wait(timeout);
        }
        let start = Instant::now();
        loop {
            match wait(Duration::ZERO) {
                Err(vk::Result::TIMEOUT) if start.elapsed() < timeout => std::thread::sleep(PAUSE),
                result => return result,
            }
        }
    }

    unsafe fn submit2(&self, queue: vk::Queue, work: &QueueSubmit<'_>) -> Result<(), vk::Result> {
        let all = vk::PipelineStageFlags2::ALL_COMMANDS;
        let point = |&(s, v): &(vk::Semaphore, u64)| {
            vk::SemaphoreSubmitInfo::default().semaphore(s).value(v).stage_mask(all)
        };
        let waits: SmallVec<[_; 4]> = work.waits.iter().map(point).collect();
        let signals: SmallVec<[_; 2]> = work.signals.iter().map(point).collect();
        let commands = [vk::CommandBufferSubmitInfo::default().command_buffer(work.cmd.unwrap_or_default())];
        let info = [vk::SubmitInfo2::default()
            .wait_semaphore_infos(&waits)
            .signal_semaphore_infos(&signals)
            .command_buffer_infos(if work.cmd.is_some() { &commands } else { &[] })];
        // SAFETY: the caller's promise.
        unsafe { self.raw.queue_submit2(queue, &info, work.fence) }
    }

    unsafe fn submit1(&self, queue: vk::Queue, work: &QueueSubmit<'_>) -> Result<(), vk::Result> {
        let split = |list: &[(vk::Semaphore, u64)]| -> (SmallVec<[_; 4]>, SmallVec<[u64; 4]>) {
            list.iter().copied().unzip()
        };
        let (waits, wait_values) = split(work.waits);
        let (signals, signal_values) = split(work.signals);
        let stages: SmallVec<[_; 4]> = waits.iter().map(|_| vk::PipelineStageFlags::ALL_COMMANDS).collect();
        let commands = [work.cmd.unwrap_or_default()];
        let mut values = vk::TimelineSemaphoreSubmitInfo::default()
            .wait_semaphore_values(&wait_values)
            .signal_semaphore_values(&signal_values);
        let mut info = vk::SubmitInfo::default()
            .wait_semaphores(&waits)
            .wait_dst_stage_mask(&stages)
            .signal_semaphores(&signals)
            .command_buffers(if work.cmd.is_some() { &commands } else { &[] });
        if self.adapter.features.timeline_semaphore {
            info = info.push_next(&mut values);
        }
        // SAFETY: the caller's promise.
        unsafe { self.raw.queue_submit(queue, &[info], work.fence) }
    }

    /// Records barriers.
    ///
    /// # Safety
    /// As for vkCmdPipelineBarrier: the command buffer is recording, and the objects live until the device
    /// has executed it.
    pub unsafe fn pipeline_barrier(&self, cmd: vk::CommandBuffer, barriers: &vk::DependencyInfo<'_>) {
        match self.adapter.features.synchronization2 {
            // SAFETY: the caller's promise.
            true => unsafe { self.raw.cmd_pipeline_barrier2(cmd, barriers) },
            // SAFETY: the caller's promise.
            false => unsafe { self.pipeline_barrier1(cmd, barriers) },
        }
    }

    unsafe fn pipeline_barrier1(&self, cmd: vk::CommandBuffer, barriers: &vk::DependencyInfo<'_>) {
        let (mut src, mut dst) = (vk::PipelineStageFlags2::NONE, vk::PipelineStageFlags2::NONE);
        // SAFETY: the structure's arrays have the lengths that it gives.
        let (memory, buffers, images) = unsafe {
            (
                array(barriers.p_memory_barriers, barriers.memory_barrier_count),
                array(barriers.p_buffer_memory_barriers, barriers.buffer_memory_barrier_count),
                array(barriers.p_image_memory_barriers, barriers.image_memory_barrier_count),
            )
        };
        let mut stages = |from, to| (src, dst) = (src | from, dst | to);
        let memory: SmallVec<[_; 1]> = memory
            .iter()
            .map(|b| {
                stages(b.src_stage_mask, b.dst_stage_mask);
                vk::MemoryBarrier::default()
                    .src_access_mask(accesses(b.src_access_mask))
                    .dst_access_mask(accesses(b.dst_access_mask))
            })
            .collect();
        let buffers: SmallVec<[_; 2]> = buffers
            .iter()
            .map(|b| {
                stages(b.src_stage_mask, b.dst_stage_mask);
                vk::BufferMemoryBarrier::default()
                    .src_access_mask(accesses(b.src_access_mask))
                    .dst_access_mask(accesses(b.dst_access_mask))
                    .src_queue_family_index(b.src_queue_family_index)
                    .dst_queue_family_index(b.dst_queue_family_index)
                    .buffer(b.buffer)
                    .offset(b.offset)
                    .size(b.size)
            })
            .collect();
        let images: SmallVec<[_; 2]> = images
            .iter()
            .map(|b| {
                stages(b.src_stage_mask, b.dst_stage_mask);
                vk::ImageMemoryBarrier::default()
                    .src_access_mask(accesses(b.src_access_mask))
                    .dst_access_mask(accesses(b.dst_access_mask))
                    .old_layout(b.old_layout)
                    .new_layout(b.new_layout)
                    .src_queue_family_index(b.src_queue_family_index)
                    .dst_queue_family_index(b.dst_queue_family_index)
                    .image(b.image)
                    .subresource_range(b.subresource_range)
            })
            .collect();
        let src = stages_or(src, vk::PipelineStageFlags::TOP_OF_PIPE);
        let dst = stages_or(dst, vk::PipelineStageFlags::BOTTOM_OF_PIPE);
        let none = vk::DependencyFlags::empty();
        // SAFETY: the caller's promise.
        unsafe { self.raw.cmd_pipeline_barrier(cmd, src, dst, none, &memory, &buffers, &images) };
    }

    /// Records a timestamp.
    ///
    /// # Safety
    /// As for vkCmdWriteTimestamp: the command buffer is recording, and the query is reset.
    pub unsafe fn write_timestamp(
        &self,
        cmd: vk::CommandBuffer,
        stage: vk::PipelineStageFlags2,
        pool: vk::QueryPool,
        query: u32,
    ) {
        if self.adapter.features.synchronization2 {
            // SAFETY: the caller's promise.
            unsafe { self.raw.cmd_write_timestamp2(cmd, stage, pool, query) };
            return;
        }
        // Vulkan 1.0 takes a single stage, which ALL_COMMANDS is not.
        let stage = match stage {
            vk::PipelineStageFlags2::ALL_COMMANDS => vk::PipelineStageFlags::BOTTOM_OF_PIPE,
            other => stages_or(other, vk::PipelineStageFlags::TOP_OF_PIPE),
        };
        // SAFETY: the caller's promise.
        unsafe { self.raw.cmd_write_timestamp(cmd, stage, pool, query) };
    }
}

/// The array that a Vulkan structure refers to.
///
/// # Safety
/// `data` has `count` elements, unless that is 0.
unsafe fn array<'a, T>(data: *const T, count: u32) -> &'a [T] {
    // SAFETY: the caller's promise.
    if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data, count as usize) } }
}

/// Stages of Vulkan 1.0, which have the same bits; `none` for none.
fn stages_or(stages: vk::PipelineStageFlags2, none: vk::PipelineStageFlags) -> vk::PipelineStageFlags {
    let stages = vk::PipelineStageFlags::from_raw(stages.as_raw() as u32);
    if stages.is_empty() { none } else { stages }
}

/// Accesses of Vulkan 1.0, which have the same bits.
fn accesses(accesses: vk::AccessFlags2) -> vk::AccessFlags {
    vk::AccessFlags::from_raw(accesses.as_raw() as u32)
}
