//! Tests of shared virtual memory, unified shared memory and buffer device addresses, for devices that share
//! addresses with the host in any way. Each test program selects one (`ready`) and runs all tests.
//! Unsupported features are tested to be rejected.
//!
//! Without an ICD loader the tests call the driver itself, and without a compiler the kernels come as SPIR-V.
//! So a test program and the driver beside it run on a bare machine with a Vulkan driver.

#![allow(clippy::unwrap_used, clippy::panic)]

pub mod errors;
pub mod lists;
pub mod recorded;
pub mod unified;
pub mod usm;

use std::ffi::{CString, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::Once;
use test_support::api::rig::*;
use test_support::api::*;

const SOURCE: &str = include_str!("kernels.cl");
const IL: &[u8] = include_bytes!("kernels.spv");

/// Selects the devices (empty: those of the environment) and hides features. To be called first in every
/// test.
pub fn ready(devices: &str, hidden: &str) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: every test of the program waits here before it does anything else.
        unsafe {
            std::env::set_var("PYROCLAST_FEATURES", hidden);
            if !devices.is_empty() {
                std::env::set_var("PYROCLAST_DEVICES", devices);
            }
            if libloading::Library::new("libOpenCL.so.1").is_err() {
                without_loader();
            }
        }
    });
}

pub type HostAlloc = unsafe extern "C" fn(cl_context, *const u64, usize, cl_uint, *mut cl_int) -> *mut c_void;
pub type DeviceAlloc =
    unsafe extern "C" fn(cl_context, cl_device_id, *const u64, usize, cl_uint, *mut cl_int) -> *mut c_void;
pub type Free = unsafe extern "C" fn(cl_context, *mut c_void) -> cl_int;
pub type AllocInfo =
    unsafe extern "C" fn(cl_context, *const c_void, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
pub type SetPointer = unsafe extern "C" fn(cl_kernel, cl_uint, *const c_void) -> cl_int;
pub type SetAddress = unsafe extern "C" fn(cl_kernel, cl_uint, u64) -> cl_int;
type Out = *mut cl_event;
type In = *const cl_event;
pub type MemFill = unsafe extern "C" fn(
    cl_command_queue,
    *mut c_void,
    *const c_void,
    usize,
    usize,
    cl_uint,
    In,
    Out,
) -> cl_int;
pub type Memset =
    unsafe extern "C" fn(cl_command_queue, *mut c_void, cl_int, usize, cl_uint, In, Out) -> cl_int;
pub type Memcpy = unsafe extern "C" fn(
    cl_command_queue,
    cl_bool,
    *mut c_void,
    *const c_void,
    usize,
    cl_uint,
    In,
    Out,
) -> cl_int;
pub type Hint = unsafe extern "C" fn(cl_command_queue, *const c_void, usize, u64, cl_uint, In, Out) -> cl_int;
pub type Advise =
    unsafe extern "C" fn(cl_command_queue, *const c_void, usize, cl_uint, cl_uint, In, Out) -> cl_int;

/// An extension function.
///
/// # Safety
/// `T` is its type.
pub unsafe fn extension<T: Copy>(name: &str) -> T {
    let text = CString::new(name).unwrap();
    // SAFETY: a terminated name.
    let found = unsafe { clGetExtensionFunctionAddressForPlatform(platform(), text.as_ptr()) };
    assert!(!found.is_null(), "{name}");
    // SAFETY: as the caller says.
    unsafe { std::mem::transmute_copy(&found) }
}

/// Features of the device.
pub struct Offer {
    pub svm: cl_bitfield,
    pub usm: bool,
    pub addresses: bool,
}

pub fn offer() -> Offer {
    let svm = number(&device_info(device(), CL_DEVICE_SVM_CAPABILITIES).unwrap());
    let extensions = text(&device_info(device(), CL_DEVICE_EXTENSIONS).unwrap());
    let has = |name: &str| extensions.split(' ').any(|e| e == name);
    Offer { svm, usm: has("cl_intel_unified_shared_memory"), addresses: has("cl_ext_buffer_device_address") }
}

impl Offer {
    pub fn coarse(&self) -> bool {
        self.svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER != 0
    }
    pub fn fine(&self) -> bool {
        self.svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER != 0
    }
    pub fn system(&self) -> bool {
        self.svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0
    }
    pub fn atomics(&self) -> bool {
        self.svm & CL_DEVICE_SVM_ATOMICS != 0
    }
}

/// The queries are consistent, and as expected on a software device: `on_processors` if it imports host
/// memory, at most coarse-grained memory if it has device addresses alone.
pub fn capabilities(on_processors: cl_bitfield) {
    let o = offer();
    if number(&device_info(device(), CL_DEVICE_TYPE).unwrap()) & CL_DEVICE_TYPE_CPU != 0 {
        let expected = match (o.addresses, extension::device_has(device(), "cl_arm_import_memory_host")) {
            (_, true) => on_processors,
            (true, false) => on_processors & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER,
            (false, false) => 0,
        };
        assert_eq!(o.svm, expected);
    }
    eprintln!("SVM capabilities {:#x}, USM {}, addresses of buffers {}", o.svm, o.usm, o.addresses);
    assert!(o.coarse() || o.svm == 0);
    assert!(o.fine() || !o.system() && !o.atomics());
    assert_eq!(o.usm, o.coarse(), "both need the same of the device");
    assert!(o.addresses || o.svm == 0);
    let scopes = number(&device_info(device(), CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES).unwrap());
    assert_eq!(scopes & CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES != 0, o.atomics());
    const ACCESS: u64 = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL;
    let usm = |name| device_info(device(), name).map(|b| number(&b));
    if !o.usm {
        assert_eq!(usm(CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL), Err(CL_INVALID_VALUE));
        return;
    }
    assert!(usm(CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL).unwrap() & ACCESS != 0);
    for name in [CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL]
    {
        assert_eq!(usm(name).unwrap() & ACCESS != 0, o.fine());
    }
    for name in
        [CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL]
    {
        assert_eq!(usm(name).unwrap() & ACCESS != 0, o.system());
    }
}

/// A rig without a program.
pub fn bare_rig() -> Rig {
    Rig { device: device(), context: context(), program: null_mut() }
}

/// A rig with the kernels.
pub fn rig() -> Rig {
    let (device, context) = (device(), context());
    if number(&device_info(device, CL_DEVICE_COMPILER_AVAILABLE).unwrap()) != 0 {
        return Rig { device, context, program: build(context, device, SOURCE) };
    }
    let mut code = 1;
    // SAFETY: the module has its length.
    unsafe {
        let program = clCreateProgramWithIL(context, IL.as_ptr().cast(), IL.len(), &mut code);
        ok(code);
        assert_eq!(
            clBuildProgram(program, 0, null(), null(), None, null_mut()),
            CL_SUCCESS,
            "{}",
            build_log(program, device)
        );
        Rig { device, context, program }
    }
}

/// The committed module was compiled from the source.
pub fn the_module_is_of_the_source() {
    let context = context();
    let mut code = 1;
    // SAFETY: the module has its length; the name is terminated.
    unsafe {
        let program = clCreateProgramWithIL(context, IL.as_ptr().cast(), IL.len(), &mut code);
        ok(code);
        assert_eq!(
            clBuildProgram(program, 0, null(), null(), None, null_mut()),
            CL_SUCCESS,
            "{}",
            build_log(program, device())
        );
        for line in SOURCE.lines().filter_map(|l| l.strip_prefix("kernel void ")) {
            let name = CString::new(line.split('(').next().unwrap()).unwrap();
            let kernel = clCreateKernel(program, name.as_ptr().cast::<c_char>(), &mut code);
            assert_eq!(code, CL_SUCCESS, "{name:?}: kernels.spv is old");
            release([kernel]);
        }
        release([program]);
        release([context]);
    }
}

/// Memory of clSVMAlloc, freed on drop.
pub struct Svm<T> {
    context: cl_context,
    pub ptr: *mut T,
    pub count: usize,
}

impl<T> Svm<T> {
    pub fn new(context: cl_context, flags: cl_svm_mem_flags, count: usize) -> Svm<T> {
        // SAFETY: a live handle.
        let ptr = unsafe { clSVMAlloc(context, flags, count * size_of::<T>(), 0) };
        assert!(!ptr.is_null());
        assert_eq!(ptr as usize % 128, 0);
        Svm { context, ptr: ptr.cast(), count }
    }
    /// The memory, which must be mapped or fine-grained.
    #[allow(clippy::mut_from_ref)]
    pub fn slice(&self) -> &mut [T] {
        // SAFETY: the allocation has that many elements; the caller sees to it that the host may use them.
        unsafe { std::slice::from_raw_parts_mut(self.ptr, self.count) }
    }
    pub fn map(&self, queue: cl_command_queue, flags: cl_map_flags) {
        let size = self.count * size_of::<T>();
        // SAFETY: the allocation has the size.
        ok(unsafe { clEnqueueSVMMap(queue, CL_TRUE, flags, self.ptr.cast(), size, 0, null(), null_mut()) });
    }
    pub fn unmap(&self, queue: cl_command_queue) {
        // SAFETY: a live allocation.
        ok(unsafe { clEnqueueSVMUnmap(queue, self.ptr.cast(), 0, null(), null_mut()) });
    }
}

impl<T> Drop for Svm<T> {
    fn drop(&mut self) {
        // SAFETY: tests finish what uses it before.
        unsafe { clSVMFree(self.context, self.ptr.cast()) };
    }
}

pub fn set_svm<T>(kernel: cl_kernel, index: cl_uint, ptr: *const T) {
    // SAFETY: a live handle; the pointer is only followed by kernels.
    ok(unsafe { clSetKernelArgSVMPointer(kernel, index, ptr.cast()) });
}

/// Declares a test of every function of the suite, after [`ready`].
#[macro_export]
macro_rules! svm_suite {
    ($devices:expr, $hidden:expr, $svm:expr) => {
        svm_suite! { @ $devices, $hidden;
            capabilities: svm::capabilities($svm),
            the_module_is_of_the_source: svm::the_module_is_of_the_source(),
            lists_of_host_and_device: svm::lists::lists_of_host_and_device(),
            pointers_into_allocations: svm::lists::pointers_into_allocations(),
            commands_on_allocations: svm::lists::commands_on_allocations(),
            indirect_accesses_are_ordered: svm::lists::indirect_accesses_are_ordered(),
            buffers_of_allocations: svm::lists::buffers_of_allocations(),
            fine_grains: svm::lists::fine_grains(),
            memory_of_the_system: svm::lists::memory_of_the_system(),
            atomics_of_host_and_device: svm::lists::atomics_of_host_and_device(),
            freeing: svm::lists::freeing(),
            recorded_commands: svm::recorded::recorded_commands(),
            errors_of_allocation: svm::errors::errors_of_allocation(),
            errors_of_frees: svm::errors::errors_of_frees(),
            errors_of_copies: svm::errors::errors_of_copies(),
            errors_of_fills: svm::errors::errors_of_fills(),
            errors_of_maps: svm::errors::errors_of_maps(),
            errors_of_migrations: svm::errors::errors_of_migrations(),
            errors_of_kernels: svm::errors::errors_of_kernels(),
            types_of_memory: svm::unified::types_of_memory(),
            unified_svm_errors: svm::unified::errors(),
            usm_of_every_kind: svm::usm::usm_of_every_kind(),
            usm_errors_of_allocation: svm::usm::usm_errors_of_allocation(),
            usm_errors_of_queries: svm::usm::usm_errors_of_queries(),
            usm_errors_of_kernels: svm::usm::usm_errors_of_kernels(),
            usm_errors_of_commands: svm::usm::usm_errors_of_commands(),
            usm_frees_when_all_is_done: svm::usm::usm_frees_when_all_is_done(),
            addresses_of_buffers: svm::usm::addresses_of_buffers(),
            addresses_in_kernels: svm::usm::addresses_in_kernels(),
        }
    };
    (@ $devices:expr, $hidden:expr; $($name:ident: $call:expr,)*) => {
        $(#[test]
        fn $name() {
            svm::ready($devices, $hidden);
            $call;
        })*
    };
}
