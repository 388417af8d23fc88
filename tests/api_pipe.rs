//! Pipes, on every device: objects and their errors, packets of many sizes in the order of the reservations,
//! full and empty pipes, work-group reservations, kernels that read and write at the same time, pipes that
//! move between devices.

#![allow(clippy::unwrap_used)]

use std::ptr::{null, null_mut};
use std::sync::Once;
use test_support::api::rig::*;
use test_support::api::*;

const SOURCE: &str = "
typedef struct { int number; char fill[PACKET - 4]; } Packet;
kernel void write(write_only pipe Packet p, int first, global int *result) {
    int i = get_global_id(0);
    Packet packet;
    packet.number = first + i;
    for (int at = 0; at < PACKET - 4; ++at) packet.fill[at] = (char)(first + i + at);
    result[i] = write_pipe(p, &packet);
}
kernel void read(read_only pipe Packet p, global int *numbers, global int *result) {
    int i = get_global_id(0);
    Packet packet;
    result[i] = read_pipe(p, &packet);
    if (result[i] == 0) {
        int good = 1;
        for (int at = 0; at < PACKET - 4; ++at) good &= packet.fill[at] == (char)(packet.number + at);
        numbers[i] = good ? packet.number : -1000;
    } else {
        numbers[i] = -1;
    }
}
kernel void in_a_row(write_only pipe Packet p, int count) {
    Packet packet;
    for (int at = 0; at < PACKET - 4; ++at) packet.fill[at] = 0;
    for (packet.number = 0; packet.number < count; ++packet.number) {
        for (int at = 0; at < PACKET - 4; ++at) packet.fill[at] = (char)(packet.number + at);
        write_pipe(p, &packet);
    }
}
kernel void all_in_a_row(read_only pipe Packet p, int count, global int *numbers) {
    for (int i = 0; i < count; ++i) {
        Packet packet;
        numbers[i] = read_pipe(p, &packet) == 0 ? packet.number : -1;
    }
}
kernel void counts(write_only pipe Packet p, global uint *count) {
    count[0] = get_pipe_num_packets(p);
    count[1] = get_pipe_max_packets(p);
}
#if GROUPS
kernel void out_of_order(write_only pipe Packet p, global int *seen) {
    Packet packet = { 7, { 0 } };
    reserve_id_t kept[2];
    kept[0] = reserve_write_pipe(p, 2);
    kept[1] = reserve_write_pipe(p, 1);
    reserve_id_t third = reserve_write_pipe(p, get_pipe_max_packets(p) - 2);
    seen[0] = is_valid_reserve_id(kept[0]) + 2 * is_valid_reserve_id(kept[1]) + 4 * is_valid_reserve_id(third);
    seen[1] = write_pipe(p, kept[1], 0, &packet);
    seen[2] = write_pipe(p, kept[1], 1, &packet);
    commit_write_pipe(p, kept[1]);
    seen[3] = get_pipe_num_packets(p);
    packet.number = 5;
    seen[4] = write_pipe(p, kept[0], 0, &packet);
    packet.number = 6;
    seen[5] = write_pipe(p, kept[0], 1, &packet);
    commit_write_pipe(p, kept[0]);
    seen[6] = get_pipe_num_packets(p);
    seen[7] = is_valid_reserve_id(reserve_write_pipe(p, 0)) + is_valid_reserve_id(reserve_write_pipe(p, 0xffffffffu));
}
kernel void group_write(write_only pipe Packet p, global uint *valid) {
    Packet packet;
    packet.number = get_global_id(0);
    for (int at = 0; at < PACKET - 4; ++at) packet.fill[at] = (char)(packet.number + at);
    uint n = get_local_size(0), i = get_local_id(0);
    reserve_id_t id = work_group_reserve_write_pipe(p, n);
    valid[packet.number] = is_valid_reserve_id(id);
    if (is_valid_reserve_id(id)) {
        write_pipe(p, id, n - 1 - i, &packet);
        work_group_commit_write_pipe(p, id);
    }
}
kernel void group_read(read_only pipe Packet p, global int *numbers) {
    Packet packet = { -1, { 0 } };
    reserve_id_t id = work_group_reserve_read_pipe(p, get_local_size(0));
    if (is_valid_reserve_id(id)) {
        read_pipe(p, id, get_local_id(0), &packet);
        work_group_commit_read_pipe(p, id);
    }
    numbers[get_global_id(0)] = packet.number;
}
kernel void sub_group_write(write_only pipe Packet p) {
    Packet packet;
    packet.number = get_global_id(0);
    for (int at = 0; at < PACKET - 4; ++at) packet.fill[at] = (char)(packet.number + at);
    if (get_sub_group_id() % 2 == 0) {
        reserve_id_t id = sub_group_reserve_write_pipe(p, get_sub_group_size());
        if (is_valid_reserve_id(id)) {
            write_pipe(p, id, get_sub_group_local_id(), &packet);
            sub_group_commit_write_pipe(p, id);
        }
    } else {
        write_pipe(p, &packet);
    }
}
kernel void sub_group_read(read_only pipe Packet p, global int *numbers) {
    Packet packet = { -1, { 0 } };
    reserve_id_t id = sub_group_reserve_read_pipe(p, get_sub_group_size());
    if (is_valid_reserve_id(id)) {
        read_pipe(p, id, get_sub_group_local_id(), &packet);
        sub_group_commit_read_pipe(p, id);
    }
    numbers[get_global_id(0)] = packet.number;
}
#endif
kernel void no_pipe(global int *p) { *p = 1; }
";

/// Every device, the host's processor too. To be called first in every test.
fn all_devices() -> Vec<cl_device_id> {
    static ONCE: Once = Once::new();
    // SAFETY: every test of the program waits here before it does anything else.
    ONCE.call_once(|| unsafe { std::env::set_var("PYROCLAST_DEVICES", "vulkan,cpu") });
    devices()
}

/// A context of these devices with the program for packets of `packet` bytes, with or without the work-group
/// kernels, and a pipe.
fn ready(list: &[cl_device_id], packet: u32, most: u32, groups: bool) -> (Rig, cl_mem) {
    let context = context_of(list);
    let source = format!("#define PACKET {packet}\n#define GROUPS {}\n{SOURCE}", u8::from(groups));
    let (mut text, length, mut code) = (source.as_ptr().cast(), source.len(), 1);
    // SAFETY: one string with its length.
    let program = unsafe {
        let program = clCreateProgramWithSource(context, 1, &mut text, &length, &mut code);
        ok(code);
        let built = clBuildProgram(program, 0, null(), c"-cl-std=CL3.0".as_ptr(), None, null_mut());
        assert_eq!(built, CL_SUCCESS, "{}", build_log(program, list[0]));
        program
    };
    (Rig { device: list[0], context, program }, pipe(context, packet, most))
}

fn pipe(context: cl_context, packet: u32, most: u32) -> cl_mem {
    let mut code = 1;
    // SAFETY: a live handle.
    let pipe = unsafe { clCreatePipe(context, 0, packet, most, null(), &mut code) };
    ok(code);
    pipe
}

fn queue_of(rig: &Rig, device: cl_device_id) -> cl_command_queue {
    Rig { device, ..*rig }.queue(0)
}

/// Launches a kernel with arguments that are handles or numbers.
macro_rules! go {
    ($rig:expr, $queue:expr, $name:literal, $size:expr, $local:expr, $($arg:expr),*) => {{
        let kernel = $rig.kernel($name);
        let mut _index = 0;
        $(set(kernel, _index, $arg); _index += 1;)*
        let (size, local): (usize, usize) = ($size, $local);
        let local = if local == 0 { null() } else { &raw const local };
        // SAFETY: live handles; sizes of one dimension.
        ok(unsafe { clEnqueueNDRangeKernel($queue, kernel, 1, null(), &size, local, 0, null(), null_mut()) });
        kernel.release();
    }};
}

fn counts(rig: &Rig, queue: cl_command_queue, pipe: cl_mem) -> [u32; 2] {
    let out = rig.buffer(&[77u32; 2]);
    go!(rig, queue, "counts", 1, 0, pipe, out);
    let got = read::<u32>(queue, out, 2);
    out.release();
    [got[0], got[1]]
}

fn sorted(mut list: Vec<i32>) -> Vec<i32> {
    list.sort_unstable();
    list
}

#[test]
fn objects() {
    for device in all_devices() {
        let info = |name| number(&device_info(device, name).unwrap());
        assert_eq!(info(CL_DEVICE_PIPE_SUPPORT), 1);
        assert!(info(CL_DEVICE_MAX_PIPE_ARGS) >= 16 && info(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS) >= 1);
        let largest = info(CL_DEVICE_PIPE_MAX_PACKET_SIZE) as u32;
        assert!(largest >= 1024);
        let (rig, p) = ready(&[device], 8, 5, false);
        let (queue, mut code) = (rig.queue(0), 1);
        let buffer = rig.buffer(&[1i32, 2]);
        // SAFETY: live handles, or what must be refused.
        unsafe {
            let pipe_info = |m, n| query_bytes(|s, v, r| clGetPipeInfo(m, n, s, v, r));
            assert_eq!(number(&pipe_info(p, CL_PIPE_PACKET_SIZE).unwrap()), 8);
            assert_eq!(number(&pipe_info(p, CL_PIPE_MAX_PACKETS).unwrap()), 5);
            assert!(pipe_info(p, CL_PIPE_PROPERTIES).unwrap().is_empty());
            assert_eq!(pipe_info(p, CL_MEM_SIZE).unwrap_err(), CL_INVALID_VALUE);
            assert_eq!(pipe_info(buffer, CL_PIPE_PACKET_SIZE).unwrap_err(), CL_INVALID_MEM_OBJECT);
            let mem_info = |n| query_bytes(|s, v, r| clGetMemObjectInfo(p, n, s, v, r)).map(|b| number(&b));
            assert_eq!(mem_info(CL_MEM_TYPE).unwrap(), u64::from(CL_MEM_OBJECT_PIPE));
            assert_eq!(mem_info(CL_MEM_FLAGS).unwrap(), CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS);
            assert_eq!(mem_info(CL_MEM_HOST_PTR).unwrap(), 0);

            // CL_INVALID_VALUE, CL_INVALID_PIPE_SIZE: flags, properties, sizes of packets and pipe.
            let mut refused = |flags, packet, most, properties: &[cl_pipe_properties]| {
                let properties = if properties.is_empty() { null() } else { properties.as_ptr() };
                assert!(clCreatePipe(rig.context, flags, packet, most, properties, &mut code).is_null());
                code
            };
            for flags in
                [CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_ALLOC_HOST_PTR, CL_MEM_HOST_READ_ONLY, 1 << 40]
            {
                assert_eq!(refused(flags, 4, 4, &[]), CL_INVALID_VALUE);
            }
            assert_eq!(refused(0, 4, 4, &[0]), CL_INVALID_VALUE);
            for (packet, most) in [(0, 4), (4, 0), (largest + 1, 4), (u32::MAX, u32::MAX)] {
                assert_eq!(refused(0, packet, most, &[]), CL_INVALID_PIPE_SIZE);
            }
            assert_eq!(refused(0, largest, u32::MAX, &[]), CL_MEM_OBJECT_ALLOCATION_FAILURE);

            // CL_INVALID_MEM_OBJECT: pipes and other objects are not interchangeable as arguments.
            let (writer, other) = (rig.kernel("counts"), rig.kernel("no_pipe"));
            let arg = |kernel, mem: *const cl_mem| clSetKernelArg(kernel, 0, 8, mem.cast());
            assert_eq!(arg(writer, &buffer), CL_INVALID_MEM_OBJECT);
            assert_eq!(arg(writer, null()), CL_INVALID_MEM_OBJECT);
            assert_eq!(arg(writer, &null_mut()), CL_INVALID_MEM_OBJECT);
            assert_eq!(arg(other, &p), CL_INVALID_MEM_OBJECT);
            assert_eq!(clSetKernelArg(writer, 0, 4, (&raw const p).cast()), CL_INVALID_ARG_SIZE);
            ok(arg(writer, &p));
            let arg_info = |n| query_bytes(|s, v, r| clGetKernelArgInfo(writer, 0, n, s, v, r)).unwrap();
            assert_eq!(number(&arg_info(CL_KERNEL_ARG_TYPE_QUALIFIER)), CL_KERNEL_ARG_TYPE_PIPE);
            assert_eq!(
                number(&arg_info(CL_KERNEL_ARG_ACCESS_QUALIFIER)),
                u64::from(CL_KERNEL_ARG_ACCESS_WRITE_ONLY)
            );

            // CL_INVALID_MEM_OBJECT: host access, and use as a buffer.
            let mut word = 0u32;
            let at = (&raw mut word).cast();
            assert_eq!(
                clEnqueueReadBuffer(queue, p, 1, 0, 4, at, 0, null(), null_mut()),
                CL_INVALID_MEM_OBJECT
            );
            assert_eq!(
                clEnqueueWriteBuffer(queue, p, 1, 0, 4, at, 0, null(), null_mut()),
                CL_INVALID_MEM_OBJECT
            );
            assert_eq!(
                clEnqueueCopyBuffer(queue, p, buffer, 0, 0, 4, 0, null(), null_mut()),
                CL_INVALID_MEM_OBJECT
            );
            assert_eq!(
                clEnqueueFillBuffer(queue, p, at, 4, 0, 4, 0, null(), null_mut()),
                CL_INVALID_MEM_OBJECT
            );
            let mapped = clEnqueueMapBuffer(queue, p, 1, CL_MAP_READ, 0, 4, 0, null(), null_mut(), &mut code);
            assert!(mapped.is_null() && code == CL_INVALID_MEM_OBJECT);
            let region = cl_buffer_region { origin: 0, size: 4 };
            let part =
                clCreateSubBuffer(p, 0, CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast(), &mut code);
            assert!(part.is_null() && code == CL_INVALID_MEM_OBJECT);
            ok(clEnqueueMigrateMemObjects(queue, 1, &p, 0, 0, null(), null_mut()));
            finish(queue);
            release([writer, other]);
        }
        release([p, buffer]);
        queue.release();
        rig.program.release();
        rig.context.release();
    }
}

#[test]
fn packets_come_in_order() {
    for device in all_devices() {
        for (packet, most) in [(8, 1), (20, 37), (1000, 9)] {
            let (rig, p) = ready(&[device], packet, most, false);
            let queue = rig.queue(0);
            let numbers = rig.buffer(&vec![0i32; most as usize + 2]);
            // Several rounds wrap around the ring; each writes one packet more than fits.
            for _ in 0..3 {
                go!(rig, queue, "in_a_row", 1, 0, p, most as i32 + 1);
                assert_eq!(counts(&rig, queue, p), [most, most]);
                go!(rig, queue, "all_in_a_row", 1, 0, p, most as i32 + 2, numbers);
                let expected: Vec<i32> = (0..most as i32).chain([-1, -1]).collect();
                assert_eq!(read::<i32>(queue, numbers, most as usize + 2), expected, "{packet} bytes");
                // An extra packet moves the start.
                go!(rig, queue, "in_a_row", 1, 0, p, 1);
                go!(rig, queue, "all_in_a_row", 1, 0, p, 1, numbers);
                assert_eq!(counts(&rig, queue, p)[0], 0);
            }
            release([p, numbers]);
            queue.release();
            rig.program.release();
            rig.context.release();
        }
    }
}

#[test]
fn work_items_share_a_pipe() {
    let (size, most) = (300usize, 200u32);
    for device in all_devices() {
        let (rig, p) = ready(&[device], 20, most, false);
        let queue = rig.queue(0);
        let (result, numbers) = (rig.buffer(&vec![1i32; size]), rig.buffer(&vec![0i32; size]));
        for round in 0..3 {
            go!(rig, queue, "write", size, 0, p, 1000 * round, result);
            let wrote = read::<i32>(queue, result, size);
            assert!(wrote.iter().all(|r| *r <= 0));
            assert_eq!(wrote.iter().filter(|r| **r == 0).count(), most as usize);
            go!(rig, queue, "read", size, 0, p, numbers, result);
            let got = read::<i32>(queue, result, size);
            assert_eq!(got.iter().filter(|r| **r == 0).count(), most as usize);
            let sent = (0..size as i32).filter(|i| wrote[*i as usize] == 0).map(|i| 1000 * round + i);
            let received = read::<i32>(queue, numbers, size).into_iter().filter(|n| *n != -1).collect();
            assert_eq!(sorted(received), sent.collect::<Vec<_>>());
        }
        release([p, result, numbers]);
        queue.release();
        rig.program.release();
        rig.context.release();
    }
}

#[test]
fn reservations() {
    for device in all_devices() {
        let (rig, p) = ready(&[device], 8, 4, true);
        let queue = rig.queue(0);
        let seen = rig.buffer(&[77i32; 8]);
        go!(rig, queue, "out_of_order", 1, 0, p, seen);
        // The third reservation does not fit. Reads fail before the first one is committed. Indices are
        // relative to a reservation.
        assert_eq!(read::<i32>(queue, seen, 8), [3, 0, -1, 0, 0, 0, 3, 0]);
        go!(rig, queue, "all_in_a_row", 1, 0, p, 4, seen);
        assert_eq!(read::<i32>(queue, seen, 4), [5, 6, 7, -1]);
        release([p, seen]);
        queue.release();
        rig.program.release();
        rig.context.release();
    }
}

#[test]
fn groups_reserve_together() {
    for device in all_devices() {
        let (rig, unused) = ready(&[device], 12, 1, true);
        let queue = rig.queue(0);
        for local in [1usize, 7, 64] {
            // Room for three groups and part of another.
            let (size, most) = (4 * local, 3 * local + local / 2);
            let (p, room) = (pipe(rig.context, 12, most as u32), pipe(rig.context, 12, size as u32));
            let (valid, numbers) = (rig.buffer(&vec![7u32; size]), rig.buffer(&vec![0i32; size]));
            for _ in 0..2 {
                go!(rig, queue, "group_write", size, local, p, valid);
                let valid = read::<u32>(queue, valid, size);
                let sent: Vec<i32> = (0..size as i32).filter(|i| valid[*i as usize] == 1).collect();
                assert_eq!(sent.len(), 3 * local);
                go!(rig, queue, "group_read", size, local, p, numbers);
                let got = read::<i32>(queue, numbers, size);
                for group in got.chunks(local) {
                    // Packets of a whole group, the last work-item's first.
                    assert!(
                        group.windows(2).all(|w| w[0] == w[1] + 1 || w[0] == -1 && w[1] == -1),
                        "{group:?}"
                    );
                }
                assert_eq!(sorted(got.into_iter().filter(|n| *n >= 0).collect()), sent);
            }
            // Sub-groups, including divergent ones of a work-group.
            go!(rig, queue, "sub_group_write", size, local, room);
            assert_eq!(counts(&rig, queue, room)[0], size as u32);
            go!(rig, queue, "sub_group_read", size, local, room, numbers);
            assert_eq!(sorted(read::<i32>(queue, numbers, size)), (0..size as i32).collect::<Vec<_>>());
            release([p, room, valid, numbers]);
        }
        release([unused]);
        queue.release();
        rig.program.release();
        rig.context.release();
    }
}

/// Writers and readers in unordered queues: no packet is lost or duplicated.
#[test]
fn readers_and_writers_at_once() {
    let (size, rounds) = (256usize, 20usize);
    for device in all_devices() {
        let (rig, p) = ready(&[device], 16, 100, false);
        let (writers, readers) = (rig.queue(0), rig.queue(0));
        let wrote: Vec<cl_mem> = (0..rounds).map(|_| rig.buffer(&vec![1i32; size])).collect();
        let numbers: Vec<cl_mem> = (0..2 * rounds).map(|_| rig.buffer(&vec![0i32; size])).collect();
        let result = rig.buffer(&vec![1i32; size]);
        for round in 0..rounds {
            go!(rig, writers, "write", size, 0, p, (round * size) as i32, wrote[round]);
            go!(rig, readers, "read", size, 0, p, numbers[round], result);
            // SAFETY: live handles.
            unsafe {
                ok(clFlush(writers));
                ok(clFlush(readers));
            }
        }
        finish(writers);
        // The remaining packets.
        for number in &numbers[rounds..] {
            go!(rig, readers, "read", size, 0, p, *number, result);
        }
        let mut sent = Vec::new();
        for (round, buffer) in wrote.iter().enumerate() {
            let results = read::<i32>(writers, *buffer, size);
            sent.extend((0..size).filter(|i| results[*i] == 0).map(|i| (round * size + i) as i32));
        }
        let received =
            numbers.iter().flat_map(|b| read::<i32>(readers, *b, size)).filter(|n| *n != -1).collect();
        assert!(sent.len() >= 100);
        assert_eq!(sorted(received), sent);
        release(wrote.into_iter().chain(numbers).chain([p, result]));
        release([writers, readers]);
        rig.program.release();
        rig.context.release();
    }
}

#[test]
fn a_pipe_moves_between_devices() {
    let list = all_devices();
    let (rig, p) = ready(&list, 8, 50, false);
    let queues: Vec<cl_command_queue> = list.iter().map(|d| queue_of(&rig, *d)).collect();
    let numbers = rig.buffer(&[0i32; 52]);
    for (from, to) in (0..list.len()).flat_map(|a| (0..list.len()).map(move |b| (a, b))) {
        go!(rig, queues[from], "in_a_row", 1, 0, p, 50);
        finish(queues[from]);
        go!(rig, queues[to], "all_in_a_row", 1, 0, p, 51, numbers);
        finish(queues[to]);
        let expected: Vec<i32> = (0..50).chain([-1]).collect();
        assert_eq!(read::<i32>(queues[to], numbers, 51), expected, "{from} to {to}");
    }
    release([p, numbers]);
    release(queues);
    rig.program.release();
    rig.context.release();
}
