//! Operations between the work-items of a sub-group or work-group.
//!
//! At sub-group scope an operation covers the *active* work-items: those that reach the instruction together.
//! At work-group scope all work-items reach it, and only votes, broadcasts and scans without clusters exist.
//! Such an instruction must keep its position in the control flow, so it counts as having side effects.

use super::inst::BinOp;
use serde::{Deserialize, Serialize};

/// The values that a reduction combines for each work-item.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Scan {
    /// All values.
    Reduce,
    /// The values up to the work-item's own, in the order of local ids.
    Inclusive,
    /// The values before the work-item's own; the identity of the operator if there are none.
    Exclusive,
}

/// Sets of work-items by comparison with the own sub-group local id, within the maximal size of a sub-group.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum LaneMask {
    Eq,
    Ge,
    Gt,
    Le,
    Lt,
}

/// Group operation. Comments give `args -> results`; masks are `i32x4`, one bit for each sub-group local id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum GroupOp {
    /// Votes. `i1 -> i1`
    All,
    Any,
    /// Whether all have the same value. `x -> i1`
    AllEqual,
    /// True in the first active work-item. `-> i1`
    Elect,
    /// Value of one work-item, given by its sub-group local id or local linear id, which must be uniform. `x,
    /// i32 -> T`
    Broadcast,
    /// Value of the first active work-item. `x -> T`
    BroadcastFirst,
    /// Mask of the active work-items whose operand is true. `i1 -> mask`
    Ballot,
    /// The work-item's own bit of a mask. `mask -> i1`
    InverseBallot,
    /// Bit of a mask. `mask, i32 -> i1`
    BallotBit,
    /// Number of set bits of a mask: all, up to the own one, or before it. `mask -> i32`
    BallotCount(Scan),
    /// Index of the lowest or of the highest set bit. `mask -> i32`
    BallotLsb,
    BallotMsb,
    /// `-> mask`
    Mask(LaneMask),
    /// Value of the work-item with another local id: the second operand, or the own id xor, minus or plus it.
    /// Undefined if that work-item is not active. `x, i32 -> T`
    Shuffle,
    ShuffleXor,
    ShuffleUp,
    ShuffleDown,
    /// Value of the work-item `i32` ids further on, modulo the cluster size (0: the whole sub-group). `x, i32
    /// -> T`
    Rotate {
        cluster: u32,
    },
    /// Reduction with an associative operator. `cluster` (a power of two, only with [`Scan::Reduce`]) splits
    /// the sub-group into pieces that are reduced separately (0: no split). `x -> T`
    Combine {
        scan: Scan,
        op: BinOp,
        cluster: u32,
    },
}

/// Bits of the operator's identity in a type with lanes of `bits` bits.
pub fn identity(op: BinOp, bits: u32) -> Option<u64> {
    let mask = u64::MAX >> (64 - bits.clamp(1, 64));
    let infinity = match bits {
        16 => 0x7c00,
        32 => 0x7f80_0000,
        _ => 0x7ff0_0000_0000_0000,
    };
    Some(match op {
        BinOp::Iadd | BinOp::Or | BinOp::Xor | BinOp::Umax | BinOp::Fadd => 0,
        BinOp::Imul => 1,
        BinOp::And | BinOp::Umin => mask,
        BinOp::Smin => mask >> 1,
        BinOp::Smax => 1 << (bits - 1),
        BinOp::Fmul => match bits {
            16 => 0x3c00,
            32 => 0x3f80_0000,
            _ => 0x3ff0_0000_0000_0000,
        },
        BinOp::Fmin => infinity,
        BinOp::Fmax => infinity | 1 << (bits - 1),
        _ => return None,
    })
}
