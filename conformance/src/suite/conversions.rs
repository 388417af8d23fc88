//! Conversions: every pair of scalar types in every rounding mode, saturated and not, against exact
//! arithmetic (`round`); and kernels with fixed values.

use super::round::{DOUBLE, Exact, FloatFormat, HALF, RoundingMode, SINGLE};
use super::{Context, Outcome, Sink, kernels};
use half::f16;
use std::fmt::Write;
use test_support::cl::{Arg, Session};

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Int { signed: bool },
    Float(FloatFormat),
}

#[derive(Clone, Copy)]
struct Type {
    name: &'static str,
    bytes: usize,
    kind: Kind,
    /// Extension that it needs.
    needs: &'static str,
}

impl PartialEq for FloatFormat {
    fn eq(&self, other: &FloatFormat) -> bool {
        self.precision == other.precision
    }
}

const fn int(name: &'static str, bytes: usize, signed: bool) -> Type {
    Type { name, bytes, kind: Kind::Int { signed }, needs: "" }
}

const TYPES: [Type; 11] = [
    int("char", 1, true),
    int("uchar", 1, false),
    int("short", 2, true),
    int("ushort", 2, false),
    int("int", 4, true),
    int("uint", 4, false),
    int("long", 8, true),
    int("ulong", 8, false),
    Type { name: "half", bytes: 2, kind: Kind::Float(HALF), needs: "cl_khr_fp16" },
    Type { name: "float", bytes: 4, kind: Kind::Float(SINGLE), needs: "" },
    Type { name: "double", bytes: 8, kind: Kind::Float(DOUBLE), needs: "cl_khr_fp64" },
];

const MODES: [(&str, Option<RoundingMode>); 5] = [
    ("", None),
    ("_rte", Some(RoundingMode::Even)),
    ("_rtz", Some(RoundingMode::Zero)),
    ("_rtp", Some(RoundingMode::Up)),
    ("_rtn", Some(RoundingMode::Down)),
];

/// A value of any type.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Int(i128),
    Float(f64),
}

impl Type {
    fn range(self) -> (i128, i128) {
        let bits = 8 * self.bytes as u32;
        match self.kind {
            Kind::Int { signed: true } => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            _ => (0, (1 << bits) - 1),
        }
    }

    fn load(self, bytes: &[u8]) -> Value {
        let mut raw = [0u8; 8];
        raw[..self.bytes].copy_from_slice(bytes);
        let word = u64::from_le_bytes(raw);
        match self.kind {
            Kind::Int { signed } => {
                let value = i128::from(word);
                Value::Int(if signed && value > self.range().1 {
                    value - (1 << (8 * self.bytes))
                } else {
                    value
                })
            }
            Kind::Float(_) => Value::Float(match self.bytes {
                2 => f16::from_bits(word as u16).to_f64(),
                4 => f64::from(f32::from_bits(word as u32)),
                _ => f64::from_bits(word),
            }),
        }
    }

    /// Operands: edges of every type, halves, and random patterns.
    fn operands(self, count: usize) -> Vec<u8> {
        let mut words: Vec<u64> = Vec::new();
        let edges: Vec<i128> = TYPES
            .iter()
            .filter(|t| matches!(t.kind, Kind::Int { .. }))
            .flat_map(|t| [t.range().0, t.range().1])
            .collect();
        for edge in edges.iter().flat_map(|e| [e - 1, *e, e + 1]).chain(-5..6) {
            match self.kind {
                Kind::Int { .. } => words.push(edge as u64),
                Kind::Float(_) => {
                    for value in [edge as f64, edge as f64 + 0.5, edge as f64 - 0.25, edge as f64 * 1.000001]
                    {
                        words.push(match self.bytes {
                            2 => u64::from(f16::from_f64(value).to_bits()),
                            4 => u64::from((value as f32).to_bits()),
                            _ => value.to_bits(),
                        });
                    }
                }
            }
        }
        if let Kind::Float(format) = self.kind {
            let infinity =
                ((1u64 << (8 * self.bytes as i32 - format.precision)) - 1) << (format.precision - 1);
            words.extend([infinity, infinity + 1, infinity - 1, 1, 1 << (format.precision - 1)]);
        }
        let mut x = 88_172_645_463_325_252u64;
        while words.len() < count {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            words.push(x >> (words.len() % 40));
        }
        words[..count].iter().flat_map(|w| w.to_le_bytes()[..self.bytes].to_vec()).collect()
    }
}

/// Result of a conversion; `None` where the specification leaves it open.
fn convert(value: Value, from: Type, to: Type, saturate: bool, mode: Option<RoundingMode>) -> Option<Value> {
    let exact = match value {
        Value::Int(value) => Some(Exact::of_int(value)),
        Value::Float(value) => Exact::of_double(value),
    };
    match (to.kind, exact, value) {
        (Kind::Int { .. }, Some(exact), _) => {
            // The default for floating-point numbers is towards zero.
            let whole = exact.to_int(mode.unwrap_or(RoundingMode::Zero));
            let (low, high) = to.range();
            if (low..=high).contains(&whole) {
                Some(Value::Int(whole))
            } else if saturate {
                Some(Value::Int(whole.clamp(low, high)))
            } else {
                // Conversions between integers keep the low bits; from floating-point numbers the result is
                // unspecified.
                let bits = 8 * to.bytes as u32;
                let low_bits = whole & ((1 << bits) - 1);
                matches!(from.kind, Kind::Int { .. }).then_some(Value::Int(if low_bits > high {
                    low_bits - (1 << bits)
                } else {
                    low_bits
                }))
            }
        }
        // The specification only recommends 0 for a saturated NaN.
        (Kind::Int { .. }, None, Value::Float(value)) => {
            let (low, high) = to.range();
            (saturate && !value.is_nan()).then_some(Value::Int(if value < 0.0 { low } else { high }))
        }
        (Kind::Float(format), Some(exact), _) => {
            Some(Value::Float(exact.to_float(format, mode.unwrap_or(RoundingMode::Even))))
        }
        (Kind::Float(_), None, value) => Some(value),
        _ => None,
    }
}

fn is_same(got: Value, want: Value, to: Type, keeps_denormals: bool) -> bool {
    match (got, want) {
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => {
            let least = if let Kind::Float(format) = to.kind { 2f64.powi(format.least) } else { 0.0 };
            a == b || (a.is_nan() && b.is_nan()) || (!keeps_denormals && a == 0.0 && b.abs() < least)
        }
        _ => false,
    }
}

fn pair(session: &Session<'_>, from: Type, to: Type, count: usize) -> Result<(), String> {
    let into_int = matches!(to.kind, Kind::Int { .. });
    let mut source = String::new();
    for needs in [from.needs, to.needs].into_iter().filter(|n| !n.is_empty()) {
        let _ = writeln!(source, "#pragma OPENCL EXTENSION {needs} : enable");
    }
    let mut forms = Vec::new();
    for saturate in [false, true].into_iter().filter(|s| into_int || !s) {
        for (mode, rounding) in MODES {
            let name = format!("convert_{}{}{mode}", to.name, if saturate { "_sat" } else { "" });
            let kernel = format!("k{}", forms.len());
            let _ = writeln!(
                source,
                "kernel void {kernel}(global {} *to, global const {} *from) {{ size_t i = get_global_id(0); to[i] = {name}(from[i]); }}",
                to.name, from.name
            );
            forms.push((kernel, name, saturate, rounding));
        }
    }
    let program = session.build(&source, "")?;
    let operands = from.operands(count);
    let (input, output) = (session.buffer(count * from.bytes)?, session.buffer(count * to.bytes)?);
    session.write(&input, &operands)?;
    let small = |t: Type| t.name == "float";
    // Single-precision denormals may be flushed, operands too, if the device reports no CL_FP_DENORM.
    let keeps = session.keeps_denormals() || !(small(from) || small(to));
    let mut wrong = Vec::new();
    for (kernel, name, saturate, mode) in forms {
        let kernel = program.kernel(&kernel)?;
        kernel.set(&[Arg::Buffer(&output), Arg::Buffer(&input)])?;
        kernel.launch(&[count], None)?;
        let mut results = vec![0u8; count * to.bytes];
        session.read(&output, &mut results)?;
        for (a, r) in operands.chunks(from.bytes).zip(results.chunks(to.bytes)) {
            let (value, got) = (from.load(a), to.load(r));
            let denormal = |v: f64| v != 0.0 && v.abs() < f64::from(f32::MIN_POSITIVE);
            let flushed = matches!(value, Value::Float(v) if denormal(v)) && !keeps;
            let Some(want) = convert(value, from, to, saturate, mode).filter(|_| !flushed) else { continue };
            if !is_same(got, want, to, keeps) {
                wrong.push(format!("{name}({value:?}) is {got:?}, expected {want:?}"));
            }
        }
    }
    let total = wrong.len();
    wrong.truncate(4);
    if total == 0 { Ok(()) } else { Err(format!("{total} wrong results: {}", wrong.join("; "))) }
}

pub fn tests(context: &Context<'_>, sink: &mut Sink<'_>) {
    kernels::tests(context, sink, "conversions");
    let count = if context.quick { 512 } else { 16384 };
    for from in TYPES {
        for to in TYPES {
            sink.test(format!("{} to {}", from.name, to.name), || {
                let session = match context.session() {
                    Ok(session) => session,
                    Err(text) => return Outcome::Fail(text),
                };
                let extensions = session.extensions();
                let missing = [from.needs, to.needs]
                    .into_iter()
                    .find(|n| !n.is_empty() && !extensions.split(' ').any(|e| e == *n));
                match missing {
                    Some(name) => Outcome::Skip(format!("needs {name}")),
                    None => pair(&session, from, to, count).into(),
                }
            });
        }
    }
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn what_is_expected() {
        let find = |name: &str| *TYPES.iter().find(|t| t.name == name).expect("a type");
        let (char, int, float) = (find("char"), find("int"), find("float"));
        assert_eq!(convert(Value::Int(300), int, char, false, None), Some(Value::Int(44)));
        assert_eq!(convert(Value::Int(-300), int, char, true, None), Some(Value::Int(-128)));
        assert_eq!(convert(Value::Float(2.5), float, int, false, None), Some(Value::Int(2)));
        assert_eq!(
            convert(Value::Float(2.5), float, int, false, Some(RoundingMode::Up)),
            Some(Value::Int(3))
        );
        assert_eq!(convert(Value::Float(1e20), float, int, false, None), None);
        assert_eq!(
            convert(Value::Float(f64::INFINITY), float, int, true, None),
            Some(Value::Int(i128::from(i32::MAX)))
        );
        assert_eq!(char.load(&[0xff]), Value::Int(-1));
        assert_eq!(float.operands(700).len(), 2800);
    }
}
