//! Commands: transfers in pieces, large buffers, and queues that work at the same time.

use super::super::bench::Bench;
use super::super::check::{Verdict, bytes_of};
use pyroclast_runtime::cl::*;
use pyroclast_runtime::command::{sync, transfer};
use pyroclast_runtime::error::Error;
use pyroclast_runtime::host_ptr::HostPtr;
use pyroclast_runtime::kernel::Kernel;
use pyroclast_runtime::kernel::args::ArgInput;
use pyroclast_runtime::memory::{MemObject, buffer};
use std::sync::Arc;

/// A procedure on a device: its name and what it does.
pub type Procedure = (&'static str, fn(&Bench) -> Result<Verdict, Error>);

const STEP: &str = "
    kernel void step(global uint *p, uint factor, uint addend) {
        size_t i = get_global_id(0); p[i] = p[i] * factor + addend; }
    kernel void marks(global uint *p, ulong stride, uint value) {
        size_t i = get_global_id(0); p[i * stride] = value + (uint)i; }
    kernel void collected(global const uint *p, ulong stride, global uint *out) {
        size_t i = get_global_id(0); out[i] = p[i * stride]; }";

fn kernel(bench: &Bench, name: &str) -> Result<Arc<Kernel>, Error> {
    let program = bench.build(STEP).map_err(|log| Error::with(CL_BUILD_PROGRAM_FAILURE, log))?;
    Kernel::create(&program, name)
}

fn set(kernel: &Kernel, memory: &Arc<MemObject>, values: &[&[u8]]) -> Result<(), Error> {
    kernel.set_arg(0, ArgInput::Mem(Some(memory)))?;
    (1..).zip(values).try_for_each(|(index, bytes)| kernel.set_arg(index, ArgInput::Bytes(bytes)))
}

fn compared(found: &[u8], expected: &[u8], what: &str) -> Verdict {
    match found.iter().zip(expected).position(|(a, b)| a != b) {
        None if found.len() == expected.len() => Verdict::Passed,
        at => Verdict::Wrong(format!("{what}: byte {} differs", at.unwrap_or(found.len()))),
    }
}

/// Writes, reads, copies and fills of odd sizes at odd offsets.
pub const TRANSFERS: &[Procedure] = &[
    ("writes and reads in pieces", |bench| {
        let size = 100_003;
        let memory = bench.buffer(&vec![0xee; size])?;
        let mut expected = vec![0xee; size];
        for (offset, len) in [(0, 1), (3, 5), (64, 4096), (5001, 70_001), (size - 7, 7)] {
            let mut bytes: Vec<u8> = (0..len).map(|i| (i * 31 + offset) as u8).collect();
            expected[offset..offset + len].copy_from_slice(&bytes);
            let ptr = HostPtr::new(bytes.as_mut_ptr());
            transfer::write_buffer(&bench.queue, &memory, true, offset, len, ptr, Default::default())?;
        }
        Ok(compared(&bench.read(&memory, size)?, &expected, "read after writes"))
    }),
    ("copies", |bench| {
        let bytes: Vec<u8> = (0..50_000usize).map(|i| (i * 17) as u8).collect();
        let (from, to) = (bench.buffer(&bytes)?, bench.buffer(&vec![0; bytes.len()])?);
        let mut expected = vec![0; bytes.len()];
        for (src, dst, len) in [(0, 1, 999), (4096, 8192, 20_000), (49_990, 40_000, 10)] {
            expected[dst..dst + len].copy_from_slice(&bytes[src..src + len]);
            transfer::copy_buffer(&bench.queue, &from, &to, src, dst, len, Default::default())?;
        }
        Ok(compared(&bench.read(&to, bytes.len())?, &expected, "copy"))
    }),
    ("fills", |bench| {
        let memory = bench.buffer(&[0; 4096])?;
        let mut expected = vec![0u8; 4096];
        for (offset, len, pattern) in [(1, 77, &[7u8][..]), (256, 512, &[1, 2, 3, 4]), (1024, 64, &[9; 16])] {
            expected[offset..offset + len]
                .iter_mut()
                .zip(pattern.iter().cycle())
                .for_each(|(to, p)| *to = *p);
            transfer::fill_buffer(&bench.queue, &memory, pattern, offset, len, Default::default())?;
        }
        Ok(compared(&bench.read(&memory, 4096)?, &expected, "fill"))
    }),
];

/// Buffers of many sizes, up to more than 128 MiB if the device allocates so much.
pub const LARGE: &[Procedure] = &[
    ("buffer of 64 MiB", |bench| strided(bench, 64 << 20)),
    ("buffer of 130 MiB", |bench| strided(bench, 130 << 20)),
    ("buffer of 300 MiB", |bench| strided(bench, 300 << 20)),
];

/// Writes words far apart in a buffer and collects them.
fn strided(bench: &Bench, size: usize) -> Result<Verdict, Error> {
    const COUNT: usize = 128;
    let info = bench.device.info();
    // Half of the memory stays free.
    if size as u64 > info.max_alloc_size || size as u64 > info.global_mem_size / 2 {
        return Ok(Verdict::Passed);
    }
    let memory = buffer::create(&bench.context, None, CL_MEM_READ_WRITE, size, None)?;
    let out = bench.buffer(&[0; 4 * COUNT])?;
    let stride = ((size / 4 - 1) / (COUNT - 1)) as u64;
    let (marks, collected) = (kernel(bench, "marks")?, kernel(bench, "collected")?);
    set(&marks, &memory, &[&stride.to_le_bytes(), &77u32.to_le_bytes()])?;
    set(&collected, &memory, &[&stride.to_le_bytes()])?;
    collected.set_arg(2, ArgInput::Mem(Some(&out)))?;
    bench.launch(&bench.queue, &marks, &[COUNT], None)?;
    bench.launch(&bench.queue, &collected, &[COUNT], None)?;
    let expected: Vec<u8> = bytes_of((0..COUNT as u32).map(|i| 77 + i));
    Ok(compared(&bench.read(&out, 4 * COUNT)?, &expected, "words far apart"))
}

/// Dependent launches on one queue, on an out-of-order queue and on several queues.
pub const QUEUES: &[Procedure] = &[
    ("chain on one queue", |bench| {
        let (step, memory) = (kernel(bench, "step")?, bench.buffer(&[1; 4096])?);
        let mut expected: Vec<u32> = vec![0x0101_0101; 1024];
        for round in 0..40u32 {
            set(&step, &memory, &[&3u32.to_le_bytes(), &round.to_le_bytes()])?;
            bench.launch(&bench.queue, &step, &[1024], None)?;
            expected.iter_mut().for_each(|v| *v = v.wrapping_mul(3).wrapping_add(round));
        }
        Ok(compared(&bench.read(&memory, 4096)?, &bytes_of(&expected), "chain"))
    }),
    ("barriers of an out-of-order queue", |bench| {
        let queue = bench.another_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)?;
        let (step, memory) = (kernel(bench, "step")?, bench.buffer(&[2; 4096])?);
        let mut expected: Vec<u32> = vec![0x0202_0202; 1024];
        for round in 0..20u32 {
            set(&step, &memory, &[&5u32.to_le_bytes(), &round.to_le_bytes()])?;
            bench.launch(&queue, &step, &[1024], None)?;
            sync::barrier(&queue, Default::default())?;
            expected.iter_mut().for_each(|v| *v = v.wrapping_mul(5).wrapping_add(round));
        }
        queue.finish()?;
        Ok(compared(&bench.read(&memory, 4096)?, &bytes_of(&expected), "chain with barriers"))
    }),
    ("several queues in turn", |bench| {
        let queues = [bench.another_queue(0)?, bench.another_queue(0)?, bench.another_queue(0)?];
        let (step, memory) = (kernel(bench, "step")?, bench.buffer(&[3; 4096])?);
        let mut expected: Vec<u32> = vec![0x0303_0303; 1024];
        let mut last = None;
        for round in 0..30u32 {
            let queue = &queues[round as usize % queues.len()];
            sync::barrier(queue, last.take().into_iter().collect())?;
            set(&step, &memory, &[&7u32.to_le_bytes(), &round.to_le_bytes()])?;
            bench.launch(queue, &step, &[1024], None)?;
            last = Some(sync::marker(queue, Default::default())?);
            expected.iter_mut().for_each(|v| *v = v.wrapping_mul(7).wrapping_add(round));
        }
        queues.iter().try_for_each(|queue| queue.finish())?;
        Ok(compared(&bench.read(&memory, 4096)?, &bytes_of(&expected), "turns"))
    }),
];
