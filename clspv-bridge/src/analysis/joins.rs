//! Blocks where values of a variable meet: the iterated dominance frontier of its writes, where it is live.

use super::{Cfg, DomTree};
use crate::ir::{Block, EntitySet, SecondaryMap};

/// Finds the joins of variables of one function.
pub struct Joins<'a> {
    cfg: &'a Cfg,
    frontiers: SecondaryMap<Block, Vec<Block>>,
    /// Sets about the current variable, empty between two.
    written: EntitySet<Block>,
    live: EntitySet<Block>,
    joins: EntitySet<Block>,
}

impl<'a> Joins<'a> {
    /// Computes the dominance frontiers.
    pub fn new(cfg: &'a Cfg, dom: &DomTree) -> Joins<'a> {
        Joins {
            cfg,
            frontiers: dom.frontiers(cfg),
            written: EntitySet::new(),
            live: EntitySet::new(),
            joins: EntitySet::new(),
        }
    }

    /// The joins of a variable that these blocks write, and others read (before they write it). The entry is
    /// never one.
    pub fn of(&mut self, writes: &[Block], reads: &[Block]) -> Vec<Block> {
        for &b in writes {
            self.written.insert(b);
        }
        let live = self.mark_live(reads);
        let entry = self.cfg.rpo().first();
        let mut list = Vec::new();
        let mut work = writes.to_vec();
        while let Some(b) = work.pop() {
            for &d in &self.frontiers[b] {
                if self.live.contains(d) && Some(&d) != entry && self.joins.insert(d) {
                    list.push(d);
                    work.push(d);
                }
            }
        }
        for &b in writes {
            self.written.remove(b);
        }
        for b in live {
            self.live.remove(b);
        }
        for b in &list {
            self.joins.remove(*b);
        }
        list
    }

    /// Marks the blocks at whose start the variable is live, and returns them.
    fn mark_live(&mut self, reads: &[Block]) -> Vec<Block> {
        let mut list = Vec::new();
        let mut stack = reads.to_vec();
        while let Some(b) = stack.pop() {
            if self.live.insert(b) {
                list.push(b);
                stack.extend(self.cfg.preds(b).iter().copied().filter(|p| !self.written.contains(*p)));
            }
        }
        list
    }
}
