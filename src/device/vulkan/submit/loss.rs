//! The report on the loss of the device: what was executing, and what the driver says about the fault.
//!
//! Which command of a batch was executing is known if checkpoints are recorded
//! (VK_NV_device_diagnostic_checkpoints). They cost a write of the device for each command, so they are only
//! recorded if the log shows messages of the level debug.

use super::list::List;
use crate::device::batch::{ArgValue, BatchItem, DeviceCommand, Launch};
use crate::device::vulkan::core::fault::FaultAddress;
use crate::device::vulkan::core::gpu::Gpu;
use crate::device::vulkan::memory::buffer::buffer_of;
use ash::vk;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};

/// Most commands of a batch that are named.
const MOST_NAMED: usize = 8;
/// A fault this close to a buffer is reported with the buffer's name.
const NEAR: u64 = 1 << 24;

/// Numbers of the checkpoints: those of a batch are consecutive.
static CHECKPOINTS: AtomicU64 = AtomicU64::new(1);

/// Reserves the checkpoints of a batch; returns the first one.
pub fn reserve_checkpoints(gpu: &Gpu, items: usize) -> u64 {
    if gpu.checkpoints.is_none() { 0 } else { CHECKPOINTS.fetch_add(items as u64, Ordering::Relaxed) }
}

/// Records that the commands before are done when the device gets here, and that command `number` begins.
pub fn checkpoint(gpu: &Gpu, cmd: vk::CommandBuffer, number: u64) {
    if let Some(checkpoints) = &gpu.checkpoints {
        let marker = std::ptr::without_provenance::<c_void>(number as usize);
        // SAFETY: the command buffer is recording; the marker is only a number.
        unsafe { checkpoints.cmd_set_checkpoint(cmd, marker) };
    }
}

/// Progress of a batch when the device was lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LostState {
    /// It could not be submitted, and nothing else was.
    Unsubmitted,
    /// It was the oldest one that was not complete; as many were submitted after it.
    Executing { later: usize },
    /// It was complete, and nothing was submitted after it.
    Complete,
}

/// The batch that describes what the device did.
pub struct LostBatch<'a> {
    pub items: &'a [BatchItem],
    /// Its first checkpoint.
    pub checkpoint: u64,
    pub state: LostState,
}

/// The report for a VkQueue, in one line.
pub fn describe(gpu: &Gpu, queue: vk::Queue, number: usize, batch: Option<LostBatch<'_>>) -> String {
    let mut text = format!("Vulkan device {} is lost", gpu.adapter.name);
    let items = batch.as_ref().map_or(&[][..], |b| b.items);
    if let Some(batch) = &batch {
        text += &format!(": queue {number} {}", activity(gpu, queue, batch));
    }
    let fault = gpu.fault();
    if !fault.text.is_empty() {
        text += &format!("; the driver reports: {}", fault.text);
    }
    for at in &fault.addresses {
        text += &format!("; {} at {:#x}", at.what, at.address);
        let launches = items.iter().filter_map(|item| launch(&item.command));
        if let Some(place) = launches.filter_map(|launch| place(at, launch)).min_by_key(|p| p.0) {
            text += &format!(" ({})", place.1);
        }
    }
    text
}

/// Activity of a queue, as a predicate.
fn activity(gpu: &Gpu, queue: vk::Queue, batch: &LostBatch<'_>) -> String {
    let items = batch.items;
    let later = match batch.state {
        LostState::Unsubmitted => return format!("was idle before {}", names(items)),
        LostState::Complete => return format!("had completed {}", names(items)),
        LostState::Executing { later } => later,
    };
    let reached = newest_checkpoint(gpu, queue).and_then(|at| at.checked_sub(batch.checkpoint));
    let command = reached.and_then(|i| Some((i + 1, items.get(i as usize)?)));
    let mut text = match command {
        Some((i, item)) => format!("was executing {}, command {i} of {}", name(&item.command), items.len()),
        None => format!("was executing {}", names(items)),
    };
    if later > 0 {
        text += &format!(", {later} more batches were waiting");
    }
    text
}

/// The checkpoint that the queue reached last.
fn newest_checkpoint(gpu: &Gpu, queue: vk::Queue) -> Option<u64> {
    let checkpoints = gpu.checkpoints.as_ref()?;
    // SAFETY: the device is lost, and the queue is one of it.
    let count = unsafe { checkpoints.get_queue_checkpoint_data_len(queue) };
    let mut data = vec![vk::CheckpointDataNV::default(); count];
    // SAFETY: as above, with room for the elements.
    unsafe { checkpoints.get_queue_checkpoint_data(queue, &mut data) };
    data.iter().map(|d| d.p_checkpoint_marker as u64).max()
}

fn launch(command: &DeviceCommand) -> Option<&Launch> {
    match command {
        DeviceCommand::Launch(launch) => Some(launch),
        _ => None,
    }
}

/// The commands of a batch, as a noun phrase.
pub fn names(items: &[BatchItem]) -> String {
    let named: Vec<String> = items.iter().take(MOST_NAMED).map(|item| name(&item.command)).collect();
    match items.len().saturating_sub(MOST_NAMED) {
        _ if items.is_empty() => "an internal command".into(),
        0 => named.join(", "),
        more => format!("{} and {more} more commands", named.join(", ")),
    }
}

fn name(command: &DeviceCommand) -> String {
    match command {
        DeviceCommand::Launch(launch) => {
            let sizes = |s: &[String]| s[..(launch.dims as usize).clamp(1, 3)].join("x");
            let (global, local) = (launch.global.map(|n| n.to_string()), launch.local.map(|n| n.to_string()));
            let kernel = &launch.kernel.info().name;
            format!("kernel {kernel} (global size {}, local size {})", sizes(&global), sizes(&local))
        }
        DeviceCommand::Replay(list) => {
            let kernels = List::of(list).ok().map(|list| {
                let launches = list.items.iter().filter_map(|item| launch(&item.command));
                launches.map(|l| l.kernel.info().name.clone()).take(MOST_NAMED).collect::<Vec<_>>()
            });
            format!("a command buffer with kernels {}", kernels.unwrap_or_default().join(", "))
        }
        DeviceCommand::Copy { .. } => "a copy".into(),
        DeviceCommand::Fill { .. } => "a fill".into(),
        DeviceCommand::Nop => "a marker".into(),
        DeviceCommand::Wait(_) | DeviceCommand::Signal(_) => "a semaphore command".into(),
        DeviceCommand::Ownership { .. } => "a transfer of ownership".into(),
    }
}

/// Where an address is relative to the buffers of a launch, and the distance to the nearest one.
fn place(at: &FaultAddress, launch: &Launch) -> Option<(u64, String)> {
    let kernel = &launch.kernel.info().name;
    let args = launch.args.iter().enumerate().filter_map(|(i, arg)| {
        let range = match arg {
            ArgValue::Buffer(range) => range,
            ArgValue::Pointer { within: Some(range), .. } => range,
            _ => return None,
        };
        let buffer = buffer_of(range).ok()?;
        let (start, end) = (buffer.address, buffer.address + buffer.size);
        let (distance, text) = if at.address >= end {
            (at.address - end + 1, format!("{} bytes after the end of", at.address - end))
        } else if at.address >= start {
            (0, format!("byte {} of", at.address - start))
        } else {
            (start - at.address, format!("{} bytes before", start - at.address))
        };
        (distance <= NEAR.max(at.precision)).then(|| (distance, format!("{text} argument {i} of {kernel}")))
    });
    args.min_by_key(|(distance, _)| *distance)
}
