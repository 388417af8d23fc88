//! Splits vectors of more than 4 lanes into pieces of 4.
//!
//! The last piece is shorter where 4 does not divide the count (the front end's optimiser makes vectors of 7
//! or 15 lanes); a last piece of one lane is a scalar. Works in any phase: each wide value becomes a list of
//! narrow ones, block parameters and edges included. Blocks are visited in reverse postorder, so operands are
//! always split before their users; unreachable blocks are dropped.

use crate::error::Result;
use crate::ir::*;
use crate::passes::lower::memory::access::{combine, split};
use crate::passes::{Pass, PassContext};
use smallvec::SmallVec;
use std::collections::HashMap;

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
    pieces: HashMap<Value, Pieces>,
    map: HashMap<Value, Value>,
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
    /// Defines a result by its lanes.
    fn define(&mut self, b: &mut Builder<'_>, result: Value, lanes: &[Value]) {
        if is_wide(b.ty(result)) {
            let pieces = lanes.chunks(4).map(|c| b.vec_build(c)).collect();
            self.pieces.insert(result, pieces);
        } else {
            let v = b.vec_build(lanes);
            self.map.insert(result, v);
        }
    }

    fn inst(&mut self, b: &mut Builder<'_>, inst: Inst) {
        let data = b.func.insts[inst].clone();
        b.line = data.line;
        let result = data.results.first().copied();
        let wide_arg = data.args.iter().any(|a| is_wide(b.ty(*a)));
        let wide = wide_arg || result.is_some_and(|r| is_wide(b.ty(r)));
        if !wide {
            let mut targets = data.targets.clone();
            for t in &mut targets {
                let mut args: SmallVec<[Value; 4]> = SmallVec::new();
                for &a in &t.args {
                    if is_wide(b.ty(a)) { args.extend(self.of(b.func, a)) } else { args.push(a) }
                }
                t.args = args;
            }
            b.func.insts[inst].targets = targets;
            b.push(inst);
            return;
        }
        match &data.op {
            Op::Extract(lane) => {
                let pieces = self.of(b.func, data.args[0]);
                let v = b.extract(pieces[*lane as usize / 4], lane % 4);
                self.map.extend(result.map(|r| (r, v)));
            }
            Op::Insert(lane) => {
                let mut pieces = self.of(b.func, data.args[0]);
                let k = *lane as usize / 4;
                let scalar = b.ty(pieces[k]).lanes() == 1;
                pieces[k] = if scalar { data.args[1] } else { b.insert(pieces[k], lane % 4, data.args[1]) };
                self.pieces.extend(result.map(|r| (r, pieces)));
            }
            Op::ExtractDyn | Op::InsertDyn => self.dynamic(b, &data),
            Op::VecBuild => {
                if let Some(r) = result {
                    self.define(b, r, &data.args);
                }
            }
            Op::Splat => {
                if let Some(r) = result {
                    let ty = b.ty(r);
                    let full = b.value(Op::Splat, &data.args, piece_type(ty, 0));
                    let piece = |k| match piece_type(ty, k) {
                        part if part.lanes() == 4 => full,
                        part if part.lanes() == 1 => data.args[0],
                        part => b.value(Op::Splat, &data.args, part),
                    };
                    self.pieces.insert(r, (0..piece_count(ty)).map(piece).collect());
                }
            }
            Op::Shuffle(mask) => {
                let Some(r) = result else { return };
                // Only the lanes that are selected are extracted.
                let n = b.ty(data.args[0]).lanes() as usize;
                let mut lanes = Vec::new();
                for &m in mask {
                    let m = m as usize;
                    let (v, lane) = if m < n { (data.args[0], m) } else { (data.args[1], m.wrapping_sub(n)) };
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
                self.define(b, r, &lanes);
            }
            Op::Any | Op::All => {
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
                self.map.extend(result.map(|r| (r, v)));
            }
            Op::Cast(CastOp::Bitcast) => {
                let Some(r) = result else { return };
                let (from, to) = (b.ty(data.args[0]).lane(), b.ty(r).lane());
                let (x, y) = (from.access_bytes().unwrap_or(1), to.access_bytes().unwrap_or(1));
                let lanes = self.lanes(b, data.args[0]);
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
                self.define(b, r, &out);
            }
            Op::Load(access) => {
                let Some(r) = result else { return };
                let ty = b.ty(r);
                let bytes = piece_type(ty, 0).access_bytes().unwrap_or(16);
                let pieces = (0..piece_count(ty))
                    .map(|i| {
                        let p = b.ptr_add_const(data.args[0], i as i64 * bytes as i64);
                        let align = if i == 0 { access.align } else { access.align.min(bytes) };
                        b.load(piece_type(ty, i), p, Access { align, ..*access })
                    })
                    .collect();
                self.pieces.insert(r, pieces);
            }
            Op::Store(access) => {
                let pieces = self.of(b.func, data.args[0]);
                let bytes = b.ty(pieces[0]).access_bytes().unwrap_or(16);
                for (i, &piece) in pieces.iter().enumerate() {
                    let p = b.ptr_add_const(data.args[1], i as i64 * bytes as i64);
                    b.store(
                        piece,
                        p,
                        Access {
                            align: if i == 0 { access.align } else { access.align.min(bytes) },
                            ..*access
                        },
                    );
                }
            }
            _ => {
                // Element-wise operations.
                let Some(r) = result else {
                    b.push(inst);
                    return;
                };
                let ty = b.ty(r);
                let args: Vec<Option<Pieces>> =
                    data.args.iter().map(|&a| is_wide(b.ty(a)).then(|| self.of(b.func, a))).collect();
                let pieces = (0..piece_count(ty))
                    .map(|k| {
                        let part: Vec<Value> = args
                            .iter()
                            .zip(&data.args)
                            .map(|(p, &a)| p.as_ref().map_or(a, |p| p[k]))
                            .collect();
                        let i = b.inst(data.op.clone(), &part, &[piece_type(ty, k)]);
                        b.func.insts[i].fast = data.fast;
                        b.func.insts[i].results[0]
                    })
                    .collect();
                self.pieces.insert(r, pieces);
            }
        }
    }

    fn dynamic(&mut self, b: &mut Builder<'_>, data: &InstData) {
        let insert = data.op == Op::InsertDyn;
        let index = data.args[if insert { 2 } else { 1 }];
        let Some(&result) = data.results.first() else { return };
        let index = if b.ty(index) == I32 { index } else { b.cast(CastOp::Trunc, index, I32) };
        let mut pieces = self.of(b.func, data.args[0]);
        let (three, two) = (b.i32(3), b.i32(2));
        let lane = b.and(index, three);
        let which = b.lshr(index, two);
        let mut found = None;
        for k in 0..pieces.len() {
            let c = b.i32(k as i32);
            let here = b.icmp(IntCc::Eq, which, c);
            let ty = b.ty(pieces[k]);
            let scalar = ty.lanes() == 1;
            if insert {
                let new = if scalar {
                    data.args[1]
                } else {
                    b.value(Op::InsertDyn, &[pieces[k], data.args[1], lane], ty)
                };
                pieces[k] = b.select(here, new, pieces[k]);
            } else {
                let x =
                    if scalar { pieces[k] } else { b.value(Op::ExtractDyn, &[pieces[k], lane], ty.lane()) };
                found = Some(found.map_or(x, |f| b.select(here, x, f)));
            }
        }
        match found {
            Some(v) => drop(self.map.insert(result, v)),
            None => drop(self.pieces.insert(result, pieces)),
        }
    }
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
    let mut s = Split { pieces: HashMap::new(), map: HashMap::new() };
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
    for &block in &order {
        let insts = func.take_insts(block);
        let mut b = Builder::new(func, block);
        for inst in insts {
            s.inst(&mut b, inst);
        }
    }
    func.replace_uses(&s.map);
    true
}
