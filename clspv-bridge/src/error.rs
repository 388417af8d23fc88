//! Errors of compilation, and their causes.

/// Failure of a compilation step.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CompileError {
    /// The program is wrong: the front end's diagnostics, ready for the build log.
    #[error("{0}")]
    Diagnostics(String),
    /// A valid construct that this compiler or this target does not support. Names the construct.
    #[error("{}unsupported: {construct}", line_prefix(*.line))]
    Unsupported { construct: String, line: u32 },
    /// The SPIR-V input is malformed or not allowed in the OpenCL environment.
    #[error("invalid SPIR-V: {0}")]
    InvalidIl(String),
    /// An undefined external function or variable at link time.
    #[error("{}unresolved symbol '{name}'", line_prefix(*.line))]
    Unresolved { name: String, line: u32 },
    /// A function that calls itself, directly or through others, which OpenCL C does not allow.
    #[error("{}recursion: function '{name}' calls itself", line_prefix(*.line))]
    Recursion { name: String, line: u32 },
    /// The front-end tool was not found.
    #[error("{0}")]
    ToolMissing(String),
    /// The front-end tool crashed, timed out or could not be run.
    #[error("{0}")]
    ToolFailed(String),
    /// A bug of this compiler.
    #[error("internal compiler error: {0}")]
    Internal(String),
}

fn line_prefix(line: u32) -> String {
    if line == 0 { String::new() } else { format!("line {line}: ") }
}

impl CompileError {
    /// Makes an [`CompileError::Unsupported`] at a source line (0 if unknown).
    pub fn unsupported(construct: impl Into<String>, line: u32) -> Self {
        CompileError::Unsupported { construct: construct.into(), line }
    }
    /// The source line (0 if unknown), and the text without it.
    pub(crate) fn at_line(&self) -> (u32, String) {
        let line = match self {
            CompileError::Unsupported { line, .. }
            | CompileError::Unresolved { line, .. }
            | CompileError::Recursion { line, .. } => *line,
            _ => 0,
        };
        let text = self.to_string();
        (line, text.strip_prefix(&line_prefix(line)).unwrap_or(&text).to_owned())
    }
    /// Makes an [`CompileError::InvalidIl`] in the function at a source line (0 if unknown).
    pub fn invalid(what: impl std::fmt::Display, line: u32) -> Self {
        CompileError::InvalidIl(format!("{}{what}", line_prefix(line)))
    }
    /// Makes an [`CompileError::Internal`].
    pub fn internal(what: impl Into<String>) -> Self {
        CompileError::Internal(what.into())
    }
}

/// Makes a [`CompileError::Internal`] for a broken invariant of the compiler; takes a format string. Debug
/// builds panic instead, so that tests notice.
macro_rules! ice {
    ($($what:tt)*) => {{
        debug_assert!(false, $($what)*);
        $crate::error::CompileError::internal(format!($($what)*))
    }};
}
pub(crate) use ice;

/// Values that are absent only if an invariant of the compiler is broken.
pub(crate) trait Invariant<T> {
    /// The value; without it, an internal error ([`ice`]) that says what is missing.
    fn invariant(self, missing: &str) -> Result<T>;
}

impl<T> Invariant<T> for Option<T> {
    #[track_caller]
    fn invariant(self, missing: &str) -> Result<T> {
        self.ok_or_else(|| ice!("{missing}"))
    }
}

/// Result of a compilation step.
pub type Result<T> = std::result::Result<T, CompileError>;
