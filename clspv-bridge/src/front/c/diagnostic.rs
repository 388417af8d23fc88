//! Diagnostics of a translation unit: errors, warnings and notes at source locations.

use super::source::Loc;

/// Severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// Explains the diagnostic before it.
    Note,
    /// With the group that turns it off, e.g. "unused-value" for -Wno-unused-value.
    Warning(&'static str),
    Error,
}

/// A message at a location.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    pub loc: Loc,
    pub message: String,
    /// Source to underline: first and last token.
    pub ranges: Vec<(Loc, Loc)>,
}

/// Number of errors after which a compilation stops.
pub const ERROR_LIMIT: usize = 20;

/// Diagnostics in the order in which they were found.
#[derive(Debug, Default)]
pub struct Diagnostics {
    pub list: Vec<Diagnostic>,
    errors: usize,
}

impl Diagnostics {
    /// Adds an error. Notes that explain it follow.
    pub fn error(&mut self, loc: Loc, message: impl Into<String>) {
        self.errors += 1;
        self.push(Severity::Error, loc, message.into());
    }
    /// Adds a warning of a group.
    pub fn warning(&mut self, group: &'static str, loc: Loc, message: impl Into<String>) {
        self.push(Severity::Warning(group), loc, message.into());
    }
    /// Adds a note to the last error or warning.
    pub fn note(&mut self, loc: Loc, message: impl Into<String>) {
        self.push(Severity::Note, loc, message.into());
    }
    /// Underlines source in the last diagnostic.
    pub fn underline(&mut self, first: Loc, last: Loc) {
        if let Some(diagnostic) = self.list.last_mut() {
            diagnostic.ranges.push((first, last));
        }
    }
    /// Whether there is an error.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }
    /// Whether so many errors were found that compilation stops.
    pub fn is_full(&self) -> bool {
        self.errors >= ERROR_LIMIT
    }

    fn push(&mut self, severity: Severity, loc: Loc, message: String) {
        self.list.push(Diagnostic { severity, loc, message, ranges: Vec::new() });
    }
}
