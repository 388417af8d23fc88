//! Device-side enqueue: kernels that kernels enqueue (OpenCL C 3.0, section 6.15.18).
//!
//! A command's kernel and all its descendants are a family. The thread that executes the command runs them
//! one after the other, each on all threads of the pool; the command is complete with the last of them. A
//! child starts after its parent has ended, whatever the flags allow, unless a queue is full
//! ([`super::early`]). The children of the newest kernel run before older ones that have not started, so that
//! a tree of kernels needs room for one branch only.
//!
//! A lock guards the family; kernels take it in their runtime calls ([`call`]).

use super::super::batch::{ArgValue, IndirectAccesses, Launch};
use super::super::info::EnqueueFacts;
use super::super::traits::{DeviceError, DeviceResult};
use super::check::Checker;
use super::check::memory::{AllocationKind, Registration};
use super::early::{Caller, ChildDependency};
use super::events::{Events, Status, Word};
use super::exec::Host;
use super::kernel::CpuKernel;
use super::loaded::{LOCAL_BYTES, LoadedKernel};
use super::on_device_queue::{CpuOnDeviceQueue, Room};
use super::pool::Pool;
use crate::clock;
use clspv_bridge::ir::runtime::{HEADED, ndrange};
use clspv_bridge::ir::{RUNTIME_CALLS, RuntimeCall};
use clspv_bridge::native::runtime::{CLOCK, MAX_ARGS};
use parking_lot::Mutex;
use smallvec::{SmallVec, smallvec};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Limits of the device's on-device queues.
pub const FACTS: EnqueueFacts = EnqueueFacts {
    preferred_size: 16 << 20,
    max_size: 64 << 20,
    max_queues: 64,
    max_events: MAX_EVENTS as u32,
};

/// Maximum number of events of a command.
const MAX_EVENTS: usize = 1 << 20;
/// Minimum bytes of a queue that each command takes.
const LEAST_ROOM: u64 = 128;
/// Maximum bytes of a block literal.
const MAX_LITERAL: u32 = 1 << 16;

/// Reason why a call fails, as kernels see it.
#[derive(Clone, Copy)]
enum Refusal {
    OutOfResources = -5,
    ArgSize = -51,
    WaitList = -57,
    EventAllocation = -100,
    Failure = -101,
    Queue = -102,
    NdRange = -160,
    QueueFull = -161,
}

type Call<T> = std::result::Result<T, Refusal>;

/// Memory of a literal, aligned for every type.
#[repr(C, align(128))]
#[derive(Clone, Copy)]
struct Line([u8; 128]);

/// An enqueued kernel or marker.
pub struct Child {
    pub number: u64,
    /// The kernel that enqueued it; 0 for the command's own.
    pub parent: u64,
    /// The work that it waits for.
    pub after: ChildDependency,
    /// `None` for a marker.
    launch: Option<Launch>,
    literal: Box<[Line]>,
    waits: Vec<Word>,
    /// Its reservation in the queue, until it starts.
    pub room: Option<Room>,
    _known: Option<Registration>,
}

impl Child {
    /// The kernel's launch; `None` for a marker.
    pub fn launch(&self) -> Option<&Launch> {
        self.launch.as_ref()
    }
}

/// The arguments of an enqueue call.
#[derive(Default)]
struct Enqueued {
    launch: Option<Launch>,
    literal: Box<[Line]>,
    after: ChildDependency,
}

/// A kernel of the family that is not complete.
struct Member {
    /// 0 for the command's own kernel, which is not a member.
    parent: u64,
    event: Option<Word>,
    /// Number of incomplete kernels: itself and its children.
    open: u32,
    failed: bool,
    start: u64,
    end: u64,
}

/// State of a family, guarded by its lock.
#[derive(Default)]
pub struct FamilyState {
    events: Events,
    members: BTreeMap<u64, Member>,
    count: u64,
    /// Running kernels; 0 is the command's own.
    pub running: SmallVec<[u64; 4]>,
    /// Running work-groups that children wait for: the kernel, and the group's linear number.
    pub groups: Vec<(u64, u64)>,
    /// Children enqueued by running kernels.
    pub new: VecDeque<Child>,
    ready: VecDeque<Child>,
    blocked: VecDeque<Child>,
    /// An event that children may wait for has changed.
    changed: bool,
    /// Printf output of the kernels.
    text: Vec<u8>,
    error: Option<DeviceError>,
}

/// A command's kernel and its descendants.
pub struct Family<'a> {
    kernel: &'a LoadedKernel,
    default_queue: u64,
    pub pool: &'a Pool,
    pub checker: &'a Checker,
    pub print_bytes: u64,
    pub state: Mutex<FamilyState>,
}

impl<'a> Family<'a> {
    /// The family of a launch.
    pub fn new(kernel: &'a LoadedKernel, launch: &Launch, host: &Host<'a>) -> Family<'a> {
        let default_queue = launch.default_queue.as_ref().map_or(0, |q| q.word());
        let state = FamilyState { running: smallvec![0], ..FamilyState::default() };
        let Host { pool, checker, print_bytes, .. } = *host;
        Family { kernel, default_queue, pool, checker, print_bytes, state: Mutex::new(state) }
    }

    /// Whether nothing has been enqueued.
    pub fn is_alone(&self) -> bool {
        self.state.lock().count == 0
    }

    /// The next child to run, after the previous one has ended; `None` when all are complete.
    pub fn next(&self) -> Option<Child> {
        let mut state = self.state.lock();
        state.running.clear();
        loop {
            for child in std::mem::take(&mut state.new).into_iter().rev() {
                state.ready.push_front(child);
            }
            if std::mem::take(&mut state.changed) {
                let blocked = std::mem::take(&mut state.blocked);
                state.ready.extend(blocked);
            }
            let Some(child) = state.ready.pop_front() else {
                if state.blocked.is_empty() {
                    return None;
                }
                // Nothing is left that could set an event.
                state.fail(DeviceError::Unexpected(
                    "kernels on the device wait for events that are never set".into(),
                ));
                for child in std::mem::take(&mut state.blocked) {
                    state.finish(child, true);
                }
                continue;
            };
            match state.status(&child) {
                Status::Pending => state.blocked.push_back(child),
                Status::Failed => {
                    state.fail(DeviceError::Unexpected(
                        "a kernel on the device waits for what has failed".into(),
                    ));
                    state.finish(child, true);
                }
                Status::Complete => return Some(state.start(child, self.checker)),
            }
        }
    }

    /// Ends a child that ran.
    pub fn ended(&self, child: Child, result: DeviceResult<()>) {
        let mut state = self.state.lock();
        state.running.retain(|n| *n != child.number);
        let failed = result.is_err();
        if let Err(error) = result {
            state.fail(error);
        }
        state.finish(child, failed);
    }

    /// Appends printf output.
    pub fn print(&self, text: &[u8]) {
        self.state.lock().text.extend_from_slice(text);
    }

    /// Takes the printf output since the last call.
    pub fn printed(&self) -> Vec<u8> {
        std::mem::take(&mut self.state.lock().text)
    }

    /// The result of the whole family.
    pub fn result(self) -> DeviceResult<()> {
        self.state.into_inner().error.map_or(Ok(()), Err)
    }

    /// Executes a runtime call of a kernel.
    fn answer(&self, caller: &Caller<'_>, call: RuntimeCall, args: &[u64; MAX_ARGS]) -> u64 {
        let code = |result: Call<()>| match result {
            Ok(()) => 0,
            // Only programs with debug information receive the exact error.
            Err(_) if !self.kernel.native().reports_errors => Refusal::Failure as i32 as u64,
            Err(refusal) => refusal as i32 as u64,
        };
        match call {
            RuntimeCall::EnqueueKernel => code(self.enqueue_kernel(caller, args)),
            RuntimeCall::EnqueueMarker => code(self.enqueue_marker(caller, args)),
            RuntimeCall::CreateUserEvent => {
                self.state.lock().events.create(true, MAX_EVENTS).unwrap_or(u64::MAX)
            }
            RuntimeCall::SetUserEventStatus => {
                let status = if args[1] as i32 == 0 { Status::Complete } else { Status::Failed };
                // Valid statuses are CL_COMPLETE and negative error codes.
                if args[1] as i32 <= 0 {
                    let mut state = self.state.lock();
                    let changed = state.events.set(args[0], status);
                    state.changed |= changed;
                }
                0
            }
            RuntimeCall::RetainEvent => {
                self.state.lock().events.retain(args[0]);
                0
            }
            RuntimeCall::ReleaseEvent => {
                self.state.lock().events.release(args[0]);
                0
            }
            RuntimeCall::IsValidEvent => u64::from(self.state.lock().events.is_valid(args[0])),
            RuntimeCall::CaptureProfiling => {
                let spent = self.state.lock().events.capture(args[0], args[2]);
                if let Some(spent) = spent {
                    write(args[2], spent);
                }
                0
            }
            RuntimeCall::DefaultQueue => self.default_queue,
            RuntimeCall::WorkGroupSize => {
                self.kernel.block(args[0]).map_or(0, |k| k.max_work_group_size() as u64)
            }
            RuntimeCall::PreferredMultiple => {
                self.kernel.block(args[0]).map_or(0, |k| k.sub_group_size() as u64)
            }
            RuntimeCall::SubGroupCount => {
                self.sub_groups(args).map_or(0, |(local, size)| local.div_ceil(size))
            }
            RuntimeCall::MaxSubGroupSize => self.sub_groups(args).map_or(0, |(local, size)| local.min(size)),
            RuntimeCall::LocalSizeForSubGroups => self.kernel.block(args[1]).map_or(0, |k| {
                let items = (args[0] as u32 as u64).saturating_mul(k.sub_group_size() as u64);
                // No group has that many sub-groups: the local size would exceed the kernel's maximum.
                if items <= k.max_work_group_size() as u64 { items } else { 0 }
            }),
            RuntimeCall::MaxSubGroups => self
                .kernel
                .block(args[0])
                .map_or(0, |k| k.max_work_group_size().div_ceil(k.sub_group_size()) as u64),
        }
    }

    /// Work-items of a group, and of a full sub-group.
    fn sub_groups(&self, args: &[u64; MAX_ARGS]) -> Option<(u64, u64)> {
        let kernel = self.kernel.block(args[1])?;
        let range = Range::read(args[0], &kernel, false).ok()?;
        Some((range.local.iter().map(|n| u64::from(*n)).product(), kernel.sub_group_size() as u64))
    }

    fn enqueue_kernel(&self, caller: &Caller<'_>, args: &[u64; MAX_ARGS]) -> Call<()> {
        let &[queue, flags, range, events, waits, event, kernel, literal, bytes, sizes, size_list] = args;
        // CLK_INVALID_QUEUE: not a queue of this device.
        let queue = CpuOnDeviceQueue::find(queue, self.pool).ok_or(Refusal::Queue)?;
        // Valid flags are NO_WAIT, WAIT_KERNEL and WAIT_WORK_GROUP.
        let after = ChildDependency::of_flags(flags).ok_or(Refusal::Failure)?;
        let kernel = self.kernel.block(kernel).ok_or(Refusal::Failure)?;
        let range = Range::read(range, &kernel, self.kernel.native().uniform_groups)?;
        let sizes: Vec<u64> = (0..sizes).map(|i| read(size_list + 8 * i)).collect();
        // CLK_INVALID_ARG_SIZE: a local argument has no size.
        if sizes.len() != kernel.native().local_args.len() || sizes.contains(&0) {
            return Err(Refusal::ArgSize);
        }
        let size_of = |arg: u16| sizes.get(usize::from(arg).wrapping_sub(1)).copied().unwrap_or(0);
        if kernel.local_bytes(&size_of) > LOCAL_BYTES {
            return Err(Refusal::OutOfResources);
        }
        let bytes = if bytes == u64::from(HEADED) { read(literal) } else { bytes as u32 };
        if bytes > MAX_LITERAL {
            return Err(Refusal::OutOfResources);
        }
        let mut lines = vec![Line([0; 128]); bytes.div_ceil(128).max(1) as usize].into_boxed_slice();
        // A block without captures may have no literal.
        let literal = if bytes == 0 { lines.as_ptr() as u64 } else { literal };
        // SAFETY: the lines have room for `bytes`; the literal is the kernel's, as for `read`.
        unsafe {
            std::ptr::copy_nonoverlapping(
                literal as *const u8,
                lines.as_mut_ptr().cast::<u8>(),
                bytes as usize,
            )
        };
        let address = lines.as_ptr() as u64;
        let mut values = vec![ArgValue::Pointer { address, within: None }];
        values.extend(sizes.iter().map(|size| ArgValue::Local(*size)));
        let bytes = u64::from(bytes) + 8 * (sizes.len() as u64 + events);
        let Range { dims, offset, global, local } = range;
        // An empty range launches nothing.
        let launch = (!global.contains(&0)).then(|| Launch {
            kernel: Arc::new(CpuKernel::new(kernel)),
            args: Arc::new(values),
            dims,
            offset,
            global,
            local,
            indirect: IndirectAccesses::default(),
            default_queue: None,
        });
        self.add(caller, &queue, Enqueued { launch, literal: lines, after }, (events, waits, event), bytes)
    }

    fn enqueue_marker(&self, caller: &Caller<'_>, args: &[u64; MAX_ARGS]) -> Call<()> {
        let &[queue, events, waits, event, ..] = args;
        // CLK_INVALID_QUEUE: not a queue of this device.
        let queue = CpuOnDeviceQueue::find(queue, self.pool).ok_or(Refusal::Queue)?;
        self.add(caller, &queue, Enqueued::default(), (events, waits, event), 8 * events)
    }

    /// Adds a child. The tuple is the number of events that it waits for, their address, and the address for
    /// its own event.
    fn add(
        &self,
        caller: &Caller<'_>,
        queue: &Arc<CpuOnDeviceQueue>,
        what: Enqueued,
        (count, waits, event): (u64, u64, u64),
        bytes: u64,
    ) -> Call<()> {
        // CLK_INVALID_EVENT_WAIT_LIST: a count without a list, or a list without a count.
        if (count == 0) != (waits == 0) {
            return Err(Refusal::WaitList);
        }
        let room = caller.room(queue, bytes.saturating_add(LEAST_ROOM)).ok_or(Refusal::QueueFull)?;
        let waits: Vec<Word> = (0..count).map(|i| read(waits + 8 * i)).collect();
        let mut state = self.state.lock();
        let state = &mut *state;
        // CLK_INVALID_EVENT_WAIT_LIST: an event is not valid.
        if !waits.iter().all(|w| state.events.is_valid(*w)) {
            return Err(Refusal::WaitList);
        }
        let word = match event {
            0 => None,
            _ => Some(state.events.create(false, MAX_EVENTS).ok_or(Refusal::EventAllocation)?),
        };
        for w in waits.iter().copied().chain(word) {
            state.events.retain(w);
        }
        state.count += 1;
        let (number, parent) = (state.count, caller.number);
        if let Some(parent) = state.members.get_mut(&parent) {
            parent.open += 1;
        }
        state
            .members
            .insert(number, Member { parent, event: word, open: 1, failed: false, start: 0, end: 0 });
        let Enqueued { launch, literal, after } = what;
        let after = caller.resolve(after, state);
        state.new.push_back(Child {
            number,
            parent,
            after,
            launch,
            literal,
            waits,
            room: Some(room),
            _known: None,
        });
        if let Some(word) = word {
            write(event, word);
        }
        Ok(())
    }
}

impl FamilyState {
    /// Combined status of the events that a child waits for.
    fn status(&mut self, child: &Child) -> Status {
        let statuses = child.waits.iter().map(|w| self.events.status(*w));
        statuses.max().unwrap_or(Status::Complete)
    }

    /// The first child for which `may` holds and whose events are complete: the newest of the new ones, then
    /// in order.
    pub fn take(&mut self, may: impl Fn(&FamilyState, &Child) -> bool) -> Option<Child> {
        type List = fn(&mut FamilyState) -> &mut VecDeque<Child>;
        let lists: [(List, bool); 3] =
            [(|s| &mut s.new, true), (|s| &mut s.ready, false), (|s| &mut s.blocked, false)];
        for (list, last_first) in lists {
            let mut children = std::mem::take(list(self));
            let mut fits = |c: &Child| may(self, c) && self.status(c) == Status::Complete;
            let found = if last_first {
                children.iter().rposition(&mut fits)
            } else {
                children.iter().position(&mut fits)
            };
            let child = found.and_then(|at| children.remove(at));
            *list(self) = children;
            if child.is_some() {
                return child;
            }
        }
        None
    }

    /// Starts the child, which frees its room in the queue.
    pub fn start(&mut self, mut child: Child, checker: &Checker) -> Child {
        child.room = None;
        let (start, bytes) = (child.literal.as_ptr() as u64, size_of_val(&*child.literal) as u64);
        child._known = checker.register(start, bytes, AllocationKind::Internal);
        self.running.push(child.number);
        if let Some(member) = self.members.get_mut(&child.number) {
            member.start = clock::now();
        }
        child
    }

    /// Records an error; the first one is the command's.
    fn fail(&mut self, error: DeviceError) {
        self.error.get_or_insert(error);
    }

    /// Ends a child that ran, or that will never start.
    fn finish(&mut self, child: Child, failed: bool) {
        for w in &child.waits {
            self.events.release(*w);
        }
        if let Some(member) = self.members.get_mut(&child.number) {
            member.end = clock::now();
            member.start = if member.start == 0 { member.end } else { member.start };
            member.failed |= failed;
        }
        let mut next = Some(child.number);
        // A kernel is complete when all its children are; then its parent may be complete.
        while let Some(number) = next {
            let Some(member) = self.members.get_mut(&number) else { return };
            member.open -= 1;
            if member.open > 0 {
                return;
            }
            let Some(member) = self.members.remove(&number) else { return };
            if let Some(word) = member.event {
                let status = if member.failed { Status::Failed } else { Status::Complete };
                let spent = [member.end - member.start, clock::now() - member.start];
                for address in self.events.complete(word, status, spent) {
                    write(address, spent);
                }
                self.events.release(word);
                self.changed = true;
            }
            next = Some(member.parent).filter(|n| *n != 0);
            if let Some(parent) = self.members.get_mut(&member.parent) {
                parent.failed |= member.failed;
            }
        }
    }
}

/// An `ndrange_t` with a local size.
struct Range {
    dims: u32,
    offset: [u64; 3],
    global: [u64; 3],
    local: [u32; 3],
}

impl Range {
    fn read(at: u64, kernel: &LoadedKernel, uniform: bool) -> Call<Range> {
        let three = |offset: usize| [0, 8, 16].map(|d| read::<u64>(at + (offset + d) as u64));
        let dims: u32 = read(at + ndrange::DIMS as u64);
        // One to three dimensions.
        if !(1..=3).contains(&dims) {
            return Err(Refusal::NdRange);
        }
        let used = |values: [u64; 3], unused: u64| {
            [0, 1, 2].map(|d| if d < dims as usize { values[d] } else { unused })
        };
        let (offset, global) = (used(three(ndrange::OFFSET), 0), used(three(ndrange::GLOBAL), 1));
        let given = three(ndrange::LOCAL);
        // Global ids must not wrap around.
        if (0..3).any(|d| offset[d].checked_add(global[d]).is_none()) {
            return Err(Refusal::NdRange);
        }
        let required = kernel.native().info.reqd_work_group_size;
        if given[..dims as usize].iter().all(|n| *n == 0) {
            let local = if global.contains(&0) { [1; 3] } else { kernel.suggest_local_size(global, dims) };
            return Ok(Range { dims, offset, global, local });
        }
        let local = used(given, 1);
        let items = local.iter().try_fold(1u64, |n, size| n.checked_mul(*size));
        // A group has at least one work-item and at most the kernel's maximum;
        let fits = items.is_some_and(|n| n > 0 && n <= kernel.max_work_group_size() as u64);
        // it has the size that the kernel requires, and divides the range if the program requires uniform
        // groups.
        let divides = (0..3).all(|d| local[d] != 0 && global[d].is_multiple_of(local[d]));
        if !fits || required.is_some_and(|r| r.map(u64::from) != local) || uniform && !divides {
            return Err(Refusal::NdRange);
        }
        Ok(Range { dims, offset, global, local: local.map(|n| n as u32) })
    }
}

/// A value in a kernel's memory.
fn read<T: Copy>(address: u64) -> T {
    // SAFETY: a kernel passed the address of such a value; the application is responsible for its validity,
    // as for every access of kernels.
    unsafe { std::ptr::read_unaligned(address as *const T) }
}

/// Writes to a kernel's memory.
fn write<T: Copy>(address: u64, value: T) {
    // SAFETY: as for `read`.
    unsafe { std::ptr::write_unaligned(address as *mut T, value) };
}

/// Entry point of runtime calls by kernels ([`clspv_bridge::native::runtime`]).
///
/// # Safety
///
/// The caller must be alive, and there must be [`MAX_ARGS`] arguments for all calls but [`CLOCK`].
pub unsafe extern "C" fn call(caller: *const Caller<'_>, number: u64, args: *const [u64; MAX_ARGS]) -> u64 {
    if number == CLOCK {
        return clock::now();
    }
    // SAFETY: by the contract with the generated code.
    let caller = unsafe { &*caller };
    // SAFETY: likewise.
    let args = unsafe { &*args };
    let (call, family) = (usize::try_from(number).ok().and_then(|n| RUNTIME_CALLS.get(n)), caller.family);
    // No panic may unwind into the kernel's code.
    let answer = || call.map_or(0, |call| family.answer(caller, *call, args));
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(answer)).unwrap_or_else(|_| {
        family.state.lock().fail(DeviceError::Unexpected("a panic in a kernel's call".into()));
        0
    })
}
