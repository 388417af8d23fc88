//! Work-group and sub-group functions.

use super::super::row::{BuiltinExpansion, CombineOp};
use super::call::Call;
use crate::error::Result;
use crate::front::expand::numbers::resize;
use crate::ir::{
    Access, BinOp, GroupOp, I1, I32, I64, IntCc, Op, Scan, Scope, Type, Value, WorkItemQuery, typing,
};

/// Lowers a function of this module.
pub fn lower(call: &mut Call<'_, '_, '_>, lowering: BuiltinExpansion) -> Result<Option<Value>> {
    Ok(Some(match lowering {
        BuiltinExpansion::Group(scope, op) => group(call, scope, op)?,
        BuiltinExpansion::Combine { scope, scan, op, clustered } => {
            combine(call, scope, scan, op, clustered)?
        }
        BuiltinExpansion::Rotate { clustered } => {
            let cluster = if clustered { cluster(call, 2)? } else { 0 };
            let args = [call.arg(0)?, call.arg(1)?];
            emit(call, Scope::SubGroup, GroupOp::Rotate { cluster }, &args)?
        }
        BuiltinExpansion::IntelShuffle { down } => continued_shuffle(call, down)?,
        BuiltinExpansion::WorkGroupBroadcast => {
            let linear = linear_id(call)?;
            let x = call.arg(0)?;
            emit(call, Scope::WorkGroup, GroupOp::Broadcast, &[x, linear])?
        }
        BuiltinExpansion::BlockRead => {
            let ty = call.ty()?;
            let base = call.arg(0)?;
            let lanes: Vec<Value> = block(call, base, ty)
                .into_iter()
                .map(|(at, access)| call.cx.builder().load(ty.lane(), at, access))
                .collect();
            call.cx.builder().vec_build(&lanes)
        }
        BuiltinExpansion::BlockWrite => {
            let (base, value) = (call.arg(0)?, call.arg(1)?);
            let ty = call.cx.f.ty(value);
            for (i, (at, access)) in block(call, base, ty).into_iter().enumerate() {
                let mut b = call.cx.builder();
                let lane = b.extract(value, i as u8);
                b.store(lane, at, access);
            }
            return Ok(None);
        }
        _ => return Ok(None),
    }))
}

/// A group operation on operands of its types.
fn emit(call: &mut Call<'_, '_, '_>, scope: Scope, op: GroupOp, args: &[Value]) -> Result<Value> {
    let types: Vec<Type> = args.iter().map(|a| call.cx.f.ty(*a)).collect();
    let op = Op::Group { scope, op };
    let result = typing::infer(&op, &types).filter(|r| typing::check(&op, &types, r).is_ok());
    match result.as_deref() {
        Some([ty]) => Ok(call.cx.builder().value(op, args, *ty)),
        _ => Err(call.malformed()),
    }
}

fn group(call: &mut Call<'_, '_, '_>, scope: Scope, op: GroupOp) -> Result<Value> {
    let mut args = call.args.clone();
    if matches!(op, GroupOp::All | GroupOp::Any | GroupOp::Ballot)
        && let Some(first) = args.first_mut()
    {
        *first = call.cx.is_not_zero(*first);
    }
    let value = emit(call, scope, op, &args)?;
    if call.cx.f.ty(value) == I1 { call.truth(value) } else { Ok(value) }
}

/// A constant cluster size.
fn cluster(call: &Call<'_, '_, '_>, i: usize) -> Result<u32> {
    let size = call.constant(i).and_then(|n| u32::try_from(n).ok()).filter(|n| n.is_power_of_two());
    size.ok_or_else(|| {
        let text = format!("{} with a cluster size that is not a constant power of two", call.name);
        crate::error::CompileError::unsupported(text, call.cx.line)
    })
}

/// A reduction or scan. The logical ones take truth values.
fn combine(
    call: &mut Call<'_, '_, '_>,
    scope: Scope,
    scan: Scan,
    op: CombineOp,
    clustered: bool,
) -> Result<Value> {
    let mut x = call.arg(0)?;
    let cluster = if clustered { cluster(call, 1)? } else { 0 };
    let is_logical = call.name.contains("_logical_");
    if is_logical {
        x = call.cx.is_not_zero(x);
    }
    let is_float = call.cx.f.ty(x).is_float();
    let op = GroupOp::Combine { scan, op: op.bin(call.is_signed(0), is_float), cluster };
    let value = emit(call, scope, op, &[x])?;
    if is_logical { call.truth(value) } else { Ok(value) }
}

/// The local linear id of the work-item whose local ids are the arguments after the first.
fn linear_id(call: &mut Call<'_, '_, '_>) -> Result<Value> {
    let dims = call.args.len() - 1;
    let mut linear = call.arg(dims)?;
    linear = resize(call.cx, linear, I32, false);
    for dim in (0..dims - 1).rev() {
        let part = call.arg(1 + dim)?;
        let part = resize(call.cx, part, I32, false);
        let query = Op::WorkItem { query: WorkItemQuery::LocalSize, dim: dim as u8 };
        let size = call.cx.builder().value(query, &[], I64);
        let size = resize(call.cx, size, I32, false);
        let scaled = call.cx.emit(Op::Bin(BinOp::Imul), &[linear, size], I32);
        linear = call.cx.emit(Op::Bin(BinOp::Iadd), &[scaled, part], I32);
    }
    Ok(linear)
}

/// Addresses of the work-item's lanes of a block in memory. Neighbours have neighbouring elements, and each
/// lane is a full sub-group after the previous one.
fn block(call: &mut Call<'_, '_, '_>, base: Value, ty: Type) -> Vec<(Value, Access)> {
    let bytes = ty.lane().access_bytes().unwrap_or(1);
    let query = |call: &mut Call<'_, '_, '_>, query| {
        let id = call.cx.builder().value(Op::WorkItem { query, dim: 0 }, &[], I32);
        resize(call.cx, id, I64, false)
    };
    let id = query(call, WorkItemQuery::SubGroupLocalId);
    let full = query(call, WorkItemQuery::SubGroupMaxSize);
    let mut at = call.cx.element(base, id, u64::from(bytes));
    let mut out = Vec::new();
    for i in 0..ty.lanes() {
        if i > 0 {
            at = call.cx.element(at, full, u64::from(bytes));
        }
        out.push((at, Access::aligned(bytes)));
    }
    out
}

/// Intel's relative shuffles read from two values in a row: current and next (down), or previous and current
/// (up).
fn continued_shuffle(call: &mut Call<'_, '_, '_>, down: bool) -> Result<Value> {
    let (first, second, delta) = (call.arg(0)?, call.arg(1)?, call.arg(2)?);
    let mut b = call.cx.builder();
    let size = b.value(Op::WorkItem { query: WorkItemQuery::SubGroupMaxSize, dim: 0 }, &[], I32);
    let id = b.value(Op::WorkItem { query: WorkItemQuery::SubGroupLocalId, dim: 0 }, &[], I32);
    // Position in the row.
    let at = if down {
        b.iadd(id, delta)
    } else {
        let at = b.iadd(id, size);
        b.isub(at, delta)
    };
    let beyond = b.icmp(IntCc::Uge, at, size);
    let wrapped = b.isub(at, size);
    let lane = b.select(beyond, wrapped, at);
    let near = emit(call, Scope::SubGroup, GroupOp::Shuffle, &[first, lane])?;
    let far = emit(call, Scope::SubGroup, GroupOp::Shuffle, &[second, lane])?;
    Ok(call.cx.builder().select(beyond, far, near))
}
