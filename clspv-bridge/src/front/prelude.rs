//! Declarations of built-in functions that clang does not have, put before a source that may use them.
//!
//! The SPIR-V back end or the built-in library knows the functions. Names that clang does not know as extensions are
//! defined as macros too, in every program.

use crate::driver::FrontConfig;
use std::borrow::Cow;

/// An extension, words of which one is in every source that uses it, and its declarations.
struct Part {
    extension: &'static str,
    words: &'static [&'static str],
    text: &'static str,
}

const PARTS: &[Part] = &[
    Part {
        extension: "cl_intel_subgroups",
        words: &["intel_sub_group_", "cl_intel_subgroups"],
        text: include_str!("prelude/intel_subgroups.h"),
    },
    Part {
        extension: "cl_khr_work_group_uniform_arithmetic",
        words: &["work_group_reduce_", "work_group_scan_"],
        text: include_str!("prelude/work_group_arithmetic.h"),
    },
    Part {
        extension: "cl_khr_extended_async_copies",
        words: &["async_work_group_copy_2D", "async_work_group_copy_3D", "cl_khr_extended_async_copies"],
        text: include_str!("prelude/async_copies.h"),
    },
    Part {
        extension: "cl_khr_async_work_group_copy_fence",
        words: &["async_work_group_copy_fence"],
        text: include_str!("prelude/async_fence.h"),
    },
    Part {
        extension: "__opencl_c_ext_fp16_global_atomic_load_store",
        words: &["atomic_half"],
        text: include_str!("prelude/half_atomics.h"),
    },
    Part {
        extension: "__opencl_c_device_enqueue",
        words: &["CLK_NULL_EVENT", "CLK_NULL_QUEUE"],
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

fn has(config: &FrontConfig, extension: &str) -> bool {
    config.extensions.iter().any(|e| e == extension)
}

/// Options that define the macros of extensions.
pub fn macros(config: &FrontConfig) -> Vec<String> {
    UNKNOWN.iter().filter(|e| has(config, e)).map(|e| format!("-D{e}=1")).collect()
}

/// The source with the declarations that it may need before its first line. What it includes is not seen, so it may need
/// all.
pub fn with_declarations<'s>(source: &'s str, config: &FrontConfig) -> Cow<'s, str> {
    let unseen = source.contains("#include");
    let wanted = |p: &&Part| has(config, p.extension) && (unseen || p.words.iter().any(|w| source.contains(w)));
    let parts: String = PARTS.iter().filter(wanted).map(|p| p.text).collect();
    if parts.is_empty() { source.into() } else { format!("{parts}#line 1\n{source}").into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_be_used_is_declared() {
        let config = FrontConfig { extensions: PARTS.iter().map(|p| p.extension.to_owned()).collect(), ..FrontConfig::default() };
        assert_eq!(with_declarations("kernel void k() {}", &config), "kernel void k() {}");
        let fence = "kernel void k() { async_work_group_copy_fence(1); }";
        let text = with_declarations(fence, &config);
        assert!(text.ends_with(&format!("#line 1\n{fence}")) && !text.contains("intel"), "{text}");
        assert_eq!(with_declarations(fence, &FrontConfig::default()), fence);
        assert!(with_declarations("#include \"x.h\"\n", &config).contains("intel_sub_group_shuffle"));
        assert_eq!(macros(&config).len(), 3);
    }
}
