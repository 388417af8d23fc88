//! Loop-invariant code motion.
//!
//! A pure instruction whose operands are computed outside of a loop moves to the end of the block that
//! immediately dominates the loop's header. It may be executed there although it is not in the loop, so
//! integer divisions that may trap, and image operations stay.

use crate::analysis::{Cfg, DomTree, LoopForest};
use crate::error::Result;
use crate::ir::{BinOp, Block, Function, Inst, InstData, Module, Op, Scalar, SecondaryMap, Value};
use crate::passes::{Pass, PassContext};

/// The pass `licm`. Cranelift moves invariant instructions itself, and those that are moved for it cost
/// registers.
pub struct Licm;

impl Pass for Licm {
    fn name(&self) -> &'static str {
        "licm"
    }
    fn applies(&self, cx: &PassContext<'_>) -> bool {
        cx.target.cpu().is_none_or(|cpu| !cpu.generator.is_cranelift())
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for func in module.functions.values_mut().filter(|f| f.entry().is_some()) {
            changed |= hoist(func);
        }
        Ok(changed)
    }
}

/// Moves the invariant instructions of all loops of a function; true if there were any.
fn hoist(func: &mut Function) -> bool {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let forest = LoopForest::new(&cfg, &dom);
    if forest.loops().is_empty() {
        return false;
    }
    // Innermost loop of the block that computes a value.
    let mut home: SecondaryMap<Value, Option<usize>> = SecondaryMap::new();
    let mut changed = false;
    for &block in cfg.rpo() {
        let at = forest.innermost(block);
        for v in &func.blocks[block].params {
            home[*v] = at;
        }
        let mut insts = func.take_insts(block);
        let before = insts.len();
        insts.retain(|&inst| {
            let target = target(func, &forest, &dom, &home, at, inst);
            let to = target.unwrap_or(block);
            for v in &func.insts[inst].results {
                home[*v] = forest.innermost(to);
            }
            if target.is_some() {
                let list = &mut func.blocks[to].insts;
                list.insert(list.len().saturating_sub(1), inst);
            }
            target.is_none()
        });
        changed |= insts.len() != before;
        func.blocks[block].insts = insts;
    }
    changed
}

/// Whether the operation depends on its operands alone and never traps.
fn can_move(func: &Function, data: &InstData) -> bool {
    use BinOp::{Sdiv, Srem, Udiv, Urem};
    match &data.op {
        Op::Bin(Sdiv | Srem | Udiv | Urem) => {
            let minus_one = func.ty(data.args[1]).scalar().map_or(0, Scalar::mask);
            func.as_bits(data.args[1]).is_some_and(|by| by != 0 && by != minus_one)
        }
        op => op.is_pure() && !matches!(op, Op::Image { .. }),
    }
}

/// The block that an instruction of a loop moves to, before the outermost loop that it does not vary in.
fn target(
    func: &Function,
    forest: &LoopForest,
    dom: &DomTree,
    home: &SecondaryMap<Value, Option<usize>>,
    at: Option<usize>,
    inst: Inst,
) -> Option<Block> {
    let data = &func.insts[inst];
    if !can_move(func, data) {
        return None;
    }
    let loops = std::iter::successors(at, |l| forest.loops()[*l].parent);
    let varies = |l: usize| {
        data.args.iter().any(|v| {
            let mut home = std::iter::successors(home[*v], |l| forest.loops()[*l].parent);
            home.any(|h| h == l)
        })
    };
    let outermost = &forest.loops()[loops.take_while(|l| !varies(*l)).last()?];
    dom.idom(outermost.header).filter(|to| forest.innermost(*to) == outermost.parent)
}
