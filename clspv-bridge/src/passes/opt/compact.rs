//! Renumbers blocks, instructions and values in layout order, and drops those that are not in the layout.
//!
//! Passes leave what they replace in the function's tables. Without it later passes have smaller side tables,
//! copies of the module are smaller, and the instructions of a block lie side by side.

use crate::error::Result;
use crate::ir::{Block, Function, Inst, Merge, Module, SecondaryMap, Value, ValueData, ValueDef};
use crate::passes::{Pass, PassContext};

/// The pass `compact`.
pub struct Compact;

impl Pass for Compact {
    fn name(&self) -> &'static str {
        "compact"
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for func in module.functions.values_mut() {
            changed |= compact(func);
        }
        Ok(changed)
    }
}

/// Renumbers one function; true if anything was dropped or has another number.
pub(crate) fn compact(func: &mut Function) -> bool {
    let old = std::mem::take(func);
    *func = Function::new(&old.name, old.sig.clone(), old.linkage);
    (func.kernel, func.extent, func.frame) = (old.kernel, old.extent, old.frame);
    (func.slots, func.vars) = (old.slots.clone(), old.vars.clone());
    let mut renumbering = Renumbering::default();
    for &block in &old.layout {
        renumbering.declare(&old, func, block);
    }
    for &block in &old.layout {
        renumbering.copy(&old, func, block);
    }
    let lengths = |f: &Function| (f.blocks.len(), f.insts.len(), f.values.len());
    lengths(func) != lengths(&old)
        || func.layout != old.layout
        || func.insts_in_order().ne(old.insts_in_order())
        || func.data_in_order().ne(old.data_in_order())
}

/// New entities by the old ones.
#[derive(Default)]
struct Renumbering {
    blocks: SecondaryMap<Block, Option<Block>>,
    values: SecondaryMap<Value, Option<Value>>,
}

impl Renumbering {
    /// Adds a block with its parameters and the results of its instructions, which other blocks may use.
    fn declare(&mut self, old: &Function, func: &mut Function, block: Block) {
        let new = func.add_block();
        self.blocks[block] = Some(new);
        for &param in &old.blocks[block].params {
            self.values[param] = Some(func.add_param(new, old.ty(param)));
        }
        for &inst in &old.blocks[block].insts {
            let mut data = old.insts[inst].clone();
            let new_inst = func.insts.next_key();
            for (i, result) in data.results.iter_mut().enumerate() {
                let def = ValueDef::Result(new_inst, i as u16);
                let value = func.values.push(ValueData { ty: old.ty(*result), def });
                self.values[*result] = Some(value);
                *result = value;
            }
            func.insts.push(data);
            func.blocks[new].insts.push(new_inst);
        }
    }

    /// Gives the instructions of a block their new operands.
    fn copy(&mut self, old: &Function, func: &mut Function, block: Block) {
        let Some(new) = self.blocks[block] else { return };
        let target = |b: Block| self.blocks[b].unwrap_or(b);
        func.blocks[new].unroll = old.blocks[block].unroll;
        func.blocks[new].merge = old.blocks[block].merge.map(|merge| match merge {
            Merge::Selection { merge } => Merge::Selection { merge: target(merge) },
            Merge::Loop { merge, cont } => Merge::Loop { merge: target(merge), cont: target(cont) },
        });
        for index in 0..func.blocks[new].insts.len() {
            let inst = func.blocks[new].insts[index];
            self.operands(old, func, inst);
        }
    }

    fn operands(&mut self, old: &Function, func: &mut Function, inst: Inst) {
        let data = &mut func.insts[inst];
        let (mut args, mut targets) = (std::mem::take(&mut data.args), std::mem::take(&mut data.targets));
        for value in args.iter_mut().chain(targets.iter_mut().flat_map(|call| &mut call.args)) {
            *value = self.value(old, func, *value);
        }
        for call in &mut targets {
            call.block = self.blocks[call.block].unwrap_or(call.block);
        }
        let data = &mut func.insts[inst];
        (data.args, data.targets) = (args, targets);
    }

    /// The new value; constants are added when they are first used.
    fn value(&mut self, old: &Function, func: &mut Function, value: Value) -> Value {
        if let Some(known) = self.values[value] {
            return known;
        }
        let new = match old.as_const(value) {
            Some(constant) => func.constant(constant.clone()),
            // Only unreachable code uses values that are not in the layout.
            None => func.undef(old.ty(value)),
        };
        self.values[value] = Some(new);
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{BlockCall, Builder, I32, IntCc, Linkage, Signature};

    #[test]
    fn what_is_not_in_the_layout_is_dropped() {
        let sig = Signature { params: vec![I32], results: vec![I32] };
        let mut func = Function::new("f", sig, Linkage::Internal);
        let (entry, gone, end) = (func.add_block(), func.add_block(), func.add_block());
        let x = func.add_param(entry, I32);
        let result = func.add_param(end, I32);
        let (unused, one, two) = (func.i32(7), func.i32(1), func.i32(2));
        let mut b = Builder::new(&mut func, gone);
        b.iadd(x, unused);
        let mut b = Builder::new(&mut func, entry);
        let sum = b.iadd(x, one);
        let is_less = b.icmp(IntCc::Slt, sum, two);
        b.brif(is_less, BlockCall::new(end, &[sum]), BlockCall::new(end, &[two]));
        Builder::new(&mut func, end).ret(&[result]);
        func.layout.retain(|b| *b != gone);
        let before = func.clone();
        assert!(compact(&mut func));
        assert_eq!((func.blocks.len(), func.insts.len()), (2, 4));
        // The parameters of both blocks, two results, two constants.
        assert_eq!(func.values.len(), 6);
        assert!(before.values.len() > func.values.len());
        let mut module = Module::default();
        assert!(!compact(&mut func));
        let func = module.functions.push(func);
        crate::ir::verify::verify_function(&module, func).unwrap();
    }
}
