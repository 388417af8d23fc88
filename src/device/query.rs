//! clGetDeviceInfo: every core query of OpenCL 3.1 and the queries of the reported extensions, answered from
//! [`DeviceInfo`](super::info::DeviceInfo). Missing features are reported absent as the specification
//! provides: CL_FALSE, 0 or an empty list.

use super::compiler::{clang_available, compiler_available};
use super::info::{AddressSharing, NvidiaFacts};
use super::{Device, features, minimum, spirv, svm_types};
use crate::cl::*;
use crate::err;
use crate::error::Result;
use crate::info::InfoValue;
use crate::object::ApiObject;
use crate::platform::Platform;

/// Enough for every type: the largest built-in type is long16.
const LARGEST_TYPE_BYTES: u32 = 128;
/// Every operation of cl_ext_float_atomics in global and local memory.
const ALL_FP_ATOMICS: cl_device_fp_atomic_capabilities_ext = CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT
    | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT
    | CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT
    | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT
    | CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT
    | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT;
/// Upper bound of CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: an `int` can count its two-byte elements.
const MAX_CONSTANT_BYTES: u64 = 4 << 30;
/// CL_DEVICE_MAX_SAMPLERS of a device with images.
const MAX_SAMPLERS: u32 = 4096;
/// CL_DEVICE_MAX_PIPE_ARGS; a pipe is an argument like a buffer.
const MAX_PIPE_ARGS: u32 = 16;
/// CL_DEVICE_PIPE_MAX_PACKET_SIZE
pub const MAX_PACKET_SIZE: u32 = 1024;
/// CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS: reservations are numbers; work-items may hold any number of them.
const MAX_ACTIVE_RESERVATIONS: u32 = 1024;
/// Largest program-scope variable.
const LARGEST_VARIABLE_BYTES: u64 = 64 << 20;

impl Device {
    /// The result of a query. CL_INVALID_VALUE for an unknown one.
    pub fn query(&self, name: cl_device_info) -> Result<InfoValue> {
        let d = self.info();
        if name == CL_DEVICE_PCI_BUS_INFO_KHR && d.pci.is_none() {
            return Err(err!(CL_INVALID_VALUE, "the device is on no PCI bus"));
        }
        self.processor(name)
            .or_else(|| self.memory_sizes(name))
            .or_else(|| self.services(name))
            .or_else(|| self.names_and_versions(name))
            .or_else(|| self.sub_devices(name))
            .or_else(|| self.images(name))
            .or_else(|| self.pipes_and_enqueue(name))
            .or_else(|| self.sharing_and_atomics(name))
            .or_else(|| self.work_groups(name))
            .or_else(|| self.interoperation(name))
            .or_else(|| d.nvidia.and_then(|facts| nvidia(&facts, d.pci, name)))
            .ok_or_else(|| err!(CL_INVALID_VALUE, "clGetDeviceInfo has no parameter {name:#x}"))
    }

    /// Kind, size and arithmetic of the processor.
    fn processor(&self, name: cl_device_info) -> Option<InfoValue> {
        let d = self.info();
        let double = u32::from(d.fp64);
        let half = u32::from(d.fp16);
        Some(match name {
            // One type, never CL_DEVICE_TYPE_DEFAULT.
            CL_DEVICE_TYPE => self.device_type().into(),
            CL_DEVICE_VENDOR_ID => d.vendor_id.into(),
            CL_DEVICE_MAX_COMPUTE_UNITS => d.compute_units.max(1).into(),
            CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => 3u32.into(),
            // Same value as CL_DEVICE_MAX_WORK_GROUP_SIZES.
            CL_DEVICE_MAX_WORK_ITEM_SIZES => {
                InfoValue::Sizes(d.max_work_item_sizes.iter().map(|s| *s as usize).collect())
            }
            CL_DEVICE_MAX_WORK_GROUP_SIZE => (d.max_work_group_size as usize).into(),
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_INT
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT => 1u32.into(),
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE | CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => double.into(),
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF | CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => half.into(),
            CL_DEVICE_MAX_CLOCK_FREQUENCY => d.clock_mhz.into(),
            CL_DEVICE_ADDRESS_BITS => 64u32.into(),
            CL_DEVICE_SINGLE_FP_CONFIG => self.single_fp_config().into(),
            CL_DEVICE_DOUBLE_FP_CONFIG => self.double_fp_config().into(),
            CL_DEVICE_HALF_FP_CONFIG => self.half_fp_config().into(),
            _ => return None,
        })
    }

    /// Global, constant and local memory, and variables in them.
    fn memory_sizes(&self, name: cl_device_info) -> Option<InfoValue> {
        let d = self.info();
        Some(match name {
            CL_DEVICE_MAX_MEM_ALLOC_SIZE => d.max_alloc_size.into(),
            CL_DEVICE_MAX_PARAMETER_SIZE => d.max_parameter_size.into(),
            CL_DEVICE_MEM_BASE_ADDR_ALIGN => d.base_addr_align_bits.into(),
            CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => LARGEST_TYPE_BYTES.into(),
            CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => {
                if d.cache_size > 0 { CL_READ_WRITE_CACHE } else { CL_NONE }.into()
            }
            CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => if d.cache_size > 0 { d.cache_line } else { 0 }.into(),
            CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => d.cache_size.into(),
            CL_DEVICE_GLOBAL_MEM_SIZE => d.global_mem_size.into(),
            CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => d.max_constant_buffer_size.min(MAX_CONSTANT_BYTES).into(),
            CL_DEVICE_MAX_CONSTANT_ARGS => d.max_constant_args.into(),
            CL_DEVICE_LOCAL_MEM_TYPE => if d.local_mem_dedicated { CL_LOCAL } else { CL_GLOBAL }.into(),
            CL_DEVICE_LOCAL_MEM_SIZE => d.local_mem_size.into(),
            CL_DEVICE_ERROR_CORRECTION_SUPPORT => d.ecc.into(),
            CL_DEVICE_HOST_UNIFIED_MEMORY => d.host_unified_memory.into(),
            CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE => {
                (d.max_alloc_size.min(LARGEST_VARIABLE_BYTES) as usize).into()
            }
            CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE => {
                (d.max_alloc_size.min(4 * LARGEST_VARIABLE_BYTES) as usize).into()
            }
            _ => return None,
        })
    }

    /// Services of compiler and linker, and of queues on the host.
    fn services(&self, name: cl_device_info) -> Option<InfoValue> {
        let d = self.info();
        Some(match name {
            CL_DEVICE_PROFILING_TIMER_RESOLUTION => (d.timer_resolution_ns.max(1) as usize).into(),
            CL_DEVICE_ENDIAN_LITTLE => d.little_endian.into(),
            CL_DEVICE_AVAILABLE => self.available().into(),
            CL_DEVICE_COMPILER_AVAILABLE => compiler_available().into(),
            // Libraries are SPIR-V and are linked here, without the front-end tool.
            CL_DEVICE_LINKER_AVAILABLE => true.into(),
            CL_DEVICE_EXECUTION_CAPABILITIES => (CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL).into(),
            // Same value as CL_DEVICE_QUEUE_PROPERTIES.
            CL_DEVICE_QUEUE_ON_HOST_PROPERTIES => {
                (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE).into()
            }
            CL_DEVICE_BUILT_IN_KERNELS => "".into(),
            CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION => InfoValue::Empty,
            CL_DEVICE_PRINTF_BUFFER_SIZE => (super::traits::PRINT_BYTES as usize).into(),
            CL_DEVICE_PREFERRED_INTEROP_USER_SYNC => true.into(),
            CL_DEVICE_REFERENCE_COUNT => 1u32.into(),
            CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
                d.sub_group_sizes.first().copied().unwrap_or(1).into()
            }
            // No version has passed officially; the result has the form of a version.
            CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED => "v0000-01-01-00".into(),
            _ => return None,
        })
    }

    /// Names, extensions, and versions of languages.
    fn names_and_versions(&self, name: cl_device_info) -> Option<InfoValue> {
        let d = self.info();
        Some(match name {
            CL_DEVICE_PLATFORM => {
                InfoValue::Handle(Platform::get().api_slot().handle().map_or(0, |h| h.as_ptr() as usize))
            }
            CL_DEVICE_NAME => d.name.as_str().into(),
            CL_DEVICE_VENDOR => d.vendor.as_str().into(),
            CL_DRIVER_VERSION => d.driver_version.as_str().into(),
            CL_DEVICE_PROFILE => if minimum::is_full(d) { "FULL_PROFILE" } else { "EMBEDDED_PROFILE" }.into(),
            CL_DEVICE_VERSION => crate::platform::version_text().into(),
            CL_DEVICE_NUMERIC_VERSION => make_version(features::VERSION.0, features::VERSION.1, 0).into(),
            CL_DEVICE_OPENCL_C_VERSION => {
                format!("OpenCL C {}.{} ", features::C_VERSION.0, features::C_VERSION.1).into()
            }
            CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR => {
                make_version(features::C_VERSION.0, features::C_VERSION.1, 0).into()
            }
            CL_DEVICE_OPENCL_C_ALL_VERSIONS => versions("OpenCL C", &features::c_versions(d)),
            CL_DEVICE_OPENCL_C_FEATURES => InfoValue::NameVersions(
                self.c_features().iter().map(|f| (f.name.into(), f.version)).collect(),
            ),
            CL_DEVICE_EXTENSIONS => {
                self.extensions().iter().map(|f| f.name).collect::<Vec<_>>().join(" ").into()
            }
            CL_DEVICE_EXTENSIONS_WITH_VERSION => InfoValue::NameVersions(
                self.extensions().iter().map(|f| (f.name.into(), f.version)).collect(),
            ),
            CL_DEVICE_IL_VERSION => {
                let names = spirv::VERSIONS.iter().map(|(major, minor)| format!("SPIR-V_{major}.{minor}"));
                names.collect::<Vec<_>>().join(" ").into()
            }
            CL_DEVICE_ILS_WITH_VERSION => versions("SPIR-V", spirv::VERSIONS),
            // Same values as the queries of cl_khr_spirv_queries. The strings live as long as the library.
            CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS => strings(spirv::INSTRUCTION_SETS),
            CL_DEVICE_SPIRV_EXTENSIONS => strings(&spirv::extensions(self)),
            CL_DEVICE_SPIRV_CAPABILITIES => spirv::capabilities(self).into(),
            // cl_ext_cxx_for_opencl: the version that -cl-std=CLC++ selects. The encoding has no room for
            // 2021, which can be selected nevertheless.
            CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT if clang_available() => make_version(1, 0, 0).into(),
            _ => return None,
        })
    }

    /// Partitions into sub-devices.
    fn sub_devices(&self, name: cl_device_info) -> Option<InfoValue> {
        let d = self.info();
        Some(match name {
            // The C interface fills in the parent's handle.
            CL_DEVICE_PARENT_DEVICE => InfoValue::Handle(0),
            CL_DEVICE_PARTITION_MAX_SUB_DEVICES => if d.divisible { d.compute_units } else { 0 }.into(),
            CL_DEVICE_PARTITION_PROPERTIES => self.partition_properties().into(),
            CL_DEVICE_PARTITION_TYPE => self.partition_type().to_vec().into(),
            CL_DEVICE_PARTITION_AFFINITY_DOMAIN => self.affinity_domains().into(),
            _ => return None,
        })
    }

    /// Images and samplers.
    fn images(&self, name: cl_device_info) -> Option<InfoValue> {
        let d = self.info();
        Some(match name {
            CL_DEVICE_IMAGE_SUPPORT => d.images.into(),
            CL_DEVICE_MAX_READ_IMAGE_ARGS => d.image.max_read_args.into(),
            CL_DEVICE_MAX_WRITE_IMAGE_ARGS => d.image.max_write_args.into(),
            CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS => d.image.max_read_write_args.into(),
            // Samplers are numbers; the limit exceeds what applications use.
            CL_DEVICE_MAX_SAMPLERS => if d.images { MAX_SAMPLERS } else { 0 }.into(),
            CL_DEVICE_IMAGE_PITCH_ALIGNMENT => d.image.pitch_alignment.into(),
            CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT => d.image.base_alignment.into(),
            CL_DEVICE_IMAGE2D_MAX_WIDTH => (d.image.max_2d[0] as usize).into(),
            CL_DEVICE_IMAGE2D_MAX_HEIGHT => (d.image.max_2d[1] as usize).into(),
            CL_DEVICE_IMAGE3D_MAX_WIDTH => (d.image.max_3d[0] as usize).into(),
            CL_DEVICE_IMAGE3D_MAX_HEIGHT => (d.image.max_3d[1] as usize).into(),
            CL_DEVICE_IMAGE3D_MAX_DEPTH => (d.image.max_3d[2] as usize).into(),
            CL_DEVICE_IMAGE_MAX_BUFFER_SIZE => (d.image.max_buffer as usize).into(),
            CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => (d.image.max_layers as usize).into(),
            _ => return None,
        })
    }

    /// Pipes, and queues on the device.
    fn pipes_and_enqueue(&self, name: cl_device_info) -> Option<InfoValue> {
        let d = self.info();
        Some(match name {
            // Follows __opencl_c_pipes.
            CL_DEVICE_PIPE_SUPPORT => true.into(),
            CL_DEVICE_MAX_PIPE_ARGS => MAX_PIPE_ARGS.into(),
            CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS => MAX_ACTIVE_RESERVATIONS.into(),
            CL_DEVICE_PIPE_MAX_PACKET_SIZE => MAX_PACKET_SIZE.into(),

            CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES => match d.enqueue {
                Some(_) => (CL_DEVICE_QUEUE_SUPPORTED | CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT).into(),
                None => 0u64.into(),
            },
            CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES => match d.enqueue {
                Some(_) => (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE).into(),
                None => 0u64.into(),
            },
            CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE => d.enqueue.map_or(0, |e| e.preferred_size).into(),
            CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE => d.enqueue.map_or(0, |e| e.max_size).into(),
            CL_DEVICE_MAX_ON_DEVICE_QUEUES => d.enqueue.map_or(0, |e| e.max_queues).into(),
            CL_DEVICE_MAX_ON_DEVICE_EVENTS => d.enqueue.map_or(0, |e| e.max_events).into(),
            _ => return None,
        })
    }

    /// Memory at addresses that host and device share, and atomics.
    fn sharing_and_atomics(&self, name: cl_device_info) -> Option<InfoValue> {
        let d = self.info();
        Some(match name {
            CL_DEVICE_SVM_CAPABILITIES => svm_capabilities(d.sharing).into(),
            CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT
            | CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT
            | CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT => 0u32.into(),
            CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES | CL_DEVICE_ATOMIC_FENCE_CAPABILITIES => {
                (CL_DEVICE_ATOMIC_ORDER_RELAXED
                    | CL_DEVICE_ATOMIC_ORDER_ACQ_REL
                    | CL_DEVICE_ATOMIC_ORDER_SEQ_CST
                    | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
                    | CL_DEVICE_ATOMIC_SCOPE_DEVICE
                    | if d.sharing == AddressSharing::Host { CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES } else { 0 })
                .into()
            }
            // cl_khr_unified_svm: the platform's list, with 0 for types that this device lacks.
            CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR if d.sharing != AddressSharing::None => {
                let all = Platform::get().devices().iter().map(|p| p.info().sharing);
                InfoValue::U64s(svm_types::listed(all).map(|t| t.capabilities(d.sharing)).collect())
            }
            // cl_intel_unified_shared_memory
            CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL
            | CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL
            | CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
            | CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
            | CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL
                if d.sharing != AddressSharing::None =>
            {
                usm_capabilities(name, d.sharing).into()
            }
            // cl_ext_float_atomics
            CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT => ALL_FP_ATOMICS.into(),
            CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT => {
                if features::double_atomics(d) { ALL_FP_ATOMICS } else { 0 }.into()
            }
            CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT => {
                if features::half_atomics(d) { ALL_FP_ATOMICS } else { 0 }.into()
            }
            _ => return None,
        })
    }

    /// Work-groups and sub-groups, and operations of their work-items.
    fn work_groups(&self, name: cl_device_info) -> Option<InfoValue> {
        let d = self.info();
        Some(match name {
            CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT => true.into(),

            // Follows __opencl_c_generic_address_space.
            CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT => true.into(),

            CL_DEVICE_MAX_NUM_SUB_GROUPS => d.max_num_sub_groups.into(),
            // Vulkan guarantees no forward progress to sub-groups that wait for each other.
            CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => false.into(),
            CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT => true.into(),

            // cl_intel_required_subgroup_size: the sizes that kernels may require.
            CL_DEVICE_SUB_GROUP_SIZES_INTEL => InfoValue::Sizes(d.sub_group_sizes.clone()),

            // cl_khr_integer_dot_product: both forms of operands are supported on every device.
            CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES => (CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED
                | CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT)
                .into(),
            CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT => {
                dot_properties(d.dot_accelerated[0])
            }
            name if name == CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED => {
                dot_properties(d.dot_accelerated[1])
            }

            // cl_khr_kernel_clock
            CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR if d.device_clock || d.subgroup_clock => {
                let device =
                    CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR | CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR;
                let sub_group = CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR;
                (if d.device_clock { device } else { 0 } | if d.subgroup_clock { sub_group } else { 0 })
                    .into()
            }
            _ => return None,
        })
    }

    /// Identity for other interfaces, command buffers, and objects shared with other processes.
    fn interoperation(&self, name: cl_device_info) -> Option<InfoValue> {
        let d = self.info();
        Some(match name {
            // cl_khr_device_uuid, cl_khr_pci_bus_info
            CL_DEVICE_UUID => d.uuid.to_vec().into(),
            CL_DRIVER_UUID => d.driver_uuid.to_vec().into(),
            CL_DEVICE_LUID_VALID => d.luid.is_some().into(),
            CL_DEVICE_LUID => d.luid.map_or([0; 8], |(luid, _)| luid).to_vec().into(),
            CL_DEVICE_NODE_MASK => d.luid.map_or(0, |(_, mask)| mask).into(),
            CL_DEVICE_PCI_BUS_INFO_KHR => d.pci?.to_vec().into(),
            CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR => (CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR
                | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR
                | CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR
                | d.enqueue.map_or(0, |_| CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR))
            .into(),
            // Command buffers with queues of several devices may need the host to synchronise them.
            CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR => 0u32.into(),
            CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR => InfoValue::Empty,
            CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR => 0u64.into(),
            CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR => {
                (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE).into()
            }
            CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR => self.mutable_dispatch_capabilities().into(),
            CL_DEVICE_SEMAPHORE_TYPES_KHR => vec![CL_SEMAPHORE_TYPE_BINARY_KHR].into(),
            CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR => {
                d.semaphore_imports.iter().map(|h| h.value()).collect::<Vec<_>>().into()
            }
            CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR => {
                d.semaphore_exports.iter().map(|h| h.value()).collect::<Vec<_>>().into()
            }
            CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR => {
                d.memory_imports.iter().map(|h| h.value()).collect::<Vec<_>>().into()
            }
            // Images cannot be created from external memory.
            CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR => {
                Vec::<u32>::new().into()
            }
            _ => return None,
        })
    }

    fn single_fp_config(&self) -> cl_device_fp_config {
        let d = self.info();
        let mut config = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN;
        for (have, bit) in [
            (d.denorm32, CL_FP_DENORM),
            (d.fast_fma32, CL_FP_FMA),
            (d.correctly_rounded_div_sqrt, CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT),
        ] {
            config |= if have { bit } else { 0 };
        }
        config
    }

    /// CL_DEVICE_DOUBLE_FP_CONFIG: devices with doubles support every mode that the specification requires.
    fn double_fp_config(&self) -> cl_device_fp_config {
        if !self.info().fp64 {
            return 0;
        }
        CL_FP_FMA
            | CL_FP_ROUND_TO_NEAREST
            | CL_FP_ROUND_TO_ZERO
            | CL_FP_ROUND_TO_INF
            | CL_FP_INF_NAN
            | CL_FP_DENORM
    }

    fn half_fp_config(&self) -> cl_device_fp_config {
        let d = self.info();
        if !d.fp16 {
            return 0;
        }
        CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | if d.denorm16 { CL_FP_DENORM } else { 0 }
    }
}

/// cl_nv_device_attribute_query, and the PCI location, which NVIDIA's driver reports too.
fn nvidia(facts: &NvidiaFacts, pci: Option<[u32; 4]>, name: cl_device_info) -> Option<InfoValue> {
    const CL_DEVICE_PCI_BUS_ID_NV: cl_device_info = 0x4008;
    const CL_DEVICE_PCI_SLOT_ID_NV: cl_device_info = 0x4009;
    const CL_DEVICE_PCI_DOMAIN_ID_NV: cl_device_info = 0x400a;
    Some(match name {
        CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV => facts.capability.0.into(),
        CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV => facts.capability.1.into(),
        CL_DEVICE_REGISTERS_PER_BLOCK_NV => facts.registers_per_block.into(),
        CL_DEVICE_WARP_SIZE_NV => facts.warp_size.into(),
        CL_DEVICE_GPU_OVERLAP_NV => facts.copies_beside_kernels.into(),
        CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV => facts.has_run_time_limit.into(),
        CL_DEVICE_INTEGRATED_MEMORY_NV => facts.integrated.into(),
        CL_DEVICE_PCI_BUS_ID_NV => pci?[1].into(),
        // Device and function, as in PCI's own numbers.
        CL_DEVICE_PCI_SLOT_ID_NV => (pci?[2] << 3 | pci?[3]).into(),
        CL_DEVICE_PCI_DOMAIN_ID_NV => pci?[0].into(),
        _ => return None,
    })
}

fn svm_capabilities(sharing: AddressSharing) -> cl_device_svm_capabilities {
    match sharing {
        AddressSharing::None => 0,
        AddressSharing::Mirrored => CL_DEVICE_SVM_COARSE_GRAIN_BUFFER,
        AddressSharing::Concurrent => CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER,
        AddressSharing::Host => {
            CL_DEVICE_SVM_COARSE_GRAIN_BUFFER
                | CL_DEVICE_SVM_FINE_GRAIN_BUFFER
                | CL_DEVICE_SVM_FINE_GRAIN_SYSTEM
                | CL_DEVICE_SVM_ATOMICS
        }
    }
}

/// Capabilities of the device for a kind of unified shared memory.
fn usm_capabilities(
    kind: cl_device_info,
    sharing: AddressSharing,
) -> cl_device_unified_shared_memory_capabilities_intel {
    const ALL: cl_bitfield = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL
        | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL
        | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL
        | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;
    match (sharing, kind) {
        (AddressSharing::None, _) => 0,
        (AddressSharing::Host, _) => ALL,
        (_, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL) => {
            CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL
        }
        // Atomics concurrent with the host are not guaranteed across a bus.
        (AddressSharing::Concurrent, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL)
        | (AddressSharing::Concurrent, CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL) => {
            CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL
                | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL
                | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL
        }
        _ => 0,
    }
}

/// Array of the strings' addresses.
fn strings(list: &[&'static std::ffi::CStr]) -> InfoValue {
    InfoValue::Handles(list.iter().map(|s| s.as_ptr() as usize).collect())
}

/// cl_device_integer_dot_product_acceleration_properties: six cl_bool values.
fn dot_properties(accelerated: [bool; 6]) -> InfoValue {
    InfoValue::U32s(accelerated.iter().map(|a| u32::from(*a)).collect())
}

fn versions(name: &str, list: &[(u32, u32)]) -> InfoValue {
    InfoValue::NameVersions(
        list.iter().map(|(major, minor)| (name.to_string(), make_version(*major, *minor, 0))).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::info::DeviceInfo;
    use crate::device::traits::*;
    use std::sync::Arc;

    struct Fake(DeviceInfo, clspv_bridge::Target);

    impl DeviceOps for Fake {
        fn info(&self) -> &DeviceInfo {
            &self.0
        }
        fn target(&self) -> &clspv_bridge::Target {
            &self.1
        }
        fn alloc_buffer(&self, _: &BufferDesc) -> crate::device::traits::DeviceResult<Arc<dyn DeviceMemory>> {
            Err(DeviceError::OutOfDeviceMemory)
        }
        fn load(
            &self,
            _: Arc<clspv_bridge::abi::CompiledProgram>,
        ) -> crate::device::traits::DeviceResult<Arc<dyn DeviceProgram>> {
            Err(DeviceError::OutOfDeviceMemory)
        }
        fn create_queue(
            &self,
            _: &QueueDesc,
            _: Arc<dyn CompletionSink>,
        ) -> crate::device::traits::DeviceResult<Arc<dyn DeviceQueue>> {
            Err(DeviceError::OutOfDeviceMemory)
        }
        fn timestamps(&self) -> crate::device::traits::DeviceResult<(u64, u64)> {
            Ok((1, 2))
        }
        fn as_any(&self) -> &dyn std::any::Any {
            self
        }
    }

    fn device(info: DeviceInfo) -> Arc<Device> {
        Device::new("fake", Arc::new(Fake(info, clspv_bridge::Target::generic())))
    }

    fn text(value: InfoValue) -> String {
        match value {
            InfoValue::Str(s) => s,
            other => panic!("{other:?} is not a string"),
        }
    }

    #[test]
    fn nvidia_attributes_are_reported_where_they_are_known() {
        let facts = NvidiaFacts {
            capability: (9, 1),
            registers_per_block: 65536,
            warp_size: 32,
            copies_beside_kernels: true,
            has_run_time_limit: false,
            integrated: false,
        };
        let known =
            device(DeviceInfo { nvidia: Some(facts), pci: Some([1, 0x1b, 3, 2]), ..DeviceInfo::default() });
        let unknown = device(DeviceInfo::default());
        let has = |d: &Device| d.extensions().iter().any(|f| f.name == "cl_nv_device_attribute_query");
        assert!(has(&known) && !has(&unknown));
        for (name, answer) in [9u32, 1, 65536, 32].into_iter().enumerate() {
            assert_eq!(known.query(CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV + name as u32), Ok(answer.into()));
        }
        for (name, answer) in [true, false, false].into_iter().enumerate() {
            assert_eq!(known.query(CL_DEVICE_GPU_OVERLAP_NV + name as u32), Ok(answer.into()));
        }
        for (name, answer) in [(0x4008, 0x1bu32), (0x4009, 3 << 3 | 2), (0x400a, 1)] {
            assert_eq!(known.query(name), Ok(answer.into()));
        }
        assert!(known.query(0x4007).is_err());
        assert!((0x4000..0x4010).all(|name| unknown.query(name).is_err()));
        // Not every NVIDIA GPU is on PCI.
        let soc = device(DeviceInfo { nvidia: Some(facts), ..DeviceInfo::default() });
        assert!(soc.query(0x4008).is_err());
    }

    #[test]
    fn every_core_query_has_an_answer_of_the_right_size() {
        let d = device(DeviceInfo { pci: Some([0, 1, 2, 3]), ..DeviceInfo::default() });
        // The contiguous core ranges, without unassigned numbers and those of unreported extensions.
        let missing: Vec<u32> = (CL_DEVICE_TYPE..=CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED)
            .filter(|name| *name != CL_DEVICE_TERMINATE_CAPABILITY_KHR && d.query(*name).is_err())
            .collect();
        let unused = |name: &u32| error_free_name(*name);
        assert_eq!(missing.iter().filter(|n| !unused(n)).collect::<Vec<_>>(), Vec::<&u32>::new());
        for (name, size) in [
            (CL_DEVICE_UUID, 16),
            (CL_DEVICE_LUID, 8),
            (CL_DEVICE_NODE_MASK, 4),
            (CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, 8),
            (CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR, 8),
            (CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR, 8),
            (CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR, 8),
            (CL_DEVICE_PCI_BUS_INFO_KHR, size_of::<cl_device_pci_bus_info_khr>()),
            (CL_DEVICE_MAX_WORK_ITEM_SIZES, 3 * size_of::<usize>()),
            (CL_DEVICE_SVM_CAPABILITIES, 8),
            (CL_DEVICE_AVAILABLE, 4),
        ] {
            assert_eq!(d.query(name).unwrap().to_bytes().len(), size, "{name:#x}");
        }
    }

    /// Names in the range that are unassigned or belong to an unreported extension.
    fn error_free_name(name: u32) -> bool {
        matches!(name, 0x1040 | 0x1046 | 0x1064 | 0x106B..=0x106E)
            || [CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR, CL_DEVICE_SPIR_VERSIONS].contains(&name)
            || (0x1073..=0x1078).contains(&name)
    }

    #[test]
    fn optional_features_agree_everywhere() {
        let none = device(DeviceInfo::default());
        let all = device(DeviceInfo { fp16: true, fp64: true, ..DeviceInfo::default() });
        let extensions = |d: &Device| text(d.query(CL_DEVICE_EXTENSIONS).unwrap());
        assert!(!extensions(&none).contains("cl_khr_fp64") && extensions(&all).contains("cl_khr_fp64"));
        assert_eq!(none.query(CL_DEVICE_DOUBLE_FP_CONFIG).unwrap(), InfoValue::U64(0));
        assert_ne!(all.query(CL_DEVICE_DOUBLE_FP_CONFIG).unwrap(), InfoValue::U64(0));
        assert_eq!(none.query(CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF).unwrap(), InfoValue::U32(0));
        let config = all.front_config();
        for name in ["cl_khr_fp64", "cl_khr_fp16", "__opencl_c_fp64", "__opencl_c_int64"] {
            assert!(config.extensions.iter().any(|e| e == name), "{name}");
        }
        assert!(!config.extensions.iter().any(|e| e == "cl_khr_icd" || e == "cl_khr_il_program"));
        assert!(!none.front_config().extensions.iter().any(|e| e == "__opencl_c_fp64"));
        assert_eq!(config.opencl_version, 310);
    }

    #[test]
    fn spirv_capabilities_follow_from_what_is_reported() {
        let capabilities = |info: DeviceInfo| match device(info).query(CL_DEVICE_SPIRV_CAPABILITIES) {
            Ok(InfoValue::U32s(list)) => list,
            other => panic!("{other:?}"),
        };
        let (kernel, float64, enqueue, pipes, float32_add, float64_add) = (6, 10, 19, 17, 6033, 6034);
        let none = capabilities(DeviceInfo::default());
        assert!(none.contains(&float32_add) && !none.contains(&float64_add));
        let doubles = DeviceInfo { fp64: true, int64_atomics: true, ..DeviceInfo::default() };
        assert!(capabilities(doubles).contains(&float64_add));
        assert!(
            none.contains(&kernel)
                && !none.contains(&float64)
                && !none.contains(&enqueue)
                && none.contains(&pipes)
        );
        assert!(capabilities(DeviceInfo { fp64: true, ..DeviceInfo::default() }).contains(&float64));
        let sets = device(DeviceInfo::default()).query(CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS).unwrap();
        assert_eq!(sets.to_bytes().len(), spirv::INSTRUCTION_SETS.len() * size_of::<usize>());
    }

    #[test]
    fn unknown_queries_are_invalid_values() {
        let d = device(DeviceInfo::default());
        assert_eq!(d.query(0xdead).unwrap_err().code(), CL_INVALID_VALUE);
        assert_eq!(d.query(CL_DEVICE_PCI_BUS_INFO_KHR).unwrap_err().code(), CL_INVALID_VALUE);
    }
}
