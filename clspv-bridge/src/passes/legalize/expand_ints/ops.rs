//! Operations on 64-bit integers as two 32-bit words, low and high (see [`super`]).

use super::division::divide;
use crate::error::{Result, ice};
use crate::ir::*;

/// Low and high word.
pub(crate) type Word2 = [Value; 2];

pub(super) fn constant(b: &mut Builder<'_>, x: u32) -> Value {
    b.func.bits(I32, x as u64)
}

pub(super) fn add(b: &mut Builder<'_>, x: Word2, y: Word2) -> Word2 {
    let low = b.iadd(x[0], y[0]);
    let carry = b.icmp(IntCc::Ult, low, x[0]);
    let carry = b.cast(CastOp::Zext, carry, I32);
    let high = b.iadd(x[1], y[1]);
    [low, b.iadd(high, carry)]
}

pub(super) fn sub(b: &mut Builder<'_>, x: Word2, y: Word2) -> Word2 {
    let borrow = b.icmp(IntCc::Ult, x[0], y[0]);
    let borrow = b.cast(CastOp::Zext, borrow, I32);
    let low = b.isub(x[0], y[0]);
    let high = b.isub(x[1], y[1]);
    [low, b.isub(high, borrow)]
}

pub(super) fn select(b: &mut Builder<'_>, c: Value, x: Word2, y: Word2) -> Word2 {
    [b.select(c, x[0], y[0]), b.select(c, x[1], y[1])]
}

fn negate_if(b: &mut Builder<'_>, c: Value, x: Word2) -> Word2 {
    let zero = constant(b, 0);
    let minus = sub(b, [zero, zero], x);
    select(b, c, minus, x)
}

fn is_negative(b: &mut Builder<'_>, x: Word2) -> Value {
    let zero = constant(b, 0);
    b.icmp(IntCc::Slt, x[1], zero)
}

/// Shifts. The amount is taken modulo 64, as 32-bit shifts take theirs modulo 32.
fn shift(b: &mut Builder<'_>, op: BinOp, x: Word2, amount: Value) -> Word2 {
    let (zero, one, bit) = (constant(b, 0), constant(b, 1), constant(b, 32));
    let bit = b.and(amount, bit);
    let far = b.icmp(IntCc::Ne, bit, zero);
    // 31 - amount, modulo 32. Together with a shift by 1 it yields the bits from the other word: none for an
    // amount of 0.
    let rest = b.not(amount);
    if op == BinOp::Shl {
        let moved = b.shl(x[0], amount);
        let part = b.lshr(x[0], one);
        let part = b.lshr(part, rest);
        let high = b.shl(x[1], amount);
        let high = b.or(high, part);
        return [b.select(far, zero, moved), b.select(far, moved, high)];
    }
    let moved = b.bin(op, x[1], amount);
    let part = b.shl(x[1], one);
    let part = b.shl(part, rest);
    let low = b.lshr(x[0], amount);
    let low = b.or(low, part);
    let fill = if op == BinOp::Ashr {
        let c = constant(b, 31);
        b.bin(BinOp::Ashr, x[1], c)
    } else {
        zero
    };
    [b.select(far, moved, low), b.select(far, fill, moved)]
}

/// Comparison of two lanes.
pub(crate) fn compare(b: &mut Builder<'_>, cc: IntCc, x: Word2, y: Word2) -> Value {
    if matches!(cc, IntCc::Eq | IntCc::Ne) {
        let (low, high) = (b.bin(BinOp::Xor, x[0], y[0]), b.bin(BinOp::Xor, x[1], y[1]));
        let (any, zero) = (b.or(low, high), constant(b, 0));
        return b.icmp(cc, any, zero);
    }
    // The low words decide where the high ones are equal.
    let (strict, low) = match cc {
        IntCc::Ult => (IntCc::Ult, IntCc::Ult),
        IntCc::Ule => (IntCc::Ult, IntCc::Ule),
        IntCc::Ugt => (IntCc::Ugt, IntCc::Ugt),
        IntCc::Uge => (IntCc::Ugt, IntCc::Uge),
        IntCc::Slt => (IntCc::Slt, IntCc::Ult),
        IntCc::Sle => (IntCc::Slt, IntCc::Ule),
        IntCc::Sgt => (IntCc::Sgt, IntCc::Ugt),
        _ => (IntCc::Sgt, IntCc::Uge),
    };
    let (equal, less, low) =
        (b.icmp(IntCc::Eq, x[1], y[1]), b.icmp(strict, x[1], y[1]), b.icmp(low, x[0], y[0]));
    b.select(equal, low, less)
}

/// Binary operation on one lane. A division leaves the builder in another block.
pub(crate) fn bin(b: &mut Builder<'_>, op: BinOp, x: Word2, y: Word2) -> Result<Word2> {
    Ok(match op {
        BinOp::Iadd => add(b, x, y),
        BinOp::Isub => sub(b, x, y),
        BinOp::Imul => {
            let low = b.imul(x[0], y[0]);
            let high = b.bin(BinOp::UmulHi, x[0], y[0]);
            let (p, q) = (b.imul(x[0], y[1]), b.imul(x[1], y[0]));
            let high = b.iadd(high, p);
            [low, b.iadd(high, q)]
        }
        BinOp::And | BinOp::Or | BinOp::Xor => [b.bin(op, x[0], y[0]), b.bin(op, x[1], y[1])],
        BinOp::Shl | BinOp::Lshr | BinOp::Ashr => shift(b, op, x, y[0]),
        BinOp::Umin | BinOp::Umax | BinOp::Smin | BinOp::Smax => {
            let cc = match op {
                BinOp::Umin => IntCc::Ult,
                BinOp::Umax => IntCc::Ugt,
                BinOp::Smin => IntCc::Slt,
                _ => IntCc::Sgt,
            };
            let c = compare(b, cc, x, y);
            select(b, c, x, y)
        }
        BinOp::Udiv => divide(b, x, y).0,
        BinOp::Urem => divide(b, x, y).1,
        BinOp::Sdiv | BinOp::Srem => {
            let (x_negative, y_negative) = (is_negative(b, x), is_negative(b, y));
            let (x, y) = (negate_if(b, x_negative, x), negate_if(b, y_negative, y));
            let (quotient, remainder) = divide(b, x, y);
            if op == BinOp::Srem {
                negate_if(b, x_negative, remainder)
            } else {
                let differ = b.bin(BinOp::Xor, x_negative, y_negative);
                negate_if(b, differ, quotient)
            }
        }
        other => return Err(ice!("expand_ints: {other:?} must be lowered")),
    })
}

/// Converts a narrower integer or a floating-point number to 64 bits.
pub(crate) fn widen(b: &mut Builder<'_>, op: CastOp, x: Value) -> Result<Word2> {
    let from = b.ty(x);
    let zero = constant(b, 0);
    Ok(match op {
        CastOp::Zext => [if from == I32 { x } else { b.cast(op, x, I32) }, zero],
        CastOp::Sext => {
            let low = if from == I32 { x } else { b.cast(op, x, I32) };
            let c = constant(b, 31);
            [low, b.bin(BinOp::Ashr, low, c)]
        }
        CastOp::FpToU => from_magnitude(b, x),
        CastOp::FpToS => {
            let magnitude = b.un(UnOp::Fabs, x);
            let words = from_magnitude(b, magnitude);
            let none = b.func.bits(from, 0);
            let negative = b.fcmp(FloatCc::Olt, x, none);
            negate_if(b, negative, words)
        }
        other => return Err(ice!("expand_ints: {other:?} to 64 bits")),
    })
}

/// A power of two as a constant of type `f32` or `f64`.
fn power(b: &mut Builder<'_>, ty: Type, exponent: i32) -> Value {
    let bits = if ty == F64 { ((1023 + exponent) as u64) << 52 } else { ((127 + exponent) as u64) << 23 };
    b.func.bits(ty, bits)
}

/// Integer part of a number that is in range and not negative.
fn from_magnitude(b: &mut Builder<'_>, x: Value) -> Word2 {
    let zero = constant(b, 0);
    if b.ty(x) == F16 {
        return [b.cast(CastOp::FpToU, x, I32), zero];
    }
    let ty = b.ty(x);
    // Both products are exact, and so is the difference: it has fewer bits than the number.
    let (down, up) = (power(b, ty, -32), power(b, ty, 32));
    let scaled = b.bin(BinOp::Fmul, x, down);
    let high = b.cast(CastOp::FpToU, scaled, I32);
    let back = b.cast(CastOp::UToFp, high, ty);
    let whole = b.bin(BinOp::Fmul, back, up);
    let part = b.bin(BinOp::Fsub, x, whole);
    [b.cast(CastOp::FpToU, part, I32), high]
}

/// Converts 64 bits to a narrower integer, or to a floating-point number rounded to nearest.
pub(crate) fn narrow(b: &mut Builder<'_>, op: CastOp, x: Word2, to: Type) -> Result<Value> {
    Ok(match op {
        CastOp::Trunc => {
            if to == I32 {
                x[0]
            } else {
                b.cast(op, x[0], to)
            }
        }
        CastOp::UToFp => to_float(b, x, to),
        CastOp::SToFp => {
            let negative = is_negative(b, x);
            let magnitude = negate_if(b, negative, x);
            let v = to_float(b, magnitude, to);
            let minus = b.un(UnOp::Fneg, v);
            b.select(negative, minus, v)
        }
        other => return Err(ice!("expand_ints: {other:?} from 64 bits")),
    })
}

fn to_float(b: &mut Builder<'_>, x: Word2, to: Type) -> Value {
    let zero = constant(b, 0);
    if to == F64 {
        // Both parts are exact; the sum rounds once.
        let (low, high) = (b.cast(CastOp::UToFp, x[0], F64), b.cast(CastOp::UToFp, x[1], F64));
        let up = power(b, F64, 32);
        let high = b.bin(BinOp::Fmul, high, up);
        return b.bin(BinOp::Fadd, high, low);
    }
    if to == F16 {
        // A value of more than 32 bits is infinite.
        let large = b.icmp(IntCc::Ne, x[1], zero);
        let most = constant(b, u32::MAX);
        let low = b.select(large, most, x[0]);
        return b.cast(CastOp::UToFp, low, F16);
    }
    // The 32 bits from the highest set bit on; the last of them is sticky (set if any lower bit is).
    let empty = b.icmp(IntCc::Eq, x[1], zero);
    let shift_amount = b.un(UnOp::Clz, x[1]);
    let moved = shift(b, BinOp::Shl, x, shift_amount);
    let rest = b.icmp(IntCc::Ne, moved[0], zero);
    let rest = b.cast(CastOp::Zext, rest, I32);
    let top = b.or(moved[1], rest);
    let top = b.select(empty, x[0], top);
    let v = b.cast(CastOp::UToFp, top, F32);
    // 2^(32 - shift_amount), or 1.
    let (bias, c23) = (constant(b, 127 + 32), constant(b, 23));
    let exponent = b.isub(bias, shift_amount);
    let one = constant(b, 127);
    let exponent = b.select(empty, one, exponent);
    let scale = b.shl(exponent, c23);
    let scale = b.bitcast(scale, F32);
    b.bin(BinOp::Fmul, v, scale)
}
