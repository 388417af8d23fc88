//! Atomics that the target lacks, as compare-and-swap loops.
//!
//! Runs while pointers are still pointers, so that the address spaces are handled in one place afterwards.

use super::lower::split_after;
use super::lower_access::rmw_bin;
use crate::ir::*;
use crate::target::Target;
use std::collections::HashMap;

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
