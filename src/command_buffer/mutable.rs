//! Kernel launches in command buffers and their updates (cl_khr_command_buffer_mutable_dispatch).
//!
//! A launch keeps a copy of the kernel with the argument values at the time of recording; updates set
//! arguments of a copy of that copy. The commands of an update take effect together or not at all.

use super::{CommandBuffer, RecordedBody};
use crate::cl::ndrange::NdRange;
use crate::cl::*;
use crate::command::{CommandKind, ndrange};
use crate::err;
use crate::error::Result;
use crate::info::InfoValue;
use crate::kernel::Kernel;
use crate::object::{ApiObject, ApiSlot, ObjectKind};
use crate::queue::CommandQueue;
use std::sync::{Arc, Weak};

/// A kernel launch of a command buffer, as an object with a handle. It lives as long as the buffer.
pub struct MutableCommand {
    slot: ApiSlot,
    buffer: Weak<CommandBuffer>,
    index: usize,
    properties: Option<Vec<cl_command_properties_khr>>,
}

impl ApiObject for MutableCommand {
    const KIND: ObjectKind = ObjectKind::MutableCommand;
    const INVALID: cl_int = CL_INVALID_MUTABLE_COMMAND_KHR;
    fn api_slot(&self) -> &ApiSlot {
        &self.slot
    }
}

/// A launch with its mutable state.
#[derive(Clone)]
pub(super) struct MutableDispatch {
    /// The application's object.
    kernel: Arc<Kernel>,
    /// A copy with the argument values of this launch.
    own: Arc<Kernel>,
    range: NdRange,
    fields: cl_mutable_dispatch_fields_khr,
    /// `None` as long as an argument is not set.
    pub(super) kind: Option<Arc<CommandKind>>,
}

impl MutableDispatch {
    /// Validates and describes a launch. If `later`, arguments may be unset.
    pub(super) fn record(
        queue: &CommandQueue,
        kernel: &Arc<Kernel>,
        range: NdRange,
        fields: cl_mutable_dispatch_fields_khr,
        later: bool,
    ) -> Result<MutableDispatch> {
        let kind = describe(queue, kernel, &range, later)?;
        Ok(MutableDispatch { kernel: kernel.clone(), own: kernel.duplicate()?, range, fields, kind })
    }

    /// The launch on another queue.
    pub(super) fn on(&self, queue: &CommandQueue) -> Result<MutableDispatch> {
        // CL_INVALID_OPERATION: the new device cannot update one of the updatable fields.
        let capabilities = queue.device().mutable_dispatch_capabilities();
        if self.fields & !capabilities != 0 {
            return Err(err!(
                CL_INVALID_OPERATION,
                "updatable fields {:#x} of {capabilities:#x}",
                self.fields
            ));
        }
        let kind = describe(queue, &self.own, &self.range, self.kind.is_none())?;
        Ok(MutableDispatch { kind, ..self.clone() })
    }
}

fn describe(
    queue: &CommandQueue,
    kernel: &Kernel,
    range: &NdRange,
    later: bool,
) -> Result<Option<Arc<CommandKind>>> {
    let on_device = kernel.on_device(queue.device())?;
    match ndrange::describe(queue, kernel, range) {
        Ok((kind, _)) => Ok(Some(Arc::new(kind))),
        // The other operands must be valid whatever the arguments will be.
        Err(error) if error.code() == CL_INVALID_KERNEL_ARGS && later => {
            ndrange::validate_range(queue, kernel, &**on_device, range)?;
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Sets arguments and execution information of a kernel.
pub type SetArgs<'a> = Box<dyn Fn(&Kernel) -> Result<()> + 'a>;

/// Contents of a cl_mutable_dispatch_config_khr.
pub struct DispatchUpdate<'a> {
    pub command: Arc<MutableCommand>,
    /// 0, or the number of dimensions of the launch.
    pub dims: u32,
    /// Sizes as passed, one for each dimension of the launch.
    pub offset: Option<&'a [usize]>,
    pub global: Option<&'a [usize]>,
    pub local: Option<&'a [usize]>,
    /// Whether `set_args` sets arguments or execution information.
    pub sets_args: bool,
    pub sets_exec_info: bool,
    pub set: SetArgs<'a>,
}

impl CommandBuffer {
    /// clUpdateMutableCommandsKHR: checks that the buffer can be updated.
    pub fn validate_updatable(&self) -> Result<()> {
        if !self.state.lock().finalized {
            return Err(err!(CL_INVALID_OPERATION, "the command buffer is not finalized"));
        }
        if !self.is_mutable() {
            return Err(err!(CL_INVALID_OPERATION, "the command buffer is not mutable"));
        }
        Ok(())
    }

    /// clUpdateMutableCommandsKHR. On an error nothing changes.
    pub fn update(&self, updates: &[DispatchUpdate<'_>]) -> Result<()> {
        self.validate_updatable()?;
        let mut state = self.state.lock();
        let mut changed: Vec<(usize, MutableDispatch)> = Vec::new();
        for update in updates {
            if !std::ptr::eq(update.command.buffer.as_ptr(), self) {
                return Err(err!(
                    CL_INVALID_MUTABLE_COMMAND_KHR,
                    "the command belongs to another command buffer"
                ));
            }
            let index = update.command.index;
            let known = changed.iter().position(|(i, _)| *i == index);
            let old = match (known, state.commands.get(index).map(|c| &c.body)) {
                (Some(at), _) => &changed[at].1,
                (None, Some(RecordedBody::Dispatch(dispatch))) => dispatch,
                _ => return Err(err!(CL_INVALID_MUTABLE_COMMAND_KHR, "not a kernel launch")),
            };
            let queue = state.commands.get(index).and_then(|c| self.queues.get(c.order.queue));
            let queue = queue.ok_or_else(|| err!(CL_INVALID_MUTABLE_COMMAND_KHR, "a command of no queue"))?;
            let new = updated(queue, old, update)?;
            match known {
                Some(at) => changed[at].1 = new,
                None => changed.push((index, new)),
            }
        }
        for (index, dispatch) in changed {
            state.commands[index].body = RecordedBody::Dispatch(dispatch);
        }
        // The recording of the old commands, and their kernels, may be destroyed here.
        let old = state.parts.take();
        drop(state);
        drop(old);
        Ok(())
    }
}

fn updated(
    queue: &CommandQueue,
    old: &MutableDispatch,
    update: &DispatchUpdate<'_>,
) -> Result<MutableDispatch> {
    // CL_INVALID_OPERATION: the number of dimensions changes.
    if update.dims != 0 && update.dims != old.range.dims {
        return Err(err!(CL_INVALID_OPERATION, "{} dimensions instead of {}", update.dims, old.range.dims));
    }
    let asked = [
        (update.offset.is_some(), CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR),
        (update.global.is_some(), CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR),
        (update.local.is_some(), CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR),
        (update.sets_args, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR),
        (update.sets_exec_info, CL_MUTABLE_DISPATCH_EXEC_INFO_KHR),
    ];
    // CL_INVALID_OPERATION: a field was not declared updatable when the command was recorded.
    if let Some((_, field)) = asked.iter().find(|(asked, field)| *asked && old.fields & field == 0) {
        return Err(err!(CL_INVALID_OPERATION, "field {field:#x} is not updatable"));
    }
    let given = NdRange::new(old.range.dims, update.offset, update.global, update.local)?;
    let range = NdRange {
        dims: old.range.dims,
        offset: if update.offset.is_some() { given.offset } else { old.range.offset },
        global: if update.global.is_some() { given.global } else { old.range.global },
        local: given.local.or(old.range.local),
    };
    let mut own = old.own.clone();
    if update.sets_args || update.sets_exec_info {
        own = own.duplicate()?;
        (update.set)(&own)?;
    }
    let kind = describe(queue, &own, &range, true)?;
    // CL_INVALID_OPERATION: uniform work-groups become non-uniform, or the reverse.
    if range.divides() != old.range.divides() {
        return Err(err!(CL_INVALID_OPERATION, "the uniformity of the work-groups changes"));
    }
    Ok(MutableDispatch { kernel: old.kernel.clone(), own, range, fields: old.fields, kind })
}

impl MutableCommand {
    pub(super) fn new(
        buffer: Weak<CommandBuffer>,
        index: usize,
        properties: Option<Vec<cl_command_properties_khr>>,
    ) -> Arc<MutableCommand> {
        Arc::new(MutableCommand { slot: ApiSlot::new(), buffer, index, properties })
    }

    /// Whether it is a command of the buffer.
    pub(super) fn is_of(&self, buffer: &CommandBuffer) -> bool {
        std::ptr::eq(self.buffer.as_ptr(), buffer)
    }

    /// Its index among the commands.
    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// The corresponding command of a copy of the buffer.
    pub(super) fn copy_for(&self, buffer: &Weak<CommandBuffer>) -> Arc<MutableCommand> {
        MutableCommand::new(buffer.clone(), self.index, self.properties.clone())
    }

    /// CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR.
    pub fn buffer(&self) -> Result<Arc<CommandBuffer>> {
        self.buffer
            .upgrade()
            .ok_or_else(|| err!(CL_INVALID_MUTABLE_COMMAND_KHR, "the command buffer is gone"))
    }

    /// CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR.
    pub fn queue(&self) -> Result<Arc<CommandQueue>> {
        let buffer = self.buffer()?;
        let at = buffer.state.lock().commands.get(self.index).map(|c| c.order.queue);
        let queue = at.and_then(|at| buffer.queues.get(at)).cloned();
        queue.ok_or_else(|| err!(CL_INVALID_MUTABLE_COMMAND_KHR, "a command of no queue"))
    }

    fn dispatch(&self) -> Result<MutableDispatch> {
        match self.buffer()?.state.lock().commands.get(self.index).map(|c| &c.body) {
            Some(RecordedBody::Dispatch(dispatch)) => Ok(dispatch.clone()),
            _ => Err(err!(CL_INVALID_MUTABLE_COMMAND_KHR, "not a kernel launch")),
        }
    }

    /// CL_MUTABLE_DISPATCH_KERNEL_KHR.
    pub fn kernel(&self) -> Result<Arc<Kernel>> {
        Ok(self.dispatch()?.kernel)
    }

    /// Number of dimensions of a launch.
    pub fn dims(&self) -> Result<u32> {
        Ok(self.dispatch()?.range.dims)
    }

    /// Answers clGetMutableCommandInfoKHR for parameters without handles; `None` for others.
    pub fn query(&self, param: cl_mutable_command_info_khr) -> Result<Option<InfoValue>> {
        let range = self.dispatch()?.range;
        let sizes = |all: [u64; 3]| {
            InfoValue::Sizes(all.iter().take(range.dims as usize).map(|v| *v as usize).collect())
        };
        Ok(Some(match param {
            CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR => CL_COMMAND_NDRANGE_KERNEL.into(),
            CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR => {
                self.properties.clone().map_or(InfoValue::Empty, InfoValue::from)
            }
            CL_MUTABLE_DISPATCH_DIMENSIONS_KHR => range.dims.into(),
            CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR => sizes(range.offset),
            CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR => sizes(range.global),
            // Zero if no local size was passed.
            CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR => sizes(range.local.unwrap_or([0; 3])),
            _ => return Ok(None),
        }))
    }
}
