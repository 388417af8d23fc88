//! Facts that every device kind reports about a device; clGetDeviceInfo is answered from this record.

use super::share::{MemoryHandle, SemaphoreHandle};
use crate::cl::image::{ImageFormat, ImageKind, ImageShape};
use crate::cl::*;
use clspv_bridge::metadata::AccessQualifier;
use serde::{Deserialize, Serialize};

/// Affinity domains from the largest to the smallest: the order in which
/// CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE tries them.
pub(crate) const AFFINITY_DOMAINS: [cl_device_affinity_domain; 5] = [
    CL_DEVICE_AFFINITY_DOMAIN_NUMA,
    CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE,
    CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE,
    CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE,
    CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE,
];

/// Version of the encodings of program binaries and of cached code.
pub const BINARY_VERSION: u32 = 23;

/// CL_DRIVER_VERSION: our version, then the underlying Vulkan driver or code generator. It changes with
/// [`BINARY_VERSION`]: programs such as hashcat cache binaries by this text, and fail if one is rejected.
pub fn driver_version(underlying: &str) -> String {
    format!("{}.{BINARY_VERSION} ({underlying})", env!("CARGO_PKG_VERSION"))
}

/// Names of features that a device may have on another processor ([`DeviceInfo::elsewhere`]).
pub const DOUBLE: &str = "double precision";
pub const HALF: &str = "half precision";
pub const INT64_ATOMICS: &str = "64-bit atomics";
pub const IMAGE_FORMATS: &str = "image formats";
pub const ENQUEUE: &str = "queues on the device";

/// Kind of device, as CL_DEVICE_TYPE_*.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DeviceKind {
    #[default]
    Gpu,
    Cpu,
    Accelerator,
}

/// How a device shares addresses with the host. Each level includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub enum AddressSharing {
    #[default]
    None,
    /// Allocations have host memory at their device address. The runtime copies between the two.
    Mirrored,
    /// Allocations can be host memory with one address for host and device, which both may access
    /// concurrently.
    Concurrent,
    /// Every address of the process is a device address.
    Host,
}

/// Uses of an image format by kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ImageUse {
    pub read: bool,
    pub write: bool,
    /// Reads and writes in one kernel.
    pub read_write: bool,
}

impl ImageUse {
    /// Whether kernels can use the format as an argument declares.
    pub fn allows(&self, access: AccessQualifier) -> bool {
        match access {
            AccessQualifier::ReadOnly | AccessQualifier::None => self.read,
            AccessQualifier::WriteOnly => self.write,
            AccessQualifier::ReadWrite => self.read_write,
        }
    }
}

/// A format with its uses, indexed like [`ImageKind::ALL`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FormatSupport {
    pub format: ImageFormat,
    pub uses: [ImageUse; 6],
}

/// Image limits, in texels, and formats.
#[derive(Clone, Debug, Default)]
pub struct ImageFacts {
    pub max_2d: [u32; 2],
    pub max_3d: [u32; 3],
    pub max_layers: u32,
    /// Images can have several levels of detail.
    pub levels: bool,
    /// Kernels can write to every level.
    pub level_writes: bool,
    /// Maximum texels of an image in a buffer.
    pub max_buffer: u64,
    pub max_read_args: u32,
    pub max_write_args: u32,
    /// 0 if kernels cannot read and write the same image.
    pub max_read_write_args: u32,
    /// For images in buffers: the row pitch in texels and the start in bytes are multiples of these.
    pub pitch_alignment: u32,
    pub base_alignment: u32,
    pub formats: Vec<FormatSupport>,
}

impl ImageFacts {
    /// The uses of a format for images of a kind.
    pub fn uses(&self, format: ImageFormat, kind: ImageKind) -> ImageUse {
        let at = ImageKind::ALL.iter().position(|k| *k == kind);
        let found = self.formats.iter().find(|f| f.format == format);
        found.zip(at).map_or(ImageUse::default(), |(f, at)| f.uses[at])
    }

    /// Whether the device supports images of this format, shape and number of levels.
    pub fn holds(&self, format: ImageFormat, shape: &ImageShape, levels: u32) -> bool {
        self.uses(format, shape.kind).read && self.fits(shape) && (levels <= 1 || self.levels)
    }

    /// Whether the shape is within the size limits.
    pub fn fits(&self, shape: &ImageShape) -> bool {
        let [w, h, d] = shape.size;
        let layers = |n: u32| n <= self.max_layers;
        match shape.kind {
            ImageKind::D1 => w <= self.max_2d[0],
            ImageKind::Buffer => u64::from(w) <= self.max_buffer,
            ImageKind::D1Array => w <= self.max_2d[0] && layers(h),
            ImageKind::D2 => w <= self.max_2d[0] && h <= self.max_2d[1],
            ImageKind::D2Array => w <= self.max_2d[0] && h <= self.max_2d[1] && layers(d),
            ImageKind::D3 => w <= self.max_3d[0] && h <= self.max_3d[1] && d <= self.max_3d[2],
        }
    }
}

/// Results of the queries of cl_nv_device_attribute_query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NvidiaFacts {
    /// CUDA's compute capability, major and minor number.
    pub capability: (u32, u32),
    pub registers_per_block: u32,
    pub warp_size: u32,
    /// Copies between host and device run concurrently with kernels.
    pub copies_beside_kernels: bool,
    /// The driver terminates kernels that run for seconds.
    pub has_run_time_limit: bool,
    pub integrated: bool,
}

/// Limits of on-device queues. Sizes in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EnqueueFacts {
    pub preferred_size: u32,
    pub max_size: u32,
    pub max_queues: u32,
    pub max_events: u32,
}

/// Facts of a device. Sizes in bytes, times in nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct DeviceInfo {
    pub kind: DeviceKind,
    pub name: String,
    pub vendor: String,
    pub vendor_id: u32,
    /// CL_DRIVER_VERSION, from [`driver_version`].
    pub driver_version: String,
    pub uuid: [u8; 16],
    pub driver_uuid: [u8; 16],
    pub luid: Option<([u8; 8], u32)>,
    /// PCI address: domain, bus, device, function.
    pub pci: Option<[u32; 4]>,
    /// Supported external handle types of semaphores and memory.
    pub semaphore_imports: Vec<SemaphoreHandle>,
    pub semaphore_exports: Vec<SemaphoreHandle>,
    pub memory_imports: Vec<MemoryHandle>,
    /// Unit in bytes in which memory of the process can be imported as a buffer, which may begin at any
    /// address; 0 if imports are unsupported.
    pub host_import_alignment: u64,
    /// Support of device-side enqueue.
    pub enqueue: Option<EnqueueFacts>,
    pub compute_units: u32,
    /// The device can be divided into sub-devices.
    pub divisible: bool,
    /// CL_DEVICE_AFFINITY_DOMAIN_* bits by which the device has several parts.
    pub affinity_domains: u64,
    pub clock_mhz: u32,
    pub max_work_group_size: u32,
    pub max_work_item_sizes: [u64; 3],
    pub local_mem_size: u64,
    /// Local memory is dedicated (CL_LOCAL) rather than taken from global memory (CL_GLOBAL).
    pub local_mem_dedicated: bool,
    pub global_mem_size: u64,
    pub max_alloc_size: u64,
    pub max_constant_buffer_size: u64,
    pub max_constant_args: u32,
    pub cache_size: u64,
    pub cache_line: u32,
    /// CL_DEVICE_MEM_BASE_ADDR_ALIGN in bits.
    pub base_addr_align_bits: u32,
    pub host_unified_memory: bool,
    pub max_parameter_size: usize,
    /// Size of a full sub-group in kernels that require no size, and the sizes that kernels may require.
    pub sub_group_size: u32,
    pub sub_group_sizes: Vec<usize>,
    pub max_num_sub_groups: u32,
    pub timer_resolution_ns: u64,
    pub fp16: bool,
    pub fp64: bool,
    /// Accelerated dot products of byte vectors and of packed bytes: signed, unsigned, mixed, then each with
    /// saturating accumulation.
    pub dot_accelerated: [[bool; 6]; 2],
    /// Kernels can read the clocks of sub-group and device.
    pub subgroup_clock: bool,
    pub device_clock: bool,
    pub int64_atomics: bool,
    /// Local memory can be zero-initialised.
    pub zero_local: bool,
    /// Denormals of f16/f32/f64 are kept.
    pub denorm16: bool,
    pub denorm32: bool,
    pub denorm64: bool,
    /// f32 fma is done in hardware (FP_FAST_FMA).
    pub fast_fma32: bool,
    pub correctly_rounded_div_sqrt: bool,
    pub little_endian: bool,
    pub ecc: bool,
    /// Images and samplers work.
    pub images: bool,
    /// Kinds of allocations with one address for host and device.
    pub sharing: AddressSharing,
    /// Buffers have device addresses that kernels can receive as numbers.
    pub buffer_addresses: bool,
    pub image: ImageFacts,
    pub nvidia: Option<NvidiaFacts>,
    /// Features that the device has only on another processor: the name, and a text that says where.
    pub elsewhere: Vec<(&'static str, String)>,
    /// Lines for `pyroclast info`: missing features and the reasons.
    pub notes: Vec<String>,
}
