//! Names that carry facts through clang's SPIR-V back end: LLVM IR is rewritten to use them
//! ([`super::clang`]), and the SPIR-V reader ([`super::spirv`]) interprets them.
//!
//! No identifier of OpenCL C has a dot, and names that begin with `__` or `pc_` are this compiler's own.

/// Function that is called before each instruction whose line differs from the last one, with the line's
/// number.
pub const LINE: &str = "pc_line";

/// Prefix of calls of the runtime (device-side enqueue); the name of a [`crate::ir::RuntimeCall`] follows.
pub const RUNTIME: &str = "pc_runtime_";

/// Prefix of conversions between integers: the name of the built-in without it, a dot, and the mangled type
/// of the operand follow.
pub const CONVERT: &str = "pc_convert_";

/// Prefix of functions on atomic types: name, dot and mangled parameters follow.
pub const C11_ATOMIC: &str = "pc_c11.";

/// Prefix of `vloada_half3`: the mangled parameters follow.
pub const VLOADA_HALF3: &str = "pc_vloada_half3.";

/// Prefix of external variables that represent variables of the module; the variable's name follows.
pub const REFERENCE: &str = "pc.ref.";

/// Prefix of the names of local variables: size, dot and name follow.
pub const SIZED: &str = "pc.size.";

/// Function that the front end adds to translation units without any; dropped when the module is read.
pub const UNIT_FUNCTION: &str = "__pc_unit";
