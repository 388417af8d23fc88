//! Arithmetic, conversions and OpenCL vectors.

use super::state::{Operand, OperandKind};
use super::vectorizer::Vectorizer;
use crate::analysis::uniformity::{Uniformity, is_limit};
use crate::error::{CompileError, Result};
use crate::ir::*;

impl Vectorizer<'_> {
    /// Vectorises an instruction; returns its result, if it has one.
    pub(super) fn operation(&mut self, inst: Inst) -> Result<Option<Operand>> {
        let func = self.func;
        let data = &func.insts[inst];
        let ty = data.results.first().map_or(I32, |r| func.ty(*r));
        Ok(Some(match &data.op {
            Op::Load(access) => self.load(access, data.args[0], ty)?,
            Op::Store(access) => {
                self.store(access, data.args[0], data.args[1])?;
                return Ok(None);
            }
            Op::AtomicRmw { .. } | Op::AtomicCas { .. } | Op::AtomicLoad { .. } | Op::AtomicStore { .. } => {
                return self.atomic(data, ty);
            }
            Op::Fence { .. } => {
                self.inst(data.op.clone(), &[], &[]);
                return Ok(None);
            }
            Op::Check(check) => return self.check(data, check, ty),
            Op::SlotAddr(slot) => {
                let base = self.value(Op::SlotAddr(*slot), &[], ty);
                Operand::affine(base, self.r.info.slot_stride.get(slot).copied().unwrap_or(1))
            }
            Op::GlobalAddr(_) | Op::PrintBuffer | Op::Implicit(_) => {
                Operand::uniform(self.value(data.op.clone(), &[], ty))
            }
            Op::Arg { .. } => {
                let value = self.value(data.op.clone(), &[], ty);
                Operand::uniform_parts(self.scalars(value))
            }
            Op::Group { op, .. } => self.group(*op, &data.args, ty)?,
            // Sub-groups are vectors, whose work-items run in lockstep.
            Op::Barrier { .. } => return Ok(None),
            Op::WorkItem { query, dim } => self.query(*query, *dim, ty),
            Op::Runtime(_) => return self.runtime_call(data),
            // One clock for all scopes, read once for the vector.
            Op::Clock(_) => Operand::uniform(self.value(data.op.clone(), &[], ty)),
            Op::Call(callee) => return self.call(*callee, &data.args, &data.results),
            _ => match self.affine(data, ty)? {
                Some(operand) => operand,
                None => self.elementwise(data, ty)?,
            },
        }))
    }

    /// Operations that keep values affine: the result is a scalar that grows from lane to lane.
    fn affine(&mut self, data: &InstData, ty: Type) -> Result<Option<Operand>> {
        let Some(&result) = data.results.first() else { return Ok(None) };
        let Uniformity::Affine(step) = self.r.info.of(result) else { return Ok(None) };
        let mut args = Vec::new();
        for a in &data.args {
            args.push(self.get(*a)?);
        }
        // Parameters of joins may be vectors although their uniformity is affine.
        if args.iter().any(|a| a.kind == OperandKind::Varying) {
            return Ok(None);
        }
        match &data.op {
            Op::Bin(BinOp::Iadd | BinOp::Isub | BinOp::Imul | BinOp::Shl) | Op::PtrAdd => {}
            op if is_limit(op) => {}
            Op::Cast(
                CastOp::Trunc
                | CastOp::Sext
                | CastOp::Zext
                | CastOp::PtrToInt
                | CastOp::IntToPtr
                | CastOp::PtrCast,
            ) => {}
            _ => return Ok(None),
        }
        let parts: Vec<Value> = args.iter().map(|a| a.parts[0]).collect();
        let base = self.value(data.op.clone(), &parts, ty);
        // The result is affine only where its operands are; each has a vector for the other case.
        let mut guard: Option<Value> = None;
        for a in &args {
            if let OperandKind::Affine { guard: Some((g, _)), .. } = &a.kind {
                guard = Some(self.also(guard, *g));
            }
        }
        // An unsigned number may wrap around within the vector (for a signed one that is undefined in OpenCL
        // C).
        if data.op == Op::Cast(CastOp::Zext) {
            let span = step * i64::from(self.width - 1);
            let from = self.out.ty(parts[0]);
            let span = self.constant(from, span as u64);
            let last = self.bin(BinOp::Iadd, parts[0], span);
            let cc = if step >= 0 { IntCc::Uge } else { IntCc::Ule };
            let fits = self.icmp(cc, last, parts[0]);
            guard = Some(self.also(guard, fits));
        }
        if is_limit(&data.op) {
            let fits = self.is_within_limit(&data.op, &args, step);
            guard = Some(self.also(guard, fits));
        }
        let guard = match guard {
            None => None,
            Some(g) => Some((g, self.lanes(data, ty, true)?.parts[0])),
        };
        Ok(Some(Operand { kind: OperandKind::Affine { step, guard }, parts: vec![base] }))
    }

    /// The conjunction of a guard, if there is one, and a condition.
    fn also(&mut self, guard: Option<Value>, condition: Value) -> Value {
        guard.map_or(condition, |guard| self.bin(BinOp::And, guard, condition))
    }

    /// Whether no work-item reaches the limit of a minimum or maximum of an affine and a uniform operand.
    fn is_within_limit(&mut self, op: &Op, args: &[Operand], step: i64) -> Value {
        let (affine, limit) = if args[0].is_uniform() { (1, 0) } else { (0, 1) };
        let (first, limit) = (args[affine].parts[0], args[limit].parts[0]);
        let span = self.constant(self.out.ty(first), (step * i64::from(self.width - 1)) as u64);
        let last = self.bin(BinOp::Iadd, first, span);
        let (low, high) = if step >= 0 { (first, last) } else { (last, first) };
        let is_signed = matches!(op, Op::Bin(BinOp::Smin | BinOp::Smax));
        let not_above = if is_signed { IntCc::Sle } else { IntCc::Ule };
        let does_not_wrap = self.icmp(not_above, low, high);
        let fits = match op {
            Op::Bin(BinOp::Smin | BinOp::Umin) => self.icmp(not_above, high, limit),
            _ => self.icmp(not_above, limit, low),
        };
        self.bin(BinOp::And, does_not_wrap, fits)
    }

    /// An operation on scalars if all operands are uniform, else on vectors.
    fn elementwise(&mut self, data: &InstData, ty: Type) -> Result<Operand> {
        let mut varying = false;
        for a in &data.args {
            varying |= !self.get(*a)?.is_uniform();
        }
        self.lanes(data, ty, varying)
    }

    fn lanes(&mut self, data: &InstData, ty: Type, varying: bool) -> Result<Operand> {
        let mut args: Vec<Vec<Value>> = Vec::new();
        for a in &data.args {
            let v = self.get(*a)?;
            args.push(if varying { self.vectors(&v) } else { v.parts });
        }
        let n = ty.lanes() as usize;
        let part = self.part(ty, varying);
        let parts = match &data.op {
            Op::Bin(op) => {
                let known = self.func.as_bits(data.args[1]);
                let pairs = args[0].iter().zip(&args[1]);
                pairs.map(|(x, y)| self.binary(*op, *x, *y, known, data.fast)).collect()
            }
            Op::Un(_) | Op::Fma | Op::Mad | Op::Icmp(_) | Op::Fcmp(_) | Op::PtrAdd | Op::IsSpace(_) => {
                (0..n).map(|i| self.each(data, &args, i, part)).collect()
            }
            Op::Cast(CastOp::Bitcast) => self.bitcast(&args[0], self.func.ty(data.args[0]), ty, varying)?,
            Op::Cast(_) => (0..n).map(|i| self.each(data, &args, i, part)).collect(),
            Op::Select => {
                let whole = args[0].len() == 1;
                let one = |v: &mut Self, i: usize| {
                    let c = args[0][if whole { 0 } else { i }];
                    v.value(Op::Select, &[c, args[1][i], args[2][i]], part)
                };
                (0..n).map(|i| one(self, i)).collect()
            }
            Op::Image { op: ImageOp::Address, .. } => vec![self.cast(CastOp::IntToPtr, args[0][0], part)],
            op => self.vector_op(op, &args, part, n, data.line)?,
        };
        Ok(Operand { kind: if varying { OperandKind::Varying } else { OperandKind::Uniform }, parts })
    }

    /// The operation on a part of each operand.
    fn each(&mut self, data: &InstData, args: &[Vec<Value>], i: usize, ty: Type) -> Value {
        let args: Vec<Value> = args.iter().map(|a| a[i]).collect();
        self.fast_value(data.op.clone(), &args, ty, data.fast)
    }

    /// Operations on OpenCL vectors, whose lanes are the parts.
    fn vector_op(
        &mut self,
        op: &Op,
        args: &[Vec<Value>],
        part: Type,
        n: usize,
        line: u32,
    ) -> Result<Vec<Value>> {
        let select = |v: &mut Self, is, a, b| v.value(Op::Select, &[is, a, b], part);
        Ok(match op {
            Op::Extract(i) => vec![args[0][*i as usize]],
            Op::Insert(i) => {
                let mut parts = args[0].clone();
                parts[*i as usize] = args[1][0];
                parts
            }
            Op::ExtractDyn => {
                let mut found = args[0][0];
                for i in 1..args[0].len() {
                    let is = self.equals(args[1][0], i);
                    found = select(self, is, args[0][i], found);
                }
                vec![found]
            }
            Op::InsertDyn => {
                let mut parts = Vec::with_capacity(n);
                for i in 0..n {
                    let is = self.equals(args[2][0], i);
                    parts.push(select(self, is, args[1][0], args[0][i]));
                }
                parts
            }
            Op::VecBuild => args.iter().map(|a| a[0]).collect(),
            Op::Splat => vec![args[0][0]; n],
            Op::Shuffle(lanes) => {
                let undefined = self.out.bits(part, 0);
                let first = args[0].len();
                let pick = |l: &u8| match *l as usize {
                    255 => undefined,
                    l if l < first => args[0][l],
                    l => args[1][l - first],
                };
                lanes.iter().map(pick).collect()
            }
            Op::Any | Op::All => {
                let join = if *op == Op::Any { BinOp::Or } else { BinOp::And };
                let mut all = args[0][0];
                for x in &args[0][1..] {
                    all = self.bin(join, all, *x);
                }
                vec![all]
            }
            op => return Err(CompileError::unsupported(format!("{op:?} on this device"), line)),
        })
    }

    fn equals(&mut self, index: Value, i: usize) -> Value {
        let ty = self.out.ty(index);
        let i = self.constant(ty, i as u64);
        self.icmp(IntCc::Eq, index, i)
    }

    /// A binary operation. `known`: the second operand, if it is constant.
    fn binary(&mut self, op: BinOp, x: Value, y: Value, known: Option<u64>, fast: FastMath) -> Value {
        let ty = self.out.ty(x);
        if !matches!(op, BinOp::Udiv | BinOp::Urem | BinOp::Sdiv | BinOp::Srem) {
            return self.fast_value(Op::Bin(op), &[x, y], ty, fast);
        }
        let bits = ty.scalar().map_or(32, Scalar::bits);
        let ones = u64::MAX >> (64 - bits);
        let mut y = y;
        // Divisors that would trap are replaced by 1; the result is then arbitrary.
        if known.is_none_or(|k| k == 0 || k == ones) {
            let (zero, one) = (self.constant(ty, 0), self.constant(ty, 1));
            let mut bad = self.icmp(IntCc::Eq, y, zero);
            if matches!(op, BinOp::Sdiv | BinOp::Srem) {
                let (least, minus) = (self.constant(ty, 1 << (bits - 1)), self.constant(ty, ones));
                let a = self.icmp(IntCc::Eq, x, least);
                let b = self.icmp(IntCc::Eq, y, minus);
                let both = self.bin(BinOp::And, a, b);
                bad = self.bin(BinOp::Or, bad, both);
            }
            y = self.value(Op::Select, &[bad, one, y], ty);
        }
        if ty.lanes() > 1 && bits <= 32 && known.is_none() {
            return self.divided_as_floats(op, bits, x, y);
        }
        self.value(Op::Bin(op), &[x, y], ty)
    }

    /// Integer division of vectors by floating-point division, as processors have no integer one. With twice
    /// the bits the rounded quotient has the right integer part: a quotient that is not an integer is further
    /// from the next one than the rounding error.
    fn divided_as_floats(&mut self, op: BinOp, bits: u32, x: Value, y: Value) -> Value {
        let ty = self.out.ty(x);
        let float = ty.with_scalar(if bits == 32 { Scalar::F64 } else { Scalar::F32 });
        let (to, back) = if matches!(op, BinOp::Sdiv | BinOp::Srem) {
            (CastOp::SToFp, CastOp::FpToS)
        } else {
            (CastOp::UToFp, CastOp::FpToU)
        };
        let (a, b) = (self.cast(to, x, float), self.cast(to, y, float));
        let exact = self.bin(BinOp::Fdiv, a, b);
        let quotient = self.cast(back, exact, ty);
        if matches!(op, BinOp::Udiv | BinOp::Sdiv) {
            return quotient;
        }
        let product = self.bin(BinOp::Imul, quotient, y);
        self.bin(BinOp::Isub, x, product)
    }

    /// Reinterprets the bits in lanes of another type.
    fn bitcast(&mut self, x: &[Value], from: Type, to: Type, varying: bool) -> Result<Vec<Value>> {
        let (Some(a), Some(b)) = (from.scalar(), to.scalar()) else {
            return Err(CompileError::internal("a bitcast of what has no bits"));
        };
        if a == b {
            return Ok(x.to_vec());
        }
        let part = |v: &Self, s: Scalar| v.part(Type::Scalar(s), varying);
        let tb = part(self, b);
        if a.bits() == b.bits() {
            return Ok(x.iter().map(|p| self.cast(CastOp::Bitcast, *p, tb)).collect());
        }
        // By integers: lanes are concatenated or divided.
        let (ia, ib) = (part(self, a.to_int()), part(self, b.to_int()));
        let ints: Vec<Value> =
            x.iter().map(|p| if a.is_int() { *p } else { self.cast(CastOp::Bitcast, *p, ia) }).collect();
        let mut parts = Vec::new();
        if a.bits() < b.bits() {
            for chunk in ints.chunks((b.bits() / a.bits()) as usize) {
                let mut sum: Option<Value> = None;
                for (i, p) in (0u32..).zip(chunk) {
                    let wide = self.cast(CastOp::Zext, *p, ib);
                    let by = self.constant(ib, u64::from(i * a.bits()));
                    let moved = self.bin(BinOp::Shl, wide, by);
                    sum = Some(match sum {
                        Some(s) => self.bin(BinOp::Or, s, moved),
                        None => moved,
                    });
                }
                parts.extend(sum);
            }
        } else {
            for p in &ints {
                for i in 0..a.bits() / b.bits() {
                    let by = self.constant(ia, u64::from(i * b.bits()));
                    let moved = self.bin(BinOp::Lshr, *p, by);
                    parts.push(self.cast(CastOp::Trunc, moved, ib));
                }
            }
        }
        if b.is_float() {
            parts = parts.iter().map(|p| self.cast(CastOp::Bitcast, *p, tb)).collect();
        }
        Ok(parts)
    }
}
