//! Device entry points through the ICD loader.

#![allow(clippy::unwrap_used)]

use std::ptr::{null, null_mut};
use test_support::api::*;

#[test]
fn device_ids() {
    let p = platform();
    let (mut list, mut count) = ([null_mut(); 8], 0);
    // SAFETY: pointers are NULL or have room for the answer.
    unsafe {
        assert_eq!(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 8, list.as_mut_ptr(), &mut count), CL_SUCCESS);
        assert!(count >= 1);
        assert_eq!(clGetDeviceIDs(p, CL_DEVICE_TYPE_DEFAULT, 8, list.as_mut_ptr(), &mut count), CL_SUCCESS);
        assert_eq!((count, list[0]), (1, device()));
        assert_eq!(clGetDeviceIDs(p, 0, 8, list.as_mut_ptr(), null_mut()), CL_INVALID_DEVICE_TYPE);
        assert_eq!(clGetDeviceIDs(p, 1 << 20, 8, list.as_mut_ptr(), null_mut()), CL_INVALID_DEVICE_TYPE);
        // CL_DEVICE_TYPE_ALL sign-extended, and a known type among unknown bits.
        let mut sign_extended = 0;
        assert_eq!(clGetDeviceIDs(p, cl_device_type::MAX, 0, null_mut(), &mut sign_extended), CL_SUCCESS);
        assert_eq!(sign_extended as usize, devices().len());
        let default = CL_DEVICE_TYPE_DEFAULT | 1 << 20;
        assert_eq!(clGetDeviceIDs(p, default, 8, list.as_mut_ptr(), &mut count), CL_SUCCESS);
        assert_eq!((count, list[0]), (1, device()));
        assert_eq!(
            clGetDeviceIDs(p, CL_DEVICE_TYPE_CUSTOM, 8, list.as_mut_ptr(), &mut count),
            CL_DEVICE_NOT_FOUND
        );
        assert_eq!(count, 0);
        assert_eq!(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 0, list.as_mut_ptr(), null_mut()), CL_INVALID_VALUE);
        assert_eq!(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 0, null_mut(), null_mut()), CL_INVALID_VALUE);
        assert_eq!(
            clGetDeviceIDs(device().cast(), CL_DEVICE_TYPE_ALL, 8, list.as_mut_ptr(), null_mut()),
            CL_INVALID_PLATFORM
        );
    }
}

#[test]
fn queries_have_the_sizes_of_the_specification() {
    let word = size_of::<usize>();
    for d in devices() {
        for (names, size) in [
            (
                &[
                    CL_DEVICE_TYPE,
                    CL_DEVICE_MAX_MEM_ALLOC_SIZE,
                    CL_DEVICE_GLOBAL_MEM_SIZE,
                    CL_DEVICE_GLOBAL_MEM_CACHE_SIZE,
                    CL_DEVICE_LOCAL_MEM_SIZE,
                    CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE,
                    CL_DEVICE_SINGLE_FP_CONFIG,
                    CL_DEVICE_DOUBLE_FP_CONFIG,
                    CL_DEVICE_EXECUTION_CAPABILITIES,
                    CL_DEVICE_QUEUE_ON_HOST_PROPERTIES,
                    CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES,
                    CL_DEVICE_SVM_CAPABILITIES,
                    CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
                    CL_DEVICE_ATOMIC_FENCE_CAPABILITIES,
                    CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES,
                    CL_DEVICE_PARTITION_AFFINITY_DOMAIN,
                ][..],
                8,
            ),
            (
                &[
                    CL_DEVICE_VENDOR_ID,
                    CL_DEVICE_MAX_COMPUTE_UNITS,
                    CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS,
                    CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT,
                    CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF,
                    CL_DEVICE_MAX_CLOCK_FREQUENCY,
                    CL_DEVICE_ADDRESS_BITS,
                    CL_DEVICE_MEM_BASE_ADDR_ALIGN,
                    CL_DEVICE_GLOBAL_MEM_CACHE_TYPE,
                    CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE,
                    CL_DEVICE_MAX_CONSTANT_ARGS,
                    CL_DEVICE_LOCAL_MEM_TYPE,
                    CL_DEVICE_ERROR_CORRECTION_SUPPORT,
                    CL_DEVICE_HOST_UNIFIED_MEMORY,
                    CL_DEVICE_ENDIAN_LITTLE,
                    CL_DEVICE_AVAILABLE,
                    CL_DEVICE_COMPILER_AVAILABLE,
                    CL_DEVICE_LINKER_AVAILABLE,
                    CL_DEVICE_IMAGE_SUPPORT,
                    CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS,
                    CL_DEVICE_PIPE_SUPPORT,
                    CL_DEVICE_MAX_NUM_SUB_GROUPS,
                    CL_DEVICE_NUMERIC_VERSION,
                    CL_DEVICE_REFERENCE_COUNT,
                    CL_DEVICE_PARTITION_MAX_SUB_DEVICES,
                    CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT,
                    CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT,
                    CL_DEVICE_NODE_MASK,
                    CL_DEVICE_LUID_VALID,
                ][..],
                4,
            ),
            (
                &[
                    CL_DEVICE_MAX_WORK_GROUP_SIZE,
                    CL_DEVICE_MAX_PARAMETER_SIZE,
                    CL_DEVICE_PROFILING_TIMER_RESOLUTION,
                    CL_DEVICE_PRINTF_BUFFER_SIZE,
                    CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE,
                    CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                    CL_DEVICE_IMAGE2D_MAX_WIDTH,
                    CL_DEVICE_PARENT_DEVICE,
                    CL_DEVICE_PLATFORM,
                ][..],
                word,
            ),
            (&[CL_DEVICE_MAX_WORK_ITEM_SIZES][..], 3 * word),
            (&[CL_DEVICE_UUID, CL_DRIVER_UUID][..], 16),
            (&[CL_DEVICE_LUID][..], 8),
        ] {
            for name in names {
                assert_eq!(device_info(d, *name).map(|b| b.len()), Ok(size), "{name:#x}");
            }
        }
        assert_eq!(device_info(d, 0xffff), Err(CL_INVALID_VALUE));
    }
}

#[test]
fn answers_satisfy_the_minimum_of_the_profile() {
    for d in devices() {
        let is_full = match text(&device_info(d, CL_DEVICE_PROFILE).unwrap()).as_str() {
            "FULL_PROFILE" => true,
            other => {
                assert_eq!(other, "EMBEDDED_PROFILE");
                false
            }
        };
        assert!(is_full || is_another_device());
        let of = |full: u64, embedded: u64| if is_full { full } else { embedded };
        let ask = |name| number(&device_info(d, name).unwrap());
        assert_eq!(number(&device_info(d, CL_DEVICE_PLATFORM).unwrap()), platform() as u64);
        assert_eq!(ask(CL_DEVICE_PARENT_DEVICE), 0);
        let single_type = [CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR]
            .contains(&ask(CL_DEVICE_TYPE));
        assert!(single_type);
        assert_eq!(ask(CL_DEVICE_REFERENCE_COUNT), 1);
        assert!(ask(CL_DEVICE_MAX_COMPUTE_UNITS) >= 1);
        assert_eq!(ask(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS), 3);
        assert!(ask(CL_DEVICE_MAX_PARAMETER_SIZE) >= 1024);
        assert!(
            ask(CL_DEVICE_MAX_MEM_ALLOC_SIZE)
                >= (ask(CL_DEVICE_GLOBAL_MEM_SIZE).min(1 << 30) / 4).max(32 << 20)
        );
        // Programs fill the whole allocation and index it with int, however large the machine's memory is.
        assert!((64 << 10..=4 << 30).contains(&ask(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE)));
        assert!(ask(CL_DEVICE_MAX_CONSTANT_ARGS) >= of(8, 4));
        assert!(ask(CL_DEVICE_LOCAL_MEM_SIZE) >= of(32 << 10, 1 << 10));
        if ask(CL_DEVICE_IMAGE_SUPPORT) != 0 {
            for (name, full, embedded) in [
                (CL_DEVICE_MAX_READ_IMAGE_ARGS, 128, 8),
                (CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64, 1),
                (CL_DEVICE_IMAGE2D_MAX_WIDTH, 16384, 2048),
                (CL_DEVICE_IMAGE2D_MAX_HEIGHT, 16384, 2048),
                (CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 2048, 256),
                (CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 65536, 2048),
            ] {
                assert!(ask(name) >= of(full, embedded), "{name:#x}");
            }
        }
        assert!(ask(CL_DEVICE_PRINTF_BUFFER_SIZE) >= 1 << 20);
        assert!(ask(CL_DEVICE_MEM_BASE_ADDR_ALIGN) >= 1024);
        let single = ask(CL_DEVICE_SINGLE_FP_CONFIG);
        assert_eq!(single & (CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN), CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN);
        assert_ne!(ask(CL_DEVICE_EXECUTION_CAPABILITIES) & CL_EXEC_KERNEL, 0);
        assert_ne!(ask(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES) & CL_QUEUE_PROFILING_ENABLE, 0);
        let extensions = text(&device_info(d, CL_DEVICE_EXTENSIONS).unwrap());
        for required in [
            "cl_khr_byte_addressable_store",
            "cl_khr_global_int32_base_atomics",
            "cl_khr_global_int32_extended_atomics",
            "cl_khr_local_int32_base_atomics",
            "cl_khr_local_int32_extended_atomics",
        ] {
            assert!(extensions.split(' ').any(|e| e == required), "{required}");
        }
        assert_eq!(extensions.split(' ').any(|e| e == "cles_khr_int64"), !is_full);
        // All queries agree whether doubles are supported.
        let doubles = extensions.split(' ').any(|e| e == "cl_khr_fp64");
        assert_eq!(doubles, ask(CL_DEVICE_DOUBLE_FP_CONFIG) != 0);
        assert_eq!(doubles, ask(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE) != 0);
        let features = device_info(d, CL_DEVICE_OPENCL_C_FEATURES).unwrap();
        let names: Vec<String> =
            features.chunks(size_of::<cl_name_version>()).map(|e| text(&e[4..])).collect();
        assert_eq!(doubles, names.iter().any(|n| n == "__opencl_c_fp64"));
        assert!(names.iter().any(|n| n == "__opencl_c_int64"));
        assert!(text(&device_info(d, CL_DEVICE_VERSION).unwrap()).starts_with("OpenCL 3."));
        assert!(text(&device_info(d, CL_DEVICE_OPENCL_C_VERSION).unwrap()).starts_with("OpenCL C "));
    }
}

#[test]
fn bad_handles() {
    let p: cl_device_id = platform().cast();
    let mut count = 0;
    // SAFETY: a live handle of another kind, which the loader can follow.
    unsafe {
        assert_eq!(clGetDeviceInfo(p, CL_DEVICE_TYPE, 0, null_mut(), null_mut()), CL_INVALID_DEVICE);
        assert_eq!(clRetainDevice(p), CL_INVALID_DEVICE);
        assert_eq!(clReleaseDevice(p), CL_INVALID_DEVICE);
        assert_eq!(clCreateSubDevices(p, null(), 0, null_mut(), &mut count), CL_INVALID_DEVICE);
        assert_eq!(clGetHostTimer(p, null_mut()), CL_INVALID_DEVICE);
        assert_eq!(clGetDeviceAndHostTimer(p, null_mut(), null_mut()), CL_INVALID_DEVICE);
    }
}

#[test]
fn root_devices_are_not_counted() {
    for d in devices() {
        // SAFETY: a live handle.
        unsafe {
            for _ in 0..3 {
                assert_eq!(clReleaseDevice(d), CL_SUCCESS);
            }
            assert_eq!(clRetainDevice(d), CL_SUCCESS);
        }
        assert_eq!(number(&device_info(d, CL_DEVICE_REFERENCE_COUNT).unwrap()), 1);
    }
}

#[test]
fn devices_cannot_be_partitioned() {
    let equally = [CL_DEVICE_PARTITION_EQUALLY as isize, 1, 0];
    // Processors can be partitioned (`api_sub_devices`).
    let whole =
        |d: &cl_device_id| number(&device_info(*d, CL_DEVICE_PARTITION_MAX_SUB_DEVICES).unwrap()) == 0;
    for d in devices().into_iter().filter(whole) {
        let (mut out, mut count) = ([null_mut(); 4], 0);
        // SAFETY: lists are terminated and have the room they say.
        unsafe {
            assert_eq!(
                clCreateSubDevices(d, equally.as_ptr(), 4, out.as_mut_ptr(), &mut count),
                CL_INVALID_VALUE
            );
            assert_eq!(clCreateSubDevices(d, null(), 4, out.as_mut_ptr(), &mut count), CL_INVALID_VALUE);
        }
    }
}

#[test]
fn timers() {
    for d in devices() {
        let (mut of_device, mut of_host, mut later) = (0, 0, 0);
        // SAFETY: pointers are NULL or valid.
        unsafe {
            assert_eq!(clGetDeviceAndHostTimer(d, null_mut(), &mut of_host), CL_INVALID_VALUE);
            assert_eq!(clGetDeviceAndHostTimer(d, &mut of_device, null_mut()), CL_INVALID_VALUE);
            assert_eq!(clGetHostTimer(d, null_mut()), CL_INVALID_VALUE);
            match clGetDeviceAndHostTimer(d, &mut of_device, &mut of_host) {
                CL_SUCCESS => {
                    assert_eq!(clGetHostTimer(d, &mut later), CL_SUCCESS);
                    assert!(later >= of_host && of_host > 0);
                    let resolution =
                        number(&platform_info(platform(), CL_PLATFORM_HOST_TIMER_RESOLUTION).unwrap());
                    assert!(resolution > 0);
                }
                code => assert_eq!(code, CL_INVALID_OPERATION),
            }
        }
    }
}

/// Queries about sub-groups, dot products and clocks agree with the reported extensions.
/// cl_ext_float_atomics: the capabilities of each width match the compiler's macros, and are 0 for a type
/// that the device lacks.
#[test]
fn float_atomics() {
    for d in devices() {
        let features = device_info(d, CL_DEVICE_OPENCL_C_FEATURES).unwrap();
        let names: Vec<String> =
            features.chunks(size_of::<cl_name_version>()).map(|e| text(&e[4..])).collect();
        let has = |name: String| names.contains(&name);
        let extensions = text(&device_info(d, CL_DEVICE_EXTENSIONS).unwrap());
        assert!(extensions.split(' ').any(|e| e == "cl_ext_float_atomics"));
        for (width, query, type_is_there) in [
            (
                "fp16",
                CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT,
                extensions.split(' ').any(|e| e == "cl_khr_fp16"),
            ),
            ("fp32", CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT, true),
            ("fp64", CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT, has("__opencl_c_fp64".into())),
        ] {
            let flags = number(&device_info(d, query).unwrap());
            assert!(type_is_there || flags == 0, "{width}");
            for (space, what, flag) in [
                ("global", "add", CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT),
                ("local", "add", CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT),
                ("global", "min_max", CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT),
                ("local", "min_max", CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT),
                ("global", "load_store", CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT),
                ("local", "load_store", CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT),
            ] {
                // Loads and stores have a macro for halves only.
                if what != "load_store" || width == "fp16" {
                    let name = format!("__opencl_c_ext_{width}_{space}_atomic_{what}");
                    assert_eq!(flags & flag != 0, has(name.clone()), "{name}");
                }
            }
        }
        // Halves are part of every supported operation.
        let half = number(&device_info(d, CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT).unwrap());
        assert_eq!(half != 0, extensions.split(' ').any(|e| e == "cl_khr_fp16"));
    }
}

#[test]
fn group_features() {
    let d = device();
    let extensions = text(&device_info(d, CL_DEVICE_EXTENSIONS).unwrap());
    let has = |name: &str| extensions.split(' ').any(|e| e == name);
    let most = number(&device_info(d, CL_DEVICE_MAX_NUM_SUB_GROUPS).unwrap());
    assert!(most >= 1);
    let sizes = device_info(d, CL_DEVICE_SUB_GROUP_SIZES_INTEL).unwrap();
    let sizes: Vec<u64> = sizes.chunks_exact(size_of::<usize>()).map(number).collect();
    assert!(!sizes.is_empty() && sizes.iter().all(|s| s.is_power_of_two() && s * most >= 1), "{sizes:?}");
    assert_eq!(number(&device_info(d, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT).unwrap()), 1);
    assert_eq!(number(&device_info(d, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS).unwrap()), 0);
    // cl_khr_subgroups requires independent forward progress of sub-groups.
    assert!(!has("cl_khr_subgroups") && has("cl_khr_subgroup_ballot") && has("cl_khr_integer_dot_product"));
    assert_eq!(number(&device_info(d, CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES).unwrap()), 3);
    for name in [
        CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT,
        CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED,
    ] {
        let flags = device_info(d, name).unwrap();
        assert!(flags.len() == 24 && flags.chunks_exact(4).all(|f| number(f) <= 1), "{flags:?}");
    }
    let clocks = device_info(d, CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR);
    assert_eq!(clocks.is_ok_and(|c| number(&c) != 0), has("cl_khr_kernel_clock"));
}

/// SPIR-V capabilities, extensions and instruction sets that the device reports.
#[test]
fn spirv_queries() {
    for d in devices() {
        let capabilities = device_info(d, CL_DEVICE_SPIRV_CAPABILITIES).unwrap();
        let capabilities: Vec<u64> = capabilities.chunks_exact(4).map(number).collect();
        // Addresses, Linkage, Kernel, and Float64 if there are doubles.
        assert!([4, 5, 6].iter().all(|c| capabilities.contains(c)), "{capabilities:?}");
        let doubles = number(&device_info(d, CL_DEVICE_DOUBLE_FP_CONFIG).unwrap()) != 0;
        assert_eq!(capabilities.contains(&10), doubles);
        let strings = |name| -> Vec<String> {
            let list = device_info(d, name).unwrap();
            let addresses = list.chunks_exact(8).map(number);
            // SAFETY: an array of strings that live as long as the driver.
            let read =
                |a: u64| unsafe { std::ffi::CStr::from_ptr(std::ptr::with_exposed_provenance(a as usize)) };
            addresses.map(|a| read(a).to_string_lossy().into_owned()).collect()
        };
        assert!(strings(CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS).iter().any(|s| s == "OpenCL.std"));
        let extensions = strings(CL_DEVICE_SPIRV_EXTENSIONS);
        for (extension, needs) in [
            ("cl_khr_spirv_no_integer_wrap_decoration", "SPV_KHR_no_integer_wrap_decoration"),
            ("cl_khr_spirv_linkonce_odr", "SPV_KHR_linkonce_odr"),
            ("cl_khr_expect_assume", "SPV_KHR_expect_assume"),
            ("cl_khr_integer_dot_product", "SPV_KHR_integer_dot_product"),
        ] {
            let reported =
                text(&device_info(d, CL_DEVICE_EXTENSIONS).unwrap()).split(' ').any(|e| e == extension);
            assert!(!reported || extensions.iter().any(|e| e == needs), "{extension}: {extensions:?}");
        }
    }
}

/// Attributes of NVIDIA's devices can be queried exactly if cl_nv_device_attribute_query is reported.
#[test]
fn nvidia_attributes() {
    for d in devices() {
        let reported =
            text(&device_info(d, CL_DEVICE_EXTENSIONS).unwrap()).contains("cl_nv_device_attribute_query");
        let ask = |name| device_info(d, name).map(|bytes| number(&bytes));
        for name in CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV..=CL_DEVICE_INTEGRATED_MEMORY_NV {
            assert_eq!(ask(name).err(), if reported { None } else { Some(CL_INVALID_VALUE) }, "{name:#x}");
        }
        if reported {
            assert_eq!(ask(CL_DEVICE_VENDOR_ID), Ok(0x10de));
            assert!(ask(CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV).unwrap() >= 3);
            assert_eq!(ask(CL_DEVICE_WARP_SIZE_NV), Ok(32));
        }
    }
}

/// The PCI bus location can be queried exactly if cl_khr_pci_bus_info is reported.
#[test]
fn pci_bus_info() {
    for d in devices() {
        let reported = text(&device_info(d, CL_DEVICE_EXTENSIONS).unwrap())
            .split(' ')
            .any(|e| e == "cl_khr_pci_bus_info");
        match device_info(d, CL_DEVICE_PCI_BUS_INFO_KHR) {
            Ok(info) => {
                let location: Vec<u64> = info.chunks_exact(4).map(number).collect();
                assert!(
                    reported
                        && location.len() == 4
                        && location[1] < 256
                        && location[2] < 32
                        && location[3] < 8,
                    "{location:?}"
                );
            }
            Err(code) => assert!(!reported && code == CL_INVALID_VALUE),
        }
    }
}
