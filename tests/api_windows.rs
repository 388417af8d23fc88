//! A device with 4 storage buffers in a kernel and without buffer device addresses (both hidden here):
//! kernels with more buffers, whose arguments have one descriptor. Buffers that share memory and such that
//! are copied for the launch, parts of buffers, buffers that are several arguments, pointers in memory,
//! NULL, command buffers, and buffers that are too large together.

#![allow(clippy::unwrap_used)]

use std::ptr::{null, null_mut};
use std::sync::Once;
use test_support::api::devices::part;
use test_support::api::extension::has_extension;
use test_support::api::recording;
use test_support::api::rig::*;
use test_support::api::*;

const MANY: &str = "
    kernel void many(global int *a, global const int *b, global short *c, global const char4 *d, global long *e,
                     global float *f, global int *g, int n) {
        int i = get_global_id(0);
        a[i] = b[i] + n; c[i] = d[i].y; e[i] += b[i]; f[i] = g[i] * 0.5f; atomic_add(g, 1);
    }";

fn rig(source: &str) -> Rig {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: every test of the program waits here before it does anything else.
        unsafe {
            std::env::set_var("PYROCLAST_DEVICES", "vulkan");
            std::env::set_var("PYROCLAST_FEATURES", "-buffer_device_address,-many_descriptors");
        }
    });
    Rig::with_options(source, "-cl-std=CL3.0")
}

/// A buffer without contents.
fn empty(rig: &Rig, size: usize) -> cl_mem {
    let mut code = 1;
    // SAFETY: no host memory.
    let mem = unsafe { clCreateBuffer(rig.context, CL_MEM_READ_WRITE, size, null_mut(), &mut code) };
    ok(code);
    mem
}

fn write<T>(queue: cl_command_queue, mem: cl_mem, values: &[T]) {
    let (size, from) = (size_of_val(values), values.as_ptr().cast());
    // SAFETY: the values have the size.
    ok(unsafe { clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, size, from, 0, null(), null_mut()) });
}

/// Buffers of the kernel `many` with their contents, each made by a function from its size.
fn many(queue: cl_command_queue, make: impl Fn(usize) -> cl_mem) -> [cl_mem; 7] {
    let all = [4, 4, 2, 4, 8, 4, 4].map(|bytes| make(bytes * 64));
    write(queue, all[0], &[-1i32; 64]);
    write(queue, all[1], &std::array::from_fn::<i32, 64, _>(|i| i as i32 * 3));
    write(queue, all[2], &[-2i16; 64]);
    write(queue, all[3], &std::array::from_fn::<[i8; 4], 64, _>(|i| [0, i as i8 - 32, 9, 9]));
    write(queue, all[4], &std::array::from_fn::<i64, 64, _>(|i| (i as i64) << 40));
    write(queue, all[5], &[0f32; 64]);
    write(queue, all[6], &std::array::from_fn::<i32, 64, _>(|i| if i == 0 { 0 } else { i as i32 }));
    all
}

fn set_many(kernel: cl_kernel, all: [cl_mem; 7], n: i32) {
    (0..).zip(all).for_each(|(i, mem)| set(kernel, i, mem));
    set(kernel, 7, n);
}

/// Checks the results of `launches` launches with the last one's `n`.
fn check_many(queue: cl_command_queue, all: [cl_mem; 7], n: i32, launches: i64) {
    assert_eq!(read::<i32>(queue, all[0], 64), Vec::from_iter((0..64).map(|i| i * 3 + n)));
    assert_eq!(read::<i16>(queue, all[2], 64), Vec::from_iter((0..64).map(|i| i - 32)));
    let sums = (0..64).map(|i: i64| (i << 40) + launches * i * 3);
    assert_eq!(read::<i64>(queue, all[4], 64), Vec::from_iter(sums));
    let halves = read::<f32>(queue, all[5], 64);
    assert_eq!(halves[1..], Vec::from_iter((1..64).map(|i| i as f32 * 0.5)));
    assert_eq!(i64::from(read::<i32>(queue, all[6], 1)[0]), launches * 64);
    assert_eq!(read::<i32>(queue, all[1], 64), Vec::from_iter((0..64).map(|i| i * 3)));
}

/// Buffers so large that no two share memory; only the first bytes are used.
const LARGE: usize = 80 << 20;

#[test]
fn kernels_have_more_buffers_than_descriptors() {
    let rig = rig(MANY);
    let (queue, kernel) = (rig.queue(0), rig.kernel("many"));
    let all = many(queue, |size| empty(&rig, size));
    for (launches, n) in [(1, 5), (2, -7)] {
        set_many(kernel, all, n);
        launch(queue, kernel, 64, &[]);
        check_many(queue, all, n, launches);
    }
    all.iter().for_each(|mem| mem.release());
}

/// A part of a large buffer has memory of its own beside the others: everything is copied.
#[test]
fn buffers_of_several_memories_are_copied() {
    let rig = rig(MANY);
    let (queue, kernel) = (rig.queue(0), rig.kernel("many"));
    for large in 0..7 {
        let whole = empty(&rig, LARGE);
        write(queue, whole, &[77u8; 8192]);
        let next = std::cell::Cell::new(0);
        let all = many(queue, |size| match next.replace(next.get() + 1) {
            i if i == large => part(whole, 4096, size),
            _ => empty(&rig, size),
        });
        set_many(kernel, all, large);
        launch(queue, kernel, 64, &[]);
        launch(queue, kernel, 64, &[]);
        check_many(queue, all, large, 2);
        // The kernel has written only its part.
        let bytes = read::<u8>(queue, whole, 8192);
        assert!(bytes[..4096].iter().chain(&bytes[4096 + 512..]).all(|b| *b == 77));
        all.iter().for_each(|mem| mem.release());
        whole.release();
    }
}

#[test]
fn launches_of_an_unordered_queue_and_of_command_buffers() {
    let rig = rig(MANY);
    let kernel = rig.kernel("many");
    let unordered = rig.queue(OUT_OF_ORDER);
    for large in [false, true] {
        let whole = empty(&rig, if large { LARGE } else { 8192 });
        let at = std::cell::Cell::new(0);
        let all = many(unordered, |size| match at.replace(at.get() + 1024) {
            at if at < 3000 => part(whole, at, size),
            _ => empty(&rig, size),
        });
        set_many(kernel, all, 3);
        let first = launch(unordered, kernel, 64, &[]);
        let second = launch(unordered, kernel, 64, &[first]);
        ok(wait(&[second]));
        check_many(unordered, all, 3, 2);
        if has_extension("cl_khr_command_buffer") {
            let queue = rig.queue(0);
            let recorded = recording::create(queue, &[]).unwrap();
            recording::record(recorded, kernel, 64, &[]);
            recording::record(recorded, kernel, 64, &[]);
            ok(recording::finalize(recorded));
            recording::replay(recorded, &[]);
            recording::replay(recorded, &[]);
            finish(queue);
            check_many(queue, all, 3, 6);
        }
    }
}

/// Pointers in memory lead to the same buffers in later launches, whether their buffers share memory, are
/// copied, or are parts of one buffer; one buffer may be several arguments.
#[test]
fn pointers_in_memory_lead_to_the_same_buffers() {
    let rig = rig("
        global int *kept;
        constant int table[4] = {5, 6, 7, 8};
        kernel void keep(global int *a, global int *b, global int *c, global int *d, global int *e,
                         global ulong *out) {
            global int *all[5] = {a, b, c, d, e};
            for (int i = 0; i < 5; i++) { out[i] = (ulong)(all[i] + i); *all[i] += 1; }
            kept = b + 1;
        }
        kernel void use(global ulong *in, global int *e, global int *d, global int *c, global int *b,
                        global int *a, global int *out) {
            int n = get_global_id(0);
            global int *p = (global int *)in[n];
            out[n] = *p + table[n % 4];
            *p = -n;
            if (n == 4) { out[5] = *kept; out[6] = kept == b + 1; out[7] = in[1] == (ulong)kept; out[8] = a == e; }
        }");
    let queue = rig.queue(0);
    for large in [64, LARGE] {
        let (out, got) = (rig.buffer(&[0u64; 5]), rig.buffer(&[0i32; 9]));
        let (whole, single) = (empty(&rig, large), rig.buffer(&[100, 101, 102, 103, 104]));
        let more = empty(&rig, 2048);
        write(queue, whole, &[200, 201, 202, 203, 204]);
        write(queue, more, &[300; 512]);
        let parts = [part(more, 0, 256), part(more, 1024, 256)];
        let (keep, used) = (rig.kernel("keep"), rig.kernel("use"));
        let args = [whole, single, parts[0], parts[1], whole];
        (0..).zip(args).for_each(|(i, mem)| set(keep, i, mem));
        set(keep, 5, out);
        launch(queue, keep, 1, &[]);
        set(used, 0, out);
        (1..).zip(args.into_iter().rev()).for_each(|(i, mem)| set(used, i, mem));
        set(used, 6, got);
        launch(queue, used, 5, &[]);
        let got = read::<i32>(queue, got, 9);
        assert_eq!(got[..5], [202 + 5, 101 + 6, 300 + 7, 300 + 8, 204 + 5]);
        assert_eq!(got[6..], [1, 1, 1]);
        assert_eq!(read::<i32>(queue, whole, 5), [0, 201, 202, 203, -4]);
        assert_eq!(read::<i32>(queue, single, 3), [101, -1, 102]);
        let more = read::<i32>(queue, more, 512);
        assert_eq!([more[0], more[2], more[256], more[259], more[100]], [301, -2, 301, -3, 300]);
    }
}

#[test]
fn null_is_told_from_buffers() {
    let rig = rig("
        kernel void k(global int *a, global int *b, constant int *c, global int *d, global int *e,
                      global ulong *out) {
            global int *p = a ? a : b;
            out[0] = p ? *p : 99;
            out[1] = (a != 0) | (b != 0) << 1 | (c != 0) << 2 | (d != 0) << 3 | (e != 0) << 4;
            out[2] = a == b; out[3] = c ? c[1] : 5; out[4] = d ? *d : 4; out[5] = e ? e[1] : 3;
            out[6] = (ulong)d;
        }");
    let queue = rig.queue(0);
    let (mem, out) = (rig.buffer(&[7, 8]), rig.buffer(&[0u64; 7]));
    let kernel = rig.kernel("k");
    let nothing: cl_mem = null_mut();
    set(kernel, 5, out);
    let run = |args: [cl_mem; 5]| {
        (0..).zip(args).for_each(|(i, mem)| set(kernel, i, mem));
        launch(queue, kernel, 1, &[]);
        read::<u64>(queue, out, 7)
    };
    assert_eq!(run([nothing; 5]), [99, 0, 1, 5, 4, 3, 0]);
    let got = run([nothing, mem, mem, nothing, mem]);
    assert_eq!((&got[..6], got[6]), (&[7, 0b10110, 0, 8, 4, 8][..], 0));
    let got = run([mem, mem, nothing, mem, nothing]);
    assert_eq!((&got[..6], got[6] != 0), (&[7, 0b1011, 1, 5, 7, 3][..], true));
}

/// Three buffers that fit no descriptor together: the launch fails, and the next one works.
#[test]
fn buffers_that_are_too_large_together_fail_the_launch() {
    let rig = rig(MANY);
    let (queue, kernel) = (rig.queue(0), rig.kernel("many"));
    let most = number(&device_info(rig.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE).unwrap()) as usize;
    let small = many(queue, |size| empty(&rig, size));
    let mut all = small;
    (all[0], all[2]) = (empty(&rig, most), empty(&rig, most));
    set_many(kernel, all, 1);
    let event = launch(queue, kernel, 64, &[]);
    assert_ne!(wait(&[event]), CL_SUCCESS);
    assert_eq!(status(event), CL_OUT_OF_RESOURCES);
    set_many(kernel, small, 2);
    launch(queue, kernel, 64, &[]);
    check_many(queue, small, 2, 1);
}
