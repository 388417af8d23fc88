//! Simplification rules for floating-point arithmetic. Results keep their IEEE values and signs of zero
//! unless the instruction's fast-math flags permit otherwise.

use crate::ir::fold;
use crate::ir::{BinOp, Op, Scalar, Type, UnOp, Value};
use crate::passes::opt::rewriter::{Action, Rewriter, rewrite};

/// Bits of 1.0; `None` for other types than floats.
fn one(s: Scalar) -> Option<u64> {
    match s {
        Scalar::F16 => Some(0x3c00),
        Scalar::F32 => Some(0x3f80_0000),
        Scalar::F64 => Some(0x3ff0_0000_0000_0000),
        _ => None,
    }
}

/// Bits of 1/x, if x is a power of two whose reciprocal is a normal number.
fn exact_reciprocal(s: Scalar, bits: u64) -> Option<u64> {
    let (mantissa, bias) = match s {
        Scalar::F16 => (10, 15),
        Scalar::F32 => (23, 127),
        Scalar::F64 => (52, 1023),
        _ => return None,
    };
    let exponent = (bits >> mantissa) & (2 * bias + 1);
    if bits & ((1 << mantissa) - 1) != 0 || exponent == 0 || exponent >= 2 * bias {
        return None;
    }
    Some(bits >> (s.bits() - 1) << (s.bits() - 1) | (2 * bias - exponent) << mantissa)
}

/// Bits of the infinity of a float.
fn infinity(s: Scalar) -> u64 {
    match s {
        Scalar::F16 => 0x7c00,
        Scalar::F32 => 0x7f80_0000,
        _ => 0x7ff0_0000_0000_0000,
    }
}

/// Sign bit of a float.
fn sign_of(s: Scalar) -> u64 {
    1 << (s.bits() - 1)
}

/// Whether the bits are those of a normal number: neither zero, denormal, infinite nor NaN.
fn is_normal(s: Scalar, bits: u64) -> bool {
    let exponent = bits & infinity(s);
    exponent != 0 && exponent != infinity(s)
}

/// Whether the sign of zero does not matter.
fn ignores_signed_zeros(s: &Rewriter<'_>) -> bool {
    s.fast().fast || s.fast().no_signed_zero
}

/// Whether the product of a number and zero is zero, whose sign does not matter.
fn products_with_zero_vanish(s: &Rewriter<'_>) -> bool {
    (s.fast().fast || s.fast().no_nan) && ignores_signed_zeros(s)
}

/// Rules for binary operations of type `ty`.
pub(crate) fn binary(s: &mut Rewriter<'_>, op: BinOp, x: Value, y: Value, ty: Type) -> Option<Action> {
    use BinOp::*;
    let scalar = ty.scalar().filter(|t| t.is_float())?;
    let sign = sign_of(scalar);
    let no_signed_zero = ignores_signed_zeros(s);
    if matches!(op, Fadd | Fmul) && s.func.as_const(x).is_some() && s.func.as_const(y).is_none() {
        return rewrite(Op::Bin(op), &[y, x]);
    }
    if op == Fsub {
        let left = s.bits(x);
        // -0 - y is -y; 0 - y is 0 for y = 0.
        if left == Some(sign) || left == Some(0) && no_signed_zero {
            return rewrite(Op::Un(UnOp::Fneg), &[y]);
        }
    }
    let c = s.bits(y)?;
    match op {
        Fmul | Fdiv if c == one(scalar)? => Some(Action::Value(x)),
        Fmul if c & !sign == 0 && products_with_zero_vanish(s) => Some(Action::Value(s.constant(ty, 0))),
        // x + -0 and x - 0 are x; x + 0 is not for x = -0.
        Fadd if c == sign || (c == 0 && no_signed_zero) => Some(Action::Value(x)),
        Fsub if c == 0 || (c == sign && no_signed_zero) => Some(Action::Value(x)),
        Fadd | Fmul => reassociate(s, op, x, c, ty),
        // x / 0 is x * infinity, NaNs included; llvmpipe treats a constant zero divisor as undefined.
        Fdiv if c & !sign == 0 => {
            let r = s.constant(ty, infinity(scalar) | c);
            rewrite(Op::Bin(Fmul), &[x, r])
        }
        Fdiv => {
            let r = exact_reciprocal(scalar, c)?;
            let r = s.constant(ty, r);
            rewrite(Op::Bin(Fmul), &[x, r])
        }
        _ => None,
    }
}

/// (x op c1) op c is x op (c1 op c) where both instructions are fast and the constant is a normal number.
fn reassociate(s: &mut Rewriter<'_>, op: BinOp, x: Value, c: u64, ty: Type) -> Option<Action> {
    let scalar = ty.scalar()?;
    let (inner, c1) = s.bin(x, op)?;
    let c1 = s.bits(c1)?;
    if !s.fast().fast || !s.operation(x)?.fast.fast {
        return None;
    }
    let both = fold::binary(op, scalar, c1, c).filter(|bits| is_normal(scalar, *bits))?;
    let both = s.constant(ty, both);
    rewrite(Op::Bin(op), &[inner, both])
}

/// Rules for `a * b + c`, which is rounded once if it `is_fused` ([`Op::Fma`]), else perhaps twice
/// ([`Op::Mad`]).
pub(crate) fn multiply_add(
    s: &mut Rewriter<'_>,
    is_fused: bool,
    [a, b, c]: [Value; 3],
    ty: Type,
) -> Option<Action> {
    let scalar = ty.scalar()?;
    let sign = sign_of(scalar);
    if s.func.as_const(a).is_some() && s.func.as_const(b).is_none() {
        return rewrite(if is_fused { Op::Fma } else { Op::Mad }, &[b, a, c]);
    }
    // a * b + -0 is a * b.
    let addend = s.bits(c);
    if addend == Some(sign) || addend == Some(0) && ignores_signed_zeros(s) {
        return rewrite(Op::Bin(BinOp::Fmul), &[a, b]);
    }
    let factor = s.bits(b)?;
    if factor & !sign == 0 && products_with_zero_vanish(s) {
        return Some(Action::Value(c));
    }
    if factor == one(scalar)? {
        return rewrite(Op::Bin(BinOp::Fadd), &[a, c]);
    }
    if factor == one(scalar)? | sign {
        return rewrite(Op::Bin(BinOp::Fsub), &[c, a]);
    }
    // The product of constants may be rounded if the operation need not be fused.
    let other = s.bits(a).filter(|_| !is_fused)?;
    let product = fold::binary(BinOp::Fmul, scalar, other, factor)?;
    let product = s.constant(ty, product);
    rewrite(Op::Bin(BinOp::Fadd), &[c, product])
}
