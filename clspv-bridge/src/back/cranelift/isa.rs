//! Cranelift's description of the processor: settings, and the instructions that code may use.

use crate::error::{CompileError, Result};
use crate::pipeline;
use crate::target::{CodeGenerator, CpuTarget};
use cranelift_codegen::isa::{self, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable};

/// Settings for all processors. The IR is optimised already, so the optimiser would cost time for little.
const SETTINGS: &[(&str, &str)] = &[
    ("opt_level", "none"),
    // Large frames touch each of their pages, so that none is past the stack's guard page.
    ("enable_probestack", "true"),
    ("probestack_strategy", "inline"),
    ("unwind_info", "false"),
];

/// Features of x86-64 processors: names in /proc/cpuinfo, and settings.
const X86_FEATURES: &[(&str, &str)] = &[
    ("pni", "has_sse3"),
    ("ssse3", "has_ssse3"),
    ("sse4_1", "has_sse41"),
    ("sse4_2", "has_sse42"),
    ("popcnt", "has_popcnt"),
    ("avx", "has_avx"),
    ("avx2", "has_avx2"),
    ("fma", "has_fma"),
    ("bmi1", "has_bmi1"),
    ("bmi2", "has_bmi2"),
    ("abm", "has_lzcnt"),
];

/// Instructions that decide how operations are lowered.
#[derive(Clone, Copy)]
pub(super) struct Features {
    /// Fused multiply-add.
    pub fma: bool,
    /// Rounding to integral values.
    pub rounding: bool,
    /// Selection of lanes by the sign of a vector.
    pub blend: bool,
}

impl Features {
    pub fn new(cpu: &CpuTarget) -> Features {
        if cfg!(target_arch = "x86_64") {
            let sse41 = cpu.has("sse4_1");
            Features { fma: cpu.has("avx") && cpu.has("fma"), rounding: sse41, blend: sse41 }
        } else {
            Features { fma: true, rounding: true, blend: false }
        }
    }
}

/// The processor that code is generated for.
pub(super) fn isa(cpu: &CpuTarget) -> Result<OwnedTargetIsa> {
    let failed = |e: &dyn std::fmt::Display| CompileError::internal(format!("the code generator: {e}"));
    let mut shared = settings::builder();
    for (name, value) in SETTINGS {
        shared.set(name, value).map_err(|e| failed(&e))?;
    }
    let allocator = if cpu.generator == CodeGenerator::Baseline { "single_pass" } else { "backtracking" };
    shared.set("regalloc_algorithm", allocator).map_err(|e| failed(&e))?;
    let verifies = cfg!(debug_assertions) || pipeline::validates("ir");
    shared.set("enable_verifier", if verifies { "true" } else { "false" }).map_err(|e| failed(&e))?;
    let triple = if cfg!(target_arch = "x86_64") {
        "x86_64-unknown-linux-gnu"
    } else if cfg!(target_arch = "aarch64") {
        "aarch64-unknown-linux-gnu"
    } else {
        return Err(CompileError::unsupported("quick code for this processor", 0));
    };
    let mut builder = isa::lookup_by_name(triple).map_err(|e| failed(&e))?;
    if cfg!(target_arch = "x86_64") {
        for (_, setting) in X86_FEATURES.iter().filter(|(name, _)| cpu.has(name)) {
            builder.enable(setting).map_err(|e| failed(&e))?;
        }
    }
    builder.finish(settings::Flags::new(shared)).map_err(|e| failed(&e))
}
