//! Memory operations of vectors in the interpreter, and those that the checking runtime executes.

use super::memory::Memory;
use super::stop::{Stop, undefined};
use super::value::{self, Lane, LaneValues};
use crate::ir::{CheckOp, InstData, LaneOp, Op, Type};
use smallvec::smallvec;

/// Operands with their types.
pub(super) struct Operands<'a> {
    pub types: &'a [Type],
    pub args: &'a [LaneValues],
}

impl Operands<'_> {
    fn ty(&self, i: usize) -> Type {
        self.types.get(i).copied().unwrap_or(crate::ir::I32)
    }
    /// The operand at `at`, which may be left out, as a mask.
    fn active(&self, at: usize, lanes: usize) -> Result<Vec<bool>, Stop> {
        let Some(mask) = self.args.get(at) else { return Ok(vec![true; lanes]) };
        let bit = |l: &Lane| l.get().map_or_else(|| undefined("an undefined mask"), |b| Ok(b & 1 == 1));
        mask.iter().map(bit).collect()
    }
    /// Number of operands without a mask at the end.
    fn without_mask(&self) -> usize {
        let has_mask = self.types.last().is_some_and(|ty| ty.is_bool() && ty.lanes() > 1);
        self.types.len() - usize::from(has_mask)
    }
    fn address(&self, i: usize, lane: usize) -> Result<u64, Stop> {
        let address = self.args.get(i).and_then(|a| a.get(lane).or_else(|| a.first()));
        address.and_then(|l| l.get()).map_or_else(|| undefined("an undefined address"), Ok)
    }
}

fn element(ty: Type) -> u64 {
    u64::from(ty.lane().access_bytes().unwrap_or(8))
}

/// Executes an operation; returns its results.
pub(super) fn execute(
    memory: &mut Memory,
    data: &InstData,
    operands: &Operands<'_>,
    results: &[Type],
) -> Result<Vec<LaneValues>, Stop> {
    let end = operands.without_mask();
    match &data.op {
        Op::Lanes(LaneOp::Freeze) => {
            let freeze = |l: &Lane| Lane::known(l.bits);
            Ok(operands.args.iter().map(|a| a.iter().map(freeze).collect()).collect())
        }
        Op::Lanes(LaneOp::MaskBits) => {
            let active = operands.active(0, 0)?;
            let bits = (0u32..).zip(active).fold(0, |all, (i, on)| all | u64::from(on) << i);
            Ok(vec![value::scalar(bits)])
        }
        Op::Lanes(LaneOp::Load(_) | LaneOp::Gather(_)) => load(memory, operands, end, results),
        Op::Check(CheckOp::Load { .. }) if results.first().is_some_and(|ty| ty.lanes() == 1) => {
            uniform_load(memory, operands, results)
        }
        Op::Check(CheckOp::Load { .. }) if operands.ty(0).lanes() == 1 => {
            // Of a single work-item.
            let at = operands.address(0, 0)?;
            let ty = results.first().copied().unwrap_or(crate::ir::I32);
            let bytes = memory.load(at, ty.access_bytes().unwrap_or(0) as usize)?;
            Ok(vec![value::from_bytes(&bytes, ty)])
        }
        Op::Check(CheckOp::Load { .. }) => load(memory, operands, end, results),
        Op::Check(CheckOp::Address { .. }) => Ok(operands.args.iter().take(1).cloned().collect()),
        Op::Lanes(LaneOp::Store(_) | LaneOp::Scatter(_)) | Op::Check(CheckOp::Store(_)) => {
            store(memory, operands, end)?;
            Ok(Vec::new())
        }
        op => Err(Stop::Unsupported(format!("{op:?}"))),
    }
}

/// A load of consecutive components for all lanes.
fn uniform_load(
    memory: &mut Memory,
    operands: &Operands<'_>,
    results: &[Type],
) -> Result<Vec<LaneValues>, Stop> {
    let at = operands.address(0, 0)?;
    let load = |(i, ty): (u64, &Type)| {
        let bytes = memory.load(at + i * element(*ty), element(*ty) as usize)?;
        Ok(value::from_bytes(&bytes, *ty))
    };
    (0u64..).zip(results).map(load).collect()
}

fn load(
    memory: &mut Memory,
    operands: &Operands<'_>,
    end: usize,
    results: &[Type],
) -> Result<Vec<LaneValues>, Stop> {
    let (n, contiguous) = (results.len() as u64, operands.ty(0).lanes() == 1);
    let mut loaded = Vec::new();
    for (i, ty) in (0u64..).zip(results) {
        let lanes = ty.lanes() as usize;
        let active = operands.active(end, lanes)?;
        let mut value: LaneValues = smallvec![];
        for (lane, on) in active.into_iter().enumerate() {
            if !on {
                value.push(Lane::known(0));
                continue;
            }
            let element = element(*ty);
            let offset = if contiguous { n * lane as u64 + i } else { i } * element;
            let bytes = memory.load(operands.address(0, lane)? + offset, element as usize)?;
            value.extend(value::from_bytes(&bytes, ty.lane()));
        }
        loaded.push(value);
    }
    Ok(loaded)
}

fn store(memory: &mut Memory, operands: &Operands<'_>, end: usize) -> Result<(), Stop> {
    let at = end.saturating_sub(1);
    let contiguous = operands.ty(at).lanes() == 1;
    let n = at as u64;
    for i in 0..at {
        let ty = operands.ty(i);
        let (lanes, element) = (ty.lanes() as usize, element(ty));
        // A store of a single work-item writes whole vectors.
        let active =
            if end == operands.types.len() { vec![true; lanes] } else { operands.active(end, lanes)? };
        for (lane, on) in active.into_iter().enumerate().take(lanes) {
            if on {
                let offset = if contiguous { n * lane as u64 + i as u64 } else { i as u64 } * element;
                let one: LaneValues = operands.args[i].get(lane).copied().into_iter().collect();
                memory.store(operands.address(at, lane)? + offset, &value::to_bytes(ty.lane(), &one))?;
            }
        }
    }
    Ok(())
}
