//! Atomic functions.

use super::super::super::lower::types::{is_signed, value_type};
use super::super::row::{C11, FetchOp};
use super::call::Call;
use super::sync::{order, scope};
use crate::error::Result;
use crate::ir::{Access, I1, I32, IntCc, Op, Ordering, RmwOp, Scope, Type, UnOp, Value};

/// Order and scope of an atomic operation.
#[derive(Clone, Copy)]
struct Sync {
    scope: Scope,
    order: Ordering,
}

/// The object of an atomic operation: its type and signedness, the integer of its size, and the access.
struct Object {
    address: Value,
    ty: Type,
    is_signed: bool,
    int: Type,
    access: Access,
}

fn object(call: &Call<'_, '_, '_>) -> Result<Object> {
    let pointee = call.pointee(0)?;
    let types = call.cx.types();
    let Some(ty @ Type::Scalar(scalar)) = value_type(types, pointee) else { return Err(call.malformed()) };
    Ok(Object {
        address: call.arg(0)?,
        ty,
        is_signed: is_signed(types, pointee),
        int: Type::Scalar(scalar.to_int()),
        access: Access::aligned(scalar.bytes()),
    })
}

/// `atomic_add` ... and `atom_add` ...: relaxed, for the whole device.
pub fn legacy(call: &mut Call<'_, '_, '_>, op: FetchOp) -> Result<Option<Value>> {
    let object = object(call)?;
    let sync = Sync { scope: Scope::Device, order: Ordering::Relaxed };
    if op == FetchOp::CompareExchange {
        let (expected, new) = (call.arg(1)?, call.arg(2)?);
        return Ok(Some(compare_exchange(call, &object, expected, new, sync, Ordering::Relaxed)));
    }
    let operand = match op {
        FetchOp::Inc | FetchOp::Dec => call.cx.f.bits(object.ty, 1),
        _ => call.arg(1)?,
    };
    fetch(call, &object, op, operand, sync).map(Some)
}

/// Atomic functions of OpenCL C 2.0. Those without `_explicit` are sequentially consistent for the device.
pub fn c11(call: &mut Call<'_, '_, '_>, op: C11, explicit: bool) -> Result<Option<Value>> {
    let operands = match op {
        C11::CompareExchange => 3,
        C11::Load | C11::FlagTestAndSet | C11::FlagClear => 1,
        _ => 2,
    };
    let orders = if op == C11::CompareExchange { 2 } else { 1 };
    let has_scope = call.args.len() > operands + orders;
    let sync = Sync {
        scope: if has_scope { scope(call, operands + orders) } else { Scope::Device },
        order: if explicit { order(call, operands) } else { Ordering::SeqCst },
    };
    let object = object(call)?;
    match op {
        C11::Init => {
            let value = call.arg(1)?;
            call.cx.builder().store(value, object.address, object.access);
            Ok(None)
        }
        C11::Store => {
            let value = call.arg(1)?;
            store(call, &object, value, sync);
            Ok(None)
        }
        C11::Load => {
            let op = Op::AtomicLoad { access: object.access, scope: sync.scope, order: sync.order };
            let mut b = call.cx.builder();
            let value = b.value(op, &[object.address], object.int);
            Ok(Some(b.bitcast(value, object.ty)))
        }
        C11::Exchange => {
            let value = call.arg(1)?;
            fetch(call, &object, FetchOp::Exchange, value, sync).map(Some)
        }
        C11::Fetch(op) => {
            let value = call.arg(1)?;
            fetch(call, &object, op, value, sync).map(Some)
        }
        C11::CompareExchange => {
            let failure = if explicit { order(call, 4) } else { Ordering::SeqCst };
            strong_exchange(call, &object, sync, failure).map(Some)
        }
        C11::FlagTestAndSet => {
            let one = call.cx.f.bits(I32, 1);
            let old = fetch(call, &object, FetchOp::Exchange, one, sync)?;
            let zero = call.cx.f.bits(I32, 0);
            Ok(Some(call.cx.emit(Op::Icmp(IntCc::Ne), &[old, zero], I1)))
        }
        C11::FlagClear => {
            let zero = call.cx.f.bits(I32, 0);
            store(call, &object, zero, sync);
            Ok(None)
        }
    }
}

fn store(call: &mut Call<'_, '_, '_>, object: &Object, value: Value, sync: Sync) {
    let op = Op::AtomicStore { access: object.access, scope: sync.scope, order: sync.order };
    let mut b = call.cx.builder();
    let value = b.bitcast(value, object.int);
    b.inst(op, &[value, object.address], &[]);
}

/// A read-modify-write; returns the old value.
fn fetch(
    call: &mut Call<'_, '_, '_>,
    object: &Object,
    op: FetchOp,
    operand: Value,
    sync: Sync,
) -> Result<Value> {
    let is_float = object.ty.is_float();
    let mut operand = operand;
    let op = if is_float && op == FetchOp::Sub {
        operand = call.cx.emit(Op::Un(UnOp::Fneg), &[operand], object.ty);
        RmwOp::Fadd
    } else {
        op.rmw(object.is_signed, is_float).ok_or_else(|| call.malformed())?
    };
    let ty = if is_float && op != RmwOp::Xchg { object.ty } else { object.int };
    let op = Op::AtomicRmw { op, access: object.access, scope: sync.scope, order: sync.order };
    let mut b = call.cx.builder();
    let operand = b.bitcast(operand, ty);
    let old = b.value(op, &[object.address, operand], ty);
    Ok(b.bitcast(old, object.ty))
}

/// Stores `new` if the object holds `expected`; returns the old value.
fn compare_exchange(
    call: &mut Call<'_, '_, '_>,
    object: &Object,
    expected: Value,
    new: Value,
    sync: Sync,
    failure: Ordering,
) -> Value {
    let op = Op::AtomicCas { access: object.access, scope: sync.scope, success: sync.order, failure };
    let mut b = call.cx.builder();
    let (expected, new) = (b.bitcast(expected, object.int), b.bitcast(new, object.int));
    let old = b.value(op, &[object.address, expected, new], object.int);
    b.bitcast(old, object.ty)
}

/// `atomic_compare_exchange_strong`: the expected value is in memory, and replaced by the old one.
fn strong_exchange(
    call: &mut Call<'_, '_, '_>,
    object: &Object,
    sync: Sync,
    failure: Ordering,
) -> Result<Value> {
    let (at, new) = (call.arg(1)?, call.arg(2)?);
    let op = Op::AtomicCas { access: object.access, scope: sync.scope, success: sync.order, failure };
    let mut b = call.cx.builder();
    let new = b.bitcast(new, object.int);
    let expected = b.load(object.int, at, object.access);
    let old = b.value(op, &[object.address, expected, new], object.int);
    // On success that is the value that is there already.
    b.store(old, at, object.access);
    Ok(b.icmp(IntCc::Eq, old, expected))
}
