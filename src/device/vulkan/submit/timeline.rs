//! Completion of the submissions to a VkQueue. Each has the next of the values that count up from 1; a value
//! is *reached* when its submission and all earlier ones are complete.
//!
//! A submission signals its value by the timeline semaphore, whose counter threads poll before they sleep.
//! Where signals are slow (quirk `slow_signals`), command buffers set an event at their end instead
//! (`events`), and the semaphore is signalled only for those that cannot poll: other VkQueues and sleeping
//! threads. If one of these comes later than the submission, a further, empty submission signals the
//! semaphore (`SubmitQueue::signal_for`). Under the validation layer, which learns from semaphores that work
//! is complete, the semaphore is always signalled and is what counts.
//!
//! Devices without timeline semaphores have one VkQueue, whose work is ordered by barriers, and each
//! submission signals a fence (`fences`).

use super::events::{EndEvents, SharedEvent};
use super::fences::{Fences, SharedFence};
use crate::device::traits::DeviceResult;
use crate::device::vulkan::core::conv::VkResultExt;
use crate::device::vulkan::core::gpu::Gpu;
use ash::vk;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// Number of submissions that signal the semaphore after another VkQueue has waited for one: it may do so
/// again.
const EXPECTED_WAITS: u32 = 64;

/// The values of a VkQueue's submissions.
pub struct Timeline {
    gpu: &'static Gpu,
    signal: Signal,
    events: Option<EndEvents>,
    /// The newest value known to be reached, and the newest one whose signal was seen.
    reached: AtomicU64,
    signalled: AtomicU64,
    /// The newest submission without an event.
    without_event: AtomicU64,
    /// Number of threads that sleep until a value is reached, or are about to.
    sleepers: AtomicU32,
    /// See [`EXPECTED_WAITS`].
    expected_waits: AtomicU32,
}

/// Objects that submissions signal.
enum Signal {
    /// A timeline semaphore.
    Semaphore(vk::Semaphore),
    /// Fences, on devices without timeline semaphores.
    Fences(Fences),
}

/// A thread that sleeps until a value is reached.
pub struct Sleeper<'a>(&'a Timeline);

impl Drop for Sleeper<'_> {
    fn drop(&mut self) {
        self.0.sleepers.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Timeline {
    /// The timeline of a VkQueue.
    pub fn new(gpu: &'static Gpu) -> DeviceResult<Timeline> {
        let has_semaphores = gpu.adapter.features.timeline_semaphore;
        let signal = if has_semaphores {
            let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
            let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
            // SAFETY: the device is alive and has timeline semaphores.
            let semaphore = unsafe { gpu.raw.create_semaphore(&info, None) }.during("vkCreateSemaphore")?;
            Signal::Semaphore(semaphore)
        } else {
            Signal::Fences(Fences::new(gpu))
        };
        Ok(Timeline {
            gpu,
            signal,
            events: Timeline::polls_events(gpu).then(|| EndEvents::new(gpu)),
            reached: AtomicU64::new(0),
            signalled: AtomicU64::new(0),
            without_event: AtomicU64::new(0),
            sleepers: AtomicU32::new(0),
            expected_waits: AtomicU32::new(0),
        })
    }

    /// Whether threads poll events rather than semaphores. Events are set with synchronization2.
    fn polls_events(gpu: &Gpu) -> bool {
        let features = &gpu.adapter.features;
        let slow_signals = gpu.adapter.quirks.slow_signals || !features.quick_signals;
        slow_signals && features.timeline_semaphore && features.synchronization2
    }

    /// Whether command buffers may end with an event rather than a barrier.
    pub fn has_events(&self) -> bool {
        self.events.is_some()
    }

    /// The timeline's semaphore; `None` on devices that have a single VkQueue and fences.
    pub fn semaphore(&self) -> Option<vk::Semaphore> {
        match self.signal {
            Signal::Semaphore(semaphore) => Some(semaphore),
            Signal::Fences(_) => None,
        }
    }

    /// The fence for the next submission that signals a value; `None` where the semaphore is signalled.
    pub fn fence(&self) -> DeviceResult<Option<SharedFence>> {
        match &self.signal {
            Signal::Semaphore(_) => Ok(None),
            Signal::Fences(fences) => fences.take().map(Some),
        }
    }

    /// Notes that the fence was submitted for a value. The caller holds the VkQueue's lock.
    pub fn note_fence(&self, value: u64, fence: SharedFence) {
        if let Signal::Fences(fences) = &self.signal {
            fences.note(value, fence);
        }
    }

    /// Takes back the fence of a submission that failed.
    pub fn put_back_fence(&self, fence: SharedFence) {
        if let Signal::Fences(fences) = &self.signal {
            fences.put_back(fence);
        }
    }

    /// Waits until a value is reached that a submission signals, or will signal.
    pub fn wait_for_signal(&self, value: u64, timeout: Duration) -> Result<(), vk::Result> {
        match &self.signal {
            // SAFETY: the semaphore is never destroyed.
            Signal::Semaphore(semaphore) => unsafe {
                self.gpu.wait_for_semaphore(*semaphore, value, timeout)
            },
            Signal::Fences(fences) => fences.wait(value, timeout),
        }
    }

    /// Whether the semaphore is signalled by every submission.
    pub fn always_signals(&self) -> bool {
        self.events.is_none() || self.gpu.instance.validates
    }

    /// The event that the next submission's command buffer sets at its end, if it sets one.
    pub fn next_event(&self) -> Option<SharedEvent> {
        let events = self.events.as_ref().filter(|_| !self.always_signals())?;
        events.take().ok()
    }

    fn has_sleepers(&self) -> bool {
        self.sleepers.load(Ordering::Relaxed) > 0
    }

    /// Whether the next submission signals the semaphore; called once for each. With an event only if a
    /// thread sleeps, or another VkQueue will probably wait.
    pub fn signals(&self, with_event: bool) -> bool {
        let expected = self.expected_waits.load(Ordering::Relaxed);
        self.expected_waits.store(expected.saturating_sub(1), Ordering::Relaxed);
        !with_event || self.always_signals() || self.has_sleepers() || expected > 0
    }

    /// Notes that a submission without an event is about to be made.
    pub fn note_without_event(&self, value: u64) {
        self.without_event.store(value, Ordering::Release);
    }

    /// Notes that the submission with this value sets the event. The caller holds the VkQueue's lock.
    pub fn note_event(&self, value: u64, event: SharedEvent) {
        if let Some(events) = &self.events {
            events.note(value, event);
        }
    }

    /// Takes back an event that no command buffer sets.
    pub fn put_back_event(&self, event: SharedEvent) {
        if let Some(events) = &self.events {
            events.put_back(event);
        }
    }

    /// The newest value that is reached. If the device is lost, the largest value, so that everything counts
    /// as complete.
    pub fn counter(&self) -> Result<u64, vk::Result> {
        if self.gpu.is_lost() {
            return Ok(u64::MAX);
        }
        let seen = self.last_seen();
        if self.without_event.load(Ordering::Acquire) <= seen && !self.always_signals() {
            return Ok(seen);
        }
        let value = match &self.signal {
            // SAFETY: the semaphore is alive.
            Signal::Semaphore(semaphore) => unsafe { self.gpu.semaphore_value(*semaphore) }?,
            Signal::Fences(fences) => fences.counter()?,
        };
        self.see_signal(value);
        Ok(seen.max(value))
    }

    /// The newest value that was seen, or whose event is set, even if the device is lost.
    pub fn last_seen(&self) -> u64 {
        let known = self.reached.load(Ordering::Relaxed);
        let Some(events) = self.events.as_ref().filter(|_| !self.always_signals()) else { return known };
        match events.counter() {
            Ok(value) if value > known => self.see(value),
            _ => known,
        }
    }

    /// Notes that a value is reached. Returns the newest one.
    pub fn see(&self, value: u64) -> u64 {
        self.reached.fetch_max(value, Ordering::AcqRel).max(value)
    }

    /// Whether the device has left the command buffers of a submission whose value is reached. Events are
    /// set before the end of the command buffer: a later value, or a signal, shows that it has ended.
    pub fn has_left(&self, value: u64) -> bool {
        self.always_signals()
            || self.gpu.is_lost()
            || self.signalled.load(Ordering::Relaxed) >= value
            || self.last_seen() > value
    }

    /// Notes that the semaphore was seen to have a value.
    pub fn see_signal(&self, value: u64) {
        self.signalled.fetch_max(value, Ordering::Relaxed);
        self.see(value);
    }

    /// Notes that another VkQueue waits for this one.
    pub fn expect_waits(&self) {
        self.expected_waits.store(EXPECTED_WAITS, Ordering::Relaxed);
    }

    /// The calling thread is about to sleep.
    pub fn sleeper(&self) -> Sleeper<'_> {
        self.sleepers.fetch_add(1, Ordering::Relaxed);
        Sleeper(self)
    }
}
