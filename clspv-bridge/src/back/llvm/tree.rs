//! Structured code as a tree: sequences of blocks, selections and loops.
//!
//! Reads the form that `structurize` gives: a loop's header only enters its body, and every branch is the header of a
//! selection with a merge block.

use crate::error::{CompileError, Result};
use crate::ir::{Block, BlockCall, Function, Merge, Op, Scope, Value};
use std::collections::HashSet;

/// A part of a sequence.
#[derive(Debug)]
pub enum Node {
    /// The block's instructions but for its terminator.
    Block(Block),
    /// Control goes on in this block, which follows.
    Enter(BlockCall),
    /// Control goes to a block around: the merge block of a construct, or the continue block or header of a loop.
    Goto(BlockCall),
    Select(Select),
    Loop(Loop),
    /// The end of a loop that ends in a test: back to its header, or out.
    Test(Test),
}

/// A choice between two edges: the first is taken where the condition holds.
#[derive(Debug)]
pub struct Test {
    pub on: Value,
    pub edges: [BlockCall; 2],
    pub is_split: bool,
}

/// A selection: the arms exclude each other. Control goes on in the merge block, which follows if anything goes there.
#[derive(Debug)]
pub struct Select {
    pub on: Value,
    pub kind: Kind,
    pub arms: Vec<Seq>,
    pub merge: Block,
    /// See [`Seq::is_split`].
    pub is_split: bool,
}

/// How the arm is chosen.
#[derive(Debug)]
pub enum Kind {
    /// The first arm if the condition holds, else the second.
    If,
    /// Values of each arm; the last arm, which is taken otherwise, may have some too.
    Switch(Vec<Vec<u64>>),
}

/// A loop. It is left for the merge block only, which follows if anything goes there.
#[derive(Debug)]
pub struct Loop {
    pub header: Block,
    pub body: Seq,
    pub cont: Block,
    /// From the continue block to the edge back.
    pub latch: Seq,
    pub merge: Block,
    pub is_split: bool,
}

/// Nodes that follow each other.
#[derive(Debug, Default)]
pub struct Seq {
    pub nodes: Vec<Node>,
}

/// Whether the instruction is a barrier at which all work-items of the group meet.
pub fn is_barrier(op: &Op) -> bool {
    matches!(op, Op::Barrier { exec: Scope::WorkGroup | Scope::Device | Scope::AllDevices, .. })
}

/// The function as a tree.
pub fn build(func: &Function) -> Result<Seq> {
    let entry = func.entry().ok_or_else(|| CompileError::internal("a kernel without a body"))?;
    let mut known = HashSet::new();
    let mut seq = Parser { func, known: &mut known }.seq(entry)?;
    // A construct is cut at barriers within, and where it leaves a loop that is.
    while mark(func, &mut seq, &mut HashSet::new()) {}
    Ok(seq)
}

struct Parser<'a> {
    func: &'a Function,
    /// Blocks that end a sequence.
    known: &'a mut HashSet<Block>,
}

impl Parser<'_> {
    fn seq(&mut self, mut block: Block) -> Result<Seq> {
        let mut nodes = Vec::new();
        loop {
            if let Some(Merge::Loop { merge, cont }) = self.func.blocks[block].merge {
                let [body] = self.func.successors(block) else {
                    return Err(CompileError::internal("a loop header that branches"));
                };
                let start = body.clone();
                self.known.extend([merge, cont]);
                let body = self.edge(&start)?;
                self.known.insert(block);
                let latch = self.seq(cont)?;
                for b in [merge, cont, block] {
                    self.known.remove(&b);
                }
                let reached = reaches(&body, merge) || reaches(&latch, merge);
                nodes.push(Node::Loop(Loop { header: block, body, cont, latch, merge, is_split: false }));
                if !reached {
                    return Ok(Seq { nodes });
                }
                block = merge;
                continue;
            }
            nodes.push(Node::Block(block));
            let Some(term) = self.func.terminator(block) else {
                return Err(CompileError::internal("a block without a terminator"));
            };
            let data = &self.func.insts[term];
            let kind = match &data.op {
                Op::Jump => {
                    let call = &data.targets[0];
                    if self.known.contains(&call.block) {
                        nodes.push(Node::Goto(call.clone()));
                        return Ok(Seq { nodes });
                    }
                    nodes.push(Node::Enter(call.clone()));
                    block = call.block;
                    continue;
                }
                Op::BrIf => Kind::If,
                Op::Switch(_) => Kind::Switch(Vec::new()),
                _ => return Ok(Seq { nodes }),
            };
            if let (None, [a, b]) = (self.func.blocks[block].merge, &data.targets[..])
                && self.known.contains(&a.block)
                && self.known.contains(&b.block)
            {
                nodes.push(Node::Test(Test {
                    on: data.args[0],
                    edges: [a.clone(), b.clone()],
                    is_split: false,
                }));
                return Ok(Seq { nodes });
            }
            let Some(Merge::Selection { merge }) = self.func.blocks[block].merge else {
                return Err(CompileError::internal("a branch without a merge block"));
            };
            self.known.insert(merge);
            let (kind, arms) = match (&data.op, kind) {
                (Op::Switch(cases), _) => {
                    let mut targets: Vec<(BlockCall, Vec<u64>)> = Vec::new();
                    for (i, call) in data.targets.iter().enumerate().skip(1) {
                        let found = targets.iter().position(|t| t.0 == *call);
                        let at = found.unwrap_or_else(|| {
                            targets.push((call.clone(), Vec::new()));
                            targets.len() - 1
                        });
                        targets[at].1.push(cases[i - 1]);
                    }
                    let default = &data.targets[0];
                    let last = match targets.iter().position(|t| t.0 == *default) {
                        Some(at) => targets.remove(at),
                        None => (default.clone(), Vec::new()),
                    };
                    targets.push(last);
                    let arms = targets.iter().map(|t| self.edge(&t.0)).collect::<Result<Vec<_>>>()?;
                    (Kind::Switch(targets.into_iter().map(|t| t.1).collect()), arms)
                }
                (_, kind) => (kind, data.targets.iter().map(|t| self.edge(t)).collect::<Result<Vec<_>>>()?),
            };
            self.known.remove(&merge);
            let reached = arms.iter().any(|a| reaches(a, merge));
            nodes.push(Node::Select(Select { on: data.args[0], kind, arms, merge, is_split: false }));
            if !reached {
                return Ok(Seq { nodes });
            }
            block = merge;
        }
    }

    fn edge(&mut self, call: &BlockCall) -> Result<Seq> {
        if self.known.contains(&call.block) {
            return Ok(Seq { nodes: vec![Node::Goto(call.clone())] });
        }
        let mut seq = self.seq(call.block)?;
        seq.nodes.insert(0, Node::Enter(call.clone()));
        Ok(seq)
    }
}

/// Whether an edge within goes to the block.
pub fn reaches(seq: &Seq, block: Block) -> bool {
    seq.nodes.iter().any(|n| match n {
        Node::Goto(call) => call.block == block,
        Node::Select(s) => s.arms.iter().any(|a| reaches(a, block)),
        Node::Loop(l) => reaches(&l.body, block) || reaches(&l.latch, block),
        Node::Test(t) => t.edges.iter().any(|e| e.block == block),
        Node::Block(_) | Node::Enter(_) => false,
    })
}

/// Marks constructs that are split between runs of the work-items: those with barriers, and selections that lead out of such a
/// loop. `targets` are the merge and continue blocks of split loops. True if a mark was added.
fn mark(func: &Function, seq: &mut Seq, targets: &mut HashSet<Block>) -> bool {
    let mut changed = false;
    for node in &mut seq.nodes {
        match node {
            Node::Select(s) => {
                for arm in &mut s.arms {
                    changed |= mark(func, arm, targets);
                }
                let split =
                    s.arms.iter().any(|a| is_split(func, a) || targets.iter().any(|t| reaches(a, *t)));
                changed |= split && !s.is_split;
                s.is_split |= split;
            }
            Node::Loop(l) => {
                if l.is_split {
                    targets.extend([l.merge, l.cont]);
                }
                changed |= mark(func, &mut l.body, targets) | mark(func, &mut l.latch, targets);
                for t in [l.merge, l.cont] {
                    targets.remove(&t);
                }
                let split = is_split(func, &l.body) || is_split(func, &l.latch);
                changed |= split && !l.is_split;
                l.is_split |= split;
                for node in &mut l.latch.nodes {
                    if let Node::Test(t) = node {
                        t.is_split = l.is_split;
                    }
                }
            }
            _ => {}
        }
    }
    changed
}

/// Whether a barrier, or a construct that is split, is in the sequence.
pub fn is_split(func: &Function, seq: &Seq) -> bool {
    seq.nodes.iter().any(|n| match n {
        Node::Block(b) => func.blocks[*b].insts.iter().any(|i| is_barrier(&func.insts[*i].op)),
        Node::Select(s) => s.is_split || s.arms.iter().any(|a| is_split(func, a)),
        Node::Loop(l) => l.is_split || is_split(func, &l.body) || is_split(func, &l.latch),
        Node::Enter(_) | Node::Goto(_) | Node::Test(_) => false,
    })
}
