//! Functions of device-side enqueue (OpenCL C, section 6.15.18). Those with blocks have arguments that
//! semantic analysis checks itself, so their signatures are not used.

use super::super::row::{BuiltinExpansion, Domain, EnqueueOp, Row};
use crate::ir::RuntimeCall;

/// Rows of this section.
pub fn rows() -> Vec<Row> {
    let (work_group, multiple) = (
        EnqueueOp::BlockQuery(RuntimeCall::WorkGroupSize),
        EnqueueOp::BlockQuery(RuntimeCall::PreferredMultiple),
    );
    let (sub_groups, largest) = (
        EnqueueOp::RangeQuery(RuntimeCall::SubGroupCount),
        EnqueueOp::RangeQuery(RuntimeCall::MaxSubGroupSize),
    );
    let rows = [
        ("enqueue_kernel", "int queue uint ndrange ...", EnqueueOp::Kernel),
        ("get_kernel_work_group_size", "uint ...", work_group),
        ("get_kernel_preferred_work_group_size_multiple", "uint ...", multiple),
        ("get_kernel_sub_group_count_for_ndrange", "uint ndrange ...", sub_groups),
        ("get_kernel_max_sub_group_size_for_ndrange", "uint ndrange ...", largest),
        ("get_default_queue", "queue", EnqueueOp::DefaultQueue),
        ("create_user_event", "clk_event", EnqueueOp::CreateUserEvent),
        ("is_valid_event", "bool clk_event", EnqueueOp::IsValidEvent),
        ("retain_event", "void clk_event", EnqueueOp::Retain),
        ("release_event", "void clk_event", EnqueueOp::Release),
        ("set_user_event_status", "void clk_event int", EnqueueOp::SetUserEventStatus),
        ("capture_event_profiling_info", "void clk_event uint g*void", EnqueueOp::Capture),
        ("enqueue_marker", "int queue uint ka*clk_event a*clk_event", EnqueueOp::Marker),
        ("ndrange_1D", "ndrange size_t", EnqueueOp::NdRange(1)),
        ("ndrange_1D", "ndrange size_t size_t", EnqueueOp::NdRange(1)),
        ("ndrange_1D", "ndrange size_t size_t size_t", EnqueueOp::NdRange(1)),
        ("ndrange_2D", "ndrange ka*size_t", EnqueueOp::NdRange(2)),
        ("ndrange_2D", "ndrange ka*size_t ka*size_t", EnqueueOp::NdRange(2)),
        ("ndrange_2D", "ndrange ka*size_t ka*size_t ka*size_t", EnqueueOp::NdRange(2)),
        ("ndrange_3D", "ndrange ka*size_t", EnqueueOp::NdRange(3)),
        ("ndrange_3D", "ndrange ka*size_t ka*size_t", EnqueueOp::NdRange(3)),
        ("ndrange_3D", "ndrange ka*size_t ka*size_t ka*size_t", EnqueueOp::NdRange(3)),
    ];
    rows.into_iter()
        .map(|(name, signature, op)| {
            let row = Row::new(name, signature, Domain::None, BuiltinExpansion::Enqueue(op))
                .since(200)
                .one_of(&["__opencl_c_device_enqueue"]);
            // Those are part of the language, the others belong to a library.
            if op.takes_block() { row.in_2_0() } else { row }
        })
        .collect()
}
