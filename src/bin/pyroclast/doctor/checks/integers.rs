//! Integer arithmetic: one kernel for each operation and type.

use super::super::check::{Arg, Check, Expected};

/// An integer type of OpenCL C.
#[derive(Clone, Copy)]
pub struct Int {
    pub name: &'static str,
    pub bits: u32,
    pub signed: bool,
}

impl Int {
    /// The value of the type with the low bits of `v`.
    fn wrap(self, v: i128) -> i128 {
        let shift = 128 - self.bits;
        if self.signed { v << shift >> shift } else { ((v as u128) << shift >> shift) as i128 }
    }

    fn min(self) -> i128 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    fn max(self) -> i128 {
        (1 << (self.bits - u32::from(self.signed))) - 1
    }

    fn saturate(self, v: i128) -> i128 {
        v.clamp(self.min(), self.max())
    }

    /// The bits as an unsigned number.
    fn raw(self, v: i128) -> u128 {
        (v as u128) & (u128::MAX >> (128 - self.bits))
    }

    fn bytes(self, values: &[i128]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes().into_iter().take(self.bits as usize / 8)).collect()
    }
}

/// Types of 8, 16 and 32 bits.
pub const NARROW: &[Int] = &[
    Int { name: "char", bits: 8, signed: true },
    Int { name: "uchar", bits: 8, signed: false },
    Int { name: "short", bits: 16, signed: true },
    Int { name: "ushort", bits: 16, signed: false },
    Int { name: "int", bits: 32, signed: true },
    Int { name: "uint", bits: 32, signed: false },
];
/// Types of 64 bits.
pub const LONG: &[Int] =
    &[Int { name: "long", bits: 64, signed: true }, Int { name: "ulong", bits: 64, signed: false }];

/// An operation: its name, OpenCL C with operands `a` and `b` of the type T with BITS bits, and the result
/// before it is converted to T. `b` is never zero.
type Operation = (&'static str, &'static str, fn(Int, i128, i128) -> i128);

const OPERATIONS: &[Operation] = &[
    ("add", "a + b", |_, a, b| a + b),
    ("subtract", "a - b", |_, a, b| a - b),
    ("multiply", "a * b", |_, a, b| a.wrapping_mul(b)),
    // The smallest number divided by -1 is undefined.
    ("divide", "b == (T)-1 ? a : a / b", |t, a, b| if b == t.wrap(-1) { a } else { a / b }),
    ("remainder", "b == (T)-1 ? a : a % b", |t, a, b| if b == t.wrap(-1) { a } else { a % b }),
    ("and_or", "(a & b) | (a ^ ~b)", |_, a, b| (a & b) | (a ^ !b)),
    ("shift_left", "a << (b & (BITS - 1))", |t, a, b| a << (b & i128::from(t.bits - 1))),
    ("shift_right", "a >> (b & (BITS - 1))", |t, a, b| a >> (b & i128::from(t.bits - 1))),
    ("less", "a < b", |_, a, b| (a < b).into()),
    ("select", "a >= b ? a : (T)(b ^ a)", |_, a, b| if a >= b { a } else { b ^ a }),
    ("min_max", "min(a, b) ^ max(a, b)", |_, a, b| a.min(b) ^ a.max(b)),
    ("abs", "abs(a)", |_, a, _| a.abs()),
    ("abs_diff", "abs_diff(a, b)", |_, a, b| (a - b).abs()),
    ("add_sat", "add_sat(a, b)", |t, a, b| t.saturate(a + b)),
    ("sub_sat", "sub_sat(a, b)", |t, a, b| t.saturate(a - b)),
    ("hadd", "hadd(a, b)", |_, a, b| (a + b) >> 1),
    ("rhadd", "rhadd(a, b)", |_, a, b| (a + b + 1) >> 1),
    ("mul_hi", "mul_hi(a, b)", |t, a, b| a.wrapping_mul(b) >> t.bits),
    ("clz", "clz(a)", |t, a, _| i128::from(t.raw(a).leading_zeros() - (128 - t.bits))),
    ("ctz", "ctz(a)", |t, a, _| i128::from(t.raw(a).trailing_zeros().min(t.bits))),
    ("popcount", "popcount(a)", |t, a, _| t.raw(a).count_ones().into()),
    ("rotate", "rotate(a, (T)5)", |t, a, _| (t.raw(a) << 5 | t.raw(a) >> (t.bits - 5)) as i128),
    ("to_float", "(T)convert_float((T)(a & 63))", |_, a, _| a & 63),
];

/// Operands: the limits, small numbers and patterns, in every combination of neighbours.
fn operands(t: Int) -> (Vec<i128>, Vec<i128>) {
    let fixed = [0, 1, -1, 2, 7, -9, 0x55, t.max(), t.min(), t.max() - 1, t.max() / 3, 100];
    let mut a = Vec::new();
    let mut b = Vec::new();
    for (i, x) in fixed.into_iter().enumerate() {
        for y in fixed.into_iter().skip(i % 3).step_by(3).chain([3]) {
            let (x, y) = (t.wrap(x), t.wrap(y));
            a.push(x);
            b.push(if y == 0 { 5 } else { y });
        }
    }
    (a, b)
}

/// The source of all kernels of a type.
fn source(t: Int) -> String {
    let mut text = format!("#define T {}\n#define BITS {}\n", t.name, t.bits);
    for (name, expression, _) in OPERATIONS {
        text += &format!(
            "kernel void check_{name}(global const T *x, global const T *y, global T *out) {{\n    \
             size_t i = get_global_id(0);\n    T a = x[i], b = y[i];\n    out[i] = (T)({expression});\n}}\n"
        );
    }
    text
}

/// A check for each operation on each of the types.
pub fn checks(types: &[Int]) -> Vec<Check> {
    let mut all = Vec::new();
    for &t in types {
        let (a, b) = operands(t);
        let text = source(t);
        for (name, _, reference) in OPERATIONS {
            let results: Vec<i128> = a.iter().zip(&b).map(|(a, b)| t.wrap(reference(t, *a, *b))).collect();
            all.push(Check {
                name: format!("{} {name}", t.name),
                source: text.clone(),
                kernel: format!("check_{name}"),
                args: vec![
                    Arg::Buffer(t.bytes(&a)),
                    Arg::Buffer(t.bytes(&b)),
                    Arg::Buffer(vec![0; t.bytes(&results).len()]),
                ],
                global: vec![a.len()],
                local: None,
                result: 2,
                expected: Expected::Bytes(t.bytes(&results)),
            });
        }
    }
    all
}
