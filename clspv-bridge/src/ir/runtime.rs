//! Calls of the runtime by kernels: device-side enqueue (OpenCL C 3.0, section 6.15.18).
//!
//! Each work-item calls for itself. Addresses are pointers of the work-item; queues and events are opaque
//! `i64` words. A kernel is identified by the number in the name of its block's entry ([`block_number`]).

use super::types::{I1, I32, I64, Space, Type};
use serde::{Deserialize, Serialize};

/// Runtime call. Comments give `args -> results`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum RuntimeCall {
    /// `queue, i32 flags, ndrange, i32 number of events, events, returned event, i64 kernel, literal, i32
    /// bytes of the literal, i32 number of sizes, sizes -> i32`. Sizes are those of local arguments, `i64`
    /// each. The addresses of events and sizes may be 0. If the byte count is [`HEADED`], the literal begins
    /// with its real count.
    EnqueueKernel,
    /// `queue, i32 number of events, events, returned event -> i32`
    EnqueueMarker,
    /// `-> i64`
    CreateUserEvent,
    /// `event, i32 status ->`
    SetUserEventStatus,
    /// `event ->`
    RetainEvent,
    ReleaseEvent,
    /// `event -> i1`
    IsValidEvent,
    /// `event, i32 what, address ->`
    CaptureProfiling,
    /// `-> i64`
    DefaultQueue,
    /// `i64 kernel -> i32`
    WorkGroupSize,
    PreferredMultiple,
    /// `ndrange, i64 kernel -> i32`
    SubGroupCount,
    MaxSubGroupSize,
    /// `i32 sub-groups, i64 kernel -> i32`
    LocalSizeForSubGroups,
    /// `i64 kernel -> i32`
    MaxSubGroups,
}

/// All calls, indexed by their numbers in native code.
pub const RUNTIME_CALLS: &[RuntimeCall] = &[
    RuntimeCall::EnqueueKernel,
    RuntimeCall::EnqueueMarker,
    RuntimeCall::CreateUserEvent,
    RuntimeCall::SetUserEventStatus,
    RuntimeCall::RetainEvent,
    RuntimeCall::ReleaseEvent,
    RuntimeCall::IsValidEvent,
    RuntimeCall::CaptureProfiling,
    RuntimeCall::DefaultQueue,
    RuntimeCall::WorkGroupSize,
    RuntimeCall::PreferredMultiple,
    RuntimeCall::SubGroupCount,
    RuntimeCall::MaxSubGroupSize,
    RuntimeCall::LocalSizeForSubGroups,
    RuntimeCall::MaxSubGroups,
];

impl RuntimeCall {
    /// Types of the operands (pointers of any space are `ptr.generic`) and of the result.
    pub fn types(self) -> (&'static [Type], Option<Type>) {
        const P: Type = Type::Ptr(Space::Generic);
        match self {
            RuntimeCall::EnqueueKernel => (&[I64, I32, P, I32, P, P, I64, P, I32, I32, P], Some(I32)),
            RuntimeCall::EnqueueMarker => (&[I64, I32, P, P], Some(I32)),
            RuntimeCall::CreateUserEvent | RuntimeCall::DefaultQueue => (&[], Some(I64)),
            RuntimeCall::SetUserEventStatus => (&[I64, I32], None),
            RuntimeCall::RetainEvent | RuntimeCall::ReleaseEvent => (&[I64], None),
            RuntimeCall::IsValidEvent => (&[I64], Some(I1)),
            RuntimeCall::CaptureProfiling => (&[I64, I32, P], None),
            RuntimeCall::WorkGroupSize | RuntimeCall::PreferredMultiple | RuntimeCall::MaxSubGroups => {
                (&[I64], Some(I32))
            }
            RuntimeCall::LocalSizeForSubGroups => (&[I32, I64], Some(I32)),
            RuntimeCall::SubGroupCount | RuntimeCall::MaxSubGroupSize => (&[P, I64], Some(I32)),
        }
    }

    /// Operand index of the kernel; `None` for calls without one.
    pub(crate) fn kernel_operand(self) -> Option<usize> {
        match self {
            RuntimeCall::EnqueueKernel => Some(6),
            RuntimeCall::WorkGroupSize | RuntimeCall::PreferredMultiple | RuntimeCall::MaxSubGroups => {
                Some(0)
            }
            RuntimeCall::SubGroupCount
            | RuntimeCall::MaxSubGroupSize
            | RuntimeCall::LocalSizeForSubGroups => Some(1),
            _ => None,
        }
    }

    /// Number of the call in native code.
    pub fn number(self) -> u64 {
        self as u64
    }
}

/// Byte count of a literal that begins with its own size (see [`RuntimeCall::EnqueueKernel`]).
pub const HEADED: u32 = u32::MAX;

/// Byte offsets in an `ndrange_t`: the number of dimensions (u32), then three u64 each. A local size of 0 is
/// unspecified.
pub mod ndrange {
    pub const DIMS: usize = 0;
    pub const OFFSET: usize = 8;
    pub const GLOBAL: usize = 32;
    pub const LOCAL: usize = 56;
    pub const BYTES: usize = 80;
}

/// Prefix of the names of block entries; kernels of a source cannot have it.
const BLOCK: &str = "pc.block.";

/// Name of the entry of the block with this number.
pub(crate) fn block_name(number: u64) -> String {
    format!("{BLOCK}{number:016x}")
}

/// Number of the block whose entry has this name; `None` for a kernel with a name from the program.
pub fn block_number(name: &str) -> Option<u64> {
    u64::from_str_radix(name.strip_prefix(BLOCK)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_positions() {
        assert!((0u64..).zip(RUNTIME_CALLS).all(|(n, call)| call.number() == n));
    }

    #[test]
    fn blocks_have_numbers() {
        for n in [0, 1, 0x0123_4567_89ab_cdef, u64::MAX] {
            assert_eq!(block_number(&block_name(n)), Some(n));
        }
        assert_eq!(block_number("k"), None);
        assert_eq!(block_number("pc.block.x"), None);
    }
}
