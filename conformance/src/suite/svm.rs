//! Shared virtual memory (API specification, section 5.6): structures with pointers, commands on pointers,
//! and atomics, in each kind of memory that the device reports.

use super::raw::*;
use super::{Context, Outcome, Sink, expect};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use test_support::cl::Session;

const SOURCE: &str = "
typedef struct Node { global struct Node *next; ulong value; } Node;
kernel void walk(global Node *head, global ulong *out) {
    ulong sum = 0, count = 0;
    for (global Node *n = head; n; n = n->next) {
        sum += n->value;
        count++;
    }
    out[0] = sum;
    out[1] = count;
}
kernel void extend(global Node *tail, global Node *pool, uint count) {
    for (uint i = 0; i < count; i++) {
        pool[i].value = 1000 + i;
        pool[i].next = 0;
        tail->next = &pool[i];
        tail = &pool[i];
    }
}
kernel void scale(global uint *p, uint factor) {
    size_t i = get_global_id(0);
    p[i] = p[i] * factor + (uint)i;
}
kernel void before(global uint *p) { p[-1] += p[0]; }
typedef struct { global uint *p; } Cell;
kernel void follow(global Cell *cells, uint amount) {
    size_t i = get_global_id(0);
    global uint *p = cells[i].p;
    for (uint at = 0; at < 64; at++) p[at] += amount + i;
}
kernel void compare(global uint *a, global uint *b, global uint *out) {
    out[0] = a == b;
    out[1] = a < b;
    out[2] = (uint)(b - a);
    out[3] = (a == 0) + 2 * (b != 0);
}
";
/// Needs OpenCL C 3.0.
const ATOMICS: &str = "
kernel void count(global uint *p) {
    atomic_fetch_add_explicit((volatile global atomic_uint *)p, 1, memory_order_relaxed, memory_scope_all_svm_devices);
}
";

/// A kind of shared memory.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Coarse,
    Fine,
    System,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Coarse, Kind::Fine, Kind::System];

    /// The memory's bit of CL_DEVICE_SVM_CAPABILITIES.
    fn capability(self) -> u64 {
        match self {
            Kind::Coarse => CL_DEVICE_SVM_COARSE_GRAIN_BUFFER,
            Kind::Fine => CL_DEVICE_SVM_FINE_GRAIN_BUFFER,
            Kind::System => CL_DEVICE_SVM_FINE_GRAIN_SYSTEM,
        }
    }
}

/// Memory that host and device share, of plain data.
struct Shared<'a, T> {
    rig: &'a Rig,
    kind: Kind,
    ptr: *mut T,
    count: usize,
}

impl<'a, T: Copy> Shared<'a, T> {
    /// All zeros.
    fn new(rig: &'a Rig, kind: Kind, count: usize) -> Result<Shared<'a, T>, String> {
        // SAFETY: a live context, and a layout that is not empty.
        let ptr = unsafe {
            match kind {
                Kind::Coarse => clSVMAlloc(rig.context, CL_MEM_READ_WRITE, count * size_of::<T>(), 0),
                Kind::Fine => clSVMAlloc(
                    rig.context,
                    CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER,
                    count * size_of::<T>(),
                    0,
                ),
                Kind::System => alloc_zeroed(layout::<T>(count)?).cast(),
            }
        };
        if ptr.is_null() {
            return Err("no memory".into());
        }
        let memory = Shared { rig, kind, ptr: ptr.cast(), count };
        // SAFETY: the plain data of the allocation.
        memory.host(|all: &mut [T]| unsafe { all.as_mut_ptr().write_bytes(0, count) })?;
        Ok(memory)
    }

    /// Host access: previous commands are complete, and coarse-grained memory is mapped.
    fn host<R>(&self, work: impl FnOnce(&mut [T]) -> R) -> Result<R, String> {
        // SAFETY: the memory has that many elements, which no other code uses meanwhile.
        unsafe {
            let (flags, bytes) = (CL_MAP_READ | CL_MAP_WRITE, self.count * size_of::<T>());
            if self.kind == Kind::Coarse {
                let code =
                    clEnqueueSVMMap(self.rig.queue, 1, flags, self.ptr.cast(), bytes, 0, null(), null_mut());
                ok("clEnqueueSVMMap", code)?;
            }
            ok("clFinish", clFinish(self.rig.queue))?;
            let result = work(std::slice::from_raw_parts_mut(self.ptr, self.count));
            if self.kind == Kind::Coarse {
                ok(
                    "clEnqueueSVMUnmap",
                    clEnqueueSVMUnmap(self.rig.queue, self.ptr.cast(), 0, null(), null_mut()),
                )?;
            }
            Ok(result)
        }
    }

    fn at(&self, index: usize) -> *mut T {
        self.ptr.wrapping_add(index)
    }
}

impl<T> Drop for Shared<'_, T> {
    fn drop(&mut self) {
        // SAFETY: all commands have ended, and the memory is freed as it was allocated.
        unsafe {
            clFinish(self.rig.queue);
            match (self.kind, layout::<T>(self.count)) {
                (Kind::System, Ok(layout)) => dealloc(self.ptr.cast(), layout),
                _ => clSVMFree(self.rig.context, self.ptr.cast()),
            }
        }
    }
}

fn layout<T>(count: usize) -> Result<Layout, String> {
    // Aligned for the largest type of OpenCL C.
    Layout::from_size_align(count * size_of::<T>(), 128).map_err(|e| e.to_string())
}

enum Arg {
    Pointer(*mut c_void),
    Word(u32),
    Buffer,
}

/// Launches a kernel that may also access the allocations `reach` indirectly.
fn launch(
    rig: &Rig,
    kernel: &str,
    items: usize,
    args: &[Arg],
    kind: Kind,
    reach: &[*mut c_void],
) -> Result<(), String> {
    let kernel = rig.kernel(kernel);
    // SAFETY: live handles; values with their sizes.
    unsafe {
        for (i, arg) in args.iter().enumerate() {
            let i = i as cl_uint;
            ok(
                "an argument",
                match arg {
                    Arg::Pointer(ptr) => clSetKernelArgSVMPointer(kernel, i, *ptr),
                    Arg::Word(value) => clSetKernelArg(kernel, i, 4, (value as *const u32).cast()),
                    Arg::Buffer => {
                        clSetKernelArg(kernel, i, size_of::<cl_mem>(), (&raw const rig.buffer).cast())
                    }
                },
            )?;
        }
        if kind == Kind::System {
            let yes = CL_TRUE;
            let name = CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM;
            ok(
                "clSetKernelExecInfo",
                clSetKernelExecInfo(kernel, name, size_of::<cl_bool>(), (&raw const yes).cast()),
            )?;
        } else if !reach.is_empty() {
            let code = clSetKernelExecInfo(
                kernel,
                CL_KERNEL_EXEC_INFO_SVM_PTRS,
                size_of_val(reach),
                reach.as_ptr().cast(),
            );
            ok("clSetKernelExecInfo", code)?;
        }
        let code =
            clEnqueueNDRangeKernel(rig.queue, kernel, 1, null(), &items, null(), 0, null(), null_mut());
        clReleaseKernel(kernel);
        ok("clEnqueueNDRangeKernel", code)
    }
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Node {
    next: *mut Node,
    value: u64,
}

/// Sum and number of the nodes, as the device reads them.
fn walk(rig: &Rig, kind: Kind, nodes: &Shared<'_, Node>, others: &[*mut c_void]) -> Result<[u64; 2], String> {
    launch(rig, "walk", 1, &[Arg::Pointer(nodes.ptr.cast()), Arg::Buffer], kind, others)?;
    let words = rig.read(4)?;
    Ok([0, 2].map(|i| u64::from(words[i]) | u64::from(words[i + 1]) << 32))
}

/// A list that the host writes and the device walks. Then the device extends it in another allocation, and
/// the host walks it.
fn list(rig: &Rig, kind: Kind) -> Result<(), String> {
    const NODES: usize = 100;
    let (nodes, pool) = (Shared::<Node>::new(rig, kind, NODES)?, Shared::<Node>::new(rig, kind, 50)?);
    nodes.host(|all| {
        for (i, node) in all.iter_mut().enumerate() {
            // Backwards in memory, from the last but the first.
            let next = if i == 1 { null_mut() } else { nodes.at(if i == 0 { NODES - 1 } else { i - 1 }) };
            *node = Node { next, value: i as u64 };
        }
    })?;
    let found = walk(rig, kind, &nodes, &[])?;
    if found != [4950, 100] {
        return Err(format!("sum and count are {found:?}"));
    }
    let args = [Arg::Pointer(nodes.at(1).cast()), Arg::Pointer(pool.ptr.cast()), Arg::Word(50)];
    launch(rig, "extend", 1, &args, kind, &[])?;
    let found = walk(rig, kind, &nodes, &[pool.ptr.cast()])?;
    if found != [4950 + 50_000 + 1225, 150] {
        return Err(format!("after the device extended it, sum and count are {found:?}"));
    }
    let (mut values, mut next) = (Vec::new(), null_mut());
    nodes.host(|all| next = all[1].next)?;
    pool.host(|all| {
        while !next.is_null() && values.len() < 100 {
            let index = (next as usize).wrapping_sub(pool.ptr as usize) / size_of::<Node>();
            let Some(node) = all.get(index) else { break };
            values.push(node.value);
            next = node.next;
        }
    })?;
    if values.iter().copied().eq(1000..1050) { Ok(()) } else { Err(format!("the host finds {values:?}")) }
}

/// Sixteen allocations, whose addresses are stored in memory.
fn table(rig: &Rig, kind: Kind) -> Result<(), String> {
    let parts = (0..16).map(|_| Shared::<u32>::new(rig, kind, 64)).collect::<Result<Vec<_>, _>>()?;
    let cells = Shared::<*mut u32>::new(rig, kind, 16)?;
    cells.host(|all| all.iter_mut().zip(&parts).for_each(|(cell, part)| *cell = part.ptr))?;
    let reach: Vec<*mut c_void> = parts.iter().map(|p| p.ptr.cast()).collect();
    for amount in [3, 40] {
        launch(rig, "follow", 16, &[Arg::Pointer(cells.ptr.cast()), Arg::Word(amount)], kind, &reach)?;
    }
    for (i, part) in parts.iter().enumerate() {
        let found = part.host(|all| all.to_vec())?;
        if found.iter().any(|v| *v != 43 + 2 * i as u32) {
            return Err(format!("allocation {i} has {found:?}"));
        }
    }
    Ok(())
}

/// Host and device agree about the numeric value of pointers.
fn compared(rig: &Rig, kind: Kind) -> Result<(), String> {
    let memory = Shared::<u32>::new(rig, kind, 256)?;
    let cases = [
        (memory.at(0), memory.at(0), [1, 0, 0, 2]),
        (memory.at(3), memory.at(250), [0, 1, 247, 2]),
        (null_mut(), memory.at(0), [0, 1, 0, 3]),
        (memory.at(7), null_mut(), [0, 0, 0, 0]),
    ];
    for (a, b, [same, less, distance, null]) in cases {
        launch(rig, "compare", 1, &[Arg::Pointer(a.cast()), Arg::Pointer(b.cast()), Arg::Buffer], kind, &[])?;
        let found = rig.read(4)?;
        // The distance between pointers into different allocations is unspecified.
        let between = a.is_null() || b.is_null();
        if (found[0], found[1], found[3]) != (same, less, null) || !(between || found[2] == distance) {
            return Err(format!("{a:?} and {b:?} give {found:?}"));
        }
    }
    Ok(())
}

/// A kernel argument that points into the middle of an allocation.
fn middle(rig: &Rig, kind: Kind) -> Result<(), String> {
    let memory = Shared::<u32>::new(rig, kind, 256)?;
    memory.host(|all| all.iter_mut().enumerate().for_each(|(i, v)| *v = i as u32))?;
    launch(rig, "before", 1, &[Arg::Pointer(memory.at(101).cast())], kind, &[])?;
    launch(rig, "scale", 50, &[Arg::Pointer(memory.at(7).cast()), Arg::Word(10)], kind, &[])?;
    let want = |i: u32| match i {
        100 => 201,
        7..57 => i * 10 + i - 7,
        _ => i,
    };
    same(&memory, want)
}

fn same(memory: &Shared<'_, u32>, want: impl Fn(u32) -> u32) -> Result<(), String> {
    let found = memory.host(|all| all.to_vec())?;
    let wrong = found.iter().enumerate().find(|(i, v)| **v != want(*i as u32));
    wrong.map_or(Ok(()), |(i, v)| Err(format!("element {i} is {v}, expected {}", want(i as u32))))
}

/// Patterns of every size, at every offset allowed for them.
fn fills(rig: &Rig, kind: Kind) -> Result<(), String> {
    let memory = Shared::<u8>::new(rig, kind, 2048)?;
    let mut want = vec![0u8; 2048];
    for (round, size) in [1usize, 2, 4, 8, 16, 32, 64, 128].into_iter().enumerate() {
        for (from, count) in [(0, 3), (5, 2), (15 - round, 1)] {
            let pattern: Vec<u8> = (0..size).map(|i| (i * 7 + from + round * 31 + 1) as u8).collect();
            let to = memory.at(from * size).cast();
            let bytes = count * size;
            // SAFETY: the part lies in the memory, the pattern is copied by the call.
            let code = unsafe {
                clEnqueueSVMMemFill(
                    rig.queue,
                    to,
                    pattern.as_ptr().cast(),
                    size,
                    bytes,
                    0,
                    null(),
                    null_mut(),
                )
            };
            ok("clEnqueueSVMMemFill", code)?;
            want[from * size..][..bytes].chunks_mut(size).for_each(|c| c.copy_from_slice(&pattern));
        }
    }
    let found = memory.host(|all| all.to_vec())?;
    let wrong = (0..2048).find(|i| found[*i] != want[*i]);
    wrong.map_or(Ok(()), |i| Err(format!("byte {i} is {}, expected {}", found[i], want[i])))
}

/// From and to memory of the host, within an allocation, between two; blocking and not.
fn copies(rig: &Rig, kind: Kind) -> Result<(), String> {
    let (a, b) = (Shared::<u32>::new(rig, kind, 1024)?, Shared::<u32>::new(rig, kind, 1024)?);
    let own: Vec<u32> = (0..1024).map(|i| i * 3 + 1).collect();
    let mut back = vec![0u32; 1024];
    let copy = |blocking, to: *mut u32, from: *const u32, count: usize| {
        // SAFETY: both parts have `count` elements and outlive the copy.
        let code = unsafe {
            clEnqueueSVMMemcpy(rig.queue, blocking, to.cast(), from.cast(), count * 4, 0, null(), null_mut())
        };
        ok("clEnqueueSVMMemcpy", code)
    };
    copy(0, a.ptr, own.as_ptr(), 1024)?;
    copy(0, b.at(1), a.at(500), 500)?;
    copy(0, a.at(100), a.at(200), 100)?;
    copy(1, back.as_mut_ptr(), b.ptr, 600)?;
    let want = |i: usize| if (1..501).contains(&i) { (i as u32 + 499) * 3 + 1 } else { 0 };
    if let Some(i) = (0..1024).find(|i| back[*i] != want(*i)) {
        return Err(format!("element {i} came back as {}, expected {}", back[i], want(i)));
    }
    same(&a, |i| if (100..200).contains(&i) { (i + 100) * 3 + 1 } else { i * 3 + 1 })
}

/// Parts are mapped and unmapped, between kernels.
fn maps(rig: &Rig, kind: Kind) -> Result<(), String> {
    let memory = Shared::<u32>::new(rig, kind, 1024)?;
    let mut want = vec![0u32; 1024];
    for round in 0..4usize {
        launch(rig, "scale", 1024, &[Arg::Pointer(memory.ptr.cast()), Arg::Word(3)], kind, &[])?;
        want.iter_mut().enumerate().for_each(|(i, v)| *v = v.wrapping_mul(3).wrapping_add(i as u32));
        let (from, count) = (round * 200, 130);
        let flags =
            [CL_MAP_READ | CL_MAP_WRITE, CL_MAP_READ, CL_MAP_WRITE_INVALIDATE_REGION, CL_MAP_WRITE][round];
        // SAFETY: the part lies in the memory, and nothing else uses it while it is mapped.
        unsafe {
            let part = memory.at(from);
            let code = clEnqueueSVMMap(rig.queue, 1, flags, part.cast(), count * 4, 0, null(), null_mut());
            ok("clEnqueueSVMMap", code)?;
            let values = std::slice::from_raw_parts_mut(part, count);
            if flags & CL_MAP_READ != 0 && values[..] != want[from..][..count] {
                return Err(format!("in round {round} the part has {:?}...", &values[..4]));
            }
            if flags != CL_MAP_READ {
                values.iter_mut().enumerate().for_each(|(i, v)| *v = (i * 11 + round) as u32);
                want[from..][..count].copy_from_slice(values);
            }
            ok("clEnqueueSVMUnmap", clEnqueueSVMUnmap(rig.queue, part.cast(), 0, null(), null_mut()))?;
        }
    }
    same(&memory, |i| want[i as usize])
}

/// A buffer object in shared memory.
fn buffer(rig: &Rig, kind: Kind) -> Result<(), String> {
    let memory = Shared::<u32>::new(rig, kind, 256)?;
    memory.host(|all| all.fill(5))?;
    let (mut code, mut uses) = (1, CL_FALSE);
    // SAFETY: the buffer is released before its memory.
    unsafe {
        let flags = CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR;
        let mem = clCreateBuffer(rig.context, flags, 1024, memory.ptr.cast(), &mut code);
        ok("clCreateBuffer", code)?;
        // CL_MEM_USES_SVM_POINTER: whether the host pointer is shared memory.
        ok(
            "clGetMemObjectInfo",
            clGetMemObjectInfo(mem, CL_MEM_USES_SVM_POINTER, 4, (&raw mut uses).cast(), null_mut()),
        )?;
        let (kernel, items, factor) = (rig.kernel("scale"), 256usize, 2u32);
        ok("clSetKernelArg", clSetKernelArg(kernel, 0, size_of::<cl_mem>(), (&raw const mem).cast()))?;
        ok("clSetKernelArg", clSetKernelArg(kernel, 1, 4, (&raw const factor).cast()))?;
        let launched =
            clEnqueueNDRangeKernel(rig.queue, kernel, 1, null(), &items, null(), 0, null(), null_mut());
        ok("clEnqueueNDRangeKernel", launched)?;
        // Section 3.3.3: maps of the buffer object order accesses through buffer and pointer.
        let (flags, q) = (CL_MAP_READ, rig.queue);
        let mapped =
            clEnqueueMapBuffer(q, mem, 1, flags, 0, 1024, 0, null(), null_mut(), &mut code).cast::<u32>();
        ok("clEnqueueMapBuffer", code)?;
        let is_there = mapped == memory.ptr;
        let right = (0..256).all(|i| *mapped.add(i) == 10 + i as u32);
        ok("clEnqueueUnmapMemObject", clEnqueueUnmapMemObject(q, mem, mapped.cast(), 0, null(), null_mut()))?;
        ok("clFinish", clFinish(q))?;
        clReleaseKernel(kernel);
        clReleaseMemObject(mem);
        if !is_there || !right {
            return Err(format!("mapped at {mapped:?}, shared at {:?}, values right: {right}", memory.ptr));
        }
    }
    // System memory has no pointers from clSVMAlloc.
    let wanted = if kind == Kind::System { uses } else { CL_TRUE };
    if uses == wanted { Ok(()) } else { Err("CL_MEM_USES_SVM_POINTER is false".into()) }
}

/// Host and device increment one counter at the same time.
fn atomics(rig: &Rig, kind: Kind) -> Result<(), String> {
    const ITEMS: usize = 100_000;
    let flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    // SAFETY: the memory lives until all increments are done; both sides use atomics alone.
    unsafe {
        let system = AtomicU32::new(0);
        let allocated = (kind == Kind::Fine).then(|| clSVMAlloc(rig.context, flags, 4, 0).cast::<u32>());
        let word = allocated.unwrap_or(system.as_ptr());
        if word.is_null() {
            return Err("clSVMAlloc gives NULL".into());
        }
        let counter = AtomicU32::from_ptr(word);
        counter.store(0, Ordering::SeqCst);
        launch(rig, "count", ITEMS, &[Arg::Pointer(word.cast())], kind, &[])?;
        ok("clFlush", clFlush(rig.queue))?;
        (0..ITEMS).for_each(|_| _ = counter.fetch_add(1, Ordering::Relaxed));
        ok("clFinish", clFinish(rig.queue))?;
        let end = counter.load(Ordering::SeqCst);
        if let Some(word) = allocated {
            clSVMFree(rig.context, word.cast());
        }
        if end as usize == 2 * ITEMS {
            Ok(())
        } else {
            Err(format!("{end} increments instead of {}", 2 * ITEMS))
        }
    }
}

/// Addresses are multiples of the requested alignment, by default of the size of the largest type.
fn alignments(rig: &Rig) -> Result<(), String> {
    for alignment in [0, 1, 2, 4, 8, 16, 32, 64, 128] {
        for size in [1, 3, 200, 5000] {
            // SAFETY: a live context; what is allocated is freed.
            let ptr = unsafe { clSVMAlloc(rig.context, CL_MEM_READ_WRITE, size, alignment) };
            // SAFETY: as above.
            unsafe { clSVMFree(rig.context, ptr) };
            let wanted = if alignment == 0 { 64 } else { alignment as usize };
            if ptr.is_null() || !(ptr as usize).is_multiple_of(wanted) {
                return Err(format!("{size} bytes aligned to {alignment} are at {ptr:?}"));
            }
        }
    }
    Ok(())
}

/// Commands on an out-of-order queue, each waiting for the previous one, and the information of their events.
fn events(rig: &Rig) -> Result<(), String> {
    let memory = Shared::<u32>::new(rig, Kind::Coarse, 64)?;
    let (mut events, one, from, mut back) = (Vec::<cl_event>::new(), 1u32, vec![9u32; 32], vec![0u32; 64]);
    let (queue, ptr, to) = (rig.queue, memory.ptr.cast::<c_void>(), back.as_mut_ptr().cast::<c_void>());
    let kinds = [
        CL_COMMAND_SVM_MEMFILL,
        CL_COMMAND_SVM_MEMCPY,
        CL_COMMAND_SVM_MAP,
        CL_COMMAND_SVM_UNMAP,
        CL_COMMAND_SVM_MEMCPY,
        CL_COMMAND_SVM_MIGRATE_MEM,
    ];
    let count = if version(rig.device) < 210 { 5 } else { 6 };
    for (step, kind) in kinds.into_iter().enumerate().take(count) {
        let (last, mut event, mut reported) = (events.last().copied(), null_mut(), 0 as cl_uint);
        let (n, w, e) =
            (cl_uint::from(last.is_some()), last.as_ref().map_or(null(), |l| &raw const *l), &raw mut event);
        // SAFETY: parts of memory that lives until all commands have ended; room for the kind of a command.
        unsafe {
            ok(
                "a command",
                match step {
                    0 => clEnqueueSVMMemFill(queue, ptr, (&raw const one).cast(), 4, 256, n, w, e),
                    1 => clEnqueueSVMMemcpy(queue, 0, ptr, from.as_ptr().cast(), 128, n, w, e),
                    2 => clEnqueueSVMMap(queue, 0, CL_MAP_READ, ptr, 256, n, w, e),
                    3 => clEnqueueSVMUnmap(queue, ptr, n, w, e),
                    4 => clEnqueueSVMMemcpy(queue, 0, to, ptr, 256, n, w, e),
                    _ => {
                        let mut list = [ptr.cast_const()];
                        let flags = CL_MIGRATE_MEM_OBJECT_HOST;
                        clEnqueueSVMMigrateMem(queue, 1, list.as_mut_ptr().cast(), null(), flags, n, w, e)
                    }
                },
            )?;
            clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, 4, (&raw mut reported).cast(), null_mut());
        }
        events.push(event);
        if reported != kind {
            return Err(format!("an event tells the command {reported:#x}, expected {kind:#x}"));
        }
    }
    // SAFETY: live events, each released once.
    unsafe {
        ok("clFinish", clFinish(rig.queue))?;
        events.iter().for_each(|e| _ = clReleaseEvent(*e));
    }
    let right = back.iter().enumerate().all(|(i, v)| *v == if i < 32 { 9 } else { 1 });
    if right { Ok(()) } else { Err(format!("the commands were out of order: {back:?}")) }
}

static FREED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn free(
    queue: cl_command_queue,
    count: cl_uint,
    list: *mut *mut c_void,
    context: *mut c_void,
) {
    // SAFETY: the user data is the number of pointers in the list; the queue is live.
    unsafe {
        for i in 0..count as usize {
            clSVMFree(context.cast(), *list.add(i));
        }
    }
    FREED.store(if queue.is_null() { 99 } else { count as usize }, Ordering::SeqCst);
}

/// clEnqueueSVMFree frees after the commands enqueued before, itself or by the caller's function.
fn freed(rig: &Rig) -> Result<(), String> {
    for by_callback in [false, true] {
        FREED.store(0, Ordering::SeqCst);
        let (pattern, mut back) = (77u32, 0u32);
        // SAFETY: each pointer is freed once, by the command.
        unsafe {
            let mut list: Vec<*mut c_void> =
                (0..3).map(|_| clSVMAlloc(rig.context, CL_MEM_READ_WRITE, 4096, 0)).collect();
            let first = list[0];
            let code = clEnqueueSVMMemFill(
                rig.queue,
                first,
                (&raw const pattern).cast(),
                4,
                4096,
                0,
                null(),
                null_mut(),
            );
            ok("clEnqueueSVMMemFill", code)?;
            let to = (&raw mut back).cast();
            ok("clEnqueueSVMMemcpy", clEnqueueSVMMemcpy(rig.queue, 0, to, first, 4, 0, null(), null_mut()))?;
            let (callback, data) =
                if by_callback { (Some(free as _), rig.context.cast()) } else { (None, null_mut()) };
            let mut event = null_mut();
            let code = clEnqueueSVMFree(
                rig.queue,
                3,
                list.as_mut_ptr().cast(),
                callback,
                data,
                0,
                null(),
                &mut event,
            );
            ok("clEnqueueSVMFree", code)?;
            ok("clWaitForEvents", clWaitForEvents(1, &event))?;
            clReleaseEvent(event);
        }
        let called = FREED.load(Ordering::SeqCst);
        if back != 77 || called != if by_callback { 3 } else { 0 } {
            return Err(format!("read {back}, the callback freed {called}"));
        }
    }
    Ok(())
}

/// Error conditions: name, the allowed codes (a NULL pointer counts as CL_INVALID_VALUE), and the call.
type Check = (&'static str, cl_int, fn(&Rig, *mut c_void) -> cl_int);

fn alloc(rig: &Rig, flags: cl_mem_flags, size: usize, alignment: cl_uint) -> cl_int {
    // SAFETY: a live context; what is allocated by mistake is freed.
    unsafe {
        let ptr = clSVMAlloc(rig.context, flags, size, alignment);
        clSVMFree(rig.context, ptr);
        if ptr.is_null() { CL_INVALID_VALUE } else { CL_SUCCESS }
    }
}

fn fill(rig: &Rig, ptr: *mut c_void, pattern: bool, size: usize, bytes: usize) -> cl_int {
    let room = [0u8; 256];
    let pattern = if pattern { room.as_ptr().cast() } else { null() };
    // SAFETY: wrong arguments are refused before anything is touched.
    unsafe { clEnqueueSVMMemFill(rig.queue, ptr, pattern, size, bytes, 0, null(), null_mut()) }
}

fn copy(rig: &Rig, to: *mut c_void, from: *const c_void, bytes: usize) -> cl_int {
    // SAFETY: as above.
    unsafe { clEnqueueSVMMemcpy(rig.queue, 1, to, from, bytes, 0, null(), null_mut()) }
}

fn map(rig: &Rig, flags: cl_map_flags, ptr: *mut c_void, bytes: usize) -> cl_int {
    // SAFETY: as above.
    unsafe { clEnqueueSVMMap(rig.queue, 1, flags, ptr, bytes, 0, null(), null_mut()) }
}

/// A call with a kernel, `scale`.
fn with_kernel(rig: &Rig, call: impl FnOnce(cl_kernel) -> cl_int) -> cl_int {
    let kernel = rig.kernel("scale");
    let code = call(kernel);
    // SAFETY: a live handle.
    unsafe { clReleaseKernel(kernel) };
    code
}

const CHECKS: &[Check] = &[
    ("clSVMAlloc: size 0", CL_INVALID_VALUE, |r, _| alloc(r, CL_MEM_READ_WRITE, 0, 0)),
    ("clSVMAlloc: larger than the device allows", CL_INVALID_VALUE, |r, _| {
        alloc(r, CL_MEM_READ_WRITE, device_number(r.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE) as usize + 1, 0)
    }),
    ("clSVMAlloc: alignment that is not a power of two", CL_INVALID_VALUE, |r, _| {
        alloc(r, CL_MEM_READ_WRITE, 64, 12)
    }),
    ("clSVMAlloc: contradicting flags", CL_INVALID_VALUE, |r, _| {
        alloc(r, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY, 64, 0)
    }),
    ("clSVMAlloc: flag of buffers", CL_INVALID_VALUE, |r, _| alloc(r, CL_MEM_COPY_HOST_PTR, 64, 0)),
    ("clSVMAlloc: atomics without fine grain", CL_INVALID_VALUE, |r, _| alloc(r, CL_MEM_SVM_ATOMICS, 64, 0)),
    ("clEnqueueSVMMemFill: NULL", CL_INVALID_VALUE, |r, _| fill(r, null_mut(), true, 4, 16)),
    ("clEnqueueSVMMemFill: no pattern", CL_INVALID_VALUE, |r, p| fill(r, p, false, 4, 16)),
    ("clEnqueueSVMMemFill: pattern of size 0", CL_INVALID_VALUE, |r, p| fill(r, p, true, 0, 16)),
    ("clEnqueueSVMMemFill: pattern of size 3", CL_INVALID_VALUE, |r, p| fill(r, p, true, 3, 12)),
    ("clEnqueueSVMMemFill: pattern of size 256", CL_INVALID_VALUE, |r, p| fill(r, p, true, 256, 512)),
    ("clEnqueueSVMMemFill: pointer not aligned", CL_INVALID_VALUE, |r, p| {
        fill(r, p.wrapping_byte_add(2), true, 4, 16)
    }),
    ("clEnqueueSVMMemFill: part of a pattern", CL_INVALID_VALUE, |r, p| fill(r, p, true, 8, 20)),
    ("clEnqueueSVMMemcpy: to NULL", CL_INVALID_VALUE, |r, p| copy(r, null_mut(), p, 16)),
    ("clEnqueueSVMMemcpy: from NULL", CL_INVALID_VALUE, |r, p| copy(r, p, null(), 16)),
    ("clEnqueueSVMMemcpy: overlap", CL_MEM_COPY_OVERLAP, |r, p| copy(r, p.wrapping_byte_add(8), p, 16)),
    ("clEnqueueSVMMap: NULL", CL_INVALID_VALUE, |r, _| map(r, CL_MAP_READ, null_mut(), 16)),
    ("clEnqueueSVMMap: size 0", CL_INVALID_VALUE, |r, p| map(r, CL_MAP_READ, p, 0)),
    ("clEnqueueSVMMap: unknown flags", CL_INVALID_VALUE, |r, p| map(r, 1 << 20, p, 16)),
    ("clEnqueueSVMUnmap: NULL", CL_INVALID_VALUE, |r, _| {
        // SAFETY: NULL is refused.
        unsafe { clEnqueueSVMUnmap(r.queue, null_mut(), 0, null(), null_mut()) }
    }),
    ("clEnqueueSVMFree: a list of no length", CL_INVALID_VALUE, |r, p| {
        let mut list = [p];
        // SAFETY: the list is not read.
        unsafe {
            clEnqueueSVMFree(r.queue, 0, list.as_mut_ptr().cast(), None, null_mut(), 0, null(), null_mut())
        }
    }),
    ("clEnqueueSVMFree: no list", CL_INVALID_VALUE, |r, _| {
        // SAFETY: NULL is refused.
        unsafe { clEnqueueSVMFree(r.queue, 1, null_mut(), None, null_mut(), 0, null(), null_mut()) }
    }),
    ("clSetKernelArgSVMPointer: no such argument", CL_INVALID_ARG_INDEX, |r, p| {
        // SAFETY: a live kernel.
        with_kernel(r, |k| unsafe { clSetKernelArgSVMPointer(k, 2, p) })
    }),
    ("clSetKernelArgSVMPointer: an argument that is not a pointer", CL_INVALID_ARG_VALUE, |r, p| {
        // SAFETY: a live kernel.
        with_kernel(r, |k| unsafe { clSetKernelArgSVMPointer(k, 1, p) })
    }),
    ("clSetKernelExecInfo: unknown name", CL_INVALID_VALUE, |r, p| {
        // SAFETY: a live kernel; one pointer.
        with_kernel(r, |k| unsafe { clSetKernelExecInfo(k, 0x7777, 8, (&raw const p).cast()) })
    }),
    ("clSetKernelExecInfo: no value", CL_INVALID_VALUE, |r, _| {
        // SAFETY: NULL is refused.
        with_kernel(r, |k| unsafe { clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, null()) })
    }),
    ("clSetKernelExecInfo: part of a pointer", CL_INVALID_VALUE, |r, p| {
        // SAFETY: at most one pointer is read.
        with_kernel(r, |k| unsafe {
            clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, 5, (&raw const p).cast())
        })
    }),
];

type ByKind = (&'static str, fn(&Rig, Kind) -> Result<(), String>);
type General = (&'static str, fn(&Rig) -> Result<(), String>);

/// Tests of each kind of memory.
const BY_KIND: &[ByKind] = &[
    ("a list", list),
    ("pointers in a table", table),
    ("pointers compared", compared),
    ("a pointer to the middle", middle),
    ("fills", fills),
    ("copies", copies),
    ("parts mapped", maps),
    ("a buffer object", buffer),
];

/// Tests with coarse-grained memory.
const GENERAL: &[General] =
    &[("alignments", alignments), ("order and kind of events", events), ("memory freed by a command", freed)];

pub fn tests(context: &Context<'_>, sink: &mut Sink<'_>) {
    let device = context.device.id;
    let offers = |bits: u64| device_number(device, CL_DEVICE_SVM_CAPABILITIES) & bits == bits;
    let skip = || Outcome::Skip("the device does not offer it".into());
    for (name, run) in BY_KIND {
        for kind in Kind::ALL {
            sink.test(format!("{name}, {kind:?}"), || {
                if !offers(kind.capability()) {
                    return skip();
                }
                Rig::new(device, 0, SOURCE).and_then(|rig| run(&rig, kind)).into()
            });
        }
    }
    for (name, run) in GENERAL {
        sink.test(*name, || {
            let queue = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
                & device_number(device, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES);
            if !offers(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) {
                return skip();
            }
            let properties = if *name == "order and kind of events" { queue } else { 0 };
            Rig::new(device, properties, SOURCE).and_then(|rig| run(&rig)).into()
        });
    }
    for kind in [Kind::Fine, Kind::System] {
        sink.test(format!("atomics of host and device, {kind:?}"), || {
            // OpenCL C 3.0: the scope of all devices is optional.
            let has_scope =
                |s: Session<'_>| s.c_features().iter().any(|f| f == "__opencl_c_atomic_scope_all_devices");
            if !offers(CL_DEVICE_SVM_ATOMICS | kind.capability()) || !context.session().is_ok_and(has_scope) {
                return skip();
            }
            Rig::with_options(device, 0, ATOMICS, c"-cl-std=CL3.0").and_then(|rig| atomics(&rig, kind)).into()
        });
    }
    for (name, code, call) in CHECKS {
        sink.test(*name, || {
            if !offers(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) {
                return skip();
            }
            let run = || {
                let rig = Rig::new(device, 0, SOURCE)?;
                let memory = Shared::<u64>::new(&rig, Kind::Coarse, 512)?;
                expect(call(&rig, memory.ptr.cast()), &[*code])
            };
            run().into()
        });
    }
}
