//! A plain Vulkan 1.2 host for the benchmark: buffers, pipelines, timed dispatches. It shares only the launch
//! contract of `clspv_bridge::abi` with the driver, so that both kinds of kernels run in exactly the same
//! way.

use ash::vk;
use clspv_bridge::abi::{BindingSource, BlockStorage, ImplicitArg, KernelVariant, LocalSpec, PointerMode};
use clspv_bridge::metadata::KernelInfo;
use std::ptr::null_mut;
use std::time::Instant;

type Result<T> = std::result::Result<T, String>;

fn text(what: &'static str) -> impl Fn(vk::Result) -> String {
    move |e| format!("{what}: {e:?}")
}

/// A logical device with a queue, a command buffer and a fence. Lives until the process ends.
pub struct Gpu {
    _entry: ash::Entry,
    raw: ash::Device,
    memory: vk::PhysicalDeviceMemoryProperties,
    queue: vk::Queue,
    commands: vk::CommandBuffer,
    fence: vk::Fence,
    queries: vk::QueryPool,
    pool: vk::DescriptorPool,
    /// Nanoseconds of a tick; 0 if the queue has no timestamps.
    tick: f64,
    pub is_cpu: bool,
    pub name: String,
}

/// A buffer in device memory.
pub struct Buffer {
    raw: vk::Buffer,
    memory: vk::DeviceMemory,
    address: u64,
    pub size: u64,
}

/// A kernel ready to be dispatched.
pub struct Kernel {
    pipeline: vk::Pipeline,
    layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
    block: Vec<u8>,
    /// Holds an argument block that exceeds the push constants.
    _argument_buffer: Option<Buffer>,
    pub groups: [u32; 3],
}

/// A kernel argument.
#[derive(Clone, Copy)]
pub enum Arg {
    Buffer(usize),
    U32(u32),
    F32(f32),
}

impl Arg {
    fn bytes(self) -> Option<[u8; 4]> {
        match self {
            Arg::Buffer(_) => None,
            Arg::U32(x) => Some(x.to_le_bytes()),
            Arg::F32(x) => Some(x.to_le_bytes()),
        }
    }
}

/// Time of a run in seconds.
#[derive(Clone, Copy)]
pub struct Time {
    /// By the device's timestamps, otherwise from submission to completion.
    pub device: f64,
    /// Processor time of this process on all cores.
    pub processor: f64,
}

impl Gpu {
    /// Opens the physical device with this UUID with all its core features.
    pub fn open(uuid: [u8; 16]) -> Result<Gpu> {
        // SAFETY: loading the Vulkan loader runs its initialisers, as every Vulkan program does.
        let entry = unsafe { ash::Entry::load() }.map_err(|e| e.to_string())?;
        let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        // SAFETY: the structures are valid for the call.
        let instance =
            unsafe { entry.create_instance(&vk::InstanceCreateInfo::default().application_info(&app), None) }
                .map_err(text("vkCreateInstance"))?;
        // SAFETY: the instance is alive, here and below.
        let list =
            unsafe { instance.enumerate_physical_devices() }.map_err(text("vkEnumeratePhysicalDevices"))?;
        let uuid_of = |p: vk::PhysicalDevice| {
            let mut ids = vk::PhysicalDeviceIDProperties::default();
            let mut props = vk::PhysicalDeviceProperties2::default().push_next(&mut ids);
            // SAFETY: the handle comes from this instance.
            unsafe { instance.get_physical_device_properties2(p, &mut props) };
            ids.device_uuid
        };
        let physical =
            list.into_iter().find(|p| uuid_of(*p) == uuid).ok_or("the device is not found by its UUID")?;
        // SAFETY: the handle comes from this instance.
        let props = unsafe { instance.get_physical_device_properties(physical) };
        // SAFETY: as above.
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
        let compute = |f: &vk::QueueFamilyProperties| f.queue_flags.contains(vk::QueueFlags::COMPUTE);
        let family = families.iter().position(|f| compute(f) && f.timestamp_valid_bits > 0);
        let family = family.or_else(|| families.iter().position(compute)).ok_or("no compute queue")?;
        let mut v13 = vk::PhysicalDeviceVulkan13Features::default();
        let mut v12 = vk::PhysicalDeviceVulkan12Features::default();
        let mut v11 = vk::PhysicalDeviceVulkan11Features::default();
        let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut v11).push_next(&mut v12);
        if props.api_version >= vk::API_VERSION_1_3 {
            features = features.push_next(&mut v13);
        }
        // SAFETY: the chained structures belong to the device's version.
        unsafe { instance.get_physical_device_features2(physical, &mut features) };
        let core = vk::PhysicalDeviceFeatures { robust_buffer_access: vk::FALSE, ..features.features };
        v13.robust_image_access = vk::FALSE;
        // Rebuilds the chain of structures for the device's creation.
        (v11.p_next, v12.p_next, v13.p_next) = (null_mut(), null_mut(), null_mut());
        let mut features =
            vk::PhysicalDeviceFeatures2::default().features(core).push_next(&mut v11).push_next(&mut v12);
        if props.api_version >= vk::API_VERSION_1_3 {
            features = features.push_next(&mut v13);
        }
        let queue =
            [vk::DeviceQueueCreateInfo::default().queue_family_index(family as u32).queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queue).push_next(&mut features);
        // SAFETY: only features that the device has are enabled.
        let raw = unsafe { instance.create_device(physical, &info, None) }.map_err(text("vkCreateDevice"))?;
        let pool_info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(family as u32)
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
        // SAFETY: the device is alive, here and below.
        let commands_pool =
            unsafe { raw.create_command_pool(&pool_info, None) }.map_err(text("vkCreateCommandPool"))?;
        let commands_info =
            vk::CommandBufferAllocateInfo::default().command_pool(commands_pool).command_buffer_count(1);
        // SAFETY: the pool was just made.
        let commands = unsafe { raw.allocate_command_buffers(&commands_info) }
            .map_err(text("vkAllocateCommandBuffers"))?[0];
        // SAFETY: as above.
        let fence = unsafe { raw.create_fence(&vk::FenceCreateInfo::default(), None) }
            .map_err(text("vkCreateFence"))?;
        let query_info =
            vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(2);
        // SAFETY: as above.
        let queries =
            unsafe { raw.create_query_pool(&query_info, None) }.map_err(text("vkCreateQueryPool"))?;
        let sizes =
            [vk::DescriptorPoolSize { ty: vk::DescriptorType::STORAGE_BUFFER, descriptor_count: 256 }];
        let pool_info = vk::DescriptorPoolCreateInfo::default().max_sets(64).pool_sizes(&sizes);
        // SAFETY: as above.
        let pool = unsafe { raw.create_descriptor_pool(&pool_info, None) }
            .map_err(text("vkCreateDescriptorPool"))?;
        let is_cpu = props.device_type == vk::PhysicalDeviceType::CPU;
        // A software device's timestamps are unrelated to the execution.
        let stamped = !is_cpu && families[family].timestamp_valid_bits > 0;
        Ok(Gpu {
            // SAFETY: the handle comes from this instance.
            memory: unsafe { instance.get_physical_device_memory_properties(physical) },
            // SAFETY: the device was made with one queue of this family.
            queue: unsafe { raw.get_device_queue(family as u32, 0) },
            _entry: entry,
            raw,
            commands,
            fence,
            queries,
            pool,
            tick: if stamped { f64::from(props.limits.timestamp_period) } else { 0.0 },
            is_cpu,
            name: props.device_name_as_c_str().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
        })
    }

    fn allocate(&self, size: u64, wanted: vk::MemoryPropertyFlags) -> Result<Buffer> {
        let size = size.next_multiple_of(16).max(16);
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST
            | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        // SAFETY: the device is alive.
        let raw =
            unsafe { self.raw.create_buffer(&vk::BufferCreateInfo::default().size(size).usage(usage), None) };
        let raw = raw.map_err(text("vkCreateBuffer"))?;
        // SAFETY: the buffer was just made.
        let needs = unsafe { self.raw.get_buffer_memory_requirements(raw) };
        let fits = |i: &u32| {
            needs.memory_type_bits & (1 << i) != 0
                && self.memory.memory_types[*i as usize].property_flags.contains(wanted)
        };
        let index = (0..self.memory.memory_type_count).find(fits).ok_or("no memory type fits")?;
        let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(index)
            .push_next(&mut flags);
        // SAFETY: the type is one of the device's.
        let memory = unsafe { self.raw.allocate_memory(&info, None) }.map_err(text("vkAllocateMemory"))?;
        // SAFETY: the memory is large enough and not bound yet.
        unsafe { self.raw.bind_buffer_memory(raw, memory, 0) }.map_err(text("vkBindBufferMemory"))?;
        // SAFETY: the buffer has the usage and the memory the flag that addresses need.
        let address = unsafe {
            self.raw.get_buffer_device_address(&vk::BufferDeviceAddressInfo::default().buffer(raw))
        };
        Ok(Buffer { raw, memory, address, size })
    }

    /// A buffer with these contents.
    pub fn buffer(&self, data: &[u8]) -> Result<Buffer> {
        let buffer = self.allocate(data.len() as u64, vk::MemoryPropertyFlags::DEVICE_LOCAL)?;
        self.write(&buffer, data)?;
        Ok(buffer)
    }

    /// Frees a buffer that is no longer in use.
    pub fn free(&self, buffer: Buffer) {
        // SAFETY: every run is waited for, so nothing uses the buffer.
        unsafe {
            self.raw.destroy_buffer(buffer.raw, None);
            self.raw.free_memory(buffer.memory, None);
        }
    }

    /// Replaces a buffer's contents.
    pub fn write(&self, buffer: &Buffer, data: &[u8]) -> Result<()> {
        let stage = self.staging(buffer.size)?;
        // SAFETY: the memory is visible to the host and not mapped.
        let at = unsafe { self.raw.map_memory(stage.memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()) };
        let at = at.map_err(text("vkMapMemory"))?.cast::<u8>();
        // SAFETY: the mapping has at least the buffer's size, which is at least that of the data.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), at, data.len().min(buffer.size as usize)) };
        self.copy(&stage, buffer)?;
        self.free(stage);
        Ok(())
    }

    /// A buffer's contents.
    pub fn read(&self, buffer: &Buffer) -> Result<Vec<u8>> {
        let stage = self.staging(buffer.size)?;
        self.copy(buffer, &stage)?;
        // SAFETY: as in `write`.
        let at = unsafe { self.raw.map_memory(stage.memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()) };
        let at = at.map_err(text("vkMapMemory"))?.cast::<u8>();
        // SAFETY: the mapping has the buffer's size and was written by the copy.
        let data = unsafe { std::slice::from_raw_parts(at, buffer.size as usize) }.to_vec();
        self.free(stage);
        Ok(data)
    }

    fn staging(&self, size: u64) -> Result<Buffer> {
        self.allocate(size, vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT)
    }

    fn copy(&self, from: &Buffer, to: &Buffer) -> Result<()> {
        let region = [vk::BufferCopy { src_offset: 0, dst_offset: 0, size: from.size.min(to.size) }];
        self.submit(|raw, commands| {
            // SAFETY: the command buffer is being recorded, the range lies in both buffers.
            unsafe { raw.cmd_copy_buffer(commands, from.raw, to.raw, &region) };
        })
    }

    /// Records, submits and waits. Commands see all earlier work.
    fn submit(&self, record: impl FnOnce(&ash::Device, vk::CommandBuffer)) -> Result<()> {
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the command buffer is not in use: every submission is waited for.
        unsafe { self.raw.begin_command_buffer(self.commands, &begin) }
            .map_err(text("vkBeginCommandBuffer"))?;
        self.barrier();
        record(&self.raw, self.commands);
        // SAFETY: recording has begun.
        unsafe { self.raw.end_command_buffer(self.commands) }.map_err(text("vkEndCommandBuffer"))?;
        let buffers = [self.commands];
        let submit = [vk::SubmitInfo::default().command_buffers(&buffers)];
        // SAFETY: the fence is not in use.
        unsafe { self.raw.queue_submit(self.queue, &submit, self.fence) }.map_err(text("vkQueueSubmit"))?;
        // SAFETY: as above.
        unsafe { self.raw.wait_for_fences(&[self.fence], true, u64::MAX) }
            .map_err(text("vkWaitForFences"))?;
        // SAFETY: the submission is complete.
        unsafe { self.raw.reset_fences(&[self.fence]) }.map_err(text("vkResetFences"))
    }

    fn barrier(&self) {
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = [vk::MemoryBarrier::default().src_access_mask(all).dst_access_mask(all)];
        let stages = vk::PipelineStageFlags::ALL_COMMANDS;
        // SAFETY: the command buffer is being recorded.
        unsafe {
            self.raw.cmd_pipeline_barrier(
                self.commands,
                stages,
                stages,
                vk::DependencyFlags::empty(),
                &barrier,
                &[],
                &[],
            )
        };
    }

    /// Runs a kernel several times, one after the other.
    pub fn run(&self, kernel: &Kernel, times: u32) -> Result<Time> {
        let processor = processor_time();
        let begin = Instant::now();
        self.submit(|raw, commands| {
            // SAFETY: the command buffer is being recorded; all objects are alive and belong together.
            unsafe {
                raw.cmd_reset_query_pool(commands, self.queries, 0, 2);
                raw.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, kernel.pipeline);
                if kernel.set != vk::DescriptorSet::null() {
                    let sets = [kernel.set];
                    raw.cmd_bind_descriptor_sets(
                        commands,
                        vk::PipelineBindPoint::COMPUTE,
                        kernel.layout,
                        0,
                        &sets,
                        &[],
                    );
                }
                if !kernel.block.is_empty() {
                    raw.cmd_push_constants(
                        commands,
                        kernel.layout,
                        vk::ShaderStageFlags::COMPUTE,
                        0,
                        &kernel.block,
                    );
                }
                raw.cmd_write_timestamp(commands, vk::PipelineStageFlags::BOTTOM_OF_PIPE, self.queries, 0);
            }
            for _ in 0..times {
                // SAFETY: as above.
                unsafe { raw.cmd_dispatch(commands, kernel.groups[0], kernel.groups[1], kernel.groups[2]) };
                self.barrier();
            }
            // SAFETY: as above.
            unsafe {
                raw.cmd_write_timestamp(commands, vk::PipelineStageFlags::BOTTOM_OF_PIPE, self.queries, 1)
            };
        })?;
        let wall = begin.elapsed().as_secs_f64();
        let processor = processor_time() - processor;
        let mut device = wall;
        if self.tick > 0.0 {
            let mut stamps = [0u64; 2];
            let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
            // SAFETY: both queries were written by the submission.
            unsafe { self.raw.get_query_pool_results(self.queries, 0, &mut stamps, flags) }
                .map_err(text("vkGetQueryPoolResults"))?;
            device = stamps[1].wrapping_sub(stamps[0]) as f64 * self.tick * 1e-9;
        }
        let times = f64::from(times.max(1));
        Ok(Time { device: device / times, processor: processor / times })
    }

    /// A GLSL kernel: buffers are bound in order, other arguments are push constants in order.
    pub fn glsl(&self, words: &[u32], args: &[Arg], buffers: &[Buffer], groups: [u32; 3]) -> Result<Kernel> {
        let block: Vec<u8> = args.iter().filter_map(|a| a.bytes()).flatten().collect();
        let bound: Vec<&Buffer> = args
            .iter()
            .filter_map(|a| if let Arg::Buffer(i) = a { Some(&buffers[*i]) } else { None })
            .collect();
        self.pipeline(words, &[], &bound, block, None, groups)
    }

    /// A kernel of the compiler, launched according to its contract; `data` is the program's data block.
    #[allow(clippy::too_many_arguments)]
    pub fn opencl(
        &self,
        variant: &KernelVariant,
        info: &KernelInfo,
        args: &[Arg],
        buffers: &[Buffer],
        data: Option<&Buffer>,
        local: [u32; 3],
        groups: [u32; 3],
    ) -> Result<Kernel> {
        let abi = &variant.abi;
        let mut block = vec![0u8; abi.block_size as usize];
        let mut put =
            |at: u32, bytes: &[u8]| block[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
        for (arg, about) in args.iter().zip(&info.args) {
            let at = abi.args_offset + about.offset;
            match (arg, abi.mode) {
                (Arg::Buffer(i), PointerMode::Addresses) => put(at, &buffers[*i].address.to_le_bytes()),
                (Arg::Buffer(_), PointerMode::Bindings) => put(at, &0u32.to_le_bytes()),
                _ => put(at, &arg.bytes().unwrap_or_default()),
            }
        }
        for &(arg, at) in &abi.implicit_args {
            let d = |i: u8| usize::from(i);
            let value = match arg {
                ImplicitArg::GlobalSize(i) => u64::from(groups[d(i)]) * u64::from(local[d(i)]),
                ImplicitArg::EnqueuedLocalSize(i) => u64::from(local[d(i)]),
                ImplicitArg::NumGroups(i) => u64::from(groups[d(i)]),
                ImplicitArg::GlobalIdBase(_) | ImplicitArg::GroupBase(_) | ImplicitArg::GlobalOffset(_) => 0,
                ImplicitArg::DataAddress => data.map_or(0, |d| d.address),
                other => return Err(format!("the benchmark has no {other:?}")),
            };
            put(at, &value.to_le_bytes()[..arg.size() as usize]);
        }
        let mut spec: Vec<(u32, u32)> = clspv_bridge::abi::SPEC_LOCAL_SIZE.into_iter().zip(local).collect();
        for (id, length) in &abi.local_specs {
            let LocalSpec::Common { fixed_bytes, elem_bytes } = length else {
                return Err("local arguments are not used".into());
            };
            spec.push((*id, fixed_bytes.div_ceil((*elem_bytes).max(1)).max(1)));
        }
        let mut bound = Vec::new();
        for source in &abi.bindings {
            match source {
                BindingSource::Arg(i) => match args[usize::from(*i)] {
                    Arg::Buffer(b) => bound.push(&buffers[b]),
                    _ => return Err("a value is bound".into()),
                },
                BindingSource::Data => bound.push(data.ok_or("the program has no data")?),
                BindingSource::Print => return Err("kernels with printf are not measured".into()),
                BindingSource::Image(_) | BindingSource::Sampler(_) => {
                    return Err("kernels with images are not measured".into());
                }
                BindingSource::Whole(_) | BindingSource::Block | BindingSource::Window => {
                    return Err("virtual addresses are not measured".into());
                }
            }
        }
        let argument_buffer = if abi.block_storage == BlockStorage::Buffer {
            let buffer = self.buffer(&block)?;
            block = buffer.address.to_le_bytes().to_vec();
            Some(buffer)
        } else {
            None
        };
        self.pipeline(&variant.spirv, &spec, &bound, block, argument_buffer, groups)
    }

    fn pipeline(
        &self,
        words: &[u32],
        spec: &[(u32, u32)],
        bound: &[&Buffer],
        block: Vec<u8>,
        argument_buffer: Option<Buffer>,
        groups: [u32; 3],
    ) -> Result<Kernel> {
        let module_info = vk::ShaderModuleCreateInfo::default().code(words);
        // SAFETY: the words are a valid module.
        let module = unsafe { self.raw.create_shader_module(&module_info, None) }
            .map_err(text("vkCreateShaderModule"))?;
        let bindings: Vec<_> = (0..bound.len() as u32)
            .map(|i| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(i)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        let mut layouts = Vec::new();
        if !bound.is_empty() {
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            // SAFETY: the device is alive.
            layouts.push(
                unsafe { self.raw.create_descriptor_set_layout(&info, None) }
                    .map_err(text("vkCreateDescriptorSetLayout"))?,
            );
        }
        let ranges = [vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::COMPUTE)
            .size(block.len() as u32)];
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&layouts)
            .push_constant_ranges(if block.is_empty() { &[] } else { &ranges });
        // SAFETY: the set layout is alive.
        let layout = unsafe { self.raw.create_pipeline_layout(&info, None) }
            .map_err(text("vkCreatePipelineLayout"))?;
        let entries: Vec<_> = spec
            .iter()
            .enumerate()
            .map(|(i, (id, _))| vk::SpecializationMapEntry {
                constant_id: *id,
                offset: i as u32 * 4,
                size: 4,
            })
            .collect();
        let values: Vec<u8> = spec.iter().flat_map(|(_, value)| value.to_le_bytes()).collect();
        let spec = vk::SpecializationInfo::default().map_entries(&entries).data(&values);
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main")
            .specialization_info(&spec);
        let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
        // SAFETY: module and layout are alive and belong together.
        let pipelines = unsafe { self.raw.create_compute_pipelines(vk::PipelineCache::null(), &info, None) };
        let pipeline = pipelines.map_err(|(_, e)| format!("vkCreateComputePipelines: {e:?}"))?[0];
        let mut set = vk::DescriptorSet::null();
        if !bound.is_empty() {
            let info =
                vk::DescriptorSetAllocateInfo::default().descriptor_pool(self.pool).set_layouts(&layouts);
            // SAFETY: the pool has room for all kernels of the benchmark.
            set = unsafe { self.raw.allocate_descriptor_sets(&info) }
                .map_err(text("vkAllocateDescriptorSets"))?[0];
            for (i, buffer) in bound.iter().enumerate() {
                let info =
                    [vk::DescriptorBufferInfo { buffer: buffer.raw, offset: 0, range: vk::WHOLE_SIZE }];
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(i as u32)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .buffer_info(&info);
                // SAFETY: the set is not in use.
                unsafe { self.raw.update_descriptor_sets(&[write], &[]) };
            }
        }
        Ok(Kernel { pipeline, layout, set, block, _argument_buffer: argument_buffer, groups })
    }
}

/// Processor time of this process in seconds, on all cores.
fn processor_time() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is alive.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
