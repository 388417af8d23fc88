//! Math, integer, common, geometric and relational functions, conversions, and `printf`.

use super::super::row::{BitOp, BuiltinExpansion, Relation};
use super::call::Call;
use crate::error::Result;
use crate::front::expand::numbers::{self, BitFieldOp, FloatClass};
use crate::front::expand::opencl_std;
use crate::ir::{CastOp, ClOp, FloatCc, I1, I32, IntCc, Op, Rounding, Scalar, Type, Value};
use smallvec::SmallVec;

/// Lowers a function of this module.
pub fn lower(call: &mut Call<'_, '_, '_>, lowering: BuiltinExpansion) -> Result<Option<Value>> {
    Ok(Some(match lowering {
        BuiltinExpansion::Ext(op) => return extended(call, op),
        BuiltinExpansion::BySign(signed, unsigned) => {
            let op = if call.is_signed(0) { signed } else { unsigned };
            return extended(call, op);
        }
        BuiltinExpansion::Select => return extended(call, ClOp::select),
        BuiltinExpansion::Relation(relation) => relational(call, relation)?,
        BuiltinExpansion::Shuffle => {
            let (first, mask) = (call.arg(0)?, call.arg(call.args.len() - 1)?);
            let second = if call.args.len() == 3 { Some(call.arg(1)?) } else { None };
            let ty = call.ty()?;
            opencl_std::shuffle(call.cx, first, second, mask, ty)
        }
        BuiltinExpansion::Dot => {
            let (x, y) = (call.arg(0)?, call.arg(1)?);
            numbers::dot(call.cx, x, y)
        }
        BuiltinExpansion::Cross => return extended(call, ClOp::cross),
        BuiltinExpansion::IntDot { signed, saturates, .. } => {
            let (x, y) = (call.arg(0)?, call.arg(1)?);
            // One operation has the signed operand first.
            let (x, y, signed) = if signed == [false, true] { (y, x, [true, false]) } else { (x, y, signed) };
            let sum = numbers::integer_dot(call.cx, x, y, signed, I32);
            if !saturates {
                return Ok(Some(sum));
            }
            let acc = call.arg(2)?;
            numbers::add_saturated(call.cx, sum, acc, signed != [false, false])
        }
        BuiltinExpansion::Bits(op) => bits(call, op)?,
        BuiltinExpansion::Convert { saturate, rounding } => convert(call, saturate, rounding)?,
        BuiltinExpansion::Expect => call.arg(0)?,
        BuiltinExpansion::Printf => return printf(call),
        _ => return Ok(None),
    }))
}

/// An OpenCL.std instruction.
fn extended(call: &mut Call<'_, '_, '_>, op: ClOp) -> Result<Option<Value>> {
    let ty = call.ty()?;
    let args: SmallVec<[Value; 4]> = call.args.clone();
    Ok(Some(opencl_std::expand(call.cx, op, &args, ty)))
}

fn relational(call: &mut Call<'_, '_, '_>, relation: Relation) -> Result<Value> {
    let x = call.arg(0)?;
    let compare = match relation {
        Relation::Equal => FloatCc::Oeq,
        Relation::NotEqual => FloatCc::Une,
        Relation::Greater => FloatCc::Ogt,
        Relation::GreaterEqual => FloatCc::Oge,
        Relation::Less => FloatCc::Olt,
        Relation::LessEqual => FloatCc::Ole,
        Relation::LessGreater => FloatCc::One,
        Relation::Ordered => FloatCc::Ord,
        Relation::Unordered => FloatCc::Uno,
        Relation::Any | Relation::All => {
            let truth = sign_vote(call, relation == Relation::Any, x);
            return call.truth(truth);
        }
        class => {
            let class = match class {
                Relation::Finite => FloatClass::Finite,
                Relation::Inf => FloatClass::Inf,
                Relation::Nan => FloatClass::Nan,
                Relation::Normal => FloatClass::Normal,
                _ => FloatClass::Negative,
            };
            let truth = numbers::classify(call.cx, class, x);
            return call.truth(truth);
        }
    };
    let y = call.arg(1)?;
    let ty = Type::vector(Scalar::I1, call.cx.f.ty(x).lanes());
    let truth = call.cx.emit(Op::Fcmp(compare), &[x, y], ty);
    call.truth(truth)
}

/// `any` and `all`: votes of the sign bits.
fn sign_vote(call: &mut Call<'_, '_, '_>, is_any: bool, x: Value) -> Value {
    let ty = call.cx.f.ty(x);
    let zero = call.cx.f.bits(ty, 0);
    let signs = call.cx.emit(Op::Icmp(IntCc::Slt), &[x, zero], Type::vector(Scalar::I1, ty.lanes()));
    match (ty.lanes(), is_any) {
        (1, _) => signs,
        (_, true) => call.cx.emit(Op::Any, &[signs], I1),
        (_, false) => call.cx.emit(Op::All, &[signs], I1),
    }
}

fn bits(call: &mut Call<'_, '_, '_>, op: BitOp) -> Result<Value> {
    let base = call.arg(0)?;
    let ty = call.cx.f.ty(base);
    if op == BitOp::Reverse {
        return Ok(call.cx.emit(Op::Un(crate::ir::UnOp::Bitrev), &[base], ty));
    }
    let first = if op == BitOp::Insert { 2 } else { 1 };
    let mut counts = [base; 2];
    for (i, count) in counts.iter_mut().enumerate() {
        let value = call.arg(first + i)?;
        let value = numbers::resize(call.cx, value, ty.lane(), false);
        *count = if ty.lanes() == 1 { value } else { call.cx.emit(Op::Splat, &[value], ty) };
    }
    let op = match op {
        BitOp::Insert => BitFieldOp::Insert(call.arg(1)?),
        BitOp::ExtractSigned => BitFieldOp::ExtractSigned,
        _ => BitFieldOp::ExtractUnsigned,
    };
    Ok(numbers::bit_field(call.cx, op, base, counts[0], counts[1]))
}

/// Explicit conversion. By default, numbers are rounded toward zero to integers, and to the nearest even
/// floating-point number (OpenCL C, section 6.4.3.3).
fn convert(call: &mut Call<'_, '_, '_>, saturate: bool, rounding: Option<Rounding>) -> Result<Value> {
    let (x, to) = (call.arg(0)?, call.ty()?);
    let from = call.cx.f.ty(x);
    let from_signed = call.is_signed(0);
    let to_signed = super::super::super::lower::types::is_signed(call.cx.types(), call.result);
    let rounding = match (from.is_float(), to.is_float()) {
        (_, true) => rounding.filter(|r| *r != Rounding::Rte),
        (true, false) => rounding.filter(|r| *r != Rounding::Rtz),
        (false, false) => None,
    };
    let is_same = from == to && (from.is_float() || from_signed == to_signed);
    if is_same {
        return Ok(x);
    }
    if !saturate && rounding.is_none() {
        return Ok(plain_conversion(call, x, to, from_signed, to_signed));
    }
    let (from_signed, to_signed) = (from_signed || from.is_float(), to_signed || to.is_float());
    let op = Op::Convert { from_signed, to_signed, rounding, saturate };
    Ok(call.cx.emit(op, &[x], to))
}

fn plain_conversion(
    call: &mut Call<'_, '_, '_>,
    x: Value,
    to: Type,
    from_signed: bool,
    to_signed: bool,
) -> Value {
    let from = call.cx.f.ty(x);
    let op = match (from.is_float(), to.is_float()) {
        (false, false) => return numbers::resize(call.cx, x, to, from_signed),
        (true, true) => CastOp::FpConv,
        (true, false) if to_signed => CastOp::FpToS,
        (true, false) => CastOp::FpToU,
        (false, true) if from_signed => CastOp::SToFp,
        (false, true) => CastOp::UToFp,
    };
    if from.is_bool() {
        let wide = from.with_scalar(Scalar::I32);
        let number = call.cx.emit(Op::Cast(CastOp::Zext), &[x], wide);
        return call.cx.emit(Op::Cast(op), &[number], to);
    }
    call.cx.emit(Op::Cast(op), &[x], to)
}

/// `printf`: the format's address and the operands.
fn printf(call: &mut Call<'_, '_, '_>) -> Result<Option<Value>> {
    let mut args: SmallVec<[Value; 8]> = SmallVec::new();
    for arg in call.args.clone() {
        // A truth value is passed as `int`.
        let ty = call.cx.f.ty(arg);
        args.push(if ty.is_bool() { call.cx.emit(Op::Cast(CastOp::Zext), &[arg], I32) } else { arg });
    }
    Ok(Some(call.cx.builder().value(Op::OpenCl(ClOp::printf), &args, I32)))
}
