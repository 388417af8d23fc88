//! The report as one page of HTML: styles, scripts and data are in it, and it loads nothing.
//!
//! The data is a JSON object in a script element. Timeline events are arrays of numbers, sorted by start,
//! with names in a table of texts.

use crate::advice::advice;
use crate::chrome::rows;
use crate::format::stage;
use crate::idle::{self, REASONS};
use crate::session::Session;
use crate::statistics;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{self, Write};

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPTS: [&str; 4] = [
    include_str!("page/format.js"),
    include_str!("page/timeline.js"),
    include_str!("page/charts.js"),
    include_str!("page/page.js"),
];
/// Most events of the timeline; of more, the longest are kept.
const MOST_EVENTS: usize = 300_000;

/// Writes the page.
pub fn write(session: &Session, out: &mut dyn Write) -> io::Result<()> {
    let mut rest = PAGE;
    for (mark, content) in [
        ("/*STYLE*/", STYLE.to_owned()),
        ("/*DATA*/", embedded(&data(session))),
        ("/*SCRIPT*/", SCRIPTS.join("\n")),
    ] {
        let Some((before, after)) = rest.split_once(mark) else { continue };
        out.write_all(before.as_bytes())?;
        out.write_all(content.as_bytes())?;
        rest = after;
    }
    out.write_all(rest.as_bytes())
}

/// JSON that can stand in a script element, whatever texts it has.
fn embedded(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// Numbers of texts.
#[derive(Default)]
struct Texts<'a> {
    numbers: HashMap<&'a str, usize>,
    list: Vec<&'a str>,
}

impl<'a> Texts<'a> {
    fn number(&mut self, text: &'a str) -> usize {
        *self.numbers.entry(text).or_insert_with(|| {
            self.list.push(text);
            self.list.len() - 1
        })
    }
}

/// Rows of the timeline with their events: [start, duration, text, kind, details...].
#[derive(Default)]
struct Timeline<'a> {
    texts: Texts<'a>,
    rows: Vec<Value>,
    events: Vec<Vec<[u64; 8]>>,
}

/// Kinds of events, by which the page colours them.
mod kind {
    pub const CALL: u64 = 0;
    pub const WAIT: u64 = 1;
    pub const ERROR: u64 = 2;
    pub const BUILD: u64 = 3;
    pub const KERNEL: u64 = 4;
    pub const TRANSFER: u64 = 5;
    pub const OTHER: u64 = 6;
}

fn data(session: &Session) -> Value {
    let usage = idle::usage(session);
    let mut timeline = Timeline::default();
    queues(session, &mut timeline);
    threads(session, &mut timeline);
    let dropped = trim(&mut timeline.events);
    let processes = session.processes.iter().map(|p| &p.command).collect::<Vec<_>>();
    let mut remarks = session.remarks.clone();
    if dropped > 0 {
        remarks.push(format!("The timeline leaves out the {dropped} shortest events."));
    }
    for call in session.open_calls() {
        let thread = &session.threads[call.thread].name;
        remarks.push(format!("Thread '{thread}' was in {} when the program ended.", call.name));
    }
    let rows: Vec<Value> = timeline
        .rows
        .iter()
        .zip(&timeline.events)
        .map(|(row, events)| {
            let mut row = row.clone();
            row["events"] = json!(events);
            row
        })
        .collect();
    json!({
        "processes": processes,
        "end": session.end,
        "counts": {
            "calls": session.calls.len(), "commands": session.commands.len(),
            "queues": session.queues.len(), "threads": session.threads.len(),
        },
        "devices": devices(session),
        "usage": usage,
        "reasons": REASONS.map(|r| r.text()),
        "advice": advice(session, &usage),
        "remarks": remarks,
        "texts": timeline.texts.list,
        "rows": rows,
        "kernels": statistics::kernels(session),
        "transfers": statistics::transfers(session),
        "calls": statistics::calls(session),
        "builds": builds(session),
        "memory": statistics::memory(session),
        "bucketsPerOctave": statistics::BUCKETS_PER_OCTAVE,
    })
}

fn devices(session: &Session) -> Vec<Value> {
    let device = |d: &crate::session::Device| {
        json!({
            "name": d.name, "units": d.units, "megahertz": d.megahertz, "memory": d.memory, "local": d.local,
        })
    };
    session.devices.iter().map(device).collect()
}

fn builds(session: &Session) -> Vec<Value> {
    let build = |s: &crate::session::Stage| {
        json!({
            "stage": stage::name(s.what), "label": s.label, "cached": s.is_cached, "start": s.start,
            "time": s.end - s.start, "thread": session.threads[s.thread].name,
        })
    };
    session.stages.iter().map(build).collect()
}

/// Rows of queues.
fn queues<'a>(session: &'a Session, timeline: &mut Timeline<'a>) {
    let rows = rows(session);
    for (q, queue) in session.queues.iter().enumerate() {
        let of_queue = |i: &usize| session.commands[*i].queue == q && rows[*i].is_some();
        let commands: Vec<usize> = (0..session.commands.len()).filter(of_queue).collect();
        let Some(last) = commands.iter().filter_map(|i| rows[*i]).max() else { continue };
        let order = if queue.is_out_of_order { "out of order" } else { "in order" };
        let several = if session.processes.len() > 1 {
            format!(", process {}", session.processes[queue.process].id)
        } else {
            String::new()
        };
        for row in 0..=last {
            let name = if row == 0 { format!("Queue {}", q + 1) } else { String::new() };
            let detail = format!("{order}, {}{several}", session.devices[queue.device].name);
            timeline.rows.push(
                json!({ "name": name, "detail": if row == 0 { &detail } else { "" }, "group": "queue" }),
            );
            let mut events: Vec<[u64; 8]> = Vec::new();
            for i in commands.iter().filter(|i| rows[**i] == Some(row)) {
                let c = &session.commands[*i];
                let Some((start, end)) = c.run else { continue };
                let what = match c.kind {
                    k if k.is_compute() => kind::KERNEL,
                    k if k.is_transfer() => kind::TRANSFER,
                    _ => kind::OTHER,
                };
                let items = c.global.iter().fold(1u64, |n, d| n.saturating_mul((*d).max(1)));
                let blocking = u64::from(c.is_blocking);
                let text = timeline.texts.number(&c.label);
                events.push([start, end - start, text as u64, what, c.queued, c.bytes, items, blocking]);
            }
            events.sort_unstable();
            timeline.events.push(events);
        }
    }
}

/// Rows of threads: calls, with builds below them.
fn threads<'a>(session: &'a Session, timeline: &mut Timeline<'a>) {
    let mut calls: Vec<Vec<[u64; 8]>> = vec![Vec::new(); session.threads.len()];
    let mut builds = calls.clone();
    for call in &session.calls {
        let what = match &*call.name {
            _ if call.error != 0 => kind::ERROR,
            "clFinish" | "clWaitForEvents" => kind::WAIT,
            _ => kind::CALL,
        };
        let (text, error) = (timeline.texts.number(&call.name), call.error.unsigned_abs());
        let open = u64::from(call.is_open);
        let time = call.end - call.start;
        calls[call.thread].push([call.start, time, text as u64, what, error.into(), open, 0, 0]);
    }
    for it in &session.stages {
        let text = timeline.texts.number(stage::name(it.what));
        let label = timeline.texts.number(&it.label);
        let (time, cached) = (it.end - it.start, u64::from(it.is_cached));
        builds[it.thread].push([it.start, time, text as u64, kind::BUILD, label as u64, cached, 0, 0]);
    }
    for (t, thread) in session.threads.iter().enumerate() {
        for (events, what) in [(&mut calls[t], "Thread"), (&mut builds[t], "Builds in")] {
            if events.is_empty() {
                continue;
            }
            events.sort_unstable();
            let process = session.processes[thread.process].id;
            let several =
                if session.processes.len() > 1 { format!(", process {process}") } else { String::new() };
            let name = format!("{what} {}", thread.name);
            let detail = format!("{}{several}", thread.id);
            timeline.rows.push(json!({ "name": name, "detail": detail, "group": "thread" }));
            timeline.events.push(std::mem::take(events));
        }
    }
}

/// Leaves out the shortest events; returns their number.
fn trim(rows: &mut [Vec<[u64; 8]>]) -> usize {
    let count: usize = rows.iter().map(Vec::len).sum();
    if count <= MOST_EVENTS {
        return 0;
    }
    let mut times: Vec<u64> = rows.iter().flatten().map(|e| e[1]).collect();
    times.sort_unstable();
    let least = times.get(count - MOST_EVENTS).copied().unwrap_or(0);
    rows.iter_mut().for_each(|row| row.retain(|e| e[1] > least));
    count - rows.iter().map(Vec::len).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::idle::tests::{command, session};
    use crate::session::{CommandKind, Process};

    #[test]
    fn the_page_is_complete_and_its_data_cannot_end_it() {
        let mut session = session(vec![command(CommandKind::Kernel, "</script><b>", 0, 5, 10)]);
        session.processes.push(Process { id: 1, command: "p </script>".into() });
        session.end = 10;
        let mut bytes = Vec::new();
        write(&session, &mut bytes).expect("written");
        let text = String::from_utf8(bytes).expect("text");
        assert!(!text.contains("</script><b>") && text.contains("\\u003c/script>\\u003cb>"));
        assert!(!text.contains("/*DATA*/") && text.trim_end().ends_with("</html>"));
        for outside in ["http://", "https://", "src=", "@import", "url("] {
            assert!(!text.contains(outside), "{outside}");
        }
    }
}
