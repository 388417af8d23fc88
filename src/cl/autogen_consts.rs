//! OpenCL constants under their C names, group by group of the registry.
//! Generated from the OpenCL registry by `cargo xtask gen-cl`; do not edit.

#![allow(missing_docs, non_upper_case_globals)]

use super::autogen_types::{cl_bitfield, cl_int, cl_uint};

// Constants.Versioning
pub const CL_VERSION_MAJOR_BITS: cl_uint = 10;
pub const CL_VERSION_MINOR_BITS: cl_uint = 10;
pub const CL_VERSION_PATCH_BITS: cl_uint = 12;
pub const CL_NAME_VERSION_MAX_NAME_SIZE: cl_uint = 64;

// Constants.cl_khr_extended_versioning
pub const CL_VERSION_MAJOR_BITS_KHR: cl_uint = 10;
pub const CL_VERSION_MINOR_BITS_KHR: cl_uint = 10;
pub const CL_VERSION_PATCH_BITS_KHR: cl_uint = 12;
pub const CL_NAME_VERSION_MAX_NAME_SIZE_KHR: cl_uint = 64;

// Constants.uuid
pub const CL_UUID_SIZE: cl_uint = 16;
pub const CL_LUID_SIZE: cl_uint = 8;

// Constants.cl_khr_device_uuid
pub const CL_UUID_SIZE_KHR: cl_uint = 16;
pub const CL_LUID_SIZE_KHR: cl_uint = 8;

// Constants.cl_intel_command_queue_families
pub const CL_QUEUE_FAMILY_MAX_NAME_SIZE_INTEL: cl_uint = 64;
pub const CL_QUEUE_DEFAULT_CAPABILITIES_INTEL: cl_uint = 0;

// Constants.cl_loader_layers
pub const CL_LAYER_API_VERSION_100: cl_uint = 100;

// ErrorCodes.0
pub const CL_SUCCESS: cl_int = 0;
pub const CL_DEVICE_NOT_FOUND: cl_int = -1;
pub const CL_DEVICE_NOT_AVAILABLE: cl_int = -2;
pub const CL_COMPILER_NOT_AVAILABLE: cl_int = -3;
pub const CL_MEM_OBJECT_ALLOCATION_FAILURE: cl_int = -4;
pub const CL_OUT_OF_RESOURCES: cl_int = -5;
pub const CL_OUT_OF_HOST_MEMORY: cl_int = -6;
pub const CL_PROFILING_INFO_NOT_AVAILABLE: cl_int = -7;
pub const CL_MEM_COPY_OVERLAP: cl_int = -8;
pub const CL_IMAGE_FORMAT_MISMATCH: cl_int = -9;
pub const CL_IMAGE_FORMAT_NOT_SUPPORTED: cl_int = -10;
pub const CL_BUILD_PROGRAM_FAILURE: cl_int = -11;
pub const CL_MAP_FAILURE: cl_int = -12;
pub const CL_MISALIGNED_SUB_BUFFER_OFFSET: cl_int = -13;
pub const CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: cl_int = -14;
pub const CL_COMPILE_PROGRAM_FAILURE: cl_int = -15;
pub const CL_LINKER_NOT_AVAILABLE: cl_int = -16;
pub const CL_LINK_PROGRAM_FAILURE: cl_int = -17;
pub const CL_DEVICE_PARTITION_FAILED: cl_int = -18;
pub const CL_KERNEL_ARG_INFO_NOT_AVAILABLE: cl_int = -19;
pub const CL_INVALID_VALUE: cl_int = -30;
pub const CL_INVALID_DEVICE_TYPE: cl_int = -31;
pub const CL_INVALID_PLATFORM: cl_int = -32;
pub const CL_INVALID_DEVICE: cl_int = -33;
pub const CL_INVALID_CONTEXT: cl_int = -34;
pub const CL_INVALID_QUEUE_PROPERTIES: cl_int = -35;
pub const CL_INVALID_COMMAND_QUEUE: cl_int = -36;
pub const CL_INVALID_HOST_PTR: cl_int = -37;
pub const CL_INVALID_MEM_OBJECT: cl_int = -38;
pub const CL_INVALID_IMAGE_FORMAT_DESCRIPTOR: cl_int = -39;
pub const CL_INVALID_IMAGE_SIZE: cl_int = -40;
pub const CL_INVALID_SAMPLER: cl_int = -41;
pub const CL_INVALID_BINARY: cl_int = -42;
pub const CL_INVALID_BUILD_OPTIONS: cl_int = -43;
pub const CL_INVALID_PROGRAM: cl_int = -44;
pub const CL_INVALID_PROGRAM_EXECUTABLE: cl_int = -45;
pub const CL_INVALID_KERNEL_NAME: cl_int = -46;
pub const CL_INVALID_KERNEL_DEFINITION: cl_int = -47;
pub const CL_INVALID_KERNEL: cl_int = -48;
pub const CL_INVALID_ARG_INDEX: cl_int = -49;
pub const CL_INVALID_ARG_VALUE: cl_int = -50;
pub const CL_INVALID_ARG_SIZE: cl_int = -51;
pub const CL_INVALID_KERNEL_ARGS: cl_int = -52;
pub const CL_INVALID_WORK_DIMENSION: cl_int = -53;
pub const CL_INVALID_WORK_GROUP_SIZE: cl_int = -54;
pub const CL_INVALID_WORK_ITEM_SIZE: cl_int = -55;
pub const CL_INVALID_GLOBAL_OFFSET: cl_int = -56;
pub const CL_INVALID_EVENT_WAIT_LIST: cl_int = -57;
pub const CL_INVALID_EVENT: cl_int = -58;
pub const CL_INVALID_OPERATION: cl_int = -59;
pub const CL_INVALID_GL_OBJECT: cl_int = -60;
pub const CL_INVALID_BUFFER_SIZE: cl_int = -61;
pub const CL_INVALID_MIP_LEVEL: cl_int = -62;
pub const CL_INVALID_GLOBAL_WORK_SIZE: cl_int = -63;
pub const CL_INVALID_PROPERTY: cl_int = -64;
pub const CL_INVALID_IMAGE_DESCRIPTOR: cl_int = -65;
pub const CL_INVALID_COMPILER_OPTIONS: cl_int = -66;
pub const CL_INVALID_LINKER_OPTIONS: cl_int = -67;
pub const CL_INVALID_DEVICE_PARTITION_COUNT: cl_int = -68;
pub const CL_INVALID_PIPE_SIZE: cl_int = -69;
pub const CL_INVALID_DEVICE_QUEUE: cl_int = -70;
pub const CL_INVALID_SPEC_ID: cl_int = -71;
pub const CL_MAX_SIZE_RESTRICTION_EXCEEDED: cl_int = -72;

// ErrorCodes.1000
pub const CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR: cl_int = -1000;
pub const CL_PLATFORM_NOT_FOUND_KHR: cl_int = -1001;

// ErrorCodes.1002
pub const CL_INVALID_D3D10_DEVICE_KHR: cl_int = -1002;
pub const CL_INVALID_D3D10_RESOURCE_KHR: cl_int = -1003;
pub const CL_D3D10_RESOURCE_ALREADY_ACQUIRED_KHR: cl_int = -1004;
pub const CL_D3D10_RESOURCE_NOT_ACQUIRED_KHR: cl_int = -1005;
pub const CL_INVALID_D3D11_DEVICE_KHR: cl_int = -1006;
pub const CL_INVALID_D3D11_RESOURCE_KHR: cl_int = -1007;
pub const CL_D3D11_RESOURCE_ALREADY_ACQUIRED_KHR: cl_int = -1008;
pub const CL_D3D11_RESOURCE_NOT_ACQUIRED_KHR: cl_int = -1009;
pub const CL_INVALID_DX9_DEVICE_INTEL: cl_int = -1010;
pub const CL_INVALID_DX9_MEDIA_ADAPTER_KHR: cl_int = -1010;
pub const CL_INVALID_DX9_MEDIA_SURFACE_KHR: cl_int = -1011;
pub const CL_INVALID_DX9_RESOURCE_INTEL: cl_int = -1011;
pub const CL_DX9_MEDIA_SURFACE_ALREADY_ACQUIRED_KHR: cl_int = -1012;
pub const CL_DX9_RESOURCE_ALREADY_ACQUIRED_INTEL: cl_int = -1012;
pub const CL_DX9_MEDIA_SURFACE_NOT_ACQUIRED_KHR: cl_int = -1013;
pub const CL_DX9_RESOURCE_NOT_ACQUIRED_INTEL: cl_int = -1013;

// ErrorCodes.1057
pub const CL_DEVICE_PARTITION_FAILED_EXT: cl_int = -1057;
pub const CL_INVALID_PARTITION_COUNT_EXT: cl_int = -1058;
pub const CL_INVALID_PARTITION_NAME_EXT: cl_int = -1059;

// ErrorCodes.1092
pub const CL_EGL_RESOURCE_NOT_ACQUIRED_KHR: cl_int = -1092;
pub const CL_INVALID_EGL_OBJECT_KHR: cl_int = -1093;

// ErrorCodes.1094
pub const CL_INVALID_ACCELERATOR_INTEL: cl_int = -1094;
pub const CL_INVALID_ACCELERATOR_TYPE_INTEL: cl_int = -1095;
pub const CL_INVALID_ACCELERATOR_DESCRIPTOR_INTEL: cl_int = -1096;
pub const CL_ACCELERATOR_TYPE_NOT_SUPPORTED_INTEL: cl_int = -1097;
pub const CL_INVALID_VA_API_MEDIA_ADAPTER_INTEL: cl_int = -1098;
pub const CL_INVALID_VA_API_MEDIA_SURFACE_INTEL: cl_int = -1099;
pub const CL_VA_API_MEDIA_SURFACE_ALREADY_ACQUIRED_INTEL: cl_int = -1100;
pub const CL_VA_API_MEDIA_SURFACE_NOT_ACQUIRED_INTEL: cl_int = -1101;

// ErrorCodes.1106
pub const CL_PIPE_FULL_INTEL: cl_int = -1106;
pub const CL_PIPE_EMPTY_INTEL: cl_int = -1107;

// ErrorCodes.1108
pub const CL_COMMAND_TERMINATED_ITSELF_WITH_FAILURE_ARM: cl_int = -1108;

// ErrorCodes.1121
pub const CL_CONTEXT_TERMINATED_KHR: cl_int = -1121;

// ErrorCodes.1122
pub const CL_ERROR_RESERVED0_IMG: cl_int = -1122;
pub const CL_ERROR_RESERVED1_IMG: cl_int = -1123;
pub const CL_ERROR_RESERVED2_IMG: cl_int = -1124;
pub const CL_ERROR_RESERVED3_IMG: cl_int = -1125;
pub const CL_CANCELLED_IMG: cl_int = -1126;
pub const CL_PAGE_FAULT_IMG: cl_int = -1127;
pub const CL_SAFETY_FAULT_IMG: cl_int = -1128;
pub const CL_GENERAL_FAULT_IMG: cl_int = -1129;
pub const CL_ECC_UNRECOVERED_IMG: cl_int = -1130;

// ErrorCodes.1138
pub const CL_INVALID_COMMAND_BUFFER_KHR: cl_int = -1138;
pub const CL_INVALID_SYNC_POINT_WAIT_LIST_KHR: cl_int = -1139;
pub const CL_INCOMPATIBLE_COMMAND_QUEUE_KHR: cl_int = -1140;
pub const CL_INVALID_MUTABLE_COMMAND_KHR: cl_int = -1141;

// ErrorCodes.1142
pub const CL_INVALID_SEMAPHORE_KHR: cl_int = -1142;

// cl_bool
pub const CL_FALSE: cl_uint = 0;
pub const CL_TRUE: cl_uint = 1;
pub const CL_BLOCKING: cl_uint = CL_TRUE;
pub const CL_NON_BLOCKING: cl_uint = CL_FALSE;

// MiscNumbers
pub const CL_DEVICE_PARTITION_BY_COUNTS_LIST_END: cl_uint = 0;
pub const CL_PARTITION_BY_NAMES_LIST_END_INTEL: cl_int = -1;
pub const CL_MEM_DEVICE_HANDLE_LIST_END_KHR: cl_uint = 0;
pub const CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR: cl_uint = 0;
pub const CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR: cl_uint = 0;

// cl_affinity_domain_ext
pub const CL_AFFINITY_DOMAIN_L1_CACHE_EXT: cl_uint = 1;
pub const CL_AFFINITY_DOMAIN_L2_CACHE_EXT: cl_uint = 2;
pub const CL_AFFINITY_DOMAIN_L3_CACHE_EXT: cl_uint = 3;
pub const CL_AFFINITY_DOMAIN_L4_CACHE_EXT: cl_uint = 4;
pub const CL_AFFINITY_DOMAIN_NUMA_EXT: cl_uint = 16;
pub const CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT: cl_uint = 0x100;

// cl_build_status
pub const CL_BUILD_SUCCESS: cl_int = 0;
pub const CL_BUILD_NONE: cl_int = -1;
pub const CL_BUILD_ERROR: cl_int = -2;
pub const CL_BUILD_IN_PROGRESS: cl_int = -3;

// clCommandExecutionStatus
pub const CL_COMPLETE: cl_int = 0;
pub const CL_RUNNING: cl_int = 1;
pub const CL_SUBMITTED: cl_int = 2;
pub const CL_QUEUED: cl_int = 3;

// cl_device_mem_cache_type
pub const CL_NONE: cl_uint = 0;
pub const CL_READ_ONLY_CACHE: cl_uint = 1;
pub const CL_READ_WRITE_CACHE: cl_uint = 2;

// cl_device_local_mem_type
pub const CL_LOCAL: cl_uint = 1;
pub const CL_GLOBAL: cl_uint = 2;

// cl_program_binary_type
pub const CL_PROGRAM_BINARY_TYPE_NONE: cl_uint = 0;
pub const CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT: cl_uint = 1;
pub const CL_PROGRAM_BINARY_TYPE_LIBRARY: cl_uint = 2;
pub const CL_PROGRAM_BINARY_TYPE_EXECUTABLE: cl_uint = 4;

// cl_accelerator_type_intel
pub const CL_ACCELERATOR_TYPE_MOTION_ESTIMATION_INTEL: cl_uint = 0;

// cl_device_type
pub const CL_DEVICE_TYPE_DEFAULT: cl_bitfield = 0x1;
pub const CL_DEVICE_TYPE_CPU: cl_bitfield = 0x2;
pub const CL_DEVICE_TYPE_GPU: cl_bitfield = 0x4;
pub const CL_DEVICE_TYPE_ACCELERATOR: cl_bitfield = 0x8;
pub const CL_DEVICE_TYPE_CUSTOM: cl_bitfield = 0x10;
pub const CL_DEVICE_TYPE_ALL: cl_bitfield = 0xffffffff;
pub const CL_DEVICE_TYPE_RESERVED0_QCOM: cl_bitfield = 0x100000000;

// cl_device_fp_config
pub const CL_FP_DENORM: cl_bitfield = 0x1;
pub const CL_FP_INF_NAN: cl_bitfield = 0x2;
pub const CL_FP_ROUND_TO_NEAREST: cl_bitfield = 0x4;
pub const CL_FP_ROUND_TO_ZERO: cl_bitfield = 0x8;
pub const CL_FP_ROUND_TO_INF: cl_bitfield = 0x10;
pub const CL_FP_FMA: cl_bitfield = 0x20;
pub const CL_FP_SOFT_FLOAT: cl_bitfield = 0x40;
pub const CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT: cl_bitfield = 0x80;

// cl_device_exec_capabilities
pub const CL_EXEC_KERNEL: cl_bitfield = 0x1;
pub const CL_EXEC_NATIVE_KERNEL: cl_bitfield = 0x2;

// cl_device_svm_capabilities
pub const CL_DEVICE_SVM_COARSE_GRAIN_BUFFER: cl_bitfield = 0x1;
pub const CL_DEVICE_SVM_FINE_GRAIN_BUFFER: cl_bitfield = 0x2;
pub const CL_DEVICE_SVM_FINE_GRAIN_SYSTEM: cl_bitfield = 0x4;
pub const CL_DEVICE_SVM_ATOMICS: cl_bitfield = 0x8;

// cl_device_atomic_capabilities
pub const CL_DEVICE_ATOMIC_ORDER_RELAXED: cl_bitfield = 0x1;
pub const CL_DEVICE_ATOMIC_ORDER_ACQ_REL: cl_bitfield = 0x2;
pub const CL_DEVICE_ATOMIC_ORDER_SEQ_CST: cl_bitfield = 0x4;
pub const CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM: cl_bitfield = 0x8;
pub const CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP: cl_bitfield = 0x10;
pub const CL_DEVICE_ATOMIC_SCOPE_DEVICE: cl_bitfield = 0x20;
pub const CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES: cl_bitfield = 0x40;

// cl_device_device_enqueue_capabilities
pub const CL_DEVICE_QUEUE_SUPPORTED: cl_bitfield = 0x1;
pub const CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT: cl_bitfield = 0x2;

// cl_command_queue_properties
pub const CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE: cl_bitfield = 0x1;
pub const CL_QUEUE_PROFILING_ENABLE: cl_bitfield = 0x2;
pub const CL_QUEUE_ON_DEVICE: cl_bitfield = 0x4;
pub const CL_QUEUE_ON_DEVICE_DEFAULT: cl_bitfield = 0x8;
pub const CL_QUEUE_NO_SYNC_OPERATIONS_INTEL: cl_bitfield = 0x20000000;
pub const CL_QUEUE_RESERVED_QCOM: cl_bitfield = 0x40000000;
pub const CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL: cl_bitfield = 0x80000000;

// cl_context_memory_initialize_khr
pub const CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR: cl_bitfield = 0x1;
pub const CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR: cl_bitfield = 0x2;

// cl_device_terminate_capability_khr
pub const CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR: cl_bitfield = 0x1;

// cl_queue_priority_khr
pub const CL_QUEUE_PRIORITY_HIGH_KHR: cl_bitfield = 0x1;
pub const CL_QUEUE_PRIORITY_MED_KHR: cl_bitfield = 0x2;
pub const CL_QUEUE_PRIORITY_LOW_KHR: cl_bitfield = 0x4;

// cl_queue_throttle_khr
pub const CL_QUEUE_THROTTLE_HIGH_KHR: cl_bitfield = 0x1;
pub const CL_QUEUE_THROTTLE_MED_KHR: cl_bitfield = 0x2;
pub const CL_QUEUE_THROTTLE_LOW_KHR: cl_bitfield = 0x4;

// cl_mem_flags
pub const CL_MEM_READ_WRITE: cl_bitfield = 0x1;
pub const CL_MEM_WRITE_ONLY: cl_bitfield = 0x2;
pub const CL_MEM_READ_ONLY: cl_bitfield = 0x4;
pub const CL_MEM_USE_HOST_PTR: cl_bitfield = 0x8;
pub const CL_MEM_ALLOC_HOST_PTR: cl_bitfield = 0x10;
pub const CL_MEM_COPY_HOST_PTR: cl_bitfield = 0x20;
pub const CL_MEM_IMMUTABLE_EXT: cl_bitfield = 0x40;
pub const CL_MEM_HOST_WRITE_ONLY: cl_bitfield = 0x80;
pub const CL_MEM_HOST_READ_ONLY: cl_bitfield = 0x100;
pub const CL_MEM_HOST_NO_ACCESS: cl_bitfield = 0x200;
pub const CL_MEM_SVM_FINE_GRAIN_BUFFER: cl_bitfield = 0x400;
pub const CL_MEM_SVM_ATOMICS: cl_bitfield = 0x800;
pub const CL_MEM_KERNEL_READ_AND_WRITE: cl_bitfield = 0x1000;
pub const CL_MEM_FORCE_HOST_MEMORY_INTEL: cl_bitfield = 0x100000;
pub const CL_MEM_RESERVED21_INTEL: cl_bitfield = 0x200000;
pub const CL_MEM_RESERVED22_INTEL: cl_bitfield = 0x400000;
pub const CL_MEM_NO_ACCESS_INTEL: cl_bitfield = 0x1000000;
pub const CL_MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL: cl_bitfield = 0x2000000;
pub const CL_MEM_USE_UNCACHED_CPU_MEMORY_IMG: cl_bitfield = 0x4000000;
pub const CL_MEM_USE_CACHED_CPU_MEMORY_IMG: cl_bitfield = 0x8000000;
pub const CL_MEM_USE_GRALLOC_PTR_IMG: cl_bitfield = 0x10000000;
pub const CL_MEM_EXT_HOST_PTR_QCOM: cl_bitfield = 0x20000000;
pub const CL_MEM_RESERVED0_ARM: cl_bitfield = 0x100000000;
pub const CL_MEM_RESERVED1_ARM: cl_bitfield = 0x200000000;
pub const CL_MEM_RESERVED2_ARM: cl_bitfield = 0x400000000;
pub const CL_MEM_RESERVED3_ARM: cl_bitfield = 0x800000000;
pub const CL_MEM_PROTECTED_ALLOC_ARM: cl_bitfield = 0x1000000000;
pub const CL_MEM_RESERVED0_QCOM: cl_bitfield = 0x2000000000;
pub const CL_MEM_RESERVED1_QCOM: cl_bitfield = 0x4000000000;
pub const CL_MEM_RESERVED2_QCOM: cl_bitfield = 0x8000000000;
pub const CL_MEM_RESERVED3_QCOM: cl_bitfield = 0x10000000000;

// cl_map_flags
pub const CL_MAP_READ: cl_bitfield = 0x1;
pub const CL_MAP_WRITE: cl_bitfield = 0x2;
pub const CL_MAP_WRITE_INVALIDATE_REGION: cl_bitfield = 0x4;

// cl_mem_migration_flags
pub const CL_MIGRATE_MEM_OBJECT_HOST: cl_bitfield = 0x1;
pub const CL_MIGRATE_MEM_OBJECT_HOST_EXT: cl_bitfield = 0x1;
pub const CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED: cl_bitfield = 0x2;

// cl_device_affinity_domain
pub const CL_DEVICE_AFFINITY_DOMAIN_NUMA: cl_bitfield = 0x1;
pub const CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE: cl_bitfield = 0x2;
pub const CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE: cl_bitfield = 0x4;
pub const CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE: cl_bitfield = 0x8;
pub const CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE: cl_bitfield = 0x10;
pub const CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE: cl_bitfield = 0x20;

// cl_kernel_arg_type_qualifier
pub const CL_KERNEL_ARG_TYPE_NONE: cl_bitfield = 0x0;
pub const CL_KERNEL_ARG_TYPE_CONST: cl_bitfield = 0x1;
pub const CL_KERNEL_ARG_TYPE_RESTRICT: cl_bitfield = 0x2;
pub const CL_KERNEL_ARG_TYPE_VOLATILE: cl_bitfield = 0x4;
pub const CL_KERNEL_ARG_TYPE_PIPE: cl_bitfield = 0x8;

// cl_motion_estimation_desc_intel.mb_block_type
pub const CL_ME_MB_TYPE_16x16_INTEL: cl_bitfield = 0x0;
pub const CL_ME_MB_TYPE_8x8_INTEL: cl_bitfield = 0x1;
pub const CL_ME_MB_TYPE_4x4_INTEL: cl_bitfield = 0x2;

// cl_motion_estimation_desc_intel.subpixel_mode
pub const CL_ME_SUBPIXEL_MODE_INTEGER_INTEL: cl_bitfield = 0x0;
pub const CL_ME_SUBPIXEL_MODE_HPEL_INTEL: cl_bitfield = 0x1;
pub const CL_ME_SUBPIXEL_MODE_QPEL_INTEL: cl_bitfield = 0x2;

// cl_motion_estimation_desc_intel.sad_adjust_mode
pub const CL_ME_SAD_ADJUST_MODE_NONE_INTEL: cl_bitfield = 0x0;
pub const CL_ME_SAD_ADJUST_MODE_HAAR_INTEL: cl_bitfield = 0x1;

// cl_motion_estimation_desc_intel.search_path_type
pub const CL_ME_SEARCH_PATH_RADIUS_2_2_INTEL: cl_bitfield = 0x0;
pub const CL_ME_SEARCH_PATH_RADIUS_4_4_INTEL: cl_bitfield = 0x1;
pub const CL_ME_SEARCH_PATH_RADIUS_16_12_INTEL: cl_bitfield = 0x5;

// cl_arm_device_svm_capabilities.flags
pub const CL_DEVICE_SVM_COARSE_GRAIN_BUFFER_ARM: cl_bitfield = 0x1;
pub const CL_DEVICE_SVM_FINE_GRAIN_BUFFER_ARM: cl_bitfield = 0x2;
pub const CL_DEVICE_SVM_FINE_GRAIN_SYSTEM_ARM: cl_bitfield = 0x4;
pub const CL_DEVICE_SVM_ATOMICS_ARM: cl_bitfield = 0x8;

// cl_arm_svm_alloc.flags
pub const CL_MEM_SVM_FINE_GRAIN_BUFFER_ARM: cl_bitfield = 0x400;
pub const CL_MEM_SVM_ATOMICS_ARM: cl_bitfield = 0x800;

// cl_diagnostic_verbose_level_intel
pub const CL_CONTEXT_DIAGNOSTICS_LEVEL_ALL_INTEL: cl_bitfield = 0xff;
pub const CL_CONTEXT_DIAGNOSTICS_LEVEL_GOOD_INTEL: cl_bitfield = 0x1;
pub const CL_CONTEXT_DIAGNOSTICS_LEVEL_BAD_INTEL: cl_bitfield = 0x2;
pub const CL_CONTEXT_DIAGNOSTICS_LEVEL_NEUTRAL_INTEL: cl_bitfield = 0x4;

// cl_intel_advanced_motion_estimation.flags
pub const CL_ME_CHROMA_INTRA_PREDICT_ENABLED_INTEL: cl_bitfield = 0x1;
pub const CL_ME_LUMA_INTRA_PREDICT_ENABLED_INTEL: cl_bitfield = 0x2;

// cl_intel_advanced_motion_estimation.search_cost_penalty
pub const CL_ME_COST_PENALTY_NONE_INTEL: cl_uint = 0;
pub const CL_ME_COST_PENALTY_LOW_INTEL: cl_uint = 1;
pub const CL_ME_COST_PENALTY_NORMAL_INTEL: cl_uint = 2;
pub const CL_ME_COST_PENALTY_HIGH_INTEL: cl_uint = 3;

// cl_intel_advanced_motion_estimation.search_cost_precision
pub const CL_ME_COST_PRECISION_QPEL_INTEL: cl_uint = 0;
pub const CL_ME_COST_PRECISION_HPEL_INTEL: cl_uint = 1;
pub const CL_ME_COST_PRECISION_PEL_INTEL: cl_uint = 2;
pub const CL_ME_COST_PRECISION_DPEL_INTEL: cl_uint = 3;

// cl_intel_advanced_motion_estimation.intra_search_prediction_modes_buffer.luma_block
pub const CL_ME_LUMA_PREDICTOR_MODE_VERTICAL_INTEL: cl_uint = 0;
pub const CL_ME_LUMA_PREDICTOR_MODE_HORIZONTAL_INTEL: cl_uint = 1;
pub const CL_ME_LUMA_PREDICTOR_MODE_DC_INTEL: cl_uint = 2;
pub const CL_ME_LUMA_PREDICTOR_MODE_DIAGONAL_DOWN_LEFT_INTEL: cl_uint = 3;
pub const CL_ME_LUMA_PREDICTOR_MODE_DIAGONAL_DOWN_RIGHT_INTEL: cl_uint = 4;
pub const CL_ME_LUMA_PREDICTOR_MODE_PLANE_INTEL: cl_uint = 4;
pub const CL_ME_LUMA_PREDICTOR_MODE_VERTICAL_RIGHT_INTEL: cl_uint = 5;
pub const CL_ME_LUMA_PREDICTOR_MODE_HORIZONTAL_DOWN_INTEL: cl_uint = 6;
pub const CL_ME_LUMA_PREDICTOR_MODE_VERTICAL_LEFT_INTEL: cl_uint = 7;
pub const CL_ME_LUMA_PREDICTOR_MODE_HORIZONTAL_UP_INTEL: cl_uint = 8;

// cl_intel_advanced_motion_estimation.intra_search_prediction_modes_buffer.chroma_block
pub const CL_ME_CHROMA_PREDICTOR_MODE_DC_INTEL: cl_uint = 0;
pub const CL_ME_CHROMA_PREDICTOR_MODE_HORIZONTAL_INTEL: cl_uint = 1;
pub const CL_ME_CHROMA_PREDICTOR_MODE_VERTICAL_INTEL: cl_uint = 2;
pub const CL_ME_CHROMA_PREDICTOR_MODE_PLANE_INTEL: cl_uint = 3;

// cl_intel_advanced_motion_estimation.skip_block_type
pub const CL_ME_SKIP_BLOCK_TYPE_16x16_INTEL: cl_uint = 0;
pub const CL_ME_SKIP_BLOCK_TYPE_8x8_INTEL: cl_uint = 4;

// cl_intel_advanced_motion_estimation.device_me_version
pub const CL_ME_VERSION_LEGACY_INTEL: cl_uint = 0;
pub const CL_ME_VERSION_ADVANCED_VER_1_INTEL: cl_uint = 1;
pub const CL_ME_VERSION_ADVANCED_VER_2_INTEL: cl_uint = 2;

// cl_intel_advanced_motion_estimation.cl_motion_detect_desc_intel
pub const CL_ME_FORWARD_INPUT_MODE_INTEL: cl_uint = 1;
pub const CL_ME_BACKWARD_INPUT_MODE_INTEL: cl_uint = 2;
pub const CL_ME_BIDIRECTION_INPUT_MODE_INTEL: cl_uint = 3;

// cl_intel_advanced_motion_estimation.cl_motion_detect_desc_intel.2
pub const CL_ME_BIDIR_WEIGHT_QUARTER_INTEL: cl_uint = 16;
pub const CL_ME_BIDIR_WEIGHT_THIRD_INTEL: cl_uint = 21;
pub const CL_ME_BIDIR_WEIGHT_HALF_INTEL: cl_uint = 32;
pub const CL_ME_BIDIR_WEIGHT_TWO_THIRD_INTEL: cl_uint = 43;
pub const CL_ME_BIDIR_WEIGHT_THREE_QUARTER_INTEL: cl_uint = 48;

// cl_intel_device_side_avc_motion_estimation.version
pub const CL_AVC_ME_VERSION_0_INTEL: cl_uint = 0;
pub const CL_AVC_ME_VERSION_1_INTEL: cl_uint = 1;

// cl_intel_device_side_avc_motion_estimation.major
pub const CL_AVC_ME_MAJOR_16x16_INTEL: cl_uint = 0;
pub const CL_AVC_ME_MAJOR_16x8_INTEL: cl_uint = 1;
pub const CL_AVC_ME_MAJOR_8x16_INTEL: cl_uint = 2;
pub const CL_AVC_ME_MAJOR_8x8_INTEL: cl_uint = 3;

// cl_intel_device_side_avc_motion_estimation.minor
pub const CL_AVC_ME_MINOR_8x8_INTEL: cl_uint = 0;
pub const CL_AVC_ME_MINOR_8x4_INTEL: cl_uint = 1;
pub const CL_AVC_ME_MINOR_4x8_INTEL: cl_uint = 2;
pub const CL_AVC_ME_MINOR_4x4_INTEL: cl_uint = 3;

// cl_intel_device_side_avc_motion_estimation.major.dir
pub const CL_AVC_ME_MAJOR_FORWARD_INTEL: cl_uint = 0;
pub const CL_AVC_ME_MAJOR_BACKWARD_INTEL: cl_uint = 1;
pub const CL_AVC_ME_MAJOR_BIDIRECTIONAL_INTEL: cl_uint = 2;

// cl_intel_device_side_avc_motion_estimation.partition
pub const CL_AVC_ME_PARTITION_MASK_ALL_INTEL: cl_uint = 0;
pub const CL_AVC_ME_PARTITION_MASK_16x16_INTEL: cl_uint = 126;
pub const CL_AVC_ME_PARTITION_MASK_16x8_INTEL: cl_uint = 125;
pub const CL_AVC_ME_PARTITION_MASK_8x16_INTEL: cl_uint = 123;
pub const CL_AVC_ME_PARTITION_MASK_8x8_INTEL: cl_uint = 119;
pub const CL_AVC_ME_PARTITION_MASK_8x4_INTEL: cl_uint = 111;
pub const CL_AVC_ME_PARTITION_MASK_4x8_INTEL: cl_uint = 95;
pub const CL_AVC_ME_PARTITION_MASK_4x4_INTEL: cl_uint = 63;

// cl_intel_device_side_avc_motion_estimation.window
pub const CL_AVC_ME_SEARCH_WINDOW_EXHAUSTIVE_INTEL: cl_uint = 0;
pub const CL_AVC_ME_SEARCH_WINDOW_SMALL_INTEL: cl_uint = 1;
pub const CL_AVC_ME_SEARCH_WINDOW_TINY_INTEL: cl_uint = 2;
pub const CL_AVC_ME_SEARCH_WINDOW_EXTRA_TINY_INTEL: cl_uint = 3;
pub const CL_AVC_ME_SEARCH_WINDOW_DIAMOND_INTEL: cl_uint = 4;
pub const CL_AVC_ME_SEARCH_WINDOW_LARGE_DIAMOND_INTEL: cl_uint = 5;
pub const CL_AVC_ME_SEARCH_WINDOW_RESERVED0_INTEL: cl_uint = 6;
pub const CL_AVC_ME_SEARCH_WINDOW_RESERVED1_INTEL: cl_uint = 7;
pub const CL_AVC_ME_SEARCH_WINDOW_CUSTOM_INTEL: cl_uint = 8;
pub const CL_AVC_ME_SEARCH_WINDOW_16x12_RADIUS_INTEL: cl_uint = 9;
pub const CL_AVC_ME_SEARCH_WINDOW_4x4_RADIUS_INTEL: cl_uint = 2;
pub const CL_AVC_ME_SEARCH_WINDOW_2x2_RADIUS_INTEL: cl_uint = 10;

// cl_intel_device_side_avc_motion_estimation.adjust
pub const CL_AVC_ME_SAD_ADJUST_MODE_NONE_INTEL: cl_uint = 0;
pub const CL_AVC_ME_SAD_ADJUST_MODE_HAAR_INTEL: cl_uint = 2;

// cl_intel_device_side_avc_motion_estimation.subpixel
pub const CL_AVC_ME_SUBPIXEL_MODE_INTEGER_INTEL: cl_uint = 0;
pub const CL_AVC_ME_SUBPIXEL_MODE_HPEL_INTEL: cl_uint = 1;
pub const CL_AVC_ME_SUBPIXEL_MODE_QPEL_INTEL: cl_uint = 3;

// cl_intel_device_side_avc_motion_estimation.cost.precision
pub const CL_AVC_ME_COST_PRECISION_QPEL_INTEL: cl_uint = 0;
pub const CL_AVC_ME_COST_PRECISION_HPEL_INTEL: cl_uint = 1;
pub const CL_AVC_ME_COST_PRECISION_PEL_INTEL: cl_uint = 2;
pub const CL_AVC_ME_COST_PRECISION_DPEL_INTEL: cl_uint = 3;

// cl_intel_device_side_avc_motion_estimation.weight
pub const CL_AVC_ME_BIDIR_WEIGHT_QUARTER_INTEL: cl_uint = 16;
pub const CL_AVC_ME_BIDIR_WEIGHT_THIRD_INTEL: cl_uint = 21;
pub const CL_AVC_ME_BIDIR_WEIGHT_HALF_INTEL: cl_uint = 32;
pub const CL_AVC_ME_BIDIR_WEIGHT_TWO_THIRD_INTEL: cl_uint = 43;
pub const CL_AVC_ME_BIDIR_WEIGHT_THREE_QUARTER_INTEL: cl_uint = 48;

// cl_intel_device_side_avc_motion_estimation.border
pub const CL_AVC_ME_BORDER_REACHED_LEFT_INTEL: cl_uint = 0;
pub const CL_AVC_ME_BORDER_REACHED_RIGHT_INTEL: cl_uint = 2;
pub const CL_AVC_ME_BORDER_REACHED_TOP_INTEL: cl_uint = 4;
pub const CL_AVC_ME_BORDER_REACHED_BOTTOM_INTEL: cl_uint = 8;

// cl_intel_device_side_avc_motion_estimation.skip
pub const CL_AVC_ME_SKIP_BLOCK_PARTITION_16x16_INTEL: cl_uint = 0;
pub const CL_AVC_ME_SKIP_BLOCK_PARTITION_8x8_INTEL: cl_uint = 0x4000;

// cl_intel_device_side_avc_motion_estimation.skip.block.based
pub const CL_AVC_ME_BLOCK_BASED_SKIP_4x4_INTEL: cl_uint = 0;
pub const CL_AVC_ME_BLOCK_BASED_SKIP_8x8_INTEL: cl_uint = 128;

// cl_intel_device_side_avc_motion_estimation.intra
pub const CL_AVC_ME_INTRA_16x16_INTEL: cl_uint = 0;
pub const CL_AVC_ME_INTRA_8x8_INTEL: cl_uint = 1;
pub const CL_AVC_ME_INTRA_4x4_INTEL: cl_uint = 2;

// cl_intel_device_side_avc_motion_estimation.intra.luma
pub const CL_AVC_ME_INTRA_LUMA_PARTITION_MASK_16x16_INTEL: cl_uint = 6;
pub const CL_AVC_ME_INTRA_LUMA_PARTITION_MASK_8x8_INTEL: cl_uint = 5;
pub const CL_AVC_ME_INTRA_LUMA_PARTITION_MASK_4x4_INTEL: cl_uint = 3;

// cl_intel_device_side_avc_motion_estimation.intra.neighbor
pub const CL_AVC_ME_INTRA_NEIGHBOR_LEFT_MASK_ENABLE_INTEL: cl_uint = 96;
pub const CL_AVC_ME_INTRA_NEIGHBOR_UPPER_MASK_ENABLE_INTEL: cl_uint = 16;
pub const CL_AVC_ME_INTRA_NEIGHBOR_UPPER_RIGHT_MASK_ENABLE_INTEL: cl_uint = 8;
pub const CL_AVC_ME_INTRA_NEIGHBOR_UPPER_LEFT_MASK_ENABLE_INTEL: cl_uint = 4;

// cl_intel_device_side_avc_motion_estimation.luma.predictor
pub const CL_AVC_ME_LUMA_PREDICTOR_MODE_VERTICAL_INTEL: cl_uint = 0;
pub const CL_AVC_ME_LUMA_PREDICTOR_MODE_HORIZONTAL_INTEL: cl_uint = 1;
pub const CL_AVC_ME_LUMA_PREDICTOR_MODE_DC_INTEL: cl_uint = 2;
pub const CL_AVC_ME_LUMA_PREDICTOR_MODE_DIAGONAL_DOWN_LEFT_INTEL: cl_uint = 3;
pub const CL_AVC_ME_LUMA_PREDICTOR_MODE_DIAGONAL_DOWN_RIGHT_INTEL: cl_uint = 4;
pub const CL_AVC_ME_LUMA_PREDICTOR_MODE_PLANE_INTEL: cl_uint = 4;
pub const CL_AVC_ME_LUMA_PREDICTOR_MODE_VERTICAL_RIGHT_INTEL: cl_uint = 5;
pub const CL_AVC_ME_LUMA_PREDICTOR_MODE_HORIZONTAL_DOWN_INTEL: cl_uint = 6;
pub const CL_AVC_ME_LUMA_PREDICTOR_MODE_VERTICAL_LEFT_INTEL: cl_uint = 7;
pub const CL_AVC_ME_LUMA_PREDICTOR_MODE_HORIZONTAL_UP_INTEL: cl_uint = 8;
pub const CL_AVC_ME_CHROMA_PREDICTOR_MODE_DC_INTEL: cl_uint = 0;
pub const CL_AVC_ME_CHROMA_PREDICTOR_MODE_HORIZONTAL_INTEL: cl_uint = 1;
pub const CL_AVC_ME_CHROMA_PREDICTOR_MODE_VERTICAL_INTEL: cl_uint = 2;
pub const CL_AVC_ME_CHROMA_PREDICTOR_MODE_PLANE_INTEL: cl_uint = 3;

// cl_intel_device_side_avc_motion_estimation.frame.dir
pub const CL_AVC_ME_FRAME_FORWARD_INTEL: cl_uint = 1;
pub const CL_AVC_ME_FRAME_BACKWARD_INTEL: cl_uint = 2;
pub const CL_AVC_ME_FRAME_DUAL_INTEL: cl_uint = 3;

// cl_intel_device_side_avc_motion_estimation.slice
pub const CL_AVC_ME_SLICE_TYPE_PRED_INTEL: cl_uint = 0;
pub const CL_AVC_ME_SLICE_TYPE_BPRED_INTEL: cl_uint = 1;
pub const CL_AVC_ME_SLICE_TYPE_INTRA_INTEL: cl_uint = 2;

// cl_intel_device_side_avc_motion_estimation.scan.dir
pub const CL_AVC_ME_INTERLACED_SCAN_TOP_FIELD_INTEL: cl_uint = 0;
pub const CL_AVC_ME_INTERLACED_SCAN_BOTTOM_FIELD_INTEL: cl_uint = 1;

// cl_device_unified_shared_memory_capabilities_intel
pub const CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL: cl_bitfield = 0x1;
pub const CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL: cl_bitfield = 0x2;
pub const CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL: cl_bitfield = 0x4;
pub const CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL: cl_bitfield = 0x8;

// cl_svm_capabilities_khr
pub const CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR: cl_bitfield = 0x1;
pub const CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR: cl_bitfield = 0x2;
pub const CL_SVM_CAPABILITY_DEVICE_OWNED_KHR: cl_bitfield = 0x4;
pub const CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR: cl_bitfield = 0x8;
pub const CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR: cl_bitfield = 0x10;
pub const CL_SVM_CAPABILITY_HOST_OWNED_KHR: cl_bitfield = 0x20;
pub const CL_SVM_CAPABILITY_HOST_READ_KHR: cl_bitfield = 0x40;
pub const CL_SVM_CAPABILITY_HOST_WRITE_KHR: cl_bitfield = 0x80;
pub const CL_SVM_CAPABILITY_HOST_MAP_KHR: cl_bitfield = 0x100;
pub const CL_SVM_CAPABILITY_DEVICE_READ_KHR: cl_bitfield = 0x200;
pub const CL_SVM_CAPABILITY_DEVICE_WRITE_KHR: cl_bitfield = 0x400;
pub const CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR: cl_bitfield = 0x800;
pub const CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR: cl_bitfield = 0x1000;
pub const CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR: cl_bitfield = 0x2000;
pub const CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR: cl_bitfield = 0x4000;

// cl_mem_alloc_flags_intel
pub const CL_MEM_ALLOC_WRITE_COMBINED_INTEL: cl_bitfield = 0x1;
pub const CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL: cl_bitfield = 0x2;
pub const CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL: cl_bitfield = 0x4;

// cl_svm_alloc_access_flags_khr
pub const CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR: cl_bitfield = 0x1;
pub const CL_SVM_ALLOC_ACCESS_HOST_NOWRITE_KHR: cl_bitfield = 0x2;
pub const CL_SVM_ALLOC_ACCESS_DEVICE_NOREAD_KHR: cl_bitfield = 0x100;
pub const CL_SVM_ALLOC_ACCESS_DEVICE_NOWRITE_KHR: cl_bitfield = 0x200;

// cl_mipmap_filter_mode_img
pub const CL_MIPMAP_FILTER_ANY_IMG: cl_uint = 0;
pub const CL_MIPMAP_FILTER_BOX_IMG: cl_uint = 1;

// cl_mem_alloc_flags_img
pub const CL_MEM_ALLOC_RELAX_REQUIREMENTS_IMG: cl_bitfield = 0x1;
pub const CL_MEM_ALLOC_GPU_WRITE_COMBINE_IMG: cl_bitfield = 0x2;
pub const CL_MEM_ALLOC_GPU_CACHED_IMG: cl_bitfield = 0x4;
pub const CL_MEM_ALLOC_CPU_LOCAL_IMG: cl_bitfield = 0x8;
pub const CL_MEM_ALLOC_GPU_LOCAL_IMG: cl_bitfield = 0x10;
pub const CL_MEM_ALLOC_GPU_PRIVATE_IMG: cl_bitfield = 0x20;

// cl_context_safety_properties_img
pub const CL_CONTEXT_WORKGROUP_PROTECTION_IMG: cl_bitfield = 0x1;
pub const CL_CONTEXT_ENHANCED_EVENT_EXECUTION_STATUS_IMG: cl_bitfield = 0x2;

// cl_device_scheduling_controls_capabilities_img
pub const CL_DEVICE_WORK_GROUP_SCHEDULING_ALGORITHM_LINEAR_ORDER_IMG: cl_bitfield = 0x1;
pub const CL_DEVICE_WORK_GROUP_SCHEDULING_ALGORITHM_MORTON_ORDER_IMG: cl_bitfield = 0x2;
pub const CL_DEVICE_WORK_GROUP_SCHEDULING_ALGORITHM_TWOD_MORTON_ORDER_IMG: cl_bitfield = 0x4;
pub const CL_DEVICE_WORK_GROUP_SCHEDULING_ALGORITHM_THREED_MORTON_ORDER_IMG: cl_bitfield = 0x8;
pub const CL_DEVICE_WORK_GROUP_ARBITRATION_ALGORITHM_TASK_DEMAND_IMG: cl_bitfield = 0x100;
pub const CL_DEVICE_WORK_GROUP_ARBITRATION_ALGORITHM_ROUND_ROBIN_IMG: cl_bitfield = 0x200;
pub const CL_DEVICE_WORK_GROUP_EXECUTE_COUNT_IMG: cl_bitfield = 0x400;

// cl_device_scheduling_controls_capabilities_arm
pub const CL_DEVICE_SCHEDULING_KERNEL_BATCHING_ARM: cl_bitfield = 0x1;
pub const CL_DEVICE_SCHEDULING_WORKGROUP_BATCH_SIZE_ARM: cl_bitfield = 0x2;
pub const CL_DEVICE_SCHEDULING_WORKGROUP_BATCH_SIZE_MODIFIER_ARM: cl_bitfield = 0x4;
pub const CL_DEVICE_SCHEDULING_DEFERRED_FLUSH_ARM: cl_bitfield = 0x8;
pub const CL_DEVICE_SCHEDULING_REGISTER_ALLOCATION_ARM: cl_bitfield = 0x10;
pub const CL_DEVICE_SCHEDULING_WARP_THROTTLING_ARM: cl_bitfield = 0x20;
pub const CL_DEVICE_SCHEDULING_COMPUTE_UNIT_BATCH_QUEUE_SIZE_ARM: cl_bitfield = 0x40;
pub const CL_DEVICE_SCHEDULING_COMPUTE_UNIT_LIMIT_ARM: cl_bitfield = 0x80;

// cl_command_termination_reason_arm
pub const CL_COMMAND_TERMINATION_COMPLETION_ARM: cl_uint = 0;
pub const CL_COMMAND_TERMINATION_CONTROLLED_SUCCESS_ARM: cl_uint = 1;
pub const CL_COMMAND_TERMINATION_CONTROLLED_FAILURE_ARM: cl_uint = 2;
pub const CL_COMMAND_TERMINATION_ERROR_ARM: cl_uint = 3;

// cl_device_controlled_termination_capabilities_arm
pub const CL_DEVICE_CONTROLLED_TERMINATION_SUCCESS_ARM: cl_bitfield = 0x1;
pub const CL_DEVICE_CONTROLLED_TERMINATION_FAILURE_ARM: cl_bitfield = 0x2;
pub const CL_DEVICE_CONTROLLED_TERMINATION_QUERY_ARM: cl_bitfield = 0x4;

// cl_command_queue_capabilities_intel
pub const CL_QUEUE_CAPABILITY_CREATE_SINGLE_QUEUE_EVENTS_INTEL: cl_bitfield = 0x1;
pub const CL_QUEUE_CAPABILITY_CREATE_CROSS_QUEUE_EVENTS_INTEL: cl_bitfield = 0x2;
pub const CL_QUEUE_CAPABILITY_SINGLE_QUEUE_EVENT_WAIT_LIST_INTEL: cl_bitfield = 0x4;
pub const CL_QUEUE_CAPABILITY_CROSS_QUEUE_EVENT_WAIT_LIST_INTEL: cl_bitfield = 0x8;
pub const CL_QUEUE_CAPABILITY_TRANSFER_BUFFER_INTEL: cl_bitfield = 0x100;
pub const CL_QUEUE_CAPABILITY_TRANSFER_BUFFER_RECT_INTEL: cl_bitfield = 0x200;
pub const CL_QUEUE_CAPABILITY_MAP_BUFFER_INTEL: cl_bitfield = 0x400;
pub const CL_QUEUE_CAPABILITY_FILL_BUFFER_INTEL: cl_bitfield = 0x800;
pub const CL_QUEUE_CAPABILITY_TRANSFER_IMAGE_INTEL: cl_bitfield = 0x1000;
pub const CL_QUEUE_CAPABILITY_MAP_IMAGE_INTEL: cl_bitfield = 0x2000;
pub const CL_QUEUE_CAPABILITY_FILL_IMAGE_INTEL: cl_bitfield = 0x4000;
pub const CL_QUEUE_CAPABILITY_TRANSFER_BUFFER_IMAGE_INTEL: cl_bitfield = 0x8000;
pub const CL_QUEUE_CAPABILITY_TRANSFER_IMAGE_BUFFER_INTEL: cl_bitfield = 0x10000;
pub const CL_QUEUE_CAPABILITY_MARKER_INTEL: cl_bitfield = 0x1000000;
pub const CL_QUEUE_CAPABILITY_BARRIER_INTEL: cl_bitfield = 0x2000000;
pub const CL_QUEUE_CAPABILITY_KERNEL_INTEL: cl_bitfield = 0x4000000;

// cl_device_feature_capabilities_intel
pub const CL_DEVICE_FEATURE_FLAG_DP4A_INTEL: cl_bitfield = 0x1;
pub const CL_DEVICE_FEATURE_FLAG_DPAS_INTEL: cl_bitfield = 0x2;

// cl_device_integer_dot_product_capabilities
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED: cl_bitfield = 0x1;
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT: cl_bitfield = 0x2;

// cl_device_integer_dot_product_capabilities_khr
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR: cl_bitfield = 0x1;
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR: cl_bitfield = 0x2;

// cl_semaphore_type_khr
pub const CL_SEMAPHORE_TYPE_BINARY_KHR: cl_uint = 1;

// cl_platform_command_buffer_capabilities_khr
pub const CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR: cl_bitfield = 0x1;
pub const CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR: cl_bitfield = 0x2;
pub const CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR: cl_bitfield = 0x4;

// cl_device_command_buffer_capabilities_khr
pub const CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR: cl_bitfield = 0x1;
pub const CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR: cl_bitfield = 0x2;
pub const CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR: cl_bitfield = 0x4;
pub const CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR: cl_bitfield = 0x10;

// cl_command_buffer_flags_khr
pub const CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR: cl_bitfield = 0x1;
pub const CL_COMMAND_BUFFER_MUTABLE_KHR: cl_bitfield = 0x2;
pub const CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR: cl_bitfield = 0x4;

// cl_command_buffer_state_khr
pub const CL_COMMAND_BUFFER_STATE_RECORDING_KHR: cl_uint = 0;
pub const CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR: cl_uint = 1;
pub const CL_COMMAND_BUFFER_STATE_FINALIZED_KHR: cl_uint = 2;

// cl_mutable_dispatch_fields_khr
pub const CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR: cl_bitfield = 0x1;
pub const CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR: cl_bitfield = 0x2;
pub const CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR: cl_bitfield = 0x4;
pub const CL_MUTABLE_DISPATCH_ARGUMENTS_KHR: cl_bitfield = 0x8;
pub const CL_MUTABLE_DISPATCH_EXEC_INFO_KHR: cl_bitfield = 0x10;

// cl_mutable_dispatch_asserts_khr
pub const CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR: cl_bitfield = 0x1;

// cl_command_buffer_update_type_khr
pub const CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR: cl_uint = 0;

// cl_device_fp_atomic_capabilities_ext
pub const CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT: cl_bitfield = 0x1;
pub const CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT: cl_bitfield = 0x2;
pub const CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT: cl_bitfield = 0x4;
pub const CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT: cl_bitfield = 0x10000;
pub const CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT: cl_bitfield = 0x20000;
pub const CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT: cl_bitfield = 0x40000;

// cl_device_kernel_clock_capabilities_khr
pub const CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR: cl_bitfield = 0x1;
pub const CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR: cl_bitfield = 0x2;
pub const CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR: cl_bitfield = 0x4;

// cl_khronos_vendor_id
pub const CL_KHRONOS_VENDOR_ID_CODEPLAY: cl_uint = 0x10004;
pub const CL_KHRONOS_VENDOR_ID_POCL: cl_uint = 0x10006;

// cl_platform_info
pub const CL_PLATFORM_PROFILE: cl_uint = 0x900;
pub const CL_PLATFORM_VERSION: cl_uint = 0x901;
pub const CL_PLATFORM_NAME: cl_uint = 0x902;
pub const CL_PLATFORM_VENDOR: cl_uint = 0x903;
pub const CL_PLATFORM_EXTENSIONS: cl_uint = 0x904;
pub const CL_PLATFORM_HOST_TIMER_RESOLUTION: cl_uint = 0x905;
pub const CL_PLATFORM_NUMERIC_VERSION_KHR: cl_uint = 0x906;
pub const CL_PLATFORM_NUMERIC_VERSION: cl_uint = 0x906;
pub const CL_PLATFORM_EXTENSIONS_WITH_VERSION_KHR: cl_uint = 0x907;
pub const CL_PLATFORM_EXTENSIONS_WITH_VERSION: cl_uint = 0x907;
pub const CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR: cl_uint = 0x908;
pub const CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR: cl_uint = 0x909;
pub const CL_PLATFORM_ICD_SUFFIX_KHR: cl_uint = 0x920;
pub const CL_PLATFORM_UNLOADABLE_KHR: cl_uint = 0x921;

// cl_device_info
pub const CL_DEVICE_TYPE: cl_uint = 0x1000;
pub const CL_DEVICE_VENDOR_ID: cl_uint = 0x1001;
pub const CL_DEVICE_MAX_COMPUTE_UNITS: cl_uint = 0x1002;
pub const CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS: cl_uint = 0x1003;
pub const CL_DEVICE_MAX_WORK_GROUP_SIZE: cl_uint = 0x1004;
pub const CL_DEVICE_MAX_WORK_ITEM_SIZES: cl_uint = 0x1005;
pub const CL_DEVICE_MAX_WORK_GROUP_SIZES: cl_uint = 0x1005;
pub const CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR: cl_uint = 0x1006;
pub const CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT: cl_uint = 0x1007;
pub const CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT: cl_uint = 0x1008;
pub const CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG: cl_uint = 0x1009;
pub const CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT: cl_uint = 0x100a;
pub const CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE: cl_uint = 0x100b;
pub const CL_DEVICE_MAX_CLOCK_FREQUENCY: cl_uint = 0x100c;
pub const CL_DEVICE_ADDRESS_BITS: cl_uint = 0x100d;
pub const CL_DEVICE_MAX_READ_IMAGE_ARGS: cl_uint = 0x100e;
pub const CL_DEVICE_MAX_WRITE_IMAGE_ARGS: cl_uint = 0x100f;
pub const CL_DEVICE_MAX_MEM_ALLOC_SIZE: cl_uint = 0x1010;
pub const CL_DEVICE_IMAGE2D_MAX_WIDTH: cl_uint = 0x1011;
pub const CL_DEVICE_IMAGE2D_MAX_HEIGHT: cl_uint = 0x1012;
pub const CL_DEVICE_IMAGE3D_MAX_WIDTH: cl_uint = 0x1013;
pub const CL_DEVICE_IMAGE3D_MAX_HEIGHT: cl_uint = 0x1014;
pub const CL_DEVICE_IMAGE3D_MAX_DEPTH: cl_uint = 0x1015;
pub const CL_DEVICE_IMAGE_SUPPORT: cl_uint = 0x1016;
pub const CL_DEVICE_MAX_PARAMETER_SIZE: cl_uint = 0x1017;
pub const CL_DEVICE_MAX_SAMPLERS: cl_uint = 0x1018;
pub const CL_DEVICE_MEM_BASE_ADDR_ALIGN: cl_uint = 0x1019;
pub const CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE: cl_uint = 0x101a;
pub const CL_DEVICE_SINGLE_FP_CONFIG: cl_uint = 0x101b;
pub const CL_DEVICE_GLOBAL_MEM_CACHE_TYPE: cl_uint = 0x101c;
pub const CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE: cl_uint = 0x101d;
pub const CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: cl_uint = 0x101e;
pub const CL_DEVICE_GLOBAL_MEM_SIZE: cl_uint = 0x101f;
pub const CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: cl_uint = 0x1020;
pub const CL_DEVICE_MAX_CONSTANT_ARGS: cl_uint = 0x1021;
pub const CL_DEVICE_LOCAL_MEM_TYPE: cl_uint = 0x1022;
pub const CL_DEVICE_LOCAL_MEM_SIZE: cl_uint = 0x1023;
pub const CL_DEVICE_ERROR_CORRECTION_SUPPORT: cl_uint = 0x1024;
pub const CL_DEVICE_PROFILING_TIMER_RESOLUTION: cl_uint = 0x1025;
pub const CL_DEVICE_ENDIAN_LITTLE: cl_uint = 0x1026;
pub const CL_DEVICE_AVAILABLE: cl_uint = 0x1027;
pub const CL_DEVICE_COMPILER_AVAILABLE: cl_uint = 0x1028;
pub const CL_DEVICE_EXECUTION_CAPABILITIES: cl_uint = 0x1029;
pub const CL_DEVICE_QUEUE_PROPERTIES: cl_uint = 0x102a;
pub const CL_DEVICE_QUEUE_ON_HOST_PROPERTIES: cl_uint = 0x102a;
pub const CL_DEVICE_NAME: cl_uint = 0x102b;
pub const CL_DEVICE_VENDOR: cl_uint = 0x102c;
pub const CL_DRIVER_VERSION: cl_uint = 0x102d;
pub const CL_DEVICE_PROFILE: cl_uint = 0x102e;
pub const CL_DEVICE_VERSION: cl_uint = 0x102f;
pub const CL_DEVICE_EXTENSIONS: cl_uint = 0x1030;
pub const CL_DEVICE_PLATFORM: cl_uint = 0x1031;
pub const CL_DEVICE_DOUBLE_FP_CONFIG: cl_uint = 0x1032;
pub const CL_DEVICE_HALF_FP_CONFIG: cl_uint = 0x1033;
pub const CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF: cl_uint = 0x1034;
pub const CL_DEVICE_HOST_UNIFIED_MEMORY: cl_uint = 0x1035;
pub const CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR: cl_uint = 0x1036;
pub const CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT: cl_uint = 0x1037;
pub const CL_DEVICE_NATIVE_VECTOR_WIDTH_INT: cl_uint = 0x1038;
pub const CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG: cl_uint = 0x1039;
pub const CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT: cl_uint = 0x103a;
pub const CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE: cl_uint = 0x103b;
pub const CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF: cl_uint = 0x103c;
pub const CL_DEVICE_OPENCL_C_VERSION: cl_uint = 0x103d;
pub const CL_DEVICE_LINKER_AVAILABLE: cl_uint = 0x103e;
pub const CL_DEVICE_BUILT_IN_KERNELS: cl_uint = 0x103f;
pub const CL_DEVICE_IMAGE_MAX_BUFFER_SIZE: cl_uint = 0x1040;
pub const CL_DEVICE_IMAGE_MAX_ARRAY_SIZE: cl_uint = 0x1041;
pub const CL_DEVICE_PARENT_DEVICE: cl_uint = 0x1042;
pub const CL_DEVICE_PARTITION_MAX_SUB_DEVICES: cl_uint = 0x1043;
pub const CL_DEVICE_PARTITION_PROPERTIES: cl_uint = 0x1044;
pub const CL_DEVICE_PARTITION_AFFINITY_DOMAIN: cl_uint = 0x1045;
pub const CL_DEVICE_PARTITION_TYPE: cl_uint = 0x1046;
pub const CL_DEVICE_REFERENCE_COUNT: cl_uint = 0x1047;
pub const CL_DEVICE_PREFERRED_INTEROP_USER_SYNC: cl_uint = 0x1048;
pub const CL_DEVICE_PRINTF_BUFFER_SIZE: cl_uint = 0x1049;
pub const CL_DEVICE_IMAGE_PITCH_ALIGNMENT: cl_uint = 0x104a;
pub const CL_DEVICE_IMAGE_PITCH_ALIGNMENT_KHR: cl_uint = 0x104a;
pub const CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT: cl_uint = 0x104b;
pub const CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT_KHR: cl_uint = 0x104b;
pub const CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS: cl_uint = 0x104c;
pub const CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE: cl_uint = 0x104d;
pub const CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES: cl_uint = 0x104e;
pub const CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE: cl_uint = 0x104f;
pub const CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE: cl_uint = 0x1050;
pub const CL_DEVICE_MAX_ON_DEVICE_QUEUES: cl_uint = 0x1051;
pub const CL_DEVICE_MAX_ON_DEVICE_EVENTS: cl_uint = 0x1052;
pub const CL_DEVICE_SVM_CAPABILITIES: cl_uint = 0x1053;
pub const CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE: cl_uint = 0x1054;
pub const CL_DEVICE_MAX_PIPE_ARGS: cl_uint = 0x1055;
pub const CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS: cl_uint = 0x1056;
pub const CL_DEVICE_PIPE_MAX_PACKET_SIZE: cl_uint = 0x1057;
pub const CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT: cl_uint = 0x1058;
pub const CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT: cl_uint = 0x1059;
pub const CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT: cl_uint = 0x105a;
pub const CL_DEVICE_IL_VERSION: cl_uint = 0x105b;
pub const CL_DEVICE_IL_VERSION_KHR: cl_uint = 0x105b;
pub const CL_DEVICE_MAX_NUM_SUB_GROUPS: cl_uint = 0x105c;
pub const CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS: cl_uint = 0x105d;
pub const CL_DEVICE_NUMERIC_VERSION_KHR: cl_uint = 0x105e;
pub const CL_DEVICE_NUMERIC_VERSION: cl_uint = 0x105e;
pub const CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR: cl_uint = 0x105f;
pub const CL_DEVICE_EXTENSIONS_WITH_VERSION_KHR: cl_uint = 0x1060;
pub const CL_DEVICE_EXTENSIONS_WITH_VERSION: cl_uint = 0x1060;
pub const CL_DEVICE_ILS_WITH_VERSION_KHR: cl_uint = 0x1061;
pub const CL_DEVICE_ILS_WITH_VERSION: cl_uint = 0x1061;
pub const CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION_KHR: cl_uint = 0x1062;
pub const CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION: cl_uint = 0x1062;
pub const CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES: cl_uint = 0x1063;
pub const CL_DEVICE_ATOMIC_FENCE_CAPABILITIES: cl_uint = 0x1064;
pub const CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT: cl_uint = 0x1065;
pub const CL_DEVICE_OPENCL_C_ALL_VERSIONS: cl_uint = 0x1066;
pub const CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: cl_uint = 0x1067;
pub const CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT: cl_uint = 0x1068;
pub const CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT: cl_uint = 0x1069;
pub const CL_DEVICE_UUID_KHR: cl_uint = 0x106a;
pub const CL_DEVICE_UUID: cl_uint = 0x106a;
pub const CL_DRIVER_UUID_KHR: cl_uint = 0x106b;
pub const CL_DRIVER_UUID: cl_uint = 0x106b;
pub const CL_DEVICE_LUID_VALID_KHR: cl_uint = 0x106c;
pub const CL_DEVICE_LUID_VALID: cl_uint = 0x106c;
pub const CL_DEVICE_LUID_KHR: cl_uint = 0x106d;
pub const CL_DEVICE_LUID: cl_uint = 0x106d;
pub const CL_DEVICE_NODE_MASK_KHR: cl_uint = 0x106e;
pub const CL_DEVICE_NODE_MASK: cl_uint = 0x106e;
pub const CL_DEVICE_OPENCL_C_FEATURES: cl_uint = 0x106f;
pub const CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES: cl_uint = 0x1070;
pub const CL_DEVICE_PIPE_SUPPORT: cl_uint = 0x1071;
pub const CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED: cl_uint = 0x1072;
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR: cl_uint = 0x1073;
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES: cl_uint = 0x1073;
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR: cl_uint = 0x1074;
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT: cl_uint = 0x1074;
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR: cl_uint = 0x1075;
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED: cl_uint = 0x1075;
pub const CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR: cl_uint = 0x1076;
pub const CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR: cl_uint = 0x1077;
pub const CL_CONTEXT_REFERENCE_COUNT: cl_uint = 0x1080;
pub const CL_CONTEXT_DEVICES: cl_uint = 0x1081;
pub const CL_CONTEXT_PROPERTIES: cl_uint = 0x1082;
pub const CL_CONTEXT_NUM_DEVICES: cl_uint = 0x1083;
pub const CL_CONTEXT_PLATFORM: cl_uint = 0x1084;
pub const CL_CONTEXT_INTEROP_USER_SYNC: cl_uint = 0x1085;
pub const CL_DEVICE_PARTITION_EQUALLY: cl_uint = 0x1086;
pub const CL_DEVICE_PARTITION_BY_COUNTS: cl_uint = 0x1087;
pub const CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN: cl_uint = 0x1088;
pub const CL_QUEUE_CONTEXT: cl_uint = 0x1090;
pub const CL_QUEUE_DEVICE: cl_uint = 0x1091;
pub const CL_QUEUE_REFERENCE_COUNT: cl_uint = 0x1092;
pub const CL_QUEUE_PROPERTIES: cl_uint = 0x1093;
pub const CL_QUEUE_SIZE: cl_uint = 0x1094;
pub const CL_QUEUE_DEVICE_DEFAULT: cl_uint = 0x1095;
pub const CL_QUEUE_PRIORITY_KHR: cl_uint = 0x1096;
pub const CL_QUEUE_THROTTLE_KHR: cl_uint = 0x1097;
pub const CL_QUEUE_PROPERTIES_ARRAY: cl_uint = 0x1098;
pub const CL_R: cl_uint = 0x10b0;
pub const CL_A: cl_uint = 0x10b1;
pub const CL_RG: cl_uint = 0x10b2;
pub const CL_RA: cl_uint = 0x10b3;
pub const CL_RGB: cl_uint = 0x10b4;
pub const CL_RGBA: cl_uint = 0x10b5;
pub const CL_BGRA: cl_uint = 0x10b6;
pub const CL_ARGB: cl_uint = 0x10b7;
pub const CL_INTENSITY: cl_uint = 0x10b8;
pub const CL_LUMINANCE: cl_uint = 0x10b9;
pub const CL_Rx: cl_uint = 0x10ba;
pub const CL_RGx: cl_uint = 0x10bb;
pub const CL_RGBx: cl_uint = 0x10bc;
pub const CL_DEPTH: cl_uint = 0x10bd;
pub const CL_DEPTH_STENCIL: cl_uint = 0x10be;
pub const CL_sRGB: cl_uint = 0x10bf;
pub const CL_sRGBx: cl_uint = 0x10c0;
pub const CL_sRGBA: cl_uint = 0x10c1;
pub const CL_sBGRA: cl_uint = 0x10c2;
pub const CL_ABGR: cl_uint = 0x10c3;
pub const CL_SNORM_INT8: cl_uint = 0x10d0;
pub const CL_SNORM_INT16: cl_uint = 0x10d1;
pub const CL_UNORM_INT8: cl_uint = 0x10d2;
pub const CL_UNORM_INT16: cl_uint = 0x10d3;
pub const CL_UNORM_SHORT_565: cl_uint = 0x10d4;
pub const CL_UNORM_SHORT_555: cl_uint = 0x10d5;
pub const CL_UNORM_INT_101010: cl_uint = 0x10d6;
pub const CL_SIGNED_INT8: cl_uint = 0x10d7;
pub const CL_SIGNED_INT16: cl_uint = 0x10d8;
pub const CL_SIGNED_INT32: cl_uint = 0x10d9;
pub const CL_UNSIGNED_INT8: cl_uint = 0x10da;
pub const CL_UNSIGNED_INT16: cl_uint = 0x10db;
pub const CL_UNSIGNED_INT32: cl_uint = 0x10dc;
pub const CL_HALF_FLOAT: cl_uint = 0x10dd;
pub const CL_FLOAT: cl_uint = 0x10de;
pub const CL_UNORM_INT24: cl_uint = 0x10df;
pub const CL_UNORM_INT_101010_2: cl_uint = 0x10e0;
pub const CL_UNORM_INT10X6_EXT: cl_uint = 0x10e1;
pub const CL_UNSIGNED_INT_RAW10_EXT: cl_uint = 0x10e3;
pub const CL_UNSIGNED_INT_RAW12_EXT: cl_uint = 0x10e4;
pub const CL_UNORM_INT_2_101010_EXT: cl_uint = 0x10e5;
pub const CL_UNSIGNED_INT10X6_EXT: cl_uint = 0x10e6;
pub const CL_UNSIGNED_INT12X4_EXT: cl_uint = 0x10e7;
pub const CL_UNSIGNED_INT14X2_EXT: cl_uint = 0x10e8;
pub const CL_UNORM_INT12X4_EXT: cl_uint = 0x10e9;
pub const CL_UNORM_INT14X2_EXT: cl_uint = 0x10ea;
pub const CL_MEM_OBJECT_BUFFER: cl_uint = 0x10f0;
pub const CL_MEM_OBJECT_IMAGE2D: cl_uint = 0x10f1;
pub const CL_MEM_OBJECT_IMAGE3D: cl_uint = 0x10f2;
pub const CL_MEM_OBJECT_IMAGE2D_ARRAY: cl_uint = 0x10f3;
pub const CL_MEM_OBJECT_IMAGE1D: cl_uint = 0x10f4;
pub const CL_MEM_OBJECT_IMAGE1D_ARRAY: cl_uint = 0x10f5;
pub const CL_MEM_OBJECT_IMAGE1D_BUFFER: cl_uint = 0x10f6;
pub const CL_MEM_OBJECT_PIPE: cl_uint = 0x10f7;
pub const CL_MEM_TYPE: cl_uint = 0x1100;
pub const CL_MEM_FLAGS: cl_uint = 0x1101;
pub const CL_MEM_SIZE: cl_uint = 0x1102;
pub const CL_MEM_HOST_PTR: cl_uint = 0x1103;
pub const CL_MEM_MAP_COUNT: cl_uint = 0x1104;
pub const CL_MEM_REFERENCE_COUNT: cl_uint = 0x1105;
pub const CL_MEM_CONTEXT: cl_uint = 0x1106;
pub const CL_MEM_ASSOCIATED_MEMOBJECT: cl_uint = 0x1107;
pub const CL_MEM_OFFSET: cl_uint = 0x1108;
pub const CL_MEM_USES_SVM_POINTER: cl_uint = 0x1109;
pub const CL_MEM_PROPERTIES: cl_uint = 0x110a;
pub const CL_IMAGE_FORMAT: cl_uint = 0x1110;
pub const CL_IMAGE_ELEMENT_SIZE: cl_uint = 0x1111;
pub const CL_IMAGE_ROW_PITCH: cl_uint = 0x1112;
pub const CL_IMAGE_SLICE_PITCH: cl_uint = 0x1113;
pub const CL_IMAGE_WIDTH: cl_uint = 0x1114;
pub const CL_IMAGE_HEIGHT: cl_uint = 0x1115;
pub const CL_IMAGE_DEPTH: cl_uint = 0x1116;
pub const CL_IMAGE_ARRAY_SIZE: cl_uint = 0x1117;
pub const CL_IMAGE_BUFFER: cl_uint = 0x1118;
pub const CL_IMAGE_NUM_MIP_LEVELS: cl_uint = 0x1119;
pub const CL_IMAGE_NUM_SAMPLES: cl_uint = 0x111a;
pub const CL_PIPE_PACKET_SIZE: cl_uint = 0x1120;
pub const CL_PIPE_MAX_PACKETS: cl_uint = 0x1121;
pub const CL_PIPE_PROPERTIES: cl_uint = 0x1122;
pub const CL_ADDRESS_NONE: cl_uint = 0x1130;
pub const CL_ADDRESS_CLAMP_TO_EDGE: cl_uint = 0x1131;
pub const CL_ADDRESS_CLAMP: cl_uint = 0x1132;
pub const CL_ADDRESS_REPEAT: cl_uint = 0x1133;
pub const CL_ADDRESS_MIRRORED_REPEAT: cl_uint = 0x1134;
pub const CL_FILTER_NEAREST: cl_uint = 0x1140;
pub const CL_FILTER_LINEAR: cl_uint = 0x1141;
pub const CL_SAMPLER_REFERENCE_COUNT: cl_uint = 0x1150;
pub const CL_SAMPLER_CONTEXT: cl_uint = 0x1151;
pub const CL_SAMPLER_NORMALIZED_COORDS: cl_uint = 0x1152;
pub const CL_SAMPLER_ADDRESSING_MODE: cl_uint = 0x1153;
pub const CL_SAMPLER_FILTER_MODE: cl_uint = 0x1154;
pub const CL_SAMPLER_MIP_FILTER_MODE: cl_uint = 0x1155;
pub const CL_SAMPLER_MIP_FILTER_MODE_KHR: cl_uint = 0x1155;
pub const CL_SAMPLER_LOD_MIN: cl_uint = 0x1156;
pub const CL_SAMPLER_LOD_MIN_KHR: cl_uint = 0x1156;
pub const CL_SAMPLER_LOD_MAX: cl_uint = 0x1157;
pub const CL_SAMPLER_LOD_MAX_KHR: cl_uint = 0x1157;
pub const CL_SAMPLER_PROPERTIES: cl_uint = 0x1158;
pub const CL_PROGRAM_REFERENCE_COUNT: cl_uint = 0x1160;
pub const CL_PROGRAM_CONTEXT: cl_uint = 0x1161;
pub const CL_PROGRAM_NUM_DEVICES: cl_uint = 0x1162;
pub const CL_PROGRAM_DEVICES: cl_uint = 0x1163;
pub const CL_PROGRAM_SOURCE: cl_uint = 0x1164;
pub const CL_PROGRAM_BINARY_SIZES: cl_uint = 0x1165;
pub const CL_PROGRAM_BINARIES: cl_uint = 0x1166;
pub const CL_PROGRAM_NUM_KERNELS: cl_uint = 0x1167;
pub const CL_PROGRAM_KERNEL_NAMES: cl_uint = 0x1168;
pub const CL_PROGRAM_IL: cl_uint = 0x1169;
pub const CL_PROGRAM_IL_KHR: cl_uint = 0x1169;
pub const CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT: cl_uint = 0x116a;
pub const CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT: cl_uint = 0x116b;
pub const CL_PROGRAM_BUILD_STATUS: cl_uint = 0x1181;
pub const CL_PROGRAM_BUILD_OPTIONS: cl_uint = 0x1182;
pub const CL_PROGRAM_BUILD_LOG: cl_uint = 0x1183;
pub const CL_PROGRAM_BINARY_TYPE: cl_uint = 0x1184;
pub const CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE: cl_uint = 0x1185;
pub const CL_KERNEL_FUNCTION_NAME: cl_uint = 0x1190;
pub const CL_KERNEL_NUM_ARGS: cl_uint = 0x1191;
pub const CL_KERNEL_REFERENCE_COUNT: cl_uint = 0x1192;
pub const CL_KERNEL_CONTEXT: cl_uint = 0x1193;
pub const CL_KERNEL_PROGRAM: cl_uint = 0x1194;
pub const CL_KERNEL_ATTRIBUTES: cl_uint = 0x1195;
pub const CL_KERNEL_ARG_ADDRESS_QUALIFIER: cl_uint = 0x1196;
pub const CL_KERNEL_ARG_ACCESS_QUALIFIER: cl_uint = 0x1197;
pub const CL_KERNEL_ARG_TYPE_NAME: cl_uint = 0x1198;
pub const CL_KERNEL_ARG_TYPE_QUALIFIER: cl_uint = 0x1199;
pub const CL_KERNEL_ARG_NAME: cl_uint = 0x119a;
pub const CL_KERNEL_ARG_ADDRESS_GLOBAL: cl_uint = 0x119b;
pub const CL_KERNEL_ARG_ADDRESS_LOCAL: cl_uint = 0x119c;
pub const CL_KERNEL_ARG_ADDRESS_CONSTANT: cl_uint = 0x119d;
pub const CL_KERNEL_ARG_ADDRESS_PRIVATE: cl_uint = 0x119e;
pub const CL_KERNEL_ARG_ACCESS_READ_ONLY: cl_uint = 0x11a0;
pub const CL_KERNEL_ARG_ACCESS_WRITE_ONLY: cl_uint = 0x11a1;
pub const CL_KERNEL_ARG_ACCESS_READ_WRITE: cl_uint = 0x11a2;
pub const CL_KERNEL_ARG_ACCESS_NONE: cl_uint = 0x11a3;
pub const CL_KERNEL_WORK_GROUP_SIZE: cl_uint = 0x11b0;
pub const CL_KERNEL_COMPILE_WORK_GROUP_SIZE: cl_uint = 0x11b1;
pub const CL_KERNEL_LOCAL_MEM_SIZE: cl_uint = 0x11b2;
pub const CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: cl_uint = 0x11b3;
pub const CL_KERNEL_PRIVATE_MEM_SIZE: cl_uint = 0x11b4;
pub const CL_KERNEL_GLOBAL_WORK_SIZE: cl_uint = 0x11b5;
pub const CL_KERNEL_EXEC_INFO_SVM_PTRS: cl_uint = 0x11b6;
pub const CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM: cl_uint = 0x11b7;
pub const CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: cl_uint = 0x11b8;
pub const CL_KERNEL_MAX_NUM_SUB_GROUPS: cl_uint = 0x11b9;
pub const CL_KERNEL_COMPILE_NUM_SUB_GROUPS: cl_uint = 0x11ba;
pub const CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR: cl_uint = 0x11bb;
pub const CL_EVENT_COMMAND_QUEUE: cl_uint = 0x11d0;
pub const CL_EVENT_COMMAND_TYPE: cl_uint = 0x11d1;
pub const CL_EVENT_REFERENCE_COUNT: cl_uint = 0x11d2;
pub const CL_EVENT_COMMAND_EXECUTION_STATUS: cl_uint = 0x11d3;
pub const CL_EVENT_CONTEXT: cl_uint = 0x11d4;
pub const CL_COMMAND_NDRANGE_KERNEL: cl_uint = 0x11f0;
pub const CL_COMMAND_TASK: cl_uint = 0x11f1;
pub const CL_COMMAND_NATIVE_KERNEL: cl_uint = 0x11f2;
pub const CL_COMMAND_READ_BUFFER: cl_uint = 0x11f3;
pub const CL_COMMAND_WRITE_BUFFER: cl_uint = 0x11f4;
pub const CL_COMMAND_COPY_BUFFER: cl_uint = 0x11f5;
pub const CL_COMMAND_READ_IMAGE: cl_uint = 0x11f6;
pub const CL_COMMAND_WRITE_IMAGE: cl_uint = 0x11f7;
pub const CL_COMMAND_COPY_IMAGE: cl_uint = 0x11f8;
pub const CL_COMMAND_COPY_IMAGE_TO_BUFFER: cl_uint = 0x11f9;
pub const CL_COMMAND_COPY_BUFFER_TO_IMAGE: cl_uint = 0x11fa;
pub const CL_COMMAND_MAP_BUFFER: cl_uint = 0x11fb;
pub const CL_COMMAND_MAP_IMAGE: cl_uint = 0x11fc;
pub const CL_COMMAND_UNMAP_MEM_OBJECT: cl_uint = 0x11fd;
pub const CL_COMMAND_MARKER: cl_uint = 0x11fe;
pub const CL_COMMAND_ACQUIRE_GL_OBJECTS: cl_uint = 0x11ff;
pub const CL_COMMAND_RELEASE_GL_OBJECTS: cl_uint = 0x1200;
pub const CL_COMMAND_READ_BUFFER_RECT: cl_uint = 0x1201;
pub const CL_COMMAND_WRITE_BUFFER_RECT: cl_uint = 0x1202;
pub const CL_COMMAND_COPY_BUFFER_RECT: cl_uint = 0x1203;
pub const CL_COMMAND_USER: cl_uint = 0x1204;
pub const CL_COMMAND_BARRIER: cl_uint = 0x1205;
pub const CL_COMMAND_MIGRATE_MEM_OBJECTS: cl_uint = 0x1206;
pub const CL_COMMAND_FILL_BUFFER: cl_uint = 0x1207;
pub const CL_COMMAND_FILL_IMAGE: cl_uint = 0x1208;
pub const CL_COMMAND_SVM_FREE: cl_uint = 0x1209;
pub const CL_COMMAND_SVM_MEMCPY: cl_uint = 0x120a;
pub const CL_COMMAND_SVM_MEMFILL: cl_uint = 0x120b;
pub const CL_COMMAND_SVM_MAP: cl_uint = 0x120c;
pub const CL_COMMAND_SVM_UNMAP: cl_uint = 0x120d;
pub const CL_COMMAND_SVM_MIGRATE_MEM: cl_uint = 0x120e;
pub const CL_BUFFER_CREATE_TYPE_REGION: cl_uint = 0x1220;
pub const CL_PROFILING_COMMAND_QUEUED: cl_uint = 0x1280;
pub const CL_PROFILING_COMMAND_SUBMIT: cl_uint = 0x1281;
pub const CL_PROFILING_COMMAND_START: cl_uint = 0x1282;
pub const CL_PROFILING_COMMAND_END: cl_uint = 0x1283;
pub const CL_PROFILING_COMMAND_COMPLETE: cl_uint = 0x1284;
pub const CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT: cl_uint = 0x1290;
pub const CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT: cl_uint = 0x1291;
pub const CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT: cl_uint = 0x1292;
pub const CL_COMMAND_BUFFER_FLAGS_KHR: cl_uint = 0x1293;
pub const CL_COMMAND_BUFFER_QUEUES_KHR: cl_uint = 0x1294;
pub const CL_COMMAND_BUFFER_NUM_QUEUES_KHR: cl_uint = 0x1295;
pub const CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR: cl_uint = 0x1296;
pub const CL_COMMAND_BUFFER_STATE_KHR: cl_uint = 0x1297;
pub const CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR: cl_uint = 0x1298;
pub const CL_COMMAND_BUFFER_CONTEXT_KHR: cl_uint = 0x1299;
pub const CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR: cl_uint = 0x129a;
pub const CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR: cl_uint = 0x12a0;
pub const CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR: cl_uint = 0x12a1;
pub const CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR: cl_uint = 0x12a2;
pub const CL_MUTABLE_DISPATCH_KERNEL_KHR: cl_uint = 0x12a3;
pub const CL_MUTABLE_DISPATCH_DIMENSIONS_KHR: cl_uint = 0x12a4;
pub const CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR: cl_uint = 0x12a5;
pub const CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR: cl_uint = 0x12a6;
pub const CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR: cl_uint = 0x12a7;
pub const CL_COMMAND_COMMAND_BUFFER_KHR: cl_uint = 0x12a8;
pub const CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR: cl_uint = 0x12a9;
pub const CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR: cl_uint = 0x12aa;
pub const CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR: cl_uint = 0x12ab;
pub const CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR: cl_uint = 0x12ac;
pub const CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR: cl_uint = 0x12ad;
pub const CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR: cl_uint = 0x12b0;
pub const CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR: cl_uint = 0x12b1;
pub const CL_IMAGE_REQUIREMENTS_SIZE_EXT: cl_uint = 0x12b2;
pub const CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT: cl_uint = 0x12b3;
pub const CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT: cl_uint = 0x12b4;
pub const CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT: cl_uint = 0x12b5;
pub const CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT: cl_uint = 0x12b6;
pub const CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR: cl_uint = 0x12b7;
pub const CL_MUTABLE_DISPATCH_ASSERTS_KHR: cl_uint = 0x12b8;
pub const CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR: cl_uint = 0x12b9;
pub const CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS: cl_uint = 0x12b9;
pub const CL_DEVICE_SPIRV_EXTENSIONS_KHR: cl_uint = 0x12ba;
pub const CL_DEVICE_SPIRV_EXTENSIONS: cl_uint = 0x12ba;
pub const CL_DEVICE_SPIRV_CAPABILITIES_KHR: cl_uint = 0x12bb;
pub const CL_DEVICE_SPIRV_CAPABILITIES: cl_uint = 0x12bb;

// enums.2000
pub const CL_GL_OBJECT_BUFFER: cl_uint = 0x2000;
pub const CL_GL_OBJECT_TEXTURE2D: cl_uint = 0x2001;
pub const CL_GL_OBJECT_TEXTURE3D: cl_uint = 0x2002;
pub const CL_GL_OBJECT_RENDERBUFFER: cl_uint = 0x2003;
pub const CL_GL_TEXTURE_TARGET: cl_uint = 0x2004;
pub const CL_GL_MIPMAP_LEVEL: cl_uint = 0x2005;
pub const CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR: cl_uint = 0x2006;
pub const CL_DEVICES_FOR_GL_CONTEXT_KHR: cl_uint = 0x2007;
pub const CL_GL_CONTEXT_KHR: cl_uint = 0x2008;
pub const CL_EGL_DISPLAY_KHR: cl_uint = 0x2009;
pub const CL_GLX_DISPLAY_KHR: cl_uint = 0x200a;
pub const CL_WGL_HDC_KHR: cl_uint = 0x200b;
pub const CL_CGL_SHAREGROUP_KHR: cl_uint = 0x200c;
pub const CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR: cl_uint = 0x200d;
pub const CL_GL_OBJECT_TEXTURE2D_ARRAY: cl_uint = 0x200e;
pub const CL_GL_OBJECT_TEXTURE1D: cl_uint = 0x200f;
pub const CL_GL_OBJECT_TEXTURE1D_ARRAY: cl_uint = 0x2010;
pub const CL_GL_OBJECT_TEXTURE_BUFFER: cl_uint = 0x2011;
pub const CL_GL_NUM_SAMPLES: cl_uint = 0x2012;
pub const CL_ADAPTER_D3D9_KHR: cl_uint = 0x2020;
pub const CL_ADAPTER_D3D9EX_KHR: cl_uint = 0x2021;
pub const CL_ADAPTER_DXVA_KHR: cl_uint = 0x2022;
pub const CL_PREFERRED_DEVICES_FOR_DX9_MEDIA_ADAPTER_KHR: cl_uint = 0x2023;
pub const CL_ALL_DEVICES_FOR_DX9_MEDIA_ADAPTER_KHR: cl_uint = 0x2024;
pub const CL_CONTEXT_ADAPTER_D3D9_KHR: cl_uint = 0x2025;
pub const CL_CONTEXT_ADAPTER_D3D9EX_KHR: cl_uint = 0x2026;
pub const CL_CONTEXT_ADAPTER_DXVA_KHR: cl_uint = 0x2027;
pub const CL_MEM_DX9_MEDIA_ADAPTER_TYPE_KHR: cl_uint = 0x2028;
pub const CL_MEM_DX9_MEDIA_SURFACE_INFO_KHR: cl_uint = 0x2029;
pub const CL_IMAGE_DX9_MEDIA_PLANE_KHR: cl_uint = 0x202a;
pub const CL_COMMAND_ACQUIRE_DX9_MEDIA_SURFACES_KHR: cl_uint = 0x202b;
pub const CL_COMMAND_RELEASE_DX9_MEDIA_SURFACES_KHR: cl_uint = 0x202c;
pub const CL_COMMAND_ACQUIRE_EGL_OBJECTS_KHR: cl_uint = 0x202d;
pub const CL_COMMAND_RELEASE_EGL_OBJECTS_KHR: cl_uint = 0x202e;
pub const CL_COMMAND_EGL_FENCE_SYNC_OBJECT_KHR: cl_uint = 0x202f;
pub const CL_CONTEXT_MEMORY_INITIALIZE_KHR: cl_uint = 0x2030;
pub const CL_DEVICE_TERMINATE_CAPABILITY_KHR: cl_uint = 0x2031;
pub const CL_CONTEXT_TERMINATE_KHR: cl_uint = 0x2032;
pub const CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE: cl_uint = 0x2033;
pub const CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE_KHR: cl_uint = 0x2033;
pub const CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE: cl_uint = 0x2034;
pub const CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR: cl_uint = 0x2034;
pub const CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR: cl_uint = 0x2035;
pub const CL_PLATFORM_SEMAPHORE_TYPES_KHR: cl_uint = 0x2036;
pub const CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR: cl_uint = 0x2037;
pub const CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR: cl_uint = 0x2038;
pub const CL_SEMAPHORE_CONTEXT_KHR: cl_uint = 0x2039;
pub const CL_SEMAPHORE_REFERENCE_COUNT_KHR: cl_uint = 0x203a;
pub const CL_SEMAPHORE_PROPERTIES_KHR: cl_uint = 0x203b;
pub const CL_SEMAPHORE_PAYLOAD_KHR: cl_uint = 0x203c;
pub const CL_SEMAPHORE_TYPE_KHR: cl_uint = 0x203d;
pub const CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR: cl_uint = 0x203f;
pub const CL_COMMAND_SEMAPHORE_WAIT_KHR: cl_uint = 0x2042;
pub const CL_COMMAND_SEMAPHORE_SIGNAL_KHR: cl_uint = 0x2043;
pub const CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR: cl_uint = 0x2044;
pub const CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR: cl_uint = 0x2047;
pub const CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR: cl_uint = 0x2048;
pub const CL_DEVICE_SEMAPHORE_TYPES_KHR: cl_uint = 0x204c;
pub const CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR: cl_uint = 0x204d;
pub const CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR: cl_uint = 0x204e;
pub const CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR: cl_uint = 0x204f;
pub const CL_MEM_DEVICE_HANDLE_LIST_KHR: cl_uint = 0x2051;
pub const CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR: cl_uint = 0x2052;
pub const CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR: cl_uint = 0x2053;
pub const CL_SEMAPHORE_EXPORTABLE_KHR: cl_uint = 0x2054;
pub const CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR: cl_uint = 0x2055;
pub const CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KHR: cl_uint = 0x2056;
pub const CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KMT_KHR: cl_uint = 0x2057;
pub const CL_SEMAPHORE_HANDLE_SYNC_FD_KHR: cl_uint = 0x2058;
pub const CL_SEMAPHORE_HANDLE_D3D12_FENCE_KHR: cl_uint = 0x2059;
pub const CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR: cl_uint = 0x2060;
pub const CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KHR: cl_uint = 0x2061;
pub const CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KMT_KHR: cl_uint = 0x2062;
pub const CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR: cl_uint = 0x2067;
pub const CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_NAME_KHR: cl_uint = 0x2068;
pub const CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_NAME_KHR: cl_uint = 0x2069;
pub const CL_EXTERNAL_MEMORY_HANDLE_ANDROID_HARDWARE_BUFFER_KHR: cl_uint = 0x2070;
pub const CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR: cl_uint = 0x2078;
pub const CL_SVM_ALLOC_ACCESS_FLAGS_KHR: cl_uint = 0x2079;
pub const CL_SVM_ALLOC_ALIGNMENT_KHR: cl_uint = 0x207a;
pub const CL_SVM_INFO_TYPE_INDEX_KHR: cl_uint = 0x2088;
pub const CL_SVM_INFO_CAPABILITIES_KHR: cl_uint = 0x2089;
pub const CL_SVM_INFO_PROPERTIES_KHR: cl_uint = 0x208a;
pub const CL_SVM_INFO_ACCESS_FLAGS_KHR: cl_uint = 0x208b;

// enums.4000
pub const CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV: cl_uint = 0x4000;
pub const CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV: cl_uint = 0x4001;
pub const CL_DEVICE_REGISTERS_PER_BLOCK_NV: cl_uint = 0x4002;
pub const CL_DEVICE_WARP_SIZE_NV: cl_uint = 0x4003;
pub const CL_DEVICE_GPU_OVERLAP_NV: cl_uint = 0x4004;
pub const CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV: cl_uint = 0x4005;
pub const CL_DEVICE_INTEGRATED_MEMORY_NV: cl_uint = 0x4006;

// enums.4010
pub const CL_D3D10_DEVICE_KHR: cl_uint = 0x4010;
pub const CL_D3D10_DXGI_ADAPTER_KHR: cl_uint = 0x4011;
pub const CL_PREFERRED_DEVICES_FOR_D3D10_KHR: cl_uint = 0x4012;
pub const CL_ALL_DEVICES_FOR_D3D10_KHR: cl_uint = 0x4013;
pub const CL_CONTEXT_D3D10_DEVICE_KHR: cl_uint = 0x4014;
pub const CL_MEM_D3D10_RESOURCE_KHR: cl_uint = 0x4015;
pub const CL_IMAGE_D3D10_SUBRESOURCE_KHR: cl_uint = 0x4016;
pub const CL_COMMAND_ACQUIRE_D3D10_OBJECTS_KHR: cl_uint = 0x4017;
pub const CL_COMMAND_RELEASE_D3D10_OBJECTS_KHR: cl_uint = 0x4018;
pub const CL_D3D11_DEVICE_KHR: cl_uint = 0x4019;
pub const CL_D3D11_DXGI_ADAPTER_KHR: cl_uint = 0x401a;
pub const CL_PREFERRED_DEVICES_FOR_D3D11_KHR: cl_uint = 0x401b;
pub const CL_ALL_DEVICES_FOR_D3D11_KHR: cl_uint = 0x401c;
pub const CL_CONTEXT_D3D11_DEVICE_KHR: cl_uint = 0x401d;
pub const CL_MEM_D3D11_RESOURCE_KHR: cl_uint = 0x401e;
pub const CL_IMAGE_D3D11_SUBRESOURCE_KHR: cl_uint = 0x401f;
pub const CL_COMMAND_ACQUIRE_D3D11_OBJECTS_KHR: cl_uint = 0x4020;
pub const CL_COMMAND_RELEASE_D3D11_OBJECTS_KHR: cl_uint = 0x4021;
pub const CL_D3D9_DEVICE_INTEL: cl_uint = 0x4022;
pub const CL_PREFERRED_DEVICES_FOR_DX9_INTEL: cl_uint = 0x4024;
pub const CL_ALL_DEVICES_FOR_DX9_INTEL: cl_uint = 0x4025;
pub const CL_CONTEXT_D3D9_DEVICE_INTEL: cl_uint = 0x4026;
pub const CL_MEM_DX9_RESOURCE_INTEL: cl_uint = 0x4027;
pub const CL_COMMAND_ACQUIRE_DX9_OBJECTS_INTEL: cl_uint = 0x402a;
pub const CL_COMMAND_RELEASE_DX9_OBJECTS_INTEL: cl_uint = 0x402b;
pub const CL_COMMAND_ACQUIRE_D3D9_OBJECTS_INTEL: cl_uint = 0x402a;
pub const CL_COMMAND_RELEASE_D3D9_OBJECTS_INTEL: cl_uint = 0x402b;
pub const CL_CONTEXT_D3D10_PREFER_SHARED_RESOURCES_KHR: cl_uint = 0x402c;
pub const CL_CONTEXT_D3D11_PREFER_SHARED_RESOURCES_KHR: cl_uint = 0x402d;

// enums.4030
pub const CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_AMD: cl_uint = 0x4030;
pub const CL_DEVICE_MAX_WORK_GROUP_SIZE_AMD: cl_uint = 0x4031;
pub const CL_DEVICE_PREFERRED_CONSTANT_BUFFER_SIZE_AMD: cl_uint = 0x4033;
pub const CL_DEVICE_PCIE_ID_AMD: cl_uint = 0x4034;
pub const CL_DEVICE_PROFILING_TIMER_OFFSET_AMD: cl_uint = 0x4036;
pub const CL_DEVICE_TOPOLOGY_AMD: cl_uint = 0x4037;
pub const CL_DEVICE_BOARD_NAME_AMD: cl_uint = 0x4038;
pub const CL_DEVICE_GLOBAL_FREE_MEMORY_AMD: cl_uint = 0x4039;

// enums.4040
pub const CL_COMMAND_MIGRATE_MEM_OBJECT_EXT: cl_uint = 0x4040;
pub const CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD: cl_uint = 0x4040;
pub const CL_DEVICE_SIMD_WIDTH_AMD: cl_uint = 0x4041;
pub const CL_DEVICE_SIMD_INSTRUCTION_WIDTH_AMD: cl_uint = 0x4042;
pub const CL_DEVICE_WAVEFRONT_WIDTH_AMD: cl_uint = 0x4043;
pub const CL_DEVICE_GLOBAL_MEM_CHANNELS_AMD: cl_uint = 0x4044;
pub const CL_DEVICE_GLOBAL_MEM_CHANNEL_BANKS_AMD: cl_uint = 0x4045;
pub const CL_DEVICE_GLOBAL_MEM_CHANNEL_BANK_WIDTH_AMD: cl_uint = 0x4046;
pub const CL_DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD: cl_uint = 0x4047;
pub const CL_DEVICE_LOCAL_MEM_BANKS_AMD: cl_uint = 0x4048;
pub const CL_DEVICE_THREAD_TRACE_SUPPORTED_AMD: cl_uint = 0x4049;
pub const CL_DEVICE_GFXIP_MAJOR_AMD: cl_uint = 0x404a;
pub const CL_DEVICE_GFXIP_MINOR_AMD: cl_uint = 0x404b;
pub const CL_DEVICE_AVAILABLE_ASYNC_QUEUES_AMD: cl_uint = 0x404c;

// enums.4050
pub const CL_DEVICE_PARTITION_EQUALLY_EXT: cl_uint = 0x4050;
pub const CL_DEVICE_PARTITION_BY_COUNTS_EXT: cl_uint = 0x4051;
pub const CL_DEVICE_PARTITION_BY_NAMES_EXT: cl_uint = 0x4052;
pub const CL_DEVICE_PARTITION_BY_NAMES_INTEL: cl_uint = 0x4052;
pub const CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT: cl_uint = 0x4053;
pub const CL_DEVICE_PARENT_DEVICE_EXT: cl_uint = 0x4054;
pub const CL_DEVICE_PARTITION_TYPES_EXT: cl_uint = 0x4055;
pub const CL_DEVICE_AFFINITY_DOMAINS_EXT: cl_uint = 0x4056;
pub const CL_DEVICE_REFERENCE_COUNT_EXT: cl_uint = 0x4057;
pub const CL_DEVICE_PARTITION_STYLE_EXT: cl_uint = 0x4058;

// enums.4070
pub const CL_D3D9EX_DEVICE_INTEL: cl_uint = 0x4070;
pub const CL_DXVA_DEVICE_INTEL: cl_uint = 0x4071;
pub const CL_CONTEXT_D3D9EX_DEVICE_INTEL: cl_uint = 0x4072;
pub const CL_CONTEXT_DXVA_DEVICE_INTEL: cl_uint = 0x4073;
pub const CL_MEM_DX9_SHARED_HANDLE_INTEL: cl_uint = 0x4074;
pub const CL_IMAGE_DX9_PLANE_INTEL: cl_uint = 0x4075;
pub const CL_YUYV_INTEL: cl_uint = 0x4076;
pub const CL_UYVY_INTEL: cl_uint = 0x4077;
pub const CL_YVYU_INTEL: cl_uint = 0x4078;
pub const CL_VYUY_INTEL: cl_uint = 0x4079;
pub const CL_DEVICE_ME_VERSION_INTEL: cl_uint = 0x407e;

// enums.4090
pub const CL_ACCELERATOR_DESCRIPTOR_INTEL: cl_uint = 0x4090;
pub const CL_ACCELERATOR_REFERENCE_COUNT_INTEL: cl_uint = 0x4091;
pub const CL_ACCELERATOR_CONTEXT_INTEL: cl_uint = 0x4092;
pub const CL_ACCELERATOR_TYPE_INTEL: cl_uint = 0x4093;
pub const CL_VA_API_DISPLAY_INTEL: cl_uint = 0x4094;
pub const CL_PREFERRED_DEVICES_FOR_VA_API_INTEL: cl_uint = 0x4095;
pub const CL_ALL_DEVICES_FOR_VA_API_INTEL: cl_uint = 0x4096;
pub const CL_CONTEXT_VA_API_DISPLAY_INTEL: cl_uint = 0x4097;
pub const CL_MEM_VA_API_MEDIA_SURFACE_INTEL: cl_uint = 0x4098;
pub const CL_IMAGE_VA_API_PLANE_INTEL: cl_uint = 0x4099;
pub const CL_COMMAND_ACQUIRE_VA_API_MEDIA_SURFACES_INTEL: cl_uint = 0x409a;
pub const CL_COMMAND_RELEASE_VA_API_MEDIA_SURFACES_INTEL: cl_uint = 0x409b;

// enums.40A0
pub const CL_DEVICE_EXT_MEM_PADDING_IN_BYTES_QCOM: cl_uint = 0x40a0;
pub const CL_DEVICE_PAGE_SIZE_QCOM: cl_uint = 0x40a1;
pub const CL_IMAGE_ROW_ALIGNMENT_QCOM: cl_uint = 0x40a2;
pub const CL_IMAGE_SLICE_ALIGNMENT_QCOM: cl_uint = 0x40a3;
pub const CL_MEM_HOST_UNCACHED_QCOM: cl_uint = 0x40a4;
pub const CL_MEM_HOST_WRITEBACK_QCOM: cl_uint = 0x40a5;
pub const CL_MEM_HOST_WRITETHROUGH_QCOM: cl_uint = 0x40a6;
pub const CL_MEM_HOST_WRITE_COMBINING_QCOM: cl_uint = 0x40a7;
pub const CL_MEM_ION_HOST_PTR_QCOM: cl_uint = 0x40a8;
pub const CL_MEM_HOST_IOCOHERENT_QCOM: cl_uint = 0x40a9;

// enums.40B0
pub const CL_PRINTF_CALLBACK_ARM: cl_uint = 0x40b0;
pub const CL_PRINTF_BUFFERSIZE_ARM: cl_uint = 0x40b1;
pub const CL_IMPORT_TYPE_ARM: cl_uint = 0x40b2;
pub const CL_IMPORT_TYPE_HOST_ARM: cl_uint = 0x40b3;
pub const CL_IMPORT_TYPE_DMA_BUF_ARM: cl_uint = 0x40b4;
pub const CL_IMPORT_TYPE_PROTECTED_ARM: cl_uint = 0x40b5;
pub const CL_DEVICE_SVM_CAPABILITIES_ARM: cl_uint = 0x40b6;
pub const CL_MEM_USES_SVM_POINTER_ARM: cl_uint = 0x40b7;
pub const CL_KERNEL_EXEC_INFO_SVM_PTRS_ARM: cl_uint = 0x40b8;
pub const CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM_ARM: cl_uint = 0x40b9;
pub const CL_COMMAND_SVM_FREE_ARM: cl_uint = 0x40ba;
pub const CL_COMMAND_SVM_MEMCPY_ARM: cl_uint = 0x40bb;
pub const CL_COMMAND_SVM_MEMFILL_ARM: cl_uint = 0x40bc;
pub const CL_COMMAND_SVM_MAP_ARM: cl_uint = 0x40bd;
pub const CL_COMMAND_SVM_UNMAP_ARM: cl_uint = 0x40be;
pub const CL_DEVICE_COMPUTE_UNITS_BITFIELD_ARM: cl_uint = 0x40bf;

// enums.40C0
pub const CL_CONTEXT_PERF_HINT_QCOM: cl_uint = 0x40c2;
pub const CL_PERF_HINT_HIGH_QCOM: cl_uint = 0x40c3;
pub const CL_PERF_HINT_NORMAL_QCOM: cl_uint = 0x40c4;
pub const CL_PERF_HINT_LOW_QCOM: cl_uint = 0x40c5;
pub const CL_MEM_ANDROID_NATIVE_BUFFER_HOST_PTR_QCOM: cl_uint = 0x40c6;

// enums.40D0
pub const CL_NV21: cl_uint = 0x40d0;
pub const CL_NV21_IMG: cl_uint = 0x40d0;
pub const CL_YV12: cl_uint = 0x40d1;
pub const CL_YV12_IMG: cl_uint = 0x40d1;
pub const CL_COMMAND_ACQUIRE_GRALLOC_OBJECTS_IMG: cl_uint = 0x40d2;
pub const CL_COMMAND_RELEASE_GRALLOC_OBJECTS_IMG: cl_uint = 0x40d3;
pub const CL_GRALLOC_RESOURCE_NOT_ACQUIRED_IMG: cl_uint = 0x40d4;
pub const CL_INVALID_GRALLOC_OBJECT_IMG: cl_uint = 0x40d5;
pub const CL_COMMAND_GENERATE_MIPMAP_IMG: cl_uint = 0x40d6;
pub const CL_MEM_ALLOC_FLAGS_IMG: cl_uint = 0x40d7;
pub const CL_DEVICE_MEMORY_CAPABILITIES_IMG: cl_uint = 0x40d8;
pub const CL_CONTEXT_SAFETY_PROPERTIES_IMG: cl_uint = 0x40d9;
pub const CL_DEVICE_WORKGROUP_PROTECTION_SVM_CAPABILITIES_IMG: cl_uint = 0x40da;
pub const CL_DEVICE_WORKGROUP_PROTECTION_DEVICE_ENQUEUE_CAPABILITIES_IMG: cl_uint = 0x40db;
pub const CL_DEVICE_SAFETY_MEM_SIZE_IMG: cl_uint = 0x40dc;
pub const CL_ECC_RECOVERED_IMG: cl_uint = 0x40dd;

// enums.40E0
pub const CL_DEVICE_SPIR_VERSIONS: cl_uint = 0x40e0;
pub const CL_PROGRAM_BINARY_TYPE_INTERMEDIATE: cl_uint = 0x40e1;

// enums.4100
pub const CL_DEVICE_SIMULTANEOUS_INTEROPS_INTEL: cl_uint = 0x4104;
pub const CL_DEVICE_NUM_SIMULTANEOUS_INTEROPS_INTEL: cl_uint = 0x4105;
pub const CL_CONTEXT_SHOW_DIAGNOSTICS_INTEL: cl_uint = 0x4106;
pub const CL_EGL_YUV_PLANE_INTEL: cl_uint = 0x4107;
pub const CL_DEVICE_SUB_GROUP_SIZES_INTEL: cl_uint = 0x4108;
pub const CL_KERNEL_SPILL_MEM_SIZE_INTEL: cl_uint = 0x4109;
pub const CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL: cl_uint = 0x410a;
pub const CL_DEVICE_AVC_ME_VERSION_INTEL: cl_uint = 0x410b;
pub const CL_DEVICE_AVC_ME_SUPPORTS_TEXTURE_SAMPLER_USE_INTEL: cl_uint = 0x410c;
pub const CL_DEVICE_AVC_ME_SUPPORTS_PREEMPTION_INTEL: cl_uint = 0x410d;
pub const CL_NV12_INTEL: cl_uint = 0x410e;
pub const CL_DEVICE_PCI_BUS_INFO_KHR: cl_uint = 0x410f;

// enums.4170
pub const CL_DEVICE_PLANAR_YUV_MAX_WIDTH_INTEL: cl_uint = 0x417e;
pub const CL_DEVICE_PLANAR_YUV_MAX_HEIGHT_INTEL: cl_uint = 0x417f;

// enums.4180
pub const CL_DEVICE_QUEUE_FAMILY_PROPERTIES_INTEL: cl_uint = 0x418b;
pub const CL_QUEUE_FAMILY_INTEL: cl_uint = 0x418c;
pub const CL_QUEUE_INDEX_INTEL: cl_uint = 0x418d;

// enums.4190
pub const CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL: cl_uint = 0x4190;
pub const CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL: cl_uint = 0x4191;
pub const CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL: cl_uint = 0x4192;
pub const CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL: cl_uint = 0x4193;
pub const CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL: cl_uint = 0x4194;
pub const CL_MEM_ALLOC_FLAGS_INTEL: cl_uint = 0x4195;
pub const CL_MEM_TYPE_UNKNOWN_INTEL: cl_uint = 0x4196;
pub const CL_MEM_TYPE_HOST_INTEL: cl_uint = 0x4197;
pub const CL_MEM_TYPE_DEVICE_INTEL: cl_uint = 0x4198;
pub const CL_MEM_TYPE_SHARED_INTEL: cl_uint = 0x4199;
pub const CL_MEM_ALLOC_TYPE_INTEL: cl_uint = 0x419a;
pub const CL_MEM_ALLOC_BASE_PTR_INTEL: cl_uint = 0x419b;
pub const CL_SVM_INFO_BASE_PTR_KHR: cl_uint = 0x419b;
pub const CL_MEM_ALLOC_SIZE_INTEL: cl_uint = 0x419c;
pub const CL_SVM_INFO_SIZE_KHR: cl_uint = 0x419c;
pub const CL_MEM_ALLOC_DEVICE_INTEL: cl_uint = 0x419d;
pub const CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR: cl_uint = 0x419d;
pub const CL_MEM_ALLOC_BUFFER_LOCATION_INTEL: cl_uint = 0x419e;

// enums.41E0
pub const CL_DEVICE_JOB_SLOTS_ARM: cl_uint = 0x41e0;
pub const CL_QUEUE_JOB_SLOT_ARM: cl_uint = 0x41e1;
pub const CL_IMPORT_TYPE_ANDROID_HARDWARE_BUFFER_ARM: cl_uint = 0x41e2;
pub const CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM: cl_uint = 0x41e3;
pub const CL_DEVICE_SCHEDULING_CONTROLS_CAPABILITIES_ARM: cl_uint = 0x41e4;
pub const CL_KERNEL_EXEC_INFO_WORKGROUP_BATCH_SIZE_ARM: cl_uint = 0x41e5;
pub const CL_KERNEL_EXEC_INFO_WORKGROUP_BATCH_SIZE_MODIFIER_ARM: cl_uint = 0x41e6;
pub const CL_QUEUE_KERNEL_BATCHING_ARM: cl_uint = 0x41e7;
pub const CL_KERNEL_EXEC_INFO_WARP_COUNT_LIMIT_ARM: cl_uint = 0x41e8;
pub const CL_KERNEL_MAX_WARP_COUNT_ARM: cl_uint = 0x41e9;
pub const CL_DEVICE_MAX_WARP_COUNT_ARM: cl_uint = 0x41ea;
pub const CL_DEVICE_SUPPORTED_REGISTER_ALLOCATIONS_ARM: cl_uint = 0x41eb;
pub const CL_QUEUE_DEFERRED_FLUSH_ARM: cl_uint = 0x41ec;
pub const CL_EVENT_COMMAND_TERMINATION_REASON_ARM: cl_uint = 0x41ed;
pub const CL_DEVICE_CONTROLLED_TERMINATION_CAPABILITIES_ARM: cl_uint = 0x41ee;
pub const CL_IMPORT_ANDROID_HARDWARE_BUFFER_PLANE_INDEX_ARM: cl_uint = 0x41ef;
pub const CL_IMPORT_ANDROID_HARDWARE_BUFFER_LAYER_INDEX_ARM: cl_uint = 0x41f0;
pub const CL_KERNEL_EXEC_INFO_COMPUTE_UNIT_MAX_QUEUED_BATCHES_ARM: cl_uint = 0x41f1;
pub const CL_QUEUE_COMPUTE_UNIT_LIMIT_ARM: cl_uint = 0x41f3;

// enums.4200
pub const CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL: cl_uint = 0x4200;
pub const CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL: cl_uint = 0x4201;
pub const CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL: cl_uint = 0x4202;
pub const CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL: cl_uint = 0x4203;
pub const CL_COMMAND_MEMFILL_INTEL: cl_uint = 0x4204;
pub const CL_COMMAND_MEMCPY_INTEL: cl_uint = 0x4205;
pub const CL_COMMAND_MIGRATEMEM_INTEL: cl_uint = 0x4206;
pub const CL_COMMAND_MEMADVISE_INTEL: cl_uint = 0x4207;

// enums.4210
pub const CL_KERNEL_ARG_HOST_ACCESSIBLE_PIPE_INTEL: cl_uint = 0x4210;
pub const CL_DEVICE_MAX_HOST_READ_PIPES_INTEL: cl_uint = 0x4211;
pub const CL_DEVICE_MAX_HOST_WRITE_PIPES_INTEL: cl_uint = 0x4212;
pub const CL_MEM_CHANNEL_INTEL: cl_uint = 0x4213;
pub const CL_COMMAND_READ_HOST_PIPE_INTEL: cl_uint = 0x4214;
pub const CL_COMMAND_WRITE_HOST_PIPE_INTEL: cl_uint = 0x4215;
pub const CL_PROGRAM_NUM_HOST_PIPES_INTEL: cl_uint = 0x4216;
pub const CL_PROGRAM_HOST_PIPE_NAMES_INTEL: cl_uint = 0x4217;
pub const CL_MEM_LOCALLY_UNCACHED_RESOURCE_INTEL: cl_uint = 0x4218;
pub const CL_MEM_DEVICE_ID_INTEL: cl_uint = 0x4219;

// enums.4220
pub const CL_SVM_ALLOC_EXTERNAL_MEMORY_DMA_BUF_VIRTUAL_ADDRESS_IMG: cl_uint = 0x4220;
pub const CL_SVM_ALLOC_EXTERNAL_MEMORY_DMA_BUF_IMG: cl_uint = 0x4221;
pub const CL_DEVICE_SCHEDULING_CONTROLS_CAPABILITIES_IMG: cl_uint = 0x4222;
pub const CL_COMMAND_QUEUE_SCHEDULING_WORK_GROUP_SCHEDULING_ALGORITHM_IMG: cl_uint = 0x4223;
pub const CL_COMMAND_QUEUE_SCHEDULING_WORK_GROUP_ARBITRATION_ALGORITHM_IMG: cl_uint = 0x4224;
pub const CL_COMMAND_QUEUE_SCHEDULING_WORK_GROUP_SCHEDULING_ALGORITHM_LINEAR_ORDER_IMG: cl_uint = 0x4225;
pub const CL_COMMAND_QUEUE_SCHEDULING_WORK_GROUP_SCHEDULING_ALGORITHM_MORTON_ORDER_IMG: cl_uint = 0x4226;
pub const CL_COMMAND_QUEUE_SCHEDULING_WORK_GROUP_SCHEDULING_ALGORITHM_TWOD_MORTON_ORDER_IMG: cl_uint = 0x4227;
pub const CL_COMMAND_QUEUE_SCHEDULING_WORK_GROUP_SCHEDULING_ALGORITHM_THREED_MORTON_ORDER_IMG: cl_uint =
    0x4228;
pub const CL_COMMAND_QUEUE_SCHEDULING_WORK_GROUP_ARBITRATION_ALGORITHM_TASK_DEMAND_IMG: cl_uint = 0x4229;
pub const CL_COMMAND_QUEUE_SCHEDULING_WORK_GROUP_ARBITRATION_ALGORITHM_ROUND_ROBIN_IMG: cl_uint = 0x422a;
pub const CL_COMMAND_QUEUE_SCHEDULING_WORK_GROUP_EXECUTE_COUNT_IMG: cl_uint = 0x422b;

// enums.4230
pub const CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT: cl_uint = 0x4230;
pub const CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT: cl_uint = 0x4231;
pub const CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT: cl_uint = 0x4232;
pub const CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT: cl_uint = 0x4233;

// enums.4240
pub const CL_LAYER_API_VERSION: cl_uint = 0x4240;
pub const CL_LAYER_NAME: cl_uint = 0x4241;

// cl_icdl_info
pub const CL_ICDL_OCL_VERSION: cl_uint = 1;
pub const CL_ICDL_VERSION: cl_uint = 2;
pub const CL_ICDL_NAME: cl_uint = 3;
pub const CL_ICDL_VENDOR: cl_uint = 4;

// enums.4250
pub const CL_DEVICE_IP_VERSION_INTEL: cl_uint = 0x4250;
pub const CL_DEVICE_ID_INTEL: cl_uint = 0x4251;
pub const CL_DEVICE_NUM_SLICES_INTEL: cl_uint = 0x4252;
pub const CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL: cl_uint = 0x4253;
pub const CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL: cl_uint = 0x4254;
pub const CL_DEVICE_NUM_THREADS_PER_EU_INTEL: cl_uint = 0x4255;
pub const CL_DEVICE_FEATURE_CAPABILITIES_INTEL: cl_uint = 0x4256;
pub const CL_KERNEL_ALLOCATIONS_INFO_INTEL: cl_uint = 0x425a;

// enums.5000
pub const CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT: cl_uint = 0x5000;
pub const CL_MEM_DEVICE_ADDRESS_EXT: cl_uint = 0x5001;
pub const CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT: cl_uint = 0x5002;
