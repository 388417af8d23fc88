//! Rotations of 64-bit integers by constants, for NVIDIA.
//!
//! The driver recognises rotations of 32 bits, and a word that is shifted out of two, but computes a 64-bit
//! rotation by two shifts of 64 bits: SHA-512 then takes twice the instructions (580.159.04).

use crate::error::Result;
use crate::ir::edit::{Rewrite, rewrite_insts};
use crate::ir::*;
use crate::passes::{Pass, PassContext};
use rustc_hash::FxHashMap;

/// The pass `expand_rotations`.
pub struct ExpandRotations;

impl Pass for ExpandRotations {
    fn name(&self) -> &'static str {
        "expand_rotations"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        if !cx.target.vulkan().is_some_and(|vulkan| vulkan.shifts_rotations64) {
            return Ok(false);
        }
        let mut changed = false;
        for func in module.functions.values_mut() {
            let mut words = FxHashMap::default();
            if rewrite_insts(func, |b, inst| expand(b, inst, &mut words)) {
                crate::passes::opt::dce::remove_dead_values(func);
                changed = true;
            }
        }
        Ok(changed)
    }
}

/// Low and high words of values, by block.
type Words = FxHashMap<(Block, Value), [Value; 2]>;

/// Replaces a rotation.
fn expand(b: &mut Builder<'_>, inst: Inst, words: &mut Words) -> Rewrite {
    let Some((x, amount)) = rotation(b.func, &b.func.insts[inst]) else { return Rewrite::Keep };
    let pair = Type::Vector(Scalar::I32, 2);
    let [low, high] = *words.entry((b.block, x)).or_insert_with(|| {
        let v = b.bitcast(x, pair);
        [b.extract(v, 0), b.extract(v, 1)]
    });
    let [low, high] = if amount < 32 { [low, high] } else { [high, low] };
    let rotated = match amount % 32 {
        0 => b.vec_build(&[low, high]),
        n => {
            let (left, right) = (b.i32(n as i32), b.i32(32 - n as i32));
            let mut word = |upper, lower| {
                let (upper, lower) = (b.shl(upper, left), b.lshr(lower, right));
                b.or(upper, lower)
            };
            let words = [word(low, high), word(high, low)];
            b.vec_build(&words)
        }
    };
    Rewrite::Replace(b.bitcast(rotated, I64))
}

/// Operand and left shift of a rotation of 64 bits by a constant other than 0.
fn rotation(func: &Function, data: &InstData) -> Option<(Value, u64)> {
    if data.results.len() != 1 || func.ty(data.results[0]) != I64 {
        return None;
    }
    match data.op {
        Op::Bin(BinOp::Rotl) => {
            let amount = func.as_bits(data.args[1])? % 64;
            (amount != 0).then_some((data.args[0], amount))
        }
        // The bits of the operands are disjoint.
        Op::Bin(BinOp::Or | BinOp::Xor | BinOp::Iadd) => {
            let [x, y] = [data.args[0], data.args[1]].map(|v| shifted(func, v));
            let ((left, x, n), (right, y, m)) = (x?, y?);
            (left != right && x == y && n + m == 64).then_some((x, if left { n } else { m }))
        }
        _ => None,
    }
}

/// Whether a value is another one shifted left by a constant, the other one, and the constant; a shift right
/// must be logical.
fn shifted(func: &Function, v: Value) -> Option<(bool, Value, u64)> {
    let data = &func.insts[func.def_inst(v)?];
    let left = match data.op {
        Op::Bin(BinOp::Shl) => true,
        Op::Bin(BinOp::Lshr) => false,
        _ => return None,
    };
    Some((left, data.args[0], func.as_bits(data.args[1])? % 64))
}
