//! Events: the state of a command (or of a user event), with its waiters, callbacks and times.
//!
//! An event is also the node of its command in the dependency graph: it holds the command until it is
//! complete, the events it depends on until it is submitted, and the events that depend on it until they are
//! released. Its status only falls: CL_QUEUED, CL_SUBMITTED, CL_COMPLETE or a negative code. CL_RUNNING is
//! never observed as a status; callbacks for it run just before those for completion.
//!
//! The queue reuses events without references for its next commands.
//!
//! Callbacks are posted under the event's lock, after the status has changed: a thread that finds the event
//! done and then takes the lock finds the tickets of its callbacks, for which [`Event::wait_for_callbacks`]
//! waits.
//!
//! Locks: the event's own (rank Event), never two at a time, and none while callbacks run or references are
//! dropped.

use crate::callback::{self, CallbackTicket};
use crate::cl::*;
use crate::command::recorded::RecordedCommand;
use crate::command::{CommandKind, ExecutionTarget};
use crate::context::Context;
use crate::device::traits::Submission;
use crate::error::{Error, Result};
use crate::object::{ApiObject, ApiSlot, ObjectKind};
use crate::queue::CommandQueue;
use crate::queue::graph::{self, Worklist};
use crate::sync::{Condvar, Mutex, Rank};
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// Callback, called with the status that it was registered for, or the error code.
pub type EventCallback = Box<dyn FnOnce(cl_int) + Send>;
/// A wait list.
pub type WaitList = SmallVec<[Arc<Event>; 4]>;

/// A command in a queue.
pub(crate) struct Command {
    pub kind: CommandKind,
    /// See [`crate::device::batch::BatchItem::ordered`].
    pub ordered: bool,
    /// Its wait list; empty once submitted.
    pub deps: WaitList,
}

impl Command {
    pub(crate) fn new(kind: CommandKind) -> Command {
        Command { kind, ordered: true, deps: WaitList::new() }
    }

    /// Releases everything that it holds.
    pub(crate) fn clear(&mut self) {
        self.kind = CommandKind::NOP;
        self.deps.drain(..).for_each(Event::release);
    }
}

/// An event object.
pub struct Event {
    slot: ApiSlot,
    context: Arc<Context>,
    queue: Option<Arc<CommandQueue>>,
    command_type: cl_command_type,
    target: ExecutionTarget,
    /// Position in the queue, from 1.
    pub(crate) seq: AtomicU64,
    status: AtomicI32,
    /// Whether the status of a user event was set.
    user_set: AtomicBool,
    /// The command has a wait list.
    has_deps: AtomicBool,
    /// Edges that hold the command back, plus one while it is being inserted.
    pub(crate) pending: AtomicU32,
    times: [AtomicU64; 5],
    recorded: RecordedCommand,
    inner: Mutex<Inner>,
    changed: Condvar,
}

#[derive(Default)]
struct Inner {
    /// Set once the command is on the device queue.
    submission: Option<Submission>,
    /// Whether the command is in its queue's stream: later commands of the same queue need not wait.
    sequenced: bool,
    dependents: SmallVec<[Arc<Event>; 1]>,
    callbacks: Vec<(cl_int, EventCallback)>,
    /// The callback posted last; 0 if there is none.
    posted: CallbackTicket,
    command: Option<Box<Command>>,
    span: Option<QueueSpan>,
}

/// Profiling span of commands of several queues that end with this one.
struct QueueSpan {
    /// One of the first commands.
    first: Option<Arc<Event>>,
}

/// One of the times of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProfilingPoint {
    Queued,
    Submit,
    Start,
    End,
    /// Kernels enqueued by the command are complete, too.
    Complete,
}

/// Remaining work after a status change, done without locks.
#[must_use]
pub(crate) struct Aftermath {
    event: Arc<Event>,
    dependents: SmallVec<[Arc<Event>; 1]>,
}

impl ApiObject for Event {
    const KIND: ObjectKind = ObjectKind::Event;
    const INVALID: cl_int = CL_INVALID_EVENT;
    fn api_slot(&self) -> &ApiSlot {
        &self.slot
    }
    fn release(mut reference: Arc<Event>) {
        if reference.is_done()
            && Arc::strong_count(&reference) == 1
            && let Some(event) = Arc::get_mut(&mut reference)
            && let Some(queue) = event.queue.take()
        {
            event.slot = ApiSlot::new();
            let inner = event.inner.get_mut();
            inner.submission = None;
            inner.sequenced = false;
            inner.span = None;
            // Without references there are no dependents or callbacks; these are empty.
            inner.dependents.clear();
            inner.callbacks.clear();
            inner.posted = 0;
            queue.keep_event(reference);
        }
    }
}

impl crate::pending_host_writes::Pending for Event {
    fn is_done(&self) -> bool {
        Event::is_done(self)
    }
}

impl Event {
    fn new(
        context: Arc<Context>,
        queue: Option<Arc<CommandQueue>>,
        command_type: cl_command_type,
        target: ExecutionTarget,
        status: cl_int,
    ) -> Event {
        Event {
            slot: ApiSlot::new(),
            context,
            queue,
            command_type,
            target,
            seq: AtomicU64::new(0),
            status: AtomicI32::new(status),
            user_set: AtomicBool::new(false),
            has_deps: AtomicBool::new(false),
            pending: AtomicU32::new(1),
            times: Default::default(),
            recorded: RecordedCommand::default(),
            inner: Mutex::new(Rank::Event, Inner::default()),
            changed: Condvar::new(),
        }
    }

    /// clCreateUserEvent.
    pub fn user(context: &Arc<Context>) -> Arc<Event> {
        Arc::new(Event::new(context.clone(), None, CL_COMMAND_USER, ExecutionTarget::Device, CL_SUBMITTED))
    }

    /// Creates the event of a command that is about to be enqueued.
    pub(crate) fn of_command(
        queue: &Arc<CommandQueue>,
        command_type: cl_command_type,
        target: ExecutionTarget,
    ) -> Arc<Event> {
        if let Some(mut kept) = queue.kept_event()
            && let Some(event) = Arc::get_mut(&mut kept)
        {
            event.queue = Some(queue.clone());
            event.command_type = command_type;
            event.target = target;
            *event.status.get_mut() = CL_QUEUED;
            *event.pending.get_mut() = 1;
            event.times = Default::default();
            event.recorded = RecordedCommand::default();
            return kept;
        }
        let context = queue.context().clone();
        Arc::new(Event::new(context, Some(queue.clone()), command_type, target, CL_QUEUED))
    }

    /// The context.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// The queue of the command; none for user events.
    pub fn queue(&self) -> Option<&Arc<CommandQueue>> {
        self.queue.as_ref()
    }

    /// CL_EVENT_COMMAND_TYPE
    pub fn command_type(&self) -> cl_command_type {
        self.command_type
    }

    /// Where the command may be executed.
    pub(crate) fn execution_target(&self) -> ExecutionTarget {
        self.target
    }

    /// Whether this is a user event.
    pub(crate) fn is_user(&self) -> bool {
        self.queue.is_none()
    }

    /// CL_EVENT_COMMAND_EXECUTION_STATUS
    pub fn status(&self) -> cl_int {
        self.status.load(Ordering::Acquire)
    }

    /// Whether the event is complete or failed.
    pub fn is_done(&self) -> bool {
        self.status() <= CL_COMPLETE
    }

    /// clSetUserEventStatus.
    pub fn set_user_status(self: &Arc<Self>, status: cl_int) -> Result<()> {
        if !self.is_user() {
            return Err(Error::with(CL_INVALID_EVENT, "not a user event"));
        }
        // CL_INVALID_VALUE: the status is neither CL_COMPLETE nor an error.
        if status > CL_COMPLETE {
            return Err(Error::with(CL_INVALID_VALUE, "neither complete nor an error"));
        }
        if self.user_set.swap(true, Ordering::AcqRel) {
            return Err(Error::with(CL_INVALID_OPERATION, "the status was set before"));
        }
        let mut work = Worklist::new();
        if let Some(aftermath) = self.clone().finish(status) {
            aftermath.run(&mut work);
        }
        graph::drive(work);
        Ok(())
    }

    /// clSetEventCallback.
    pub fn set_callback(&self, level: cl_int, callback: EventCallback) -> Result<()> {
        // CL_INVALID_VALUE: not CL_SUBMITTED, CL_RUNNING or CL_COMPLETE.
        if ![CL_SUBMITTED, CL_RUNNING, CL_COMPLETE].contains(&level) {
            return Err(Error::with(CL_INVALID_VALUE, "no callback for this state"));
        }
        let mut inner = self.inner.lock();
        let status = self.status();
        if status <= level {
            self.post(&mut inner, vec![(level, callback)], status);
            return Ok(());
        }
        inner.callbacks.push((level, callback));
        if let Some(queue) = &self.queue {
            queue.tickets().expect();
        }
        Ok(())
    }

    /// Posts callbacks of a status to the callback thread; `inner` is locked.
    fn post(&self, inner: &mut Inner, due: Vec<(cl_int, EventCallback)>, status: cl_int) {
        for (level, callback) in due {
            inner.posted =
                callback::post(Box::new(move || callback(if status < 0 { status } else { level })));
            if let Some(queue) = &self.queue {
                queue.tickets().add(self.seq.load(Ordering::Relaxed), inner.posted);
            }
        }
    }

    /// Waits for the callbacks of a done event, and for those of the commands that an in-order queue has
    /// completed before it; no lock may be held.
    pub fn wait_for_callbacks(&self) {
        let own = self.inner.lock().posted;
        callback::wait(own);
        if let Some(queue) = self.queue.as_ref().filter(|q| !q.is_out_of_order()) {
            queue.tickets().wait(self.seq.load(Ordering::Relaxed));
        }
    }

    /// The recorder's state of the command.
    pub(crate) fn recorded(&self) -> &RecordedCommand {
        &self.recorded
    }

    /// Sets the time of a profiling point, in nanoseconds of the device clock.
    pub(crate) fn stamp(&self, point: ProfilingPoint, ns: u64) {
        self.times[point as usize].store(ns, Ordering::Relaxed);
    }

    /// The time set for a profiling point.
    pub(crate) fn stamped(&self, point: ProfilingPoint) -> u64 {
        self.times[point as usize].load(Ordering::Relaxed)
    }

    /// clGetEventProfilingInfo.
    pub fn profiling(&self, point: ProfilingPoint) -> Result<u64> {
        // CL_PROFILING_INFO_NOT_AVAILABLE: not a complete command of a queue with profiling.
        let profiling = self.queue.as_ref().is_some_and(|q| q.is_profiling());
        if !profiling || self.status() != CL_COMPLETE {
            return Err(Error::new(CL_PROFILING_INFO_NOT_AVAILABLE));
        }
        let inner = self.inner.lock();
        match (inner.span.as_ref().and_then(|s| s.first.as_ref()), point) {
            // Across devices it is unknown which command ran first and which last.
            (Some(first), ProfilingPoint::Queued) => Ok(first.stamped(ProfilingPoint::Queued)),
            (Some(first), ProfilingPoint::Submit | ProfilingPoint::Start) => {
                Ok(first.stamped(ProfilingPoint::Submit))
            }
            (_, ProfilingPoint::Complete) => {
                Ok(self.stamped(ProfilingPoint::Complete).max(self.stamped(ProfilingPoint::End)))
            }
            _ => Ok(self.stamped(point)),
        }
    }

    /// Marks the event as that of commands of several queues. `first` is one of the first of them, from this
    /// event's queue.
    pub(crate) fn span_queues(&self, first: Option<Arc<Event>>) {
        self.inner.lock().span = Some(QueueSpan { first });
    }

    /// Whether the event is that of commands of several queues.
    pub fn spans_queues(&self) -> bool {
        self.inner.lock().span.is_some()
    }

    /// Flushes the event's dependencies, blocks until it is done, and returns its status.
    pub fn wait(&self) -> cl_int {
        if !self.is_done()
            && let Some(queue) = &self.queue
        {
            queue.flush();
        }
        self.wait_flushed()
    }

    /// Like [`Event::wait`], for an event whose dependencies are flushed.
    pub(crate) fn wait_flushed(&self) -> cl_int {
        let mut helped: Option<Submission> = None;
        while !self.is_done() {
            let mut inner = self.inner.lock();
            if self.is_done() {
                break;
            }
            let submission = inner.submission;
            let target = match &self.queue {
                Some(queue) if submission.is_some() => submission.map(|s| (queue, s)),
                // Earlier commands of an in-order queue must complete first: do that work here.
                Some(queue) if !queue.is_out_of_order() => {
                    drop(inner);
                    let target = queue.last_in_flight().map(|s| (queue, s));
                    inner = self.inner.lock();
                    if self.is_done() {
                        break;
                    }
                    target
                }
                _ => None,
            };
            match target {
                Some((queue, submission)) if helped != Some(submission) => {
                    drop(inner);
                    helped = Some(submission);
                    if let Err(error) = queue.device_queue().wait(submission, None) {
                        tracing::warn!(%error, "waiting for the device failed");
                        let mut inner = self.inner.lock();
                        if !self.is_done() {
                            self.changed.wait_for(&mut inner, Duration::from_millis(10));
                        }
                    }
                }
                // Another thread is about to report what this one waited for, or to submit the command.
                Some(_) => {
                    self.changed.wait_for(&mut inner, Duration::from_millis(1));
                    helped = None;
                }
                // User events are only signalled by their own condition.
                None if self.queue.is_none() => self.changed.wait(&mut inner),
                // A command of the same queue may be submitted meanwhile, which does not signal this event's
                // condition: poll.
                None => {
                    self.changed.wait_for(&mut inner, Duration::from_millis(2));
                }
            }
        }
        self.status()
    }

    /// Sets the command, before the first release of `pending`.
    pub(crate) fn set_command(&self, command: Command) {
        self.has_deps.store(!command.deps.is_empty(), Ordering::Relaxed);
        let mut inner = self.inner.lock();
        match &mut inner.command {
            Some(room) => **room = command,
            room => *room = Some(Box::new(command)),
        }
    }

    /// Returns the command from [`Event::take_command`]: its resources are kept until it is done.
    pub(crate) fn keep_command(&self, command: Box<Command>) {
        self.inner.lock().command = Some(command);
    }

    /// Releases the resources of an ended command before the event reports the end: a thread that then
    /// releases a memory object releases the last reference. No lock may be held.
    pub(crate) fn clear_command(&self) {
        let Some(mut command) = self.take_command() else { return };
        let ticket = callback::destructors_of(|| command.clear());
        if let Some(queue) = self.queue.as_ref().filter(|_| ticket != 0) {
            queue.tickets().add(self.seq.load(Ordering::Relaxed), ticket);
        }
        // Its allocation is reused for the next command of the event.
        self.keep_command(command);
    }

    /// Takes the command for submission. It is put back, as its resources are kept until it is done.
    pub(crate) fn take_command(&self) -> Option<Box<Command>> {
        self.inner.lock().command.take()
    }

    /// Calls `look` with the command's wait list, if it has one.
    pub(crate) fn with_deps(&self, look: impl FnOnce(&WaitList)) {
        if self.has_deps.load(Ordering::Relaxed)
            && let Some(command) = &self.inner.lock().command
        {
            look(&command.deps);
        }
    }

    /// Holds `dependent` back until this event is done, or as long as its device queue requires: see `graph`.
    /// False if it is not held back.
    pub(crate) fn hold(
        &self,
        dependent: &Arc<Event>,
        rule: impl FnOnce(Option<Submission>, bool) -> bool,
    ) -> bool {
        let mut inner = self.inner.lock();
        if self.is_done() || rule(inner.submission, inner.sequenced) {
            return false;
        }
        inner.dependents.push(dependent.clone());
        true
    }

    /// The command's submission on its device queue, if it is submitted.
    pub(crate) fn submission(&self) -> Option<Submission> {
        self.inner.lock().submission
    }

    /// Marks the command as sequenced in the stream. Returns the dependents that `release` allows to follow.
    pub(crate) fn sequenced(&self, release: impl FnMut(&Arc<Event>) -> bool) -> SmallVec<[Arc<Event>; 1]> {
        let mut inner = self.inner.lock();
        inner.sequenced = true;
        split(&mut inner.dependents, release)
    }

    /// Sets the command's submission. Returns the dependents that `release` allows to follow.
    pub(crate) fn submitted(
        &self,
        at: Submission,
        release: impl FnMut(&Arc<Event>) -> bool,
    ) -> SmallVec<[Arc<Event>; 1]> {
        let mut inner = self.inner.lock();
        inner.submission = Some(at);
        let released = split(&mut inner.dependents, release);
        drop(inner);
        self.changed.notify_all();
        released
    }

    /// CL_QUEUED to CL_SUBMITTED. A command from [`Event::take_command`] is kept, see there.
    pub(crate) fn mark_submitted(&self, taken: Option<Box<Command>>) {
        let mut inner = self.inner.lock();
        if taken.is_some() {
            inner.command = taken;
        }
        if self.status() != CL_QUEUED {
            return;
        }
        self.status.store(CL_SUBMITTED, Ordering::Release);
        if inner.callbacks.is_empty() {
            return;
        }
        let (due, rest) =
            std::mem::take(&mut inner.callbacks).into_iter().partition(|(l, _)| *l >= CL_SUBMITTED);
        inner.callbacks = rest;
        self.met(&due);
        self.post(&mut inner, due, CL_COMPLETE);
    }

    /// Counts expected callbacks as due.
    fn met(&self, due: &[(cl_int, EventCallback)]) {
        if let Some(queue) = &self.queue {
            queue.tickets().met(due.len());
        }
    }

    /// Sets the final status; `None` if it is set already. May be called with the queue's lock held.
    pub(crate) fn finish(self: Arc<Self>, status: cl_int) -> Option<Aftermath> {
        let mut inner = self.inner.lock();
        if self.is_done() {
            return None;
        }
        self.status.store(status, Ordering::Release);
        if !inner.callbacks.is_empty() {
            let mut due = std::mem::take(&mut inner.callbacks);
            // Earlier states first; in order of registration within a state.
            due.sort_by_key(|(level, _)| -*level);
            self.met(&due);
            self.post(&mut inner, due, status);
        }
        let dependents = std::mem::take(&mut inner.dependents);
        drop(inner);
        Some(Aftermath { event: self, dependents })
    }
}

fn split(
    from: &mut SmallVec<[Arc<Event>; 1]>,
    mut release: impl FnMut(&Arc<Event>) -> bool,
) -> SmallVec<[Arc<Event>; 1]> {
    if from.is_empty() {
        return SmallVec::new();
    }
    let (out, rest) = std::mem::take(from).into_iter().partition(|e| release(e));
    *from = rest;
    out
}

impl Aftermath {
    /// Wakes waiters and releases dependents; no lock may be held.
    pub(crate) fn run(self, work: &mut Worklist) {
        self.event.changed.notify_all();
        graph::release_all(self.dependents, work);
        Event::release(self.event);
    }
}
