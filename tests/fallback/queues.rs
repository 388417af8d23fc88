//! Order: a launch that falls back is a command like every other.

use super::*;
use crate::common::command_buffer::*;

const N: usize = 300;

fn numbers() -> Vec<f32> {
    (0..N).map(|i| i as f32).collect()
}

/// The kernels with their arguments but the buffer's.
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

/// Between kernels of the device, with events and without, in one queue and in two that wait for each other.
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
    // Nothing begins before a user event says so.
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
    // The other buffer's commands wait for nothing of these.
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
    let sum: Vec<f32> = after(&numbers(), "psp").iter().zip(after(&numbers(), "sp")).map(|(a, b)| a + b * 0.5).collect();
    assert_eq!(read::<f32>(queue, a, N), sum);
    release([gate, a1, a2, a3, b1, b2, last]);
    release([a, b]);
}

/// The four times of each command are in order.
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
        let names =
            [CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END];
        let times = names.map(|name| {
            // SAFETY: `query_bytes` passes buffers of the size it says.
            number(&query_bytes(|s, v, r| unsafe { clGetEventProfilingInfo(event, name, s, v, r) }).unwrap())
        });
        assert!(times[0] > 0 && times.is_sorted(), "{times:?}");
        event.release();
    }
    mem.release();
}

/// What it waits for may fail, and then it does.
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
    // Arguments are checked as for every launch.
    let unset = rig.kernel("precise");
    let size = N;
    // SAFETY: live handles; one dimension.
    let code = unsafe { clEnqueueNDRangeKernel(queue, unset, 1, null(), &size, null(), 0, null(), null_mut()) };
    assert_eq!(code, CL_INVALID_KERNEL_ARGS);
    let many = [128usize, 64];
    // SAFETY: as above; two dimensions.
    let code = unsafe { clEnqueueNDRangeKernel(queue, precise, 2, null(), many.as_ptr(), many.as_ptr(), 0, null(), null_mut()) };
    assert_eq!(code, CL_INVALID_WORK_GROUP_SIZE);
    release([gate, first, second]);
    mem.release();
}

/// Command buffers are recorded for one device and take no such kernel, whether its arguments are set or not.
pub fn command_buffers() {
    let rig = rig();
    let (scale, precise) = kernels(&rig);
    let (queue, mem, size, mut code) = (rig.queue(0), rig.buffer(&numbers()), N, 1);
    set(scale, 0, mem);
    // SAFETY: live handles; one dimension.
    unsafe {
        let buffer = clCreateCommandBufferKHR(1, &queue, null(), &mut code);
        ok(code);
        let record = |kernel| {
            let (none, points) = (null_mut(), null());
            clCommandNDRangeKernelKHR(buffer, none, null(), kernel, 1, null(), &size, null(), 0, points, null_mut(), null_mut())
        };
        assert_eq!(record(precise), CL_INVALID_OPERATION);
        set(precise, 0, mem);
        assert_eq!(record(precise), CL_INVALID_OPERATION);
        assert_eq!(record(scale), CL_SUCCESS);
        ok(clFinalizeCommandBufferKHR(buffer));
        launch(queue, precise, N, &[]).release();
        ok(clEnqueueCommandBufferKHR(0, null_mut(), buffer, 0, null(), null_mut()));
        launch(queue, precise, N, &[]).release();
        ok(clEnqueueCommandBufferKHR(0, null_mut(), buffer, 0, null(), null_mut()));
        assert_eq!(read::<f32>(queue, mem, N), after(&numbers(), "psps"));
        ok(clReleaseCommandBufferKHR(buffer));
    }
    mem.release();
}
