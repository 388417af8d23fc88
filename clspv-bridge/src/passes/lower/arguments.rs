//! Layout of the kernel argument block, and loads from it.

use super::memory::virtual_addresses;
use super::state::Kernel;
use crate::abi::{BlockStorage, LaunchAbi, PointerMode};
use crate::error::Result;
use crate::ir::edit::{Rewrite, try_rewrite_insts};
use crate::ir::*;
use crate::passes::{Pass, PassContext};
use crate::target::VulkanTarget;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The pass `lower_arguments`: lays out the kernel argument block and loads arguments from it.
pub struct LowerArguments;

impl Pass for LowerArguments {
    fn name(&self) -> &'static str {
        "lower_arguments"
    }
    fn needs(&self) -> Phase {
        Phase::Lowered
    }
    fn gives(&self) -> Option<Phase> {
        Some(Phase::Legal)
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        let vulkan = cx.target.needs_vulkan()?;
        let lowering = cx.lowering()?;
        let kernel = Kernel::of(module)?;
        lowering.fits = lay_out_block(kernel.func, kernel.info.args_size, vulkan, &mut lowering.abi)?;
        if lowering.fits {
            crate::ir::edit::remove_dead_insts(kernel.func);
        }
        module.phase = Phase::Legal;
        Ok(true)
    }
}

/// Lays out the argument block: implicit arguments in use, then the kernel's own. False if the block does not
/// fit in the bindings mode, or has no descriptor left in the virtual mode.
fn lay_out_block(
    func: &mut Function,
    args_size: u32,
    vulkan: &VulkanTarget,
    abi: &mut LaunchAbi,
) -> Result<bool> {
    let mut implicit = BTreeSet::new();
    for data in func.data_in_order() {
        if let Op::Implicit(arg) = data.op {
            // 8-byte values first, so that no padding arises.
            implicit.insert((8 - arg.size(), arg));
        }
    }
    let mut at = 0;
    let mut offsets = FxHashMap::default();
    for &(_, arg) in &implicit {
        offsets.insert(arg, at);
        abi.implicit_args.push((arg, at));
        at += arg.size();
    }
    abi.args_offset = at.next_multiple_of(8);
    abi.block_size = (abi.args_offset + args_size).next_multiple_of(8);
    let mut words = None;
    if abi.block_size > vulkan.max_push_constants {
        match abi.mode {
            PointerMode::Bindings => return Ok(false),
            PointerMode::Addresses => abi.block_storage = BlockStorage::Buffer,
            PointerMode::Virtual | PointerMode::Windowed => {
                abi.block_storage = BlockStorage::Bound;
                words = Some(virtual_addresses::block_words(func, abi));
                if abi.mode == PointerMode::Virtual && !abi.has_room(vulkan) {
                    return Ok(false);
                }
            }
        }
    }
    try_rewrite_insts(func, |b, inst| {
        let offset = match b.func.insts[inst].op {
            Op::Arg { offset } => Some(abi.args_offset + offset),
            Op::Implicit(arg) => offsets.get(&arg).copied(),
            _ => None,
        };
        let Some(real) = offset else { return Ok(Rewrite::Keep) };
        if let Some(words) = words {
            virtual_addresses::load_block(b, inst, words, real)?;
            return Ok(Rewrite::Keep);
        }
        if abi.block_storage == BlockStorage::Push {
            b.func.insts[inst].op = Op::PushConst { offset: real };
            return Ok(Rewrite::Keep);
        }
        let base = b.value(Op::PushConst { offset: 0 }, &[], I64);
        let delta = b.i64(real as i64);
        let addr = b.iadd(base, delta);
        let result = b.func.insts[inst].results[0];
        let align = if real % 8 == 0 { 8 } else { 4 };
        let bytes = b.ty(result).access_bytes().unwrap_or(4);
        let access = Access { readonly: true, root: Root::Addr, ..Access::aligned(align.min(bytes)) };
        let data = &mut b.func.insts[inst];
        data.op = Op::Load(access);
        data.args = smallvec::smallvec![addr];
        Ok(Rewrite::Keep)
    })?;
    Ok(true)
}
