//! Modules: functions, program-scope variables, kernels.

use super::entity::{FuncRef, Global, PrimaryMap};
use super::func::{Function, Linkage};
use super::types::Space;
use crate::metadata::KernelInfo;
use serde::{Deserialize, Serialize};

/// Degree of lowering of a module. Passes declare the phase they require; the verifier rejects what each
/// phase forbids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Phase {
    /// As read: calls, imports, slots.
    #[default]
    Imported,
    /// Imports that are called have been resolved.
    Linked,
    /// Calls have been inlined and only kernels remain. Native code may keep non-inlined functions and calls
    /// of them.
    Inlined,
    /// Memory accesses name an address or a variable. Functions other than kernels, pointers, slots, OpenCL
    /// built-ins and work-item queries have been removed.
    Lowered,
    /// Only types and accesses that the target supports.
    Legal,
    /// Structured control flow with merge annotations.
    Structured,
}

/// Initial contents of a global at a byte offset that is the address of (another global + addend).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reloc {
    pub offset: u32,
    pub target: Global,
    pub addend: i64,
}

/// A program-scope variable: `__constant` data, `__global` variable, or a `__local` variable of kernels.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GlobalData {
    pub name: String,
    pub space: Space,
    pub linkage: Linkage,
    pub size: u32,
    pub align: u32,
    /// Initial bytes; `None` is zero (or, in local memory, uninitialised).
    pub init: Option<Vec<u8>>,
    pub relocs: Vec<Reloc>,
    /// Never written (constant address space or `const`).
    pub readonly: bool,
}

impl GlobalData {
    /// A local variable of the compiler's own, uninitialised and aligned to 16 bytes.
    pub fn local(name: &str, size: u32) -> GlobalData {
        GlobalData {
            name: name.to_owned(),
            space: Space::Local,
            linkage: Linkage::Internal,
            size,
            align: 16,
            init: None,
            relocs: Vec::new(),
            readonly: false,
        }
    }
}

/// A compilation unit.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Module {
    pub phase: Phase,
    pub functions: PrimaryMap<FuncRef, Function>,
    pub globals: PrimaryMap<Global, GlobalData>,
    pub kernels: Vec<KernelInfo>,
}

impl Module {
    /// Returns the function with this name.
    pub fn find(&self, name: &str) -> Option<FuncRef> {
        self.functions.iter().find(|(_, f)| f.name == name).map(|(r, _)| r)
    }
}
