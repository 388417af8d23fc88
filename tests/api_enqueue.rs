//! Buffers, transfers and events through the ICD loader, on a real device.

#![allow(clippy::unwrap_used)]

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::mpsc;
use test_support::api::*;

struct Rig {
    context: cl_context,
    queue: cl_command_queue,
}

impl Rig {
    fn new(properties: cl_command_queue_properties) -> Rig {
        let (context, mut code) = (context(), 1);
        // SAFETY: live handles.
        let queue = unsafe { clCreateCommandQueue(context, device(), properties, &mut code) };
        assert_eq!(code, CL_SUCCESS);
        Rig { context, queue }
    }
    fn buffer(&self, flags: cl_mem_flags, size: usize, ptr: *mut c_void) -> Result<cl_mem, cl_int> {
        let mut code = 1;
        // SAFETY: the pointer goes with flags and size.
        let mem = unsafe { clCreateBuffer(self.context, flags, size, ptr, &mut code) };
        if code == CL_SUCCESS { Ok(mem) } else { Err(code) }
    }
    fn with(&self, bytes: &[u8]) -> cl_mem {
        self.buffer(CL_MEM_COPY_HOST_PTR, bytes.len(), bytes.as_ptr().cast_mut().cast()).unwrap()
    }
    fn read(&self, mem: cl_mem, size: usize) -> Vec<u8> {
        let mut out = vec![0u8; size];
        // SAFETY: room for `size` bytes.
        let code = unsafe {
            clEnqueueReadBuffer(self.queue, mem, 1, 0, size, out.as_mut_ptr().cast(), 0, null(), null_mut())
        };
        assert_eq!(code, CL_SUCCESS);
        out
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        // SAFETY: live handles, released once.
        unsafe {
            assert_eq!(clReleaseCommandQueue(self.queue), CL_SUCCESS);
            assert_eq!(clReleaseContext(self.context), CL_SUCCESS);
        }
    }
}

#[test]
fn bytes_move() {
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let rig = Rig::new(properties);
        let data: Vec<u8> = (0..=255).collect();
        let (a, b) = (rig.with(&data), rig.buffer(0, 256, null_mut()).unwrap());
        let (mut filled, mut copied) = (null_mut(), null_mut());
        // SAFETY: live handles and sizes within the buffers; the events are released.
        unsafe {
            let pattern = 0xabu8;
            let code = clEnqueueFillBuffer(
                rig.queue,
                b,
                (&raw const pattern).cast(),
                1,
                0,
                256,
                0,
                null(),
                &mut filled,
            );
            assert_eq!(code, CL_SUCCESS);
            assert_eq!(clEnqueueCopyBuffer(rig.queue, a, b, 16, 32, 64, 1, &filled, &mut copied), CL_SUCCESS);
            assert_eq!(clWaitForEvents(1, &copied), CL_SUCCESS);
            assert_eq!(clReleaseEvent(filled), CL_SUCCESS);
            assert_eq!(clReleaseEvent(copied), CL_SUCCESS);
        }
        let out = rig.read(b, 256);
        assert!(out[..32].iter().chain(&out[96..]).all(|v| *v == 0xab));
        assert_eq!(out[32..96], data[16..80]);
        let mut square = [0u8; 16];
        // SAFETY: a 4x4 region fits both sides.
        unsafe {
            let (origin, region) = ([4usize, 2, 0], [4usize, 4, 1]);
            let to = [0usize; 3];
            let code = clEnqueueReadBufferRect(
                rig.queue,
                a,
                1,
                origin.as_ptr(),
                to.as_ptr(),
                region.as_ptr(),
                16,
                0,
                4,
                0,
                square.as_mut_ptr().cast(),
                0,
                null(),
                null_mut(),
            );
            assert_eq!(code, CL_SUCCESS);
        }
        assert_eq!(square[..8], [36, 37, 38, 39, 52, 53, 54, 55]);
        // SAFETY: live handles.
        unsafe { assert_eq!((clReleaseMemObject(a), clReleaseMemObject(b)), (CL_SUCCESS, CL_SUCCESS)) };
    }
}

#[test]
fn maps_show_and_take_bytes() {
    let rig = Rig::new(0);
    let mut own = vec![5u8; 64];
    let cases = [rig.with(&[5u8; 64]), rig.buffer(CL_MEM_USE_HOST_PTR, 64, own.as_mut_ptr().cast()).unwrap()];
    for (i, mem) in cases.into_iter().enumerate() {
        let mut code = 1;
        // SAFETY: live handles; the mapping is used within its size and unmapped once.
        unsafe {
            let flags = CL_MAP_READ | CL_MAP_WRITE;
            let ptr = clEnqueueMapBuffer(rig.queue, mem, 1, flags, 8, 16, 0, null(), null_mut(), &mut code)
                .cast::<u8>();
            assert_eq!(code, CL_SUCCESS);
            if i == 1 {
                assert_eq!(ptr, own.as_mut_ptr().add(8));
            }
            assert_eq!(*ptr, 5);
            ptr.write(77);
            assert_eq!(
                clEnqueueUnmapMemObject(rig.queue, mem, ptr.cast(), 0, null(), null_mut()),
                CL_SUCCESS
            );
            assert_eq!(
                clEnqueueUnmapMemObject(rig.queue, mem, ptr.cast(), 0, null(), null_mut()),
                CL_INVALID_VALUE
            );
        }
        let out = rig.read(mem, 64);
        assert_eq!((out[7], out[8], out[9]), (5, 77, 5));
        // SAFETY: a live handle.
        unsafe { assert_eq!(clReleaseMemObject(mem), CL_SUCCESS) };
    }
}

#[test]
fn errors_of_buffers() {
    let rig = Rig::new(0);
    let mut byte = 0u8;
    let ptr: *mut c_void = (&raw mut byte).cast();
    assert_eq!(rig.buffer(0, 0, null_mut()), Err(CL_INVALID_BUFFER_SIZE));
    assert_eq!(rig.buffer(0, 1, ptr), Err(CL_INVALID_HOST_PTR));
    assert_eq!(rig.buffer(CL_MEM_USE_HOST_PTR, 1, null_mut()), Err(CL_INVALID_HOST_PTR));
    assert_eq!(rig.buffer(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 1, null_mut()), Err(CL_INVALID_VALUE));
    let mem = rig.buffer(CL_MEM_HOST_NO_ACCESS, 64, null_mut()).unwrap();
    // SAFETY: live handles; every call is refused.
    unsafe {
        let read = |offset, size, ptr| {
            clEnqueueReadBuffer(rig.queue, mem, 1, offset, size, ptr, 0, null(), null_mut())
        };
        assert_eq!(read(0, 1, ptr), CL_INVALID_OPERATION);
        assert_eq!(read(64, 1, ptr), CL_INVALID_VALUE);
        assert_eq!(read(0, 1, null_mut()), CL_INVALID_VALUE);
        let code = clEnqueueReadBuffer(rig.queue, mem, 1, 0, 1, ptr, 1, null(), null_mut());
        assert_eq!(code, CL_INVALID_EVENT_WAIT_LIST);
        assert_eq!(
            clEnqueueCopyBuffer(rig.queue, mem, mem, 0, 4, 8, 0, null(), null_mut()),
            CL_MEM_COPY_OVERLAP
        );
        assert_eq!(clReleaseMemObject(mem), CL_SUCCESS);
    }
}

unsafe extern "C" fn notify(_event: cl_event, status: cl_int, data: *mut c_void) {
    // SAFETY: the test passes a boxed sender.
    let sender = unsafe { Box::from_raw(data.cast::<mpsc::Sender<cl_int>>()) };
    sender.send(status).unwrap();
}

#[test]
fn user_events_and_callbacks() {
    for (set, expected) in [(CL_COMPLETE, CL_COMPLETE), (-9, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)] {
        let rig = Rig::new(CL_QUEUE_PROFILING_ENABLE);
        let (mut code, mut marker) = (1, null_mut());
        let (send, receive) = mpsc::channel::<cl_int>();
        // SAFETY: live handles, released once; the callback's data outlives it.
        unsafe {
            let gate = clCreateUserEvent(rig.context, &mut code);
            assert_eq!(code, CL_SUCCESS);
            assert_eq!(clEnqueueMarkerWithWaitList(rig.queue, 1, &gate, &mut marker), CL_SUCCESS);
            let data = Box::into_raw(Box::new(send));
            assert_eq!(clSetEventCallback(marker, CL_COMPLETE, Some(notify), data.cast()), CL_SUCCESS);
            assert_eq!(clSetUserEventStatus(gate, 1), CL_INVALID_VALUE);
            assert_eq!(clSetUserEventStatus(gate, set), CL_SUCCESS);
            assert_eq!(clSetUserEventStatus(gate, set), CL_INVALID_OPERATION);
            let waited = clWaitForEvents(1, &marker);
            assert_eq!(
                waited,
                if set < 0 { CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST } else { CL_SUCCESS }
            );
            assert_eq!(receive.recv().unwrap(), expected);
            let time = |name| {
                let mut ns = 0u64;
                let code = clGetEventProfilingInfo(marker, name, 8, (&raw mut ns).cast(), null_mut());
                if code == CL_SUCCESS { Ok(ns) } else { Err(code) }
            };
            if set < 0 {
                assert_eq!(time(CL_PROFILING_COMMAND_END), Err(CL_PROFILING_INFO_NOT_AVAILABLE));
            } else {
                let names =
                    [CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START];
                let times =
                    names.into_iter().chain([CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_COMPLETE]);
                let times: Vec<u64> = times.map(|n| time(n).unwrap()).collect();
                assert!(times.is_sorted() && times[0] > 0, "{times:?}");
            }
            assert_eq!(clReleaseEvent(gate), CL_SUCCESS);
            assert_eq!(clReleaseEvent(marker), CL_SUCCESS);
        }
    }
}
