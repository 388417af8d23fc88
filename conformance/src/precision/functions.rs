//! Tasks for the functions of the table.

use super::device;
use super::inputs::{self, Depth};
use super::judge::{self, Got, Rules};
use super::plan::{Line, MeasurementPlan, Row, Task};
use super::reference::Args;
use super::table::{Bound, FunctionSpec, MathMode, Shape, Width};

/// Rules by which results of a function are compared.
pub fn rules(entry: &FunctionSpec, width: Width, mode: MathMode, denormals: bool) -> Rules {
    let relaxed = mode == MathMode::Relaxed;
    Rules { width, flush: !denormals || relaxed || entry.name.starts_with("half_"), finite_only: relaxed }
}

/// Adds a task for each function of a list that has a bound.
pub fn plan<'t>(
    plan: &mut MeasurementPlan<'t>,
    entries: &[(usize, &'t FunctionSpec)],
    width: Width,
    mode: MathMode,
    denormals: bool,
    depth: Depth,
) {
    if entries.is_empty() {
        return;
    }
    let program = plan.program(device::source(entries, width), mode.options());
    for &(index, entry) in entries {
        let bound = entry.bound(width, mode);
        let rules = rules(entry, width, mode, denormals);
        let line = Line {
            name: entry.name.into(),
            kind: width.name().into(),
            mode: mode.name(),
            allowed: bound.text(),
        };
        let work = move |session: &device::Session<'_>, program: &device::Program<'_>| {
            let mut row = Row::default();
            inputs::generate(entry.name, entry.shape, width, depth, |list| {
                let results = device::apply(session, program, (index, entry.shape), width, list)?;
                for (a, got) in list.iter().zip(results) {
                    count(&mut row, entry, rules, bound, a, got);
                }
                Ok(())
            })?;
            Ok(row)
        };
        plan.tasks.push(Task { line, program, work: Box::new(work) });
    }
}

/// Judges a result and counts it.
pub fn count(row: &mut Row, entry: &FunctionSpec, rules: Rules, bound: Bound, a: &Args, got: Got) {
    let Some(verdict) = judge::judge(entry, rules, bound, a, got) else { return };
    // Units in the last place do not apply to an absolute bound.
    let absolute = matches!(bound, Bound::Special(rule, _) if matches!(rule(a), Bound::Abs(_) | Bound::Any))
        && verdict.good;
    let results = || {
        format!(
            "{} ({:e}), second {:e}, int {}",
            bits(rules.width, got.value),
            got.value,
            got.second,
            got.int
        )
    };
    row.count(
        if absolute { 0.0 } else { verdict.ulp },
        verdict.good,
        || operands(entry.shape, rules.width, a),
        results,
    );
}

/// A number with its bits.
pub fn bits(width: Width, x: f64) -> String {
    format!("0x{:0digits$x}", inputs::to_bits(width, x), digits = 2 * width.bytes())
}

fn operands(shape: Shape, width: Width, a: &Args) -> String {
    let b = |x| format!("{} ({x:e})", bits(width, x));
    match shape {
        Shape::F2 | Shape::Remquo => format!("{}, {}", b(a.x), b(a.y)),
        Shape::F3 => format!("{}, {}, {}", b(a.x), b(a.y), b(a.z)),
        Shape::FI => format!("{}, {}", b(a.x), a.n),
        Shape::OfInt => a.n.to_string(),
        _ => b(a.x),
    }
}
