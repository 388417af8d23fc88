//! Passes over a module, the table that names them, and the order they run in.

pub mod legalize;
pub mod link;
pub mod lower;
pub mod opt;
pub mod quirks;
pub mod structure;

use self::legalize::{expand_ints, promote_ints, vectors};
use self::lower::{builtins, expand_mem, generic, printf, zero_private};
use self::opt::{
    dce, demanded_bits, gvn, infer_space, inline, mem2reg, private_volatile, simplify, simplify_cfg, sroa,
};
use self::quirks::wide_loads;
use self::structure::{lcssa, ssa_repair, structurize};
use crate::error::Result;
use crate::ir::{Module, Phase};
use crate::target::Target;

/// Read-only facts that a pass may use: target and options of the compilation.
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

/// All passes, found by name with [`find`].
pub const PASSES: &[&(dyn Pass + Sync)] = &[
    &dce::Dce,
    &expand_mem::ExpandMem,
    &gvn::Gvn,
    &infer_space::InferSpace,
    &inline::Inline,
    &vectors::LegalizeVec,
    &lcssa::Lcssa,
    &builtins::LowerBuiltins,
    &generic::LowerGeneric,
    &printf::LowerPrintf,
    &mem2reg::Mem2Reg,
    &demanded_bits::DemandedBits,
    &simplify::Simplify,
    &simplify_cfg::SimplifyCfg,
    &promote_ints::PromoteInts,
    &sroa::Sroa,
    &ssa_repair::SsaRepair,
    &structurize::Structurize,
    &expand_ints::ExpandInts,
    &wide_loads::WideLoads,
    &private_volatile::PrivateVolatile,
    &zero_private::ZeroPrivate,
];

/// From a linked module with one kernel to a single optimised function (phase Inlined). Native code may keep
/// non-inlined functions besides.
pub const COMMON: &[&str] = &[
    "inline",
    "simplify_cfg",
    "infer_space",
    "simplify",
    "private_volatile",
    "sroa",
    "mem2reg",
    "infer_space",
    "simplify",
    "sroa",
    "mem2reg",
    "infer_space",
    "simplify",
    "gvn",
    "simplify_cfg",
    "simplify",
    "lower_printf",
    "lower_generic",
    "expand_mem",
    "dce",
];

/// Like [`COMMON`], for instrumented code: memory accesses stay as the program has them.
pub const INSTRUMENTED: &[&str] = &[
    "inline",
    "simplify_cfg",
    "infer_space",
    "simplify",
    "mem2reg",
    "infer_space",
    "simplify",
    "mem2reg",
    "simplify_cfg",
    "simplify",
    "lower_printf",
    "expand_mem",
    "dce",
];

/// After lowering: tidies the straightforward code that it leaves.
pub const CLEANUP: &[&str] = &["simplify", "gvn", "demanded_bits", "simplify", "gvn", "simplify_cfg", "dce"];

/// The last step before emission; nothing may change control flow after it.
pub const STRUCTURE: &[&str] = &["expand_ints", "promote_ints", "wide_loads", "structurize", "lcssa"];

/// All pipelines by name.
pub const PIPELINES: &[(&str, &[&str])] =
    &[("common", COMMON), ("instrumented", INSTRUMENTED), ("cleanup", CLEANUP), ("structure", STRUCTURE)];

/// Runs the named passes in order; true if anything changed.
pub fn run(module: &mut Module, names: &[&str], cx: &PassContext<'_>) -> Result<bool> {
    let mut changed = false;
    for name in names {
        let Some(pass) = find(name) else {
            return Err(crate::CompileError::internal(format!("no pass is named '{name}'")));
        };
        if module.phase < pass.needs() {
            return Err(crate::CompileError::internal(format!("pass '{name}' runs too early")));
        }
        changed |= pass.run(module, cx)?;
    }
    Ok(changed)
}

/// Returns the pass with this name.
pub fn find(name: &str) -> Option<&'static (dyn Pass + Sync)> {
    PASSES.iter().copied().find(|p| p.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipelines_name_passes() {
        for (_, names) in PIPELINES {
            assert!(names.iter().all(|n| find(n).is_some()));
        }
        let mut names: Vec<_> = PASSES.iter().map(|p| p.name()).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), PASSES.len());
    }
}
