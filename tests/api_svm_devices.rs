//! Shared virtual memory of several devices with addresses of their own: the software device twice, in the
//! role of two graphics processors, alone and with the host's processor. On a machine with several graphics
//! processors, `VK_DRIVER_FILES=MANIFEST cargo test --test api_svm_devices` tests those of one driver.

#![allow(clippy::unwrap_used)]

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use test_support::api::rig::*;
use test_support::api::*;
use test_support::skipped;

const N: usize = 512;

const SOURCE: &str = "
struct node { global struct node *next; uint value; };
kernel void step(global uint *p, uint factor, uint addend) {
    size_t i = get_global_id(0);
    p[i] = p[i] * factor + addend;
}
kernel void walk(global struct node *first, uint addend, global uint *length) {
    uint count = 0;
    for (global struct node *n = first; n; n = n->next) {
        n->value += addend;
        count++;
    }
    *length = count;
}
";

#[derive(Clone, Copy)]
#[repr(C)]
struct Node {
    next: *mut Node,
    value: u32,
}

/// A context of Vulkan devices, at least two, and optionally of the processor.
fn world(with_processor: bool) -> Option<(Vec<cl_device_id>, Rig)> {
    software_device_twice("vulkan,cpu", "-host_addresses");
    // The processor accesses every address; other devices have addresses of their own, or none.
    let svm = |d: &cl_device_id| number(&device_info(*d, CL_DEVICE_SVM_CAPABILITIES).unwrap());
    let system = |d: &cl_device_id| svm(d) & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0;
    let own = devices().iter().filter(|d| !system(d) && svm(d) != 0).count();
    if own < 2 {
        skipped::because(&format!("{own} devices with addresses of their own"));
        return None;
    }
    let (list, mut code): (Vec<_>, _) =
        (devices().into_iter().filter(|d| with_processor || !system(d)).collect(), 1);
    // SAFETY: as many devices as are said.
    let context =
        unsafe { clCreateContext(null(), list.len() as u32, list.as_ptr(), None, null_mut(), &mut code) };
    ok(code);
    let rig = Rig { device: list[0], context, program: build(context, list[0], SOURCE) };
    Some((list, rig))
}

/// Memory of every device; `None` if the devices have no address in common. Software devices that import host
/// memory always have one.
fn alloc<T>(rig: &Rig, flags: cl_svm_mem_flags, count: usize) -> Option<*mut T> {
    // SAFETY: a live context.
    let at = unsafe { clSVMAlloc(rig.context, flags, count * size_of::<T>(), 0) };
    let kind = number(&device_info(rig.device, CL_DEVICE_TYPE).unwrap());
    let imports = extension::device_has(rig.device, "cl_arm_import_memory_host");
    assert!(!at.is_null() || kind != CL_DEVICE_TYPE_CPU || !imports, "no memory of all devices");
    if at.is_null() {
        skipped::because("no address in common");
    }
    (!at.is_null()).then_some(at.cast())
}

fn map(queue: cl_command_queue, at: *mut c_void, size: usize) {
    // SAFETY: memory of the size.
    ok(unsafe { clEnqueueSVMMap(queue, 1, CL_MAP_READ | CL_MAP_WRITE, at, size, 0, null(), null_mut()) });
}

fn unmap(queue: cl_command_queue, at: *mut c_void) {
    // SAFETY: it is mapped.
    ok(unsafe { clEnqueueSVMUnmap(queue, at, 0, null(), null_mut()) });
}

#[test]
fn devices_take_turns_at_one_address() {
    for with_processor in [false, true] {
        let Some((devices, rig)) = world(with_processor) else { return };
        let queues: Vec<_> = devices.iter().map(|d| Rig { device: *d, ..rig }.queue(0)).collect();
        let step = rig.kernel("step");
        for flags in [0, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER] {
            // Several allocations at a time.
            let Some(first) = alloc::<u32>(&rig, flags, N) else { return };
            let Some(at) = alloc::<u32>(&rig, flags, N) else { return };
            assert_ne!(first, at);
            let mut expected: Vec<u32> = (0..N as u32).collect();
            // SAFETY: live handles; the memory has the words and is not used by the host while a device does.
            unsafe {
                let from = expected.as_ptr().cast();
                ok(clEnqueueSVMMemcpy(queues[0], 1, at.cast(), from, 4 * N, 0, null(), null_mut()));
                ok(clSetKernelArgSVMPointer(step, 0, at.cast()));
                for round in 0..9u32 {
                    let queue = queues[round as usize % queues.len()];
                    set(step, 1, 3u32);
                    set(step, 2, round);
                    launch(queue, step, N, &[]).release();
                    map(queue, at.cast(), 4 * N);
                    expected.iter_mut().for_each(|v| *v = v.wrapping_mul(3).wrapping_add(round));
                    let seen = std::slice::from_raw_parts_mut(at, N);
                    assert_eq!(seen, expected);
                    (seen[round as usize], expected[round as usize]) = (77, 77);
                    unmap(queue, at.cast());
                    finish(queue);
                }
                clSVMFree(rig.context, at.cast());
                clSVMFree(rig.context, first.cast());
            }
        }
        step.release();
        release(queues);
    }
}

/// Pointers stored by the host lead every device to the same nodes.
#[test]
fn a_list_is_walked_by_every_device() {
    let Some((devices, rig)) = world(true) else { return };
    let Some(nodes) = alloc::<Node>(&rig, 0, N) else { return };
    let (walk, length) = (rig.kernel("walk"), rig.buffer(&[0u32]));
    let queues: Vec<_> = devices.iter().map(|d| Rig { device: *d, ..rig }.queue(0)).collect();
    map(queues[0], nodes.cast(), N * size_of::<Node>());
    // In an order other than that of the addresses.
    let slot = |i: usize| i * 7 % N;
    // SAFETY: the memory has as many nodes, and the host has it mapped.
    let list = unsafe { std::slice::from_raw_parts_mut(nodes, N) };
    for i in 0..N {
        let next = if i + 1 < N { nodes.wrapping_add(slot(i + 1)) } else { null_mut() };
        list[slot(i)] = Node { next, value: i as u32 };
    }
    unmap(queues[0], nodes.cast());
    finish(queues[0]);
    for queue in &queues {
        // SAFETY: live handles.
        ok(unsafe { clSetKernelArgSVMPointer(walk, 0, nodes.cast()) });
        set(walk, 1, 10u32);
        set(walk, 2, length);
        launch(*queue, walk, 1, &[]).release();
        assert_eq!(read::<u32>(*queue, length, 1), [N as u32]);
        finish(*queue);
    }
    map(queues[0], nodes.cast(), N * size_of::<Node>());
    // SAFETY: as above.
    let list = unsafe { std::slice::from_raw_parts(nodes, N) };
    for i in 0..N {
        assert_eq!(list[slot(i)].value, (i + 10 * devices.len()) as u32);
    }
    unmap(queues[0], nodes.cast());
    finish(queues[0]);
    // SAFETY: nothing uses it any more.
    unsafe { clSVMFree(rig.context, nodes.cast()) };
    walk.release();
    release([length]);
    release(queues);
}
