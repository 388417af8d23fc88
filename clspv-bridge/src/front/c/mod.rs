//! Front end for OpenCL C: source text to [`crate::ir::Module`] in phase Imported.
//!
//! ```text
//! text --lex, preprocess--> tokens --parse, sema--> typed tree (ast::Unit) --lower--> ir::Module
//! ```
//!
//! The input is arbitrary: no function panics, and time, memory and recursion are bounded.

pub mod ast;
pub mod builtins;
pub mod check;
pub mod compile;
pub mod declaration;
pub mod diagnostic;
pub mod language;
pub mod layout;
pub mod lex;
pub mod lower;
pub mod overload;
pub mod parse;
pub mod preprocess;
pub mod render;
pub mod sema;
pub mod session;
pub mod source;
pub mod symbol;
pub mod token;
pub mod types;
pub mod warning;

pub use compile::compile;

#[cfg(test)]
mod tests;
