//! A driver that fails to compile modules with one capability: `VULKAN_FAULTS_MODULES` has the capability's
//! number in SPIR-V and what happens: "wrong" exchanges additions and subtractions, "crash" aborts the
//! process, "hang" never returns. VULKAN_FAULTS_OPEN has the number of a structure of features: the process
//! aborts when a device is created with its first feature.

use super::replaced_by_wrapper;
use std::ffi::CStr;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use vulkan_loader::{Function, vk, wrappers};

#[derive(Clone, Copy)]
enum What {
    Wrong,
    Crash,
    Hang,
}

/// The capability and what its modules cause.
fn setting() -> Option<(u32, What)> {
    static SETTING: OnceLock<Option<(u32, What)>> = OnceLock::new();
    *SETTING.get_or_init(|| {
        let text = std::env::var("VULKAN_FAULTS_MODULES").ok()?;
        let (capability, what) = text.split_once(' ')?;
        let what = match what {
            "wrong" => What::Wrong,
            "crash" => What::Crash,
            "hang" => What::Hang,
            _ => return None,
        };
        Some((capability.parse().ok()?, what))
    })
}

/// The structure whose first feature no device can be created with.
fn fatal() -> Option<i32> {
    static FATAL: OnceLock<Option<i32>> = OnceLock::new();
    *FATAL.get_or_init(|| std::env::var("VULKAN_FAULTS_OPEN").ok()?.parse().ok())
}

/// Structures of features begin like this.
#[repr(C)]
struct Features {
    base: vk::BaseInStructure<'static>,
    first: vk::Bool32,
}

/// Words before the first instruction.
const HEADER: usize = 5;
const OP_CAPABILITY: u32 = 17;

/// Calls `f` with each instruction: its opcode and words.
fn instructions(module: &mut [u32], mut f: impl FnMut(u32, &mut [u32])) {
    let mut rest = module.get_mut(HEADER..).unwrap_or_default();
    while let Some(first) = rest.first().copied() {
        let count = ((first >> 16).max(1) as usize).min(rest.len());
        let (words, after) = rest.split_at_mut(count);
        f(first & 0xffff, words);
        rest = after;
    }
}

/// Exchanges additions and subtractions: OpIAdd and OpISub, OpFAdd and OpFSub.
fn exchange(module: &mut [u32]) {
    instructions(module, |op, words| {
        let other = match op {
            128 | 129 => op + 2,
            130 | 131 => op - 2,
            _ => op,
        };
        words[0] = words[0] & !0xffff | other;
    });
}

wrappers! {
    vkCreateDevice as PFN_vkCreateDevice: (
        physical: vk::PhysicalDevice,
        info: *const vk::DeviceCreateInfo<'_>,
        callbacks: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::Device,
    ) -> vk::Result {
        // SAFETY: the caller's arguments; the chain has structures that begin with their type and the next.
        unsafe {
            let mut next = (*info).p_next.cast::<vk::BaseInStructure<'_>>();
            while let Some(structure) = next.as_ref() {
                let at = next.cast::<Features>();
                if fatal() == Some(structure.s_type.as_raw()) && (*at).first == vk::TRUE {
                    std::process::abort();
                }
                next = structure.p_next;
            }
            real()(physical, info, callbacks, out)
        }
    }
    vkCreateShaderModule as PFN_vkCreateShaderModule: (
        device: vk::Device,
        info: *const vk::ShaderModuleCreateInfo<'_>,
        callbacks: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::ShaderModule,
    ) -> vk::Result {
        // SAFETY: the caller's arguments; the module has as many bytes as its size says.
        unsafe {
            let mut own = *info;
            let mut words = std::slice::from_raw_parts(own.p_code, own.code_size / 4).to_vec();
            if let Some((capability, what)) = setting() {
                let mut has = false;
                instructions(&mut words, |op, w| has |= op == OP_CAPABILITY && w.get(1) == Some(&capability));
                match what {
                    _ if !has => {}
                    What::Wrong => exchange(&mut words),
                    What::Crash => std::process::abort(),
                    What::Hang => loop {
                        std::thread::sleep(std::time::Duration::from_secs(1));
                    },
                }
            }
            own.p_code = words.as_ptr();
            real()(device, &own, callbacks, out)
        }
    }
}

/// Our function of a name, if there is one. It uses the real one, which `found` is.
pub fn function(name: &CStr, found: Option<Function>) -> Option<Function> {
    if setting().is_none() && fatal().is_none() {
        return None;
    }
    found?;
    let (own, real) = wrapper(name.to_str().ok()?)?;
    real.store(replaced_by_wrapper(name, found).map_or(0, |f| f as usize), Ordering::Relaxed);
    Some(own)
}
