//! Promotes 8- and 16-bit integers to 32 bits, for devices without arithmetic on them, and for Cranelift,
//! whose vectors of work-items have lanes of 32 and 64 bits.
//!
//! A value of a type that the target lacks is held zero-extended in 32 bits: operations whose result may be
//! larger mask it, and signed operations extend the sign first. Only loads and stores keep the small type,
//! with a conversion beside them, if the target can store it; otherwise `lower_access` has already turned
//! them into accesses of words. In native code parameters, calls and other operations keep it as well.
//!
//! Runs last for Vulkan, as folding would create constants of the small types again.

use crate::error::{CompileError, Result, ice};
use crate::ir::edit::{Rewrite, try_rewrite_insts};
use crate::ir::*;
use crate::passes::{Pass, PassContext};
use crate::target::Target;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The pass `promote_ints`.
pub struct PromoteInts;

impl Pass for PromoteInts {
    fn name(&self) -> &'static str {
        "promote_ints"
    }
    fn applies(&self, cx: &PassContext<'_>) -> bool {
        !cx.target.is_instrumented() && (lacks(cx.target, I8) || lacks(cx.target, I16))
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for f in module.functions.values_mut().filter(|f| f.entry().is_some()) {
            changed |= run(f, cx.target)?;
        }
        Ok(changed)
    }
}

fn lacks(target: &Target, ty: Type) -> bool {
    let is_cranelift = target.cpu().is_some_and(|cpu| cpu.generator.is_cranelift());
    match ty.scalar() {
        Some(Scalar::I8) => is_cranelift || !target.int8,
        Some(Scalar::I16) => is_cranelift || !target.int16,
        _ => false,
    }
}

fn wide(ty: Type) -> Type {
    ty.with_scalar(Scalar::I32)
}

fn bits_of(ty: Type) -> u32 {
    ty.scalar().map_or(32, Scalar::bits)
}

/// Whether an operation is made on 32 bits in native code: it computes, moves lanes or whole values, or
/// branches.
fn is_promoted(op: &Op) -> bool {
    matches!(
        op,
        Op::Bin(_)
            | Op::Un(_)
            | Op::Cast(_)
            | Op::Icmp(_)
            | Op::Select
            | Op::Extract(_)
            | Op::ExtractDyn
            | Op::Insert(_)
            | Op::InsertDyn
            | Op::VecBuild
            | Op::Splat
            | Op::Shuffle(_)
            | Op::Jump
            | Op::BrIf
            | Op::Switch(_)
    )
}

struct Promoter<'a> {
    target: &'a Target,
    /// Types of values before promotion.
    old: FxHashMap<Value, Type>,
}

/// Promotes the small integers of one function; true if there were any.
pub fn run(func: &mut Function, target: &Target) -> Result<bool> {
    let mut s = Promoter { target, old: FxHashMap::default() };
    let params = func.entry().map(|entry| func.blocks[entry].params.clone()).unwrap_or_default();
    for v in func.values.keys() {
        let ty = func.values[v].ty;
        if lacks(target, ty) && func.as_const(v).is_none() && !params.contains(&v) {
            s.old.insert(v, ty);
            func.values[v].ty = wide(ty);
        }
    }
    try_rewrite_insts(func, |b, inst| s.inst(b, inst))?;
    Ok(!s.old.is_empty())
}

impl Promoter<'_> {
    /// Type of a value before promotion.
    fn ty(&self, b: &Builder<'_>, v: Value) -> Type {
        self.old.get(&v).copied().unwrap_or_else(|| b.ty(v))
    }

    /// A value in promoted form: constants of small types become 32-bit ones.
    fn held(&self, b: &mut Builder<'_>, v: Value) -> Value {
        match b.func.as_const(v) {
            Some(Const::Bits(ty, bits)) if lacks(self.target, *ty) => {
                let (ty, bits) = (wide(*ty), bits.clone());
                b.func.constant(Const::Bits(ty, bits))
            }
            // Any value within the small range will do.
            Some(&Const::Undef(ty)) if lacks(self.target, ty) => b.func.bits(wide(ty), 0),
            // A parameter of a function.
            None if lacks(self.target, b.ty(v)) => b.cast(CastOp::Zext, v, wide(b.ty(v))),
            _ => v,
        }
    }

    /// Masks a 32-bit value to its low `bits`.
    fn mask(&self, b: &mut Builder<'_>, v: Value, bits: u32) -> Value {
        let m = b.func.bits(b.ty(v), (1u64 << bits) - 1);
        b.and(v, m)
    }

    /// Sign-extends a promoted value of `bits` bits.
    fn signed(&self, b: &mut Builder<'_>, v: Value, bits: u32) -> Value {
        let n = b.func.bits(b.ty(v), (32 - bits) as u64);
        let high = b.shl(v, n);
        b.bin(BinOp::Ashr, high, n)
    }

    fn inst(&self, b: &mut Builder<'_>, inst: Inst) -> Result<Rewrite> {
        let data = b.func.insts[inst].clone();
        let types: SmallVec<[Type; 4]> = data.args.iter().map(|&a| self.ty(b, a)).collect();
        let result = data.results.first().copied();
        let ty = result.map_or(I32, |r| self.ty(b, r));
        let small = |t: &Type| lacks(self.target, *t);
        if !small(&ty)
            && !types.iter().any(small)
            && !data.targets.iter().any(|t| t.args.iter().any(|&a| small(&b.ty(a))))
        {
            return Ok(Rewrite::Keep);
        }
        let value = match &data.op {
            Op::Load(access) => {
                let v = b.load(ty, data.args[0], *access);
                Some(b.cast(CastOp::Zext, v, wide(ty)))
            }
            Op::Store(access) => {
                let held = self.held(b, data.args[0]);
                let v = b.cast(CastOp::Trunc, held, types[0]);
                b.store(v, data.args[1], *access);
                None
            }
            op if self.target.cpu().is_some() && !is_promoted(op) => return Ok(self.keep(b, &data, &types)),
            Op::AtomicRmw { .. } | Op::AtomicCas { .. } | Op::AtomicLoad { .. } | Op::AtomicStore { .. } => {
                return Err(CompileError::unsupported("atomic operations on 8 or 16 bits", data.line));
            }
            Op::Bin(op) => {
                let (x, y) = (self.held(b, data.args[0]), self.held(b, data.args[1]));
                Some(self.bin(b, *op, x, y, bits_of(ty)))
            }
            Op::Un(op) => {
                let x = self.held(b, data.args[0]);
                Some(self.un(b, *op, x, bits_of(ty)))
            }
            Op::Cast(op) => {
                let x = self.held(b, data.args[0]);
                Some(self.cast(b, *op, x, types[0], ty))
            }
            Op::Icmp(cc) => {
                let (mut x, mut y) = (self.held(b, data.args[0]), self.held(b, data.args[1]));
                if matches!(cc, IntCc::Slt | IntCc::Sle | IntCc::Sgt | IntCc::Sge) {
                    (x, y) = (self.signed(b, x, bits_of(types[0])), self.signed(b, y, bits_of(types[0])));
                }
                Some(b.icmp(*cc, x, y))
            }
            Op::Arg { .. }
            | Op::Implicit(_)
            | Op::PushConst { .. }
            | Op::Call(_)
            | Op::Convert { .. }
            | Op::OpenCl(_)
            | Op::Memset(_) => {
                return Err(ice!("promote_ints: {:?} must be lowered", data.op));
            }
            _ => {
                // Moves of lanes and of whole values, edges.
                let args: Vec<Value> = data.args.iter().map(|&a| self.held(b, a)).collect();
                let mut targets = data.targets.clone();
                for a in targets.iter_mut().flat_map(|t| t.args.iter_mut()) {
                    *a = self.held(b, *a);
                }
                let d = &mut b.func.insts[inst];
                d.args = args.into_iter().collect();
                d.targets = targets;
                return Ok(Rewrite::Keep);
            }
        };
        Ok(value.into())
    }

    /// An operation whose operands and result keep their types.
    fn keep(&self, b: &mut Builder<'_>, data: &InstData, types: &[Type]) -> Rewrite {
        let is_small = |ty: Type| lacks(self.target, ty);
        let narrow = |b: &mut Builder<'_>, v: Value, ty: Type| match is_small(ty) {
            true => {
                let held = self.held(b, v);
                b.cast(CastOp::Trunc, held, ty)
            }
            false => v,
        };
        let args: Vec<Value> = data.args.iter().zip(types).map(|(v, ty)| narrow(b, *v, *ty)).collect();
        let Some(ty) = data.results.first().map(|v| self.ty(b, *v)) else {
            b.inst(data.op.clone(), &args, &[]);
            return Rewrite::Remove;
        };
        let kept = b.value(data.op.clone(), &args, ty);
        Rewrite::Replace(if is_small(ty) { b.cast(CastOp::Zext, kept, wide(ty)) } else { kept })
    }

    fn bin(&self, b: &mut Builder<'_>, op: BinOp, x: Value, y: Value, bits: u32) -> Value {
        use BinOp::*;
        let both = |s: &Self, b: &mut Builder<'_>| (s.signed(b, x, bits), s.signed(b, y, bits));
        let amount = |b: &mut Builder<'_>| {
            let (ty, most) = (b.ty(y), u64::from(bits) - 1);
            match b.func.as_bits(y) {
                Some(by) => b.func.bits(ty, by & most),
                None => {
                    let most = b.func.bits(ty, most);
                    b.and(y, most)
                }
            }
        };
        let v = match op {
            And | Or | Xor | Umin | Umax => return b.bin(op, x, y),
            // Division by zero may have any result, which must not be larger than the type.
            Udiv | Urem if b.func.as_bits(y).is_some_and(|y| y != 0) => return b.bin(op, x, y),
            Udiv | Urem => b.bin(op, x, y),
            Iadd | Isub | Imul => b.bin(op, x, y),
            Sdiv | Srem | Smin | Smax => {
                let (x, y) = both(self, b);
                b.bin(op, x, y)
            }
            Shl => {
                let n = amount(b);
                b.shl(x, n)
            }
            Lshr => {
                let n = amount(b);
                return b.lshr(x, n);
            }
            Ashr => {
                let (x, n) = (self.signed(b, x, bits), amount(b));
                b.bin(Ashr, x, n)
            }
            Rotl => {
                let n = amount(b);
                let high = b.shl(x, n);
                let width = b.func.bits(b.ty(y), bits as u64);
                // The width is less than 32, so a rotation by zero shifts everything out.
                let rest = b.isub(width, n);
                let low = b.lshr(x, rest);
                b.or(high, low)
            }
            UmulHi => {
                let p = b.imul(x, y);
                let n = b.func.bits(b.ty(p), bits as u64);
                return b.lshr(p, n);
            }
            SmulHi => {
                let (x, y) = both(self, b);
                let p = b.imul(x, y);
                let n = b.func.bits(b.ty(p), bits as u64);
                b.lshr(p, n)
            }
            Fadd | Fsub | Fmul | Fdiv | Frem | Fmin | Fmax => return b.bin(op, x, y),
        };
        self.mask(b, v, bits)
    }

    fn un(&self, b: &mut Builder<'_>, op: UnOp, x: Value, bits: u32) -> Value {
        let ty = b.ty(x);
        match op {
            UnOp::Not => {
                let m = b.func.bits(ty, (1u64 << bits) - 1);
                b.bin(BinOp::Xor, x, m)
            }
            UnOp::Clz => {
                let n = b.un(op, x);
                let c = b.func.bits(ty, (32 - bits) as u64);
                b.isub(n, c)
            }
            UnOp::Ctz => {
                let stop = b.func.bits(ty, 1 << bits);
                let x = b.or(x, stop);
                b.un(op, x)
            }
            UnOp::Bitrev => {
                let r = b.un(op, x);
                let c = b.func.bits(ty, (32 - bits) as u64);
                b.lshr(r, c)
            }
            _ => b.un(op, x),
        }
    }

    fn cast(&self, b: &mut Builder<'_>, op: CastOp, x: Value, from: Type, to: Type) -> Value {
        let (small_from, small_to) = (lacks(self.target, from), lacks(self.target, to));
        let (from_bits, to_bits) = (bits_of(from), bits_of(to));
        let t32 = wide(to);
        // Converts by way of 32 bits where the type differs.
        let out =
            |b: &mut Builder<'_>, op: CastOp, v: Value| if b.ty(v) == to { v } else { b.cast(op, v, to) };
        match op {
            CastOp::Bitcast => self.bitcast(b, x, from, to),
            CastOp::Trunc if small_to => {
                let x = if b.ty(x) == t32 {
                    x
                } else if from_bits > 32 {
                    b.cast(CastOp::Trunc, x, t32)
                } else {
                    b.cast(CastOp::Zext, x, t32)
                };
                self.mask(b, x, to_bits)
            }
            CastOp::Trunc => out(b, CastOp::Trunc, x),
            CastOp::Zext | CastOp::Sext => {
                let x = match (small_from, op) {
                    (true, CastOp::Sext) => self.signed(b, x, from_bits),
                    (true, _) => x,
                    (false, _) => b.cast(op, x, t32),
                };
                match (small_to, op) {
                    (true, CastOp::Sext) => self.mask(b, x, to_bits),
                    (true, _) => x,
                    // From 8 to 16 bits on targets that lack only 8-bit arithmetic.
                    (false, _) if to_bits < 32 => b.cast(CastOp::Trunc, x, to),
                    (false, _) => out(b, op, x),
                }
            }
            CastOp::FpToS | CastOp::FpToU => {
                let v = b.cast(op, x, t32);
                self.mask(b, v, to_bits)
            }
            CastOp::SToFp => {
                let x = self.signed(b, x, from_bits);
                b.cast(op, x, to)
            }
            _ => b.cast(op, x, to),
        }
    }

    /// Bitcast by way of 32-bit words.
    fn bitcast(&self, b: &mut Builder<'_>, x: Value, from: Type, to: Type) -> Value {
        if from == to {
            return x;
        }
        let lanes: Vec<Value> = (0..from.lanes()).map(|i| b.extract(x, i as u8)).collect();
        let per_word = (32 / bits_of(from)).max(1) as usize;
        let mut words = Vec::new();
        for group in lanes.chunks(per_word) {
            match from.scalar() {
                Some(Scalar::I8 | Scalar::I16) => {
                    let mut word = None;
                    for (i, &lane) in group.iter().enumerate() {
                        let lane = if b.ty(lane) == I32 { lane } else { b.cast(CastOp::Zext, lane, I32) };
                        let n = b.i32((i as u32 * bits_of(from)) as i32);
                        let part = if i == 0 { lane } else { b.shl(lane, n) };
                        word = Some(word.map_or(part, |w| b.or(w, part)));
                    }
                    words.extend(word);
                }
                Some(Scalar::F16) => {
                    let second = group.get(1).copied().unwrap_or_else(|| b.func.bits(F16, 0));
                    let pair = b.vec_build(&[group[0], second]);
                    words.push(b.cast(CastOp::Bitcast, pair, I32));
                }
                Some(Scalar::I64 | Scalar::F64) => {
                    let pair = b.cast(CastOp::Bitcast, group[0], Type::Vector(Scalar::I32, 2));
                    words.extend([b.extract(pair, 0), b.extract(pair, 1)]);
                }
                _ => words.push(b.bitcast(group[0], I32)),
            }
        }
        let mut out = Vec::new();
        let bits = bits_of(to);
        match to.scalar() {
            Some(s @ (Scalar::I8 | Scalar::I16)) => {
                for i in 0..to.lanes() {
                    let at = i * bits;
                    let n = b.i32((at % 32) as i32);
                    let word = words[(at / 32) as usize];
                    let v = if at.is_multiple_of(32) { word } else { b.lshr(word, n) };
                    // The topmost part needs no mask.
                    let v = if at % 32 + bits == 32 { v } else { self.mask(b, v, bits) };
                    out.push(if lacks(self.target, to) {
                        v
                    } else {
                        b.cast(CastOp::Trunc, v, Type::Scalar(s))
                    });
                }
            }
            Some(Scalar::F16) => {
                for i in 0..to.lanes() {
                    let pair = b.cast(CastOp::Bitcast, words[(i / 2) as usize], Type::Vector(Scalar::F16, 2));
                    out.push(b.extract(pair, (i % 2) as u8));
                }
            }
            Some(Scalar::I64 | Scalar::F64) => {
                for pair in words.chunks(2) {
                    let pair = b.vec_build(pair);
                    out.push(b.cast(CastOp::Bitcast, pair, to.lane()));
                }
            }
            _ => out.extend(words.iter().map(|&w| b.bitcast(w, to.lane())).collect::<Vec<_>>()),
        }
        b.vec_build(&out)
    }
}
