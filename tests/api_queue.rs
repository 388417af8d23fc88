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
