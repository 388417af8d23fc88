//! Restores "definitions dominate uses" after changes of the control-flow graph.
//!
//! A value that no longer dominates one of its uses gets block parameters at the iterated dominance frontier
//! of its definition; on paths that bypass the definition it is undefined. Only the values in question and
//! the blocks where they are live are visited.

use crate::analysis::domtree::Positions;
use crate::analysis::{Cfg, DomTree, Joins};
use crate::error::Result;
use crate::ir::{Block, EntityRef, Function, Inst, Module, SecondaryMap, Value, ValueDef};
use crate::passes::{Pass, PassContext};
use rustc_hash::FxHashMap;

/// A block with a new parameter, and the argument for it from each predecessor.
type NewParam = (Block, Vec<(Block, Value)>);

/// The pass `ssa_repair`.
pub struct SsaRepair;

impl Pass for SsaRepair {
    fn name(&self) -> &'static str {
        "ssa_repair"
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for f in module.functions.values_mut() {
            changed |= repair(f);
        }
        Ok(changed)
    }
}

/// A use: instruction, target number (`usize::MAX` for a plain argument) and argument number.
type Use = (Inst, usize, usize);

/// A value with its uses that it does not dominate, and their blocks.
type BrokenUses = (Value, Vec<(Block, Use)>);

/// Repairs one function; true if a parameter or undefined value was needed.
pub fn repair(func: &mut Function) -> bool {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let pos = Positions::new(func);
    let broken = broken_uses(func, &cfg, &dom, &pos);
    if broken.is_empty() {
        return false;
    }
    let mut joins = Joins::new(&cfg, &dom);
    // Arguments are added at the end, as the edges of `func` are still those of `cfg` and `broken`.
    let mut new_params: Vec<NewParam> = Vec::new();
    let mut reach: SecondaryMap<Block, Option<Value>> = SecondaryMap::new();
    for (value, uses) in broken {
        let def = match func.values[value].def {
            ValueDef::Result(inst, _) => pos.block(inst),
            ValueDef::Param(b, _) => Some(b),
            ValueDef::Const(_) => continue,
        };
        let ty = func.ty(value);
        let undef = func.undef(ty);
        let Some(def) = def.filter(|b| cfg.is_reachable(*b)) else {
            for (_, u) in uses {
                set_use(func, u, undef);
            }
            continue;
        };
        let reads: Vec<Block> = uses.iter().map(|(b, _)| *b).collect();
        let blocks = joins.of(&[def], &reads);
        let params = blocks.iter().map(|&b| (b, func.add_param(b, ty))).collect();
        let mut reaching =
            Reaching { dom: &dom, def, value, undef, params, reach: &mut reach, touched: Vec::new() };
        for (b, u) in uses {
            let v = if b == def { reaching.at_start(b) } else { reaching.at_end(b) };
            set_use(func, u, v);
        }
        for b in blocks {
            let args = cfg.preds(b).iter().map(|&p| (p, reaching.at_end(p))).collect();
            new_params.push((b, args));
        }
        reaching.forget();
    }
    for (block, args) in new_params {
        add_args(func, block, args);
    }
    true
}

/// The uses that are not dominated by their definition, by value in order of discovery.
fn broken_uses(func: &Function, cfg: &Cfg, dom: &DomTree, pos: &Positions) -> Vec<BrokenUses> {
    let mut broken: Vec<BrokenUses> = Vec::new();
    let mut index: FxHashMap<Value, usize> = FxHashMap::default();
    for &b in cfg.rpo() {
        for &inst in &func.blocks[b].insts {
            let data = &func.insts[inst];
            let plain = data.args.iter().enumerate().map(|(i, v)| (*v, (inst, usize::MAX, i)));
            let edges = data.targets.iter().enumerate();
            let edge = edges
                .flat_map(|(t, call)| call.args.iter().enumerate().map(move |(i, v)| (*v, (inst, t, i))));
            for (v, u) in plain.chain(edge) {
                if !pos.value_dominates(func, dom, v, inst) {
                    let i = *index.entry(v).or_insert_with(|| {
                        broken.push((v, Vec::new()));
                        broken.len() - 1
                    });
                    broken[i].1.push((b, u));
                }
            }
        }
    }
    broken
}

/// Finds what a value has become at the end of a block, by walking up the dominator tree.
struct Reaching<'a> {
    dom: &'a DomTree,
    /// The definition's block, the value and what it is where the definition was bypassed.
    def: Block,
    value: Value,
    undef: Value,
    /// The value's new parameters.
    params: FxHashMap<Block, Value>,
    /// Known answers, of the blocks in `touched`.
    reach: &'a mut SecondaryMap<Block, Option<Value>>,
    touched: Vec<Block>,
}

impl Reaching<'_> {
    fn at_end(&mut self, b: Block) -> Value {
        let mut path = Vec::new();
        let mut at = b;
        let found = loop {
            if let Some(v) = self.reach[at] {
                break v;
            }
            path.push(at);
            if at == self.def {
                break self.value;
            }
            if let Some(&p) = self.params.get(&at) {
                break p;
            }
            match self.dom.idom(at) {
                Some(up) => at = up,
                None => break self.undef,
            }
        };
        for p in path {
            self.reach[p] = Some(found);
            self.touched.push(p);
        }
        found
    }

    /// At the start of the definition's block: its uses there that are not dominated precede the definition.
    fn at_start(&mut self, b: Block) -> Value {
        match self.params.get(&b) {
            Some(&p) => p,
            None => self.dom.idom(b).map_or(self.undef, |up| self.at_end(up)),
        }
    }

    /// Clears the table for the next value.
    fn forget(self) {
        for b in self.touched {
            self.reach[b] = None;
        }
    }
}

/// Adds an argument to all edges from each of these blocks to `block`.
fn add_args(func: &mut Function, block: Block, args: Vec<(Block, Value)>) {
    let mut done: Vec<Block> = Vec::new();
    for (pred, v) in args {
        if done.contains(&pred) {
            continue;
        }
        done.push(pred);
        let Some(t) = func.terminator(pred) else { continue };
        for call in func.insts[t].targets.iter_mut().filter(|c| c.block == block) {
            call.args.push(v);
        }
    }
}

fn set_use(func: &mut Function, (inst, target, arg): Use, v: Value) {
    let data = &mut func.insts[inst];
    if target == usize::MAX {
        data.args[arg] = v;
    } else {
        data.targets[target].args[arg] = v;
    }
}

/// Removes block parameters that receive the same value from every predecessor; true if there were any.
pub fn remove_trivial_params(func: &mut Function) -> bool {
    let cfg = Cfg::new(func);
    let entry = func.entry();
    let mut map: FxHashMap<Value, Value> = FxHashMap::default();
    let resolve = |map: &FxHashMap<Value, Value>, mut v: Value| {
        while let Some(&n) = map.get(&v) {
            v = n;
        }
        v
    };
    // For each block: the parameters to remove.
    let mut gone: SecondaryMap<Block, Vec<bool>> = SecondaryMap::new();
    let mut any = false;
    loop {
        let mut changed = false;
        for &b in cfg.rpo() {
            let n = func.blocks[b].params.len();
            if n == 0 || Some(b) == entry {
                continue;
            }
            for i in 0..n {
                if gone[b].get(i) == Some(&true) {
                    continue;
                }
                let param = func.blocks[b].params[i];
                let mut same: Option<Value> = None;
                let mut trivial = true;
                'preds: for &p in cfg.preds(b) {
                    for call in func.successors(p).iter().filter(|c| c.block == b) {
                        let v = resolve(&map, call.args[i]);
                        if v == param || same == Some(v) {
                            continue;
                        }
                        if same.is_some() {
                            trivial = false;
                            break 'preds;
                        }
                        same = Some(v);
                    }
                }
                if let (true, Some(v)) = (trivial, same) {
                    map.insert(param, v);
                    gone[b].resize(n, false);
                    gone[b][i] = true;
                    changed = true;
                }
            }
        }
        any |= changed;
        if !changed {
            break;
        }
    }
    if !any {
        return false;
    }
    // Shorten chains so that following them stays linear.
    let keys: Vec<Value> = map.keys().copied().collect();
    for k in keys {
        let v = resolve(&map, k);
        map.insert(k, v);
    }
    for b in func.layout.clone() {
        if gone[b].iter().any(|g| *g) {
            let params = func.blocks[b]
                .params
                .iter()
                .enumerate()
                .filter(|(i, _)| !gone[b][*i])
                .map(|(_, p)| *p)
                .collect();
            func.set_params(b, params);
        }
        if let Some(t) = func.terminator(b) {
            for call in func.insts[t].targets.iter_mut() {
                let dead = &gone[call.block];
                if dead.iter().any(|g| *g) {
                    let mut i = 0;
                    call.args.retain(|_| {
                        i += 1;
                        !dead[i - 1]
                    });
                }
            }
        }
    }
    func.replace_uses(&map);
    true
}

/// Removes blocks that are unreachable from the entry from the layout; true if there were any.
pub fn remove_unreachable(func: &mut Function) -> bool {
    let cfg = Cfg::new(func);
    let before = func.layout.len();
    for b in func.layout.clone() {
        if !cfg.is_reachable(b) {
            func.blocks[b].insts.clear();
        }
    }
    func.layout.retain(|b| cfg.is_reachable(*b));
    debug_assert!(
        func.blocks.len() <= u32::MAX as usize && func.layout.iter().all(|b| b.index() < func.blocks.len())
    );
    func.layout.len() != before
}
