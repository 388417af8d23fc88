//! Reference of image formats: the layout of an element's channels, the results of reads and the effects of
//! writes.
//!
//! An element is a number of up to 128 bits, its bytes in little-endian order. Section names are those of the
//! chapter "Image Addressing and Filtering" of the environment specification; layouts are those of
//! clCreateImage's format descriptor.

use half::f16;
use pyroclast_runtime::cl::*;

/// Channels of a texel as kernels see them; `X` is unused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Channel {
    R,
    G,
    B,
    A,
    X,
}
use Channel::{A, B, G, R, X};

/// Representation of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coding {
    Unorm,
    /// A linear number through the sRGB curve; alpha is `Unorm`.
    Srgb,
    Snorm,
    Signed,
    Unsigned,
    Half,
    Float,
}

/// Type of a texel's components in kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Float,
    Signed,
    Unsigned,
}

/// Bits of a channel within the element.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub channel: Channel,
    shift: u32,
    bits: u32,
    coding: Coding,
}

/// A format that the reference knows.
#[derive(Clone, Debug)]
pub struct Format {
    pub cl: cl_image_format,
    pub bytes: usize,
    pub fields: Vec<Field>,
}

/// The largest representable code of a normalised channel.
fn limit(bits: u32) -> f64 {
    ((1u64 << bits) - 1) as f64
}

/// Units in the last place between two single-precision numbers of one sign.
fn ulps(got: f32, exact: f64) -> f64 {
    let nearest = exact.abs() as f32;
    let unit = f64::from(f32::from_bits(nearest.to_bits() + 1)) - f64::from(nearest);
    (f64::from(got) - exact).abs() / unit
}

fn srgb_to_linear(r: f64) -> f64 {
    if r <= 0.04045 { r / 12.92 } else { ((r + 0.055) / 1.055).powf(2.4) }
}

fn linear_to_srgb(y: f64) -> f64 {
    match y {
        y if y.is_nan() || y < 0.0 => 0.0,
        y if y < 0.0031308 => 12.92 * y,
        y if y <= 1.0 => 1.055 * y.powf(1.0 / 2.4) - 0.055,
        _ => 1.0,
    }
}

impl Field {
    fn code(&self, element: u128) -> u64 {
        (element >> self.shift) as u64 & ((1u128 << self.bits) - 1) as u64
    }
    fn signed(&self, element: u128) -> i64 {
        ((self.code(element) << (64 - self.bits)) as i64) >> (64 - self.bits)
    }
    /// The represented number.
    pub fn value(&self, element: u128) -> f64 {
        let code = self.code(element);
        match self.coding {
            Coding::Unorm => code as f64 / limit(self.bits),
            Coding::Srgb => srgb_to_linear(code as f64 / limit(self.bits)),
            Coding::Snorm => (self.signed(element) as f64 / limit(self.bits - 1)).max(-1.0),
            Coding::Signed => self.signed(element) as f64,
            Coding::Unsigned => code as f64,
            Coding::Half => f16::from_bits(code as u16).to_f64(),
            Coding::Float => f64::from(f32::from_bits(code as u32)),
        }
    }

    /// Whether a read may return `got`, the bits of the number that a kernel receives.
    fn may_read(&self, element: u128, got: u32) -> bool {
        let want = self.value(element);
        let number = f32::from_bits(got);
        match self.coding {
            // Converting Normalized Integer Channel Data Types to Floating-point Values: 1.5 ulp, ends and
            // zero exactly.
            Coding::Unorm | Coding::Snorm if [0.0, 1.0, -1.0].contains(&want) => f64::from(number) == want,
            Coding::Unorm | Coding::Snorm => {
                ulps(number.abs(), want.abs()) <= 1.5 && (number < 0.0) == (want < 0.0)
            }
            // Conversion Rules for sRGBA and sBGRA Images: half a code after conversion back.
            Coding::Srgb => {
                let code = self.code(element) as f64;
                (code - limit(self.bits) * linear_to_srgb(f64::from(number))).abs() <= 0.5
            }
            Coding::Signed => got as i32 as i64 == self.signed(element),
            Coding::Unsigned => u64::from(got) == self.code(element),
            Coding::Half | Coding::Float if want.is_nan() => number.is_nan(),
            // Conversion Rules for Half Precision Floating-point Channel Data Type: reads are lossless.
            Coding::Half => number.to_bits() == (want as f32).to_bits(),
            // Conversion Rules for Floating-point Channel Data Type: denormals may become zero.
            Coding::Float => {
                got == self.code(element) as u32 || ((want as f32).is_subnormal() && number == 0.0)
            }
        }
    }

    /// Whether a read as half may return `got`.
    fn may_read_half(&self, element: u128, got: f16) -> bool {
        let want = self.value(element);
        match self.coding {
            // Converting Normalized Integer Channel Data Types to Half Precision Floating-point Values: as
            // for float.
            Coding::Unorm | Coding::Snorm if [0.0, 1.0, -1.0].contains(&want) => got.to_f64() == want,
            Coding::Unorm | Coding::Snorm => {
                let nearest = f16::from_f64(want.abs());
                let unit = f16::from_bits(nearest.to_bits() + 1).to_f64() - nearest.to_f64();
                (got.to_f64() - want).abs() <= 1.5 * unit
            }
            Coding::Half if want.is_nan() => got.is_nan(),
            Coding::Half => u64::from(got.to_bits()) == self.code(element),
            _ => true,
        }
    }

    /// Whether a write of the number with these bits may store the element's code.
    fn may_write(&self, written: u32, element: u128) -> bool {
        let number = f64::from(f32::from_bits(written));
        let code = self.code(element);
        match self.coding {
            // Converting Floating-point Values to Normalized Integer Channel Data Types: preferably rounded
            // to the nearest even, within 0.6 of a code in any case; infinities and NaNs are
            // implementation-defined.
            Coding::Unorm | Coding::Srgb | Coding::Snorm if !number.is_finite() => true,
            Coding::Unorm => {
                ((limit(self.bits) * number).clamp(0.0, limit(self.bits)) - code as f64).abs() <= 0.6
            }
            // Conversion Rules for sRGBA and sBGRA Images: the tolerance applies after the curve.
            Coding::Srgb => (limit(self.bits) * linear_to_srgb(number) - code as f64).abs() <= 0.6,
            // The lowest two codes represent the same number, -1.
            Coding::Snorm => {
                let (limit, stored) = (limit(self.bits - 1), self.signed(element) as f64);
                ((limit * number).clamp(-limit, limit) - stored.max(-limit)).abs() <= 0.6
            }
            // Conversion Rules for Signed and Unsigned Integer Channel Data Types: saturated.
            Coding::Signed => {
                let limit = 1i64 << (self.bits - 1);
                (written as i32 as i64).clamp(-limit, limit - 1) == self.signed(element)
            }
            Coding::Unsigned => u64::from(written).min((1u64 << self.bits) - 1) == code,
            Coding::Half => may_be_half(f32::from_bits(written), f16::from_bits(code as u16)),
            Coding::Float if number.is_nan() => f32::from_bits(code as u32).is_nan(),
            Coding::Float => {
                code as u32 == written
                    || (f32::from_bits(written).is_subnormal() && f32::from_bits(code as u32) == 0.0)
            }
        }
    }
}

/// Conversion Rules for Half Precision Floating-point Channel Data Type: to the nearest even or towards zero,
/// denormals may become zero, NaN stays NaN.
fn may_be_half(number: f32, got: f16) -> bool {
    if number.is_nan() {
        return got.is_nan();
    }
    let nearest = f16::from_f32(number);
    let towards_zero = match nearest.to_f32().abs() > number.abs() {
        true => f16::from_bits(nearest.to_bits() - 1),
        false => nearest,
    };
    let flushed =
        got.to_f32() == 0.0 && (!nearest.is_normal() || !towards_zero.is_normal()) && number.is_finite();
    got.to_bits() == nearest.to_bits()
        || got.to_bits() == towards_zero.to_bits()
        || (flushed && number.abs() < 1e-3)
}

/// Channels in memory order.
fn channels(order: cl_channel_order) -> Option<&'static [Channel]> {
    Some(match order {
        // Intensity and luminance store the red component.
        CL_R | CL_INTENSITY | CL_LUMINANCE | CL_DEPTH => &[R],
        CL_A => &[A],
        CL_RG => &[R, G],
        CL_RA => &[R, A],
        CL_Rx => &[R, X],
        CL_RGB | CL_sRGB => &[R, G, B],
        CL_RGx => &[R, G, X],
        CL_RGBA | CL_sRGBA => &[R, G, B, A],
        CL_BGRA | CL_sBGRA => &[B, G, R, A],
        CL_ARGB => &[A, R, G, B],
        CL_ABGR => &[A, B, G, R],
        CL_RGBx | CL_sRGBx => &[R, G, B, X],
        _ => return None,
    })
}

/// A channel, its lowest bit, and its number of bits.
type Packed = (Channel, u32, u32);

/// Fields of a packed type, and its size in bytes.
fn packed(data_type: cl_channel_type) -> Option<(&'static [Packed], usize)> {
    Some(match data_type {
        CL_UNORM_SHORT_565 => (&[(R, 11, 5), (G, 5, 6), (B, 0, 5)], 2),
        CL_UNORM_SHORT_555 => (&[(R, 10, 5), (G, 5, 5), (B, 0, 5)], 2),
        CL_UNORM_INT_101010 => (&[(R, 20, 10), (G, 10, 10), (B, 0, 10)], 4),
        CL_UNORM_INT_101010_2 => (&[(R, 22, 10), (G, 12, 10), (B, 2, 10), (A, 0, 2)], 4),
        CL_UNORM_INT_2_101010_EXT => (&[(A, 30, 2), (B, 20, 10), (G, 10, 10), (R, 0, 10)], 4),
        _ => return None,
    })
}

impl Format {
    /// `None` for a format that the reference does not know.
    pub fn new(cl: cl_image_format) -> Option<Format> {
        let (order, data_type) = (cl.image_channel_order, cl.image_channel_data_type);
        if let Some((fields, bytes)) = packed(data_type) {
            let field = |&(channel, shift, bits)| Field { channel, shift, bits, coding: Coding::Unorm };
            return Some(Format { cl, bytes, fields: fields.iter().map(field).collect() });
        }
        let is_srgb = matches!(order, CL_sRGB | CL_sRGBA | CL_sBGRA | CL_sRGBx);
        let (bits, coding) = match data_type {
            CL_UNORM_INT8 if is_srgb => (8, Coding::Srgb),
            _ if is_srgb => return None,
            CL_UNORM_INT8 => (8, Coding::Unorm),
            CL_UNORM_INT16 => (16, Coding::Unorm),
            CL_SNORM_INT8 => (8, Coding::Snorm),
            CL_SNORM_INT16 => (16, Coding::Snorm),
            CL_SIGNED_INT8 => (8, Coding::Signed),
            CL_SIGNED_INT16 => (16, Coding::Signed),
            CL_SIGNED_INT32 => (32, Coding::Signed),
            CL_UNSIGNED_INT8 => (8, Coding::Unsigned),
            CL_UNSIGNED_INT16 => (16, Coding::Unsigned),
            CL_UNSIGNED_INT32 => (32, Coding::Unsigned),
            CL_HALF_FLOAT => (16, Coding::Half),
            CL_FLOAT => (32, Coding::Float),
            _ => return None,
        };
        let channels = channels(order)?;
        let coding = |c: Channel| if is_srgb && matches!(c, A | X) { Coding::Unorm } else { coding };
        let field = |(i, &channel)| Field { channel, shift: i as u32 * bits, bits, coding: coding(channel) };
        let fields = channels.iter().enumerate().map(field).collect();
        Some(Format { cl, bytes: channels.len() * bits as usize / 8, fields })
    }

    pub fn name(&self) -> String {
        name(self.cl)
    }

    pub fn class(&self) -> Class {
        match self.fields[0].coding {
            Coding::Signed => Class::Signed,
            Coding::Unsigned => Class::Unsigned,
            _ => Class::Float,
        }
    }

    pub fn is_srgb(&self) -> bool {
        matches!(self.cl.image_channel_order, CL_sRGB | CL_sRGBA | CL_sBGRA | CL_sRGBx)
    }

    pub fn is_depth(&self) -> bool {
        self.cl.image_channel_order == CL_DEPTH
    }

    /// Whether `read_imageh` is defined for the format: normalised integers and halves.
    pub fn reads_as_half(&self) -> bool {
        matches!(self.fields[0].coding, Coding::Unorm | Coding::Snorm | Coding::Half)
    }

    /// Bits of an element that are defined.
    pub fn mask(&self) -> u128 {
        let seen = self.fields.iter().filter(|f| f.channel != X);
        seen.fold(0, |m, f| m | (((1u128 << f.bits) - 1) << f.shift))
    }

    fn field(&self, channel: Channel) -> Option<&Field> {
        self.fields.iter().find(|f| f.channel == channel)
    }

    /// The field that a component of a texel is read from (Data Format for Reading and Writing Images), or
    /// its constant.
    fn source(&self, component: usize) -> Result<&Field, f64> {
        let order = self.cl.image_channel_order;
        let channel = match (order, component) {
            (CL_INTENSITY, _) | (CL_LUMINANCE, 0..3) => R,
            _ => [R, G, B, A][component],
        };
        self.field(channel).ok_or(if component == 3 { 1.0 } else { 0.0 })
    }

    /// Whether the component of a texel is stored in memory.
    pub fn stores(&self, component: usize) -> bool {
        self.source(component).is_ok()
    }

    /// The exact value of a texel.
    pub fn texel(&self, element: u128) -> [f64; 4] {
        std::array::from_fn(|i| self.source(i).map_or_else(|constant| constant, |f| f.value(element)))
    }

    /// The border colour: black, opaque for orders without alpha.
    pub fn border(&self) -> [f64; 4] {
        [0.0, 0.0, 0.0, self.source(3).err().unwrap_or(0.0)]
    }

    /// Number of components that a kernel receives: depth images have one.
    pub fn components(&self) -> usize {
        if self.is_depth() { 1 } else { 4 }
    }

    /// Checks a read texel, as bits of float, int or uint.
    pub fn check_read(&self, element: u128, got: [u32; 4]) -> Result<(), String> {
        let good = (0..self.components()).all(|i| match self.source(i) {
            Ok(field) => field.may_read(element, got[i]),
            Err(constant) if self.class() == Class::Float => f64::from(f32::from_bits(got[i])) == constant,
            Err(constant) => f64::from(got[i]) == constant,
        });
        if good {
            Ok(())
        } else {
            Err(format!("{element:#x} reads as {}, not {:?}", self.show(got), self.texel(element)))
        }
    }

    /// Checks a read texel as halves.
    pub fn check_read_half(&self, element: u128, got: [f16; 4]) -> Result<(), String> {
        let good = (0..self.components()).all(|i| match self.source(i) {
            Ok(field) => field.may_read_half(element, got[i]),
            Err(constant) => got[i].to_f64() == constant,
        });
        if good {
            Ok(())
        } else {
            Err(format!("{element:#x} reads as {got:?}, not {:?}", self.texel(element)))
        }
    }

    /// Checks the element after a write of a texel, bits of float, int or uint.
    pub fn check_write(&self, written: [u32; 4], element: u128) -> Result<(), String> {
        let component = |f: &Field| match f.channel {
            R => Some(0),
            G => Some(1),
            B => Some(2),
            A => Some(3),
            // Bits that reads ignore; only the conformance suite expects them to be written.
            X => matches!(self.cl.image_channel_order, CL_RGBx | CL_sRGBx).then_some(3),
        };
        let good = self.fields.iter().all(|f| component(f).is_none_or(|i| f.may_write(written[i], element)));
        if good { Ok(()) } else { Err(format!("a write of {} stores {element:#x}", self.show(written))) }
    }

    fn show(&self, bits: [u32; 4]) -> String {
        match self.class() {
            Class::Float => format!("{:?}", bits.map(f32::from_bits)),
            Class::Signed => format!("{:?}", bits.map(|b| b as i32)),
            Class::Unsigned => format!("{bits:?}"),
        }
    }

    /// An element made from random bits; floating-point numbers may be special ones, or are between -2 and 2.
    pub fn element(&self, random: &mut Random, special: bool) -> u128 {
        let mut element = 0;
        for field in &self.fields {
            let bits = random.bits();
            let code = match field.coding {
                Coding::Half if !special => u64::from(f16::from_f64(random.unit() * 4.0 - 2.0).to_bits()),
                Coding::Float if !special => u64::from(((random.unit() * 4.0 - 2.0) as f32).to_bits()),
                Coding::Float if bits & 7 == 0 => {
                    [0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 1, 0x8000_0000][bits as usize / 8 % 5]
                }
                Coding::Half if bits & 7 == 0 => [0x7c00, 0xfc00, 0x7e00, 1, 0x8000][bits as usize / 8 % 5],
                // Half of the single-precision numbers have a usual magnitude.
                Coding::Float if bits & 1 == 0 => {
                    u64::from(((random.unit() * 200.0 - 100.0) as f32).to_bits())
                }
                Coding::Float | Coding::Half => {
                    // No signalling NaN: copies through registers may change its bits.
                    let quiet = if field.coding == Coding::Float { 0x0040_0000 } else { 0x0200 };
                    if field.value((u128::from(bits) << field.shift) & self.mask()).is_nan() {
                        bits | quiet
                    } else {
                        bits
                    }
                }
                // Limits and zero are more likely than by chance.
                _ if bits & 7 == 0 => {
                    [0, u64::MAX, 1 << (field.bits - 1), (1 << (field.bits - 1)) - 1][bits as usize / 8 % 4]
                }
                _ => bits >> 3,
            };
            element |= (u128::from(code) & ((1 << field.bits) - 1)) << field.shift;
        }
        element
    }

    /// The elements in memory.
    pub fn load(&self, bytes: &[u8], index: usize) -> u128 {
        let mut word = [0u8; 16];
        word[..self.bytes].copy_from_slice(&bytes[index * self.bytes..][..self.bytes]);
        u128::from_le_bytes(word)
    }

    /// `count` random elements in memory.
    pub fn elements(&self, random: &mut Random, count: usize, special: bool) -> Vec<u8> {
        (0..count).flat_map(|_| self.element(random, special).to_le_bytes()[..self.bytes].to_vec()).collect()
    }
}

/// Names of a format's order and type.
pub fn name(format: cl_image_format) -> String {
    const ORDERS: [&str; 20] = [
        "R",
        "A",
        "RG",
        "RA",
        "RGB",
        "RGBA",
        "BGRA",
        "ARGB",
        "INTENSITY",
        "LUMINANCE",
        "Rx",
        "RGx",
        "RGBx",
        "DEPTH",
        "DEPTH_STENCIL",
        "sRGB",
        "sRGBx",
        "sRGBA",
        "sBGRA",
        "ABGR",
    ];
    const TYPES: [&str; 15] = [
        "SNORM_INT8",
        "SNORM_INT16",
        "UNORM_INT8",
        "UNORM_INT16",
        "UNORM_SHORT_565",
        "UNORM_SHORT_555",
        "UNORM_INT_101010",
        "SIGNED_INT8",
        "SIGNED_INT16",
        "SIGNED_INT32",
        "UNSIGNED_INT8",
        "UNSIGNED_INT16",
        "UNSIGNED_INT32",
        "HALF_FLOAT",
        "FLOAT",
    ];
    let of = |names: &[&str], first: u32, value: u32| {
        let index = value.checked_sub(first).map(|i| i as usize);
        index.and_then(|i| names.get(i)).map_or_else(|| format!("{value:#x}"), |n| (*n).to_owned())
    };
    let data_type = match format.image_channel_data_type {
        CL_UNORM_INT_101010_2 => "UNORM_INT_101010_2".to_owned(),
        CL_UNORM_INT_2_101010_EXT => "UNORM_INT_2_101010_EXT".to_owned(),
        other => of(&TYPES, CL_SNORM_INT8, other),
    };
    format!("{} {data_type}", of(&ORDERS, CL_R, format.image_channel_order))
}

/// A small generator of pseudo-random numbers.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }
    /// 48 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mixed = (self.0 ^ (self.0 >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed >> 16
    }
    /// From 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 8) as f64 / (1u64 << 40) as f64
    }
    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit as u64) as usize
    }
}
