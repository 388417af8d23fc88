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

/// Objects of refused commands.
struct Objects {
    rig: Rig,
    other: cl_context,
    queue: cl_command_queue,
    /// No command queue.
    bad: cl_command_queue,
    /// Event of another context.
    foreign: cl_event,
    /// Event of a failed command.
    failed: cl_event,
}

impl Objects {
    fn new() -> Objects {
        let (rig, other, mut code) = (bare_rig(), context(), 1);
        // SAFETY: a live context.
        let foreign = unsafe { clCreateUserEvent(other, &mut code) };
        ok(code);
        let failed = rig.gate();
        open_gate(failed, -1);
        Objects { rig, other, queue: rig.queue(0), bad: rig.device.cast(), foreign, failed }
    }

    /// Memory for commands, unless the device has none.
    fn memory(&self) -> Option<Svm<u8>> {
        offer().coarse().then(|| Svm::<u8>::new(self.rig.context, 0, 4096))
    }

    fn end(self) {
        finish(self.queue);
        release([self.foreign, self.failed]);
        release([self.other]);
        release([self.queue]);
    }
}

const NONE: *const cl_event = null();
const WRONG: cl_int = CL_INVALID_EVENT_WAIT_LIST;

pub fn errors_of_frees() {
    let o = Objects::new();
    let mut list: [*mut c_void; 1] = [null_mut()];
    let free = |queue, n, list, waits, events| {
        // SAFETY: what is wrong is refused before it is used.
        unsafe { clEnqueueSVMFree(queue, n, list, None, null_mut(), waits, events, null_mut()) }
    };
    expect! { free(o.bad, 0, null_mut(), 0, NONE) => CL_INVALID_COMMAND_QUEUE, }
    if offer().coarse() {
        expect! {
            free(o.queue, 1, null_mut(), 0, NONE) => CL_INVALID_VALUE,
            free(o.queue, 0, list.as_mut_ptr(), 0, NONE) => CL_INVALID_VALUE,
            free(o.queue, 1, list.as_mut_ptr(), 1, NONE) => WRONG,
            free(o.queue, 1, list.as_mut_ptr(), 0, &o.failed) => WRONG,
            free(o.queue, 1, list.as_mut_ptr(), 1, &o.foreign) => CL_INVALID_CONTEXT,
        }
    } else {
        expect! { free(o.queue, 1, list.as_mut_ptr(), 0, NONE) => CL_INVALID_OPERATION, }
    }
    o.end();
}

pub fn errors_of_copies() {
    let o = Objects::new();
    let copy = |q, dst, src, n, waits, events| {
        // SAFETY: what is wrong is refused before it is used.
        unsafe { clEnqueueSVMMemcpy(q, CL_TRUE, dst, src, n, waits, events, null_mut()) }
    };
    expect! { copy(o.bad, null_mut(), null(), 0, 0, NONE) => CL_INVALID_COMMAND_QUEUE, }
    if let Some(memory) = o.memory() {
        let p: *mut c_void = memory.ptr.cast();
        let behind = |n| p.wrapping_byte_add(n);
        let failure = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        expect! {
            copy(o.queue, null_mut(), p, 8, 0, NONE) => CL_INVALID_VALUE,
            copy(o.queue, p, null(), 8, 0, NONE) => CL_INVALID_VALUE,
            copy(o.queue, p, behind(7), 8, 0, NONE) => CL_MEM_COPY_OVERLAP,
            copy(o.queue, behind(7), p, 8, 0, NONE) => CL_MEM_COPY_OVERLAP,
            copy(o.queue, p, behind(8), 8, 1, NONE) => WRONG,
            copy(o.queue, p, behind(8), 8, 1, &o.foreign) => CL_INVALID_CONTEXT,
            copy(o.queue, p, behind(8), 8, 1, &o.failed) => failure,
            copy(o.queue, p, behind(8), 8, 0, NONE) => CL_SUCCESS,
        }
    } else {
        let mut some = [0u64; 2];
        let p: *mut c_void = some.as_mut_ptr().cast();
        expect! { copy(o.queue, p, p.wrapping_byte_add(8), 8, 0, NONE) => CL_INVALID_OPERATION, }
    }
    o.end();
}

pub fn errors_of_fills() {
    let (o, pattern) = (Objects::new(), [0u64; 32]);
    let pattern = pattern.as_ptr().cast::<c_void>();
    let fill = |q, p, pattern, size, n, waits, events| {
        // SAFETY: what is wrong is refused before it is used.
        unsafe { clEnqueueSVMMemFill(q, p, pattern, size, n, waits, events, null_mut()) }
    };
    expect! { fill(o.bad, null_mut(), null(), 0, 0, 0, NONE) => CL_INVALID_COMMAND_QUEUE, }
    if let Some(memory) = o.memory() {
        let p: *mut c_void = memory.ptr.cast();
        expect! {
            fill(o.queue, null_mut(), pattern, 8, 8, 0, NONE) => CL_INVALID_VALUE,
            fill(o.queue, p.wrapping_byte_add(4), pattern, 8, 8, 0, NONE) => CL_INVALID_VALUE,
            fill(o.queue, p, null(), 8, 8, 0, NONE) => CL_INVALID_VALUE,
            fill(o.queue, p, pattern, 0, 8, 0, NONE) => CL_INVALID_VALUE,
            fill(o.queue, p, pattern, 3, 9, 0, NONE) => CL_INVALID_VALUE,
            fill(o.queue, p, pattern, 256, 256, 0, NONE) => CL_INVALID_VALUE,
            fill(o.queue, p, pattern, 8, 12, 0, NONE) => CL_INVALID_VALUE,
            fill(o.queue, p, pattern, 8, 8, 1, NONE) => WRONG,
            fill(o.queue, p, pattern, 8, 8, 1, &o.foreign) => CL_INVALID_CONTEXT,
            fill(o.queue, p, pattern, 128, 256, 0, NONE) => CL_SUCCESS,
        }
        finish(o.queue);
    } else {
        let mut some = [0u64; 2];
        expect! { fill(o.queue, some.as_mut_ptr().cast(), pattern, 8, 8, 0, NONE) => CL_INVALID_OPERATION, }
    }
    o.end();
}

pub fn errors_of_maps() {
    let o = Objects::new();
    let map = |q, flags, p, n, waits, events| {
        // SAFETY: what is wrong is refused before it is used.
        unsafe { clEnqueueSVMMap(q, CL_TRUE, flags, p, n, waits, events, null_mut()) }
    };
    // SAFETY: as above.
    let unmap = |q, p, waits, events| unsafe { clEnqueueSVMUnmap(q, p, waits, events, null_mut()) };
    expect! {
        map(o.bad, 0, null_mut(), 0, 0, NONE) => CL_INVALID_COMMAND_QUEUE,
        unmap(o.bad, null_mut(), 0, NONE) => CL_INVALID_COMMAND_QUEUE,
    }
    if let Some(memory) = o.memory() {
        let p: *mut c_void = memory.ptr.cast();
        let invalid = CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION;
        let failure = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        expect! {
            map(o.queue, CL_MAP_READ, null_mut(), 8, 0, NONE) => CL_INVALID_VALUE,
            map(o.queue, CL_MAP_READ, p, 0, 0, NONE) => CL_INVALID_VALUE,
            map(o.queue, 1 << 20, p, 8, 0, NONE) => CL_INVALID_VALUE,
            map(o.queue, invalid, p, 8, 0, NONE) => CL_INVALID_VALUE,
            map(o.queue, CL_MAP_READ, p, 8, 1, NONE) => WRONG,
            map(o.queue, CL_MAP_READ, p, 8, 1, &o.foreign) => CL_INVALID_CONTEXT,
            map(o.queue, CL_MAP_READ, p, 8, 1, &o.failed) => failure,
            map(o.queue, CL_MAP_READ, p, 8, 0, NONE) => CL_SUCCESS,
            unmap(o.queue, null_mut(), 0, NONE) => CL_INVALID_VALUE,
            unmap(o.queue, p, 1, NONE) => WRONG,
            unmap(o.queue, p, 1, &o.foreign) => CL_INVALID_CONTEXT,
            unmap(o.queue, p, 0, NONE) => CL_SUCCESS,
        }
        finish(o.queue);
    } else {
        let mut some = [0u64; 2];
        let p: *mut c_void = some.as_mut_ptr().cast();
        expect! {
            map(o.queue, CL_MAP_READ, p, 8, 0, NONE) => CL_INVALID_OPERATION,
            unmap(o.queue, p, 0, NONE) => CL_INVALID_OPERATION,
        }
    }
    o.end();
}

pub fn errors_of_migrations() {
    let o = Objects::new();
    let migrate = |q, n, list, sizes, flags, waits, events| {
        // SAFETY: what is wrong is refused before it is used.
        unsafe { clEnqueueSVMMigrateMem(q, n, list, sizes, flags, waits, events, null_mut()) }
    };
    expect! { migrate(o.bad, 0, null_mut(), null(), 0, 0, NONE) => CL_INVALID_COMMAND_QUEUE, }
    if let Some(memory) = o.memory() {
        let mut list = [memory.ptr.cast::<c_void>().cast_const()];
        let list = list.as_mut_ptr();
        let beyond = 4097usize;
        let mut outside = [(&raw const beyond).cast::<c_void>()];
        expect! {
            migrate(o.queue, 0, null_mut(), null(), 0, 0, NONE) => CL_INVALID_VALUE,
            migrate(o.queue, 1, null_mut(), null(), 0, 0, NONE) => CL_INVALID_VALUE,
            migrate(o.queue, 0, list, null(), 0, 0, NONE) => CL_INVALID_VALUE,
            migrate(o.queue, 1, list, null(), 1 << 20, 0, NONE) => CL_INVALID_VALUE,
            migrate(o.queue, 1, list, null(), 0, 1, NONE) => WRONG,
            migrate(o.queue, 1, list, null(), 0, 1, &o.foreign) => CL_INVALID_CONTEXT,
            migrate(o.queue, 1, list, &beyond, 0, 0, NONE) => CL_INVALID_VALUE,
            migrate(o.queue, 1, outside.as_mut_ptr(), null(), 0, 0, NONE) => CL_INVALID_VALUE,
        }
    } else {
        let some = [0u64; 2];
        let mut list = [some.as_ptr().cast::<c_void>()];
        expect! { migrate(o.queue, 1, list.as_mut_ptr(), null(), 0, 0, NONE) => CL_INVALID_OPERATION, }
    }
    o.end();
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
