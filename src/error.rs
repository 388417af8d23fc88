//! Errors of the runtime: an OpenCL error code with a text for the log, and the single table that maps errors
//! of lower layers to codes.
//!
//! The text is not returned to the application; it goes to the log and to the context's notify callback.

use crate::cl::*;
use clspv_bridge::CompileError;
use std::fmt;

/// An OpenCL error code (negative).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ErrorCode(pub cl_int);

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match error_name(self.0) {
            Some(name) => f.write_str(name),
            None => write!(f, "error {}", self.0),
        }
    }
}

impl fmt::Debug for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Error of an API call.
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    pub code: ErrorCode,
    pub detail: Option<Box<str>>,
}

/// Result of the runtime.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error without a text.
    pub fn new(code: cl_int) -> Self {
        Error { code: ErrorCode(code), detail: None }
    }
    /// An error with a text for the log.
    pub fn with(code: cl_int, detail: impl Into<Box<str>>) -> Self {
        Error { code: ErrorCode(code), detail: Some(detail.into()) }
    }
    /// The code as the C interface returns it.
    pub fn code(&self) -> cl_int {
        self.code.0
    }
    /// The error of an operation whose failures by diagnostics have the code `failure`, one of
    /// CL_BUILD_PROGRAM_FAILURE, CL_COMPILE_PROGRAM_FAILURE and CL_LINK_PROGRAM_FAILURE.
    pub(crate) fn for_build(error: CompileError, failure: cl_int) -> Self {
        let mut mapped = Error::from(error);
        if mapped.code.0 == CL_BUILD_PROGRAM_FAILURE {
            mapped.code = ErrorCode(failure);
        }
        mapped
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.detail {
            Some(detail) => write!(f, "{}: {detail}", self.code),
            None => fmt::Display::fmt(&self.code, f),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

impl From<ErrorCode> for Error {
    fn from(code: ErrorCode) -> Self {
        Error { code, detail: None }
    }
}

impl From<CompileError> for Error {
    fn from(error: CompileError) -> Self {
        let code = match &error {
            CompileError::Diagnostics(_)
            | CompileError::Unsupported { .. }
            | CompileError::Unresolved { .. }
            | CompileError::Recursion { .. }
            | CompileError::ToolFailed(_)
            | CompileError::Internal(_) => CL_BUILD_PROGRAM_FAILURE,
            CompileError::InvalidIl(_) => CL_INVALID_VALUE,
            CompileError::ToolMissing(_) => CL_COMPILER_NOT_AVAILABLE,
        };
        Error::with(code, error.to_string())
    }
}

/// An [`Error`] from a code and, optionally, a format string with arguments.
#[macro_export]
macro_rules! err {
    ($code:expr) => { $crate::error::Error::new($code) };
    ($code:expr, $($text:tt)+) => { $crate::error::Error::with($code, format!($($text)+)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilation_failures_map_to_codes() {
        let failed = CompileError::Diagnostics("x".into());
        assert_eq!(Error::for_build(failed, CL_LINK_PROGRAM_FAILURE).code(), CL_LINK_PROGRAM_FAILURE);
        let missing = CompileError::ToolMissing("clang".into());
        assert_eq!(Error::for_build(missing, CL_LINK_PROGRAM_FAILURE).code(), CL_COMPILER_NOT_AVAILABLE);
    }

    #[test]
    fn errors_show_the_name_of_the_code() {
        assert_eq!(err!(CL_INVALID_VALUE).to_string(), "CL_INVALID_VALUE");
        assert_eq!(err!(CL_INVALID_VALUE, "size {}", 3).to_string(), "CL_INVALID_VALUE: size 3");
        assert_eq!(err!(-9999).to_string(), "error -9999");
    }
}
