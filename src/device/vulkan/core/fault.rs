//! The driver's report on the loss of the device (VK_EXT_device_fault).

use super::gpu::Gpu;
use ash::vk;
use std::ffi::CStr;

/// Maximum number of addresses and of the vendor's records that are read.
const MOST: usize = 8;

/// An address involved in a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FaultAddress {
    /// Kind of the access.
    pub what: &'static str,
    pub address: u64,
    /// The access was within this many bytes of the address: a power of two.
    pub precision: u64,
}

/// The driver's report.
#[derive(Default)]
pub struct FaultReport {
    /// The driver's text; may be empty.
    pub text: String,
    pub addresses: Vec<FaultAddress>,
}

fn kind(kind: vk::DeviceFaultAddressTypeEXT) -> Option<&'static str> {
    use vk::DeviceFaultAddressTypeEXT as T;
    match kind {
        T::READ_INVALID => Some("invalid read"),
        T::WRITE_INVALID => Some("invalid write"),
        T::EXECUTE_INVALID => Some("invalid instruction fetch"),
        T::INSTRUCTION_POINTER_UNKNOWN => Some("instruction"),
        T::INSTRUCTION_POINTER_INVALID => Some("invalid instruction"),
        T::INSTRUCTION_POINTER_FAULT => Some("faulting instruction"),
        _ => None,
    }
}

fn text(chars: &[std::ffi::c_char]) -> String {
    let bytes: Vec<u8> = chars.iter().map(|c| *c as u8).collect();
    CStr::from_bytes_until_nul(&bytes).map(|s| s.to_string_lossy().trim().to_owned()).unwrap_or_default()
}

impl Gpu {
    /// The driver's report on the loss of this device; empty if it has none.
    pub fn fault(&self) -> FaultReport {
        let Some(extension) = &self.device_fault else { return FaultReport::default() };
        let (query, device) = (extension.fp().get_device_fault_info_ext, extension.device());
        let mut counts = vk::DeviceFaultCountsEXT::default();
        // SAFETY: the device is lost; this queries the counts.
        let code = unsafe { query(device, &mut counts, std::ptr::null_mut()) };
        if code != vk::Result::SUCCESS {
            tracing::debug!("vkGetDeviceFaultInfoEXT: {code:?}");
            return FaultReport::default();
        }
        let mut addresses = [vk::DeviceFaultAddressInfoEXT::default(); MOST];
        let mut records = [vk::DeviceFaultVendorInfoEXT::default(); MOST];
        counts.address_info_count = counts.address_info_count.min(MOST as u32);
        counts.vendor_info_count = counts.vendor_info_count.min(MOST as u32);
        counts.vendor_binary_size = 0;
        let mut info = vk::DeviceFaultInfoEXT {
            p_address_infos: addresses.as_mut_ptr(),
            p_vendor_infos: records.as_mut_ptr(),
            ..Default::default()
        };
        // SAFETY: the arrays have room for as many elements as the counts say.
        let code = unsafe { query(device, &mut counts, &mut info) };
        if code.as_raw() < 0 {
            tracing::debug!("vkGetDeviceFaultInfoEXT: {code:?}");
            return FaultReport::default();
        }
        let mut parts = vec![text(&info.description)];
        for r in &records[..(counts.vendor_info_count as usize).min(MOST)] {
            let (code, data) = (r.vendor_fault_code, r.vendor_fault_data);
            parts.push(format!("{} (code {code:#x}, data {data:#x})", text(&r.description)));
        }
        parts.retain(|part| !part.is_empty());
        let known = addresses[..(counts.address_info_count as usize).min(MOST)].iter();
        let addresses = known.filter_map(|a| {
            Some(FaultAddress {
                what: kind(a.address_type)?,
                address: a.reported_address,
                precision: a.address_precision.max(1),
            })
        });
        FaultReport { text: parts.join(", "), addresses: addresses.collect() }
    }
}
