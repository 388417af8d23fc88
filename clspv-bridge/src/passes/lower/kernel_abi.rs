//! Kernel parameters to loads from the argument block (symbolic push constants, see
//! [`crate::passes::lower`]).
//!
//! Values of any type are built from 32- and 64-bit words. Pointer parameters are left to `memory_classes`,
//! which knows the representation of each class; only the loads of their slots are here.

use crate::error::{CompileError, Result, ice};
use crate::ir::edit::{Rewrite, rewrite_insts};
use crate::ir::*;
use crate::metadata::{ArgKind, KernelInfo};
use crate::passes::lower::state::Kernel;
use crate::passes::{Pass, PassContext};
use rustc_hash::FxHashMap;

/// The pass `lower_by_value`: structures passed by value. Before `sroa`, so that they are split like any
/// other slot.
pub struct LowerByValue;

impl Pass for LowerByValue {
    fn name(&self) -> &'static str {
        "lower_by_value"
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let kernel = Kernel::of(module)?;
        by_value(kernel.func, kernel.info)
    }
}

/// The pass `lower_value_params`: parameters that are values.
pub struct LowerValueParams;

impl Pass for LowerValueParams {
    fn name(&self) -> &'static str {
        "lower_value_params"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let kernel = Kernel::of(module)?;
        value_params(kernel.func, kernel.info)?;
        Ok(true)
    }
}

/// Runs `emit` and moves the instructions that it adds to the front of the entry block.
pub(crate) fn at_entry<T>(func: &mut Function, emit: impl FnOnce(&mut Builder<'_>) -> T) -> Option<T> {
    let entry = func.entry()?;
    let old = func.take_insts(entry);
    let out = emit(&mut Builder::new(func, entry));
    func.blocks[entry].insts.extend(old);
    Some(out)
}

/// Loads a value of `ty` from the packed arguments at a byte offset.
pub(crate) fn load_arg(b: &mut Builder<'_>, offset: u32, ty: Type) -> Value {
    let push = |b: &mut Builder<'_>, at: u32, ty: Type| b.value(Op::Arg { offset: at }, &[], ty);
    match ty {
        Type::Vector(s, n) => {
            let lanes: Vec<Value> =
                (0..n as u32).map(|i| load_arg(b, offset + i * s.bytes(), Type::Scalar(s))).collect();
            b.vec_build(&lanes)
        }
        Type::Scalar(Scalar::I32 | Scalar::F32) if offset.is_multiple_of(4) => push(b, offset, ty),
        Type::Scalar(Scalar::I64 | Scalar::F64) | Type::Ptr(_) if offset.is_multiple_of(8) => {
            push(b, offset, if ty == F64 { F64 } else { I64 })
        }
        Type::Scalar(Scalar::I1) => {
            let byte = load_arg(b, offset, I8);
            b.cast(CastOp::Trunc, byte, I1)
        }
        Type::Scalar(s) if s.bits() <= 32 => {
            // Part of a word; a value that straddles two words (packed structures) is built from bytes.
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
        Type::Opaque(_) | Type::PtrVector(..) => push(b, offset, I32),
    }
}

/// Lowers structures passed by value, whose parameter is the address of the argument's bytes; true if there
/// were any.
///
/// Loads and copies at constant offsets read the argument block. If other uses remain, the address becomes
/// that of a slot that is filled at entry.
pub fn by_value(func: &mut Function, info: &KernelInfo) -> Result<bool> {
    let Some(entry) = func.entry() else { return Ok(false) };
    let params = func.blocks[entry].params.clone();
    if params.len() != info.args.len() {
        return Err(ice!("kernel '{}': parameters and argument information differ", info.name));
    }
    let by_value: FxHashMap<Value, (u32, u32, u32)> = params
        .iter()
        .zip(&info.args)
        .filter(|(p, a)| a.kind == ArgKind::Value && func.ty(**p).space().is_some())
        .map(|(&p, a)| (p, (a.offset, a.size, a.align)))
        .collect();
    if by_value.is_empty() {
        return Ok(false);
    }
    read_fields(func, &by_value);
    // Remaining uses: addresses that are used other than by constant arithmetic.
    let mut left: Vec<Value> = Vec::new();
    for d in func.data_in_order() {
        let edges = d.targets.iter().flat_map(|t| t.args.iter());
        for v in d.args.iter().chain(edges).filter(|_| !is_offset(func, &d.op, &d.args)) {
            if let Some((p, _)) = field(func, &by_value, *v)
                && !left.contains(&p)
            {
                left.push(p);
            }
        }
    }
    let mut map = FxHashMap::default();
    let mut kept = params.clone();
    for k in kept.iter_mut().filter(|k| by_value.contains_key(*k)) {
        let (param, ty) = (*k, func.ty(*k));
        // An unused parameter remains in the list, so that parameters keep matching the argument information.
        *k = func.values.push(ValueData { ty: I64, def: ValueDef::Param(entry, 0) });
        if !left.contains(&param) {
            map.insert(param, func.undef(ty));
        }
    }
    at_entry(func, |b| {
        for &param in &left {
            let (offset, size, align) = by_value[&param];
            let slot = b
                .func
                .slots
                .push(SlotData { size: size.next_multiple_of(4), align: align.max(4).next_power_of_two() });
            let base = b.slot_addr(slot);
            copy_fields(b, base, offset, size, 4);
            let ty = b.ty(param);
            let base = if ty == Type::Ptr(Space::Private) { base } else { b.cast(CastOp::PtrCast, base, ty) };
            map.insert(param, base);
        }
    });
    func.set_params(entry, kept);
    func.sig.params = func.blocks[entry].params.iter().map(|&p| func.values[p].ty).collect();
    func.replace_uses(&map);
    Ok(true)
}

fn is_offset(func: &Function, op: &Op, args: &[Value]) -> bool {
    matches!(op, Op::PtrAdd) && func.as_bits(args[1]).is_some()
}

/// The by-value parameter and the byte offset that a pointer is known to point to.
fn field(func: &Function, by_value: &FxHashMap<Value, (u32, u32, u32)>, v: Value) -> Option<(Value, i64)> {
    let (mut v, mut at) = (v, 0i64);
    while !by_value.contains_key(&v) {
        let d = &func.insts[func.def_inst(v)?];
        if !is_offset(func, &d.op, &d.args) {
            return None;
        }
        at = at.wrapping_add(func.as_bits(d.args[1])? as i64);
        v = d.args[0];
    }
    Some((v, at))
}

/// Stores `size` bytes of the argument block from `offset` on, in pieces of up to 32 bits.
fn copy_fields(b: &mut Builder<'_>, base: Value, offset: u32, size: u32, align: u32) {
    let mut at = 0;
    while at < size {
        let ty = match size - at {
            4.. if align >= 4 => I32,
            2.. if align >= 2 => I16,
            _ => I8,
        };
        let bytes = ty.access_bytes().unwrap_or(1);
        let v = load_arg(b, offset + at, ty);
        let p = b.ptr_add_const(base, at as i64);
        b.store(v, p, Access::aligned(bytes));
        at += bytes;
    }
}

fn read_fields(func: &mut Function, by_value: &FxHashMap<Value, (u32, u32, u32)>) {
    rewrite_insts(func, |b, inst| {
        let d = b.func.insts[inst].clone();
        let (address, bytes) = match (&d.op, d.results.first()) {
            (Op::Load(_), Some(&r)) => (d.args[0], b.ty(r).access_bytes().map(u64::from)),
            (Op::Memcpy { .. }, _) => (d.args[1], b.func.as_bits(d.args[2])),
            _ => return Rewrite::Keep,
        };
        let found = field(b.func, by_value, address).zip(bytes).filter(|&((p, at), bytes)| {
            let size = by_value[&p].1 as i64;
            at >= 0 && i64::try_from(bytes).is_ok_and(|n| at.checked_add(n).is_some_and(|end| end <= size))
        });
        let Some(((p, at), bytes)) = found else { return Rewrite::Keep };
        let offset = by_value[&p].0 + at as u32;
        match (&d.op, d.results.first()) {
            (Op::Memcpy { dst, .. }, _) => {
                copy_fields(b, d.args[0], offset, bytes as u32, dst.align);
                Rewrite::Remove
            }
            (_, Some(&r)) => {
                let ty = b.ty(r);
                let v = load_arg(b, offset, ty);
                Rewrite::Replace(if ty.space().is_some() { b.cast(CastOp::IntToPtr, v, ty) } else { v })
            }
            _ => Rewrite::Keep,
        }
    });
}

/// Replaces parameters passed by value by loads of the argument block.
pub fn value_params(func: &mut Function, info: &KernelInfo) -> Result<()> {
    let Some(entry) = func.entry() else { return Ok(()) };
    let params = func.blocks[entry].params.clone();
    let mut map = FxHashMap::default();
    let mut unsupported = None;
    at_entry(func, |b| {
        for (&param, arg) in params.iter().zip(&info.args) {
            match (arg.kind, b.ty(param)) {
                (_, Type::Ptr(_)) | (ArgKind::Image, _) => {}
                (_, Type::Opaque(_)) => unsupported = Some("an argument of an opaque type"),
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
