//! Device-side enqueue on the CPU device: kernels that enqueue in a loop until the queue has room.

#![allow(clippy::unwrap_used)]

mod common;

use common::rig::*;
use common::*;
use std::ptr::{null, null_mut};

const DEVICE_QUEUE_FULL: i32 = -161;

const SOURCE: &str = "
#define Q get_default_queue()
kernel void spins(global int *r) {
    local int shared;
    shared = 40;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = 0; n < shared; n++)
        while (enqueue_kernel(Q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(2), ^(local void *x) {
            *(local int *)x = -1;
            atomic_inc(r);
        }, 64));
    atomic_inc(r + 1);
}
// Each link starts while its parent waits for room.
kernel void chain(global int *r, int n) {
    atomic_inc(r);
    if (n == 0) return;
    while (enqueue_kernel(Q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ chain(r, n - 1); }));
    while (enqueue_kernel(Q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ atomic_inc(r + 1); }));
}
kernel void chains(global int *r) { chain(r, 100); }
kernel void branches(global int *r) {
    atomic_inc(r);
    while (enqueue_kernel(Q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(3), ^{ atomic_inc(r + 1);
        while (enqueue_kernel(Q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(3), ^{ atomic_inc(r + 2);
            while (enqueue_kernel(Q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(3), ^{ atomic_inc(r + 3); })); })); }));
}
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void groups(global int *r) {
    int i = get_global_id(0);
    while (enqueue_kernel(Q, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1), ^{ r[i] += 10; }));
    for (volatile int n = 0; n < 1000; n++);
    r[i] = 1;
}
kernel void after_event(global int *r) {
    clk_event_t user = create_user_event();
    int code = enqueue_kernel(Q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &user, NULL, ^{ r[2] = r[0]; });
    r[1] = enqueue_kernel(Q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ r[3] = 1; });
    r[0] = code + 7;
    set_user_event_status(user, CL_COMPLETE);
    release_event(user);
    while (enqueue_kernel(Q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ r[4] = r[2]; }));
}
";

/// A context of the CPU device with the program, which tells errors exactly.
fn rig() -> Rig {
    // SAFETY: the program's one test has not done anything else yet.
    unsafe { std::env::set_var("PYROCLAST_DEVICES", "cpu") };
    let (device, context, mut code) = (device(), context(), 1);
    let (mut text, length) = (SOURCE.as_ptr().cast(), SOURCE.len());
    // SAFETY: one string with its length; terminated options.
    let program = unsafe {
        let program = clCreateProgramWithSource(context, 1, &mut text, &length, &mut code);
        ok(code);
        let built = clBuildProgram(program, 0, null(), c"-cl-std=CL3.0 -g".as_ptr(), None, null_mut());
        assert_eq!(built, CL_SUCCESS, "{}", build_log(program, device));
        program
    };
    Rig { device, context, program }
}

/// The default queue on the device, of one byte.
fn smallest_queue(rig: &Rig) -> cl_command_queue {
    let properties = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    let list = [u64::from(CL_QUEUE_PROPERTIES), properties, u64::from(CL_QUEUE_SIZE), 1, 0];
    let mut code = 1;
    // SAFETY: a terminated list.
    let queue =
        unsafe { clCreateCommandQueueWithProperties(rig.context, rig.device, list.as_ptr(), &mut code) };
    ok(code);
    queue
}

/// Runs a kernel of one buffer of zeros and gives what is in it.
fn results(rig: &Rig, name: &str, items: usize, words: usize) -> Vec<i32> {
    let (queue, kernel, mem) = (rig.queue(0), rig.kernel(name), rig.buffer(&vec![0i32; words]));
    set(kernel, 0, mem);
    release([launch(queue, kernel, items, &[])]);
    finish(queue);
    let out = read(queue, mem, words);
    release([kernel]);
    release([mem]);
    release([queue]);
    out
}

#[test]
fn kernels_that_wait_for_room_get_it() {
    let rig = rig();
    let queue = smallest_queue(&rig);
    for _ in 0..3 {
        assert_eq!(results(&rig, "spins", 192, 2), [192 * 80, 192]);
        assert_eq!(results(&rig, "chains", 1, 2), [101, 100]);
        assert_eq!(results(&rig, "branches", 8, 4), [8, 24, 72, 216]);
        assert_eq!(results(&rig, "groups", 500, 500), [11; 500]);
        assert_eq!(results(&rig, "after_event", 1, 5), [7, DEVICE_QUEUE_FULL, 7, 0, 7]);
    }
    release([queue]);
    release([rig.program]);
    release([rig.context]);
}
