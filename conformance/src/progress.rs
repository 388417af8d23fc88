//! The progress line of long runs, with an estimate of the time left, on standard error.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Progress of a run.
pub struct Progress {
    quiet: bool,
    jobs: usize,
    start: Instant,
    state: Mutex<State>,
}

struct State {
    total: usize,
    done: usize,
    failed: usize,
    /// Total seconds of the tests that ended in this run.
    spent: f64,
    /// Seconds that tests still to be run took in an earlier run; `None` for tests that it did not contain.
    ahead: HashMap<String, Option<f64>>,
}

impl Progress {
    /// Tests with the seconds that they took in an earlier run, if known.
    pub fn new(quiet: bool, jobs: usize, tests: impl IntoIterator<Item = (String, Option<f64>)>) -> Progress {
        let ahead: HashMap<String, Option<f64>> = tests.into_iter().collect();
        let state = State { total: ahead.len(), done: 0, failed: 0, spent: 0.0, ahead };
        Progress { quiet, jobs, start: Instant::now(), state: Mutex::new(state) }
    }

    pub fn elapsed(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Records that a test, `AREA/NAME`, ended after some seconds.
    pub fn done(&self, test: &str, seconds: f64, failed: bool) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.ahead.remove(test).is_none() {
            return;
        }
        state.done += 1;
        state.spent += seconds;
        state.failed += usize::from(failed);
        if self.quiet {
            return;
        }
        let line = format!(
            "[{:3.0}%] {} of {} tests, {} failed, {} gone, about {} left: {test:.40}",
            100.0 * state.done as f64 / state.total.max(1) as f64,
            state.done,
            state.total,
            state.failed,
            clock(self.elapsed()),
            clock(state.left(self.jobs))
        );
        // At least as wide as an earlier line.
        eprint!("\r{line:<120}");
    }

    /// Ends the line.
    pub fn end(&self) {
        if !self.quiet {
            eprintln!();
        }
    }
}

impl State {
    /// Estimated seconds left: earlier durations where known, else the average of this run.
    fn left(&self, jobs: usize) -> f64 {
        let usual = self.spent / self.done.max(1) as f64;
        let sum: f64 = self.ahead.values().map(|seconds| seconds.unwrap_or(usual)).sum();
        sum / jobs.clamp(1, self.ahead.len().max(1)) as f64
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
        let progress = Progress::new(true, 2, names.into_iter().zip([None, Some(10.0), Some(20.0), None]));
        progress.done("a", 4.0, true);
        progress.done("a", 4.0, true);
        progress.done("unknown", 4.0, true);
        let state = progress.state.lock().expect("no thread panicked");
        assert_eq!((state.total, state.done, state.failed), (4, 1, 1));
        assert_eq!(state.left(2), 17.0);
        drop(state);
        assert_eq!([clock(65.9), clock(3725.0)], ["1:05", "1:02:05"]);
    }
}
