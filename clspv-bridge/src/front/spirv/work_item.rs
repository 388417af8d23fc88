//! Work-item functions and barriers that a module imports by their mangled OpenCL C names.
//!
//! Producers without the translator's built-in lowering (Julia's compiler among them) write `OpFunctionCall`
//! of `_Z12get_group_idj` instead of a load of the built-in variable, and of `_Z7barrierj` instead of
//! `OpControlBarrier`. Both forms have the same meaning (OpenCL C, sections 6.15.1 and 6.15.8).

use super::func::{FuncReader, Vals};
use crate::ir::{
    CastOp, FenceSpaces, I32, I64, IntCc, Op as IrOp, Ordering, Scope, Type, Value, WorkItemQuery,
};
use smallvec::smallvec;

/// A work-item function of OpenCL C.
struct WorkItemFunction {
    query: WorkItemQuery,
    /// Value for dimensions from 3 on; `None` for functions without a dimension.
    out_of_range: Option<u64>,
}

impl WorkItemFunction {
    fn from_name(name: &str) -> Option<WorkItemFunction> {
        use WorkItemQuery as Q;
        let (query, out_of_range) = match name {
            "get_global_id" => (Q::GlobalId, Some(0)),
            "get_local_id" => (Q::LocalId, Some(0)),
            "get_group_id" => (Q::GroupId, Some(0)),
            "get_global_offset" => (Q::GlobalOffset, Some(0)),
            "get_global_size" => (Q::GlobalSize, Some(1)),
            "get_local_size" => (Q::LocalSize, Some(1)),
            "get_enqueued_local_size" => (Q::EnqueuedLocalSize, Some(1)),
            "get_num_groups" => (Q::NumGroups, Some(1)),
            "get_work_dim" => (Q::WorkDim, None),
            "get_global_linear_id" => (Q::GlobalLinearId, None),
            "get_local_linear_id" => (Q::LocalLinearId, None),
            "get_sub_group_size" => (Q::SubGroupSize, None),
            "get_max_sub_group_size" => (Q::SubGroupMaxSize, None),
            "get_num_sub_groups" => (Q::NumSubGroups, None),
            "get_enqueued_num_sub_groups" => (Q::EnqueuedNumSubGroups, None),
            "get_sub_group_id" => (Q::SubGroupId, None),
            "get_sub_group_local_id" => (Q::SubGroupLocalId, None),
            _ => return None,
        };
        Some(WorkItemFunction { query, out_of_range })
    }

    fn result(&self) -> Type {
        use WorkItemQuery as Q;
        match self.query {
            Q::WorkDim
            | Q::SubGroupSize
            | Q::SubGroupMaxSize
            | Q::NumSubGroups
            | Q::EnqueuedNumSubGroups
            | Q::SubGroupId
            | Q::SubGroupLocalId => I32,
            _ => I64,
        }
    }
}

impl FuncReader<'_, '_, '_> {
    /// Lowers a call of the imported function `name` if it is a work-item function or a barrier with the
    /// parameters that OpenCL C gives it; `None` leaves the call as it is.
    pub fn work_item_call(&mut self, name: &str, args: &[Value], results: &[Type]) -> Option<Vals> {
        let plain = crate::ir::mangle::demangle(name);
        if plain == name {
            return None;
        }
        if let ("barrier" | "work_group_barrier", []) = (plain.as_str(), results) {
            return self.barrier_call(args);
        }
        let function = WorkItemFunction::from_name(&plain)?;
        let &[result] = results else { return None };
        if !matches!(result, I32 | I64) {
            return None;
        }
        let value = match (function.out_of_range, args) {
            (None, []) => self.work_item(&function, 0),
            (Some(out_of_range), &[dim]) if self.f.ty(dim) == I32 => {
                self.by_dimension(&function, dim, out_of_range)
            }
            _ => return None,
        };
        let value = match (function.result(), result) {
            (I32, I64) => self.b().cast(CastOp::Zext, value, I64),
            (I64, I32) => self.b().cast(CastOp::Trunc, value, I32),
            _ => value,
        };
        Some(smallvec![value])
    }

    fn work_item(&mut self, function: &WorkItemFunction, dim: u8) -> Value {
        self.b().value(IrOp::WorkItem { query: function.query, dim }, &[], function.result())
    }

    /// The query for a dimension that may be known at run time only.
    fn by_dimension(&mut self, function: &WorkItemFunction, dim: Value, out_of_range: u64) -> Value {
        match self.f.as_bits(dim) {
            Some(known @ 0..3) => self.work_item(function, known as u8),
            Some(_) => self.f.bits(function.result(), out_of_range),
            None => (0..3u8).fold(self.f.bits(function.result(), out_of_range), |otherwise, known| {
                let value = self.work_item(function, known);
                let mut b = self.b();
                let number = b.i32(known.into());
                let is_it = b.icmp(IntCc::Eq, dim, number);
                b.select(is_it, value, otherwise)
            }),
        }
    }

    /// `barrier(flags)` or `work_group_barrier(flags[, scope])` with constant flags.
    fn barrier_call(&mut self, args: &[Value]) -> Option<Vals> {
        let (flags, memory) = match *args {
            [flags] => (flags, Scope::WorkGroup),
            [flags, scope] => (flags, self.c11_scope(scope)),
            _ => return None,
        };
        let flags = self.f.as_bits(flags)?;
        // CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE, CLK_IMAGE_MEM_FENCE
        let spaces = FenceSpaces { local: flags & 1 != 0, global: flags & 2 != 0, image: flags & 4 != 0 };
        let barrier = IrOp::Barrier { exec: Scope::WorkGroup, memory, order: Ordering::AcqRel, spaces };
        self.b().inst(barrier, &[], &[]);
        Some(smallvec![])
    }
}
