//! Reads and writes of images with the coordinates and texels of OpenCL C and SPIR-V.
//!
//! Coordinates are truncated to the image's dimensions; texels become four lanes of 32 bits, and results have
//! the type that is requested.

use super::EmitOps;
use crate::ir::{BinOp, CastOp, ClOp, F32, I32, ImageDim, ImageOp, Op, Scalar, Type, Value};

/// The level of an image that is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detail {
    First,
    /// A level: floating-point with a sampler, else an integer.
    Level(Value),
    /// Gradients: the change of the coordinates from one pixel to the next, in both directions.
    Gradients(Value, Value),
}

/// The first lanes of a vector of coordinates.
fn coordinates(e: &mut impl EmitOps, at: Value, dim: ImageDim) -> Value {
    let want = dim.coordinates();
    if e.func().ty(at).lanes() == want {
        return at;
    }
    let mut b = e.builder();
    let lanes: Vec<Value> = (0..want as u8).map(|i| b.extract(at, i)).collect();
    b.vec_build(&lanes)
}

/// The four-lane type of the operation for a texel of type `ty`; `None` if there are no such texels.
pub fn texel_type(ty: Type) -> Option<Type> {
    match (ty.scalar(), ty.lanes()) {
        (Some(Scalar::F32 | Scalar::F16), 1 | 4) => Some(Type::Vector(Scalar::F32, 4)),
        (Some(Scalar::I32), 1 | 4) => Some(Type::Vector(Scalar::I32, 4)),
        _ => None,
    }
}

/// Reads through a sampler; levels and their coordinates are floating-point.
pub fn sample(
    e: &mut impl EmitOps,
    image: Value,
    sampler: Value,
    dim: ImageDim,
    at: Value,
    detail: Detail,
    ty: Type,
) -> Value {
    let at = coordinates(e, at, dim);
    let texel = texel_type(ty).unwrap_or(Type::Vector(Scalar::F32, 4));
    let level = match detail {
        Detail::First => None,
        Detail::Level(level) => Some(level),
        Detail::Gradients(x, y) => Some(level_of(e, image, dim, [x, y])),
    };
    let value = match level {
        None => {
            let op = Op::Image { op: ImageOp::Sample, dim, var: None };
            e.builder().value(op, &[image, sampler, at], texel)
        }
        Some(level) => {
            let op = Op::Image { op: ImageOp::SampleLod, dim, var: None };
            e.builder().value(op, &[image, sampler, at, level], texel)
        }
    };
    result(e, value, ty)
}

/// Reads a texel by its integer coordinates; a level is an `i32`.
pub fn read(e: &mut impl EmitOps, image: Value, dim: ImageDim, at: Value, detail: Detail, ty: Type) -> Value {
    let at = coordinates(e, at, dim);
    let texel = texel_type(ty).unwrap_or(Type::Vector(Scalar::F32, 4));
    let value = match detail {
        Detail::Level(level) => {
            let op = Op::Image { op: ImageOp::ReadLevel, dim, var: None };
            e.builder().value(op, &[image, at, level], texel)
        }
        _ => {
            let op = Op::Image { op: ImageOp::Read, dim, var: None };
            e.builder().value(op, &[image, at], texel)
        }
    };
    result(e, value, ty)
}

/// Writes a texel.
pub fn write(
    e: &mut impl EmitOps,
    image: Value,
    dim: ImageDim,
    at: Value,
    level: Option<Value>,
    texel: Value,
) {
    let at = coordinates(e, at, dim);
    let texel = written(e, texel);
    match level {
        None => {
            let op = Op::Image { op: ImageOp::Write, dim, var: None };
            e.builder().inst(op, &[image, at, texel], &[]);
        }
        Some(level) => {
            let op = Op::Image { op: ImageOp::WriteLevel, dim, var: None };
            e.builder().inst(op, &[image, at, level, texel], &[]);
        }
    }
}

/// A texel as the type that is requested: half, or the only component of a depth image.
fn result(e: &mut impl EmitOps, texel: Value, ty: Type) -> Value {
    let mut b = e.builder();
    let v = if ty.lanes() == 1 { b.extract(texel, 0) } else { texel };
    if ty.scalar() == Some(Scalar::F16) { b.cast(CastOp::FpConv, v, ty) } else { v }
}

/// A texel of half or of one component as four lanes of 32 bits.
fn written(e: &mut impl EmitOps, v: Value) -> Value {
    let ty = e.func().ty(v);
    let texel = texel_type(ty).unwrap_or(ty);
    let mut b = e.builder();
    let v = match ty.scalar() {
        Some(Scalar::F16) => b.cast(CastOp::FpConv, v, ty.with_scalar(Scalar::F32)),
        _ => v,
    };
    if ty.lanes() == 1 { b.value(Op::Splat, &[v], texel) } else { v }
}

/// Number of lanes of a gradient that count: the layer of an array has none.
pub fn spatial_lanes(dim: ImageDim) -> u32 {
    dim.coordinates() - u32::from(dim.has_layers())
}

/// The level for gradients: the binary logarithm of the longer one, in texels.
fn level_of(e: &mut impl EmitOps, image: Value, dim: ImageDim, gradients: [Value; 2]) -> Value {
    let lanes = gradients.map(|g| e.func().ty(g).lanes());
    let mut b = e.builder();
    let size = b.value(Op::Image { op: ImageOp::Size, dim, var: None }, &[image], dim.size_type());
    let mut squares = [None, None];
    for i in 0..spatial_lanes(dim) as u8 {
        let n = if dim.coordinates() == 1 { size } else { b.extract(size, i) };
        let n = b.cast(CastOp::UToFp, n, F32);
        for ((gradient, square), lanes) in gradients.iter().zip(&mut squares).zip(lanes) {
            let g = if lanes == 1 { *gradient } else { b.extract(*gradient, i) };
            let texels = b.bin(BinOp::Fmul, g, n);
            let more = b.bin(BinOp::Fmul, texels, texels);
            *square = Some(square.map_or(more, |sum| b.bin(BinOp::Fadd, sum, more)));
        }
    }
    let zero = b.func.bits(F32, 0);
    let [x, y] = squares.map(|square| square.unwrap_or(zero));
    let longer = b.value(Op::OpenCl(ClOp::fmax), &[x, y], F32);
    let double = b.value(Op::OpenCl(ClOp::log2), &[longer], F32);
    let half = b.func.bits(F32, u64::from(0.5f32.to_bits()));
    b.bin(BinOp::Fmul, double, half)
}

/// Whether coordinates have enough lanes of a type that a read or write takes.
pub fn are_coordinates(ty: Type, dim: ImageDim, float: bool) -> bool {
    (ty.lane() == I32 || float && ty.lane() == F32) && ty.lanes() >= dim.coordinates()
}
