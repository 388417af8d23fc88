//! Streams: arrays that a kernel only writes, one vector after the other. A launch that writes more of them
//! than the caches hold uses non-temporal stores, which saves reading the lines that are overwritten as a
//! whole.
//!
//! Such stores are not ordered with others, so kernels with barriers, fences or atomics have none.

use crate::ir::*;
use rustc_hash::FxHashSet;

/// Maximum number of arrays that use non-temporal stores: processors have few write-combining buffers.
const MOST: usize = 4;

/// The addresses of stores that may be streams: all uses of the argument that they come from are such stores.
pub fn addresses(func: &Function) -> FxHashSet<Value> {
    let insts = || func.layout.iter().flat_map(|b| &func.blocks[*b].insts).map(|i| &func.insts[*i]);
    let orders = |op: &Op| {
        use Op::*;
        matches!(
            op,
            AtomicRmw { .. }
                | AtomicCas { .. }
                | AtomicLoad { .. }
                | AtomicStore { .. }
                | Fence { .. }
                | Barrier { .. }
                | Group { .. }
                | Call(_)
        )
    };
    let Some(entry) = func.entry().filter(|_| !insts().any(|data| orders(&data.op))) else {
        return FxHashSet::default();
    };
    let params = &func.blocks[entry].params;
    let mut only_written: FxHashSet<Value> =
        params.iter().copied().filter(|p| func.ty(*p) == Type::Ptr(Space::Global)).collect();
    // The argument that an address is computed from by offsets, else the address itself.
    let root = |mut v: Value| {
        while let Some(inst) = func.def_inst(v)
            && matches!(func.insts[inst].op, Op::PtrAdd)
        {
            v = func.insts[inst].args[0];
        }
        v
    };
    for data in insts() {
        let address = match &data.op {
            Op::PtrAdd => Some(0),
            Op::Store(access) if !access.volatile => Some(1),
            _ => None,
        };
        let passed = data.targets.iter().flat_map(|t| &t.args);
        for (at, arg) in data.args.iter().chain(passed).enumerate() {
            if Some(at) != address {
                only_written.remove(&root(*arg));
            }
        }
    }
    let stores = insts().filter(|data| matches!(data.op, Op::Store(_))).map(|data| data.args[1]);
    let found: FxHashSet<Value> = stores.filter(|a| only_written.contains(&root(*a))).collect();
    if found.len() > MOST { FxHashSet::default() } else { found }
}
