//! Shared memory in command buffers: recorded copies, fills and launches, and updates of pointers.

use super::*;

type Create =
    unsafe extern "C" fn(cl_uint, *const cl_command_queue, *const u64, *mut cl_int) -> cl_command_buffer_khr;
type OfBuffer = unsafe extern "C" fn(cl_command_buffer_khr) -> cl_int;
type Points = *mut cl_sync_point_khr;
type Waits = *const cl_sync_point_khr;
type Handle = *mut cl_mutable_command_khr;
type Enqueue =
    unsafe extern "C" fn(cl_uint, *const cl_command_queue, cl_command_buffer_khr, cl_uint, In, Out) -> cl_int;
type RecordCopy = unsafe extern "C" fn(
    cl_command_buffer_khr,
    cl_command_queue,
    *const u64,
    *mut c_void,
    *const c_void,
    usize,
    cl_uint,
    Waits,
    Points,
    Handle,
) -> cl_int;
type RecordFill = unsafe extern "C" fn(
    cl_command_buffer_khr,
    cl_command_queue,
    *const u64,
    *mut c_void,
    *const c_void,
    usize,
    usize,
    cl_uint,
    Waits,
    Points,
    Handle,
) -> cl_int;
type RecordLaunch = unsafe extern "C" fn(
    cl_command_buffer_khr,
    cl_command_queue,
    *const u64,
    cl_kernel,
    cl_uint,
    *const usize,
    *const usize,
    *const usize,
    cl_uint,
    Waits,
    Points,
    Handle,
) -> cl_int;
type Update =
    unsafe extern "C" fn(cl_command_buffer_khr, cl_uint, *const cl_uint, *const *const c_void) -> cl_int;

struct Functions {
    create: Create,
    copy: RecordCopy,
    fill: RecordFill,
    record: RecordLaunch,
    finalize: OfBuffer,
    free: OfBuffer,
    enqueue: Enqueue,
    update: Update,
}

fn functions() -> Functions {
    // SAFETY: the types are those of the extensions.
    unsafe {
        Functions {
            create: extension("clCreateCommandBufferKHR"),
            copy: extension("clCommandSVMMemcpyKHR"),
            fill: extension("clCommandSVMMemFillKHR"),
            record: extension("clCommandNDRangeKernelKHR"),
            finalize: extension("clFinalizeCommandBufferKHR"),
            free: extension("clReleaseCommandBufferKHR"),
            enqueue: extension("clEnqueueCommandBufferKHR"),
            update: extension("clUpdateMutableCommandsKHR"),
        }
    }
}

/// A mutable command buffer.
struct Recording {
    functions: Functions,
    buffer: cl_command_buffer_khr,
}

impl Recording {
    fn new(queue: cl_command_queue) -> Recording {
        let (functions, mut code) = (functions(), 1);
        let mutable = [u64::from(CL_COMMAND_BUFFER_FLAGS_KHR), CL_COMMAND_BUFFER_MUTABLE_KHR, 0];
        // SAFETY: one queue and a terminated list.
        let buffer = unsafe { (functions.create)(1, &queue, mutable.as_ptr(), &mut code) };
        ok(code);
        Recording { functions, buffer }
    }

    fn copy(&self, dst: *mut c_void, src: *const c_void, size: usize) -> cl_int {
        let (copy, on, list, waits, point) = (self.functions.copy, null_mut(), null(), null(), null_mut());
        // SAFETY: a live handle; regions in bounds or refused.
        unsafe { copy(self.buffer, on, list, dst, src, size, 0, waits, point, null_mut()) }
    }

    /// Records a fill with a pattern of the given size, of which the first four bytes are the number 5.
    fn fill(&self, dst: *mut c_void, pattern_size: usize, size: usize) -> cl_int {
        let (fill, on, list, waits, point) = (self.functions.fill, null_mut(), null(), null(), null_mut());
        let (word, end) = (5u32, null_mut());
        let pattern = (&raw const word).cast();
        // SAFETY: a live handle; regions in bounds or refused.
        unsafe { fill(self.buffer, on, list, dst, pattern, pattern_size, size, 0, waits, point, end) }
    }

    fn launch(&self, kernel: cl_kernel, size: usize) -> cl_mutable_command_khr {
        let (record, on, list, waits, point) =
            (self.functions.record, null_mut(), null(), null(), null_mut());
        let (none, mut handle) = (null(), null_mut());
        // SAFETY: live handles, one dimension.
        ok(unsafe {
            record(self.buffer, on, list, kernel, 1, none, &size, none, 0, waits, point, &mut handle)
        });
        handle
    }

    fn finalize(&self) {
        // SAFETY: a live handle.
        ok(unsafe { (self.functions.finalize)(self.buffer) });
    }

    fn replay(&self) {
        // SAFETY: a live handle.
        ok(unsafe { (self.functions.enqueue)(0, null(), self.buffer, 0, null(), null_mut()) });
    }

    /// Replaces the first argument of a launch, and the allocations that it accesses, by an allocation.
    fn update(&self, command: cl_mutable_command_khr, memory: *const c_void) {
        let pointer = cl_mutable_dispatch_arg_khr { arg_index: 0, arg_size: 0, arg_value: memory };
        let list = [memory];
        let reached = cl_mutable_dispatch_exec_info_khr {
            param_name: CL_KERNEL_EXEC_INFO_SVM_PTRS,
            param_value_size: 8,
            param_value: list.as_ptr().cast(),
        };
        let config = cl_mutable_dispatch_config_khr {
            command,
            num_args: 0,
            num_svm_args: 1,
            num_exec_infos: 1,
            work_dim: 0,
            arg_list: null(),
            arg_svm_list: &pointer,
            exec_info_list: &reached,
            global_work_offset: null(),
            global_work_size: null(),
            local_work_size: null(),
        };
        let (kind, config) = (CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR, (&raw const config).cast());
        // SAFETY: one structure of its type.
        ok(unsafe { (self.functions.update)(self.buffer, 1, &kind, &config) });
    }

    fn end(self) {
        // SAFETY: a live handle, released once.
        ok(unsafe { (self.functions.free)(self.buffer) });
    }
}

/// Compares the words of an allocation.
fn check(queue: cl_command_queue, memory: &Svm<u32>, expected: impl Fn(u32) -> u32) {
    memory.map(queue, CL_MAP_READ);
    assert!(memory.slice().iter().enumerate().all(|(i, v)| *v == expected(i as u32)));
    memory.unmap(queue);
}

/// Checks that a device without shared memory refuses commands on the host's memory.
fn check_unsupported(recording: &Recording) {
    let mut own = [0u32; 2];
    let own: *mut c_void = own.as_mut_ptr().cast();
    assert_eq!(recording.copy(own, own.wrapping_byte_add(4), 4), CL_INVALID_OPERATION);
    assert_eq!(recording.fill(own, 4, 4), CL_INVALID_OPERATION);
}

/// Checks the errors of commands on an allocation.
fn check_errors(recording: &Recording, ptr: *mut c_void) {
    let mut own = [0u32; 2];
    assert_eq!(recording.copy(null_mut(), ptr, 8), CL_INVALID_VALUE);
    assert_eq!(recording.copy(ptr, null_mut(), 8), CL_INVALID_VALUE);
    assert_eq!(recording.copy(ptr, ptr.wrapping_byte_add(4), 8), CL_MEM_COPY_OVERLAP);
    assert_eq!(recording.copy(own.as_mut_ptr().cast(), ptr, 8), CL_OUT_OF_RESOURCES);
    assert_eq!(recording.fill(ptr, 3, 3), CL_INVALID_VALUE);
}

pub fn recorded_commands() {
    let rig = rig();
    let queue = rig.queue(0);
    let recording = Recording::new(queue);
    if !offer().coarse() {
        check_unsupported(&recording);
        recording.end();
        return release([queue]);
    }
    let [a, b, c] = [(); 3].map(|()| Svm::<u32>::new(rig.context, 0, 256));
    check_errors(&recording, a.ptr.cast());
    ok(recording.fill(a.ptr.cast(), 4, 1024));
    let scale = rig.kernel("scale");
    set_svm(scale, 0, a.ptr);
    set(scale, 1, 2u32);
    let command = recording.launch(scale, 256);
    ok(recording.copy(b.ptr.cast(), a.ptr.cast(), 1024));
    recording.finalize();
    for _ in 0..2 {
        recording.replay();
        check(queue, &b, |i| 10 + i);
    }
    // Another pointer, and the memory behind it: the copy sees the fill alone.
    c.map(queue, CL_MAP_WRITE_INVALIDATE_REGION);
    c.slice().fill(100);
    c.unmap(queue);
    recording.update(command, c.ptr.cast());
    recording.replay();
    check(queue, &b, |_| 5);
    check(queue, &c, |i| 200 + i);
    finish(queue);
    recording.end();
    release([scale]);
    release([queue]);
}
