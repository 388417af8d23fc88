//! What code for a device that checks memory accesses must keep.

use crate::analysis::Cfg;
use crate::ir::{Block, EntityRef, Function, Module, Op, Root, Slot, Value};
use std::collections::{HashMap, HashSet};

/// Tells loads that are halves of copies from others, or forgets which they are where nobody asks.
pub fn mark_copies(module: &mut Module, checked: bool) {
    for data in module.functions.values_mut().flat_map(|f| f.insts.values_mut()) {
        match &mut data.op {
            Op::Memcpy { src, .. } => src.copied = checked,
            Op::Load(access) => access.copied &= checked,
            _ => {}
        }
    }
}

/// Private variables that may be read before they are written: those whose address goes elsewhere than to loads and stores are
/// not looked at.
pub fn read_unset(func: &Function) -> HashSet<Slot> {
    let mut slots: HashMap<Value, Slot> = HashMap::new();
    for inst in func.layout.iter().flat_map(|b| &func.blocks[*b].insts) {
        if let Op::SlotAddr(s) = func.insts[*inst].op {
            slots.insert(func.insts[*inst].results[0], s);
        }
    }
    let words = func.slots.len().div_ceil(64);
    let bit = |s: Slot| (s.index() / 64, 1u64 << (s.index() % 64));
    let cfg = Cfg::new(func);
    // Slots that are written on every way to the end of a block; `None` before it is known.
    let mut ends: HashMap<Block, Vec<u64>> = HashMap::new();
    let mut unset = HashSet::new();
    loop {
        let mut changed = false;
        unset.clear();
        for &b in cfg.rpo() {
            let mut set: Option<Vec<u64>> = (func.entry() == Some(b)).then(|| vec![0; words]);
            for p in cfg.preds(b) {
                if let Some(end) = ends.get(p) {
                    match &mut set {
                        Some(set) => set.iter_mut().zip(end).for_each(|(a, b)| *a &= b),
                        None => set = Some(end.clone()),
                    }
                }
            }
            let mut set = set.unwrap_or_else(|| vec![0; words]);
            for inst in &func.blocks[b].insts {
                let data = &func.insts[*inst];
                let at = match &data.op {
                    Op::Load(a) if a.root == Root::Ptr => 0,
                    Op::Store(a) if a.root == Root::Ptr => 1,
                    _ => continue,
                };
                let Some(slot) = slots.get(&data.args[at]) else { continue };
                let (word, bit) = bit(*slot);
                if at == 1 {
                    set[word] |= bit;
                } else if set[word] & bit == 0 {
                    unset.insert(*slot);
                }
            }
            if ends.get(&b) != Some(&set) {
                ends.insert(b, set);
                changed = true;
            }
        }
        if !changed {
            return unset;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Access, BlockCall, Builder, I1, I32, Linkage, Signature, SlotData};

    #[test]
    fn variables_set_on_one_way_only_may_be_unset() {
        let mut f = Function::new("f", Signature { params: vec![I1], results: vec![I32, I32] }, Linkage::Internal);
        let b: Vec<Block> = (0..3).map(|_| f.add_block()).collect();
        let c = f.add_param(b[0], I1);
        let (some, all) = (f.slots.push(SlotData { size: 4, align: 4 }), f.slots.push(SlotData { size: 4, align: 4 }));
        let (a, one) = (Access::aligned(4), f.i32(1));
        let mut bu = Builder::new(&mut f, b[0]);
        let (x, y) = (bu.slot_addr(some), bu.slot_addr(all));
        bu.store(one, y, a);
        bu.brif(c, BlockCall::new(b[1], &[]), BlockCall::new(b[2], &[]));
        let mut bu = Builder::new(&mut f, b[1]);
        bu.store(one, x, a);
        bu.jump(b[2], &[]);
        let mut bu = Builder::new(&mut f, b[2]);
        let (v, w) = (bu.load(I32, x, a), bu.load(I32, y, a));
        bu.ret(&[v, w]);
        assert_eq!(read_unset(&f), HashSet::from([some]));
    }
}
