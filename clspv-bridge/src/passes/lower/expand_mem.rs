//! Turns memory copies and fills into loads and stores: straight code for small constant sizes, a loop
//! otherwise.
//!
//! Ranges of a copy do not overlap (or are the same), so pieces may be copied one after another. Elements are
//! as wide as both alignments allow, at most 16 bytes in straight code and 4 in loops.

use crate::error::Result;
use crate::ir::{
    Access, Block, BlockCall, Builder, Function, I8, I16, I32, I64, Inst, IntCc, Module, Op, Scalar, Type,
    Value,
};
use crate::passes::{Pass, PassContext};

/// The pass `expand_mem`.
pub struct ExpandMem;

impl Pass for ExpandMem {
    fn name(&self) -> &'static str {
        "expand_mem"
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for f in module.functions.values_mut() {
            changed |= expand(f);
        }
        Ok(changed)
    }
}

/// Largest constant size that is expanded without a loop.
const MAX_STRAIGHT_BYTES: u64 = 256;
/// Most accesses of an expansion without a loop.
const MAX_PIECES: u64 = 64;

/// Expands the copies and fills of one function.
pub fn expand(func: &mut Function) -> bool {
    let is_mem = |f: &Function, i: Inst| matches!(f.insts[i].op, Op::Memcpy { .. } | Op::Memset(_));
    let mut changed = false;
    let mut layout = Vec::with_capacity(func.layout.len());
    for block in std::mem::take(&mut func.layout) {
        layout.push(block);
        if !func.blocks[block].insts.iter().any(|i| is_mem(func, *i)) {
            continue;
        }
        changed = true;
        let mut cur = block;
        for inst in func.take_insts(block) {
            if is_mem(func, inst) {
                cur = expand_one(func, cur, inst, &mut layout);
            } else {
                func.blocks[cur].insts.push(inst);
            }
        }
    }
    func.layout = layout;
    changed
}

/// An access at a byte offset from an address of known alignment.
fn at_offset(access: Access, offset: u64) -> Access {
    let align =
        if offset == 0 { access.align } else { access.align.min(1 << offset.trailing_zeros().min(16)) };
    Access { align, ..access }
}

/// The fill byte in every byte of a value of type `ty`.
fn fill(b: &mut Builder<'_>, byte: Value, ty: Type) -> Value {
    let scalar = ty.scalar().unwrap_or(Scalar::I8);
    let lane = if let Some(bits) = b.func.as_bits(byte) {
        b.func.bits(Type::Scalar(scalar), bits.wrapping_mul(0x0101_0101_0101_0101))
    } else if scalar == Scalar::I8 {
        byte
    } else {
        let wide = b.cast(crate::ir::CastOp::Zext, byte, Type::Scalar(scalar));
        let ones = b.func.bits(Type::Scalar(scalar), 0x0101_0101_0101_0101);
        b.imul(wide, ones)
    };
    if ty.lanes() == 1 { lane } else { b.value(Op::Splat, &[lane], ty) }
}

fn expand_one(func: &mut Function, cur: Block, inst: Inst, layout: &mut Vec<Block>) -> Block {
    let data = func.insts[inst].clone();
    let (dst, src, bytes) = (data.args[0], data.args[1], data.args[2]);
    let (to, from) = match data.op {
        Op::Memcpy { dst, src } => (dst, Some(src)),
        Op::Memset(dst) => (dst, None),
        _ => return cur,
    };
    let align = to.align.min(from.map_or(16, |a| a.align)).max(1);
    let size = func.as_bits(bytes);
    // One element: from `src` at the offset, or the fill byte.
    let element = |b: &mut Builder<'_>, ty: Type, offset: Value, known: Option<u64>| {
        let at_index = |b: &mut Builder<'_>, base: Value, access: Access| {
            let width = ty.access_bytes().unwrap_or(1);
            match known {
                Some(k) => (b.ptr_add_const(base, k as i64), at_offset(access, k)),
                None => (b.ptr_add(base, offset), Access { align: access.align.min(width), ..access }),
            }
        };
        let value = match from {
            Some(access) => {
                let (p, access) = at_index(b, src, access);
                b.load(ty, p, access)
            }
            None => fill(b, src, ty),
        };
        let (p, access) = at_index(b, dst, to);
        b.store(value, p, access);
    };
    if let Some(size) = size
        && size <= MAX_STRAIGHT_BYTES
        && size / u64::from(align.min(16)) <= MAX_PIECES
    {
        let mut b = Builder::new(func, cur);
        b.line = data.line;
        let zero = b.i64(0);
        let mut offset = 0;
        while offset < size {
            let room = size - offset;
            let fit = |w: u64| w <= room && u64::from(align) >= w && offset % w == 0;
            let (ty, width) = if fit(16) {
                (Type::Vector(Scalar::I32, 4), 16)
            } else if fit(8) {
                (Type::Vector(Scalar::I32, 2), 8)
            } else if fit(4) {
                (I32, 4)
            } else if fit(2) {
                (I16, 2)
            } else {
                (I8, 1)
            };
            element(&mut b, ty, zero, Some(offset));
            offset += width;
        }
        return cur;
    }
    // for (i = 0; i < bytes; i += width)
    let (ty, width) = match size {
        Some(size) if align >= 4 && size % 4 == 0 => (I32, 4),
        Some(size) if align >= 2 && size % 2 == 0 => (I16, 2),
        _ => (I8, 1),
    };
    let (head, body, next) =
        (func.new_block_detached(), func.new_block_detached(), func.new_block_detached());
    layout.extend([head, body, next]);
    let i = func.add_param(head, I64);
    let zero = func.i64(0);
    let mut b = Builder::new(func, cur);
    b.line = data.line;
    b.jump(head, &[zero]);
    b.block = head;
    let more = b.icmp(IntCc::Ult, i, bytes);
    b.brif(more, BlockCall::new(body, &[]), BlockCall::new(next, &[]));
    b.block = body;
    element(&mut b, ty, i, None);
    let step = b.i64(width);
    let after = b.iadd(i, step);
    b.jump(head, &[after]);
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Linkage, Signature, Space};

    fn copy(size: Option<i64>, align: u32) -> Function {
        let (g, p) = (Type::Ptr(Space::Global), Type::Ptr(Space::Private));
        let mut f =
            Function::new("f", Signature { params: vec![g, p, I64], results: vec![] }, Linkage::Internal);
        let b = f.add_block();
        let (x, y, n) = (f.add_param(b, g), f.add_param(b, p), f.add_param(b, I64));
        let n = size.map_or(n, |s| f.i64(s));
        let mut bu = Builder::new(&mut f, b);
        let a = Access::aligned(align);
        bu.inst(Op::Memcpy { dst: a, src: a }, &[x, y, n], &[]);
        let byte = bu.func.bits(I8, 7);
        bu.inst(Op::Memset(a), &[x, byte, n], &[]);
        bu.ret(&[]);
        assert!(expand(&mut f));
        f
    }
    fn stored(f: &Function) -> Vec<u32> {
        f.data_in_order()
            .filter(|d| matches!(d.op, Op::Store(_)))
            .filter_map(|d| f.ty(d.args[0]).access_bytes())
            .collect()
    }

    #[test]
    fn small_sizes_are_straight_code() {
        let f = copy(Some(27), 8);
        assert_eq!(f.layout.len(), 1);
        assert_eq!(stored(&f)[..5], [8, 8, 8, 2, 1]);
        assert_eq!(stored(&copy(Some(3), 1)), [1, 1, 1, 1, 1, 1]);
    }

    #[test]
    fn other_sizes_are_loops() {
        let f = copy(Some(4096), 4);
        assert_eq!((f.layout.len(), stored(&f)), (7, vec![4, 4]));
        let f = copy(None, 16);
        assert_eq!((f.layout.len(), stored(&f)), (7, vec![1, 1]));
    }
}
