//! Lanes of vectors: a lane that is extracted from the result of operations on vectors is computed by
//! operations on lanes, if the lanes of their operands are known values.

use crate::ir::{CastOp, Const, Op, Value};
use crate::passes::opt::rewriter::Rewriter;
use smallvec::SmallVec;

/// Whether each lane of the result depends on that lane of the operands only.
fn is_lane_by_lane(op: &Op) -> bool {
    match op {
        Op::Bin(_) | Op::Un(_) | Op::Icmp(_) | Op::Fcmp(_) | Op::Fma | Op::Mad | Op::Select => true,
        Op::Cast(cast) => *cast != CastOp::Bitcast,
        _ => false,
    }
}

impl Rewriter<'_> {
    /// Whether the lanes of a vector are known values, or results of at most `depth` operations on such.
    pub(crate) fn has_known_lanes(&self, v: Value, depth: u32) -> bool {
        if self.func.as_const(v).is_some() {
            return true;
        }
        let Some(data) = self.operation(v) else { return false };
        match &data.op {
            Op::VecBuild | Op::Splat => true,
            op if depth > 0 && is_lane_by_lane(op) => {
                let lanes = self.ty(v).lanes();
                data.args.iter().all(|a| {
                    let a = self.current_value(*a);
                    let is_scalar = self.ty(a).lanes() == 1 && matches!(op, Op::Select);
                    is_scalar || self.ty(a).lanes() == lanes && self.has_known_lanes(a, depth - 1)
                })
            }
            _ => false,
        }
    }
    /// The lane of a vector for which [`Rewriter::has_known_lanes`] holds; emits the operations on lanes.
    pub(crate) fn lane(&mut self, v: Value, lane: u8) -> Value {
        let ty = self.ty(v).lane();
        match self.func.as_const(v).cloned() {
            Some(Const::Undef(_)) => return self.func.undef(ty),
            Some(Const::Bits(_, bits)) => {
                return self.func.bits(ty, bits.get(lane as usize).copied().unwrap_or(0));
            }
            None => {}
        }
        let Some(data) = self.operation(v).cloned() else { return v };
        let args: SmallVec<[Value; 4]> = data.args.iter().map(|a| self.current_value(*a)).collect();
        match data.op {
            Op::VecBuild => args[usize::from(lane)],
            Op::Splat => args[0],
            op => {
                let args: SmallVec<[Value; 4]> = args
                    .iter()
                    .map(|a| if self.ty(*a).lanes() == 1 { *a } else { self.lane(*a, lane) })
                    .collect();
                let result = self.emit(op, &args, ty);
                if let Some(inst) = self.func.def_inst(result) {
                    self.func.insts[inst].fast = data.fast;
                }
                result
            }
        }
    }
}
