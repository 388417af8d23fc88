//! Atomics, barriers and fences; asynchronous copies, which the whole work-group completes at once.

use super::func::FuncReader;
use super::memory::MemFlags;
use super::read::Instr;
use crate::error::Result;
use crate::ir::{
    Access, BinOp, BlockCall, CastOp, FenceSpaces, I1, I32, I64, IntCc, Op as IrOp, Ordering, RmwOp, Scope,
    Type, Value, WorkItemQuery,
};
use spirv::Op;

impl FuncReader<'_, '_, '_> {
    /// Reads an atomic, barrier or asynchronous copy; returns false for other instructions.
    pub fn sync_op(&mut self, inst: &Instr<'_>) -> Result<bool> {
        let rmw = match inst.op {
            Op::AtomicExchange => Some(RmwOp::Xchg),
            Op::AtomicIIncrement | Op::AtomicIAdd => Some(RmwOp::Add),
            Op::AtomicIDecrement | Op::AtomicISub => Some(RmwOp::Sub),
            Op::AtomicSMin => Some(RmwOp::Smin),
            Op::AtomicUMin => Some(RmwOp::Umin),
            Op::AtomicSMax => Some(RmwOp::Smax),
            Op::AtomicUMax => Some(RmwOp::Umax),
            Op::AtomicAnd => Some(RmwOp::And),
            Op::AtomicOr => Some(RmwOp::Or),
            Op::AtomicXor => Some(RmwOp::Xor),
            Op::AtomicFAddEXT => Some(RmwOp::Fadd),
            Op::AtomicFMinEXT => Some(RmwOp::Fmin),
            Op::AtomicFMaxEXT => Some(RmwOp::Fmax),
            _ => None,
        };
        match inst.op {
            _ if rmw.is_some() => self.atomic_rmw(inst, rmw.unwrap_or(RmwOp::Xchg))?,
            Op::AtomicLoad => {
                let p = self.ptr_arg(2, inst)?;
                let ty = self.result_type(inst)?;
                let (scope, order) = (self.scope(inst.word(3)?), self.order(inst.word(4)?));
                let (int, access) = self.atomic_access(ty, inst)?;
                let mut b = self.b();
                let v = b.value(IrOp::AtomicLoad { access, scope, order }, &[p], int);
                let v = b.bitcast(v, ty);
                self.define(inst, v)?;
            }
            Op::AtomicStore => {
                let p = self.ptr_arg(0, inst)?;
                let (scope, order) = (self.scope(inst.word(1)?), self.order(inst.word(2)?));
                let v = self.arg(3, inst)?;
                let (int, access) = self.atomic_access(self.f.ty(v), inst)?;
                let mut b = self.b();
                let v = b.bitcast(v, int);
                b.inst(IrOp::AtomicStore { access, scope, order }, &[v, p], &[]);
            }
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
                let p = self.ptr_arg(2, inst)?;
                let ty = self.result_type(inst)?;
                let scope = self.scope(inst.word(3)?);
                let (success, failure) = (self.order(inst.word(4)?), self.order(inst.word(5)?));
                let (new, expected) = (self.arg(6, inst)?, self.arg(7, inst)?);
                if self.f.ty(new) != ty || self.f.ty(expected) != ty {
                    return Err(inst.bad("operands of different types"));
                }
                let (int, access) = self.atomic_access(ty, inst)?;
                let mut b = self.b();
                let (new, expected) = (b.bitcast(new, int), b.bitcast(expected, int));
                let v =
                    b.value(IrOp::AtomicCas { access, scope, success, failure }, &[p, expected, new], int);
                let v = b.bitcast(v, ty);
                self.define(inst, v)?;
            }
            Op::AtomicFlagTestAndSet => {
                let p = self.ptr_arg(2, inst)?;
                let (scope, order) = (self.scope(inst.word(3)?), self.order(inst.word(4)?));
                let mut b = self.b();
                let (one, zero) = (b.i32(1), b.i32(0));
                let op = IrOp::AtomicRmw { op: RmwOp::Xchg, access: Access::aligned(4), scope, order };
                let old = b.value(op, &[p, one], I32);
                let v = b.icmp(IntCc::Ne, old, zero);
                self.define(inst, v)?;
            }
            Op::AtomicFlagClear => {
                let p = self.ptr_arg(0, inst)?;
                let (scope, order) = (self.scope(inst.word(1)?), self.order(inst.word(2)?));
                let mut b = self.b();
                let zero = b.i32(0);
                b.inst(IrOp::AtomicStore { access: Access::aligned(4), scope, order }, &[zero, p], &[]);
            }
            Op::ControlBarrier => {
                let (exec, memory) = (self.scope(inst.word(0)?), self.scope(inst.word(1)?));
                let spaces = match self.order(inst.word(2)?) {
                    Ordering::Relaxed => FenceSpaces::default(),
                    _ => self.spaces(inst.word(2)?),
                };
                self.b().inst(IrOp::barrier(exec, memory, spaces), &[], &[]);
            }
            Op::MemoryBarrier => {
                let scope = self.scope(inst.word(0)?);
                let (order, spaces) = (self.order(inst.word(1)?), self.spaces(inst.word(1)?));
                self.b().inst(IrOp::Fence { scope, order, spaces }, &[], &[]);
            }
            Op::GroupAsyncCopy => self.async_copy(inst)?,
            Op::GroupWaitEvents => {
                let op = IrOp::barrier(Scope::WorkGroup, Scope::WorkGroup, FenceSpaces::LOCAL_AND_GLOBAL);
                self.b().inst(op, &[], &[]);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn atomic_rmw(&mut self, inst: &Instr<'_>, op: RmwOp) -> Result<()> {
        let p = self.ptr_arg(2, inst)?;
        let ty = self.result_type(inst)?;
        let (scope, order) = (self.scope(inst.word(3)?), self.order(inst.word(4)?));
        let x = match inst.op {
            Op::AtomicIIncrement | Op::AtomicIDecrement => self.f.bits(ty, 1),
            _ => self.arg(5, inst)?,
        };
        let is_float_op = matches!(op, RmwOp::Fadd | RmwOp::Fmin | RmwOp::Fmax);
        if self.f.ty(x) != ty || (is_float_op != ty.is_float() && op != RmwOp::Xchg) {
            return Err(inst.bad("operands of different types"));
        }
        let (int, access) = self.atomic_access(ty, inst)?;
        let operand = if is_float_op { ty } else { int };
        let mut b = self.b();
        let x = b.bitcast(x, operand);
        let v = b.value(IrOp::AtomicRmw { op, access, scope, order }, &[p, x], operand);
        let v = b.bitcast(v, ty);
        self.define(inst, v)
    }

    /// The integer type of an atomic's width, and the access.
    fn atomic_access(&self, ty: Type, inst: &Instr<'_>) -> Result<(Type, Access)> {
        match ty {
            Type::Scalar(s) if s.bytes() >= 2 => Ok((Type::Scalar(s.to_int()), Access::aligned(s.bytes()))),
            _ => Err(inst.bad("atomic on a type that is not a number")),
        }
    }

    /// A memory or execution scope; some producers use 5 for all devices.
    pub(super) fn scope(&self, id: u32) -> Scope {
        match self.r.const_int(id) {
            Some(0) | Some(5) => Scope::AllDevices,
            Some(2) => Scope::WorkGroup,
            Some(3) => Scope::SubGroup,
            Some(4) => Scope::WorkItem,
            _ => Scope::Device,
        }
    }
    /// The order of memory semantics; the strongest if they are not constant.
    fn order(&self, id: u32) -> Ordering {
        match self.r.const_int(id) {
            None => Ordering::SeqCst,
            Some(m) if m & 0x10 != 0 => Ordering::SeqCst,
            Some(m) if m & 0x8 != 0 || m & 0x6 == 0x6 => Ordering::AcqRel,
            Some(m) if m & 0x4 != 0 => Ordering::Release,
            Some(m) if m & 0x2 != 0 => Ordering::Acquire,
            Some(_) => Ordering::Relaxed,
        }
    }
    pub fn spaces(&self, id: u32) -> FenceSpaces {
        match self.r.const_int(id) {
            None => FenceSpaces { local: true, global: true, image: true },
            Some(m) => FenceSpaces { local: m & 0x100 != 0, global: m & 0x200 != 0, image: m & 0x800 != 0 },
        }
    }

    /// OpGroupAsyncCopy: the work-items copy the elements between them; waiting is a barrier.
    fn async_copy(&mut self, inst: &Instr<'_>) -> Result<()> {
        let (dst, src) = (self.ptr_arg(3, inst)?, self.ptr_arg(4, inst)?);
        let count = self.int_arg(5, inst)?;
        let count = self.index64(count, inst)?;
        let stride = self.int_arg(6, inst)?;
        let stride = self.index64(stride, inst)?;
        let (_, elem) = self.r.types.pointer(self.type_of(inst.word(3)?, inst)?, inst)?;
        let info = self.r.types.need(elem, inst)?.clone();
        let leaves = self.r.types.leaves(elem, inst)?;
        // The stride applies to the side in global memory.
        let to_local = self.f.ty(dst) == Type::Ptr(crate::ir::Space::Local);
        let line = self.line;
        let before = self.block;
        let (head, body, after) = (self.f.add_block(), self.f.add_block(), self.f.add_block());
        let i = self.f.add_param(head, I64);
        self.block = before;
        let start = self.b().value(IrOp::WorkItem { query: WorkItemQuery::LocalLinearId, dim: 0 }, &[], I64);
        let sizes: Vec<Value> = (0..3)
            .map(|dim| self.b().value(IrOp::WorkItem { query: WorkItemQuery::LocalSize, dim }, &[], I64))
            .collect();
        let items = self.b().imul(sizes[0], sizes[1]);
        let items = self.b().imul(items, sizes[2]);
        self.b().jump(head, &[start]);
        self.block = head;
        let more = self.b().value(IrOp::Icmp(IntCc::Ult), &[i, count], I1);
        self.b().brif(more, BlockCall::new(body, &[]), BlockCall::new(after, &[]));
        self.block = body;
        let size = self.f.i64(info.size as i64);
        let mut b = self.b();
        let near = b.imul(i, size);
        let far = b.bin(BinOp::Imul, i, stride);
        let far = b.imul(far, size);
        let (to, from) = if to_local { (near, far) } else { (far, near) };
        let (to, from) = (b.ptr_add(dst, to), b.ptr_add(src, from));
        let vals = self.load_leaves(from, &leaves, info.align, MemFlags::default());
        self.store_leaves(to, &vals, &leaves, info.align, MemFlags::default());
        let next = self.b().iadd(i, items);
        self.b().jump(head, &[next]);
        self.block = after;
        self.line = line;
        let event = self.f.i64(0);
        let ty = self.result_type(inst)?;
        let event = if ty == I64 { event } else { self.b().cast(CastOp::Trunc, event, ty) };
        self.define(inst, event)
    }
}
