//! Blocks, phis, merges and branches.

use super::emit::Emitter;
use super::module::Id;
use crate::error::{CompileError, Result};
use crate::ir::{Block, BlockCall, I1, Inst, Merge, Op as IrOp, Scalar, SecondaryMap, UnrollHint};
use smallvec::SmallVec;
use spirv::{LoopControl, Op, SelectionControl, StorageClass};

/// Incoming edges of a block: predecessor and arguments, one entry for each predecessor block.
type Incoming = Vec<(Block, SmallVec<[Id; 4]>)>;

impl Emitter<'_> {
    /// All blocks in layout order, in which dominators come first (guaranteed by the verifier).
    pub(super) fn emit_blocks(&mut self) -> Result<()> {
        let func = self.func;
        let mut preds: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for &block in &func.layout {
            for t in func.successors(block) {
                if preds[t.block].last() != Some(&block) {
                    preds[t.block].push(block);
                }
            }
        }
        // If both edges of a branch go to one block with different arguments, the arguments become selections
        // in the predecessor; their ids must be known when the phis are emitted.
        let mut merged: SecondaryMap<Block, Option<Vec<Id>>> = SecondaryMap::new();
        for &block in &func.layout {
            if let [then, other] = func.successors(block)
                && then.block == other.block
                && is_brif(self, block)
            {
                let mut ids = Vec::new();
                for (a, b) in then.args.iter().zip(&other.args) {
                    ids.push(if a == b { self.value(*a)? } else { self.m.id() });
                }
                merged[block] = Some(ids);
            }
        }
        for (i, &block) in func.layout.iter().enumerate() {
            let label = self.label(block);
            self.code(Op::Label, &[label]);
            if i == 0 {
                for (ty, id) in std::mem::take(&mut self.interface.function_vars) {
                    self.code(Op::Variable, &[ty, id, StorageClass::Function as u32]);
                }
            }
            if !func.blocks[block].params.is_empty() {
                let mut incoming: Incoming = Vec::new();
                for &p in &preds[block] {
                    let ids = match &merged[p] {
                        Some(ids) => SmallVec::from_slice(ids),
                        None => self.edge_args(p, block)?,
                    };
                    incoming.push((p, ids));
                }
                self.emit_phis(block, &incoming)?;
            }
            let Some((&terminator, body)) = func.blocks[block].insts.split_last() else {
                return Err(CompileError::internal(format!("emit: {block} is empty")));
            };
            for &inst in body {
                self.emit_inst(inst)?;
            }
            self.emit_terminator(block, terminator, merged[block].as_deref())?;
        }
        Ok(())
    }

    /// Arguments of the edges from `pred` to `block`, which must agree if there are several.
    fn edge_args(&mut self, pred: Block, block: Block) -> Result<SmallVec<[Id; 4]>> {
        let func = self.func;
        let mut edges = func.successors(pred).iter().filter(|t| t.block == block);
        let Some(first) = edges.next() else { return Err(CompileError::internal("emit: lost edge")) };
        if edges.any(|e| e.args != first.args) {
            return Err(CompileError::internal(format!(
                "emit: cases of {pred} pass different arguments to {block}"
            )));
        }
        first.args.iter().map(|a| self.value(*a)).collect()
    }

    fn emit_phis(&mut self, block: Block, incoming: &Incoming) -> Result<()> {
        let func = self.func;
        for (i, &param) in func.blocks[block].params.iter().enumerate() {
            let ty = func.ty(param);
            let id = self.value(param)?;
            if incoming.is_empty() {
                // Unreachable block: its parameters have no value.
                let null = self.m.null(ty)?;
                self.op_to(id, Op::CopyObject, ty, &[null])?;
                continue;
            }
            let mut words = Vec::with_capacity(2 * incoming.len());
            for (pred, args) in incoming {
                let arg = args
                    .get(i)
                    .copied()
                    .ok_or_else(|| CompileError::internal("emit: edge lacks arguments"))?;
                words.extend_from_slice(&[arg, self.label(*pred)]);
            }
            self.op_to(id, Op::Phi, ty, &words)?;
        }
        Ok(())
    }

    fn emit_terminator(&mut self, block: Block, inst: Inst, merged: Option<&[Id]>) -> Result<()> {
        let func = self.func;
        let data = &func.insts[inst];
        let labels: Vec<Id> = data.targets.iter().map(|t| self.label(t.block)).collect();
        let condition = match data.args.first() {
            Some(&c) if matches!(data.op, IrOp::BrIf | IrOp::Switch(_)) => Some(self.value(c)?),
            _ => None,
        };
        if let (Some(ids), [then, other], Some(c)) = (merged, data.targets.as_slice(), condition) {
            self.emit_selections(then, other, ids, c)?;
        }
        let one_way = merged.is_some() || data.targets.len() == 1;
        match func.blocks[block].merge {
            Some(Merge::Selection { merge }) if !one_way => {
                let merge = self.label(merge);
                self.code(Op::SelectionMerge, &[merge, SelectionControl::NONE.bits()]);
            }
            Some(Merge::Loop { merge, cont }) => {
                let (merge, cont) = (self.label(merge), self.label(cont));
                let control = match func.blocks[block].unroll {
                    Some(UnrollHint::Full | UnrollHint::By(_)) => LoopControl::UNROLL,
                    Some(UnrollHint::Never) => LoopControl::DONT_UNROLL,
                    None => LoopControl::NONE,
                };
                self.code(Op::LoopMerge, &[merge, cont, control.bits()]);
            }
            _ => {}
        }
        match (&data.op, condition) {
            (IrOp::Jump, _) => self.code(Op::Branch, &labels),
            (IrOp::BrIf, _) if merged.is_some() => self.code(Op::Branch, &labels[..1]),
            (IrOp::BrIf, Some(c)) => self.code(Op::BranchConditional, &[c, labels[0], labels[1]]),
            (IrOp::Switch(cases), Some(selector)) => {
                let scalar = func.ty(data.args[0]).scalar().unwrap_or(Scalar::I32);
                if scalar == Scalar::I1 {
                    return self.unsupported("a switch over a truth value");
                }
                let mut words = vec![selector, labels[0]];
                for (case, label) in cases.iter().zip(&labels[1..]) {
                    let case = case & scalar.mask();
                    words.push(case as u32);
                    if scalar == Scalar::I64 {
                        words.push((case >> 32) as u32);
                    }
                    words.push(*label);
                }
                self.code(Op::Switch, &words);
            }
            (IrOp::Return, _) => self.code(Op::Return, &[]),
            (IrOp::Unreachable, _) => self.code(Op::Unreachable, &[]),
            (other, _) => return Err(CompileError::internal(format!("emit: {other:?} ends a block"))),
        }
        Ok(())
    }

    fn emit_selections(&mut self, then: &BlockCall, other: &BlockCall, ids: &[Id], c: Id) -> Result<()> {
        for ((a, b), &id) in then.args.iter().zip(&other.args).zip(ids) {
            if a != b {
                let (x, y) = (self.value(*a)?, self.value(*b)?);
                self.emit_select(id, self.func.ty(*a), c, I1, [x, y])?;
            }
        }
        Ok(())
    }
}

fn is_brif(e: &Emitter<'_>, block: Block) -> bool {
    e.func.terminator(block).is_some_and(|t| e.func.insts[t].op == IrOp::BrIf)
}
