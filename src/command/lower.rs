//! Lowering of commands to device commands, at submission: memory objects become device memory that is up to
//! date.

use super::launch::{LaunchCommand, arg_access};
use super::operand::{CodeResult, LoweringContext, failed};
use super::{CommandKind, CommandWork, MappedOperand, native_call};
use crate::cl::*;
use crate::context::ContextDevice;
use crate::device::batch::{Access, ArgValue, BufferRange, DeviceCommand, Launch, Work};
use crate::device::copies::transfer_now;
use crate::kernel::args::ArgSnapshot;
use smallvec::SmallVec;

impl LoweringContext<'_> {
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
            Work::Replay(replay) => Work::Replay(replay.lower(self.target)?),
            Work::Wait(semaphores) => Work::Wait(semaphores.clone()),
            Work::Signal(semaphores) => Work::Signal(semaphores.clone()),
            Work::Ownership { ranges, release } => {
                let ranges =
                    ranges.iter().map(|range| self.range(range, Write)).collect::<CodeResult<_>>()?;
                Work::Ownership { ranges, release: *release }
            }
        })
    }

    fn map(self, mapped: &MappedOperand, fill: bool) -> CodeResult<DeviceCommand> {
        use Access::{Read, Write};
        let MappedOperand { memory, region, mapping } = mapped;
        Ok(match mapping.endpoint(self.target.device_index()) {
            None => {
                // Writes of the host through a direct mapping are newer than every other copy.
                self.endpoint(memory, if mapping.write { Write } else { Read })?;
                Work::Nop
            }
            Some(_) if !fill => Work::Nop,
            Some(dst) => Work::Copy { src: self.endpoint(memory, Read)?, dst, region: *region },
        })
    }

    fn unmap(self, mapped: &MappedOperand) -> CodeResult<DeviceCommand> {
        let MappedOperand { memory, region, mapping } = mapped;
        if !mapping.write {
            return Ok(Work::Nop);
        }
        let dst = self.endpoint(memory, Access::Write)?;
        Ok(match mapping.endpoint(self.target.device_index()) {
            None => Work::Nop,
            Some(src) => Work::Copy { src, dst, region: *region },
        })
    }

    fn launch(self, launch: &LaunchCommand) -> CodeResult<Launch> {
        let args = launch.args.lower(self.target.device_index(), |args| lower_args(launch, self, args))?;
        let addressed = launch.addressed.as_ref().map(|addressed| addressed.others(self));
        Ok(Launch {
            kernel: launch.kernel.clone(),
            args,
            dims: launch.dims,
            offset: launch.offset,
            global: launch.global,
            local: launch.local,
            indirect: addressed.transpose().map_err(failed)?.unwrap_or_default(),
            default_queue: self.target.context().default_queue(self.target.device_index()),
        })
    }
}

/// Lowers a command.
pub(crate) fn lower(kind: &CommandKind, target: &ContextDevice) -> CodeResult<DeviceCommand> {
    lower_kind(kind, target, true)
}

/// Lowers a kind of command; see [`LoweringContext::newest`].
pub(super) fn lower_kind(
    kind: &CommandKind,
    target: &ContextDevice,
    newest: bool,
) -> CodeResult<DeviceCommand> {
    let at = LoweringContext { target, newest };
    Ok(match kind {
        CommandKind::Work(work) => at.work(work)?,
        // Calls are made by the host, in their turn.
        CommandKind::Call(_) => Work::Nop,
        CommandKind::Map { mapped, fill } => at.map(mapped, *fill)?,
        CommandKind::Unmap(mapped) => at.unmap(mapped)?,
        CommandKind::Migrate { mems, undefined } => {
            for mem in mems.iter().filter(|_| !*undefined) {
                at.memory(mem, 0..mem.size, Access::Read)?;
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
                        let (context, device) = (at.target.context(), at.target.device_index());
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
pub(crate) fn run_on_host(kind: &CommandKind, target: &ContextDevice) -> CodeResult<()> {
    match kind {
        CommandKind::Call(call) => call(),
        CommandKind::Native(native) => native_call::run(native, target),
        CommandKind::Work(_)
        | CommandKind::Map { .. }
        | CommandKind::Unmap(_)
        | CommandKind::Migrate { .. } => {
            transfer_now(target.ops(), &lower(kind, target)?).map_err(|e| e.code())
        }
    }
}
