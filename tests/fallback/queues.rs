//! Order of commands: a launch that falls back behaves like any other command.

use super::*;
use test_support::api::command_buffer::*;

const N: usize = 300;

fn numbers() -> Vec<f32> {
    (0..N).map(|i| i as f32).collect()
}

/// The kernels with their arguments after the buffer.
fn kernels(rig: &Rig) -> (cl_kernel, cl_kernel) {
    let (scale, precise) = (rig.kernel("scale"), rig.kernel("precise"));
    set(scale, 1, 2.0f32);
    set(precise, 1, 3.0f64);
    set(precise, 2, 0.25f64);
    (scale, precise)
}

fn after(values: &[f32], steps: &str) -> Vec<f32> {
    let step = |v: f32, s| if s == 's' { v * 2.0 } else { (f64::from(v) * 3.0 + 0.25) as f32 };
    values.iter().map(|v| steps.chars().fold(*v, step)).collect()
}

/// Between kernels of the device, with and without events, in one queue and in two that wait for each other.
pub fn in_order() {
    let rig = rig();
    assert!(falls_back(&rig, "precise") && !falls_back(&rig, "scale"));
    let (scale, precise) = kernels(&rig);
    let (queue, other) = (rig.queue(0), rig.queue(0));
    let mem = rig.buffer(&numbers());
    set(scale, 0, mem);
    set(precise, 0, mem);
    for kernel in [scale, precise, precise, scale, precise, scale] {
        launch(queue, kernel, N, &[]).release();
    }
    assert_eq!(read::<f32>(queue, mem, N), after(&numbers(), "sppsps"));
    // The user event holds back all commands.
    let gate = rig.gate();
    let first = launch(queue, precise, N, &[gate]);
    let second = launch(queue, scale, N, &[]);
    let third = launch(other, precise, N, &[second]);
    let fourth = launch(queue, scale, N, &[third]);
    assert_eq!(status(first), CL_QUEUED);
    open_gate(gate, CL_COMPLETE);
    assert_eq!(wait(&[fourth]), CL_SUCCESS);
    assert!([first, second, third, fourth].iter().all(|e| status(*e) == CL_COMPLETE));
    assert_eq!(read::<f32>(queue, mem, N), after(&numbers(), "sppspspsps"));
    release([gate, first, second, third, fourth]);
    // 64-bit atomics of many work-items.
    let count = rig.kernel("count");
    let total = rig.buffer(&[7u64]);
    set(count, 0, total);
    set(count, 1, 5u32);
    launch(queue, count, 1000, &[]).release();
    assert_eq!(read::<u64>(queue, total, 1), [7 + (5000 << 30)]);
    release([mem, total]);
}

/// Wait lists, barriers and independent commands.
pub fn out_of_order() {
    let rig = rig();
    let (scale, precise) = kernels(&rig);
    let queue = rig.queue(OUT_OF_ORDER);
    let (a, b) = (rig.buffer(&numbers()), rig.buffer(&numbers()));
    let run = |kernel, mem: cl_mem, waits: &[cl_event]| {
        set(kernel, 0, mem);
        launch(queue, kernel, N, waits)
    };
    let gate = rig.gate();
    let a1 = run(precise, a, &[gate]);
    let a2 = run(scale, a, &[a1]);
    let a3 = run(precise, a, &[a2]);
    // Commands of the other buffer do not depend on these.
    let b1 = run(scale, b, &[]);
    let b2 = run(precise, b, &[b1]);
    assert_eq!(wait(&[b2]), CL_SUCCESS);
    assert_eq!(status(a1), CL_QUEUED);
    open_gate(gate, CL_COMPLETE);
    // SAFETY: a live queue.
    ok(unsafe { clEnqueueBarrierWithWaitList(queue, 0, null(), null_mut()) });
    let combine = rig.kernel("combine");
    set(combine, 0, a);
    set(combine, 1, b);
    let last = launch(queue, combine, N, &[]);
    assert_eq!(wait(&[last]), CL_SUCCESS);
    let sum: Vec<f32> =
        after(&numbers(), "psp").iter().zip(after(&numbers(), "sp")).map(|(a, b)| a + b * 0.5).collect();
    assert_eq!(read::<f32>(queue, a, N), sum);
    release([gate, a1, a2, a3, b1, b2, last]);
    release([a, b]);
}

/// The four profiling times of each command are in order.
pub fn profiling() {
    let rig = rig();
    let (scale, precise) = kernels(&rig);
    let queue = rig.queue(CL_QUEUE_PROFILING_ENABLE);
    let mem = rig.buffer(&numbers());
    set(scale, 0, mem);
    set(precise, 0, mem);
    let events = [scale, precise, scale, precise].map(|k| launch(queue, k, N, &[]));
    assert_eq!(wait(&events), CL_SUCCESS);
    for event in events {
        let times = times(event);
        assert!(times[0] > 0 && times.is_sorted(), "{times:?}");
        event.release();
    }
    mem.release();
}

/// A failure in the wait list fails the launch.
pub fn failures() {
    let rig = rig();
    let (scale, precise) = kernels(&rig);
    let queue = rig.queue(0);
    let mem = rig.buffer(&numbers());
    set(scale, 0, mem);
    set(precise, 0, mem);
    let gate = rig.gate();
    let first = launch(queue, precise, N, &[gate]);
    let second = launch(queue, scale, N, &[first]);
    open_gate(gate, CL_OUT_OF_RESOURCES);
    assert_eq!(wait(&[second]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_eq!(status(first), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_eq!(read::<f32>(queue, mem, N), numbers());
    // The usual checks of arguments apply.
    let unset = rig.kernel("precise");
    let size = N;
    // SAFETY: live handles; one dimension.
    let code =
        unsafe { clEnqueueNDRangeKernel(queue, unset, 1, null(), &size, null(), 0, null(), null_mut()) };
    assert_eq!(code, CL_INVALID_KERNEL_ARGS);
    let many = [128usize, 64];
    // SAFETY: as above; two dimensions.
    let code = unsafe {
        clEnqueueNDRangeKernel(queue, precise, 2, null(), many.as_ptr(), many.as_ptr(), 0, null(), null_mut())
    };
    assert_eq!(code, CL_INVALID_WORK_GROUP_SIZE);
    release([gate, first, second]);
    mem.release();
}

fn create(queue: cl_command_queue, properties: &[u64]) -> cl_command_buffer_khr {
    let list = if properties.is_empty() { null() } else { properties.as_ptr() };
    let mut code = 1;
    // SAFETY: one queue; the list is NULL or terminated.
    let buffer = unsafe { clCreateCommandBufferKHR(1, &queue, list, &mut code) };
    ok(code);
    buffer
}

fn record(
    buffer: cl_command_buffer_khr,
    kernel: cl_kernel,
    waits: &[u32],
) -> Result<(u32, cl_mutable_command_khr), cl_int> {
    let (mut point, mut handle, size) = (0, null_mut(), N);
    let (count, list) = (waits.len() as u32, if waits.is_empty() { null() } else { waits.as_ptr() });
    // SAFETY: live handles; one dimension.
    let code = unsafe {
        let (queue, none) = (null_mut(), null());
        clCommandNDRangeKernelKHR(
            buffer,
            queue,
            none,
            kernel,
            1,
            null(),
            &size,
            null(),
            count,
            list,
            &mut point,
            &mut handle,
        )
    };
    if code == CL_SUCCESS { Ok((point, handle)) } else { Err(code) }
}

fn replay(queue: cl_command_queue, buffer: cl_command_buffer_khr, waits: &[cl_event]) -> cl_event {
    let (count, list) = (waits.len() as u32, if waits.is_empty() { null() } else { waits.as_ptr() });
    let (mut event, number) = (null_mut(), u32::from(!queue.is_null()));
    // SAFETY: live handles.
    ok(unsafe { clEnqueueCommandBufferKHR(number, &queue, buffer, count, list, &mut event) });
    event
}

/// In a command buffer, launches keep their order among the device's commands.
pub fn command_buffers() {
    let rig = rig();
    let (scale, precise) = kernels(&rig);
    let (queue, mem, copy) =
        (rig.queue(CL_QUEUE_PROFILING_ENABLE), rig.buffer(&numbers()), rig.buffer(&[0f32; N]));
    set(scale, 0, mem);
    let buffer = create(queue, &[]);
    // The usual checks of arguments apply.
    assert_eq!(record(buffer, rig.kernel("precise"), &[]), Err(CL_INVALID_KERNEL_ARGS));
    set(precise, 0, mem);
    for kernel in [precise, scale, scale, precise, precise, scale] {
        record(buffer, kernel, &[]).unwrap();
    }
    // SAFETY: live handles.
    unsafe {
        let (none, points) = (null_mut(), null());
        ok(clCommandCopyBufferKHR(
            buffer,
            none,
            null(),
            mem,
            copy,
            0,
            0,
            N * 4,
            0,
            points,
            null_mut(),
            null_mut(),
        ));
        record(buffer, precise, &[]).unwrap();
        ok(clFinalizeCommandBufferKHR(buffer));
    }
    let once = "psspps";
    let mut steps = String::new();
    for _ in 0..3 {
        // The command buffer waits for its whole wait list, and has one event.
        let gate = rig.gate();
        let event = replay(queue, buffer, &[gate]);
        assert_eq!(status(event), CL_QUEUED);
        launch(queue, scale, N, &[]).release();
        open_gate(gate, CL_COMPLETE);
        steps += once;
        assert_eq!(read::<f32>(queue, copy, N), after(&numbers(), &steps));
        steps += "ps";
        assert_eq!(read::<f32>(queue, mem, N), after(&numbers(), &steps));
        assert_eq!(status(event), CL_COMPLETE);
        let names = [CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END];
        let times = names.map(|name| time(event, name));
        assert!(times[0] > 0 && times.is_sorted(), "{times:?}");
        release([gate, event]);
    }
    // A failure in the wait list fails the whole buffer.
    let gate = rig.gate();
    let event = replay(queue, buffer, &[gate]);
    open_gate(gate, CL_OUT_OF_RESOURCES);
    assert_eq!(wait(&[event]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_eq!(read::<f32>(queue, mem, N), after(&numbers(), &steps));
    // Releasing the buffer takes effect after its execution.
    let last = replay(queue, buffer, &[]);
    // SAFETY: a live handle.
    ok(unsafe { clReleaseCommandBufferKHR(buffer) });
    assert_eq!(wait(&[last]), CL_SUCCESS);
    assert_eq!(read::<f32>(queue, mem, N), after(&numbers(), &(steps + once + "p")));
    release([gate, event, last]);
    release([mem, copy]);
}

/// Updates, arguments set later, and queues ordered only by sync points and events.
pub fn command_buffer_updates() {
    let rig = rig();
    let (scale, precise) = kernels(&rig);
    let queue = rig.queue(OUT_OF_ORDER);
    let (a, b) = (rig.buffer(&numbers()), rig.buffer(&numbers()));
    set(scale, 0, a);
    set(precise, 0, a);
    let flags = CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR;
    let buffer = create(queue, &[u64::from(CL_COMMAND_BUFFER_FLAGS_KHR), flags, 0]);
    let (first, of_scale) = record(buffer, scale, &[]).unwrap();
    let (second, of_precise) = record(buffer, precise, &[first]).unwrap();
    record(buffer, scale, &[second]).unwrap();
    // SAFETY: a live handle.
    ok(unsafe { clFinalizeCommandBufferKHR(buffer) });
    let one = replay(queue, buffer, &[]);
    let update = |command, index, bytes: &[u8]| {
        let arg = cl_mutable_dispatch_arg_khr {
            arg_index: index,
            arg_size: bytes.len(),
            arg_value: bytes.as_ptr().cast(),
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
        let (ty, list) = (CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR, (&raw const config).cast());
        // SAFETY: one structure of the type.
        ok(unsafe { clUpdateMutableCommandsKHR(buffer, 1, &ty, &list) });
    };
    // Pending executions keep their state.
    update(of_precise, 2, &5.0f64.to_ne_bytes());
    update(of_scale, 1, &0.5f32.to_ne_bytes());
    let two = replay(queue, buffer, &[one]);
    update(of_precise, 0, &(b as usize).to_ne_bytes());
    let three = replay(queue, buffer, &[two]);
    assert_eq!(wait(&[three]), CL_SUCCESS);
    let values = after(&numbers(), "sps").into_iter().map(|v| (v * 0.5 * 3.0 + 5.0) * 2.0);
    assert_eq!(read::<f32>(queue, a, N), values.map(|v| v * 0.5 * 2.0).collect::<Vec<_>>());
    assert_eq!(read::<f32>(queue, b, N), numbers().iter().map(|v| v * 3.0 + 5.0).collect::<Vec<_>>());
    // SAFETY: a live handle.
    ok(unsafe { clReleaseCommandBufferKHR(buffer) });
    release([one, two, three]);
    release([a, b]);
}
