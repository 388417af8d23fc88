//! Signs of other numbers, for llvmpipe.
//!
//! LLVM makes `(x & 0x7fffffff) | (y & 0x80000000)` an operation of its own. With AVX-512 and under a mask it
//! loses a bit of the exponent (LLVM 19 and 22). Written as a choice by the sign of `y` it stays as it is.

use crate::error::Result;
use crate::ir::edit::{Rewrite, rewrite_insts};
use crate::ir::*;
use crate::passes::{Pass, PassContext};

/// The pass `expand_copysign`.
pub struct ExpandCopysign;

impl Pass for ExpandCopysign {
    fn name(&self) -> &'static str {
        "expand_copysign"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        if !cx.target.vulkan().is_some_and(|vulkan| vulkan.wrong_copysign) {
            return Ok(false);
        }
        let mut changed = false;
        for func in module.functions.values_mut() {
            changed |= rewrite_insts(func, expand);
        }
        Ok(changed)
    }
}

/// Replaces the sum of a number's magnitude and another's sign.
fn expand(b: &mut Builder<'_>, inst: Inst) -> Rewrite {
    let data = &b.func.insts[inst];
    if !matches!(data.op, Op::Bin(BinOp::Or | BinOp::Xor | BinOp::Iadd)) {
        return Rewrite::Keep;
    }
    let (x, y, ty) = (data.args[0], data.args[1], b.ty(data.results[0]));
    let sign = 1u64 << (ty.scalar().map_or(32, Scalar::bits) - 1);
    let parts = |x, y| Some((masked(b.func, x, sign - 1)?, masked(b.func, y, sign)?));
    let Some((magnitude, signed)) = parts(x, y).or_else(|| parts(y, x)) else { return Rewrite::Keep };
    let (zero, sign, rest) = (b.func.bits(ty, 0), b.func.bits(ty, sign), b.func.bits(ty, sign - 1));
    let is_negative = b.icmp(IntCc::Slt, signed, zero);
    let negative = b.or(magnitude, sign);
    let positive = b.and(magnitude, rest);
    Rewrite::Replace(b.select(is_negative, negative, positive))
}

/// The other operand of an `and` with a mask.
fn masked(func: &Function, v: Value, mask: u64) -> Option<Value> {
    let data = func.def_inst(v).map(|i| &func.insts[i]).filter(|data| data.op == Op::Bin(BinOp::And))?;
    let [x, y] = [data.args[0], data.args[1]];
    match (func.as_bits(x), func.as_bits(y)) {
        (_, Some(bits)) if bits == mask => Some(x),
        (Some(bits), _) if bits == mask => Some(y),
        _ => None,
    }
}
