//! Commands of a paired device: which device executes them, and their form for that device. Also recorded
//! commands, in segments of one device each.

use super::memory::{PairedMemory, paired};
use super::pair::{Pair, Side};
use super::program::PairedKernel;
use crate::device::batch::{Access, ArgValue, BufferRange, DeviceCommand, Endpoint, Launch, ListItem, Work};
use crate::device::copies::transfer_now;
use crate::device::traits::{DeviceError, DeviceList, DeviceMemory, DeviceResult};
use clspv_bridge::metadata::{AccessQualifier, AddressQualifier};
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

/// A command's use of memory.
pub struct MemoryUse {
    pub memory: Arc<dyn DeviceMemory>,
    pub range: Range<u64>,
    pub access: Access,
}

/// Replaces memory of a paired device by that of one of the two.
type Replace<'a> = &'a mut dyn FnMut(MemoryUse) -> DeviceResult<Arc<dyn DeviceMemory>>;

/// The device that executes a command: the secondary one for its kernels, and for transfers of images that
/// only it has. A list counts as secondary if a segment is.
pub fn side_of(command: &DeviceCommand) -> Side {
    let secondary = match command {
        Work::Launch(launch) => PairedKernel::of(launch).is_ok_and(|k| k.side() == Side::Secondary),
        Work::Replay(list) => list_of(list).is_ok_and(|list| !list.is_primary()),
        transfer => {
            let mut found = false;
            let _ = replace(&mut transfer.clone(), &mut |used| {
                found |= paired(&used.memory)?.is_secondary_only();
                Ok(used.memory)
            });
            found
        }
    };
    if secondary { Side::Secondary } else { Side::Primary }
}

/// Translates a command for the device that executes it, with its memory up to date there.
pub fn acquire(command: &mut DeviceCommand, side: Side) -> DeviceResult<()> {
    if let Work::Replay(list) = command {
        let Some(Segment::Primary { list, uses }) = list_of(list)?.segments.first() else {
            *command = Work::Nop;
            return Ok(());
        };
        acquire_all(uses)?;
        *command = Work::Replay(list.clone());
        return Ok(());
    }
    replace(command, &mut |used| paired(&used.memory)?.acquire(side, used.range, used.access))
}

/// Brings memory up to date on the primary device.
pub fn acquire_all(uses: &[MemoryUse]) -> DeviceResult<()> {
    let acquire = |MemoryUse { memory, range, access }: &MemoryUse| {
        paired(memory)?.acquire(Side::Primary, range.clone(), *access).map(drop)
    };
    uses.iter().try_for_each(acquire)
}

/// Executes a command, other than a replay, on the secondary device and waits for it. No work in flight uses
/// its memory.
pub fn run_on_secondary(
    pair: &Pair,
    mut command: DeviceCommand,
    print_bytes: u64,
    print: &dyn Fn(&[u8]),
) -> DeviceResult<()> {
    let ops = pair.ops(Side::Secondary);
    let mut written: Vec<MemoryUse> = Vec::new();
    replace(&mut command, &mut |used| {
        let memory = paired(&used.memory)?;
        let own = memory.acquire(Side::Secondary, used.range.clone(), used.access)?;
        if used.access == Access::Write && memory.is_external() {
            written.push(MemoryUse { access: Access::Read, ..used });
        }
        Ok(own)
    })?;
    match &command {
        Work::Launch(launch) => {
            tracing::debug!("kernel '{}' runs on {}", launch.kernel.info().name, ops.info().name);
            ops.launch(launch, print_bytes, print)?;
        }
        transfer => transfer_now(ops, transfer)?,
    }
    acquire_all(&written)
}

/// Replaces each memory operand of a command, and a kernel by that of its device.
fn replace(command: &mut DeviceCommand, with: Replace<'_>) -> DeviceResult<()> {
    match command {
        Work::Copy { src, dst, .. } => {
            endpoint(src, Access::Read, with)?;
            endpoint(dst, Access::Write, with)
        }
        Work::Fill { dst, .. } => endpoint(dst, Access::Write, with),
        Work::Launch(launch) => self::launch(launch, with),
        Work::Ownership { ranges, .. } => {
            ranges.iter_mut().try_for_each(|range| buffer(range, Access::Write, with))
        }
        Work::Replay(_) | Work::Wait(_) | Work::Signal(_) | Work::Nop => Ok(()),
    }
}

fn endpoint(side: &mut Endpoint, access: Access, with: Replace<'_>) -> DeviceResult<()> {
    match side {
        Endpoint::Host(..) => Ok(()),
        Endpoint::Buffer(range, _) => buffer(range, access, with),
        Endpoint::Image(range) => whole(&mut range.image, access, with),
    }
}

fn buffer(range: &mut BufferRange, access: Access, with: Replace<'_>) -> DeviceResult<()> {
    let bytes = range.offset..range.offset + range.size;
    range.memory = with(MemoryUse { memory: range.memory.clone(), range: bytes, access })?;
    Ok(())
}

fn whole(memory: &mut Arc<dyn DeviceMemory>, access: Access, with: Replace<'_>) -> DeviceResult<()> {
    *memory = with(MemoryUse { memory: memory.clone(), range: 0..memory.size(), access })?;
    Ok(())
}

fn launch(launch: &mut Launch, with: Replace<'_>) -> DeviceResult<()> {
    let kernel = PairedKernel::of(launch)?.inner().clone();
    let mut args = Vec::clone(&launch.args);
    for (arg, info) in args.iter_mut().zip(&kernel.info().args) {
        match arg {
            ArgValue::Buffer(range) => {
                let constant = info.address == AddressQualifier::Constant;
                let reads = constant || paired(&range.memory).is_ok_and(PairedMemory::is_read_only);
                buffer(range, if reads { Access::Read } else { Access::Write }, with)?;
            }
            ArgValue::Pointer { within: Some(range), .. } => buffer(range, Access::Write, with)?,
            ArgValue::Image(memory) if info.access == AccessQualifier::ReadOnly => {
                whole(memory, Access::Read, with)?;
            }
            ArgValue::Image(memory) => whole(memory, Access::Write, with)?,
            ArgValue::Bytes(_)
            | ArgValue::NullBuffer
            | ArgValue::Local(_)
            | ArgValue::Pointer { within: None, .. } => {}
        }
    }
    (launch.args, launch.kernel) = (Arc::new(args), kernel);
    launch.indirect.buffers.iter_mut().try_for_each(|range| buffer(range, Access::Write, with))
}

/// Recorded commands: consecutive ones of one device form a segment.
pub struct PairedList {
    pub segments: Vec<Segment>,
}

/// Consecutive recorded commands of one device.
pub enum Segment {
    /// A list of the primary device, with the memory that it uses.
    Primary {
        list: Arc<dyn DeviceList>,
        uses: Vec<MemoryUse>,
    },
    Secondary(Vec<DeviceCommand>),
}

impl DeviceList for PairedList {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Downcasts a list to that of a paired device.
pub fn list_of(list: &Arc<dyn DeviceList>) -> DeviceResult<&PairedList> {
    let found = list.as_any().downcast_ref::<PairedList>();
    found.ok_or_else(|| DeviceError::Unexpected("a list of another kind of device".into()))
}

impl PairedList {
    /// Records commands.
    pub fn record(pair: &Pair, items: Vec<ListItem>) -> DeviceResult<PairedList> {
        let (mut segments, mut items) = (Vec::new(), items.into_iter().peekable());
        while let Some(first) = items.next() {
            let side = side_of(&first.command);
            let mut run = vec![first];
            while let Some(item) = items.next_if(|item| side_of(&item.command) == side) {
                run.push(item);
            }
            segments.push(match side {
                Side::Primary => primary(pair, run)?,
                Side::Secondary => Segment::Secondary(run.into_iter().map(|item| item.command).collect()),
            });
        }
        Ok(PairedList { segments })
    }

    /// Whether the primary device executes all of it, as one list.
    fn is_primary(&self) -> bool {
        matches!(self.segments.as_slice(), [] | [Segment::Primary { .. }])
    }
}

fn primary(pair: &Pair, mut items: Vec<ListItem>) -> DeviceResult<Segment> {
    let mut uses: Vec<MemoryUse> = Vec::new();
    for item in &mut items {
        replace(&mut item.command, &mut |used| {
            let own = paired(&used.memory)?.on(Side::Primary)?;
            let same = |known: &&mut MemoryUse| {
                Arc::ptr_eq(&known.memory, &used.memory) && known.range == used.range
            };
            match uses.iter_mut().find(same) {
                Some(known) if used.access == Access::Write => known.access = used.access,
                Some(_) => {}
                None => uses.push(used),
            }
            Ok(own)
        })?;
    }
    Ok(Segment::Primary { list: pair.ops(Side::Primary).record(items)?, uses })
}
