//! Estimate of a kernel's work: operations and bytes of global memory per work-item, for rooflines.
//!
//! Every branch counts as taken. A loop counts as often as it runs if the trip count is constant, else once.
//! A math function counts as one operation, a fused multiply-add as two.

use crate::analysis::trip_count::backedge_taken_count;
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

/// Estimates the work of a function without calls.
pub fn estimate(func: &Function) -> WorkEstimate {
    let mut work = WorkEstimate::default();
    if func.entry().is_none() {
        return work;
    }
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let forest = LoopForest::new(&cfg, &dom);
    // Outer loops come first.
    let mut times: Vec<u64> = Vec::with_capacity(forest.loops().len());
    for (l, it) in forest.loops().iter().enumerate() {
        let own = backedge_taken_count(func, &cfg, &dom, &forest, l, LIMIT).map(|n| n.max(1));
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
