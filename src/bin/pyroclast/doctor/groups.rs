//! The groups of checks: what each needs of a device, and the settings that may work around a failure.

use super::check::{Check, Precision};
use super::checks::commands::{self, Procedure};
use super::checks::{floats, images, integers, memory, parallel};
use pyroclast_runtime::device::info::DeviceInfo;

/// Checks that exercise one feature. Each group runs in a process of its own.
pub struct Group {
    pub name: &'static str,
    /// Why the group does not apply to a device.
    pub lacks: fn(&DeviceInfo) -> Option<&'static str>,
    pub checks: fn() -> Vec<Check>,
    pub procedures: &'static [Procedure],
    /// Features and quirks of Vulkan devices (`PYROCLAST_FEATURES`) to hide if the group fails, the likeliest
    /// first.
    pub hides: &'static [&'static str],
}

fn nothing(_: &DeviceInfo) -> Option<&'static str> {
    None
}

fn no_images(d: &DeviceInfo) -> Option<&'static str> {
    (!d.images).then_some("no images")
}

/// Settings that concern every kernel, tried after those of a group.
pub const COMMON: &[&str] = &[
    "bindings",
    "buffer_device_address",
    "variable_pointers",
    "vulkan_memory_model",
    "scalar_block_layout",
    "spirv_1_4",
    "vulkan_1_3",
    "vulkan_1_2",
];

const DEFAULT: Group = Group { name: "", lacks: nothing, checks: Vec::new, procedures: &[], hides: &[] };

/// All groups, in the order in which they run.
pub const GROUPS: &[Group] = &[
    Group {
        name: "integers",
        checks: || integers::checks(integers::NARROW),
        hides: &["int8", "int16", "storage8", "storage16", "integer_dot_product"],
        ..DEFAULT
    },
    Group { name: "longs", checks: || integers::checks(integers::LONG), hides: &["int64"], ..DEFAULT },
    Group {
        name: "floats",
        checks: || floats::checks(Precision::Single),
        hides: &["float_controls", "denorms32", "fused_fma", "close_exp2_log2", "exact_div_sqrt32"],
        ..DEFAULT
    },
    Group {
        name: "doubles",
        lacks: |d| (!d.fp64).then_some("no double precision"),
        checks: || floats::checks(Precision::Double),
        hides: &["fused_fma", "exact_div_sqrt64", "float_controls", "int64", "float64"],
        ..DEFAULT
    },
    Group {
        name: "halves",
        lacks: |d| (!d.fp16).then_some("no half precision"),
        checks: floats::halves,
        hides: &["storage16", "float_controls", "float16"],
        ..DEFAULT
    },
    Group { name: "vectors", checks: memory::vectors, hides: &["scattered_wide_loads"], ..DEFAULT },
    Group {
        name: "narrow storage",
        checks: memory::narrow,
        hides: &["storage8", "storage16", "int8", "int16", "float16"],
        ..DEFAULT
    },
    Group {
        name: "local memory",
        checks: memory::local,
        hides: &["workgroup_explicit_layout", "zero_workgroup", "subgroups", "storage8", "storage16"],
        ..DEFAULT
    },
    Group { name: "arguments", checks: memory::arguments, hides: &["int64", "storage8", "int8"], ..DEFAULT },
    Group {
        name: "pointers",
        checks: memory::pointers,
        hides: &["buffer_addresses", "variable_pointers", "buffer_device_address"],
        ..DEFAULT
    },
    Group {
        name: "atomics",
        checks: || [parallel::atomics(false), parallel::float_atomics()].concat_checks(),
        hides: &["float_atomics", "fences_block", "vulkan_memory_model"],
        ..DEFAULT
    },
    Group {
        name: "64-bit atomics",
        lacks: |d| (!d.int64_atomics).then_some("no 64-bit atomics"),
        checks: || parallel::atomics(true),
        hides: &["int64_atomics"],
        ..DEFAULT
    },
    Group {
        name: "sub-groups",
        checks: parallel::sub_groups,
        hides: &[
            "subgroup_arithmetic",
            "subgroup_shuffle_relative",
            "subgroup_extended_types",
            "subgroup_size_control",
            "subgroups",
        ],
        ..DEFAULT
    },
    Group {
        name: "control flow",
        checks: parallel::control_flow,
        hides: &["tests_in_continue", "masked_loop_exits", "limited_loops", "needs_lcssa"],
        ..DEFAULT
    },
    Group {
        name: "images",
        lacks: no_images,
        checks: || [images::kinds(), images::formats()].concat_checks(),
        hides: &["formatless_writes", "formatless_reads", "read_write_images", "images"],
        ..DEFAULT
    },
    Group { name: "samplers", lacks: no_images, checks: images::samplers, hides: &["images"], ..DEFAULT },
    Group {
        name: "read-write images",
        lacks: |d| (d.image.max_read_write_args == 0).then_some("no images that kernels read and write"),
        checks: images::read_write,
        hides: &["formatless_reads", "formatless_writes", "read_write_images", "images"],
        ..DEFAULT
    },
    Group { name: "printf", checks: parallel::printf, hides: &["int64_atomics"], ..DEFAULT },
    Group {
        name: "transfers",
        procedures: commands::TRANSFERS,
        hides: &["mapped_buffers", "unified_memory", "host_import", "synchronization2"],
        ..DEFAULT
    },
    Group {
        name: "large buffers",
        procedures: commands::LARGE,
        hides: &["maintenance4", "mapped_buffers"],
        ..DEFAULT
    },
    Group {
        name: "queues",
        procedures: commands::QUEUES,
        hides: &[
            "immediate_uploads",
            "parallel_submissions",
            "pipelines_ahead",
            "quick_signals",
            "timeline_semaphore",
            "synchronization2",
        ],
        ..DEFAULT
    },
];

/// Concatenation of lists of checks, which cannot be copied.
trait ConcatChecks {
    fn concat_checks(self) -> Vec<Check>;
}

impl<const N: usize> ConcatChecks for [Vec<Check>; N] {
    fn concat_checks(self) -> Vec<Check> {
        self.into_iter().flatten().collect()
    }
}

/// The group of a name.
pub fn find(name: &str) -> Option<&'static Group> {
    GROUPS.iter().find(|group| group.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn checks_have_names_of_their_own() {
        let mut count = 0;
        for group in GROUPS {
            let checks = (group.checks)();
            let names: HashSet<String> = checks
                .iter()
                .map(|c| c.name.clone())
                .chain(group.procedures.iter().map(|p| p.0.to_string()))
                .collect();
            assert_eq!(names.len(), checks.len() + group.procedures.len(), "{}", group.name);
            count += names.len();
        }
        assert!(count > 250, "{count}");
    }
}
