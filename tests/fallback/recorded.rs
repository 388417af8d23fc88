//! Command buffers of several queues, of the device whose kernels fall back and of the processor itself: sync
//! points, queues and barriers order every command.

use super::*;
use test_support::api::command_buffer::*;

const N: usize = 256;

const SOURCE: &str = "
kernel void step(global uint *p, uint factor, uint addend) { size_t i = get_global_id(0); p[i] = p[i] * factor + addend; }
kernel void fine(global uint *p, double addend) {
    size_t i = get_global_id(0);
    p[i] = (uint)((double)(p[i] & 0xffffff) * 8.0 + addend);
}
kernel void both(global uint *to, global const uint *from, double share) {
    size_t i = get_global_id(0);
    to[i] = (uint)((double)(to[i] & 0xffffff) * share + (double)(from[i] & 0xffffff));
}";

fn fine(w: u32, addend: u32) -> u32 {
    (w & 0xff_ffff) * 8 + addend
}

fn both(to: u32, from: u32) -> u32 {
    (f64::from(to & 0xff_ffff) * 0.5 + f64::from(from & 0xff_ffff)) as u32
}

/// A context of all devices with the kernels.
fn world() -> (Vec<cl_device_id>, Rig) {
    let (devices, mut code) = (devices(), 1);
    assert!(devices.len() >= 2, "{} devices", devices.len());
    // SAFETY: as many devices as are said.
    let context = unsafe {
        clCreateContext(null(), devices.len() as u32, devices.as_ptr(), None, null_mut(), &mut code)
    };
    ok(code);
    let rig = Rig { device: devices[0], context, program: build(context, devices[0], SOURCE) };
    assert!(falls_back(&rig, "fine") && falls_back(&rig, "both") && !falls_back(&rig, "step"));
    (devices, rig)
}

fn create(queues: &[cl_command_queue]) -> cl_command_buffer_khr {
    let flags = CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR;
    let (properties, mut code) = ([u64::from(CL_COMMAND_BUFFER_FLAGS_KHR), flags, 0], 1);
    // SAFETY: as many queues as are said; the list is terminated.
    let buffer = unsafe {
        clCreateCommandBufferKHR(queues.len() as u32, queues.as_ptr(), properties.as_ptr(), &mut code)
    };
    ok(code);
    buffer
}

fn points(waits: &[cl_sync_point_khr]) -> (u32, *const cl_sync_point_khr) {
    (waits.len() as u32, if waits.is_empty() { null() } else { waits.as_ptr() })
}

fn record(
    buffer: cl_command_buffer_khr,
    queue: cl_command_queue,
    kernel: cl_kernel,
    waits: &[u32],
) -> (u32, cl_mutable_command_khr) {
    let (mut point, mut handle, size, (n, list)) = (0, null_mut(), N, points(waits));
    // SAFETY: live handles; one dimension; the list has its length.
    ok(unsafe {
        let none = null();
        clCommandNDRangeKernelKHR(
            buffer,
            queue,
            none,
            kernel,
            1,
            none.cast(),
            &size,
            null(),
            n,
            list,
            &mut point,
            &mut handle,
        )
    });
    (point, handle)
}

fn replay(queues: &[cl_command_queue], buffer: cl_command_buffer_khr, waits: &[cl_event]) -> cl_event {
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    let (on, mut event) = (if queues.is_empty() { null() } else { queues.as_ptr() }, null_mut());
    // SAFETY: the lists have their lengths.
    ok(unsafe {
        clEnqueueCommandBufferKHR(queues.len() as u32, on, buffer, waits.len() as u32, list, &mut event)
    });
    event
}

fn finalize(buffer: cl_command_buffer_khr) {
    // SAFETY: a live handle.
    ok(unsafe { clFinalizeCommandBufferKHR(buffer) });
}

/// Effect of a command on the words of the memory objects.
type OnHost = Box<dyn Fn(&mut [Vec<u32>])>;

/// A command buffer with random commands on three memory objects, ordered by sync points.
struct Recording {
    buffer: cl_command_buffer_khr,
    mems: Vec<cl_mem>,
    on_step: cl_kernel,
    on_fine: cl_kernel,
    on_both: cl_kernel,
    /// Sync point of each memory object's last writer.
    writer: [Option<u32>; 3],
    /// Sync points of each memory object's readers since then.
    readers: [Vec<u32>; 3],
    commands: Vec<OnHost>,
}

impl Recording {
    fn new(rig: &Rig, queues: &[cl_command_queue], words: &[Vec<u32>]) -> Recording {
        let (on_step, on_fine, on_both) = (rig.kernel("step"), rig.kernel("fine"), rig.kernel("both"));
        set(on_both, 2, 0.5f64);
        Recording {
            buffer: create(queues),
            mems: words.iter().map(|w| rig.buffer(w)).collect(),
            on_step,
            on_fine,
            on_both,
            writer: [None; 3],
            readers: Default::default(),
            commands: Vec::new(),
        }
    }

    /// Records a random command.
    fn add(&mut self, queue: cl_command_queue, random: &mut Random) {
        let from = random.below(3);
        let to = (from + 1 + random.below(2)) % 3;
        let (factor, addend) = (1 + random.below(5) as u32, random.below(100) as u32);
        let what = random.below(9);
        let uses: &[usize] = if what < 5 { &[to] } else { &[from, to] };
        let waits = self.waits(uses, to);
        let point = match what {
            0..2 => self.step(queue, to, factor, addend, &waits),
            2..5 => self.fine(queue, to, addend, &waits),
            5..7 => self.both(queue, from, to, &waits),
            7 => self.copy(queue, from, to, &waits),
            _ => return self.barrier(queue, if random.below(2) == 0 { &[] } else { &waits }),
        };
        if what >= 5 {
            self.readers[from].push(point);
        }
        self.writer[to] = Some(point);
        self.readers[to].clear();
    }

    /// Sync points of the last writers of the used memory objects, and of the readers of the written one.
    fn waits(&self, uses: &[usize], to: usize) -> Vec<u32> {
        let mut waits: Vec<u32> =
            uses.iter().filter_map(|m| self.writer[*m]).chain(self.readers[to].clone()).collect();
        waits.sort_unstable();
        waits.dedup();
        waits
    }

    fn step(&mut self, queue: cl_command_queue, to: usize, factor: u32, addend: u32, waits: &[u32]) -> u32 {
        set(self.on_step, 0, self.mems[to]);
        set(self.on_step, 1, factor);
        set(self.on_step, 2, addend);
        self.commands.push(Box::new(move |w| {
            w[to].iter_mut().for_each(|w| *w = w.wrapping_mul(factor).wrapping_add(addend));
        }));
        record(self.buffer, queue, self.on_step, waits).0
    }

    fn fine(&mut self, queue: cl_command_queue, to: usize, addend: u32, waits: &[u32]) -> u32 {
        set(self.on_fine, 0, self.mems[to]);
        set(self.on_fine, 1, f64::from(addend));
        self.commands.push(Box::new(move |w| w[to].iter_mut().for_each(|w| *w = fine(*w, addend))));
        record(self.buffer, queue, self.on_fine, waits).0
    }

    fn both(&mut self, queue: cl_command_queue, from: usize, to: usize, waits: &[u32]) -> u32 {
        set(self.on_both, 0, self.mems[to]);
        set(self.on_both, 1, self.mems[from]);
        self.commands.push(Box::new(move |w| {
            let other = w[from].clone();
            w[to].iter_mut().zip(other).for_each(|(w, o)| *w = both(*w, o));
        }));
        record(self.buffer, queue, self.on_both, waits).0
    }

    fn copy(&mut self, queue: cl_command_queue, from: usize, to: usize, waits: &[u32]) -> u32 {
        self.commands.push(Box::new(move |w| w[to] = w[from].clone()));
        let (mut point, (n, list)) = (0, points(waits));
        let (src, dst, size, at, end) = (self.mems[from], self.mems[to], 4 * N, &raw mut point, null_mut());
        // SAFETY: live handles; the list has its length.
        ok(unsafe {
            clCommandCopyBufferKHR(self.buffer, queue, null(), src, dst, 0, 0, size, n, list, at, end)
        });
        point
    }

    fn barrier(&self, queue: cl_command_queue, waits: &[u32]) {
        let ((n, list), none, no_handle) = (points(waits), null_mut(), null_mut());
        // SAFETY: live handles; the list has its length.
        ok(unsafe { clCommandBarrierWithWaitListKHR(self.buffer, queue, null(), n, list, none, no_handle) });
    }

    /// Replays the commands three times, once on other queues than those of the creation, and compares the
    /// memory objects.
    fn replays(
        &self,
        queue: cl_command_queue,
        others: &[cl_command_queue],
        mut words: Vec<Vec<u32>>,
        round: usize,
    ) {
        let mut last: Option<cl_event> = None;
        for turn in 0..3 {
            let on = if turn == 1 { others } else { &[] };
            let event = replay(on, self.buffer, last.as_slice());
            release(last.replace(event));
            self.commands.iter().for_each(|command| command(&mut words));
        }
        assert_eq!(wait(last.as_slice()), CL_SUCCESS);
        for (mem, words) in self.mems.iter().zip(&words) {
            assert_eq!(&read::<u32>(queue, *mem, N), words, "round {round}");
        }
        release(last);
    }

    fn end(self) {
        // SAFETY: a live handle.
        ok(unsafe { clReleaseCommandBufferKHR(self.buffer) });
        release([self.on_step, self.on_fine, self.on_both]);
        release(self.mems);
    }
}

/// Random commands on random queues; the host computes the same.
pub fn several_queues() {
    let (devices, rig) = world();
    let mut random = Random(23);
    for round in 0..18 {
        let properties = [0, OUT_OF_ORDER, CL_QUEUE_PROFILING_ENABLE][round % 3];
        // Each device, and the first one twice.
        let list =
            || devices.iter().chain(&devices[..1]).map(|d| Rig { device: *d, ..rig }.queue(properties));
        let (queues, others): (Vec<_>, Vec<_>) = (list().collect(), list().collect());
        let words: Vec<Vec<u32>> = (0..3).map(|b| (0..N as u32).map(|i| i * (b + 1)).collect()).collect();
        let mut recording = Recording::new(&rig, &queues, &words);
        for _ in 0..20 {
            recording.add(queues[random.below(queues.len())], &mut random);
        }
        finalize(recording.buffer);
        recording.replays(queues[0], &others, words, round);
        recording.end();
        release(queues.into_iter().chain(others));
    }
}

/// Waits, failures, updates and copies for other queues apply to the whole buffer.
pub fn whole_buffers() {
    let (devices, rig) = world();
    let queue = |i: usize| Rig { device: devices[i], ..rig }.queue(0);
    let (queues, others) = ([queue(0), queue(0)], [queue(0), queue(devices.len() - 1)]);
    let (on_step, on_fine, mem) = (rig.kernel("step"), rig.kernel("fine"), rig.buffer(&[1u32; N]));
    let buffer = create(&queues);
    set(on_step, 0, mem);
    set(on_step, 1, 3u32);
    set(on_step, 2, 1u32);
    set(on_fine, 0, mem);
    set(on_fine, 1, 5f64);
    let (one, _) = record(buffer, queues[0], on_fine, &[]);
    let (two, _) = record(buffer, queues[1], on_step, &[one]);
    let (_, last) = record(buffer, queues[0], on_fine, &[two]);
    finalize(buffer);
    let expected = |w: u32, addend| fine(fine(w, 5) * 3 + 1, addend);
    let (gate, fails) = (rig.gate(), rig.gate());
    let (event, failed) = (replay(&[], buffer, &[gate]), replay(&[], buffer, &[fails]));
    // Pending executions keep their state.
    let value = 9f64.to_ne_bytes();
    let arg = cl_mutable_dispatch_arg_khr { arg_index: 1, arg_size: 8, arg_value: value.as_ptr().cast() };
    let config = |command| cl_mutable_dispatch_config_khr {
        command,
        num_args: 1,
        num_svm_args: 0,
        num_exec_infos: 0,
        work_dim: 0,
        arg_list: &arg,
        arg_svm_list: null(),
        exec_info_list: null(),
        global_work_offset: null(),
        global_work_size: null(),
        local_work_size: null(),
    };
    let update = |buffer, command| {
        let config = config(command);
        let (ty, list) = (CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR, (&raw const config).cast());
        // SAFETY: one structure of the type.
        ok(unsafe { clUpdateMutableCommandsKHR(buffer, 1, &ty, &list) });
    };
    // A copy has its own commands; one of them is for the processor's queue, where it runs without fallback.
    let (mut copied, mut code) = (null_mut(), 1);
    // SAFETY: the lists have their lengths.
    let copy = unsafe {
        clRemapCommandBufferKHR(buffer, CL_FALSE, 2, others.as_ptr(), 1, &last, &mut copied, &mut code)
    };
    ok(code);
    update(copy, copied);
    assert_eq!(status(event), CL_QUEUED);
    open_gate(fails, CL_OUT_OF_RESOURCES);
    open_gate(gate, CL_COMPLETE);
    assert_eq!(wait(&[event]), CL_SUCCESS);
    assert_eq!(wait(&[failed]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    let mut now = expected(1, 5);
    assert_eq!(read::<u32>(queues[0], mem, N), [now; N]);
    for (buffer, queue, addend) in [(copy, others[1], 9), (buffer, queues[1], 5)] {
        let event = replay(&[], buffer, &[]);
        assert_eq!(wait(&[event]), CL_SUCCESS);
        now = expected(now, addend);
        assert_eq!(read::<u32>(queue, mem, N), [now; N]);
        event.release();
        // SAFETY: a live handle.
        ok(unsafe { clReleaseCommandBufferKHR(buffer) });
    }
    release([event, failed, gate, fails]);
    release([on_step, on_fine]);
    mem.release();
    release(queues.into_iter().chain(others));
}
