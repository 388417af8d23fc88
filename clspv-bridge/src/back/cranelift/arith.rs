//! Arithmetic on integers and floating-point numbers.

use super::lanes::{Parts, lane_type, lanes_per_part};
use super::lower::Lower;
use crate::error::{CompileError, Invariant, Result};
use crate::ir::*;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self as clif, InstBuilder, types};

/// Whether a two-operand operation has a form for vectors of these numbers.
fn is_wide(op: BinOp, s: Scalar) -> bool {
    use BinOp as B;
    match op {
        B::Iadd | B::Isub | B::Imul | B::And | B::Or | B::Xor => true,
        B::Umin | B::Umax | B::Smin | B::Smax => s.bits() < 64,
        B::Fadd | B::Fsub | B::Fmul | B::Fdiv | B::Fmin | B::Fmax => true,
        B::Udiv | B::Sdiv | B::Urem | B::Srem | B::Frem => false,
        B::Shl | B::Lshr | B::Ashr | B::Rotl | B::UmulHi | B::SmulHi => false,
    }
}

impl Lower<'_, '_> {
    /// A two-operand operation.
    pub(super) fn binary(&mut self, op: BinOp, data: &InstData, v: Value) -> Result<()> {
        let ty = self.func.ty(v);
        let scalar = ty.scalar().invariant("arithmetic on something that is not a number")?;
        // The vectoriser's masks begin empty.
        if op == BinOp::Or && self.func.as_bits(data.args[0]) == Some(0) {
            let parts = self.get(data.args[1])?;
            self.set(v, parts);
            return Ok(());
        }
        let is_shift = matches!(op, BinOp::Shl | BinOp::Lshr | BinOp::Ashr | BinOp::Rotl);
        let amount = if is_shift { self.same_in_all_lanes(data.args[1])? } else { None };
        let parts = match amount {
            // Vectors are shifted by one amount for all lanes.
            Some(by) => self.map(ty, &data.args[..1], true, |l, a| Ok(l.shift(op, a[0], by)))?,
            _ => self.map(ty, &data.args, is_wide(op, scalar), |l, a| l.bin(op, scalar, a[0], a[1]))?,
        };
        self.set(v, parts);
        Ok(())
    }

    /// The scalar that is in all lanes of a vector, if the vector was made so.
    fn same_in_all_lanes(&mut self, v: Value) -> Result<Option<clif::Value>> {
        let func = self.func;
        if let Some(bits) = func.as_bits(v) {
            return Ok(Some(self.number(lane_type(func.ty(v)), bits)));
        }
        match func.def_inst(v).map(|inst| &func.insts[inst]) {
            Some(data) if data.op == Op::Splat => self.one(data.args[0]).map(Some),
            _ => Ok(None),
        }
    }

    fn shift(&mut self, op: BinOp, x: clif::Value, by: clif::Value) -> clif::Value {
        match op {
            BinOp::Shl => self.c.ins().ishl(x, by),
            BinOp::Lshr => self.c.ins().ushr(x, by),
            BinOp::Ashr => self.c.ins().sshr(x, by),
            // Vectors have no rotation.
            _ if self.type_of(x).is_vector() => {
                let back = self.negated(by);
                let (high, low) = (self.c.ins().ishl(x, by), self.c.ins().ushr(x, back));
                self.c.ins().bor(high, low)
            }
            _ => self.c.ins().rotl(x, by),
        }
    }

    /// Minus a number, which may be a constant.
    fn negated(&mut self, x: clif::Value) -> clif::Value {
        let inst = self.c.func.dfg.value_def(x).inst();
        match inst.map(|inst| &self.c.func.dfg.insts[inst]) {
            Some(clif::InstructionData::UnaryImm { opcode: clif::Opcode::Iconst, imm }) => {
                let minus = 0u64.wrapping_sub(imm.bits() as u64);
                self.number(self.type_of(x), minus)
            }
            _ => self.c.ins().ineg(x),
        }
    }

    pub(super) fn bin(
        &mut self,
        op: BinOp,
        s: Scalar,
        x: clif::Value,
        y: clif::Value,
    ) -> Result<clif::Value> {
        if s == Scalar::F16 {
            let (x, y) = (self.half_to_single(x), self.half_to_single(y));
            let result = self.bin(op, Scalar::F32, x, y)?;
            return Ok(self.single_to_half(result));
        }
        let ins = self.c.ins();
        Ok(match op {
            BinOp::Iadd | BinOp::Isub if s == Scalar::I1 => ins.bxor(x, y),
            BinOp::Imul if s == Scalar::I1 => ins.band(x, y),
            BinOp::Iadd => ins.iadd(x, y),
            BinOp::Isub => ins.isub(x, y),
            BinOp::Imul => ins.imul(x, y),
            BinOp::And => ins.band(x, y),
            BinOp::Or => ins.bor(x, y),
            BinOp::Xor => ins.bxor(x, y),
            BinOp::Udiv | BinOp::Urem | BinOp::Sdiv | BinOp::Srem => self.divide(op, x, y),
            BinOp::Shl | BinOp::Lshr | BinOp::Ashr | BinOp::Rotl => self.shift(op, x, y),
            BinOp::UmulHi | BinOp::SmulHi => self.high_product(op, s, x, y),
            BinOp::Umin => ins.umin(x, y),
            BinOp::Umax => ins.umax(x, y),
            BinOp::Smin => ins.smin(x, y),
            BinOp::Smax => ins.smax(x, y),
            BinOp::Fadd => ins.fadd(x, y),
            BinOp::Fsub => ins.fsub(x, y),
            BinOp::Fmul => ins.fmul(x, y),
            BinOp::Fdiv => ins.fdiv(x, y),
            BinOp::Fmin => self.extremum([x, y], x, y),
            BinOp::Fmax => self.extremum([y, x], x, y),
            BinOp::Frem => return Err(CompileError::internal("a remainder that was not lowered")),
        })
    }

    /// Division. What would trap has an arbitrary result: division by 0, and of the least number by -1.
    fn divide(&mut self, op: BinOp, x: clif::Value, y: clif::Value) -> clif::Value {
        let ty = self.type_of(y);
        let (zero, one) = (self.number(ty, 0), self.number(ty, 1));
        let mut bad = self.c.ins().icmp(IntCC::Equal, y, zero);
        let is_signed = matches!(op, BinOp::Sdiv | BinOp::Srem);
        if is_signed {
            let minus = self.number(ty, u64::MAX);
            let least = self.number(ty, 1 << (ty.bits() - 1));
            let a = self.c.ins().icmp(IntCC::Equal, y, minus);
            let b = self.c.ins().icmp(IntCC::Equal, x, least);
            let both = self.c.ins().band(a, b);
            bad = self.c.ins().bor(bad, both);
        }
        let y = self.c.ins().select(bad, one, y);
        let ins = self.c.ins();
        match op {
            BinOp::Udiv => ins.udiv(x, y),
            BinOp::Urem => ins.urem(x, y),
            BinOp::Sdiv => ins.sdiv(x, y),
            _ => ins.srem(x, y),
        }
    }

    /// The high half of a product.
    fn high_product(&mut self, op: BinOp, s: Scalar, x: clif::Value, y: clif::Value) -> clif::Value {
        let is_signed = op == BinOp::SmulHi;
        let ty = self.type_of(x);
        if ty == types::I64 {
            return if is_signed { self.c.ins().smulhi(x, y) } else { self.c.ins().umulhi(x, y) };
        }
        let [x, y] = [x, y].map(|v| match is_signed {
            true => self.c.ins().sextend(types::I64, v),
            false => self.c.ins().uextend(types::I64, v),
        });
        let product = self.c.ins().imul(x, y);
        let by = self.number(types::I32, u64::from(s.bits()));
        let high = self.c.ins().ushr(product, by);
        self.c.ins().ireduce(ty, high)
    }

    /// `x` if the numbers are in order, else `y`: Cranelift has instructions for this form. A NaN operand is
    /// ignored.
    fn extremum(&mut self, ordered: [clif::Value; 2], x: clif::Value, y: clif::Value) -> clif::Value {
        let [smaller, larger] = ordered;
        let first = self.c.ins().fcmp(FloatCC::LessThan, smaller, larger);
        let found = self.choose(first, x, y);
        let nan = self.c.ins().fcmp(FloatCC::Unordered, y, y);
        self.choose(nan, x, found)
    }

    /// A one-operand operation.
    pub(super) fn unary(&mut self, op: UnOp, data: &InstData, v: Value) -> Result<()> {
        let ty = self.func.ty(v);
        let scalar = ty.scalar().invariant("arithmetic on something that is not a number")?;
        let wide = match op {
            UnOp::Popcnt | UnOp::Clz | UnOp::Ctz | UnOp::Bitrev => false,
            UnOp::Floor | UnOp::Ceil | UnOp::Trunc | UnOp::Rint => self.features.rounding,
            _ => true,
        };
        let parts = self.map(ty, &data.args, wide, |l, a| l.un(op, scalar, a[0]))?;
        self.set(v, parts);
        Ok(())
    }

    fn un(&mut self, op: UnOp, s: Scalar, x: clif::Value) -> Result<clif::Value> {
        let ty = self.type_of(x);
        if s == Scalar::F16 {
            return self.un_half(op, x);
        }
        Ok(match op {
            UnOp::Not if s == Scalar::I1 && !ty.is_vector() => {
                let one = self.number(ty, 1);
                self.c.ins().bxor(x, one)
            }
            UnOp::Not => self.c.ins().bnot(x),
            UnOp::Popcnt => self.c.ins().popcnt(x),
            UnOp::Clz => self.c.ins().clz(x),
            UnOp::Ctz => self.c.ins().ctz(x),
            UnOp::Bitrev => self.c.ins().bitrev(x),
            UnOp::Fneg => self.c.ins().fneg(x),
            UnOp::Fabs => self.c.ins().fabs(x),
            UnOp::Floor | UnOp::Ceil | UnOp::Trunc | UnOp::Rint if !self.features.rounding => {
                self.round(op, x)
            }
            UnOp::Floor => self.c.ins().floor(x),
            UnOp::Ceil => self.c.ins().ceil(x),
            UnOp::Trunc => self.c.ins().trunc(x),
            UnOp::Rint => self.c.ins().nearest(x),
            UnOp::Sqrt => self.c.ins().sqrt(x),
            UnOp::NativeRecip => {
                let one = self.float(ty, 1.0);
                self.c.ins().fdiv(one, x)
            }
            UnOp::NativeRsqrt => {
                let one = self.float(ty, 1.0);
                let root = self.c.ins().sqrt(x);
                self.c.ins().fdiv(one, root)
            }
            _ => return Err(CompileError::internal(format!("{op:?} is not a function of the processor"))),
        })
    }

    fn un_half(&mut self, op: UnOp, x: clif::Value) -> Result<clif::Value> {
        match op {
            UnOp::Fneg => {
                let sign = self.number(types::I16, 0x8000);
                Ok(self.c.ins().bxor(x, sign))
            }
            UnOp::Fabs => {
                let rest = self.number(types::I16, 0x7fff);
                Ok(self.c.ins().band(x, rest))
            }
            _ => {
                let x = self.half_to_single(x);
                let result = self.un(op, Scalar::F32, x)?;
                Ok(self.single_to_half(result))
            }
        }
    }

    /// Rounds to an integral value without an instruction for it. Numbers from 2^(precision - 1) on are
    /// integral.
    fn round(&mut self, op: UnOp, x: clif::Value) -> clif::Value {
        let ty = self.type_of(x);
        let (int, limit) =
            if ty == types::F64 { (types::I64, 2f64.powi(52)) } else { (types::I32, 2f64.powi(23)) };
        let limit = self.float(ty, limit);
        let size = self.c.ins().fabs(x);
        let is_small = self.c.ins().fcmp(FloatCC::LessThan, size, limit);
        let rounded = if op == UnOp::Rint {
            let sum = self.c.ins().fadd(size, limit);
            self.c.ins().fsub(sum, limit)
        } else {
            let whole = self.c.ins().fcvt_to_sint_sat(int, x);
            let whole = self.c.ins().fcvt_from_sint(ty, whole);
            let (zero, one) = (self.float(ty, 0.0), self.float(ty, 1.0));
            let (cc, sign) =
                if op == UnOp::Floor { (FloatCC::GreaterThan, -1) } else { (FloatCC::LessThan, 1) };
            let is_off = self.c.ins().fcmp(cc, whole, x);
            let step = self.c.ins().select(is_off, one, zero);
            match (op, sign) {
                (UnOp::Trunc, _) => whole,
                (_, 1) => self.c.ins().fadd(whole, step),
                _ => self.c.ins().fsub(whole, step),
            }
        };
        let signed = self.c.ins().fcopysign(rounded, x);
        self.c.ins().select(is_small, signed, x)
    }

    /// Multiply-add: `Fma` is fused, `Mad` where that is faster.
    pub(super) fn multiply_add(&mut self, data: &InstData, v: Value) -> Result<()> {
        let ty = self.func.ty(v);
        let is_half = ty.scalar() == Some(Scalar::F16);
        if data.op == Op::Fma && !is_half && !self.features.fma {
            return Err(CompileError::unsupported("fma on this processor", data.line));
        }
        let parts = self.map(ty, &data.args, true, |l, a| {
            if is_half {
                // Product and sum of halves are exact in double precision, or tiny beside the other operand.
                let [x, y, z] = [a[0], a[1], a[2]].map(|h| {
                    let single = l.half_to_single(h);
                    l.c.ins().fpromote(types::F64, single)
                });
                let product = l.c.ins().fmul(x, y);
                let sum = l.c.ins().fadd(product, z);
                return Ok(l.double_to_half(sum));
            }
            if l.features.fma {
                return Ok(l.c.ins().fma(a[0], a[1], a[2]));
            }
            let product = l.c.ins().fmul(a[0], a[1]);
            Ok(l.c.ins().fadd(product, a[2]))
        })?;
        self.set(v, parts);
        Ok(())
    }

    /// Compares integers or addresses.
    pub(super) fn compare_ints(&mut self, cc: IntCc, data: &InstData, v: Value) -> Result<()> {
        let cc = match cc {
            IntCc::Eq => IntCC::Equal,
            IntCc::Ne => IntCC::NotEqual,
            IntCc::Ult => IntCC::UnsignedLessThan,
            IntCc::Ule => IntCC::UnsignedLessThanOrEqual,
            IntCc::Ugt => IntCC::UnsignedGreaterThan,
            IntCc::Uge => IntCC::UnsignedGreaterThanOrEqual,
            IntCc::Slt => IntCC::SignedLessThan,
            IntCc::Sle => IntCC::SignedLessThanOrEqual,
            IntCc::Sgt => IntCC::SignedGreaterThan,
            IntCc::Sge => IntCC::SignedGreaterThanOrEqual,
        };
        self.compare(data, v, |l, x, y| l.c.ins().icmp(cc, x, y))
    }

    /// Compares lanes. Masks of 64-bit lanes are narrowed to words.
    fn compare(
        &mut self,
        data: &InstData,
        v: Value,
        f: impl Fn(&mut Self, clif::Value, clif::Value) -> clif::Value,
    ) -> Result<()> {
        let (from, to) = (self.func.ty(data.args[0]), self.func.ty(v));
        if lanes_per_part(from) != 2 || lanes_per_part(to) != 4 {
            let parts = self.map(to, &data.args, true, |l, a| Ok(f(l, a[0], a[1])))?;
            self.set(v, parts);
            return Ok(());
        }
        let (x, y) = (self.get(data.args[0])?, self.get(data.args[1])?);
        let masks: Parts = x.iter().zip(&y).map(|(x, y)| f(self, *x, *y)).collect();
        let parts = self.narrow(&masks);
        self.set(v, parts);
        Ok(())
    }

    /// Compares floating-point numbers.
    pub(super) fn compare_floats(&mut self, cc: FloatCc, data: &InstData, v: Value) -> Result<()> {
        let is_half = self.func.ty(data.args[0]).scalar() == Some(Scalar::F16);
        self.compare(data, v, |l, x, y| {
            let (x, y) = if is_half { (l.half_to_single(x), l.half_to_single(y)) } else { (x, y) };
            l.fcmp(cc, x, y)
        })
    }

    pub(super) fn fcmp(&mut self, cc: FloatCc, x: clif::Value, y: clif::Value) -> clif::Value {
        // Vectors do not have `One` and `Ueq`. AArch64 has no condition that unites an order with unordered.
        let unites = cfg!(target_arch = "x86_64");
        let (cc, or) = match cc {
            FloatCc::Oeq => (FloatCC::Equal, None),
            FloatCc::Olt => (FloatCC::LessThan, None),
            FloatCc::Ole => (FloatCC::LessThanOrEqual, None),
            FloatCc::Ogt => (FloatCC::GreaterThan, None),
            FloatCc::Oge => (FloatCC::GreaterThanOrEqual, None),
            FloatCc::Ord => (FloatCC::Ordered, None),
            FloatCc::Une => (FloatCC::NotEqual, None),
            FloatCc::Uno => (FloatCC::Unordered, None),
            FloatCc::Ult if unites => (FloatCC::UnorderedOrLessThan, None),
            FloatCc::Ule if unites => (FloatCC::UnorderedOrLessThanOrEqual, None),
            FloatCc::Ugt if unites => (FloatCC::UnorderedOrGreaterThan, None),
            FloatCc::Uge if unites => (FloatCC::UnorderedOrGreaterThanOrEqual, None),
            FloatCc::Ult => (FloatCC::LessThan, Some(FloatCC::Unordered)),
            FloatCc::Ule => (FloatCC::LessThanOrEqual, Some(FloatCC::Unordered)),
            FloatCc::Ugt => (FloatCC::GreaterThan, Some(FloatCC::Unordered)),
            FloatCc::Uge => (FloatCC::GreaterThanOrEqual, Some(FloatCC::Unordered)),
            FloatCc::Ueq => (FloatCC::Equal, Some(FloatCC::Unordered)),
            FloatCc::One => (FloatCC::LessThan, Some(FloatCC::GreaterThan)),
        };
        let first = self.c.ins().fcmp(cc, x, y);
        let Some(or) = or else { return first };
        let second = self.c.ins().fcmp(or, x, y);
        self.c.ins().bor(first, second)
    }
}
