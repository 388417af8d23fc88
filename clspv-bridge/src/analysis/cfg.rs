//! Predecessors, and a reverse postorder of the blocks that are reachable from the entry.
//!
//! A predecessor is listed once for each edge, so a conditional branch with two equal targets counts twice.
//! Unreachable blocks have no number and are not listed as predecessors.

use crate::ir::{Block, EntityRef, Function, SecondaryMap};

/// Control-flow tables of a function.
pub struct Cfg {
    /// Predecessors of all blocks, one block after the other.
    edges: Vec<Block>,
    /// Index of a block's first predecessor in `edges`, and their number.
    preds: SecondaryMap<Block, (u32, u32)>,
    rpo: Vec<Block>,
    number: SecondaryMap<Block, u32>,
}

const UNREACHABLE: u32 = u32::MAX;

impl Cfg {
    /// Computes the tables.
    pub fn new(func: &Function) -> Cfg {
        let mut number = SecondaryMap::with_default(UNREACHABLE);
        let mut rpo = Vec::with_capacity(func.layout.len());
        if let Some(entry) = func.entry() {
            let mut seen = vec![false; func.blocks.len()];
            // (block, next successor to visit)
            let mut stack = vec![(entry, 0usize)];
            seen[entry.index()] = true;
            while let Some((block, next)) = stack.last_mut() {
                let succs = func.successors(*block);
                // The last successor first, so that the first one comes first in the reversed order.
                if *next < succs.len() {
                    let succ = succs[succs.len() - 1 - *next].block;
                    *next += 1;
                    if !seen[succ.index()] {
                        seen[succ.index()] = true;
                        stack.push((succ, 0));
                    }
                } else {
                    rpo.push(*block);
                    stack.pop();
                }
            }
            rpo.reverse();
            for (i, &b) in rpo.iter().enumerate() {
                number[b] = i as u32;
            }
        }
        let (edges, preds) = predecessors(func, &rpo);
        Cfg { edges, preds, rpo, number }
    }
    /// Reachable predecessors of a block, one for each edge.
    pub fn preds(&self, block: Block) -> &[Block] {
        let (first, count) = self.preds[block];
        &self.edges[first as usize..(first + count) as usize]
    }
    /// Reachable blocks in reverse postorder (the entry first).
    pub fn rpo(&self) -> &[Block] {
        &self.rpo
    }
    /// Position of a block in [`Cfg::rpo`]; `None` if it is unreachable.
    pub fn number(&self, block: Block) -> Option<u32> {
        Some(self.number[block]).filter(|n| *n != UNREACHABLE)
    }
    /// Whether the block is reachable from the entry.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.number[block] != UNREACHABLE
    }
}

/// Sources of the edges to each block in reverse postorder, and for each block the first of them and their
/// number.
fn predecessors(func: &Function, rpo: &[Block]) -> (Vec<Block>, SecondaryMap<Block, (u32, u32)>) {
    let mut ranges: SecondaryMap<Block, (u32, u32)> = SecondaryMap::new();
    let mut total = 0;
    for &b in rpo {
        for s in func.successors(b) {
            ranges[s.block].1 += 1;
            total += 1;
        }
    }
    let mut next = 0;
    for &b in rpo {
        let (first, count) = &mut ranges[b];
        *first = next;
        next += std::mem::take(count);
    }
    let mut edges = vec![Block::new(0); total];
    for &b in rpo {
        for s in func.successors(b) {
            let (first, count) = &mut ranges[s.block];
            edges[(*first + *count) as usize] = b;
            *count += 1;
        }
    }
    (edges, ranges)
}
