//! A fence that one submission after the other signals.

use crate::device::traits::DeviceResult;
use crate::device::vulkan::core::conv::VkResultExt;
use crate::device::vulkan::core::gpu::Gpu;
use ash::vk;

/// A fence, never destroyed. After a failure it is still submitted or signalled, until it is reset.
pub struct ReusedFence {
    raw: vk::Fence,
    is_submitted: bool,
}

impl ReusedFence {
    /// A fence that is not signalled.
    pub fn new(gpu: &Gpu) -> DeviceResult<ReusedFence> {
        // SAFETY: the device is alive.
        let raw = unsafe { gpu.raw.create_fence(&Default::default(), None) }.during("vkCreateFence")?;
        Ok(ReusedFence { raw, is_submitted: false })
    }

    /// Waits for the submission that signals the fence, if there is one, and resets it.
    pub fn reset(&mut self, gpu: &Gpu) -> DeviceResult<()> {
        if self.is_submitted {
            // SAFETY: the fence was submitted, and is signalled after the wait.
            unsafe {
                gpu.raw.wait_for_fences(&[self.raw], true, u64::MAX).during("vkWaitForFences")?;
                gpu.raw.reset_fences(&[self.raw]).during("vkResetFences")?;
            }
            self.is_submitted = false;
        }
        Ok(())
    }

    /// Submits the fence, which is reset before.
    pub fn submit(
        &mut self,
        gpu: &Gpu,
        submit: impl FnOnce(vk::Fence) -> DeviceResult<()>,
    ) -> DeviceResult<()> {
        self.reset(gpu)?;
        submit(self.raw)?;
        self.is_submitted = true;
        Ok(())
    }
}
