//! Upper bounds of integers, from how they are computed and from the conditions of dominating branches.

use super::{Cfg, DomTree};
use crate::ir::{BinOp, Block, CastOp, Function, IntCc, Op, Value, ValueDef};
use rustc_hash::FxHashMap;

/// Most operations between a value and known bounds.
const MAX_DEPTH: u32 = 6;

/// Bound of a value in the blocks that a branch target dominates.
struct Condition {
    target: Block,
    /// Maximum as a signed number; otherwise as an unsigned one.
    is_signed: bool,
    max: u64,
}

/// Upper bounds of the integers of a function.
pub struct Bounds<'a> {
    func: &'a Function,
    cfg: &'a Cfg,
    dom: &'a DomTree,
    conditions: FxHashMap<Value, Vec<Condition>>,
}

impl<'a> Bounds<'a> {
    pub fn new(func: &'a Function, cfg: &'a Cfg, dom: &'a DomTree) -> Bounds<'a> {
        let mut conditions: FxHashMap<Value, Vec<Condition>> = FxHashMap::default();
        for &block in cfg.rpo() {
            let Some(branch) = func.terminator(block).map(|t| &func.insts[t]) else { continue };
            if branch.op != Op::BrIf {
                continue;
            }
            for (target, holds) in branch.targets.iter().zip([true, false]) {
                // A join is also reached without the condition.
                if cfg.preds(target.block) != [block] {
                    continue;
                }
                if let Some((value, is_signed, max)) = bound_by(func, branch.args[0], holds) {
                    let condition = Condition { target: target.block, is_signed, max };
                    conditions.entry(value).or_default().push(condition);
                }
            }
        }
        Bounds { func, cfg, dom, conditions }
    }

    /// Maximum of an integer as an unsigned number where a block uses it.
    pub fn unsigned_max(&self, v: Value, block: Block) -> u64 {
        self.unsigned(v, block, MAX_DEPTH)
    }

    /// Maximum of an integer as a signed number where a block uses it.
    pub fn signed_max(&self, v: Value, block: Block) -> i64 {
        let most = signed_limit(self.func, v);
        if let Some(bits) = self.func.as_bits(v) {
            return sign_extend(bits, most);
        }
        let known = self.conditions_at(v, block).filter(|c| c.is_signed);
        let known = known.map(|c| sign_extend(c.max, most)).min().unwrap_or(most as i64);
        let unsigned = self.unsigned_max(v, block);
        if unsigned <= most { known.min(unsigned as i64) } else { known }
    }

    fn conditions_at(&self, v: Value, block: Block) -> impl Iterator<Item = &Condition> {
        let known = self.conditions.get(&v).into_iter().flatten();
        known.filter(move |c| self.dom.dominates(c.target, block))
    }

    fn unsigned(&self, v: Value, block: Block, depth: u32) -> u64 {
        let mask = self.func.ty(v).scalar().map_or(u64::MAX, |s| s.mask());
        if let Some(bits) = self.func.as_bits(v) {
            return bits & mask;
        }
        let known = self.conditions_at(v, block).filter(|c| !c.is_signed).map(|c| c.max);
        let known = known.min().unwrap_or(mask);
        let computed = match self.func.values[v].def {
            ValueDef::Param(block, index) => self.passed(block, usize::from(index), depth),
            _ => self.computed(v, block, depth),
        };
        known.min(computed.unwrap_or(mask))
    }

    /// Maximum of the arguments that are passed for a parameter.
    fn passed(&self, block: Block, index: usize, depth: u32) -> Option<u64> {
        let preds = self.cfg.preds(block);
        if preds.is_empty() || depth == 0 {
            return None;
        }
        let mut most = 0;
        for &pred in preds {
            let branch = &self.func.insts[self.func.terminator(pred)?];
            for (target, holds) in branch.targets.iter().zip([true, false]).filter(|(t, _)| t.block == block)
            {
                let arg = *target.args.get(index)?;
                let condition = (branch.op == Op::BrIf).then(|| bound_by(self.func, branch.args[0], holds));
                let max = match condition.flatten() {
                    Some((value, false, max)) if value == arg => max,
                    _ => self.unsigned(arg, pred, depth - 1),
                };
                most = most.max(max);
            }
        }
        Some(most)
    }

    /// Maximum of the operation that computes a value.
    fn computed(&self, v: Value, block: Block, depth: u32) -> Option<u64> {
        let data = &self.func.insts[self.func.def_inst(v).filter(|_| depth > 0)?];
        let mask = self.func.ty(v).scalar()?.mask();
        let max = |i: usize| self.unsigned(data.args[i], block, depth - 1);
        let constant = |i: usize| self.func.as_bits(data.args[i]);
        match data.op {
            Op::Cast(CastOp::Zext) => Some(max(0)),
            Op::Cast(CastOp::Trunc) => Some(max(0)).filter(|m| *m <= mask),
            Op::Bin(BinOp::And | BinOp::Umin) => Some(max(0).min(max(1))),
            Op::Bin(BinOp::Urem) => constant(1)?.checked_sub(1).map(|most| most.min(max(0))),
            Op::Bin(BinOp::Udiv) => max(0).checked_div(constant(1)?),
            Op::Bin(BinOp::Lshr) => max(0).checked_shr(u32::try_from(constant(1)?).ok()?),
            Op::Bin(BinOp::Iadd) => max(0).checked_add(max(1)).filter(|m| *m <= mask),
            Op::Bin(BinOp::Imul) => max(0).checked_mul(max(1)).filter(|m| *m <= mask),
            Op::Select => Some(max(1).max(max(2))),
            _ => None,
        }
    }
}

/// Maximum of the type of an integer as a signed number.
fn signed_limit(func: &Function, v: Value) -> u64 {
    func.ty(v).scalar().map_or(u64::MAX, |s| s.mask()) >> 1
}

/// Bits of a type with this signed maximum as a signed number.
fn sign_extend(bits: u64, most: u64) -> i64 {
    if bits > most { (bits | !most) as i64 } else { bits as i64 }
}

/// The value that a comparison with a constant bounds, whether as a signed number, and its maximum.
fn bound_by(func: &Function, condition: Value, holds: bool) -> Option<(Value, bool, u64)> {
    let data = &func.insts[func.def_inst(condition)?];
    let Op::Icmp(cc) = data.op else { return None };
    let (value, limit) = (data.args[0], func.as_bits(data.args[1])?);
    if func.ty(value).lanes() != 1 {
        return None;
    }
    let below = |is_signed: bool| {
        let most = signed_limit(func, value);
        let least = if is_signed { most + 1 } else { 0 };
        (limit != least).then(|| (value, is_signed, limit.wrapping_sub(1) & (most << 1 | 1)))
    };
    match (cc, holds) {
        (IntCc::Ult, true) | (IntCc::Uge, false) => below(false),
        (IntCc::Slt, true) | (IntCc::Sge, false) => below(true),
        (IntCc::Ule | IntCc::Eq, true) | (IntCc::Ugt | IntCc::Ne, false) => Some((value, false, limit)),
        (IntCc::Sle, true) | (IntCc::Sgt, false) => Some((value, true, limit)),
        _ => None,
    }
}
