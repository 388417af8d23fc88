//! Numbers of about 106 bits: an unevaluated sum of two `f64` (T. J. Dekker; D. Knuth), with the arithmetic
//! that references of double-precision functions need. Infinities and NaN are not handled: callers settle
//! those first.
//!
//! [`Real`] adds an exponent, so that results beyond the range of `f64`, or denormal in it, keep all their
//! bits.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// `hi + lo`, with `hi` the sum rounded to nearest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dd {
    pub hi: f64,
    pub lo: f64,
}

/// The exact sum of two numbers in any order.
pub fn two_sum(a: f64, b: f64) -> Dd {
    let s = a + b;
    let t = s - a;
    Dd { hi: s, lo: (a - (s - t)) + (b - t) }
}

/// The exact sum where |a| >= |b|.
fn quick_sum(a: f64, b: f64) -> Dd {
    let s = a + b;
    Dd { hi: s, lo: b - (s - a) }
}

/// The exact product (no underflow assumed).
pub fn two_mul(a: f64, b: f64) -> Dd {
    let p = a * b;
    Dd { hi: p, lo: a.mul_add(b, -p) }
}

impl Dd {
    pub const ONE: Dd = Dd { hi: 1.0, lo: 0.0 };
    pub const PI: Dd = Dd { hi: std::f64::consts::PI, lo: 1.2246467991473532e-16 };
    pub const LN_2: Dd = Dd { hi: std::f64::consts::LN_2, lo: 2.3190468138462996e-17 };
    pub const LN_10: Dd = Dd { hi: std::f64::consts::LN_10, lo: -2.1707562233822494e-16 };

    pub fn from(hi: f64) -> Dd {
        Dd { hi, lo: 0.0 }
    }
    pub fn sqrt(self) -> Dd {
        if self.hi == 0.0 {
            return self;
        }
        // One step of Newton's method doubles the bits of the hardware's root.
        let r = self.hi.sqrt();
        let rest = self - two_mul(r, r);
        quick_sum(r, rest.hi / (2.0 * r))
    }
    pub fn abs(self) -> Dd {
        if self.hi < 0.0 { -self } else { self }
    }
    /// Multiplies by a power of two without overflow or underflow.
    pub fn scale(self, c: f64) -> Dd {
        Dd { hi: self.hi * c, lo: self.lo * c }
    }
    pub fn square(self) -> Dd {
        self * self
    }
}

impl Neg for Dd {
    type Output = Dd;
    fn neg(self) -> Dd {
        Dd { hi: -self.hi, lo: -self.lo }
    }
}
impl Add for Dd {
    type Output = Dd;
    fn add(self, b: Dd) -> Dd {
        let s = two_sum(self.hi, b.hi);
        let t = two_sum(self.lo, b.lo);
        let v = quick_sum(s.hi, s.lo + t.hi);
        quick_sum(v.hi, v.lo + t.lo)
    }
}
impl Sub for Dd {
    type Output = Dd;
    fn sub(self, b: Dd) -> Dd {
        self + -b
    }
}
impl Mul for Dd {
    type Output = Dd;
    fn mul(self, b: Dd) -> Dd {
        let p = two_mul(self.hi, b.hi);
        quick_sum(p.hi, p.lo + (self.hi * b.lo + self.lo * b.hi))
    }
}
impl Div for Dd {
    type Output = Dd;
    fn div(self, b: Dd) -> Dd {
        // Long division with three digits of 53 bits.
        let q1 = self.hi / b.hi;
        let r = self - b * Dd::from(q1);
        let q2 = r.hi / b.hi;
        let r = r - b * Dd::from(q2);
        let q3 = r.hi / b.hi;
        quick_sum(q1, q2) + Dd::from(q3)
    }
}
impl Add<f64> for Dd {
    type Output = Dd;
    fn add(self, b: f64) -> Dd {
        self + Dd::from(b)
    }
}
impl Sub<f64> for Dd {
    type Output = Dd;
    fn sub(self, b: f64) -> Dd {
        self + Dd::from(-b)
    }
}
impl Mul<f64> for Dd {
    type Output = Dd;
    fn mul(self, b: f64) -> Dd {
        self * Dd::from(b)
    }
}
impl Div<f64> for Dd {
    type Output = Dd;
    fn div(self, b: f64) -> Dd {
        self / Dd::from(b)
    }
}

/// `x * 2^n`, rounded once.
pub fn ldexp(x: f64, n: i32) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let lead = exponent(x);
    let sign = x.to_bits() & 1 << 63;
    // The significand with its leading bit at 52.
    let raw = x.to_bits() & ((1 << 52) - 1);
    let sig = if lead >= -1022 { raw | 1 << 52 } else { raw << (-1022 - lead) };
    let e = lead + n.clamp(-5000, 5000);
    let bits = match e {
        1024.. => 0x7ff << 52,
        -1022..=1023 => ((e + 1023) as u64) << 52 | (sig & ((1 << 52) - 1)),
        _ => {
            let drop = -1022 - e;
            if drop > 54 {
                0
            } else {
                let (q, rest, tie) = (sig >> drop, sig & ((1 << drop) - 1), 1 << (drop - 1));
                q + u64::from(rest > tie || (rest == tie && q & 1 == 1))
            }
        }
    };
    f64::from_bits(sign | bits)
}

/// The exponent of the leading bit of a finite number that is not zero.
pub fn exponent(x: f64) -> i32 {
    let e = (x.to_bits() >> 52 & 0x7ff) as i32;
    if e == 0 { -1011 - (x.to_bits() << 1 >> 1).leading_zeros() as i32 } else { e - 1023 }
}

/// A reference value: `(hi + lo) * 2^exp`, or a NaN or an infinity in `value.hi`.
#[derive(Clone, Copy, Debug)]
pub struct Real {
    pub value: Dd,
    pub exp: i32,
}

impl Real {
    pub fn exact(x: f64) -> Real {
        Real { value: Dd::from(x), exp: 0 }
    }
    /// To `f64`, for display (may round twice).
    pub fn approx(self) -> f64 {
        if self.exp == 0 { self.value.hi } else { ldexp(self.value.hi, self.exp) }
    }
    /// The exponent of the leading bit; `None` for zero, infinity and NaN.
    pub fn leading(self) -> Option<i32> {
        let Dd { hi, lo } = self.value;
        if hi == 0.0 || !hi.is_finite() {
            return None;
        }
        let e = exponent(hi);
        // A power of two that the low part makes smaller.
        let below = hi.to_bits() << 12 == 0 && lo != 0.0 && (lo < 0.0) != (hi < 0.0);
        Some(e - i32::from(below) + self.exp)
    }
    /// `(x - self) / 2^scale`, nearly exact even where both are denormal.
    pub fn distance(self, x: f64, scale: i32) -> f64 {
        if self.value.hi == 0.0 {
            return ldexp(x, -scale);
        }
        // Scales all numbers to about 1 first.
        let e = exponent(self.value.hi);
        let part = |v: f64| if v == 0.0 { 0.0 } else { ldexp(v, -e) };
        let (hi, lo) = (part(self.value.hi), part(self.value.lo));
        let y = if x == 0.0 { 0.0 } else { ldexp(x, -e - self.exp) };
        if !y.is_finite() {
            return f64::INFINITY;
        }
        ldexp((y - hi) - lo, e + self.exp - scale)
    }
}

impl From<Dd> for Real {
    fn from(value: Dd) -> Real {
        Real { value, exp: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_keeps_a_hundred_bits() {
        let third = Dd::ONE / 3.0;
        assert!((third * 3.0 - Dd::ONE).hi.abs() < 1e-31);
        let root = Dd::from(2.0).sqrt();
        assert!((root * root - 2.0).hi.abs() < 1e-31);
        assert_eq!(two_mul(1.0 + f64::EPSILON, 1.0 - f64::EPSILON).lo, -f64::EPSILON * f64::EPSILON);
    }

    #[test]
    fn powers_of_two() {
        assert_eq!(ldexp(1.0, 1023), 2f64.powi(1023));
        assert_eq!(ldexp(1.0, -1074), f64::from_bits(1));
        assert_eq!(ldexp(1.5, -1074), f64::from_bits(2));
        assert_eq!(ldexp(f64::from_bits(1), 1074), 1.0);
        assert_eq!(ldexp(f64::from_bits(1), 2097), 2f64.powi(1023));
        assert_eq!(ldexp(f64::MAX, -2097), f64::from_bits(2));
        assert_eq!(ldexp(-1.0, 5000), f64::NEG_INFINITY);
        assert_eq!(ldexp(1.0, -5000), 0.0);
        // One rounding: 1 + 2^-52 above the half of the least denormal rounds up.
        assert_eq!(ldexp(1.0 + f64::EPSILON, -1075), f64::from_bits(1));
        assert_eq!(ldexp(1.0, -1075), 0.0);
        assert_eq!(exponent(f64::from_bits(1)), -1074);
        assert_eq!(exponent(f64::MIN_POSITIVE), -1022);
    }

    #[test]
    fn distances_are_in_units() {
        let tiny = Real { value: Dd::ONE, exp: -1074 };
        assert_eq!(tiny.distance(f64::from_bits(3), -1074), 2.0);
        let r = Real::from(Dd { hi: 1.0, lo: -f64::EPSILON / 8.0 });
        assert_eq!(r.leading(), Some(-1));
        assert_eq!(r.distance(1.0, -53), 0.25);
    }
}
