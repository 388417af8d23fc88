//! The progress line of long work, with an estimate of the time left, on standard error.
//!
//! It is drawn only if standard error is a terminal. Whoever prints a line of output calls
//! [`Progress::clear`] first. Any thread may report.

#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Most characters of an item's name.
const NAME: usize = 40;
/// Moves to the start of the line, and erases it.
const ERASE: &str = "\r\x1b[K";

/// Progress of a number of named items.
pub struct Progress {
    shown: bool,
    /// The items' name, in the plural.
    items: &'static str,
    jobs: usize,
    start: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    total: usize,
    done: usize,
    failed: usize,
    /// Total seconds of the items that ended.
    spent: f64,
    /// Seconds that unfinished items took in an earlier run; `None` if that is unknown.
    ahead: HashMap<String, Option<f64>>,
}

impl Progress {
    /// Items with the seconds that they took in an earlier run, if known. `jobs` of them run at a time.
    pub fn new(
        quiet: bool,
        items: &'static str,
        jobs: usize,
        list: impl IntoIterator<Item = (String, Option<f64>)>,
    ) -> Progress {
        let ahead: HashMap<String, Option<f64>> = list.into_iter().collect();
        let state = State { total: ahead.len(), ahead, ..State::default() };
        let shown = !quiet && std::io::stderr().is_terminal();
        Progress { shown, items, jobs, start: Instant::now(), state: Mutex::new(state) }
    }

    /// Seconds since the start.
    pub fn elapsed(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows what is being worked on.
    pub fn begins(&self, what: &str) {
        let state = self.state();
        self.draw(&state, what);
    }

    /// Records that an item ended after some seconds.
    pub fn done(&self, item: &str, seconds: f64, failed: bool) {
        let mut state = self.state();
        if state.ahead.remove(item).is_none() {
            return;
        }
        state.done += 1;
        state.spent += seconds;
        state.failed += usize::from(failed);
        self.draw(&state, item);
    }

    /// Removes the line: before other output, and at the end.
    pub fn clear(&self) {
        self.write(ERASE);
    }

    fn draw(&self, state: &State, what: &str) {
        if self.shown {
            self.write(&format!("{ERASE}{}", state.line(self.items, self.jobs, self.elapsed(), what)));
        }
    }

    fn write(&self, text: &str) {
        if self.shown {
            let mut out = std::io::stderr().lock();
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

impl State {
    fn line(&self, items: &str, jobs: usize, elapsed: f64, what: &str) -> String {
        let percent = 100.0 * self.done as f64 / self.total.max(1) as f64;
        let failed = if self.failed > 0 { format!(", {} failed", self.failed) } else { String::new() };
        let left = match self.left(jobs) {
            Some(left) => format!(", about {} left", clock(left)),
            None => String::new(),
        };
        let (done, total) = (self.done, self.total);
        format!(
            "[{percent:3.0}%] {done} of {total} {items}{failed}, {} gone{left}: {what:.NAME$}",
            clock(elapsed)
        )
    }

    /// Estimated seconds left: earlier durations where known, else the average of this run. `None` if nothing
    /// is known.
    fn left(&self, jobs: usize) -> Option<f64> {
        if self.done == 0 && self.ahead.values().any(Option::is_none) {
            return None;
        }
        let usual = self.spent / self.done.max(1) as f64;
        let sum: f64 = self.ahead.values().map(|seconds| seconds.unwrap_or(usual)).sum();
        Some(sum / jobs.clamp(1, self.ahead.len().max(1)) as f64)
    }
}

fn clock(seconds: f64) -> String {
    let seconds = seconds as u64;
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_from_what_is_known() {
        let names = ["a", "b", "c", "d"].map(String::from);
        let list = names.into_iter().zip([None, Some(10.0), Some(20.0), None]);
        let progress = Progress::new(true, "tests", 2, list);
        assert_eq!(progress.state().line("tests", 2, 0.0, "a"), "[  0%] 0 of 4 tests, 0:00 gone: a");
        progress.done("a", 4.0, true);
        progress.done("a", 4.0, true);
        progress.done("unknown", 4.0, true);
        let state = progress.state();
        assert_eq!((state.total, state.done, state.failed), (4, 1, 1));
        assert_eq!(state.left(2), Some(17.0));
        let line = state.line("tests", 2, 65.9, "area/b");
        assert_eq!(line, "[ 25%] 1 of 4 tests, 1 failed, 1:05 gone, about 0:17 left: area/b");
        assert_eq!([clock(65.9), clock(3725.0)], ["1:05", "1:02:05"]);
    }
}
