//! A submit queue: one VkQueue with its timeline and the batches in flight on it.
//!
//! Several device queues may share a submit queue. Each submission has the next value of its timeline, so
//! values complete in order. Batches are reported in that order, which is submission order for every device
//! queue.
//!
//! Any thread that sees the timeline advance reports completions by [`SubmitQueue::reap`]. `reaping` admits
//! one thread at a time, and no lock is held while a sink is called. A thread in [`SubmitQueue::wait`] (a
//! *waiter*) polls the timeline, then sleeps (see `recent_waits`), and reaps itself; the reaper thread
//! (`reaper`) stays idle while there are waiters.
//!
//! A batch is reported after the batches of other submit queues that it waited for: their results reach the
//! host when they are reported. This cannot deadlock, since waits refer to earlier submissions and each
//! submit queue reports in order.
//!
//! Lock order: `submit` (the VkQueue and the last value), then `state`. With one timeline per VkQueue rather
//! than per device queue, no thread waits for *any* of several semaphores, which some drivers implement by
//! polling.

use super::command_allocator::CommandAllocator;
use super::events::SharedEvent;
use super::loss::{self, LostBatch, LostState};
use super::pools::SubmitPools;
use super::profiling::Queries;
use super::reaper::ReaperThread;
use super::recent_waits::RecentWaits;
use super::record::{ReadBack, ReadBacks};
use super::repeats::Recording;
use super::reused_fence::ReusedFence;
use super::timeline::Timeline;
use crate::device::batch::{BatchItem, CommandTicket, Outcome, Times};
use crate::device::spare::SpareLists;
use crate::device::traits::{CompletionSink, DeviceError, DeviceResult, Submission};
use crate::device::vulkan::core::gpu::Gpu;
use crate::device::vulkan::core::sync::QueueSubmit;
use crate::device::vulkan::program::print::{PrintBuffers, Transfers, VulkanPrintBuffer};
use ash::vk;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a waiting thread polls before it sleeps, on devices other than the CPU.
const SPIN: Duration = Duration::from_millis(1);
/// Like [`SPIN`], on CPU devices, where the polling thread yields.
const SPIN_ON_CPU: Duration = Duration::from_micros(100);
/// A thread that sleeps without a signal at the right time looks at the timeline each time that it has slept
/// a thirty-second longer, ...
const SLICE: u32 = 32;
/// ... within these limits.
const SLICES: (Duration, Duration) = (Duration::from_micros(50), Duration::from_millis(10));
/// Where signals are slow, how long a thread naps before it sleeps until a signal.
const NAPS: Duration = Duration::from_millis(8);
/// How long the reaper leaves a batch to threads that may be about to wait for it.
const LINGER: Duration = Duration::from_micros(50);
/// How long the reaper checks for batches without a waiter before it parks: the next submission has to wake
/// it up.
const PARK: Duration = Duration::from_millis(20);
/// Like [`PARK`], on CPU devices.
const PARK_ON_CPU: Duration = Duration::from_millis(2);
/// A batch that executes longer is named in the log.
const LONG: Duration = Duration::from_secs(10);
/// CL_OUT_OF_RESOURCES.
const OUT_OF_RESOURCES: i32 = -5;

/// A VkQueue with its timeline semaphore.
pub struct SubmitQueue {
    gpu: &'static Gpu,
    pools: &'static SubmitPools,
    /// Position among the device's VkQueues.
    number: usize,
    submit: Mutex<Submitted>,
    pub timeline: &'static Timeline,
    recent: RecentWaits,
    state: Mutex<State>,
    /// Signalled when batches were reported or reaping stopped.
    reported: Condvar,
    reaper: ReaperThread,
    /// The loss of the device was reported.
    loss_reported: AtomicBool,
}

/// The VkQueue and what was submitted to it.
struct Submitted {
    queue: vk::Queue,
    /// The last value.
    value: u64,
    /// The last value that is signalled, and the last one that is not, or was not by its own submission.
    signalled: u64,
    unsignalled: u64,
    /// The last value that an empty submission signals.
    late_signal: u64,
}

/// A thread's wait for a value of the timeline.
struct Wait {
    value: u64,
    deadline: Option<Instant>,
    start: Instant,
    /// Sleeps only until the device should be done, then polls.
    polls: bool,
}

impl Wait {
    /// A wait of the reaper, which never polls.
    fn of_reaper(value: u64) -> Wait {
        Wait { value, deadline: None, start: Instant::now(), polls: false }
    }

    /// When to poll next; contains `now` if it is time to.
    fn polling(&self, recent: &RecentWaits, now: Instant) -> Option<Range<Instant>> {
        let polling = self.polls.then(|| recent.polling(now - self.start)).flatten()?;
        Some(self.start + polling.start..self.start + polling.end)
    }
}

/// How a waiting thread may sleep.
struct Rest {
    /// The time until it polls, or until its deadline.
    most: Duration,
    /// It polls afterwards.
    polls_later: bool,
}

/// Contents of one submission.
#[derive(Default)]
pub struct SubmitInfo<'a> {
    /// A command buffer whose recording has ended.
    pub cmd: Option<vk::CommandBuffer>,
    /// The event that it sets at its end ([`Timeline::next_event`]).
    pub event: Option<SharedEvent>,
    /// Semaphores to wait for, with values.
    pub waits: &'a [(vk::Semaphore, u64)],
    /// The application's semaphores to signal.
    pub signals: &'a [vk::Semaphore],
    /// Its waiters sleep from the start.
    pub sleeps: bool,
}

#[derive(Default)]
struct State {
    in_flight: VecDeque<Entry>,
    reaping: bool,
    waiters: usize,
    /// Threads waiting on `reported`.
    listeners: usize,
    /// The timeline value that the reaper waits for in Vulkan.
    reaper_waits: Option<u64>,
    /// The reaper prepares that wait, and may submit.
    reaper_prepares: bool,
}

/// A batch in flight.
pub struct Entry {
    /// Complete when the timeline has this value.
    pub value: u64,
    pub owner: Arc<Owner>,
    pub submission: Submission,
    /// Batches on other submit queues that must be reported first. Timeline values do not identify them,
    /// since several batches may share one.
    pub after: Vec<BatchDependency>,
    pub tickets: Vec<CommandTicket>,
    pub read_backs: Vec<ReadBack>,
    /// Read-backs that can run before the batch is complete.
    pub early_read_backs: VecDeque<EarlyReadBacks>,
    /// Print buffers of the launches.
    pub prints: Vec<VulkanPrintBuffer>,
    pub allocators: Vec<CommandAllocator>,
    /// The command buffer, if it is kept for batches that repeat.
    pub recording: Option<Arc<Recording>>,
    pub queries: Option<Arc<Queries>>,
    /// On profiling queues one entry per ticket; entries of device commands are filled in from `queries`.
    pub times: Vec<Times>,
    /// Keeps memory and kernels alive.
    pub items: Vec<BatchItem>,
    /// The first checkpoint of the items.
    pub checkpoint: u64,
}

/// Read-backs that can run when the timeline reaches `value`.
pub struct EarlyReadBacks {
    pub value: u64,
    pub read_backs: ReadBacks,
}

/// A batch on another submit queue.
pub struct BatchDependency {
    pub submit_queue: &'static SubmitQueue,
    pub owner: Arc<Owner>,
    pub submission: Submission,
}

/// A device queue, as seen by the threads that complete its batches.
pub struct Owner {
    pub sink: Arc<dyn CompletionSink>,
    /// Reads device memory for printf output.
    transfers: Box<Transfers>,
    pub completed: AtomicU64,
    /// Unreported batches, all of one submit queue.
    marks: Mutex<VecDeque<Mark>>,
    /// End time of the command reported last.
    last_end: AtomicU64,
    /// Recycled lists of earlier batches.
    spares: SpareLists<Lists>,
    spare_items: SpareLists<Vec<BatchItem>>,
}

/// Where a batch was submitted.
#[derive(Clone, Copy)]
struct Mark {
    submission: Submission,
    submit_queue: &'static SubmitQueue,
    value: u64,
}

/// Lists of a batch, recycled for their memory.
#[derive(Default)]
pub struct Lists {
    pub tickets: Vec<CommandTicket>,
    pub read_backs: Vec<ReadBack>,
    pub allocators: Vec<CommandAllocator>,
    pub times: Vec<Times>,
}

impl Owner {
    /// State of a new queue.
    pub fn new(sink: Arc<dyn CompletionSink>, transfers: Box<Transfers>) -> Owner {
        Owner {
            sink,
            transfers,
            completed: AtomicU64::new(0),
            marks: Mutex::default(),
            last_end: AtomicU64::new(0),
            spares: SpareLists::default(),
            spare_items: SpareLists::default(),
        }
    }

    /// A list for `count` items, recycled if possible.
    pub fn spare_items(&self, count: usize) -> Vec<BatchItem> {
        self.spare_items.take(count, Vec::with_capacity)
    }

    /// The other lists of a batch of `count` items, recycled if possible.
    pub fn spare_lists(&self, count: usize) -> Lists {
        self.spares.take(count, |room| Lists { tickets: Vec::with_capacity(room), ..Lists::default() })
    }

    fn keep(&self, lists: Lists, items: Vec<BatchItem>) {
        self.spares.keep(lists.tickets.capacity(), lists);
        self.spare_items.keep(items.capacity(), items);
    }

    /// The submit queue and timeline value of a submission; `None` once it has been reported.
    pub fn value_of(&self, submission: Submission) -> Option<(&'static SubmitQueue, u64)> {
        let marks = self.marks.lock();
        let at = marks.binary_search_by_key(&submission, |m| m.submission).ok()?;
        marks.get(at).map(|m| (m.submit_queue, m.value))
    }

    /// Number of unreported batches after `value` on the timeline.
    pub fn after(&self, value: u64) -> u64 {
        let marks = self.marks.lock();
        (marks.len() - marks.partition_point(|m| m.value <= value)) as u64
    }

    /// Whether everything up to `submission` has been reported.
    pub fn is_reported(&self, submission: Submission) -> bool {
        self.completed.load(Ordering::Acquire) >= submission
    }
}

impl SubmitQueue {
    /// Wraps a VkQueue.
    pub fn new(pools: &'static SubmitPools, queue: vk::Queue, number: usize) -> DeviceResult<SubmitQueue> {
        let timeline = Timeline::new(pools.gpu)?;
        Ok(SubmitQueue {
            gpu: pools.gpu,
            pools,
            number,
            submit: Mutex::new(Submitted { queue, value: 0, signalled: 0, unsignalled: 0, late_signal: 0 }),
            timeline: Box::leak(Box::new(timeline)),
            recent: RecentWaits::default(),
            state: Mutex::new(State::default()),
            reported: Condvar::new(),
            reaper: ReaperThread::default(),
            loss_reported: AtomicBool::new(false),
        })
    }

    /// Submits a command buffer with the next value, and enqueues the batch that it completes (if any).
    pub fn submit(
        &'static self,
        mut work: SubmitInfo<'_>,
        entry: Option<Entry>,
    ) -> std::result::Result<u64, (DeviceError, Option<Box<Entry>>)> {
        let mut submitted = self.submit.lock();
        if work.cmd.is_some() || !work.waits.is_empty() || !work.signals.is_empty() {
            if let Err(e) = self.submit_next(&mut submitted, &mut work) {
                drop(submitted);
                if matches!(e, DeviceError::Lost) {
                    self.gpu.set_lost();
                    self.report_loss(entry.as_ref());
                }
                return Err((e, entry.map(Box::new)));
            }
            self.pools.submissions.fetch_add(1, Ordering::AcqRel);
        }
        let value = submitted.value;
        let mut neglected = false;
        if let Some(mut entry) = entry {
            entry.value = value;
            let mark = Mark { submission: entry.submission, submit_queue: self, value };
            entry.owner.marks.lock().push_back(mark);
            let mut state = self.state.lock();
            state.in_flight.push_back(entry);
            self.reaper.start(move || self.reap_next());
            neglected = state.neglected().is_some();
        }
        drop(submitted);
        if neglected {
            self.reaper.unpark();
        }
        self.pools.allocators.prepare();
        Ok(value)
    }

    fn submit_next(&self, submitted: &mut Submitted, work: &mut SubmitInfo<'_>) -> DeviceResult<()> {
        let value = submitted.value + 1;
        let event = work.event.take();
        if event.is_none() {
            self.timeline.note_without_event(value);
        }
        let signals = self.timeline.signals(event.is_some()) || work.sleeps;
        let result = self.submit_to_queue(submitted.queue, work, signals.then_some(value));
        match event {
            Some(event) if result.is_ok() => self.timeline.note_event(value, event),
            Some(event) => self.timeline.put_back_event(event),
            None => {}
        }
        result?;
        submitted.value = value;
        let last = if signals { &mut submitted.signalled } else { &mut submitted.unsignalled };
        *last = value;
        Ok(())
    }

    /// Submits, and signals the timeline's semaphore with a value (if any).
    fn submit_to_queue(
        &self,
        queue: vk::Queue,
        work: &SubmitInfo<'_>,
        value: Option<u64>,
    ) -> DeviceResult<()> {
        let fence = if value.is_some() { self.timeline.fence()? } else { None };
        let own = value.and_then(|value| self.timeline.semaphore().map(|semaphore| (semaphore, value)));
        let signals: smallvec::SmallVec<[_; 2]> =
            own.into_iter().chain(work.signals.iter().map(|s| (*s, 0))).collect();
        let contents = QueueSubmit {
            cmd: work.cmd,
            waits: work.waits,
            signals: &signals,
            fence: fence.as_deref().copied().unwrap_or_default(),
        };
        // SAFETY: the caller holds the queue's lock; the command buffer is recorded and kept until the value
        // is reached.
        let result = unsafe { self.gpu.submit(queue, &contents) };
        if let (Some(value), Some(fence)) = (value, fence) {
            match &result {
                Ok(()) => self.timeline.note_fence(value, fence),
                Err(_) => self.timeline.put_back_fence(fence),
            }
        }
        result
    }

    /// Waits for an empty submission, made after `first`, which signals the fence: see [`Gpu::submit_after`].
    pub fn pass(
        &self,
        fence: &mut ReusedFence,
        first: impl FnOnce() -> DeviceResult<()>,
    ) -> DeviceResult<()> {
        let submitted = fence.submit(self.gpu, |fence| {
            let submitted = self.submit.lock();
            let empty = QueueSubmit { fence, ..QueueSubmit::default() };
            // SAFETY: the queue's lock is held; the fence is reset.
            unsafe { self.gpu.submit_after(submitted.queue, &empty, first) }
        });
        let result = submitted.and_then(|()| fence.reset(self.gpu));
        if matches!(result, Err(DeviceError::Lost)) {
            self.gpu.set_lost();
            self.report_loss(None);
        }
        result
    }

    /// Ensures that the timeline's semaphore will have a submitted value. If its submission did not signal,
    /// an empty one does, after everything submitted so far. Returns whether the semaphore is known to have
    /// the value as soon as it is reached.
    fn signal_for(&self, value: u64) -> DeviceResult<bool> {
        let mut submitted = self.submit.lock();
        if submitted.signalled < value {
            self.submit_to_queue(submitted.queue, &SubmitInfo::default(), Some(submitted.value))?;
            submitted.signalled = submitted.value;
            submitted.late_signal = submitted.value;
        }
        Ok(value == submitted.late_signal || value > submitted.unsignalled)
    }

    /// Like [`SubmitQueue::signal_for`], for another VkQueue, which may wait again soon.
    pub fn signal_for_queue(&self, value: u64) -> DeviceResult<()> {
        self.timeline.expect_waits();
        self.signal_for(value).map(|_| ())
    }

    /// Whether everything submitted is complete.
    pub fn is_idle(&self) -> bool {
        let last = self.submit.lock().value;
        self.timeline.last_seen() >= last || self.counter() >= last
    }

    /// The newest value that is reached. If the device is lost, the largest value, so that everything counts
    /// as complete.
    pub fn counter(&self) -> u64 {
        self.timeline.counter().unwrap_or_else(|e| {
            self.note("vkGetSemaphoreCounterValue", e);
            u64::MAX
        })
    }

    fn note(&self, what: &str, e: vk::Result) {
        if e != vk::Result::ERROR_DEVICE_LOST {
            tracing::error!("{what}: {e:?}");
        }
        self.gpu.set_lost();
    }

    /// Reports the loss of the device, once: in the log, and to the owner of the oldest batch in flight (or
    /// of `unsubmitted`, if none is).
    pub fn report_loss(&self, unsubmitted: Option<&Entry>) {
        if self.loss_reported.swap(true, Ordering::AcqRel) {
            return;
        }
        let queue = self.submit.lock().queue;
        let state = self.state.lock();
        let reached = self.timeline.last_seen();
        let mut executing = state.in_flight.iter().skip_while(|entry| entry.value <= reached);
        let found = match executing.next() {
            Some(entry) => Some((entry, LostState::Executing { later: executing.count() })),
            None => unsubmitted.map(|entry| (entry, LostState::Unsubmitted)),
        };
        let found = found.or_else(|| state.in_flight.back().map(|entry| (entry, LostState::Complete)));
        let entry = found.map(|(entry, _)| entry);
        let batch = found.map(|(e, state)| LostBatch { items: &e.items, checkpoint: e.checkpoint, state });
        let report = loss::describe(self.gpu, queue, self.number, batch);
        let owner = entry.map(|e| e.owner.clone());
        drop(state);
        tracing::error!("{report}");
        if let Some(owner) = owner
            && catch_unwind(AssertUnwindSafe(|| owner.sink.lost(&report))).is_err()
        {
            tracing::error!("a completion sink panicked");
        }
    }

    /// Waits until the timeline reaches `value`; false if `deadline` passes first.
    pub fn wait_value(&self, value: u64, deadline: Option<Instant>, spin: bool) -> bool {
        if self.counter() >= value {
            return true;
        }
        let (start, cpu) = (Instant::now(), self.gpu.adapter.is_cpu());
        let wait = Wait { value, deadline, start, polls: spin && !cpu };
        if spin && self.poll(&wait, start + if cpu { SPIN_ON_CPU } else { SPIN }) {
            return true;
        }
        let reached = self.sleep(&wait);
        if reached && wait.polls {
            self.recent.note(start.elapsed());
        }
        reached
    }

    /// Polls until the value is reached; false if `end` passes first.
    fn poll(&self, wait: &Wait, end: Instant) -> bool {
        while Instant::now() < end {
            // The work itself may need this core.
            if self.gpu.adapter.is_cpu() {
                std::thread::yield_now()
            } else {
                std::hint::spin_loop()
            }
            if self.counter() >= wait.value {
                return true;
            }
        }
        false
    }

    /// Sleeps until the value is reached; false if the deadline passes first.
    fn sleep(&self, wait: &Wait) -> bool {
        if let Some(reached) = self.nap(wait) {
            return reached;
        }
        let _sleeper = self.timeline.sleeper();
        match self.signal_for(wait.value) {
            Ok(exact) => self.wait_for_signal(wait, exact),
            Err(DeviceError::Lost) => {
                self.gpu.set_lost();
                true
            }
            // The semaphore may never have the value.
            Err(e) => {
                tracing::warn!("waiting without a signal: {e}");
                self.wait_for_signal(wait, false)
            }
        }
    }

    /// Sleeps for short times until the value is reached, or false if the deadline passes first, where
    /// signals are slow (quirk `slow_signals`): one delays what is submitted behind it. `None` if the wait
    /// goes on, and no recent wait lets its end be expected.
    fn nap(&self, wait: &Wait) -> Option<bool> {
        if !wait.polls || self.timeline.always_signals() {
            return None;
        }
        loop {
            let rest = match self.until_rest(wait) {
                ControlFlow::Continue(rest) => rest,
                ControlFlow::Break(reached) => return Some(reached),
            };
            let elapsed = wait.start.elapsed();
            if elapsed >= LONG || elapsed >= NAPS && !rest.polls_later {
                return None;
            }
            std::thread::sleep(slice(elapsed).min(rest.most));
        }
    }

    /// Polls if it is time to, until the thread may sleep. Breaks when the value is reached (true) or the
    /// deadline has passed.
    fn until_rest(&self, wait: &Wait) -> ControlFlow<bool, Rest> {
        loop {
            if self.counter() >= wait.value {
                return ControlFlow::Break(true);
            }
            let now = Instant::now();
            if wait.deadline.is_some_and(|deadline| deadline <= now) {
                return ControlFlow::Break(false);
            }
            let polling = wait.polling(&self.recent, now);
            if let Some(polling) = polling.as_ref().filter(|polling| polling.contains(&now)) {
                self.poll(wait, wait.deadline.map_or(polling.end, |deadline| polling.end.min(deadline)));
                continue;
            }
            let polls_later = polling.is_some();
            let ends = wait.deadline.into_iter().chain(polling.map(|polling| polling.start));
            let most = ends.map(|end| end - now).min().unwrap_or(Duration::MAX);
            return ControlFlow::Continue(Rest { most, polls_later });
        }
    }

    /// Sleeps until the semaphore has the value; false if the deadline passes first. Unless the semaphore has
    /// it as soon as it is reached (`exact`), wakes up from time to time to look.
    fn wait_for_signal(&self, wait: &Wait, exact: bool) -> bool {
        let slept = Instant::now();
        let mut is_long = false;
        loop {
            let rest = match self.until_rest(wait) {
                ControlFlow::Continue(rest) => rest,
                ControlFlow::Break(reached) => return reached,
            };
            let elapsed = slept.elapsed();
            if !is_long && elapsed >= LONG {
                is_long = true;
                self.report_long_execution(wait.value);
            }
            let slice = (!exact).then(|| slice(elapsed));
            let long = (!is_long).then(|| LONG.saturating_sub(elapsed));
            let limit = slice.into_iter().chain(long).fold(rest.most, Duration::min);
            match self.timeline.wait_for_signal(wait.value, limit) {
                Ok(()) => {
                    self.timeline.see_signal(wait.value);
                    return true;
                }
                Err(vk::Result::TIMEOUT) => {}
                Err(e) => {
                    self.note("vkWaitSemaphores", e);
                    return true;
                }
            }
        }
    }

    /// Names the batch in the log that completes when the timeline has `value`: its kernels may never end,
    /// which not every driver reports.
    fn report_long_execution(&self, value: u64) {
        let state = self.state.lock();
        if let Some(entry) = state.in_flight.iter().find(|entry| entry.value >= value) {
            let (commands, seconds) = (loss::names(&entry.items), LONG.as_secs());
            tracing::warn!("queue {} has been executing {commands} for {seconds} s", self.number);
        }
    }

    /// Waits until `submission` of `owner` has been reported, and reports what completes meanwhile.
    pub fn wait(&self, owner: &Owner, submission: Submission, deadline: Option<Instant>, spin: bool) -> bool {
        if owner.is_reported(submission) {
            return true;
        }
        self.state.lock().waiters += 1;
        let done = self.wait_and_reap(owner, submission, deadline, spin);
        let mut state = self.state.lock();
        state.waiters -= 1;
        self.wake_reaper(&state);
        if done {
            self.await_reaper(state);
        }
        done
    }

    /// Waits until the reaper does not submit. With the validation layer waits also until it has left a
    /// Vulkan wait whose value is already reached. The reaper is about to return, and drivers tolerate
    /// process exit meanwhile; but the static destructors of the layer free tables that the wait uses on its
    /// way out.
    fn await_reaper(&self, mut state: MutexGuard<'_, State>) {
        let validates = self.gpu.instance.validates;
        let waits = |state: &State| state.reaper_waits.is_some_and(|value| self.counter() >= value);
        while state.reaper_prepares || validates && waits(&state) {
            state.listeners += 1;
            self.reported.wait(&mut state);
            state.listeners -= 1;
        }
    }

    /// The reaper's work: waits for the next batch without a waiter and reports it.
    fn reap_next(&self) {
        let value = self.next_for_reaper();
        let sleeper = self.timeline.sleeper();
        let exact = if self.counter() >= value { Ok(true) } else { self.signal_for(value) };
        self.update_reaper(|state| state.reaper_prepares = false);
        match exact {
            Err(DeviceError::Lost) => self.gpu.set_lost(),
            exact => _ = self.wait_for_signal(&Wait::of_reaper(value), exact.unwrap_or(false)),
        }
        drop(sleeper);
        self.update_reaper(|state| state.reaper_waits = None);
        self.reap();
    }

    /// Changes what the reaper does.
    fn update_reaper(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state.lock();
        change(&mut state);
        if state.listeners > 0 {
            self.reported.notify_all();
        }
    }

    fn wait_and_reap(
        &self,
        owner: &Owner,
        submission: Submission,
        deadline: Option<Instant>,
        spin: bool,
    ) -> bool {
        loop {
            if owner.is_reported(submission) {
                return true;
            }
            let next = {
                let mut state = self.state.lock();
                if state.reaping {
                    // Another thread is reporting, perhaps our batch. It signals when it has reported or
                    // stops.
                    state.listeners += 1;
                    let timed_out = match deadline {
                        _ if owner.is_reported(submission) => false,
                        Some(d) => self.reported.wait_until(&mut state, d).timed_out(),
                        None => {
                            self.reported.wait(&mut state);
                            false
                        }
                    };
                    state.listeners -= 1;
                    if timed_out {
                        return owner.is_reported(submission);
                    }
                    continue;
                }
                state.in_flight.front().map(Entry::next_value)
            };
            match next {
                // Waits for earlier batches one by one, so that each is reported when it completes.
                Some(value) => {
                    if !self.wait_value(value, deadline, spin) {
                        return owner.is_reported(submission);
                    }
                    self.reap();
                }
                // Nothing is in flight: the batch was reported between the two checks, or never submitted.
                None => return owner.is_reported(submission),
            }
        }
    }

    /// Reports every batch whose value has been reached, unless another thread is doing so.
    pub fn reap(&self) {
        self.reap_until(|| false);
    }

    fn reap_until(&self, enough: impl Fn() -> bool) {
        let mut state = self.state.lock();
        if state.reaping {
            return;
        }
        state.reaping = true;
        while let Some(front) = state.in_flight.front().map(Entry::next_value) {
            if enough() || self.counter() < front {
                break;
            }
            if self.gpu.is_lost() && !self.loss_reported.load(Ordering::Acquire) {
                drop(state);
                self.report_loss(None);
                state = self.state.lock();
                continue;
            }
            if let Some(part) = state.in_flight.front_mut().and_then(|e| e.early_read_backs.pop_front()) {
                drop(state);
                if !self.gpu.is_lost() {
                    run_all(&part.read_backs);
                }
                state = self.state.lock();
                continue;
            }
            let Some(entry) = state.in_flight.pop_front() else { break };
            drop(state);
            let submission = entry.submission;
            entry.after.iter().for_each(|a| a.submit_queue.reap_through(&a.owner, a.submission));
            let owner = entry.complete(self.pools, self.timeline);
            state = self.state.lock();
            owner.marks.lock().pop_front();
            owner.completed.store(submission, Ordering::Release);
            if state.listeners > 0 {
                self.reported.notify_all();
            }
        }
        state.reaping = false;
        if state.listeners > 0 {
            self.reported.notify_all();
        }
        self.wake_reaper(&state);
    }

    /// Reaps until `submission` is reported, which the device has already completed. Reports nothing after
    /// it, because a later batch may have to wait for the batch that the caller is reporting.
    fn reap_through(&self, owner: &Owner, submission: Submission) {
        while !owner.is_reported(submission) {
            self.reap_until(|| owner.is_reported(submission));
            let mut state = self.state.lock();
            if state.reaping && !owner.is_reported(submission) {
                state.listeners += 1;
                self.reported.wait(&mut state);
                state.listeners -= 1;
            }
        }
    }

    fn wake_reaper(&self, state: &State) {
        if state.neglected().is_some() {
            self.reaper.unpark();
        }
    }

    /// For the reaper: sleeps until a batch is in flight that has no waiter, and returns its timeline value.
    /// Batches that a thread is about to wait for are left alone: waking the reaper and contending with it
    /// would cost that thread more than the whole round trip. So for a while the reaper only polls, which
    /// needs no wake-up, and for longer where signals are slow.
    fn next_for_reaper(&self) -> u64 {
        let patience = if self.timeline.always_signals() { Duration::ZERO } else { NAPS };
        let park = if self.gpu.adapter.is_cpu() { PARK_ON_CPU } else { PARK };
        let mut state = self.state.lock();
        let mut seen = None;
        let mut since = Instant::now();
        loop {
            let neglected = state.neglected();
            if seen != neglected {
                (seen, since) = (neglected, Instant::now());
                sleep_unlocked(&mut state, LINGER);
                continue;
            }
            let elapsed = since.elapsed();
            match neglected {
                Some(value) if elapsed >= patience || self.counter() >= value => {
                    state.reaper_waits = Some(value);
                    state.reaper_prepares = true;
                    return value;
                }
                None if elapsed >= park => {
                    self.reaper.park(&mut state, LINGER);
                    (seen, since) = (state.neglected(), Instant::now());
                }
                _ => sleep_unlocked(&mut state, slice(elapsed)),
            }
        }
    }
}

impl State {
    /// The next timeline value at which there is something to do, unless a thread waits or reports.
    fn neglected(&self) -> Option<u64> {
        let front = self.in_flight.front().map(Entry::next_value);
        front.filter(|_| self.waiters == 0 && !self.reaping)
    }
}

/// Sleeps without the lock.
fn sleep_unlocked(state: &mut MutexGuard<'_, State>, length: Duration) {
    MutexGuard::unlocked(state, || std::thread::sleep(length));
}

/// How long a thread sleeps that has slept for some time.
fn slice(slept: Duration) -> Duration {
    (slept / SLICE).clamp(SLICES.0, SLICES.1)
}

fn run_all(read_backs: &[ReadBack]) {
    for read_back in read_backs {
        // SAFETY: the device is done; the application keeps the destination valid until completion.
        unsafe { read_back.run() };
    }
}

impl Entry {
    /// The timeline value at which there is something to do.
    fn next_value(&self) -> u64 {
        self.early_read_backs.front().map_or(self.value, |p| p.value)
    }

    /// Makes the times of a queue's batches monotonic, whatever the clocks' granularity.
    fn put_times_in_order(&mut self) {
        let mut last = self.owner.last_end.load(Ordering::Relaxed);
        for times in &mut self.times {
            times.start = times.start.max(last);
            times.end = times.end.max(times.start);
            last = times.end;
        }
        self.owner.last_end.store(last, Ordering::Relaxed);
    }

    /// Reports printf output, which precedes completion.
    fn print(&mut self, pool: &PrintBuffers) {
        for print in self.prints.drain(..) {
            let text = print.text(&*self.owner.transfers);
            print.recycle(pool);
            if !text.is_empty() {
                self.owner.sink.print(&text);
            }
        }
    }

    /// Copies results to the host, recycles the batch's resources and reports to the sink. Returns the owner.
    fn complete(mut self, pools: &SubmitPools, timeline: &'static Timeline) -> Arc<Owner> {
        let gpu = pools.gpu;
        let mut outcome = if gpu.is_lost() { Outcome::Failed(OUT_OF_RESOURCES) } else { Outcome::Complete };
        let collect = AssertUnwindSafe(|| {
            if outcome == Outcome::Complete {
                run_all(&self.read_backs);
                self.print(&pools.programs.prints);
            }
            if let Some(queries) = self.queries.take().filter(|_| outcome == Outcome::Complete) {
                queries.read(&mut self.times);
            }
            self.put_times_in_order();
            for allocator in self.allocators.drain(..) {
                allocator.recycle(&pools.allocators, Some((timeline, self.value)));
            }
            if let Some(recording) = self.recording.take() {
                recording.note_executed(timeline, self.value);
            }
            self.items.clear();
        });
        // The commands must be reported even after a panic, or their waiters hang.
        if catch_unwind(collect).is_err() {
            tracing::error!("the end of a batch panicked");
            outcome = Outcome::Failed(OUT_OF_RESOURCES);
        }
        let tell = AssertUnwindSafe(|| self.owner.sink.done(&self.tickets, outcome, &self.times));
        if catch_unwind(tell).is_err() {
            tracing::error!("a completion sink panicked");
        }
        let Entry { owner, mut tickets, mut read_backs, allocators, mut times, items, .. } = self;
        tickets.clear();
        read_backs.clear();
        times.clear();
        owner.keep(Lists { tickets, read_backs, allocators, times }, items);
        owner
    }
}
