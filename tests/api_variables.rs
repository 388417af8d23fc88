//! Program-scope variables through the ICD loader: linked programs, copies of a program, order between
//! launches, binaries, sizes.

#![allow(clippy::unwrap_used)]

use std::ffi::{CString, c_char};
use std::ptr::{null, null_mut};
use test_support::api::rig::*;
use test_support::api::*;

const STD: &str = "-cl-std=CL3.0";
const DEFINITIONS: &str = "
    global int total = 5;
    global int numbers[1000] = {1, 2, 3};
    global int *cursor = &numbers[2];
    kernel void add(int n) { atomic_add(&total, n); cursor[n] = n; }";
const USES: &str = "
    extern global int total;
    extern global int numbers[1000];
    extern global int *cursor;
    static global int own = 77;
    kernel void look(global int *out) {
        out[0] = total;
        out[1] = cursor[4];
        out[2] = cursor - numbers;
        out[3] = own++;
    }
    kernel void twice() { total *= 2; }";

fn compiled(context: cl_context, source: &str) -> cl_program {
    let (mut text, length, mut code) = (source.as_ptr().cast::<c_char>(), source.len(), 1);
    let options = CString::new(STD).unwrap();
    // SAFETY: strings with their length or terminated, no headers, no callback.
    unsafe {
        let program = clCreateProgramWithSource(context, 1, &mut text, &length, &mut code);
        ok(code);
        let compiled =
            clCompileProgram(program, 0, null(), options.as_ptr(), 0, null(), null_mut(), None, null_mut());
        assert_eq!(compiled, CL_SUCCESS, "{}", build_log(program, device()));
        program
    }
}

fn linked(context: cl_context, parts: &[cl_program]) -> cl_program {
    let mut code = 1;
    // SAFETY: live handles, no callback.
    let program = unsafe {
        clLinkProgram(
            context,
            0,
            null(),
            null(),
            parts.len() as u32,
            parts.as_ptr(),
            None,
            null_mut(),
            &mut code,
        )
    };
    assert_eq!(code, CL_SUCCESS, "{}", build_log(program, device()));
    program
}

fn total_size(program: cl_program) -> u64 {
    let name = CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE;
    // SAFETY: `query_bytes` passes buffers of the size it says.
    number(
        &query_bytes(|s, v, r| unsafe { clGetProgramBuildInfo(program, device(), name, s, v, r) }).unwrap(),
    )
}

fn reloaded(context: cl_context, program: cl_program) -> cl_program {
    let (mut size, mut code, mut status) = (0usize, 1, 1);
    // SAFETY: one device, so one size and one pointer; the buffer has the size.
    unsafe {
        ok(clGetProgramInfo(
            program,
            CL_PROGRAM_BINARY_SIZES,
            size_of::<usize>(),
            (&raw mut size).cast(),
            null_mut(),
        ));
        let mut bytes = vec![0u8; size];
        let mut list = [bytes.as_mut_ptr()];
        ok(clGetProgramInfo(
            program,
            CL_PROGRAM_BINARIES,
            size_of_val(&list),
            list.as_mut_ptr().cast(),
            null_mut(),
        ));
        let (device, mut start) = (device(), bytes.as_ptr());
        let program =
            clCreateProgramWithBinary(context, 1, &device, &size, &mut start, &mut status, &mut code);
        ok(code);
        ok(status);
        ok(clBuildProgram(program, 0, null(), null(), None, null_mut()));
        program
    }
}

fn looked(rig: &Rig, queue: cl_command_queue) -> Vec<i32> {
    let (out, look) = (rig.buffer(&[0i32; 4]), rig.kernel("look"));
    set(look, 0, out);
    launch(queue, look, 1, &[]);
    read(queue, out, 4)
}

#[test]
fn variables_of_linked_programs_live_as_long_as_the_program() {
    let (device, context) = (device(), context());
    let parts = [compiled(context, DEFINITIONS), compiled(context, USES)];
    let rig = Rig { device, context, program: linked(context, &parts) };
    assert_eq!(total_size(rig.program), 4 + 4000 + 8 + 4);
    let queue = rig.queue(0);
    assert_eq!(looked(&rig, queue), [5, 0, 2, 77]);
    let add = rig.kernel("add");
    set(add, 0, 4i32);
    launch(queue, add, 10, &[]);
    assert_eq!(looked(&rig, queue), [45, 4, 2, 78]);
    // Another program of the same parts has its own variables; a program from its binary starts with the
    // initial values.
    let other = Rig { device, context, program: linked(context, &parts) };
    assert_eq!(looked(&other, queue), [5, 0, 2, 77]);
    let again = Rig { device, context, program: reloaded(context, rig.program) };
    assert_eq!(total_size(again.program), 4016);
    assert_eq!(looked(&again, queue), [5, 0, 2, 77]);
    // Other queues see the same variables.
    assert_eq!(looked(&rig, rig.queue(0)), [45, 4, 2, 79]);
}

/// Launches that share only a variable are not reordered, without a wait between them.
#[test]
fn launches_are_ordered_by_what_they_do_to_variables() {
    let (device, context) = (device(), context());
    let rig = Rig {
        device,
        context,
        program: linked(context, &[compiled(context, DEFINITIONS), compiled(context, USES)]),
    };
    let (queue, add, twice) = (rig.queue(0), rig.kernel("add"), rig.kernel("twice"));
    let mut want = 5i32;
    for n in 0..40 {
        set(add, 0, n % 3);
        launch(queue, add, 64, &[]);
        launch(queue, twice, 1, &[]);
        want = want.wrapping_add(64 * (n % 3)).wrapping_mul(2);
    }
    assert_eq!(looked(&rig, queue)[0], want);
    // In an out-of-order queue events determine the order.
    let (unordered, mut last) = (rig.queue(OUT_OF_ORDER), Vec::new());
    for _ in 0..5 {
        last = vec![launch(unordered, twice, 1, &last)];
        want = want.wrapping_mul(2);
    }
    assert_eq!(wait(&last), CL_SUCCESS);
    assert_eq!(looked(&rig, queue)[0], want);
}

#[test]
fn sizes_are_reported() {
    let size = |name| {
        let mut value = 0usize;
        // SAFETY: room for a size_t.
        ok(unsafe {
            clGetDeviceInfo(device(), name, size_of::<usize>(), (&raw mut value).cast(), null_mut())
        });
        value
    };
    let largest = size(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE);
    assert!(largest >= 64 << 10);
    assert!(size(CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE) > 0);
    // A variable of the maximum size: zero at first, written and read at its end.
    let context = context();
    let source = format!(
        "global uchar big[{largest}]; global int one = 1;
         kernel void look(global int *out) {{
            for (int i = 0; i < 4; i++) out[i] = big[({largest} - 4) * (ulong)one + i] += i * one; }}"
    );
    let rig = Rig { device: device(), context, program: linked(context, &[compiled(context, &source)]) };
    assert_eq!(total_size(rig.program), largest as u64 + 4);
    let queue = rig.queue(0);
    assert_eq!(looked(&rig, queue), [0, 1, 2, 3]);
    assert_eq!(looked(&rig, queue), [0, 2, 4, 6]);
}
