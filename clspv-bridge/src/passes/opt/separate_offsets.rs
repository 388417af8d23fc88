//! Separates constant parts of offsets, so that neighbouring elements share the address of one of them.
//!
//! `p + (x + c) * size` becomes `(p + x * size) + c * size`. Where an index is extended to 64 bits, the
//! bounds of `x` have to show that `x + c` does not wrap; the condition of a loop bounds its counter.

use crate::analysis::bounds::Bounds;
use crate::analysis::{Cfg, DomTree};
use crate::error::Result;
use crate::ir::edit::{Rewrite, rewrite_insts};
use crate::ir::{BinOp, Block, Builder, CastOp, Function, I32, I64, Inst, Module, Op, Value};
use crate::passes::{Pass, PassContext};
use rustc_hash::FxHashMap;

/// Most operations between an offset and its constant part.
const MAX_DEPTH: u32 = 4;

/// The pass `separate_offsets`.
pub struct SeparateOffsets;

impl Pass for SeparateOffsets {
    fn name(&self) -> &'static str {
        "separate_offsets"
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for func in module.functions.values_mut().filter(|f| f.entry().is_some()) {
            changed |= separate(func);
        }
        Ok(changed)
    }
}

/// Separates the offsets of one function; true if there were any.
fn separate(func: &mut Function) -> bool {
    let plans = {
        let cfg = Cfg::new(func);
        let dom = DomTree::new(&cfg);
        let finder = Finder { func, bounds: Bounds::new(func, &cfg, &dom) };
        let mut plans: FxHashMap<Inst, Plan> = FxHashMap::default();
        for &block in cfg.rpo() {
            for &inst in &func.blocks[block].insts {
                let data = &func.insts[inst];
                if data.op == Op::PtrAdd && func.ty(data.args[1]) == I64 {
                    plans.extend(finder.plan(data.args[1], block, MAX_DEPTH).map(|plan| (inst, plan)));
                }
            }
        }
        plans
    };
    rewrite_insts(func, |b, inst| {
        let Some(plan) = plans.get(&inst) else { return Rewrite::Keep };
        let (base, ty) = (b.func.insts[inst].args[0], b.ty(b.func.insts[inst].results[0]));
        let offset = plan.offset.emit(b);
        let variable = b.value(Op::PtrAdd, &[base, offset], ty);
        let constant = b.i64(plan.constant);
        Rewrite::Replace(b.value(Op::PtrAdd, &[variable, constant], ty))
    })
}

/// An offset as a variable part and a constant.
struct Plan {
    offset: Variable,
    constant: i64,
}

/// The variable part of an offset.
enum Variable {
    Value(Value),
    Cast(CastOp, Value),
    /// With an operand that is the same for both parts.
    Scaled(BinOp, Box<Variable>, Value),
    Sum(Box<Variable>, Value),
}

impl Variable {
    fn emit(&self, b: &mut Builder<'_>) -> Value {
        match self {
            Variable::Value(v) => *v,
            Variable::Cast(op, v) => b.cast(*op, *v, I64),
            Variable::Scaled(op, x, by) => {
                let x = x.emit(b);
                b.bin(*op, x, *by)
            }
            Variable::Sum(x, y) => {
                let x = x.emit(b);
                b.iadd(x, *y)
            }
        }
    }
}

struct Finder<'a> {
    func: &'a Function,
    bounds: Bounds<'a>,
}

impl Finder<'_> {
    /// Splits an offset that a block uses, if it has a constant part.
    fn plan(&self, offset: Value, block: Block, depth: u32) -> Option<Plan> {
        let data = &self.func.insts[self.func.def_inst(offset).filter(|_| depth > 0)?];
        let constant = |i: usize| self.func.as_bits(data.args[i]).map(|bits| bits as i64);
        let inner = |i: usize| self.plan(data.args[i], block, depth - 1);
        match data.op {
            Op::Bin(BinOp::Iadd) => {
                if let Some(c) = constant(1) {
                    return Some(Plan { offset: Variable::Value(data.args[0]), constant: c });
                }
                let (plan, other) = match inner(0) {
                    Some(plan) => (plan, data.args[1]),
                    None => (inner(1)?, data.args[0]),
                };
                Some(Plan { offset: Variable::Sum(Box::new(plan.offset), other), ..plan })
            }
            Op::Bin(op @ (BinOp::Imul | BinOp::Shl)) => {
                let (plan, by) = (inner(0)?, constant(1)?);
                let constant = match op {
                    BinOp::Imul => plan.constant.checked_mul(by)?,
                    _ => plan.constant.checked_mul(1i64.checked_shl(u32::try_from(by).ok()?)?)?,
                };
                Some(Plan { offset: Variable::Scaled(op, Box::new(plan.offset), data.args[1]), constant })
            }
            Op::Cast(op @ (CastOp::Zext | CastOp::Sext)) if self.func.ty(data.args[0]) == I32 => {
                self.extended(op, data.args[0], block)
            }
            _ => None,
        }
    }

    /// Splits an extended 32-bit sum that does not wrap.
    fn extended(&self, op: CastOp, sum: Value, block: Block) -> Option<Plan> {
        let data = &self.func.insts[self.func.def_inst(sum)?];
        if data.op != Op::Bin(BinOp::Iadd) {
            return None;
        }
        let (x, c) = (data.args[0], self.func.as_bits(data.args[1])? as u32);
        let (max, constant) = (self.bounds.unsigned_max(x, block), i64::from(c as i32));
        let fits = match op {
            CastOp::Zext => max + u64::from(c) <= u64::from(u32::MAX),
            _ if constant > 0 => self.bounds.signed_max(x, block) + constant <= i64::from(i32::MAX),
            _ => max <= i32::MAX as u64,
        };
        let constant = if op == CastOp::Zext { i64::from(c) } else { constant };
        fits.then_some(Plan { offset: Variable::Cast(op, x), constant })
    }
}
