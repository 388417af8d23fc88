//! Dominator tree of the reachable blocks (iterative algorithm over the reverse postorder), with
//! constant-time dominance queries, and dominance frontiers on demand.

use super::cfg::Cfg;
use crate::ir::{Block, EntityRef, Function, Inst, SecondaryMap, Value, ValueDef};

/// Dominator tree of a function.
pub struct DomTree {
    /// Number of the immediate dominator by reverse postorder number (the entry's is itself).
    idom: Vec<u32>,
    rpo: Vec<Block>,
    number: SecondaryMap<Block, u32>,
    /// Entry and exit times of a walk over the tree, by number.
    enter: Vec<u32>,
    leave: Vec<u32>,
    children: Vec<Vec<u32>>,
    preorder: Vec<Block>,
}

impl DomTree {
    /// Computes the tree.
    pub fn new(cfg: &Cfg) -> DomTree {
        let rpo = cfg.rpo().to_vec();
        let n = rpo.len();
        let mut number = SecondaryMap::with_default(u32::MAX);
        for (i, &b) in rpo.iter().enumerate() {
            number[b] = i as u32;
        }
        let mut idom = vec![u32::MAX; n];
        if n > 0 {
            idom[0] = 0;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for i in 1..n {
                let mut new = u32::MAX;
                for p in cfg.preds(rpo[i]) {
                    let p = number[*p];
                    if idom[p as usize] == u32::MAX {
                        continue;
                    }
                    new = if new == u32::MAX { p } else { intersect(&idom, new, p) };
                }
                if idom[i] != new {
                    idom[i] = new;
                    changed = true;
                }
            }
        }
        let mut children = vec![Vec::new(); n];
        for i in 1..n {
            children[idom[i] as usize].push(i as u32);
        }
        let (mut enter, mut leave) = (vec![0; n], vec![0; n]);
        let mut preorder = Vec::with_capacity(n);
        let mut time = 0;
        let mut stack = if n > 0 { vec![(0u32, 0usize)] } else { Vec::new() };
        while let Some((node, next)) = stack.last_mut() {
            if *next == 0 {
                enter[*node as usize] = time;
                time += 1;
                preorder.push(rpo[*node as usize]);
            }
            if let Some(&child) = children[*node as usize].get(*next) {
                *next += 1;
                stack.push((child, 0));
            } else {
                leave[*node as usize] = time;
                stack.pop();
            }
        }
        DomTree { idom, rpo, number, enter, leave, children, preorder }
    }
    fn num(&self, block: Block) -> Option<usize> {
        Some(self.number[block]).filter(|n| *n != u32::MAX).map(|n| n as usize)
    }
    /// Immediate dominator; `None` for the entry and for unreachable blocks.
    pub fn idom(&self, block: Block) -> Option<Block> {
        let n = self.num(block)?;
        (n != 0).then(|| self.rpo[self.idom[n] as usize])
    }
    /// Whether every path to `b` passes through `a` (true for `a == b`). Every block dominates unreachable
    /// blocks.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        match (self.num(a), self.num(b)) {
            (_, None) => true,
            (None, _) => false,
            (Some(a), Some(b)) => self.enter[a] <= self.enter[b] && self.leave[b] <= self.leave[a],
        }
    }
    /// The blocks that a block immediately dominates.
    pub fn children(&self, block: Block) -> impl Iterator<Item = Block> + '_ {
        let list: &[u32] = self.num(block).map_or(&[], |n| &self.children[n]);
        list.iter().map(|n| self.rpo[*n as usize])
    }
    /// All reachable blocks, each before the blocks it dominates, subtrees contiguous.
    pub fn preorder(&self) -> &[Block] {
        &self.preorder
    }
    /// Dominance frontier of every block.
    pub fn frontiers(&self, cfg: &Cfg) -> SecondaryMap<Block, Vec<Block>> {
        let mut df: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for (i, &b) in self.rpo.iter().enumerate() {
            let preds = cfg.preds(b);
            if preds.len() < 2 && i != 0 {
                continue;
            }
            for &p in preds {
                let Some(mut runner) = self.num(p) else { continue };
                while i == 0 || runner != self.idom[i] as usize {
                    let list = &mut df[self.rpo[runner]];
                    if list.last() != Some(&b) {
                        list.push(b);
                    }
                    if runner == 0 {
                        break;
                    }
                    runner = self.idom[runner] as usize;
                }
            }
        }
        df
    }
}

fn intersect(idom: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while a > b {
            a = idom[a as usize];
        }
        while b > a {
            b = idom[b as usize];
        }
    }
    a
}

/// Positions of instructions (block and index), for dominance of values.
pub struct Positions {
    at: SecondaryMap<Inst, (u32, u32)>,
}

impl Positions {
    /// Numbers the instructions of the layout.
    pub fn new(func: &Function) -> Positions {
        let mut at = SecondaryMap::with_default((u32::MAX, 0));
        for &b in &func.layout {
            for (i, &inst) in func.blocks[b].insts.iter().enumerate() {
                at[inst] = (b.index() as u32, i as u32);
            }
        }
        Positions { at }
    }
    /// The block of an instruction; `None` if it is not in the layout.
    pub fn block(&self, inst: Inst) -> Option<Block> {
        Some(self.at[inst].0).filter(|b| *b != u32::MAX).map(|b| Block::new(b as usize))
    }
    /// Whether `value` is defined on every path to `user`.
    pub fn value_dominates(&self, func: &Function, dom: &DomTree, value: Value, user: Inst) -> bool {
        let (ub, ui) = self.at[user];
        if ub == u32::MAX {
            return true;
        }
        let user_block = Block::new(ub as usize);
        match func.values[value].def {
            ValueDef::Const(_) => true,
            ValueDef::Param(b, _) => dom.dominates(b, user_block),
            ValueDef::Result(inst, _) => {
                let (db, di) = self.at[inst];
                if db == ub {
                    di < ui
                } else {
                    db != u32::MAX && dom.dominates(Block::new(db as usize), user_block)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, Function, Linkage, Signature};

    #[test]
    fn diamond_with_loop() {
        let mut f = Function::new("f", Signature::default(), Linkage::Internal);
        let b: Vec<Block> = (0..5).map(|_| f.add_block()).collect();
        let c = f.bool(true);
        let call = |b| crate::ir::BlockCall::new(b, &[]);
        Builder::new(&mut f, b[0]).brif(c, call(b[1]), call(b[2]));
        Builder::new(&mut f, b[1]).jump(b[3], &[]);
        Builder::new(&mut f, b[2]).jump(b[3], &[]);
        Builder::new(&mut f, b[3]).brif(c, call(b[0]), call(b[4]));
        Builder::new(&mut f, b[4]).ret(&[]);
        let cfg = Cfg::new(&f);
        let dom = DomTree::new(&cfg);
        assert_eq!(dom.idom(b[3]), Some(b[0]));
        assert_eq!(dom.idom(b[4]), Some(b[3]));
        assert!(dom.dominates(b[0], b[4]) && !dom.dominates(b[1], b[3]) && dom.dominates(b[3], b[3]));
        assert_eq!(dom.preorder().len(), 5);
        let df = dom.frontiers(&cfg);
        assert_eq!(df[b[1]], vec![b[3]]);
        assert_eq!(df[b[3]], vec![b[0]]);
        let loops = crate::analysis::LoopForest::new(&cfg, &dom);
        assert_eq!(loops.loops().len(), 1);
        assert!(loops.contains(0, b[1]) && !loops.contains(0, b[4]));
    }
}
