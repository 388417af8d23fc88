//! A device without buffer device addresses (hidden here): pointers in memory, across launches and between
//! parts of a buffer, NULL, arguments beyond the push constants, and the device's queries.

#![allow(clippy::unwrap_used)]

use std::ptr::{null, null_mut};
use std::sync::Once;
use test_support::api::devices::part;
use test_support::api::rig::*;
use test_support::api::*;

fn rig(source: &str) -> Rig {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: every test of the program waits here before it does anything else.
        unsafe {
            std::env::set_var("PYROCLAST_DEVICES", "vulkan");
            std::env::set_var("PYROCLAST_FEATURES", "-buffer_device_address");
        }
    });
    Rig::with_options(source, "-cl-std=CL3.0")
}

#[test]
fn nothing_is_reported_that_needs_addresses() {
    let rig = rig("kernel void k(global int *p) { *p = 1; }");
    let info = |name| device_info(rig.device, name).unwrap();
    let extensions = text(&info(CL_DEVICE_EXTENSIONS));
    for name in ["cl_ext_buffer_device_address", "cl_intel_unified_shared_memory", "cl_khr_unified_svm"] {
        assert!(!extensions.split(' ').any(|e| e == name), "{name}");
    }
    assert_eq!(number(&info(CL_DEVICE_SVM_CAPABILITIES)), 0);
    let (most, all) = (number(&info(CL_DEVICE_MAX_MEM_ALLOC_SIZE)), number(&info(CL_DEVICE_GLOBAL_MEM_SIZE)));
    // CL_DEVICE_MAX_MEM_ALLOC_SIZE: at least max(min(1 GiB, a quarter of the memory), 32 MiB).
    assert!(most >= (all / 4).clamp(32 << 20, 1 << 30) && most < 1 << 31, "{most} of {all}");
    // The largest buffer works.
    let mut code = 1;
    // SAFETY: no host memory.
    let mem = unsafe { clCreateBuffer(rig.context, CL_MEM_READ_WRITE, most as usize, null_mut(), &mut code) };
    ok(code);
    let (queue, kernel) = (rig.queue(0), rig.kernel("k"));
    set(kernel, 0, mem);
    launch(queue, kernel, 1, &[]);
    assert_eq!(read::<i32>(queue, mem, 1), [1]);
    mem.release();
}

/// A list that one kernel builds and another follows; its nodes are in two parts of one buffer and in a third
/// buffer.
#[test]
fn pointers_in_memory_stay_valid() {
    let rig = rig("
        typedef struct node { int value; global struct node *next; } node;
        kernel void link(global node *a, global node *b, global node *c) {
            for (int i = 0; i < 4; i++) {
                a[i].value = 10 + i; a[i].next = b + i;
                b[i].value = 20 + i; b[i].next = c + i;
                c[i].value = 30 + i; c[i].next = i < 3 ? a + i + 1 : 0;
            }
        }
        kernel void follow(global node *c, global node *b, global int *out, global node *a) {
            int n = 1;
            for (global node *p = a; p; p = p->next) { out[n++] = p->value; p->value = -1; }
            out[0] = n;
        }");
    let queue = rig.queue(0);
    let (whole, other, out) = (rig.buffer(&[0u8; 1024]), rig.buffer(&[0u8; 64]), rig.buffer(&[0i32; 16]));
    let (a, b) = (part(whole, 0, 256), part(whole, 512, 256));
    let (first, second) = (rig.kernel("link"), rig.kernel("follow"));
    for (i, mem) in [a, b, other].into_iter().enumerate() {
        set(first, i as u32, mem);
    }
    for (i, mem) in [other, b, out, a].into_iter().enumerate() {
        set(second, i as u32, mem);
    }
    launch(queue, first, 1, &[]);
    launch(queue, second, 1, &[]);
    assert_eq!(read::<i32>(queue, out, 13), [13, 10, 20, 30, 11, 21, 31, 12, 22, 32, 13, 23, 33]);
    let values: Vec<i32> = read::<i32>(queue, whole, 16).into_iter().step_by(4).collect();
    assert_eq!(values, [-1; 4]);
}

/// Pointers to arguments and to each other in program-scope variables, kept between launches.
#[test]
fn variables_keep_pointers() {
    let rig = rig("
        global int numbers[4] = {1, 2, 3, 4};
        global int *here = &numbers[1];
        global int *there;
        constant char text[] = \"abc\";
        constant char *words[2] = {text + 1, text};
        kernel void keep(global int *p) { there = p + 2; *here += 5; }
        kernel void use(global int *p, global int *out, int n) {
            out[0] = *there; *there = 77; out[1] = numbers[1]; out[2] = there == p + 2; out[3] = words[n][1]; out[4] = here - numbers;
        }");
    let queue = rig.queue(0);
    let (p, out) = (rig.buffer(&[10, 11, 12, 13]), rig.buffer(&[0i32; 5]));
    let (keep, used) = (rig.kernel("keep"), rig.kernel("use"));
    set(keep, 0, p);
    launch(queue, keep, 1, &[]);
    set(used, 0, p);
    set(used, 1, out);
    set(used, 2, 0);
    launch(queue, used, 1, &[]);
    assert_eq!(read::<i32>(queue, out, 5), [12, 7, 1, i32::from(b'c'), 1]);
    assert_eq!(read::<i32>(queue, p, 4), [10, 11, 77, 13]);
}

#[test]
fn null_is_told_from_buffers() {
    let rig = rig("
        kernel void k(global int *a, global int *b, constant int *c, global ulong *out) {
            global int *p = a ? a : b;
            out[0] = p ? *p : 99;
            out[1] = (a != 0) | (b != 0) << 1 | (c != 0) << 2;
            out[2] = (ulong)a; out[3] = (ulong)b;
            out[4] = a == b; out[5] = c ? c[1] : 5;
            global int *volatile kept = b;
            out[6] = kept ? kept[1] : 6;
        }");
    let queue = rig.queue(0);
    let (mem, out) = (rig.buffer(&[7, 8]), rig.buffer(&[0u64; 7]));
    let kernel = rig.kernel("k");
    let nothing: cl_mem = null_mut();
    set(kernel, 3, out);
    let run = |a, b, c| {
        set(kernel, 0, a);
        set(kernel, 1, b);
        set(kernel, 2, c);
        launch(queue, kernel, 1, &[]);
        read::<u64>(queue, out, 7)
    };
    let got = run(nothing, nothing, nothing);
    assert_eq!(got, [99, 0, 0, 0, 1, 5, 6]);
    let got = run(nothing, mem, mem);
    assert_eq!((got[0], got[1], got[2], got[3] != 0, got[4], got[5], got[6]), (7, 6, 0, true, 0, 8, 8));
    let got = run(mem, mem, nothing);
    assert_eq!((got[0], got[1], got[2] == got[3], got[4], got[5], got[6]), (7, 3, true, 1, 5, 8));
}

/// More arguments than push constants, of every width.
#[test]
fn arguments_may_be_in_a_buffer() {
    let rig = rig("
        #ifndef cl_khr_fp64
        #define double ulong
        #endif
        typedef struct { char c; double d; short s; ulong u[40]; float f; } big;
        kernel void k(global ulong *out, big b, char c, float4 v, global ulong *second, long8 w) {
            size_t i = get_global_id(0);
            if (i < 40) out[i] = b.u[i];
            if (i == 40) { out[40] = b.c; out[41] = b.s; out[42] = b.f; out[43] = c; out[44] = v.z; out[45] = w.s5; second[0] = 3; }
        }");
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Big {
        c: i8,
        d: f64,
        s: i16,
        u: [u64; 40],
        f: f32,
    }
    let queue = rig.queue(0);
    let (out, second) = (rig.buffer(&[0u64; 46]), rig.buffer(&[0u64; 2]));
    let kernel = rig.kernel("k");
    let u: [u64; 40] = std::array::from_fn(|i| (i as u64) << 33 | 5);
    set(kernel, 0, out);
    set(kernel, 1, Big { c: 1, d: 2.0, s: 3, u, f: 4.0 });
    set(kernel, 2, 6i8);
    set(kernel, 3, [0.0f32, 0.0, 7.0, 0.0]);
    set(kernel, 4, second);
    set(kernel, 5, [0i64, 0, 0, 0, 0, 8, 0, 0]);
    // 41 work-items in groups of 8 make two dispatches with different argument blocks.
    let (size, local) = (41usize, 8usize);
    // SAFETY: live handles; one dimension.
    ok(unsafe { clEnqueueNDRangeKernel(queue, kernel, 1, null(), &size, &local, 0, null(), null_mut()) });
    let got = read::<u64>(queue, out, 46);
    assert_eq!(got[..40], u);
    assert_eq!(got[40..], [1, 3, 4, 6, 7, 8]);
    assert_eq!(read::<u64>(queue, second, 1), [3]);
}
