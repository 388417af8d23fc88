//! The summary of a run for the terminal.

use crate::advice::advice;
use crate::format::stage;
use crate::idle::{self, REASONS};
use crate::session::Session;
use crate::statistics;
use crate::units::{bytes, giga, percent, time, total};
use std::fmt::Write as _;

/// Rows of each table.
const ROWS: usize = 12;

/// The summary as text.
pub fn text(session: &Session) -> String {
    let mut out = String::new();
    head(&mut out, session);
    devices(&mut out, session);
    kernels(&mut out, session);
    transfers(&mut out, session);
    calls(&mut out, session);
    builds(&mut out, session);
    memory(&mut out, session);
    let usage = idle::usage(session);
    let advice = advice(session, &usage);
    if !advice.is_empty() {
        out += "\nAdvice\n";
    }
    for piece in advice.iter().take(ROWS) {
        let _ = writeln!(out, "  * {}\n    {}", piece.what, piece.remedy);
    }
    for call in session.open_calls() {
        let name = &session.threads[call.thread].name;
        let _ = writeln!(out, "\nThread '{name}' was in {} when the program ended.", call.name);
    }
    for remark in &session.remarks {
        let _ = writeln!(out, "\n{remark}");
    }
    out
}

fn head(out: &mut String, session: &Session) {
    let threads = session.calls.iter().map(|c| c.thread).collect::<std::collections::BTreeSet<_>>().len();
    let _ = writeln!(
        out,
        "{}, {} calls on {threads} threads, {} commands in {} queues",
        time(session.end),
        session.calls.len(),
        session.commands.len(),
        session.queues.len()
    );
}

/// A table: right-aligned columns but the first.
fn table(out: &mut String, title: &str, head: &[&str], rows: Vec<Vec<String>>) {
    if rows.is_empty() {
        return;
    }
    let more = rows.len().saturating_sub(ROWS);
    let rows: Vec<Vec<String>> = rows.into_iter().take(ROWS).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([head[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut line = |cells: &[String]| {
        let mut text = String::from("  ");
        for (column, cell) in cells.iter().enumerate() {
            let _ = match column {
                0 => write!(text, "{cell:<width$}", width = widths[0]),
                _ => write!(text, "  {cell:>width$}", width = widths[column]),
            };
        }
        let _ = writeln!(out, "{}", text.trim_end());
    };
    line(&[format!("\n{title}")]);
    line(&head.iter().map(|h| (*h).to_owned()).collect::<Vec<_>>());
    rows.iter().for_each(|row| line(row));
    if more > 0 {
        line(&[format!("and {more} more")]);
    }
}

fn devices(out: &mut String, session: &Session) {
    for usage in idle::usage(session) {
        let _ = writeln!(out, "\n{}", session.devices[usage.device].name);
        let whole = usage.length();
        let _ = writeln!(
            out,
            "  {:>7}  computes ({} of {})",
            percent(usage.busy, whole),
            time(usage.busy),
            time(whole)
        );
        let mut idle: Vec<(u64, &str)> = usage.idle.iter().copied().zip(REASONS.map(|r| r.text())).collect();
        idle.sort_by_key(|(part, _)| std::cmp::Reverse(*part));
        for (part, reason) in idle.into_iter().filter(|(part, _)| *part > 0) {
            let _ = writeln!(out, "  {:>7}  waits for {reason} ({})", percent(part, whole), time(part));
        }
    }
}

fn kernels(out: &mut String, session: &Session) {
    let sums = statistics::kernels(session);
    let all = total(sums.iter().map(|s| s.total));
    let row = |sum: &statistics::KernelSum| {
        let least = if sum.is_lower_bound { "≥" } else { "" };
        let rate = |count: u64| match giga(count, sum.total) {
            // A lower bound of zero says nothing.
            text if sum.is_lower_bound && text == "0.00" => String::new(),
            text if text.is_empty() => text,
            text => format!("{least}{text}"),
        };
        vec![
            sum.name.clone(),
            sum.launches.to_string(),
            time(sum.total),
            percent(sum.total, all),
            time(sum.median),
            time(sum.most),
            rate(sum.bytes),
            rate(sum.float_ops),
        ]
    };
    let head = ["kernel", "launches", "time", "", "median", "longest", "GB/s", "Gflop/s"];
    table(out, "Kernels", &head, sums.iter().map(row).collect());
}

fn transfers(out: &mut String, session: &Session) {
    let row = |sum: &statistics::TransferSum| {
        let (count, blocking) = (sum.count.to_string(), sum.blocking.to_string());
        let cells = [
            count,
            blocking,
            bytes(sum.bytes),
            bytes(sum.median),
            time(sum.total),
            giga(sum.bytes, sum.total),
        ];
        [vec![sum.kind.to_owned()], cells.to_vec()].concat()
    };
    let head = ["transfer", "count", "blocking", "bytes", "median", "time", "GB/s"];
    table(out, "Transfers", &head, statistics::transfers(session).iter().map(row).collect());
}

fn calls(out: &mut String, session: &Session) {
    let row = |sum: &statistics::CallSum| {
        let errors = if sum.errors == 0 { String::new() } else { sum.errors.to_string() };
        vec![sum.name.clone(), sum.count.to_string(), time(sum.total), time(sum.most), errors]
    };
    let head = ["call", "count", "time", "longest", "errors"];
    table(out, "Calls", &head, statistics::calls(session).iter().map(row).collect());
}

fn builds(out: &mut String, session: &Session) {
    let kinds = [stage::BUILD, stage::FRONT_END, stage::BACK_END, stage::LOAD, stage::PIPELINE];
    let row = |what: u8| {
        let of = || session.stages.iter().filter(|s| s.what == what);
        let (count, cached) = (of().count(), of().filter(|s| s.is_cached).count());
        let spent = total(of().map(|s| s.end - s.start));
        let cached = if [stage::FRONT_END, stage::BACK_END].contains(&what) {
            cached.to_string()
        } else {
            String::new()
        };
        (count > 0).then(|| vec![stage::name(what).to_owned(), count.to_string(), cached, time(spent)])
    };
    table(
        out,
        "Builds",
        &["stage", "count", "from cache", "time"],
        kinds.into_iter().filter_map(row).collect(),
    );
}

fn memory(out: &mut String, session: &Session) {
    let peak = statistics::memory(session).into_iter().map(|(_, size)| size).max();
    if let Some(peak) = peak {
        let count = session.memory.len();
        let _ = writeln!(out, "\nMemory objects: {count}, at most {} at a time", bytes(peak));
    }
}
