//! Loads through null pointers that are tested before, for llvmpipe.
//!
//! From Mesa 26.1 on it executes a load from a device address that all lanes share even where control flow
//! has ended every lane: `if (p) x = *p` reads from address 0. Where the pointer is null, the address becomes
//! that of memory whose contents do not matter ([`ImplicitArg::NullAddress`]). Lanes with addresses of their
//! own, stores, atomics and accesses through descriptors are masked by the driver.
//!
//! A pointer counts as null if it lies below the addresses that a process can map. The driver would fold a
//! comparison with null, which is the branch's own.

use crate::abi::PointerMode;
use crate::error::Result;
use crate::ir::edit::{Rewrite, rewrite_insts};
use crate::ir::*;
use crate::metadata::{ArgKind, KernelInfo};
use crate::passes::{Pass, PassContext};

/// The first address that a process can map (Linux' vm.mmap_min_addr).
const FIRST_ADDRESS: u64 = 1 << 16;
/// Additions between an address and the argument that it is computed from.
const DEPTH: u32 = 8;

/// The pass `guard_loads`.
pub struct GuardLoads;

impl Pass for GuardLoads {
    fn name(&self) -> &'static str {
        "guard_loads"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        let by_address = cx.lowering.as_ref().is_some_and(|l| l.abi.mode == PointerMode::Addresses);
        if !by_address || !cx.target.vulkan().is_some_and(|vulkan| vulkan.unmasked_loads) {
            return Ok(false);
        }
        let pointers: Vec<u32> = module.kernels.iter().flat_map(pointers).collect();
        let mut changed = false;
        for func in module.functions.values_mut() {
            let mut guarded = false;
            rewrite_insts(func, |b, inst| {
                guarded |= guard(b, inst, &pointers);
                Rewrite::Keep
            });
            changed |= guarded;
        }
        Ok(changed)
    }
}

/// Offsets of the pointers among a kernel's arguments.
fn pointers(info: &KernelInfo) -> impl Iterator<Item = u32> {
    let pointers = info.args.iter().filter(|a| matches!(a.kind, ArgKind::GlobalPtr | ArgKind::ConstantPtr));
    pointers.map(|a| a.offset)
}

/// Guards a load; false if it needs none. The entry block runs in every lane.
fn guard(b: &mut Builder<'_>, inst: Inst, pointers: &[u32]) -> bool {
    let data = &b.func.insts[inst];
    let Op::Load(Access { root: Root::Addr, .. }) = data.op else { return false };
    if Some(b.block) == b.func.entry() {
        return false;
    }
    let address = data.args[0];
    let pointer = argument(b.func, address, pointers, DEPTH).unwrap_or(address);
    let first = b.i64(FIRST_ADDRESS as i64);
    let is_null = b.icmp(IntCc::Ult, pointer, first);
    let harmless = b.value(Op::Implicit(ImplicitArg::NullAddress), &[], I64);
    let guarded = b.select(is_null, harmless, address);
    b.func.insts[inst].args[0] = guarded;
    true
}

/// The pointer among the kernel's arguments that an address is computed from by additions.
fn argument(func: &Function, address: Value, pointers: &[u32], depth: u32) -> Option<Value> {
    let data = &func.insts[func.def_inst(address)?];
    match data.op {
        Op::Arg { offset } => pointers.contains(&offset).then_some(address),
        Op::Bin(BinOp::Iadd) if depth > 0 => {
            data.args.iter().find_map(|operand| argument(func, *operand, pointers, depth - 1))
        }
        _ => None,
    }
}
