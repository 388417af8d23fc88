//! Front ends: OpenCL C, clang as a child process, and the reader of OpenCL SPIR-V.

pub mod c;
pub mod clang;
pub(crate) mod expand;
pub(crate) mod locate;
pub(crate) mod markers;
pub mod spirv;

/// Initial state of FNV-1a.
const FNV: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a, continued from a state: a hash that distinguishes modules.
fn fnv(state: u64, units: impl Iterator<Item = u64>) -> u64 {
    units.fold(state, |h, unit| (h ^ unit).wrapping_mul(0x0000_0100_0000_01b3))
}
