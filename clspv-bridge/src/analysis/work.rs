//! Estimate of a kernel's work: operations and bytes of global memory per work-item, for rooflines.
//!
//! Every branch counts as taken. A loop counts as often as it runs if that follows from constants and the
//! arguments, else once: so does a loop that may end early. A math function counts as one operation, a fused
//! multiply-add as two.

use crate::analysis::trip_count::exact_backedge_taken_count;
use crate::analysis::{Cfg, DomTree, LoopForest};
use crate::ir::*;

/// Most iterations of a loop that are counted.
const LIMIT: u32 = 1 << 16;

/// Work of one work-item.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WorkEstimate {
    pub float_ops: u64,
    /// Arithmetic on integers, without addresses.
    pub int_ops: u64,
    /// Bytes of global memory.
    pub loaded: u64,
    pub stored: u64,
    /// Loops of unknown length.
    pub unknown_loops: u32,
}

/// Arguments and sizes of a launch, on which its work depends.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LaunchFacts {
    /// The bits of arguments that are numbers; `None` for others.
    pub arguments: Vec<Option<u64>>,
    pub global: [u64; 3],
    pub local: [u64; 3],
}

/// Estimates the work of a function without calls in a launch.
pub fn estimate(func: &mut Function, launch: &LaunchFacts) -> WorkEstimate {
    let mut work = WorkEstimate::default();
    let Some(entry) = func.entry() else { return work };
    substitute(func, entry, launch);
    let func = &*func;
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let forest = LoopForest::new(&cfg, &dom);
    // Outer loops come first.
    let mut times: Vec<u64> = Vec::with_capacity(forest.loops().len());
    for (l, it) in forest.loops().iter().enumerate() {
        // A loop whose condition is at its end runs once more than it returns to its start.
        let leaves = |latch: &Block| func.successors(*latch).iter().any(|t| !forest.contains(l, t.block));
        let last = u64::from(it.latches.iter().any(leaves));
        let own = exact_backedge_taken_count(func, &cfg, &dom, &forest, l, LIMIT).map(|n| n + last);
        work.unknown_loops += u32::from(own.is_none());
        let outer = it.parent.and_then(|p| times.get(p)).copied().unwrap_or(1);
        times.push(outer.saturating_mul(own.unwrap_or(1)));
    }
    for &block in func.layout.iter().filter(|b| cfg.number(**b).is_some()) {
        let count = forest.innermost(block).and_then(|l| times.get(l)).copied().unwrap_or(1);
        for &inst in &func.blocks[block].insts {
            add(&mut work, func, &func.insts[inst], count);
        }
    }
    work
}

/// Makes parameters and sizes of the launch constants.
fn substitute(func: &mut Function, entry: Block, launch: &LaunchFacts) {
    let params = func.blocks[entry].params.clone();
    let are_known = params.len() == launch.arguments.len();
    let mut known: Vec<(Value, u64)> = Vec::new();
    known.extend(
        params.iter().zip(&launch.arguments).filter(|_| are_known).filter_map(|(v, b)| Some((*v, (*b)?))),
    );
    for inst in func.layout.iter().flat_map(|b| &func.blocks[*b].insts) {
        let data = &func.insts[*inst];
        let Op::WorkItem { query, dim } = data.op else { continue };
        let size = |sizes: [u64; 3]| sizes.get(usize::from(dim)).copied().unwrap_or(1).max(1);
        let value = match query {
            WorkItemQuery::GlobalSize => size(launch.global),
            // Smaller groups at the end of a range are not considered.
            WorkItemQuery::LocalSize | WorkItemQuery::EnqueuedLocalSize => size(launch.local),
            WorkItemQuery::NumGroups => size(launch.global).div_ceil(size(launch.local)),
            _ => continue,
        };
        known.extend(data.results.first().map(|result| (*result, value)));
    }
    for (value, bits) in known {
        let ty = func.ty(value);
        if ty.scalar().is_some() && ty.lanes() == 1 {
            func.values[value].def = ValueDef::Const(Const::Bits(ty, [bits].into_iter().collect()));
        }
    }
}

fn add(work: &mut WorkEstimate, func: &Function, data: &InstData, count: u64) {
    let result = data.results.first().map(|v| func.ty(*v));
    if let Some(address) = data.op.address_arg() {
        if !matches!(func.ty(data.args[address]), Type::Ptr(Space::Global | Space::Constant | Space::Generic))
        {
            return;
        }
        let moved = |ty: Option<Type>| ty.map_or(0, bytes).saturating_mul(count);
        work.loaded = work.loaded.saturating_add(moved(result));
        if matches!(data.op, Op::Store(_) | Op::AtomicStore { .. }) {
            work.stored = work.stored.saturating_add(moved(data.args.first().map(|v| func.ty(*v))));
        }
        return;
    }
    let Some(ty) = result else { return };
    let operations = match data.op {
        Op::Fma | Op::Mad => 2,
        Op::Bin(_) | Op::Un(_) | Op::OpenCl(_) | Op::Icmp(_) | Op::Fcmp(_) => 1,
        Op::Dot4 { .. } => 8,
        _ => return,
    };
    let all = u64::from(ty.lanes()).saturating_mul(operations).saturating_mul(count);
    // Comparisons have truth values as results, and work on their operands.
    let is_float = ty.is_float() || matches!(data.op, Op::Fcmp(_));
    let sum = if is_float { &mut work.float_ops } else { &mut work.int_ops };
    *sum = sum.saturating_add(all);
}

fn bytes(ty: Type) -> u64 {
    let lane = match ty.scalar() {
        Some(Scalar::I1 | Scalar::I8) => 1,
        Some(Scalar::I16 | Scalar::F16) => 2,
        Some(Scalar::I32 | Scalar::F32) => 4,
        Some(Scalar::I64 | Scalar::F64) | None => 8,
    };
    lane * u64::from(ty.lanes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse;

    /// A loop over the elements of an array from the second argument's half to the third. `exit` is where it
    /// goes after an element, else to `block2`.
    fn kernel(exit: &str) -> Module {
        let text = format!(
            "phase inlined
func @k(ptr.global, i32, i32) {{
block0(v0: ptr.global, v1: i32, v2: i32):
    v3 = udiv v1, i32 2
    br block1(v3)
block1(v4: i32):
    v5 = icmp ult v4, v2
    brif v5, block2, block3
block2:
    v6 = load.f32 v0 align 4
    v7 = fadd v6, v6
    store v7, v0 align 4
    v8 = iadd v4, i32 1
    {exit}
block3:
    ret
}}
"
        );
        parse::parse_module(&text).unwrap_or_else(|e| panic!("{e}"))
    }

    fn estimate_of(mut module: Module, arguments: &[Option<u64>]) -> WorkEstimate {
        let func = module.functions.values_mut().next().unwrap();
        let launch = LaunchFacts { arguments: arguments.to_vec(), global: [64, 1, 1], local: [8, 1, 1] };
        estimate(func, &launch)
    }

    #[test]
    fn trip_counts_follow_from_arguments() {
        let module = kernel("br block1(v8)");
        let known = estimate_of(module.clone(), &[None, Some(4), Some(12)]);
        assert_eq!((known.float_ops, known.loaded, known.stored), (10, 40, 40));
        assert_eq!(known.unknown_loops, 0);
        for arguments in [&[None, None, None][..], &[None, Some(4), None], &[]] {
            let unknown = estimate_of(module.clone(), arguments);
            assert_eq!((unknown.float_ops, unknown.loaded, unknown.unknown_loops), (1, 4, 1));
        }
    }

    #[test]
    fn trip_counts_follow_from_sizes() {
        let text = "phase inlined
func @k() {
block0:
    v0 = work_item num_groups 0
    br block1(i64 0)
block1(v1: i64):
    v2 = work_item local_size 0
    v3 = iadd v1, v2
    v4 = imul v3, v0
    v5 = icmp ult v4, i64 256
    brif v5, block1(v3), block2
block2:
    ret
}
";
        let module = parse::parse_module(text).unwrap_or_else(|e| panic!("{e}"));
        // Eight groups of eight work-items: 64, 128, 192, 256.
        let estimate = estimate_of(module, &[]);
        assert_eq!((estimate.unknown_loops, estimate.int_ops), (0, 4 * 3));
    }

    #[test]
    fn loops_that_may_end_early_count_once() {
        let module = kernel("v9 = fcmp olt v7, f32 1\n    brif v9, block3, block1(v8)");
        let estimate = estimate_of(module, &[None, Some(4), Some(12)]);
        assert_eq!((estimate.loaded, estimate.unknown_loops), (4, 1));
    }
}
