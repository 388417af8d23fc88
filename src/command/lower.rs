//! Commands into device commands, at submission: memory objects become the device's memory, with the newest bytes in it.

use super::{Command, CommandKind, MemRange};
use crate::cl::*;
use crate::device::batch::{ArgValue, BufferRange, DeviceCommand, Launch};
use crate::error::Error;
use crate::kernel::args::ArgSnapshot;
use crate::memory::MemObject;
use crate::memory::mapping::Shadow;
use crate::memory::residency::{Access, transfer_now};
use crate::queue::CommandQueue;
use clspv_bridge::metadata::{AddressQualifier, ArgInfo};
use std::sync::Arc;

type Result<T> = std::result::Result<T, cl_int>;

fn failed(error: Error) -> cl_int {
    tracing::error!(%error, "memory for a command");
    error.code()
}

pub(super) fn acquire(range: &MemRange, access: Access, queue: &CommandQueue) -> Result<BufferRange> {
    let mem = &range.mem;
    let memory = mem.residency().acquire(queue.context(), queue.device_index(), access).map_err(failed)?;
    Ok(BufferRange { memory, offset: mem.offset + range.offset, size: range.size })
}

/// How a kernel uses a memory object that is one of its arguments.
pub(super) fn arg_access(mem: &MemObject, info: &ArgInfo) -> Access {
    let writes = mem.flags.kernel_writable() && info.address != AddressQualifier::Constant;
    if writes { Access::Write } else { Access::Read }
}

/// The device command of a command.
pub(crate) fn lower(command: &Command, queue: &Arc<CommandQueue>) -> Result<DeviceCommand> {
    lower_kind(&command.kind, queue)
}

/// The device command for what a command does.
pub(super) fn lower_kind(kind: &CommandKind, queue: &Arc<CommandQueue>) -> Result<DeviceCommand> {
    use Access::{Read, Write};
    let get = |range: &MemRange, access| acquire(range, access, queue);
    Ok(match kind {
        // Calls are the host's, which makes them when it is their turn.
        CommandKind::Nop | CommandKind::Call(_) => DeviceCommand::Nop,
        CommandKind::Raw(command) => command.clone(),
        CommandKind::Write { src, dst } => DeviceCommand::Write { src: *src, dst: get(dst, Write)? },
        CommandKind::Read { src, dst } => DeviceCommand::Read { src: get(src, Read)?, dst: *dst },
        CommandKind::WriteRect { src, src_layout, dst, dst_layout, region } => DeviceCommand::WriteRect {
            src: *src,
            src_layout: *src_layout,
            dst: get(dst, Write)?,
            dst_layout: *dst_layout,
            region: *region,
        },
        CommandKind::ReadRect { src, src_layout, dst, dst_layout, region } => DeviceCommand::ReadRect {
            src: get(src, Read)?,
            src_layout: *src_layout,
            dst: *dst,
            dst_layout: *dst_layout,
            region: *region,
        },
        CommandKind::Copy { src, dst } => DeviceCommand::Copy { src: get(src, Read)?, dst: get(dst, Write)? },
        CommandKind::CopyRect { src, src_layout, dst, dst_layout, region } => DeviceCommand::CopyRect {
            src: get(src, Read)?,
            src_layout: *src_layout,
            dst: get(dst, Write)?,
            dst_layout: *dst_layout,
            region: *region,
        },
        CommandKind::Fill { dst, pattern } => DeviceCommand::Fill { dst: get(dst, Write)?, pattern: pattern.clone() },
        CommandKind::Map { range, mapping, fill } => {
            let src = get(range, Read)?;
            match &mapping.shadow {
                Shadow::Direct => DeviceCommand::Nop,
                _ if !*fill => DeviceCommand::Nop,
                Shadow::Device { index, range } if *index == queue.device_index() => {
                    DeviceCommand::Copy { src, dst: range.clone() }
                }
                _ => DeviceCommand::Read { src, dst: mapping.ptr },
            }
        }
        CommandKind::Unmap { range, mapping } if mapping.write => {
            let dst = get(range, Write)?;
            match &mapping.shadow {
                Shadow::Direct => DeviceCommand::Nop,
                Shadow::Device { index, range } if *index == queue.device_index() => {
                    DeviceCommand::Copy { src: range.clone(), dst }
                }
                _ => DeviceCommand::Write { src: mapping.ptr, dst },
            }
        }
        CommandKind::Unmap { .. } => DeviceCommand::Nop,
        CommandKind::Launch(launch) => {
            let mut args = Vec::with_capacity(launch.args.len());
            for (arg, info) in launch.args.iter().zip(&launch.kernel.info().args) {
                args.push(match arg {
                    ArgSnapshot::Bytes(bytes) => ArgValue::Bytes(bytes.clone()),
                    ArgSnapshot::Local(size) => ArgValue::Local(*size),
                    ArgSnapshot::Pointer(address) => {
                        let within = launch.reach.as_ref().map(|r| r.within(*address, queue)).transpose().map_err(failed)?;
                        ArgValue::Pointer { address: *address, within: within.flatten() }
                    }
                    ArgSnapshot::Mem(None) => ArgValue::NullBuffer,
                    ArgSnapshot::Mem(Some(mem)) => {
                        let range = MemRange { mem: mem.clone(), offset: 0, size: mem.size };
                        ArgValue::Buffer(get(&range, arg_access(mem, info))?)
                    }
                });
            }
            DeviceCommand::Launch(Launch {
                kernel: launch.kernel.clone(),
                args: args.into(),
                dims: launch.dims,
                offset: launch.offset,
                global: launch.global,
                local: launch.local,
                reach: launch.reach.as_ref().map(|r| r.others(queue)).transpose().map_err(failed)?.unwrap_or_default(),
            })
        }
        // The scheduler hands it to a thread of its own.
        CommandKind::Native(_) => return Err(CL_INVALID_OPERATION),
        CommandKind::Replay(replay) => replay.lower(queue)?,
        CommandKind::Migrate { mems, undefined } => {
            for mem in mems.iter().filter(|_| !*undefined) {
                get(&MemRange { mem: mem.clone(), offset: 0, size: mem.size }, Read)?;
            }
            DeviceCommand::Nop
        }
    })
}

/// Runs a command in this thread; everything it depends on is done.
pub(crate) fn run_on_host(command: &Command, queue: &Arc<CommandQueue>) -> Result<()> {
    if let CommandKind::Call(call) = &command.kind {
        return call();
    }
    transfer_now(queue.ops(), &lower(command, queue)?).map_err(|e| e.code())
}
