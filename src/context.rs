//! Contexts: a set of devices that share memory objects, programs and events.
//!
//! A context lives until the application and every object made from it have released it. Its destructor
//! callbacks then run in the reverse order of their registration.
//! Locks: the list of destructor callbacks (rank CallbackChannel), that of queues and that of default queues
//! on devices (rank Context).

use crate::callback::Callback;
use crate::cl::*;
use crate::device::Device;
use crate::device::traits::{DeviceError, DeviceOps, OnDeviceQueue, PRINT_BYTES};
use crate::err;
use crate::error::{Error, Result};
use crate::info::InfoValue;
use crate::memory::allocations::Allocations;
use crate::object::{ApiObject, ApiSlot, DestructorList, ObjectKind};
use crate::pending_host_writes::PendingHostWrites;
use crate::sync::{Mutex, Rank};
use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

/// Reports an error to the application (`pfn_notify`).
pub type Notify = Arc<dyn Fn(&str) + Send + Sync>;

/// Receives the output of `printf` in kernels.
pub type PrintCallback = Arc<dyn Fn(&[u8]) + Send + Sync>;

/// Destination and size of kernels' `printf` output (cl_arm_printf).
#[derive(Clone, Default)]
pub struct PrintConfig {
    /// Callback that replaces the standard output.
    pub callback: Option<PrintCallback>,
    /// Requested bytes; at least [`PRINT_BYTES`] are allocated.
    pub bytes: u64,
}

/// Something with pending work that can be waited for.
pub trait Drain: Send + Sync {
    fn drain(self: Arc<Self>);
}

/// An on-device queue, as an object of the context.
pub trait DeviceQueueObject: Send + Sync {
    /// The device layer's queue.
    fn on_device_queue(&self) -> &Arc<dyn OnDeviceQueue>;
    /// Converts to `Any`, to be downcast to the concrete type.
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// On-device queues by device index.
#[derive(Default)]
struct DeviceQueues {
    every: Vec<(usize, Weak<dyn DeviceQueueObject>)>,
    default: Vec<(usize, Weak<dyn DeviceQueueObject>)>,
}

impl DeviceQueues {
    fn default_at(&self, device_index: usize) -> Option<Arc<dyn DeviceQueueObject>> {
        self.default.iter().find(|(at, _)| *at == device_index).and_then(|(_, queue)| queue.upgrade())
    }
    fn set_default(&mut self, device_index: usize, queue: &Arc<dyn DeviceQueueObject>) {
        self.default.retain(|(at, _)| *at != device_index);
        self.default.push((device_index, Arc::downgrade(queue)));
    }
}

/// An OpenCL context.
pub struct Context {
    slot: ApiSlot,
    devices: Vec<Arc<Device>>,
    /// Operations of the devices.
    ops: Vec<Arc<dyn DeviceOps>>,
    /// The list passed at creation, with its terminator; empty for NULL.
    properties: Vec<cl_context_properties>,
    /// CL_CONTEXT_MEMORY_INITIALIZE_*: memory that is zeroed when a kernel begins.
    initialized: cl_context_memory_initialize_khr,
    notify: Option<Notify>,
    printing: PrintConfig,
    destructors: DestructorList,
    /// Destinations of unfinished reads of the context's queues.
    pub(crate) pending_host_writes: PendingHostWrites,
    /// Memory that is identified by its address.
    pub allocations: Allocations,
    queues: Mutex<Vec<Weak<dyn Drain>>>,
    device_queues: Mutex<DeviceQueues>,
    /// Some device has had a default on-device queue.
    has_default_queues: AtomicBool,
}

/// A device of a context.
#[derive(Clone)]
pub struct ContextDevice {
    context: Arc<Context>,
    device: Arc<Device>,
    device_index: usize,
}

impl ContextDevice {
    /// CL_INVALID_DEVICE: the device is not in the context.
    pub fn new(context: &Arc<Context>, device: &Arc<Device>) -> Result<ContextDevice> {
        let device_index = context.devices.iter().position(|d| Arc::ptr_eq(d, device));
        let device_index =
            device_index.ok_or_else(|| err!(CL_INVALID_DEVICE, "the device is not in the context"))?;
        Ok(ContextDevice { context: context.clone(), device: device.clone(), device_index })
    }
    /// The context.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }
    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }
    /// Position of the device in the context.
    pub(crate) fn device_index(&self) -> usize {
        self.device_index
    }
    /// Operations of the device.
    pub fn ops(&self) -> &Arc<dyn DeviceOps> {
        self.device.ops()
    }
}

impl ApiObject for Context {
    const KIND: ObjectKind = ObjectKind::Context;
    const INVALID: cl_int = CL_INVALID_CONTEXT;
    fn api_slot(&self) -> &ApiSlot {
        &self.slot
    }
}

const INITIALIZABLE: cl_context_properties = (CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR
    | CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR)
    as cl_context_properties;

/// Checks (key, value) pairs of context properties. `is_platform` returns whether a value is this platform's
/// handle.
pub fn validate_properties(
    pairs: &[(cl_context_properties, cl_context_properties)],
    is_platform: impl Fn(cl_context_properties) -> bool,
) -> Result<()> {
    const PLATFORM: cl_context_properties = CL_CONTEXT_PLATFORM as cl_context_properties;
    const USER_SYNC: cl_context_properties = CL_CONTEXT_INTEROP_USER_SYNC as cl_context_properties;
    const PRINT_CALLBACK: cl_context_properties = CL_PRINTF_CALLBACK_ARM as cl_context_properties;
    const INITIALIZE: cl_context_properties = CL_CONTEXT_MEMORY_INITIALIZE_KHR as cl_context_properties;
    const PRINT_SIZE: cl_context_properties = CL_PRINTF_BUFFERSIZE_ARM as cl_context_properties;
    for (i, (key, value)) in pairs.iter().enumerate() {
        if pairs.iter().take(i).any(|(earlier, _)| earlier == key) {
            return Err(err!(CL_INVALID_PROPERTY, "context property {key:#x} is given twice"));
        }
        match *key {
            PLATFORM if is_platform(*value) => {}
            PLATFORM => return Err(err!(CL_INVALID_PLATFORM, "{value:#x} is not this platform")),
            USER_SYNC if matches!(*value, 0 | 1) => {}
            USER_SYNC => {
                return Err(err!(
                    CL_INVALID_PROPERTY,
                    "CL_CONTEXT_INTEROP_USER_SYNC is not a cl_bool: {value}"
                ));
            }
            INITIALIZE if *value & !INITIALIZABLE == 0 => {}
            INITIALIZE => {
                return Err(err!(
                    CL_INVALID_PROPERTY,
                    "{value:#x} names other memory than local and private"
                ));
            }
            // cl_arm_printf: any function is valid, and any size, which may be rounded up.
            PRINT_CALLBACK | PRINT_SIZE => {}
            other => return Err(err!(CL_INVALID_PROPERTY, "context property {other:#x} is not supported")),
        }
    }
    Ok(())
}

impl Context {
    /// Creates a context from validated properties. A device named twice counts once.
    pub fn new(
        devices: impl IntoIterator<Item = Arc<Device>>,
        properties: Vec<cl_context_properties>,
        notify: Option<Notify>,
        printing: PrintConfig,
    ) -> Result<Arc<Context>> {
        let mut list: Vec<Arc<Device>> = Vec::new();
        for device in devices {
            // CL_DEVICE_NOT_AVAILABLE: a device was lost, or cannot be opened.
            let name = &device.info().name;
            device.ops().open().map_err(|why| match why {
                DeviceError::OutOfHostMemory => err!(CL_OUT_OF_HOST_MEMORY, "{name}"),
                why => err!(CL_DEVICE_NOT_AVAILABLE, "{name}: {why}"),
            })?;
            if !list.iter().any(|d| Arc::ptr_eq(d, &device)) {
                list.push(device);
            }
        }
        let asked = properties
            .chunks_exact(2)
            .find(|p| p[0] == CL_CONTEXT_MEMORY_INITIALIZE_KHR as cl_context_properties);
        let initialized = asked.map_or(0, |p| p[1] as cl_context_memory_initialize_khr);
        if asked.is_some() && !list.iter().all(|d| d.info().zero_local) {
            return Err(err!(CL_INVALID_PROPERTY, "a device does not initialize memory"));
        }
        let (destructors, pending_host_writes) = (DestructorList::default(), PendingHostWrites::default());
        let (allocations, queues) = (Allocations::default(), Mutex::new(Rank::Context, Vec::new()));
        let device_queues = Mutex::new(Rank::Context, DeviceQueues::default());
        let ops = list.iter().map(|d| d.ops().clone()).collect();
        Ok(Arc::new(Context {
            slot: ApiSlot::new(),
            devices: list,
            ops,
            properties,
            initialized,
            notify,
            printing,
            destructors,
            pending_host_writes,
            allocations,
            queues,
            device_queues,
            has_default_queues: AtomicBool::new(false),
        }))
    }
    /// Whether kernels find zeros in local and in private memory (cl_khr_initialize_memory).
    pub fn initializes(&self) -> (bool, bool) {
        let has = |bit| self.initialized & bit as cl_context_memory_initialize_khr != 0;
        (has(CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR), has(CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR))
    }
    /// Registers one of its queues.
    pub(crate) fn add_queue(&self, queue: Weak<dyn Drain>) {
        let mut queues = self.queues.lock();
        queues.retain(|q| q.strong_count() > 0);
        queues.push(queue);
    }
    /// Adds a new on-device queue of the device at an index. Returns the existing default queue if
    /// `is_default` and there is one, and `None` if the device already has `most` queues besides the default.
    pub(crate) fn add_device_queue(
        &self,
        device_index: usize,
        queue: Arc<dyn DeviceQueueObject>,
        is_default: bool,
        most: u32,
    ) -> Option<Arc<dyn DeviceQueueObject>> {
        let mut queues = self.device_queues.lock();
        let default = queues.default_at(device_index);
        if is_default && default.is_some() {
            return default;
        }
        queues.every.retain(|(_, q)| q.strong_count() > 0);
        let default = default.map(|q| Arc::downgrade(&q));
        let counts = |q: &Weak<dyn DeviceQueueObject>| default.as_ref().is_none_or(|d| !d.ptr_eq(q));
        let taken = queues.every.iter().filter(|(at, q)| *at == device_index && counts(q)).count();
        if !is_default && taken >= most as usize {
            return None;
        }
        queues.every.push((device_index, Arc::downgrade(&queue)));
        if is_default {
            queues.set_default(device_index, &queue);
            self.has_default_queues.store(true, Ordering::Release);
        }
        Some(queue)
    }
    /// Makes a queue the default on-device queue of the device at an index.
    pub(crate) fn set_default_queue(&self, device_index: usize, queue: &Arc<dyn DeviceQueueObject>) {
        self.device_queues.lock().set_default(device_index, queue);
        self.has_default_queues.store(true, Ordering::Release);
    }
    /// The default on-device queue of the device at an index.
    pub(crate) fn default_device_queue(&self, device_index: usize) -> Option<Arc<dyn DeviceQueueObject>> {
        // Each launch asks for it.
        if !self.has_default_queues.load(Ordering::Acquire) {
            return None;
        }
        self.device_queues.lock().default_at(device_index)
    }
    /// The device layer's queue of [`Context::default_device_queue`].
    pub(crate) fn default_queue(&self, device_index: usize) -> Option<Arc<dyn OnDeviceQueue>> {
        self.default_device_queue(device_index).map(|queue| queue.on_device_queue().clone())
    }
    /// Waits until everything enqueued in its queues so far is complete.
    pub fn drain(&self) {
        let queues: Vec<_> = self.queues.lock().iter().filter_map(Weak::upgrade).collect();
        for queue in queues {
            queue.drain();
        }
    }
    /// Its devices.
    pub fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }
    /// Operations of its devices.
    pub(crate) fn device_ops(&self) -> &[Arc<dyn DeviceOps>] {
        &self.ops
    }
    /// Operations of the device at an index.
    pub fn ops(&self, index: usize) -> Result<&Arc<dyn DeviceOps>> {
        self.ops.get(index).ok_or_else(|| Error::new(CL_INVALID_DEVICE))
    }
    /// The context's reference to one of its devices; CL_INVALID_DEVICE if it is not one of them.
    pub fn device(&self, device: &Device) -> Result<&Arc<Device>> {
        let own = self.devices.iter().find(|d| std::ptr::eq(&***d, device));
        own.ok_or_else(|| err!(CL_INVALID_DEVICE, "the device does not belong to the context"))
    }
    /// The properties as given at creation.
    pub fn properties(&self) -> &[cl_context_properties] {
        &self.properties
    }
    /// Reports an error to the application, on the callback thread.
    pub fn notify(&self, text: &str) {
        if let Some(notify) = self.notify.clone() {
            let text = text.to_string();
            crate::callback::post(Box::new(move || notify(&text)));
        }
    }
    /// Reports an error of an API call to the application.
    pub fn notify_error(&self, call: &str, error: &Error) {
        if self.notify.is_some() {
            self.notify(&format!("{call}: {error}"));
        }
    }
    /// Delivers kernels' output in the calling thread: it must be delivered before completion is reported.
    pub fn print(&self, text: &[u8]) {
        match &self.printing.callback {
            Some(callback) => callback(text),
            None => crate::printf::to_stdout(text),
        }
    }
    /// Bytes that a launch may print.
    pub(crate) fn print_bytes(&self) -> u64 {
        self.printing.bytes.max(PRINT_BYTES)
    }
    /// Adds a destructor callback.
    pub fn on_destroy(&self, callback: Callback) {
        self.destructors.push(callback);
    }
    /// Answers clGetContextInfo, except for device handles and the reference count, which the C interface
    /// answers.
    pub fn query(&self, name: cl_context_info) -> Result<InfoValue> {
        Ok(match name {
            CL_CONTEXT_NUM_DEVICES => (self.devices.len() as cl_uint).into(),
            // Without properties the answer is empty, without even a terminator.
            CL_CONTEXT_PROPERTIES => self.properties.clone().into(),
            other => return Err(err!(CL_INVALID_VALUE, "clGetContextInfo has no parameter {other:#x}")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLATFORM: isize = CL_CONTEXT_PLATFORM as isize;
    const USER_SYNC: isize = CL_CONTEXT_INTEROP_USER_SYNC as isize;

    fn check(pairs: &[(isize, isize)]) -> cl_int {
        validate_properties(pairs, |p| p == 0x40).map_or_else(|e| e.code(), |()| CL_SUCCESS)
    }

    #[test]
    fn properties_are_checked() {
        assert_eq!(check(&[]), CL_SUCCESS);
        assert_eq!(check(&[(PLATFORM, 0x40), (USER_SYNC, 1)]), CL_SUCCESS);
        assert_eq!(check(&[(PLATFORM, 0x41)]), CL_INVALID_PLATFORM);
        assert_eq!(check(&[(PLATFORM, 0x40), (PLATFORM, 0x40)]), CL_INVALID_PROPERTY);
        assert_eq!(check(&[(USER_SYNC, 7)]), CL_INVALID_PROPERTY);
        assert_eq!(check(&[(0x2008, 0)]), CL_INVALID_PROPERTY);
    }
}
