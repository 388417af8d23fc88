//! Mathematical, common and geometric functions.

use super::BuiltinLowering;
use crate::error::Result;
use crate::ir::*;
use crate::passes::quirks::flushed_div;
use crate::target::Denorms32;

impl BuiltinLowering<'_, '_, '_> {
    /// Lowers `fma` to the target's own where that is exact, else to software: it is not among the functions
    /// that may be relaxed. `None`: keep.
    pub(crate) fn fma(&mut self, a: &[Value], ty: Type) -> Option<Value> {
        match ty.lane() {
            F32 if self.cx.target.exact_fma32 => None,
            F64 if self.cx.target.exact_fma64 => None,
            F32 if !self.cx.target.float64 => Some(self.call_lanes("pc_fma_int_f32", a, ty)),
            lane => Some(self.call_lanes(&format!("pc_fma_{lane}"), a, ty)),
        }
    }

    fn is_f32(&self, ty: Type) -> bool {
        ty.lane() == F32
    }

    /// x * c with a constant of x's type.
    fn scale(&mut self, x: Value, c: f64) -> Value {
        let c = self.float(self.b.ty(x), c);
        self.fmul(x, c)
    }

    fn native_exp10(&mut self, x: Value) -> Value {
        let t = self.scale(x, std::f64::consts::LOG2_10);
        self.b.un(UnOp::NativeExp2, t)
    }

    fn native_log10(&mut self, x: Value) -> Value {
        let t = self.b.un(UnOp::NativeLog2, x);
        self.scale(t, std::f64::consts::LOG10_2)
    }

    fn native_powr(&mut self, x: Value, y: Value) -> Value {
        let l = self.b.un(UnOp::NativeLog2, x);
        let t = self.fmul(y, l);
        self.b.un(UnOp::NativeExp2, t)
    }

    /// Lowers a function of floating-point numbers.
    pub(crate) fn math(&mut self, op: ClOp, a: &[Value], ty: Type) -> Result<Value> {
        if self.cx.target.cpu().is_some()
            && let Some(plain) = without_native_version(op)
        {
            return Ok(self.library(plain, a, ty));
        }
        if let Some(power) = self.constant_power(op, a, ty) {
            return Ok(power);
        }
        if let Some(un) = self.unary_instruction(op, ty) {
            return Ok(self.b.un(un, a[0]));
        }
        if let Some(name) = self.relaxed_version(op, ty) {
            return Ok(self.call_lanes(name, a, ty));
        }
        let inline = self.arithmetic(op, a, ty).or_else(|| self.common(op, a, ty));
        Ok(inline.unwrap_or_else(|| self.library(exact_version(op), a, ty)))
    }

    /// A power or root whose exponent is a constant: products, at most 8 ulp (4 for halves) from the power,
    /// or the square or cube root.
    fn constant_power(&mut self, op: ClOp, a: &[Value], ty: Type) -> Option<Value> {
        let exponent = self.constant_exponent(op, *a.get(1)?)?;
        let most = if ty.lane() == F16 { 4 } else { 16 };
        match (op, exponent) {
            (ClOp::pown | ClOp::pow, n) if n.fract() == 0.0 && (1.0..=f64::from(most)).contains(&n) => {
                Some(self.product(a[0], n as u32))
            }
            // The root of -0 is -0, and that of an infinity below zero NaN.
            (ClOp::pow, 0.5) => {
                let (zero, infinity) = (self.float(ty, 0.0), self.float(ty, f64::INFINITY));
                let below = self.float(ty, f64::NEG_INFINITY);
                let is_below = self.b.fcmp(FloatCc::Oeq, a[0], below);
                let x = self.fadd(a[0], zero);
                let root = self.math(ClOp::sqrt, &[x], ty).ok()?;
                Some(self.b.select(is_below, infinity, root))
            }
            (ClOp::rootn, 2.0) => {
                let zero = self.float(ty, 0.0);
                let x = self.fadd(a[0], zero);
                self.math(ClOp::sqrt, &[x], ty).ok()
            }
            (ClOp::rootn, 3.0) => self.math(ClOp::cbrt, &a[..1], ty).ok(),
            _ => None,
        }
    }

    /// The exponent of a power or root, if it is the same constant in every lane.
    fn constant_exponent(&self, op: ClOp, y: Value) -> Option<f64> {
        let bits = self.b.func.as_bits(y)?;
        match (op, self.b.ty(y).lane()) {
            (ClOp::pown | ClOp::rootn, I32) => Some(f64::from(bits as u32 as i32)),
            (ClOp::pow, F32) => Some(f64::from(f32::from_bits(bits as u32))),
            (ClOp::pow, F64) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// The product of `n` factors `x`, from squares.
    fn product(&mut self, x: Value, n: u32) -> Value {
        let (mut square, mut product, mut rest) = (x, None, n);
        loop {
            if rest & 1 == 1 {
                product = Some(product.map_or(square, |p| self.fmul(p, square)));
            }
            rest >>= 1;
            match product {
                Some(product) if rest == 0 => return product,
                _ => square = self.fmul(square, square),
            }
        }
    }

    /// The device's instruction that is accurate enough for a function of one operand.
    fn unary_instruction(&self, op: ClOp, ty: Type) -> Option<UnOp> {
        use ClOp as C;
        let sqrt_is_native = self.in_library
            || match ty.lane() {
                F32 => self.cx.target.exact_sqrt32 || !self.cx.options.correctly_rounded_divide_sqrt,
                // The driver's instruction may be slower than the library's few.
                F64 => self.cx.target.exact_sqrt64 && !self.cx.target.hardware_math(),
                _ => true,
            };
        Some(match op {
            C::fabs => UnOp::Fabs,
            C::floor => UnOp::Floor,
            C::ceil => UnOp::Ceil,
            C::trunc => UnOp::Trunc,
            C::rint => UnOp::Rint,
            C::sqrt if sqrt_is_native => UnOp::Sqrt,
            C::native_sqrt | C::half_sqrt => UnOp::Sqrt,
            C::native_cos => UnOp::NativeCos,
            C::native_sin => UnOp::NativeSin,
            C::native_tan => UnOp::NativeTan,
            C::native_exp | C::half_exp => UnOp::NativeExp,
            C::native_exp2 | C::half_exp2 => UnOp::NativeExp2,
            C::native_log => UnOp::NativeLog,
            C::native_log2 => UnOp::NativeLog2,
            C::native_recip | C::half_recip => UnOp::NativeRecip,
            C::native_rsqrt | C::half_rsqrt => UnOp::NativeRsqrt,
            // At most 2 ulp in both specifications.
            C::rsqrt if ty.lane() == F32 => UnOp::NativeRsqrt,
            _ if !self.relaxed || ty.lane() != F32 => return None,
            // Relaxed math.
            C::cos => UnOp::NativeCos,
            C::sin => UnOp::NativeSin,
            C::tan => UnOp::NativeTan,
            C::exp if self.cx.target.close_exp2 => UnOp::NativeExp,
            C::exp2 if self.cx.target.close_exp2 => UnOp::NativeExp2,
            C::log if self.cx.target.close_log2 => UnOp::NativeLog,
            C::log2 if self.cx.target.close_log2 => UnOp::NativeLog2,
            _ => return None,
        })
    }

    /// The library's version of a function for relaxed math.
    fn relaxed_version(&self, op: ClOp, ty: Type) -> Option<&'static str> {
        use ClOp as C;
        match op {
            _ if !self.relaxed || !self.is_f32(ty) => None,
            C::hypot => Some("pc_relaxed_hypot_f32"),
            C::pow if self.cx.target.close_log2 && self.cx.target.close_exp2 => Some("pc_relaxed_pow_f32"),
            _ => None,
        }
    }

    /// Functions of a few operations, or that the device has native versions of.
    fn arithmetic(&mut self, op: ClOp, a: &[Value], ty: Type) -> Option<Value> {
        use ClOp as C;
        Some(match op {
            C::fmin | C::fmin_common => self.b.bin(BinOp::Fmin, a[0], a[1]),
            C::fmax | C::fmax_common => self.b.bin(BinOp::Fmax, a[0], a[1]),
            C::fma => match self.fma(a, ty) {
                Some(v) => v,
                None => self.b.value(Op::Fma, a, ty),
            },
            C::mad => self.b.value(Op::Mad, a, ty),
            // A relaxed program's other divisions may be inexact for large divisors.
            C::half_divide if self.relaxed && self.cx.target.denorms32 != Denorms32::Kept => {
                let [x, y] = flushed_div::operands(self.b, a[0], a[1]);
                self.fdiv(x, y)
            }
            C::native_divide | C::half_divide => self.fdiv(a[0], a[1]),
            C::native_exp10 | C::half_exp10 => self.native_exp10(a[0]),
            C::native_log10 => self.native_log10(a[0]),
            C::native_powr => self.native_powr(a[0], a[1]),
            // Errors grow with the exponent: at most 8192 ulp are allowed.
            C::exp10 if self.relaxed && self.is_f32(ty) => self.native_exp10(a[0]),
            C::log10 if self.relaxed && self.is_f32(ty) && self.cx.target.close_log2 => {
                self.native_log10(a[0])
            }
            C::powr if self.relaxed && self.is_f32(ty) && self.cx.target.close_log2 => {
                self.native_powr(a[0], a[1])
            }
            C::rsqrt if ty.lane() == F64 && self.cx.target.exact_div64 && !self.cx.target.hardware_math() => {
                let root = self.b.un(UnOp::Sqrt, a[0]);
                let one = self.float(ty, 1.0);
                self.fdiv(one, root)
            }
            C::nan => self.nan(a[0], ty),
            C::copysign => self.copysign(a, ty),
            _ => return None,
        })
    }

    fn nan(&mut self, x: Value, ty: Type) -> Value {
        let int = self.b.ty(x);
        let quiet = match ty.scalar() {
            Some(Scalar::F64) => 0x7ff8 << 48,
            Some(Scalar::F16) => 0x7e00,
            _ => 0x7fc0_0000,
        };
        let quiet = self.int(int, quiet);
        let bits = self.b.or(x, quiet);
        self.b.bitcast(bits, ty)
    }

    fn copysign(&mut self, a: &[Value], ty: Type) -> Value {
        let int = ty.with_scalar(ty.scalar().map_or(Scalar::I32, Scalar::to_int));
        let sign = 1u64 << (ty.scalar().map_or(32, Scalar::bits) - 1);
        let (x, y) = (self.b.bitcast(a[0], int), self.b.bitcast(a[1], int));
        let (m, s) = (self.int(int, !sign), self.int(int, sign));
        let (x, y) = (self.b.and(x, m), self.b.and(y, s));
        let r = self.b.or(x, y);
        self.b.bitcast(r, ty)
    }

    /// Common and geometric functions.
    fn common(&mut self, op: ClOp, a: &[Value], ty: Type) -> Option<Value> {
        use ClOp as C;
        Some(match op {
            C::fclamp => {
                let low = self.b.bin(BinOp::Fmax, a[0], a[1]);
                self.b.bin(BinOp::Fmin, low, a[2])
            }
            C::degrees => self.scale(a[0], 180.0 / std::f64::consts::PI),
            C::radians => self.scale(a[0], std::f64::consts::PI / 180.0),
            C::mix => {
                let d = self.fsub(a[1], a[0]);
                let t = self.fmul(d, a[2]);
                self.fadd(a[0], t)
            }
            C::step => {
                let (zero, one) = (self.float(ty, 0.0), self.float(ty, 1.0));
                let below = self.b.fcmp(FloatCc::Olt, a[1], a[0]);
                self.b.select(below, zero, one)
            }
            C::smoothstep => self.smoothstep(a, ty),
            C::sign => self.sign(a[0], ty),
            C::cross => self.cross(a, ty),
            C::length => self.length(a[0], true),
            C::fast_length => self.length(a[0], false),
            C::distance | C::fast_distance => {
                let d = self.fsub(a[0], a[1]);
                self.length(d, op == C::distance)
            }
            C::normalize => self.normalize(a[0], true),
            C::fast_normalize => self.normalize(a[0], false),
            _ => return None,
        })
    }

    fn smoothstep(&mut self, a: &[Value], ty: Type) -> Value {
        let (zero, one) = (self.float(ty, 0.0), self.float(ty, 1.0));
        let x = self.fsub(a[2], a[0]);
        let w = self.fsub(a[1], a[0]);
        let t = self.fdiv(x, w);
        let t = self.b.bin(BinOp::Fmax, t, zero);
        let t = self.b.bin(BinOp::Fmin, t, one);
        let double = self.fadd(t, t);
        let three = self.float(ty, 3.0);
        let u = self.fsub(three, double);
        let t2 = self.fmul(t, t);
        self.fmul(t2, u)
    }

    fn sign(&mut self, x: Value, ty: Type) -> Value {
        // Zero keeps its sign, NaN becomes 0. A denormal becomes 0 on devices that flush it.
        let (zero, one) = (self.float(ty, 0.0), self.float(ty, 1.0));
        let int = ty.with_scalar(ty.scalar().map_or(Scalar::I32, Scalar::to_int));
        let sign = self.int(int, 1u64 << (ty.scalar().map_or(32, Scalar::bits) - 1));
        // The minimum has the number's sign and ignores NaN, whose sign may be negative.
        let least = self.b.bin(BinOp::Fmin, x, one);
        let bits = self.b.bitcast(least, int);
        let sign = self.b.and(bits, sign);
        let differs = self.b.fcmp(FloatCc::One, x, zero);
        let magnitude = self.b.select(differs, one, zero);
        let magnitude = self.b.bitcast(magnitude, int);
        let r = self.b.or(magnitude, sign);
        self.b.bitcast(r, ty)
    }

    fn cross(&mut self, a: &[Value], ty: Type) -> Value {
        let lane = |l: &mut Self, v: Value, i: u8| l.b.extract(v, i);
        let mut out = Vec::new();
        for (i, j) in [(1, 2), (2, 0), (0, 1)] {
            let (p, q) = (lane(self, a[0], i), lane(self, a[1], j));
            let (r, s) = (lane(self, a[0], j), lane(self, a[1], i));
            let (x, y) = (self.fmul(p, q), self.fmul(r, s));
            out.push(self.fsub(x, y));
        }
        if ty.lanes() == 4 {
            out.push(self.float(ty.lane(), 0.0));
        }
        self.b.vec_build(&out)
    }

    fn square_sum(&mut self, x: Value) -> Value {
        let square = self.fmul(x, x);
        let mut sum = self.b.extract(square, 0);
        for i in 1..self.b.ty(x).lanes() {
            let lane = self.b.extract(square, i as u8);
            sum = self.fadd(sum, lane);
        }
        sum
    }

    fn spread(&mut self, x: Value, ty: Type) -> Value {
        if ty.lanes() == 1 { x } else { self.b.value(Op::Splat, &[x], ty) }
    }

    /// A power of two that scales the largest lane of `x` close below 2^60 (2^500 for doubles), and its
    /// inverse.
    ///
    /// Squares then do not overflow, lanes that underflow beside the largest do not matter, and the quotient
    /// of a lane by the length is rounded only once.
    fn range_scale(&mut self, x: Value) -> (Value, Value) {
        let ty = self.b.ty(x);
        let lane = ty.lane();
        let magnitude = self.b.un(UnOp::Fabs, x);
        let mut top = self.b.extract(magnitude, 0);
        for i in 1..ty.lanes() {
            let m = self.b.extract(magnitude, i as u8);
            top = self.b.bin(BinOp::Fmax, top, m);
        }
        let (mantissa, bias, goal) = if lane == F64 { (52, 1023, 500) } else { (23, 127, 60) };
        let int = lane.with_scalar(lane.scalar().map_or(Scalar::I32, Scalar::to_int));
        let bits = self.b.bitcast(top, int);
        let shift = self.int(int, mantissa);
        let exponent = self.b.lshr(bits, shift);
        // Exponent field of the scale; both it and its inverse stay normal numbers.
        let sum = self.int(int, 2 * bias + goal);
        let field = self.b.isub(sum, exponent);
        let most = self.int(int, 2 * bias - 1);
        let field = self.b.bin(BinOp::Umin, field, most);
        let twice = self.int(int, 2 * bias);
        let inverse = self.b.isub(twice, field);
        let (s, inverse) = (self.b.shl(field, shift), self.b.shl(inverse, shift));
        (self.b.bitcast(s, lane), self.b.bitcast(inverse, lane))
    }

    /// Computes half-precision vectors in single precision, whose range holds their squares.
    fn in_single(&mut self, x: Value, f: impl FnOnce(&mut Self, Value) -> Value) -> Value {
        let ty = self.b.ty(x);
        if ty.lane() != F16 {
            return f(self, x);
        }
        let wide = self.b.cast(CastOp::FpConv, x, ty.with_scalar(Scalar::F32));
        let r = f(self, wide);
        let ty = self.b.ty(r).with_scalar(Scalar::F16);
        let bits = self.half_bits_of(r, Rounding::Rte);
        self.b.bitcast(bits, ty)
    }

    fn length(&mut self, x: Value, careful: bool) -> Value {
        let ty = self.b.ty(x);
        if ty.lanes() == 1 {
            return self.b.un(UnOp::Fabs, x);
        }
        if ty.lane() == F16 {
            return self.in_single(x, |l, x| l.length(x, false));
        }
        if !careful || self.relaxed {
            let sum = self.square_sum(x);
            return self.b.un(UnOp::Sqrt, sum);
        }
        let (s, inverse) = self.range_scale(x);
        let scale = self.spread(s, ty);
        let scaled = self.fmul(x, scale);
        let sum = self.square_sum(scaled);
        let root = self.b.un(UnOp::Sqrt, sum);
        self.fmul(root, inverse)
    }

    fn normalize(&mut self, x: Value, careful: bool) -> Value {
        let ty = self.b.ty(x);
        if ty.lane() == F16 {
            return self.in_single(x, |l, x| {
                let x = if careful && !l.relaxed { l.infinite_lanes(x) } else { x };
                l.normalize(x, false)
            });
        }
        let x = if careful && !self.relaxed {
            let x = self.infinite_lanes(x);
            let (s, _) = self.range_scale(x);
            let scale = self.spread(s, ty);
            self.fmul(x, scale)
        } else {
            x
        };
        let sum = self.square_sum(x);
        let zero = self.float(ty.lane(), 0.0);
        let none = self.b.fcmp(FloatCc::Oeq, sum, zero);
        let root = self.b.un(UnOp::Sqrt, sum);
        let root = self.spread(root, ty);
        let unit = self.fdiv(x, root);
        self.b.select(none, x, unit)
    }

    /// Section 7.5.1: if any lane is infinite, infinite lanes become 1 with their sign and the others 0 with
    /// theirs.
    fn infinite_lanes(&mut self, x: Value) -> Value {
        let ty = self.b.ty(x);
        let magnitude = self.b.un(UnOp::Fabs, x);
        let (one, infinity) = (self.float(ty, 1.0), self.float(ty, f64::INFINITY));
        let is_inf = self.b.fcmp(FloatCc::Oeq, magnitude, infinity);
        let int = ty.with_scalar(ty.scalar().map_or(Scalar::I32, Scalar::to_int));
        let sign_bit = self.int(int, 1 << (ty.scalar().map_or(32, Scalar::bits) - 1));
        let bits = self.b.bitcast(x, int);
        let sign = self.b.and(bits, sign_bit);
        let one = self.b.bitcast(one, int);
        let signed_one = self.b.or(one, sign);
        let signed_one = self.b.bitcast(signed_one, ty);
        let signed_zero = self.b.bitcast(sign, ty);
        let is_nan = self.b.fcmp(FloatCc::Uno, x, x);
        let others = self.b.select(is_nan, x, signed_zero);
        let replaced = self.b.select(is_inf, signed_one, others);
        let mut any = self.b.extract(is_inf, 0);
        for i in 1..ty.lanes() {
            let lane = self.b.extract(is_inf, i as u8);
            any = self.b.or(any, lane);
        }
        self.b.select(any, replaced, x)
    }
}

/// Functions without a native version on processors; what to compute instead.
fn without_native_version(op: ClOp) -> Option<ClOp> {
    use ClOp as C;
    Some(match op {
        C::native_cos => C::cos,
        C::native_sin => C::sin,
        C::native_tan => C::tan,
        C::native_exp | C::half_exp => C::exp,
        C::native_exp2 | C::half_exp2 => C::exp2,
        C::native_exp10 | C::half_exp10 => C::exp10,
        C::native_log => C::log,
        C::native_log2 => C::log2,
        C::native_log10 => C::log10,
        C::native_powr => C::powr,
        C::cos | C::sin | C::tan | C::exp10 => op,
        _ => return None,
    })
}

/// The function that the library has for one of lower precision.
fn exact_version(op: ClOp) -> ClOp {
    use ClOp as C;
    match op {
        C::half_cos => C::cos,
        C::half_sin => C::sin,
        C::half_tan => C::tan,
        C::half_log => C::log,
        C::half_log2 => C::log2,
        C::half_log10 => C::log10,
        C::half_powr => C::powr,
        _ => op,
    }
}
