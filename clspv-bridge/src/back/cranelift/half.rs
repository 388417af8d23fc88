//! Numbers of half precision, which are 16-bit integers in the code: operations convert them to single
//! precision and round the result once.

use super::lower::Lower;
use crate::ir::FloatCc;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self as clif, InstBuilder, types};

/// The factor 2^112 as a single: the difference of the exponents' biases.
const REBIAS: u64 = 0x7780_0000;
/// 2^16 as a single: greater than every finite half.
const TOO_LARGE: u64 = 0x4780_0000;
/// The least normal half, 2^-14, as a single.
const LEAST_NORMAL: u64 = 0x3880_0000;
/// 0.5 as a single: its last bit counts in units of the least half.
const DENORMAL_UNIT: u64 = 0x3f00_0000;
/// Infinity as a single.
const INFINITY: u64 = 0x7f80_0000;

impl Lower<'_, '_> {
    fn word(&mut self, bits: u64) -> clif::Value {
        self.number(types::I32, bits)
    }

    fn and(&mut self, x: clif::Value, bits: u64) -> clif::Value {
        let bits = self.word(bits);
        self.c.ins().band(x, bits)
    }

    fn shift_left(&mut self, x: clif::Value, by: u64) -> clif::Value {
        let by = self.word(by);
        self.c.ins().ishl(x, by)
    }

    fn shift_right(&mut self, x: clif::Value, by: u64) -> clif::Value {
        let by = self.word(by);
        self.c.ins().ushr(x, by)
    }

    /// A half as a single, which is exact.
    pub(super) fn half_to_single(&mut self, x: clif::Value) -> clif::Value {
        let x = self.c.ins().uextend(types::I32, x);
        let size = self.and(x, 0x7fff);
        let moved = self.shift_left(size, 13);
        let moved = self.cast_bits(moved, types::F32);
        let factor = self.number(types::F32, REBIAS);
        let finite = self.c.ins().fmul(moved, factor);
        let finite = self.cast_bits(finite, types::I32);
        // The largest exponent is that of infinity and of NaN.
        let limit = self.word(0x7c00);
        let is_special = self.c.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, size, limit);
        let infinity = self.word(INFINITY);
        let special = self.c.ins().bor(finite, infinity);
        let bits = self.c.ins().select(is_special, special, finite);
        let sign = self.and(x, 0x8000);
        let sign = self.shift_left(sign, 16);
        let bits = self.c.ins().bor(bits, sign);
        self.cast_bits(bits, types::F32)
    }

    /// The half nearest to a single, the even one of two.
    pub(super) fn single_to_half(&mut self, x: clif::Value) -> clif::Value {
        let bits = self.cast_bits(x, types::I32);
        let sign = self.shift_right(bits, 16);
        let sign = self.and(sign, 0x8000);
        let size = self.and(bits, 0x7fff_ffff);
        // Normal: the mantissa is rounded in integers, where a carry goes to the exponent.
        let odd = self.shift_right(size, 13);
        let odd = self.and(odd, 1);
        let bias = self.word(0xfff_u64.wrapping_sub(112 << 23));
        let sum = self.c.ins().iadd(size, bias);
        let sum = self.c.ins().iadd(sum, odd);
        let normal = self.shift_right(sum, 13);
        // Denormal: the addition rounds to multiples of the least half.
        let unit = self.number(types::F32, DENORMAL_UNIT);
        let number = self.cast_bits(size, types::F32);
        let sum = self.c.ins().fadd(number, unit);
        let sum = self.cast_bits(sum, types::I32);
        let unit = self.word(DENORMAL_UNIT);
        let denormal = self.c.ins().isub(sum, unit);
        // A NaN stays one, with the first bits of its payload.
        let payload = self.shift_right(size, 13);
        let payload = self.and(payload, 0x3ff);
        let quiet = self.word(0x7e00);
        let nan = self.c.ins().bor(payload, quiet);
        let infinity = self.word(INFINITY);
        let is_nan = self.c.ins().icmp(IntCC::UnsignedGreaterThan, size, infinity);
        let half_infinity = self.word(0x7c00);
        let special = self.c.ins().select(is_nan, nan, half_infinity);
        let least = self.word(LEAST_NORMAL);
        let is_small = self.c.ins().icmp(IntCC::UnsignedLessThan, size, least);
        let finite = self.c.ins().select(is_small, denormal, normal);
        let limit = self.word(TOO_LARGE);
        let is_finite = self.c.ins().icmp(IntCC::UnsignedLessThan, size, limit);
        let result = self.c.ins().select(is_finite, finite, special);
        let result = self.c.ins().bor(result, sign);
        self.c.ins().ireduce(types::I16, result)
    }

    /// The half nearest to a double. The single in between is rounded to odd, so that the second rounding
    /// decides as a single one would.
    pub(super) fn double_to_half(&mut self, x: clif::Value) -> clif::Value {
        let single = self.c.ins().fdemote(types::F32, x);
        let back = self.c.ins().fpromote(types::F64, single);
        let inexact = self.fcmp(FloatCc::One, back, x);
        let (a, b) = (self.c.ins().fabs(back), self.c.ins().fabs(x));
        let above = self.c.ins().fcmp(FloatCC::GreaterThan, a, b);
        let above = self.c.ins().uextend(types::I32, above);
        let inexact = self.c.ins().uextend(types::I32, inexact);
        let bits = self.cast_bits(single, types::I32);
        let towards_zero = self.c.ins().isub(bits, above);
        let odd = self.c.ins().bor(towards_zero, inexact);
        let odd = self.cast_bits(odd, types::F32);
        self.single_to_half(odd)
    }
}
