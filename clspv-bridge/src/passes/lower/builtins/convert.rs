//! Explicit conversions with rounding modes and saturation, exactly.

use super::BuiltinLowering;
use crate::ir::*;
use crate::target::Denorms32;

/// Significand bits, the implicit one included.
fn precision(s: Scalar) -> u32 {
    match s {
        Scalar::F16 => 11,
        Scalar::F64 => 53,
        _ => 24,
    }
}

/// The largest denormal of single precision.
const LARGEST_DENORMAL: f64 = 8_388_607.0 / (1u128 << 100) as f64 / (1u64 << 49) as f64;

impl BuiltinLowering<'_, '_, '_> {
    pub(crate) fn convert(
        &mut self,
        x: Value,
        to: Type,
        from_signed: bool,
        to_signed: bool,
        rounding: Option<Rounding>,
        saturate: bool,
    ) -> Value {
        let from = self.b.ty(x);
        let (Some(s), Some(d)) = (from.scalar(), to.scalar()) else { return x };
        match (s.is_float(), d.is_float()) {
            (false, false) => self.int_to_int(x, to, from_signed, to_signed, saturate),
            (true, false) => self.float_to_int(x, to, to_signed, rounding.unwrap_or(Rounding::Rtz), saturate),
            (false, true) => self.int_to_float(x, to, from_signed, rounding.unwrap_or(Rounding::Rte)),
            (true, true) => self.float_to_float(x, to, rounding.unwrap_or(Rounding::Rte)),
        }
    }

    fn int_to_int(
        &mut self,
        x: Value,
        to: Type,
        from_signed: bool,
        to_signed: bool,
        saturate: bool,
    ) -> Value {
        let from = self.b.ty(x);
        let (s, d) = (from.scalar().map_or(32, Scalar::bits), to.scalar().map_or(32, Scalar::bits));
        let mut x = x;
        if saturate {
            let max = if to_signed { (1u64 << (d - 1)) - 1 } else { u64::MAX >> (64 - d) };
            match (from_signed, to_signed) {
                (true, true) if d < s => {
                    let (low, high) = (self.int(from, !max), self.int(from, max));
                    x = self.b.bin(BinOp::Smax, x, low);
                    x = self.b.bin(BinOp::Smin, x, high);
                }
                (true, false) => {
                    let zero = self.int(from, 0);
                    x = self.b.bin(BinOp::Smax, x, zero);
                    if d < s {
                        let high = self.int(from, max);
                        x = self.b.bin(BinOp::Smin, x, high);
                    }
                }
                (false, true) if d <= s => {
                    let high = self.int(from, max);
                    x = self.b.bin(BinOp::Umin, x, high);
                }
                (false, false) if d < s => {
                    let high = self.int(from, max);
                    x = self.b.bin(BinOp::Umin, x, high);
                }
                _ => {}
            }
        }
        match d.cmp(&s) {
            std::cmp::Ordering::Less => self.b.cast(CastOp::Trunc, x, to),
            std::cmp::Ordering::Equal => x,
            std::cmp::Ordering::Greater => {
                self.b.cast(if from_signed { CastOp::Sext } else { CastOp::Zext }, x, to)
            }
        }
    }

    fn float_to_int(
        &mut self,
        x: Value,
        to: Type,
        signed: bool,
        rounding: Rounding,
        saturate: bool,
    ) -> Value {
        let from = self.b.ty(x);
        // The limits of wide integers have no half representation.
        let x = if from.lane() == F16 {
            self.b.cast(CastOp::FpConv, x, from.with_scalar(Scalar::F32))
        } else {
            x
        };
        let x = match rounding {
            Rounding::Rtz => x,
            Rounding::Rte => self.b.un(UnOp::Rint, x),
            Rounding::Rtp => self.b.un(UnOp::Ceil, x),
            Rounding::Rtn => self.b.un(UnOp::Floor, x),
        };
        if saturate {
            return self.float_to_int_saturated(x, to, signed);
        }
        self.b.cast(if signed { CastOp::FpToS } else { CastOp::FpToU }, x, to)
    }

    /// Section 6.4.3.3: converts the closest number in range, and NaN to 0.
    fn float_to_int_saturated(&mut self, x: Value, to: Type, signed: bool) -> Value {
        let from = self.b.ty(x);
        let width = to.scalar().map_or(32, Scalar::bits) - u32::from(signed);
        let (max_bits, limit) = (u64::MAX >> (64 - width), 2f64.powi(width as i32));
        // The maximum ignores NaN, so it becomes the least number: 0 if unsigned.
        let least = self.float(from, if signed { -limit } else { 0.0 });
        let raised = self.b.bin(BinOp::Fmax, x, least);
        let cast = if signed { CastOp::FpToS } else { CastOp::FpToU };
        let r = if width <= precision(from.scalar().unwrap_or(Scalar::F32)) {
            let most = self.float(from, max_bits as f64);
            let clamped = self.b.bin(BinOp::Fmin, raised, most);
            self.b.cast(cast, clamped, to)
        } else {
            // The greatest number is rounded up to the limit, which is out of range.
            let r = self.b.cast(cast, raised, to);
            let (max, limit) = (self.int(to, max_bits), self.float(from, limit));
            let high = self.b.fcmp(FloatCc::Oge, x, limit);
            self.b.select(high, max, r)
        };
        if !signed {
            return r;
        }
        let zero = self.int(to, 0);
        let nan = self.b.fcmp(FloatCc::Uno, x, x);
        self.b.select(nan, zero, r)
    }

    fn int_to_float(&mut self, x: Value, to: Type, signed: bool, rounding: Rounding) -> Value {
        let from = self.b.ty(x);
        let (w, p) = (from.scalar().map_or(32, Scalar::bits), precision(to.scalar().unwrap_or(Scalar::F32)));
        let cast = if signed { CastOp::SToFp } else { CastOp::UToFp };
        if rounding == Rounding::Rte || w <= p {
            return self.b.cast(cast, x, to);
        }
        if to.lane() == F16 {
            // Directed rounding twice in one direction is directed rounding once.
            let single = self.int_to_float(x, to.with_scalar(Scalar::F32), signed, rounding);
            return self.float_to_float(single, to, rounding);
        }
        // The magnitude's leading bits convert exactly; the bits below them decide whether to step up.
        let (zero, top) = (self.int(from, 0), self.int(from, w as u64 - 1));
        let (magnitude, negative) = if signed {
            let sign = self.b.bin(BinOp::Ashr, x, top);
            let flipped = self.b.bin(BinOp::Xor, x, sign);
            (self.b.isub(flipped, sign), Some(self.b.icmp(IntCc::Slt, x, zero)))
        } else {
            (x, None)
        };
        let leading = self.b.un(UnOp::Clz, magnitude);
        let spare = self.int(from, (w - p) as u64);
        let drop = self.b.bin(BinOp::Umin, leading, spare);
        let drop = self.b.isub(spare, drop);
        let kept = self.b.lshr(magnitude, drop);
        let kept = self.b.shl(kept, drop);
        let base = self.b.cast(CastOp::UToFp, kept, to);
        let one = self.int(from, 1);
        let step = self.b.shl(one, drop);
        let step = self.b.cast(CastOp::UToFp, step, to);
        let above = self.fadd(base, step);
        let inexact = self.b.icmp(IntCc::Ne, kept, magnitude);
        let up = self.b.select(inexact, above, base);
        match (rounding, negative) {
            (Rounding::Rtp, None) => up,
            (_, None) => base,
            (Rounding::Rtp, Some(n)) => {
                let minus = self.b.un(UnOp::Fneg, base);
                self.b.select(n, minus, up)
            }
            (Rounding::Rtn, Some(n)) => {
                let minus = self.b.un(UnOp::Fneg, up);
                self.b.select(n, minus, base)
            }
            (_, Some(n)) => {
                let minus = self.b.un(UnOp::Fneg, base);
                self.b.select(n, minus, base)
            }
        }
    }

    fn float_to_float(&mut self, x: Value, to: Type, rounding: Rounding) -> Value {
        let from = self.b.ty(x);
        let (s, d) = (from.scalar().unwrap_or(Scalar::F32), to.scalar().unwrap_or(Scalar::F32));
        if s == d {
            return x;
        }
        if d.bits() > s.bits() {
            return self.b.cast(CastOp::FpConv, x, to);
        }
        if d == Scalar::F16 {
            let bits = self.half_bits_of(x, rounding);
            return self.b.bitcast(bits, to);
        }
        let r = self.b.cast(CastOp::FpConv, x, to);
        match rounding {
            Rounding::Rte => r,
            _ => self.correct(x, r, rounding),
        }
    }

    /// Moves the single `r`, a double `x` rounded in any direction, to the neighbour that the rounding mode
    /// requires.
    fn correct(&mut self, x: Value, r: Value, rounding: Rounding) -> Value {
        let (wide, to) = (self.b.ty(x), self.b.ty(r));
        let back = self.widen(r, wide);
        let zero = self.float(wide, 0.0);
        let (above, below) = (self.b.fcmp(FloatCc::Ogt, back, x), self.b.fcmp(FloatCc::Olt, back, x));
        let (positive, negative) = (self.b.fcmp(FloatCc::Ogt, x, zero), self.b.fcmp(FloatCc::Olt, x, zero));
        let no = self.b.func.bits(self.b.func.ty(above), 0);
        let (down, up) = match rounding {
            Rounding::Rtn => (above, no),
            Rounding::Rtp => (no, below),
            _ => (self.b.and(above, positive), self.b.and(below, negative)),
        };
        // Neighbours by bit pattern: away from zero is plus one. The neighbours of zero are the smallest
        // denormals. A device that flushes these may have made the zero from any denormal: it keeps zero, but
        // for doubles between the largest denormal and the smallest normal number.
        let int = to.with_scalar(Scalar::I32);
        let bits = self.b.bitcast(r, int);
        let one = self.int(int, 1);
        let (inc, dec) = (self.b.iadd(bits, one), self.b.isub(bits, one));
        let sign = self.int(int, 0x8000_0000);
        let magnitude = self.int(int, 0x7fff_ffff);
        let magnitude = self.b.and(bits, magnitude);
        let izero = self.int(int, 0);
        let least = if self.cx.target.denorms32 == Denorms32::Kept {
            self.int(int, 1)
        } else {
            let (size, largest) = (self.b.un(UnOp::Fabs, x), self.float(wide, LARGEST_DENORMAL));
            let is_larger = self.b.fcmp(FloatCc::Ogt, size, largest);
            let least_normal = self.int(int, 0x0080_0000);
            self.b.select(is_larger, least_normal, izero)
        };
        let is_zero = self.b.icmp(IntCc::Eq, magnitude, izero);
        let minus = self.b.icmp(IntCc::Slt, bits, izero);
        let next_up = self.b.select(minus, dec, inc);
        let next_up = self.b.select(is_zero, least, next_up);
        let next_down = self.b.select(minus, inc, dec);
        let minus_least = self.b.or(sign, least);
        let next_down = self.b.select(is_zero, minus_least, next_down);
        let bits = self.b.select(down, next_down, bits);
        let bits = self.b.select(up, next_up, bits);
        self.b.bitcast(bits, to)
    }

    /// A single as double, exactly: conversions of devices that flush denormals turn these into zeros.
    fn widen(&mut self, x: Value, wide: Type) -> Value {
        let int = self.b.ty(x).with_scalar(Scalar::I32);
        let bits = self.b.bitcast(x, int);
        let (magnitude, least_normal, zero) =
            (self.int(int, 0x7fff_ffff), self.int(int, 0x0080_0000), self.int(int, 0));
        let magnitude = self.b.and(bits, magnitude);
        let tiny = self.b.icmp(IntCc::Ult, magnitude, least_normal);
        let minus = self.b.isub(zero, magnitude);
        let negative = self.b.icmp(IntCc::Slt, bits, zero);
        let units = self.b.select(negative, minus, magnitude);
        let units = self.b.cast(CastOp::SToFp, units, wide);
        let unit = self.float(wide, 2f64.powi(-149));
        let denormal = self.fmul(units, unit);
        let normal = self.b.cast(CastOp::FpConv, x, wide);
        self.b.select(tiny, denormal, normal)
    }

    /// A double as single, truncated, with the last bit set if it was inexact (round to odd).
    pub(crate) fn round_to_odd(&mut self, x: Value, to: Type) -> Value {
        let r = self.b.cast(CastOp::FpConv, x, to);
        let t = self.correct(x, r, Rounding::Rtz);
        let back = self.b.cast(CastOp::FpConv, t, self.b.func.ty(x));
        let lost = self.b.fcmp(FloatCc::One, back, x);
        let int = to.with_scalar(Scalar::I32);
        let bits = self.b.bitcast(t, int);
        let one = self.int(int, 1);
        let odd = self.b.or(bits, one);
        let bits = self.b.select(lost, odd, bits);
        self.b.bitcast(bits, to)
    }
}
