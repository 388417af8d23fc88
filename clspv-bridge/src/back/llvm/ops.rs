//! Arithmetic, conversions, vectors and queries.

use super::emit::Emit;
use super::operand::{Operand, OperandKind, lane_name, literal, scalar_name, suffix};
use crate::analysis::uniformity::Uniformity;
use crate::error::{CompileError, Result};
use crate::ir::*;

impl Emit<'_> {
    /// Emits an instruction; returns its result, which is meaningless if the instruction has none.
    pub fn operation(&mut self, inst: Inst) -> Result<Operand> {
        let data = self.func.insts[inst].clone();
        let ty = data.results.first().map_or(I32, |r| self.func.ty(*r));
        match &data.op {
            Op::Load(_)
            | Op::Store(_)
            | Op::AtomicRmw { .. }
            | Op::AtomicCas { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Fence { .. }
            | Op::SlotAddr(_)
            | Op::GlobalAddr(_)
            | Op::Arg { .. }
            | Op::Implicit(_)
            | Op::PrintBuffer
            | Op::IsSpace(_) => self.memory(&data, ty),
            Op::Group { op, .. } => self.group(*op, &data.args, ty),
            // Sub-groups are vectors, whose work-items run in lockstep.
            Op::Barrier { .. } => Ok(Operand::uniform("0")),
            Op::Check(check) => self.check(&data, check, ty),
            Op::WorkItem { query, dim } => self.query(*query, *dim, ty),
            Op::Runtime(call) => self.runtime_call(&data, *call),
            // One clock for all scopes, read once for the vector.
            Op::Clock(_) => Ok(self.clock()),
            Op::Call(callee) => self.call(*callee, &data.args, &data.results),
            _ => {
                if let Some(line) = self.affine(&data, ty)? {
                    return Ok(line);
                }
                self.elementwise(&data, ty)
            }
        }
    }

    fn fast(&self, f: FastMath) -> String {
        let mut out = String::new();
        for (on, word) in [
            (f.fast, "fast "),
            (f.no_nan && !f.fast, "nnan "),
            (f.no_inf && !f.fast, "ninf "),
            (f.no_signed_zero && !f.fast, "nsz "),
            (f.allow_recip && !f.fast, "arcp "),
            (f.contract && !f.fast, "contract "),
        ] {
            if on {
                out.push_str(word);
            }
        }
        out
    }

    /// Operations that keep values affine: the result is a scalar that grows from lane to lane.
    fn affine(&mut self, data: &InstData, ty: Type) -> Result<Option<Operand>> {
        let Some(&result) = data.results.first() else { return Ok(None) };
        let Uniformity::Affine(step) = self.r.uniformity.of(result) else { return Ok(None) };
        let mut args = Vec::new();
        for a in &data.args {
            args.push(self.get(*a)?);
        }
        // Parameters of joins may be vectors although their uniformity is affine.
        if args.iter().any(|a| a.kind == OperandKind::Varying) {
            return Ok(None);
        }
        let (x, y) = (args[0].parts[0].clone(), args.get(1).map(|a| a.parts[0].clone()).unwrap_or_default());
        let lane = lane_name(ty);
        let from = lane_name(self.func.ty(data.args[0]));
        let text = match &data.op {
            Op::Bin(BinOp::Iadd) => format!("add {lane} {x}, {y}"),
            Op::Bin(BinOp::Isub) => format!("sub {lane} {x}, {y}"),
            Op::Bin(BinOp::Imul) => format!("mul {lane} {x}, {y}"),
            Op::Bin(BinOp::Shl) => format!("shl {lane} {x}, {y}"),
            Op::PtrAdd => format!("getelementptr i8, ptr {x}, i64 {y}"),
            Op::Cast(CastOp::Trunc) => format!("trunc {from} {x} to {lane}"),
            Op::Cast(CastOp::Sext) => format!("sext {from} {x} to {lane}"),
            Op::Cast(CastOp::Zext) => format!("zext {from} {x} to {lane}"),
            Op::Cast(CastOp::PtrToInt) => format!("ptrtoint {from} {x} to {lane}"),
            Op::Cast(CastOp::IntToPtr) => format!("inttoptr {from} {x} to {lane}"),
            Op::Cast(CastOp::PtrCast) => {
                return Ok(Some(args.swap_remove(0)));
            }
            _ => return Ok(None),
        };
        let base = self.def(text);
        // The result is affine only where its operands are; each has a vector for the other case.
        let mut guard: Option<String> = None;
        for a in &args {
            if let OperandKind::Affine { guard: Some((g, _)), .. } = &a.kind {
                guard = Some(match guard {
                    Some(other) => self.def(format!("and i1 {other}, {g}")),
                    None => g.clone(),
                });
            }
        }
        // An unsigned number may wrap around within the vector (for a signed one that is undefined in OpenCL
        // C).
        if data.op == Op::Cast(CastOp::Zext) {
            let span = step * i64::from(self.width - 1);
            let last = self.def(format!("add {from} {x}, {}", span as i32));
            let cc = if step >= 0 { "uge" } else { "ule" };
            let fits = self.def(format!("icmp {cc} {from} {last}, {x}"));
            guard = Some(match guard {
                Some(other) => self.def(format!("and i1 {other}, {fits}")),
                None => fits,
            });
        }
        let guard = match guard {
            None => None,
            Some(g) => {
                let varying = self.elementwise_varying(data, ty)?;
                Some((g, varying.parts[0].clone()))
            }
        };
        Ok(Some(Operand { kind: OperandKind::Affine { step, guard }, parts: vec![base] }))
    }

    /// Emits an operation: on scalars if all operands are uniform, else on vectors.
    fn elementwise(&mut self, data: &InstData, ty: Type) -> Result<Operand> {
        let mut same = true;
        for a in &data.args {
            same &= self.get(*a)?.is_uniform();
        }
        if same { self.lanes(data, ty, false) } else { self.elementwise_varying(data, ty) }
    }

    fn elementwise_varying(&mut self, data: &InstData, ty: Type) -> Result<Operand> {
        self.lanes(data, ty, true)
    }

    fn lanes(&mut self, data: &InstData, ty: Type, varying: bool) -> Result<Operand> {
        let mut args: Vec<Vec<String>> = Vec::new();
        for a in &data.args {
            let v = self.get(*a)?;
            args.push(if varying { self.vectors(self.func.ty(*a), &v) } else { v.parts });
        }
        let from = data.args.first().map_or(ty, |a| self.func.ty(*a));
        let n = ty.lanes() as usize;
        let lane = self.ty(lane_name(ty), varying);
        let source = self.ty(lane_name(from), varying);
        let flags = self.fast(data.fast);
        let mut out = Vec::with_capacity(n);
        match &data.op {
            Op::Bin(op) => {
                for (x, y) in args[0].iter().zip(&args[1]) {
                    out.push(self.binary(*op, ty, varying, x, y, &flags, self.func.as_bits(data.args[1]))?);
                }
            }
            Op::Un(op) => {
                for x in &args[0] {
                    out.push(self.unary(*op, ty, varying, x, &flags)?);
                }
            }
            Op::Fma | Op::Mad => {
                let name = if data.op == Op::Fma { "fma" } else { "fmuladd" };
                let s = suffix(lane_name(ty), varying.then_some(self.width));
                for i in 0..n {
                    let (a, b, c) = (&args[0][i], &args[1][i], &args[2][i]);
                    out.push(self.def(format!(
                        "call {flags}{lane} @llvm.{name}.{s}({lane} {a}, {lane} {b}, {lane} {c})"
                    )));
                }
            }
            Op::Icmp(cc) => {
                let cc = format!("{cc:?}").to_lowercase();
                for (x, y) in args[0].iter().zip(&args[1]) {
                    out.push(self.def(format!("icmp {cc} {source} {x}, {y}")));
                }
            }
            Op::Fcmp(cc) => {
                let cc = format!("{cc:?}").to_lowercase();
                for (x, y) in args[0].iter().zip(&args[1]) {
                    out.push(self.def(format!("fcmp {flags}{cc} {source} {x}, {y}")));
                }
            }
            Op::Select => {
                let bool_type = self.ty("i1", varying);
                let whole = args[0].len() == 1;
                for i in 0..n {
                    let c = args[0][if whole { 0 } else { i }].clone();
                    out.push(self.def(format!(
                        "select {bool_type} {c}, {lane} {}, {lane} {}",
                        args[1][i], args[2][i]
                    )));
                }
            }
            Op::Cast(CastOp::Bitcast) => return self.bitcast(&args[0], from, ty, varying),
            Op::Cast(CastOp::PtrCast) => out = args.swap_remove(0),
            Op::Cast(op) => {
                let word = match op {
                    CastOp::Trunc => "trunc",
                    CastOp::Zext => "zext",
                    CastOp::Sext => "sext",
                    CastOp::FpToS => "fptosi",
                    CastOp::FpToU => "fptoui",
                    CastOp::SToFp => "sitofp",
                    CastOp::UToFp => "uitofp",
                    CastOp::PtrToInt => "ptrtoint",
                    CastOp::IntToPtr => "inttoptr",
                    _ if ty.scalar().map(Scalar::bits) > from.scalar().map(Scalar::bits) => "fpext",
                    _ => "fptrunc",
                };
                for i in 0..n {
                    let v = self.def(format!("{word} {source} {} to {lane}", args[0][i]));
                    out.push(if matches!(op, CastOp::FpToS | CastOp::FpToU) {
                        self.def(format!("freeze {lane} {v}"))
                    } else {
                        v
                    });
                }
            }
            Op::Image { op: ImageOp::Address, .. } => {
                out.push(self.def(format!("inttoptr {source} {} to {lane}", args[0][0])));
            }
            Op::PtrAdd => {
                let (base, offset) = (&args[0][0], &args[1][0]);
                let index = self.ty("i64", varying);
                out.push(self.def(format!("getelementptr i8, {lane} {base}, {index} {offset}")));
            }
            Op::Extract(i) => out.push(args[0][*i as usize].clone()),
            Op::Insert(i) => {
                out = args[0].clone();
                out[*i as usize] = args[1][0].clone();
            }
            Op::ExtractDyn => {
                let mut v = args[0][0].clone();
                for i in 1..args[0].len() {
                    let is = self.equals(&args[1][0], i, varying);
                    let bool_type = self.ty("i1", varying);
                    v = self.def(format!("select {bool_type} {is}, {lane} {}, {lane} {v}", args[0][i]));
                }
                out.push(v);
            }
            Op::InsertDyn => {
                for i in 0..n {
                    let is = self.equals(&args[2][0], i, varying);
                    let bool_type = self.ty("i1", varying);
                    out.push(self.def(format!(
                        "select {bool_type} {is}, {lane} {}, {lane} {}",
                        args[1][0], args[0][i]
                    )));
                }
            }
            Op::VecBuild => out = args.into_iter().map(|mut a| a.swap_remove(0)).collect(),
            Op::Splat => out = vec![args[0][0].clone(); n],
            Op::Shuffle(lanes) => {
                let undefined = if varying { "zeroinitializer".to_owned() } else { literal(ty, 0) };
                let first = args[0].len();
                for l in lanes {
                    let l = *l as usize;
                    out.push(match l {
                        255 => undefined.clone(),
                        l if l < first => args[0][l].clone(),
                        l => args[1][l - first].clone(),
                    });
                }
            }
            Op::Any | Op::All => {
                let word = if data.op == Op::Any { "or" } else { "and" };
                let mut v = args[0][0].clone();
                for part in &args[0][1..] {
                    v = self.def(format!("{word} {lane} {v}, {part}"));
                }
                out.push(v);
            }
            op => return Err(CompileError::unsupported(format!("{op:?} on this device"), data.line)),
        }
        Ok(Operand { kind: if varying { OperandKind::Varying } else { OperandKind::Uniform }, parts: out })
    }

    fn equals(&mut self, index: &str, i: usize, varying: bool) -> String {
        let ty = self.ty("i32", varying);
        let c = if varying { format!("splat (i32 {i})") } else { i.to_string() };
        self.def(format!("icmp eq {ty} {index}, {c}"))
    }

    /// Integer division of vectors by floating-point division, as processors have no integer one. With twice
    /// the bits the rounded quotient has the right integer part: a quotient that is not an integer is further
    /// from the next one than the rounding error.
    fn divided_as_floats(&mut self, op: BinOp, bits: u32, t: &str, x: &str, y: &str) -> String {
        let float = self.ty(if bits == 32 { "double" } else { "float" }, true);
        let (to, back) =
            if matches!(op, BinOp::Sdiv | BinOp::Srem) { ("sitofp", "fptosi") } else { ("uitofp", "fptoui") };
        let a = self.def(format!("{to} {t} {x} to {float}"));
        let b = self.def(format!("{to} {t} {y} to {float}"));
        let exact = self.def(format!("fdiv {float} {a}, {b}"));
        let quotient = self.def(format!("{back} {float} {exact} to {t}"));
        if matches!(op, BinOp::Udiv | BinOp::Sdiv) {
            return quotient;
        }
        let product = self.def(format!("mul {t} {quotient}, {y}"));
        self.def(format!("sub {t} {x}, {product}"))
    }

    #[allow(clippy::too_many_arguments)]
    fn binary(
        &mut self,
        op: BinOp,
        ty: Type,
        varying: bool,
        x: &str,
        y: &str,
        flags: &str,
        known: Option<u64>,
    ) -> Result<String> {
        let name = lane_name(ty);
        let t = self.ty(name, varying);
        let bits = ty.scalar().map_or(32, Scalar::bits);
        let s = suffix(name, varying.then_some(self.width));
        let constant = |v: u64| if varying { format!("splat ({name} {v})") } else { v.to_string() };
        let word = match op {
            BinOp::Iadd => "add",
            BinOp::Isub => "sub",
            BinOp::Imul => "mul",
            BinOp::And => "and",
            BinOp::Or => "or",
            BinOp::Xor => "xor",
            BinOp::Fadd => "fadd",
            BinOp::Fsub => "fsub",
            BinOp::Fmul => "fmul",
            BinOp::Fdiv => "fdiv",
            BinOp::Udiv | BinOp::Urem | BinOp::Sdiv | BinOp::Srem => {
                let word = match op {
                    BinOp::Udiv => "udiv",
                    BinOp::Urem => "urem",
                    BinOp::Sdiv => "sdiv",
                    _ => "srem",
                };
                let y = match known {
                    Some(k) if k != 0 && k != u64::MAX >> (64 - bits) => y.to_owned(),
                    // Divisors that would trap are replaced by 1; the result is then arbitrary.
                    _ => {
                        let bool_type = self.ty("i1", varying);
                        let (zero, one) = (constant(0), constant(1));
                        let mut bad = self.def(format!("icmp eq {t} {y}, {zero}"));
                        if matches!(op, BinOp::Sdiv | BinOp::Srem) {
                            let (least, minus) =
                                (constant(1 << (bits - 1)), constant(u64::MAX >> (64 - bits)));
                            let a = self.def(format!("icmp eq {t} {x}, {least}"));
                            let b = self.def(format!("icmp eq {t} {y}, {minus}"));
                            let both = self.def(format!("and {bool_type} {a}, {b}"));
                            bad = self.def(format!("or {bool_type} {bad}, {both}"));
                        }
                        self.def(format!("select {bool_type} {bad}, {t} {one}, {t} {y}"))
                    }
                };
                if varying && bits <= 32 && known.is_none() {
                    return Ok(self.divided_as_floats(op, bits, &t, x, &y));
                }
                return Ok(self.def(format!("{word} {t} {x}, {y}")));
            }
            BinOp::Shl | BinOp::Lshr | BinOp::Ashr => {
                let word = match op {
                    BinOp::Shl => "shl",
                    BinOp::Lshr => "lshr",
                    _ => "ashr",
                };
                let mask = constant(u64::from(bits - 1));
                let y = if known.is_some_and(|k| k < u64::from(bits)) {
                    y.to_owned()
                } else {
                    self.def(format!("and {t} {y}, {mask}"))
                };
                return Ok(self.def(format!("{word} {t} {x}, {y}")));
            }
            BinOp::Rotl => return Ok(self.def(format!("call {t} @llvm.fshl.{s}({t} {x}, {t} {x}, {t} {y})"))),
            BinOp::UmulHi | BinOp::SmulHi => {
                let wide_name = format!("i{}", bits * 2);
                let wide = self.ty(&wide_name, varying);
                let (ext, shift) = if op == BinOp::UmulHi { ("zext", "lshr") } else { ("sext", "ashr") };
                let a = self.def(format!("{ext} {t} {x} to {wide}"));
                let b = self.def(format!("{ext} {t} {y} to {wide}"));
                let p = self.def(format!("mul {wide} {a}, {b}"));
                let by = if varying { format!("splat ({wide_name} {bits})") } else { bits.to_string() };
                let h = self.def(format!("{shift} {wide} {p}, {by}"));
                return Ok(self.def(format!("trunc {wide} {h} to {t}")));
            }
            BinOp::Umin | BinOp::Umax | BinOp::Smin | BinOp::Smax => {
                let word = format!("{op:?}").to_lowercase();
                return Ok(self.def(format!("call {t} @llvm.{word}.{s}({t} {x}, {t} {y})")));
            }
            BinOp::Fmin | BinOp::Fmax => {
                let word = if op == BinOp::Fmin { "minnum" } else { "maxnum" };
                return Ok(self.def(format!("call {flags}{t} @llvm.{word}.{s}({t} {x}, {t} {y})")));
            }
            BinOp::Frem => return Err(CompileError::internal("a remainder that was not lowered")),
        };
        let flags = if word.starts_with('f') { flags } else { "" };
        Ok(self.def(format!("{word} {flags}{t} {x}, {y}")))
    }

    fn unary(&mut self, op: UnOp, ty: Type, varying: bool, x: &str, flags: &str) -> Result<String> {
        let name = lane_name(ty);
        let t = self.ty(name, varying);
        let s = suffix(name, varying.then_some(self.width));
        let constant = |text: &str| if varying { format!("splat ({name} {text})") } else { text.to_owned() };
        let one = || {
            constant(&literal(
                ty.lane(),
                match ty.scalar() {
                    Some(Scalar::F64) => 1f64.to_bits(),
                    Some(Scalar::F16) => 0x3c00,
                    _ => u64::from(1f32.to_bits()),
                },
            ))
        };
        let call = match op {
            UnOp::Not => {
                let ones = constant(if name == "i1" { "true" } else { "-1" });
                return Ok(self.def(format!("xor {t} {x}, {ones}")));
            }
            UnOp::Fneg => return Ok(self.def(format!("fneg {flags}{t} {x}"))),
            UnOp::Clz => return Ok(self.def(format!("call {t} @llvm.ctlz.{s}({t} {x}, i1 false)"))),
            UnOp::Ctz => return Ok(self.def(format!("call {t} @llvm.cttz.{s}({t} {x}, i1 false)"))),
            UnOp::NativeRecip => {
                let one = one();
                return Ok(self.def(format!("fdiv {flags}{t} {one}, {x}")));
            }
            UnOp::NativeRsqrt => {
                let root = self.def(format!("call {flags}{t} @llvm.sqrt.{s}({t} {x})"));
                let one = one();
                return Ok(self.def(format!("fdiv {flags}{t} {one}, {root}")));
            }
            UnOp::Popcnt => "ctpop",
            UnOp::Bitrev => "bitreverse",
            UnOp::Fabs => "fabs",
            UnOp::Floor => "floor",
            UnOp::Ceil => "ceil",
            UnOp::Trunc => "trunc",
            UnOp::Rint => "roundeven",
            UnOp::Sqrt => "sqrt",
            _ => return Err(CompileError::internal(format!("{op:?} is no function of the processor"))),
        };
        Ok(self.def(format!("call {flags}{t} @llvm.{call}.{s}({t} {x})")))
    }

    /// Reinterprets the bits in lanes of another type.
    fn bitcast(&mut self, x: &[String], from: Type, to: Type, varying: bool) -> Result<Operand> {
        let (Some(a), Some(b)) = (from.scalar(), to.scalar()) else {
            return Err(CompileError::internal("a bitcast of what has no bits"));
        };
        let kind = if varying { OperandKind::Varying } else { OperandKind::Uniform };
        let (ta, tb) = (self.ty(scalar_name(a), varying), self.ty(scalar_name(b), varying));
        if a == b {
            return Ok(Operand { kind, parts: x.to_vec() });
        }
        if a.bits() == b.bits() {
            let parts = x.iter().map(|p| self.def(format!("bitcast {ta} {p} to {tb}"))).collect();
            return Ok(Operand { kind, parts });
        }
        // By integers: lanes are concatenated or divided.
        let (ia, ib) = (self.ty(scalar_name(a.to_int()), varying), self.ty(scalar_name(b.to_int()), varying));
        let ints: Vec<String> = x
            .iter()
            .map(|p| if a.is_int() { p.clone() } else { self.def(format!("bitcast {ta} {p} to {ia}")) })
            .collect();
        let amount = |bits: u32, wide: Scalar| {
            if varying { format!("splat ({} {bits})", scalar_name(wide.to_int())) } else { bits.to_string() }
        };
        let mut parts = Vec::new();
        if a.bits() < b.bits() {
            for chunk in ints.chunks((b.bits() / a.bits()) as usize) {
                let mut sum: Option<String> = None;
                for (i, p) in chunk.iter().enumerate() {
                    let wide = self.def(format!("zext {ia} {p} to {ib}"));
                    let by = amount(i as u32 * a.bits(), b);
                    let moved = self.def(format!("shl {ib} {wide}, {by}"));
                    sum = Some(match sum {
                        Some(s) => self.def(format!("or {ib} {s}, {moved}")),
                        None => moved,
                    });
                }
                parts.push(sum.unwrap_or_default());
            }
        } else {
            for p in &ints {
                for i in 0..a.bits() / b.bits() {
                    let by = amount(i * b.bits(), a);
                    let moved = self.def(format!("lshr {ia} {p}, {by}"));
                    parts.push(self.def(format!("trunc {ia} {moved} to {ib}")));
                }
            }
        }
        if b.is_float() {
            parts = parts.iter().map(|p| self.def(format!("bitcast {ib} {p} to {tb}"))).collect();
        }
        Ok(Operand { kind, parts })
    }

    /// Emits a work-item query.
    fn query(&mut self, query: WorkItemQuery, dim: u8, ty: Type) -> Result<Operand> {
        use WorkItemQuery as Q;
        let d = usize::from(dim);
        let val = match query {
            Q::GlobalId | Q::LocalId | Q::GroupId | Q::GlobalOffset if d > 2 => Operand::uniform("0"),
            Q::GlobalSize | Q::LocalSize | Q::EnqueuedLocalSize | Q::NumGroups if d > 2 => {
                Operand::uniform("1")
            }
            Q::LocalId => self.local_id(d),
            Q::GlobalId => {
                let id = self.local_id(d);
                self.plus(&id, &format!("%first{d}"))
            }
            Q::GroupId => Operand::uniform(format!("%group{d}")),
            Q::GlobalSize => Operand::uniform(format!("%gsize{d}")),
            Q::LocalSize => Operand::uniform(format!("%ls{d}")),
            Q::EnqueuedLocalSize => Operand::uniform(format!("%enqueued{d}")),
            Q::NumGroups => Operand::uniform(format!("%groups{d}")),
            Q::GlobalOffset => Operand::uniform(format!("%offset{d}")),
            Q::WorkDim => Operand::uniform("%work.dim"),
            Q::LocalLinearId => self.local_linear(),
            Q::GlobalLinearId => {
                let mut sum: Option<Operand> = None;
                for d in [2, 1, 0] {
                    let id = self.local_id(d);
                    let first = self.def(format!("sub i64 %first{d}, %offset{d}"));
                    let id = self.plus(&id, &first);
                    sum = Some(match sum {
                        None => id,
                        Some(s) => self.scaled_plus(&s, &format!("%gsize{d}"), &id),
                    });
                }
                sum.unwrap_or(Operand::uniform("0"))
            }
            Q::SubGroupLocalId => Operand::affine("0", 1),
            Q::SubGroupId => Operand::uniform(self.own("x")),
            Q::SubGroupMaxSize => {
                let all = self.items("enqueued");
                Operand::uniform(self.def(format!("call i64 @llvm.umin.i64(i64 {all}, i64 {})", self.width)))
            }
            Q::SubGroupSize => {
                let base = self.own("base");
                let rest = self.def(format!("sub i64 %total, {base}"));
                Operand::uniform(self.def(format!("call i64 @llvm.umin.i64(i64 {rest}, i64 {})", self.width)))
            }
            Q::NumSubGroups | Q::EnqueuedNumSubGroups => {
                let all = self.items(if query == Q::NumSubGroups { "ls" } else { "enqueued" });
                let up = self.def(format!("add i64 {all}, {}", self.width - 1));
                Operand::uniform(self.def(format!("udiv i64 {up}, {}", self.width)))
            }
        };
        let is32 = query == Q::WorkDim || query == Q::SubGroupLocalId;
        match (ty, is32) {
            (I32, false) => Ok(match val.kind {
                OperandKind::Varying => {
                    let (a, b) = (self.ty("i64", true), self.ty("i32", true));
                    Operand::varying(vec![self.def(format!("trunc {a} {} to {b}", val.parts[0]))])
                }
                kind => Operand { kind, parts: vec![self.def(format!("trunc i64 {} to i32", val.parts[0]))] },
            }),
            _ => Ok(val),
        }
    }

    fn items(&mut self, size: &str) -> String {
        let plane = self.def(format!("mul i64 %{size}0, %{size}1"));
        self.def(format!("mul i64 {plane}, %{size}2"))
    }

    /// Adds a uniform value to a 64-bit one.
    fn plus(&mut self, x: &Operand, y: &str) -> Operand {
        match &x.kind {
            OperandKind::Varying => {
                let (y, t) = (self.splat("i64", y), self.ty("i64", true));
                Operand::varying(vec![self.def(format!("add {t} {}, {y}", x.parts[0]))])
            }
            kind => {
                Operand { kind: kind.clone(), parts: vec![self.def(format!("add i64 {}, {y}", x.parts[0]))] }
            }
        }
    }

    /// x * scale + y in 64 bits.
    fn scaled_plus(&mut self, x: &Operand, scale: &str, y: &Operand) -> Operand {
        if x.is_uniform() && y.kind != OperandKind::Varying {
            let p = self.def(format!("mul i64 {}, {scale}", x.parts[0]));
            return self.plus(y, &p);
        }
        let (x, y) = (self.vectors(I64, x)[0].clone(), self.vectors(I64, y)[0].clone());
        let (scale, t) = (self.splat("i64", scale), self.ty("i64", true));
        let p = self.def(format!("mul {t} {x}, {scale}"));
        Operand::varying(vec![self.def(format!("add {t} {p}, {y}"))])
    }

    fn local_linear(&mut self) -> Operand {
        let base = self.own("base");
        if self.r.linear {
            return Operand::affine(base, 1);
        }
        let line = self.own("line");
        let row = self.def(format!("mul i64 {line}, %ls0"));
        Operand::affine(self.def(format!("add i64 {row}, {base}")), 1)
    }

    fn local_id(&mut self, d: usize) -> Operand {
        if !self.r.linear {
            return match d {
                0 => Operand::affine(self.own("base"), 1),
                1 => Operand::uniform(self.own("y")),
                _ => Operand::uniform(self.own("z")),
            };
        }
        // In 32 bits, because division is faster.
        let t = self.ty("i32", true);
        let base = self.own("base");
        let base = self.def(format!("trunc i64 {base} to i32"));
        let mut at = self.vectors(I32, &Operand::affine(base, 1))[0].clone();
        for lower in 0..d {
            let size = self.def(format!("trunc i64 %ls{lower} to i32"));
            let size = self.splat("i32", &size);
            at = self.def(format!("udiv {t} {at}, {size}"));
        }
        if d < 2 {
            let size = self.def(format!("trunc i64 %ls{d} to i32"));
            let size = self.splat("i32", &size);
            at = self.def(format!("urem {t} {at}, {size}"));
        }
        let wide = self.ty("i64", true);
        Operand::varying(vec![self.def(format!("zext {t} {at} to {wide}"))])
    }
}
