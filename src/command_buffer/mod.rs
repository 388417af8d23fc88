//! Command buffers (cl_khr_command_buffer): commands recorded once and enqueued any number of times.
//!
//! A command is validated and described when it is recorded, as when it is enqueued, and kept. When the
//! buffer is finalized, its commands become one replay, which the device records; every enqueue is one
//! command of the queue. An update makes a new replay of the updated commands, so that work in flight keeps
//! the state it was enqueued with: a buffer may be enqueued, and updated, while it runs. A buffer that is
//! released while it runs is destroyed at once, its replay at completion.
//!
//! A buffer with several queues, possibly of several devices, is divided into parts of one queue each
//! ([`plan`]), which are enqueued in turn and wait for each other by their events; a final command completes
//! when all parts have. Updates are in [`mutable`], copies for other queues in [`remap`]. Locks: one of rank
//! CommandBuffer around the commands, held while they are validated and recorded.

pub mod mutable;
mod plan;
pub(crate) mod remap;
#[cfg(test)]
mod tests;

use crate::cl::image::ImageFormat;
use crate::cl::ndrange::NdRange;
use crate::cl::*;
use crate::command::image::{self, LevelRegion};
use crate::command::replay::{Replay, ReplayStep};
use crate::command::svm;
use crate::command::transfer::{self, RectSide};
use crate::command::{CommandKind, ExecutionTarget};
use crate::context::Context;
use crate::err;
use crate::error::{Error, Result};
use crate::event::{Event, WaitList};
use crate::host_ptr::HostPtr;
use crate::kernel::Kernel;
use crate::memory::MemObject;
use crate::object::{ApiObject, ApiSlot, ObjectKind};
use crate::queue::{CommandQueue, NewCommand, SyncKind};
use crate::sync::{Mutex, Rank};
use mutable::{MutableCommand, MutableDispatch};
use std::sync::{Arc, Weak};

/// A command buffer.
pub struct CommandBuffer {
    slot: ApiSlot,
    queues: Vec<Arc<CommandQueue>>,
    flags: cl_command_buffer_flags_khr,
    asserts: cl_mutable_dispatch_asserts_khr,
    properties: Option<Vec<cl_command_buffer_properties_khr>>,
    state: Mutex<BufferState>,
    this: Weak<CommandBuffer>,
}

#[derive(Default)]
struct BufferState {
    commands: Vec<Recorded>,
    finalized: bool,
    /// Whether every command from here on depends on all earlier ones.
    follows_barrier: bool,
    /// The current replays, if they have been built.
    parts: Option<Arc<[ReplayPart]>>,
    handles: Vec<Arc<MutableCommand>>,
}

/// A recorded command.
#[derive(Clone)]
struct Recorded {
    body: RecordedBody,
    /// Whether it depends on every earlier command of its part.
    ordered: bool,
    order: plan::CommandOrder,
}

/// Replay of commands of one queue, with the indices of the parts that it depends on.
struct ReplayPart {
    queue: usize,
    after: Vec<usize>,
    replay: Arc<Replay>,
}

#[derive(Clone)]
enum RecordedBody {
    Fixed(Arc<CommandKind>),
    Dispatch(MutableDispatch),
}

impl RecordedBody {
    /// `None` as long as a kernel argument is not set.
    fn kind(&self) -> Option<&Arc<CommandKind>> {
        match self {
            RecordedBody::Fixed(kind) => Some(kind),
            RecordedBody::Dispatch(dispatch) => dispatch.kind.as_ref(),
        }
    }
}

/// Queue and sync points for a command to record.
#[derive(Clone, Copy)]
pub struct RecordPosition<'a> {
    /// Index among the queues of the buffer.
    pub queue: usize,
    /// Wait list of sync points.
    pub waits: &'a [cl_sync_point_khr],
}

/// Properties of a kernel launch, as passed.
#[derive(Clone, Default)]
pub struct DispatchProperties {
    pub list: Option<Vec<cl_command_properties_khr>>,
    pub fields: Option<cl_mutable_dispatch_fields_khr>,
    pub asserts: cl_mutable_dispatch_asserts_khr,
}

/// Queue properties that command buffers support (CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR).
const QUEUE_PROPERTIES: cl_command_queue_properties =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

impl ApiObject for CommandBuffer {
    const KIND: ObjectKind = ObjectKind::CommandBuffer;
    const INVALID: cl_int = CL_INVALID_COMMAND_BUFFER_KHR;
    fn api_slot(&self) -> &ApiSlot {
        &self.slot
    }
}

impl CommandBuffer {
    /// clCreateCommandBufferKHR. `properties` is the list as passed, if there was one, `pairs` its names and
    /// values.
    pub fn create(
        queues: &[Arc<CommandQueue>],
        properties: Option<Vec<cl_command_buffer_properties_khr>>,
        pairs: &[(cl_command_buffer_properties_khr, cl_command_buffer_properties_khr)],
    ) -> Result<Arc<CommandBuffer>> {
        let [first, others @ ..] = queues else { return Err(err!(CL_INVALID_VALUE, "no queues")) };
        if others.iter().any(|q| !Arc::ptr_eq(q.context(), first.context())) {
            return Err(err!(CL_INVALID_CONTEXT, "queues of several contexts"));
        }
        let (mut flags, mut asserts) = (None, None);
        for (name, value) in pairs {
            // CL_INVALID_VALUE: an unknown property, or one that is given twice.
            let slot = match u32::try_from(*name) {
                Ok(CL_COMMAND_BUFFER_FLAGS_KHR) => &mut flags,
                Ok(CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR) => &mut asserts,
                _ => return Err(err!(CL_INVALID_VALUE, "command-buffer property {name:#x}")),
            };
            if slot.replace(*value).is_some() {
                return Err(err!(CL_INVALID_VALUE, "command-buffer property {name:#x} is given twice"));
            }
        }
        let (flags, asserts) = (flags.unwrap_or(0), asserts.unwrap_or(0));
        let known = CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR
            | CL_COMMAND_BUFFER_MUTABLE_KHR
            | CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR;
        // CL_INVALID_VALUE: undefined flags.
        if flags & !known != 0 || asserts & !CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR != 0 {
            return Err(err!(CL_INVALID_VALUE, "command-buffer flags {flags:#x}, asserts {asserts:#x}"));
        }
        // CL_INCOMPATIBLE_COMMAND_QUEUE_KHR: CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR requires that queues
        // synchronise on their devices; no device reports support for that.
        if flags & CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR != 0 && !others.is_empty() {
            return Err(err!(
                CL_INCOMPATIBLE_COMMAND_QUEUE_KHR,
                "several queues synchronise with the host's help"
            ));
        }
        Ok(Self::with_state(queues.to_vec(), flags, asserts, properties, |_| BufferState::default()))
    }

    fn with_state(
        queues: Vec<Arc<CommandQueue>>,
        flags: cl_command_buffer_flags_khr,
        asserts: cl_mutable_dispatch_asserts_khr,
        properties: Option<Vec<cl_command_buffer_properties_khr>>,
        state: impl FnOnce(&Weak<CommandBuffer>) -> BufferState,
    ) -> Arc<CommandBuffer> {
        Arc::new_cyclic(|this| {
            let state = Mutex::new(Rank::CommandBuffer, state(this));
            CommandBuffer {
                slot: ApiSlot::new(),
                queues,
                flags,
                asserts,
                properties,
                state,
                this: this.clone(),
            }
        })
    }

    /// CL_COMMAND_BUFFER_CONTEXT_KHR.
    pub fn context(&self) -> &Arc<Context> {
        self.queues[0].context()
    }

    /// The queues passed at creation, at least one.
    pub fn queues(&self) -> &[Arc<CommandQueue>] {
        &self.queues
    }

    /// Index of a queue that commands are recorded to, or of the only one.
    pub fn queue_index(&self, queue: Option<&Arc<CommandQueue>>) -> Result<usize> {
        let Some(queue) = queue else {
            // CL_INVALID_COMMAND_QUEUE: the queue may only be NULL if the buffer has one queue.
            return if self.queues.len() == 1 {
                Ok(0)
            } else {
                Err(err!(CL_INVALID_COMMAND_QUEUE, "no queue of several"))
            };
        };
        if !Arc::ptr_eq(queue.context(), self.context()) {
            return Err(err!(CL_INVALID_CONTEXT, "the queue belongs to another context"));
        }
        let found = self.queues.iter().position(|q| Arc::ptr_eq(q, queue));
        found.ok_or_else(|| err!(CL_INVALID_COMMAND_QUEUE, "the queue is none of the buffer's"))
    }

    /// CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR; none for buffers made without a list.
    pub fn properties(&self) -> Option<&[cl_command_buffer_properties_khr]> {
        self.properties.as_deref()
    }

    /// CL_COMMAND_BUFFER_STATE_KHR.
    pub fn state(&self) -> cl_command_buffer_state_khr {
        let state = self.state.lock();
        match state.finalized {
            false => CL_COMMAND_BUFFER_STATE_RECORDING_KHR,
            true if state.is_complete() => CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR,
            true => CL_COMMAND_BUFFER_STATE_FINALIZED_KHR,
        }
    }

    fn is_mutable(&self) -> bool {
        self.flags & CL_COMMAND_BUFFER_MUTABLE_KHR != 0
    }

    /// Appends a command that `describe` validates. Returns its sync point.
    fn append(
        &self,
        at: RecordPosition<'_>,
        barrier: bool,
        describe: impl FnOnce(&mut BufferState, &Arc<CommandQueue>) -> Result<RecordedBody>,
    ) -> Result<cl_sync_point_khr> {
        let mut state = self.state.lock();
        state.validate_recording(at)?;
        let queue = self.queues.get(at.queue).ok_or_else(|| Error::new(CL_INVALID_COMMAND_QUEUE))?;
        let point = cl_sync_point_khr::try_from(state.commands.len() + 1);
        let point = point.map_err(|_| err!(CL_OUT_OF_RESOURCES, "too many commands"))?;
        let body = describe(&mut state, queue)?;
        state.follows_barrier |= barrier;
        let ordered = !queue.is_out_of_order() || state.follows_barrier || !at.waits.is_empty();
        let order = plan::CommandOrder {
            queue: at.queue,
            waits: at.waits.iter().map(|p| *p as usize - 1).collect(),
            barrier,
        };
        state.commands.push(Recorded { body, ordered, order });
        Ok(point)
    }

    /// clCommandBarrierWithWaitListKHR.
    pub fn barrier(&self, at: RecordPosition<'_>) -> Result<cl_sync_point_khr> {
        self.append(at, true, |_, _| Ok(RecordedBody::Fixed(Arc::new(CommandKind::NOP))))
    }

    fn fixed(
        &self,
        at: RecordPosition<'_>,
        describe: impl FnOnce(&CommandQueue) -> Result<(CommandKind, ExecutionTarget)>,
    ) -> Result<cl_sync_point_khr> {
        self.append(at, false, |_, queue| {
            describe(queue).map(|(kind, _)| RecordedBody::Fixed(Arc::new(kind)))
        })
    }

    /// clCommandCopyBufferKHR.
    pub fn copy_buffer(
        &self,
        src: &Arc<MemObject>,
        dst: &Arc<MemObject>,
        src_offset: usize,
        dst_offset: usize,
        size: usize,
        at: RecordPosition<'_>,
    ) -> Result<cl_sync_point_khr> {
        self.fixed(at, |queue| transfer::describe_copy(queue, src, dst, src_offset, dst_offset, size))
    }

    /// clCommandCopyBufferRectKHR.
    pub fn copy_rect(
        &self,
        src: &Arc<MemObject>,
        dst: &Arc<MemObject>,
        src_side: RectSide,
        dst_side: RectSide,
        region: [usize; 3],
        at: RecordPosition<'_>,
    ) -> Result<cl_sync_point_khr> {
        self.fixed(at, |queue| transfer::describe_copy_rect(queue, src, dst, src_side, dst_side, region))
    }

    /// clCommandFillBufferKHR.
    pub fn fill_buffer(
        &self,
        mem: &Arc<MemObject>,
        pattern: &[u8],
        offset: usize,
        size: usize,
        at: RecordPosition<'_>,
    ) -> Result<cl_sync_point_khr> {
        self.fixed(at, |queue| transfer::describe_fill(queue, mem, pattern, offset, size))
    }

    /// clCommandFillImageKHR. `color` returns the bytes of the colour in a format.
    pub fn fill_image<'a>(
        &self,
        mem: &Arc<MemObject>,
        color: impl FnOnce(ImageFormat) -> Result<&'a [u8]>,
        region: LevelRegion,
        at: RecordPosition<'_>,
    ) -> Result<cl_sync_point_khr> {
        self.fixed(at, |queue| image::describe_fill(queue, mem, color, region))
    }

    /// clCommandCopyImageKHR.
    pub fn copy_image(
        &self,
        src: &Arc<MemObject>,
        dst: &Arc<MemObject>,
        src_origin: image::LevelOrigin,
        dst_origin: image::LevelOrigin,
        size: [usize; 3],
        at: RecordPosition<'_>,
    ) -> Result<cl_sync_point_khr> {
        self.fixed(at, |queue| image::describe_copy(queue, src, dst, src_origin, dst_origin, size))
    }

    /// clCommandCopyImageToBufferKHR and, if `to_image`, clCommandCopyBufferToImageKHR.
    pub fn copy_image_buffer(
        &self,
        image: &Arc<MemObject>,
        buffer: &Arc<MemObject>,
        to_image: bool,
        region: LevelRegion,
        offset: usize,
        at: RecordPosition<'_>,
    ) -> Result<cl_sync_point_khr> {
        self.fixed(at, |queue| image::describe_copy_buffer(queue, image, buffer, to_image, region, offset))
    }

    /// clCommandSVMMemcpyKHR.
    pub fn svm_memcpy(
        &self,
        pointers: (HostPtr, HostPtr),
        size: usize,
        at: RecordPosition<'_>,
    ) -> Result<cl_sync_point_khr> {
        self.fixed(at, |queue| svm::record_memcpy(queue, pointers, size))
    }

    /// clCommandSVMMemFillKHR.
    pub fn svm_fill(
        &self,
        ptr: HostPtr,
        pattern: &[u8],
        size: usize,
        at: RecordPosition<'_>,
    ) -> Result<cl_sync_point_khr> {
        self.fixed(at, |queue| svm::record_fill(queue, ptr, pattern, size))
    }

    /// clCommandNDRangeKernelKHR. Returns the sync point, and the command for its handle.
    pub fn launch(
        &self,
        kernel: &Arc<Kernel>,
        range: NdRange,
        properties: DispatchProperties,
        at: RecordPosition<'_>,
    ) -> Result<(cl_sync_point_khr, Arc<MutableCommand>)> {
        let mut handle = None;
        let point = self.append(at, false, |state, queue| {
            // CL_INVALID_OPERATION: the device cannot update one of the updatable fields.
            let capabilities = queue.device().mutable_dispatch_capabilities();
            let wanted = properties.fields.unwrap_or(capabilities);
            if wanted & !capabilities != 0 {
                return Err(err!(CL_INVALID_OPERATION, "updatable fields {wanted:#x} of {capabilities:#x}"));
            }
            // CL_INVALID_VALUE: CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR requires a local
            // size.
            let asserts = (self.asserts | properties.asserts)
                & CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;
            if asserts != 0 && range.local.is_none() {
                return Err(err!(CL_INVALID_VALUE, "a promise about work-groups without a local size"));
            }
            // In mutable buffers, arguments may be set later if the properties say so.
            let later = self.is_mutable()
                && properties.fields.is_some_and(|f| f & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR != 0);
            let dispatch = MutableDispatch::record(queue, kernel, range, wanted, later)?;
            let command = MutableCommand::new(self.this.clone(), state.commands.len(), properties.list);
            state.handles.push(command.clone());
            handle = Some(command);
            Ok(RecordedBody::Dispatch(dispatch))
        })?;
        let handle = handle.ok_or_else(|| Error::new(CL_OUT_OF_HOST_MEMORY))?;
        Ok((point, handle))
    }

    /// clFinalizeCommandBufferKHR.
    pub fn finalize(&self) -> Result<()> {
        let mut state = self.state.lock();
        if state.finalized {
            return Err(err!(CL_INVALID_OPERATION, "the command buffer is finalized already"));
        }
        state.finalized = true;
        let parts = state.is_complete().then(|| state.current(&self.queues)).transpose()?;
        drop(state);
        // A failure of recording is reported, and recording is tried again when the buffer is enqueued.
        let mut parts = parts.iter().flat_map(|parts| parts.iter());
        parts.try_for_each(|part| part.replay.prepare(self.queues[part.queue].target()))
    }

    /// clEnqueueCommandBufferKHR on `queues`; if that is empty, on the queues passed at creation.
    pub fn enqueue(&self, queues: &[Arc<CommandQueue>], waits: WaitList) -> Result<Arc<Event>> {
        let parts = {
            let mut state = self.state.lock();
            // CL_INVALID_OPERATION: the buffer is not finalized, or an argument is not set.
            if !state.finalized || !state.is_complete() {
                return Err(err!(CL_INVALID_OPERATION, "the command buffer is not executable"));
            }
            state.current(&self.queues)?
        };
        if !queues.is_empty() && queues.len() != self.queues.len() {
            return Err(err!(CL_INVALID_VALUE, "{} queues instead of {}", queues.len(), self.queues.len()));
        }
        let queues = if queues.is_empty() { &self.queues[..] } else { queues };
        for (queue, own) in queues.iter().zip(&self.queues) {
            // CL_INCOMPATIBLE_COMMAND_QUEUE_KHR: a property that command buffers do not support; none are
            // required.
            if queue.properties() & !QUEUE_PROPERTIES != 0 {
                return Err(err!(
                    CL_INCOMPATIBLE_COMMAND_QUEUE_KHR,
                    "queue properties {:#x}",
                    queue.properties()
                ));
            }
            if !Arc::ptr_eq(queue.context(), self.context()) {
                return Err(err!(CL_INVALID_CONTEXT, "the queue belongs to another context"));
            }
            // CL_INVALID_DEVICE: not the device of the queue that it replaces.
            if !Arc::ptr_eq(queue.device(), own.device()) {
                return Err(err!(CL_INVALID_DEVICE, "the queue is for another device"));
            }
        }
        match (queues, &*parts) {
            ([queue], [part]) => part.enqueue(queue, waits),
            _ => enqueue_parts(&parts, queues, waits),
        }
    }
}

impl ReplayPart {
    fn enqueue(&self, queue: &Arc<CommandQueue>, waits: WaitList) -> Result<Arc<Event>> {
        let (kind, target) = self.replay.clone().command();
        queue.enqueue(NewCommand {
            command_type: CL_COMMAND_COMMAND_BUFFER_KHR,
            kind,
            waits,
            target,
            sync: SyncKind::None,
        })
    }
}

/// Enqueues the parts of a buffer with several queues. Returns the event of all parts. Parts only wait for
/// earlier ones: they can be enqueued in turn, and queues that several threads use never wait for each other
/// in a cycle.
fn enqueue_parts(parts: &[ReplayPart], queues: &[Arc<CommandQueue>], waits: WaitList) -> Result<Arc<Event>> {
    if waits.iter().any(|e| !Arc::ptr_eq(e.context(), queues[0].context())) {
        return Err(err!(CL_INVALID_CONTEXT, "an event of the wait list belongs to another context"));
    }
    let mut events: Vec<Arc<Event>> = Vec::with_capacity(parts.len());
    for part in parts {
        let before: WaitList = match part.after.as_slice() {
            [] => waits.clone(),
            after => after.iter().map(|p| events[*p].clone()).collect(),
        };
        events.push(part.enqueue(&queues[part.queue], before)?);
    }
    // Times are taken from a queue with profiling, if there is one.
    let profiling = events.iter().find(|e| e.queue().is_some_and(|q| q.is_profiling()));
    let first = profiling.or(events.first()).cloned();
    let queue = first.as_ref().and_then(|e| e.queue()).unwrap_or(&queues[0]);
    let waits = if events.is_empty() { waits } else { events.iter().cloned().collect() };
    let (kind, command_type) = (CommandKind::NOP, CL_COMMAND_COMMAND_BUFFER_KHR);
    let all = queue.enqueue(NewCommand {
        command_type,
        kind,
        waits,
        target: ExecutionTarget::Either,
        sync: SyncKind::None,
    })?;
    all.span_queues(first);
    events.into_iter().for_each(Event::release);
    Ok(all)
}

impl BufferState {
    fn validate_recording(&self, at: RecordPosition<'_>) -> Result<()> {
        if self.finalized {
            return Err(err!(CL_INVALID_OPERATION, "the command buffer is finalized"));
        }
        // CL_INVALID_SYNC_POINT_WAIT_LIST_KHR: not the sync point of an earlier command of this buffer.
        if at.waits.iter().any(|point| *point == 0 || *point as usize > self.commands.len()) {
            return Err(err!(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, "no such sync point"));
        }
        Ok(())
    }

    /// Whether every kernel argument is set.
    fn is_complete(&self) -> bool {
        self.parts.is_some() || self.commands.iter().all(|c| c.body.kind().is_some())
    }

    /// The current replays for these queues.
    fn current(&mut self, queues: &[Arc<CommandQueue>]) -> Result<Arc<[ReplayPart]>> {
        if let Some(parts) = &self.parts {
            return Ok(parts.clone());
        }
        let orders: Vec<plan::CommandOrder> = self.commands.iter().map(|c| c.order.clone()).collect();
        let part = |plan::PlannedPart { queue, commands, after }| {
            let step = |c: &usize| {
                let command = self.commands.get(*c)?;
                Some(ReplayStep { kind: command.body.kind()?.clone(), ordered: command.ordered })
            };
            let steps: Option<Vec<ReplayStep>> = commands.iter().map(step).collect();
            let steps = steps.ok_or_else(|| err!(CL_INVALID_OPERATION, "a kernel argument has no value"))?;
            Ok(ReplayPart { queue, after, replay: Arc::new(Replay::new(steps)) })
        };
        let parts: Result<Arc<[ReplayPart]>> =
            plan::divide(&orders, queues.len()).into_iter().map(part).collect();
        let parts = parts?;
        Ok(self.parts.insert(parts).clone())
    }
}
