//! Execution of a launch: the argument block, each thread's memory for groups, and the calls of the
//! work-group function.

use super::super::batch::{ArgValue, Launch};
use super::super::traits::{DeviceError, DeviceResult};
use super::check::Checker;
use super::check::memory::{AllocationKind, Range};
use super::check::session::{self, LaunchShape, Session};
use super::early::{Caller, LEVELS};
use super::enqueue::{self, Child, Family};
use super::image::image_of;
use super::kernel::CpuKernel;
use super::loaded::LoadedKernel;
use super::pool::Pool;
use super::print::CpuPrintBuffer;
use crate::clock;
use crate::host_ptr::{HostAllocation, HostPtr};
use clspv_bridge::metadata::ArgKind;
use clspv_bridge::native::{ALIGN, VariableLocations, context};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::time::Instant;

/// Words of an argument block; few kernels have larger ones than are stored inline.
type ArgBlock = SmallVec<[u64; 64]>;

/// State shared by all groups of a launch.
struct Grid<'a> {
    kernel: &'a LoadedKernel,
    run: Run<'a>,
    /// The argument block.
    args: &'a mut [u64],
    local_bytes: u64,
    print: u64,
    dims: u32,
    offset: [u64; 3],
    global: [u64; 3],
    local: [u64; 3],
    groups: [u64; 3],
    /// Streaming stores bypass the caches.
    streams: bool,
}

/// The context structure that a work-group function receives.
#[repr(C, align(8))]
struct Context([u8; context::SIZE]);

impl Context {
    fn set(&mut self, at: usize, value: u64) {
        self.0[at..at + 8].copy_from_slice(&value.to_le_bytes());
    }
    fn set3(&mut self, at: usize, values: [u64; 3]) {
        for (d, v) in values.into_iter().enumerate() {
            self.set(at + 8 * d, v);
        }
    }
}

thread_local! {
    /// Local and scratch memory of the groups that this thread runs, by nesting depth.
    static MEMORY: RefCell<Vec<HostAllocation>> = const { RefCell::new(Vec::new()) };
}

/// The resources of a launch, and the receiver of its printf output.
#[derive(Clone, Copy)]
pub struct Host<'a> {
    pub print_bytes: u64,
    pub print: &'a dyn Fn(&[u8]),
    pub pool: &'a Pool,
    pub checker: &'a Checker,
}

/// Runs a launch and its children. Returns when all are complete and the printf output is passed on. The
/// result is the kernel's end time if it enqueued children, else 0.
pub fn launch_and_print(launch: &Launch, host: &Host<'_>) -> DeviceResult<u64> {
    let kernel = kernel_of(launch)?;
    let code = kernel.loaded()?;
    let Some(tiers) = kernel.tiers().filter(|tiers| tiers.is_timed()) else {
        return family(launch, code, host);
    };
    let begin = Instant::now();
    let result = family(launch, code, host);
    tiers.ran(begin.elapsed());
    result
}

/// Runs a launch with this code, and its children.
fn family(launch: &Launch, kernel: &LoadedKernel, host: &Host<'_>) -> DeviceResult<u64> {
    let family = Family::new(kernel, launch, host);
    let print =
        || Some(family.printed()).filter(|t| !t.is_empty()).iter().for_each(|text| (host.print)(text));
    let first = one(launch, kernel, Run { family: &family, number: 0, depth: 0 });
    print();
    first?;
    let end = if family.is_alone() { 0 } else { clock::now() };
    while let Some(child) = family.next() {
        let result = run_child(&child, &family, 0);
        print();
        family.ended(child, result);
    }
    family.result().map(|()| end)
}

/// Runs a child: on the whole pool, or nested at `depth` on this thread only.
pub fn run_child(child: &Child, family: &Family<'_>, depth: usize) -> DeviceResult<()> {
    let run = Run { family, number: child.number, depth };
    child.launch().map_or(Ok(()), |launch| one(launch, kernel_of(launch)?.loaded()?, run))
}

fn kernel_of(launch: &Launch) -> DeviceResult<&CpuKernel> {
    let kernel = launch.kernel.as_any().downcast_ref::<CpuKernel>();
    kernel.ok_or_else(|| DeviceError::Unexpected("a kernel of another device".into()))
}

/// Execution of one kernel of a family.
#[derive(Clone, Copy)]
struct Run<'a> {
    family: &'a Family<'a>,
    number: u64,
    /// Nesting depth in calls of other kernels.
    depth: usize,
}

/// Runs one kernel.
fn one(launch: &Launch, kernel: &LoadedKernel, run: Run<'_>) -> DeviceResult<()> {
    let buffer = CpuPrintBuffer::new(kernel, run.family.print_bytes)?;
    run_groups(launch, kernel, buffer.as_ref(), run)?;
    if let Some(buffer) = buffer {
        run.family.print(&buffer.text(kernel, launch));
    }
    Ok(())
}

fn run_groups(
    launch: &Launch,
    kernel: &LoadedKernel,
    print: Option<&CpuPrintBuffer>,
    run: Run<'_>,
) -> DeviceResult<()> {
    let checker = run.family.checker;
    let native = kernel.native();
    if launch.args.len() != native.info.args.len() {
        return Err(DeviceError::Unexpected("number of kernel arguments".into()));
    }
    let local = kernel.efficient_local_size(launch.global, launch.dims, launch.local).map(u64::from);
    let words = (native.args_bytes as usize).div_ceil(8) + 1;
    let mut args = ArgBlock::from_elem(0, words);
    let mut grid = Grid {
        kernel,
        run,
        args: &mut args,
        local_bytes: u64::from(native.static_local_bytes).next_multiple_of(ALIGN as u64),
        print: print.map_or(0, |p| p.ptr().addr() as u64),
        dims: launch.dims,
        offset: launch.offset,
        global: launch.global,
        local,
        groups: [0, 1, 2].map(|d| launch.global[d].div_ceil(local[d].max(1))),
        streams: kernel.streams(launch.global.iter().fold(1, |n, size| n.saturating_mul(*size))),
    };
    pack(launch, kernel, &mut grid)?;
    let total = grid.groups[0].saturating_mul(grid.groups[1]).saturating_mul(grid.groups[2]);
    // Allocated before the first group runs, so that a failure is an error of the launch.
    if memory(run.depth, grid.bytes()).is_none() {
        return Err(DeviceError::OutOfDeviceMemory);
    }
    let done = match &native.variables {
        // In order and on one thread: the session tracks the state of the memory.
        Some(variables) => {
            let mut session = Session::new(checker, shape(launch, &grid, variables, print)?);
            let done = grid.run(0, total, Some(&raw mut session));
            checker.report(&native.info.name, session);
            done
        }
        None if run.depth > 0 => grid.run(0, total, None),
        None => run.family.pool.run(total, &|first, end| grid.run(first, end, None)),
    };
    if done { Ok(()) } else { Err(DeviceError::OutOfDeviceMemory) }
}

/// The properties of a launch that its sanitizer session needs.
fn shape<'a>(
    launch: &Launch,
    grid: &Grid<'a>,
    variables: &'a VariableLocations,
    print: Option<&CpuPrintBuffer>,
) -> DeviceResult<LaunchShape<'a>> {
    let native = grid.kernel.native();
    let block: &[u8] = bytemuck::cast_slice(&*grid.args);
    let internal = |start: u64, size: u64| Range {
        start,
        end: start.saturating_add(size),
        kind: AllocationKind::Internal,
    };
    let mut others = vec![internal(block.as_ptr() as u64, block.len() as u64)];
    others.extend(print.map(|p| internal(p.ptr().addr() as u64, p.size())));
    let (mut args, mut local_args) = (Vec::new(), Vec::new());
    for (index, (arg, info)) in launch.args.iter().zip(&native.info.args).enumerate() {
        let name = if info.name.is_empty() {
            format!("argument {index}")
        } else {
            format!("argument {index} '{}'", info.name)
        };
        match arg {
            ArgValue::Buffer(range) => {
                let base = range.memory.host_ptr().map_or(0, |p| p.addr() as u64);
                args.push((name, base + range.offset, range.size));
            }
            ArgValue::Pointer { address, .. } => args.push((name, *address, 1)),
            ArgValue::Image(image) => {
                let image = image_of(image)?;
                let (start, size) = image.texels();
                others.push(internal(image.descriptors(), image.descriptor_bytes()));
                others.push(Range { start, end: start + size, kind: AllocationKind::Image });
                args.push((name, start, size));
            }
            ArgValue::Local(size) => {
                let word = native
                    .local_args
                    .iter()
                    .find(|(a, _)| usize::from(*a) == index)
                    .map_or(0, |(_, w)| *w as usize);
                local_args.push((name, grid.args.get(word / 8).copied().unwrap_or(0), *size));
            }
            _ => {}
        }
    }
    Ok(LaunchShape {
        variables,
        width: native.width,
        linear: native.linear,
        has_barriers: native.has_barriers,
        zero_local: native.zero_local,
        frame_bytes: u64::from(native.frame_bytes),
        offset: grid.offset,
        enqueued_local: grid.local,
        args,
        local_args,
        others,
        data: grid.kernel.data(),
    })
}

/// Fills the argument block.
fn pack(launch: &Launch, kernel: &LoadedKernel, grid: &mut Grid<'_>) -> DeviceResult<()> {
    let native = kernel.native();
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(grid.args);
    let mut put = |at: u32, value: &[u8]| match bytes.get_mut(at as usize..at as usize + value.len()) {
        Some(slot) => {
            slot.copy_from_slice(value);
            Ok(())
        }
        None => Err(DeviceError::Unexpected("an argument outside of the block".into())),
    };
    for (index, (arg, info)) in launch.args.iter().zip(&native.info.args).enumerate() {
        match (arg, info.kind) {
            (ArgValue::Local(size), ArgKind::LocalPtr) => {
                let word = native.local_args.iter().find(|(a, _)| usize::from(*a) == index).map(|(_, w)| *w);
                put(word.unwrap_or(0), &grid.local_bytes.to_le_bytes())?;
                grid.local_bytes = (grid.local_bytes + (*size).max(1)).next_multiple_of(ALIGN as u64);
            }
            (ArgValue::Bytes(value), _) => put(info.offset, value)?,
            (ArgValue::Buffer(range), _) => {
                let base = range
                    .memory
                    .host_ptr()
                    .ok_or_else(|| DeviceError::Unexpected("a buffer of another device".into()))?;
                put(info.offset, &(base.addr() as u64 + range.offset).to_le_bytes())?;
            }
            (ArgValue::NullBuffer, _) => put(info.offset, &0u64.to_le_bytes())?,
            (ArgValue::Image(image), ArgKind::Image) => {
                put(info.offset, &image_of(image)?.descriptors().to_le_bytes())?
            }
            (ArgValue::Pointer { address, .. }, _) => put(info.offset, &address.to_le_bytes())?,
            _ => return Err(DeviceError::Unsupported(format!("argument {index} on the CPU device"))),
        }
    }
    Ok(())
}

/// Minimum bytes of the memory of a thread for groups.
const PAGE: u64 = 4096;

/// This thread's memory of at least `bytes` for groups at a depth.
fn memory(depth: usize, bytes: u64) -> Option<HostPtr> {
    let depth = depth % LEVELS;
    MEMORY.with_borrow_mut(|own| {
        // Deeper memory is not in use.
        if own.get(depth).is_some_and(|m| m.size() < bytes) {
            own.truncate(depth);
        }
        while own.len() <= depth {
            // Not much more than is needed: zeroing new pages is most of what a first launch costs.
            own.push(HostAllocation::new(bytes.checked_next_power_of_two()?.max(PAGE))?);
        }
        own.get(depth).map(HostAllocation::ptr)
    })
}

impl Grid<'_> {
    /// Bytes of a group's memory: local, then scratch.
    fn bytes(&self) -> u64 {
        self.scratch_at() + self.kernel.native().scratch_bytes(self.local) + ALIGN as u64
    }

    /// Offset of scratch memory. In instrumented code an unused gap follows local memory.
    fn scratch_at(&self) -> u64 {
        let gap = if self.kernel.native().variables.is_some() { 4096 } else { 0 };
        self.local_bytes + gap
    }

    /// Runs groups by their linear numbers; false if their memory cannot be allocated.
    fn run(&self, first: u64, end: u64, check: Option<*mut Session<'_>>) -> bool {
        let Some(base) = memory(self.run.depth, self.bytes()) else { return false };
        let _modes = FloatModes::plain();
        let mut cx = Context([0; context::SIZE]);
        let scratch = base.addr() as u64 + self.scratch_at();
        cx.set(context::ARGS, self.args.as_ptr() as u64);
        cx.set(context::LOCAL, base.addr() as u64);
        cx.set(context::LOCAL_BYTES, self.local_bytes);
        cx.set(context::SCRATCH, scratch);
        cx.set(context::SCRATCH_BYTES, self.kernel.native().scratch_bytes(self.local));
        if let Some(session) = check {
            cx.set(context::CHECK, session as u64);
            cx.set(context::CHECK_ACCESS, session::access as *const () as u64);
            cx.set(context::CHECK_ORDER, session::order as *const () as u64);
        }
        cx.set(context::NO_STREAM, u64::from(!self.streams));
        let caller = Caller::new(self.run.family, self.run.number, self.run.depth);
        cx.set(context::RUNTIME, std::ptr::from_ref(&caller) as u64);
        cx.set(context::RUNTIME_CALL, enqueue::call as *const () as u64);
        cx.set(context::PRINT, self.print);
        cx.set(context::DATA, self.kernel.data());
        cx.set(context::PRINTF_BASE, u64::from(self.dims) << 32);
        cx.set3(context::LOCAL_SIZE, self.local);
        cx.set3(context::ENQUEUED_LOCAL_SIZE, self.local);
        cx.set3(context::NUM_GROUPS, self.groups);
        cx.set3(context::GLOBAL_SIZE, self.global);
        cx.set3(context::GLOBAL_OFFSET, self.offset);
        let full = self.kernel.function(self.local);
        let plane = self.groups[0] * self.groups[1];
        for number in first..end {
            caller.group.set(number);
            let id = [number % self.groups[0], number / self.groups[0] % self.groups[1], number / plane];
            cx.set3(context::GROUP_ID, id);
            // The last group of a dimension may be smaller.
            let size = [0, 1, 2].map(|d| self.local[d].min(self.global[d] - id[d] * self.local[d]));
            let function = if size == self.local {
                full
            } else {
                cx.set3(context::LOCAL_SIZE, size);
                self.kernel.function_at_end()
            };
            if self.kernel.native().zero_local {
                // SAFETY: this thread's memory, which has room for the group's local memory.
                unsafe { std::ptr::write_bytes(base.as_ptr(), 0, self.local_bytes as usize) };
            }
            if let Some(session) = check {
                let local = (base.addr() as u64, self.local_bytes);
                let scratch = (scratch, self.kernel.native().scratch_bytes(size));
                // SAFETY: the session lives as long as the launch, on this thread; the memory is the group's.
                unsafe { (*session).start(id, size, local, scratch) };
            }
            // SAFETY: the context is as the contract requires: the argument block of this kernel, and local
            // and scratch memory for a group of this size. The application is responsible for the kernel's
            // own accesses.
            unsafe { function(cx.0.as_ptr()) };
            caller.group_ended();
            if size != self.local {
                cx.set3(context::LOCAL_SIZE, self.local);
            }
        }
        if self.streams {
            order_streams();
        }
        true
    }
}

/// Orders streaming stores before all later stores.
fn order_streams() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: an instruction without operands, which every x86-64 processor has.
    unsafe {
        std::arch::x86_64::_mm_sfence()
    };
}

/// Sets the processor's default floating-point modes while it lives: denormals preserved, rounding to
/// nearest. The application may have set others for its thread.
struct FloatModes(#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))] ControlWord);

/// The register of floating-point modes.
#[cfg(target_arch = "x86_64")]
type ControlWord = u32;
#[cfg(target_arch = "aarch64")]
type ControlWord = u64;

#[cfg(target_arch = "x86_64")]
impl FloatModes {
    fn plain() -> FloatModes {
        let mut old = 0u32;
        let new = 0x1f80u32;
        // SAFETY: both operands are 32 bits in memory; all exceptions are masked.
        unsafe {
            std::arch::asm!("stmxcsr [{}]", in(reg) &mut old, options(nostack));
            std::arch::asm!("ldmxcsr [{}]", in(reg) &new, options(nostack));
        }
        FloatModes(old)
    }
}

#[cfg(target_arch = "x86_64")]
impl Drop for FloatModes {
    fn drop(&mut self) {
        // SAFETY: restores what was read.
        unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &self.0, options(nostack)) };
    }
}

#[cfg(target_arch = "aarch64")]
impl FloatModes {
    fn plain() -> FloatModes {
        let old: u64;
        // SAFETY: reads the register, then clears its modes and exceptions.
        unsafe {
            std::arch::asm!("mrs {}, fpcr", out(reg) old, options(nomem, nostack));
            std::arch::asm!("msr fpcr, xzr", options(nomem, nostack));
        }
        FloatModes(old)
    }
}

#[cfg(target_arch = "aarch64")]
impl Drop for FloatModes {
    fn drop(&mut self) {
        // SAFETY: restores what was read.
        unsafe { std::arch::asm!("msr fpcr, {}", in(reg) self.0, options(nomem, nostack)) };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl FloatModes {
    fn plain() -> FloatModes {
        FloatModes()
    }
}
