//! The options that clang gets; the reason for each is beside it.

use super::prelude;
use crate::options::{FrontConfig, Options};
use std::ffi::OsString;
use std::path::Path;

/// SPIR-V extensions that the back end may use: those that the reader knows.
const SPIRV_EXTENSIONS: &str = "+SPV_EXT_relaxed_printf_string_address_space,+SPV_KHR_integer_dot_product,\
+SPV_KHR_bit_instructions,+SPV_KHR_subgroup_rotate,+SPV_KHR_shader_clock,+SPV_INTEL_subgroups,+SPV_KHR_uniform_group_instructions,\
+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float_min_max";

/// Those options of [`of_code`] that are always the same. The vectorisers make types that the SPIR-V back
/// end cannot write; so does the rewriting of loop exit values. Induction variables are not widened: LLVM
/// would turn `int` into 64 bits, and count bytes instead of elements. Devices without 64-bit registers pay
/// for that in every iteration.
const CODE_ARGS: &[&str] = &[
    "-fno-slp-vectorize",
    "-fno-vectorize",
    "-mllvm",
    "-replexitval=never",
    "-mllvm",
    "-indvars-widen-indvars=false",
    "-mllvm",
    "-disable-lsr",
    "-c",
    "-o",
    "-",
    "-",
];

/// Options of the step that generates SPIR-V.
pub fn of_code(options: &Options) -> Vec<OsString> {
    let mut extensions = format!("-spirv-ext={SPIRV_EXTENSIONS}");
    if contracts_by_operation(options) {
        extensions.push_str(",+SPV_KHR_float_controls2");
    }
    let mut args: Vec<OsString> = vec!["-mllvm".into(), extensions.into()];
    args.extend(CODE_ARGS.iter().map(OsString::from));
    args
}

/// Whether each operation carries its own permission to be contracted (decided by the pragma FP_CONTRACT,
/// on by default). Relaxed options permit contraction anyway; with them the back end writes permissions
/// that the program did not give.
fn contracts_by_operation(options: &Options) -> bool {
    !options.unsafe_math && !options.fast_relaxed_math
}

/// Options of the step that generates LLVM IR, which has argument information.
pub const IR_ARGS: &[&str] =
    &["-cl-kernel-arg-info", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-S", "-o", "-", "-"];

/// Options of every run: no configuration files, no crash reports in files.
const COMMON_ARGS: &[&str] = &[
    "--target=spirv64-unknown-unknown",
    "--no-default-config",
    "-fno-crash-diagnostics",
    "-fno-color-diagnostics",
    // A test of a number's bits stays an integer test: whether comparisons flush denormals depends on the
    // device.
    "-fdenormal-fp-math=dynamic",
    "-Wno-unused-command-line-argument",
];

/// Options for compiling OpenCL C; [`of_code`] or [`IR_ARGS`] follow.
pub fn of_source(options: &Options, config: &FrontConfig, headers: Option<&Path>) -> Vec<OsString> {
    let mut args: Vec<OsString> = Vec::new();
    let mut push = |arg: &str| args.push(arg.into());
    for arg in COMMON_ARGS {
        push(arg);
    }
    push("-x");
    push("cl");
    // Variables and images stay in memory at -O0, which the back end cannot express.
    push(if options.opt_disable { "-O1" } else { "-O2" });
    // Operations are marked, not fused: fusing would hide which ones the program wrote as fma().
    push(if contracts_by_operation(options) {
        "-ffp-contract=fast-honor-pragmas"
    } else {
        "-ffp-contract=off"
    });
    // Other implementations accept these with a warning.
    if !options.warnings_are_errors {
        push("-Wno-error=incompatible-pointer-types");
        push("-Wno-error=int-conversion");
        push("-Wno-error=implicit-int");
    }
    let std = match options.std.as_str() {
        "" => "CL1.2",
        // For clang, OpenCL C 3.1 is 3.0 with more features.
        "CL3.1" => "CL3.0",
        std => std,
    };
    // Otherwise inline functions of C are called across translation units.
    if !std.starts_with("CLC++") {
        push("-fgnu89-inline");
    }
    push(&format!("-cl-std={std}"));
    push("-Xclang");
    push(&format!("-cl-ext=-all{}", config.extensions.iter().map(|e| format!(",+{e}")).collect::<String>()));
    for definition in prelude::macros(options, config) {
        push(&definition);
    }
    if config.opencl_version != 0 {
        push(&format!("-D__OPENCL_VERSION__={}", config.opencl_version));
    }
    if config.opencl_version >= 310 {
        push("-DCL_VERSION_3_1=310");
    }
    if options.std == "CL3.1" {
        push("-U__OPENCL_C_VERSION__");
        push("-D__OPENCL_C_VERSION__=310");
    }
    if !config.image_support {
        push("-U__IMAGE_SUPPORT__");
    }
    if config.embedded_profile {
        push("-D__EMBEDDED_PROFILE__=1");
    }
    for (on, arg) in [
        (options.mad_enable, "-cl-mad-enable"),
        (options.no_signed_zeros, "-cl-no-signed-zeros"),
        (options.unsafe_math, "-cl-unsafe-math-optimizations"),
        (options.finite_math, "-cl-finite-math-only"),
        (options.fast_relaxed_math, "-cl-fast-relaxed-math"),
        (options.denorms_are_zero, "-cl-denorms-are-zero"),
        (options.single_precision_constant, "-cl-single-precision-constant"),
        (options.uniform_work_group_size, "-cl-uniform-work-group-size"),
        (options.warnings_off, "-w"),
        (options.warnings_are_errors, "-Werror"),
        (options.initialize_private, "-ftrivial-auto-var-init=zero"),
    ] {
        if on {
            push(arg);
        }
    }
    if !options.warnings.is_empty() {
        args.push("-Wno-unknown-warning-option".into());
        args.extend(options.warnings.iter().map(|w| format!("-W{w}").into()));
    }
    args.extend(options.preprocessor.iter().map(OsString::from));
    if let Some(folder) = headers {
        args.push("-I".into());
        args.push(folder.into());
    }
    args.extend(config.clang_args.iter().map(OsString::from));
    args
}

/// Options for compiling LLVM IR to SPIR-V, with LLVM's passes or without.
pub fn of_ir(options: &Options, config: &FrontConfig, passes: bool) -> Vec<OsString> {
    let mut args: Vec<OsString> = Vec::new();
    args.extend(COMMON_ARGS.iter().map(OsString::from));
    args.extend(["-w", "-x", "ir", if options.opt_disable { "-O1" } else { "-O2" }].map(OsString::from));
    args.extend(config.clang_args.iter().map(OsString::from));
    if !passes {
        args.extend(["-Xclang", "-disable-llvm-passes"].map(OsString::from));
    }
    args.extend(of_code(options));
    args
}
