//! Loops that may wait for other work-items.

use super::dependents::{Dependents, branch_depends};
use super::{Cfg, DomTree, LoopForest};
use crate::ir::*;
use rustc_hash::FxHashSet;

/// Whether a loop may end by what other work-items write: whether it is left depends on the result of an
/// atomic operation or on volatile memory that is read in it. Work-items of different groups may wait for
/// each other so, such as for a lock, as long as a few groups are resident; those of one vector may not,
/// where the vector executes all its work-items until the last one leaves the loop.
pub fn may_wait(func: &Function) -> bool {
    if !func.data_in_order().any(reads_shared) {
        return false;
    }
    let cfg = Cfg::new(func);
    let forest = LoopForest::new(&cfg, &DomTree::new(&cfg));
    let (read, loops) = shared_reads(func, &forest);
    let exits = exits(func, &forest, &loops);
    if exits.is_empty() {
        return false;
    }
    let is_read = |data: &InstData| data.results.iter().any(|v| read.contains(*v));
    let mut found = dependents(func, is_read);
    if stores_own(func, &found) {
        found = dependents(func, |data| is_read(data) || loads_own(func, data));
    }
    exits.iter().any(|block| branch_depends(func, *block, &found.values))
}

/// The values that loops read from memory which other work-items may write meanwhile, and the loops.
fn shared_reads(func: &Function, forest: &LoopForest) -> (EntitySet<Value>, FxHashSet<usize>) {
    let mut read = EntitySet::new();
    let mut loops: FxHashSet<usize> = FxHashSet::default();
    for block in func.layout.iter().filter(|block| forest.innermost(**block).is_some()) {
        for data in func.blocks[*block].insts.iter().map(|inst| &func.insts[*inst]) {
            if reads_shared(data) {
                data.results.iter().for_each(|v| _ = read.insert(*v));
                loops.extend(forest.around(*block));
            }
        }
    }
    (read, loops)
}

/// The blocks that may leave one of the loops.
fn exits(func: &Function, forest: &LoopForest, loops: &FxHashSet<usize>) -> Vec<Block> {
    let leaves = |block: &Block, l: usize| {
        loops.contains(&l) && func.successors(*block).iter().any(|t| !forest.contains(l, t.block))
    };
    func.layout.iter().copied().filter(|block| forest.around(*block).any(|l| leaves(block, l))).collect()
}

/// The values and blocks that depend on the results of the sources.
fn dependents(func: &Function, is_source: impl Fn(&InstData) -> bool) -> Dependents {
    Dependents::of(func, &FxHashSet::default(), |data, values| {
        is_source(data) || data.args.iter().any(|v| values.contains(*v))
    })
}

/// Whether the instruction reads memory that other work-items may write meanwhile.
fn reads_shared(data: &InstData) -> bool {
    match &data.op {
        Op::AtomicRmw { .. } | Op::AtomicCas { .. } | Op::AtomicLoad { .. } => true,
        Op::Load(access) => access.volatile,
        _ => false,
    }
}

/// Whether the contents of private or local memory depend on the values: one is stored, or whether something
/// is stored depends on one.
fn stores_own(func: &Function, found: &Dependents) -> bool {
    func.layout.iter().any(|block| {
        let mut insts = func.blocks[*block].insts.iter().map(|inst| &func.insts[*inst]);
        insts.any(|data| {
            let depends = found.blocks.contains(block) || data.args.iter().any(|v| found.values.contains(*v));
            depends && writes_own(func, data)
        })
    })
}

fn writes_own(func: &Function, data: &InstData) -> bool {
    match &data.op {
        Op::Store(access) | Op::AtomicStore { access, .. } => is_own(func, access, data.args.get(1)),
        Op::Memset(access) | Op::Memcpy { dst: access, .. } => is_own(func, access, data.args.first()),
        Op::Call(_) => true,
        op @ Op::OpenCl(_) => op.has_side_effects(),
        _ => false,
    }
}

fn loads_own(func: &Function, data: &InstData) -> bool {
    matches!(&data.op, Op::Load(access) if is_own(func, access, data.args.first()))
}

/// Whether the memory at an address may be private or local.
fn is_own(func: &Function, access: &Access, address: Option<&Value>) -> bool {
    match access.root {
        Root::Ptr => {
            let space = address.and_then(|v| func.ty(*v).space());
            !matches!(space, Some(Space::Global | Space::Constant))
        }
        Root::Addr => false,
        Root::Var(var) => !matches!(func.vars[var].class, VarClass::Buffer { .. } | VarClass::Image { .. }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a kernel may wait that executes a line in each iteration of a loop, whose block parameter
    /// `v5` is 0 at first and later `v6`, and which ends when `on` is 0.
    fn waits(line: &str, on: &str) -> bool {
        let text = format!(
            "phase inlined
func @k(ptr.global) {{
    ss0 = slot 4 align 4
block0(v0: ptr.global):
    v1 = load.i32 v0 align 4
    v2 = slot_addr ss0
    br block1(i32 0)
block1(v5: i32):
    v3 = iadd v5, i32 1
    {line}
    v8 = icmp eq {on}, i32 0
    brif v8, block1(v3), block2
block2:
    v7 = atomic_rmw add device relaxed v0, i32 1 align 4
    store v7, v0 align 4
    ret
}}
"
        );
        may_wait(parse::parse_module(&text).unwrap().functions.values().next().unwrap())
    }

    const ATOMIC: &str = "v9 = atomic_rmw add device relaxed v0, i32 1 align 4";
    const VOLATILE: &str = "v9 = load.i32 v0 align 4 volatile";

    #[test]
    fn locks_and_flags_may_wait() {
        for line in [ATOMIC, VOLATILE] {
            assert!(waits(line, "v9"), "{line}");
            assert!(waits(&format!("{line}\n    v10 = iadd v9, v3"), "v10"), "{line}");
        }
    }

    #[test]
    fn what_they_decide_may_wait() {
        let branch = format!(
            "{ATOMIC}
    v10 = icmp eq v9, i32 0
    brif v10, block3, block4(i32 0)
block3:
    store v3, v2 align 4
    br block4(i32 1)
block4(v11: i32):
    v12 = load.i32 v2 align 4"
        );
        for (on, expected) in [("v11", true), ("v12", true), ("v3", false)] {
            assert_eq!(waits(&branch, on), expected, "{on}");
        }
        let kept = format!("{ATOMIC}\n    store v9, v2 align 4\n    v10 = load.i32 v2 align 4");
        assert!(waits(&kept, "v10"));
    }

    #[test]
    fn counters_do_not_wait() {
        for line in ["", ATOMIC, VOLATILE] {
            for on in ["v1", "v3"] {
                assert!(!waits(line, on), "{line}");
            }
            let stores = format!("{line}\n    store v3, v0 align 4");
            assert!(!waits(&stores, "v1"), "{line}");
        }
    }
}
