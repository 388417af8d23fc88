//! Lowering of calls of built-in functions.
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
use super::row::Lowering;
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
    let call = &mut Call { cx, name: row.name, types, args: values, result };
    match row.lowering {
        Lowering::Ext(_)
        | Lowering::BySign(..)
        | Lowering::Relation(_)
        | Lowering::Select
        | Lowering::Shuffle
        | Lowering::Dot
        | Lowering::Cross
        | Lowering::IntDot { .. }
        | Lowering::Bits(_)
        | Lowering::Convert { .. }
        | Lowering::Assume
        | Lowering::Expect
        | Lowering::Printf => numbers::lower(call, row.lowering),
        Lowering::VectorLoad
        | Lowering::VectorStore
        | Lowering::HalfLoad(_)
        | Lowering::HalfStore(..)
        | Lowering::AsyncCopy { .. }
        | Lowering::AsyncCopy2D
        | Lowering::AsyncCopy3D
        | Lowering::Prefetch
        | Lowering::ToSpace(_)
        | Lowering::GetFence => memory::lower(call, row.lowering),
        Lowering::WorkItem(_)
        | Lowering::Clock { .. }
        | Lowering::Barrier
        | Lowering::SubGroupBarrier
        | Lowering::MemFence(_)
        | Lowering::AtomicFence
        | Lowering::AsyncFence
        | Lowering::WaitEvents => sync::lower(call, row.lowering),
        Lowering::Atomic(op) => atomics::legacy(call, op),
        Lowering::C11 { op, explicit } => atomics::c11(call, op, explicit),
        Lowering::ReadImage
        | Lowering::ReadImageSampler
        | Lowering::ReadImageLevel
        | Lowering::ReadImageGradient
        | Lowering::ReadImageLevelSamplerless
        | Lowering::WriteImage
        | Lowering::WriteImageLevel
        | Lowering::QueryImage(_) => images::lower(call, row.lowering),
        Lowering::Group(..)
        | Lowering::Combine { .. }
        | Lowering::Rotate { .. }
        | Lowering::IntelShuffle { .. }
        | Lowering::BlockRead
        | Lowering::BlockWrite
        | Lowering::WorkGroupBroadcast => groups::lower(call, row.lowering),
        Lowering::Pipe(op) => pipes::lower(call, op),
        Lowering::Enqueue(op) => enqueue::lower(call, op),
    }
}
