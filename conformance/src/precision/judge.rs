//! Errors in units in the last place (section 7.4), and results allowed where denormals are flushed (section
//! 7.5.3).

use super::dd::{Real, exponent, ldexp};
use super::reference::{Answer, Args, answer};
use super::table::{Bound, FunctionSpec, Width};

/// The nearest number of the format, ties to even.
pub fn round(width: Width, r: Real) -> f64 {
    let hi = r.value.hi;
    if hi == 0.0 || !hi.is_finite() {
        return hi;
    }
    // To odd: the low part decides about ties only.
    let mut bits = hi.to_bits();
    if r.value.lo != 0.0 {
        let inward = (r.value.lo < 0.0) != (hi < 0.0);
        if inward {
            bits -= 1;
        }
        bits |= 1;
    }
    let odd = f64::from_bits(bits);
    if width == Width::F64 && r.exp == 0 {
        return hi;
    }
    let e = exponent(odd) + r.exp;
    // Position of the last bit.
    let last = (e - width.precision() + 1).max(width.min_exponent() - width.precision() + 1);
    // In units of the last bit: at most 53 bits, an integer plus a fraction.
    let scaled = ldexp(odd, r.exp - last);
    let rounded = ldexp(scaled.round_ties_even(), last);
    let limit = ldexp(1.0, width.max_exponent());
    if rounded.abs() / 2.0 >= limit || (rounded / 2.0).abs() >= limit {
        f64::INFINITY.copysign(hi)
    } else {
        rounded
    }
}

/// Error of `got`; infinite for a wrong NaN, infinity or sign of an exact zero.
pub fn error(width: Width, got: f64, want: Real, signed_zero: bool) -> f64 {
    let w = want.value.hi;
    if w.is_nan() {
        return if got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if got.is_nan() {
        return f64::INFINITY;
    }
    if w.is_infinite() {
        return if got == w { 0.0 } else { f64::INFINITY };
    }
    if w == 0.0 && got == 0.0 {
        return if signed_zero && w.is_sign_negative() != got.is_sign_negative() {
            f64::INFINITY
        } else {
            0.0
        };
    }
    let least = width.min_exponent() - width.precision() + 1;
    let top = width.max_exponent();
    let unit = want.leading().map_or(least, |e| (e.min(top) - width.precision() + 1).max(least));
    if got.is_infinite() {
        // The number after the largest one.
        if (got < 0.0) != (w < 0.0) {
            return f64::INFINITY;
        }
        if want.leading().is_some_and(|e| e > top) {
            return 0.0;
        }
        let half = want.distance(ldexp(1.0, top).copysign(got), unit);
        return (half + ldexp(1.0, top - unit).copysign(got)).abs();
    }
    want.distance(got, unit).abs()
}

/// Results of a device for one set of operands.
#[derive(Clone, Copy, Debug)]
pub struct Got {
    pub value: f64,
    pub second: f64,
    pub int: i32,
}

/// Rules by which results are compared.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    pub width: Width,
    /// Denormal operands and results may count as zeros.
    pub flush: bool,
    /// NaN, infinities and the sign of zero do not count.
    pub finite_only: bool,
}

/// An error and whether it is allowed.
#[derive(Clone, Copy, Debug)]
pub struct Accuracy {
    /// In units in the last place; NaN where the result is undefined.
    pub ulp: f64,
    pub good: bool,
}

/// Measures the error of a result. Returns `None` if the result is undefined for these operands.
pub fn judge(entry: &FunctionSpec, rules: Rules, bound: Bound, args: &Args, got: Got) -> Option<Accuracy> {
    if entry.domain.is_some_and(|d| !d(args)) {
        return None;
    }
    let at = |a: &Args| match bound {
        Bound::Special(rule, _) => rule(a),
        other => other,
    };
    let first = compare(entry, rules, at(args), args, got)?;
    if first.good || !rules.flush {
        return Some(first);
    }
    // Any denormal operand may count as a zero of either sign.
    let smallest = ldexp(1.0, rules.width.min_exponent());
    let choices = |v: f64| if v != 0.0 && v.abs() < smallest { vec![v, 0.0, -0.0] } else { vec![v] };
    for &x in &choices(args.x) {
        for &y in &choices(args.y) {
            for &z in &choices(args.z) {
                let flushed = Args { x, y, z, ..*args };
                // Section 7.5.3: without denormals the next number after zero is the smallest normal one.
                let next =
                    entry.name == "nextafter" && x == 0.0 && y != 0.0 && got.value == smallest.copysign(y);
                if next {
                    return Some(Accuracy { ulp: 0.0, good: true });
                }
                if entry.domain.is_some_and(|d| !d(&flushed)) {
                    return None;
                }
                // The product between multiplication and addition, too.
                let unfused = matches!(entry.name, "mad" | "x * y + z") && (x * y).abs() < smallest;
                if unfused && (got.value == z || (z.is_nan() && got.value.is_nan())) {
                    return Some(Accuracy { ulp: 0.0, good: true });
                }
                // The result is undefined for the operands as the device may flush them.
                let v = compare(entry, rules, at(&flushed), &flushed, got)?;
                if v.good {
                    return Some(v);
                }
            }
        }
    }
    Some(first)
}

fn compare(entry: &FunctionSpec, rules: Rules, bound: Bound, args: &Args, got: Got) -> Option<Accuracy> {
    let want = answer(entry.name, rules.width, args)?;
    if rules.finite_only {
        let values = [Some(want.value), want.second].into_iter().flatten();
        let mut results = values.map(|r| round(rules.width, r));
        if ![args.x, args.y, args.z].into_iter().all(f64::is_finite) || !results.all(f64::is_finite) {
            return None;
        }
    }
    let bound = if !rules.finite_only && is_prescribed(entry.name, args) { Bound::Exact } else { bound };
    let mut verdict = values(entry, rules, bound, &want, got);
    if let Some(other) = want.other.filter(|_| !verdict.good) {
        let second = values(entry, rules, bound, &Answer { value: other, ..want }, got);
        if second.good {
            verdict = second;
        }
    }
    if let Some(int) = want.int {
        let right = match entry.name {
            // At least the low seven bits of the quotient, with its sign.
            "remquo" => {
                (int ^ got.int) & 0x7f == 0 || (int.wrapping_neg() ^ got.int.wrapping_neg()) & 0x7f == 0
            }
            _ => int == got.int,
        };
        if !right {
            return Some(Accuracy { ulp: f64::INFINITY, good: false });
        }
    }
    Some(verdict)
}

/// Whether the specification prescribes the result exactly (C99 Annex F, section 7.5.1). Infinite results and
/// NaN never have a tolerance.
pub fn is_prescribed(name: &str, a: &Args) -> bool {
    let (x, y) = (a.x, a.y);
    match name {
        "acos" | "acosh" | "acospi" | "log" | "log2" | "log10" => x == 1.0,
        "lgamma" | "lgamma_r" => x == 1.0 || x == 2.0,
        "cosh" | "cos" => x == 0.0,
        "exp" | "exp2" | "exp10" | "expm1" | "erf" | "tanh" | "atanpi" => x == 0.0 || x.is_infinite(),
        "erfc" => x.is_infinite(),
        "asin" | "asinh" | "asinpi" | "atan" | "atanh" | "cbrt" | "log1p" | "sin" | "sinh" | "sqrt"
        | "tan" => x == 0.0,
        "sinpi" => x.fract() == 0.0,
        "cospi" => x == 0.0 || (x.fract() != 0.0 && (2.0 * x).fract() == 0.0),
        "tanpi" => (2.0 * x).fract() == 0.0,
        "atan2" => x == 0.0 && y.is_sign_positive(),
        "atan2pi" => x == 0.0 || y == 0.0 || x.is_infinite() || y.is_infinite(),
        "hypot" => x == 0.0 || y == 0.0,
        "pow" => x == 1.0 || y == 0.0 || x == 0.0 || x.is_infinite() || y.is_infinite(),
        "powr" => x == 1.0 || y == 0.0 || x == 0.0 || x.is_infinite(),
        "pown" => a.n == 0 || x == 0.0 || x.is_infinite(),
        "rootn" => x == 0.0 || x.is_infinite(),
        _ => false,
    }
}

fn values(entry: &FunctionSpec, rules: Rules, bound: Bound, want: &Answer, got: Got) -> Accuracy {
    let mut all = Accuracy { ulp: 0.0, good: true };
    for (want, got) in [(Some(want.value), got.value), (want.second, got.second)] {
        let Some(want) = want else { continue };
        if entry.name == "ilogb" {
            continue;
        }
        let v = one(entry, rules, bound, want, got);
        all = Accuracy { ulp: all.ulp.max(v.ulp), good: all.good && v.good };
    }
    all
}

fn one(entry: &FunctionSpec, rules: Rules, bound: Bound, want: Real, got: f64) -> Accuracy {
    // Either zero is allowed for operands that are zeros of both signs, and for underflow of the gamma
    // function.
    let any_zero = rules.finite_only
        || matches!(
            entry.name,
            "fmax" | "fmin" | "max" | "min" | "maxmag" | "minmag" | "clamp" | "mix" | "tgamma"
        );
    let width = rules.width;
    let exact = round(width, want);
    let ulp = match bound {
        Bound::Exact => error(width, got, Real::exact(exact), !any_zero),
        _ => error(width, got, want, !any_zero),
    };
    let good = match bound {
        Bound::Exact => ulp == 0.0,
        Bound::Ulp(most) => ulp <= most,
        Bound::Abs(most) => (got - want.approx()).abs() <= most || ulp <= 0.5,
        Bound::Any | Bound::None | Bound::Special(..) => true,
    };
    // A flushed denormal result, or one that rounding would have made denormal.
    let smallest = ldexp(1.0, width.min_exponent());
    if !good && rules.flush && got == 0.0 && exact.abs() <= smallest {
        return Accuracy { ulp: 0.0, good: true };
    }
    Accuracy { ulp, good }
}

#[cfg(test)]
mod tests {
    use super::super::dd::Dd;
    use super::super::table::TABLE;
    use super::*;

    fn entry(name: &str) -> &'static FunctionSpec {
        TABLE.iter().find(|e| e.name == name).unwrap()
    }

    #[test]
    fn rounding_to_each_format() {
        let below = Real::from(Dd { hi: 1.0 + 2f64.powi(-11), lo: -1e-20 });
        assert_eq!(round(Width::F16, below), 1.0);
        let above = Real::from(Dd { hi: 1.0 + 2f64.powi(-11), lo: 1e-20 });
        assert_eq!(round(Width::F16, above), 1.0 + 2f64.powi(-10));
        assert_eq!(round(Width::F16, Real::exact(65520.0)), f64::INFINITY);
        assert_eq!(round(Width::F16, Real::exact(65519.0)), 65504.0);
        assert_eq!(round(Width::F16, Real::exact(2f64.powi(-25))), 0.0);
        assert_eq!(round(Width::F16, Real::exact(1.5 * 2f64.powi(-25))), 2f64.powi(-24));
        for x in [0.1, 1e-40, 3.4028235e38, 1.4e-45, 1e300] {
            assert_eq!(round(Width::F32, Real::exact(x)), f64::from(x as f32), "{x}");
        }
        assert_eq!(round(Width::F64, Real { value: Dd::ONE, exp: -1074 }), f64::from_bits(1));
        assert_eq!(round(Width::F64, Real { value: Dd::ONE, exp: 1024 }), f64::INFINITY);
    }

    #[test]
    fn errors_are_in_units_in_the_last_place() {
        let third = Real::from(Dd::ONE / 3.0);
        let near = f64::from((1.0f32) / 3.0);
        assert!(error(Width::F32, near, third, true) < 0.5);
        assert!(
            (error(Width::F32, f64::from(((1.0f32) / 3.0).next_up()), third, true) - 4.0 / 3.0).abs() < 0.01
        );
        assert_eq!(error(Width::F32, -0.0, Real::exact(0.0), true), f64::INFINITY);
        assert_eq!(error(Width::F32, f64::NAN, third, true), f64::INFINITY);
        // Overflow within the bound.
        let max = f64::from(f32::MAX);
        assert_eq!(error(Width::F32, f64::INFINITY, Real::exact(max), true), 1.0);
        assert!(error(Width::F32, f64::INFINITY, Real::exact(1e38), true) > 1e6);
    }

    #[test]
    fn wrong_results_are_found() {
        let rules = Rules { width: Width::F32, flush: false, finite_only: false };
        let a = Args { x: 1.0, y: 0.0, z: 0.0, n: 0 };
        let check = |name: &str, a: Args, value: f32, rules: Rules| {
            let got = Got { value: f64::from(value), second: 0.0, int: 0 };
            let e = entry(name);
            judge(e, rules, e.bound(rules.width, super::super::table::MathMode::Default), &a, got)
                .unwrap()
                .good
        };
        assert!(check("exp", a, std::f32::consts::E, rules));
        assert!(check("exp", a, std::f32::consts::E + 7e-7, rules));
        assert!(!check("exp", a, std::f32::consts::E + 1e-6, rules));
        assert!(!check("sin", Args { x: -0.0, ..a }, 0.0, rules));
        // An error of one unit is allowed, unless the result is prescribed.
        assert!(check("exp", Args { x: 0.0, ..a }, 1.0, rules));
        assert!(!check("exp", Args { x: 0.0, ..a }, 1.0f32.next_up(), rules));
        assert!(!check("log", a, 1e-45, rules));
        assert!(check("atan2pi", Args { x: 0.0, y: -1.0, ..a }, 1.0, rules));
        assert!(!check("atan2pi", Args { x: 0.0, y: -1.0, ..a }, 1.0f32.next_down(), rules));
        let tiny = Args { x: 1e-40f32.into(), ..a };
        assert!(!check("sin", tiny, 0.0, rules));
        assert!(check("sin", tiny, 0.0, Rules { flush: true, ..rules }));
        let least = f64::from(f32::MIN_POSITIVE);
        let sum = Args { x: -least, y: 0.5, z: -least, n: 0 };
        assert!(!check("mad", sum, -f32::MIN_POSITIVE, rules));
        assert!(check("mad", sum, -f32::MIN_POSITIVE, Rules { flush: true, ..rules }));
        assert!(check("log", tiny, f32::NEG_INFINITY, Rules { flush: true, ..rules }));
        assert!(!check("log", tiny, -88.0, Rules { flush: true, ..rules }));
        let toward = Args { x: 0.0, y: -1.0, ..a };
        assert!(!check("nextafter", toward, -f32::MIN_POSITIVE, rules));
        assert!(check("nextafter", toward, -f32::MIN_POSITIVE, Rules { flush: true, ..rules }));
        assert!(!check("nextafter", toward, f32::MIN_POSITIVE, Rules { flush: true, ..rules }));
    }

    #[test]
    fn flushed_operands_decide_what_is_defined() {
        let rules = Rules { width: Width::F32, flush: true, finite_only: true };
        let judged = |name: &str, x: f32, y: f32, value: f32| {
            let args = Args { x: x.into(), y: y.into(), z: 0.0, n: 0 };
            let e = entry(name);
            let got = Got { value: f64::from(value), second: 0.0, int: 0 };
            judge(e, rules, e.bound(rules.width, super::super::table::MathMode::Relaxed), &args, got)
                .map(|v| v.good)
        };
        // log(0) and 1 / 0 are infinite, and infinities do not count here.
        assert_eq!(judged("log", 1e-40, 0.0, -100.0), None);
        assert_eq!(judged("log", 1e-40, 0.0, -92.1034), Some(true));
        assert_eq!(judged("log", 1e-30, 0.0, -100.0), Some(false));
        // Powers of zero are unspecified.
        assert_eq!(judged("pow", 1e-40, 0.01, 7.0), Some(true));
        assert_eq!(judged("pow", 1e-30, 0.01, 7.0), Some(false));
        assert_eq!(judged("exp", 1e-40, 0.0, 1.001), Some(false));
    }
}
