//! Single-precision division on devices that flush denormals.
//!
//! Such devices multiply with the divisor's reciprocal, which is denormal, hence zero, for divisors above
//! 2^126. OpenCL requires 2.5 ulp for these quotients too (C specification, 7.4), so both operands of these
//! divisions are scaled down. Precision that the scaled dividend loses affects only quotients that are
//! denormal themselves.

use crate::error::Result;
use crate::ir::edit::{Rewrite, rewrite_insts};
use crate::ir::*;
use crate::passes::lower::state::Kernel;
use crate::passes::{Pass, PassContext};
use crate::target::{Denorms32, Target};

/// The pass `flushed_div`: division on devices that flush denormals.
pub struct FlushedDiv;

impl Pass for FlushedDiv {
    fn name(&self) -> &'static str {
        "flushed_div"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn applies(&self, cx: &PassContext<'_>) -> bool {
        !cx.options.fast_relaxed_math && cx.target.denorms32 != Denorms32::Kept
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        run(Kernel::of(module)?.func, cx.target);
        Ok(true)
    }
}

/// Divisors above this have a denormal reciprocal: 2^126.
const LARGE: u64 = 0x7e80_0000;

/// Scales the operands of every single-precision division.
pub fn run(func: &mut Function, target: &Target) {
    if target.denorms32 == Denorms32::Kept {
        return;
    }
    rewrite_insts(func, |b, inst| {
        let d = &b.func.insts[inst];
        if d.op == Op::Bin(BinOp::Fdiv) && b.ty(d.results[0]).lane() == F32 {
            let args = operands(b, d.args[0], d.args[1]);
            b.func.insts[inst].args.copy_from_slice(&args);
        }
        Rewrite::Keep
    });
}

/// Operands whose quotient is that of `x` and `y`, with a divisor small enough.
pub(crate) fn operands(b: &mut Builder<'_>, x: Value, y: Value) -> [Value; 2] {
    let scale = scale(b, y);
    [b.bin(BinOp::Fmul, x, scale), b.bin(BinOp::Fmul, y, scale)]
}

/// 2^-32 in the lanes whose divisor is large, else 1.
fn scale(b: &mut Builder<'_>, y: Value) -> Value {
    let ty = b.ty(y);
    let int = ty.with_scalar(Scalar::I32);
    let bits = b.bitcast(y, int);
    let mask = b.func.bits(int, 0x7fff_ffff);
    let magnitude = b.and(bits, mask);
    let limit = b.func.bits(int, LARGE);
    let large = b.icmp(IntCc::Ugt, magnitude, limit);
    let small = b.func.bits(ty, u64::from(2f32.powi(-32).to_bits()));
    let one = b.func.bits(ty, u64::from(1f32.to_bits()));
    b.select(large, small, one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::verify::verify_module;
    use Denorms32::{Flushed, Kept};

    fn multiplications(ty: Type, denorms32: Denorms32) -> usize {
        let mut m = Module::default();
        let mut f = Function::new("f", Signature { params: vec![ty; 2], results: vec![ty] }, Linkage::Export);
        let entry = f.add_block();
        let (x, y) = (f.add_param(entry, ty), f.add_param(entry, ty));
        let mut b = Builder::new(&mut f, entry);
        let quotient = b.bin(BinOp::Fdiv, x, y);
        b.ret(&[quotient]);
        run(&mut f, &Target { denorms32, ..Target::generic() });
        let count =
            f.blocks[entry].insts.iter().filter(|&&i| matches!(f.insts[i].op, Op::Bin(BinOp::Fmul))).count();
        m.functions.push(f);
        verify_module(&m).unwrap();
        count
    }

    #[test]
    fn operands_are_scaled_where_denormals_are_flushed() {
        let four = Type::Vector(Scalar::F32, 4);
        assert_eq!((multiplications(F32, Flushed), multiplications(four, Flushed)), (2, 2));
        assert_eq!((multiplications(F32, Kept), multiplications(F64, Flushed)), (0, 0));
    }
}
