//! Reads of images by texture units: which sampler they need, and their coordinates.
//!
//! Vulkan's addressing modes and linear filter are those of OpenCL, but samplers with unnormalised
//! coordinates read only images of one layer and at most two dimensions. Coordinates of other images are
//! divided by the size. Layers are rounded here, because Vulkan only recommends rounding to even.

use crate::abi::{ImplicitArg, filter, sampler};
use crate::ir::*;
use std::collections::BTreeSet;

/// The sampler that a texture unit needs for reads of images of the shape through this one.
pub(crate) fn constant(func: &Function, dim: ImageDim, word: Value) -> Option<u8> {
    let sampler = sampler::for_texture_unit(func.as_bits(word)?)?;
    Some(if takes_unnormalized(dim) { sampler } else { sampler | sampler::NORMALIZED as u8 })
}

fn takes_unnormalized(dim: ImageDim) -> bool {
    matches!(dim, ImageDim::D1 | ImageDim::D2)
}

/// The ability of a texture unit that reads through the sampler need ([`filter`]).
fn ability(sampler: u8) -> u8 {
    match u32::from(sampler) & sampler::ADDRESS {
        sampler::CLAMP => filter::BORDER,
        _ => filter::INSIDE,
    }
}

/// The abilities that reads through the samplers need.
pub(crate) fn abilities(samplers: &BTreeSet<u8>) -> u8 {
    samplers.iter().fold(0, |all, sampler| all | ability(*sampler))
}

/// Whether the image at a binding allows reads through the sampler.
pub(crate) fn is_able(b: &mut Builder<'_>, binding: u8, sampler: u8) -> Value {
    let has = b.value(Op::Input { input: ShaderInput::ImageFilter, dim: binding }, &[], I32);
    let (bit, zero) = (b.i32(ability(sampler).into()), b.i32(0));
    let has = b.and(has, bit);
    b.icmp(IntCc::Ne, has, zero)
}

/// Coordinates for the texture unit, from those of a read of the argument `arg` through the sampler `word`.
pub(crate) fn coordinates(b: &mut Builder<'_>, dim: ImageDim, arg: u16, word: Value, at: Value) -> Value {
    let own = b.func.as_bits(word).and_then(sampler::for_texture_unit).map_or(0, u32::from);
    let is_divided = own & sampler::NORMALIZED == 0 && !takes_unnormalized(dim);
    if !is_divided && !dim.has_layers() {
        return at;
    }
    let count = dim.coordinates() as u8;
    let lanes: Vec<Value> = (0..count)
        .map(|i| {
            let x = b.extract(at, i);
            match dim.has_layers() && i + 1 == count {
                true => b.un(UnOp::Rint, x),
                false if is_divided => {
                    let size = b.value(Op::Implicit(ImplicitArg::ImageSize(arg, i)), &[], I32);
                    let size = b.cast(CastOp::UToFp, size, F32);
                    b.bin(BinOp::Fdiv, x, size)
                }
                false => x,
            }
        })
        .collect();
    b.vec_build(&lanes)
}
