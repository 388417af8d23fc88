//! Invalid handles: NULL, wild addresses, objects of another kind, and stale handles, passed to every core
//! function. Without a loader, which would dereference them.

#![allow(clippy::panic)]

use std::ffi::c_void;
use test_support::api::*;

/// Expected error code for a bad handle of a type, if everything else is valid.
fn invalid(kind: &str) -> cl_int {
    match kind {
        "cl_platform_id" => CL_INVALID_PLATFORM,
        "cl_device_id" => CL_INVALID_DEVICE,
        "cl_context" => CL_INVALID_CONTEXT,
        "cl_command_queue" => CL_INVALID_COMMAND_QUEUE,
        "cl_mem" => CL_INVALID_MEM_OBJECT,
        "cl_program" => CL_INVALID_PROGRAM,
        "cl_kernel" => CL_INVALID_KERNEL,
        "cl_event" => CL_INVALID_EVENT,
        "cl_sampler" => CL_INVALID_SAMPLER,
        other => panic!("{other} is not a handle"),
    }
}

fn try_all(what: &str, handle: *mut c_void, is_valid: impl Fn(&str) -> bool) {
    for (name, kind, call) in BAD_CALLS {
        // Another test checks that every function exists.
        if is_valid(kind) || !has_symbol(name) {
            continue;
        }
        let code = call(handle);
        // Other invalid arguments may be reported first; a contained panic returns this code.
        assert!(code < 0 && code != CL_OUT_OF_HOST_MEMORY, "{name} with {what}: {code}");
        if name.starts_with("clRetain") || name.starts_with("clRelease") {
            assert_eq!(code, invalid(kind), "{name} with {what}");
        }
    }
}

#[test]
fn no_function_takes_a_bad_handle() {
    without_loader();
    // NULL names the only platform.
    try_all("NULL", std::ptr::null_mut(), |kind| kind == "cl_platform_id");
    for address in [1usize, 8, 64, 0xdead_beef, 0x7fff_ffff_ffff_ffc0, usize::MAX, usize::MAX & !63] {
        try_all("a wild address", std::ptr::without_provenance_mut(address), |_| false);
    }
    let context = context();
    let (platform, device) = (platform(), device());
    try_all("a platform", platform.cast(), |kind| kind == "cl_platform_id");
    try_all("a device", device.cast(), |kind| kind == "cl_device_id");
    try_all("a context", context.cast(), |kind| kind == "cl_context");
    for offset in [1, 8, 32] {
        let inside = context.cast::<u8>().wrapping_add(offset);
        try_all("an address inside a handle", inside.cast(), |_| false);
    }
    let beyond = context.cast::<u8>().wrapping_add(64 * 512);
    try_all("a slot that was never used", beyond.cast(), |_| false);
    // SAFETY: a live handle.
    assert_eq!(unsafe { clReleaseContext(context) }, CL_SUCCESS);
    try_all("a stale context", context.cast(), |_| false);
}
