//! Structured code as a tree: sequences of blocks, selections and loops.
//!
//! The input is in the form that `structurize` produces: a loop's header only enters its body, and every
//! branch is the header of a selection with a merge block.

use crate::error::{CompileError, Result};
use crate::ir::{Block, BlockCall, Function, Merge, Op, Scope, Value};
use rustc_hash::FxHashSet;

/// An element of a sequence.
#[derive(Debug)]
pub enum Node {
    /// The block's instructions without its terminator.
    Block(Block),
    /// Control continues in this block, which follows.
    Enter(BlockCall),
    /// Control goes to an enclosing block: the merge block of a construct, or the continue block or header of
    /// a loop.
    Goto(BlockCall),
    Select(SelectNode),
    Loop(LoopNode),
    /// The end of a loop that ends in a test: back to its header, or out.
    Test(LatchTest),
}

/// A choice between two edges: the first is taken if the condition holds.
#[derive(Debug)]
pub struct LatchTest {
    pub on: Value,
    pub edges: [BlockCall; 2],
    pub has_barrier: bool,
}

/// A selection: the arms exclude each other. Control continues in the merge block, which follows if an edge
/// goes there.
#[derive(Debug)]
pub struct SelectNode {
    pub on: Value,
    pub kind: SelectKind,
    pub arms: Vec<Seq>,
    pub merge: Block,
    /// Whether it contains a barrier, or leads out of a loop that does (see [`build`]).
    pub has_barrier: bool,
}

/// How the arm is chosen.
#[derive(Debug)]
pub enum SelectKind {
    /// The first arm if the condition holds, else the second.
    If,
    /// Values of each arm; the last arm, which is the default, may have some too.
    Switch(Vec<Vec<u64>>),
}

/// A loop. It is left for the merge block only, which follows if an edge goes there.
#[derive(Debug)]
pub struct LoopNode {
    pub header: Block,
    pub body: Seq,
    pub cont: Block,
    /// The nodes from the continue block to the back edge.
    pub latch: Seq,
    pub merge: Block,
    pub has_barrier: bool,
}

/// Consecutive nodes.
#[derive(Debug, Default)]
pub struct Seq {
    pub nodes: Vec<Node>,
}

/// Whether the instruction is a barrier at which all work-items of the group meet.
pub(crate) fn is_barrier(op: &Op) -> bool {
    matches!(op, Op::Barrier { exec: Scope::WorkGroup | Scope::Device | Scope::AllDevices, .. })
}

/// Builds the tree of a function.
pub fn build(func: &Function) -> Result<Seq> {
    let entry = func.entry().ok_or_else(|| CompileError::internal("a kernel without a body"))?;
    let mut known = FxHashSet::default();
    let mut seq = Parser { func, known: &mut known }.seq(entry)?;
    // A construct is divided between parallel regions at barriers within, and where it leaves a loop that is
    // divided.
    while mark(func, &mut seq, &mut FxHashSet::default()) {}
    Ok(seq)
}

struct Parser<'a> {
    func: &'a Function,
    /// Blocks that end a sequence.
    known: &'a mut FxHashSet<Block>,
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
                nodes.push(Node::Loop(LoopNode {
                    header: block,
                    body,
                    cont,
                    latch,
                    merge,
                    has_barrier: false,
                }));
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
                Op::BrIf => SelectKind::If,
                Op::Switch(_) => SelectKind::Switch(Vec::new()),
                _ => return Ok(Seq { nodes }),
            };
            if let (None, [a, b]) = (self.func.blocks[block].merge, &data.targets[..])
                && self.known.contains(&a.block)
                && self.known.contains(&b.block)
            {
                nodes.push(Node::Test(LatchTest {
                    on: data.args[0],
                    edges: [a.clone(), b.clone()],
                    has_barrier: false,
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
                    (SelectKind::Switch(targets.into_iter().map(|t| t.1).collect()), arms)
                }
                (_, kind) => (kind, data.targets.iter().map(|t| self.edge(t)).collect::<Result<Vec<_>>>()?),
            };
            self.known.remove(&merge);
            let reached = arms.iter().any(|a| reaches(a, merge));
            nodes.push(Node::Select(SelectNode { on: data.args[0], kind, arms, merge, has_barrier: false }));
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

/// Marks constructs that are divided between parallel regions: those with barriers, and selections that lead
/// out of such a loop. `targets` are the merge and continue blocks of marked loops. Returns whether a mark
/// was added.
fn mark(func: &Function, seq: &mut Seq, targets: &mut FxHashSet<Block>) -> bool {
    let mut changed = false;
    for node in &mut seq.nodes {
        match node {
            Node::Select(s) => {
                for arm in &mut s.arms {
                    changed |= mark(func, arm, targets);
                }
                let has_barrier = s
                    .arms
                    .iter()
                    .any(|a| contains_barrier(func, a) || targets.iter().any(|t| reaches(a, *t)));
                changed |= has_barrier && !s.has_barrier;
                s.has_barrier |= has_barrier;
            }
            Node::Loop(l) => {
                if l.has_barrier {
                    targets.extend([l.merge, l.cont]);
                }
                changed |= mark(func, &mut l.body, targets) | mark(func, &mut l.latch, targets);
                for t in [l.merge, l.cont] {
                    targets.remove(&t);
                }
                let has_barrier = contains_barrier(func, &l.body) || contains_barrier(func, &l.latch);
                changed |= has_barrier && !l.has_barrier;
                l.has_barrier |= has_barrier;
                for node in &mut l.latch.nodes {
                    if let Node::Test(t) = node {
                        t.has_barrier = l.has_barrier;
                    }
                }
            }
            _ => {}
        }
    }
    changed
}

/// Whether the sequence contains a barrier, or a construct that is marked.
pub(crate) fn contains_barrier(func: &Function, seq: &Seq) -> bool {
    seq.nodes.iter().any(|n| match n {
        Node::Block(b) => func.blocks[*b].insts.iter().any(|i| is_barrier(&func.insts[*i].op)),
        Node::Select(s) => s.has_barrier || s.arms.iter().any(|a| contains_barrier(func, a)),
        Node::Loop(l) => l.has_barrier || contains_barrier(func, &l.body) || contains_barrier(func, &l.latch),
        Node::Enter(_) | Node::Goto(_) | Node::Test(_) => false,
    })
}
