//! Tests of kernels that fall back to the processor (PYROCLAST_FALLBACK=cpu) on a device with hidden
//! features: each test program selects them (`ready`) and runs all tests. Kernels with doubles and 64-bit
//! atomics fall back, others do not.

#![allow(clippy::unwrap_used)]

#[allow(dead_code)] // tests that not every program runs
pub mod enqueue;
#[allow(dead_code)] // as above
pub mod formats;
#[allow(dead_code)] // as above
pub mod memory;
#[allow(dead_code)] // tests that not every program runs
pub mod programs;
#[allow(dead_code)] // as above
pub mod queues;
#[allow(dead_code)] // as above
pub mod recorded;

use std::ffi::CString;
use std::ptr::{null, null_mut};
use std::sync::{Mutex, Once, PoisonError};
use test_support::api::rig::*;
use test_support::api::*;
use test_support::skipped;

pub const SOURCE: &str = "
kernel void scale(global float *p, float factor) { p[get_global_id(0)] *= factor; }
kernel void precise(global float *p, double factor, double addend) {
    size_t i = get_global_id(0);
    p[i] = (float)(p[i] * factor + addend);
}
kernel void count(global ulong *n, uint amount) { atom_add(n, (ulong)amount << 30); }
kernel void combine(global float *to, global const float *from) { to[get_global_id(0)] += from[get_global_id(0)] * 0.5f; }
";

/// Hides features of the device, so that kernels fall back. To be called first in every test.
pub fn ready(hidden: &str) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: every test of the program waits here before it does anything else.
        unsafe {
            std::env::set_var("PYROCLAST_FEATURES", hidden);
            std::env::set_var("PYROCLAST_FALLBACK", "cpu");
            std::env::set_var("PYROCLAST_DEVICES", "vulkan,cpu");
            // However busy the machine is.
            std::env::set_var("PYROCLAST_CLANG_TIMEOUT", "3600");
        }
    });
}

/// Whether a kernel falls back according to the build log.
pub fn falls_back(rig: &Rig, kernel: &str) -> bool {
    build_log(rig.program, rig.device).contains(&format!("kernel '{kernel}' falls back to "))
}

/// The kernels of [`SOURCE`], built once.
pub fn rig() -> Rig {
    rig_of(SOURCE)
}

/// A rig for another source.
pub fn rig_of(source: &'static str) -> Rig {
    static RIGS: Mutex<Vec<(&str, Rig)>> = Mutex::new(Vec::new());
    let mut rigs = RIGS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = rigs.iter().find(|(s, _)| *s == source) {
        return *known;
    }
    let made = Rig::new(source);
    rigs.push((source, made));
    made
}

/// An in-order queue and an out-of-order queue of each device.
pub fn queues_of(rig: &Rig, devices: &[cl_device_id]) -> Vec<cl_command_queue> {
    let both = [0, OUT_OF_ORDER].into_iter();
    both.flat_map(|how| devices.iter().map(move |d| Rig { device: *d, ..*rig }.queue(how))).collect()
}

/// A program of the rig's context, or the build log.
pub fn try_build(rig: &Rig, source: &str, options: &str) -> Result<Rig, (cl_int, String)> {
    let (mut text, length, mut code) = (source.as_ptr().cast(), source.len(), 1);
    let options = CString::new(options).unwrap();
    // SAFETY: a string with its length and a terminated one.
    unsafe {
        let program = clCreateProgramWithSource(rig.context, 1, &mut text, &length, &mut code);
        ok(code);
        match clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut()) {
            CL_SUCCESS => Ok(Rig { program, ..*rig }),
            code => Err((code, build_log(program, rig.device))),
        }
    }
}

pub fn work_group_info(rig: &Rig, kernel: cl_kernel, name: cl_uint) -> u64 {
    // SAFETY: `query_bytes` passes buffers of the size it says.
    let got = query_bytes(|s, v, r| unsafe { clGetKernelWorkGroupInfo(kernel, rig.device, name, s, v, r) });
    number(&got.unwrap())
}

/// Declares the tests of these names, on a device with hidden features.
#[macro_export]
macro_rules! fallback_suite {
    ($hidden:literal: $($part:ident: $($name:ident),*;)*) => {
        $($(
            #[test]
            fn $name() {
                fallback::ready($hidden);
                fallback::$part::$name();
            }
        )*)*
    };
}
