//! Admission: header, capabilities and memory model of the OpenCL SPIR-V environment.
//!
//! A module that declares a graphics capability is invalid. Other capabilities without support fail the
//! build; whether an admitted construct can be compiled is decided where it occurs.

use super::read::{Instr, bad};
use crate::error::{CompileError, Result};
use rspirv::grammar::{INSTRUCTION_TABLE, OperandKind};
use rustc_hash::FxHashMap;
use spirv::{Capability as C, Op};
use std::borrow::Cow;

/// SPIR-V's magic number.
const MAGIC: u32 = 0x0723_0203;

/// Checks the header, and returns the words in native byte order.
pub fn header(words: &[u32]) -> Result<Cow<'_, [u32]>> {
    if words.len() < 5 {
        return Err(bad(0, "shorter than a SPIR-V header"));
    }
    let words: Cow<'_, [u32]> = if words[0] == MAGIC.swap_bytes() {
        words.iter().map(|w| w.swap_bytes()).collect::<Vec<_>>().into()
    } else {
        words.into()
    };
    if words[0] != MAGIC {
        return Err(bad(0, "wrong magic number"));
    }
    let (major, minor) = (words[1] >> 16 & 0xff, words[1] >> 8 & 0xff);
    if major != 1 || minor > 6 {
        return Err(bad(1, format_args!("SPIR-V version {major}.{minor} is not supported")));
    }
    Ok(words)
}

/// Checks that each result id is neither 0 nor at or above the header's bound.
pub fn results(insts: &[Instr<'_>], bound: u32) -> Result<()> {
    let mut positions = FxHashMap::default();
    for inst in insts {
        let position: Option<usize> = *positions.entry(inst.op).or_insert_with(|| {
            let operands = INSTRUCTION_TABLE.lookup_opcode(inst.op as u32)?.operands;
            operands.iter().take(2).position(|o| o.kind == OperandKind::IdResult)
        });
        let Some(position) = position else { continue };
        let id = inst.word(position)?;
        if id == 0 || id >= bound {
            return Err(inst.bad(format_args!("%{id} is not an id below {bound}")));
        }
    }
    Ok(())
}

/// Checks one instruction of the preamble.
pub fn preamble(inst: &Instr<'_>) -> Result<()> {
    match inst.op {
        Op::Capability => {
            let n = inst.word(0)?;
            match C::from_u32(n) {
                Some(c) if GRAPHICS.contains(&c) => {
                    return Err(
                        inst.bad(format_args!("capability {c:?} is not allowed in the OpenCL environment"))
                    );
                }
                Some(c) if !ACCEPTED.contains(&c) => {
                    return Err(CompileError::unsupported(format!("SPIR-V capability {c:?}"), 0));
                }
                // Newer than this compiler. If the module uses it, an unknown instruction will show that.
                Some(_) | None => {}
            }
        }
        Op::ExtInstImport => {
            let name = inst.string(1)?.0;
            let allowed =
                ["OpenCL.std", "OpenCL.DebugInfo.100", "DebugInfo", "SPIRV.debug"].contains(&name.as_str());
            // Non-semantic sets may be ignored, whatever they are.
            if !allowed && !name.starts_with("NonSemantic.") {
                return Err(inst.bad(format_args!("the extended instruction set {name} is not known")));
            }
        }
        Op::MemoryModel => {
            if inst.word(0)? != spirv::AddressingModel::Physical64 as u32 {
                return Err(inst.bad("the addressing model must be Physical64"));
            }
            if inst.word(1)? != spirv::MemoryModel::OpenCL as u32 {
                return Err(inst.bad("the memory model must be OpenCL"));
            }
        }
        _ => {}
    }
    Ok(())
}

/// Graphics capabilities, which no OpenCL environment allows.
const GRAPHICS: &[C] = &[
    C::Shader,
    C::Geometry,
    C::Tessellation,
    C::AtomicStorage,
    C::StorageImageMultisample,
    C::ClipDistance,
    C::CullDistance,
    C::SampleRateShading,
    C::InputAttachment,
    C::DerivativeControl,
    C::InterpolationFunction,
    C::TransformFeedback,
    C::GeometryStreams,
    C::MultiViewport,
    C::StorageBuffer16BitAccess,
    C::VariablePointers,
    C::VulkanMemoryModel,
    C::PhysicalStorageBufferAddresses,
    C::RayTracingKHR,
    C::RayQueryKHR,
    C::MeshShadingEXT,
];

/// Capabilities whose instructions are known or skipped as hints, and those of vendors. A kernel that reaches
/// an unknown instruction fails alone, so modules of many kernels build.
const ACCEPTED: &[C] = &[
    C::Matrix,
    C::Addresses,
    C::Linkage,
    C::Kernel,
    C::Vector16,
    C::Float16Buffer,
    C::Float16,
    C::Float64,
    C::Int64,
    C::Int64Atomics,
    C::Int16,
    C::Int8,
    C::ImageBasic,
    C::ImageReadWrite,
    C::ImageMipmap,
    C::LiteralSampler,
    C::Sampled1D,
    C::Image1D,
    C::SampledBuffer,
    C::ImageBuffer,
    C::Pipes,
    C::PipeStorage,
    C::Groups,
    C::DeviceEnqueue,
    C::GenericPointer,
    C::SubgroupDispatch,
    C::NamedBarrier,
    C::GroupNonUniform,
    C::GroupNonUniformVote,
    C::GroupNonUniformArithmetic,
    C::GroupNonUniformBallot,
    C::GroupNonUniformShuffle,
    C::GroupNonUniformShuffleRelative,
    C::GroupNonUniformClustered,
    C::GroupNonUniformRotateKHR,
    C::GroupUniformArithmeticKHR,
    C::SubgroupShuffleINTEL,
    C::SubgroupBufferBlockIOINTEL,
    C::SubgroupBallotKHR,
    C::SubgroupVoteKHR,
    C::DotProduct,
    C::DotProductInputAll,
    C::DotProductInput4x8Bit,
    C::DotProductInput4x8BitPacked,
    C::ExpectAssumeKHR,
    C::UniformDecoration,
    C::BitInstructions,
    C::ShaderClockKHR,
    C::AtomicFloat16AddEXT,
    C::AtomicFloat32AddEXT,
    C::AtomicFloat64AddEXT,
    C::AtomicFloat16MinMaxEXT,
    C::AtomicFloat32MinMaxEXT,
    C::AtomicFloat64MinMaxEXT,
    C::DenormPreserve,
    C::DenormFlushToZero,
    C::SignedZeroInfNanPreserve,
    C::RoundingModeRTE,
    C::RoundingModeRTZ,
    C::FloatControls2,
    C::AsmINTEL,
    C::ArithmeticFenceEXT,
    C::ArbitraryPrecisionIntegersALTERA,
    C::ArbitraryPrecisionFixedPointALTERA,
    C::ArbitraryPrecisionFloatingPointALTERA,
    C::BFloat16ConversionINTEL,
    C::BindlessImagesINTEL,
    C::BlockingPipesALTERA,
    C::CacheControlsINTEL,
    C::DebugInfoModuleINTEL,
    C::FMAKHR,
    C::FPFastMathModeINTEL,
    C::FPGAArgumentInterfacesALTERA,
    C::FPGABufferLocationALTERA,
    C::FPGAClusterAttributesALTERA,
    C::FPGAClusterAttributesV2ALTERA,
    C::FPGADSPControlALTERA,
    C::FPGAInvocationPipeliningAttributesALTERA,
    C::FPGAKernelAttributesINTEL,
    C::FPGAKernelAttributesv2INTEL,
    C::FPGALatencyControlALTERA,
    C::FPGALoopControlsALTERA,
    C::FPGAMemoryAccessesALTERA,
    C::FPGAMemoryAttributesALTERA,
    C::FPGARegALTERA,
    C::FPMaxErrorINTEL,
    C::FloatingPointModeINTEL,
    C::FunctionFloatControlINTEL,
    C::FunctionPointersINTEL,
    C::GlobalVariableFPGADecorationsALTERA,
    C::GlobalVariableHostAccessINTEL,
    C::IOPipesALTERA,
    C::IndirectReferencesINTEL,
    C::IntegerFunctions2INTEL,
    C::KernelAttributesINTEL,
    C::LongCompositesINTEL,
    C::LoopFuseALTERA,
    C::MaskedGatherScatterINTEL,
    C::MemoryAccessAliasingINTEL,
    C::OptNoneEXT,
    C::RegisterLimitsINTEL,
    C::RoundToInfinityINTEL,
    C::RuntimeAlignedAttributeALTERA,
    C::SplitBarrierINTEL,
    C::SubgroupBufferPrefetchINTEL,
    C::SubgroupImageBlockIOINTEL,
    C::SubgroupImageMediaBlockIOINTEL,
    C::TaskSequenceALTERA,
    C::TensorFloat32RoundingINTEL,
    C::TernaryBitwiseFunctionINTEL,
    C::USMStorageClassesALTERA,
    C::UnstructuredLoopControlsINTEL,
    C::VariableLengthArrayINTEL,
    C::VectorAnyINTEL,
    C::VectorComputeINTEL,
];
