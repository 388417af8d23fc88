//! Calls that loaders answer themselves or do not know yet: these tests load the driver without a loader.

#![allow(clippy::unwrap_used)]

use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};
use test_support::api::rig::*;
use test_support::api::*;

const SOURCE: &str = "kernel void one(global int *p) { p[0] = 1; }";

#[test]
fn platforms() {
    without_loader();
    let (mut platform, mut count) = (null_mut(), 0);
    type List = unsafe extern "C" fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;
    // SAFETY: pointers are NULL or valid; the function has the type.
    unsafe {
        let lists: [List; 2] = [symbol("clGetPlatformIDs"), extension::extension("clIcdGetPlatformIDsKHR")];
        for list in lists {
            ok(list(1, &mut platform, &mut count));
            assert_eq!((count, platform), (1, test_support::api::platform()));
            // CL_INVALID_VALUE: a list with a count of 0, or neither a list nor a result.
            assert_eq!(list(0, &mut platform, null_mut()), CL_INVALID_VALUE);
            assert_eq!(list(1, null_mut(), null_mut()), CL_INVALID_VALUE);
        }
        assert_eq!(clUnloadCompiler(), CL_SUCCESS);
        assert!(!clGetExtensionFunctionAddress(c"clIcdGetPlatformIDsKHR".as_ptr()).is_null());
        assert!(clGetExtensionFunctionAddress(c"clNoSuchFunctionKHR".as_ptr()).is_null());
        assert!(clGetExtensionFunctionAddress(c"clGetPlatformInfo".as_ptr()).is_null());
        assert!(clGetExtensionFunctionAddress(null()).is_null());
    }
}

#[test]
fn contexts() {
    without_loader();
    let (key, sync) = (CL_CONTEXT_PLATFORM as isize, CL_CONTEXT_INTEROP_USER_SYNC as isize);
    let (platform, device, mut code) = (platform() as isize, device(), 1);
    for (list, expected) in [
        (&[key, device as isize, 0][..], CL_INVALID_PLATFORM),
        (&[key, 0, 0], CL_INVALID_PLATFORM),
        (&[0x7777, 0, 0], CL_INVALID_PROPERTY),
        (&[sync, 2, 0], CL_INVALID_PROPERTY),
        (&[key, platform, key, platform, 0], CL_INVALID_PROPERTY),
    ] {
        // SAFETY: terminated lists; one device.
        unsafe {
            assert!(clCreateContext(list.as_ptr(), 1, &device, None, null_mut(), &mut code).is_null());
            assert_eq!(code, expected, "{list:x?}");
            assert!(
                clCreateContextFromType(list.as_ptr(), CL_DEVICE_TYPE_ALL, None, null_mut(), &mut code)
                    .is_null()
            );
            assert_eq!(code, expected, "{list:x?}");
        }
    }
}

#[test]
fn events_and_queues() {
    without_loader();
    let rig = Rig::new(SOURCE);
    let queue = rig.queue(0);
    // SAFETY: live handles, or NULL; counts as given.
    unsafe {
        let gate = rig.gate();
        assert_eq!(clWaitForEvents(0, null()), CL_INVALID_VALUE);
        assert_eq!(clWaitForEvents(0, &gate), CL_INVALID_VALUE);
        assert_eq!(clWaitForEvents(1, null()), CL_INVALID_VALUE);
        let mixed: [cl_event; 2] = [gate, null_mut()];
        assert_eq!(clWaitForEvents(2, mixed.as_ptr()), CL_INVALID_EVENT);
        open_gate(gate, CL_COMPLETE);
        gate.release();
        // The properties of a queue cannot be changed after creation.
        let (mut old, profiling) = (77, CL_QUEUE_PROFILING_ENABLE);
        assert_eq!(clSetCommandQueueProperty(queue, profiling, CL_TRUE, &mut old), CL_INVALID_OPERATION);
        assert_eq!(clSetCommandQueueProperty(queue, 1 << 40, CL_TRUE, null_mut()), CL_INVALID_VALUE);
        assert_eq!(
            clSetCommandQueueProperty(null_mut(), profiling, CL_TRUE, null_mut()),
            CL_INVALID_COMMAND_QUEUE
        );
        // CL_INVALID_MEM_OBJECT: the object is not a pipe.
        let mut size = 0;
        let buffer = rig.buffer(&[0u32]);
        for handle in [buffer, null_mut(), wrong_kind(queue)] {
            assert_eq!(
                clGetPipeInfo(handle, CL_PIPE_PACKET_SIZE, 0, null_mut(), &mut size),
                CL_INVALID_MEM_OBJECT
            );
        }
        let mut code = 1;
        assert!(clCreatePipe(null_mut(), 0, 4, 4, null(), &mut code).is_null());
        assert_eq!(code, CL_INVALID_CONTEXT);
        buffer.release();
    }
    queue.release();
    rig.program.release();
    rig.context.release();
}

#[test]
fn kernels() {
    without_loader();
    let (rig, foreign) = (Rig::new(SOURCE), Rig::new(SOURCE));
    let (queue, elsewhere, kernel) = (rig.queue(0), foreign.queue(0), rig.kernel("one"));
    let (size, mut local, mut code) = ([64usize, 1, 1], [0usize; 3], 1);
    type SubGroupInfo = unsafe extern "C" fn(
        cl_kernel,
        cl_device_id,
        cl_uint,
        usize,
        *const c_void,
        usize,
        *mut c_void,
        *mut usize,
    ) -> cl_int;
    // SAFETY: live handles; sizes have the dimensions given.
    unsafe {
        let mut suggest = |q, k, dims, global: *const usize| {
            clGetKernelSuggestedLocalWorkSize(q, k, dims, null(), global, local.as_mut_ptr())
        };
        let global = size.as_ptr();
        assert_eq!(suggest(queue, kernel, 1, global), CL_INVALID_KERNEL_ARGS);
        let mem = rig.buffer(&[0u32]);
        set(kernel, 0, mem);
        assert_eq!(suggest(queue, kernel, 1, global), CL_SUCCESS);
        assert_eq!(suggest(elsewhere, kernel, 1, global), CL_INVALID_CONTEXT);
        assert_eq!(suggest(wrong_kind(kernel), kernel, 1, global), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(suggest(queue, wrong_kind(queue), 1, global), CL_INVALID_KERNEL);
        assert_eq!(suggest(queue, kernel, 0, global), CL_INVALID_WORK_DIMENSION);
        assert_eq!(suggest(queue, kernel, 4, global), CL_INVALID_WORK_DIMENSION);
        assert_eq!(suggest(queue, kernel, 1, null()), CL_INVALID_GLOBAL_WORK_SIZE);
        assert!(local[0] >= 1 && 64 % local[0] == 0, "{local:?}");
        let no_room = clGetKernelSuggestedLocalWorkSize(queue, kernel, 1, null(), global, null_mut());
        assert_eq!(no_room, CL_INVALID_VALUE);
        // The function of the extension equals the core one.
        type Find = unsafe extern "C" fn(cl_platform_id, *const c_char) -> *const c_void;
        let find: Find = extension::extension("clIcdGetFunctionAddressForPlatformKHR");
        let found = find(platform(), c"clGetKernelSubGroupInfoKHR".as_ptr());
        assert!(!found.is_null());
        let of_extension = std::mem::transmute::<*const c_void, SubGroupInfo>(found);
        let ask = |f: SubGroupInfo, k, name| {
            let mut answer = 0usize;
            let code =
                f(k, rig.device, name, 8, size.as_ptr().cast(), 8, (&raw mut answer).cast(), null_mut());
            (code, answer)
        };
        let of_core: SubGroupInfo = symbol("clGetKernelSubGroupInfo");
        for name in [CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE] {
            let (code, answer) = ask(of_extension, kernel, name);
            assert_eq!((code, answer), ask(of_core, kernel, name));
            assert!(code == CL_SUCCESS && answer >= 1);
        }
        assert_eq!(ask(of_extension, kernel, 0x7777).0, CL_INVALID_VALUE);
        assert_eq!(ask(of_extension, wrong_kind(queue), CL_KERNEL_MAX_NUM_SUB_GROUPS).0, CL_INVALID_KERNEL);
        // CL_INVALID_PROGRAM_EXECUTABLE: the program has not been built.
        let (mut text, length) = (SOURCE.as_ptr().cast(), SOURCE.len());
        let program = clCreateProgramWithSource(rig.context, 1, &mut text, &length, &mut code);
        let mut count = 0;
        assert_eq!(
            clCreateKernelsInProgram(program, 0, null_mut(), &mut count),
            CL_INVALID_PROGRAM_EXECUTABLE
        );
        program.release();
        mem.release();
    }
    kernel.release();
    release([queue, elsewhere]);
    release([rig.program, foreign.program]);
    release([rig.context, foreign.context]);
}

/// A kernel that writes a specialization constant, 42 by default.
fn specialised() -> Vec<u8> {
    let words =
        |op: u32, operands: &[u32]| [&[(operands.len() as u32 + 1) << 16 | op][..], operands].concat();
    let [void, uint, pointer, function, constant, kernel, argument, label] = [1u32, 2, 3, 4, 5, 6, 7, 8];
    let module = [
        vec![0x0723_0203, 0x0001_0000, 0, 9, 0],
        words(17, &[4]),
        words(17, &[5]),
        words(17, &[6]),
        words(14, &[2, 2]),
        words(15, &[6, kernel, u32::from_le_bytes(*b"k\0\0\0")]),
        words(71, &[constant, 1, 7]),
        words(19, &[void]),
        words(21, &[uint, 32, 0]),
        words(50, &[uint, constant, 42]),
        words(32, &[pointer, 5, uint]),
        words(33, &[function, void, pointer]),
        words(54, &[void, kernel, 0, function]),
        words(55, &[pointer, argument]),
        words(248, &[label]),
        words(62, &[argument, constant, 2, 4]),
        words(253, &[]),
        words(56, &[]),
    ];
    module.concat().iter().flat_map(|w| w.to_le_bytes()).collect()
}

#[test]
fn specialisation_constants() {
    without_loader();
    let rig = Rig::new(SOURCE);
    let (queue, module, mut code) = (rig.queue(0), specialised(), 1);
    for value in [None, Some(7u32)] {
        // SAFETY: live handles; values of the sizes given.
        unsafe {
            let program = clCreateProgramWithIL(rig.context, module.as_ptr().cast(), module.len(), &mut code);
            ok(code);
            let set_constant =
                |id, size, v: *const u32| clSetProgramSpecializationConstant(program, id, size, v.cast());
            let some = 1u32;
            assert_eq!(set_constant(8, 4, &some), CL_INVALID_SPEC_ID);
            assert_eq!(set_constant(7, 8, [0u32; 2].as_ptr()), CL_INVALID_VALUE);
            assert_eq!(set_constant(7, 4, null()), CL_INVALID_VALUE);
            assert_eq!(
                clSetProgramSpecializationConstant(rig.program, 7, 4, (&raw const some).cast()),
                CL_INVALID_PROGRAM
            );
            if let Some(value) = value {
                ok(set_constant(7, 4, &value));
            }
            ok(clBuildProgram(program, 0, null(), null(), None, null_mut()));
            let (mem, kernel) = (rig.buffer(&[0u32]), Rig { program, ..rig }.kernel("k"));
            set(kernel, 0, mem);
            launch(queue, kernel, 1, &[]).release();
            assert_eq!(read::<u32>(queue, mem, 1), [value.unwrap_or(42)]);
            // A module has no information about its kernels' arguments.
            let info = clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, 0, null_mut(), null_mut());
            assert_eq!(info, CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
            kernel.release();
            mem.release();
            program.release();
        }
    }
    queue.release();
    rig.program.release();
    rig.context.release();
}

/// Rejected semaphore handles and properties, whether the device shares semaphores or not.
#[test]
fn handles_of_semaphores() {
    without_loader();
    let rig = Rig::new(SOURCE);
    type Create = unsafe extern "C" fn(cl_context, *const u64, *mut cl_int) -> cl_semaphore_khr;
    type Handle = unsafe extern "C" fn(
        cl_semaphore_khr,
        cl_device_id,
        cl_uint,
        usize,
        *mut c_void,
        *mut usize,
    ) -> cl_int;
    type ReImport = unsafe extern "C" fn(cl_semaphore_khr, *mut u64, i32) -> cl_int;
    type Release = unsafe extern "C" fn(cl_semaphore_khr) -> cl_int;
    let (mut code, mut fd) = (1, -1i32);
    // SAFETY: the functions have these types; lists are terminated.
    unsafe {
        let create: Create = extension::extension("clCreateSemaphoreWithPropertiesKHR");
        let handle: Handle = extension::extension("clGetSemaphoreHandleForTypeKHR");
        let again: ReImport = extension::extension("clReImportSemaphoreSyncFdKHR");
        let release: Release = extension::extension("clReleaseSemaphoreKHR");
        let list = [u64::from(CL_SEMAPHORE_TYPE_KHR), u64::from(CL_SEMAPHORE_TYPE_BINARY_KHR), 0];
        let semaphore = create(rig.context, list.as_ptr(), &mut code);
        ok(code);
        let mut ask =
            |s, d| handle(s, d, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 4, (&raw mut fd).cast(), null_mut());
        assert_eq!(ask(semaphore, rig.device), CL_INVALID_VALUE);
        assert_eq!(ask(semaphore, wrong_kind(rig.context)), CL_INVALID_DEVICE);
        assert_eq!(ask(wrong_kind(rig.context), rig.device), CL_INVALID_SEMAPHORE_KHR);
        assert_eq!(ask(null_mut(), rig.device), CL_INVALID_SEMAPHORE_KHR);
        assert_eq!(again(semaphore, null_mut(), -1), CL_INVALID_SEMAPHORE_KHR);
        assert_eq!(again(null_mut(), null_mut(), -1), CL_INVALID_SEMAPHORE_KHR);
        ok(release(semaphore));
    }
    rig.program.release();
    rig.context.release();
}
