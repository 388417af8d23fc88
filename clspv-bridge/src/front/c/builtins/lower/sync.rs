//! Work-item queries, clocks, barriers and fences.

use super::super::row::BuiltinExpansion;
use super::call::Call;
use crate::error::Result;
use crate::front::expand::work_item;
use crate::ir::{FenceSpaces, I64, Op, Ordering, Scope, Value};

/// Lowers a function of this module.
pub fn lower(call: &mut Call<'_, '_, '_>, lowering: BuiltinExpansion) -> Result<Option<Value>> {
    match lowering {
        BuiltinExpansion::WorkItem(query) => {
            let dim = call.args.first().copied();
            Ok(Some(work_item::query(call.cx, query, dim)))
        }
        BuiltinExpansion::Clock { scope, hilo } => {
            let ticks = call.cx.builder().value(Op::Clock(scope), &[], I64);
            let ty = call.ty()?;
            Ok(Some(if hilo { call.cx.builder().bitcast(ticks, ty) } else { ticks }))
        }
        BuiltinExpansion::Barrier => barrier(call, Scope::WorkGroup),
        BuiltinExpansion::SubGroupBarrier => barrier(call, Scope::SubGroup),
        BuiltinExpansion::MemFence(order) => {
            fence(call, Scope::WorkGroup, order);
            Ok(None)
        }
        BuiltinExpansion::AtomicFence => {
            let (order, scope) = (order(call, 1), scope(call, 2));
            fence(call, scope, order);
            Ok(None)
        }
        // The copies of the group are complete at a barrier.
        BuiltinExpansion::WaitEvents | BuiltinExpansion::AsyncFence => {
            emit_barrier(call, Scope::WorkGroup, Scope::WorkGroup, FenceSpaces::LOCAL_AND_GLOBAL);
            Ok(None)
        }
        _ => Ok(None),
    }
}

/// `barrier(flags)` and `work_group_barrier(flags, scope)`.
fn barrier(call: &mut Call<'_, '_, '_>, exec: Scope) -> Result<Option<Value>> {
    let memory = if call.args.len() > 1 { scope(call, 1) } else { exec };
    let spaces = spaces(call);
    emit_barrier(call, exec, memory, spaces);
    Ok(None)
}

fn emit_barrier(call: &mut Call<'_, '_, '_>, exec: Scope, memory: Scope, spaces: FenceSpaces) {
    call.cx.builder().inst(Op::barrier(exec, memory, spaces), &[], &[]);
}

fn fence(call: &mut Call<'_, '_, '_>, scope: Scope, order: Ordering) {
    let spaces = spaces(call);
    if order != Ordering::Relaxed && spaces != FenceSpaces::default() {
        call.cx.builder().inst(Op::Fence { scope, order, spaces }, &[], &[]);
    }
}

/// Address spaces of the flags in argument 0; all if they are not constant.
fn spaces(call: &Call<'_, '_, '_>) -> FenceSpaces {
    match call.constant(0) {
        None => FenceSpaces { local: true, global: true, image: true },
        // CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE, CLK_IMAGE_MEM_FENCE
        Some(flags) => FenceSpaces { local: flags & 1 != 0, global: flags & 2 != 0, image: flags & 4 != 0 },
    }
}

/// `memory_order` in argument `i`; the strongest if it is not constant.
pub fn order(call: &Call<'_, '_, '_>, i: usize) -> Ordering {
    match call.constant(i) {
        Some(0) => Ordering::Relaxed,
        Some(1 | 2) => Ordering::Acquire,
        Some(3) => Ordering::Release,
        Some(4) => Ordering::AcqRel,
        _ => Ordering::SeqCst,
    }
}

/// `memory_scope` in argument `i`; the widest if it is not constant.
pub fn scope(call: &Call<'_, '_, '_>, i: usize) -> Scope {
    match call.constant(i) {
        Some(0) => Scope::WorkItem,
        Some(1) => Scope::WorkGroup,
        Some(2) => Scope::Device,
        Some(4) => Scope::SubGroup,
        _ => Scope::AllDevices,
    }
}
