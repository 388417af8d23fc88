//! Queues on the device and the programs whose kernels enqueue kernels, for the tests of the CPU device.

use super::rig::*;
use super::*;
use std::ptr::null_mut;
use std::sync::{Once, OnceLock};

pub const ON_DEVICE: cl_command_queue_properties =
    CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
pub const DEFAULT: cl_command_queue_properties = ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

/// Error codes that kernels receive.
pub const OUT_OF_RESOURCES: i32 = -5;
pub const INVALID_ARG_SIZE: i32 = -51;
pub const INVALID_EVENT_WAIT_LIST: i32 = -57;
pub const EVENT_ALLOCATION_FAILURE: i32 = -100;
pub const ENQUEUE_FAILURE: i32 = -101;
pub const INVALID_QUEUE: i32 = -102;
pub const INVALID_NDRANGE: i32 = -160;
pub const DEVICE_QUEUE_FULL: i32 = -161;

/// Every device. To be called first in every test.
pub fn all_devices() -> Vec<cl_device_id> {
    static ONCE: Once = Once::new();
    // SAFETY: every test of the program waits here before it does anything else.
    ONCE.call_once(|| unsafe { std::env::set_var("PYROCLAST_DEVICES", "cpu,vulkan") });
    devices()
}

pub fn number_of(device: cl_device_id, name: cl_device_info) -> u64 {
    number(&device_info(device, name).unwrap())
}

/// The device whose kernels can enqueue kernels.
pub fn cpu() -> cl_device_id {
    let can = |d: &cl_device_id| {
        number_of(*d, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) & CL_DEVICE_QUEUE_SUPPORTED != 0
    };
    all_devices().into_iter().find(can).unwrap()
}

/// A source that is compiled once, for all tests.
pub struct Source {
    pub text: &'static str,
    binary: OnceLock<Vec<u8>>,
}

impl Source {
    pub const fn new(text: &'static str) -> Source {
        Source { text, binary: OnceLock::new() }
    }

    /// A context of the device with the program, built with debug information for exact error codes.
    pub fn rig(&self) -> Rig {
        let device = cpu();
        let context = context_of(&[device]);
        let binary = self.binary.get_or_init(|| {
            let program = build_with(context, device, self.text, "-cl-std=CL3.0 -g")
                .unwrap_or_else(|log| panic!("{log}"));
            // SAFETY: `query_bytes` passes buffers of the size it says.
            let size =
                query_bytes(|s, v, r| unsafe { clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, s, v, r) });
            let mut binary = vec![0u8; number(&size.unwrap()) as usize];
            let mut start = binary.as_mut_ptr();
            // SAFETY: room for the one binary of the reported size.
            ok(unsafe {
                clGetProgramInfo(program, CL_PROGRAM_BINARIES, 8, (&raw mut start).cast(), null_mut())
            });
            release([program]);
            binary
        });
        let (mut from, length, mut code) = (binary.as_ptr(), binary.len(), 1);
        // SAFETY: one binary with its length; live handles.
        let program = unsafe {
            let program =
                clCreateProgramWithBinary(context, 1, &device, &length, &mut from, null_mut(), &mut code);
            ok(code);
            ok(clBuildProgram(program, 0, null(), null(), None, null_mut()));
            program
        };
        Rig { device, context, program }
    }
}

pub fn create(rig: &Rig, list: &[cl_queue_properties]) -> Result<cl_command_queue, cl_int> {
    let mut code = 1;
    // SAFETY: a terminated list.
    let queue =
        unsafe { clCreateCommandQueueWithProperties(rig.context, rig.device, list.as_ptr(), &mut code) };
    if code == CL_SUCCESS { Ok(queue) } else { Err(code) }
}

pub fn on_device(rig: &Rig, properties: cl_command_queue_properties, size: Option<u64>) -> cl_command_queue {
    let mut list = vec![u64::from(CL_QUEUE_PROPERTIES), properties];
    list.extend(size.into_iter().flat_map(|s| [u64::from(CL_QUEUE_SIZE), s]));
    list.push(0);
    create(rig, &list).unwrap()
}

pub fn info(queue: cl_command_queue, name: cl_command_queue_info) -> Result<Vec<u8>, cl_int> {
    // SAFETY: `query_bytes` passes buffers of the size it says.
    query_bytes(|s, v, r| unsafe { clGetCommandQueueInfo(queue, name, s, v, r) })
}
