//! Shared virtual memory in a context with two devices.

use std::ptr::{null, null_mut};
use test_support::api::rig::{Rig, build_log, finish, launch, ok, release};
use test_support::api::*;

const SOURCE: &str = "
kernel void count(volatile global atomic_uint *n)
{
    atomic_fetch_add_explicit(n, 1u, memory_order_relaxed, memory_scope_all_svm_devices);
}";

/// Both devices and the host increment one counter at the same time, if both devices support it.
pub fn counted_by_both(devices: &[cl_device_id]) {
    let atomics = |d: &cl_device_id| {
        number(&device_info(*d, CL_DEVICE_SVM_CAPABILITIES).unwrap()) & CL_DEVICE_SVM_ATOMICS != 0
    };
    if !devices.iter().all(atomics) {
        return;
    }
    let (size, rounds, mut code) = (4096usize, 8u32, 1);
    // SAFETY: live handles; the memory is freed after all commands.
    unsafe {
        let context =
            clCreateContext(null(), devices.len() as u32, devices.as_ptr(), None, null_mut(), &mut code);
        ok(code);
        let mut text = SOURCE.as_ptr().cast();
        let program = clCreateProgramWithSource(context, 1, &mut text, &SOURCE.len(), &mut code);
        ok(code);
        let built = clBuildProgram(program, 0, null(), c"-cl-std=CL3.0".as_ptr(), None, null_mut());
        assert_eq!(built, CL_SUCCESS, "{}", build_log(program, devices[0]));
        let flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
        let number = clSVMAlloc(context, flags, 4, 0).cast::<u32>();
        assert!(!number.is_null());
        number.write(0);
        let queues: Vec<_> = devices.iter().map(|d| Rig { device: *d, context, program }.queue(0)).collect();
        let kernel = Rig { device: devices[0], context, program }.kernel("count");
        ok(clSetKernelArgSVMPointer(kernel, 0, number.cast()));
        for _ in 0..rounds {
            for queue in &queues {
                release(Some(launch(*queue, kernel, size, &[])));
                ok(clFlush(*queue));
            }
        }
        let shared = std::sync::atomic::AtomicU32::from_ptr(number);
        for _ in 0..1000 {
            shared.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
        queues.iter().for_each(|q| finish(*q));
        let all = devices.len() as u32 * rounds * size as u32 + 1000;
        assert_eq!(shared.load(std::sync::atomic::Ordering::Relaxed), all);
        clSVMFree(context, number.cast());
        release(queues);
        release(Some(kernel));
        release(Some(program));
        release(Some(context));
    }
}
