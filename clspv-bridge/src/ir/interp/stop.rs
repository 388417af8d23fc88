//! Reasons for which the interpreter stops.

use crate::ir::inst::Op;

/// Reason for an early end of a run.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Stop {
    /// The program has undefined behaviour.
    #[error("undefined behaviour: {0}")]
    Undefined(String),
    /// The operation is not supported by the interpreter.
    #[error("the interpreter cannot do this: {0}")]
    Unsupported(String),
    #[error("too many steps")]
    Fuel,
}

/// Undefined behaviour.
pub(super) fn undefined<T>(what: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Undefined(what.into()))
}

/// An operation that the interpreter does not support.
pub(super) fn unsupported<T>(op: &Op) -> Result<T, Stop> {
    Err(Stop::Unsupported(format!("{op:?}")))
}
