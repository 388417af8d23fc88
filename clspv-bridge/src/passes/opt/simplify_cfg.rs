//! Simplifies control flow: constant branches, unreachable blocks, blocks with a single predecessor, blocks
//! that only jump, and trivial block parameters. Small branches without side effects become selects, and
//! successive branches to one block are merged.
//!
//! Nothing is duplicated and no side effect moves, so barriers stay under the same conditions. Functions with
//! merge annotations (structured control flow) are left unchanged.

use super::dce;
use crate::analysis::{Cfg, DomTree, LoopForest};
use crate::error::Result;
use crate::ir::{
    BinOp, Block, BlockCall, EntityRef, EntitySet, Function, I1, Inst, InstData, Module, Op, SecondaryMap,
    Value,
};
use crate::passes::structure::ssa_repair;
use crate::passes::{Pass, PassContext};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::OnceCell;

/// The pass `simplify_cfg`.
pub struct SimplifyCfg;

impl Pass for SimplifyCfg {
    fn name(&self) -> &'static str {
        "simplify_cfg"
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for f in module.functions.values_mut() {
            changed |= simplify(f);
        }
        Ok(changed)
    }
}

/// Most speculated instructions of both arms of a branch that becomes selects.
const MAX_SPECULATED: usize = 6;
/// Most speculated instructions where two branches are merged: in general, and where that saves a loop an
/// exit.
const MAX_SHARED: usize = 4;
const MAX_SHARED_EXIT: usize = 20;
/// Most iterations towards a fixed point.
const MAX_ITERATIONS: usize = 8;

/// Simplifies one function; true if anything changed.
pub fn simplify(func: &mut Function) -> bool {
    if func.layout.is_empty() || func.layout.iter().any(|b| func.blocks[*b].merge.is_some()) {
        return false;
    }
    let mut any = ssa_repair::remove_unreachable(func);
    for _ in 0..MAX_ITERATIONS {
        let mut changed = constant_branches(func) && keep_reachable(func);
        changed |= ssa_repair::remove_trivial_params(func);
        changed |= skip_empty_blocks(func) && keep_reachable(func);
        let mut cfg = Cfg::new(func);
        if merge_chains(func, &cfg) {
            changed = true;
            cfg = Cfg::new(func);
        }
        if hammocks(func, &cfg) {
            changed = true;
            merge_chains(func, &Cfg::new(func));
            cfg = Cfg::new(func);
        }
        changed |= shared_targets(func, &cfg);
        any |= changed;
        if !changed {
            break;
        }
    }
    any |= dce::remove_dead_values(func);
    any
}

/// Removes the blocks that a change has made unreachable. Always true: there was a change.
fn keep_reachable(func: &mut Function) -> bool {
    ssa_repair::remove_unreachable(func);
    true
}

/// Turns branches with a constant condition, or with equal targets, into jumps.
fn constant_branches(func: &mut Function) -> bool {
    let mut changed = false;
    for b in func.layout.clone() {
        let Some(t) = func.terminator(b) else { continue };
        let data = &func.insts[t];
        let taken = match &data.op {
            Op::BrIf if data.targets[0] == data.targets[1] => Some(0),
            Op::BrIf => func.as_bits(data.args[0]).map(|c| if c & 1 == 1 { 0 } else { 1 }),
            Op::Switch(_) if data.targets.iter().all(|c| *c == data.targets[0]) => Some(0),
            Op::Switch(cases) => {
                func.as_bits(data.args[0]).map(|x| cases.iter().position(|c| *c == x).map_or(0, |i| i + 1))
            }
            _ => None,
        };
        let undefined = matches!(data.op, Op::BrIf | Op::Switch(_))
            && matches!(func.as_const(data.args[0]), Some(crate::ir::Const::Undef(_)));
        if let Some(i) = taken.or(undefined.then_some(0)) {
            let call = data.targets[i].clone();
            let data = &mut func.insts[t];
            data.op = Op::Jump;
            data.args.clear();
            data.targets = vec![call];
            changed = true;
        }
    }
    changed
}

/// Redirects edges to blocks that only jump.
fn skip_empty_blocks(func: &mut Function) -> bool {
    let entry = func.entry();
    // Parameters may be passed on but not used elsewhere: the block's edge is then the only user.
    let mut used_outside: EntitySet<Block> = EntitySet::new();
    for b in func.layout.clone() {
        for inst in &func.blocks[b].insts {
            let data = &func.insts[*inst];
            for v in data.operands() {
                if let crate::ir::ValueDef::Param(home, _) = func.values[*v].def
                    && home != b
                {
                    used_outside.insert(home);
                }
            }
        }
    }
    let mut forward: SecondaryMap<Block, Option<BlockCall>> = SecondaryMap::new();
    for &b in &func.layout {
        if let [only] = func.blocks[b].insts[..]
            && func.insts[only].op == Op::Jump
            && Some(b) != entry
            && func.insts[only].targets[0].block != b
            && !used_outside.contains(b)
        {
            forward[b] = Some(func.insts[only].targets[0].clone());
        }
    }
    let mut changed = false;
    for b in func.layout.clone() {
        let Some(t) = func.terminator(b) else { continue };
        let mut targets = std::mem::take(&mut func.insts[t].targets);
        for call in targets.iter_mut() {
            // Bounded: empty blocks may form a cycle.
            for _ in 0..16 {
                let Some(next) = &forward[call.block] else { break };
                if next.block == call.block {
                    break;
                }
                let params = &func.blocks[call.block].params;
                let map = |v: &Value| params.iter().position(|p| p == v).map_or(*v, |i| call.args[i]);
                let args = next.args.iter().map(map).collect();
                *call = BlockCall { block: next.block, args };
                changed = true;
            }
        }
        func.insts[t].targets = targets;
    }
    changed
}

/// Appends a block to its only predecessor, if that ends in a jump to it.
pub(crate) fn merge_chains(func: &mut Function, cfg: &Cfg) -> bool {
    let entry = func.entry();
    let mut map: FxHashMap<Value, Value> = FxHashMap::default();
    let mut gone: EntitySet<Block> = EntitySet::new();
    let mut changed = false;
    for &b in cfg.rpo() {
        if gone.contains(b) {
            continue;
        }
        while let Some(t) = func.terminator(b) {
            if func.insts[t].op != Op::Jump {
                break;
            }
            let next = func.insts[t].targets[0].block;
            if next == b || Some(next) == entry || cfg.preds(next).len() != 1 {
                break;
            }
            let call = func.insts[t].targets[0].clone();
            for (p, a) in func.blocks[next].params.iter().zip(&call.args) {
                let mut a = *a;
                while let Some(&n) = map.get(&a) {
                    a = n;
                }
                map.insert(*p, a);
            }
            func.blocks[next].params.clear();
            let mut insts = func.take_insts(next);
            let list = &mut func.blocks[b].insts;
            list.pop();
            list.append(&mut insts);
            gone.insert(next);
            changed = true;
        }
    }
    if changed {
        func.layout.retain(|b| !gone.contains(*b));
        func.replace_uses(&map);
    }
    changed
}

/// Whether an instruction may be speculated. Divisions and library functions cost too much; a lane number
/// that is out of range makes the behaviour undefined (SPIR-V), so it may depend on the branch.
fn may_speculate(func: &Function, inst: Inst) -> bool {
    let InstData { op, args, .. } = &func.insts[inst];
    let is_lane = |index: Value| {
        let lanes = u64::from(func.ty(args[0]).lanes());
        func.as_bits(index).is_some_and(|index| index < lanes)
    };
    match op {
        Op::ExtractDyn => is_lane(args[1]),
        Op::InsertDyn => is_lane(args[2]),
        Op::OpenCl(_) => false,
        Op::Bin(BinOp::Udiv | BinOp::Sdiv | BinOp::Urem | BinOp::Srem | BinOp::Fdiv | BinOp::Frem) => false,
        _ => op.is_pure(),
    }
}

/// Turns `if` and `if else` without side effects into selects.
fn hammocks(func: &mut Function, cfg: &Cfg) -> bool {
    let mut changed = false;
    let mut gone: EntitySet<Block> = EntitySet::new();
    // Inner branches first; changed neighbours wait for the next iteration.
    let order: Vec<Block> = cfg.rpo().iter().rev().copied().collect();
    for b in order {
        let Some(t) = func.terminator(b) else { continue };
        if gone.contains(b) || func.insts[t].op != Op::BrIf {
            continue;
        }
        let cond = func.insts[t].args[0];
        let targets = func.insts[t].targets.clone();
        // An arm: a block with this branch as its only predecessor, which can be speculated and ends in a
        // jump.
        let arm = |func: &Function, call: &BlockCall| -> Option<BlockCall> {
            let block = call.block;
            let insts = &func.blocks[block].insts;
            let (last, body) = insts.split_last()?;
            let fine = block != b
                && cfg.preds(block).len() == 1
                && func.blocks[block].params.is_empty()
                && func.insts[*last].op == Op::Jump
                && body.len() <= MAX_SPECULATED
                && body.iter().all(|i| may_speculate(func, *i));
            fine.then(|| func.insts[*last].targets[0].clone())
        };
        let (then, other) = (arm(func, &targets[0]), arm(func, &targets[1]));
        let (arms, end_then, end_other): (Vec<Block>, BlockCall, BlockCall) = match (then, other) {
            (Some(x), Some(y)) if x.block == y.block => (vec![targets[0].block, targets[1].block], x, y),
            (Some(x), _) if x.block == targets[1].block => (vec![targets[0].block], x, targets[1].clone()),
            (_, Some(y)) if y.block == targets[0].block => (vec![targets[1].block], targets[0].clone(), y),
            _ if targets[0].block == targets[1].block => (vec![], targets[0].clone(), targets[1].clone()),
            _ => continue,
        };
        let join = end_then.block;
        if join == b || arms.iter().any(|a| gone.contains(*a) || *a == join) {
            continue;
        }
        let differ = end_then.args.iter().zip(&end_other.args).filter(|(x, y)| x != y).count();
        let total: usize = arms.iter().map(|a| func.blocks[*a].insts.len() - 1).sum();
        let opaque = end_then.args.iter().any(|v| matches!(func.ty(*v), crate::ir::Type::Opaque(_)));
        if total + differ > MAX_SPECULATED || opaque {
            continue;
        }
        func.blocks[b].insts.pop();
        for a in &arms {
            let mut insts = func.take_insts(*a);
            insts.pop();
            func.blocks[b].insts.append(&mut insts);
            gone.insert(*a);
        }
        let line = func.insts[t].line;
        let mut args: SmallVec<[Value; 4]> = SmallVec::new();
        for (x, y) in end_then.args.iter().zip(&end_other.args) {
            if x == y {
                args.push(*x);
                continue;
            }
            let ty = func.ty(*x);
            let select = func.make_inst(Op::Select, &[cond, *x, *y], &[ty]);
            func.insts[select].line = line;
            func.blocks[b].insts.push(select);
            args.push(func.insts[select].results[0]);
        }
        let data = &mut func.insts[t];
        data.op = Op::Jump;
        data.args.clear();
        data.targets = vec![BlockCall { block: join, args }];
        func.blocks[b].insts.push(t);
        changed = true;
        debug_assert!(b.index() < func.blocks.len());
    }
    if changed {
        func.layout.retain(|b| !gone.contains(*b));
    }
    changed
}

/// Merges two branches with a common target, of which the second is reached only from the first.
///
/// `if (a) goto out; code; if (b) goto out;` computes both conditions and branches once. A loop then has one
/// exit less, which saves time in every iteration on devices that run work-items in lockstep.
fn shared_targets(func: &mut Function, cfg: &Cfg) -> bool {
    let loops = OnceCell::new();
    let loops = || loops.get_or_init(|| LoopForest::new(cfg, &DomTree::new(cfg)));
    let mut map: FxHashMap<Value, Value> = FxHashMap::default();
    let mut touched: EntitySet<Block> = EntitySet::new();
    let mut gone: Vec<Block> = Vec::new();
    let order: Vec<Block> = cfg.rpo().iter().rev().copied().collect();
    for first in order {
        let Some(t) = func.terminator(first).filter(|t| func.insts[*t].op == Op::BrIf) else { continue };
        // At most one pair among neighbours in an iteration: the graph is not updated.
        let pair = [0, 1].into_iter().find_map(|side| {
            let second = func.insts[t].targets[side].block;
            let out = func.insts[t].targets[1 - side].block;
            let (last, body) = func.blocks[second].insts.split_last()?;
            let branch = &func.insts[*last];
            let single =
                branch.op == Op::BrIf && cfg.preds(second).len() == 1 && second != first && second != out;
            let back = branch.targets.iter().position(|c| c.block == out).filter(|_| single)?;
            if body.len() > MAX_SHARED_EXIT {
                return None;
            }
            let leaves = loops().innermost(first).is_some_and(|l| !loops().contains(l, out));
            let limit = if leaves { MAX_SHARED_EXIT } else { MAX_SHARED };
            let other = branch.targets[1 - back].block;
            let fits = body.len() <= limit && body.iter().all(|i| may_speculate(func, *i));
            let plain =
                branch.targets[back].args.iter().all(|v| !matches!(func.ty(*v), crate::ir::Type::Opaque(_)));
            (fits && plain && other != out && other != second).then_some((side, second, back))
        });
        let Some((side, second, back)) = pair else { continue };
        if [first, second].iter().any(|b| touched.contains(*b)) {
            continue;
        }
        let (to_second, early) =
            (func.insts[t].targets[side].clone(), func.insts[t].targets[1 - side].clone());
        map.extend(func.blocks[second].params.iter().copied().zip(to_second.args.iter().copied()));
        func.blocks[second].params.clear();
        let mut body = func.take_insts(second);
        let Some(branch) = body.pop() else { continue };
        let (late, on) =
            (func.insts[branch].targets[back].clone(), func.insts[branch].targets[1 - back].clone());
        let (a, b, line) = (func.insts[t].args[0], func.insts[branch].args[0], func.insts[t].line);
        func.blocks[first].insts.pop();
        func.blocks[first].insts.append(&mut body);
        let emit = |func: &mut Function, op: Op, args: &[Value], ty| {
            let inst = func.make_inst(op, args, &[ty]);
            func.insts[inst].line = line;
            func.blocks[first].insts.push(inst);
            func.insts[inst].results[0]
        };
        // Both conditions in the form "branch to the common target".
        let not = Op::Un(crate::ir::UnOp::Not);
        let a = if side == 1 { a } else { emit(func, not.clone(), &[a], I1) };
        let b = if back == 0 { b } else { emit(func, not, &[b], I1) };
        let leaves = emit(func, Op::Bin(BinOp::Or), &[a, b], I1);
        // Differing arguments are selected after the branch, on the way out: not in every iteration of a
        // loop.
        let mut exit = early.clone();
        if early.args != late.args {
            let block = func.add_block();
            let mut args: SmallVec<[Value; 4]> = SmallVec::new();
            for (x, y) in early.args.iter().zip(&late.args) {
                if x == y {
                    args.push(*x);
                    continue;
                }
                let select = func.make_inst(Op::Select, &[a, *x, *y], &[func.ty(*x)]);
                func.insts[select].line = line;
                func.blocks[block].insts.push(select);
                args.push(func.insts[select].results[0]);
            }
            let jump = func.make_terminator(Op::Jump, &[], &[BlockCall { block: early.block, args }]);
            func.blocks[block].insts.push(jump);
            exit = BlockCall::new(block, &[]);
        }
        let data = &mut func.insts[t];
        data.args = SmallVec::from_slice(&[leaves]);
        data.targets = vec![exit, on];
        func.blocks[first].insts.push(t);
        touched.insert(first);
        touched.insert(second);
        gone.push(second);
    }
    func.layout.retain(|b| !gone.contains(b));
    func.replace_uses(&map);
    !gone.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, I32, IntCc, Linkage, Signature};

    /// `c ? x + 1 : x * 2` as a diamond with an empty block after it.
    #[test]
    fn diamond_becomes_a_selection() {
        let mut f =
            Function::new("f", Signature { params: vec![I32], results: vec![I32] }, Linkage::Internal);
        let b: Vec<Block> = (0..5).map(|_| f.add_block()).collect();
        let x = f.add_param(b[0], I32);
        let r = f.add_param(b[3], I32);
        let (one, two) = (f.i32(1), f.i32(2));
        let mut bu = Builder::new(&mut f, b[0]);
        let c = bu.icmp(IntCc::Slt, x, one);
        bu.brif(c, BlockCall::new(b[1], &[]), BlockCall::new(b[2], &[]));
        let mut bu = Builder::new(&mut f, b[1]);
        let p = bu.iadd(x, one);
        bu.jump(b[3], &[p]);
        let mut bu = Builder::new(&mut f, b[2]);
        let q = bu.imul(x, two);
        bu.jump(b[3], &[q]);
        Builder::new(&mut f, b[3]).jump(b[4], &[]);
        Builder::new(&mut f, b[4]).ret(&[r]);
        assert!(simplify(&mut f));
        assert_eq!(f.layout.len(), 1);
        assert_eq!(f.blocks[b[0]].insts.len(), 5);
        assert!(!simplify(&mut f));
    }

    /// `do { if (x * x < k) break; x += 1; } while (x != k); return x`, with one block for each condition.
    #[test]
    fn loop_exits_merge() {
        let mut f =
            Function::new("f", Signature { params: vec![I32, I32], results: vec![I32] }, Linkage::Internal);
        let b: Vec<Block> = (0..4).map(|_| f.add_block()).collect();
        let (start, k) = (f.add_param(b[0], I32), f.add_param(b[0], I32));
        let x = f.add_param(b[1], I32);
        let r = f.add_param(b[3], I32);
        let one = f.i32(1);
        Builder::new(&mut f, b[0]).jump(b[1], &[start]);
        let mut bu = Builder::new(&mut f, b[1]);
        let square = bu.imul(x, x);
        let low = bu.icmp(IntCc::Slt, square, k);
        bu.brif(low, BlockCall::new(b[3], &[x]), BlockCall::new(b[2], &[]));
        let mut bu = Builder::new(&mut f, b[2]);
        let next = bu.iadd(x, one);
        let more = bu.icmp(IntCc::Ne, next, k);
        bu.brif(more, BlockCall::new(b[1], &[next]), BlockCall::new(b[3], &[next]));
        Builder::new(&mut f, b[3]).ret(&[r]);
        assert!(simplify(&mut f));
        assert_eq!(f.layout.len(), 3);
        let t = f.terminator(b[1]).unwrap();
        assert_eq!(f.insts[t].targets[1], BlockCall::new(b[1], &[next]));
        let leaves = f.def_inst(f.insts[t].args[0]).unwrap();
        assert_eq!(f.insts[leaves].op, Op::Bin(BinOp::Or));
        // The result is selected after the loop.
        let exit = f.insts[t].targets[0].block;
        assert_ne!(exit, b[1]);
        let returned = f.insts[f.terminator(exit).unwrap()].args[0];
        let chosen = f.def_inst(returned).unwrap();
        assert_eq!(
            (f.insts[chosen].op.clone(), &f.insts[chosen].args[..]),
            (Op::Select, &[low, x, next][..])
        );
        let mut module = Module::default();
        let f = module.functions.push(f);
        crate::ir::verify::verify_function(&module, f).unwrap();
    }

    #[test]
    fn effects_stay_conditional() {
        let mut f = Function::new("f", Signature { params: vec![I32], results: vec![] }, Linkage::Internal);
        let b: Vec<Block> = (0..3).map(|_| f.add_block()).collect();
        let x = f.add_param(b[0], I32);
        let one = f.i32(1);
        let mut bu = Builder::new(&mut f, b[0]);
        let c = bu.icmp(IntCc::Slt, x, one);
        bu.brif(c, BlockCall::new(b[1], &[]), BlockCall::new(b[2], &[]));
        let fence = Op::Barrier {
            exec: crate::ir::Scope::WorkGroup,
            memory: crate::ir::Scope::WorkGroup,
            order: crate::ir::Ordering::AcqRel,
            spaces: Default::default(),
        };
        let mut bu = Builder::new(&mut f, b[1]);
        bu.inst(fence, &[], &[]);
        bu.jump(b[2], &[]);
        Builder::new(&mut f, b[2]).ret(&[]);
        assert!(!simplify(&mut f));
        assert_eq!(f.layout.len(), 3);
    }
}
