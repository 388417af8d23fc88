//! Submissions that make new views and new code visible to devices that see uploads late
//! (`Adapter::has_late_uploads`).

use super::reused_fence::ReusedFence;
use super::submit_queue::SubmitQueue;
use crate::device::traits::DeviceResult;
use crate::device::vulkan::core::gpu::Gpu;
use crate::device::vulkan::program::empty_shader::EmptyShader;

/// State of these submissions, which are made one by one.
pub struct Settling {
    gpu: &'static Gpu,
    empty: &'static EmptyShader,
    fence: ReusedFence,
    /// Number of uploads of code that are visible.
    code: u64,
}

impl Settling {
    pub fn new(gpu: &'static Gpu, empty: &'static EmptyShader) -> DeviceResult<Settling> {
        Ok(Settling { gpu, empty, fence: ReusedFence::new(gpu)?, code: 0 })
    }

    /// Waits for an empty submission.
    ///
    /// NVIDIA's driver (580) seems to invalidate caches of code with the first submission after an upload:
    /// one that is made during a later upload takes the invalidation with it, and work then executes what was
    /// at the new code's place before (measured: quirk `late_uploads`). So where code is new, further code is
    /// uploaded immediately before the empty submission, while nothing else is submitted.
    pub fn run(&mut self, submit_queue: &SubmitQueue) -> DeviceResult<()> {
        let code = self.gpu.uploads.code();
        if self.code == code {
            return submit_queue.pass(&mut self.fence, || Ok(()));
        }
        self.empty.compile()?;
        submit_queue.pass(&mut self.fence, || self.empty.upload())?;
        self.code = code;
        Ok(())
    }
}
