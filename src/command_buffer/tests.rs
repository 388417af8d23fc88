//! Command buffers against the mock device.

use super::*;
use crate::device::Device;
use crate::device::mock::{MockDevice, Mode};
use crate::host_ptr::HostPtr;
use crate::memory::buffer;
use std::sync::atomic::Ordering;

struct Rig {
    mocks: Vec<Arc<MockDevice>>,
    queues: Vec<Arc<CommandQueue>>,
    context: Arc<Context>,
}

impl Rig {
    fn new(devices: usize, mode: Mode, properties: cl_command_queue_properties) -> Rig {
        let mocks: Vec<_> = (0..devices).map(|_| MockDevice::new(mode, false, true)).collect();
        let list: Vec<_> = mocks.iter().map(|mock| Device::new("mock", mock.clone())).collect();
        let context = Context::new(list.clone(), Vec::new(), None, Default::default()).unwrap();
        let queues = list.iter().map(|d| CommandQueue::new(&context, d, properties, None).unwrap()).collect();
        Rig { mocks, queues, context }
    }
    fn buffer(&self, bytes: &[u8]) -> Arc<MemObject> {
        let ptr = HostPtr::new(bytes.as_ptr().cast_mut());
        buffer::create(&self.context, None, CL_MEM_COPY_HOST_PTR, bytes.len(), Some(ptr)).unwrap()
    }
    fn read(&self, queue: usize, mem: &Arc<MemObject>) -> Vec<u8> {
        let mut out = vec![0u8; mem.size as usize];
        let ptr = HostPtr::new(out.as_mut_ptr());
        transfer::read_buffer(&self.queues[queue], mem, true, 0, out.len(), ptr, WaitList::new()).unwrap();
        out
    }
    fn recordings(&self) -> usize {
        self.mocks[0].recordings.load(Ordering::Relaxed)
    }
}

fn create(rig: &Rig) -> Arc<CommandBuffer> {
    CommandBuffer::create(&rig.queues[..1], None, &[]).unwrap()
}

/// Records on the first queue.
fn at(waits: &[cl_sync_point_khr]) -> RecordPosition<'_> {
    RecordPosition { queue: 0, waits }
}

#[test]
fn commands_are_recorded_once_and_submitted_at_once() {
    let rig = Rig::new(1, Mode::AtOnce, 0);
    let (a, b) = (rig.buffer(&[1; 16]), rig.buffer(&[2; 16]));
    let commands = create(&rig);
    for i in 0..100 {
        commands.copy_buffer(&a, &b, i % 16, i % 16, 1, at(&[])).unwrap();
    }
    commands.fill_buffer(&a, &[9], 0, 8, at(&[])).unwrap();
    commands.finalize().unwrap();
    assert_eq!(rig.recordings(), 1);
    let before = rig.mocks[0].submits.load(Ordering::Relaxed);
    for _ in 0..3 {
        let event = commands.enqueue(&[], WaitList::new()).unwrap();
        assert_eq!((event.wait(), event.command_type()), (CL_COMPLETE, CL_COMMAND_COMMAND_BUFFER_KHR));
    }
    assert_eq!((rig.recordings(), rig.mocks[0].submits.load(Ordering::Relaxed) - before), (1, 3));
    let mut expected = vec![9; 8];
    expected.extend([1; 8]);
    assert_eq!(rig.read(0, &b), expected);
}

#[test]
fn order_follows_queue_sync_points_and_barriers() {
    let ordered = |properties| {
        let rig = Rig::new(1, Mode::AtOnce, properties);
        let mem = rig.buffer(&[0; 16]);
        let commands = create(&rig);
        let one = commands.fill_buffer(&mem, &[1], 0, 4, at(&[])).unwrap();
        commands.fill_buffer(&mem, &[2], 4, 4, at(&[])).unwrap();
        commands.fill_buffer(&mem, &[3], 0, 4, at(&[one])).unwrap();
        commands.barrier(at(&[])).unwrap();
        commands.fill_buffer(&mem, &[4], 8, 4, at(&[])).unwrap();
        let state = commands.state.lock();
        state.commands.iter().map(|c| c.ordered).collect::<Vec<_>>()
    };
    assert_eq!(ordered(0), [true; 5]);
    assert_eq!(ordered(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), [false, false, true, true, true]);
}

#[test]
fn what_another_device_wrote_is_brought_before_each_replay() {
    let rig = Rig::new(2, Mode::AtOnce, 0);
    let (a, b) = (rig.buffer(&[1; 8]), rig.buffer(&[0; 8]));
    let commands = create(&rig);
    commands.copy_buffer(&a, &b, 0, 0, 4, at(&[])).unwrap();
    commands.finalize().unwrap();
    for value in 2..5u8 {
        transfer::fill_buffer(&rig.queues[1], &a, &[value], 0, 8, WaitList::new()).unwrap().wait();
        transfer::fill_buffer(&rig.queues[1], &b, &[0], 0, 8, WaitList::new()).unwrap().wait();
        assert_eq!(commands.enqueue(&[], WaitList::new()).unwrap().wait(), CL_COMPLETE);
        // The other device reads the result of the replay.
        assert_eq!(rig.read(1, &b), [value, value, value, value, 0, 0, 0, 0]);
    }
    assert_eq!(rig.recordings(), 1);
    // A queue of another device cannot replace the queue passed at creation.
    let code = commands.enqueue(&rig.queues[1..], WaitList::new()).map(|_| ()).map_err(|e| e.code());
    assert_eq!(code, Err(CL_INVALID_DEVICE));
}

#[test]
fn every_part_of_a_buffer_is_brought() {
    let rig = Rig::new(2, Mode::AtOnce, 0);
    let (a, b) = (rig.buffer(&[0; 256]), rig.buffer(&[0; 256]));
    let halves = [0, 128].map(|origin| buffer::create_sub_buffer(&a, 0, origin, 128).unwrap());
    let commands = create(&rig);
    for (i, half) in halves.iter().enumerate() {
        commands.copy_buffer(half, &b, 0, i * 128, 128, at(&[])).unwrap();
        commands.fill_buffer(half, &[50], 127, 1, at(&[])).unwrap();
    }
    commands.finalize().unwrap();
    for value in 1..4u8 {
        transfer::fill_buffer(&rig.queues[1], &a, &[value], 0, 256, WaitList::new()).unwrap().wait();
        assert_eq!(commands.enqueue(&[], WaitList::new()).unwrap().wait(), CL_COMPLETE);
        assert_eq!(rig.read(1, &b), [value; 256]);
        let seen = rig.read(1, &a);
        assert_eq!((seen[126], seen[127], seen[254], seen[255]), (value, 50, value, 50));
    }
}

#[test]
fn recording_moves_nothing() {
    let rig = Rig::new(2, Mode::OnWait, 0);
    let mem = rig.buffer(&[1; 8]);
    let commands = create(&rig);
    commands.fill_buffer(&mem, &[9], 0, 1, at(&[])).unwrap();
    // The other device has written the buffer.
    let fill = transfer::fill_buffer(&rig.queues[1], &mem, &[5], 0, 8, WaitList::new()).unwrap();
    rig.queues[1].flush();
    commands.finalize().unwrap();
    assert_eq!(fill.wait(), CL_COMPLETE);
    assert_eq!(rig.read(0, &mem), [5; 8]);
    assert_eq!(commands.enqueue(&[], WaitList::new()).unwrap().wait(), CL_COMPLETE);
    assert_eq!(rig.read(1, &mem), [9, 5, 5, 5, 5, 5, 5, 5]);
}

#[test]
fn a_released_buffer_ends_when_its_work_is_done() {
    let rig = Rig::new(1, Mode::OnWait, 0);
    let mem = rig.buffer(&[0; 8]);
    let commands = create(&rig);
    commands.fill_buffer(&mem, &[7], 0, 8, at(&[])).unwrap();
    commands.finalize().unwrap();
    let replay = Arc::downgrade(&commands.state.lock().current(&rig.queues[..1]).unwrap()[0].replay);
    let event = commands.enqueue(&[], WaitList::new()).unwrap();
    let (seen, mem_seen) = (Arc::downgrade(&commands), Arc::downgrade(&mem));
    drop((commands, mem));
    assert!(seen.upgrade().is_none());
    assert!(replay.upgrade().is_some() && mem_seen.upgrade().is_some());
    assert_eq!(event.wait(), CL_COMPLETE);
    assert!(replay.upgrade().is_none() && mem_seen.upgrade().is_none());
}
