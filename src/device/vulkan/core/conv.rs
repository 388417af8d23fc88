//! Conversions between Vulkan's types and the device layer's, and small arithmetic shared by the recorder.

use crate::device::traits::DeviceError;
use ash::vk;

/// The device error for a Vulkan result.
pub fn error(what: &str, result: vk::Result) -> DeviceError {
    match result {
        vk::Result::ERROR_OUT_OF_HOST_MEMORY => DeviceError::OutOfHostMemory,
        vk::Result::ERROR_OUT_OF_DEVICE_MEMORY
        | vk::Result::ERROR_OUT_OF_POOL_MEMORY
        | vk::Result::ERROR_FRAGMENTED_POOL
        | vk::Result::ERROR_TOO_MANY_OBJECTS => DeviceError::OutOfDeviceMemory,
        vk::Result::ERROR_DEVICE_LOST => DeviceError::Lost,
        other => DeviceError::Unexpected(format!("{what}: {other:?}")),
    }
}

/// Adds the name of the failed call to a Vulkan result.
pub trait VkResultExt<T> {
    fn during(self, what: &str) -> Result<T, DeviceError>;
}

impl<T> VkResultExt<T> for Result<T, vk::Result> {
    fn during(self, what: &str) -> Result<T, DeviceError> {
        self.map_err(|e| error(what, e))
    }
}

/// The device error for an allocator error.
pub fn allocation_error(e: gpu_allocator::AllocationError) -> DeviceError {
    use gpu_allocator::AllocationError as A;
    match e {
        A::OutOfMemory | A::NoCompatibleMemoryTypeFound => DeviceError::OutOfDeviceMemory,
        A::FailedToMap(why) => DeviceError::Unexpected(format!("mapping device memory: {why}")),
        other => DeviceError::Unexpected(other.to_string()),
    }
}

/// `value` rounded up to a multiple of `to` (a power of two); saturates.
pub fn align_up(value: u64, to: u64) -> u64 {
    value.saturating_add(to - 1) & !(to - 1)
}

/// Text of a Vulkan driver version number, of three parts or of four
/// ([`Quirks::four_part_version`](super::quirks::Quirks::four_part_version)).
pub fn driver_version(four_parts: bool, version: u32) -> String {
    if four_parts {
        format!("{}.{}.{}.{}", version >> 22, (version >> 14) & 0xff, (version >> 6) & 0xff, version & 0x3f)
    } else {
        format!(
            "{}.{}.{}",
            vk::api_version_major(version),
            vk::api_version_minor(version),
            vk::api_version_patch(version)
        )
    }
}

/// Name of a PCI or Khronos vendor id.
pub fn vendor_name(id: u32) -> &'static str {
    match id {
        0x1002 => "Advanced Micro Devices, Inc.",
        0x1010 => "Imagination Technologies",
        0x106b => "Apple",
        0x10de => "NVIDIA Corporation",
        0x13b5 => "Arm",
        0x14e4 => "Broadcom",
        0x5143 => "Qualcomm",
        0x8086 => "Intel Corporation",
        0x10005 => "Mesa",
        _ => "Unknown vendor",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_become_device_errors() {
        assert!(matches!(error("x", vk::Result::ERROR_DEVICE_LOST), DeviceError::Lost));
        assert!(matches!(error("x", vk::Result::ERROR_OUT_OF_POOL_MEMORY), DeviceError::OutOfDeviceMemory));
        assert!(matches!(error("x", vk::Result::ERROR_UNKNOWN), DeviceError::Unexpected(_)));
    }

    #[test]
    fn rounding_up() {
        assert_eq!(align_up(0, 16), 0);
        assert_eq!(align_up(1, 16), 16);
        assert_eq!(align_up(16, 16), 16);
    }

    #[test]
    fn versions_have_three_or_four_parts() {
        assert_eq!(driver_version(true, 550 << 22 | 54 << 14 | 15 << 6), "550.54.15.0");
        assert_eq!(driver_version(false, vk::make_api_version(0, 22, 3, 6)), "22.3.6");
    }
}
