//! Keeps the parts of one wide load together where the driver's scheduler would move them apart.
//!
//! A load of 64 bytes or more through a device address is split into loads of 16 bytes, and work-items that
//! read neighbouring elements touch each cache line once per part. NVIDIA's compiler sorts such loads by
//! their users: over many elements it loads all first parts, then all second ones, and lines are evicted in
//! between (a third of the memory bandwidth was measured).
//!
//! Volatile accesses keep their order, and cost nothing else there: they still hit the cache. Every second
//! part is made volatile, which pins the others. Runs last before emission: later passes would have to
//! respect `volatile`.

use crate::error::Result;
use crate::ir::{BinOp, Function, Inst, Module, Op, Phase, Root, Value};
use crate::passes::{Pass, PassContext};
use rustc_hash::FxHashMap;

/// The pass `wide_loads`.
pub struct WideLoads;

impl Pass for WideLoads {
    fn name(&self) -> &'static str {
        "wide_loads"
    }
    fn needs(&self) -> Phase {
        Phase::Lowered
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        if !cx.target.vulkan().is_some_and(|vulkan| vulkan.scatters_wide_loads) {
            return Ok(false);
        }
        let mut changed = false;
        for f in module.functions.values_mut() {
            changed |= pin(f);
        }
        Ok(changed)
    }
}

/// Size of a part in bytes, and the number of parts from which on they are pinned.
const PART: u64 = 16;
const MIN_PARTS: usize = 4;

/// Splits an address into base and constant offset.
fn split(func: &Function, address: Value) -> (Value, u64) {
    let sum = func.def_inst(address).map(|i| &func.insts[i]).filter(|d| d.op == Op::Bin(BinOp::Iadd));
    match sum.and_then(|d| Some((d.args[0], func.as_bits(d.args[1])?))) {
        Some(split) => split,
        None => (address, 0),
    }
}

/// Makes every second part of wide loads volatile; true if there were any.
fn pin(func: &mut Function) -> bool {
    let mut changed = false;
    for block in func.layout.clone() {
        let mut parts: FxHashMap<Value, Vec<(u64, Inst)>> = FxHashMap::default();
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            let (Op::Load(access), [result]) = (&data.op, &data.results[..]) else { continue };
            if access.root == Root::Addr && func.ty(*result).access_bytes().map(u64::from) == Some(PART) {
                let (base, offset) = split(func, data.args[0]);
                parts.entry(base).or_default().push((offset, inst));
            }
        }
        for list in parts.into_values().filter(|l| l.len() >= MIN_PARTS) {
            for (_, inst) in list.into_iter().filter(|(offset, _)| offset / PART % 2 == 1) {
                if let Some(access) = func.insts[inst].op.access_mut() {
                    access.volatile = true;
                    changed = true;
                }
            }
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Access, Builder, F32, I64, Linkage, Scalar, Signature, Type};

    fn loads(n: i64) -> Vec<bool> {
        let mut f = Function::new("f", Signature { params: vec![I64], results: vec![] }, Linkage::Internal);
        let b0 = f.add_block();
        let base = f.add_param(b0, I64);
        let access = Access { root: Root::Addr, ..Access::aligned(16) };
        let mut b = Builder::new(&mut f, b0);
        for i in 0..n {
            let offset = b.i64(16 * i);
            let at = if i == 0 { base } else { b.iadd(base, offset) };
            b.load(Type::Vector(Scalar::F32, 4), at, access);
        }
        b.load(F32, base, access);
        b.ret(&[]);
        pin(&mut f);
        let all = f.blocks[b0].insts.iter().filter_map(|i| match &f.insts[*i].op {
            Op::Load(a) => Some(a.volatile),
            _ => None,
        });
        all.collect()
    }

    #[test]
    fn every_second_part_of_wide_loads() {
        assert_eq!(loads(4), [false, true, false, true, false]);
        assert_eq!(loads(3), [false; 4]);
    }
}
