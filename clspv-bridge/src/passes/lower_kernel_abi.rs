//! Kernel parameters to loads from the argument block (symbolic push constants, see [`super::lower`]).
//!
//! Values of any type are put together from 32- and 64-bit words. Pointer parameters stay for `lower_regions`, which knows
//! how a pointer of each class is represented; here are only the loads of their slots.

use super::lower::arg_offset;
use crate::error::{CompileError, Result};
use crate::ir::*;
use crate::metadata::{ArgKind, KernelInfo};
use std::collections::HashMap;

/// Moves what `emit` pushes to the front of the entry block.
pub(super) fn at_entry<T>(func: &mut Function, emit: impl FnOnce(&mut Builder<'_>) -> T) -> Option<T> {
    let entry = func.entry()?;
    let old = func.take_insts(entry);
    let out = emit(&mut Builder::new(func, entry));
    func.blocks[entry].insts.extend(old);
    Some(out)
}

/// Loads a value of `ty` from the packed arguments at a byte offset.
pub(super) fn load_arg(b: &mut Builder<'_>, offset: u32, ty: Type) -> Value {
    let push = |b: &mut Builder<'_>, at: u32, ty: Type| b.value(Op::PushConst { offset: arg_offset(at) }, &[], ty);
    match ty {
        Type::Vector(s, n) => {
            let lanes: Vec<Value> = (0..n as u32).map(|i| load_arg(b, offset + i * s.bytes(), Type::Scalar(s))).collect();
            b.vec_build(&lanes)
        }
        Type::Scalar(Scalar::I32 | Scalar::F32) if offset % 4 == 0 => push(b, offset, ty),
        Type::Scalar(Scalar::I64 | Scalar::F64) | Type::Ptr(_) if offset % 8 == 0 => {
            push(b, offset, if ty == F64 { F64 } else { I64 })
        }
        Type::Scalar(Scalar::I1) => {
            let byte = load_arg(b, offset, I8);
            b.cast(CastOp::Trunc, byte, I1)
        }
        Type::Scalar(s) if s.bits() <= 32 => {
            // A part of a word; a value that straddles two words (packed structures) is put together from bytes.
            let bits = s.bits();
            let (word, shift) = (offset & !3, (offset & 3) * 8);
            let mut v = push(b, word, I32);
            if shift != 0 {
                let c = b.i32(shift as i32);
                v = b.lshr(v, c);
                if shift + bits > 32 {
                    let next = push(b, word + 4, I32);
                    let c = b.i32((32 - shift) as i32);
                    let high = b.shl(next, c);
                    v = b.or(v, high);
                }
            }
            let int = Type::Scalar(s.to_int());
            if bits < 32 {
                v = b.cast(CastOp::Trunc, v, int);
            }
            b.bitcast(v, ty)
        }
        Type::Scalar(_) | Type::Ptr(_) => {
            let low = load_arg(b, offset, I32);
            let high = load_arg(b, offset + 4, I32);
            let pair = b.vec_build(&[low, high]);
            let to = if ty == F64 { F64 } else { I64 };
            b.cast(CastOp::Bitcast, pair, to)
        }
        Type::Opaque(_) => push(b, offset, I32),
    }
}

/// Structures by value: the parameter becomes a slot that is filled at entry.
pub fn by_value_slots(func: &mut Function, info: &KernelInfo) -> Result<bool> {
    let Some(entry) = func.entry() else { return Ok(false) };
    let params = func.blocks[entry].params.clone();
    if params.len() != info.args.len() {
        return Err(CompileError::internal(format!("kernel '{}': parameters and argument information differ", info.name)));
    }
    let by_value: Vec<(Value, u32, u32, u32)> = params
        .iter()
        .zip(&info.args)
        .filter(|(p, a)| a.kind == ArgKind::Value && func.ty(**p) == Type::Ptr(Space::Private))
        .map(|(&p, a)| (p, a.offset, a.size, a.align))
        .collect();
    if by_value.is_empty() {
        return Ok(false);
    }
    let mut map = HashMap::new();
    let mut kept = params.clone();
    at_entry(func, |b| {
        for &(param, offset, size, align) in &by_value {
            let align = align.max(4).next_power_of_two();
            let slot = b.func.slots.push(SlotData { size: size.next_multiple_of(4), align });
            let base = b.slot_addr(slot);
            let mut at = 0;
            while at < size {
                // Stores have the widest type that the offset allows, at most 32 bits: fields are usually that.
                let ty = if size - at >= 4 {
                    I32
                } else if size - at >= 2 {
                    I16
                } else {
                    I8
                };
                let bytes = ty.access_bytes().unwrap_or(1);
                let v = load_arg(b, offset + at, ty);
                let p = b.ptr_add_const(base, at as i64);
                b.store(v, p, Access::aligned(bytes));
                at += bytes;
            }
            map.insert(param, base);
            // The parameter stays in the list, unused, so that parameters keep matching the argument information.
            let fresh = b.func.values.push(ValueData { ty: I64, def: ValueDef::Param(entry, 0) });
            if let Some(k) = kept.iter_mut().find(|k| **k == param) {
                *k = fresh;
            }
        }
    });
    func.set_params(entry, kept);
    func.sig.params = func.blocks[entry].params.iter().map(|&p| func.values[p].ty).collect();
    func.replace_uses(&map);
    Ok(true)
}

/// Replaces parameters passed by value.
pub fn value_params(func: &mut Function, info: &KernelInfo) -> Result<()> {
    let Some(entry) = func.entry() else { return Ok(()) };
    let params = func.blocks[entry].params.clone();
    let mut map = HashMap::new();
    let mut unsupported = None;
    at_entry(func, |b| {
        for (&param, arg) in params.iter().zip(&info.args) {
            match (arg.kind, b.ty(param)) {
                (ArgKind::Image, _) => unsupported = Some("image arguments"),
                (ArgKind::Sampler, _) | (_, Type::Opaque(_)) => unsupported = Some("sampler arguments"),
                (_, Type::Ptr(_)) => {}
                (_, ty) => {
                    map.insert(param, load_arg(b, arg.offset, ty));
                }
            }
        }
    });
    func.replace_uses(&map);
    match unsupported {
        Some(what) => Err(CompileError::unsupported(what, 0)),
        None => Ok(()),
    }
}
