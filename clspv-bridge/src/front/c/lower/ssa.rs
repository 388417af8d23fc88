//! SSA construction while blocks are made (Braun et al., "Simple and Efficient Construction of Static Single
//! Assignment Form", 2013).
//!
//! A variable that is read in a block without a definition is looked up in the predecessors. Where several
//! meet, the block gets a parameter, and each edge an argument. A block is *sealed* once all its predecessors
//! are known; before that every read of a variable adds a parameter. [`finish`] removes those parameters
//! whose arguments are all one value.

use crate::ir::{Block, EntitySet, Function, Inst, SecondaryMap, Type, Value};
use rustc_hash::FxHashMap;

/// A variable that is kept in values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SsaVariable(u32);

/// An edge into a block: its source, and the terminator's target that represents it.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: Block,
    inst: Inst,
    target: u32,
}

#[derive(Clone, Default, Debug)]
struct BlockState {
    sealed: bool,
    edges: Vec<Edge>,
    /// Parameters that get their arguments when the block is sealed.
    incomplete: Vec<(SsaVariable, Value)>,
}

/// State of the construction for one function.
#[derive(Default)]
pub struct Ssa {
    types: Vec<Type>,
    definitions: FxHashMap<(SsaVariable, Block), Value>,
    blocks: SecondaryMap<Block, BlockState>,
    /// Parameters whose arguments are missing, with their blocks.
    work: Vec<(Block, Value)>,
}

impl Ssa {
    /// A new variable, which is undefined.
    pub fn declare(&mut self, ty: Type) -> SsaVariable {
        self.types.push(ty);
        SsaVariable(self.types.len() as u32 - 1)
    }

    /// Type of a variable's values.
    pub fn ty(&self, variable: SsaVariable) -> Option<Type> {
        self.types.get(variable.0 as usize).copied()
    }

    /// Defines a variable at the end of a block so far.
    pub fn write(&mut self, variable: SsaVariable, block: Block, value: Value) {
        self.definitions.insert((variable, block), value);
    }

    /// Value of a variable at the end of a block so far.
    pub fn read(&mut self, f: &mut Function, variable: SsaVariable, block: Block) -> Value {
        let value = self.find(f, variable, block);
        self.complete(f, variable);
        value
    }

    /// Adds the edges of a block's terminator.
    pub fn add_edges(&mut self, f: &Function, from: Block, inst: Inst) {
        for (target, call) in (0u32..).zip(&f.insts[inst].targets) {
            debug_assert!(!self.blocks[call.block].sealed, "an edge to the sealed {}", call.block);
            self.blocks[call.block].edges.push(Edge { from, inst, target });
        }
    }

    /// Whether a block has predecessors so far.
    pub fn has_edges(&self, block: Block) -> bool {
        !self.blocks[block].edges.is_empty()
    }

    /// Declares that all predecessors of a block are known.
    pub fn seal(&mut self, f: &mut Function, block: Block) {
        if std::mem::replace(&mut self.blocks[block].sealed, true) {
            return;
        }
        for (variable, param) in std::mem::take(&mut self.blocks[block].incomplete) {
            self.work.push((block, param));
            self.complete(f, variable);
        }
    }

    /// Passes arguments to the parameters for `variable` that lack them.
    fn complete(&mut self, f: &mut Function, variable: SsaVariable) {
        while let Some((block, _)) = self.work.pop() {
            for i in 0..self.blocks[block].edges.len() {
                let Some(edge) = self.blocks[block].edges.get(i).copied() else { break };
                let value = self.find(f, variable, edge.from);
                if let Some(call) = f.insts[edge.inst].targets.get_mut(edge.target as usize) {
                    call.args.push(value);
                }
            }
        }
    }

    /// Like [`Ssa::read`], but new parameters of sealed blocks are left in `work`.
    fn find(&mut self, f: &mut Function, variable: SsaVariable, block: Block) -> Value {
        let ty = self.ty(variable).unwrap_or(crate::ir::I32);
        let mut passed = Vec::new();
        let mut at = block;
        let value = loop {
            if let Some(value) = self.definitions.get(&(variable, at)) {
                break *value;
            }
            let state = &self.blocks[at];
            match state.edges.as_slice() {
                [] if state.sealed => break f.undef(ty),
                // An unreachable loop of single predecessors never ends.
                [_] if passed.len() > f.blocks.len() => break f.undef(ty),
                [edge] if state.sealed => {
                    passed.push(at);
                    at = edge.from;
                }
                _ => {
                    let sealed = state.sealed;
                    let param = f.add_param(at, ty);
                    self.write(variable, at, param);
                    if sealed {
                        self.work.push((at, param));
                    } else {
                        self.blocks[at].incomplete.push((variable, param));
                    }
                    break param;
                }
            }
        };
        for at in passed {
            self.write(variable, at, value);
        }
        value
    }
}

/// Removes unreachable blocks, and block parameters whose arguments are all one value.
pub fn finish(f: &mut Function) {
    remove_unreachable(f);
    remove_trivial_params(f);
}

fn remove_unreachable(f: &mut Function) {
    let Some(entry) = f.entry() else { return };
    let mut reachable = EntitySet::<Block>::new();
    reachable.insert(entry);
    let mut work = vec![entry];
    while let Some(block) = work.pop() {
        for call in f.successors(block) {
            if reachable.insert(call.block) {
                work.push(call.block);
            }
        }
    }
    f.layout.retain(|b| reachable.contains(*b));
}

/// The value that represents another after replacements.
fn resolve(replaced: &FxHashMap<Value, Value>, mut value: Value) -> Value {
    while let Some(next) = replaced.get(&value) {
        value = *next;
    }
    value
}

fn remove_trivial_params(f: &mut Function) {
    let mut incoming: SecondaryMap<Block, Vec<(Inst, usize)>> = SecondaryMap::new();
    for &block in &f.layout {
        let Some(inst) = f.terminator(block) else { continue };
        for (i, call) in f.insts[inst].targets.iter().enumerate() {
            incoming[call.block].push((inst, i));
        }
    }
    let mut replaced: FxHashMap<Value, Value> = FxHashMap::default();
    let candidates: Vec<Block> =
        f.layout.iter().skip(1).copied().filter(|b| !f.blocks[*b].params.is_empty()).collect();
    loop {
        let before = replaced.len();
        for &block in &candidates {
            for i in 0..f.blocks[block].params.len() {
                let Some(&param) = f.blocks[block].params.get(i) else { break };
                if replaced.contains_key(&param) {
                    continue;
                }
                let args = incoming[block].iter().filter_map(|(inst, t)| {
                    f.insts[*inst].targets.get(*t).and_then(|call| call.args.get(i)).copied()
                });
                if let Some(same) = only_value(&replaced, param, args) {
                    replaced.insert(param, same);
                }
            }
        }
        if replaced.len() == before {
            break;
        }
    }
    if replaced.is_empty() {
        return;
    }
    for &block in &candidates {
        let params = f.blocks[block].params.clone();
        if params.iter().all(|p| !replaced.contains_key(p)) {
            continue;
        }
        for (inst, t) in &incoming[block] {
            if let Some(call) = f.insts[*inst].targets.get_mut(*t) {
                let mut keep = params.iter().map(|p| !replaced.contains_key(p));
                call.args.retain(|_| keep.next().unwrap_or(true));
            }
        }
        f.set_params(block, params.into_iter().filter(|p| !replaced.contains_key(p)).collect());
    }
    f.replace_uses(&replaced);
}

/// The only value among the arguments of a parameter, apart from the parameter itself.
fn only_value(
    replaced: &FxHashMap<Value, Value>,
    param: Value,
    args: impl Iterator<Item = Value>,
) -> Option<Value> {
    let mut same = None;
    for arg in args {
        let arg = resolve(replaced, arg);
        if arg == param || same == Some(arg) {
            continue;
        }
        if same.replace(arg).is_some() {
            return None;
        }
    }
    same
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{BlockCall, Builder, Const, EntityRef, I1, I32, Linkage, Op, Signature, ValueDef};

    #[test]
    fn a_loop_keeps_only_the_parameter_that_changes() {
        let sig = Signature { params: vec![I32, I1], results: vec![I32] };
        let mut f = Function::new("f", sig, Linkage::Export);
        let mut ssa = Ssa::default();
        let (entry, head, exit) = (f.add_block(), f.add_block(), f.add_block());
        let (n, c) = (f.add_param(entry, I32), f.add_param(entry, I1));
        ssa.seal(&mut f, entry);
        let (i, k) = (ssa.declare(I32), ssa.declare(I32));
        ssa.write(i, entry, n);
        ssa.write(k, entry, n);
        let jump = Builder::new(&mut f, entry).jump(head, &[]);
        ssa.add_edges(&f, entry, jump);
        let (x, y) = (ssa.read(&mut f, i, head), ssa.read(&mut f, k, head));
        let sum = Builder::new(&mut f, head).iadd(x, y);
        ssa.write(i, head, sum);
        let branch = Builder::new(&mut f, head).brif(c, BlockCall::new(head, &[]), BlockCall::new(exit, &[]));
        ssa.add_edges(&f, head, branch);
        ssa.seal(&mut f, head);
        ssa.seal(&mut f, exit);
        let result = ssa.read(&mut f, i, exit);
        Builder::new(&mut f, exit).ret(&[result]);
        finish(&mut f);
        assert_eq!(f.blocks[head].params.len(), 1);
        assert_eq!(f.insts[jump].targets[0].args.as_slice(), [n]);
        let mut module = crate::ir::Module::default();
        module.functions.push(f);
        crate::ir::verify::verify_module(&module).unwrap();
    }

    #[test]
    fn unreachable_cycles_end() {
        let mut f = Function::new("f", Signature::default(), Linkage::Export);
        let mut ssa = Ssa::default();
        let (entry, cycle) = (f.add_block(), f.add_block());
        Builder::new(&mut f, entry).ret(&[]);
        let jump = Builder::new(&mut f, cycle).jump(cycle, &[]);
        ssa.add_edges(&f, cycle, jump);
        ssa.seal(&mut f, cycle);
        let v = ssa.declare(I32);
        let value = ssa.read(&mut f, v, cycle);
        assert!(matches!(f.values[value].def, ValueDef::Const(Const::Undef(_))));
        finish(&mut f);
        assert_eq!(f.layout.len(), 1);
        assert_eq!(cycle.index(), 1);
        assert!(matches!(f.insts[jump].op, Op::Jump));
    }
}
