//! A lane: one VkQueue with its timeline semaphore and the batches in flight on it.
//!
//! Several device queues may share a lane. Each submission signals the next value of the lane's timeline, so values
//! complete in order, and batches are reported in that order, which is submission order for every device queue.
//!
//! Who reports: any thread that sees the timeline advance calls [`SubmitQueue::reap`]; `reaping` makes it one thread at a time,
//! and no lock is held while a sink is called. A thread in [`SubmitQueue::wait`] (a *helper*) waits on the semaphore and reaps
//! itself; the lane's reaper thread (`reaper`) stands back while there are helpers.
//!
//! A batch is reported after those of other lanes that it waited for: their results reach the host when they are
//! reported. This cannot go in a circle, since waits lead to earlier submissions and lanes report in order.
//!
//! Locks, in order of taking: `submit` (the VkQueue and the last value), then `state`. One timeline per VkQueue rather
//! than per device queue means no wait for *any* of several semaphores, which some drivers do by polling.

use super::super::batch::{BatchItem, CommandTicket, Outcome, Times};
use super::super::traits::{CompletionSink, DeviceError, DeviceResult, Submission};
use super::command_allocator::CommandAllocator;
use super::conv::VkResultExt;
use super::device::Gpu;
use super::print::LaunchPrint;
use super::profiling::Queries;
use super::reaper;
use super::record::{ReadBack, ReadBacks};
use ash::vk;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a waiting thread polls before it sleeps, on devices that are not the CPU itself.
const SPIN: Duration = Duration::from_millis(1);
/// The same on those that are, giving way to other threads.
const SPIN_ON_CPU: Duration = Duration::from_micros(100);
/// How long the reaper leaves a batch to threads that may come to wait for it, and looks for new ones before it parks.
const LINGER: Duration = Duration::from_micros(50);
const LINGER_ROUNDS: u32 = 40;
/// Commands that the lists of short and of long batches have room for, and lists of each kind that a queue keeps: many short
/// batches may be in flight, and few long ones.
const ROOM: [usize; 2] = [8, 64];
const MOST_SPARES: [usize; 2] = [1024, 128];
/// CL_OUT_OF_RESOURCES.
const OUT_OF_RESOURCES: i32 = -5;

/// A VkQueue.
pub struct SubmitQueue {
    pub gpu: &'static Gpu,
    /// The VkQueue and the last value submitted.
    submit: Mutex<(vk::Queue, u64)>,
    pub timeline: vk::Semaphore,
    state: Mutex<State>,
    /// Woken when something was reported or reaping has stopped.
    reported: Condvar,
    /// Wakes the reaper.
    work: Condvar,
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
    /// The value the reaper waits for in Vulkan.
    reaper_waits: Option<u64>,
}

/// A batch in flight.
pub struct Entry {
    /// Complete when the timeline has this value.
    pub value: u64,
    pub owner: Arc<Owner>,
    pub submission: Submission,
    /// Batches on other lanes that are to be reported before. Several batches may have one value, so values will not do.
    pub after: Vec<BatchDependency>,
    pub tickets: Vec<CommandTicket>,
    pub read_backs: Vec<ReadBack>,
    /// What can be taken to the host earlier.
    pub early_read_backs: VecDeque<EarlyReadBacks>,
    /// What kernels have printed.
    pub prints: Vec<LaunchPrint>,
    pub allocators: Vec<CommandAllocator>,
    pub queries: Option<Queries>,
    /// One entry a ticket on profiling queues; those of device commands are filled in from `queries`.
    pub times: Vec<Times>,
    /// Keeps memory and kernels alive.
    pub items: Vec<BatchItem>,
}

/// Read-backs that are due when the timeline has `value`.
pub struct EarlyReadBacks {
    pub value: u64,
    pub read_backs: ReadBacks,
}

/// A batch of a queue on another lane.
pub struct BatchDependency {
    pub submit_queue: &'static SubmitQueue,
    pub owner: Arc<Owner>,
    pub submission: Submission,
}

/// What is known of a device queue by those who complete its batches.
pub struct Owner {
    pub sink: Arc<dyn CompletionSink>,
    pub completed: AtomicU64,
    /// (submission, timeline value) of batches not yet reported.
    pub marks: Mutex<VecDeque<(Submission, u64)>>,
    /// End of the command reported last.
    last_end: AtomicU64,
    /// Empty lists of earlier batches, short and long ones.
    spares: Mutex<[Vec<Lists>; 2]>,
    spare_items: Mutex<[Vec<Vec<BatchItem>>; 2]>,
}

/// Lists of a batch, for their memory.
#[derive(Default)]
pub struct Lists {
    pub tickets: Vec<CommandTicket>,
    pub read_backs: Vec<ReadBack>,
    pub allocators: Vec<CommandAllocator>,
    pub times: Vec<Times>,
}

/// Whether lists of so many items are the short ones, 0, or the long ones, 1.
fn kind_of(count: usize) -> usize {
    usize::from(count > ROOM[0])
}

impl Owner {
    /// Of a new queue.
    pub fn new(sink: Arc<dyn CompletionSink>) -> Owner {
        Owner {
            sink,
            completed: AtomicU64::new(0),
            marks: Mutex::default(),
            last_end: AtomicU64::new(0),
            spares: Mutex::default(),
            spare_items: Mutex::default(),
        }
    }

    /// A list for so many items, if possible that of an earlier batch.
    pub fn spare_items(&self, count: usize) -> Vec<BatchItem> {
        let kind = kind_of(count);
        let spare = self.spare_items.lock()[kind].pop();
        spare.unwrap_or_else(|| Vec::with_capacity(count.max(ROOM[kind])))
    }

    /// The other lists of a batch of so many items.
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

    /// How many unreported batches come after `value` on the timeline.
    pub fn after(&self, value: u64) -> u64 {
        let marks = self.marks.lock();
        (marks.len() - marks.partition_point(|m| m.1 <= value)) as u64
    }

    /// Everything up to `submission` has been reported.
    pub fn is_reported(&self, submission: Submission) -> bool {
        self.completed.load(Ordering::Acquire) >= submission
    }
}

impl SubmitQueue {
    /// The lane of a VkQueue.
    pub fn new(gpu: &'static Gpu, queue: vk::Queue) -> DeviceResult<SubmitQueue> {
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        // SAFETY: the device is alive and has timeline semaphores.
        let timeline = unsafe { gpu.raw.create_semaphore(&info, None) }.during("vkCreateSemaphore")?;
        Ok(SubmitQueue {
            gpu,
            submit: Mutex::new((queue, 0)),
            timeline,
            state: Mutex::new(State::default()),
            reported: Condvar::new(),
            work: Condvar::new(),
        })
    }

    /// Submits a recorded command buffer (if any) after `waits`, signals what it is followed by, and notes the batch it completes (if any).
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
                }
                return Err((e, entry.map(Box::new)));
            }
            queue.1 = value;
            self.gpu.submissions.fetch_add(1, Ordering::AcqRel);
        }
        if let Some(mut entry) = entry {
            entry.value = value;
            entry.owner.marks.lock().push_back((entry.submission, value));
            let mut state = self.state.lock();
            state.in_flight.push_back(entry);
            if !state.reaper_started {
                state.reaper_started = reaper::start(self);
            }
            self.wake_reaper(&state);
        }
        drop(queue);
        self.gpu.reset_command_allocators();
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
        // SAFETY: the caller holds the queue's lock; the command buffer is recorded and kept until the value is reached.
        unsafe { (self.gpu.sync2.submit)(queue, 1, info.as_ptr(), vk::Fence::null()) }
            .result()
            .during("vkQueueSubmit2")
    }

    /// Nothing that was submitted is unfinished.
    pub fn is_idle(&self) -> bool {
        let last = self.submit.lock().1;
        self.counter() >= last
    }

    /// The timeline's value now; the highest number if the device is lost, so that everything counts as over.
    pub fn counter(&self) -> u64 {
        if self.gpu.is_lost() {
            return u64::MAX;
        }
        // SAFETY: the semaphore is alive.
        match unsafe { self.gpu.raw.get_semaphore_counter_value(self.timeline) } {
            Ok(value) => value,
            Err(e) => {
                self.note("vkGetSemaphoreCounterValue", e);
                u64::MAX
            }
        }
    }

    fn note(&self, what: &str, e: vk::Result) {
        tracing::error!("{what}: {e:?}");
        self.gpu.set_lost();
    }

    /// Waits until the timeline has `value`; false if `deadline` comes first.
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
            // SAFETY: the semaphore is alive for ever.
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

    /// Waits until `submission` of `owner` has been reported, reporting what completes meanwhile.
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

    /// Waits until the reaper has left the call in which it waits for what has come. It leaves it about now, and a driver
    /// does not mind if the process ends meanwhile; but the validation layer's static destructors take away the tables that
    /// it looks into on the way out.
    fn await_reaper(&self, mut state: MutexGuard<'_, State>) {
        while state.reaper_waits.is_some_and(|value| self.counter() >= value) {
            state.listeners += 1;
            self.reported.wait(&mut state);
            state.listeners -= 1;
        }
    }

    /// The reaper's wait is over.
    pub fn reaper_is_back(&self) {
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
                    // Another thread reports: it may be at our batch. It wakes us when it has reported or stops.
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
                // Earlier batches are waited for one by one, so that they are reported as they complete.
                Some(value) => {
                    if !self.wait_value(value, deadline, spin) {
                        return owner.is_reported(submission);
                    }
                    self.reap();
                }
                // Nothing in flight: the batch was reported between the two looks, or never submitted.
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
            entry.complete(self.gpu);
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

    /// Returns when a batch that the device is done with is reported. Reports nothing after it: that may have to wait for
    /// what the caller is reporting.
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

    /// For the reaper: sleeps until there is something in flight that nobody else takes care of; its value. Batches that
    /// somebody is about to wait for are left alone: waking this thread and taking turns with it would cost the waiting
    /// thread more than the whole round trip. So for a while this thread only looks now and then, which needs no wake-up.
    pub fn next_for_reaper(&self) -> u64 {
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

    /// Batches of a queue follow one another, whatever the clocks' granularity.
    fn put_times_in_order(&mut self) {
        let mut last = self.owner.last_end.load(Ordering::Relaxed);
        for times in &mut self.times {
            times.start = times.start.max(last);
            times.end = times.end.max(times.start);
            last = times.end;
        }
        self.owner.last_end.store(last, Ordering::Relaxed);
    }

    /// Hands on what kernels have printed, before their completion is known.
    fn print(&mut self, gpu: &'static Gpu) {
        for print in self.prints.drain(..) {
            let text = print.text(gpu);
            print.recycle(gpu);
            if !text.is_empty() {
                self.owner.sink.print(&text);
            }
        }
    }

    /// Takes results to the host, recycles what was used, and tells the sink.
    fn complete(mut self, gpu: &'static Gpu) {
        let mut outcome = if gpu.is_lost() { Outcome::Failed(OUT_OF_RESOURCES) } else { Outcome::Complete };
        let collect = AssertUnwindSafe(|| {
            if outcome == Outcome::Complete {
                run_all(&self.read_backs);
                self.print(gpu);
            }
            if let Some(queries) = self.queries.take() {
                queries.finish(gpu, outcome == Outcome::Complete, &mut self.times);
            }
            self.put_times_in_order();
            for allocator in self.allocators.drain(..) {
                allocator.recycle(gpu);
            }
            self.items.clear();
        });
        // Whatever happens here, the commands must be reported, or their waiters hang.
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
