//! Arithmetic, conversions, vectors, queries and calls.

use super::names::{fast_flags, splat_text, suffix, type_name};
use super::print::Print;
use crate::error::{CompileError, Result};
use crate::ir::*;

impl Print<'_> {
    /// Prints an instruction.
    pub(super) fn operation(&mut self, data: &InstData) -> Result<()> {
        if data.op.is_terminator() {
            self.terminator(data);
            return Ok(());
        }
        match &data.op {
            Op::Load(_)
            | Op::Store(_)
            | Op::AtomicRmw { .. }
            | Op::AtomicCas { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Fence { .. }
            | Op::Lanes(_)
            | Op::SlotAddr(_)
            | Op::GlobalAddr(_) => return self.memory(data),
            Op::Call(callee) => return self.call(*callee, data),
            Op::Check(check) => {
                self.check(data, check);
                return Ok(());
            }
            Op::Runtime(call) => {
                self.runtime_call(data, *call);
                return Ok(());
            }
            _ => {}
        }
        let Some(&v) = data.results.first() else {
            return Err(CompileError::internal(format!("{:?} in native code", data.op)));
        };
        match &data.op {
            Op::PrintBuffer => self.alias(v, "%print"),
            Op::Context(ContextField::Scratch) => self.alias(v, "%scratch"),
            Op::Context(ContextField::NoStream) => self.alias(v, "%no.stream"),
            Op::Arg { offset } => self.argument(v, *offset),
            Op::Implicit(ImplicitArg::PrintfBase) => self.alias(v, "%printf.base"),
            Op::Implicit(_) => {
                return Err(CompileError::unsupported("an implicit argument on this device", data.line));
            }
            Op::WorkItem { query, dim } => return self.query(v, *query, *dim),
            Op::Clock(_) => self.clock(v),
            Op::IsSpace(space) => self.is_space(v, *space, data.args[0]),
            Op::Bin(op) => self.binary(*op, data, v)?,
            Op::Un(op) => self.unary(*op, data, v)?,
            Op::Cast(op) => self.cast(*op, data.args[0], v),
            _ => return self.plain(data, v),
        }
        Ok(())
    }

    fn plain(&mut self, data: &InstData, v: Value) -> Result<()> {
        let ty = self.ty(v);
        let typed: Vec<String> = data.args.iter().map(|a| self.typed(*a)).collect();
        let flags = fast_flags(data.fast);
        let text = match &data.op {
            Op::Fma | Op::Mad => {
                let name = if data.op == Op::Fma { "fma" } else { "fmuladd" };
                let s = suffix(self.func.ty(v));
                format!("call {flags}{ty} @llvm.{name}.{s}({})", typed.join(", "))
            }
            Op::Icmp(cc) => {
                let cc = format!("{cc:?}").to_lowercase();
                format!("icmp {cc} {}, {}", typed[0], self.name(data.args[1]))
            }
            Op::Fcmp(cc) => {
                let cc = format!("{cc:?}").to_lowercase();
                format!("fcmp {flags}{cc} {}, {}", typed[0], self.name(data.args[1]))
            }
            Op::Select => format!("select {}", typed.join(", ")),
            Op::PtrAdd => format!("getelementptr i8, {}", typed.join(", ")),
            Op::Extract(i) => format!("extractelement {}, i64 {i}", typed[0]),
            Op::Insert(i) => format!("insertelement {}, i64 {i}", typed.join(", ")),
            Op::ExtractDyn => format!("extractelement {}", typed.join(", ")),
            Op::InsertDyn => format!("insertelement {}", typed.join(", ")),
            Op::VecBuild => {
                let mut all = String::from("poison");
                let last = typed.len() - 1;
                for (i, lane) in typed[..last].iter().enumerate() {
                    all = self.temporary(format!("insertelement {ty} {all}, {lane}, i64 {i}"));
                }
                format!("insertelement {ty} {all}, {}, i64 {last}", typed[last])
            }
            Op::Splat => {
                let one = self.temporary(format!("insertelement {ty} poison, {}, i64 0", typed[0]));
                let n = self.func.ty(v).lanes();
                format!("shufflevector {ty} {one}, {ty} poison, <{n} x i32> zeroinitializer")
            }
            Op::Any => {
                let n = self.func.ty(data.args[0]).lanes();
                let bits = self.temporary(format!("bitcast {} to i{n}", typed[0]));
                format!("icmp ne i{n} {bits}, 0")
            }
            Op::All => {
                let s = suffix(self.func.ty(data.args[0]));
                format!("call i1 @llvm.vector.reduce.and.{s}({})", typed[0])
            }
            op => return Err(CompileError::unsupported(format!("{op:?} on this device"), data.line)),
        };
        self.define(v, text);
        Ok(())
    }

    fn binary(&mut self, op: BinOp, data: &InstData, v: Value) -> Result<()> {
        let (ty, t) = (self.func.ty(v), self.ty(v));
        let (x, mut y) = (self.name(data.args[0]), self.name(data.args[1]));
        let flags = fast_flags(data.fast);
        let s = suffix(ty);
        let bits = ty.scalar().map_or(32, Scalar::bits);
        let word = match op {
            BinOp::Iadd => "add",
            BinOp::Isub => "sub",
            BinOp::Imul => "mul",
            BinOp::And => "and",
            BinOp::Or => "or",
            BinOp::Xor => "xor",
            BinOp::Udiv => "udiv",
            BinOp::Urem => "urem",
            BinOp::Sdiv => "sdiv",
            BinOp::Srem => "srem",
            BinOp::Shl => "shl",
            BinOp::Lshr => "lshr",
            BinOp::Ashr => "ashr",
            BinOp::Fadd => "fadd",
            BinOp::Fsub => "fsub",
            BinOp::Fmul => "fmul",
            BinOp::Fdiv => "fdiv",
            BinOp::Rotl => {
                self.define(v, format!("call {t} @llvm.fshl.{s}({t} {x}, {t} {x}, {t} {y})"));
                return Ok(());
            }
            BinOp::UmulHi | BinOp::SmulHi => {
                self.high_product(op, [x, y], v);
                return Ok(());
            }
            BinOp::Umin | BinOp::Umax | BinOp::Smin | BinOp::Smax => {
                let word = format!("{op:?}").to_lowercase();
                self.define(v, format!("call {t} @llvm.{word}.{s}({t} {x}, {t} {y})"));
                return Ok(());
            }
            BinOp::Fmin | BinOp::Fmax => {
                if ty.scalar() == Some(Scalar::F16) {
                    self.half_extreme(op, [x, y], v);
                    return Ok(());
                }
                let word = if op == BinOp::Fmin { "minnum" } else { "maxnum" };
                self.define(v, format!("call {flags}{t} @llvm.{word}.{s}({t} {x}, {t} {y})"));
                return Ok(());
            }
            BinOp::Frem => return Err(CompileError::internal("a remainder that was not lowered")),
        };
        let shifts = matches!(op, BinOp::Shl | BinOp::Lshr | BinOp::Ashr);
        if shifts && self.func.as_bits(data.args[1]).is_none_or(|k| k >= u64::from(bits)) {
            let mask = splat_text(ty, u64::from(bits - 1));
            y = self.temporary(format!("and {t} {y}, {mask}"));
        }
        let flags = if word.starts_with('f') { flags } else { String::new() };
        self.define(v, format!("{word} {flags}{t} {x}, {y}"));
        Ok(())
    }

    /// `minnum` or `maxnum` of halves: if one operand is NaN, the result is the other. LLVM 22 lowers the
    /// intrinsic functions to calls of `fminf` and `fmaxf` where the halves are scalars.
    fn half_extreme(&mut self, op: BinOp, [x, y]: [String; 2], v: Value) {
        let (ty, half) = (self.func.ty(v), self.ty(v));
        let truth = type_name(I1.of_lanes(ty.lanes()));
        let cc = if op == BinOp::Fmin { "olt" } else { "ogt" };
        let first = self.temporary(format!("fcmp {cc} {half} {x}, {y}"));
        let extreme = self.temporary(format!("select {truth} {first}, {half} {x}, {half} {y}"));
        let no_number = self.temporary(format!("fcmp uno {half} {y}, {y}"));
        self.define(v, format!("select {truth} {no_number}, {half} {x}, {half} {extreme}"));
    }

    /// The high half of a product.
    fn high_product(&mut self, op: BinOp, [x, y]: [String; 2], v: Value) {
        let (ty, t) = (self.func.ty(v), self.ty(v));
        let bits = ty.scalar().map_or(32, Scalar::bits);
        let lane = format!("i{}", bits * 2);
        let n = ty.lanes();
        let (wide, by) = match n {
            1 => (lane, bits.to_string()),
            _ => (format!("<{n} x {lane}>"), format!("splat ({lane} {bits})")),
        };
        let (ext, shift) = if op == BinOp::UmulHi { ("zext", "lshr") } else { ("sext", "ashr") };
        let a = self.temporary(format!("{ext} {t} {x} to {wide}"));
        let b = self.temporary(format!("{ext} {t} {y} to {wide}"));
        let p = self.temporary(format!("mul {wide} {a}, {b}"));
        let h = self.temporary(format!("{shift} {wide} {p}, {by}"));
        self.define(v, format!("trunc {wide} {h} to {t}"));
    }

    fn unary(&mut self, op: UnOp, data: &InstData, v: Value) -> Result<()> {
        let (ty, t, x) = (self.func.ty(v), self.ty(v), self.name(data.args[0]));
        let (s, flags) = (suffix(ty), fast_flags(data.fast));
        let one = || {
            let bits = match ty.scalar() {
                Some(Scalar::F64) => 1f64.to_bits(),
                Some(Scalar::F16) => 0x3c00,
                _ => u64::from(1f32.to_bits()),
            };
            splat_text(ty, bits)
        };
        let call = match op {
            UnOp::Not => {
                let ones = splat_text(ty, ty.scalar().map_or(u64::MAX, Scalar::mask));
                self.define(v, format!("xor {t} {x}, {ones}"));
                return Ok(());
            }
            UnOp::Fneg => {
                self.define(v, format!("fneg {flags}{t} {x}"));
                return Ok(());
            }
            UnOp::Clz | UnOp::Ctz => {
                let word = if op == UnOp::Clz { "ctlz" } else { "cttz" };
                self.define(v, format!("call {t} @llvm.{word}.{s}({t} {x}, i1 false)"));
                return Ok(());
            }
            UnOp::NativeRecip => {
                self.define(v, format!("fdiv {flags}{t} {}, {x}", one()));
                return Ok(());
            }
            UnOp::NativeRsqrt
                if self.program.estimates_rsqrt
                    && ty.scalar() == Some(Scalar::F32)
                    && [4, 8, 16].contains(&ty.lanes()) =>
            {
                self.estimated_rsqrt(data.args[0], v);
                return Ok(());
            }
            UnOp::NativeRsqrt => {
                let root = self.temporary(format!("call {flags}{t} @llvm.sqrt.{s}({t} {x})"));
                self.define(v, format!("fdiv {flags}{t} {}, {root}", one()));
                return Ok(());
            }
            UnOp::Popcnt => "ctpop",
            UnOp::Bitrev => "bitreverse",
            UnOp::Fabs => "fabs",
            UnOp::Floor => "floor",
            UnOp::Ceil => "ceil",
            UnOp::Trunc => "trunc",
            UnOp::Rint => "roundeven",
            UnOp::Sqrt => "sqrt",
            _ => return Err(CompileError::internal(format!("{op:?} is not a function of the processor"))),
        };
        self.define(v, format!("call {flags}{t} @llvm.{call}.{s}({t} {x})"));
        Ok(())
    }

    /// Prints reciprocal square roots y(1 + (1 - x y^2) / 2) of the processor's estimates y: a step of
    /// Newton's method, within 1 ulp. The step gives NaN for 0 and infinity, whose estimates are exact.
    fn estimated_rsqrt(&mut self, x: Value, v: Value) {
        let (ty, t, x) = (self.func.ty(x), self.ty(v), self.name(x));
        let (s, lanes) = (suffix(ty), ty.lanes());
        let constant = |value: f32| splat_text(ty, u64::from(value.to_bits()));
        let (one, half, mask) = (constant(1.0), constant(0.5), lanes.max(8));
        let estimate = format!("@llvm.x86.avx512.rsqrt14.ps.{}", lanes * 32);
        let y = self.temporary(format!("call {t} {estimate}({t} {x}, {t} zeroinitializer, i{mask} -1)"));
        let root = self.temporary(format!("fmul {t} {x}, {y}"));
        let negative = self.temporary(format!("fneg {t} {root}"));
        let rest = self.temporary(format!("call {t} @llvm.fma.{s}({t} {negative}, {t} {y}, {t} {one})"));
        let half = self.temporary(format!("fmul {t} {y}, {half}"));
        let refined = self.temporary(format!("call {t} @llvm.fma.{s}({t} {half}, {t} {rest}, {t} {y})"));
        let special = self.temporary(format!("fcmp uno {t} {refined}, {refined}"));
        self.define(v, format!("select <{lanes} x i1> {special}, {t} {y}, {t} {refined}"));
    }

    fn cast(&mut self, op: CastOp, x: Value, v: Value) {
        let (from, to) = (self.func.ty(x), self.func.ty(v));
        let bits = |ty: Type| ty.scalar().map(Scalar::bits);
        let word = match op {
            CastOp::PtrCast => {
                let name = self.name(x);
                return self.alias(v, name);
            }
            CastOp::Trunc => "trunc",
            CastOp::Zext => "zext",
            CastOp::Sext => "sext",
            CastOp::FpToS => "fptosi",
            CastOp::FpToU => "fptoui",
            CastOp::SToFp => "sitofp",
            CastOp::UToFp => "uitofp",
            CastOp::PtrToInt => "ptrtoint",
            CastOp::IntToPtr => "inttoptr",
            CastOp::Bitcast => "bitcast",
            CastOp::FpConv if bits(to) > bits(from) => "fpext",
            CastOp::FpConv => "fptrunc",
        };
        let text = format!("{word} {} to {}", self.typed(x), type_name(to));
        if matches!(op, CastOp::FpToS | CastOp::FpToU) {
            let value = self.temporary(text);
            self.define(v, format!("freeze {} {value}", type_name(to)));
        } else {
            self.define(v, text);
        }
    }

    fn query(&mut self, v: Value, query: WorkItemQuery, dim: u8) -> Result<()> {
        use WorkItemQuery as Q;
        let d = usize::from(dim);
        let name = match query {
            Q::LocalSize => match self.program.info.reqd_work_group_size {
                Some(size) if self.shape.whole => size.get(d).copied().unwrap_or(1).to_string(),
                _ => format!("%size{d}"),
            },
            Q::GroupId => format!("%group{d}"),
            Q::GlobalSize => format!("%gsize{d}"),
            Q::EnqueuedLocalSize => format!("%enqueued{d}"),
            Q::NumGroups => format!("%groups{d}"),
            Q::GlobalOffset => format!("%offset{d}"),
            Q::WorkDim => "%work.dim".into(),
            _ => return Err(CompileError::internal(format!("{query:?} of a work-group"))),
        };
        self.alias(v, name);
        Ok(())
    }

    fn call(&mut self, callee: FuncRef, data: &InstData) -> Result<()> {
        let Some(symbol) = self.program.symbols.get(&callee) else {
            return Err(CompileError::internal("a call of a function without code"));
        };
        let mut args: Vec<String> = vec!["ptr %ctx".into()];
        for (i, a) in data.args.iter().enumerate() {
            args.push(self.typed(*a));
            if i == 0 && self.program.instrumented {
                args.push("ptr %check.position".into());
            }
        }
        let types: Vec<Type> = data.results.iter().map(|r| self.func.ty(*r)).collect();
        let result = Self::result(&types);
        let text = format!("call {result} @{symbol}({})", args.join(", "));
        if types.is_empty() {
            self.line(text);
            return Ok(());
        }
        let all = self.temporary(text);
        for (i, r) in data.results.iter().enumerate() {
            self.define(*r, format!("extractvalue {result} {all}, {i}"));
        }
        Ok(())
    }
}
