//! Classification of floating-point numbers, dot products, and bit-fields.

use super::EmitOps;
use crate::ir::{BinOp, CastOp, ClOp, I32, IntCc, Op, Scalar, Type, Value};

/// Bits of the exponent field and of everything but the sign.
pub fn float_masks(s: Scalar) -> (u64, u64) {
    match s {
        Scalar::F16 => (0x7c00, 0x7fff),
        Scalar::F32 => (0x7f80_0000, 0x7fff_ffff),
        _ => (0x7ff0_0000_0000_0000, 0x7fff_ffff_ffff_ffff),
    }
}

/// Class of a floating-point number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatClass {
    Nan,
    Inf,
    Finite,
    Normal,
    /// Sign bit set.
    Negative,
}

/// Whether numbers are of a class, by tests of the bits, which no floating-point mode affects. `i1` or a
/// vector of it.
pub fn classify(e: &mut impl EmitOps, class: FloatClass, x: Value) -> Value {
    let ty = e.func().ty(x);
    let scalar = ty.scalar().unwrap_or(Scalar::F32);
    let int = ty.with_scalar(scalar.to_int());
    let (exponent, magnitude) = float_masks(scalar);
    let (exp, mag, zero) =
        (e.func().bits(int, exponent), e.func().bits(int, magnitude), e.func().bits(int, 0));
    let mut b = e.builder();
    let bits = b.bitcast(x, int);
    match class {
        FloatClass::Nan => {
            let a = b.and(bits, mag);
            b.icmp(IntCc::Ugt, a, exp)
        }
        FloatClass::Inf => {
            let a = b.and(bits, mag);
            b.icmp(IntCc::Eq, a, exp)
        }
        FloatClass::Finite => {
            let a = b.and(bits, exp);
            b.icmp(IntCc::Ne, a, exp)
        }
        FloatClass::Normal => {
            let a = b.and(bits, exp);
            let finite = b.icmp(IntCc::Ne, a, exp);
            let normal = b.icmp(IntCc::Ne, a, zero);
            b.and(finite, normal)
        }
        FloatClass::Negative => b.icmp(IntCc::Slt, bits, zero),
    }
}

/// Dot product of floating-point vectors.
pub fn dot(e: &mut impl EmitOps, x: Value, y: Value) -> Value {
    let ty = e.func().ty(x);
    let lane = ty.lane();
    let mut sum = None;
    for i in 0..ty.lanes() as u8 {
        let (a, b) = (e.builder().extract(x, i), e.builder().extract(y, i));
        sum = Some(match sum {
            None => e.emit(Op::Bin(BinOp::Fmul), &[a, b], lane),
            Some(s) => e.emit(Op::Mad, &[a, b, s], lane),
        });
    }
    sum.unwrap_or(x)
}

/// An integer in another width with as many lanes.
pub fn resize(e: &mut impl EmitOps, v: Value, to: Type, signed: bool) -> Value {
    let bits = |ty: Type| ty.scalar().map_or(0, Scalar::bits);
    let from = bits(e.func().ty(v));
    match from.cmp(&bits(to)) {
        std::cmp::Ordering::Equal => v,
        std::cmp::Ordering::Greater => e.builder().cast(CastOp::Trunc, v, to),
        std::cmp::Ordering::Less if signed => e.builder().cast(CastOp::Sext, v, to),
        std::cmp::Ordering::Less => e.builder().cast(CastOp::Zext, v, to),
    }
}

/// Dot product of integer vectors (or of four 8-bit lanes packed in an `i32`) as an integer of type `to`.
pub fn integer_dot(e: &mut impl EmitOps, x: Value, y: Value, signed: [bool; 2], to: Type) -> Value {
    let packed = Type::Vector(Scalar::I8, 4);
    let (x, y) = if e.func().ty(x) == I32 {
        (e.builder().bitcast(x, packed), e.builder().bitcast(y, packed))
    } else {
        (x, y)
    };
    let ty = e.func().ty(x);
    let [sx, sy] = signed;
    if ty == packed && to.scalar().is_some_and(|s| s.bits() >= 32) {
        let mut b = e.builder();
        let (x, y) = (b.bitcast(x, I32), b.bitcast(y, I32));
        let v = b.value(Op::Dot4 { x_signed: sx, y_signed: sy }, &[x, y], I32);
        return resize(e, v, to, sx || sy);
    }
    let mut sum = e.func().bits(to, 0);
    for i in 0..ty.lanes() as u8 {
        let (a, b) = (e.builder().extract(x, i), e.builder().extract(y, i));
        let (a, b) = (resize(e, a, to, sx), resize(e, b, to, sy));
        let mut bld = e.builder();
        let p = bld.imul(a, b);
        sum = bld.iadd(sum, p);
    }
    sum
}

/// A sum that saturates.
pub fn add_saturated(e: &mut impl EmitOps, x: Value, y: Value, signed: bool) -> Value {
    let ty = e.func().ty(x);
    let op = if signed { ClOp::s_add_sat } else { ClOp::u_add_sat };
    e.builder().value(Op::OpenCl(op), &[x, y], ty)
}

/// Operation on a bit-field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BitFieldOp {
    /// Replaces the field by the low bits of this value.
    Insert(Value),
    ExtractSigned,
    ExtractUnsigned,
}

/// An operation on the bits of `base` from `offset` on, `count` in number; both have the type of `base`.
pub fn bit_field(e: &mut impl EmitOps, op: BitFieldOp, base: Value, offset: Value, count: Value) -> Value {
    let ty = e.func().ty(base);
    let width = ty.scalar().map_or(32, Scalar::bits) as u64;
    let (all, one, zero) = (e.func().bits(ty, u64::MAX), e.func().bits(ty, 1), e.func().bits(ty, 0));
    let w = e.func().bits(ty, width);
    let mut b = e.builder();
    let full = b.icmp(IntCc::Uge, count, w);
    let narrow = b.shl(one, count);
    let narrow = b.isub(narrow, one);
    let mask = b.select(full, all, narrow);
    let v = if let BitFieldOp::Insert(field) = op {
        let mask = b.shl(mask, offset);
        let keep = b.not(mask);
        let old = b.and(base, keep);
        let new = b.shl(field, offset);
        let new = b.and(new, mask);
        b.or(old, new)
    } else {
        let x = b.lshr(base, offset);
        let x = b.and(x, mask);
        if op == BitFieldOp::ExtractSigned {
            // Sign extension: (x ^ s) - s with s the sign bit of the field (none for an empty field).
            let top = b.isub(count, one);
            let sign = b.shl(one, top);
            let empty = b.icmp(IntCc::Eq, count, zero);
            let sign = b.select(empty, zero, sign);
            let x = b.bin(BinOp::Xor, x, sign);
            b.isub(x, sign)
        } else {
            x
        }
    };
    let none = b.icmp(IntCc::Eq, count, zero);
    let empty = if matches!(op, BitFieldOp::Insert(_)) { base } else { zero };
    b.select(none, empty, v)
}
