//! Edits that several passes make: splitting blocks, rewriting and removing instructions.

use super::*;
use crate::error::Result;
use rustc_hash::FxHashMap;
use std::convert::Infallible;

/// The fate of an instruction in [`rewrite_insts`].
pub enum Rewrite {
    Keep,
    /// Removed; it has no result, or none that is used.
    Remove,
    /// Removed; the value replaces its result.
    Replace(Value),
}

impl From<Option<Value>> for Rewrite {
    /// [`Rewrite::Replace`] by the value; without one, [`Rewrite::Remove`].
    fn from(value: Option<Value>) -> Rewrite {
        value.map_or(Rewrite::Remove, Rewrite::Replace)
    }
}

/// Visits all instructions in layout order; true if any was removed.
///
/// `rewrite` may add instructions before the current one, with its source line. After [`split_after`] it sets
/// the builder's block to where the rest goes. Results are replaced in the end, so operands are still the old
/// ones.
pub fn rewrite_insts(func: &mut Function, rewrite: impl FnMut(&mut Builder<'_>, Inst) -> Rewrite) -> bool {
    let layout = func.layout.clone();
    rewrite_blocks(func, &layout, rewrite)
}

/// Like [`rewrite_insts`], but `rewrite` may fail. Then the function is not valid any more.
pub fn try_rewrite_insts(
    func: &mut Function,
    rewrite: impl FnMut(&mut Builder<'_>, Inst) -> Result<Rewrite>,
) -> Result<bool> {
    let layout = func.layout.clone();
    try_rewrite_blocks(func, &layout, rewrite)
}

/// Like [`rewrite_insts`], for the instructions of these blocks in this order.
pub fn rewrite_blocks(
    func: &mut Function,
    blocks: &[Block],
    mut rewrite: impl FnMut(&mut Builder<'_>, Inst) -> Rewrite,
) -> bool {
    let Ok(changed) = rewrite_each(func, blocks, |b, inst| Ok::<_, Infallible>(rewrite(b, inst)));
    changed
}

/// Like [`try_rewrite_insts`], for the instructions of these blocks in this order.
pub fn try_rewrite_blocks(
    func: &mut Function,
    blocks: &[Block],
    rewrite: impl FnMut(&mut Builder<'_>, Inst) -> Result<Rewrite>,
) -> Result<bool> {
    rewrite_each(func, blocks, rewrite)
}

fn rewrite_each<E>(
    func: &mut Function,
    blocks: &[Block],
    mut rewrite: impl FnMut(&mut Builder<'_>, Inst) -> std::result::Result<Rewrite, E>,
) -> std::result::Result<bool, E> {
    let mut replaced = FxHashMap::default();
    let mut changed = false;
    for &block in blocks {
        let insts = func.take_insts(block);
        let mut b = Builder::new(func, block);
        for inst in insts {
            b.line = b.func.insts[inst].line;
            match rewrite(&mut b, inst)? {
                Rewrite::Keep => b.push(inst),
                Rewrite::Remove => changed = true,
                Rewrite::Replace(value) => {
                    changed = true;
                    if let Some(&result) = b.func.insts[inst].results.first() {
                        replaced.insert(result, value);
                    }
                }
            }
        }
    }
    func.replace_uses(&replaced);
    Ok(changed)
}

/// Removes instructions without used results.
pub fn remove_dead_insts(func: &mut Function) {
    let mut uses = vec![0u32; func.value_count()];
    let count = |func: &Function, uses: &mut Vec<u32>, inst: Inst, up: bool| -> Vec<Value> {
        let data = &func.insts[inst];
        let mut zero = Vec::new();
        for &v in data.operands() {
            let n = &mut uses[v.index()];
            *n = if up { *n + 1 } else { n.saturating_sub(1) };
            if *n == 0 {
                zero.push(v);
            }
        }
        zero
    };
    for inst in func.insts_in_order() {
        count(func, &mut uses, inst, true);
    }
    let dead = |func: &Function, uses: &[u32], i: Inst| {
        let d = &func.insts[i];
        !d.op.has_side_effects() && d.results.iter().all(|r| uses[r.index()] == 0)
    };
    let mut gone = EntitySet::<Inst>::new();
    let mut work: Vec<Inst> = func.insts_in_order().filter(|&i| dead(func, &uses, i)).collect();
    while let Some(inst) = work.pop() {
        if !gone.insert(inst) {
            continue;
        }
        for v in count(func, &mut uses, inst, false) {
            if let Some(def) = func.def_inst(v)
                && dead(func, &uses, def)
            {
                work.push(def);
            }
        }
    }
    for &b in &func.layout {
        func.blocks[b].insts.retain(|&i| !gone.contains(i));
    }
}

/// Splits `block` here: later instructions go into a fresh block after it in the layout, which is returned.
/// The old block has no terminator yet.
pub fn split_after(func: &mut Function, block: Block) -> Block {
    let fresh = func.new_block_detached();
    let at = func.layout.iter().position(|&b| b == block).map_or(func.layout.len(), |p| p + 1);
    func.layout.insert(at, fresh);
    fresh
}

/// Appends copies of a block's parameters and instructions to another block, and adds what each value has
/// become to `values`. Operands and edges are still the old ones.
pub fn copy_contents(func: &mut Function, from: Block, to: Block, values: &mut FxHashMap<Value, Value>) {
    for param in func.blocks[from].params.clone() {
        let ty = func.ty(param);
        values.insert(param, func.add_param(to, ty));
    }
    for inst in func.blocks[from].insts.clone() {
        let copy = func.copy_inst(inst);
        let results = func.insts[inst].results.iter().zip(&func.insts[copy].results);
        values.extend(results.map(|(old, new)| (*old, *new)));
        func.blocks[to].insts.push(copy);
    }
}

impl Function {
    /// A copy without the blocks, instructions, values and slots that passes have left behind.
    pub fn compacted(&self) -> Function {
        let mut copy = Function::new(&self.name, self.sig.clone(), self.linkage);
        (copy.kernel, copy.extent, copy.frame) = (self.kernel, self.extent, self.frame);
        copy.vars = self.vars.clone();
        let mut values: FxHashMap<Value, Value> = FxHashMap::default();
        let mut blocks: FxHashMap<Block, Block> = FxHashMap::default();
        let mut slots: FxHashMap<Slot, Slot> = FxHashMap::default();
        for &b in &self.layout {
            let new = copy.add_block();
            blocks.insert(b, new);
            values.extend(self.blocks[b].params.iter().map(|p| (*p, copy.add_param(new, self.ty(*p)))));
            for &inst in &self.blocks[b].insts {
                let data = &self.insts[inst];
                let mut op = data.op.clone();
                if let Op::SlotAddr(slot) = &mut op {
                    let size = &self.slots[*slot];
                    *slot = *slots.entry(*slot).or_insert_with(|| copy.slots.push(size.clone()));
                }
                let types: Vec<Type> = data.results.iter().map(|r| self.ty(*r)).collect();
                let new_inst = copy.make_inst(op, &[], &types);
                (copy.insts[new_inst].fast, copy.insts[new_inst].line) = (data.fast, data.line);
                values.extend(data.results.iter().copied().zip(copy.insts[new_inst].results.clone()));
                copy.blocks[new].insts.push(new_inst);
            }
        }
        // A use may stand before the definition in the layout.
        for (old, new) in self.insts_in_order().zip(copy.insts_in_order().collect::<Vec<_>>()) {
            let mut operand = |v: &Value| match self.as_const(*v) {
                Some(constant) => copy.constant(constant.clone()),
                None => values.get(v).copied().unwrap_or(*v),
            };
            let data = &self.insts[old];
            let args = data.args.iter().map(&mut operand).collect();
            let targets = data
                .targets
                .iter()
                .map(|t| BlockCall {
                    block: blocks.get(&t.block).copied().unwrap_or(t.block),
                    args: t.args.iter().map(&mut operand).collect(),
                })
                .collect();
            (copy.insts[new].args, copy.insts[new].targets) = (args, targets);
        }
        copy
    }
}
