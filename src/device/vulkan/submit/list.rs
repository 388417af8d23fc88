//! Lists: commands recorded into a secondary command buffer, which primary ones execute any number of times.
//!
//! A list has its own kernel arguments and patterns, written once. Lists with kernels that print keep their
//! commands instead: these are recorded again into each primary command buffer, which has the print buffer.

use super::command_allocator::CommandAllocator;
use super::pools::SubmitPools;
use crate::device::batch::{DeviceCommand, ListItem};
use crate::device::traits::{DeviceError, DeviceList, DeviceResult};
use crate::device::vulkan::memory::access::ObjectAccess;
use ash::vk;
use parking_lot::Mutex;
use std::any::Any;
use std::sync::Arc;

/// A list; see the module's text.
pub struct List {
    pools: &'static SubmitPools,
    /// The commands, whose operands live as long as the list.
    pub items: Vec<ListItem>,
    pub recorded: Option<Recorded>,
    /// Number of launches that print.
    pub prints: u64,
}

/// The recorded command buffer.
pub struct Recorded {
    pub allocator: Mutex<CommandAllocator>,
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
    /// A list of commands, and how they were recorded.
    pub fn new(pools: &'static SubmitPools, items: Vec<ListItem>, recorded: Option<Recorded>) -> List {
        let prints = items.iter().map(|item| prints(&item.command)).sum();
        List { pools, items, recorded, prints }
    }

    /// Downcasts to the list type of this device kind.
    pub fn of(list: &Arc<dyn DeviceList>) -> DeviceResult<&List> {
        list.as_any()
            .downcast_ref::<List>()
            .ok_or_else(|| DeviceError::Unexpected("list of another kind of device".into()))
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
            recorded.allocator.get_mut().dispose(self.pools.memory);
        }
    }
}
