//! Kernels that enqueue kernels, on a device that cannot: they and their children run on the processor, in
//! the order of the device's queues.

use super::*;

const ON_DEVICE: cl_command_queue_properties = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

const SOURCE: &str = "
kernel void step(global uint *p, uint addend) { size_t i = get_global_id(0); p[i] = p[i] * 5 + addend; }
kernel void grow(global uint *p, uint n) {
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(n), ^{
        size_t i = get_global_id(0);
        p[i] += 3;
        if (i == 0) enqueue_kernel(get_default_queue(), 0, ndrange_1D(n), ^{ atomic_add(p + get_global_id(0), 7); });
    });
}
kernel void given(global uint *p, queue_t q) {
    clk_event_t first;
    uint code = enqueue_kernel(q, 0, ndrange_1D(1), 0, NULL, &first, ^{ p[0] *= 3; });
    code |= enqueue_kernel(q, 0, ndrange_1D(1), 1, &first, NULL, ^(local void *l) { *(local uint *)l = 1; p[0] += *(local uint *)l; }, 16u);
    release_event(first);
    p[1] = code;
}
kernel void named(global uint *p, queue_t q) { p[0] += 100; }";

const N: usize = 64;

fn queue_on_device(rig: &Rig, properties: cl_command_queue_properties) -> Result<cl_command_queue, cl_int> {
    let (list, mut code) = ([u64::from(CL_QUEUE_PROPERTIES), properties, 0], 1);
    // SAFETY: a terminated list.
    let queue =
        unsafe { clCreateCommandQueueWithProperties(rig.context, rig.device, list.as_ptr(), &mut code) };
    if code == CL_SUCCESS { Ok(queue) } else { Err(code) }
}

fn has_2_0(device: cl_device_id) -> bool {
    let versions = device_info(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS).unwrap();
    versions.chunks(68).any(|v| v[..4] == make_version(2, 0, 0).to_ne_bytes())
}

/// A separate context, whose default queue no other test sets, with the program in a version of the language.
fn rig_of_version(std: &str) -> Rig {
    let (device, mut code) = (device(), 1);
    // SAFETY: one device.
    let context = unsafe { clCreateContext(null(), 1, &device, None, null_mut(), &mut code) };
    ok(code);
    try_build(&Rig { device, context, program: null_mut() }, SOURCE, std).unwrap()
}

/// Between kernels of the device, in order.
pub fn enqueues_in_order() {
    // OpenCL C 2.0 requires more than queues.
    for std in ["-cl-std=CL3.0", "-cl-std=CL2.0"].into_iter().take(if has_2_0(device()) { 2 } else { 1 }) {
        let rig = rig_of_version(std);
        assert!(falls_back(&rig, "grow") && falls_back(&rig, "given") && falls_back(&rig, "named"));
        assert!(!falls_back(&rig, "step"));
        let default = queue_on_device(&rig, ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT).unwrap();
        let (queue, step, grow) = (rig.queue(0), rig.kernel("step"), rig.kernel("grow"));
        let mut expected: Vec<u32> = (0..N as u32).collect();
        let mem = rig.buffer(&expected);
        set(step, 0, mem);
        set(grow, 0, mem);
        set(grow, 1, N as u32);
        for round in 0..6u32 {
            set(step, 1, round);
            release([launch(queue, step, N, &[]), launch(queue, grow, 1, &[])]);
            expected.iter_mut().for_each(|v| *v = v.wrapping_mul(5).wrapping_add(round + 10));
        }
        assert_eq!(read::<u32>(queue, mem, N), expected);
        release([step, grow]);
        release([mem]);
        release([queue, default]);
        release([rig.program]);
        release([rig.context]);
    }
}

/// Queues as arguments, and calls without a required queue.
pub fn queues_as_arguments() {
    let rig = rig_of_version("-cl-std=CL3.0 -g");
    let (queue, given, named) = (rig.queue(0), rig.kernel("given"), rig.kernel("named"));
    let own = queue_on_device(&rig, ON_DEVICE).unwrap();
    let mem = rig.buffer(&[5u32, 9]);
    for kernel in [given, named] {
        set(kernel, 0, mem);
        set(kernel, 1, own);
    }
    release([launch(queue, given, 1, &[]), launch(queue, named, 1, &[]), launch(queue, given, 1, &[])]);
    assert_eq!(read::<u32>(queue, mem, 2), [349, 0]);
    // Without a default queue, enqueuing fails.
    let (grow, other) = (rig.kernel("grow"), rig.buffer(&[1u32; N]));
    set(grow, 0, other);
    set(grow, 1, N as u32);
    release([launch(queue, grow, 1, &[])]);
    assert_eq!(read::<u32>(queue, other, N), [1; N]);
    release([given, named, grow]);
    release([mem, other]);
    release([queue, own]);
    release([rig.program]);
    release([rig.context]);
}

/// Device queries, and the maximum number of queues.
pub fn queues_are_reported() {
    let device = device();
    let ask = |name| number(&device_info(device, name).unwrap());
    assert_ne!(ask(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) & CL_DEVICE_QUEUE_SUPPORTED, 0);
    // OpenCL C 2.0 requires images that are read and written, and atomics of the scope of all devices.
    let has_scope = ask(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES) & CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES != 0;
    assert_eq!(has_2_0(device), has_scope && ask(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS) > 0);
    let mut code = 1;
    // SAFETY: one device.
    let context = unsafe { clCreateContext(null(), 1, &device, None, null_mut(), &mut code) };
    ok(code);
    let rig = Rig { device, context, program: null_mut() };
    let most = ask(CL_DEVICE_MAX_ON_DEVICE_QUEUES) as usize;
    let queues: Vec<_> = (0..most).map(|_| queue_on_device(&rig, ON_DEVICE).unwrap()).collect();
    assert_eq!(queue_on_device(&rig, ON_DEVICE), Err(CL_OUT_OF_RESOURCES));
    release(queues);
    release([context]);
}
