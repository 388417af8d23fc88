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
        let mut words: Vec<Vec<u32>> = (0..3).map(|b| (0..N as u32).map(|i| i * (b + 1)).collect()).collect();
        let mems: Vec<_> = words.iter().map(|w| rig.buffer(w)).collect();
        let (on_step, on_fine, on_both) = (rig.kernel("step"), rig.kernel("fine"), rig.kernel("both"));
        set(on_both, 2, 0.5f64);
        let buffer = create(&queues);
        // For each memory object: its last writer, and the readers since.
        let (mut writer, mut readers) = (vec![None; 3], vec![Vec::new(); 3]);
        let mut commands: Vec<OnHost> = Vec::new();
        for _ in 0..20 {
            let (queue, from) = (queues[random.below(queues.len())], random.below(3));
            let to = (from + 1 + random.below(2)) % 3;
            let (factor, addend) = (1 + random.below(5) as u32, random.below(100) as u32);
            let what = random.below(9);
            let uses: &[usize] = if what < 5 { &[to] } else { &[from, to] };
            let mut waits: Vec<u32> =
                uses.iter().filter_map(|m| writer[*m]).chain(readers[to].clone()).collect();
            waits.sort_unstable();
            waits.dedup();
            let point = match what {
                0..2 => {
                    set(on_step, 0, mems[to]);
                    set(on_step, 1, factor);
                    set(on_step, 2, addend);
                    commands.push(Box::new(move |w| {
                        w[to].iter_mut().for_each(|w| *w = w.wrapping_mul(factor).wrapping_add(addend));
                    }));
                    record(buffer, queue, on_step, &waits).0
                }
                2..5 => {
                    set(on_fine, 0, mems[to]);
                    set(on_fine, 1, f64::from(addend));
                    commands.push(Box::new(move |w| w[to].iter_mut().for_each(|w| *w = fine(*w, addend))));
                    record(buffer, queue, on_fine, &waits).0
                }
                5..7 => {
                    set(on_both, 0, mems[to]);
                    set(on_both, 1, mems[from]);
                    commands.push(Box::new(move |w| {
                        let other = w[from].clone();
                        w[to].iter_mut().zip(other).for_each(|(w, o)| *w = both(*w, o));
                    }));
                    record(buffer, queue, on_both, &waits).0
                }
                7 => {
                    commands.push(Box::new(move |w| w[to] = w[from].clone()));
                    let (mut point, (n, list)) = (0, points(&waits));
                    // SAFETY: live handles; the list has its length.
                    ok(unsafe {
                        let (from, to) = (mems[from], mems[to]);
                        clCommandCopyBufferKHR(
                            buffer,
                            queue,
                            null(),
                            from,
                            to,
                            0,
                            0,
                            4 * N,
                            n,
                            list,
                            &mut point,
                            null_mut(),
                        )
                    });
                    point
                }
                _ => {
                    let (n, list) = points(if random.below(2) == 0 { &[] } else { &waits });
                    let (none, no_handle) = (null_mut(), null_mut());
                    // SAFETY: as above.
                    ok(unsafe {
                        clCommandBarrierWithWaitListKHR(buffer, queue, null(), n, list, none, no_handle)
                    });
                    continue;
                }
            };
            if what >= 5 {
                readers[from].push(point);
            }
            writer[to] = Some(point);
            readers[to].clear();
        }
        finalize(buffer);
        let mut last: Option<cl_event> = None;
        for turn in 0..3 {
            // Queues passed at the enqueue replace those of the creation.
            let on = if turn == 1 { &others[..] } else { &[] };
            let event = replay(on, buffer, last.as_slice());
            release(last.replace(event));
            commands.iter().for_each(|command| command(&mut words));
        }
        assert_eq!(wait(last.as_slice()), CL_SUCCESS);
        for (mem, words) in mems.iter().zip(&words) {
            assert_eq!(&read::<u32>(queues[0], *mem, N), words, "round {round}");
        }
        // SAFETY: a live handle.
        ok(unsafe { clReleaseCommandBufferKHR(buffer) });
        release(last);
        release([on_step, on_fine, on_both]);
        release(mems);
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
