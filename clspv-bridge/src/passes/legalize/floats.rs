//! Floating-point types that the target lacks.
//!
//! Doubles are never emulated: on a device without them, a kernel that uses them is an error. Without float16
//! arithmetic, halves are handled as their bits: `lower_builtins` has replaced conversions, and loads, stores
//! and moves become those of integers.

use crate::error::{CompileError, Result};
use crate::ir::edit::{Rewrite, rewrite_insts};
use crate::ir::*;
use crate::passes::lower::state::Kernel;
use crate::passes::{Pass, PassContext};
use crate::target::Target;

/// The pass `legalize_floats`: half and double precision that the target lacks.
pub struct LegalizeFloats;

impl Pass for LegalizeFloats {
    fn name(&self) -> &'static str {
        "legalize_floats"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        run(Kernel::of(module)?.func, cx.target)?;
        Ok(true)
    }
}

/// Turns halves that are only moved into integers.
fn halves_as_bits(func: &mut Function, target: &Target) {
    if target.float16 {
        return;
    }
    let half = |ty: Type| ty.lane() == F16;
    let params = func.entry().map(|e| func.blocks[e].params.clone()).unwrap_or_default();
    let moved = func.data_in_order().all(|d| {
        let moves = matches!(d.op, Op::Load(_) | Op::Store(_) | Op::Select | Op::Cast(CastOp::Bitcast))
            || matches!(d.op, Op::Extract(_) | Op::ExtractDyn | Op::Insert(_) | Op::InsertDyn)
            || matches!(d.op, Op::VecBuild | Op::Splat | Op::Shuffle(_));
        moves || !d.args.iter().chain(&d.results).any(|&v| half(func.ty(v)))
    });
    if !moved || params.iter().any(|&p| half(func.ty(p))) {
        return;
    }
    let bits = |ty: Type| ty.with_scalar(Scalar::I16);
    for v in func.values.keys() {
        if half(func.values[v].ty) && func.as_const(v).is_none() {
            func.values[v].ty = bits(func.values[v].ty);
        }
    }
    rewrite_insts(func, |b, inst| {
        let mut data = b.func.insts[inst].clone();
        for a in data.operands_mut() {
            match b.func.as_const(*a) {
                Some(Const::Bits(ty, lanes)) if half(*ty) => {
                    let (ty, lanes) = (bits(*ty), lanes.clone());
                    *a = b.func.constant(Const::Bits(ty, lanes));
                }
                Some(&Const::Undef(ty)) if half(ty) => *a = b.func.undef(bits(ty)),
                _ => {}
            }
        }
        if let (Op::Cast(CastOp::Bitcast), [r]) = (&data.op, &data.results[..])
            && b.ty(data.args[0]) == b.ty(*r)
        {
            return Rewrite::Replace(data.args[0]);
        }
        b.func.insts[inst] = data;
        Rewrite::Keep
    });
}

/// Legalises the types that the target lacks; an error where that is not possible.
pub fn run(func: &mut Function, target: &Target) -> Result<()> {
    halves_as_bits(func, target);
    check(func, target)
}

/// Reports an error for types that the target lacks.
fn check(func: &Function, target: &Target) -> Result<()> {
    for d in func.data_in_order() {
        for &v in d.args.iter().chain(&d.results) {
            match func.ty(v).scalar() {
                Some(Scalar::F64) if !target.float64 => {
                    return Err(CompileError::unsupported("double precision", d.line));
                }
                Some(Scalar::F16) if !target.float16 => {
                    return Err(CompileError::unsupported("half precision arithmetic", d.line));
                }
                _ => {}
            }
        }
    }
    Ok(())
}
