//! Zero-initialises the private variables of every function at its start (cl_khr_initialize_memory).
//!
//! Runs on the program's functions before they are inlined and before the built-in library is linked, whose
//! variables the program cannot observe. Promoted variables cost nothing: `mem2reg` uses the fill as their
//! initial value.

use crate::error::Result;
use crate::ir::{Access, Builder, Function, I8, Module, Op, Slot};
use crate::passes::{Pass, PassContext};

/// The pass `zero_private`.
pub struct ZeroPrivate;

impl Pass for ZeroPrivate {
    fn name(&self) -> &'static str {
        "zero_private"
    }
    fn applies(&self, cx: &PassContext<'_>) -> bool {
        cx.options.initialize_private
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for f in module.functions.values_mut() {
            changed |= zero(f);
        }
        Ok(changed)
    }
}

fn zero(func: &mut Function) -> bool {
    let slots: Vec<(Slot, u32, u32)> =
        func.slots.iter().map(|(s, d)| (s, d.size, d.align)).filter(|s| s.1 > 0).collect();
    let Some(&entry) = func.layout.first().filter(|_| !slots.is_empty()) else { return false };
    let rest = func.take_insts(entry);
    let mut b = Builder::new(func, entry);
    for (slot, size, align) in slots {
        let address = b.slot_addr(slot);
        let (byte, bytes) = (b.func.bits(I8, 0), b.i64(i64::from(size)));
        b.inst(Op::Memset(Access::aligned(align)), &[address, byte, bytes], &[]);
    }
    func.blocks[entry].insts.extend(rest);
    true
}
