//! The scheduler against the mock device.

use super::*;
use crate::command::{CommandKind, native, sync, transfer};
use crate::device::mock::{MockDevice, Mode};
use crate::host_ptr::HostPtr;
use crate::memory::{MemObject, buffer};
use std::sync::mpsc;

struct Rig {
    mock: Arc<MockDevice>,
    device: Arc<Device>,
    context: Arc<Context>,
}

impl Rig {
    fn new(mode: Mode, host_visible: bool, device_waits: bool) -> Rig {
        let mock = MockDevice::new(mode, host_visible, device_waits);
        let device = Device::new("mock", mock.clone());
        let context = Context::new([device.clone()], Vec::new(), None, Default::default()).unwrap();
        Rig { mock, device, context }
    }
    fn queue(&self, properties: cl_command_queue_properties) -> Arc<CommandQueue> {
        CommandQueue::new(&self.context, &self.device, properties, None).unwrap()
    }
    fn buffer(&self, bytes: &[u8]) -> Arc<MemObject> {
        let ptr = HostPtr::new(bytes.as_ptr().cast_mut());
        buffer::create(&self.context, None, CL_MEM_COPY_HOST_PTR, bytes.len(), Some(ptr)).unwrap()
    }
}

const OOO: cl_command_queue_properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

/// Enqueues a command that only the device can run.
fn nop(queue: &Arc<CommandQueue>, waits: &[&Arc<Event>]) -> Arc<Event> {
    let kind = CommandKind::NOP;
    let waits = waits.iter().map(|e| (*e).clone()).collect();
    let new = NewCommand {
        command_type: CL_COMMAND_MARKER,
        kind,
        waits,
        target: ExecutionTarget::Device,
        sync: SyncKind::None,
    };
    queue.enqueue(new).unwrap()
}

/// Lets the mock devices work until the event is done.
fn settle(mocks: &[Arc<MockDevice>], event: &Arc<Event>) -> cl_int {
    event.queue().unwrap().flush();
    while !event.is_done() {
        for mock in mocks {
            mock.step();
        }
    }
    event.status()
}

fn read(queue: &Arc<CommandQueue>, mem: &Arc<MemObject>) -> Vec<u8> {
    let mut out = vec![0u8; mem.size as usize];
    let ptr = HostPtr::new(out.as_mut_ptr());
    transfer::read_buffer(queue, mem, true, 0, out.len(), ptr, WaitList::new()).unwrap();
    out
}

#[test]
fn commands_gather_behind_a_busy_device() {
    let rig = Rig::new(Mode::OnWait, true, true);
    let q = rig.queue(0);
    let events: Vec<_> = (0..40).map(|_| nop(&q, &[])).collect();
    assert_eq!(rig.mock.submits.load(Ordering::Relaxed), 2);
    assert_eq!(events[1 + super::policy::SECOND_BATCH].status(), CL_QUEUED);
    q.flush();
    assert_eq!(rig.mock.submits.load(Ordering::Relaxed), 3);
    assert_eq!(events[39].status(), CL_SUBMITTED);
    q.finish().unwrap();
    assert!(events.iter().all(|e| e.status() == CL_COMPLETE));
}

#[test]
fn a_completion_sends_what_has_gathered() {
    let rig = Rig::new(Mode::OnWait, true, true);
    let q = rig.queue(0);
    let events: Vec<_> = (0..5).map(|_| nop(&q, &[])).collect();
    assert!(rig.mock.step());
    assert_eq!(events[0].status(), CL_COMPLETE);
    assert_eq!(events[4].status(), CL_SUBMITTED);
}

#[test]
fn two_queues_depend_on_each_other() {
    for (mode, waits) in
        [(Mode::OnWait, true), (Mode::OnWait, false), (Mode::AtOnce, true), (Mode::AtOnce, false)]
    {
        let rig = Rig::new(mode, true, waits);
        for properties in [0, OOO] {
            let (a, b) = (rig.queue(properties), rig.queue(properties));
            let gate = Event::user(&rig.context);
            let mut last = nop(&a, &[&gate]);
            for i in 0..100 {
                last = nop(if i % 2 == 0 { &b } else { &a }, &[&last]);
            }
            assert_eq!(last.status(), CL_QUEUED);
            gate.set_user_status(CL_COMPLETE).unwrap();
            assert_eq!(settle(std::slice::from_ref(&rig.mock), &last), CL_COMPLETE);
            a.finish().unwrap();
            b.finish().unwrap();
        }
    }
}

#[test]
fn waiting_flushes_the_queues_behind() {
    let rig = Rig::new(Mode::OnWait, true, true);
    let (a, b, c) = (rig.queue(0), rig.queue(0), rig.queue(0));
    for q in [&a, &b, &c] {
        (0..10).for_each(|_| drop(nop(q, &[])));
    }
    let first = nop(&a, &[]);
    let second = nop(&b, &[&first]);
    let third = nop(&c, &[&second]);
    assert_eq!(first.status(), CL_QUEUED);
    assert_eq!(third.wait(), CL_COMPLETE);
}

#[test]
fn user_events_hold_and_failures_spread() {
    for properties in [0, OOO] {
        let rig = Rig::new(Mode::AtOnce, true, true);
        let (q, other) = (rig.queue(properties), rig.queue(properties));
        let gate = Event::user(&rig.context);
        let a = nop(&q, &[&gate]);
        let b = nop(&other, &[&a]);
        let c = nop(&q, &[&b]);
        let free = nop(&other, &[]);
        let fine = nop(&q, &[]);
        gate.set_user_status(-7).unwrap();
        assert_eq!(gate.set_user_status(0).unwrap_err().code(), CL_INVALID_OPERATION);
        assert_eq!(gate.wait(), -7);
        for event in [&a, &b, &c] {
            assert_eq!(event.wait(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        }
        assert_eq!(free.wait(), CL_COMPLETE);
        assert_eq!(fine.wait(), CL_COMPLETE);
        assert_eq!(a.set_user_status(0).unwrap_err().code(), CL_INVALID_EVENT);
    }
}

#[test]
fn a_refused_submission_fails_its_commands() {
    let rig = Rig::new(Mode::OnWait, true, true);
    let q = rig.queue(0);
    rig.mock.fail_submits.store(true, Ordering::Relaxed);
    let a = nop(&q, &[]);
    assert_eq!(a.wait(), CL_OUT_OF_RESOURCES);
    rig.mock.fail_submits.store(false, Ordering::Relaxed);
    let b = nop(&q, &[]);
    assert_eq!(b.wait(), CL_COMPLETE);
    assert_eq!(nop(&q, &[&a]).wait(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    // Reported once, and only for the command that failed on its own.
    assert_eq!(q.finish().unwrap_err().code(), CL_OUT_OF_RESOURCES);
    q.finish().unwrap();
    nop(&q, &[&a]).wait();
    q.finish().unwrap();
}

#[test]
fn a_panic_in_the_device_fails_its_commands_only() {
    for properties in [0, OOO] {
        let rig = Rig::new(Mode::OnWait, true, true);
        let q = rig.queue(properties);
        rig.mock.panic_submits.store(true, Ordering::Relaxed);
        let a = nop(&q, &[]);
        assert_eq!(a.wait(), CL_OUT_OF_HOST_MEMORY);
        rig.mock.panic_submits.store(false, Ordering::Relaxed);
        assert_eq!(nop(&q, &[&a]).wait(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        assert_eq!(nop(&q, &[]).wait(), CL_COMPLETE);
        assert_eq!(q.finish().unwrap_err().code(), CL_OUT_OF_HOST_MEMORY);
        q.finish().unwrap();
    }
}

#[test]
fn long_chains_need_no_stack() {
    for (properties, status) in [(0, CL_COMPLETE), (OOO, CL_COMPLETE), (OOO, -5)] {
        let rig = Rig::new(Mode::AtOnce, true, true);
        let q = rig.queue(properties);
        let gate = Event::user(&rig.context);
        let mut last = nop(&q, &[&gate]);
        for _ in 0..100_000 {
            last = nop(&q, &[&last]);
        }
        gate.set_user_status(status).unwrap();
        assert_eq!(last.wait() < 0, status < 0);
        q.finish().unwrap();
        let weak = Arc::downgrade(&q);
        drop((q, last, gate));
        assert!(weak.upgrade().is_none(), "the queue is leaked");
    }
}

#[test]
fn long_chains_over_queues_need_no_stack() {
    let rig = Rig::new(Mode::AtOnce, true, false);
    let queues = [rig.queue(0), rig.queue(OOO), rig.queue(0)];
    let gate = Event::user(&rig.context);
    let mut last = gate.clone();
    for i in 0..30_000 {
        last = nop(&queues[i % 3], &[&last]);
    }
    gate.set_user_status(CL_COMPLETE).unwrap();
    assert_eq!(last.wait(), CL_COMPLETE);
}

#[test]
fn out_of_order_commands_overtake_and_barriers_do_not() {
    let rig = Rig::new(Mode::AtOnce, true, true);
    let q = rig.queue(OOO);
    let gate = Event::user(&rig.context);
    let held = nop(&q, &[&gate]);
    let free = nop(&q, &[]);
    assert_eq!(free.wait(), CL_COMPLETE);
    let marker = sync::marker(&q, WaitList::new()).unwrap();
    let overtakes = nop(&q, &[]);
    assert_eq!(overtakes.wait(), CL_COMPLETE);
    let barrier = sync::barrier(&q, WaitList::new()).unwrap();
    let after = nop(&q, &[]);
    q.flush();
    for event in [&held, &marker, &barrier, &after] {
        assert_eq!(event.status(), CL_QUEUED);
    }
    gate.set_user_status(CL_COMPLETE).unwrap();
    q.finish().unwrap();
    for event in [&held, &marker, &barrier, &after] {
        assert_eq!(event.status(), CL_COMPLETE);
    }
}

#[test]
fn a_released_queue_goes_on() {
    let rig = Rig::new(Mode::OnWait, true, true);
    let q = rig.queue(0);
    let gate = Event::user(&rig.context);
    let event = nop(&q, &[&gate]);
    q.flush();
    let weak = Arc::downgrade(&q);
    drop(q);
    gate.set_user_status(CL_COMPLETE).unwrap();
    assert_eq!(event.wait(), CL_COMPLETE);
    drop(event);
    assert!(weak.upgrade().is_none());
}

#[test]
fn callbacks_come_in_the_order_of_states() {
    let rig = Rig::new(Mode::OnWait, true, true);
    let q = rig.queue(0);
    let gate = Event::user(&rig.context);
    let event = nop(&q, &[&gate]);
    let (send, receive) = mpsc::channel();
    for level in [CL_COMPLETE, CL_RUNNING, CL_SUBMITTED, CL_COMPLETE] {
        let send = send.clone();
        event.set_callback(level, Box::new(move |status| send.send(status).unwrap())).unwrap();
    }
    assert!(event.set_callback(CL_QUEUED, Box::new(|_| ())).is_err());
    gate.set_user_status(CL_COMPLETE).unwrap();
    event.wait();
    let send_late = send.clone();
    event.set_callback(CL_COMPLETE, Box::new(move |status| send_late.send(status + 100).unwrap())).unwrap();
    drop(send);
    let seen: Vec<cl_int> = receive.iter().collect();
    assert_eq!(seen, [CL_SUBMITTED, CL_RUNNING, CL_COMPLETE, CL_COMPLETE, 100]);
}

#[test]
fn callbacks_of_failures_get_the_code() {
    let rig = Rig::new(Mode::OnWait, true, true);
    let gate = Event::user(&rig.context);
    let (send, receive) = mpsc::channel();
    gate.set_callback(CL_COMPLETE, Box::new(move |status| send.send(status).unwrap())).unwrap();
    gate.set_user_status(-42).unwrap();
    assert_eq!(receive.recv().unwrap(), -42);
}

#[test]
fn many_threads_many_queues() {
    let rig = Rig::new(Mode::AtOnce, true, true);
    let queues: Vec<_> = (0..4).map(|i| rig.queue(if i % 2 == 0 { 0 } else { OOO })).collect();
    let gate = Event::user(&rig.context);
    std::thread::scope(|scope| {
        for t in 0..4usize {
            let (queues, gate) = (&queues, &gate);
            scope.spawn(move || {
                let mut last = nop(&queues[t], &[gate]);
                for i in 0..2000 {
                    last = nop(&queues[(t + i) % queues.len()], &[&last]);
                    if i % 64 == 0 {
                        queues[t].flush();
                    }
                }
                if t == 0 {
                    gate.set_user_status(CL_COMPLETE).unwrap();
                }
                assert_eq!(last.wait(), CL_COMPLETE);
                queues[t].finish().unwrap();
            });
        }
    });
}

#[test]
fn an_idle_visible_buffer_needs_no_device() {
    let rig = Rig::new(Mode::OnWait, true, true);
    let q = rig.queue(0);
    let mem = rig.buffer(&[1, 2, 3, 4]);
    assert_eq!(read(&q, &mem), [1, 2, 3, 4]);
    let bytes = [9u8; 2];
    let ptr = HostPtr::new(bytes.as_ptr().cast_mut());
    let event = transfer::write_buffer(&q, &mem, false, 1, 2, ptr, WaitList::new()).unwrap();
    assert_eq!(event.status(), CL_COMPLETE);
    assert_eq!(rig.mock.submits.load(Ordering::Relaxed), 0);
    // Behind other work it runs in its turn.
    nop(&q, &[]);
    let gate = Event::user(&rig.context);
    let held = transfer::fill_buffer(&q, &mem, &[7], 0, 4, [gate.clone()].into_iter().collect()).unwrap();
    assert_eq!(held.status(), CL_QUEUED);
    gate.set_user_status(CL_COMPLETE).unwrap();
    assert_eq!(read(&q, &mem), [7; 4]);
}

#[test]
fn invisible_buffers_go_through_the_device() {
    for mode in [Mode::OnWait, Mode::AtOnce] {
        let rig = Rig::new(mode, false, true);
        let q = rig.queue(0);
        let mem = rig.buffer(&[1, 2, 3, 4]);
        assert_eq!(read(&q, &mem), [1, 2, 3, 4]);
        let (event, ptr) = crate::command::map::map_buffer(
            &q,
            &mem,
            true,
            CL_MAP_READ | CL_MAP_WRITE,
            1,
            2,
            WaitList::new(),
        )
        .unwrap();
        assert_eq!((event.status(), mem.map_count()), (CL_COMPLETE, 1));
        // SAFETY: mapped, two bytes.
        let mapped = unsafe { std::slice::from_raw_parts_mut(ptr.as_ptr(), 2) };
        assert_eq!(mapped, [2, 3]);
        mapped.copy_from_slice(&[8, 9]);
        crate::command::map::unmap(&q, &mem, ptr, WaitList::new()).unwrap();
        assert_eq!(mem.map_count(), 0);
        assert_eq!(read(&q, &mem), [1, 8, 9, 4]);
        let again = crate::command::map::unmap(&q, &mem, ptr, WaitList::new());
        assert_eq!(again.err().map(|e| e.code()), Some(CL_INVALID_VALUE));
    }
}

#[test]
fn buffers_move_between_devices() {
    for visible in [true, false] {
        let mocks =
            [MockDevice::new(Mode::OnWait, visible, true), MockDevice::new(Mode::OnWait, false, true)];
        let devices = mocks.clone().map(|m| Device::new("mock", m));
        let context = Context::new(devices.clone(), Vec::new(), None, Default::default()).unwrap();
        let queues = devices.map(|d| CommandQueue::new(&context, &d, 0, None).unwrap());
        let bytes = [1u8, 2, 3, 4];
        let ptr = HostPtr::new(bytes.as_ptr().cast_mut());
        let mem = buffer::create(&context, None, CL_MEM_COPY_HOST_PTR, 4, Some(ptr)).unwrap();
        for round in 0..4u8 {
            let (to, from) = (&queues[round as usize % 2], &queues[(round as usize + 1) % 2]);
            let last =
                transfer::fill_buffer(to, &mem, &[round + 10], round as usize, 1, WaitList::new()).unwrap();
            let marker = sync::marker(from, [last].into_iter().collect()).unwrap();
            assert_eq!(settle(&mocks, &marker), CL_COMPLETE);
            assert_eq!(read(from, &mem)[round as usize], round + 10);
        }
        assert_eq!(read(&queues[0], &mem), [10, 11, 12, 13]);
    }
}

#[test]
fn what_is_in_flight_stays_within_bounds() {
    for properties in [0, OOO] {
        let rig = Rig::new(Mode::OnWait, true, true);
        let queue = rig.queue(properties);
        let mut most = 0;
        for _ in 0..30_000 {
            nop(&queue, &[]);
            most = most.max(queue.state.lock().in_flight());
        }
        assert!((MOST_IN_FLIGHT / 2..=MOST_IN_FLIGHT + policy::MAX_BATCH).contains(&most), "{most}");
        // Commands held back by the application are not waited for.
        let gate = Event::user(&rig.context);
        let mut last = None;
        for _ in 0..2 * MOST_IN_FLIGHT {
            last = Some(nop(&queue, &[&gate]));
        }
        let last = last.unwrap();
        gate.set_user_status(CL_COMPLETE).unwrap();
        assert_eq!(last.wait(), CL_COMPLETE);
    }
}

#[test]
fn threads_do_not_get_far_ahead_of_the_one_that_submits() {
    for properties in [0, OOO] {
        let rig = Rig::new(Mode::OnWait, true, true);
        let queue = rig.queue(properties);
        let held = rig.mock.submitting.lock();
        let submits = std::thread::spawn({
            let queue = queue.clone();
            move || nop(&queue, &[])
        });
        while rig.mock.submits.load(Ordering::Relaxed) == 0 {
            std::thread::yield_now();
        }
        (0..MOST_IN_FLIGHT).for_each(|_| drop(nop(&queue, &[])));
        let (start, mut more) = (std::time::Instant::now(), 0);
        while start.elapsed() < Duration::from_millis(200) && more < MOST_IN_FLIGHT {
            nop(&queue, &[]);
            more += 1;
        }
        drop(held);
        submits.join().unwrap();
        queue.finish().unwrap();
        assert!(more < MOST_IN_FLIGHT, "{more} in 200 ms");
    }
}

#[test]
fn native_kernels_get_pointers() {
    for (properties, visible) in [(0, true), (0, false), (OOO, true), (OOO, false)] {
        let rig = Rig::new(Mode::OnWait, visible, true);
        let queue = rig.queue(properties);
        let mem = rig.buffer(&[5; 64]);
        let before = transfer::fill_buffer(&queue, &mem, &[9], 1, 1, WaitList::new()).unwrap();
        let function: native::NativeFunction = Box::new(|args| {
            let mut words = [0usize; 2];
            // SAFETY: two words were given, of which the second is replaced by the address of 64 bytes.
            unsafe {
                crate::host_ptr::copy(args, HostPtr::new(words.as_mut_ptr().cast()), 16);
                let bytes = std::slice::from_raw_parts_mut(words[1] as *mut u8, 64);
                assert_eq!((words[0], bytes[0], bytes[1]), (7, 5, 9));
                bytes[2] = 11;
            }
        });
        let args: Vec<u8> = [7usize, 0].iter().flat_map(|w| w.to_ne_bytes()).collect();
        let waits = || [before.clone()].into_iter().collect();
        let event = native::enqueue(&queue, function, &args, vec![(8, Some(mem.clone()))], waits()).unwrap();
        let after =
            transfer::fill_buffer(&queue, &mem, &[12], 3, 1, [event.clone()].into_iter().collect()).unwrap();
        assert_eq!(settle(std::slice::from_ref(&rig.mock), &after), CL_COMPLETE);
        assert_eq!(event.status(), CL_COMPLETE);
        assert_eq!(read(&queue, &mem)[..5], [5, 9, 11, 12, 5]);
        let function = || -> native::NativeFunction { Box::new(|_| panic!("contained")) };
        let error = native::enqueue(&queue, function(), &args, vec![(9, Some(mem.clone()))], WaitList::new())
            .err()
            .unwrap();
        assert_eq!(error.code(), CL_INVALID_VALUE);
        let event = native::enqueue(&queue, function(), &args, Vec::new(), WaitList::new()).unwrap();
        assert!(settle(std::slice::from_ref(&rig.mock), &event) < 0);
        assert_eq!(settle(std::slice::from_ref(&rig.mock), &nop(&queue, &[])), CL_COMPLETE);
    }
}

#[test]
fn devices_use_parts_of_a_buffer_at_the_same_time() {
    for visible in [true, false] {
        let mocks =
            [MockDevice::new(Mode::OnWait, visible, true), MockDevice::new(Mode::OnWait, false, true)];
        let devices = mocks.clone().map(|m| Device::new("mock", m));
        let context = Context::new(devices.clone(), Vec::new(), None, Default::default()).unwrap();
        let queues = devices.map(|d| CommandQueue::new(&context, &d, 0, None).unwrap());
        let bytes = [1u8; 1024];
        let ptr = HostPtr::new(bytes.as_ptr().cast_mut());
        let mem = buffer::create(&context, None, CL_MEM_COPY_HOST_PTR, 1024, Some(ptr)).unwrap();
        let halves = [0, 512].map(|origin| buffer::create_sub_buffer(&mem, 0, origin, 512).unwrap());
        let fill = |at: usize, value: u8| {
            transfer::fill_buffer(&queues[at], &halves[at], &[value], 0, 512, WaitList::new()).unwrap()
        };
        for round in 0..4u8 {
            // Both are submitted before either is complete, and either may complete first. A kernel would run
            // longer.
            let held = nop(&queues[round as usize % 2], &[]);
            let fills = [fill(0, 10 + round), fill(1, 20 + round)];
            queues.iter().for_each(|q| q.flush());
            let (first, second) = (round as usize / 2 % 2, 1 - round as usize / 2 % 2);
            for at in [first, second] {
                while !fills[at].is_done() {
                    mocks[at].step();
                }
            }
            assert!(held.is_done());
            for queue in &queues {
                let all = read(queue, &mem);
                assert!(
                    all[..512].iter().all(|b| *b == 10 + round)
                        && all[512..].iter().all(|b| *b == 20 + round),
                    "{round}"
                );
            }
        }
    }
}

#[test]
fn profiling_times_are_in_order() {
    let rig = Rig::new(Mode::OnWait, true, true);
    let q = rig.queue(CL_QUEUE_PROFILING_ENABLE);
    let event = nop(&q, &[]);
    assert_eq!(event.profiling(ProfilingPoint::End).unwrap_err().code(), CL_PROFILING_INFO_NOT_AVAILABLE);
    event.wait();
    let times = [ProfilingPoint::Queued, ProfilingPoint::Submit, ProfilingPoint::Start, ProfilingPoint::End]
        .map(|m| event.profiling(m).unwrap());
    assert!(times.is_sorted() && times[0] > 0 && times[3] > times[2], "{times:?}");
    let plain = nop(&rig.queue(0), &[]);
    plain.wait();
    assert!(plain.profiling(ProfilingPoint::End).is_err());
}

#[test]
fn memory_errors() {
    let rig = Rig::new(Mode::OnWait, true, true);
    let other = Rig::new(Mode::OnWait, true, true);
    let (q, mem, foreign) = (rig.queue(0), rig.buffer(&[0; 256]), other.buffer(&[0; 8]));
    let ptr = HostPtr::new(std::ptr::dangling_mut());
    let code = |r: Result<Arc<Event>>| r.err().map(|e| e.code()).unwrap_or(0);
    let none = WaitList::new;
    assert_eq!(code(transfer::read_buffer(&q, &foreign, true, 0, 8, ptr, none())), CL_INVALID_CONTEXT);
    assert_eq!(code(transfer::read_buffer(&q, &mem, true, 250, 8, ptr, none())), CL_INVALID_VALUE);
    let stranger = [Event::user(&other.context)].into_iter().collect();
    assert_eq!(code(transfer::read_buffer(&q, &mem, true, 0, 8, ptr, stranger)), CL_INVALID_CONTEXT);
    assert_eq!(code(transfer::copy_buffer(&q, &mem, &mem, 0, 4, 8, none())), CL_MEM_COPY_OVERLAP);
    assert_eq!(code(transfer::copy_buffer(&q, &mem, &mem, 0, 8, 8, none())), 0);
    assert_eq!(code(transfer::fill_buffer(&q, &mem, &[0; 3], 0, 3, none())), CL_INVALID_VALUE);
    assert_eq!(code(transfer::fill_buffer(&q, &mem, &[0; 4], 2, 4, none())), CL_INVALID_VALUE);
    let sub = buffer::create_sub_buffer(&mem, CL_MEM_HOST_READ_ONLY, 128, 64).unwrap();
    assert_eq!(code(transfer::write_buffer(&q, &sub, true, 0, 8, ptr, none())), CL_INVALID_OPERATION);
    assert_eq!(code(transfer::copy_buffer(&q, &mem, &sub, 120, 0, 16, none())), CL_MEM_COPY_OVERLAP);
    let misaligned = buffer::create_sub_buffer(&mem, 0, 4, 4).err().map(|e| e.code());
    assert_eq!(misaligned, Some(CL_MISALIGNED_SUB_BUFFER_OFFSET));
    assert!(buffer::create_sub_buffer(&sub, 0, 0, 4).is_err());
    assert!(buffer::create(&rig.context, None, CL_MEM_USE_HOST_PTR, 4, None).is_err());
    assert!(buffer::create(&rig.context, None, 0, 4, Some(ptr)).is_err());
    assert!(buffer::create(&rig.context, None, 0, 0, None).is_err());
}

#[test]
fn synchronous_queues_wait_for_each_command() {
    let rig = Rig::new(Mode::OnWait, true, true);
    for properties in [0, OOO] {
        let q = CommandQueue::with_sync(&rig.context, &rig.device, properties, None, true).unwrap();
        assert_eq!(nop(&q, &[]).status(), CL_COMPLETE);
        // Commands held back by the caller are not waited for.
        let gate = Event::user(&rig.context);
        let held = nop(&q, &[&gate]);
        assert_eq!(held.status(), CL_QUEUED);
        gate.set_user_status(CL_COMPLETE).unwrap();
        assert_eq!(settle(std::slice::from_ref(&rig.mock), &held), CL_COMPLETE);
    }
}
