//! Integer functions (OpenCL C, section 6.15.3), with cl_khr_extended_bit_ops and
//! cl_khr_integer_dot_product; conversions (6.4.3).

use super::super::row::{BuiltinExpansion, Domain, Elements, Lanes, RoundingMode, Row};
use crate::ir::{ClOp, Rounding};

const INTS: Domain = Domain::Arith(Elements::INTS, Lanes::ANY);
const SHORT_INTS: Domain = Domain::Arith(Elements::INTS_32, Lanes::ANY);
/// `char` to `uint`, which `upsample` widens.
const NARROW: Domain = Domain::Arith(Elements(0b0000_0111_1110), Lanes::ANY);

/// Functions with an instruction for signed and one for unsigned operands.
const BY_SIGN: &[(&str, &str, ClOp, ClOp)] = &[
    ("abs", "U T", ClOp::s_abs, ClOp::u_abs),
    ("abs_diff", "U T T", ClOp::s_abs_diff, ClOp::u_abs_diff),
    ("add_sat", "T T T", ClOp::s_add_sat, ClOp::u_add_sat),
    ("clamp", "T T T T", ClOp::s_clamp, ClOp::u_clamp),
    ("hadd", "T T T", ClOp::s_hadd, ClOp::u_hadd),
    ("mad_hi", "T T T T", ClOp::s_mad_hi, ClOp::u_mad_hi),
    ("mad_sat", "T T T T", ClOp::s_mad_sat, ClOp::u_mad_sat),
    ("max", "T T T", ClOp::s_max, ClOp::u_max),
    ("min", "T T T", ClOp::s_min, ClOp::u_min),
    ("mul_hi", "T T T", ClOp::s_mul_hi, ClOp::u_mul_hi),
    ("rhadd", "T T T", ClOp::s_rhadd, ClOp::u_rhadd),
    ("sub_sat", "T T T", ClOp::s_sub_sat, ClOp::u_sub_sat),
];

const CONVERSIONS: [(&str, bool, RoundingMode); 10] = [
    ("convert", false, None),
    ("convert_rte", false, Some(Rounding::Rte)),
    ("convert_rtz", false, Some(Rounding::Rtz)),
    ("convert_rtp", false, Some(Rounding::Rtp)),
    ("convert_rtn", false, Some(Rounding::Rtn)),
    ("convert_sat", true, None),
    ("convert_sat_rte", true, Some(Rounding::Rte)),
    ("convert_sat_rtz", true, Some(Rounding::Rtz)),
    ("convert_sat_rtp", true, Some(Rounding::Rtp)),
    ("convert_sat_rtn", true, Some(Rounding::Rtn)),
];

/// Rows of this section.
pub fn rows() -> Vec<Row> {
    let both = |name, signature, domain, signed, unsigned| {
        Row::new(name, signature, domain, BuiltinExpansion::BySign(signed, unsigned))
    };
    let mut rows: Vec<Row> = BY_SIGN.iter().map(|(n, sig, s, u)| both(n, sig, INTS, *s, *u)).collect();
    rows.extend([
        Row::new("clz", "T T", INTS, BuiltinExpansion::Ext(ClOp::clz)),
        Row::new("ctz", "T T", INTS, BuiltinExpansion::Ext(ClOp::ctz)).since(200),
        Row::new("popcount", "T T", INTS, BuiltinExpansion::Ext(ClOp::popcount)).since(120),
        Row::new("rotate", "T T T", INTS, BuiltinExpansion::Ext(ClOp::rotate)),
        both("upsample", "W T U", NARROW, ClOp::s_upsample, ClOp::u_upsample),
        both("mul24", "T T T", SHORT_INTS, ClOp::s_mul24, ClOp::u_mul24),
        both("mad24", "T T T T", SHORT_INTS, ClOp::s_mad24, ClOp::u_mad24),
    ]);
    rows.extend(bit_operations());
    rows.extend(dot_products());
    rows.extend(CONVERSIONS.iter().map(|&(name, saturate, rounding)| {
        // Calls have names such as `convert_int4_sat`; `resolve` knows them.
        Row::new(name, "void", Domain::None, BuiltinExpansion::Convert { saturate, rounding }).since(u16::MAX)
    }));
    rows
}

fn bit_operations() -> impl Iterator<Item = Row> {
    use super::super::row::BitOp;
    [
        ("bitfield_insert", "T T T uint uint", INTS, BitOp::Insert),
        ("bitfield_extract_signed", "J T uint uint", INTS, BitOp::ExtractSigned),
        ("bitfield_extract_unsigned", "U T uint uint", INTS, BitOp::ExtractUnsigned),
        ("bit_reverse", "T T", INTS, BitOp::Reverse),
    ]
    .into_iter()
    .map(|(name, signature, domain, op)| {
        Row::new(name, signature, domain, BuiltinExpansion::Bits(op)).one_of(&["cl_khr_extended_bit_ops"])
    })
}

const DOT: &[&str] = &["cl_khr_integer_dot_product", "__opencl_c_integer_dot_product_input_4x8bit"];
const DOT_PACKED: &[&str] =
    &["cl_khr_integer_dot_product", "__opencl_c_integer_dot_product_input_4x8bit_packed"];

fn dot_products() -> impl Iterator<Item = Row> {
    const SHAPES: [(&str, &str, [bool; 2]); 4] = [
        ("uint uchar4 uchar4", "uint uint uint", [false, false]),
        ("int char4 char4", "int uint uint", [true, true]),
        ("int uchar4 char4", "int uint uint", [false, true]),
        ("int char4 uchar4", "int uint uint", [true, false]),
    ];
    const SATURATING: [(&str, &str); 4] = [
        ("uint uchar4 uchar4 uint", "uint uint uint uint"),
        ("int char4 char4 int", "int uint uint int"),
        ("int uchar4 char4 int", "int uint uint int"),
        ("int char4 uchar4 int", "int uint uint int"),
    ];
    const PACKED: [(&str, &str); 4] = [
        ("dot_4x8packed_uu_uint", "dot_acc_sat_4x8packed_uu_uint"),
        ("dot_4x8packed_ss_int", "dot_acc_sat_4x8packed_ss_int"),
        ("dot_4x8packed_us_int", "dot_acc_sat_4x8packed_us_int"),
        ("dot_4x8packed_su_int", "dot_acc_sat_4x8packed_su_int"),
    ];
    SHAPES.into_iter().zip(SATURATING).zip(PACKED).flat_map(|((shape, sat), packed)| {
        let dot = |saturates, packed| BuiltinExpansion::IntDot { signed: shape.2, saturates, packed };
        [
            Row::new("dot", shape.0, Domain::None, dot(false, false)).one_of(DOT),
            Row::new("dot_acc_sat", sat.0, Domain::None, dot(true, false)).one_of(DOT),
            Row::new(packed.0, shape.1, Domain::None, dot(false, true)).one_of(DOT_PACKED),
            Row::new(packed.1, sat.1, Domain::None, dot(true, true)).one_of(DOT_PACKED),
        ]
    })
}
