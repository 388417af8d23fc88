//! Conversion of texels for storage images whose memory has the channels in another order or sRGB-encoded
//! ([`crate::texel_order`]).
//!
//! A specialisation constant selects the conversion: the driver removes all of it for other images.

use crate::ir::*;
use crate::texel_order::{CURVE, FIRST_READ, READ_BITS, STORED_BITS};

/// Converts a written texel to the channels in memory.
pub(crate) fn to_memory(b: &mut Builder<'_>, texel: Value, binding: u8) -> Value {
    let word = order(b, binding);
    let mut components = lanes(b, texel);
    if b.ty(texel).is_float() {
        let curved = bits(b, word, CURVE, 1);
        let curved = is(b, curved, 1);
        for (i, c) in components.iter_mut().enumerate() {
            let stored = if i < 3 { encoded(b, *c) } else { from_0_to_1(b, *c) };
            let stored = nearest_code(b, stored);
            *c = b.select(curved, stored, *c);
        }
    }
    let channels: Vec<Value> = (0..4u32)
        .map(|i| {
            let from = bits(b, word, STORED_BITS * i, STORED_BITS);
            shifted(b, &components, i, from)
        })
        .collect();
    b.vec_build(&channels)
}

/// Converts the channels in memory to the texel that is read.
pub(crate) fn from_memory(b: &mut Builder<'_>, memory: Value, binding: u8) -> Value {
    let word = order(b, binding);
    let channels = lanes(b, memory);
    let float = b.ty(memory).is_float();
    let constant = |b: &mut Builder<'_>, v: i32| if float { number(b, v as f32) } else { b.i32(v) };
    let (zero, one) = (constant(b, 0), constant(b, 1));
    let mut components: Vec<Value> = (0..4u32)
        .map(|i| {
            let from = bits(b, word, FIRST_READ + READ_BITS * i, READ_BITS);
            let v = shifted(b, &channels, i, from);
            let (is_zero, is_one) = (is(b, from, 4), is(b, from, 5));
            let v = b.select(is_zero, zero, v);
            b.select(is_one, one, v)
        })
        .collect();
    if float {
        let curved = bits(b, word, CURVE, 1);
        let curved = is(b, curved, 1);
        for c in &mut components[..3] {
            let linear = decoded(b, *c);
            *c = b.select(curved, linear, *c);
        }
    }
    b.vec_build(&components)
}

fn order(b: &mut Builder<'_>, binding: u8) -> Value {
    b.value(Op::Input { input: ShaderInput::TexelOrder, dim: binding }, &[], I32)
}

fn lanes(b: &mut Builder<'_>, texel: Value) -> Vec<Value> {
    (0..4).map(|i| b.extract(texel, i)).collect()
}

fn number(b: &mut Builder<'_>, v: f32) -> Value {
    b.func.bits(F32, u64::from(v.to_bits()))
}

fn bits(b: &mut Builder<'_>, word: Value, first: u32, count: u32) -> Value {
    let (first, mask) = (b.i32(first as i32), b.i32((1 << count) - 1));
    let v = b.lshr(word, first);
    b.and(v, mask)
}

fn is(b: &mut Builder<'_>, v: Value, number: i32) -> Value {
    let number = b.i32(number);
    b.icmp(IntCc::Eq, v, number)
}

/// Lane `own + from`, modulo 4.
fn shifted(b: &mut Builder<'_>, lanes: &[Value], own: u32, from: Value) -> Value {
    let at = |i: u32| lanes[((own + i) & 3) as usize];
    let mut v = at(0);
    for i in 1..4 {
        let so = is(b, from, i as i32);
        v = b.select(so, at(i), v);
    }
    v
}

/// `x` to a power by binary logarithm; `x` is not negative.
fn power(b: &mut Builder<'_>, x: Value, y: f32) -> Value {
    let (log, y) = (b.un(UnOp::NativeLog2, x), number(b, y));
    let log = b.bin(BinOp::Fmul, log, y);
    b.un(UnOp::NativeExp2, log)
}

/// Clamps a number to 0..=1. NaN becomes 0.
fn from_0_to_1(b: &mut Builder<'_>, y: Value) -> Value {
    let (zero, one) = (number(b, 0.0), number(b, 1.0));
    let positive = b.fcmp(FloatCc::Ogt, y, zero);
    let y = b.select(positive, y, zero);
    let small = b.fcmp(FloatCc::Olt, y, one);
    b.select(small, y, one)
}

/// The 8-bit code nearest to a number from 0 to 1, the even one in a tie: devices differ in their choice.
fn nearest_code(b: &mut Builder<'_>, v: Value) -> Value {
    let (most, step) = (number(b, 255.0), number(b, 1.0 / 255.0));
    let code = b.bin(BinOp::Fmul, v, most);
    let code = b.un(UnOp::Rint, code);
    b.bin(BinOp::Fmul, code, step)
}

/// sRGB-encodes a linear number (environment specification, Conversion Rules for sRGBA and sBGRA Images). NaN
/// becomes 0.
fn encoded(b: &mut Builder<'_>, y: Value) -> Value {
    let y = from_0_to_1(b, y);
    let (slope, factor, less) = (number(b, 12.92), number(b, 1.055), number(b, -0.055));
    let low = b.bin(BinOp::Fmul, y, slope);
    let high = power(b, y, 1.0 / 2.4);
    let high = b.bin(BinOp::Fmul, high, factor);
    let high = b.bin(BinOp::Fadd, high, less);
    let limit = number(b, 0.003_130_8);
    let is_low = b.fcmp(FloatCc::Olt, y, limit);
    b.select(is_low, low, high)
}

/// Linear value of an sRGB-encoded number from 0 to 1.
fn decoded(b: &mut Builder<'_>, r: Value) -> Value {
    let (slope, factor, more) = (number(b, 1.0 / 12.92), number(b, 1.0 / 1.055), number(b, 0.055));
    let low = b.bin(BinOp::Fmul, r, slope);
    let high = b.bin(BinOp::Fadd, r, more);
    let high = b.bin(BinOp::Fmul, high, factor);
    let high = power(b, high, 2.4);
    let limit = number(b, 0.040_45);
    let is_low = b.fcmp(FloatCc::Ole, r, limit);
    b.select(is_low, low, high)
}
