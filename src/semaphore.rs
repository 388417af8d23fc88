//! Semaphores (cl_khr_semaphore, cl_khr_external_semaphore): signals and waits as commands of queues.
//!
//! Signals and waits of a binary semaphore form pairs, in the order in which they are enqueued. A wait
//! depends on the event of its signal, or, if it is enqueued first, on a user event that stands for the
//! signal. So a semaphore within this process needs no device object.
//!
//! A semaphore that is shared with others is a device semaphore too, which queues wait for and signal on the
//! device, beside the events: signals from elsewhere are not known here. As in Vulkan, that signal must be
//! pending when the wait is submitted: queues that share a VkQueue wait together.
//!
//! Locks: one of rank Semaphore around the pairs; nothing is called while it is held.

use crate::cl::*;
use crate::command::{CommandKind, CommandWork, ExecutionTarget};
use crate::context::Context;
use crate::device::Device;
use crate::device::batch::Work;
use crate::device::share::SemaphoreHandle;
use crate::device::traits::{DeviceSemaphore, SemaphoreOrigin};
use crate::err;
use crate::error::{Error, Result};
use crate::event::{Event, WaitList};
use crate::object::{ApiObject, ApiSlot, ObjectKind};
use crate::queue::{CommandQueue, NewCommand, SyncKind};
use crate::sync::{Mutex, Rank};
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::time::Duration;

/// A binary semaphore.
pub struct Semaphore {
    slot: ApiSlot,
    context: Arc<Context>,
    /// CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR
    devices: Vec<Arc<Device>>,
    properties: Vec<cl_semaphore_properties_khr>,
    origin: SemaphoreOrigin,
    /// The device semaphore, if it is shared with others.
    shared: Option<Arc<dyn DeviceSemaphore>>,
    pairs: Mutex<Pairs>,
}

#[derive(Default)]
struct Pairs {
    /// Signals without a wait enqueued for them.
    signals: VecDeque<Arc<Event>>,
    /// User events of waits without a signal enqueued for them.
    promises: VecDeque<Arc<Event>>,
    /// The newest pair: signal and wait.
    last: Option<(Arc<Event>, Arc<Event>)>,
}

impl ApiObject for Semaphore {
    const KIND: ObjectKind = ObjectKind::Semaphore;
    const INVALID: cl_int = CL_INVALID_SEMAPHORE_KHR;
    fn api_slot(&self) -> &ApiSlot {
        &self.slot
    }
}

/// Description of a new semaphore, from its properties.
#[derive(Clone, Default)]
pub struct SemaphoreDesc {
    /// CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, if present.
    pub devices: Option<Vec<Arc<Device>>>,
    /// CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, if present.
    pub exports: Option<Vec<SemaphoreHandle>>,
    pub imports: Vec<(SemaphoreHandle, RawFd)>,
    /// The list as passed.
    pub list: Vec<cl_semaphore_properties_khr>,
}

impl Semaphore {
    /// clCreateSemaphoreWithPropertiesKHR.
    pub fn create(context: &Arc<Context>, desc: SemaphoreDesc) -> Result<Arc<Semaphore>> {
        let all = context.devices();
        let devices = match desc.devices {
            Some(list) => {
                if list.len() != 1 || list.iter().any(|d| !all.iter().any(|own| Arc::ptr_eq(own, d))) {
                    return Err(err!(CL_INVALID_DEVICE, "not one device of the context"));
                }
                list
            }
            None if all.len() > 1 => {
                return Err(err!(CL_INVALID_PROPERTY, "the context has several devices, none is named"));
            }
            None => all.to_vec(),
        };
        let device = devices.first().ok_or_else(|| Error::new(CL_INVALID_DEVICE))?;
        let exports = desc.exports.unwrap_or_default();
        // At most one kind of handle can be exported.
        if exports.len() > 1 {
            return Err(err!(CL_INVALID_VALUE, "{} kinds of handles for export", exports.len()));
        }
        // At most one handle can be imported.
        if desc.imports.len() > 1 {
            return Err(err!(CL_INVALID_PROPERTY, "{} handles for import", desc.imports.len()));
        }
        let origin = match (exports.first(), desc.imports.first()) {
            (None, None) => SemaphoreOrigin::Plain,
            (Some(handle), None) => SemaphoreOrigin::Exportable(*handle),
            (None, Some((handle, fd))) => SemaphoreOrigin::Imported(*handle, *fd),
            _ => return Err(err!(CL_INVALID_OPERATION, "import and export of one semaphore")),
        };
        match origin {
            SemaphoreOrigin::Imported(handle, _) if !device.info().semaphore_imports.contains(&handle) => {
                return Err(err!(CL_INVALID_DEVICE, "the device imports no {handle:?} semaphores"));
            }
            SemaphoreOrigin::Exportable(handle) if !device.info().semaphore_exports.contains(&handle) => {
                return Err(err!(CL_INVALID_PROPERTY, "the device exports no {handle:?} semaphores"));
            }
            _ => {}
        }
        let shared = match origin {
            SemaphoreOrigin::Plain => None,
            _ => Some(device.ops().create_semaphore(origin).map_err(|e| err!(CL_OUT_OF_RESOURCES, "{e}"))?),
        };
        Ok(Arc::new(Semaphore {
            slot: ApiSlot::new(),
            context: context.clone(),
            devices,
            properties: desc.list,
            origin,
            shared,
            pairs: Mutex::new(Rank::Semaphore, Pairs::default()),
        }))
    }

    /// CL_SEMAPHORE_CONTEXT_KHR
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR
    pub fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    /// CL_SEMAPHORE_PROPERTIES_KHR
    pub fn properties(&self) -> &[cl_semaphore_properties_khr] {
        &self.properties
    }

    /// CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR: at most one.
    pub fn export_handle(&self) -> Option<SemaphoreHandle> {
        match self.origin {
            SemaphoreOrigin::Exportable(handle) => Some(handle),
            _ => None,
        }
    }

    /// CL_SEMAPHORE_PAYLOAD_KHR: 1 if a signal is complete and its wait is not. Operations by others on a
    /// shared semaphore are not reflected.
    pub fn payload(&self) -> cl_semaphore_payload_khr {
        let pairs = self.pairs.lock();
        let is_signalled = |e: &Arc<Event>| e.status() == CL_COMPLETE;
        let waiting =
            pairs.last.as_ref().is_some_and(|(signal, wait)| is_signalled(signal) && !wait.is_done());
        u64::from(waiting || pairs.signals.front().is_some_and(is_signalled))
    }

    /// clGetSemaphoreHandleForTypeKHR: exports a new descriptor. For a sync file, blocks until its signal is
    /// pending.
    pub fn export(&self, device: &Arc<Device>, handle: SemaphoreHandle) -> Result<RawFd> {
        self.validate_export(device, handle)?;
        let shared =
            self.shared.as_ref().ok_or_else(|| err!(CL_INVALID_VALUE, "the semaphore is not shared"))?;
        if handle == SemaphoreHandle::SyncFd {
            let signal = self.pairs.lock().signals.pop_front();
            // A sync file represents a signal.
            let signal =
                signal.ok_or_else(|| err!(CL_INVALID_OPERATION, "no signal of the semaphore is pending"))?;
            if let Some(queue) = signal.queue() {
                queue.flush();
            }
            while signal.submission().is_none() && !signal.is_done() {
                std::thread::sleep(Duration::from_micros(100));
            }
        }
        Ok(shared.export(handle)?)
    }

    /// Checks the arguments of clGetSemaphoreHandleForTypeKHR.
    pub fn validate_export(&self, device: &Arc<Device>, handle: SemaphoreHandle) -> Result<()> {
        if !self.devices.iter().any(|d| Arc::ptr_eq(d, device)) {
            return Err(err!(CL_INVALID_DEVICE, "the semaphore is not for the device"));
        }
        if self.export_handle() != Some(handle) {
            return Err(err!(CL_INVALID_VALUE, "the semaphore was not made for export as {handle:?}"));
        }
        Ok(())
    }

    /// clReImportSemaphoreSyncFdKHR.
    pub fn import_again(&self, fd: RawFd) -> Result<()> {
        let shared = match (self.origin, &self.shared) {
            (SemaphoreOrigin::Imported(SemaphoreHandle::SyncFd, _), Some(shared)) => shared,
            _ => return Err(err!(CL_INVALID_SEMAPHORE_KHR, "the semaphore does not come from a sync file")),
        };
        // CL_INVALID_VALUE: the descriptor is neither a sync file nor -1.
        shared.import(SemaphoreHandle::SyncFd, fd).map_err(|e| err!(CL_INVALID_VALUE, "{e}"))
    }

    /// Takes the oldest signal without a wait, or adds the promise of a signal that is yet to be enqueued.
    fn take_signal(&self) -> Option<Arc<Event>> {
        let mut pairs = self.pairs.lock();
        if let Some(signal) = pairs.signals.pop_front() {
            return Some(signal);
        }
        // It may have been signalled by others.
        if self.shared.is_some() {
            return None;
        }
        let promise = Event::user(&self.context);
        pairs.promises.push_back(promise.clone());
        Some(promise)
    }

    /// Adds a signal. Returns the promise that it fulfils.
    fn add_signal(&self, signal: &Arc<Event>) -> Option<Arc<Event>> {
        let mut pairs = self.pairs.lock();
        let promise = pairs.promises.pop_front();
        if promise.is_none() {
            // Earlier signals were waited for by others.
            if self.shared.is_some() {
                pairs.signals.clear();
            }
            pairs.signals.push_back(signal.clone());
        }
        promise
    }
}

fn validate(queue: &CommandQueue, semaphores: &[Arc<Semaphore>], waits: &WaitList) -> Result<()> {
    if semaphores.is_empty() {
        return Err(err!(CL_INVALID_VALUE, "no semaphores"));
    }
    if semaphores.iter().any(|s| !Arc::ptr_eq(&s.context, queue.context()))
        || waits.iter().any(|e| !Arc::ptr_eq(e.context(), queue.context()))
    {
        return Err(err!(CL_INVALID_CONTEXT, "a semaphore or an event belongs to another context"));
    }
    if semaphores.iter().any(|s| !s.devices.iter().any(|d| Arc::ptr_eq(d, queue.device()))) {
        return Err(err!(CL_INVALID_COMMAND_QUEUE, "a semaphore is for another device"));
    }
    if waits.iter().any(|e| e.status() < 0) {
        return Err(err!(
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
            "an event of the wait list has failed"
        ));
    }
    Ok(())
}

/// Work for shared semaphores.
fn command(
    semaphores: &[Arc<Semaphore>],
    make: impl FnOnce(SmallVec<[Arc<dyn DeviceSemaphore>; 1]>) -> CommandWork,
) -> (CommandKind, ExecutionTarget) {
    let shared: SmallVec<[_; 1]> = semaphores.iter().filter_map(|s| s.shared.clone()).collect();
    match shared.is_empty() {
        true => (CommandKind::NOP, ExecutionTarget::Either),
        false => (CommandKind::Work(make(shared)), ExecutionTarget::Device),
    }
}

/// clEnqueueWaitSemaphoresKHR.
pub fn wait(
    queue: &Arc<CommandQueue>,
    semaphores: &[Arc<Semaphore>],
    mut waits: WaitList,
) -> Result<Arc<Event>> {
    validate(queue, semaphores, &waits)?;
    let signals: SmallVec<[Option<Arc<Event>>; 2]> = semaphores.iter().map(|s| s.take_signal()).collect();
    waits.extend(signals.iter().flatten().cloned());
    let (kind, target) = command(semaphores, Work::Wait);
    let command_type = CL_COMMAND_SEMAPHORE_WAIT_KHR;
    let event = queue.enqueue(NewCommand { command_type, kind, waits, target, sync: SyncKind::None })?;
    for (semaphore, signal) in semaphores.iter().zip(signals) {
        semaphore.pairs.lock().last = signal.map(|signal| (signal, event.clone()));
    }
    Ok(event)
}

/// clEnqueueSignalSemaphoresKHR.
pub fn signal(
    queue: &Arc<CommandQueue>,
    semaphores: &[Arc<Semaphore>],
    waits: WaitList,
) -> Result<Arc<Event>> {
    validate(queue, semaphores, &waits)?;
    let (kind, target) = command(semaphores, Work::Signal);
    let command_type = CL_COMMAND_SEMAPHORE_SIGNAL_KHR;
    let event = queue.enqueue(NewCommand { command_type, kind, waits, target, sync: SyncKind::None })?;
    for promise in semaphores.iter().filter_map(|s| s.add_signal(&event)) {
        // Waiters must not depend on a flush of this queue.
        queue.flush();
        let keep = move |status| {
            if let Err(error) = promise.set_user_status(status) {
                tracing::error!(%error, "the promise of a semaphore was kept twice");
            }
        };
        event.set_callback(CL_COMPLETE, Box::new(keep))?;
    }
    // Those who wait outside of the context cannot flush its queues.
    if semaphores.iter().any(|s| s.shared.is_some()) {
        queue.flush();
    }
    Ok(event)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::mock::{MockDevice, Mode};

    fn context(devices: usize) -> Arc<Context> {
        context_of(Mode::AtOnce, devices)
    }

    fn context_of(mode: Mode, devices: usize) -> Arc<Context> {
        let list: Vec<_> =
            (0..devices).map(|_| Device::new("mock", MockDevice::new(mode, true, true))).collect();
        Context::new(list, Vec::new(), None, Default::default()).unwrap()
    }

    fn queue(context: &Arc<Context>, device: usize) -> Arc<CommandQueue> {
        CommandQueue::new(context, &context.devices()[device], 0, None).unwrap()
    }

    fn code<T>(result: Result<T>) -> cl_int {
        result.map_or_else(|e| e.code(), |_| CL_SUCCESS)
    }

    #[test]
    fn several_devices_need_one_that_is_named() {
        let (one, both) = (context(1), context(2));
        let of = |list: &[&Arc<Device>]| SemaphoreDesc {
            devices: Some(list.iter().map(|d| (*d).clone()).collect()),
            ..SemaphoreDesc::default()
        };
        assert_eq!(code(Semaphore::create(&both, SemaphoreDesc::default())), CL_INVALID_PROPERTY);
        assert_eq!(code(Semaphore::create(&both, of(&[]))), CL_INVALID_DEVICE);
        assert_eq!(
            code(Semaphore::create(&both, of(&[&both.devices()[0], &both.devices()[1]]))),
            CL_INVALID_DEVICE
        );
        assert_eq!(code(Semaphore::create(&both, of(&[&one.devices()[0]]))), CL_INVALID_DEVICE);
        let semaphore = [Semaphore::create(&both, of(&[&both.devices()[1]])).unwrap()];
        assert_eq!(code(signal(&queue(&both, 0), &semaphore, WaitList::new())), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(code(wait(&queue(&both, 0), &semaphore, WaitList::new())), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(code(signal(&queue(&both, 1), &semaphore, WaitList::new())), CL_SUCCESS);
        assert_eq!(code(wait(&queue(&both, 1), &semaphore, WaitList::new())), CL_SUCCESS);
    }

    #[test]
    fn signals_that_others_wait_for_do_not_pile_up() {
        let context = context(1);
        let desc =
            SemaphoreDesc { exports: Some(vec![SemaphoreHandle::OpaqueFd]), ..SemaphoreDesc::default() };
        let (semaphore, queue) = ([Semaphore::create(&context, desc).unwrap()], queue(&context, 0));
        for _ in 0..10 {
            signal(&queue, &semaphore, WaitList::new()).unwrap();
        }
        let pending = semaphore[0].pairs.lock().signals.len();
        assert_eq!((pending, semaphore[0].payload()), (1, 1));
        // A wait for signals from elsewhere needs no signal from here.
        for _ in 0..3 {
            assert_eq!(wait(&queue, &semaphore, WaitList::new()).unwrap().wait(), CL_COMPLETE);
        }
        assert_eq!(semaphore[0].payload(), 0);
    }

    #[test]
    fn shared_signals_are_submitted_without_a_flush() {
        let context = context_of(Mode::OnWait, 1);
        let desc =
            SemaphoreDesc { exports: Some(vec![SemaphoreHandle::OpaqueFd]), ..SemaphoreDesc::default() };
        let semaphore = [Semaphore::create(&context, desc).unwrap()];
        let (first, second) = (queue(&context, 0), queue(&context, 0));
        // Waits, since their signals may come from elsewhere. The first commands need no flush.
        for queue in [&first, &second] {
            (0..10).for_each(|_| drop(wait(queue, &semaphore, WaitList::new()).unwrap()));
        }
        let before = wait(&first, &semaphore, WaitList::new()).unwrap();
        assert_eq!(before.status(), CL_QUEUED);
        let event = signal(&second, &semaphore, std::iter::once(before.clone()).collect()).unwrap();
        assert!(before.status() < CL_QUEUED && event.status() < CL_QUEUED);
    }

    #[test]
    fn handles_must_be_ones_that_the_device_has() {
        let context = context(1);
        let device = &context.devices()[0];
        let of = |exports: &[SemaphoreHandle], imports: &[(SemaphoreHandle, RawFd)]| SemaphoreDesc {
            exports: (!exports.is_empty()).then(|| exports.to_vec()),
            imports: imports.to_vec(),
            ..SemaphoreDesc::default()
        };
        let create = |exports: &[SemaphoreHandle], imports: &[(SemaphoreHandle, RawFd)]| {
            code(Semaphore::create(&context, of(exports, imports)))
        };
        use SemaphoreHandle::{OpaqueFd, SyncFd};
        assert_eq!(create(&[SyncFd], &[]), CL_INVALID_PROPERTY);
        assert_eq!(create(&[], &[(SyncFd, 3)]), CL_INVALID_DEVICE);
        assert_eq!(create(&[OpaqueFd, SyncFd], &[]), CL_INVALID_VALUE);
        assert_eq!(create(&[], &[(OpaqueFd, 3), (SyncFd, 3)]), CL_INVALID_PROPERTY);
        assert_eq!(create(&[OpaqueFd], &[(OpaqueFd, 3)]), CL_INVALID_OPERATION);
        let exported = Semaphore::create(&context, of(&[OpaqueFd], &[])).unwrap();
        assert_eq!(exported.export(device, OpaqueFd).unwrap(), 7);
        assert_eq!(code(exported.export(device, SyncFd)), CL_INVALID_VALUE);
        assert_eq!(code(exported.import_again(3)), CL_INVALID_SEMAPHORE_KHR);
        let plain = Semaphore::create(&context, SemaphoreDesc::default()).unwrap();
        assert_eq!(code(plain.export(device, OpaqueFd)), CL_INVALID_VALUE);
        let imported = Semaphore::create(&context, of(&[], &[(OpaqueFd, 3)])).unwrap();
        assert_eq!(code(imported.export(device, OpaqueFd)), CL_INVALID_VALUE);
    }
}
