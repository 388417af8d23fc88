//! Tests on a real Vulkan device, with the validation layer on and silent. They pass trivially (and say so) where there
//! is no Vulkan device.

use super::super::traits::BufferDesc;
use super::*;
use std::sync::OnceLock;

/// The first device; all tests share it.
pub(super) fn device() -> Option<Arc<dyn DeviceOps>> {
    static DEVICES: OnceLock<Vec<Arc<dyn DeviceOps>>> = OnceLock::new();
    let list = DEVICES.get_or_init(|| {
        instance::get(true);
        DRIVER.probe(&Config::default())
    });
    if list.is_empty() {
        eprintln!("no Vulkan device: nothing tested");
    }
    list.first().cloned()
}

#[test]
fn facts_are_plausible() {
    let Some(device) = device() else { return };
    let info = device.info();
    assert!(!info.name.is_empty() && info.compute_units > 0 && info.max_work_group_size >= 128);
    assert!(info.max_alloc_size >= info.global_mem_size / 4 && info.local_mem_size >= 16384);
    assert!(info.driver_version.contains('(') && info.timer_resolution_ns > 0);
    assert!(device.target().int64 && device.target().max_push_constants >= 128);
    let (d0, h0) = device.timestamps().unwrap();
    let (d1, h1) = device.timestamps().unwrap();
    assert!(d1 >= d0 && h1 > h0);
    assert_eq!(validation_messages(), 0);
}

#[test]
fn hidden_features_are_off() {
    if device().is_none() {
        return;
    }
    let config = Config { hidden_features: vec!["-int8".into(), "float16".into()], ..Config::default() };
    let hidden = DRIVER.probe(&config);
    assert!(!hidden[0].target().int8 && !hidden[0].target().float16 && !hidden[0].info().fp16);
    assert_eq!(validation_messages(), 0);
}

#[test]
fn buffers_are_allocated_and_host_memory_is_imported_by_the_page() {
    let Some(device) = device() else { return };
    let desc = BufferDesc { size: 1000, host_visible: false, name: "test" };
    let buffer = device.alloc_buffer(&desc).unwrap();
    assert_eq!(buffer.size(), 1000);
    let raw = buffer.as_any().downcast_ref::<memory::Buffer>().unwrap();
    assert!(raw.address != 0 && raw.address % 128 == 0);
    let huge = BufferDesc { size: u64::MAX, ..desc.clone() };
    assert!(device.alloc_buffer(&huge).is_err());
    let layout = std::alloc::Layout::from_size_align(8192, 4096).unwrap();
    // SAFETY: freed below with the same layout, after the buffer.
    let pages = unsafe { std::alloc::alloc_zeroed(layout) };
    let range = |offset: usize, size| super::super::traits::HostRange {
        ptr: crate::host_ptr::HostPtr::new(pages.wrapping_add(offset)),
        size,
    };
    let desc = BufferDesc { size: 4096, host_visible: false, name: "test" };
    assert!(device.import_host(range(64, 4096), &desc).is_err());
    match device.import_host(range(0, 8192), &desc) {
        Ok(buffer) => assert_eq!(buffer.host_ptr().unwrap().as_ptr(), pages),
        Err(e) => eprintln!("no import here: {e}"),
    }
    // SAFETY: allocated above; nothing refers to it any more.
    unsafe { std::alloc::dealloc(pages, layout) };
    assert_eq!(validation_messages(), 0);
}
