//! Natural loops of a reducible control-flow graph, and their nesting.
//!
//! Back edges are edges to a dominator; loops with one header are one loop. Cycles of an irreducible graph
//! without a dominating header are not found; [`is_reducible`] detects such graphs.

use super::cfg::Cfg;
use super::domtree::DomTree;
use crate::ir::{Block, BlockCall, Function, Inst, Op, SecondaryMap};

/// Natural loop.
#[derive(Debug, Clone)]
pub struct Loop {
    pub header: Block,
    /// Index of the innermost loop around this one.
    pub parent: Option<usize>,
    /// 1 for an outermost loop.
    pub depth: u32,
    /// Sources of back edges.
    pub latches: Vec<Block>,
}

/// All loops of a function; outer loops come before the loops inside them.
pub struct LoopForest {
    loops: Vec<Loop>,
    innermost: SecondaryMap<Block, u32>,
}

/// A conditional branch that leaves a loop for one target and stays inside for the other.
pub struct ExitBranch<'a> {
    pub inst: Inst,
    pub inside: &'a BlockCall,
    pub exit: &'a BlockCall,
    /// The loop is left if the condition is true.
    pub leaves_for_true: bool,
}

const NONE: u32 = u32::MAX;

impl LoopForest {
    /// Finds the loops.
    pub fn new(cfg: &Cfg, dom: &DomTree) -> LoopForest {
        let mut loops: Vec<Loop> = Vec::new();
        let mut innermost = SecondaryMap::with_default(NONE);
        // Headers in reverse order, inner loops first, so that the first loop to claim a block is the
        // innermost.
        let mut found: Vec<usize> = Vec::new();
        for &header in cfg.rpo().iter() {
            let latches: Vec<Block> =
                cfg.preds(header).iter().copied().filter(|p| dom.dominates(header, *p)).collect();
            if !latches.is_empty() {
                found.push(loops.len());
                loops.push(Loop { header, parent: None, depth: 1, latches });
            }
        }
        for &l in found.iter().rev() {
            let header = loops[l].header;
            let mut stack = loops[l].latches.clone();
            while let Some(block) = stack.pop() {
                let mut inner = innermost[block];
                if inner == NONE {
                    innermost[block] = l as u32;
                    if block != header {
                        stack.extend_from_slice(cfg.preds(block));
                    }
                    continue;
                }
                // The block is in a loop already: climb to its outermost known loop and continue from that
                // header.
                while let Some(p) = loops[inner as usize].parent {
                    inner = p as u32;
                }
                if inner as usize != l {
                    loops[inner as usize].parent = Some(l);
                    let inner_header = loops[inner as usize].header;
                    let preds = cfg.preds(inner_header).iter().copied();
                    stack.extend(preds.filter(|p| !dom.dominates(inner_header, *p)));
                }
            }
            if innermost[header] == NONE {
                innermost[header] = l as u32;
            }
        }
        for l in 0..loops.len() {
            if let Some(p) = loops[l].parent {
                loops[l].depth = loops[p].depth + 1;
            }
        }
        LoopForest { loops, innermost }
    }
    /// The loops, outer before inner.
    pub fn loops(&self) -> &[Loop] {
        &self.loops
    }
    /// Index of the innermost loop of a block; `None` outside of loops.
    pub fn innermost(&self, block: Block) -> Option<usize> {
        Some(self.innermost[block]).filter(|l| *l != NONE).map(|l| l as usize)
    }
    /// Indices of the loops of a block, inner before outer.
    pub fn around(&self, block: Block) -> impl Iterator<Item = usize> {
        std::iter::successors(self.innermost(block), |l| self.loops[*l].parent)
    }
    /// Whether the block is in this loop.
    pub fn contains(&self, l: usize, block: Block) -> bool {
        self.around(block).take_while(|i| *i >= l).any(|i| i == l)
    }
    /// The block's branch, if it leaves the loop for one of two targets.
    pub fn exit_branch<'a>(&self, func: &'a Function, l: usize, block: Block) -> Option<ExitBranch<'a>> {
        let inst = func.terminator(block).filter(|t| func.insts[*t].op == Op::BrIf)?;
        let [yes, no] = &func.insts[inst].targets[..] else { return None };
        match (self.contains(l, yes.block), self.contains(l, no.block)) {
            (true, false) => Some(ExitBranch { inst, inside: yes, exit: no, leaves_for_true: false }),
            (false, true) => Some(ExitBranch { inst, inside: no, exit: yes, leaves_for_true: true }),
            _ => None,
        }
    }
}

/// Whether every cycle has a header that dominates it.
pub fn is_reducible(cfg: &Cfg, dom: &DomTree, successors: impl Fn(Block) -> Vec<Block>) -> bool {
    cfg.rpo().iter().all(|&b| {
        successors(b).into_iter().all(|s| match (cfg.number(s), cfg.number(b)) {
            (Some(s_num), Some(b_num)) if s_num <= b_num => dom.dominates(s, b),
            _ => true,
        })
    })
}
