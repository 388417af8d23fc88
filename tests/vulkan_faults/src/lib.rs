//! A Vulkan loader whose calls fail on request. It replaces libvulkan.so.1 and forwards every call to the
//! loader that `VULKAN_FAULTS_REAL` names, except the failing one.
//!
//! A fault is a class of functions, the number of the call among those of the class, and the result.
//! [`vulkan_faults_set`] sets it, or at process start `VULKAN_FAULTS="class number result"`. Live objects are
//! counted by kind ([`vulkan_faults_live`]), so that tests find leaks. The driver contains no code for it.

mod emulated;
mod miscompiled;
mod queues;

use std::ffi::{CStr, c_char};
use std::sync::RwLock;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use vulkan_loader::{Function, GetDeviceProcAddr, Shim, vk};

/// Classes of functions: those that allocate or otherwise need memory, those that report the loss of a
/// device, of these the ones that submit and the ones that wait, those that end a recording, those that wait
/// for fences and reset them, and those that create pipelines.
pub const MEMORY: u32 = 1;
pub const LOSS: u32 = 2;
pub const SUBMIT: u32 = 4;
pub const WAIT: u32 = 8;
pub const RECORD: u32 = 16;
pub const FENCE: u32 = 32;
pub const PIPELINE: u32 = 64;

static CLASS: AtomicU64 = AtomicU64::new(0);
static NUMBER: AtomicU64 = AtomicU64::new(u64::MAX);
static RESULT: AtomicI32 = AtomicI32::new(0);
static CALLS: AtomicU64 = AtomicU64::new(0);
/// Position in `NAMES` of the function that failed, plus one.
static FAILED: AtomicUsize = AtomicUsize::new(0);
/// The device is lost: every call that can report it does.
static LOST: AtomicU64 = AtomicU64::new(0);

/// Kinds of objects that are counted.
const KINDS: [&CStr; 15] = [
    c"buffer",
    c"image",
    c"view",
    c"memory",
    c"shader module",
    c"pipeline",
    c"pipeline cache",
    c"pipeline layout",
    c"descriptor set layout",
    c"descriptor pool",
    c"command pool",
    c"query pool",
    c"semaphore",
    c"fence",
    c"device",
];
static LIVE: [AtomicI64; KINDS.len()] = [const { AtomicI64::new(0) }; KINDS.len()];
const NONE: usize = usize::MAX;

/// Sets the fault: call `number` (counted from 0, from now on) of the class returns `result`; class 0
/// disables it. After VK_ERROR_DEVICE_LOST every later call of the class LOSS fails, too.
#[unsafe(no_mangle)]
pub extern "C" fn vulkan_faults_set(class: u32, number: u64, result: i32) {
    CLASS.store(0, Ordering::SeqCst);
    CALLS.store(0, Ordering::SeqCst);
    FAILED.store(0, Ordering::SeqCst);
    NUMBER.store(number, Ordering::SeqCst);
    RESULT.store(result, Ordering::SeqCst);
    CLASS.store(class.into(), Ordering::SeqCst);
}

/// Calls of the class since the fault was set.
#[unsafe(no_mangle)]
pub extern "C" fn vulkan_faults_calls() -> u64 {
    CALLS.load(Ordering::SeqCst)
}

/// Name of the function that failed; NULL if none did.
#[unsafe(no_mangle)]
pub extern "C" fn vulkan_faults_failed() -> *const c_char {
    let at = FAILED.load(Ordering::SeqCst);
    at.checked_sub(1).and_then(|i| NAMES.get(i)).map_or(std::ptr::null(), |n| n.as_ptr())
}

/// Number of live objects of a kind, and the kind's name; NULL if there is no such kind.
///
/// # Safety
/// `count` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vulkan_faults_live(kind: u32, count: *mut i64) -> *const c_char {
    let (Some(name), Some(live)) = (KINDS.get(kind as usize), LIVE.get(kind as usize)) else {
        return std::ptr::null();
    };
    // SAFETY: the caller's promise.
    unsafe { *count = live.load(Ordering::SeqCst) };
    name.as_ptr()
}

/// Result of a call that is to fail.
fn fault(index: usize, classes: u32) -> Option<i32> {
    if classes & LOSS != 0 && LOST.load(Ordering::SeqCst) != 0 {
        return Some(vk::Result::ERROR_DEVICE_LOST.as_raw());
    }
    if CLASS.load(Ordering::SeqCst) as u32 & classes == 0 {
        return None;
    }
    if CALLS.fetch_add(1, Ordering::SeqCst) != NUMBER.load(Ordering::SeqCst) {
        return None;
    }
    FAILED.store(index + 1, Ordering::SeqCst);
    let result = RESULT.load(Ordering::SeqCst);
    if result == vk::Result::ERROR_DEVICE_LOST.as_raw() {
        lose();
    }
    Some(result)
}

/// A lost device stops: submitted work completes before the loss is reported.
fn lose() {
    let _none = SUBMITTING.write();
    let (device, wait) = (DEVICE.load(Ordering::SeqCst), WAIT_IDLE.load(Ordering::SeqCst));
    if wait != 0 {
        // SAFETY: the address of vkDeviceWaitIdle for this device.
        let wait = unsafe { std::mem::transmute::<usize, unsafe extern "system" fn(usize) -> i32>(wait) };
        // SAFETY: the device is alive: one of its functions was called.
        unsafe { wait(device) };
    }
    LOST.store(1, Ordering::SeqCst);
}

/// Held for reading by every forwarded call.
static SUBMITTING: RwLock<()> = RwLock::new(());
static DEVICE: AtomicUsize = AtomicUsize::new(0);
static WAIT_IDLE: AtomicUsize = AtomicUsize::new(0);

/// One function: its parameters are words, whatever their types. Vulkan's parameters are integers and
/// pointers, which 64-bit calling conventions pass as words.
macro_rules! functions {
    ($($name:ident($($arg:ident)*) $classes:expr, $kind:expr;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Index { $($name),* }
        const NAMES: &[&CStr] = &[$(
            // SAFETY: ends with the one zero that is put there.
            unsafe { CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes()) }
        ),*];
        static REAL: [AtomicUsize; NAMES.len()] = [const { AtomicUsize::new(0) }; NAMES.len()];

        $(
            #[allow(non_snake_case)]
            unsafe extern "system" fn $name($($arg: usize),*) -> i32 {
                if let Some(result) = fault(Index::$name as usize, $classes) {
                    return result;
                }
                let _submitting = SUBMITTING.read();
                if $classes & LOSS != 0 && LOST.load(Ordering::SeqCst) != 0 {
                    return vk::Result::ERROR_DEVICE_LOST.as_raw();
                }
                let real = REAL[Index::$name as usize].load(Ordering::Relaxed);
                type Real = unsafe extern "system" fn($(words!($arg)),*) -> i32;
                // SAFETY: the address of a function with as many words for parameters.
                let real = unsafe { std::mem::transmute::<usize, Real>(real) };
                // SAFETY: the caller's arguments, unchanged.
                let result = unsafe { real($($arg),*) };
                if let Some(live) = LIVE.get($kind).filter(|_| result >= 0) {
                    live.fetch_add(1, Ordering::Relaxed);
                }
                result
            }
        )*

        fn wrapper(name: &CStr) -> Option<(Function, &'static AtomicUsize)> {
            $(if name.to_bytes() == stringify!($name).as_bytes() {
                type Own = unsafe extern "system" fn($(words!($arg)),*) -> i32;
                // SAFETY: a function's address; the driver gives it the type of its name again.
                let own = unsafe { std::mem::transmute::<Own, Function>($name) };
                return Some((own, &REAL[Index::$name as usize]));
            })*
            None
        }
    };
}
macro_rules! words {
    ($arg:ident) => {
        usize
    };
}

functions! {
    vkCreateInstance(a b c) MEMORY, NONE;
    vkEnumeratePhysicalDevices(a b c) MEMORY, NONE;
    vkEnumerateDeviceExtensionProperties(a b c d) MEMORY, NONE;
    vkCreateDevice(a b c d) MEMORY, 14;
    vkCreateBuffer(a b c d) MEMORY, 0;
    vkBindBufferMemory(a b c d) MEMORY, NONE;
    vkCreateImage(a b c d) MEMORY, 1;
    vkBindImageMemory(a b c d) MEMORY, NONE;
    vkCreateImageView(a b c d) MEMORY, 2;
    vkCreateBufferView(a b c d) MEMORY, 2;
    vkAllocateMemory(a b c d) MEMORY, 3;
    vkMapMemory(a b c d e f) MEMORY, NONE;
    vkGetMemoryHostPointerPropertiesEXT(a b c d) MEMORY, NONE;
    vkGetMemoryFdKHR(a b c) MEMORY, NONE;
    vkCreateShaderModule(a b c d) MEMORY, 4;
    vkCreateComputePipelines(a b c d e f) MEMORY | PIPELINE, 5;
    vkCreatePipelineCache(a b c d) MEMORY, 6;
    vkGetPipelineCacheData(a b c d) MEMORY, NONE;
    vkCreatePipelineLayout(a b c d) MEMORY, 7;
    vkCreateDescriptorSetLayout(a b c d) MEMORY, 8;
    vkCreateDescriptorPool(a b c d) MEMORY, 9;
    vkAllocateDescriptorSets(a b c) MEMORY, NONE;
    vkCreateCommandPool(a b c d) MEMORY, 10;
    vkAllocateCommandBuffers(a b c) MEMORY, NONE;
    vkResetCommandPool(a b c) MEMORY, NONE;
    vkBeginCommandBuffer(a b) MEMORY, NONE;
    vkEndCommandBuffer(a) MEMORY | RECORD, NONE;
    vkCreateQueryPool(a b c d) MEMORY, 11;
    vkCreateSemaphore(a b c d) MEMORY, 12;
    vkCreateFence(a b c d) MEMORY, 13;
    vkQueueSubmit2(a b c d) MEMORY | LOSS | SUBMIT, NONE;
    vkQueueSubmit2KHR(a b c d) MEMORY | LOSS | SUBMIT, NONE;
    vkWaitForFences(a b c d e) MEMORY | LOSS | FENCE, NONE;
    vkResetFences(a b c) MEMORY | FENCE, NONE;
    vkWaitSemaphores(a b c) LOSS | WAIT, NONE;
    vkGetSemaphoreCounterValue(a b c) LOSS | WAIT, NONE;
    vkGetQueryPoolResults(a b c d e f g h) MEMORY | LOSS, NONE;
    vkGetCalibratedTimestampsEXT(a b c d e) MEMORY, NONE;
    vkGetCalibratedTimestampsKHR(a b c d e) MEMORY, NONE;
}

type Destroy = unsafe extern "system" fn(usize, usize, usize);

/// Functions that destroy objects (the second word is the object), and the objects' kinds.
macro_rules! destroyers {
    ($($name:ident $kind:expr;)*) => {
        $(
            #[allow(non_snake_case)]
            mod $name {
                use super::*;
                pub static REAL: AtomicUsize = AtomicUsize::new(0);
                pub unsafe extern "system" fn own(device: usize, object: usize, callbacks: usize) {
                    if object != 0 {
                        LIVE[$kind].fetch_sub(1, Ordering::Relaxed);
                    }
                    let real = REAL.load(Ordering::Relaxed);
                    // SAFETY: the address of a function with these parameters.
                    let real = unsafe { std::mem::transmute::<usize, Destroy>(real) };
                    // SAFETY: the caller's arguments, unchanged.
                    unsafe { real(device, object, callbacks) }
                }
            }
        )*
        fn destroyer(name: &CStr) -> Option<(Function, &'static AtomicUsize)> {
            $(if name.to_bytes() == stringify!($name).as_bytes() {
                // SAFETY: as in `wrapper`.
                return Some((unsafe { std::mem::transmute::<Destroy, Function>($name::own) }, &$name::REAL));
            })*
            None
        }
    };
}

destroyers! {
    vkDestroyBuffer 0;
    vkDestroyImage 1;
    vkDestroyImageView 2;
    vkDestroyBufferView 2;
    vkFreeMemory 3;
    vkDestroyShaderModule 4;
    vkDestroyPipeline 5;
    vkDestroyPipelineCache 6;
    vkDestroyPipelineLayout 7;
    vkDestroyDescriptorSetLayout 8;
    vkDestroyDescriptorPool 9;
    vkDestroyCommandPool 10;
    vkDestroyQueryPool 11;
    vkDestroySemaphore 12;
    vkDestroyFence 13;
}

struct Faults;

impl Shim for Faults {
    const REAL: &'static str = "VULKAN_FAULTS_REAL";

    fn begin() -> Option<()> {
        let setting = std::env::var("VULKAN_FAULTS").unwrap_or_default();
        let words: Vec<&str> = setting.split_whitespace().collect();
        if let [class, number, result] = words[..]
            && let (Ok(class), Ok(number), Ok(result)) = (class.parse(), number.parse(), result.parse())
        {
            vulkan_faults_set(class, number, result);
        }
        Some(())
    }

    fn replaced(name: &CStr, found: Option<Function>) -> Option<Function> {
        // Functions of VK_KHR_get_physical_device_properties2 are those of Vulkan 1.1.
        let query = name.to_bytes().strip_suffix(b"KHR").filter(|n| n.starts_with(b"vkGetPhysicalDevice"));
        let query = query.and_then(|name| std::ffi::CString::new(name).ok());
        let name = query.as_deref().unwrap_or(name);
        emulated::function(name, found)
            .or_else(|| queues::function(name, found))
            .or_else(|| miscompiled::function(name, found))
            .or_else(|| replaced_by_wrapper(name, found))
    }

    fn uses(device: vk::Device, ask: GetDeviceProcAddr) {
        // SAFETY: a live device.
        if let Some(wait) = unsafe { ask(device, c"vkDeviceWaitIdle".as_ptr()) } {
            DEVICE.store(vk::Handle::as_raw(device) as usize, Ordering::SeqCst);
            WAIT_IDLE.store(wait as usize, Ordering::SeqCst);
        }
    }
}

vulkan_loader::export!(Faults);

/// Our wrapper of a function that the driver has, if there is one, else the function.
fn replaced_by_wrapper(name: &CStr, found: Option<Function>) -> Option<Function> {
    let found = found?;
    match wrapper(name).or_else(|| destroyer(name)) {
        Some((own, real)) => {
            real.store(found as usize, Ordering::Relaxed);
            Some(own)
        }
        None => Some(found),
    }
}
