//! Lowers accesses through generic pointers that may point into several address spaces: a test of the pointer
//! chooses between accesses to one space each.
//!
//! Only the possible spaces ([`crate::passes::opt::infer_space::possible`]) are tested, global memory last.
//! Accesses through one pointer that follow each other closely share the test. The test (`is_space`) and the
//! conversions between representations are lowered by `lower_mem`, where a generic pointer is a 64-bit
//! number: a device address unchanged, and for private and local memory [`PRIVATE_TAG`] or [`LOCAL_TAG`] plus
//! the offset in the class's memory.
//!
//! The two highest bits of a device address are always equal (on every device it is sign- or zero-extended
//! from fewer bits). The tags lie in the middle of their ranges, so that pointers computed before the start
//! of an object keep theirs. NULL is 0. In memory and as integers, pointers of every space have this form.

use crate::error::Result;
use crate::ir::{
    Block, BlockCall, Builder, CastOp, EntityRef, Function, I1, Inst, InstData, Module, Op, Space, Type,
    Value,
};
use crate::passes::opt::infer_space::{Spaces, possible};
use crate::passes::{Pass, PassContext};
use rustc_hash::{FxHashMap, FxHashSet};

/// Tag of pointers to private memory: their two highest bits are 01.
pub const PRIVATE_TAG: u64 = 0x6000_0000_0000_0000;
/// Tag of pointers to local memory: their two highest bits are 10.
pub const LOCAL_TAG: u64 = 0xa000_0000_0000_0000;

/// Most instructions between two accesses that share a test.
const MAX_GAP: usize = 12;
/// Most instructions under a shared test; each is copied for each possible space.
const MAX_GROUP: usize = 64;

/// The pass `lower_generic`.
pub struct LowerGeneric;

impl Pass for LowerGeneric {
    fn name(&self) -> &'static str {
        "lower_generic"
    }
    /// A processor has one address space.
    fn applies(&self, cx: &PassContext<'_>) -> bool {
        cx.target.cpu().is_none()
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for f in module.functions.values_mut() {
            changed |= lower(f);
        }
        Ok(changed)
    }
}

/// Operand indices of an access's generic pointers.
fn generic_operands(func: &Function, data: &InstData) -> Vec<usize> {
    let addresses: &[usize] = match data.op {
        Op::Memcpy { .. } => &[0, 1],
        _ => match data.op.address_arg() {
            Some(0) => &[0],
            Some(_) => &[1],
            None => &[],
        },
    };
    let generic = |k: &&usize| data.args.get(**k).is_some_and(|a| func.ty(*a) == Type::Ptr(Space::Generic));
    addresses.iter().filter(generic).copied().collect()
}

/// The pointer at the start of a chain of address arithmetic.
fn root(func: &Function, mut p: Value) -> Value {
    while let Some(inst) = func.def_inst(p)
        && func.insts[inst].op == Op::PtrAdd
    {
        p = func.insts[inst].args[0];
    }
    p
}

/// Whether the instruction has the same effect if only some work-items of a group execute it at a time.
fn is_divergent(op: &Op) -> bool {
    op.is_pure() || op.access().is_some() || matches!(op, Op::Memcpy { .. } | Op::Memset(_))
}

/// Lowers the generic accesses of one function; true if there were any.
pub fn lower(func: &mut Function) -> bool {
    let mut changed = false;
    // Copies may have two generic pointers: each iteration resolves one.
    while lower_once(func) {
        changed = true;
    }
    changed
}

fn lower_once(func: &mut Function) -> bool {
    if !func.data_in_order().any(|data| !generic_operands(func, data).is_empty()) {
        return false;
    }
    let mut users: FxHashMap<Value, Vec<Inst>> = FxHashMap::default();
    for inst in func.insts_in_order() {
        let data = &func.insts[inst];
        for v in data.operands() {
            users.entry(*v).or_default().push(inst);
        }
    }
    let known = possible(func);
    let mut l = GenericLowering { func, users, layout: Vec::new(), replaced: FxHashMap::default() };
    for first in std::mem::take(&mut l.func.layout) {
        l.layout.push(first);
        let mut block = first;
        let insts = l.func.take_insts(first);
        let mut at = 0;
        while at < insts.len() {
            let data = &l.func.insts[insts[at]];
            let Some(&k) = generic_operands(l.func, data).first() else {
                l.func.blocks[block].insts.push(insts[at]);
                at += 1;
                continue;
            };
            let pointer = root(l.func, data.args[k]);
            let spaces = known.get(pointer.index()).copied().unwrap_or_default();
            let end = group_end(l.func, &insts, at, pointer);
            block = l.choose(block, &insts[at..end], pointer, spaces);
            at = end;
        }
    }
    let GenericLowering { layout, replaced, .. } = l;
    func.layout = layout;
    func.replace_uses(&replaced);
    true
}

/// End of the accesses from `at` on that go through one pointer, with the instructions between them.
fn group_end(func: &Function, insts: &[Inst], at: usize, pointer: Value) -> usize {
    let mut end = at + 1;
    let limit = insts.len().min(at + MAX_GROUP);
    let mut next = end;
    while next < limit && next < end + MAX_GAP {
        let data = &func.insts[insts[next]];
        if !is_divergent(&data.op) {
            break;
        }
        match generic_operands(func, data).first() {
            Some(&k) if root(func, data.args[k]) == pointer => end = next + 1,
            Some(_) => break,
            None => {}
        }
        next += 1;
    }
    end
}

struct GenericLowering<'f> {
    func: &'f mut Function,
    users: FxHashMap<Value, Vec<Inst>>,
    layout: Vec<Block>,
    replaced: FxHashMap<Value, Value>,
}

impl GenericLowering<'_> {
    /// Executes the instructions once for each space that the pointer may point into; returns the block that
    /// follows.
    fn choose(&mut self, block: Block, insts: &[Inst], pointer: Value, spaces: Spaces) -> Block {
        let all = [Space::Private, Space::Local, Space::Global];
        let mut list: Vec<Space> = all.into_iter().filter(|s| spaces.may_be(*s)).collect();
        // NULL or undefined: the access has undefined behaviour.
        if list.is_empty() {
            list.push(Space::Global);
        }
        if let [space] = list[..] {
            let results = self.copy(block, insts, pointer, space);
            self.replaced.extend(results);
            return block;
        }
        let line = self.func.insts[insts[0]].line;
        let join = self.func.new_block_detached();
        // Values that later instructions use become parameters.
        let inside: FxHashSet<Inst> = insts.iter().copied().collect();
        let results = insts.iter().flat_map(|i| self.func.insts[*i].results.iter().copied());
        let used =
            |v: &Value| self.users.get(v).is_some_and(|users| users.iter().any(|u| !inside.contains(u)));
        let outputs: Vec<Value> = results.filter(used).collect();
        let mut test = block;
        let last = list.len() - 1;
        for (n, &space) in list.iter().enumerate() {
            let mut arm = test;
            if n != last {
                let next = self.func.new_block_detached();
                arm = self.func.new_block_detached();
                let mut b = Builder::new(self.func, test);
                b.line = line;
                let is = b.value(Op::IsSpace(space), &[pointer], I1);
                b.brif(is, BlockCall::new(arm, &[]), BlockCall::new(next, &[]));
                self.layout.extend([arm, next]);
                test = next;
            }
            let results = self.copy(arm, insts, pointer, space);
            let args: Vec<Value> = outputs.iter().map(|v| results.get(v).copied().unwrap_or(*v)).collect();
            let mut b = Builder::new(self.func, arm);
            b.line = line;
            b.jump(join, &args);
        }
        self.layout.push(join);
        for v in outputs {
            let ty = self.func.ty(v);
            let param = self.func.add_param(join, ty);
            self.replaced.insert(v, param);
        }
        join
    }

    /// Appends copies of instructions for one address space of the pointer; returns the new results by the
    /// old ones.
    fn copy(
        &mut self,
        block: Block,
        insts: &[Inst],
        pointer: Value,
        space: Space,
    ) -> FxHashMap<Value, Value> {
        let mut results: FxHashMap<Value, Value> = FxHashMap::default();
        let mut rebased: FxHashMap<Value, Value> = FxHashMap::default();
        for &inst in insts {
            let mut data = self.func.insts[inst].clone();
            let mut b = Builder::new(self.func, block);
            b.line = data.line;
            for k in generic_operands(b.func, &data) {
                if root(b.func, data.args[k]) == pointer {
                    data.args[k] = rebase(&mut b, data.args[k], pointer, space, &results, &mut rebased);
                }
            }
            for a in &mut data.args {
                *a = results.get(a).copied().unwrap_or(*a);
            }
            let types: Vec<Type> = data.results.iter().map(|r| b.ty(*r)).collect();
            let new = b.inst(data.op, &data.args, &types);
            b.func.insts[new].fast = data.fast;
            results.extend(data.results.iter().copied().zip(b.func.insts[new].results.clone()));
        }
        results
    }
}

/// Repeats address arithmetic on the pointer in its address space.
fn rebase(
    b: &mut Builder<'_>,
    p: Value,
    pointer: Value,
    space: Space,
    results: &FxHashMap<Value, Value>,
    rebased: &mut FxHashMap<Value, Value>,
) -> Value {
    let mut steps = Vec::new();
    let mut at = p;
    let mut base = loop {
        if let Some(&known) = rebased.get(&at) {
            break known;
        }
        let step = b.func.def_inst(at).filter(|_| at != pointer).map(|i| b.func.insts[i].args.clone());
        match step {
            Some(args) => {
                steps.push((at, args[1]));
                at = args[0];
            }
            None => {
                let cast = b.cast(CastOp::PtrCast, pointer, Type::Ptr(space));
                rebased.insert(pointer, cast);
                break cast;
            }
        }
    };
    for (at, offset) in steps.into_iter().rev() {
        let offset = results.get(&offset).copied().unwrap_or(offset);
        base = b.ptr_add(base, offset);
        rebased.insert(at, base);
    }
    base
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Access, I32, I64, Linkage, Signature};

    #[test]
    fn accesses_through_one_pointer_share_a_test() {
        let generic = Type::Ptr(Space::Generic);
        let mut f = Function::new(
            "f",
            Signature { params: vec![generic, I64], results: vec![I32] },
            Linkage::Internal,
        );
        let b0 = f.add_block();
        let (p, n) = (f.add_param(b0, generic), f.add_param(b0, I64));
        let mut b = Builder::new(&mut f, b0);
        let q = b.ptr_add(p, n);
        let x = b.load(I32, p, Access::aligned(4));
        let y = b.load(I32, q, Access::aligned(4));
        let sum = b.iadd(x, y);
        b.store(sum, q, Access::aligned(4));
        b.ret(&[sum]);
        assert!(lower(&mut f));
        let ops: Vec<&Op> = f.data_in_order().map(|data| &data.op).collect();
        assert_eq!(ops.iter().filter(|op| matches!(op, Op::IsSpace(_))).count(), 2);
        assert_eq!(ops.iter().filter(|op| matches!(op, Op::Load(_))).count(), 6);
        assert!(!lower(&mut f));
    }

    /// A device address never looks like a tagged pointer, and tags hold for pointers far before their
    /// objects.
    #[test]
    fn tags_are_recognised() {
        let is_private = |p: u64| p as i64 > 0x3fff_ffff_ffff_ffff;
        let is_local = |p: u64| (p as i64) < 0xc000_0000_0000_0000u64 as i64;
        for offset in [-4096i64, 0, 4096, i32::MAX as i64] {
            let (private, local) =
                (PRIVATE_TAG.wrapping_add_signed(offset), LOCAL_TAG.wrapping_add_signed(offset));
            assert!(is_private(private) && !is_local(private) && is_local(local) && !is_private(local));
        }
        for address in [0, 0x7fff_ffff_ffff, 0xffff_8000_0000_0000, u64::MAX] {
            assert!(!is_private(address) && !is_local(address));
        }
    }
}
