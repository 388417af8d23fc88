//! Atomic operations and fences. All are sequentially consistent.

use super::lanes::{lane_bytes, lane_type};
use super::lower::Lower;
use crate::error::{CompileError, Result};
use crate::ir::*;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, AtomicRmwOp, BlockArg, InstBuilder, MemFlags, types};

impl Lower<'_, '_> {
    /// An atomic operation or a fence.
    pub(super) fn atomic(&mut self, data: &InstData) -> Result<()> {
        let flags = MemFlags::new();
        let func = self.func;
        match (&data.op, data.results.first()) {
            (Op::Fence { scope, order, .. }, _) => {
                // The work-items of a group run on one thread, and accesses keep their order.
                let is_single = matches!(scope, Scope::WorkItem | Scope::SubGroup | Scope::WorkGroup);
                if !is_single && *order != Ordering::Relaxed {
                    self.c.ins().fence();
                }
            }
            (Op::AtomicLoad { .. }, Some(v)) => {
                let (int, own) = integer(func.ty(*v));
                let p = self.one(data.args[0])?;
                let bits = self.c.ins().atomic_load(int, flags, p);
                let x = self.cast_bits(bits, own);
                self.set_one(*v, x);
            }
            (Op::AtomicStore { .. }, _) => {
                let (int, _) = integer(func.ty(data.args[0]));
                let (x, p) = (self.one(data.args[0])?, self.one(data.args[1])?);
                let bits = self.cast_bits(x, int);
                self.c.ins().atomic_store(flags, bits, p);
            }
            (Op::AtomicCas { .. }, Some(v)) => {
                let (int, own) = integer(func.ty(*v));
                let (p, x, y) = (self.one(data.args[0])?, self.one(data.args[1])?, self.one(data.args[2])?);
                let (x, y) = (self.cast_bits(x, int), self.cast_bits(y, int));
                let old = self.c.ins().atomic_cas(flags, p, x, y);
                let old = self.cast_bits(old, own);
                self.set_one(*v, old);
            }
            (Op::AtomicRmw { op, .. }, Some(v)) => self.read_modify_write(*op, data, *v)?,
            _ => return Err(CompileError::internal("no atomic operation")),
        }
        Ok(())
    }

    fn read_modify_write(&mut self, op: RmwOp, data: &InstData, v: Value) -> Result<()> {
        let ty = self.func.ty(v);
        let (int, own) = integer(ty);
        let (p, x) = (self.one(data.args[0])?, self.one(data.args[1])?);
        let op = match op {
            RmwOp::Add => AtomicRmwOp::Add,
            RmwOp::Sub => AtomicRmwOp::Sub,
            RmwOp::And => AtomicRmwOp::And,
            RmwOp::Or => AtomicRmwOp::Or,
            RmwOp::Xor => AtomicRmwOp::Xor,
            RmwOp::Xchg => AtomicRmwOp::Xchg,
            RmwOp::Umin => AtomicRmwOp::Umin,
            RmwOp::Umax => AtomicRmwOp::Umax,
            RmwOp::Smin => AtomicRmwOp::Smin,
            RmwOp::Smax => AtomicRmwOp::Smax,
            RmwOp::Fadd | RmwOp::Fmin | RmwOp::Fmax => {
                let old = self.float_loop(op, ty, p, x)?;
                self.set_one(v, old);
                return Ok(());
            }
        };
        let bits = self.cast_bits(x, int);
        let old = self.c.ins().atomic_rmw(int, MemFlags::new(), op, p, bits);
        let old = self.cast_bits(old, own);
        self.set_one(v, old);
        Ok(())
    }

    /// An operation on floating-point numbers, tried until no other thread intervenes.
    fn float_loop(&mut self, op: RmwOp, ty: Type, p: clif::Value, x: clif::Value) -> Result<clif::Value> {
        let (int, own) = integer(ty);
        let scalar = ty.scalar().unwrap_or(Scalar::F32);
        let op = match op {
            RmwOp::Fadd => BinOp::Fadd,
            RmwOp::Fmin => BinOp::Fmin,
            _ => BinOp::Fmax,
        };
        let first = self.c.ins().load(int, MemFlags::new(), p, 0);
        let again = self.c.func.dfg.make_block();
        let done = self.c.func.dfg.make_block();
        let expected = self.c.func.dfg.append_block_param(again, int);
        self.c.ins().jump(again, &[BlockArg::Value(first)]);
        self.start_block(again);
        let old = self.cast_bits(expected, own);
        let new = self.bin(op, scalar, old, x)?;
        let new = self.cast_bits(new, int);
        let found = self.c.ins().atomic_cas(MemFlags::new(), p, expected, new);
        let same = self.c.ins().icmp(IntCC::Equal, found, expected);
        self.c.ins().brif(same, done, &[], again, &[BlockArg::Value(found)]);
        self.start_block(done);
        Ok(old)
    }
}

/// The integer type of an atomic's size, and the operand's own type.
fn integer(ty: Type) -> (clif::Type, clif::Type) {
    let int = match lane_bytes(ty) {
        1 => types::I8,
        2 => types::I16,
        4 => types::I32,
        _ => types::I64,
    };
    (int, lane_type(ty))
}
