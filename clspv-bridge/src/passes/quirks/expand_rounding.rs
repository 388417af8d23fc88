//! Rounding of doubles to integers, for llvmpipe.
//!
//! Where the processor has no vectors of as many doubles as llvmpipe has lanes (eight without AVX-512),
//! llvmpipe truncates and rounds to nearest by a conversion to 32-bit integers, which leaves numbers from
//! 2^24 on as they are and truncates the others. Here, numbers below 2^52 are rounded by adding and
//! subtracting 2^52. Larger ones are integers.

use crate::error::Result;
use crate::ir::edit::{Rewrite, rewrite_insts};
use crate::ir::*;
use crate::passes::{Pass, PassContext};

/// The pass `expand_rounding`.
pub struct ExpandRounding;

impl Pass for ExpandRounding {
    fn name(&self) -> &'static str {
        "expand_rounding"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        if !cx.target.vulkan().is_some_and(|vulkan| vulkan.wrong_rounding64) {
            return Ok(false);
        }
        let mut changed = false;
        for func in module.functions.values_mut() {
            changed |= rewrite_insts(func, expand);
        }
        Ok(changed)
    }
}

/// 2^52: doubles from here on are integers.
const INTEGERS: u64 = 0x4330_0000_0000_0000;
/// 1.0
const ONE: u64 = 0x3ff0_0000_0000_0000;
const SIGN: u64 = 1 << 63;

/// Replaces `ftrunc` and `rint` of doubles.
fn expand(b: &mut Builder<'_>, inst: Inst) -> Rewrite {
    let data = &b.func.insts[inst];
    let Op::Un(op @ (UnOp::Trunc | UnOp::Rint)) = data.op else { return Rewrite::Keep };
    let (x, ty) = (data.args[0], b.ty(data.results[0]));
    if ty.lane() != F64 {
        return Rewrite::Keep;
    }
    let magnitude = b.un(UnOp::Fabs, x);
    let (integers, one) = (b.func.bits(ty, INTEGERS), b.func.bits(ty, ONE));
    let sum = b.bin(BinOp::Fadd, magnitude, integers);
    let nearest = b.bin(BinOp::Fsub, sum, integers);
    let rounded = match op {
        UnOp::Trunc => {
            let is_more = b.fcmp(FloatCc::Ogt, nearest, magnitude);
            let below = b.bin(BinOp::Fsub, nearest, one);
            b.select(is_more, below, nearest)
        }
        _ => nearest,
    };
    // NaN fails the comparison and stays.
    let has_fraction = b.fcmp(FloatCc::Olt, magnitude, integers);
    let result = b.select(has_fraction, rounded, magnitude);
    Rewrite::Replace(with_sign(b, result, x))
}

/// A number that is not negative, with the sign of another.
fn with_sign(b: &mut Builder<'_>, magnitude: Value, signed: Value) -> Value {
    let ty = b.ty(signed);
    let ints = ty.with_scalar(Scalar::I64);
    let sign = b.func.bits(ints, SIGN);
    let (magnitude, signed) = (b.bitcast(magnitude, ints), b.bitcast(signed, ints));
    let sign = b.and(signed, sign);
    let bits = b.or(magnitude, sign);
    b.bitcast(bits, ty)
}
