//! Queues and lists of a mock device paired with the CPU device, which alone has images.

use super::*;
use crate::cl::image::{ImageFormat, ImageKind, ImageShape};
use crate::cl::{CL_RGBA, CL_UNSIGNED_INT8};
use crate::config::Config;
use crate::device::batch::{
    Batch, BatchItem, BufferRange, CommandTicket, Endpoint, ImageRange, Outcome, Times, Wait,
};
use crate::device::cpu;
use crate::device::mock::{MockDevice, Mode};
use crate::device::traits::DeviceDriver;
use crate::host_ptr::HostPtr;
use parking_lot::Mutex;
use smallvec::smallvec;

const SHAPE: ImageShape = ImageShape { kind: ImageKind::D2, size: [4, 2, 1] };
const BYTES: u64 = 32;

/// Keeps the tickets that are reported, in order.
#[derive(Default)]
struct Log(Mutex<Vec<CommandTicket>>);

impl CompletionSink for Log {
    fn done(&self, tickets: &[CommandTicket], outcome: Outcome, times: &[Times]) {
        assert_eq!(outcome, Outcome::Complete);
        assert!(times.len() == tickets.len() && times.iter().all(|t| t.end >= t.start));
        self.0.lock().extend(tickets);
    }
}

struct Rig {
    mock: Arc<MockDevice>,
    device: Arc<dyn DeviceOps>,
    log: Arc<Log>,
    queues: Vec<Arc<dyn DeviceQueue>>,
}

impl Rig {
    /// `None` without the CPU device.
    fn new(mode: Mode, host_visible: bool) -> Option<Rig> {
        let mock = MockDevice::new(mode, host_visible, true);
        let device: Arc<dyn DeviceOps> =
            Arc::new(PairedDevice::new(mock.clone(), cpu::DRIVER.probe(Config::get()).pop()?));
        let (log, desc) = (Arc::new(Log::default()), QueueDesc { profiling: true, ..QueueDesc::default() });
        let queues = (0..2).map(|_| device.create_queue(&desc, log.clone()).unwrap()).collect();
        Some(Rig { mock, device, log, queues })
    }

    fn buffer(&self) -> BufferRange {
        let desc = BufferDesc { size: BYTES, host_visible: false, read_only: false, name: "test" };
        BufferRange { memory: self.device.alloc_buffer(&desc).unwrap(), offset: 0, size: BYTES }
    }

    fn image(&self) -> ImageRange {
        let format = ImageFormat::new(CL_RGBA, CL_UNSIGNED_INT8);
        let image = self.device.alloc_image(&ImageDesc { format, shape: SHAPE, levels: 1 }).unwrap();
        ImageRange { image, level: 0, origin: [0; 3], region: SHAPE.size }
    }

    fn read(&self, range: &BufferRange) -> [u8; BYTES as usize] {
        let mut bytes = [0; BYTES as usize];
        let dst = HostPtr::new(bytes.as_mut_ptr());
        self.device.transfer(&DeviceCommand::read(range.clone(), dst)).unwrap();
        bytes
    }

    /// Commands of both devices: a fill by the primary one, two passages through an image, a copy. They leave
    /// `value` in the first two buffers and `value + 1` in the texel in the middle of the third.
    fn commands(&self, value: u8, [a, b, c]: [&BufferRange; 3]) -> Vec<DeviceCommand> {
        let region = [16, 2, 1];
        let buffer = |range: &BufferRange| Endpoint::Buffer(range.clone(), RectLayout::packed(region));
        let image = self.image();
        let texel = ImageRange { origin: [1, 0, 0], region: [1, 1, 1], ..image.clone() };
        let pattern = smallvec![value + 1; 4];
        vec![
            DeviceCommand::fill(a.clone(), smallvec![value]),
            DeviceCommand::Copy { src: buffer(a), dst: Endpoint::Image(image.clone()), region },
            DeviceCommand::Copy { src: Endpoint::Image(image.clone()), dst: buffer(b), region },
            DeviceCommand::Fill { dst: Endpoint::Image(texel), region: [4, 1, 1], pattern },
            DeviceCommand::fill(a.clone(), smallvec![0]),
            DeviceCommand::Copy { src: Endpoint::Image(image), dst: buffer(c), region },
            DeviceCommand::copy_range(b.clone(), a.clone()),
        ]
    }

    fn check(&self, value: u8, [a, b, c]: [&BufferRange; 3]) {
        assert_eq!([self.read(a), self.read(b)], [[value; BYTES as usize]; 2]);
        let mut expected = [value; BYTES as usize];
        expected[4..8].fill(value + 1);
        assert_eq!(self.read(c), expected);
    }

    fn submit(
        &self,
        queue: usize,
        first: CommandTicket,
        commands: Vec<DeviceCommand>,
        waits: &[Wait],
    ) -> Submission {
        let item = |(ticket, command)| BatchItem { ticket, command, ordered: true };
        let items = (first..).zip(commands).map(item).collect();
        self.queues[queue].submit(Batch { waits: waits.iter().cloned().collect(), items }).unwrap()
    }
}

#[test]
fn commands_of_two_devices_run_in_order() {
    for (mode, seen) in [(Mode::AtOnce, false), (Mode::AtOnce, true), (Mode::OnWait, false)] {
        let Some(rig) = Rig::new(mode, seen) else { return };
        let buffers = [rig.buffer(), rig.buffer(), rig.buffer()];
        let all = buffers.each_ref();
        for round in 0..3u8 {
            let first = 1 + 8 * u64::from(round);
            rig.submit(0, first, rig.commands(10 * round, all), &[]);
            let copy = DeviceCommand::copy_range(buffers[0].clone(), buffers[1].clone());
            let last = rig.submit(0, first + 7, vec![copy], &[]);
            assert!(rig.queues[0].wait(last, None).unwrap());
            assert_eq!(rig.queues[0].completed(), last);
            rig.check(10 * round, all);
        }
        assert_eq!(*rig.log.0.lock(), (1..=24).collect::<Vec<_>>());
        // Without such commands nothing is deferred.
        let submits = rig.mock.submits.load(std::sync::atomic::Ordering::Relaxed);
        let fill = DeviceCommand::fill(buffers[0].clone(), smallvec![3]);
        let last = rig.submit(0, 25, vec![fill], &[]);
        assert_eq!(rig.mock.submits.load(std::sync::atomic::Ordering::Relaxed), submits + 1);
        assert!(rig.queues[0].wait(last, None).unwrap());
    }
}

#[test]
fn queues_wait_for_deferred_batches() {
    let Some(rig) = Rig::new(Mode::OnWait, false) else { return };
    let buffers = [rig.buffer(), rig.buffer(), rig.buffer()];
    let all = buffers.each_ref();
    let mut last = None;
    for round in 0..10u8 {
        let queue = usize::from(round % 2);
        let waits: Vec<Wait> = last.into_iter().collect();
        let submission = rig.submit(queue, 1, rig.commands(round, all), &waits);
        last = Some(Wait { queue: rig.queues[queue].clone(), submission });
    }
    let Wait { queue, submission } = last.unwrap();
    assert!(queue.wait(submission, None).unwrap());
    rig.check(9, all);
    assert!(queue.wait(submission + 1, None).is_err());
}

#[test]
fn recorded_commands_run_in_segments() {
    for seen in [false, true] {
        let Some(rig) = Rig::new(Mode::AtOnce, seen) else { return };
        let buffers = [rig.buffer(), rig.buffer(), rig.buffer()];
        let commands = rig.commands(7, buffers.each_ref());
        let items = commands.into_iter().map(|command| ListItem { command, ordered: true }).collect();
        let list = rig.device.record(items).unwrap();
        for _ in 0..2 {
            let clear = buffers.iter().map(|b| DeviceCommand::fill(b.clone(), smallvec![1]));
            rig.submit(0, 1, clear.collect(), &[]);
            let last = rig.submit(0, 4, vec![DeviceCommand::Replay(list.clone())], &[]);
            assert!(rig.queues[0].wait(last, None).unwrap());
            rig.check(7, buffers.each_ref());
        }
        assert_eq!(*rig.log.0.lock(), [1, 2, 3, 4, 1, 2, 3, 4]);
    }
}
