//! The full profile's minimum: a device that misses some of it reports the embedded profile
//! (CL_DEVICE_PROFILE), whose minimum is smaller. Sources: OpenCL API specification, table "Device Queries"
//! and chapter "OpenCL Embedded Profile".

use super::info::{DeviceInfo, ImageFacts};

/// Lists the limits below the full profile's minimum, one text for each.
pub fn misses(d: &DeviceInfo) -> Vec<String> {
    let images = if d.images { 1 } else { 0 };
    // CL_DEVICE_MAX_MEM_ALLOC_SIZE: a quarter of the memory, between 32 MiB and 1 GiB.
    let allocation = (d.global_mem_size / 4).clamp(32 << 20, 1 << 30);
    let of = |list: &[u32]| list.iter().copied().min().map_or(0, u64::from);
    [
        ("bytes of local memory", d.local_mem_size, 32 << 10),
        ("bytes of an allocation", d.max_alloc_size, allocation),
        ("bytes of a constant argument", d.max_constant_buffer_size, 64 << 10),
        ("constant arguments", d.max_constant_args.into(), 8),
        ("bytes of arguments", d.max_parameter_size as u64, 1024),
        ("images read by a kernel", d.image.max_read_args.into(), 128 * images),
        ("images written by a kernel", d.image.max_write_args.into(), 64 * images),
        ("texels of a side of a 2D image", of(&d.image.max_2d), 16384 * images),
        ("texels of a side of a 3D image", of(&d.image.max_3d), 2048 * images),
        ("layers of an image", d.image.max_layers.into(), 2048 * images),
        ("texels of an image in a buffer", d.image.max_buffer, 65536 * images),
    ]
    .into_iter()
    .filter(|(_, has, least)| has < least)
    .map(|(what, has, least)| format!("{has} of {least} {what}"))
    .collect()
}

/// Whether the device has the full profile.
pub fn is_full(d: &DeviceInfo) -> bool {
    misses(d).is_empty()
}

/// A device without images that has exactly the minimum.
pub fn least() -> DeviceInfo {
    DeviceInfo {
        local_mem_size: 32 << 10,
        global_mem_size: 1 << 30,
        max_alloc_size: 256 << 20,
        max_constant_buffer_size: 64 << 10,
        max_constant_args: 8,
        max_parameter_size: 1024,
        ..DeviceInfo::default()
    }
}

/// The minimum of images.
pub fn least_images() -> ImageFacts {
    ImageFacts {
        max_2d: [16384; 2],
        max_3d: [2048; 3],
        max_layers: 2048,
        max_buffer: 65536,
        max_read_args: 128,
        max_write_args: 64,
        ..ImageFacts::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_counts() {
        assert_eq!(misses(&least()), [""; 0]);
        let small = DeviceInfo { local_mem_size: 16 << 10, max_constant_args: 4, ..least() };
        assert_eq!(misses(&small), ["16384 of 32768 bytes of local memory", "4 of 8 constant arguments"]);
        assert!(!is_full(&DeviceInfo { max_alloc_size: 255 << 20, ..least() }));
    }

    #[test]
    fn limits_of_images_count_where_there_are_images() {
        let full = DeviceInfo { images: true, image: least_images(), ..least() };
        assert!(is_full(&full));
        let mut few = full;
        few.image.max_write_args = 8;
        assert_eq!(misses(&few), ["8 of 64 images written by a kernel"]);
    }
}
