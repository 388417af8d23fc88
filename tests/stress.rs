//! Many threads, queues, events and objects at once, through the ICD loader. Results are compared with a
//! computation on the host that detects lost, duplicated and reordered commands.

#![allow(clippy::unwrap_used)]

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;
use test_support::api::rig::*;
use test_support::api::*;

const N: usize = 64;

/// A buffer with its expected contents.
struct Tracked {
    kernel: cl_kernel,
    mem: cl_mem,
    expected: Vec<u32>,
}

impl Tracked {
    fn new(rig: &Rig, seed: u32) -> Tracked {
        let expected: Vec<u32> = (0..N as u32).map(|i| i + seed).collect();
        let (mem, kernel) = (rig.buffer(&expected), rig.kernel("step"));
        set(kernel, 0, mem);
        Tracked { kernel, mem, expected }
    }
    fn step(&mut self, queue: cl_command_queue, factor: u32, addend: u32, waits: &[cl_event]) -> cl_event {
        set(self.kernel, 1, factor);
        set(self.kernel, 2, addend);
        for v in &mut self.expected {
            *v = v.wrapping_mul(factor).wrapping_add(addend);
        }
        launch(queue, self.kernel, N, waits)
    }
    fn check(self, queue: cl_command_queue) {
        assert_eq!(read::<u32>(queue, self.mem, N), self.expected);
        self.kernel.release();
        self.mem.release();
    }
}

#[test]
fn many_threads_on_many_queues() {
    let rig = Rig::new(STEPS);
    let shared: Vec<Any<_>> =
        (0..4).map(|i| Any(rig.queue(if i % 2 == 0 { 0 } else { OUT_OF_ORDER }))).collect();
    std::thread::scope(|scope| {
        for t in 0..8u32 {
            let shared = &shared;
            scope.spawn(move || {
                let own = rig.queue(if t % 2 == 0 { 0 } else { OUT_OF_ORDER });
                let mut random = Random(u64::from(t));
                let mut data = Tracked::new(&rig, t);
                let mut last: Option<cl_event> = None;
                for i in 0..100 {
                    let queue =
                        if random.below(3) == 0 { own } else { shared[random.below(shared.len())].get() };
                    let event = data.step(queue, 2 * random.below(50) as u32 + 3, i, last.as_slice());
                    release(last.replace(event));
                    match random.below(20) {
                        0 => ok(wait(&[event])),
                        // SAFETY: a live handle.
                        1 => ok(unsafe { clFlush(queue) }),
                        2 => finish(queue),
                        _ => {}
                    }
                }
                ok(wait(last.as_slice()));
                release(last);
                data.check(own);
                own.release();
            });
        }
    });
    release(shared.into_iter().map(|q| q.0));
    rig.program.release();
    rig.context.release();
}

#[test]
fn many_threads_on_one_queue() {
    for properties in [0, OUT_OF_ORDER] {
        let rig = Rig::new(STEPS);
        let queue = Any(rig.queue(properties));
        std::thread::scope(|scope| {
            for t in 0..8u32 {
                let queue = &queue;
                scope.spawn(move || {
                    let queue = queue.get();
                    let mut data = Tracked::new(&rig, t);
                    for i in 0..50 {
                        if properties == 0 {
                            data.step(queue, 5, i, &[]).release();
                        } else {
                            // SAFETY: a live handle; barriers of eight threads meet in the queue.
                            ok(unsafe { clEnqueueBarrierWithWaitList(queue, 0, null(), null_mut()) });
                            data.step(queue, 5, i, &[]).release();
                        }
                    }
                    finish(queue);
                    data.check(queue);
                });
            }
        });
        queue.get().release();
    }
}

#[test]
fn two_queues_depend_on_each_other() {
    let rig = Rig::new(STEPS);
    for (first, second) in
        [(0, 0), (0, OUT_OF_ORDER), (OUT_OF_ORDER, OUT_OF_ORDER), (CL_QUEUE_PROFILING_ENABLE, 0)]
    {
        for gated in [false, true] {
            let queues = [rig.queue(first), rig.queue(second)];
            let mut data = Tracked::new(&rig, 7);
            let gate = rig.gate();
            let mut last = if gated { Some(gate) } else { None };
            let mut events = Vec::new();
            for i in 0..500 {
                let event = data.step(queues[i % 2], 3, i as u32, last.as_slice());
                events.push(event);
                last = Some(event);
            }
            open_gate(gate, CL_COMPLETE);
            // The first queue has not been flushed: waiting must flush it.
            ok(wait(&[events[499]]));
            assert!(events.iter().all(|e| status(*e) == CL_COMPLETE));
            data.check(queues[0]);
            release(events);
            gate.release();
            release(queues);
        }
    }
}

#[test]
fn chains_of_a_hundred_thousand_commands() {
    const LENGTH: usize = 100_000;
    let rig = Rig::new(STEPS);
    // Every command waits for the previous one, across two queues, and none may start until all are enqueued.
    for (outcome, properties) in [(CL_COMPLETE, OUT_OF_ORDER), (-7, OUT_OF_ORDER), (-7, 0)] {
        let queues = [rig.queue(properties), rig.queue(OUT_OF_ORDER)];
        let gate = rig.gate();
        let mut last = marker(queues[0], &[gate]);
        for i in 1..LENGTH {
            let next = marker(queues[i / 100 % 2], &[last]);
            last.release();
            last = next;
        }
        open_gate(gate, outcome);
        let expected = if outcome < 0 { CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST } else { CL_SUCCESS };
        assert_eq!(wait(&[last]), expected);
        last.release();
        gate.release();
        queues.into_iter().for_each(finish);
        release(queues);
    }
    // Launches in a queue that is not flushed before the end.
    let queue = rig.queue(0);
    let mut data = Tracked::new(&rig, 1);
    for i in 0..LENGTH / 5 {
        data.step(queue, 3, i as u32, &[]).release();
    }
    data.check(queue);
    queue.release();
}

#[test]
fn ten_thousand_live_buffers() {
    const COUNT: usize = 10_000;
    let rig = Rig::new(STEPS);
    let queue = rig.queue(0);
    let kernel = rig.kernel("step");
    let buffers: Vec<cl_mem> = (0..COUNT as u32).map(|i| rig.buffer(&[i; N])).collect();
    for (i, mem) in buffers.iter().enumerate() {
        if i % 4 == 0 {
            set(kernel, 0, *mem);
            set(kernel, 1, 2u32);
            set(kernel, 2, 1u32);
            launch(queue, kernel, N, &[]).release();
        } else if i % 4 == 1 {
            let value = i as u32 + 5;
            // SAFETY: the pattern has four bytes.
            ok(unsafe {
                clEnqueueFillBuffer(
                    queue,
                    *mem,
                    (&raw const value).cast(),
                    4,
                    0,
                    4 * N,
                    0,
                    null(),
                    null_mut(),
                )
            });
        }
    }
    // One wait for all: separate waits take long on a busy machine.
    let mut seen = vec![[0u32; N]; COUNT];
    for (mem, words) in buffers.iter().zip(&mut seen) {
        // SAFETY: the words have the size and live until all is done.
        ok(unsafe {
            clEnqueueReadBuffer(queue, *mem, 0, 0, 4 * N, words.as_mut_ptr().cast(), 0, null(), null_mut())
        });
    }
    finish(queue);
    for (i, words) in seen.iter().enumerate() {
        let expected = match i % 4 {
            0 => i as u32 * 2 + 1,
            1 => i as u32 + 5,
            _ => i as u32,
        };
        assert_eq!(*words, [expected; N], "buffer {i}");
    }
    release(buffers);
    kernel.release();
    queue.release();
}

unsafe extern "C" fn count_mem(_mem: cl_mem, data: *mut c_void) {
    // SAFETY: the tests pass counters that live for ever.
    unsafe { &*data.cast::<AtomicUsize>() }.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn everything_is_released_while_work_is_in_flight() {
    static GONE: AtomicUsize = AtomicUsize::new(0);
    for round in 0..20 {
        let rig = Rig::new(STEPS);
        let queue = rig.queue(if round % 2 == 0 { 0 } else { OUT_OF_ORDER });
        let gated = round % 3 != 0;
        let gate = rig.gate();
        let mut data = Tracked::new(&rig, round);
        // SAFETY: the counter lives for ever.
        ok(unsafe {
            clSetMemObjectDestructorCallback(data.mem, Some(count_mem), (&raw const GONE).cast_mut().cast())
        });
        let mut last = marker(queue, [gate].get(..usize::from(gated)).unwrap());
        for i in 0..50 {
            let next = data.step(queue, 7, i, &[last]);
            last.release();
            last = next;
        }
        let mut out = [0u32; N];
        let done = read_later(queue, data.mem, &mut out, &[last]);
        last.release();
        data.kernel.release();
        data.mem.release();
        queue.release();
        rig.program.release();
        rig.context.release();
        open_gate(gate, CL_COMPLETE);
        gate.release();
        ok(wait(&[done]));
        assert_eq!(out[..], data.expected[..]);
        done.release();
        assert!(
            eventually(|| GONE.load(Ordering::SeqCst) == round as usize + 1),
            "the buffer of round {round} was not destroyed"
        );
    }
}

fn sub_buffer(parent: cl_mem, flags: cl_mem_flags, origin: usize, size: usize) -> Result<cl_mem, cl_int> {
    let (region, mut code) = (cl_buffer_region { origin, size }, 1);
    // SAFETY: the region is what the type says.
    let mem = unsafe {
        clCreateSubBuffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast(), &mut code)
    };
    if code == CL_SUCCESS { Ok(mem) } else { Err(code) }
}

fn alignment() -> usize {
    number(&device_info(device(), CL_DEVICE_MEM_BASE_ADDR_ALIGN).unwrap()) as usize / 8
}

#[test]
fn sub_buffers_share_their_parents_bytes() {
    let (rig, align) = (Rig::new(STEPS), alignment());
    let queue = rig.queue(0);
    let words = align / 4 * 8;
    let mut model: Vec<u32> = (0..words as u32).collect();
    let parent = rig.buffer(&model);
    assert_eq!(sub_buffer(parent, 0, 1, 4), Err(CL_MISALIGNED_SUB_BUFFER_OFFSET));
    assert_eq!(sub_buffer(parent, 0, align, 8 * align), Err(CL_INVALID_VALUE));
    assert_eq!(sub_buffer(parent, 0, align, 0), Err(CL_INVALID_BUFFER_SIZE));
    let parts: Vec<cl_mem> = (0..8).map(|i| sub_buffer(parent, 0, i * align, align).unwrap()).collect();
    assert_eq!(sub_buffer(parts[0], 0, 0, 4), Err(CL_INVALID_MEM_OBJECT));
    let (step, combine) = (rig.kernel("step"), rig.kernel("combine"));
    let (n, mut random) = (align / 4, Random(9));
    for round in 0..200u32 {
        let (a, b) = (random.below(8), random.below(8));
        match random.below(4) {
            0 => {
                set(step, 0, parts[a]);
                set(step, 1, 3u32);
                set(step, 2, round);
                launch(queue, step, n, &[]).release();
                model[a * n..][..n].iter_mut().for_each(|v| *v = v.wrapping_mul(3).wrapping_add(round));
            }
            1 if a != b => {
                set(combine, 0, parts[a]);
                set(combine, 1, parts[b]);
                launch(queue, combine, n, &[]).release();
                for i in 0..n {
                    model[a * n + i] = model[a * n + i].wrapping_mul(3).wrapping_add(model[b * n + i]);
                }
            }
            2 => {
                // SAFETY: in bounds.
                let code = unsafe {
                    clEnqueueCopyBuffer(
                        queue,
                        parts[a],
                        parts[b],
                        0,
                        align / 2,
                        align / 2,
                        0,
                        null(),
                        null_mut(),
                    )
                };
                if a == b {
                    ok(code);
                }
                ok(code);
                model.copy_within(a * n..a * n + n / 2, b * n + n / 2);
            }
            _ => {
                let bytes = vec![round; n];
                // SAFETY: a blocking write of the part's size, alternately through part and parent.
                ok(unsafe {
                    let (mem, offset) = if round % 2 == 0 { (parts[a], 0) } else { (parent, a * align) };
                    clEnqueueWriteBuffer(
                        queue,
                        mem,
                        1,
                        offset,
                        align,
                        bytes.as_ptr().cast(),
                        0,
                        null(),
                        null_mut(),
                    )
                });
                model[a * n..][..n].fill(round);
            }
        }
    }
    assert_eq!(read::<u32>(queue, parent, words), model);
    // A sub-buffer retains the buffer.
    parent.release();
    assert_eq!(read::<u32>(queue, parts[3], n), model[3 * n..4 * n]);
    release(parts);
    release([step, combine]);
    queue.release();
}

/// Short writes behind launches are executed by the device, reads of them and writes after them by the host.
#[test]
fn short_writes_are_complete_when_the_host_follows() {
    let rig = Rig::new(STEPS);
    let write = |queue, mem, value: u32| {
        let values = [value; 32];
        // SAFETY: a blocking write of the buffer's size.
        ok(unsafe {
            clEnqueueWriteBuffer(queue, mem, 1, 0, 128, values.as_ptr().cast(), 0, null(), null_mut())
        });
    };
    std::thread::scope(|scope| {
        for t in 0..8u32 {
            scope.spawn(move || {
                let queue = rig.queue(0);
                let mut data = Tracked::new(&rig, t);
                let mem = rig.buffer(&[0u32; 32]);
                for round in 0..100 {
                    data.step(queue, 3, round, &[]).release();
                    write(queue, mem, round);
                    assert_eq!(read::<u32>(queue, mem, 32), [round; 32]);
                    data.step(queue, 5, round, &[]).release();
                    write(queue, mem, round | 1 << 16);
                    finish(queue);
                    write(queue, mem, round | 1 << 17);
                    data.step(queue, 7, round, &[]).release();
                    finish(queue);
                    assert_eq!(read::<u32>(queue, mem, 32), [round | 1 << 17; 32]);
                }
                data.check(queue);
                mem.release();
                queue.release();
            });
        }
    });
    rig.program.release();
    rig.context.release();
}

#[test]
fn migration_keeps_the_bytes() {
    let rig = Rig::new(STEPS);
    for properties in [0, OUT_OF_ORDER] {
        let queue = rig.queue(properties);
        let mut data = Tracked::new(&rig, 3);
        let other = rig.buffer(&[1u8; 100]);
        let mut last = data.step(queue, 3, 1, &[]);
        for flags in [0, CL_MIGRATE_MEM_OBJECT_HOST, 0] {
            let (list, mut moved) = ([data.mem, other], null_mut());
            // SAFETY: two live handles.
            ok(unsafe { clEnqueueMigrateMemObjects(queue, 2, list.as_ptr(), flags, 1, &last, &mut moved) });
            let next = data.step(queue, 3, 2, &[moved]);
            release([last, moved]);
            last = next;
        }
        // SAFETY: no list; an unknown flag.
        unsafe {
            assert_eq!(
                clEnqueueMigrateMemObjects(queue, 0, null(), 0, 0, null(), null_mut()),
                CL_INVALID_VALUE
            );
            assert_eq!(
                clEnqueueMigrateMemObjects(queue, 1, &other, 1 << 20, 0, null(), null_mut()),
                CL_INVALID_VALUE
            );
            let undefined = CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
            ok(clEnqueueMigrateMemObjects(queue, 1, &other, undefined, 0, null(), null_mut()));
        }
        ok(wait(&[last]));
        last.release();
        data.check(queue);
        other.release();
        queue.release();
    }
}

unsafe extern "C" fn note_order(_mem: cl_mem, data: *mut c_void) {
    // SAFETY: the test passes boxed pairs.
    let (number, sender) = *unsafe { Box::from_raw(data.cast::<(usize, mpsc::Sender<usize>)>()) };
    sender.send(number).unwrap();
}

#[test]
fn destructor_callbacks_run_once_in_reverse_order() {
    let rig = Rig::new(STEPS);
    let (send, receive) = mpsc::channel::<usize>();
    let parent = rig.buffer(&[0u8; 4096]);
    let part = sub_buffer(parent, 0, 0, 64).unwrap();
    for (mem, number) in [(parent, 1usize), (parent, 2), (part, 3), (parent, 4)] {
        let data = Box::into_raw(Box::new((number, send.clone())));
        // SAFETY: the callback takes the box.
        ok(unsafe { clSetMemObjectDestructorCallback(mem, Some(note_order), data.cast()) });
    }
    drop(send);
    parent.release();
    assert!(receive.recv_timeout(Duration::from_millis(50)).is_err(), "the parent is in use");
    part.release();
    assert_eq!(receive.iter().collect::<Vec<_>>(), [3, 4, 2, 1]);
    // SAFETY: no callback is an error.
    unsafe {
        let mem = rig.buffer(&[0u8; 4]);
        assert_eq!(clSetMemObjectDestructorCallback(mem, None, null_mut()), CL_INVALID_VALUE);
        mem.release();
    }
}

/// One side of a rectangular copy: origin, row pitch, slice pitch, and its size in bytes.
struct Side {
    origin: [usize; 3],
    row: usize,
    slice: usize,
}

impl Side {
    fn random(random: &mut Random, region: [usize; 3]) -> Side {
        let row = region[0] + random.below(9);
        let slice = row * (region[1] + random.below(3));
        Side { origin: [random.below(7), random.below(3), random.below(3)], row, slice }
    }
    fn at(&self, x: usize, y: usize, z: usize) -> usize {
        (self.origin[2] + z) * self.slice + (self.origin[1] + y) * self.row + self.origin[0] + x
    }
    fn copy(from: &Side, source: &[u8], to: &Side, target: &mut [u8], region: [usize; 3]) {
        for z in 0..region[2] {
            for y in 0..region[1] {
                for x in 0..region[0] {
                    target[to.at(x, y, z)] = source[from.at(x, y, z)];
                }
            }
        }
    }
}

#[test]
fn rectangles_agree_with_the_host() {
    const SIZE: usize = 20_000;
    let rig = Rig::new(STEPS);
    let mut random = Random(42);
    for properties in [0, CL_QUEUE_PROFILING_ENABLE] {
        let queue = rig.queue(properties);
        let fresh = |seed: usize| -> Vec<u8> { (0..SIZE).map(|i| (i * 7 + seed + i / 251) as u8).collect() };
        let mut models = [fresh(1), fresh(2)];
        let buffers = [rig.buffer(&models[0]), rig.buffer(&models[1])];
        for round in 0..150 {
            let region = [1 + random.below(24), 1 + random.below(8), 1 + random.below(6)];
            let (a, b) = (Side::random(&mut random, region), Side::random(&mut random, region));
            let at = random.below(2);
            let (ao, bo, r) = (a.origin.as_ptr(), b.origin.as_ptr(), region.as_ptr());
            let mut host = fresh(round);
            match random.below(3) {
                // SAFETY: both sides end within SIZE.
                0 => unsafe {
                    let to = host.as_mut_ptr().cast();
                    let mut expected = host.clone();
                    Side::copy(&a, &models[at], &b, &mut expected, region);
                    let args = (a.row, a.slice, b.row, b.slice);
                    let (ar, asl, br, bs) = args;
                    ok(clEnqueueReadBufferRect(
                        queue,
                        buffers[at],
                        1,
                        ao,
                        bo,
                        r,
                        ar,
                        asl,
                        br,
                        bs,
                        to,
                        0,
                        null(),
                        null_mut(),
                    ));
                    assert_eq!(host, expected);
                },
                // SAFETY: as above.
                1 => unsafe {
                    let from = host.as_ptr().cast();
                    Side::copy(&b, &host, &a, &mut models[at], region);
                    let blocking = cl_bool::from(random.below(2) == 0);
                    let (ar, asl, br, bs) = (a.row, a.slice, b.row, b.slice);
                    let mut event = null_mut();
                    ok(clEnqueueWriteBufferRect(
                        queue,
                        buffers[at],
                        blocking,
                        ao,
                        bo,
                        r,
                        ar,
                        asl,
                        br,
                        bs,
                        from,
                        0,
                        null(),
                        &mut event,
                    ));
                    ok(wait(&[event]));
                    event.release();
                },
                // SAFETY: as above.
                _ => unsafe {
                    let source = models[at].clone();
                    Side::copy(&a, &source, &b, &mut models[1 - at], region);
                    let (from, to) = (buffers[at], buffers[1 - at]);
                    let (ar, asl, br, bs) = (a.row, a.slice, b.row, b.slice);
                    ok(clEnqueueCopyBufferRect(
                        queue,
                        from,
                        to,
                        ao,
                        bo,
                        r,
                        ar,
                        asl,
                        br,
                        bs,
                        0,
                        null(),
                        null_mut(),
                    ));
                },
            }
        }
        assert_eq!(read::<u8>(queue, buffers[0], SIZE), models[0]);
        assert_eq!(read::<u8>(queue, buffers[1], SIZE), models[1]);
        release(buffers);
        queue.release();
    }
}

unsafe extern "C" fn send_status(_event: cl_event, status: cl_int, data: *mut c_void) {
    // SAFETY: the tests pass boxed senders.
    let sender = *unsafe { Box::from_raw(data.cast::<mpsc::Sender<cl_int>>()) };
    let _ = sender.send(status);
}

#[test]
fn a_failed_user_event_fails_what_waits_for_it() {
    let rig = Rig::new(STEPS);
    for (first, second) in [(0, 0), (OUT_OF_ORDER, 0), (OUT_OF_ORDER, OUT_OF_ORDER)] {
        let queues = [rig.queue(first), rig.queue(second)];
        let data = Tracked::new(&rig, 11);
        let gate = rig.gate();
        set(data.kernel, 1, 9u32);
        set(data.kernel, 2, 9u32);
        let a = launch(queues[0], data.kernel, N, &[gate]);
        let b = launch(queues[1], data.kernel, N, &[a]);
        let mut out = [0u32; N];
        let c = read_later(queues[0], data.mem, &mut out, &[b]);
        let (send, receive) = mpsc::channel::<cl_int>();
        for level in [CL_COMPLETE, CL_RUNNING, CL_SUBMITTED] {
            let sender = Box::into_raw(Box::new(send.clone()));
            // SAFETY: the callback takes the box.
            ok(unsafe { clSetEventCallback(c, level, Some(send_status), sender.cast()) });
        }
        drop(send);
        let waiter = Any(c);
        let waiting = std::thread::spawn(move || wait(&[waiter.get()]));
        open_gate(gate, -1234);
        let failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        assert_eq!(waiting.join().unwrap(), failed);
        assert_eq!(status(gate), -1234);
        for event in [a, b, c] {
            assert_eq!(wait(&[event]), failed);
            assert!(status(event) < 0);
        }
        assert!(receive.iter().all(|s| s < 0));
        queues.into_iter().for_each(finish);
        assert_eq!(out, [0; N]);
        // No command has run, and the queues still work.
        data.check(queues[1]);
        release([a, b, c, gate]);
        release(queues);
    }
}

#[test]
fn several_contexts_at_once() {
    std::thread::scope(|scope| {
        for t in 0..4 {
            scope.spawn(move || {
                for round in 0..5 {
                    let rig = Rig::new(STEPS);
                    let queue = rig.queue(0);
                    let mut data = Tracked::new(&rig, t * 10 + round);
                    for i in 0..20 {
                        data.step(queue, 3, i, &[]).release();
                    }
                    data.check(queue);
                    queue.release();
                    rig.program.release();
                    rig.context.release();
                }
            });
        }
    });
    let (one, two) = (Rig::new(STEPS), Rig::new(STEPS));
    let (queue, foreign) = (one.queue(0), two.gate());
    let (mem, kernel) = (two.buffer(&[0u32; N]), one.kernel("step"));
    // SAFETY: live handles of the wrong context.
    unsafe {
        assert_eq!(
            clSetKernelArg(kernel, 0, size_of::<cl_mem>(), (&raw const mem).cast()),
            CL_INVALID_CONTEXT
        );
        assert_eq!(clEnqueueMarkerWithWaitList(queue, 1, &foreign, null_mut()), CL_INVALID_CONTEXT);
        let pattern = 0u8;
        let code =
            clEnqueueFillBuffer(queue, mem, (&raw const pattern).cast(), 1, 0, 4, 0, null(), null_mut());
        assert_eq!(code, CL_INVALID_CONTEXT);
        let events = [one.gate(), foreign];
        assert_eq!(clWaitForEvents(2, events.as_ptr()), CL_INVALID_CONTEXT);
    }
}

/// State that a callback needs to enqueue the next step.
struct Relay {
    queue: cl_command_queue,
    data: Tracked,
    left: u32,
    done: mpsc::Sender<Tracked>,
}

unsafe extern "C" fn relay(event: cl_event, status: cl_int, data: *mut c_void) {
    // SAFETY: the test passes a boxed relay, which is handed on.
    let mut relay_data = unsafe { Box::from_raw(data.cast::<Relay>()) };
    assert_eq!(status, CL_COMPLETE);
    event.release();
    if relay_data.left == 0 {
        let Relay { data, done, .. } = *relay_data;
        let _ = done.send(data);
        return;
    }
    relay_data.left -= 1;
    let (queue, left) = (relay_data.queue, relay_data.left);
    let next = relay_data.data.step(queue, 3, left, &[]);
    // SAFETY: live handles; the callback gets the relay.
    unsafe {
        ok(clSetEventCallback(next, CL_COMPLETE, Some(relay), Box::into_raw(relay_data).cast()));
        ok(clFlush(queue));
    }
}

// SAFETY: handles may be used by any thread.
unsafe impl Send for Tracked {}

#[test]
fn callbacks_use_the_queue() {
    let rig = Rig::new(STEPS);
    for properties in [0, OUT_OF_ORDER] {
        let queue = rig.queue(properties);
        let (send, receive) = mpsc::channel();
        let relay_data = Relay { queue, data: Tracked::new(&rig, 5), left: 200, done: send };
        let first = marker(queue, &[]);
        // SAFETY: the callback gets the box, and the event's only reference.
        unsafe {
            ok(clSetEventCallback(
                first,
                CL_COMPLETE,
                Some(relay),
                Box::into_raw(Box::new(relay_data)).cast(),
            ));
            ok(clFlush(queue));
        }
        let data = receive.recv_timeout(PATIENCE).expect("the last callback");
        data.check(queue);
        queue.release();
    }
}

unsafe extern "C" fn blocking_in_callback(_event: cl_event, _status: cl_int, data: *mut c_void) {
    // SAFETY: the test passes a boxed triple.
    let (queue, gate, sender) =
        *unsafe { Box::from_raw(data.cast::<(cl_command_queue, cl_event, mpsc::Sender<()>)>()) };
    // The specification makes these calls in callbacks undefined, but applications use them: they work unless
    // another call waits for callbacks.
    finish(queue);
    open_gate(gate, CL_COMPLETE);
    let _ = sender.send(());
}

#[test]
fn callbacks_may_open_gates_and_wait() {
    let rig = Rig::new(STEPS);
    let (queue, other) = (rig.queue(0), rig.queue(0));
    let (gate, (send, receive)) = (rig.gate(), mpsc::channel::<()>());
    let first = marker(queue, &[]);
    let mut data = Tracked::new(&rig, 1);
    let held = data.step(other, 3, 4, &[gate]);
    let boxed = Box::into_raw(Box::new((queue, gate, send)));
    // SAFETY: the callback takes the box.
    ok(unsafe { clSetEventCallback(first, CL_COMPLETE, Some(blocking_in_callback), boxed.cast()) });
    ok(wait(&[held]));
    receive.recv_timeout(PATIENCE).unwrap();
    data.check(other);
    release([first, held, gate]);
    release([queue, other]);
}

/// The host memory filled by a pending read may be the source of a later write, in the same queue or in
/// another one that waits for it.
#[test]
fn bytes_read_are_written_on() {
    let rig = Rig::new(STEPS);
    let queues = [rig.queue(0), rig.queue(0)];
    for (size, other) in [(64usize, 0usize), (64, 1), (100_000, 0), (100_000, 1)] {
        let content: Vec<u32> = (0..size as u32).map(|i| i * 3 + other as u32).collect();
        let (from, to) = (rig.buffer(&content), rig.buffer(&vec![0u32; size]));
        for round in 0..5u32 {
            let mut between = vec![round; size];
            let gate = rig.gate();
            let first = read_later(queues[0], from, &mut between, &[gate]);
            let (bytes, waits) = (size * 4, [first]);
            let mut second = null_mut();
            // SAFETY: live handles; the memory lives until the events are waited for.
            ok(unsafe {
                clEnqueueWriteBuffer(
                    queues[other],
                    to,
                    0,
                    0,
                    bytes,
                    between.as_ptr().cast(),
                    1,
                    waits.as_ptr(),
                    &mut second,
                )
            });
            // SAFETY: a live user event.
            ok(unsafe { clSetUserEventStatus(gate, CL_COMPLETE) });
            assert_eq!(wait(&[first, second]), CL_SUCCESS);
            assert_eq!(read::<u32>(queues[other], to, size), content);
            for event in [gate, first, second] {
                event.release();
            }
        }
        from.release();
        to.release();
    }
}

/// The other tests, in processes with hidden device features: buffers reach the host through staging, as on
/// graphics cards, kernels receive addresses, and threads poll events that command buffers set at their end.
/// The validation layer learns nothing from these, so it is off where they count.
#[test]
fn again_as_on_a_graphics_card() {
    if std::env::var_os("PYROCLAST_FEATURES").is_some() {
        return;
    }
    for (hidden, validates) in [
        ("-mapped_buffers,-host_import,-quick_signals", true),
        ("-mapped_buffers,-bindings", true),
        ("-unified_memory,-host_import", true),
        ("-unified_memory,-quick_signals", false),
        ("-mapped_buffers,-quick_signals", false),
    ] {
        let mut again = std::process::Command::new(std::env::current_exe().unwrap());
        if !validates {
            again.env("PYROCLAST_VALIDATE", "none");
        }
        let output = again.env("PYROCLAST_FEATURES", hidden).output().unwrap();
        let text =
            [output.stdout, output.stderr].map(|t| String::from_utf8_lossy(&t).into_owned()).join("\n");
        assert!(output.status.success(), "without {hidden}: {text}");
    }
}
