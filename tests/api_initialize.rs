//! cl_khr_initialize_memory: local and private memory that the program has not written contains zeros, on the
//! default device and, in separate processes, on the processor and on a device without the extension.

#![allow(clippy::unwrap_used)]

use std::ptr::{null, null_mut};
use test_support::api::rig::*;
use test_support::api::*;
use test_support::skipped;

/// `dirt` fills local and private memory with numbers. The other kernels report the contents of memory that
/// they have not written; `which` only decides when they run, so that no compiler can predict the values.
/// Memory is a variable of the kernel and an argument, of one type and of several.
const SOURCE: &str = "
    void fill(local uint *words, uint n) {
        for (uint i = get_local_id(0); i < n; i += get_local_size(0))
            words[i] = 0xdeadbeef;
    }
    kernel void dirt(global uint *out, local uint *given) {
        local uint own[2048];
        uint mine[300];
        for (uint i = 0; i < 300; i++)
            mine[(i * 7) % 300] = 0xdead0000 + i;
        fill(own, 2048);
        fill(given, 1000);
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = own[(get_global_id(0) * 5) % 2048] + given[get_global_id(0) % 1000] + mine[get_global_id(0) % 300];
    }
    kernel void find_local(global uint *out, local uint *given, uint which) {
        local uint own[1000];
        local struct { char a; ushort b; ulong c; } mixed[10];
        uint seen = 0;
        for (uint i = 0; i < 1000; i++)
            seen |= own[i] | given[i];
        for (uint i = 0; i < 10; i++)
            seen |= mixed[i].a | mixed[i].b | (uint)mixed[i].c | (uint)(mixed[i].c >> 32);
        barrier(CLK_LOCAL_MEM_FENCE);
        own[get_local_id(0)] = which;
        given[get_local_id(0)] = which;
        if (get_local_id(0) < 10)
            mixed[get_local_id(0)].b = which;
        barrier(CLK_LOCAL_MEM_FENCE);
        // Written elements keep their values, the others are zero.
        seen += own[(get_local_id(0) + 1) % get_local_size(0)] - which;
        seen += mixed[get_local_id(0) % 10].b - which + own[999];
        out[get_global_id(0)] = seen;
    }
    kernel void find_never_written(global uint *out) {
        local uint own[64];
        out[get_global_id(0)] = own[get_local_id(0)];
    }
    uint of_function(uint which) {
        ulong inner[20];
        if (which < 20)
            inner[which] = 0;
        ulong sum = 0;
        for (uint i = 0; i < 20; i++)
            sum |= inner[i];
        return (uint)sum | (uint)(sum >> 32);
    }
    kernel void find_private(global uint *out, uint which) {
        uint mine[300];
        uint plain;
        float4 vector;
        struct { char a; float b; } mixed;
        if (which == 400) {
            plain = 1;
            vector.y = 2;
            mixed.b = 3;
        }
        if (which < 300)
            mine[which] = 0;
        uint seen = plain | as_uint(vector.x) | as_uint(vector.y) | mixed.a | as_uint(mixed.b);
        for (uint i = 0; i < 300; i++)
            seen |= mine[i];
        event_t event;
        out[get_global_id(0)] = seen | of_function(which);
    }";

const ITEMS: usize = 256;
const GROUP: usize = 32;

/// A context that initializes memory of these kinds, and the program.
fn rig(memory: cl_bitfield) -> Rig {
    let (device, mut code) = (device(), 1);
    let properties = [CL_CONTEXT_MEMORY_INITIALIZE_KHR as isize, memory as isize, 0];
    // SAFETY: a terminated list, one device.
    let context = unsafe { clCreateContext(properties.as_ptr(), 1, &device, None, null_mut(), &mut code) };
    ok(code);
    Rig { device, context, program: build(context, device, SOURCE) }
}

/// The program, compiled and linked.
fn relinked(rig: &Rig) -> cl_program {
    let (mut text, length, mut code) = (SOURCE.as_ptr().cast(), SOURCE.len(), 1);
    // SAFETY: live handles; one string with its length.
    unsafe {
        let part = clCreateProgramWithSource(rig.context, 1, &mut text, &length, &mut code);
        ok(code);
        ok(clCompileProgram(part, 0, null(), null(), 0, null(), null_mut(), None, null_mut()));
        let whole = clLinkProgram(rig.context, 0, null(), null(), 1, &part, None, null_mut(), &mut code);
        ok(code);
        part.release();
        rig.program.release();
        whole
    }
}

fn run(queue: cl_command_queue, kernel: cl_kernel) {
    // SAFETY: live handles; one dimension.
    ok(unsafe { clEnqueueNDRangeKernel(queue, kernel, 1, null(), &ITEMS, &GROUP, 0, null(), null_mut()) });
}

fn set_local(kernel: cl_kernel, index: cl_uint, words: usize) {
    // SAFETY: local memory has a size alone.
    ok(unsafe { clSetKernelArg(kernel, index, words * 4, null()) });
}

/// Results of a kernel after `dirt` has run everywhere.
fn found(rig: &Rig, queue: cl_command_queue, kernel: cl_kernel, out: cl_mem) {
    let dirt = rig.kernel("dirt");
    set(dirt, 0, out);
    set_local(dirt, 1, 1000);
    for round in 0..3 {
        run(queue, dirt);
        run(queue, kernel);
        assert_eq!(read::<u32>(queue, out, ITEMS), [0; ITEMS], "round {round}");
    }
    dirt.release();
}

/// The case that a child process runs.
fn part() -> Option<String> {
    std::env::var("API_INITIALIZE").ok()
}

fn is_reported() -> bool {
    let reported = text(&device_info(device(), CL_DEVICE_EXTENSIONS).unwrap())
        .split(' ')
        .any(|e| e == "cl_khr_initialize_memory");
    assert_eq!(reported, part().as_deref() != Some("without") && (reported || !is_another_device()));
    if !reported {
        skipped::because("the device does not initialize memory");
    }
    reported
}

#[test]
fn memory_begins_with_zeros() {
    if !is_reported() {
        return;
    }
    let (local, private) = (CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR, CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR);
    for memory in [local, private, local | private] {
        let mut rig = rig(memory);
        if memory == local | private {
            rig.program = relinked(&rig);
        }
        let given = context_info(rig.context, CL_CONTEXT_PROPERTIES).unwrap();
        assert_eq!(given[8..16], memory.to_ne_bytes());
        let (queue, out) = (rig.queue(0), rig.buffer(&[1u32; ITEMS]));
        if memory & local != 0 {
            let kernel = rig.kernel("find_local");
            set(kernel, 0, out);
            set_local(kernel, 1, 1000);
            set(kernel, 2, 7u32);
            found(&rig, queue, kernel, out);
            let kernel = rig.kernel("find_never_written");
            set(kernel, 0, out);
            found(&rig, queue, kernel, out);
        }
        if memory & private != 0 {
            let kernel = rig.kernel("find_private");
            set(kernel, 0, out);
            set(kernel, 1, 1000u32);
            found(&rig, queue, kernel, out);
        }
        queue.release();
        out.release();
        rig.program.release();
        rig.context.release();
    }
}

/// A binary of a context without initialization does not fit one with it, and cannot be built there; one of a
/// like context can.
#[test]
fn binaries_belong_to_contexts_of_a_kind() {
    if !is_reported() {
        return;
    }
    let binary = |rig: &Rig| {
        // SAFETY: `query_bytes` passes buffers of the size it says.
        let sizes =
            query_bytes(|s, v, r| unsafe { clGetProgramInfo(rig.program, CL_PROGRAM_BINARY_SIZES, s, v, r) });
        let mut bytes = vec![0u8; number(&sizes.unwrap()) as usize];
        let mut start = bytes.as_mut_ptr();
        // SAFETY: one pointer to a buffer of that size.
        ok(unsafe {
            clGetProgramInfo(rig.program, CL_PROGRAM_BINARIES, 8, (&raw mut start).cast(), null_mut())
        });
        bytes
    };
    let load = |rig: &Rig, bytes: &[u8]| {
        let (size, mut pointer, mut status, mut code) = (bytes.len(), bytes.as_ptr(), 1, 1);
        // SAFETY: one binary with its size.
        unsafe {
            let program = clCreateProgramWithBinary(
                rig.context,
                1,
                &rig.device,
                &size,
                &mut pointer,
                &mut status,
                &mut code,
            );
            ok(code);
            let built = clBuildProgram(program, 0, null(), null(), None, null_mut());
            let log = build_log(program, rig.device);
            program.release();
            (built, log)
        }
    };
    let (plain, zeros) = (Rig::new(SOURCE), rig(CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR));
    let (of_plain, of_zeros) = (binary(&plain), binary(&zeros));
    assert_eq!(load(&plain, &of_plain).0, CL_SUCCESS);
    assert_eq!(load(&zeros, &of_zeros).0, CL_SUCCESS);
    assert_eq!(load(&plain, &of_zeros).0, CL_SUCCESS);
    let (code, log) = load(&zeros, &of_plain);
    assert_eq!(code, CL_BUILD_PROGRAM_FAILURE);
    assert!(log.contains("does not initialize memory"), "{log}");
}

#[test]
fn other_memory_is_refused() {
    let (device, mut code) = (device(), 1);
    // CL_INVALID_PROPERTY: the device lacks the extension.
    for memory in if is_reported() { 4..6 } else { 0..4 } {
        let properties = [CL_CONTEXT_MEMORY_INITIALIZE_KHR as isize, memory, 0];
        // SAFETY: a terminated list, one device.
        unsafe {
            assert!(clCreateContext(properties.as_ptr(), 1, &device, None, null_mut(), &mut code).is_null());
            assert_eq!(code, CL_INVALID_PROPERTY);
        }
    }
}

#[test]
fn again_on_other_devices() {
    if part().is_some() {
        return;
    }
    for (part, device, features) in [("cpu", "cpu", ""), ("without", "vulkan", "-zero_workgroup")] {
        let mut again = std::process::Command::new(std::env::current_exe().unwrap());
        again.env("API_INITIALIZE", part).env("PYROCLAST_DEVICES", device);
        let output = again.env("PYROCLAST_FEATURES", features).output().unwrap();
        let all = [output.stdout, output.stderr].map(|t| String::from_utf8_lossy(&t).into_owned()).join("\n");
        assert!(output.status.success(), "{part}: {all}");
    }
}
