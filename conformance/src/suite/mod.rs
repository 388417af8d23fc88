//! Our own tests of an OpenCL device, written from the specification; they know nothing of the driver. Each area is a
//! function that offers its tests to a [`Sink`], which decides which of them to run; what a test needs is made in it.

pub mod api;
pub mod atomics;
pub mod conversions;
pub mod events;
pub mod il;
pub mod images;
pub mod instructions;
pub mod kernels;
pub mod litmus;
pub mod math;
pub mod pipes;
pub mod printf;
pub mod raw;
pub mod round;
pub mod sub_groups;
pub mod svm;

use crate::cl::{Api, Device, Session};
use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// What a test gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Pass,
    Fail(String),
    /// The device does not offer what is tested.
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
}

/// An area: its name and its tests.
pub type Area = (&'static str, fn(&Context<'_>, &mut Sink));

pub const AREAS: &[Area] = &[
    ("api", api::tests),
    ("events", events::tests),
    ("integers", |c, s| kernels::tests(c, s, "integers")),
    ("vectors", |c, s| kernels::tests(c, s, "vectors")),
    ("language", |c, s| kernels::tests(c, s, "language")),
    ("conversions", conversions::tests),
    ("math", math::tests),
    ("atomics", atomics::tests),
    ("memory-model", litmus::tests),
    ("groups", |c, s| kernels::tests(c, s, "groups")),
    ("images", images::tests),
    ("sub-groups", sub_groups::tests),
    ("svm", svm::tests),
    ("pipes", pipes::tests),
    ("printf", printf::tests),
    ("il", il::tests),
];

/// Where tests go: into a list of names, or into the results.
pub struct Sink {
    pub names: Vec<String>,
    /// Tests to run; none while names are listed.
    chosen: HashSet<String>,
    results: Option<File>,
}

impl Sink {
    /// Only lists names.
    pub fn listing() -> Sink {
        Sink { names: Vec::new(), chosen: HashSet::new(), results: None }
    }

    /// Runs the tests chosen and writes what happens to a file: a line `B name` when one begins, and `P`, `F` or `S` with the
    /// seconds and a text when it ends.
    pub fn running(chosen: HashSet<String>, results: File) -> Sink {
        Sink { names: Vec::new(), chosen, results: Some(results) }
    }

    /// Offers a test. Names are unique within an area and have no line breaks.
    pub fn test(&mut self, name: impl Into<String>, run: impl FnOnce() -> Outcome) {
        let name = name.into();
        self.names.push(name.clone());
        if !self.chosen.contains(&name) {
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
        let text: String =
            text.replace('\\', "\\\\").replace('\n', "\\n").chars().filter(|c| !c.is_control()).take(2000).collect();
        self.line(&format!("{letter} {seconds:.3} {text}"));
    }

    fn line(&mut self, text: &str) {
        if let Some(file) = &mut self.results {
            // One write, so that a reader sees whole lines.
            let _ = file.write_all(format!("{text}\n").as_bytes());
        }
    }

    /// Says that the area came to its end.
    pub fn end(&mut self) {
        self.line("E");
    }
}

/// `Ok` if the code is among those allowed.
pub fn expect(code: i32, allowed: &[i32]) -> Result<(), String> {
    if allowed.contains(&code) { Ok(()) } else { Err(format!("gives {code}, expected {allowed:?}")) }
}
