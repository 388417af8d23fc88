//! The trace format of Chrome and Perfetto: a JSON object with a list of events.
//!
//! Each process of the program is a process of the trace, with its threads. The commands of a queue are a
//! further thread with a number that no thread of the system has. Commands that overlap, as in out-of-order
//! queues, get one row each. Times are microseconds with three decimals.

use crate::format::stage;
use crate::session::Session;
use crate::statistics;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Thread numbers of the rows of queues: from here on.
const QUEUE_ROWS: u64 = 10_000_000;
/// Rows of one queue.
const ROWS: usize = 64;

/// Writes the trace.
pub fn write(session: &Session, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")?;
    let mut list = List { out, count: 0 };
    names(session, &mut list)?;
    calls(session, &mut list)?;
    commands(session, &mut list)?;
    stages(session, &mut list)?;
    memory(session, &mut list)?;
    out.write_all(b"\n]}\n")
}

struct List<'a> {
    out: &'a mut dyn Write,
    count: usize,
}

impl List<'_> {
    fn add(&mut self, event: &Value) -> io::Result<()> {
        if self.count > 0 {
            self.out.write_all(b",\n")?;
        }
        self.count += 1;
        serde_json::to_writer(&mut *self.out, event)?;
        Ok(())
    }
}

fn micros(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e3
}

/// A complete event.
fn complete(name: &str, category: &str, start: u64, end: u64, (pid, tid): (u32, u64), args: Value) -> Value {
    json!({
        "name": name, "cat": category, "ph": "X", "pid": pid, "tid": tid,
        "ts": micros(start), "dur": micros(end.saturating_sub(start)), "args": args,
    })
}

/// Metadata of a row.
fn label(what: &str, (pid, tid): (u32, u64), name: &str) -> Value {
    json!({ "name": what, "ph": "M", "ts": 0.0, "pid": pid, "tid": tid, "args": { "name": name } })
}

fn row_of_thread(session: &Session, thread: usize) -> (u32, u64) {
    let thread = &session.threads[thread];
    (session.processes[thread.process].id, thread.id.into())
}

fn row_of_queue(session: &Session, queue: usize, row: usize) -> (u32, u64) {
    (session.processes[session.queues[queue].process].id, QUEUE_ROWS + (queue * ROWS + row) as u64)
}

fn names(session: &Session, list: &mut List) -> io::Result<()> {
    for process in &session.processes {
        list.add(&label("process_name", (process.id, 0), &process.command))?;
    }
    for (i, thread) in session.threads.iter().enumerate() {
        list.add(&label("thread_name", row_of_thread(session, i), &thread.name))?;
    }
    Ok(())
}

fn calls(session: &Session, list: &mut List) -> io::Result<()> {
    for call in &session.calls {
        let args = json!({ "result": call.error, "returned": !call.is_open });
        list.add(&complete(
            &call.name,
            "call",
            call.start,
            call.end,
            row_of_thread(session, call.thread),
            args,
        ))?;
    }
    Ok(())
}

fn commands(session: &Session, list: &mut List) -> io::Result<()> {
    let rows = rows(session);
    let mut named = vec![0; session.queues.len()];
    for (number, (command, row)) in session.commands.iter().zip(rows).enumerate() {
        let (Some((start, end)), Some(row)) = (command.run, row) else { continue };
        let at = row_of_queue(session, command.queue, row);
        while named[command.queue] <= row {
            let queue = &session.queues[command.queue];
            let name = format!("queue {} on {}", command.queue + 1, session.devices[queue.device].name);
            list.add(&label(
                "thread_name",
                row_of_queue(session, command.queue, named[command.queue]),
                &name,
            ))?;
            named[command.queue] += 1;
        }
        let args = json!({
            "queued": micros(command.queued), "submitted": micros(command.submitted), "bytes": command.bytes,
            "global": command.global, "local": command.local, "blocking": command.is_blocking,
            "status": command.status,
        });
        list.add(&complete(&command.label, command.kind.name(), start, end, at, args))?;
        flow(session, number, start, at, list)?;
    }
    Ok(())
}

/// An arrow from the call to its command. Its id is the command's index: Perfetto reads numbers only.
fn flow(session: &Session, id: usize, start: u64, (pid, tid): (u32, u64), list: &mut List) -> io::Result<()> {
    let Some(call) = session.commands[id].call.map(|i| &session.calls[i]) else { return Ok(()) };
    let (from_pid, from_tid) = row_of_thread(session, call.thread);
    list.add(&json!({
        "name": "enqueue", "cat": "flow", "ph": "s", "id": id, "ts": micros(call.start),
        "pid": from_pid, "tid": from_tid,
    }))?;
    list.add(&json!({
        "name": "enqueue", "cat": "flow", "ph": "f", "bp": "e", "id": id, "ts": micros(start),
        "pid": pid, "tid": tid,
    }))
}

fn stages(session: &Session, list: &mut List) -> io::Result<()> {
    for it in &session.stages {
        let args = json!({ "of": it.label, "cached": it.is_cached });
        let at = row_of_thread(session, it.thread);
        list.add(&complete(stage::name(it.what), "build", it.start, it.end, at, args))?;
    }
    Ok(())
}

fn memory(session: &Session, list: &mut List) -> io::Result<()> {
    let Some(process) = session.processes.first() else { return Ok(()) };
    for (time, size) in statistics::memory(session) {
        list.add(&json!({
            "name": "memory objects", "ph": "C", "ts": micros(time), "pid": process.id, "tid": 0,
            "args": { "bytes": size },
        }))?;
    }
    Ok(())
}

/// For each command the row of its queue: the first in which the commands before it have ended.
pub fn rows(session: &Session) -> Vec<Option<usize>> {
    let mut order: Vec<usize> = (0..session.commands.len()).collect();
    order.sort_by_key(|i| session.commands[*i].run);
    let mut ends: Vec<Vec<u64>> = vec![Vec::new(); session.queues.len()];
    let mut rows = vec![None; session.commands.len()];
    for i in order {
        let Some((start, end)) = session.commands[i].run else { continue };
        let ends = &mut ends[session.commands[i].queue];
        let free = ends.iter().position(|last| *last <= start);
        // Overlapping commands beyond the limit share the last row.
        let row = free.unwrap_or_else(|| ends.len().min(ROWS - 1));
        ends.resize(ends.len().max(row + 1), 0);
        ends[row] = end.max(ends[row]);
        rows[i] = Some(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::idle::tests::{command, session};
    use crate::session::{CommandKind, Process};

    #[test]
    fn overlapping_commands_have_rows() {
        let kernel = |start, end| command(CommandKind::Kernel, "k", 0, start, end);
        let mut session = session(vec![kernel(0, 10), kernel(5, 8), kernel(10, 12), kernel(9, 11)]);
        assert_eq!(rows(&session), [Some(0), Some(1), Some(0), Some(1)]);
        session.processes.push(Process { id: 7, command: "p".into() });
        let mut bytes = Vec::new();
        write(&session, &mut bytes).expect("written");
        let value: Value = serde_json::from_slice(&bytes).expect("JSON");
        let events = value["traceEvents"].as_array().expect("a list");
        assert_eq!(events.iter().filter(|e| e["ph"] == "X").count(), 4);
    }
}
