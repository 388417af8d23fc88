//! The bench of checks: one device with a context and a queue, through the runtime's own interface.

use super::check::{Arg, Check, Expected, Verdict};
use pyroclast_runtime::cl::image::ImageFormat;
use pyroclast_runtime::cl::ndrange::NdRange;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::command::image::{LevelOrigin, LevelRegion, host_transfer};
use pyroclast_runtime::command::{ndrange, transfer};
use pyroclast_runtime::context::{Context, PrintConfig};
use pyroclast_runtime::device::Device;
use pyroclast_runtime::device::batch::Access;
use pyroclast_runtime::error::Error;
use pyroclast_runtime::host_ptr::HostPtr;
use pyroclast_runtime::info::InfoValue;
use pyroclast_runtime::kernel::Kernel;
use pyroclast_runtime::kernel::args::ArgInput;
use pyroclast_runtime::memory::image::Descriptor;
use pyroclast_runtime::memory::{MemObject, buffer, image};
use pyroclast_runtime::program::Program;
use pyroclast_runtime::queue::CommandQueue;
use pyroclast_runtime::sampler::Sampler;
use std::sync::{Arc, Mutex};

/// A device with what kernels need.
pub struct Bench {
    pub device: Arc<Device>,
    pub context: Arc<Context>,
    pub queue: Arc<CommandQueue>,
    /// Output of `printf` in kernels since it was last taken.
    printed: Arc<Mutex<Vec<u8>>>,
    /// The program that was built last, and its source.
    program: Mutex<Option<(String, Arc<Program>)>>,
}

/// Memory of an argument while a check runs.
enum Held {
    Nothing,
    Memory(Arc<MemObject>),
    Sampler(Arc<Sampler>),
}

fn pointer(bytes: &mut [u8]) -> HostPtr {
    HostPtr::new(bytes.as_mut_ptr())
}

impl Bench {
    /// Opens the device.
    pub fn new(device: &Arc<Device>) -> Result<Bench, Error> {
        let printed = Arc::new(Mutex::new(Vec::new()));
        let sink = printed.clone();
        let callback: pyroclast_runtime::context::PrintCallback = Arc::new(move |text: &[u8]| {
            if let Ok(mut printed) = sink.lock() {
                printed.extend_from_slice(text);
            }
        });
        let printing = PrintConfig { callback: Some(callback), bytes: 0 };
        let context = Context::new([device.clone()], Vec::new(), None, printing)?;
        let queue = CommandQueue::new(&context, device, 0, None)?;
        Ok(Bench { device: device.clone(), context, queue, printed, program: Mutex::new(None) })
    }

    /// Another queue of the device.
    pub fn another_queue(&self, properties: cl_command_queue_properties) -> Result<Arc<CommandQueue>, Error> {
        CommandQueue::new(&self.context, &self.device, properties, None)
    }

    /// The program of a source; errors have the build log.
    pub fn build(&self, source: &str) -> Result<Arc<Program>, String> {
        let mut last = self.program.lock().map_err(|e| e.to_string())?;
        if let Some((_, program)) = last.as_ref().filter(|(text, _)| text == source) {
            return Ok(program.clone());
        }
        let program = Arc::new(Program::from_source(self.context.clone(), source.to_string()));
        if let Err(error) = program.build(None, "-cl-std=CL3.0", None) {
            let log = match program.build_info(&self.device, CL_PROGRAM_BUILD_LOG) {
                Ok(InfoValue::Str(text)) => text,
                _ => String::new(),
            };
            return Err(format!("{error}\n{}", log.trim()));
        }
        *last = Some((source.to_string(), program.clone()));
        Ok(program)
    }

    /// A buffer with this content.
    pub fn buffer(&self, content: &[u8]) -> Result<Arc<MemObject>, Error> {
        let mut content = content.to_vec();
        let flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
        buffer::create(&self.context, None, flags, content.len(), Some(pointer(&mut content)))
    }

    /// The bytes of a buffer.
    pub fn read(&self, memory: &Arc<MemObject>, size: usize) -> Result<Vec<u8>, Error> {
        let mut bytes = vec![0u8; size];
        transfer::read_buffer(&self.queue, memory, true, 0, size, pointer(&mut bytes), Default::default())?;
        Ok(bytes)
    }

    /// Launches a kernel of one dimension on a queue.
    pub fn launch(
        &self,
        queue: &Arc<CommandQueue>,
        kernel: &Kernel,
        global: &[usize],
        local: Option<&[usize]>,
    ) -> Result<(), Error> {
        let range = NdRange::new(global.len() as u32, None, Some(global), local)?;
        ndrange::launch(queue, kernel, CL_COMMAND_NDRANGE_KERNEL, range, Default::default())?;
        Ok(())
    }

    fn image(&self, at: &super::check::Image) -> Result<Arc<MemObject>, Error> {
        let format = ImageFormat { order: at.order, data_type: at.data_type };
        let [width, height, depth] = at.size;
        let array_size = match at.kind {
            CL_MEM_OBJECT_IMAGE2D_ARRAY => depth,
            CL_MEM_OBJECT_IMAGE1D_ARRAY => height,
            _ => 0,
        };
        let desc = Descriptor {
            image_type: at.kind,
            width,
            height,
            depth,
            array_size,
            row_pitch: 0,
            slice_pitch: 0,
            num_mip_levels: 0,
            num_samples: 0,
            mem: None,
        };
        let mut texels = at.texels.clone();
        let flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
        let ptr = Some(pointer(&mut texels));
        image::create(&self.context, None, flags, Some(format), Some(desc), ptr)
    }

    fn read_image(&self, memory: &Arc<MemObject>, at: &super::check::Image) -> Result<Vec<u8>, Error> {
        let mut texels = vec![0u8; at.texels.len()];
        let region = LevelRegion { origin: LevelOrigin { at: [0; 3], level: 0 }, size: at.size };
        let to = pointer(&mut texels);
        let waits = Default::default();
        host_transfer(&self.queue, memory, Access::Read, true, region, (0, 0), to, waits)?;
        Ok(texels)
    }

    fn hold(&self, kernel: &Kernel, index: u32, arg: &Arg) -> Result<Held, Error> {
        let held = match arg {
            Arg::Buffer(content) => Held::Memory(self.buffer(content)?),
            Arg::Image(image) => Held::Memory(self.image(image)?),
            Arg::Sampler(addressing, filter, normalized) => {
                let normalized = u32::from(*normalized);
                Held::Sampler(Sampler::new(&self.context, normalized, *addressing, *filter)?)
            }
            Arg::Value(_) | Arg::Local(_) => Held::Nothing,
        };
        kernel.set_arg(
            index,
            match (&held, arg) {
                (Held::Memory(memory), _) => ArgInput::Mem(Some(memory)),
                (Held::Sampler(sampler), _) => ArgInput::Sampler(sampler),
                (Held::Nothing, Arg::Local(size)) => ArgInput::Null { size: *size },
                (Held::Nothing, Arg::Value(bytes)) => ArgInput::Bytes(bytes),
                (Held::Nothing, _) => ArgInput::Null { size: 0 },
            },
        )?;
        Ok(held)
    }

    /// Runs a check.
    pub fn run(&self, check: &Check) -> Verdict {
        let program = match self.build(&check.source) {
            Ok(program) => program,
            Err(text) => return Verdict::Error(text),
        };
        match self.run_kernel(&program, check) {
            Ok(found) => check.expected.compare(&found),
            Err(error) => Verdict::Error(error.to_string()),
        }
    }

    /// Launches the check's kernel and reads its result.
    fn run_kernel(&self, program: &Arc<Program>, check: &Check) -> Result<Vec<u8>, Error> {
        let kernel = Kernel::create(program, &check.kernel)?;
        let held: Result<Vec<Held>, Error> =
            (0..).zip(&check.args).map(|(index, arg)| self.hold(&kernel, index, arg)).collect();
        let held = held?;
        self.launch(&self.queue, &kernel, &check.global, check.local.as_deref())?;
        self.queue.finish()?;
        if let Expected::Printed(_) = check.expected {
            return Ok(self.printed.lock().map(|mut p| std::mem::take(&mut *p)).unwrap_or_default());
        }
        match (held.get(check.result), check.args.get(check.result)) {
            (Some(Held::Memory(memory)), Some(Arg::Buffer(content))) => self.read(memory, content.len()),
            (Some(Held::Memory(memory)), Some(Arg::Image(image))) => self.read_image(memory, image),
            _ => Ok(Vec::new()),
        }
    }
}
