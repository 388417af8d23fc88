//! Dependence of a kernel on the division of its grid into work-groups.

use crate::ir::{Function, Op, Scope, ShaderInput, VarClass};

/// Whether what a lowered kernel computes depends on the local size: by work-item queries, local memory, or
/// by what work-items of one group do together. A kernel without such a dependence gives the same results
/// with every local size, since its other inputs (global ids, sizes and numbers that the launch passes) state
/// the grid as it was enqueued.
pub fn depends_on_work_groups(func: &Function) -> bool {
    func.vars.values().any(|var| var.class == VarClass::Workgroup)
        || func.data_in_order().any(|data| depends(&data.op))
}

fn depends(op: &Op) -> bool {
    let narrow = |scope: &Scope| matches!(scope, Scope::SubGroup | Scope::WorkGroup);
    match op {
        Op::Input { input, .. } => match input {
            // `lcssa` compares the number of groups of a dispatch with 0.
            ShaderInput::GlobalId
            | ShaderInput::NumWorkgroups
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

    fn depends_with(line: &str) -> bool {
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
        depends_on_work_groups(module.functions.values().next().unwrap())
    }

    #[test]
    fn inputs_of_the_grid_are_no_dependence() {
        for line in ["", "v1 = input global_id 0", "fence device acq_rel global"] {
            assert!(!depends_with(line), "{line}");
        }
    }

    #[test]
    fn ids_sizes_barriers_and_narrow_scopes_are() {
        let lines = [
            "v1 = input local_id 0",
            "v1 = input workgroup_id 1",
            "v1 = input workgroup_size 0",
            "v1 = input local_index 0",
            "fence work_group acq_rel global",
        ];
        for line in lines {
            assert!(depends_with(line), "{line}");
        }
    }
}
