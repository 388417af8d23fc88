//! VkQueues that the real device lacks: `VULKAN_FAULTS_QUEUES` says how many each family has. All of them are
//! the first one of the family, so they do not overlap, and work that waits for work submitted later hangs.
//! Counts submissions, those that wait for semaphores, and those that are made at the same time, also with
//! other calls about semaphores.

use super::replaced_by_wrapper;
use std::ffi::CStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use vulkan_loader::{Function, vk, wrappers};

/// Submissions, those that wait for semaphores, the most at the same time, and the most at the same time
/// together with queries of and waits for semaphores.
static COUNTS: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];
/// Submissions being made, and these together with queries of and waits for semaphores.
static UNDER_WAY: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
/// Submissions to one VkQueue are synchronised by the caller, who takes these for several.
static SUBMITTING: Mutex<()> = Mutex::new(());

/// A call that has begun and has not ended. The number says from which count of [`UNDER_WAY`] on it belongs
/// to them.
struct UnderWay(usize);

impl UnderWay {
    fn new(from: usize) -> UnderWay {
        for (count, most) in UNDER_WAY.iter().zip(&COUNTS[2..]).skip(from) {
            most.fetch_max(count.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        }
        UnderWay(from)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        for count in &UNDER_WAY[self.0..] {
            count.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Number of submissions so far (0), of those that wait for semaphores (1), the most made at the same time
/// (2), and the most at the same time with queries of and waits for semaphores (3).
#[unsafe(no_mangle)]
pub extern "C" fn vulkan_faults_submissions(kind: u32) -> u64 {
    COUNTS.get(kind as usize).map_or(0, |count| count.load(Ordering::SeqCst))
}

fn queues() -> Option<u32> {
    static COUNT: OnceLock<Option<u32>> = OnceLock::new();
    *COUNT.get_or_init(|| std::env::var("VULKAN_FAULTS_QUEUES").ok()?.parse().ok())
}

wrappers! {
    vkGetPhysicalDeviceQueueFamilyProperties as PFN_vkGetPhysicalDeviceQueueFamilyProperties:
        (device: vk::PhysicalDevice, count: *mut u32, list: *mut vk::QueueFamilyProperties) {
        // SAFETY: the caller's arguments.
        unsafe {
            real()(device, count, list);
            if !list.is_null() {
                for family in std::slice::from_raw_parts_mut(list, *count as usize) {
                    family.queue_count = queues().unwrap_or(family.queue_count);
                }
            }
        }
    }
    vkCreateDevice as PFN_vkCreateDevice: (
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
            real()(device, &own, callbacks, out)
        }
    }
    vkGetDeviceQueue as PFN_vkGetDeviceQueue:
        (device: vk::Device, family: u32, _index: u32, out: *mut vk::Queue) {
        // SAFETY: the caller's arguments.
        unsafe { real()(device, family, 0, out) }
    }
    vkQueueSubmit2 as PFN_vkQueueSubmit2: (
        queue: vk::Queue,
        count: u32,
        list: *const vk::SubmitInfo2<'_>,
        fence: vk::Fence,
    ) -> vk::Result {
        let _under_way = UnderWay::new(0);
        let _submitting = SUBMITTING.lock();
        // SAFETY: the caller's arguments.
        unsafe {
            let submissions = std::slice::from_raw_parts(list, count as usize);
            let waits = submissions.iter().any(|s| s.wait_semaphore_info_count > 0);
            COUNTS[0].fetch_add(1, Ordering::SeqCst);
            COUNTS[1].fetch_add(waits.into(), Ordering::SeqCst);
            real()(queue, count, list, fence)
        }
    }
    vkGetSemaphoreCounterValue as PFN_vkGetSemaphoreCounterValue:
        (device: vk::Device, semaphore: vk::Semaphore, value: *mut u64) -> vk::Result {
        let _under_way = UnderWay::new(1);
        // SAFETY: the caller's arguments.
        unsafe { real()(device, semaphore, value) }
    }
    vkWaitSemaphores as PFN_vkWaitSemaphores:
        (device: vk::Device, info: *const vk::SemaphoreWaitInfo<'_>, timeout: u64) -> vk::Result {
        let _under_way = UnderWay::new(1);
        // SAFETY: the caller's arguments.
        unsafe { real()(device, info, timeout) }
    }
}

/// Our function of a name, if there is one. It uses the real one, which `found` is.
pub fn function(name: &CStr, found: Option<Function>) -> Option<Function> {
    queues()?;
    found?;
    let (own, real) = wrapper(name.to_str().ok()?.trim_end_matches("KHR"))?;
    real.store(replaced_by_wrapper(name, found).map_or(0, |f| f as usize), Ordering::Relaxed);
    Some(own)
}
