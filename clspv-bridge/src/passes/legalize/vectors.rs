//! Splits vectors of more than 4 lanes into pieces of 4.
//!
//! The last piece is shorter where 4 does not divide the count (the front end's optimiser makes vectors of 7
//! or 15 lanes); a last piece of one lane is a scalar. Works in any phase: each wide value becomes a list of
//! narrow ones, block parameters and edges included. Blocks are visited in reverse postorder, so operands are
//! always split before their users; unreachable blocks are dropped.

use crate::error::Result;
use crate::ir::edit::{Rewrite, rewrite_blocks};
use crate::ir::*;
use crate::passes::lower::memory::access::{combine, split};
use crate::passes::{Pass, PassContext};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

type Pieces = SmallVec<[Value; 4]>;

fn is_wide(ty: Type) -> bool {
    ty.lanes() > 4
}

fn piece_count(ty: Type) -> usize {
    ty.lanes().div_ceil(4) as usize
}

/// Type of the piece that starts at lane `4 * k`.
fn piece_type(ty: Type, k: usize) -> Type {
    let lanes = ty.lanes().saturating_sub(4 * k as u32).clamp(1, 4);
    ty.scalar().map_or(ty, |s| Type::vector(s, lanes))
}

/// Reachable blocks in reverse postorder.
pub(crate) fn reverse_postorder(func: &Function) -> Vec<Block> {
    let Some(entry) = func.entry() else { return Vec::new() };
    let mut seen = EntitySet::new();
    let mut order = Vec::new();
    let mut stack = vec![(entry, 0)];
    seen.insert(entry);
    while let Some((block, next)) = stack.pop() {
        match func.successors(block).get(next) {
            Some(t) => {
                stack.push((block, next + 1));
                if seen.insert(t.block) {
                    stack.push((t.block, 0));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    order
}

struct Split {
    pieces: FxHashMap<Value, Pieces>,
}

impl Split {
    fn of(&mut self, func: &mut Function, v: Value) -> Pieces {
        if let Some(p) = self.pieces.get(&v) {
            return p.clone();
        }
        let ty = func.ty(v);
        match func.as_const(v).cloned() {
            Some(Const::Bits(_, bits)) => {
                let piece =
                    |(k, c): (usize, &[u64])| Const::Bits(piece_type(ty, k), c.iter().copied().collect());
                bits.chunks(4).enumerate().map(|c| func.constant(piece(c))).collect()
            }
            // A use of an undefined value or (in unreachable code) of one without definition.
            _ => (0..piece_count(ty)).map(|k| func.undef(piece_type(ty, k))).collect(),
        }
    }
    fn lanes(&mut self, b: &mut Builder<'_>, v: Value) -> Vec<Value> {
        if !is_wide(b.ty(v)) {
            return (0..b.ty(v).lanes()).map(|i| b.extract(v, i as u8)).collect();
        }
        let pieces = self.of(b.func, v);
        let mut lanes = Vec::new();
        for p in pieces {
            lanes.extend((0..b.ty(p).lanes()).map(|i| b.extract(p, i as u8)));
        }
        lanes
    }
    /// The value, or the pieces, of a result with these lanes.
    fn define(&mut self, b: &mut Builder<'_>, result: Value, lanes: &[Value]) -> Rewrite {
        if !is_wide(b.ty(result)) {
            return Rewrite::Replace(b.vec_build(lanes));
        }
        let pieces = lanes.chunks(4).map(|c| b.vec_build(c)).collect();
        self.pieces.insert(result, pieces);
        Rewrite::Remove
    }

    fn inst(&mut self, b: &mut Builder<'_>, inst: Inst) -> Rewrite {
        let data = b.func.insts[inst].clone();
        let Some(&result) = data.results.first() else {
            match data.op {
                Op::Store(access) if is_wide(b.ty(data.args[0])) => {
                    self.store(b, data.args[0], data.args[1], access);
                    return Rewrite::Remove;
                }
                _ => self.edges(b, inst),
            }
            return Rewrite::Keep;
        };
        let ty = b.ty(result);
        if !is_wide(ty) && !data.args.iter().any(|a| is_wide(b.ty(*a))) {
            return Rewrite::Keep;
        }
        let pieces = match &data.op {
            Op::Extract(lane) => {
                let piece = self.of(b.func, data.args[0])[*lane as usize / 4];
                return Rewrite::Replace(b.extract(piece, lane % 4));
            }
            Op::Any | Op::All => return Rewrite::Replace(self.any_or_all(b, &data)),
            Op::ExtractDyn => return Rewrite::Replace(self.extract_dyn(b, data.args[0], data.args[1])),
            Op::VecBuild => return self.define(b, result, &data.args),
            Op::Shuffle(mask) => {
                let lanes = self.shuffled(b, data.args[0], data.args[1], mask);
                return self.define(b, result, &lanes);
            }
            Op::Cast(CastOp::Bitcast) => {
                let lanes = self.reinterpreted(b, data.args[0], ty.lane());
                return self.define(b, result, &lanes);
            }
            Op::Insert(lane) => {
                let mut pieces = self.of(b.func, data.args[0]);
                let k = *lane as usize / 4;
                let scalar = b.ty(pieces[k]).lanes() == 1;
                pieces[k] = if scalar { data.args[1] } else { b.insert(pieces[k], lane % 4, data.args[1]) };
                pieces
            }
            Op::InsertDyn => self.insert_dyn(b, data.args[0], data.args[1], data.args[2]),
            Op::Splat => {
                let full = b.value(Op::Splat, &data.args, piece_type(ty, 0));
                let piece = |k| match piece_type(ty, k) {
                    part if part.lanes() == 4 => full,
                    part if part.lanes() == 1 => data.args[0],
                    part => b.value(Op::Splat, &data.args, part),
                };
                (0..piece_count(ty)).map(piece).collect()
            }
            Op::Load(access) => load(b, ty, data.args[0], *access),
            _ => self.each_piece(b, &data, ty),
        };
        self.pieces.insert(result, pieces);
        Rewrite::Remove
    }

    /// Passes wide arguments of edges in pieces.
    fn edges(&mut self, b: &mut Builder<'_>, inst: Inst) {
        let mut targets = std::mem::take(&mut b.func.insts[inst].targets);
        for t in &mut targets {
            let mut args: SmallVec<[Value; 4]> = SmallVec::new();
            for &a in &t.args {
                if is_wide(b.ty(a)) { args.extend(self.of(b.func, a)) } else { args.push(a) }
            }
            t.args = args;
        }
        b.func.insts[inst].targets = targets;
    }

    /// The lanes that a shuffle selects; the others are not extracted.
    fn shuffled(&mut self, b: &mut Builder<'_>, x: Value, y: Value, mask: &[u8]) -> Vec<Value> {
        let n = b.ty(x).lanes() as usize;
        let mut lanes = Vec::new();
        for &m in mask {
            let m = m as usize;
            let (v, lane) = if m < n { (x, m) } else { (y, m.wrapping_sub(n)) };
            let ty = b.ty(v);
            if lane >= ty.lanes() as usize {
                lanes.push(b.func.undef(ty.lane()));
            } else if is_wide(ty) {
                let piece = self.of(b.func, v)[lane / 4];
                lanes.push(b.extract(piece, (lane % 4) as u8));
            } else {
                lanes.push(b.extract(v, lane as u8));
            }
        }
        lanes
    }

    fn any_or_all(&mut self, b: &mut Builder<'_>, data: &InstData) -> Value {
        let pieces = self.of(b.func, data.args[0]);
        let op = if data.op == Op::Any { BinOp::Or } else { BinOp::And };
        let full = pieces.iter().filter(|p| b.ty(**p).lanes() == 4).count();
        let mut all = pieces[0];
        for &p in &pieces[1..full] {
            all = b.bin(op, all, p);
        }
        let mut v = b.value(data.op.clone(), &[all], I1);
        for &p in &pieces[full..] {
            let last = if b.ty(p).lanes() == 1 { p } else { b.value(data.op.clone(), &[p], I1) };
            v = b.bin(op, v, last);
        }
        v
    }

    /// The lanes of a bitcast to lanes of the type `to`.
    fn reinterpreted(&mut self, b: &mut Builder<'_>, v: Value, to: Type) -> Vec<Value> {
        let from = b.ty(v).lane();
        let (x, y) = (from.access_bytes().unwrap_or(1), to.access_bytes().unwrap_or(1));
        let lanes = self.lanes(b, v);
        let mut out = Vec::new();
        if x <= y {
            let int = Type::Scalar(from.scalar().map_or(Scalar::I32, Scalar::to_int));
            for group in lanes.chunks((y / x) as usize) {
                let ints: Vec<Value> = group.iter().map(|&v| b.bitcast(v, int)).collect();
                out.push(combine(b, &ints, to));
            }
        } else {
            for v in lanes {
                for p in split(b, v, y) {
                    out.push(b.bitcast(p, to));
                }
            }
        }
        out
    }

    fn store(&mut self, b: &mut Builder<'_>, value: Value, address: Value, access: Access) {
        let pieces = self.of(b.func, value);
        let bytes = b.ty(pieces[0]).access_bytes().unwrap_or(16);
        for (i, &piece) in pieces.iter().enumerate() {
            let p = b.ptr_add_const(address, i as i64 * bytes as i64);
            b.store(piece, p, piece_access(access, i, bytes));
        }
    }

    /// An operation that works on each lane by itself.
    fn each_piece(&mut self, b: &mut Builder<'_>, data: &InstData, ty: Type) -> Pieces {
        let args: Vec<Option<Pieces>> =
            data.args.iter().map(|&a| is_wide(b.ty(a)).then(|| self.of(b.func, a))).collect();
        let piece = |k: usize| {
            let args = args.iter().zip(&data.args);
            let part: Vec<Value> = args.map(|(p, &a)| p.as_ref().map_or(a, |p| p[k])).collect();
            let i = b.inst(data.op.clone(), &part, &[piece_type(ty, k)]);
            b.func.insts[i].fast = data.fast;
            b.func.insts[i].results[0]
        };
        (0..piece_count(ty)).map(piece).collect()
    }

    /// Extracts a lane whose number is known at run time.
    fn extract_dyn(&mut self, b: &mut Builder<'_>, v: Value, index: Value) -> Value {
        let (which, lane) = split_index(b, index);
        let mut found = None;
        for (k, piece) in self.of(b.func, v).into_iter().enumerate() {
            let (here, lane) = in_piece(b, which, lane, k, piece);
            let ty = b.ty(piece);
            let x = if ty.lanes() == 1 { piece } else { b.value(Op::ExtractDyn, &[piece, lane], ty.lane()) };
            found = Some(found.map_or(x, |f| b.select(here, x, f)));
        }
        found.unwrap_or(v)
    }

    /// Inserts a lane whose number is known at run time.
    fn insert_dyn(&mut self, b: &mut Builder<'_>, v: Value, x: Value, index: Value) -> Pieces {
        let (which, lane) = split_index(b, index);
        let mut pieces = self.of(b.func, v);
        for (k, piece) in pieces.iter_mut().enumerate() {
            let (here, lane) = in_piece(b, which, lane, k, *piece);
            let ty = b.ty(*piece);
            let new = if ty.lanes() == 1 { x } else { b.value(Op::InsertDyn, &[*piece, x, lane], ty) };
            *piece = b.select(here, new, *piece);
        }
        pieces
    }
}

fn load(b: &mut Builder<'_>, ty: Type, address: Value, access: Access) -> Pieces {
    let bytes = piece_type(ty, 0).access_bytes().unwrap_or(16);
    let piece = |k: usize| {
        let p = b.ptr_add_const(address, k as i64 * bytes as i64);
        b.load(piece_type(ty, k), p, piece_access(access, k, bytes))
    };
    (0..piece_count(ty)).map(piece).collect()
}

/// The access to piece `k`, with pieces of `bytes` bytes.
fn piece_access(access: Access, k: usize, bytes: u32) -> Access {
    Access { align: if k == 0 { access.align } else { access.align.min(bytes) }, ..access }
}

/// The number of the piece, and the number of the lane in it, of a lane's number.
fn split_index(b: &mut Builder<'_>, index: Value) -> (Value, Value) {
    let index = if b.ty(index) == I32 { index } else { b.cast(CastOp::Trunc, index, I32) };
    let (three, two) = (b.i32(3), b.i32(2));
    let lane = b.and(index, three);
    (b.lshr(index, two), lane)
}

/// Whether piece `k` is the one that is meant, and a number that is in its range in any case.
fn in_piece(b: &mut Builder<'_>, which: Value, lane: Value, k: usize, piece: Value) -> (Value, Value) {
    let c = b.i32(k as i32);
    let here = b.icmp(IntCc::Eq, which, c);
    let lane = match b.ty(piece).lanes() {
        // The number of another piece's lane may be out of range for a short piece.
        n @ 2..4 => {
            let last = b.i32(n as i32 - 1);
            b.bin(BinOp::Umin, lane, last)
        }
        _ => lane,
    };
    (here, lane)
}

/// The pass `legalize_vec`.
pub struct LegalizeVec;

impl Pass for LegalizeVec {
    fn name(&self) -> &'static str {
        "legalize_vec"
    }
    fn run(&self, module: &mut Module, _: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for f in module.functions.values_mut() {
            changed |= run(f);
        }
        Ok(changed)
    }
}

/// Splits every wide vector of the function; true if there was any.
pub fn run(func: &mut Function) -> bool {
    if !func.values.values().any(|v| is_wide(v.ty)) {
        return false;
    }
    let order = reverse_postorder(func);
    let reached: EntitySet<Block> = order.iter().fold(EntitySet::new(), |mut s, &b| {
        s.insert(b);
        s
    });
    func.layout.retain(|&b| reached.contains(b));
    let mut s = Split { pieces: FxHashMap::default() };
    let entry = func.entry();
    for &block in &order {
        if Some(block) == entry {
            continue;
        }
        let old = func.blocks[block].params.clone();
        if !old.iter().any(|&p| is_wide(func.ty(p))) {
            continue;
        }
        let mut params = Vec::new();
        for p in old {
            let ty = func.ty(p);
            if is_wide(ty) {
                let pieces: Pieces = (0..piece_count(ty))
                    .map(|k| {
                        func.values.push(ValueData { ty: piece_type(ty, k), def: ValueDef::Param(block, 0) })
                    })
                    .collect();
                params.extend(pieces.iter().copied());
                s.pieces.insert(p, pieces);
            } else {
                params.push(p);
            }
        }
        func.set_params(block, params);
    }
    // Wide kernel parameters become pieces when the argument block is read; until then they are built from
    // lanes.
    rewrite_blocks(func, &order, |b, inst| s.inst(b, inst));
    true
}
