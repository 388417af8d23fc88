//! Context entry points through the ICD loader.

#![allow(clippy::unwrap_used)]

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use test_support::api::*;

fn create(properties: *const isize, devices: &[cl_device_id]) -> Result<cl_context, cl_int> {
    let mut code = 1;
    // SAFETY: the list is terminated; devices and their count agree.
    let context = unsafe {
        clCreateContext(properties, devices.len() as cl_uint, devices.as_ptr(), None, null_mut(), &mut code)
    };
    assert_eq!(context.is_null(), code != CL_SUCCESS);
    if code == CL_SUCCESS { Ok(context) } else { Err(code) }
}

fn release(context: cl_context) {
    // SAFETY: a live handle.
    assert_eq!(unsafe { clReleaseContext(context) }, CL_SUCCESS);
}

#[test]
fn properties() {
    let platform_key = CL_CONTEXT_PLATFORM as isize;
    let p = platform() as isize;
    let valid = [platform_key, p, CL_CONTEXT_INTEROP_USER_SYNC as isize, 0, 0];
    let context = create(valid.as_ptr(), &[device()]).unwrap();
    let answer = context_info(context, CL_CONTEXT_PROPERTIES).unwrap();
    let list: Vec<isize> =
        answer.chunks(size_of::<isize>()).map(|c| isize::from_ne_bytes(c.try_into().unwrap())).collect();
    assert_eq!(list, valid);
    release(context);
    assert_eq!(create([platform_key, p, platform_key, p, 0].as_ptr(), &[device()]), Err(CL_INVALID_PROPERTY));
    assert_eq!(create([0x7777, 1, 0].as_ptr(), &[device()]), Err(CL_INVALID_PROPERTY));
    assert_eq!(create([platform_key, device() as isize, 0].as_ptr(), &[device()]), Err(CL_INVALID_PLATFORM));
    let empty = create([0].as_ptr(), &[device()]).unwrap();
    assert_eq!(context_info(empty, CL_CONTEXT_PROPERTIES).unwrap().len(), size_of::<isize>());
    release(empty);
    let none = create(null(), &[device()]).unwrap();
    assert_eq!(context_info(none, CL_CONTEXT_PROPERTIES).unwrap().len(), 0);
    release(none);
}

#[test]
fn device_lists() {
    let d = device();
    let all = create(null(), &devices()).unwrap();
    assert_eq!(number(&context_info(all, CL_CONTEXT_NUM_DEVICES).unwrap()), devices().len() as u64);
    release(all);
    let twice = create(null(), &[d, d]).unwrap();
    assert_eq!(number(&context_info(twice, CL_CONTEXT_NUM_DEVICES).unwrap()), 1);
    assert_eq!(number(&context_info(twice, CL_CONTEXT_DEVICES).unwrap()), d as u64);
    release(twice);
    assert_eq!(create(null(), &[d, platform().cast()]), Err(CL_INVALID_DEVICE));
    let mut code = 1;
    // SAFETY: pointers are NULL or valid.
    unsafe {
        assert!(clCreateContext(null(), 0, &d, None, null_mut(), &mut code).is_null());
        assert_eq!(code, CL_INVALID_VALUE);
        // CL_INVALID_VALUE: user data without a callback.
        assert!(clCreateContext(null(), 1, &d, None, (&raw mut code).cast(), &mut code).is_null());
        assert_eq!(code, CL_INVALID_VALUE);
    }
}

#[test]
fn from_type() {
    let properties = [CL_CONTEXT_PLATFORM as isize, platform() as isize, 0];
    let make = |device_type, user_data: *mut c_void| {
        let mut code = 1;
        // SAFETY: a terminated list.
        let context =
            unsafe { clCreateContextFromType(properties.as_ptr(), device_type, None, user_data, &mut code) };
        (context, code)
    };
    let (context, code) = make(CL_DEVICE_TYPE_ALL, null_mut());
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(number(&context_info(context, CL_CONTEXT_NUM_DEVICES).unwrap()), devices().len() as u64);
    release(context);
    assert_eq!(make(CL_DEVICE_TYPE_CUSTOM, null_mut()).1, CL_DEVICE_NOT_FOUND);
    assert_eq!(make(0, null_mut()).1, CL_INVALID_DEVICE_TYPE);
    assert_eq!(make(1 << 30, null_mut()).1, CL_INVALID_DEVICE_TYPE);
    assert_eq!(make(CL_DEVICE_TYPE_ALL, platform().cast()).1, CL_INVALID_VALUE);
}

#[test]
fn reference_counts_and_stale_handles() {
    let context = context();
    let count = || context_info(context, CL_CONTEXT_REFERENCE_COUNT).map(|b| number(&b));
    // SAFETY: handles of live or dead objects, which the loader can follow.
    unsafe {
        assert_eq!(count(), Ok(1));
        assert_eq!(clRetainContext(context), CL_SUCCESS);
        assert_eq!(count(), Ok(2));
        assert_eq!(clReleaseContext(context), CL_SUCCESS);
        assert_eq!(clReleaseContext(context), CL_SUCCESS);
        assert_eq!(count(), Err(CL_INVALID_CONTEXT));
        assert_eq!(clRetainContext(context), CL_INVALID_CONTEXT);
        assert_eq!(clReleaseContext(context), CL_INVALID_CONTEXT);
        assert_eq!(clSetContextDestructorCallback(context, Some(note), null_mut()), CL_INVALID_CONTEXT);
        assert_eq!(clReleaseContext(device().cast()), CL_INVALID_CONTEXT);
    }
    assert_eq!(context_info(platform().cast(), CL_CONTEXT_NUM_DEVICES), Err(CL_INVALID_CONTEXT));
}

static NOTED: Mutex<Vec<usize>> = Mutex::new(Vec::new());

unsafe extern "C" fn note(_context: cl_context, data: *mut c_void) {
    NOTED.lock().unwrap().push(data as usize);
}

#[test]
fn destructor_callbacks_run_in_reverse_order() {
    let context = context();
    // SAFETY: live handles and a function of the right type.
    unsafe {
        assert_eq!(clSetContextDestructorCallback(context, None, null_mut()), CL_INVALID_VALUE);
        for data in [1usize, 2, 3] {
            let data = std::ptr::without_provenance_mut(data);
            assert_eq!(clSetContextDestructorCallback(context, Some(note), data), CL_SUCCESS);
        }
        assert_eq!(clRetainContext(context), CL_SUCCESS);
        assert_eq!(clReleaseContext(context), CL_SUCCESS);
        assert!(NOTED.lock().unwrap().is_empty());
        assert_eq!(clReleaseContext(context), CL_SUCCESS);
    }
    assert!(eventually(|| NOTED.lock().unwrap().len() >= 3));
    assert_eq!(*NOTED.lock().unwrap(), [3, 2, 1]);
}

#[test]
fn default_device_queue() {
    let context = context();
    // A device without such queues reports that before it looks at the queue.
    let no_queue = if has_device_queues() { CL_INVALID_COMMAND_QUEUE } else { CL_INVALID_OPERATION };
    // SAFETY: live handles, and a null one.
    unsafe {
        assert_eq!(clSetDefaultDeviceCommandQueue(context, device(), null_mut()), no_queue);
        assert_eq!(clSetDefaultDeviceCommandQueue(context, platform().cast(), null_mut()), CL_INVALID_DEVICE);
        assert_eq!(clSetDefaultDeviceCommandQueue(device().cast(), device(), null_mut()), CL_INVALID_CONTEXT);
    }
    release(context);
}

#[test]
fn unknown_queries() {
    let context = context();
    assert_eq!(context_info(context, 0x4242), Err(CL_INVALID_VALUE));
    release(context);
}

#[test]
fn threads_share_a_context_and_make_their_own() {
    let shared = context() as usize;
    let threads: Vec<_> = (0..8)
        .map(|_| {
            std::thread::spawn(move || {
                let shared = std::ptr::with_exposed_provenance_mut(shared);
                for _ in 0..200 {
                    let own = create(null(), &[device()]).unwrap();
                    assert_ne!(own, shared);
                    // SAFETY: live handles.
                    unsafe { assert_eq!(clRetainContext(shared), CL_SUCCESS) };
                    assert!(number(&context_info(shared, CL_CONTEXT_REFERENCE_COUNT).unwrap()) >= 2);
                    release(shared);
                    release(own);
                    assert_eq!(context_info(own, CL_CONTEXT_NUM_DEVICES), Err(CL_INVALID_CONTEXT));
                }
            })
        })
        .collect();
    assert!(threads.into_iter().all(|t| t.join().is_ok()));
    let shared: cl_context = std::ptr::with_exposed_provenance_mut(shared);
    assert_eq!(number(&context_info(shared, CL_CONTEXT_REFERENCE_COUNT).unwrap()), 1);
    release(shared);
}

/// Messages that the context callback received.
static REPORTS: Mutex<Vec<String>> = Mutex::new(Vec::new());

unsafe extern "C" fn remember(text: *const std::ffi::c_char, _: *const c_void, _: usize, _: *mut c_void) {
    // SAFETY: the text is a C string, as the specification says.
    let text = unsafe { std::ffi::CStr::from_ptr(text) };
    REPORTS.lock().unwrap().push(text.to_string_lossy().into_owned());
}

fn reported(words: &str) -> bool {
    eventually(|| REPORTS.lock().unwrap().iter().any(|r| r.contains(words)))
}

#[test]
fn errors_are_reported_to_the_callback() {
    let d = device();
    let mut code = 0;
    // SAFETY: pointers are NULL or valid, counts agree with them, and the callback stays.
    unsafe {
        let context = clCreateContext(null(), 1, &d, Some(remember), null_mut(), &mut code);
        assert_eq!(code, CL_SUCCESS);
        assert!(clCreateBuffer(context, 0, 0, null_mut(), &mut code).is_null());
        assert!(reported("clCreateBuffer: CL_INVALID_BUFFER_SIZE"), "{:?}", REPORTS.lock());
        let queue = clCreateCommandQueue(context, d, 0, &mut code);
        let buffer = clCreateBuffer(context, 0, 16, null_mut(), &mut code);
        let mut bytes = [0u8; 32];
        code = clEnqueueReadBuffer(queue, buffer, 1, 0, 32, bytes.as_mut_ptr().cast(), 0, null(), null_mut());
        assert_eq!(code, CL_INVALID_VALUE);
        assert!(reported("clEnqueueReadBuffer: CL_INVALID_VALUE"), "{:?}", REPORTS.lock());
        let source = c"kernel void k(global int *p) { *p = nothing; }";
        let program = clCreateProgramWithSource(context, 1, &mut source.as_ptr(), null(), &mut code);
        assert_eq!(clBuildProgram(program, 0, null(), null(), None, null_mut()), CL_BUILD_PROGRAM_FAILURE);
        assert!(reported("clBuildProgram: CL_BUILD_PROGRAM_FAILURE"), "{:?}", REPORTS.lock());
        // Errors of queries are not reported.
        assert_eq!(clGetContextInfo(context, 0x7777, 0, null_mut(), null_mut()), CL_INVALID_VALUE);
        assert!(!REPORTS.lock().unwrap().iter().any(|r| r.contains("clGetContextInfo")));
        clReleaseProgram(program);
        clReleaseMemObject(buffer);
        clReleaseCommandQueue(queue);
        release(context);
    }
}
