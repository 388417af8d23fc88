//! Device-side enqueue on the CPU device: kernels that enqueue kernels, in OpenCL C and in SPIR-V.

#![allow(clippy::unwrap_used)]

use rspirv::binary::Assemble;
use rspirv::dr::Builder;
use rspirv::spirv::{
    AddressingModel, Capability, ExecutionModel, FunctionControl, MemoryModel, StorageClass,
};
use std::ptr::{null, null_mut};
use test_support::api::device_queue::*;
use test_support::api::rig::*;
use test_support::api::*;

/// OpenCL C 2.0 requires queues on the device, and is listed exactly by the device that has them.
#[test]
fn version_2_0_enqueues() {
    let device = cpu();
    for other in all_devices() {
        let versions = device_info(other, CL_DEVICE_OPENCL_C_ALL_VERSIONS).unwrap();
        let listed = versions.chunks(68).any(|v| v[..4] == make_version(2, 0, 0).to_ne_bytes());
        assert_eq!(listed, other == device);
    }
    let context = context_of(&[device]);
    let source = "kernel void k(global int *r) {
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(2), ^{ r[get_global_id(0)] = 7; });
    }";
    let program = build_with(context, device, source, "-cl-std=CL2.0").unwrap();
    let rig = Rig { device, context, program };
    let queue = on_device(&rig, DEFAULT, None);
    assert_eq!(results(&rig, "k", 1, 3, 0), [7, 7, 0]);
    release([queue]);
    release([program]);
    release([context]);
}

static FORMS: Source = Source::new(
    "
typedef struct { int a[40]; long b; } Big;
constant int (^twice)(int) = ^(int x) { return 2 * x; };
kernel void other(global int *r, int n) { r[n] = 1000 + n; }
void helper(queue_t q, global int *r, int n) {
    r[30] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(n), ^{ r[31 + get_global_id(0)] = n; });
}
kernel void forms(global int *r) {
    queue_t q = get_default_queue();
    // A literal captures the bytes at the time of the call.
    Big big;
    for (int j = 0; j < 40; j++) big.a[j] = j;
    big.b = 1234567;
    char16 c = (char16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    double16 d = 3.0;
    r[0] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
        int s = 0;
        for (int j = 0; j < 40; j++) s += big.a[j];
        r[1] = s; r[2] = big.b; r[3] = c.s3 + c.sf + (int)d.sf;
    });
    big.b = 7;
    // Ranges of all dimensions, with and without optional sizes.
    const size_t o[3] = {1, 2, 3}, g[3] = {4, 3, 4}, l[3] = {2, 1, 2};
    r[4] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_3D(o, g, l), ^{
        if (get_global_id(0) == 4 && get_global_id(1) == 4 && get_global_id(2) == 6) {
            r[5] = get_local_size(0) * 100 + get_local_size(1) * 10 + get_local_size(2);
            r[6] = get_global_offset(0) * 100 + get_global_offset(1) * 10 + get_global_offset(2);
            r[7] = get_global_size(0) * 100 + get_global_size(1) * 10 + get_global_size(2) + 1000 * get_work_dim();
        }
    });
    r[8] = enqueue_kernel(q, 0, ndrange_2D(g, l), ^{ if (get_global_linear_id() == 11) r[9] = get_local_size(0) * 10 + get_work_dim(); });
    r[10] = enqueue_kernel(q, 0, ndrange_2D(g), ^{ atomic_add(r + 11, 1); });
    r[12] = enqueue_kernel(q, 0, ndrange_1D(5, 8, 4), ^{ atomic_add(r + 13, (int)get_global_id(0)); });
    r[14] = enqueue_kernel(q, 0, ndrange_1D(10, 4), ^{ if (get_global_id(0) == 9) r[15] = get_local_size(0) + 10 * get_num_groups(0); });
    // Local arguments.
    r[16] = enqueue_kernel(q, 0, ndrange_1D(32, 16), ^(local void *x, local void *y) {
        local int *a = x; local float *b = y;
        uint i = get_local_id(0);
        a[i] = i; b[i] = 2.0f * i;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_global_id(0) == 0) r[17] = a[15] + (int)b[14];
    }, 16 * sizeof(int), (uint)(16 * sizeof(float)));
    clk_event_t e;
    r[18] = enqueue_kernel(q, 0, ndrange_1D(1), 0, NULL, &e, ^(local void *x) { *(local int *)x = 5; r[19] = *(local int *)x; }, 4);
    r[20] = enqueue_kernel(q, 0, ndrange_1D(1), 1, &e, NULL, ^{ r[21] = r[19] + 1; });
    release_event(e);
    // Kernels called by blocks, blocks that are called, blocks of other functions.
    r[22] = enqueue_kernel(q, 0, ndrange_1D(1), ^{ other(r, 23); });
    r[24] = twice(21);
    int (^own)(int) = ^(int x) { return x + (int)big.b; };
    r[25] = own(3);
    void (^kept)(void) = ^{ atomic_inc(r + 26); };
    enqueue_kernel(q, 0, ndrange_1D(2), kept);
    enqueue_kernel(q, 0, ndrange_1D(3), kept);
    helper(q, r, 3);
    r[40] = enqueue_kernel(q, 0, ndrange_1D(0), kept);
    ndrange_t range = ndrange_1D(64, 24);
    r[41] = get_kernel_work_group_size(kept);
    r[42] = get_kernel_preferred_work_group_size_multiple(kept);
    uint groups = get_kernel_sub_group_count_for_ndrange(range, kept), size = get_kernel_max_sub_group_size_for_ndrange(range, kept);
    r[43] = groups * size >= 24 && (groups - 1) * size < 24;
}
kernel void wrong(global int *r) {
    queue_t q = get_default_queue(), none = CLK_NULL_QUEUE;
    clk_event_t null_event = CLK_NULL_EVENT, e;
    void (^b)(void) = ^{ r[0] = 1; };
    r[1] = enqueue_kernel(none, 0, ndrange_1D(1), b);
    r[2] = enqueue_kernel(q, 0, ndrange_1D(4, 1 << 20), b);
    ndrange_t range = ndrange_1D(1);
    range.workDimension = 4;
    r[3] = enqueue_kernel(q, 0, range, b);
    r[4] = enqueue_kernel(q, 0, ndrange_1D(1), 1, &null_event, &e, b);
    r[5] = enqueue_kernel(q, 0, ndrange_1D(1), 0, &null_event, &e, b);
    r[6] = enqueue_kernel(q, 0, ndrange_1D(1), ^(local void *x) { r[0] = 1; }, 0);
    r[7] = enqueue_kernel(q, 0, ndrange_1D(1), ^(local void *x) { r[0] = 1; }, 1 << 30);
    r[8] = enqueue_kernel(q, 9, ndrange_1D(1), b);
    r[9] = enqueue_marker(none, 0, NULL, &e);
    r[10] = is_valid_event(null_event);
}",
);

#[test]
fn every_form_is_enqueued() {
    let rig = FORMS.rig();
    let queue = on_device(&rig, DEFAULT, None);
    let out = results(&rig, "forms", 1, 50, 0);
    for at in [0, 4, 8, 10, 12, 14, 16, 18, 20, 22, 30, 40] {
        assert_eq!(out[at], CL_SUCCESS, "at {at}: {out:?}");
    }
    assert_eq!(out[1..4], [780, 1_234_567, 23]);
    assert_eq!(out[5..8], [212, 123, 3434]);
    assert_eq!((out[9], out[11], out[13]), (22, 12, (5..13).sum()));
    assert_eq!((out[15], out[17], out[19], out[21]), (32, 43, 5, 6));
    assert_eq!((out[23], out[24], out[25], out[26]), (1023, 42, 10, 5));
    assert_eq!(out[31..35], [3, 3, 3, 0]);
    assert!(out[41] > 0 && out[42] > 0 && out[43] == 1, "{out:?}");

    let wrong = [
        0,
        INVALID_QUEUE,
        INVALID_NDRANGE,
        INVALID_NDRANGE,
        INVALID_EVENT_WAIT_LIST,
        INVALID_EVENT_WAIT_LIST,
        INVALID_ARG_SIZE,
        OUT_OF_RESOURCES,
        ENQUEUE_FAILURE,
        INVALID_QUEUE,
        0,
    ];
    assert_eq!(results(&rig, "wrong", 1, 11, 0), wrong);
    // Without debug information there is a single error code, and work-groups may have to be uniform.
    let options = "-cl-std=CL3.0 -cl-uniform-work-group-size";
    let program = build_with(rig.context, rig.device, FORMS.text, options).unwrap();
    let plain = Rig { program, ..rig };
    let out = results(&plain, "wrong", 1, 11, 0);
    assert_eq!(out, wrong.map(|code| if code == 0 { 0 } else { ENQUEUE_FAILURE }));
    let out = results(&plain, "forms", 1, 50, 0);
    assert_eq!((out[4], out[14], out[15]), (0, ENQUEUE_FAILURE, 0));
    // Without a default queue get_default_queue returns CLK_NULL_QUEUE.
    release([queue]);
    let out = results(&rig, "forms", 1, 50, 0);
    assert_eq!((out[0], out[1], out[24]), (INVALID_QUEUE, 0, 42));
    release([rig.program, program]);
    release([rig.context]);
}

#[test]
fn blocks_are_no_kernels_of_the_program() {
    let rig = FORMS.rig();
    // SAFETY: `query_bytes` passes buffers of the size it says.
    let names =
        query_bytes(|s, v, r| unsafe { clGetProgramInfo(rig.program, CL_PROGRAM_KERNEL_NAMES, s, v, r) });
    assert_eq!(text(&names.unwrap()), "other;forms;wrong");
    let mut count = 0;
    // SAFETY: room for a number.
    ok(unsafe { clCreateKernelsInProgram(rig.program, 0, null_mut(), &mut count) });
    assert_eq!(count, 3);
    release([rig.program]);
    release([rig.context]);
}

#[test]
fn modules_may_have_blocks_of_one_name() {
    let device = cpu();
    let context = context_of(&[device]);
    let part = |name: &str, value: i32| {
        let source = format!(
            "static void go(global int *r) {{ enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{{ r[{value}] = {value}; }}); }}
             kernel void {name}(global int *r) {{ go(r); }}"
        );
        let (mut text, length, mut code) = (source.as_ptr().cast(), source.len(), 1);
        // SAFETY: one string with its length; live handles.
        unsafe {
            let program = clCreateProgramWithSource(context, 1, &mut text, &length, &mut code);
            ok(code);
            let options = c"-cl-std=CL3.0".as_ptr();
            ok(clCompileProgram(program, 0, null(), options, 0, null(), null_mut(), None, null_mut()));
            program
        }
    };
    let parts = [part("one", 1), part("two", 2)];
    let mut code = 1;
    // SAFETY: live handles.
    let program =
        unsafe { clLinkProgram(context, 0, null(), null(), 2, parts.as_ptr(), None, null_mut(), &mut code) };
    ok(code);
    let rig = Rig { device, context, program };
    let queue = on_device(&rig, DEFAULT, None);
    assert_eq!(results(&rig, "one", 1, 3, 0), [0, 1, 0]);
    assert_eq!(results(&rig, "two", 1, 3, 0), [0, 0, 2]);
    release([queue]);
    release(parts.into_iter().chain([program]));
    release([context]);
}

static FAMILY: Source = Source::new(
    "
#define Q get_default_queue()
// Each work-item of each level but the last enqueues the next level: a tree of three branches.
kernel void tree(global int *r) {
    size_t i = get_global_id(0);
    if (i % 5 != 1) return;
    atomic_inc(r);
    enqueue_kernel(Q, 0, ndrange_1D(3), ^{ atomic_inc(r + 1);
        enqueue_kernel(Q, 1, ndrange_1D(3), ^{ atomic_inc(r + 2);
            enqueue_kernel(Q, 2, ndrange_1D(3), ^{ atomic_inc(r + 3);
                enqueue_kernel(Q, 1, ndrange_1D(3), ^{ atomic_inc(r + 4); }); }); }); });
}
// Divergent work-items: each enqueues as often as its number says.
kernel void parted(global int *r) {
    int i = get_global_id(0);
    for (int n = 0; n < i; n++) {
        if (n % 2) enqueue_kernel(Q, 0, ndrange_1D(1), ^{ r[i] += 1; });
        else if (enqueue_kernel(Q, 0, ndrange_1D(2), ^{ r[i + 64 * get_global_id(0)] += 100; })) r[i] = -1;
    }
}
// A child sees its parent's writes, whatever the flags allow.
kernel void after(global int *r) {
    int i = get_global_id(0);
    r[i] = i + 1;
    if (i == 0) enqueue_kernel(Q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ int s = 0; for (int k = 0; k < 500; k++) s += r[k]; r[600] = s; });
}
kernel void events(global int *r) {
    clk_event_t user = create_user_event(), first, second, both[2], last, marked;
    r[1] = is_valid_event(user);
    int code = 0;
    code |= enqueue_kernel(Q, 0, ndrange_1D(1), 1, &user, &first, ^{ r[2] = r[0]++; });
    code |= enqueue_kernel(Q, 0, ndrange_1D(1), 1, &first, &second, ^{ r[3] = r[0]++;
        enqueue_kernel(Q, 0, ndrange_1D(1), ^{ r[4] = r[0]++; }); });
    // An event completes after the kernels that its command enqueued, too.
    code |= enqueue_kernel(Q, 0, ndrange_1D(1), 1, &second, &last, ^{ r[5] = r[0]++; });
    both[0] = first; both[1] = last;
    code |= enqueue_marker(Q, 2, both, &marked);
    code |= enqueue_kernel(Q, 0, ndrange_1D(1), 1, &marked, NULL, ^{ r[6] = r[0]++; r[12] = is_valid_event(user); });
    code |= enqueue_kernel(Q, 0, ndrange_1D(1), ^{ r[7] = r[0]++; });
    retain_event(user);
    release_event(user);
    r[8] = is_valid_event(user);
    set_user_event_status(user, CL_COMPLETE);
    release_event(user);
    release_event(first); release_event(second); release_event(last); release_event(marked);
    // Enqueued kernels still wait for it.
    r[10] = is_valid_event(user);
    r[11] = code;
}
kernel void times(global ulong *t) {
    clk_event_t e, f;
    enqueue_kernel(Q, 0, ndrange_1D(1), 0, NULL, &e, ^{
        for (volatile int i = 0; i < 20000; i++);
        enqueue_kernel(Q, 0, ndrange_1D(1), ^{ for (volatile int i = 0; i < 20000; i++); });
    });
    capture_event_profiling_info(e, CLK_PROFILING_COMMAND_EXEC_TIME, t);
    enqueue_kernel(Q, 0, ndrange_1D(1), 1, &e, &f, ^{ capture_event_profiling_info(e, CLK_PROFILING_COMMAND_EXEC_TIME, t + 2); });
    release_event(f);
}
// The host created the queue with 4 KiB.
kernel void full(global int *r) {
    int code = 0, n = 0;
    while (n < 1000 && !(code = enqueue_kernel(Q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ atomic_inc(r); }))) n++;
    r[1] = n;
    r[2] = code;
}
kernel void stuck(global int *r) {
    clk_event_t user = create_user_event();
    enqueue_kernel(Q, 0, ndrange_1D(1), 1, &user, NULL, ^{ r[0] = 1; });
    enqueue_kernel(Q, 0, ndrange_1D(1), ^{ r[1] = 1; });
}
kernel void ended(global int *r) {
    clk_event_t user = create_user_event(), e;
    enqueue_kernel(Q, 0, ndrange_1D(1), 1, &user, &e, ^{ r[0] = 1; });
    enqueue_kernel(Q, 0, ndrange_1D(1), 1, &e, NULL, ^{ r[0] = 1; });
    enqueue_kernel(Q, 0, ndrange_1D(1), ^{ r[1] = 1; });
    set_user_event_status(user, -7);
}
// As many events as the device allows, and one more after one is released.
kernel void counted(global int *r) {
    clk_event_t last = create_user_event(), e = last;
    int n = 0;
    for (; is_valid_event(e); n++) { last = e; e = create_user_event(); }
    r[0] = n;
    r[1] = enqueue_kernel(Q, 0, ndrange_1D(1), 0, NULL, &e, ^{ r[4] += 1; });
    r[2] = enqueue_marker(Q, 0, NULL, &e);
    release_event(last);
    r[3] = enqueue_kernel(Q, 0, ndrange_1D(1), 0, NULL, &e, ^{ r[4] += 1; });
}
kernel void printing(global int *r) {
    enqueue_kernel(Q, 0, ndrange_1D(1), ^{ r[0] = printf(\"\"); });
}",
);

#[test]
fn children_and_their_children_run() {
    let rig = FAMILY.rig();
    let queue = on_device(&rig, DEFAULT, None);
    assert_eq!(results(&rig, "tree", 20, 5, 0), [4, 12, 36, 108, 324]);
    let mut expected = vec![0; 128];
    for i in 0..64 {
        expected[i] = (i as i32 / 2) + 100 * (i as i32 - i as i32 / 2);
        expected[i + 64] = 100 * (i as i32 - i as i32 / 2);
    }
    assert_eq!(results(&rig, "parted", 64, 128, 0), expected);
    assert_eq!(results(&rig, "after", 500, 601, 0)[600], 500 * 501 / 2);
    assert_eq!(results(&rig, "printing", 1, 1, -1), [0]);
    release([queue]);
    release([rig.program]);
    release([rig.context]);
}

#[test]
fn events_order_kernels() {
    let rig = FAMILY.rig();
    let queue = on_device(&rig, DEFAULT | CL_QUEUE_PROFILING_ENABLE, None);
    let out = results(&rig, "events", 1, 13, -1);
    let [count, valid, first, second, child, last, marked, free] = out[..8] else { unreachable!() };
    assert_eq!((count, valid, out[8], out[10], out[11], out[12]), (5, 1, 1, 1, 0, 0), "{out:?}");
    assert!(
        first < second && second < child && child < last && last < marked && (-1..5).contains(&free),
        "{out:?}"
    );

    let out = results(&rig, "times", 1, 8, 0);
    let times: Vec<u64> =
        out.chunks(2).map(|w| u64::from(w[0] as u32) | u64::from(w[1] as u32) << 32).collect();
    // Execution time, without and with the enqueued children.
    assert!(times[0] > 0 && times[1] > times[0], "{times:?}");
    assert_eq!(times[..2], times[2..]);
    release([queue]);
    release([rig.program]);
    release([rig.context]);
}

#[test]
fn events_are_counted() {
    let rig = FAMILY.rig();
    let queue = on_device(&rig, DEFAULT, None);
    let most = number_of(rig.device, CL_DEVICE_MAX_ON_DEVICE_EVENTS) as i32;
    // Every command has a separate pool of events.
    for _ in 0..2 {
        assert_eq!(
            results(&rig, "counted", 1, 5, 0),
            [most, EVENT_ALLOCATION_FAILURE, EVENT_ALLOCATION_FAILURE, 0, 1]
        );
    }
    release([queue]);
    release([rig.program]);
    release([rig.context]);
}

#[test]
fn a_full_queue_refuses_and_is_empty_again() {
    let rig = FAMILY.rig();
    let queue = on_device(&rig, DEFAULT, Some(4096));
    for _ in 0..3 {
        let out = results(&rig, "full", 1, 3, 0);
        assert_eq!(out[2], DEVICE_QUEUE_FULL);
        assert!(out[1] > 4 && out[1] < 100 && out[0] == out[1], "{out:?}");
    }
    release([queue]);
    release([rig.program]);
    release([rig.context]);
}

#[test]
fn a_command_fails_with_its_children() {
    let rig = FAMILY.rig();
    let queue = on_device(&rig, DEFAULT, None);
    for name in ["stuck", "ended"] {
        let (host, kernel, mem) = (rig.queue(0), rig.kernel(name), rig.buffer(&[0i32; 2]));
        set(kernel, 0, mem);
        let event = launch(host, kernel, 1, &[]);
        assert_eq!(wait(&[event]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        assert!(status(event) < 0);
        // Children without dependencies ran, and the queues still work.
        let other = rig.queue(0);
        assert_eq!(read::<i32>(other, mem, 2), [0, 1], "{name}");
        release([event]);
        release([kernel]);
        release([mem]);
        release([host, other]);
    }
    assert_eq!(results(&rig, "tree", 5, 5, 0), [1, 3, 9, 27, 81]);
    release([queue]);
    release([rig.program]);
    release([rig.context]);
}

#[test]
fn a_command_is_complete_with_its_children() {
    let rig = FAMILY.rig();
    let queue = on_device(&rig, DEFAULT, None);
    let (host, kernel, mem) =
        (rig.queue(CL_QUEUE_PROFILING_ENABLE), rig.kernel("times"), rig.buffer(&[0u64; 4]));
    set(kernel, 0, mem);
    let event = launch(host, kernel, 1, &[]);
    ok(wait(&[event]));
    let time = |name| time(event, name);
    let (start, end, complete) = (
        time(CL_PROFILING_COMMAND_START),
        time(CL_PROFILING_COMMAND_END),
        time(CL_PROFILING_COMMAND_COMPLETE),
    );
    assert!(start <= end && end < complete);
    // The children ran for that time after the kernel's end.
    assert!(complete - end >= read::<u64>(host, mem, 2)[1]);
    release([event]);
    release([kernel]);
    release([mem]);
    release([host, queue]);
    release([rig.program]);
    release([rig.context]);
}

#[test]
fn queues_of_the_host_share_one_on_the_device() {
    let rig = FAMILY.rig();
    let queue = on_device(&rig, DEFAULT, None);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(results(&rig, "tree", 20, 5, 0), [4, 12, 36, 108, 324]);
                }
            });
        }
    });
    release([queue]);
    release([rig.program]);
    release([rig.context]);
}

/// Types and constants of the module.
struct Ids {
    void: u32,
    truth: u32,
    uchar: u32,
    uint: u32,
    queue: u32,
    event: u32,
    /// ndrange_t
    range: u32,
    /// Pointer to the words of the host.
    global: u32,
    /// Numbers of 32 bits by value.
    numbers: [u32; 11],
    /// The largest number of 32 bits.
    many: u32,
    no_size: u32,
    size: u32,
}

impl Ids {
    fn new(b: &mut Builder) -> Ids {
        let (void, truth, uchar) = (b.type_void(), b.type_bool(), b.type_int(8, 0));
        let (uint, ulong) = (b.type_int(32, 0), b.type_int(64, 0));
        let numbers: [u32; 11] = std::array::from_fn(|n| b.constant_bit32(uint, n as u32));
        let array = b.type_array(ulong, numbers[3]);
        Ids {
            void,
            truth,
            uchar,
            uint,
            queue: b.type_queue(),
            event: b.type_device_event(),
            range: b.type_struct([uint, array, array, array]),
            global: b.type_pointer(None, StorageClass::CrossWorkgroup, uint),
            numbers,
            many: b.constant_bit32(uint, u32::MAX),
            no_size: b.constant_bit64(ulong, 0),
            size: b.constant_bit64(ulong, 1),
        }
    }
}

/// `f(generic uchar *literal, local uchar *l)` adds 7 to the word that `literal` refers to, through local
/// memory.
fn enqueued_function(b: &mut Builder, ids: &Ids) -> Result<u32, rspirv::dr::Error> {
    let &Ids { void, uchar, uint, global, numbers, .. } = ids;
    let generic = b.type_pointer(None, StorageClass::Generic, uchar);
    let local = b.type_pointer(None, StorageClass::Workgroup, uchar);
    let generic_word = b.type_pointer(None, StorageClass::Generic, global);
    let local_word = b.type_pointer(None, StorageClass::Workgroup, uint);
    let ty = b.type_function(void, [generic, local]);
    let function = b.begin_function(void, None, FunctionControl::NONE, ty)?;
    let (literal, l) = (b.function_parameter(generic)?, b.function_parameter(local)?);
    b.begin_block(None)?;
    let at = b.bitcast(generic_word, None, literal)?;
    let out = b.load(global, None, at, None, [])?;
    let l = b.bitcast(local_word, None, l)?;
    b.store(l, numbers[7], None, [])?;
    let (x, y) = (b.load(uint, None, l, None, [])?, b.load(uint, None, out, None, [])?);
    let sum = b.i_add(uint, None, x, y)?;
    b.store(out, sum, None, [])?;
    b.ret()?;
    b.end_function()?;
    Ok(function)
}

/// Operands of the instructions that refer to the enqueued function.
struct Enqueue {
    function: u32,
    literal: u32,
    /// Size and alignment of the literal.
    eight: u32,
    range: u32,
}

/// `k(global uint *out)` enqueues the function twice and queries it.
fn enqueuing_kernel(b: &mut Builder, ids: &Ids, function: u32) -> Result<u32, rspirv::dr::Error> {
    let &Ids { void, truth, uchar, uint, queue, event, range, global, numbers, no_size, size, .. } = ids;
    let own_word = b.type_pointer(None, StorageClass::Function, global);
    let own_event = b.type_pointer(None, StorageClass::Function, event);
    let generic = b.type_pointer(None, StorageClass::Generic, uchar);
    let generic_own = b.type_pointer(None, StorageClass::Generic, global);
    let generic_event = b.type_pointer(None, StorageClass::Generic, event);
    let no_events = b.constant_null(generic_event);
    let ty = b.type_function(void, [global]);
    let kernel = b.begin_function(void, None, FunctionControl::NONE, ty)?;
    let out = b.function_parameter(global)?;
    b.begin_block(None)?;
    let literal = b.variable(own_word, None, StorageClass::Function, None);
    let event_at = b.variable(own_event, None, StorageClass::Function, None);
    b.store(literal, out, None, [])?;
    let literal = b.ptr_cast_to_generic(generic_own, None, literal)?;
    let literal = b.bitcast(generic, None, literal)?;
    let given = b.ptr_cast_to_generic(generic_event, None, event_at)?;
    let q = b.get_default_queue(queue, None)?;
    let nd = b.build_nd_range(range, None, size, no_size, no_size)?;
    let (f, flags, eight, local) = (function, numbers[0], numbers[8], [numbers[4]]);
    let (none, n) = (no_events, numbers[0]);
    let code = b.enqueue_kernel(uint, None, q, flags, nd, n, none, given, f, literal, eight, eight, local)?;
    store_word(b, ids, out, 1, code)?;
    let e = b.load(event, None, event_at, None, [])?;
    let valid = b.is_valid_event(truth, None, e)?;
    let n = numbers[1];
    let code = b.enqueue_kernel(uint, None, q, flags, nd, n, given, none, f, literal, eight, eight, local)?;
    let both = b.select(uint, None, valid, code, eight)?;
    store_word(b, ids, out, 3, both)?;
    b.release_event(e)?;
    queries(b, ids, out, &Enqueue { function, literal, eight, range: nd })?;
    b.ret()?;
    b.end_function()?;
    Ok(kernel)
}

/// Stores a number to `out[index]`.
fn store_word(
    b: &mut Builder,
    ids: &Ids,
    out: u32,
    index: usize,
    value: u32,
) -> Result<(), rspirv::dr::Error> {
    let at = b.in_bounds_ptr_access_chain(ids.global, None, out, ids.numbers[index], [])?;
    b.store(at, value, None, [])
}

/// Stores the sizes of work-groups and sub-groups of the enqueued function.
fn queries(b: &mut Builder, ids: &Ids, out: u32, enqueue: &Enqueue) -> Result<(), rspirv::dr::Error> {
    let (uint, three, many) = (ids.uint, ids.numbers[3], ids.many);
    let &Enqueue { function: f, literal, eight, range } = enqueue;
    let most = b.get_kernel_work_group_size(uint, None, f, literal, eight, eight)?;
    store_word(b, ids, out, 4, most)?;
    let groups = b.get_kernel_n_drange_sub_group_count(uint, None, range, f, literal, eight, eight)?;
    store_word(b, ids, out, 7, groups)?;
    for (index, count) in [(8, three), (9, many)] {
        let size = b.get_kernel_local_size_for_subgroup_count(uint, None, count, f, literal, eight, eight)?;
        store_word(b, ids, out, index, size)?;
    }
    let most = b.get_kernel_max_num_subgroups(uint, None, f, literal, eight, eight)?;
    store_word(b, ids, out, 10, most)
}

/// A module whose kernel `k` enqueues a function with the address of its argument and with local memory.
fn module() -> Result<Vec<u32>, rspirv::dr::Error> {
    let mut b = Builder::new();
    b.set_version(1, 0);
    for c in [
        Capability::Addresses,
        Capability::Kernel,
        Capability::Int8,
        Capability::Int64,
        Capability::GenericPointer,
        Capability::DeviceEnqueue,
        Capability::SubgroupDispatch,
    ] {
        b.capability(c);
    }
    b.memory_model(AddressingModel::Physical64, MemoryModel::OpenCL);
    let ids = Ids::new(&mut b);
    let function = enqueued_function(&mut b, &ids)?;
    let kernel = enqueuing_kernel(&mut b, &ids, function)?;
    b.entry_point(ExecutionModel::Kernel, kernel, "k", []);
    Ok(b.module().assemble())
}

#[test]
fn programs_in_spirv_enqueue() {
    let device = cpu();
    let context = context_of(&[device]);
    let words = module().unwrap();
    let mut code = 1;
    // SAFETY: a module with its size; live handles.
    let program = unsafe {
        let program =
            clCreateProgramWithIL(context, words.as_ptr().cast(), size_of_val(&words[..]), &mut code);
        ok(code);
        let result = clBuildProgram(program, 0, null(), null(), None, null_mut());
        assert_eq!(result, CL_SUCCESS, "{}", build_log(program, device));
        program
    };
    let rig = Rig { device, context, program };
    let queue = on_device(&rig, DEFAULT, None);
    // SAFETY: `query_bytes` passes buffers of the size it says.
    let names = query_bytes(|s, v, r| unsafe { clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, s, v, r) });
    assert_eq!(text(&names.unwrap()), "k");
    let out = results(&rig, "k", 1, 11, 100);
    assert_eq!((out[0], out[1], out[3], out[7]), (114, 0, 0, 1), "{out:?}");
    assert!(out[4] >= 64, "{out:?}");
    // Sub-groups of a work-group of three, of a size that no device has, and of the largest one.
    assert!(out[8] >= 3 && out[8] % 3 == 0 && out[9] == 0, "{out:?}");
    assert_eq!(out[10], (out[4] + out[8] / 3 - 1) / (out[8] / 3), "{out:?}");
    release([queue]);
    release([program]);
    release([context]);
}
