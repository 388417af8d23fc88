//! Operations between work-items in the interpreter.
//!
//! Work-items of a sub-group that have stopped at the same instruction execute it together. If they have
//! stopped at different ones, those that are first in the layout continue, so that the others meet them where
//! control flow converges: blocks of a loop must precede those after it.

use super::Item;
use super::stop::{Stop, undefined};
use super::value::{self, Lane, LaneValues};
use crate::ir::group::identity;
use crate::ir::{BinOp, EntityRef, Function, GroupOp, Inst, LaneMask, Op, Scan, Type};

/// Position of a work-item: for each call, the indices in the layout, of the block and in the block.
pub(super) fn position(item: &Item<'_>) -> Vec<(usize, usize, usize)> {
    let position = |f: &super::Frame<'_>| {
        let at = f.func.layout.iter().position(|b| *b == f.block).unwrap_or(usize::MAX);
        (at, f.block.index(), f.next)
    };
    item.frames.iter().map(position).collect()
}

/// The instruction at which a work-item has stopped.
pub(super) fn instruction<'m>(item: &Item<'m>) -> Option<(&'m Function, Inst)> {
    let frame = item.frames.last()?;
    let inst = *frame.func.blocks[frame.block].insts.get(frame.next.checked_sub(1)?)?;
    Some((frame.func, inst))
}

/// A participating work-item: its id in the group, and the operands.
pub(super) struct Member {
    pub id: u32,
    pub args: Vec<LaneValues>,
}

/// Results of all members, which are in the order of their ids. `size`: size of the largest sub-group.
pub(super) fn evaluate(
    op: &GroupOp,
    arg: Option<Type>,
    ty: Type,
    members: &[Member],
    size: u32,
) -> Result<Vec<LaneValues>, Stop> {
    let group = Group { members, ty, size };
    match op {
        GroupOp::All | GroupOp::Any | GroupOp::AllEqual | GroupOp::Elect => group.vote(op),
        GroupOp::Ballot
        | GroupOp::InverseBallot
        | GroupOp::BallotBit
        | GroupOp::BallotCount(_)
        | GroupOp::BallotLsb
        | GroupOp::BallotMsb
        | GroupOp::Mask(_) => group.ballot(op),
        GroupOp::Broadcast
        | GroupOp::BroadcastFirst
        | GroupOp::Shuffle
        | GroupOp::ShuffleXor
        | GroupOp::ShuffleUp
        | GroupOp::ShuffleDown
        | GroupOp::Rotate { .. } => group.exchange(op),
        GroupOp::Combine { scan, op, cluster } => {
            let ty = arg.unwrap_or(ty);
            group.each(|m| {
                let joined = members.iter().filter(|o| match scan {
                    Scan::Reduce => *cluster == 0 || o.id / cluster == m.id / cluster,
                    Scan::Inclusive => o.id <= m.id,
                    Scan::Exclusive => o.id < m.id,
                });
                combine(*op, ty, joined)
            })
        }
    }
}

/// The participants of an operation with results of type `ty`.
struct Group<'a> {
    members: &'a [Member],
    ty: Type,
    size: u32,
}

impl Group<'_> {
    fn each(&self, f: impl Fn(&Member) -> Result<LaneValues, Stop>) -> Result<Vec<LaneValues>, Stop> {
        self.members.iter().map(f).collect()
    }

    /// Value of the work-item with this id; undefined if it does not participate.
    fn of(&self, id: u32) -> LaneValues {
        match self.members.iter().find(|m| m.id == id) {
            Some(m) => m.args[0].clone(),
            None => value::undefined(self.ty),
        }
    }

    fn mask(&self, m: &Member) -> Result<u128, Stop> {
        let mut bits = 0u128;
        for (i, lane) in m.args[0].iter().enumerate() {
            match lane.get() {
                Some(word) => bits |= u128::from(word as u32) << (32 * i),
                None => return undefined("an undefined mask"),
            }
        }
        Ok(bits & below(self.size))
    }

    fn vote(&self, op: &GroupOp) -> Result<Vec<LaneValues>, Stop> {
        let members = self.members;
        if let GroupOp::Elect = op {
            return self.each(|m| Ok(truth(m.id == members[0].id)));
        }
        if let GroupOp::AllEqual = op {
            let same = members.iter().all(|m| m.args[0] == members[0].args[0]);
            return self.each(|_| Ok(truth(same)));
        }
        let votes: Vec<bool> =
            members.iter().map(|m| m.number(0).map(|n| n & 1 == 1)).collect::<Result<_, _>>()?;
        let result = if *op == GroupOp::All { votes.iter().all(|v| *v) } else { votes.iter().any(|v| *v) };
        self.each(|_| Ok(truth(result)))
    }

    fn ballot(&self, op: &GroupOp) -> Result<Vec<LaneValues>, Stop> {
        if let GroupOp::Ballot = op {
            let mut bits = 0u128;
            for m in self.members {
                bits |= u128::from(m.number(0)? & 1) << m.id;
            }
            return self.each(|_| Ok(words(bits)));
        }
        self.each(|m| {
            if let GroupOp::Mask(which) = op {
                return Ok(words(match which {
                    LaneMask::Eq => 1 << m.id,
                    LaneMask::Lt => below(m.id),
                    LaneMask::Le => below(m.id + 1),
                    LaneMask::Ge => below(self.size) & !below(m.id),
                    LaneMask::Gt => below(self.size) & !below(m.id + 1),
                }));
            }
            let bits = self.mask(m)?;
            Ok(match op {
                GroupOp::InverseBallot => truth(bits >> m.id & 1 == 1),
                GroupOp::BallotBit => truth(bits.checked_shr(m.number(1)?).unwrap_or(0) & 1 == 1),
                GroupOp::BallotCount(scan) => {
                    let part = match scan {
                        Scan::Reduce => u128::MAX,
                        Scan::Inclusive => below(m.id + 1),
                        Scan::Exclusive => below(m.id),
                    };
                    value::scalar(u64::from((bits & part).count_ones()))
                }
                _ if bits == 0 => value::undefined(self.ty),
                GroupOp::BallotLsb => value::scalar(u64::from(bits.trailing_zeros())),
                _ => value::scalar(u64::from(127 - bits.leading_zeros())),
            })
        })
    }

    fn exchange(&self, op: &GroupOp) -> Result<Vec<LaneValues>, Stop> {
        let first = &self.members[0];
        if let GroupOp::Broadcast = op {
            let id = first.number(1)?;
            if self.members.iter().any(|m| m.own(1) != Some(u64::from(id))) {
                return undefined("a broadcast from several work-items");
            }
            return self.each(|_| Ok(self.of(id)));
        }
        self.each(|m| {
            Ok(self.of(match op {
                GroupOp::BroadcastFirst => first.id,
                GroupOp::Shuffle => m.number(1)?,
                GroupOp::ShuffleXor => m.id ^ m.number(1)?,
                GroupOp::ShuffleUp => m.id.wrapping_sub(m.number(1)?),
                GroupOp::Rotate { cluster } => {
                    let modulus = if *cluster == 0 { self.size } else { *cluster };
                    // The number is signed.
                    let sum = i64::from(m.id) + i64::from(m.number(1)? as i32);
                    m.id / modulus * modulus + sum.rem_euclid(i64::from(modulus)) as u32
                }
                _ => m.id.wrapping_add(m.number(1)?),
            }))
        })
    }
}

impl Member {
    fn own(&self, i: usize) -> Option<u64> {
        self.args.get(i).and_then(|v| v.first()).and_then(|l| l.get())
    }

    fn number(&self, i: usize) -> Result<u32, Stop> {
        match self.own(i) {
            Some(n) => Ok(n as u32),
            None => undefined("an undefined operand of a group operation"),
        }
    }
}

fn truth(b: bool) -> LaneValues {
    value::scalar(u64::from(b))
}

fn combine<'a>(op: BinOp, ty: Type, members: impl Iterator<Item = &'a Member>) -> Result<LaneValues, Stop> {
    let mut sum: Option<LaneValues> = None;
    for m in members {
        sum = Some(match sum {
            None => m.args[0].clone(),
            Some(before) => match value::eval(&Op::Bin(op), &[ty; 2], &[&before, &m.args[0]], ty) {
                Some(joined) => joined,
                None => return Err(Stop::Unsupported(format!("combination with {op:?}"))),
            },
        });
    }
    Ok(sum.unwrap_or_else(|| {
        let width = value::width(ty);
        value::scalar(identity(op, width).unwrap_or(0) & (u64::MAX >> (64 - width)))
    }))
}

fn below(end: u32) -> u128 {
    if end >= 128 { u128::MAX } else { (1 << end) - 1 }
}

fn words(bits: u128) -> LaneValues {
    (0..4).map(|i| Lane::known((bits >> (32 * i)) as u64 & 0xffff_ffff)).collect()
}
