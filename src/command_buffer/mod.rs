//! Command buffers (cl_khr_command_buffer): commands recorded once and enqueued any number of times.
//!
//! A command is validated and described when it is recorded, like one that is enqueued, and kept. When the buffer is
//! finalized its commands become one [`Replay`], which the device records; every enqueue is one command of the queue. An
//! update makes a new replay out of the commands as they are then, so that what is in flight keeps what it was enqueued
//! with: a buffer may be enqueued, and updated, while it runs. A buffer that is released while it runs ends at once, its
//! replay when it is done.
//!
//! Buffers belong to one queue and so to one device (cl_khr_command_buffer_multi_device is not offered). Updates are in
//! [`mutable`]. Locks: one of rank CommandBuffer around the commands, held while they are validated and recorded.

pub mod mutable;
#[cfg(test)]
mod tests;

use crate::cl::image::ImageFormat;
use crate::cl::ndrange::NdRange;
use crate::cl::*;
use crate::command::image::{self, Region};
use crate::command::replay::{Replay, Step};
use crate::command::svm;
use crate::command::transfer::{self, RectSide};
use crate::command::{CommandKind, Place};
use crate::context::Context;
use crate::device::Device;
use crate::err;
use crate::error::{Error, Result};
use crate::event::{Event, WaitList};
use crate::host_ptr::HostPtr;
use crate::kernel::Kernel;
use crate::memory::MemObject;
use crate::object::{ApiObject, ApiSlot, ObjectKind};
use crate::queue::{CommandQueue, Fence, NewCommand};
use crate::sync::{Mutex, Rank};
use mutable::{Dispatch, MutableCommand};
use std::sync::{Arc, Weak};

/// A command buffer; see the module's text.
pub struct CommandBuffer {
    slot: ApiSlot,
    queue: Arc<CommandQueue>,
    flags: cl_command_buffer_flags_khr,
    asserts: cl_mutable_dispatch_asserts_khr,
    properties: Option<Vec<cl_command_buffer_properties_khr>>,
    state: Mutex<State>,
    this: Weak<CommandBuffer>,
}

#[derive(Default)]
struct State {
    commands: Vec<Recorded>,
    finalized: bool,
    /// Every command from here on comes after those before.
    fenced: bool,
    /// The commands as they are now; none before they are wanted.
    replay: Option<Arc<Replay>>,
    handles: Vec<Arc<MutableCommand>>,
}

/// A command of the buffer.
#[derive(Clone)]
struct Recorded {
    what: What,
    ordered: bool,
}

#[derive(Clone)]
enum What {
    Fixed(Arc<CommandKind>),
    Dispatch(Dispatch),
}

impl What {
    /// None as long as a kernel argument has no value.
    fn kind(&self) -> Option<&Arc<CommandKind>> {
        match self {
            What::Fixed(kind) => Some(kind),
            What::Dispatch(dispatch) => dispatch.kind.as_ref(),
        }
    }
}

/// Sync points that a command waits for.
pub type SyncPoints<'a> = &'a [cl_sync_point_khr];

/// Properties of a kernel launch, as they were given.
#[derive(Clone, Default)]
pub struct DispatchProperties {
    pub list: Option<Vec<cl_command_properties_khr>>,
    pub fields: Option<cl_mutable_dispatch_fields_khr>,
    pub asserts: cl_mutable_dispatch_asserts_khr,
}

/// Queue properties that command buffers work with (CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR).
const QUEUE_PROPERTIES: cl_command_queue_properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

impl ApiObject for CommandBuffer {
    const KIND: ObjectKind = ObjectKind::CommandBuffer;
    const INVALID: cl_int = CL_INVALID_COMMAND_BUFFER_KHR;
    fn api_slot(&self) -> &ApiSlot {
        &self.slot
    }
}

impl CommandBuffer {
    /// clCreateCommandBufferKHR. `properties` is the list as given, if there was one, `pairs` its names and values.
    pub fn create(
        queues: &[Arc<CommandQueue>],
        properties: Option<Vec<cl_command_buffer_properties_khr>>,
        pairs: &[(cl_command_buffer_properties_khr, cl_command_buffer_properties_khr)],
    ) -> Result<Arc<CommandBuffer>> {
        // Without cl_khr_command_buffer_multi_device there is one queue.
        let [queue] = queues else { return Err(err!(CL_INVALID_VALUE, "{} queues", queues.len())) };
        let (mut flags, mut asserts) = (None, None);
        for (name, value) in pairs {
            // A property is a known one and given once.
            let place = match u32::try_from(*name) {
                Ok(CL_COMMAND_BUFFER_FLAGS_KHR) => &mut flags,
                Ok(CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR) => &mut asserts,
                _ => return Err(err!(CL_INVALID_VALUE, "command-buffer property {name:#x}")),
            };
            if place.replace(*value).is_some() {
                return Err(err!(CL_INVALID_VALUE, "command-buffer property {name:#x} is given twice"));
            }
        }
        let (flags, asserts) = (flags.unwrap_or(0), asserts.unwrap_or(0));
        let known = CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR;
        // Only defined flags are valid.
        if flags & !(known | CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR) != 0
            || asserts & !CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR != 0
        {
            return Err(err!(CL_INVALID_VALUE, "command-buffer flags {flags:#x}, asserts {asserts:#x}"));
        }
        // Flags are supported by the queue's device: synchronisation between devices is not.
        if flags & !known != 0 {
            return Err(err!(CL_INVALID_PROPERTY, "command-buffer flags {flags:#x} are not supported"));
        }
        let state = Mutex::new(Rank::CommandBuffer, State::default());
        let (slot, queue) = (ApiSlot::new(), queue.clone());
        Ok(Arc::new_cyclic(|this| CommandBuffer { slot, queue, flags, asserts, properties, state, this: this.clone() }))
    }

    /// CL_COMMAND_BUFFER_CONTEXT_KHR
    pub fn context(&self) -> &Arc<Context> {
        self.queue.context()
    }

    /// The queue it was made for.
    pub fn queue(&self) -> &Arc<CommandQueue> {
        &self.queue
    }

    fn device(&self) -> &Arc<Device> {
        self.queue.device()
    }

    /// CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR; none for buffers made without a list.
    pub fn properties(&self) -> Option<&[cl_command_buffer_properties_khr]> {
        self.properties.as_deref()
    }

    /// CL_COMMAND_BUFFER_STATE_KHR
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

    /// Checks that a command that waits for these sync points may be recorded.
    pub fn validate_recording(&self, waits: SyncPoints<'_>) -> Result<()> {
        self.state.lock().validate_recording(waits)
    }

    /// Appends a command that `describe` validates; its sync point.
    fn append(&self, waits: SyncPoints<'_>, describe: impl FnOnce(&mut State) -> Result<What>) -> Result<cl_sync_point_khr> {
        let mut state = self.state.lock();
        state.validate_recording(waits)?;
        // There are as many sync points as their type can count.
        let point = cl_sync_point_khr::try_from(state.commands.len() + 1);
        let point = point.map_err(|_| err!(CL_OUT_OF_RESOURCES, "too many commands"))?;
        let what = describe(&mut state)?;
        let ordered = !self.queue.is_out_of_order() || state.fenced || !waits.is_empty();
        state.commands.push(Recorded { what, ordered });
        Ok(point)
    }

    /// clCommandBarrierWithWaitListKHR
    pub fn barrier(&self, waits: SyncPoints<'_>) -> Result<cl_sync_point_khr> {
        self.append(waits, |state| {
            state.fenced = true;
            Ok(What::Fixed(Arc::new(CommandKind::Nop)))
        })
    }

    fn fixed(&self, waits: SyncPoints<'_>, describe: impl FnOnce() -> Result<(CommandKind, Place)>) -> Result<cl_sync_point_khr> {
        self.append(waits, |_| describe().map(|(kind, _)| What::Fixed(Arc::new(kind))))
    }

    /// clCommandCopyBufferKHR
    pub fn copy_buffer(
        &self,
        src: &Arc<MemObject>,
        dst: &Arc<MemObject>,
        src_offset: usize,
        dst_offset: usize,
        size: usize,
        waits: SyncPoints<'_>,
    ) -> Result<cl_sync_point_khr> {
        self.fixed(waits, || transfer::describe_copy(&self.queue, src, dst, src_offset, dst_offset, size))
    }

    /// clCommandCopyBufferRectKHR
    pub fn copy_rect(
        &self,
        src: &Arc<MemObject>,
        dst: &Arc<MemObject>,
        src_side: RectSide,
        dst_side: RectSide,
        region: [usize; 3],
        waits: SyncPoints<'_>,
    ) -> Result<cl_sync_point_khr> {
        self.fixed(waits, || transfer::describe_copy_rect(&self.queue, src, dst, src_side, dst_side, region))
    }

    /// clCommandFillBufferKHR
    pub fn fill_buffer(
        &self,
        mem: &Arc<MemObject>,
        pattern: &[u8],
        offset: usize,
        size: usize,
        waits: SyncPoints<'_>,
    ) -> Result<cl_sync_point_khr> {
        self.fixed(waits, || transfer::describe_fill(&self.queue, mem, pattern, offset, size))
    }

    /// clCommandFillImageKHR; `color` gives the colour's bytes for the format.
    pub fn fill_image<'a>(
        &self,
        mem: &Arc<MemObject>,
        color: impl FnOnce(ImageFormat) -> Result<&'a [u8]>,
        region: Region,
        waits: SyncPoints<'_>,
    ) -> Result<cl_sync_point_khr> {
        self.fixed(waits, || image::describe_fill(&self.queue, mem, color, region))
    }

    /// clCommandCopyImageKHR
    pub fn copy_image(
        &self,
        src: &Arc<MemObject>,
        dst: &Arc<MemObject>,
        src_origin: image::Origin,
        dst_origin: image::Origin,
        size: [usize; 3],
        waits: SyncPoints<'_>,
    ) -> Result<cl_sync_point_khr> {
        self.fixed(waits, || image::describe_copy(&self.queue, src, dst, src_origin, dst_origin, size))
    }

    /// clCommandCopyImageToBufferKHR and, if `to_image`, clCommandCopyBufferToImageKHR
    pub fn copy_image_buffer(
        &self,
        image: &Arc<MemObject>,
        buffer: &Arc<MemObject>,
        to_image: bool,
        region: Region,
        offset: usize,
        waits: SyncPoints<'_>,
    ) -> Result<cl_sync_point_khr> {
        self.fixed(waits, || image::describe_copy_buffer(&self.queue, image, buffer, to_image, region, offset))
    }

    /// clCommandSVMMemcpyKHR
    pub fn svm_memcpy(&self, pointers: (HostPtr, HostPtr), size: usize, waits: SyncPoints<'_>) -> Result<cl_sync_point_khr> {
        self.fixed(waits, || svm::record_memcpy(&self.queue, pointers, size))
    }

    /// clCommandSVMMemFillKHR
    pub fn svm_fill(&self, ptr: HostPtr, pattern: &[u8], size: usize, waits: SyncPoints<'_>) -> Result<cl_sync_point_khr> {
        self.fixed(waits, || svm::record_fill(&self.queue, ptr, pattern, size))
    }

    /// clCommandNDRangeKernelKHR: the sync point, and the command for a handle of it.
    pub fn launch(
        &self,
        kernel: &Arc<Kernel>,
        range: NdRange,
        properties: DispatchProperties,
        waits: SyncPoints<'_>,
    ) -> Result<(cl_sync_point_khr, Arc<MutableCommand>)> {
        let mut handle = None;
        let point = self.append(waits, |state| {
            // Fields that are to be updated are such that the device can update.
            let capabilities = self.device().mutable_dispatch_capabilities();
            let wanted = properties.fields.unwrap_or(capabilities);
            if wanted & !capabilities != 0 {
                return Err(err!(CL_INVALID_OPERATION, "updatable fields {wanted:#x} of {capabilities:#x}"));
            }
            // A promise about the number of work-groups needs a local size.
            let asserts = (self.asserts | properties.asserts) & CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;
            if asserts != 0 && range.local.is_none() {
                return Err(err!(CL_INVALID_VALUE, "a promise about work-groups without a local size"));
            }
            // Arguments may be set later if the properties say so, where there are updates.
            let later = self.is_mutable() && properties.fields.is_some_and(|f| f & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR != 0);
            let dispatch = Dispatch::record(&self.queue, kernel, range, wanted, self.is_mutable(), later)?;
            let command = MutableCommand::new(self.this.clone(), state.commands.len(), properties.list);
            state.handles.push(command.clone());
            handle = Some(command);
            Ok(What::Dispatch(dispatch))
        })?;
        let handle = handle.ok_or_else(|| Error::new(CL_OUT_OF_HOST_MEMORY))?;
        Ok((point, handle))
    }

    /// clFinalizeCommandBufferKHR
    pub fn finalize(&self) -> Result<()> {
        let mut state = self.state.lock();
        // A buffer is finalized once.
        if state.finalized {
            return Err(err!(CL_INVALID_OPERATION, "the command buffer is finalized already"));
        }
        state.finalized = true;
        let replay = state.is_complete().then(|| state.current()).transpose()?;
        drop(state);
        match replay {
            // What fails is reported, and tried again when the buffer is enqueued.
            Some(replay) if !replay.is_empty() => replay.prepare(&self.queue),
            _ => Ok(()),
        }
    }

    /// clEnqueueCommandBufferKHR on `queues`, or the queue that the buffer was made for if there are none.
    pub fn enqueue(&self, queues: &[Arc<CommandQueue>], waits: WaitList) -> Result<Arc<Event>> {
        let replay = {
            let mut state = self.state.lock();
            // A buffer is enqueued when it is finalized and every argument is set.
            if !state.finalized || !state.is_complete() {
                return Err(err!(CL_INVALID_OPERATION, "the command buffer is not executable"));
            }
            state.current()?
        };
        let queue = match queues {
            [] => &self.queue,
            [queue] => queue,
            // There are as many queues as at creation.
            _ => return Err(err!(CL_INVALID_VALUE, "{} queues instead of one", queues.len())),
        };
        // The queue has no properties but those that the device supports for this; none are required.
        if queue.properties() & !QUEUE_PROPERTIES != 0 {
            return Err(err!(CL_INCOMPATIBLE_COMMAND_QUEUE_KHR, "queue properties {:#x}", queue.properties()));
        }
        // Its context is that of the queue it stands for...
        if !Arc::ptr_eq(queue.context(), self.context()) {
            return Err(err!(CL_INVALID_CONTEXT, "the queue belongs to another context"));
        }
        // ...and so is its device.
        if !Arc::ptr_eq(queue.device(), self.device()) {
            return Err(err!(CL_INVALID_DEVICE, "the queue is for another device"));
        }
        let (kind, place) = match replay.is_empty() {
            true => (CommandKind::Nop, Place::Either),
            false => (CommandKind::Replay(replay), Place::Device),
        };
        let command_type = CL_COMMAND_COMMAND_BUFFER_KHR;
        queue.enqueue(NewCommand { command_type, kind, waits, place, fence: Fence::None })
    }
}

impl State {
    fn validate_recording(&self, waits: SyncPoints<'_>) -> Result<()> {
        // Commands are recorded before the buffer is finalized.
        if self.finalized {
            return Err(err!(CL_INVALID_OPERATION, "the command buffer is finalized"));
        }
        // Sync points are those of earlier commands of this buffer.
        if waits.iter().any(|point| *point == 0 || *point as usize > self.commands.len()) {
            return Err(err!(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, "no such sync point"));
        }
        Ok(())
    }

    /// Every kernel argument has a value.
    fn is_complete(&self) -> bool {
        self.replay.is_some() || self.commands.iter().all(|c| c.what.kind().is_some())
    }

    /// The commands as they are now.
    fn current(&mut self) -> Result<Arc<Replay>> {
        if let Some(replay) = &self.replay {
            return Ok(replay.clone());
        }
        let step = |c: &Recorded| Some(Step { kind: c.what.kind()?.clone(), ordered: c.ordered });
        let steps: Option<Vec<Step>> = self.commands.iter().map(step).collect();
        let steps = steps.ok_or_else(|| err!(CL_INVALID_OPERATION, "a kernel argument has no value"))?;
        Ok(self.replay.insert(Arc::new(Replay::new(steps))).clone())
    }
}
