//! Kernel entry points through the ICD loader: creation, arguments, queries, clones.

#![allow(clippy::unwrap_used, clippy::panic)] // a failed step is a failed test

use std::ffi::{CString, c_char, c_void};
use std::ptr::{null, null_mut};
use test_support::api::*;

const SOURCE: &str = "
typedef struct { int a; float b; } pair;
kernel void mixed(global const float *restrict in, constant int *table, local float *scratch, float4 v, pair p, uchar c) {
    scratch[get_local_id(0)] = in[0] + table[0] + v.x + p.b + c;
}
kernel __attribute__((reqd_work_group_size(8, 2, 1))) void sized(global int *p) {
    local int x[16];
    x[get_local_id(0)] = p[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    p[get_global_id(0)] = x[0];
}
kernel void nothing() {}
kernel __attribute__((vec_type_hint(uint4))) void hinted(global int *p) { p[get_global_id(0)] = 1; }
kernel void locals(local float4 *a, local int *b, global int *p) {
    size_t l = get_local_id(0);
    a[l] = (float4)(p[l]);
    b[l] = p[l + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    p[l] = (int)a[0].x + b[0];
}
kernel void optional(global int *p, global const int *q) {
    if (p && q) atomic_add(p, q[0]);
    else if (p) atomic_add(p, 2);
}
";

struct Fixture {
    context: cl_context,
    program: cl_program,
}

impl Fixture {
    fn new(options: &str) -> Fixture {
        let context = context();
        let (options, mut code) = (CString::new(options).unwrap(), 1);
        let (mut source, length) = (SOURCE.as_ptr().cast::<c_char>(), SOURCE.len());
        // SAFETY: one string with its length; terminated options.
        let program = unsafe {
            let program = clCreateProgramWithSource(context, 1, &mut source, &length, &mut code);
            assert_eq!(code, CL_SUCCESS);
            let built = clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut());
            let log = query_bytes(|s, v, r| {
                clGetProgramBuildInfo(program, device(), CL_PROGRAM_BUILD_LOG, s, v, r)
            })
            .unwrap();
            assert_eq!(built, CL_SUCCESS, "{}", text(&log));
            program
        };
        Fixture { context, program }
    }
    fn kernel(&self, name: &str) -> cl_kernel {
        let (name, mut code) = (CString::new(name).unwrap(), 1);
        // SAFETY: a terminated string.
        let kernel = unsafe { clCreateKernel(self.program, name.as_ptr(), &mut code) };
        assert_eq!(code, CL_SUCCESS);
        kernel
    }
    fn buffer(&self) -> cl_mem {
        let mut code = 1;
        // SAFETY: no host pointer.
        let buffer = unsafe { clCreateBuffer(self.context, CL_MEM_READ_WRITE, 256, null_mut(), &mut code) };
        assert_eq!(code, CL_SUCCESS);
        buffer
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        // SAFETY: live handles.
        unsafe {
            assert_eq!(clReleaseProgram(self.program), CL_SUCCESS);
            assert_eq!(clReleaseContext(self.context), CL_SUCCESS);
        }
    }
}

fn set<T>(kernel: cl_kernel, index: cl_uint, value: &T) -> cl_int {
    // SAFETY: the value has its size.
    unsafe { clSetKernelArg(kernel, index, size_of::<T>(), (&raw const *value).cast()) }
}

fn set_size(kernel: cl_kernel, index: cl_uint, size: usize) -> cl_int {
    // SAFETY: no value.
    unsafe { clSetKernelArg(kernel, index, size, null()) }
}

fn info(kernel: cl_kernel, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    // SAFETY: `query_bytes` passes buffers of the size it says.
    query_bytes(|size, value, size_ret| unsafe { clGetKernelInfo(kernel, name, size, value, size_ret) })
}

fn group_info(kernel: cl_kernel, device: cl_device_id, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    // SAFETY: as above.
    query_bytes(|size, value, size_ret| unsafe {
        clGetKernelWorkGroupInfo(kernel, device, name, size, value, size_ret)
    })
}

fn arg_info(kernel: cl_kernel, index: cl_uint, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    // SAFETY: as above.
    query_bytes(|size, value, size_ret| unsafe {
        clGetKernelArgInfo(kernel, index, name, size, value, size_ret)
    })
}

fn release(kernel: cl_kernel) {
    // SAFETY: a live handle.
    assert_eq!(unsafe { clReleaseKernel(kernel) }, CL_SUCCESS);
}

#[test]
fn creation() {
    let f = Fixture::new("");
    let mut code = 1;
    // SAFETY: pointers are NULL or valid.
    unsafe {
        assert!(clCreateKernel(f.program, null(), &mut code).is_null());
        assert_eq!(code, CL_INVALID_VALUE);
        assert!(clCreateKernel(f.program, c"absent".as_ptr(), &mut code).is_null());
        assert_eq!(code, CL_INVALID_KERNEL_NAME);
        assert!(clCreateKernel(wrong_kind(f.context), c"mixed".as_ptr(), &mut code).is_null());
        assert_eq!(code, CL_INVALID_PROGRAM);
        let mut count = 0;
        assert_eq!(clCreateKernelsInProgram(f.program, 0, null_mut(), &mut count), CL_SUCCESS);
        assert_eq!(count, 6);
        let mut list = [null_mut(); 6];
        assert_eq!(clCreateKernelsInProgram(f.program, 5, list.as_mut_ptr(), null_mut()), CL_INVALID_VALUE);
        assert_eq!(clCreateKernelsInProgram(f.program, 6, list.as_mut_ptr(), null_mut()), CL_SUCCESS);
        let mut names: Vec<String> =
            list.iter().map(|k| text(&info(*k, CL_KERNEL_FUNCTION_NAME).unwrap())).collect();
        names.sort();
        assert_eq!(names, ["hinted", "locals", "mixed", "nothing", "optional", "sized"]);
        list.into_iter().for_each(release);
        // Kernels that do not fit the list are not left attached to the program.
        assert_eq!(clBuildProgram(f.program, 0, null(), null(), None, null_mut()), CL_SUCCESS);
    }
}

#[test]
fn queries() {
    let f = Fixture::new("");
    let k = f.kernel("sized");
    assert_eq!(number(&info(k, CL_KERNEL_NUM_ARGS).unwrap()), 1);
    assert_eq!(number(&info(k, CL_KERNEL_CONTEXT).unwrap()), f.context as u64);
    assert_eq!(number(&info(k, CL_KERNEL_PROGRAM).unwrap()), f.program as u64);
    assert_eq!(number(&info(k, CL_KERNEL_REFERENCE_COUNT).unwrap()), 1);
    assert_eq!(text(&info(k, CL_KERNEL_ATTRIBUTES).unwrap()), "reqd_work_group_size(8,2,1)");
    // SPIR-V types have no signedness.
    let hinted = f.kernel("hinted");
    assert_eq!(text(&info(hinted, CL_KERNEL_ATTRIBUTES).unwrap()), "vec_type_hint(uint4)");
    release(hinted);
    assert_eq!(info(k, 0x7777), Err(CL_INVALID_VALUE));
    assert_eq!(info(wrong_kind(f.program), CL_KERNEL_NUM_ARGS), Err(CL_INVALID_KERNEL));

    let sizes = group_info(k, device(), CL_KERNEL_COMPILE_WORK_GROUP_SIZE).unwrap();
    let sizes: Vec<u64> = sizes.chunks(8).map(number).collect();
    assert_eq!(sizes, [8, 2, 1]);
    // The device may be NULL if the program has only one.
    let most = number(&group_info(k, null_mut(), CL_KERNEL_WORK_GROUP_SIZE).unwrap());
    assert!(most >= 16 && most <= number(&device_info(device(), CL_DEVICE_MAX_WORK_GROUP_SIZE).unwrap()));
    assert!(number(&group_info(k, device(), CL_KERNEL_LOCAL_MEM_SIZE).unwrap()) >= 64);
    assert!(number(&group_info(k, device(), CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE).unwrap()) >= 1);
    assert!(group_info(k, device(), CL_KERNEL_PRIVATE_MEM_SIZE).is_ok());
    assert_eq!(group_info(k, device(), CL_KERNEL_GLOBAL_WORK_SIZE), Err(CL_INVALID_VALUE));
    assert_eq!(group_info(k, device(), 0x7777), Err(CL_INVALID_VALUE));
    assert_eq!(group_info(k, wrong_kind(f.context), CL_KERNEL_WORK_GROUP_SIZE), Err(CL_INVALID_DEVICE));
    release(k);
}

#[test]
fn setting_arguments() {
    let f = Fixture::new("");
    let k = f.kernel("mixed");
    let (buffer, none) = (f.buffer(), null_mut::<c_void>() as cl_mem);
    assert_eq!(set(k, 0, &buffer), CL_SUCCESS);
    assert_eq!(set(k, 0, &none), CL_SUCCESS);
    assert_eq!(set_size(k, 0, size_of::<cl_mem>()), CL_SUCCESS);
    assert_eq!(set(k, 1, &buffer), CL_SUCCESS);
    assert_eq!(set(k, 0, &7u32), CL_INVALID_ARG_SIZE);
    assert_eq!(set(k, 0, &f.context), CL_INVALID_MEM_OBJECT);
    assert_eq!(set(k, 0, &0xdead_beefusize), CL_INVALID_MEM_OBJECT);
    let other = Fixture::new("");
    let foreign = other.buffer();
    assert_eq!(set(k, 0, &foreign), CL_INVALID_CONTEXT);

    let before = number(&group_info(k, device(), CL_KERNEL_LOCAL_MEM_SIZE).unwrap());
    assert_eq!(set_size(k, 2, 128), CL_SUCCESS);
    assert_eq!(number(&group_info(k, device(), CL_KERNEL_LOCAL_MEM_SIZE).unwrap()), before + 128);
    assert_eq!(set(k, 2, &4u32), CL_INVALID_ARG_VALUE);
    // Since OpenCL 3.1 a local argument may have size 0.
    assert_eq!(set_size(k, 2, 0), CL_SUCCESS);

    assert_eq!(set(k, 3, &[1f32; 4]), CL_SUCCESS);
    assert_eq!(set(k, 3, &[1f32; 3]), CL_INVALID_ARG_SIZE);
    assert_eq!(set_size(k, 3, 16), CL_INVALID_ARG_VALUE);
    assert_eq!(set_size(k, 3, 0), CL_INVALID_ARG_SIZE);
    assert_eq!(set(k, 4, &(1i32, 2f32)), CL_SUCCESS);
    assert_eq!(set(k, 5, &1u8), CL_SUCCESS);
    assert_eq!(set(k, 5, &1u16), CL_INVALID_ARG_SIZE);
    assert_eq!(set(k, 6, &1u8), CL_INVALID_ARG_INDEX);
    assert_eq!(set(wrong_kind(f.program), 0, &buffer), CL_INVALID_KERNEL);
    let flag = CL_TRUE;
    // SAFETY: live handles; pointers are NULL or valid.
    unsafe {
        assert_eq!(clSetKernelExecInfo(k, 0x7777, 4, (&raw const flag).cast()), CL_INVALID_VALUE);
        assert_eq!(clReleaseMemObject(buffer), CL_SUCCESS);
        assert_eq!(clReleaseMemObject(foreign), CL_SUCCESS);
        // The kernel does not retain the buffer.
        assert_eq!(clRetainMemObject(buffer), CL_INVALID_MEM_OBJECT);
    }
    release(k);
}

#[test]
fn argument_information() {
    // Available without `-cl-kernel-arg-info`, too.
    for options in ["-cl-kernel-arg-info", ""] {
        let f = Fixture::new(options);
        let k = f.kernel("mixed");
        let name = |i| text(&arg_info(k, i, CL_KERNEL_ARG_NAME).unwrap());
        let ty = |i| text(&arg_info(k, i, CL_KERNEL_ARG_TYPE_NAME).unwrap());
        let address = |i| number(&arg_info(k, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER).unwrap()) as cl_uint;
        let qualifiers = |i| number(&arg_info(k, i, CL_KERNEL_ARG_TYPE_QUALIFIER).unwrap());
        assert_eq!((name(0).as_str(), ty(0).as_str()), ("in", "float*"));
        assert_eq!(address(0), CL_KERNEL_ARG_ADDRESS_GLOBAL);
        assert_eq!(qualifiers(0), CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT);
        assert_eq!((name(1).as_str(), ty(1).as_str()), ("table", "int*"));
        assert_eq!(address(1), CL_KERNEL_ARG_ADDRESS_CONSTANT);
        assert_eq!(address(2), CL_KERNEL_ARG_ADDRESS_LOCAL);
        assert_eq!((name(3).as_str(), ty(3).as_str()), ("v", "float4"));
        assert_eq!((address(3), qualifiers(3)), (CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE));
        assert_eq!((name(4).as_str(), ty(4).as_str()), ("p", "pair"));
        assert_eq!((name(5).as_str(), ty(5).as_str()), ("c", "uchar"));
        let access = number(&arg_info(k, 5, CL_KERNEL_ARG_ACCESS_QUALIFIER).unwrap());
        assert_eq!(access as cl_uint, CL_KERNEL_ARG_ACCESS_NONE);
        assert_eq!(arg_info(k, 6, CL_KERNEL_ARG_NAME), Err(CL_INVALID_ARG_INDEX));
        assert_eq!(arg_info(k, 0, 0x7777), Err(CL_INVALID_VALUE));
        release(k);
    }
}

#[test]
fn clones_are_independent() {
    let f = Fixture::new("");
    let k = f.kernel("mixed");
    assert_eq!(set_size(k, 2, 64), CL_SUCCESS);
    let mut code = 1;
    // SAFETY: a live handle.
    let clone = unsafe { clCloneKernel(k, &mut code) };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(set_size(k, 2, 32), CL_SUCCESS);
    let local = |k| number(&group_info(k, device(), CL_KERNEL_LOCAL_MEM_SIZE).unwrap());
    assert_eq!(local(clone), local(k) + 32);
    release(k);
    assert_eq!(text(&info(clone, CL_KERNEL_FUNCTION_NAME).unwrap()), "mixed");
    release(clone);
    // SAFETY: a stale handle of ours.
    assert_eq!(unsafe { clRetainKernel(clone) }, CL_INVALID_KERNEL);
}

#[test]
fn sub_groups() {
    let f = Fixture::new("");
    let k = f.kernel("nothing");
    let local = [16usize];
    let ask = |name, input: &[usize]| {
        // SAFETY: input and output with their sizes.
        query_bytes(|size, value, size_ret| unsafe {
            let bytes = size_of_val(input);
            clGetKernelSubGroupInfo(k, device(), name, bytes, input.as_ptr().cast(), size, value, size_ret)
        })
    };
    let size = number(&ask(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, &local).unwrap());
    let count = number(&ask(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, &local).unwrap());
    assert_eq!(count, 16u64.div_ceil(size));
    assert_eq!(
        number(&ask(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, &[2, 3, 5]).unwrap()),
        30u64.div_ceil(size)
    );
    let most = number(&ask(CL_KERNEL_MAX_NUM_SUB_GROUPS, &[]).unwrap());
    assert!(most >= 1 && most <= number(&device_info(device(), CL_DEVICE_MAX_NUM_SUB_GROUPS).unwrap()));
    assert_eq!(number(&ask(CL_KERNEL_COMPILE_NUM_SUB_GROUPS, &[]).unwrap()), 0);
    assert_eq!(number(&ask(CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, &[]).unwrap()), 0);
    // A local size with the requested number of sub-groups, or zeros if there is none.
    let mut sizes = [7usize; 3];
    for (wanted, expected) in [(2, true), (most as usize + 1, false)] {
        // SAFETY: input and output with their sizes.
        let code = unsafe {
            let (value, input) = (sizes.as_mut_ptr().cast(), (&raw const wanted).cast());
            clGetKernelSubGroupInfo(
                k,
                device(),
                CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
                8,
                input,
                24,
                value,
                null_mut(),
            )
        };
        assert_eq!(code, CL_SUCCESS);
        let items = sizes[0] * sizes[1] * sizes[2];
        if expected {
            assert_eq!(number(&ask(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, &sizes).unwrap()), 2);
        }
        assert_eq!(items != 0, expected, "{sizes:?}");
    }
    assert_eq!(ask(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, &[]), Err(CL_INVALID_VALUE));
    assert_eq!(ask(0x7777, &[]), Err(CL_INVALID_VALUE));
    release(k);
}

type Suggest = unsafe extern "C" fn(
    cl_command_queue,
    cl_kernel,
    cl_uint,
    *const usize,
    *const usize,
    *mut usize,
) -> cl_int;

#[test]
fn suggested_local_size() {
    let f = Fixture::new("");
    let mut code = 1;
    // SAFETY: live handles; the function has this type; arrays have work_dim entries.
    unsafe {
        let address = clGetExtensionFunctionAddressForPlatform(
            platform(),
            c"clGetKernelSuggestedLocalWorkSizeKHR".as_ptr(),
        );
        assert!(!address.is_null());
        let suggest: Suggest = std::mem::transmute(address);
        let queue = clCreateCommandQueueWithProperties(f.context, device(), null(), &mut code);
        assert_eq!(code, CL_SUCCESS);
        let k = f.kernel("sized");
        let (global, mut local) = ([64usize, 8], [0usize; 2]);
        assert_eq!(suggest(queue, k, 2, null(), global.as_ptr(), local.as_mut_ptr()), CL_INVALID_KERNEL_ARGS);
        assert_eq!(set_size(k, 0, size_of::<cl_mem>()), CL_SUCCESS);
        assert_eq!(suggest(queue, k, 2, null(), global.as_ptr(), local.as_mut_ptr()), CL_SUCCESS);
        assert_eq!(local, [8, 2]);
        let n = f.kernel("nothing");
        assert_eq!(suggest(queue, n, 2, null(), global.as_ptr(), local.as_mut_ptr()), CL_SUCCESS);
        assert!(local[0] > 0 && global[0] % local[0] == 0 && global[1] % local[1] == 0, "{local:?}");
        assert_eq!(suggest(queue, n, 2, null(), global.as_ptr(), null_mut()), CL_INVALID_VALUE);
        assert_eq!(
            suggest(queue, n, 0, null(), global.as_ptr(), local.as_mut_ptr()),
            CL_INVALID_WORK_DIMENSION
        );
        assert_eq!(
            suggest(queue, n, 4, null(), global.as_ptr(), local.as_mut_ptr()),
            CL_INVALID_WORK_DIMENSION
        );
        assert_eq!(suggest(queue, n, 2, null(), null(), local.as_mut_ptr()), CL_INVALID_GLOBAL_WORK_SIZE);
        let empty = [4usize, 0];
        assert_eq!(
            suggest(queue, n, 2, null(), empty.as_ptr(), local.as_mut_ptr()),
            CL_INVALID_GLOBAL_WORK_SIZE
        );
        let far = [usize::MAX, 0];
        assert_eq!(
            suggest(queue, n, 2, far.as_ptr(), global.as_ptr(), local.as_mut_ptr()),
            CL_INVALID_GLOBAL_OFFSET
        );
        assert_eq!(
            suggest(wrong_kind(k), n, 2, null(), global.as_ptr(), local.as_mut_ptr()),
            CL_INVALID_COMMAND_QUEUE
        );
        assert_eq!(
            suggest(queue, wrong_kind(queue), 2, null(), global.as_ptr(), local.as_mut_ptr()),
            CL_INVALID_KERNEL
        );
        release(k);
        release(n);
        assert_eq!(clReleaseCommandQueue(queue), CL_SUCCESS);
    }
}

#[test]
fn local_memory_at_its_limit() {
    let f = Fixture::new("");
    let (k, mem, mut code) = (f.kernel("locals"), f.buffer(), 1);
    let limit = number(&device_info(device(), CL_DEVICE_LOCAL_MEM_SIZE).unwrap()) as usize;
    assert_eq!(set(k, 2, &mem), CL_SUCCESS);
    // SAFETY: live handles, one-dimensional sizes.
    unsafe {
        let queue = clCreateCommandQueue(f.context, device(), 0, &mut code);
        assert_eq!(code, CL_SUCCESS);
        let launch = || clEnqueueNDRangeKernel(queue, k, 1, null(), &1, &1, 0, null(), null_mut());
        // The second size ends inside an element, so the whole element must be set.
        for (a, b, expected) in [
            (limit - 32, 32, CL_SUCCESS),
            (limit - 17, 17, CL_OUT_OF_RESOURCES),
            (limit, 1, CL_OUT_OF_RESOURCES),
            (usize::MAX, 16, CL_OUT_OF_RESOURCES),
        ] {
            assert_eq!((set_size(k, 0, a), set_size(k, 1, b)), (CL_SUCCESS, CL_SUCCESS));
            assert_eq!(launch(), expected, "{a} and {b} bytes of {limit}");
            assert_eq!(clFinish(queue), CL_SUCCESS);
        }
        assert_eq!(clReleaseCommandQueue(queue), CL_SUCCESS);
        assert_eq!(clReleaseMemObject(mem), CL_SUCCESS);
    }
    release(k);
}

#[test]
fn pointers_that_kernels_test_may_be_null() {
    let f = Fixture::new("");
    let (k, p, q, mut code) = (f.kernel("optional"), f.buffer(), f.buffer(), 1);
    let none: cl_mem = null_mut();
    // SAFETY: live handles, sizes of the buffers and of `sum`.
    unsafe {
        let queue = clCreateCommandQueue(f.context, device(), 0, &mut code);
        assert_eq!(code, CL_SUCCESS);
        let write = |buffer, value: i32| {
            let value = (&raw const value).cast();
            clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 4, value, 0, null(), null_mut())
        };
        for (first, second, expected) in [(p, q, 56), (p, none, 16), (none, q, 0), (none, none, 0)] {
            assert_eq!((write(p, 0), write(q, 7)), (CL_SUCCESS, CL_SUCCESS));
            assert_eq!((set(k, 0, &first), set(k, 1, &second)), (CL_SUCCESS, CL_SUCCESS));
            let launched = clEnqueueNDRangeKernel(queue, k, 1, null(), &8, &8, 0, null(), null_mut());
            assert_eq!(launched, CL_SUCCESS);
            let mut sum = 0i32;
            let result = (&raw mut sum).cast();
            let read = clEnqueueReadBuffer(queue, p, CL_TRUE, 0, 4, result, 0, null(), null_mut());
            assert_eq!((read, sum), (CL_SUCCESS, expected));
        }
        assert_eq!(clReleaseCommandQueue(queue), CL_SUCCESS);
        assert_eq!(clReleaseMemObject(p), CL_SUCCESS);
        assert_eq!(clReleaseMemObject(q), CL_SUCCESS);
    }
    release(k);
}
