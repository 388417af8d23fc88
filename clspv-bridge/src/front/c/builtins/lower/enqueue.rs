//! Device-side enqueue without blocks: ranges, events and markers.

use super::super::super::lower::object::ObjectRef;
use super::super::row::EnqueueOp;
use super::call::Call;
use crate::error::Result;
use crate::front::expand::numbers::resize;
use crate::ir::runtime::ndrange;
use crate::ir::{I32, I64, Op, RuntimeCall, Value};

/// Lowers a function of this module.
pub fn lower(call: &mut Call<'_, '_, '_>, op: EnqueueOp) -> Result<Option<Value>> {
    let runtime = match op {
        EnqueueOp::NdRange(dims) => return range(call, dims).map(Some),
        EnqueueOp::Marker => RuntimeCall::EnqueueMarker,
        EnqueueOp::DefaultQueue => RuntimeCall::DefaultQueue,
        EnqueueOp::CreateUserEvent => RuntimeCall::CreateUserEvent,
        EnqueueOp::SetUserEventStatus => RuntimeCall::SetUserEventStatus,
        EnqueueOp::IsValidEvent => RuntimeCall::IsValidEvent,
        EnqueueOp::Retain => RuntimeCall::RetainEvent,
        EnqueueOp::Release => RuntimeCall::ReleaseEvent,
        EnqueueOp::Capture => RuntimeCall::CaptureProfiling,
    };
    let args = call.args.clone();
    let result = runtime.types().1;
    let inst = call.cx.builder().inst(Op::Runtime(runtime), &args, result.as_slice());
    Ok(call.cx.f.insts[inst].results.first().copied())
}

/// `ndrange_1D` and its like: the address of an `ndrange_t`. Arguments are the sizes, with the local sizes
/// after them and the offsets before, as numbers or pointers to arrays of them.
fn range(call: &mut Call<'_, '_, '_>, dims: u8) -> Result<Value> {
    let (zero, one) = (call.cx.i64(0), call.cx.i64(1));
    let (offset, global, local) = match call.args.len() {
        1 => (None, 0, None),
        2 => (None, 0, Some(1)),
        _ => (Some(0), 1, Some(2)),
    };
    let place = ObjectRef::new(call.cx.slot(ndrange::BYTES as u64, 8)?, 8);
    let count = call.cx.f.bits(I32, u64::from(dims));
    let head = call.cx.part(place, ndrange::DIMS as u64);
    call.cx.store(head, count);
    let parts = [
        (ndrange::OFFSET, offset, zero),
        (ndrange::GLOBAL, Some(global), one),
        (ndrange::LOCAL, local, zero),
    ];
    for (at, arg, absent) in parts {
        for dim in 0..3u8 {
            let value = match arg {
                Some(arg) if dim < dims => number(call, arg, dims, dim)?,
                // A local size of 0 is unspecified.
                _ => absent,
            };
            let to = call.cx.part(place, at as u64 + 8 * u64::from(dim));
            call.cx.store(to, value);
        }
    }
    Ok(place.addr)
}

/// The number of a dimension in an argument.
fn number(call: &mut Call<'_, '_, '_>, arg: usize, dims: u8, dim: u8) -> Result<Value> {
    let value = call.arg(arg)?;
    if dims == 1 {
        return Ok(resize(call.cx, value, I64, false));
    }
    let element = call.cx.part(ObjectRef::new(value, 8), 8 * u64::from(dim));
    Ok(call.cx.load(element, I64))
}
