//! Pipelines that are created when their kernels are: those that an earlier process used, and those of
//! required local sizes. The loader counts them.

use super::{Faults, loss::with_reports};
use libtest_mimic::Failed;
use std::time::Duration;
use test_support::api::rig::*;
use test_support::api::supervised::{Case, supervise};
use test_support::api::*;

const SOURCE: &str = "kernel void any(global uint *p, local uint *l) {
    l[get_local_id(0)] = p[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); p[get_global_id(0)] += l[0]; }
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void fixed(global uint *p) { p[get_global_id(0)]++; }
kernel void unused(global uint *p) { p[get_global_id(0)] = 7; }";

fn pipelines(faults: &Faults) -> i64 {
    faults.live()["pipeline"]
}

/// Enqueues a kernel with a local size.
fn enqueue(queue: cl_command_queue, kernel: cl_kernel, local: usize) {
    let global = 64usize;
    // SAFETY: live handles, one dimension.
    ok(unsafe {
        let none = std::ptr::null();
        clEnqueueNDRangeKernel(queue, kernel, 1, none, &global, &local, 0, none.cast(), std::ptr::null_mut())
    });
}

/// Launches the kernels, and checks what was created before.
fn run(ahead: i64) {
    let (faults, rig) = (Faults::open(), Rig::new(SOURCE));
    let (queue, buffer, start) = (rig.queue(0), rig.buffer(&[1u32; 64]), pipelines(&faults));
    let kernels = [rig.kernel("any"), rig.kernel("fixed"), rig.kernel("unused")];
    assert!(
        within(Duration::from_secs(60), || pipelines(&faults) == start + ahead),
        "{} pipelines, not {ahead}",
        pipelines(&faults) - start
    );
    kernels.iter().for_each(|kernel| set(*kernel, 0, buffer));
    // SAFETY: local memory has no content.
    ok(unsafe { clSetKernelArg(kernels[0], 1, 32 * 4, std::ptr::null()) });
    enqueue(queue, kernels[0], 32);
    enqueue(queue, kernels[0], 16);
    enqueue(queue, kernels[1], 16);
    finish(queue);
    assert_eq!(pipelines(&faults) - start, 3);
    assert_eq!(read::<u32>(queue, buffer, 64)[..2], [5, 5]);
}

pub const FIRST: Case = Case { name: "part_first_process", run: || run(1), prepare: with_reports };
pub const NEXT: Case = Case { name: "part_next_process", run: || run(3), prepare: with_reports };

pub fn processes() -> Result<(), Failed> {
    let cache = std::env::temp_dir().join(format!("pyroclast-ahead-{}", std::process::id()));
    let folder = cache.to_str().ok_or("a temporary folder with a strange name")?;
    let result =
        [&FIRST, &NEXT].iter().try_for_each(|part| supervise(part, &[("PYROCLAST_CACHE_DIR", folder)]));
    let _ = std::fs::remove_dir_all(&cache);
    result
}
