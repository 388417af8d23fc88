//! Vector loads and stores, halves in memory, asynchronous copies, and address space functions.

use super::super::row::{BuiltinExpansion, HalfForm, RoundingMode};
use super::call::Call;
use crate::error::Result;
use crate::front::c::layout::layout;
use crate::front::expand::numbers::resize;
use crate::ir::{Access, CastOp, I1, I32, I64, Op, Rounding, Scalar, Space, Type, Value};

/// Lowers a function of this module.
pub fn lower(call: &mut Call<'_, '_, '_>, lowering: BuiltinExpansion) -> Result<Option<Value>> {
    match lowering {
        BuiltinExpansion::VectorLoad => {
            let ty = call.ty()?;
            let bytes = ty.lane().access_bytes().unwrap_or(1);
            let at = element(call, 0, 1, bytes * ty.lanes())?;
            Ok(Some(load(call, at, ty, bytes)))
        }
        BuiltinExpansion::VectorStore => {
            let value = call.arg(0)?;
            let ty = call.cx.f.ty(value);
            let bytes = ty.lane().access_bytes().unwrap_or(1);
            let at = element(call, 1, 2, bytes * ty.lanes())?;
            store(call, at, value, bytes);
            Ok(None)
        }
        BuiltinExpansion::HalfLoad(form) => half_load(call, form).map(Some),
        BuiltinExpansion::HalfStore(form, rounding) => half_store(call, form, rounding).map(|()| None),
        BuiltinExpansion::AsyncCopy { strided } => async_copy(call, strided).map(Some),
        BuiltinExpansion::AsyncCopy2D => async_copy_3d(call, false).map(Some),
        BuiltinExpansion::AsyncCopy3D => async_copy_3d(call, true).map(Some),
        BuiltinExpansion::ToSpace(space) => {
            let p = call.arg(0)?;
            let ty = Type::Ptr(space);
            let null = call.cx.f.bits(ty, 0);
            let p = call.cx.in_space(p, Space::Generic);
            let inside = call.cx.emit(Op::IsSpace(space), &[p], I1);
            let cast = call.cx.emit(Op::Cast(CastOp::PtrCast), &[p], ty);
            Ok(Some(call.cx.emit(Op::Select, &[inside, cast, null], ty)))
        }
        BuiltinExpansion::GetFence => {
            // CLK_LOCAL_MEM_FENCE or CLK_GLOBAL_MEM_FENCE
            let p = call.arg(0)?;
            let p = call.cx.in_space(p, Space::Generic);
            let (local, global) = (call.cx.f.bits(I32, 1), call.cx.f.bits(I32, 2));
            let inside = call.cx.emit(Op::IsSpace(Space::Local), &[p], I1);
            Ok(Some(call.cx.emit(Op::Select, &[inside, local, global], I32)))
        }
        // A prefetch has no effect on results.
        _ => Ok(None),
    }
}

/// Address of the element with the number in argument `index` from the pointer in argument `base` on.
fn element(call: &mut Call<'_, '_, '_>, index: usize, base: usize, bytes: u32) -> Result<Value> {
    let (index, base) = (call.arg(index)?, call.arg(base)?);
    let index = resize(call.cx, index, I64, false);
    Ok(call.cx.element(base, index, u64::from(bytes)))
}

fn access(call: &Call<'_, '_, '_>, at: Value, align: u32) -> Access {
    let readonly = call.cx.f.ty(at) == Type::Ptr(Space::Constant);
    Access { readonly, ..Access::aligned(align) }
}

fn load(call: &mut Call<'_, '_, '_>, at: Value, ty: Type, align: u32) -> Value {
    let access = access(call, at, align);
    call.cx.emit(Op::Load(access), &[at], ty)
}

fn store(call: &mut Call<'_, '_, '_>, at: Value, value: Value, align: u32) {
    let access = access(call, at, align);
    call.cx.builder().store(value, at, access);
}

/// Bytes from one vector of halves to the next, and their alignment.
fn half_layout(form: HalfForm, lanes: u32) -> (u32, u32) {
    match form {
        HalfForm::Packed => (2 * lanes, 2),
        // Vectors of three have the size and alignment of four.
        HalfForm::Aligned => (2 * lanes.next_power_of_two(), 2 * lanes.next_power_of_two()),
    }
}

fn half_load(call: &mut Call<'_, '_, '_>, form: HalfForm) -> Result<Value> {
    let ty = call.ty()?;
    let (stride, align) = half_layout(form, ty.lanes());
    let at = element(call, 0, 1, stride)?;
    let halves = load(call, at, ty.with_scalar(Scalar::F16), align);
    Ok(call.cx.emit(Op::Cast(CastOp::FpConv), &[halves], ty))
}

fn half_store(call: &mut Call<'_, '_, '_>, form: HalfForm, rounding: RoundingMode) -> Result<()> {
    let value = call.arg(0)?;
    let ty = call.cx.f.ty(value);
    let (stride, align) = half_layout(form, ty.lanes());
    let at = element(call, 1, 2, stride)?;
    let halves = ty.with_scalar(Scalar::F16);
    let value = match rounding {
        None | Some(Rounding::Rte) => call.cx.emit(Op::Cast(CastOp::FpConv), &[value], halves),
        rounding => {
            let op = Op::Convert { from_signed: true, to_signed: true, rounding, saturate: false };
            call.cx.emit(op, &[value], halves)
        }
    };
    store(call, at, value, align);
    Ok(())
}

/// Copies elements by all work-items of the group, with a function of the library for the largest power of
/// two that divides the element. The event is a number without meaning: the wait is a barrier.
fn async_copy(call: &mut Call<'_, '_, '_>, strided: bool) -> Result<Value> {
    let pointee = call.pointee(0)?;
    let bytes = layout(call.cx.types(), pointee).size;
    let unit = (1u64 << bytes.trailing_zeros().min(4)).min(16);
    let (dst, src, count) = (call.arg(0)?, call.arg(1)?, call.arg(2)?);
    let to_local = call.cx.f.ty(dst) == Type::Ptr(Space::Local);
    let one = call.cx.i64(1);
    let stride = if strided { call.arg(3)? } else { one };
    // The stride applies to the side in global memory.
    let (to, from) = if to_local { (one, stride) } else { (stride, one) };
    let units = call.cx.i64((bytes / unit) as i64);
    let name = format!("pc_async_copy_{}_{unit}", if to_local { "lg" } else { "gl" });
    call.cx.library_call(&name, &[dst, src, count, to, from, units], None);
    Ok(call.cx.i64(0))
}

/// Copies lines of planes of elements (cl_khr_extended_async_copies).
fn async_copy_3d(call: &mut Call<'_, '_, '_>, has_planes: bool) -> Result<Value> {
    let (dst, dst_offset, src, src_offset) = (call.arg(0)?, call.arg(1)?, call.arg(2)?, call.arg(3)?);
    let bytes = call.arg(4)?;
    let (one, zero) = (call.cx.i64(1), call.cx.i64(0));
    let mut sizes = [one; 7];
    // Elements, lines, planes, then lengths: source line and plane, destination line and plane.
    let order: &[usize] = if has_planes { &[0, 1, 2, 3, 4, 5, 6] } else { &[0, 1, 3, 5] };
    for (i, at) in order.iter().enumerate() {
        sizes[*at] = call.arg(5 + i)?;
    }
    if !has_planes {
        (sizes[4], sizes[6]) = (zero, zero);
    }
    let to_local = call.cx.f.ty(dst) == Type::Ptr(Space::Local);
    let at = |call: &mut Call<'_, '_, '_>, base: Value, offset: Value| {
        let offset = call.cx.emit(Op::Bin(crate::ir::BinOp::Imul), &[offset, bytes], I64);
        call.cx.element(base, offset, 1)
    };
    let (dst, src) = (at(call, dst, dst_offset), at(call, src, src_offset));
    let name = format!("pc_async_copy_3d_{}", if to_local { "lg" } else { "gl" });
    let [elements, lines, planes, src_line, src_plane, dst_line, dst_plane] = sizes;
    let args = [dst, src, bytes, elements, lines, planes, src_line, src_plane, dst_line, dst_plane];
    call.cx.library_call(&name, &args, None);
    Ok(zero)
}
