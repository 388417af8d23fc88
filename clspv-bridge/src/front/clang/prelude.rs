//! Declarations of built-in functions that clang lacks, inserted before a source that may use them.
//!
//! The SPIR-V back end or the built-in library implements the functions. Extensions that clang does not know
//! are also defined as macros, in every program.

use crate::options::{FrontConfig, Options};
use std::borrow::Cow;

/// An extension, words of which every source that uses it contains one, and its declarations.
struct Part {
    extension: &'static str,
    words: &'static [&'static str],
    /// clang has the declarations from OpenCL C 2.0 on.
    early: bool,
    text: &'static str,
}

const PARTS: &[Part] = &[
    Part {
        extension: "__opencl_c_subgroups",
        words: &["sub_group"],
        early: true,
        text: include_str!("prelude/sub_groups.h"),
    },
    Part {
        extension: "cl_khr_extended_bit_ops",
        words: &["bit_reverse", "bitfield_"],
        early: true,
        text: include_str!("prelude/bit_operations.h"),
    },
    Part {
        extension: "cl_khr_integer_dot_product",
        words: &["dot"],
        early: true,
        text: include_str!("prelude/dot_products.h"),
    },
    Part {
        extension: "cl_khr_kernel_clock",
        words: &["clock_read_"],
        early: true,
        text: include_str!("prelude/kernel_clock.h"),
    },
    Part {
        extension: "cl_intel_subgroups",
        words: &["intel_sub_group_", "cl_intel_subgroups"],
        early: false,
        text: include_str!("prelude/intel_subgroups.h"),
    },
    Part {
        extension: "cl_khr_work_group_uniform_arithmetic",
        words: &["work_group_reduce_", "work_group_scan_"],
        early: false,
        text: include_str!("prelude/work_group_arithmetic.h"),
    },
    Part {
        extension: "cl_khr_extended_async_copies",
        words: &["async_work_group_copy_2D", "async_work_group_copy_3D", "cl_khr_extended_async_copies"],
        early: false,
        text: include_str!("prelude/async_copies.h"),
    },
    Part {
        extension: "cl_khr_async_work_group_copy_fence",
        words: &["async_work_group_copy_fence"],
        early: false,
        text: include_str!("prelude/async_fence.h"),
    },
    Part {
        extension: "__opencl_c_ext_fp16_global_atomic_load_store",
        words: &["atomic_half"],
        early: false,
        text: include_str!("prelude/half_atomics.h"),
    },
    Part {
        extension: "__opencl_c_device_enqueue",
        words: &["CLK_NULL_EVENT", "CLK_NULL_QUEUE"],
        early: false,
        text: include_str!("prelude/device_enqueue.h"),
    },
];

/// Extensions that clang has no macro for.
const UNKNOWN: &[&str] = &[
    "cl_khr_expect_assume",
    "cl_khr_work_group_uniform_arithmetic",
    "cl_khr_extended_async_copies",
    "cl_khr_async_work_group_copy_fence",
    "cl_intel_required_subgroup_size",
    "cl_intel_subgroups_char",
    "cl_intel_subgroups_long",
    "__opencl_c_ext_image_unorm_int_2_101010",
];

/// Extensions whose macros clang defines from OpenCL C 2.0 on. Other drivers offer them to earlier versions
/// too, and programs without -cl-std rely on that.
const EARLY: &[&str] = &[
    "cl_khr_extended_bit_ops",
    "cl_khr_integer_dot_product",
    "cl_khr_kernel_clock",
    "cl_khr_subgroup_ballot",
    "cl_khr_subgroup_clustered_reduce",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_non_uniform_arithmetic",
    "cl_khr_subgroup_non_uniform_vote",
    "cl_khr_subgroup_rotate",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
];

fn has(config: &FrontConfig, extension: &str) -> bool {
    config.extensions.iter().any(|e| e == extension)
}

/// Options that define the macros of extensions.
pub fn macros(options: &Options, config: &FrontConfig) -> Vec<String> {
    let early = if options.is_before_2_0() { EARLY } else { &[] };
    UNKNOWN.iter().chain(early).filter(|e| has(config, e)).map(|e| format!("-D{e}=1")).collect()
}

/// Whether diagnostics report that a program of an early version uses functions which clang declares for
/// later versions only.
pub fn misses_declarations(log: &str, options: &Options, config: &FrontConfig) -> bool {
    let undeclared = |line: &&str| {
        line.contains(": error: ") && ["undeclared", "no matching function"].iter().any(|w| line.contains(w))
    };
    let names =
        |part: &Part| log.lines().filter(undeclared).any(|line| part.words.iter().any(|w| line.contains(w)));
    options.is_before_2_0()
        && PARTS.iter().any(|part| part.early && has(config, part.extension) && names(part))
}

/// The declarations to insert before a source.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Declarations {
    /// Those that clang never has.
    Usual,
    /// Also those that clang has for later versions only. Programs may define functions of such names, so
    /// these are declared only if a program does not build without them.
    Early,
}

/// Inserts the declarations that a source may need before its first line. Included files are not examined, so
/// a source that includes any may need all. Drops a byte-order mark at the start, as clang does.
pub fn with_declarations<'s>(
    source: &'s str,
    declarations: Declarations,
    config: &FrontConfig,
) -> Cow<'s, str> {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let unseen = source.contains("#include");
    let early = declarations == Declarations::Early;
    let wanted = |p: &&Part| {
        has(config, p.extension)
            && (early || !p.early)
            && (unseen || p.words.iter().any(|w| source.contains(w)))
    };
    let parts: String = PARTS.iter().filter(wanted).map(|p| p.text).collect();
    if parts.is_empty() { source.into() } else { format!("{parts}#line 1\n{source}").into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_be_used_is_declared() {
        let config = FrontConfig {
            extensions: PARTS.iter().map(|p| p.extension.to_owned()).collect(),
            ..FrontConfig::default()
        };
        let with_declarations = |source: &str, config: &FrontConfig| {
            with_declarations(source, Declarations::Usual, config).into_owned()
        };
        assert_eq!(with_declarations("kernel void k() {}", &config), "kernel void k() {}");
        let fence = "kernel void k() { async_work_group_copy_fence(1); }";
        let text = with_declarations(fence, &config);
        assert!(text.ends_with(&format!("#line 1\n{fence}")) && !text.contains("intel"), "{text}");
        assert_eq!(with_declarations(fence, &FrontConfig::default()), fence);
        assert!(with_declarations("#include \"x.h\"\n", &config).contains("intel_sub_group_shuffle"));
        assert!(
            with_declarations("\u{feff}#include \"x.h\"\n", &config).ends_with("#line 1\n#include \"x.h\"\n")
        );
    }

    #[test]
    fn early_versions_have_what_clang_gives_later_ones() {
        let config = FrontConfig {
            extensions: PARTS.iter().map(|p| p.extension.to_owned()).collect(),
            ..FrontConfig::default()
        };
        let late = Options { std: "CL3.0".into(), ..Options::default() };
        let source = "kernel void k(global int *p) { *p = bit_reverse(*p); }";
        assert_eq!(with_declarations(source, Declarations::Usual, &config), source);
        assert!(with_declarations(source, Declarations::Early, &config).contains("bitfield_insert"));
        let log = "<stdin>:1:39: error: use of undeclared identifier 'bit_reverse'\n";
        assert!(
            misses_declarations(log, &Options::default(), &config)
                && !misses_declarations(log, &late, &config)
        );
        assert!(!misses_declarations(&log.replace("bit_", "my_"), &Options::default(), &config));
        let define = "-Dcl_khr_extended_bit_ops=1".to_owned();
        assert!(
            macros(&Options::default(), &config).contains(&define)
                && !macros(&late, &config).contains(&define)
        );
    }
}
