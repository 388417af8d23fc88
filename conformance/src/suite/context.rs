//! Context of every test: the device under test, its results, and the receiver of tests.

use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;
use test_support::cl::{Api, Device, Session};

/// Result of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Pass,
    Fail(String),
    /// The device does not support the tested feature.
    Skip(String),
}

impl From<Result<(), String>> for Outcome {
    fn from(result: Result<(), String>) -> Outcome {
        result.map_or_else(Outcome::Fail, |()| Outcome::Pass)
    }
}

/// The device under test.
pub struct Context<'a> {
    pub api: &'a Api,
    pub device: &'a Device,
    /// Few samples.
    pub quick: bool,
}

impl Context<'_> {
    pub fn session(&self) -> Result<Session<'_>, String> {
        Session::new(self.api, self.device)
    }

    /// Whether the device still works: after some failures of kernels, drivers reject every call of the
    /// process.
    pub fn is_usable(&self) -> bool {
        let transfer = || {
            let session = self.session()?;
            let buffer = session.buffer(4)?;
            session.write(&buffer, &[7u32])?;
            let mut back = [0u32];
            session.read(&buffer, &mut back)?;
            Ok::<_, String>(back == [7])
        };
        transfer().unwrap_or(false)
    }
}

/// Receiver of tests: lists their names, or runs them.
pub struct Sink<'a> {
    pub names: Vec<String>,
    /// Tests to run; empty while names are listed.
    chosen: HashSet<String>,
    results: Option<File>,
    /// Called after a failure: whether the other tests can run in this process.
    goes_on: &'a dyn Fn() -> bool,
    stopped: bool,
}

impl<'a> Sink<'a> {
    /// Only lists names.
    pub fn listing() -> Sink<'a> {
        Sink { names: Vec::new(), chosen: HashSet::new(), results: None, goes_on: &|| true, stopped: false }
    }

    /// Runs the selected tests and writes progress to a file: a line `B name` when one begins, and `P`, `F`
    /// or `S` with the seconds and a text when it ends. Stops after a failure for which `goes_on` returns
    /// false.
    pub fn running(chosen: HashSet<String>, results: File, goes_on: &'a dyn Fn() -> bool) -> Sink<'a> {
        Sink { names: Vec::new(), chosen, results: Some(results), goes_on, stopped: false }
    }

    /// Offers a test. Names are unique within an area and contain no line breaks.
    pub fn test(&mut self, name: impl Into<String>, run: impl FnOnce() -> Outcome) {
        let name = name.into();
        self.names.push(name.clone());
        if self.stopped || !self.chosen.contains(&name) {
            return;
        }
        self.line(&format!("B {name}"));
        let start = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|t| (*t).to_owned()));
            Outcome::Fail(text.unwrap_or_else(|| "panicked".into()))
        });
        let seconds = start.elapsed().as_secs_f64();
        let (letter, text) = match outcome {
            Outcome::Pass => ('P', String::new()),
            Outcome::Fail(text) => ('F', text),
            Outcome::Skip(text) => ('S', text),
        };
        let text: String = text
            .replace('\\', "\\\\")
            .replace('\n', "\\n")
            .chars()
            .filter(|c| !c.is_control())
            .take(2000)
            .collect();
        self.line(&format!("{letter} {seconds:.3} {text}"));
        self.stopped = letter == 'F' && !(self.goes_on)();
    }

    fn line(&mut self, text: &str) {
        if let Some(file) = &mut self.results {
            // One write, so that a reader sees whole lines.
            let _ = file.write_all(format!("{text}\n").as_bytes());
        }
    }

    /// Records that the area ended, or that the remaining tests need another process.
    pub fn end(&mut self) {
        self.line(if self.stopped { "L" } else { "E" });
    }
}

/// `Ok` if the code is among the allowed ones.
pub fn expect(code: i32, allowed: &[i32]) -> Result<(), String> {
    if allowed.contains(&code) { Ok(()) } else { Err(format!("gives {code}, expected {allowed:?}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_run_on_a_lost_device() {
        let path = std::env::temp_dir().join(format!("pyroclast-sink-{}", std::process::id()));
        let names = ["one", "two", "three", "four"];
        let run = |usable: bool| {
            let goes_on = || usable;
            let file = File::create(&path).unwrap();
            let mut sink =
                Sink::running(names[..3].iter().map(|n| (*n).to_owned()).collect(), file, &goes_on);
            for name in names {
                sink.test(name, || if name == "two" { Outcome::Fail("lost".into()) } else { Outcome::Pass });
            }
            sink.end();
            let text = std::fs::read_to_string(&path).unwrap();
            text.lines()
                .map(|l| {
                    l.split(' ').take(if l.starts_with('B') { 2 } else { 1 }).collect::<Vec<_>>().join(" ")
                })
                .collect()
        };
        let (lost, usable): (Vec<String>, Vec<String>) = (run(false), run(true));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(lost, ["B one", "P", "B two", "F", "L"]);
        assert_eq!(usable, ["B one", "P", "B two", "F", "B three", "P", "E"]);
    }
}
