//! Treatment of warnings: the options -w, -Werror, -W... and the pragmas `clang diagnostic` and
//! `GCC diagnostic`.
//!
//! The preprocessor and the parser each read the pragmas as they reach them, so that a pragma concerns what
//! follows it.

use crate::options::Options;
use rustc_hash::FxHashMap;

/// Severity that a warning is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    Ignored,
    Warning,
    Error,
    Fatal,
}

/// Groups that other groups are parts of, with those groups.
const PARENTS: &[(&str, &[&str])] = &[
    ("unused", &["unused-value", "unused-comparison"]),
    ("unused-value", &["unused-comparison"]),
    ("conversion", &["constant-conversion", "literal-conversion"]),
    ("incompatible-pointer-types", &["incompatible-pointer-types-discards-qualifiers"]),
    ("implicit", &["implicit-int"]),
    ("attributes", &["unknown-attributes", "ignored-attributes"]),
    ("pragmas", &["ignored-pragmas", "unknown-pragmas"]),
    ("cpp", &["#warnings"]),
    ("pedantic", &["extra-tokens", "void-ptr-dereference"]),
];

/// How a group is treated.
#[derive(Clone, Copy, Debug, Default)]
struct Setting {
    level: Option<Level>,
    /// Whether -Werror does not concern the group.
    stays_warning: bool,
}

type Settings = FxHashMap<String, Setting>;

/// Treatment of warnings at a point of the translation unit.
#[derive(Clone, Debug, Default)]
pub struct WarningPolicy {
    are_off: bool,
    are_errors: bool,
    settings: Settings,
    /// Settings before each `push`.
    saved: Vec<Settings>,
    /// Settings of the options.
    initial: Settings,
}

/// A pragma about warnings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiagnosticPragma<'t> {
    Push,
    Pop,
    /// Level of a group.
    Set(Level, &'t str),
}

impl<'t> DiagnosticPragma<'t> {
    /// Reads a pragma's text. `None` for other pragmas; an error is what is wrong with it.
    pub fn parse(text: &'t str) -> Option<Result<DiagnosticPragma<'t>, PragmaFault>> {
        let rest = text.strip_prefix("clang").or_else(|| text.strip_prefix("GCC"))?;
        let rest = rest.trim_start().strip_prefix("diagnostic")?.trim();
        let (word, operand) = match rest.find(|c: char| c.is_whitespace() || c == '"') {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        let level = match word {
            "push" => return Some(Ok(DiagnosticPragma::Push)),
            "pop" => return Some(Ok(DiagnosticPragma::Pop)),
            "ignored" => Level::Ignored,
            "warning" => Level::Warning,
            "error" => Level::Error,
            "fatal" => Level::Fatal,
            _ => return Some(Err(PragmaFault::Kind)),
        };
        let name = operand.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let Some(name) = name else { return Some(Err(PragmaFault::Operand)) };
        Some(
            name.strip_prefix("-W").map(|group| DiagnosticPragma::Set(level, group)).ok_or(PragmaFault::Name),
        )
    }
}

/// Fault of a pragma about warnings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PragmaFault {
    Kind,
    Operand,
    Name,
    Pop,
}

impl PragmaFault {
    /// Text of the diagnostic.
    pub fn text(self) -> &'static str {
        match self {
            PragmaFault::Kind => {
                "pragma diagnostic expected 'error', 'warning', 'ignored', 'fatal', 'push', or 'pop'"
            }
            PragmaFault::Operand => "expected string literal in pragma diagnostic",
            PragmaFault::Name => "pragma diagnostic expected option name (e.g. \"-Wundef\")",
            PragmaFault::Pop => "pragma diagnostic pop could not pop, no matching push",
        }
    }
}

impl WarningPolicy {
    /// The treatment that options request; the last option about a group counts.
    pub fn new(options: &Options) -> WarningPolicy {
        let mut policy = WarningPolicy {
            are_off: options.warnings_off,
            are_errors: options.warnings_are_errors,
            ..WarningPolicy::default()
        };
        for option in &options.warnings {
            policy.option(option);
        }
        policy.initial = policy.settings.clone();
        policy
    }

    /// Applies an option without its "-W", e.g. "no-unused-value" or "error=unused-value".
    fn option(&mut self, option: &str) {
        if let Some(group) = option.strip_prefix("no-error=") {
            self.set(group, |setting| {
                setting.stays_warning = true;
                if setting.level == Some(Level::Error) {
                    setting.level = Some(Level::Warning);
                }
            });
        } else if let Some(group) = option.strip_prefix("error=") {
            self.set(group, |setting| *setting = Setting { level: Some(Level::Error), stays_warning: false });
        } else if let Some(group) = option.strip_prefix("no-") {
            self.set(group, |setting| setting.level = Some(Level::Ignored));
        } else {
            self.set(option, |setting| {
                if setting.level == Some(Level::Ignored) {
                    setting.level = Some(Level::Warning);
                }
            });
        }
    }

    /// Changes the settings of a group and of its parts.
    fn set(&mut self, group: &str, change: impl Fn(&mut Setting)) {
        change(self.settings.entry(group.to_owned()).or_default());
        let parts = PARENTS.iter().filter(|(parent, _)| *parent == group).flat_map(|(_, parts)| *parts);
        for part in parts {
            change(self.settings.entry((*part).to_owned()).or_default());
        }
    }

    /// Applies a pragma. An error if there is no `push` for a `pop`.
    pub fn apply(&mut self, pragma: DiagnosticPragma<'_>) -> Result<(), PragmaFault> {
        match pragma {
            DiagnosticPragma::Push if self.saved.len() < 1000 => self.saved.push(self.settings.clone()),
            DiagnosticPragma::Push => {}
            DiagnosticPragma::Pop => self.settings = self.saved.pop().ok_or(PragmaFault::Pop)?,
            DiagnosticPragma::Set(level, group) => {
                self.set(group, |setting| *setting = Setting { level: Some(level), stays_warning: true });
            }
        }
        Ok(())
    }

    /// Forgets all pragmas, for the next pass over the unit.
    pub fn restart(&mut self) {
        self.settings = self.initial.clone();
        self.saved.clear();
    }

    /// Level of a warning whose level is `default` unless something is set, and whether -Werror or its like
    /// made it an error.
    pub fn level(&self, group: &str, default: Level) -> (Level, bool) {
        let own = self.settings.get(group).copied().unwrap_or_default();
        let all = self.settings.get("everything").copied().unwrap_or_default();
        let level = own.level.or(all.level).unwrap_or(default);
        let stays = own.stays_warning || all.stays_warning;
        match level {
            Level::Warning if self.are_errors && !stays => (Level::Error, true),
            Level::Warning if self.are_off => (Level::Ignored, false),
            Level::Error => (Level::Error, default == Level::Warning),
            level => (level, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(warnings: &[&str], are_errors: bool) -> WarningPolicy {
        let warnings = warnings.iter().map(|w| (*w).to_owned()).collect();
        WarningPolicy::new(&Options { warnings, warnings_are_errors: are_errors, ..Options::default() })
    }

    #[test]
    fn the_last_option_counts() {
        let level = |warnings: &[&str], are_errors| policy(warnings, are_errors).level("a", Level::Warning).0;
        assert_eq!(level(&[], false), Level::Warning);
        assert_eq!(level(&["no-a"], true), Level::Ignored);
        assert_eq!(level(&["no-a", "a"], false), Level::Warning);
        assert_eq!(level(&["error=a", "no-error=a"], false), Level::Warning);
        assert_eq!(level(&["no-error=a"], true), Level::Warning);
        assert_eq!(level(&["error=a"], false), Level::Error);
        assert_eq!(level(&["no-everything"], false), Level::Ignored);
    }

    #[test]
    fn pragmas_are_read() {
        let read = |text| DiagnosticPragma::parse(text);
        assert_eq!(read("clang diagnostic push"), Some(Ok(DiagnosticPragma::Push)));
        let set = DiagnosticPragma::Set(Level::Error, "x");
        assert_eq!(read("GCC diagnostic error \"-Wx\""), Some(Ok(set)));
        assert_eq!(read("clang diagnostic error\"-Wx\""), Some(Ok(set)));
        assert_eq!(read("clang diagnostic error \"x\""), Some(Err(PragmaFault::Name)));
        assert_eq!(read("clang diagnostic error"), Some(Err(PragmaFault::Operand)));
        assert_eq!(read("clang diagnostic"), Some(Err(PragmaFault::Kind)));
        assert_eq!(read("clang loop unroll(full)"), None);
        assert_eq!(read("unroll"), None);
    }

    #[test]
    fn pop_restores() {
        let mut policy = policy(&[], false);
        policy.apply(DiagnosticPragma::Push).unwrap();
        policy.apply(DiagnosticPragma::Set(Level::Ignored, "unused")).unwrap();
        assert_eq!(policy.level("unused-value", Level::Warning).0, Level::Ignored);
        policy.apply(DiagnosticPragma::Pop).unwrap();
        assert_eq!(policy.level("unused-value", Level::Warning).0, Level::Warning);
        assert_eq!(policy.apply(DiagnosticPragma::Pop), Err(PragmaFault::Pop));
    }
}
