//! Every float: functions of one single-precision operand, applied to all of its 2^32 values.
//!
//! Kernels make the operands from their ids, so that only results are transferred. A reference value is
//! computed once for all forms of a function (default and relaxed, `half_` and `native_`), and for both signs
//! if the function is odd or even. Results within their bound are accepted in a few instructions;
//! [`super::judge`] decides all others.

use super::device::{self, Api, Device, PATTERNS, Program, Session};
use super::functions;
use super::judge::Got;
use super::plan::{Row, spread};
use super::reference::{self, Answer, Args};
use super::table::{Bound, FunctionSpec, MathMode, Shape, Width};
use std::sync::Mutex;
use test_support::cl;

/// A function in one mode.
#[derive(Clone, Copy)]
pub struct Form<'t> {
    pub index: usize,
    pub entry: &'t FunctionSpec,
    pub mode: MathMode,
    pub denormals: bool,
}

/// Whether a function is swept.
pub fn is_swept(entry: &FunctionSpec) -> bool {
    matches!(entry.shape, Shape::F1 | Shape::ToInt | Shape::Second | Shape::SecondInt)
}

/// The sign of f(-x) / f(x), if it is constant.
fn symmetry(name: &str) -> Option<f64> {
    match name {
        "cos" | "cosh" | "cospi" | "fabs" | "logb" => Some(1.0),
        "asin" | "asinh" | "asinpi" | "atan" | "atanh" | "atanpi" | "cbrt" | "sin" | "sinh" | "sinpi"
        | "tan" | "tanh" | "tanpi" | "erf" | "degrees" | "radians" | "recip" | "1 / x" | "trunc" | "rint"
        | "round" => Some(-1.0),
        _ => None,
    }
}

/// Reference values of one launch.
enum Wanted {
    Values(Vec<f64>),
    Answers(Vec<Answer>),
}

fn operand(first: u32, i: usize) -> f64 {
    let bits = (first + (i as u32 & (PATTERNS - 1))) | u32::from(i as u32 & PATTERNS != 0) << 31;
    f64::from(f32::from_bits(bits))
}

fn wanted(name: &str, first: u32) -> Result<Wanted, String> {
    let half = PATTERNS as usize;
    if let Some((narrow, _)) = reference::one(name) {
        let mut values: Vec<f64> = (0..half).map(|i| narrow(operand(first, i))).collect();
        match symmetry(name) {
            Some(sign) => {
                values.extend_from_within(..);
                values[half..].iter_mut().for_each(|v| *v *= sign);
            }
            None => values.extend((half..2 * half).map(|i| narrow(operand(first, i)))),
        }
        return Ok(Wanted::Values(values));
    }
    let answer = reference::single(name).ok_or_else(|| format!("{name} has no reference for loops"))?;
    Ok(Wanted::Answers((0..2 * half).map(|i| answer(operand(first, i))).collect()))
}

/// Error of a result that is certainly within its bound; `None` if [`super::judge`] must decide. Prescribed
/// results are left to the other samples, which contain all operands concerned.
fn quick(bound: Bound, x: f64, want: f64, got: f64) -> Option<f64> {
    const MAX: f64 = f32::MAX as f64;
    const NORMAL: f64 = f32::MIN_POSITIVE as f64;
    let size = want.abs();
    if !(NORMAL..=MAX).contains(&size) || !got.is_finite() {
        // Overflow, or a result that rounds to zero.
        let special = (got == want && want != 0.0)
            || (got.is_nan() && want.is_nan())
            || (size > 2.0 * MAX && got.is_infinite() && got * want > 0.0)
            || (got == 0.0 && size < 0.25 * 1.4e-45 && got.is_sign_negative() == want.is_sign_negative());
        return special.then_some(0.0);
    }
    // 2^(23 - e) for a number between 2^e and 2^(e + 1)
    let scale = f64::from_bits(((2 * 1023 + 23) << 52) - (want.to_bits() & 0x7ff << 52));
    let ulp = (got - want).abs() * scale;
    match bound {
        Bound::Exact => (got == f64::from(want as f32)).then_some(0.0),
        Bound::Ulp(most) => (ulp <= most).then_some(ulp),
        Bound::Any => Some(ulp),
        Bound::Special(rule, _) => match rule(&Args { x, y: 0.0, z: 0.0, n: 0 }) {
            Bound::Ulp(most) => (ulp <= most).then_some(ulp),
            // Units in the last place do not apply to an absolute bound.
            Bound::Abs(most) => ((got - want).abs() <= most).then_some(0.0),
            _ => Some(0.0),
        },
        _ => None,
    }
}

/// Result of one launch.
#[derive(Default)]
struct Results {
    value: Vec<f32>,
    second: Vec<f32>,
    int: Vec<i32>,
}

fn judge(row: &mut Row, form: &Form<'_>, first: u32, wanted: &Wanted, results: &Results) {
    let entry = form.entry;
    let rules = functions::rules(entry, Width::F32, form.mode, form.denormals);
    let bound = entry.bound(Width::F32, form.mode);
    let mut fine = 0;
    let (mut worst, mut worst_at) = (row.worst, usize::MAX);
    for i in 0..2 * PATTERNS as usize {
        let x = operand(first, i);
        let at = |list: &[f32]| list.get(i).map_or(0.0, |v| f64::from(*v));
        let got = Got {
            value: at(&results.value),
            second: at(&results.second),
            int: results.int.get(i).copied().unwrap_or(0),
        };
        let a = Args { x, y: 0.0, z: 0.0, n: 0 };
        let want = match wanted {
            Wanted::Values(values) => values[i],
            Wanted::Answers(answers) => answers[i].value.value.hi,
        };
        // Results that are not finite are not bounded.
        if rules.finite_only && !(x.is_finite() && want.abs() <= f64::from(f32::MAX)) {
            continue;
        }
        let mut ulp = if entry.domain.is_some() { None } else { quick(bound, x, want, got.value) };
        if let Wanted::Answers(answers) = wanted {
            let answer = &answers[i];
            if entry.shape == Shape::ToInt {
                ulp = Some(0.0);
            }
            if let (Some(most), Some(second)) = (ulp, answer.second) {
                ulp = quick(bound, x, second.value.hi, got.second).map(|u| u.max(most));
            }
            if answer.int.is_some_and(|n| n != got.int) {
                ulp = None;
            }
        }
        match ulp {
            Some(ulp) => {
                fine += 1;
                if ulp > worst {
                    (worst, worst_at) = (ulp, i);
                }
            }
            None => functions::count(row, entry, rules, bound, &a, got),
        }
    }
    row.tried += fine;
    if worst_at != usize::MAX && worst > row.worst {
        let x = operand(first, worst_at);
        (row.worst, row.worst_at) = (worst, format!("{} ({x:e})", functions::bits(Width::F32, x)));
    }
}

/// Applies every form to every float; `done` is called for each form when it is complete.
pub fn run(
    api: &Api,
    device: &Device,
    jobs: usize,
    forms: &[Form<'_>],
    done: impl Fn(usize, &Row) + Sync,
) -> Result<Vec<Row>, String> {
    // Forms of one function are adjacent.
    let mut groups: Vec<(&str, Vec<usize>)> = Vec::new();
    for (i, form) in forms.iter().enumerate() {
        let stem = reference::stem(form.entry.name);
        match groups.iter_mut().find(|(name, _)| *name == stem) {
            Some((_, members)) => members.push(i),
            None => groups.push((stem, vec![i])),
        }
    }
    let launches = ((1u64 << 31) / u64::from(PATTERNS)) as usize;
    let rows = Mutex::new((vec![Row::default(); forms.len()], vec![0; groups.len()]));
    spread(jobs, groups.len() * launches, |indices| {
        let session = Session::new(api, device)?;
        let mut programs: Vec<(MathMode, Program<'_>)> = Vec::new();
        for mode in [MathMode::Default, MathMode::Rounded, MathMode::Relaxed] {
            let of_mode: Vec<(usize, &FunctionSpec)> =
                forms.iter().filter(|f| f.mode == mode).map(|f| (f.index, f.entry)).collect();
            if !of_mode.is_empty() {
                programs.push((mode, session.build(&device::source_of_patterns(&of_mode), mode.options())?));
            }
        }
        let most = groups.iter().map(|(_, members)| members.len()).max().unwrap_or(0);
        let count = 2 * PATTERNS as usize;
        let mut room = Vec::new();
        for _ in 0..most {
            room.push([session.buffer(4 * count)?, session.buffer(4 * count)?, session.buffer(4 * count)?]);
        }
        let mut results = Results::default();
        let mut kernels: (usize, Vec<cl::Kernel<'_>>) = (usize::MAX, Vec::new());
        for index in indices {
            let (group, first) = (index / launches, (index % launches) as u32 * PATTERNS);
            let (name, members) = &groups[group];
            if kernels.0 != group {
                kernels = (group, Vec::new());
                for &member in members {
                    let form = &forms[member];
                    let program = programs.iter().find(|(mode, _)| *mode == form.mode).ok_or("no program")?;
                    kernels.1.push(program.1.kernel(&format!("k{}", form.index))?);
                }
            }
            for (kernel, [r, s, q]) in kernels.1.iter().zip(&room) {
                kernel.set(&[
                    cl::Arg::U32(first),
                    cl::Arg::Buffer(r),
                    cl::Arg::Buffer(s),
                    cl::Arg::Buffer(q),
                ])?;
                kernel.launch(&[count], None)?;
            }
            session.flush()?;
            let wanted = wanted(name, first)?;
            for (&member, [r, s, q]) in members.iter().zip(&room) {
                let [has_value, has_second, has_int] = forms[member].entry.shape.results();
                let size = |wanted: bool| if wanted { count } else { 0 };
                results.value.resize(size(has_value), 0.0);
                results.second.resize(size(has_second), 0.0);
                results.int.resize(size(has_int), 0);
                if has_value {
                    session.read(r, &mut results.value)?;
                }
                if has_second {
                    session.read(s, &mut results.second)?;
                }
                if has_int {
                    session.read(q, &mut results.int)?;
                }
                let mut row = Row::default();
                judge(&mut row, &forms[member], first, &wanted, &results);
                rows.lock().map_err(|e| e.to_string())?.0[member].add(row);
            }
            let mut rows = rows.lock().map_err(|e| e.to_string())?;
            rows.1[group] += 1;
            if rows.1[group] == launches {
                members.iter().for_each(|&member| done(member, &rows.0[member]));
            }
        }
        Ok(())
    })?;
    Ok(rows.into_inner().map_err(|e| e.to_string())?.0)
}

#[cfg(test)]
mod tests {
    use super::super::judge;
    use super::super::table::TABLE;
    use super::*;

    fn entry(name: &str) -> &'static FunctionSpec {
        TABLE.iter().find(|e| e.name == name).unwrap()
    }

    #[test]
    fn operands_have_both_signs() {
        assert_eq!(operand(0x3f80_0000, 0), 1.0);
        assert_eq!(operand(0x3f80_0000, PATTERNS as usize), -1.0);
        assert_eq!(operand(0x3f80_0000, 1), f64::from(1.0f32.next_up()));
    }

    #[test]
    fn references_of_both_signs_agree() {
        for entry in TABLE.iter().filter(|e| symmetry(e.name).is_some()) {
            for first in [0, 0x3f80_0000, 0x4280_0000] {
                let Ok(Wanted::Values(values)) = wanted(entry.name, first) else { panic!("{}", entry.name) };
                for i in (0..values.len()).step_by(4099) {
                    let a = Args { x: operand(first, i), y: 0.0, z: 0.0, n: 0 };
                    let want = reference::answer(entry.name, Width::F32, &a).unwrap().value.approx();
                    let same = want.to_bits() == values[i].to_bits() || (want.is_nan() && values[i].is_nan());
                    assert!(same, "{} of {}: {want} and {}", entry.name, a.x, values[i]);
                }
            }
        }
    }

    /// Results that the quick check accepts pass the full check.
    #[test]
    fn quick_judgements_are_right() {
        let mut quickly = 0;
        for entry in TABLE.iter().filter(|e| e.shape == Shape::F1 && e.domain.is_none()) {
            for mode in [MathMode::Default, MathMode::Relaxed] {
                let rules = functions::rules(entry, Width::F32, mode, true);
                let bound = entry.bound(Width::F32, mode);
                for i in 0..4000u32 {
                    let x = f64::from(f32::from_bits(i.wrapping_mul(0x9e37_79b1)));
                    let a = Args { x, y: 0.0, z: 0.0, n: 0 };
                    if judge::is_prescribed(entry.name, &a) {
                        continue;
                    }
                    let want = reference::answer(entry.name, Width::F32, &a).unwrap().value.approx();
                    let near = want as f32;
                    for got in [
                        near,
                        near.next_up(),
                        near.next_down(),
                        near * 1.00001,
                        0.0,
                        -0.0,
                        1.0,
                        f32::INFINITY,
                        f32::NAN,
                    ] {
                        let Some(ulp) = quick(bound, x, want, f64::from(got)) else { continue };
                        let got = Got { value: f64::from(got), second: 0.0, int: 0 };
                        let verdict = judge::judge(entry, rules, bound, &a, got);
                        if let Some(verdict) = verdict {
                            quickly += 1;
                            assert!(verdict.good, "{} {mode:?} of {x:e}: {got:?}", entry.name);
                            assert!(
                                ulp == 0.0 || (ulp - verdict.ulp).abs() < 1e-9,
                                "{}: {ulp} {verdict:?}",
                                entry.name
                            );
                        }
                    }
                }
            }
        }
        assert!(quickly > 100_000);
    }

    #[test]
    fn wrong_results_are_counted() {
        let form = Form { index: 0, entry: entry("exp"), mode: MathMode::Default, denormals: true };
        let first = 0x3f80_0000;
        let wanted = wanted("exp", first).unwrap();
        let mut results = Results {
            value: (0..2 * PATTERNS as usize).map(|i| operand(first, i).exp() as f32).collect(),
            ..Default::default()
        };
        let mut row = Row::default();
        super::judge(&mut row, &form, first, &wanted, &results);
        assert_eq!((row.tried, row.wrong), (2 * u64::from(PATTERNS), 0));
        assert!(row.worst > 0.4 && row.worst <= 0.5);
        results.value[77] = results.value[77].next_up().next_up().next_up().next_up();
        let mut row = Row::default();
        super::judge(&mut row, &form, first, &wanted, &results);
        assert_eq!(row.wrong, 1);
        assert!(row.worst > 3.0);
    }
}
