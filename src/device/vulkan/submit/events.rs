//! Events that the command buffers of submissions set at their end, for threads that poll.

use crate::device::traits::DeviceResult;
use crate::device::vulkan::core::conv::VkResultExt;
use crate::device::vulkan::core::gpu::Gpu;
use ash::vk;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The events of a VkQueue's submissions. They are set in the order of the submissions.
pub struct EndEvents {
    gpu: &'static Gpu,
    state: Mutex<State>,
    /// The newest value whose event was seen.
    newest: AtomicU64,
    /// The newest value that was submitted.
    submitted: AtomicU64,
}

#[derive(Default)]
struct State {
    /// Values and events of the submissions that are not known to be complete.
    pending: VecDeque<(u64, SharedEvent)>,
    /// Events that were seen to be set. The host resets them when it has submitted something else, so that
    /// this costs no latency.
    seen: Vec<SharedEvent>,
    /// Unset events of no command buffer.
    spare: Vec<SharedEvent>,
}

/// An event, shared with the recording that sets it, if that is kept.
pub type SharedEvent = Arc<EndEvent>;

/// A VkEvent. It is never destroyed.
pub struct EndEvent {
    pub raw: vk::Event,
    /// It was submitted, and not reset since.
    in_use: AtomicBool,
}

impl EndEvent {
    /// Whether a command buffer that sets the event may be submitted.
    pub fn is_unset(&self) -> bool {
        !self.in_use.load(Ordering::Acquire)
    }
}

impl EndEvents {
    pub fn new(gpu: &'static Gpu) -> EndEvents {
        let (newest, submitted) = (AtomicU64::new(0), AtomicU64::new(0));
        EndEvents { gpu, state: Mutex::default(), newest, submitted }
    }

    /// An unset event for the next command buffer.
    pub fn take(&self) -> DeviceResult<SharedEvent> {
        if let Some(event) = self.state.lock().spare.pop() {
            return Ok(event);
        }
        // SAFETY: the device is alive.
        let raw = unsafe { self.gpu.raw.create_event(&Default::default(), None) }.during("vkCreateEvent")?;
        Ok(Arc::new(EndEvent { raw, in_use: AtomicBool::new(false) }))
    }

    /// Notes that the submission with this value sets the event. The caller holds the VkQueue's lock.
    pub fn note(&self, value: u64, event: SharedEvent) {
        event.in_use.store(true, Ordering::Release);
        let state = &mut *self.state.lock();
        state.pending.push_back((value, event));
        self.submitted.store(value, Ordering::Release);
        for event in state.seen.drain(..) {
            // SAFETY: the command buffer that sets the event has done so, and no work waits for it. An event
            // that cannot be reset is not used again.
            if unsafe { self.gpu.raw.reset_event(event.raw) }.is_ok() {
                event.in_use.store(false, Ordering::Release);
                if Arc::strong_count(&event) == 1 {
                    state.spare.push(event);
                }
            }
        }
    }

    /// Takes back an event that no command buffer sets, for others.
    pub fn put_back(&self, event: SharedEvent) {
        if Arc::strong_count(&event) == 1 && event.is_unset() {
            self.state.lock().spare.push(event);
        }
    }

    /// The newest value whose event is set. Another thread may be about to see a newer one.
    pub fn counter(&self) -> Result<u64, vk::Result> {
        let seen = self.newest.load(Ordering::Acquire);
        if seen == self.submitted.load(Ordering::Acquire) {
            return Ok(seen);
        }
        let Some(mut state) = self.state.try_lock() else { return Ok(seen) };
        while let Some((value, event)) = state.pending.front() {
            // SAFETY: the event is alive.
            if !unsafe { self.gpu.raw.get_event_status(event.raw) }? {
                break;
            }
            self.newest.store(*value, Ordering::Release);
            let event = state.pending.pop_front().map(|(_, event)| event);
            state.seen.extend(event);
        }
        Ok(self.newest.load(Ordering::Acquire))
    }
}
