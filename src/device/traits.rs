//! What a device kind implements. A device never sees an OpenCL object: it gets [`super::batch::DeviceCommand`]s
//! whose operands are its own memory and kernels, and reports completion through [`CompletionSink`].

use super::batch::{
    Batch, BatchItem, CommandTicket, DeviceCommand, Launch, ListItem, Outcome, RectLayout, Times,
};
use super::info::DeviceInfo;
use super::share::{MemoryHandle, SemaphoreHandle};
use crate::cl::image::{ImageFormat, ImageShape};
use clspv_bridge::abi::CompiledProgram;
use clspv_bridge::metadata::KernelInfo;
use std::any::Any;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::time::Duration;

/// Failure of the device layer. Validation belongs to the layers above: these are what the caller could not foresee.
#[derive(Debug, Clone, thiserror::Error)]
pub enum DeviceError {
    #[error("out of host memory")]
    OutOfHostMemory,
    #[error("out of device memory")]
    OutOfDeviceMemory,
    /// Every command in flight and every later one fails.
    #[error("device lost")]
    Lost,
    #[error("not supported by the device: {0}")]
    Unsupported(String),
    #[error("{0}")]
    Unexpected(String),
}

/// Result of the device layer.
pub type DeviceResult<T> = std::result::Result<T, DeviceError>;

/// A kind of device (`vulkan`, later `cpu`).
pub trait DeviceDriver: Send + Sync {
    fn name(&self) -> &'static str;
    /// Finds the devices of this kind; failures are logged and give fewer devices, never an error.
    fn probe(&self, config: &crate::config::Config) -> Vec<Arc<dyn DeviceOps>>;
}

/// What a buffer is for.
#[derive(Clone, Debug)]
pub struct BufferDesc {
    pub size: u64,
    /// The application will map it often or asked for CL_MEM_ALLOC_HOST_PTR: prefer memory the host can map.
    pub host_visible: bool,
    /// Name for debuggers and leak reports.
    pub name: &'static str,
}

/// What an image is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageDesc {
    pub format: ImageFormat,
    /// Of the first level of detail.
    pub shape: ImageShape,
    pub levels: u32,
}

/// A range of the application's memory that outlives the buffer made from it.
#[derive(Clone, Copy, Debug)]
pub struct HostRange {
    pub ptr: crate::host_ptr::HostPtr,
    pub size: u64,
}

/// Memory whose address on the device is an address of the process too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SharedKind {
    /// The device's own. The host has memory of its own at the address, unless it sees the device's.
    Mirrored,
    /// Seen by host and device, which may use it at the same time.
    Concurrent,
    /// The device's own. Nothing else gets the address.
    Reserved,
}

/// How a device's compute units are divided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Division {
    /// Parts of so many units, which there are.
    Counts(Vec<u32>),
    /// A part for each of one of [`DeviceInfo::affinity_domains`].
    Domain(u64),
}

/// One physical device, opened.
pub trait DeviceOps: Send + Sync {
    fn info(&self) -> &DeviceInfo;
    /// What the compiler may use.
    fn target(&self) -> &clspv_bridge::Target;
    fn alloc_buffer(&self, desc: &BufferDesc) -> DeviceResult<Arc<dyn DeviceMemory>>;
    /// Makes the application's memory a buffer without copying; `Unsupported` if alignment or the device forbids it.
    fn import_host(&self, range: HostRange, desc: &BufferDesc) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let _ = (range, desc);
        Err(DeviceError::Unsupported("import of host memory".into()))
    }
    /// Host memory, aligned to a page and visible to the host, that the device copies from and to at full speed.
    fn alloc_shadow(&self, size: u64) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let _ = size;
        Err(DeviceError::Unsupported("host memory of the device".into()))
    }
    /// Memory with one address for host and device ([`DeviceMemory::address`]), aligned to a page; which kinds there are
    /// follows from [`DeviceInfo::sharing`]. The host sees it there exactly if it has a host pointer.
    fn alloc_shared(&self, size: u64, kind: SharedKind) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let _ = (size, kind);
        Err(DeviceError::Unsupported("memory with one address for host and device".into()))
    }
    /// The same for this device and others of its kind that have addresses of their own: memory that they and the host use
    /// at one address ([`SharedKind::Concurrent`]), as each of them has it, this one first.
    fn alloc_shared_with(
        &self,
        others: &[Arc<dyn DeviceOps>],
        size: u64,
    ) -> DeviceResult<Vec<Arc<dyn DeviceMemory>>> {
        let _ = (others, size);
        Err(DeviceError::Unsupported("memory with one address for several devices".into()))
    }
    /// Memory of an image, of undefined contents. Its `size` is that of the texels one after another.
    fn alloc_image(&self, desc: &ImageDesc) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let _ = desc;
        Err(DeviceError::Unsupported("images".into()))
    }
    /// What kernels are given for an image that lies in a buffer: the texels begin at `offset`, rows and slices are as far
    /// apart as the layout says.
    fn view_buffer(
        &self,
        buffer: &Arc<dyn DeviceMemory>,
        layout: &RectLayout,
        desc: &ImageDesc,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let _ = (buffer, layout, desc);
        Err(DeviceError::Unsupported("images in buffers".into()))
    }
    /// What kernels are given for an image that shares the texels of another one of the same shape.
    fn view_image(
        &self,
        image: &Arc<dyn DeviceMemory>,
        desc: &ImageDesc,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let _ = (image, desc);
        Err(DeviceError::Unsupported("images of images".into()))
    }
    /// Makes a compiled program launchable. Pipelines may be created later or in the background.
    fn load(&self, program: Arc<CompiledProgram>) -> DeviceResult<Arc<dyn DeviceProgram>>;
    fn create_queue(
        &self,
        desc: &QueueDesc,
        sink: Arc<dyn CompletionSink>,
    ) -> DeviceResult<Arc<dyn DeviceQueue>>;
    /// Does a transfer on memory that no work in flight uses, and waits for it. Calls no [`CompletionSink`], so a sink may
    /// call it.
    fn transfer(&self, command: &DeviceCommand) -> DeviceResult<()> {
        let _ = command;
        Err(DeviceError::Unsupported("transfers outside of queues".into()))
    }
    /// Does a launch whose memory no work in flight uses, and waits for it. What it prints, up to so many bytes in the
    /// device's form, is handed over before this returns.
    fn launch(&self, launch: &Launch, print_bytes: u64, print: &dyn Fn(&[u8])) -> DeviceResult<()> {
        let _ = (launch, print_bytes, print);
        Err(DeviceError::Unsupported("launches outside of queues".into()))
    }
    /// Makes shared memory a buffer of `size` bytes without copying. Owns the descriptor unless it fails; `Unsupported` if
    /// the driver refuses it.
    fn import_memory(
        &self,
        handle: MemoryHandle,
        fd: RawFd,
        size: u64,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let _ = (handle, fd, size);
        Err(DeviceError::Unsupported("import of memory".into()))
    }
    /// Makes a queue that kernels enqueue kernels to, for so many bytes of what is enqueued and has not started.
    fn create_on_device_queue(&self, size: u32) -> DeviceResult<Arc<dyn OnDeviceQueue>> {
        let _ = size;
        Err(DeviceError::Unsupported("queues on the device".into()))
    }
    /// Makes a binary semaphore. Owns the descriptor of an import unless it fails.
    fn create_semaphore(&self, origin: SemaphoreOrigin) -> DeviceResult<Arc<dyn DeviceSemaphore>> {
        let _ = origin;
        Err(DeviceError::Unsupported("semaphores".into()))
    }
    /// Takes commands that touch no host memory, to be replayed by any queue of the device.
    fn record(&self, items: Vec<ListItem>) -> DeviceResult<Arc<dyn DeviceList>> {
        let _ = items;
        Err(DeviceError::Unsupported("recorded commands".into()))
    }
    /// Devices of some of the compute units; memory of one is memory of all.
    fn divide(&self, division: &Division) -> DeviceResult<Vec<Arc<dyn DeviceOps>>> {
        let _ = division;
        Err(DeviceError::Unsupported("parts of the device".into()))
    }
    /// (device time, host time) in nanoseconds, taken together (clGetDeviceAndHostTimer). The device clock is the
    /// clock of [`Times`].
    fn timestamps(&self) -> DeviceResult<(u64, u64)>;
    /// The device's time alone, cheaply: each command of a profiling queue asks.
    fn device_now(&self) -> DeviceResult<u64> {
        self.timestamps().map(|(device, _)| device)
    }
    /// False once the device is lost.
    fn available(&self) -> bool {
        true
    }
    /// For the device kind's own use.
    fn as_any(&self) -> &dyn Any;
}

/// Backing store of a buffer or an image on one device. Freed on drop; commands in flight hold an `Arc`.
pub trait DeviceMemory: Send + Sync {
    fn size(&self) -> u64;
    /// Where the host sees the memory, coherently, if it is mapped (lavapipe, integrated GPUs, imported memory).
    fn host_ptr(&self) -> Option<crate::host_ptr::HostPtr>;
    /// Host reads through `host_ptr` are fast (cached); if false, prefer ReadHost commands.
    fn host_cached(&self) -> bool {
        true
    }
    /// For an image whose texels transfers find in a buffer: the buffer, and how they lie there.
    fn in_buffer(&self) -> Option<(&Arc<dyn DeviceMemory>, &RectLayout)> {
        None
    }
    /// Reads of up to so many bytes are done at once by [`DeviceOps::transfer`] although the host does not see the memory.
    fn quick_read(&self) -> u64 {
        0
    }
    /// Address on the device, if kernels can be given it as a number.
    fn address(&self) -> Option<u64> {
        None
    }
    fn as_any(&self) -> &dyn Any;
}

/// Recorded commands. They may be replayed any number of times, also several times at once; whoever replays them keeps
/// the list alive until the work is complete, and the list what its commands use.
pub trait DeviceList: Send + Sync {
    fn as_any(&self) -> &dyn Any;
}

/// Where a semaphore comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SemaphoreOrigin {
    Plain,
    Exportable(SemaphoreHandle),
    Imported(SemaphoreHandle, RawFd),
}

/// A binary semaphore of one device. Commands in flight hold an `Arc`.
pub trait DeviceSemaphore: Send + Sync {
    /// Replaces the payload. Owns the descriptor unless it fails.
    fn import(&self, handle: SemaphoreHandle, fd: RawFd) -> DeviceResult<()>;
    /// A new descriptor, the caller's to close. Sync files need a signal that is submitted, and count as a wait for it.
    fn export(&self, handle: SemaphoreHandle) -> DeviceResult<RawFd>;
    fn as_any(&self) -> &dyn Any;
}

/// A loaded program.
pub trait DeviceProgram: Send + Sync {
    fn kernel(&self, name: &str) -> DeviceResult<Arc<dyn DeviceKernel>>;
}

/// A launchable kernel.
pub trait DeviceKernel: Send + Sync {
    fn info(&self) -> &KernelInfo;
    /// CL_KERNEL_WORK_GROUP_SIZE
    fn max_work_group_size(&self) -> usize;
    /// Work-items of a full sub-group.
    fn sub_group_size(&self) -> usize;
    /// CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE
    fn preferred_multiple(&self) -> usize;
    /// CL_KERNEL_LOCAL_MEM_SIZE without local arguments.
    fn static_local_bytes(&self) -> u64;
    /// Local memory of a launch whose local arguments have these sizes.
    fn local_bytes(&self, size_of: &dyn Fn(u16) -> u64) -> u64;
    /// CL_KERNEL_PRIVATE_MEM_SIZE
    fn private_bytes(&self) -> u64;
    /// Local size for a launch that gives none (unused dimensions are 1).
    fn suggest_local_size(&self, global: [u64; 3], dims: u32) -> [u32; 3];
    fn as_any(&self) -> &dyn Any;
}

/// Bytes that a launch may print at least (CL_DEVICE_PRINTF_BUFFER_SIZE).
pub const PRINT_BYTES: u64 = 4 << 20;

/// How urgent a queue's work is beside that of other queues (cl_khr_priority_hints).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Priority {
    High,
    #[default]
    Medium,
    Low,
}

/// What a device queue is for.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueDesc {
    pub out_of_order: bool,
    /// Commands carry times.
    pub profiling: bool,
    /// Bytes that the printf calls of one launch may take in the device's buffer.
    pub print_bytes: u64,
    pub priority: Priority,
    /// Save energy: threads that wait do not poll (cl_khr_throttle_hints).
    pub saving: bool,
}

/// A queue on the device. Commands in flight hold an `Arc`.
pub trait OnDeviceQueue: Send + Sync {
    /// What kernels know it by.
    fn word(&self) -> u64;
}

/// Position in a device queue's order of submission, starting at 1.
pub type Submission = u64;

/// An in-order stream of batches on one device. Batches may wait on other queues' submissions.
pub trait DeviceQueue: Send + Sync {
    /// An empty list for so many items of a batch; it may have been used before.
    fn items(&self, count: usize) -> Vec<BatchItem> {
        Vec::with_capacity(count)
    }
    /// Takes the batch and hands it to the device; does not wait for the device. After an error the batch's tickets
    /// have not been and will not be reported.
    fn submit(&self, batch: Batch) -> DeviceResult<Submission>;
    /// Whether `submit` has read the sources of writes when it returns.
    fn reads_sources(&self) -> bool {
        false
    }
    /// Last submission known to be complete.
    fn completed(&self) -> Submission;
    /// Submissions that the device has not finished by now, reported or not; `None` if that cannot be seen.
    fn unfinished(&self) -> Option<u64> {
        None
    }
    /// Blocks until `submission` is complete and its tickets have been reported to the sink, doing the completion
    /// work in this thread when possible. False if the time ran out first.
    fn wait(&self, submission: Submission, timeout: Option<Duration>) -> DeviceResult<bool>;
    /// The same for a thread that is in no hurry and does not poll.
    fn wait_asleep(&self, submission: Submission) -> DeviceResult<()> {
        self.wait(submission, None).map(drop)
    }
    /// Whether a batch of this queue may wait on a submission of `other` (see [`Batch::waits`]).
    fn can_wait_on(&self, other: &dyn DeviceQueue) -> bool {
        let _ = other;
        false
    }
    fn as_any(&self) -> &dyn Any;
}

/// Receives completions. Called from the device's completion thread or from a thread in [`DeviceQueue::wait`], with no
/// lock of the device layer held; calls for one queue come in submission order.
pub trait CompletionSink: Send + Sync {
    /// What kernels have printed; comes before their completion, in the order of launches.
    fn print(&self, text: &[u8]) {
        let _ = text;
    }
    /// These tickets of one batch are complete (or failed, with one outcome). `times` is empty or has one entry a ticket.
    fn done(&self, tickets: &[CommandTicket], outcome: Outcome, times: &[Times]);
}
