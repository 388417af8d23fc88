//! Edits that several passes make: splitting blocks, rewriting and removing instructions.

use super::*;
use std::collections::HashMap;

/// The fate of an instruction in [`rewrite_insts`].
pub enum Rewrite {
    Keep,
    /// Removed; it has no result, or none that is used.
    Remove,
    /// Removed; the value replaces its result.
    Replace(Value),
}

/// Visits all instructions in layout order; true if any was removed. `rewrite` may add instructions before
/// the current one, with its source line; results are replaced in the end, so operands are still the old
/// ones.
pub fn rewrite_insts(
    func: &mut Function,
    mut rewrite: impl FnMut(&mut Builder<'_>, Inst) -> Rewrite,
) -> bool {
    let mut replaced = HashMap::new();
    let mut changed = false;
    for block in func.layout.clone() {
        let insts = func.take_insts(block);
        let mut b = Builder::new(func, block);
        for inst in insts {
            b.line = b.func.insts[inst].line;
            match rewrite(&mut b, inst) {
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
    changed
}

/// Removes instructions without used results.
pub fn remove_dead_insts(func: &mut Function) {
    let mut uses = vec![0u32; func.value_count()];
    let count = |func: &Function, uses: &mut Vec<u32>, inst: Inst, up: bool| -> Vec<Value> {
        let data = &func.insts[inst];
        let mut zero = Vec::new();
        for &v in data.args.iter().chain(data.targets.iter().flat_map(|t| t.args.iter())) {
            let n = &mut uses[v.index()];
            *n = if up { *n + 1 } else { n.saturating_sub(1) };
            if *n == 0 {
                zero.push(v);
            }
        }
        zero
    };
    let layout = func.layout.clone();
    for &b in &layout {
        for &i in &func.blocks[b].insts {
            count(func, &mut uses, i, true);
        }
    }
    let dead = |func: &Function, uses: &[u32], i: Inst| {
        let d = &func.insts[i];
        !d.op.has_side_effects() && d.results.iter().all(|r| uses[r.index()] == 0)
    };
    let mut gone = EntitySet::<Inst>::new();
    let mut work: Vec<Inst> = layout
        .iter()
        .flat_map(|&b| func.blocks[b].insts.iter().copied())
        .filter(|&i| dead(func, &uses, i))
        .collect();
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
    for &b in &layout {
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
