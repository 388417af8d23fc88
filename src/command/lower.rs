//! Lowering of commands to device commands, at submission: memory objects become device memory that is up to
//! date.

use super::ndrange::LaunchCommand;
use super::{Command, CommandKind, ImagePart, MemRange, fallback, native};
use crate::cl::*;
use crate::device::batch::{ArgValue, BufferRange, DeviceCommand, ImageRange, Launch, RectLayout};
use crate::error::Error;
use crate::host_ptr::HostPtr;
use crate::kernel::args::ArgSnapshot;
use crate::memory::MemObject;
use crate::memory::mapping::Shadow;
use crate::memory::residency::{Access, transfer_now};
use crate::queue::CommandQueue;
use clspv_bridge::metadata::{AccessQualifier, AddressQualifier, ArgInfo};
use smallvec::SmallVec;
use std::sync::Arc;

type CodeResult<T> = std::result::Result<T, cl_int>;

fn failed(error: Error) -> cl_int {
    tracing::error!(%error, "memory for a command");
    error.code()
}

/// Queue and device that commands are lowered for.
#[derive(Clone, Copy)]
pub(super) struct LoweringContext<'a> {
    pub queue: &'a CommandQueue,
    /// Index of the device among those of the context.
    pub device_index: usize,
    /// Whether the memory is brought up to date. If not, it is only looked up, for a recording.
    pub newest: bool,
}

pub(super) fn acquire(range: &MemRange, access: Access, at: LoweringContext<'_>) -> CodeResult<BufferRange> {
    let mem = &range.mem;
    let start = mem.range().start + range.offset;
    let bytes = start..start + range.size;
    let (context, device, residency) = (at.queue.context(), at.device_index, mem.residency());
    let memory = match at.newest {
        true => residency.acquire(context, device, bytes, access),
        false => residency.backing(context, device),
    };
    Ok(BufferRange { memory: memory.map_err(failed)?, offset: mem.offset + range.offset, size: range.size })
}

/// How a kernel accesses a memory object that is one of its arguments.
pub(super) fn arg_access(mem: &MemObject, info: &ArgInfo) -> Access {
    let writes = match mem.image() {
        Some(_) => info.access != AccessQualifier::ReadOnly,
        None => mem.flags.kernel_writable() && info.address != AddressQualifier::Constant,
    };
    if writes { Access::Write } else { Access::Read }
}

/// Device memory of an image region: an image, or a rectangle of a buffer.
enum Texels {
    Image(ImageRange),
    Buffer(BufferRange, RectLayout),
}

fn texels(part: &ImagePart, access: Access, at: LoweringContext<'_>) -> CodeResult<Texels> {
    let info = part.mem.image().ok_or(CL_INVALID_MEM_OBJECT)?;
    let BufferRange { memory, .. } =
        acquire(&MemRange { mem: part.mem.clone(), offset: 0, size: part.mem.size }, access, at)?;
    Ok(match &info.in_buffer {
        Some(whole) => {
            let size = memory.size();
            Texels::Buffer(BufferRange { memory, offset: 0, size }, info.part(whole, part.origin))
        }
        None => match memory.in_buffer() {
            Some((buffer, whole)) => {
                let range = BufferRange { memory: buffer.clone(), offset: 0, size: buffer.size() };
                Texels::Buffer(range, info.part(whole, part.origin))
            }
            None => Texels::Image(ImageRange {
                image: memory,
                level: part.level,
                origin: part.origin,
                region: part.region,
            }),
        },
    })
}

fn tight(region: [u64; 3]) -> RectLayout {
    RectLayout { offset: 0, row_pitch: region[0], slice_pitch: region[0] * region[1] }
}

fn read_texels(
    part: &ImagePart,
    dst: HostPtr,
    layout: RectLayout,
    at: LoweringContext<'_>,
) -> CodeResult<DeviceCommand> {
    Ok(match texels(part, Access::Read, at)? {
        Texels::Image(src) => DeviceCommand::ReadImage { src, dst, layout },
        Texels::Buffer(src, src_layout) => {
            DeviceCommand::ReadRect { src, src_layout, dst, dst_layout: layout, region: part.bytes() }
        }
    })
}

fn write_texels(
    src: HostPtr,
    layout: RectLayout,
    part: &ImagePart,
    at: LoweringContext<'_>,
) -> CodeResult<DeviceCommand> {
    Ok(match texels(part, Access::Write, at)? {
        Texels::Image(dst) => DeviceCommand::WriteImage { src, layout, dst },
        Texels::Buffer(dst, dst_layout) => {
            DeviceCommand::WriteRect { src, src_layout: layout, dst, dst_layout, region: part.bytes() }
        }
    })
}

fn texels_to_buffer(
    part: &ImagePart,
    dst: BufferRange,
    layout: RectLayout,
    at: LoweringContext<'_>,
) -> CodeResult<DeviceCommand> {
    Ok(match texels(part, Access::Read, at)? {
        Texels::Image(src) => DeviceCommand::ImageToBuffer { src, dst, layout },
        Texels::Buffer(src, src_layout) => {
            DeviceCommand::CopyRect { src, src_layout, dst, dst_layout: layout, region: part.bytes() }
        }
    })
}

fn buffer_to_texels(
    src: BufferRange,
    layout: RectLayout,
    part: &ImagePart,
    at: LoweringContext<'_>,
) -> CodeResult<DeviceCommand> {
    Ok(match texels(part, Access::Write, at)? {
        Texels::Image(dst) => DeviceCommand::BufferToImage { src, layout, dst },
        Texels::Buffer(dst, dst_layout) => {
            DeviceCommand::CopyRect { src, src_layout: layout, dst, dst_layout, region: part.bytes() }
        }
    })
}

fn copy_texels(src: &ImagePart, dst: &ImagePart, at: LoweringContext<'_>) -> CodeResult<DeviceCommand> {
    let from = texels(src, Access::Read, at)?;
    Ok(match (from, texels(dst, Access::Write, at)?) {
        (Texels::Image(src), Texels::Image(dst)) => DeviceCommand::CopyImage { src, dst },
        (Texels::Image(src), Texels::Buffer(dst, layout)) => {
            DeviceCommand::ImageToBuffer { src, dst, layout }
        }
        (Texels::Buffer(src, layout), Texels::Image(dst)) => {
            DeviceCommand::BufferToImage { src, layout, dst }
        }
        (Texels::Buffer(from, src_layout), Texels::Buffer(to, dst_layout)) => {
            DeviceCommand::CopyRect { src: from, src_layout, dst: to, dst_layout, region: src.bytes() }
        }
    })
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
    let at = LoweringContext { queue, device_index: kind.device_index(queue), newest };
    let get = |range: &MemRange, access| acquire(range, access, at);
    Ok(match kind {
        // Calls are made by the host, in their turn.
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
        CommandKind::Fill { dst, pattern } => {
            DeviceCommand::Fill { dst: get(dst, Write)?, pattern: pattern.clone() }
        }
        CommandKind::Map { range, mapping, fill } => {
            // Writes of the host through a direct mapping are newer than every other copy.
            let in_place = mapping.write && matches!(mapping.shadow, Shadow::Direct);
            let src = get(range, if in_place { Write } else { Read })?;
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
        CommandKind::WriteImage { src, layout, dst } => write_texels(*src, *layout, dst, at)?,
        CommandKind::ReadImage { src, dst, layout } => read_texels(src, *dst, *layout, at)?,
        CommandKind::CopyImage { src, dst } => copy_texels(src, dst, at)?,
        CommandKind::FillImage { dst, texel } => match texels(dst, Write, at)? {
            Texels::Image(range) => DeviceCommand::FillImage { dst: range, texel: texel.clone() },
            Texels::Buffer(range, layout) => {
                DeviceCommand::FillRect { dst: range, layout, region: dst.bytes(), pattern: texel.clone() }
            }
        },
        CommandKind::ImageToBuffer { src, dst } => {
            texels_to_buffer(src, get(dst, Write)?, tight(src.bytes()), at)?
        }
        CommandKind::BufferToImage { src, dst } => {
            buffer_to_texels(get(src, Read)?, tight(dst.bytes()), dst, at)?
        }
        CommandKind::MapImage { part, mapping, fill } => {
            let layout = mapping.image.ok_or(CL_INVALID_VALUE)?.layout;
            match &mapping.shadow {
                // The host's memory must be up to date; if the host writes, it is the only valid copy.
                Shadow::Direct => {
                    let access = if mapping.write { Write } else { Read };
                    texels(part, access, at).map(|_| DeviceCommand::Nop)?
                }
                _ if !*fill => DeviceCommand::Nop,
                Shadow::Device { index, range } if *index == queue.device_index() => {
                    texels_to_buffer(part, range.clone(), layout, at)?
                }
                _ => read_texels(part, mapping.ptr, layout, at)?,
            }
        }
        CommandKind::UnmapImage { part, mapping } if mapping.write => {
            let layout = mapping.image.ok_or(CL_INVALID_VALUE)?.layout;
            match &mapping.shadow {
                Shadow::Direct => texels(part, Write, at).map(|_| DeviceCommand::Nop)?,
                Shadow::Device { index, range } if *index == queue.device_index() => {
                    buffer_to_texels(range.clone(), layout, part, at)?
                }
                _ => write_texels(mapping.ptr, layout, part, at)?,
            }
        }
        CommandKind::UnmapImage { .. } => DeviceCommand::Nop,
        CommandKind::Launch(launch) => {
            let args = launch.args.lower(at.device_index, |args| lower_args(launch, at, args))?;
            DeviceCommand::Launch(Launch {
                kernel: launch.kernel.clone(),
                args,
                dims: launch.dims,
                offset: launch.offset,
                global: launch.global,
                local: launch.local,
                indirect: launch
                    .addressed
                    .as_ref()
                    .map(|r| r.others(at))
                    .transpose()
                    .map_err(failed)?
                    .unwrap_or_default(),
                default_queue: queue.context().default_queue(queue.device_index()),
            })
        }
        // The host calls the application, or executes the segments one by one.
        CommandKind::Native(_) | CommandKind::SplitReplay(_) => return Err(CL_INVALID_OPERATION),
        CommandKind::External { mems, release } => {
            let whole =
                |mem: &Arc<MemObject>| get(&MemRange { mem: mem.clone(), offset: 0, size: mem.size }, Write);
            DeviceCommand::Transfer {
                ranges: mems.iter().map(whole).collect::<CodeResult<_>>()?,
                release: *release,
            }
        }
        CommandKind::Replay(replay) => replay.lower(queue)?,
        CommandKind::Migrate { mems, undefined } => {
            for mem in mems.iter().filter(|_| !*undefined) {
                get(&MemRange { mem: mem.clone(), offset: 0, size: mem.size }, Read)?;
            }
            DeviceCommand::Nop
        }
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
                let range = acquire(
                    &MemRange { mem: mem.clone(), offset: 0, size: mem.size },
                    arg_access(mem, info),
                    at,
                )?;
                match mem.image() {
                    Some(image) => {
                        let view = image.for_kernels(at.queue.context(), at.device_index, range.memory);
                        ArgValue::Image(view.map_err(|e| e.code())?)
                    }
                    None => ArgValue::Buffer(range),
                }
            }
        });
    }
    Ok(stay)
}

/// Executes a command in the calling thread; everything that it depends on is complete.
pub(crate) fn run_on_host(command: &Command, queue: &Arc<CommandQueue>) -> CodeResult<()> {
    match &command.kind {
        CommandKind::Call(call) => return call(),
        CommandKind::Native(native) => return native::run(native, queue),
        CommandKind::SplitReplay(split) => return split.run(queue),
        CommandKind::Launch(launch) => return fallback::run(launch, &lower(command, queue)?, queue),
        _ => {}
    }
    run_transfer(&command.kind, queue)
}

/// Executes a transfer in the calling thread; its memory objects are not used by work in flight.
pub(super) fn run_transfer(kind: &CommandKind, queue: &Arc<CommandQueue>) -> CodeResult<()> {
    let ops = queue.context().ops(kind.device_index(queue)).map_err(|e| e.code())?;
    transfer_now(ops, &lower_kind(kind, queue, true)?).map_err(|e| e.code())
}
