//! Functions on atomic types (OpenCL C 3.0, section 6.15.12.7), which [`crate::front::clang`] passes through
//! the back end as calls of `pc_c11.<name>.<mangled parameters>`.
//!
//! Forms without `_explicit` are sequentially consistent with device scope; explicit ones without a scope
//! have device scope. An order or scope that is not constant is treated as the strongest.

use super::func::{FuncReader, Vals};
use super::read::Instr;
use crate::error::Result;
use crate::ir::{Access, IntCc, Op as IrOp, Ordering, RmwOp, Scalar, Scope, Type, Value};
use smallvec::smallvec;

/// Kind of number that an atomic object holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    Signed,
    Unsigned,
    Float,
}

/// The kind, by the mangled name of the type.
fn number(params: &str) -> Number {
    match params.split_once("U7_Atomic").and_then(|(_, ty)| ty.chars().next()) {
        Some('i' | 'l' | 's' | 'x') => Number::Signed,
        Some('f' | 'd' | 'D') => Number::Float,
        _ => Number::Unsigned,
    }
}

/// Operation of `atomic_fetch_<name>`.
fn fetch(name: &str, number: Number) -> Option<RmwOp> {
    Some(match (name, number) {
        ("add", Number::Float) => RmwOp::Fadd,
        ("sub", Number::Float) => return None,
        ("min", Number::Float) => RmwOp::Fmin,
        ("max", Number::Float) => RmwOp::Fmax,
        ("add", _) => RmwOp::Add,
        ("sub", _) => RmwOp::Sub,
        ("or", _) => RmwOp::Or,
        ("xor", _) => RmwOp::Xor,
        ("and", _) => RmwOp::And,
        ("min", Number::Signed) => RmwOp::Smin,
        ("max", Number::Signed) => RmwOp::Smax,
        ("min", _) => RmwOp::Umin,
        ("max", _) => RmwOp::Umax,
        _ => return None,
    })
}

impl FuncReader<'_, '_, '_> {
    /// Reads one call; `name` is the plain name, `params` its mangled parameters.
    pub fn c11_atomic(
        &mut self,
        name: &str,
        params: &str,
        args: &[Value],
        results: &[Type],
        inst: &Instr<'_>,
    ) -> Result<Vals> {
        let bad = || inst.bad(format_args!("operands of {name}"));
        let name = name.strip_suffix("_explicit").unwrap_or(name);
        let exchange = name.starts_with("atomic_compare_exchange_");
        let operands = match name {
            _ if exchange => 3,
            "atomic_load" | "atomic_flag_test_and_set" | "atomic_flag_clear" => 1,
            _ => 2,
        };
        let (Some(values), Some(rest)) = (args.get(..operands), args.get(operands..)) else {
            return Err(bad());
        };
        let p = values[0];
        if self.f.ty(p).space().is_none() {
            return Err(bad());
        }
        let orders = if exchange { 2 } else { 1 };
        let order = |r: &Self, i: usize| rest.get(i).map_or(Ordering::SeqCst, |v| r.c11_order(*v));
        let (first, second) = (order(self, 0), order(self, 1));
        let scope = rest.get(orders).map_or(Scope::Device, |v| self.c11_scope(*v));
        let number = number(params);
        if let "atomic_flag_test_and_set" | "atomic_flag_clear" = name {
            return Ok(self.c11_flag(p, name == "atomic_flag_clear", scope, first));
        }
        // The object's type: that of the last value, or of the result.
        let ty = match (values.len(), results) {
            (1, [ty]) => *ty,
            (2.., _) => self.f.ty(values[values.len() - 1]),
            _ => return Err(bad()),
        };
        let Type::Scalar(scalar) = ty else { return Err(bad()) };
        if scalar == Scalar::I1 || scalar.bytes() < 2 || scalar.is_float() != (number == Number::Float) {
            return Err(bad());
        }
        let int = Type::Scalar(scalar.to_int());
        let access = Access::aligned(scalar.bytes());
        let mut b = self.b();
        let value = match name {
            "atomic_load" => {
                let v = b.value(IrOp::AtomicLoad { access, scope, order: first }, &[p], int);
                b.bitcast(v, ty)
            }
            "atomic_store" => {
                let v = b.bitcast(values[1], int);
                b.inst(IrOp::AtomicStore { access, scope, order: first }, &[v, p], &[]);
                return Ok(smallvec![]);
            }
            "atomic_exchange" => {
                let v = b.bitcast(values[1], int);
                let v =
                    b.value(IrOp::AtomicRmw { op: RmwOp::Xchg, access, scope, order: first }, &[p, v], int);
                b.bitcast(v, ty)
            }
            _ if exchange => {
                let at = values[1];
                if b.ty(at).space().is_none() {
                    return Err(bad());
                }
                let new = b.bitcast(values[2], int);
                let expected = b.load(int, at, access);
                let op = IrOp::AtomicCas { access, scope, success: first, failure: second };
                let old = b.value(op, &[p, expected, new], int);
                // On success that is the value that is there already.
                b.store(old, at, access);
                b.icmp(IntCc::Eq, old, expected)
            }
            _ => {
                let what = name.strip_prefix("atomic_fetch_").unwrap_or_default();
                let mut x = values[1];
                let op = match fetch(what, number) {
                    Some(op) => op,
                    None if what == "sub" && number == Number::Float => {
                        x = b.un(crate::ir::UnOp::Fneg, x);
                        RmwOp::Fadd
                    }
                    None => return Err(inst.bad(format_args!("atomic function {name}"))),
                };
                b.value(IrOp::AtomicRmw { op, access, scope, order: first }, &[p, x], ty)
            }
        };
        match results {
            [r] if self.f.ty(value) == *r => Ok(smallvec![value]),
            _ => Err(bad()),
        }
    }

    /// `atomic_flag_clear`, or `atomic_flag_test_and_set`.
    fn c11_flag(&mut self, p: Value, clears: bool, scope: Scope, order: Ordering) -> Vals {
        let access = Access::aligned(4);
        let mut b = self.b();
        let (zero, one) = (b.i32(0), b.i32(1));
        if clears {
            b.inst(IrOp::AtomicStore { access, scope, order }, &[zero, p], &[]);
            return smallvec![];
        }
        let op = IrOp::AtomicRmw { op: RmwOp::Xchg, access, scope, order };
        let old = b.value(op, &[p, one], crate::ir::I32);
        smallvec![b.icmp(IntCc::Ne, old, zero)]
    }

    /// `memory_order`
    fn c11_order(&self, v: Value) -> Ordering {
        match self.f.as_bits(v) {
            Some(0) => Ordering::Relaxed,
            Some(1 | 2) => Ordering::Acquire,
            Some(3) => Ordering::Release,
            Some(4) => Ordering::AcqRel,
            _ => Ordering::SeqCst,
        }
    }

    /// `memory_scope`
    pub(super) fn c11_scope(&self, v: Value) -> Scope {
        match self.f.as_bits(v) {
            Some(0) => Scope::WorkItem,
            Some(1) => Scope::WorkGroup,
            Some(2) => Scope::Device,
            Some(4) => Scope::SubGroup,
            _ => Scope::AllDevices,
        }
    }
}
