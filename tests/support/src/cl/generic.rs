//! Launches of kernels about which nothing is known: queries of programs and kernels, and arguments made from
//! the answers.
//!
//! Pointers get one zero-filled buffer that all of them share, local pointers [`LOCAL_BYTES`], images 64
//! texels in each dimension, values zeros. The description of a launch has a text form, so that a process
//! that has queried the kernel can pass it to others.

use super::{
    Arg, Buffer, HostData, Image, ImageKind, Kernel, Program, Sampler, Session, check, image_format,
};
use pyroclast_runtime::cl::*;
use std::ffi::c_void;
use std::fmt;
use std::ptr::null_mut;
use std::str::FromStr;

/// Size of the buffer that pointers of global and constant memory share.
const BUFFER_BYTES: usize = 16 << 20;
/// Size of each argument in local memory.
const LOCAL_BYTES: usize = 1 << 10;
/// Largest argument that is passed by value.
const MAX_VALUE: usize = 4096;
/// Frequent sizes of arguments, which are tried first.
const VALUE_SIZES: [usize; 11] = [4, 8, 16, 1, 2, 12, 32, 64, 128, 24, 48];
/// Width of images, height, and number of layers.
const IMAGE_SIDE: usize = 64;
/// Work-items of a kernel without a required work-group size.
const GLOBAL_SIZE: usize = 64;

impl Program<'_> {
    /// CL_PROGRAM_KERNEL_NAMES.
    pub fn kernel_names(&self) -> Vec<String> {
        let api = self.session.api;
        // SAFETY: the query writes at most `s` bytes.
        let names = api.text(|s, p, r| unsafe {
            (api.clGetProgramInfo)(self.program, CL_PROGRAM_KERNEL_NAMES, s, p, r)
        });
        names.split(';').filter(|n| !n.is_empty()).map(str::to_owned).collect()
    }
}

impl Kernel<'_> {
    /// CL_KERNEL_NUM_ARGS.
    pub fn argument_count(&self) -> Result<cl_uint, String> {
        let mut count: cl_uint = 0;
        let (size, value) = (size_of::<cl_uint>(), (&raw mut count).cast());
        // SAFETY: room for the number.
        let code = unsafe {
            (self.session.api.clGetKernelInfo)(self.kernel, CL_KERNEL_NUM_ARGS, size, value, null_mut())
        };
        check("clGetKernelInfo", code).map(|()| count)
    }

    /// CL_KERNEL_ARG_ADDRESS_QUALIFIER.
    fn address_space(&self, index: cl_uint) -> Result<cl_uint, String> {
        let (api, what) = (self.session.api, CL_KERNEL_ARG_ADDRESS_QUALIFIER);
        let mut space: cl_uint = 0;
        let (size, value) = (size_of::<cl_uint>(), (&raw mut space).cast());
        // SAFETY: room for the number.
        let code = unsafe { (api.clGetKernelArgInfo)(self.kernel, index, what, size, value, null_mut()) };
        check("clGetKernelArgInfo", code).map(|()| space)
    }

    /// CL_KERNEL_ARG_TYPE_NAME.
    fn argument_type(&self, index: cl_uint) -> String {
        let (api, what) = (self.session.api, CL_KERNEL_ARG_TYPE_NAME);
        // SAFETY: the query writes at most `s` bytes.
        api.text(|s, p, r| unsafe { (api.clGetKernelArgInfo)(self.kernel, index, what, s, p, r) })
    }

    /// CL_KERNEL_COMPILE_WORK_GROUP_SIZE, if the kernel states one.
    pub fn required_size(&self) -> Result<Option<[usize; 3]>, String> {
        let (what, device) = (CL_KERNEL_COMPILE_WORK_GROUP_SIZE, self.session.device.id);
        let mut group = [0usize; 3];
        let (size, value) = (size_of_val(&group), group.as_mut_ptr().cast::<c_void>());
        // SAFETY: room for three numbers.
        let code = unsafe {
            (self.session.api.clGetKernelWorkGroupInfo)(self.kernel, device, what, size, value, null_mut())
        };
        check("clGetKernelWorkGroupInfo", code)?;
        Ok((!group.contains(&0)).then_some(group))
    }

    /// Size of an argument that is passed by value: the one that clSetKernelArg accepts.
    fn value_size(&self, index: cl_uint) -> Option<usize> {
        let zeros = [0u64; MAX_VALUE / 8];
        VALUE_SIZES.into_iter().chain(1..=MAX_VALUE).find(|size| {
            let value = zeros.as_ptr().cast();
            // SAFETY: at least as many bytes as the largest size.
            let code = unsafe { (self.session.api.clSetKernelArg)(self.kernel, index, *size, value) };
            code == CL_SUCCESS
        })
    }
}

/// How an argument is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ArgumentKind {
    Buffer,
    Local,
    Image(ImageKind),
    Sampler,
    /// By value, with its size.
    Value(usize),
}

impl ArgumentKind {
    fn of(kernel: &Kernel<'_>, index: cl_uint) -> Result<ArgumentKind, String> {
        let type_name = kernel.argument_type(index);
        let no = |reason: &str| Err(format!("argument {index} ({type_name}): {reason}"));
        // Some implementations add the access qualifier.
        let name = type_name.split_whitespace().last().unwrap_or_default();
        if name == "sampler_t" {
            return Ok(ArgumentKind::Sampler);
        }
        if let Some(kind) = image_kind(name) {
            return Ok(ArgumentKind::Image(kind));
        }
        if name.starts_with("image") && (name.ends_with("depth_t") || name.ends_with("msaa_t")) {
            return no("no image is made for it");
        }
        match kernel.address_space(index)? {
            CL_KERNEL_ARG_ADDRESS_GLOBAL | CL_KERNEL_ARG_ADDRESS_CONSTANT => Ok(ArgumentKind::Buffer),
            CL_KERNEL_ARG_ADDRESS_LOCAL => Ok(ArgumentKind::Local),
            _ => kernel
                .value_size(index)
                .map_or_else(|| no("clSetKernelArg accepts no size"), |size| Ok(ArgumentKind::Value(size))),
        }
    }
}

/// Images by the names of their types in OpenCL C.
fn image_kind(name: &str) -> Option<ImageKind> {
    Some(match name {
        "image1d_t" => ImageKind::D1,
        "image1d_array_t" => ImageKind::D1Array,
        "image1d_buffer_t" => ImageKind::Buffer,
        "image2d_t" => ImageKind::D2,
        "image2d_array_t" => ImageKind::D2Array,
        "image3d_t" => ImageKind::D3,
        _ => return None,
    })
}

impl fmt::Display for ArgumentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArgumentKind::Buffer => write!(f, "buffer"),
            ArgumentKind::Local => write!(f, "local"),
            ArgumentKind::Image(kind) => write!(f, "image:{kind:?}"),
            ArgumentKind::Sampler => write!(f, "sampler"),
            ArgumentKind::Value(size) => write!(f, "value:{size}"),
        }
    }
}

impl FromStr for ArgumentKind {
    type Err = String;

    fn from_str(text: &str) -> Result<ArgumentKind, String> {
        let image = |name: &str| ImageKind::ALL.into_iter().find(|k| format!("{k:?}") == name);
        let kind = match text.split_once(':') {
            None if text == "buffer" => Some(ArgumentKind::Buffer),
            None if text == "local" => Some(ArgumentKind::Local),
            None if text == "sampler" => Some(ArgumentKind::Sampler),
            Some(("image", name)) => image(name).map(ArgumentKind::Image),
            Some(("value", size)) => size.parse().ok().map(ArgumentKind::Value),
            _ => None,
        };
        kind.ok_or_else(|| format!("no kind of argument: {text}"))
    }
}

/// A launch of a kernel. Its text form is `NAME GROUP ARGUMENT...`, with `X,Y,Z` or `any` as GROUP.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GenericLaunch {
    pub kernel: String,
    /// The work-group size that the kernel requires.
    group: Option<[usize; 3]>,
    arguments: Vec<ArgumentKind>,
}

impl GenericLaunch {
    /// Describes a launch of the named kernel, or else of the program's first. The program must have been
    /// built with `-cl-kernel-arg-info`.
    pub fn of(program: &Program<'_>, name: Option<&str>) -> Result<GenericLaunch, String> {
        let first = || program.kernel_names().into_iter().next();
        let name = name.map(str::to_owned).or_else(first).ok_or("the program has no kernels")?;
        let kernel = program.kernel(&name)?;
        let kinds = (0..kernel.argument_count()?).map(|i| ArgumentKind::of(&kernel, i));
        Ok(GenericLaunch {
            arguments: kinds.collect::<Result<_, _>>()?,
            group: kernel.required_size()?,
            kernel: name,
        })
    }

    /// Creates the objects that the arguments need.
    pub fn make_arguments<'a>(&self, session: &'a Session<'a>) -> Result<GenericArguments<'a>, String> {
        let buffer = session.buffer(BUFFER_BYTES)?;
        session.write(&buffer, &vec![0u8; BUFFER_BYTES])?;
        let made = self.arguments.iter().enumerate().map(|(i, kind)| {
            Argument::make(*kind, session).map_err(|error| format!("argument {i} ({kind}): {error}"))
        });
        Ok(GenericArguments { made: made.collect::<Result<_, _>>()?, buffer })
    }

    /// Enqueues the kernel with the arguments that it has.
    pub fn enqueue(&self, kernel: &Kernel<'_>) -> Result<(), String> {
        match &self.group {
            Some(group) => kernel.launch(group, Some(group)),
            None => kernel.launch(&[GLOBAL_SIZE, 1, 1], None),
        }
    }
}

impl fmt::Display for GenericLaunch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.kernel)?;
        match self.group {
            Some([x, y, z]) => write!(f, "{x},{y},{z}")?,
            None => write!(f, "any")?,
        }
        self.arguments.iter().try_for_each(|argument| write!(f, " {argument}"))
    }
}

impl FromStr for GenericLaunch {
    type Err = String;

    fn from_str(text: &str) -> Result<GenericLaunch, String> {
        let mut words = text.split(' ');
        let (Some(kernel), Some(group)) = (words.next(), words.next()) else {
            return Err(format!("no launch: {text}"));
        };
        let sizes = |text: &str| -> Option<[usize; 3]> {
            let sizes: Vec<usize> = text.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
            sizes.try_into().ok()
        };
        let group = match group {
            "any" => None,
            group => Some(sizes(group).ok_or_else(|| format!("no work-group size: {group}"))?),
        };
        Ok(GenericLaunch {
            kernel: kernel.into(),
            group,
            arguments: words.map(str::parse).collect::<Result<_, _>>()?,
        })
    }
}

/// An argument with the objects it owns.
enum Argument<'a> {
    Buffer,
    Local,
    Image(Image<'a>),
    Sampler(Sampler<'a>),
    Value(Vec<u8>),
}

impl<'a> Argument<'a> {
    fn make(kind: ArgumentKind, session: &'a Session<'a>) -> Result<Argument<'a>, String> {
        Ok(match kind {
            ArgumentKind::Buffer => Argument::Buffer,
            ArgumentKind::Local => Argument::Local,
            ArgumentKind::Image(kind) => Argument::Image(zero_image(session, kind)?),
            ArgumentKind::Sampler => {
                Argument::Sampler(session.sampler(false, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST)?)
            }
            ArgumentKind::Value(size) => Argument::Value(vec![0; size]),
        })
    }
}

/// An RGBA image of floats, one texel deep.
fn zero_image<'a>(session: &'a Session<'a>, kind: ImageKind) -> Result<Image<'a>, String> {
    let height = if matches!(kind, ImageKind::D1 | ImageKind::Buffer) { 1 } else { IMAGE_SIDE };
    let texel = size_of::<[f32; 4]>();
    let bytes = vec![0; IMAGE_SIDE * height * texel];
    let zeros = HostData { bytes: &bytes, row_pitch: 0, slice_pitch: 0 };
    let (format, size) = (image_format(CL_RGBA, CL_FLOAT), [IMAGE_SIDE, height, 1]);
    session.image(CL_MEM_READ_WRITE, format, kind, size, texel, Some(zeros))
}

/// Arguments of a [`GenericLaunch`].
pub struct GenericArguments<'a> {
    buffer: Buffer<'a>,
    made: Vec<Argument<'a>>,
}

impl GenericArguments<'_> {
    /// The arguments for [`Kernel::set`].
    pub fn list(&self) -> Vec<Arg<'_>> {
        let arg = |argument| match argument {
            &Argument::Buffer => Arg::Buffer(&self.buffer),
            Argument::Local => Arg::Local(LOCAL_BYTES),
            Argument::Image(image) => Arg::Image(image),
            Argument::Sampler(sampler) => Arg::Sampler(sampler),
            Argument::Value(bytes) => Arg::Bytes(bytes),
        };
        self.made.iter().map(arg).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_survive_their_text_form() {
        let arguments = vec![
            ArgumentKind::Buffer,
            ArgumentKind::Local,
            ArgumentKind::Image(ImageKind::D2Array),
            ArgumentKind::Sampler,
            ArgumentKind::Value(48),
        ];
        for group in [None, Some([64, 2, 1])] {
            let launch = GenericLaunch { kernel: "k".into(), group, arguments: arguments.clone() };
            assert_eq!(launch.to_string().parse(), Ok(launch));
        }
        for text in ["", "k", "k 1,2", "k any image:D4", "k any value"] {
            assert!(text.parse::<GenericLaunch>().is_err(), "{text}");
        }
    }
}
