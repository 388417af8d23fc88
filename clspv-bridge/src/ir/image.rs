//! Image operations.
//!
//! An image is an opaque value until lowering. Then it has become one of the kernel's arguments, and the
//! operation names a variable of class [`super::VarClass::Image`] instead. A sampler is an `i32` of the bits
//! below, both as a literal and as an argument, so samplers are used like any number.
//!
//! Texels are four lanes of `f32` or `i32`; signed and unsigned reads are one operation, because the value's
//! extension follows from the image's format at run time. Coordinates have exactly as many lanes as
//! [`ImageDim::coordinates`].

use super::types::{F32, I32, Scalar, Type};
use serde::{Deserialize, Serialize};

/// Shape of an image. Depth images have no shape of their own: their texels have three more lanes, which are
/// unused.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum ImageDim {
    D1,
    D1Array,
    /// A one-dimensional image made from a buffer.
    Buffer,
    D2,
    D2Array,
    D3,
}

impl ImageDim {
    /// Number of lanes of a coordinate and of the size, the array layer included.
    pub const fn coordinates(self) -> u32 {
        match self {
            ImageDim::D1 | ImageDim::Buffer => 1,
            ImageDim::D1Array | ImageDim::D2 => 2,
            ImageDim::D2Array | ImageDim::D3 => 3,
        }
    }
    /// Whether the last coordinate is a layer.
    pub const fn has_layers(self) -> bool {
        matches!(self, ImageDim::D1Array | ImageDim::D2Array)
    }
    /// Type of integer coordinates and of the size.
    pub fn size_type(self) -> Type {
        Type::vector(Scalar::I32, self.coordinates())
    }
}

/// Image operation. Comments give `args -> results`; the image is the first argument until it is lowered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum ImageOp {
    /// Reads through a sampler; removed by `lower_builtins`. `image, sampler(i32), f32 or i32 coordinates ->
    /// f32x4 or i32x4`
    Sample,
    /// Read through a sampler at a level of detail. `image, sampler(i32), f32 coordinates, f32 -> f32x4 or
    /// i32x4`
    SampleLod,
    /// `image, i32 coordinates -> f32x4 or i32x4`
    Read,
    /// Read from a level of the image. `image, i32 coordinates, i32 level -> f32x4 or i32x4`
    ReadLevel,
    /// `image, i32 coordinates, f32x4 or i32x4 ->`
    Write,
    /// Write to a level of the image. `image, i32 coordinates, i32 level, f32x4 or i32x4 ->`
    WriteLevel,
    /// Width, height, depth and layers, as far as they exist. `image -> i32 or vector`
    Size,
    /// Number of levels of detail. `image -> i32`
    Levels,
    /// cl_channel_order. `image -> i32`
    Order,
    /// cl_channel_type. `image -> i32`
    DataType,
    /// Address of the image descriptor where images lie in memory ([`crate::native::image_descriptor`]).
    /// `image -> ptr constant`
    Address,
    /// Whether texture units read this image through this sampler, if it is constant ([`ImageOp::Filter`]).
    /// `image, sampler(i32) -> i1`
    CanFilter,
    /// Read by a texture unit, with a linear filter; reached only if [`ImageOp::CanFilter`]. After lowering
    /// the constant binding of the sampler takes the sampler's place. `image, sampler(i32), f32 coordinates
    /// -> f32x4`
    Filter,
    /// Whether reads of texels outside of this image return the border of CLAMP. `image -> i1`
    FetchesBorder,
}

impl ImageOp {
    /// Number of arguments without the image.
    pub const fn operands(self) -> usize {
        match self {
            ImageOp::SampleLod | ImageOp::WriteLevel => 3,
            ImageOp::Sample | ImageOp::Filter | ImageOp::ReadLevel | ImageOp::Write => 2,
            ImageOp::Read | ImageOp::CanFilter => 1,
            ImageOp::Size
            | ImageOp::Levels
            | ImageOp::Order
            | ImageOp::DataType
            | ImageOp::Address
            | ImageOp::FetchesBorder => 0,
        }
    }
}

/// The types of a texel.
pub const TEXELS: [Type; 2] = [Type::Vector(Scalar::F32, 4), Type::Vector(Scalar::I32, 4)];

/// Whether a coordinate operand has a valid type: integers, or floating-point numbers, optionally for
/// [`ImageOp::Sample`] and always for [`ImageOp::SampleLod`] and [`ImageOp::Filter`].
pub fn is_coordinate(op: ImageOp, dim: ImageDim, ty: Type) -> bool {
    let lane = match op {
        ImageOp::Sample => ty.lane() == I32 || ty.lane() == F32,
        ImageOp::SampleLod | ImageOp::Filter => ty.lane() == F32,
        _ => ty.lane() == I32,
    };
    lane && ty.lanes() == dim.coordinates()
}
