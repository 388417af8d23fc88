//! Lists: commands recorded into a secondary command buffer, which primary ones execute any number of times.
//!
//! A list has its own kernel arguments and patterns, written once. Lists with kernels that print keep their
//! commands instead: these are recorded again into each primary command buffer, which has the print buffer.

use super::command_allocator::CommandAllocator;
use super::hazard::ObjectAccess;
use super::record::Recorder;
use crate::device::batch::{DeviceCommand, ListItem};
use crate::device::traits::{DeviceError, DeviceList, DeviceResult};
use crate::device::vulkan::device::Gpu;
use ash::vk;
use parking_lot::Mutex;
use std::any::Any;
use std::sync::Arc;

/// A list; see the module's text.
pub struct List {
    gpu: &'static Gpu,
    /// The commands, whose operands live as long as the list.
    pub items: Vec<ListItem>,
    pub recorded: Option<Recorded>,
    /// Number of launches that print.
    pub prints: u64,
}

/// The recorded command buffer.
pub struct Recorded {
    allocator: Mutex<CommandAllocator>,
    pub cmd: vk::CommandBuffer,
    pub accesses: Vec<ObjectAccess>,
    pub transfers: bool,
}

/// Number of launches in the command that print.
pub fn prints(command: &DeviceCommand) -> u64 {
    match command {
        DeviceCommand::Launch(launch) => u64::from(!launch.kernel.info().printf.is_empty()),
        DeviceCommand::Replay(list) => List::of(list).map_or(0, |l| l.prints),
        _ => 0,
    }
}

impl List {
    /// Records the commands.
    pub fn record(gpu: &'static Gpu, items: Vec<ListItem>) -> DeviceResult<List> {
        use DeviceCommand::{Read, ReadRect, Write, WriteRect};
        if items
            .iter()
            .any(|i| matches!(&i.command, Read { .. } | ReadRect { .. } | Write { .. } | WriteRect { .. }))
        {
            return Err(DeviceError::Unexpected("a recorded command with host memory".into()));
        }
        let prints = items.iter().map(|item| prints(&item.command)).sum();
        let recorded = if prints == 0 { Some(Recorded::new(gpu, &items)?) } else { None };
        Ok(List { gpu, items, recorded, prints })
    }

    /// Downcasts to the list type of this device kind.
    pub fn of(list: &Arc<dyn DeviceList>) -> DeviceResult<&List> {
        list.as_any()
            .downcast_ref::<List>()
            .ok_or_else(|| DeviceError::Unexpected("list of another kind of device".into()))
    }
}

impl Recorded {
    fn new(gpu: &'static Gpu, items: &[ListItem]) -> DeviceResult<Recorded> {
        let mut recorder = Recorder::begin_list(gpu)?;
        for item in items {
            if let Err(e) = recorder.command(&item.command, item.ordered) {
                recorder.abandon();
                return Err(e);
            }
        }
        let (allocator, accesses, transfers) = recorder.end_list()?;
        Ok(Recorded { cmd: allocator.cmd, allocator: Mutex::new(allocator), accesses, transfers })
    }
}

impl DeviceList for List {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for List {
    fn drop(&mut self) {
        if let Some(recorded) = &mut self.recorded {
            recorded.allocator.get_mut().dispose(self.gpu);
        }
    }
}
