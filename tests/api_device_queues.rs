//! Device-side enqueue on the CPU device: queues on the device as objects.

#![allow(clippy::unwrap_used)]

use std::ptr::{null, null_mut};
use test_support::api::device_queue::*;
use test_support::api::rig::*;
use test_support::api::*;

#[test]
fn devices_tell_what_they_can() {
    let cpu = cpu();
    for device in all_devices() {
        let can = device == cpu;
        let features = device_info(device, CL_DEVICE_OPENCL_C_FEATURES).unwrap();
        let named = features.windows(25).any(|w| w == b"__opencl_c_device_enqueue");
        assert_eq!(named, can);
        let ask = |name| number_of(device, name);
        let properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
        assert_eq!(ask(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES), if can { properties } else { 0 });
        for (name, least) in [
            (CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, 16 << 10),
            (CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, 256 << 10),
            (CL_DEVICE_MAX_ON_DEVICE_QUEUES, 1),
            (CL_DEVICE_MAX_ON_DEVICE_EVENTS, 1024),
        ] {
            assert!(if can { ask(name) >= least } else { ask(name) == 0 });
        }
        let rig = Rig { device, context: context_of(&[device]), program: null_mut() };
        if !can {
            assert_eq!(
                create(&rig, &[u64::from(CL_QUEUE_PROPERTIES), ON_DEVICE, 0]),
                Err(CL_INVALID_QUEUE_PROPERTIES)
            );
            // SAFETY: live handles.
            let code = unsafe { clSetDefaultDeviceCommandQueue(rig.context, device, null_mut()) };
            assert_eq!(code, CL_INVALID_OPERATION);
            let log =
                build_with(rig.context, device, "kernel void k(queue_t q) {}", "-cl-std=CL3.0").unwrap_err();
            assert!(log.contains("queue_t"), "{log}");
        }
        release([rig.context]);
    }
}

static KERNEL: Source = Source::new("kernel void k(global int *p, queue_t q) { p[0] = 1; }");

/// A rig of the device without a program.
fn bare_rig() -> Rig {
    let device = cpu();
    Rig { device, context: context_of(&[device]), program: null_mut() }
}

/// Value of a query for a queue.
fn handle(queue: cl_command_queue) -> Vec<u8> {
    (queue as usize as u64).to_ne_bytes().to_vec()
}

#[test]
fn properties_of_queues_are_checked() {
    let rig = bare_rig();
    let key = u64::from(CL_QUEUE_PROPERTIES);
    let size = u64::from(CL_QUEUE_SIZE);
    let (priority, throttle) = (u64::from(CL_QUEUE_PRIORITY_KHR), u64::from(CL_QUEUE_THROTTLE_KHR));
    let largest = number_of(rig.device, CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE);
    for (list, code) in [
        (&[key, CL_QUEUE_ON_DEVICE, 0][..], CL_INVALID_VALUE),
        (&[key, CL_QUEUE_ON_DEVICE_DEFAULT, 0], CL_INVALID_VALUE),
        (&[size, 4096, 0], CL_INVALID_QUEUE_PROPERTIES),
        (&[key, ON_DEVICE, size, largest + 1, 0], CL_INVALID_QUEUE_PROPERTIES),
        (&[key, ON_DEVICE, size, 4096, size, 4096, 0], CL_INVALID_VALUE),
        (&[priority, CL_QUEUE_PRIORITY_MED_KHR, key, ON_DEVICE, 0], CL_INVALID_QUEUE_PROPERTIES),
        (&[key, ON_DEVICE, throttle, CL_QUEUE_THROTTLE_LOW_KHR, 0], CL_INVALID_QUEUE_PROPERTIES),
    ] {
        assert_eq!(create(&rig, list), Err(code), "{list:?}");
    }
    let mut code = 1;
    // SAFETY: live handles.
    assert!(unsafe { clCreateCommandQueue(rig.context, rig.device, ON_DEVICE, &mut code) }.is_null());
    assert_eq!(code, CL_INVALID_QUEUE_PROPERTIES);
    release([rig.context]);
}

#[test]
fn queues_are_objects() {
    let rig = bare_rig();
    let largest = number_of(rig.device, CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE);
    let (host, plain) = (rig.queue(0), on_device(&rig, ON_DEVICE, Some(largest)));
    assert_eq!(info(host, CL_QUEUE_DEVICE_DEFAULT), Ok(handle(null_mut())));
    assert_eq!(number(&info(plain, CL_QUEUE_SIZE).unwrap()), largest);
    assert_eq!(number(&info(plain, CL_QUEUE_PROPERTIES).unwrap()), ON_DEVICE);
    assert_eq!(info(plain, CL_QUEUE_PROPERTIES_ARRAY).unwrap().len(), 5 * 8);
    assert_eq!(number(&info(plain, CL_QUEUE_CONTEXT).unwrap()), rig.context as usize as u64);
    assert_eq!(number(&info(plain, CL_QUEUE_DEVICE).unwrap()), rig.device as usize as u64);
    assert_eq!(info(plain, 0x7777), Err(CL_INVALID_VALUE));
    assert_eq!(info(host, CL_QUEUE_SIZE), Err(CL_INVALID_COMMAND_QUEUE));
    release([host, plain]);
    release([rig.context]);
}

/// There is one default queue; creating another returns it with one more reference.
#[test]
fn a_context_has_one_default_queue() {
    let (rig, other) = (bare_rig(), bare_rig());
    let (host, plain) = (rig.queue(0), on_device(&rig, ON_DEVICE, None));
    let preferred = number_of(rig.device, CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE);
    let first = on_device(&rig, DEFAULT, None);
    assert_eq!(number(&info(first, CL_QUEUE_SIZE).unwrap()), preferred);
    assert_eq!(on_device(&rig, DEFAULT, Some(4096)), first);
    assert_eq!(number(&info(first, CL_QUEUE_REFERENCE_COUNT).unwrap()), 2);
    assert_eq!(info(host, CL_QUEUE_DEVICE_DEFAULT), Ok(handle(first)));
    assert_eq!(info(plain, CL_QUEUE_DEVICE_DEFAULT), Ok(handle(first)));
    let foreign = on_device(&other, ON_DEVICE, None);
    // SAFETY: live handles.
    unsafe {
        ok(clSetDefaultDeviceCommandQueue(rig.context, rig.device, plain));
        for wrong in [host, foreign] {
            let code = clSetDefaultDeviceCommandQueue(rig.context, rig.device, wrong);
            assert_eq!(code, CL_INVALID_COMMAND_QUEUE);
        }
        assert_eq!(clSetDefaultDeviceCommandQueue(rig.context, null_mut(), plain), CL_INVALID_DEVICE);
    }
    assert_eq!(info(host, CL_QUEUE_DEVICE_DEFAULT), Ok(handle(plain)));
    // SAFETY: live handles.
    unsafe {
        ok(clRetainCommandQueue(first));
        assert_eq!(clReleaseCommandQueue(null_mut()), CL_INVALID_COMMAND_QUEUE);
    }
    release([first, first, first, plain, foreign]);
    assert_eq!(info(first, CL_QUEUE_SIZE), Err(CL_INVALID_COMMAND_QUEUE));
    assert_eq!(info(host, CL_QUEUE_DEVICE_DEFAULT), Ok(handle(null_mut())));
    release([host]);
    release([rig.context, other.context]);
}

/// CL_INVALID_COMMAND_QUEUE: the host enqueues a command on a queue on the device.
#[test]
fn commands_of_the_host_are_refused() {
    let rig = KERNEL.rig();
    let (queue, kernel) = (on_device(&rig, ON_DEVICE, None), rig.kernel("k"));
    let (mem, size, none, end) = (rig.buffer(&[0i32; 4]), 1usize, null(), null_mut());
    // SAFETY: live handles, and sizes that fit.
    unsafe {
        assert_eq!(clFinish(queue), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(clFlush(queue), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(clEnqueueMarkerWithWaitList(queue, 0, null(), end), CL_INVALID_COMMAND_QUEUE);
        let fill = clEnqueueFillBuffer(queue, mem, (&raw const size).cast(), 4, 0, 16, 0, null(), end);
        assert_eq!(fill, CL_INVALID_COMMAND_QUEUE);
        let launch = clEnqueueNDRangeKernel(queue, kernel, 1, none, &size, none, 0, null(), end);
        assert_eq!(launch, CL_INVALID_COMMAND_QUEUE);
    }
    release([kernel]);
    release([mem]);
    release([queue]);
    release([rig.program]);
    release([rig.context]);
}

/// CL_INVALID_DEVICE_QUEUE: an argument of type queue_t is not a queue on the device.
#[test]
fn arguments_are_queues_on_the_device() {
    let (rig, other) = (KERNEL.rig(), bare_rig());
    let (host, plain, first) =
        (rig.queue(0), on_device(&rig, ON_DEVICE, None), on_device(&rig, DEFAULT, None));
    let (foreign, kernel) = (on_device(&other, ON_DEVICE, None), rig.kernel("k"));
    let (mem, size, none) = (rig.buffer(&[0i32; 4]), 1usize, null());
    set(kernel, 0, mem);
    let argument = |value: *const cl_command_queue, size: usize| {
        // SAFETY: a value of the size, or none.
        unsafe { clSetKernelArg(kernel, 1, size, value.cast()) }
    };
    assert_eq!(argument(&host, 8), CL_INVALID_DEVICE_QUEUE);
    assert_eq!(argument(&null_mut(), 8), CL_INVALID_DEVICE_QUEUE);
    assert_eq!(argument(null(), 8), CL_INVALID_DEVICE_QUEUE);
    assert_eq!(argument(&plain, 4), CL_INVALID_ARG_SIZE);
    assert_eq!(argument(&foreign, 8), CL_INVALID_CONTEXT);
    assert_eq!(argument(&first, 8), CL_SUCCESS);
    release([launch(host, kernel, 1, &[])]);
    assert_eq!(read::<i32>(host, mem, 1), [1]);
    release([first]);
    // SAFETY: live handles.
    let code = unsafe { clEnqueueNDRangeKernel(host, kernel, 1, none, &size, none, 0, null(), null_mut()) };
    assert_eq!(code, CL_INVALID_KERNEL_ARGS);
    release([kernel]);
    release([mem]);
    release([host, plain, foreign]);
    release([rig.program]);
    release([rig.context, other.context]);
}

/// CL_DEVICE_MAX_ON_DEVICE_QUEUES limits the queues of a context; releasing a queue allows another.
#[test]
fn queues_are_counted() {
    let device = cpu();
    let most = number_of(device, CL_DEVICE_MAX_ON_DEVICE_QUEUES) as usize;
    let [rig, other] = [(); 2].map(|()| Rig { device, context: context_of(&[device]), program: null_mut() });
    let key = u64::from(CL_QUEUE_PROPERTIES);
    let size = u64::from(CL_QUEUE_SIZE);
    let first = on_device(&rig, DEFAULT, Some(4096));
    let mut queues: Vec<_> = (0..most).map(|_| on_device(&rig, ON_DEVICE, Some(4096))).collect();
    for _ in 0..2 {
        assert_eq!(create(&rig, &[key, ON_DEVICE, size, 4096, 0]), Err(CL_OUT_OF_RESOURCES));
        // The default queue exists already.
        assert_eq!(on_device(&rig, DEFAULT, None), first);
        let elsewhere = on_device(&other, DEFAULT, None);
        release([elsewhere, first]);
        release(queues.pop());
        queues.push(on_device(&rig, ON_DEVICE, Some(4096)));
    }
    // Queues of the host do not count.
    let host = rig.queue(0);
    // SAFETY: live handles.
    ok(unsafe { clSetDefaultDeviceCommandQueue(rig.context, device, queues[0]) });
    release([first]);
    // One more queue is allowed, and there is a default queue.
    assert_eq!(on_device(&rig, DEFAULT, None), queues[0]);
    release([queues[0]]);
    queues.push(on_device(&rig, ON_DEVICE, Some(4096)));
    assert_eq!(create(&rig, &[key, ON_DEVICE, 0]), Err(CL_OUT_OF_RESOURCES));
    release(queues);
    assert_eq!(info(host, CL_QUEUE_DEVICE_DEFAULT), Ok(vec![0; 8]));
    // The default queue does not count.
    let queues: Vec<_> = (0..most).map(|_| on_device(&rig, ON_DEVICE, Some(4096))).collect();
    assert_eq!(create(&rig, &[key, ON_DEVICE, 0]), Err(CL_OUT_OF_RESOURCES));
    release([host, on_device(&rig, DEFAULT, None)]);
    release(queues);
    release([rig.context, other.context]);
}
