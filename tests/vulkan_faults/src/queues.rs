//! VkQueues that the real device lacks: `VULKAN_FAULTS_QUEUES` says how many each family has. All of them are
//! the first one of the family, so they do not overlap, and work that waits for work submitted later hangs.
//! Counts submissions that wait for semaphores.

use super::{Function, replaced_by_wrapper};
use ash::vk;
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

/// Addresses of the functions that these wrap.
static FAMILIES: AtomicUsize = AtomicUsize::new(0);
static CREATE: AtomicUsize = AtomicUsize::new(0);
static QUEUE: AtomicUsize = AtomicUsize::new(0);
static SUBMIT: AtomicUsize = AtomicUsize::new(0);
/// Submissions, and those that wait for semaphores.
static COUNTS: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
/// Submissions to one VkQueue are synchronised by the caller, who takes these for several.
static SUBMITTING: Mutex<()> = Mutex::new(());

/// Number of submissions so far (0), and of those that wait for semaphores (1).
#[unsafe(no_mangle)]
pub extern "C" fn vulkan_faults_submissions(kind: u32) -> u64 {
    COUNTS.get(kind as usize).map_or(0, |count| count.load(Ordering::SeqCst))
}

fn queues() -> Option<u32> {
    static COUNT: OnceLock<Option<u32>> = OnceLock::new();
    *COUNT.get_or_init(|| std::env::var("VULKAN_FAULTS_QUEUES").ok()?.parse().ok())
}

unsafe extern "system" fn families(
    device: vk::PhysicalDevice,
    count: *mut u32,
    list: *mut vk::QueueFamilyProperties,
) {
    // SAFETY: the address of a function of this type, and the caller's arguments.
    unsafe {
        let real = FAMILIES.load(Ordering::SeqCst);
        let real = std::mem::transmute::<usize, vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties>(real);
        real(device, count, list);
        if !list.is_null() {
            for family in std::slice::from_raw_parts_mut(list, *count as usize) {
                family.queue_count = queues().unwrap_or(family.queue_count);
            }
        }
    }
}

unsafe extern "system" fn create(
    device: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the caller's structure, of which this is a copy with fewer queues.
    unsafe {
        let mut own = *info;
        let count = own.queue_create_info_count as usize;
        let mut families = std::slice::from_raw_parts(own.p_queue_create_infos, count).to_vec();
        families.iter_mut().for_each(|family| family.queue_count = 1);
        own.p_queue_create_infos = families.as_ptr();
        let real = CREATE.load(Ordering::SeqCst);
        std::mem::transmute::<usize, vk::PFN_vkCreateDevice>(real)(device, &own, callbacks, out)
    }
}

unsafe extern "system" fn queue(device: vk::Device, family: u32, _: u32, out: *mut vk::Queue) {
    // SAFETY: the address of a function of this type, and the caller's arguments.
    unsafe {
        let real = QUEUE.load(Ordering::SeqCst);
        std::mem::transmute::<usize, vk::PFN_vkGetDeviceQueue>(real)(device, family, 0, out)
    }
}

unsafe extern "system" fn submit(
    queue: vk::Queue,
    count: u32,
    list: *const vk::SubmitInfo2<'_>,
    fence: vk::Fence,
) -> vk::Result {
    let _submitting = SUBMITTING.lock();
    // SAFETY: the address of a function of this type, and the caller's arguments.
    unsafe {
        let waits =
            std::slice::from_raw_parts(list, count as usize).iter().any(|s| s.wait_semaphore_info_count > 0);
        COUNTS[0].fetch_add(1, Ordering::SeqCst);
        COUNTS[1].fetch_add(waits.into(), Ordering::SeqCst);
        let real = SUBMIT.load(Ordering::SeqCst);
        std::mem::transmute::<usize, vk::PFN_vkQueueSubmit2>(real)(queue, count, list, fence)
    }
}

/// Our function of a name, if there is one. It uses the real one, which `found` is.
pub fn function(name: &CStr, found: Option<Function>) -> Option<Function> {
    queues()?;
    found?;
    let (own, address): (*const c_void, &AtomicUsize) = match name.to_bytes() {
        b"vkGetPhysicalDeviceQueueFamilyProperties" => {
            ((families as vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties) as *const c_void, &FAMILIES)
        }
        b"vkCreateDevice" => ((create as vk::PFN_vkCreateDevice) as *const c_void, &CREATE),
        b"vkGetDeviceQueue" => ((queue as vk::PFN_vkGetDeviceQueue) as *const c_void, &QUEUE),
        b"vkQueueSubmit2" | b"vkQueueSubmit2KHR" => {
            ((submit as vk::PFN_vkQueueSubmit2) as *const c_void, &SUBMIT)
        }
        _ => (null_mut(), &SUBMIT),
    };
    if own.is_null() {
        return None;
    }
    address.store(replaced_by_wrapper(name, found).map_or(0, |f| f as usize), Ordering::SeqCst);
    // SAFETY: a function's address, which is not null; the driver gives it the type of its name again.
    Some(unsafe { std::mem::transmute::<*const c_void, Function>(own) })
}
