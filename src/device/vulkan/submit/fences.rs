//! Fences that stand for the values of a timeline, on devices without timeline semaphores.

use crate::device::traits::DeviceResult;
use crate::device::vulkan::core::conv::VkResultExt;
use crate::device::vulkan::core::gpu::Gpu;
use ash::vk;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// The fences of a VkQueue's submissions. Each submission has one; they complete in order.
pub struct Fences {
    gpu: &'static Gpu,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Values and fences of the submissions not known to be complete.
    pending: VecDeque<(u64, SharedFence)>,
    /// Fences of no submission. One that a thread still waits for is not reset until the thread has left it.
    spare: Vec<SharedFence>,
    newest: u64,
}

/// A fence, shared with the threads that wait for it; it is never destroyed.
pub type SharedFence = Arc<vk::Fence>;

impl Fences {
    pub fn new(gpu: &'static Gpu) -> Fences {
        Fences { gpu, state: Mutex::default() }
    }

    /// An unsignalled fence for the next submission.
    pub fn take(&self) -> DeviceResult<SharedFence> {
        let unused = {
            let mut state = self.state.lock();
            let at = state.spare.iter().position(|fence| Arc::strong_count(fence) == 1);
            at.map(|at| state.spare.swap_remove(at))
        };
        if let Some(fence) = unused {
            // SAFETY: no submission and no thread uses the fence.
            unsafe { self.gpu.raw.reset_fences(&[*fence]) }.during("vkResetFences")?;
            return Ok(fence);
        }
        // SAFETY: the device is alive.
        let fence =
            unsafe { self.gpu.raw.create_fence(&Default::default(), None) }.during("vkCreateFence")?;
        Ok(Arc::new(fence))
    }

    /// Notes that a submission with this value signals the fence. The caller holds the VkQueue's lock.
    pub fn note(&self, value: u64, fence: SharedFence) {
        self.state.lock().pending.push_back((value, fence));
    }

    /// Takes back the fence of a submission that failed.
    pub fn put_back(&self, fence: SharedFence) {
        self.state.lock().spare.push(fence);
    }

    /// The newest value that is reached.
    pub fn counter(&self) -> Result<u64, vk::Result> {
        let mut state = self.state.lock();
        while let Some((value, fence)) = state.pending.front() {
            // SAFETY: the fence is alive.
            if !unsafe { self.gpu.raw.get_fence_status(**fence) }? {
                break;
            }
            state.newest = *value;
            if let Some((_, fence)) = state.pending.pop_front() {
                state.spare.push(fence);
            }
        }
        Ok(state.newest)
    }

    /// Waits until a submitted value is reached.
    pub fn wait(&self, value: u64, timeout: Duration) -> Result<(), vk::Result> {
        let fence = {
            let state = self.state.lock();
            let at = state.pending.partition_point(|(v, _)| *v < value);
            state.pending.get(at).map(|(_, fence)| fence.clone())
        };
        let Some(fence) = fence else { return Ok(()) };
        let nanoseconds = timeout.as_nanos().min(1 << 62) as u64;
        // SAFETY: the fence is alive, and not reset while it is shared.
        unsafe { self.gpu.raw.wait_for_fences(&[*fence], true, nanoseconds) }
    }
}
