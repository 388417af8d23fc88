//! What every device kind must tell about itself; clGetDeviceInfo is answered from this record.

use super::share::{MemoryHandle, SemaphoreHandle};
use crate::cl::image::{ImageFormat, ImageKind, ImageShape};

/// Kind of device, as CL_DEVICE_TYPE_*.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DeviceKind {
    #[default]
    Gpu,
    Cpu,
    Accelerator,
}

/// How a device shares addresses with the host; each way includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum AddressSharing {
    #[default]
    None,
    /// Allocations have host memory at their device address; bytes are copied between the two.
    Mirrored,
    /// Allocations can be of host memory that has one address for both.
    Concurrent,
    /// Every address of the process is one of the device.
    Host,
}

/// What an image of a format can be for kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ImageUse {
    pub read: bool,
    pub write: bool,
    /// Both in one kernel.
    pub read_write: bool,
}

/// A format with its uses, by [`ImageKind::ALL`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FormatSupport {
    pub format: ImageFormat,
    pub uses: [ImageUse; 6],
}

/// Facts about images: sizes in texels, and what formats there are.
#[derive(Clone, Debug, Default)]
pub struct ImageFacts {
    pub max_2d: [u32; 2],
    pub max_3d: [u32; 3],
    pub max_layers: u32,
    /// Images can have levels of detail.
    pub levels: bool,
    /// Kernels can write to each of them.
    pub level_writes: bool,
    /// Texels of an image in a buffer.
    pub max_buffer: u64,
    pub max_read_args: u32,
    pub max_write_args: u32,
    /// 0 if kernels cannot both read and write an image.
    pub max_read_write_args: u32,
    /// Of images in buffers: row pitch in texels and start in bytes are multiples of it.
    pub pitch_alignment: u32,
    pub base_alignment: u32,
    pub formats: Vec<FormatSupport>,
}

impl ImageFacts {
    /// What an image can be used for.
    pub fn uses(&self, format: ImageFormat, kind: ImageKind) -> ImageUse {
        let at = ImageKind::ALL.iter().position(|k| *k == kind);
        let found = self.formats.iter().find(|f| f.format == format);
        found.zip(at).map_or(ImageUse::default(), |(f, at)| f.uses[at])
    }

    /// Whether the device can have such images.
    pub fn holds(&self, format: ImageFormat, shape: &ImageShape, levels: u32) -> bool {
        self.uses(format, shape.kind).read && self.fits(shape) && (levels <= 1 || self.levels)
    }

    /// Whether images can be that large.
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

/// What cl_nv_device_attribute_query asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NvidiaFacts {
    /// CUDA's compute capability, major and minor number.
    pub capability: (u32, u32),
    pub registers_per_block: u32,
    pub warp_size: u32,
    /// Copies between host and device go on beside kernels.
    pub copies_beside_kernels: bool,
    /// Kernels that run for seconds are ended.
    pub has_run_time_limit: bool,
    pub integrated: bool,
}

/// Facts about queues on the device. Sizes in bytes.
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
    /// CL_DRIVER_VERSION text: ours, then the Vulkan driver's name and version.
    pub driver_version: String,
    pub uuid: [u8; 16],
    pub driver_uuid: [u8; 16],
    pub luid: Option<([u8; 8], u32)>,
    /// domain, bus, device, function
    pub pci: Option<[u32; 4]>,
    /// Handles of semaphores and memory that are shared with others.
    pub semaphore_imports: Vec<SemaphoreHandle>,
    pub semaphore_exports: Vec<SemaphoreHandle>,
    pub memory_imports: Vec<MemoryHandle>,
    /// Memory of the process can be made a buffer that may begin anywhere, in units of so many bytes; 0 if it cannot.
    pub host_import_alignment: u64,
    /// Kernels can enqueue kernels.
    pub enqueue: Option<EnqueueFacts>,
    pub compute_units: u32,
    /// Parts of the compute units can be devices.
    pub divisible: bool,
    /// CL_DEVICE_AFFINITY_DOMAIN_* by which there are several parts.
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
    /// Work-items of a full sub-group of kernels that require no size, and the sizes they may require.
    pub sub_group_size: u32,
    pub sub_group_sizes: Vec<usize>,
    pub max_num_sub_groups: u32,
    pub timer_resolution_ns: u64,
    pub fp16: bool,
    pub fp64: bool,
    /// Dot products of vectors of bytes and of packed bytes that are accelerated: signed, unsigned, mixed, then the same with
    /// saturating accumulation.
    pub dot_accelerated: [[bool; 6]; 2],
    /// Kernels can read clocks of the sub-group and of the device.
    pub subgroup_clock: bool,
    pub device_clock: bool,
    pub int64_atomics: bool,
    /// Kernels can begin with local memory that is zeros.
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
    /// What allocations with one address for host and device there can be.
    pub sharing: AddressSharing,
    /// Buffers have addresses that kernels can be given as numbers.
    pub buffer_addresses: bool,
    pub image: ImageFacts,
    pub nvidia: Option<NvidiaFacts>,
    /// Lines for `pyroclast info`: features that are absent and why.
    pub notes: Vec<String>,
}
