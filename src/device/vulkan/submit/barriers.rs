//! Barriers between the commands of a queue, and between host and device.

use crate::device::vulkan::core::gpu::Gpu;
use ash::vk;

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

impl Gpu {
    /// Makes all earlier device work visible to all later device work. The stages are compute and transfer,
    /// the only work there is, which is considerably cheaper than ALL_COMMANDS.
    pub fn full_barrier(&self, cmd: vk::CommandBuffer) {
        self.barrier(cmd, (WORK, WRITES), (WORK, READS | WRITES));
    }

    /// The last barrier of a command buffer: makes its work visible to the host and to later submissions. If
    /// it contains only compute work, without `transfers`, later submissions see it in compute work only.
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

    /// Sets an event when earlier device work is complete and visible to the host: compute work, and
    /// `transfers` if there may be any.
    pub fn set_event(&self, cmd: vk::CommandBuffer, event: vk::Event, transfers: bool) {
        let compute = (vk::PipelineStageFlags2::COMPUTE_SHADER, vk::AccessFlags2::SHADER_WRITE);
        let work = if transfers { (WORK, WRITES) } else { compute };
        let barriers = [memory_barrier(work, (vk::PipelineStageFlags2::HOST, HOST))];
        let info = vk::DependencyInfo::default().memory_barriers(&barriers);
        // SAFETY: the command buffer is recording; the event is never destroyed.
        unsafe { self.raw.cmd_set_event2(cmd, event, &info) };
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
        unsafe { self.pipeline_barrier(cmd, &info) };
    }

    fn barrier(&self, cmd: vk::CommandBuffer, src: Scope, dst: Scope) {
        let barriers = [memory_barrier(src, dst)];
        let info = vk::DependencyInfo::default().memory_barriers(&barriers);
        // SAFETY: the command buffer is recording.
        unsafe { self.pipeline_barrier(cmd, &info) };
    }
}

/// Stages and accesses.
type Scope = (vk::PipelineStageFlags2, vk::AccessFlags2);

fn memory_barrier(src: Scope, dst: Scope) -> vk::MemoryBarrier2<'static> {
    vk::MemoryBarrier2::default()
        .src_stage_mask(src.0)
        .src_access_mask(src.1)
        .dst_stage_mask(dst.0)
        .dst_access_mask(dst.1)
}
