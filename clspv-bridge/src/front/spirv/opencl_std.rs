//! OpenCL.std extended instructions.

use super::func::{Emitter, FuncReader};
use super::memory::MemFlags;
use super::meta::{self, InstructionSet};
use super::opencl_types;
use super::read::Instr;
use super::types::Leaf;
use crate::error::Result;
use crate::front::expand;
use crate::ir::{CastOp, ClOp, FastMath, Op as IrOp, Rounding, Scalar, Type, Value};
use smallvec::SmallVec;

/// NonSemantic.Shader.DebugInfo.100: the source line of what follows (operand 1: first line), and its end.
const DEBUG_LINE: u32 = 103;
const DEBUG_NO_LINE: u32 = 104;

impl FuncReader<'_, '_, '_> {
    /// OpExtInst.
    pub fn ext_inst(&mut self, inst: &Instr<'_>) -> Result<()> {
        match self.r.meta.instruction_sets.get(&inst.word(2)?).copied() {
            Some(InstructionSet::OpenCl) => {}
            // Other sets: debug information is ignored, other instructions are unsupported.
            Some(set) => {
                let void = self.r.types.need(inst.word(0)?, inst)?.leaves == 0;
                if !void {
                    return self.unsupported("unknown extended instruction", inst);
                }
                if set == InstructionSet::ShaderDebugInfo {
                    match inst.word(3)? {
                        DEBUG_LINE => self.line = self.r.const_uint(inst.word(5)?, inst)? as u32,
                        DEBUG_NO_LINE => self.line = 0,
                        _ => {}
                    }
                }
                return Ok(());
            }
            None => return Err(inst.bad("unknown extended instruction set")),
        }
        let Some(op) = ClOp::from_u32(inst.word(3)?) else {
            return Err(inst.bad(format_args!("unknown OpenCL.std instruction {}", inst.word(3)?)));
        };
        match op {
            ClOp::prefetch => Ok(()),
            ClOp::vloadn
            | ClOp::vload_half
            | ClOp::vload_halfn
            | ClOp::vloada_halfn
            | ClOp::vstoren
            | ClOp::vstore_half
            | ClOp::vstore_half_r
            | ClOp::vstore_halfn
            | ClOp::vstore_halfn_r
            | ClOp::vstorea_halfn
            | ClOp::vstorea_halfn_r => self.vector_memory(op, inst),
            ClOp::shuffle | ClOp::shuffle2 => self.dynamic_shuffle(op == ClOp::shuffle2, inst),
            ClOp::printf => {
                let mut args: SmallVec<[Value; 8]> = SmallVec::new();
                for id in inst.rest(4) {
                    args.push(self.one(*id, inst)?);
                }
                let ty = self.result_type(inst)?;
                let v = self.b().value(IrOp::OpenCl(op), &args, ty);
                self.define(inst, v)
            }
            _ => self.math(op, inst),
        }
    }

    fn math(&mut self, op: ClOp, inst: &Instr<'_>) -> Result<()> {
        let ty = self.result_type(inst)?;
        let fast = self.fast(inst);
        let mut args: SmallVec<[Value; 4]> = SmallVec::new();
        for id in inst.rest(4) {
            let mut v = self.one(*id, inst)?;
            // Scalars beside vectors (ldexp's exponent, some clamps) are repeated in every lane.
            if ty.lanes() > 1 && self.f.ty(v).lanes() == 1 && self.f.ty(v).space().is_none() {
                let wide = self.f.ty(v).scalar().map(|s| ty.with_scalar(s));
                v = match wide {
                    Some(wide) => self.splat(v, wide),
                    None => return Err(inst.bad("operand of the wrong type")),
                };
            }
            args.push(v);
        }
        let types: SmallVec<[Type; 4]> = args.iter().map(|a| self.f.ty(*a)).collect();
        if !opencl_types::fits(op, ty, &types) {
            return Err(inst.bad(format_args!("operands of the wrong type for {op:?}")));
        }
        let v = expand::opencl_std::expand(&mut Emitter { reader: self, fast }, op, &args, ty);
        self.define(inst, v)
    }

    /// vloadn, vstoren and the half forms: memory accesses with the alignment of one element (or of the
    /// vector).
    fn vector_memory(&mut self, op: ClOp, inst: &Instr<'_>) -> Result<()> {
        let half = !matches!(op, ClOp::vloadn | ClOp::vstoren);
        let aligned = matches!(op, ClOp::vloada_halfn | ClOp::vstorea_halfn | ClOp::vstorea_halfn_r);
        let load = matches!(op, ClOp::vloadn | ClOp::vload_half | ClOp::vload_halfn | ClOp::vloada_halfn);
        let first = if load { 4 } else { 5 };
        let offset = self.int_arg(first, inst)?;
        let offset = self.index64(offset, inst)?;
        let p = self.ptr_arg(first + 1, inst)?;
        let (ty, data) = if load {
            (self.result_type(inst)?, None)
        } else {
            let data = self.arg(4, inst)?;
            (self.f.ty(data), Some(data))
        };
        let Some(scalar) = ty.scalar().filter(|s| *s != Scalar::I1 && (!half || s.is_float())) else {
            return Err(inst.bad("data of the wrong type"));
        };
        let elem = if half { Scalar::F16 } else { scalar };
        let lanes = ty.lanes();
        // The aligned forms of three have the size and the alignment of four.
        let stride = elem.bytes() * if aligned { lanes.next_power_of_two() } else { lanes };
        let align = if aligned { stride } else { elem.bytes() };
        let by = self.f.i64(stride as i64);
        let mut b = self.b();
        let bytes = b.imul(offset, by);
        let at = b.ptr_add(p, bytes);
        let memory = ty.with_scalar(elem);
        let leaf = Leaf { ty: memory, offset: 0 };
        let Some(data) = data else {
            let v = self.load_leaves(at, &[leaf], align, MemFlags::default())[0];
            let v = if memory == ty { v } else { self.b().cast(CastOp::FpConv, v, ty) };
            return self.define(inst, v);
        };
        let rounding = if matches!(op, ClOp::vstore_half_r | ClOp::vstore_halfn_r | ClOp::vstorea_halfn_r) {
            meta::rounding(inst.word(7)?)
        } else {
            None
        };
        let v = match rounding {
            _ if memory == ty => data,
            None | Some(Rounding::Rte) => self.b().cast(CastOp::FpConv, data, memory),
            rounding => {
                let op = IrOp::Convert { from_signed: true, to_signed: true, rounding, saturate: false };
                self.b().value(op, &[data], memory)
            }
        };
        self.store_leaves(at, &[v], &[leaf], align, MemFlags::default());
        Ok(())
    }

    /// shuffle and shuffle2: lanes chosen by the low bits of a mask.
    fn dynamic_shuffle(&mut self, two: bool, inst: &Instr<'_>) -> Result<()> {
        let x = self.arg(4, inst)?;
        let y = if two { self.arg(5, inst)? } else { x };
        let mask = self.int_arg(5 + two as usize, inst)?;
        let ty = self.result_type(inst)?;
        let (from, masks) = (self.f.ty(x), self.f.ty(mask));
        if from != self.f.ty(y)
            || from.lane() != ty.lane()
            || masks.lanes() != ty.lanes()
            || from.scalar().is_none()
        {
            return Err(inst.bad("operands of the wrong type"));
        }
        let fast = FastMath::default();
        let v =
            expand::opencl_std::shuffle(&mut Emitter { reader: self, fast }, x, two.then_some(y), mask, ty);
        self.define(inst, v)
    }
}
