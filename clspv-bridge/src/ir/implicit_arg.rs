//! Implicit arguments: values of a launch beside the kernel's own arguments, and their names in text.

use serde::{Deserialize, Serialize};

/// An implicit argument: a value at the start of the block, which the runtime fills in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Serialize, Deserialize)]
pub enum ImplicitArg {
    /// u64: global id of the first work-item of this dispatch (global offset + first group times enqueued
    /// local size).
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
    /// u64: device or virtual address of the program's data block ([`crate::abi::DataBlock`]); in bindings
    /// mode unused.
    DataAddress,
    /// u64: device address of the print buffer ([`crate::printf`]); in bindings mode unused.
    PrintfAddress,
    /// u64: device address of memory that is read in place of null pointers' targets. Its contents do not
    /// matter.
    NullAddress,
    /// u32: base of the numbers of printf calls in records, which distinguishes the kernels of several
    /// launches.
    PrintfBase,
    /// u32: byte offset of a local-pointer argument in the common workgroup block.
    LocalArgOffset(u16),
    /// u32: format of the image set as this argument: cl_channel_order in the high half, cl_channel_type in
    /// the low one.
    ImageFormat(u16),
    /// u32: width, height or depth (dimension 0, 1, 2) of the image set as this argument. The layers of an
    /// array are the dimension after its last one; dimension 3 is the number of levels of detail.
    ImageSize(u16, u8),
    /// u32: byte offset in the window of the buffer set as this argument, anything if that is NULL
    /// ([`crate::abi::PointerMode::Windowed`]).
    WindowOffset(u16),
}

impl ImplicitArg {
    /// Bytes of the value, which is also its alignment.
    pub fn size(self) -> u32 {
        match self {
            ImplicitArg::GlobalIdBase(_)
            | ImplicitArg::GlobalOffset(_)
            | ImplicitArg::GlobalSize(_)
            | ImplicitArg::DataAddress
            | ImplicitArg::PrintfAddress
            | ImplicitArg::NullAddress => 8,
            _ => 4,
        }
    }
}

/// Name and operands (argument number, dimension) of an implicit argument.
pub(super) fn implicit_arg_parts(arg: ImplicitArg) -> (&'static str, Option<u16>, Option<u16>) {
    match arg {
        ImplicitArg::GlobalIdBase(d) => ("global_id_base", Some(d.into()), None),
        ImplicitArg::GroupBase(d) => ("group_base", Some(d.into()), None),
        ImplicitArg::GlobalOffset(d) => ("global_offset", Some(d.into()), None),
        ImplicitArg::GlobalSize(d) => ("global_size", Some(d.into()), None),
        ImplicitArg::EnqueuedLocalSize(d) => ("enqueued_local_size", Some(d.into()), None),
        ImplicitArg::NumGroups(d) => ("num_groups", Some(d.into()), None),
        ImplicitArg::WorkDim => ("work_dim", None, None),
        ImplicitArg::DataAddress => ("data_address", None, None),
        ImplicitArg::PrintfAddress => ("printf_address", None, None),
        ImplicitArg::NullAddress => ("null_address", None, None),
        ImplicitArg::PrintfBase => ("printf_base", None, None),
        ImplicitArg::LocalArgOffset(arg) => ("local_arg_offset", Some(arg), None),
        ImplicitArg::ImageFormat(arg) => ("image_format", Some(arg), None),
        ImplicitArg::ImageSize(arg, d) => ("image_size", Some(arg), Some(d.into())),
        ImplicitArg::WindowOffset(arg) => ("window_offset", Some(arg), None),
    }
}

/// The implicit argument with this name, whose operands `number` reads; `None` for other names and for
/// dimensions out of range.
pub(super) fn implicit_arg<E>(
    name: &str,
    mut number: impl FnMut() -> Result<u16, E>,
) -> Result<Option<ImplicitArg>, E> {
    let mut dim = |below: u16| number().map(|d| u8::try_from(d).ok().filter(|d| u16::from(*d) < below));
    Ok(match name {
        "global_id_base" => dim(3)?.map(ImplicitArg::GlobalIdBase),
        "group_base" => dim(3)?.map(ImplicitArg::GroupBase),
        "global_offset" => dim(3)?.map(ImplicitArg::GlobalOffset),
        "global_size" => dim(3)?.map(ImplicitArg::GlobalSize),
        "enqueued_local_size" => dim(3)?.map(ImplicitArg::EnqueuedLocalSize),
        "num_groups" => dim(3)?.map(ImplicitArg::NumGroups),
        "work_dim" => Some(ImplicitArg::WorkDim),
        "data_address" => Some(ImplicitArg::DataAddress),
        "printf_address" => Some(ImplicitArg::PrintfAddress),
        "null_address" => Some(ImplicitArg::NullAddress),
        "printf_base" => Some(ImplicitArg::PrintfBase),
        "local_arg_offset" => Some(ImplicitArg::LocalArgOffset(number()?)),
        "image_format" => Some(ImplicitArg::ImageFormat(number()?)),
        "image_size" => {
            let arg = number()?;
            let dim = u8::try_from(number()?).ok().filter(|d| *d < 4);
            dim.map(|d| ImplicitArg::ImageSize(arg, d))
        }
        "window_offset" => Some(ImplicitArg::WindowOffset(number()?)),
        _ => None,
    })
}
