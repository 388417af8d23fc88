//! Transfers between host memory and the device: their regions and their pieces.

use super::record::Recorder;
use crate::cl::region::byte_count;
use crate::device::batch::{BufferRange, DeviceCommand, Endpoint, ImageRange, RectLayout};
use crate::device::traits::{DeviceMemory, DeviceResult};
use crate::device::vulkan::memory::image::image_of;
use crate::host_ptr::HostPtr;
use std::sync::Arc;

/// Maximum number of pieces of a large transfer in flight.
pub const IN_FLIGHT: usize = 8;
/// Limits of the size of a piece, which is the transfer's size divided by the number in flight.
pub const PIECE: u64 = 4 << 20;
const MIN_PIECE: u64 = 512 << 10;

/// A host-device transfer.
pub struct Transfer<'a> {
    pub host: HostPtr,
    pub host_layout: RectLayout,
    side: Side<'a>,
    /// In bytes, rows and slices.
    pub region: [u64; 3],
    pub write: bool,
}

/// The device's side of a transfer.
#[derive(Clone, Copy)]
enum Side<'a> {
    Buffer {
        range: &'a BufferRange,
        layout: RectLayout,
    },
    /// From a texel on; and the size of a texel.
    Image {
        image: &'a Arc<dyn DeviceMemory>,
        level: u32,
        origin: [u32; 3],
        element: u64,
    },
}

impl<'a> Side<'a> {
    fn of(endpoint: &'a Endpoint) -> Option<Side<'a>> {
        match endpoint {
            Endpoint::Host(..) => None,
            Endpoint::Buffer(range, layout) => Some(Side::Buffer { range, layout: *layout }),
            Endpoint::Image(ImageRange { image, level, origin, .. }) => {
                let element = image_of(image).ok()?.desc.format.element_size().into();
                Some(Side::Image { image, level: *level, origin: *origin, element })
            }
        }
    }
}

impl<'a> Transfer<'a> {
    /// The command's transfer, if it is one.
    pub fn of(command: &'a DeviceCommand) -> Option<Transfer<'a>> {
        let DeviceCommand::Copy { src, dst, region } = command else { return None };
        let (host, host_layout, other, write) = match (src, dst) {
            (Endpoint::Host(ptr, layout), other) => (*ptr, *layout, other, true),
            (other, Endpoint::Host(ptr, layout)) => (*ptr, *layout, other, false),
            _ => return None,
        };
        Some(Transfer { host, host_layout, side: Side::of(other)?, region: *region, write })
    }

    /// Granularity in bytes at which a row can be split.
    fn unit(&self) -> u64 {
        match self.side {
            Side::Buffer { .. } => 1,
            Side::Image { element, .. } => element,
        }
    }

    /// Total bytes.
    pub fn bytes(&self) -> u64 {
        byte_count(self.region)
    }

    /// Splits the transfer into pieces of at most `PIECE` bytes; rows larger than that are split too.
    pub fn pieces(&self) -> Vec<Transfer<'a>> {
        let mut list = Vec::new();
        let most = (self.bytes() / IN_FLIGHT as u64).next_multiple_of(4096).clamp(MIN_PIECE, PIECE);
        self.cut(most, &mut list);
        list
    }

    fn cut(&self, most: u64, list: &mut Vec<Transfer<'a>>) {
        if self.bytes() <= most {
            list.push(self.sub([0; 3], self.region));
            return;
        }
        let axis = if self.region[2] > 1 { 2 } else { usize::from(self.region[1] > 1) };
        let unit = self.region[..axis].iter().product::<u64>().max(1);
        let least = if axis == 0 { self.unit() } else { 1 };
        let step = (most / unit / least * least).max(least);
        let mut at = 0;
        while at < self.region[axis] {
            let (mut origin, mut region) = ([0; 3], self.region);
            origin[axis] = at;
            region[axis] = step.min(self.region[axis] - at);
            self.sub(origin, region).cut(most, list);
            at += step;
        }
    }

    fn sub(&self, origin: [u64; 3], region: [u64; 3]) -> Transfer<'a> {
        let shift = |l: &RectLayout| {
            let by = origin[0] + origin[1] * l.row_pitch + origin[2] * l.slice_pitch;
            RectLayout { offset: l.offset + by, ..*l }
        };
        let side = match self.side {
            Side::Buffer { range, layout } => Side::Buffer { range, layout: shift(&layout) },
            Side::Image { image, level, origin: [x, y, z], element } => {
                let origin = [x + (origin[0] / element) as u32, y + origin[1] as u32, z + origin[2] as u32];
                Side::Image { image, level, origin, element }
            }
        };
        Transfer { host_layout: shift(&self.host_layout), side, region, ..*self }
    }

    /// Records the transfer.
    pub fn record(&self, recorder: &mut Recorder, ordered: bool) -> DeviceResult<()> {
        match &self.side {
            Side::Buffer { range, layout } if self.write => {
                recorder.write((self.host, &self.host_layout), (range, layout), self.region, ordered)
            }
            Side::Buffer { range, layout } => {
                recorder.read((range, layout), (self.host, &self.host_layout), self.region, ordered)
            }
            Side::Image { image, level, origin, element } => {
                let region =
                    [(self.region[0] / element) as u32, self.region[1] as u32, self.region[2] as u32];
                let range = ImageRange { image: (*image).clone(), level: *level, origin: *origin, region };
                if self.write {
                    recorder.write_image(self.host, &self.host_layout, &range, ordered)
                } else {
                    recorder.read_image(&range, self.host, &self.host_layout, ordered)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rect;
    use super::*;
    use std::any::Any;

    fn layout_of<'a>(t: &'a Transfer<'_>) -> &'a RectLayout {
        match &t.side {
            Side::Buffer { layout, .. } => layout,
            Side::Image { .. } => panic!("not a buffer"),
        }
    }

    #[test]
    fn pieces_cover_a_transfer_once() {
        struct Fake;
        impl DeviceMemory for Fake {
            fn size(&self) -> u64 {
                0
            }
            fn host_ptr(&self) -> Option<HostPtr> {
                None
            }
            fn as_any(&self) -> &dyn Any {
                self
            }
        }
        let memory: Arc<dyn DeviceMemory> = Arc::new(Fake);
        let range = BufferRange { memory, offset: 0, size: 0 };
        for region in [[PIECE * 3 + 5, 1, 1], [4096, 5000, 3], [PIECE + 1, 2, 2], [100, 2, 200_000]] {
            let layout = RectLayout::packed(region);
            let host = HostPtr::new(std::ptr::null_mut());
            let side = Side::Buffer { range: &range, layout };
            let t = Transfer { host, host_layout: layout, side, region, write: true };
            let mut runs: Vec<_> =
                t.pieces().iter().flat_map(|p| rect::runs(&p.host_layout, layout_of(p), p.region)).collect();
            assert!(t.pieces().iter().all(|p| p.bytes() <= PIECE));
            runs.sort_by_key(|r| r.src);
            let mut at = 0;
            for run in runs {
                assert_eq!((run.src, run.dst), (at, at));
                at += run.size;
            }
            assert_eq!(at, region.iter().product::<u64>());
        }
    }
}
