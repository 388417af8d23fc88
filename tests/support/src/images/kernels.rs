//! Images in kernels without samplers: results of reads and effects of writes for every format, images that
//! are read and written, queries, functions with image parameters, and the maximum number of arguments.

use super::format::{Class, Format, Random};
use super::{Findings, ImageMemory, Offer, image_in, offers, offers_in, small_size};
use crate::cl::{Arg, HostData, Image, ImageKind, Program, Session, image_format};
use half::f16;
use pyroclast_runtime::cl::*;

/// Type of an image argument and the coordinates of element `i`.
pub(super) fn words(kind: ImageKind, depth: bool) -> (&'static str, &'static str) {
    match (kind, depth) {
        (ImageKind::D1, _) => ("image1d_t", "(int)i"),
        (ImageKind::Buffer, _) => ("image1d_buffer_t", "(int)i"),
        (ImageKind::D1Array, _) => ("image1d_array_t", "(int2)(i % w, i / w)"),
        (ImageKind::D2, false) => ("image2d_t", "(int2)(i % w, i / w)"),
        (ImageKind::D2, true) => ("image2d_depth_t", "(int2)(i % w, i / w)"),
        (ImageKind::D2Array, false) => ("image2d_array_t", "(int4)(i % w, i / w % h, i / (w * h), 0)"),
        (ImageKind::D2Array, true) => ("image2d_array_depth_t", "(int4)(i % w, i / w % h, i / (w * h), 0)"),
        (ImageKind::D3, _) => ("image3d_t", "(int4)(i % w, i / w % h, i / (w * h), 0)"),
    }
}

/// Kernels that read, through a function, and write; `reads` are the suffixes of the functions.
fn source(kind: ImageKind, depth: bool, reads: &[&str], writes: bool, both: bool) -> String {
    let (image, at) = words(kind, depth);
    let mut text = String::from("#define NOW uint i = get_global_id(0)\n");
    for extension in ["cl_khr_3d_image_writes", "cl_khr_fp16"] {
        text += &format!("#ifdef {extension}\n#pragma OPENCL EXTENSION {extension} : enable\n#endif\n");
    }
    for suffix in reads {
        let vector = match (*suffix, depth) {
            ("f", true) => "float",
            ("f", false) => "float4",
            ("i", _) => "int4",
            ("ui", _) => "uint4",
            (_, true) => "half",
            _ => "half4",
        };
        // Depth images return one number.
        let (bits, back) = match (*suffix, depth) {
            ("h", _) => (format!("({vector})t"), String::new()),
            (_, true) => ("(uint4)(as_uint(t))".into(), "as_float(in[i].x)".into()),
            _ => ("as_uint4(t)".into(), format!("as_{vector}(in[i])")),
        };
        let element = match *suffix {
            "h" => vector,
            _ => "uint4",
        };
        text += &format!(
            "{vector} look_{suffix}(read_only {image} im, uint i, uint w, uint h) {{ return read_image{suffix}(im, {at}); }}\n\
             kernel void read_{suffix}(read_only {image} im, uint w, uint h, global {element} *out)\n\
             {{ NOW; {vector} t = look_{suffix}(im, i, w, h); out[i] = {bits}; }}\n"
        );
        if *suffix == "h" {
            continue;
        }
        if writes {
            text += &format!(
                "kernel void write_{suffix}(write_only {image} im, uint w, uint h, global const uint4 *in)\n\
                 {{ NOW; write_image{suffix}(im, {at}, {back}); }}\n"
            );
        }
        if both {
            text += &format!(
                "kernel void both_{suffix}(read_write {image} im, uint w, uint h, global const uint4 *in, global uint4 *old, \
                 global uint4 *new)\n\
                 {{ NOW; {vector} t = read_image{suffix}(im, {at}); old[i] = {bits}; write_image{suffix}(im, {at}, {back});\n\
                   atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);\n\
                   t = read_image{suffix}(im, {at}); new[i] = {bits}; }}\n"
            );
        }
    }
    text
}

fn suffix(format: &Format) -> &'static str {
    match format.class() {
        Class::Float => "f",
        Class::Signed => "i",
        Class::Unsigned => "ui",
    }
}

/// Image features of a device in kernels.
#[derive(Clone, Copy)]
struct Able {
    writes: bool,
    both: bool,
    half: bool,
}

impl Able {
    fn of(session: &Session<'_>, kind: ImageKind) -> Result<Able, String> {
        let extensions = session.extensions();
        let both: cl_uint = session.device_number(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS)?;
        let writes = kind != ImageKind::D3 || extensions.contains("cl_khr_3d_image_writes");
        Ok(Able { writes, both: both > 0 && writes, half: extensions.contains("cl_khr_fp16") })
    }
}

/// The programs of a type of image: for colours, and for depth if there are such formats.
struct Programs<'a> {
    colour: Program<'a>,
    depth: Option<Program<'a>>,
}

impl<'a> Programs<'a> {
    fn build(
        session: &'a Session<'a>,
        kind: ImageKind,
        able: Able,
        offers: &[Offer],
    ) -> Result<Programs<'a>, String> {
        let reads: &[&str] = if able.half { &["f", "i", "ui", "h"] } else { &["f", "i", "ui"] };
        let options = "-cl-std=CL3.0";
        let colour = session.build(&source(kind, false, reads, able.writes, able.both), options)?;
        let depth = match offers.iter().any(|o| o.format.is_depth()) {
            true => Some(session.build(&source(kind, true, &["f"], able.writes, able.both), options)?),
            false => None,
        };
        Ok(Programs { colour, depth })
    }
    fn of(&self, format: &Format) -> Result<&Program<'a>, String> {
        match format.is_depth() {
            true => self.depth.as_ref().ok_or_else(|| "no program for depth images".into()),
            false => Ok(&self.colour),
        }
    }
}

/// An image with its contents on the host.
struct Bench<'a> {
    session: &'a Session<'a>,
    format: &'a Format,
    image: Image<'a>,
    size: [usize; 3],
    bytes: Vec<u8>,
    texels: usize,
}

impl<'a> Bench<'a> {
    fn new(
        session: &'a Session<'a>,
        format: &'a Format,
        kind: ImageKind,
        flags: cl_mem_flags,
        seed: u64,
        memory: ImageMemory,
    ) -> Result<Bench<'a>, String> {
        let size = small_size(kind);
        let texels = size.iter().product();
        let bytes = format.elements(&mut Random::new(seed), texels, true);
        let image = image_in(session, memory, flags, format, kind, size, &bytes)?;
        Ok(Bench { session, format, image, size, bytes, texels })
    }

    fn element(&self, i: usize) -> u128 {
        self.format.load(&self.bytes, i)
    }

    fn launch(&self, program: &Program<'_>, kernel: &str, rest: &[Arg<'_>]) -> Result<(), String> {
        let kernel = program.kernel(kernel)?;
        let (w, h) = (self.size[0].to_le_bytes(), self.size[1].to_le_bytes());
        let mut args = vec![Arg::Image(&self.image), Arg::Bytes(&w[..4]), Arg::Bytes(&h[..4])];
        for arg in rest {
            args.push(match arg {
                Arg::Buffer(b) => Arg::Buffer(b),
                _ => return Err("only buffers follow".into()),
            });
        }
        kernel.set(&args)?;
        kernel.launch(&[self.texels], None)
    }

    fn read(&self, programs: &Programs<'_>) -> Result<(), String> {
        let out = self.session.buffer(16 * self.texels)?;
        self.launch(
            programs.of(self.format)?,
            &format!("read_{}", suffix(self.format)),
            &[Arg::Buffer(&out)],
        )?;
        let mut got = vec![[0u32; 4]; self.texels];
        self.session.read(&out, &mut got)?;
        (0..self.texels).try_for_each(|i| {
            self.format.check_read(self.element(i), got[i]).map_err(|e| format!("{i}: {e}"))
        })
    }

    fn read_half(&self, programs: &Programs<'_>) -> Result<(), String> {
        let out = self.session.buffer(8 * self.texels)?;
        self.launch(&programs.colour, "read_h", &[Arg::Buffer(&out)])?;
        let mut got = vec![[0u16; 4]; self.texels];
        self.session.read(&out, &mut got)?;
        let check = |i: usize| self.format.check_read_half(self.element(i), got[i].map(f16::from_bits));
        (0..self.texels).try_for_each(|i| check(i).map_err(|e| format!("{i}: {e}")))
    }

    /// Texels to write: usual ones and ones out of range.
    fn texels(&self, random: &mut Random) -> Vec<[u32; 4]> {
        let class = self.format.class();
        let number = |random: &mut Random| match (class, random.below(4)) {
            (Class::Float, 0) => {
                let special = [
                    0.0f32,
                    1.0,
                    -1.0,
                    1e10,
                    -1e10,
                    f32::INFINITY,
                    f32::NAN,
                    1e-40,
                    65504.0,
                    65520.0,
                    0.5,
                    -0.5,
                ];
                special[random.below(12)].to_bits()
            }
            (Class::Float, 1) => ((random.unit() * 200.0 - 100.0) as f32).to_bits(),
            (Class::Float, _) => ((random.unit() * 2.4 - 1.2) as f32).to_bits(),
            (_, 0) => random.bits() as u32,
            (_, 1) => [127, 128, 255, 256, 32767, 32768, 65535, 65536, i32::MAX as u32, 0x8000_0000]
                [random.below(10)],
            (_, 2) => (random.bits() as i32 % 300) as u32,
            _ => (random.bits() as i32 % 100_000) as u32,
        };
        (0..self.texels).map(|_| std::array::from_fn(|_| number(random))).collect()
    }

    fn contents(&self) -> Result<Vec<u8>, String> {
        let mut got = vec![0u8; self.bytes.len()];
        self.session.read_image(&self.image, [0; 3], self.size, [0, 0], &mut got)?;
        Ok(got)
    }

    fn write(&self, programs: &Programs<'_>) -> Result<(), String> {
        let texels = self.texels(&mut Random::new(5));
        let input = self.session.buffer(16 * self.texels)?;
        self.session.write(&input, &texels)?;
        self.launch(
            programs.of(self.format)?,
            &format!("write_{}", suffix(self.format)),
            &[Arg::Buffer(&input)],
        )?;
        let after = self.contents()?;
        let check = |i: usize| self.format.check_write(texels[i], self.format.load(&after, i));
        (0..self.texels).try_for_each(|i| check(i).map_err(|e| format!("{i}: {e}")))
    }

    /// A kernel that reads, writes and reads again.
    fn both(&self, programs: &Programs<'_>) -> Result<(), String> {
        let texels = self.texels(&mut Random::new(6));
        let buffers = [16 * self.texels; 3].map(|n| self.session.buffer(n));
        let [Ok(input), Ok(old), Ok(new)] = buffers else { return Err("no buffer".into()) };
        self.session.write(&input, &texels)?;
        let args = [Arg::Buffer(&input), Arg::Buffer(&old), Arg::Buffer(&new)];
        self.launch(programs.of(self.format)?, &format!("both_{}", suffix(self.format)), &args)?;
        let after = self.contents()?;
        let (mut first, mut second) = (vec![[0u32; 4]; self.texels], vec![[0u32; 4]; self.texels]);
        self.session.read(&old, &mut first)?;
        self.session.read(&new, &mut second)?;
        (0..self.texels).try_for_each(|i| {
            let stored = self.format.load(&after, i);
            self.format.check_read(self.element(i), first[i]).map_err(|e| format!("{i}, before: {e}"))?;
            self.format.check_write(texels[i], stored).map_err(|e| format!("{i}: {e}"))?;
            self.format.check_read(stored, second[i]).map_err(|e| format!("{i}, after: {e}"))
        })
    }
}

/// Reads and writes of every format of a type of image; for images in buffers, of some formats.
pub fn texels(session: &Session<'_>, kind: ImageKind, memory: ImageMemory) -> Result<(), String> {
    let (offers, able) = (offers_in(session, kind, memory)?, Able::of(session, kind)?);
    if offers.is_empty() {
        return Ok(());
    }
    let programs = Programs::build(session, kind, able, &offers)?;
    let mut findings = Findings::default();
    for (seed, offer) in offers.iter().enumerate() {
        let format = &offer.format;
        let mut run = |what: &str, flags, body: &dyn Fn(&Bench<'_>) -> Result<(), String>| {
            let result = Bench::new(session, format, kind, flags, seed as u64, memory).and_then(|b| body(&b));
            findings.note(|| format!("{}, {what}", format.name()), result);
        };
        for flags in [CL_MEM_READ_ONLY, CL_MEM_READ_WRITE] {
            if offer.has(flags) {
                run("read", flags, &|b| b.read(&programs));
            }
        }
        if offer.can_read() && able.half && format.reads_as_half() && !format.is_depth() {
            run("read of halves", offer.create(), &|b| b.read_half(&programs));
        }
        for flags in [CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE] {
            if able.writes && offer.has(flags) {
                run("write", flags, &|b| b.write(&programs));
            }
        }
        if able.both && offer.has(CL_MEM_KERNEL_READ_AND_WRITE) {
            run("read and write", CL_MEM_READ_WRITE, &|b| b.both(&programs));
        }
    }
    // sRGB formats are listed for writing only with the extension.
    let written = offers.iter().any(|o| o.format.is_srgb() && o.has(CL_MEM_WRITE_ONLY | CL_MEM_READ_WRITE));
    let named = session.extensions().contains("cl_khr_srgb_image_writes");
    if memory == ImageMemory::Own && (written && !named || named && kind == ImageKind::D2 && !written) {
        findings.note(
            || "cl_khr_srgb_image_writes".into(),
            Err(format!("reported: {named}, formats: {written}")),
        );
    }
    findings.end()
}

/// Image queries in a kernel: sizes, channel order and type.
pub fn queries(session: &Session<'_>, kind: ImageKind) -> Result<(), String> {
    let (image, _) = words(kind, false);
    let mut text =
        format!("kernel void ask(read_only {image} im, global int *out) {{ out[0] = get_image_width(im);\n");
    let size = small_size(kind);
    let mut want = vec![size[0]];
    if matches!(kind, ImageKind::D2 | ImageKind::D2Array | ImageKind::D3) {
        want.push(size[1]);
        text += "out[1] = get_image_height(im);\n";
    }
    if kind == ImageKind::D3 {
        want.push(size[2]);
        text += "out[2] = get_image_depth(im);\nint4 d = get_image_dim(im); out[3] = d.x; out[4] = d.y; out[5] = d.z; out[6] = d.w;\n";
        want.extend([size[0], size[1], size[2], 0]);
    }
    if matches!(kind, ImageKind::D2 | ImageKind::D2Array) {
        text += &format!(
            "int2 d = get_image_dim(im); out[{}] = d.x; out[{}] = d.y;\n",
            want.len(),
            want.len() + 1
        );
        want.extend([size[0], size[1]]);
    }
    if matches!(kind, ImageKind::D1Array | ImageKind::D2Array) {
        text += &format!("out[{}] = (int)get_image_array_size(im);\n", want.len());
        want.push(if kind == ImageKind::D1Array { size[1] } else { size[2] });
    }
    let n = want.len();
    text += &format!(
        "out[{n}] = get_image_channel_order(im); out[{}] = get_image_channel_data_type(im); }}\n",
        n + 1
    );
    let program = session.build(&text, "-cl-std=CL3.0")?;
    let kernel = program.kernel("ask")?;
    let out = session.buffer(4 * (n + 2))?;
    let mut findings = Findings::default();
    for offer in offers(session, kind)?.iter().filter(|o| o.can_read() && !o.format.is_depth()) {
        let ask = || -> Result<(), String> {
            let image =
                session.image(offer.create(), offer.format.cl, kind, size, offer.format.bytes, None)?;
            kernel.set(&[Arg::Image(&image), Arg::Buffer(&out)])?;
            kernel.launch(&[1], None)?;
            let mut got = vec![0u32; n + 2];
            session.read(&out, &mut got)?;
            let mut want: Vec<u32> = want.iter().map(|w| *w as u32).collect();
            want.extend([offer.format.cl.image_channel_order, offer.format.cl.image_channel_data_type]);
            if got == want { Ok(()) } else { Err(format!("{got:?} instead of {want:?}")) }
        };
        findings.note(|| offer.format.name(), ask());
    }
    findings.end()
}

/// Kernels with the maximum number of images: each is read, or written.
pub fn many_arguments(session: &Session<'_>) -> Result<(), String> {
    let format = image_format(CL_RGBA, CL_UNSIGNED_INT32);
    let list = |n: usize, text: &dyn Fn(usize) -> String| (0..n).map(text).collect::<Vec<_>>().join(" ");
    let mut reads = session.device_number::<cl_uint>(CL_DEVICE_MAX_READ_IMAGE_ARGS)?.min(256) as usize;
    // Without addresses the buffer needs a descriptor, and so do arguments beyond the push constants; a
    // device may have no more descriptors than images.
    if !session.extensions().contains("cl_ext_buffer_device_address") {
        reads -= 2;
    }
    let writes = session.device_number::<cl_uint>(CL_DEVICE_MAX_WRITE_IMAGE_ARGS)?.min(128) as usize;
    let source = format!(
        "kernel void reads({} global uint4 *out) {{ {} }}\nkernel void writes({} uint base) {{ {} }}\n",
        list(reads, &|i| format!("read_only image2d_t a{i},")),
        list(reads, &|i| format!("out[{i}] = read_imageui(a{i}, (int2)(0, 0));")),
        list(writes, &|i| format!("write_only image2d_t a{i},")),
        list(writes, &|i| format!("write_imageui(a{i}, (int2)(0, 0), (uint4)(base + {i}, {i}, 2, 3));")),
    );
    let program = session.build(&source, "-cl-std=CL3.0")?;
    let make = |n: usize, flags| -> Result<Vec<Image<'_>>, String> {
        (0..n)
            .map(|i| {
                let bytes: Vec<u8> = [i as u32, 7, 8, 9].iter().flat_map(|c| c.to_le_bytes()).collect();
                let data = HostData { bytes: &bytes, row_pitch: 0, slice_pitch: 0 };
                session.image(flags, format, ImageKind::D2, [1, 1, 1], 16, Some(data))
            })
            .collect()
    };
    let (inputs, outputs) = (make(reads, CL_MEM_READ_ONLY)?, make(writes, CL_MEM_WRITE_ONLY)?);
    let out = session.buffer(16 * reads)?;
    let kernel = program.kernel("reads")?;
    kernel.set(&inputs.iter().map(Arg::Image).chain([Arg::Buffer(&out)]).collect::<Vec<_>>())?;
    kernel.launch(&[1], None)?;
    let kernel = program.kernel("writes")?;
    kernel.set(&outputs.iter().map(Arg::Image).chain([Arg::U32(1000)]).collect::<Vec<_>>())?;
    kernel.launch(&[1], None)?;
    let mut got = vec![[0u32; 4]; reads];
    session.read(&out, &mut got)?;
    if let Some(i) = (0..reads).find(|&i| got[i] != [i as u32, 7, 8, 9]) {
        return Err(format!("image {i} of {reads} reads as {:?}", got[i]));
    }
    for (i, image) in outputs.iter().enumerate() {
        let mut bytes = [0u8; 16];
        session.read_image(image, [0; 3], [1, 1, 1], [0, 0], &mut bytes)?;
        if u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) != 1000 + i as u32 {
            return Err(format!("image {i} of {writes} was written as {bytes:?}"));
        }
    }
    Ok(())
}
