//! `precision`: measures the largest error of every mathematical function on an OpenCL device and compares it
//! with the bounds of section 7.4 of the OpenCL C specification. Special values of C99 Annex F must be exact.
//!
//! The result is a Markdown table; the exit status is 1 when a bound is exceeded. One-operand functions are
//! tried with every half, and with `--full` with every float. All others are tried with edge cases, their
//! combinations and samples spread over all bit patterns.
//!
//! `table` holds the bounds, `reference` (with `wide` and `dd`) the exact values, `judge` the errors,
//! `inputs` the operands, `device` the kernels, `plan` the threads. `functions` measures the functions of the
//! table, `sweep` every float, `geometric` and `conversions` the functions that their names say.

mod conversions;
mod dd;
mod device;
mod functions;
mod geometric;
mod inputs;
mod judge;
mod plan;
mod reference;
mod sweep;
mod table;
mod wide;

use device::{Api, Device, FormatSupport, Session};
use inputs::Depth;
use plan::{Line, MeasurementPlan, Row};
use std::fmt::Write;
use table::{Bound, FunctionSpec, MathMode, TABLE, Width};

/// Arguments of `precision`.
#[derive(clap::Args)]
pub struct PrecisionArgs {
    /// Device, counted over all platforms
    #[arg(long, default_value_t = 0)]
    device: usize,
    /// A few seconds: edge cases and few samples
    #[arg(long)]
    quick: bool,
    /// Every float for functions of one operand, and fifty times the samples
    #[arg(long, conflicts_with = "quick")]
    full: bool,
    /// Only these functions, separated by commas; a..b are those from a to b in the order of the table;
    /// "geometric", "conversions"
    #[arg(long, value_delimiter = ',')]
    functions: Vec<String>,
    /// Only these types, separated by commas: half, float, double
    #[arg(long, value_delimiter = ',')]
    types: Vec<String>,
    /// Only these modes, separated by commas: default, fast-relaxed, "correctly rounded"
    #[arg(long, value_delimiter = ',')]
    modes: Vec<String>,
    /// Threads, each with a queue of its own; as many as processors by default
    #[arg(long)]
    jobs: Option<usize>,
    /// File for the table, besides standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<std::path::PathBuf>,
}

/// The selected functions, types and modes.
struct Chosen {
    functions: Vec<bool>,
    geometric: bool,
    conversions: bool,
}

/// The selected functions of the table; an error if a name is unknown.
fn chosen(list: &[String]) -> Result<Chosen, String> {
    let all = list.is_empty();
    let mut chosen = Chosen { functions: vec![all; TABLE.len()], geometric: all, conversions: all };
    let find = |name: &str| {
        TABLE.iter().position(|e| e.name == name).ok_or_else(|| format!("no function is called {name}"))
    };
    for item in list {
        match item.as_str() {
            "geometric" => chosen.geometric = true,
            "conversions" => chosen.conversions = true,
            _ => {
                let (first, last) = item.split_once("..").unwrap_or((item, item));
                let (first, last) = (find(first)?, find(last)?);
                let range = chosen.functions.get_mut(first..=last);
                range.ok_or_else(|| format!("{item} is in the wrong order"))?.fill(true);
            }
        }
    }
    Ok(chosen)
}

/// Measures the functions. Returns false if a bound is exceeded.
pub fn run(arguments: &PrecisionArgs) -> Result<bool, String> {
    let api = Api::load()?;
    let devices = api.devices()?;
    let device =
        devices.get(arguments.device).ok_or_else(|| format!("there are {} devices", devices.len()))?;
    let wanted = chosen(&arguments.functions)?;
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let jobs = arguments.jobs.unwrap_or(processors).clamp(1, 256);
    let extensions = Session::new(&api, device)?.extensions();
    let among = |list: &[String], name: &str| list.is_empty() || list.iter().any(|n| n == name);
    let depth = match (arguments.quick, arguments.full) {
        (true, _) => Depth::Quick,
        (_, true) => Depth::Full,
        _ => Depth::Normal,
    };
    let formats = Width::ALL.map(|w| (w, device::format(&api, device, &extensions, w)));
    let mut plan = MeasurementPlan::default();
    // The task of each form that is tried with every float.
    let (mut forms, mut tasks) = (Vec::new(), Vec::new());
    for (width, format) in formats {
        if !format.available || !among(&arguments.types, width.name()) {
            continue;
        }
        for mode in [MathMode::Default, MathMode::Rounded, MathMode::Relaxed] {
            if !among(&arguments.modes, mode.name()) || (mode == MathMode::Rounded && !format.rounded) {
                continue;
            }
            let entries: Vec<(usize, &FunctionSpec)> = TABLE
                .iter()
                .enumerate()
                .filter(|(i, e)| !matches!(e.bound(width, mode), Bound::None) && wanted.functions[*i])
                .collect();
            for (i, &(index, entry)) in entries.iter().enumerate() {
                if depth == Depth::Full && width == Width::F32 && sweep::is_swept(entry) {
                    forms.push(sweep::Form { index, entry, mode, denormals: format.denormals });
                    tasks.push(plan.tasks.len() + i);
                }
            }
            functions::plan(&mut plan, &entries, width, mode, format.denormals, depth);
            if wanted.geometric && mode != MathMode::Rounded {
                geometric::plan(&mut plan, width, mode, format.denormals, depth);
            }
        }
    }
    if wanted.conversions && among(&arguments.modes, MathMode::Default.name()) {
        conversions::plan(&mut plan, &formats.map(|(_, format)| format), depth);
    }
    let reported = |line: &Line, row: &Row| eprintln!("{}", show(line, row));
    let mut rows = plan.run(&api, device, jobs, reported)?;
    let swept =
        sweep::run(&api, device, jobs, &forms, |form, row| reported(&plan.tasks[tasks[form]].line, row))?;
    for (task, row) in tasks.into_iter().zip(swept) {
        rows[task].add(row);
    }
    let mut text = heading(device, depth, &formats);
    for (task, row) in plan.tasks.iter().zip(&rows) {
        let _ = writeln!(text, "{}", show(&task.line, row));
    }
    let wrong: Vec<_> = plan
        .tasks
        .iter()
        .zip(&rows)
        .filter_map(|(task, row)| Some((&task.line, row.wrong_at.as_ref()?)))
        .collect();
    let _ = writeln!(text, "\n{} functions measured, {} outside their bounds.", rows.len(), wrong.len());
    for (line, at) in &wrong {
        let _ = writeln!(text, "* {} {} {}: {at}", line.name, line.kind, line.mode);
    }
    println!("{text}");
    if let Some(path) = &arguments.output {
        std::fs::write(path, &text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    if rows.is_empty() { Err("nothing was measured".into()) } else { Ok(wrong.is_empty()) }
}

/// Measures; returns the functions outside their bounds.
pub type Measure<'a> = &'a mut dyn FnMut() -> Result<Option<String>, String>;

/// Passes every measurement of a device to `visit`, in one thread. Programs are built at their first use.
pub fn each(
    api: &Api,
    device: &Device,
    quick: bool,
    visit: &mut dyn FnMut(&str, Measure<'_>),
) -> Result<(), String> {
    let session = Session::new(api, device)?;
    let extensions = session.extensions();
    let depth = if quick { Depth::Quick } else { Depth::Normal };
    let formats = Width::ALL.map(|w| device::format(api, device, &extensions, w));
    let mut plan = MeasurementPlan::default();
    for (width, format) in Width::ALL.into_iter().zip(&formats).filter(|(_, f)| f.available) {
        for mode in [MathMode::Default, MathMode::Rounded, MathMode::Relaxed] {
            if mode == MathMode::Rounded && !format.rounded {
                continue;
            }
            let entries =
                TABLE.iter().enumerate().filter(|(_, e)| !matches!(e.bound(width, mode), Bound::None));
            functions::plan(&mut plan, &entries.collect::<Vec<_>>(), width, mode, format.denormals, depth);
            if mode != MathMode::Rounded {
                geometric::plan(&mut plan, width, mode, format.denormals, depth);
            }
        }
    }
    let mut built = None;
    for task in &plan.tasks {
        let mut measure = || {
            if built.as_ref().is_none_or(|(index, _)| *index != task.program) {
                let (source, options) = &plan.programs[task.program];
                built = Some((task.program, session.build(source, options)));
            }
            let program = match &built {
                Some((_, Ok(program))) => program,
                Some((_, Err(text))) => return Err(text.clone()),
                None => return Err("no program".into()),
            };
            let row = (task.work)(&session, program)?;
            Ok(row.wrong_at.map(|at| {
                format!("{} of {} wrong: {at}; allowed: {}", row.wrong, row.tried, task.line.allowed)
            }))
        };
        let Line { name, kind, mode, .. } = &task.line;
        visit(&format!("{name} {kind}, {mode}"), &mut measure);
    }
    Ok(())
}

fn heading(device: &Device, depth: Depth, formats: &[(Width, FormatSupport)]) -> String {
    let denormals: Vec<String> = formats
        .iter()
        .filter(|(_, f)| f.available)
        .map(|(w, f)| format!("{} {}", w.name(), if f.denormals { "kept" } else { "may be flushed" }))
        .collect();
    format!(
        "# Precision of mathematical functions\n\n\
         Written by `conformance precision --output docs/precision.md`: the largest error found for each function, in\n\
         units in the last place, beside the bound of section 7.4 of the OpenCL C specification. Results that it\n\
         prescribes must be exact. `--full` tries every float. The table in [math.md](math.md) says where the device's\n\
         own operations are used, depending on its float controls and its driver's identity.\n\n\
         Device: {} ({}). Depth: {}.\n\
         Denormals: {}.\n\n\
         | function | type | mode | allowed | measured | worst operands | tried | wrong |\n\
         |---|---|---|---|---|---|---|---|\n",
        device.name.split(" @").next().unwrap_or_default(),
        device.platform,
        format!("{depth:?}").to_lowercase(),
        denormals.join(", ")
    )
}

fn show(line: &Line, row: &Row) -> String {
    let measured =
        if row.worst.is_infinite() { "wrong value".to_string() } else { format!("{:.2}", row.worst) };
    let Line { name, kind, mode, allowed } = line;
    format!(
        "| {name} | {kind} | {mode} | {allowed} | {measured} | {} | {} | {} |",
        row.worst_at, row.tried, row.wrong
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_chosen_by_name_and_range() {
        let names = |list: &[&str]| {
            let list: Vec<String> = list.iter().map(|s| s.to_string()).collect();
            chosen(&list).map(|c| {
                TABLE.iter().zip(c.functions).filter(|(_, w)| *w).map(|(e, _)| e.name).collect::<Vec<_>>()
            })
        };
        assert_eq!(names(&["log", "acos..acospi", "geometric"]).unwrap(), ["acos", "acosh", "acospi", "log"]);
        assert_eq!(names(&[]).unwrap().len(), TABLE.len());
        assert!(names(&["acospi..acos"]).is_err());
        assert!(names(&["nothing"]).is_err());
    }
}
