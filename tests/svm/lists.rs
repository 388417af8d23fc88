//! Lists and other memory that host and kernels access through the same pointers.

use super::*;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Instant;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Node {
    pub next: *mut Node,
    pub value: u64,
}

/// Links nodes backwards through the allocation, so that iteration in memory order would fail. Returns the
/// head and the tail.
pub fn link(nodes: &mut [Node]) -> (*mut Node, *mut Node) {
    let base = nodes.as_mut_ptr();
    let mut next = null_mut();
    for (i, node) in nodes.iter_mut().enumerate() {
        *node = Node { next, value: i as u64 };
        // An address within the slice.
        next = base.wrapping_add(i);
    }
    (next, base)
}

pub fn sum(mut head: *const Node) -> (u64, u64) {
    let (mut sum, mut count) = (0, 0);
    while !head.is_null() {
        // SAFETY: lists of the tests end with NULL and lie in memory the host may use.
        let node = unsafe { *head };
        sum += node.value;
        count += 1;
        head = node.next;
    }
    (sum, count)
}

/// Sum and count that a kernel computes.
pub fn walk(
    rig: &Rig,
    queue: cl_command_queue,
    set_head: impl Fn(cl_kernel),
    exec: &[*mut Node],
) -> (u64, u64) {
    let (kernel, out) = (rig.kernel("walk"), rig.buffer(&[7u64; 2]));
    set_head(kernel);
    set(kernel, 1, out);
    tell(kernel, exec);
    launch(queue, kernel, 1, &[]).release();
    let found: Vec<u64> = read(queue, out, 2);
    release([kernel]);
    release([out]);
    (found[0], found[1])
}

/// Sets the allocations that a kernel accesses indirectly.
pub fn tell<T>(kernel: cl_kernel, pointers: &[*mut T]) {
    let data = if pointers.is_empty() { null() } else { pointers.as_ptr().cast() };
    // SAFETY: the list has its size.
    ok(unsafe { clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, size_of_val(pointers), data) });
}

pub fn lists_of_host_and_device() {
    if !offer().coarse() {
        return;
    }
    let rig = rig();
    let queue = rig.queue(0);
    const N: usize = 10_000;
    let (list, pool) = (Svm::<Node>::new(rig.context, 0, N), Svm::<Node>::new(rig.context, 0, 500));
    // The host builds the list, a kernel walks it.
    list.map(queue, CL_MAP_WRITE_INVALIDATE_REGION);
    let (head, tail) = link(list.slice());
    let first = sum(head);
    list.unmap(queue);
    assert_eq!(walk(&rig, queue, |k| set_svm(k, 0, head), &[]), first);
    // One kernel extends it in another allocation, a second changes it, a third and the host walk it.
    let extend = rig.kernel("extend");
    set_svm(extend, 0, tail);
    set_svm(extend, 1, pool.ptr);
    set(extend, 2, 500u32);
    launch(queue, extend, 1, &[]).release();
    let add = rig.kernel("add");
    set_svm(add, 0, head);
    set(add, 1, 3u64);
    tell(add, &[pool.ptr]);
    launch(queue, add, 1, &[]).release();
    let total = (first.0 + (1000..1500).sum::<u64>() + 3 * (N as u64 + 500), N as u64 + 500);
    assert_eq!(walk(&rig, queue, |k| set_svm(k, 0, head), &[pool.ptr]), total);
    list.map(queue, CL_MAP_READ);
    pool.map(queue, CL_MAP_READ);
    assert_eq!(sum(head), total);
    pool.unmap(queue);
    list.unmap(queue);
    // The host removes a part.
    list.map(queue, CL_MAP_READ | CL_MAP_WRITE);
    // SAFETY: the tail is mapped.
    unsafe { (*tail).next = null_mut() };
    list.unmap(queue);
    let rest = walk(&rig, queue, |k| set_svm(k, 0, head), &[]);
    assert_eq!(rest, (first.0 + 3 * N as u64, N as u64));
    // NULL is an empty list.
    assert_eq!(walk(&rig, queue, |k| set_svm(k, 0, null::<Node>()), &[]), (0, 0));
    finish(queue);
    release([extend, add]);
    release([queue]);
}

pub fn pointers_into_allocations() {
    if !offer().coarse() {
        return;
    }
    let rig = rig();
    let queue = rig.queue(0);
    let memory = Svm::<u32>::new(rig.context, CL_MEM_READ_WRITE, 4096);
    memory.map(queue, CL_MAP_WRITE);
    memory.slice().fill(1);
    memory.unmap(queue);
    let (scale, before) = (rig.kernel("scale"), rig.kernel("before"));
    set(scale, 1, 5u32);
    // From the start, and from an odd offset in the middle.
    for (start, count) in [(0usize, 4096usize), (1001, 7)] {
        set_svm(scale, 0, memory.ptr.wrapping_add(start));
        launch(queue, scale, count, &[]).release();
    }
    set_svm(before, 0, memory.ptr.wrapping_add(64));
    launch(queue, before, 1, &[]).release();
    memory.map(queue, CL_MAP_READ);
    let expected = |i: u32| {
        let once = 5 + i;
        match i {
            1001..1008 => once * 5 + (i - 1001),
            63 => once + 5 + 64,
            _ => once,
        }
    };
    assert!(memory.slice().iter().enumerate().all(|(i, v)| *v == expected(i as u32)));
    memory.unmap(queue);
    let (is_null, out) = (rig.kernel("is_null"), rig.buffer(&[9u32]));
    set(is_null, 1, out);
    for (ptr, null) in [(memory.ptr, 0), (null_mut(), 1)] {
        set_svm(is_null, 0, ptr);
        launch(queue, is_null, 1, &[]).release();
        assert_eq!(read::<u32>(queue, out, 1), [null]);
    }
    release([scale, before, is_null]);
    release([out]);
    release([queue]);
}

pub fn commands_on_allocations() {
    if !offer().coarse() {
        return;
    }
    let rig = rig();
    for properties in [0, OUT_OF_ORDER] {
        let queue = rig.queue(properties);
        const N: usize = 3 << 20;
        let (a, b) = (Svm::<u8>::new(rig.context, 0, N), Svm::<u8>::new(rig.context, 0, N));
        let source: Vec<u8> = (0..N).map(|i| (i * 7 + i / 251) as u8).collect();
        let mut out = vec![0u8; N];
        let events = &mut [null_mut(); 4];
        // SAFETY: the regions are in bounds and live until the commands are done.
        unsafe {
            let [to_a, a_to_b, fill, out_of_b] = events;
            let copy = |dst: *mut u8, src: *const u8, n, waits: &[cl_event], event: &mut cl_event| {
                let list = if waits.is_empty() { null() } else { waits.as_ptr() };
                ok(clEnqueueSVMMemcpy(
                    queue,
                    CL_FALSE,
                    dst.cast(),
                    src.cast(),
                    n,
                    waits.len() as u32,
                    list,
                    event,
                ));
            };
            copy(a.ptr, source.as_ptr(), N, &[], to_a);
            copy(b.ptr.add(5), a.ptr.add(11), N - 11, &[*to_a], a_to_b);
            let pattern = [1u16, 2, 3, 4];
            let at = b.ptr.add(4096).cast();
            ok(clEnqueueSVMMemFill(queue, at, pattern.as_ptr().cast(), 8, 64, 1, a_to_b, fill));
            copy(out.as_mut_ptr(), b.ptr.add(5), N - 11, &[*fill], out_of_b);
            assert_eq!(wait(events), CL_SUCCESS);
            let mut sizes = [64usize, 0];
            let mut pointers: [*const c_void; 2] = [a.ptr.add(7).cast(), b.ptr.cast()];
            let mut migrated = null_mut();
            let many = pointers.as_mut_ptr();
            ok(clEnqueueSVMMigrateMem(
                queue,
                2,
                many,
                sizes.as_mut_ptr(),
                CL_MIGRATE_MEM_OBJECT_HOST,
                0,
                null(),
                &mut migrated,
            ));
            ok(clEnqueueSVMMigrateMem(queue, 2, many, null(), 0, 0, null(), null_mut()));
            assert_eq!(wait(&[migrated]), CL_SUCCESS);
            release([migrated]);
        }
        for (i, v) in out.iter().take(N - 11).enumerate() {
            let at = i + 5;
            let filled = (4096..4096 + 64).contains(&at);
            let expected = if filled { [1, 0, 2, 0, 3, 0, 4, 0][(at - 4096) % 8] } else { source[i + 11] };
            assert_eq!(*v, expected, "{i}");
        }
        let types: Vec<u32> = events.iter().map(|e| command_type(*e)).collect();
        let copy = CL_COMMAND_SVM_MEMCPY;
        assert_eq!(types, [copy, copy, CL_COMMAND_SVM_MEMFILL, copy]);
        release(*events);
        finish(queue);
        release([queue]);
    }
}

pub fn command_type(event: cl_event) -> cl_command_type {
    let mut value = 0;
    // SAFETY: room for the value.
    ok(unsafe { clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, 4, (&raw mut value).cast(), null_mut()) });
    value
}

/// Launches that share only indirectly accessed memory see each other's writes, also within one batch.
pub fn indirect_accesses_are_ordered() {
    if !offer().coarse() {
        return;
    }
    let rig = rig();
    let (queue, gate) = (rig.queue(0), rig.gate());
    let cells: Vec<Svm<u64>> = (0..8).map(|_| Svm::new(rig.context, 0, 1)).collect();
    let target = Svm::<u32>::new(rig.context, 0, 1);
    target.map(queue, CL_MAP_WRITE_INVALIDATE_REGION);
    target.slice()[0] = 1;
    target.unmap(queue);
    for cell in &cells {
        cell.map(queue, CL_MAP_WRITE_INVALIDATE_REGION);
        cell.slice()[0] = target.ptr as u64;
        cell.unmap(queue);
    }
    finish(queue);
    marker(queue, &[gate]).release();
    for round in 0..64 {
        let kernel = rig.kernel("follow");
        set_svm(kernel, 0, cells[round % 8].ptr);
        set(kernel, 1, round as u32);
        tell(kernel, &[target.ptr]);
        launch(queue, kernel, 1, &[]).release();
        release([kernel]);
    }
    open_gate(gate, CL_COMPLETE);
    target.map(queue, CL_MAP_READ);
    assert_eq!(target.slice()[0], 1 + (0..64).sum::<u32>());
    target.unmap(queue);
    finish(queue);
    release([gate]);
    release([queue]);
}

pub fn buffers_of_allocations() {
    if !offer().coarse() {
        return;
    }
    let rig = rig();
    let queue = rig.queue(0);
    let memory = Svm::<u32>::new(rig.context, CL_MEM_READ_WRITE, 4096);
    memory.map(queue, CL_MAP_WRITE_INVALIDATE_REGION);
    memory.slice().fill(2);
    memory.unmap(queue);
    let mut code = 1;
    // SAFETY: the buffer lies in the allocation, which outlives it.
    unsafe {
        let create = |ptr: *mut u32, size, code: &mut cl_int| {
            clCreateBuffer(rig.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, ptr.cast(), code)
        };
        let mem = create(memory.ptr.add(1024), 4096, &mut code);
        ok(code);
        assert!(create(memory.ptr.add(1024), 4096 * 4, &mut code).is_null());
        assert_eq!(code, CL_INVALID_BUFFER_SIZE);
        let region = cl_buffer_region { origin: 1024, size: 1024 };
        let sub =
            clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast(), &mut code);
        ok(code);
        let plain = rig.buffer(&[0u32]);
        let info = |mem, name| number_of(|s, v, r| clGetMemObjectInfo(mem, name, s, v, r));
        assert_eq!([mem, sub, plain].map(|m| info(m, CL_MEM_USES_SVM_POINTER)), [1, 1, 0]);
        assert_eq!(info(mem, CL_MEM_HOST_PTR), memory.ptr.add(1024) as u64);
        assert_eq!([mem, sub].map(|m| info(m, CL_MEM_OFFSET)), [0, 1024]);
        // Kernels use it as a buffer and by its address.
        let scale = rig.kernel("scale");
        set(scale, 1, 3u32);
        set(scale, 0, sub);
        launch(queue, scale, 256, &[]).release();
        set_svm(scale, 0, memory.ptr.add(1280));
        launch(queue, scale, 256, &[]).release();
        let got: Vec<u32> = read(queue, mem, 1024);
        let expected = |i: usize| {
            if (256..512).contains(&i) {
                let once = 6 + (i as u32 - 256);
                once * 3 + (i as u32 - 256)
            } else {
                2
            }
        };
        assert!(got.iter().enumerate().all(|(i, v)| *v == expected(i)));
        let ptr = clEnqueueMapBuffer(
            queue,
            mem,
            CL_TRUE,
            CL_MAP_READ | CL_MAP_WRITE,
            0,
            4096,
            0,
            null(),
            null_mut(),
            &mut code,
        );
        ok(code);
        assert_eq!(ptr, memory.ptr.add(1024).cast());
        assert_eq!(memory.slice()[1024 + 300], expected(300));
        memory.slice()[1024] = 77;
        ok(clEnqueueUnmapMemObject(queue, mem, ptr, 0, null(), null_mut()));
        set_svm(scale, 0, memory.ptr.add(1024));
        launch(queue, scale, 1, &[]).release();
        assert_eq!(read::<u32>(queue, mem, 1), [231]);
        release([scale]);
        release([sub, mem, plain]);
    }
    release([queue]);
}

pub fn number_of(ask: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> u64 {
    number(&query_bytes(ask).unwrap())
}

/// No maps and unmaps; commands with plain pointers.
pub fn fine_grains() {
    let rig = rig();
    if !offer().fine() {
        // SAFETY: a live handle.
        let ptr = unsafe { clSVMAlloc(rig.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0) };
        return assert!(ptr.is_null());
    }
    let queue = rig.queue(0);
    let list = Svm::<Node>::new(rig.context, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_READ_WRITE, 2000);
    let (head, tail) = link(list.slice());
    assert_eq!(walk(&rig, queue, |k| set_svm(k, 0, head), &[]), sum(head));
    let (add, pool) = (rig.kernel("extend"), Svm::<Node>::new(rig.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 10));
    set_svm(add, 0, tail);
    set_svm(add, 1, pool.ptr);
    set(add, 2, 10u32);
    launch(queue, add, 1, &[]).release();
    finish(queue);
    assert_eq!(sum(head), ((0..2000).sum::<u64>() + (1000..1010).sum::<u64>(), 2010));
    // A kernel's output is the source of a write, and the result of a read the input of a kernel, without a
    // wait of the host.
    let cell = Svm::<u32>::new(rig.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 1024);
    cell.slice().fill(1);
    let (scale, mem) = (rig.kernel("scale"), rig.buffer(&[0u32; 1024]));
    set_svm(scale, 0, cell.ptr);
    set(scale, 1, 7u32);
    launch(queue, scale, 1024, &[]).release();
    // SAFETY: the memory has the size and outlives the commands.
    unsafe {
        ok(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, 4096, cell.ptr.cast(), 0, null(), null_mut()));
        let seven = [8u32];
        ok(clEnqueueFillBuffer(queue, mem, seven.as_ptr().cast(), 4, 0, 4, 0, null(), null_mut()));
        ok(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, 4096, cell.ptr.cast(), 0, null(), null_mut()));
    }
    launch(queue, scale, 1024, &[]).release();
    finish(queue);
    let expected = |i: u32| if i == 0 { 56 } else { (7 + i) * 7 + i };
    assert!(cell.slice().iter().enumerate().all(|(i, v)| *v == expected(i as u32)));
    release([add, scale]);
    release([mem]);
    release([queue]);
}

/// Memory of the process's own allocator.
pub fn memory_of_the_system() {
    let rig = rig();
    let mut nodes = vec![Node { next: null_mut(), value: 0 }; 1000];
    let (head, tail) = link(&mut nodes);
    if !offer().system() {
        let kernel = rig.kernel("walk");
        // SAFETY: a live handle; nothing is followed.
        let code = unsafe { clSetKernelArgSVMPointer(kernel, 0, head.cast()) };
        assert_eq!(code, if offer().coarse() { CL_INVALID_ARG_VALUE } else { CL_INVALID_OPERATION });
        return release([kernel]);
    }
    let queue = rig.queue(0);
    assert_eq!(walk(&rig, queue, |k| set_svm(k, 0, head), &[]), sum(head));
    let mut pool = vec![Node { next: null_mut(), value: 0 }; 100];
    let extend = rig.kernel("extend");
    set_svm(extend, 0, tail);
    set_svm(extend, 1, pool.as_mut_ptr());
    set(extend, 2, 100u32);
    launch(queue, extend, 1, &[]).release();
    // A copy of the kernel's output, in the order of the queue.
    let mut copy = vec![Node { next: null_mut(), value: 0 }; 100];
    let size = size_of_val(&copy[..]);
    // SAFETY: both sides have the size and outlive the command.
    ok(unsafe {
        clEnqueueSVMMemcpy(
            queue,
            CL_TRUE,
            copy.as_mut_ptr().cast(),
            pool.as_ptr().cast(),
            size,
            0,
            null(),
            null_mut(),
        )
    });
    assert!(copy.iter().enumerate().all(|(i, n)| n.value == 1000 + i as u64));
    assert_eq!(sum(head).1, 1100);
    // SAFETY: as above; mapping changes nothing.
    unsafe {
        ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, pool.as_mut_ptr().cast(), 8, 0, null(), null_mut()));
        ok(clEnqueueSVMUnmap(queue, pool.as_mut_ptr().cast(), 0, null(), null_mut()));
        let zero = 0u64;
        ok(clEnqueueSVMMemFill(
            queue,
            pool.as_mut_ptr().cast(),
            (&raw const zero).cast(),
            8,
            1600,
            0,
            null(),
            null_mut(),
        ));
    }
    finish(queue);
    assert!(pool.iter().all(|n| n.value == 0));
    release([extend]);
    release([queue]);
}

/// Host and kernel count and signal through the same words at the same time.
pub fn atomics_of_host_and_device() {
    // The scope of all devices is optional, so these kernels have no precompiled module.
    if !offer().atomics() || number(&device_info(device(), CL_DEVICE_COMPILER_AVAILABLE).unwrap()) == 0 {
        return;
    }
    const SPIN: &str = "
        kernel void meet(volatile global atomic_uint *p) {
            atomic_store_explicit(&p[0], 1, memory_order_release, memory_scope_all_svm_devices);
            uint seen = 0;
            // llvmpipe of Mesa 22.3 ends loops after 65535 rounds.
            for (uint i = 0; i < 60000 && !seen; i++)
                seen = atomic_load_explicit(&p[1], memory_order_acquire, memory_scope_all_svm_devices);
            atomic_store_explicit(&p[2], seen, memory_order_release, memory_scope_all_svm_devices);
        }
        kernel void count(volatile global atomic_uint *p) {
            atomic_fetch_add_explicit(p, 1, memory_order_relaxed, memory_scope_all_svm_devices);
        }";
    let (device, context) = (device(), context());
    let mut code = 1;
    let options = c"-cl-std=CL3.0";
    let (mut text, length) = (SPIN.as_ptr().cast::<c_char>(), SPIN.len());
    // SAFETY: one string with its length, terminated options.
    let program = unsafe {
        let program = clCreateProgramWithSource(context, 1, &mut text, &length, &mut code);
        ok(code);
        let built = clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut());
        assert_eq!(built, CL_SUCCESS, "{}", build_log(program, device));
        program
    };
    let rig = Rig { device, context, program };
    let queue = rig.queue(0);
    let flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    let words = Svm::<AtomicU32>::new(context, flags, 4);
    let cell = |i: usize| &words.slice()[i];
    (0..4).for_each(|i| cell(i).store(0, Ordering::Relaxed));
    let meet = rig.kernel("meet");
    set_svm(meet, 0, words.ptr);
    // The kernel gives up after a while, in which the host may not have written.
    let start = Instant::now();
    while cell(2).load(Ordering::Acquire) != 5 {
        (0..3).for_each(|i| cell(i).store(0, Ordering::Relaxed));
        let event = launch(queue, meet, 1, &[]);
        // SAFETY: a live handle.
        ok(unsafe { clFlush(queue) });
        while cell(0).load(Ordering::Acquire) == 0 {
            assert!(start.elapsed() < PATIENCE, "no kernel sees the host's signal, or the host the kernel's");
            std::hint::spin_loop();
        }
        cell(1).store(5, Ordering::Release);
        assert_eq!(wait(&[event]), CL_SUCCESS);
        release([event]);
    }
    let count = rig.kernel("count");
    set_svm(count, 0, cell(3));
    let counted = launch(queue, count, 100_000, &[]);
    // SAFETY: a live handle.
    ok(unsafe { clFlush(queue) });
    for _ in 0..100_000 {
        cell(3).fetch_add(1, Ordering::Relaxed);
    }
    assert_eq!(wait(&[counted]), CL_SUCCESS);
    assert_eq!(cell(3).load(Ordering::Relaxed), 200_000);
    release([counted]);
    release([meet, count]);
    release([queue]);
}

static FREED: AtomicBool = AtomicBool::new(false);

/// Records its arguments and frees the memory.
unsafe extern "C" fn on_free(
    queue: cl_command_queue,
    count: cl_uint,
    list: *mut *mut c_void,
    data: *mut c_void,
) {
    let mut context: cl_context = null_mut();
    // SAFETY: the driver hands over the list with its length; the queue is alive.
    unsafe {
        let name = CL_QUEUE_CONTEXT;
        assert_eq!(
            clGetCommandQueueInfo(
                queue,
                name,
                size_of::<cl_context>(),
                (&raw mut context).cast(),
                null_mut()
            ),
            0
        );
        assert_eq!((count, data as usize), (2, 42));
        for i in 0..2 {
            clSVMFree(context, *list.add(i));
        }
    }
    FREED.store(true, Ordering::Release);
}

pub fn freeing() {
    if !offer().coarse() {
        return;
    }
    let rig = rig();
    let (queue, gate) = (rig.queue(0), rig.gate());
    // SAFETY: allocations of the context that nothing uses after they are freed.
    unsafe {
        let alloc = || clSVMAlloc(rig.context, 0, 1 << 16, 0);
        let mut list = [alloc(), alloc()];
        let mut event = null_mut();
        let data = std::ptr::without_provenance_mut(42);
        ok(clEnqueueSVMFree(queue, 2, list.as_mut_ptr(), Some(on_free), data, 1, &gate, &mut event));
        assert!(!FREED.load(Ordering::Acquire), "before its time");
        open_gate(gate, CL_COMPLETE);
        assert_eq!(wait(&[event]), CL_SUCCESS);
        assert!(FREED.load(Ordering::Acquire));
        assert_eq!(command_type(event), CL_COMMAND_SVM_FREE);
        release([event]);
        // Without a function, including NULL pointers; the memory is reused, however often.
        for _ in 0..50 {
            let mut list = [clSVMAlloc(rig.context, 0, 64 << 20, 0), null_mut()];
            assert!(!list[0].is_null());
            ok(clEnqueueSVMFree(queue, 2, list.as_mut_ptr(), None, null_mut(), 0, null(), null_mut()));
            finish(queue);
        }
        clSVMFree(rig.context, null_mut());
        clSVMFree(null_mut(), null_mut());
        // A launch retains the memory that it uses.
        let kernel = rig.kernel("scale");
        let memory = clSVMAlloc(rig.context, 0, 4096, 0);
        set_svm(kernel, 0, memory);
        set(kernel, 1, 1u32);
        let gate = rig.gate();
        let launched = launch_after(queue, kernel, 1024, gate);
        clSVMFree(rig.context, memory);
        open_gate(gate, CL_COMPLETE);
        assert_eq!(wait(&[launched]), CL_SUCCESS);
        release([launched, gate]);
        release([kernel]);
    }
    release([gate]);
    release([queue]);
}

fn launch_after(queue: cl_command_queue, kernel: cl_kernel, size: usize, gate: cl_event) -> cl_event {
    launch(queue, kernel, size, &[gate])
}
