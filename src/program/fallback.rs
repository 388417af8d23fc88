//! Kernels that run on the fallback device: their selection, with reasons.
//!
//! A kernel falls back if the compiler cannot compile it for the device, or if it needs more local memory or
//! larger groups than the device supports. A kernel with images is compiled for both devices if there are
//! images that only the fallback device supports; each launch decides by its images. If kernels of the
//! program may write program-scope variables, which are one block of memory for all, every kernel falls back
//! as soon as one does.

use crate::device::Device;
use crate::device::fallback::{ENQUEUE, IMAGE_FORMATS};
use crate::device::info::DeviceInfo;
use crate::device::traits::{DeviceOps, DeviceProgram, DeviceResult};
use clspv_bridge::abi::{CompiledKernel, CompiledProgram, DataBlock};
use clspv_bridge::metadata::{ArgKind, KernelInfo};
use clspv_bridge::options::Kernels;
use clspv_bridge::{CompileError, Target};
use std::sync::Arc;

/// Kernels of an executable for the fallback device.
#[derive(Clone)]
pub struct FallbackKernels {
    pub compiled: Arc<CompiledProgram>,
    pub loaded: Arc<dyn DeviceProgram>,
}

impl FallbackKernels {
    /// Loads the code compiled for the fallback device.
    pub fn load(ops: &Arc<dyn DeviceOps>, compiled: Arc<CompiledProgram>) -> DeviceResult<FallbackKernels> {
        let loaded = ops.load(compiled.clone())?;
        Ok(FallbackKernels { compiled, loaded })
    }
}

/// Code for a device, and for its fallback device if kernels fall back.
pub type Compiled = (Arc<CompiledProgram>, Option<Arc<CompiledProgram>>);

/// Result of the compiler.
type Built = std::result::Result<Arc<CompiledProgram>, CompileError>;

/// Compiles a program for a device and its fallback device; the log names the kernels that fall back.
pub fn compile(
    device: &Device,
    compile: &mut dyn FnMut(Kernels, &Target) -> Built,
    log: &mut String,
) -> std::result::Result<Compiled, CompileError> {
    let Some(fallback) = device.fallback() else {
        return Ok((compile(Kernels::Every, device.target())?, None));
    };
    let own = compile(Kernels::Possible, device.target())?;
    let reasons = reasons(device, &own);
    let both = with_images(device, &own, &reasons);
    let names: Vec<String> = reasons.iter().map(|(name, _)| name.clone()).collect();
    if !both.is_empty() {
        let every = names.iter().chain(&both).cloned().collect();
        // One of these kernels may be supported by the device only.
        match compile(Kernels::Named(every), fallback.ops.target()) {
            Ok(theirs) => {
                log.push_str(&notes(device, &reasons));
                log.push_str(&notes_of_images(device, &both));
                return Ok((without(&own, &reasons), Some(theirs)));
            }
            Err(error) => tracing::info!(%error, "no kernels for images that the device lacks"),
        }
    }
    if reasons.is_empty() {
        return Ok((own, None));
    }
    let theirs = match compile(Kernels::Named(names), fallback.ops.target()) {
        Ok(theirs) => theirs,
        // If neither device supports a kernel, the error is that of the device.
        Err(CompileError::Diagnostics(_)) => return Ok((compile(Kernels::Every, device.target())?, None)),
        Err(error) => return Err(error),
    };
    log.push_str(&notes(device, &reasons));
    Ok((without(&own, &reasons), Some(theirs)))
}

/// The kernels of a program that fall back, with the reasons; empty if the device has no fallback.
pub fn reasons(device: &Device, program: &CompiledProgram) -> Vec<(String, String)> {
    let Some(fallback) = device.fallback() else { return Vec::new() };
    let what = |why: &str| why.trim_end_matches(" on this device").to_string();
    let mut list: Vec<_> = program.absent.iter().map(|(name, why)| (name.clone(), what(why))).collect();
    list.extend(
        program
            .kernels
            .iter()
            .filter_map(|k| Some((k.info.name.clone(), exceeds(k, device.ops(), &fallback.ops)?))),
    );
    if program.data.writable && list.is_empty() {
        let images = "images of formats that the device may lack, and variables at program scope";
        list.extend(with_images(device, program, &[]).into_iter().map(|name| (name, images.to_string())));
    }
    if !list.is_empty() && program.data.writable {
        let shares = "variables at program scope that a kernel uses which falls back";
        let others = program.kernels.iter().map(|k| &k.info.name);
        let others: Vec<_> =
            others.filter(|name| list.iter().all(|(known, _)| known != *name)).cloned().collect();
        list.extend(others.into_iter().map(|name| (name, shares.to_string())));
    }
    list
}

/// Whether the device's own code is all that a program needs.
pub fn is_alone(device: &Device, program: &CompiledProgram) -> bool {
    reasons(device, program).is_empty() && with_images(device, program, &[]).is_empty()
}

/// Kernels with images that do not fall back, if only the fallback device supports some images or uses of
/// them.
pub fn with_images(device: &Device, program: &CompiledProgram, reasons: &[(String, String)]) -> Vec<String> {
    if !device.fallback().is_some_and(|fallback| fallback.gains.contains(&IMAGE_FORMATS)) {
        return Vec::new();
    }
    let infos = program.kernels.iter().map(|k| &k.info);
    let some = infos.filter(|k| k.args.iter().any(|arg| arg.kind == ArgKind::Image));
    some.filter(|k| reasons.iter().all(|(name, _)| *name != k.name)).map(|k| k.name.clone()).collect()
}

/// A line of the build log for each kernel of [`with_images`].
pub fn notes_of_images(device: &Device, kernels: &[String]) -> String {
    let fallback = device.fallback().map_or("", |f| f.ops.info().name.as_str());
    let line = |name: &String| {
        format!(
            "note: kernel '{name}' runs on {fallback} if it is given images of formats \
                 that the device lacks\n"
        )
    };
    kernels.iter().map(line).collect()
}

/// The resource that a kernel needs more of than the device has, if the fallback device has enough.
fn exceeds(kernel: &CompiledKernel, own: &Arc<dyn DeviceOps>, other: &Arc<dyn DeviceOps>) -> Option<String> {
    let (own, other) = (own.info(), other.info());
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

/// The program without kernels that fall back.
fn without(program: &Arc<CompiledProgram>, reasons: &[(String, String)]) -> Arc<CompiledProgram> {
    let falls_back = |k: &CompiledKernel| reasons.iter().any(|(name, _)| *name == k.info.name);
    if !program.kernels.iter().any(falls_back) {
        return program.clone();
    }
    let kernels: Vec<_> = program.kernels.iter().filter(|k| !falls_back(k)).cloned().collect();
    // No remaining kernel uses the block; only its size is still required.
    let nothing = DataBlock { variables: program.data.variables, ..DataBlock::default() };
    let data = if kernels.is_empty() { nothing } else { program.data.clone() };
    Arc::new(CompiledProgram { kernels, data, native: None, absent: reasons.to_vec() })
}

/// A line of the build log for each kernel that falls back.
pub fn notes(device: &Device, reasons: &[(String, String)]) -> String {
    let fallback = device.fallback().map_or("", |f| f.ops.info().name.as_str());
    let line = |(name, why): &(String, String)| {
        tracing::info!("kernel '{name}' falls back to {fallback}: {why}");
        format!("note: kernel '{name}' falls back to {fallback}: {why}\n")
    };
    reasons.iter().map(line).collect()
}
