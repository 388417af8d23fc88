//! Tests on a real Vulkan device, with the validation layer enabled and silent. They pass trivially (and say
//! so) where there is no Vulkan device.

use super::super::relay;
use super::super::traits::BufferDesc;
use super::submit::hazard::Before;
use super::*;
use std::sync::OnceLock;

mod launches;
pub(super) use launches::scale_variant;

/// The first device; all tests share it.
pub(super) fn device() -> Option<Arc<dyn DeviceOps>> {
    static DEVICES: OnceLock<Vec<Arc<dyn DeviceOps>>> = OnceLock::new();
    let list = DEVICES.get_or_init(|| {
        // Validation messages are worth reading when a test fails.
        let _ = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::WARN)
            .with_writer(std::io::stderr)
            .try_init();
        core::instance::get(true);
        DRIVER.probe(&Config::default())
    });
    if list.is_empty() {
        eprintln!("no Vulkan device: nothing tested");
    }
    list.first().cloned()
}

/// The open device.
pub(super) fn opened(device: &Arc<dyn DeviceOps>) -> &super::opening::OpenDevice {
    device.as_any().downcast_ref::<super::device::VulkanDevice>().unwrap().opened().unwrap()
}

#[test]
fn facts_are_plausible() {
    let Some(device) = device() else { return };
    let info = device.info();
    assert!(!info.name.is_empty() && info.compute_units > 0 && info.max_work_group_size >= 128);
    assert!(info.max_alloc_size >= info.global_mem_size / 4 && info.local_mem_size >= 16384);
    let version = format!(".{} (", crate::device::info::BINARY_VERSION);
    assert!(info.driver_version.contains(&version) && info.timer_resolution_ns > 0);
    assert!(device.target().int64);
    assert!(device.target().vulkan().is_some_and(|vulkan| vulkan.max_push_constants >= 128));
    let (d0, h0) = device.timestamps().unwrap();
    let (d1, h1) = device.timestamps().unwrap();
    assert!(d1 >= d0 && h1 > h0);
    assert_eq!(validation_messages(), 0);
}

#[test]
fn hidden_features_are_off() {
    if device().is_none() {
        return;
    }
    let config = Config { hidden_features: vec!["-int8".into(), "float16".into()], ..Config::default() };
    let hidden = DRIVER.probe(&config);
    assert!(!hidden[0].target().int8 && !hidden[0].target().float16 && !hidden[0].info().fp16);
    assert_eq!(validation_messages(), 0);
}

#[test]
fn buffers_are_allocated_and_host_memory_is_imported_by_the_page() {
    let Some(device) = device() else { return };
    let desc = BufferDesc { size: 1000, host_visible: false, read_only: false, name: "test" };
    let buffer = device.alloc_buffer(&desc).unwrap();
    assert_eq!(buffer.size(), 1000);
    let raw = buffer.as_any().downcast_ref::<memory::buffer::Buffer>().unwrap();
    assert!(raw.address != 0 && raw.address % 128 == 0);
    let huge = BufferDesc { size: u64::MAX, ..desc.clone() };
    assert!(device.alloc_buffer(&huge).is_err());
    let layout = std::alloc::Layout::from_size_align(8192, 4096).unwrap();
    // SAFETY: freed below with the same layout, after the buffer.
    let pages = unsafe { std::alloc::alloc_zeroed(layout) };
    let range = |offset: usize, size| super::super::traits::HostRange {
        ptr: crate::host_ptr::HostPtr::new(pages.wrapping_add(offset)),
        size,
    };
    let desc = BufferDesc { size: 4096, host_visible: false, read_only: false, name: "test" };
    assert!(device.import_host(range(64, 4096), &desc).is_err());
    match device.import_host(range(0, 8192), &desc) {
        Ok(buffer) => assert_eq!(buffer.host_ptr().unwrap().as_ptr(), pages),
        Err(e) => eprintln!("no import here: {e}"),
    }
    // SAFETY: allocated above; nothing refers to it any more.
    unsafe { std::alloc::dealloc(pages, layout) };
    assert_eq!(validation_messages(), 0);
}

use super::super::batch::*;
use super::super::{share, traits::*};
use crate::host_ptr::HostPtr;
use clspv_bridge::abi::*;
use clspv_bridge::metadata::*;
use parking_lot::Mutex;
use smallvec::{SmallVec, smallvec};
use std::time::Duration;

/// Timeout after which a missing completion counts as a hang.
const PATIENCE: Duration = Duration::from_secs(300);

/// Records the reported completions.
#[derive(Default)]
struct Log(Mutex<Vec<(CommandTicket, Outcome, Option<Times>)>>);

impl CompletionSink for Log {
    fn done(&self, tickets: &[CommandTicket], outcome: Outcome, times: &[Times]) {
        assert!(times.is_empty() || times.len() == tickets.len());
        let entries = tickets.iter().enumerate().map(|(i, t)| (*t, outcome, times.get(i).copied()));
        self.0.lock().extend(entries);
    }
}

impl Log {
    fn tickets(&self) -> Vec<CommandTicket> {
        self.0.lock().iter().map(|e| e.0).collect()
    }
}

fn queue(device: &Arc<dyn DeviceOps>, profiling: bool) -> (Arc<dyn DeviceQueue>, Arc<Log>) {
    let log = Arc::new(Log::default());
    let desc = QueueDesc { profiling, ..QueueDesc::default() };
    (device.create_queue(&desc, log.clone()).unwrap(), log)
}

fn whole(memory: &Arc<dyn DeviceMemory>) -> BufferRange {
    BufferRange { memory: memory.clone(), offset: 0, size: memory.size() }
}

fn range(memory: &Arc<dyn DeviceMemory>, offset: u64, size: u64) -> BufferRange {
    BufferRange { memory: memory.clone(), offset, size }
}

fn buffer(device: &Arc<dyn DeviceOps>, size: u64) -> Arc<dyn DeviceMemory> {
    device.alloc_buffer(&BufferDesc { size, host_visible: false, read_only: false, name: "test" }).unwrap()
}

fn write(src: &[u8], dst: BufferRange) -> DeviceCommand {
    assert!(src.len() as u64 >= dst.size);
    DeviceCommand::write(HostPtr::new(src.as_ptr().cast_mut()), dst)
}

fn read(src: BufferRange, dst: &mut [u8]) -> DeviceCommand {
    assert!(dst.len() as u64 >= src.size);
    DeviceCommand::read(src, HostPtr::new(dst.as_mut_ptr()))
}

fn batch(commands: Vec<DeviceCommand>) -> Batch {
    let item = |(i, command)| BatchItem { ticket: i as u64 + 1, command, ordered: true };
    Batch { waits: SmallVec::new(), items: commands.into_iter().enumerate().map(item).collect() }
}

fn finish(queue: &Arc<dyn DeviceQueue>, commands: Vec<DeviceCommand>) {
    let submission = queue.submit(batch(commands)).unwrap();
    assert!(queue.wait(submission, None).unwrap());
    assert!(queue.completed() >= submission);
}

fn bytes(n: usize, seed: u8) -> Vec<u8> {
    (0..n).map(|i| (i as u8).wrapping_mul(31).wrapping_add((i >> 8) as u8) ^ seed).collect()
}

/// A command that runs on the device, so that transfers after it do too.
fn device_work(memory: &Arc<dyn DeviceMemory>) -> DeviceCommand {
    DeviceCommand::fill(whole(memory), smallvec![0xee; 4])
}

#[test]
fn writes_copies_and_reads_in_one_batch() {
    let Some(device) = device() else { return };
    let (queue, log) = queue(&device, false);
    for size in [1usize, 3, 4096, 70_001] {
        let (a, b, scratch) =
            (buffer(&device, size as u64), buffer(&device, size as u64), buffer(&device, 64));
        let src = bytes(size, 5);
        let mut dst = vec![0; size];
        let copy = DeviceCommand::copy_range(whole(&a), whole(&b));
        finish(&queue, vec![device_work(&scratch), write(&src, whole(&a)), copy, read(whole(&b), &mut dst)]);
        assert_eq!(src, dst);
        dst.fill(0);
        finish(&queue, vec![read(range(&b, 1.min(size as u64 - 1), 1), &mut dst)]);
        assert_eq!(dst[0], src[1.min(size - 1)]);
    }
    assert_eq!(log.tickets(), [1, 2, 3, 4, 1].repeat(4));
    assert!(log.0.lock().iter().all(|e| e.1 == Outcome::Complete && e.2.is_none()));
    assert_eq!(validation_messages(), 0);
}

#[test]
fn fills_of_every_pattern_size_and_alignment() {
    let Some(device) = device() else { return };
    let (queue, _) = queue(&device, false);
    let size = 4096u64;
    let memory = buffer(&device, size);
    for len in [1usize, 2, 4, 8, 16, 32, 64, 128] {
        let pattern: SmallVec<[u8; 16]> = bytes(len, 77).into_iter().collect();
        for (start, count) in [(0, 8), (1, 3), (3, 1), (5, 2)] {
            let (offset, bytes) = (start * len as u64, count * len as u64);
            let mut got = vec![0; size as usize];
            let fill = DeviceCommand::fill(range(&memory, offset, bytes), pattern.clone());
            finish(&queue, vec![device_work(&memory), fill, read(whole(&memory), &mut got)]);
            for (i, byte) in got.iter().enumerate() {
                let inside = (offset..offset + bytes).contains(&(i as u64));
                let want = if inside { pattern[(i - offset as usize) % len] } else { 0xee };
                assert_eq!(*byte, want, "byte {i} of a fill with {len} bytes at {offset}+{bytes}");
            }
        }
    }
    assert_eq!(validation_messages(), 0);
}

#[test]
fn rectangles_between_host_and_buffers() {
    let Some(device) = device() else { return };
    let (queue, _) = queue(&device, false);
    let (a, b, scratch) = (buffer(&device, 1000), buffer(&device, 1000), buffer(&device, 64));
    let zero = vec![0u8; 1000];
    let src = bytes(1000, 9);
    let mut dst = vec![0u8; 1000];
    let region = [5, 3, 2];
    let host = RectLayout { offset: 7, row_pitch: 11, slice_pitch: 100 };
    let device_a = RectLayout { offset: 3, row_pitch: 8, slice_pitch: 50 };
    let device_b = RectLayout { offset: 100, row_pitch: 5, slice_pitch: 15 };
    let (from, to) = (HostPtr::new(src.as_ptr().cast_mut()), HostPtr::new(dst.as_mut_ptr()));
    let copy = |src, dst| DeviceCommand::Copy { src, dst, region };
    finish(
        &queue,
        vec![
            device_work(&scratch),
            write(&zero, whole(&a)),
            copy(Endpoint::Host(from, host), Endpoint::Buffer(range(&a, 16, 900), device_a)),
            copy(Endpoint::Buffer(range(&a, 16, 900), device_a), Endpoint::Buffer(whole(&b), device_b)),
            copy(Endpoint::Buffer(whole(&b), device_b), Endpoint::Host(to, host)),
        ],
    );
    for z in 0..2 {
        for y in 0..3 {
            let at = 7 + 11 * y + 100 * z;
            assert_eq!(dst[at..at + 5], src[at..at + 5]);
            assert_eq!(dst[at + 5], 0);
        }
    }
    assert_eq!(validation_messages(), 0);
}

/// Two images that lie in one buffer may overlap.
#[test]
fn copies_within_a_buffer_may_overlap() {
    let Some(device) = device() else { return };
    let (queue, _) = queue(&device, false);
    let size = 5 << 20;
    let (memory, scratch) = (buffer(&device, size as u64), buffer(&device, 64));
    let mut got = vec![0; size];
    for (from, to, count) in [(16, 16, 16), (0, 48, 4096), (48, 0, 4096), (0, 1 << 10, 4 << 20)] {
        let mut want = bytes(size, 3);
        let part = |start: usize| range(&memory, start as u64, count as u64);
        finish(
            &queue,
            vec![
                device_work(&scratch),
                write(&want, whole(&memory)),
                DeviceCommand::copy_range(part(from), part(to)),
                read(whole(&memory), &mut got),
            ],
        );
        want.copy_within(from..from + count, to);
        assert!(got == want, "{count} bytes from {from} to {to}");
    }
    assert_eq!(validation_messages(), 0);
}

#[test]
fn large_transfers_are_streamed() {
    let Some(device) = device() else { return };
    let (queue, _) = queue(&device, false);
    let size = (33 << 20) + 12_345;
    let (a, scratch) = (buffer(&device, size as u64), buffer(&device, 64));
    let src = bytes(size, 1);
    let mut dst = vec![0; size];
    finish(
        &queue,
        vec![device_work(&scratch), write(&src, whole(&a)), device_work(&scratch), read(whole(&a), &mut dst)],
    );
    assert!(src == dst);
    assert_eq!(validation_messages(), 0);
}

#[test]
fn queues_wait_for_each_other_both_ways() {
    let Some(device) = device() else { return };
    let (first, first_log) = queue(&device, false);
    let (second, second_log) = queue(&device, false);
    assert!(first.can_wait_on(&*second) && second.can_wait_on(&*first));
    let memory = buffer(&device, 1 << 20);
    let mut got = vec![0u8; 1 << 20];
    let mut previous: Option<Wait> = None;
    for round in 0..20u8 {
        let (queue, value) = if round % 2 == 0 { (&first, round) } else { (&second, round) };
        // Each fill starts four bytes after the start of the previous one.
        let dst = range(&memory, u64::from(round) * 4, (1 << 20) - u64::from(round) * 4);
        let mut b = batch(vec![DeviceCommand::fill(dst, smallvec![value])]);
        b.waits.extend(previous.take());
        let submission = queue.submit(b).unwrap();
        previous = Some(Wait { queue: queue.clone(), submission });
    }
    let mut b = batch(vec![read(whole(&memory), &mut got)]);
    b.waits.extend(previous);
    let submission = first.submit(b).unwrap();
    assert!(first.wait(submission, Some(PATIENCE)).unwrap());
    for (i, byte) in got.iter().enumerate() {
        assert_eq!(*byte, (i / 4).min(19) as u8);
    }
    assert!(second.wait(10, Some(PATIENCE)).unwrap());
    assert_eq!((first_log.tickets().len(), second_log.tickets().len()), (11, 10));
    assert!(second.wait(11, Some(Duration::ZERO)).is_err());
    assert_eq!(validation_messages(), 0);
}

#[test]
fn completions_nobody_waits_for_are_reported() {
    let Some(device) = device() else { return };
    let (queue, log) = queue(&device, false);
    let memory = buffer(&device, 64);
    for _ in 0..5 {
        let before = log.tickets().len();
        queue.submit(batch(vec![device_work(&memory), DeviceCommand::Nop])).unwrap();
        queue.submit(batch(vec![DeviceCommand::Nop])).unwrap();
        let start = std::time::Instant::now();
        while log.tickets().len() < before + 3 {
            assert!(start.elapsed() < PATIENCE, "never reported");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Submits again from the completion sink, until a count is reached.
struct Chain {
    queue: Mutex<Option<Arc<dyn DeviceQueue>>>,
    memory: Arc<dyn DeviceMemory>,
    count: Mutex<u32>,
}

impl CompletionSink for Chain {
    fn done(&self, _: &[CommandTicket], outcome: Outcome, _: &[Times]) {
        assert_eq!(outcome, Outcome::Complete);
        let queue = self.queue.lock().clone();
        let mut count = self.count.lock();
        *count += 1;
        if *count < 50
            && let Some(queue) = queue
        {
            queue.submit(batch(vec![device_work(&self.memory)])).unwrap();
        }
    }
}

#[test]
fn a_sink_may_submit() {
    let Some(device) = device() else { return };
    let memory = buffer(&device, 64);
    let sink = Arc::new(Chain { queue: Mutex::new(None), memory: memory.clone(), count: Mutex::new(0) });
    let queue = device.create_queue(&QueueDesc::default(), sink.clone()).unwrap();
    *sink.queue.lock() = Some(queue.clone());
    let first = queue.submit(batch(vec![device_work(&memory)])).unwrap();
    assert!(queue.wait(first, None).unwrap());
    let start = std::time::Instant::now();
    while *sink.count.lock() < 50 {
        assert!(start.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(1));
    }
    *sink.queue.lock() = None;
    assert_eq!(validation_messages(), 0);
}

#[test]
fn threads_share_a_queue() {
    let Some(device) = device() else { return };
    let (queue, log) = queue(&device, false);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let memory = buffer(&device, 4096);
                for round in 0..30u8 {
                    let src = vec![round; 4096];
                    let mut dst = vec![0; 4096];
                    let commands = vec![
                        device_work(&memory),
                        write(&src, whole(&memory)),
                        read(whole(&memory), &mut dst),
                    ];
                    finish(&queue, commands);
                    assert_eq!(src, dst);
                }
            });
        }
    });
    assert_eq!(log.tickets().len(), 4 * 30 * 3);
    assert_eq!(validation_messages(), 0);
}

#[test]
fn profiled_commands_have_increasing_times() {
    let Some(device) = device() else { return };
    let (queue, log) = queue(&device, true);
    let memory = buffer(&device, 1 << 20);
    let (before, _) = device.timestamps().unwrap();
    finish(&queue, vec![device_work(&memory), DeviceCommand::Nop, device_work(&memory)]);
    let (after, _) = device.timestamps().unwrap();
    let src = vec![1; 64];
    finish(&queue, vec![write(&src, range(&memory, 0, 64))]);
    let times: Vec<Times> = log.0.lock().iter().map(|e| e.2.unwrap()).collect();
    assert_eq!(times.len(), 4);
    let mut last = before;
    for t in &times[..3] {
        assert!(t.start >= last && t.end >= t.start, "{times:?} after {before}");
        last = t.end;
    }
    assert!(last <= after && times[3].start >= last);
    assert_eq!(validation_messages(), 0);
}

/// Uses a quarter of the device's memory; run by hand.
#[test]
#[ignore = "needs much device memory"]
fn the_largest_buffer_can_be_used_to_its_end() {
    let Some(device) = device() else { return };
    let (queue, _) = queue(&device, false);
    let size = device.info().max_alloc_size;
    let memory = buffer(&device, size);
    let mut got = vec![0u8; 4096];
    let start = std::time::Instant::now();
    let fill = |at, n| DeviceCommand::fill(range(&memory, at, n), bytes(16, 3).into_iter().collect());
    finish(&queue, vec![fill(0, size & !15), read(range(&memory, size - 4096, 4096), &mut got)]);
    eprintln!("{size} bytes in {:?}", start.elapsed());
    assert_eq!(got, bytes(16, 3).repeat(256));
}

#[test]
fn the_copy_shader_copies_every_unit_and_no_other() {
    use super::memory::buffer::Buffer;
    use super::opening::OpenDevice;
    use super::submit::record::{EndedRecording, Recorder};
    use super::submit::rect::Run;
    use super::submit::submit_queue::SubmitInfo;
    let Some(device) = device() else { return };
    let OpenDevice { gpu, queues, .. } = opened(&device);
    let pools = queues.pools;
    if !pools.programs.shaders.can_copy_units(0, 0, 16) {
        return;
    }
    let size = 16 * 5000;
    let (queue, _) = queue(&device, false);
    let (a, b) = (buffer(&device, size), buffer(&device, size));
    let source = bytes(size as usize, 3);
    for (src, dst, count) in [(0, 0, 16), (16, 48, 1024 * 16), (32, 16, 769 * 16), (160, 0, 4321 * 16)] {
        finish(&queue, vec![write(&source, whole(&a)), DeviceCommand::fill(whole(&b), smallvec![0xEE])]);
        let (from, to) =
            (a.as_any().downcast_ref::<Buffer>().unwrap(), b.as_any().downcast_ref::<Buffer>().unwrap());
        let mut recorder = Recorder::begin(pools, Before::Barrier).unwrap();
        gpu.full_barrier(recorder.allocator.cmd);
        recorder.copy_by_shader(from.raw, to.raw, &Run { src, dst, size: count }).unwrap();
        let submit_queue = queues.next().unwrap();
        let EndedRecording { allocator, event, .. } = recorder.end(false, submit_queue.timeline).unwrap();
        let value = submit_queue
            .submit(SubmitInfo { cmd: Some(allocator.cmd), event, ..SubmitInfo::default() }, None)
            .map_err(|e| e.0)
            .unwrap();
        submit_queue.wait_value(value, None, true);
        allocator.recycle(&pools.allocators, Some((submit_queue.timeline, value)));
        let mut got = vec![0; size as usize];
        finish(&queue, vec![read(whole(&b), &mut got)]);
        let mut expected = vec![0xEE; size as usize];
        expected[dst as usize..(dst + count) as usize]
            .copy_from_slice(&source[src as usize..(src + count) as usize]);
        assert!(got == expected);
    }
}

/// Prints the cost of the parts of a round trip; run by hand with `--ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn parts_of_a_round_trip() {
    use super::memory::buffer::{Buffer, Use};
    use super::opening::OpenDevice;
    use super::submit::record::{EndedRecording, Recorder};
    use super::submit::submit_queue::SubmitInfo;
    use std::time::Instant;
    let Some(device) = device() else { return };
    let OpenDevice { gpu, queues, .. } = opened(&device);
    let pools = queues.pools;
    let median = |mut v: Vec<u128>| {
        v.sort_unstable();
        v[v.len() / 2]
    };
    let time = |n: usize, f: &mut dyn FnMut()| {
        let each = (0..n).map(|_| {
            let t = Instant::now();
            f();
            t.elapsed().as_nanos()
        });
        median(each.collect())
    };
    let submit_queue = queues.next().unwrap();
    eprintln!("calibration {} ns", time(200, &mut || drop(gpu.clock.now(&gpu.raw))));
    eprintln!("counter {} ns", time(2000, &mut || _ = std::hint::black_box(submit_queue.counter())));
    let flag = Buffer::new(pools.memory.heap, 64, Use::Staging, "flag").unwrap();
    let word = flag.mapped().unwrap().as_ptr().cast::<u32>();
    for (name, barrier, write) in
        [("empty", false, false), ("barrier", true, false), ("write", false, true), ("both", true, true)]
    {
        let (mut record, mut submit, mut seen, mut done, mut reset) =
            (vec![], vec![], vec![], vec![], vec![]);
        for i in 1..1000u32 {
            let t = Instant::now();
            let recorder = Recorder::begin(pools, Before::Barrier).unwrap();
            let cmd = recorder.allocator.cmd;
            if barrier {
                gpu.full_barrier(cmd);
            }
            if write {
                // SAFETY: the command buffer is recording; the buffer has room.
                unsafe { gpu.raw.cmd_fill_buffer(cmd, flag.raw, 0, 4, i) };
            }
            let EndedRecording { allocator, event, .. } = recorder.end(false, submit_queue.timeline).unwrap();
            record.push(t.elapsed().as_nanos());
            let t = Instant::now();
            let value = submit_queue
                .submit(SubmitInfo { cmd: Some(allocator.cmd), event, ..SubmitInfo::default() }, None)
                .map_err(|e| e.0)
                .unwrap();
            submit.push(t.elapsed().as_nanos());
            // SAFETY: the flag is mapped.
            while write && unsafe { word.read_volatile() } != i {}
            seen.push(t.elapsed().as_nanos());
            while submit_queue.counter() < value {}
            done.push(t.elapsed().as_nanos());
            let t = Instant::now();
            allocator.recycle(&pools.allocators, Some((submit_queue.timeline, value)));
            pools.allocators.prepare();
            reset.push(t.elapsed().as_nanos());
        }
        let (record, submit, seen, done, reset) =
            (median(record), median(submit), median(seen), median(done), median(reset));
        eprintln!(
            "{name}: record {record}, submit {submit}, seen after {seen}, done after {done}, reset {reset} ns"
        );
    }
}

#[test]
fn semaphores_of_the_application_order_queues() {
    let Some(device) = device() else { return };
    for profiling in [false, true] {
        let ((first, _), (second, log)) = (queue(&device, profiling), queue(&device, profiling));
        let semaphore = || device.create_semaphore(SemaphoreOrigin::Plain).unwrap();
        let (filled, copied) = (semaphore(), semaphore());
        let (a, b) = (buffer(&device, 1 << 20), buffer(&device, 1 << 20));
        let mut out = vec![0u8; 1 << 20];
        for round in 1..5u8 {
            let fill = |dst| DeviceCommand::fill(dst, smallvec![round; 4]);
            let copy = DeviceCommand::copy_range(whole(&a), whole(&b));
            let signal = |s: &Arc<dyn DeviceSemaphore>| DeviceCommand::Signal(smallvec![s.clone()]);
            let wait = |s: &Arc<dyn DeviceSemaphore>| DeviceCommand::Wait(smallvec![s.clone()]);
            // Work after a signal in one batch, and before a wait.
            let other = range(&b, 0, 4);
            first.submit(batch(vec![fill(whole(&a)), signal(&filled), DeviceCommand::Nop])).unwrap();
            second.submit(batch(vec![fill(other), wait(&filled), copy, signal(&copied)])).unwrap();
            // A signal is submitted before its wait.
            let last = first.submit(batch(vec![wait(&copied), read(whole(&b), &mut out)])).unwrap();
            assert!(first.wait(last, None).unwrap());
            assert!(out.iter().all(|v| *v == round));
        }
        finish(&second, vec![DeviceCommand::Nop]);
        let entries = log.0.lock();
        assert!(entries.iter().all(|e| e.1 == Outcome::Complete && e.2.is_some() == profiling));
        drop(entries);
        // Where semaphores can be exported, only those made for it may be.
        if device.info().semaphore_exports.is_empty() {
            assert!(filled.export(share::SemaphoreHandle::OpaqueFd).is_err());
        }
    }
    assert_eq!(validation_messages(), 0);
}

#[test]
fn bytes_move_between_devices() {
    let Some(device) = device() else { return };
    let config = Config { hidden_features: vec!["-host_import".into()], ..Config::default() };
    let without_import = DRIVER.probe(&config).swap_remove(0);
    let content = bytes(37 << 20, 5);
    for (from, to) in [(&device, &device), (&device, &without_import), (&without_import, &device)] {
        let (src, dst) = (buffer(from, 40 << 20), buffer(to, 40 << 20));
        from.transfer(&write(&content, range(&src, 3, content.len() as u64))).unwrap();
        for size in [1, 70_000, 8 << 20, content.len() as u64 - 7] {
            to.transfer(&DeviceCommand::fill(whole(&dst), smallvec![0; 4])).unwrap();
            relay::copy((from, range(&src, 10, size)), (to, range(&dst, 21, size))).unwrap();
            let mut seen = vec![1; size as usize + 2];
            to.transfer(&read(range(&dst, 20, size + 2), &mut seen)).unwrap();
            assert!(seen[1..=size as usize] == content[7..][..size as usize], "{size}");
            assert_eq!((seen[0], seen[size as usize + 1]), (0, 0), "{size}");
        }
    }
    assert_eq!(validation_messages(), 0);
}

#[test]
fn lists_are_replayed() {
    let Some(device) = device() else { return };
    let (queue, _) = queue(&device, false);
    let (a, b) = (buffer(&device, 4096), buffer(&device, 4096));
    let item = |command| ListItem { command, ordered: true };
    // Fills by vkCmdFillBuffer, by the internal shader and by staging, with odd ends, and a copy.
    let fill = |dst, pattern: &[u8]| item(DeviceCommand::fill(dst, SmallVec::from_slice(pattern)));
    let items = vec![
        fill(whole(&a), &[1]),
        fill(range(&a, 64, 64), &[1, 2, 3, 4, 5, 6, 7, 8]),
        fill(range(&a, 131, 3), &[9]),
        item(DeviceCommand::copy_range(range(&a, 0, 1024), range(&b, 0, 1024))),
        fill(range(&a, 0, 4), &[7, 7]),
    ];
    let list = device.record(items).unwrap();
    let mut out = vec![0u8; 1024];
    for byte in 0..3u8 {
        let fill = DeviceCommand::fill(whole(&b), smallvec![byte]);
        finish(&queue, vec![fill, DeviceCommand::Replay(list.clone()), DeviceCommand::Replay(list.clone())]);
        finish(&queue, vec![read(range(&b, 0, 1024), &mut out)]);
        assert_eq!((out[0], out[63], out[131], out[133], out[134]), (1, 1, 9, 9, 1));
        assert_eq!(out[64..72], [1, 2, 3, 4, 5, 6, 7, 8]);
    }
    // Commands that access host memory cannot be replayed.
    let bytes = [0u8; 16];
    assert!(device.record(vec![item(write(&bytes, range(&a, 0, 16)))]).is_err());
    assert_eq!(validation_messages(), 0);
}
