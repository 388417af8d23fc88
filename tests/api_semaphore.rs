//! cl_khr_semaphore: order of commands, states, and every error that a test can provoke. `external.rs` tests
//! shared semaphores.

#![allow(clippy::unwrap_used)]

use std::ptr::{null, null_mut};
use test_support::api::extension::has_extension;
use test_support::api::rig::*;
use test_support::api::semaphore::*;
use test_support::api::*;

const SOURCE: &str = "kernel void add(global uint *p, uint n) { p[get_global_id(0)] += n; }
kernel void mul(global uint *p, uint n) { p[get_global_id(0)] *= n; }";
const TYPE: u64 = CL_SEMAPHORE_TYPE_KHR as u64;
const BINARY: u64 = CL_SEMAPHORE_TYPE_BINARY_KHR as u64;
const DEVICES: u64 = CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR as u64;
const EXPORT: u64 = CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR as u64;

fn create(context: cl_context, list: &[u64]) -> Result<cl_semaphore_khr, cl_int> {
    let mut code = 1;
    let list = if list.is_empty() { null() } else { list.as_ptr() };
    // SAFETY: the list is NULL or terminated.
    let semaphore = unsafe { clCreateSemaphoreWithPropertiesKHR(context, list, &mut code) };
    assert_eq!(semaphore.is_null(), code != CL_SUCCESS);
    if code == CL_SUCCESS { Ok(semaphore) } else { Err(code) }
}

fn binary(rig: &Rig) -> cl_semaphore_khr {
    create(rig.context, &[TYPE, BINARY, 0]).unwrap()
}

fn wait_for(queue: cl_command_queue, list: &[cl_semaphore_khr], events: &[cl_event]) -> cl_event {
    let (mut event, events_list) = (null_mut(), if events.is_empty() { null() } else { events.as_ptr() });
    let (n, list) = (list.len() as u32, list.as_ptr());
    // SAFETY: lists of their lengths.
    ok(unsafe {
        clEnqueueWaitSemaphoresKHR(queue, n, list, null(), events.len() as u32, events_list, &mut event)
    });
    event
}

fn signal(queue: cl_command_queue, list: &[cl_semaphore_khr], events: &[cl_event]) -> cl_event {
    let (mut event, events_list) = (null_mut(), if events.is_empty() { null() } else { events.as_ptr() });
    let (n, list) = (list.len() as u32, list.as_ptr());
    // SAFETY: lists of their lengths.
    ok(unsafe {
        clEnqueueSignalSemaphoresKHR(queue, n, list, null(), events.len() as u32, events_list, &mut event)
    });
    event
}

fn info(semaphore: cl_semaphore_khr, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    // SAFETY: `query_bytes` passes buffers of the size it says.
    query_bytes(|size, value, size_ret| unsafe {
        clGetSemaphoreInfoKHR(semaphore, name, size, value, size_ret)
    })
}

fn payload(semaphore: cl_semaphore_khr) -> u64 {
    number(&info(semaphore, CL_SEMAPHORE_PAYLOAD_KHR).unwrap())
}

#[test]
fn devices_say_what_they_have() {
    assert!(has_extension("cl_khr_semaphore"));
    let types = BINARY as u32;
    assert_eq!(device_info(device(), CL_DEVICE_SEMAPHORE_TYPES_KHR).unwrap(), types.to_ne_bytes());
    assert_eq!(platform_info(platform(), CL_PLATFORM_SEMAPHORE_TYPES_KHR).unwrap(), types.to_ne_bytes());
    for (device_name, platform_name) in [
        (CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR, CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR),
        (CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR),
    ] {
        let kinds = device_info(device(), device_name).unwrap();
        assert_eq!(kinds.is_empty(), !has_extension("cl_khr_external_semaphore"));
        if devices().len() == 1 {
            assert_eq!(platform_info(platform(), platform_name).unwrap(), kinds);
        }
    }
}

#[test]
fn signals_order_commands_of_several_queues() {
    let rig = Rig::new(SOURCE);
    for properties in [0, OUT_OF_ORDER] {
        let queues = [rig.queue(properties), rig.queue(properties)];
        let (mem, add, mul) = (rig.buffer(&[1u32; 64]), rig.kernel("add"), rig.kernel("mul"));
        set(add, 0, mem);
        set(add, 1, 3u32);
        set(mul, 0, mem);
        set(mul, 1, 2u32);
        let (there, back) = (binary(&rig), binary(&rig));
        let mut value = 1u32;
        let mut before: Vec<cl_event> = Vec::new();
        for _ in 0..10 {
            // In an out-of-order queue dependencies must be explicit.
            let added = launch(queues[0], add, 64, &before);
            signal(queues[0], &[there], &[added]);
            let arrived = wait_for(queues[1], &[there], &[]);
            let multiplied = launch(queues[1], mul, 64, &[arrived]);
            signal(queues[1], &[back], &[multiplied]);
            before = vec![wait_for(queues[0], &[back], &[])];
            value = (value + 3).wrapping_mul(2);
        }
        assert_eq!(wait(&before), CL_SUCCESS);
        assert_eq!(read::<u32>(queues[0], mem, 64), [value; 64]);
    }
}

#[test]
fn waits_may_be_enqueued_before_their_signals() {
    let rig = Rig::new(SOURCE);
    let (first, second) = (rig.queue(0), rig.queue(0));
    let (a, b) = (binary(&rig), binary(&rig));
    let (mem, add) = (rig.buffer(&[0u32; 16]), rig.kernel("add"));
    set(add, 0, mem);
    set(add, 1, 1u32);
    let waiting = wait_for(second, &[a, b], &[]);
    let done = launch(second, add, 16, &[]);
    // SAFETY: a live handle.
    ok(unsafe { clFlush(second) });
    assert!(status(waiting) > CL_COMPLETE && status(done) > CL_COMPLETE);
    assert_eq!(read::<u32>(first, mem, 16), [0; 16]);
    signal(first, &[a], &[]);
    finish(first);
    assert!(status(waiting) > CL_COMPLETE);
    signal(first, &[b], &[]);
    assert_eq!(wait(&[done]), CL_SUCCESS);
    assert_eq!(status(waiting), CL_COMPLETE);
    assert_eq!(read::<u32>(first, mem, 16), [1; 16]);
    // Signal and wait are a pair: the next wait needs another signal.
    let waiting = wait_for(second, &[a], &[]);
    assert!(status(waiting) > CL_COMPLETE);
    signal(first, &[a], &[]);
    assert_eq!(wait(&[waiting]), CL_SUCCESS);
}

#[test]
fn payloads_follow_signals_and_waits() {
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    let semaphore = binary(&rig);
    assert_eq!(payload(semaphore), 0);
    let gate = rig.gate();
    signal(queue, &[semaphore], &[gate]);
    assert_eq!(payload(semaphore), 0);
    open_gate(gate, CL_COMPLETE);
    finish(queue);
    assert_eq!(payload(semaphore), 1);
    let (gate, other) = (rig.gate(), rig.queue(OUT_OF_ORDER));
    let waiting = wait_for(other, &[semaphore], &[gate]);
    assert_eq!(payload(semaphore), 1);
    open_gate(gate, CL_COMPLETE);
    assert_eq!(wait(&[waiting]), CL_SUCCESS);
    assert_eq!(payload(semaphore), 0);
}

#[test]
fn failures_reach_those_who_wait() {
    let rig = Rig::new(SOURCE);
    let (first, second) = (rig.queue(OUT_OF_ORDER), rig.queue(OUT_OF_ORDER));
    let (before, after) = (binary(&rig), binary(&rig));
    let gate = rig.gate();
    let early = wait_for(second, &[before], &[]);
    signal(first, &[before, after], &[gate]);
    let late = wait_for(second, &[after], &[]);
    open_gate(gate, -1);
    assert_eq!(wait(&[early]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_eq!(wait(&[late]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

#[test]
fn queries_and_lifetime() {
    let rig = Rig::new(SOURCE);
    let list = [TYPE, BINARY, DEVICES, rig.device as u64, 0, 0];
    let semaphore = create(rig.context, &list).unwrap();
    assert_eq!(info(semaphore, CL_SEMAPHORE_PROPERTIES_KHR).unwrap(), list.map(u64::to_ne_bytes).concat());
    assert_eq!(number(&info(semaphore, CL_SEMAPHORE_CONTEXT_KHR).unwrap()), rig.context as u64);
    assert_eq!(number(&info(semaphore, CL_SEMAPHORE_TYPE_KHR).unwrap()), BINARY);
    assert_eq!(number(&info(semaphore, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR).unwrap()), rig.device as u64);
    assert_eq!(number(&info(binary(&rig), CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR).unwrap()), rig.device as u64);
    assert_eq!(number(&info(semaphore, CL_SEMAPHORE_EXPORTABLE_KHR).unwrap()), 0);
    assert!(info(semaphore, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR).unwrap().is_empty());
    assert_eq!(number(&info(semaphore, CL_SEMAPHORE_REFERENCE_COUNT_KHR).unwrap()), 1);
    assert_eq!(info(semaphore, 0x7777), Err(CL_INVALID_VALUE));
    let (queue, gate) = (rig.queue(0), rig.gate());
    signal(queue, &[semaphore], &[gate]);
    let waiting = wait_for(rig.queue(0), &[semaphore], &[]);
    let kind = |event: cl_event| {
        let mut kind = 0u32;
        // SAFETY: room for a cl_uint.
        ok(unsafe { clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, 4, (&raw mut kind).cast(), null_mut()) });
        kind
    };
    assert_eq!(kind(waiting), CL_COMMAND_SEMAPHORE_WAIT_KHR);
    assert_eq!(kind(signal(rig.queue(0), &[binary(&rig)], &[])), CL_COMMAND_SEMAPHORE_SIGNAL_KHR);
    // SAFETY: handles live until their last release.
    unsafe {
        ok(clRetainSemaphoreKHR(semaphore));
        assert_eq!(number(&info(semaphore, CL_SEMAPHORE_REFERENCE_COUNT_KHR).unwrap()), 2);
        ok(clReleaseSemaphoreKHR(semaphore));
        ok(clReleaseSemaphoreKHR(semaphore));
        assert_eq!(clReleaseSemaphoreKHR(semaphore), CL_INVALID_SEMAPHORE_KHR);
        assert_eq!(clRetainSemaphoreKHR(wrong_kind(queue)), CL_INVALID_SEMAPHORE_KHR);
    }
    assert_eq!(info(semaphore, CL_SEMAPHORE_TYPE_KHR), Err(CL_INVALID_SEMAPHORE_KHR));
    open_gate(gate, CL_COMPLETE);
    assert_eq!(wait(&[waiting]), CL_SUCCESS);
}

#[test]
fn errors_of_creation() {
    let rig = Rig::new(SOURCE);
    let context = rig.context;
    assert_eq!(create(wrong_kind(rig.device), &[TYPE, BINARY, 0]), Err(CL_INVALID_CONTEXT));
    assert_eq!(create(context, &[]), Err(CL_INVALID_VALUE));
    assert_eq!(create(context, &[0]), Err(CL_INVALID_VALUE));
    assert_eq!(create(context, &[TYPE, 77, 0]), Err(CL_INVALID_PROPERTY));
    assert_eq!(create(context, &[TYPE, BINARY, TYPE, BINARY, 0]), Err(CL_INVALID_PROPERTY));
    assert_eq!(create(context, &[TYPE, BINARY, 0x7777, 1, 0]), Err(CL_INVALID_PROPERTY));
    assert_eq!(create(context, &[TYPE, BINARY, EXPORT, 0x7777, 0, 0]), Err(CL_INVALID_PROPERTY));
    assert_eq!(create(context, &[TYPE, BINARY, DEVICES, 0, 0]), Err(CL_INVALID_DEVICE));
    assert_eq!(create(context, &[TYPE, BINARY, DEVICES, context as u64, 0, 0]), Err(CL_INVALID_DEVICE));
    let device = rig.device as u64;
    assert_eq!(create(context, &[TYPE, BINARY, DEVICES, device, device, 0, 0]), Err(CL_INVALID_DEVICE));
    if !has_extension("cl_khr_external_semaphore") {
        let handle = u64::from(CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR);
        assert_eq!(create(context, &[TYPE, BINARY, EXPORT, handle, 0, 0]), Err(CL_INVALID_PROPERTY));
        assert_eq!(create(context, &[TYPE, BINARY, handle, 3, 0]), Err(CL_INVALID_DEVICE));
    }
}

#[test]
fn errors_of_commands() {
    let (rig, foreign) = (Rig::new(SOURCE), Rig::new(SOURCE));
    let (queue, semaphore, elsewhere) = (rig.queue(0), binary(&rig), binary(&foreign));
    let (gate, failed) = (foreign.gate(), rig.gate());
    open_gate(failed, -1);
    for call in [clEnqueueWaitSemaphoresKHR, clEnqueueSignalSemaphoresKHR] {
        let one = |queue, n, list: *const cl_semaphore_khr, events: &[cl_event]| {
            let list_of_events = if events.is_empty() { null() } else { events.as_ptr() };
            // SAFETY: lists are NULL or of their lengths.
            unsafe { call(queue, n, list, null(), events.len() as u32, list_of_events, null_mut()) }
        };
        assert_eq!(one(wrong_kind(rig.context), 1, &semaphore, &[]), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(one(queue, 0, &semaphore, &[]), CL_INVALID_VALUE);
        assert_eq!(one(queue, 0, null(), &[]), CL_INVALID_VALUE);
        assert_eq!(one(queue, 1, null(), &[]), CL_INVALID_VALUE);
        assert_eq!(one(queue, 2, [semaphore, null_mut()].as_ptr(), &[]), CL_INVALID_SEMAPHORE_KHR);
        assert_eq!(one(queue, 1, &wrong_kind(queue), &[]), CL_INVALID_SEMAPHORE_KHR);
        assert_eq!(one(queue, 1, &elsewhere, &[]), CL_INVALID_CONTEXT);
        assert_eq!(one(queue, 1, &semaphore, &[gate]), CL_INVALID_CONTEXT);
        assert_eq!(one(queue, 1, &semaphore, &[null_mut()]), CL_INVALID_EVENT_WAIT_LIST);
        assert_eq!(one(queue, 1, &semaphore, &[failed]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        // SAFETY: as above.
        unsafe {
            let wrong = CL_INVALID_EVENT_WAIT_LIST;
            assert_eq!(call(queue, 1, &semaphore, null(), 1, null(), null_mut()), wrong);
            assert_eq!(call(queue, 1, &semaphore, null(), 0, &gate, null_mut()), wrong);
        }
    }
    // The failed calls have not signalled it.
    assert_eq!(payload(semaphore), 0);
    finish(queue);
}
