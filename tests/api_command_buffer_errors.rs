//! cl_khr_command_buffer and cl_khr_command_buffer_mutable_dispatch: queries, and every error that can be
//! provoked.

#![allow(clippy::unwrap_used)]

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use test_support::api::command_buffer::*;
use test_support::api::recording::*;
use test_support::api::rig::*;
use test_support::api::*;

#[test]
fn queries() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let list = [FLAGS, CL_COMMAND_BUFFER_MUTABLE_KHR, BUFFER_ASSERTS, NO_MORE_GROUPS, 0];
    let buffer = create(queue, &list).unwrap();
    assert_eq!(number(&info(buffer, CL_COMMAND_BUFFER_NUM_QUEUES_KHR).unwrap()), 1);
    assert_eq!(number(&info(buffer, CL_COMMAND_BUFFER_QUEUES_KHR).unwrap()), queue as u64);
    assert_eq!(number(&info(buffer, CL_COMMAND_BUFFER_CONTEXT_KHR).unwrap()), rig.context as u64);
    assert_eq!(number(&info(buffer, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR).unwrap()), 1);
    // SAFETY: a live handle.
    ok(unsafe { clRetainCommandBufferKHR(buffer) });
    assert_eq!(number(&info(buffer, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR).unwrap()), 2);
    drop_buffer(buffer);
    let raw: Vec<u8> = list.iter().flat_map(|v| v.to_ne_bytes()).collect();
    assert_eq!(info(buffer, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR).unwrap(), raw);
    assert_eq!(info(buffer, 0x7777), Err(CL_INVALID_VALUE));
    let plain = create(queue, &[]).unwrap();
    assert_eq!(info(plain, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR).unwrap().len(), 0);
    let (mem, locate) = (rig.buffer(&[0u32; 64]), rig.kernel("where_am_i"));
    set(locate, 0, mem);
    set(locate, 1, 0u32);
    let properties = [FIELDS, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, ASSERTS, NO_MORE_GROUPS, 0];
    let (_, command) = record_as(buffer, &properties, locate, &[8, 4], &[2, 1], &[]).unwrap();
    let raw: Vec<u8> = properties.iter().flat_map(|v| v.to_ne_bytes()).collect();
    assert_eq!(command_info(command, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR).unwrap(), raw);
    assert_eq!(number(&command_info(command, CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR).unwrap()), queue as u64);
    assert_eq!(number(&command_info(command, CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR).unwrap()), buffer as u64);
    assert_eq!(number(&command_info(command, CL_MUTABLE_DISPATCH_KERNEL_KHR).unwrap()), locate as u64);
    assert_eq!(number(&command_info(command, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR).unwrap()), 2);
    let kind = number(&command_info(command, CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR).unwrap());
    assert_eq!(kind, u64::from(CL_COMMAND_NDRANGE_KERNEL));
    let sizes = |name| command_info(command, name).unwrap().chunks_exact(8).map(number).collect::<Vec<u64>>();
    assert_eq!(sizes(CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR), [8, 4]);
    assert_eq!(sizes(CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR), [2, 1]);
    assert_eq!(sizes(CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR), [0, 0]);
    assert_eq!(command_info(command, 0x7777), Err(CL_INVALID_VALUE));
    let (_, unknown) = record(plain, locate, 64, &[]);
    assert_eq!(command_info(unknown, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR).unwrap().len(), 0);
    // A handle is valid as long as the buffer.
    drop_buffer(buffer);
    assert_eq!(
        command_info(command, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR),
        Err(CL_INVALID_MUTABLE_COMMAND_KHR)
    );
    assert_eq!(info(buffer, CL_COMMAND_BUFFER_STATE_KHR), Err(CL_INVALID_COMMAND_BUFFER_KHR));
    // SAFETY: handles of another kind and of a dead object are looked up only.
    unsafe {
        assert_eq!(clRetainCommandBufferKHR(wrong_kind(queue)), CL_INVALID_COMMAND_BUFFER_KHR);
        assert_eq!(clReleaseCommandBufferKHR(buffer), CL_INVALID_COMMAND_BUFFER_KHR);
    }
    drop_buffer(plain);
}

#[test]
fn errors_of_creation() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    assert_eq!(create(wrong_kind(rig.context), &[]), Err(CL_INVALID_COMMAND_QUEUE));
    assert_eq!(create(null_mut(), &[]), Err(CL_INVALID_COMMAND_QUEUE));
    assert_eq!(create(queue, &[0x7777, 0, 0]), Err(CL_INVALID_VALUE));
    assert_eq!(create(queue, &[FLAGS, 1 << 40, 0]), Err(CL_INVALID_VALUE));
    assert_eq!(create(queue, &[FLAGS, 0, FLAGS, 0, 0]), Err(CL_INVALID_VALUE));
    assert_eq!(create(queue, &[BUFFER_ASSERTS, 2, 0]), Err(CL_INVALID_VALUE));
    drop_buffer(create(queue, &[FLAGS, CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR, 0]).unwrap());
    let mut code = 1;
    let queues = [queue, queue];
    // SAFETY: the list has two queues.
    unsafe {
        for (n, list) in [(0, queues.as_ptr()), (1, null()), (0, null())] {
            assert!(clCreateCommandBufferKHR(n, list, null(), &mut code).is_null());
            assert_eq!(code, CL_INVALID_VALUE);
            assert!(clCreateCommandBufferKHR(n, list, null(), null_mut()).is_null());
        }
    }
}

#[test]
fn errors_of_recording() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let (mem, add) = (rig.buffer(&[0u32; 64]), rig.kernel("add"));
    let foreign = Rig::new(SOURCE);
    let (other_queue, foreign_queue) = (rig.queue(0), foreign.queue(0));
    let (other_mem, other_kernel) = (foreign.buffer(&[0u32; 64]), foreign.kernel("add"));
    let buffer = create(queue, &[]).unwrap();
    let pattern = 1u32;
    let (zero, region) = ([0usize; 3], [4usize, 1, 1]);
    let (mut handle, none) = (null_mut(), null_mut());
    let (nothing, wrong, far) = ([0u64], [0x7777u64, 1, 0], 99);
    type Prefix =
        (cl_command_buffer_khr, cl_command_queue, *const u64, u32, *const u32, *mut cl_mutable_command_khr);
    let barrier = |(b, q, p, n, w, h): Prefix| {
        // SAFETY: pointers are NULL or valid.
        unsafe { clCommandBarrierWithWaitListKHR(b, q, p, n, w, null_mut(), h) }
    };
    let copy = |(b, q, p, n, w, h): Prefix| {
        // SAFETY: as above.
        unsafe { clCommandCopyBufferKHR(b, q, p, mem, mem, 0, 64, 64, n, w, null_mut(), h) }
    };
    let rect = |(b, q, p, n, w, h): Prefix| {
        let (from, to) = (zero.as_ptr(), [64usize, 0, 0]);
        // SAFETY: as above.
        unsafe {
            clCommandCopyBufferRectKHR(
                b,
                q,
                p,
                mem,
                mem,
                from,
                to.as_ptr(),
                region.as_ptr(),
                0,
                0,
                0,
                0,
                n,
                w,
                null_mut(),
                h,
            )
        }
    };
    let fill = |(b, q, p, n, w, h): Prefix| {
        // SAFETY: as above.
        unsafe {
            clCommandFillBufferKHR(b, q, p, mem, (&raw const pattern).cast(), 4, 0, 64, n, w, null_mut(), h)
        }
    };
    set(add, 0, mem);
    set(add, 1, 1u32);
    let size = 64usize;
    let kernel = |(b, q, p, n, w, h): Prefix| {
        // SAFETY: as above.
        unsafe { clCommandNDRangeKernelKHR(b, q, p, add, 1, null(), &size, null(), n, w, null_mut(), h) }
    };
    let all: [&dyn Fn(Prefix) -> cl_int; 5] = [&barrier, &copy, &rect, &fill, &kernel];
    for (i, command) in all.iter().enumerate() {
        assert_eq!(
            command((wrong_kind(queue), none, null(), 0, null(), null_mut())),
            CL_INVALID_COMMAND_BUFFER_KHR
        );
        assert_eq!(command((buffer, other_queue, null(), 0, null(), null_mut())), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(
            command((buffer, wrong_kind(mem), null(), 0, null(), null_mut())),
            CL_INVALID_COMMAND_QUEUE
        );
        assert_eq!(command((buffer, foreign_queue, null(), 0, null(), null_mut())), CL_INVALID_CONTEXT);
        assert_eq!(command((buffer, queue, null(), 0, null(), null_mut())), CL_SUCCESS);
        assert_eq!(command((buffer, none, wrong.as_ptr(), 0, null(), null_mut())), CL_INVALID_VALUE);
        assert_eq!(
            command((buffer, none, null(), 1, null(), null_mut())),
            CL_INVALID_SYNC_POINT_WAIT_LIST_KHR
        );
        assert_eq!(command((buffer, none, null(), 0, &far, null_mut())), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
        assert_eq!(command((buffer, none, null(), 1, &far, null_mut())), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
        assert_eq!(command((buffer, none, null(), 1, &0, null_mut())), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
        if i < 4 {
            assert_eq!(command((buffer, none, null(), 0, null(), &mut handle)), CL_INVALID_VALUE);
        }
        assert_eq!(command((buffer, none, nothing.as_ptr(), 0, null(), null_mut())), CL_SUCCESS);
    }
    errors_of_operands(buffer, mem, other_mem);
    errors_of_launches(&rig, queue, buffer, other_kernel);
    // A finalized buffer records nothing.
    assert_eq!(enqueue_on(buffer, &[queue]), CL_INVALID_OPERATION);
    assert_eq!(finalize(buffer), CL_SUCCESS);
    assert_eq!(finalize(buffer), CL_INVALID_OPERATION);
    assert_eq!(finalize(wrong_kind(queue)), CL_INVALID_COMMAND_BUFFER_KHR);
    let all: [&dyn Fn(Prefix) -> cl_int; 5] = [&barrier, &copy, &rect, &fill, &kernel];
    for command in all {
        assert_eq!(command((buffer, none, null(), 0, null(), null_mut())), CL_INVALID_OPERATION);
    }
    drop_buffer(buffer);
}

/// Checks that recorded commands share with enqueued ones.
fn errors_of_operands(buffer: cl_command_buffer_khr, mem: cl_mem, other_mem: cl_mem) {
    let (none, pattern) = (null_mut(), 1u32);
    let (zero, region) = ([0usize; 3], [4usize, 1, 1]);
    // SAFETY: pointers are NULL or valid, handles live or looked up only.
    unsafe {
        let copy = |src, dst, from, to, size| {
            clCommandCopyBufferKHR(
                buffer,
                none,
                null(),
                src,
                dst,
                from,
                to,
                size,
                0,
                null(),
                null_mut(),
                null_mut(),
            )
        };
        assert_eq!(copy(wrong_kind(buffer), mem, 0, 0, 4), CL_INVALID_MEM_OBJECT);
        assert_eq!(copy(mem, null_mut(), 0, 0, 4), CL_INVALID_MEM_OBJECT);
        assert_eq!(copy(mem, other_mem, 0, 0, 4), CL_INVALID_CONTEXT);
        assert_eq!(copy(mem, mem, 0, 1000, 4), CL_INVALID_VALUE);
        assert_eq!(copy(mem, mem, 0, 4, 8), CL_MEM_COPY_OVERLAP);
        let rect = |src, origin: *const usize, region: *const usize| {
            let to = [64usize, 0, 0];
            let (n, w, p) = (0, null(), null_mut());
            clCommandCopyBufferRectKHR(
                buffer,
                none,
                null(),
                src,
                mem,
                origin,
                to.as_ptr(),
                region,
                0,
                0,
                0,
                0,
                n,
                w,
                p,
                p.cast(),
            )
        };
        assert_eq!(rect(null_mut(), zero.as_ptr(), region.as_ptr()), CL_INVALID_MEM_OBJECT);
        assert_eq!(rect(other_mem, zero.as_ptr(), region.as_ptr()), CL_INVALID_CONTEXT);
        assert_eq!(rect(mem, null(), region.as_ptr()), CL_INVALID_VALUE);
        assert_eq!(rect(mem, zero.as_ptr(), zero.as_ptr()), CL_INVALID_VALUE);
        assert_eq!(rect(mem, [62usize, 0, 0].as_ptr(), region.as_ptr()), CL_MEM_COPY_OVERLAP);
        let fill = |mem, pattern: *const c_void, unit, offset, size| {
            clCommandFillBufferKHR(
                buffer,
                none,
                null(),
                mem,
                pattern,
                unit,
                offset,
                size,
                0,
                null(),
                null_mut(),
                null_mut(),
            )
        };
        let one: *const c_void = (&raw const pattern).cast();
        assert_eq!(fill(wrong_kind(buffer), one, 4, 0, 4), CL_INVALID_MEM_OBJECT);
        assert_eq!(fill(other_mem, one, 4, 0, 4), CL_INVALID_CONTEXT);
        assert_eq!(fill(mem, null(), 4, 0, 4), CL_INVALID_VALUE);
        assert_eq!(fill(mem, one, 0, 0, 4), CL_INVALID_VALUE);
        assert_eq!(fill(mem, one, 3, 0, 3), CL_INVALID_VALUE);
        assert_eq!(fill(mem, one, 4, 2, 4), CL_INVALID_VALUE);
        assert_eq!(fill(mem, one, 4, 0, 6), CL_INVALID_VALUE);
        assert_eq!(fill(mem, one, 4, 256, 4), CL_INVALID_VALUE);
    }
}

/// Checks of recorded launches.
fn errors_of_launches(
    rig: &Rig,
    queue: cl_command_queue,
    buffer: cl_command_buffer_khr,
    other_kernel: cl_kernel,
) {
    let add = rig.kernel("add");
    let mem = rig.buffer(&[0u32; 64]);
    set(add, 0, mem);
    set(add, 1, 1u32);
    let all = number(&device_info(device(), CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR).unwrap());
    assert_eq!(record_as(buffer, &[], wrong_kind(queue), &[64], &[], &[]), Err(CL_INVALID_KERNEL));
    assert_eq!(record_as(buffer, &[], other_kernel, &[64], &[], &[]), Err(CL_INVALID_CONTEXT));
    assert_eq!(record_as(buffer, &[], add, &[64, 1, 1, 1], &[], &[]), Err(CL_INVALID_WORK_DIMENSION));
    assert_eq!(record_as(buffer, &[], add, &[64], &[7], &[]), Err(CL_INVALID_WORK_GROUP_SIZE));
    assert_eq!(record_as(buffer, &[], add, &[1 << 20], &[1 << 20], &[]), Err(CL_INVALID_WORK_ITEM_SIZE));
    assert_eq!(
        record_as(buffer, &[FIELDS, all << 1 & !all, 0], add, &[64], &[], &[]),
        Err(CL_INVALID_OPERATION)
    );
    assert_eq!(record_as(buffer, &[FIELDS, 0, FIELDS, 0, 0], add, &[64], &[], &[]), Err(CL_INVALID_VALUE));
    assert_eq!(record_as(buffer, &[ASSERTS, 2, 0], add, &[64], &[], &[]), Err(CL_INVALID_VALUE));
    assert_eq!(record_as(buffer, &[ASSERTS, NO_MORE_GROUPS, 0], add, &[64], &[], &[]), Err(CL_INVALID_VALUE));
    assert!(record_as(buffer, &[ASSERTS, NO_MORE_GROUPS, 0], add, &[64], &[8], &[]).is_ok());
    let promised = create(queue, &[BUFFER_ASSERTS, NO_MORE_GROUPS, 0]).unwrap();
    assert_eq!(record_as(promised, &[], add, &[64], &[], &[]), Err(CL_INVALID_VALUE));
    let unset = rig.kernel("add");
    assert_eq!(record_as(buffer, &[], unset, &[64], &[], &[]), Err(CL_INVALID_KERNEL_ARGS));
    drop_buffer(promised);
}

#[test]
fn errors_of_enqueueing() {
    let rig = Rig::new(SOURCE);
    let (queue, foreign) = (rig.queue(0), Rig::new(SOURCE));
    let (mem, add) = (rig.buffer(&[0u32; 4]), rig.kernel("add"));
    set(add, 0, mem);
    set(add, 1, 1u32);
    let buffer = create(queue, &[]).unwrap();
    record(buffer, add, 4, &[]);
    assert_eq!(finalize(buffer), CL_SUCCESS);
    assert_eq!(enqueue_on(wrong_kind(queue), &[queue]), CL_INVALID_COMMAND_BUFFER_KHR);
    assert_eq!(enqueue_on(buffer, &[queue, queue]), CL_INVALID_VALUE);
    assert_eq!(enqueue_on(buffer, &[wrong_kind(mem)]), CL_INVALID_COMMAND_QUEUE);
    assert_eq!(enqueue_on(buffer, &[foreign.queue(0)]), CL_INVALID_CONTEXT);
    let gate = foreign.gate();
    // SAFETY: lists are NULL or have their length.
    unsafe {
        assert_eq!(clEnqueueCommandBufferKHR(1, null(), buffer, 0, null(), null_mut()), CL_INVALID_VALUE);
        assert_eq!(clEnqueueCommandBufferKHR(0, &queue, buffer, 0, null(), null_mut()), CL_INVALID_VALUE);
        assert_eq!(
            clEnqueueCommandBufferKHR(0, null(), buffer, 1, null(), null_mut()),
            CL_INVALID_EVENT_WAIT_LIST
        );
        assert_eq!(
            clEnqueueCommandBufferKHR(0, null(), buffer, 0, &gate, null_mut()),
            CL_INVALID_EVENT_WAIT_LIST
        );
        let no_event: cl_event = wrong_kind(queue);
        assert_eq!(
            clEnqueueCommandBufferKHR(0, null(), buffer, 1, &no_event, null_mut()),
            CL_INVALID_EVENT_WAIT_LIST
        );
        assert_eq!(clEnqueueCommandBufferKHR(0, null(), buffer, 1, &gate, null_mut()), CL_INVALID_CONTEXT);
    }
    assert_eq!(read::<u32>(queue, mem, 4), [0; 4]);
    drop_buffer(buffer);
}

#[test]
fn errors_of_updates_change_nothing() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let (mem, add) = (rig.buffer(&[0u32; 64]), rig.kernel("add"));
    set(add, 0, mem);
    set(add, 1, 1u32);
    let buffer = mutable(queue, 0);
    let (_, command) = record_as(buffer, &[], add, &[64], &[8], &[]).unwrap();
    let (_, closed) = record_as(buffer, &[FIELDS, 0, 0], add, &[64], &[8], &[]).unwrap();
    let value = 5u32;
    let args = [arg(1, &value)];
    let good = cl_mutable_dispatch_config_khr { num_args: 1, arg_list: args.as_ptr(), ..config(command) };
    assert_eq!(update(buffer, &[good]), CL_INVALID_OPERATION);
    assert_eq!(finalize(buffer), CL_SUCCESS);
    let fixed = create(queue, &[]).unwrap();
    let (_, of_fixed) = record(fixed, add, 64, &[]);
    assert_eq!(finalize(fixed), CL_SUCCESS);
    assert_eq!(
        update(fixed, &[cl_mutable_dispatch_config_khr { command: of_fixed, ..good }]),
        CL_INVALID_OPERATION
    );
    assert_eq!(update(wrong_kind(queue), &[good]), CL_INVALID_COMMAND_BUFFER_KHR);
    let kind = [CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR; 2];
    let list = [(&raw const good).cast::<c_void>(), null()];
    // SAFETY: lists are NULL or have their length.
    unsafe {
        assert_eq!(clUpdateMutableCommandsKHR(buffer, 1, null(), list.as_ptr()), CL_INVALID_VALUE);
        assert_eq!(clUpdateMutableCommandsKHR(buffer, 0, kind.as_ptr(), null()), CL_INVALID_VALUE);
        assert_eq!(clUpdateMutableCommandsKHR(buffer, 1, kind.as_ptr(), null()), CL_INVALID_VALUE);
        assert_eq!(clUpdateMutableCommandsKHR(buffer, 0, null(), list.as_ptr()), CL_INVALID_VALUE);
        assert_eq!(clUpdateMutableCommandsKHR(buffer, 2, kind.as_ptr(), list.as_ptr()), CL_INVALID_VALUE);
        assert_eq!(clUpdateMutableCommandsKHR(buffer, 1, &77, list.as_ptr()), CL_INVALID_VALUE);
        assert_eq!(clUpdateMutableCommandsKHR(buffer, 0, null(), null()), CL_SUCCESS);
    }
    let size = [32usize, 1, 1];
    let change = |f: &dyn Fn(&mut cl_mutable_dispatch_config_khr)| {
        let mut wrong = config(command);
        f(&mut wrong);
        // Only the first of the two is valid.
        update(buffer, &[good, wrong])
    };
    assert_eq!(change(&|c| c.command = wrong_kind(queue)), CL_INVALID_MUTABLE_COMMAND_KHR);
    assert_eq!(change(&|c| c.command = of_fixed), CL_INVALID_MUTABLE_COMMAND_KHR);
    assert_eq!(change(&|c| c.work_dim = 2), CL_INVALID_OPERATION);
    for field in 0..4 {
        let with = |c: &mut cl_mutable_dispatch_config_khr| {
            c.command = closed;
            match field {
                0 => c.global_work_offset = size.as_ptr(),
                1 => c.global_work_size = size.as_ptr(),
                2 => c.local_work_size = size.as_ptr(),
                _ => (c.num_args, c.arg_list) = (1, args.as_ptr()),
            }
        };
        assert_eq!(change(&with), CL_INVALID_OPERATION, "field {field}");
    }
    assert_eq!(change(&|c| c.num_args = 1), CL_INVALID_VALUE);
    assert_eq!(change(&|c| c.arg_list = args.as_ptr()), CL_INVALID_VALUE);
    assert_eq!(change(&|c| c.num_svm_args = 1), CL_INVALID_VALUE);
    assert_eq!(change(&|c| c.arg_svm_list = args.as_ptr()), CL_INVALID_VALUE);
    assert_eq!(change(&|c| c.num_exec_infos = 1), CL_INVALID_VALUE);
    let exec = cl_mutable_dispatch_exec_info_khr { param_name: 0, param_value_size: 0, param_value: null() };
    assert_eq!(change(&|c| c.exec_info_list = &exec), CL_INVALID_VALUE);
    let (one_more, bad_index, bad_size) = ([65usize], [arg(2, &value)], [arg(1, &1u64)]);
    assert_eq!(change(&|c| (c.num_args, c.arg_list) = (1, bad_index.as_ptr())), CL_INVALID_ARG_INDEX);
    assert_eq!(change(&|c| (c.num_args, c.arg_list) = (1, bad_size.as_ptr())), CL_INVALID_ARG_SIZE);
    // The local size no longer divides the global size; OpenCL C 1.2 has no non-uniform work-groups.
    assert_eq!(change(&|c| c.global_work_size = one_more.as_ptr()), CL_INVALID_WORK_GROUP_SIZE);
    let huge = [1usize << 20];
    assert_eq!(change(&|c| c.local_work_size = huge.as_ptr()), CL_INVALID_WORK_ITEM_SIZE);
    replay(buffer, &[]);
    assert_eq!(read::<u32>(queue, mem, 64), [2; 64]);
    assert_eq!(update(buffer, &[good]), CL_SUCCESS);
    replay(buffer, &[]);
    assert_eq!(read::<u32>(queue, mem, 64), [8; 64]);
    drop_buffer(buffer);
    drop_buffer(fixed);
}
