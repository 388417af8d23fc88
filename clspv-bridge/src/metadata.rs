//! Facts about a kernel that the runtime needs, independent of the target.

use crate::ir::ImageDim;
use crate::printf::PrintfCall;
use serde::{Deserialize, Serialize};

/// Kind of a kernel argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
pub enum ArgKind {
    /// By value (scalars, vectors, structs).
    Value,
    /// `__global` pointer: a memory object or NULL.
    GlobalPtr,
    /// `__constant` pointer.
    ConstantPtr,
    /// `__local` pointer: only a size is set.
    LocalPtr,
    Image,
    Sampler,
    /// A queue on the device, passed as the number that the runtime assigns to it.
    Queue,
}

/// CL_KERNEL_ARG_ADDRESS_*.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash, Serialize, Deserialize)]
pub enum AddressQualifier {
    #[default]
    Private,
    Local,
    Global,
    Constant,
}

/// CL_KERNEL_ARG_ACCESS_*.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash, Serialize, Deserialize)]
pub enum AccessQualifier {
    #[default]
    None,
    ReadOnly,
    WriteOnly,
    ReadWrite,
}

/// CL_KERNEL_ARG_TYPE_* flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash, Serialize, Deserialize)]
pub struct TypeQualifiers {
    pub is_const: bool,
    pub is_restrict: bool,
    pub is_volatile: bool,
    pub is_pipe: bool,
}

/// One kernel argument.
#[derive(Clone, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
pub struct ArgInfo {
    pub kind: ArgKind,
    /// Size that clSetKernelArg requires (8 for memory objects and samplers; 0 for local pointers: any size).
    pub size: u32,
    pub align: u32,
    /// Byte offset in the packed argument block. Local pointers and images have none (0); samplers take 4
    /// bytes ([`crate::abi::sampler`]).
    pub offset: u32,
    /// Empty if the program was built without argument information.
    pub name: String,
    pub type_name: String,
    pub address: AddressQualifier,
    pub access: AccessQualifier,
    pub qualifiers: TypeQualifiers,
    /// Dimensions of the image that is passed.
    pub image: Option<ImageDim>,
}

/// Facts about a kernel that only the source has: names and types of its arguments, and its vector type hint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelArgInfo {
    pub kernel: String,
    pub args: Vec<ArgInfo>,
    /// Types of the arguments with typedefs resolved, e.g. "float4*".
    pub base_types: Vec<String>,
    pub vec_type_hint: Option<String>,
}

/// One kernel of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default, Hash, Serialize, Deserialize)]
pub struct KernelInfo {
    pub name: String,
    pub args: Vec<ArgInfo>,
    /// Bytes of the packed argument block.
    pub args_size: u32,
    /// Whether `name`, `type_name` and the qualifiers of the arguments are known.
    pub has_arg_info: bool,
    pub reqd_work_group_size: Option<[u32; 3]>,
    pub work_group_size_hint: Option<[u32; 3]>,
    pub vec_type_hint: Option<String>,
    pub reqd_sub_group_size: Option<u32>,
    /// Sub-groups of each work-group (SubgroupsPerWorkgroup).
    pub reqd_sub_groups: Option<u32>,
    /// CL_KERNEL_ATTRIBUTES; empty for programs that are not from source.
    pub attributes: String,
    /// The kernel's calls of printf, by number.
    pub printf: Vec<PrintfCall>,
}

impl KernelInfo {
    /// Work-items of a group of the size that the kernel requires.
    pub(crate) fn required_items(&self) -> Option<u32> {
        self.reqd_work_group_size.map(|size| size.iter().fold(1, |n: u32, more| n.saturating_mul(*more)))
    }
}
