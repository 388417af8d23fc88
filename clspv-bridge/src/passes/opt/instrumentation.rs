//! Facts that instrumented code (for a device that checks memory accesses) must keep, and its inline policy.

use crate::analysis::Cfg;
use crate::error::Result;
use crate::ir::{Block, EntityRef, EntitySet, FuncRef, Function, Module, Op, Root, Slot, Type, Value};
use crate::passes::{Pass, PassContext};
use rustc_hash::{FxHashMap, FxHashSet};

/// The pass `mark_copies`: which loads belong to copies, in instrumented code.
pub struct MarkCopies;

impl Pass for MarkCopies {
    fn name(&self) -> &'static str {
        "mark_copies"
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        mark_copies(module, cx.is_instrumented());
        Ok(true)
    }
}

/// Marks loads that belong to a copy for instrumented code, and removes the marks otherwise.
fn mark_copies(module: &mut Module, instrumented: bool) {
    for data in module.functions.values_mut().flat_map(|f| f.insts.values_mut()) {
        match &mut data.op {
            Op::Memcpy { src, .. } => src.copied = instrumented,
            Op::Load(access) => access.copied &= instrumented,
            _ => {}
        }
    }
}

/// Size of a kernel in instructions, calls inlined, from which on large functions are not inlined.
const LARGE_KERNEL: usize = 10_000;
/// Size of a function in instructions, calls inlined, from which on it counts as large.
const LARGE_FUNCTION: usize = 150;
/// Most parameters of a non-inlined function.
const MAX_PARAMS: usize = 64;

/// Functions that must be inlined: they query the work-item, synchronise work-items, or have objects or too
/// many values as parameters. `order`: the reached functions, callees first.
pub(super) fn bound(module: &Module, order: &[FuncRef]) -> EntitySet<FuncRef> {
    let mut bound = EntitySet::new();
    for &f in order {
        let binds = |op: &Op| match op {
            Op::Call(c) => bound.contains(*c),
            Op::Barrier { .. }
            | Op::Group { .. }
            | Op::WorkItem { .. }
            | Op::Input { .. }
            | Op::Image { .. }
            | Op::PrintBuffer
            | Op::OpenCl(_)
            | Op::Clock(_)
            | Op::Runtime(_) => true,
            _ => false,
        };
        let func = &module.functions[f];
        let opaque = func.sig.params.iter().chain(&func.sig.results).any(|ty| matches!(ty, Type::Opaque(_)));
        if opaque || func.sig.params.len() > MAX_PARAMS || func.data_in_order().any(|data| binds(&data.op)) {
            bound.insert(f);
        }
    }
    bound
}

/// Returns the functions that are not inlined in unoptimised code: the large ones of large kernels, except
/// those that query the work-item or synchronise work-items. `order`: the reached functions, callees first.
pub fn non_inlined(module: &Module, order: &[FuncRef]) -> EntitySet<FuncRef> {
    let insts = |f: FuncRef| module.functions[f].data_in_order().map(|data| &data.op);
    // Sizes of the functions in instructions, inlined callees included.
    let sizes = |kept: &mut dyn FnMut(FuncRef, usize) -> bool| {
        let mut sizes = vec![0usize; module.functions.len()];
        for &f in order {
            let size = insts(f).fold(0usize, |n, op| match op {
                Op::Call(c) => n.saturating_add(sizes[c.index()]),
                _ => n + 1,
            });
            sizes[f.index()] = if kept(f, size) { 1 } else { size };
        }
        sizes
    };
    let mut kept = EntitySet::new();
    if sizes(&mut |_, _| false).into_iter().max() < Some(LARGE_KERNEL) {
        return kept;
    }
    let bound = bound(module, order);
    sizes(&mut |f, size| {
        let func = &module.functions[f];
        // Library code has no source lines.
        let keep =
            size >= LARGE_FUNCTION && func.kernel.is_none() && !func.is_built_in() && !bound.contains(f);
        if keep {
            kept.insert(f);
        }
        keep
    });
    kept
}

/// Returns the private variables that may be read before they are written. Variables whose address is used
/// other than by loads and stores are left out.
pub fn may_be_uninitialised(func: &Function) -> FxHashSet<Slot> {
    let mut slots: FxHashMap<Value, Slot> = FxHashMap::default();
    for data in func.data_in_order() {
        if let Op::SlotAddr(s) = data.op {
            slots.insert(data.results[0], s);
        }
    }
    let words = func.slots.len().div_ceil(64);
    let bit = |s: Slot| (s.index() / 64, 1u64 << (s.index() % 64));
    let cfg = Cfg::new(func);
    // Slots written on every path to the end of a block; `None` before it is known.
    let mut ends: FxHashMap<Block, Vec<u64>> = FxHashMap::default();
    let mut unset = FxHashSet::default();
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

    /// A function that adds and calls others.
    fn sum(
        module: &mut Module,
        adds: usize,
        op: Option<Op>,
        calls: &[(FuncRef, usize)],
        is_kernel: bool,
    ) -> FuncRef {
        let mut f =
            Function::new("f", Signature { params: vec![I32], results: vec![I32] }, Linkage::Internal);
        f.kernel = is_kernel.then_some(0);
        let b = f.add_block();
        let mut x = f.add_param(b, I32);
        let mut bu = Builder::new(&mut f, b);
        for _ in 0..adds {
            x = bu.value(Op::Bin(crate::ir::BinOp::Iadd), &[x, x], I32);
        }
        if let Some(op) = op {
            bu.value(op, &[], I32);
        }
        for (callee, times) in calls {
            for _ in 0..*times {
                x = bu.value(Op::Call(*callee), &[x], I32);
            }
        }
        bu.ret(&[x]);
        module.functions.push(f)
    }

    #[test]
    fn large_functions_of_large_kernels_stay_functions() {
        let chosen = |times: usize| {
            let mut m = Module::default();
            let id = Op::WorkItem { query: crate::ir::WorkItemQuery::GlobalId, dim: 0 };
            let small = sum(&mut m, 20, None, &[], false);
            let large = sum(&mut m, 200, None, &[(small, 2)], false);
            let queries = sum(&mut m, 200, Some(id), &[(large, 1)], false);
            let caller = sum(&mut m, 200, None, &[(queries, 1)], false);
            let grown = sum(&mut m, 20, None, &[(small, 10), (large, 1)], false);
            let kernel = sum(&mut m, 5, None, &[(caller, times), (grown, times)], true);
            let order = [small, large, queries, caller, grown, kernel];
            let kept = non_inlined(&m, &order);
            order.map(|f| kept.contains(f))
        };
        assert_eq!(chosen(1), [false; 6]);
        assert_eq!(chosen(20), [false, true, false, false, true, false]);
    }

    #[test]
    fn variables_set_on_one_way_only_may_be_unset() {
        let mut f =
            Function::new("f", Signature { params: vec![I1], results: vec![I32, I32] }, Linkage::Internal);
        let b: Vec<Block> = (0..3).map(|_| f.add_block()).collect();
        let c = f.add_param(b[0], I1);
        let (some, all) =
            (f.slots.push(SlotData { size: 4, align: 4 }), f.slots.push(SlotData { size: 4, align: 4 }));
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
        assert_eq!(may_be_uninitialised(&f), FxHashSet::from_iter([some]));
    }
}
