//! Command-queue entry points.

use crate::convert::properties;
use crate::entry;
use crate::handle::{Handle, HandleTarget};
use crate::info;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::context::Context;
use pyroclast_runtime::device::Device;
use pyroclast_runtime::err;
use pyroclast_runtime::error::Result;
use pyroclast_runtime::info::InfoValue;
use pyroclast_runtime::queue::CommandQueue;
use pyroclast_runtime::queue::device_command_queue::DeviceCommandQueue;
use std::ffi::c_void;

impl HandleTarget for _cl_command_queue {
    type Object = CommandQueue;
}

/// Handle target of an on-device queue, which only some functions accept as a command queue.
pub struct DeviceQueueTarget;

impl HandleTarget for DeviceQueueTarget {
    type Object = DeviceCommandQueue;
}

/// The handle as that of an on-device queue.
pub fn device_queue(queue: cl_command_queue) -> *mut DeviceQueueTarget {
    queue.cast()
}

const ON_DEVICE: cl_command_queue_properties = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
const ON_HOST: cl_command_queue_properties =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

fn create(
    context: cl_context,
    device: cl_device_id,
    properties: cl_command_queue_properties,
    list: Option<Vec<cl_queue_properties>>,
    size: Option<cl_queue_properties>,
) -> Result<cl_command_queue> {
    let context = context.arc()?;
    // CL_INVALID_DEVICE: not a device of the context.
    let device = context.device(device.get()?)?;
    // CL_INVALID_VALUE: undefined bits.
    if properties & !(ON_HOST | ON_DEVICE) != 0 {
        return Err(err!(CL_INVALID_VALUE, "queue properties {properties:#x}"));
    }
    // CL_INVALID_VALUE: an on-device queue that is not out-of-order, or a default queue that is not
    // on-device.
    let on_device = properties & CL_QUEUE_ON_DEVICE != 0;
    if on_device && properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0
        || !on_device && properties & CL_QUEUE_ON_DEVICE_DEFAULT != 0
    {
        return Err(err!(CL_INVALID_VALUE, "queue properties {properties:#x} contradict each other"));
    }
    if size.is_some() && !on_device {
        return Err(err!(CL_INVALID_QUEUE_PROPERTIES, "a size for a queue of the host"));
    }
    if on_device && list.is_none() {
        return Err(err!(CL_INVALID_QUEUE_PROPERTIES, "clCreateCommandQueue makes no queues on devices"));
    }
    if on_device {
        let queue = DeviceCommandQueue::create(&context, device, properties, size, list.unwrap_or_default())?;
        return Ok(<*mut DeviceQueueTarget>::publish(queue).cast());
    }
    Ok(cl_command_queue::publish(CommandQueue::new(&context, device, properties, list)?))
}

entry! { fn clCreateCommandQueue(
    context: cl_context, device: cl_device_id, properties: cl_command_queue_properties; errcode_ret
) -> cl_command_queue {
    create(context, device, properties, None, None)
} }

const PRIORITIES: [cl_queue_properties; 3] =
    [CL_QUEUE_PRIORITY_HIGH_KHR, CL_QUEUE_PRIORITY_MED_KHR, CL_QUEUE_PRIORITY_LOW_KHR];
const THROTTLES: [cl_queue_properties; 3] =
    [CL_QUEUE_THROTTLE_HIGH_KHR, CL_QUEUE_THROTTLE_MED_KHR, CL_QUEUE_THROTTLE_LOW_KHR];

entry! { fn clCreateCommandQueueWithProperties(
    context: cl_context, device: cl_device_id, properties: *const cl_queue_properties; errcode_ret
) -> cl_command_queue {
    let given = !properties.is_null();
    let list = self::properties(properties)?;
    let own = context.get()?;
    own.device(device.get()?)?;
    let (mut bits, mut size, mut hinted) = (0, None, false);
    for (i, (key, value)) in list.pairs.iter().enumerate() {
        if list.pairs.iter().take(i).any(|(k, _)| k == key) {
            return Err(err!(CL_INVALID_VALUE, "queue property {key:#x} is given twice"));
        }
        match u32::try_from(*key) {
            Ok(CL_QUEUE_PROPERTIES) => bits = *value,
            Ok(CL_QUEUE_SIZE) => size = Some(*value),
            // CL_INVALID_VALUE: a hint with an undefined value, or an unknown property.
            Ok(CL_QUEUE_PRIORITY_KHR) if PRIORITIES.contains(value) => hinted = true,
            Ok(CL_QUEUE_THROTTLE_KHR) if THROTTLES.contains(value) => hinted = true,
            _ => return Err(err!(CL_INVALID_VALUE, "queue property {key:#x}")),
        }
    }
    if hinted && bits & CL_QUEUE_ON_DEVICE != 0 {
        return Err(err!(CL_INVALID_QUEUE_PROPERTIES, "a priority or a throttle for a queue on the device"));
    }
    create(context, device, bits, given.then_some(list.raw), size)
} }

entry! { fn clRetainCommandQueue(command_queue: cl_command_queue) -> cl_int {
    let device_queue = device_queue(command_queue);
    if device_queue.get().is_ok() { device_queue.retain() } else { command_queue.retain() }
} }

// Releasing flushes; commands in the queue complete even if this was the last reference.
entry! { fn clReleaseCommandQueue(command_queue: cl_command_queue) -> cl_int {
    let device_queue = device_queue(command_queue);
    if device_queue.get().is_ok() {
        return device_queue.release();
    }
    let queue = command_queue.arc()?;
    queue.flush();
    command_queue.release()
} }

/// The handle of a device's default queue; NULL if there is none.
fn default_on(context: &Context, device: &Device) -> InfoValue {
    let queue = DeviceCommandQueue::default_of(context, device);
    queue
        .map_or(InfoValue::Handle(0), |q| <*mut DeviceQueueTarget>::of(&q).cast::<_cl_command_queue>().into())
}

/// Answers clGetCommandQueueInfo for an on-device queue.
fn device_queue_info(
    handle: cl_command_queue,
    queue: &DeviceCommandQueue,
    param_name: cl_command_queue_info,
) -> Result<InfoValue> {
    Ok(match param_name {
        CL_QUEUE_CONTEXT => cl_context::of(queue.context()).into(),
        CL_QUEUE_DEVICE => cl_device_id::of(queue.device()).into(),
        CL_QUEUE_REFERENCE_COUNT => device_queue(handle).reference_count()?.into(),
        CL_QUEUE_PROPERTIES => queue.properties().into(),
        CL_QUEUE_PROPERTIES_ARRAY => queue.property_list().to_vec().into(),
        CL_QUEUE_SIZE => queue.size().into(),
        CL_QUEUE_DEVICE_DEFAULT => default_on(queue.context(), queue.device()),
        other => return Err(info::unknown("clGetCommandQueueInfo", other)),
    })
}

entry! { fn clGetCommandQueueInfo(
    command_queue: cl_command_queue, param_name: cl_command_queue_info, size: usize, value: *mut c_void,
    size_ret: *mut usize
) -> cl_int {
    if let Ok(queue) = device_queue(command_queue).get() {
        return info::write(device_queue_info(command_queue, queue, param_name)?, size, value, size_ret);
    }
    let queue = command_queue.get()?;
    let answer: InfoValue = match param_name {
        CL_QUEUE_CONTEXT => cl_context::of(queue.context()).into(),
        CL_QUEUE_DEVICE => cl_device_id::of(queue.device()).into(),
        CL_QUEUE_REFERENCE_COUNT => command_queue.reference_count()?.into(),
        CL_QUEUE_PROPERTIES => queue.properties().into(),
        // Empty if the queue was created without a list.
        CL_QUEUE_PROPERTIES_ARRAY => queue.property_list().map_or(InfoValue::Empty, |l| l.to_vec().into()),
        CL_QUEUE_SIZE => return Err(err!(CL_INVALID_COMMAND_QUEUE, "not a queue on the device")),
        CL_QUEUE_DEVICE_DEFAULT => default_on(queue.context(), queue.device()),
        other => return Err(info::unknown("clGetCommandQueueInfo", other)),
    };
    info::write(answer, size, value, size_ret)
} }

// Deprecated since OpenCL 1.1; implementations of later versions need not support it.
entry! { fn clSetCommandQueueProperty(
    command_queue: cl_command_queue, properties: cl_command_queue_properties, _enable: cl_bool,
    _old_properties: *mut cl_command_queue_properties
) -> cl_int {
    command_queue.get()?;
    // CL_INVALID_VALUE: undefined bits.
    if properties & !ON_HOST != 0 {
        return Err(err!(CL_INVALID_VALUE, "queue properties {properties:#x}"));
    }
    Err(err!(CL_INVALID_OPERATION, "properties of a queue are fixed"))
} }

entry! { fn clFlush(command_queue: cl_command_queue) -> cl_int {
    command_queue.arc()?.flush();
    Ok(())
} }

entry! { fn clFinish(command_queue: cl_command_queue) -> cl_int {
    command_queue.arc()?.finish()
} }
