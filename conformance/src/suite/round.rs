//! Exact values and their rounding to a format in any mode: the reference of conversions. Integers and
//! doubles are represented exactly, by a sign, a significand of up to 128 bits and an exponent.

/// Rounding modes as in the names of conversions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoundingMode {
    Even,
    Zero,
    Up,
    Down,
}

/// A finite number: significand times a power of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exact {
    pub negative: bool,
    pub significand: u128,
    pub exponent: i32,
}

/// A binary format: bits of the significand, including the implicit one, and the exponents of normal numbers.
#[derive(Clone, Copy)]
pub struct FloatFormat {
    pub precision: i32,
    pub least: i32,
    pub most: i32,
}

pub const HALF: FloatFormat = FloatFormat { precision: 11, least: -14, most: 15 };
pub const SINGLE: FloatFormat = FloatFormat { precision: 24, least: -126, most: 127 };
pub const DOUBLE: FloatFormat = FloatFormat { precision: 53, least: -1022, most: 1023 };

impl Exact {
    pub fn of_int(value: i128) -> Exact {
        Exact { negative: value < 0, significand: value.unsigned_abs(), exponent: 0 }
    }

    /// `None` for infinities and NaN.
    pub fn of_double(value: f64) -> Option<Exact> {
        let bits = value.to_bits();
        let (field, fraction) = ((bits >> 52 & 0x7ff) as i32, u128::from(bits & ((1 << 52) - 1)));
        let negative = bits >> 63 == 1;
        match field {
            0x7ff => None,
            0 => Some(Exact { negative, significand: fraction, exponent: -1074 }),
            _ => Some(Exact { negative, significand: fraction | 1 << 52, exponent: field - 1075 }),
        }
    }

    /// The significand in units of two to the power of `unit`, rounded.
    fn in_units(self, unit: i32, mode: RoundingMode) -> u128 {
        let shift = unit - self.exponent;
        if shift <= 0 {
            return self.significand << -shift;
        }
        let (whole, rest, half) = match shift {
            1..=127 => {
                (self.significand >> shift, self.significand & ((1 << shift) - 1), 1u128 << (shift - 1))
            }
            // Less than a half, if anything is left at all.
            _ => (0, self.significand.min(1), 2),
        };
        let up = match mode {
            RoundingMode::Even => rest > half || rest == half && whole & 1 == 1,
            RoundingMode::Zero => false,
            RoundingMode::Up => rest > 0 && !self.negative,
            RoundingMode::Down => rest > 0 && self.negative,
        };
        whole + u128::from(up)
    }

    /// The number rounded to an integer.
    pub fn to_int(self, mode: RoundingMode) -> i128 {
        // No converted number is as large.
        let size = 128 - self.significand.leading_zeros() as i32 + self.exponent;
        let magnitude = if size > 126 { i128::MAX } else { self.in_units(0, mode) as i128 };
        if self.negative { -magnitude } else { magnitude }
    }

    /// The number rounded to a format, as a double (which holds all of these formats' numbers).
    pub fn to_float(self, format: FloatFormat, mode: RoundingMode) -> f64 {
        let sign = if self.negative { -1.0 } else { 1.0 };
        if self.significand == 0 {
            return 0.0 * sign;
        }
        let top = 127 - self.significand.leading_zeros() as i32 + self.exponent;
        let unit = top.max(format.least) - format.precision + 1;
        let units = self.in_units(unit, mode);
        let largest = ((1u128 << format.precision) - 1, format.most - format.precision + 1);
        // Rounding may have reached the next power of two.
        let value = if units == 0 { 0.0 } else { scaled(units, unit) };
        let limit = scaled(largest.0, largest.1);
        let overflow = top > format.most || value > limit;
        let magnitude = match mode {
            _ if !overflow => value,
            RoundingMode::Even => f64::INFINITY,
            RoundingMode::Zero => limit,
            RoundingMode::Up => {
                if self.negative {
                    limit
                } else {
                    f64::INFINITY
                }
            }
            RoundingMode::Down => {
                if self.negative {
                    f64::INFINITY
                } else {
                    limit
                }
            }
        };
        magnitude * sign
    }
}

/// An integer of at most 54 bits times a power of two; infinite beyond the doubles.
fn scaled(units: u128, exponent: i32) -> f64 {
    // Two steps keep both powers in range, and round denormals once (they are exact).
    let half = exponent / 2;
    units as f64 * 2f64.powi(half) * 2f64.powi(exponent - half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn singles_round_as_the_processor_does() {
        let mut x = 1u64;
        for _ in 0..100_000 {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let value = f64::from_bits(x >> 2 << 1 | x >> 63 << 63);
            let Some(exact) = Exact::of_double(value) else { continue };
            assert_eq!(exact.to_float(SINGLE, RoundingMode::Even), f64::from(value as f32), "{value:e}");
            assert_eq!(exact.to_float(DOUBLE, RoundingMode::Down), value, "{value:e}");
            let int = i128::from(x as i64);
            assert_eq!(Exact::of_int(int).to_float(SINGLE, RoundingMode::Even), f64::from(int as f32));
        }
    }

    #[test]
    fn modes_differ_where_they_must() {
        let list = |value: f64| {
            [RoundingMode::Even, RoundingMode::Zero, RoundingMode::Up, RoundingMode::Down]
                .map(|m| Exact::of_double(value).map(|e| e.to_int(m)))
        };
        assert_eq!(list(2.5), [Some(2), Some(2), Some(3), Some(2)]);
        assert_eq!(list(-3.5), [Some(-4), Some(-3), Some(-3), Some(-4)]);
        assert_eq!(list(1e-300), [Some(0), Some(0), Some(1), Some(0)]);
        let big = Exact::of_int(1 << 40);
        assert_eq!(
            [RoundingMode::Even, RoundingMode::Down].map(|m| big.to_float(HALF, m)),
            [f64::INFINITY, 65504.0]
        );
        assert_eq!(Exact::of_int(16_777_217).to_float(SINGLE, RoundingMode::Up), 16_777_218.0);
        assert_eq!(Exact::of_double(1e-9).map(|e| e.to_float(HALF, RoundingMode::Up)), Some(2f64.powi(-24)));
    }
}
