//! The launch contract between native code for the host's processor and the runtime that calls it.
//!
//! A program is a shared object or [`flat_code`]. Each kernel has two functions `void (const Context *)`
//! that run one work-group: one for groups whose rows are whole numbers of vectors, and one for every group.
//! [`context`] is the layout of their argument.
//!
//! Scratch memory is the group's context array. It has one frame per vector of work-items (one in all for
//! kernels without barriers): private variables, and the values that are live across barriers.

pub mod flat_code;

use crate::metadata::KernelInfo;
use bytes::Bytes;

/// Byte offsets in the structure that a work-group function receives. Sizes and ids are u64, three of each.
pub mod context {
    /// Address of the argument block: the arguments at [`crate::metadata::ArgInfo::offset`] (global and
    /// constant pointers as addresses), then the implicit words of [`super::NativeKernel::local_args`]. Last
    /// come those of image arguments, at their `ArgInfo::offset`: the address of an image descriptor
    /// ([`super::image_descriptor`]).
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
    /// The number that is added to those of printf calls (u32), and `work_dim` (u32).
    pub const PRINTF_BASE: usize = 56;
    pub(crate) const WORK_DIM: usize = 60;
    pub const LOCAL_SIZE: usize = 64;
    pub const ENQUEUED_LOCAL_SIZE: usize = 88;
    pub const GROUP_ID: usize = 112;
    pub const NUM_GROUPS: usize = 136;
    pub const GLOBAL_SIZE: usize = 160;
    pub const GLOBAL_OFFSET: usize = 184;
    /// For instrumented code ([`super::check`]): the state pointer, its calls' first argument, and the
    /// functions for accesses and for everything else.
    pub const CHECK: usize = 208;
    pub const CHECK_ACCESS: usize = 216;
    pub const CHECK_ORDER: usize = 224;
    /// 0 if stores of [`super::NativeKernel::stream_bytes`] go past the caches, else 1.
    pub const NO_STREAM: usize = 232;
    /// For code that enqueues kernels or reads clocks ([`super::runtime`]): the state pointer, its calls'
    /// first argument, and the function.
    pub const RUNTIME: usize = 240;
    pub const RUNTIME_CALL: usize = 248;
    /// Bytes of the structure.
    pub const SIZE: usize = 256;
}

/// Calls of the runtime for one work-item: `u64 (state, u64 number, const u64 *args)`. The number is that of
/// a [`crate::ir::RuntimeCall`]; each operand is one word. The result is in the low bits.
pub mod runtime {
    /// Most operands of a call.
    pub const MAX_ARGS: usize = 11;
    /// Number of the call that returns the device's clock in nanoseconds; `args` is NULL.
    pub const CLOCK: u64 = u64::MAX;
}

/// Calls of the runtime that instrumented code makes.
///
/// Each memory access of a vector of work-items is `void (state, u64 *addresses, void *data, u64 mask, u64
/// what, u32 line, const u64 *position)`: lanes in the mask access the addresses. The function does loads and
/// stores itself; before atomics it is called to replace addresses that must not be accessed. Data holds the
/// first component of all lanes, then the second; of a uniform access there is one of each.
///
/// Everything else that orders accesses is `void (state, u64 what, u64 mask, const u64 *position)`.
pub mod check {
    use crate::ir::{Access, Type};

    /// `what` of an access.
    pub const STORE: u64 = 1;
    pub const ATOMIC: u64 = 2;
    /// There is one address and one value for all lanes.
    pub const UNIFORM: u64 = 4;
    pub const ACQUIRE: u64 = 8;
    pub const RELEASE: u64 = 16;
    /// The atomic reads and writes.
    pub const BOTH: u64 = 32;
    /// A volatile access, which programs use as an atomic one before OpenCL C has atomic loads and stores.
    pub const VOLATILE: u64 = 64;
    /// Fields that begin at these bits: bytes of a component, number of components, and a bit for each
    /// component that the program uses.
    pub const BYTES: u32 = 8;
    pub const COMPONENTS: u32 = 16;
    pub const DEMANDED: u32 = 32;

    /// `what` of the other calls: a vector starts, or a function that it calls. The private memory from the
    /// frame offset in the low half of the mask to that in the high half is uninitialised.
    pub(crate) const START: u64 = 0;
    /// A barrier of the group, with [`LOCAL`] and [`GLOBAL`] for the memory that it orders.
    pub const GROUP_BARRIER: u64 = 1;
    /// A barrier of the vector, likewise.
    pub const VECTOR_BARRIER: u64 = 2;
    /// A fence, with [`ACQUIRE`] and [`RELEASE`].
    pub const FENCE: u64 = 4;
    pub const LOCAL: u64 = 64;
    pub const GLOBAL: u64 = 128;

    /// Words of `position`: the vector's numbers, and the address of its frame in scratch memory. The numbers
    /// are those of the vector in dimension 0 and of the work-item in the others; for a linear kernel only
    /// the first is used, the vector's number in the order of local ids.
    pub const VECTOR: usize = 0;
    pub const Y: usize = 1;
    pub const Z: usize = 2;
    pub const FRAME: usize = 3;

    /// Flags of an access: size of components, their number, those that the program uses, and whether it is
    /// volatile.
    pub(crate) fn access_flags(access: &Access, ty: Type, demanded: u16) -> u64 {
        let bytes = ty.lane().access_bytes().unwrap_or(8);
        let volatile = if access.volatile { VOLATILE } else { 0 };
        u64::from(bytes) << BYTES
            | u64::from(ty.lanes()) << COMPONENTS
            | u64::from(demanded) << DEMANDED
            | volatile
    }
}

/// Location of a variable in memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct VariableLocation {
    pub name: String,
    pub offset: u32,
    pub size: u32,
    /// Bytes from one work-item's copy to the next, for private variables.
    pub stride: u32,
}

/// Locations of a kernel's variables: in local memory, in a vector's frame, in the program's data block.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct VariableLocations {
    pub local: Vec<VariableLocation>,
    pub private: Vec<VariableLocation>,
    pub program: Vec<VariableLocation>,
}

/// Image descriptor: byte offsets in a structure aligned to 8. Each level of detail has one, consecutive from
/// the first level's. Numbers are u32 unless noted. `builtins/texels.cl` declares and documents the same
/// structure.
pub mod image_descriptor {
    /// Address of the first texel; bytes between rows (layers, for a one-dimensional array) and between
    /// slices. u64 each.
    pub const BASE: usize = 0;
    pub const ROW: usize = 8;
    pub const SLICE: usize = 16;
    /// Width, height, depth. The number of layers is the element after an array's last dimension; unused ones
    /// are 1.
    pub const SIZE: [u32; 3] = [24, 28, 32];
    /// cl_channel_order in the high half, cl_channel_type in the low one.
    pub const FORMAT: u32 = 36;
    /// Bytes of a texel.
    pub const ELEMENT: usize = 40;
    /// Kind of component: one of the numbers below.
    pub const KIND: usize = 44;
    /// Number of bits above a signed component.
    pub const EXTEND: usize = 48;
    /// Number of levels of detail.
    pub const LEVELS: u32 = 52;
    /// Four of each, one per component: its first bit in the texel, the mask of its width, the value read if
    /// the format lacks it, and the mask again if writes store it, else 0.
    pub const SHIFT: usize = 56;
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
    /// Four UNORM components of 8 bits in any order.
    pub const UNORM8X4: u32 = 7;
    /// Four components of 32 bits: red, green, blue, alpha.
    pub const FLOATX4: u32 = 8;
}

/// Alignment of scratch memory and of local memory.
pub const ALIGN: usize = 128;

/// One kernel's functions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NativeKernel {
    pub info: KernelInfo,
    /// Symbols of the function for groups of whole vectors, and of that for all groups.
    pub whole: String,
    pub any: String,
    /// Work-items of a vector: neighbours in dimension 0, or in the order of local linear ids if `linear`.
    pub width: u32,
    pub linear: bool,
    /// Whether the kernel has barriers, so that scratch memory has a frame for every vector of the group.
    pub has_barriers: bool,
    /// Bytes of a vector's frame, for either function.
    pub frame_bytes: u32,
    /// Bytes of local memory of the kernel's own variables.
    pub static_local_bytes: u32,
    /// Local arguments, each with the offset of the word (u64) in the argument block that holds its offset in
    /// local memory.
    pub local_args: Vec<(u16, u32)>,
    /// Bytes of the argument block.
    pub args_bytes: u32,
    /// Bytes of private variables of one work-item.
    pub private_bytes: u32,
    /// Whether the kernel uses sub-groups.
    pub has_sub_groups: bool,
    /// Whether the results do not depend on the local size, so that a launch may run with another than its
    /// own.
    pub any_local_size: bool,
    /// Whether the runtime fills local memory with zeros before each group.
    pub zero_local: bool,
    /// Bytes that a work-item stores to arrays that the kernel only writes, in whole cache lines: these
    /// stores may go past the caches.
    pub stream_bytes: u32,
    /// Whether enqueuing reports the error (built with debug information) rather than just a failure.
    pub reports_errors: bool,
    /// Whether the local size must divide the global size of what the kernel enqueues.
    pub uniform_groups: bool,
    /// Whether the code, which is generated later, may exceed what generators can compile.
    pub is_large: bool,
    /// Locations of the variables of instrumented code, else `None`. Instrumented code has one function: both
    /// symbols are the same.
    pub variables: Option<VariableLocations>,
}

impl NativeKernel {
    /// Number of vectors of a group.
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
    /// Bytes of scratch memory of a group.
    pub fn scratch_bytes(&self, local: [u64; 3]) -> u64 {
        let frames = if self.has_barriers { self.vectors(local) } else { 1 };
        frames * u64::from(self.frame_bytes)
    }
}

/// The native code of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NativeProgram {
    pub kernels: Vec<NativeKernel>,
    /// The shared object or [`flat_code`]; empty for a program without kernels. Often a part of larger data,
    /// so that code from the cache is not copied.
    pub object: Bytes,
}
