//! Sequences of API calls drawn from the input, on the CPU device: valid, stale and invalid handles, odd
//! sizes and flags, by one thread or two that share all objects. No call may panic, hang or return a code
//! that OpenCL does not define. When everything is released, the input's context is destroyed.
//!
//! The calls keep the rules that the specification leaves to the application: host memory is as large as
//! calls say, kernels stay within their buffers, every user event is set before a wait, and each reference is
//! released once.

#![no_main]

#[path = "api/commands.rs"]
mod commands;

use libfuzzer_sys::fuzz_target;
use pyroclast::api::platform::platform_handle;
use pyroclast::dispatch::DISPATCH as CL;
use pyroclast_runtime::cl::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

const SOURCE: &str = "
kernel void touch(global uchar *p, global uchar *q) { if (p) p[0] += 1; if (p && q) p[0] += q[0]; }
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eights(global uchar *p, local uchar *l, uint n) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (p && n) p[0] = n;
}
kernel void plain(uint4 value, read_only image2d_t image, sampler_t sampler) { }
";
/// Host memory of the input's calls; all accesses stay within it.
const ARENA: usize = 4 << 20;
/// Kinds of objects, as indices of their pools.
const KINDS: usize = 7;
const QUEUE: usize = 0;
const MEM: usize = 1;
const EVENT: usize = 2;
const KERNEL: usize = 3;
const PROGRAM: usize = 4;
const SAMPLER: usize = 5;
const CONTEXT: usize = 6;

/// Flags of buffers and images, not all of them valid.
const FLAGS: [cl_mem_flags; 14] = [
    0,
    CL_MEM_READ_WRITE,
    CL_MEM_READ_ONLY,
    CL_MEM_WRITE_ONLY,
    CL_MEM_COPY_HOST_PTR,
    CL_MEM_USE_HOST_PTR,
    CL_MEM_ALLOC_HOST_PTR,
    CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR,
    CL_MEM_HOST_READ_ONLY,
    CL_MEM_HOST_WRITE_ONLY,
    CL_MEM_HOST_NO_ACCESS,
    CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
    CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
    1 << 40,
];

/// State shared by all inputs: the device, a context with a built program, and memory.
struct Shared {
    device: usize,
    context: usize,
    program: usize,
    arena: usize,
}

fn shared() -> &'static Shared {
    static SHARED: OnceLock<Shared> = OnceLock::new();
    SHARED.get_or_init(|| {
        let (mut device, mut code) = (null_mut(), 1);
        // SAFETY: no other thread reads the environment yet; handles and strings are live.
        unsafe {
            std::env::set_var("PYROCLAST_DEVICES", "cpu");
            assert_eq!(
                (CL.clGetDeviceIDs)(platform_handle(), CL_DEVICE_TYPE_ALL, 1, &mut device, null_mut()),
                CL_SUCCESS
            );
            let context = (CL.clCreateContext)(null(), 1, &device, None, null_mut(), &mut code);
            let (mut text, length) = (SOURCE.as_ptr().cast(), SOURCE.len());
            let program = (CL.clCreateProgramWithSource)(context, 1, &mut text, &length, &mut code);
            assert_eq!((CL.clBuildProgram)(program, 0, null(), null(), None, null_mut()), CL_SUCCESS);
            let arena = vec![0u8; ARENA].leak().as_mut_ptr() as usize;
            Shared { device: device as usize, context: context as usize, program: program as usize, arena }
        }
    })
}

static GONE: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn on_gone(_: cl_context, _: *mut c_void) {
    GONE.fetch_add(1, Ordering::AcqRel);
}
unsafe extern "C" fn on_event(_: cl_event, _: cl_int, _: *mut c_void) {}
unsafe extern "C" fn on_mem(_: cl_mem, _: *mut c_void) {}

/// Stale handles of earlier inputs: those of the last input, and those of the one before it, which nothing in
/// the driver still references.
static STALE: Mutex<[[Vec<usize>; KINDS]; 2]> = Mutex::new([const { [const { Vec::new() }; KINDS] }; 2]);

/// Objects of one input, each with a reference.
#[derive(Default)]
struct World {
    live: [Mutex<Vec<usize>>; KINDS],
    /// Released handles.
    released: [Mutex<Vec<usize>>; KINDS],
    stale: [Vec<usize>; KINDS],
    /// User events that are not set, each with an additional reference.
    gates: Mutex<Vec<usize>>,
    /// Shared memory of the input's own context.
    svm: Mutex<Vec<usize>>,
    context: usize,
    is_shared: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

unsafe fn release(kind: usize, handle: usize) -> cl_int {
    // SAFETY: the caller's reference; the functions check handles.
    unsafe {
        match kind {
            QUEUE => (CL.clReleaseCommandQueue)(handle as _),
            MEM => (CL.clReleaseMemObject)(handle as _),
            EVENT => (CL.clReleaseEvent)(handle as _),
            KERNEL => (CL.clReleaseKernel)(handle as _),
            PROGRAM => (CL.clReleaseProgram)(handle as _),
            SAMPLER => (CL.clReleaseSampler)(handle as _),
            _ => (CL.clReleaseContext)(handle as _),
        }
    }
}

unsafe fn retain(kind: usize, handle: usize) -> cl_int {
    // SAFETY: the functions check handles.
    unsafe {
        match kind {
            QUEUE => (CL.clRetainCommandQueue)(handle as _),
            MEM => (CL.clRetainMemObject)(handle as _),
            EVENT => (CL.clRetainEvent)(handle as _),
            KERNEL => (CL.clRetainKernel)(handle as _),
            PROGRAM => (CL.clRetainProgram)(handle as _),
            SAMPLER => (CL.clRetainSampler)(handle as _),
            _ => (CL.clRetainContext)(handle as _),
        }
    }
}

impl World {
    /// Replaces an object of the pool by a new one.
    fn add<T>(&self, kind: usize, handle: *mut T) {
        if !handle.is_null() {
            lock(&self.live[kind]).push(handle as usize);
        }
    }

    /// Sets all user events, so that no command waits for the application any more.
    fn open_gates(&self) {
        for gate in std::mem::take(&mut *lock(&self.gates)) {
            // SAFETY: a live event with a reference of ours.
            unsafe {
                (CL.clSetUserEventStatus)(gate as _, CL_COMPLETE);
                (CL.clReleaseEvent)(gate as _);
            }
        }
    }
}

/// One thread's part of the input.
struct Actor<'a> {
    bytes: std::slice::Iter<'a, u8>,
    world: &'a World,
    /// References of this thread to the objects that its call uses: another thread may release them
    /// meanwhile.
    held: Vec<(usize, usize)>,
}

impl<'a> Actor<'a> {
    fn byte(&mut self) -> usize {
        self.bytes.next().copied().unwrap_or(0) as usize
    }
    fn below(&mut self, n: usize) -> usize {
        self.byte() % n
    }
    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// A size or offset; some are near limits, some beyond all of them.
    fn size(&mut self) -> usize {
        match self.byte() {
            b @ 0..128 => b,
            b @ 128..240 => (b - 128) * 37,
            240..244 => usize::MAX,
            244..248 => usize::MAX - self.byte(),
            248..252 => 1 << (self.byte() % 64),
            _ => 4096,
        }
    }

    /// A handle of the kind: usually live, otherwise stale, of another kind, or NULL.
    fn any<T>(&mut self, kind: usize) -> *mut T {
        let (choice, at) = (self.byte(), self.byte());
        let mut live = |kind: usize| {
            let list = lock(&self.world.live[kind]);
            let handle = list.get(at % list.len().max(1)).copied().unwrap_or(0);
            // SAFETY: the list has a reference.
            if handle != 0 && unsafe { retain(kind, handle) } == CL_SUCCESS {
                self.held.push((kind, handle));
            }
            handle
        };
        let stale = &self.world.stale[kind];
        let handle = match choice {
            0 => 0,
            1 => [1, 8, 0x7fff_ffff_0001, usize::MAX - 63, 1 << 46][at % 5],
            2..8 => live(at % KINDS),
            8..24 => stale.get(at % stale.len().max(1)).copied().unwrap_or(0),
            24..80 if kind == CONTEXT => shared().context,
            24..80 if kind == PROGRAM => shared().program,
            _ => live(kind),
        };
        handle as *mut T
    }

    fn device(&mut self) -> cl_device_id {
        (if self.below(16) == 1 { self.below(3) } else { shared().device }) as cl_device_id
    }

    fn host(&mut self) -> *mut c_void {
        if self.below(32) == 1 { null_mut() } else { (shared().arena + self.byte() * 64) as *mut c_void }
    }

    fn waits(&mut self) -> (cl_uint, Vec<cl_event>) {
        let list: Vec<cl_event> = (0..self.below(8).saturating_sub(4)).map(|_| self.any(EVENT)).collect();
        // Occasionally a count without a list.
        let count = if self.below(64) == 1 && list.is_empty() { 2 } else { list.len() };
        (count as cl_uint, list)
    }

    /// Makes blocking calls rare, and safe.
    fn blocking(&mut self) -> cl_bool {
        let blocking = self.below(4) == 1;
        if blocking {
            self.world.open_gates();
        }
        cl_bool::from(blocking)
    }

    fn note(&self, code: cl_int) {
        let known = code == CL_SUCCESS || (-72..=-1).contains(&code) || (-1150..=-1000).contains(&code);
        assert!(known, "{code} is not an error of OpenCL");
    }

    fn create(&mut self) {
        let (world, mut code) = (self.world, 1);
        let context: cl_context = self.any(CONTEXT);
        // SAFETY: handles are checked by the functions; memory and lists are as large as said.
        unsafe {
            match self.below(9) {
                0 => {
                    let (flags, size) = (self.of(&FLAGS), self.size());
                    let takes = flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR) != 0;
                    let host = if takes && size <= ARENA / 2 { self.host() } else { null_mut() };
                    world.add(MEM, (CL.clCreateBuffer)(context, flags, size.min(1 << 40), host, &mut code));
                }
                1 => {
                    let region = cl_buffer_region { origin: self.size(), size: self.size() };
                    let kind = if self.below(16) == 1 { 7 } else { CL_BUFFER_CREATE_TYPE_REGION };
                    let (parent, flags) = (self.any(MEM), self.of(&FLAGS));
                    world.add(
                        MEM,
                        (CL.clCreateSubBuffer)(parent, flags, kind, (&raw const region).cast(), &mut code),
                    );
                }
                2 => {
                    let bits = [0, 1, 2, 3, 1 << 33][self.below(5)];
                    let device = self.device();
                    world.add(QUEUE, (CL.clCreateCommandQueue)(context, device, bits, &mut code));
                }
                3 => {
                    let list = [
                        CL_QUEUE_PROPERTIES as u64,
                        self.below(8) as u64,
                        self.size() as u64,
                        self.byte() as u64,
                        0,
                        0,
                    ];
                    let device = self.device();
                    let list = list[self.below(3)..].as_ptr();
                    world.add(
                        QUEUE,
                        (CL.clCreateCommandQueueWithProperties)(context, device, list, &mut code),
                    );
                }
                4 => {
                    let gate = (CL.clCreateUserEvent)(context, &mut code);
                    if !gate.is_null() {
                        self.note((CL.clRetainEvent)(gate));
                        lock(&world.gates).push(gate as usize);
                        world.add(EVENT, gate);
                    }
                }
                5 => {
                    let name = self.of(&[c"touch", c"eights", c"plain", c"nothing", c""]);
                    let program = self.any(PROGRAM);
                    world.add(KERNEL, (CL.clCreateKernel)(program, name.as_ptr(), &mut code));
                }
                6 => {
                    let kernel = self.any(KERNEL);
                    world.add(KERNEL, (CL.clCloneKernel)(kernel, &mut code));
                }
                7 => {
                    let (addressing, filter) =
                        (CL_ADDRESS_NONE + self.below(6) as u32, CL_FILTER_NEAREST + self.below(3) as u32);
                    let normalized = self.below(3) as cl_bool;
                    world.add(
                        SAMPLER,
                        (CL.clCreateSampler)(context, normalized, addressing, filter, &mut code),
                    );
                }
                _ => self.create_image(context, &mut code),
            }
        }
        self.note(code);
    }

    /// An image of any size, perhaps of another object.
    fn create_image(&mut self, context: cl_context, code: *mut cl_int) {
        // SAFETY: as in `create`.
        unsafe {
            let format = cl_image_format {
                image_channel_order: CL_R + self.below(16) as u32,
                image_channel_data_type: CL_SNORM_INT8 + self.below(18) as u32,
            };
            let mut desc: cl_image_desc = std::mem::zeroed();
            desc.image_type = CL_MEM_OBJECT_BUFFER + self.below(9) as u32;
            (desc.image_width, desc.image_height, desc.image_depth) =
                (self.below(40), self.below(24), self.below(9));
            if self.below(8) == 1 {
                desc.image_width = self.size();
            }
            (desc.image_array_size, desc.image_row_pitch) = (self.below(5), self.below(3) * 64);
            (desc.num_mip_levels, desc.num_samples) =
                (self.below(9) as u32 / 7 * 3, self.below(20) as u32 / 19);
            if self.below(4) == 1 {
                desc.mem_object = self.any(MEM);
            }
            let flags = self.of(&FLAGS);
            let takes = flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR) != 0 && desc.image_width <= 40;
            let host = if takes { self.host() } else { null_mut() };
            // A nonzero pitch bounds the bytes that are read.
            self.world.add(MEM, (CL.clCreateImage)(context, flags, &format, &desc, host, code));
        }
    }

    fn set_argument(&mut self) {
        let (kernel, index) = (self.any(KERNEL), self.below(5) as cl_uint);
        // SAFETY: as in `create`.
        let code = unsafe {
            match self.below(5) {
                0 | 1 => {
                    let kind = self.of(&[MEM, MEM, SAMPLER, QUEUE]);
                    let (handle, size): (*mut c_void, _) =
                        (self.any(kind), if self.below(16) == 1 { 4 } else { 8 });
                    (CL.clSetKernelArg)(kernel, index, size, (&raw const handle).cast())
                }
                2 => {
                    let (words, size) = ([self.byte() as u64; 2], self.of(&[4usize, 16, 8, 0]));
                    (CL.clSetKernelArg)(kernel, index, size, words.as_ptr().cast())
                }
                3 => {
                    let size = self.size();
                    (CL.clSetKernelArg)(kernel, index, size, null())
                }
                _ => {
                    let pointer = lock(&self.world.svm).first().copied().unwrap_or(0);
                    (CL.clSetKernelArgSVMPointer)(kernel, index, pointer as *const c_void)
                }
            }
        };
        self.note(code);
    }

    fn information(&mut self) {
        let (name, size) = (self.byte() as u32, self.of(&[0usize, 1, 4, 8, 256, 4096]));
        let to = if self.below(4) == 1 { null_mut() } else { (shared().arena + ARENA - 4096) as *mut c_void };
        let mut needed = 0;
        let needed: *mut usize = if self.below(4) == 1 { null_mut() } else { &mut needed };
        let device = self.device();
        // SAFETY: as in `create`.
        let code = unsafe {
            match self.below(12) {
                0 => (CL.clGetDeviceInfo)(device, 0x1000 + name % 0x90, size, to, needed),
                1 => (CL.clGetContextInfo)(self.any(CONTEXT), 0x1080 + name % 8, size, to, needed),
                2 => (CL.clGetCommandQueueInfo)(self.any(QUEUE), 0x1090 + name % 12, size, to, needed),
                3 => (CL.clGetMemObjectInfo)(self.any(MEM), 0x1100 + name % 16, size, to, needed),
                4 => (CL.clGetImageInfo)(self.any(MEM), 0x1110 + name % 16, size, to, needed),
                5 => (CL.clGetSamplerInfo)(self.any(SAMPLER), 0x1150 + name % 12, size, to, needed),
                6 => (CL.clGetProgramInfo)(
                    self.any(PROGRAM),
                    [0x1160 + name % 5, 0x1165, 0x1167, 0x1168, 0x1169][name as usize % 5],
                    size,
                    to,
                    needed,
                ),
                7 => {
                    (CL.clGetProgramBuildInfo)(self.any(PROGRAM), device, 0x1181 + name % 6, size, to, needed)
                }
                8 => (CL.clGetKernelInfo)(self.any(KERNEL), 0x1190 + name % 8, size, to, needed),
                9 => (CL.clGetKernelArgInfo)(self.any(KERNEL), name % 5, 0x1196 + name % 7, size, to, needed),
                10 => (CL.clGetKernelWorkGroupInfo)(
                    self.any(KERNEL),
                    device,
                    0x11b0 + name % 8,
                    size,
                    to,
                    needed,
                ),
                _ if name % 2 == 0 => {
                    (CL.clGetEventInfo)(self.any(EVENT), 0x11d0 + name % 8, size, to, needed)
                }
                _ => (CL.clGetEventProfilingInfo)(self.any(EVENT), 0x1280 + name % 8, size, to, needed),
            }
        };
        self.note(code);
    }

    /// Shared virtual memory; only in a single thread, since no thread may use memory that another frees.
    fn shared_memory(&mut self) {
        let (world, queue) = (self.world, self.any(QUEUE));
        let (count, list) = self.waits();
        let waits = if list.is_empty() { null() } else { list.as_ptr() };
        // SAFETY: as in `create`; memory is freed when no command is left.
        let code = unsafe {
            let pointer = lock(&world.svm).last().copied().unwrap_or(0) as *mut u8;
            match self.below(5) {
                0 => {
                    let (size, alignment) = (self.below(255) * 16, self.of(&[0, 4, 64, 3, 1 << 20]));
                    let (context, flags) = (
                        self.any(CONTEXT),
                        self.of(&[0, CL_MEM_SVM_FINE_GRAIN_BUFFER, CL_MEM_SVM_ATOMICS, 1 << 40]),
                    );
                    let made = (CL.clSVMAlloc)(context, flags, size, alignment);
                    if !made.is_null() && size >= 1024 && context as usize == world.context {
                        lock(&world.svm).push(made as usize);
                    } else if !made.is_null() {
                        (CL.clSVMFree)(context, made);
                    }
                    CL_SUCCESS
                }
                _ if pointer.is_null() => CL_SUCCESS,
                1 => {
                    let (pattern, size) = ([3u8; 16], self.below(60) * 16);
                    (CL.clEnqueueSVMMemFill)(
                        queue,
                        pointer.cast(),
                        pattern.as_ptr().cast(),
                        16,
                        size,
                        count,
                        waits,
                        null_mut(),
                    )
                }
                2 => {
                    let (size, blocking) = (self.below(255) * 4, self.blocking());
                    let from = self.host();
                    (CL.clEnqueueSVMMemcpy)(
                        queue,
                        blocking,
                        pointer.cast(),
                        from,
                        size,
                        count,
                        waits,
                        null_mut(),
                    )
                }
                3 => {
                    let (size, blocking) = (self.below(255) * 4, self.blocking());
                    let flags = self.of(&[CL_MAP_READ, CL_MAP_WRITE, 1 << 20]);
                    self.note((CL.clEnqueueSVMMap)(
                        queue,
                        blocking,
                        flags,
                        pointer.cast(),
                        size,
                        count,
                        waits,
                        null_mut(),
                    ));
                    (CL.clEnqueueSVMUnmap)(queue, pointer.cast(), 0, null(), null_mut())
                }
                _ => (CL.clSetKernelArgSVMPointer)(self.any(KERNEL), 0, pointer.cast()),
            }
        };
        self.note(code);
    }

    /// Releases an object of any kind.
    fn release_any(&mut self) -> cl_int {
        // SAFETY: as in `create`.
        unsafe {
            let (kind, at) = (self.below(KINDS), self.byte());
            let handle = {
                let mut live = lock(&self.world.live[kind]);
                let at = at % live.len().max(1);
                if at < live.len() { live.swap_remove(at) } else { 0 }
            };
            // Shared memory outlives the commands that use it; commands of a released queue cannot be
            // waited for.
            if kind == QUEUE && !lock(&self.world.svm).is_empty() {
                self.world.open_gates();
                (CL.clFinish)(handle as _);
            }
            let code = release(kind, handle);
            lock(&self.world.released[kind]).push(handle);
            code
        }
    }

    /// A program of random bytes.
    fn create_program(&mut self, code: *mut cl_int) {
        // SAFETY: as in `create`.
        unsafe {
            let mut bytes: Vec<u8> = (0..self.byte()).map(|_| self.byte() as u8).collect();
            let (context, length, device, mut status) = (self.any(CONTEXT), bytes.len(), self.device(), 0);
            // A source of length 0 ends at a zero.
            bytes.push(0);
            let mut list = bytes.as_ptr();
            let program = match self.below(3) {
                0 => {
                    (CL.clCreateProgramWithBinary)(context, 1, &device, &length, &mut list, &mut status, code)
                }
                1 => (CL.clCreateProgramWithIL)(context, bytes.as_ptr().cast(), length, code),
                _ => (CL.clCreateProgramWithSource)(context, 1, (&raw mut list).cast(), &length, code),
            };
            self.world.add(PROGRAM, program);
        }
    }

    fn rest(&mut self) {
        let (world, mut code) = (self.world, CL_SUCCESS);
        // SAFETY: as in `create`.
        unsafe {
            match self.below(9) {
                0 | 1 => code = self.release_any(),
                2 => {
                    let kind = self.below(KINDS);
                    let handle: *mut c_void = self.any(kind);
                    // A handle of the shared objects would leak references.
                    let is_ours = lock(&world.live[kind]).contains(&(handle as usize));
                    if is_ours && retain(kind, handle as usize) == CL_SUCCESS {
                        world.add(kind, handle);
                    }
                }
                3 => {
                    let (event, status) =
                        (self.any(EVENT), self.of(&[CL_COMPLETE, -1, -500, CL_RUNNING, 7, CL_SUBMITTED]));
                    code = (CL.clSetUserEventStatus)(event, status);
                }
                4 => {
                    let (event, moment) = (
                        self.any(EVENT),
                        self.of(&[CL_COMPLETE, CL_RUNNING, CL_SUBMITTED, CL_QUEUED, -3, 9]),
                    );
                    let call = if self.below(16) == 1 { None } else { Some(on_event as _) };
                    code = (CL.clSetEventCallback)(event, moment, call, null_mut());
                }
                5 => {
                    let mem = self.any(MEM);
                    code = (CL.clSetMemObjectDestructorCallback)(mem, Some(on_mem), null_mut());
                }
                6 => self.create_program(&mut code),
                7 => {
                    let list = [
                        self.of(&[CL_CONTEXT_PLATFORM as isize, 5, 0]),
                        self.of(&[platform_handle() as isize, 0, 9]),
                        0,
                    ];
                    let device = self.device();
                    let made = (CL.clCreateContext)(
                        list.as_ptr(),
                        self.below(3) as u32 / 2 + 1,
                        [device; 2].as_ptr(),
                        None,
                        null_mut(),
                        &mut code,
                    );
                    world.add(CONTEXT, made);
                }
                _ => {
                    let list = [
                        self.of(&[
                            CL_DEVICE_PARTITION_EQUALLY as isize,
                            CL_DEVICE_PARTITION_BY_COUNTS as isize,
                            77,
                        ]),
                        self.below(3) as isize,
                        0,
                        0,
                    ];
                    let (mut devices, mut count) = ([null_mut(); 4], 0);
                    let device = self.device();
                    code =
                        (CL.clCreateSubDevices)(device, list.as_ptr(), 4, devices.as_mut_ptr(), &mut count);
                    if code == CL_SUCCESS {
                        devices[..(count as usize).min(4)]
                            .iter()
                            .for_each(|d| self.note((CL.clReleaseDevice)(*d)));
                    }
                }
            }
        }
        self.note(code);
    }

    fn run(mut self) {
        for _ in 0..200 {
            if self.bytes.as_slice().is_empty() {
                break;
            }
            match self.below(10) {
                0..3 => self.create(),
                3..6 => self.enqueue(),
                6 => self.set_argument(),
                7 => self.information(),
                8 if !self.world.is_shared => self.shared_memory(),
                _ => self.rest(),
            }
            for (kind, handle) in self.held.drain(..) {
                // SAFETY: the reference that `any` took.
                assert_eq!(unsafe { release(kind, handle) }, CL_SUCCESS);
            }
        }
        // The other thread may wait for events of this one.
        self.world.open_gates();
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((first, data)) = data.split_first() else { return };
    let (device, mut code) = (shared().device as cl_device_id, 1);
    let before = GONE.load(Ordering::Acquire);
    // SAFETY: a live device; the callback only counts.
    let context = unsafe { (CL.clCreateContext)(null(), 1, &device, None, null_mut(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    let world = World {
        context: context as usize,
        is_shared: first & 1 == 1,
        stale: lock(&STALE)[1].clone(),
        ..World::default()
    };
    // SAFETY: a live context, and a reference that stays here.
    unsafe {
        assert_eq!((CL.clSetContextDestructorCallback)(context, Some(on_gone), null_mut()), CL_SUCCESS);
        assert_eq!((CL.clRetainContext)(context), CL_SUCCESS);
    }
    world.add(CONTEXT, context);
    if world.is_shared {
        let (left, right) = data.split_at(data.len() / 2);
        std::thread::scope(|scope| {
            for bytes in [left, right] {
                let world = &world;
                scope.spawn(move || Actor { bytes: bytes.iter(), world, held: Vec::new() }.run());
            }
        });
    } else {
        Actor { bytes: data.iter(), world: &world, held: Vec::new() }.run();
    }
    world.open_gates();
    // SAFETY: every handle has a reference; nothing uses shared memory once the queues are done.
    unsafe {
        for queue in lock(&world.live[QUEUE]).iter() {
            // A command may have failed; the host cannot finish queues on the device.
            let code = (CL.clFinish)(*queue as _);
            let expected = [CL_SUCCESS, CL_INVALID_COMMAND_QUEUE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY];
            assert!(expected.contains(&code), "{code}");
        }
        for event in lock(&world.live[EVENT]).iter() {
            (CL.clWaitForEvents)(1, &(*event as cl_event));
        }
        for kind in 0..KINDS {
            let list = std::mem::take(&mut *lock(&world.live[kind]));
            list.iter().for_each(|handle| assert_eq!(release(kind, *handle), CL_SUCCESS, "kind {kind}"));
            lock(&world.released[kind]).extend(list);
        }
        for pointer in std::mem::take(&mut *lock(&world.svm)) {
            (CL.clSVMFree)(context, pointer as *mut c_void);
        }
        assert_eq!((CL.clReleaseContext)(context), CL_SUCCESS);
    }
    let start = Instant::now();
    while GONE.load(Ordering::Acquire) == before {
        assert!(start.elapsed() < Duration::from_secs(20), "the context is still there");
        std::thread::sleep(Duration::from_micros(100));
    }
    let mut stale = lock(&STALE);
    stale.swap(0, 1);
    stale[0] = world.released.map(|list| list.into_inner().unwrap_or_else(PoisonError::into_inner));
    // Slots of handles are reused after a while.
    stale[0].iter_mut().for_each(|list| list.truncate(64));
});
