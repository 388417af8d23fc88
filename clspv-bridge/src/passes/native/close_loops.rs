//! Loop-closed SSA of structured functions: values that a loop defines and code after it uses become
//! parameters of the loop's merge block. So work-items that left the loop early keep theirs.

use crate::analysis::{Cfg, DomTree, LoopForest};
use crate::error::Result;
use crate::ir::*;
use crate::passes::{Pass, PassContext};
use rustc_hash::{FxHashMap, FxHashSet};

/// The pass `close_loops`.
pub struct CloseLoops;

impl Pass for CloseLoops {
    fn name(&self) -> &'static str {
        "close_loops"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        Ok(module.functions.values_mut().fold(false, |changed, func| close_loops(func) | changed))
    }
}

/// Closes the loops of a structured function; true if a value was used after its loop.
fn close_loops(func: &mut Function) -> bool {
    let mut changed = false;
    let (cfg, layout) = (Cfg::new(func), func.layout.clone());
    let dom = DomTree::new(&cfg);
    let forest = LoopForest::new(&cfg, &dom);
    let mut defined_in: FxHashMap<Value, Block> = FxHashMap::default();
    for &b in &layout {
        defined_in.extend(func.blocks[b].params.iter().map(|p| (*p, b)));
        defined_in
            .extend(func.blocks[b].insts.iter().flat_map(|i| func.insts[*i].results.iter().map(|r| (*r, b))));
    }
    for data in forest.loops().iter().rev() {
        let Some(Merge::Loop { merge, .. }) = func.blocks[data.header].merge else { continue };
        // The whole construct, including blocks that only lead out of the loop.
        let within = |b: &Block| dom.dominates(data.header, *b) && !dom.dominates(merge, *b);
        let inside: FxHashSet<Block> = layout.iter().copied().filter(within).collect();
        let mut used: Vec<Value> = Vec::new();
        for &b in layout.iter().filter(|b| !inside.contains(b)) {
            for &i in &func.blocks[b].insts {
                let d = &func.insts[i];
                for v in d.args.iter().chain(d.targets.iter().flat_map(|t| &t.args)) {
                    if defined_in.get(v).is_some_and(|p| inside.contains(p)) && !used.contains(v) {
                        used.push(*v);
                    }
                }
            }
        }
        changed |= !used.is_empty();
        for v in used {
            let ty = func.ty(v);
            let p = func.add_param(merge, ty);
            defined_in.insert(p, merge);
            for &b in &layout {
                for i in func.blocks[b].insts.clone() {
                    let d = &mut func.insts[i];
                    if !inside.contains(&b) {
                        for a in d.args.iter_mut().chain(d.targets.iter_mut().flat_map(|t| t.args.iter_mut()))
                        {
                            if *a == v {
                                *a = p;
                            }
                        }
                    }
                    for t in d.targets.iter_mut().filter(|t| t.block == merge) {
                        t.args.push(v);
                    }
                }
            }
        }
    }
    changed
}
