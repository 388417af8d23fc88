//! Memory and semaphores shared with another Vulkan instance, in this process and in another one
//! (cl_khr_external_memory, cl_khr_external_semaphore). Handle types that the device cannot share are skipped
//! with a message.

#![allow(clippy::unwrap_used)]

use ash::vk::ExternalSemaphoreHandleTypeFlags as Kind;
use std::os::fd::RawFd;
use std::process::Command;
use std::ptr::{null, null_mut};
use test_support::api::extension::has_extension;
use test_support::api::other_vulkan::OtherVulkan;
use test_support::api::rig::*;
use test_support::api::semaphore::*;
use test_support::api::*;
use test_support::extension_functions;

extension_functions! {
    fn clEnqueueAcquireExternalMemObjectsKHR(
        queue: cl_command_queue, n: cl_uint, list: *const cl_mem, num_events: cl_uint,
        events: *const cl_event, event: *mut cl_event
    ) -> cl_int;
    fn clEnqueueReleaseExternalMemObjectsKHR(
        queue: cl_command_queue, n: cl_uint, list: *const cl_mem, num_events: cl_uint,
        events: *const cl_event, event: *mut cl_event
    ) -> cl_int;
}

const SOURCE: &str =
    "kernel void add(global uint *p, uint n) { p[get_global_id(0)] += n + get_global_id(0); }";
const WORDS: usize = 4096;
const TYPE: u64 = CL_SEMAPHORE_TYPE_KHR as u64;
const BINARY: u64 = CL_SEMAPHORE_TYPE_BINARY_KHR as u64;
const OPAQUE: u64 = CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR as u64;
const SYNC: u64 = CL_SEMAPHORE_HANDLE_SYNC_FD_KHR as u64;
const EXPORT: u64 = CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR as u64;
const DEVICES: u64 = CL_MEM_DEVICE_HANDLE_LIST_KHR as u64;
const MEMORY: u64 = CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR as u64;

/// Environment variable that lists the descriptors for the other process.
const FDS: &str = "PYROCLAST_TEST_FDS";

fn shares(what: &str) -> bool {
    let has = has_extension(what);
    if !has {
        eprintln!("skipped: the device has no {what}");
    }
    has
}

fn import(context: cl_context, list: &[u64], flags: cl_mem_flags, size: usize) -> Result<cl_mem, cl_int> {
    let mut code = 1;
    // SAFETY: a terminated list.
    let mem =
        unsafe { clCreateBufferWithProperties(context, list.as_ptr(), flags, size, null_mut(), &mut code) };
    assert_eq!(mem.is_null(), code != CL_SUCCESS);
    if code == CL_SUCCESS { Ok(mem) } else { Err(code) }
}

fn semaphore(context: cl_context, list: &[u64]) -> Result<cl_semaphore_khr, cl_int> {
    let mut code = 1;
    // SAFETY: a terminated list.
    let semaphore = unsafe { clCreateSemaphoreWithPropertiesKHR(context, list.as_ptr(), &mut code) };
    assert_eq!(semaphore.is_null(), code != CL_SUCCESS);
    if code == CL_SUCCESS { Ok(semaphore) } else { Err(code) }
}

fn wait_for(queue: cl_command_queue, semaphore: cl_semaphore_khr) {
    // SAFETY: one live handle.
    ok(unsafe { clEnqueueWaitSemaphoresKHR(queue, 1, &semaphore, null(), 0, null(), null_mut()) });
}

fn signal(queue: cl_command_queue, semaphore: cl_semaphore_khr) {
    // SAFETY: one live handle.
    unsafe {
        ok(clEnqueueSignalSemaphoresKHR(queue, 1, &semaphore, null(), 0, null(), null_mut()));
        ok(clFlush(queue));
    }
}

fn handle(rig: &Rig, semaphore: cl_semaphore_khr, kind: u64) -> RawFd {
    let (mut fd, mut size) = (-2, 0);
    // SAFETY: room for a descriptor.
    ok(unsafe {
        clGetSemaphoreHandleForTypeKHR(semaphore, rig.device, kind as u32, 4, (&raw mut fd).cast(), &mut size)
    });
    assert_eq!(size, 4);
    fd
}

/// Effect of a kernel on a buffer between acquire and release.
fn use_buffer(rig: &Rig, queue: cl_command_queue, mem: cl_mem, n: u32) {
    let add = rig.kernel("add");
    set(add, 0, mem);
    set(add, 1, n);
    // SAFETY: one live handle.
    unsafe {
        ok(clEnqueueAcquireExternalMemObjectsKHR(queue, 1, &mem, 0, null(), null_mut()));
        launch(queue, add, WORDS, &[]).release();
        ok(clEnqueueReleaseExternalMemObjectsKHR(queue, 1, &mem, 0, null(), null_mut()));
    }
    add.release();
}

fn expected(word: u32) -> Vec<u32> {
    (0..WORDS as u32).map(|i| word + i).collect()
}

#[test]
fn identity_of_the_device() {
    let uuid = device_info(device(), CL_DEVICE_UUID_KHR).unwrap();
    assert!(uuid.len() == 16 && uuid.iter().any(|b| *b != 0));
    assert_eq!(device_info(device(), CL_DRIVER_UUID_KHR).unwrap().len(), 16);
    // Identifies the same device in the other process.
    OtherVulkan::open();
}

#[test]
fn memory_is_shared() {
    if !shares("cl_khr_external_memory_opaque_fd") {
        return;
    }
    let (other, rig) = (OtherVulkan::open(), Rig::new(SOURCE));
    let queue = rig.queue(0);
    let buffer = other.shared_buffer(WORDS as u64 * 4);
    let mem =
        import(rig.context, &[MEMORY, other.memory_fd(&buffer) as u64, 0], CL_MEM_READ_WRITE, WORDS * 4)
            .unwrap();
    for round in 1..4 {
        other.fill(&buffer, round * 1000, None, None);
        use_buffer(&rig, queue, mem, round);
        assert_eq!(read::<u32>(queue, mem, WORDS), expected(round * 1001));
        assert_eq!(other.read(&buffer, None), expected(round * 1001));
    }
    // Transfers and mappings, and a second buffer of the same memory.
    let list = [MEMORY, other.memory_fd(&buffer) as u64, DEVICES, rig.device as u64, 0, 0];
    let again = import(rig.context, &list, CL_MEM_READ_WRITE, WORDS * 4).unwrap();
    let (mut code, word) = (1, 77u32);
    // SAFETY: live handles; the mapping has the size and is unmapped.
    unsafe {
        ok(clEnqueueFillBuffer(queue, mem, (&raw const word).cast(), 4, 0, 8, 0, null(), null_mut()));
        finish(queue);
        let flags = CL_MAP_READ | CL_MAP_WRITE;
        let ptr = clEnqueueMapBuffer(queue, again, 1, flags, 0, 16, 0, null(), null_mut(), &mut code);
        ok(code);
        let seen = std::slice::from_raw_parts_mut(ptr.cast::<u32>(), 4);
        assert_eq!(seen[..2], [77, 77]);
        seen[3] = 78;
        ok(clEnqueueUnmapMemObject(queue, again, ptr, 0, null(), null_mut()));
        finish(queue);
    }
    assert_eq!(other.read(&buffer, None)[3], 78);
    let raw = list.map(u64::to_ne_bytes).concat();
    // SAFETY: `query_bytes` passes buffers of the size it says.
    let properties =
        query_bytes(|s, v, r| unsafe { clGetMemObjectInfo(again, CL_MEM_PROPERTIES, s, v, r) }).unwrap();
    assert_eq!(properties, raw);
    release([mem, again]);
}

#[test]
fn memory_may_be_released_while_it_is_in_use() {
    if !shares("cl_khr_external_memory_opaque_fd") {
        return;
    }
    let (other, rig) = (OtherVulkan::open(), Rig::new(SOURCE));
    let queue = rig.queue(OUT_OF_ORDER);
    let buffer = other.shared_buffer(WORDS as u64 * 4);
    other.fill(&buffer, 5, None, None);
    let mem =
        import(rig.context, &[MEMORY, other.memory_fd(&buffer) as u64, 0], CL_MEM_READ_WRITE, WORDS * 4)
            .unwrap();
    let (gate, add) = (rig.gate(), rig.kernel("add"));
    set(add, 0, mem);
    set(add, 1, 1u32);
    let event = launch(queue, add, WORDS, &[gate]);
    release([mem]);
    release([add]);
    open_gate(gate, CL_COMPLETE);
    ok(wait(&[event]));
    assert_eq!(other.read(&buffer, None), expected(6));
}

#[test]
fn errors_of_memory() {
    if !shares("cl_khr_external_memory_opaque_fd") {
        return;
    }
    let (other, rig) = (OtherVulkan::open(), Rig::new(SOURCE));
    let queue = rig.queue(0);
    let buffer = other.shared_buffer(WORDS as u64 * 4);
    let fd = other.memory_fd(&buffer) as u64;
    let (context, size, flags) = (rig.context, WORDS * 4, CL_MEM_READ_WRITE);
    let list = [MEMORY, fd, 0];
    assert_eq!(import(context, &[MEMORY, fd, MEMORY, fd, 0], flags, size), Err(CL_INVALID_PROPERTY));
    assert_eq!(import(context, &[MEMORY, fd, 0x7777, 0, 0], flags, size), Err(CL_INVALID_PROPERTY));
    assert_eq!(import(context, &[DEVICES, rig.device as u64, 0, 0], flags, size), Err(CL_INVALID_PROPERTY));
    assert_eq!(
        import(context, &[DEVICES, context as u64, 0, MEMORY, fd, 0], flags, size),
        Err(CL_INVALID_DEVICE)
    );
    assert_eq!(import(context, &[DEVICES, 0, MEMORY, fd, 0], flags, size), Err(CL_INVALID_DEVICE));
    for wrong in [CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR, 1 << 40] {
        assert_eq!(import(context, &list, wrong, size), Err(CL_INVALID_VALUE));
    }
    assert_eq!(import(context, &list, flags, 0), Err(CL_INVALID_BUFFER_SIZE));
    assert_eq!(import(context, &list, flags, usize::MAX), Err(CL_INVALID_BUFFER_SIZE));
    // CL_INVALID_VALUE: numbers that are not file descriptors.
    for wrong in [-1, -64, 1 << 20] {
        assert_eq!(
            import(context, &[MEMORY, wrong as u64, 0], flags, size),
            Err(CL_INVALID_VALUE),
            "{wrong}"
        );
    }
    let other_handle = u64::from(CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR);
    if !has_extension("cl_khr_external_memory_dma_buf") {
        assert_eq!(import(context, &[other_handle, fd, 0], flags, size), Err(CL_INVALID_DEVICE));
    }
    let mut code = 1;
    let mut word = 0u32;
    let plain = rig.buffer(&[0u32; 4]);
    // SAFETY: lists are NULL, terminated or of their length.
    unsafe {
        let host = (&raw mut word).cast();
        assert!(clCreateBufferWithProperties(context, list.as_ptr(), flags, size, host, &mut code).is_null());
        assert_eq!(code, CL_INVALID_HOST_PTR);
        for call in [clEnqueueAcquireExternalMemObjectsKHR, clEnqueueReleaseExternalMemObjectsKHR] {
            assert_eq!(call(queue, 1, &plain, 0, null(), null_mut()), CL_INVALID_MEM_OBJECT);
            assert_eq!(call(queue, 1, &wrong_kind(queue), 0, null(), null_mut()), CL_INVALID_MEM_OBJECT);
            assert_eq!(call(wrong_kind(plain), 0, null(), 0, null(), null_mut()), CL_INVALID_COMMAND_QUEUE);
            assert_eq!(call(queue, 1, null(), 0, null(), null_mut()), CL_INVALID_VALUE);
            assert_eq!(call(queue, 0, &plain, 0, null(), null_mut()), CL_INVALID_VALUE);
            assert_eq!(call(queue, 0, null(), 1, null(), null_mut()), CL_INVALID_EVENT_WAIT_LIST);
            let failed = rig.gate();
            open_gate(failed, -1);
            let failure = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
            assert_eq!(call(queue, 0, null(), 1, &failed, null_mut()), failure);
            let mut event = null_mut();
            ok(call(queue, 0, null(), 0, null(), &mut event));
            ok(wait(&[event]));
        }
        // The failed call did not take the descriptor.
        let mem = import(context, &list, flags, size).unwrap();
        let foreign = Rig::new(SOURCE);
        let elsewhere = foreign.queue(0);
        let call = clEnqueueAcquireExternalMemObjectsKHR;
        assert_eq!(call(elsewhere, 1, &mem, 0, null(), null_mut()), CL_INVALID_COMMAND_QUEUE);
        release([mem]);
    }
}

#[test]
fn semaphores_are_shared() {
    if !shares("cl_khr_external_semaphore_opaque_fd") || !shares("cl_khr_external_memory_opaque_fd") {
        return;
    }
    let (other, rig) = (OtherVulkan::open(), Rig::new(SOURCE));
    let queue = rig.queue(0);
    let buffer = other.shared_buffer(WORDS as u64 * 4);
    let mem =
        import(rig.context, &[MEMORY, other.memory_fd(&buffer) as u64, 0], CL_MEM_READ_WRITE, WORDS * 4)
            .unwrap();
    // One semaphore imported, one exported.
    let filled = other.semaphore(Kind::OPAQUE_FD);
    let fd = other.semaphore_fd(filled, Kind::OPAQUE_FD) as u64;
    let filled_here = semaphore(rig.context, &[TYPE, BINARY, OPAQUE, fd, 0]).unwrap();
    let added_here = semaphore(rig.context, &[TYPE, BINARY, EXPORT, OPAQUE, 0, 0]).unwrap();
    let added = other.import_semaphore(handle(&rig, added_here, OPAQUE), Kind::OPAQUE_FD);
    for round in 1..5 {
        other.fill(&buffer, round * 100, None, Some(filled));
        wait_for(queue, filled_here);
        use_buffer(&rig, queue, mem, round);
        signal(queue, added_here);
        assert_eq!(other.read(&buffer, Some(added)), expected(round * 101));
    }
    finish(queue);
    // SAFETY: live handles; room for the values.
    unsafe {
        let mut value = 7u32;
        ok(clGetSemaphoreInfoKHR(
            added_here,
            CL_SEMAPHORE_EXPORTABLE_KHR,
            4,
            (&raw mut value).cast(),
            null_mut(),
        ));
        assert_eq!(value, CL_TRUE);
        ok(clGetSemaphoreInfoKHR(
            added_here,
            CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
            4,
            (&raw mut value).cast(),
            null_mut(),
        ));
        assert_eq!(u64::from(value), OPAQUE);
        let ask = |s, kind: u64, room| {
            let mut fd = 0i32;
            clGetSemaphoreHandleForTypeKHR(s, rig.device, kind as u32, room, (&raw mut fd).cast(), null_mut())
        };
        assert_eq!(ask(added_here, OPAQUE, 3), CL_INVALID_VALUE);
        assert_eq!(ask(added_here, SYNC, 4), CL_INVALID_VALUE);
        assert_eq!(ask(filled_here, OPAQUE, 4), CL_INVALID_VALUE);
        assert_eq!(ask(added_here, 0x7777, 4), CL_INVALID_VALUE);
        assert_eq!(ask(wrong_kind(queue), OPAQUE, 4), CL_INVALID_SEMAPHORE_KHR);
        assert_eq!(clReImportSemaphoreSyncFdKHR(filled_here, null_mut(), -1), CL_INVALID_SEMAPHORE_KHR);
        ok(clReleaseSemaphoreKHR(filled_here));
        ok(clReleaseSemaphoreKHR(added_here));
    }
    let both = [TYPE, BINARY, OPAQUE, 3, EXPORT, OPAQUE, 0, 0];
    assert_eq!(semaphore(rig.context, &both), Err(CL_INVALID_OPERATION));
    assert_eq!(semaphore(rig.context, &[TYPE, BINARY, OPAQUE, 3, SYNC, 3, 0]), Err(CL_INVALID_PROPERTY));
    assert_eq!(semaphore(rig.context, &[TYPE, BINARY, EXPORT, OPAQUE, SYNC, 0, 0]), Err(CL_INVALID_VALUE));
}

#[test]
fn sync_files_carry_one_signal() {
    if !shares("cl_khr_external_semaphore_sync_fd") || !shares("cl_khr_external_memory_opaque_fd") {
        return;
    }
    let (other, rig) = (OtherVulkan::open(), Rig::new(SOURCE));
    let queue = rig.queue(0);
    let buffer = other.shared_buffer(WORDS as u64 * 4);
    let mem =
        import(rig.context, &[MEMORY, other.memory_fd(&buffer) as u64, 0], CL_MEM_READ_WRITE, WORDS * 4)
            .unwrap();
    let here = semaphore(rig.context, &[TYPE, BINARY, SYNC, -1i32 as u32 as u64, 0]).unwrap();
    // A semaphore that is already signalled.
    wait_for(queue, here);
    finish(queue);
    let exported = semaphore(rig.context, &[TYPE, BINARY, EXPORT, SYNC, 0, 0]).unwrap();
    for round in 1..4 {
        let filled = other.semaphore(Kind::SYNC_FD);
        other.fill(&buffer, round * 100, None, Some(filled));
        // SAFETY: a live handle; the import takes the descriptor.
        ok(unsafe {
            clReImportSemaphoreSyncFdKHR(here, null_mut(), other.semaphore_fd(filled, Kind::SYNC_FD))
        });
        wait_for(queue, here);
        use_buffer(&rig, queue, mem, round);
        signal(queue, exported);
        let added = other.import_semaphore(handle(&rig, exported, SYNC), Kind::SYNC_FD);
        assert_eq!(other.read(&buffer, Some(added)), expected(round * 101));
    }
    // SAFETY: live handles.
    unsafe {
        finish(queue);
        ok(clReleaseSemaphoreKHR(here));
        ok(clReleaseSemaphoreKHR(exported));
    }
}

/// Makes the descriptor survive exec.
fn inheritable(fd: RawFd) -> RawFd {
    // SAFETY: a descriptor of ours.
    assert_eq!(unsafe { libc::fcntl(fd, libc::F_SETFD, 0) }, 0);
    fd
}

#[test]
fn another_process_shares_memory_and_semaphores() {
    if !shares("cl_khr_external_memory_opaque_fd") {
        return;
    }
    let other = OtherVulkan::open();
    let buffer = other.shared_buffer(WORDS as u64 * 4);
    let mut fds = vec![inheritable(other.memory_fd(&buffer))];
    let with_semaphores = shares("cl_khr_external_semaphore_opaque_fd");
    let (mut filled, mut added) = (None, None);
    if with_semaphores {
        for slot in [&mut filled, &mut added] {
            let semaphore = *slot.insert(other.semaphore(Kind::OPAQUE_FD));
            fds.push(inheritable(other.semaphore_fd(semaphore, Kind::OPAQUE_FD)));
        }
    }
    other.fill(&buffer, 4000, None, filled);
    let list = fds.iter().map(RawFd::to_string).collect::<Vec<_>>().join(" ");
    let mut child = Command::new(std::env::current_exe().unwrap());
    let mut child = child.args(["--ignored", "--exact", "the_other_process"]).env(FDS, list).spawn().unwrap();
    if with_semaphores {
        // Synchronised by the semaphore alone, while the other process may still run.
        assert_eq!(other.read(&buffer, added), expected(4321));
    }
    assert!(child.wait().unwrap().success());
    assert_eq!(other.read(&buffer, None), expected(4321));
    for fd in fds {
        // SAFETY: the child had copies; these are ours.
        unsafe { libc::close(fd) };
    }
}

#[test]
#[ignore = "the other side of another_process_shares_memory_and_semaphores, which starts it"]
fn the_other_process() {
    let list = std::env::var(FDS).expect("descriptors");
    let fds: Vec<u64> = list.split(' ').map(|fd| fd.parse().unwrap()).collect();
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let mem = import(rig.context, &[MEMORY, fds[0], 0], CL_MEM_READ_WRITE, WORDS * 4).unwrap();
    let from = |fd: &u64| semaphore(rig.context, &[TYPE, BINARY, OPAQUE, *fd, 0]).unwrap();
    let (filled, added) = (fds.get(1).map(from), fds.get(2).map(from));
    if let Some(filled) = filled {
        wait_for(queue, filled);
    }
    use_buffer(&rig, queue, mem, 321);
    if let Some(added) = added {
        signal(queue, added);
    }
    finish(queue);
    release([mem]);
}
