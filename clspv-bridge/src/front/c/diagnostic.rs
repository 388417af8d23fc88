//! Diagnostics of a translation unit: errors, warnings and notes at source locations.

use super::source::Loc;
use super::warning::{Level, WarningPolicy};

/// Severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// Explains the diagnostic before it.
    Note,
    Warning,
    Error,
    /// Error after which nothing else is reported, e.g. a header that is not found.
    Fatal,
}

/// A message at a location.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    /// Group that turns a warning off, e.g. "unused-value" for -Wno-unused-value; empty for others.
    pub group: &'static str,
    /// Whether an option or pragma made an error of the warning.
    pub is_promoted: bool,
    pub loc: Loc,
    pub message: String,
    /// Source to underline: first and last token.
    pub ranges: Vec<(Loc, Loc)>,
    /// Text that could stand at the location instead, or be inserted there.
    pub hint: Option<String>,
}

/// Number of errors after which a compilation stops.
pub const ERROR_LIMIT: usize = 20;

/// Number of warnings after which others are not kept.
const WARNING_LIMIT: usize = 2000;

/// Diagnostics in the order in which they were found.
#[derive(Debug, Default)]
pub struct Diagnostics {
    pub list: Vec<Diagnostic>,
    pub policy: WarningPolicy,
    errors: usize,
    warnings: usize,
    is_fatal: bool,
    /// Errors were found after the limit.
    has_more: bool,
    /// The last error or warning was not kept, so its notes are not either.
    skips_notes: bool,
}

impl Diagnostics {
    /// Adds an error. Notes that explain it follow.
    pub fn error(&mut self, loc: Loc, message: impl Into<String>) {
        self.push_error(Severity::Error, ("", false), loc, message);
    }
    /// Adds an error after which nothing else is reported.
    pub fn fatal(&mut self, loc: Loc, message: impl Into<String>) {
        self.push_error(Severity::Fatal, ("", false), loc, message);
    }
    /// Adds a warning of a group; one of the group "" cannot be turned off by itself.
    pub fn warning(&mut self, group: &'static str, loc: Loc, message: impl Into<String>) {
        self.grouped(group, Level::Warning, loc, message);
    }
    /// Adds an error that options and pragmas can turn off by its group.
    pub fn default_error(&mut self, group: &'static str, loc: Loc, message: impl Into<String>) {
        self.grouped(group, Level::Error, loc, message);
    }
    /// Adds a note to the last error or warning.
    pub fn note(&mut self, loc: Loc, message: impl Into<String>) {
        if !self.skips_notes {
            self.push(Severity::Note, ("", false), loc, message.into());
        }
    }
    /// Underlines source in the last diagnostic.
    pub fn underline(&mut self, first: Loc, last: Loc) {
        if let (Some(diagnostic), false) = (self.list.last_mut(), self.skips_notes) {
            diagnostic.ranges.push((first, last));
        }
    }
    /// Adds what could stand at the location of the last diagnostic.
    pub fn suggest(&mut self, text: impl Into<String>) {
        if let (Some(diagnostic), false) = (self.list.last_mut(), self.skips_notes) {
            diagnostic.hint = Some(text.into());
        }
    }
    /// Whether there is an error.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }
    /// Whether compilation stops: after a fatal error, or at the limit of errors.
    pub fn is_full(&self) -> bool {
        self.is_fatal || self.errors >= ERROR_LIMIT
    }
    /// Whether errors were found after the limit.
    pub fn has_more(&self) -> bool {
        self.has_more
    }
    /// Number of errors (warnings that are errors included) and of other warnings.
    pub fn counts(&self) -> (usize, usize) {
        (self.errors, self.warnings)
    }

    fn grouped(&mut self, group: &'static str, default: Level, loc: Loc, message: impl Into<String>) {
        match self.policy.level(group, default) {
            (Level::Ignored, _) => self.skips_notes = true,
            (Level::Warning, _) if self.is_fatal || self.warnings >= WARNING_LIMIT => self.skips_notes = true,
            (Level::Warning, _) => {
                self.warnings += 1;
                self.skips_notes = false;
                self.push(Severity::Warning, (group, false), loc, message.into());
            }
            (Level::Error, is_promoted) => {
                self.push_error(Severity::Error, (group, is_promoted), loc, message);
            }
            (Level::Fatal, _) => self.push_error(Severity::Fatal, (group, false), loc, message),
        }
    }

    fn push_error(
        &mut self,
        severity: Severity,
        group: (&'static str, bool),
        loc: Loc,
        message: impl Into<String>,
    ) {
        self.skips_notes = self.is_full();
        if self.is_full() {
            self.has_more |= !self.is_fatal;
            return;
        }
        self.errors += 1;
        self.is_fatal |= severity == Severity::Fatal;
        self.push(severity, group, loc, message.into());
    }

    fn push(
        &mut self,
        severity: Severity,
        (group, is_promoted): (&'static str, bool),
        loc: Loc,
        message: String,
    ) {
        self.list.push(Diagnostic {
            severity,
            group,
            is_promoted,
            loc,
            message,
            ranges: Vec::new(),
            hint: None,
        });
    }
}
