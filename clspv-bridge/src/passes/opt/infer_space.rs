//! Infers the address spaces of generic pointers.
//!
//! The set of address spaces that each pointer may point into ([`Spaces`]) is propagated forward to a fixed
//! point. A cast to generic has its operand's set; pointer arithmetic, selects and block parameters have the
//! union of their operands' sets. Integers made of pointers carry the set as long as they are only moved or
//! selected. A pointer from memory or from other integers may point to global memory and to everything that
//! the function lets escape into memory or integers.
//!
//! A generic value with a single possible space takes that type; casts that then change nothing disappear.
//! NULL and undefined pointers agree with any space.

use crate::error::Result;
use crate::ir::edit::{Rewrite, rewrite_insts};
use crate::ir::{
    BinOp, Builder, CastOp, Const, EntityRef, EntitySet, Function, I64, Module, Op, Space, Type, UnOp, Value,
    ValueDef,
};
use crate::passes::{Pass, PassContext};
use rustc_hash::FxHashMap;
use std::ops::BitOr;

/// The pass `infer_space`.
pub struct InferSpace;

impl Pass for InferSpace {
    fn name(&self) -> &'static str {
        "infer_space"
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for f in module.functions.values_mut() {
            changed |= infer(f);
        }
        Ok(changed)
    }
}

/// Set of address spaces that a pointer may point into.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spaces(u8);

impl Spaces {
    const NONE: Spaces = Spaces(0);
    const GLOBAL: Spaces = Spaces(4);
    const ALL: Spaces = Spaces(15);
    /// All spaces that escape (during propagation only).
    const ESCAPED: Spaces = Spaces(16);

    fn of(space: Space) -> Spaces {
        Spaces(match space {
            Space::Private => 1,
            Space::Local => 2,
            Space::Global => 4,
            Space::Constant => 8,
            Space::Generic => 15,
        })
    }
    /// Whether the pointer may point into this space; program data counts as global memory.
    pub fn may_be(self, space: Space) -> bool {
        let constant = if space == Space::Global { Spaces::of(Space::Constant).0 } else { 0 };
        self.0 & (Spaces::of(space).0 | constant) != 0
    }
    /// The only possible space; program data counts as global where both are possible.
    fn only(self) -> Option<Space> {
        match self.0 {
            1 => Some(Space::Private),
            2 => Some(Space::Local),
            4 | 12 => Some(Space::Global),
            8 => Some(Space::Constant),
            _ => None,
        }
    }
}

impl BitOr for Spaces {
    type Output = Spaces;
    fn bitor(self, other: Spaces) -> Spaces {
        Spaces(self.0 | other.0)
    }
}

const GENERIC: Type = Type::Ptr(Space::Generic);

/// Whether sets are propagated through values of this type: pointers, and integers that may hold one.
fn is_carrier(ty: Type) -> bool {
    ty == I64 || ty.space().is_some()
}

/// Operands that reach an instruction's result unchanged or moved within their object.
fn flowing<'a>(op: &Op, args: &'a [Value]) -> &'a [Value] {
    match op {
        Op::Cast(CastOp::PtrCast | CastOp::PtrToInt | CastOp::IntToPtr) | Op::PtrAdd => &args[..1],
        Op::Select => &args[1..],
        _ => &[],
    }
}

/// Whether the use as operand `k` does not let a pointer escape.
fn is_harmless(func: &Function, op: &Op, args: &[Value], k: usize) -> bool {
    match op {
        _ if op.address_arg() == Some(k) => true,
        Op::Memcpy { .. } => k < 2,
        Op::Icmp(_) | Op::IsSpace(_) | Op::Select | Op::PtrAdd | Op::BrIf | Op::Switch(_) => true,
        // Low bits, as used for alignment tests and 32-bit hashes.
        Op::Cast(CastOp::Trunc) | Op::Un(UnOp::Popcnt | UnOp::Clz | UnOp::Ctz) => true,
        Op::Bin(BinOp::And) => {
            args.iter().any(|a| func.as_bits(*a).is_some_and(|bits| bits <= u64::from(u32::MAX)))
        }
        _ => !flowing(op, args).is_empty(),
    }
}

/// The address spaces that each value of the function may point into. The sets of other values than pointers
/// are meaningless.
pub fn possible(func: &Function) -> Vec<Spaces> {
    let mut known = vec![Spaces::NONE; func.value_count()];
    // flows[v]: the values that v flows into.
    let mut flows: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
    let mut work: Vec<Value> = Vec::new();
    let entry = func.entry();
    for (v, data) in func.values.iter() {
        known[v.index()] = match (data.ty, &data.def) {
            (Type::Ptr(space), _) if space != Space::Generic => Spaces::of(space),
            (_, ValueDef::Const(Const::Undef(_))) => Spaces::NONE,
            (GENERIC | I64, ValueDef::Const(Const::Bits(_, bits))) if bits.iter().all(|b| *b == 0) => {
                Spaces::NONE
            }
            (GENERIC, ValueDef::Param(b, _)) if Some(*b) == entry => Spaces::ALL,
            (GENERIC | I64, ValueDef::Param(b, _)) if Some(*b) != entry => Spaces::NONE,
            (GENERIC | I64, ValueDef::Result(inst, _)) => {
                let data = &func.insts[*inst];
                match data.op {
                    Op::Call(_) => Spaces::ALL,
                    _ if flowing(&data.op, &data.args).is_empty() => Spaces::ESCAPED,
                    _ => Spaces::NONE,
                }
            }
            (GENERIC | I64, _) => Spaces::ESCAPED,
            _ => Spaces::NONE,
        };
        if known[v.index()] != Spaces::NONE {
            work.push(v);
        }
    }
    for data in func.data_in_order() {
        let own_type = |v: &Value| matches!(func.ty(*v), Type::Ptr(s) if s != Space::Generic);
        if let Some(&r) = data.results.first().filter(|r| is_carrier(func.ty(**r)) && !own_type(r)) {
            for s in flowing(&data.op, &data.args) {
                flows.entry(*s).or_default().push(r);
            }
        }
        for call in &data.targets {
            for (a, p) in call.args.iter().zip(&func.blocks[call.block].params) {
                if is_carrier(func.ty(*p)) && !own_type(p) {
                    flows.entry(*a).or_default().push(*p);
                }
            }
        }
    }
    while let Some(v) = work.pop() {
        let from = known[v.index()];
        for &to in flows.get(&v).map_or(&[][..], Vec::as_slice) {
            let new = known[to.index()] | from;
            if new != known[to.index()] {
                known[to.index()] = new;
                work.push(to);
            }
        }
    }
    let mut escaped = Spaces::GLOBAL;
    for data in func.data_in_order() {
        for (k, a) in data.args.iter().enumerate() {
            if is_carrier(func.ty(*a)) && !is_harmless(func, &data.op, &data.args, k) {
                escaped = escaped | Spaces(known[a.index()].0 & Spaces::ALL.0);
            }
        }
    }
    for k in &mut known {
        if k.0 & Spaces::ESCAPED.0 != 0 {
            *k = Spaces(k.0 & Spaces::ALL.0) | escaped;
        }
    }
    known
}

/// Infers the address spaces of one function; true if anything changed.
pub fn infer(func: &mut Function) -> bool {
    if !func.values.values().any(|v| v.ty == GENERIC) {
        return false;
    }
    let known = possible(func);
    let mut changed = false;
    let mut retyped: EntitySet<Value> = EntitySet::new();
    let entry = func.entry();
    for (v, data) in func.values.iter_mut() {
        let fixed = match data.def {
            ValueDef::Const(_) => true,
            ValueDef::Param(b, _) => Some(b) == entry,
            ValueDef::Result(inst, _) => matches!(func.insts[inst].op, Op::Call(_) | Op::OpenCl(_)),
        };
        if let (GENERIC, Some(s), false) = (data.ty, known[v.index()].only(), fixed) {
            data.ty = Type::Ptr(s);
            retyped.insert(v);
            changed = true;
        }
    }
    if !changed {
        return false;
    }
    rewrite_uses(func, &retyped);
    true
}

/// Makes an operand have the pointer type `ty`: a constant takes it, another value is cast.
fn convert(b: &mut Builder<'_>, v: &mut Value, ty: Type) {
    let old = b.ty(*v);
    if old == ty || !matches!(ty, Type::Ptr(_)) {
        return;
    }
    *v = match b.func.as_const(*v).cloned() {
        Some(Const::Undef(_)) => b.func.undef(ty),
        Some(Const::Bits(_, bits)) => b.func.constant(Const::Bits(ty, bits)),
        None => b.cast(CastOp::PtrCast, *v, ty),
    };
}

/// Makes operand types agree again: pointer casts that change nothing are removed and constants take the
/// required type. A cast is inserted where a generic pointer is still required (a joined pointer, an argument
/// of a call).
fn rewrite_uses(func: &mut Function, retyped: &EntitySet<Value>) {
    rewrite_insts(func, |b, inst| {
        let mut data = b.func.insts[inst].clone();
        let result = data.results.first().map(|r| b.ty(*r));
        if data.op == Op::Cast(CastOp::PtrCast) {
            let is_same = Some(b.ty(data.args[0])) == result;
            return if is_same { Rewrite::Replace(data.args[0]) } else { Rewrite::Keep };
        }
        match data.op {
            Op::PtrAdd => convert(b, &mut data.args[0], result.unwrap_or(GENERIC)),
            Op::Select => {
                convert(b, &mut data.args[1], result.unwrap_or(GENERIC));
                convert(b, &mut data.args[2], result.unwrap_or(GENERIC));
            }
            Op::Icmp(_) => {
                let (x, y) = (b.ty(data.args[0]), b.ty(data.args[1]));
                if x != y {
                    let common = if b.func.as_const(data.args[0]).is_some() {
                        y
                    } else if b.func.as_const(data.args[1]).is_some() {
                        x
                    } else {
                        GENERIC
                    };
                    convert(b, &mut data.args[0], common);
                    convert(b, &mut data.args[1], common);
                }
            }
            Op::Call(_) | Op::OpenCl(_) | Op::Return | Op::AtomicRmw { .. } | Op::AtomicCas { .. } => {
                let address = data.op.address_arg();
                for (i, a) in data.args.iter_mut().enumerate() {
                    if Some(i) != address && retyped.contains(*a) {
                        convert(b, a, GENERIC);
                    }
                }
            }
            // A pointer has the same bits in memory and as an integer whatever its type.
            _ => {}
        }
        for call in data.targets.iter_mut() {
            for (i, a) in call.args.iter_mut().enumerate() {
                let ty = b.ty(b.func.blocks[call.block].params[i]);
                convert(b, a, ty);
            }
        }
        (b.func.insts[inst].args, b.func.insts[inst].targets) = (data.args, data.targets);
        Rewrite::Keep
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Access, BlockCall, Builder, I32, Linkage, Signature, SlotData};

    fn run(second: Space) -> (Function, Value) {
        let (g, s) = (Type::Ptr(Space::Global), Type::Ptr(second));
        let mut f =
            Function::new("f", Signature { params: vec![g, s, I64], results: vec![I32] }, Linkage::Internal);
        let (b0, b1) = (f.add_block(), f.add_block());
        let (p, q, n) = (f.add_param(b0, g), f.add_param(b0, s), f.add_param(b0, I64));
        let r = f.add_param(b1, GENERIC);
        let c = f.bool(true);
        let null = f.bits(GENERIC, 0);
        let mut b = Builder::new(&mut f, b0);
        let x = b.cast(CastOp::PtrCast, p, GENERIC);
        let y = b.cast(CastOp::PtrCast, q, GENERIC);
        let z = b.select(c, x, null);
        b.brif(c, BlockCall::new(b1, &[z]), BlockCall::new(b1, &[y]));
        let mut b = Builder::new(&mut f, b1);
        let t = b.ptr_add(r, n);
        let v = b.load(I32, t, Access::aligned(4));
        b.ret(&[v]);
        infer(&mut f);
        (f, t)
    }

    #[test]
    fn one_source_space() {
        let (f, t) = run(Space::Global);
        assert_eq!(f.ty(t), Type::Ptr(Space::Global));
        assert!(!f.data_in_order().any(|data| matches!(data.op, Op::Cast(_))));
    }

    #[test]
    fn two_source_spaces_stay_generic() {
        let (f, t) = run(Space::Local);
        assert_eq!(f.ty(t), GENERIC);
        // Every edge argument has the parameter's type.
        for b in &f.layout {
            for call in f.successors(*b) {
                for (a, p) in call.args.iter().zip(&f.blocks[call.block].params) {
                    assert_eq!(f.ty(*a), f.ty(*p));
                }
            }
        }
    }

    /// A loaded pointer can only point to global memory, unless the function lets other pointers escape.
    #[test]
    fn pointers_from_memory() {
        let loaded = |escaping: bool| {
            let g = Type::Ptr(Space::Global);
            let mut f = Function::new("f", Signature { params: vec![g], results: vec![] }, Linkage::Internal);
            let b0 = f.add_block();
            let p = f.add_param(b0, g);
            let slot = f.slots.push(SlotData { size: 4, align: 4 });
            let mut b = Builder::new(&mut f, b0);
            let own = b.slot_addr(slot);
            // Reading its alignment does not let a pointer escape.
            let bits = b.cast(CastOp::PtrToInt, own, I64);
            let three = b.i64(3);
            b.and(bits, three);
            if escaping {
                b.store(bits, p, Access::aligned(8));
            }
            let q = b.load(GENERIC, p, Access::aligned(8));
            b.ret(&[]);
            infer(&mut f);
            f.ty(q)
        };
        assert_eq!(loaded(false), Type::Ptr(Space::Global));
        assert_eq!(loaded(true), GENERIC);
    }
}
