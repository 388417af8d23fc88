//! Global value numbering.
//!
//! A pure instruction is replaced by an equal one of a dominating block. A load is replaced by an equal
//! earlier load of its block with no write, barrier or atomic in between. Reads of images are loads where an
//! image may be written, and pure elsewhere.

use crate::analysis::{Cfg, DomTree};
use crate::error::Result;
use crate::ir::{BinOp, Block, Function, ImageOp, Inst, InstData, Module, Op, Value};
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

/// Instructions of one result, by their hash.
#[derive(Default)]
struct Expressions {
    buckets: FxHashMap<u64, SmallVec<[Inst; 2]>>,
}

impl Expressions {
    /// The known instruction that computes the same as this one.
    fn find(&self, func: &Function, hash: u64, inst: Inst) -> Option<Inst> {
        self.buckets.get(&hash)?.iter().copied().find(|&known| are_equal(func, known, inst))
    }
    fn insert(&mut self, hash: u64, inst: Inst) {
        self.buckets.entry(hash).or_default().push(inst);
    }
    /// Removes the last instruction that was inserted with this hash.
    fn remove_last(&mut self, hash: u64) {
        self.buckets.get_mut(&hash).map(SmallVec::pop);
    }
}

/// Numbers the values of one function; true if anything changed.
pub fn number(func: &mut Function) -> bool {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    // Expressions of the blocks from the entry to the current one, and their hashes in order of insertion.
    let mut table = Expressions::default();
    let mut added: Vec<u64> = Vec::new();
    let mut path: Vec<(Block, usize)> = Vec::new();
    let mut loads = Expressions::default();
    let mut replaced: FxHashMap<Value, Value> = FxHashMap::default();
    let writes_images = func.data_in_order().any(|data| {
        matches!(
            data.op,
            Op::Image { op: ImageOp::Write | ImageOp::WriteLevel, .. } | Op::Call(_) | Op::Runtime(_)
        )
    });
    for &b in dom.preorder() {
        while path.last().is_some_and(|(top, _)| dom.idom(b) != Some(*top)) {
            if let Some((_, mark)) = path.pop() {
                added.drain(mark..).rev().for_each(|hash| table.remove_last(hash));
            }
        }
        path.push((b, added.len()));
        loads.buckets.clear();
        let mut insts = func.take_insts(b);
        insts.retain(|&inst| {
            let data = &mut func.insts[inst];
            for a in data.args.iter_mut() {
                *a = replaced.get(a).copied().unwrap_or(*a);
            }
            if data.op.has_side_effects() {
                loads.buckets.clear();
                return true;
            }
            let [result] = data.results[..] else { return true };
            let is_load = match data.op {
                Op::Load(_) => true,
                Op::Image {
                    op: ImageOp::Read | ImageOp::ReadLevel | ImageOp::Sample | ImageOp::SampleLod,
                    ..
                } => writes_images,
                _ => false,
            };
            let hash = hash(func, inst, result);
            let expressions = if is_load { &mut loads } else { &mut table };
            if let Some(known) = expressions.find(func, hash, inst) {
                replaced.insert(result, func.insts[known].results[0]);
                return false;
            }
            expressions.insert(hash, inst);
            if !is_load {
                added.push(hash);
            }
            true
        });
        func.blocks[b].insts = insts;
    }
    func.replace_uses(&replaced);
    !replaced.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Access, Builder, I32, Linkage, Signature, Space, Type};

    #[test]
    fn equal_values_and_loads() {
        let g = Type::Ptr(Space::Global);
        let mut f =
            Function::new("f", Signature { params: vec![I32, g], results: vec![I32] }, Linkage::Internal);
        let (b0, b1) = (f.add_block(), f.add_block());
        let (x, p) = (f.add_param(b0, I32), f.add_param(b0, g));
        let three = f.i32(3);
        let mut b = Builder::new(&mut f, b0);
        let s = b.iadd(x, three);
        b.jump(b1, &[]);
        let mut b = Builder::new(&mut f, b1);
        let t = b.iadd(three, x);
        let a = Access::aligned(4);
        let l1 = b.load(I32, p, a);
        let l2 = b.load(I32, p, a);
        let u = b.imul(l1, l2);
        b.store(u, p, a);
        let l3 = b.load(I32, p, a);
        let r = b.isub(t, l3);
        let r = b.isub(r, l2);
        b.ret(&[r]);
        assert!(number(&mut f));
        let left: Vec<_> = f.blocks[b1].insts.iter().map(|i| f.insts[*i].clone()).collect();
        assert_eq!(left.len(), 7);
        assert_eq!(left[1].args[..], [l1, l1]);
        assert_eq!(left[4].args[..], [s, l3]);
    }

    #[test]
    fn reads_of_images_that_are_written() {
        use crate::ir::{ImageDim, Opaque, Scalar};
        for written in [false, true] {
            let image = Type::Opaque(Opaque::Image);
            let mut f = Function::new(
                "f",
                Signature { params: vec![image, I32], results: vec![] },
                Linkage::Internal,
            );
            let (b0, b1) = (f.add_block(), f.add_block());
            let (im, at) = (f.add_param(b0, image), f.add_param(b0, I32));
            let access = |op| Op::Image { op, dim: ImageDim::D1, var: None };
            let texel = Type::Vector(Scalar::F32, 4);
            let mut b = Builder::new(&mut f, b0);
            let first = b.value(access(ImageOp::Read), &[im, at], texel);
            let same = b.value(access(ImageOp::Read), &[im, at], texel);
            if written {
                b.inst(access(ImageOp::Write), &[im, at, same], &[]);
            }
            let after = b.value(access(ImageOp::Read), &[im, at], texel);
            b.jump(b1, &[]);
            let mut b = Builder::new(&mut f, b1);
            let last = b.value(access(ImageOp::Read), &[im, at], texel);
            b.ret(&[]);
            assert!(number(&mut f));
            let reads = |block| {
                let insts = f.blocks[block].insts.iter().map(|i| &f.insts[*i]);
                insts.filter_map(|d| d.results.first().copied()).collect::<Vec<_>>()
            };
            let (here, there) =
                if written { (vec![first, after], vec![last]) } else { (vec![first], vec![]) };
            assert_eq!((reads(b0), reads(b1)), (here, there), "written: {written}");
        }
    }
}
