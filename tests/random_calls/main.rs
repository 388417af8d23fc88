//! Random calls on valid and invalid objects: eight threads share the objects of three contexts. No call may
//! crash, hang, or disturb other threads. At the end every event is complete, every callback has run, and
//! every context is destroyed.
//!
//! `PYROCLAST_STRESS=SECONDS cargo test --test random_calls` runs for that long. The calls keep the rules
//! that the specification leaves to the application: a thread holds a reference to each object that it uses,
//! and kernels stay within their buffers. Invalid objects are NULL, wild addresses, and objects of another
//! kind. The driver is loaded without a loader, because loaders dereference every handle. One of the contexts
//! has every device: `PYROCLAST_DEVICES=vulkan,cpu` makes several.

#![allow(clippy::unwrap_used)]

mod commands;
mod extensions;

use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use test_support::api::rig::*;
use test_support::api::*;

const SOURCE: &str = "
kernel void count(global int *p, global const int *q, int n, local int *l) {
    if (get_local_id(0) == 0) l[0] = n;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (p && q) atomic_add(p, l[0] + q[0]);
}
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eights(global int *p) {
    if (p) atomic_inc(p);
}
kernel void plain(uint4 value) { }
";
const KERNELS: [&std::ffi::CStr; 3] = [c"count", c"eights", c"plain"];
const THREADS: u64 = 8;
const CONTEXTS: usize = 3;
/// Minimum number of steps, however long they take.
const ENOUGH: usize = 10_000;
/// Minimum size of kernels' buffers in bytes.
const SMALLEST: usize = 16;

/// Kinds of objects that are counted.
trait Counted: Sized {
    /// # Safety
    /// The handle is valid for the kind.
    unsafe fn retain(handle: *mut Self) -> cl_int;
    /// # Safety
    /// The handle is valid for the kind.
    unsafe fn release(handle: *mut Self) -> cl_int;
}

macro_rules! counted {
    ($($kind:ty: $retain:ident, $release:ident;)*) => {
        $(impl Counted for $kind {
            unsafe fn retain(handle: *mut Self) -> cl_int {
                // SAFETY: the caller's promise.
                unsafe { $retain(handle) }
            }
            unsafe fn release(handle: *mut Self) -> cl_int {
                // SAFETY: the caller's promise.
                unsafe { $release(handle) }
            }
        })*
    };
}

counted! {
    _cl_context: clRetainContext, clReleaseContext;
    _cl_command_queue: clRetainCommandQueue, clReleaseCommandQueue;
    _cl_mem: clRetainMemObject, clReleaseMemObject;
    _cl_kernel: clRetainKernel, clReleaseKernel;
    _cl_program: clRetainProgram, clReleaseProgram;
    _cl_event: clRetainEvent, clReleaseEvent;
}

/// A handle with its own reference, or an invalid one without.
struct Held<T: Counted>(*mut T, bool);

impl<T: Counted> Held<T> {
    fn get(&self) -> *mut T {
        self.0
    }
}

impl<T: Counted> Drop for Held<T> {
    fn drop(&mut self) {
        if self.1 {
            // SAFETY: the reference is ours.
            ok(unsafe { T::release(self.0) });
        }
    }
}

/// Objects of one kind, shared by all threads.
struct Pool<T>(Vec<Mutex<Option<Any<T>>>>);

impl<T: Counted> Pool<T> {
    fn new(size: usize) -> Pool<T> {
        Pool((0..size).map(|_| Mutex::new(None)).collect())
    }
    fn slot(&self, at: usize) -> std::sync::MutexGuard<'_, Option<Any<T>>> {
        self.0[at].lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// A random object, or `None`.
    fn valid(&self, random: &mut Random) -> Option<Held<T>> {
        let slot = self.slot(random.below(self.0.len()));
        let handle = slot.as_ref()?.get();
        // SAFETY: the slot has a reference.
        ok(unsafe { T::retain(handle) });
        Some(Held(handle, true))
    }
    /// Usually a valid object.
    fn any(&self, random: &mut Random, other: usize) -> Held<T> {
        let wrong = match random.below(40) {
            0 => 0usize,
            1 => [1, 8, 0x7fff_ffff_0001, usize::MAX - 63, 1 << 46][random.below(5)],
            2 => other,
            _ => return self.valid(random).unwrap_or(Held(null_mut(), false)),
        };
        Held(wrong as *mut T, false)
    }
    /// Replaces a random object. NULL is not stored.
    fn put(&self, random: &mut Random, handle: *mut T) {
        if !handle.is_null() {
            let old = self.slot(random.below(self.0.len())).replace(Any(handle));
            if let Some(old) = old {
                drop(Held(old.0, true));
            }
        }
    }
    fn clear(&self) {
        for at in 0..self.0.len() {
            let old = self.slot(at).take();
            if let Some(old) = old {
                drop(Held(old.0, true));
            }
        }
    }
}

/// A context with its objects.
struct World {
    context: Any<_cl_context>,
    queues: Pool<_cl_command_queue>,
    mems: Pool<_cl_mem>,
    programs: Pool<_cl_program>,
    kernels: Pool<_cl_kernel>,
    events: Pool<_cl_event>,
    buffers: Pool<_cl_command_buffer_khr>,
}

/// User events that are not set yet. Each is set after a moment, so that no wait is endless.
static GATES: Mutex<Vec<Any<_cl_event>>> = Mutex::new(Vec::new());
static CALLBACKS_WANTED: AtomicUsize = AtomicUsize::new(0);
static CALLBACKS_SEEN: AtomicUsize = AtomicUsize::new(0);
static CONTEXTS_GONE: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn on_event(_: cl_event, status: cl_int, _: *mut c_void) {
    assert!(status <= CL_SUBMITTED);
    CALLBACKS_SEEN.fetch_add(1, Ordering::AcqRel);
}

unsafe extern "C" fn on_mem(_: cl_mem, _: *mut c_void) {
    CALLBACKS_SEEN.fetch_add(1, Ordering::AcqRel);
}

unsafe extern "C" fn on_context(_: cl_context, _: *mut c_void) {
    CONTEXTS_GONE.fetch_add(1, Ordering::AcqRel);
}

unsafe extern "C" fn native(args: *mut c_void) {
    // SAFETY: called with what was enqueued: a pointer to an int, or NULL.
    unsafe {
        let p = *args.cast::<*const i32>();
        if !p.is_null() {
            std::hint::black_box(p.read_volatile());
        }
    }
}

/// A thread's memory for transfers. Commands may use it after the thread has ended.
struct Arena {
    bytes: *mut u8,
    at: usize,
}

impl Arena {
    const SIZE: usize = 8 << 20;
    fn new() -> Arena {
        Arena { bytes: vec![0u8; Arena::SIZE].leak().as_mut_ptr(), at: 0 }
    }
    /// The next bytes; bytes are reused only much later.
    fn take(&mut self, size: usize) -> *mut c_void {
        if self.at + size > Arena::SIZE {
            self.at = 0;
        }
        let ptr = self.bytes.wrapping_add(self.at);
        self.at += size.next_multiple_of(64);
        ptr.cast()
    }
}

/// The state of one thread.
struct Actor<'a> {
    worlds: &'a [World],
    random: Random,
    arena: Arena,
    /// Number of calls by returned code.
    codes: std::collections::BTreeMap<cl_int, usize>,
}

impl Actor<'_> {
    fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }

    /// True once in `n` calls.
    fn rarely(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn note(&mut self, code: cl_int) {
        let known = (-72..=-1).contains(&code) || (-1150..=-1000).contains(&code);
        assert!(known || code == CL_SUCCESS, "{code} is not an error of OpenCL");
        *self.codes.entry(code).or_default() += 1;
    }

    /// A size or an offset, mostly within `limit`.
    fn size(&mut self, limit: usize) -> usize {
        match self.below(30) {
            0 => 0,
            1 => usize::MAX - self.below(3),
            2 => limit + self.below(100),
            _ => self.below(limit.max(1)),
        }
    }

    /// A world; occasionally not the one of the other arguments.
    fn world<'b>(&mut self, usual: &'b World, worlds: &'b [World]) -> &'b World {
        if self.rarely(50) { &worlds[self.random.below(worlds.len())] } else { usual }
    }

    fn event_list(&mut self, world: &World, other: usize) -> Vec<Held<_cl_event>> {
        if self.rarely(2) {
            return Vec::new();
        }
        (0..self.below(4)).map(|_| world.events.any(&mut self.random, other)).collect()
    }

    fn create(&mut self, world: &World) {
        let worlds = self.worlds;
        let (world_of, mut code) = (self.world(world, worlds), 1);
        let context = if self.rarely(50) { null_mut() } else { world.context.get() };
        match self.below(9) {
            0 | 1 => code = self.create_buffer(world, context),
            2 => {
                let parent = world_of.mems.any(&mut self.random, context as usize);
                let region = cl_buffer_region {
                    origin: self.size(8).wrapping_mul(128),
                    size: self.size(1000).wrapping_add(SMALLEST),
                };
                let kind = if self.rarely(20) { 7 } else { CL_BUFFER_CREATE_TYPE_REGION };
                let info = if self.rarely(30) { null() } else { (&raw const region).cast() };
                let flags = [0, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, CL_MEM_ALLOC_HOST_PTR][self.below(4)];
                // SAFETY: a region, or NULL.
                let mem = unsafe { clCreateSubBuffer(parent.get(), flags, kind, info, &mut code) };
                world_of.mems.put(&mut self.random, mem);
            }
            3 => {
                let bits = [
                    0,
                    OUT_OF_ORDER,
                    CL_QUEUE_PROFILING_ENABLE,
                    OUT_OF_ORDER | CL_QUEUE_PROFILING_ENABLE,
                    1 << 33,
                ];
                let all = devices();
                let device = if self.rarely(20) { null_mut() } else { all[self.below(all.len())] };
                // SAFETY: handles that the call must check.
                let queue =
                    unsafe { clCreateCommandQueue(context, device, bits[self.random.below(5)], &mut code) };
                world.queues.put(&mut self.random, queue);
            }
            4 | 5 => {
                // SAFETY: as above.
                let gate = unsafe { clCreateUserEvent(context, &mut code) };
                if !gate.is_null() {
                    // SAFETY: a live handle; the reference goes to the list.
                    ok(unsafe { clRetainEvent(gate) });
                    GATES.lock().unwrap_or_else(PoisonError::into_inner).push(Any(gate));
                }
                world.events.put(&mut self.random, gate);
            }
            6 => {
                let program = world_of.programs.any(&mut self.random, context as usize);
                let name = if self.rarely(10) { c"nothing" } else { KERNELS[self.below(3)] };
                // SAFETY: a terminated string.
                let kernel = unsafe { clCreateKernel(program.get(), name.as_ptr(), &mut code) };
                world_of.kernels.put(&mut self.random, kernel);
            }
            7 => {
                let kernel = world_of.kernels.any(&mut self.random, context as usize);
                // SAFETY: as above.
                let copy = unsafe { clCloneKernel(kernel.get(), &mut code) };
                world_of.kernels.put(&mut self.random, copy);
            }
            _ if self.rarely(40) => code = self.create_program(world, context),
            _ => return,
        }
        self.note(code);
    }

    fn create_buffer(&mut self, world: &World, context: cl_context) -> cl_int {
        let mut code = 1;
        let size = self.size(100_000).wrapping_add(SMALLEST);
        let flags = [
            0,
            CL_MEM_READ_WRITE,
            CL_MEM_READ_ONLY,
            CL_MEM_WRITE_ONLY,
            CL_MEM_COPY_HOST_PTR,
            CL_MEM_USE_HOST_PTR,
            CL_MEM_ALLOC_HOST_PTR,
            CL_MEM_HOST_READ_ONLY,
            CL_MEM_HOST_NO_ACCESS,
            CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
            1 << 40,
        ][self.below(11)];
        let needs = flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR) != 0;
        let ptr = if needs != self.rarely(20) && size < 200_000 { self.arena.take(size) } else { null_mut() };
        // SAFETY: a pointer that is not NULL has as many bytes.
        let mem = unsafe { clCreateBuffer(context, flags, size, ptr, &mut code) };
        world.mems.put(&mut self.random, mem);
        if !mem.is_null() && self.rarely(2) {
            // Other threads may have released it already, except for the reference taken here.
            if let Some(mem) = world.mems.valid(&mut self.random) {
                // SAFETY: a live handle.
                ok(unsafe { clSetMemObjectDestructorCallback(mem.get(), Some(on_mem), null_mut()) });
                CALLBACKS_WANTED.fetch_add(1, Ordering::AcqRel);
            }
        }
        code
    }

    fn create_program(&mut self, world: &World, context: cl_context) -> cl_int {
        let mut code = 1;
        let text = if self.rarely(3) { "kernel void broken(" } else { SOURCE };
        let (mut string, length) = (text.as_ptr().cast::<c_char>(), text.len());
        // SAFETY: one string with its length; a program that no other thread has yet.
        unsafe {
            let program = clCreateProgramWithSource(context, 1, &mut string, &length, &mut code);
            if !program.is_null() {
                let built = clBuildProgram(program, 0, null(), null(), None, null_mut());
                self.note(built);
                world.programs.put(&mut self.random, program);
            }
        }
        code
    }

    fn set_args(&mut self, world: &World) {
        let worlds = self.worlds;
        let kernel = world.kernels.any(&mut self.random, world.context.get() as usize);
        let index = self.below(5) as cl_uint;
        let code = match self.below(4) {
            0 | 1 => {
                let world = self.world(world, worlds);
                let mem = world.mems.any(&mut self.random, kernel.get() as usize);
                let (handle, size) = (mem.get(), if self.rarely(20) { 4 } else { 8 });
                // SAFETY: a handle's size, or less.
                unsafe { clSetKernelArg(kernel.get(), index, size, (&raw const handle).cast()) }
            }
            2 => {
                let (number, size) = ([self.below(100); 2], [4usize, 16, 8, 0][self.below(4)]);
                // SAFETY: 16 bytes at most.
                unsafe {
                    clSetKernelArg(
                        kernel.get(),
                        if index < 2 { 2 } else { index },
                        size,
                        number.as_ptr().cast(),
                    )
                }
            }
            // SAFETY: local memory, or a value that is missing.
            _ => unsafe { clSetKernelArg(kernel.get(), index, [4, 64, 0, 8][self.random.below(4)], null()) },
        };
        self.note(code);
    }

    fn events(&mut self, world: &World) {
        let event = world.events.any(&mut self.random, world.context.get() as usize);
        // SAFETY: handles that calls must check.
        let code = unsafe {
            match self.random.below(4) {
                0 => {
                    let kind = [CL_SUBMITTED, CL_RUNNING, CL_COMPLETE, CL_QUEUED, 9][self.below(5)];
                    let code = clSetEventCallback(event.get(), kind, Some(on_event), null_mut());
                    if code == CL_SUCCESS {
                        CALLBACKS_WANTED.fetch_add(1, Ordering::AcqRel);
                    }
                    code
                }
                1 => clSetUserEventStatus(event.get(), [CL_COMPLETE, -1, -5000, 3][self.below(4)]),
                2 => {
                    let mut value = [0u8; 64];
                    let name = CL_EVENT_COMMAND_QUEUE + self.below(6) as cl_uint;
                    clGetEventInfo(event.get(), name, self.below(20), value.as_mut_ptr().cast(), null_mut())
                }
                _ => {
                    let mut value = [0u8; 64];
                    let name = CL_PROFILING_COMMAND_QUEUED + self.below(6) as cl_uint;
                    clGetEventProfilingInfo(event.get(), name, 8, value.as_mut_ptr().cast(), null_mut())
                }
            }
        };
        self.note(code);
    }

    fn synchronise(&mut self, world: &World) {
        let junk = world.context.get() as usize;
        let code = match self.below(6) {
            0 => {
                let events = self.event_list(world, junk);
                let list: Vec<cl_event> = events.iter().map(Held::get).collect();
                // SAFETY: as many handles as are said.
                unsafe {
                    clWaitForEvents(list.len() as u32, if list.is_empty() { null() } else { list.as_ptr() })
                }
            }
            // SAFETY: handles that calls must check.
            1 => unsafe { clFinish(world.queues.any(&mut self.random, junk).get()) },
            // SAFETY: as above.
            _ => unsafe { clFlush(world.queues.any(&mut self.random, junk).get()) },
        };
        self.note(code);
    }

    fn query(&mut self, world: &World) {
        let junk = world.context.get() as usize;
        let mut value = [0u64; 512];
        let (value, size): (*mut c_void, usize) = (value.as_mut_ptr().cast(), self.size(4096).min(4096));
        let value = if self.rarely(10) { null_mut() } else { value };
        let (mut size_ret, near) = (0, self.below(24) as cl_uint);
        // SAFETY: room for `size` bytes; handles that calls must check.
        let code = unsafe {
            match self.random.below(7) {
                0 => clGetMemObjectInfo(
                    world.mems.any(&mut self.random, junk).get(),
                    CL_MEM_TYPE + near,
                    size,
                    value,
                    &mut size_ret,
                ),
                1 => clGetCommandQueueInfo(
                    world.queues.any(&mut self.random, junk).get(),
                    CL_QUEUE_CONTEXT + near,
                    size,
                    value,
                    &mut size_ret,
                ),
                2 => clGetKernelInfo(
                    world.kernels.any(&mut self.random, junk).get(),
                    CL_KERNEL_FUNCTION_NAME + near,
                    size,
                    value,
                    &mut size_ret,
                ),
                3 => {
                    let (kernel, name) =
                        (world.kernels.any(&mut self.random, junk), CL_KERNEL_WORK_GROUP_SIZE + near);
                    clGetKernelWorkGroupInfo(kernel.get(), null_mut(), name, size, value, &mut size_ret)
                }
                4 => {
                    let name = CL_DEVICE_TYPE + 8 * near + self.below(8) as cl_uint;
                    clGetDeviceInfo(device(), name, size, value, &mut size_ret)
                }
                5 => clGetContextInfo(
                    world.context.get(),
                    CL_CONTEXT_REFERENCE_COUNT + near,
                    size,
                    value,
                    &mut size_ret,
                ),
                _ => {
                    let program = world.programs.any(&mut self.random, junk);
                    let name = CL_PROGRAM_REFERENCE_COUNT + near;
                    // CL_PROGRAM_BINARIES expects a list of valid pointers.
                    if name == CL_PROGRAM_BINARIES {
                        return;
                    }
                    clGetProgramInfo(program.get(), name, size, value, &mut size_ret)
                }
            }
        };
        self.note(code);
    }

    fn step(&mut self) {
        let worlds = self.worlds;
        let world = &worlds[self.below(worlds.len())];
        match self.below(26) {
            0..=3 => self.create(world),
            4 | 5 => self.set_args(world),
            6..=13 => self.enqueue(world),
            14 | 15 => self.events(world),
            16 => self.synchronise(world),
            17..=19 => self.query(world),
            _ => self.more(world),
        }
    }
}

fn world(devices: &[cl_device_id]) -> World {
    let mut code = 1;
    // SAFETY: as many devices as are said.
    let context = unsafe {
        clCreateContext(null(), devices.len() as u32, devices.as_ptr(), None, null_mut(), &mut code)
    };
    ok(code);
    // SAFETY: a live handle.
    ok(unsafe { clSetContextDestructorCallback(context, Some(on_context), null_mut()) });
    let world = World {
        context: Any(context),
        queues: Pool::new(6),
        mems: Pool::new(24),
        programs: Pool::new(2),
        kernels: Pool::new(8),
        events: Pool::new(40),
        buffers: Pool::new(6),
    };
    let mut random = Random(1);
    world.programs.put(&mut random, build(context, devices[0], SOURCE));
    world
}

/// Sets the user events, oldest first, until `stop`.
fn open_gates(stop: &AtomicBool) {
    let mut random = Random(9);
    loop {
        let last = stop.load(Ordering::Acquire);
        let gates = std::mem::take(&mut *GATES.lock().unwrap_or_else(PoisonError::into_inner));
        let done = gates.is_empty();
        for gate in gates {
            let status = if random.below(8) == 0 { -77 } else { CL_COMPLETE };
            // SAFETY: a live handle; another thread may have set it.
            let code = unsafe { clSetUserEventStatus(gate.get(), status) };
            assert!(code == CL_SUCCESS || code == CL_INVALID_OPERATION, "{code}");
            gate.get().release();
        }
        if last && done {
            return;
        }
        std::thread::sleep(Duration::from_millis(3));
    }
}

#[test]
fn eight_threads_call_at_random() {
    without_loader();
    // Unordered commands of out-of-order queues touch the same bytes: a data race of the application.
    validation::allow("SYNC-HAZARD");
    let seconds: f64 = std::env::var("PYROCLAST_STRESS").ok().and_then(|s| s.parse().ok()).unwrap_or(4.0);
    let seed = std::process::id();
    eprintln!("seed {seed}, {seconds} seconds");
    let all = devices();
    let worlds: Vec<World> = (0..CONTEXTS).map(|i| world(if i == 0 { &all } else { &all[..1] })).collect();
    let (stop, steps) = (AtomicBool::new(false), AtomicUsize::new(0));
    // The thread below ends, however this function returns.
    struct Stop<'a>(&'a AtomicBool);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }
    let mut codes = std::collections::BTreeMap::<cl_int, usize>::new();
    std::thread::scope(|scope| {
        let stopping = Stop(&stop);
        let gates = scope.spawn(|| open_gates(&stop));
        let end = Instant::now() + Duration::from_secs_f64(seconds);
        let threads: Vec<_> = (0..THREADS)
            .map(|t| {
                let (worlds, steps) = (&worlds, &steps);
                scope.spawn(move || {
                    let random = Random(u64::from(seed) << 8 | t);
                    let mut actor = Actor { worlds, random, arena: Arena::new(), codes: Default::default() };
                    while Instant::now() < end || steps.load(Ordering::Relaxed) < ENOUGH {
                        (0..50).for_each(|_| actor.step());
                        steps.fetch_add(50, Ordering::Relaxed);
                    }
                    actor.codes
                })
            })
            .collect();
        // Every step ends: the threads stop soon after the time limit.
        let started = Instant::now();
        while !threads.iter().all(|t| t.is_finished()) {
            if started.elapsed() > Duration::from_secs_f64(seconds) + 4 * PATIENCE {
                eprintln!("a call does not return");
                std::process::abort();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        for thread in threads {
            for (code, count) in thread.join().unwrap() {
                *codes.entry(code).or_default() += count;
            }
        }
        drop(stopping);
        gates.join().unwrap();
    });
    eprintln!("{} steps; answers {codes:?}", steps.load(Ordering::Relaxed));
    assert!(codes.get(&CL_SUCCESS).is_some_and(|n| *n > 100) && codes.len() > 15, "{codes:?}");
    for world in &worlds {
        for at in 0..world.queues.0.len() {
            if let Some(queue) = &*world.queues.slot(at) {
                finish(queue.get());
            }
        }
        for at in 0..world.events.0.len() {
            if let Some(event) = &*world.events.slot(at) {
                let event = event.get();
                assert!(eventually(|| status(event) <= CL_COMPLETE), "an event is not done");
            }
        }
        world.buffers.clear();
        world.events.clear();
        world.kernels.clear();
        world.programs.clear();
        world.mems.clear();
        world.queues.clear();
        world.context.get().release();
    }
    assert!(eventually(|| CONTEXTS_GONE.load(Ordering::Acquire) == CONTEXTS), "a context has not ended");
    let (wanted, seen) = (CALLBACKS_WANTED.load(Ordering::Acquire), CALLBACKS_SEEN.load(Ordering::Acquire));
    assert_eq!(wanted, seen, "callbacks wanted and seen");
}
