//! The launch contract between generated Vulkan SPIR-V and the runtime that launches it.
//!
//! A kernel is a compute entry point [`ENTRY_POINT`] in a module of its own. It reads one block: implicit
//! arguments first, then the packed arguments. The block lies in push constants if it fits. Otherwise the
//! only push constant is the device address of a *kernel argument buffer* that holds the block.
//! Specialisation constants 0, 1 and 2 are the workgroup size; further ones are the lengths of local-memory
//! arguments.

pub use crate::ir::ImplicitArg;
use crate::ir::runtime::block_number;
use crate::metadata::KernelInfo;
use crate::native::NativeProgram;
use crate::target::VulkanTarget;

/// Name of the entry point of every generated module.
pub const ENTRY_POINT: &str = "main";
/// SpecIds of the workgroup size in x, y and z.
pub const SPEC_LOCAL_SIZE: [u32; 3] = [0, 1, 2];
/// First SpecId of local-memory argument lengths.
pub(crate) const SPEC_FIRST_FREE: u32 = 3;
/// SpecIds of the local size in x, y and z of a kernel with sub-groups ([`LaunchAbi::is_linear`]).
pub const SPEC_LINEAR_LOCAL_SIZE: [u32; 3] = [0x1000, 0x1001, 0x1002];

/// First SpecId of storage images: that of binding `b` is this plus `b`. The value states how texels are
/// stored ([`crate::texel_order`]). A module has those of its storage images, and of its sampled images with
/// [`ImageBinding::abilities`], whose value states what texture units can do ([`ability`]).
pub const SPEC_FIRST_IMAGE: u32 = 0x2000;

/// Storage of the block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum BlockStorage {
    /// In push constants, at offset 0.
    Push,
    /// In a buffer whose u64 device address is the only push constant, at offset 0.
    Buffer,
    /// In a storage buffer of its own ([`BindingSource::Block`]).
    Bound,
}

/// Representation of NULL among pointers of the bindings mode; no byte offset is that large.
pub const NULL_OFFSET: u32 = 0x8000_0000;

/// How a launch passes buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum PointerMode {
    /// An argument slot of a global or constant pointer holds its u64 device address (0 for NULL).
    Addresses,
    /// Such an argument is a storage-buffer descriptor that begins where the buffer begins; its slot is not
    /// read. An argument that is not accessed needs no descriptor: its slot holds the u32 [`NULL_OFFSET`] for
    /// NULL and 0 for others.
    Bindings,
    /// For devices without addresses. Each buffer has a number below 2^30. The slot of an argument holds a
    /// u64 *virtual address*: the number in the high word and the byte offset in the low one (0 for NULL). So
    /// does every pointer in memory.
    ///
    /// Accesses go to descriptors as in [`PointerMode::Bindings`]; where several buffers are possible, the
    /// number selects one. The descriptor of a NULL argument is bound to any buffer.
    Virtual,
    /// Like [`PointerMode::Virtual`], for kernels with more buffers than a stage has descriptors. The
    /// buffers of all arguments lie in one *window* of memory, with one descriptor
    /// ([`BindingSource::Window`]). An argument that is accessed has its place there
    /// ([`ImplicitArg::WindowOffset`]); pointers into one buffer have the same distance in the window as in
    /// the buffer.
    Windowed,
}

impl PointerMode {
    /// Whether pointers in memory are virtual addresses.
    pub fn is_virtual(self) -> bool {
        matches!(self, PointerMode::Virtual | PointerMode::Windowed)
    }
}

/// The resource of a descriptor (set 0, binding = index in [`LaunchAbi::bindings`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum BindingSource {
    /// The buffer set as this kernel argument.
    Arg(u16),
    /// The whole buffer of which this kernel argument may be a sub-buffer ([`PointerMode::Virtual`]).
    Whole(u16),
    /// The window ([`PointerMode::Windowed`]).
    Window,
    /// The argument block ([`BlockStorage::Bound`]).
    Block,
    /// The program's data block.
    Data,
    /// The print buffer ([`crate::printf`]).
    Print,
    /// The image set as this argument.
    Image(ImageBinding),
    /// A Vulkan sampler for reads by texture units: always linear, and otherwise as a word in its form
    /// [`sampler::for_texture_unit`] states.
    Sampler(u8),
}

/// An image's descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct ImageBinding {
    /// The kernel argument.
    pub arg: u16,
    /// Whether it is a storage image (or storage texel buffer), which is read and written; else it is a
    /// sampled image (or uniform texel buffer), which is only fetched from.
    pub storage: bool,
    /// Whether the kernel reads and writes floating-point texels. Else it reads unsigned numbers: the view of
    /// a signed format must be the unsigned format of the same size, and the kernel extends and saturates by
    /// [`ImplicitArg::ImageFormat`].
    pub float: bool,
    /// Whether the argument is an `image1d_buffer_t`, so that this is a texel buffer.
    pub buffer: bool,
    /// The level of detail of a storage image; the image's last level if it has fewer.
    pub level: u8,
    /// Whether the module declares a format, which must be replaced by that of the image
    /// ([`crate::texel_format::declare`]): the device cannot access storage images as the kernel does
    /// without a format.
    pub declared: bool,
    /// The abilities of texture units that the kernel makes use of for this sampled image, bits of
    /// [`ability`]. Those that the image allows are the value of its specialisation constant
    /// ([`SPEC_FIRST_IMAGE`]); the kernel computes the others.
    pub abilities: u8,
}

/// Abilities of texture units with an image.
pub mod ability {
    /// Reads with a linear filter of texels inside.
    pub const FILTER: u8 = 1;
    /// Reads with a linear filter and [`super::sampler::CLAMP`], whose border of transparent black the
    /// image's view makes the border of OpenCL.
    pub const FILTER_BORDER: u8 = 2;
    /// Fetches of texels outside, which return the border of [`super::sampler::CLAMP`].
    pub const FETCH_BORDER: u8 = 4;
}

/// Fields of a sampler argument's slot of 4 bytes: the addressing mode, flags for normalised coordinates and
/// linear filter. For images with levels of detail also a flag for linear interpolation between two levels,
/// and their limits.
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

    /// Mask of the addressing mode.
    pub const ADDRESS: u32 = 7;

    /// The fields that texture units need of a linear sampler for reads without levels of detail, one form
    /// for samplers that mean the same: six forms in all, fewer than any device has samplers. `None` for
    /// other samplers.
    pub fn for_texture_unit(word: u64) -> Option<u8> {
        let word = u32::try_from(word).ok().filter(|word| word & LINEAR != 0)?;
        let (address, normalized) = match word & ADDRESS {
            ADDRESS_NONE | CLAMP_TO_EDGE => (CLAMP_TO_EDGE, word & NORMALIZED),
            CLAMP => (CLAMP, word & NORMALIZED),
            repeating @ (REPEAT | MIRRORED_REPEAT) => (repeating, NORMALIZED),
            _ => return None,
        };
        Some((address | normalized | LINEAR) as u8)
    }
}

/// Layout of a pipe's memory: words of 32 bits at the indices below, counters each in a cache line of its
/// own, then a mark for every slot, and from [`pipe::packets`] on the slots. `builtins/pipe.cl` documents
/// them. A new pipe is zero except for the first four words.
pub mod pipe {
    /// Number of slots, less one.
    pub const MASK: usize = 0;
    pub const MAX_PACKETS: usize = 1;
    pub const PACKET_SIZE: usize = 2;
    /// Bytes before the slots.
    pub const PACKETS: usize = 3;
    /// Words before the marks.
    pub(crate) const MARKS: u64 = 80;

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

/// Value of a specialisation constant: the size of a local argument in elements, or that of the common block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum LocalSpec {
    /// ceil(argument size / elem_bytes), at least 1.
    Arg { arg: u16, elem_bytes: u32 },
    /// The common workgroup block: `fixed_bytes` of variables, then every argument of
    /// [`LaunchAbi::common_local_args`] in order, each aligned to 16 bytes; in units of `elem_bytes`, at
    /// least 1.
    Common { fixed_bytes: u32, elem_bytes: u32 },
}

/// The launch contract of one variant.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct LaunchAbi {
    pub mode: PointerMode,
    pub block_storage: BlockStorage,
    /// Implicit arguments and their byte offsets in the block.
    pub implicit_args: Vec<(ImplicitArg, u32)>,
    /// Byte offset of the packed arguments in the block ([`crate::metadata::ArgInfo::offset`] is relative to
    /// it).
    pub args_offset: u32,
    /// Bytes of the whole block, a multiple of 8.
    pub block_size: u32,
    /// Descriptors; in addresses mode only images and samplers.
    pub bindings: Vec<BindingSource>,
    /// Whether the storage of each of the `bindings` is only read.
    pub readonly: Vec<bool>,
    /// Arguments in the window whose buffers are written.
    pub window_writes: Vec<u16>,
    /// SpecIds and values of local memory lengths.
    pub local_specs: Vec<(u32, LocalSpec)>,
    /// Local arguments in the common workgroup block, in order (see [`ImplicitArg::LocalArgOffset`]).
    pub common_local_args: Vec<u16>,
    /// Workgroup bytes used apart from local arguments.
    pub static_local_bytes: u32,
    /// Private-array bytes of one work-item.
    pub private_bytes: u32,
    /// Work-items of a full sub-group (the pipeline must have exactly that size); 0 if the kernel does not
    /// use them.
    pub sub_group_size: u32,
    /// Local sizes that are interchangeable with that of a launch.
    pub local_sizes: LocalSizes,
}

/// The local sizes with which a launch may run instead of its own, because the results are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub enum LocalSizes {
    /// None.
    #[default]
    Own,
    /// The sizes (n, 1, 1) with n up to this limit, for launches whose own size is one of them.
    Lines(u32),
    /// All.
    Any,
}

impl LaunchAbi {
    /// Whether the workgroup is launched as a line of all work-items, in the order of local linear ids. Then
    /// all sub-groups but the last are full, whatever the local size.
    pub fn is_linear(&self) -> bool {
        self.sub_group_size > 1
    }

    /// Number of storage-buffer descriptors.
    pub fn buffer_descriptors(&self) -> usize {
        self.bindings
            .iter()
            .filter(|b| !matches!(b, BindingSource::Image(_) | BindingSource::Sampler(_)))
            .count()
    }

    /// Number of descriptors that count as resources of a stage: all but samplers.
    pub(crate) fn resources(&self) -> usize {
        self.bindings.iter().filter(|b| !matches!(b, BindingSource::Sampler(_))).count()
    }

    /// Whether a kernel of the device may have these descriptors.
    pub(crate) fn has_room(&self, vulkan: &VulkanTarget) -> bool {
        self.buffer_descriptors() <= vulkan.max_buffer_descriptors as usize
            && self.resources() <= vulkan.max_descriptors as usize
    }

    /// The arguments in the window.
    pub fn windowed_args(&self) -> impl Iterator<Item = u16> + '_ {
        self.implicit_args.iter().filter_map(|(implicit, _)| match implicit {
            ImplicitArg::WindowOffset(arg) => Some(*arg),
            _ => None,
        })
    }
}

/// One Vulkan module for a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelVariant {
    pub abi: LaunchAbi,
    pub spirv: Vec<u32>,
}

/// A compiled kernel, with the preferred variant first.
///
/// A variant in addresses mode, if there is one, runs every launch. One in bindings mode runs launches whose
/// buffers are not NULL, can be bound where they begin (`minStorageBufferOffsetAlignment`) and fit
/// `maxStorageBufferRange`. A device without addresses has one variant, of the virtual mode or the windowed
/// one, for every launch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompiledKernel {
    pub info: KernelInfo,
    pub variants: Vec<KernelVariant>,
}

/// Program-scope constants and variables of a program, in one buffer per program and device.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DataBlock {
    /// Initial contents of the first part, a multiple of 16 bytes.
    pub bytes: Vec<u8>,
    /// Number of bytes after it that are zero at first, a multiple of 16.
    pub zeros: u64,
    /// Relocations (offset, addend): the u64 device or virtual address of (data block + addend) is written at
    /// the byte offset.
    pub relocs: Vec<(u32, u64)>,
    /// Whether kernels may write it (program-scope `__global` variables).
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

/// Code of a program's kernels, in the form for one kind of device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProgramCode {
    /// SPIR-V modules for Vulkan, one or more for each kernel.
    Vulkan(Vec<CompiledKernel>),
    /// Machine code for the host's processor.
    Native(NativeProgram),
}

/// An executable program for one target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompiledProgram {
    pub code: ProgramCode,
    pub data: DataBlock,
    /// Kernels that the target does not support, with the construct it lacks
    /// ([`crate::options::Kernels::Possible`]).
    pub absent: Vec<(String, String)>,
}

impl CompiledProgram {
    /// Kernels for Vulkan; empty for a program of native code.
    pub fn vulkan(&self) -> &[CompiledKernel] {
        match &self.code {
            ProgramCode::Vulkan(kernels) => kernels,
            ProgramCode::Native(_) => &[],
        }
    }

    /// Native code; `None` for a program for Vulkan.
    pub fn native(&self) -> Option<&NativeProgram> {
        match &self.code {
            ProgramCode::Vulkan(_) => None,
            ProgramCode::Native(program) => Some(program),
        }
    }

    /// Interfaces of the kernels in order of declaration, without blocks.
    pub fn infos(&self) -> impl Iterator<Item = &KernelInfo> {
        let native = self.native().map_or(&[][..], |program| &program.kernels);
        let native =
            native.iter().map(|kernel| &kernel.info).filter(|info| block_number(&info.name).is_none());
        self.vulkan().iter().map(|kernel| &kernel.info).chain(native)
    }
}

#[cfg(test)]
mod tests {
    use super::sampler::*;

    #[test]
    fn samplers_that_mean_the_same_have_one_form() {
        let form = |word: u32| for_texture_unit(word.into()).map(u32::from);
        assert_eq!(form(LINEAR), Some(LINEAR | CLAMP_TO_EDGE));
        assert_eq!(form(LINEAR | CLAMP_TO_EDGE | LEVELS_LINEAR | 5 << LOD_MIN_SHIFT), form(LINEAR));
        assert_eq!(form(LINEAR | NORMALIZED | CLAMP), Some(LINEAR | NORMALIZED | CLAMP));
        // Repeated images have normalised coordinates whatever the sampler says.
        assert_eq!(form(LINEAR | REPEAT), form(LINEAR | NORMALIZED | REPEAT));
        assert_eq!((form(NORMALIZED | REPEAT), form(LINEAR | 5)), (None, None));
        assert_eq!(for_texture_unit(1 << 32 | u64::from(LINEAR)), None);
        let forms: std::collections::BTreeSet<u32> = (0..32).filter_map(form).collect();
        assert_eq!(forms.len(), 6);
    }
}
