//! `pyroclast trace`: runs a program and prints its calls of OpenCL as text.
//!
//! The driver records the calls; this process follows the recordings and prints each call when it has
//! returned. Calls in progress when the program ends are printed last.

use super::profile::{Data, exit_code, keep_running_at_interrupts};
use super::run::RunArgs;
use pyroclast_profile::calls;
use pyroclast_profile::file::{Follower, Found};
use pyroclast_profile::format::{Record, values};
use pyroclast_profile::units;
use pyroclast_runtime::cl::error_name;
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Time between two looks at the recordings.
const INTERVAL: Duration = Duration::from_millis(20);

/// Arguments of `pyroclast trace`.
#[derive(clap::Args)]
pub struct TraceArgs {
    /// Write to this file instead of standard error
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print only calls whose name contains one of these texts, separated by commas
    #[arg(long, value_name = "TEXTS", value_delimiter = ',')]
    only: Vec<String>,
    /// Print only calls that fail
    #[arg(long)]
    errors: bool,
    #[command(flatten)]
    program: RunArgs,
}

/// Runs the program and prints its calls.
pub fn run(arguments: &TraceArgs) -> Result<ExitCode, String> {
    let data = Data::new(None, false)?;
    let mut command = arguments.program.command()?;
    command.env("PYROCLAST_PROFILE", &data.folder).env("PYROCLAST_PROFILE_ARGUMENTS", "1");
    let mut out: Box<dyn Write> = match &arguments.output {
        Some(path) => {
            let file = File::create(path).map_err(|e| format!("{}: {e}", path.display()))?;
            Box::new(BufWriter::new(file))
        }
        None => Box::new(std::io::stderr()),
    };
    keep_running_at_interrupts();
    let mut child = command.spawn().map_err(|e| arguments.program.failure(&e))?;
    let mut printer = Printer {
        follower: Follower::new(&data.folder),
        arguments,
        open: HashMap::new(),
        seen: BTreeSet::new(),
        start: 0,
    };
    let status = loop {
        let status = child.try_wait().map_err(|e| e.to_string())?;
        let text = printer.poll();
        out.write_all(text.as_bytes()).map_err(|e| format!("output: {e}"))?;
        match status {
            Some(status) => break status,
            None => std::thread::sleep(INTERVAL),
        }
    };
    let rest = printer.rest();
    out.write_all(rest.as_bytes()).and_then(|()| out.flush()).map_err(|e| format!("output: {e}"))?;
    Ok(exit_code(status))
}

/// A call that has not been printed.
struct Pending {
    name: String,
    start: u64,
    arguments: Vec<u8>,
    results: Vec<u8>,
    word: u64,
}

struct Printer<'a> {
    follower: Follower,
    arguments: &'a TraceArgs,
    /// Calls in progress by process and thread, the innermost last.
    open: HashMap<(u32, u32), Vec<Pending>>,
    /// Threads with calls so far.
    seen: BTreeSet<(u32, u32)>,
    /// Time of the first call.
    start: u64,
}

impl Printer<'_> {
    /// Text of the calls that have returned since the last look, in order of their ends.
    fn poll(&mut self) -> String {
        let mut lines: Vec<(u64, String)> = Vec::new();
        for found in self.follower.poll() {
            let key = (found.process, found.thread);
            if let Some(line) = self.add(&found, key) {
                lines.push(line);
            }
        }
        lines.sort_by_key(|(end, _)| *end);
        lines.into_iter().map(|(_, line)| line).collect()
    }

    fn add(&mut self, found: &Found, key: (u32, u32)) -> Option<(u64, String)> {
        let record = found.record()?;
        let open = self.open.entry(key).or_default();
        match record {
            Record::Arguments { name, start, values } => {
                let name = self.follower.name(found.process, name).to_owned();
                let (arguments, results) = (values.to_vec(), Vec::new());
                open.push(Pending { name, start, arguments, results, word: 0 });
                self.seen.insert(key);
                if self.start == 0 {
                    self.start = start;
                }
                None
            }
            Record::Results { word, values, .. } => {
                let pending = open.last_mut()?;
                (pending.word, pending.results) = (word, values.to_vec());
                None
            }
            Record::Call { error, start, end, .. } => {
                let pending = open.pop()?;
                if error == 0 && self.arguments.errors || !self.is_wanted(&pending.name) {
                    return None;
                }
                let result = calls::result(&pending.name, error, pending.word, error_name);
                let time = units::time(end.saturating_sub(start));
                Some((end, self.line(key, &pending, &format!("{result} <{time}>"))))
            }
            _ => None,
        }
    }

    fn is_wanted(&self, name: &str) -> bool {
        self.arguments.only.is_empty() || self.arguments.only.iter().any(|text| name.contains(text.as_str()))
    }

    fn line(&self, (process, thread): (u32, u32), call: &Pending, result: &str) -> String {
        let (arguments, results) = (values::all(&call.arguments), values::all(&call.results));
        let text = calls::call(&call.name, &arguments, &results);
        let at = call.start.saturating_sub(self.start) as f64 / 1e9;
        // Numbers of processes and threads; the main thread of a program without others has none.
        let who = match self.seen.iter().any(|(p, _)| *p != process) {
            true => format!("[{process}.{thread}] "),
            false if self.seen.len() > 1 || thread != process => format!("[{thread}] "),
            false => String::new(),
        };
        format!("{at:10.6} {who}{text} = {result}\n")
    }

    /// Text of the calls that never returned.
    fn rest(&self) -> String {
        let mut lines: Vec<(u64, String)> = Vec::new();
        for (key, calls) in &self.open {
            for call in calls.iter().filter(|c| self.is_wanted(&c.name)) {
                lines.push((call.start, self.line(*key, call, "?")));
            }
        }
        lines.sort();
        lines.into_iter().map(|(_, line)| line).collect()
    }
}
