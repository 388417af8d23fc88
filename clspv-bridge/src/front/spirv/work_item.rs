//! Work-item functions and barriers that a module imports by their mangled OpenCL C names.
//!
//! Producers without the translator's built-in lowering (Julia's compiler among them) write `OpFunctionCall`
//! of `_Z12get_group_idj` instead of a load of the built-in variable, and of `_Z7barrierj` instead of
//! `OpControlBarrier`. Both forms have the same meaning (OpenCL C, sections 6.15.1 and 6.15.8).

use super::func::{Emitter, FuncReader, Vals};
use crate::front::expand::work_item;
use crate::ir::{CastOp, FenceSpaces, I32, I64, Op as IrOp, Scope, Type, Value, WorkItemQuery};
use smallvec::smallvec;

/// The query of a work-item function, and whether it takes a dimension.
fn query_of(name: &str) -> Option<(WorkItemQuery, bool)> {
    use WorkItemQuery as Q;
    Some(match name {
        "get_global_id" => (Q::GlobalId, true),
        "get_local_id" => (Q::LocalId, true),
        "get_group_id" => (Q::GroupId, true),
        "get_global_offset" => (Q::GlobalOffset, true),
        "get_global_size" => (Q::GlobalSize, true),
        "get_local_size" => (Q::LocalSize, true),
        "get_enqueued_local_size" => (Q::EnqueuedLocalSize, true),
        "get_num_groups" => (Q::NumGroups, true),
        "get_work_dim" => (Q::WorkDim, false),
        "get_global_linear_id" => (Q::GlobalLinearId, false),
        "get_local_linear_id" => (Q::LocalLinearId, false),
        "get_sub_group_size" => (Q::SubGroupSize, false),
        "get_max_sub_group_size" => (Q::SubGroupMaxSize, false),
        "get_num_sub_groups" => (Q::NumSubGroups, false),
        "get_enqueued_num_sub_groups" => (Q::EnqueuedNumSubGroups, false),
        "get_sub_group_id" => (Q::SubGroupId, false),
        "get_sub_group_local_id" => (Q::SubGroupLocalId, false),
        _ => return None,
    })
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
        let (query, has_dimension) = query_of(&plain)?;
        let &[result] = results else { return None };
        if !matches!(result, I32 | I64) {
            return None;
        }
        let dim = match (has_dimension, args) {
            (false, []) => None,
            (true, &[dim]) if self.f.ty(dim) == I32 => Some(dim),
            _ => return None,
        };
        let value = work_item::query(&mut Emitter::new(self), query, dim);
        let value = match (work_item::result(query), result) {
            (I32, I64) => self.b().cast(CastOp::Zext, value, I64),
            (I64, I32) => self.b().cast(CastOp::Trunc, value, I32),
            _ => value,
        };
        Some(smallvec![value])
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
        let barrier = IrOp::barrier(Scope::WorkGroup, memory, spaces);
        self.b().inst(barrier, &[], &[]);
        Some(smallvec![])
    }
}
