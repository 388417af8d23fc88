//! Functions of device-side enqueue that take no block (OpenCL C, section 6.15.18). Those with blocks have
//! arguments that semantic analysis checks itself.

use super::super::row::{BuiltinExpansion, Domain, EnqueueOp, Row};

/// Rows of this section.
pub fn rows() -> Vec<Row> {
    let rows = [
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
            Row::new(name, signature, Domain::None, BuiltinExpansion::Enqueue(op))
                .since(200)
                .one_of(&["__opencl_c_device_enqueue"])
        })
        .collect()
}
