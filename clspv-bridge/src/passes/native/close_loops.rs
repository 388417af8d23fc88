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
        let mut headed: SecondaryMap<Block, Option<usize>> = SecondaryMap::new();
        for data in forest.loops() {
            if let Some(Merge::Loop { merge, .. }) = func.blocks[data.header].merge {
                headed[data.header] = Some(all.loops.len());
                all.loops.push((data.header, merge, None));
            }
        }
        // Dominators come first. A block is in the loops of its immediate one, except those that it ends.
        for &b in cfg.rpo() {
            let mut around = all.dom.idom(b).and_then(|up| all.innermost[up]);
            while let Some(index) = around.filter(|index| all.loops[*index].1 == b) {
                around = all.loops[index].2;
            }
            if let Some(index) = headed[b] {
                all.loops[index].2 = around;
            }
            all.innermost[b] = headed[b].or(around);
        }
        all
    }

    /// Whether a block is in a loop, or only leads out of it.
    fn contains(&self, index: usize, block: Block) -> bool {
        let (header, merge, _) = self.loops[index];
        self.dom.dominates(header, block) && !self.dom.dominates(merge, block)
    }

    /// The innermost loop in which each value is defined.
    fn definitions(&self, func: &Function) -> SecondaryMap<Value, Option<usize>> {
        let mut defined_in: SecondaryMap<Value, Option<usize>> = SecondaryMap::new();
        for &b in &func.layout {
            let results = func.blocks[b].insts.iter().flat_map(|i| &func.insts[*i].results);
            for v in func.blocks[b].params.iter().chain(results) {
                defined_in[*v] = self.innermost[b];
            }
        }
        defined_in
    }

    /// The loops around a definition that do not contain a block, the innermost first; `innermost` is that of
    /// the definition.
    fn left(&self, innermost: Option<usize>, block: Block) -> impl Iterator<Item = usize> + '_ {
        let is_left = move |index: &usize| !self.contains(*index, block);
        std::iter::successors(innermost, |index| self.loops[*index].2).take_while(is_left)
    }

    /// For each loop the values defined in it that are used outside, in the order of their first use.
    fn escaping(&self, func: &Function, defined_in: &SecondaryMap<Value, Option<usize>>) -> Vec<Vec<Value>> {
        let mut escaping: Vec<Vec<Value>> = vec![Vec::new(); self.loops.len()];
        let mut seen: FxHashSet<(usize, Value)> = FxHashSet::default();
        for &b in &func.layout {
            for v in func.blocks[b].insts.iter().flat_map(|i| func.insts[*i].operands().copied()) {
                for index in self.left(defined_in[v], b) {
                    if seen.insert((index, v)) {
                        escaping[index].push(v);
                    }
                }
            }
        }
        escaping
    }
}

/// Closes the loops of a structured function; true if a value was used after its loop.
fn close_loops(func: &mut Function) -> bool {
    let constructs = Constructs::new(func);
    let defined_in = constructs.definitions(func);
    let escaping = constructs.escaping(func, &defined_in);
    // The parameter that replaces a value in uses outside of a loop.
    let mut params: FxHashMap<(usize, Value), Value> = FxHashMap::default();
    // The replacement of a value after the inner loops, and the arguments of edges to merge blocks.
    let mut replaced: FxHashMap<Value, Value> = FxHashMap::default();
    let mut arguments: SecondaryMap<Block, Vec<Value>> = SecondaryMap::new();
    for (index, values) in escaping.iter().enumerate().rev() {
        let merge = constructs.loops[index].1;
        for v in values {
            let p = func.add_param(merge, func.ty(*v));
            params.insert((index, *v), p);
            arguments[merge].push(replaced.insert(*v, p).unwrap_or(*v));
        }
    }
    if params.is_empty() {
        return false;
    }
    for b in func.layout.clone() {
        for n in 0..func.blocks[b].insts.len() {
            let data = &mut func.insts[func.blocks[b].insts[n]];
            for a in data.operands_mut() {
                let outermost = constructs.left(defined_in[*a], b).last();
                *a = outermost.and_then(|index| params.get(&(index, *a)).copied()).unwrap_or(*a);
            }
            for t in &mut data.targets {
                t.args.extend(arguments[t.block].iter().copied());
            }
        }
    }
    true
}
