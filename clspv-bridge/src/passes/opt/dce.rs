//! Removes instructions and block parameters on which no side effect depends, cycles of parameters included.
//!
//! Mark and sweep: side effects and branch conditions are roots; an edge argument is live if its parameter
//! is.

use crate::error::Result;
use crate::ir::{Block, EntitySet, Function, Inst, Module, SecondaryMap, Value, ValueDef};
use crate::passes::{Pass, PassContext};
use smallvec::SmallVec;

/// The pass `dce`.
pub struct Dce;

impl Pass for Dce {
    fn name(&self) -> &'static str {
        "dce"
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for f in module.functions.values_mut() {
            changed |= remove_dead(f);
        }
        Ok(changed)
    }
}

/// Removes the dead code of one function; true if there was any.
pub(crate) fn remove_dead(func: &mut Function) -> bool {
    let changed = crate::passes::structure::ssa_repair::remove_unreachable(func);
    remove_dead_values(func) | changed
}

/// Like [`remove_dead`], but keeps unreachable blocks (structured control flow needs its merge blocks).
pub(crate) fn remove_dead_values(func: &mut Function) -> bool {
    let Some(entry) = func.entry() else { return false };
    let mut changed = false;
    let mut preds: SecondaryMap<Block, SmallVec<[Inst; 4]>> = SecondaryMap::new();
    let mut live_insts: EntitySet<Inst> = EntitySet::new();
    let mut live: EntitySet<Value> = EntitySet::new();
    let mut work: Vec<Value> = Vec::new();
    for &b in &func.layout {
        for &inst in &func.blocks[b].insts {
            let data = &func.insts[inst];
            if data.op.has_side_effects() {
                live_insts.insert(inst);
                work.extend_from_slice(&data.args);
            }
            for (n, call) in data.targets.iter().enumerate() {
                if !data.targets[..n].iter().any(|c| c.block == call.block) {
                    preds[call.block].push(inst);
                }
            }
        }
    }
    while let Some(v) = work.pop() {
        if !live.insert(v) {
            continue;
        }
        match func.values[v].def {
            ValueDef::Const(_) => {}
            ValueDef::Result(inst, _) => {
                if live_insts.insert(inst) {
                    work.extend_from_slice(&func.insts[inst].args);
                }
            }
            ValueDef::Param(b, i) => {
                for &t in &preds[b] {
                    let calls = func.insts[t].targets.iter().filter(|c| c.block == b);
                    work.extend(calls.filter_map(|c| c.args.get(i as usize).copied()));
                }
            }
        }
    }
    let mut has_dead_params = false;
    for &b in &func.layout {
        let data = &mut func.blocks[b];
        let before = data.insts.len();
        data.insts.retain(|i| live_insts.contains(*i));
        changed |= data.insts.len() != before;
        has_dead_params |= b != entry && data.params.iter().any(|p| !live.contains(*p));
    }
    if has_dead_params {
        remove_params(func, &live);
    }
    changed | has_dead_params
}

/// Removes the block parameters that are not live, and the arguments for them.
fn remove_params(func: &mut Function, live: &EntitySet<Value>) {
    let entry = func.entry();
    for b in func.layout.clone() {
        let Some(t) = func.terminator(b) else { continue };
        let mut targets = std::mem::take(&mut func.insts[t].targets);
        for call in targets.iter_mut().filter(|c| Some(c.block) != entry) {
            let params = &func.blocks[call.block].params;
            let mut n = 0;
            call.args.retain(|_| {
                n += 1;
                params.get(n - 1).is_none_or(|p| live.contains(*p))
            });
        }
        func.insts[t].targets = targets;
    }
    for b in func.layout.clone() {
        if Some(b) != entry && func.blocks[b].params.iter().any(|p| !live.contains(*p)) {
            let params = func.blocks[b].params.iter().copied().filter(|p| live.contains(*p)).collect();
            func.set_params(b, params);
        }
    }
}
