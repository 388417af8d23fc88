//! Bounds of section 7.4 of the OpenCL C specification: every mathematical function with its largest error,
//! as data.
//!
//! Columns are half, single and double precision of the full profile, then single precision under
//! `-cl-unsafe-math-optimizations`. Functions that the specification's table for the latter does not name,
//! and other types, keep their bound. Where it speaks of derived implementations, the bound for others holds,
//! except for `tan` and `powr`.

use super::reference::Args;
use Bound::{Abs, Any, Exact, Special, Ulp};
use Shape::*;

/// Floating-point formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    F16,
    F32,
    F64,
}

impl Width {
    pub const ALL: [Width; 3] = [Width::F16, Width::F32, Width::F64];

    pub fn name(self) -> &'static str {
        ["half", "float", "double"][self as usize]
    }
    /// Bits of the significand, including the implicit one.
    pub fn precision(self) -> i32 {
        [11, 24, 53][self as usize]
    }
    /// Exponent of the largest finite number.
    pub fn max_exponent(self) -> i32 {
        [15, 127, 1023][self as usize]
    }
    /// Exponent of the smallest normal number.
    pub fn min_exponent(self) -> i32 {
        1 - self.max_exponent()
    }
    pub fn bytes(self) -> usize {
        [2, 4, 8][self as usize]
    }
}

/// Build mode of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MathMode {
    Default,
    Relaxed,
    /// Single-precision division and square root are correctly rounded.
    Rounded,
}

impl MathMode {
    pub fn name(self) -> &'static str {
        ["default", "fast-relaxed", "correctly rounded"][self as usize]
    }
    pub fn options(self) -> &'static str {
        ["", "-cl-fast-relaxed-math", "-cl-fp32-correctly-rounded-divide-sqrt"][self as usize]
    }
}

/// Shape of a function: its operands and results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// f(x), f(x, y), f(x, y, z)
    F1,
    F2,
    F3,
    /// f(x, int)
    FI,
    /// int f(x)
    ToInt,
    /// f(x, &second)
    Second,
    /// f(x, &int)
    SecondInt,
    /// f(x, y, &int)
    Remquo,
    /// f(unsigned integer)
    OfInt,
}

impl Shape {
    /// Whether the function has x, y, z and n.
    pub fn operands(self) -> [bool; 4] {
        match self {
            F1 | ToInt | Second | SecondInt => [true, false, false, false],
            F2 | Remquo => [true, true, false, false],
            F3 => [true, true, true, false],
            FI => [true, false, false, true],
            OfInt => [false, false, false, true],
        }
    }
    /// Whether the function has a result, a second result and an integer result.
    pub fn results(self) -> [bool; 3] {
        [self != ToInt, self == Second, matches!(self, ToInt | SecondInt | Remquo)]
    }
}

/// The largest error allowed.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    /// The correctly rounded result.
    Exact,
    Ulp(f64),
    /// Absolute.
    Abs(f64),
    /// Implementation-defined: measured and shown only.
    Any,
    /// Not a function of this type.
    None,
    /// A rule that depends on the operands.
    Special(fn(&Args) -> Bound, &'static str),
}

impl Bound {
    /// The bound as text of the table.
    pub fn text(self) -> String {
        match self {
            Exact => "exact".to_string(),
            Ulp(u) => format!("{u} ulp"),
            Abs(a) => format!("{a:e} abs."),
            Any => "any".to_string(),
            Special(_, text) => text.to_string(),
            Bound::None => String::new(),
        }
    }
}

/// A function, or an expression of x, y and z.
pub struct FunctionSpec {
    pub name: &'static str,
    pub shape: Shape,
    /// Bounds in half, single and double precision.
    pub bounds: [Bound; 3],
    /// Bound in relaxed single precision, if different.
    pub relaxed: Option<Bound>,
    /// Operands for which the result is defined.
    pub domain: Option<fn(&Args) -> bool>,
}

impl FunctionSpec {
    /// Whether it is an expression.
    pub fn is_expression(&self) -> bool {
        self.name.contains(' ')
    }

    pub fn bound(&self, width: Width, mode: MathMode) -> Bound {
        match (mode, width, self.relaxed) {
            (MathMode::Relaxed, Width::F32, Some(bound)) => bound,
            (MathMode::Rounded, Width::F32, _) if matches!(self.name, "x / y" | "1 / x" | "sqrt") => Exact,
            (MathMode::Rounded, ..) => Bound::None,
            _ => self.bounds[width as usize],
        }
    }
}

const fn all(name: &'static str, shape: Shape, bound: Bound) -> FunctionSpec {
    FunctionSpec { name, shape, bounds: [bound; 3], relaxed: None, domain: None }
}
/// A separate bound for half; single and double share theirs.
const fn ulp(name: &'static str, shape: Shape, half: f64, wide: f64, relaxed: Option<Bound>) -> FunctionSpec {
    FunctionSpec { name, shape, bounds: [Ulp(half), Ulp(wide), Ulp(wide)], relaxed, domain: None }
}
const fn single(
    name: &'static str,
    shape: Shape,
    bound: Bound,
    domain: Option<fn(&Args) -> bool>,
) -> FunctionSpec {
    FunctionSpec { name, shape, bounds: [Bound::None, bound, Bound::None], relaxed: None, domain }
}

const PI: f64 = std::f64::consts::PI;
const CIRCLE: Option<Bound> =
    Some(Special(|a| if a.x.abs() <= PI { Abs(1.0 / 2048.0) } else { Any }, "2^-11 abs. in [-π, π]"));
const HALF_TURNS: Option<Bound> =
    Some(Special(|a| if a.x.abs() <= 1.0 { Abs(1.0 / 2048.0) } else { Any }, "2^-11 abs. in [-1, 1]"));
const EXPONENTIAL: Option<Bound> =
    Some(Special(|a| Ulp(3.0 + (2.0 * a.x).abs().floor()), "3 + floor(abs(2 x))"));
const LOGARITHM: Option<Bound> = Some(Special(
    |a| if (0.5..=2.0).contains(&a.x) { Abs(1.0 / 2_097_152.0) } else { Ulp(3.0) },
    "3, 2^-21 abs. in [0.5, 2]",
));
const FAR: Option<Bound> = Some(Ulp(8192.0));
const NEAR: Option<Bound> = Some(Ulp(4096.0));
/// sin(x) * (1 / cos(x)) of a sine and a cosine with errors of 2^-11.
const TANGENT: Option<Bound> = Some(Special(
    |a| {
        let (e, c, t) = (1.0 / 2048.0, a.x.cos().abs(), a.x.tan().abs());
        if a.x.abs() > PI || c < 4.0 * e { Any } else { Abs(e * (1.0 + t) / (c - e) + t * 1e-6) }
    },
    "derived from sin, cos",
));
const HYPERBOLIC: Option<Bound> =
    Some(Special(|a| if a.x.abs() <= 88.0 { Ulp(8192.0) } else { Any }, "8192 in [-88, 88]"));
const DIVISION: Option<Bound> = Some(Special(
    |a| {
        let inside = |v: f64, n: i32| (2f64.powi(-n)..=2f64.powi(n)).contains(&v.abs());
        if inside(a.x, 62) && inside(a.y, 62) { Ulp(2.5) } else { Any }
    },
    "2.5 in 2^±62",
));
const RECIPROCAL: Option<Bound> = Some(Special(
    |a| if (2f64.powi(-126)..=2f64.powi(126)).contains(&a.x.abs()) { Ulp(2.5) } else { Any },
    "2.5 in 2^±126",
));
/// Allowed error in ulp of a power of the positive `x`: that of exp2(y * log2(x)) of functions with the
/// errors that the table allows, or 8192.
fn derived_power(x: f64, y: f64) -> f64 {
    let log = x.log2();
    let error = y.abs() * if log.abs() <= 1.0 { 2f64.powi(-21) } else { 3.0 * 2f64.powi(-23) * log.abs() };
    let derived = (error * std::f64::consts::LN_2).exp_m1() * 2f64.powi(24) + 3.0 + (2.0 * y * log).abs();
    derived.max(8192.0)
}
const DERIVED_POWER: &str = "8192, or derived from exp2, log2";
/// Powers where the relaxed table defines them.
const POWER: Option<Bound> = Some(Special(
    |a| {
        if a.x == 0.0 || (a.x < 0.0 && (a.y.fract() != 0.0 || a.y.abs() > 16_777_216.0)) {
            Any
        } else {
            Ulp(derived_power(a.x.abs(), a.y))
        }
    },
    DERIVED_POWER,
));
const POSITIVE_POWER: Option<Bound> =
    Some(Special(|a| if a.x > 0.0 { Ulp(derived_power(a.x, a.y)) } else { Any }, DERIVED_POWER));
const INTEGER_POWER: Option<Bound> =
    Some(Special(|a| if a.x == 0.0 { Any } else { Ulp(8192.0) }, "8192 where defined"));
const ROOT: Option<Bound> = Some(Special(
    |a| if a.x == 0.0 || a.n == 0 || (a.x < 0.0 && a.n % 2 == 0) { Any } else { Ulp(8192.0) },
    "8192 where defined",
));
const TANPI: Option<Bound> =
    Some(Special(|a| if a.x.abs() <= 1.0 { Ulp(8192.0) } else { Any }, "8192 in [-1, 1]"));

fn to_2_16(a: &Args) -> bool {
    a.x.is_nan() || a.x.abs() <= 65536.0
}
fn moderate(a: &Args) -> bool {
    (1e-3..100.0).contains(&a.x) && (a.y == 0.0 || (1e-3..10.0).contains(&a.y))
}
fn finite(a: &Args) -> bool {
    a.x.is_finite() && a.y.is_finite() && a.z.is_finite()
}
fn unit(a: &Args) -> bool {
    a.x.abs() <= 1.0 && a.y.abs() <= 1.0 && (0.0..=1.0).contains(&a.z)
}

/// Every function of the table.
pub const TABLE: &[FunctionSpec] = &[
    all("x + y", F2, Exact),
    all("x - y", F2, Exact),
    all("x * y", F2, Exact),
    // Like `mad`: contracted or not.
    all("x * y + z", F3, Exact),
    FunctionSpec {
        name: "x / y",
        shape: F2,
        bounds: [Ulp(1.0), Ulp(2.5), Exact],
        relaxed: DIVISION,
        domain: None,
    },
    FunctionSpec {
        name: "1 / x",
        shape: F1,
        bounds: [Ulp(1.0), Ulp(2.5), Exact],
        relaxed: RECIPROCAL,
        domain: None,
    },
    ulp("acos", F1, 2.0, 4.0, NEAR),
    ulp("acosh", F1, 2.0, 4.0, FAR),
    ulp("acospi", F1, 2.0, 5.0, FAR),
    ulp("asin", F1, 2.0, 4.0, NEAR),
    ulp("asinh", F1, 2.0, 4.0, FAR),
    ulp("asinpi", F1, 2.0, 5.0, FAR),
    ulp("atan", F1, 2.0, 5.0, NEAR),
    ulp("atanh", F1, 2.0, 5.0, FAR),
    ulp("atanpi", F1, 2.0, 5.0, FAR),
    ulp("atan2", F2, 2.0, 6.0, FAR),
    ulp("atan2pi", F2, 2.0, 6.0, FAR),
    ulp("cbrt", F1, 2.0, 2.0, FAR),
    all("ceil", F1, Exact),
    all("copysign", F2, Exact),
    ulp("cos", F1, 2.0, 4.0, CIRCLE),
    ulp("cosh", F1, 2.0, 4.0, HYPERBOLIC),
    ulp("cospi", F1, 2.0, 4.0, HALF_TURNS),
    ulp("erf", F1, 4.0, 16.0, None),
    ulp("erfc", F1, 4.0, 16.0, None),
    ulp("exp", F1, 2.0, 3.0, EXPONENTIAL),
    ulp("exp2", F1, 2.0, 3.0, EXPONENTIAL),
    ulp("exp10", F1, 2.0, 3.0, FAR),
    ulp("expm1", F1, 2.0, 3.0, FAR),
    all("fabs", F1, Exact),
    all("fdim", F2, Exact),
    all("floor", F1, Exact),
    all("fma", F3, Exact),
    all("fmax", F2, Exact),
    all("fmin", F2, Exact),
    all("fmod", F2, Exact),
    all("fract", Second, Exact),
    all("frexp", SecondInt, Exact),
    ulp("hypot", F2, 2.0, 4.0, None),
    all("ilogb", ToInt, Exact),
    all("ldexp", FI, Exact),
    all("lgamma", F1, Any),
    all("lgamma_r", SecondInt, Any),
    ulp("log", F1, 2.0, 3.0, LOGARITHM),
    ulp("log2", F1, 2.0, 3.0, LOGARITHM),
    ulp("log10", F1, 2.0, 3.0, LOGARITHM),
    ulp("log1p", F1, 2.0, 2.0, FAR),
    all("logb", F1, Exact),
    all("mad", F3, Exact),
    all("maxmag", F2, Exact),
    all("minmag", F2, Exact),
    all("modf", Second, Exact),
    all("nan", OfInt, Exact),
    all("nextafter", F2, Exact),
    ulp("pow", F2, 4.0, 16.0, POWER),
    ulp("pown", FI, 4.0, 16.0, INTEGER_POWER),
    ulp("powr", F2, 4.0, 16.0, POSITIVE_POWER),
    all("remainder", F2, Exact),
    all("remquo", Remquo, Exact),
    all("rint", F1, Exact),
    ulp("rootn", FI, 4.0, 16.0, ROOT),
    all("round", F1, Exact),
    ulp("rsqrt", F1, 1.0, 2.0, None),
    ulp("sin", F1, 2.0, 4.0, CIRCLE),
    ulp("sincos", Second, 2.0, 4.0, CIRCLE),
    ulp("sinh", F1, 2.0, 4.0, HYPERBOLIC),
    ulp("sinpi", F1, 2.0, 4.0, HALF_TURNS),
    FunctionSpec {
        name: "sqrt",
        shape: F1,
        bounds: [Ulp(1.5), Ulp(3.0), Exact],
        relaxed: None,
        domain: None,
    },
    ulp("tan", F1, 2.5, 5.0, TANGENT),
    ulp("tanh", F1, 2.0, 5.0, FAR),
    ulp("tanpi", F1, 2.0, 6.0, TANPI),
    ulp("tgamma", F1, 4.0, 16.0, None),
    all("trunc", F1, Exact),
    // Common functions (section 6.15.4).
    FunctionSpec { domain: Some(|a| finite(a) && a.y <= a.z), ..all("clamp", F3, Exact) },
    ulp("degrees", F1, 2.0, 2.0, None),
    FunctionSpec { domain: Some(finite), ..all("max", F2, Exact) },
    FunctionSpec { domain: Some(finite), ..all("min", F2, Exact) },
    FunctionSpec { name: "mix", shape: F3, bounds: [Any, Abs(1e-3), Any], relaxed: None, domain: Some(unit) },
    ulp("radians", F1, 2.0, 2.0, None),
    FunctionSpec { domain: Some(finite), ..all("step", F2, Exact) },
    FunctionSpec {
        name: "smoothstep",
        shape: F3,
        bounds: [Any, Abs(1e-5), Any],
        relaxed: None,
        domain: Some(|a| unit(a) && a.y - a.x > 0.01),
    },
    all("sign", F1, Exact),
    // Single precision only.
    single("half_cos", F1, Ulp(8192.0), Some(to_2_16)),
    single("half_divide", F2, Ulp(8192.0), None),
    single("half_exp", F1, Ulp(8192.0), None),
    single("half_exp2", F1, Ulp(8192.0), None),
    single("half_exp10", F1, Ulp(8192.0), None),
    single("half_log", F1, Ulp(8192.0), None),
    single("half_log2", F1, Ulp(8192.0), None),
    single("half_log10", F1, Ulp(8192.0), None),
    single("half_powr", F2, Ulp(8192.0), Some(|a| a.x >= 0.0)),
    single("half_recip", F1, Ulp(8192.0), None),
    single("half_rsqrt", F1, Ulp(8192.0), None),
    single("half_sin", F1, Ulp(8192.0), Some(to_2_16)),
    single("half_sqrt", F1, Ulp(8192.0), None),
    single("half_tan", F1, Ulp(8192.0), Some(to_2_16)),
    single("native_cos", F1, Any, Some(moderate)),
    single("native_divide", F2, Any, Some(moderate)),
    single("native_exp", F1, Any, Some(moderate)),
    single("native_exp2", F1, Any, Some(moderate)),
    single("native_exp10", F1, Any, Some(|a| moderate(a) && a.x < 38.0)),
    single("native_log", F1, Any, Some(moderate)),
    single("native_log2", F1, Any, Some(moderate)),
    single("native_log10", F1, Any, Some(moderate)),
    single("native_powr", F2, Any, Some(moderate)),
    single("native_recip", F1, Any, Some(moderate)),
    single("native_rsqrt", F1, Any, Some(moderate)),
    single("native_sin", F1, Any, Some(moderate)),
    single("native_sqrt", F1, Any, Some(moderate)),
    single("native_tan", F1, Any, Some(moderate)),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The functions of the specification's tables (sections 6.15.2 and 6.15.4).
    const SPECIFIED: &str = "acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt ceil copysign cos cosh \
        cospi erfc erf exp exp2 exp10 expm1 fabs fdim floor fma fmax fmin fmod fract frexp hypot ilogb ldexp lgamma lgamma_r \
        log log2 log10 log1p logb mad maxmag minmag modf nan nextafter pow pown powr remainder remquo rint rootn round rsqrt \
        sin sincos sinh sinpi sqrt tan tanh tanpi tgamma trunc clamp degrees max min mix radians step smoothstep sign";
    const SINGLE: &str = "cos divide exp exp2 exp10 log log2 log10 powr recip rsqrt sin sqrt tan";

    #[test]
    fn the_table_is_complete() {
        let mut specified: Vec<String> = SPECIFIED.split_whitespace().map(str::to_owned).collect();
        specified
            .extend(SINGLE.split_whitespace().flat_map(|f| [format!("half_{f}"), format!("native_{f}")]));
        specified.sort();
        let mut listed: Vec<String> =
            TABLE.iter().filter(|e| !e.is_expression()).map(|e| e.name.to_owned()).collect();
        listed.sort();
        assert_eq!(listed, specified);
    }
}
