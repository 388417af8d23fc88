//! Built-in functions of OpenCL C: their signatures, overload resolution, and lowering.
//!
//! The [`table`] has a row for each function and shape of signature, written from the specification (OpenCL
//! C, section 6.15, and the extensions that the devices report). [`resolve::resolve`] finds the row and the
//! types of a call.

pub mod lower;
pub mod pattern;
pub mod resolve;
pub mod row;
pub mod table;

pub use resolve::{block_function, is_builtin};
pub use row::{ArgType, BuiltinExpansion, BuiltinSignature, EnqueueOp, NoMatch, Resolved};
