//! Lowers printf to writes into the print buffer (see [`crate::printf`] for its layout).
//!
//! One atomic addition reserves the words of a whole record, so records are never interleaved. A full buffer
//! drops the record: the call returns -1 and nothing else of the launch is affected. The capacity is tested
//! before words are reserved, so that the counter stops near it and cannot wrap around. Formats, and strings
//! that a conversion prints, are taken from the constants they point to; where such a pointer is only known
//! at run time, its address is recorded.

use crate::abi::ImplicitArg;
use crate::error::{CompileError, Result};
use crate::ir::edit::{Rewrite, split_after, try_rewrite_insts};
use crate::ir::*;
use crate::passes::{Pass, PassContext};
use crate::printf::{CAPACITY, DROPPED, NEXT, PrintfArg, PrintfCall, operand_kinds};

/// The pass `lower_printf`.
pub struct LowerPrintf;

impl Pass for LowerPrintf {
    fn name(&self) -> &'static str {
        "lower_printf"
    }
    /// Phase Inlined: constants reach the calls only when helper functions are inlined.
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        let Module { functions, globals, kernels, .. } = module;
        for func in functions.values_mut() {
            let Some(table) = func.kernel.and_then(|k| kernels.get_mut(k)).map(|k| &mut k.printf) else {
                continue;
            };
            changed |= function(func, globals, table)?;
        }
        Ok(changed)
    }
}

fn function(
    func: &mut Function,
    globals: &PrimaryMap<Global, GlobalData>,
    table: &mut Vec<PrintfCall>,
) -> Result<bool> {
    try_rewrite_insts(func, |b, inst| {
        let data = &b.func.insts[inst];
        if data.op != Op::OpenCl(ClOp::printf) {
            return Ok(Rewrite::Keep);
        }
        let data = data.clone();
        let (call, words) = record(b, globals, &data)?;
        let number = table.iter().position(|c| *c == call).unwrap_or_else(|| {
            table.push(call);
            table.len() - 1
        });
        Ok(Rewrite::Replace(write(b, number as u32, &words)))
    })
}

/// The call's [`PrintfCall`] and the words of its operands.
fn record(
    b: &mut Builder<'_>,
    globals: &PrimaryMap<Global, GlobalData>,
    data: &InstData,
) -> Result<(PrintfCall, Vec<Value>)> {
    let [format, args @ ..] = data.args.as_slice() else {
        return Err(CompileError::invalid("printf without a format", data.line));
    };
    if b.ty(*format).space().is_none() {
        return Err(CompileError::invalid("printf whose format is not a pointer", data.line));
    }
    let known = literal(b.func, globals, *format);
    let kinds = known.as_deref().map(operand_kinds).unwrap_or_default();
    let mut words = Vec::new();
    if known.is_none() {
        address(b, *format, &mut words);
    }
    let mut call = PrintfCall { format: known, args: Vec::new() };
    for (i, &arg) in args.iter().enumerate() {
        let ty = b.ty(arg);
        let lanes = ty.lanes() as u8;
        call.args.push(match ty.scalar() {
            None if ty.space().is_some() => {
                let text = kinds.get(i).filter(|k| **k == b's').and_then(|_| literal(b.func, globals, arg));
                if text.is_none() {
                    address(b, arg, &mut words);
                }
                text.map_or(PrintfArg::Pointer, PrintfArg::Text)
            }
            None => return Err(CompileError::unsupported(format!("printf of a {ty}"), data.line)),
            Some(scalar) => {
                for lane in 0..lanes {
                    let v = b.extract(arg, lane);
                    lane_words(b, v, scalar, &mut words);
                }
                let bits = scalar.bits().max(8) as u8;
                if scalar.is_float() {
                    PrintfArg::Float { bits, lanes }
                } else {
                    PrintfArg::Int { bits, lanes }
                }
            }
        });
    }
    Ok((call, words))
}

fn address(b: &mut Builder<'_>, p: Value, words: &mut Vec<Value>) {
    let v = b.cast(CastOp::PtrToInt, p, I64);
    lane_words(b, v, Scalar::I64, words);
}

/// Appends a lane as one word or two.
fn lane_words(b: &mut Builder<'_>, v: Value, scalar: Scalar, words: &mut Vec<Value>) {
    let v = b.bitcast(v, Type::Scalar(scalar.to_int()));
    match scalar.bits() {
        32 => words.push(v),
        64 => {
            words.push(b.cast(CastOp::Trunc, v, I32));
            let by = b.i64(32);
            let high = b.lshr(v, by);
            words.push(b.cast(CastOp::Trunc, high, I32));
        }
        _ => words.push(b.cast(CastOp::Zext, v, I32)),
    }
}

/// The constant string that a pointer is known to point to, up to its terminator.
fn literal(func: &Function, globals: &PrimaryMap<Global, GlobalData>, p: Value) -> Option<Vec<u8>> {
    let (mut p, mut at) = (p, 0i64);
    loop {
        let data = &func.insts[func.def_inst(p)?];
        match data.op {
            Op::PtrAdd => {
                at = at.checked_add(func.as_bits(data.args[1])? as i64)?;
                p = data.args[0];
            }
            Op::Cast(CastOp::PtrCast) => p = data.args[0],
            Op::GlobalAddr(g) => {
                let g = globals
                    .get(g)
                    .filter(|g| g.readonly && g.space != Space::Local && g.relocs.is_empty())?;
                let size = g.size as usize;
                let at = usize::try_from(at).ok().filter(|at| *at < size)?;
                let init = g.init.as_deref().unwrap_or_default();
                // Bytes without an initial value are zero, and so is the byte after the last one if no
                // terminator was found.
                let rest = init.get(at..init.len().min(size)).unwrap_or_default();
                let end = rest.iter().position(|c| *c == 0).unwrap_or(rest.len());
                return Some(rest[..end].to_vec());
            }
            _ => return None,
        }
    }
}

/// Pointer to a word of the buffer.
fn word_at(b: &mut Builder<'_>, buffer: Value, index: u32) -> Value {
    b.ptr_add_const(buffer, i64::from(index) * 4)
}

/// Writes a record; returns printf's result, and leaves the builder where the code continues.
fn write(b: &mut Builder<'_>, number: u32, words: &[Value]) -> Value {
    let reserve = split_after(b.func, b.block);
    let store = split_after(b.func, reserve);
    let drop = split_after(b.func, store);
    let rest = split_after(b.func, drop);
    let result = b.func.add_param(rest, I32);
    let plain = Access::aligned(4);
    let (scope, order) = (Scope::Device, Ordering::Relaxed);
    let to = |block| BlockCall::new(block, &[]);

    let buffer = b.value(Op::PrintBuffer, &[], Type::Ptr(Space::Global));
    let p = word_at(b, buffer, CAPACITY);
    let capacity = b.load(I32, p, plain);
    let next = word_at(b, buffer, NEXT);
    let seen = b.value(Op::AtomicLoad { access: plain, scope, order }, &[next], I32);
    let room = b.icmp(IntCc::Ult, seen, capacity);
    b.brif(room, to(reserve), to(drop));

    b.block = reserve;
    let count = b.i32(1 + words.len() as i32);
    let add = Op::AtomicRmw { op: RmwOp::Add, access: plain, scope, order };
    let at = b.value(add.clone(), &[next, count], I32);
    let room = b.icmp(IntCc::Ult, at, capacity);
    b.brif(room, to(store), to(drop));

    b.block = store;
    let base = b.value(Op::Implicit(ImplicitArg::PrintfBase), &[], I32);
    let number = b.i32(number as i32);
    let first = b.iadd(base, number);
    let at = b.cast(CastOp::Zext, at, I64);
    let two = b.i64(2);
    let offset = b.shl(at, two);
    let start = b.ptr_add(buffer, offset);
    for (i, &word) in std::iter::once(&first).chain(words).enumerate() {
        let p = word_at(b, start, i as u32);
        b.store(word, p, plain);
    }
    let zero = b.i32(0);
    b.jump(rest, &[zero]);

    b.block = drop;
    let p = word_at(b, buffer, DROPPED);
    let one = b.i32(1);
    b.value(add, &[p, one], I32);
    let failed = b.i32(-1);
    b.jump(rest, &[failed]);
    b.block = rest;
    result
}
