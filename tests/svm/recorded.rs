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

pub fn recorded_commands() {
    let o = offer();
    let rig = rig();
    let queue = rig.queue(0);
    let (mut code, none, no_point, no_handle) = (1, null(), null_mut(), null_mut());
    let mutable = [u64::from(CL_COMMAND_BUFFER_FLAGS_KHR), CL_COMMAND_BUFFER_MUTABLE_KHR, 0];
    // SAFETY: the types are those of the extension; live handles, lists with their length, regions in bounds.
    unsafe {
        let create: Create = extension("clCreateCommandBufferKHR");
        let copy: RecordCopy = extension("clCommandSVMMemcpyKHR");
        let fill: RecordFill = extension("clCommandSVMMemFillKHR");
        let record: RecordLaunch = extension("clCommandNDRangeKernelKHR");
        let [finalize, free]: [OfBuffer; 2] =
            ["clFinalizeCommandBufferKHR", "clReleaseCommandBufferKHR"].map(|n| extension(n));
        let enqueue: Enqueue = extension("clEnqueueCommandBufferKHR");
        let update: Update = extension("clUpdateMutableCommandsKHR");
        let buffer = create(1, &queue, mutable.as_ptr(), &mut code);
        ok(code);
        let (word, mut other) = (5u32, [0u32; 2]);
        let pattern: *const c_void = (&raw const word).cast();
        if !o.coarse() {
            let p: *mut c_void = other.as_mut_ptr().cast();
            let invalid = CL_INVALID_OPERATION;
            assert_eq!(
                copy(buffer, null_mut(), null(), p, p.byte_add(4), 4, 0, none, no_point, no_handle),
                invalid
            );
            assert_eq!(
                fill(buffer, null_mut(), null(), p, pattern, 4, 4, 0, none, no_point, no_handle),
                invalid
            );
            ok(free(buffer));
            return release([queue]);
        }
        let [a, b, c] = [(); 3].map(|()| Svm::<u32>::new(rig.context, 0, 256));
        let (pa, pb) = (a.ptr.cast::<c_void>(), b.ptr.cast::<c_void>());
        let fail = |dst, src, code| {
            assert_eq!(copy(buffer, null_mut(), null(), dst, src, 8, 0, none, no_point, no_handle), code);
        };
        fail(null_mut(), pa, CL_INVALID_VALUE);
        fail(pa, null_mut(), CL_INVALID_VALUE);
        fail(pa, pa.byte_add(4), CL_MEM_COPY_OVERLAP);
        fail(other.as_mut_ptr().cast(), pa, CL_OUT_OF_RESOURCES);
        assert_eq!(
            fill(buffer, null_mut(), null(), pa, pattern, 3, 3, 0, none, no_point, no_handle),
            CL_INVALID_VALUE
        );
        ok(fill(buffer, null_mut(), null(), pa, pattern, 4, 1024, 0, none, no_point, no_handle));
        let scale = rig.kernel("scale");
        set_svm(scale, 0, a.ptr);
        set(scale, 1, 2u32);
        let (size, mut handle) = (256usize, null_mut());
        ok(record(
            buffer,
            null_mut(),
            null(),
            scale,
            1,
            null(),
            &size,
            null(),
            0,
            none,
            no_point,
            &mut handle,
        ));
        ok(copy(buffer, null_mut(), null(), pb, pa, 1024, 0, none, no_point, no_handle));
        ok(finalize(buffer));
        let replay = || ok(enqueue(0, null(), buffer, 0, null(), null_mut()));
        let look = |memory: &Svm<u32>, expected: &dyn Fn(u32) -> u32| {
            memory.map(queue, CL_MAP_READ);
            assert!(memory.slice().iter().enumerate().all(|(i, v)| *v == expected(i as u32)));
            memory.unmap(queue);
        };
        for _ in 0..2 {
            replay();
            look(&b, &|i| 10 + i);
        }
        // Another pointer, and the memory behind it: the copy sees the fill alone.
        c.map(queue, CL_MAP_WRITE_INVALIDATE_REGION);
        c.slice().fill(100);
        c.unmap(queue);
        let pointer = cl_mutable_dispatch_arg_khr { arg_index: 0, arg_size: 0, arg_value: c.ptr.cast() };
        let list = [c.ptr];
        let reached = cl_mutable_dispatch_exec_info_khr {
            param_name: CL_KERNEL_EXEC_INFO_SVM_PTRS,
            param_value_size: 8,
            param_value: list.as_ptr().cast(),
        };
        let config = cl_mutable_dispatch_config_khr {
            command: handle,
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
        ok(update(buffer, 1, &kind, &config));
        replay();
        look(&b, &|_| 5);
        look(&c, &|i| 200 + i);
        finish(queue);
        ok(free(buffer));
        release([scale]);
    }
    release([queue]);
}
