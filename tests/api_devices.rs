//! Several devices in one context: the software device twice, where there is one, and the processor. What is done with
//! memory objects, programs, events and command buffers must not depend on which of them does it.

#![allow(clippy::unwrap_used)]

mod common;

use common::command_buffer::*;
use common::rig::*;
use common::*;
use std::ffi::{CString, c_char, c_void};
use std::ptr::{null, null_mut};

/// Makes every device of the machine, and the software device once more, those of the platform. First in every test.
fn ready() {
    software_device_twice("vulkan,cpu", "");
}

/// A context of all devices, with a queue on each.
struct World {
    devices: Vec<cl_device_id>,
    rig: Rig,
    queues: Vec<cl_command_queue>,
}

impl World {
    fn new(properties: cl_command_queue_properties) -> World {
        ready();
        let (devices, mut code) = (devices(), 1);
        assert!(devices.len() >= 2, "{} devices", devices.len());
        // SAFETY: as many devices as are said.
        let context = unsafe {
            clCreateContext(null(), devices.len() as u32, devices.as_ptr(), None, null_mut(), &mut code)
        };
        ok(code);
        let rig = Rig { device: devices[0], context, program: build(context, devices[0], STEPS) };
        let queues = devices.iter().map(|d| Rig { device: *d, ..rig }.queue(properties)).collect();
        World { devices, rig, queues }
    }
    fn end(self) {
        release(self.queues);
        self.rig.program.release();
        self.rig.context.release();
    }
}

fn part(mem: cl_mem, origin: usize, size: usize) -> cl_mem {
    let (region, mut code) = (cl_buffer_region { origin, size }, 1);
    // SAFETY: a region of a live buffer.
    let part = unsafe {
        clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast(), &mut code)
    };
    ok(code);
    part
}

const N: usize = 1024;
const BYTES: usize = 4 * N;
const PARTS: usize = 4;

/// Random commands on random devices, each after the one before; the host does the same.
fn random_commands(flags: cl_mem_flags, properties: cl_command_queue_properties, seed: u64) {
    let world = World::new(properties);
    let (mut random, mut code) = (Random(seed), 1);
    let mut expected: Vec<u32> = (0..N as u32).map(|i| i * 7).collect();
    // Whole pages, so that devices may use it in place.
    #[repr(align(4096))]
    struct Storage([u32; N]);
    let mut storage = Box::new(Storage([0; N]));
    storage.0.copy_from_slice(&expected);
    let (ptr, copied) =
        (storage.0.as_mut_ptr().cast(), flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR) != 0);
    // SAFETY: the storage has the size and lives to the end.
    let mem = unsafe {
        clCreateBuffer(world.rig.context, flags, BYTES, if copied { ptr } else { null_mut() }, &mut code)
    };
    ok(code);
    if !copied {
        // SAFETY: as above.
        ok(unsafe { clEnqueueWriteBuffer(world.queues[0], mem, 1, 0, BYTES, ptr, 0, null(), null_mut()) });
    }
    let parts: Vec<cl_mem> = (0..PARTS).map(|i| part(mem, i * BYTES / PARTS, BYTES / PARTS)).collect();
    let (step, combine) = (world.rig.kernel("step"), world.rig.kernel("combine"));
    let mut last: Option<cl_event> = None;
    for round in 0..150u32 {
        let queue = world.queues[random.below(world.queues.len())];
        // The whole, or a part of it.
        let which = random.below(PARTS + 2);
        let (object, start, count) = match parts.get(which) {
            Some(part) => (*part, which * N / PARTS, N / PARTS),
            None => (mem, 0, N),
        };
        let (offset, some) = (random.below(count / 2), 1 + random.below(count / 2));
        let there = start + offset..start + offset + some;
        let (waits, mut event) = (last, null_mut());
        let (n, list) = (waits.iter().len() as u32, waits.as_ref().map_or(null(), |e| &raw const *e));
        let mut host: Vec<u32> = (0..some as u32).map(|i| i ^ round).collect();
        let data: *mut c_void = host.as_mut_ptr().cast();
        // SAFETY: live handles; memory of the sizes given, used by blocking commands only.
        unsafe {
            match random.below(9) {
                0 | 1 => {
                    set(step, 0, object);
                    set(step, 1, 5u32);
                    set(step, 2, round);
                    event = launch(queue, step, count, waits.as_slice());
                    expected[start..start + count]
                        .iter_mut()
                        .for_each(|v| *v = v.wrapping_mul(5).wrapping_add(round));
                }
                2 => {
                    // From one part to another one.
                    let (to, from) = (random.below(PARTS), random.below(PARTS));
                    if to == from {
                        continue;
                    }
                    set(combine, 0, parts[to]);
                    set(combine, 1, parts[from]);
                    event = launch(queue, combine, N / PARTS, waits.as_slice());
                    for i in 0..N / PARTS {
                        let add = expected[from * N / PARTS + i];
                        let value = &mut expected[to * N / PARTS + i];
                        *value = value.wrapping_mul(3).wrapping_add(add);
                    }
                }
                3 => {
                    ok(clEnqueueWriteBuffer(
                        queue,
                        object,
                        1,
                        4 * offset,
                        4 * some,
                        data,
                        n,
                        list,
                        &mut event,
                    ));
                    expected[there].copy_from_slice(&host);
                }
                4 => {
                    ok(clEnqueueReadBuffer(
                        queue,
                        object,
                        1,
                        4 * offset,
                        4 * some,
                        data,
                        n,
                        list,
                        &mut event,
                    ));
                    assert_eq!(host, expected[there], "round {round}");
                }
                5 => {
                    let pattern = (&raw const round).cast();
                    ok(clEnqueueFillBuffer(
                        queue,
                        object,
                        pattern,
                        4,
                        4 * offset,
                        4 * some,
                        n,
                        list,
                        &mut event,
                    ));
                    expected[there].fill(round);
                }
                6 => {
                    // From the first half to the second one.
                    let size = count / 2;
                    ok(clEnqueueCopyBuffer(
                        queue,
                        object,
                        object,
                        0,
                        4 * size,
                        4 * size,
                        n,
                        list,
                        &mut event,
                    ));
                    expected.copy_within(start..start + size, start + size);
                }
                7 => {
                    let flags = [CL_MIGRATE_MEM_OBJECT_HOST, 0][random.below(2)];
                    ok(clEnqueueMigrateMemObjects(queue, 1, &object, flags, n, list, &mut event));
                }
                _ => {
                    let (all, other) = (random.below(3) == 0, world.queues[random.below(world.queues.len())]);
                    let flags = if all { CL_MAP_WRITE_INVALIDATE_REGION } else { CL_MAP_READ | CL_MAP_WRITE };
                    let at = clEnqueueMapBuffer(
                        queue,
                        object,
                        1,
                        flags,
                        4 * offset,
                        4 * some,
                        n,
                        list,
                        null_mut(),
                        &mut code,
                    );
                    ok(code);
                    let mapped = std::slice::from_raw_parts_mut(at.cast::<u32>(), some);
                    if !all {
                        assert_eq!(mapped, &expected[there.clone()], "round {round}");
                    }
                    let new = &mut expected[there];
                    new.iter_mut().for_each(|v| *v = v.rotate_left(3));
                    mapped.copy_from_slice(new);
                    // Another device may take it back.
                    ok(clEnqueueUnmapMemObject(other, object, at, 0, null(), &mut event));
                }
            }
        }
        release(last.replace(event));
    }
    ok(wait(last.as_slice()));
    release(last);
    for queue in &world.queues {
        assert_eq!(read::<u32>(*queue, mem, N), expected);
    }
    release([step, combine]);
    release(parts);
    mem.release();
    world.end();
}

#[test]
fn every_device_sees_what_others_wrote() {
    const KINDS: [cl_mem_flags; 4] = [0, CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR];
    for (seed, flags) in KINDS.into_iter().enumerate() {
        random_commands(flags, 0, seed as u64);
        random_commands(flags, OUT_OF_ORDER, 100 + seed as u64);
    }
}

#[test]
fn devices_work_in_parts_at_the_same_time() {
    let world = World::new(0);
    let devices = world.devices.len();
    let size = 4096usize;
    let mut expected: Vec<u32> = vec![1; size * devices];
    let mem = world.rig.buffer(&expected);
    let parts: Vec<cl_mem> = (0..devices).map(|i| part(mem, 4 * i * size, 4 * size)).collect();
    let step = world.rig.kernel("step");
    for round in 0..20 {
        for (i, queue) in world.queues.iter().enumerate() {
            let at = (i + round) % devices;
            set(step, 0, parts[at]);
            set(step, 1, 3u32);
            set(step, 2, (round * 10 + i) as u32);
            launch(*queue, step, size, &[]).release();
            let range = &mut expected[at * size..(at + 1) * size];
            range.iter_mut().for_each(|v| *v = v.wrapping_mul(3).wrapping_add((round * 10 + i) as u32));
        }
        world.queues.iter().for_each(|q| finish(*q));
    }
    assert_eq!(read::<u32>(world.queues[0], mem, size * devices), expected);
    step.release();
    release(parts);
    mem.release();
    world.end();
}

#[test]
fn events_reach_across_devices() {
    for properties in [0, OUT_OF_ORDER] {
        let world = World::new(properties);
        let queue = |i: usize| world.queues[i % world.queues.len()];
        let (gate, failing) = (world.rig.gate(), world.rig.gate());
        // Chains that go around, held by an event of the application.
        let chain = |first: cl_event| -> Vec<cl_event> {
            let mut list: Vec<cl_event> = Vec::new();
            for i in 0..50 {
                list.push(marker(queue(i), &[list.last().copied().unwrap_or(first)]));
            }
            list
        };
        // In queues that keep the order, what fails would hold up nothing, but what is held holds up the rest.
        let (held, failed) = (chain(gate), chain(failing));
        // SAFETY: live handles.
        world.queues.iter().for_each(|q| ok(unsafe { clFlush(*q) }));
        assert_eq!(status(held[49]), CL_QUEUED);
        open_gate(failing, -9);
        open_gate(gate, CL_COMPLETE);
        world.queues.iter().for_each(|q| finish(*q));
        assert!(held.iter().all(|e| status(*e) == CL_COMPLETE));
        assert!(failed.iter().all(|e| status(*e) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST));
        release(held.into_iter().chain(failed).chain([gate, failing]));
        world.end();
    }
}

#[test]
fn every_device_has_its_program_scope_variables() {
    let world = World::new(0);
    let counting = program(
        world.rig.context,
        "global uint calls; kernel void count(global uint *p) { p[0] = ++calls; }",
    );
    // SAFETY: terminated options.
    ok(unsafe { clBuildProgram(counting, 0, null(), c"-cl-std=CL3.0".as_ptr(), None, null_mut()) });
    let (mem, count) = (world.rig.buffer(&[0u32]), Rig { program: counting, ..world.rig }.kernel("count"));
    set(count, 0, mem);
    for round in 1..4u32 {
        for queue in &world.queues {
            launch(*queue, count, 1, &[]).release();
            assert_eq!(read::<u32>(*queue, mem, 1), [round]);
        }
    }
    count.release();
    counting.release();
    mem.release();
    world.end();
}

#[test]
fn command_buffers_take_turns_with_other_devices() {
    let world = World::new(0);
    let (mem, step) = (world.rig.buffer(&[1u32; N]), world.rig.kernel("step"));
    let halves = [part(mem, 0, BYTES / 2), part(mem, BYTES / 2, BYTES / 2)];
    let mut code = 1;
    let size = N / 2;
    // A buffer for each device; the second half is changed twice.
    let recorded: Vec<cl_command_buffer_khr> = world
        .queues
        .iter()
        .map(|queue| {
            // SAFETY: live handles.
            unsafe {
                let commands = clCreateCommandBufferKHR(1, queue, null(), &mut code);
                ok(code);
                for (i, half) in [halves[0], halves[1], halves[1]].into_iter().enumerate() {
                    set(step, 0, half);
                    set(step, 1, 3u32);
                    set(step, 2, i as u32);
                    let (none, first) = (null_mut(), null_mut());
                    ok(clCommandNDRangeKernelKHR(
                        commands,
                        null_mut(),
                        null(),
                        step,
                        1,
                        null(),
                        &size,
                        null(),
                        0,
                        null(),
                        none,
                        first,
                    ));
                }
                ok(clFinalizeCommandBufferKHR(commands));
                commands
            }
        })
        .collect();
    let mut expected = vec![1u32; N];
    let mut last: Option<cl_event> = None;
    for round in 0..30 {
        let (i, mut event) = (round % recorded.len(), null_mut());
        let (n, list) = (last.iter().len() as u32, last.as_ref().map_or(null(), |e| &raw const *e));
        // SAFETY: live handles.
        ok(unsafe { clEnqueueCommandBufferKHR(0, null_mut(), recorded[i], n, list, &mut event) });
        release(last.replace(event));
        expected[..N / 2].iter_mut().for_each(|v| *v = v.wrapping_mul(3));
        expected[N / 2..]
            .iter_mut()
            .for_each(|v| *v = v.wrapping_mul(3).wrapping_add(1).wrapping_mul(3).wrapping_add(2));
    }
    ok(wait(last.as_slice()));
    release(last);
    world.queues.iter().for_each(|queue| assert_eq!(read::<u32>(*queue, mem, N), expected));
    // A queue of another device cannot take the place of that which a buffer was made for.
    let other = &world.queues[1];
    // SAFETY: live handles.
    let refused = unsafe { clEnqueueCommandBufferKHR(1, other, recorded[0], 0, null(), null_mut()) };
    assert_eq!(refused, CL_INVALID_DEVICE);
    // SAFETY: a live handle, released once each.
    recorded.iter().for_each(|r| ok(unsafe { clReleaseCommandBufferKHR(*r) }));
    release(halves);
    step.release();
    mem.release();
    world.end();
}

/// Memory that the host and every device know by one address; where devices have addresses of their own, only one of them
/// can give its.
#[test]
fn shared_memory_of_several_devices() {
    let world = World::new(0);
    let of = |device: &cl_device_id| number(&device_info(*device, CL_DEVICE_SVM_CAPABILITIES).unwrap());
    let with_system = world.devices.iter().filter(|d| of(d) & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0).count();
    if with_system < world.devices.len() {
        eprintln!("skipped: {with_system} of {} devices use the addresses of the host", world.devices.len());
        return world.end();
    }
    let step = world.rig.kernel("step");
    for flags in [0, CL_MEM_SVM_FINE_GRAIN_BUFFER] {
        let mut expected: Vec<u32> = (0..N as u32).collect();
        // SAFETY: live handles; the memory has the size and is not used by the host while a device does.
        unsafe {
            let at = clSVMAlloc(world.rig.context, flags, BYTES, 0).cast::<u32>();
            assert!(!at.is_null());
            ok(clEnqueueSVMMemcpy(
                world.queues[0],
                1,
                at.cast(),
                expected.as_ptr().cast(),
                BYTES,
                0,
                null(),
                null_mut(),
            ));
            ok(clSetKernelArgSVMPointer(step, 0, at.cast()));
            for round in 0..9u32 {
                let queue = world.queues[round as usize % world.queues.len()];
                set(step, 1, 3u32);
                set(step, 2, round);
                launch(queue, step, N, &[]).release();
                ok(clEnqueueSVMMap(
                    queue,
                    1,
                    CL_MAP_READ | CL_MAP_WRITE,
                    at.cast(),
                    BYTES,
                    0,
                    null(),
                    null_mut(),
                ));
                expected.iter_mut().for_each(|v| *v = v.wrapping_mul(3).wrapping_add(round));
                let seen = std::slice::from_raw_parts_mut(at, N);
                assert_eq!(seen, expected);
                (seen[round as usize], expected[round as usize]) = (77, 77);
                ok(clEnqueueSVMUnmap(queue, at.cast(), 0, null(), null_mut()));
                finish(queue);
            }
            clSVMFree(world.rig.context, at.cast());
        }
    }
    step.release();
    world.end();
}

fn program(context: cl_context, source: &str) -> cl_program {
    let (mut text, length, mut code) = (source.as_ptr().cast::<c_char>(), source.len(), 1);
    // SAFETY: one string with its length.
    let program = unsafe { clCreateProgramWithSource(context, 1, &mut text, &length, &mut code) };
    ok(code);
    program
}

/// A program is built for the devices that are named, and a kernel is one of those.
#[test]
fn programs_of_some_devices() {
    let world = World::new(0);
    let (first, second, context) = (world.devices[0], world.devices[1], world.rig.context);
    let (mut code, size, null_event) = (1, 1usize, null_mut());
    // SAFETY: live handles; counts agree with lists.
    unsafe {
        let program = program(context, STEPS);
        ok(clBuildProgram(program, 1, &first, null(), None, null_mut()));
        let status = |device| {
            let answer = query_bytes(|s, v, r| {
                clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, s, v, r)
            });
            answer.map(|b| number(&b) as i32)
        };
        assert_eq!((status(first), status(second)), (Ok(CL_BUILD_SUCCESS), Ok(CL_BUILD_NONE)));
        let count =
            query_bytes(|s, v, r| clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, s, v, r)).unwrap();
        assert_eq!(number(&count), world.devices.len() as u64);
        let sizes =
            query_bytes(|s, v, r| clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, s, v, r)).unwrap();
        let sizes: Vec<u64> = sizes.chunks(8).map(number).collect();
        assert!(sizes[0] > 0 && sizes[1..].iter().all(|s| *s == 0), "{sizes:?}");
        let kernel = clCreateKernel(program, c"step".as_ptr(), &mut code);
        ok(code);
        let mem = world.rig.buffer(&[0u32]);
        set(kernel, 0, mem);
        set(kernel, 1, 1u32);
        set(kernel, 2, 1u32);
        let launch =
            |queue| clEnqueueNDRangeKernel(queue, kernel, 1, null(), &size, null(), 0, null(), null_event);
        ok(launch(world.queues[0]));
        finish(world.queues[0]);
        assert_eq!(launch(world.queues[1]), CL_INVALID_PROGRAM_EXECUTABLE);
        assert_eq!(
            clEnqueueTask(world.queues[1], kernel, 0, null(), null_event),
            CL_INVALID_PROGRAM_EXECUTABLE
        );
        type Suggest = unsafe extern "C" fn(
            cl_command_queue,
            cl_kernel,
            cl_uint,
            *const usize,
            *const usize,
            *mut usize,
        ) -> cl_int;
        let suggest: Suggest = extension::extension("clGetKernelSuggestedLocalWorkSizeKHR");
        let mut local = 0usize;
        assert_eq!(
            suggest(world.queues[1], kernel, 1, null(), &size, &mut local),
            CL_INVALID_PROGRAM_EXECUTABLE
        );
        ok(suggest(world.queues[0], kernel, 1, null(), &size, &mut local));
        assert_eq!(local, 1);
        // A binary for one device, one for another, and one that does not fit.
        let mut binary = vec![0u8; sizes[0] as usize];
        let mut places = vec![null_mut(); world.devices.len()];
        places[0] = binary.as_mut_ptr();
        ok(clGetProgramInfo(
            program,
            CL_PROGRAM_BINARIES,
            8 * places.len(),
            places.as_mut_ptr().cast(),
            null_mut(),
        ));
        let (length, mut bytes) = (binary.len(), binary.as_ptr());
        let loaded =
            clCreateProgramWithBinary(context, 1, &first, &length, &mut bytes, null_mut(), &mut code);
        ok(code);
        ok(clBuildProgram(loaded, 0, null(), null(), None, null_mut()));
        assert_eq!(clBuildProgram(loaded, 1, &second, null(), None, null_mut()), CL_INVALID_DEVICE);
        loaded.release();
        kernel.release();
        program.release();
        mem.release();
    }
    world.end();
}

/// Queries of kernels name a device where there are several.
#[test]
fn kernels_of_several_devices() {
    let world = World::new(0);
    let kernel = world.rig.kernel("step");
    let local = [8usize];
    let of_groups = |device, name| {
        // SAFETY: `query_bytes` passes buffers of the size it says.
        query_bytes(|s, v, r| unsafe { clGetKernelWorkGroupInfo(kernel, device, name, s, v, r) })
    };
    let of_sub_groups = |device| {
        let name = CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE;
        let mut answer = 0usize;
        let room = (&raw mut answer).cast();
        // SAFETY: one size goes in, one comes out.
        unsafe {
            clGetKernelSubGroupInfo(kernel, device, name, 8, local.as_ptr().cast(), 8, room, null_mut())
        }
    };
    assert_eq!(of_groups(null_mut(), CL_KERNEL_WORK_GROUP_SIZE), Err(CL_INVALID_DEVICE));
    assert_eq!(of_sub_groups(null_mut()), CL_INVALID_DEVICE);
    for device in &world.devices {
        let size = number(&of_groups(*device, CL_KERNEL_WORK_GROUP_SIZE).unwrap());
        assert!(size >= 1 && size <= number(&device_info(*device, CL_DEVICE_MAX_WORK_GROUP_SIZE).unwrap()));
        ok(of_sub_groups(*device));
    }
    kernel.release();
    world.end();
}

/// Devices that do not belong to the context.
#[test]
fn devices_of_other_contexts() {
    ready();
    let (one, other) = (devices()[0], devices()[1]);
    let rig = Rig::new(STEPS);
    let (context, mut code) = (rig.context, 1);
    // SAFETY: live handles; counts agree with lists; lists are terminated.
    unsafe {
        assert!(clCreateCommandQueue(context, other, 0, &mut code).is_null());
        assert_eq!(code, CL_INVALID_DEVICE);
        assert!(clCreateCommandQueueWithProperties(context, other, null(), &mut code).is_null());
        assert_eq!(code, CL_INVALID_DEVICE);
        let program = program(context, STEPS);
        for call in [
            clBuildProgram(program, 1, &other, null(), None, null_mut()),
            clCompileProgram(program, 1, &other, null(), 0, null(), null_mut(), None, null_mut()),
            clGetProgramBuildInfo(program, other, CL_PROGRAM_BUILD_STATUS, 0, null_mut(), null_mut()),
        ] {
            assert_eq!(call, CL_INVALID_DEVICE);
        }
        ok(clCompileProgram(program, 1, &one, null(), 0, null(), null_mut(), None, null_mut()));
        assert!(
            clLinkProgram(context, 1, &other, null(), 1, &program, None, null_mut(), &mut code).is_null()
        );
        assert_eq!(code, CL_INVALID_DEVICE);
        let names = c"nothing".as_ptr();
        assert!(clCreateProgramWithBuiltInKernels(context, 1, &other, names, &mut code).is_null());
        assert_eq!(code, CL_INVALID_DEVICE);
        let (bytes, length) = ([0u8; 4], 4usize);
        let mut start = bytes.as_ptr();
        assert!(
            clCreateProgramWithBinary(context, 1, &other, &length, &mut start, null_mut(), &mut code)
                .is_null()
        );
        assert_eq!(code, CL_INVALID_DEVICE);
        let kernel = rig.kernel("step");
        let info =
            clGetKernelWorkGroupInfo(kernel, other, CL_KERNEL_WORK_GROUP_SIZE, 0, null_mut(), null_mut());
        assert_eq!(info, CL_INVALID_DEVICE);
        assert_eq!(clSetDefaultDeviceCommandQueue(context, other, null_mut()), CL_INVALID_DEVICE);
        // A header's program is of the same context.
        let foreign = Rig::new(STEPS);
        let (header, name) = (self::program(foreign.context, "int x;"), CString::new("x.h").unwrap());
        let (headers, names) = ([header], [name.as_ptr()]);
        let compiled = clCompileProgram(
            program,
            0,
            null(),
            null(),
            1,
            headers.as_ptr(),
            names.as_ptr().cast_mut(),
            None,
            null_mut(),
        );
        assert_eq!(compiled, CL_INVALID_CONTEXT);
        release([header, foreign.program]);
        kernel.release();
        program.release();
        foreign.context.release();
    }
    rig.program.release();
    rig.context.release();
}

/// What is written to a mapping stays, whoever wrote to the image before.
#[test]
fn mapped_images_in_buffers() {
    let world = World::new(0);
    let has = |at: &usize| number(&device_info(world.devices[*at], CL_DEVICE_IMAGE_SUPPORT).unwrap()) != 0;
    let queues: Vec<cl_command_queue> =
        (0..world.devices.len()).filter(has).map(|at| world.queues[at]).collect();
    let [one, other, ..] = queues[..] else {
        eprintln!("skipped: {} devices have images", queues.len());
        return world.end();
    };
    let format = cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNSIGNED_INT32 };
    let (mut code, color, words) = (1, [8u32; 4], 16 * 8 * 4);
    let (origin, region, mut pitch) = ([0usize; 3], [16usize, 8, 1], 0);
    // SAFETY: live handles; the mapping has eight rows of 256 bytes.
    unsafe {
        let mem = world.rig.buffer(&vec![1u32; words]);
        let mut desc: cl_image_desc = std::mem::zeroed();
        (desc.image_type, desc.image_width, desc.image_height, desc.image_row_pitch) =
            (CL_MEM_OBJECT_IMAGE2D, 16, 8, 256);
        desc.mem_object = mem;
        let image = clCreateImage(world.rig.context, 0, &format, &desc, null_mut(), &mut code);
        ok(code);
        for (round, flags) in [CL_MAP_WRITE_INVALIDATE_REGION, CL_MAP_WRITE].into_iter().enumerate() {
            ok(clEnqueueFillImage(
                other,
                image,
                color.as_ptr().cast(),
                origin.as_ptr(),
                region.as_ptr(),
                0,
                null(),
                null_mut(),
            ));
            finish(other);
            let at = clEnqueueMapImage(
                one,
                image,
                1,
                flags,
                origin.as_ptr(),
                region.as_ptr(),
                &mut pitch,
                null_mut(),
                0,
                null(),
                null_mut(),
                &mut code,
            );
            ok(code);
            for row in 0..8 {
                std::slice::from_raw_parts_mut(at.byte_add(row * pitch).cast::<u32>(), 64)
                    .fill(round as u32 + row as u32);
            }
            ok(clEnqueueUnmapMemObject([one, other][round], image, at, 0, null(), null_mut()));
            finish([one, other][round]);
            let expected: Vec<u32> = (0..words as u32).map(|i| round as u32 + i / 64).collect();
            assert_eq!(read::<u32>(other, mem, words), expected);
        }
        image.release();
        mem.release();
    }
    world.end();
}

/// Images of every type, with and without levels of detail, have what any device has written to them last.
#[test]
fn images_with_their_levels() {
    let world = World::new(0);
    let has = |at: &usize| {
        let extensions = text(&device_info(world.devices[*at], CL_DEVICE_EXTENSIONS).unwrap());
        extensions.split(' ').any(|e| e == "cl_khr_mipmap_image")
    };
    let queues: Vec<cl_command_queue> =
        (0..world.devices.len()).filter(has).map(|at| world.queues[at]).collect();
    if queues.len() < 2 {
        eprintln!("skipped: {} devices have images with levels", queues.len());
        return world.end();
    }
    // The axes that become smaller from level to level; behind them the layers.
    let kinds = [
        (CL_MEM_OBJECT_IMAGE1D, [40usize, 1, 1], 1),
        (CL_MEM_OBJECT_IMAGE1D_ARRAY, [40, 3, 1], 1),
        (CL_MEM_OBJECT_IMAGE2D, [20, 9, 1], 2),
        (CL_MEM_OBJECT_IMAGE2D_ARRAY, [20, 9, 3], 2),
        (CL_MEM_OBJECT_IMAGE3D, [12, 10, 9], 3),
    ];
    let format = cl_image_format { image_channel_order: CL_R, image_channel_data_type: CL_UNSIGNED_INT32 };
    let mut random = Random(11);
    for (kind, size, axes) in kinds {
        for levels in [0usize, 3] {
            // SAFETY: plain numbers and pointers.
            let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
            (desc.image_type, desc.image_width, desc.image_height, desc.image_depth) =
                (kind, size[0], size[1], size[2]);
            (desc.image_array_size, desc.num_mip_levels) = (size[axes.min(2)], levels as u32);
            let mut code = 1;
            // SAFETY: a live context, no host pointer.
            let image = unsafe { clCreateImage(world.rig.context, 0, &format, &desc, null_mut(), &mut code) };
            ok(code);
            let level_size =
                |level: usize| [0, 1, 2].map(|i| if i < axes { (size[i] >> level).max(1) } else { size[i] });
            let place = |at: [usize; 3], level: usize| {
                let (mut origin, index) = (
                    [at[0], at[1], at[2], 0],
                    if size[axes.min(2)] > 1 && axes < 3 { axes + 1 } else { axes },
                );
                if levels > 0 {
                    origin[index] = level;
                }
                origin
            };
            let mut model: Vec<Vec<u32>> =
                (0..levels.max(1)).map(|l| vec![0; level_size(l).iter().product()]).collect();
            for step in 0..60 {
                let level = if step < model.len() { step } else { random.below(model.len()) };
                let all = level_size(level);
                // Everything first: what nobody has written is undefined.
                let whole = step < model.len();
                let at = all.map(|n| if whole { 0 } else { random.below(n) });
                let region = [0, 1, 2].map(|i| if whole { all[i] } else { 1 + random.below(all[i] - at[i]) });
                let new: Vec<u32> = match random.below(2) {
                    0 => vec![step as u32 * 7 + 1; region.iter().product()],
                    _ => (0..region.iter().product::<usize>()).map(|i| (step * 1000 + i) as u32).collect(),
                };
                for (i, value) in new.iter().enumerate() {
                    let [x, y, z] = [i % region[0], i / region[0] % region[1], i / region[0] / region[1]];
                    model[level][((at[2] + z) * all[1] + at[1] + y) * all[0] + at[0] + x] = *value;
                }
                let (origin, queue) = (place(at, level), queues[random.below(queues.len())]);
                // SAFETY: live handles; memory of the region's size until the command is done; a colour of four components.
                unsafe {
                    if new.iter().all(|v| *v == new[0]) {
                        let color = [new[0]; 4];
                        let color = color.as_ptr().cast();
                        ok(clEnqueueFillImage(
                            queue,
                            image,
                            color,
                            origin.as_ptr(),
                            region.as_ptr(),
                            0,
                            null(),
                            null_mut(),
                        ));
                    } else {
                        let data = new.as_ptr().cast();
                        let (origin, region) = (origin.as_ptr(), region.as_ptr());
                        ok(clEnqueueWriteImage(
                            queue,
                            image,
                            0,
                            origin,
                            region,
                            0,
                            0,
                            data,
                            0,
                            null(),
                            null_mut(),
                        ));
                    }
                }
                finish(queue);
                let (level, queue) =
                    (random.below((step + 1).min(model.len())), queues[random.below(queues.len())]);
                let (mut seen, all) = (vec![0u32; model[level].len()], level_size(level));
                let (origin, data) = (place([0; 3], level), seen.as_mut_ptr().cast());
                // SAFETY: live handles; memory of the level's size.
                ok(unsafe {
                    clEnqueueReadImage(
                        queue,
                        image,
                        1,
                        origin.as_ptr(),
                        all.as_ptr(),
                        0,
                        0,
                        data,
                        0,
                        null(),
                        null_mut(),
                    )
                });
                assert!(seen == model[level], "{kind:#x} with {levels} levels, step {step}, level {level}");
            }
            image.release();
        }
    }
    world.end();
}

/// Images are for the devices that have them.
#[test]
fn images_of_some_devices() {
    let world = World::new(0);
    let has = |device: &cl_device_id| number(&device_info(*device, CL_DEVICE_IMAGE_SUPPORT).unwrap()) != 0;
    let format = cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNSIGNED_INT32 };
    let (mut code, size) = (1, [16usize, 8, 1]);
    let texels: Vec<u32> = (0..16 * 8 * 4).collect();
    if !world.devices.iter().any(has) {
        eprintln!("skipped: no device has images");
        return world.end();
    }
    // SAFETY: live handles; memory of the image's size.
    unsafe {
        let flags = CL_MEM_COPY_HOST_PTR;
        let image = clCreateImage2D(
            world.rig.context,
            flags,
            &format,
            16,
            8,
            0,
            texels.as_ptr().cast_mut().cast(),
            &mut code,
        );
        ok(code);
        let mut last = [1u32; 4];
        let mut expected = texels.clone();
        for round in 0..6 {
            for (queue, device) in world.queues.iter().zip(&world.devices) {
                let (mut seen, origin, one) =
                    (vec![0u32; texels.len()], [round, round, 0usize], [1usize, 1, 1]);
                let read = clEnqueueReadImage(
                    *queue,
                    image,
                    1,
                    [0; 3].as_ptr(),
                    size.as_ptr(),
                    0,
                    0,
                    seen.as_mut_ptr().cast(),
                    0,
                    null(),
                    null_mut(),
                );
                let color = last.as_ptr().cast();
                let fill = clEnqueueFillImage(
                    *queue,
                    image,
                    color,
                    origin.as_ptr(),
                    one.as_ptr(),
                    0,
                    null(),
                    null_mut(),
                );
                if !has(device) {
                    assert_eq!((read, fill), (CL_INVALID_OPERATION, CL_INVALID_OPERATION));
                    continue;
                }
                assert_eq!((read, fill), (CL_SUCCESS, CL_SUCCESS));
                assert_eq!(seen, expected);
                let at = (round * 16 + round) * 4;
                expected[at..at + 4].copy_from_slice(&last);
                finish(*queue);
                last = last.map(|v| v * 3 + 1);
            }
        }
        image.release();
    }
    // A context of a device without images has none.
    if let Some(device) = world.devices.iter().find(|d| !has(d)) {
        // SAFETY: as above; lists are terminated.
        unsafe {
            let context = clCreateContext(null(), 1, device, None, null_mut(), &mut code);
            ok(code);
            assert!(clCreateImage2D(context, 0, &format, 16, 8, 0, null_mut(), &mut code).is_null());
            assert_eq!(code, CL_INVALID_OPERATION);
            assert!(clCreateImage3D(context, 0, &format, 16, 8, 2, 0, 0, null_mut(), &mut code).is_null());
            assert_eq!(code, CL_INVALID_OPERATION);
            let mut desc: cl_image_desc = std::mem::zeroed();
            (desc.image_type, desc.image_width, desc.image_height) = (CL_MEM_OBJECT_IMAGE2D, 16, 8);
            assert!(clCreateImage(context, 0, &format, &desc, null_mut(), &mut code).is_null());
            assert_eq!(code, CL_INVALID_OPERATION);
            assert!(clCreateSampler(context, 0, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &mut code).is_null());
            assert_eq!(code, CL_INVALID_OPERATION);
            assert!(clCreateSamplerWithProperties(context, null(), &mut code).is_null());
            assert_eq!(code, CL_INVALID_OPERATION);
            context.release();
        }
    }
    world.end();
}
