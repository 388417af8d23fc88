//! Upper bounds of integers, from how they are computed and from the conditions of dominating branches.

use super::{Cfg, DomTree};
use crate::ir::{BinOp, Block, CastOp, Function, IntCc, Op, Value, ValueDef};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

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
                for (value, is_signed, max) in bounds_by(func, branch.args[0], holds) {
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

/// The bounds that a condition states, as [`bound_by`] returns them: those of both comparisons if it is a
/// conjunction.
fn bounds_by(func: &Function, condition: Value, holds: bool) -> SmallVec<[(Value, bool, u64); 2]> {
    let data = func.def_inst(condition).map(|inst| &func.insts[inst]);
    let parts = match data.map(|data| (data, &data.op)) {
        Some((data, Op::Bin(BinOp::And))) if holds => &data.args[..],
        Some((data, Op::Bin(BinOp::Or))) if !holds => &data.args[..],
        _ => &[condition],
    };
    let mut known: SmallVec<_> = parts.iter().filter_map(|part| bound_by(func, *part, holds)).collect();
    let rest = parts.iter().filter(|_| holds).find_map(|part| bound_by_rest(func, *part, &known));
    known.extend(rest.map(|(value, max)| (value, false, max)));
    known
}

/// The value that `c - value > n` bounds, and its maximum, if it is known not to be above `c`.
fn bound_by_rest(func: &Function, condition: Value, known: &[(Value, bool, u64)]) -> Option<(Value, u64)> {
    let compared = &func.insts[func.def_inst(condition)?];
    let rest = &func.insts[func.def_inst(*compared.args.first()?)?];
    if compared.op != Op::Icmp(IntCc::Ugt) || rest.op != Op::Bin(BinOp::Isub) {
        return None;
    }
    let (from, value) = (func.as_bits(rest.args[0])?, rest.args[1]);
    let is_below = known.iter().any(|(v, is_signed, max)| *v == value && !is_signed && *max <= from);
    let max = from.checked_sub(func.as_bits(compared.args[1])?)?.checked_sub(1)?;
    is_below.then_some((value, max))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse;

    /// The maximum of `v1` where `condition` holds, and where it does not.
    fn maxima(condition: &str) -> [u64; 2] {
        let text = format!(
            "phase lowered
kernel \"k\" args_size 8 {{
}}
func @k() kernel 0 {{
block0:
    v1 = input global_id 0
    {condition}
    brif v9, block1, block2
block1:
    ret
block2:
    ret
}}
"
        );
        let module = parse::parse_module(&text).unwrap();
        let func = module.functions.values().next().unwrap();
        let cfg = Cfg::new(func);
        let dom = DomTree::new(&cfg);
        let value = func.insts[func.blocks[func.layout[0]].insts[0]].results[0];
        let bounds = Bounds::new(func, &cfg, &dom);
        [1, 2].map(|block| bounds.unsigned_max(value, func.layout[block]))
    }

    #[test]
    fn conditions_bound_values() {
        let all = u64::from(u32::MAX);
        assert_eq!(maxima("v9 = icmp ult v1, i32 16"), [15, all]);
        assert_eq!(maxima("v9 = icmp ugt v1, i32 16"), [all, 16]);
        let two = "v2 = icmp ult v1, i32 16\n    v3 = icmp ule v1, i32 9\n";
        assert_eq!(maxima(&format!("{two}    v9 = and v2, v3")), [9, all]);
        let two = "v2 = icmp uge v1, i32 16\n    v3 = icmp ugt v1, i32 9\n";
        assert_eq!(maxima(&format!("{two}    v9 = or v2, v3")), [all, 9]);
    }

    #[test]
    fn what_is_left_of_a_count_bounds_it() {
        let all = u64::from(u32::MAX);
        let left = "v3 = isub i32 16, v1\n    v4 = icmp ugt v3, i32 7\n";
        assert_eq!(maxima(&format!("v2 = icmp ult v1, i32 16\n    {left}    v9 = and v4, v2")), [8, all]);
        assert_eq!(maxima(&format!("v2 = icmp ult v1, i32 99\n    {left}    v9 = and v4, v2")), [98, all]);
        assert_eq!(maxima("v3 = isub i32 16, v1\n    v9 = icmp ugt v3, i32 7"), [all, all]);
    }
}
