//! Narrows 64-bit values of which only the low half is demanded to 32 bits, loop counters among them.
//!
//! `size_t` arithmetic that ends in an `int` is everywhere in kernels, and devices compute 64-bit integers in
//! several steps. The low half of sums, products and bit operations depends only on the low halves of the
//! operands. All candidates are first assumed narrow and dropped while one has a user that demands more bits,
//! so that cycles through block parameters are found.

use crate::error::Result;
use crate::ir::edit::{Rewrite, rewrite_insts};
use crate::ir::{
    BinOp, Builder, CastOp, EntityRef, Function, I32, I64, Inst, Module, Op, Scalar, Type, Value,
};
use crate::passes::structure::ssa_repair;
use crate::passes::{Pass, PassContext};

/// The pass `demanded_bits`.
pub struct DemandedBits;

impl Pass for DemandedBits {
    fn name(&self) -> &'static str {
        "demanded_bits"
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for f in module.functions.values_mut() {
            changed |= narrow(f);
        }
        Ok(changed)
    }
}

fn is_narrow_int(ty: Type) -> bool {
    matches!(ty, Type::Scalar(Scalar::I8 | Scalar::I16 | Scalar::I32))
}

/// Whether the low half of the result depends only on the low halves of the operands.
fn keeps_low_half(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    match data.op {
        Op::Bin(BinOp::Iadd | BinOp::Isub | BinOp::Imul | BinOp::And | BinOp::Or | BinOp::Xor)
        | Op::Select => true,
        Op::Bin(BinOp::Shl) => func.as_bits(data.args[1]).is_some_and(|n| n < 32),
        Op::Cast(CastOp::Zext | CastOp::Sext) => is_narrow_int(func.ty(data.args[0])),
        Op::PushConst { .. } => true,
        _ => false,
    }
}

/// Values to narrow: `I64` results and parameters whose high half is not demanded.
fn candidates(func: &Function) -> Vec<bool> {
    let mut low = vec![false; func.value_count()];
    for (i, &b) in func.layout.iter().enumerate() {
        for p in func.blocks[b].params.iter().filter(|p| i > 0 && func.ty(**p) == I64) {
            low[p.index()] = true;
        }
        for &inst in &func.blocks[b].insts {
            if let [r] = func.insts[inst].results[..] {
                low[r.index()] = func.ty(r) == I64 && keeps_low_half(func, inst);
            }
        }
    }
    loop {
        let mut changed = false;
        for data in func.data_in_order() {
            let result_low = data.results.first().is_some_and(|r| low[r.index()]);
            let fine = match data.op {
                Op::Cast(CastOp::Trunc) => func.ty(data.results[0]).scalar().is_some_and(|s| s.bits() <= 32),
                _ => result_low,
            };
            for v in data.args.iter().filter(|_| !fine) {
                changed |= std::mem::take(&mut low[v.index()]);
            }
            for call in &data.targets {
                for (v, p) in call.args.iter().zip(&func.blocks[call.block].params) {
                    if !low[p.index()] {
                        changed |= std::mem::take(&mut low[v.index()]);
                    }
                }
            }
        }
        if !changed {
            return low;
        }
    }
}

/// Narrows the values of one function; true if anything changed.
pub fn narrow(func: &mut Function) -> bool {
    ssa_repair::remove_unreachable(func);
    let low = candidates(func);
    if !low.contains(&true) {
        return false;
    }
    let is_low = |v: Value| low.get(v.index()).copied().unwrap_or(false);
    let all: Vec<Value> = func.values.iter().map(|(v, _)| v).filter(|v| is_low(*v)).collect();
    for v in all {
        func.values[v].ty = I32;
    }
    rewrite_insts(func, |b, inst| {
        let mut data = b.func.insts[inst].clone();
        let narrowed = data.results.first().is_some_and(|r| is_low(*r));
        if narrowed && !matches!(data.op, Op::Cast(_)) {
            for v in data.args.iter_mut() {
                *v = low_half(b, *v);
            }
        }
        for call in data.targets.iter_mut() {
            let params = b.func.blocks[call.block].params.clone();
            for (v, _) in call.args.iter_mut().zip(params).filter(|(_, p)| is_low(*p)) {
                *v = low_half(b, *v);
            }
        }
        let same = matches!(data.op, Op::Cast(CastOp::Trunc | CastOp::Zext | CastOp::Sext))
            && b.ty(data.args[0]) == b.ty(data.results[0]);
        if same {
            return Rewrite::Replace(data.args[0]);
        }
        b.func.insts[inst] = data;
        Rewrite::Keep
    });
    true
}

/// The low half of an operand, or the operand itself where it is not (or no longer) a 64-bit value.
fn low_half(b: &mut Builder<'_>, v: Value) -> Value {
    if b.ty(v) != I64 {
        return v;
    }
    if let Some(bits) = b.func.as_bits(v) {
        return b.func.bits(I32, bits);
    }
    if b.func.as_const(v).is_some() {
        return b.func.undef(I32);
    }
    b.cast(CastOp::Trunc, v, I32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{BlockCall, Builder, IntCc, Linkage, Signature, verify};

    /// `for (size_t i = start; (int)i < n; i += step) sum += (int)i`; `whole_used`: the counter is returned
    /// as well.
    fn counter(whole_used: bool) -> Module {
        let result = if whole_used { I64 } else { I32 };
        let mut f = Function::new(
            "f",
            Signature { params: vec![I64, I64, I32], results: vec![result] },
            Linkage::Internal,
        );
        let (b0, b1, b2) = (f.add_block(), f.add_block(), f.add_block());
        let (start, step, n) = (f.add_param(b0, I64), f.add_param(b0, I64), f.add_param(b0, I32));
        let (i, sum) = (f.add_param(b1, I64), f.add_param(b1, I32));
        let zero = f.i32(0);
        Builder::new(&mut f, b0).jump(b1, &[start, zero]);
        let mut b = Builder::new(&mut f, b1);
        let low = b.cast(CastOp::Trunc, i, I32);
        let more = b.iadd(sum, low);
        let next = b.iadd(i, step);
        let next_low = b.cast(CastOp::Trunc, next, I32);
        let again = b.icmp(IntCc::Slt, next_low, n);
        b.brif(again, BlockCall::new(b1, &[next, more]), BlockCall::new(b2, &[]));
        Builder::new(&mut f, b2).ret(&[if whole_used { next } else { more }]);
        let mut module = Module::default();
        module.functions.push(f);
        module
    }

    #[test]
    fn counters_become_32_bits() {
        let mut module = counter(false);
        let f = module.functions.keys().next().unwrap();
        assert!(narrow(&mut module.functions[f]));
        verify::verify_function(&module, f).unwrap();
        let func = &module.functions[f];
        let body = func.layout[1];
        assert!(func.blocks[body].params.iter().all(|p| func.ty(*p) == I32));
        assert!(
            func.blocks[body].insts.iter().flat_map(|i| &func.insts[*i].results).all(|r| func.ty(*r) != I64)
        );
    }

    #[test]
    fn whole_values_stay() {
        let mut module = counter(true);
        let f = module.functions.keys().next().unwrap();
        assert!(!narrow(&mut module.functions[f]));
    }
}
