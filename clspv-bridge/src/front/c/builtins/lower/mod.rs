//! BuiltinExpansion of calls of built-in functions.
//!
//! Arguments have the types of the resolved signature. Numbers become IR operations or
//! [`Op::OpenCl`](crate::ir::Op) instructions, the rest are operations of their own or calls of the built-in
//! library.

mod atomics;
mod call;
mod enqueue;
mod groups;
mod images;
mod memory;
mod numbers;
mod pipes;
mod sync;

use super::super::ast::{BuiltinId, ExprId};
use super::super::lower::function::FunctionLowering;
use super::super::lower::types::is_aggregate;
use super::super::types::Ty;
use super::row::BuiltinExpansion;
use super::table::row;
use crate::error::{CompileError, Result};
use crate::ir::Value;
use call::Call;
use smallvec::SmallVec;

/// Lowers a call; `None` is the result of a function without one.
pub fn call(
    cx: &mut FunctionLowering<'_, '_>,
    builtin: BuiltinId,
    args: &[ExprId],
    result: Ty,
) -> Result<Option<Value>> {
    let Some(row) = row(builtin) else { return Err(CompileError::internal("an unknown built-in function")) };
    let mut types = SmallVec::new();
    let mut values = SmallVec::new();
    for arg in args {
        let ty = cx.expr(*arg)?.ty.ty;
        types.push(ty);
        // Ranges are passed by address.
        values.push(if is_aggregate(cx.types(), ty) { cx.address(*arg)? } else { cx.value(*arg)? });
    }
    let call = &mut Call { cx, name: row.name, exprs: args, types, args: values, result };
    match row.lowering {
        BuiltinExpansion::Ext(_)
        | BuiltinExpansion::BySign(..)
        | BuiltinExpansion::Relation(_)
        | BuiltinExpansion::Select
        | BuiltinExpansion::Shuffle
        | BuiltinExpansion::Dot
        | BuiltinExpansion::Cross
        | BuiltinExpansion::IntDot { .. }
        | BuiltinExpansion::Bits(_)
        | BuiltinExpansion::Convert { .. }
        | BuiltinExpansion::Assume
        | BuiltinExpansion::Expect
        | BuiltinExpansion::Printf => numbers::lower(call, row.lowering),
        BuiltinExpansion::VectorLoad
        | BuiltinExpansion::VectorStore
        | BuiltinExpansion::HalfLoad(_)
        | BuiltinExpansion::HalfStore(..)
        | BuiltinExpansion::AsyncCopy { .. }
        | BuiltinExpansion::AsyncCopy2D
        | BuiltinExpansion::AsyncCopy3D
        | BuiltinExpansion::Prefetch
        | BuiltinExpansion::ToSpace(_)
        | BuiltinExpansion::GetFence => memory::lower(call, row.lowering),
        BuiltinExpansion::WorkItem(_)
        | BuiltinExpansion::Clock { .. }
        | BuiltinExpansion::Barrier
        | BuiltinExpansion::SubGroupBarrier
        | BuiltinExpansion::MemFence(_)
        | BuiltinExpansion::AtomicFence
        | BuiltinExpansion::AsyncFence
        | BuiltinExpansion::WaitEvents => sync::lower(call, row.lowering),
        BuiltinExpansion::Atomic(op) => atomics::legacy(call, op),
        BuiltinExpansion::C11 { op, explicit } => atomics::c11(call, op, explicit),
        BuiltinExpansion::ReadImage
        | BuiltinExpansion::ReadImageSampler
        | BuiltinExpansion::ReadImageLevel
        | BuiltinExpansion::ReadImageGradient
        | BuiltinExpansion::ReadImageLevelSamplerless
        | BuiltinExpansion::WriteImage
        | BuiltinExpansion::WriteImageLevel
        | BuiltinExpansion::QueryImage(_) => images::lower(call, row.lowering),
        BuiltinExpansion::Group(..)
        | BuiltinExpansion::Combine { .. }
        | BuiltinExpansion::Rotate { .. }
        | BuiltinExpansion::IntelShuffle { .. }
        | BuiltinExpansion::BlockRead
        | BuiltinExpansion::BlockWrite
        | BuiltinExpansion::WorkGroupBroadcast => groups::lower(call, row.lowering),
        BuiltinExpansion::Pipe(op) => pipes::lower(call, op),
        BuiltinExpansion::Enqueue(op) => enqueue::lower(call, op),
    }
}
