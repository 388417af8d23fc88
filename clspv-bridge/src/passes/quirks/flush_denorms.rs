//! Makes devices that keep single-precision denormals behave like those that flush them
//! ([`Denorms32::MadeFlushed`]).
//!
//! The built-in library has to stay within its error bounds on both kinds; with this pass, one device tests
//! both. Operands are flushed as well as results, as NVIDIA's instructions do.

use crate::error::Result;
use crate::ir::edit::{Rewrite, rewrite_insts};
use crate::ir::*;
use crate::passes::lower::state::Kernel;
use crate::passes::{Pass, PassContext};
use crate::target::Denorms32;

/// The pass `flush_denorms`: single-precision denormals of devices that are made to flush them.
pub struct FlushDenorms;

impl Pass for FlushDenorms {
    fn name(&self) -> &'static str {
        "flush_denorms"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn applies(&self, cx: &PassContext<'_>) -> bool {
        cx.target.denorms32 == Denorms32::MadeFlushed
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        Ok(run(Kernel::of(module)?.func))
    }
}

/// Flushes operands and results of every single-precision operation that is not a mere move of bits.
fn run(func: &mut Function) -> bool {
    rewrite_insts(func, |b, inst| {
        if !computes(b.func, inst) {
            return Rewrite::Keep;
        }
        let InstData { op, args, results, .. } = b.func.insts[inst].clone();
        let args: Vec<Value> =
            args.iter().map(|&x| if b.ty(x).lane() == F32 { flushed(b, x) } else { x }).collect();
        let ty = b.ty(results[0]);
        let value = b.value(op, &args, ty);
        Rewrite::Replace(if ty.lane() == F32 { flushed(b, value) } else { value })
    })
}

/// Whether the instruction is f32 arithmetic, a comparison or a conversion.
fn computes(func: &Function, inst: Inst) -> bool {
    let d = &func.insts[inst];
    let float = |v: &Value| func.ty(*v).lane() == F32;
    match d.op {
        Op::Bin(_) | Op::Un(_) | Op::Fma | Op::Mad | Op::Fcmp(_) => d.args.iter().any(float),
        Op::Cast(CastOp::FpConv | CastOp::FpToS | CastOp::FpToU) => {
            d.args.iter().chain(&d.results).any(float)
        }
        _ => false,
    }
}

/// The value, with denormals replaced by zeros of the same sign.
fn flushed(b: &mut Builder<'_>, x: Value) -> Value {
    let ty = b.ty(x);
    let int = ty.with_scalar(Scalar::I32);
    let bits = b.bitcast(x, int);
    let exponent = b.func.bits(int, 0x7f80_0000);
    let sign = b.func.bits(int, 0x8000_0000);
    let zero = b.func.bits(int, 0);
    let exponent = b.and(bits, exponent);
    let sign = b.and(bits, sign);
    let small = b.icmp(IntCc::Eq, exponent, zero);
    let kept = b.select(small, sign, bits);
    b.bitcast(kept, ty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::verify::verify_module;

    fn size(flush: bool) -> usize {
        let mut m = Module::default();
        let mut f = Function::new(
            "f",
            Signature { params: vec![F32, F64], results: vec![F32, F64] },
            Linkage::Export,
        );
        let entry = f.add_block();
        let (x, y) = (f.add_param(entry, F32), f.add_param(entry, F64));
        let mut b = Builder::new(&mut f, entry);
        let (x, y) = (b.bin(BinOp::Fmul, x, x), b.bin(BinOp::Fmul, y, y));
        b.ret(&[x, y]);
        assert!(!flush || run(&mut f));
        let size = f.size();
        m.functions.push(f);
        verify_module(&m).unwrap();
        size
    }

    #[test]
    fn single_precision_is_flushed() {
        // Two operands and one result, six instructions each; both include the return.
        assert_eq!(size(true), size(false) + 3 * 6);
    }
}
