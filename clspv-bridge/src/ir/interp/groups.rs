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
    let own = |m: &Member, i: usize| m.args.get(i).and_then(|v| v.first()).and_then(|l| l.get());
    let number = |m: &Member, i: usize| match own(m, i) {
        Some(n) => Ok(n as u32),
        None => undefined("an undefined operand of a group operation"),
    };
    // Value of the work-item with this id; undefined if it does not participate.
    let of = |id: u32| match members.iter().find(|m| m.id == id) {
        Some(m) => m.args[0].clone(),
        None => value::undefined(ty),
    };
    let truth = |b: bool| value::scalar(u64::from(b));
    let all = |f: &dyn Fn(&Member) -> Result<LaneValues, Stop>| {
        members.iter().map(f).collect::<Result<Vec<LaneValues>, Stop>>()
    };
    let mask_of = |m: &Member| -> Result<u128, Stop> {
        let mut bits = 0u128;
        for (i, lane) in m.args[0].iter().enumerate() {
            match lane.get() {
                Some(word) => bits |= u128::from(word as u32) << (32 * i),
                None => return undefined("an undefined mask"),
            }
        }
        Ok(bits & below(size))
    };
    match op {
        GroupOp::All | GroupOp::Any => {
            let votes: Vec<bool> =
                members.iter().map(|m| number(m, 0).map(|n| n & 1 == 1)).collect::<Result<_, _>>()?;
            let result =
                if *op == GroupOp::All { votes.iter().all(|v| *v) } else { votes.iter().any(|v| *v) };
            all(&|_| Ok(truth(result)))
        }
        GroupOp::AllEqual => {
            let same = members.iter().all(|m| m.args[0] == members[0].args[0]);
            all(&|_| Ok(truth(same)))
        }
        GroupOp::Elect => all(&|m| Ok(truth(m.id == members[0].id))),
        GroupOp::Broadcast => {
            let id = number(&members[0], 1)?;
            if members.iter().any(|m| own(m, 1) != Some(u64::from(id))) {
                return undefined("a broadcast from several work-items");
            }
            all(&|_| Ok(of(id)))
        }
        GroupOp::BroadcastFirst => all(&|_| Ok(of(members[0].id))),
        GroupOp::Ballot => {
            let mut bits = 0u128;
            for m in members {
                bits |= u128::from(number(m, 0)? & 1) << m.id;
            }
            all(&|_| Ok(words(bits)))
        }
        GroupOp::InverseBallot => all(&|m| Ok(truth(mask_of(m)? >> m.id & 1 == 1))),
        GroupOp::BallotBit => {
            all(&|m| Ok(truth(mask_of(m)?.checked_shr(number(m, 1)?).unwrap_or(0) & 1 == 1)))
        }
        GroupOp::BallotCount(scan) => all(&|m| {
            let part = match scan {
                Scan::Reduce => u128::MAX,
                Scan::Inclusive => below(m.id + 1),
                Scan::Exclusive => below(m.id),
            };
            Ok(value::scalar(u64::from((mask_of(m)? & part).count_ones())))
        }),
        GroupOp::BallotLsb | GroupOp::BallotMsb => all(&|m| {
            let bits = mask_of(m)?;
            Ok(match bits {
                0 => value::undefined(ty),
                _ if *op == GroupOp::BallotLsb => value::scalar(u64::from(bits.trailing_zeros())),
                _ => value::scalar(u64::from(127 - bits.leading_zeros())),
            })
        }),
        GroupOp::Mask(which) => all(&|m| {
            Ok(words(match which {
                LaneMask::Eq => 1 << m.id,
                LaneMask::Lt => below(m.id),
                LaneMask::Le => below(m.id + 1),
                LaneMask::Ge => below(size) & !below(m.id),
                LaneMask::Gt => below(size) & !below(m.id + 1),
            }))
        }),
        GroupOp::Shuffle => all(&|m| Ok(of(number(m, 1)?))),
        GroupOp::ShuffleXor => all(&|m| Ok(of(m.id ^ number(m, 1)?))),
        GroupOp::ShuffleUp => all(&|m| Ok(of(m.id.wrapping_sub(number(m, 1)?)))),
        GroupOp::ShuffleDown => all(&|m| Ok(of(m.id.wrapping_add(number(m, 1)?)))),
        GroupOp::Rotate { cluster } => all(&|m| {
            let modulus = if *cluster == 0 { size } else { *cluster };
            Ok(of(m.id / modulus * modulus + m.id.wrapping_add(number(m, 1)?) % modulus))
        }),
        GroupOp::Combine { scan, op, cluster } => {
            let ty = arg.unwrap_or(ty);
            all(&|m| {
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
