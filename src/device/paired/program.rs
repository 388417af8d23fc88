//! Programs of a paired device: which kernels run on the secondary device, and why.
//!
//! A kernel falls back to the secondary device if the compiler cannot compile it for the primary one, or if
//! it needs more local memory or larger groups than that supports. A kernel with images is compiled for both
//! if there are images that only the secondary device supports; each launch decides by its images. If kernels
//! of the program may write program-scope variables, which are one block of memory for all, every kernel
//! falls back as soon as one does.

use super::memory::paired;
use super::pair::{Pair, Side};
use crate::device::batch::Launch;
use crate::device::info::{AddressSharing, DeviceInfo, ENQUEUE};
use crate::device::traits::{
    CompileFn, DeviceError, DeviceKernel, DeviceMemory, DeviceProgram, DeviceResult, KernelCompiler,
};
use clspv_bridge::CompileError;
use clspv_bridge::abi::{CompiledKernel, CompiledProgram, DataBlock, ProgramCode};
use clspv_bridge::metadata::{AccessQualifier, ArgKind, KernelInfo};
use clspv_bridge::options::Kernels;
use std::any::Any;
use std::sync::Arc;

/// Compiles a program for the devices of a pair: code for the primary one, then code for the secondary one if
/// kernels need it. The log names the kernels that fall back.
pub fn compile(
    pair: &Pair,
    compile: &mut CompileFn<'_>,
    log: &mut String,
) -> Result<Vec<Arc<CompiledProgram>>, CompileError> {
    let [primary, secondary] = [Side::Primary, Side::Secondary].map(|side| pair.ops(side));
    let own = primary.compile_kernels(Kernels::Possible, compile)?;
    let reasons = reasons(pair, &own);
    let both = with_images(pair, &own, &reasons);
    let names: Vec<String> = reasons.iter().map(|(name, _)| name.clone()).collect();
    if !both.is_empty() {
        let every = names.iter().chain(&both).cloned().collect();
        // One of these kernels may be supported by the primary device only.
        match secondary.compile_kernels(Kernels::Named(every), compile) {
            Ok(theirs) => {
                log.push_str(&notes_of(pair, &reasons, &both));
                return Ok(vec![without(&own, &reasons), theirs]);
            }
            Err(error) => tracing::info!(%error, "no kernels for images that the device lacks"),
        }
    }
    if reasons.is_empty() {
        return Ok(vec![own]);
    }
    let theirs = match secondary.compile_kernels(Kernels::Named(names), compile) {
        Ok(theirs) => theirs,
        // If neither device supports a kernel, the error is that of the primary one.
        Err(CompileError::Diagnostics(_)) => {
            return Ok(vec![primary.compile_kernels(Kernels::Every, compile)?]);
        }
        Err(error) => return Err(error),
    };
    log.push_str(&notes_of(pair, &reasons, &[]));
    Ok(vec![without(&own, &reasons), theirs])
}

/// Lines of the build log about kernels that need code for the secondary device.
pub fn notes(pair: &Pair, program: &CompiledProgram) -> String {
    let reasons = reasons(pair, program);
    notes_of(pair, &reasons, &with_images(pair, program, &reasons))
}

/// The kernels of a program that fall back, with the reasons.
fn reasons(pair: &Pair, program: &CompiledProgram) -> Vec<(String, String)> {
    let what = |why: &str| why.trim_end_matches(" on this device").to_string();
    let mut list: Vec<_> = program.absent.iter().map(|(name, why)| (name.clone(), what(why))).collect();
    let needs = |k: &CompiledKernel| Some((k.info.name.clone(), exceeds(k, pair)?));
    list.extend(program.vulkan().iter().filter_map(needs));
    if program.data.writable && list.is_empty() {
        let images = "images of formats that the device may lack, and variables at program scope";
        list.extend(with_images(pair, program, &[]).into_iter().map(|name| (name, images.to_string())));
    }
    if !list.is_empty() && program.data.writable {
        let shares = "variables at program scope that a kernel uses which falls back";
        let others = program.infos().map(|k| &k.name);
        let others: Vec<_> =
            others.filter(|name| list.iter().all(|(known, _)| known != *name)).cloned().collect();
        list.extend(others.into_iter().map(|name| (name, shares.to_string())));
    }
    list
}

/// Kernels with images that do not fall back, if only the secondary device supports some images or uses of
/// them.
fn with_images(pair: &Pair, program: &CompiledProgram, reasons: &[(String, String)]) -> Vec<String> {
    if !pair.gains_images {
        return Vec::new();
    }
    let some = program.infos().filter(|k| k.args.iter().any(|arg| arg.kind == ArgKind::Image));
    some.filter(|k| reasons.iter().all(|(name, _)| *name != k.name)).map(|k| k.name.clone()).collect()
}

/// The resource that a kernel needs more of than the primary device has, if the secondary device has enough.
fn exceeds(kernel: &CompiledKernel, pair: &Pair) -> Option<String> {
    let (own, other) = (pair.ops(Side::Primary).info(), pair.ops(Side::Secondary).info());
    if own.enqueue.is_none()
        && other.enqueue.is_some()
        && kernel.info.args.iter().any(|arg| arg.kind == ArgKind::Queue)
    {
        return Some(ENQUEUE.to_string());
    }
    let local = kernel.variants.iter().map(|v| u64::from(v.abi.static_local_bytes)).min().unwrap_or(0);
    if local > own.local_mem_size && local <= other.local_mem_size {
        return Some(format!("{local} bytes of local memory"));
    }
    let fits = |limits: &DeviceInfo, size: [u32; 3]| {
        let total = size.iter().fold(1u64, |all, n| all.saturating_mul(u64::from(*n)));
        let inside = size.iter().zip(limits.max_work_item_sizes).all(|(n, most)| u64::from(*n) <= most);
        inside && total <= u64::from(limits.max_work_group_size)
    };
    let KernelInfo { reqd_work_group_size, .. } = kernel.info;
    let size = reqd_work_group_size.filter(|size| !fits(own, *size) && fits(other, *size))?;
    Some(format!("work-groups of {size:?}"))
}

/// Lines of the build log: one for each kernel that falls back, and for each that is compiled for both
/// devices.
fn notes_of(pair: &Pair, reasons: &[(String, String)], both: &[String]) -> String {
    let other = &pair.ops(Side::Secondary).info().name;
    let reason = |(name, why): &(String, String)| {
        tracing::info!("kernel '{name}' falls back to {other}: {why}");
        format!("note: kernel '{name}' falls back to {other}: {why}\n")
    };
    let image = |name: &String| {
        format!(
            "note: kernel '{name}' runs on {other} if it is given images of formats \
             that the device lacks\n"
        )
    };
    reasons.iter().map(reason).chain(both.iter().map(image)).collect()
}

/// A loaded program.
pub struct PairedProgram {
    pair: Arc<Pair>,
    primary: Loaded,
    secondary: Option<Loaded>,
}

/// Code loaded by one of the devices.
struct Loaded {
    code: Arc<CompiledProgram>,
    program: Arc<dyn DeviceProgram>,
}

impl Loaded {
    fn new(pair: &Pair, side: Side, code: &Arc<CompiledProgram>) -> DeviceResult<Loaded> {
        Ok(Loaded { code: code.clone(), program: pair.ops(side).load(code.clone())? })
    }

    /// The kernel, if the code has it.
    fn kernel(&self, name: &str) -> DeviceResult<Option<Arc<dyn DeviceKernel>>> {
        let has = self.code.infos().any(|k| k.name == name);
        if has { self.program.kernel(name).map(Some) } else { Ok(None) }
    }
}

impl PairedProgram {
    /// Loads what [`compile`] returned.
    pub fn load(pair: &Arc<Pair>, code: &[Arc<CompiledProgram>]) -> DeviceResult<PairedProgram> {
        let [own, theirs @ ..] = code else {
            return Err(DeviceError::Unexpected("a program without code".into()));
        };
        let secondary = theirs.first().map(|code| Loaded::new(pair, Side::Secondary, code)).transpose()?;
        Ok(PairedProgram { pair: pair.clone(), primary: Loaded::new(pair, Side::Primary, own)?, secondary })
    }
}

impl DeviceProgram for PairedProgram {
    fn kernel(&self, name: &str) -> DeviceResult<Arc<dyn DeviceKernel>> {
        let theirs = self.secondary.as_ref().map(|loaded| loaded.kernel(name)).transpose()?.flatten();
        let kernel = |side, inner, for_images| -> Arc<dyn DeviceKernel> {
            Arc::new(PairedKernel { pair: self.pair.clone(), side, inner, for_images })
        };
        let theirs = theirs.map(|inner| kernel(Side::Secondary, inner, None));
        match (self.primary.kernel(name)?, theirs) {
            (Some(own), theirs) => Ok(kernel(Side::Primary, own, theirs)),
            (None, Some(theirs)) => Ok(theirs),
            (None, None) => Err(DeviceError::Unexpected(format!("no kernel {name}"))),
        }
    }
    fn offer_compiler(&self, compiler: Arc<dyn KernelCompiler>) {
        for loaded in [Some(&self.primary), self.secondary.as_ref()].into_iter().flatten() {
            loaded.program.offer_compiler(compiler.clone());
        }
    }
}

/// A kernel on one of the devices.
pub struct PairedKernel {
    pair: Arc<Pair>,
    side: Side,
    inner: Arc<dyn DeviceKernel>,
    /// The kernel on the secondary device, for images that the primary one does not support.
    for_images: Option<Arc<dyn DeviceKernel>>,
}

impl PairedKernel {
    /// The kernel of a launch.
    pub fn of(launch: &Launch) -> DeviceResult<&PairedKernel> {
        let kernel = launch.kernel.as_any().downcast_ref::<PairedKernel>();
        kernel.ok_or_else(|| DeviceError::Unexpected("a kernel of another kind of device".into()))
    }

    /// The device that runs it.
    pub fn side(&self) -> Side {
        self.side
    }

    /// The kernel of that device.
    pub fn inner(&self) -> &Arc<dyn DeviceKernel> {
        &self.inner
    }
}

impl DeviceKernel for PairedKernel {
    fn info(&self) -> &KernelInfo {
        self.inner.info()
    }
    fn max_work_group_size(&self) -> usize {
        self.inner.max_work_group_size()
    }
    fn reported_work_group_size(&self) -> usize {
        self.inner.reported_work_group_size()
    }
    fn sub_group_size(&self) -> usize {
        self.inner.sub_group_size()
    }
    fn preferred_multiple(&self) -> usize {
        self.inner.preferred_multiple()
    }
    fn static_local_bytes(&self) -> u64 {
        self.inner.static_local_bytes()
    }
    fn local_bytes(&self, size_of: &dyn Fn(u16) -> u64) -> u64 {
        self.inner.local_bytes(size_of)
    }
    fn private_bytes(&self) -> u64 {
        self.inner.private_bytes()
    }
    fn suggest_local_size(&self, global: [u64; 3], dims: u32) -> [u32; 3] {
        self.inner.suggest_local_size(global, dims)
    }
    fn limits<'a>(&'a self, _device: &'a DeviceInfo) -> &'a DeviceInfo {
        self.pair.ops(self.side).info()
    }
    fn for_image(
        &self,
        image: &Arc<dyn DeviceMemory>,
        access: AccessQualifier,
    ) -> DeviceResult<Option<Arc<dyn DeviceKernel>>> {
        if self.side == Side::Secondary || paired(image)?.is_usable_on_primary(access) {
            return Ok(None);
        }
        let lacks = || DeviceError::Unsupported("the device cannot use the image so".into());
        self.for_images.clone().map(Some).ok_or_else(lacks)
    }
    fn validate_address(&self, buffer: Option<(&Arc<dyn DeviceMemory>, u64)>) -> DeviceResult<()> {
        if self.side == Side::Primary {
            return Ok(());
        }
        let valid = match buffer {
            Some((buffer, start)) => {
                paired(buffer)?.on(Side::Secondary).is_ok_and(|own| own.address() == Some(start))
            }
            None => self.pair.ops(Side::Primary).info().sharing == AddressSharing::Host,
        };
        let refused = "the kernel falls back, and an address of its memory is not one of the process";
        if valid { Ok(()) } else { Err(DeviceError::Unsupported(refused.into())) }
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The program without kernels that fall back.
fn without(program: &Arc<CompiledProgram>, reasons: &[(String, String)]) -> Arc<CompiledProgram> {
    let falls_back = |k: &CompiledKernel| reasons.iter().any(|(name, _)| *name == k.info.name);
    if !program.vulkan().iter().any(falls_back) {
        return program.clone();
    }
    let kernels: Vec<_> = program.vulkan().iter().filter(|k| !falls_back(k)).cloned().collect();
    // No remaining kernel uses the block; only its size is still required.
    let nothing = DataBlock { variables: program.data.variables, ..DataBlock::default() };
    let data = if kernels.is_empty() { nothing } else { program.data.clone() };
    Arc::new(CompiledProgram { code: ProgramCode::Vulkan(kernels), data, absent: reasons.to_vec() })
}
