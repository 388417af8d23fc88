//! Merges stores of consecutive bytes at a variable place of a private array that is accessed by words
//! elsewhere. Private arrays have one element type, so that each such byte would be inserted into a word that
//! is loaded and stored again: eleven instructions, where a whole word takes six.
//!
//! The bytes of a run are packed into words, which are shifted by the offset of the first byte in its word of
//! memory: each word of memory combines the low part of one packed word with the high part of the next one.
//! Offsets in big-endian order, as in `p ^ 3` and `p ^ 7`, shift in the other direction. A run of `n` words
//! reaches into `n + 1` words of memory unless it is aligned. If it is, the extra word may be outside of the
//! array, and the previous one is loaded and stored unchanged instead.
//!
//! Hash functions that append data of variable length to a block (as hashcat's `PUTCHAR64_BE`) store such
//! runs after their loops are unrolled.

use crate::error::Result;
use crate::ir::edit::{Rewrite, rewrite_insts};
use crate::ir::*;
use crate::passes::{Pass, PassContext};
use rustc_hash::{FxHashMap, FxHashSet};

/// Fewest bytes of a run.
const MIN_BYTES: usize = 8;
/// Bytes of a word.
const WORD: usize = 4;

/// The pass `merge_stores`.
pub struct MergeStores;

impl Pass for MergeStores {
    fn name(&self) -> &'static str {
        "merge_stores"
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for func in module.functions.values_mut() {
            changed |= merge(func);
        }
        Ok(changed)
    }
}

/// A byte's place without its constant part: `slot + outer + ((variable + constant) ^ flip)`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    slot: Slot,
    /// A multiple of 8 bytes.
    outer: i64,
    variable: Value,
    /// 0; or 3 or 7, for words in big-endian order of whole words or pairs of them.
    flip: u64,
}

/// Stores of consecutive bytes, with nothing between them that may access the array.
struct Run {
    place: Place,
    /// The constant part of the first byte's place.
    first: i64,
    stores: Vec<Inst>,
    bytes: Vec<Value>,
}

/// Merges the runs of a function; true if there were any.
fn merge(func: &mut Function) -> bool {
    let finder = Finder { func, words: slots_of_words(func) };
    let runs: Vec<Run> = finder.func.layout.iter().flat_map(|&block| finder.runs_of(block)).collect();
    let merged: FxHashSet<Inst> = runs.iter().flat_map(|run| run.stores.iter().copied()).collect();
    let last: FxHashMap<Inst, &Run> =
        runs.iter().filter_map(|run| Some((*run.stores.last()?, run))).collect();
    rewrite_insts(func, |b, inst| {
        if let Some(run) = last.get(&inst) {
            run.emit(b);
        }
        if merged.contains(&inst) { Rewrite::Remove } else { Rewrite::Keep }
    })
}

/// Slots of whole pairs of words with accesses to whole words.
fn slots_of_words(func: &Function) -> FxHashSet<Slot> {
    let accesses = func.data_in_order().filter_map(|data| {
        let (ty, pointer, access) = match data.op {
            Op::Load(access) => (func.ty(*data.results.first()?), data.args[0], access),
            Op::Store(access) => (func.ty(data.args[0]), data.args[1], access),
            _ => return None,
        };
        let is_words = access.align >= 4 && ty.scalar()?.bytes() >= 4;
        is_words.then(|| func.slot_of(pointer)).flatten()
    });
    let has_pairs = |slot: &Slot| func.slots[*slot].align >= 4 && func.slots[*slot].size.is_multiple_of(8);
    accesses.filter(has_pairs).collect()
}

struct Finder<'a> {
    func: &'a Function,
    words: FxHashSet<Slot>,
}

impl Finder<'_> {
    /// The runs of a block, in whole words.
    fn runs_of(&self, block: Block) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let mut is_open = false;
        for &inst in &self.func.blocks[block].insts {
            let data = &self.func.insts[inst];
            match self.byte_store(data) {
                Some((place, constant, byte)) => {
                    let continued = runs.last_mut().filter(|run| {
                        is_open && run.place == place && run.first + run.bytes.len() as i64 == constant
                    });
                    match continued {
                        Some(run) => {
                            run.stores.push(inst);
                            run.bytes.push(byte);
                        }
                        None => {
                            let (stores, bytes) = (vec![inst], vec![byte]);
                            runs.push(Run { place, first: constant, stores, bytes });
                        }
                    }
                    is_open = true;
                }
                None => {
                    is_open &= runs.last().is_some_and(|run| !self.may_access(run.place.slot, data));
                }
            }
        }
        for run in &mut runs {
            run.stores.truncate(run.bytes.len() / WORD * WORD);
            run.bytes.truncate(run.stores.len());
        }
        runs.retain(|run| run.bytes.len() >= MIN_BYTES);
        runs
    }

    /// The place of a byte that is stored to a slot of words, its constant part, and the byte.
    fn byte_store(&self, data: &InstData) -> Option<(Place, i64, Value)> {
        let Op::Store(access) = data.op else { return None };
        let byte = data.args[0];
        if access.volatile || self.func.ty(byte) != I8 {
            return None;
        }
        let (place, constant) = self.place(data.args[1])?;
        self.words.contains(&place.slot).then_some((place, constant, byte))
    }

    /// Divides a pointer.
    fn place(&self, mut pointer: Value) -> Option<(Place, i64)> {
        let (mut outer, mut index) = (0i64, None);
        let slot = loop {
            let data = &self.func.insts[self.func.def_inst(pointer)?];
            match data.op {
                Op::SlotAddr(slot) => break slot,
                Op::PtrAdd => match self.func.as_bits(data.args[1]) {
                    Some(bytes) => outer = outer.checked_add(bytes as i64)?,
                    None if index.is_none() => index = Some(data.args[1]),
                    None => return None,
                },
                _ => return None,
            }
            pointer = data.args[0];
        };
        let index = self.narrow(index?);
        let (sum, flip) = self.with_constant(index, BinOp::Xor).unwrap_or((index, 0));
        let (variable, constant) = self.with_constant(sum, BinOp::Iadd).unwrap_or((sum, 0));
        let constant = sign_extended(constant, self.func.ty(variable));
        match flip {
            0 => Some((Place { slot, outer: 0, variable, flip }, constant.checked_add(outer)?)),
            3 | 7 if outer % 8 == 0 => Some((Place { slot, outer, variable, flip }, constant)),
            _ => None,
        }
    }

    /// The number that a 64-bit offset extends: it cannot wrap, as the array has less than 4 GiB.
    fn narrow(&self, offset: Value) -> Value {
        let data = self.func.def_inst(offset).map(|inst| &self.func.insts[inst]);
        let extended = data.filter(|data| matches!(data.op, Op::Cast(CastOp::Zext | CastOp::Sext)));
        extended.map(|data| data.args[0]).filter(|&number| self.func.ty(number) == I32).unwrap_or(offset)
    }

    /// Operand and constant of a binary operation.
    fn with_constant(&self, value: Value, op: BinOp) -> Option<(Value, u64)> {
        let data = &self.func.insts[self.func.def_inst(value)?];
        let constant = self.func.as_bits(*data.args.get(1)?)?;
        (data.op == Op::Bin(op)).then_some((data.args[0], constant))
    }

    /// Whether an instruction may access the slot.
    fn may_access(&self, slot: Slot, data: &InstData) -> bool {
        match data.op {
            Op::Load(access) if !access.volatile => match self.func.ty(data.args[0]) {
                Type::Ptr(Space::Global | Space::Constant | Space::Local) => false,
                _ => self.func.slot_of(data.args[0]).is_none_or(|other| other == slot),
            },
            _ => data.op.has_side_effects() || data.op.access().is_some(),
        }
    }
}

fn sign_extended(bits: u64, ty: Type) -> i64 {
    if ty == I32 { i64::from(bits as i32) } else { bits as i64 }
}

impl Run {
    /// Stores the run's words.
    fn emit(&self, b: &mut Builder<'_>) {
        let shift = Shift::new(b, self);
        let ones = b.i32(-1);
        let kept = shift.beginning(b, ones);
        let words: Vec<Value> = self.bytes.chunks(WORD).map(|bytes| self.word(b, bytes)).collect();
        let mut end = None;
        for (at, &word) in words.iter().enumerate() {
            let beginning = shift.beginning(b, word);
            let place = shift.address(b, self, at);
            let before = match end {
                Some(end) => end,
                None => {
                    let (old, outside) = (b.load(I32, place, Access::aligned(4)), b.not(kept));
                    b.and(old, outside)
                }
            };
            let whole = b.or(before, beginning);
            b.store(whole, place, Access::aligned(4));
            end = Some(shift.end(b, word));
        }
        let Some(end) = end else { return };
        let place = shift.last_address(b, self, words.len());
        let old = b.load(I32, place, Access::aligned(4));
        let after = b.and(old, kept);
        let whole = b.or(end, after);
        b.store(whole, place, Access::aligned(4));
    }

    /// Packs four bytes.
    fn word(&self, b: &mut Builder<'_>, bytes: &[Value]) -> Value {
        let mut lanes = bytes.to_vec();
        if self.place.flip != 0 {
            lanes.reverse();
        }
        let vector = b.vec_build(&lanes);
        b.bitcast(vector, I32)
    }
}

/// The place of a run's first byte in its word.
struct Shift {
    is_big_endian: bool,
    /// Index of the first word.
    word: Value,
    /// Bits before the first byte in the word, and 31 minus that.
    bits: Value,
    rest: Value,
}

impl Shift {
    fn new(b: &mut Builder<'_>, run: &Run) -> Shift {
        let ty = b.ty(run.place.variable);
        let constant = b.func.bits(ty, run.first as u64);
        let sum = b.iadd(run.place.variable, constant);
        let byte = if ty == I32 { sum } else { b.cast(CastOp::Trunc, sum, I32) };
        let (two, three, all) = (b.i32(2), b.i32(3), b.i32(31));
        let place = b.and(byte, three);
        let bits = b.shl(place, three);
        let (word, rest) = (b.lshr(byte, two), b.bin(BinOp::Xor, bits, all));
        Shift { is_big_endian: run.place.flip != 0, word, bits, rest }
    }

    /// The part of a packed word in its first word of memory.
    fn beginning(&self, b: &mut Builder<'_>, word: Value) -> Value {
        if self.is_big_endian { b.lshr(word, self.bits) } else { b.shl(word, self.bits) }
    }

    /// The part of a packed word in its second word of memory: 0 if the run is aligned.
    fn end(&self, b: &mut Builder<'_>, word: Value) -> Value {
        let one = b.i32(1);
        if self.is_big_endian {
            let most = b.shl(word, one);
            b.shl(most, self.rest)
        } else {
            let most = b.lshr(word, one);
            b.lshr(most, self.rest)
        }
    }

    /// Index of a word in memory.
    fn index(&self, b: &mut Builder<'_>, run: &Run, at: usize) -> Value {
        let at = b.i32(at as i32);
        let index = b.iadd(self.word, at);
        let flip = b.i32(run.place.flip as i32 / WORD as i32);
        b.bin(BinOp::Xor, index, flip)
    }

    fn address(&self, b: &mut Builder<'_>, run: &Run, at: usize) -> Value {
        let index = self.index(b, run, at);
        address_of(b, run, index)
    }

    /// The address of the word after the run's last whole word; of that word if the run is aligned, so that
    /// the access stays inside the array.
    fn last_address(&self, b: &mut Builder<'_>, run: &Run, at: usize) -> Value {
        let (before, last) = (self.index(b, run, at - 1), self.index(b, run, at));
        let zero = b.i32(0);
        let is_whole = b.icmp(IntCc::Eq, self.bits, zero);
        let index = b.select(is_whole, before, last);
        address_of(b, run, index)
    }
}

fn address_of(b: &mut Builder<'_>, run: &Run, index: Value) -> Value {
    let two = b.i32(2);
    let bytes = b.shl(index, two);
    let offset = b.cast(CastOp::Zext, bytes, I64);
    let slot = b.slot_addr(run.place.slot);
    let base = b.ptr_add_const(slot, run.place.outer);
    b.ptr_add(base, offset)
}
