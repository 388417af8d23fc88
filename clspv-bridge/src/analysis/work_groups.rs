//! Dependence of a kernel on the division of its grid into work-groups.

use super::local_parts;
use super::waits::may_wait;
use crate::abi::LocalSizes;
use crate::ir::*;

/// The local sizes with which a lowered kernel computes the same. It depends on the size by work-item
/// queries, local memory, and by what work-items of one group do together; its other inputs (global ids,
/// sizes and numbers that the launch passes) state the grid as it was enqueued. The kernel must not wait for
/// other work-items ([`may_wait`]).
pub fn interchangeable_sizes(func: &Function) -> LocalSizes {
    let is_local_id = |op: &Op| matches!(op, Op::Input { input: ShaderInput::LocalId, dim: 0 });
    if func.data_in_order().any(|data| depends(&data.op) && !is_local_id(&data.op)) {
        return LocalSizes::Own;
    }
    let has_arrays = func.vars.values().any(|var| var.class == VarClass::Workgroup);
    if has_arrays || func.data_in_order().any(|data| is_local_id(&data.op)) {
        return local_parts::longest_line(func).map_or(LocalSizes::Own, LocalSizes::Lines);
    }
    LocalSizes::Any
}

/// Whether what the kernels of a module of inlined functions compute depends on the local size. Here the
/// numbers of the enqueued grid count as well: native code derives them from the size with which it runs.
pub fn depends_on_local_size(module: &Module) -> bool {
    let is_local = |ty: Type| ty.space() == Some(Space::Local);
    module.functions.values().any(|func| {
        let named = |op: &Op| match op {
            Op::GlobalAddr(global) => module.globals[*global].space == Space::Local,
            Op::WorkItem { query, .. } => tells_local_size(*query),
            _ => false,
        };
        func.sig.params.iter().any(|ty| is_local(*ty))
            || may_wait(func)
            || func.data_in_order().any(|data| depends(&data.op) || named(&data.op))
    })
}

fn tells_local_size(query: WorkItemQuery) -> bool {
    use WorkItemQuery::*;
    !matches!(query, GlobalId | GlobalSize | GlobalOffset | GlobalLinearId | WorkDim)
}

fn depends(op: &Op) -> bool {
    let narrow = |scope: &Scope| matches!(scope, Scope::SubGroup | Scope::WorkGroup);
    match op {
        Op::Input { input, .. } => match input {
            // `lcssa` compares the number of groups of a dispatch with 0.
            ShaderInput::GlobalId
            | ShaderInput::NumWorkgroups
            | ShaderInput::IsWorkItem
            | ShaderInput::TexelOrder
            | ShaderInput::ImageAbilities => false,
            ShaderInput::LocalId
            | ShaderInput::WorkgroupId
            | ShaderInput::WorkgroupSize
            | ShaderInput::LocalIndex
            | ShaderInput::SubGroupSize
            | ShaderInput::NumSubGroups
            | ShaderInput::SubGroupId
            | ShaderInput::SubGroupLocalId => true,
        },
        Op::Group { .. } | Op::Barrier { .. } => true,
        Op::AtomicRmw { scope, .. }
        | Op::AtomicCas { scope, .. }
        | Op::AtomicLoad { scope, .. }
        | Op::AtomicStore { scope, .. }
        | Op::Fence { scope, .. }
        | Op::Clock(scope) => narrow(scope),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse;

    fn sizes_with(line: &str) -> LocalSizes {
        let text = format!(
            "phase lowered
kernel \"k\" args_size 8 {{
}}
func @k() kernel 0 {{
block0:
    v0 = push_const.i64 0
    {line}
    ret
}}
"
        );
        let module = parse::parse_module(&text).unwrap();
        interchangeable_sizes(module.functions.values().next().unwrap())
    }

    #[test]
    fn inputs_of_the_grid_are_no_dependence() {
        for line in ["", "v1 = input global_id 0", "fence device acq_rel global"] {
            assert_eq!(sizes_with(line), LocalSizes::Any, "{line}");
        }
    }

    #[test]
    fn ids_sizes_barriers_and_narrow_scopes_are() {
        let lines = [
            "v1 = input local_id 1",
            "v1 = input local_id 0\n    v2 = icmp ult v1, i32 1",
            "v1 = input workgroup_id 1",
            "v1 = input workgroup_size 0",
            "v1 = input local_index 0",
            "fence work_group acq_rel global",
        ];
        for line in lines {
            assert_eq!(sizes_with(line), LocalSizes::Own, "{line}");
        }
    }

    /// Whether native code of a kernel with a line depends on the local size.
    fn depends_with(line: &str) -> bool {
        let text = format!(
            "phase inlined
g0 = global @table local internal size 64 align 4
kernel \"k\" args_size 8 {{
    arg global_ptr size 8 align 8 offset 0 name \"\" type \"\" global none
}}
func @k(ptr.global) kernel 0 {{
block0(v0: ptr.global):
    {line}
    ret
}}
"
        );
        depends_on_local_size(&parse::parse_module(&text).unwrap())
    }

    #[test]
    fn native_code_depends_on_numbers_of_groups_too() {
        for line in
            ["", "v1 = work_item global_id 0", "v1 = work_item global_size 1", "v1 = load.i32 v0 align 4"]
        {
            assert!(!depends_with(line), "{line}");
        }
        let lines = [
            "v1 = work_item local_id 0",
            "v1 = work_item num_groups 0",
            "v1 = work_item enqueued_local_size 0",
            "v1 = global_addr.ptr.local g0",
            "barrier work_group work_group acq_rel global",
        ];
        for line in lines {
            assert!(depends_with(line), "{line}");
        }
    }
}
