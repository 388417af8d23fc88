//! The window of a launch (`PointerMode::Windowed`): the range of memory in which the buffers of all
//! arguments lie. Pure.
//!
//! If they are parts of one window (`memory::window`), or of one buffer, the launch binds a range of that.
//! Else the buffers are copied to staging memory before the launch, and what the kernel may have written
//! back after it.

use crate::device::vulkan::core::conv::align_up;
use ash::vk;

/// Alignment in the window: the largest that descriptors require, and that of every buffer.
pub const ALIGN: u64 = 256;

/// A range of a buffer that an argument of the kernel leads to.
#[derive(Clone, Copy, Debug)]
pub struct WindowArg {
    pub arg: u16,
    pub raw: vk::Buffer,
    /// A larger buffer with the same memory, and where this one begins in it.
    pub place: (vk::Buffer, u64),
    /// Bytes of the buffer, and the end of those that accesses may touch.
    pub start: u64,
    pub end: u64,
    pub padded_end: u64,
    pub write: bool,
}

/// A window, and the offset in it of each argument.
#[derive(PartialEq, Eq, Debug)]
pub struct LaunchWindow {
    pub memory: WindowMemory,
    pub offsets: Vec<(u16, u64)>,
}

/// Memory of a window.
#[derive(PartialEq, Eq, Debug)]
pub enum WindowMemory {
    /// Nothing: all arguments are NULL.
    None,
    /// A range of a buffer.
    Bound { buffer: vk::Buffer, offset: u64, range: u64 },
    /// `size` bytes of staging memory, to which the buffers are copied.
    Staged { size: u64, copies: Vec<WindowCopy> },
}

/// A range of a buffer that is copied to the window.
#[derive(PartialEq, Eq, Debug)]
pub struct WindowCopy {
    pub raw: vk::Buffer,
    pub start: u64,
    pub end: u64,
    /// Offset in the window.
    pub at: u64,
    /// Ranges of the buffer to copy back.
    pub writes: Vec<(u64, u64)>,
}

impl LaunchWindow {
    /// The window for these arguments, in a descriptor of at most `limit` bytes. `None` if they need more.
    pub fn new(args: &[WindowArg], limit: u64) -> Option<LaunchWindow> {
        let Some(first) = args.first() else {
            return Some(LaunchWindow { memory: WindowMemory::None, offsets: Vec::new() });
        };
        let start = args.iter().map(|a| a.place.1 + a.start).min().unwrap_or(0) & !(ALIGN - 1);
        let end = args.iter().map(|a| a.place.1 + a.padded_end).max().unwrap_or(0);
        if args.iter().all(|a| a.place.0 == first.place.0) && end - start <= limit {
            let memory = WindowMemory::Bound { buffer: first.place.0, offset: start, range: end - start };
            let offsets = args.iter().map(|a| (a.arg, a.place.1 + a.start - start)).collect();
            return Some(LaunchWindow { memory, offsets });
        }
        let mut copies: Vec<WindowCopy> = Vec::new();
        for a in args {
            let start = a.start & !(ALIGN - 1);
            match copies.iter_mut().find(|copy| copy.raw == a.raw) {
                Some(copy) => (copy.start, copy.end) = (copy.start.min(start), copy.end.max(a.padded_end)),
                None => {
                    let (end, writes) = (a.padded_end, Vec::new());
                    copies.push(WindowCopy { raw: a.raw, start, end, at: 0, writes });
                }
            }
        }
        let mut size = 0;
        for copy in &mut copies {
            copy.at = size;
            size = align_up(size + copy.end - copy.start, ALIGN);
        }
        let mut offsets = Vec::with_capacity(args.len());
        for a in args {
            let copy = copies.iter_mut().find(|copy| copy.raw == a.raw)?;
            offsets.push((a.arg, copy.at + a.start - copy.start));
            if a.write {
                copy.writes.push((a.start, a.end));
            }
        }
        copies.iter_mut().for_each(|copy| join(&mut copy.writes));
        (size <= limit).then_some(LaunchWindow { memory: WindowMemory::Staged { size, copies }, offsets })
    }

    /// The offset of an argument in the window, 0 for NULL.
    pub fn offset(&self, arg: u16) -> u64 {
        self.offsets.iter().find(|(known, _)| *known == arg).map_or(0, |(_, offset)| *offset)
    }
}

/// Joins ranges that meet.
fn join(ranges: &mut Vec<(u64, u64)>) {
    ranges.sort_unstable();
    ranges.dedup_by(|next, last| {
        let meets = next.0 <= last.1;
        if meets {
            last.1 = last.1.max(next.1);
        }
        meets
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use ash::vk::Handle;

    fn arg(arg: u16, raw: u64, place: (u64, u64), start: u64, size: u64, write: bool) -> WindowArg {
        let (end, padded_end) = (start + size, align_up(start + size, 16));
        let place = (vk::Buffer::from_raw(place.0), place.1);
        WindowArg { arg, raw: vk::Buffer::from_raw(raw), place, start, end, padded_end, write }
    }

    #[test]
    fn parts_of_a_window_are_bound() {
        let args = [arg(0, 1, (9, 512), 0, 100, true), arg(3, 2, (9, 4096), 128, 4, false)];
        let window = LaunchWindow::new(&args, 1 << 20).unwrap();
        let range = 4096 + 144 - 512;
        let memory = WindowMemory::Bound { buffer: vk::Buffer::from_raw(9), offset: 512, range };
        assert_eq!(window, LaunchWindow { memory, offsets: vec![(0, 0), (3, 4096 + 128 - 512)] });
        assert_eq!((window.offset(3), window.offset(1)), (3712, 0));
        // Too far from each other for a descriptor.
        let window = LaunchWindow::new(&args, 2048).unwrap();
        assert!(matches!(window.memory, WindowMemory::Staged { size: 512, .. }));
    }

    #[test]
    fn other_buffers_are_copied_once_each() {
        let args = [
            arg(0, 1, (1, 0), 0, 1000, false),
            arg(1, 2, (2, 0), 512, 64, true),
            arg(2, 2, (2, 0), 1024, 10, true),
            arg(4, 2, (2, 0), 560, 32, true),
        ];
        let window = LaunchWindow::new(&args, 4096).unwrap();
        assert_eq!(window.offsets, [(0, 0), (1, 1024), (2, 1536), (4, 1072)]);
        let WindowMemory::Staged { size, copies } = window.memory else { panic!("not staged") };
        assert_eq!(size, 1024 + 768);
        assert_eq!((copies[0].start, copies[0].end, copies[0].at), (0, 1008, 0));
        assert_eq!((copies[1].start, copies[1].end, copies[1].at), (512, 1040, 1024));
        assert!(copies[0].writes.is_empty());
        assert_eq!(copies[1].writes, [(512, 592), (1024, 1034)]);
        assert_eq!(LaunchWindow::new(&args, 1024), None);
        assert_eq!(LaunchWindow::new(&[], 0).unwrap().memory, WindowMemory::None);
    }
}
