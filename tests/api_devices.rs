//! Several devices in one context: the software device twice, where there is one, and the processor. Results
//! on buffers, programs, events and command buffers must not depend on the device that computes them.

#![allow(clippy::unwrap_used)]

use std::ffi::CString;
use std::ptr::{null, null_mut};
use test_support::api::command_buffer::*;
use test_support::api::devices::*;
use test_support::api::model::*;
use test_support::api::rig::*;
use test_support::api::*;
use test_support::skipped;

const N: usize = WORDS;
const BYTES: usize = 4 * N;

/// Random commands on a buffer, on random devices.
struct Commands {
    world: World,
    model: Model,
    step: cl_kernel,
    combine: cl_kernel,
}

impl Commands {
    /// Enqueues a random command and returns its event, if there is something to do.
    fn enqueue(&mut self, random: &mut Random, round: u32) -> Option<cl_event> {
        let operand = self.model.operand(random, &self.world.queues);
        Some(match random.below(9) {
            0 | 1 => self.run_step(&operand, round),
            2 => return self.run_combine(operand.queue, random),
            3 => self.model.write(&operand, round),
            4 => self.model.read(&operand, round),
            5 => self.model.fill(&operand, round),
            6 => self.copy(&operand),
            7 => self.migrate(&operand, [CL_MIGRATE_MEM_OBJECT_HOST, 0][random.below(2)]),
            _ => {
                let all = random.below(3) == 0;
                let flags = if all { CL_MAP_WRITE_INVALIDATE_REGION } else { CL_MAP_READ | CL_MAP_WRITE };
                // Another device may unmap it.
                let other = self.world.queues[random.below(self.world.queues.len())];
                self.model.map(&operand, flags, other, |v| v.rotate_left(3), round)
            }
        })
    }

    fn run_step(&mut self, operand: &Operand, round: u32) -> cl_event {
        set(self.step, 0, operand.object);
        set(self.step, 1, 5u32);
        set(self.step, 2, round);
        let words = &mut self.model.expected[operand.object_words()];
        words.iter_mut().for_each(|v| *v = v.wrapping_mul(5).wrapping_add(round));
        self.model.launch(operand, self.step)
    }

    /// Combines a random part with another one, if both differ.
    fn run_combine(&mut self, queue: cl_command_queue, random: &mut Random) -> Option<cl_event> {
        let (to, from) = (random.below(PARTS), random.below(PARTS));
        if to == from {
            return None;
        }
        set(self.combine, 0, self.model.parts[to]);
        set(self.combine, 1, self.model.parts[from]);
        for i in 0..N / PARTS {
            let add = self.model.expected[from * N / PARTS + i];
            let value = &mut self.model.expected[to * N / PARTS + i];
            *value = value.wrapping_mul(3).wrapping_add(add);
        }
        Some(launch(queue, self.combine, N / PARTS, self.model.last.as_slice()))
    }

    /// Copies the first half of the object to the second one.
    fn copy(&mut self, operand: &Operand) -> cl_event {
        let ((n, list), mut event) = (self.model.waits(), null_mut());
        let (queue, object, start, half) = (operand.queue, operand.object, operand.start, operand.count / 2);
        let size = 4 * half;
        // SAFETY: live handles; ranges within the object.
        ok(unsafe { clEnqueueCopyBuffer(queue, object, object, 0, size, size, n, list, &mut event) });
        self.model.expected.copy_within(start..start + half, start + half);
        event
    }

    fn migrate(&self, operand: &Operand, flags: cl_mem_migration_flags) -> cl_event {
        let ((n, list), mut event) = (self.model.waits(), null_mut());
        // SAFETY: live handles; one object.
        ok(unsafe {
            clEnqueueMigrateMemObjects(operand.queue, 1, &operand.object, flags, n, list, &mut event)
        });
        event
    }
}

/// Random commands on random devices, each after the previous one; the host computes the same.
fn random_commands(flags: cl_mem_flags, properties: cl_command_queue_properties, seed: u64) {
    let (world, mut random, mut storage) = (World::new(properties), Random(seed), storage());
    let model = Model::new(world.rig.context, flags, world.queues[0], &mut storage);
    let (step, combine) = (world.rig.kernel("step"), world.rig.kernel("combine"));
    let mut commands = Commands { world, model, step, combine };
    for round in 0..150 {
        if let Some(event) = commands.enqueue(&mut random, round) {
            commands.model.advance(event);
        }
    }
    commands.model.end(&commands.world.queues);
    release([step, combine]);
    commands.world.end();
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
        // Chains across all queues, held by a user event of the application.
        let chain = |first: cl_event| -> Vec<cl_event> {
            let mut list: Vec<cl_event> = Vec::new();
            for i in 0..50 {
                list.push(marker(queue(i), &[list.last().copied().unwrap_or(first)]));
            }
            list
        };
        // In an in-order queue a failed command holds up nothing, but a waiting one holds up the rest.
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
    let counting = program_of(
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
    // CL_INVALID_DEVICE: the replacement queue belongs to another device.
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

/// Memory at one address for the host and every device. Among devices with addresses of their own, only one
/// can share its address.
#[test]
fn shared_memory_of_several_devices() {
    let world = World::new(0);
    let of = |device: &cl_device_id| number(&device_info(*device, CL_DEVICE_SVM_CAPABILITIES).unwrap());
    let with_system = world.devices.iter().filter(|d| of(d) & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0).count();
    if with_system < world.devices.len() {
        skipped::because(&format!(
            "{with_system} of {} devices use the addresses of the host",
            world.devices.len()
        ));
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

/// A program is built for the named devices, and its kernels run on these only.
#[test]
fn programs_of_some_devices() {
    let world = World::new(0);
    let (first, second, context) = (world.devices[0], world.devices[1], world.rig.context);
    let (mut code, size, null_event) = (1, 1usize, null_mut());
    // SAFETY: live handles; counts agree with lists.
    unsafe {
        let program = program_of(context, STEPS);
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
        // A binary is accepted for its device, and rejected for another one.
        let mut binary = vec![0u8; sizes[0] as usize];
        let mut binaries = vec![null_mut(); world.devices.len()];
        binaries[0] = binary.as_mut_ptr();
        ok(clGetProgramInfo(
            program,
            CL_PROGRAM_BINARIES,
            8 * binaries.len(),
            binaries.as_mut_ptr().cast(),
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

/// Kernel queries must name a device of a program with several.
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

/// CL_INVALID_DEVICE: the device does not belong to the context.
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
        let program = program_of(context, STEPS);
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
        // CL_INVALID_CONTEXT: a header's program belongs to another context.
        let foreign = Rig::new(STEPS);
        let (header, name) = (program_of(foreign.context, "int x;"), CString::new("x.h").unwrap());
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
