//! A planned kernel on one device: the kernel object with its arguments, filled buffers and images.

use super::image::PlannedImage;
use super::plan::{KernelPlan, PlannedArg};
use pyroclast_runtime::cl::{CL_ADDRESS_CLAMP_TO_EDGE, CL_MEM_READ_WRITE};
use test_support::cl::{Arg, Buffer, HostData, Image, Kernel, Program, Sampler, Session};

/// Memory object or value of an argument.
enum Object<'a> {
    Buffer(Buffer<'a>),
    Image(Image<'a>),
    Sampler(Sampler<'a>),
    None,
}

impl<'a> Object<'a> {
    /// The object of an argument, with contents that follow from the argument's position.
    fn new(session: &'a Session<'a>, position: u32, arg: &PlannedArg) -> Result<Object<'a>, String> {
        Ok(match arg {
            PlannedArg::Buffer(contents) => {
                let buffer = session.buffer(contents.bytes)?;
                session.write(&buffer, &contents.generate(position))?;
                Object::Buffer(buffer)
            }
            PlannedArg::Image(image) => {
                let bytes = image.contents().generate(position);
                let data = HostData { bytes: &bytes, row_pitch: 0, slice_pitch: 0 };
                let [width, height] = image.size;
                Object::Image(session.image(
                    CL_MEM_READ_WRITE,
                    image.format(),
                    PlannedImage::KIND,
                    [width, height, 1],
                    image.texel_bytes(),
                    Some(data),
                )?)
            }
            PlannedArg::Sampler(s) => {
                Object::Sampler(session.sampler(s.normalized, CL_ADDRESS_CLAMP_TO_EDGE, s.filter())?)
            }
            _ => Object::None,
        })
    }

    /// The object, or else the value, as an argument.
    fn arg<'b>(&'b self, planned: &'b PlannedArg) -> Arg<'b> {
        match (self, planned) {
            (Object::Buffer(buffer), _) => Arg::Buffer(buffer),
            (Object::Image(image), _) => Arg::Image(image),
            (Object::Sampler(sampler), _) => Arg::Sampler(sampler),
            (Object::None, PlannedArg::Value(bytes)) => Arg::Bytes(bytes),
            (Object::None, PlannedArg::Local(bytes)) => Arg::Local(*bytes),
            (Object::None, _) => Arg::Null,
        }
    }
}

/// A kernel that can be launched with its planned arguments.
pub struct PreparedKernel<'a> {
    session: &'a Session<'a>,
    plan: &'a KernelPlan,
    kernel: Kernel<'a>,
    objects: Vec<Object<'a>>,
}

impl<'a> PreparedKernel<'a> {
    /// Creates and fills the memory objects, and sets the arguments.
    pub fn new(
        session: &'a Session<'a>,
        program: &Program<'a>,
        plan: &'a KernelPlan,
    ) -> Result<PreparedKernel<'a>, String> {
        let kernel = program.kernel(&plan.name)?;
        let objects = (0..).zip(&plan.args).map(|(position, arg)| Object::new(session, position, arg));
        let objects = objects.collect::<Result<Vec<_>, _>>()?;
        let args: Vec<Arg<'_>> =
            objects.iter().zip(&plan.args).map(|(object, arg)| object.arg(arg)).collect();
        kernel.set(&args)?;
        Ok(PreparedKernel { session, plan, kernel, objects })
    }

    /// Enqueues a launch.
    pub fn launch(&self) -> Result<(), String> {
        self.kernel.launch(&self.plan.global, self.plan.local.as_deref())
    }

    /// Launches the kernel once and returns the contents of its buffers and images, one after the other.
    pub fn run(&self) -> Result<Vec<u8>, String> {
        self.launch()?;
        self.session.finish()?;
        let mut all = Vec::new();
        let memories = self.objects.iter().filter(|o| matches!(o, Object::Buffer(_) | Object::Image(_)));
        for (object, memory) in memories.zip(self.plan.memories()) {
            let start = all.len();
            all.resize(start + memory.contents.bytes, 0);
            match object {
                Object::Buffer(buffer) => self.session.read(buffer, &mut all[start..])?,
                Object::Image(image) => {
                    self.session.read_image(image, [0; 3], image.size, [0, 0], &mut all[start..])?;
                }
                _ => {}
            }
        }
        Ok(all)
    }
}
