//! The CPU device: its facts, its memory, and the objects it creates.

use super::super::batch::{DeviceCommand, Launch, ListItem, RectLayout};
use super::super::compiler::CpuGenerators;
use super::super::info::{self, AFFINITY_DOMAINS, AddressSharing, DeviceInfo, DeviceKind};
use super::super::machine::{self, Shares};
use super::super::traits::*;
use super::check::memory::{AllocationKind, Registration};
use super::check::{self, Checker};
use super::image::{self, CpuImage};
use super::kernel::CpuProgram;
use super::loaded::{LOCAL_BYTES, LaunchFacts};
use super::on_device_queue::CpuOnDeviceQueue;
use super::pool::Pool;
use super::queue::{CpuList, CpuQueue};
use super::tiers::Targets;
use super::{enqueue, exec};
use crate::cl::*;
use crate::clock;
use crate::host_ptr::{HostAllocation, HostPtr};
use clspv_bridge::abi::CompiledProgram;
use clspv_bridge::options::Kernels;
use clspv_bridge::target::{Code, CodeGenerator};
use clspv_bridge::{CompileError, Target};
use std::any::Any;
use std::sync::Arc;

/// Alignment of buffers and required alignment of sub-buffers, in bits: that of the largest type.
const BASE_ADDR_ALIGN_BITS: u32 = 1024;
/// Maximum bytes of kernel arguments.
const MAX_PARAMETER_SIZE: usize = 4096;
/// Bytes of a page.
const PAGE: u64 = 4096;

/// The processor, or some of its cores.
pub struct CpuDevice {
    info: DeviceInfo,
    /// The target of programs, which have code only if its kernels cannot be compiled one by one.
    target: Target,
    targets: Targets,
    /// Ids of the cores.
    cores: Vec<usize>,
    pool: Arc<Pool>,
    checker: Arc<Checker>,
}

impl CpuDevice {
    /// The host's processor. Generated code does not use its `hidden` features, which are named as in
    /// /proc/cpuinfo.
    pub fn new(checker: Checker, hidden: &[String], generators: CpuGenerators) -> CpuDevice {
        let processor = machine::Processor::read().without(hidden);
        let mut target = Target::native(processor.identity(), &|feature| processor.has(feature));
        if let Code::Native(cpu) = &mut target.code {
            cpu.instrumented = checker.checks.any();
        }
        // The time of instrumented code is that of its calls of the checker.
        let hot = if checker.checks.any() { &[] } else { generators.hot };
        let with = |generator: &CodeGenerator| target.clone().with_generator(*generator);
        let targets = Targets { first: with(&generators.first), hot: hot.iter().map(with).collect() };
        let target = target.with_generator(CodeGenerator::Later);
        let cores = machine::processors();
        let info = with_cores(info(&processor, &target), &cores);
        let pool = Arc::new(Pool::new(cores.len()));
        CpuDevice { info, target, targets, cores, pool, checker: Arc::new(checker) }
    }

    /// The targets of its kernels.
    #[cfg(test)]
    pub fn targets(&self) -> &Targets {
        &self.targets
    }

    /// The sanitizer of its kernels.
    #[cfg(test)]
    pub fn checker(&self) -> &Checker {
        &self.checker
    }

    /// Allocates memory.
    fn alloc(&self, size: u64, whole: u64, kind: AllocationKind) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let whole = whole.saturating_add(self.checker.margin());
        let own = HostAllocation::new(whole).ok_or(DeviceError::OutOfDeviceMemory)?;
        let start = own.ptr().addr() as u64;
        if matches!(kind, AllocationKind::Buffer { new: true } | AllocationKind::Shared { new: true }) {
            check::fill(&own, size);
        }
        let known = self.checker.register(start, size, kind);
        Ok(Arc::new(CpuMemory { ptr: own.ptr(), size, _own: Some(own), _known: known }))
    }

    /// A sub-device with some of the cores. Its threads are pinned to them only if it is `bound`.
    fn part(&self, cores: &[usize], bound: bool) -> Arc<dyn DeviceOps> {
        let bound = bound || self.pool.is_bound();
        let pool = if bound { Pool::on(cores) } else { Pool::new(cores.len()) };
        let (info, cores) = (with_cores(self.info.clone(), cores), cores.to_vec());
        let (target, targets) = (self.target.clone(), self.targets.clone());
        let checker = self.checker.clone();
        Arc::new(CpuDevice { info, target, targets, cores, pool: Arc::new(pool), checker })
    }
}

/// The unit of the machine that an affinity domain corresponds to.
fn shares(domain: u64) -> Option<Shares> {
    Some(match domain {
        CL_DEVICE_AFFINITY_DOMAIN_NUMA => Shares::Memory,
        CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE => Shares::Cache(4),
        CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE => Shares::Cache(3),
        CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE => Shares::Cache(2),
        CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE => Shares::Cache(1),
        _ => return None,
    })
}

/// The facts that depend on the cores.
fn with_cores(info: DeviceInfo, cores: &[usize]) -> DeviceInfo {
    let parts = |domain: &u64| shares(*domain).is_some_and(|s| machine::divided(cores, s).len() > 1);
    let affinity_domains = AFFINITY_DOMAINS.into_iter().filter(parts).fold(0, |all, domain| all | domain);
    DeviceInfo { compute_units: cores.len() as u32, divisible: cores.len() > 1, affinity_domains, ..info }
}

/// Minimum bytes of a launch's streaming writes that should bypass a cache of this size.
fn stream_from(cache_size: u64) -> u64 {
    if cache_size == 0 { 16 << 20 } else { cache_size / 2 }
}

fn info(processor: &machine::Processor, target: &Target) -> DeviceInfo {
    let memory = machine::memory_bytes().max(1 << 30) & !0xfff;
    let (cache_size, cache_line) = machine::cpu_cache();
    let (vendor, vendor_id) = processor.vendor();
    let digest = blake3::hash(processor.identity().as_bytes());
    let mut uuid = [0; 16];
    uuid.copy_from_slice(&digest.as_bytes()[..16]);
    let mut driver_uuid = [0; 16];
    driver_uuid.copy_from_slice(&blake3::hash(env!("CARGO_PKG_VERSION").as_bytes()).as_bytes()[..16]);
    let width = target.subgroup_size;
    DeviceInfo {
        kind: DeviceKind::Cpu,
        name: processor.name.clone(),
        vendor: vendor.into(),
        vendor_id,
        driver_version: info::driver_version(&format!("native code, vectors of {width}")),
        uuid,
        driver_uuid,
        clock_mhz: machine::cpu_mhz(),
        max_work_group_size: target.max_workgroup_invocations,
        max_work_item_sizes: target.max_workgroup_size.map(u64::from),
        local_mem_size: LOCAL_BYTES,
        local_mem_dedicated: false,
        global_mem_size: memory,
        max_alloc_size: (memory / 4 * 3) & !0xfff,
        max_constant_buffer_size: memory / 4,
        max_constant_args: 64,
        cache_size,
        cache_line,
        base_addr_align_bits: BASE_ADDR_ALIGN_BITS,
        host_unified_memory: true,
        max_parameter_size: MAX_PARAMETER_SIZE,
        sub_group_size: width,
        sub_group_sizes: target.sub_group_sizes().into_iter().map(|size| size as usize).collect(),
        max_num_sub_groups: target.max_workgroup_invocations.div_ceil(width),
        timer_resolution_ns: 1,
        fp16: target.float16,
        fp64: true,
        int64_atomics: true,
        zero_local: true,
        subgroup_clock: target.subgroup_clock,
        device_clock: target.device_clock,
        enqueue: Some(enqueue::FACTS),
        denorm16: true,
        denorm32: true,
        denorm64: true,
        fast_fma32: target.exact_fma32,
        correctly_rounded_div_sqrt: true,
        little_endian: cfg!(target_endian = "little"),
        sharing: AddressSharing::Host,
        host_import_alignment: 1,
        buffer_addresses: true,
        images: true,
        image: image::facts(memory / 4 * 3),
        ..DeviceInfo::default()
    }
}

/// A buffer, allocated or imported from the application.
pub struct CpuMemory {
    ptr: HostPtr,
    size: u64,
    _own: Option<HostAllocation>,
    _known: Option<Registration>,
}

impl DeviceMemory for CpuMemory {
    fn size(&self) -> u64 {
        self.size
    }
    fn host_ptr(&self) -> Option<HostPtr> {
        Some(self.ptr)
    }
    fn address(&self) -> Option<u64> {
        Some(self.ptr.addr() as u64)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl DeviceOps for CpuDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }
    fn target(&self) -> &Target {
        &self.target
    }
    fn alloc_buffer(&self, desc: &BufferDesc) -> DeviceResult<Arc<dyn DeviceMemory>> {
        self.alloc(desc.size, desc.size, AllocationKind::Buffer { new: self.checker.checks.uninit })
    }
    fn import_host(&self, range: HostRange, _desc: &BufferDesc) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let known =
            self.checker.register(range.ptr.addr() as u64, range.size, AllocationKind::Buffer { new: false });
        Ok(Arc::new(CpuMemory { ptr: range.ptr, size: range.size, _own: None, _known: known }))
    }
    fn alloc_shadow(&self, size: u64) -> DeviceResult<Arc<dyn DeviceMemory>> {
        self.alloc(size, size, AllocationKind::Buffer { new: false })
    }
    fn alloc_shared(&self, size: u64, _kind: SharedKind) -> DeviceResult<Arc<dyn DeviceMemory>> {
        // Any address of the process will do. Whole pages, so that other devices may import them.
        self.alloc(
            size,
            size.next_multiple_of(PAGE),
            AllocationKind::Shared { new: self.checker.checks.uninit },
        )
    }
    fn alloc_image(&self, desc: &ImageDesc) -> DeviceResult<Arc<dyn DeviceMemory>> {
        Ok(Arc::new(CpuImage::new(desc)?))
    }
    fn view_buffer(
        &self,
        buffer: &Arc<dyn DeviceMemory>,
        layout: &RectLayout,
        desc: &ImageDesc,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        Ok(Arc::new(CpuImage::of_buffer(buffer, layout, desc)?))
    }
    fn view_image(
        &self,
        image: &Arc<dyn DeviceMemory>,
        desc: &ImageDesc,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        Ok(Arc::new(CpuImage::of_image(image, desc)?))
    }
    fn compile_kernels(
        &self,
        kernels: Kernels,
        compile: &mut CompileFn<'_>,
    ) -> Result<Arc<CompiledProgram>, CompileError> {
        let program = compile(kernels.clone(), &self.target)?;
        if !program.data.writable {
            let kernels = program.native().map_or(&[][..], |native| &native.kernels);
            for kernel in kernels.iter().filter(|kernel| kernel.is_large) {
                self.targets.check(&kernel.info.name, compile)?;
            }
            return Ok(program);
        }
        // Kernels that share variables share the data block, and so the rest of the code.
        compile(kernels, self.targets.best())
    }
    fn load(&self, program: Arc<CompiledProgram>) -> DeviceResult<Arc<dyn DeviceProgram>> {
        let (threads, sub_group) = (self.info.compute_units, self.info.sub_group_size);
        let facts = LaunchFacts { threads, sub_group, stream_from: stream_from(self.info.cache_size) };
        Ok(Arc::new(CpuProgram::new(&program, facts, &self.targets)?))
    }
    fn create_queue(
        &self,
        desc: &QueueDesc,
        sink: Arc<dyn CompletionSink>,
    ) -> DeviceResult<Arc<dyn DeviceQueue>> {
        Ok(Arc::new(CpuQueue::new(self.pool.clone(), self.checker.clone(), desc, sink)?))
    }
    fn create_on_device_queue(&self, size: u32) -> DeviceResult<Arc<dyn OnDeviceQueue>> {
        Ok(CpuOnDeviceQueue::create(&self.pool, size))
    }
    fn transfer(&self, command: &DeviceCommand) -> DeviceResult<()> {
        let done = image::transfer(command, &|total, work| self.share_host_work(total, work));
        if done { Ok(()) } else { Err(DeviceError::Unsupported("this transfer".into())) }
    }
    fn share_host_work(&self, total: u64, work: &(dyn Fn(u64, u64) -> bool + Sync)) {
        // The caller is not pinned as the threads of a part of the device are.
        if self.pool.is_bound() {
            work(0, total);
        } else {
            self.pool.run(total, work);
        }
    }
    fn launch(&self, launch: &Launch, print_bytes: u64, print: &dyn Fn(&[u8])) -> DeviceResult<()> {
        exec::launch_and_print(
            launch,
            &exec::Host { print_bytes, print, pool: &self.pool, checker: &self.checker },
        )
        .map(drop)
    }
    fn record(&self, items: Vec<ListItem>) -> DeviceResult<Arc<dyn DeviceList>> {
        Ok(Arc::new(CpuList(items)))
    }
    fn divide(&self, division: &Division) -> DeviceResult<Vec<Arc<dyn DeviceOps>>> {
        match division {
            Division::Counts(counts) => {
                let mut left = self.cores.as_slice();
                let take = |count: &u32| {
                    let (part, rest) = left.split_at_checked(*count as usize)?;
                    left = rest;
                    Some(self.part(part, false))
                };
                let parts: Option<_> = counts.iter().map(take).collect();
                parts.ok_or_else(|| DeviceError::Unsupported("more cores than there are".into()))
            }
            Division::Domain(domain) => {
                let shares =
                    shares(*domain).ok_or_else(|| DeviceError::Unsupported("the affinity domain".into()))?;
                Ok(machine::divided(&self.cores, shares).iter().map(|part| self.part(part, true)).collect())
            }
        }
    }
    fn timestamps(&self) -> DeviceResult<(u64, u64)> {
        let now = clock::now();
        Ok((now, now))
    }
    fn has_host_clock(&self) -> bool {
        true
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
