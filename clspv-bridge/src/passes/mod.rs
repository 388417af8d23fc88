//! Passes over a module, the table that names them, and the order they run in.

pub mod dce;
pub mod inline;
pub mod legalize_float;
pub mod legalize_int;
pub mod legalize_mem;
pub mod legalize_vec;
pub mod link;
pub mod lower;
pub mod lower_access;
pub mod lower_globals;
pub mod lower_kernel_abi;
pub mod lower_mem;
pub mod lower_regions;
pub mod lower_work_item;
pub mod ssa_repair;
pub mod structurize;

use crate::error::Result;
use crate::ir::{Module, Phase};
use crate::target::Target;

/// What a pass may know of the compilation.
pub struct PassContext<'a> {
    pub target: &'a Target,
    pub options: &'a crate::driver::Options,
}

/// A transformation of a module.
pub trait Pass {
    /// Name on the command line and in filetests.
    fn name(&self) -> &'static str;
    /// Lowest phase the module must have reached.
    fn needs(&self) -> Phase {
        Phase::Imported
    }
    /// Changes the module; true if anything changed. A pass that completes a phase sets `module.phase`.
    fn run(&self, module: &mut Module, cx: &PassContext<'_>) -> Result<bool>;
}

/// Every pass.
pub const PASSES: &[&(dyn Pass + Sync)] = &[&dce::Dce, &inline::Inline, &ssa_repair::SsaRepair, &structurize::Structurize];

/// The pass with this name.
pub fn find(name: &str) -> Option<&'static (dyn Pass + Sync)> {
    PASSES.iter().copied().find(|p| p.name() == name)
}
