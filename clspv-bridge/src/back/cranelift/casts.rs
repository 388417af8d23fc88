//! Conversions between types.

use super::lanes::{self, Parts, lane_type};
use super::lower::Lower;
use crate::error::{CompileError, Invariant, Result};
use crate::ir::*;
use cranelift_codegen::ir::{self as clif, InstBuilder, types};

/// Whether a conversion of words to 64-bit lanes has a form for vectors.
fn widens(op: CastOp, a: Scalar, b: Scalar) -> bool {
    match op {
        CastOp::Zext | CastOp::Sext => a == Scalar::I32,
        CastOp::SToFp | CastOp::UToFp => (a, b) == (Scalar::I32, Scalar::F64),
        CastOp::FpConv => a == Scalar::F32,
        _ => false,
    }
}

impl Lower<'_, '_> {
    /// A conversion.
    pub(super) fn cast(&mut self, op: CastOp, x: Value, v: Value) -> Result<()> {
        let (from, to) = (self.func.ty(x), self.func.ty(v));
        if matches!(op, CastOp::PtrCast | CastOp::PtrToInt | CastOp::IntToPtr) {
            let parts = self.get(x)?;
            self.set(v, parts);
            return Ok(());
        }
        if op == CastOp::Bitcast {
            return self.bitcast(x, v);
        }
        let (Some(a), Some(b)) = (from.scalar(), to.scalar()) else {
            return Err(CompileError::internal("a conversion of something that is not a number"));
        };
        if self.uses.extended.contains(&x) {
            let words = self.get(x)?;
            let words = self.extended(op, from, &words);
            self.set(v, words);
            return Ok(());
        }
        let (per_a, per_b) = (lanes::lanes_per_part(from), lanes::lanes_per_part(to));
        if (per_a, per_b) == (4, 2) && widens(op, a, b) {
            let parts = self.get(x)?;
            let parts = parts.into_iter().flat_map(|part| self.widen(op, b, part)).collect();
            self.set(v, parts);
            return Ok(());
        }
        if (per_a, per_b) == (2, 4) && matches!(op, CastOp::Trunc | CastOp::FpConv) && b != Scalar::I1 {
            let parts = self.get(x)?;
            let parts = if op == CastOp::Trunc { self.narrow(&parts) } else { self.demote(&parts) };
            self.set(v, parts);
            return Ok(());
        }
        let wide = matches!(
            (op, a, b),
            (CastOp::SToFp | CastOp::UToFp, Scalar::I32, Scalar::F32)
                | (CastOp::FpToS | CastOp::FpToU, Scalar::F32, Scalar::I32)
                | (CastOp::Zext | CastOp::Sext, Scalar::I1, Scalar::I32)
                | (CastOp::Trunc, Scalar::I32, Scalar::I1)
        );
        let parts = self.map(to, &[x], wide, |l, p| match l.type_of(p[0]).is_vector() {
            true => Ok(l.cast_vector(op, b, p[0])),
            false => l.cast_lane(op, a, b, p[0]),
        })?;
        self.set(v, parts);
        Ok(())
    }

    /// A conversion of a vector with as many lanes as the result.
    fn cast_vector(&mut self, op: CastOp, to: Scalar, x: clif::Value) -> clif::Value {
        match op {
            CastOp::SToFp => self.c.ins().fcvt_from_sint(types::F32X4, x),
            CastOp::UToFp => self.c.ins().fcvt_from_uint(types::F32X4, x),
            CastOp::FpToS => self.c.ins().fcvt_to_sint_sat(types::I32X4, x),
            CastOp::FpToU => self.c.ins().fcvt_to_uint_sat(types::I32X4, x),
            CastOp::Zext => {
                let ones = self.words(types::I32X4, &[1; 4]);
                self.c.ins().band(x, ones)
            }
            CastOp::Trunc if to == Scalar::I1 => {
                let ones = self.words(types::I32X4, &[1; 4]);
                let low = self.c.ins().band(x, ones);
                self.c.ins().ineg(low)
            }
            // A mask has all bits of a lane set.
            _ => x,
        }
    }

    /// A vector of words as two vectors of 64-bit lanes.
    fn widen(&mut self, op: CastOp, to: Scalar, x: clif::Value) -> [clif::Value; 2] {
        if op == CastOp::FpConv {
            let high = self.second_half(x);
            return [x, high].map(|x| self.c.ins().fvpromote_low(x));
        }
        let is_signed = matches!(op, CastOp::Sext | CastOp::SToFp);
        let low = if is_signed { self.c.ins().swiden_low(x) } else { self.c.ins().uwiden_low(x) };
        let high = if is_signed { self.c.ins().swiden_high(x) } else { self.c.ins().uwiden_high(x) };
        [low, high].map(|x| match (to, is_signed) {
            (Scalar::F64, true) => self.c.ins().fcvt_from_sint(types::F64X2, x),
            (Scalar::F64, false) => self.c.ins().fcvt_from_uint(types::F64X2, x),
            _ => x,
        })
    }

    /// Doubles as singles, two vectors of which become one.
    fn demote(&mut self, parts: &[clif::Value]) -> Parts {
        let singles: Parts = parts.iter().map(|part| self.c.ins().fvdemote(*part)).collect();
        singles.chunks_exact(2).map(|pair| self.first_halves(pair[0], pair[1])).collect()
    }

    fn cast_lane(&mut self, op: CastOp, a: Scalar, b: Scalar, x: clif::Value) -> Result<clif::Value> {
        let to = lane_type(Type::Scalar(b));
        Ok(match op {
            CastOp::Trunc if b == Scalar::I1 => self.truth(x),
            CastOp::Trunc => self.c.ins().ireduce(to, x),
            CastOp::Zext if to == self.type_of(x) => x,
            CastOp::Zext => self.c.ins().uextend(to, x),
            CastOp::Sext if a == Scalar::I1 => {
                let x = self.c.ins().ineg(x);
                if to == types::I8 { x } else { self.c.ins().sextend(to, x) }
            }
            CastOp::Sext => self.c.ins().sextend(to, x),
            CastOp::FpConv => self.float_to_float(a, b, x),
            CastOp::FpToS | CastOp::FpToU => {
                let x = if a == Scalar::F16 { self.half_to_single(x) } else { x };
                let via = if to == types::I64 { types::I64 } else { types::I32 };
                let whole = match op {
                    CastOp::FpToS => self.c.ins().fcvt_to_sint_sat(via, x),
                    _ => self.c.ins().fcvt_to_uint_sat(via, x),
                };
                let whole = if to == via { whole } else { self.c.ins().ireduce(to, whole) };
                if b == Scalar::I1 { self.truth(whole) } else { whole }
            }
            CastOp::SToFp | CastOp::UToFp => self.int_to_float(op, a, b, x),
            _ => return Err(CompileError::internal(format!("{op:?} of a number"))),
        })
    }

    fn int_to_float(&mut self, op: CastOp, a: Scalar, b: Scalar, x: clif::Value) -> clif::Value {
        let x = if a == Scalar::I1 && op == CastOp::SToFp { self.c.ins().ineg(x) } else { x };
        let from = self.type_of(x);
        let x = match (from.bits() < 32, op) {
            (false, _) => x,
            (true, CastOp::SToFp) => self.c.ins().sextend(types::I32, x),
            (true, _) => self.c.ins().uextend(types::I32, x),
        };
        // Integers of up to 32 bits are exact as doubles, and larger ones that are not are no halves.
        let to = if b == Scalar::F16 { types::F64 } else { lane_type(Type::Scalar(b)) };
        let y = match op {
            CastOp::SToFp => self.c.ins().fcvt_from_sint(to, x),
            _ => self.c.ins().fcvt_from_uint(to, x),
        };
        if b == Scalar::F16 { self.double_to_half(y) } else { y }
    }

    fn float_to_float(&mut self, a: Scalar, b: Scalar, x: clif::Value) -> clif::Value {
        match (a, b) {
            (Scalar::F16, Scalar::F32) => self.half_to_single(x),
            (Scalar::F16, Scalar::F64) => {
                let x = self.half_to_single(x);
                self.c.ins().fpromote(types::F64, x)
            }
            (Scalar::F32, Scalar::F16) => self.single_to_half(x),
            (Scalar::F64, Scalar::F16) => self.double_to_half(x),
            (Scalar::F32, Scalar::F64) => self.c.ins().fpromote(types::F64, x),
            (Scalar::F64, Scalar::F32) => self.c.ins().fdemote(types::F32, x),
            _ => x,
        }
    }

    /// Reinterprets bits; lanes are joined or divided if their sizes differ.
    fn bitcast(&mut self, x: Value, v: Value) -> Result<()> {
        let (from, to) = (self.func.ty(x), self.func.ty(v));
        let same = from.lanes() == to.lanes() && lanes::lanes_per_part(from) == lanes::lanes_per_part(to);
        if same {
            let part = lanes::part_type(to);
            let parts = self.map(to, &[x], true, |l, p| Ok(l.cast_bits(p[0], part)))?;
            self.set(v, parts);
            return Ok(());
        }
        let lane_bits = |ty: Type| ty.lane().scalar().map_or(64, Scalar::bits);
        let (a, b) = (lane_bits(from), lane_bits(to));
        let int = |bits| Scalar::int(bits).map(|s| lane_type(Type::Scalar(s))).invariant("no integer type");
        let (a_int, b_int) = (int(a)?, int(b)?);
        let mut ints = Parts::new();
        for lane in self.lanes(x)? {
            ints.push(self.cast_bits(lane, a_int));
        }
        let mut lanes = Parts::new();
        if a <= b {
            for chunk in ints.chunks((b / a) as usize) {
                let mut all = self.number(b_int, 0);
                for (i, part) in (0u32..).zip(chunk) {
                    let wide = if a == b { *part } else { self.c.ins().uextend(b_int, *part) };
                    let by = self.number(types::I32, u64::from(i * a));
                    let moved = self.c.ins().ishl(wide, by);
                    all = self.c.ins().bor(all, moved);
                }
                lanes.push(all);
            }
        } else {
            for part in ints {
                for i in 0..a / b {
                    let by = self.number(types::I32, u64::from(i * b));
                    let moved = self.c.ins().ushr(part, by);
                    lanes.push(self.c.ins().ireduce(b_int, moved));
                }
            }
        }
        let lanes: Parts = lanes.iter().map(|lane| self.cast_bits(*lane, lane_type(to))).collect();
        self.set_lanes(v, &lanes);
        Ok(())
    }
}
