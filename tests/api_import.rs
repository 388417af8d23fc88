//! cl_arm_import_memory on every device alone and on all of them together: kernels access the application's
//! memory in place. Import of dma_bufs, and its errors, on devices that support it; `memory::import` tests
//! the rest.

#![allow(clippy::unwrap_used)]

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use test_support::api::extension::device_has as has;
use test_support::api::extension::has_extension;
use test_support::api::other_vulkan::OtherVulkan;
use test_support::api::rig::*;
use test_support::api::*;
use test_support::extension_functions;
use test_support::skipped;

extension_functions! {
    fn clImportMemoryARM(
        context: cl_context, flags: cl_mem_flags, properties: *const cl_import_properties_arm,
        memory: *mut c_void, size: usize, errcode_ret: *mut cl_int
    ) -> cl_mem;
}

const N: usize = 3000;
const TYPE: isize = CL_IMPORT_TYPE_ARM as isize;
const HOST: isize = CL_IMPORT_TYPE_HOST_ARM as isize;
const DMA_BUF: isize = CL_IMPORT_TYPE_DMA_BUF_ARM as isize;

/// Contexts of each device that imports pages, and one of all such devices.
fn contexts() -> Vec<(cl_context, Vec<cl_device_id>)> {
    let devices: Vec<_> =
        vulkan_and_processor().into_iter().filter(|d| has(*d, "cl_arm_import_memory_host")).collect();
    assert!(devices.len() >= if is_another_device() { 1 } else { 2 });
    assert!(devices.iter().all(|d| has(*d, "cl_arm_import_memory")));
    let mut lists: Vec<_> = devices.iter().map(|d| vec![*d]).collect();
    lists.push(devices);
    let make = |list: Vec<cl_device_id>| {
        let mut code = 1;
        // SAFETY: as many devices as are said.
        let context =
            unsafe { clCreateContext(null(), list.len() as u32, list.as_ptr(), None, null_mut(), &mut code) };
        ok(code);
        (context, list)
    };
    lists.into_iter().map(make).collect()
}

fn import(
    context: cl_context,
    flags: cl_mem_flags,
    list: &[isize],
    memory: *mut c_void,
    size: usize,
) -> Result<cl_mem, cl_int> {
    let mut code = 1;
    let list = if list.is_empty() { null() } else { list.as_ptr() };
    // SAFETY: a terminated list; what the memory is follows from it.
    let mem = unsafe { clImportMemoryARM(context, flags, list, memory, size, &mut code) };
    assert_eq!(mem.is_null(), code != CL_SUCCESS);
    if code == CL_SUCCESS { Ok(mem) } else { Err(code) }
}

#[test]
fn kernels_work_on_the_applications_memory() {
    for (context, devices) in contexts() {
        let program = build(context, devices[0], STEPS);
        // Aligned neither to a page nor to a vector.
        let mut words: Vec<u32> = (0..N as u32 + 10).collect();
        let mut expected = words.clone();
        let memory = words.as_mut_ptr();
        // SAFETY: within the vector.
        let start = unsafe { memory.add(3) };
        let mem = import(context, CL_MEM_READ_WRITE, &[TYPE, HOST, 0], start.cast(), 4 * N).unwrap();
        let part = {
            let (region, mut code) = (cl_buffer_region { origin: 1024, size: 64 }, 1);
            // SAFETY: a region of a live buffer.
            let part = unsafe {
                clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast(), &mut code)
            };
            ok(code);
            part
        };
        for (i, device) in devices.iter().enumerate() {
            let rig = Rig { device: *device, context, program };
            let (queue, step) = (rig.queue(0), rig.kernel("step"));
            for round in 0..3u32 {
                set(step, 0, mem);
                set(step, 1, 3u32);
                set(step, 2, round);
                launch(queue, step, N, &[]).release();
                set(step, 0, part);
                launch(queue, step, 16, &[]).release();
                finish(queue);
                expected[3..3 + N].iter_mut().for_each(|w| *w = w.wrapping_mul(3).wrapping_add(round));
                expected[3 + 256..3 + 272]
                    .iter_mut()
                    .for_each(|w| *w = w.wrapping_mul(3).wrapping_add(round));
                // SAFETY: the vector has the words, and no command is using them.
                let seen = unsafe { std::slice::from_raw_parts_mut(memory, N + 10) };
                assert_eq!(seen, &expected[..], "device {i}, round {round}");
                // The next command sees the host's writes.
                seen[3 + 7] = 1000 * round;
                expected[3 + 7] = 1000 * round;
            }
            assert_eq!(read::<u32>(queue, mem, N), expected[3..3 + N]);
            // A mapping returns the imported address; fills and writes go there.
            let (mut code, word, flags) = (1, 77u32, CL_MAP_READ | CL_MAP_WRITE);
            // SAFETY: live handles, sizes within the buffer.
            unsafe {
                let ptr = clEnqueueMapBuffer(queue, mem, 1, flags, 8, 16, 0, null(), null_mut(), &mut code);
                ok(code);
                assert_eq!(ptr, start.add(2).cast());
                ok(clEnqueueUnmapMemObject(queue, mem, ptr, 0, null(), null_mut()));
                ok(clEnqueueFillBuffer(queue, mem, (&raw const word).cast(), 4, 0, 8, 0, null(), null_mut()));
                ok(clEnqueueWriteBuffer(
                    queue,
                    mem,
                    1,
                    8,
                    4,
                    (&raw const word).cast(),
                    0,
                    null(),
                    null_mut(),
                ));
                finish(queue);
                expected[3..6].fill(77);
                assert_eq!(std::slice::from_raw_parts(memory, N + 10), &expected[..]);
            }
            step.release();
            queue.release();
        }
        release([part, mem]);
        program.release();
        context.release();
        assert_eq!(words, expected);
    }
}

#[test]
fn what_is_no_import_is_refused() {
    for (context, _) in contexts() {
        let mut words = [0u32; 16];
        let memory: *mut c_void = words.as_mut_ptr().cast();
        let refused =
            |flags, list: &[isize], memory, size| import(context, flags, list, memory, size).unwrap_err();
        let rw = CL_MEM_READ_WRITE;
        for wrong in
            [CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR, 1 << 40, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY]
        {
            assert_eq!(refused(wrong, &[], memory, 64), CL_INVALID_VALUE);
        }
        assert_eq!(refused(rw, &[], null_mut(), 64), CL_INVALID_VALUE);
        assert_eq!(refused(rw, &[], memory, 0), CL_INVALID_BUFFER_SIZE);
        assert_eq!(refused(rw, &[], memory, usize::MAX), CL_INVALID_BUFFER_SIZE);
        for wrong in [&[TYPE, 7, 0][..], &[7, HOST, 0], &[TYPE, HOST, TYPE, HOST, 0]] {
            assert_eq!(refused(rw, wrong, memory, 64), CL_INVALID_PROPERTY);
        }
        // The first page is never mapped, nor is the end of the user address space.
        assert_eq!(refused(rw, &[], 64 as *mut c_void, 64), CL_INVALID_OPERATION);
        assert_eq!(refused(rw, &[], ((1usize << 47) - 8192) as *mut c_void, 8192), CL_INVALID_OPERATION);
        let mut code = 1;
        // SAFETY: the loader can follow the handle; the code may be left out.
        unsafe {
            assert!(clImportMemoryARM(null_mut(), rw, null(), memory, 64, &mut code).is_null());
            assert_eq!(code, CL_INVALID_CONTEXT);
            assert!(clImportMemoryARM(null_mut(), rw, null(), memory, 64, null_mut()).is_null());
        }
        // A flag without effect and an empty list are accepted; the other flags are kept.
        let mem = import(context, CL_MEM_USE_HOST_PTR | CL_MEM_HOST_NO_ACCESS, &[0], memory, 64).unwrap();
        // SAFETY: `query_bytes` passes buffers of the size it says.
        let ask = |name| query_bytes(|s, v, r| unsafe { clGetMemObjectInfo(mem, name, s, v, r) }).unwrap();
        assert_eq!(number(&ask(CL_MEM_FLAGS)), CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS);
        assert_eq!(
            (number(&ask(CL_MEM_SIZE)), number(&ask(CL_MEM_OFFSET)), number(&ask(CL_MEM_HOST_PTR))),
            (64, 0, 0)
        );
        mem.release();
        context.release();
    }
}

#[test]
fn a_dma_buf_is_used_where_it_is() {
    vulkan_and_processor();
    let rig = Rig::new(STEPS);
    if !has_extension("cl_arm_import_memory_dma_buf") {
        let mut fd = 0i32;
        let refused = import(rig.context, CL_MEM_READ_WRITE, &[TYPE, DMA_BUF, 0], (&raw mut fd).cast(), 64);
        assert_eq!(refused, Err(CL_INVALID_PROPERTY));
        return skipped::because("the device has no cl_arm_import_memory_dma_buf");
    }
    let (other, queue, step) = (OtherVulkan::open(), rig.queue(0), rig.kernel("step"));
    let Ok(buffer) =
        other.try_shared_buffer(4 * N as u64, ash::vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT)
    else {
        // Mesa's software device needs /dev/udmabuf.
        return skipped::because("the system makes no dma-bufs");
    };
    let mut fd = other.memory_fd(&buffer);
    let from =
        |fd: *mut i32, size| import(rig.context, CL_MEM_READ_WRITE, &[TYPE, DMA_BUF, 0], fd.cast(), size);
    let mem = from(&mut fd, 4 * N).unwrap();
    for round in 1..4u32 {
        other.fill(&buffer, 100 * round, None, None);
        set(step, 0, mem);
        set(step, 1, 7u32);
        set(step, 2, round);
        launch(queue, step, N, &[]).release();
        finish(queue);
        assert_eq!(read::<u32>(queue, mem, N), [701 * round; N]);
        assert_eq!(other.read(&buffer, None), [701 * round; N]);
    }
    assert_eq!(from(&mut fd, 1 << 30), Err(CL_INVALID_BUFFER_SIZE));
    assert_eq!(from(&mut -1, 64), Err(CL_INVALID_VALUE));
    // The application still owns the descriptor.
    // SAFETY: a query of a number.
    assert!(unsafe { libc::fcntl(fd, libc::F_GETFD) } >= 0);
    release([mem]);
}
