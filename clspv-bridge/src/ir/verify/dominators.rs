//! Dominator tree for the verifier (Cooper, Harvey and Kennedy), with constant-time queries.
//!
//! Separate from the analyses that passes use, so that the verifier does not depend on the code that it
//! checks.

use super::index;
use crate::ir::entity::{Block, SecondaryMap};
use crate::ir::func::Function;

/// Immediate dominators and their tree's preorder intervals.
pub(super) struct Dominators {
    idom: SecondaryMap<Block, Option<Block>>,
    /// Entry and exit time in the tree; (0, 0) for unreachable blocks.
    interval: SecondaryMap<Block, (u32, u32)>,
    /// Reachable blocks in reverse postorder.
    pub(super) order: Vec<Block>,
}

impl Dominators {
    pub(super) fn new(func: &Function) -> Dominators {
        let order = reverse_postorder(func);
        let mut number: SecondaryMap<Block, u32> = SecondaryMap::with_default(u32::MAX);
        let mut preds: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for (i, &b) in order.iter().enumerate() {
            number[b] = i as u32;
            for t in func.successors(b) {
                preds[t.block].push(b);
            }
        }
        let mut idom: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
        let mut changed = true;
        while changed {
            changed = false;
            for (i, &b) in order.iter().enumerate().skip(1) {
                let mut new: Option<Block> = None;
                for &p in &preds[b] {
                    // Only predecessors processed already (the first has the entry as its ancestor).
                    if number[p] != 0 && idom[p].is_none() {
                        continue;
                    }
                    new = Some(match new {
                        None => p,
                        Some(mut a) => {
                            let mut c = p;
                            while a != c {
                                if number[a] > number[c] {
                                    a = idom[a].unwrap_or(order[0]);
                                } else {
                                    c = idom[c].unwrap_or(order[0]);
                                }
                            }
                            a
                        }
                    });
                }
                debug_assert!(new.is_none_or(|n| (number[n] as usize) < i));
                if idom[b] != new {
                    idom[b] = new;
                    changed = true;
                }
            }
        }
        let mut children: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for &b in &order {
            if let Some(d) = idom[b] {
                children[d].push(b);
            }
        }
        let mut interval: SecondaryMap<Block, (u32, u32)> = SecondaryMap::new();
        let mut time = 0;
        let mut stack: Vec<(Block, usize)> = order.first().map(|b| (*b, 0)).into_iter().collect();
        while let Some((b, next)) = stack.pop() {
            if next == 0 {
                time += 1;
                interval[b].0 = time;
            }
            match children[b].get(next) {
                Some(&child) => {
                    stack.push((b, next + 1));
                    stack.push((child, 0));
                }
                None => interval[b].1 = time,
            }
        }
        Dominators { idom, interval, order }
    }

    pub(super) fn idom(&self, block: Block) -> Option<Block> {
        self.idom[block]
    }
    pub(super) fn reachable(&self, block: Block) -> bool {
        self.interval[block].0 != 0
    }
    /// Whether `a` dominates `b` (both reachable); a block dominates itself.
    pub(super) fn dominates(&self, a: Block, b: Block) -> bool {
        let ((a0, a1), (b0, _)) = (self.interval[a], self.interval[b]);
        a0 != 0 && a0 <= b0 && b0 <= a1
    }
}

fn reverse_postorder(func: &Function) -> Vec<Block> {
    let mut seen = vec![false; func.blocks.len()];
    let mut order = Vec::with_capacity(func.layout.len());
    let mut stack: Vec<(Block, usize)> = Vec::new();
    if let Some(entry) = func.entry() {
        seen[index(entry)] = true;
        stack.push((entry, 0));
    }
    while let Some((b, next)) = stack.pop() {
        match func.successors(b).get(next) {
            Some(t) => {
                stack.push((b, next + 1));
                if !std::mem::replace(&mut seen[index(t.block)], true) {
                    stack.push((t.block, 0));
                }
            }
            None => order.push(b),
        }
    }
    order.reverse();
    order
}
