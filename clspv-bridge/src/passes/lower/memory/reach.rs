//! Ends of the accesses to workgroup variables, as far as their offsets tell.
//!
//! Some programs access arrays behind their ends: hashcat 6.2.6 and 7 declare the state of RC4 for the eight
//! work-items of a group on platforms that they do not know, and access it as for 32. Vulkan leaves such
//! accesses undefined, and on some devices the kernel never ends. So arrays get the memory that their
//! accesses reach.

use crate::analysis::{Cfg, DomTree, bounds::Bounds};
use crate::ir::*;
use rustc_hash::FxHashMap;

/// Most values that are looked at for one access.
const MAX_VISITS: u32 = 64;

/// The end of the accesses to each workgroup variable that a function names, in bytes from its start; none if
/// all variables would need more than `memory`, the device's.
pub(super) fn ends(
    func: &Function,
    globals: &PrimaryMap<Global, GlobalData>,
    memory: u32,
) -> FxHashMap<Global, u32> {
    let is_local = |g: &Global| globals.get(*g).is_some_and(|data| data.space == Space::Local);
    let named = func.data_in_order().filter_map(|data| match data.op {
        Op::GlobalAddr(g) => Some(g),
        _ => None,
    });
    let mut ends: FxHashMap<Global, u64> =
        named.filter(is_local).map(|g| (g, u64::from(globals[g].size))).collect();
    if ends.is_empty() {
        return FxHashMap::default();
    }
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let memory = u64::from(memory);
    let reach = Reach { func, bounds: Bounds::new(func, &cfg, &dom), memory };
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            if let Some((global, end)) = reach.of_access(&func.insts[inst], block)
                && let Some(known) = ends.get_mut(&global)
            {
                *known = end.max(*known);
            }
        }
    }
    let sum: u64 = ends.values().map(|end| end.next_multiple_of(16)).sum();
    match sum <= memory {
        true => ends.into_iter().map(|(global, end)| (global, end as u32)).collect(),
        false => FxHashMap::default(),
    }
}

struct Reach<'a> {
    func: &'a Function,
    bounds: Bounds<'a>,
    memory: u64,
}

impl Reach<'_> {
    /// The variable that an access names, and the end of the access if the terms of its offset that have
    /// bounds are as large as possible, and the others 0.
    fn of_access(&self, data: &InstData, block: Block) -> Option<(Global, u64)> {
        let mut address = data.args[data.op.access().and(data.op.address_arg())?];
        let (mut offset, mut visits) = (0, MAX_VISITS);
        loop {
            let base = &self.func.insts[self.func.def_inst(address)?];
            match base.op {
                Op::PtrAdd => {
                    offset += self.of_sum(base.args[1], block, &mut visits);
                    address = base.args[0];
                }
                Op::GlobalAddr(global) => {
                    let stored = matches!(data.op, Op::Store(_) | Op::AtomicStore { .. });
                    let value = if stored { data.args.first() } else { data.results.first() };
                    let bytes = value.and_then(|v| self.func.ty(*v).access_bytes()).unwrap_or(1);
                    return Some((global, u64::try_from(offset).unwrap_or(0) + u64::from(bytes)));
                }
                _ => return None,
            }
        }
    }

    /// The largest value of the terms of a sum that have bounds.
    fn of_sum(&self, value: Value, block: Block, visits: &mut u32) -> i64 {
        let bits = self.func.ty(value).scalar().map_or(64, Scalar::bits);
        if let Some(constant) = self.func.as_bits(value) {
            return self.clamp((constant << (64 - bits)) as i64 >> (64 - bits));
        }
        *visits = visits.saturating_sub(1);
        if *visits == 0 {
            return 0;
        }
        // Narrow sums wrap.
        let data = self.func.def_inst(value).filter(|_| bits >= 32).map(|inst| &self.func.insts[inst]);
        let terms = data.and_then(|data| {
            let factor = || self.func.as_bits(data.args[1]).filter(|factor| *factor <= self.memory);
            let mut of = |arg: usize| self.of_sum(data.args[arg], block, visits);
            match data.op {
                Op::Bin(BinOp::Iadd | BinOp::Or) => Some(of(0) + of(1)),
                Op::Bin(BinOp::Imul) => factor().map(|factor| of(0) * factor as i64),
                Op::Bin(BinOp::Shl) => factor().filter(|bits| *bits < 16).map(|bits| of(0) << bits),
                Op::Cast(CastOp::Zext | CastOp::Sext) => Some(of(0)),
                _ => None,
            }
        });
        let bounded = || Some(self.bounds.unsigned_max(value, block)).filter(|max| *max <= self.memory);
        self.clamp(terms.unwrap_or_else(|| bounded().map_or(0, |max| max as i64)))
    }

    /// A value whose sums and products do not overflow.
    fn clamp(&self, value: i64) -> i64 {
        let most = 2 * self.memory as i64;
        value.clamp(-most, most)
    }
}
