//! Pipe functions: operations on a pipe's memory are functions of the built-in library. Packets are copied
//! here, where their size is known.

use super::super::super::lower::object::ObjectRef;
use super::super::row::PipeOp;
use super::call::Call;
use crate::error::Result;
use crate::front::c::layout::layout;
use crate::front::c::types::TypeKind;
use crate::ir::{BinOp, CastOp, I1, I32, I64, IntCc, Op, Scope, Space, Type, Value};

/// Lowers a function on pipes.
pub fn lower(call: &mut Call<'_, '_, '_>, op: PipeOp) -> Result<Option<Value>> {
    match op {
        PipeOp::Read | PipeOp::Write | PipeOp::ReservedRead | PipeOp::ReservedWrite => {
            transfer(call, op).map(Some)
        }
        PipeOp::ReserveRead(scope) => reserve(call, scope, "reserve_read").map(Some),
        PipeOp::ReserveWrite(scope) => reserve(call, scope, "reserve_write").map(Some),
        PipeOp::CommitRead(scope) => commit(call, scope, "commit_read"),
        PipeOp::CommitWrite(scope) => commit(call, scope, "commit_write"),
        PipeOp::IsValid => {
            let id = call.arg(0)?;
            let none = call.cx.f.bits(I64, 0);
            Ok(Some(call.cx.emit(Op::Icmp(IntCc::Ne), &[id, none], I1)))
        }
        PipeOp::NumPackets => count(call, "num_packets").map(Some),
        PipeOp::MaxPackets => count(call, "max_packets").map(Some),
    }
}

fn library(call: &mut Call<'_, '_, '_>, what: &str, args: &[Value], result: Type) -> Value {
    let value = call.cx.library_call(&format!("pc_pipe_{what}"), args, Some(result));
    value.unwrap_or_else(|| call.cx.f.undef(result))
}

/// Name of the library's function for a scope.
fn of_scope(scope: Scope, what: &str) -> String {
    match scope {
        Scope::WorkGroup => format!("work_group_{what}"),
        Scope::SubGroup => format!("sub_group_{what}"),
        _ => what.to_owned(),
    }
}

fn reserve(call: &mut Call<'_, '_, '_>, scope: Scope, what: &str) -> Result<Value> {
    let args = [call.arg(0)?, call.arg(1)?];
    Ok(library(call, &of_scope(scope, what), &args, I64))
}

fn commit(call: &mut Call<'_, '_, '_>, scope: Scope, what: &str) -> Result<Option<Value>> {
    let args = [call.arg(0)?, call.arg(1)?];
    call.cx.library_call(&format!("pc_pipe_{}", of_scope(scope, what)), &args, None);
    Ok(None)
}

fn count(call: &mut Call<'_, '_, '_>, what: &str) -> Result<Value> {
    let pipe = call.arg(0)?;
    Ok(library(call, what, &[pipe], I32))
}

/// Copies a packet, of a reservation or of one made for it; the result is 0, or -1 if that failed.
fn transfer(call: &mut Call<'_, '_, '_>, op: PipeOp) -> Result<Value> {
    let pipe = call.arg(0)?;
    let reads = matches!(op, PipeOp::Read | PipeOp::ReservedRead);
    let is_reserved = matches!(op, PipeOp::ReservedRead | PipeOp::ReservedWrite);
    let data = call.arg(if is_reserved { 3 } else { 1 })?;
    let packet_type = match call.types.first().map(|ty| call.cx.types().resolved(*ty)) {
        Some(TypeKind::Pipe(packet, _)) => *packet,
        _ => return Err(call.malformed()),
    };
    let packet_layout = layout(call.cx.types(), packet_type);
    let (id, index, possible) = if is_reserved {
        let (id, index) = (call.arg(1)?, call.arg(2)?);
        let half = call.cx.f.bits(I64, 32);
        let count = call.cx.emit(Op::Bin(BinOp::Lshr), &[id, half], I64);
        let count = call.cx.emit(Op::Cast(CastOp::Trunc), &[count], I32);
        // A packet of the given reservation.
        let possible = call.cx.emit(Op::Icmp(IntCc::Ult), &[index, count], I1);
        (id, index, possible)
    } else {
        let (one, zero) = (call.cx.f.bits(I32, 1), call.cx.f.bits(I32, 0));
        let id = library(call, if reads { "reserve_read" } else { "reserve_write" }, &[pipe, one], I64);
        let none = call.cx.f.bits(I64, 0);
        let possible = call.cx.emit(Op::Icmp(IntCc::Ne), &[id, none], I1);
        (id, zero, possible)
    };
    let status = call.cx.slot(4, 4)?;
    let status = ObjectRef::new(status, 4);
    let (done, failed) = (call.cx.f.bits(I32, 0), call.cx.f.bits(I32, u64::from(u32::MAX)));
    call.cx.store(status, failed);
    let (copy, after) = (call.cx.new_block(), call.cx.new_block());
    call.cx.branch(possible, copy, after);
    call.cx.start_sealed(copy);
    let packet = library(call, "packet", &[pipe, id, index], Type::Ptr(Space::Global));
    let (to, from) = if reads { (data, packet) } else { (packet, data) };
    let align = packet_layout.align;
    call.cx.copy(ObjectRef::new(to, align), ObjectRef::new(from, align), packet_layout.size);
    if !is_reserved {
        let name = if reads { "pc_pipe_commit_read" } else { "pc_pipe_commit_write" };
        call.cx.library_call(name, &[pipe, id], None);
    }
    call.cx.store(status, done);
    call.cx.jump(after, &[]);
    call.cx.start_sealed(after);
    Ok(call.cx.load(status, I32))
}
