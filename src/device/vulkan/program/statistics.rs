//! The driver's statistics on compiled pipelines (VK_KHR_pipeline_executable_properties): registers, spills,
//! size of the code, whatever it reports.

use crate::device::traits::DeviceResult;
use crate::device::vulkan::core::conv::VkResultExt;
use crate::device::vulkan::core::gpu::Gpu;
use ash::vk;
use std::ffi::{CStr, c_char};

/// Statistics of a pipeline, `name value` separated by commas; empty if the driver has none. The pipeline was
/// created with [`vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR`].
pub fn describe(gpu: &Gpu, pipeline: vk::Pipeline) -> DeviceResult<String> {
    let Some(extension) = &gpu.executables else { return Ok(String::new()) };
    let info = vk::PipelineInfoKHR::default().pipeline(pipeline);
    // SAFETY: the pipeline is alive, and the feature is enabled.
    let executables = unsafe { extension.get_pipeline_executable_properties(&info) }
        .during("vkGetPipelineExecutablePropertiesKHR")?;
    let mut parts = Vec::new();
    for (index, executable) in (0..).zip(&executables) {
        let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline).executable_index(index);
        // SAFETY: as above, with the index of an executable.
        let statistics = unsafe { extension.get_pipeline_executable_statistics(&info) }
            .during("vkGetPipelineExecutableStatisticsKHR")?;
        if executables.len() > 1 {
            parts.push(format!("{}:", text(&executable.name)));
        }
        if executable.subgroup_size > 0 {
            parts.push(format!("sub-group size {}", executable.subgroup_size));
        }
        parts.extend(statistics.iter().map(|s| format!("{} {}", text(&s.name), value(s.format, s.value))));
    }
    Ok(parts.join(", "))
}

fn text(chars: &[c_char]) -> String {
    let bytes: Vec<u8> = chars.iter().map(|c| *c as u8).collect();
    CStr::from_bytes_until_nul(&bytes).map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
}

fn value(
    format: vk::PipelineExecutableStatisticFormatKHR,
    value: vk::PipelineExecutableStatisticValueKHR,
) -> String {
    use vk::PipelineExecutableStatisticFormatKHR as F;
    // SAFETY: the format names the member that the driver has set; every member is a number.
    unsafe {
        match format {
            F::BOOL32 => if value.b32 == vk::FALSE { "no" } else { "yes" }.into(),
            F::INT64 => value.i64.to_string(),
            F::FLOAT64 => value.f64.to_string(),
            _ => value.u64.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vk::PipelineExecutableStatisticFormatKHR as F;
    use vk::PipelineExecutableStatisticValueKHR as V;

    #[test]
    fn values_have_the_form_of_their_kind() {
        assert_eq!(value(F::BOOL32, V { b32: 1 }), "yes");
        assert_eq!(value(F::INT64, V { i64: -3 }), "-3");
        assert_eq!(value(F::UINT64, V { u64: 40 }), "40");
        assert_eq!(value(F::FLOAT64, V { f64: 0.5 }), "0.5");
        assert_eq!(
            text(&c"Register Count".to_bytes_with_nul().iter().map(|b| *b as c_char).collect::<Vec<_>>()),
            "Register Count"
        );
    }
}
