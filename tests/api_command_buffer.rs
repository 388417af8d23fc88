//! cl_khr_command_buffer and cl_khr_command_buffer_mutable_dispatch: results of replays and updates.

#![allow(clippy::unwrap_used)]

use std::ptr::{null, null_mut};
use test_support::api::command_buffer::*;
use test_support::api::extension::has_extension;
use test_support::api::recording::*;
use test_support::api::rig::*;
use test_support::api::*;

#[test]
fn devices_say_what_they_can() {
    assert!(has_extension("cl_khr_command_buffer"));
    assert!(has_extension("cl_khr_command_buffer_mutable_dispatch"));
    assert!(has_extension("cl_khr_command_buffer_multi_device"));
    let get = |name| number(&device_info(device(), name).unwrap());
    let mut all = CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR
        | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR
        | CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR;
    if has_device_queues() {
        all |= CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR;
    }
    assert_eq!(get(CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR), all);
    assert_eq!(get(CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR), 0);
    assert_eq!(device_info(device(), CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR), Ok(Vec::new()));
    let platform = platform_info(platform(), CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR).unwrap();
    let both = CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR | CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR;
    assert_eq!(number(&platform), both);
    assert_eq!(get(CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR), 0);
    let queues = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    assert_eq!(get(CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR), queues);
    let fields = CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
        | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
        | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
        | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR;
    assert_eq!(get(CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR) & fields, fields);
}

/// Records two additions and a multiplication of a buffer's words. Returns the last sync point.
fn record_chain(buffer: cl_command_buffer_khr, [add, mul]: [cl_kernel; 2], mem: cl_mem) -> cl_sync_point_khr {
    set(add, 0, mem);
    set(add, 1, 3u32);
    set(mul, 0, mem);
    set(mul, 1, 2u32);
    let (one, _) = record(buffer, add, 64, &[]);
    // Argument values set later apply to later commands.
    set(add, 1, 100u32);
    let (two, _) = record(buffer, mul, 64, &[one]);
    record(buffer, add, 64, &[two]).0
}

/// Records copies from a buffer of 64 words to another one, and a fill between them.
fn record_transfers(buffer: cl_command_buffer_khr, a: cl_mem, b: cl_mem, after: cl_sync_point_khr) {
    let (from, to, region) = ([0usize, 0, 0], [0usize, 12, 0], [16usize, 4, 1]);
    let (from, to, region) = (from.as_ptr(), to.as_ptr(), region.as_ptr());
    let (word, on, none, point, end) = (7u32, null_mut(), null(), null_mut(), null_mut());
    let pattern = (&raw const word).cast();
    // SAFETY: live handles; lists and patterns have their sizes.
    unsafe {
        ok(clCommandCopyBufferKHR(buffer, on, null(), a, b, 0, 0, 128, 1, &after, point, end));
        // No other command writes the last bytes.
        ok(clCommandFillBufferKHR(buffer, on, null(), b, pattern, 4, 128, 64, 0, none, point, end));
        ok(clCommandBarrierWithWaitListKHR(buffer, on, null(), 0, none, point, end));
        ok(clCommandCopyBufferRectKHR(
            buffer,
            on,
            null(),
            b,
            b,
            from,
            to,
            region,
            16,
            0,
            16,
            0,
            0,
            none,
            point,
            end,
        ));
    }
}

/// Checks the type and the profiling information of a replay's event.
fn check_event(event: cl_event, profiled: bool) {
    let mut command_type = 0u32;
    let value = (&raw mut command_type).cast();
    // SAFETY: room for a cl_uint.
    ok(unsafe { clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, 4, value, null_mut()) });
    assert_eq!(command_type, CL_COMMAND_COMMAND_BUFFER_KHR);
    if profiled {
        let times = times(event);
        assert!(times.is_sorted(), "{times:?}");
        let [_, _, start, end] = times;
        // Devices without timestamps are timed by the host, when it sees the end.
        assert!(start < end || start == end && is_another_device());
    }
}

#[test]
fn replays_do_every_command_in_order() {
    let rig = Rig::new(SOURCE);
    for properties in [0, CL_QUEUE_PROFILING_ENABLE, OUT_OF_ORDER] {
        let queue = rig.queue(properties);
        let (a, b) = (rig.buffer(&[1u32; 64]), rig.buffer(&[0u32; 64]));
        let (kernels, buffer) = (["add", "mul"].map(|name| rig.kernel(name)), create(queue, &[]).unwrap());
        let after = record_chain(buffer, kernels, a);
        record_transfers(buffer, a, b, after);
        assert_eq!(finalize(buffer), CL_SUCCESS);
        let mut value = 1u32;
        let mut last: cl_event = null_mut();
        for _ in 0..3 {
            // In an out-of-order queue only events separate replays.
            let event = if last.is_null() { replay(buffer, &[]) } else { replay(buffer, &[last]) };
            last = event;
            value = (value + 3) * 2 + 100;
        }
        wait(&[last]);
        assert_eq!(read::<u32>(queue, a, 64), [value; 64]);
        let mut expected = vec![value; 32];
        expected.extend([7; 16]);
        expected.extend([value; 16]);
        assert_eq!(read::<u32>(queue, b, 64), expected);
        check_event(last, properties == CL_QUEUE_PROFILING_ENABLE);
        drop_buffer(buffer);
        release(kernels);
        release([a, b]);
        release([queue]);
    }
}

#[test]
fn replays_keep_their_place_among_other_commands() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let mem = rig.buffer(&[1u32; 1000]);
    let (add, mul) = (rig.kernel("add"), rig.kernel("mul"));
    set(add, 0, mem);
    set(add, 1, 1u32);
    set(mul, 0, mem);
    set(mul, 1, 3u32);
    let buffer = create(queue, &[]).unwrap();
    record(buffer, add, 1000, &[]);
    record(buffer, add, 1000, &[]);
    assert_eq!(finalize(buffer), CL_SUCCESS);
    let mut value = 1u32;
    for i in 0..20u32 {
        launch(queue, mul, 1000, &[]);
        replay(buffer, &[]);
        replay(buffer, &[]);
        value = value.wrapping_mul(3).wrapping_add(4);
        if i % 5 == 0 {
            // SAFETY: the source lives until the blocking write returns.
            ok(unsafe {
                clEnqueueWriteBuffer(queue, mem, 1, 0, 4, (&raw const i).cast(), 0, null(), null_mut())
            });
            assert_eq!(read::<u32>(queue, mem, 2), [i, value]);
            // SAFETY: as above.
            ok(unsafe {
                clEnqueueWriteBuffer(queue, mem, 1, 0, 4, (&raw const value).cast(), 0, null(), null_mut())
            });
        }
    }
    assert_eq!(read::<u32>(queue, mem, 1000), [value; 1000]);
    drop_buffer(buffer);
}

#[test]
fn replays_wait_for_events_and_fail_with_them() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(OUT_OF_ORDER);
    let (mem, add) = (rig.buffer(&[0u32; 8]), rig.kernel("add"));
    set(add, 0, mem);
    set(add, 1, 5u32);
    let buffer = create(queue, &[]).unwrap();
    record(buffer, add, 8, &[]);
    assert_eq!(finalize(buffer), CL_SUCCESS);
    let gate = rig.gate();
    let event = replay(buffer, &[gate]);
    assert!(status(event) > CL_COMPLETE);
    assert_eq!(read::<u32>(queue, mem, 8), [0; 8]);
    open_gate(gate, CL_COMPLETE);
    assert_eq!(wait(&[event]), CL_SUCCESS);
    assert_eq!(read::<u32>(queue, mem, 8), [5; 8]);
    let gate = rig.gate();
    let event = replay(buffer, &[gate]);
    open_gate(gate, -1);
    assert_eq!(wait(&[event]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_eq!(read::<u32>(queue, mem, 8), [5; 8]);
    drop_buffer(buffer);
}

#[test]
fn buffers_run_on_other_queues_of_the_device() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let (mem, add) = (rig.buffer(&[0u32; 8]), rig.kernel("add"));
    set(add, 0, mem);
    set(add, 1, 5u32);
    let buffer = create(queue, &[]).unwrap();
    record(buffer, add, 8, &[]);
    assert_eq!(finalize(buffer), CL_SUCCESS);
    for properties in [0, OUT_OF_ORDER | CL_QUEUE_PROFILING_ENABLE] {
        let other = rig.queue(properties);
        assert_eq!(enqueue_on(buffer, &[other]), CL_SUCCESS);
        finish(other);
    }
    assert_eq!(read::<u32>(queue, mem, 8), [10; 8]);
    drop_buffer(buffer);
}

#[test]
fn everything_may_be_released_while_it_runs() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(OUT_OF_ORDER);
    let (mem, add) = (rig.buffer(&[0u32; 4096]), rig.kernel("add"));
    set(add, 0, mem);
    set(add, 1, 1u32);
    let gate = rig.gate();
    let mut events = Vec::new();
    let mut before = gate;
    for _ in 0..10 {
        let buffer = create(queue, &[]).unwrap();
        for _ in 0..10 {
            record(buffer, add, 4096, &[]);
            // SAFETY: live handles.
            ok(unsafe {
                clCommandBarrierWithWaitListKHR(buffer, null_mut(), null(), 0, null(), null_mut(), null_mut())
            });
        }
        assert_eq!(finalize(buffer), CL_SUCCESS);
        before = replay(buffer, &[before]);
        events.push(before);
        drop_buffer(buffer);
    }
    release([add]);
    open_gate(gate, CL_COMPLETE);
    assert_eq!(wait(&events), CL_SUCCESS);
    assert_eq!(read::<u32>(queue, mem, 4096), [100; 4096]);
}

#[test]
fn host_memory_behind_a_buffer_is_kept_up_to_date() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    // Neither aligned for import nor a multiple of a page.
    let mut memory = vec![1u32; 1003];
    let (mut code, flags) = (1, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR);
    // SAFETY: the memory lives longer than the buffer.
    let mem = unsafe { clCreateBuffer(rig.context, flags, 4000, memory[1..].as_mut_ptr().cast(), &mut code) };
    ok(code);
    let add = rig.kernel("add");
    set(add, 0, mem);
    set(add, 1, 1u32);
    let buffer = create(queue, &[]).unwrap();
    record(buffer, add, 1000, &[]);
    assert_eq!(finalize(buffer), CL_SUCCESS);
    for round in 0..3u32 {
        replay(buffer, &[]);
        // SAFETY: the region is inside the buffer and unmapped after use.
        unsafe {
            let flags = CL_MAP_READ | CL_MAP_WRITE;
            let ptr = clEnqueueMapBuffer(queue, mem, 1, flags, 0, 4000, 0, null(), null_mut(), &mut code);
            ok(code);
            let seen = std::slice::from_raw_parts_mut(ptr.cast::<u32>(), 1000);
            assert_eq!(seen, [2 + 11 * round; 1000]);
            seen.iter_mut().for_each(|v| *v += 10);
            ok(clEnqueueUnmapMemObject(queue, mem, ptr, 0, null(), null_mut()));
        }
    }
    finish(queue);
    drop_buffer(buffer);
    release([mem]);
}

#[test]
fn updates_change_arguments_and_sizes() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let (a, b) = (rig.buffer(&[0u32; 64]), rig.buffer(&[0u32; 64]));
    let (add, locate) = (rig.kernel("add"), rig.kernel("where_am_i"));
    set(add, 0, a);
    set(add, 1, 1u32);
    set(locate, 0, b);
    set(locate, 1, 0u32);
    let buffer = mutable(queue, 0);
    let (_, first) = record(buffer, add, 64, &[]);
    let (_, second) = record_as(buffer, &[], locate, &[64], &[8], &[]).unwrap();
    assert_eq!(finalize(buffer), CL_SUCCESS);
    replay(buffer, &[]);
    assert_eq!(read::<u32>(queue, a, 64), [1; 64]);
    assert_eq!(read::<u32>(queue, b, 64), [808; 64]);
    // Arguments of one command, sizes of another, in one call.
    let (value, base, offset, global, local) = (10u32, 5_000_000u32, 16usize, 32usize, 16usize);
    let (args, others) = ([arg(1, &value)], [arg(1, &base)]);
    let of_first = cl_mutable_dispatch_config_khr { num_args: 1, arg_list: args.as_ptr(), ..config(first) };
    let of_second = cl_mutable_dispatch_config_khr {
        num_args: 1,
        arg_list: others.as_ptr(),
        work_dim: 1,
        global_work_offset: &offset,
        global_work_size: &global,
        local_work_size: &local,
        ..config(second)
    };
    assert_eq!(update(buffer, &[of_first, of_second]), CL_SUCCESS);
    replay(buffer, &[]);
    assert_eq!(read::<u32>(queue, a, 64), [11; 64]);
    let mut expected = [808u32; 64];
    expected[16..48].fill(5_161_602);
    assert_eq!(read::<u32>(queue, b, 64), expected);
    for (name, value) in [
        (CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR, 16),
        (CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR, 32),
        (CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR, 16),
    ] {
        assert_eq!(number(&command_info(second, name).unwrap()), value);
    }
    // The kernel object keeps its arguments, and changing them does not affect the command.
    set(add, 1, 1000u32);
    replay(buffer, &[]);
    assert_eq!(read::<u32>(queue, a, 64), [21; 64]);
    // Another buffer; of two configurations of one command the last applies.
    let (one, two) = ([arg(0, &a)], [arg(0, &b)]);
    let configs = [&one, &two].map(|l| cl_mutable_dispatch_config_khr {
        num_args: 1,
        arg_list: l.as_ptr(),
        ..config(first)
    });
    assert_eq!(update(buffer, &configs), CL_SUCCESS);
    replay(buffer, &[]);
    assert_eq!(read::<u32>(queue, a, 64), [21; 64]);
    drop_buffer(buffer);
}

#[test]
fn local_arguments_and_sizes_change_together() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let (src, dst, sums) = (rig.buffer(&[1u32; 64]), rig.buffer(&[0u32; 64]), rig.kernel("sums"));
    set(sums, 0, src);
    set(sums, 1, dst);
    // SAFETY: local memory has no value.
    ok(unsafe { clSetKernelArg(sums, 2, 4 * 4, null()) });
    let buffer = mutable(queue, 0);
    let (_, command) = record_as(buffer, &[], sums, &[64], &[4], &[]).unwrap();
    assert_eq!(finalize(buffer), CL_SUCCESS);
    replay(buffer, &[]);
    assert_eq!(read::<u32>(queue, dst, 64), [4; 64]);
    let local = 32usize;
    let args = [cl_mutable_dispatch_arg_khr { arg_index: 2, arg_size: 32 * 4, arg_value: null() }];
    let change = cl_mutable_dispatch_config_khr {
        num_args: 1,
        arg_list: args.as_ptr(),
        local_work_size: &local,
        ..config(command)
    };
    assert_eq!(update(buffer, &[change]), CL_SUCCESS);
    replay(buffer, &[]);
    assert_eq!(read::<u32>(queue, dst, 64), [32; 64]);
    drop_buffer(buffer);
}

#[test]
fn each_replay_keeps_what_it_was_enqueued_with() {
    let rig = Rig::new(SOURCE);
    for properties in [0, OUT_OF_ORDER] {
        let queue = rig.queue(properties);
        let mems: Vec<cl_mem> = (0..8).map(|_| rig.buffer(&[0u32; 256])).collect();
        let add = rig.kernel("add");
        set(add, 0, mems[0]);
        set(add, 1, 0u32);
        let buffer = mutable(queue, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
        let (_, command) = record(buffer, add, 256, &[]);
        assert_eq!(finalize(buffer), CL_SUCCESS);
        let gate = rig.gate();
        let mut events = Vec::new();
        for (i, mem) in mems.iter().enumerate() {
            let value = i as u32 + 1;
            let args = [arg(0, mem), arg(1, &value)];
            let change =
                cl_mutable_dispatch_config_khr { num_args: 2, arg_list: args.as_ptr(), ..config(command) };
            assert_eq!(update(buffer, &[change]), CL_SUCCESS);
            events.push(replay(buffer, &[gate]));
        }
        drop_buffer(buffer);
        open_gate(gate, CL_COMPLETE);
        assert_eq!(wait(&events), CL_SUCCESS);
        for (i, mem) in mems.iter().enumerate() {
            assert_eq!(read::<u32>(queue, *mem, 256), [i as u32 + 1; 256]);
        }
    }
}

#[test]
fn arguments_may_come_after_recording() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let (mem, add) = (rig.buffer(&[0u32; 16]), rig.kernel("add"));
    set(add, 1, 9u32);
    let buffer = mutable(queue, 0);
    let later = [FIELDS, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 0];
    let (_, command) = record_as(buffer, &later, add, &[16], &[], &[]).unwrap();
    // CL_INVALID_KERNEL_ARGS: an unset argument, without properties that allow setting it later.
    assert_eq!(record_as(buffer, &[], add, &[16], &[], &[]), Err(CL_INVALID_KERNEL_ARGS));
    let fixed = create(queue, &[]).unwrap();
    assert_eq!(record_as(fixed, &later, add, &[16], &[], &[]), Err(CL_INVALID_KERNEL_ARGS));
    assert_eq!(state(buffer), CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
    assert_eq!(finalize(buffer), CL_SUCCESS);
    assert_eq!(state(buffer), CL_COMMAND_BUFFER_STATE_FINALIZED_KHR);
    assert_eq!(enqueue_on(buffer, &[queue]), CL_INVALID_OPERATION);
    assert_eq!(update_arg(buffer, command, 0, mem), CL_SUCCESS);
    assert_eq!(state(buffer), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    replay(buffer, &[]);
    assert_eq!(read::<u32>(queue, mem, 16), [9; 16]);
    drop_buffer(buffer);
    drop_buffer(fixed);
}

#[test]
fn empty_buffers_and_empty_launches_complete() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let buffer = create(queue, &[]).unwrap();
    assert_eq!(finalize(buffer), CL_SUCCESS);
    assert_eq!(wait(&[replay(buffer, &[])]), CL_SUCCESS);
    drop_buffer(buffer);
    let (mem, add) = (rig.buffer(&[1u32; 4]), rig.kernel("add"));
    set(add, 0, mem);
    set(add, 1, 1u32);
    let buffer = create(queue, &[]).unwrap();
    record(buffer, add, 0, &[]);
    assert_eq!(finalize(buffer), CL_SUCCESS);
    assert_eq!(wait(&[replay(buffer, &[])]), CL_SUCCESS);
    assert_eq!(read::<u32>(queue, mem, 4), [1; 4]);
    drop_buffer(buffer);
}
