//! Results of cl_nv_device_attribute_query, from Vulkan, the management library, and what follows from the
//! compute capability. Pure.

use crate::device::info::NvidiaFacts;
use crate::device::nvml::Nvml;

/// The facts about a GPU that the results are computed from.
#[derive(Clone, Copy, Debug, Default)]
pub struct NvidiaSources {
    /// VkPhysicalDeviceCudaKernelLaunchPropertiesNV
    pub capability: Option<(u32, u32)>,
    pub nvml: Nvml,
    pub sub_group_size: u32,
    pub has_copy_engines: bool,
    pub integrated: bool,
}

/// 32-bit registers of a thread block ("Technical Specifications per Compute Capability" in the CUDA C++
/// Programming Guide). `None` for capabilities that the table lacks.
fn registers_per_block(capability: (u32, u32)) -> Option<u32> {
    match capability {
        (3, 2) | (5, 3) | (6, 2) => Some(32 << 10),
        (3, 0 | 5 | 7) | (5, 0 | 2) | (6, 0 | 1) | (7, 0 | 2 | 5) | (8, 0 | 6 | 7 | 9) | (9, 0) => {
            Some(64 << 10)
        }
        (10, 0 | 1 | 3) | (11, 0) | (12, 0 | 1) => Some(64 << 10),
        _ => None,
    }
}

/// The results, if all of them are known.
pub fn facts(known: &NvidiaSources) -> Option<NvidiaFacts> {
    let capability = known.capability.or(known.nvml.capability)?;
    Some(NvidiaFacts {
        capability,
        registers_per_block: registers_per_block(capability)?,
        warp_size: (known.sub_group_size > 0).then_some(known.sub_group_size)?,
        copies_beside_kernels: known.has_copy_engines,
        // The driver terminates long kernels on GPUs that a display server renders on.
        has_run_time_limit: known.nvml.display?,
        integrated: known.integrated,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_is_known_or_none_is_told() {
        let nvml = Nvml { clock_mhz: Some(1980), capability: Some((9, 0)), display: Some(false) };
        let hopper = NvidiaSources {
            capability: None,
            nvml,
            sub_group_size: 32,
            has_copy_engines: true,
            integrated: false,
        };
        let expected = NvidiaFacts {
            capability: (9, 0),
            registers_per_block: 65536,
            warp_size: 32,
            copies_beside_kernels: true,
            has_run_time_limit: false,
            integrated: false,
        };
        assert_eq!(facts(&hopper), Some(expected));
        // Vulkan's value takes precedence.
        let nano =
            NvidiaSources { capability: Some((5, 3)), integrated: true, has_copy_engines: false, ..hopper };
        let on_nano = facts(&nano).unwrap();
        assert_eq!(
            (on_nano.capability, on_nano.registers_per_block, on_nano.integrated),
            ((5, 3), 32768, true)
        );
        assert!(!on_nano.copies_beside_kernels);
        let drawing = NvidiaSources { nvml: Nvml { display: Some(true), ..nvml }, ..hopper };
        assert!(facts(&drawing).unwrap().has_run_time_limit);
        assert_eq!(facts(&NvidiaSources { nvml: Nvml { display: None, ..nvml }, ..hopper }), None);
        assert_eq!(facts(&NvidiaSources { nvml: Nvml { capability: None, ..nvml }, ..hopper }), None);
        assert_eq!(facts(&NvidiaSources { capability: Some((99, 0)), ..hopper }), None);
        assert_eq!(facts(&NvidiaSources { sub_group_size: 0, ..hopper }), None);
    }
}
