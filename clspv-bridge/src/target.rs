//! Capabilities that code may use. The device layer fills them in from the Vulkan physical device.

use crate::error::{Invariant, Result};

/// Capabilities of the device that code is generated for.
///
/// A field is true only if the feature is enabled on the logical device. Part of the cache key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    pub int8: bool,
    pub int16: bool,
    pub int64: bool,
    pub float16: bool,
    pub float64: bool,
    /// Atomics on 64-bit integers in buffers / in workgroup memory.
    pub buffer_int64_atomics: bool,
    pub shared_int64_atomics: bool,
    /// Atomics on floating-point numbers in buffers and in workgroup memory.
    pub buffer_float_atomics: FloatAtomics,
    pub shared_float_atomics: FloatAtomics,
    /// shaderSignedZeroInfNanPreserve / DenormPreserve / DenormFlushToZero / RoundingModeRTE for 16, 32, 64
    /// bits.
    pub float_controls: FloatControls,
    pub denorms32: Denorms32,
    /// Whether GLSL.std.450 Fma on f32 is a correctly rounded fused multiply-add.
    pub exact_fma32: bool,
    /// Whether GLSL.std.450 Fma on f64 is a correctly rounded fused multiply-add.
    pub exact_fma64: bool,
    /// Whether f32 division and square root are correctly rounded.
    pub exact_div32: bool,
    pub exact_sqrt32: bool,
    /// Whether f64 division and square root are correctly rounded.
    pub exact_div64: bool,
    pub exact_sqrt64: bool,
    /// Whether the device's f32 `Exp2` is within 3 ulp near zero, as OpenCL's relaxed table requires (Vulkan:
    /// 3 + 2 |x|).
    pub close_exp2: bool,
    /// Whether the device's f32 `Log2` is within 3 ulp, or 2^-21 near 1. Denormal arguments count unless they
    /// are flushed.
    pub close_log2: bool,
    /// Work-items in a full sub-group, unless the kernel requires another size. If not 0, the device has
    /// basic operations, votes, ballots and shuffles. 0 if its sub-groups are not usable: then each work-item
    /// is a sub-group.
    pub subgroup_size: u32,
    /// Smallest and largest size that a kernel may require; both 0 if there is no choice.
    pub subgroup_size_range: (u32, u32),
    pub subgroup_ops: SubgroupOps,
    /// Whether dot products of packed bytes are single instructions.
    pub integer_dot_product: bool,
    /// Whether clocks of the sub-group and of the device can be read.
    pub subgroup_clock: bool,
    pub device_clock: bool,
    /// Maximum bytes of workgroup memory.
    pub max_workgroup_memory: u32,
    /// Maximum invocations of a workgroup, in all and per dimension.
    pub max_workgroup_invocations: u32,
    pub max_workgroup_size: [u32; 3],
    pub code: Code,
}

/// Form of the code to generate, with the facts that concern it alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// SPIR-V for Vulkan.
    Vulkan(VulkanTarget),
    /// Machine code for the host's processor.
    Native(CpuTarget),
}

/// A Vulkan device that SPIR-V is generated for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VulkanTarget {
    /// SPIR-V version of the modules: (1, 0), or (1, 3) to (1, 6). Explicit layouts of work-group memory
    /// need 1.4.
    pub spirv_version: (u8, u8),
    /// Whether modules have the storage class StorageBuffer (SPIR-V 1.3,
    /// SPV_KHR_storage_buffer_storage_class). Otherwise storage buffers are of the class Uniform, and their
    /// blocks decorated `BufferBlock`.
    pub storage_buffer_class: bool,
    /// storageBuffer8BitAccess / storageBuffer16BitAccess (also used for physical storage buffers).
    pub storage8: bool,
    pub storage16: bool,
    /// Whether the driver executes fences and ordered atomics of work-group or device scope as execution
    /// barriers.
    pub fences_block: bool,
    /// Whether workgroup arrays can be seen with other elements (workgroupMemoryExplicitLayout).
    pub workgroup_explicit_layout: bool,
    pub vulkan_memory_model: bool,
    /// Bytes of push constants.
    pub max_push_constants: u32,
    /// Whether buffers have device addresses (bufferDeviceAddress). If not, every kernel is compiled for
    /// bindings with virtual addresses.
    pub addresses: bool,
    /// Storage-buffer descriptors that a kernel may use; 0 disables the bindings mode.
    pub max_buffer_descriptors: u32,
    /// Descriptors of all kinds that a kernel may use.
    pub max_descriptors: u32,
    /// Storage-image descriptors that a kernel may use.
    pub max_storage_images: u32,
    /// Levels of detail that an image can have.
    pub image_levels: u8,
    /// shaderStorageImageReadWithoutFormat and ...WriteWithoutFormat.
    pub storage_image_read_any: bool,
    pub storage_image_write_any: bool,
    /// shaderStorageImageExtendedFormats.
    pub storage_image_extended_formats: bool,
    /// Whether texture units read images through constant samplers with a linear filter, as far as an image's
    /// format and size allow it ([`crate::abi::ability`]). Otherwise kernels compute such reads from texels.
    pub filters_images: bool,
    /// Whether texel fetches outside of an image return the border that its format has, as far as the image
    /// allows it ([`crate::abi::ability::FETCH_BORDER`]; robustImageAccess2).
    pub fetches_borders: bool,
    /// Whether the device profile prefers storage-buffer bindings to device addresses.
    pub prefer_bindings: bool,
    /// Whether the driver's compiler honours `Aliased`, by which variables of different types at one binding
    /// are the same memory. Otherwise accesses through them are volatile.
    pub aliased_views: bool,
    /// Whether the driver moves the parts of loads wider than 16 bytes far apart, unless a dependency
    /// prevents it.
    pub scatters_wide_loads: bool,
    /// Whether the driver computes `(x & 0x7fffffff) | (y & 0x80000000)` wrongly.
    pub wrong_copysign: bool,
    /// Whether the driver computes 64-bit rotations by 64-bit shifts.
    pub shifts_rotations64: bool,
    /// Whether the driver's 64-bit integer division damages other values.
    pub wrong_division64: bool,
    /// Whether the driver truncates doubles, and rounds them to nearest, wrongly.
    pub wrong_rounding64: bool,
    /// Whether the driver executes loads from device addresses that all lanes share where no lane is active.
    pub unmasked_loads: bool,
    /// Whether the driver generates much code for each component of a buffer access: vectors of small
    /// integers are then accessed by words.
    pub scalar_accesses: bool,
    /// Whether the last test of a loop goes into its continue block, as in GLSL's `do ... while`. llvmpipe
    /// generates worse code for that.
    pub tests_in_continue: bool,
    /// Lanes that left a loop go on computing, which changes values used after it unless they are phis: loops
    /// must be in LCSSA form.
    pub needs_lcssa: bool,
    /// Whether each branch out of a loop costs an update of the lanes' mask.
    pub masked_loop_exits: bool,
    /// The driver ends loops, as if they were done, once the loops of lanes that run together have had this
    /// many iterations in all.
    pub max_trip_count: Option<u32>,
}

/// A processor that native code is generated for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CpuTarget {
    /// Model and features: code for one processor may not run on another.
    pub processor: String,
    /// Work-items of a sub-group, and of a vector in kernels with sub-groups: 4, 8, 16 or 32.
    pub width: u32,
    /// Work-items of a vector in other kernels.
    pub vector_width: u32,
    /// Whether memory accesses are calls of the runtime, which checks them ([`crate::native::check`]).
    pub instrumented: bool,
    pub generator: CodeGenerator,
}

/// Generator of machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CodeGenerator {
    /// LLVM in a child process: the fastest code.
    Llvm,
    /// Cranelift in the process: code in milliseconds.
    Cranelift,
    /// Cranelift in less than half the time: registers are allocated in a single pass, and kernels have one
    /// function for all groups.
    Baseline,
    /// None: programs have the interfaces of their kernels, whose code is generated one by one later.
    Later,
}

impl CodeGenerator {
    /// Whether it is Cranelift, which generates code in the process.
    pub fn is_cranelift(self) -> bool {
        matches!(self, CodeGenerator::Cranelift | CodeGenerator::Baseline)
    }

    /// Whether it has code for this process's kind of processor. LLVM also needs clang.
    pub fn is_available(self) -> bool {
        !self.is_cranelift() || cfg!(any(target_arch = "x86_64", target_arch = "aarch64"))
    }
}

impl CpuTarget {
    /// Whether the processor has a feature, by the kernel's name for it.
    pub(crate) fn has(&self, feature: &str) -> bool {
        self.processor.split_whitespace().any(|f| f == feature)
    }
}

/// Atomic additions, minima and maxima of floating-point numbers that the device supports, by width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FloatAtomics {
    pub add16: bool,
    pub add32: bool,
    pub add64: bool,
    pub min_max16: bool,
    pub min_max32: bool,
    pub min_max64: bool,
}

impl FloatAtomics {
    /// Every operation.
    pub const ALL: FloatAtomics = FloatAtomics {
        add16: true,
        add32: true,
        add64: true,
        min_max16: true,
        min_max32: true,
        min_max64: true,
    };

    /// Whether addition, or minimum and maximum, of numbers of `bits` bits is supported.
    pub fn has(self, add: bool, bits: u32) -> bool {
        match (add, bits) {
            (true, 16) => self.add16,
            (true, 32) => self.add32,
            (true, 64) => self.add64,
            (false, 16) => self.min_max16,
            (false, 32) => self.min_max32,
            (false, 64) => self.min_max64,
            _ => false,
        }
    }
}

/// Float-control execution modes the device offers, per width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FloatControls {
    pub preserve16: bool,
    pub preserve32: bool,
    pub preserve64: bool,
    pub denorm_preserve16: bool,
    pub denorm_preserve32: bool,
    pub denorm_preserve64: bool,
    pub denorm_flush32: bool,
    pub rte16: bool,
    pub rte32: bool,
    pub rte64: bool,
}

/// Sub-group operation classes the device supports in compute shaders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SubgroupOps {
    pub basic: bool,
    pub vote: bool,
    pub arithmetic: bool,
    pub ballot: bool,
    pub shuffle: bool,
    pub shuffle_relative: bool,
    pub clustered: bool,
    pub extended_types: bool,
}

/// Bytes of workgroup memory that every device has.
pub(crate) const MIN_WORKGROUP_MEMORY: u32 = 16_384;

/// Sub-group sizes that every device with sub-groups has, by emulation if need be.
const EMULATED_SUB_GROUP_SIZES: [u32; 5] = [8, 16, 32, 64, 128];

/// Treatment of f32 denormals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Denorms32 {
    Kept,
    /// The device flushes denormal operands and results of every operation to zero.
    Flushed,
    /// The compiler flushes them, on a device that would preserve them.
    MadeFlushed,
}

impl Target {
    /// Whether functions of single precision are computed with the device's fused multiply-add, exponential
    /// and logarithm (`builtins/hardware.cl`).
    pub(crate) fn hardware_math(&self) -> bool {
        self.vulkan().is_some() && self.exact_fma32 && self.close_exp2 && self.close_log2
    }

    /// The device's sub-group size for kernels that require a size: that size if the device has it, else the
    /// nearest. `None` if kernels cannot require it.
    pub(crate) fn sub_group_size_for(&self, size: u32) -> Option<u32> {
        let (low, high) = match self.subgroup_size_range {
            (0, _) => (self.subgroup_size, self.subgroup_size),
            range => range,
        };
        let emulated = EMULATED_SUB_GROUP_SIZES.contains(&size);
        match self.subgroup_size {
            // Each work-item is a sub-group.
            0 | 1 => (size == 1 || emulated).then_some(1),
            _ if size.is_power_of_two() && (low..=high).contains(&size) => Some(size),
            _ => emulated.then(|| size.clamp(low, high)),
        }
    }
    /// The sub-group sizes that kernels may require: those of the device, then others.
    pub fn sub_group_sizes(&self) -> Vec<u32> {
        let (low, high) = self.subgroup_size_range;
        let own = match self.subgroup_size {
            size @ (0 | 1) => vec![size.max(1)],
            size if low == 0 => vec![size],
            _ => (low.trailing_zeros()..=high.ilog2()).map(|bit| 1 << bit).collect(),
        };
        if self.subgroup_size <= 1 {
            return own;
        }
        let others = EMULATED_SUB_GROUP_SIZES.iter().filter(|size| !own.contains(size));
        own.iter().chain(others).copied().collect()
    }
    /// The host's processor. `has` tests for a feature by its name in /proc/cpuinfo.
    pub fn native(processor: String, has: &dyn Fn(&str) -> bool) -> Target {
        let width = if has("avx512f") && has("avx512vl") && has("avx512bw") && has("avx512dq") {
            16
        } else if has("avx2") {
            8
        } else {
            4
        };
        let arm = cfg!(target_arch = "aarch64");
        // Without instructions for it LLVM calls library functions, which the code is not linked with.
        let (fma, half) = (arm || has("fma"), arm || has("f16c"));
        Target {
            float16: half,
            exact_fma32: fma,
            exact_fma64: fma,
            exact_div32: true,
            exact_sqrt32: true,
            exact_div64: true,
            exact_sqrt64: true,
            float_controls: FloatControls {
                preserve16: true,
                preserve32: true,
                preserve64: true,
                denorm_preserve16: true,
                denorm_preserve32: true,
                denorm_preserve64: true,
                rte16: half,
                rte32: true,
                rte64: true,
                ..FloatControls::default()
            },
            buffer_float_atomics: FloatAtomics::ALL,
            shared_float_atomics: FloatAtomics::ALL,
            subgroup_size: width,
            subgroup_size_range: (0, 0),
            subgroup_ops: SubgroupOps {
                basic: true,
                vote: true,
                ballot: true,
                shuffle: true,
                arithmetic: true,
                clustered: true,
                extended_types: true,
                ..SubgroupOps::default()
            },
            subgroup_clock: true,
            device_clock: true,
            code: Code::Native(CpuTarget {
                processor,
                width,
                vector_width: width,
                instrumented: false,
                generator: CodeGenerator::Llvm,
            }),
            max_workgroup_memory: 256 << 10,
            max_workgroup_invocations: 4096,
            max_workgroup_size: [4096; 3],
            ..Target::generic()
        }
    }
    /// The processor with code by this generator. Sub-groups have one size, whatever the generator.
    pub fn with_generator(mut self, generator: CodeGenerator) -> Target {
        if let Code::Native(cpu) = &mut self.code {
            cpu.generator = generator;
            // Cranelift's vectors have 128 bits.
            cpu.vector_width = if generator.is_cranelift() { 4 } else { cpu.width };
        }
        self
    }
    /// A capable desktop device: what offline compilation and compiler tests use.
    pub fn generic() -> Target {
        Target {
            int8: true,
            int16: true,
            int64: true,
            float16: true,
            float64: true,
            buffer_int64_atomics: true,
            shared_int64_atomics: true,
            buffer_float_atomics: FloatAtomics::default(),
            shared_float_atomics: FloatAtomics::default(),
            float_controls: FloatControls {
                preserve16: true,
                preserve32: true,
                preserve64: true,
                ..FloatControls::default()
            },
            exact_fma32: false,
            exact_fma64: false,
            denorms32: Denorms32::Kept,
            exact_div32: false,
            exact_sqrt32: false,
            exact_div64: false,
            exact_sqrt64: false,
            close_exp2: false,
            close_log2: false,
            subgroup_size: 0,
            subgroup_size_range: (0, 0),
            subgroup_ops: SubgroupOps::default(),
            integer_dot_product: false,
            subgroup_clock: false,
            device_clock: false,
            max_workgroup_memory: 32768,
            max_workgroup_invocations: 1024,
            max_workgroup_size: [1024, 1024, 64],
            code: Code::Vulkan(VulkanTarget::generic()),
        }
    }
    /// The Vulkan device, if code is generated for one.
    pub fn vulkan(&self) -> Option<&VulkanTarget> {
        match &self.code {
            Code::Vulkan(vulkan) => Some(vulkan),
            Code::Native(_) => None,
        }
    }
    /// The processor, if native code is generated.
    pub fn cpu(&self) -> Option<&CpuTarget> {
        match &self.code {
            Code::Native(cpu) => Some(cpu),
            Code::Vulkan(_) => None,
        }
    }
    /// Whether memory accesses are calls of the runtime, which checks them.
    pub fn is_instrumented(&self) -> bool {
        self.cpu().is_some_and(|cpu| cpu.instrumented)
    }
    /// The target with changes to its Vulkan device, if it has one.
    pub fn with_vulkan(mut self, change: impl FnOnce(&mut VulkanTarget)) -> Target {
        if let Code::Vulkan(vulkan) = &mut self.code {
            change(vulkan);
        }
        self
    }
    /// The Vulkan device in code that is reached only with one.
    pub(crate) fn needs_vulkan(&self) -> Result<&VulkanTarget> {
        self.vulkan().invariant("lowering to Vulkan for another target")
    }
}

impl VulkanTarget {
    /// Whether modules must declare the formats of storage images that are written, and read too if `read`
    /// ([`crate::texel_format`]).
    pub fn declares_format(&self, read: bool) -> bool {
        !self.storage_image_write_any || read && !self.storage_image_read_any
    }

    /// The device of [`Target::generic`].
    pub fn generic() -> VulkanTarget {
        VulkanTarget {
            spirv_version: (1, 6),
            storage_buffer_class: true,
            storage8: true,
            storage16: true,
            fences_block: false,
            workgroup_explicit_layout: false,
            vulkan_memory_model: true,
            max_push_constants: 128,
            addresses: true,
            max_buffer_descriptors: 32,
            max_descriptors: 512,
            max_storage_images: 64,
            image_levels: 15,
            storage_image_read_any: true,
            storage_image_write_any: true,
            storage_image_extended_formats: true,
            filters_images: false,
            fetches_borders: false,
            prefer_bindings: false,
            aliased_views: true,
            scatters_wide_loads: false,
            wrong_copysign: false,
            shifts_rotations64: false,
            wrong_division64: false,
            wrong_rounding64: false,
            unmasked_loads: false,
            scalar_accesses: false,
            tests_in_continue: true,
            needs_lcssa: false,
            masked_loop_exits: false,
            max_trip_count: None,
        }
    }
}
