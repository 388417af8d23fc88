//! The launch contract between generated Vulkan SPIR-V and the runtime that launches it.
//!
//! A kernel is a compute entry point [`ENTRY_POINT`] in a module of its own. It reads one push-constant
//! block: implicit arguments first, then (when they fit) the packed arguments. When they do not fit, the
//! block starts with the device address of a *kernarg buffer* that holds the very same block instead.
//! Specialisation constants 0, 1 and 2 are the workgroup size; further ones give the lengths of local-memory
//! arguments.

use crate::metadata::KernelInfo;

/// Name of the entry point of every generated module.
pub const ENTRY_POINT: &str = "main";
/// SpecIds of the workgroup size in x, y and z.
pub const SPEC_LOCAL_SIZE: [u32; 3] = [0, 1, 2];
/// First SpecId of local-memory argument lengths.
pub const SPEC_FIRST_FREE: u32 = 3;
/// SpecIds of the local size in x, y and z of a kernel with sub-groups ([`LaunchAbi::is_linear`]).
pub const SPEC_LINEAR_LOCAL_SIZE: [u32; 3] = [0x1000, 0x1001, 0x1002];

/// SpecId of how texels are stored in the storage image at binding 0 ([`crate::texel_order`]), then of that at binding 1 and so on.
/// A module has those of its storage images.
pub const SPEC_FIRST_IMAGE: u32 = 0x2000;

/// Implicit argument: a value that the runtime puts into the block beside the kernel's arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ImplicitArg {
    /// u64: global id of the first work-item of this dispatch (global offset + first group times enqueued local size).
    GlobalIdBase(u8),
    /// u32: first group of this dispatch.
    GroupBase(u8),
    /// u64: clEnqueueNDRangeKernel's global_work_offset.
    GlobalOffset(u8),
    /// u64: global_work_size.
    GlobalSize(u8),
    /// u32: local size of full groups.
    EnqueuedLocalSize(u8),
    /// u32: groups of the whole launch.
    NumGroups(u8),
    /// u32: work_dim.
    WorkDim,
    /// u64: device or virtual address of the program's data block ([`DataBlock`]); in bindings mode unused.
    DataAddress,
    /// u64: device address of the print buffer ([`crate::printf`]); in bindings mode unused.
    PrintfAddress,
    /// u32: what is added to the numbers of printf calls in records, so that the kernels of several launches can be told apart.
    PrintfBase,
    /// u32: byte offset of a local-pointer argument in the common workgroup block.
    LocalArgOffset(u16),
    /// u32: format of the image set as this argument: cl_channel_order in the high half, cl_channel_type in the low one.
    ImageFormat(u16),
    /// u32: width, height or depth (dimension 0, 1, 2) of the image set as this argument; the layers of an array are the
    /// dimension after its last one. Dimension 3 are the levels of detail.
    ImageSize(u16, u8),
}

impl ImplicitArg {
    /// Bytes of the value, which is also its alignment.
    pub fn size(self) -> u32 {
        match self {
            ImplicitArg::GlobalIdBase(_)
            | ImplicitArg::GlobalOffset(_)
            | ImplicitArg::GlobalSize(_)
            | ImplicitArg::DataAddress
            | ImplicitArg::PrintfAddress => 8,
            _ => 4,
        }
    }
}

/// Where the block lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum BlockPlace {
    /// In push constants, at offset 0.
    Push,
    /// In a buffer whose u64 device address is the only push constant, at offset 0.
    Buffer,
    /// In a storage buffer of its own ([`BindingSource::Block`]).
    Bound,
}

/// What stands for NULL among pointers of the bindings mode; no byte offset is that large.
pub const NULL_OFFSET: u32 = 0x8000_0000;

/// How a launch passes buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum PointerMode {
    /// An argument slot of a global or constant pointer holds its u64 device address (0 for NULL).
    Addresses,
    /// Such an argument is a storage-buffer descriptor that begins where the buffer begins; its slot is not read. An
    /// argument that is not accessed has no descriptor: its slot holds the u32 [`NULL_OFFSET`] for NULL and 0 for others.
    Bindings,
    /// For devices without addresses. Each buffer has a number below 2^30; the slot of an argument holds a u64 *virtual
    /// address*, the number in the high word and the byte offset in the low one (0 for NULL), and so does every pointer in
    /// memory. Accesses go to descriptors as in [`PointerMode::Bindings`]; where several buffers are possible, the number
    /// chooses between them. What stands for NULL is bound to any buffer.
    Virtual,
}

/// What is bound to a descriptor (set 0, binding = index in [`LaunchAbi::bindings`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum BindingSource {
    /// The buffer set as this kernel argument.
    Arg(u16),
    /// The same, but all of the buffer that the argument may be a part of ([`PointerMode::Virtual`]).
    Whole(u16),
    /// The argument block ([`BlockPlace::Bound`]).
    Block,
    /// The program's data block.
    Data,
    /// The print buffer ([`crate::printf`]).
    Print,
    /// The image set as this argument.
    Image(ImageBinding),
}

/// An image's descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct ImageBinding {
    /// The kernel argument.
    pub arg: u16,
    /// A storage image (or storage texel buffer), which is read and written; else a sampled image (or uniform texel
    /// buffer), which is only fetched from.
    pub storage: bool,
    /// The kernel reads and writes floating-point texels. Else it sees unsigned numbers: the view of a signed format must
    /// be the unsigned format of the same size, and the kernel extends and saturates by [`ImplicitArg::ImageFormat`].
    pub float: bool,
    /// The argument is an `image1d_buffer_t`, so this is a texel buffer.
    pub buffer: bool,
    /// Of a storage image: the level of detail, or the last one that the image has.
    pub level: u8,
    /// The module declares a format, which must be made that of the image ([`crate::texel_format::declare`]): the image is read
    /// and written on a device that cannot read storage images of any format.
    pub declared: bool,
}

/// What a sampler argument's slot of 4 bytes holds: addressing mode, flags of normalised coordinates and linear filter; for
/// images with levels of detail a flag of linear interpolation between two, and their limits.
pub mod sampler {
    pub const ADDRESS_NONE: u32 = 0;
    pub const CLAMP_TO_EDGE: u32 = 1;
    pub const CLAMP: u32 = 2;
    pub const REPEAT: u32 = 3;
    pub const MIRRORED_REPEAT: u32 = 4;
    pub const NORMALIZED: u32 = 8;
    pub const LINEAR: u32 = 16;
    pub const LEVELS_LINEAR: u32 = 32;
    /// The least level, and [`LOD_LIMIT`] less the greatest, in units of 1/256.
    pub const LOD_MIN_SHIFT: u32 = 6;
    pub const LOD_MAX_SHIFT: u32 = 19;
    pub const LOD_LIMIT: u32 = (1 << 13) - 1;
}

/// What a pipe's memory holds: words of 32 bits at the places below, counters each in a cache line of its own, then a mark for
/// every slot, and from [`pipe::packets`] on the slots. `builtins/pipe.cl` says what they mean; a new pipe is zero but for the
/// first four words.
pub mod pipe {
    /// Number of slots, less one.
    pub const MASK: usize = 0;
    pub const MAX_PACKETS: usize = 1;
    pub const PACKET_SIZE: usize = 2;
    /// Bytes before the slots.
    pub const PACKETS: usize = 3;
    /// Words before the marks.
    pub const MARKS: u64 = 80;

    /// Slots of a pipe: a power of two, at least two, so that the marks of successive laps differ.
    pub fn slots(max_packets: u32) -> u64 {
        u64::from(max_packets).next_power_of_two().max(2)
    }
    /// Bytes before the slots, which are aligned for every type.
    pub fn packets(max_packets: u32) -> u64 {
        (4 * (MARKS + slots(max_packets))).next_multiple_of(128)
    }
    /// Bytes of the whole.
    pub fn size(packet_size: u32, max_packets: u32) -> u64 {
        packets(max_packets) + slots(max_packets) * u64::from(packet_size)
    }
}

/// What a specialisation constant is set to: the size of a local argument in elements, or of the common block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum LocalSpec {
    /// ceil(argument size / elem_bytes), at least 1.
    Arg { arg: u16, elem_bytes: u32 },
    /// The common workgroup block: `fixed_bytes` of variables, then every argument of [`LaunchAbi::common_local_args`]
    /// in order, each aligned to 16 bytes; in units of `elem_bytes`, at least 1.
    Common { fixed_bytes: u32, elem_bytes: u32 },
}

/// The launch contract of one variant.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct LaunchAbi {
    pub mode: PointerMode,
    pub place: BlockPlace,
    /// ImplicitArg values and their byte offsets in the block.
    pub implicit_args: Vec<(ImplicitArg, u32)>,
    /// Byte offset of the packed arguments in the block ([`crate::metadata::ArgInfo::offset`] counts from here).
    pub args_offset: u32,
    /// Bytes of the whole block, a multiple of 8.
    pub block_size: u32,
    /// Descriptors; in addresses mode only images.
    pub bindings: Vec<BindingSource>,
    /// Bindings whose storage is only read, in the same order.
    pub readonly: Vec<bool>,
    /// (SpecId, what it is) of local memory lengths.
    pub local_specs: Vec<(u32, LocalSpec)>,
    /// Local arguments placed in the common workgroup block, in order (see [`ImplicitArg::LocalArgOffset`]).
    pub common_local_args: Vec<u16>,
    /// Workgroup bytes used apart from local arguments.
    pub static_local_bytes: u32,
    /// Private-array bytes of one work-item.
    pub private_bytes: u32,
    /// Work-items of a full sub-group (the pipeline must have exactly that size); 0 if the kernel does not use them.
    pub sub_group_size: u32,
}

impl LaunchAbi {
    /// The workgroup is launched as a line of all work-items, in the order of local linear ids: so sub-groups are full but
    /// for the last, whatever the local size is.
    pub fn is_linear(&self) -> bool {
        self.sub_group_size > 1
    }
}

/// One Vulkan module for a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelVariant {
    pub abi: LaunchAbi,
    pub spirv: Vec<u32>,
}

/// A compiled kernel. The first variant is the preferred one; a variant in addresses mode, if there is one, runs every
/// launch; one in bindings mode runs launches whose bound buffers can be bound where they begin (`minStorageBufferOffsetAlignment`), fit
/// `maxStorageBufferRange` and are not NULL. A device without addresses has one variant, of the virtual mode, for every launch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompiledKernel {
    pub info: KernelInfo,
    pub variants: Vec<KernelVariant>,
}

/// Program-scope constants and variables of a program, placed in one buffer per program and device.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DataBlock {
    /// Initial contents of the first part, a multiple of 16 bytes.
    pub bytes: Vec<u8>,
    /// Bytes behind it that are zero at first, a multiple of 16.
    pub zeros: u64,
    /// At each of these byte offsets, the u64 device or virtual address of (data block + second) is written.
    pub relocs: Vec<(u32, u64)>,
    /// Kernels may write it (program-scope `__global` variables).
    pub writable: bool,
    /// Bytes of the variables in global memory (CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE).
    pub variables: u64,
}

impl DataBlock {
    /// Bytes of the whole block.
    pub fn size(&self) -> u64 {
        (self.bytes.len() as u64).saturating_add(self.zeros)
    }
}

/// An executable program for one target.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CompiledProgram {
    pub kernels: Vec<CompiledKernel>,
    pub data: DataBlock,
    /// Code for the host's processor; then the kernels above have no variants.
    pub native: Option<crate::native::NativeProgram>,
    /// Kernels that the target cannot have, with what it lacks ([`crate::driver::Kernels::Possible`]).
    pub absent: Vec<(String, String)>,
}
