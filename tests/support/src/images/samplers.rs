//! Reads through samplers in every mode, passed as an argument, at program scope and as a literal, with
//! floating-point and integer coordinates.

use super::format::{Class, Format, Random};
use super::sampling::{Mode, Sample, Texels};
use super::{Findings, ImageMemory, image_in, offers_in, small_size};
use crate::cl::{Arg, Image, ImageKind, Program, Sampler, Session, image_format};
use pyroclast_runtime::cl::*;

/// Reads per image and mode.
const POINTS: usize = 128;

/// Tolerance of a filtered number, relative to the largest element involved. Precision of Addressing and
/// Filter Modes leaves it open; this is the accuracy of single precision.
const LINEAR: f64 = 1.0 / 16384.0;
/// Tolerance for each filtered coordinate by texture units, whose weights have eight bits.
const TEXTURE_UNIT: f64 = 1.0 / 128.0;

/// Whether texture units may filter where a sampler is constant: on graphics processors, and where the tests
/// request it.
pub(super) fn may_have_texture_units(session: &Session<'_>) -> Result<bool, String> {
    let requested = std::env::var("PYROCLAST_FEATURES").is_ok_and(|list| list.contains("slow_filters"));
    Ok(requested || session.device_number::<cl_device_type>(CL_DEVICE_TYPE)? & CL_DEVICE_TYPE_CPU == 0)
}

/// Formats that are read in every way: with and without alpha, normalised, integer, sRGB, replicated. Unless
/// all variations run, others are only read at floating-point coordinates through sampler arguments.
const USUAL: &[(cl_channel_order, cl_channel_type)] = &[
    (CL_RGBA, CL_FLOAT),
    (CL_RGBA, CL_UNORM_INT8),
    (CL_BGRA, CL_UNORM_INT8),
    (CL_R, CL_UNORM_INT8),
    (CL_A, CL_UNORM_INT8),
    (CL_RG, CL_HALF_FLOAT),
    (CL_RGBA, CL_SNORM_INT16),
    (CL_LUMINANCE, CL_UNORM_INT16),
    (CL_INTENSITY, CL_FLOAT),
    (CL_RGB, CL_UNORM_SHORT_565),
    (CL_sRGBA, CL_UNORM_INT8),
    (CL_DEPTH, CL_FLOAT),
    (CL_R, CL_SIGNED_INT8),
    (CL_RGBA, CL_SIGNED_INT16),
    (CL_RGBA, CL_UNSIGNED_INT32),
];

struct Words {
    image: &'static str,
    /// Coordinates made from a `float4 p` or an `int4 p`.
    float: &'static str,
    int: &'static str,
    axes: usize,
    is_array: bool,
}

fn words(kind: ImageKind, depth: bool) -> Words {
    let (image, float, int, axes, is_array) = match (kind, depth) {
        (ImageKind::D1Array, _) => ("image1d_array_t", "p.xy", "p.xy", 1, true),
        (ImageKind::D2, false) => ("image2d_t", "p.xy", "p.xy", 2, false),
        (ImageKind::D2, true) => ("image2d_depth_t", "p.xy", "p.xy", 2, false),
        (ImageKind::D2Array, false) => ("image2d_array_t", "p", "p", 2, true),
        (ImageKind::D2Array, true) => ("image2d_array_depth_t", "p", "p", 2, true),
        (ImageKind::D3, _) => ("image3d_t", "p", "p", 3, false),
        _ => ("image1d_t", "p.x", "p.x", 1, false),
    };
    Words { image, float, int, axes, is_array }
}

/// Kernels for sampler arguments, and for each mode with a literal: half of these at program scope.
fn source(kind: ImageKind, depth: bool, classes: &[&str]) -> String {
    let words = words(kind, depth);
    let image = words.image;
    let mut text = String::new();
    let mut kernel = |name: String, class: &str, sampler: &str, integers: bool, parameter: &str| {
        let bits = if depth { "(uint4)(as_uint(t))" } else { "as_uint4(t)" };
        let ty = match (class, depth) {
            ("f", true) => "float",
            ("f", false) => "float4",
            ("i", _) => "int4",
            _ => "uint4",
        };
        let (point, at) = if integers { ("int4", words.int) } else { ("float4", words.float) };
        text += &format!(
            "kernel void {name}(read_only {image} im, {parameter}global const {point} *at, global uint4 *out)\n\
             {{ uint i = get_global_id(0); {point} p = at[i]; {ty} t = read_image{class}(im, {sampler}, {at}); out[i] = {bits}; }}\n"
        );
    };
    for class in classes {
        kernel(format!("given_{class}"), class, "s", false, "sampler_t s, ");
        kernel(format!("given_{class}_int"), class, "s", true, "sampler_t s, ");
    }
    let mut globals = String::new();
    for (i, mode) in Mode::all().into_iter().enumerate() {
        let name = mode.name();
        globals += &format!("constant sampler_t {name}_s = {};\n", mode.literal());
        for class in classes.iter().filter(|c| !mode.linear || **c == "f") {
            let sampler = if i % 2 == 0 { mode.literal() } else { format!("{name}_s") };
            kernel(format!("{name}_{class}"), class, &sampler, false, "");
            if mode.takes_integers() {
                kernel(format!("{name}_{class}_int"), class, &sampler, true, "");
            }
        }
    }
    globals + &text
}

/// Coordinates along an axis of `n` elements, in elements: inside and outside. If the precision is open,
/// nearest reads avoid the borders between elements.
fn coordinate(mode: Mode, n: usize, random: &mut Random) -> f32 {
    let size = n as f64;
    let element = match random.below(8) {
        0 => -1.0 - (random.unit() * 2.0 * size).floor(),
        1 => size + (random.unit() * 2.0 * size).floor(),
        2 => [-1.0, 0.0, size - 1.0, size][random.below(4)],
        _ => random.below(n) as f64,
    };
    let u = match (mode.is_exact(), mode.linear) {
        (true, _) => {
            // Borders, and the numbers just below, which devices may take for zero if they are denormal.
            let border = element as f32;
            return match random.below(4) {
                0 => border,
                1 if border == 0.0 => -f32::MIN_POSITIVE,
                1 => border.next_down(),
                2 => border + 0.5,
                _ => (element + random.unit() * 0.999) as f32,
            };
        }
        (_, false) => element + 0.1 + 0.8 * random.unit(),
        (_, true) => element + [0.0, 0.5, random.unit()][random.below(3)],
    };
    let u = match mode.addressing {
        // Outside is undefined, for either element of a linear read.
        CL_ADDRESS_NONE if mode.linear => u.rem_euclid(size).clamp(0.5001, (size - 0.5001).max(0.5001)),
        CL_ADDRESS_NONE => u.rem_euclid(size),
        _ => u,
    };
    (if mode.normalized { u / size } else { u }) as f32
}

fn points(mode: Mode, words: &Words, size: [usize; 3], integers: bool) -> Vec<[f32; 4]> {
    let mut random =
        Random::new(u64::from(mode.addressing) * 8 + u64::from(mode.linear) * 2 + u64::from(mode.normalized));
    let mut points = Vec::new();
    for _ in 0..POINTS {
        let mut p = [0f32; 4];
        for k in 0..words.axes {
            p[k] = coordinate(mode, size[k], &mut random);
        }
        if words.is_array {
            let layers = size[words.axes] as f64;
            // Halves distinguish rounding to even from other modes.
            let options = [
                -2.0,
                0.0,
                0.4,
                0.5,
                1.0,
                1.5,
                1.6,
                layers - 1.0,
                layers - 0.5,
                layers + 3.0,
                0.5f64.next_up(),
            ];
            p[words.axes] = options[random.below(options.len())] as f32;
        }
        if integers {
            p = p.map(f32::floor);
        }
        if mode.addressing == CL_ADDRESS_NONE {
            for (k, x) in p.iter_mut().enumerate().take(words.axes) {
                if !mode.linear && !mode.normalized {
                    *x = x.rem_euclid(size[k] as f32).min((size[k] as f32).next_down());
                    *x = if integers { x.floor() } else { *x };
                }
            }
        }
        points.push(p);
    }
    points
}

struct Bench<'a> {
    session: &'a Session<'a>,
    format: &'a Format,
    words: Words,
    image: Image<'a>,
    size: [usize; 3],
    bytes: Vec<u8>,
    /// Whether texture units may filter where a sampler is constant.
    has_units: bool,
}

impl Bench<'_> {
    fn class(&self) -> &'static str {
        match self.format.class() {
            Class::Float => "f",
            Class::Signed => "i",
            Class::Unsigned => "ui",
        }
    }

    /// A kernel with a mode, and the sampler argument if there is one.
    fn run(
        &self,
        program: &Program<'_>,
        mode: Mode,
        sampler: Option<&Sampler<'_>>,
        integers: bool,
    ) -> Result<(), String> {
        let points = points(mode, &self.words, self.size, integers);
        let name = if sampler.is_some() { "given".into() } else { mode.name() };
        let kernel =
            program.kernel(&format!("{name}_{}{}", self.class(), if integers { "_int" } else { "" }))?;
        let (at, out) = (self.session.buffer(16 * POINTS)?, self.session.buffer(16 * POINTS)?);
        if integers {
            let whole: Vec<[i32; 4]> = points.iter().map(|p| p.map(|x| x as i32)).collect();
            self.session.write(&at, &whole)?;
        } else {
            self.session.write(&at, &points)?;
        }
        let mut args = vec![Arg::Image(&self.image)];
        args.extend(sampler.map(Arg::Sampler));
        args.extend([Arg::Buffer(&at), Arg::Buffer(&out)]);
        kernel.set(&args)?;
        kernel.launch(&[POINTS], None)?;
        let mut got = vec![[0u32; 4]; POINTS];
        self.session.read(&out, &mut got)?;
        self.check_all(mode, self.has_units && sampler.is_none(), &points, &got)
    }

    fn check_all(
        &self,
        mode: Mode,
        coarse: bool,
        points: &[[f32; 4]],
        got: &[[u32; 4]],
    ) -> Result<(), String> {
        let texels = Texels {
            format: self.format,
            size: self.size,
            axes: self.words.axes,
            is_array: self.words.is_array,
            bytes: &self.bytes,
        };
        for (p, got) in points.iter().zip(got) {
            let sample = texels.sample(mode, [p[0], p[1], p[2]]);
            self.check(mode, coarse, &sample, *got).map_err(|e| format!("at {:?}: {e}", &p[..3]))?;
        }
        Ok(())
    }

    fn check(&self, mode: Mode, coarse: bool, sample: &Sample, got: [u32; 4]) -> Result<(), String> {
        if sample.undefined {
            return Ok(());
        }
        if !mode.linear
            && let Some(element) = sample.element
        {
            return self.format.check_read(element, got);
        }
        let numbers = got.map(|g| match self.format.class() {
            Class::Float => f64::from(f32::from_bits(g)),
            _ => f64::from(g as i32),
        });
        // The sRGB curve is accurate to half a code.
        let curve = if matches!(self.format.cl.image_channel_order, CL_sRGB | CL_sRGBA | CL_sBGRA | CL_sRGBx)
        {
            0.005
        } else {
            0.0
        };
        let filtered = match coarse {
            // Texels of eight bits may be filtered in as many.
            true => TEXTURE_UNIT * self.words.axes as f64 * sample.magnitude.max(0.5),
            false => LINEAR * sample.magnitude,
        };
        let allowed = if mode.linear { filtered + curve } else { 0.0 };
        let good = (0..self.format.components()).all(|i| (numbers[i] - sample.value[i]).abs() <= allowed);
        if good { Ok(()) } else { Err(format!("{numbers:?} instead of {:?}", sample.value)) }
    }
}

/// Every mode of a sampler with the formats of a type of image in a kind of memory.
pub fn sampling(
    session: &Session<'_>,
    kind: ImageKind,
    everything: bool,
    memory: ImageMemory,
) -> Result<(), String> {
    let (offers, has_units) = (offers_in(session, kind, memory)?, may_have_texture_units(session)?);
    let chosen: Vec<&Format> = offers.iter().filter(|o| o.can_read()).map(|o| &o.format).collect();
    let program = session.build(&source(kind, false, &["f", "i", "ui"]), "-cl-std=CL3.0")?;
    let depth = match chosen.iter().any(|f| f.is_depth()) {
        true => Some(session.build(&source(kind, true, &["f"]), "-cl-std=CL3.0")?),
        false => None,
    };
    let mut findings = Findings::default();
    for (seed, format) in chosen.into_iter().enumerate() {
        let size = small_size(kind);
        let bytes = format.elements(&mut Random::new(seed as u64), size.iter().product(), false);
        let image = image_in(session, memory, CL_MEM_READ_ONLY, format, kind, size, &bytes)?;
        let words = words(kind, format.is_depth());
        let bench = Bench { session, format, words, image, size, bytes, has_units };
        let program = match (&depth, format.is_depth()) {
            (Some(depth), true) => depth,
            _ => &program,
        };
        for mode in Mode::all().into_iter().filter(|m| !m.linear || format.class() == Class::Float) {
            let filter = if mode.linear { CL_FILTER_LINEAR } else { CL_FILTER_NEAREST };
            let sampler = session.sampler(mode.normalized, mode.addressing, filter)?;
            let in_every_way = everything
                || USUAL.contains(&(format.cl.image_channel_order, format.cl.image_channel_data_type));
            for integers in [false, true].into_iter().filter(|i| !i || in_every_way && mode.takes_integers())
            {
                for given in
                    [None, Some(&sampler)].into_iter().filter(|given| in_every_way || given.is_some())
                {
                    let how = if given.is_some() { "given" } else { "literal" };
                    let coordinates = if integers { ", integers" } else { "" };
                    let result = bench.run(program, mode, given, integers);
                    findings
                        .note(|| format!("{}, {} {how}{coordinates}", format.name(), mode.name()), result);
                }
            }
        }
    }
    findings.end()
}

/// Kernels that read in all of the modes: at points of each work-item, and at points of a single work-item.
fn source_together(kind: ImageKind, class: &str, modes: &[Mode]) -> String {
    let words = words(kind, false);
    let (image, at) = (words.image, words.float);
    // Samplers of half the modes are parameters of a function.
    let read = |(i, mode): (usize, &Mode)| {
        let (function, literal) = (["read_image", "sampled_"][i % 2], mode.literal());
        format!("p = at[{i} * n + i]; out[{i} * n + i] = as_uint4({function}{class}(im, {literal}, {at}));\n")
    };
    let reads: String = modes.iter().enumerate().map(read).collect();
    let parameters = format!("read_only {image} im, global const float4 *at, global uint4 *out");
    let (texel, point) =
        (if class == "f" { "float4" } else { "int4" }, if words.axes == 2 { "float2" } else { "float4" });
    format!(
        "{texel} sampled_{class}(read_only {image} im, sampler_t s, {point} p) {{ return read_image{class}(im, s, p); }}\n\
         kernel void own({parameters}) {{ uint i = get_global_id(0), n = get_global_size(0); float4 p; {reads} }}\n\
         kernel void common({parameters}, uint n) {{ float4 p; for (uint i = 0; i < n; i++) {{ {reads} }} }}\n"
    )
}

/// Many reads in one kernel.
pub fn together(session: &Session<'_>, kind: ImageKind) -> Result<(), String> {
    let mut findings = Findings::default();
    for (order, ty) in [(CL_RGBA, CL_UNORM_INT8), (CL_RGBA, CL_SIGNED_INT16)] {
        let format = Format::new(image_format(order, ty)).ok_or("no reference")?;
        findings.note(|| format.name(), all_modes(session, kind, &format));
    }
    findings.end()
}

fn all_modes(session: &Session<'_>, kind: ImageKind, format: &Format) -> Result<(), String> {
    let size = small_size(kind);
    let bytes = format.elements(&mut Random::new(11), size.iter().product(), false);
    let image = image_in(session, ImageMemory::Own, CL_MEM_READ_ONLY, format, kind, size, &bytes)?;
    let has_units = may_have_texture_units(session)?;
    let bench = Bench { session, format, words: words(kind, false), image, size, bytes, has_units };
    let modes: Vec<Mode> =
        Mode::all().into_iter().filter(|m| !m.linear || format.class() == Class::Float).collect();
    let program = session.build(&source_together(kind, bench.class(), &modes), "-cl-std=CL3.0")?;
    let points: Vec<Vec<[f32; 4]>> = modes.iter().map(|m| points(*m, &bench.words, size, false)).collect();
    let all = points.concat();
    let (at, out) = (session.buffer(16 * all.len())?, session.buffer(16 * all.len())?);
    session.write(&at, &all)?;
    for name in ["own", "common"] {
        let kernel = program.kernel(name)?;
        let mut args = vec![Arg::Image(&bench.image), Arg::Buffer(&at), Arg::Buffer(&out)];
        args.extend((name == "common").then_some(Arg::U32(POINTS as u32)));
        kernel.set(&args)?;
        kernel.launch(&[if name == "own" { POINTS } else { 1 }], None)?;
        let mut got = vec![[0u32; 4]; all.len()];
        session.read(&out, &mut got)?;
        for ((mode, points), got) in modes.iter().zip(&points).zip(got.chunks(POINTS)) {
            bench
                .check_all(*mode, has_units, points, got)
                .map_err(|e| format!("{name} {}: {e}", mode.name()))?;
        }
        session.write(&out, &vec![[7u32; 4]; all.len()])?;
    }
    Ok(())
}
