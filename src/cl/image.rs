//! Image formats and shapes: texel sizes, valid combinations, conversion of colours, and arithmetic of
//! regions and pitches. Pure: numbers in, numbers or an error code out.
//!
//! Origins and regions have three elements. As in the API, the layer of an array is the element after its
//! last dimension.

// The names of the API.
#![allow(non_upper_case_globals)]

use crate::cl::region::RectLayout;
use crate::cl::*;
use crate::error::{Error, Result};
use smallvec::SmallVec;

/// Shape of an image.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ImageKind {
    D1,
    Buffer,
    D1Array,
    D2,
    D2Array,
    D3,
}

impl ImageKind {
    /// Every kind.
    pub const ALL: [ImageKind; 6] = [
        ImageKind::D1,
        ImageKind::Buffer,
        ImageKind::D1Array,
        ImageKind::D2,
        ImageKind::D2Array,
        ImageKind::D3,
    ];

    /// Conversion from CL_MEM_OBJECT_IMAGE*.
    pub(crate) fn from_cl(object_type: cl_mem_object_type) -> Option<ImageKind> {
        Some(match object_type {
            CL_MEM_OBJECT_IMAGE1D => ImageKind::D1,
            CL_MEM_OBJECT_IMAGE1D_BUFFER => ImageKind::Buffer,
            CL_MEM_OBJECT_IMAGE1D_ARRAY => ImageKind::D1Array,
            CL_MEM_OBJECT_IMAGE2D => ImageKind::D2,
            CL_MEM_OBJECT_IMAGE2D_ARRAY => ImageKind::D2Array,
            CL_MEM_OBJECT_IMAGE3D => ImageKind::D3,
            _ => return None,
        })
    }

    /// Conversion to CL_MEM_OBJECT_IMAGE*.
    pub(crate) fn to_cl(self) -> cl_mem_object_type {
        match self {
            ImageKind::D1 => CL_MEM_OBJECT_IMAGE1D,
            ImageKind::Buffer => CL_MEM_OBJECT_IMAGE1D_BUFFER,
            ImageKind::D1Array => CL_MEM_OBJECT_IMAGE1D_ARRAY,
            ImageKind::D2 => CL_MEM_OBJECT_IMAGE2D,
            ImageKind::D2Array => CL_MEM_OBJECT_IMAGE2D_ARRAY,
            ImageKind::D3 => CL_MEM_OBJECT_IMAGE3D,
        }
    }

    /// Number of elements of an origin that are used: dimensions, and one for the layer.
    pub fn coordinates(self) -> usize {
        match self {
            ImageKind::D1 | ImageKind::Buffer => 1,
            ImageKind::D1Array | ImageKind::D2 => 2,
            ImageKind::D2Array | ImageKind::D3 => 3,
        }
    }

    /// Whether the image has layers.
    pub fn is_array(self) -> bool {
        matches!(self, ImageKind::D1Array | ImageKind::D2Array)
    }

    /// Whether the image has a slice pitch: an array, or three dimensions.
    pub(crate) fn has_slices(self) -> bool {
        self.is_array() || self == ImageKind::D3
    }
}

/// cl_image_format by value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ImageFormat {
    pub order: cl_channel_order,
    pub data_type: cl_channel_type,
}

/// Bits of a component in a texel: the first bit and their number; `None` if it is not stored.
pub type Field = Option<(u32, u32)>;

/// Bits of red, green, blue and alpha in a texel, as a little-endian number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fields {
    /// Components for reads. Missing green and blue read as 0, missing alpha as 1.
    pub read: [Field; 4],
    /// Components for writes.
    pub written: [Field; 4],
}

/// How the channels of a format are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Storage {
    /// Each channel separately: its bytes, and its interpretation.
    Each(u32, Number),
    /// All channels in one number: its bytes, and the first bit and width of red, green, blue and alpha.
    Packed(u32, [(u32, u32); 4]),
}

/// Interpretation of a channel's bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    Unorm,
    Snorm,
    Signed,
    Unsigned,
    Float,
}

const TYPES: [cl_channel_type; 12] = [
    CL_UNORM_INT8,
    CL_UNORM_INT16,
    CL_SNORM_INT8,
    CL_SNORM_INT16,
    CL_SIGNED_INT8,
    CL_SIGNED_INT16,
    CL_SIGNED_INT32,
    CL_UNSIGNED_INT8,
    CL_UNSIGNED_INT16,
    CL_UNSIGNED_INT32,
    CL_HALF_FLOAT,
    CL_FLOAT,
];
// Rx is left out: it has been taken for one channel and for two. So is RGBx of integers ([`formats`]): its
// fourth component is 1 by the specification (Data Format for Reading and Writing Images), 0 by the
// conformance suite.
const ORDERS: [cl_channel_order; 15] = [
    CL_R,
    CL_A,
    CL_RG,
    CL_RA,
    CL_RGBA,
    CL_BGRA,
    CL_ARGB,
    CL_ABGR,
    CL_INTENSITY,
    CL_LUMINANCE,
    CL_RGBx,
    CL_DEPTH,
    CL_sRGBA,
    CL_sBGRA,
    CL_sRGBx,
];

/// Every format that a device may support.
pub fn formats() -> impl Iterator<Item = ImageFormat> {
    let plain = TYPES.into_iter().flat_map(|t| ORDERS.into_iter().map(move |o| ImageFormat::new(o, t)));
    let packed = [
        (CL_RGBA, CL_UNORM_INT_101010_2),
        (CL_RGB, CL_UNORM_SHORT_565),
        (CL_RGBx, CL_UNORM_SHORT_565),
        (CL_RGB, CL_UNORM_SHORT_555),
        (CL_RGBx, CL_UNORM_SHORT_555),
        (CL_RGB, CL_UNORM_INT_101010),
        (CL_RGBx, CL_UNORM_INT_101010),
        (CL_ABGR, CL_UNORM_INT_2_101010_EXT),
    ];
    let all = plain.chain(packed.map(|(o, t)| ImageFormat::new(o, t)));
    all.filter(|f| f.is_valid() && !(f.order == CL_RGBx && f.is_int()))
}

impl ImageFormat {
    /// A format.
    pub const fn new(order: cl_channel_order, data_type: cl_channel_type) -> ImageFormat {
        ImageFormat { order, data_type }
    }

    /// The component (0 red to 3 alpha) of each stored channel; 4 for an unused channel. `None` for an
    /// unknown order.
    fn channels(self) -> Option<&'static [u8]> {
        Some(match self.order {
            CL_R | CL_DEPTH | CL_LUMINANCE | CL_INTENSITY => &[0],
            CL_A => &[3],
            CL_RG => &[0, 1],
            CL_RA => &[0, 3],
            CL_Rx => &[0, 4],
            CL_RGB | CL_sRGB => &[0, 1, 2],
            CL_RGx => &[0, 1, 4],
            CL_RGBA | CL_sRGBA => &[0, 1, 2, 3],
            CL_BGRA | CL_sBGRA => &[2, 1, 0, 3],
            CL_ARGB => &[3, 0, 1, 2],
            CL_ABGR => &[3, 2, 1, 0],
            CL_RGBx | CL_sRGBx => &[0, 1, 2, 3],
            _ => return None,
        })
    }

    fn storage(self) -> Option<Storage> {
        use Number::*;
        Some(match self.data_type {
            CL_UNORM_INT8 => Storage::Each(1, Unorm),
            CL_UNORM_INT16 => Storage::Each(2, Unorm),
            CL_SNORM_INT8 => Storage::Each(1, Snorm),
            CL_SNORM_INT16 => Storage::Each(2, Snorm),
            CL_SIGNED_INT8 => Storage::Each(1, Signed),
            CL_SIGNED_INT16 => Storage::Each(2, Signed),
            CL_SIGNED_INT32 => Storage::Each(4, Signed),
            CL_UNSIGNED_INT8 => Storage::Each(1, Unsigned),
            CL_UNSIGNED_INT16 => Storage::Each(2, Unsigned),
            CL_UNSIGNED_INT32 => Storage::Each(4, Unsigned),
            CL_HALF_FLOAT => Storage::Each(2, Float),
            CL_FLOAT => Storage::Each(4, Float),
            CL_UNORM_SHORT_565 => Storage::Packed(2, [(11, 5), (5, 6), (0, 5), (0, 0)]),
            CL_UNORM_SHORT_555 => Storage::Packed(2, [(10, 5), (5, 5), (0, 5), (0, 0)]),
            CL_UNORM_INT_101010 => Storage::Packed(4, [(20, 10), (10, 10), (0, 10), (0, 0)]),
            CL_UNORM_INT_101010_2 => Storage::Packed(4, [(22, 10), (12, 10), (2, 10), (0, 2)]),
            CL_UNORM_INT_2_101010_EXT => Storage::Packed(4, [(0, 10), (10, 10), (20, 10), (30, 2)]),
            _ => return None,
        })
    }

    /// Whether order and type are defined and may be combined.
    pub fn is_valid(self) -> bool {
        let (Some(channels), Some(storage)) = (self.channels(), self.storage()) else { return false };
        let order = self.order;
        match self.data_type {
            CL_UNORM_SHORT_565 | CL_UNORM_SHORT_555 | CL_UNORM_INT_101010 => {
                matches!(order, CL_RGB | CL_RGBx)
            }
            CL_UNORM_INT_101010_2 => order == CL_RGBA,
            CL_UNORM_INT_2_101010_EXT => order == CL_ABGR,
            data_type => {
                let Storage::Each(bytes, number) = storage else { return false };
                let is_int = matches!(number, Number::Signed | Number::Unsigned);
                match order {
                    CL_INTENSITY | CL_LUMINANCE => !is_int,
                    CL_ARGB | CL_BGRA | CL_ABGR => bytes == 1,
                    CL_DEPTH => matches!(data_type, CL_UNORM_INT16 | CL_FLOAT),
                    CL_sRGB | CL_sRGBA | CL_sBGRA | CL_sRGBx => data_type == CL_UNORM_INT8,
                    // The bits of a texel are a power of two.
                    _ => channels.len().is_power_of_two(),
                }
            }
        }
    }

    /// Whether images of this kind can have the format: depth formats are for two-dimensional images (section
    /// 5.3.1.1 of the API).
    pub fn allows(self, kind: ImageKind) -> bool {
        self.order != CL_DEPTH || matches!(kind, ImageKind::D2 | ImageKind::D2Array)
    }

    /// Bytes of a texel; 0 for a format that is not valid.
    pub fn element_size(self) -> u32 {
        match (self.storage(), self.channels()) {
            (Some(Storage::Packed(bytes, _)), _) => bytes,
            (Some(Storage::Each(bytes, _)), Some(channels)) => bytes * channels.len() as u32,
            _ => 0,
        }
    }

    /// Interpretation of the channels' bits.
    pub fn number(self) -> Option<Number> {
        Some(match self.storage()? {
            Storage::Each(_, number) => number,
            Storage::Packed(..) => Number::Unorm,
        })
    }

    /// Whether colours are stored in sRGB encoding.
    pub fn is_srgb(self) -> bool {
        matches!(self.order, CL_sRGB | CL_sRGBA | CL_sBGRA | CL_sRGBx)
    }

    /// Bits of the components; `None` for an invalid format.
    pub fn fields(self) -> Option<Fields> {
        let mut read = [None; 4];
        match self.storage()? {
            Storage::Packed(_, fields) => {
                read = fields.map(|(first, width)| (width > 0).then_some((first, width)))
            }
            Storage::Each(bytes, _) => {
                for (at, channel) in (0u32..).zip(self.channels()?) {
                    if let Some(field) = read.get_mut(usize::from(*channel)) {
                        *field = Some((8 * bytes * at, 8 * bytes));
                    }
                }
            }
        }
        let written = read;
        match self.order {
            // An unused channel holds what was written: the specification leaves it open, the conformance
            // suite expects it.
            CL_RGBx | CL_sRGBx => read[3] = None,
            CL_INTENSITY => read = [read[0]; 4],
            CL_LUMINANCE => read = [read[0], read[0], read[0], None],
            _ => {}
        }
        Some(Fields { read, written })
    }

    /// Whether kernels read and write integers.
    pub(crate) fn is_int(self) -> bool {
        matches!(self.storage(), Some(Storage::Each(_, Number::Signed | Number::Unsigned)))
    }

    /// Size of a colour for clEnqueueFillImage, in bytes.
    pub fn color_bytes(self) -> usize {
        if self.order == CL_DEPTH { 4 } else { 16 }
    }

    /// Encodes a colour as a texel. The colour has four components of four bytes (one for depth):
    /// floating-point, signed or unsigned, by the format. Values are rounded to nearest and saturate (section
    /// 8.3 of the C specification).
    pub fn pack(self, color: &[u8]) -> SmallVec<[u8; 16]> {
        let component = |i: usize| {
            let at = color.get(4 * i..4 * i + 4).unwrap_or(&[0; 4]);
            u32::from_ne_bytes([at[0], at[1], at[2], at[3]])
        };
        let srgb = self.is_srgb();
        let float = |i: usize| {
            let v = f32::from_bits(component(i));
            if srgb && i < 3 { srgb_encode(v) } else { v }
        };
        let mut texel = SmallVec::new();
        match self.storage() {
            Some(Storage::Packed(bytes, fields)) => {
                let mut word = 0u32;
                for (i, (first, width)) in fields.into_iter().enumerate().filter(|(_, f)| f.1 > 0) {
                    word |= unorm(float(i), (1u32 << width) - 1) << first;
                }
                texel.extend_from_slice(&word.to_le_bytes()[..bytes as usize]);
            }
            Some(Storage::Each(bytes, number)) => {
                let bits = 8 * bytes;
                for &channel in self.channels().unwrap_or_default() {
                    let i = usize::from(channel);
                    let value = match number {
                        _ if i > 3 => 0,
                        Number::Unorm => unorm(float(i), (1u32 << bits) - 1),
                        Number::Snorm => snorm(float(i), (1i32 << (bits - 1)) - 1) as u32,
                        Number::Signed => {
                            let limit = i64::from(component(i).cast_signed());
                            limit.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1) as u32
                        }
                        Number::Unsigned => u64::from(component(i)).min((1u64 << bits) - 1) as u32,
                        Number::Float if bytes == 2 => u32::from(half_bits(float(i))),
                        Number::Float => component(i),
                    };
                    texel.extend_from_slice(&value.to_le_bytes()[..bytes as usize]);
                }
            }
            None => {}
        }
        texel
    }
}

fn unorm(v: f32, most: u32) -> u32 {
    // NaN becomes 0.
    (f64::from(v).clamp(0.0, 1.0) * f64::from(most)).round_ties_even() as u32
}

fn snorm(v: f32, most: i32) -> i32 {
    (f64::from(v).clamp(-1.0, 1.0) * f64::from(most)).round_ties_even() as i32
}

/// A linear component in the sRGB colour space (section 8.3.1.4 of the C specification).
fn srgb_encode(v: f32) -> f32 {
    if v.is_nan() || v < 0.0 {
        0.0
    } else if v > 1.0 {
        1.0
    } else if v < 0.003_130_8 {
        12.92 * v
    } else {
        1.055 * v.powf(5.0 / 12.0) - 0.055
    }
}

/// Converts to half, to nearest, ties to even.
fn half_bits(v: f32) -> u16 {
    let bits = v.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    // 65520 and more round to infinity.
    if magnitude >= 0x477f_f000 {
        return sign | 0x7c00;
    }
    // Halves below 2^-14 are denormal: multiples of 2^-24, which the sum with 0.5 rounds to.
    if magnitude < 0x3880_0000 {
        let sum = f32::from_bits(magnitude) + 0.5;
        return sign | (sum.to_bits() - 0x3f00_0000) as u16;
    }
    let odd = magnitude >> 13 & 1;
    let rounded = magnitude + 0xfff + odd;
    sign | ((rounded - 0x3800_0000) >> 13) as u16
}

/// Kind and size of an image.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ImageShape {
    pub kind: ImageKind,
    /// Width, then height, depth or layers where they exist, else 1.
    pub size: [u32; 3],
}

impl ImageShape {
    /// Number of texels.
    pub fn texels(&self) -> u64 {
        self.size.iter().fold(1, |n, s| n.saturating_mul(u64::from(*s)))
    }

    /// Number of mip levels down to a single texel.
    pub(crate) fn most_levels(&self) -> u32 {
        let dims = self.kind.coordinates() - usize::from(self.kind.is_array());
        self.size[..dims].iter().max().map_or(1, |n| n.max(&1).ilog2() + 1)
    }

    /// The shape of a mip level: each is half the size of the previous one.
    pub fn level(&self, level: u32) -> ImageShape {
        let dims = self.kind.coordinates() - usize::from(self.kind.is_array());
        let mut size = self.size;
        size[..dims].iter_mut().for_each(|n| *n = n.checked_shr(level).unwrap_or(0).max(1));
        ImageShape { size, ..*self }
    }

    /// Checks a region and converts it to 32 bits.
    pub(crate) fn validate_region(
        &self,
        origin: [usize; 3],
        region: [usize; 3],
    ) -> Result<([u32; 3], [u32; 3])> {
        let used = self.kind.coordinates();
        for i in 0..3 {
            // CL_INVALID_VALUE: missing dimensions have origin 0 and size 1.
            if i >= used && (origin[i] != 0 || region[i] != 1) {
                return Err(Error::with(
                    CL_INVALID_VALUE,
                    "origin or region in a dimension that the image does not have",
                ));
            }
            if region[i] == 0
                || origin[i].checked_add(region[i]).is_none_or(|end| end > self.size[i] as usize)
            {
                return Err(Error::with(CL_INVALID_VALUE, "the region is empty or outside the image"));
            }
        }
        Ok((origin.map(|v| v as u32), region.map(|v| v as u32)))
    }
}

/// Bytes, rows and slices of a region of texels.
pub(crate) fn bytes_of(region: [u32; 3], element: u32) -> [u64; 3] {
    [u64::from(region[0]) * u64::from(element), u64::from(region[1]), u64::from(region[2])]
}

/// Layout of a region in host memory, as passed to clEnqueueReadImage and clEnqueueWriteImage: rows of a 1D
/// array are a slice pitch apart.
pub(crate) fn host_layout(
    kind: ImageKind,
    region: [u64; 3],
    row_pitch: usize,
    slice_pitch: usize,
) -> Result<RectLayout> {
    let (row_pitch, slice_pitch) = (row_pitch as u64, slice_pitch as u64);
    let invalid = |why: &str| Err(Error::with(CL_INVALID_VALUE, why));
    if row_pitch != 0 && row_pitch < region[0] {
        return invalid("the row pitch is less than a row");
    }
    if slice_pitch != 0 && !kind.has_slices() {
        return invalid("the image has no slices");
    }
    let row = if row_pitch == 0 { region[0] } else { row_pitch };
    let rows = if kind == ImageKind::D1Array { 1 } else { region[1] };
    let Some(plane) = row.checked_mul(rows) else { return invalid("the region overflows") };
    if slice_pitch != 0 && slice_pitch < plane {
        return invalid("the slice pitch is less than a slice");
    }
    let slice = if slice_pitch == 0 { plane } else { slice_pitch };
    let layout = match kind {
        ImageKind::D1Array => {
            RectLayout { offset: 0, row_pitch: slice, slice_pitch: slice.saturating_mul(region[1]) }
        }
        _ => RectLayout { offset: 0, row_pitch: row, slice_pitch: slice },
    };
    let end = layout
        .slice_pitch
        .checked_mul(region[2])
        .and_then(|s| layout.row_pitch.checked_mul(region[1])?.checked_add(s));
    match end {
        Some(end) if isize::try_from(end).is_ok() => Ok(layout),
        _ => invalid("the region overflows"),
    }
}

/// Whether two regions of one image share a texel.
pub(crate) fn regions_overlap(a: [u32; 3], b: [u32; 3], region: [u32; 3]) -> bool {
    (0..3).all(|i| a[i] < b[i].saturating_add(region[i]) && b[i] < a[i].saturating_add(region[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(v: [f32; 4]) -> Vec<u8> {
        v.iter().flat_map(|x| x.to_ne_bytes()).collect()
    }

    fn ints(v: [i32; 4]) -> Vec<u8> {
        v.iter().flat_map(|x| x.to_ne_bytes()).collect()
    }

    #[test]
    fn sizes_and_validity() {
        let size = |o, t| ImageFormat::new(o, t).element_size();
        assert_eq!(size(CL_RGBA, CL_UNORM_INT8), 4);
        assert_eq!(size(CL_RG, CL_FLOAT), 8);
        assert_eq!(size(CL_RGB, CL_UNORM_SHORT_565), 2);
        assert_eq!(size(CL_ABGR, CL_UNORM_INT_2_101010_EXT), 4);
        let valid = |o, t| ImageFormat::new(o, t).is_valid();
        assert!(valid(CL_R, CL_FLOAT) && valid(CL_BGRA, CL_UNORM_INT8) && valid(CL_DEPTH, CL_UNORM_INT16));
        assert!(
            !valid(CL_RGB, CL_UNORM_INT8) && !valid(CL_RGBA, CL_UNORM_SHORT_565) && !valid(CL_BGRA, CL_FLOAT)
        );
        assert!(!valid(CL_INTENSITY, CL_SIGNED_INT8) && !valid(CL_sRGBA, CL_FLOAT) && !valid(0, CL_FLOAT));
        assert!(!valid(CL_R, 0) && !valid(CL_DEPTH, CL_UNORM_INT8));
    }

    #[test]
    fn colours_are_rounded_saturated_and_ordered() {
        let pack = |o, t, c: &[u8]| ImageFormat::new(o, t).pack(c).to_vec();
        let c = floats([1.0, 0.5, -1.0, 2.0]);
        assert_eq!(pack(CL_RGBA, CL_UNORM_INT8, &c), [255, 128, 0, 255]);
        assert_eq!(pack(CL_BGRA, CL_UNORM_INT8, &c), [0, 128, 255, 255]);
        assert_eq!(pack(CL_ARGB, CL_UNORM_INT8, &c), [255, 255, 128, 0]);
        assert_eq!(pack(CL_ABGR, CL_UNORM_INT8, &c), [255, 0, 128, 255]);
        assert_eq!(pack(CL_A, CL_UNORM_INT8, &c), [255]);
        assert_eq!(pack(CL_RA, CL_UNORM_INT8, &floats([0.0, 1.0, 1.0, 0.2])), [0, 51]);
        assert_eq!(pack(CL_RGBA, CL_SNORM_INT8, &c), [127, 64, 129, 127]);
        assert_eq!(pack(CL_RGB, CL_UNORM_SHORT_565, &c), (31u16 << 11 | 32 << 5).to_le_bytes());
        assert_eq!(
            pack(CL_ABGR, CL_UNORM_INT_2_101010_EXT, &c),
            (1023u32 | 512 << 10 | 3 << 30).to_le_bytes()
        );
        assert_eq!(pack(CL_R, CL_FLOAT, &c), 1.0f32.to_ne_bytes());
        assert_eq!(pack(CL_R, CL_UNORM_INT16, &floats([f32::NAN; 4])), [0, 0]);
        assert_eq!(pack(CL_RG, CL_SIGNED_INT8, &ints([-1000, 5, 0, 0])), [0x80, 5]);
        assert_eq!(pack(CL_RG, CL_UNSIGNED_INT16, &ints([-1, 5, 0, 0])), [0xff, 0xff, 5, 0]);
        assert_eq!(pack(CL_R, CL_UNSIGNED_INT32, &ints([-1, 5, 0, 0])), [0xff; 4]);
        assert_eq!(pack(CL_DEPTH, CL_UNORM_INT16, &1.0f32.to_ne_bytes()), [0xff; 2]);
        assert_eq!(pack(CL_sRGBA, CL_UNORM_INT8, &floats([0.0, 0.3, 1.0, 0.5])), [0, 149, 255, 128]);
    }

    #[test]
    fn components_are_where_a_colour_puts_them() {
        for format in formats() {
            let fields = format.fields().unwrap();
            for i in 0..4 {
                // A colour with all other components 0.
                let one = if format.is_int() { 1 } else { 1f32.to_bits() };
                let color: Vec<u8> =
                    (0..4).flat_map(|j| if i == j { one } else { 0u32 }.to_le_bytes()).collect();
                let mut texel = [0; 16];
                let packed = format.pack(&color);
                texel[..packed.len()].copy_from_slice(&packed);
                let texel = u128::from_le_bytes(texel);
                let within = fields.written[i].map_or(0, |(first, width)| ((1u128 << width) - 1) << first);
                assert_eq!(texel & !within, 0, "{format:?} {i}");
                assert_eq!(texel != 0, within != 0, "{format:?} {i}");
            }
        }
    }

    #[test]
    fn halves_round_to_nearest_even() {
        for (value, bits) in [
            (0.0, 0),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (65504.0, 0x7bff),
            (65519.0, 0x7bff),
            (65520.0, 0x7c00),
            (f32::NEG_INFINITY, 0xfc00),
            (5.960_464_5e-8, 1),
            (2.980_232_2e-8, 0),
            (6.103_515_6e-5, 0x400),
            (6.097_555e-5, 0x3ff),
            (1.000_488_3, 0x3c00),
            (1.001_464_8, 0x3c02),
        ] {
            assert_eq!(half_bits(value), bits, "{value}");
        }
        assert_eq!(half_bits(f32::NAN) & 0x7e00, 0x7e00);
    }

    #[test]
    fn regions_and_pitches() {
        let shape = ImageShape { kind: ImageKind::D1Array, size: [10, 4, 1] };
        assert_eq!(
            (shape.most_levels(), shape.level(1).size, shape.level(3).size),
            (4, [5, 4, 1], [1, 4, 1])
        );
        let cube = ImageShape { kind: ImageKind::D3, size: [3, 4, 17] };
        assert_eq!((cube.most_levels(), cube.level(2).size, cube.level(40).size), (5, [1, 1, 4], [1, 1, 1]));
        assert!(shape.validate_region([2, 1, 0], [8, 3, 1]).is_ok());
        assert!(shape.validate_region([3, 0, 0], [8, 1, 1]).is_err());
        assert!(shape.validate_region([0, 0, 0], [8, 0, 1]).is_err());
        assert!(shape.validate_region([0, 0, 1], [1, 1, 1]).is_err());
        assert!(shape.validate_region([usize::MAX, 0, 0], [1, 1, 1]).is_err());
        let layout = |kind, row, slice| {
            host_layout(kind, [16, 3, 2], row, slice).map(|l| (l.row_pitch, l.slice_pitch)).ok()
        };
        assert_eq!(layout(ImageKind::D3, 0, 0), Some((16, 48)));
        assert_eq!(layout(ImageKind::D3, 20, 100), Some((20, 100)));
        assert_eq!(layout(ImageKind::D3, 8, 0), None);
        assert_eq!(layout(ImageKind::D3, 20, 59), None);
        assert_eq!(layout(ImageKind::D2, 20, 60), None);
        assert_eq!(layout(ImageKind::D1Array, 0, 32).map(|l| l.0), Some(32));
        assert_eq!(layout(ImageKind::D1Array, 20, 0).map(|l| l.0), Some(20));
        assert_eq!(layout(ImageKind::D2, usize::MAX, 0), None);
        assert!(
            regions_overlap([0, 0, 0], [1, 0, 0], [2, 1, 1])
                && !regions_overlap([0, 0, 0], [2, 0, 0], [2, 1, 1])
        );
    }
}
