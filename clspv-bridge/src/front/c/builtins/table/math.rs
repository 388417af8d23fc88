//! Math, common and geometric functions (OpenCL C, sections 6.15.2, 6.15.4 and 6.15.5).

use super::super::row::{BuiltinExpansion, Domain, Elements, Lanes, Row};
use crate::ir::ClOp;

const FLOATS: Domain = Domain::Arith(Elements::FLOATS, Lanes::ANY);
const SINGLE: Domain = Domain::Arith(Elements::FLOAT, Lanes::ANY);
const SPATIAL: Domain = Domain::Arith(Elements::FLOATS, Lanes::SPATIAL);

/// Functions of one operand of floating-point type.
const UNARY: &[(&str, ClOp)] = &[
    ("acos", ClOp::acos),
    ("acosh", ClOp::acosh),
    ("acospi", ClOp::acospi),
    ("asin", ClOp::asin),
    ("asinh", ClOp::asinh),
    ("asinpi", ClOp::asinpi),
    ("atan", ClOp::atan),
    ("atanh", ClOp::atanh),
    ("atanpi", ClOp::atanpi),
    ("cbrt", ClOp::cbrt),
    ("ceil", ClOp::ceil),
    ("cos", ClOp::cos),
    ("cosh", ClOp::cosh),
    ("cospi", ClOp::cospi),
    ("degrees", ClOp::degrees),
    ("erf", ClOp::erf),
    ("erfc", ClOp::erfc),
    ("exp", ClOp::exp),
    ("exp10", ClOp::exp10),
    ("exp2", ClOp::exp2),
    ("expm1", ClOp::expm1),
    ("fabs", ClOp::fabs),
    ("floor", ClOp::floor),
    ("lgamma", ClOp::lgamma),
    ("log", ClOp::log),
    ("log10", ClOp::log10),
    ("log1p", ClOp::log1p),
    ("log2", ClOp::log2),
    ("logb", ClOp::logb),
    ("radians", ClOp::radians),
    ("rint", ClOp::rint),
    ("round", ClOp::round),
    ("rsqrt", ClOp::rsqrt),
    ("sign", ClOp::sign),
    ("sin", ClOp::sin),
    ("sinh", ClOp::sinh),
    ("sinpi", ClOp::sinpi),
    ("sqrt", ClOp::sqrt),
    ("tan", ClOp::tan),
    ("tanh", ClOp::tanh),
    ("tanpi", ClOp::tanpi),
    ("tgamma", ClOp::tgamma),
    ("trunc", ClOp::trunc),
];

/// Functions of two operands of one floating-point type.
const BINARY: &[(&str, ClOp)] = &[
    ("atan2", ClOp::atan2),
    ("atan2pi", ClOp::atan2pi),
    ("copysign", ClOp::copysign),
    ("fdim", ClOp::fdim),
    ("fmax", ClOp::fmax),
    ("fmin", ClOp::fmin),
    ("fmod", ClOp::fmod),
    ("hypot", ClOp::hypot),
    ("maxmag", ClOp::maxmag),
    ("minmag", ClOp::minmag),
    ("nextafter", ClOp::nextafter),
    ("pow", ClOp::pow),
    ("powr", ClOp::powr),
    ("remainder", ClOp::remainder),
    ("step", ClOp::step),
];

/// Functions of single precision with less accuracy.
const FAST: &[(&str, &str, ClOp)] = &[
    ("half_cos", "T T", ClOp::half_cos),
    ("half_divide", "T T T", ClOp::half_divide),
    ("half_exp", "T T", ClOp::half_exp),
    ("half_exp2", "T T", ClOp::half_exp2),
    ("half_exp10", "T T", ClOp::half_exp10),
    ("half_log", "T T", ClOp::half_log),
    ("half_log2", "T T", ClOp::half_log2),
    ("half_log10", "T T", ClOp::half_log10),
    ("half_powr", "T T T", ClOp::half_powr),
    ("half_recip", "T T", ClOp::half_recip),
    ("half_rsqrt", "T T", ClOp::half_rsqrt),
    ("half_sin", "T T", ClOp::half_sin),
    ("half_sqrt", "T T", ClOp::half_sqrt),
    ("half_tan", "T T", ClOp::half_tan),
    ("native_cos", "T T", ClOp::native_cos),
    ("native_divide", "T T T", ClOp::native_divide),
    ("native_exp", "T T", ClOp::native_exp),
    ("native_exp2", "T T", ClOp::native_exp2),
    ("native_exp10", "T T", ClOp::native_exp10),
    ("native_log", "T T", ClOp::native_log),
    ("native_log2", "T T", ClOp::native_log2),
    ("native_log10", "T T", ClOp::native_log10),
    ("native_powr", "T T T", ClOp::native_powr),
    ("native_recip", "T T", ClOp::native_recip),
    ("native_rsqrt", "T T", ClOp::native_rsqrt),
    ("native_sin", "T T", ClOp::native_sin),
    ("native_sqrt", "T T", ClOp::native_sqrt),
    ("native_tan", "T T", ClOp::native_tan),
];

/// Rows of these sections.
pub fn rows() -> Vec<Row> {
    let ext = |name, signature, domain, op| Row::new(name, signature, domain, BuiltinExpansion::Ext(op));
    let mut rows: Vec<Row> = UNARY.iter().map(|(name, op)| ext(name, "T T", FLOATS, *op)).collect();
    rows.extend(BINARY.iter().map(|(name, op)| ext(name, "T T T", FLOATS, *op)));
    rows.extend(FAST.iter().map(|(name, signature, op)| ext(name, signature, SINGLE, *op)));
    rows.extend([
        ext("fma", "T T T T", FLOATS, ClOp::fma),
        ext("mad", "T T T T", FLOATS, ClOp::mad),
        ext("ldexp", "T T N", FLOATS, ClOp::ldexp),
        ext("pown", "T T N", FLOATS, ClOp::pown),
        ext("rootn", "T T N", FLOATS, ClOp::rootn),
        ext("ilogb", "N T", FLOATS, ClOp::ilogb),
        ext("nan", "T U", FLOATS, ClOp::nan),
        ext("fract", "T T a*T", FLOATS, ClOp::fract),
        ext("modf", "T T a*T", FLOATS, ClOp::modf),
        ext("sincos", "T T a*T", FLOATS, ClOp::sincos),
        ext("frexp", "T T a*N", FLOATS, ClOp::frexp),
        ext("lgamma_r", "T T a*N", FLOATS, ClOp::lgamma_r),
        ext("remquo", "T T T a*N", FLOATS, ClOp::remquo),
        ext("mix", "T T T T", FLOATS, ClOp::mix),
        ext("smoothstep", "T T T T", FLOATS, ClOp::smoothstep),
        ext("distance", "S T T", SPATIAL, ClOp::distance),
        ext("length", "S T", SPATIAL, ClOp::length),
        ext("normalize", "T T", SPATIAL, ClOp::normalize),
        ext("fast_distance", "S T T", Domain::Arith(Elements::FLOAT, Lanes::SPATIAL), ClOp::fast_distance),
        ext("fast_length", "S T", Domain::Arith(Elements::FLOAT, Lanes::SPATIAL), ClOp::fast_length),
        ext("fast_normalize", "T T", Domain::Arith(Elements::FLOAT, Lanes::SPATIAL), ClOp::fast_normalize),
        Row::new("dot", "S T T", SPATIAL, BuiltinExpansion::Dot),
        Row::new(
            "cross",
            "T T T",
            Domain::Arith(Elements::FLOATS, Lanes(1 << 3 | 1 << 4)),
            BuiltinExpansion::Cross,
        ),
        ext("clamp", "T T T T", FLOATS, ClOp::fclamp),
        ext("max", "T T T", FLOATS, ClOp::fmax_common),
        ext("min", "T T T", FLOATS, ClOp::fmin_common),
    ]);
    rows
}
