//! Work-group collectives: votes, broadcasts, reductions and scans over all work-items of the group.
//!
//! Each combines within the sub-groups, then between them through local memory (`builtins/groups.cl`). All
//! kernels of a program share the layout of the scratch variable: one slot of 8 bytes for the result, one for
//! each sub-group.

use super::BuiltinLowering;
use crate::ir::group::identity;
use crate::ir::names::Named;
use crate::ir::*;

/// Name of the scratch variable, which no program can use.
pub(crate) const SCRATCH: &str = "library: group scratch";

impl BuiltinLowering<'_, '_, '_> {
    pub(crate) fn work_group(&mut self, op: GroupOp, a: &[Value]) -> Option<Value> {
        match op {
            GroupOp::All => Some(self.collective(a[0], Scan::Reduce, BinOp::And)),
            GroupOp::Any => Some(self.collective(a[0], Scan::Reduce, BinOp::Or)),
            GroupOp::Broadcast => Some(self.group_broadcast(a[0], a[1])),
            GroupOp::Combine { scan, op, .. } => Some(self.collective(a[0], scan, op)),
            _ => None,
        }
    }

    fn scratch(&mut self) -> Value {
        let target = self.cx.target;
        let smallest = match target.subgroup_size_range {
            (0, _) => target.subgroup_size,
            (low, _) => low,
        };
        let smallest = smallest.min(self.imports.smallest_sub_group);
        let slots = 1 + target.max_workgroup_invocations.div_ceil(smallest.max(1));
        let global = self.imports.local_variable(SCRATCH, slots * 8);
        self.b.value(Op::GlobalAddr(global), &[], Type::Ptr(Space::Local))
    }

    fn sub(&mut self, op: GroupOp, args: &[Value], ty: Type) -> Value {
        self.b.value(Op::Group { scope: Scope::SubGroup, op }, args, ty)
    }

    fn id(&mut self, query: WorkItemQuery) -> Value {
        self.b.value(Op::WorkItem { query, dim: 0 }, &[], I32)
    }

    fn collective(&mut self, x: Value, scan: Scan, op: BinOp) -> Value {
        let ty = self.b.ty(x);
        let scalar = ty.scalar().unwrap_or(Scalar::I32);
        if scalar.is_int() && scalar.bits() < 32 {
            let signed = matches!(op, BinOp::Smin | BinOp::Smax);
            let wide = self.b.cast(if signed { CastOp::Sext } else { CastOp::Zext }, x, I32);
            let wide = self.collective(wide, scan, op);
            let result = self.b.cast(CastOp::Trunc, wide, ty);
            if scan != Scan::Exclusive {
                return result;
            }
            // The first work-item gets the identity of the narrow type.
            let linear = self.b.value(Op::WorkItem { query: WorkItemQuery::LocalLinearId, dim: 0 }, &[], I64);
            let zero = self.b.i64(0);
            let first = self.b.icmp(IntCc::Eq, linear, zero);
            let none = self.int(ty, identity(op, scalar.bits()).unwrap_or(0));
            return self.b.select(first, none, result);
        }
        let own = self.sub(GroupOp::Combine { scan, op, cluster: 0 }, &[x], ty);
        let scratch = self.scratch();
        let name = |part: &str| format!("pc_wg_{part}_{}_{}", op.name(), ty);
        if scan == Scan::Reduce {
            return self.call(&name("total"), &[scratch, own], ty);
        }
        // The last work-item of the sub-group has the sum of all.
        let all = if scan == Scan::Inclusive { own } else { self.b.bin(op, own, x) };
        let (size, one) = (self.id(WorkItemQuery::SubGroupSize), self.b.i32(1));
        let last = self.b.isub(size, one);
        let all = self.sub(GroupOp::Broadcast, &[all, last], ty);
        let before = self.call(&name("prefix"), &[scratch, all], ty);
        let joined = self.b.bin(op, before, own);
        let (id, zero) = (self.id(WorkItemQuery::SubGroupId), self.b.i32(0));
        let first = self.b.icmp(IntCc::Eq, id, zero);
        self.b.select(first, own, joined)
    }

    fn group_broadcast(&mut self, x: Value, from: Value) -> Value {
        let ty = self.b.ty(x);
        let scalar = ty.scalar().unwrap_or(Scalar::I32);
        if ty.lanes() > 1 {
            let lanes: Vec<Value> = (0..ty.lanes() as u8)
                .map(|i| {
                    let lane = self.b.extract(x, i);
                    self.group_broadcast(lane, from)
                })
                .collect();
            return self.b.vec_build(&lanes);
        }
        let bits = Type::Scalar(scalar.to_int());
        let x = self.b.bitcast(x, bits);
        let narrow = scalar.bits() < 32;
        let x = if narrow { self.b.cast(CastOp::Zext, x, I32) } else { x };
        let wide = self.b.ty(x);
        let scratch = self.scratch();
        let v = self.call(&format!("pc_wg_broadcast_{wide}"), &[scratch, x, from], wide);
        let v = if narrow { self.b.cast(CastOp::Trunc, v, bits) } else { v };
        self.b.bitcast(v, ty)
    }
}
