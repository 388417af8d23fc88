//! Block operations and atomics that no target has, as loads, stores, loops and compare-and-swap.
//!
//! Runs while pointers are still pointers, so that the address spaces are handled in one place afterwards.

use super::lower::split_after;
use super::lower_access::rmw_bin;
use crate::error::Result;
use crate::ir::*;
use crate::target::Target;
use std::collections::HashMap;

/// Copies of at most this many pieces are written out.
const MAX_UNROLLED: u64 = 32;

fn piece(align: u32) -> Type {
    match align {
        0 | 1 => I8,
        2 | 3 => I16,
        4..=15 => I32,
        _ => Type::Vector(Scalar::I32, 4),
    }
}

/// Expands [`Op::Memcpy`] and [`Op::Memset`].
pub fn expand_block_ops(func: &mut Function) -> Result<bool> {
    let mut changed = false;
    for first in func.layout.clone() {
        let mut block = first;
        let insts = func.take_insts(block);
        for inst in insts {
            let data = func.insts[inst].clone();
            let mut b = Builder::new(func, block);
            b.line = data.line;
            let (dst, src) = match data.op {
                Op::Memcpy { dst, src } => (dst, Some(src)),
                Op::Memset(dst) => (dst, None),
                _ => {
                    b.push(inst);
                    continue;
                }
            };
            changed = true;
            let align = dst.align.min(src.map_or(16, |s| s.align));
            let constant = b.func.as_bits(data.args[2]);
            // Bytes left over by a wide piece are copied one by one; a length unknown until run time has none that is known.
            let mut ty = match constant {
                Some(n) if align >= 16 && n % 16 != 0 => I32,
                Some(_) => piece(align),
                None => I8,
            };
            if matches!(constant, Some(n) if n < ty.access_bytes().unwrap_or(1) as u64) {
                ty = I8;
            }
            let size = ty.access_bytes().unwrap_or(1) as u64;
            let fill = if src.is_none() { Some(splat_byte(&mut b, data.args[1], ty)) } else { None };
            let copy = |b: &mut Builder<'_>, ty: Type, fill: Option<Value>, at: Value| {
                let v = match (fill, src) {
                    (Some(v), _) => v,
                    (None, Some(src)) => {
                        let p = b.ptr_add(data.args[1], at);
                        let a = src.align.min(ty.access_bytes().unwrap_or(1));
                        b.load(ty, p, Access { align: a, ..src })
                    }
                    (None, None) => return,
                };
                let p = b.ptr_add(data.args[0], at);
                let a = dst.align.min(ty.access_bytes().unwrap_or(1));
                b.store(v, p, Access { align: a, ..dst });
            };
            if let Some(n) = constant
                && n / size + n % size <= MAX_UNROLLED
            {
                for i in 0..n / size {
                    let at = b.i64((i * size) as i64);
                    copy(&mut b, ty, fill, at);
                }
                for i in n / size * size..n {
                    let at = b.i64(i as i64);
                    let byte = src.is_none().then_some(data.args[1]);
                    copy(&mut b, I8, byte, at);
                }
                continue;
            }
            // for (at = 0; at < end; at += size) copy
            let end = match constant {
                Some(n) => b.i64((n / size * size) as i64),
                None => data.args[2],
            };
            let head = split_after(b.func, block);
            let body = split_after(b.func, head);
            let rest = split_after(b.func, body);
            let at = b.func.add_param(head, I64);
            let zero = b.i64(0);
            b.jump(head, &[zero]);
            b.block = head;
            let more = b.icmp(IntCc::Ult, at, end);
            b.brif(more, BlockCall::new(body, &[]), BlockCall::new(rest, &[]));
            b.block = body;
            copy(&mut b, ty, fill, at);
            let step = b.i64(size as i64);
            let next = b.iadd(at, step);
            b.jump(head, &[next]);
            b.block = rest;
            if let Some(n) = constant {
                for i in n / size * size..n {
                    let at = b.i64(i as i64);
                    let byte = src.is_none().then_some(data.args[1]);
                    copy(&mut b, I8, byte, at);
                }
            }
            block = rest;
        }
    }
    Ok(changed)
}

fn splat_byte(b: &mut Builder<'_>, byte: Value, ty: Type) -> Value {
    let lane = ty.lane();
    if lane == I8 {
        return byte;
    }
    let wide = b.cast(CastOp::Zext, byte, lane);
    let ones = b.func.bits(lane, 0x0101_0101);
    let v = b.imul(wide, ones);
    if ty.lanes() > 1 { b.value(Op::Splat, &[v], ty) } else { v }
}

/// Floating-point atomics: exchanges, loads and stores become integer ones; additions and extrema become
/// compare-and-swap loops unless the target has them.
pub fn expand_float_atomics(func: &mut Function, target: &Target) -> bool {
    let mut map = HashMap::new();
    let mut changed = false;
    for first in func.layout.clone() {
        let mut block = first;
        let insts = func.take_insts(block);
        for inst in insts {
            let data = func.insts[inst].clone();
            let mut b = Builder::new(func, block);
            b.line = data.line;
            let ty = match (&data.op, data.results.first()) {
                (Op::AtomicStore { .. }, _) => b.ty(data.args[0]),
                (op, Some(&r)) if op.access().is_some() && !matches!(op, Op::Load(_)) => b.ty(r),
                _ => I32,
            };
            if !ty.is_float() {
                b.push(inst);
                continue;
            }
            let int = Type::Scalar(ty.scalar().map_or(Scalar::I32, Scalar::to_int));
            let result = data.results.first().copied();
            match data.op {
                Op::AtomicRmw { op: RmwOp::Xchg, .. } | Op::AtomicLoad { .. } | Op::AtomicCas { .. } => {
                    let args: Vec<Value> = data.args.iter().map(|&a| if b.ty(a) == ty { b.bitcast(a, int) } else { a }).collect();
                    let old = b.value(data.op.clone(), &args, int);
                    let old = b.bitcast(old, ty);
                    map.extend(result.map(|r| (r, old)));
                }
                Op::AtomicStore { .. } => {
                    let v = b.bitcast(data.args[0], int);
                    b.inst(data.op.clone(), &[v, data.args[1]], &[]);
                }
                Op::AtomicRmw { op, access, scope, order } => {
                    let global = matches!(b.ty(data.args[0]).space(), Some(Space::Global));
                    if global && ty == F32 && op == RmwOp::Fadd && target.buffer_float32_atomic_add {
                        b.push(inst);
                        continue;
                    }
                    let Some(bin) = rmw_bin(op) else { continue };
                    let address = data.args[0];
                    let load = Op::AtomicLoad { access, scope, order: Ordering::Relaxed };
                    let start = b.value(load, &[address], int);
                    let again = split_after(b.func, block);
                    let rest = split_after(b.func, again);
                    let expected = b.func.add_param(again, int);
                    b.jump(again, &[start]);
                    b.block = again;
                    let old = b.bitcast(expected, ty);
                    let new = b.bin(bin, old, data.args[1]);
                    let new = b.bitcast(new, int);
                    let cas = Op::AtomicCas { access, scope, success: order, failure: Ordering::Relaxed };
                    let seen = b.value(cas, &[address, expected, new], int);
                    let done = b.icmp(IntCc::Eq, seen, expected);
                    b.brif(done, BlockCall::new(rest, &[]), BlockCall::new(again, &[seen]));
                    map.extend(result.map(|r| (r, old)));
                    block = rest;
                }
                _ => {
                    b.push(inst);
                    continue;
                }
            }
            changed = true;
        }
    }
    func.replace_uses(&map);
    changed
}
