//! Expansion of built-in operations that the IR has no instruction for, shared by the front ends.

pub mod images;
pub mod numbers;
pub mod opencl_std;
pub mod work_item;

use crate::ir::{Builder, Function, Op, Type, Value};

/// Emission of instructions at the current position of a front end.
pub trait EmitOps {
    /// The function that is being made.
    fn func(&mut self) -> &mut Function;
    /// A builder at the current position.
    fn builder(&mut self) -> Builder<'_>;
    /// Appends an instruction with the permissions of floating-point operations in effect.
    fn emit(&mut self, op: Op, args: &[Value], ty: Type) -> Value;
}
