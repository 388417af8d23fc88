//! Completion of the submissions to a VkQueue. Each has the next of the values that count up from 1; a value
//! is *reached* when its submission and all earlier ones are complete.
//!
//! A submission signals its value by the timeline semaphore, whose counter threads poll before they sleep.
//! With some drivers a signal makes vkQueueSubmit2 ten times slower in certain states (NVIDIA 580 on an H200:
//! 20 to 35 microseconds, for seconds). While that lasts, command buffers end with a write of the value to
//! cached host memory instead, the *completion word*, and the semaphore is signalled only for those that
//! cannot poll: other VkQueues and sleeping threads. If one of these comes later than the submission, a
//! further, empty submission signals the semaphore (`SubmitQueue::signal_for`).
//!
//! Words cost the device two barriers for each submission, so they are not the rule. Processors that do the
//! device's work have none: threads that poll would take their time. Under the validation layer, which
//! learns from semaphores that work is complete, the semaphore is always signalled and is what counts.
//!
//! Devices without timeline semaphores have one VkQueue, whose work is ordered by barriers, and each
//! submission signals a fence (`fences`).

use super::fences::{Fences, SharedFence};
use crate::device::traits::{DeviceMemory, DeviceResult};
use crate::device::vulkan::core::conv::VkResultExt;
use crate::device::vulkan::core::gpu::Gpu;
use crate::device::vulkan::memory::buffer::{Buffer, Use};
use crate::device::vulkan::memory::heap::Heap;
use ash::vk;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// Distance of the words of a device: a cache line each.
const STRIDE: u64 = 64;
/// Number of submissions that signal the semaphore after another VkQueue has waited for one: it may do so
/// again.
const EXPECTED_WAITS: u32 = 64;
/// Duration from which a submission with a signal is slow.
const SLOW: Duration = Duration::from_micros(12);
/// Changes of the score of slow submissions, its maximum, and the score from which words are used: if more
/// than a third are slow.
const SCORES: (u32, u32) = (4, 2);
const MAX_SCORE: u32 = 32;
const WORDS_FROM: u32 = 16;
/// One submission of as many signals while words are used, to learn whether signals still are slow.
const RETRY: u32 = 32;

/// The completion words of a device, one for each of its VkQueues.
pub struct CompletionWords {
    buffer: Buffer,
}

impl CompletionWords {
    /// Words for `count` VkQueues; `None` where threads must not poll them, or cannot.
    pub fn new(heap: &'static Heap, count: usize) -> Option<CompletionWords> {
        let adapter = &heap.gpu.adapter;
        if adapter.features.quick_signals && adapter.is_cpu() {
            return None;
        }
        let buffer = Buffer::new(heap, STRIDE * count as u64, Use::Staging, "completion words").ok()?;
        let base = buffer.mapped().filter(|_| buffer.host_cached())?;
        // SAFETY: the mapping has the buffer's size.
        unsafe { std::ptr::write_bytes(base.as_ptr(), 0, buffer.size as usize) };
        Some(CompletionWords { buffer })
    }

    /// The word of a VkQueue.
    fn word(&self, number: usize) -> Option<Word> {
        let at = STRIDE * number as u64;
        let base = self.buffer.mapped().filter(|_| at < self.buffer.size)?;
        Some(Word { buffer: self.buffer.raw, offset: at, value: base.offset(at).as_ptr().cast() })
    }
}

/// The low half of the newest value that the device has written.
struct Word {
    buffer: vk::Buffer,
    offset: u64,
    value: *const AtomicU32,
}

// SAFETY: the words of a device are never freed, and are accessed atomically.
unsafe impl Send for Word {}
// SAFETY: as above.
unsafe impl Sync for Word {}

/// The values of a VkQueue's submissions.
pub struct Timeline {
    gpu: &'static Gpu,
    signal: Signal,
    word: Option<Word>,
    /// The newest value known to be reached, and the newest one whose signal was seen.
    reached: AtomicU64,
    signalled: AtomicU64,
    /// The newest submissions with a word and without one.
    with_word: AtomicU64,
    without_word: AtomicU64,
    /// Number of threads that sleep until a value is reached, or are about to.
    sleepers: AtomicU32,
    /// See [`EXPECTED_WAITS`].
    expected_waits: AtomicU32,
    /// Score of slow submissions.
    slow: AtomicU32,
    /// Submissions with words since the last one without.
    words: AtomicU32,
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
    /// The timeline of VkQueue `number`.
    pub fn new(
        gpu: &'static Gpu,
        words: Option<&'static CompletionWords>,
        number: usize,
    ) -> DeviceResult<Timeline> {
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
            word: words.filter(|_| has_semaphores).and_then(|words| words.word(number)),
            reached: AtomicU64::new(0),
            signalled: AtomicU64::new(0),
            with_word: AtomicU64::new(0),
            without_word: AtomicU64::new(0),
            sleepers: AtomicU32::new(0),
            expected_waits: AtomicU32::new(0),
            slow: AtomicU32::new(0),
            words: AtomicU32::new(0),
        })
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
            Signal::Semaphore(semaphore) => {
                let (semaphores, values) = ([*semaphore], [value]);
                let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
                // SAFETY: the semaphore is never destroyed.
                unsafe { self.gpu.raw.wait_semaphores(&info, timeout.as_nanos().min(1 << 62) as u64) }
            }
            Signal::Fences(fences) => fences.wait(value, timeout),
        }
    }

    /// Whether the semaphore is signalled by every submission.
    fn always_signals(&self) -> bool {
        self.word.is_none() || self.gpu.instance.validates
    }

    /// Whether the next submission's command buffer ends with a word; called once for each.
    pub fn prefers_word(&self) -> bool {
        if self.word.is_none() {
            return false;
        }
        if !self.gpu.adapter.features.quick_signals {
            return true;
        }
        let expected = self.expected_waits.load(Ordering::Relaxed);
        // Threads may overwrite each other's changes of these counters, which are only hints.
        self.expected_waits.store(expected.saturating_sub(1), Ordering::Relaxed);
        let slow = self.slow.load(Ordering::Relaxed) >= WORDS_FROM;
        let words = self.words.load(Ordering::Relaxed);
        let word = slow && words < RETRY && expected == 0 && !self.has_sleepers() && !self.always_signals();
        self.words.store(if word { words + 1 } else { 0 }, Ordering::Relaxed);
        word
    }

    fn has_sleepers(&self) -> bool {
        self.sleepers.load(Ordering::Relaxed) > 0
    }

    /// Whether a submission signals the semaphore.
    pub fn signals(&self, with_word: bool) -> bool {
        !with_word || self.always_signals() || self.has_sleepers()
    }

    /// Notes how long a submission with a signal took.
    pub fn note_submission(&self, time: Duration) {
        let score = self.slow.load(Ordering::Relaxed);
        let score = if time >= SLOW { score + SCORES.0 } else { score.saturating_sub(SCORES.1) };
        self.slow.store(score.min(MAX_SCORE), Ordering::Relaxed);
    }

    /// Notes the value of a submission that is about to be made. Records its word, if it has one: everything
    /// before it is complete and visible to the host when the host sees the word. The command buffer's last
    /// barrier includes transfers ([`Gpu::last_barrier`]).
    pub fn mark(&self, cmd: Option<vk::CommandBuffer>, value: u64) {
        let (Some(word), Some(cmd)) = (&self.word, cmd) else {
            self.without_word.store(value, Ordering::Release);
            return;
        };
        let low = (value as u32).to_ne_bytes();
        // SAFETY: the command buffer is recording; the word lies in its buffer.
        unsafe { self.gpu.raw.cmd_update_buffer(cmd, word.buffer, word.offset, &low) };
        self.gpu.word_barrier(cmd);
        self.with_word.store(value, Ordering::Release);
    }

    /// The newest value that is reached. If the device is lost, the largest value, so that everything counts
    /// as complete.
    pub fn counter(&self) -> Result<u64, vk::Result> {
        if self.gpu.is_lost() {
            return Ok(u64::MAX);
        }
        let seen = self.last_seen();
        if self.without_word.load(Ordering::Acquire) <= seen && !self.always_signals() {
            return Ok(seen);
        }
        let value = match &self.signal {
            // SAFETY: the semaphore is alive.
            Signal::Semaphore(semaphore) => unsafe { self.gpu.raw.get_semaphore_counter_value(*semaphore) }?,
            Signal::Fences(fences) => fences.counter()?,
        };
        self.see_signal(value);
        Ok(seen.max(value))
    }

    /// The newest value that was seen, or that the word has now, even if the device is lost.
    pub fn last_seen(&self) -> u64 {
        let known = self.reached.load(Ordering::Relaxed);
        let Some(word) = self.word.as_ref().filter(|_| !self.always_signals()) else { return known };
        // SAFETY: the word is mapped for the life of the process. Acquire: results are read after it.
        let low = unsafe { (*word.value).load(Ordering::Acquire) };
        // The newest value with this low half that was submitted: fewer than 2^32 values lie between.
        let newest = self.with_word.load(Ordering::Acquire);
        let value = newest.saturating_sub(u64::from((newest as u32).wrapping_sub(low)));
        if value > known { self.see(value) } else { known }
    }

    /// Notes that a value is reached. Returns the newest one.
    pub fn see(&self, value: u64) -> u64 {
        self.reached.fetch_max(value, Ordering::AcqRel).max(value)
    }

    /// Whether the device has left the command buffers of a submission whose value is reached. The word is
    /// written before the end of the command buffer: a later value, or a signal, shows that it has ended.
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
