//! Device-side enqueue on the CPU device: kernels that enqueue in a loop until the queue has room.

#![allow(clippy::unwrap_used)]

use test_support::api::device_queue::*;
use test_support::api::rig::*;
use test_support::api::*;

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

/// A context of the CPU device with the program, built with debug information for exact error codes.
fn rig() -> Rig {
    // SAFETY: the only test of the program has not done anything else yet.
    unsafe { std::env::set_var("PYROCLAST_DEVICES", "cpu") };
    let (device, context) = (device(), context());
    let program = build_with(context, device, SOURCE, "-cl-std=CL3.0 -g").unwrap();
    Rig { device, context, program }
}

#[test]
fn kernels_that_wait_for_room_get_it() {
    let rig = rig();
    let queue = on_device(&rig, DEFAULT, Some(1));
    for _ in 0..3 {
        assert_eq!(results(&rig, "spins", 192, 2, 0), [192 * 80, 192]);
        assert_eq!(results(&rig, "chains", 1, 2, 0), [101, 100]);
        assert_eq!(results(&rig, "branches", 8, 4, 0), [8, 24, 72, 216]);
        assert_eq!(results(&rig, "groups", 500, 500, 0), [11; 500]);
        assert_eq!(results(&rig, "after_event", 1, 5, 0), [7, DEVICE_QUEUE_FULL, 7, 0, 7]);
    }
    release([queue]);
    release([rig.program]);
    release([rig.context]);
}
