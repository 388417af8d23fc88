//! OpenCL.std extended instructions: those with a direct operation are expanded here, the others become
//! [`Op::OpenCl`](crate::ir::Op) for `lower_builtins`.

use super::func::FuncReader;
use super::memory::MemFlags;
use super::meta::{self, InstructionSet};
use super::opencl_types;
use super::ops::float_masks;
use super::read::Instr;
use super::types::Leaf;
use crate::error::Result;
use crate::ir::{BinOp, CastOp, ClOp, I1, I64, IntCc, Op as IrOp, Rounding, Scalar, Type, UnOp, Value};
use smallvec::SmallVec;

/// NonSemantic.Shader.DebugInfo.100: the source line of what follows (operand 1: first line), and its end.
const DEBUG_LINE: u32 = 103;
const DEBUG_NO_LINE: u32 = 104;

/// Instructions of two operands of the result type that are one operation.
fn binary(op: ClOp) -> Option<BinOp> {
    Some(match op {
        ClOp::fmax | ClOp::fmax_common => BinOp::Fmax,
        ClOp::fmin | ClOp::fmin_common => BinOp::Fmin,
        ClOp::fmod => BinOp::Frem,
        ClOp::s_max => BinOp::Smax,
        ClOp::u_max => BinOp::Umax,
        ClOp::s_min => BinOp::Smin,
        ClOp::u_min => BinOp::Umin,
        ClOp::s_mul_hi => BinOp::SmulHi,
        ClOp::u_mul_hi => BinOp::UmulHi,
        ClOp::rotate => BinOp::Rotl,
        ClOp::s_mul24 | ClOp::u_mul24 => BinOp::Imul,
        _ => return None,
    })
}

fn unary(op: ClOp) -> Option<UnOp> {
    Some(match op {
        ClOp::fabs => UnOp::Fabs,
        ClOp::floor => UnOp::Floor,
        ClOp::ceil => UnOp::Ceil,
        ClOp::trunc => UnOp::Trunc,
        ClOp::rint => UnOp::Rint,
        ClOp::clz => UnOp::Clz,
        ClOp::ctz => UnOp::Ctz,
        ClOp::popcount => UnOp::Popcnt,
        _ => return None,
    })
}

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
        if let Some(bin) = binary(op) {
            let v = self.emit(IrOp::Bin(bin), &args, ty, fast);
            return self.define(inst, v);
        }
        if let Some(un) = unary(op) {
            let v = self.emit(IrOp::Un(un), &args, ty, fast);
            return self.define(inst, v);
        }
        let v = match (op, args.as_slice()) {
            (ClOp::fma, &[_, _, _]) => self.emit(IrOp::Fma, &args, ty, fast),
            (ClOp::mad, &[_, _, _]) => self.emit(IrOp::Mad, &args, ty, fast),
            (ClOp::s_mad24 | ClOp::u_mad24, &[x, y, z]) => {
                let mut b = self.b();
                let p = b.imul(x, y);
                b.iadd(p, z)
            }
            (ClOp::s_mad_hi | ClOp::u_mad_hi, &[x, y, z]) => {
                let mut b = self.b();
                let p = b.bin(if op == ClOp::s_mad_hi { BinOp::SmulHi } else { BinOp::UmulHi }, x, y);
                b.iadd(p, z)
            }
            (ClOp::fclamp, &[x, low, high]) => {
                let x = self.emit(IrOp::Bin(BinOp::Fmax), &[x, low], ty, fast);
                self.emit(IrOp::Bin(BinOp::Fmin), &[x, high], ty, fast)
            }
            (ClOp::s_clamp, &[x, low, high]) => {
                let mut b = self.b();
                let x = b.bin(BinOp::Smax, x, low);
                b.bin(BinOp::Smin, x, high)
            }
            (ClOp::u_clamp, &[x, low, high]) => {
                let mut b = self.b();
                let x = b.bin(BinOp::Umax, x, low);
                b.bin(BinOp::Umin, x, high)
            }
            (ClOp::s_abs, &[x]) => {
                let zero = self.f.bits(ty, 0);
                let mut b = self.b();
                let negated = b.isub(zero, x);
                b.bin(BinOp::Smax, x, negated)
            }
            (ClOp::u_abs, &[x]) => x,
            (ClOp::s_abs_diff | ClOp::u_abs_diff, &[x, y]) => {
                let (max, min) = if op == ClOp::s_abs_diff {
                    (BinOp::Smax, BinOp::Smin)
                } else {
                    (BinOp::Umax, BinOp::Umin)
                };
                let mut b = self.b();
                let (high, low) = (b.bin(max, x, y), b.bin(min, x, y));
                b.isub(high, low)
            }
            (ClOp::s_hadd | ClOp::u_hadd | ClOp::s_rhadd | ClOp::u_rhadd, &[x, y]) => {
                let shift =
                    if matches!(op, ClOp::s_hadd | ClOp::s_rhadd) { BinOp::Ashr } else { BinOp::Lshr };
                let one = self.f.bits(ty, 1);
                let mut b = self.b();
                let differ = b.bin(BinOp::Xor, x, y);
                let half = b.bin(shift, differ, one);
                if matches!(op, ClOp::s_hadd | ClOp::u_hadd) {
                    let common = b.and(x, y);
                    b.iadd(common, half)
                } else {
                    let any = b.or(x, y);
                    b.isub(any, half)
                }
            }
            (ClOp::s_upsample | ClOp::u_upsample, &[hi, lo]) => {
                let bits = self.f.ty(hi).scalar().map_or(0, Scalar::bits);
                let by = self.f.bits(ty, bits as u64);
                let mut b = self.b();
                let (hi, lo) = (b.cast(CastOp::Zext, hi, ty), b.cast(CastOp::Zext, lo, ty));
                let hi = b.shl(hi, by);
                b.or(hi, lo)
            }
            (ClOp::select, &[a, b, c]) => {
                let c_type = self.f.ty(c);
                let zero = self.f.bits(c_type, 0);
                // Lanes of vectors are chosen by their sign bit, a scalar by being non-zero.
                let cc = if ty.lanes() > 1 { IntCc::Slt } else { IntCc::Ne };
                let mut bld = self.b();
                let cond = bld.icmp(cc, c, zero);
                bld.select(cond, b, a)
            }
            (ClOp::bitselect, &[a, b, c]) => {
                let bits = ty.with_scalar(ty.scalar().map_or(Scalar::I32, Scalar::to_int));
                let mut bld = self.b();
                let (a, b, c) = (bld.bitcast(a, bits), bld.bitcast(b, bits), bld.bitcast(c, bits));
                let keep = bld.not(c);
                let (x, y) = (bld.and(a, keep), bld.and(b, c));
                let v = bld.or(x, y);
                bld.bitcast(v, ty)
            }
            (ClOp::copysign, &[x, y]) => {
                let scalar = ty.scalar().unwrap_or(Scalar::F32);
                let bits = ty.with_scalar(scalar.to_int());
                let (_, magnitude) = float_masks(scalar);
                let (m, s) = (self.f.bits(bits, magnitude), self.f.bits(bits, !magnitude));
                let mut b = self.b();
                let (x, y) = (b.bitcast(x, bits), b.bitcast(y, bits));
                let (x, y) = (b.and(x, m), b.and(y, s));
                let v = b.or(x, y);
                b.bitcast(v, ty)
            }
            (ClOp::nan, &[x]) => {
                let scalar = ty.scalar().unwrap_or(Scalar::F32);
                let bits = ty.with_scalar(scalar.to_int());
                let (exponent, magnitude) = float_masks(scalar);
                // The quiet bit is the one below the exponent.
                let quiet = (exponent & exponent.wrapping_neg()) >> 1;
                let (q, m) = (self.f.bits(bits, exponent | quiet), self.f.bits(bits, magnitude));
                let mut b = self.b();
                let x = b.bitcast(x, bits);
                let x = b.and(x, m);
                let v = b.or(x, q);
                b.bitcast(v, ty)
            }
            _ => self.emit(IrOp::OpenCl(op), &args, ty, fast),
        };
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
        let n = from.lanes();
        if from != self.f.ty(y)
            || from.lane() != ty.lane()
            || masks.lanes() != ty.lanes()
            || from.scalar().is_none()
        {
            return Err(inst.bad("operands of the wrong type"));
        }
        let room = n.next_power_of_two();
        let mut lanes = Vec::new();
        for i in 0..ty.lanes() as u8 {
            let m = self.b().extract(mask, i);
            let m = self.index64(m, inst)?;
            let low = self.f.i64((room - 1) as i64);
            let second = self.f.i64(room as i64);
            let zero = self.f.i64(0);
            let mut b = self.b();
            let index = b.and(m, low);
            let index = b.cast(CastOp::Trunc, index, crate::ir::I32);
            let pick = |b: &mut crate::ir::Builder<'_>, v: Value| match n {
                1 => v,
                _ => b.value(IrOp::ExtractDyn, &[v, index], from.lane()),
            };
            let mut v = pick(&mut b, x);
            if two {
                let w = pick(&mut b, y);
                let bit = b.and(m, second);
                let other = b.value(IrOp::Icmp(IntCc::Ne), &[bit, zero], I1);
                v = b.select(other, w, v);
            }
            debug_assert_eq!(b.ty(m), I64);
            lanes.push(v);
        }
        let v = self.b().vec_build(&lanes);
        self.define(inst, v)
    }
}
