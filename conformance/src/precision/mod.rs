//! `precision`: measures the largest error of every mathematical function on an OpenCL device and compares it with what
//! section 7.4 of the OpenCL C specification allows; special values of C99 Annex F must be exact.
//!
//! The result is a Markdown table; the exit status is 1 when a bound is exceeded. One-operand functions are tried with
//! every half, and with every float where `--full` is given; everything else with edge cases, their combinations and
//! samples spread over all bit patterns. `table` holds the bounds, `reference` (with `wide` and `dd`) the exact values,
//! `judge` the errors, `inputs` the operands, `device` the kernels.

mod dd;
mod device;
mod inputs;
mod judge;
mod reference;
mod table;
mod wide;

use device::{Api, Device, Format, Program, Session};
use inputs::{Depth, Share};
use judge::Rules;
use reference::Args;
use std::fmt::Write;
use table::{Bound, Entry, Mode, Shape, TABLE, Width};

/// Arguments of `precision`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Device, counted over all platforms
    #[arg(long, default_value_t = 0)]
    device: usize,
    /// A few seconds: edge cases and few samples
    #[arg(long)]
    quick: bool,
    /// Every float for functions of one operand: hours on a slow device
    #[arg(long, conflicts_with = "quick")]
    full: bool,
    /// Only these functions, separated by commas; a..b are those from a to b in the order of the table
    #[arg(long, value_delimiter = ',')]
    functions: Vec<String>,
    /// Only these types, separated by commas: half, float, double
    #[arg(long, value_delimiter = ',')]
    types: Vec<String>,
    /// Only these modes, separated by commas: default, fast-relaxed, "correctly rounded"
    #[arg(long, value_delimiter = ',')]
    modes: Vec<String>,
    /// Threads, each with a queue of its own
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Where the table goes, as well as to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<std::path::PathBuf>,
}

/// What was found for a function.
struct Row {
    tried: usize,
    wrong: usize,
    worst: f64,
    worst_at: Option<Args>,
    wrong_at: Option<(Args, judge::Got)>,
}

impl Row {
    /// Takes in what another share found; of equal errors this one's stays.
    fn add(&mut self, other: Row) {
        self.tried += other.tried;
        self.wrong += other.wrong;
        if other.worst > self.worst {
            (self.worst, self.worst_at) = (other.worst, other.worst_at);
        }
        self.wrong_at = self.wrong_at.or(other.wrong_at);
    }
}

/// Which functions of the table are wanted; an error if a name is unknown.
fn chosen(list: &[String]) -> Result<Vec<bool>, String> {
    if list.is_empty() {
        return Ok(vec![true; TABLE.len()]);
    }
    let find = |name: &str| TABLE.iter().position(|e| e.name == name).ok_or_else(|| format!("no function is called {name}"));
    let mut wanted = vec![false; TABLE.len()];
    for item in list {
        let (first, last) = item.split_once("..").unwrap_or((item, item));
        let (first, last) = (find(first)?, find(last)?);
        wanted.get_mut(first..=last).ok_or_else(|| format!("{item} is in the wrong order"))?.fill(true);
    }
    Ok(wanted)
}

/// Measures; false if a bound is exceeded.
pub fn run(arguments: &Arguments) -> Result<bool, String> {
    let api = Api::load()?;
    let devices = api.devices()?;
    let device = devices.get(arguments.device).ok_or_else(|| format!("there are {} devices", devices.len()))?;
    let wanted = chosen(&arguments.functions)?;
    let mut sessions = Vec::new();
    for _ in 0..arguments.jobs.clamp(1, 256) {
        sessions.push(Session::new(&api, device)?);
    }
    let extensions = sessions.first().map(Session::extensions).unwrap_or_default();
    let among = |list: &[String], name: &str| list.is_empty() || list.iter().any(|n| n == name);
    let depth = match (arguments.quick, arguments.full) {
        (true, _) => Depth::Quick,
        (_, true) => Depth::Full,
        _ => Depth::Normal,
    };
    let formats = Width::ALL.map(|w| (w, device::format(&api, device, &extensions, w)));
    let mut text = heading(device, depth, &formats);
    let mut wrong = Vec::new();
    let mut count = 0;
    for (width, format) in formats {
        if !format.available || !among(&arguments.types, width.name()) {
            continue;
        }
        for mode in [Mode::Default, Mode::Rounded, Mode::Relaxed] {
            if !among(&arguments.modes, mode.name()) || (mode == Mode::Rounded && !format.rounded) {
                continue;
            }
            let entries: Vec<(usize, &Entry)> = TABLE
                .iter()
                .enumerate()
                .filter(|(_, e)| !matches!(e.bound(width, mode), Bound::None))
                .filter(|(i, _)| wanted[*i])
                .collect();
            if entries.is_empty() {
                continue;
            }
            let mut workers = Vec::new();
            for session in &sessions {
                workers.push((session, device::build(session, &entries, width, mode)?));
            }
            for (index, entry) in entries {
                let rules =
                    Rules { width, flush: !format.denormals || mode == Mode::Relaxed, finite_only: mode == Mode::Relaxed };
                let row = measure(&workers, index, entry, rules, mode, depth)?;
                count += 1;
                let line = show(entry, width, mode, &row);
                eprintln!("{line}");
                let _ = writeln!(text, "{line}");
                if let Some((a, got)) = row.wrong_at {
                    let operands = operands(entry.shape, width, &a);
                    let results =
                        format!("{} ({:e}), second {:e}, int {}", bits(width, got.value), got.value, got.second, got.int);
                    wrong.push(format!("{} {} {}: {operands} gives {results}", entry.name, width.name(), mode.name()));
                }
            }
        }
    }
    let _ = writeln!(text, "\n{count} functions measured, {} outside their bounds.", wrong.len());
    for line in &wrong {
        let _ = writeln!(text, "* {line}");
    }
    println!("{text}");
    if let Some(path) = &arguments.output {
        std::fs::write(path, &text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    if count == 0 { Err("nothing was measured".into()) } else { Ok(wrong.is_empty()) }
}

fn heading(device: &Device, depth: Depth, formats: &[(Width, Format)]) -> String {
    let denormals: Vec<String> = formats
        .iter()
        .filter(|(_, f)| f.available)
        .map(|(w, f)| format!("{} {}", w.name(), if f.denormals { "kept" } else { "may be flushed" }))
        .collect();
    format!(
        "# Precision of mathematical functions\n\n\
         Written by `conformance precision --output docs/precision.md`: the largest error found for each function, in units in the\n\
         last place, beside what section 7.4 of the OpenCL C specification allows. How fast paths are chosen is told in\n\
         [architecture.md](architecture.md).\n\n\
         Device: {} ({}). Depth: {}. Denormals: {}.\n\n\
         | function | type | mode | allowed | measured | worst operands | tried | wrong |\n\
         |---|---|---|---|---|---|---|---|\n",
        device.name.split(" @").next().unwrap_or_default(),
        device.platform,
        format!("{depth:?}").to_lowercase(),
        denormals.join(", ")
    )
}

/// Measures one function: each worker takes a share of the operands.
fn measure(
    workers: &[(&Session<'_>, Program<'_>)],
    index: usize,
    entry: &Entry,
    rules: Rules,
    mode: Mode,
    depth: Depth,
) -> Result<Row, String> {
    let flush = rules.flush || entry.name.starts_with("half_");
    let rules = Rules { flush, ..rules };
    std::thread::scope(|scope| {
        let shares: Vec<_> = workers
            .iter()
            .enumerate()
            .map(|(k, (session, program))| {
                let share = Share { index: k, of: workers.len() };
                scope.spawn(move || measure_share(session, program, index, entry, rules, mode, depth, share))
            })
            .collect();
        let mut row = Row { tried: 0, wrong: 0, worst: 0.0, worst_at: None, wrong_at: None };
        for share in shares {
            row.add(share.join().map_err(|_| "a worker panicked".to_string())??);
        }
        Ok(row)
    })
}

#[allow(clippy::too_many_arguments)] // one level of the loop above
fn measure_share(
    session: &Session<'_>,
    program: &Program<'_>,
    index: usize,
    entry: &Entry,
    rules: Rules,
    mode: Mode,
    depth: Depth,
    share: Share,
) -> Result<Row, String> {
    let bound = entry.bound(rules.width, mode);
    let mut row = Row { tried: 0, wrong: 0, worst: 0.0, worst_at: None, wrong_at: None };
    inputs::generate(entry.name, entry.shape, rules.width, depth, share, |list| {
        let results = device::apply(session, program, (index, entry.shape), rules.width, list)?;
        for (a, got) in list.iter().zip(results) {
            let Some(verdict) = judge::judge(entry, rules, bound, a, got) else { continue };
            row.tried += 1;
            if !verdict.good {
                row.wrong += 1;
                row.wrong_at.get_or_insert((*a, got));
            }
            // Where only an absolute error is asked for, units say nothing.
            let absolute =
                matches!(bound, Bound::Special(rule, _) if matches!(rule(a), Bound::Abs(_) | Bound::Any)) && verdict.good;
            if verdict.ulp > row.worst && !absolute {
                row.worst = verdict.ulp;
                row.worst_at = Some(*a);
            }
        }
        Ok(())
    })?;
    Ok(row)
}

fn bits(width: Width, x: f64) -> String {
    format!("0x{:0digits$x}", inputs::to_bits(width, x), digits = 2 * width.bytes())
}

fn operands(shape: Shape, width: Width, a: &Args) -> String {
    let b = |x| format!("{} ({x:e})", bits(width, x));
    match shape {
        Shape::F2 | Shape::Remquo | Shape::Operator => format!("{}, {}", b(a.x), b(a.y)),
        Shape::F3 => format!("{}, {}, {}", b(a.x), b(a.y), b(a.z)),
        Shape::FI => format!("{}, {}", b(a.x), a.n),
        _ => b(a.x),
    }
}

fn show(entry: &Entry, width: Width, mode: Mode, row: &Row) -> String {
    let allowed = match entry.bound(width, mode) {
        Bound::Exact => "exact".to_string(),
        Bound::Ulp(u) => format!("{u} ulp"),
        Bound::Abs(a) => format!("{a:e} abs."),
        Bound::Any => "any".to_string(),
        Bound::Special(_, text) => text.to_string(),
        Bound::None => String::new(),
    };
    let measured = if row.worst.is_infinite() { "wrong value".to_string() } else { format!("{:.2}", row.worst) };
    let at = row.worst_at.map(|a| operands(entry.shape, width, &a)).unwrap_or_default();
    let name = if entry.shape == Shape::Operator { format!("x {} y", entry.name) } else { entry.name.to_string() };
    format!("| {name} | {} | {} | {allowed} | {measured} | {at} | {} | {} |", width.name(), mode.name(), row.tried, row.wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_chosen_by_name_and_range() {
        let names = |list: &[&str]| {
            let list: Vec<String> = list.iter().map(|s| s.to_string()).collect();
            chosen(&list).map(|w| TABLE.iter().zip(w).filter(|(_, w)| *w).map(|(e, _)| e.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&["log", "acos..acospi"]).unwrap(), ["acos", "acosh", "acospi", "log"]);
        assert_eq!(names(&[]).unwrap().len(), TABLE.len());
        assert!(names(&["acospi..acos"]).is_err());
        assert!(names(&["nothing"]).is_err());
    }
}
