//! Device queues: a batch becomes one command buffer and one vkQueueSubmit2.
//!
//! Exceptions: large transfers are cut into pieces that are submitted while the next piece is staged; and
//! transfers to or from mapped memory are done by the host itself when everything they must follow is already
//! complete.

use super::by_host::HostTransfer;
use super::command_allocator::CommandAllocator;
use super::events::SharedEvent;
use super::hazard::Before;
use super::list::prints;
use super::loss;
use super::one_shot;
use super::profiling::Queries;
use super::queues::Queues;
use super::recent_launches::RecentLaunches;
use super::record::{EndedRecording, ReadBack, ReadBacks, Recorder};
use super::repeats::{Found, Recording, Repeats};
use super::submit_queue::{BatchDependency, EarlyReadBacks, Entry, Lists, Owner, SubmitInfo, SubmitQueue};
use super::timeline::Timeline;
use super::transfer::{IN_FLIGHT, Transfer};
use crate::device::batch::{Batch, BatchItem, CommandTicket, DeviceCommand, Times, Wait};
use crate::device::traits::{
    CompletionSink, DeviceError, DeviceQueue, DeviceResult, DeviceSemaphore, Priority, QueueDesc, Submission,
};
use crate::device::vulkan::core::gpu::Gpu;
use crate::device::vulkan::memory::external::VulkanSemaphore;
use crate::device::vulkan::program::print::VulkanPrintBuffer;
use ash::vk;
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::any::Any;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Transfers above this size are streamed in pieces, so that the device moves one while the host moves
/// another.
const STREAM: u64 = 1 << 20;

/// See [`VulkanQueue::place_apart`].
const STRANGERS: u32 = 4;

/// A queue of one device.
pub struct VulkanQueue {
    gpu: &'static Gpu,
    queues: &'static Queues,
    /// See [`VulkanQueue::submit_queue`]; changes only under `order`, while every batch has been reported.
    submit_queue: AtomicPtr<SubmitQueue>,
    priority: Priority,
    profiling: bool,
    /// Commands may overlap with commands of earlier batches.
    out_of_order: bool,
    /// Waiting threads do not poll.
    saving: bool,
    /// Bytes of printf output per launch.
    print_bytes: u64,
    owner: Arc<Owner>,
    /// Held while a batch is recorded and submitted, to keep batches in order.
    order: Mutex<Last>,
    submitted: AtomicU64,
    /// Submissions of this queue among those on all submit queues, and the number of other queues'
    /// submissions when this queue last began a command buffer with a barrier.
    own_submissions: AtomicU64,
    others_seen: AtomicU64,
    /// The newest command buffer may end with a barrier for compute work only.
    narrow_end: AtomicBool,
}

/// The newest batch.
#[derive(Default)]
struct Last {
    submission: Submission,
    value: u64,
    /// Batches in a row that did not wait for the work of other queues on the same submit queue.
    strangers: u32,
    repeats: Repeats,
    launches: RecentLaunches,
}

impl VulkanQueue {
    /// Creates a queue on the next submit queue.
    pub fn new(
        queues: &'static Queues,
        desc: &QueueDesc,
        sink: Arc<dyn CompletionSink>,
    ) -> DeviceResult<VulkanQueue> {
        let priority = queues.pools.gpu.adapter.priority(desc.priority);
        Ok(VulkanQueue {
            gpu: queues.pools.gpu,
            queues,
            submit_queue: AtomicPtr::new(std::ptr::from_ref(queues.of_priority(priority)?).cast_mut()),
            priority,
            saving: desc.saving,
            profiling: desc.profiling,
            out_of_order: desc.out_of_order,
            print_bytes: desc.print_bytes,
            owner: Arc::new(Owner::new(sink, Box::new(move |command| one_shot::transfer(queues, command)))),
            order: Mutex::new(Last::default()),
            submitted: AtomicU64::new(0),
            own_submissions: AtomicU64::new(0),
            others_seen: AtomicU64::new(0),
            narrow_end: AtomicBool::new(true),
        })
    }

    /// The submit queue of the next batch, and of those that are not reported yet.
    fn submit_queue(&self) -> &'static SubmitQueue {
        // SAFETY: submit queues are never freed, and the pointer comes from a reference.
        unsafe { &*self.submit_queue.load(Ordering::Acquire) }
    }

    /// Moves to the best submit queue for the next batch, if everything before it has been reported: to that
    /// of a queue that the batch waits for, where barriers order the two, which cost far less than
    /// semaphores; or apart from queues that it does not wait for.
    fn place(&self, waits: &[Wait], last: &mut Last) {
        if !self.owner.is_reported(last.submission) {
            return;
        }
        let is_own = |other: &SubmitQueue| std::ptr::eq(self.submit_queue(), other);
        let in_flight = |(q, submission): (&VulkanQueue, _)| q.owner.value_of(submission);
        let stays = self.peers(waits).filter_map(in_flight).any(|(place, _)| is_own(place));
        let other = self.peers(waits).map(|(q, _)| q.submit_queue()).find(|place| !is_own(place));
        match other {
            _ if stays => last.strangers = 0,
            Some(place) => self.move_to(place, last),
            None => self.place_apart(last),
        }
    }

    /// Queues of the same priority among those that a batch waits for, with the submissions.
    fn peers<'a>(&'a self, waits: &'a [Wait]) -> impl Iterator<Item = (&'a VulkanQueue, Submission)> {
        let queues = waits.iter().filter_map(|w| Some((w.queue.as_any().downcast_ref()?, w.submission)));
        queues
            .filter(|(q, _): &(&VulkanQueue, _)| std::ptr::eq(q.gpu, self.gpu) && q.priority == self.priority)
    }

    /// Moves to an idle submit queue, after some batches that waited for nothing on the own one although it
    /// had work of other queues: with that they may overlap.
    fn place_apart(&self, last: &mut Last) {
        if self.priority != Priority::Medium || self.others() == 0 || self.submit_queue().is_idle() {
            return;
        }
        last.strangers += 1;
        if last.strangers >= STRANGERS
            && let Some(place) = self.queues.idle_medium()
        {
            self.move_to(place, last);
        }
    }

    fn move_to(&self, place: &'static SubmitQueue, last: &mut Last) {
        self.submit_queue.store(std::ptr::from_ref(place).cast_mut(), Ordering::Release);
        self.others_seen.store(u64::MAX, Ordering::Relaxed);
        (last.value, last.strangers) = (0, 0);
    }

    /// Semaphore waits of a batch. Waits on the same submit queue are implied by submission order and the
    /// barrier at the beginning of a command buffer; waits that are already complete need nothing.
    fn waits(&self, waits: &[Wait]) -> DeviceResult<SmallVec<[(&'static SubmitQueue, u64); 4]>> {
        let mut list: SmallVec<[(&'static SubmitQueue, u64); 4]> = SmallVec::new();
        for wait in waits {
            let other =
                wait.queue.as_any().downcast_ref::<VulkanQueue>().filter(|q| std::ptr::eq(q.gpu, self.gpu));
            let other =
                other.ok_or_else(|| DeviceError::Unexpected("wait on a queue of another device".into()))?;
            if let Some((submit_queue, value)) = other.owner.value_of(wait.submission) {
                match list.iter_mut().find(|(known, _)| std::ptr::eq(*known, submit_queue)) {
                    Some(known) => known.1 = known.1.max(value),
                    None => list.push((submit_queue, value)),
                }
            }
        }
        Ok(list)
    }
}

impl VulkanQueue {
    /// Number of submissions of other queues.
    fn others(&self) -> u64 {
        let all = self.queues.pools.submissions.load(Ordering::Acquire);
        all.wrapping_sub(self.own_submissions.load(Ordering::Relaxed))
    }

    /// Counts submissions of this queue. The caller holds the lock of `order`.
    fn note_own_submissions(&self, count: u64) {
        let known = self.own_submissions.load(Ordering::Relaxed);
        self.own_submissions.store(known + count, Ordering::Relaxed);
    }

    /// Whether the next command buffer begins with a barrier: if work of other queues, which the host may
    /// have waited for, is not yet visible to this submit queue, or if the last one ended without a
    /// barrier.
    fn needs_fence(&self) -> bool {
        let ends_open = !self.out_of_order && self.submit_queue().timeline.has_events();
        ends_open || self.others_seen.load(Ordering::Relaxed) != self.others()
    }

    /// Looks for a recording of the same commands. There is none for queues whose command buffers differ each
    /// time, by checkpoints or the barriers between overlapping commands.
    fn find_recording(&self, repeats: &mut Repeats, items: &[BatchItem]) -> Found {
        if self.out_of_order || self.gpu.checkpoints.is_some() {
            return Found::New;
        }
        let found = repeats.find(self.gpu, items, self.needs_fence());
        if matches!(found, Found::Recording(_)) {
            self.others_seen.store(self.others(), Ordering::Relaxed);
        }
        found
    }

    /// Batches that must be reported before a batch with these waits. Batches of the same submit queue are
    /// reported in order anyway.
    fn after(&self, waits: &[Wait]) -> Vec<BatchDependency> {
        let others = waits
            .iter()
            .filter_map(|w| Some((w.queue.as_any().downcast_ref::<VulkanQueue>()?, w.submission)));
        let unreported = |q: &VulkanQueue, submission| {
            !std::ptr::eq(q.submit_queue(), self.submit_queue()) && !q.owner.is_reported(submission)
        };
        let needed = others.filter(|(q, submission)| unreported(q, *submission));
        needed
            .map(|(q, submission)| BatchDependency {
                submit_queue: q.submit_queue(),
                owner: q.owner.clone(),
                submission,
            })
            .collect()
    }
}

impl DeviceQueue for VulkanQueue {
    fn items(&self, count: usize) -> Vec<BatchItem> {
        self.owner.spare_items(count)
    }

    fn submit(&self, batch: Batch) -> DeviceResult<Submission> {
        self.gpu.check_usable()?;
        let last = &mut *self.order.lock();
        self.place(&batch.waits, last);
        let waits = self.waits(&batch.waits)?;
        let Lists { tickets, read_backs, allocators, mut times } = self.owner.spare_lists(batch.items.len());
        if self.profiling {
            times.resize(batch.items.len(), Times::default());
        }
        let mut build = Build {
            queue: self,
            own: last.value,
            after: self.after(&batch.waits),
            waits,
            foreign: SmallVec::new(),
            signals: SmallVec::new(),
            recorder: None,
            launches: &mut last.launches,
            allocators,
            prints: Vec::new(),
            read_backs,
            tickets,
            early_read_backs: VecDeque::new(),
            queries: None,
            times,
            value: 0,
            fresh: false,
            recording: None,
            keep: false,
            spare: None,
            fenced: false,
            checkpoint: loss::reserve_checkpoints(self.gpu, batch.items.len()),
        };
        match self.find_recording(&mut last.repeats, &batch.items) {
            Found::Recording(recording) => {
                build.read_backs.extend(recording.read_backs(&batch.items));
                build.queries = recording.queries();
                build.recording = Some(recording);
            }
            Found::Again(spare) => {
                build = build.record(&batch.items)?;
                (build.keep, build.spare) = (true, spare);
            }
            Found::New => build = build.record(&batch.items)?,
        }
        let submission = last.submission + 1;
        let (value, recording) = build.finish(batch.items, submission)?;
        (last.submission, last.value) = (submission, value);
        if let Some(recording) = recording {
            last.repeats.keep(recording);
        }
        self.submitted.store(submission, Ordering::Release);
        Ok(submission)
    }

    fn reads_sources(&self) -> bool {
        true
    }

    fn completed(&self) -> Submission {
        self.owner.completed.load(Ordering::Acquire)
    }

    fn unfinished(&self) -> Option<u64> {
        Some(self.owner.after(self.submit_queue().counter()))
    }

    fn wait(&self, submission: Submission, timeout: Option<Duration>) -> DeviceResult<bool> {
        if self.owner.is_reported(submission) {
            return Ok(true);
        }
        match self.gpu.check_usable() {
            // Work in flight on a lost device is reported as failed.
            Ok(()) | Err(DeviceError::Lost) => {}
            Err(e) => return Err(e),
        }
        if submission > self.submitted.load(Ordering::Acquire) {
            return Err(DeviceError::Unexpected("wait for a batch that was not submitted".into()));
        }
        let deadline = timeout.and_then(|t| Instant::now().checked_add(t));
        Ok(self.submit_queue().wait(&self.owner, submission, deadline, !self.saving))
    }

    fn wait_asleep(&self, submission: Submission) -> DeviceResult<()> {
        if submission > self.submitted.load(Ordering::Acquire) {
            return Err(DeviceError::Unexpected("wait for a batch that was not submitted".into()));
        }
        self.submit_queue().wait(&self.owner, submission, None, false);
        Ok(())
    }

    fn can_wait_on(&self, other: &dyn DeviceQueue) -> bool {
        other.as_any().downcast_ref::<VulkanQueue>().is_some_and(|q| std::ptr::eq(q.gpu, self.gpu))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A batch being recorded and submitted.
struct Build<'a> {
    queue: &'a VulkanQueue,
    /// Timeline value of the queue's previous batch.
    own: u64,
    /// Batches that must be reported before this one.
    after: Vec<BatchDependency>,
    /// Waits that are not submitted yet.
    waits: SmallVec<[(&'static SubmitQueue, u64); 4]>,
    /// The application's semaphores to wait for and to signal in the next submission.
    foreign: SmallVec<[vk::Semaphore; 1]>,
    signals: SmallVec<[vk::Semaphore; 1]>,
    recorder: Option<Recorder>,
    /// The queue's recent launches, while nothing is recording.
    launches: &'a mut RecentLaunches,
    allocators: Vec<CommandAllocator>,
    prints: Vec<VulkanPrintBuffer>,
    read_backs: Vec<ReadBack>,
    tickets: Vec<CommandTicket>,
    early_read_backs: VecDeque<EarlyReadBacks>,
    queries: Option<Arc<Queries>>,
    times: Vec<Times>,
    /// Timeline value of the last submitted part; 0 if none.
    value: u64,
    /// The recorder's command buffer is still empty.
    fresh: bool,
    /// An earlier recording of the batch; nothing is recorded then.
    recording: Option<Arc<Recording>>,
    /// The recording is kept for later batches, if it is one command buffer of compute work.
    keep: bool,
    /// See [`Recording::in_place_of`].
    spare: Option<Arc<Recording>>,
    /// The command buffer begins with a barrier for the work of other queues.
    fenced: bool,
    /// The first checkpoint of the items.
    checkpoint: u64,
}

/// The last submission of a batch.
struct LastSubmission {
    cmd: Option<vk::CommandBuffer>,
    event: Option<SharedEvent>,
    /// It ends with a barrier for compute work only.
    narrow: bool,
    waits: Waits,
}

/// Semaphores that a submission waits for, with values.
type Waits = SmallVec<[(vk::Semaphore, u64); 4]>;

/// The semaphore's Vulkan object.
fn semaphore(semaphore: &Arc<dyn DeviceSemaphore>) -> DeviceResult<vk::Semaphore> {
    let own = semaphore.as_any().downcast_ref::<VulkanSemaphore>();
    own.map(|s| s.raw).ok_or_else(|| DeviceError::Unexpected("semaphore of another kind of device".into()))
}

impl Build<'_> {
    fn gpu(&self) -> &'static Gpu {
        self.queue.gpu
    }

    /// Records the commands.
    fn record(mut self, items: &[BatchItem]) -> DeviceResult<Self> {
        for (i, item) in items.iter().enumerate() {
            if let Err(e) = self.item(i, item, items) {
                self.abandon();
                return Err(e);
            }
        }
        Ok(self)
    }

    /// Whether everything before the next command is complete.
    fn caught_up(&self) -> bool {
        self.recorder.is_none()
            && self.foreign.is_empty()
            && self.queue.submit_queue().counter() >= self.own.max(self.value)
            && self.waits.iter().all(|(submit_queue, value)| submit_queue.counter() >= *value)
    }

    fn item(&mut self, index: usize, item: &BatchItem, items: &[BatchItem]) -> DeviceResult<()> {
        let gpu = self.gpu();
        // Commands after a signal are not part of what it signals, and commands before a wait do not wait.
        if !self.signals.is_empty()
            || self.recorder.is_some() && matches!(item.command, DeviceCommand::Wait(_))
        {
            self.cut_and_keep()?;
        }
        if let DeviceCommand::Wait(list) = &item.command {
            list.iter().try_for_each(|s| semaphore(s).map(|s| self.foreign.push(s)))?;
        }
        if let Some(transfer) = HostTransfer::of(&item.command)? {
            if transfer.is_patient() && !self.caught_up() {
                self.catch_up()?;
            }
            if self.caught_up() && !gpu.is_lost() {
                return self.by_host(index, &transfer);
            }
        }
        let stamps = self.queue.profiling && gpu.clock.has_timestamps();
        let nothing =
            matches!(item.command, DeviceCommand::Nop | DeviceCommand::Wait(_) | DeviceCommand::Signal(_));
        if nothing && !stamps {
            return self.note_signals(item);
        }
        self.open(stamps, items.len())?;
        let first = self.fresh;
        self.stamp(|queries, cmd| queries.start(cmd, index, first));
        if let Some(recorder) = &self.recorder {
            loss::checkpoint(gpu, recorder.allocator.cmd, self.checkpoint + index as u64);
        }
        match Transfer::of(&item.command).filter(|t| t.bytes() > STREAM) {
            Some(t) => self.stream(&t)?,
            None => {
                if let Some(recorder) = &mut self.recorder {
                    if prints(&item.command) > 0 && !recorder.has_prints() {
                        recorder.room =
                            (items[index..].iter().map(|i| prints(&i.command)).sum(), self.queue.print_bytes);
                    }
                    // Times of overlapping items would be meaningless.
                    recorder.command(&item.command, item.ordered || stamps)?;
                }
            }
        }
        self.fresh = false;
        self.stamp(Queries::stop);
        self.note_signals(item)
    }

    /// Records a timestamp of an item, if the batch has timestamps.
    fn stamp(&mut self, record: impl FnOnce(&mut Queries, vk::CommandBuffer)) {
        if let Some(recorder) = &self.recorder
            && let Some(queries) = self.queries.as_mut().and_then(Arc::get_mut)
        {
            record(queries, recorder.allocator.cmd);
        }
    }

    fn note_signals(&mut self, item: &BatchItem) -> DeviceResult<()> {
        match &item.command {
            DeviceCommand::Signal(list) => {
                list.iter().try_for_each(|s| semaphore(s).map(|s| self.signals.push(s)))
            }
            _ => Ok(()),
        }
    }

    /// Submits what is recorded; its read-backs run with the rest of the batch.
    fn cut_and_keep(&mut self) -> DeviceResult<()> {
        if let Some((_, allocator, mut read_backs)) = self.cut()? {
            self.allocators.push(allocator);
            self.read_backs.extend(read_backs.drain(..));
        }
        Ok(())
    }

    /// Ensures that a command buffer is recording.
    fn open(&mut self, stamps: bool, items: usize) -> DeviceResult<()> {
        if self.recorder.is_some() {
            return Ok(());
        }
        let queue = self.queue;
        let last = self.own.max(self.value);
        let before = match queue.narrow_end.load(Ordering::Relaxed) {
            _ if queue.out_of_order && queue.submit_queue().counter() < last => Before::Nothing,
            true if !queue.out_of_order => Before::ComputeBarrier,
            _ => Before::Barrier,
        };
        let mut recorder = Recorder::begin(queue.queues.pools, before)?;
        self.launches.begin(self.gpu());
        recorder.launches = std::mem::take(self.launches);
        let cmd = recorder.allocator.cmd;
        self.fresh = true;
        if queue.out_of_order && last != 0 {
            recorder.begin_after_host();
        }
        self.fenced = queue.needs_fence();
        queue.others_seen.store(queue.others(), Ordering::Relaxed);
        if self.fenced {
            recorder.begin_with_barrier();
        }
        self.queue.narrow_end.store(true, Ordering::Relaxed);
        self.recorder = Some(recorder);
        if stamps && self.queries.is_none() {
            let queries = Queries::new(self.gpu(), &queue.queues.pools.queries, items)?;
            queries.record_reset(cmd);
            self.queries = Some(Arc::new(queries));
        }
        Ok(())
    }

    /// Executes a transfer on the host.
    fn by_host(&mut self, index: usize, transfer: &HostTransfer<'_>) -> DeviceResult<()> {
        let gpu = self.gpu();
        let start = if self.queue.profiling { gpu.clock.device_now(&gpu.raw)? } else { 0 };
        // SAFETY: the application keeps its side valid; earlier users of the buffers are done.
        unsafe { transfer.run() };
        if self.queue.profiling
            && let Some(slot) = self.times.get_mut(index)
        {
            *slot = Times { start, end: gpu.clock.device_now(&gpu.raw)?.max(start), complete: 0 };
        }
        Ok(())
    }

    /// Submits what is recorded. Returns the command allocator, which the caller keeps until the timeline
    /// reaches the value.
    fn cut(&mut self) -> DeviceResult<Option<(u64, CommandAllocator, ReadBacks)>> {
        let Some(mut recorder) = self.recorder.take() else {
            if !self.foreign.is_empty() || !self.signals.is_empty() {
                let (waits, signals) = (self.take_waits()?, std::mem::take(&mut self.signals));
                let work = SubmitInfo { waits: &waits, signals: &signals, ..SubmitInfo::default() };
                self.value = self.queue.submit_queue().submit(work, None).map_err(|(e, _)| e)?;
                self.queue.note_own_submissions(1);
            }
            return Ok(None);
        };
        let waits = match self.prepare(&mut recorder) {
            Ok(waits) => waits,
            Err(e) => {
                recorder.abandon();
                return Err(e);
            }
        };
        let narrow = recorder.ends_narrow();
        let EndedRecording { allocator, read_backs, event } =
            recorder.end(self.queue.out_of_order, self.timeline())?;
        let signals = std::mem::take(&mut self.signals);
        let cmd = Some(allocator.cmd);
        let sleeps = self.queue.saving;
        let work = SubmitInfo { cmd, event, waits: &waits, signals: &signals, sleeps };
        match self.queue.submit_queue().submit(work, None) {
            Ok(value) => {
                self.queue.note_own_submissions(1);
                self.queue.narrow_end.store(narrow, Ordering::Relaxed);
                self.value = value;
                Ok(Some((value, allocator, read_backs)))
            }
            Err((e, _)) => {
                allocator.recycle(&self.queue.queues.pools.allocators, None);
                Err(e)
            }
        }
    }

    /// Prepares the submission of a recorder, whose launches and print buffers it takes. Returns the waits.
    fn prepare(&mut self, recorder: &mut Recorder) -> DeviceResult<Waits> {
        *self.launches = std::mem::take(&mut recorder.launches);
        self.launches.end();
        self.queue.queues.settle()?;
        self.prints.append(&mut recorder.take_prints()?);
        self.take_waits()
    }

    /// Takes the unsubmitted waits: for other submit queues, and for the application's semaphores.
    fn take_waits(&mut self) -> DeviceResult<Waits> {
        let submit_queue = self.queue.submit_queue();
        let mut list = SmallVec::new();
        for (other, value) in self.waits.drain(..) {
            if !std::ptr::eq(other, submit_queue) && other.counter() < value {
                other.signal_for_queue(value)?;
                list.extend(other.timeline.semaphore().map(|semaphore| (semaphore, value)));
            }
        }
        list.extend(self.foreign.drain(..).map(|s| (s, 0)));
        Ok(list)
    }

    fn timeline(&self) -> &'static Timeline {
        self.queue.submit_queue().timeline
    }

    /// Submits what is recorded and waits until everything so far is complete.
    fn catch_up(&mut self) -> DeviceResult<()> {
        for (submit_queue, value) in self.waits.clone() {
            submit_queue.wait_value(value, None, false);
        }
        self.cut_and_keep()?;
        self.queue.submit_queue().wait_value(self.own.max(self.value), None, false);
        Ok(())
    }

    /// Streams a large transfer in pieces; the last one stays in the open command buffer. Pieces still in
    /// flight then are copied to the host as they complete.
    fn stream(&mut self, t: &Transfer<'_>) -> DeviceResult<()> {
        let mut sent: VecDeque<(u64, CommandAllocator, ReadBacks)> = VecDeque::new();
        let result = self.stream_pieces(t, &mut sent);
        for (value, allocator, read_backs) in sent {
            self.allocators.push(allocator);
            if !read_backs.is_empty() {
                self.early_read_backs.push_back(EarlyReadBacks { value, read_backs });
            }
        }
        result
    }

    fn stream_pieces(
        &mut self,
        t: &Transfer<'_>,
        sent: &mut VecDeque<(u64, CommandAllocator, ReadBacks)>,
    ) -> DeviceResult<()> {
        let pieces = t.pieces();
        for (i, piece) in pieces.iter().enumerate() {
            if sent.len() >= IN_FLIGHT
                && let Some((value, allocator, read_backs)) = sent.pop_front()
            {
                self.queue.submit_queue().wait_value(value, None, true);
                if self.gpu().is_lost() {
                    self.allocators.push(allocator);
                    return Err(DeviceError::Lost);
                }
                for read_back in &read_backs {
                    // SAFETY: the piece is complete; the application keeps the destination valid.
                    unsafe { read_back.run() };
                }
                allocator.recycle(&self.queue.queues.pools.allocators, Some((self.timeline(), value)));
            }
            self.open(false, 0)?;
            if let Some(recorder) = &mut self.recorder {
                piece.record(recorder, true)?;
            }
            if i + 1 < pieces.len()
                && let Some(part) = self.cut()?
            {
                sent.push_back(part);
            }
        }
        Ok(())
    }

    /// Ends the recording of the last command buffer.
    fn end_recording(&mut self) -> DeviceResult<LastSubmission> {
        let Some(mut recorder) = self.recorder.take() else {
            let recording = self.recording.as_ref();
            let cmd = recording.and_then(|recording| recording.cmd());
            let event = recording.and_then(|recording| recording.event());
            let narrow = cmd.is_some() || self.queue.narrow_end.load(Ordering::Relaxed);
            return Ok(LastSubmission { cmd, event, narrow, waits: self.take_waits()? });
        };
        let waits = match self.prepare(&mut recorder) {
            Ok(waits) => waits,
            Err(e) => {
                self.recorder = Some(recorder);
                return Err(e);
            }
        };
        let narrow = recorder.ends_narrow();
        let EndedRecording { allocator, mut read_backs, event } =
            recorder.end(self.queue.out_of_order, self.timeline())?;
        let cmd = Some(allocator.cmd);
        if self.keep && narrow && self.prints.is_empty() && self.value == 0 {
            let pool = &self.queue.queues.pools.allocators;
            let event = event.clone().map(|event| (event, self.timeline()));
            let queries = self.queries.clone();
            let recording = Recording::new(allocator, pool, self.fenced, event, queries, &read_backs);
            self.recording = Some(recording.in_place_of(self.spare.take()));
        } else {
            self.allocators.push(allocator);
        }
        self.read_backs.extend(read_backs.drain(..));
        Ok(LastSubmission { cmd, event, narrow, waits })
    }

    /// Submits the rest with the tickets. Returns the batch's timeline value, and its recording if it is to
    /// be kept.
    fn finish(
        mut self,
        items: Vec<BatchItem>,
        submission: Submission,
    ) -> DeviceResult<(u64, Option<Arc<Recording>>)> {
        let last = match self.end_recording() {
            Ok(last) => last,
            Err(e) => {
                self.abandon();
                return Err(e);
            }
        };
        let LastSubmission { cmd, event, narrow, waits } = last;
        let signals = std::mem::take(&mut self.signals);
        let submissions = u64::from(cmd.is_some() || !waits.is_empty() || !signals.is_empty());
        let mut tickets = std::mem::take(&mut self.tickets);
        tickets.extend(items.iter().map(|i| i.ticket));
        let kept = if self.keep { self.recording.clone() } else { None };
        let entry = Entry {
            value: 0,
            owner: self.queue.owner.clone(),
            submission,
            after: std::mem::take(&mut self.after),
            tickets,
            read_backs: std::mem::take(&mut self.read_backs),
            early_read_backs: std::mem::take(&mut self.early_read_backs),
            prints: std::mem::take(&mut self.prints),
            allocators: std::mem::take(&mut self.allocators),
            recording: self.recording.take(),
            queries: self.queries.take(),
            times: std::mem::take(&mut self.times),
            items,
            checkpoint: self.checkpoint,
        };
        let sleeps = self.queue.saving;
        let work = SubmitInfo { cmd, event, waits: &waits, signals: &signals, sleeps };
        match self.queue.submit_queue().submit(work, Some(entry)) {
            Ok(value) => {
                self.queue.note_own_submissions(submissions);
                self.queue.narrow_end.store(narrow, Ordering::Relaxed);
                Ok((value, kept))
            }
            Err((e, entry)) => {
                if let Some(entry) = entry {
                    self.allocators = entry.allocators;
                }
                self.abandon();
                Err(e)
            }
        }
    }

    /// Releases everything after a failure, after waiting for parts already submitted.
    fn abandon(mut self) {
        // A recorded barrier may not have been submitted.
        self.queue.others_seen.store(u64::MAX, Ordering::Relaxed);
        self.queue.submit_queue().wait_value(self.value, None, false);
        if let Some(recorder) = self.recorder.take() {
            recorder.abandon();
        }
        let submitted = (self.value != 0).then(|| (self.timeline(), self.value));
        for allocator in std::mem::take(&mut self.allocators) {
            allocator.recycle(&self.queue.queues.pools.allocators, submitted);
        }
    }
}
