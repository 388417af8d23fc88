//! Work-item queries whose dimension may be known at run time only.

use super::EmitOps;
use crate::ir::{I32, I64, IntCc, Op, Type, Value, WorkItemQuery};

/// Type of a query's result.
pub fn result(query: WorkItemQuery) -> Type {
    use WorkItemQuery as Q;
    match query {
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

/// Value for dimensions from 3 on.
fn out_of_range(query: WorkItemQuery) -> u64 {
    use WorkItemQuery as Q;
    matches!(query, Q::GlobalSize | Q::LocalSize | Q::EnqueuedLocalSize | Q::NumGroups).into()
}

/// A query of the dimension `dim` (an `i32`), or of one that has no dimension.
pub fn query(e: &mut impl EmitOps, query: WorkItemQuery, dim: Option<Value>) -> Value {
    let Some(dim) = dim else { return known(e, query, 0) };
    let out_of_range = e.func().bits(result(query), out_of_range(query));
    match e.func().as_bits(dim) {
        Some(dim @ 0..3) => known(e, query, dim as u8),
        Some(_) => out_of_range,
        None => (0..3u8).fold(out_of_range, |otherwise, number| {
            let value = known(e, query, number);
            let mut b = e.builder();
            let number = b.i32(number.into());
            let is_it = b.icmp(IntCc::Eq, dim, number);
            b.select(is_it, value, otherwise)
        }),
    }
}

fn known(e: &mut impl EmitOps, query: WorkItemQuery, dim: u8) -> Value {
    e.builder().value(Op::WorkItem { query, dim }, &[], result(query))
}
