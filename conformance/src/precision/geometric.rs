//! Geometric functions (section 6.15.5), on vectors of one to four components.
//!
//! Bounds are those of section 7.4: units in the last place, or for `dot` and `cross` multiples of
//! max * max * epsilon, with the largest operand. References are computed in twice the precision of `f64`,
//! scaled by the largest component.

use super::dd::{Dd, Real, exponent, ldexp, two_mul, two_sum};
use super::device::{self, Program, Session};
use super::functions::bits;
use super::inputs::{Depth, SplitMix, edges, from_bits};
use super::judge::{error, round};
use super::plan::{Line, MeasurementPlan, Row, Task};
use super::table::{MathMode, Width};
use test_support::cl;

type Vector = [f64; 4];

struct Function {
    name: &'static str,
    /// Half, single, double: a + b n units, or multiples of max * max * epsilon.
    bounds: [Option<(f64, f64)>; 3],
    absolute: bool,
    widths: &'static [usize],
    has_two_operands: bool,
    gives_vector: bool,
}

/// Number of a function's operands.
enum Operands {
    One,
    Two,
}

/// Kind of a function's result.
enum ResultKind {
    Scalar,
    Vector,
}

const fn function(
    name: &'static str,
    bounds: [Option<(f64, f64)>; 3],
    operands: Operands,
    result: ResultKind,
) -> Function {
    Function {
        name,
        bounds,
        absolute: false,
        widths: &[1, 2, 3, 4],
        has_two_operands: matches!(operands, Operands::Two),
        gives_vector: matches!(result, ResultKind::Vector),
    }
}

const FUNCTIONS: &[Function] = &[
    Function {
        widths: &[3, 4],
        absolute: true,
        ..function("cross", [Some((3.0, 0.0)); 3], Operands::Two, ResultKind::Vector)
    },
    Function { absolute: true, ..function("dot", [Some((-1.0, 2.0)); 3], Operands::Two, ResultKind::Scalar) },
    function(
        "distance",
        [Some((0.0, 2.0)), Some((2.5, 2.0)), Some((5.5, 2.0))],
        Operands::Two,
        ResultKind::Scalar,
    ),
    function(
        "length",
        [Some((0.25, 0.5)), Some((2.75, 0.5)), Some((5.5, 1.0))],
        Operands::One,
        ResultKind::Scalar,
    ),
    function(
        "normalize",
        [Some((1.0, 1.0)), Some((2.0, 1.0)), Some((4.5, 1.0))],
        Operands::One,
        ResultKind::Vector,
    ),
    function("fast_distance", [None, Some((8191.5, 2.0)), None], Operands::Two, ResultKind::Scalar),
    function("fast_length", [None, Some((8191.5, 1.0)), None], Operands::One, ResultKind::Scalar),
    function("fast_normalize", [None, Some((8192.0, 1.0)), None], Operands::One, ResultKind::Vector),
];

/// Adds a task for each function.
pub fn plan(plan: &mut MeasurementPlan<'_>, width: Width, mode: MathMode, denormals: bool, depth: Depth) {
    let functions = || FUNCTIONS.iter().filter_map(|f| Some((f, f.bounds[width as usize]?)));
    let program = plan.program(
        functions().map(|(f, _)| source(f, width)).fold(device::pragma(width).into(), |a, b| a + &b),
        mode.options(),
    );
    for (f, (a, b)) in functions() {
        let allowed = match (f.absolute, b == 0.0) {
            (true, true) => format!("{a} max² ε"),
            (true, false) => format!("({b} n - {}) max² ε", -a),
            _ => format!("{a} + {b} n ulp"),
        };
        let line = Line { name: f.name.into(), kind: width.name().into(), mode: mode.name(), allowed };
        let work = move |session: &Session<'_>, program: &Program<'_>| {
            let mut row = Row::default();
            for &n in f.widths {
                let list = inputs(f, width, n, depth);
                let results = apply(session, program, f, width, n, &list)?;
                for ((x, y), got) in list.iter().zip(&results) {
                    count(&mut row, f, n, width, denormals, mode, (x, y), got, a + b * n as f64);
                }
            }
            Ok(row)
        };
        plan.tasks.push(Task { line, program, work: Box::new(work) });
    }
}

/// Kernels `<function><n>` that apply a function to vectors stored without gaps.
fn source(f: &Function, width: Width) -> String {
    let t = width.name();
    let kernel = |&n: &usize| {
        let vector = |array: &str| {
            let parts: Vec<String> = (0..n).map(|k| format!("{array}[{n} * i + {k}]")).collect();
            if n == 1 { parts.concat() } else { format!("({t}{n})({})", parts.join(", ")) }
        };
        let operands =
            if f.has_two_operands { format!("{}, {}", vector("a"), vector("b")) } else { vector("a") };
        let store = match (f.gives_vector, n) {
            (true, 2..) => {
                let parts: String = (0..n).map(|k| format!(" r[{n} * i + {k}] = v.s{k};")).collect();
                format!("{t}{n} v = {}({operands});{parts}", f.name)
            }
            _ => format!("r[i] = {}({operands});", f.name),
        };
        format!(
            "__kernel void {}{n}(__global const {t} *a, __global const {t} *b, __global {t} *r)\n{{\n    \
             size_t i = get_global_id(0);\n    {store}\n}}\n",
            f.name
        )
    };
    f.widths.iter().map(kernel).collect()
}

fn inputs(f: &Function, width: Width, n: usize, depth: Depth) -> Vec<(Vector, Vector)> {
    let samples = match depth {
        Depth::Quick => 300,
        Depth::Normal => 20_000,
        Depth::Full => 500_000,
    };
    let fit = |x| round(width, Real::exact(x));
    let edges = edges(width);
    let mut random = SplitMix::new(n as u64 + f.name.len() as u64 * 8);
    let top = width.max_exponent();
    let vector = |kind: u64, random: &mut SplitMix| {
        let mut v = [0.0; 4];
        // Some components are far smaller than others.
        let (low, high) = match kind {
            0 => (-4, 4),
            1 => (-top, top),
            2 => (top - 4, top),
            _ => (-top - width.precision(), -top + 8),
        };
        for x in &mut v[..n] {
            *x = match kind {
                4 => from_bits(width, random.next()),
                5 => edges[random.next() as usize % edges.len()],
                _ => fit(random.scaled(low, high)),
            };
        }
        v
    };
    let list = (0..samples).map(|_| {
        let x = vector(random.next() % 6, &mut random);
        let kind = random.next() % 8;
        let y = match kind {
            // Close to the first operand.
            6 | 7 => x.map(|x| fit(x * (1.0 + random.scaled(-width.precision() - 2, -1)))),
            _ => vector(kind, &mut random),
        };
        (x, y)
    });
    list.collect()
}

fn apply(
    session: &Session<'_>,
    program: &Program<'_>,
    f: &Function,
    width: Width,
    n: usize,
    list: &[(Vector, Vector)],
) -> Result<Vec<Vector>, String> {
    let flat = |y: bool| {
        device::pack(width, list.iter().flat_map(move |v| if y { v.1 } else { v.0 }.into_iter().take(n)))
    };
    let (a, b) = (flat(false), flat(true));
    let out = if f.gives_vector { n } else { 1 };
    let mut bytes = vec![0u8; list.len() * out * width.bytes()];
    let (x, y, r) = (session.buffer(a.len())?, session.buffer(b.len())?, session.buffer(bytes.len())?);
    session.write(&x, &a)?;
    session.write(&y, &b)?;
    let kernel = program.kernel(&format!("{}{n}", f.name))?;
    kernel.set(&[cl::Arg::Buffer(&x), cl::Arg::Buffer(&y), cl::Arg::Buffer(&r)])?;
    kernel.launch(&[list.len()], None)?;
    session.read(&r, &mut bytes)?;
    let result = |i: usize| {
        std::array::from_fn(|k| if k < out { device::unpack(width, &bytes, i * out + k) } else { 0.0 })
    };
    Ok((0..list.len()).map(result).collect())
}

fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |a, b| b.abs().max(a))
}

/// The vector divided by 2^e, and its length.
fn length_of(v: &[Dd], e: i32) -> (Vec<Dd>, Dd) {
    let part = |x: Dd| Dd { hi: ldexp(x.hi, -e), lo: ldexp(x.lo, -e) };
    let v: Vec<Dd> = v.iter().map(|x| part(*x)).collect();
    let sum = v.iter().fold(Dd::from(0.0), |a, b| a + b.square());
    (v, sum.sqrt())
}

/// Expected result; `None` where it is undefined. `simple` forms may overflow and underflow in their squares:
/// the fast ones, and all of them where edge cases do not count.
fn answer(f: &Function, n: usize, width: Width, simple: bool, x: &Vector, y: &Vector) -> Option<Vec<Real>> {
    let (x, y) = (&x[..n], &y[..n]);
    let exact = |v: &[f64]| v.iter().map(|x| Dd::from(*x)).collect::<Vec<_>>();
    let finite = x.iter().chain(if f.has_two_operands { y } else { &[] }).all(|v| v.is_finite());
    let max = ldexp(1.0, width.max_exponent());
    if f.absolute {
        let most = largest(x).max(largest(y));
        // Sums of products overflow.
        if !finite || most * most * 8.0 >= max {
            return None;
        }
        let product = |a: f64, b: f64| two_mul(a, b);
        if f.name == "dot" {
            return Some(vec![x.iter().zip(y).fold(Dd::from(0.0), |s, (a, b)| s + product(*a, *b)).into()]);
        }
        let component = |i: usize, j: usize| (product(x[i], y[j]) - product(x[j], y[i])).into();
        let mut all = vec![component(1, 2), component(2, 0), component(0, 1)];
        all.resize(n, Real::exact(0.0));
        return Some(all);
    }
    let v = match f.name {
        "distance" | "fast_distance" if !finite => return None,
        // Halves, so that the difference does not overflow.
        "distance" | "fast_distance" => x.iter().zip(y).map(|(a, b)| two_sum(a * 0.5, b * -0.5)).collect(),
        "normalize" if x.iter().any(|v| v.is_nan()) => return Some(vec![Real::exact(f64::NAN); n]),
        // An infinite component decides the result.
        "normalize" if !finite => x
            .iter()
            .map(|v| Dd::from(if v.is_infinite() { 1.0f64.copysign(*v) } else { 0.0f64.copysign(*v) }))
            .collect(),
        _ if x.iter().any(|v| v.is_nan()) && x.iter().any(|v| v.is_infinite()) => return None,
        "length" if x.iter().any(|v| v.is_nan()) => return Some(vec![Real::exact(f64::NAN)]),
        "length" if !finite => return Some(vec![Real::exact(f64::INFINITY)]),
        _ if !finite => return None,
        _ => exact(x),
    };
    let parts: Vec<f64> = v.iter().map(|v| v.hi).collect();
    let most = largest(&parts);
    let reach = ldexp(1.0, width.max_exponent() / 2 - 8);
    let moderate = |v: &f64| *v == 0.0 || (1.0 / reach..reach).contains(&v.abs());
    if (simple || f.name.starts_with("fast")) && !parts.iter().chain(x).chain(y).all(moderate) {
        return None;
    }
    if most == 0.0 {
        return Some(if f.gives_vector {
            parts.into_iter().map(Real::exact).collect()
        } else {
            vec![Real::exact(0.0)]
        });
    }
    let e = exponent(most);
    let (v, length) = length_of(&v, e);
    Some(match f.gives_vector {
        true => v.into_iter().map(|v| (v / length).into()).collect(),
        false => vec![Real { value: length, exp: e + i32::from(f.has_two_operands) }],
    })
}

/// The largest error of the components, in units or multiples of max * max * epsilon; `None` if none is
/// defined.
fn worst(
    f: &Function,
    n: usize,
    width: Width,
    (flush, simple): (bool, bool),
    (x, y): (&Vector, &Vector),
    got: &Vector,
) -> Option<f64> {
    let wanted = answer(f, n, width, simple, x, y)?;
    let most = largest(&x[..n]).max(largest(&y[..n]));
    let smallest = ldexp(1.0, width.min_exponent());
    let mut worst = 0.0f64;
    for (want, got) in wanted.iter().zip(got) {
        let e = if f.absolute {
            let eps = ldexp(1.0, 1 - width.precision());
            // Each operation may lose bits below the format's smallest number.
            let lost = if flush { 2.0 * n as f64 * smallest } else { n as f64 * smallest * eps };
            let missed = (want.distance(*got, 0).abs() - lost).max(0.0);
            if missed == 0.0 { 0.0 } else { missed / (most * most) / eps }
        } else if flush && *got == 0.0 && round(width, *want).abs() <= smallest {
            0.0
        } else {
            error(width, *got, *want, false)
        };
        worst = worst.max(if e.is_nan() { f64::INFINITY } else { e });
    }
    Some(worst)
}

#[allow(clippy::too_many_arguments)] // one level of the loop above
fn count(
    row: &mut Row,
    f: &Function,
    n: usize,
    width: Width,
    denormals: bool,
    mode: MathMode,
    (x, y): (&Vector, &Vector),
    got: &Vector,
    bound: f64,
) {
    let relaxed = mode == MathMode::Relaxed;
    let flush = !denormals || relaxed;
    let operands = || x[..n].iter().chain(if f.has_two_operands { &y[..n] } else { &[] });
    // Halves are computed in single precision, whose range suffices.
    let how = (flush, relaxed && width != Width::F16);
    let Some(mut error) = worst(f, n, width, how, (x, y), got) else { return };
    if relaxed && !operands().all(|v| v.is_finite()) {
        return;
    }
    let smallest = ldexp(1.0, width.min_exponent());
    let flushed = |v: &Vector| v.map(|v| if v.abs() < smallest { 0.0 } else { v });
    // Denormal operands may count as zeros, and so may denormal components of the difference in a distance.
    let difference = |x: &Vector, y: &Vector| flushed(&std::array::from_fn(|i| x[i] - y[i]));
    let mut others = Vec::new();
    if flush && operands().any(|v| *v != 0.0 && v.abs() < smallest) {
        others.push((flushed(x), flushed(y)));
    }
    if flush && f.has_two_operands && f.name.contains("distance") {
        others.extend([(difference(x, y), [0.0; 4]), (difference(&flushed(x), &flushed(y)), [0.0; 4])]);
    }
    for (x, y) in &others {
        if error > bound {
            let Some(other) = worst(f, n, width, how, (x, y), got) else { return };
            error = error.min(other);
        }
    }
    let list =
        |v: &[f64]| v.iter().map(|v| format!("{} ({v:e})", bits(width, *v))).collect::<Vec<_>>().join(", ");
    let operands = || {
        let text = format!("({})", list(&x[..n]));
        if f.has_two_operands { format!("{text}, ({})", list(&y[..n])) } else { text }
    };
    row.count(error, error <= bound, operands, || list(if f.gives_vector { &got[..n] } else { &got[..1] }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(name: &str) -> &'static Function {
        FUNCTIONS.iter().find(|f| f.name == name).unwrap()
    }
    fn value(name: &str, n: usize, x: Vector, y: Vector) -> Vec<f64> {
        answer(find(name), n, Width::F64, false, &x, &y).unwrap().into_iter().map(Real::approx).collect()
    }

    #[test]
    fn references_are_right() {
        let zero = [0.0; 4];
        assert_eq!(value("dot", 3, [1.0, 2.0, 3.0, 9.0], [4.0, 5.0, 6.0, 9.0]), [32.0]);
        assert_eq!(value("cross", 4, [1.0, 0.0, 0.0, 9.0], [0.0, 1.0, 0.0, 9.0]), [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(value("length", 2, [3e-320, 4e-320, 0.0, 0.0], zero)[0], 5e-320);
        assert_eq!(value("length", 2, [3e300, 4e300, 0.0, 0.0], zero), [5e300]);
        assert_eq!(
            value("distance", 1, [f64::MAX, 0.0, 0.0, 0.0], [-f64::MAX, 0.0, 0.0, 0.0]),
            [f64::INFINITY]
        );
        assert_eq!(value("distance", 2, [4.0, 5.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]), [5.0]);
        assert_eq!(value("normalize", 2, [3.0, -4.0, 0.0, 0.0], zero), [0.6, -0.8]);
        assert_eq!(value("normalize", 2, [f64::INFINITY, 1.0, 0.0, 0.0], zero), [1.0, 0.0]);
        assert_eq!(value("normalize", 2, zero, zero), [0.0, 0.0]);
        assert!(value("normalize", 2, [f64::NAN, 1.0, 0.0, 0.0], zero)[0].is_nan());
    }

    #[test]
    fn wrong_results_are_found() {
        let check = |name, x, got| {
            let mut row = Row::default();
            count(
                &mut row,
                find(name),
                2,
                Width::F32,
                true,
                MathMode::Default,
                (&x, &[1.0, 1.0, 0.0, 0.0]),
                &got,
                4.75,
            );
            row.wrong
        };
        let x = [3.0, 4.0, 0.0, 0.0];
        assert_eq!(check("length", x, [5.0, 0.0, 0.0, 0.0]), 0);
        assert_eq!(check("length", x, [5.000_01, 0.0, 0.0, 0.0]), 1);
        assert_eq!(check("normalize", x, [0.6, 0.800_001, 0.0, 0.0]), 1);
        assert_eq!(check("normalize", x, [f64::from(0.6f32), f64::from(0.8f32), 0.0, 0.0]), 0);
        assert_eq!(check("dot", x, [7.0, 0.0, 0.0, 0.0]), 0);
        assert_eq!(check("dot", x, [7.0001, 0.0, 0.0, 0.0]), 1);
    }

    #[test]
    fn distances_of_flushed_operands_and_differences_are_right() {
        let b = |bits: u32| f64::from(f32::from_bits(bits));
        let x = [b(0x0195_bf07), b(0x83c0_043f), b(0x8000_000b), 0.0];
        let y = [b(0x01a4_2397), b(0x004d_6cb9), b(0x0000_0007), 0.0];
        let wrong = |keeps, got| {
            let mut row = Row::default();
            count(
                &mut row,
                find("distance"),
                3,
                Width::F32,
                keeps,
                MathMode::Default,
                (&x, &y),
                &[got, 0.0, 0.0, 0.0],
                8.5,
            );
            row.wrong
        };
        // The first components' difference and the second one's subtrahend are denormal.
        assert_eq!(wrong(false, b(0x03c0_043f)), 0);
        assert_eq!(wrong(true, b(0x03c0_043f)), 1);
    }
}
