//! Pipes: operations on their memory are functions of the built-in library (`builtins/pipe.cl`). Packets are
//! copied here, where their size is known.

use super::func::FuncReader;
use super::memory::MemFlags;
use super::read::Instr;
use super::types::SpirvTypeKind;
use crate::error::Result;
use crate::ir::{BinOp, BlockCall, CastOp, I32, I64, IntCc, Scope, Space, Type, Value};
use spirv::Op;

/// Maximum number of bytes of a packet.
const MAX_PACKET_BYTES: i64 = 65536;
const GLOBAL: Type = Type::Ptr(Space::Global);

impl FuncReader<'_, '_, '_> {
    /// Reads an instruction on pipes; returns false for other instructions.
    pub fn pipe_op(&mut self, inst: &Instr<'_>) -> Result<bool> {
        match inst.op {
            Op::ReadPipe | Op::WritePipe | Op::ReservedReadPipe | Op::ReservedWritePipe => {
                self.transfer(inst)?
            }
            Op::ReserveReadPipePackets => self.reserve(inst, "reserve_read", 2)?,
            Op::ReserveWritePipePackets => self.reserve(inst, "reserve_write", 2)?,
            Op::GroupReserveReadPipePackets => {
                self.reserve(inst, &self.by_group(2, "reserve_read", inst)?, 3)?
            }
            Op::GroupReserveWritePipePackets => {
                self.reserve(inst, &self.by_group(2, "reserve_write", inst)?, 3)?
            }
            Op::CommitReadPipe => self.commit(inst, "commit_read", 0)?,
            Op::CommitWritePipe => self.commit(inst, "commit_write", 0)?,
            Op::GroupCommitReadPipe => self.commit(inst, &self.by_group(0, "commit_read", inst)?, 1)?,
            Op::GroupCommitWritePipe => self.commit(inst, &self.by_group(0, "commit_write", inst)?, 1)?,
            Op::IsValidReserveId => {
                let id = self.reservation(2, inst)?;
                let mut b = self.b();
                let none = b.i64(0);
                let v = b.icmp(IntCc::Ne, id, none);
                self.define(inst, v)?;
            }
            Op::GetNumPipePackets => self.count(inst, "num_packets")?,
            Op::GetMaxPipePackets => self.count(inst, "max_packets")?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Operand `i`, which must be a pipe: the address of its memory.
    fn pipe(&mut self, i: usize, inst: &Instr<'_>) -> Result<Value> {
        let (ty, vals) = self.typed(inst.word(i)?, inst)?;
        match (&self.r.types.need(ty, inst)?.kind, vals.as_slice()) {
            (SpirvTypeKind::Pipe(_), [v]) => Ok(*v),
            _ => Err(inst.bad(format_args!("operand {i} is not a pipe"))),
        }
    }

    fn reservation(&mut self, i: usize, inst: &Instr<'_>) -> Result<Value> {
        let v = self.arg(i, inst)?;
        if self.f.ty(v) != I64 {
            return Err(inst.bad(format_args!("operand {i} is not a reservation")));
        }
        Ok(v)
    }

    /// Operand `i` as a number of 32 bits.
    fn number(&mut self, i: usize, inst: &Instr<'_>) -> Result<Value> {
        let v = self.int_arg(i, inst)?;
        self.resize(v, I32, false, inst)
    }

    /// The function for the group whose scope is word `i`.
    fn by_group(&self, i: usize, what: &str, inst: &Instr<'_>) -> Result<String> {
        match self.scope(inst.word(i)?) {
            Scope::WorkGroup => Ok(format!("work_group_{what}")),
            Scope::SubGroup => Ok(format!("sub_group_{what}")),
            _ => Err(inst.bad("the scope is neither work-group nor sub-group")),
        }
    }

    fn pipe_call(&mut self, what: &str, args: &[Value], results: &[Type]) -> Option<Value> {
        self.library_call(&format!("pc_pipe_{what}"), args, results).first().copied()
    }

    fn value_call(&mut self, what: &str, args: &[Value], result: Type) -> Value {
        let v = self.pipe_call(what, args, &[result]);
        v.unwrap_or_else(|| self.f.undef(result))
    }

    fn reserve(&mut self, inst: &Instr<'_>, what: &str, at: usize) -> Result<()> {
        let (pipe, n) = (self.pipe(at, inst)?, self.number(at + 1, inst)?);
        let id = self.value_call(what, &[pipe, n], I64);
        self.define(inst, id)
    }

    fn commit(&mut self, inst: &Instr<'_>, what: &str, at: usize) -> Result<()> {
        let (pipe, id) = (self.pipe(at, inst)?, self.reservation(at + 1, inst)?);
        self.pipe_call(what, &[pipe, id], &[]);
        Ok(())
    }

    fn count(&mut self, inst: &Instr<'_>, what: &str) -> Result<()> {
        let pipe = self.pipe(2, inst)?;
        let n = self.value_call(what, &[pipe], I32);
        self.define(inst, n)
    }

    /// Copies a packet, of a reservation or of one made for it; the result is 0, or -1 if that failed.
    fn transfer(&mut self, inst: &Instr<'_>) -> Result<()> {
        let pipe = self.pipe(2, inst)?;
        let reads = matches!(inst.op, Op::ReadPipe | Op::ReservedReadPipe);
        let reserved = matches!(inst.op, Op::ReservedReadPipe | Op::ReservedWritePipe);
        let at = if reserved { 5 } else { 3 };
        let data = self.ptr_arg(at, inst)?;
        let number = |id: u32| self.r.const_int(id).filter(|n| (1..=MAX_PACKET_BYTES).contains(n));
        let (size, align) =
            (number(inst.word(at + 1)?), number(inst.word(at + 2)?).filter(|n| n & (n - 1) == 0));
        let (Some(size), Some(align)) = (size, align) else {
            return Err(inst.bad("size and alignment of packets must be constants"));
        };
        let (id, index, possible) = if reserved {
            let (id, index) = (self.reservation(3, inst)?, self.number(4, inst)?);
            let mut b = self.b();
            let half = b.i64(32);
            let n = b.bin(BinOp::Lshr, id, half);
            let n = b.cast(CastOp::Trunc, n, I32);
            // A packet of the given reservation.
            let possible = b.icmp(IntCc::Ult, index, n);
            (id, index, possible)
        } else {
            let (one, zero) = (self.f.bits(I32, 1), self.f.bits(I32, 0));
            let id = self.value_call(if reads { "reserve_read" } else { "reserve_write" }, &[pipe, one], I64);
            let mut b = self.b();
            let none = b.i64(0);
            let possible = b.icmp(IntCc::Ne, id, none);
            (id, zero, possible)
        };
        let line = self.line;
        let (copy, after) = (self.f.add_block(), self.f.add_block());
        let result = self.f.add_param(after, I32);
        let (done, failed) = (self.f.bits(I32, 0), self.f.bits(I32, u64::from(u32::MAX)));
        self.b().brif(possible, BlockCall::new(copy, &[]), BlockCall::new(after, &[failed]));
        self.block = copy;
        let packet = self.value_call("packet", &[pipe, id, index], GLOBAL);
        let (to, from) = if reads { (data, packet) } else { (packet, data) };
        self.copy_bytes(to, from, size as u64, align as u32, MemFlags::default());
        if !reserved {
            self.pipe_call(if reads { "commit_read" } else { "commit_write" }, &[pipe, id], &[]);
        }
        self.b().jump(after, &[done]);
        self.block = after;
        self.line = line;
        self.define(inst, result)
    }
}
