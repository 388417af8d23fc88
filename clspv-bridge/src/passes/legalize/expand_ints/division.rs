//! Division of 64-bit integers in 32-bit words: one 32-bit division if both operands fit, else long division
//! by the divisor's leading 32 bits.
//!
//! A step of long division multiplies by the reciprocal of the leading word (Möller and Granlund, "Improved
//! division by invariant integers", algorithm 4). A divisor of one word takes two steps, which are exact. One
//! of two words takes one step, whose quotient is at most one too large (Warren, "Hacker's Delight", 9-5).
//!
//! Quotient and remainder of a division by zero are any numbers. No operation traps.

use super::ops::{Word2, add, compare, constant, select, sub};
use crate::ir::edit::split_after;
use crate::ir::*;

/// 2^63 * (1 - 2^-19) in single precision.
const SCALE: u64 = (189 << 23) | 0x7f_ffe0;

/// A divisor for long division.
struct Divisor {
    /// The 32 bits from the highest set bit on.
    leading: Value,
    /// `(2^64 - 1) / leading - 2^32`, rounded down.
    reciprocal: Value,
}

/// Quotient and remainder. Leaves the builder in another block.
pub(super) fn divide(b: &mut Builder<'_>, x: Word2, y: Word2) -> (Word2, Word2) {
    let short = split_after(b.func, b.block);
    let long = split_after(b.func, short);
    let narrow = split_after(b.func, long);
    let wide = split_after(b.func, narrow);
    let rest = split_after(b.func, wide);
    let mut param = || b.func.add_param(rest, I32);
    let (quotient, remainder) = ([param(), param()], [param(), param()]);
    let zero = constant(b, 0);
    let highs = b.or(x[1], y[1]);
    let small = b.icmp(IntCc::Eq, highs, zero);
    b.brif(small, BlockCall::new(short, &[]), BlockCall::new(long, &[]));

    b.block = short;
    let (q, r) = (b.bin(BinOp::Udiv, x[0], y[0]), b.bin(BinOp::Urem, x[0], y[0]));
    b.jump(rest, &[q, zero, r, zero]);

    b.block = long;
    let is_wide = b.icmp(IntCc::Ne, y[1], zero);
    let top = b.select(is_wide, y[1], y[0]);
    let shift = b.un(UnOp::Clz, top);
    let below = b.select(is_wide, y[0], zero);
    let leading = funnel(b, top, below, shift);
    let divisor = Divisor { leading, reciprocal: reciprocal(b, leading) };
    // The dividend in three words: moved as the divisor was, or halved below a divisor of two words.
    let most = constant(b, 31);
    let moved = b.select(is_wide, most, shift);
    let dividend = [b.shl(x[0], moved), funnel(b, x[1], x[0], moved), funnel(b, zero, x[1], moved)];
    let (high, left) = divisor.step(b, [dividend[1], dividend[2]]);
    b.brif(is_wide, BlockCall::new(wide, &[]), BlockCall::new(narrow, &[]));

    b.block = narrow;
    let (low, left) = divisor.step(b, [dividend[0], left]);
    let left = b.lshr(left, shift);
    b.jump(rest, &[low, high, left, zero]);

    b.block = wide;
    let unused = b.isub(most, shift);
    let estimate = b.lshr(high, unused);
    let (q, r) = correct(b, x, y, estimate);
    b.jump(rest, &[q, zero, r[0], r[1]]);
    b.block = rest;
    (quotient, remainder)
}

/// The upper word of two words that are shifted left by less than 32.
fn funnel(b: &mut Builder<'_>, high: Value, low: Value, amount: Value) -> Value {
    let (one, most) = (constant(b, 1), constant(b, 31));
    let rest = b.isub(most, amount);
    let (high, low) = (b.shl(high, amount), b.lshr(low, one));
    let low = b.lshr(low, rest);
    b.or(high, low)
}

/// The full product of two words.
fn product(b: &mut Builder<'_>, x: Value, y: Value) -> Word2 {
    [b.imul(x, y), b.bin(BinOp::UmulHi, x, y)]
}

/// `(2^64 - 1) / d - 2^32`, rounded down, for a word whose highest bit is set.
fn reciprocal(b: &mut Builder<'_>, d: Value) -> Value {
    let (one, c15, c17) = (constant(b, 1), constant(b, 15), constant(b, 17));
    // z is below 2^63 / d, by less than one part in 2^18 if the device's reciprocal is good to 3 ulp and its
    // other operations to 1.
    let z = b.cast(CastOp::UToFp, d, F32);
    let z = b.un(UnOp::NativeRecip, z);
    let scale = b.func.bits(F32, SCALE);
    let z = b.bin(BinOp::Fmul, z, scale);
    let z = b.cast(CastOp::FpToU, z, I32);
    // One step of Newton's method, from the upper bits of 2^63 - 1 - z * d. The result may be too small by 1.
    let [low, high] = product(b, z, d);
    let (high, low) = (b.shl(high, c17), b.lshr(low, c15));
    let error = b.or(high, low);
    let error = b.not(error);
    let step = b.bin(BinOp::UmulHi, z, error);
    let (twice, step) = (b.shl(z, one), b.lshr(step, c15));
    let v = b.iadd(twice, step);
    // The upper word of (2^32 + v + 1) * d: -1 if that is still below 2^64, else 0.
    let [low, high] = product(b, v, d);
    let low = b.iadd(low, d);
    let carry = b.icmp(IntCc::Ult, low, d);
    let carry = b.cast(CastOp::Zext, carry, I32);
    let high = b.iadd(high, d);
    let high = b.iadd(high, carry);
    b.isub(v, high)
}

impl Divisor {
    /// Divides two words, of which the upper one is below the leading word of the divisor, by this.
    fn step(&self, b: &mut Builder<'_>, x: Word2) -> (Value, Value) {
        let (one, d) = (constant(b, 1), self.leading);
        let estimate = product(b, self.reciprocal, x[1]);
        let [fraction, q] = add(b, estimate, x);
        let more = b.iadd(q, one);
        let taken = b.imul(more, d);
        let r = b.isub(x[0], taken);
        // The estimate plus one is too large where the remainder is above the fraction.
        let excess = b.icmp(IntCc::Ugt, r, fraction);
        let back = b.iadd(r, d);
        let (q, r) = (b.select(excess, q, more), b.select(excess, back, r));
        let lacks = b.icmp(IntCc::Uge, r, d);
        let (more, less) = (b.iadd(q, one), b.isub(r, d));
        (b.select(lacks, more, q), b.select(lacks, less, r))
    }
}

/// Quotient and remainder of a division by two words, from a quotient that may be too large by 1.
fn correct(b: &mut Builder<'_>, x: Word2, y: Word2, estimate: Value) -> (Value, Word2) {
    let (zero, one) = (constant(b, 0), constant(b, 1));
    let some = b.icmp(IntCc::Ne, estimate, zero);
    let some = b.cast(CastOp::Zext, some, I32);
    let q = b.isub(estimate, some);
    let [low, high] = product(b, q, y[0]);
    let upper = b.imul(q, y[1]);
    let taken = [low, b.iadd(high, upper)];
    let r = sub(b, x, taken);
    let lacks = compare(b, IntCc::Uge, r, y);
    let (more, less) = (b.iadd(q, one), sub(b, r, y));
    (b.select(lacks, more, q), select(b, lacks, less, r))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::interp::{Machine, value};
    use crate::ir::verify::verify_module;

    /// `f(x, y)` in words: quotient and remainder.
    fn module() -> Module {
        let signature = Signature { params: vec![I32; 4], results: vec![I32; 4] };
        let mut f = Function::new("f", signature, Linkage::Export);
        let entry = f.add_block();
        let [x0, x1, y0, y1] = [(); 4].map(|()| f.add_param(entry, I32));
        let mut b = Builder::new(&mut f, entry);
        let (q, r) = divide(&mut b, [x0, x1], [y0, y1]);
        b.ret(&[q[0], q[1], r[0], r[1]]);
        let mut m = Module::default();
        m.functions.push(f);
        verify_module(&m).unwrap();
        m
    }

    struct Rng(u64);

    impl Rng {
        fn next(&mut self) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
        }
        /// A number of any width, or one of few set or few clear bits.
        fn operand(&mut self) -> u64 {
            let (kind, amount) = (self.next() >> 60, (self.next() >> 58) as u32);
            let edge = 1u64.rotate_left(amount).wrapping_add(self.next() >> 62).wrapping_sub(1);
            match kind {
                0..4 => edge,
                4..6 => !edge,
                6..8 => u64::MAX << amount,
                8 => self.next() << amount,
                _ => self.next() >> amount,
            }
        }
    }

    fn check(machine: &mut Machine<'_>, f: FuncRef, x: u64, y: u64) {
        let words = [x, x >> 32, y, y >> 32].map(|w| value::scalar(w & 0xffff_ffff));
        let results = machine.call(f, &words).unwrap();
        let [q0, q1, r0, r1] = [0, 1, 2, 3].map(|k: usize| results[k][0].get().unwrap());
        assert_eq!((q1 << 32 | q0, r1 << 32 | r0), (x / y, x % y), "{x:#x} / {y:#x}");
    }

    #[test]
    fn quotients_and_remainders_are_exact() {
        let m = module();
        let f = m.find("f").unwrap();
        let mut machine = Machine::new(&m);
        let powers = [0, 1, 2, 16, 30, 31, 32, 33, 48, 62, 63].map(|k| 1u64 << k);
        let edges: Vec<u64> =
            powers.iter().flat_map(|&p| [p - 1, p, p + 1]).chain([u64::MAX - 1, u64::MAX]).collect();
        for &y in edges.iter().filter(|y| **y != 0) {
            edges.iter().for_each(|&x| check(&mut machine, f, x, y));
        }
        let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
        for _ in 0..4000 {
            let (x, y, q) = (rng.operand(), rng.operand().max(1), rng.operand());
            check(&mut machine, f, x, y);
            // Around multiples of the divisor.
            let multiple = q.wrapping_mul(y);
            check(&mut machine, f, multiple, y);
            check(&mut machine, f, multiple.wrapping_sub(1), y);
        }
    }

    #[test]
    fn a_division_by_zero_ends() {
        let m = module();
        let f = m.find("f").unwrap();
        let mut machine = Machine::new(&m);
        let words = [1, 2, 0, 0].map(value::scalar);
        assert!(machine.call(f, &words).is_ok());
    }
}
