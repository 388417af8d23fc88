//! Expands 64-bit integers to pairs of 32-bit words, for devices without 64-bit arithmetic.
//!
//! A 64-bit lane becomes two 32-bit values, low and high; block parameters double. Device addresses are
//! vectors of two words. Memory is accessed in such vectors, so variables with 64-bit elements get elements
//! of two words. Divisions are in [`division`], conversions in [`ops`]. 64-bit atomic operations are errors:
//! such a device has none.

mod division;
pub(in crate::passes) mod ops;

use crate::analysis::Cfg;
use crate::error::{CompileError, Invariant, Result, ice};
use crate::ir::edit::{Rewrite, try_rewrite_blocks};
use crate::ir::*;
use crate::passes::{Pass, PassContext};
use ops::Word2;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

/// The pass `expand_ints`.
pub struct ExpandInts;

impl Pass for ExpandInts {
    fn name(&self) -> &'static str {
        "expand_ints"
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        if cx.target.int64 {
            return Ok(false);
        }
        for f in module.functions.values_mut() {
            run(f)?;
        }
        Ok(true)
    }
}

fn is_wide(ty: Type) -> bool {
    ty.scalar() == Some(Scalar::I64)
}

/// Type of a memory element in words.
fn in_words(ty: Type) -> Type {
    Type::vector(Scalar::I32, 2 * ty.lanes())
}

/// The words of a 64-bit value, by lane.
type Words = SmallVec<[Word2; 2]>;

#[derive(Default)]
struct Expander {
    /// Words of expanded values, by lane.
    words: FxHashMap<Value, Words>,
}

/// Expands the 64-bit integers of one function.
pub fn run(func: &mut Function) -> Result<()> {
    let mut w = Expander::default();
    let order = Cfg::new(func).rpo().to_vec();
    for &block in &order {
        let params = std::mem::take(&mut func.blocks[block].params);
        let mut new = Vec::new();
        for p in params {
            let ty = func.ty(p);
            if !is_wide(ty) {
                new.push(p);
                continue;
            }
            let mut lanes = Words::new();
            for _ in 0..ty.lanes() {
                let pair = [func.add_param(block, I32), func.add_param(block, I32)];
                new.extend(pair);
                lanes.push(pair);
            }
            w.words.insert(p, lanes);
        }
        func.set_params(block, new);
    }
    // Definitions are rewritten before their uses.
    try_rewrite_blocks(func, &order, |b, inst| w.inst(b, inst))?;
    for data in func.vars.values_mut().filter(|v| is_wide(v.elem)) {
        if data.elem.lanes() > 2 {
            return Err(ice!("expand_ints: elements of more than two lanes"));
        }
        data.elem = in_words(data.elem);
    }
    Ok(())
}

impl Expander {
    fn of(&self, b: &mut Builder<'_>, v: Value) -> Result<Words> {
        match b.func.as_const(v) {
            Some(Const::Bits(_, bits)) => {
                let bits = bits.clone();
                Ok(bits
                    .iter()
                    .map(|x| [b.func.bits(I32, x & 0xffff_ffff), b.func.bits(I32, x >> 32)])
                    .collect())
            }
            Some(Const::Undef(ty)) => {
                let (lanes, zero) = (ty.lanes(), b.func.bits(I32, 0));
                Ok((0..lanes).map(|_| [zero, zero]).collect())
            }
            _ => self.words.get(&v).cloned().ok_or_else(|| ice!("expand_ints: no words of {v}")),
        }
    }
    fn one(&self, b: &mut Builder<'_>, v: Value) -> Result<Word2> {
        self.of(b, v)?.first().copied().invariant("expand_ints: no lanes")
    }
    /// A device address in the form that accesses take: a vector of two words.
    fn address(&self, b: &mut Builder<'_>, v: Value) -> Result<Value> {
        let [low, high] = self.one(b, v)?;
        Ok(b.vec_build(&[low, high]))
    }

    fn inst(&mut self, b: &mut Builder<'_>, inst: Inst) -> Result<Rewrite> {
        let data = b.func.insts[inst].clone();
        let result = data.results.first().copied();
        let wide = |v: &Value| is_wide(b.ty(*v));
        let mut edges = data.targets.iter().flat_map(|t| &t.args);
        if !data.args.iter().chain(&data.results).any(wide) && !edges.any(wide) {
            return Ok(Rewrite::Keep);
        }
        if data.op.is_terminator() {
            self.edges(b, inst)?;
            return Ok(Rewrite::Keep);
        }
        if let Some(access) = data.op.access() {
            return self.access(b, inst, *access);
        }
        let Some(result) = result else {
            return Err(ice!("expand_ints: {:?} must be lowered", data.op));
        };
        let (ty, args) = (b.ty(result), &data.args);
        let lanes = match &data.op {
            Op::Icmp(cc) => {
                let (x, y) = (self.of(b, args[0])?, self.of(b, args[1])?);
                let lanes: Vec<Value> =
                    x.into_iter().zip(y).map(|(x, y)| ops::compare(b, *cc, x, y)).collect();
                return Ok(Rewrite::Replace(b.vec_build(&lanes)));
            }
            Op::Cast(op) if !is_wide(ty) => {
                return Ok(Rewrite::Replace(self.unwide(b, *op, args[0], ty)?));
            }
            Op::Bin(op) => {
                let (x, y) = (self.of(b, args[0])?, self.of(b, args[1])?);
                x.into_iter().zip(y).map(|(x, y)| ops::bin(b, *op, x, y)).collect::<Result<_>>()?
            }
            Op::Un(UnOp::Not) => self.of(b, args[0])?.into_iter().map(|x| x.map(|w| b.not(w))).collect(),
            Op::Select => {
                let (x, y) = (self.of(b, args[1])?, self.of(b, args[2])?);
                let by_lane = b.ty(args[0]).lanes() > 1;
                let pick = |(i, (x, y)): (usize, (Word2, Word2))| {
                    let c = if by_lane { b.extract(args[0], i as u8) } else { args[0] };
                    [b.select(c, x[0], y[0]), b.select(c, x[1], y[1])]
                };
                x.into_iter().zip(y).enumerate().map(pick).collect()
            }
            Op::Cast(op) => self.to_wide(b, *op, args[0], ty)?,
            Op::PushConst { offset } => {
                let word =
                    |b: &mut Builder<'_>, k: u32| b.value(Op::PushConst { offset: offset + 4 * k }, &[], I32);
                (0..ty.lanes()).map(|i| [word(b, 2 * i), word(b, 2 * i + 1)]).collect()
            }
            _ => self.moved(b, &data, ty)?,
        };
        self.words.insert(result, lanes);
        Ok(Rewrite::Remove)
    }

    /// Passes 64-bit arguments of edges in words.
    fn edges(&self, b: &mut Builder<'_>, inst: Inst) -> Result<()> {
        let mut targets = b.func.insts[inst].targets.clone();
        for t in &mut targets {
            let mut args: SmallVec<[Value; 4]> = smallvec![];
            for &a in &t.args {
                if is_wide(b.ty(a)) {
                    args.extend(self.of(b, a)?.into_iter().flatten())
                } else {
                    args.push(a)
                }
            }
            t.args = args;
        }
        b.func.insts[inst].targets = targets;
        Ok(())
    }

    /// The result of an operation that only moves lanes.
    fn moved(&self, b: &mut Builder<'_>, data: &InstData, ty: Type) -> Result<Words> {
        let args = &data.args;
        Ok(match &data.op {
            Op::Extract(i) => smallvec![self.of(b, args[0])?[*i as usize]],
            Op::Insert(i) => {
                let mut lanes = self.of(b, args[0])?;
                lanes[*i as usize] = self.one(b, args[1])?;
                lanes
            }
            Op::ExtractDyn => {
                let halves = self.halves(b, args[0])?;
                let half = halves.map(|vec| b.value(Op::ExtractDyn, &[vec, args[1]], I32));
                smallvec![half]
            }
            Op::InsertDyn => {
                let new = self.one(b, args[1])?;
                let halves = self.halves(b, args[0])?;
                let insert =
                    |k: usize| b.value(Op::InsertDyn, &[halves[k], new[k], args[2]], b.ty(halves[k]));
                let halves = [0, 1].map(insert);
                (0..ty.lanes()).map(|i| halves.map(|vec| b.extract(vec, i as u8))).collect()
            }
            Op::VecBuild => args.iter().map(|&a| self.one(b, a)).collect::<Result<_>>()?,
            Op::Splat => {
                let x = self.one(b, args[0])?;
                (0..ty.lanes()).map(|_| x).collect()
            }
            Op::Shuffle(lanes) => {
                let mut all = self.of(b, args[0])?;
                all.extend(self.of(b, args[1])?);
                let zero = b.func.bits(I32, 0);
                lanes.iter().map(|&l| all.get(l as usize).copied().unwrap_or([zero, zero])).collect()
            }
            op => {
                let what = format!("{op:?} on 64-bit integers on this device");
                return Err(CompileError::unsupported(what, data.line));
            }
        })
    }

    /// The low words and the high words of a vector's lanes.
    fn halves(&self, b: &mut Builder<'_>, v: Value) -> Result<[Value; 2]> {
        let lanes = self.of(b, v)?;
        Ok([0, 1].map(|k| {
            let words: Vec<Value> = lanes.iter().map(|l| l[k]).collect();
            b.vec_build(&words)
        }))
    }

    fn access(&mut self, b: &mut Builder<'_>, inst: Inst, access: Access) -> Result<Rewrite> {
        let data = b.func.insts[inst].clone();
        let k = data.op.address_arg().invariant("expand_ints: an access without an address")?;
        let at = data.args[k];
        let value =
            if matches!(data.op, Op::Store(_) | Op::AtomicStore { .. }) { Some(data.args[0]) } else { None };
        let result = data.results.first().copied();
        let ty = value.or(result).map_or(I32, |v| b.ty(v));
        if !is_wide(ty) {
            // Only the address is a 64-bit value.
            b.func.insts[inst].args[k] = self.address(b, at)?;
            return Ok(Rewrite::Keep);
        }
        if !matches!(data.op, Op::Load(_) | Op::Store(_)) {
            return Err(CompileError::unsupported(
                "atomic operations on 64-bit integers on this device",
                data.line,
            ));
        }
        let stored = match value {
            Some(v) => self.of(b, v)?,
            None => smallvec![],
        };
        let mut loaded = Words::new();
        // An element of a variable is accessed as a whole; device memory in vectors of up to four words.
        let mut lane = 0;
        while lane < ty.lanes() {
            let n = (ty.lanes() - lane).min(2);
            let address = match access.root {
                Root::Addr => {
                    let base = self.one(b, at)?;
                    let delta = [b.i32((8 * lane) as i32), b.i32(0)];
                    let [low, high] = if lane == 0 { base } else { ops::bin(b, BinOp::Iadd, base, delta)? };
                    b.vec_build(&[low, high])
                }
                _ => at,
            };
            let access =
                Access { align: if lane == 0 { access.align } else { access.align.min(16) }, ..access };
            if value.is_some() {
                let words: Vec<Value> =
                    stored[lane as usize..(lane + n) as usize].iter().copied().flatten().collect();
                let v = b.vec_build(&words);
                b.store(v, address, access);
            } else {
                let v = b.load(in_words(Type::vector(Scalar::I64, n)), address, access);
                loaded.extend((0..n as u8).map(|i| [b.extract(v, 2 * i), b.extract(v, 2 * i + 1)]));
            }
            lane += n;
        }
        self.words.extend(result.map(|r| (r, loaded)));
        Ok(Rewrite::Remove)
    }

    /// Conversions to 64-bit integers.
    fn to_wide(&self, b: &mut Builder<'_>, op: CastOp, x: Value, ty: Type) -> Result<Words> {
        let from = b.ty(x);
        if op == CastOp::Bitcast {
            if is_wide(from) {
                return self.of(b, x);
            }
            let lanes: SmallVec<[Value; 4]> = if from.scalar().map(Scalar::bits) == Some(64) {
                (0..from.lanes()).map(|i| b.extract(x, i as u8)).collect()
            } else {
                smallvec![x]
            };
            let mut words: Vec<Value> = Vec::new();
            for lane in lanes {
                let n = b.ty(lane).access_bytes().unwrap_or(8) / 4;
                let vec = b.bitcast(lane, Type::vector(Scalar::I32, n));
                words.extend((0..n as u8).map(|i| b.extract(vec, i)));
            }
            return Ok(words.chunks(2).map(|w| [w[0], w[1]]).collect());
        }
        let lanes: Vec<Value> = (0..ty.lanes()).map(|i| b.extract(x, i as u8)).collect();
        lanes.into_iter().map(|lane| ops::widen(b, op, lane)).collect()
    }

    /// Conversions from 64-bit integers.
    fn unwide(&self, b: &mut Builder<'_>, op: CastOp, x: Value, ty: Type) -> Result<Value> {
        let words = self.of(b, x)?;
        if op != CastOp::Bitcast {
            let lanes: Result<Vec<Value>> =
                words.into_iter().map(|w| ops::narrow(b, op, w, ty.lane())).collect();
            let lanes = lanes?;
            return Ok(b.vec_build(&lanes));
        }
        if ty.scalar().map(Scalar::bits) == Some(64) {
            let lanes: Vec<Value> = words
                .iter()
                .map(|w| {
                    let pair = b.vec_build(w);
                    b.bitcast(pair, ty.lane())
                })
                .collect();
            return Ok(b.vec_build(&lanes));
        }
        let flat: Vec<Value> = words.into_iter().flatten().collect();
        if flat.len() > 4 {
            return Err(ice!("expand_ints: a vector of more than four words"));
        }
        let vec = b.vec_build(&flat);
        Ok(b.bitcast(vec, ty))
    }
}
