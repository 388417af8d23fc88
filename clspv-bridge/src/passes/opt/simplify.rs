//! Peephole simplification: constant folding and the algebraic rules of `simplify_int`, `simplify_float` and
//! `simplify_other`.
//!
//! One iteration visits the blocks in reverse postorder and rewrites each instruction until no rule applies.
//! A rule returns an equal value, or changes the instruction in place (possibly after emitting other
//! instructions). Floating-point rules keep IEEE results unless the instruction's fast-math flags permit
//! otherwise.

use super::rewriter::{Action, Rewriter, fold_values, rewrite};
use super::{dce, simplify_float, simplify_int, simplify_other};
use crate::analysis::Cfg;
use crate::error::Result;
use crate::ir::{Function, Inst, Module, Op, UnOp};
use crate::passes::structure::ssa_repair;
use crate::passes::{Pass, PassContext};

/// The pass `simplify`.
pub struct Simplify;

impl Pass for Simplify {
    fn name(&self) -> &'static str {
        "simplify"
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for f in module.functions.values_mut() {
            changed |= simplify(f);
        }
        Ok(changed)
    }
}

const MAX_ITERATIONS: usize = 4;
/// Most rewrites of one instruction in one iteration.
const MAX_REWRITES: usize = 16;

/// Simplifies one function; true if anything changed.
pub fn simplify(func: &mut Function) -> bool {
    let mut any = ssa_repair::remove_unreachable(func);
    for iteration in 0..MAX_ITERATIONS {
        let changed = simplify_once(func);
        any |= changed;
        if changed || iteration == 0 {
            any |= dce::remove_dead_values(func);
        }
        if !changed {
            break;
        }
    }
    any
}

fn simplify_once(func: &mut Function) -> bool {
    let order = Cfg::new(func).rpo().to_vec();
    let mut s = Rewriter::new(func);
    for b in order {
        for inst in s.func.take_insts(b) {
            visit(&mut s, inst);
        }
        s.func.blocks[b].insts = std::mem::take(&mut s.list);
    }
    let (replaced, changed) = (s.replaced, s.changed);
    func.replace_uses(&replaced);
    changed
}

/// Rewrites an instruction until no rule applies, and adds it to the list unless another value replaces it.
fn visit(s: &mut Rewriter<'_>, inst: Inst) {
    let data = &mut s.func.insts[inst];
    let edges = data.targets.iter_mut().flat_map(|t| t.args.iter_mut());
    for v in data.args.iter_mut().chain(edges) {
        if let Some(&n) = s.replaced.get(v) {
            *v = n;
        }
    }
    s.current = Some(inst);
    for _ in 0..MAX_REWRITES {
        match rule(s, inst) {
            None => break,
            Some(Action::Value(v)) => {
                let result = s.func.insts[inst].results[0];
                s.replaced.insert(result, v);
                s.changed = true;
                return;
            }
            Some(Action::Rewrite(op, args)) => {
                let data = &mut s.func.insts[inst];
                (data.op, data.args) = (op, args);
                s.changed = true;
            }
        }
    }
    s.list.push(inst);
}

/// Applies a rule to an instruction.
fn rule(s: &mut Rewriter<'_>, inst: Inst) -> Option<Action> {
    let data = &s.func.insts[inst];
    if data.op == Op::BrIf {
        // brif !c, a, b -> brif c, b, a
        let condition = s.operation(data.args[0])?;
        if condition.op != Op::Un(UnOp::Not) {
            return None;
        }
        let condition = s.current_value(condition.args[0]);
        s.func.insts[inst].targets.swap(0, 1);
        return rewrite(Op::BrIf, &[condition]);
    }
    if !data.op.is_pure() {
        return None;
    }
    let ty = s.func.ty(*data.results.first()?);
    if let Some(c) = fold_values(s.func, &data.op, &data.args, ty) {
        return Some(Action::Value(s.func.constant(c)));
    }
    match (&data.op, data.args.as_slice()) {
        (&Op::Bin(b), &[x, y]) if ty.is_int() => simplify_int::binary(s, b, x, y, ty),
        (&Op::Bin(b), &[x, y]) => simplify_float::binary(s, b, x, y, ty),
        (&Op::Fma, &[a, b, c]) => simplify_float::multiply_add(s, true, [a, b, c], ty),
        (&Op::Mad, &[a, b, c]) => simplify_float::multiply_add(s, false, [a, b, c], ty),
        (&Op::Icmp(cc), &[x, y]) => simplify_int::compare(s, cc, x, y),
        (&Op::Cast(c), &[x]) => simplify_int::cast(s, c, x, ty),
        (op, _) if simplify_other::has_rule(op) => {
            let (op, args) = (op.clone(), data.args.clone());
            simplify_other::rule(s, &op, &args, ty)
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "simplify_tests.rs"]
mod tests;
