//! Loads of consecutive bytes and 16-bit integers that are extended to words, and stores of those that are
//! truncated from words. Such lanes are scalars otherwise.

use super::lanes::{self, Parts};
use super::lower::Lower;
use crate::error::Result;
use crate::ir::*;
use cranelift_codegen::ir::{self as clif, InstBuilder, MemFlags, types};
use rustc_hash::FxHashSet;

/// Bits of a lane of 8 or 16 bits, in a vector that fills vectors of words.
fn narrow_bits(ty: Type) -> Option<u32> {
    let bits = matches!(ty, Type::Vector(Scalar::I8 | Scalar::I16, _)).then(|| 8 * lanes::lane_bytes(ty))?;
    ty.lanes().is_multiple_of(4).then_some(bits)
}

/// Whether a conversion is one between such lanes and words.
fn converts_words(func: &Function, data: &InstData, narrow: Value, wide: Value) -> bool {
    let of_lanes = I32.of_lanes(func.ty(narrow).lanes());
    matches!(data.op, Op::Cast(_)) && narrow_bits(func.ty(narrow)).is_some() && func.ty(wide) == of_lanes
}

/// Vectors that are loaded for all lanes, and only used by extensions to words.
pub(super) fn extended_loads(func: &Function) -> FxHashSet<Value> {
    let is_load = |data: &&InstData| matches!(data.op, Op::Lanes(LaneOp::Load(_))) && data.results.len() == 1;
    let loads = func.data_in_order().filter(is_load).map(|data| data.results[0]);
    let mut extended: FxHashSet<Value> = loads.filter(|v| narrow_bits(func.ty(*v)).is_some()).collect();
    if extended.is_empty() {
        return extended;
    }
    for data in func.data_in_order() {
        let extends = matches!(data.op, Op::Cast(CastOp::Zext | CastOp::Sext))
            && converts_words(func, data, data.args[0], data.results[0]);
        for operand in data.operands().filter(|_| !extends) {
            extended.remove(operand);
        }
    }
    extended
}

impl Lower<'_, '_> {
    /// The words from which a vector of narrow lanes is truncated, if it is.
    pub(super) fn truncated(&mut self, narrow: Value) -> Result<Option<Parts>> {
        let func = self.func;
        let Some(data) = func.def_inst(narrow).map(|inst| &func.insts[inst]) else { return Ok(None) };
        if data.op != Op::Cast(CastOp::Trunc) || !converts_words(func, data, narrow, data.args[0]) {
            return Ok(None);
        }
        self.get(data.args[0]).map(Some)
    }

    /// Loads consecutive lanes of 8 or 16 bits as words, zero-extended.
    pub(super) fn load_extended(&mut self, flags: MemFlags, ty: Type, p: clif::Value) -> Parts {
        let bytes = lanes::lane_bytes(ty) as i32;
        let part = |l: &mut Self, i: i32| {
            if bytes == 2 {
                return l.c.ins().uload16x4(flags, p, 8 * i);
            }
            let word = l.c.ins().load(types::I32, flags, p, 4 * i);
            let word = l.c.ins().scalar_to_vector(types::I32X4, word);
            let lanes = l.cast_bits(word, types::I8X16);
            let pairs = l.c.ins().uwiden_low(lanes);
            l.c.ins().uwiden_low(pairs)
        };
        (0..ty.lanes() as i32 / 4).map(|i| part(self, i)).collect()
    }

    /// The results of an extension of lanes of type `from` to words. The operands are in words already,
    /// zero-extended unless only their low bits are used.
    pub(super) fn extended(&mut self, op: CastOp, from: Type, words: &[clif::Value]) -> Parts {
        let above = narrow_bits(from).map_or(0, |bits| i64::from(32 - bits));
        let sign = |l: &mut Self, word: &clif::Value| {
            let high = l.c.ins().ishl_imm(*word, above);
            l.c.ins().sshr_imm(high, above)
        };
        if op == CastOp::Sext { words.iter().map(|word| sign(self, word)).collect() } else { words.into() }
    }

    /// Stores the low 8 or 16 bits of words as consecutive lanes.
    pub(super) fn store_truncated(
        &mut self,
        flags: MemFlags,
        ty: Type,
        words: &[clif::Value],
        p: clif::Value,
    ) {
        for (i, word) in (0i32..).zip(words) {
            if lanes::lane_bytes(ty) == 2 {
                // The conversion saturates.
                let low = self.extended(CastOp::Sext, ty, &[*word])[0];
                let lanes = self.c.ins().snarrow(low, low);
                let lanes = self.cast_bits(lanes, types::I64X2);
                let lanes = self.lane_of(lanes, 0);
                self.c.ins().store(flags, lanes, p, 8 * i);
            } else {
                let mask = self.words(types::I32X4, &[0xff; 4]);
                let low = self.c.ins().band(*word, mask);
                let pairs = self.c.ins().snarrow(low, low);
                let lanes = self.c.ins().unarrow(pairs, pairs);
                let lanes = self.cast_bits(lanes, types::I32X4);
                let lanes = self.lane_of(lanes, 0);
                self.c.ins().store(flags, lanes, p, 4 * i);
            }
        }
    }
}
