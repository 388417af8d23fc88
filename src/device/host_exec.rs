//! Transfers executed by the host on memory it can access. Used by the queue when a command's buffers are
//! idle and mapped, and by the mock device. The caller ensures that the command's dependencies are complete.

use super::batch::{BufferRange, DeviceCommand};
use crate::host_ptr::{self, HostPtr};

fn at(range: &BufferRange) -> Option<HostPtr> {
    range.memory.host_ptr().map(|p| p.offset(range.offset))
}

/// Whether the command is a transfer and every buffer of it is visible to the host.
pub fn can_run(command: &DeviceCommand) -> bool {
    match command {
        DeviceCommand::Nop => true,
        DeviceCommand::Write { dst, .. }
        | DeviceCommand::WriteRect { dst, .. }
        | DeviceCommand::Fill { dst, .. }
        | DeviceCommand::FillRect { dst, .. } => at(dst).is_some(),
        DeviceCommand::Read { src, .. } | DeviceCommand::ReadRect { src, .. } => {
            at(src).is_some() && src.memory.host_cached()
        }
        DeviceCommand::Copy { src, dst } | DeviceCommand::CopyRect { src, dst, .. } => {
            at(src).is_some() && at(dst).is_some() && src.memory.host_cached()
        }
        DeviceCommand::Launch(_)
        | DeviceCommand::Replay(_)
        | DeviceCommand::Wait(_)
        | DeviceCommand::Signal(_)
        | DeviceCommand::Transfer { .. }
        | DeviceCommand::WriteImage { .. }
        | DeviceCommand::ReadImage { .. }
        | DeviceCommand::CopyImage { .. }
        | DeviceCommand::FillImage { .. }
        | DeviceCommand::ImageToBuffer { .. }
        | DeviceCommand::BufferToImage { .. } => false,
    }
}

/// Bytes that the command moves: the cost of executing it in the calling thread.
pub fn cost(command: &DeviceCommand) -> u64 {
    match command {
        DeviceCommand::Nop => 0,
        DeviceCommand::Write { dst, .. } | DeviceCommand::Fill { dst, .. } => dst.size,
        DeviceCommand::Read { src, .. } | DeviceCommand::Copy { src, .. } => src.size,
        DeviceCommand::WriteRect { region, .. }
        | DeviceCommand::ReadRect { region, .. }
        | DeviceCommand::CopyRect { region, .. }
        | DeviceCommand::FillRect { region, .. } => {
            region[0].saturating_mul(region[1]).saturating_mul(region[2])
        }
        DeviceCommand::Launch(_)
        | DeviceCommand::Replay(_)
        | DeviceCommand::Wait(_)
        | DeviceCommand::Signal(_)
        | DeviceCommand::Transfer { .. }
        | DeviceCommand::WriteImage { .. }
        | DeviceCommand::ReadImage { .. }
        | DeviceCommand::CopyImage { .. }
        | DeviceCommand::FillImage { .. }
        | DeviceCommand::ImageToBuffer { .. }
        | DeviceCommand::BufferToImage { .. } => u64::MAX,
    }
}

/// Executes the transfer; false if [`can_run`] is false.
pub fn run(command: &DeviceCommand) -> bool {
    // SAFETY (all calls below): offsets and sizes were validated against the buffers, the application keeps
    // its memory valid until the command completes, and the scheduler runs no other command on these bytes
    // meanwhile.
    match command {
        DeviceCommand::Nop => true,
        DeviceCommand::Write { src, dst } => {
            let Some(to) = at(dst) else { return false };
            // SAFETY: see above.
            unsafe { host_ptr::copy(*src, to, dst.size) };
            true
        }
        DeviceCommand::Read { src, dst } => {
            let Some(from) = at(src) else { return false };
            // SAFETY: see above.
            unsafe { host_ptr::copy(from, *dst, src.size) };
            true
        }
        DeviceCommand::Copy { src, dst } => {
            let (Some(from), Some(to)) = (at(src), at(dst)) else { return false };
            // SAFETY: see above.
            unsafe { host_ptr::copy(from, to, src.size) };
            true
        }
        DeviceCommand::WriteRect { src, src_layout, dst, dst_layout, region } => {
            let Some(to) = at(dst) else { return false };
            // SAFETY: see above.
            unsafe { host_ptr::copy_rect(*src, *src_layout, to, *dst_layout, *region) };
            true
        }
        DeviceCommand::ReadRect { src, src_layout, dst, dst_layout, region } => {
            let Some(from) = at(src) else { return false };
            // SAFETY: see above.
            unsafe { host_ptr::copy_rect(from, *src_layout, *dst, *dst_layout, *region) };
            true
        }
        DeviceCommand::CopyRect { src, src_layout, dst, dst_layout, region } => {
            let (Some(from), Some(to)) = (at(src), at(dst)) else { return false };
            // SAFETY: see above.
            unsafe { host_ptr::copy_rect(from, *src_layout, to, *dst_layout, *region) };
            true
        }
        DeviceCommand::Fill { dst, pattern } => {
            let Some(to) = at(dst) else { return false };
            // SAFETY: see above.
            unsafe { host_ptr::fill(to, pattern, dst.size) };
            true
        }
        DeviceCommand::FillRect { dst, layout, region, pattern } => {
            let Some(to) = at(dst) else { return false };
            for (z, y) in (0..region[2]).flat_map(|z| (0..region[1]).map(move |y| (z, y))) {
                let row = to.offset(layout.offset + z * layout.slice_pitch + y * layout.row_pitch);
                // SAFETY: see above.
                unsafe { host_ptr::fill(row, pattern, region[0]) };
            }
            true
        }
        DeviceCommand::Launch(_)
        | DeviceCommand::Replay(_)
        | DeviceCommand::Wait(_)
        | DeviceCommand::Signal(_)
        | DeviceCommand::Transfer { .. }
        | DeviceCommand::WriteImage { .. }
        | DeviceCommand::ReadImage { .. }
        | DeviceCommand::CopyImage { .. }
        | DeviceCommand::FillImage { .. }
        | DeviceCommand::ImageToBuffer { .. }
        | DeviceCommand::BufferToImage { .. } => false,
    }
}
