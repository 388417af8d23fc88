//! Command-queue entry points through the ICD loader.

#![allow(clippy::unwrap_used)]

use std::ptr::null;
use test_support::api::*;

fn create(context: cl_context, list: *const cl_queue_properties) -> Result<cl_command_queue, cl_int> {
    let mut code = 1;
    // SAFETY: the list is NULL or terminated.
    let queue = unsafe { clCreateCommandQueueWithProperties(context, device(), list, &mut code) };
    assert_eq!(queue.is_null(), code != CL_SUCCESS);
    if code == CL_SUCCESS { Ok(queue) } else { Err(code) }
}

fn info(queue: cl_command_queue, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    // SAFETY: `query_bytes` passes buffers of the size it says.
    query_bytes(|size, value, size_ret| unsafe { clGetCommandQueueInfo(queue, name, size, value, size_ret) })
}

#[test]
fn properties_and_queries() {
    let context = context();
    let bits = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    let list = [u64::from(CL_QUEUE_PROPERTIES), bits, 0];
    let queue = create(context, list.as_ptr()).unwrap();
    assert_eq!(number(&info(queue, CL_QUEUE_PROPERTIES).unwrap()), bits);
    let raw: Vec<u8> = list.iter().flat_map(|v| v.to_ne_bytes()).collect();
    assert_eq!(info(queue, CL_QUEUE_PROPERTIES_ARRAY).unwrap(), raw);
    assert_eq!(number(&info(queue, CL_QUEUE_CONTEXT).unwrap()), context as u64);
    assert_eq!(number(&info(queue, CL_QUEUE_DEVICE).unwrap()), device() as u64);
    assert_eq!(number(&info(queue, CL_QUEUE_REFERENCE_COUNT).unwrap()), 1);
    assert_eq!(number(&info(queue, CL_QUEUE_DEVICE_DEFAULT).unwrap()), 0);
    assert_eq!(info(queue, CL_QUEUE_SIZE), Err(CL_INVALID_COMMAND_QUEUE));
    assert_eq!(info(queue, 0x7777), Err(CL_INVALID_VALUE));
    let plain = create(context, null()).unwrap();
    assert_eq!(info(plain, CL_QUEUE_PROPERTIES_ARRAY).unwrap().len(), 0);
    // SAFETY: live handles, each released once.
    unsafe {
        assert_eq!(clFlush(queue), CL_SUCCESS);
        assert_eq!(clFinish(queue), CL_SUCCESS);
        assert_eq!(clRetainCommandQueue(queue), CL_SUCCESS);
        assert_eq!(clReleaseCommandQueue(queue), CL_SUCCESS);
        assert_eq!(clReleaseCommandQueue(queue), CL_SUCCESS);
        assert_eq!(clReleaseCommandQueue(plain), CL_SUCCESS);
        assert_eq!(clReleaseContext(context), CL_SUCCESS);
    }
}

#[test]
fn hints() {
    let rig = rig::Rig::new("kernel void inc(global int *p) { p[get_global_id(0)]++; }");
    let extensions = text(&device_info(rig.device, CL_DEVICE_EXTENSIONS).unwrap());
    let (priority, throttle) = (u64::from(CL_QUEUE_PRIORITY_KHR), u64::from(CL_QUEUE_THROTTLE_KHR));
    assert!(extensions.contains("cl_khr_priority_hints") && extensions.contains("cl_khr_throttle_hints"));
    for value in [0, 3, 8] {
        assert_eq!(create(rig.context, [priority, value, 0].as_ptr()), Err(CL_INVALID_VALUE));
        assert_eq!(create(rig.context, [throttle, value, 0].as_ptr()), Err(CL_INVALID_VALUE));
    }
    // Queues of all priorities use one buffer in turn.
    let (mem, kernel) = (rig.buffer(&[0i32; 64]), rig.kernel("inc"));
    rig::set(kernel, 0, mem);
    let hints = [CL_QUEUE_PRIORITY_HIGH_KHR, CL_QUEUE_PRIORITY_MED_KHR, CL_QUEUE_PRIORITY_LOW_KHR];
    let queues = hints.map(|hint| {
        let list = [priority, hint, throttle, hint, 0];
        let queue = create(rig.context, list.as_ptr()).unwrap();
        let raw: Vec<u8> = list.iter().flat_map(|v| v.to_ne_bytes()).collect();
        assert_eq!(info(queue, CL_QUEUE_PROPERTIES_ARRAY).unwrap(), raw);
        assert_eq!(number(&info(queue, CL_QUEUE_PROPERTIES).unwrap()), 0);
        queue
    });
    let mut last: Option<cl_event> = None;
    for i in 0..30 {
        let event = rig::launch(queues[i % 3], kernel, 64, last.as_slice());
        rig::release(last.replace(event));
    }
    assert_eq!(rig::wait(last.as_slice()), CL_SUCCESS);
    rig::release(last);
    assert_eq!(rig::read::<i32>(queues[2], mem, 64), [30; 64]);
    rig::release(queues);
    rig::release([mem]);
    rig::release([kernel]);
    rig::release([rig.program]);
    rig::release([rig.context]);
}

/// Launches that differ from earlier ones by numbers, by memory, by sizes or not at all, of more kernels than
/// the driver remembers; in one batch, as they wait for a gate.
#[test]
fn launches_resemble_earlier_ones() {
    const ITEMS: usize = 64;
    let rig = rig::Rig::new(
        "kernel void step(global uint *p, uint factor, local uint *l, uint term)
        {
            size_t i = get_global_id(0);
            l[get_local_id(0)] = p[i] * factor;
            p[i] = l[get_local_id(0)] + term + (uint)get_global_size(0);
        }
        kernel void other(uint term, global uint *p) { p[get_global_id(0)] ^= term; }",
    );
    let buffers = [rig.buffer(&[1u32; ITEMS]), rig.buffer(&[2u32; ITEMS])];
    let steps: Vec<_> = (0..20).map(|_| rig.kernel("step")).collect();
    let other = rig.kernel("other");
    // The buffer, factor and term of each kernel.
    let mut arguments: Vec<(usize, u32, u32)> = (0..20).map(|i| (i as usize % 2, i, 3 * i)).collect();
    for (kernel, (buffer, factor, term)) in steps.iter().zip(&arguments) {
        rig::set(*kernel, 0, buffers[*buffer]);
        rig::set(*kernel, 1, *factor);
        // SAFETY: a live kernel; room for the greatest local size.
        rig::ok(unsafe { clSetKernelArg(*kernel, 2, 4 * ITEMS, null()) });
        rig::set(*kernel, 3, *term);
    }
    let mut expected = [[1u32; ITEMS], [2u32; ITEMS]];
    let queue = create(rig.context, null()).unwrap();
    let mut random = rig::Random(7);
    for _ in 0..4 {
        let gate = rig.gate();
        let mut waits = vec![gate];
        let mut launches = Vec::new();
        for _ in 0..300 {
            // Mostly one of the first kernels, so that launches repeat.
            let most = if random.below(4) == 0 { steps.len() } else { 3 };
            let at = random.below(most);
            let (buffer, factor, term) = &mut arguments[at];
            match random.below(6) {
                0 => {
                    *buffer = 1 - *buffer;
                    rig::set(steps[at], 0, buffers[*buffer]);
                }
                1 | 2 => {
                    *factor = factor.wrapping_mul(5) + 1;
                    *term += 7;
                    rig::set(steps[at], 1, *factor);
                    rig::set(steps[at], 3, *term);
                }
                3 => {
                    rig::set(other, 0, *term);
                    rig::set(other, 1, buffers[*buffer]);
                    launches.push(rig::launch(queue, other, ITEMS, &waits));
                    expected[*buffer].iter_mut().for_each(|value| *value ^= *term);
                    waits.clear();
                }
                _ => {}
            }
            let items = if random.below(5) == 0 { ITEMS / 2 } else { ITEMS };
            launches.push(rig::launch(queue, steps[at], items, &waits));
            waits.clear();
            for value in &mut expected[*buffer][..items] {
                *value = value.wrapping_mul(*factor).wrapping_add(*term).wrapping_add(items as u32);
            }
        }
        rig::open_gate(gate, CL_COMPLETE as cl_int);
        rig::finish(queue);
        rig::release(launches);
        rig::release([gate]);
        for (mem, expected) in buffers.iter().zip(&expected) {
            assert_eq!(rig::read::<u32>(queue, *mem, ITEMS), expected);
        }
    }
    rig::release([queue]);
    rig::release(buffers);
    rig::release(steps);
    rig::release([other]);
    rig::release([rig.program]);
    rig::release([rig.context]);
}

#[test]
fn errors_of_creation() {
    let context = context();
    let key = u64::from(CL_QUEUE_PROPERTIES);
    assert_eq!(create(context, [key, 0, key, 0, 0].as_ptr()), Err(CL_INVALID_VALUE));
    assert_eq!(create(context, [u64::from(CL_QUEUE_SIZE), 16, 0].as_ptr()), Err(CL_INVALID_QUEUE_PROPERTIES));
    assert_eq!(create(context, [key, 1 << 40, 0].as_ptr()), Err(CL_INVALID_VALUE));
    assert_eq!(create(context, [0x7777, 0, 0].as_ptr()), Err(CL_INVALID_VALUE));
    assert_eq!(create(context, [key, CL_QUEUE_ON_DEVICE, 0].as_ptr()), Err(CL_INVALID_VALUE));
    let on_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    match create(context, [key, on_device, 0].as_ptr()) {
        Ok(queue) if has_device_queues() => rig::release([queue]),
        created => assert_eq!(created, Err(CL_INVALID_QUEUE_PROPERTIES)),
    }
    // SAFETY: no handle at all, and a live one.
    unsafe {
        assert_eq!(clFinish(wrong_kind(context)), CL_INVALID_COMMAND_QUEUE);
        let mut code = 1;
        assert!(clCreateCommandQueue(context, device(), 1 << 40, &mut code).is_null());
        assert_eq!(code, CL_INVALID_VALUE);
        let queue = clCreateCommandQueue(context, device(), CL_QUEUE_PROFILING_ENABLE, &mut code);
        assert_eq!(code, CL_SUCCESS);
        assert_eq!(clReleaseCommandQueue(queue), CL_SUCCESS);
        assert_eq!(clReleaseContext(context), CL_SUCCESS);
    }
}
