//! cl_khr_command_buffer and cl_khr_command_buffer_mutable_dispatch: results of replays and updates, and every error that
//! can be provoked.

#![allow(clippy::unwrap_used)]

mod common;

use common::command_buffer::*;
use common::extension::has_extension;
use common::rig::*;
use common::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

const SOURCE: &str = "
kernel void add(global uint *p, uint n) { p[get_global_id(0)] += n; }
kernel void mul(global uint *p, uint n) { p[get_global_id(0)] *= n; }
kernel void where_am_i(global uint *p, uint base) {
    p[get_global_id(0)] = base + get_global_offset(0) * 10000 + get_local_size(0) * 100 + get_num_groups(0);
}
kernel void sums(global const uint *src, global uint *dst, local uint *tmp) {
    tmp[get_local_id(0)] = src[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint i = 0; i < get_local_size(0); i++) sum += tmp[i];
    dst[get_global_id(0)] = sum;
}
kernel void say(uint n) { printf(\"%u;\", n); }
";

const FLAGS: u64 = CL_COMMAND_BUFFER_FLAGS_KHR as u64;
const FIELDS: u64 = CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR as u64;
const ASSERTS: u64 = CL_MUTABLE_DISPATCH_ASSERTS_KHR as u64;
const BUFFER_ASSERTS: u64 = CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR as u64;
const NO_MORE_GROUPS: u64 = CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;

fn create(queue: cl_command_queue, properties: &[u64]) -> Result<cl_command_buffer_khr, cl_int> {
    let mut code = 1;
    let list = if properties.is_empty() { null() } else { properties.as_ptr() };
    // SAFETY: one queue; the list is NULL or terminated.
    let buffer = unsafe { clCreateCommandBufferKHR(1, &queue, list, &mut code) };
    assert_eq!(buffer.is_null(), code != CL_SUCCESS);
    if code == CL_SUCCESS { Ok(buffer) } else { Err(code) }
}

fn mutable(queue: cl_command_queue, more: u64) -> cl_command_buffer_khr {
    create(queue, &[FLAGS, CL_COMMAND_BUFFER_MUTABLE_KHR | more, 0]).unwrap()
}

fn points(waits: &[cl_sync_point_khr]) -> *const cl_sync_point_khr {
    if waits.is_empty() { null() } else { waits.as_ptr() }
}

/// Records a one-dimensional launch.
fn record(
    buffer: cl_command_buffer_khr,
    kernel: cl_kernel,
    size: usize,
    waits: &[cl_sync_point_khr],
) -> (cl_sync_point_khr, cl_mutable_command_khr) {
    record_as(buffer, &[], kernel, &[size], &[], waits).unwrap()
}

fn record_as(
    buffer: cl_command_buffer_khr,
    properties: &[u64],
    kernel: cl_kernel,
    global: &[usize],
    local: &[usize],
    waits: &[cl_sync_point_khr],
) -> Result<(cl_sync_point_khr, cl_mutable_command_khr), cl_int> {
    let (mut point, mut handle) = (0, null_mut());
    let list = if properties.is_empty() { null() } else { properties.as_ptr() };
    let local = if local.is_empty() { null() } else { local.as_ptr() };
    // SAFETY: the arrays have their lengths, the list is NULL or terminated.
    let code = unsafe {
        let (dims, n) = (global.len() as u32, waits.len() as u32);
        let (global, waits) = (global.as_ptr(), points(waits));
        clCommandNDRangeKernelKHR(
            buffer,
            null_mut(),
            list,
            kernel,
            dims,
            null(),
            global,
            local,
            n,
            waits,
            &mut point,
            &mut handle,
        )
    };
    if code == CL_SUCCESS { Ok((point, handle)) } else { Err(code) }
}

fn finalize(buffer: cl_command_buffer_khr) -> cl_int {
    // SAFETY: whatever handle it is, it is looked up.
    unsafe { clFinalizeCommandBufferKHR(buffer) }
}

fn replay(buffer: cl_command_buffer_khr, waits: &[cl_event]) -> cl_event {
    let mut event = null_mut();
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    // SAFETY: live handles.
    ok(unsafe { clEnqueueCommandBufferKHR(0, null(), buffer, waits.len() as u32, list, &mut event) });
    event
}

fn enqueue_on(buffer: cl_command_buffer_khr, queues: &[cl_command_queue]) -> cl_int {
    // SAFETY: the list has its length.
    unsafe { clEnqueueCommandBufferKHR(queues.len() as u32, queues.as_ptr(), buffer, 0, null(), null_mut()) }
}

fn drop_buffer(buffer: cl_command_buffer_khr) {
    // SAFETY: a live handle, released once.
    ok(unsafe { clReleaseCommandBufferKHR(buffer) });
}

fn info(buffer: cl_command_buffer_khr, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    // SAFETY: `query_bytes` passes buffers of the size it says.
    query_bytes(|size, value, size_ret| unsafe { clGetCommandBufferInfoKHR(buffer, name, size, value, size_ret) })
}

fn command_info(command: cl_mutable_command_khr, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    // SAFETY: as above.
    query_bytes(|size, value, size_ret| unsafe { clGetMutableCommandInfoKHR(command, name, size, value, size_ret) })
}

fn state(buffer: cl_command_buffer_khr) -> u32 {
    number(&info(buffer, CL_COMMAND_BUFFER_STATE_KHR).unwrap()) as u32
}

fn config(command: cl_mutable_command_khr) -> cl_mutable_dispatch_config_khr {
    cl_mutable_dispatch_config_khr {
        command,
        num_args: 0,
        num_svm_args: 0,
        num_exec_infos: 0,
        work_dim: 0,
        arg_list: null(),
        arg_svm_list: null(),
        exec_info_list: null(),
        global_work_offset: null(),
        global_work_size: null(),
        local_work_size: null(),
    }
}

fn arg<T>(index: u32, value: &T) -> cl_mutable_dispatch_arg_khr {
    cl_mutable_dispatch_arg_khr { arg_index: index, arg_size: size_of::<T>(), arg_value: (&raw const *value).cast() }
}

fn update(buffer: cl_command_buffer_khr, configs: &[cl_mutable_dispatch_config_khr]) -> cl_int {
    let types = vec![CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR; configs.len()];
    let pointers: Vec<*const c_void> = configs.iter().map(|c| (&raw const *c).cast()).collect();
    // SAFETY: both lists have the length.
    unsafe { clUpdateMutableCommandsKHR(buffer, configs.len() as u32, types.as_ptr(), pointers.as_ptr()) }
}

fn update_arg<T>(buffer: cl_command_buffer_khr, command: cl_mutable_command_khr, index: u32, value: T) -> cl_int {
    let args = [arg(index, &value)];
    update(buffer, &[cl_mutable_dispatch_config_khr { num_args: 1, arg_list: args.as_ptr(), ..config(command) }])
}

#[test]
fn devices_say_what_they_can() {
    assert!(has_extension("cl_khr_command_buffer"));
    assert!(has_extension("cl_khr_command_buffer_mutable_dispatch"));
    assert!(has_extension("cl_khr_command_buffer_multi_device"));
    let get = |name| number(&device_info(device(), name).unwrap());
    let all = CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR
        | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR
        | CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR;
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

#[test]
fn replays_do_every_command_in_order() {
    let rig = Rig::new(SOURCE);
    for properties in [0, CL_QUEUE_PROFILING_ENABLE, OUT_OF_ORDER] {
        let queue = rig.queue(properties);
        let (a, b) = (rig.buffer(&[1u32; 64]), rig.buffer(&[0u32; 64]));
        let (add, mul) = (rig.kernel("add"), rig.kernel("mul"));
        set(add, 0, a);
        set(add, 1, 3u32);
        set(mul, 0, a);
        set(mul, 1, 2u32);
        let buffer = create(queue, &[]).unwrap();
        let (one, _) = record(buffer, add, 64, &[]);
        // Later values are for later commands.
        set(add, 1, 100u32);
        let (two, _) = record(buffer, mul, 64, &[one]);
        let (three, _) = record(buffer, add, 64, &[two]);
        let (mut four, pattern) = (0, 7u32);
        // SAFETY: live handles; lists and patterns have their sizes.
        unsafe {
            ok(clCommandCopyBufferKHR(buffer, null_mut(), null(), a, b, 0, 0, 128, 1, &three, &mut four, null_mut()));
            let pattern = (&raw const pattern).cast();
            // The last bytes are nobody else's.
            ok(clCommandFillBufferKHR(buffer, null_mut(), null(), b, pattern, 4, 128, 64, 0, null(), null_mut(), null_mut()));
            ok(clCommandBarrierWithWaitListKHR(buffer, null_mut(), null(), 0, null(), null_mut(), null_mut()));
            let (from, to, region) = ([0usize, 0, 0], [0usize, 12, 0], [16usize, 4, 1]);
            let (from, to, region) = (from.as_ptr(), to.as_ptr(), region.as_ptr());
            ok(clCommandCopyBufferRectKHR(
                buffer,
                null_mut(),
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
                null(),
                null_mut(),
                null_mut(),
            ));
        }
        assert_eq!(finalize(buffer), CL_SUCCESS);
        let mut value = 1u32;
        let mut last: cl_event = null_mut();
        for _ in 0..3 {
            // In an out-of-order queue nothing else keeps replays apart.
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
        let command_type = &mut 0u32;
        // SAFETY: room for a cl_uint.
        ok(unsafe { clGetEventInfo(last, CL_EVENT_COMMAND_TYPE, 4, (&raw mut *command_type).cast(), null_mut()) });
        assert_eq!(*command_type, CL_COMMAND_COMMAND_BUFFER_KHR);
        if properties == CL_QUEUE_PROFILING_ENABLE {
            let time = |name| {
                let mut value = 0u64;
                // SAFETY: room for a cl_ulong.
                ok(unsafe { clGetEventProfilingInfo(last, name, 8, (&raw mut value).cast(), null_mut()) });
                value
            };
            let names = [CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START];
            assert!(names.map(time).is_sorted());
            assert!(time(CL_PROFILING_COMMAND_START) < time(CL_PROFILING_COMMAND_END));
        }
        drop_buffer(buffer);
        release([add, mul]);
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
            ok(unsafe { clEnqueueWriteBuffer(queue, mem, 1, 0, 4, (&raw const i).cast(), 0, null(), null_mut()) });
            assert_eq!(read::<u32>(queue, mem, 2), [i, value]);
            // SAFETY: as above.
            ok(unsafe { clEnqueueWriteBuffer(queue, mem, 1, 0, 4, (&raw const value).cast(), 0, null(), null_mut()) });
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
            ok(unsafe { clCommandBarrierWithWaitListKHR(buffer, null_mut(), null(), 0, null(), null_mut(), null_mut()) });
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
    let (add, place) = (rig.kernel("add"), rig.kernel("where_am_i"));
    set(add, 0, a);
    set(add, 1, 1u32);
    set(place, 0, b);
    set(place, 1, 0u32);
    let buffer = mutable(queue, 0);
    let (_, first) = record(buffer, add, 64, &[]);
    let (_, second) = record_as(buffer, &[], place, &[64], &[8], &[]).unwrap();
    assert_eq!(finalize(buffer), CL_SUCCESS);
    replay(buffer, &[]);
    assert_eq!(read::<u32>(queue, a, 64), [1; 64]);
    assert_eq!(read::<u32>(queue, b, 64), [808; 64]);
    // Arguments of one, sizes of the other, in one call.
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
    // The kernel object was not touched, and does not touch the command.
    set(add, 1, 1000u32);
    replay(buffer, &[]);
    assert_eq!(read::<u32>(queue, a, 64), [21; 64]);
    // Another buffer; the last of two configurations of one command counts.
    let (one, two) = ([arg(0, &a)], [arg(0, &b)]);
    let configs = [&one, &two].map(|l| cl_mutable_dispatch_config_khr { num_args: 1, arg_list: l.as_ptr(), ..config(first) });
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
    let change =
        cl_mutable_dispatch_config_khr { num_args: 1, arg_list: args.as_ptr(), local_work_size: &local, ..config(command) };
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
            let change = cl_mutable_dispatch_config_khr { num_args: 2, arg_list: args.as_ptr(), ..config(command) };
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
    // Not where the properties do not say so, and never where there are no updates.
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

#[test]
fn queries() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let list = [FLAGS, CL_COMMAND_BUFFER_MUTABLE_KHR, BUFFER_ASSERTS, NO_MORE_GROUPS, 0];
    let buffer = create(queue, &list).unwrap();
    assert_eq!(number(&info(buffer, CL_COMMAND_BUFFER_NUM_QUEUES_KHR).unwrap()), 1);
    assert_eq!(number(&info(buffer, CL_COMMAND_BUFFER_QUEUES_KHR).unwrap()), queue as u64);
    assert_eq!(number(&info(buffer, CL_COMMAND_BUFFER_CONTEXT_KHR).unwrap()), rig.context as u64);
    assert_eq!(number(&info(buffer, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR).unwrap()), 1);
    // SAFETY: a live handle.
    ok(unsafe { clRetainCommandBufferKHR(buffer) });
    assert_eq!(number(&info(buffer, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR).unwrap()), 2);
    drop_buffer(buffer);
    let raw: Vec<u8> = list.iter().flat_map(|v| v.to_ne_bytes()).collect();
    assert_eq!(info(buffer, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR).unwrap(), raw);
    assert_eq!(info(buffer, 0x7777), Err(CL_INVALID_VALUE));
    let plain = create(queue, &[]).unwrap();
    assert_eq!(info(plain, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR).unwrap().len(), 0);
    let (mem, place) = (rig.buffer(&[0u32; 64]), rig.kernel("where_am_i"));
    set(place, 0, mem);
    set(place, 1, 0u32);
    let properties = [FIELDS, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, ASSERTS, NO_MORE_GROUPS, 0];
    let (_, command) = record_as(buffer, &properties, place, &[8, 4], &[2, 1], &[]).unwrap();
    let raw: Vec<u8> = properties.iter().flat_map(|v| v.to_ne_bytes()).collect();
    assert_eq!(command_info(command, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR).unwrap(), raw);
    assert_eq!(number(&command_info(command, CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR).unwrap()), queue as u64);
    assert_eq!(number(&command_info(command, CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR).unwrap()), buffer as u64);
    assert_eq!(number(&command_info(command, CL_MUTABLE_DISPATCH_KERNEL_KHR).unwrap()), place as u64);
    assert_eq!(number(&command_info(command, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR).unwrap()), 2);
    let kind = number(&command_info(command, CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR).unwrap());
    assert_eq!(kind, u64::from(CL_COMMAND_NDRANGE_KERNEL));
    let sizes = |name| command_info(command, name).unwrap().chunks_exact(8).map(number).collect::<Vec<u64>>();
    assert_eq!(sizes(CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR), [8, 4]);
    assert_eq!(sizes(CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR), [2, 1]);
    assert_eq!(sizes(CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR), [0, 0]);
    assert_eq!(command_info(command, 0x7777), Err(CL_INVALID_VALUE));
    let (_, unknown) = record(plain, place, 64, &[]);
    assert_eq!(command_info(unknown, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR).unwrap().len(), 0);
    // A handle lives as long as the buffer.
    drop_buffer(buffer);
    assert_eq!(command_info(command, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR), Err(CL_INVALID_MUTABLE_COMMAND_KHR));
    assert_eq!(info(buffer, CL_COMMAND_BUFFER_STATE_KHR), Err(CL_INVALID_COMMAND_BUFFER_KHR));
    // SAFETY: handles of another kind and of a dead object are looked up only.
    unsafe {
        assert_eq!(clRetainCommandBufferKHR(wrong_kind(queue)), CL_INVALID_COMMAND_BUFFER_KHR);
        assert_eq!(clReleaseCommandBufferKHR(buffer), CL_INVALID_COMMAND_BUFFER_KHR);
    }
    drop_buffer(plain);
}

#[test]
fn errors_of_creation() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    assert_eq!(create(wrong_kind(rig.context), &[]), Err(CL_INVALID_COMMAND_QUEUE));
    assert_eq!(create(null_mut(), &[]), Err(CL_INVALID_COMMAND_QUEUE));
    assert_eq!(create(queue, &[0x7777, 0, 0]), Err(CL_INVALID_VALUE));
    assert_eq!(create(queue, &[FLAGS, 1 << 40, 0]), Err(CL_INVALID_VALUE));
    assert_eq!(create(queue, &[FLAGS, 0, FLAGS, 0, 0]), Err(CL_INVALID_VALUE));
    assert_eq!(create(queue, &[BUFFER_ASSERTS, 2, 0]), Err(CL_INVALID_VALUE));
    drop_buffer(create(queue, &[FLAGS, CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR, 0]).unwrap());
    let mut code = 1;
    let queues = [queue, queue];
    // SAFETY: the list has two queues.
    unsafe {
        for (n, list) in [(0, queues.as_ptr()), (1, null()), (0, null())] {
            assert!(clCreateCommandBufferKHR(n, list, null(), &mut code).is_null());
            assert_eq!(code, CL_INVALID_VALUE);
            assert!(clCreateCommandBufferKHR(n, list, null(), null_mut()).is_null());
        }
    }
}

#[test]
fn errors_of_recording() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let (mem, add) = (rig.buffer(&[0u32; 64]), rig.kernel("add"));
    let foreign = Rig::new(SOURCE);
    let (other_queue, foreign_queue) = (rig.queue(0), foreign.queue(0));
    let (other_mem, other_kernel) = (foreign.buffer(&[0u32; 64]), foreign.kernel("add"));
    let buffer = create(queue, &[]).unwrap();
    let pattern = 1u32;
    let (zero, region) = ([0usize; 3], [4usize, 1, 1]);
    let mut handle = null_mut();
    let none = null_mut();
    let nothing = [0u64];
    let wrong = [0x7777u64, 1, 0];
    let far = 99;
    type Prefix = (cl_command_buffer_khr, cl_command_queue, *const u64, u32, *const u32, *mut cl_mutable_command_khr);
    let barrier = |(b, q, p, n, w, h): Prefix| {
        // SAFETY: pointers are NULL or valid.
        unsafe { clCommandBarrierWithWaitListKHR(b, q, p, n, w, null_mut(), h) }
    };
    let copy = |(b, q, p, n, w, h): Prefix| {
        // SAFETY: as above.
        unsafe { clCommandCopyBufferKHR(b, q, p, mem, mem, 0, 64, 64, n, w, null_mut(), h) }
    };
    let rect = |(b, q, p, n, w, h): Prefix| {
        let (from, to) = (zero.as_ptr(), [64usize, 0, 0]);
        // SAFETY: as above.
        unsafe {
            clCommandCopyBufferRectKHR(b, q, p, mem, mem, from, to.as_ptr(), region.as_ptr(), 0, 0, 0, 0, n, w, null_mut(), h)
        }
    };
    let fill = |(b, q, p, n, w, h): Prefix| {
        // SAFETY: as above.
        unsafe { clCommandFillBufferKHR(b, q, p, mem, (&raw const pattern).cast(), 4, 0, 64, n, w, null_mut(), h) }
    };
    set(add, 0, mem);
    set(add, 1, 1u32);
    let size = 64usize;
    let kernel = |(b, q, p, n, w, h): Prefix| {
        // SAFETY: as above.
        unsafe { clCommandNDRangeKernelKHR(b, q, p, add, 1, null(), &size, null(), n, w, null_mut(), h) }
    };
    let all: [&dyn Fn(Prefix) -> cl_int; 5] = [&barrier, &copy, &rect, &fill, &kernel];
    for (i, command) in all.iter().enumerate() {
        assert_eq!(command((wrong_kind(queue), none, null(), 0, null(), null_mut())), CL_INVALID_COMMAND_BUFFER_KHR);
        assert_eq!(command((buffer, other_queue, null(), 0, null(), null_mut())), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(command((buffer, wrong_kind(mem), null(), 0, null(), null_mut())), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(command((buffer, foreign_queue, null(), 0, null(), null_mut())), CL_INVALID_CONTEXT);
        assert_eq!(command((buffer, queue, null(), 0, null(), null_mut())), CL_SUCCESS);
        assert_eq!(command((buffer, none, wrong.as_ptr(), 0, null(), null_mut())), CL_INVALID_VALUE);
        assert_eq!(command((buffer, none, null(), 1, null(), null_mut())), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
        assert_eq!(command((buffer, none, null(), 0, &far, null_mut())), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
        assert_eq!(command((buffer, none, null(), 1, &far, null_mut())), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
        assert_eq!(command((buffer, none, null(), 1, &0, null_mut())), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
        if i < 4 {
            assert_eq!(command((buffer, none, null(), 0, null(), &mut handle)), CL_INVALID_VALUE);
        }
        assert_eq!(command((buffer, none, nothing.as_ptr(), 0, null(), null_mut())), CL_SUCCESS);
    }
    // What the enqueued commands check too.
    // SAFETY: pointers are NULL or valid, handles live or looked up only.
    unsafe {
        let copy = |src, dst, from, to, size| {
            clCommandCopyBufferKHR(buffer, none, null(), src, dst, from, to, size, 0, null(), null_mut(), null_mut())
        };
        assert_eq!(copy(wrong_kind(queue), mem, 0, 0, 4), CL_INVALID_MEM_OBJECT);
        assert_eq!(copy(mem, null_mut(), 0, 0, 4), CL_INVALID_MEM_OBJECT);
        assert_eq!(copy(mem, other_mem, 0, 0, 4), CL_INVALID_CONTEXT);
        assert_eq!(copy(mem, mem, 0, 1000, 4), CL_INVALID_VALUE);
        assert_eq!(copy(mem, mem, 0, 4, 8), CL_MEM_COPY_OVERLAP);
        let rect = |src, origin: *const usize, region: *const usize| {
            let to = [64usize, 0, 0];
            let (n, w, p) = (0, null(), null_mut());
            clCommandCopyBufferRectKHR(buffer, none, null(), src, mem, origin, to.as_ptr(), region, 0, 0, 0, 0, n, w, p, p.cast())
        };
        assert_eq!(rect(null_mut(), zero.as_ptr(), region.as_ptr()), CL_INVALID_MEM_OBJECT);
        assert_eq!(rect(other_mem, zero.as_ptr(), region.as_ptr()), CL_INVALID_CONTEXT);
        assert_eq!(rect(mem, null(), region.as_ptr()), CL_INVALID_VALUE);
        assert_eq!(rect(mem, zero.as_ptr(), zero.as_ptr()), CL_INVALID_VALUE);
        assert_eq!(rect(mem, [62usize, 0, 0].as_ptr(), region.as_ptr()), CL_MEM_COPY_OVERLAP);
        let fill = |mem, pattern: *const c_void, unit, offset, size| {
            clCommandFillBufferKHR(buffer, none, null(), mem, pattern, unit, offset, size, 0, null(), null_mut(), null_mut())
        };
        let one: *const c_void = (&raw const pattern).cast();
        assert_eq!(fill(wrong_kind(queue), one, 4, 0, 4), CL_INVALID_MEM_OBJECT);
        assert_eq!(fill(other_mem, one, 4, 0, 4), CL_INVALID_CONTEXT);
        assert_eq!(fill(mem, null(), 4, 0, 4), CL_INVALID_VALUE);
        assert_eq!(fill(mem, one, 0, 0, 4), CL_INVALID_VALUE);
        assert_eq!(fill(mem, one, 3, 0, 3), CL_INVALID_VALUE);
        assert_eq!(fill(mem, one, 4, 2, 4), CL_INVALID_VALUE);
        assert_eq!(fill(mem, one, 4, 0, 6), CL_INVALID_VALUE);
        assert_eq!(fill(mem, one, 4, 256, 4), CL_INVALID_VALUE);
    }
    let all = number(&device_info(device(), CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR).unwrap());
    assert_eq!(record_as(buffer, &[], wrong_kind(queue), &[64], &[], &[]), Err(CL_INVALID_KERNEL));
    assert_eq!(record_as(buffer, &[], other_kernel, &[64], &[], &[]), Err(CL_INVALID_CONTEXT));
    assert_eq!(record_as(buffer, &[], add, &[64, 1, 1, 1], &[], &[]), Err(CL_INVALID_WORK_DIMENSION));
    assert_eq!(record_as(buffer, &[], add, &[64], &[7], &[]), Err(CL_INVALID_WORK_GROUP_SIZE));
    assert_eq!(record_as(buffer, &[], add, &[1 << 20], &[1 << 20], &[]), Err(CL_INVALID_WORK_ITEM_SIZE));
    assert_eq!(record_as(buffer, &[FIELDS, all << 1 & !all, 0], add, &[64], &[], &[]), Err(CL_INVALID_OPERATION));
    assert_eq!(record_as(buffer, &[FIELDS, 0, FIELDS, 0, 0], add, &[64], &[], &[]), Err(CL_INVALID_VALUE));
    assert_eq!(record_as(buffer, &[ASSERTS, 2, 0], add, &[64], &[], &[]), Err(CL_INVALID_VALUE));
    assert_eq!(record_as(buffer, &[ASSERTS, NO_MORE_GROUPS, 0], add, &[64], &[], &[]), Err(CL_INVALID_VALUE));
    assert!(record_as(buffer, &[ASSERTS, NO_MORE_GROUPS, 0], add, &[64], &[8], &[]).is_ok());
    let promised = create(queue, &[BUFFER_ASSERTS, NO_MORE_GROUPS, 0]).unwrap();
    assert_eq!(record_as(promised, &[], add, &[64], &[], &[]), Err(CL_INVALID_VALUE));
    let unset = rig.kernel("add");
    assert_eq!(record_as(buffer, &[], unset, &[64], &[], &[]), Err(CL_INVALID_KERNEL_ARGS));
    // Nothing is recorded after the end.
    assert_eq!(enqueue_on(buffer, &[queue]), CL_INVALID_OPERATION);
    assert_eq!(finalize(buffer), CL_SUCCESS);
    assert_eq!(finalize(buffer), CL_INVALID_OPERATION);
    assert_eq!(finalize(wrong_kind(queue)), CL_INVALID_COMMAND_BUFFER_KHR);
    let all: [&dyn Fn(Prefix) -> cl_int; 5] = [&barrier, &copy, &rect, &fill, &kernel];
    for command in all {
        assert_eq!(command((buffer, none, null(), 0, null(), null_mut())), CL_INVALID_OPERATION);
    }
    drop_buffer(buffer);
    drop_buffer(promised);
}

#[test]
fn errors_of_enqueueing() {
    let rig = Rig::new(SOURCE);
    let (queue, foreign) = (rig.queue(0), Rig::new(SOURCE));
    let (mem, add) = (rig.buffer(&[0u32; 4]), rig.kernel("add"));
    set(add, 0, mem);
    set(add, 1, 1u32);
    let buffer = create(queue, &[]).unwrap();
    record(buffer, add, 4, &[]);
    assert_eq!(finalize(buffer), CL_SUCCESS);
    assert_eq!(enqueue_on(wrong_kind(queue), &[queue]), CL_INVALID_COMMAND_BUFFER_KHR);
    assert_eq!(enqueue_on(buffer, &[queue, queue]), CL_INVALID_VALUE);
    assert_eq!(enqueue_on(buffer, &[wrong_kind(mem)]), CL_INVALID_COMMAND_QUEUE);
    assert_eq!(enqueue_on(buffer, &[foreign.queue(0)]), CL_INVALID_CONTEXT);
    let gate = foreign.gate();
    // SAFETY: lists are NULL or have their length.
    unsafe {
        assert_eq!(clEnqueueCommandBufferKHR(1, null(), buffer, 0, null(), null_mut()), CL_INVALID_VALUE);
        assert_eq!(clEnqueueCommandBufferKHR(0, &queue, buffer, 0, null(), null_mut()), CL_INVALID_VALUE);
        assert_eq!(clEnqueueCommandBufferKHR(0, null(), buffer, 1, null(), null_mut()), CL_INVALID_EVENT_WAIT_LIST);
        assert_eq!(clEnqueueCommandBufferKHR(0, null(), buffer, 0, &gate, null_mut()), CL_INVALID_EVENT_WAIT_LIST);
        let no_event: cl_event = wrong_kind(queue);
        assert_eq!(clEnqueueCommandBufferKHR(0, null(), buffer, 1, &no_event, null_mut()), CL_INVALID_EVENT_WAIT_LIST);
        assert_eq!(clEnqueueCommandBufferKHR(0, null(), buffer, 1, &gate, null_mut()), CL_INVALID_CONTEXT);
    }
    assert_eq!(read::<u32>(queue, mem, 4), [0; 4]);
    drop_buffer(buffer);
}

#[test]
fn errors_of_updates_change_nothing() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let (mem, add) = (rig.buffer(&[0u32; 64]), rig.kernel("add"));
    set(add, 0, mem);
    set(add, 1, 1u32);
    let buffer = mutable(queue, 0);
    let (_, command) = record_as(buffer, &[], add, &[64], &[8], &[]).unwrap();
    let (_, closed) = record_as(buffer, &[FIELDS, 0, 0], add, &[64], &[8], &[]).unwrap();
    let value = 5u32;
    let args = [arg(1, &value)];
    let good = cl_mutable_dispatch_config_khr { num_args: 1, arg_list: args.as_ptr(), ..config(command) };
    assert_eq!(update(buffer, &[good]), CL_INVALID_OPERATION);
    assert_eq!(finalize(buffer), CL_SUCCESS);
    let fixed = create(queue, &[]).unwrap();
    let (_, of_fixed) = record(fixed, add, 64, &[]);
    assert_eq!(finalize(fixed), CL_SUCCESS);
    assert_eq!(update(fixed, &[cl_mutable_dispatch_config_khr { command: of_fixed, ..good }]), CL_INVALID_OPERATION);
    assert_eq!(update(wrong_kind(queue), &[good]), CL_INVALID_COMMAND_BUFFER_KHR);
    let kind = [CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR; 2];
    let list = [(&raw const good).cast::<c_void>(), null()];
    // SAFETY: lists are NULL or have their length.
    unsafe {
        assert_eq!(clUpdateMutableCommandsKHR(buffer, 1, null(), list.as_ptr()), CL_INVALID_VALUE);
        assert_eq!(clUpdateMutableCommandsKHR(buffer, 0, kind.as_ptr(), null()), CL_INVALID_VALUE);
        assert_eq!(clUpdateMutableCommandsKHR(buffer, 1, kind.as_ptr(), null()), CL_INVALID_VALUE);
        assert_eq!(clUpdateMutableCommandsKHR(buffer, 0, null(), list.as_ptr()), CL_INVALID_VALUE);
        assert_eq!(clUpdateMutableCommandsKHR(buffer, 2, kind.as_ptr(), list.as_ptr()), CL_INVALID_VALUE);
        assert_eq!(clUpdateMutableCommandsKHR(buffer, 1, &77, list.as_ptr()), CL_INVALID_VALUE);
        assert_eq!(clUpdateMutableCommandsKHR(buffer, 0, null(), null()), CL_SUCCESS);
    }
    let size = [32usize, 1, 1];
    let change = |f: &dyn Fn(&mut cl_mutable_dispatch_config_khr)| {
        let mut wrong = config(command);
        f(&mut wrong);
        // The first of the two would be right.
        update(buffer, &[good, wrong])
    };
    assert_eq!(change(&|c| c.command = wrong_kind(queue)), CL_INVALID_MUTABLE_COMMAND_KHR);
    assert_eq!(change(&|c| c.command = of_fixed), CL_INVALID_MUTABLE_COMMAND_KHR);
    assert_eq!(change(&|c| c.work_dim = 2), CL_INVALID_OPERATION);
    for field in 0..4 {
        let with = |c: &mut cl_mutable_dispatch_config_khr| {
            c.command = closed;
            match field {
                0 => c.global_work_offset = size.as_ptr(),
                1 => c.global_work_size = size.as_ptr(),
                2 => c.local_work_size = size.as_ptr(),
                _ => (c.num_args, c.arg_list) = (1, args.as_ptr()),
            }
        };
        assert_eq!(change(&with), CL_INVALID_OPERATION, "field {field}");
    }
    assert_eq!(change(&|c| c.num_args = 1), CL_INVALID_VALUE);
    assert_eq!(change(&|c| c.arg_list = args.as_ptr()), CL_INVALID_VALUE);
    assert_eq!(change(&|c| c.num_svm_args = 1), CL_INVALID_VALUE);
    assert_eq!(change(&|c| c.arg_svm_list = args.as_ptr()), CL_INVALID_VALUE);
    assert_eq!(change(&|c| c.num_exec_infos = 1), CL_INVALID_VALUE);
    let exec = cl_mutable_dispatch_exec_info_khr { param_name: 0, param_value_size: 0, param_value: null() };
    assert_eq!(change(&|c| c.exec_info_list = &exec), CL_INVALID_VALUE);
    let (one_more, bad_index, bad_size) = ([65usize], [arg(2, &value)], [arg(1, &1u64)]);
    assert_eq!(change(&|c| (c.num_args, c.arg_list) = (1, bad_index.as_ptr())), CL_INVALID_ARG_INDEX);
    assert_eq!(change(&|c| (c.num_args, c.arg_list) = (1, bad_size.as_ptr())), CL_INVALID_ARG_SIZE);
    // The local size no longer divides the global size, which programs of OpenCL C 1.2 do not allow at all.
    assert_eq!(change(&|c| c.global_work_size = one_more.as_ptr()), CL_INVALID_WORK_GROUP_SIZE);
    let huge = [1usize << 20];
    assert_eq!(change(&|c| c.local_work_size = huge.as_ptr()), CL_INVALID_WORK_ITEM_SIZE);
    replay(buffer, &[]);
    assert_eq!(read::<u32>(queue, mem, 64), [2; 64]);
    assert_eq!(update(buffer, &[good]), CL_SUCCESS);
    replay(buffer, &[]);
    assert_eq!(read::<u32>(queue, mem, 64), [8; 64]);
    drop_buffer(buffer);
    drop_buffer(fixed);
}
