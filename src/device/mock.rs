//! A deterministic device in host memory for tests. Batches complete when the test steps the device, in a
//! wait, or in submit. A queue refuses to start a batch whose waits are not complete, which would be a
//! scheduler error.

use super::batch::{Batch, CommandTicket, DeviceCommand, Endpoint, ListItem, Outcome, Times};
use super::host_exec;
use super::info::{AddressSharing, DeviceInfo};
use super::share::{MemoryHandle, SemaphoreHandle};
use super::traits::*;
use crate::host_ptr::{HostAllocation, HostPtr};
use parking_lot::Mutex;
use std::any::Any;
use std::collections::VecDeque;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// When batches complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Inside submit.
    AtOnce,
    /// In a wait, or when the test steps.
    OnWait,
}

/// The mock device; see the module's text.
pub struct MockDevice {
    info: DeviceInfo,
    target: clspv_bridge::Target,
    pub host_visible: bool,
    pub mode: Mode,
    /// Whether queues of this device can wait for each other on the device.
    pub device_waits: bool,
    clock: AtomicU64,
    pub submits: AtomicUsize,
    /// Number of recorded lists.
    pub recordings: AtomicUsize,
    pub fail_submits: AtomicBool,
    /// Makes submissions panic.
    pub panic_submits: AtomicBool,
    /// Submissions wait while a test holds it.
    pub submitting: Mutex<()>,
    queues: Mutex<Vec<Weak<MockQueue>>>,
    this: Weak<MockDevice>,
}

impl MockDevice {
    pub fn new(mode: Mode, host_visible: bool, device_waits: bool) -> Arc<MockDevice> {
        Self::with_sharing(mode, host_visible, device_waits, AddressSharing::None)
    }

    /// A device that shares addresses with the host. Mirrored memory has bytes of its own, as on a GPU.
    pub fn with_sharing(
        mode: Mode,
        host_visible: bool,
        device_waits: bool,
        sharing: AddressSharing,
    ) -> Arc<MockDevice> {
        let info = DeviceInfo {
            sharing,
            buffer_addresses: sharing != AddressSharing::None,
            host_import_alignment: if sharing == AddressSharing::Host { 4096 } else { 0 },
            memory_imports: if sharing == AddressSharing::Concurrent {
                vec![MemoryHandle::DmaBuf]
            } else {
                Vec::new()
            },
            max_alloc_size: 1 << 30,
            base_addr_align_bits: 1024,
            max_work_item_sizes: [1024; 3],
            max_work_group_size: 1024,
            local_mem_size: 32768,
            semaphore_imports: vec![SemaphoreHandle::OpaqueFd],
            semaphore_exports: vec![SemaphoreHandle::OpaqueFd],
            ..DeviceInfo::default()
        };
        Arc::new_cyclic(|this| MockDevice {
            info,
            target: clspv_bridge::Target::generic(),
            host_visible,
            mode,
            device_waits,
            clock: AtomicU64::new(1),
            submits: AtomicUsize::new(0),
            recordings: AtomicUsize::new(0),
            fail_submits: AtomicBool::new(false),
            panic_submits: AtomicBool::new(false),
            submitting: Mutex::new(()),
            queues: Mutex::new(Vec::new()),
            this: this.clone(),
        })
    }

    /// Completes the oldest batch of the first queue that has one; false if all are empty.
    pub fn step(&self) -> bool {
        let queues: Vec<Arc<MockQueue>> = self.queues.lock().iter().filter_map(Weak::upgrade).collect();
        queues.iter().any(|q| q.step())
    }
}

struct MockMemory {
    data: HostPtr,
    size: u64,
    visible: bool,
    address: u64,
    /// The data, unless imported, and the host's side of mirrored memory.
    _own: Vec<HostAllocation>,
}

impl MockMemory {
    fn make(size: u64, visible: bool, mirrored: bool) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let own: Option<Vec<_>> = (0..1 + u8::from(mirrored)).map(|_| HostAllocation::new(size)).collect();
        let own = own.ok_or(DeviceError::OutOfDeviceMemory)?;
        let address = own[own.len() - 1].ptr().addr() as u64;
        Ok(Arc::new(MockMemory { data: own[0].ptr(), size, visible, address, _own: own }))
    }
}

impl DeviceMemory for MockMemory {
    fn size(&self) -> u64 {
        self.size
    }
    fn host_ptr(&self) -> Option<HostPtr> {
        self.visible.then_some(self.data)
    }
    fn address(&self) -> Option<u64> {
        Some(self.address)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A semaphore whose waits are always satisfied.
struct MockSemaphore;

impl DeviceSemaphore for MockSemaphore {
    fn import(&self, _handle: SemaphoreHandle, _fd: RawFd) -> DeviceResult<()> {
        Ok(())
    }
    fn export(&self, _handle: SemaphoreHandle) -> DeviceResult<RawFd> {
        Ok(7)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Recorded commands.
pub struct MockList {
    pub items: Vec<ListItem>,
    pub replays: AtomicUsize,
}

impl DeviceList for MockList {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Host memory of a side of a transfer, whether the host may access it or not.
fn memory_of(side: &Endpoint) -> Option<host_exec::HostRegion> {
    if let Endpoint::Buffer(range, layout) = side
        && let Some(memory) = range.memory.as_any().downcast_ref::<MockMemory>()
    {
        assert!(range.offset + range.size <= memory.size, "out of bounds");
        return Some((memory.data.offset(range.offset), *layout));
    }
    host_exec::host_region(side)
}

fn execute(command: &DeviceCommand) {
    if let DeviceCommand::Replay(list) = command {
        let list = list.as_any().downcast_ref::<MockList>().expect("a list of another device");
        list.replays.fetch_add(1, Ordering::Relaxed);
        return list.items.iter().for_each(|item| execute(&item.command));
    }
    host_exec::run(command, memory_of, &host_exec::alone);
}

impl DeviceOps for MockDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }
    fn target(&self) -> &clspv_bridge::Target {
        &self.target
    }
    fn alloc_buffer(&self, desc: &BufferDesc) -> DeviceResult<Arc<dyn DeviceMemory>> {
        MockMemory::make(desc.size, self.host_visible, false)
    }
    fn import_host(&self, range: HostRange, desc: &BufferDesc) -> DeviceResult<Arc<dyn DeviceMemory>> {
        if self.info.sharing != AddressSharing::Host {
            return Err(DeviceError::Unsupported("import".into()));
        }
        let address = range.ptr.addr() as u64;
        Ok(Arc::new(MockMemory {
            data: range.ptr,
            size: desc.size,
            visible: true,
            address,
            _own: Vec::new(),
        }))
    }
    fn import_memory(
        &self,
        handle: MemoryHandle,
        fd: RawFd,
        size: u64,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        if fd < 0 || !self.info.memory_imports.contains(&handle) {
            return Err(DeviceError::Unsupported("import".into()));
        }
        let memory = MockMemory::make(size, false, false)?;
        // SAFETY: the caller passes ownership of the descriptor.
        drop(unsafe { OwnedFd::from_raw_fd(fd) });
        Ok(memory)
    }
    fn alloc_shared(&self, size: u64, kind: SharedKind) -> DeviceResult<Arc<dyn DeviceMemory>> {
        match (self.info.sharing, kind) {
            (AddressSharing::Host, _) | (AddressSharing::Concurrent, SharedKind::Concurrent) => {
                MockMemory::make(size, true, false)
            }
            (AddressSharing::None, _) | (_, SharedKind::Concurrent) => {
                Err(DeviceError::Unsupported("shared memory".into()))
            }
            _ => MockMemory::make(size, false, true),
        }
    }
    fn alloc_shared_with(
        &self,
        others: &[Arc<dyn DeviceOps>],
        size: u64,
    ) -> DeviceResult<Vec<Arc<dyn DeviceMemory>>> {
        let own = MockMemory::make(size, true, false)?;
        let data = own.host_ptr().ok_or(DeviceError::OutOfDeviceMemory)?;
        let same = || MockMemory { data, size, visible: true, address: data.addr() as u64, _own: Vec::new() };
        let others = others.iter().map(|_| Arc::new(same()) as Arc<dyn DeviceMemory>);
        Ok(std::iter::once(own).chain(others).collect())
    }
    fn load(
        &self,
        _program: Arc<clspv_bridge::abi::CompiledProgram>,
    ) -> DeviceResult<Arc<dyn DeviceProgram>> {
        Err(DeviceError::Unsupported("programs".into()))
    }
    fn create_queue(
        &self,
        desc: &QueueDesc,
        sink: Arc<dyn CompletionSink>,
    ) -> DeviceResult<Arc<dyn DeviceQueue>> {
        let queue = Arc::new(MockQueue {
            device: self.this.clone(),
            profiling: desc.profiling,
            sink,
            state: Mutex::new(QueueState::default()),
            completed: AtomicU64::new(0),
        });
        self.queues.lock().push(Arc::downgrade(&queue));
        Ok(queue)
    }
    fn transfer(&self, command: &DeviceCommand) -> DeviceResult<()> {
        execute(command);
        Ok(())
    }
    fn create_semaphore(&self, _origin: SemaphoreOrigin) -> DeviceResult<Arc<dyn DeviceSemaphore>> {
        Ok(Arc::new(MockSemaphore))
    }
    fn record(&self, items: Vec<ListItem>) -> DeviceResult<Arc<dyn DeviceList>> {
        self.recordings.fetch_add(1, Ordering::Relaxed);
        Ok(Arc::new(MockList { items, replays: AtomicUsize::new(0) }))
    }
    fn timestamps(&self) -> DeviceResult<(u64, u64)> {
        let now = self.clock.fetch_add(1, Ordering::Relaxed);
        Ok((now, now))
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[derive(Default)]
struct QueueState {
    submitted: u64,
    batches: VecDeque<Batch>,
    busy: bool,
}

struct MockQueue {
    device: Weak<MockDevice>,
    profiling: bool,
    sink: Arc<dyn CompletionSink>,
    state: Mutex<QueueState>,
    completed: AtomicU64,
}

impl MockQueue {
    /// Runs the oldest batch; false if the queue is empty or another thread is executing it.
    fn step(&self) -> bool {
        let batch = {
            let mut state = self.state.lock();
            if state.busy {
                return false;
            }
            let Some(batch) = state.batches.pop_front() else { return false };
            state.busy = true;
            batch
        };
        for wait in &batch.waits {
            wait.queue.wait(wait.submission, None).unwrap();
        }
        let tick = || self.device.upgrade().map_or(0, |d| d.clock.fetch_add(1, Ordering::Relaxed));
        let (mut tickets, mut times) = (Vec::<CommandTicket>::new(), Vec::new());
        for item in batch.items {
            let start = tick();
            execute(&item.command);
            tickets.push(item.ticket);
            times.push(Times { start, end: tick(), complete: 0 });
        }
        self.sink.done(&tickets, Outcome::Complete, if self.profiling { &times } else { &[] });
        self.state.lock().busy = false;
        self.completed.fetch_add(1, Ordering::Release);
        true
    }
}

impl DeviceQueue for MockQueue {
    fn submit(&self, batch: Batch) -> DeviceResult<Submission> {
        let device = self.device.upgrade().ok_or(DeviceError::Lost)?;
        if device.fail_submits.load(Ordering::Relaxed) {
            return Err(DeviceError::OutOfDeviceMemory);
        }
        assert!(!device.panic_submits.load(Ordering::Relaxed), "a panic that was asked for");
        device.submits.fetch_add(1, Ordering::Relaxed);
        drop(device.submitting.lock());
        assert!(!batch.items.is_empty(), "an empty batch");
        for wait in &batch.waits {
            assert!(device.device_waits, "a wait that was not offered");
            assert!(wait.submission > 0, "a wait for nothing");
        }
        let submission = {
            let mut state = self.state.lock();
            state.submitted += 1;
            state.batches.push_back(batch);
            state.submitted
        };
        if device.mode == Mode::AtOnce {
            // A batch that another thread is executing completes there, and so do the batches that it makes
            // ready.
            while self.step() {}
        }
        Ok(submission)
    }
    fn completed(&self) -> Submission {
        self.completed.load(Ordering::Acquire)
    }
    fn wait(&self, submission: Submission, _timeout: Option<Duration>) -> DeviceResult<bool> {
        while self.completed() < submission {
            if !self.step() {
                std::thread::yield_now();
            }
        }
        Ok(true)
    }
    fn can_wait_on(&self, other: &dyn DeviceQueue) -> bool {
        let same = |other: &MockQueue| Weak::ptr_eq(&self.device, &other.device);
        self.device.upgrade().is_some_and(|d| d.device_waits)
            && other.as_any().downcast_ref::<MockQueue>().is_some_and(same)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
