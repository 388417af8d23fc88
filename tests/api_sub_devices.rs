//! Sub-devices: the host's processor partitioned equally, by counts and by affinity domain.

#![allow(clippy::unwrap_used)]

use std::ptr::{null, null_mut};
use std::sync::Once;
use test_support::api::rig::*;
use test_support::api::*;

const EQUALLY: isize = CL_DEVICE_PARTITION_EQUALLY as isize;
const BY_COUNTS: isize = CL_DEVICE_PARTITION_BY_COUNTS as isize;
const BY_DOMAIN: isize = CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN as isize;

/// The processor, and its number of cores. To be called first in every test.
fn processor() -> (cl_device_id, u32) {
    static ONCE: Once = Once::new();
    // SAFETY: every test of the program waits here before it does anything else.
    ONCE.call_once(|| unsafe { std::env::set_var("PYROCLAST_DEVICES", "cpu") });
    (device(), units(device()))
}

fn units(device: cl_device_id) -> u32 {
    number(&device_info(device, CL_DEVICE_MAX_COMPUTE_UNITS).unwrap()) as u32
}

fn words(device: cl_device_id, name: cl_uint) -> Vec<isize> {
    let bytes = device_info(device, name).unwrap();
    bytes.chunks_exact(8).map(|b| isize::from_ne_bytes(b.try_into().unwrap())).collect()
}

fn divide(device: cl_device_id, list: &[isize]) -> Result<Vec<cl_device_id>, cl_int> {
    let mut count = 0;
    // SAFETY: a terminated list; a query of the count.
    let code = unsafe { clCreateSubDevices(device, list.as_ptr(), 0, null_mut(), &mut count) };
    if code != CL_SUCCESS {
        return Err(code);
    }
    let mut parts = vec![null_mut(); count as usize];
    // SAFETY: room for the parts.
    unsafe {
        let less = clCreateSubDevices(device, list.as_ptr(), count - 1, parts.as_mut_ptr(), null_mut());
        assert_eq!(less, CL_INVALID_VALUE, "room for one less");
        ok(clCreateSubDevices(device, list.as_ptr(), count, parts.as_mut_ptr(), null_mut()));
    }
    Ok(parts)
}

/// Every part computes on the same buffer in turn, then the whole device.
fn compute(parent: cl_device_id, parts: &[cl_device_id]) {
    let all: Vec<cl_device_id> = parts.iter().copied().chain([parent]).collect();
    let (size, mut code) = (1000usize, 1);
    let mut data: Vec<u32> = (0..size as u32).collect();
    let source = "kernel void f(global uint *x) { uint i = get_global_id(0); x[i] = x[i] * 3 + 1; }";
    // SAFETY: lists and buffers have the sizes given; handles are live.
    unsafe {
        let context = clCreateContext(null(), all.len() as u32, all.as_ptr(), None, null_mut(), &mut code);
        ok(code);
        let mut text = source.as_ptr().cast();
        let program = clCreateProgramWithSource(context, 1, &mut text, &source.len(), &mut code);
        ok(code);
        // A program built for a device is built for its sub-devices.
        ok(clBuildProgram(program, 1, &parent, null(), None, null_mut()));
        let kernel = clCreateKernel(program, c"f".as_ptr(), &mut code);
        ok(code);
        let flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
        let buffer = clCreateBuffer(context, flags, 4 * size, data.as_mut_ptr().cast(), &mut code);
        ok(code);
        set(kernel, 0, buffer);
        for device in &all {
            let queue = clCreateCommandQueue(context, *device, 0, &mut code);
            ok(code);
            ok(clEnqueueNDRangeKernel(queue, kernel, 1, null(), &size, null(), 0, null(), null_mut()));
            ok(clFinish(queue));
            data.iter_mut().for_each(|x| *x = x.wrapping_mul(3).wrapping_add(1));
            let mut got = vec![0u32; size];
            ok(clEnqueueReadBuffer(
                queue,
                buffer,
                CL_TRUE,
                0,
                4 * size,
                got.as_mut_ptr().cast(),
                0,
                null(),
                null_mut(),
            ));
            assert_eq!(got, data);
            ok(clReleaseCommandQueue(queue));
        }
        ok(clReleaseMemObject(buffer));
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
        ok(clReleaseContext(context));
    }
}

/// Checks properties that all sub-devices share, and releases them.
fn check(parent: cl_device_id, parts: &[cl_device_id], counts: &[u32], reported: &[isize]) {
    assert_eq!(parts.iter().map(|p| units(*p)).collect::<Vec<_>>(), counts);
    compute(parent, parts);
    for &part in parts {
        assert_eq!(words(part, CL_DEVICE_PARENT_DEVICE), [parent as isize]);
        assert_eq!(words(part, CL_DEVICE_PARTITION_TYPE), reported);
        let can = words(part, CL_DEVICE_PARTITION_PROPERTIES);
        assert_eq!(can == [0], units(part) < 2, "{can:?}");
        assert_eq!(number(&device_info(part, CL_DEVICE_REFERENCE_COUNT).unwrap()), 1);
        // SAFETY: the handle is live until the last release.
        unsafe {
            ok(clRetainDevice(part));
            assert_eq!(number(&device_info(part, CL_DEVICE_REFERENCE_COUNT).unwrap()), 2);
            ok(clReleaseDevice(part));
            ok(clReleaseDevice(part));
        }
    }
}

#[test]
fn equally_and_by_counts() {
    let (whole, n) = processor();
    assert_eq!(words(whole, CL_DEVICE_PARENT_DEVICE), [0]);
    assert_eq!(words(whole, CL_DEVICE_PARTITION_TYPE), [0]);
    if n < 2 {
        assert_eq!(words(whole, CL_DEVICE_PARTITION_PROPERTIES), [0]);
        assert_eq!(divide(whole, &[EQUALLY, 1, 0]), Err(CL_INVALID_VALUE));
        return;
    }
    assert_eq!(number(&device_info(whole, CL_DEVICE_PARTITION_MAX_SUB_DEVICES).unwrap()), u64::from(n));
    let parts = divide(whole, &[EQUALLY, 1, 0]).unwrap();
    check(whole, &parts, &vec![1; n as usize], &[EQUALLY, 1, 0]);
    let rest = n as isize - 1;
    let list = [BY_COUNTS, 1, rest, 0, 0];
    let parts = divide(whole, &list).unwrap();
    check(whole, &parts, &[1, n - 1], &list);
    // A sub-device of a sub-device.
    let list = [BY_COUNTS, n as isize, 0, 0];
    let all = divide(whole, &list).unwrap();
    let parts = divide(all[0], &[BY_COUNTS, 1, 0, 0]).unwrap();
    check(all[0], &parts, &[1], &[BY_COUNTS, 1, 0, 0]);
    check(whole, &all, &[n], &list);
    for (list, code) in [
        (&[EQUALLY, 0, 0][..], CL_INVALID_VALUE),
        // CL_DEVICE_PARTITION_FAILED: the only part would be the whole.
        (&[EQUALLY, n as isize, 0], CL_DEVICE_PARTITION_FAILED),
        (&[EQUALLY, n as isize + 1, 0], CL_INVALID_DEVICE_PARTITION_COUNT),
        (&[BY_COUNTS, 0, 0], CL_INVALID_DEVICE_PARTITION_COUNT),
        (&[BY_COUNTS, -1, 0, 0], CL_INVALID_DEVICE_PARTITION_COUNT),
        (&[BY_COUNTS, 1, n as isize, 0, 0], CL_INVALID_DEVICE_PARTITION_COUNT),
        (&[BY_DOMAIN, 3, 0], CL_INVALID_VALUE),
        (&[7, 1, 0], CL_INVALID_VALUE),
        (&[0], CL_INVALID_VALUE),
    ] {
        assert_eq!(divide(whole, list), Err(code), "{list:?}");
    }
}

#[test]
fn by_what_cores_share() {
    let (whole, n) = processor();
    let can = words(whole, CL_DEVICE_PARTITION_PROPERTIES).contains(&BY_DOMAIN);
    let domains = words(whole, CL_DEVICE_PARTITION_AFFINITY_DOMAIN)[0];
    assert_eq!(can, domains != 0);
    for bit in 0..6 {
        let domain = 1isize << bit;
        let parts = divide(whole, &[BY_DOMAIN, domain, 0]);
        if domains & domain == 0 {
            assert_eq!(parts, Err(CL_INVALID_VALUE));
            continue;
        }
        let parts = parts.unwrap();
        let counts: Vec<u32> = parts.iter().map(|p| units(*p)).collect();
        assert!(counts.len() > 1 && counts.iter().sum::<u32>() == n, "{counts:?}");
        // CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE reports the actual domain.
        let reported = words(parts[0], CL_DEVICE_PARTITION_TYPE);
        assert!(
            reported[0] == BY_DOMAIN && reported[2] == 0 && (reported[1] == domain || bit == 5),
            "{reported:?}"
        );
        check(whole, &parts, &counts, &reported);
    }
}
