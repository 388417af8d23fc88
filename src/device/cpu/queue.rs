//! Device queue: executes batches in order, on the thread that waits for them or on the queue's own.
//!
//! One thread at a time executes a queue's batches. The queue's thread is started with the queue, so that the
//! first launch is not delayed. It starts the threads of the pool, and sleeps while there is nothing to do. A
//! lock guards the list of batches; it is not held while commands run or completions are reported.

use super::super::batch::{Batch, BatchItem, CommandTicket, DeviceCommand, ListItem, Outcome, Times, Wait};
use super::super::spare::SpareLists;
use super::super::traits::*;
use super::check::Checker;
use super::pool::{Pool, STACK};
use super::{exec, image};
use crate::cl::{CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES};
use crate::clock;
use parking_lot::{Condvar, Mutex};
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

#[derive(Default)]
struct State {
    submitted: Submission,
    batches: VecDeque<Batch>,
    /// A thread is executing a batch.
    busy: bool,
    /// Recycled memory of the report on a batch.
    report: Report,
    /// The queue is being destroyed; its thread ends when no batch is left.
    closed: bool,
}

/// Report on a batch for the completion sink.
#[derive(Default)]
struct Report {
    tickets: Vec<CommandTicket>,
    /// Empty in queues without profiling.
    times: Vec<Times>,
}

struct Inner {
    pool: Arc<Pool>,
    checker: Arc<Checker>,
    sink: Arc<dyn CompletionSink>,
    profiling: bool,
    print_bytes: u64,
    state: Mutex<State>,
    spare_items: SpareLists<Vec<BatchItem>>,
    completed: AtomicU64,
    /// A batch was submitted, or the queue is being destroyed.
    work: Condvar,
    /// A batch is complete.
    done: Condvar,
}

/// Recorded commands.
pub struct CpuList(pub Vec<ListItem>);

impl DeviceList for CpuList {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A device queue.
pub struct CpuQueue(Arc<Inner>);

impl CpuQueue {
    /// A queue, with its thread.
    pub fn new(
        pool: Arc<Pool>,
        checker: Arc<Checker>,
        desc: &QueueDesc,
        sink: Arc<dyn CompletionSink>,
    ) -> DeviceResult<CpuQueue> {
        let queue = CpuQueue(Arc::new(Inner {
            pool,
            checker,
            sink,
            profiling: desc.profiling,
            print_bytes: if desc.print_bytes == 0 { PRINT_BYTES } else { desc.print_bytes },
            state: Mutex::default(),
            spare_items: SpareLists::default(),
            completed: AtomicU64::new(0),
            work: Condvar::new(),
            done: Condvar::new(),
        }));
        let serve = queue.0.clone();
        let builder = std::thread::Builder::new().name("pyroclast-queue".into()).stack_size(STACK);
        // Waiting threads could execute the batches, but nothing may wait for a flushed queue.
        builder.spawn(move || serve.serve()).map_err(|_| DeviceError::OutOfHostMemory)?;
        Ok(queue)
    }
}

impl Drop for CpuQueue {
    fn drop(&mut self) {
        self.0.state.lock().closed = true;
        self.0.work.notify_all();
    }
}

impl Inner {
    /// Executes the oldest batch; false if the queue is empty or another thread is executing one.
    fn step(&self) -> bool {
        let (Batch { waits, mut items }, mut report) = {
            let mut state = self.state.lock();
            if state.busy {
                return false;
            }
            let Some(batch) = state.batches.pop_front() else { return false };
            state.busy = true;
            (batch, std::mem::take(&mut state.report))
        };
        let outcome = self.execute_all(&waits, &items, &mut report);
        // Before the report: its receiver recycles what the commands share with it.
        items.clear();
        drop(waits);
        self.spare_items.keep(items.capacity(), items);
        let done = AssertUnwindSafe(|| self.sink.done(&report.tickets, outcome, &report.times));
        if catch_unwind(done).is_err() {
            tracing::error!("the report on a batch of the CPU device panicked; this is a bug of Pyroclast");
        }
        report.tickets.clear();
        report.times.clear();
        let mut state = self.state.lock();
        state.busy = false;
        state.report = report;
        self.completed.fetch_add(1, Ordering::Release);
        let more = !state.batches.is_empty();
        drop(state);
        self.done.notify_all();
        if more {
            // The queue's thread may have slept while this one was busy.
            self.work.notify_one();
        }
        true
    }

    /// Executes the commands of a batch, after its waits. After a failure, the commands that are left fail,
    /// too.
    fn execute_all(&self, waits: &[Wait], items: &[BatchItem], report: &mut Report) -> Outcome {
        let mut failed = None;
        for wait in waits {
            if wait.queue.wait(wait.submission, None).is_err() {
                failed = Some(CL_OUT_OF_RESOURCES);
            }
        }
        let mut start = if self.profiling { clock::now() } else { 0 };
        for item in items {
            let result = if failed.is_none() { self.contain(&item.command) } else { Ok(0) };
            let ended = result.unwrap_or_else(|error| {
                tracing::error!("a command on the CPU device: {error}");
                failed = Some(match error {
                    DeviceError::OutOfDeviceMemory | DeviceError::OutOfHostMemory => {
                        CL_MEM_OBJECT_ALLOCATION_FAILURE
                    }
                    _ => CL_OUT_OF_RESOURCES,
                });
                0
            });
            report.tickets.push(item.ticket);
            if self.profiling {
                let complete = clock::now();
                report.times.push(Times { start, end: if ended == 0 { complete } else { ended }, complete });
                start = complete;
            }
        }
        failed.map_or(Outcome::Complete, Outcome::Failed)
    }

    /// Executes a command as [`Inner::execute`] does. A panic there becomes the failure of the command.
    fn contain(&self, command: &DeviceCommand) -> DeviceResult<u64> {
        catch_unwind(AssertUnwindSafe(|| self.execute(command)))
            .unwrap_or_else(|_| Err(DeviceError::Unexpected("a panic, which is a bug of Pyroclast".into())))
    }

    /// Executes a command. Returns the end time of a kernel that enqueued children, else 0.
    fn execute(&self, command: &DeviceCommand) -> DeviceResult<u64> {
        match command {
            DeviceCommand::Launch(launch) => {
                let print = |text: &[u8]| self.sink.print(text);
                let host = exec::Host {
                    print_bytes: self.print_bytes,
                    print: &print,
                    pool: &self.pool,
                    checker: &self.checker,
                };
                exec::launch_and_print(launch, &host)
            }
            DeviceCommand::Replay(list) => {
                let Some(list) = list.as_any().downcast_ref::<CpuList>() else {
                    return Err(DeviceError::Unexpected("a list of another device".into()));
                };
                list.0.iter().try_for_each(|item| self.execute(&item.command).map(drop)).map(|()| 0)
            }
            DeviceCommand::Nop | DeviceCommand::Copy { .. } | DeviceCommand::Fill { .. } => {
                match image::transfer(command, &|total, work| _ = self.pool.run(total, work)) {
                    true => Ok(0),
                    false => Err(DeviceError::Unexpected("memory of another device".into())),
                }
            }
            DeviceCommand::Wait(_) | DeviceCommand::Signal(_) | DeviceCommand::Ownership { .. } => {
                Err(DeviceError::Unsupported("semaphores and external memory".into()))
            }
        }
    }

    /// Main loop of the queue's thread.
    fn serve(&self) {
        self.pool.keep();
        self.pool.start();
        loop {
            if self.step() {
                continue;
            }
            let mut state = self.state.lock();
            if !state.batches.is_empty() && !state.busy {
                continue;
            }
            if state.closed && state.batches.is_empty() {
                return;
            }
            self.work.wait(&mut state);
        }
    }
}

impl DeviceQueue for CpuQueue {
    fn items(&self, count: usize) -> Vec<BatchItem> {
        self.0.spare_items.take(count, Vec::with_capacity)
    }
    fn submit(&self, batch: Batch) -> DeviceResult<Submission> {
        let inner = &self.0;
        let mut state = inner.state.lock();
        state.submitted += 1;
        state.batches.push_back(batch);
        let submission = state.submitted;
        drop(state);
        inner.work.notify_one();
        Ok(submission)
    }
    fn completed(&self) -> Submission {
        self.0.completed.load(Ordering::Acquire)
    }
    fn unfinished(&self) -> Option<u64> {
        let state = self.0.state.lock();
        Some(state.submitted - self.completed())
    }
    fn wait(&self, submission: Submission, timeout: Option<Duration>) -> DeviceResult<bool> {
        let deadline = timeout.map(|t| Instant::now() + t);
        while self.completed() < submission {
            // Without a timeout this thread executes batches itself, unless the pool is pinned to certain
            // processors.
            if deadline.is_none() && !self.0.pool.is_bound() && self.0.step() {
                continue;
            }
            let mut state = self.0.state.lock();
            if self.completed() >= submission {
                break;
            }
            if submission > state.submitted {
                return Err(DeviceError::Unexpected("wait for a batch that was not submitted".into()));
            }
            match deadline {
                None if !state.busy && !state.batches.is_empty() && !self.0.pool.is_bound() => {}
                None => self.0.done.wait(&mut state),
                Some(deadline) => {
                    if self.0.done.wait_until(&mut state, deadline).timed_out() {
                        return Ok(self.completed() >= submission);
                    }
                }
            }
        }
        Ok(true)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::Checks;
    use super::super::check::report::Reports;
    use super::*;

    /// A list of commands that panics when it is executed.
    struct Broken;

    impl DeviceList for Broken {
        fn as_any(&self) -> &dyn Any {
            panic!("contained")
        }
    }

    /// Records outcomes, and panics at a batch with the ticket 3.
    #[derive(Default)]
    struct Outcomes(Mutex<Vec<(CommandTicket, Outcome)>>);

    impl CompletionSink for Outcomes {
        fn done(&self, tickets: &[CommandTicket], outcome: Outcome, _: &[Times]) {
            self.0.lock().extend(tickets.iter().map(|ticket| (*ticket, outcome)));
            assert!(!tickets.contains(&3), "contained");
        }
    }

    fn queue(sink: Arc<Outcomes>) -> CpuQueue {
        let checker = Arc::new(Checker::new(Checks::default(), Reports::default()));
        CpuQueue::new(Arc::new(Pool::new(2)), checker, &QueueDesc::default(), sink).expect("a queue")
    }

    #[test]
    fn waits_for_batches_that_were_not_submitted_fail() {
        let queue = queue(Arc::default());
        let items = vec![BatchItem { ticket: 1, command: DeviceCommand::Nop, ordered: true }];
        let last = queue.submit(Batch { waits: Default::default(), items }).unwrap();
        assert!(queue.wait_asleep(last + 1).is_err());
        assert!(queue.wait(last + 1, Some(Duration::from_secs(60))).is_err());
        assert!(queue.wait_asleep(last).is_ok());
    }

    #[test]
    fn panics_are_failures_of_their_batches() {
        let sink = Arc::new(Outcomes::default());
        let queue = queue(sink.clone());
        let commands = [
            DeviceCommand::Nop,
            DeviceCommand::Replay(Arc::new(Broken)),
            DeviceCommand::Nop,
            DeviceCommand::Nop,
        ];
        let mut last = 0;
        for (ticket, command) in (1..).zip(commands) {
            let items = vec![BatchItem { ticket, command, ordered: true }];
            last = queue.submit(Batch { waits: Default::default(), items }).unwrap();
        }
        // By the queue's thread.
        assert!(queue.wait(last, Some(Duration::from_secs(60))).unwrap());
        let failed = Outcome::Failed(CL_OUT_OF_RESOURCES);
        let expected = [(1, Outcome::Complete), (2, failed), (3, Outcome::Complete), (4, Outcome::Complete)];
        assert_eq!(*sink.0.lock(), expected);
    }
}
