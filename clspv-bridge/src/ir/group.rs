//! Operations between the work-items of a sub-group or work-group.
//!
//! At sub-group scope an operation is over the *active* work-items: those that reach the instruction together. At
//! work-group scope all work-items reach it, and only votes, broadcasts and scans without clusters exist. Such an
//! instruction must stay where it is in the control flow, so it counts as having side effects.

use super::inst::BinOp;

/// What part of a reduction each work-item gets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scan {
    /// The combination of all values.
    Reduce,
    /// That of the values up to its own, in the order of local ids.
    Inclusive,
    /// That of the values before its own; the identity of the operator if there is none.
    Exclusive,
}

/// Sets of work-items by comparison with the own sub-group local id, within the maximal size of a sub-group.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LaneMask {
    Eq,
    Ge,
    Gt,
    Le,
    Lt,
}

/// An operation. Comments give `args -> results`; masks are `i32x4`, one bit for each sub-group local id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GroupOp {
    /// Votes. `i1 -> i1`
    All,
    Any,
    /// Whether all have the same value. `x -> i1`
    AllEqual,
    /// True in the first active work-item. `-> i1`
    Elect,
    /// The value of one work-item: of its sub-group local id or its local linear id, the same in all. `x, i32 -> T`
    Broadcast,
    /// The value of the first active work-item. `x -> T`
    BroadcastFirst,
    /// The active work-items where the operand is true. `i1 -> mask`
    Ballot,
    /// The own bit of a mask. `mask -> i1`
    InverseBallot,
    /// A bit of a mask. `mask, i32 -> i1`
    BallotBit,
    /// Bits of a mask: all, up to the own one, or before it. `mask -> i32`
    BallotCount(Scan),
    /// The lowest and the highest bit that is set. `mask -> i32`
    BallotLsb,
    BallotMsb,
    /// `-> mask`
    Mask(LaneMask),
    /// The value of the work-item with another local id: that one; the own one xor, minus or plus the second operand.
    /// Undefined if it is not active. `x, i32 -> T`
    Shuffle,
    ShuffleXor,
    ShuffleUp,
    ShuffleDown,
    /// The value of the work-item so many further on, going round within clusters of a size (0: the whole sub-group).
    /// `x, i32 -> T`
    Rotate {
        cluster: u32,
    },
    /// Combination with an associative operator; `cluster` (a power of two, only with [`Scan::Reduce`]) cuts the sub-group
    /// into pieces that are combined apart (0: it is not cut). `x -> T`
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
