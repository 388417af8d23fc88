//! Division of 64-bit integers, for NVIDIA.
//!
//! Around 64-bit quotients, code of NVIDIA's compiler for Vulkan (580) at times damages other values:
//! `add_sat(x, y) / (sub_sat(x, y) | 1)` of a buffer's elements has the element's offset in its upper half.
//! So divisions are computed in words. Most operands fit in 32 bits, and take one 32-bit division.

use crate::analysis::Cfg;
use crate::error::Result;
use crate::ir::edit::{Rewrite, try_rewrite_blocks};
use crate::ir::*;
use crate::passes::legalize::expand_ints::ops::{self, Word2};
use crate::passes::{Pass, PassContext};

/// The pass `expand_division`.
pub struct ExpandDivision;

impl Pass for ExpandDivision {
    fn name(&self) -> &'static str {
        "expand_division"
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        if !cx.target.vulkan().is_some_and(|vulkan| vulkan.wrong_division64) {
            return Ok(false);
        }
        let mut changed = false;
        for func in module.functions.values_mut() {
            let order = Cfg::new(func).rpo().to_vec();
            changed |= try_rewrite_blocks(func, &order, expand)?;
        }
        Ok(changed)
    }
}

/// Replaces a 64-bit division.
fn expand(b: &mut Builder<'_>, inst: Inst) -> Result<Rewrite> {
    let data = &b.func.insts[inst];
    let Op::Bin(op @ (BinOp::Udiv | BinOp::Urem | BinOp::Sdiv | BinOp::Srem)) = data.op else {
        return Ok(Rewrite::Keep);
    };
    let (x, y, ty) = (data.args[0], data.args[1], b.ty(data.results[0]));
    if ty.lane() != I64 {
        return Ok(Rewrite::Keep);
    }
    let mut lanes = Vec::new();
    for lane in 0..ty.lanes() {
        let (x, y) = (words(b, x, lane), words(b, y, lane));
        let result = ops::bin(b, op, x, y)?;
        lanes.push(joined(b, result));
    }
    Ok(Rewrite::Replace(if let [lane] = lanes[..] { lane } else { b.vec_build(&lanes) }))
}

/// The words of a lane.
fn words(b: &mut Builder<'_>, x: Value, lane: u32) -> Word2 {
    let lane = if b.ty(x).lanes() == 1 { x } else { b.extract(x, lane as u8) };
    let half = b.func.bits(I64, 32);
    let high = b.lshr(lane, half);
    [b.cast(CastOp::Trunc, lane, I32), b.cast(CastOp::Trunc, high, I32)]
}

/// The number with these words.
fn joined(b: &mut Builder<'_>, [low, high]: Word2) -> Value {
    let (low, high) = (b.cast(CastOp::Zext, low, I64), b.cast(CastOp::Zext, high, I64));
    let half = b.func.bits(I64, 32);
    let high = b.shl(high, half);
    b.or(low, high)
}
