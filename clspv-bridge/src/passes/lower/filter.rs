//! Reads of images by texture units: which sampler they need, and their coordinates.
//!
//! Vulkan's addressing modes and linear filter are those of OpenCL, but samplers with unnormalised
//! coordinates read only images of one layer and at most two dimensions. (Division of other coordinates by
//! the size would be inexact: linear reads of 16-bit texels then lie outside of the conformance suite's
//! tolerance.) Layers are rounded here, because Vulkan only recommends rounding to even.

use crate::abi::{ability, sampler};
use crate::ir::*;
use std::collections::BTreeSet;

/// The sampler that a texture unit needs for reads of images of the shape through this one; `None` if it
/// cannot do them.
pub(crate) fn constant(func: &Function, dim: ImageDim, word: Value) -> Option<u8> {
    let sampler = sampler::for_texture_unit(func.as_bits(word)?)?;
    let may = u32::from(sampler) & sampler::NORMALIZED != 0 || matches!(dim, ImageDim::D1 | ImageDim::D2);
    may.then_some(sampler)
}

/// The ability of a texture unit that reads through the sampler need ([`mod@ability`]).
pub(crate) fn ability(sampler: u8) -> u8 {
    match u32::from(sampler) & sampler::ADDRESS {
        sampler::CLAMP => ability::FILTER_BORDER,
        _ => ability::FILTER,
    }
}

/// The abilities that reads through the samplers need.
pub(crate) fn abilities(samplers: &BTreeSet<u8>) -> u8 {
    samplers.iter().fold(0, |all, sampler| all | ability(*sampler))
}

/// Whether texture units have the ability with the image at a binding.
pub(crate) fn is_able(b: &mut Builder<'_>, binding: u8, ability: u8) -> Value {
    let has = b.value(Op::Input { input: ShaderInput::ImageAbilities, dim: binding }, &[], I32);
    let (bit, zero) = (b.i32(ability.into()), b.i32(0));
    let has = b.and(has, bit);
    b.icmp(IntCc::Ne, has, zero)
}

/// Coordinates for the texture unit, from those of a read.
pub(crate) fn coordinates(b: &mut Builder<'_>, dim: ImageDim, at: Value) -> Value {
    if !dim.has_layers() {
        return at;
    }
    let layer = dim.coordinates() as u8 - 1;
    let mut lanes: Vec<Value> = (0..layer).map(|i| b.extract(at, i)).collect();
    let last = b.extract(at, layer);
    lanes.push(b.un(UnOp::Rint, last));
    b.vec_build(&lanes)
}
