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

/// Bytes of a piece of a transfer, which one thread runs.
const PIECE: u64 = 512 << 10;

/// Work on the pieces `first..end`; it does not fail.
pub type PieceWork<'a> = &'a (dyn Fn(u64, u64) -> bool + Sync);

/// Runs work on all of `0..total`, in ranges, which several threads may do at the same time.
pub type Share<'a> = &'a dyn Fn(u64, PieceWork<'_>);

/// [`Share`] by the calling thread alone.
pub fn alone(total: u64, work: PieceWork<'_>) {
    work(0, total);
}

/// Executes the transfer in the memory that `find` returns for its sides; `None` if the command is no
/// transfer, or `find` returns that. Large ones consist of pieces, which `share` runs.
pub fn run(
    command: &DeviceCommand,
    find: impl Fn(&Endpoint) -> Option<HostRegion>,
    share: Share<'_>,
) -> Option<()> {
    // SAFETY (both calls below): offsets and sizes were validated against buffers and images, the application
    // keeps its memory valid until the command completes, and the scheduler runs no other command on these
    // bytes meanwhile.
    match command {
        DeviceCommand::Nop => {}
        DeviceCommand::Copy { src, dst, region } => {
            let (src, dst) = (find(src)?, find(dst)?);
            // SAFETY: see above.
            unsafe { copy(src, dst, *region, share) };
        }
        DeviceCommand::Fill { dst, region, pattern } => {
            // SAFETY: see above.
            unsafe { fill(find(dst)?, *region, pattern, share) };
        }
        DeviceCommand::Launch(_)
        | DeviceCommand::Replay(_)
        | DeviceCommand::Wait(_)
        | DeviceCommand::Signal(_)
        | DeviceCommand::Ownership { .. } => return None,
    }
    Some(())
}

/// The row of a region with this number.
fn row((start, layout): HostRegion, region: [u64; 3], number: u64) -> HostPtr {
    let (y, z) = (number % region[1], number / region[1]);
    start.offset(layout.offset + z * layout.slice_pitch + y * layout.row_pitch)
}

/// The addresses from the first byte of a region to the last.
pub fn extent((start, layout): HostRegion, region: [u64; 3]) -> std::ops::Range<u64> {
    let first = start.addr() as u64 + layout.offset;
    let before = |count: u64, pitch: u64| count.saturating_sub(1) * pitch;
    first..first + before(region[2], layout.slice_pitch) + before(region[1], layout.row_pitch) + region[0]
}

/// # Safety
/// Every row of both regions is valid and is not written by others during the call.
unsafe fn copy(src: HostRegion, dst: HostRegion, region: [u64; 3], share: Share<'_>) {
    let (from, to) = (extent(src, region), extent(dst, region));
    let (bytes, rows) = (region[0], region[1] * region[2]);
    if from.start < to.end && to.start < from.end {
        // SAFETY: by this function's contract.
        return unsafe { host_ptr::copy_rect(src.0, src.1, dst.0, dst.1, region) };
    }
    if rows == 1 {
        let (src, dst) = (row(src, region, 0), row(dst, region, 0));
        return in_pieces(bytes.div_ceil(PIECE), share, &|first, end| {
            let (at, end) = (first * PIECE, (end * PIECE).min(bytes));
            // SAFETY: by this function's contract; the extents do not overlap.
            unsafe { host_ptr::copy_part(src.offset(at), dst.offset(at), end - at, bytes) };
            true
        });
    }
    by_rows(bytes, rows, share, &|number| {
        // SAFETY: by this function's contract.
        unsafe { host_ptr::copy(row(src, region, number), row(dst, region, number), bytes) };
    });
}

/// Repeats a pattern over a region, from the start of each row.
///
/// # Safety
/// Every row of the region is valid and is not used by others during the call.
pub unsafe fn fill(dst: HostRegion, region: [u64; 3], pattern: &[u8], share: Share<'_>) {
    let (bytes, rows) = (region[0], region[1] * region[2]);
    if rows == 1 {
        // Pieces begin with the pattern's first byte.
        let period = pattern.len().max(1) as u64;
        let (dst, piece) = (row(dst, region, 0), (PIECE / period).max(1) * period);
        return in_pieces(bytes.div_ceil(piece), share, &|first, end| {
            let (at, end) = (first * piece, (end * piece).min(bytes));
            // SAFETY: by this function's contract.
            unsafe { host_ptr::fill(dst.offset(at), pattern, end - at) };
            true
        });
    }
    by_rows(bytes, rows, share, &|number| {
        // SAFETY: by this function's contract.
        unsafe { host_ptr::fill(row(dst, region, number), pattern, bytes) };
    });
}

/// Runs work on all pieces. One piece needs no other thread.
fn in_pieces(total: u64, share: Share<'_>, work: PieceWork<'_>) {
    match total {
        0 => {}
        1 => alone(1, work),
        _ => share(total, work),
    }
}

/// Runs work on each row, in pieces of several.
fn by_rows(bytes: u64, rows: u64, share: Share<'_>, work: &(dyn Fn(u64) + Sync)) {
    let each = (PIECE / bytes.max(1)).max(1);
    in_pieces(rows.div_ceil(each), share, &|first, end| {
        (first * each..(end * each).min(rows)).for_each(work);
        true
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs pieces one by one, the last first.
    fn backwards(total: u64, work: PieceWork<'_>) {
        (0..total).rev().for_each(|piece| assert!(work(piece, piece + 1)));
    }

    fn region(bytes: &mut [u8], offset: u64, row_pitch: u64, slice_pitch: u64) -> HostRegion {
        (HostPtr::new(bytes.as_mut_ptr()), RectLayout { offset, row_pitch, slice_pitch })
    }

    #[test]
    fn pieces_make_the_whole() {
        let len = 3 * PIECE + 77;
        let mut from: Vec<u8> = (0..len + 9).map(|i| (i * 7 / 3) as u8).collect();
        let mut to = vec![0; len as usize + 20];
        let (src, dst) = (region(&mut from, 5, 0, 0), region(&mut to, 13, 0, 0));
        // SAFETY: the vectors have the bytes.
        unsafe { copy(src, dst, [len, 1, 1], &backwards) };
        assert!(to[13..][..len as usize] == from[5..][..len as usize]);
        assert!(to[..13].iter().chain(&to[13 + len as usize..]).all(|byte| *byte == 0));
        let dst = region(&mut to, 1, 0, 0);
        // SAFETY: as above.
        unsafe { fill(dst, [len / 12 * 12, 1, 1], &from[..12], &backwards) };
        let filled = &to[1..][..(len / 12 * 12) as usize];
        assert!(filled.chunks(12).all(|pattern| pattern == &from[..12]));
        assert_eq!(to[0], 0);
    }

    #[test]
    fn rows_are_copied_once() {
        // Rows of 1,000 bytes: 524 of them are a piece.
        let (rows, slices) = (300u64, 4u64);
        let mut from: Vec<u8> = (0..rows * slices * 1100).map(|i| (i / 3) as u8).collect();
        let mut to = vec![0; (rows * slices * 1200) as usize];
        let (src, dst) = (region(&mut from, 0, 1100, rows * 1100), region(&mut to, 0, 1200, rows * 1200));
        // SAFETY: the vectors have the rows.
        unsafe { copy(src, dst, [1000, rows, slices], &backwards) };
        for (from, to) in from.chunks(1100).zip(to.chunks(1200)) {
            assert!(to[..1000] == from[..1000] && to[1000..] == [0; 200]);
        }
    }

    #[test]
    fn overlapping_bytes_move() {
        let len = 2 * PIECE as usize;
        let mut bytes: Vec<u8> = (0..len + 100).map(|i| (i / 5) as u8).collect();
        let moved = bytes[..len].to_vec();
        let (src, dst) = (region(&mut bytes, 0, 0, 0), region(&mut bytes, 100, 0, 0));
        // SAFETY: the vector has the bytes.
        unsafe { copy(src, dst, [len as u64, 1, 1], &backwards) };
        assert!(bytes[100..] == moved);
    }
}
