//! Images: texels in host memory, one row after another, and the image descriptors that kernels receive
//! (`clspv_bridge::native::image_descriptor`). Levels of detail are consecutive; each has its own descriptor.
//! Every transfer is a copy of rows. Views of buffers and of other images share the memory and keep its owner
//! alive.

use super::super::batch::{DeviceCommand, Endpoint, ImageRange, RectLayout};
use super::super::host_exec::{self, Share};
use super::super::info::{FormatSupport, ImageFacts, ImageUse};
use super::super::traits::{DeviceError, DeviceMemory, DeviceResult, ImageDesc};
use crate::cl::image::{self, Fields, ImageKind, Number, bytes_of};
use crate::host_ptr::{HostAllocation, HostPtr};
use clspv_bridge::native::image_descriptor as descriptor;
use std::any::Any;
use std::sync::Arc;

/// Maximum texels of an image in a buffer.
const MAX_BUFFER: u64 = 1 << 28;
const MAX_ARGS: u32 = 128;
/// Alignment of a level's first texel in bytes: texels have at most 16.
const LEVEL_ALIGNMENT: u64 = 16;

/// Owner of the texels.
enum Store {
    Own(#[allow(dead_code)] HostAllocation),
    Shared(#[allow(dead_code)] Arc<dyn DeviceMemory>),
}

/// An image, or a view of one or of a buffer.
pub struct CpuImage {
    desc: ImageDesc,
    base: HostPtr,
    /// Layout of each level.
    layouts: Vec<RectLayout>,
    /// Image descriptors of the levels; in words, for their alignment.
    descriptors: Vec<[u64; descriptor::BYTES / 8]>,
    _store: Store,
}

impl DeviceMemory for CpuImage {
    fn size(&self) -> u64 {
        self.desc.shape.texels() * u64::from(self.desc.format.element_size())
    }
    fn host_ptr(&self) -> Option<HostPtr> {
        None
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The device's image support.
pub fn facts(max_bytes: u64) -> ImageFacts {
    let support = |format: image::ImageFormat| {
        let all = ImageUse { read: true, write: true, read_write: true };
        let uses = ImageKind::ALL.map(|kind| if format.allows(kind) { all } else { ImageUse::default() });
        FormatSupport { format, uses }
    };
    ImageFacts {
        max_2d: [16384; 2],
        max_3d: [2048; 3],
        max_layers: 2048,
        max_buffer: (max_bytes / 16).min(MAX_BUFFER),
        max_read_args: MAX_ARGS,
        max_write_args: MAX_ARGS,
        levels: true,
        level_writes: true,
        max_read_write_args: MAX_ARGS,
        pitch_alignment: 1,
        base_alignment: 1,
        formats: image::formats().map(support).collect(),
    }
}

/// Downcasts a memory to the image.
pub fn image_of(memory: &Arc<dyn DeviceMemory>) -> DeviceResult<&CpuImage> {
    let image = memory.as_any().downcast_ref::<CpuImage>();
    image.ok_or_else(|| DeviceError::Unexpected("not an image of this kind of device".into()))
}

impl CpuImage {
    /// Allocates an image.
    pub fn new(desc: &ImageDesc) -> DeviceResult<CpuImage> {
        let (mut size, mut layouts) = (0u64, Vec::new());
        for level in 0..desc.levels.max(1) {
            let [row, rows, slices] = bytes_of(desc.shape.level(level).size, desc.format.element_size());
            let slice = row.checked_mul(rows).ok_or(DeviceError::OutOfDeviceMemory)?;
            let offset = size.next_multiple_of(LEVEL_ALIGNMENT);
            layouts.push(RectLayout { offset, row_pitch: row, slice_pitch: slice });
            let end = slice.checked_mul(slices).and_then(|bytes| offset.checked_add(bytes));
            size = end.ok_or(DeviceError::OutOfDeviceMemory)?;
        }
        let own = HostAllocation::new(size).ok_or(DeviceError::OutOfDeviceMemory)?;
        CpuImage::of(desc, own.ptr(), layouts, Store::Own(own))
    }

    /// An image over a buffer.
    pub fn of_buffer(
        buffer: &Arc<dyn DeviceMemory>,
        layout: &RectLayout,
        desc: &ImageDesc,
    ) -> DeviceResult<CpuImage> {
        let base = buffer
            .host_ptr()
            .ok_or_else(|| DeviceError::Unexpected("not a buffer of this kind of device".into()))?;
        let end =
            crate::cl::region::region_end(layout, bytes_of(desc.shape.size, desc.format.element_size()));
        if end > buffer.size() {
            return Err(DeviceError::Unexpected("texels outside the buffer".into()));
        }
        CpuImage::of(desc, base, vec![*layout], Store::Shared(buffer.clone()))
    }

    /// A view of another image.
    pub fn of_image(other: &Arc<dyn DeviceMemory>, desc: &ImageDesc) -> DeviceResult<CpuImage> {
        let from = image_of(other)?;
        if from.desc.shape != desc.shape || from.desc.format.element_size() != desc.format.element_size() {
            return Err(DeviceError::Unexpected("a view of an image of another kind".into()));
        }
        CpuImage::of(desc, from.base, from.layouts.clone(), Store::Shared(other.clone()))
    }

    fn of(desc: &ImageDesc, base: HostPtr, layouts: Vec<RectLayout>, store: Store) -> DeviceResult<CpuImage> {
        let levels = (0..).zip(&layouts).map(|(level, layout)| describe(desc, level, base, layout));
        let descriptors = levels
            .collect::<Option<_>>()
            .ok_or_else(|| DeviceError::Unsupported("the image format".into()))?;
        Ok(CpuImage { desc: *desc, base, layouts, descriptors, _store: store })
    }

    /// Address of the image descriptors.
    pub fn descriptors(&self) -> u64 {
        self.descriptors.as_ptr() as u64
    }

    /// Bytes of the image descriptors.
    pub fn descriptor_bytes(&self) -> u64 {
        size_of_val(&self.descriptors[..]) as u64
    }

    /// Address and size in bytes of the texels.
    pub fn texels(&self) -> (u64, u64) {
        let start = self.layouts.first().map_or(0, |l| l.offset);
        let end = (0..).zip(&self.layouts).map(|(level, layout)| {
            let size = self.desc.shape.level(level).size;
            crate::cl::region::region_end(layout, bytes_of(size, self.desc.format.element_size()))
        });
        (self.base.offset(start).addr() as u64, end.max().map_or(0, |end| end - start))
    }

    /// A region's memory: base address and layout.
    fn part(&self, range: &ImageRange) -> Option<(HostPtr, RectLayout)> {
        let layout = *self.layouts.get(range.level as usize)?;
        let [x, y, z] = range.origin.map(u64::from);
        let x = x * u64::from(self.desc.format.element_size());
        let offset = layout.offset + z * layout.slice_pitch + y * layout.row_pitch + x;
        Some((self.base, RectLayout { offset, ..layout }))
    }
}

/// The image descriptor of a level (`native::image_descriptor`).
fn describe(
    desc: &ImageDesc,
    level: u32,
    base: HostPtr,
    layout: &RectLayout,
) -> Option<[u64; descriptor::BYTES / 8]> {
    let format = desc.format;
    let Fields { read, written } = format.fields()?;
    let kind = match format.number()? {
        _ if format.is_srgb() => descriptor::SRGB,
        Number::Unorm
            if format.element_size() == 4
                && read.iter().flatten().filter(|(_, width)| *width == 8).count() == 4 =>
        {
            descriptor::UNORM8X4
        }
        Number::Unorm => descriptor::UNORM,
        Number::Snorm => descriptor::SNORM,
        Number::Signed => descriptor::SIGNED,
        Number::Unsigned => descriptor::UNSIGNED,
        Number::Float if read[0].or(read[3]).is_some_and(|(_, width)| width == 16) => descriptor::HALF,
        Number::Float if read == [0, 32, 64, 96].map(|first| Some((first, 32))) => descriptor::FLOATX4,
        Number::Float => descriptor::FLOAT,
    };
    let mut words = [0u64; descriptor::BYTES / 8];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
    let mut long = |at: usize, value: u64| bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
    long(descriptor::BASE, base.offset(layout.offset).addr() as u64);
    long(descriptor::ROW, layout.row_pitch);
    long(descriptor::SLICE, layout.slice_pitch);
    let mut put = |at: usize, value: u32| bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    for (at, size) in descriptor::SIZE.into_iter().zip(desc.shape.level(level).size) {
        put(at as usize, size);
    }
    put(descriptor::FORMAT as usize, format.order << 16 | format.data_type & 0xffff);
    put(descriptor::LEVELS as usize, desc.levels.max(1));
    put(descriptor::ELEMENT, format.element_size());
    put(descriptor::KIND, kind);
    let signed = kind == descriptor::SNORM || kind == descriptor::SIGNED;
    let width = read.iter().flatten().map(|(_, width)| *width).max().unwrap_or(32);
    put(descriptor::EXTEND, if signed { 32 - width } else { 0 });
    let ones = |field: image::Field| field.map_or(0, |(_, width)| u32::MAX >> (32 - width));
    for i in 0..4 {
        put(descriptor::SHIFT + 4 * i, read[i].or(written[i]).map_or(0, |(first, _)| first));
        put(descriptor::MASK + 4 * i, ones(read[i]));
        put(descriptor::OTHER + 4 * i, u32::from(i == 3));
        put(descriptor::STORED + 4 * i, ones(written[i]));
    }
    Some(words)
}

/// Executes a transfer, of which `share` runs the pieces; false if the command is none, or uses memory of
/// another device.
pub fn transfer(command: &DeviceCommand, share: Share<'_>) -> bool {
    let find = |side: &Endpoint| match side {
        Endpoint::Image(range) => image_of(&range.image).ok()?.part(range),
        Endpoint::Host(..) | Endpoint::Buffer(..) => host_exec::host_region(side),
    };
    host_exec::run(command, find, share).is_some()
}
