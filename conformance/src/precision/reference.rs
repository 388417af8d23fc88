//! Reference values: each function's result, exact or with far more bits than the device's, including special
//! values of C99 Annex F and section 7.5.1 of the OpenCL C specification.
//!
//! For half and single precision `f64` arithmetic is more than enough. Double precision uses the `f64` result
//! only to settle special values and poles, and [`super::wide`] for everything else. Functions whose results
//! are exact, or correctly rounded by definition, return the exact value, which [`super::judge`] rounds.

use super::dd::{Dd, Real, exponent, ldexp, two_sum};
use super::table::Width;
use super::wide;
use std::f64::consts::PI;

/// Operands, exactly representable in the format in question; operands that a function lacks are 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Args {
    pub x: f64,
    pub y: f64,
    pub z: f64,
    pub n: i32,
}

/// Results.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    pub value: Real,
    /// The second floating-point result.
    pub second: Option<Real>,
    /// The integer result; for `remquo` its low seven bits and sign count.
    pub int: Option<i32>,
    /// Another value that is equally right (`mad`: fused or not).
    pub other: Option<Real>,
}

impl From<Real> for Answer {
    fn from(value: Real) -> Answer {
        Answer { value, second: None, int: None, other: None }
    }
}
impl From<f64> for Answer {
    fn from(x: f64) -> Answer {
        Real::exact(x).into()
    }
}

/// References of one-operand functions: `f64` with special values, then the wide form.
pub type UnaryReference = (fn(f64) -> f64, fn(f64) -> Real);

pub fn one(name: &str) -> Option<UnaryReference> {
    Some(match name {
        "acos" => (f64::acos, wide::acos),
        "asin" => (f64::asin, wide::asin),
        "atan" => (f64::atan, |x| wide::atan2(Dd::from(x), Dd::ONE)),
        "acospi" => (|x| x.acos() / PI, |x| over_pi(wide::acos(x))),
        "asinpi" => (|x| x.asin() / PI, |x| over_pi(wide::asin(x))),
        "atanpi" => (|x| x.atan() / PI, |x| over_pi(wide::atan2(Dd::from(x), Dd::ONE))),
        "acosh" => (|x| if x < 1.0 { f64::NAN } else { libm::acosh(x) }, wide::acosh),
        "asinh" => (libm::asinh, wide::asinh),
        "atanh" => (libm::atanh, wide::atanh),
        "cbrt" => (f64::cbrt, wide::cbrt),
        "cos" => (f64::cos, |x| wide::sincos(x).1.into()),
        "sin" => (f64::sin, |x| wide::sincos(x).0.into()),
        "tan" => (f64::tan, |x| ratio(wide::sincos(x))),
        "cosh" => (f64::cosh, wide::cosh),
        "sinh" => (f64::sinh, wide::sinh),
        "tanh" => (f64::tanh, wide::tanh),
        "cospi" => (|x| sincospi(x).1, |x| wide::sincospi(x).1.into()),
        "sinpi" => (|x| sincospi(x).0, |x| wide::sincospi(x).0.into()),
        "tanpi" => (tanpi, |x| ratio(wide::sincospi(x))),
        "erf" => (libm::erf, wide::erf),
        "erfc" => (libm::erfc, wide::erfc),
        "exp" => (f64::exp, |x| wide::exp(Dd::from(x))),
        "exp2" => (f64::exp2, |x| wide::exp(Dd::LN_2 * x)),
        "exp10" => (libm::exp10, |x| wide::exp(Dd::LN_10 * x)),
        "expm1" => (f64::exp_m1, |x| wide::expm1(Dd::from(x))),
        "log" => (f64::ln, |x| wide::log(Dd::from(x)).into()),
        "log2" => (f64::log2, |x| (wide::log(Dd::from(x)) / Dd::LN_2).into()),
        "log10" => (f64::log10, |x| (wide::log(Dd::from(x)) / Dd::LN_10).into()),
        "log1p" => (f64::ln_1p, |x| wide::log1p(Dd::from(x)).into()),
        "rsqrt" => (|x| 1.0 / x.sqrt(), wide::rsqrt),
        "tgamma" => (tgamma, wide::tgamma),
        "lgamma" => (libm::lgamma, wide::lgamma),
        "degrees" => (|x| x * (180.0 / PI), |x| scaled(x, Dd::from(180.0) / Dd::PI)),
        "radians" => (|x| x * (PI / 180.0), |x| scaled(x, Dd::PI / 180.0)),
        "recip" | "1 / x" => (|x| 1.0 / x, |x| Real::exact(1.0 / x)),
        "sqrt" => (f64::sqrt, |x| Real::exact(x.sqrt())),
        "ceil" => (f64::ceil, |x| Real::exact(x.ceil())),
        "floor" => (f64::floor, |x| Real::exact(x.floor())),
        "trunc" => (f64::trunc, |x| Real::exact(x.trunc())),
        "rint" => (f64::round_ties_even, |x| Real::exact(x.round_ties_even())),
        "round" => (f64::round, |x| Real::exact(x.round())),
        "fabs" => (f64::abs, |x| Real::exact(x.abs())),
        "logb" => (logb, |x| Real::exact(logb(x))),
        "sign" => (sign, |x| Real::exact(sign(x))),
        _ => return None,
    })
}

fn over_pi(r: Real) -> Real {
    Real { value: r.value / Dd::PI, exp: r.exp }
}
fn ratio((s, c): (Dd, Dd)) -> Real {
    (s / c).into()
}
/// x times a constant, denormals and overflow kept apart.
fn scaled(x: f64, c: Dd) -> Real {
    let e = exponent(x);
    Real { value: c * ldexp(x, -e), exp: e }
}
fn sign(x: f64) -> f64 {
    if x.is_nan() {
        0.0
    } else if x == 0.0 {
        x
    } else {
        1.0f64.copysign(x)
    }
}
fn logb(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if x.is_finite() {
        f64::from(exponent(x))
    } else {
        x.abs()
    }
}
fn tgamma(x: f64) -> f64 {
    if x < 0.0 && x.fract() == 0.0 { f64::NAN } else { libm::tgamma(x) }
}

/// Signs of zeros: sinpi(n) has the sign of n, cospi of half an odd integer is +0.
fn sincospi(x: f64) -> (f64, f64) {
    if !x.is_finite() {
        return (f64::NAN, f64::NAN);
    }
    let sign = x;
    let x = x % 2.0;
    let n = (x * 2.0).round_ties_even();
    let (s, c) = (PI * (x - n * 0.5)).sin_cos();
    let (s, c) = match n.rem_euclid(4.0) as i32 {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    };
    (if s == 0.0 { 0.0f64.copysign(sign) } else { s }, if c == 0.0 { 0.0 } else { c })
}
fn tanpi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let odd = x.trunc().rem_euclid(2.0) == 1.0;
    if x.fract() == 0.0 {
        return 0.0f64.copysign(if odd { -x } else { x });
    }
    if (x * 2.0).fract() == 0.0 {
        // n + 1/2 by the parity of n = floor(x)
        return if x.floor().rem_euclid(2.0) == 1.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    let (s, c) = sincospi(x);
    s / c
}

fn powr(x: f64, y: f64) -> f64 {
    let undefined = x < 0.0
        || x.is_nan()
        || y.is_nan()
        || (x == 0.0 && y == 0.0)
        || (x == f64::INFINITY && y == 0.0)
        || (x == 1.0 && y.is_infinite());
    if undefined { f64::NAN } else { x.abs().powf(y) }
}
fn pown(x: f64, n: i32) -> f64 {
    x.powf(f64::from(n))
}
fn rootn(x: f64, n: i32) -> f64 {
    if n == 0 || (x < 0.0 && n % 2 == 0) || x.is_nan() {
        return f64::NAN;
    }
    let r = x.abs().powf(1.0 / f64::from(n));
    if n % 2 == 0 { r } else { r.copysign(x) }
}
/// Powers of |x| (1 for 0^0) with the sign of x for odd exponents.
fn signed_power(x: f64, y: Dd, odd: bool) -> Real {
    if x == 0.0 {
        return Real::exact(1.0);
    }
    let r = wide::pow(x.abs(), y);
    if odd && x < 0.0 { Real { value: -r.value, exp: r.exp } } else { r }
}

/// Double-precision result where the `f64` result is not a special value.
fn refine(f64_result: f64, operands_finite: bool, wide: impl FnOnce() -> Real) -> Real {
    if !operands_finite || !f64_result.is_finite() || f64_result == 0.0 {
        Real::exact(f64_result)
    } else {
        wide()
    }
}

fn remainder(x: f64, y: f64) -> (f64, i32) {
    if x.is_infinite() || y == 0.0 || x.is_nan() || y.is_nan() {
        return (f64::NAN, 0);
    }
    if y.is_infinite() {
        return (x, 0);
    }
    let (r, q) = libm::remquo(x, y);
    (if r == 0.0 { 0.0f64.copysign(x) } else { r }, q)
}

/// The next number of the format after x toward y.
fn nextafter(x: f64, y: f64, width: Width) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x == y {
        return y;
    }
    let least = ldexp(1.0, width.min_exponent() - width.precision() + 1);
    if x == 0.0 {
        return least.copysign(y);
    }
    let max = ldexp(2.0 - ldexp(1.0, 1 - width.precision()), width.max_exponent());
    let away = (x < y) == (x > 0.0);
    let a = x.abs();
    let next = if away {
        if a == max {
            f64::INFINITY
        } else {
            a + ldexp(1.0, exponent(a).max(width.min_exponent()) - width.precision() + 1)
        }
    } else if a.is_infinite() {
        max
    } else {
        let e = exponent(a);
        let power = ldexp(1.0, e) == a;
        a - ldexp(1.0, (e - i32::from(power)).max(width.min_exponent()) - width.precision() + 1)
    };
    next.copysign(x)
}

/// The exact sum x * y + z for the narrower formats, the fused result for double.
fn fused(a: &Args, width: Width) -> Real {
    let p = a.x * a.y;
    if width == Width::F64 || !p.is_finite() || !a.z.is_finite() {
        return Real::exact(a.x.mul_add(a.y, a.z));
    }
    two_sum(p, a.z).into()
}

/// The function that this one computes too, with other bounds.
pub fn stem(name: &str) -> &str {
    name.strip_prefix("half_").or_else(|| name.strip_prefix("native_")).unwrap_or(name)
}

/// References of one-operand functions in single precision, for use in loops.
pub fn single(name: &str) -> Option<fn(f64) -> Answer> {
    Some(match name {
        "fract" => |x| fract(x, Width::F32),
        "modf" => modf,
        "sincos" => |x| Answer { second: Some(Real::exact(x.cos())), ..x.sin().into() },
        "frexp" => frexp,
        "ilogb" => ilogb,
        "lgamma_r" => |x| lgamma_r(x, Real::exact(libm::lgamma(x))),
        _ => return None,
    })
}

fn fract(x: f64, width: Width) -> Answer {
    let second = Some(Real::exact(x.floor()));
    let v = if x.is_infinite() { 0.0f64.copysign(x) } else { x - x.floor() };
    // Less than 1 in the format.
    let most = 1.0 - ldexp(1.0, -width.precision());
    let v = if v > most { most } else { v };
    Answer { second, ..(if x == 0.0 { x } else { v }).into() }
}
fn modf(x: f64) -> Answer {
    let v = if x.is_infinite() { 0.0 } else { x - x.trunc() };
    Answer { second: Some(Real::exact(x.trunc())), ..(if x.is_nan() { x } else { v.copysign(x) }).into() }
}
fn frexp(x: f64) -> Answer {
    if x == 0.0 || !x.is_finite() {
        return Answer { int: Some(0), ..x.into() };
    }
    let e = exponent(x) + 1;
    Answer { int: Some(e), ..ldexp(x, -e).into() }
}
fn ilogb(x: f64) -> Answer {
    let int = match x {
        _ if x == 0.0 => i32::MIN,
        _ if x.is_finite() => exponent(x),
        _ => i32::MAX,
    };
    Answer { int: Some(int), ..0.0.into() }
}
fn lgamma_r(x: f64, value: Real) -> Answer {
    let pole = x == 0.0 || (x < 0.0 && x.fract() == 0.0);
    let sign = if pole {
        0
    } else if x < 0.0 && x.floor().rem_euclid(2.0) == 1.0 {
        -1
    } else {
        1
    };
    Answer { int: x.is_finite().then_some(sign), ..value.into() }
}

/// The reference of a function; `None` if the name is unknown.
pub fn answer(name: &str, width: Width, a: &Args) -> Option<Answer> {
    let name = stem(name);
    let Args { x, y, z, n } = *a;
    let precise = width == Width::F64;
    let finite = x.is_finite() && y.is_finite() && z.is_finite();
    if let Some((narrow, wider)) = one(name) {
        let v = narrow(x);
        return Some(if precise { refine(v, finite, || wider(x)).into() } else { v.into() });
    }
    let pick =
        |v: f64, wider: &dyn Fn() -> Real| if precise { refine(v, finite, wider) } else { Real::exact(v) };
    Some(match name {
        "x + y" => (x + y).into(),
        "x - y" => (x - y).into(),
        "x * y" => (x * y).into(),
        "x / y" | "divide" => (x / y).into(),
        "atan2" => pick(x.atan2(y), &|| wide::atan2(Dd::from(x), Dd::from(y))).into(),
        "atan2pi" => pick(x.atan2(y) / PI, &|| over_pi(wide::atan2(Dd::from(x), Dd::from(y)))).into(),
        "copysign" => x.copysign(y).into(),
        "fdim" if x.is_nan() || y.is_nan() => f64::NAN.into(),
        "fdim" => if x > y { x - y } else { 0.0 }.into(),
        "fmax" => x.max(y).into(),
        "fmin" => x.min(y).into(),
        "max" => if x < y { y } else { x }.into(),
        "min" => if y < x { y } else { x }.into(),
        "maxmag" => if x.abs() > y.abs() {
            x
        } else if y.abs() > x.abs() {
            y
        } else {
            x.max(y)
        }
        .into(),
        "minmag" => if x.abs() < y.abs() {
            x
        } else if y.abs() < x.abs() {
            y
        } else {
            x.min(y)
        }
        .into(),
        "fmod" => (x % y).into(),
        "remainder" => remainder(x, y).0.into(),
        "remquo" => {
            let (r, q) = remainder(x, y);
            Answer { int: Some(q), ..r.into() }
        }
        "hypot" => pick(x.hypot(y), &|| wide::hypot(x, y)).into(),
        "nextafter" => nextafter(x, y, width).into(),
        "pow" => {
            let odd = y.fract() == 0.0 && y.abs() < 1e17 && y.rem_euclid(2.0) == 1.0;
            pick(x.powf(y), &|| signed_power(x, Dd::from(y), odd)).into()
        }
        "powr" => pick(powr(x, y), &|| wide::pow(x, Dd::from(y))).into(),
        "pown" => pick(pown(x, n), &|| signed_power(x, Dd::from(f64::from(n)), n % 2 != 0)).into(),
        "rootn" => pick(rootn(x, n), &|| signed_power(x, Dd::ONE / f64::from(n), n % 2 != 0)).into(),
        "ldexp" if x == 0.0 || !finite => x.into(),
        "ldexp" => Real { value: Dd::from(x), exp: n.clamp(-5000, 5000) }.into(),
        "ilogb" => ilogb(x),
        "fract" => fract(x, width),
        "modf" => modf(x),
        "sincos" => {
            let c = pick(x.cos(), &|| wide::sincos(x).1.into());
            Answer { second: Some(c), ..pick(x.sin(), &|| wide::sincos(x).0.into()).into() }
        }
        "frexp" => frexp(x),
        "lgamma_r" => lgamma_r(x, pick(libm::lgamma(x), &|| wide::lgamma(x))),
        "nan" => f64::NAN.into(),
        "fma" => fused(a, width).into(),
        "mad" | "x * y + z" => {
            let product = super::judge::round(width, Real::exact(x * y));
            Answer { other: Some(Real::exact(product + z)), ..fused(a, width).into() }
        }
        "clamp" => x.max(y).min(z).into(),
        "mix" => (x + (y - x) * z).into(),
        "step" => if y < x { 0.0 } else { 1.0 }.into(),
        "smoothstep" => {
            let t = ((z - x) / (y - x)).clamp(0.0, 1.0);
            (t * t * (3.0 - 2.0 * t)).into()
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::table::TABLE;
    use super::*;

    #[test]
    fn every_function_has_a_reference() {
        for e in TABLE {
            for w in Width::ALL {
                let a = Args { x: 0.5, y: 0.75, z: 0.25, n: 3 };
                assert!(answer(e.name, w, &a).is_some(), "{}", e.name);
            }
        }
    }

    /// The two references, which share no code, agree.
    #[test]
    fn narrow_and_wide_agree() {
        for e in TABLE {
            for i in 0..200 {
                let a = Args {
                    x: f64::from(i * 37 % 201 - 90) * 0.0913 + 1e-4,
                    y: f64::from(i) * 0.031 + 0.01,
                    z: 0.5,
                    n: i % 7 + 1,
                };
                if e.domain.is_some_and(|d| !d(&a))
                    || matches!(e.name, "nextafter" | "fract" | "mad" | "x * y + z")
                {
                    continue;
                }
                let (p, q) =
                    (answer(e.name, Width::F32, &a).unwrap(), answer(e.name, Width::F64, &a).unwrap());
                let (p, q) = (p.value.approx(), q.value.approx());
                let near = (p - q).abs() <= 1e-12 * q.abs().max(1e-3);
                assert!(near || (p.is_nan() && q.is_nan()) || p == q, "{} of {a:?}: {p} and {q}", e.name);
            }
        }
    }

    #[test]
    fn special_values() {
        let at = |name: &str, x: f64, y: f64, n: i32| {
            answer(name, Width::F64, &Args { x, y, z: 0.0, n }).unwrap().value.approx()
        };
        assert!(at("sinpi", -3.0, 0.0, 0).is_sign_negative());
        assert!(at("cospi", 2.5, 0.0, 0).is_sign_positive());
        assert_eq!(at("tanpi", 1.5, 0.0, 0), f64::NEG_INFINITY);
        assert!(at("tanpi", 3.0, 0.0, 0).is_sign_negative());
        assert!(at("powr", 1.0, f64::INFINITY, 0).is_nan());
        assert_eq!(at("pow", 0.0, f64::NEG_INFINITY, 0), f64::INFINITY);
        assert_eq!(at("rootn", -0.0, 0.0, -3), f64::NEG_INFINITY);
        assert_eq!(at("rootn", -0.0, 0.0, -2), f64::INFINITY);
        assert_eq!(at("rootn", -8.0, 0.0, 3), -2.0);
        assert_eq!(at("nextafter", -0.0, 1.0, 0), f64::from_bits(1));
        assert_eq!(nextafter(1.0, 0.0, Width::F16), 1.0 - 2f64.powi(-11));
        assert_eq!(nextafter(65504.0, f64::INFINITY, Width::F16), f64::INFINITY);
    }
}
