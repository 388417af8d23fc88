//! On-device queues (CL_QUEUE_ON_DEVICE), to which kernels enqueue kernels. The host only creates them and
//! passes them to kernels.
//!
//! They have an object kind of their own, so functions that take a host command queue reject them.
//! Locks: none.

use crate::cl::*;
use crate::context::{Context, DeviceQueueObject};
use crate::device::Device;
use crate::device::traits::OnDeviceQueue;
use crate::err;
use crate::error::{Error, Result};
use crate::object::{ApiObject, ApiSlot, ObjectKind};
use std::any::Any;
use std::sync::Arc;

/// An on-device queue.
pub struct DeviceCommandQueue {
    slot: ApiSlot,
    context: Arc<Context>,
    device: Arc<Device>,
    device_index: usize,
    properties: cl_command_queue_properties,
    property_list: Vec<cl_queue_properties>,
    size: u32,
    on_device_queue: Arc<dyn OnDeviceQueue>,
}

impl ApiObject for DeviceCommandQueue {
    const KIND: ObjectKind = ObjectKind::DeviceCommandQueue;
    const INVALID: cl_int = CL_INVALID_COMMAND_QUEUE;
    fn api_slot(&self) -> &ApiSlot {
        &self.slot
    }
}

impl DeviceQueueObject for DeviceCommandQueue {
    fn on_device_queue(&self) -> &Arc<dyn OnDeviceQueue> {
        &self.on_device_queue
    }
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

impl DeviceCommandQueue {
    /// Creates a queue of `size` bytes (default: the device's preferred size) with the properties of an
    /// on-device queue. Returns the existing default queue if another default is requested.
    /// CL_OUT_OF_RESOURCES at the device's limit of queues in the context.
    pub fn create(
        context: &Arc<Context>,
        device: &Arc<Device>,
        properties: cl_command_queue_properties,
        size: Option<cl_queue_properties>,
        property_list: Vec<cl_queue_properties>,
    ) -> Result<Arc<DeviceCommandQueue>> {
        // CL_INVALID_QUEUE_PROPERTIES: the device has no on-device queues, or none of that size.
        let Some(facts) = device.info().enqueue else {
            return Err(err!(CL_INVALID_QUEUE_PROPERTIES, "the device has no on-device queues"));
        };
        let size = size.unwrap_or(u64::from(facts.preferred_size));
        let Some(size) = u32::try_from(size).ok().filter(|n| (1..=facts.max_size).contains(n)) else {
            return Err(err!(CL_INVALID_QUEUE_PROPERTIES, "a queue of {size} bytes on the device"));
        };
        let is_default = properties & CL_QUEUE_ON_DEVICE_DEFAULT != 0;
        let device_index = index_of(context, device)?;
        let queue: Arc<dyn DeviceQueueObject> = Arc::new(DeviceCommandQueue {
            slot: ApiSlot::new(),
            context: context.clone(),
            device: device.clone(),
            device_index,
            properties,
            property_list,
            size,
            on_device_queue: device.ops().create_on_device_queue(size)?,
        });
        // CL_DEVICE_MAX_ON_DEVICE_QUEUES limits the queues on the device in a context, not counting the
        // default queue.
        let queue = context.add_device_queue(device_index, queue, is_default, facts.max_queues);
        let queue = queue.and_then(|q| q.into_any().downcast().ok());
        queue.ok_or_else(|| err!(CL_OUT_OF_RESOURCES, "there are {} queues on the device", facts.max_queues))
    }

    /// The default queue on a device of the context.
    pub fn default_of(context: &Context, device: &Device) -> Option<Arc<DeviceCommandQueue>> {
        let device_index = index_of(context, device).ok()?;
        context.default_device_queue(device_index)?.into_any().downcast().ok()
    }

    /// Makes this the default queue of its device.
    pub fn make_default(self: &Arc<Self>) {
        let own: Arc<dyn DeviceQueueObject> = self.clone();
        self.context.set_default_queue(self.device_index, &own);
    }

    /// The context.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }
    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }
    /// CL_QUEUE_PROPERTIES
    pub fn properties(&self) -> cl_command_queue_properties {
        self.properties
    }
    /// CL_QUEUE_PROPERTIES_ARRAY
    pub fn property_list(&self) -> &[cl_queue_properties] {
        &self.property_list
    }
    /// CL_QUEUE_SIZE
    pub fn size(&self) -> u32 {
        self.size
    }
}

fn index_of(context: &Context, device: &Device) -> Result<usize> {
    let index = context.devices().iter().position(|d| std::ptr::eq(&**d, device));
    index.ok_or_else(|| Error::with(CL_INVALID_DEVICE, "the device is not in the context"))
}
