//! Work outside of every queue that is waited for: contents of new memory, layouts of new images, transfers between devices.

use super::super::batch::DeviceCommand;
use super::super::traits::{DeviceError, Result};
use super::device::Gpu;
use super::hazard::Before;
use super::lane::Lane;
use super::memory::Buffer;
use super::record::Recorder;
use super::transfer::{PIECE, Transfer};
use ash::vk;

/// Puts bytes into a new buffer and waits until they are there.
pub fn upload(gpu: &'static Gpu, buffer: &Buffer, bytes: &[u8]) -> Result<()> {
    if bytes.len() as u64 > buffer.size {
        return Err(DeviceError::Unexpected("more bytes than the buffer has".into()));
    }
    if let Some(base) = buffer.mapped() {
        // SAFETY: the mapping has the buffer's size, and no work uses a new buffer.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), base.as_ptr(), bytes.len()) };
        return Ok(());
    }
    let lane = gpu.idle_lane()?;
    for (i, chunk) in bytes.chunks(PIECE as usize).enumerate() {
        at_once(gpu, lane, |recorder| recorder.upload(buffer, i as u64 * PIECE, chunk))?;
    }
    Ok(())
}

/// A transfer outside of every queue, on memory that no work in flight uses; waits until it is done.
pub fn transfer(gpu: &'static Gpu, command: &DeviceCommand) -> Result<()> {
    let transfer = Transfer::of(command);
    if let Some(t) = &transfer
        && let Some(device) = t.mapped()?
    {
        // SAFETY: the caller keeps the host's side valid; no work uses the buffer, in which the region is.
        unsafe { t.copy(device) };
        return Ok(());
    }
    let lane = gpu.idle_lane()?;
    match transfer {
        Some(transfer) => {
            transfer.pieces().iter().try_for_each(|piece| at_once(gpu, lane, |r| piece.record(r, true)))
        }
        None => at_once(gpu, lane, |recorder| recorder.command(command, true)),
    }
}

/// Brings a new image into its layout.
pub fn prepare_image(gpu: &'static Gpu, image: vk::Image, from: vk::ImageLayout) -> Result<()> {
    let lane = gpu.idle_lane()?;
    at_once(gpu, lane, |recorder| {
        recorder.prepare_image(image, from);
        Ok(())
    })
}

/// Records, submits and waits. Reports no completions, and so may be called from where they are reported.
fn at_once(
    gpu: &'static Gpu,
    lane: &'static Lane,
    record: impl FnOnce(&mut Recorder) -> Result<()>,
) -> Result<()> {
    let mut recorder = Recorder::begin(gpu, Before::Nothing)?;
    recorder.begin_with_barrier();
    if let Err(e) = record(&mut recorder) {
        recorder.abandon();
        return Err(e);
    }
    let (frame, read_backs) = recorder.end(false)?;
    let submitted = lane.submit(Some(frame.cmd), &[], &[], None);
    if let Ok(value) = submitted {
        lane.wait_value(value, None, true);
        for read_back in read_backs.iter().filter(|_| !gpu.is_lost()) {
            // SAFETY: the device is done; the caller keeps the destination valid.
            unsafe { read_back.run() };
        }
    }
    frame.recycle(gpu);
    submitted.map_err(|(e, _)| e)?;
    gpu.check_usable()
}
