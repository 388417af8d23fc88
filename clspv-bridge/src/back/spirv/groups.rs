//! Sub-group operations, packed dot products and clocks. After `lower_groups` and `lower_builtins` each is a
//! single instruction of the device.

use super::emit::Emitter;
use super::module::Id;
use crate::error::{CompileError, Result};
use crate::ir::{BinOp, GroupOp, I32, I64, Scan, Scope, Type};
use spirv::{Capability, GroupOperation, Op};

impl Emitter<'_> {
    pub(super) fn emit_group(&mut self, op: &GroupOp, ty: Type, args: &[Id]) -> Result<Id> {
        let ops = self.target.subgroup_ops;
        let (capability, has) = match op {
            GroupOp::Elect => (Capability::GroupNonUniform, ops.basic),
            GroupOp::All | GroupOp::Any => (Capability::GroupNonUniformVote, ops.vote),
            GroupOp::Ballot | GroupOp::BroadcastFirst => (Capability::GroupNonUniformBallot, ops.ballot),
            GroupOp::Shuffle | GroupOp::ShuffleXor => (Capability::GroupNonUniformShuffle, ops.shuffle),
            GroupOp::ShuffleUp | GroupOp::ShuffleDown => {
                (Capability::GroupNonUniformShuffleRelative, ops.shuffle_relative)
            }
            GroupOp::Combine { cluster: 0, .. } => (Capability::GroupNonUniformArithmetic, ops.arithmetic),
            GroupOp::Combine { .. } => (Capability::GroupNonUniformClustered, ops.clustered),
            other => return Err(CompileError::internal(format!("emit: {other:?} must be lowered"))),
        };
        self.m.require(Capability::GroupNonUniform, ops.basic, "sub-groups")?;
        self.m.require(capability, has, "this sub-group operation")?;
        let scope = self.m.u32(spirv::Scope::Subgroup as u32)?;
        let mut words = vec![scope];
        let code = match op {
            GroupOp::Elect => Op::GroupNonUniformElect,
            GroupOp::All => Op::GroupNonUniformAll,
            GroupOp::Any => Op::GroupNonUniformAny,
            GroupOp::Ballot => Op::GroupNonUniformBallot,
            GroupOp::BroadcastFirst => Op::GroupNonUniformBroadcastFirst,
            GroupOp::ShuffleXor => Op::GroupNonUniformShuffleXor,
            GroupOp::ShuffleUp => Op::GroupNonUniformShuffleUp,
            GroupOp::ShuffleDown => Op::GroupNonUniformShuffleDown,
            GroupOp::Combine { scan, op, cluster } => {
                words.push(match scan {
                    Scan::Reduce if *cluster != 0 => GroupOperation::ClusteredReduce,
                    Scan::Reduce => GroupOperation::Reduce,
                    Scan::Inclusive => GroupOperation::InclusiveScan,
                    Scan::Exclusive => GroupOperation::ExclusiveScan,
                } as u32);
                combination(*op)?
            }
            _ => Op::GroupNonUniformShuffle,
        };
        words.extend_from_slice(args);
        if let GroupOp::Combine { cluster, .. } = op
            && *cluster != 0
        {
            words.push(self.m.u32(*cluster)?);
        }
        self.op(code, ty, &words)
    }

    pub(super) fn emit_dot4(&mut self, x_signed: bool, y_signed: bool, args: &[Id]) -> Result<Id> {
        self.m.require(Capability::DotProduct, self.target.integer_dot_product, "integer dot products")?;
        self.m.capability(Capability::DotProductInput4x8BitPacked);
        self.m.extension("SPV_KHR_integer_dot_product");
        let (op, x, y) = match (x_signed, y_signed) {
            (true, true) => (Op::SDot, args[0], args[1]),
            (false, false) => (Op::UDot, args[0], args[1]),
            (true, false) => (Op::SUDot, args[0], args[1]),
            (false, true) => (Op::SUDot, args[1], args[0]),
        };
        self.op(op, I32, &[x, y, spirv::PackedVectorFormat::PackedVectorFormat4x8Bit as u32])
    }

    pub(super) fn emit_clock(&mut self, scope: Scope) -> Result<Id> {
        // Work-items of a group share the clock of the device.
        let (scope, has) = match scope {
            Scope::SubGroup => (spirv::Scope::Subgroup, self.target.subgroup_clock),
            _ => (spirv::Scope::Device, self.target.device_clock),
        };
        self.m.require(Capability::ShaderClockKHR, has, "clocks in kernels")?;
        self.m.extension("SPV_KHR_shader_clock");
        let scope = self.m.u32(scope as u32)?;
        self.op(Op::ReadClockKHR, I64, &[scope])
    }
}

fn combination(op: BinOp) -> Result<Op> {
    Ok(match op {
        BinOp::Iadd => Op::GroupNonUniformIAdd,
        BinOp::Fadd => Op::GroupNonUniformFAdd,
        BinOp::Imul => Op::GroupNonUniformIMul,
        BinOp::Fmul => Op::GroupNonUniformFMul,
        BinOp::Smin => Op::GroupNonUniformSMin,
        BinOp::Umin => Op::GroupNonUniformUMin,
        BinOp::Fmin => Op::GroupNonUniformFMin,
        BinOp::Smax => Op::GroupNonUniformSMax,
        BinOp::Umax => Op::GroupNonUniformUMax,
        BinOp::Fmax => Op::GroupNonUniformFMax,
        BinOp::And => Op::GroupNonUniformBitwiseAnd,
        BinOp::Or => Op::GroupNonUniformBitwiseOr,
        BinOp::Xor => Op::GroupNonUniformBitwiseXor,
        other => return Err(CompileError::internal(format!("emit: {other:?} combines nothing"))),
    })
}
