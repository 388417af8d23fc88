//! Global value numbering.
//!
//! A pure instruction is replaced by an equal one of a dominating block, and so is a load of memory that the
//! kernel does not write. Any other load is replaced by the value that was last stored to its place or loaded
//! from it in its extended basic block (a tree of blocks of which all but the first have a single
//! predecessor), unless something on the way may have written there ([`MemoryValues`]). A store of the value
//! that its place holds by the same rules is removed. Reads of images are loads where an image may be
//! written, and pure elsewhere.
//!
//! The operands of bit logic are put in one order, the one computed later first. NVIDIA's compiler fuses the
//! majority function `(a & b) | (c & (a | b))` to one three-operand instruction only in this order.

use crate::analysis::memory_values::MemoryValues;
use crate::analysis::{Cfg, DomTree};
use crate::error::Result;
use crate::ir::{BinOp, Block, Function, ImageOp, Inst, InstData, Module, Op, SecondaryMap, Value};
use crate::passes::{Pass, PassContext};
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// The pass `gvn`.
pub struct Gvn;

impl Pass for Gvn {
    fn name(&self) -> &'static str {
        "gvn"
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for f in module.functions.values_mut() {
            changed |= number(f);
        }
        Ok(changed)
    }
}

fn commutes(op: &Op) -> bool {
    use BinOp::*;
    matches!(
        op,
        Op::Bin(Iadd | Imul | And | Or | Xor | UmulHi | SmulHi | Umin | Umax | Smin | Smax | Fadd | Fmul)
    )
}

/// Order in which values are computed: constants first, the parameters of a block together.
#[derive(Default)]
struct Ranks {
    ranks: SecondaryMap<Value, u32>,
    last: u32,
}

impl Ranks {
    /// Ranks values after all others.
    fn append(&mut self, values: &[Value]) {
        self.last += 1;
        values.iter().for_each(|v| self.ranks[*v] = self.last);
    }
    /// Puts the operand of bit logic that is computed later first; true if that changed the instruction.
    fn order(&self, data: &mut InstData) -> bool {
        let Op::Bin(BinOp::And | BinOp::Or | BinOp::Xor) = data.op else { return false };
        let [a, b] = &mut data.args[..] else { return false };
        let swaps = self.ranks[*a] < self.ranks[*b];
        if swaps {
            std::mem::swap(a, b);
        }
        swaps
    }
}

/// Hash of what an instruction computes: operation, operands, type and fast-math flags.
fn hash(func: &Function, inst: Inst, result: Value) -> u64 {
    let data = &func.insts[inst];
    let mut hasher = FxHasher::default();
    data.op.hash(&mut hasher);
    match data.args[..] {
        [a, b] if commutes(&data.op) => (a.min(b), a.max(b)).hash(&mut hasher),
        ref args => args.hash(&mut hasher),
    }
    (func.ty(result), data.fast).hash(&mut hasher);
    hasher.finish()
}

/// Whether two instructions of one result compute the same.
fn are_equal(func: &Function, a: Inst, b: Inst) -> bool {
    let (a, b) = (&func.insts[a], &func.insts[b]);
    let same_args = a.args == b.args
        || matches!((&a.args[..], &b.args[..]), ([x, y], [z, w]) if x == w && y == z && commutes(&a.op));
    let ty = |data: &InstData| data.results.first().map(|v| func.ty(*v));
    same_args && a.op == b.op && a.fast == b.fast && ty(a) == ty(b)
}

/// Instructions of one result with the state of the images that they read, by their hash.
#[derive(Default)]
struct Expressions {
    buckets: FxHashMap<u64, SmallVec<[(Inst, Images); 2]>>,
}

/// Number of a state of images: each write makes a new one. Instructions that do not read images that may be
/// written have the state 0.
type Images = u32;

impl Expressions {
    /// The known instruction that computes the same as this one, from the same state of images.
    fn find(&self, func: &Function, hash: u64, inst: Inst, images: Images) -> Option<Inst> {
        let known = self.buckets.get(&hash)?.iter();
        known
            .rev()
            .find(|(known, of)| *of == images && are_equal(func, *known, inst))
            .map(|(known, _)| *known)
    }
    fn insert(&mut self, hash: u64, inst: Inst, images: Images) {
        self.buckets.entry(hash).or_default().push((inst, images));
    }
    /// Removes the last instruction that was inserted with this hash.
    fn remove_last(&mut self, hash: u64) {
        self.buckets.get_mut(&hash).map(SmallVec::pop);
    }
}

/// A block of the path from the entry to the current one in the dominator tree.
struct Entered {
    block: Block,
    /// Number of instructions that were known where it begins.
    known: usize,
    /// State of images at its end.
    images: Images,
    /// Values that memory holds at its end.
    memory: MemoryValues,
}

/// Whether the value is read from an image.
fn reads_image(op: &Op) -> bool {
    matches!(
        op,
        Op::Image {
            op: ImageOp::Read | ImageOp::ReadLevel | ImageOp::Sample | ImageOp::SampleLod | ImageOp::Filter,
            ..
        }
    )
}

/// Whether the value is read from memory that the kernel may write.
fn reads_memory(op: &Op) -> bool {
    matches!(op, Op::Load(access) if !access.readonly)
}

/// Numbers the values of one function; true if anything changed.
pub fn number(func: &mut Function) -> bool {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    // Expressions of the blocks from the entry to the current one, and their hashes in order of insertion.
    let mut table = Expressions::default();
    let mut added: Vec<u64> = Vec::new();
    let mut path: Vec<Entered> = Vec::new();
    let mut states: Images = 0;
    let mut replaced: FxHashMap<Value, Value> = FxHashMap::default();
    let (mut ranks, mut changed) = (Ranks::default(), false);
    let writes_images = func.data_in_order().any(|data| {
        matches!(
            data.op,
            Op::Image { op: ImageOp::Write | ImageOp::WriteLevel, .. } | Op::Call(_) | Op::Runtime(_)
        )
    });
    for &b in dom.preorder() {
        while path.last().is_some_and(|top| dom.idom(b) != Some(top.block)) {
            if let Some(left) = path.pop() {
                added.drain(left.known..).rev().for_each(|hash| table.remove_last(hash));
            }
        }
        let (mut images, mut memory) = match (cfg.preds(b), path.last()) {
            ([_], Some(dominator)) => (dominator.images, dominator.memory.clone()),
            _ => {
                states += 1;
                (states, MemoryValues::default())
            }
        };
        let known = added.len();
        ranks.append(&func.blocks[b].params);
        let mut insts = func.take_insts(b);
        insts.retain(|&inst| {
            let data = &mut func.insts[inst];
            for a in data.args.iter_mut() {
                *a = replaced.get(a).copied().unwrap_or(*a);
            }
            changed |= ranks.order(data);
            ranks.append(&data.results);
            let data = &func.insts[inst];
            if memory.is_redundant(func, data) {
                changed = true;
                return false;
            }
            if data.op.has_side_effects() {
                if !data.op.is_terminator() {
                    states += 1;
                    images = states;
                    memory.write(func, data);
                }
                return true;
            }
            let [result] = data.results[..] else { return true };
            if reads_memory(&data.op) {
                let known = memory.load(func, data);
                replaced.extend(known.map(|value| (result, value)));
                return known.is_none();
            }
            let images = if writes_images && reads_image(&data.op) { images } else { 0 };
            let hash = hash(func, inst, result);
            if let Some(known) = table.find(func, hash, inst, images) {
                replaced.insert(result, func.insts[known].results[0]);
                return false;
            }
            table.insert(hash, inst, images);
            added.push(hash);
            true
        });
        func.blocks[b].insts = insts;
        path.push(Entered { block: b, known, images, memory });
    }
    func.replace_uses(&replaced);
    changed || !replaced.is_empty()
}
