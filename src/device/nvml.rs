//! Facts about NVIDIA GPUs that Vulkan does not report, from the management library that comes with their
//! driver.
//!
//! The library is loaded for one query and unloaded again, which takes some 25 ms: another thread makes the
//! query while the Vulkan device is created. Facts that it does not report are `None`.

use libloading::{Library, Symbol};
use serde::{Deserialize, Serialize};
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::thread::JoinHandle;

const SUCCESS: c_int = 0;
const NOT_SUPPORTED: c_int = 3;
const CLOCK_SM: c_uint = 1;

/// Facts that the library reports about a GPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Nvml {
    /// Highest clock of the multiprocessors.
    pub clock_mhz: Option<u32>,
    /// CUDA's compute capability, major and minor number.
    pub capability: Option<(u32, u32)>,
    /// A display server renders on the GPU.
    pub display: Option<bool>,
}

type Handle = *mut c_void;

/// A query that another thread makes.
pub struct Query {
    pci: [u32; 4],
    /// `None` if no thread could be started.
    thread: Option<JoinHandle<Nvml>>,
}

impl Query {
    /// Begins to query the GPU at (domain, bus, device, function).
    pub fn begin(pci: [u32; 4]) -> Query {
        let builder = std::thread::Builder::new().name("pyroclast-nvml".into());
        Query { pci, thread: builder.spawn(move || read(pci)).ok() }
    }

    /// Waits for the facts.
    pub fn facts(self) -> Nvml {
        self.thread.map_or_else(|| read(self.pci), |thread| thread.join().unwrap_or_default())
    }
}

/// Queries the GPU at (domain, bus, device, function).
fn read([domain, bus, device, function]: [u32; 4]) -> Nvml {
    let id = CString::new(format!("{domain:04x}:{bus:02x}:{device:02x}.{function:x}")).unwrap_or_default();
    // SAFETY: loading the library runs its initialisers.
    let Ok(lib) = (unsafe { Library::new("libnvidia-ml.so.1") }) else { return Nvml::default() };
    // SAFETY: the signatures are those of nvml.h; the library is shut down again before it is closed.
    unsafe {
        let start: Option<Symbol<unsafe extern "C" fn() -> c_int>> = lib.get(b"nvmlInit_v2\0").ok();
        let stop: Option<Symbol<unsafe extern "C" fn() -> c_int>> = lib.get(b"nvmlShutdown\0").ok();
        let (Some(start), Some(stop)) = (start, stop) else { return Nvml::default() };
        if start() != SUCCESS {
            return Nvml::default();
        }
        let find: Option<Symbol<unsafe extern "C" fn(*const c_char, *mut Handle) -> c_int>> =
            lib.get(b"nvmlDeviceGetHandleByPciBusId_v2\0").ok();
        let mut gpu = null_mut();
        let found = find.is_some_and(|find| find(id.as_ptr(), &mut gpu) == SUCCESS);
        let facts = if found { ask(&lib, gpu) } else { Nvml::default() };
        stop();
        facts
    }
}

/// # Safety
/// The library is initialised and the handle is one of its GPUs.
unsafe fn ask(lib: &Library, gpu: Handle) -> Nvml {
    let (mut mhz, mut major, mut minor, mut active): (c_uint, c_int, c_int, c_int) = (0, 0, 0, 0);
    // SAFETY: the signatures are those of nvml.h, with room for the results; the rest is the caller's
    // promise.
    let (clock, capability, display) = unsafe {
        let clock: Option<Symbol<unsafe extern "C" fn(Handle, c_uint, *mut c_uint) -> c_int>> =
            lib.get(b"nvmlDeviceGetMaxClockInfo\0").ok();
        let capability: Option<Symbol<unsafe extern "C" fn(Handle, *mut c_int, *mut c_int) -> c_int>> =
            lib.get(b"nvmlDeviceGetCudaComputeCapability\0").ok();
        let display: Option<Symbol<unsafe extern "C" fn(Handle, *mut c_int) -> c_int>> =
            lib.get(b"nvmlDeviceGetDisplayActive\0").ok();
        (
            clock.map(|f| f(gpu, CLOCK_SM, &mut mhz)),
            capability.map(|f| f(gpu, &mut major, &mut minor)),
            display.map(|f| f(gpu, &mut active)),
        )
    };
    let version = u32::try_from(major).ok().zip(u32::try_from(minor).ok());
    Nvml {
        clock_mhz: (clock == Some(SUCCESS)).then_some(mhz),
        capability: version.filter(|_| capability == Some(SUCCESS)),
        display: match display {
            Some(SUCCESS) => Some(active != 0),
            // A GPU without outputs.
            Some(NOT_SUPPORTED) => Some(false),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_gpus_have_no_facts() {
        let nowhere = [0xffff, 0xff, 0x1f, 7];
        assert_eq!(Query::begin(nowhere).facts(), Nvml::default());
        assert_eq!(Query { pci: nowhere, thread: None }.facts(), Nvml::default());
    }
}
