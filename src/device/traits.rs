//! The traits that a device kind implements. A device never sees an OpenCL object: it receives
//! [`super::batch::DeviceCommand`]s, whose operands are its own memory and kernels, and reports completion
//! through [`CompletionSink`].

use super::batch::{
    Access, Batch, BatchItem, CommandTicket, DeviceCommand, Launch, ListItem, Outcome, RectLayout, Times,
};
use super::info::DeviceInfo;
use super::share::{MemoryHandle, SemaphoreHandle};
use crate::cl::image::{ImageFormat, ImageShape};
use crate::mapped_pages::MappedPages;
use clspv_bridge::CompileError;
use clspv_bridge::abi::CompiledProgram;
use clspv_bridge::metadata::{AccessQualifier, KernelInfo};
use clspv_bridge::options::Kernels;
use std::any::Any;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::time::Duration;

/// Failure of the device layer. Validation belongs to the layers above: these are the failures that the
/// caller could not foresee.
#[derive(Debug, Clone, thiserror::Error)]
pub enum DeviceError {
    #[error("out of host memory")]
    OutOfHostMemory,
    #[error("out of device memory")]
    OutOfDeviceMemory,
    /// The device is lost: every command in flight and every later one fails.
    #[error("device lost")]
    Lost,
    #[error("not supported by the device: {0}")]
    Unsupported(String),
    #[error("{0}")]
    Unexpected(String),
}

/// Result of the device layer.
pub type DeviceResult<T> = std::result::Result<T, DeviceError>;

/// Compiles a program: the wanted kernels, for a target.
pub type CompileFn<'a> =
    dyn FnMut(Kernels, &clspv_bridge::Target) -> Result<Arc<CompiledProgram>, CompileError> + 'a;

/// A kind of device (`vulkan` or `cpu`).
pub trait DeviceDriver: Send + Sync {
    fn name(&self) -> &'static str;
    /// Finds the devices of this kind. Failures are logged and make the list shorter; they are never errors.
    fn probe(&self, config: &crate::config::Config) -> Vec<Arc<dyn DeviceOps>>;
}

/// Parameters of a buffer's allocation.
#[derive(Clone, Debug)]
pub struct BufferDesc {
    pub size: u64,
    /// Prefer memory that the host can map: the application will map the buffer often, or passed
    /// CL_MEM_ALLOC_HOST_PTR.
    pub host_visible: bool,
    /// Kernels only read it (CL_MEM_READ_ONLY).
    pub read_only: bool,
    /// Name for debuggers and leak reports.
    pub name: &'static str,
}

/// Parameters of an image's allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageDesc {
    pub format: ImageFormat,
    /// Shape of the first level of detail.
    pub shape: ImageShape,
    pub levels: u32,
}

/// A range of the application's memory that outlives the buffer made from it.
#[derive(Clone, Copy, Debug)]
pub struct HostRange {
    pub ptr: crate::host_ptr::HostPtr,
    pub size: u64,
}

/// Kind of memory whose device address is also an address of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SharedKind {
    /// The device's own memory. The host has separate memory at the same address, unless it can access the
    /// device's.
    Mirrored,
    /// Memory that host and device both access, also concurrently.
    Concurrent,
    /// The device's own memory. Nothing else in the process gets the address.
    Reserved,
}

/// Way of dividing a device's compute units.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Division {
    /// Parts with these numbers of compute units; their sum does not exceed the device's.
    Counts(Vec<u32>),
    /// One part for each unit of one of [`DeviceInfo::affinity_domains`].
    Domain(u64),
}

/// One physical device.
pub trait DeviceOps: Send + Sync {
    fn info(&self) -> &DeviceInfo;
    /// Features that the compiler may use.
    fn target(&self) -> &clspv_bridge::Target;
    /// Opens a device that is not open yet, as the functions below do. `Lost` if the device is lost.
    fn open(&self) -> DeviceResult<()> {
        if self.available() { Ok(()) } else { Err(DeviceError::Lost) }
    }
    fn alloc_buffer(&self, desc: &BufferDesc) -> DeviceResult<Arc<dyn DeviceMemory>>;
    /// Makes a buffer of the application's memory without copying. `Unsupported` if alignment or the device
    /// forbids it.
    fn import_host(&self, range: HostRange, desc: &BufferDesc) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let _ = (range, desc);
        Err(DeviceError::Unsupported("import of host memory".into()))
    }
    /// Allocates page-aligned, host-visible memory that the device copies from and to at full speed.
    fn alloc_shadow(&self, size: u64) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let _ = size;
        Err(DeviceError::Unsupported("host memory of the device".into()))
    }
    /// Allocates page-aligned memory with one address for host and device ([`DeviceMemory::address`]).
    /// [`DeviceInfo::sharing`] decides which kinds are available. The host can access the memory exactly if
    /// it has a host pointer.
    fn alloc_shared(&self, size: u64, kind: SharedKind) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let _ = (size, kind);
        Err(DeviceError::Unsupported("memory with one address for host and device".into()))
    }
    /// Like [`DeviceOps::alloc_shared`], for this device and others of its kind with address spaces of their
    /// own: [`SharedKind::Concurrent`] memory at one address. Returns each device's memory, this device's
    /// first.
    fn alloc_shared_with(
        &self,
        others: &[Arc<dyn DeviceOps>],
        size: u64,
    ) -> DeviceResult<Vec<Arc<dyn DeviceMemory>>> {
        let _ = (others, size);
        Err(DeviceError::Unsupported("memory with one address for several devices".into()))
    }
    /// Allocates an image with undefined contents. The memory's `size` is that of the tightly packed texels.
    fn alloc_image(&self, desc: &ImageDesc) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let _ = desc;
        Err(DeviceError::Unsupported("images".into()))
    }
    /// Creates an image over a buffer. The texels begin at `layout.offset`; the layout's pitches separate
    /// rows and slices.
    fn view_buffer(
        &self,
        buffer: &Arc<dyn DeviceMemory>,
        layout: &RectLayout,
        desc: &ImageDesc,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let _ = (buffer, layout, desc);
        Err(DeviceError::Unsupported("images in buffers".into()))
    }
    /// Creates an image that shares the texels of another image of the same shape.
    fn view_image(
        &self,
        image: &Arc<dyn DeviceMemory>,
        desc: &ImageDesc,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let _ = (image, desc);
        Err(DeviceError::Unsupported("images of images".into()))
    }
    /// The kernels that code for the device's target must have.
    fn kernels(&self) -> Kernels {
        Kernels::Every
    }
    /// Compiles kernels of a program for the device.
    fn compile_kernels(
        &self,
        kernels: Kernels,
        compile: &mut CompileFn<'_>,
    ) -> Result<Arc<CompiledProgram>, CompileError> {
        compile(kernels, self.target())
    }
    /// Compiles a program for every target that the device needs code for; its own target is first. Lines for
    /// the build log are appended to `log`.
    fn compile(
        &self,
        compile: &mut CompileFn<'_>,
        log: &mut String,
    ) -> Result<Vec<Arc<CompiledProgram>>, CompileError> {
        let _ = log;
        Ok(vec![self.compile_kernels(self.kernels(), compile)?])
    }
    /// Lines of the build log about kernels of a program that need code for another target besides; empty if
    /// the code for the device's own target is all that it needs.
    fn notes(&self, program: &CompiledProgram) -> String {
        let _ = program;
        String::new()
    }
    /// The driver's statistics on the code of a program's kernels (those with a name in `kernels`), in lines;
    /// empty if there are none.
    fn statistics(&self, program: Arc<CompiledProgram>, kernels: &[&str]) -> DeviceResult<String> {
        let _ = (program, kernels);
        Ok(String::new())
    }
    /// Makes a compiled program launchable. Pipelines may be created later or in the background.
    fn load(&self, program: Arc<CompiledProgram>) -> DeviceResult<Arc<dyn DeviceProgram>>;
    /// Like [`DeviceOps::load`], for what [`DeviceOps::compile`] returned.
    fn load_all(&self, code: &[Arc<CompiledProgram>]) -> DeviceResult<Arc<dyn DeviceProgram>> {
        match code {
            [program] => self.load(program.clone()),
            _ => Err(DeviceError::Unsupported("code for several targets".into())),
        }
    }
    fn create_queue(
        &self,
        desc: &QueueDesc,
        sink: Arc<dyn CompletionSink>,
    ) -> DeviceResult<Arc<dyn DeviceQueue>>;
    /// Executes a transfer on memory that no work in flight uses, and waits for it. Calls no
    /// [`CompletionSink`], so sinks may call this.
    fn transfer(&self, command: &DeviceCommand) -> DeviceResult<()> {
        let _ = command;
        Err(DeviceError::Unsupported("transfers outside of queues".into()))
    }
    /// Executes a launch whose memory no work in flight uses, and waits for it. Passes the output of printf,
    /// at most `print_bytes` in the device's format, to `print` before it returns.
    fn launch(&self, launch: &Launch, print_bytes: u64, print: &dyn Fn(&[u8])) -> DeviceResult<()> {
        let _ = (launch, print_bytes, print);
        Err(DeviceError::Unsupported("launches outside of queues".into()))
    }
    /// Makes a buffer of `size` bytes of external memory without copying. Takes ownership of the descriptor
    /// unless it fails. `Unsupported` if the driver refuses the import.
    fn import_memory(
        &self,
        handle: MemoryHandle,
        fd: RawFd,
        size: u64,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let _ = (handle, fd, size);
        Err(DeviceError::Unsupported("import of memory".into()))
    }
    /// Creates an on-device queue. `size` limits the bytes of commands that are enqueued and have not
    /// started.
    fn create_on_device_queue(&self, size: u32) -> DeviceResult<Arc<dyn OnDeviceQueue>> {
        let _ = size;
        Err(DeviceError::Unsupported("queues on the device".into()))
    }
    /// Creates a binary semaphore. Takes ownership of an imported descriptor unless it fails.
    fn create_semaphore(&self, origin: SemaphoreOrigin) -> DeviceResult<Arc<dyn DeviceSemaphore>> {
        let _ = origin;
        Err(DeviceError::Unsupported("semaphores".into()))
    }
    /// Records commands that access no host memory. Any queue of the device can replay them.
    fn record(&self, items: Vec<ListItem>) -> DeviceResult<Arc<dyn DeviceList>> {
        let _ = items;
        Err(DeviceError::Unsupported("recorded commands".into()))
    }
    /// Divides the device into sub-devices, which share their memory objects.
    fn divide(&self, division: &Division) -> DeviceResult<Vec<Arc<dyn DeviceOps>>> {
        let _ = division;
        Err(DeviceError::Unsupported("parts of the device".into()))
    }
    /// Runs work of the host on all of `0..total`, in ranges, which `work` receives: on the threads of a
    /// device that is the host, else on the calling thread. The work does not fail.
    fn share_host_work(&self, total: u64, work: &(dyn Fn(u64, u64) -> bool + Sync)) {
        work(0, total);
    }
    /// Returns (device time, host time) in nanoseconds, sampled together (clGetDeviceAndHostTimer). The
    /// device clock is the clock of [`Times`].
    fn timestamps(&self) -> DeviceResult<(u64, u64)>;
    /// Returns the device's time. Must be cheap: it is sampled for each command of a profiling queue.
    fn device_now(&self) -> DeviceResult<u64> {
        self.timestamps().map(|(device, _)| device)
    }
    /// Whether the device's time is the host's ([`crate::clock`]).
    fn has_host_clock(&self) -> bool {
        false
    }
    /// Whether the device works. False once it is lost.
    fn available(&self) -> bool {
        true
    }
    /// Downcast for the device kind's own use.
    fn as_any(&self) -> &dyn Any;
}

/// Backing store of a buffer or an image on one device. Freed on drop; commands in flight hold an `Arc`.
pub trait DeviceMemory: Send + Sync {
    fn size(&self) -> u64;
    /// The host address of the memory, if it is mapped coherently (lavapipe, integrated GPUs, imported
    /// memory).
    fn host_ptr(&self) -> Option<crate::host_ptr::HostPtr>;
    /// Whether host reads through `host_ptr` are fast (cached). If false, ReadHost commands are preferable.
    fn host_cached(&self) -> bool {
        true
    }
    /// The buffer that stores an image's texels, and their layout, where transfers access them there.
    fn in_buffer(&self) -> Option<(&Arc<dyn DeviceMemory>, &RectLayout)> {
        None
    }
    /// Size in bytes up to which [`DeviceOps::transfer`] reads immediately although the host does not see the
    /// memory.
    fn quick_read(&self) -> u64 {
        0
    }
    /// Size in bytes up to which [`DeviceOps::transfer`] makes accesses immediately that nothing precedes,
    /// although the host does not see the memory.
    fn quick_when_idle(&self, access: Access) -> u64 {
        let _ = access;
        0
    }
    /// The device address, if kernels can receive it as a number.
    fn address(&self) -> Option<u64> {
        None
    }
    fn as_any(&self) -> &dyn Any;
}

/// Recorded commands. They may be replayed any number of times, also concurrently. The caller that replays a
/// list keeps it alive until the work is complete; the list keeps its commands' operands alive.
pub trait DeviceList: Send + Sync {
    fn as_any(&self) -> &dyn Any;
}

/// Origin of a semaphore.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SemaphoreOrigin {
    Plain,
    Exportable(SemaphoreHandle),
    Imported(SemaphoreHandle, RawFd),
}

/// A binary semaphore of one device. Commands in flight hold an `Arc`.
pub trait DeviceSemaphore: Send + Sync {
    /// Replaces the payload. Takes ownership of the descriptor unless it fails.
    fn import(&self, handle: SemaphoreHandle, fd: RawFd) -> DeviceResult<()>;
    /// Returns a new descriptor, which the caller closes. A sync file requires a submitted signal, and its
    /// export counts as a wait.
    fn export(&self, handle: SemaphoreHandle) -> DeviceResult<RawFd>;
    fn as_any(&self) -> &dyn Any;
}

/// Compiled kernels, new or from the disk cache.
pub struct LoadableCode {
    pub program: Arc<CompiledProgram>,
    /// The mapped file that the native code is a part of, if it is.
    pub mapping: Option<Arc<MappedPages>>,
}

impl From<Arc<CompiledProgram>> for LoadableCode {
    fn from(program: Arc<CompiledProgram>) -> LoadableCode {
        LoadableCode { program, mapping: None }
    }
}

/// Compiles kernels of a program that is built already, each on its own.
pub trait KernelCompiler: Send + Sync {
    /// The kernel's code for a target, if the disk cache has it.
    fn cached(&self, kernel: &str, target: &clspv_bridge::Target) -> Option<LoadableCode>;
    /// Compiles the kernel for a target, or takes its code from the disk cache.
    fn compile(&self, kernel: &str, target: &clspv_bridge::Target) -> Result<LoadableCode, CompileError>;
}

/// A loaded program.
pub trait DeviceProgram: Send + Sync {
    fn kernel(&self, name: &str) -> DeviceResult<Arc<dyn DeviceKernel>>;
    /// Offers a compiler for code of single kernels, before any kernel is created.
    fn offer_compiler(&self, compiler: Arc<dyn KernelCompiler>) {
        let _ = compiler;
    }
}

/// A launchable kernel.
pub trait DeviceKernel: Send + Sync {
    fn info(&self) -> &KernelInfo;
    /// Number of work-items that a work-group can have.
    fn max_work_group_size(&self) -> usize;
    /// CL_KERNEL_WORK_GROUP_SIZE: that number, or less where larger work-groups are allowed but do worse.
    fn reported_work_group_size(&self) -> usize {
        self.max_work_group_size()
    }
    /// Work-items of a full sub-group.
    fn sub_group_size(&self) -> usize;
    /// CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE
    fn preferred_multiple(&self) -> usize;
    /// CL_KERNEL_LOCAL_MEM_SIZE without local arguments.
    fn static_local_bytes(&self) -> u64;
    /// Local memory of a launch whose local arguments have the sizes that `size_of` returns.
    fn local_bytes(&self, size_of: &dyn Fn(u16) -> u64) -> u64;
    /// CL_KERNEL_PRIVATE_MEM_SIZE
    fn private_bytes(&self) -> u64;
    /// Suggests a local size for a launch that specifies none (unused dimensions are 1).
    fn suggest_local_size(&self, global: [u64; 3], dims: u32) -> [u32; 3];
    /// The facts whose limits apply to launches, if they are not those of the kernel's `device`.
    fn limits<'a>(&'a self, device: &'a DeviceInfo) -> &'a DeviceInfo {
        device
    }
    /// The form of the kernel for launches with this image, if it is another one. `Unsupported` if the kernel
    /// cannot use the image as its argument declares.
    fn for_image(
        &self,
        image: &Arc<dyn DeviceMemory>,
        access: AccessQualifier,
    ) -> DeviceResult<Option<Arc<dyn DeviceKernel>>> {
        let _ = (image, access);
        Ok(None)
    }
    /// Checks that a buffer has this address of the device in the kernel too; without one, that all memory
    /// has.
    fn validate_address(&self, buffer: Option<(&Arc<dyn DeviceMemory>, u64)>) -> DeviceResult<()> {
        let _ = buffer;
        Ok(())
    }
    fn as_any(&self) -> &dyn Any;
}

/// Minimum size in bytes of a launch's printf output (CL_DEVICE_PRINTF_BUFFER_SIZE).
pub(crate) const PRINT_BYTES: u64 = 4 << 20;

/// Priority of a queue's work over that of other queues (cl_khr_priority_hints).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Priority {
    High,
    #[default]
    Medium,
    Low,
}

/// Parameters of a device queue.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueDesc {
    pub out_of_order: bool,
    /// Completions carry times.
    pub profiling: bool,
    /// Bytes of the device's buffer for the printf output of one launch.
    pub print_bytes: u64,
    pub priority: Priority,
    /// Save energy: waiting threads do not poll (cl_khr_throttle_hints).
    pub saving: bool,
}

/// A queue on the device (CL_QUEUE_ON_DEVICE). Commands in flight hold an `Arc`.
pub trait OnDeviceQueue: Send + Sync {
    /// The value that identifies the queue in kernels.
    fn word(&self) -> u64;
}

/// Position in a device queue's order of submission, starting at 1.
pub type Submission = u64;

/// An in-order stream of batches on one device. Batches may wait on other queues' submissions.
pub trait DeviceQueue: Send + Sync {
    /// Returns an empty list with room for `count` items of a batch. It may be a recycled one.
    fn items(&self, count: usize) -> Vec<BatchItem> {
        Vec::with_capacity(count)
    }
    /// Submits the batch to the device without waiting for the device. After an error the batch's tickets
    /// have not been and will not be reported.
    fn submit(&self, batch: Batch) -> DeviceResult<Submission>;
    /// Whether `submit` has read the sources of writes before it returns.
    fn reads_sources(&self) -> bool {
        false
    }
    /// Last submission known to be complete.
    fn completed(&self) -> Submission;
    /// Number of submissions that the device has not finished yet, reported or not; `None` if unknown.
    fn unfinished(&self) -> Option<u64> {
        None
    }
    /// Blocks until `submission` is complete and its tickets have been reported to the sink. Does the
    /// completion work in this thread when possible. Returns false on timeout. Fails if nothing was submitted
    /// under that number.
    fn wait(&self, submission: Submission, timeout: Option<Duration>) -> DeviceResult<bool>;
    /// Like [`DeviceQueue::wait`], without timeout and without polling.
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

/// Receiver of completions. Called from the device's completion thread or from a thread in
/// [`DeviceQueue::wait`], with no lock of the device layer held. Calls for one queue come in submission
/// order.
pub trait CompletionSink: Send + Sync {
    /// Receives printf output. Called before the completion of the launches that printed it, in the order of
    /// launches.
    fn print(&self, text: &[u8]) {
        let _ = text;
    }
    /// Receives a description of the loss of the device, once for the queue whose work was executing.
    fn lost(&self, report: &str) {
        let _ = report;
    }
    /// Reports tickets of one batch as complete, or as failed with one outcome. `times` is empty or has one
    /// entry per ticket.
    fn done(&self, tickets: &[CommandTicket], outcome: Outcome, times: &[Times]);
}
