//! Whether VkQueues see new views and new code at once, in plain Vulkan (see the driver's quirks
//! `serial_submissions` and `late_uploads`).
//!
//! `late_uploads [--graphics] [--pipelines] [--serial] [--before nothing] [--queues 8] [--threads 8]
//! [--rounds 2000]`. Each thread creates a view of a buffer (or, with `--pipelines`, a pipeline with a
//! constant of its own), runs a kernel with it, waits, compares the result and destroys it. With `--serial` a
//! lock keeps submissions apart, `--graphics` takes the queue family with graphics. The exit status is 1 if
//! results were wrong, and 2 if a kernel does not end.
//!
//! `--before` says what precedes the first use: `nothing`; an `empty` submission that completes; one made
//! immediately after the creation of another pipeline, while nothing else is submitted (`code`); or the
//! creation of the object itself while nothing is submitted (`lock`). The last two need `--serial`. Run
//! several processes at once: one alone rarely shows the fault.

#![allow(clippy::print_stdout)] // a program that prints

use ash::vk;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Texels of a view.
const TEXELS: usize = 1024;
/// Views of a thread's buffer, one after the other.
const PLACES: usize = 64;
const VIEW_BYTES: u64 = 4 * TEXELS as u64;
/// Texels of all views, then room for a result.
const BYTES: u64 = VIEW_BYTES * (PLACES as u64 + 1);
/// After this time a kernel is taken to be endless.
const ENDLESS: Duration = Duration::from_secs(5);

struct Options {
    graphics: bool,
    pipelines: bool,
    serial: bool,
    before: Before,
    queues: usize,
    threads: usize,
    rounds: usize,
}

/// Preparation of the first use of an object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Empty,
    Code,
    Lock,
}

impl Before {
    fn parse(name: &str) -> Result<Before> {
        let all = [
            ("nothing", Before::Nothing),
            ("empty", Before::Empty),
            ("code", Before::Code),
            ("lock", Before::Lock),
        ];
        let found = all.iter().find(|(known, _)| *known == name);
        found.map(|(_, before)| *before).ok_or_else(|| format!("unknown: --before {name}").into())
    }
}

impl Options {
    fn parse() -> Result<Options> {
        let mut options = Options {
            graphics: false,
            pipelines: false,
            serial: false,
            before: Before::Nothing,
            queues: 8,
            threads: 8,
            rounds: 2000,
        };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut number = || args.next().ok_or("a number is missing")?.parse().map_err(|_| "no number");
            match arg.as_str() {
                "--graphics" => options.graphics = true,
                "--pipelines" => options.pipelines = true,
                "--serial" => options.serial = true,
                "--before" => options.before = Before::parse(&args.next().unwrap_or_default())?,
                "--queues" => options.queues = number()?,
                "--threads" => options.threads = number()?,
                "--rounds" => options.rounds = number()?,
                other => return Err(format!("unknown option {other}").into()),
            }
        }
        Ok(options)
    }
}

/// The device, its queues, and what all threads use.
struct Gpu {
    _entry: ash::Entry,
    raw: ash::Device,
    push: ash::khr::push_descriptor::Device,
    family: u32,
    memory_type: u32,
    queues: Vec<Mutex<vk::Queue>>,
    /// Held during submissions, if they are to be made one by one.
    submitting: Option<Mutex<()>>,
    module: vk::ShaderModule,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
}

impl Gpu {
    /// Opens the first device. Its objects live until the process ends.
    fn open(options: &Options) -> Result<Gpu> {
        // SAFETY: loading the Vulkan loader runs its initialisers, as every Vulkan program does.
        let entry = unsafe { ash::Entry::load() }?;
        let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
        let info = vk::InstanceCreateInfo::default().application_info(&app);
        // SAFETY: the structures are valid for the calls, handles come from the instance.
        let (instance, physical, families, memory) = unsafe {
            let instance = entry.create_instance(&info, None)?;
            let physical = *instance.enumerate_physical_devices()?.first().ok_or("no device")?;
            let families = instance.get_physical_device_queue_family_properties(physical);
            let memory = instance.get_physical_device_memory_properties(physical);
            (instance, physical, families, memory)
        };
        let wanted = |f: &vk::QueueFamilyProperties| {
            let has = |flag| f.queue_flags.contains(flag);
            has(vk::QueueFlags::COMPUTE) && has(vk::QueueFlags::GRAPHICS) == options.graphics
        };
        let family = families.iter().position(wanted).ok_or("no such queue family")?;
        let priorities = vec![1.0; options.queues.clamp(1, families[family].queue_count as usize)];
        let queues = [vk::DeviceQueueCreateInfo::default()
            .queue_family_index(family as u32)
            .queue_priorities(&priorities)];
        let extensions = [ash::khr::push_descriptor::NAME.as_ptr()];
        let info =
            vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&extensions);
        let code = ash::util::read_spv(&mut std::io::Cursor::new(include_bytes!("copy.comp.spv")))?;
        let kind = vk::MemoryPropertyFlags::HOST_COHERENT | vk::MemoryPropertyFlags::HOST_CACHED;
        let memory_type = memory.memory_types_as_slice().iter().position(|t| t.property_flags.contains(kind));
        // SAFETY: the structures are valid for the calls, the device has the extension.
        let (raw, module) = unsafe {
            let raw = instance.create_device(physical, &info, None)?;
            let module =
                raw.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&code), None)?;
            (raw, module)
        };
        println!("queue family {family}, {} VkQueues", priorities.len());
        // SAFETY: the device was made with these queues.
        let queue = |i| Mutex::new(unsafe { raw.get_device_queue(family as u32, i) });
        let mut gpu = Gpu {
            push: ash::khr::push_descriptor::Device::new(&instance, &raw),
            family: family as u32,
            memory_type: memory_type.ok_or("no cached memory")? as u32,
            submitting: options.serial.then(Mutex::default),
            queues: (0..priorities.len() as u32).map(queue).collect(),
            module,
            layout: pipeline_layout(&raw)?,
            pipeline: vk::Pipeline::null(),
            raw,
            _entry: entry,
        };
        gpu.pipeline = gpu.pipeline(0)?;
        Ok(gpu)
    }

    /// A pipeline whose kernel changes texels by `key`.
    fn pipeline(&self, key: u32) -> Result<vk::Pipeline> {
        let (entries, data) = ([vk::SpecializationMapEntry::default().size(4)], key.to_ne_bytes());
        let constants = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(self.module)
            .name(c"main")
            .specialization_info(&constants);
        let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(self.layout)];
        // SAFETY: module and layout are alive and belong together.
        let made = unsafe { self.raw.create_compute_pipelines(vk::PipelineCache::null(), &info, None) };
        Ok(made.map_err(|(_, e)| e)?[0])
    }
}

fn pipeline_layout(raw: &ash::Device) -> Result<vk::PipelineLayout> {
    let binding = |number, kind| {
        vk::DescriptorSetLayoutBinding::default()
            .binding(number)
            .descriptor_type(kind)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::COMPUTE)
    };
    let bindings = [
        binding(0, vk::DescriptorType::UNIFORM_TEXEL_BUFFER),
        binding(1, vk::DescriptorType::STORAGE_BUFFER),
    ];
    let info = vk::DescriptorSetLayoutCreateInfo::default()
        .flags(vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR)
        .bindings(&bindings);
    // SAFETY: the structures are valid for the calls, and the device has push descriptors.
    unsafe {
        let sets = [raw.create_descriptor_set_layout(&info, None)?];
        Ok(raw.create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default().set_layouts(&sets), None)?)
    }
}

/// A thread's objects, which no other thread uses.
struct Worker<'a> {
    gpu: &'a Gpu,
    number: usize,
    buffer: vk::Buffer,
    words: *mut u32,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    fence: vk::Fence,
    /// The view of each place, where views are not what is tried.
    views: Vec<vk::BufferView>,
}

impl<'a> Worker<'a> {
    fn new(gpu: &'a Gpu, number: usize) -> Result<Worker<'a>> {
        let raw = &gpu.raw;
        let usage = vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER | vk::BufferUsageFlags::STORAGE_BUFFER;
        // SAFETY: the structures are valid for the calls, the memory is large enough for the buffer.
        let (buffer, words, pool, commands, fence) = unsafe {
            let buffer =
                raw.create_buffer(&vk::BufferCreateInfo::default().size(BYTES).usage(usage), None)?;
            let size = raw.get_buffer_memory_requirements(buffer).size;
            let info =
                vk::MemoryAllocateInfo::default().allocation_size(size).memory_type_index(gpu.memory_type);
            let memory = raw.allocate_memory(&info, None)?;
            raw.bind_buffer_memory(buffer, memory, 0)?;
            let words = raw.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())?;
            let info = vk::CommandPoolCreateInfo::default().queue_family_index(gpu.family);
            let pool = raw.create_command_pool(&info, None)?;
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = raw.allocate_command_buffers(&info)?[0];
            (buffer, words, pool, commands, raw.create_fence(&Default::default(), None)?)
        };
        let words = words.cast();
        let mut worker = Worker { gpu, number, buffer, words, pool, commands, fence, views: Vec::new() };
        worker.views = (0..PLACES).map(|place| worker.view(place)).collect::<Result<_>>()?;
        Ok(worker)
    }

    fn view(&self, place: usize) -> Result<vk::BufferView> {
        let info = vk::BufferViewCreateInfo::default()
            .buffer(self.buffer)
            .format(vk::Format::R32_UINT)
            .offset(place as u64 * VIEW_BYTES)
            .range(VIEW_BYTES);
        // SAFETY: the range is inside the buffer, which is alive.
        Ok(unsafe { self.gpu.raw.create_buffer_view(&info, None) }?)
    }

    fn record(&self, pipeline: vk::Pipeline, view: vk::BufferView) -> Result<()> {
        let (raw, bind) = (&self.gpu.raw, vk::PipelineBindPoint::COMPUTE);
        let views = [view];
        let result =
            [vk::DescriptorBufferInfo { buffer: self.buffer, offset: BYTES - VIEW_BYTES, range: VIEW_BYTES }];
        let from = vk::WriteDescriptorSet::default()
            .descriptor_type(vk::DescriptorType::UNIFORM_TEXEL_BUFFER)
            .texel_buffer_view(&views);
        let to = vk::WriteDescriptorSet::default()
            .dst_binding(1)
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .buffer_info(&result);
        let barrier = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ)];
        let (compute, host) = (vk::PipelineStageFlags::COMPUTE_SHADER, vk::PipelineStageFlags::HOST);
        // SAFETY: the command buffer is not in use; all objects are alive until it has been executed.
        unsafe {
            raw.reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty())?;
            raw.begin_command_buffer(self.commands, &Default::default())?;
            raw.cmd_bind_pipeline(self.commands, bind, pipeline);
            self.gpu.push.cmd_push_descriptor_set(self.commands, bind, self.gpu.layout, 0, &[from, to]);
            raw.cmd_dispatch(self.commands, TEXELS as u32 / 64, 1, 1);
            let none = vk::DependencyFlags::empty();
            raw.cmd_pipeline_barrier(self.commands, compute, host, none, &barrier, &[], &[]);
            Ok(raw.end_command_buffer(self.commands)?)
        }
    }

    /// The lock that keeps submissions away, if they are made one by one.
    fn submitting(&self) -> Result<Option<MutexGuard<'a, ()>>> {
        let lock = self.gpu.submitting.as_ref().map(|lock| lock.lock().map_err(|_| "a thread panicked"));
        Ok(lock.transpose()?)
    }

    /// Submits the commands, and waits.
    fn execute(&self) -> Result<()> {
        let submitting = self.submitting()?;
        self.submit(&[self.commands])?;
        drop(submitting);
        self.wait()
    }

    /// Submits nothing and waits, so that an object created before is seen. With `code`, another pipeline is
    /// created before, while nothing is submitted.
    fn settle(&self, code: bool) -> Result<()> {
        let submitting = self.submitting()?;
        let other = if code { self.gpu.pipeline(u32::MAX)? } else { vk::Pipeline::null() };
        self.submit(&[])?;
        drop(submitting);
        self.wait()?;
        // SAFETY: nothing uses it; it may be null.
        unsafe { self.gpu.raw.destroy_pipeline(other, None) };
        Ok(())
    }

    fn submit(&self, commands: &[vk::CommandBuffer]) -> Result<()> {
        let info = [vk::SubmitInfo::default().command_buffers(commands)];
        let queue = self.gpu.queues[self.number % self.gpu.queues.len()].lock();
        let queue = queue.map_err(|_| "a thread panicked")?;
        // SAFETY: the queue's lock is held, the fence is not in use.
        Ok(unsafe { self.gpu.raw.queue_submit(*queue, &info, self.fence) }?)
    }

    /// Polls until the work is complete; ends the process if it never is.
    fn wait(&self) -> Result<()> {
        let raw = &self.gpu.raw;
        let start = Instant::now();
        // SAFETY: the fence is alive, and reset after it was signalled.
        unsafe {
            while !raw.get_fence_status(self.fence)? {
                if start.elapsed() > ENDLESS {
                    println!("thread {}: a kernel does not end", self.number);
                    std::process::exit(2);
                }
            }
            Ok(raw.reset_fences(&[self.fence])?)
        }
    }

    /// Creates, uses and destroys a view or a pipeline. Returns whether the result is right.
    fn round(&self, round: usize, options: &Options) -> Result<bool> {
        let (raw, place) = (&self.gpu.raw, round % PLACES);
        let key = if options.pipelines { (self.number * options.rounds + round + 1) as u32 } else { 0 };
        let texel = |i: usize| (self.number << 22 ^ round << 10 | i) as u32;
        let result = PLACES * TEXELS;
        for i in 0..TEXELS {
            // SAFETY: inside the mapped memory, which no work uses.
            unsafe {
                self.words.add(place * TEXELS + i).write_volatile(texel(i));
                self.words.add(result + i).write_volatile(u32::MAX);
            }
        }
        let submitting = if options.before == Before::Lock { self.submitting()? } else { None };
        let view = if options.pipelines { self.views[place] } else { self.view(place)? };
        let pipeline = if options.pipelines { self.gpu.pipeline(key)? } else { self.gpu.pipeline };
        drop(submitting);
        if matches!(options.before, Before::Empty | Before::Code) {
            self.settle(options.before == Before::Code)?;
        }
        self.record(pipeline, view)?;
        self.execute()?;
        // SAFETY: the work that used them is complete.
        unsafe {
            match options.pipelines {
                true => raw.destroy_pipeline(pipeline, None),
                false => raw.destroy_buffer_view(view, None),
            }
        }
        // SAFETY: inside the mapped memory.
        Ok((0..TEXELS).all(|i| unsafe { self.words.add(result + i).read_volatile() } == texel(i) ^ key))
    }
}

fn run() -> Result<bool> {
    let options = Options::parse()?;
    let gpu = Gpu::open(&options)?;
    let wrong = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let (gpu, options, wrong) = (&gpu, &options, &wrong);
        let work = move |number| -> std::result::Result<(), String> {
            let worker = Worker::new(gpu, number).map_err(|e| e.to_string())?;
            for round in 0..options.rounds {
                let right = worker.round(round, options).map_err(|e| e.to_string())?;
                wrong.fetch_add((!right).into(), Ordering::Relaxed);
            }
            Ok(())
        };
        let threads: Vec<_> = (0..options.threads).map(|n| scope.spawn(move || work(n))).collect();
        threads.into_iter().try_for_each(|t| t.join().map_err(|_| "a thread panicked".to_owned())?)
    })?;
    let wrong = wrong.into_inner();
    println!("{wrong} of {} results are wrong", options.threads * options.rounds);
    Ok(wrong == 0)
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(e) => {
            eprintln!("late_uploads: {e}");
            ExitCode::from(3)
        }
    }
}
