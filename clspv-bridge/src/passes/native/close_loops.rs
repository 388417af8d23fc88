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

/// The loops of a structured function.
struct Constructs {
    dom: DomTree,
    /// Header and merge block of each loop, outer loops first, and its innermost surrounding loop.
    loops: Vec<(Block, Block, Option<usize>)>,
    /// The innermost loop of a block.
    innermost: SecondaryMap<Block, Option<usize>>,
}

impl Constructs {
    fn new(func: &Function) -> Constructs {
        let cfg = Cfg::new(func);
        let dom = DomTree::new(&cfg);
        let forest = LoopForest::new(&cfg, &dom);
        let mut all = Constructs { dom, loops: Vec::new(), innermost: SecondaryMap::new() };
        for data in forest.loops() {
            let Some(Merge::Loop { merge, .. }) = func.blocks[data.header].merge else { continue };
            let index = all.loops.len();
            all.loops.push((data.header, merge, all.innermost[data.header]));
            for &b in func.layout.iter().filter(|b| all.dom.dominates(data.header, **b)) {
                if all.contains(index, b) {
                    all.innermost[b] = Some(index);
                }
            }
        }
        all
    }

    /// Whether a block is in a loop, or only leads out of it.
    fn contains(&self, index: usize, block: Block) -> bool {
        let (header, merge, _) = self.loops[index];
        self.dom.dominates(header, block) && !self.dom.dominates(merge, block)
    }

    /// For each loop the values defined in it that are used outside, in the order of their first use.
    fn escaping(&self, func: &Function) -> Vec<Vec<Value>> {
        let mut defined_in: SecondaryMap<Value, Option<usize>> = SecondaryMap::new();
        for &b in &func.layout {
            let results = func.blocks[b].insts.iter().flat_map(|i| &func.insts[*i].results);
            for v in func.blocks[b].params.iter().chain(results) {
                defined_in[*v] = self.innermost[b];
            }
        }
        let mut escaping: Vec<Vec<Value>> = vec![Vec::new(); self.loops.len()];
        let mut seen: FxHashSet<(usize, Value)> = FxHashSet::default();
        for &b in &func.layout {
            for v in func.blocks[b].insts.iter().flat_map(|i| func.insts[*i].operands().copied()) {
                let mut next = defined_in[v];
                while let Some(index) = next.filter(|index| !self.contains(*index, b)) {
                    if seen.insert((index, v)) {
                        escaping[index].push(v);
                    }
                    next = self.loops[index].2;
                }
            }
        }
        escaping
    }
}

/// Closes the loops of a structured function; true if a value was used after its loop.
fn close_loops(func: &mut Function) -> bool {
    let constructs = Constructs::new(func);
    let escaping = constructs.escaping(func);
    // The parameter that uses after the inner loops have instead of a value.
    let mut replaced: FxHashMap<Value, Value> = FxHashMap::default();
    for (index, values) in escaping.iter().enumerate().rev().filter(|(_, values)| !values.is_empty()) {
        let merge = constructs.loops[index].1;
        let mut params: FxHashMap<Value, Value> = FxHashMap::default();
        let values: Vec<Value> = values.iter().map(|v| replaced.get(v).copied().unwrap_or(*v)).collect();
        for v in &values {
            let p = func.add_param(merge, func.ty(*v));
            params.insert(*v, p);
        }
        for (original, v) in escaping[index].iter().zip(&values) {
            replaced.insert(*original, params[v]);
        }
        for b in func.layout.clone() {
            let is_outside = !constructs.contains(index, b);
            for n in 0..func.blocks[b].insts.len() {
                let data = &mut func.insts[func.blocks[b].insts[n]];
                if is_outside {
                    for a in data.operands_mut() {
                        *a = params.get(a).copied().unwrap_or(*a);
                    }
                }
                for t in data.targets.iter_mut().filter(|t| t.block == merge) {
                    t.args.extend(values.iter().copied());
                }
            }
        }
    }
    escaping.iter().any(|values| !values.is_empty())
}
