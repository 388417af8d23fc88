//! Program entry points through the ICD loader: creation, building, compiling, linking, binaries, queries.

#![allow(clippy::unwrap_used, clippy::panic)] // a failed step is a failed test

use clspv_bridge::options::{FrontConfig, FrontEnd};
use pyroclast_runtime::program::offline::generic_front_config;
use std::ffi::{CString, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::mpsc;
use test_support::api::*;

const SCALE: &str =
    "kernel void scale(global float *data, float factor) { data[get_global_id(0)] *= factor; }\n";

fn create(context: cl_context, source: &str) -> cl_program {
    let (mut source, length, mut code) = (source.as_ptr().cast::<c_char>(), source.len(), 1);
    // SAFETY: one string with its length.
    let program = unsafe { clCreateProgramWithSource(context, 1, &mut source, &length, &mut code) };
    assert_eq!(code, CL_SUCCESS);
    program
}

fn build(program: cl_program, options: &str) -> cl_int {
    let options = CString::new(options).unwrap();
    // SAFETY: a terminated string, no callback.
    unsafe { clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut()) }
}

fn compile(program: cl_program, options: &str) -> cl_int {
    let options = CString::new(options).unwrap();
    // SAFETY: a terminated string, no headers, no callback.
    unsafe { clCompileProgram(program, 0, null(), options.as_ptr(), 0, null(), null_mut(), None, null_mut()) }
}

fn link(context: cl_context, options: &str, inputs: &[cl_program]) -> (cl_program, cl_int) {
    let (options, mut code) = (CString::new(options).unwrap(), 1);
    // SAFETY: terminated string, programs with their count, no callback.
    let program = unsafe {
        let count = inputs.len() as cl_uint;
        clLinkProgram(
            context,
            0,
            null(),
            options.as_ptr(),
            count,
            inputs.as_ptr(),
            None,
            null_mut(),
            &mut code,
        )
    };
    (program, code)
}

fn info(program: cl_program, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    // SAFETY: `query_bytes` passes buffers of the size it says.
    query_bytes(|size, value, size_ret| unsafe { clGetProgramInfo(program, name, size, value, size_ret) })
}

fn build_info(program: cl_program, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    // SAFETY: as above.
    query_bytes(|size, value, size_ret| unsafe {
        clGetProgramBuildInfo(program, device(), name, size, value, size_ret)
    })
}

fn status(program: cl_program) -> cl_int {
    number(&build_info(program, CL_PROGRAM_BUILD_STATUS).unwrap()) as cl_int
}

fn log(program: cl_program) -> String {
    text(&build_info(program, CL_PROGRAM_BUILD_LOG).unwrap())
}

fn binary_type(program: cl_program) -> cl_uint {
    number(&build_info(program, CL_PROGRAM_BINARY_TYPE).unwrap()) as cl_uint
}

fn kernel(program: cl_program, name: &str) -> Result<cl_kernel, cl_int> {
    let (name, mut code) = (CString::new(name).unwrap(), 1);
    // SAFETY: a terminated string.
    let kernel = unsafe { clCreateKernel(program, name.as_ptr(), &mut code) };
    assert_eq!(kernel.is_null(), code != CL_SUCCESS);
    if code == CL_SUCCESS { Ok(kernel) } else { Err(code) }
}

fn binary(program: cl_program) -> Vec<u8> {
    let size = number(&info(program, CL_PROGRAM_BINARY_SIZES).unwrap()) as usize;
    let mut bytes = vec![0u8; size];
    let mut start = bytes.as_mut_ptr();
    // SAFETY: one device, one address with room for its binary.
    let code = unsafe {
        clGetProgramInfo(
            program,
            CL_PROGRAM_BINARIES,
            size_of::<*mut u8>(),
            (&raw mut start).cast(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    bytes
}

fn from_binary(context: cl_context, bytes: &[u8]) -> (cl_program, cl_int, cl_int) {
    let (device, length, mut data, mut status, mut code) = (device(), bytes.len(), bytes.as_ptr(), 1, 1);
    // SAFETY: one device, its binary with its length.
    let program =
        unsafe { clCreateProgramWithBinary(context, 1, &device, &length, &mut data, &mut status, &mut code) };
    (program, status, code)
}

fn release(program: cl_program) {
    // SAFETY: a live handle.
    assert_eq!(unsafe { clReleaseProgram(program) }, CL_SUCCESS);
}

fn release_kernel(kernel: cl_kernel) {
    // SAFETY: a live handle.
    assert_eq!(unsafe { clReleaseKernel(kernel) }, CL_SUCCESS);
}

fn end(context: cl_context) {
    // SAFETY: a live handle.
    assert_eq!(unsafe { clReleaseContext(context) }, CL_SUCCESS);
}

#[test]
fn sources() {
    let c = context();
    let mut code = 1;
    let parts = [c"kernel void a() {}".as_ptr(), c"xyz".as_ptr()];
    let lengths = [0usize, 1];
    let mut list = parts;
    // SAFETY: two strings, the first terminated, the second with its length.
    let program = unsafe { clCreateProgramWithSource(c, 2, list.as_mut_ptr(), lengths.as_ptr(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(text(&info(program, CL_PROGRAM_SOURCE).unwrap()), "kernel void a() {}x");
    assert_eq!(number(&info(program, CL_PROGRAM_NUM_DEVICES).unwrap()), 1);
    assert_eq!(number(&info(program, CL_PROGRAM_DEVICES).unwrap()), device() as u64);
    assert_eq!(number(&info(program, CL_PROGRAM_CONTEXT).unwrap()), c as u64);
    assert_eq!(number(&info(program, CL_PROGRAM_REFERENCE_COUNT).unwrap()), 1);
    assert!(info(program, CL_PROGRAM_IL).unwrap().is_empty());
    assert_eq!(info(program, 0x7777), Err(CL_INVALID_VALUE));
    assert_eq!(number(&info(program, CL_PROGRAM_BINARY_SIZES).unwrap()), 0);
    assert_eq!(status(program), CL_BUILD_NONE);
    assert_eq!(log(program), "");
    assert_eq!(binary_type(program), CL_PROGRAM_BINARY_TYPE_NONE);
    assert_eq!(info(program, CL_PROGRAM_NUM_KERNELS), Err(CL_INVALID_PROGRAM_EXECUTABLE));
    assert_eq!(kernel(program, "a"), Err(CL_INVALID_PROGRAM_EXECUTABLE));
    release(program);
    // SAFETY: pointers are NULL or valid.
    unsafe {
        assert!(clCreateProgramWithSource(c, 0, list.as_mut_ptr(), null(), &mut code).is_null());
        assert_eq!(code, CL_INVALID_VALUE);
        assert!(clCreateProgramWithSource(c, 1, null_mut(), null(), &mut code).is_null());
        assert_eq!(code, CL_INVALID_VALUE);
        list[1] = null();
        assert!(clCreateProgramWithSource(c, 2, list.as_mut_ptr(), null(), &mut code).is_null());
        assert_eq!(code, CL_INVALID_VALUE);
        assert!(
            clCreateProgramWithSource(wrong_kind(device()), 1, list.as_mut_ptr(), null(), &mut code)
                .is_null()
        );
        assert_eq!(code, CL_INVALID_CONTEXT);
    }
    end(c);
}

#[test]
fn arguments_of_builds() {
    let c = context();
    let program = create(c, SCALE);
    let d = device();
    // SAFETY: pointers are NULL or valid.
    unsafe {
        assert_eq!(clBuildProgram(program, 1, null(), null(), None, null_mut()), CL_INVALID_VALUE);
        assert_eq!(clBuildProgram(program, 0, &d, null(), None, null_mut()), CL_INVALID_VALUE);
        assert_eq!(
            clBuildProgram(program, 0, null(), null(), None, std::ptr::dangling_mut()),
            CL_INVALID_VALUE
        );
        assert_eq!(clBuildProgram(wrong_kind(c), 0, null(), null(), None, null_mut()), CL_INVALID_PROGRAM);
        let wrong = wrong_kind(c);
        assert_eq!(clBuildProgram(program, 1, &wrong, null(), None, null_mut()), CL_INVALID_DEVICE);
        let header = program;
        let one = |headers: *const cl_program, names: *mut *const c_char, n| {
            clCompileProgram(program, 0, null(), null(), n, headers, names, None, null_mut())
        };
        assert_eq!(one(&header, null_mut(), 1), CL_INVALID_VALUE);
        assert_eq!(one(null(), &mut c"a".as_ptr(), 1), CL_INVALID_VALUE);
        assert_eq!(one(&header, &mut c"a".as_ptr(), 0), CL_INVALID_VALUE);
    }
    for options in ["-foo", "-cl-std=CL7.0", "-create-library", "-D"] {
        assert_eq!(build(program, options), CL_INVALID_BUILD_OPTIONS, "{options}");
        assert_eq!(compile(program, options), CL_INVALID_COMPILER_OPTIONS, "{options}");
    }
    assert_eq!(status(program), CL_BUILD_NONE);
    assert_eq!(link(c, "", &[]), (null_mut(), CL_INVALID_VALUE));
    assert_eq!(link(c, "", &[program]), (null_mut(), CL_INVALID_OPERATION));
    assert_eq!(link(c, "-bad", &[program]), (null_mut(), CL_INVALID_LINKER_OPTIONS));
    assert_eq!(link(c, "", &[wrong_kind(c)]), (null_mut(), CL_INVALID_PROGRAM));
    assert_eq!(link(wrong_kind(program), "", &[program]), (null_mut(), CL_INVALID_CONTEXT));
    let other = context();
    assert_eq!(link(other, "", &[program]), (null_mut(), CL_INVALID_CONTEXT));
    end(other);
    release(program);
    end(c);
}

#[test]
fn a_failed_build_has_a_log() {
    let c = context();
    let program = create(c, "kernel void f(global int *p) { *p = undefined_name; }");
    assert_eq!(build(program, "-DQ=1"), CL_BUILD_PROGRAM_FAILURE);
    assert_eq!(status(program), CL_BUILD_ERROR);
    assert!(log(program).contains("undefined_name"), "{}", log(program));
    assert_eq!(text(&build_info(program, CL_PROGRAM_BUILD_OPTIONS).unwrap()), "-DQ=1");
    assert_eq!(info(program, CL_PROGRAM_KERNEL_NAMES), Err(CL_INVALID_PROGRAM_EXECUTABLE));
    // Adding the missing header makes the program build.
    assert_eq!(build(program, "-Dundefined_name=3"), CL_SUCCESS, "{}", log(program));
    assert_eq!(status(program), CL_BUILD_SUCCESS);
    assert_eq!(compile(program, "-Dundefined_name=+"), CL_COMPILE_PROGRAM_FAILURE);
    release(program);
    end(c);
}

#[test]
fn a_build_has_kernels() {
    let c = context();
    let program = create(c, &format!("{SCALE}kernel void other(global int *p) {{ *p = 1; }}"));
    assert_eq!(build(program, "-cl-mad-enable -cl-nv-verbose"), CL_SUCCESS, "{}", log(program));
    assert!(log(program).contains("-cl-nv-verbose"), "ignored options are noted");
    assert_eq!(binary_type(program), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    assert_eq!(number(&info(program, CL_PROGRAM_NUM_KERNELS).unwrap()), 2);
    let names = text(&info(program, CL_PROGRAM_KERNEL_NAMES).unwrap());
    assert!(names == "scale;other" || names == "other;scale", "{names}");
    assert_eq!(number(&info(program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT).unwrap()), 0);
    assert_eq!(number(&build_info(program, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE).unwrap()), 0);
    assert_eq!(kernel(program, "missing"), Err(CL_INVALID_KERNEL_NAME));
    // CL_INVALID_OPERATION: the program has kernels.
    let k = kernel(program, "scale").unwrap();
    assert_eq!(build(program, ""), CL_INVALID_OPERATION);
    assert_eq!(compile(program, ""), CL_INVALID_OPERATION);
    release_kernel(k);
    assert_eq!(build(program, ""), CL_SUCCESS);
    release(program);
    end(c);
}

#[test]
fn binaries() {
    let c = context();
    let program = create(c, SCALE);
    assert_eq!(build(program, "-cl-mad-enable"), CL_SUCCESS, "{}", log(program));
    let bytes = binary(program);
    assert!(!bytes.is_empty());
    release(program);
    let (program, status_of_binary, code) = from_binary(c, &bytes);
    assert_eq!((status_of_binary, code), (CL_SUCCESS, CL_SUCCESS));
    assert_eq!(binary(program), bytes);
    assert_eq!(binary_type(program), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    assert_eq!(status(program), CL_BUILD_NONE);
    assert_eq!(info(program, CL_PROGRAM_SOURCE).unwrap(), b"\0");
    assert_eq!(kernel(program, "scale"), Err(CL_INVALID_PROGRAM_EXECUTABLE));
    assert_eq!(compile(program, ""), CL_INVALID_OPERATION);
    // With its own options, and with others.
    for options in ["", "-cl-fast-relaxed-math"] {
        assert_eq!(build(program, options), CL_SUCCESS, "{}", log(program));
        release_kernel(kernel(program, "scale").unwrap());
    }
    release(program);
    let mut damaged = bytes.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    for bad in [&damaged[..], &bytes[..bytes.len() - 1], b"garbage"] {
        assert_eq!(from_binary(c, bad), (null_mut(), CL_INVALID_BINARY, CL_INVALID_BINARY));
    }
    assert_eq!(from_binary(c, &[]), (null_mut(), CL_INVALID_VALUE, CL_INVALID_VALUE));
    let (d, mut code) = (device(), 1);
    // SAFETY: pointers are NULL or valid.
    unsafe {
        assert!(
            clCreateProgramWithBinary(c, 0, &d, &1, &mut bytes.as_ptr(), null_mut(), &mut code).is_null()
        );
        assert_eq!(code, CL_INVALID_VALUE);
        assert!(
            clCreateProgramWithBinary(c, 1, &d, null(), &mut bytes.as_ptr(), null_mut(), &mut code).is_null()
        );
        assert_eq!(code, CL_INVALID_VALUE);
        let wrong = wrong_kind(c);
        assert!(
            clCreateProgramWithBinary(c, 1, &wrong, &1, &mut bytes.as_ptr(), null_mut(), &mut code).is_null()
        );
        assert_eq!(code, CL_INVALID_DEVICE);
    }
    end(c);
}

#[test]
fn compiling_and_linking() {
    let c = context();
    let header = create(c, "#define FACTOR 3\nint times(int);\n");
    let user = create(c, "#include <dir/times.h>\nkernel void f(global int *p) { *p = times(FACTOR); }");
    let helper = create(c, "int times(int x) { return x * 7; }");
    // SAFETY: one header with its name.
    let code = unsafe {
        clCompileProgram(user, 0, null(), null(), 1, &header, &mut c"dir/times.h".as_ptr(), None, null_mut())
    };
    assert_eq!(code, CL_SUCCESS, "{}", log(user));
    assert_eq!(binary_type(user), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    assert_eq!(kernel(user, "f"), Err(CL_INVALID_PROGRAM_EXECUTABLE));
    assert_eq!(compile(helper, ""), CL_SUCCESS, "{}", log(helper));
    let (library, code) = link(c, "-create-library -enable-link-options", &[helper]);
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(binary_type(library), CL_PROGRAM_BINARY_TYPE_LIBRARY);
    // A library may be stored and loaded again.
    let (loaded, _, code) = from_binary(c, &binary(library));
    assert_eq!(code, CL_SUCCESS);
    let (program, code) = link(c, "-cl-denorms-are-zero", &[user, loaded]);
    assert_eq!(code, CL_SUCCESS, "{}", log(program));
    assert_eq!(binary_type(program), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    assert_eq!(text(&build_info(program, CL_PROGRAM_BUILD_OPTIONS).unwrap()), "-cl-denorms-are-zero");
    release_kernel(kernel(program, "f").unwrap());
    assert_eq!(build(program, ""), CL_INVALID_OPERATION);
    // A failed link returns a program with a log.
    let (failed, code) = link(c, "", &[user]);
    assert_eq!(code, CL_LINK_PROGRAM_FAILURE);
    assert!(!failed.is_null());
    assert_eq!(status(failed), CL_BUILD_ERROR);
    assert!(log(failed).contains("times"), "{}", log(failed));
    for p in [header, user, helper, library, loaded, program, failed] {
        release(p);
    }
    end(c);
}

/// A program-scope constant declared in one program and defined in another.
#[test]
fn constants_of_other_programs() {
    let c = context();
    for options in ["", "-cl-std=CL3.0"] {
        let user = create(
            c,
            "extern constant int seven; extern constant int table[4]; extern __constant float half_of;\n\
             kernel void f(global int *p) { p[0] = seven + table[p[1] & 3] + (int)(half_of * 4); }",
        );
        let definer = create(
            c,
            "constant int seven = 7; constant int table[4] = {1, 20, 300, 4000}; constant float half_of = 0.5f;",
        );
        for program in [user, definer] {
            assert_eq!(compile(program, options), CL_SUCCESS, "{}", log(program));
        }
        for inputs in [[user, definer], [definer, user]] {
            let (program, code) = link(c, "", &inputs);
            assert_eq!(code, CL_SUCCESS, "{}", log(program));
            release_kernel(kernel(program, "f").unwrap());
            release(program);
        }
        release(user);
        release(definer);
    }
    end(c);
}

/// A kernel that calls a kernel, also one of another program.
#[test]
fn kernels_call_kernels_of_other_programs() {
    let c = context();
    let callee = create(c, SCALE);
    let caller = create(
        c,
        "extern kernel void scale(global float *p, float by); kernel void twice(global float *p) { scale(p, 2); }",
    );
    for program in [callee, caller] {
        assert_eq!(compile(program, ""), CL_SUCCESS, "{}", log(program));
    }
    let (library, code) = link(c, "-create-library", &[callee]);
    assert_eq!(code, CL_SUCCESS);
    for inputs in [[caller, callee], [caller, library]] {
        let (program, code) = link(c, "", &inputs);
        assert_eq!(code, CL_SUCCESS, "{}", log(program));
        for name in ["twice", "scale"] {
            release_kernel(kernel(program, name).unwrap());
        }
        release(program);
    }
    let (alone, code) = link(c, "", &[caller]);
    assert_eq!(code, CL_LINK_PROGRAM_FAILURE);
    assert!(log(alone).contains("unresolved symbol 'scale'"), "{}", log(alone));
    for program in [callee, caller, library, alone] {
        release(program);
    }
    end(c);
}

extern "C" fn on_built(program: cl_program, user_data: *mut c_void) {
    // SAFETY: user_data is the sender of the test, which waits for this call.
    let sender = unsafe { Box::from_raw(user_data.cast::<mpsc::Sender<(usize, cl_int)>>()) };
    sender.send((program as usize, status(program))).unwrap();
}

#[test]
fn callbacks_see_the_end_of_the_build() {
    let c = context();
    for (source, expected) in [(SCALE, CL_BUILD_SUCCESS), ("nonsense", CL_BUILD_ERROR)] {
        let program = create(c, source);
        let (sender, receiver) = mpsc::channel::<(usize, cl_int)>();
        let data = Box::into_raw(Box::new(sender)).cast::<c_void>();
        // SAFETY: the callback takes the box.
        assert_eq!(unsafe { clBuildProgram(program, 0, null(), null(), Some(on_built), data) }, CL_SUCCESS);
        let seen = receiver.recv_timeout(PATIENCE).expect("the callback is called");
        assert_eq!(seen, (program as usize, expected));
        release(program);
    }
    end(c);
}

/// Starts a build or a compilation with a callback.
fn begin(
    program: cl_program,
    callback: extern "C" fn(cl_program, *mut c_void),
    whole: bool,
) -> mpsc::Receiver<(usize, cl_int)> {
    let (sender, receiver) = mpsc::channel();
    let data = Box::into_raw(Box::new(sender)).cast::<c_void>();
    // SAFETY: the callback takes the box.
    let code = unsafe {
        match whole {
            true => clBuildProgram(program, 0, null(), null(), Some(callback), data),
            false => {
                clCompileProgram(program, 0, null(), null(), 0, null(), null_mut(), Some(callback), data)
            }
        }
    };
    assert_eq!(code, CL_SUCCESS);
    receiver
}

/// Calls that depend on a build, compilation or link wait for it.
#[test]
fn calls_after_a_build_with_a_callback_wait_for_it() {
    let c = context();
    type Use = fn(cl_program);
    let uses: [Use; 8] = [
        |p| release_kernel(kernel(p, "scale").unwrap()),
        |p| {
            let (mut made, mut count) = (null_mut(), 0);
            // SAFETY: room for one kernel and for the number.
            assert_eq!(unsafe { clCreateKernelsInProgram(p, 1, &mut made, &mut count) }, CL_SUCCESS);
            assert_eq!(count, 1);
            release_kernel(made);
        },
        |p| assert_eq!(text(&info(p, CL_PROGRAM_KERNEL_NAMES).unwrap()), "scale"),
        |p| assert_eq!(number(&info(p, CL_PROGRAM_NUM_KERNELS).unwrap()), 1),
        |p| assert!(!binary(p).is_empty()),
        |p| assert_eq!(binary_type(p), CL_PROGRAM_BINARY_TYPE_EXECUTABLE),
        |p| assert!(log(p).is_empty() && status(p) == CL_BUILD_SUCCESS),
        |p| assert_eq!(build(p, ""), CL_SUCCESS),
    ];
    for (i, check) in uses.into_iter().enumerate() {
        // Distinct sources, so that no cache contains them.
        let program = create(c, &format!("{SCALE}// {i} {}\n", std::process::id()));
        let done = begin(program, on_built, true);
        assert!([CL_BUILD_IN_PROGRESS, CL_BUILD_SUCCESS].contains(&status(program)));
        check(program);
        assert!(done.recv_timeout(PATIENCE).is_ok());
        release(program);
    }
    let program = create(c, &format!("{SCALE}// {}\n", std::process::id()));
    let done = begin(program, on_built, false);
    let (linked, code) = link(c, "", &[program]);
    assert_eq!(code, CL_SUCCESS);
    release_kernel(kernel(linked, "scale").unwrap());
    assert_eq!(done.recv_timeout(PATIENCE), Ok((program as usize, CL_BUILD_SUCCESS)));
    release(program);
    release(linked);
    end(c);
}

/// In the callback the build is complete and the program alive, although the application has released it.
extern "C" fn use_in_callback(program: cl_program, user_data: *mut c_void) {
    release_kernel(kernel(program, "scale").unwrap());
    assert!(!binary(program).is_empty());
    // Another build of the same program.
    assert_eq!(build(program, ""), CL_SUCCESS);
    on_built(program, user_data);
}

#[test]
fn programs_are_alive_in_their_callbacks() {
    let c = context();
    for i in 0..4 {
        let program = create(c, &format!("{SCALE}// alive {i} {}\n", std::process::id()));
        let done = begin(program, use_in_callback, true);
        release(program);
        assert_eq!(done.recv_timeout(PATIENCE), Ok((program as usize, CL_BUILD_SUCCESS)));
    }
    end(c);
}

#[test]
fn sub_groups_that_an_intermediate_language_requires() {
    if test_support::clang::is_missing() {
        return;
    }
    let c = context();
    let config = FrontConfig { front_end: FrontEnd::Clang, ..generic_front_config() };
    let options = Default::default();
    let request = clspv_bridge::options::CompileRequest::new(SCALE, &options, &config);
    let library = clspv_bridge::driver::compile(&request).expect("SPIR-V").library;
    let mut words = library.code.spirv().to_vec();
    // Inserts OpExecutionMode %function SubgroupsPerWorkgroup 2 after the entry point, and OpCapability
    // SubgroupDispatch at the beginning.
    let mut at = 5;
    while words[at] & 0xffff != 15 {
        at += (words[at] >> 16) as usize;
    }
    let (end_of_entry, function) = (at + (words[at] >> 16) as usize, words[at + 2]);
    words.splice(end_of_entry..end_of_entry, [4 << 16 | 16, function, 36, 2]);
    words.splice(5..5, [2 << 16 | 17, 58]);
    let mut code = 1;
    // SAFETY: a block with its length.
    let program = unsafe { clCreateProgramWithIL(c, words.as_ptr().cast(), 4 * words.len(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(build(program, ""), CL_SUCCESS, "{}", log(program));
    let k = kernel(program, "scale").unwrap();
    let mut count = 0usize;
    // SAFETY: room for one number.
    let code = unsafe {
        let (bytes, value) = (size_of::<usize>(), (&raw mut count).cast());
        clGetKernelSubGroupInfo(
            k,
            device(),
            CL_KERNEL_COMPILE_NUM_SUB_GROUPS,
            0,
            null(),
            bytes,
            value,
            null_mut(),
        )
    };
    assert_eq!((code, count), (CL_SUCCESS, 2));
    release_kernel(k);
    release(program);
    end(c);
}

#[test]
fn intermediate_language() {
    if test_support::clang::is_missing() {
        return;
    }
    let c = context();
    let config = FrontConfig { front_end: FrontEnd::Clang, ..generic_front_config() };
    let options = Default::default();
    let request = clspv_bridge::options::CompileRequest::new(SCALE, &options, &config);
    let library = clspv_bridge::driver::compile(&request).expect("SPIR-V").library;
    let bytes = library.code.to_bytes().expect("an encoding").into_owned();
    let mut code = 1;
    // SAFETY: a block with its length.
    let program = unsafe { clCreateProgramWithIL(c, bytes.as_ptr().cast(), bytes.len(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(info(program, CL_PROGRAM_IL).unwrap(), bytes);
    assert_eq!(info(program, CL_PROGRAM_SOURCE).unwrap(), b"\0");
    assert_eq!(build(program, "-cl-std=CL1.2"), CL_SUCCESS, "{}", log(program));
    release_kernel(kernel(program, "scale").unwrap());
    if has_symbol("clSetProgramSpecializationConstant") {
        let value = 1u32;
        // SAFETY: the value has four bytes.
        unsafe {
            let set = |p, id, size, value: *const u32| {
                clSetProgramSpecializationConstant(p, id, size, value.cast())
            };
            assert_eq!(set(program, 77, 4, &value), CL_INVALID_SPEC_ID);
            let source = create(c, SCALE);
            assert_eq!(set(source, 77, 4, &value), CL_INVALID_PROGRAM);
            release(source);
        }
    }
    release(program);
    // The log names capabilities that no device supports, and DeviceEnqueue, which few do.
    let enqueues = number(&device_info(device(), CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES).unwrap()) != 0;
    let lacking = [2u32, 59].into_iter().chain((!enqueues).then_some(19));
    for (capability, offset) in lacking.map(|capability| (capability, 5 * 4)) {
        let mut asking = bytes.clone();
        asking.splice(offset..offset, [2 << 16 | 17, capability].iter().flat_map(|w: &u32| w.to_le_bytes()));
        // SAFETY: a block with its length.
        let program = unsafe { clCreateProgramWithIL(c, asking.as_ptr().cast(), asking.len(), &mut code) };
        assert!(program.is_null());
        assert_eq!(code, CL_INVALID_VALUE);
    }
    for bad in [&bytes[..bytes.len() - 4], &bytes[..bytes.len() - 1], b"not an intermediate language"] {
        // SAFETY: a block with its length.
        let program = unsafe { clCreateProgramWithIL(c, bad.as_ptr().cast(), bad.len(), &mut code) };
        assert!(program.is_null());
        assert_eq!(code, CL_INVALID_VALUE);
    }
    // SAFETY: NULL is allowed to be refused.
    unsafe {
        assert!(clCreateProgramWithIL(c, null(), 4, &mut code).is_null());
        assert_eq!(code, CL_INVALID_VALUE);
        assert!(clCreateProgramWithIL(c, bytes.as_ptr().cast(), 0, &mut code).is_null());
        assert_eq!(code, CL_INVALID_VALUE);
    }
    end(c);
}

#[test]
fn what_no_device_has() {
    let c = context();
    let (d, mut code) = (device(), 1);
    let program = create(c, SCALE);
    // SAFETY: pointers are NULL or valid.
    unsafe {
        assert!(clCreateProgramWithBuiltInKernels(c, 1, &d, c"a;b".as_ptr(), &mut code).is_null());
        assert_eq!(code, CL_INVALID_VALUE);
        assert!(clCreateProgramWithBuiltInKernels(c, 1, &d, null(), &mut code).is_null());
        assert_eq!(code, CL_INVALID_VALUE);
        if has_symbol("clSetProgramReleaseCallback") {
            assert_eq!(clSetProgramReleaseCallback(program, None, null_mut()), CL_INVALID_VALUE);
            assert_eq!(
                clSetProgramReleaseCallback(program, Some(on_built), null_mut()),
                CL_INVALID_OPERATION
            );
        }
    }
    release(program);
    end(c);
}

#[test]
fn references() {
    let c = context();
    let program = create(c, SCALE);
    // SAFETY: handles are live, or stale but ours.
    unsafe {
        assert_eq!(clRetainProgram(program), CL_SUCCESS);
        assert_eq!(number(&info(program, CL_PROGRAM_REFERENCE_COUNT).unwrap()), 2);
        release(program);
        release(program);
        assert_eq!(clReleaseProgram(program), CL_INVALID_PROGRAM);
        assert_eq!(clRetainProgram(program), CL_INVALID_PROGRAM);
    }
    end(c);
}
