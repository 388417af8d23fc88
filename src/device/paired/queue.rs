//! Queue of a paired device: a stream of batches over a queue of the primary device.
//!
//! Batches for the primary device alone are submitted to its queue at once. As soon as a batch has commands
//! of the secondary device, it and later ones are deferred: a thread (`worker`) splits them into runs of one
//! device each. A run of the secondary device begins when everything before it is complete, and is executed
//! by that thread. When no deferred batch is left, submission is direct again.
//!
//! Memory is brought to a device when a run is submitted or begins (`memory`). Completions of primary runs
//! come from the primary device's queue, others from the thread, in the order of the stream. Locks: the state
//! (rank PairedQueue), not held while devices work.

use super::commands::{Segment, acquire, acquire_all, list_of, run_on_secondary, side_of};
use super::pair::{Pair, Side};
use crate::cl::*;
use crate::device::batch::{Batch, BatchItem, CommandTicket, DeviceCommand, Outcome, Times, Work};
use crate::device::traits::{CompletionSink, DeviceError, DeviceQueue, DeviceResult, QueueDesc, Submission};
use crate::error::Error;
use crate::record::{self, Record};
use crate::sync::{Condvar, Mutex, Rank};
use crate::worker;
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Ticket of the queue's own submissions.
const INTERNAL: CommandTicket = CommandTicket::MAX;

/// Result with an OpenCL error code.
type CodeResult<T> = Result<T, cl_int>;

/// Passes completions on, except those of the queue's own submissions.
struct Sink {
    outer: Arc<dyn CompletionSink>,
    /// Outcome of the last submission of the queue's own.
    internal: Mutex<Option<Outcome>>,
}

impl CompletionSink for Sink {
    fn print(&self, text: &[u8]) {
        self.outer.print(text);
    }
    fn lost(&self, report: &str) {
        self.outer.lost(report);
    }
    fn done(&self, tickets: &[CommandTicket], outcome: Outcome, times: &[Times]) {
        match tickets {
            [INTERNAL] => *self.internal.lock() = Some(outcome),
            _ => self.outer.done(tickets, outcome, times),
        }
    }
}

#[derive(Default)]
struct State {
    submitted: Submission,
    deferred: VecDeque<(Submission, Batch)>,
    /// A thread handles the deferred batches.
    busy: bool,
    /// Handled submissions, each with the submission to the primary queue whose completion is theirs.
    handled: VecDeque<(Submission, Submission)>,
    /// Last submission to the primary queue.
    last: Submission,
    completed: Submission,
}

impl State {
    /// Takes the next deferred batch. Without one, no thread handles deferred batches any longer.
    fn next(&mut self) -> Option<(Submission, Batch)> {
        let next = self.deferred.pop_front();
        self.busy = next.is_some();
        next
    }

    /// Notes a submission as handled.
    fn handle(&mut self, submission: Submission) {
        self.handled.push_back((submission, self.last));
    }

    /// Notes what the primary queue has completed.
    fn settle(&mut self, completed: Submission) {
        while let Some((submission, _)) = self.handled.front().filter(|(_, theirs)| *theirs <= completed) {
            self.completed = *submission;
            self.handled.pop_front();
        }
    }

    /// The submission to the primary queue whose completion is that of `submission`, if that is handled.
    fn theirs(&self, submission: Submission) -> Option<Submission> {
        if submission <= self.completed {
            return Some(0);
        }
        self.handled.iter().find(|(own, _)| *own == submission).map(|(_, theirs)| *theirs)
    }
}

struct Inner {
    pair: Arc<Pair>,
    primary: Arc<dyn DeviceQueue>,
    sink: Arc<Sink>,
    desc: QueueDesc,
    state: Mutex<State>,
    /// A deferred batch was handled.
    changed: Condvar,
}

/// A queue of a paired device.
pub struct PairedQueue(Arc<Inner>);

impl PairedQueue {
    /// Creates a queue over one of the primary device.
    pub fn new(
        pair: &Arc<Pair>,
        desc: &QueueDesc,
        outer: Arc<dyn CompletionSink>,
    ) -> DeviceResult<PairedQueue> {
        let sink = Arc::new(Sink { outer, internal: Mutex::new(Rank::PairedQueue, None) });
        Ok(PairedQueue(Arc::new(Inner {
            pair: pair.clone(),
            primary: pair.ops(Side::Primary).create_queue(desc, sink.clone())?,
            sink,
            desc: *desc,
            state: Mutex::new(Rank::PairedQueue, State::default()),
            changed: Condvar::new(),
        })))
    }
}

impl Inner {
    /// Whether the batch can be submitted to the primary queue; translates its waits.
    fn is_direct(&self, batch: &mut Batch) -> bool {
        let busy = self.state.lock().busy;
        if busy || batch.items.iter().any(|item| side_of(&item.command) == Side::Secondary) {
            return false;
        }
        for wait in &mut batch.waits {
            let Some(other) = wait.queue.as_any().downcast_ref::<PairedQueue>() else { return false };
            let Some(theirs) = other.0.state.lock().theirs(wait.submission) else { return false };
            let primary = other.0.primary.clone();
            (wait.queue, wait.submission) = (primary, theirs);
        }
        batch.waits.retain(|wait| wait.submission != 0);
        true
    }

    /// Notes a submission to the primary queue.
    fn note(&self, theirs: Submission) {
        let mut state = self.state.lock();
        state.last = state.last.max(theirs);
    }

    /// Handles the deferred batches.
    fn serve(&self) {
        let mut next = self.state.lock().next();
        while let Some((submission, batch)) = next {
            let tickets: Vec<CommandTicket> = batch.items.iter().map(|item| item.ticket).collect();
            if catch_unwind(AssertUnwindSafe(|| self.split(batch))).is_err() {
                tracing::error!("a batch for two devices panicked; this is a bug of Pyroclast");
                self.sink.done(&tickets, Outcome::Failed(CL_OUT_OF_HOST_MEMORY), &[]);
            }
            next = {
                let mut state = self.state.lock();
                state.handle(submission);
                state.next()
            };
            self.changed.notify_all();
        }
    }

    /// Executes a batch in runs of one device each.
    fn split(&self, batch: Batch) {
        let mut waits = batch.waits.iter();
        if let Err(error) = waits.try_for_each(|w| w.queue.wait(w.submission, None).map(drop)) {
            let code = Error::from(error).code();
            return batch.items.iter().for_each(|item| self.report(item.ticket, Err(code), 0));
        }
        let mut items = batch.items.into_iter().peekable();
        while let Some(item) = items.next() {
            if side_of(&item.command) == Side::Secondary {
                let _ = self.drain();
                let start = self.now();
                record_fallback(&item.command);
                let result = self.execute(item.command);
                self.report(item.ticket, result, start);
                continue;
            }
            let mut run = vec![item];
            while let Some(item) = items.next_if(|item| side_of(&item.command) == Side::Primary) {
                run.push(item);
            }
            self.submit_run(run);
        }
    }

    /// Submits consecutive commands to the primary queue.
    fn submit_run(&self, run: Vec<BatchItem>) {
        let mut items = self.primary.items(run.len());
        for mut item in run {
            match acquire(&mut item.command, Side::Primary) {
                Ok(()) => items.push(item),
                Err(error) => {
                    // Completions are reported in the order of the stream.
                    let _ = self.drain();
                    self.report(item.ticket, Err(failed(error)), 0);
                }
            }
        }
        if items.is_empty() {
            return;
        }
        let tickets: Vec<CommandTicket> = items.iter().map(|item| item.ticket).collect();
        match self.primary.submit(Batch { items, ..Batch::default() }) {
            Ok(theirs) => self.note(theirs),
            Err(error) => {
                let _ = self.drain();
                self.sink.done(&tickets, Outcome::Failed(failed(error)), &[]);
            }
        }
    }

    /// Executes a command, of which a part at least is for the secondary device. Everything before it is
    /// complete.
    fn execute(&self, command: DeviceCommand) -> CodeResult<()> {
        let secondary = |command| {
            let print = |text: &[u8]| self.sink.print(text);
            run_on_secondary(&self.pair, command, self.desc.print_bytes, &print).map_err(failed)
        };
        let Work::Replay(list) = command else { return secondary(command) };
        for segment in &list_of(&list).map_err(failed)?.segments {
            match segment {
                Segment::Secondary(commands) => commands.iter().cloned().try_for_each(secondary)?,
                Segment::Primary { list, uses } => {
                    acquire_all(uses).map_err(failed)?;
                    self.replay(Work::Replay(list.clone()))?;
                }
            }
        }
        Ok(())
    }

    /// Has the primary queue execute a command, and waits for it.
    fn replay(&self, command: DeviceCommand) -> CodeResult<()> {
        let mut items = self.primary.items(1);
        items.push(BatchItem { ticket: INTERNAL, command, ordered: true });
        *self.sink.internal.lock() = None;
        self.note(self.primary.submit(Batch { items, ..Batch::default() }).map_err(failed)?);
        self.drain().map_err(failed)?;
        let outcome = self.sink.internal.lock().take();
        match outcome {
            Some(Outcome::Failed(code)) => Err(code),
            Some(Outcome::Complete) | None => Ok(()),
        }
    }

    /// Waits until everything submitted to the primary queue is complete and reported.
    fn drain(&self) -> DeviceResult<()> {
        let last = self.state.lock().last;
        if last == 0 { Ok(()) } else { self.primary.wait(last, None).map(drop) }
    }

    fn now(&self) -> u64 {
        if self.desc.profiling { self.pair.ops(Side::Primary).device_now().unwrap_or(0) } else { 0 }
    }

    /// Reports a command that has ended now.
    fn report(&self, ticket: CommandTicket, result: CodeResult<()>, start: u64) {
        let outcome = result.map_or_else(Outcome::Failed, |()| Outcome::Complete);
        let times = [Times { start, end: self.now(), complete: 0 }];
        self.sink.done(&[ticket], outcome, if self.desc.profiling { &times } else { &[] });
    }

    /// Waits for a submission: until `deadline`, in the way of `wait` for the primary queue.
    fn wait(
        &self,
        submission: Submission,
        deadline: Option<Instant>,
        wait: impl Fn(Submission) -> DeviceResult<bool>,
    ) -> DeviceResult<bool> {
        let theirs = {
            let mut state = self.state.lock();
            if submission > state.submitted {
                return Err(DeviceError::Unexpected("wait for a batch that was not submitted".into()));
            }
            loop {
                match (state.theirs(submission), deadline) {
                    (Some(theirs), _) => break theirs,
                    (None, None) => self.changed.wait(&mut state),
                    (None, Some(deadline)) => {
                        let left = deadline.saturating_duration_since(Instant::now());
                        if left.is_zero() {
                            return Ok(false);
                        }
                        self.changed.wait_for(&mut state, left);
                    }
                }
            }
        };
        Ok(theirs == 0 || wait(theirs)?)
    }
}

/// Records that a launch falls back.
fn record_fallback(command: &DeviceCommand) {
    if let (true, DeviceCommand::Launch(launch)) = (record::is_on(), command) {
        record::put(&Record::Fallback {
            name: record::name(&launch.kernel.info().name),
            time: record::now(),
        });
    }
}

/// The code of a failed command.
fn failed(error: DeviceError) -> cl_int {
    tracing::error!(%error, "a command of two devices");
    Error::from(error).code()
}

impl DeviceQueue for PairedQueue {
    fn items(&self, count: usize) -> Vec<BatchItem> {
        self.0.primary.items(count)
    }
    fn submit(&self, mut batch: Batch) -> DeviceResult<Submission> {
        let inner = &self.0;
        if inner.is_direct(&mut batch) {
            batch.items.iter_mut().try_for_each(|item| acquire(&mut item.command, Side::Primary))?;
            inner.note(inner.primary.submit(batch)?);
            let completed = inner.primary.completed();
            let mut state = inner.state.lock();
            state.settle(completed);
            state.submitted += 1;
            let submission = state.submitted;
            state.handle(submission);
            return Ok(submission);
        }
        let (submission, idle) = {
            let mut state = inner.state.lock();
            state.submitted += 1;
            let submission = state.submitted;
            state.deferred.push_back((submission, batch));
            (submission, !std::mem::replace(&mut state.busy, true))
        };
        if idle {
            let inner = inner.clone();
            worker::post(Box::new(move || inner.serve()));
        }
        Ok(submission)
    }
    fn completed(&self) -> Submission {
        let completed = self.0.primary.completed();
        let mut state = self.0.state.lock();
        state.settle(completed);
        state.completed
    }
    fn unfinished(&self) -> Option<u64> {
        let completed = self.completed();
        let deferred = {
            let state = self.0.state.lock();
            state.busy.then(|| state.submitted - completed)
        };
        deferred.or_else(|| self.0.primary.unfinished())
    }
    fn wait(&self, submission: Submission, timeout: Option<Duration>) -> DeviceResult<bool> {
        let deadline = timeout.and_then(|t| Instant::now().checked_add(t));
        self.0.wait(submission, deadline, |theirs| {
            let left = deadline.map(|d| d.saturating_duration_since(Instant::now()));
            self.0.primary.wait(theirs, left)
        })
    }
    fn wait_asleep(&self, submission: Submission) -> DeviceResult<()> {
        self.0.wait(submission, None, |theirs| self.0.primary.wait_asleep(theirs).map(|()| true)).map(drop)
    }
    fn can_wait_on(&self, other: &dyn DeviceQueue) -> bool {
        let Some(other) = other.as_any().downcast_ref::<PairedQueue>() else { return false };
        // What a thread has not handled yet cannot be waited for on the device.
        let busy = other.0.state.lock().busy;
        !busy && self.0.primary.can_wait_on(&*other.0.primary)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
