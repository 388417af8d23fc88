//! Every error code of the SVM functions, in the order of the specification.

use super::*;

pub fn errors_of_allocation() {
    let o = offer();
    let (context, device) = (context(), device());
    let most = number(&device_info(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE).unwrap()) as usize;
    // SAFETY: what is wrong is refused before it is used.
    unsafe {
        let refused = |flags, size, alignment| {
            assert!(clSVMAlloc(context, flags, size, alignment).is_null(), "{flags:#x} {size} {alignment}")
        };
        if !o.coarse() {
            refused(CL_MEM_READ_WRITE, 64, 0);
            clSVMFree(context, null_mut());
            return release([context]);
        }
        assert!(clSVMAlloc(null_mut(), CL_MEM_READ_WRITE, 64, 0).is_null());
        assert!(clSVMAlloc(device.cast(), CL_MEM_READ_WRITE, 64, 0).is_null());
        refused(CL_MEM_SVM_ATOMICS, 64, 0);
        refused(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, 0);
        refused(CL_MEM_COPY_HOST_PTR, 64, 0);
        refused(1 << 40, 64, 0);
        if !o.fine() {
            refused(CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0);
        }
        if !o.atomics() {
            refused(CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 64, 0);
        }
        refused(CL_MEM_READ_WRITE, 0, 0);
        refused(CL_MEM_READ_WRITE, most + 1, 0);
        refused(CL_MEM_READ_WRITE, 64, 3);
        refused(CL_MEM_READ_WRITE, 64, 256);
        for alignment in [1, 2, 4, 8, 16, 32, 64, 128] {
            let ptr = clSVMAlloc(context, CL_MEM_READ_ONLY, 1, alignment);
            assert!(!ptr.is_null() && (ptr as usize).is_multiple_of(alignment as usize));
            clSVMFree(context, ptr);
        }
    }
    release([context]);
}

/// Codes of one function: (condition, returned code).
macro_rules! expect {
    ($($call:expr => $code:expr,)*) => { $(assert_eq!($call, $code, "{}", stringify!($call));)* };
}

pub fn errors_of_commands() {
    let o = offer();
    let (rig, other) = (rig(), context());
    let queue = rig.queue(0);
    let mut code = 1;
    // SAFETY: what is wrong is refused before it is used.
    unsafe {
        let foreign = clCreateUserEvent(other, &mut code);
        let failed = rig.gate();
        open_gate(failed, -1);
        let mut list: [*mut c_void; 1] = [null_mut()];
        let none: *const cl_event = null();
        let (no_event, bad) = (null_mut(), rig.device.cast::<_cl_command_queue>());
        let wrong = CL_INVALID_EVENT_WAIT_LIST;
        let pattern = [0u64; 32];
        let pattern = pattern.as_ptr().cast::<c_void>();
        let free = |queue, n, list, waits, events| {
            clEnqueueSVMFree(queue, n, list, None, null_mut(), waits, events, no_event)
        };
        let copy = |q, dst, src, n, waits, events| {
            clEnqueueSVMMemcpy(q, CL_TRUE, dst, src, n, waits, events, no_event)
        };
        let fill = |q, p, pattern, size, n, waits, events| {
            clEnqueueSVMMemFill(q, p, pattern, size, n, waits, events, no_event)
        };
        let map =
            |q, flags, p, n, waits, events| clEnqueueSVMMap(q, CL_TRUE, flags, p, n, waits, events, no_event);
        let unmap = |q, p, waits, events| clEnqueueSVMUnmap(q, p, waits, events, no_event);
        let migrate = |q, n, list, flags, waits, events| {
            clEnqueueSVMMigrateMem(q, n, list, null(), flags, waits, events, no_event)
        };
        expect! {
            free(bad, 0, null_mut(), 0, none) => CL_INVALID_COMMAND_QUEUE,
            copy(bad, null_mut(), null(), 0, 0, none) => CL_INVALID_COMMAND_QUEUE,
            fill(bad, null_mut(), null(), 0, 0, 0, none) => CL_INVALID_COMMAND_QUEUE,
            map(bad, 0, null_mut(), 0, 0, none) => CL_INVALID_COMMAND_QUEUE,
            unmap(bad, null_mut(), 0, none) => CL_INVALID_COMMAND_QUEUE,
            migrate(bad, 0, null_mut(), 0, 0, none) => CL_INVALID_COMMAND_QUEUE,
        }
        if !o.coarse() {
            let mut some = [0u64; 2];
            let p: *mut c_void = some.as_mut_ptr().cast();
            let mut constant = [p.cast_const()];
            expect! {
                free(queue, 1, list.as_mut_ptr(), 0, none) => CL_INVALID_OPERATION,
                copy(queue, p, p.add(8), 8, 0, none) => CL_INVALID_OPERATION,
                fill(queue, p, pattern, 8, 8, 0, none) => CL_INVALID_OPERATION,
                map(queue, CL_MAP_READ, p, 8, 0, none) => CL_INVALID_OPERATION,
                unmap(queue, p, 0, none) => CL_INVALID_OPERATION,
                migrate(queue, 1, constant.as_mut_ptr(), 0, 0, none) => CL_INVALID_OPERATION,
            }
            release([foreign, failed]);
            release([other]);
            return release([queue]);
        }
        let memory = Svm::<u8>::new(rig.context, 0, 4096);
        let p: *mut c_void = memory.ptr.cast();
        let mut constant = [p.cast_const()];
        let (foreign_list, failed_list) = (&raw const foreign, &raw const failed);
        expect! {
            free(queue, 1, null_mut(), 0, none) => CL_INVALID_VALUE,
            free(queue, 0, list.as_mut_ptr(), 0, none) => CL_INVALID_VALUE,
            free(queue, 1, list.as_mut_ptr(), 1, none) => wrong,
            free(queue, 1, list.as_mut_ptr(), 0, failed_list) => wrong,
            free(queue, 1, list.as_mut_ptr(), 1, foreign_list) => CL_INVALID_CONTEXT,
            copy(queue, null_mut(), p, 8, 0, none) => CL_INVALID_VALUE,
            copy(queue, p, null(), 8, 0, none) => CL_INVALID_VALUE,
            copy(queue, p, p.add(7), 8, 0, none) => CL_MEM_COPY_OVERLAP,
            copy(queue, p.add(7), p, 8, 0, none) => CL_MEM_COPY_OVERLAP,
            copy(queue, p, p.add(8), 8, 1, none) => wrong,
            copy(queue, p, p.add(8), 8, 1, foreign_list) => CL_INVALID_CONTEXT,
            copy(queue, p, p.add(8), 8, 1, failed_list) => CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
            copy(queue, p, p.add(8), 8, 0, none) => CL_SUCCESS,
            fill(queue, null_mut(), pattern, 8, 8, 0, none) => CL_INVALID_VALUE,
            fill(queue, p.add(4), pattern, 8, 8, 0, none) => CL_INVALID_VALUE,
            fill(queue, p, null(), 8, 8, 0, none) => CL_INVALID_VALUE,
            fill(queue, p, pattern, 0, 8, 0, none) => CL_INVALID_VALUE,
            fill(queue, p, pattern, 3, 9, 0, none) => CL_INVALID_VALUE,
            fill(queue, p, pattern, 256, 256, 0, none) => CL_INVALID_VALUE,
            fill(queue, p, pattern, 8, 12, 0, none) => CL_INVALID_VALUE,
            fill(queue, p, pattern, 8, 8, 1, none) => wrong,
            fill(queue, p, pattern, 8, 8, 1, foreign_list) => CL_INVALID_CONTEXT,
            fill(queue, p, pattern, 128, 256, 0, none) => CL_SUCCESS,
            map(queue, CL_MAP_READ, null_mut(), 8, 0, none) => CL_INVALID_VALUE,
            map(queue, CL_MAP_READ, p, 0, 0, none) => CL_INVALID_VALUE,
            map(queue, 1 << 20, p, 8, 0, none) => CL_INVALID_VALUE,
            map(queue, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, p, 8, 0, none) => CL_INVALID_VALUE,
            map(queue, CL_MAP_READ, p, 8, 1, none) => wrong,
            map(queue, CL_MAP_READ, p, 8, 1, foreign_list) => CL_INVALID_CONTEXT,
            map(queue, CL_MAP_READ, p, 8, 1, failed_list) => CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
            map(queue, CL_MAP_READ, p, 8, 0, none) => CL_SUCCESS,
            unmap(queue, null_mut(), 0, none) => CL_INVALID_VALUE,
            unmap(queue, p, 1, none) => wrong,
            unmap(queue, p, 1, foreign_list) => CL_INVALID_CONTEXT,
            unmap(queue, p, 0, none) => CL_SUCCESS,
            migrate(queue, 0, null_mut(), 0, 0, none) => CL_INVALID_VALUE,
            migrate(queue, 1, null_mut(), 0, 0, none) => CL_INVALID_VALUE,
            migrate(queue, 0, constant.as_mut_ptr(), 0, 0, none) => CL_INVALID_VALUE,
            migrate(queue, 1, constant.as_mut_ptr(), 1 << 20, 0, none) => CL_INVALID_VALUE,
            migrate(queue, 1, constant.as_mut_ptr(), 0, 1, none) => wrong,
            migrate(queue, 1, constant.as_mut_ptr(), 0, 1, foreign_list) => CL_INVALID_CONTEXT,
        }
        let mut beyond = 4097usize;
        let mut outside = [(&raw const beyond).cast::<c_void>()];
        expect! {
            clEnqueueSVMMigrateMem(queue, 1, constant.as_mut_ptr(), &raw mut beyond, 0, 0, none, no_event)
                => CL_INVALID_VALUE,
            migrate(queue, 1, outside.as_mut_ptr(), 0, 0, none) => CL_INVALID_VALUE,
        }
        finish(queue);
        release([foreign, failed]);
    }
    release([other]);
    release([queue]);
}

pub fn errors_of_kernels() {
    let o = offer();
    let rig = rig();
    let (walk, scale) = (rig.kernel("walk"), rig.kernel("scale"));
    // SAFETY: what is wrong is refused before it is used.
    unsafe {
        let bad = rig.device.cast::<_cl_kernel>();
        let set = |kernel, index| clSetKernelArgSVMPointer(kernel, index, null());
        let info =
            |kernel, name, size, value: *const u64| clSetKernelExecInfo(kernel, name, size, value.cast());
        let list = [0u64; 2];
        let (none, some) = (null(), list.as_ptr());
        let truth = [1u32, 1];
        let yes = truth.as_ptr().cast::<u64>();
        const SVM: cl_uint = CL_KERNEL_EXEC_INFO_SVM_PTRS;
        const SYSTEM: cl_uint = CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM;
        expect! {
            set(bad, 0) => CL_INVALID_KERNEL,
            info(bad, SVM, 0, none) => CL_INVALID_KERNEL,
            info(walk, 0x1234, 0, none) => CL_INVALID_VALUE,
            info(walk, SVM, 8, none) => CL_INVALID_VALUE,
            info(walk, SVM, 0, some) => CL_INVALID_VALUE,
            info(walk, SVM, 7, some) => CL_INVALID_VALUE,
            info(walk, SYSTEM, 8, yes) => CL_INVALID_VALUE,
            info(walk, SYSTEM, 4, none) => CL_INVALID_VALUE,
            info(walk, SYSTEM, 4, yes) => if o.system() { CL_SUCCESS } else { CL_INVALID_OPERATION },
            info(walk, SYSTEM, 4, some) => CL_SUCCESS,
        }
        let supported = if o.coarse() { CL_SUCCESS } else { CL_INVALID_OPERATION };
        expect! {
            set(walk, 0) => supported,
            info(walk, SVM, 0, none) => supported,
            info(walk, SVM, 16, some) => supported,
        }
        if o.coarse() {
            expect! {
                set(walk, 2) => CL_INVALID_ARG_INDEX,
                set(scale, 1) => CL_INVALID_ARG_VALUE,
            }
            // A cloned kernel has the kernel's SVM pointers.
            let memory = Svm::<u32>::new(rig.context, 0, 4);
            let (queue, mut code) = (rig.queue(0), 1);
            set_svm(scale, 0, memory.ptr);
            let copy = clCloneKernel(scale, &mut code);
            ok(code);
            super::set(copy, 1, 0u32);
            launch(queue, copy, 4, &[]).release();
            memory.map(queue, CL_MAP_READ);
            assert_eq!(memory.slice(), [0, 1, 2, 3]);
            memory.unmap(queue);
            finish(queue);
            release([copy]);
            release([queue]);
        }
    }
    release([walk, scale]);
}
