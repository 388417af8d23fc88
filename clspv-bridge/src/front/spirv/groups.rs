//! Sub-group and work-group operations: OpGroup*, OpGroupNonUniform*, those of SPV_KHR_subgroup_rotate,
//! SPV_KHR_uniform_group_instructions, SPV_KHR_shader_ballot and SPV_INTEL_subgroups, and clocks.
//!
//! Operations that require uniform control flow are read as those over the active work-items.

use super::func::FuncReader;
use super::read::Instr;
use crate::error::Result;
use crate::ir::{
    Access, BinOp, CastOp, GroupOp, I32, I64, LaneMask, Op as IrOp, Scalar, Scan, Scope, Type, Value,
    WorkItemQuery,
};
use spirv::{BuiltIn, Op};

/// The operator of a reduction or scan.
fn operator(op: Op) -> Option<BinOp> {
    Some(match op {
        Op::GroupIAdd | Op::GroupNonUniformIAdd => BinOp::Iadd,
        Op::GroupFAdd | Op::GroupNonUniformFAdd => BinOp::Fadd,
        Op::GroupIMulKHR | Op::GroupNonUniformIMul => BinOp::Imul,
        Op::GroupFMulKHR | Op::GroupNonUniformFMul => BinOp::Fmul,
        Op::GroupFMin | Op::GroupNonUniformFMin => BinOp::Fmin,
        Op::GroupUMin | Op::GroupNonUniformUMin => BinOp::Umin,
        Op::GroupSMin | Op::GroupNonUniformSMin => BinOp::Smin,
        Op::GroupFMax | Op::GroupNonUniformFMax => BinOp::Fmax,
        Op::GroupUMax | Op::GroupNonUniformUMax => BinOp::Umax,
        Op::GroupSMax | Op::GroupNonUniformSMax => BinOp::Smax,
        Op::GroupBitwiseAndKHR | Op::GroupNonUniformBitwiseAnd => BinOp::And,
        Op::GroupBitwiseOrKHR | Op::GroupNonUniformBitwiseOr => BinOp::Or,
        Op::GroupBitwiseXorKHR | Op::GroupNonUniformBitwiseXor => BinOp::Xor,
        Op::GroupLogicalAndKHR | Op::GroupNonUniformLogicalAnd => BinOp::And,
        Op::GroupLogicalOrKHR | Op::GroupNonUniformLogicalOr => BinOp::Or,
        Op::GroupLogicalXorKHR | Op::GroupNonUniformLogicalXor => BinOp::Xor,
        _ => return None,
    })
}

/// The set of work-items that a built-in variable holds.
pub(super) fn lane_mask(builtin: BuiltIn) -> Option<LaneMask> {
    Some(match builtin {
        BuiltIn::SubgroupEqMask => LaneMask::Eq,
        BuiltIn::SubgroupGeMask => LaneMask::Ge,
        BuiltIn::SubgroupGtMask => LaneMask::Gt,
        BuiltIn::SubgroupLeMask => LaneMask::Le,
        BuiltIn::SubgroupLtMask => LaneMask::Lt,
        _ => return None,
    })
}

impl FuncReader<'_, '_, '_> {
    /// Reads a group operation; returns false for other instructions.
    pub fn group_op(&mut self, inst: &Instr<'_>) -> Result<bool> {
        if let Some(op) = operator(inst.op) {
            self.combination(inst, op)?;
            return Ok(true);
        }
        let sub = Scope::SubGroup;
        match inst.op {
            Op::GroupAll | Op::GroupNonUniformAll => {
                self.group(inst, self.scope(inst.word(2)?), GroupOp::All, &[3])?
            }
            Op::GroupAny | Op::GroupNonUniformAny => {
                self.group(inst, self.scope(inst.word(2)?), GroupOp::Any, &[3])?
            }
            Op::GroupNonUniformAllEqual => self.group(inst, sub, GroupOp::AllEqual, &[3])?,
            Op::SubgroupAllKHR => self.group(inst, sub, GroupOp::All, &[2])?,
            Op::SubgroupAnyKHR => self.group(inst, sub, GroupOp::Any, &[2])?,
            Op::SubgroupAllEqualKHR => self.group(inst, sub, GroupOp::AllEqual, &[2])?,
            Op::GroupNonUniformElect => self.group(inst, sub, GroupOp::Elect, &[])?,
            Op::GroupBroadcast | Op::GroupNonUniformBroadcast => self.broadcast(inst)?,
            Op::GroupNonUniformBroadcastFirst => self.group(inst, sub, GroupOp::BroadcastFirst, &[3])?,
            Op::SubgroupFirstInvocationKHR => self.group(inst, sub, GroupOp::BroadcastFirst, &[2])?,
            Op::GroupNonUniformBallot => self.group(inst, sub, GroupOp::Ballot, &[3])?,
            Op::SubgroupBallotKHR => self.group(inst, sub, GroupOp::Ballot, &[2])?,
            Op::GroupNonUniformInverseBallot => self.group(inst, sub, GroupOp::InverseBallot, &[3])?,
            Op::GroupNonUniformBallotBitExtract => self.group(inst, sub, GroupOp::BallotBit, &[3, 4])?,
            Op::GroupNonUniformBallotBitCount => {
                let scan = self.scan(inst.word(3)?, inst)?;
                self.group(inst, sub, GroupOp::BallotCount(scan), &[4])?;
            }
            Op::GroupNonUniformBallotFindLSB => self.group(inst, sub, GroupOp::BallotLsb, &[3])?,
            Op::GroupNonUniformBallotFindMSB => self.group(inst, sub, GroupOp::BallotMsb, &[3])?,
            Op::GroupNonUniformShuffle => self.group(inst, sub, GroupOp::Shuffle, &[3, 4])?,
            Op::GroupNonUniformShuffleXor => self.group(inst, sub, GroupOp::ShuffleXor, &[3, 4])?,
            Op::GroupNonUniformShuffleUp => self.group(inst, sub, GroupOp::ShuffleUp, &[3, 4])?,
            Op::GroupNonUniformShuffleDown => self.group(inst, sub, GroupOp::ShuffleDown, &[3, 4])?,
            Op::SubgroupReadInvocationKHR | Op::SubgroupShuffleINTEL => {
                self.group(inst, sub, GroupOp::Shuffle, &[2, 3])?
            }
            Op::SubgroupShuffleXorINTEL => self.group(inst, sub, GroupOp::ShuffleXor, &[2, 3])?,
            Op::SubgroupShuffleDownINTEL | Op::SubgroupShuffleUpINTEL => self.shuffle_pair(inst)?,
            Op::SubgroupBlockReadINTEL => {
                let ty = self.result_type(inst)?;
                let p = self.ptr_arg(2, inst)?;
                let lanes = self.block(inst, p, ty)?;
                let v = lanes
                    .into_iter()
                    .map(|(at, access, lane)| self.b().load(lane, at, access))
                    .collect::<Vec<_>>();
                let v = self.b().vec_build(&v);
                self.define(inst, v)?;
            }
            Op::SubgroupBlockWriteINTEL => {
                let (p, v) = (self.ptr_arg(0, inst)?, self.arg(1, inst)?);
                let lanes = self.block(inst, p, self.f.ty(v))?;
                for (i, (at, access, _)) in lanes.into_iter().enumerate() {
                    let lane = self.b().extract(v, i as u8);
                    self.b().store(lane, at, access);
                }
            }
            Op::GroupNonUniformRotateKHR => {
                let cluster = match inst.rest(5).first() {
                    Some(&id) => self.cluster(id, inst)?,
                    None => 0,
                };
                self.group(inst, sub, GroupOp::Rotate { cluster }, &[3, 4])?;
            }
            Op::ReadClockKHR => {
                let scope = self.scope(inst.word(2)?);
                let ty = self.result_type(inst)?;
                let v = self.b().value(IrOp::Clock(scope), &[], I64);
                let v = if ty == Type::Vector(Scalar::I32, 2) { self.b().bitcast(v, ty) } else { v };
                self.define(inst, v)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// An operation whose operands are the words `at` of the instruction.
    fn group(&mut self, inst: &Instr<'_>, scope: Scope, op: GroupOp, at: &[usize]) -> Result<()> {
        let mut args = Vec::with_capacity(at.len());
        for (i, &word) in at.iter().enumerate() {
            let v = self.arg(word, inst)?;
            // Local ids and distances, always the second operand, may have any width.
            args.push(if i == 1 { self.resize(v, I32, false, inst)? } else { v });
        }
        let v = self.group_value(inst, scope, op, &args)?;
        self.define(inst, v)
    }

    fn group_value(&mut self, inst: &Instr<'_>, scope: Scope, op: GroupOp, args: &[Value]) -> Result<Value> {
        let types: Vec<Type> = args.iter().map(|a| self.f.ty(*a)).collect();
        let ir = IrOp::Group { scope, op };
        let fits = crate::ir::typing::infer(&ir, &types);
        let fits = fits.filter(|r| crate::ir::typing::check(&ir, &types, r).is_ok());
        match fits.as_deref() {
            Some([ty]) => Ok(self.b().value(ir, args, *ty)),
            _ => Err(inst.bad("operands of the wrong types")),
        }
    }

    fn scan(&self, word: u32, inst: &Instr<'_>) -> Result<Scan> {
        match spirv::GroupOperation::from_u32(word) {
            Some(spirv::GroupOperation::Reduce | spirv::GroupOperation::ClusteredReduce) => Ok(Scan::Reduce),
            Some(spirv::GroupOperation::InclusiveScan) => Ok(Scan::Inclusive),
            Some(spirv::GroupOperation::ExclusiveScan) => Ok(Scan::Exclusive),
            _ => Err(inst.bad("unknown group operation")),
        }
    }

    fn cluster(&self, id: u32, inst: &Instr<'_>) -> Result<u32> {
        let size = self.r.const_int(id).and_then(|n| u32::try_from(n).ok()).filter(|n| n.is_power_of_two());
        size.ok_or_else(|| inst.bad("the cluster size is not a constant power of two"))
    }

    fn combination(&mut self, inst: &Instr<'_>, op: BinOp) -> Result<()> {
        let scope = self.scope(inst.word(2)?);
        let scan = self.scan(inst.word(3)?, inst)?;
        let x = self.arg(4, inst)?;
        let clustered = inst.word(3)? == spirv::GroupOperation::ClusteredReduce as u32;
        let cluster = if clustered { self.cluster(inst.word(5)?, inst)? } else { 0 };
        let op = GroupOp::Combine { scan, op, cluster };
        let lanes = self.f.ty(x).lanes() as u8;
        let mut parts = Vec::with_capacity(lanes as usize);
        for i in 0..lanes {
            let x = self.b().extract(x, i);
            parts.push(self.group_value(inst, scope, op, &[x])?);
        }
        let v = self.b().vec_build(&parts);
        self.define(inst, v)
    }

    /// The local id is a number, in work-groups also a vector of two or three.
    fn broadcast(&mut self, inst: &Instr<'_>) -> Result<()> {
        let scope = self.scope(inst.word(2)?);
        let (x, id) = (self.arg(3, inst)?, self.int_arg(4, inst)?);
        let lanes = self.f.ty(id).lanes();
        let mut linear = self.b().extract(id, lanes as u8 - 1);
        linear = self.resize(linear, I32, false, inst)?;
        for dim in (0..lanes as u8 - 1).rev() {
            let part = self.b().extract(id, dim);
            let part = self.resize(part, I32, false, inst)?;
            let mut b = self.b();
            let size = b.value(IrOp::WorkItem { query: WorkItemQuery::LocalSize, dim }, &[], I64);
            let size = b.cast(CastOp::Trunc, size, I32);
            let scaled = b.imul(linear, size);
            linear = b.iadd(scaled, part);
        }
        let v = self.group_value(inst, scope, GroupOp::Broadcast, &[x, linear])?;
        self.define(inst, v)
    }

    /// Addresses of the work-item's lanes of a block in memory. Neighbours have neighbouring elements, and
    /// each lane is a full sub-group after the previous one.
    fn block(&mut self, inst: &Instr<'_>, p: Value, ty: Type) -> Result<Vec<(Value, Access, Type)>> {
        let bytes = match ty.scalar() {
            Some(s) if s != Scalar::I1 => s.bytes(),
            _ => return Err(inst.bad("a block of this type")),
        };
        let mut b = self.b();
        let id = b.value(IrOp::WorkItem { query: WorkItemQuery::SubGroupLocalId, dim: 0 }, &[], I32);
        let full = b.value(IrOp::WorkItem { query: WorkItemQuery::SubGroupMaxSize, dim: 0 }, &[], I32);
        let (id, full) = (b.cast(CastOp::Zext, id, I64), b.cast(CastOp::Zext, full, I64));
        let size = b.i64(bytes.into());
        let (first, step) = (b.imul(id, size), b.imul(full, size));
        let mut at = b.ptr_add(p, first);
        let mut out = Vec::new();
        for i in 0..ty.lanes() {
            if i > 0 {
                at = b.ptr_add(at, step);
            }
            out.push((at, Access::aligned(bytes), ty.lane()));
        }
        Ok(out)
    }

    /// Intel's relative shuffles read from two values in a row: current and next (down), or previous and
    /// current (up).
    fn shuffle_pair(&mut self, inst: &Instr<'_>) -> Result<()> {
        let (first, second) = (self.arg(2, inst)?, self.arg(3, inst)?);
        let delta = self.int_arg(4, inst)?;
        let delta = self.resize(delta, I32, false, inst)?;
        let v =
            self.continued_shuffle(inst, first, second, delta, inst.op == Op::SubgroupShuffleDownINTEL)?;
        self.define(inst, v)
    }

    fn continued_shuffle(
        &mut self,
        inst: &Instr<'_>,
        first: Value,
        second: Value,
        delta: Value,
        down: bool,
    ) -> Result<Value> {
        let mut b = self.b();
        let query =
            |b: &mut crate::ir::Builder<'_>, query| b.value(IrOp::WorkItem { query, dim: 0 }, &[], I32);
        let size = query(&mut b, WorkItemQuery::SubGroupMaxSize);
        let id = query(&mut b, WorkItemQuery::SubGroupLocalId);
        // Position in the row.
        let at = if down {
            b.iadd(id, delta)
        } else {
            let at = b.iadd(id, size);
            b.isub(at, delta)
        };
        let beyond = b.icmp(crate::ir::IntCc::Uge, at, size);
        let wrapped = b.isub(at, size);
        let lane = b.select(beyond, wrapped, at);
        let near = self.group_value(inst, Scope::SubGroup, GroupOp::Shuffle, &[first, lane])?;
        let far = self.group_value(inst, Scope::SubGroup, GroupOp::Shuffle, &[second, lane])?;
        Ok(self.b().select(beyond, far, near))
    }
}
