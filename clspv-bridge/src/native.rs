//! The launch contract between native code for the host's processor and the runtime that calls it.
//!
//! A program is one shared object. Each kernel has two functions `void (const Context *)` that run one work-group: one for
//! groups whose rows are whole numbers of vectors, and one for every group. What a group needs besides is in [`context`].

use crate::metadata::KernelInfo;

/// Byte offsets in the structure that a work-group function is given. Sizes and ids are u64, three of each.
pub mod context {
    /// Address of the argument block: the arguments at [`crate::metadata::ArgInfo::offset`] (global and constant pointers
    /// as addresses), then the hidden words of [`super::NativeKernel::local_args`], then those of image arguments, whose
    /// offset tells where: the address of what is in [`super::image`].
    pub const ARGS: usize = 0;
    /// Address and size of the group's local memory.
    pub const LOCAL: usize = 8;
    pub const LOCAL_BYTES: usize = 16;
    /// Address and size of scratch memory: [`super::NativeKernel::scratch_bytes`].
    pub const SCRATCH: usize = 24;
    pub const SCRATCH_BYTES: usize = 32;
    /// Address of the print buffer ([`crate::printf`]).
    pub const PRINT: usize = 40;
    /// Address of the program's data block ([`crate::abi::DataBlock`]).
    pub const DATA: usize = 48;
    /// Added to the numbers of printf calls (u32), and `work_dim` (u32).
    pub const PRINTF_BASE: usize = 56;
    pub const WORK_DIM: usize = 60;
    pub const LOCAL_SIZE: usize = 64;
    pub const ENQUEUED_LOCAL_SIZE: usize = 88;
    pub const GROUP_ID: usize = 112;
    pub const NUM_GROUPS: usize = 136;
    pub const GLOBAL_SIZE: usize = 160;
    pub const GLOBAL_OFFSET: usize = 184;
    /// For checked code ([`super::check`]): what its calls are given first, and the functions for accesses and for the rest.
    pub const CHECK: usize = 208;
    pub const CHECK_ACCESS: usize = 216;
    pub const CHECK_ORDER: usize = 224;
    /// 0 if stores of [`super::NativeKernel::stream_bytes`] go past the caches, else 1.
    pub const NO_STREAM: usize = 232;
    /// For code that enqueues kernels or reads clocks ([`super::runtime`]): what its calls are given first, and
    /// the function.
    pub const RUNTIME: usize = 240;
    pub const RUNTIME_CALL: usize = 248;
    /// Bytes of the structure.
    pub const SIZE: usize = 256;
}

/// Calls of the runtime for one work-item: `u64 (state, u64 number, const u64 *args)`, the number being that of a
/// [`crate::ir::RuntimeCall`], whose operands are words each. The result is in the low bits.
pub mod runtime {
    /// Most operands of a call.
    pub const MAX_ARGS: usize = 11;
    /// The number of the call that gives the device's clock in nanoseconds; `args` is NULL.
    pub const CLOCK: u64 = u64::MAX;
}

/// Calls of the runtime that checked code makes.
///
/// Each memory access of a vector of work-items is `void (state, u64 *addresses, void *data, u64 mask, u64 what, u32 line,
/// const u64 *place)`: lanes in the mask access the addresses. The function does loads and stores itself; before atomics it is
/// called to replace addresses that must not be accessed. Data holds the first component of all lanes, then the second;
/// of a uniform access there is one of each.
/// Everything else that orders accesses is `void (state, u64 what, u64 mask, const u64 *place)`.
pub mod check {
    /// `what` of an access.
    pub const STORE: u64 = 1;
    pub const ATOMIC: u64 = 2;
    /// There is one address and one value for all lanes.
    pub const UNIFORM: u64 = 4;
    pub const ACQUIRE: u64 = 8;
    pub const RELEASE: u64 = 16;
    /// The atomic reads and writes.
    pub const BOTH: u64 = 32;
    /// A volatile access, which programs from before atomic loads and stores take for one.
    pub const VOLATILE: u64 = 64;
    /// From these bits on: bytes of a component, components, and which components matter to the program (a bit each).
    pub const BYTES: u32 = 8;
    pub const COMPONENTS: u32 = 16;
    pub const WANTED: u32 = 32;

    /// `what` of the rest, with [`ACQUIRE`] and [`RELEASE`] for fences: a vector starts, or a function that it calls, whose private
    /// memory is new, from the offset in the record in the low half of the mask to that in the high half; a barrier of
    /// the group and of the vector, which orders local and global memory; a fence.
    pub const START: u64 = 0;
    pub const GROUP_BARRIER: u64 = 1;
    pub const VECTOR_BARRIER: u64 = 2;
    pub const FENCE: u64 = 4;
    pub const LOCAL: u64 = 64;
    pub const GLOBAL: u64 = 128;

    /// `place`, in words: the vector's numbers (of the vector in dimension 0, of the work-item in the others; of the vector in the
    /// order of local ids alone if the kernel is linear), and the address of its record in scratch memory.
    pub const VECTOR: usize = 0;
    pub const Y: usize = 1;
    pub const Z: usize = 2;
    pub const RECORD: usize = 3;
}

/// A variable's place in memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    pub name: String,
    pub offset: u32,
    pub size: u32,
    /// From one work-item's copy to the next, for private variables.
    pub stride: u32,
}

/// Where a kernel's variables lie: in local memory, in a vector's record, in the program's data block.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Places {
    pub local: Vec<Place>,
    pub private: Vec<Place>,
    pub program: Vec<Place>,
}

/// What tells of an image in memory: byte offsets in a structure aligned to 8. Levels of detail have one each, behind the one of the first. Numbers are u32 where nothing else is said.
/// `builtins/texels.cl` has the same structure and says more.
pub mod image {
    /// Address of the first texel; bytes between rows (layers, for a one-dimensional array) and between slices. u64 each.
    pub const BASE: usize = 0;
    pub const ROW: usize = 8;
    pub const SLICE: usize = 16;
    /// Width, height, depth; layers are counted in the element after an array's last dimension, unused ones are 1.
    pub const SIZE: [u32; 3] = [24, 28, 32];
    /// cl_channel_order in the high half, cl_channel_type in the low one.
    pub const FORMAT: u32 = 36;
    /// Bytes of a texel.
    pub const ELEMENT: usize = 40;
    /// One of the numbers below.
    pub const KIND: usize = 44;
    /// Bits above a signed component.
    pub const EXTEND: usize = 48;
    /// Levels of detail.
    pub const LEVELS: u32 = 52;
    /// Four each: the component's first bit in the texel, its bits' ones, what stands for it if it has none, and its bits' ones if
    /// writes store it.
    pub const PLACE: usize = 56;
    pub const MASK: usize = 72;
    pub const OTHER: usize = 88;
    pub const STORED: usize = 104;
    /// Bytes of the structure.
    pub const BYTES: usize = 120;

    pub const UNORM: u32 = 0;
    pub const SNORM: u32 = 1;
    pub const SIGNED: u32 = 2;
    pub const UNSIGNED: u32 = 3;
    pub const HALF: u32 = 4;
    pub const FLOAT: u32 = 5;
    /// Alpha is UNORM.
    pub const SRGB: u32 = 6;
}

/// Alignment of scratch memory and of local memory.
pub const ALIGN: usize = 128;

/// One kernel's functions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NativeKernel {
    pub info: KernelInfo,
    /// Symbols: for groups of whole vectors, and for all groups.
    pub whole: String,
    pub any: String,
    /// Work-items that are computed together: neighbours in dimension 0, or in the order of local linear ids if `linear`.
    pub width: u32,
    pub linear: bool,
    /// The kernel has barriers, so that scratch memory is kept for every vector of the group at once.
    pub has_barriers: bool,
    /// Bytes of scratch memory of one vector, for either function.
    pub record_bytes: u32,
    /// Local memory of the kernel's own variables.
    pub static_local_bytes: u32,
    /// Local arguments, with the offset of the word (u64) in the argument block that holds their place in local memory.
    pub local_args: Vec<(u16, u32)>,
    /// Bytes of the argument block.
    pub args_bytes: u32,
    /// Bytes of private variables of one work-item.
    pub private_bytes: u32,
    /// The kernel uses sub-groups.
    pub has_sub_groups: bool,
    /// The runtime fills local memory with zeros before each group.
    pub zero_local: bool,
    /// Bytes that a work-item writes in whole lines to arrays that the kernel does not read: stores that may go past the caches.
    pub stream_bytes: u32,
    /// Built with debug information: enqueuing tells what is wrong.
    pub tells_errors: bool,
    /// Groups divide what the kernel enqueues evenly.
    pub uniform_groups: bool,
    /// The code is checked code. Its symbols are one.
    pub places: Option<Places>,
}

impl NativeKernel {
    /// Vectors of a group.
    pub fn vectors(&self, local: [u64; 3]) -> u64 {
        let width = u64::from(self.width.max(1));
        match self.linear {
            true => (local[0] * local[1] * local[2]).div_ceil(width),
            false => local[0].div_ceil(width) * local[1] * local[2],
        }
    }
    /// Whether every vector of a group is full.
    pub fn is_whole(&self, local: [u64; 3]) -> bool {
        let line = if self.linear { local[0] * local[1] * local[2] } else { local[0] };
        line.is_multiple_of(u64::from(self.width.max(1)))
    }
    /// Scratch memory of a group.
    pub fn scratch_bytes(&self, local: [u64; 3]) -> u64 {
        let records = if self.has_barriers { self.vectors(local) } else { 1 };
        records * u64::from(self.record_bytes)
    }
}

/// The native code of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NativeProgram {
    pub kernels: Vec<NativeKernel>,
    /// The shared object; empty for a program without kernels.
    pub object: Vec<u8>,
}
