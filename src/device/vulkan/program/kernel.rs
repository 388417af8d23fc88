//! Loaded programs and kernels, and the launch plan: variant, dispatches and argument block.
//!
//! The plan follows `clspv_bridge::abi`.

use super::ahead;
use super::dispatch::DispatchState;
use super::grid::{Dispatches, GridDispatch, count_groups, split_grid};
use super::group_size;
use super::pipeline::{Pipeline, Pipelines, StandIn};
use super::pipeline_key::{Formats, ImageConstants, PipelineKey};
use super::variants::Variants;
use super::window::{LaunchWindow, WindowArg, WindowMemory};
use crate::device::batch::{ArgValue, BufferRange, Launch};
use crate::device::localsize::{self, GroupPreferences};
use crate::device::traits::{DeviceError, DeviceKernel, DeviceProgram, DeviceResult, ImageDesc};
use crate::device::vulkan::core::conv::align_up;
use crate::device::vulkan::core::gpu::Gpu;
use crate::device::vulkan::memory::access::{Accesses, Object, ObjectAccess};
use crate::device::vulkan::memory::buffer::{Buffer, buffer_of};
use crate::device::vulkan::memory::image::{Bound, image_of};
use crate::device::vulkan::memory::pools::MemoryPools;
use ash::vk;
use clspv_bridge::abi::{
    BindingSource, CompiledKernel, CompiledProgram, ImplicitArg, KernelVariant, LocalSizes, LocalSpec,
    NULL_OFFSET, PointerMode,
};
use clspv_bridge::metadata::{AccessQualifier, ArgInfo, ArgKind, KernelInfo};
use smallvec::SmallVec;
use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

/// Maximum work-items of a grid whose local size hardly matters.
const SMALL_GRID: u64 = 256;
/// Work-items of the groups up to which a multiprocessor has registers for whatever a kernel needs. NVIDIA's
/// OpenCL and AMD's report it as CL_KERNEL_WORK_GROUP_SIZE, and programs that tune themselves go up to it;
/// with larger groups drivers keep variables in memory.
const UNCONSTRAINED_GROUP: usize = 256;

/// A loaded program.
pub struct VulkanProgram {
    kernels: Vec<Arc<VulkanKernel>>,
}

/// A launchable kernel.
pub struct VulkanKernel {
    this: Weak<VulkanKernel>,
    gpu: &'static Gpu,
    memory: &'static MemoryPools,
    program: Arc<CompiledProgram>,
    index: usize,
    data: Option<Arc<Buffer>>,
    pipelines: Vec<Arc<Pipelines>>,
    /// For each argument: whether kernels only read what it points to.
    readonly: Vec<bool>,
    /// Pipelines were requested ahead of the first launch.
    requested: AtomicBool,
}

impl VulkanProgram {
    /// Creates the kernels of a program with its data block.
    pub fn new(
        memory: &'static MemoryPools,
        variants: &Variants,
        program: Arc<CompiledProgram>,
        data: Option<Arc<Buffer>>,
    ) -> VulkanProgram {
        let kernels = (0..program.vulkan().len())
            .map(|index| {
                let compiled = &program.vulkan()[index];
                Arc::new_cyclic(|this| VulkanKernel {
                    this: this.clone(),
                    gpu: memory.gpu,
                    memory,
                    index,
                    data: data.clone(),
                    pipelines: compiled
                        .variants
                        .iter()
                        .map(|v| variants.get(&compiled.info.name, v))
                        .collect(),
                    readonly: (0..compiled.info.args.len()).map(|a| arg_is_readonly(compiled, a)).collect(),
                    program: program.clone(),
                    requested: AtomicBool::new(false),
                })
            })
            .collect();
        VulkanProgram { kernels }
    }
}

impl VulkanProgram {
    /// See [`DeviceOps::statistics`](crate::device::traits::DeviceOps::statistics).
    pub fn statistics(&self, kernels: &[&str]) -> DeviceResult<String> {
        let wanted = self.kernels.iter().filter(|kernel| kernels.contains(&kernel.info().name.as_str()));
        wanted.map(|kernel| kernel.statistics()).collect()
    }
}

impl DeviceProgram for VulkanProgram {
    fn kernel(&self, name: &str) -> DeviceResult<Arc<dyn DeviceKernel>> {
        let found = self.kernels.iter().find(|k| k.info().name == name);
        let kernel = found.ok_or_else(|| DeviceError::Unexpected(format!("no kernel {name}")))?;
        if kernel.gpu.adapter.features.pipelines_ahead && !kernel.requested.swap(true, Ordering::Relaxed) {
            kernel.create_ahead(VulkanKernel::create_likely_pipelines);
        }
        Ok(kernel.clone())
    }
}

fn arg_is_readonly(kernel: &CompiledKernel, arg: usize) -> bool {
    let bound = |v: &KernelVariant| {
        let is_arg = |b: &BindingSource| {
            [BindingSource::Arg(arg as u16), BindingSource::Whole(arg as u16)].contains(b)
        };
        let at = v.abi.bindings.iter().position(is_arg);
        let in_window = v.abi.windowed_args().any(|a| usize::from(a) == arg);
        at.is_some_and(|i| v.abi.readonly.get(i).copied().unwrap_or(false))
            || in_window && !v.abi.window_writes.contains(&(arg as u16))
    };
    kernel.info.args[arg].kind == ArgKind::ConstantPtr || kernel.variants.iter().any(bound)
}

/// The print buffer of a launch.
#[derive(Clone, Copy)]
pub struct PrintTarget<'a> {
    pub buffer: &'a Buffer,
    /// The number that the kernel's printf calls count from.
    pub base: u32,
}

/// Execution plan of a launch.
pub struct Plan<'a> {
    pub variant: &'a KernelVariant,
    /// The variant's place in the kernel.
    index: usize,
    pub pipelines: &'a Pipelines,
    pub dispatches: Dispatches,
    pub lengths: SmallVec<[u32; 4]>,
    pub formats: Formats,
    pub constants: ImageConstants,
    /// The current dispatch ([`Plan::set_dispatch`]).
    pub state: DispatchState,
    /// Shadow images of image arguments, and whether the kernel writes them.
    pub shadow_images: SmallVec<[(usize, bool); 2]>,
    /// The window of a kernel that has one.
    pub window: Option<LaunchWindow>,
    pub accesses: Accesses,
    offset: [u64; 3],
    /// The local size of full groups, which is the launch's own unless the kernel runs with any.
    full_local: [u32; 3],
}

fn whole(range: &BufferRange, write: bool) -> DeviceResult<ObjectAccess> {
    Ok(ObjectAccess {
        object: Object::Buffer(buffer_of(range)?.raw),
        start: range.offset,
        end: range.offset + range.size,
        write,
    })
}

impl VulkanKernel {
    /// The compiler's result.
    pub fn compiled(&self) -> &CompiledKernel {
        &self.program.vulkan()[self.index]
    }

    /// The driver's statistics on the kernel's pipelines, a line for each variant; empty if it has none.
    /// Local arguments have one element, and images the formats that kernels without declarations read.
    fn statistics(&self) -> DeviceResult<String> {
        let mut lines = String::new();
        for (variant, pipelines) in self.compiled().variants.iter().zip(&self.pipelines) {
            let (lengths, _) = local_lengths(variant, &|_| 1);
            let lengths = lengths.into_iter().map(|n| n.try_into().unwrap_or(1)).collect();
            let key = PipelineKey::of_sizes(&variant.abi, self.likely_local_size(), lengths);
            let statistics = pipelines.statistics(variant, &key)?;
            if !statistics.is_empty() {
                let (name, local) = (&self.info().name, key.local.map(|n| n.to_string()).join("x"));
                lines += &format!("{name}, {:?}, local size {local}: {statistics}\n", variant.abi.mode);
            }
        }
        Ok(lines)
    }

    /// Creates pipelines in the background, unless the kernel is released before.
    fn create_ahead(&self, create: impl FnOnce(&VulkanKernel) + Send + 'static) {
        let kernel = self.this.clone();
        ahead::request(move || {
            if let Some(kernel) = kernel.upgrade() {
                create(&kernel);
            }
        });
    }

    /// Creates a pipeline of a variant.
    fn create_pipeline(&self, variant: usize, key: &PipelineKey) {
        if let (Some(code), Some(pipelines)) =
            (self.compiled().variants.get(variant), self.pipelines.get(variant))
            && let Err(error) = pipelines.get(code, key)
        {
            tracing::debug!("a pipeline of {} was not created: {error}", self.info().name);
        }
    }

    /// Creates the pipelines that launches are likely to need: those that earlier processes used, and that of
    /// the required local size. Pipelines that depend on arguments are left to the launches.
    fn create_likely_pipelines(&self) {
        let variants = self.compiled().variants.iter().zip(&self.pipelines);
        for (i, (variant, pipelines)) in variants.enumerate() {
            // Launches use the first variant unless arguments prevent it.
            let required = self.info().reqd_work_group_size.filter(|_| i == 0);
            let depends = variant.abi.local_specs.iter().any(|(_, s)| matches!(s, LocalSpec::Arg { .. }));
            let required = required.filter(|_| !depends && variant.abi.common_local_args.is_empty());
            let key = required.map(|local| {
                let (lengths, _) = local_lengths(variant, &|_| 0);
                PipelineKey::of_sizes(&variant.abi, local, lengths.into_iter().map(|n| n as u32).collect())
            });
            if let Err(error) = pipelines.create_ahead(variant, key) {
                tracing::debug!("pipelines of {} were not created ahead: {error}", self.info().name);
            }
        }
    }

    /// Group sizes that suit the device.
    fn preferences(&self) -> GroupPreferences {
        let gpu = &self.gpu.adapter;
        let limits = &gpu.props.limits;
        GroupPreferences {
            target: if gpu.is_cpu() { 128 } else { 256 }.min(limits.max_compute_work_group_invocations),
            wave: gpu.subgroup.subgroup_size.max(1),
            row: if gpu.is_cpu() { 64 } else { 32 },
            max: limits.max_compute_work_group_size,
        }
    }

    /// The required local size, else the one of the hint, else that of a long line of work-items.
    fn likely_local_size(&self) -> [u32; 3] {
        let info = self.info();
        let required = info.reqd_work_group_size.or(info.work_group_size_hint);
        required.unwrap_or_else(|| self.suggest_local_size([1 << 20, 1, 1], 1))
    }

    /// The program's constants from a device address on. (In bindings mode none of their addresses is
    /// recorded.)
    pub fn constant_at(&self, address: u64) -> Option<&[u8]> {
        let at = usize::try_from(address.checked_sub(self.data.as_ref()?.address)?).ok()?;
        self.program.data.bytes.get(at..).filter(|rest| !rest.is_empty())
    }

    /// Plans a launch. A kernel that prints requires a print target.
    pub fn plan(&self, launch: &Launch, print: Option<PrintTarget<'_>>) -> DeviceResult<Plan<'_>> {
        let compiled = self.compiled();
        if launch.args.len() != compiled.info.args.len() {
            return Err(DeviceError::Unexpected("number of kernel arguments".into()));
        }
        let num_groups = count_groups(launch.global, launch.local)?;
        let chosen = (0..compiled.variants.len()).find(|&i| self.runs(&compiled.variants[i], launch));
        let index = chosen.ok_or_else(|| {
            DeviceError::Unsupported(format!("kernel {}: no variant for these buffers", compiled.info.name))
        })?;
        let variant = &compiled.variants[index];
        let Launch { global, dims, local, .. } = *launch;
        let local = group_size::efficient(variant.abi.local_sizes, global, dims, local, &self.preferences());
        let mut plan = Plan {
            variant,
            index,
            pipelines: &self.pipelines[index],
            dispatches: self.dispatches(launch.global, local)?,
            lengths: self.lengths(variant, launch)?,
            formats: Formats::new(),
            constants: ImageConstants::new(),
            state: DispatchState {
                pipeline: Pipeline::default(),
                bindings: SmallVec::new(),
                storage: variant.abi.block_storage,
                args_offset: variant.abi.args_offset,
                block_binding: variant.abi.bindings.iter().position(|b| *b == BindingSource::Block),
                block: SmallVec::from_elem(0, variant.abi.block_size as usize),
                groups: [0; 3],
            },
            shadow_images: SmallVec::new(),
            window: self.window(variant, launch)?,
            accesses: Accesses::new(),
            offset: launch.offset,
            full_local: local,
        };
        if plan.window.is_some() {
            // The window's descriptor covers more than the arguments.
            plan.accesses.push(ObjectAccess::ANYWHERE);
        }
        self.fill_arguments(&mut plan, launch, print)?;
        self.fill_hidden(&mut plan, launch, num_groups, print)?;
        if let Some(PrintTarget { buffer, .. }) = print {
            plan.accesses.push(ObjectAccess {
                object: Object::Buffer(buffer.raw),
                start: 0,
                end: buffer.size,
                write: true,
            });
        }
        // With addresses, a kernel can access variables that it does not name, through pointers in memory.
        let by_address = variant.abi.mode == PointerMode::Addresses;
        if let Some(data) = &self.data
            && (by_address || variant.abi.bindings.contains(&BindingSource::Data))
        {
            let write = self.program.data.writable;
            plan.accesses.push(ObjectAccess {
                object: Object::Buffer(data.raw),
                start: 0,
                end: data.size,
                write,
            });
        }
        Ok(plan)
    }

    /// The dispatches of a grid.
    fn dispatches(&self, global: [u64; 3], local: [u32; 3]) -> DeviceResult<Dispatches> {
        split_grid(global, local, self.gpu.adapter.props.limits.max_compute_work_group_count)
    }

    /// Lets a pipeline of another local size execute the launch, if there is one and that of the plan's does
    /// not exist yet; requests that in the background at the second such launch. Returns whether one does.
    pub fn use_existing_pipeline(&self, plan: &mut Plan<'_>, launch: &Launch) -> DeviceResult<bool> {
        let may =
            plan.variant.abi.local_sizes == LocalSizes::Any && self.gpu.adapter.features.pipelines_ahead;
        let Some(first) = plan.dispatches.first().filter(|_| may) else { return Ok(false) };
        let key = plan.key(first);
        let wave = self.preferences().wave;
        let Some(StandIn { local, is_last }) = plan.pipelines.stand_in(&key, launch.global, wave) else {
            return Ok(false);
        };
        if is_last {
            let index = plan.index;
            self.create_ahead(move |kernel| kernel.create_pipeline(index, &key));
        }
        plan.dispatches = self.dispatches(launch.global, local)?;
        plan.full_local = local;
        Ok(true)
    }

    /// Whether the variant can execute the launch on this device.
    fn runs(&self, variant: &KernelVariant, launch: &Launch) -> bool {
        if variant.abi.mode == PointerMode::Addresses {
            return true;
        }
        let limits = &self.gpu.adapter.props.limits;
        let align = limits.min_storage_buffer_offset_alignment.max(1);
        let is_virtual = variant.abi.mode.is_virtual();
        if variant.abi.buffer_descriptors() > self.gpu.vulkan.max_buffer_descriptors as usize {
            return false;
        }
        variant.abi.bindings.iter().all(|b| match b {
            BindingSource::Data => {
                self.data.as_ref().is_some_and(|d| d.padded <= u64::from(limits.max_storage_buffer_range))
            }
            BindingSource::Print
            | BindingSource::Image(_)
            | BindingSource::Sampler(_)
            | BindingSource::Block
            | BindingSource::Window => true,
            BindingSource::Whole(a) => match launch.args.get(*a as usize) {
                Some(ArgValue::Buffer(r)) => {
                    buffer_of(r).is_ok_and(|b| b.padded <= u64::from(limits.max_storage_buffer_range))
                }
                value => matches!(value, Some(ArgValue::NullBuffer)),
            },
            BindingSource::Arg(a) => match launch.args.get(*a as usize) {
                Some(ArgValue::NullBuffer) => is_virtual,
                Some(ArgValue::Buffer(r)) if is_virtual => {
                    r.size > 0
                        && r.offset % align == 0
                        && r.size <= u64::from(limits.max_storage_buffer_range)
                }
                Some(ArgValue::Buffer(r)) => {
                    r.size > 0
                        && r.offset % align == 0
                        && r.size + 16 <= u64::from(limits.max_storage_buffer_range)
                }
                // A pointer to the start of an allocation cannot refer to anything before it.
                Some(ArgValue::Pointer { address, within: Some(r) }) => {
                    r.memory.address() == Some(*address)
                        && r.offset == 0
                        && r.size + 16 <= u64::from(limits.max_storage_buffer_range)
                }
                _ => false,
            },
        })
    }

    /// Lays out the window of a kernel that has one. Fails if the buffers of the arguments do not fit there.
    fn window(&self, variant: &KernelVariant, launch: &Launch) -> DeviceResult<Option<LaunchWindow>> {
        let abi = &variant.abi;
        if abi.mode != PointerMode::Windowed {
            return Ok(None);
        }
        let mut args: SmallVec<[WindowArg; 8]> = SmallVec::new();
        for arg in abi.windowed_args() {
            let Some(ArgValue::Buffer(range)) = launch.args.get(usize::from(arg)) else { continue };
            let buffer = buffer_of(range)?;
            let (start, end) = (range.offset, range.offset + range.size);
            args.push(WindowArg {
                arg,
                raw: buffer.raw,
                place: buffer.place(),
                start,
                end,
                // Wide accesses touch the next 16 bytes; the buffer is padded accordingly.
                padded_end: align_up(end, 16).min(buffer.padded),
                write: abi.window_writes.contains(&arg),
            });
        }
        let limits = &self.gpu.adapter.props.limits;
        let limit = limits.max_storage_buffer_range.min(NULL_OFFSET);
        LaunchWindow::new(&args, limit.into()).map(Some).ok_or_else(|| {
            let (name, bytes) = (&self.info().name, args.iter().map(|a| a.end - a.start).sum::<u64>());
            tracing::error!(
                "kernel {name}: {} buffers of {bytes} bytes do not fit a descriptor of {limit} bytes, and the \
                 device has only {} of them",
                args.len(),
                self.gpu.vulkan.max_buffer_descriptors,
            );
            DeviceError::OutOfDeviceMemory
        })
    }

    /// Puts the arguments into the block, and collects accesses and bindings.
    fn fill_arguments(
        &self,
        plan: &mut Plan<'_>,
        launch: &Launch,
        print: Option<PrintTarget<'_>>,
    ) -> DeviceResult<()> {
        for (number, (value, info)) in launch.args.iter().zip(&self.compiled().info.args).enumerate() {
            self.fill_argument(plan, number, value, info)?;
        }
        for range in &launch.indirect.buffers {
            plan.accesses.push(whole(range, true)?);
        }
        if launch.indirect.anything {
            plan.accesses.push(ObjectAccess::ANYWHERE);
        }
        for (source, number) in plan.variant.abi.bindings.iter().zip(0..) {
            let binding = self.binding(plan, source, number, launch, print)?;
            plan.state
                .bindings
                .push(binding.ok_or_else(|| DeviceError::Unexpected("unbound kernel argument".into()))?);
        }
        Ok(())
    }

    /// Puts the arguments that are passed by value into the block of an earlier launch, whose other arguments
    /// are the same.
    pub fn put_numbers(&self, state: &mut DispatchState, args: &[ArgValue]) -> DeviceResult<()> {
        for (value, info) in args.iter().zip(&self.compiled().info.args) {
            if let ArgValue::Bytes(bytes) = value {
                put(&mut state.block, (state.args_offset + info.offset) as usize, bytes)?;
            }
        }
        Ok(())
    }

    /// Puts one argument into the block, and notes what the kernel accesses by it.
    fn fill_argument(
        &self,
        plan: &mut Plan<'_>,
        number: usize,
        value: &ArgValue,
        info: &ArgInfo,
    ) -> DeviceResult<()> {
        let abi = &plan.variant.abi;
        let at = (abi.args_offset + info.offset) as usize;
        match value {
            ArgValue::Bytes(bytes) => put(&mut plan.state.block, at, bytes)?,
            ArgValue::NullBuffer => match abi.mode {
                PointerMode::Addresses | PointerMode::Virtual | PointerMode::Windowed => {
                    put(&mut plan.state.block, at, &0u64.to_le_bytes())?
                }
                PointerMode::Bindings => put(&mut plan.state.block, at, &NULL_OFFSET.to_le_bytes())?,
            },
            ArgValue::Buffer(range) => {
                let buffer = buffer_of(range)?;
                if abi.mode != PointerMode::Bindings {
                    put(&mut plan.state.block, at, &(buffer.address + range.offset).to_le_bytes())?;
                } else {
                    put(&mut plan.state.block, at, &0u32.to_le_bytes())?;
                }
                plan.accesses.push(whole(range, !self.readonly[number])?);
            }
            ArgValue::Image(memory) => {
                let image = image_of(memory)?;
                let write = info.access != AccessQualifier::ReadOnly;
                plan.accesses.push(image.access(write));
                if image.shadowed().is_some() {
                    plan.shadow_images.push((number, write));
                }
            }
            ArgValue::Pointer { address, within } => {
                if abi.mode == PointerMode::Addresses {
                    put(&mut plan.state.block, at, &address.to_le_bytes())?;
                } else {
                    put(&mut plan.state.block, at, &0u32.to_le_bytes())?;
                }
                if let Some(range) = within {
                    plan.accesses.push(whole(range, !self.readonly[number])?);
                }
            }
            ArgValue::Local(_) => {}
        }
        Ok(())
    }

    /// The descriptor of a binding; `None` if the argument has none.
    fn binding(
        &self,
        plan: &mut Plan<'_>,
        source: &BindingSource,
        number: u32,
        launch: &Launch,
        print: Option<PrintTarget<'_>>,
    ) -> DeviceResult<Option<Bound>> {
        Ok(match source {
            BindingSource::Data => self.data.as_ref().map(|d| Bound::whole(d)),
            BindingSource::Sampler(number) => Some(Bound::Sampler(self.gpu.sampler(*number)?)),
            BindingSource::Print => print.map(|p| Bound::whole(p.buffer)),
            // Known only when the dispatch is recorded.
            BindingSource::Block => Some(Bound::Buffer { buffer: vk::Buffer::null(), offset: 0, range: 0 }),
            BindingSource::Window => match plan.window.as_ref().map(|window| &window.memory) {
                Some(&WindowMemory::Bound { buffer, offset, range }) => {
                    Some(Bound::Buffer { buffer, offset, range })
                }
                Some(WindowMemory::Staged { size, .. }) => {
                    Some(Bound::Buffer { buffer: vk::Buffer::null(), offset: 0, range: *size })
                }
                Some(WindowMemory::None) | None => Some(Bound::whole(self.memory.null_buffer()?)),
            },
            BindingSource::Whole(a) => match launch.args.get(*a as usize) {
                Some(ArgValue::Buffer(range)) => Some(Bound::whole(buffer_of(range)?)),
                _ => Some(Bound::whole(self.memory.null_buffer()?)),
            },
            BindingSource::Image(binding) => match launch.args.get(usize::from(binding.arg)) {
                Some(ArgValue::Image(memory)) => {
                    let image = image_of(memory)?;
                    let format = image.declared_format(binding);
                    plan.formats.extend(format.filter(|_| binding.declared).map(|f| (number, f)));
                    let constant = image.constant(binding);
                    plan.constants.extend((constant != 0).then_some((number, constant)));
                    Some(image.bound(binding)?)
                }
                _ => None,
            },
            BindingSource::Arg(a) => match launch.args.get(*a as usize) {
                Some(ArgValue::Buffer(range) | ArgValue::Pointer { within: Some(range), .. }) => {
                    let buffer = buffer_of(range)?;
                    // Up to the next 16 bytes, for wide accesses at the end; the buffer is padded
                    // accordingly.
                    let end = align_up(range.offset + range.size, 16).min(buffer.padded);
                    Some(Bound::Buffer {
                        buffer: buffer.raw,
                        offset: range.offset,
                        range: end - range.offset,
                    })
                }
                Some(ArgValue::NullBuffer) => Some(Bound::whole(self.memory.null_buffer()?)),
                _ => None,
            },
        })
    }

    fn fill_hidden(
        &self,
        plan: &mut Plan<'_>,
        launch: &Launch,
        num_groups: [u32; 3],
        print: Option<PrintTarget<'_>>,
    ) -> DeviceResult<()> {
        let abi = &plan.variant.abi;
        for &(arg, at) in &abi.implicit_args {
            let d = |i: u8| usize::from(i).min(2);
            let value = match arg {
                ImplicitArg::GlobalIdBase(_) | ImplicitArg::GroupBase(_) => 0,
                ImplicitArg::PrintfAddress => print.map_or(0, |p| p.buffer.address),
                ImplicitArg::NullAddress => self.memory.null_buffer()?.address,
                ImplicitArg::PrintfBase => print.map_or(0, |p| u64::from(p.base)),
                ImplicitArg::GlobalOffset(i) => launch.offset[d(i)],
                ImplicitArg::GlobalSize(i) => launch.global[d(i)],
                ImplicitArg::EnqueuedLocalSize(i) => u64::from(launch.local[d(i)]),
                ImplicitArg::NumGroups(i) => u64::from(num_groups[d(i)]),
                ImplicitArg::WorkDim => u64::from(launch.dims),
                ImplicitArg::DataAddress => self.data.as_ref().map_or(0, |b| b.address),
                ImplicitArg::ImageFormat(arg) => {
                    let format = image_desc(launch, arg)?.format;
                    u64::from(format.order << 16 | format.data_type & 0xffff)
                }
                ImplicitArg::ImageSize(arg, 3) => u64::from(image_desc(launch, arg)?.levels),
                ImplicitArg::ImageSize(arg, dim) => u64::from(image_desc(launch, arg)?.shape.size[d(dim)]),
                ImplicitArg::WindowOffset(arg) => plan.window.as_ref().map_or(0, |w| w.offset(arg)),
                ImplicitArg::LocalArgOffset(arg) => {
                    common_layout(plan.variant, &|a| local_size(launch, a), Some(arg))
                }
            };
            put(&mut plan.state.block, at as usize, &value.to_le_bytes()[..arg.size() as usize])?;
        }
        Ok(())
    }

    /// Values of the local-memory specialisation constants.
    fn lengths(&self, variant: &KernelVariant, launch: &Launch) -> DeviceResult<SmallVec<[u32; 4]>> {
        let (lengths, total) = local_lengths(variant, &|arg| local_size(launch, arg));
        if total > u64::from(self.gpu.adapter.props.limits.max_compute_shared_memory_size) {
            return Err(DeviceError::OutOfDeviceMemory);
        }
        lengths.into_iter().map(|n| u32::try_from(n).map_err(|_| DeviceError::OutOfDeviceMemory)).collect()
    }
}

fn image_desc(launch: &Launch, arg: u16) -> DeviceResult<ImageDesc> {
    match launch.args.get(usize::from(arg)) {
        Some(ArgValue::Image(memory)) => Ok(image_of(memory)?.desc),
        _ => Err(DeviceError::Unexpected("an image argument without an image".into())),
    }
}

fn local_size(launch: &Launch, arg: u16) -> u64 {
    match launch.args.get(usize::from(arg)) {
        Some(ArgValue::Local(size)) => *size,
        _ => 0,
    }
}

/// Lengths of the workgroup arrays that the launch decides, and the bytes of all workgroup memory. Arrays
/// have whole elements and at least one; objects in the common block start at multiples of 16 bytes.
fn local_lengths(variant: &KernelVariant, size_of: &dyn Fn(u16) -> u64) -> (SmallVec<[u64; 4]>, u64) {
    let mut total = u64::from(variant.abi.static_local_bytes);
    let mut lengths = SmallVec::new();
    for (_, spec) in &variant.abi.local_specs {
        let (bytes, counted, unit) = match *spec {
            LocalSpec::Arg { arg, elem_bytes } => (size_of(arg), 0, elem_bytes),
            LocalSpec::Common { fixed_bytes, elem_bytes } => {
                let fixed = u64::from(fixed_bytes);
                (common_layout(variant, size_of, None).max(fixed), fixed, elem_bytes)
            }
        };
        let unit = u64::from(unit.max(1));
        let count = bytes.div_ceil(unit).max(1);
        total = total.saturating_add(count.saturating_mul(unit).saturating_sub(counted));
        lengths.push(count);
    }
    (lengths, total)
}

/// Byte offset of a local argument in the common workgroup block, or (`None`) the size of the block.
fn common_layout(variant: &KernelVariant, size_of: &dyn Fn(u16) -> u64, wanted: Option<u16>) -> u64 {
    let fixed = variant.abi.local_specs.iter().find_map(|(_, s)| match s {
        LocalSpec::Common { fixed_bytes, .. } => Some(u64::from(*fixed_bytes)),
        LocalSpec::Arg { .. } => None,
    });
    let mut at = fixed.unwrap_or(0);
    for &arg in &variant.abi.common_local_args {
        at = at.checked_next_multiple_of(16).unwrap_or(u64::MAX);
        if wanted == Some(arg) {
            return at;
        }
        at = at.saturating_add(size_of(arg));
    }
    at
}

fn put(block: &mut [u8], at: usize, bytes: &[u8]) -> DeviceResult<()> {
    let slot = at.checked_add(bytes.len()).and_then(|end| block.get_mut(at..end));
    slot.ok_or_else(|| DeviceError::Unexpected("kernel argument outside the argument block".into()))?
        .copy_from_slice(bytes);
    Ok(())
}

impl Plan<'_> {
    /// Makes one dispatch the current one: chooses its pipeline, and writes its values to the block.
    pub fn set_dispatch(&mut self, dispatch: &GridDispatch) -> DeviceResult<()> {
        self.state.pipeline = self.pipelines.get(self.variant, &self.key(dispatch))?;
        self.state.groups = dispatch.groups;
        for &(arg, at) in &self.variant.abi.implicit_args {
            match arg {
                ImplicitArg::GlobalIdBase(i) => {
                    let d = usize::from(i).min(2);
                    let base = u64::from(dispatch.first_group[d]) * u64::from(self.full_local[d]);
                    put(
                        &mut self.state.block,
                        at as usize,
                        &self.offset[d].wrapping_add(base).to_le_bytes(),
                    )?;
                }
                ImplicitArg::GroupBase(i) => {
                    put(
                        &mut self.state.block,
                        at as usize,
                        &dispatch.first_group[usize::from(i).min(2)].to_le_bytes(),
                    )?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The pipeline key of one dispatch.
    pub fn key(&self, dispatch: &GridDispatch) -> PipelineKey {
        let (lengths, formats) = (self.lengths.clone(), self.formats.clone());
        PipelineKey { local: dispatch.local, lengths, formats, constants: self.constants.clone() }
    }
}

impl Drop for VulkanKernel {
    fn drop(&mut self) {
        self.gpu.invalidate_recordings();
    }
}

impl DeviceKernel for VulkanKernel {
    fn info(&self) -> &KernelInfo {
        &self.compiled().info
    }

    fn max_work_group_size(&self) -> usize {
        let most = self.gpu.adapter.props.limits.max_compute_work_group_invocations;
        let size = self.compiled().variants.iter().map(|v| v.abi.sub_group_size).max().unwrap_or(0);
        let by_sub_groups = match self.gpu.adapter.required_sub_group_size(size) {
            Some(size) => size.saturating_mul(self.gpu.adapter.max_workgroup_subgroups),
            None => u32::MAX,
        };
        most.min(by_sub_groups) as usize
    }

    fn reported_work_group_size(&self) -> usize {
        match self.gpu.adapter.is_cpu() {
            true => self.max_work_group_size(),
            false => reported_group(self.max_work_group_size(), self.info()),
        }
    }

    fn sub_group_size(&self) -> usize {
        self.info().reqd_sub_group_size.unwrap_or(self.gpu.target.subgroup_size.max(1)).max(1) as usize
    }

    fn preferred_multiple(&self) -> usize {
        (self.gpu.adapter.subgroup.subgroup_size as usize).max(1)
    }

    fn static_local_bytes(&self) -> u64 {
        self.compiled().variants.first().map_or(0, |v| u64::from(v.abi.static_local_bytes))
    }

    fn local_bytes(&self, size_of: &dyn Fn(u16) -> u64) -> u64 {
        self.compiled().variants.iter().map(|v| local_lengths(v, size_of).1).max().unwrap_or(0)
    }

    fn private_bytes(&self) -> u64 {
        self.compiled().variants.first().map_or(0, |v| u64::from(v.abi.private_bytes))
    }

    fn suggest_local_size(&self, global: [u64; 3], dims: u32) -> [u32; 3] {
        if let Some(required) = self.info().reqd_work_group_size {
            return required;
        }
        let best = localsize::suggest(global, dims, &self.preferences());
        let items = global.iter().fold(1u64, |n, size| n.saturating_mul(*size));
        match self.pipelines.first() {
            // Software devices compile for tens of milliseconds.
            Some(pipelines) if self.gpu.adapter.is_cpu() && items <= SMALL_GRID => {
                pipelines.small_local_size(global, best)
            }
            _ => best,
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// CL_KERNEL_WORK_GROUP_SIZE on a graphics processor whose groups have `most` work-items.
fn reported_group(most: usize, info: &KernelInfo) -> usize {
    if info.reqd_work_group_size.is_some() {
        return most;
    }
    let hint = info.work_group_size_hint.map_or(1, |hint| hint.iter().map(|n| *n as usize).product());
    most.min(hint.max(UNCONSTRAINED_GROUP))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_groups_are_reported_to_kernels_that_ask_for_them() {
        let kernel = |reqd_work_group_size, work_group_size_hint| KernelInfo {
            reqd_work_group_size,
            work_group_size_hint,
            ..KernelInfo::default()
        };
        assert_eq!(reported_group(1024, &kernel(None, None)), 256);
        assert_eq!(reported_group(128, &kernel(None, None)), 128);
        assert_eq!(reported_group(1024, &kernel(None, Some([32, 16, 1]))), 512);
        assert_eq!(reported_group(1024, &kernel(None, Some([64, 1, 1]))), 256);
        assert_eq!(reported_group(1024, &kernel(Some([8, 1, 1]), None)), 1024);
    }

    #[test]
    fn local_memory_is_counted_in_whole_elements() {
        use clspv_bridge::abi::LaunchAbi;
        let arg = |arg, elem_bytes| LocalSpec::Arg { arg, elem_bytes };
        let variant = |static_local_bytes, specs: &[LocalSpec], common: &[u16]| KernelVariant {
            abi: LaunchAbi {
                mode: PointerMode::Addresses,
                block_storage: clspv_bridge::abi::BlockStorage::Push,
                implicit_args: vec![],
                args_offset: 0,
                block_size: 0,
                bindings: vec![],
                readonly: vec![],
                window_writes: vec![],
                local_specs: specs.iter().map(|s| (0, *s)).collect(),
                common_local_args: common.to_vec(),
                static_local_bytes,
                private_bytes: 0,
                sub_group_size: 0,
                local_sizes: LocalSizes::Own,
            },
            spirv: vec![],
        };
        let sizes = |list: [u64; 3]| move |a: u16| list[usize::from(a)];
        let two = variant(64, &[arg(0, 16), arg(1, 4)], &[]);
        let (lengths, total) = local_lengths(&two, &sizes([20, 3, 0]));
        assert_eq!((&lengths[..], total), (&[2u64, 1][..], 64 + 32 + 4));
        // A length of 0 becomes one element.
        assert_eq!(local_lengths(&two, &sizes([0, 0, 0])).1, 64 + 16 + 4);
        let common = variant(48, &[LocalSpec::Common { fixed_bytes: 48, elem_bytes: 4 }], &[0, 2]);
        let (lengths, total) = local_lengths(&common, &sizes([5, 9, 2]));
        assert_eq!((&lengths[..], total), (&[17u64][..], 68));
        assert_eq!(common_layout(&common, &sizes([5, 9, 2]), Some(2)), 64);
        assert_eq!(local_lengths(&two, &sizes([u64::MAX; 3])).1, u64::MAX);
        assert_eq!(local_lengths(&common, &sizes([u64::MAX; 3])).1, u64::MAX);
    }
}
