//! Several devices in one context: every device of the machine, the software device twice.

use super::rig::*;
use super::*;

/// Makes every device of the machine, and the software device twice, devices of the platform. Every test
/// begins with it.
pub fn ready() {
    software_device_twice("vulkan,cpu", "");
}

/// A context of all devices, with a queue on each.
pub struct World {
    pub devices: Vec<cl_device_id>,
    pub rig: Rig,
    pub queues: Vec<cl_command_queue>,
}

impl World {
    pub fn new(properties: cl_command_queue_properties) -> World {
        ready();
        let devices = devices();
        assert!(devices.len() >= 2, "{} devices", devices.len());
        let context = context_of(&devices);
        let rig = Rig { device: devices[0], context, program: build(context, devices[0], STEPS) };
        let queues = devices.iter().map(|d| Rig { device: *d, ..rig }.queue(properties)).collect();
        World { devices, rig, queues }
    }
    pub fn end(self) {
        release(self.queues);
        self.rig.program.release();
        self.rig.context.release();
    }
}

/// A sub-buffer.
pub fn part(mem: cl_mem, origin: usize, size: usize) -> cl_mem {
    let (region, mut code) = (cl_buffer_region { origin, size }, 1);
    // SAFETY: a region of a live buffer.
    let part = unsafe {
        clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast(), &mut code)
    };
    ok(code);
    part
}
