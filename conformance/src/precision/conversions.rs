//! Explicit conversions between all types, with every rounding mode and saturation (section 6.4.3), and
//! halves in memory (section 6.15.8). All of them are correctly rounded.

use super::dd::{Dd, Real};
use super::device::{self, FormatSupport, Program, Session};
use super::inputs::{Depth, SplitMix, edges, from_bits, to_bits};
use super::judge::round;
use super::plan::{Line, MeasurementPlan, Row, Task};
use super::table::{MathMode, Width};
use test_support::cl;

/// A type of numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Type {
    Int { name: &'static str, bits: u32, signed: bool },
    Float(Width),
}

const TYPES: [Type; 11] = [
    Type::Int { name: "char", bits: 8, signed: true },
    Type::Int { name: "uchar", bits: 8, signed: false },
    Type::Int { name: "short", bits: 16, signed: true },
    Type::Int { name: "ushort", bits: 16, signed: false },
    Type::Int { name: "int", bits: 32, signed: true },
    Type::Int { name: "uint", bits: 32, signed: false },
    Type::Int { name: "long", bits: 64, signed: true },
    Type::Int { name: "ulong", bits: 64, signed: false },
    Type::Float(Width::F16),
    Type::Float(Width::F32),
    Type::Float(Width::F64),
];

impl Type {
    fn name(self) -> &'static str {
        match self {
            Type::Int { name, .. } => name,
            Type::Float(width) => width.name(),
        }
    }
    fn bytes(self) -> usize {
        match self {
            Type::Int { bits, .. } => bits as usize / 8,
            Type::Float(width) => width.bytes(),
        }
    }
    fn value(self, raw: u64) -> Number {
        match self {
            Type::Int { bits, signed: true, .. } => {
                Number::Int(i128::from((raw << (64 - bits)).cast_signed() >> (64 - bits)))
            }
            Type::Int { bits, .. } => Number::Int(i128::from(raw << (64 - bits) >> (64 - bits))),
            Type::Float(width) => Number::Float(from_bits(width, raw)),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Number {
    Int(i128),
    Float(f64),
}

/// Suffixes; without one, conversions to floating-point types round to nearest and others toward zero.
const ROUNDINGS: [&str; 5] = ["", "_rte", "_rtz", "_rtp", "_rtn"];

/// Results of a kernel: all forms for a source and a destination.
#[derive(Clone, Copy, Debug)]
struct Pair {
    from: Type,
    to: Type,
    /// `vload_half` or `vstore_half` instead of a conversion.
    memory: bool,
}

impl Pair {
    fn forms(self) -> Vec<(bool, &'static str)> {
        let of = |saturated| ROUNDINGS.iter().map(move |r| (saturated, *r));
        match (self.memory, self.to) {
            (true, Type::Float(Width::F32)) => vec![(false, "")],
            (false, Type::Int { .. }) => of(false).chain(of(true)).collect(),
            _ => of(false).collect(),
        }
    }
    fn text(self, (saturated, rounding): (bool, &str)) -> String {
        match (self.memory, self.to) {
            (true, Type::Float(Width::F32)) => "vload_half".into(),
            (true, _) => format!("vstore_half{rounding}"),
            _ => format!("convert_{}{}{rounding}", self.to.name(), if saturated { "_sat" } else { "" }),
        }
    }
    fn kernel(self) -> String {
        format!("{}_from_{}", self.to.name(), self.from.name())
    }
    fn source(self) -> String {
        let statements: String = self
            .forms()
            .iter()
            .enumerate()
            .map(|(k, form)| {
                let call = self.text(*form);
                match (self.memory, self.to) {
                    (true, Type::Float(Width::F32)) => format!("    r[i] = {call}(i, a);\n"),
                    (true, _) => format!("    {call}(a[i], {k} * n + i, r);\n"),
                    _ => format!("    r[{k} * n + i] = {call}(a[i]);\n"),
                }
            })
            .collect();
        format!(
            "__kernel void {}(__global const {} *a, __global {} *r)\n{{\n    size_t i = get_global_id(0), n = get_global_size(0);\n{statements}}}\n",
            self.kernel(),
            self.from.name(),
            self.to.name()
        )
    }
}

/// Adds a task for each destination type that the device has, and tasks for halves in memory.
pub fn plan(plan: &mut MeasurementPlan<'_>, formats: &[FormatSupport; 3], depth: Depth) {
    let denormals = formats.map(|f| f.denormals);
    let has = |t: &Type| !matches!(t, Type::Float(width) if !formats[*width as usize].available);
    let types: Vec<Type> = TYPES.into_iter().filter(has).collect();
    let float = |width| Type::Float(width);
    let mut lists: Vec<(&'static str, Type, Vec<Pair>)> = Vec::new();
    for &to in &types {
        lists.push(("convert_", to, types.iter().map(|&from| Pair { from, to, memory: false }).collect()));
    }
    let to = float(Width::F16);
    let stored = [Width::F32, Width::F64].map(float).into_iter().filter(has);
    lists.push(("vstore_", to, stored.map(|from| Pair { from, to, memory: true }).collect()));
    let load = Pair { from: float(Width::F16), to: float(Width::F32), memory: true };
    lists.push(("vload_", float(Width::F16), vec![load]));
    for (prefix, to, pairs) in lists {
        let mut source: String = types
            .iter()
            .filter_map(|t| if let Type::Float(w) = t { Some(device::pragma(*w)) } else { None })
            .collect();
        source.extend(pairs.iter().map(|pair| pair.source()));
        let program = plan.program(source, "");
        let name = format!("{prefix}{}", to.name());
        let line =
            Line { name, kind: to.name().into(), mode: MathMode::Default.name(), allowed: "exact".into() };
        let work = move |session: &Session<'_>, program: &Program<'_>| {
            let mut row = Row::default();
            pairs.iter().try_for_each(|pair| measure(&mut row, session, program, *pair, denormals, depth))?;
            Ok(row)
        };
        plan.tasks.push(Task { line, program, work: Box::new(work) });
    }
}

/// Bit patterns of a type: all of them up to 16 bits, in the quick mode every seventh.
fn inputs(from: Type, depth: Depth) -> Vec<u64> {
    let bits = 8 * from.bytes() as u32;
    if bits <= 16 {
        return (0..1 << bits).step_by(if depth == Depth::Quick { 7 } else { 1 }).collect();
    }
    let samples = match depth {
        Depth::Quick => 500,
        Depth::Normal => 20_000,
        Depth::Full => 2_000_000,
    };
    let mut random = SplitMix::new(u64::from(bits));
    let mut list = Vec::new();
    match from {
        Type::Int { .. } => {
            for k in 0..bits {
                for d in -2i64..=2 {
                    let v = (1u64 << k).wrapping_add_signed(d);
                    list.extend([v, v.wrapping_neg(), (v << 1) + 1]);
                }
            }
            for _ in 0..samples {
                let v = random.next() >> (random.next() % u64::from(bits));
                // Half-way between numbers of some precision, or next to it.
                let cut = random.next() % u64::from(bits);
                let tie = ((v >> cut << 1 | 1) << cut >> 1).wrapping_add(random.next() % 3).wrapping_sub(1);
                list.extend([v, tie, v.wrapping_neg(), tie.wrapping_neg()]);
            }
        }
        Type::Float(width) => {
            list.extend(edges(width).into_iter().map(|x| to_bits(width, x)));
            for k in [7, 8, 10, 11, 15, 16, 23, 24, 31, 32, 52, 53, 63, 64] {
                for d in [-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5] {
                    let middle = to_bits(width, round(width, Real::exact(2f64.powi(k) + d)));
                    let sign = 1u64 << (bits - 1);
                    list.extend([middle - 1, middle, middle + 1].into_iter().flat_map(|b| [b, b | sign]));
                }
            }
            for _ in 0..samples {
                let any = random.next() >> (64 - bits);
                // Few bits: ties of narrower formats.
                let few =
                    any >> (random.next() % u64::from(bits - 10)) << (random.next() % u64::from(bits - 10));
                let moderate = round(
                    width,
                    Real::exact((random.next().cast_signed() >> (random.next() % 60)) as f64 / 4.0),
                );
                list.extend([any, few, to_bits(width, moderate)]);
            }
        }
    }
    list
}

/// The number as the sum of two doubles, which is exact for all types.
fn real(x: Number) -> Real {
    match x {
        Number::Float(x) => Real::exact(x),
        Number::Int(n) => {
            let hi = n as f64;
            Real::from(Dd { hi, lo: (n - hi as i128) as f64 })
        }
    }
}

/// To a floating-point format.
fn rounded(x: Real, width: Width, rounding: &str) -> f64 {
    let near = round(width, x);
    if !near.is_finite() && !x.value.hi.is_finite() {
        return near;
    }
    // The distance to the nearest number above, in any unit.
    let above = if near.is_infinite() { near } else { x.distance(near, 0) };
    let step = |up: bool| next(width, near, up);
    match rounding {
        "_rtp" if above < 0.0 => step(true),
        "_rtn" if above > 0.0 => step(false),
        "_rtz" if above < 0.0 && x.value.hi < 0.0 => step(true),
        "_rtz" if above > 0.0 && x.value.hi > 0.0 => step(false),
        _ => near,
    }
}

/// The next number of a format.
fn next(width: Width, x: f64, up: bool) -> f64 {
    let raw = to_bits(width, x);
    let sign = 1u64 << (8 * width.bytes() - 1);
    if x == 0.0 {
        return from_bits(width, if up { 1 } else { 1 | sign });
    }
    from_bits(width, if (x > 0.0) == up { raw + 1 } else { raw - 1 })
}

/// Result of a conversion; `None` where it is undefined.
fn convert(x: Number, to: Type, saturated: bool, rounding: &str) -> Option<Number> {
    let Type::Int { bits, signed, .. } = to else {
        let Type::Float(width) = to else { return None };
        return Some(Number::Float(rounded(real(x), width, rounding)));
    };
    let (low, high) =
        if signed { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
    match x {
        Number::Int(n) if saturated => Some(Number::Int(n.clamp(low, high))),
        Number::Int(n) => {
            let wrapped = n & ((1i128 << bits) - 1);
            Some(Number::Int(if wrapped > high { wrapped - (1i128 << bits) } else { wrapped }))
        }
        Number::Float(x) if x.is_nan() => saturated.then_some(Number::Int(0)),
        Number::Float(x) => {
            let whole = match rounding {
                "_rte" => x.round_ties_even(),
                "_rtp" => x.ceil(),
                "_rtn" => x.floor(),
                _ => x.trunc(),
            };
            // Saturates far outside the range.
            let whole = whole as i128;
            match (low..=high).contains(&whole) {
                true => Some(Number::Int(whole)),
                false => saturated.then_some(Number::Int(whole.clamp(low, high))),
            }
        }
    }
}

fn same(a: Number, b: Number) -> bool {
    match (a, b) {
        (Number::Float(a), Number::Float(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
        _ => a == b,
    }
}

/// Whether a result is right; denormal numbers may count as zeros if the device flushes them.
fn is_right(x: Number, pair: Pair, form: (bool, &str), got: Number, denormals: [bool; 3]) -> Option<bool> {
    let want = convert(x, pair.to, form.0, form.1)?;
    let flushed = |v: Number, t: Type| match (v, t) {
        (Number::Float(v), Type::Float(w)) => {
            !denormals[w as usize] && v != 0.0 && v.abs() < super::dd::ldexp(1.0, w.min_exponent())
        }
        _ => false,
    };
    let zero = |v: Number| matches!(v, Number::Float(v) if v == 0.0) || v == Number::Int(0);
    let from_zero = || {
        let any = [0.0, -0.0].map(|z| convert(Number::Float(z), pair.to, form.0, form.1));
        any.into_iter().flatten().any(|w| same(w, got))
    };
    Some(same(want, got) || (zero(got) && flushed(want, pair.to)) || (flushed(x, pair.from) && from_zero()))
}

fn measure(
    row: &mut Row,
    session: &Session<'_>,
    program: &Program<'_>,
    pair: Pair,
    denormals: [bool; 3],
    depth: Depth,
) -> Result<(), String> {
    let list = inputs(pair.from, depth);
    let forms = pair.forms();
    let bytes: Vec<u8> =
        list.iter().flat_map(|v| v.to_le_bytes().into_iter().take(pair.from.bytes())).collect();
    let size = pair.to.bytes();
    let mut results = vec![0u8; forms.len() * list.len() * size];
    let (a, r) = (session.buffer(bytes.len())?, session.buffer(results.len())?);
    session.write(&a, &bytes)?;
    let kernel = program.kernel(&pair.kernel())?;
    kernel.set(&[cl::Arg::Buffer(&a), cl::Arg::Buffer(&r)])?;
    kernel.launch(&[list.len()], None)?;
    session.read(&r, &mut results)?;
    for (form, results) in forms.into_iter().zip(results.chunks(list.len() * size)) {
        for (raw, result) in list.iter().zip(results.chunks(size)) {
            let mut wide = [0; 8];
            wide[..size].copy_from_slice(result);
            let (x, got) = (pair.from.value(*raw), pair.to.value(u64::from_le_bytes(wide)));
            let Some(good) = is_right(x, pair, form, got, denormals) else { continue };
            let operands = || format!("{}({}) of 0x{raw:x}", pair.text(form), pair.from.name());
            row.count(if good { 0.0 } else { f64::INFINITY }, good, operands, || format!("{got:?}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(name: &str) -> Type {
        TYPES.into_iter().find(|t| t.name() == name).unwrap()
    }

    #[test]
    fn integers_are_rounded_once() {
        let f = |n: i128, r| convert(Number::Int(n), Type::Float(Width::F32), false, r);
        let tie = (1i128 << 62) + (1 << 38);
        assert_eq!(f(tie, "_rte"), Some(Number::Float(2f64.powi(62))));
        assert_eq!(f(tie + 1, ""), Some(Number::Float(2f64.powi(62) + 2f64.powi(39))));
        assert_eq!(f(tie, "_rtp"), Some(Number::Float(2f64.powi(62) + 2f64.powi(39))));
        assert_eq!(f(-tie, "_rtz"), Some(Number::Float(-2f64.powi(62))));
        assert_eq!(f(-tie, "_rtn"), Some(Number::Float(-2f64.powi(62) - 2f64.powi(39))));
        let h = |x: f64, r| convert(Number::Float(x), Type::Float(Width::F16), false, r);
        assert_eq!(h(1e9, "_rtz"), Some(Number::Float(65504.0)));
        assert_eq!(h(1e9, "_rtp"), Some(Number::Float(f64::INFINITY)));
        assert_eq!(h(-1e9, "_rtp"), Some(Number::Float(-65504.0)));
        assert_eq!(h(1e-30, "_rtp"), Some(Number::Float(2f64.powi(-24))));
        assert_eq!(h(f64::INFINITY, "_rtz"), Some(Number::Float(f64::INFINITY)));
        assert_eq!(h(0.1, "_rtn"), Some(Number::Float(from_bits(Width::F16, 0x2e66))));
    }

    #[test]
    fn integers_saturate_and_wrap() {
        assert_eq!(convert(Number::Int(-1), int("uchar"), false, ""), Some(Number::Int(255)));
        assert_eq!(convert(Number::Int(-1), int("uchar"), true, ""), Some(Number::Int(0)));
        assert_eq!(convert(Number::Int(200), int("char"), false, "_rtp"), Some(Number::Int(-56)));
        assert_eq!(convert(Number::Float(2.5), int("int"), false, "_rte"), Some(Number::Int(2)));
        assert_eq!(convert(Number::Float(-0.5), int("uint"), false, "_rtn"), None);
        assert_eq!(convert(Number::Float(-0.5), int("uint"), true, "_rtn"), Some(Number::Int(0)));
        assert_eq!(convert(Number::Float(1e300), int("ulong"), true, ""), Some(Number::Int(u64::MAX.into())));
        assert_eq!(convert(Number::Float(f64::NAN), int("int"), true, ""), Some(Number::Int(0)));
    }

    #[test]
    fn wrong_results_are_found() {
        let pair = Pair { from: Type::Float(Width::F64), to: Type::Float(Width::F32), memory: false };
        let tiny = Number::Float(1e-40);
        let right =
            |got: f64, denormals| is_right(tiny, pair, (false, "_rtz"), Number::Float(got), [denormals; 3]);
        let want = f64::from(f32::from_bits((1e-40f32).to_bits() - u32::from(f64::from(1e-40f32) > 1e-40)));
        assert_eq!(right(want, true), Some(true));
        assert_eq!(right(0.0, true), Some(false));
        assert_eq!(right(0.0, false), Some(true));
        assert_eq!(right(1.0, false), Some(false));
    }
}
