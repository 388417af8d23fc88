//! Floating-point arithmetic: one kernel for each operation and type. Tolerances are those of the OpenCL C
//! specification (7.4, relative error as ULPs), plus one unit for the host's own error where it computes in
//! the same precision.

use super::super::check::{Arg, Check, Expected, Precision, bytes_of};

/// An operation: its name, OpenCL C with operands `a` and `b` of the type T, the result in double precision,
/// and the tolerances in single and double precision.
type Operation = (&'static str, &'static str, fn(f64, f64) -> f64, f64, f64);

/// Operations on numbers between -100 and 100.
const ANY: &[Operation] = &[
    ("add", "a + b", |a, b| a + b, 0.5, 0.0),
    ("subtract", "a - b", |a, b| a - b, 0.5, 0.0),
    ("multiply", "a * b", |a, b| a * b, 0.5, 0.0),
    ("divide", "a / b", |a, b| a / b, 2.5, 0.5),
    ("fma", "fma(a, b, (T)1.5)", |a, b| a.mul_add(b, 1.5), 0.5, 0.0),
    (
        "compare",
        "(T)((a < b) + 2 * (a == b) + 4 * (a >= b))",
        |a, b| (a < b).into_f64() + compare(a, b),
        0.0,
        0.0,
    ),
    ("round", "floor(a) + 2 * ceil(b) - trunc(b)", |a, b| a.floor() + 2.0 * b.ceil() - b.trunc(), 0.5, 0.0),
    ("rint", "rint(a) - round(b)", |a, b| a.round_ties_even() - b.round(), 0.5, 0.0),
    ("min_max", "fmin(a, b) + 2 * fmax(a, b)", |a, b| a.min(b) + 2.0 * a.max(b), 0.5, 0.0),
    ("sign", "copysign(a, b) + fabs(b)", |a, b| a.copysign(b) + b.abs(), 0.5, 0.0),
    ("remainder", "fmod(a, b)", |a, b| a % b, 0.0, 0.0),
    ("exponent", "ldexp(a, 3) + ilogb(b)", |a, b| a * 8.0 + b.abs().log2().floor(), 0.5, 0.0),
    ("to_int", "(T)convert_int(a) + (T)convert_int_rte(b)", |a, b| a.trunc() + b.round_ties_even(), 0.0, 0.0),
    ("sin", "sin(a)", |a, _| a.sin(), 4.0, 5.0),
    ("cos", "cos(a)", |a, _| a.cos(), 4.0, 5.0),
    ("atan", "atan2(a, b)", |a, b| a.atan2(b), 6.0, 7.0),
    ("tanh", "tanh(a)", |a, _| a.tanh(), 5.0, 6.0),
    ("exp2", "exp2(a / 4)", |a, _| (a / 4.0).exp2(), 3.0, 4.0),
    ("cbrt", "cbrt(a)", |a, _| a.cbrt(), 2.0, 3.0),
    ("hypot", "hypot(a, b)", |a, b| a.hypot(b), 4.0, 5.0),
];

/// Operations on the absolute values of these numbers.
const POSITIVE: &[Operation] = &[
    ("sqrt", "sqrt(a)", |a, _| a.sqrt(), 3.0, 0.0),
    ("rsqrt", "rsqrt(a)", |a, _| 1.0 / a.sqrt(), 2.0, 3.0),
    ("log", "log(a)", |a, _| a.ln(), 3.0, 4.0),
    ("log2", "log2(a)", |a, _| a.log2(), 3.0, 4.0),
    ("exp", "exp(-a)", |a, _| (-a).exp(), 3.0, 4.0),
    ("pow", "pow(a, b / 16)", |a, b| a.powf(b / 16.0), 16.0, 17.0),
];

fn compare(a: f64, b: f64) -> f64 {
    f64::from(2 * u8::from(a == b) + 4 * u8::from(a >= b))
}

trait IntoF64 {
    fn into_f64(self) -> f64;
}

impl IntoF64 for bool {
    fn into_f64(self) -> f64 {
        u8::from(self).into()
    }
}

/// Operands that single precision holds exactly.
fn operands() -> (Vec<f32>, Vec<f32>) {
    let a: Vec<f32> =
        (0..64u32).map(|i| (i * 37 % 101) as f32 * 1.984_375 - 100.0 + i as f32 / 1024.0).collect();
    let b: Vec<f32> = (0..64u32)
        .map(|i| if i % 8 == 7 { a[i as usize] } else { (i * 53 % 97) as f32 * 0.8125 - 39.0 })
        .collect();
    (a, b.into_iter().map(|b| if b == 0.0 { 0.75 } else { b }).collect())
}

fn source(name: &str) -> String {
    let mut text = format!("#pragma OPENCL FP_CONTRACT OFF\n#define T {name}\n");
    for (name, expression, ..) in ANY.iter().chain(POSITIVE) {
        text += &format!(
            "kernel void check_{name}(global const T *x, global const T *y, global T *out) {{\n    \
             size_t i = get_global_id(0);\n    T a = x[i], b = y[i];\n    out[i] = {expression};\n}}\n"
        );
    }
    text
}

/// A check for each operation in one precision.
pub fn checks(precision: Precision) -> Vec<Check> {
    let name = if precision == Precision::Single { "float" } else { "double" };
    let text = source(name);
    let encode = |values: &[f32]| match precision {
        Precision::Single => bytes_of(values),
        Precision::Double => values.iter().flat_map(|v| f64::from(*v).to_le_bytes()).collect(),
    };
    let (signed, b) = operands();
    let positive: Vec<f32> = signed.iter().map(|a| a.abs() + 0.015_625).collect();
    let list = ANY.iter().map(|o| (o, &signed)).chain(POSITIVE.iter().map(|o| (o, &positive)));
    list.map(|((kernel, _, reference, single, double), a)| Check {
        name: format!("{name} {kernel}"),
        source: text.clone(),
        kernel: format!("check_{kernel}"),
        args: vec![Arg::Buffer(encode(a)), Arg::Buffer(encode(&b)), Arg::Buffer(vec![0; encode(a).len()])],
        global: vec![a.len()],
        local: None,
        result: 2,
        expected: Expected::Numbers {
            precision,
            values: a.iter().zip(&b).map(|(a, b)| reference((*a).into(), (*b).into())).collect(),
            ulps: if precision == Precision::Single { *single } else { *double },
        },
    })
    .collect()
}

/// Half-precision numbers that are small integers, whose results are exact.
pub fn halves() -> Vec<Check> {
    const SOURCE: &str = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable
        kernel void add(global const half *x, global const half *y, global half *out) {
            size_t i = get_global_id(0); out[i] = x[i] + y[i]; }
        kernel void multiply(global const half *x, global const half *y, global half *out) {
            size_t i = get_global_id(0); out[i] = x[i] * y[i]; }
        kernel void fused(global const half *x, global const half *y, global half *out) {
            size_t i = get_global_id(0); out[i] = fma(x[i], y[i], (half)3); }
        kernel void larger(global const half *x, global const half *y, global half *out) {
            size_t i = get_global_id(0); out[i] = x[i] > y[i] ? floor(x[i]) : fmax(y[i], (half)-2); }";
    type Operation = (&'static str, fn(f32, f32) -> f32);
    const OPERATIONS: &[Operation] = &[
        ("add", |a, b| a + b),
        ("multiply", |a, b| a * b),
        ("fused", |a, b| a * b + 3.0),
        ("larger", |a, b| if a > b { a } else { b.max(-2.0) }),
    ];
    let a: Vec<f32> = (0..48u8).map(|i| f32::from(i) - 20.0).collect();
    let b: Vec<f32> = (0..48u16).map(|i| f32::from(i * 7 % 31) - 15.0).collect();
    let encode = |values: &[f32]| bytes_of(values.iter().map(|v| half_bits(*v)));
    let check = |(name, reference): &Operation| Check {
        name: format!("half {name}"),
        source: SOURCE.into(),
        kernel: name.to_string(),
        args: vec![Arg::Buffer(encode(&a)), Arg::Buffer(encode(&b)), Arg::Buffer(vec![0; 96])],
        global: vec![48],
        local: None,
        result: 2,
        expected: Expected::Bytes(encode(
            &a.iter().zip(&b).map(|(a, b)| reference(*a, *b)).collect::<Vec<f32>>(),
        )),
    };
    OPERATIONS.iter().map(check).collect()
}

/// The bits of a number that half precision holds exactly as a normal number, or of zero.
pub fn half_bits(v: f32) -> u16 {
    let bits = v.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    if v == 0.0 {
        return sign;
    }
    let exponent = (bits >> 23 & 0xff) as i32 - 127 + 15;
    sign | (exponent as u16) << 10 | (bits >> 13 & 0x3ff) as u16
}

#[cfg(test)]
mod tests {
    use super::half_bits;

    #[test]
    fn small_numbers_are_halves() {
        for (number, bits) in [(0.0, 0), (-0.0, 0x8000), (1.0, 0x3c00), (-2.5, 0xc100), (321.0, 0x5d04)] {
            assert_eq!(half_bits(number), bits, "{number}");
        }
    }
}
