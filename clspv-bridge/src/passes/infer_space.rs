//! Gives generic pointers the address space they come from.
//!
//! Forward propagation to a fixed point: a cast to generic has its operand's space, pointer arithmetic, selections and
//! block parameters unite their operands'. A value with a single source space takes that type; casts that then change
//! nothing disappear. NULL and undefined pointers agree with any space.

use super::{Pass, PassContext};
use crate::error::Result;
use crate::ir::{CastOp, Const, EntityRef, EntitySet, Function, Module, Op, Space, Type, Value, ValueDef};
use std::collections::HashMap;

/// The pass `infer_space`.
pub struct InferSpace;

impl Pass for InferSpace {
    fn name(&self) -> &'static str {
        "infer_space"
    }
    fn run(&self, module: &mut Module, _cx: &PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for f in module.functions.values_mut() {
            changed |= infer(f);
        }
        Ok(changed)
    }
}

/// What is known of a pointer.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Known {
    Nothing,
    One(Space),
    Several,
}

impl Known {
    fn unite(self, other: Known) -> Known {
        match (self, other) {
            (Known::Nothing, x) | (x, Known::Nothing) => x,
            (Known::One(a), Known::One(b)) if a == b => self,
            _ => Known::Several,
        }
    }
}

const GENERIC: Type = Type::Ptr(Space::Generic);

/// Infers the spaces of one function.
pub fn infer(func: &mut Function) -> bool {
    if !func.values.values().any(|v| v.ty == GENERIC) {
        return false;
    }
    let mut known = vec![Known::Nothing; func.value_count()];
    // flows[v]: the generic values that v flows into.
    let mut flows: HashMap<Value, Vec<Value>> = HashMap::new();
    let mut work: Vec<Value> = Vec::new();
    let entry = func.entry();
    for (v, data) in func.values.iter() {
        known[v.index()] = match (data.ty, &data.def) {
            (GENERIC, ValueDef::Const(Const::Undef(_))) => Known::Nothing,
            (GENERIC, ValueDef::Const(Const::Bits(_, bits))) if bits.iter().all(|b| *b == 0) => Known::Nothing,
            (GENERIC, ValueDef::Const(_)) => Known::Several,
            (GENERIC, ValueDef::Param(b, _)) if Some(*b) == entry => Known::Several,
            (GENERIC, ValueDef::Result(inst, _)) => match func.insts[*inst].op {
                Op::Cast(CastOp::PtrCast) | Op::PtrAdd | Op::Select => Known::Nothing,
                _ => Known::Several,
            },
            (GENERIC, _) => Known::Nothing,
            (Type::Ptr(s), _) => Known::One(s),
            _ => Known::Nothing,
        };
        if known[v.index()] != Known::Nothing {
            work.push(v);
        }
    }
    for inst in func.layout.iter().flat_map(|b| &func.blocks[*b].insts) {
        let data = &func.insts[*inst];
        let sources: &[Value] = match data.op {
            Op::Cast(CastOp::PtrCast) | Op::PtrAdd => &data.args[..1],
            Op::Select => &data.args[1..],
            _ => &[],
        };
        if let Some(&r) = data.results.first()
            && func.ty(r) == GENERIC
        {
            for s in sources {
                flows.entry(*s).or_default().push(r);
            }
        }
        for call in &data.targets {
            for (a, p) in call.args.iter().zip(&func.blocks[call.block].params) {
                if func.ty(*p) == GENERIC {
                    flows.entry(*a).or_default().push(*p);
                }
            }
        }
    }
    while let Some(v) = work.pop() {
        let from = known[v.index()];
        for &to in flows.get(&v).map_or(&[][..], Vec::as_slice) {
            let new = known[to.index()].unite(from);
            if new != known[to.index()] {
                known[to.index()] = new;
                work.push(to);
            }
        }
    }
    let mut changed = false;
    let mut retyped: EntitySet<Value> = EntitySet::new();
    for (v, data) in func.values.iter_mut() {
        if let (GENERIC, Known::One(s)) = (data.ty, known[v.index()])
            && !matches!(data.def, ValueDef::Const(_))
        {
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

fn retype_const(func: &mut Function, v: Value, ty: Type) -> Value {
    match func.as_const(v).cloned() {
        Some(Const::Undef(old)) if old != ty => func.undef(ty),
        Some(Const::Bits(old, bits)) if old != ty => func.constant(Const::Bits(ty, bits)),
        _ => v,
    }
}

/// Makes operand types agree again: pointer casts that change nothing go, constants take the type that is wanted, and
/// where a generic pointer is still wanted (a united pointer, a value stored in memory) a cast is put.
fn rewrite_uses(func: &mut Function, retyped: &EntitySet<Value>) {
    let mut map: HashMap<Value, Value> = HashMap::new();
    for block in func.layout.clone() {
        let insts = func.take_insts(block);
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts {
            let mut data = func.insts[inst].clone();
            let result = data.results.first().map(|r| func.ty(*r));
            if data.op == Op::Cast(CastOp::PtrCast) {
                if Some(func.ty(data.args[0])) == result {
                    map.insert(data.results[0], data.args[0]);
                } else {
                    kept.push(inst);
                }
                continue;
            }
            let mut want = |func: &mut Function, v: &mut Value, ty: Type| {
                if func.ty(*v) == ty || !matches!(ty, Type::Ptr(_)) {
                    return;
                }
                *v = retype_const(func, *v, ty);
                if func.ty(*v) != ty {
                    let cast = func.make_inst(Op::Cast(CastOp::PtrCast), &[*v], &[ty]);
                    kept.push(cast);
                    *v = func.insts[cast].results[0];
                }
            };
            match data.op {
                Op::PtrAdd => want(func, &mut data.args[0], result.unwrap_or(GENERIC)),
                Op::Select => {
                    want(func, &mut data.args[1], result.unwrap_or(GENERIC));
                    want(func, &mut data.args[2], result.unwrap_or(GENERIC));
                }
                Op::Icmp(_) => {
                    let (x, y) = (func.ty(data.args[0]), func.ty(data.args[1]));
                    if x != y {
                        let common = if func.as_const(data.args[0]).is_some() {
                            y
                        } else if func.as_const(data.args[1]).is_some() {
                            x
                        } else {
                            GENERIC
                        };
                        want(func, &mut data.args[0], common);
                        want(func, &mut data.args[1], common);
                    }
                }
                Op::Load(_) | Op::Memset(_) | Op::Memcpy { .. } => {}
                _ => {
                    let address = data.op.address_arg();
                    for (i, a) in data.args.iter_mut().enumerate() {
                        if Some(i) != address && retyped.contains(*a) {
                            want(func, a, GENERIC);
                        }
                    }
                }
            }
            for call in data.targets.iter_mut() {
                for (i, a) in call.args.iter_mut().enumerate() {
                    let ty = func.ty(func.blocks[call.block].params[i]);
                    want(func, a, ty);
                }
            }
            (func.insts[inst].args, func.insts[inst].targets) = (data.args, data.targets);
            kept.push(inst);
        }
        func.blocks[block].insts = kept;
    }
    func.replace_uses(&map);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Access, BlockCall, Builder, I32, I64, Linkage, Signature};

    fn run(second: Space) -> (Function, Value) {
        let (g, s) = (Type::Ptr(Space::Global), Type::Ptr(second));
        let mut f = Function::new("f", Signature { params: vec![g, s, I64], results: vec![I32] }, Linkage::Internal);
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
        assert!(!f.layout.iter().flat_map(|b| &f.blocks[*b].insts).any(|i| matches!(f.insts[*i].op, Op::Cast(_))));
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
}
