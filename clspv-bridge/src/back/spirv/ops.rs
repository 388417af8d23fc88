//! Arithmetic, comparisons, conversions and vector shuffles.

use super::emit::Emitter;
use super::module::Id;
use crate::error::{CompileError, Result};
use crate::ir::{BinOp, CastOp, FastMath, FloatCc, I32, IntCc, Scalar, Type, UnOp, Value};
use spirv::GlslStd450Op as GLOp;
use spirv::{Decoration, Op};

impl Emitter<'_> {
    /// Emits a binary operation. `y_value` is the second operand as an IR value, to recognise constants.
    pub(super) fn emit_bin(
        &mut self,
        op: BinOp,
        ty: Type,
        x: Id,
        y: Id,
        y_value: Value,
        fast: FastMath,
    ) -> Result<Id> {
        let scalar = ty.scalar().unwrap_or(Scalar::I32);
        let xy = &[x, y];
        if scalar == Scalar::I1 {
            return match op {
                BinOp::And => self.op(Op::LogicalAnd, ty, xy),
                BinOp::Or => self.op(Op::LogicalOr, ty, xy),
                BinOp::Xor => self.op(Op::LogicalNotEqual, ty, xy),
                _ => self.unsupported("arithmetic on truth values"),
            };
        }
        let simple = match op {
            BinOp::Iadd => Op::IAdd,
            BinOp::Isub => Op::ISub,
            BinOp::Imul => Op::IMul,
            BinOp::Udiv => Op::UDiv,
            BinOp::Sdiv => Op::SDiv,
            BinOp::Urem => Op::UMod,
            BinOp::And => Op::BitwiseAnd,
            BinOp::Or => Op::BitwiseOr,
            BinOp::Xor => Op::BitwiseXor,
            BinOp::Fadd => Op::FAdd,
            BinOp::Fsub => Op::FSub,
            BinOp::Fmul => Op::FMul,
            BinOp::Fdiv => Op::FDiv,
            BinOp::Umin => return self.glsl(GLOp::UMin, ty, xy),
            BinOp::Umax => return self.glsl(GLOp::UMax, ty, xy),
            BinOp::Smin => return self.glsl(GLOp::SMin, ty, xy),
            BinOp::Smax => return self.glsl(GLOp::SMax, ty, xy),
            BinOp::Fmin => return self.glsl(GLOp::NMin, ty, xy),
            BinOp::Fmax => return self.glsl(GLOp::NMax, ty, xy),
            // Vulkan leaves OpSRem undefined for negative operands.
            BinOp::Srem => {
                let q = self.op(Op::SDiv, ty, xy)?;
                let p = self.op(Op::IMul, ty, &[q, y])?;
                return self.op(Op::ISub, ty, &[x, p]);
            }
            BinOp::Shl | BinOp::Lshr | BinOp::Ashr => {
                let amount = self.shift_amount(ty, y, y_value)?;
                let op = match op {
                    BinOp::Shl => Op::ShiftLeftLogical,
                    BinOp::Lshr => Op::ShiftRightLogical,
                    _ => Op::ShiftRightArithmetic,
                };
                return self.op(op, ty, &[x, amount]);
            }
            BinOp::Rotl => {
                let left = self.shift_amount(ty, y, y_value)?;
                let mask = self.m.splat(ty, scalar.bits() as u64 - 1)?;
                let negated = self.op(Op::SNegate, ty, &[y])?;
                let right = self.op(Op::BitwiseAnd, ty, &[negated, mask])?;
                let high = self.op(Op::ShiftLeftLogical, ty, &[x, left])?;
                let low = self.op(Op::ShiftRightLogical, ty, &[x, right])?;
                return self.op(Op::BitwiseOr, ty, &[high, low]);
            }
            BinOp::UmulHi | BinOp::SmulHi => return self.emit_mul_hi(op == BinOp::SmulHi, ty, x, y),
            BinOp::Frem => return self.unsupported("an inexact floating-point remainder"),
        };
        let id = self.op(simple, ty, xy)?;
        let may_fuse = fast.contract && self.preserves(scalar);
        if matches!(op, BinOp::Fadd | BinOp::Fsub | BinOp::Fmul) && !fast.fast && !may_fuse {
            self.m.decorate(id, Decoration::NoContraction, &[]);
        }
        Ok(id)
    }

    /// Whether the device can be required to preserve signed zeros, infinities and NaNs. Otherwise each
    /// operation must be marked as exact: NVIDIA's driver simplifies `x * 2 - x` to `x`.
    fn preserves(&self, scalar: Scalar) -> bool {
        let c = self.target.float_controls;
        match scalar {
            Scalar::F16 => c.preserve16,
            Scalar::F64 => c.preserve64,
            _ => c.preserve32,
        }
    }

    /// `a * b + c`, rounded once.
    pub(super) fn emit_fma(&mut self, ty: Type, args: &[Id]) -> Result<Id> {
        let id = self.glsl(GLOp::Fma, ty, args)?;
        if !ty.scalar().is_none_or(|s| self.preserves(s)) {
            self.m.decorate(id, Decoration::NoContraction, &[]);
        }
        Ok(id)
    }

    /// Shift amounts count modulo the width.
    fn shift_amount(&mut self, ty: Type, y: Id, y_value: Value) -> Result<Id> {
        let width = ty.scalar().map_or(32, Scalar::bits) as u64;
        if let Some(bits) = self.func.as_bits(y_value) {
            return self.m.splat(ty, bits & (width - 1));
        }
        let mask = self.m.splat(ty, width - 1)?;
        self.op(Op::BitwiseAnd, ty, &[y, mask])
    }

    fn emit_mul_hi(&mut self, signed: bool, ty: Type, x: Id, y: Id) -> Result<Id> {
        let bits = ty.scalar().map_or(32, Scalar::bits);
        if bits < 32 {
            let wide = ty.with_scalar(Scalar::I32);
            let (widen, shift_op) = if signed {
                (Op::SConvert, Op::ShiftRightArithmetic)
            } else {
                (Op::UConvert, Op::ShiftRightLogical)
            };
            let a = self.op(widen, wide, &[x])?;
            let b = self.op(widen, wide, &[y])?;
            let p = self.op(Op::IMul, wide, &[a, b])?;
            let amount = self.m.splat(wide, bits as u64)?;
            let high = self.op(shift_op, wide, &[p, amount])?;
            return self.op(Op::UConvert, ty, &[high]);
        }
        let member = self.m.ty(ty)?;
        let pair = self.m.pair(member);
        let id = self.m.id();
        self.code(if signed { Op::SMulExtended } else { Op::UMulExtended }, &[pair, id, x, y]);
        self.op(Op::CompositeExtract, ty, &[id, 1])
    }

    /// `c ? x : y` as value `id` of type `ty`. Before SPIR-V 1.4 the condition has as many lanes as the
    /// values.
    pub(super) fn emit_select(&mut self, id: Id, ty: Type, c: Id, c_ty: Type, [x, y]: [Id; 2]) -> Result<()> {
        let needs_vector = self.vulkan.spirv_version < (1, 4) && ty.lanes() > 1 && c_ty.lanes() == 1;
        let c = if needs_vector {
            let lanes = vec![c; ty.lanes() as usize];
            self.op(Op::CompositeConstruct, Type::vector(Scalar::I1, ty.lanes()), &lanes)?
        } else {
            c
        };
        self.op_to(id, Op::Select, ty, &[c, x, y])
    }

    pub(super) fn emit_un(&mut self, op: UnOp, ty: Type, x: Id) -> Result<Id> {
        let scalar = ty.scalar().unwrap_or(Scalar::I32);
        let glsl = match op {
            UnOp::Not if scalar == Scalar::I1 => return self.op(Op::LogicalNot, ty, &[x]),
            UnOp::Not => return self.op(Op::Not, ty, &[x]),
            UnOp::Popcnt | UnOp::Clz | UnOp::Ctz | UnOp::Bitrev => return self.emit_bit_count(op, ty, x),
            UnOp::Fneg => return self.op(Op::FNegate, ty, &[x]),
            UnOp::NativeRecip => {
                let one = self.m.splat(ty, one_bits(scalar))?;
                return self.op(Op::FDiv, ty, &[one, x]);
            }
            UnOp::Fabs => GLOp::FAbs,
            UnOp::Floor => GLOp::Floor,
            UnOp::Ceil => GLOp::Ceil,
            UnOp::Trunc => GLOp::Trunc,
            UnOp::Rint => GLOp::RoundEven,
            UnOp::Sqrt => GLOp::Sqrt,
            UnOp::NativeRsqrt => GLOp::InverseSqrt,
            UnOp::NativeSin => GLOp::Sin,
            UnOp::NativeCos => GLOp::Cos,
            UnOp::NativeTan => GLOp::Tan,
            UnOp::NativeExp2 => GLOp::Exp2,
            UnOp::NativeLog2 => GLOp::Log2,
            UnOp::NativeExp => GLOp::Exp,
            UnOp::NativeLog => GLOp::Log,
        };
        let narrow_only = matches!(
            glsl,
            GLOp::Sin | GLOp::Cos | GLOp::Tan | GLOp::Exp2 | GLOp::Log2 | GLOp::Exp | GLOp::Log
        );
        if narrow_only && scalar == Scalar::F64 {
            return self.unsupported("device-precision functions on double");
        }
        self.glsl(glsl, ty, &[x])
    }

    /// Bit counting is 32-bit in Vulkan; narrower types are widened here, wider ones by legalisation.
    fn emit_bit_count(&mut self, op: UnOp, ty: Type, x: Id) -> Result<Id> {
        let bits = ty.scalar().map_or(32, Scalar::bits);
        if bits > 32 {
            return Err(CompileError::internal(format!("emit: {op:?} on {ty} must be legalised")));
        }
        let wide = ty.with_scalar(Scalar::I32);
        let x = if bits < 32 { self.op(Op::UConvert, wide, &[x])? } else { x };
        let id = match op {
            UnOp::Popcnt => self.op(Op::BitCount, wide, &[x])?,
            // The most significant bit of 0 is -1, so this gives the width.
            UnOp::Clz => {
                let top = self.glsl(GLOp::FindUMsb, wide, &[x])?;
                let last = self.m.splat(wide, bits as u64 - 1)?;
                self.op(Op::ISub, wide, &[last, top])?
            }
            UnOp::Ctz => {
                let low = self.glsl(GLOp::FindILsb, wide, &[x])?;
                let width = self.m.splat(wide, bits as u64)?;
                self.glsl(GLOp::UMin, wide, &[low, width])?
            }
            _ => {
                let reversed = self.op(Op::BitReverse, wide, &[x])?;
                if bits < 32 {
                    let amount = self.m.splat(wide, 32 - bits as u64)?;
                    self.op(Op::ShiftRightLogical, wide, &[reversed, amount])?
                } else {
                    reversed
                }
            }
        };
        if bits < 32 { self.op(Op::UConvert, ty, &[id]) } else { Ok(id) }
    }

    /// `a * b + c`: fused where fusing is known to be fast and exact; elsewhere the driver may contract.
    pub(super) fn emit_mad(&mut self, ty: Type, args: &[Id]) -> Result<Id> {
        let fused = match ty.scalar() {
            Some(Scalar::F32) => self.target.exact_fma32,
            Some(Scalar::F64) => self.target.exact_fma64,
            _ => false,
        };
        if fused {
            return self.glsl(GLOp::Fma, ty, args);
        }
        let product = self.op(Op::FMul, ty, &args[..2])?;
        self.op(Op::FAdd, ty, &[product, args[2]])
    }

    pub(super) fn emit_icmp(&mut self, cc: IntCc, operands: Type, ty: Type, x: Id, y: Id) -> Result<Id> {
        if operands.is_bool() {
            return match cc {
                IntCc::Eq => self.op(Op::LogicalEqual, ty, &[x, y]),
                IntCc::Ne => self.op(Op::LogicalNotEqual, ty, &[x, y]),
                _ => self.unsupported("an ordering of truth values"),
            };
        }
        let op = match cc {
            IntCc::Eq => Op::IEqual,
            IntCc::Ne => Op::INotEqual,
            IntCc::Ult => Op::ULessThan,
            IntCc::Ule => Op::ULessThanEqual,
            IntCc::Ugt => Op::UGreaterThan,
            IntCc::Uge => Op::UGreaterThanEqual,
            IntCc::Slt => Op::SLessThan,
            IntCc::Sle => Op::SLessThanEqual,
            IntCc::Sgt => Op::SGreaterThan,
            IntCc::Sge => Op::SGreaterThanEqual,
        };
        self.op(op, ty, &[x, y])
    }

    pub(super) fn emit_fcmp(&mut self, cc: FloatCc, ty: Type, x: Id, y: Id) -> Result<Id> {
        let op = match cc {
            FloatCc::Oeq => Op::FOrdEqual,
            FloatCc::One => Op::FOrdNotEqual,
            FloatCc::Olt => Op::FOrdLessThan,
            FloatCc::Ole => Op::FOrdLessThanEqual,
            FloatCc::Ogt => Op::FOrdGreaterThan,
            FloatCc::Oge => Op::FOrdGreaterThanEqual,
            FloatCc::Ueq => Op::FUnordEqual,
            FloatCc::Une => Op::FUnordNotEqual,
            FloatCc::Ult => Op::FUnordLessThan,
            FloatCc::Ule => Op::FUnordLessThanEqual,
            FloatCc::Ugt => Op::FUnordGreaterThan,
            FloatCc::Uge => Op::FUnordGreaterThanEqual,
            // OpOrdered and OpUnordered are for kernels only.
            FloatCc::Ord | FloatCc::Uno => {
                let a = self.op(Op::IsNan, ty, &[x])?;
                let b = if x == y { a } else { self.op(Op::IsNan, ty, &[y])? };
                let unordered = if a == b { a } else { self.op(Op::LogicalOr, ty, &[a, b])? };
                return if cc == FloatCc::Uno {
                    Ok(unordered)
                } else {
                    self.op(Op::LogicalNot, ty, &[unordered])
                };
            }
        };
        self.op(op, ty, &[x, y])
    }

    pub(super) fn emit_cast(
        &mut self,
        op: CastOp,
        from: Type,
        to: Type,
        x: Id,
        fast: FastMath,
    ) -> Result<Id> {
        let scalar = to.scalar().unwrap_or(Scalar::I32);
        if from.is_bool() {
            let one = match op {
                CastOp::Zext => 1,
                CastOp::Sext => scalar.mask(),
                CastOp::UToFp => one_bits(scalar),
                CastOp::SToFp => one_bits(scalar) | (1 << (scalar.bits() - 1)),
                _ => return self.unsupported(format!("{op:?} of truth values")),
            };
            let (one, zero) = (self.m.splat(to, one)?, self.m.splat(to, 0)?);
            return self.op(Op::Select, to, &[x, one, zero]);
        }
        if to.is_bool() {
            return match op {
                CastOp::Trunc => {
                    let (one, zero) = (self.m.splat(from, 1)?, self.m.splat(from, 0)?);
                    let bit = self.op(Op::BitwiseAnd, from, &[x, one])?;
                    self.op(Op::INotEqual, to, &[bit, zero])
                }
                CastOp::FpToU | CastOp::FpToS => {
                    let zero = self.m.splat(from, 0)?;
                    self.op(Op::FUnordNotEqual, to, &[x, zero])
                }
                _ => self.unsupported(format!("{op:?} to truth values")),
            };
        }
        let op = match op {
            CastOp::Trunc | CastOp::Zext => Op::UConvert,
            CastOp::Sext => Op::SConvert,
            CastOp::FpConv => Op::FConvert,
            CastOp::FpToS => Op::ConvertFToS,
            CastOp::FpToU => Op::ConvertFToU,
            CastOp::SToFp => Op::ConvertSToF,
            CastOp::UToFp => Op::ConvertUToF,
            CastOp::Bitcast if from == to => Op::CopyObject,
            CastOp::Bitcast if from.lanes() == 1 && to.lanes() == 4 && scalar.bits() == 16 => {
                return self.emit_quarters(to, x);
            }
            CastOp::Bitcast => Op::Bitcast,
            CastOp::PtrToInt | CastOp::IntToPtr | CastOp::PtrCast => {
                return Err(CompileError::internal("emit: pointers must be lowered"));
            }
        };
        let id = self.op(op, to, &[x])?;
        // Mesa 26 takes a number that is made narrow and wide again for the number itself.
        if op == Op::FConvert && !fast.fast {
            self.m.decorate(id, Decoration::NoContraction, &[]);
        }
        Ok(id)
    }

    /// The bits of a 64-bit scalar as four values of 16 bits, by way of two of 32: Mesa 22.3 folds the last
    /// of four quarters of a constant to zero (`unpack_64_4x16`).
    fn emit_quarters(&mut self, to: Type, x: Id) -> Result<Id> {
        let pair_ty = Type::vector(to.scalar().unwrap_or(Scalar::I16), 2);
        let words = self.op(Op::Bitcast, Type::vector(Scalar::I32, 2), &[x])?;
        let mut quarters = Vec::with_capacity(4);
        for i in 0..2 {
            let word = self.op(Op::CompositeExtract, I32, &[words, i])?;
            let pair = self.op(Op::Bitcast, pair_ty, &[word])?;
            for j in 0..2 {
                quarters.push(self.op(Op::CompositeExtract, to.lane(), &[pair, j])?);
            }
        }
        self.op(Op::CompositeConstruct, to, &quarters)
    }

    pub(super) fn emit_shuffle(&mut self, lanes: &[u8], ty: Type, args: &[Id], types: &[Type]) -> Result<Id> {
        let first = types[0].lanes();
        // An undefined lane may have any value; lane 0 keeps the module free of undefined values.
        let lane = |l: u8| if l == u8::MAX { 0 } else { l as u32 };
        if lanes.len() > 1 && first > 1 && types[1].lanes() > 1 {
            let mut words = args.to_vec();
            words.extend(lanes.iter().map(|l| lane(*l)));
            return self.op(Op::VectorShuffle, ty, &words);
        }
        let mut parts = Vec::new();
        for &l in lanes {
            let l = lane(l);
            let (arg, arg_ty, l) =
                if l < first { (args[0], types[0], l) } else { (args[1], types[1], l - first) };
            parts.push(if arg_ty.lanes() == 1 {
                arg
            } else {
                self.op(Op::CompositeExtract, ty.lane(), &[arg, l])?
            });
        }
        match parts.as_slice() {
            [one] => Ok(*one),
            many => self.op(Op::CompositeConstruct, ty, many),
        }
    }
}

/// Bits of 1.0.
fn one_bits(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::F16 => 0x3c00,
        Scalar::F64 => 1f64.to_bits(),
        _ => 1f32.to_bits() as u64,
    }
}
