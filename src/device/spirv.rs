//! SPIR-V support of devices: versions, extended instruction sets, extensions and capabilities, in one table
//! for the queries of cl_khr_spirv_queries and for clCreateProgramWithIL (OpenCL SPIR-V environment,
//! "Required Capabilities" and "OpenCL Extensions").
//!
//! Most entries follow from an extension or OpenCL C feature that the device reports, so the reported SPIR-V
//! and OpenCL C features cannot disagree. The compiler accepts more than is listed: a module that declares,
//! say, GenericPointer is rejected only where it uses something that cannot be compiled. Capabilities without
//! any usable instruction are rejected at once.

use super::Device;
use crate::device::info::DeviceInfo;
use rspirv::spirv::Capability as C;
use std::ffi::CStr;

/// Versions of SPIR-V that clCreateProgramWithIL accepts.
pub const VERSIONS: &[(u32, u32)] = &[(1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6)];

/// Extended instruction sets that a module may import.
pub const INSTRUCTION_SETS: &[&CStr] =
    &[c"OpenCL.std", c"OpenCL.DebugInfo.100", c"NonSemantic.Shader.DebugInfo.100"];

/// Condition under which a device has an entry of the tables.
enum When {
    Always,
    /// The device reports one of these extensions or OpenCL C features.
    Reports(&'static [&'static str]),
    Fact(fn(&DeviceInfo) -> bool),
}
use When::{Always, Fact, Reports};

const SUB_GROUPS: &[&str] = &["cl_khr_subgroups", "__opencl_c_subgroups"];
const IMAGES: &[&str] = &["__opencl_c_images"];
const FLOAT_ATOMICS: &[&str] = &["cl_ext_float_atomics"];
const DOT_PRODUCT: &[&str] = &["cl_khr_integer_dot_product"];

const CAPABILITIES: &[(C, When)] = &[
    (C::Addresses, Always),
    (C::Float16Buffer, Always),
    (C::Int64, Always),
    (C::Int16, Always),
    (C::Int8, Always),
    (C::Kernel, Always),
    (C::Linkage, Always),
    (C::UniformDecoration, Always),
    (C::Vector16, Always),
    (C::Float16, Fact(|d| d.fp16)),
    (C::Float64, Fact(|d| d.fp64)),
    (C::Int64Atomics, Reports(&["cl_khr_int64_base_atomics"])),
    (C::GenericPointer, Reports(&["__opencl_c_generic_address_space"])),
    (
        C::Groups,
        Reports(&["cl_khr_subgroups", "__opencl_c_subgroups", "__opencl_c_work_group_collective_functions"]),
    ),
    (C::SubgroupDispatch, Reports(SUB_GROUPS)),
    (C::ImageBasic, Reports(IMAGES)),
    (C::LiteralSampler, Reports(IMAGES)),
    (C::Sampled1D, Reports(IMAGES)),
    (C::Image1D, Reports(IMAGES)),
    (C::SampledBuffer, Reports(IMAGES)),
    (C::ImageBuffer, Reports(IMAGES)),
    (C::ImageReadWrite, Reports(&["__opencl_c_read_write_images"])),
    (C::ImageMipmap, Reports(&["cl_khr_mipmap_image_writes"])),
    (C::Pipes, Reports(&["__opencl_c_pipes"])),
    (C::DeviceEnqueue, Reports(&["__opencl_c_device_enqueue"])),
    (C::NamedBarrier, Reports(&["cl_khr_subgroup_named_barrier"])),
    (C::GroupNonUniform, Reports(&["cl_khr_subgroup_non_uniform_vote"])),
    (C::GroupNonUniformVote, Reports(&["cl_khr_subgroup_non_uniform_vote"])),
    (C::GroupNonUniformBallot, Reports(&["cl_khr_subgroup_ballot"])),
    (C::GroupNonUniformArithmetic, Reports(&["cl_khr_subgroup_non_uniform_arithmetic"])),
    (C::GroupNonUniformShuffle, Reports(&["cl_khr_subgroup_shuffle"])),
    (C::GroupNonUniformShuffleRelative, Reports(&["cl_khr_subgroup_shuffle_relative"])),
    (C::GroupNonUniformClustered, Reports(&["cl_khr_subgroup_clustered_reduce"])),
    (C::GroupNonUniformRotateKHR, Reports(&["cl_khr_subgroup_rotate"])),
    (C::GroupUniformArithmeticKHR, Reports(&["cl_khr_work_group_uniform_arithmetic"])),
    (C::BitInstructions, Reports(&["cl_khr_extended_bit_ops"])),
    (C::DotProduct, Reports(DOT_PRODUCT)),
    (C::DotProductInput4x8Bit, Reports(DOT_PRODUCT)),
    (C::DotProductInput4x8BitPacked, Reports(DOT_PRODUCT)),
    (C::ExpectAssumeKHR, Reports(&["cl_khr_expect_assume"])),
    (C::ShaderClockKHR, Reports(&["cl_khr_kernel_clock"])),
    (C::AtomicFloat16AddEXT, Reports(&["__opencl_c_ext_fp16_global_atomic_add"])),
    (C::AtomicFloat16MinMaxEXT, Reports(&["__opencl_c_ext_fp16_global_atomic_min_max"])),
    (C::AtomicFloat32AddEXT, Reports(FLOAT_ATOMICS)),
    (C::AtomicFloat32MinMaxEXT, Reports(FLOAT_ATOMICS)),
    (C::AtomicFloat64AddEXT, Reports(&["__opencl_c_ext_fp64_global_atomic_add"])),
    (C::AtomicFloat64MinMaxEXT, Reports(&["__opencl_c_ext_fp64_global_atomic_min_max"])),
];

const EXTENSIONS: &[(&CStr, When)] = &[
    (c"SPV_KHR_no_integer_wrap_decoration", Reports(&["cl_khr_spirv_no_integer_wrap_decoration"])),
    (c"SPV_KHR_linkonce_odr", Reports(&["cl_khr_spirv_linkonce_odr"])),
    (c"SPV_KHR_expect_assume", Reports(&["cl_khr_expect_assume"])),
    (c"SPV_KHR_non_semantic_info", Always),
    (c"SPV_KHR_bit_instructions", Reports(&["cl_khr_extended_bit_ops"])),
    (c"SPV_KHR_integer_dot_product", Reports(DOT_PRODUCT)),
    (c"SPV_KHR_subgroup_rotate", Reports(&["cl_khr_subgroup_rotate"])),
    (c"SPV_KHR_uniform_group_instructions", Reports(&["cl_khr_work_group_uniform_arithmetic"])),
    (c"SPV_KHR_shader_clock", Reports(&["cl_khr_kernel_clock"])),
    (c"SPV_EXT_shader_atomic_float16_add", Reports(&["__opencl_c_ext_fp16_global_atomic_add"])),
    (c"SPV_EXT_shader_atomic_float_add", Reports(FLOAT_ATOMICS)),
    (c"SPV_EXT_shader_atomic_float_min_max", Reports(FLOAT_ATOMICS)),
];

/// Capabilities that make a module unusable on devices without them: no instruction that requires them can be
/// compiled.
const ESSENTIAL: &[C] =
    &[C::Pipes, C::PipeStorage, C::DeviceEnqueue, C::NamedBarrier, C::ImageBasic, C::ImageReadWrite];

fn has(device: &Device, when: &When) -> bool {
    match when {
        Always => true,
        Fact(fact) => fact(device.info()),
        Reports(names) => {
            device.extensions().iter().chain(device.c_features()).any(|f| names.contains(&f.name))
        }
    }
}

/// Capabilities that the device reports (CL_DEVICE_SPIRV_CAPABILITIES).
pub fn capabilities(device: &Device) -> Vec<u32> {
    CAPABILITIES.iter().filter(|(_, when)| has(device, when)).map(|(c, _)| *c as u32).collect()
}

/// SPIR-V extensions that the device reports (CL_DEVICE_SPIRV_EXTENSIONS).
pub fn extensions(device: &Device) -> Vec<&'static CStr> {
    EXTENSIONS.iter().filter(|(_, when)| has(device, when)).map(|(name, _)| *name).collect()
}

/// The first declared capability that makes the module unusable on the device.
pub fn refused(device: &Device, declared: &[u32]) -> Option<C> {
    let reported = capabilities(device);
    let mut known = declared.iter().filter_map(|n| C::from_u32(*n));
    known.find(|c| ESSENTIAL.contains(c) && !reported.contains(&(*c as u32)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module that declares the capability and nothing else.
    fn module(capability: C) -> Vec<u32> {
        vec![0x0723_0203, 0x0001_0600, 0, 1, 0, 2 << 16 | 17, capability as u32, 3 << 16 | 14, 2, 2]
    }

    #[test]
    fn the_compiler_takes_every_capability() {
        for (capability, _) in CAPABILITIES {
            let read = clspv_bridge::front::spirv::read(&module(*capability), &[]);
            assert!(read.is_ok(), "{capability:?}");
        }
        let error = clspv_bridge::front::spirv::read(&module(C::Geometry), &[]).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("capability Geometry"), "{error}");
    }
}
