//! Expands atomics that the target lacks to compare-and-swap loops, and sequentially consistent accesses,
//! which Vulkan lacks. 16-bit atomics are left to `lower_access`, which knows the word around them.
//!
//! Runs before pointers are lowered, so that address spaces are handled only once, afterwards.

use crate::error::Result;
use crate::ir::edit::{Rewrite, rewrite_insts, split_after};
use crate::ir::*;
use crate::passes::lower::memory::access::rmw_bin;
use crate::passes::lower::state::Kernel;
use crate::passes::{Pass, PassContext};
use crate::target::Target;

/// The pass `expand_float_atomics`: floating-point atomics that the target lacks.
pub struct ExpandFloatAtomics;

impl Pass for ExpandFloatAtomics {
    fn name(&self) -> &'static str {
        "expand_float_atomics"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        Ok(expand_float_atomics(Kernel::of(module)?.func, cx.target))
    }
}

/// The pass `expand_sequential_atomics`: sequentially consistent loads and stores.
pub struct ExpandSequentialAtomics;

impl Pass for ExpandSequentialAtomics {
    fn name(&self) -> &'static str {
        "expand_sequential_atomics"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        Ok(expand_sequential(Kernel::of(module)?.func))
    }
}

/// Turns sequentially consistent loads and stores into read-modify-writes; true if anything changed.
///
/// Acquire-release read-modify-writes of one location synchronise with each other one after another, so that
/// all of them have one order in which each reads the last store.
fn expand_sequential(func: &mut Function) -> bool {
    rewrite_insts(func, |b, inst| {
        let data = &b.func.insts[inst];
        if !matches!(data.op, Op::AtomicLoad { .. } | Op::AtomicStore { .. }) {
            return Rewrite::Keep;
        }
        let data = data.clone();
        match (data.op, data.results.first()) {
            (Op::AtomicLoad { access, scope, order: order @ Ordering::SeqCst }, Some(&r))
                if b.ty(r).is_int() =>
            {
                let ty = b.ty(r);
                let zero = b.func.bits(ty, 0);
                let op = Op::AtomicRmw { op: RmwOp::Or, access, scope, order };
                Rewrite::Replace(b.value(op, &[data.args[0], zero], ty))
            }
            (Op::AtomicStore { access, scope, order: order @ Ordering::SeqCst }, _)
                if b.ty(data.args[0]).is_int() =>
            {
                let ty = b.ty(data.args[0]);
                let op = Op::AtomicRmw { op: RmwOp::Xchg, access, scope, order };
                b.value(op, &[data.args[1], data.args[0]], ty);
                Rewrite::Remove
            }
            _ => Rewrite::Keep,
        }
    })
}

/// Whether local memory holds only `float`, so that its arrays can have that element type.
fn local_is(func: &Function, float: Type) -> bool {
    func.data_in_order().all(|d| {
        let (Some(access), Some(k)) = (d.op.access(), d.op.address_arg()) else {
            return !matches!(d.op, Op::Memcpy { .. } | Op::Memset(_));
        };
        if !matches!(func.ty(d.args[k]).space(), Some(Space::Local | Space::Generic)) {
            return true;
        }
        let (ty, fits) = match d.op {
            Op::Store(_) => (func.ty(d.args[0]), true),
            Op::Load(_) => (d.results.first().map_or(I32, |&r| func.ty(r)), true),
            Op::AtomicRmw { op, .. } => (func.ty(d.args[1]), op != RmwOp::Xchg),
            _ => (I32, false),
        };
        fits && ty.lane() == float && access.align >= float.access_bytes().unwrap_or(8)
    })
}

/// Whether the target has every operation that is used on local memory. A missing one makes the array an
/// integer array, and then the others cannot be native.
fn local_atomics_are_native(func: &Function, target: &Target) -> bool {
    func.data_in_order().all(|data| match data.op {
        Op::AtomicRmw { op: op @ (RmwOp::Fadd | RmwOp::Fmin | RmwOp::Fmax), .. }
            if func.ty(data.args[0]).space() == Some(Space::Local) =>
        {
            let bits = func.ty(data.args[1]).scalar().map_or(0, Scalar::bits);
            target.shared_float_atomics.has(op == RmwOp::Fadd, bits)
        }
        _ => true,
    })
}

/// Expands floating-point atomics: exchanges, loads and stores become integer ones; additions, minima and
/// maxima become compare-and-swap loops unless the target has them.
pub fn expand_float_atomics(func: &mut Function, target: &Target) -> bool {
    let local_native = local_atomics_are_native(func, target);
    let local_float = [F32, F64].map(|ty| local_native && local_is(func, ty));
    rewrite_insts(func, |b, inst| {
        let data = &b.func.insts[inst];
        let is_atomic = matches!(
            data.op,
            Op::AtomicRmw { .. } | Op::AtomicLoad { .. } | Op::AtomicStore { .. } | Op::AtomicCas { .. }
        );
        if !is_atomic {
            return Rewrite::Keep;
        }
        let data = data.clone();
        let ty = match (&data.op, data.results.first()) {
            (Op::AtomicStore { .. }, _) => b.ty(data.args[0]),
            (op, Some(&r)) if op.access().is_some() && !matches!(op, Op::Load(_)) => b.ty(r),
            _ => I32,
        };
        if !ty.is_float() {
            return Rewrite::Keep;
        }
        let int = Type::Scalar(ty.scalar().map_or(Scalar::I32, Scalar::to_int));
        match data.op {
            Op::AtomicRmw { op: RmwOp::Xchg, .. } | Op::AtomicLoad { .. } | Op::AtomicCas { .. } => {
                let args: Vec<Value> =
                    data.args.iter().map(|&a| if b.ty(a) == ty { b.bitcast(a, int) } else { a }).collect();
                let old = b.value(data.op.clone(), &args, int);
                Rewrite::Replace(b.bitcast(old, ty))
            }
            Op::AtomicStore { .. } => {
                let v = b.bitcast(data.args[0], int);
                b.inst(data.op.clone(), &[v, data.args[1]], &[]);
                Rewrite::Remove
            }
            Op::AtomicRmw { op, access, scope, order } => {
                let (add, bits) = (op == RmwOp::Fadd, ty.scalar().map_or(0, Scalar::bits));
                let native = match b.ty(data.args[0]).space() {
                    Some(Space::Global) => target.buffer_float_atomics.has(add, bits),
                    Some(Space::Local) => {
                        local_float[usize::from(ty == F64)] && target.shared_float_atomics.has(add, bits)
                    }
                    _ => false,
                };
                let failure = Ordering::Relaxed;
                let load = Op::AtomicLoad { access, scope, order: failure };
                let cas = Op::AtomicCas { access, scope, success: order, failure };
                match rmw_bin(op) {
                    Some(bin) if !native && ty != F16 => {
                        Rewrite::Replace(swap_loop(b, bin, &data.args, load, cas))
                    }
                    _ => Rewrite::Keep,
                }
            }
            _ => Rewrite::Keep,
        }
    })
}

/// A compare-and-swap loop in place of a floating-point read-modify-write with these arguments. Returns the
/// old value, and leaves the builder at the end of the loop.
fn swap_loop(b: &mut Builder<'_>, bin: BinOp, args: &[Value], load: Op, cas: Op) -> Value {
    let (address, operand) = (args[0], args[1]);
    let ty = b.ty(operand);
    let int = ty.with_scalar(ty.scalar().map_or(Scalar::I32, Scalar::to_int));
    let start = b.value(load, &[address], int);
    let again = split_after(b.func, b.block);
    let rest = split_after(b.func, again);
    let expected = b.func.add_param(again, int);
    b.jump(again, &[start]);
    b.block = again;
    let old = b.bitcast(expected, ty);
    let new = b.bin(bin, old, operand);
    let new = b.bitcast(new, int);
    let seen = b.value(cas, &[address, expected, new], int);
    let done = b.icmp(IntCc::Eq, seen, expected);
    b.brif(done, BlockCall::new(rest, &[]), BlockCall::new(again, &[seen]));
    b.block = rest;
    old
}
