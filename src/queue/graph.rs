//! The dependency graph: edges between events, readiness, submission and completion.
//!
//! The graph has no thread of its own. A thread that enqueues, flushes, submits or completes something makes
//! other commands ready and drives their queues, with a worklist instead of recursion, so that neither chains
//! of 100,000 commands nor cycles of queues need stack. Each queue is driven by one thread at a time; the
//! driving thread checks the state again before it leaves, so that a thread which arrives meanwhile simply
//! returns.
//!
//! A command holds its dependents back until it is *done*; or only until it is *submitted*, where the
//! dependent's device queue can wait for it on the device; or until it is *sequenced* (in the stream), for
//! dependents in the same queue. A submission thus only waits for earlier submissions, and several queues may
//! share one queue of the driver. An in-order queue needs no edges among its own commands: its list is the
//! order.
//!
//! A failed command fails those with it in their wait lists, in their turn. A panic inside the device fails
//! the commands that it was handling, so that threads which wait for them continue.

use super::{CommandQueue, MOST_IN_FLIGHT, SyncKind};
use crate::callback;
use crate::cl::*;
use crate::command::recorded::Completion;
use crate::command::{CommandKind, ExecutionTarget, lower};
use crate::device::batch::{Batch, BatchItem, CommandTicket, Outcome, Times, Wait};
use crate::event::{Aftermath, Command, Event, ProfilingPoint, WaitList};
use crate::object::ApiObject;
use crate::queue::policy;
use crate::record;
use crate::worker;
use smallvec::SmallVec;
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

/// Worklist of queues to drive.
#[derive(Default)]
pub(crate) struct Worklist(SmallVec<[Arc<CommandQueue>; 4]>);

impl Worklist {
    pub(crate) fn new() -> Worklist {
        Worklist::default()
    }
    pub(crate) fn push(&mut self, queue: &Arc<CommandQueue>) {
        if !self.0.last().is_some_and(|q| Arc::ptr_eq(q, queue)) {
            self.0.push(queue.clone());
        }
    }
}

/// The mutable state of a queue.
#[derive(Default)]
pub(crate) struct GraphState {
    seq: u64,
    /// Commands up to this position were requested to be submitted (flush, wait).
    wanted_seq: u64,
    /// In-order: commands that are not in the stream yet.
    fifo: VecDeque<Arc<Event>>,
    /// Out-of-order: every unfinished command.
    live: BTreeMap<u64, Arc<Event>>,
    /// Out-of-order: commands whose dependencies allow them to run.
    ready: VecDeque<Arc<Event>>,
    barrier: Option<Arc<Event>>,
    /// The stream: sequenced commands that are not submitted yet.
    open: Vec<Arc<Event>>,
    /// Position of the earliest of them.
    open_first: u64,
    /// Memory for the next `open`.
    spare_open: Vec<Arc<Event>>,
    in_flight: VecDeque<InFlight>,
    /// Ticket of the first entry of `in_flight`. Tickets count up from 1; 0 is never used.
    first_ticket: CommandTicket,
    batches: u64,
    /// The command that a host thread executes. In-order: later commands wait for it.
    on_host: Option<Arc<Event>>,
    /// Queues that own commands which unsubmitted commands of this queue depend on.
    owners: SmallVec<[Weak<CommandQueue>; 2]>,
    /// Whether a thread drives the queue.
    driven: bool,
}

struct InFlight {
    event: Option<Arc<Event>>,
    batch: u64,
}

enum Step {
    Submit {
        events: Vec<Arc<Event>>,
        first: CommandTicket,
    },
    Host(Arc<Event>),
    /// The command is in the stream; dependents in the same queue may follow.
    Sequenced(Arc<Event>),
    Done,
}

impl GraphState {
    /// Commands that the device has, or is about to get.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Commands whose dependencies allow them to run and that the thread which drives the queue is to submit.
    pub(crate) fn left_to_another_thread(&self) -> usize {
        if !self.driven {
            return 0;
        }
        let runs = self.fifo.front().is_some_and(|event| event.pending.load(Ordering::Acquire) == 0);
        self.ready.len() + if runs { self.fifo.len() } else { 0 }
    }

    /// Whether the commands in flight, or those left to another thread, are more than the limit.
    fn is_far_ahead(&self) -> bool {
        self.in_flight() > MOST_IN_FLIGHT || self.left_to_another_thread() > MOST_IN_FLIGHT
    }

    /// The last unfinished command up to `seq`.
    pub(crate) fn unfinished(&self, seq: u64) -> Option<Arc<Event>> {
        let upto = |e: &&Arc<Event>| e.seq.load(Ordering::Relaxed) <= seq;
        let live = self.live.range(..=seq).next_back().map(|(_, e)| e);
        live.or_else(|| self.fifo.iter().rev().find(upto))
            .or_else(|| self.on_host.iter().find(upto))
            .or_else(|| self.open.iter().rev().find(upto))
            .or_else(|| self.in_flight.iter().rev().filter_map(|f| f.event.as_ref()).find(upto))
            .cloned()
    }

    fn batches_in_flight(&self) -> u64 {
        match (self.in_flight.front(), self.in_flight.back()) {
            (Some(a), Some(b)) => b.batch - a.batch + 1,
            _ => 0,
        }
    }

    /// The command of a ticket; `None` for auxiliary commands.
    fn entry(&mut self, ticket: CommandTicket) -> Option<&mut InFlight> {
        let at = ticket.checked_sub(self.first_ticket)?;
        self.in_flight.get_mut(at as usize)
    }

    fn trim(&mut self) {
        while self.in_flight.front().is_some_and(|f| f.event.is_none()) {
            self.in_flight.pop_front();
            self.first_ticket += 1;
        }
    }

    /// Removes a finished command.
    fn forget(&mut self, event: &Arc<Event>) {
        if !self.live.is_empty() {
            self.live.remove(&event.seq.load(Ordering::Relaxed));
        }
        if self.barrier.as_ref().is_some_and(|b| Arc::ptr_eq(b, event)) {
            self.barrier = None;
        }
    }

    /// In-order: whether all commands are complete.
    fn is_idle(&self) -> bool {
        self.fifo.is_empty() && self.open.is_empty() && self.in_flight.is_empty() && self.on_host.is_none()
    }

    /// Appends a command to the stream.
    fn append(&mut self, event: Arc<Event>) {
        let seq = event.seq.load(Ordering::Relaxed);
        self.open_first = if self.open.is_empty() { seq } else { self.open_first.min(seq) };
        self.open.push(event);
    }

    /// Takes the open batch for submission.
    fn cut(&mut self) -> Step {
        let next = std::mem::take(&mut self.spare_open);
        let events = std::mem::replace(&mut self.open, next);
        self.first_ticket = self.first_ticket.max(1);
        let first = self.first_ticket + self.in_flight.len() as u64;
        self.batches += 1;
        let batch = self.batches;
        self.in_flight.extend(events.iter().map(|e| InFlight { event: Some(e.clone()), batch }));
        Step::Submit { events, first }
    }

    fn submit_if_due(&mut self, queue: &CommandQueue) -> Step {
        if self.open.is_empty() {
            return Step::Done;
        }
        let mut situation = policy::Situation {
            open: self.open.len(),
            first_seq: self.open_first,
            wanted_seq: self.wanted_seq,
            batches_in_flight: self.batches_in_flight(),
        };
        // The device may have completed more than was reported. The query takes a while, so it is not made
        // for each command.
        if situation.batches_in_flight > 0
            && situation.open.is_power_of_two()
            && !policy::should_submit(situation)
            && let Some(unfinished) = queue.device_queue.unfinished()
        {
            situation.batches_in_flight = unfinished;
        }
        if policy::should_submit(situation) { self.cut() } else { Step::Done }
    }

    fn next_in_order(&mut self, queue: &Arc<CommandQueue>) -> Step {
        if self.on_host.is_some() {
            return Step::Done;
        }
        while let Some(front) = self.fifo.front() {
            if front.pending.load(Ordering::Acquire) != 0 {
                break;
            }
            let idle = self.open.is_empty() && self.in_flight.is_empty();
            let deps = Deps::of(front, queue);
            let on_host = match front.execution_target() {
                ExecutionTarget::Host if idle => true,
                ExecutionTarget::Host if self.open.is_empty() => break,
                ExecutionTarget::Host => return self.cut(),
                ExecutionTarget::Either => idle && !deps.unfinished,
                ExecutionTarget::Device => false,
            };
            if !on_host && deps.foreign && !self.open.is_empty() {
                // Its waits on the device must not delay earlier commands of the batch.
                return self.cut();
            }
            let Some(event) = self.fifo.pop_front() else { break };
            if on_host {
                self.on_host = Some(event.clone());
                return Step::Host(event);
            }
            self.append(event);
            if self.open.len() >= policy::MAX_BATCH {
                return self.cut();
            }
        }
        if self.fifo.is_empty() {
            self.owners.clear();
        }
        self.submit_if_due(queue)
    }

    fn next_out_of_order(&mut self, queue: &Arc<CommandQueue>) -> Step {
        if self.open.len() >= policy::MAX_BATCH {
            return self.cut();
        }
        if let Some(front) = self.ready.front() {
            let deps = Deps::of(front, queue);
            let on_host = match front.execution_target() {
                ExecutionTarget::Host => true,
                ExecutionTarget::Either => !deps.unfinished,
                ExecutionTarget::Device => false,
            };
            if !on_host && deps.foreign && !self.open.is_empty() {
                return self.cut();
            }
            if let Some(event) = self.ready.pop_front() {
                if on_host {
                    self.on_host = Some(event.clone());
                    return Step::Host(event);
                }
                self.append(event.clone());
                return Step::Sequenced(event);
            }
        }
        if self.live.is_empty() {
            self.owners.clear();
        }
        self.submit_if_due(queue)
    }
}

/// Remaining dependencies of a command.
#[derive(Default)]
struct Deps {
    unfinished: bool,
    /// Whether some of them belong to other queues.
    foreign: bool,
}

impl Deps {
    fn of(event: &Event, queue: &Arc<CommandQueue>) -> Deps {
        let mut out = Deps::default();
        event.with_deps(|deps| {
            for dep in deps.iter().filter(|d| !d.is_done()) {
                out.unfinished = true;
                out.foreign |= !dep.queue().is_some_and(|q| Arc::ptr_eq(q, queue));
            }
        });
        out
    }
}

/// Calls the device. A panic there becomes the failure of the command.
fn contain<T>(what: &str, call: impl FnOnce() -> Result<T, cl_int>) -> Result<T, cl_int> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| {
        tracing::error!("{what} panicked; this is a bug of Pyroclast");
        Err(CL_OUT_OF_HOST_MEMORY)
    })
}

/// Guard of the thread that drives a queue: if the thread unwinds, other threads can drive the queue.
struct Driving<'a>(&'a CommandQueue);

impl Drop for Driving<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.state.lock().driven = false;
        }
    }
}

fn is_own_failure(status: cl_int) -> bool {
    status < 0 && status != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
}

fn failed(deps: &WaitList) -> bool {
    deps.iter().any(|d| d.status() < 0)
}

/// Removes an edge of each dependent.
pub(crate) fn release_all(dependents: impl IntoIterator<Item = Arc<Event>>, work: &mut Worklist) {
    for dependent in dependents {
        if remove_edge(&dependent)
            && let Some(queue) = dependent.queue()
        {
            work.push(queue);
        }
        Event::release(dependent);
    }
}

/// Removes an edge of `event`. Returns whether it was the last one.
fn remove_edge(event: &Arc<Event>) -> bool {
    let is_last = event.pending.fetch_sub(1, Ordering::AcqRel) == 1;
    if is_last && let Some(queue) = event.queue().filter(|queue| queue.is_out_of_order()) {
        queue.state.lock().ready.push_back(event.clone());
    }
    is_last
}

/// Drives queues until the worklist is empty.
pub(crate) fn drive(mut work: Worklist) {
    while let Some(queue) = work.0.pop() {
        queue.drive_once(&mut work);
    }
}

/// Drives a queue, then those of the worklist.
fn drive_first(queue: &Arc<CommandQueue>, mut work: Worklist) {
    queue.drive_once(&mut work);
    drive(work);
}

/// See [`CommandQueue::flush`]. Returns the position of the queue's last command.
pub(crate) fn flush(queue: &Arc<CommandQueue>) -> u64 {
    let (last, mut others) = queue.want_all();
    let mut at = 0;
    while let Some(next) = others.get(at).cloned() {
        at += 1;
        for owner in next.want_all().1 {
            if !Arc::ptr_eq(&owner, queue) && !others.iter().any(|q| Arc::ptr_eq(q, &owner)) {
                others.push(owner);
            }
        }
    }
    drive(Worklist(others));
    drive_first(queue, Worklist::new());
    last
}

impl CommandQueue {
    /// Requests everything enqueued so far to be submitted. Returns the position of the last command, and the
    /// queues that own commands on which unsubmitted commands of this queue depend.
    fn want_all(&self) -> (u64, SmallVec<[Arc<CommandQueue>; 4]>) {
        let mut state = self.state.lock();
        state.wanted_seq = state.seq;
        (state.seq, state.owners.iter().filter_map(Weak::upgrade).collect())
    }

    /// Appends a command with its edges and drives the queue.
    pub(super) fn insert(
        self: &Arc<Self>,
        event: &Arc<Event>,
        mut command: Command,
        mut waits: WaitList,
        sync: SyncKind,
    ) {
        let out_of_order = self.is_out_of_order();
        command.ordered = !out_of_order || sync != SyncKind::None;
        {
            let mut state = self.state.lock();
            state.seq += 1;
            let seq = state.seq;
            event.seq.store(seq, Ordering::Relaxed);
            if out_of_order {
                // Without a wait list, markers and barriers wait for everything before them.
                let waits_for_all = sync != SyncKind::None && waits.is_empty();
                if waits_for_all {
                    waits.extend(state.live.values().cloned());
                } else if let Some(barrier) = &state.barrier {
                    waits.push(barrier.clone());
                }
                state.live.insert(seq, event.clone());
                if sync == SyncKind::Barrier {
                    state.barrier = Some(event.clone());
                }
            } else {
                state.fifo.push_back(event.clone());
            }
        }
        let until_done = event.execution_target() == ExecutionTarget::Host;
        for wait in waits.iter().filter(|w| !w.is_done()) {
            let same_queue = wait.queue().is_some_and(|q| Arc::ptr_eq(q, self));
            if same_queue && !out_of_order {
                continue;
            }
            command.ordered |= same_queue;
            event.pending.fetch_add(1, Ordering::AcqRel);
            let held = wait.hold(event, |submission, sequenced| {
                !until_done
                    && (same_queue && sequenced || submission.is_some() && self.device_waits_for(wait))
            });
            if !held {
                event.pending.fetch_sub(1, Ordering::AcqRel);
                continue;
            }
            if let Some(owner) = wait.queue().filter(|_| !same_queue) {
                let mut state = self.state.lock();
                if !state.owners.iter().any(|q| q.as_ptr() == Arc::as_ptr(owner)) {
                    state.owners.push(Arc::downgrade(owner));
                }
            }
        }
        command.deps = waits;
        event.set_command(command);
        remove_edge(event);
        drive_first(self, Worklist::new());
    }

    /// Executes a command without dependencies in the calling thread, if the host may execute it and nothing
    /// precedes it: the result is as if it had been inserted, without the work for that. Returns whether it
    /// did; the command is then empty.
    pub(super) fn execute_if_idle(self: &Arc<Self>, event: &Arc<Event>, kind: &mut CommandKind) -> bool {
        let may = event.execution_target() != ExecutionTarget::Device && !kind.is_long_on_host();
        if !may || self.is_out_of_order() || self.is_profiling() {
            return false;
        }
        let seq = {
            let mut state = self.state.lock();
            if !state.is_idle() {
                return false;
            }
            state.seq += 1;
            event.seq.store(state.seq, Ordering::Relaxed);
            state.on_host = Some(event.clone());
            state.seq
        };
        event.recorded().begins_on_host();
        let result = contain("a command on the host", || lower::run_on_host(kind, self.target()));
        event.recorded().ends_on_host();
        let ticket = callback::destructors_of(|| *kind = CommandKind::NOP);
        if ticket != 0 {
            self.tickets().add(seq, ticket);
        }
        let mut work = Worklist::new();
        self.conclude(event, result.map_or_else(|code| code, |()| CL_COMPLETE), &mut work);
        // Other threads enqueued commands meanwhile, and left them to this one.
        if !self.state.lock().is_idle() {
            work.push(self);
        }
        drive(work);
        true
    }

    /// Whether this queue's device queue can wait for the event's submission on the device.
    fn device_waits_for(&self, event: &Event) -> bool {
        event.queue().is_some_and(|q| {
            std::ptr::eq(Arc::as_ptr(q), self)
                || Arc::ptr_eq(q.device(), self.device())
                    && self.device_queue.can_wait_on(&**q.device_queue())
        })
    }

    /// Takes the steps that are possible now.
    fn drive_once(self: &Arc<Self>, work: &mut Worklist) {
        let (mut driving, mut spare) = (None, None);
        loop {
            let step = {
                let mut state = self.state.lock();
                self.is_far_ahead.store(state.is_far_ahead(), Ordering::Relaxed);
                if driving.is_none() && state.driven {
                    return;
                }
                driving.get_or_insert(Driving(self));
                if let Some(list) = spare.take() {
                    state.spare_open = list;
                }
                let step = if self.is_out_of_order() {
                    state.next_out_of_order(self)
                } else {
                    state.next_in_order(self)
                };
                state.driven = !matches!(step, Step::Done);
                step
            };
            match step {
                Step::Done => return,
                Step::Sequenced(event) => {
                    let same = |d: &Arc<Event>| d.queue().is_some_and(|q| Arc::ptr_eq(q, self));
                    let released =
                        event.sequenced(|d| same(d) && d.execution_target() != ExecutionTarget::Host);
                    release_all(released, work);
                }
                Step::Host(event) => self.run_on_host(event, work),
                Step::Submit { mut events, first } => {
                    self.submit(&events, first, work);
                    events.drain(..).for_each(Event::release);
                    spare = Some(events);
                }
            }
        }
    }

    fn run_on_host(self: &Arc<Self>, event: Arc<Event>, work: &mut Worklist) {
        let command = event.take_command();
        let Some(command) = command else { return self.end_on_host(&event, CL_COMPLETE, work) };
        // As on the device, it goes from queued to failed without being submitted.
        if failed(&command.deps) {
            event.keep_command(command);
            self.end_on_host(&event, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, work);
            return Event::release(event);
        }
        self.begin_on_host(&event);
        if command.kind.is_long_on_host() {
            let queue = self.clone();
            worker::post(Box::new(move || {
                let mut work = Worklist::new();
                work.push(&queue);
                queue.do_on_host(event, command, &mut work);
                drive(work);
            }));
        } else {
            self.do_on_host(event, command, work);
        }
    }

    /// Executes a command in the calling thread.
    fn do_on_host(self: &Arc<Self>, event: Arc<Event>, command: Box<Command>, work: &mut Worklist) {
        let result = contain("a command on the host", || lower::run_on_host(&command.kind, self.target()));
        event.recorded().ends_on_host();
        self.stamp_now(&event, ProfilingPoint::End);
        event.keep_command(command);
        self.end_on_host(&event, result.map_or_else(|code| code, |()| CL_COMPLETE), work);
        Event::release(event);
    }

    fn stamp_now(&self, event: &Event, point: ProfilingPoint) {
        if self.is_profiling() {
            event.stamp(point, self.now());
        }
    }

    fn begin_on_host(&self, event: &Event) {
        self.stamp_now(event, ProfilingPoint::Submit);
        event.mark_submitted(None);
        self.stamp_now(event, ProfilingPoint::Start);
        event.recorded().begins_on_host();
    }

    fn end_on_host(&self, event: &Arc<Event>, status: cl_int, work: &mut Worklist) {
        event.clear_command();
        self.conclude(event, status, work);
    }

    /// Completes a command that the host executed and whose resources are released.
    fn conclude(&self, event: &Arc<Event>, status: cl_int, work: &mut Worklist) {
        event.recorded().ended_on_host(status);
        let aftermath = {
            let mut state = self.state.lock();
            if state.on_host.as_ref().is_some_and(|e| Arc::ptr_eq(e, event)) {
                state.on_host = None;
            }
            self.note_failure(status);
            state.forget(event);
            event.clone().finish(status)
        };
        if let Some(aftermath) = aftermath {
            self.report(status);
            aftermath.run(work);
        }
    }

    /// Stores the status of a command that failed on its own, before any thread can observe that the command
    /// is done.
    fn note_failure(&self, status: cl_int) {
        if is_own_failure(status) {
            let _ = self.failure.compare_exchange(0, status, Ordering::AcqRel, Ordering::Relaxed);
        }
    }

    /// Reports a command that failed on its own to the context; no lock may be held.
    fn report(&self, status: cl_int) {
        if is_own_failure(status) {
            self.context().notify_error("a command failed", &crate::error::Error::new(status));
        }
    }

    fn submit(self: &Arc<Self>, events: &[Arc<Event>], first: CommandTicket, work: &mut Worklist) {
        let mut batch = Batch { waits: SmallVec::new(), items: self.device_queue.items(events.len()) };
        let mut accepted: SmallVec<[(CommandTicket, &Arc<Event>); policy::MAX_BATCH]> = SmallVec::new();
        let now = if self.is_profiling() { self.now() } else { 0 };
        let recorded = if self.recorded != 0 { record::now() } else { 0 };
        for (ticket, event) in (first..).zip(events) {
            let mut command =
                event.take_command().unwrap_or_else(|| Box::new(Command::new(CommandKind::NOP)));
            let deps = std::mem::take(&mut command.deps);
            let lowered = if failed(&deps) {
                Err(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
            } else {
                contain("the preparation of a command", || lower::lower(&command.kind, self.target()))
            };
            match lowered {
                Ok(device_command) => {
                    self.add_waits(&mut batch, &deps);
                    batch.items.push(BatchItem { ticket, command: device_command, ordered: command.ordered });
                    event.stamp(ProfilingPoint::Submit, now.max(event.stamped(ProfilingPoint::Queued)));
                    event.mark_submitted(Some(command));
                    event.recorded().submitted(recorded);
                    accepted.push((ticket, event));
                }
                Err(code) => {
                    event.keep_command(command);
                    self.finish_tickets(&[ticket], code, &[], work);
                }
            }
            deps.into_iter().for_each(Event::release);
        }
        if accepted.is_empty() {
            return;
        }
        let submitted = contain("a submission", || {
            self.device_queue.submit(batch).map_err(|error| {
                tracing::error!(%error, "a batch could not be submitted");
                crate::error::Error::from(error).code()
            })
        });
        match submitted {
            Ok(submission) => {
                // Submissions count up, and one thread at a time submits.
                self.last_submission.store(submission, Ordering::Release);
                for (_, event) in accepted {
                    let released = event.submitted(submission, |dependent| {
                        dependent.execution_target() != ExecutionTarget::Host
                            && dependent.queue().is_some_and(|q| q.device_waits_for(event))
                    });
                    release_all(released, work);
                }
            }
            Err(code) => {
                for (ticket, _) in accepted {
                    self.finish_tickets(&[ticket], code, &[], work);
                }
            }
        }
    }

    /// Adds the submissions that the batch must wait for on the device.
    fn add_waits(self: &Arc<Self>, batch: &mut Batch, deps: &WaitList) {
        for dep in deps.iter().filter(|d| !d.is_done()) {
            let Some(queue) = dep.queue().filter(|q| !Arc::ptr_eq(q, self)) else { continue };
            let Some(submission) = dep.submission() else { continue };
            let device_queue = queue.device_queue();
            match batch.waits.iter_mut().find(|w| Arc::ptr_eq(&w.queue, device_queue)) {
                Some(wait) => wait.submission = wait.submission.max(submission),
                None => batch.waits.push(Wait { queue: device_queue.clone(), submission }),
            }
        }
    }

    /// The time of a completion, for the recorder.
    fn completion(&self) -> Completion {
        if self.recorded == 0 {
            return Completion::default();
        }
        let reported = record::now();
        let ahead = if self.ops().has_host_clock() { 0 } else { reported.wrapping_sub(self.now()) };
        Completion { reported, ahead }
    }

    /// Handles completion of these tickets, as reported by the device.
    pub(super) fn completed(self: &Arc<Self>, tickets: &[CommandTicket], outcome: Outcome, times: &[Times]) {
        let status = match outcome {
            Outcome::Complete => CL_COMPLETE,
            Outcome::Failed(code) if code < 0 => code,
            Outcome::Failed(_) => CL_OUT_OF_RESOURCES,
        };
        let mut work = Worklist::new();
        self.finish_tickets(tickets, status, times, &mut work);
        drive_first(self, work);
    }

    /// Releases the resources of the commands of these tickets.
    fn clear_commands(&self, tickets: &[CommandTicket]) {
        let mut ended: SmallVec<[Arc<Event>; policy::MAX_BATCH]> = SmallVec::new();
        {
            let mut state = self.state.lock();
            ended.extend(tickets.iter().filter_map(|ticket| state.entry(*ticket)?.event.clone()));
        }
        ended.iter().for_each(|event| event.clear_command());
    }

    /// Statuses change together with the queue's lists: a thread that finds the queue idle finds its events
    /// done.
    fn finish_tickets(
        self: &Arc<Self>,
        tickets: &[CommandTicket],
        status: cl_int,
        times: &[Times],
        work: &mut Worklist,
    ) {
        let profiling = self.is_profiling();
        let completion = self.completion();
        self.clear_commands(tickets);
        let mut done: SmallVec<[Aftermath; policy::MAX_BATCH]> = SmallVec::new();
        {
            let mut state = self.state.lock();
            self.note_failure(status);
            for (i, ticket) in tickets.iter().enumerate() {
                let Some(event) = state.entry(*ticket).and_then(|e| e.event.take()) else { continue };
                let t = times.get(i).copied().unwrap_or_default();
                event.recorded().ended(status, t, completion);
                if profiling {
                    // Clocks of host and device agree only roughly: keep the four times in order.
                    let start = t.start.max(event.stamped(ProfilingPoint::Submit));
                    event.stamp(ProfilingPoint::Start, start);
                    event.stamp(ProfilingPoint::End, t.end.max(start));
                    event.stamp(ProfilingPoint::Complete, t.complete);
                }
                state.forget(&event);
                done.extend(event.finish(status));
            }
            state.trim();
        }
        if !done.is_empty() {
            self.report(status);
        }
        for aftermath in done.drain(..) {
            aftermath.run(work);
        }
    }
}
