//! Lowering: from one inlined, optimised kernel to a function without pointers, images, queries and parameters.
//!
//! [`crate::pipeline::lower`] runs the passes on a module that holds a single kernel, once for each pointer
//! mode. [`Lowering`] is the state that they share; its launch contract is the second result.

pub mod builtins;
pub mod expand_mem;
pub mod generic;
pub mod globals;
pub mod groups;
pub mod images;
pub mod kernel_abi;
pub mod memory;
pub mod printf;
pub mod state;
mod texel_order;
pub mod work_item;
pub mod zero_private;

use crate::abi::{BlockStorage, LaunchAbi, PointerMode};
use crate::error::Result;
use crate::ir::*;
use crate::passes::{Pass, PassContext};
use memory::virtual_addresses;
use state::Kernel;
use std::collections::{BTreeSet, HashMap};

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
        let max_push = cx.target.max_push_constants;
        let lowering = cx.lowering()?;
        let kernel = Kernel::of(module)?;
        lowering.fits = lay_out_block(kernel.func, kernel.info.args_size, max_push, &mut lowering.abi)?;
        if lowering.fits {
            remove_dead(kernel.func);
        }
        module.phase = Phase::Legal;
        Ok(true)
    }
}

/// Lays out the argument block: implicit arguments in use, then the kernel's own. False if the block does not
/// fit in the bindings mode.
fn lay_out_block(func: &mut Function, args_size: u32, max_push: u32, abi: &mut LaunchAbi) -> Result<bool> {
    let mut implicit = BTreeSet::new();
    for &inst in func.layout.iter().flat_map(|&b| &func.blocks[b].insts) {
        if let Op::Implicit(arg) = func.insts[inst].op {
            // 8-byte values first, so that no padding arises.
            implicit.insert((8 - arg.size(), arg));
        }
    }
    let mut at = 0;
    let mut offsets = HashMap::new();
    for &(_, arg) in &implicit {
        offsets.insert(arg, at);
        abi.implicit_args.push((arg, at));
        at += arg.size();
    }
    abi.args_offset = at.next_multiple_of(8);
    abi.block_size = (abi.args_offset + args_size).next_multiple_of(8);
    let mut words = None;
    if abi.block_size > max_push {
        match abi.mode {
            PointerMode::Bindings => return Ok(false),
            PointerMode::Addresses => abi.block_storage = BlockStorage::Buffer,
            PointerMode::Virtual => {
                abi.block_storage = BlockStorage::Bound;
                words = Some(virtual_addresses::block_words(func, abi));
            }
        }
    }
    let layout = func.layout.clone();
    for block in layout {
        let insts = func.take_insts(block);
        let mut b = Builder::new(func, block);
        for inst in insts {
            let offset = match b.func.insts[inst].op {
                Op::Arg { offset } => Some(abi.args_offset + offset),
                Op::Implicit(arg) => offsets.get(&arg).copied(),
                _ => None,
            };
            if let Some(real) = offset {
                if let Some(words) = words {
                    virtual_addresses::load_block(&mut b, inst, words, real)?;
                    continue;
                }
                if abi.block_storage == BlockStorage::Push {
                    b.func.insts[inst].op = Op::PushConst { offset: real };
                } else {
                    let base = b.value(Op::PushConst { offset: 0 }, &[], I64);
                    let delta = b.i64(real as i64);
                    let addr = b.iadd(base, delta);
                    let result = b.func.insts[inst].results[0];
                    let align = if real % 8 == 0 { 8 } else { 4 };
                    let bytes = b.ty(result).access_bytes().unwrap_or(4);
                    let access =
                        Access { readonly: true, root: Root::Addr, ..Access::aligned(align.min(bytes)) };
                    let data = &mut b.func.insts[inst];
                    data.op = Op::Load(access);
                    data.args = smallvec::smallvec![addr];
                }
            }
            b.push(inst);
        }
    }
    Ok(true)
}

/// Removes instructions without used results (the steps leave address arithmetic behind).
pub(crate) fn remove_dead(func: &mut Function) {
    let mut uses = vec![0u32; func.value_count()];
    let count = |func: &Function, uses: &mut Vec<u32>, inst: Inst, up: bool| -> Vec<Value> {
        let data = &func.insts[inst];
        let mut zero = Vec::new();
        for &v in data.args.iter().chain(data.targets.iter().flat_map(|t| t.args.iter())) {
            let n = &mut uses[v.index()];
            *n = if up { *n + 1 } else { n.saturating_sub(1) };
            if *n == 0 {
                zero.push(v);
            }
        }
        zero
    };
    let layout = func.layout.clone();
    for &b in &layout {
        for &i in &func.blocks[b].insts {
            count(func, &mut uses, i, true);
        }
    }
    let dead = |func: &Function, uses: &[u32], i: Inst| {
        let d = &func.insts[i];
        !d.op.has_side_effects() && d.results.iter().all(|r| uses[r.index()] == 0)
    };
    let mut gone = EntitySet::<Inst>::new();
    let mut work: Vec<Inst> = layout
        .iter()
        .flat_map(|&b| func.blocks[b].insts.iter().copied())
        .filter(|&i| dead(func, &uses, i))
        .collect();
    while let Some(inst) = work.pop() {
        if !gone.insert(inst) {
            continue;
        }
        for v in count(func, &mut uses, inst, false) {
            if let Some(def) = func.def_inst(v)
                && dead(func, &uses, def)
            {
                work.push(def);
            }
        }
    }
    for &b in &layout {
        func.blocks[b].insts.retain(|&i| !gone.contains(i));
    }
}

/// Splits `block` here: later instructions go into a fresh block after it in the layout, which is returned.
/// The old block has no terminator yet.
pub(crate) fn split_after(func: &mut Function, block: Block) -> Block {
    let fresh = func.new_block_detached();
    let at = func.layout.iter().position(|&b| b == block).map_or(func.layout.len(), |p| p + 1);
    func.layout.insert(at, fresh);
    fresh
}

#[cfg(test)]
#[path = "lower_tests.rs"]
mod tests;
