//! Streams: arrays that a kernel only writes, a vector after the other. A launch that writes more of them than caches hold
//! stores past the caches, which spares memory the reading of what is overwritten as a whole.
//!
//! Such stores are not ordered with others, so kernels with barriers, fences and atomics have none.

use crate::ir::*;
use std::collections::HashSet;

/// More arrays than that are not written line by line: processors have few buffers to gather lines in.
const MOST: usize = 4;

/// The addresses of stores that may be streams: all uses of the argument that they come from are such stores.
pub fn addresses(func: &Function) -> HashSet<Value> {
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
        return HashSet::new();
    };
    let params = &func.blocks[entry].params;
    let mut only_written: HashSet<Value> =
        params.iter().copied().filter(|p| func.ty(*p) == Type::Ptr(Space::Global)).collect();
    // Where an address comes from; itself if that is not an argument with offsets.
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
    let found: HashSet<Value> = stores.filter(|a| only_written.contains(&root(*a))).collect();
    if found.len() > MOST { HashSet::new() } else { found }
}
