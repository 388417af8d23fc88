//! OpenCL.std instructions on numbers: those with a direct operation are expanded here, the others become
//! [`Op::OpenCl`](crate::ir::Op) for `lower_builtins`.

use super::EmitOps;
use super::numbers::float_masks;
use crate::ir::{BinOp, CastOp, ClOp, IntCc, Op, Scalar, Type, UnOp, Value};

/// Instructions of two operands of the result type that are one operation.
fn binary(op: ClOp) -> Option<BinOp> {
    Some(match op {
        ClOp::fmax | ClOp::fmax_common => BinOp::Fmax,
        ClOp::fmin | ClOp::fmin_common => BinOp::Fmin,
        ClOp::fmod => BinOp::Frem,
        ClOp::s_max => BinOp::Smax,
        ClOp::u_max => BinOp::Umax,
        ClOp::s_min => BinOp::Smin,
        ClOp::u_min => BinOp::Umin,
        ClOp::s_mul_hi => BinOp::SmulHi,
        ClOp::u_mul_hi => BinOp::UmulHi,
        ClOp::rotate => BinOp::Rotl,
        ClOp::s_mul24 | ClOp::u_mul24 => BinOp::Imul,
        _ => return None,
    })
}

fn unary(op: ClOp) -> Option<UnOp> {
    Some(match op {
        ClOp::fabs => UnOp::Fabs,
        ClOp::floor => UnOp::Floor,
        ClOp::ceil => UnOp::Ceil,
        ClOp::trunc => UnOp::Trunc,
        ClOp::rint => UnOp::Rint,
        ClOp::clz => UnOp::Clz,
        ClOp::ctz => UnOp::Ctz,
        ClOp::popcount => UnOp::Popcnt,
        _ => return None,
    })
}

/// Expands an instruction whose operands have the types that it requires.
pub fn expand(e: &mut impl EmitOps, op: ClOp, args: &[Value], ty: Type) -> Value {
    if let Some(bin) = binary(op) {
        return e.emit(Op::Bin(bin), args, ty);
    }
    if let Some(un) = unary(op) {
        return e.emit(Op::Un(un), args, ty);
    }
    match (op, args) {
        (ClOp::fma, &[_, _, _]) => e.emit(Op::Fma, args, ty),
        (ClOp::mad, &[_, _, _]) => e.emit(Op::Mad, args, ty),
        (ClOp::fclamp, &[x, low, high]) => {
            let x = e.emit(Op::Bin(BinOp::Fmax), &[x, low], ty);
            e.emit(Op::Bin(BinOp::Fmin), &[x, high], ty)
        }
        (ClOp::u_abs, &[x]) => x,
        (ClOp::select, &[a, b, c]) => select(e, a, b, c, ty),
        (ClOp::bitselect, &[a, b, c]) => bitselect(e, a, b, c, ty),
        (ClOp::copysign, &[x, y]) => copysign(e, x, y, ty),
        (ClOp::nan, &[x]) => nan(e, x, ty),
        _ => integer(e, op, args, ty).unwrap_or_else(|| e.emit(Op::OpenCl(op), args, ty)),
    }
}

/// Expands an instruction on integers; `None` for others.
fn integer(e: &mut impl EmitOps, op: ClOp, args: &[Value], ty: Type) -> Option<Value> {
    Some(match (op, args) {
        (ClOp::s_mad24 | ClOp::u_mad24, &[x, y, z]) => {
            let mut b = e.builder();
            let p = b.imul(x, y);
            b.iadd(p, z)
        }
        (ClOp::s_mad_hi | ClOp::u_mad_hi, &[x, y, z]) => {
            let mut b = e.builder();
            let p = b.bin(if op == ClOp::s_mad_hi { BinOp::SmulHi } else { BinOp::UmulHi }, x, y);
            b.iadd(p, z)
        }
        (ClOp::s_clamp, &[x, low, high]) => {
            let mut b = e.builder();
            let x = b.bin(BinOp::Smax, x, low);
            b.bin(BinOp::Smin, x, high)
        }
        (ClOp::u_clamp, &[x, low, high]) => {
            let mut b = e.builder();
            let x = b.bin(BinOp::Umax, x, low);
            b.bin(BinOp::Umin, x, high)
        }
        (ClOp::s_abs, &[x]) => {
            let zero = e.func().bits(ty, 0);
            let mut b = e.builder();
            let negated = b.isub(zero, x);
            b.bin(BinOp::Smax, x, negated)
        }
        (ClOp::s_abs_diff | ClOp::u_abs_diff, &[x, y]) => {
            let (max, min) = match op {
                ClOp::s_abs_diff => (BinOp::Smax, BinOp::Smin),
                _ => (BinOp::Umax, BinOp::Umin),
            };
            let mut b = e.builder();
            let (high, low) = (b.bin(max, x, y), b.bin(min, x, y));
            b.isub(high, low)
        }
        (ClOp::s_hadd | ClOp::u_hadd | ClOp::s_rhadd | ClOp::u_rhadd, &[x, y]) => {
            let shift = if matches!(op, ClOp::s_hadd | ClOp::s_rhadd) { BinOp::Ashr } else { BinOp::Lshr };
            let one = e.func().bits(ty, 1);
            let mut b = e.builder();
            let differ = b.bin(BinOp::Xor, x, y);
            let half = b.bin(shift, differ, one);
            if matches!(op, ClOp::s_hadd | ClOp::u_hadd) {
                let common = b.and(x, y);
                b.iadd(common, half)
            } else {
                let any = b.or(x, y);
                b.isub(any, half)
            }
        }
        (ClOp::s_upsample | ClOp::u_upsample, &[hi, lo]) => {
            let bits = e.func().ty(hi).scalar().map_or(0, Scalar::bits);
            let by = e.func().bits(ty, bits as u64);
            let mut b = e.builder();
            let (hi, lo) = (b.cast(CastOp::Zext, hi, ty), b.cast(CastOp::Zext, lo, ty));
            let hi = b.shl(hi, by);
            b.or(hi, lo)
        }
        _ => return None,
    })
}

/// Lanes of vectors are chosen by their sign bit, a scalar by being non-zero.
fn select(e: &mut impl EmitOps, a: Value, b: Value, c: Value, ty: Type) -> Value {
    let c_type = e.func().ty(c);
    let zero = e.func().bits(c_type, 0);
    let cc = if ty.lanes() > 1 { IntCc::Slt } else { IntCc::Ne };
    let mut bld = e.builder();
    let cond = bld.icmp(cc, c, zero);
    bld.select(cond, b, a)
}

fn bitselect(e: &mut impl EmitOps, a: Value, b: Value, c: Value, ty: Type) -> Value {
    let bits = ty.with_scalar(ty.scalar().map_or(Scalar::I32, Scalar::to_int));
    let mut bld = e.builder();
    let (a, b, c) = (bld.bitcast(a, bits), bld.bitcast(b, bits), bld.bitcast(c, bits));
    let keep = bld.not(c);
    let (x, y) = (bld.and(a, keep), bld.and(b, c));
    let v = bld.or(x, y);
    bld.bitcast(v, ty)
}

fn copysign(e: &mut impl EmitOps, x: Value, y: Value, ty: Type) -> Value {
    let scalar = ty.scalar().unwrap_or(Scalar::F32);
    let bits = ty.with_scalar(scalar.to_int());
    let (_, magnitude) = float_masks(scalar);
    let (m, s) = (e.func().bits(bits, magnitude), e.func().bits(bits, !magnitude));
    let mut b = e.builder();
    let (x, y) = (b.bitcast(x, bits), b.bitcast(y, bits));
    let (x, y) = (b.and(x, m), b.and(y, s));
    let v = b.or(x, y);
    b.bitcast(v, ty)
}

fn nan(e: &mut impl EmitOps, x: Value, ty: Type) -> Value {
    let scalar = ty.scalar().unwrap_or(Scalar::F32);
    let bits = ty.with_scalar(scalar.to_int());
    let (exponent, magnitude) = float_masks(scalar);
    // The quiet bit is the one below the exponent.
    let quiet = (exponent & exponent.wrapping_neg()) >> 1;
    let (q, m) = (e.func().bits(bits, exponent | quiet), e.func().bits(bits, magnitude));
    let mut b = e.builder();
    let x = b.bitcast(x, bits);
    let x = b.and(x, m);
    let v = b.or(x, q);
    b.bitcast(v, ty)
}

/// `shuffle` and `shuffle2`: lanes chosen by the low bits of a mask. The operands have the element type of
/// `ty`, and the mask has its lanes.
pub fn shuffle(e: &mut impl EmitOps, x: Value, y: Option<Value>, mask: Value, ty: Type) -> Value {
    use crate::ir::{I1, I32, I64};
    let from = e.func().ty(x);
    let n = from.lanes();
    let room = u64::from(n.next_power_of_two());
    let mut lanes = Vec::new();
    for i in 0..ty.lanes() as u8 {
        let (low, second, zero) =
            (e.func().bits(I64, room - 1), e.func().bits(I64, room), e.func().bits(I64, 0));
        let m = e.builder().extract(mask, i);
        let m = sign_extended(e, m);
        let mut b = e.builder();
        let index = b.and(m, low);
        let index = b.cast(CastOp::Trunc, index, I32);
        let pick = |b: &mut crate::ir::Builder<'_>, v: Value| match n {
            1 => v,
            _ => b.value(Op::ExtractDyn, &[v, index], from.lane()),
        };
        let mut v = pick(&mut b, x);
        if let Some(y) = y {
            let w = pick(&mut b, y);
            let bit = b.and(m, second);
            let other = b.value(Op::Icmp(IntCc::Ne), &[bit, zero], I1);
            v = b.select(other, w, v);
        }
        lanes.push(v);
    }
    e.builder().vec_build(&lanes)
}

/// An integer in 64 bits, sign-extended.
fn sign_extended(e: &mut impl EmitOps, v: Value) -> Value {
    use crate::ir::I64;
    let ty = e.func().ty(v);
    if ty == I64 {
        return v;
    }
    match (e.func().as_bits(v), ty.scalar()) {
        (Some(bits), Some(scalar)) => {
            let unused = 64 - scalar.bits();
            e.func().i64((bits << unused) as i64 >> unused)
        }
        _ => e.builder().cast(CastOp::Sext, v, I64),
    }
}
