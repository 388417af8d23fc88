//! Lowering of commands to device commands, at submission: memory objects become device memory that is up to
//! date.

use super::ndrange::{LaunchCommand, arg_access};
use super::{Command, CommandKind, CommandWork, ImagePart, MemEndpoint, MemRange, native};
use crate::cl::*;
use crate::device::batch::{
    Access, ArgValue, BufferRange, DeviceCommand, Endpoint, ImageRange, Launch, RectLayout, Work,
};
use crate::device::copies::transfer_now;
use crate::device::traits::DeviceMemory;
use crate::error::Error;
use crate::kernel::args::ArgSnapshot;
use crate::memory::MemObject;
use crate::queue::CommandQueue;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

type CodeResult<T> = std::result::Result<T, cl_int>;

fn failed(error: Error) -> cl_int {
    tracing::error!(%error, "memory for a command");
    error.code()
}

/// Queue that commands are lowered for.
#[derive(Clone, Copy)]
pub(super) struct LoweringContext<'a> {
    pub queue: &'a Arc<CommandQueue>,
    /// Whether the memory is brought up to date. If not, it is only looked up, for a recording.
    pub newest: bool,
}

impl LoweringContext<'_> {
    /// Device memory of a byte range.
    pub fn range(self, range: &MemRange, access: Access) -> CodeResult<BufferRange> {
        let memory = self.memory(&range.memory, range.offset..range.offset + range.size, access)?;
        Ok(BufferRange { memory, offset: range.memory.offset + range.offset, size: range.size })
    }

    /// Device memory of an object that contains the bytes.
    fn memory(self, mem: &MemObject, bytes: Range<u64>, access: Access) -> CodeResult<Arc<dyn DeviceMemory>> {
        let (context, device, residency) = (self.queue.context(), self.queue.device_index(), mem.residency());
        let start = mem.range().start;
        let memory = match self.newest {
            true => residency.acquire(context, device, start + bytes.start..start + bytes.end, access),
            false => residency.backing(context, device),
        };
        memory.map_err(failed)
    }

    /// One side of a transfer. Images in buffers are rectangles of the buffers.
    fn endpoint(self, side: &MemEndpoint, access: Access) -> CodeResult<Endpoint> {
        let part = match side {
            Endpoint::Host(ptr, layout) => return Ok(Endpoint::Host(*ptr, *layout)),
            Endpoint::Buffer(range, layout) => {
                return Ok(Endpoint::Buffer(self.range(range, access)?, *layout));
            }
            Endpoint::Image(part) => part,
        };
        let info = part.image.image().ok_or(CL_INVALID_MEM_OBJECT)?;
        let memory = self.memory(&part.image, 0..part.image.size, access)?;
        let rectangle = |memory: Arc<dyn DeviceMemory>, whole: &RectLayout| {
            let size = memory.size();
            Endpoint::Buffer(BufferRange { memory, offset: 0, size }, info.part(whole, part.origin))
        };
        Ok(match (&info.in_buffer, memory.in_buffer()) {
            (Some(whole), _) => rectangle(memory, whole),
            (None, Some((buffer, whole))) => rectangle(buffer.clone(), whole),
            (None, None) => {
                let ImagePart { level, origin, region, .. } = *part;
                Endpoint::Image(ImageRange { image: memory, level, origin, region })
            }
        })
    }

    /// Lowers work: the same work with device memory as operands.
    fn work(self, work: &CommandWork) -> CodeResult<DeviceCommand> {
        use Access::{Read, Write};
        Ok(match work {
            Work::Nop => Work::Nop,
            Work::Copy { src, dst, region } => {
                let (src, dst) = (self.endpoint(src, Read)?, self.endpoint(dst, Write)?);
                Work::Copy { src, dst, region: *region }
            }
            Work::Fill { dst, region, pattern } => {
                Work::Fill { dst: self.endpoint(dst, Write)?, region: *region, pattern: pattern.clone() }
            }
            Work::Launch(launch) => Work::Launch(self.launch(launch)?),
            Work::Replay(replay) => Work::Replay(replay.lower(self.queue)?),
            Work::Wait(semaphores) => Work::Wait(semaphores.clone()),
            Work::Signal(semaphores) => Work::Signal(semaphores.clone()),
            Work::Ownership { ranges, release } => {
                let ranges =
                    ranges.iter().map(|range| self.range(range, Write)).collect::<CodeResult<_>>()?;
                Work::Ownership { ranges, release: *release }
            }
        })
    }

    fn launch(self, launch: &LaunchCommand) -> CodeResult<Launch> {
        let args = launch.args.lower(self.queue.device_index(), |args| lower_args(launch, self, args))?;
        let addressed = launch.addressed.as_ref().map(|addressed| addressed.others(self));
        Ok(Launch {
            kernel: launch.kernel.clone(),
            args,
            dims: launch.dims,
            offset: launch.offset,
            global: launch.global,
            local: launch.local,
            indirect: addressed.transpose().map_err(failed)?.unwrap_or_default(),
            default_queue: self.queue.context().default_queue(self.queue.device_index()),
        })
    }
}

/// Lowers a command.
pub(crate) fn lower(command: &Command, queue: &Arc<CommandQueue>) -> CodeResult<DeviceCommand> {
    lower_kind(&command.kind, queue, true)
}

/// Lowers a kind of command; see [`LoweringContext::newest`].
pub(super) fn lower_kind(
    kind: &CommandKind,
    queue: &Arc<CommandQueue>,
    newest: bool,
) -> CodeResult<DeviceCommand> {
    use Access::{Read, Write};
    let at = LoweringContext { queue, newest };
    Ok(match kind {
        CommandKind::Work(work) => at.work(work)?,
        // Calls are made by the host, in their turn.
        CommandKind::Call(_) => Work::Nop,
        CommandKind::Map { memory, region, mapping, fill } => match mapping.endpoint(queue.device_index()) {
            None => {
                // Writes of the host through a direct mapping are newer than every other copy.
                at.endpoint(memory, if mapping.write { Write } else { Read })?;
                Work::Nop
            }
            Some(_) if !*fill => Work::Nop,
            Some(dst) => Work::Copy { src: at.endpoint(memory, Read)?, dst, region: *region },
        },
        CommandKind::Unmap { mapping, .. } if !mapping.write => Work::Nop,
        CommandKind::Unmap { memory, region, mapping } => {
            let dst = at.endpoint(memory, Write)?;
            match mapping.endpoint(queue.device_index()) {
                None => Work::Nop,
                Some(src) => Work::Copy { src, dst, region: *region },
            }
        }
        CommandKind::Migrate { mems, undefined } => {
            for mem in mems.iter().filter(|_| !*undefined) {
                at.memory(mem, 0..mem.size, Read)?;
            }
            Work::Nop
        }
        // The host calls the application.
        CommandKind::Native(_) => return Err(CL_INVALID_OPERATION),
    })
}

/// Lowers the arguments of a launch. Returns whether they are the same each time this launch is lowered.
fn lower_args(launch: &LaunchCommand, at: LoweringContext<'_>, args: &mut Vec<ArgValue>) -> CodeResult<bool> {
    let mut stay = true;
    for (arg, info) in launch.args.iter().zip(&launch.kernel.info().args) {
        args.push(match arg {
            ArgSnapshot::Bytes(bytes) => ArgValue::Bytes(bytes.clone()),
            ArgSnapshot::Local(size) => ArgValue::Local(*size),
            ArgSnapshot::Queue(queue) => ArgValue::Bytes(SmallVec::from_slice(&queue.word().to_le_bytes())),
            ArgSnapshot::Pointer(address) => {
                stay = false;
                let within =
                    launch.addressed.as_ref().map(|r| r.within(*address, at)).transpose().map_err(failed)?;
                ArgValue::Pointer { address: *address, within: within.flatten() }
            }
            ArgSnapshot::Mem(None) => ArgValue::NullBuffer,
            ArgSnapshot::Mem(Some(mem)) => {
                stay &= mem.residency().has_single_copy();
                let memory = at.memory(mem, 0..mem.size, arg_access(mem, info))?;
                match mem.image() {
                    Some(image) => {
                        let (context, device) = (at.queue.context(), at.queue.device_index());
                        let view = image.for_kernels(context, device, memory);
                        ArgValue::Image(view.map_err(|e| e.code())?)
                    }
                    None => ArgValue::Buffer(BufferRange { memory, offset: mem.offset, size: mem.size }),
                }
            }
        });
    }
    Ok(stay)
}

/// Executes a command in the calling thread; everything that it depends on is complete.
pub(crate) fn run_on_host(command: &Command, queue: &Arc<CommandQueue>) -> CodeResult<()> {
    match &command.kind {
        CommandKind::Call(call) => call(),
        CommandKind::Native(native) => native::run(native, queue),
        kind => transfer_now(queue.ops(), &lower_kind(kind, queue, true)?).map_err(|e| e.code()),
    }
}
