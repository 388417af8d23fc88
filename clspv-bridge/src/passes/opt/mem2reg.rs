//! Promotes stack slots that are only loaded and stored as a whole to values.
//!
//! A slot qualifies if every use of its address is a non-volatile load or store of one size at offset 0. The
//! variable takes the type of the first access; other types of that size are converted at the access.
//! Parameters are added at the iterated dominance frontier of the stores, where the variable is live; a read
//! before any write is undefined. In instrumented code, variables that may be read uninitialised stay in
//! memory.

use crate::analysis::{Cfg, DomTree, Joins};
use crate::error::Result;
use crate::ir::{
    Block, CastOp, EntityRef, Function, I64, Inst, Module, Op, Root, SecondaryMap, Slot, Space, Type, Value,
};
use crate::passes::{Pass, PassContext};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The pass `mem2reg`.
pub struct Mem2Reg;

impl Pass for Mem2Reg {
    fn name(&self) -> &'static str {
        "mem2reg"
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        let checked = cx.is_instrumented();
        let mut changed = false;
        for f in module.functions.values_mut() {
            let kept = if checked {
                crate::passes::opt::instrumentation::may_be_uninitialised(f)
            } else {
                FxHashSet::default()
            };
            changed |= promote(f, &kept);
        }
        Ok(changed)
    }
}

/// Promotes the slots of one function except those in `kept`; true if there were any.
pub fn promote(func: &mut Function, kept: &FxHashSet<Slot>) -> bool {
    if func.slots.is_empty() || func.layout.is_empty() {
        return false;
    }
    crate::passes::structure::ssa_repair::remove_unreachable(func);
    let vars = Variables::new(func, kept);
    if vars.types.is_empty() {
        return false;
    }
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let accesses = BlockAccesses::collect(func, &cfg, &vars);
    let params = place_params(func, &cfg, &dom, &vars, &accesses);
    let mut renamer = Renamer {
        func,
        vars: &vars,
        params: &params,
        current: FxHashMap::default(),
        undo: Vec::new(),
        replaced: FxHashMap::default(),
    };
    renamer.run(&dom);
    let replaced = renamer.replaced;
    func.replace_uses(&replaced);
    crate::passes::opt::dce::remove_dead_values(func);
    true
}

/// The promoted slots.
struct Variables {
    types: BTreeMap<Slot, Type>,
    /// Addresses of slots.
    addresses: FxHashMap<Value, Slot>,
}

/// A load or store of a promoted slot.
struct VarAccess {
    slot: Slot,
    ty: Type,
    is_store: bool,
}

impl Variables {
    fn new(func: &Function, kept: &FxHashSet<Slot>) -> Variables {
        let (states, addresses) = candidates(func);
        let types = func.slots.keys().filter_map(|slot| match states[slot.index()] {
            State::Variable(ty) if kept.contains(&slot) && ty.access_bytes().is_some() => None,
            State::Variable(ty) => Some((slot, ty)),
            _ => None,
        });
        Variables { types: types.collect(), addresses }
    }

    /// The access of an instruction.
    fn access(&self, func: &Function, inst: Inst) -> Option<VarAccess> {
        let data = &func.insts[inst];
        let (address, is_store) = match data.op {
            Op::Load(_) => (data.args[0], false),
            Op::Store(_) => (data.args[1], true),
            _ => return None,
        };
        let slot = *self.addresses.get(&address)?;
        self.types.get(&slot).map(|&ty| VarAccess { slot, ty, is_store })
    }
}

/// For each slot, the blocks that write it, and those that read it before they write it.
#[derive(Default)]
struct BlockAccesses {
    writes: FxHashMap<Slot, Vec<Block>>,
    reads: FxHashMap<Slot, Vec<Block>>,
}

impl BlockAccesses {
    fn collect(func: &Function, cfg: &Cfg, vars: &Variables) -> BlockAccesses {
        let mut all = BlockAccesses::default();
        for &b in cfg.rpo() {
            for &inst in &func.blocks[b].insts {
                let Some(VarAccess { slot, is_store, .. }) = vars.access(func, inst) else { continue };
                if all.writes.get(&slot).and_then(|list| list.last()) == Some(&b) {
                    continue;
                }
                let lists = if is_store { &mut all.writes } else { &mut all.reads };
                let list = lists.entry(slot).or_default();
                if list.last() != Some(&b) {
                    list.push(b);
                }
            }
        }
        all
    }
}

/// Parameters that blocks get, with their slots.
type Params = SecondaryMap<Block, Vec<(Slot, Value)>>;

/// Adds a parameter where values of a slot meet.
fn place_params(
    func: &mut Function,
    cfg: &Cfg,
    dom: &DomTree,
    vars: &Variables,
    accesses: &BlockAccesses,
) -> Params {
    let mut params = Params::new();
    let mut joins = Joins::new(cfg, dom);
    for (slot, &ty) in &vars.types {
        if let (Some(writes), Some(reads)) = (accesses.writes.get(slot), accesses.reads.get(slot)) {
            for block in joins.of(writes, reads) {
                params[block].push((*slot, func.add_param(block, ty)));
            }
        }
    }
    params
}

/// Replaces accesses by values, down the dominator tree.
struct Renamer<'a> {
    func: &'a mut Function,
    vars: &'a Variables,
    params: &'a Params,
    /// The slots' values at this point.
    current: FxHashMap<Slot, Value>,
    /// Earlier values of slots, to restore on the way up.
    undo: Vec<(Slot, Option<Value>)>,
    /// Values of the loads.
    replaced: FxHashMap<Value, Value>,
}

impl Renamer<'_> {
    fn run(&mut self, dom: &DomTree) {
        // Blocks from the entry to the current one, each with the length of `undo` before it.
        let mut path: Vec<(Block, usize)> = Vec::new();
        for &b in dom.preorder() {
            while let Some((_, mark)) = path.pop_if(|(top, _)| dom.idom(b) != Some(*top)) {
                self.restore(mark);
            }
            path.push((b, self.undo.len()));
            self.block(b);
        }
    }

    fn set(&mut self, slot: Slot, value: Value) {
        let old = self.current.insert(slot, value);
        self.undo.push((slot, old));
    }

    fn restore(&mut self, mark: usize) {
        for (slot, old) in self.undo.drain(mark..).rev() {
            match old {
                Some(v) => self.current.insert(slot, v),
                None => self.current.remove(&slot),
            };
        }
    }

    /// The value of a slot, which is undefined before the first store.
    fn value(&mut self, slot: Slot, ty: Type) -> Value {
        match self.current.get(&slot) {
            Some(&v) => v,
            None => self.func.undef(ty),
        }
    }

    fn block(&mut self, b: Block) {
        let params = self.params;
        for &(slot, p) in &params[b] {
            self.set(slot, p);
        }
        let old = self.func.take_insts(b);
        let mut new = Vec::with_capacity(old.len());
        for inst in old {
            let Some(VarAccess { slot, ty, is_store }) = self.vars.access(self.func, inst) else {
                new.push(inst);
                continue;
            };
            if is_store {
                let v = self.func.insts[inst].args[0];
                let v = self.replaced.get(&v).copied().unwrap_or(v);
                let v = convert(self.func, &mut new, v, ty);
                self.set(slot, v);
            } else {
                let result = self.func.insts[inst].results[0];
                let v = self.value(slot, ty);
                let v = convert(self.func, &mut new, v, self.func.ty(result));
                self.replaced.insert(result, v);
            }
        }
        self.func.blocks[b].insts = new;
        if let Some(t) = self.func.terminator(b) {
            let mut targets = std::mem::take(&mut self.func.insts[t].targets);
            for call in targets.iter_mut() {
                for &(slot, p) in &params[call.block] {
                    let v = self.value(slot, self.func.ty(p));
                    call.args.push(v);
                }
            }
            self.func.insts[t].targets = targets;
        }
    }
}

/// Converts `v` to another type of the same size.
fn convert(func: &mut Function, list: &mut Vec<Inst>, v: Value, ty: Type) -> Value {
    let from = func.ty(v);
    if from == ty {
        return v;
    }
    let mut cast = |func: &mut Function, op: CastOp, v: Value, ty: Type| {
        let inst = func.make_inst(Op::Cast(op), &[v], &[ty]);
        list.push(inst);
        func.insts[inst].results[0]
    };
    let v = match from {
        Type::Ptr(a) if ty.space().is_some_and(|b| a == Space::Generic || b == Space::Generic) => {
            return cast(func, CastOp::PtrCast, v, ty);
        }
        Type::Ptr(_) => cast(func, CastOp::PtrToInt, v, I64),
        _ => v,
    };
    match ty {
        Type::Ptr(_) => {
            let v = if func.ty(v) == I64 { v } else { cast(func, CastOp::Bitcast, v, I64) };
            cast(func, CastOp::IntToPtr, v, ty)
        }
        _ if func.ty(v) == ty => v,
        _ => cast(func, CastOp::Bitcast, v, ty),
    }
}

/// Type of a candidate slot.
#[derive(Clone, Copy, PartialEq, Debug)]
enum State {
    Unused,
    Variable(Type),
    No,
}

/// Which slots qualify, and the slot that each address value points to.
fn candidates(func: &Function) -> (Vec<State>, FxHashMap<Value, Slot>) {
    let mut states = vec![State::Unused; func.slots.len()];
    let mut addresses: FxHashMap<Value, Slot> = FxHashMap::default();
    for data in func.data_in_order() {
        if let Op::SlotAddr(s) = data.op {
            addresses.insert(data.results[0], s);
        }
    }
    for data in func.data_in_order() {
        let own = match data.op {
            Op::Load(a) if !a.volatile && a.root == Root::Ptr => Some((0, func.ty(data.results[0]))),
            Op::Store(a) if !a.volatile && a.root == Root::Ptr => Some((1, func.ty(data.args[0]))),
            _ => None,
        };
        for (i, v) in data.args.iter().enumerate() {
            let Some(s) = addresses.get(v) else { continue };
            let state = &mut states[s.index()];
            *state = match (own, *state) {
                (Some((at, ty)), State::Unused) if at == i => match ty.access_bytes() {
                    Some(bytes) if bytes > func.slots[*s].size => State::No,
                    _ => State::Variable(ty),
                },
                (Some((at, Type::Ptr(_))), State::Variable(old @ Type::Ptr(_))) if at == i => {
                    // Pointers to several spaces are generic.
                    let ty = func.ty(if at == 0 { data.results[0] } else { data.args[0] });
                    State::Variable(if ty == old { old } else { Type::Ptr(Space::Generic) })
                }
                (Some((at, ty)), State::Variable(old)) if at == i && same_size(old, ty) => {
                    State::Variable(old)
                }
                _ => State::No,
            };
        }
        for v in data.targets.iter().flat_map(|t| &t.args) {
            if let Some(s) = addresses.get(v) {
                states[s.index()] = State::No;
            }
        }
    }
    (states, addresses)
}

fn same_size(a: Type, b: Type) -> bool {
    a == b
        || (a.access_bytes().is_some()
            && a.access_bytes() == b.access_bytes()
            && a.scalar() != Some(crate::ir::Scalar::I1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Access, BlockCall, Builder, F32, I32, IntCc, Linkage, Signature, SlotData};

    /// A loop that counts in one slot, and a slot written as f32 and read as i32.
    #[test]
    fn loop_variable_and_reinterpretation() {
        let mut f = Function::new(
            "f",
            Signature { params: vec![I32, F32], results: vec![I32, I32] },
            Linkage::Internal,
        );
        let b: Vec<Block> = (0..3).map(|_| f.add_block()).collect();
        let (n, x) = (f.add_param(b[0], I32), f.add_param(b[0], F32));
        let s = f.slots.push(SlotData { size: 4, align: 4 });
        let r = f.slots.push(SlotData { size: 4, align: 4 });
        let a = Access::aligned(4);
        let (zero, one) = (f.i32(0), f.i32(1));
        let mut bu = Builder::new(&mut f, b[0]);
        let (ps, pr) = (bu.slot_addr(s), bu.slot_addr(r));
        bu.store(zero, ps, a);
        bu.store(x, pr, a);
        bu.jump(b[1], &[]);
        let mut bu = Builder::new(&mut f, b[1]);
        let i = bu.load(I32, ps, a);
        let next = bu.iadd(i, one);
        bu.store(next, ps, a);
        let c = bu.icmp(IntCc::Slt, next, n);
        bu.brif(c, BlockCall::new(b[1], &[]), BlockCall::new(b[2], &[]));
        let mut bu = Builder::new(&mut f, b[2]);
        let i = bu.load(I32, ps, a);
        let bits = bu.load(I32, pr, a);
        bu.ret(&[i, bits]);
        assert!(promote(&mut f, &FxHashSet::default()));
        assert_eq!(f.blocks[b[1]].params.len(), 1);
        assert!(f.data_in_order().all(|data| data.op.access().is_none()));
        let t = f.terminator(b[2]).unwrap();
        assert_eq!(f.insts[t].args[0], next);
        assert_eq!(f.def_op(f.insts[t].args[1]), Some(&Op::Cast(CastOp::Bitcast)));
        assert!(!promote(&mut f, &FxHashSet::default()));
    }

    /// A variable that holds pointers to private and to global memory is of generic type.
    #[test]
    fn pointers_of_several_spaces_are_generic() {
        let (private, global) = (Type::Ptr(Space::Private), Type::Ptr(Space::Global));
        let params = vec![crate::ir::I1, private, global];
        let mut f = Function::new(
            "f",
            Signature { params, results: vec![Type::Ptr(Space::Generic)] },
            Linkage::Internal,
        );
        let b: Vec<Block> = (0..3).map(|_| f.add_block()).collect();
        let (c, p, g) =
            (f.add_param(b[0], crate::ir::I1), f.add_param(b[0], private), f.add_param(b[0], global));
        let s = f.slots.push(SlotData { size: 8, align: 8 });
        let a = Access::aligned(8);
        let mut bu = Builder::new(&mut f, b[0]);
        let ps = bu.slot_addr(s);
        bu.store(p, ps, a);
        bu.brif(c, BlockCall::new(b[1], &[]), BlockCall::new(b[2], &[]));
        let mut bu = Builder::new(&mut f, b[1]);
        bu.store(g, ps, a);
        bu.jump(b[2], &[]);
        let mut bu = Builder::new(&mut f, b[2]);
        let v = bu.load(Type::Ptr(Space::Generic), ps, a);
        bu.ret(&[v]);
        assert!(promote(&mut f, &FxHashSet::default()));
        assert_eq!(f.ty(f.blocks[b[2]].params[0]), Type::Ptr(Space::Generic));
        let casts = f.data_in_order().filter(|data| data.op == Op::Cast(CastOp::PtrCast));
        assert_eq!(casts.count(), 2);
    }

    #[test]
    fn escaping_and_volatile_slots_stay() {
        let mut f =
            Function::new("f", Signature { params: vec![], results: vec![I32, I64] }, Linkage::Internal);
        let b = f.add_block();
        let s = f.slots.push(SlotData { size: 4, align: 4 });
        let r = f.slots.push(SlotData { size: 4, align: 4 });
        let mut bu = Builder::new(&mut f, b);
        let (ps, pr) = (bu.slot_addr(s), bu.slot_addr(r));
        let v = bu.load(I32, ps, Access { volatile: true, ..Access::aligned(4) });
        let w = bu.cast(CastOp::PtrToInt, pr, I64);
        bu.ret(&[v, w]);
        assert!(!promote(&mut f, &FxHashSet::default()));
    }
}
