//! Command queues: the object, enqueueing, flush and finish. `graph` makes commands ready, `policy` decides
//! when they are submitted to the device.
//!
//! A queue that the application has released lives on while commands are pending: their events hold it.
//!
//! When clFinish, clWaitForEvents or a blocking command returns, the callbacks of the events it covers have
//! returned too: those of every command of the queue (clFinish), of the command and, in in-order queues, of
//! those before it, and of the events in its wait list. [`crate::callback`] says why such waits end.
//! Locks: the state (rank QueueGraph), with at most one event's lock inside; none while commands are lowered,
//! submitted or run.

pub mod device_command_queue;
pub(crate) mod graph;
pub(crate) mod policy;
#[cfg(test)]
mod tests;
mod tickets;

use crate::cl::*;
use crate::command::{CommandKind, ExecutionTarget, HostRanges};
use crate::config::Config;
use crate::context::{Context, ContextDevice, Drain};
use crate::device::Device;
use crate::device::batch::{CommandTicket, Outcome, Times};
use crate::device::info::AddressSharing;
use crate::device::traits::{CompletionSink, DeviceOps, DeviceQueue, Priority, QueueDesc, Submission};
use crate::err;
use crate::error::{Error, Result};
use crate::event::{Command, Event, ProfilingPoint, WaitList};
use crate::object::{ApiObject, ApiSlot, ObjectKind};
use crate::pending_host_writes::Pending;
use crate::record::{self, Record};
use crate::sync::{Mutex, Rank};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;
use tickets::CallbackTickets;

/// A command queue.
pub struct CommandQueue {
    slot: ApiSlot,
    target: ContextDevice,
    properties: AtomicU64,
    property_list: Option<Vec<cl_queue_properties>>,
    device_queue: Arc<dyn DeviceQueue>,
    /// Whether each command is waited for when it is enqueued (PYROCLAST_SYNC).
    sync: bool,
    state: Mutex<graph::GraphState>,
    /// The newest submission; 0 before the first one.
    last_submission: AtomicU64,
    /// Threads that enqueue are to be held up: known without the state's lock, which each command would take.
    is_far_ahead: AtomicBool,
    /// First failure of a command on its own that clFinish has not reported; 0 if there is none.
    failure: AtomicI32,
    /// Events to be reused by later commands.
    kept: Mutex<Vec<Arc<Event>>>,
    /// Callbacks of the queue's events.
    tickets: CallbackTickets,
    /// Number of the queue in the recording; 0 if there is none.
    recorded: u64,
}

impl ApiObject for CommandQueue {
    const KIND: ObjectKind = ObjectKind::CommandQueue;
    const INVALID: cl_int = CL_INVALID_COMMAND_QUEUE;
    fn api_slot(&self) -> &ApiSlot {
        &self.slot
    }
}

impl Drain for CommandQueue {
    fn drain(self: Arc<Self>) {
        // The error cannot be reported any more.
        let _ = self.finish();
    }
}

/// Limit of commands of a queue in flight on the device: drivers need up to a MiB for a command buffer, and
/// there may be one per command. A thread at the limit waits until few are left, so that it sleeps for a
/// while.
const MOST_IN_FLIGHT: usize = 1024;
const FEW_IN_FLIGHT: usize = 512;
/// How long a thread lets another one submit what is over the limit. It is not waited for any longer, because
/// the application may block it in a callback.
const LET_SUBMIT: Duration = Duration::from_millis(1);
/// Limits under which a blocking write returns before it is complete: its bytes, and the commands in flight
/// before it.
const MOST_AHEAD: usize = 1 << 20;
const MOST_WRITES: usize = 32;

/// Limit of events kept for reuse.
const MOST_KEPT: usize = MOST_IN_FLIGHT + 2 * policy::MAX_BATCH;

/// Ordering of a command among those of an out-of-order queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SyncKind {
    #[default]
    None,
    /// Completes after its wait list or, without one, after every earlier command.
    Marker,
    /// Like `Marker`; later commands wait for it, too.
    Barrier,
}

/// A command to enqueue.
pub struct NewCommand {
    pub command_type: cl_command_type,
    pub kind: CommandKind,
    pub waits: WaitList,
    pub target: ExecutionTarget,
    pub sync: SyncKind,
}

/// Receives the completions of a device queue. It does not keep the command queue alive.
struct Sink(OnceLock<Weak<CommandQueue>>);

impl CompletionSink for Sink {
    fn print(&self, text: &[u8]) {
        if let Some(queue) = self.0.get().and_then(Weak::upgrade) {
            queue.context().print(text);
        }
    }

    fn lost(&self, report: &str) {
        if let Some(queue) = self.0.get().and_then(Weak::upgrade) {
            queue.context().notify(report);
        }
    }

    fn done(&self, tickets: &[CommandTicket], outcome: Outcome, times: &[Times]) {
        // The queue is alive: the events of commands in flight hold it.
        if let Some(queue) = self.0.get().and_then(Weak::upgrade) {
            queue.completed(tickets, outcome, times);
        }
    }
}

/// The value of a property in a list of clCreateCommandQueueWithProperties.
fn hint(list: &Option<Vec<cl_queue_properties>>, key: cl_uint) -> Option<cl_queue_properties> {
    let pairs = list.as_deref().unwrap_or_default().chunks_exact(2);
    pairs.filter(|pair| pair[0] == u64::from(key)).map(|pair| pair[1]).next()
}

/// Records a new queue with its device. Returns its number.
fn record_queue(device: &Arc<Device>, properties: cl_command_queue_properties) -> u64 {
    if !record::is_on() {
        return 0;
    }
    let (id, number, info) = (record::new_id(), device.record_id(), device.info());
    record::put(&Record::Device {
        id: number,
        name: &info.name,
        kind: device.device_type() as u32,
        units: info.compute_units,
        megahertz: info.clock_mhz,
        memory: info.global_mem_size,
        local: info.local_mem_size,
    });
    record::put(&Record::Queue { id, device: number, properties, time: record::now() });
    id
}

impl CommandQueue {
    /// Creates a queue. `property_list` is the list passed to clCreateCommandQueueWithProperties.
    pub fn new(
        context: &Arc<Context>,
        device: &Arc<Device>,
        properties: cl_command_queue_properties,
        property_list: Option<Vec<cl_queue_properties>>,
    ) -> Result<Arc<CommandQueue>> {
        Self::with_sync(context, device, properties, property_list, Config::get().sync)
    }

    fn with_sync(
        context: &Arc<Context>,
        device: &Arc<Device>,
        properties: cl_command_queue_properties,
        property_list: Option<Vec<cl_queue_properties>>,
        sync: bool,
    ) -> Result<Arc<CommandQueue>> {
        let target = ContextDevice::new(context, device)?;
        let desc = QueueDesc {
            out_of_order: properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0,
            profiling: properties & CL_QUEUE_PROFILING_ENABLE != 0 || record::is_on(),
            print_bytes: context.print_bytes(),
            priority: match hint(&property_list, CL_QUEUE_PRIORITY_KHR) {
                Some(CL_QUEUE_PRIORITY_HIGH_KHR) => Priority::High,
                Some(CL_QUEUE_PRIORITY_LOW_KHR) => Priority::Low,
                _ => Priority::Medium,
            },
            saving: hint(&property_list, CL_QUEUE_THROTTLE_KHR) == Some(CL_QUEUE_THROTTLE_LOW_KHR),
        };
        let sink = Arc::new(Sink(OnceLock::new()));
        let device_queue = device.ops().create_queue(&desc, sink.clone())?;
        let queue = Arc::new(CommandQueue {
            slot: ApiSlot::new(),
            target,
            properties: AtomicU64::new(properties),
            property_list,
            device_queue,
            sync,
            state: Mutex::new(Rank::QueueGraph, graph::GraphState::default()),
            last_submission: AtomicU64::new(0),
            is_far_ahead: AtomicBool::new(false),
            failure: AtomicI32::new(0),
            kept: Mutex::new(Rank::Pools, Vec::new()),
            tickets: CallbackTickets::new(),
            recorded: record_queue(device, properties),
        });
        let _ = sink.0.set(Arc::downgrade(&queue));
        let known: Arc<dyn Drain> = queue.clone();
        context.add_queue(Arc::downgrade(&known));
        Ok(queue)
    }

    /// The device in its context, which commands are lowered for.
    pub fn target(&self) -> &ContextDevice {
        &self.target
    }

    /// The context.
    pub fn context(&self) -> &Arc<Context> {
        self.target.context()
    }

    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        self.target.device()
    }

    /// Position of the device in the context.
    pub(crate) fn device_index(&self) -> usize {
        self.target.device_index()
    }

    /// CL_QUEUE_PROPERTIES.
    pub fn properties(&self) -> cl_command_queue_properties {
        self.properties.load(Ordering::Relaxed)
    }

    /// CL_QUEUE_PROPERTIES_ARRAY; none for queues made without a list.
    pub fn property_list(&self) -> Option<&[cl_queue_properties]> {
        self.property_list.as_deref()
    }

    /// Whether the queue is out-of-order.
    pub(crate) fn is_out_of_order(&self) -> bool {
        self.properties() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0
    }

    /// Whether profiling is enabled.
    pub(crate) fn is_profiling(&self) -> bool {
        self.properties() & CL_QUEUE_PROFILING_ENABLE != 0
    }

    pub(crate) fn ops(&self) -> &Arc<dyn DeviceOps> {
        self.target.ops()
    }

    pub(crate) fn device_queue(&self) -> &Arc<dyn DeviceQueue> {
        &self.device_queue
    }

    /// Takes an event to reuse, if there is one.
    pub(crate) fn kept_event(&self) -> Option<Arc<Event>> {
        self.kept.lock().pop()
    }

    /// Keeps an event without other references for reuse.
    pub(crate) fn keep_event(&self, event: Arc<Event>) {
        let mut kept = self.kept.lock();
        if kept.len() < MOST_KEPT {
            kept.push(event);
        }
    }

    /// Callbacks of the queue's events.
    pub(crate) fn tickets(&self) -> &CallbackTickets {
        &self.tickets
    }

    /// Time of the device clock, for profiling queues.
    pub(crate) fn now(&self) -> u64 {
        self.ops().device_now().unwrap_or(0)
    }

    /// Appends a command whose own operands are validated. The caller publishes or drops the event.
    pub fn enqueue(self: &Arc<Self>, new: NewCommand) -> Result<Arc<Event>> {
        let ranges = new.kind.host_ranges();
        self.enqueue_one(new, ranges)
    }

    /// Appends a command; `ranges` is the memory of the application that it accesses after the call.
    fn enqueue_one(self: &Arc<Self>, mut new: NewCommand, ranges: HostRanges) -> Result<Arc<Event>> {
        if new.waits.iter().any(|e| !Arc::ptr_eq(e.context(), self.context())) {
            return Err(Error::with(
                CL_INVALID_CONTEXT,
                "an event of the wait list belongs to another context",
            ));
        }
        if !self.ops().available() {
            return Err(Error::with(CL_OUT_OF_RESOURCES, "the device is lost"));
        }
        // If an unfinished read writes the source, the host reads it when the read is complete; the device
        // must not before.
        let HostRanges { read: source, written: target } = ranges;
        // Kernels may also access host memory by address, unknown to the application.
        let shared = [&source, &target].into_iter().flatten().any(|range| self.is_shared(range));
        let stale = shared || source.is_some_and(|range| self.context().pending_host_writes.overlaps(&range));
        let event =
            Event::of_command(self, new.command_type, if stale { ExecutionTarget::Host } else { new.target });
        if self.is_profiling() {
            event.stamp(ProfilingPoint::Queued, self.now());
        }
        if self.recorded != 0 {
            let waits = new.waits.iter().map(|wait| wait.recorded().id());
            event.recorded().enqueued(self.recorded, new.command_type, &new.kind, waits);
        }
        if new.waits.is_empty() && self.execute_if_idle(&event, &mut new.kind) {
            return Ok(event);
        }
        self.insert(&event, Command::new(new.kind), new.waits, new.sync);
        if let Some(range) = target.filter(|_| !event.is_done()) {
            let event: Arc<dyn Pending> = event.clone();
            self.context().pending_host_writes.add(range, Arc::downgrade(&event));
        }
        self.throttle();
        if self.sync {
            self.flush();
            // Commands held back by a user event are not waited for: the caller may be the one to set it.
            if event.status() <= CL_SUBMITTED {
                event.wait();
            }
        }
        Ok(event)
    }

    /// Whether kernels of the context may access host memory in the range.
    fn is_shared(&self, range: &std::ops::Range<usize>) -> bool {
        let allocations = &self.context().allocations;
        let any_address =
            || self.context().devices().iter().any(|d| d.info().sharing == AddressSharing::Host);
        allocations.is_used() && (any_address() || allocations.find(range.start as u64).is_some())
    }

    /// Limits the commands in flight, and so their memory: a thread that enqueues far ahead waits for the
    /// device, which needs nothing from the host for submitted commands, or gives way to the thread that
    /// submits.
    fn throttle(&self) {
        if !self.is_far_ahead.load(Ordering::Relaxed) {
            return;
        }
        let (in_flight, unsubmitted) = {
            let state = self.state.lock();
            (state.in_flight(), state.left_to_another_thread())
        };
        if unsubmitted > MOST_IN_FLIGHT {
            std::thread::sleep(LET_SUBMIT);
        }
        if in_flight <= MOST_IN_FLIGHT {
            return;
        }
        while self.state.lock().in_flight() > FEW_IN_FLIGHT {
            // Another thread may be about to submit the missing work; then there is nothing to wait for.
            if self.device_queue.wait_asleep(self.device_queue.completed() + 1).is_err() {
                return;
            }
        }
    }

    /// Appends a command and waits until the application may use its memory again. A failure of the command
    /// or of its dependencies is returned as the error.
    pub(crate) fn enqueue_blocking(self: &Arc<Self>, new: NewCommand) -> Result<Arc<Event>> {
        // A blocking write guarantees that its source may be reused, which may be before it is complete.
        let write = [CL_COMMAND_WRITE_BUFFER, CL_COMMAND_WRITE_BUFFER_RECT, CL_COMMAND_WRITE_IMAGE]
            .contains(&new.command_type);
        let mut ranges = new.kind.host_ranges();
        let short_source = write && ranges.read.as_ref().is_some_and(|range| range.len() <= MOST_AHEAD);
        // When the call returns, the callbacks of earlier commands have returned, so those commands must be
        // complete.
        let ahead = short_source
            && self.device_queue.reads_sources()
            && !self.is_profiling()
            && !self.tickets.is_used();
        let waits = new.waits.clone();
        // The application may access the destination of a blocking read when the call returns, not before.
        ranges.written = None;
        let event = self.enqueue_one(new, ranges)?;
        if ahead {
            self.flush();
            if event.submission().is_some() && self.state.lock().in_flight() <= MOST_WRITES {
                return Ok(event);
            }
        }
        let status = event.wait();
        waits.iter().chain([&event]).for_each(|e| e.wait_for_callbacks());
        match status {
            status if status < 0 => Err(Error::with(status, "the command or what it waits for failed")),
            _ => Ok(event),
        }
    }

    /// Submits everything enqueued so far as soon as its dependencies allow, and likewise its dependencies in
    /// other queues (clFlush).
    pub fn flush(self: &Arc<Self>) {
        graph::flush(self);
    }

    /// Flushes and blocks until everything enqueued so far is complete, including callbacks of events
    /// (clFinish). Fails if a command has failed on its own: an application that requests no events learns it
    /// nowhere else. Each failure is reported once.
    pub fn finish(self: &Arc<Self>) -> Result<()> {
        let last = graph::flush(self);
        loop {
            let next = self.state.lock().unfinished(last);
            match next {
                None => {
                    self.tickets.wait(last);
                    return match self.take_failure() {
                        0 => Ok(()),
                        CL_OUT_OF_HOST_MEMORY => {
                            Err(Error::with(CL_OUT_OF_HOST_MEMORY, "a command of the queue failed"))
                        }
                        code => Err(err!(CL_OUT_OF_RESOURCES, "a command of the queue failed with {code}")),
                    };
                }
                Some(event) => {
                    event.wait_flushed();
                    Event::release(event);
                }
            }
        }
    }

    /// The first failure that was not reported, or 0.
    fn take_failure(&self) -> cl_int {
        if self.failure.load(Ordering::Acquire) == 0 { 0 } else { self.failure.swap(0, Ordering::AcqRel) }
    }

    /// The newest submission not known to be complete.
    pub(crate) fn last_in_flight(&self) -> Option<Submission> {
        let state = self.state.lock();
        let last = self.last_submission.load(Ordering::Acquire);
        (last != 0 && state.in_flight() > 0).then_some(last)
    }
}
