//! The order of all passes, for Vulkan and for native code, from a linked kernel to what the back ends take.
//!
//! ```text
//! link::kernel_module -> PREPARE -> OPTIMISE (or INSTRUMENT)              one function for each kernel
//!   Vulkan, for each pointer mode:  LOWER -> TIDY_LOWERED -> STRUCTURE    -> back::spirv
//!   native: NATIVE                                                      -> back::llvm, back::cranelift
//! ```
//!
//! A kernel whose code is generated later only runs CHECK when its program is built.
//!
//! A pass that does not apply to the target or the options is skipped ([`Pass::applies`]). After each pass
//! the module is verified in debug builds and with `PYROCLAST_VALIDATE=ir`, and an observer sees it.

use crate::abi::{LaunchAbi, PointerMode};
use crate::error::{CompileError, Result};
use crate::ir::{Module, Op};
use crate::passes::legalize::expand_ints::ExpandInts;
use crate::passes::legalize::floats::LegalizeFloats;
use crate::passes::legalize::ints::LegalizeInts;
use crate::passes::legalize::memory::{ExpandFloatAtomics, ExpandSequentialAtomics};
use crate::passes::legalize::promote_ints::PromoteInts;
use crate::passes::legalize::vectors::LegalizeVec;
use crate::passes::lower::arguments::LowerArguments;
use crate::passes::lower::builtins::{LinkBuiltins, LowerBuiltins};
use crate::passes::lower::expand_mem::ExpandMem;
use crate::passes::lower::generic::LowerGeneric;
use crate::passes::lower::globals::DataLayout;
use crate::passes::lower::groups::LowerGroups;
use crate::passes::lower::groups::resize::ResizeSubGroups;
use crate::passes::lower::images::LowerImages;
use crate::passes::lower::kernel_abi::{LowerByValue, LowerValueParams};
use crate::passes::lower::memory::LowerMemory;
use crate::passes::lower::merge_stores::MergeStores;
use crate::passes::lower::printf::LowerPrintf;
use crate::passes::lower::state::Lowering;
use crate::passes::lower::widen_local::WidenLocal;
use crate::passes::lower::work_item::LowerWorkItem;
use crate::passes::lower::zero_private::ZeroPrivate;
use crate::passes::native::checks::NativeChecks;
use crate::passes::native::close_loops::CloseLoops;
use crate::passes::native::regions::ParallelRegions;
use crate::passes::native::structure::NativeStructure;
use crate::passes::native::sub_groups::NativeSubGroups;
use crate::passes::native::thread_masks::ThreadMasks;
use crate::passes::native::vectorize::Vectorize;
use crate::passes::native::word_accesses::WordAccesses;
use crate::passes::opt::compact::Compact;
use crate::passes::opt::dce::Dce;
use crate::passes::opt::demanded_bits::DemandedBits;
use crate::passes::opt::dot_products::DotProducts;
use crate::passes::opt::gvn::Gvn;
use crate::passes::opt::infer_space::InferSpace;
use crate::passes::opt::inline::{CheckCalls, Inline, InlineInternal};
use crate::passes::opt::instrumentation::MarkCopies;
use crate::passes::opt::licm::Licm;
use crate::passes::opt::mem2reg::Mem2Reg;
use crate::passes::opt::private_volatile::PrivateVolatile;
use crate::passes::opt::rotate_loops::RotateLoops;
use crate::passes::opt::separate_offsets::SeparateOffsets;
use crate::passes::opt::simplify::Simplify;
use crate::passes::opt::simplify_cfg::SimplifyCfg;
use crate::passes::opt::sroa::Sroa;
use crate::passes::opt::thread_branches::ThreadBranches;
use crate::passes::opt::thread_headers::ThreadHeaders;
use crate::passes::opt::unroll::Unroll;
use crate::passes::opt::unroll_reads::UnrollReads;
use crate::passes::opt::unroll_while::UnrollWhile;
use crate::passes::quirks::expand_copysign::ExpandCopysign;
use crate::passes::quirks::expand_division::ExpandDivision;
use crate::passes::quirks::expand_rotations::ExpandRotations;
use crate::passes::quirks::expand_rounding::ExpandRounding;
use crate::passes::quirks::flush_denorms::FlushDenorms;
use crate::passes::quirks::flushed_div::FlushedDiv;
use crate::passes::quirks::guard_lanes::GuardLanes;
use crate::passes::quirks::guard_loads::GuardLoads;
use crate::passes::quirks::wide_loads::WideLoads;
use crate::passes::structure::lcssa::Lcssa;
use crate::passes::structure::ssa_repair::SsaRepair;
use crate::passes::structure::structurize::Structurize;
use crate::passes::{Origin, Pass, PassContext};
use std::sync::OnceLock;
use std::time::Instant;

/// Passes in order.
pub type Passes = &'static [&'static dyn Pass];

/// A kernel in a module of its own: arguments, and calls of the built-in library.
pub(crate) const PREPARE: Passes = &[&ZeroPrivate, &LowerByValue, &LinkBuiltins, &MarkCopies];

/// The errors of a kernel whose code is generated later.
pub(crate) const CHECK: Passes = &[&LinkBuiltins, &CheckCalls];

/// From a linked kernel to a single optimised function (phase Inlined). Native code may keep non-inlined
/// functions besides.
pub const OPTIMISE: Passes = &[
    &Inline,
    &SimplifyCfg,
    &InferSpace,
    &Simplify,
    &PrivateVolatile,
    &Sroa,
    &Mem2Reg,
    // Promoted variables show where pointers come from, and pointers which variables can be split.
    &InferSpace,
    &Simplify,
    &Sroa,
    &Mem2Reg,
    &InferSpace,
    &Simplify,
    &Gvn,
    &SimplifyCfg,
    &Simplify,
    &DotProducts,
    &LowerPrintf,
    &LowerGeneric,
    &ExpandMem,
    &Dce,
    &Compact,
];

/// Like [`OPTIMISE`], for programs that no optimiser has seen before: those of [`crate::front::c`].
pub const OPTIMISE_SOURCE: Passes = &[
    &Inline,
    &SimplifyCfg,
    &InferSpace,
    &Simplify,
    &PrivateVolatile,
    &Sroa,
    &Mem2Reg,
    &InferSpace,
    &Simplify,
    &Gvn,
    &ThreadBranches,
    &SimplifyCfg,
    &Unroll,
    // Iterations that are never reached go before variables are split: their indices are out of range.
    &SimplifyCfg,
    &Simplify,
    &SimplifyCfg,
    &Simplify,
    &Sroa,
    &Mem2Reg,
    &InferSpace,
    &Simplify,
    &Gvn,
    &SimplifyCfg,
    &Simplify,
    &ThreadHeaders,
    &RotateLoops,
    &UnrollWhile,
    &SimplifyCfg,
    &SeparateOffsets,
    &Gvn,
    &Licm,
    &UnrollReads,
    &Simplify,
    &DotProducts,
    &LowerPrintf,
    &LowerGeneric,
    &ExpandMem,
    &Dce,
    &Compact,
];

/// Passes for the functions of the built-in library, which are linked to kernels one by one.
pub(crate) const LIBRARY: Passes = &[
    &InlineInternal,
    &SimplifyCfg,
    &InferSpace,
    &Simplify,
    &Sroa,
    &Mem2Reg,
    &InferSpace,
    &Simplify,
    &Gvn,
    &SimplifyCfg,
    &Unroll,
    // Iterations that are never reached go before variables are split: their indices are out of range.
    &SimplifyCfg,
    &Simplify,
    &SimplifyCfg,
    &Simplify,
    &Sroa,
    &Mem2Reg,
    &Simplify,
    &Gvn,
    &SimplifyCfg,
    &Simplify,
    &Dce,
];

/// Like [`OPTIMISE`], for instrumented code: memory accesses stay as the program has them.
pub(crate) const INSTRUMENT: Passes = &[
    &Inline,
    &SimplifyCfg,
    &InferSpace,
    &Simplify,
    &Mem2Reg,
    &InferSpace,
    &Simplify,
    &Mem2Reg,
    &SimplifyCfg,
    &Simplify,
    &LowerPrintf,
    &ExpandMem,
    &Dce,
];

/// From an optimised kernel to a function without pointers and parameters (phase Legal), for one pointer
/// mode.
pub(crate) const LOWER: Passes = &[
    &LegalizeFloats,
    &FlushedDiv,
    &FlushDenorms,
    &LowerGeneric,
    &ExpandMem,
    &ExpandFloatAtomics,
    &ExpandSequentialAtomics,
    &ResizeSubGroups,
    &LowerGroups,
    &LowerWorkItem,
    &LowerValueParams,
    &LowerImages,
    &LegalizeVec,
    &MergeStores,
    &LowerMemory,
    &GuardLoads,
    &LegalizeInts,
    &LowerArguments,
];

/// Tidies the straightforward code that lowering leaves.
pub const TIDY_LOWERED: Passes =
    &[&Simplify, &Gvn, &WidenLocal, &DemandedBits, &Simplify, &Gvn, &SimplifyCfg, &Dce];

/// 64-bit integers, for targets that lack them.
pub const EXPAND_INTS: Passes = &[&ExpandInts, &Simplify, &Gvn, &SimplifyCfg, &Dce];

/// The last step before emission; nothing may change control flow after it.
pub const STRUCTURE: Passes = &[
    &ExpandDivision,
    &PromoteInts,
    &WideLoads,
    &ExpandRounding,
    &ExpandCopysign,
    &ExpandRotations,
    &GuardLanes,
    &Structurize,
    &Lcssa,
];

/// From an optimised kernel, with the functions that it calls, to what `back::llvm` takes. The phase stays
/// Inlined.
pub const NATIVE: Passes = &[
    &PromoteInts,
    &WordAccesses,
    &NativeSubGroups,
    &NativeStructure,
    &CloseLoops,
    &NativeChecks,
    &Vectorize,
    &ParallelRegions,
    &ThreadMasks,
];

/// Passes that only filetests run by themselves.
const PARTS: Passes = &[&LowerBuiltins, &SsaRepair];

/// All pipelines by name.
pub const PIPELINES: &[(&str, Passes)] = &[
    ("prepare", PREPARE),
    ("check", CHECK),
    ("optimise", OPTIMISE),
    ("optimise_source", OPTIMISE_SOURCE),
    ("library", LIBRARY),
    ("instrument", INSTRUMENT),
    ("lower", LOWER),
    ("tidy_lowered", TIDY_LOWERED),
    ("expand_ints", EXPAND_INTS),
    ("structure", STRUCTURE),
    ("native", NATIVE),
];

/// Returns the pass with this name.
pub fn find(name: &str) -> Option<&'static dyn Pass> {
    let all = PIPELINES.iter().flat_map(|(_, passes)| *passes).chain(PARTS);
    all.copied().find(|p| p.name() == name)
}

/// Optimises one kernel, which its module holds with what it calls.
pub(crate) fn optimise(module: &mut Module, cx: &mut PassContext<'_>) -> Result<()> {
    if cx.target.cpu().is_none() {
        no_runtime_calls(module)?;
    }
    run(module, PREPARE, cx)?;
    let passes = match cx.origin {
        _ if cx.is_instrumented() => INSTRUMENT,
        Origin::Optimised => OPTIMISE,
        Origin::Source => OPTIMISE_SOURCE,
    };
    run(module, passes, cx)
}

/// Lowers an optimised kernel for one pointer mode. Returns the launch contract, or `None` if the mode cannot
/// express the kernel (only the bindings mode may not).
pub fn lower(
    module: &mut Module,
    mode: PointerMode,
    data: &DataLayout,
    cx: &PassContext<'_>,
) -> Result<Option<LaunchAbi>> {
    let mut cx = cx.fresh();
    run(module, &[&LowerByValue], &mut cx)?;
    cx.lowering = Some(Lowering::new(module, mode, data, cx.target)?);
    run(module, LOWER, &mut cx)?;
    Ok(cx.lowering.filter(|lowering| lowering.fits).map(|lowering| lowering.abi))
}

/// Brings a lowered kernel into the form that `back::spirv` takes (phase Structured).
pub fn structure(module: &mut Module, cx: &mut PassContext<'_>) -> Result<()> {
    if !cx.target.int64 {
        run(module, EXPAND_INTS, cx)?;
    }
    run(module, STRUCTURE, cx)
}

/// Runs passes in order, except those that do not apply; stops where a pointer mode cannot express the
/// kernel.
pub fn run(module: &mut Module, passes: Passes, cx: &mut PassContext<'_>) -> Result<()> {
    for pass in passes {
        if cx.lowering.as_ref().is_some_and(|lowering| !lowering.fits) {
            break;
        }
        if pass.applies(cx) {
            run_pass(module, *pass, cx)?;
        }
    }
    Ok(())
}

/// Runs one pass and verifies the module; true if it changed anything.
pub fn run_pass(module: &mut Module, pass: &dyn Pass, cx: &mut PassContext<'_>) -> Result<bool> {
    let name = pass.name();
    if module.phase < pass.needs() {
        return Err(CompileError::internal(format!("pass '{name}' runs too early")));
    }
    let start = cx.observer.map(|_| Instant::now());
    let changed = pass.run(module, cx)?;
    if let (Some(observer), Some(start)) = (cx.observer, start) {
        observer.after(name, module, start.elapsed());
    }
    let fits = cx.lowering.as_ref().is_none_or(|lowering| lowering.fits);
    if fits {
        verify(module, name)?;
    }
    if pass.gives().is_some_and(|phase| module.phase < phase) {
        return Err(CompileError::internal(format!("pass '{name}' did not reach its phase")));
    }
    Ok(changed)
}

/// Verifies a module in debug builds and with `PYROCLAST_VALIDATE=ir`.
fn verify(module: &Module, after: &str) -> Result<()> {
    static ON: OnceLock<bool> = OnceLock::new();
    if !*ON.get_or_init(|| cfg!(debug_assertions) || validates("ir")) {
        return Ok(());
    }
    crate::ir::verify::verify_module(module)
        .map_err(|e| CompileError::internal(format!("after {after}: {e}")))
}

/// Whether `PYROCLAST_VALIDATE` names `what`.
pub(crate) fn validates(what: &str) -> bool {
    static NAMED: OnceLock<String> = OnceLock::new();
    let named = NAMED.get_or_init(|| std::env::var("PYROCLAST_VALIDATE").unwrap_or_default());
    named.split(',').any(|w| w.trim() == what || w.trim() == "all")
}

/// Fails if a kernel calls the runtime, which only native code does.
fn no_runtime_calls(module: &Module) -> Result<()> {
    let insts = module.functions.values().flat_map(|f| f.insts.values());
    match insts.filter(|i| matches!(i.op, Op::Runtime(_))).map(|i| i.line).next() {
        Some(line) => Err(CompileError::unsupported("enqueuing kernels on the device", line)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Phase;

    #[test]
    fn passes_have_names_of_their_own() {
        let all: Vec<&'static dyn Pass> =
            PIPELINES.iter().flat_map(|(_, passes)| *passes).chain(PARTS).copied().collect();
        for pass in &all {
            let found = find(pass.name()).map(|p| std::ptr::from_ref(p).cast::<()>());
            assert!(found.is_some(), "{}", pass.name());
        }
        assert!(find("no_such_pass").is_none());
    }

    /// Each pass finds the phase that it needs: phases that passes complete only rise along a build.
    #[test]
    fn phases_rise_along_the_pipeline() {
        let mut phase = Phase::Imported;
        for pass in PREPARE
            .iter()
            .chain(OPTIMISE)
            .chain(LOWER)
            .chain(TIDY_LOWERED)
            .chain(EXPAND_INTS)
            .chain(STRUCTURE)
        {
            assert!(pass.needs() <= phase, "{} needs {:?}, has {phase:?}", pass.name(), pass.needs());
            if let Some(gives) = pass.gives() {
                assert!(gives >= phase, "{}", pass.name());
                phase = gives;
            }
        }
        assert_eq!(phase, Phase::Structured);
    }
}
