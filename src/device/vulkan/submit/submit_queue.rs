//! A submit queue: one VkQueue with its timeline semaphore and the batches in flight on it.
//!
//! Several device queues may share a submit queue. Each submission signals the next value of its timeline, so
//! values complete in order. Batches are reported in that order, which is submission order for every device
//! queue.
//!
//! Any thread that sees the timeline advance reports completions by [`SubmitQueue::reap`]. `reaping` admits
//! one thread at a time, and no lock is held while a sink is called. A thread in [`SubmitQueue::wait`] (a
//! *waiter*) waits on the semaphore and reaps itself; the reaper thread (`reaper`) stays idle while there are
//! waiters.
//!
//! A batch is reported after the batches of other submit queues that it waited for: their results reach the
//! host when they are reported. This cannot deadlock, since waits refer to earlier submissions and each
//! submit queue reports in order.
//!
//! Lock order: `submit` (the VkQueue and the last value), then `state`. With one timeline per VkQueue rather
//! than per device queue, no thread waits for *any* of several semaphores, which some drivers implement by
//! polling.

use super::command_allocator::CommandAllocator;
use super::loss::{self, LostBatch};
use super::pools::SubmitPools;
use super::profiling::Queries;
use super::reaper;
use super::record::{ReadBack, ReadBacks};
use crate::device::batch::{BatchItem, CommandTicket, Outcome, Times};
use crate::device::traits::{CompletionSink, DeviceError, DeviceResult, Submission};
use crate::device::vulkan::core::conv::VkResultExt;
use crate::device::vulkan::core::gpu::Gpu;
use crate::device::vulkan::program::print::{PrintBuffers, Transfers, VulkanPrintBuffer};
use ash::vk;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a waiting thread polls before it sleeps, on devices other than the CPU.
const SPIN: Duration = Duration::from_millis(1);
/// Like [`SPIN`], on CPU devices, where the polling thread yields.
const SPIN_ON_CPU: Duration = Duration::from_micros(100);
/// How long the reaper leaves a batch to threads that may be about to wait for it, and how often it checks
/// for new batches before it parks.
const LINGER: Duration = Duration::from_micros(50);
const LINGER_ROUNDS: u32 = 40;
/// Capacities of the lists of short and of long batches, and how many spare lists of each size class a queue
/// keeps: many short batches may be in flight, but few long ones.
const ROOM: [usize; 2] = [8, 64];
const MOST_SPARES: [usize; 2] = [1024, 128];
/// CL_OUT_OF_RESOURCES.
const OUT_OF_RESOURCES: i32 = -5;

/// A VkQueue with its timeline semaphore.
pub struct SubmitQueue {
    gpu: &'static Gpu,
    pools: &'static SubmitPools,
    /// Position among the device's VkQueues.
    number: usize,
    /// The VkQueue and the last value submitted.
    submit: Mutex<(vk::Queue, u64)>,
    pub timeline: vk::Semaphore,
    state: Mutex<State>,
    /// Signalled when batches were reported or reaping stopped.
    reported: Condvar,
    /// Wakes the reaper.
    work: Condvar,
    /// The newest value that the timeline was seen to have.
    reached: AtomicU64,
    /// The loss of the device was reported.
    loss_reported: AtomicBool,
}

#[derive(Default)]
struct State {
    in_flight: VecDeque<Entry>,
    reaping: bool,
    waiters: usize,
    /// Threads waiting on `reported`.
    listeners: usize,
    reaper_started: bool,
    reaper_parked: bool,
    /// The timeline value that the reaper waits for in Vulkan.
    reaper_waits: Option<u64>,
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
    pub queries: Option<Queries>,
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
    /// (submission, timeline value) of unreported batches.
    pub marks: Mutex<VecDeque<(Submission, u64)>>,
    /// End time of the command reported last.
    last_end: AtomicU64,
    /// Recycled lists of earlier batches, by size class.
    spares: Mutex<[Vec<Lists>; 2]>,
    spare_items: Mutex<[Vec<Vec<BatchItem>>; 2]>,
}

/// Lists of a batch, recycled for their memory.
#[derive(Default)]
pub struct Lists {
    pub tickets: Vec<CommandTicket>,
    pub read_backs: Vec<ReadBack>,
    pub allocators: Vec<CommandAllocator>,
    pub times: Vec<Times>,
}

/// Size class of a list for `count` items: 0 is short, 1 is long.
fn kind_of(count: usize) -> usize {
    usize::from(count > ROOM[0])
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
            spares: Mutex::default(),
            spare_items: Mutex::default(),
        }
    }

    /// A list for `count` items, recycled if possible.
    pub fn spare_items(&self, count: usize) -> Vec<BatchItem> {
        let kind = kind_of(count);
        let spare = self.spare_items.lock()[kind].pop();
        spare.unwrap_or_else(|| Vec::with_capacity(count.max(ROOM[kind])))
    }

    /// The other lists of a batch of `count` items, recycled if possible.
    pub fn spare_lists(&self, count: usize) -> Lists {
        let kind = kind_of(count);
        let spare = self.spares.lock()[kind].pop();
        spare.unwrap_or_else(|| Lists {
            tickets: Vec::with_capacity(count.max(ROOM[kind])),
            ..Lists::default()
        })
    }

    fn keep(&self, lists: Lists, items: Vec<BatchItem>) {
        let kind = kind_of(lists.tickets.capacity());
        let spares = &mut self.spares.lock()[kind];
        if spares.len() < MOST_SPARES[kind] {
            spares.push(lists);
        }
        let kind = kind_of(items.capacity());
        let spares = &mut self.spare_items.lock()[kind];
        if spares.len() < MOST_SPARES[kind] {
            spares.push(items);
        }
    }

    /// The timeline value of a submission; `None` once it has been reported.
    pub fn value_of(&self, submission: Submission) -> Option<u64> {
        let marks = self.marks.lock();
        let at = marks.binary_search_by_key(&submission, |m| m.0).ok()?;
        marks.get(at).map(|m| m.1)
    }

    /// Number of unreported batches after `value` on the timeline.
    pub fn after(&self, value: u64) -> u64 {
        let marks = self.marks.lock();
        (marks.len() - marks.partition_point(|m| m.1 <= value)) as u64
    }

    /// Whether everything up to `submission` has been reported.
    pub fn is_reported(&self, submission: Submission) -> bool {
        self.completed.load(Ordering::Acquire) >= submission
    }
}

impl SubmitQueue {
    /// Wraps a VkQueue.
    pub fn new(pools: &'static SubmitPools, queue: vk::Queue, number: usize) -> DeviceResult<SubmitQueue> {
        let gpu = pools.gpu;
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        // SAFETY: the device is alive and has timeline semaphores.
        let timeline = unsafe { gpu.raw.create_semaphore(&info, None) }.during("vkCreateSemaphore")?;
        Ok(SubmitQueue {
            gpu,
            pools,
            number,
            submit: Mutex::new((queue, 0)),
            timeline,
            state: Mutex::new(State::default()),
            reported: Condvar::new(),
            work: Condvar::new(),
            reached: AtomicU64::new(0),
            loss_reported: AtomicBool::new(false),
        })
    }

    /// Submits a recorded command buffer (if any) after `waits`, signals its timeline value and `signals`,
    /// and enqueues the batch that it completes (if any).
    pub fn submit(
        &'static self,
        cmd: Option<vk::CommandBuffer>,
        waits: &[(vk::Semaphore, u64)],
        signals: &[vk::Semaphore],
        entry: Option<Entry>,
    ) -> std::result::Result<u64, (DeviceError, Option<Box<Entry>>)> {
        let mut queue = self.submit.lock();
        let mut value = queue.1;
        if cmd.is_some() || !waits.is_empty() || !signals.is_empty() {
            value += 1;
            if let Err(e) = self.submit_to_queue(queue.0, cmd, waits, signals, value) {
                if matches!(e, DeviceError::Lost) {
                    self.gpu.set_lost();
                    drop(queue);
                    self.report_loss(entry.as_ref());
                }
                return Err((e, entry.map(Box::new)));
            }
            queue.1 = value;
            self.pools.submissions.fetch_add(1, Ordering::AcqRel);
        }
        if let Some(mut entry) = entry {
            entry.value = value;
            entry.owner.marks.lock().push_back((entry.submission, value));
            let mut state = self.state.lock();
            state.in_flight.push_back(entry);
            if !state.reaper_started {
                state.reaper_started = reaper::start(move || self.reap_next());
            }
            self.wake_reaper(&state);
        }
        drop(queue);
        self.pools.allocators.reset();
        Ok(value)
    }

    fn submit_to_queue(
        &self,
        queue: vk::Queue,
        cmd: Option<vk::CommandBuffer>,
        waits: &[(vk::Semaphore, u64)],
        signals: &[vk::Semaphore],
        value: u64,
    ) -> DeviceResult<()> {
        let all = vk::PipelineStageFlags2::ALL_COMMANDS;
        let point = |&(s, v): &(vk::Semaphore, u64)| {
            vk::SemaphoreSubmitInfo::default().semaphore(s).value(v).stage_mask(all)
        };
        let waits: smallvec::SmallVec<[_; 4]> = waits.iter().map(point).collect();
        let own = std::iter::once((self.timeline, value)).chain(signals.iter().map(|s| (*s, 0)));
        let signals: smallvec::SmallVec<[_; 2]> = own.map(|s| point(&s)).collect();
        let commands = [vk::CommandBufferSubmitInfo::default().command_buffer(cmd.unwrap_or_default())];
        let info = [vk::SubmitInfo2::default()
            .wait_semaphore_infos(&waits)
            .signal_semaphore_infos(&signals)
            .command_buffer_infos(if cmd.is_some() { &commands } else { &[] })];
        // SAFETY: the caller holds the queue's lock; the command buffer is recorded and kept until the value
        // is reached.
        unsafe { (self.gpu.sync2.submit)(queue, 1, info.as_ptr(), vk::Fence::null()) }
            .result()
            .during("vkQueueSubmit2")
    }

    /// Whether everything submitted is complete.
    pub fn is_idle(&self) -> bool {
        let last = self.submit.lock().1;
        self.counter() >= last
    }

    /// The timeline's current value. If the device is lost, the largest value, so that everything counts as
    /// complete.
    pub fn counter(&self) -> u64 {
        if self.gpu.is_lost() {
            return u64::MAX;
        }
        // SAFETY: the semaphore is alive.
        match unsafe { self.gpu.raw.get_semaphore_counter_value(self.timeline) } {
            Ok(value) => {
                self.reached.fetch_max(value, Ordering::Relaxed);
                value
            }
            Err(e) => {
                self.note("vkGetSemaphoreCounterValue", e);
                u64::MAX
            }
        }
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
        let queue = self.submit.lock().0;
        let state = self.state.lock();
        let reached = self.reached.load(Ordering::Relaxed);
        let at = state.in_flight.iter().position(|entry| entry.value > reached);
        let executing = at.and_then(|at| state.in_flight.get(at));
        let later = at.map(|at| state.in_flight.len() - at - 1);
        let entry = executing.or(unsubmitted);
        let batch = entry.map(|e| LostBatch { items: &e.items, checkpoint: e.checkpoint, later });
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
        if spin {
            let (start, cpu) = (Instant::now(), self.gpu.adapter.is_cpu());
            while start.elapsed() < if cpu { SPIN_ON_CPU } else { SPIN } {
                // The work itself may need this core.
                if cpu {
                    std::thread::yield_now()
                } else {
                    std::hint::spin_loop()
                }
                if self.counter() >= value {
                    return true;
                }
            }
        }
        let (semaphores, values) = ([self.timeline], [value]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        loop {
            let timeout = match deadline {
                Some(d) => d.saturating_duration_since(Instant::now()).as_nanos().min(1 << 62) as u64,
                None => u64::MAX,
            };
            // SAFETY: the semaphore is never destroyed.
            match unsafe { self.gpu.raw.wait_semaphores(&info, timeout) } {
                Ok(()) => return true,
                Err(vk::Result::TIMEOUT) if deadline.is_some() => return false,
                Err(vk::Result::TIMEOUT) => {}
                Err(e) => {
                    self.note("vkWaitSemaphores", e);
                    return true;
                }
            }
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
        if done && self.gpu.instance.validates {
            self.await_reaper(state);
        }
        done
    }

    /// Waits until the reaper has left a Vulkan wait whose value is already reached. The reaper is about to
    /// return, and drivers tolerate process exit meanwhile; but the static destructors of the validation
    /// layer free tables that the wait uses on its way out.
    fn await_reaper(&self, mut state: MutexGuard<'_, State>) {
        while state.reaper_waits.is_some_and(|value| self.counter() >= value) {
            state.listeners += 1;
            self.reported.wait(&mut state);
            state.listeners -= 1;
        }
    }

    /// The reaper's work: waits for the next batch without a waiter and reports it.
    fn reap_next(&self) {
        let value = self.next_for_reaper();
        self.wait_value(value, None, false);
        self.reaper_is_back();
        self.reap();
    }

    /// The reaper has returned from its Vulkan wait.
    fn reaper_is_back(&self) {
        let mut state = self.state.lock();
        state.reaper_waits = None;
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
            let (owner, submission) = (entry.owner.clone(), entry.submission);
            entry.after.iter().for_each(|a| a.submit_queue.reap_through(&a.owner, a.submission));
            entry.complete(self.pools);
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
        if state.waiters == 0 && state.reaper_parked && !state.in_flight.is_empty() {
            self.work.notify_one();
        }
    }

    /// For the reaper: sleeps until a batch is in flight that has no waiter, and returns its timeline value.
    /// Batches that a thread is about to wait for are left alone: waking the reaper and contending with it
    /// would cost that thread more than the whole round trip. So for a while the reaper only polls, which
    /// needs no wake-up.
    fn next_for_reaper(&self) -> u64 {
        let mut state = self.state.lock();
        let mut seen = None;
        let mut idle = 0;
        loop {
            let front = state.in_flight.front().map(Entry::next_value);
            let neglected = front.filter(|_| state.waiters == 0 && !state.reaping);
            match neglected {
                Some(value) if seen == Some(value) => {
                    state.reaper_waits = Some(value);
                    return value;
                }
                None if idle >= LINGER_ROUNDS => {
                    state.reaper_parked = true;
                    self.work.wait(&mut state);
                    state.reaper_parked = false;
                    idle = 0;
                }
                _ => {
                    seen = neglected;
                    idle = if neglected.is_some() { 0 } else { idle + 1 };
                    self.work.wait_for(&mut state, LINGER);
                }
            }
        }
    }
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

    /// Copies results to the host, recycles the batch's resources and reports to the sink.
    fn complete(mut self, pools: &SubmitPools) {
        let gpu = pools.gpu;
        let mut outcome = if gpu.is_lost() { Outcome::Failed(OUT_OF_RESOURCES) } else { Outcome::Complete };
        let collect = AssertUnwindSafe(|| {
            if outcome == Outcome::Complete {
                run_all(&self.read_backs);
                self.print(&pools.programs.prints);
            }
            if let Some(queries) = self.queries.take() {
                queries.finish(gpu, &pools.queries, outcome == Outcome::Complete, &mut self.times);
            }
            self.put_times_in_order();
            for allocator in self.allocators.drain(..) {
                allocator.recycle(&pools.allocators);
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
    }
}
