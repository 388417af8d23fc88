//! cl_khr_command_buffer_multi_device: command buffers with several queues, of one device and of several, and
//! copies for other queues.

#![allow(clippy::unwrap_used)]

use std::ptr::{null, null_mut};
use test_support::api::command_buffer::*;
use test_support::api::rig::*;
use test_support::api::*;
use test_support::skipped;

const N: usize = 256;
const FLAGS: u64 = CL_COMMAND_BUFFER_FLAGS_KHR as u64;
const MUTABLE: [u64; 3] = [FLAGS, CL_COMMAND_BUFFER_MUTABLE_KHR, 0];

/// A context of all devices, with a program.
fn world() -> (Vec<cl_device_id>, Rig) {
    let (devices, mut code) = (vulkan_and_processor(), 1);
    assert!(devices.len() >= 2, "{} devices", devices.len());
    // SAFETY: as many devices as are said.
    let context = unsafe {
        clCreateContext(null(), devices.len() as u32, devices.as_ptr(), None, null_mut(), &mut code)
    };
    ok(code);
    let rig = Rig { device: devices[0], context, program: build(context, devices[0], STEPS) };
    (devices, rig)
}

fn create(queues: &[cl_command_queue], properties: &[u64]) -> Result<cl_command_buffer_khr, cl_int> {
    let mut code = 1;
    let list = if properties.is_empty() { null() } else { properties.as_ptr() };
    // SAFETY: as many queues as are said; the list is NULL or terminated.
    let buffer = unsafe { clCreateCommandBufferKHR(queues.len() as u32, queues.as_ptr(), list, &mut code) };
    assert_eq!(buffer.is_null(), code != CL_SUCCESS);
    if code == CL_SUCCESS { Ok(buffer) } else { Err(code) }
}

fn points(waits: &[cl_sync_point_khr]) -> *const cl_sync_point_khr {
    if waits.is_empty() { null() } else { waits.as_ptr() }
}

/// Records a launch. Returns the error code, the sync point and the command.
fn record(
    buffer: cl_command_buffer_khr,
    queue: cl_command_queue,
    kernel: cl_kernel,
    waits: &[cl_sync_point_khr],
) -> (cl_int, cl_sync_point_khr, cl_mutable_command_khr) {
    let (mut point, mut handle, n) = (0, null_mut(), waits.len() as u32);
    let (list, size, to) = (points(waits), [N], &mut handle);
    // SAFETY: the arrays have their lengths.
    let code = unsafe {
        clCommandNDRangeKernelKHR(
            buffer,
            queue,
            null(),
            kernel,
            1,
            null(),
            size.as_ptr(),
            null(),
            n,
            list,
            &mut point,
            to,
        )
    };
    (code, point, handle)
}

fn copy(
    buffer: cl_command_buffer_khr,
    queue: cl_command_queue,
    from: cl_mem,
    to: cl_mem,
    waits: &[u32],
) -> u32 {
    let (mut point, n, list) = (0, waits.len() as u32, points(waits));
    // SAFETY: live handles; the list has its length.
    ok(unsafe {
        clCommandCopyBufferKHR(buffer, queue, null(), from, to, 0, 0, 4 * N, n, list, &mut point, null_mut())
    });
    point
}

fn barrier(buffer: cl_command_buffer_khr, queue: cl_command_queue, waits: &[u32]) -> u32 {
    let (mut point, n, list) = (0, waits.len() as u32, points(waits));
    // SAFETY: as above.
    ok(unsafe { clCommandBarrierWithWaitListKHR(buffer, queue, null(), n, list, &mut point, null_mut()) });
    point
}

fn finalize(buffer: cl_command_buffer_khr) {
    // SAFETY: a live handle.
    ok(unsafe { clFinalizeCommandBufferKHR(buffer) });
}

fn replay_on(
    queues: &[cl_command_queue],
    buffer: cl_command_buffer_khr,
    waits: &[cl_event],
) -> Result<cl_event, cl_int> {
    let (mut event, n) = (null_mut(), waits.len() as u32);
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    let on = if queues.is_empty() { null() } else { queues.as_ptr() };
    // SAFETY: the lists have their lengths.
    let code = unsafe { clEnqueueCommandBufferKHR(queues.len() as u32, on, buffer, n, list, &mut event) };
    if code == CL_SUCCESS { Ok(event) } else { Err(code) }
}

fn replay(buffer: cl_command_buffer_khr, waits: &[cl_event]) -> cl_event {
    replay_on(&[], buffer, waits).unwrap()
}

fn remap(
    buffer: cl_command_buffer_khr,
    queues: &[cl_command_queue],
    handles: &[cl_mutable_command_khr],
) -> Result<(cl_command_buffer_khr, Vec<cl_mutable_command_khr>), cl_int> {
    let (mut out, mut code) = (vec![null_mut(); handles.len()], 1);
    let (n, list) = (queues.len() as u32, queues.as_ptr());
    let lists = match handles {
        [] => (null(), null_mut()),
        _ => (handles.as_ptr(), out.as_mut_ptr()),
    };
    // SAFETY: the lists have their lengths.
    let copy = unsafe {
        clRemapCommandBufferKHR(buffer, CL_FALSE, n, list, handles.len() as u32, lists.0, lists.1, &mut code)
    };
    assert_eq!(copy.is_null(), code != CL_SUCCESS);
    if code == CL_SUCCESS { Ok((copy, out)) } else { Err(code) }
}

fn drop_buffer(buffer: cl_command_buffer_khr) {
    // SAFETY: a live handle, released once.
    ok(unsafe { clReleaseCommandBufferKHR(buffer) });
}

fn info(buffer: cl_command_buffer_khr, name: cl_uint) -> Vec<u8> {
    // SAFETY: `query_bytes` passes buffers of the size it says.
    query_bytes(|size, value, size_ret| unsafe {
        clGetCommandBufferInfoKHR(buffer, name, size, value, size_ret)
    })
    .unwrap()
}

fn queue_of(command: cl_mutable_command_khr) -> u64 {
    let name = CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR;
    // SAFETY: as above.
    number(&query_bytes(|s, v, r| unsafe { clGetMutableCommandInfoKHR(command, name, s, v, r) }).unwrap())
}

fn update_arg<T>(
    buffer: cl_command_buffer_khr,
    command: cl_mutable_command_khr,
    index: u32,
    value: T,
) -> cl_int {
    let arg = cl_mutable_dispatch_arg_khr {
        arg_index: index,
        arg_size: size_of::<T>(),
        arg_value: (&raw const value).cast(),
    };
    let config = cl_mutable_dispatch_config_khr {
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
    let (types, configs) = ([CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR], [(&raw const config).cast()]);
    // SAFETY: both lists have one element.
    unsafe { clUpdateMutableCommandsKHR(buffer, 1, types.as_ptr(), configs.as_ptr()) }
}

/// Sets the arguments of `step`.
fn set_step(step: cl_kernel, mem: cl_mem, factor: u32, addend: u32) {
    set(step, 0, mem);
    set(step, 1, factor);
    set(step, 2, addend);
}

fn stepped(words: &mut [u32], factor: u32, addend: u32) {
    words.iter_mut().for_each(|w| *w = w.wrapping_mul(factor).wrapping_add(addend));
}

/// Effect of a command on the words of the memory objects.
type OnHost = Box<dyn Fn(&mut [Vec<u32>])>;

/// Random commands on random queues, each waiting only for the commands it depends on; the host computes the
/// same.
#[test]
fn commands_of_several_queues_keep_the_order_of_their_sync_points() {
    let (devices, rig) = world();
    let mut random = Random(11);
    for round in 0..24 {
        let properties = [0, OUT_OF_ORDER, CL_QUEUE_PROFILING_ENABLE][round % 3];
        // Each device, and the first one twice.
        let list: Vec<_> = devices.iter().chain(&devices[..1]).collect();
        let queues: Vec<_> = list.iter().map(|d| Rig { device: **d, ..rig }.queue(properties)).collect();
        let mut words: Vec<Vec<u32>> = (0..3).map(|b| (0..N as u32).map(|i| i * (b + 1)).collect()).collect();
        let mems: Vec<_> = words.iter().map(|w| rig.buffer(w)).collect();
        let (step, combine) = (rig.kernel("step"), rig.kernel("combine"));
        let buffer = create(&queues, &[]).unwrap();
        // For each memory object: its last writer, and the readers since.
        let (mut writer, mut readers) = (vec![None; 3], vec![Vec::new(); 3]);
        let mut commands: Vec<OnHost> = Vec::new();
        for _ in 0..20 {
            let (queue, from) = (queues[random.below(queues.len())], random.below(3));
            let to = (from + 1 + random.below(2)) % 3;
            let (factor, addend) = (1 + random.below(5) as u32, random.below(100) as u32);
            let what = random.below(8);
            let uses: &[usize] = if what < 3 { &[to] } else { &[from, to] };
            let mut waits: Vec<u32> =
                uses.iter().filter_map(|m| writer[*m]).chain(readers[to].clone()).collect();
            waits.sort_unstable();
            waits.dedup();
            if what == 7 {
                barrier(buffer, queue, if random.below(2) == 0 { &[] } else { &waits });
                continue;
            }
            let point = if what < 3 {
                set_step(step, mems[to], factor, addend);
                commands.push(Box::new(move |w| stepped(&mut w[to], factor, addend)));
                let (code, point, _) = record(buffer, queue, step, &waits);
                ok(code);
                point
            } else if what < 5 {
                commands.push(Box::new(move |w| w[to] = w[from].clone()));
                copy(buffer, queue, mems[from], mems[to], &waits)
            } else {
                set(combine, 0, mems[to]);
                set(combine, 1, mems[from]);
                commands.push(Box::new(move |w| {
                    let other = w[from].clone();
                    w[to].iter_mut().zip(other).for_each(|(w, o)| *w = w.wrapping_mul(3).wrapping_add(o));
                }));
                let (code, point, _) = record(buffer, queue, combine, &waits);
                ok(code);
                point
            };
            if what >= 3 {
                readers[from].push(point);
            }
            writer[to] = Some(point);
            readers[to].clear();
        }
        finalize(buffer);
        let mut last: Option<cl_event> = None;
        for _ in 0..3 {
            let event = replay(buffer, last.as_slice());
            last.into_iter().for_each(cl_event::release);
            last = Some(event);
            commands.iter().for_each(|command| command(&mut words));
        }
        assert_eq!(wait(last.as_slice()), CL_SUCCESS);
        for (mem, words) in mems.iter().zip(&words) {
            assert_eq!(&read::<u32>(queues[0], *mem, N), words, "round {round}");
        }
        drop_buffer(buffer);
        release(last);
        release([step, combine]);
        release(mems);
        release(queues);
    }
}

#[test]
fn the_event_is_that_of_all_queues() {
    let (devices, rig) = world();
    let queue = |device, properties| Rig { device, ..rig }.queue(properties);
    let timed = [queue(devices[1], 0), queue(devices[0], CL_QUEUE_PROFILING_ENABLE)];
    let plain = [queue(devices[0], 0), queue(devices[0], OUT_OF_ORDER)];
    let (step, mems) = (rig.kernel("step"), [rig.buffer(&[1u32; N]), rig.buffer(&[1u32; N])]);
    for (queues, has_times) in [(timed, true), (plain, false)] {
        let buffer = create(&queues, &[]).unwrap();
        for (queue, mem) in queues.iter().zip(mems) {
            set_step(step, mem, 1, 1);
            ok(record(buffer, *queue, step, &[]).0);
        }
        finalize(buffer);
        let (gate, fails) = (rig.gate(), rig.gate());
        let event = replay(buffer, &[gate]);
        let failed = replay(buffer, &[fails]);
        let get = |event, name| {
            // SAFETY: `query_bytes` passes buffers of the size it says.
            number(&query_bytes(|s, v, r| unsafe { clGetEventInfo(event, name, s, v, r) }).unwrap())
        };
        assert_eq!(get(event, CL_EVENT_COMMAND_QUEUE), 0);
        assert_eq!(get(event, CL_EVENT_COMMAND_TYPE), u64::from(CL_COMMAND_COMMAND_BUFFER_KHR));
        assert_eq!(get(event, CL_EVENT_CONTEXT), rig.context as u64);
        assert_eq!(status(event), CL_QUEUED as cl_int);
        open_gate(fails, -7);
        open_gate(gate, CL_COMPLETE as cl_int);
        assert_eq!(wait(&[event]), CL_SUCCESS);
        assert_eq!(wait(&[failed]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        assert!(status(failed) < 0);
        let times = [
            CL_PROFILING_COMMAND_QUEUED,
            CL_PROFILING_COMMAND_SUBMIT,
            CL_PROFILING_COMMAND_START,
            CL_PROFILING_COMMAND_END,
        ]
        .map(|name| {
            let mut ns = 0u64;
            // SAFETY: room for a number.
            let code = unsafe { clGetEventProfilingInfo(event, name, 8, (&raw mut ns).cast(), null_mut()) };
            assert_eq!(code, if has_times { CL_SUCCESS } else { CL_PROFILING_INFO_NOT_AVAILABLE });
            ns
        });
        assert!(times.is_sorted() && (!has_times || times[0] > 0), "{times:?}");
        release([event, failed, gate, fails]);
        drop_buffer(buffer);
    }
    for mem in mems {
        assert_eq!(read::<u32>(plain[0], mem, N), [3; N]);
    }
    // An empty command has a sync point, too.
    let empty = create(&plain, &[]).unwrap();
    finalize(empty);
    let gate = rig.gate();
    let event = replay(empty, &[gate]);
    assert_eq!(status(event), CL_QUEUED as cl_int);
    open_gate(gate, CL_COMPLETE as cl_int);
    assert_eq!(wait(&[event]), CL_SUCCESS);
    drop_buffer(empty);
    release([event, gate]);
}

#[test]
fn threads_may_enqueue_buffers_that_cross() {
    let (devices, rig) = world();
    let queues = [0, 1].map(|i| Rig { device: devices[i], ..rig }.queue(0));
    let (step, mem) = (rig.kernel("step"), [rig.buffer(&[0u32; N]), rig.buffer(&[0u32; N])]);
    let buffers = [0, 1].map(|first: usize| {
        let buffer = create(&queues, &[]).unwrap();
        let mut waits = Vec::new();
        for i in 0..4 {
            set_step(step, mem[first], 1, 1);
            let (code, point, _) = record(buffer, queues[(first + i) % 2], step, &waits);
            ok(code);
            waits = vec![point];
        }
        finalize(buffer);
        Any(buffer)
    });
    std::thread::scope(|scope| {
        for buffer in &buffers {
            scope.spawn(move || {
                let mut last: Option<cl_event> = None;
                for _ in 0..50 {
                    let event = replay(buffer.get(), last.as_slice());
                    last.into_iter().for_each(cl_event::release);
                    last = Some(event);
                }
                assert_eq!(wait(last.as_slice()), CL_SUCCESS);
                release(last);
            });
        }
    });
    for mem in mem {
        assert_eq!(read::<u32>(queues[0], mem, N), [200; N]);
    }
    buffers.iter().for_each(|b| drop_buffer(b.get()));
}

#[test]
fn other_queues_take_the_place_of_those_at_creation() {
    let (devices, rig) = world();
    let queue = |i: usize| Rig { device: devices[i], ..rig }.queue(0);
    let (queues, others) = ([queue(0), queue(1)], [queue(0), queue(1)]);
    let (step, mem) = (rig.kernel("step"), rig.buffer(&[2u32; N]));
    let buffer = create(&queues, &[]).unwrap();
    set_step(step, mem, 2, 1);
    let (_, point, one) = record(buffer, queues[0], step, &[]);
    let (_, _, two) = record(buffer, queues[1], step, &[point]);
    assert_eq!((queue_of(one), queue_of(two)), (queues[0] as u64, queues[1] as u64));
    assert_eq!(number(&info(buffer, CL_COMMAND_BUFFER_NUM_QUEUES_KHR)), 2);
    let list = queues.map(|q| (q as usize).to_ne_bytes()).concat();
    assert_eq!(info(buffer, CL_COMMAND_BUFFER_QUEUES_KHR), list);
    finalize(buffer);
    let event = replay_on(&others, buffer, &[]).unwrap();
    assert_eq!(wait(&[event]), CL_SUCCESS);
    assert_eq!(read::<u32>(others[0], mem, N), [11; N]);
    let foreign = Rig::new(STEPS);
    let foreign_queue = foreign.queue(0);
    let refused = |queues: &[cl_command_queue]| replay_on(queues, buffer, &[]).unwrap_err();
    assert_eq!(refused(&queues[..1]), CL_INVALID_VALUE);
    assert_eq!(refused(&[queues[1], queues[0]]), CL_INVALID_DEVICE);
    assert_eq!(refused(&[queues[0], foreign_queue]), CL_INVALID_CONTEXT);
    assert_eq!(refused(&[queues[0], wrong_kind(mem)]), CL_INVALID_COMMAND_QUEUE);
    assert_eq!(replay_on(&[], buffer, &[foreign.gate()]), Err(CL_INVALID_CONTEXT));
    drop_buffer(buffer);
    release([event]);
}

#[test]
fn errors_of_several_queues() {
    let (devices, rig) = world();
    let queues = [0, 1].map(|i| Rig { device: devices[i], ..rig }.queue(0));
    let foreign = Rig::new(STEPS).queue(0);
    assert_eq!(create(&[queues[0], foreign], &[]), Err(CL_INVALID_CONTEXT));
    assert_eq!(create(&[queues[0], wrong_kind(rig.context)], &[]), Err(CL_INVALID_COMMAND_QUEUE));
    let side = [FLAGS, CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR, 0];
    assert_eq!(create(&queues, &side), Err(CL_INCOMPATIBLE_COMMAND_QUEUE_KHR));
    drop_buffer(create(&queues[..1], &side).unwrap());
    let (step, mem) = (rig.kernel("step"), rig.buffer(&[2u32; N]));
    set_step(step, mem, 2, 1);
    let buffer = create(&queues, &[]).unwrap();
    // Each command names one of the queues.
    assert_eq!(record(buffer, null_mut(), step, &[]).0, CL_INVALID_COMMAND_QUEUE);
    assert_eq!(record(buffer, rig.queue(0), step, &[]).0, CL_INVALID_COMMAND_QUEUE);
    assert_eq!(record(buffer, foreign, step, &[]).0, CL_INVALID_CONTEXT);
    ok(record(buffer, queues[1], step, &[]).0);
    drop_buffer(buffer);
}

#[test]
fn copies_run_on_other_queues() {
    let (devices, rig) = world();
    let queue = |i: usize, properties| Rig { device: devices[i], ..rig }.queue(properties);
    let (from, to) = ([queue(0, 0), queue(1, 0)], [queue(1, OUT_OF_ORDER), queue(0, OUT_OF_ORDER)]);
    let (step, mems) = (rig.kernel("step"), [rig.buffer(&[1u32; N]), rig.buffer(&[0u32; N])]);
    let original = create(&from, &MUTABLE).unwrap();
    set_step(step, mems[0], 3, 1);
    let (_, one, first) = record(original, from[0], step, &[]);
    let two = copy(original, from[1], mems[0], mems[1], &[one]);
    set_step(step, mems[1], 5, 2);
    // In order after the copy, because both use one queue.
    let (_, _, last) = record(original, from[1], step, &[]);
    assert!(two > one);
    let capabilities =
        |i: usize| number(&device_info(devices[i], CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR).unwrap());
    if capabilities(0) != capabilities(1) {
        // By default every field that the original's device can update must be updatable on the new one.
        assert_eq!(remap(original, &to, &[]).err(), Some(CL_INVALID_OPERATION));
        drop_buffer(original);
        return skipped::because("the devices cannot update the same fields of commands");
    }
    // A copy has the state of the original.
    let (early, _) = remap(original, &to, &[]).unwrap();
    let state = |buffer| number(&info(buffer, CL_COMMAND_BUFFER_STATE_KHR)) as u32;
    assert_eq!(state(early), CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
    drop_buffer(early);
    finalize(original);
    let (copied, handles) = remap(original, &to, &[last, first]).unwrap();
    assert_eq!(state(copied), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    assert_eq!(handles.iter().map(|h| queue_of(*h)).collect::<Vec<_>>(), [to[1] as u64, to[0] as u64]);
    let (mut a, mut b) = (1u32, 0u32);
    let mut run = |buffer, addend: u32| {
        let event = replay(buffer, &[]);
        assert_eq!(wait(&[event]), CL_SUCCESS);
        event.release();
        a = a * 3 + 1;
        b = a * 5 + addend;
        assert_eq!(read::<u32>(from[0], mems[0], N), [a; N]);
        assert_eq!(read::<u32>(from[0], mems[1], N), [b; N]);
    };
    run(original, 2);
    run(copied, 2);
    // Updates of one buffer do not affect the other.
    ok(update_arg(copied, handles[0], 2, 9u32));
    run(copied, 9);
    run(original, 2);
    assert_eq!(update_arg(original, handles[0], 2, 9u32), CL_INVALID_MUTABLE_COMMAND_KHR);
    let refused = |queues: &[cl_command_queue], handles: &[cl_mutable_command_khr]| {
        remap(original, queues, handles).unwrap_err()
    };
    assert_eq!(refused(&[], &[]), CL_INVALID_VALUE);
    assert_eq!(refused(&to[..1], &[]), CL_INVALID_VALUE);
    assert_eq!(refused(&to, &[handles[0]]), CL_INVALID_VALUE);
    assert_eq!(refused(&to, &[wrong_kind(step)]), CL_INVALID_VALUE);
    assert_eq!(refused(&[to[0], wrong_kind(step)], &[]), CL_INVALID_COMMAND_QUEUE);
    assert_eq!(refused(&[to[0], Rig::new(STEPS).queue(0)], &[]), CL_INVALID_CONTEXT);
    let mut code = 1;
    // SAFETY: the lists have their lengths, or are NULL.
    unsafe {
        let (n, list, none) = (to.len() as u32, to.as_ptr(), null_mut());
        assert!(
            clRemapCommandBufferKHR(wrong_kind(step), CL_FALSE, n, list, 0, null(), none, &mut code)
                .is_null()
        );
        assert_eq!(code, CL_INVALID_COMMAND_BUFFER_KHR);
        assert!(clRemapCommandBufferKHR(original, CL_TRUE, n, list, 0, null(), none, &mut code).is_null());
        assert_eq!(code, CL_INVALID_OPERATION);
        assert!(clRemapCommandBufferKHR(original, CL_FALSE, n, null(), 0, null(), none, &mut code).is_null());
        assert_eq!(code, CL_INVALID_VALUE);
        assert!(clRemapCommandBufferKHR(original, CL_FALSE, n, list, 1, &first, none, &mut code).is_null());
        assert_eq!(code, CL_INVALID_VALUE);
        assert!(clRemapCommandBufferKHR(original, CL_FALSE, n, list, 1, null(), none, null_mut()).is_null());
    }
    drop_buffer(original);
    drop_buffer(copied);
}
