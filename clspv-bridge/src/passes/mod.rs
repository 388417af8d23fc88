//! Passes over a module, and the table that names them.

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
