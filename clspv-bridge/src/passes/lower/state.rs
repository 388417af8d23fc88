//! State that the lowering passes share, and the kernel that they work on.

use super::globals::DataLayout;
use crate::abi::{BlockStorage, LaunchAbi, LocalSizes, PointerMode};
use crate::analysis::sub_groups::uses_sub_groups;
use crate::error::{CompileError, Result};
use crate::ir::*;
use crate::metadata::KernelInfo;
use crate::target::Target;

/// The only kernel of a module with its information.
pub(crate) struct Kernel<'m> {
    pub func: &'m mut Function,
    pub info: &'m KernelInfo,
}

impl Kernel<'_> {
    /// Borrows the kernel; an error if the module has none, or several.
    pub fn of(module: &mut Module) -> Result<Kernel<'_>> {
        let (func, index) = kernel_of_parts(&mut module.functions, module.kernels.len())?;
        Ok(Kernel { func, info: &module.kernels[index] })
    }
}

/// Returns the only kernel function and the index of its information, of which there are `count`.
pub(crate) fn kernel_of_parts(
    functions: &mut PrimaryMap<FuncRef, Function>,
    count: usize,
) -> Result<(&mut Function, usize)> {
    let mut kernels = functions
        .values_mut()
        .filter_map(|f| f.kernel.map(|index| (f, index)))
        .filter(|(f, _)| !f.layout.is_empty());
    match (kernels.next(), kernels.next()) {
        (Some((func, index)), None) if index < count => Ok((func, index)),
        _ => Err(CompileError::internal("lowering needs a module with exactly one kernel")),
    }
}

/// Returns the only kernel function of the module and the index of its information.
pub(crate) fn kernel_of(module: &Module) -> Result<(FuncRef, usize)> {
    let mut kernels =
        module.functions.iter().filter_map(|(r, f)| Some((r, f.kernel?)).filter(|_| !f.layout.is_empty()));
    match (kernels.next(), kernels.next()) {
        (Some((func, info)), None) if info < module.kernels.len() => Ok((func, info)),
        _ => Err(CompileError::internal("lowering needs a module with exactly one kernel")),
    }
}

/// State of the lowering of one kernel for one pointer mode, which its passes fill.
pub struct Lowering<'a> {
    /// Layout of the program's data block.
    pub data: &'a DataLayout,
    /// The launch contract.
    pub abi: LaunchAbi,
    /// Whether the pointer mode can express the kernel; the bindings mode and the virtual one may not.
    pub fits: bool,
}

impl<'a> Lowering<'a> {
    /// The state before the first pass of the lowering; an error for a required sub-group size that the
    /// target lacks.
    pub fn new(
        module: &mut Module,
        mode: PointerMode,
        data: &'a DataLayout,
        target: &Target,
    ) -> Result<Lowering<'a>> {
        let kernel = Kernel::of(module)?;
        let abi = LaunchAbi {
            mode,
            block_storage: BlockStorage::Push,
            implicit_args: Vec::new(),
            args_offset: 0,
            block_size: 0,
            bindings: Vec::new(),
            readonly: Vec::new(),
            window_writes: Vec::new(),
            local_specs: Vec::new(),
            common_local_args: Vec::new(),
            static_local_bytes: 0,
            private_bytes: 0,
            sub_group_size: sub_group_size(kernel.func, kernel.info, target)?,
            local_sizes: LocalSizes::Own,
        };
        Ok(Lowering { data, abi, fits: true })
    }
}

/// The error of a lowering pass outside of [`crate::pipeline::lower`].
pub(crate) fn no_lowering() -> CompileError {
    CompileError::internal("a lowering pass needs the state of a lowering")
}

/// Work-items of a full sub-group of the device when it runs the kernel; 0 if the kernel uses no sub-groups.
fn sub_group_size(func: &Function, info: &KernelInfo, target: &Target) -> Result<u32> {
    let size = match info.reqd_sub_group_size {
        Some(n) => target.sub_group_size_for(n).ok_or_else(|| {
            CompileError::unsupported(format!("a required sub-group size of {n} on this device"), 0)
        })?,
        None => target.subgroup_size.max(1),
    };
    Ok(if uses_sub_groups(func) { size } else { 0 })
}
