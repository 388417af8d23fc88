//! The table of measured times: a line of Markdown for each kernel, and the geometric mean of the ratios.

use super::candidates::Candidate;
use std::fmt;

/// Times of one launch on one device, in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LaunchTimes {
    pub min: f64,
    pub median: f64,
}

impl LaunchTimes {
    /// Minimum and median of rounds, at least one.
    pub fn of(mut rounds: Vec<f64>) -> LaunchTimes {
        rounds.sort_by(f64::total_cmp);
        LaunchTimes { min: rounds[0], median: rounds[rounds.len() / 2] }
    }
}

/// Comparison of what both devices wrote.
#[derive(Clone, PartialEq, Debug)]
pub enum Results {
    Match,
    /// They match with exact arithmetic: without the options that allow inexact results.
    MatchExact,
    /// They match with exact arithmetic and functions of mathematics in double precision.
    MatchRounded,
    /// The kernel wrote nothing on either device.
    NoEffect,
    /// The reference's results change from run to run.
    Vary,
    /// The first difference.
    Differ(String),
}

const NAMES: &[(Results, &str)] = &[
    (Results::Match, "match"),
    (Results::MatchExact, "match, exact arithmetic"),
    (Results::MatchRounded, "match, exact functions"),
    (Results::NoEffect, "writes nothing"),
    (Results::Vary, "vary"),
];

impl Results {
    pub fn are_good(&self) -> bool {
        !matches!(self, Results::Differ(_))
    }

    /// Parses the output of `Display`.
    pub fn parse(text: &str) -> Results {
        let named = NAMES.iter().find(|(_, name)| *name == text).map(|(results, _)| results.clone());
        named.unwrap_or_else(|| Results::Differ(text.trim_start_matches("DIFFER: ").into()))
    }
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Results::Differ(text) => write!(f, "DIFFER: {text}"),
            named => f.write_str(NAMES.iter().find(|(r, _)| r == named).map_or("", |(_, name)| name)),
        }
    }
}

/// Measurement of a kernel: times of ours and of the reference.
pub struct KernelTimes {
    pub times: [LaunchTimes; 2],
    pub results: Results,
}

impl KernelTimes {
    /// Speed of ours relative to the reference.
    pub fn ratio(&self) -> f64 {
        self.times[1].median / self.times[0].median
    }
}

/// Heading of the table; the ratio is above 1 where ours is faster.
pub const HEADING: &str = "| kernel | instructions | reference, us | least | ours, us | least | ratio | results |\n\
     |---|---|---|---|---|---|---|---|";

/// The line of a kernel, with the reason if it could not be measured.
pub fn line(candidate: &Candidate, measured: &Result<KernelTimes, String>) -> String {
    let cells = match measured {
        Ok(KernelTimes { times: [ours, reference], results }) => {
            let times = [reference.median, reference.min, ours.median, ours.min].map(micros).join(" | ");
            let ratio = measured.as_ref().map_or(f64::NAN, KernelTimes::ratio);
            format!("{times} | {ratio:.2} | {results}")
        }
        Err(why) => format!("| | | | | FAILED: {}", why.replace('|', "/")),
    };
    format!("| {} {} | {} | {cells} |", candidate.path, candidate.kernel, candidate.size)
}

/// Microseconds with some four digits.
fn micros(seconds: f64) -> String {
    let micros = seconds * 1e6;
    let digits = if micros < 10.0 { 2 } else { usize::from(micros < 1000.0) };
    format!("{micros:.digits$}")
}

/// Geometric mean of the ratios of the kernels that were measured.
pub fn summary(measured: &[Result<KernelTimes, String>]) -> String {
    let logarithms: Vec<f64> = measured.iter().flatten().map(|times| times.ratio().ln()).collect();
    if logarithms.is_empty() {
        return "No kernel could be measured.".into();
    }
    let mean = (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
    format!("Geometric mean of {} of {} kernels: {mean:.2}", logarithms.len(), measured.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(ours: f64, reference: f64) -> Result<KernelTimes, String> {
        let times = [ours, reference].map(|t| LaunchTimes { min: t / 2.0, median: t });
        Ok(KernelTimes { times, results: Results::MatchExact })
    }

    #[test]
    fn lines_have_times_and_ratio() {
        let candidate =
            Candidate { path: "a/b.cl".into(), kernel: "k".into(), size: 70, ..Candidate::default() };
        assert_eq!(
            line(&candidate, &measured(2e-6, 1234e-6)),
            "| a/b.cl k | 70 | 1234 | 617.0 | 2.00 | 1.00 | 617.00 | match, exact arithmetic |"
        );
        let failed = line(&candidate, &Err("a|b".into()));
        assert_eq!(failed, "| a/b.cl k | 70 | | | | | | FAILED: a/b |");
        let columns = |text: &str| text.matches('|').count();
        assert_eq!(columns(&failed), columns(HEADING.lines().next().unwrap()));
    }

    #[test]
    fn the_mean_is_of_what_was_measured() {
        let all = [measured(1.0, 2.0), Err("x".into()), measured(1.0, 8.0)];
        assert_eq!(summary(&all), "Geometric mean of 2 of 3 kernels: 4.00");
        assert_eq!(summary(&all[1..2]), "No kernel could be measured.");
    }

    #[test]
    fn medians_and_results() {
        assert_eq!(LaunchTimes::of(vec![3.0, 1.0, 2.0]), LaunchTimes { min: 1.0, median: 2.0 });
        for results in [Results::NoEffect, Results::Differ("memory 1".into())] {
            assert_eq!(Results::parse(&results.to_string()), results);
        }
    }
}
