//! One-shot submissions, waited for and outside of every device queue: contents of new memory, layouts of new
//! images, transfers between devices.

use super::by_host::HostTransfer;
use super::hazard::Before;
use super::queues::Queues;
use super::record::{EndedRecording, Recorder};
use super::submit_queue::{SubmitInfo, SubmitQueue};
use super::transfer::{PIECE, Transfer};
use crate::device::batch::{BufferRange, DeviceCommand};
use crate::device::traits::{DeviceError, DeviceMemory, DeviceResult};
use crate::device::vulkan::memory::buffer::Buffer;
use crate::device::vulkan::memory::image::Image;
use crate::device::vulkan::program::data::DataBlock;
use smallvec::smallvec;
use std::sync::Arc;

/// Uploads bytes to a new buffer and waits for completion.
pub fn upload(queues: &'static Queues, buffer: &Buffer, bytes: &[u8]) -> DeviceResult<()> {
    if bytes.len() as u64 > buffer.size {
        return Err(DeviceError::Unexpected("more bytes than the buffer has".into()));
    }
    if let Some(base) = buffer.mapped() {
        // SAFETY: the mapping has the buffer's size, and no work uses a new buffer.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), base.as_ptr(), bytes.len()) };
        return Ok(());
    }
    let submit_queue = queues.idle()?;
    for (i, chunk) in bytes.chunks(PIECE as usize).enumerate() {
        one_shot(queues, submit_queue, |recorder| recorder.upload(buffer, i as u64 * PIECE, chunk))?;
    }
    Ok(())
}

/// Fills the data block of a new program.
pub fn fill_data(queues: &'static Queues, data: &DataBlock) -> DeviceResult<()> {
    upload(queues, &data.buffer, &data.bytes)?;
    if data.zeros == 0 {
        return Ok(());
    }
    let memory: Arc<dyn DeviceMemory> = data.buffer.clone();
    let dst = BufferRange { memory, offset: data.bytes.len() as u64, size: data.zeros };
    transfer(queues, &DeviceCommand::fill(dst, smallvec![0; 4]))
}

/// Executes a transfer outside of every queue, on memory that no work in flight uses, and waits for
/// completion.
pub fn transfer(queues: &'static Queues, command: &DeviceCommand) -> DeviceResult<()> {
    if let Some(transfer) = HostTransfer::of(command)? {
        // SAFETY: the caller keeps the host's side valid; no work uses the buffers.
        unsafe { transfer.run() };
        return Ok(());
    }
    let submit_queue = queues.idle()?;
    match Transfer::of(command) {
        Some(transfer) => transfer
            .pieces()
            .iter()
            .try_for_each(|piece| one_shot(queues, submit_queue, |r| piece.record(r, true))),
        None => one_shot(queues, submit_queue, |recorder| recorder.command(command, true)),
    }
}

/// Transitions a new image to its layout.
pub fn prepare_image(queues: &'static Queues, image: &Image) -> DeviceResult<()> {
    let Some(from) = image.initial_layout() else { return Ok(()) };
    let submit_queue = queues.idle()?;
    execute(queues, submit_queue, |recorder| {
        recorder.prepare_image(image.raw, from);
        Ok(())
    })
}

/// Executes commands that may use pipelines: see [`execute`].
fn one_shot(
    queues: &'static Queues,
    submit_queue: &'static SubmitQueue,
    record: impl FnOnce(&mut Recorder) -> DeviceResult<()>,
) -> DeviceResult<()> {
    execute(queues, submit_queue, |recorder| {
        record(recorder)?;
        queues.settle()
    })
}

/// Records, submits and waits. Reports no completions, so sinks may call it.
fn execute(
    queues: &'static Queues,
    submit_queue: &'static SubmitQueue,
    record: impl FnOnce(&mut Recorder) -> DeviceResult<()>,
) -> DeviceResult<()> {
    let mut recorder = Recorder::begin(queues.pools, Before::Nothing)?;
    recorder.begin_with_barrier();
    if let Err(e) = record(&mut recorder) {
        recorder.abandon();
        return Err(e);
    }
    let EndedRecording { allocator, read_backs, event } = recorder.end(false, submit_queue.timeline)?;
    let work = SubmitInfo { cmd: Some(allocator.cmd), event, ..SubmitInfo::default() };
    let submitted = submit_queue.submit(work, None);
    if let Ok(value) = submitted {
        submit_queue.wait_value(value, None, true);
        for read_back in read_backs.iter().filter(|_| !queues.pools.gpu.is_lost()) {
            // SAFETY: the device is done; the caller keeps the destination valid.
            unsafe { read_back.run() };
        }
    }
    if queues.pools.gpu.is_lost() {
        submit_queue.report_loss(None);
    }
    let value = submitted.as_ref().ok().map(|value| (submit_queue.timeline, *value));
    allocator.recycle(&queues.pools.allocators, value);
    submitted.map_err(|(e, _)| e)?;
    queues.pools.gpu.check_usable()
}
