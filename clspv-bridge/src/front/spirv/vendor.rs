//! Instructions of vendor extensions that producers enable by default: llvm-spirv, clang and DPC++.
//!
//! SPV_INTEL_shader_integer_functions2, SPV_INTEL_bfloat16_conversion, SPV_INTEL_split_barrier,
//! SPV_INTEL_ternary_bitwise_function, SPV_EXT_arithmetic_fence and SPV_ALTERA_fpga_reg. Hints of other
//! extensions are skipped where instructions are dispatched; what cannot be expressed becomes a call of an
//! unsupported construct.

use super::func::FuncReader;
use super::read::Instr;
use crate::error::Result;
use crate::ir::{BinOp, CastOp, ClOp, F32, FloatCc, I16, Op as IrOp, Ordering, Scalar, Type, UnOp, Value};
use spirv::Op;

/// The built-in function for an instruction of SPV_INTEL_shader_integer_functions2.
fn integer_function(op: Op) -> Option<ClOp> {
    Some(match op {
        Op::AbsISubINTEL => ClOp::s_abs_diff,
        Op::AbsUSubINTEL => ClOp::u_abs_diff,
        Op::IAddSatINTEL => ClOp::s_add_sat,
        Op::UAddSatINTEL => ClOp::u_add_sat,
        Op::ISubSatINTEL => ClOp::s_sub_sat,
        Op::USubSatINTEL => ClOp::u_sub_sat,
        Op::IAverageINTEL => ClOp::s_hadd,
        Op::UAverageINTEL => ClOp::u_hadd,
        Op::IAverageRoundedINTEL => ClOp::s_rhadd,
        Op::UAverageRoundedINTEL => ClOp::u_rhadd,
        _ => return None,
    })
}

impl FuncReader<'_, '_, '_> {
    /// Reads an instruction of a vendor extension; returns false for other instructions.
    pub fn vendor_op(&mut self, inst: &Instr<'_>) -> Result<bool> {
        if let Some(op) = integer_function(inst.op) {
            let (x, y) = (self.int_arg(2, inst)?, self.int_arg(3, inst)?);
            let ty = self.result_type(inst)?;
            if self.f.ty(x) != ty || self.f.ty(y) != ty {
                return Err(inst.bad("operands of different types"));
            }
            let v = self.b().value(IrOp::OpenCl(op), &[x, y], ty);
            self.define(inst, v)?;
            return Ok(true);
        }
        match inst.op {
            Op::ArithmeticFenceEXT | Op::FPGARegALTERA => {
                let vals = self.leaves(inst.word(2)?, inst)?;
                self.define_all(inst, vals)?;
            }
            Op::UCountLeadingZerosINTEL | Op::UCountTrailingZerosINTEL => {
                let op = if inst.op == Op::UCountLeadingZerosINTEL { UnOp::Clz } else { UnOp::Ctz };
                let x = self.int_arg(2, inst)?;
                let v = self.b().un(op, x);
                self.define(inst, v)?;
            }
            Op::IMul32x16INTEL | Op::UMul32x16INTEL => {
                let signed = inst.op == Op::IMul32x16INTEL;
                let ty = self.result_type(inst)?;
                let (x, y) = (self.int_arg(2, inst)?, self.int_arg(3, inst)?);
                let (x, y) = (self.resize(x, ty, signed, inst)?, self.resize(y, ty, signed, inst)?);
                let v = self.b().bin(BinOp::Imul, x, y);
                self.define(inst, v)?;
            }
            Op::ConvertFToBF16INTEL => {
                let x = self.float_arg(2, inst)?;
                let v = self.round_to_bfloat16(x, inst)?;
                self.define(inst, v)?;
            }
            Op::ConvertBF16ToFINTEL => {
                let x = self.int_arg(2, inst)?;
                let ty = self.f.ty(x);
                if ty.lane() != I16 {
                    return Err(inst.bad("operands of the wrong type"));
                }
                let wide = ty.with_scalar(Scalar::I32);
                let shift = self.f.bits(wide, 16);
                let mut b = self.b();
                let bits = b.cast(CastOp::Zext, x, wide);
                let bits = b.bin(BinOp::Shl, bits, shift);
                let v = b.bitcast(bits, ty.with_scalar(Scalar::F32));
                self.define(inst, v)?;
            }
            // The two halves of a barrier: writes before the first are visible after the second.
            Op::ControlBarrierArriveINTEL => {
                let memory = self.scope(inst.word(1)?);
                let spaces = self.spaces(inst.word(2)?);
                self.b().inst(IrOp::Fence { scope: memory, order: Ordering::AcqRel, spaces }, &[], &[]);
            }
            Op::ControlBarrierWaitINTEL => {
                let (exec, memory) = (self.scope(inst.word(0)?), self.scope(inst.word(1)?));
                let spaces = self.spaces(inst.word(2)?);
                let order = Ordering::AcqRel;
                self.b().inst(IrOp::Barrier { exec, memory, order, spaces }, &[], &[]);
            }
            Op::BitwiseFunctionINTEL => {
                let v = self.bitwise_function(inst)?;
                self.define(inst, v)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The upper half of a float's bits, rounded to nearest even; NaN stays NaN.
    fn round_to_bfloat16(&mut self, x: Value, inst: &Instr<'_>) -> Result<Value> {
        let ty = self.f.ty(x);
        if ty.lane() != F32 {
            return Err(inst.bad("operands of the wrong type"));
        }
        let int = ty.with_scalar(Scalar::I32);
        let [shift, one, below_half, quiet] = [16, 1, 0x7fff, 0x40].map(|n| self.f.bits(int, n));
        let mut b = self.b();
        let bits = b.bitcast(x, int);
        let high = b.bin(BinOp::Lshr, bits, shift);
        let odd = b.bin(BinOp::And, high, one);
        let rounded = b.bin(BinOp::Iadd, bits, below_half);
        let rounded = b.bin(BinOp::Iadd, rounded, odd);
        let rounded = b.bin(BinOp::Lshr, rounded, shift);
        let nan = b.bin(BinOp::Or, high, quiet);
        let is_nan = b.fcmp(FloatCc::Une, x, x);
        let v = b.select(is_nan, nan, rounded);
        Ok(b.cast(CastOp::Trunc, v, ty.with_scalar(Scalar::I16)))
    }

    /// OpBitwiseFunctionINTEL: bit `4a + 2b + c` of the index is the result for bits a, b and c of the
    /// operands.
    fn bitwise_function(&mut self, inst: &Instr<'_>) -> Result<Value> {
        let operands = [self.int_arg(2, inst)?, self.int_arg(3, inst)?, self.int_arg(4, inst)?];
        let ty: Type = self.result_type(inst)?;
        if operands.iter().any(|v| self.f.ty(*v) != ty) {
            return Err(inst.bad("operands of different types"));
        }
        let index = self.r.const_uint(inst.word(5)?, inst)?;
        let mut result = self.f.bits(ty, 0);
        for minterm in (0..8u64).filter(|m| index >> m & 1 != 0) {
            let mut b = self.b();
            let [x, y, z] = [4, 2, 1].map(|bit| minterm & bit != 0);
            let mut literal = |v: Value, set: bool| if set { v } else { b.not(v) };
            let (x, y, z) = (literal(operands[0], x), literal(operands[1], y), literal(operands[2], z));
            let term = b.bin(BinOp::And, x, y);
            let term = b.bin(BinOp::And, term, z);
            result = b.bin(BinOp::Or, result, term);
        }
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use crate::driver::build;
    use crate::options::{Library, Options};
    use crate::target::Target;
    use spirv::Op;

    /// Words of an instruction.
    fn words(op: Op, ops: &[u32]) -> Vec<u32> {
        [&[(ops.len() as u32 + 1) << 16 | op as u32], ops].concat()
    }

    /// A module whose kernel stores the word %30; `body`, instructions with ids from 20 on, defines it.
    fn stores(body: &[Vec<u32>]) -> Vec<u32> {
        let parts = [
            vec![0x0723_0203, 0x0001_0200, 0, 40, 0],
            words(Op::Capability, &[spirv::Capability::Kernel as u32]),
            words(
                Op::MemoryModel,
                &[spirv::AddressingModel::Physical64 as u32, spirv::MemoryModel::OpenCL as u32],
            ),
            words(Op::EntryPoint, &[spirv::ExecutionModel::Kernel as u32, 10, u32::from(b'k')]),
            words(Op::TypeInt, &[1, 32, 0]),
            words(Op::TypeInt, &[2, 16, 0]),
            words(Op::TypeFloat, &[3, 32]),
            words(Op::TypeVoid, &[4]),
            words(Op::TypePointer, &[5, spirv::StorageClass::CrossWorkgroup as u32, 1]),
            words(Op::TypeFunction, &[6, 4, 5]),
            words(Op::Constant, &[3, 7, 0x3f80_8001]),
            words(Op::Constant, &[1, 8, 0xcc00]),
            words(Op::Constant, &[1, 9, 0xaa00]),
            words(Op::Constant, &[1, 14, 0xf000]),
            words(Op::Constant, &[1, 13, 0xe8]),
            words(Op::Function, &[4, 10, 0, 6]),
            words(Op::FunctionParameter, &[5, 11]),
            words(Op::Label, &[12]),
            body.concat(),
            words(Op::Store, &[11, 30, 2, 4]),
            words(Op::Return, &[]),
            words(Op::FunctionEnd, &[]),
        ];
        let library = Library::from_spirv(parts.concat());
        build(&[&library], &Options::default(), &[], &Target::generic()).unwrap().vulkan()[0].variants[0]
            .spirv
            .clone()
    }

    #[test]
    fn bfloat16_rounds_to_nearest_even() {
        let spirv = stores(&[
            words(Op::ConvertFToBF16INTEL, &[2, 20, 7]),
            words(Op::ConvertBF16ToFINTEL, &[3, 21, 20]),
            words(Op::Bitcast, &[1, 30, 21]),
        ]);
        assert!(spirv.contains(&0x3f81_0000));
    }

    #[test]
    fn ternary_functions_follow_their_table() {
        // The majority of 0xcc00, 0xaa00 and 0xf000.
        let spirv = stores(&[words(Op::BitwiseFunctionINTEL, &[1, 30, 8, 9, 14, 13])]);
        assert!(spirv.contains(&0xe800));
    }
}
