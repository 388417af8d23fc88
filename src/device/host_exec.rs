//! Transfers executed by the host on memory it can access. Used by the queue when a command's buffers are
//! idle and mapped, and by devices whose memory is the host's. The caller ensures that the command's
//! dependencies are complete.

use super::batch::{Access, DeviceCommand, Endpoint, RectLayout};
use crate::host_ptr::{self, HostPtr};

/// Host memory, and the layout of a transfer's region in it.
pub type HostRegion = (HostPtr, RectLayout);

/// The host memory of one side of a transfer; `None` if the host cannot access it.
pub fn host_region(side: &Endpoint) -> Option<HostRegion> {
    match side {
        Endpoint::Host(ptr, layout) => Some((*ptr, *layout)),
        Endpoint::Buffer(range, layout) => Some((range.memory.host_ptr()?.offset(range.offset), *layout)),
        Endpoint::Image(_) => None,
    }
}

/// Whether the command is a transfer and the host can access both sides efficiently.
pub fn can_run(command: &DeviceCommand) -> bool {
    let reads_fast = |side: &Endpoint| match side {
        Endpoint::Buffer(range, _) => range.memory.host_cached(),
        Endpoint::Host(..) | Endpoint::Image(_) => true,
    };
    is_transfer(command)
        && command.endpoints().all(|(side, access)| {
            host_region(side).is_some() && (access == Access::Write || reads_fast(side))
        })
}

fn is_transfer(command: &DeviceCommand) -> bool {
    match command {
        DeviceCommand::Nop | DeviceCommand::Copy { .. } | DeviceCommand::Fill { .. } => true,
        DeviceCommand::Launch(_)
        | DeviceCommand::Replay(_)
        | DeviceCommand::Wait(_)
        | DeviceCommand::Signal(_)
        | DeviceCommand::Ownership { .. } => false,
    }
}

/// Executes the transfer in the memory that `find` returns for its sides; `None` if the command is no
/// transfer, or `find` returns that.
pub fn run(command: &DeviceCommand, find: impl Fn(&Endpoint) -> Option<HostRegion>) -> Option<()> {
    // SAFETY (both calls below): offsets and sizes were validated against buffers and images, the application
    // keeps its memory valid until the command completes, and the scheduler runs no other command on these
    // bytes meanwhile.
    match command {
        DeviceCommand::Nop => {}
        DeviceCommand::Copy { src, dst, region } => {
            let ((from, from_layout), (to, to_layout)) = (find(src)?, find(dst)?);
            // SAFETY: see above.
            unsafe { host_ptr::copy_rect(from, from_layout, to, to_layout, *region) };
        }
        DeviceCommand::Fill { dst, region, pattern } => {
            let (to, layout) = find(dst)?;
            for (z, y) in (0..region[2]).flat_map(|z| (0..region[1]).map(move |y| (z, y))) {
                let row = to.offset(layout.offset + z * layout.slice_pitch + y * layout.row_pitch);
                // SAFETY: see above.
                unsafe { host_ptr::fill(row, pattern, region[0]) };
            }
        }
        DeviceCommand::Launch(_)
        | DeviceCommand::Replay(_)
        | DeviceCommand::Wait(_)
        | DeviceCommand::Signal(_)
        | DeviceCommand::Ownership { .. } => return None,
    }
    Some(())
}
