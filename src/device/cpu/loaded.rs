//! Loaded code: machine code, its data block, and the entries of its kernels.

use super::super::localsize;
use super::super::traits::{DeviceError, DeviceResult};
use super::code::{Function, LoadedCode};
use crate::host_ptr::HostAllocation;
use crate::mapped_pages::MappedPages;
use clspv_bridge::abi::CompiledProgram;
use clspv_bridge::ir::runtime::block_number;
use clspv_bridge::metadata::KernelInfo;
use clspv_bridge::native::NativeKernel;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// CL_DEVICE_LOCAL_MEM_SIZE: fits the second-level cache of all current processors.
pub const LOCAL_BYTES: u64 = 256 << 10;
/// Local arguments count in units of these bytes, those of a vector of four.
const COUNTED: u64 = 16;
/// Groups of fewer work-items are replaced by larger ones.
const FEW_ITEMS: u32 = 64;

/// Facts of the device that launches depend on.
#[derive(Clone, Copy, Debug)]
pub struct LaunchFacts {
    pub threads: u32,
    /// Work-items of a sub-group.
    pub sub_group: u32,
    /// Minimum bytes of a launch's streaming writes that bypass the caches.
    pub stream_from: u64,
}

/// State shared by the kernels of a program.
struct Code {
    program: Arc<CompiledProgram>,
    data: Option<HostAllocation>,
    /// Entries of blocks by block number: index and functions.
    blocks: HashMap<u64, (usize, Function, Function)>,
    /// Keeps the functions' code loaded; never read.
    _code: LoadedCode,
}

/// Code of a kernel.
pub struct LoadedKernel {
    code: Arc<Code>,
    index: usize,
    whole: Function,
    any: Function,
    facts: LaunchFacts,
}

/// Loads the code of a program, and creates its data block. Code in a mapped file runs there.
pub fn load(
    program: &Arc<CompiledProgram>,
    mapping: Option<&Arc<MappedPages>>,
    facts: LaunchFacts,
) -> DeviceResult<Vec<LoadedKernel>> {
    let native = program.native().ok_or_else(|| DeviceError::Unexpected("no native code".into()))?;
    if native.kernels.is_empty() {
        return Ok(Vec::new());
    }
    let loaded = LoadedCode::new(&native.object, mapping)?;
    let functions = native.kernels.iter().map(|k| Ok((loaded.function(&k.whole)?, loaded.function(&k.any)?)));
    let functions = functions.collect::<DeviceResult<Vec<_>>>()?;
    let data = data_block(program)?;
    let numbers = native.kernels.iter().map(|k| block_number(&k.info.name));
    let blocks = numbers
        .zip(functions.iter().enumerate())
        .filter_map(|(n, (i, (whole, any)))| Some((n?, (i, *whole, *any))));
    let code = Arc::new(Code { program: program.clone(), data, blocks: blocks.collect(), _code: loaded });
    let kernel = |(index, (whole, any))| LoadedKernel { code: code.clone(), index, whole, any, facts };
    Ok(functions.into_iter().enumerate().map(kernel).collect())
}

/// Creates the program's data block and relocates its addresses.
fn data_block(program: &CompiledProgram) -> DeviceResult<Option<HostAllocation>> {
    let data = &program.data;
    if data.size() == 0 {
        return Ok(None);
    }
    let block = HostAllocation::new(data.size()).ok_or(DeviceError::OutOfDeviceMemory)?;
    let mut bytes = data.bytes.clone();
    for &(at, offset) in &data.relocs {
        let value = (block.ptr().addr() as u64).wrapping_add(offset).to_le_bytes();
        let slot = bytes.get_mut(at as usize..at as usize + 8);
        slot.ok_or_else(|| DeviceError::Unexpected("relocation outside the data block".into()))?
            .copy_from_slice(&value);
    }
    // SAFETY: the block is as large as the data, and new.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), block.ptr().as_ptr(), bytes.len()) };
    Ok(Some(block))
}

impl LoadedKernel {
    /// The launch interface of the native code.
    pub fn native(&self) -> &NativeKernel {
        static NONE: OnceLock<NativeKernel> = OnceLock::new();
        let found = self.code.program.native().and_then(|n| n.kernels.get(self.index));
        found.unwrap_or_else(|| NONE.get_or_init(NativeKernel::default))
    }
    /// The function for full groups of this size.
    pub fn function(&self, local: [u64; 3]) -> Function {
        if self.native().is_whole(local) { self.whole } else { self.any }
    }
    /// The function for groups at the end of a dimension. The other one may assume the size that the kernel
    /// requires.
    pub fn function_at_end(&self) -> Function {
        self.any
    }
    /// Whether the streaming stores of `items` work-items should bypass the caches.
    pub fn streams(&self, items: u64) -> bool {
        let each = u64::from(self.native().stream_bytes);
        each != 0 && items.saturating_mul(each) >= self.facts.stream_from
    }
    /// The entry of one of the program's blocks.
    pub fn block(&self, number: u64) -> Option<LoadedKernel> {
        let &(index, whole, any) = self.code.blocks.get(&number)?;
        Some(LoadedKernel { code: self.code.clone(), index, whole, any, facts: self.facts })
    }
    /// Address of the data block.
    pub fn data(&self) -> u64 {
        self.code.data.as_ref().map_or(0, |d| d.ptr().addr() as u64)
    }
    /// The string constant at an address in the data block, with its initial contents.
    pub fn constant_at(&self, address: u64) -> Option<&[u8]> {
        let at = usize::try_from(address.checked_sub(self.data())?).ok()?;
        self.code.program.data.bytes.get(at..).filter(|rest| !rest.is_empty())
    }

    /// Facts of its device.
    pub fn facts(&self) -> LaunchFacts {
        self.facts
    }
    /// CL_KERNEL_WORK_GROUP_SIZE
    pub fn max_work_group_size(&self) -> usize {
        max_work_group_size(&self.native().info)
    }
    /// Work-items of a full sub-group.
    pub fn sub_group_size(&self) -> usize {
        self.native().info.reqd_sub_group_size.unwrap_or(self.facts.sub_group) as usize
    }
    /// Bytes of local memory of the kernel's own variables.
    pub fn static_local_bytes(&self) -> u64 {
        u64::from(self.native().static_local_bytes)
    }
    /// Bytes of local memory of a launch whose local arguments have the sizes that `size_of` returns. The
    /// memory is the host's, so gaps for the alignment of arguments do not count.
    pub fn local_bytes(&self, size_of: &dyn Fn(u16) -> u64) -> u64 {
        let whole = |bytes: u64| bytes.max(1).saturating_add(COUNTED - 1) & !(COUNTED - 1);
        let args = self.native().local_args.iter().map(|(arg, _)| whole(size_of(*arg)));
        args.fold(self.static_local_bytes(), u64::saturating_add).min(LOCAL_BYTES * 2)
    }
    /// Bytes of private variables of a work-item.
    pub fn private_bytes(&self) -> u64 {
        u64::from(self.native().private_bytes)
    }
    /// The local size with which a launch runs: for groups of so few work-items that their calls take most
    /// of the time, one that suits the device, if the kernel computes the same with others.
    pub fn efficient_local_size(&self, global: [u64; 3], dims: u32, local: [u32; 3]) -> [u32; 3] {
        let items = |size: [u32; 3]| size.iter().fold(1, |n: u32, size| n.saturating_mul(*size));
        if !self.native().any_local_size || items(local) >= FEW_ITEMS {
            return local;
        }
        let suitable = self.suggest_local_size(global, dims);
        let divides = (0..3).all(|d| global[d].is_multiple_of(u64::from(suitable[d].max(1))));
        if divides && items(suitable) > items(local) { suitable } else { local }
    }
    /// A good local size for a launch.
    pub fn suggest_local_size(&self, global: [u64; 3], dims: u32) -> [u32; 3] {
        if let Some(required) = self.native().info.reqd_work_group_size {
            return required;
        }
        // Independent of the tier: quick code has narrower vectors.
        let width = self.native().width.max(self.facts.sub_group);
        // Enough groups for all threads, but few enough that the calls cost no time.
        let items = global[0].saturating_mul(global[1]).saturating_mul(global[2]);
        let share = items / u64::from(self.facts.threads.max(1) * 8);
        // Values live across barriers need memory for each work-item.
        let most = if self.native().has_barriers { 1024 } else { 4096 };
        let target = share.clamp(u64::from(width), most) as u32;
        let shape = localsize::GroupPreferences { target, wave: width, row: 1024, max: [4096; 3] };
        localsize::suggest(global, dims, &shape)
    }
}

/// CL_KERNEL_WORK_GROUP_SIZE of a kernel.
pub fn max_work_group_size(info: &KernelInfo) -> usize {
    match info.reqd_work_group_size {
        Some(size) => size.iter().map(|s| *s as usize).product(),
        None => 4096,
    }
}
