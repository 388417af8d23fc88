//! Global value numbering.
//!
//! A pure instruction is replaced by an equal one of a dominating block. A load is replaced by an equal
//! earlier load of its block with no write, barrier or atomic in between. Reads of images are loads where an
//! image may be written, and pure elsewhere.

use crate::analysis::{Cfg, DomTree};
use crate::error::Result;
use crate::ir::{BinOp, Block, FastMath, Function, ImageOp, Module, Op, Type, Value};
use crate::passes::{Pass, PassContext};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

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

#[derive(PartialEq, Eq, Hash, Clone)]
struct Key {
    op: Op,
    args: SmallVec<[Value; 4]>,
    ty: Type,
    fast: FastMath,
}

fn commutes(op: &Op) -> bool {
    use BinOp::*;
    matches!(
        op,
        Op::Bin(Iadd | Imul | And | Or | Xor | UmulHi | SmulHi | Umin | Umax | Smin | Smax | Fadd | Fmul)
    )
}

/// Numbers the values of one function; true if anything changed.
pub fn number(func: &mut Function) -> bool {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let mut table: FxHashMap<Key, Value> = FxHashMap::default();
    let mut added: Vec<Key> = Vec::new();
    let mut path: Vec<(Block, usize)> = Vec::new();
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
                for key in added.drain(mark..) {
                    table.remove(&key);
                }
            }
        }
        path.push((b, added.len()));
        let mut loads: FxHashMap<Key, Value> = FxHashMap::default();
        let mut insts = func.take_insts(b);
        insts.retain(|&inst| {
            let data = &mut func.insts[inst];
            for a in data.args.iter_mut() {
                *a = replaced.get(a).copied().unwrap_or(*a);
            }
            if data.op.has_side_effects() {
                loads.clear();
                return true;
            }
            let [result] = data.results[..] else { return true };
            let mut args = data.args.clone();
            if commutes(&data.op) {
                args.sort();
            }
            let key = Key { op: data.op.clone(), args, ty: func.values[result].ty, fast: data.fast };
            let load = match key.op {
                Op::Load(_) => true,
                Op::Image {
                    op: ImageOp::Read | ImageOp::ReadLevel | ImageOp::Sample | ImageOp::SampleLod,
                    ..
                } => writes_images,
                _ => false,
            };
            let known = if load { loads.get(&key) } else { table.get(&key) };
            if let Some(&v) = known {
                replaced.insert(result, v);
                return false;
            }
            if load {
                loads.insert(key, result);
            } else {
                added.push(key.clone());
                table.insert(key, result);
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
    use crate::ir::{Access, Builder, I32, Linkage, Signature, Space};

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
