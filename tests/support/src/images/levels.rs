//! Images with mip levels (cl_khr_mipmap_image): commands on each level, reads at explicit levels and by
//! gradients, limits of samplers.

use super::format::{Class, Format, Random};
use super::sampling::{Mode, Texels};
use super::{Findings, il, offers};
use crate::cl::{Arg, Image, ImageKind, Program, Session};
use pyroclast_runtime::cl::*;

const LEVELS: usize = 4;
const FORMATS: &[(cl_channel_order, cl_channel_type)] = &[
    (CL_RGBA, CL_UNORM_INT8),
    (CL_RGBA, CL_FLOAT),
    (CL_R, CL_HALF_FLOAT),
    (CL_BGRA, CL_UNORM_INT8),
    (CL_RGBA, CL_SIGNED_INT8),
    (CL_RGBA, CL_UNSIGNED_INT32),
];
/// Levels of detail between levels, below the first and above the last; not half-way, where either neighbour
/// is allowed.
const LODS: [f32; 9] = [-3.0, 0.0, 0.3, 0.7, 1.0, 1.75, 2.25, 3.0, 9.0];
/// Number of reads at each of them.
const POINTS: usize = 12;

/// Number of dimensions and, for arrays, the index of the layer count.
fn axes(kind: ImageKind) -> (usize, bool) {
    match kind {
        ImageKind::D1 | ImageKind::Buffer => (1, false),
        ImageKind::D1Array => (1, true),
        ImageKind::D2 => (2, false),
        ImageKind::D2Array => (2, true),
        ImageKind::D3 => (3, false),
    }
}

fn size(kind: ImageKind, level: usize) -> [usize; 3] {
    let (axes, is_array) = axes(kind);
    let mut size = [13, 7, 5];
    size.iter_mut().take(axes).for_each(|n| *n = (*n >> level).max(1));
    size.iter_mut().skip(axes + usize::from(is_array)).for_each(|n| *n = 1);
    size
}

/// An origin with its level.
fn origin(kind: ImageKind, mut at: [usize; 3], level: usize) -> [usize; 4] {
    let (axes, is_array) = axes(kind);
    at.iter_mut().skip(axes + usize::from(is_array)).for_each(|n| *n = 0);
    let mut origin = [at[0], at[1], at[2], usize::MAX];
    origin[axes + usize::from(is_array)] = level;
    origin
}

struct Levels<'a> {
    image: Image<'a>,
    format: Format,
    contents: Vec<Vec<u8>>,
}

/// An image with random contents.
fn make<'a>(
    session: &'a Session<'_>,
    flags: cl_mem_flags,
    kind: ImageKind,
    format: &Format,
    seed: u64,
) -> Result<Levels<'a>, String> {
    let image = session.image_with_levels(flags, format.cl, kind, size(kind, 0), LEVELS as u32)?;
    let mut random = Random::new(seed);
    let contents =
        (0..LEVELS).map(|l| format.elements(&mut random, size(kind, l).iter().product(), false)).collect();
    let levels = Levels { image, format: Format::new(format.cl).ok_or("no reference")?, contents };
    for (level, bytes) in levels.contents.iter().enumerate() {
        session.write_image(&levels.image, origin(kind, [0; 3], level), size(kind, level), [0, 0], bytes)?;
    }
    Ok(levels)
}

fn formats(session: &Session<'_>, kind: ImageKind) -> Result<Vec<Format>, String> {
    if !session.extensions().contains("cl_khr_mipmap_image") {
        return Ok(Vec::new());
    }
    let offered = offers(session, kind)?;
    let is = |f: &&(u32, u32)| {
        let same = |o: cl_image_format| (o.image_channel_order, o.image_channel_data_type) == **f;
        offered.iter().any(|o| same(o.format.cl) && o.can_read())
    };
    let found =
        FORMATS.iter().filter(is).filter_map(|&(order, ty)| Format::new(crate::cl::image_format(order, ty)));
    Ok(found.collect())
}

fn check(session: &Session<'_>, levels: &Levels<'_>, what: &str) -> Result<(), String> {
    let kind = levels.image.kind;
    for (level, bytes) in levels.contents.iter().enumerate() {
        let mut got = vec![0u8; bytes.len()];
        session.read_image(
            &levels.image,
            origin(kind, [0; 3], level),
            size(kind, level),
            [0, 0],
            &mut got,
        )?;
        if got != *bytes {
            return Err(format!("level {level} has other contents {what}"));
        }
    }
    Ok(())
}

/// Reads, writes, copies, fills and maps of single levels.
pub fn commands(session: &Session<'_>, kind: ImageKind) -> Result<(), String> {
    let mut findings = Findings::default();
    for format in formats(session, kind)? {
        let test = || -> Result<(), String> {
            let (mut a, mut b) = (
                make(session, CL_MEM_READ_ONLY, kind, &format, 5)?,
                make(session, CL_MEM_READ_ONLY, kind, &format, 6)?,
            );
            check(session, &a, "than were written")?;
            let element = format.bytes;
            // The smallest level is copied to the corner of a larger one of the other image.
            let small = size(kind, LEVELS - 1);
            let (from, to) = (origin(kind, [0; 3], LEVELS - 1), origin(kind, [0; 3], 1));
            session.copy_image(&a.image, &b.image, from, to, small)?;
            let [row, rows, _] = size(kind, 1);
            for (i, texel) in a.contents[LEVELS - 1].chunks(element).enumerate() {
                let [x, y, z] = [i % small[0], i / small[0] % small[1], i / small[0] / small[1]];
                b.contents[1][((z * rows + y) * row + x) * element..][..element].copy_from_slice(texel);
            }
            check(session, &b, "after a copy")?;
            // Through a buffer.
            let bytes = a.contents[2].len();
            let buffer = session.buffer(bytes + 16)?;
            session.image_to_buffer(&a.image, &buffer, origin(kind, [0; 3], 2), size(kind, 2), 16)?;
            session.buffer_to_image(&buffer, &b.image, 16, origin(kind, [0; 3], 2), size(kind, 2))?;
            b.contents[2] = a.contents[2].clone();
            check(session, &b, "after copies by a buffer")?;
            // A texel of each level through a mapping.
            for level in 0..LEVELS {
                let texel = a.contents[0][..element].to_vec();
                let at = origin(kind, [0; 3], level);
                let flags = CL_MAP_READ | CL_MAP_WRITE;
                session.map_image(&a.image, flags, at, [1, 1, 1], element, |_, _, row| {
                    row.copy_from_slice(&texel)
                })?;
                a.contents[level][..element].copy_from_slice(&texel);
            }
            check(session, &a, "after mappings")?;
            if format.class() != Class::Float {
                session.fill_image(&a.image, [1, 2, 3, 4], origin(kind, [0; 3], 1), size(kind, 1))?;
                let texel = format.load(&a.contents[1], 0);
                let mut got = vec![0u8; a.contents[1].len()];
                session.read_image(&a.image, origin(kind, [0; 3], 1), size(kind, 1), [0, 0], &mut got)?;
                for i in 0..got.len() / element {
                    format
                        .check_write([1, 2, 3, 4], format.load(&got, i))
                        .map_err(|e| format!("{texel:x} filled: {e}"))?;
                }
                a.contents[1] = got;
                check(session, &a, "after a fill")?;
            }
            let wrong =
                session.read_image(&a.image, origin(kind, [0; 3], LEVELS), [1, 1, 1], [0, 0], &mut [0; 16]);
            match wrong {
                Err(e) if e.contains(&CL_INVALID_MIP_LEVEL.to_string()) => Ok(()),
                other => Err(format!("a level that there is not: {other:?}")),
            }
        };
        findings.note(|| format.name(), test());
    }
    findings.end()
}

/// A single texel, or one in each layer, has a second level of the same size, and two texels have a third
/// level. Commands and kernels distinguish the levels.
pub fn single_texels(session: &Session<'_>, kind: ImageKind) -> Result<(), String> {
    let one = size(kind, 10);
    more_levels(session, kind, &[one, one])?;
    more_levels(session, kind, &[[2, one[1], one[2]], one, one])
}

/// An image with levels of these sizes, the last of which are equal.
fn more_levels(session: &Session<'_>, kind: ImageKind, sizes: &[[usize; 3]]) -> Result<(), String> {
    let Some(format) = formats(session, kind)?.into_iter().find(|f| f.class() == Class::Float) else {
        return Ok(());
    };
    let count = sizes.len();
    let image = session.image_with_levels(CL_MEM_READ_ONLY, format.cl, kind, sizes[0], count as u32)?;
    let texels = |size: &[usize; 3]| size.iter().product::<usize>();
    let elements = |(seed, size)| format.elements(&mut Random::new(seed), texels(size), false);
    let contents: Vec<Vec<u8>> = (7..).zip(sizes).map(elements).collect();
    for (level, (bytes, size)) in contents.iter().zip(sizes).enumerate() {
        session.write_image(&image, origin(kind, [0; 3], level), *size, [0, 0], bytes)?;
    }
    let (at, lods, out) = (session.buffer(16 * 3)?, session.buffer(4 * 3)?, session.buffer(16 * 3)?);
    session.write(&at, &[[0f32; 4]; 3])?;
    session.write(&lods, &[0f32, 1.0, 2.0])?;
    let sampler = session.sampler(true, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST)?;
    let program = session.build(&source(kind, "f"), "-cl-std=CL3.0")?;
    let kernel = program.kernel("lods")?;
    kernel.set(&[
        Arg::Image(&image),
        Arg::Sampler(&sampler),
        Arg::Buffer(&at),
        Arg::Buffer(&lods),
        Arg::Buffer(&out),
    ])?;
    kernel.launch(&[count], None)?;
    let mut seen = [[0u32; 4]; 3];
    session.read(&out, &mut seen)?;
    for (level, (bytes, seen)) in contents.iter().zip(seen).enumerate() {
        format
            .check_read(format.load(bytes, 0), seen)
            .map_err(|e| format!("level {level} in a kernel: {e}"))?;
        let mut got = vec![0u8; bytes.len()];
        session.read_image(&image, origin(kind, [0; 3], level), sizes[level], [0, 0], &mut got)?;
        if got != *bytes {
            return Err(format!("level {level} of {count} has other contents than were written"));
        }
    }
    Ok(())
}

fn source(kind: ImageKind, class: &str) -> String {
    let (image, at, gradient) = match kind {
        ImageKind::D1Array => ("image1d_array_t", "p[i].xy", "g"),
        ImageKind::D2 => ("image2d_t", "p[i].xy", "(float2)(0, g)"),
        ImageKind::D2Array => ("image2d_array_t", "p[i]", "(float2)(g, 0)"),
        ImageKind::D3 => ("image3d_t", "p[i]", "(float4)(0, 0, g, 0)"),
        _ => ("image1d_t", "p[i].x", "g"),
    };
    format!(
        "#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable\n\
         kernel void lods(read_only {image} im, sampler_t s, global const float4 *p, global const float *lod, global uint4 *out)\n\
         {{ uint i = get_global_id(0); out[i] = as_uint4(read_image{class}(im, s, {at}, lod[i])); }}\n\
         kernel void gradients(read_only {image} im, sampler_t s, global const float4 *p, global const float *lod, global uint4 *out)\n\
         {{ uint i = get_global_id(0); float g = lod[i]; out[i] = as_uint4(read_image{class}(im, s, {at}, {gradient}, {gradient} * 0.5f)); }}\n\
         kernel void first(read_only {image} im, sampler_t s, global const float4 *p, global const float *lod, global uint4 *out)\n\
         {{ uint i = get_global_id(0); out[i] = as_uint4(read_image{class}(im, s, {at})); }}\n\
         kernel void count(read_only {image} im, global int *out) {{ out[0] = get_image_num_mip_levels(im); out[1] = get_image_width(im); }}\n"
    )
}

/// A kernel that writes to a level, for devices that support it.
fn write_source(kind: ImageKind, class: &str) -> String {
    let (image, at) = match kind {
        ImageKind::D1Array => ("image1d_array_t", "(int2)(x, y)"),
        ImageKind::D2 => ("image2d_t", "(int2)(x, y)"),
        ImageKind::D2Array => ("image2d_array_t", "(int4)(x, y, z, 0)"),
        ImageKind::D3 => ("image3d_t", "(int4)(x, y, z, 0)"),
        _ => ("image1d_t", "x"),
    };
    let ty = match class {
        "f" => "float4",
        "i" => "int4",
        _ => "uint4",
    };
    format!(
        "#pragma OPENCL EXTENSION cl_khr_mipmap_image_writes : enable\n\
         kernel void writes(write_only {image} im, global const uint4 *texels, int level)\n\
         {{ int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n\
            uint4 t = texels[(z * get_global_size(1) + y) * get_global_size(0) + x];\n\
            write_image{class}(im, {at}, level, as_{ty}(t)); }}\n\
         kernel void named(write_only {image} im, global const uint4 *texels, int unused)\n\
         {{ int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n\
            uint4 t = texels[(z * get_global_size(1) + y) * get_global_size(0) + x];\n\
            write_image{class}(im, {at}, 1, as_{ty}(t)); }}\n"
    )
}

/// Writes in kernels, if the device has cl_khr_mipmap_image_writes.
pub fn writes(session: &Session<'_>, kind: ImageKind) -> Result<(), String> {
    if !session.extensions().contains("cl_khr_mipmap_image_writes") {
        return Ok(());
    }
    let mut findings = Findings::default();
    for format in formats(session, kind)? {
        findings.note(|| format.name(), written(session, kind, &format));
    }
    findings.end()
}

fn written(session: &Session<'_>, kind: ImageKind, format: &Format) -> Result<(), String> {
    let program = session.build(&write_source(kind, letter(format)), "-cl-std=CL3.0")?;
    let mut levels = make(session, CL_MEM_WRITE_ONLY, kind, format, 21)?;
    let mut random = Random::new(22);
    // The first kernel takes the level as an argument, the other as a constant.
    for (name, level) in [("writes", 2), ("writes", 0), ("named", 1), ("writes", LEVELS - 1)] {
        let kernel = program.kernel(name)?;
        let size = size(kind, level);
        let mut texel = || {
            [(); 4].map(|()| match format.class() {
                Class::Float => (random.unit() as f32).to_bits(),
                _ => random.below(100) as u32,
            })
        };
        let texels: Vec<[u32; 4]> = (0..size.iter().product()).map(|_| texel()).collect();
        let buffer = session.buffer(16 * texels.len())?;
        session.write(&buffer, &texels)?;
        kernel.set(&[Arg::Image(&levels.image), Arg::Buffer(&buffer), Arg::U32(level as u32)])?;
        kernel.launch(&size, None)?;
        let mut got = vec![0u8; levels.contents[level].len()];
        session.read_image(&levels.image, origin(kind, [0; 3], level), size, [0, 0], &mut got)?;
        for (i, texel) in texels.iter().enumerate() {
            format.check_write(*texel, format.load(&got, i)).map_err(|e| format!("level {level}: {e}"))?;
        }
        levels.contents[level] = got;
        // No other level has changed.
        check(session, &levels, "after writes of a kernel")?;
    }
    Ok(())
}

/// Levels of images that a kernel reads and writes, if the device supports such images and writes to levels.
/// Only SPIR-V can express it.
pub fn read_and_written(session: &Session<'_>) -> Result<(), String> {
    let kind = ImageKind::D2;
    let both: cl_uint = session.device_number(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS)?;
    let extensions = session.extensions();
    if both == 0
        || !["cl_khr_mipmap_image_writes", "cl_khr_il_program"].iter().all(|e| extensions.contains(e))
    {
        return Ok(());
    }
    let program = session.build_il(&il::levels().map_err(|e| e.to_string())?)?;
    let (kernel, facts) = (program.kernel("levels")?, session.buffer(16)?);
    let offered = offers(session, kind)?;
    let mut findings = Findings::default();
    for format in formats(session, kind)?.into_iter().filter(|f| f.class() == Class::Float) {
        if !offered.iter().any(|o| super::same(o.format.cl, format.cl) && o.has(CL_MEM_KERNEL_READ_AND_WRITE))
        {
            continue;
        }
        let test = || -> Result<(), String> {
            let mut levels = make(session, CL_MEM_READ_WRITE, kind, &format, 32)?;
            for level in [1, 0, 2] {
                kernel.set(&[Arg::Image(&levels.image), Arg::U32(level as u32), Arg::Buffer(&facts)])?;
                kernel.launch(&size(kind, level + 1)[..2], None)?;
                levels.contents[level + 1] = smaller(&levels, kind, level);
                check(session, &levels, &format!("after writes to the one behind {level}"))?;
                let mut got = [0u32; 3];
                session.read(&facts, &mut got)?;
                let [w, h, _] = size(kind, level);
                if got != [w as u32, h as u32, LEVELS as u32] {
                    return Err(format!("size of level {level} and levels: {got:?}"));
                }
            }
            Ok(())
        };
        findings.note(|| format.name(), test());
    }
    findings.end()
}

/// The next level of a two-dimensional image, made from the corners of its blocks.
fn smaller(levels: &Levels<'_>, kind: ImageKind, from: usize) -> Vec<u8> {
    let ([w, h, _], [small_w, small_h, _]) = (size(kind, from), size(kind, from + 1));
    let element = levels.format.bytes;
    let texels =
        (0..small_w * small_h).map(|i| (2 * (i / small_w)).min(h - 1) * w + (2 * (i % small_w)).min(w - 1));
    texels.flat_map(|at| levels.contents[from][at * element..][..element].iter().copied()).collect()
}

fn letter(format: &Format) -> &'static str {
    match format.class() {
        Class::Float => "f",
        Class::Signed => "i",
        Class::Unsigned => "ui",
    }
}

/// Axis of the kernel's gradients.
fn gradient_axis(kind: ImageKind) -> usize {
    match kind {
        ImageKind::D2 => 1,
        ImageKind::D3 => 2,
        _ => 0,
    }
}

/// The levels that a read uses, with their weights.
fn taken(lod: f32, linear: bool, limits: (f32, f32)) -> Vec<(usize, f64)> {
    let last = (LEVELS - 1) as f32;
    let d = lod.max(limits.0).min(limits.1).clamp(0.0, last);
    if !linear {
        return vec![(d.round() as usize, 1.0)];
    }
    let a = f64::from(d - d.floor());
    vec![(d.floor() as usize, 1.0 - a), ((d.floor() as usize + 1).min(LEVELS - 1), a)]
}

/// Reads in kernels.
pub fn kernels(session: &Session<'_>, kind: ImageKind) -> Result<(), String> {
    let mut findings = Findings::default();
    let formats = formats(session, kind)?;
    for (class, name) in [(Class::Float, "f"), (Class::Signed, "i"), (Class::Unsigned, "ui")] {
        let mut formats = formats.iter().filter(|f| f.class() == class).peekable();
        if formats.peek().is_some() {
            let program = session.build(&source(kind, name), "-cl-std=CL3.0")?;
            formats
                .for_each(|format| findings.note(|| format.name(), reads(session, kind, format, &program)));
        }
    }
    findings.end()
}

fn reads(
    session: &Session<'_>,
    kind: ImageKind,
    format: &Format,
    program: &Program<'_>,
) -> Result<(), String> {
    let is_float = format.class() == Class::Float;
    let levels = make(session, CL_MEM_READ_ONLY, kind, format, 9)?;
    let out = session.buffer(16 * POINTS * LODS.len())?;
    let count = program.kernel("count")?;
    count.set(&[Arg::Image(&levels.image), Arg::Buffer(&out)])?;
    count.launch(&[1], None)?;
    let mut reported = [0i32; 2];
    session.read(&out, &mut reported)?;
    if reported != [LEVELS as i32, 13] {
        return Err(format!("levels and width: {reported:?}"));
    }
    let mut random = Random::new(3);
    let (axes, is_array) = axes(kind);
    // At the centre of a texel of every level, so that nearest reads are unambiguous.
    let mut coordinate = |axis: usize| loop {
        let x = (random.unit() * 1.4 - 0.2) as f32;
        let apart = |l| {
            let u = f64::from(x) * size(kind, l)[axis] as f64;
            (0.05..0.95).contains(&(u - u.floor()))
        };
        if (0..LEVELS).all(apart) {
            return x;
        }
    };
    let points: Vec<[f32; 4]> = (0..POINTS * LODS.len())
        .map(|i| {
            let mut p = [0f32; 4];
            (0..axes).for_each(|k| p[k] = coordinate(k));
            if is_array {
                p[axes] = (i % 5) as f32;
            }
            p
        })
        .collect();
    let lods: Vec<f32> = (0..points.len()).map(|i| LODS[i % LODS.len()]).collect();
    let extent = size(kind, 0)[gradient_axis(kind)] as f32;
    let gradients: Vec<f32> = lods.iter().map(|lod| lod.exp2() / extent).collect();
    let (at, numbers) = (session.buffer(16 * points.len())?, session.buffer(4 * points.len())?);
    session.write(&at, &points)?;
    let modes = [(false, false), (false, true), (true, false), (true, true)];
    for (linear, between) in modes.into_iter().filter(|(linear, between)| is_float || !linear && !between) {
        for limits in [(0.0, f32::MAX), (0.75, 2.25), (1.0, 1.0)] {
            let addressing = if linear { CL_ADDRESS_REPEAT } else { CL_ADDRESS_CLAMP };
            let mode = Mode { addressing, linear, normalized: true };
            let filter = |on| if on { CL_FILTER_LINEAR } else { CL_FILTER_NEAREST };
            let sampler = session.sampler_with(&[
                (CL_SAMPLER_ADDRESSING_MODE, addressing),
                (CL_SAMPLER_FILTER_MODE, filter(linear)),
                (CL_SAMPLER_MIP_FILTER_MODE_KHR, filter(between)),
                (CL_SAMPLER_LOD_MIN_KHR, f32::to_bits(limits.0)),
                (CL_SAMPLER_LOD_MAX_KHR, f32::to_bits(limits.1)),
            ])?;
            for (name, input) in [("lods", &lods), ("gradients", &gradients), ("first", &lods)] {
                session.write(&numbers, input)?;
                let kernel = program.kernel(name)?;
                let image = Arg::Image(&levels.image);
                kernel.set(&[
                    image,
                    Arg::Sampler(&sampler),
                    Arg::Buffer(&at),
                    Arg::Buffer(&numbers),
                    Arg::Buffer(&out),
                ])?;
                kernel.launch(&[points.len()], None)?;
                let mut got = vec![[0u32; 4]; points.len()];
                session.read(&out, &mut got)?;
                for (i, got) in got.iter().enumerate() {
                    let weights =
                        if name == "first" { vec![(0, 1.0)] } else { taken(lods[i], between, limits) };
                    let p = points[i];
                    one(&levels, mode, [p[0], p[1], p[2]], &weights, *got).map_err(|e| {
                        format!("{name} {mode:?} between {between} in {limits:?} at {p:?}, {}: {e}", lods[i])
                    })?;
                }
            }
        }
    }
    Ok(())
}

/// Compares one read.
fn one(
    levels: &Levels<'_>,
    mode: Mode,
    at: [f32; 3],
    weights: &[(usize, f64)],
    got: [u32; 4],
) -> Result<(), String> {
    let (kind, format) = (levels.image.kind, &levels.format);
    let (axes, is_array) = axes(kind);
    let (mut value, mut magnitude, mut element) = ([0.0; 4], 0f64, None);
    for &(level, weight) in weights.iter().filter(|w| w.1 > 0.0) {
        let texels =
            Texels { format, size: size(kind, level), axes, is_array, bytes: &levels.contents[level] };
        let sample = texels.sample(mode, at);
        value.iter_mut().zip(sample.value).for_each(|(sum, v)| *sum += weight * v);
        magnitude = magnitude.max(sample.magnitude);
        element = sample.element;
    }
    let single = weights.iter().filter(|w| w.1 > 0.0).count() == 1;
    match element {
        Some(element) if single && !mode.linear => format.check_read(element, got),
        // Single precision, and levels of detail computed by logarithms.
        _ if format.class() == Class::Float => {
            let near = |g: u32, v: f64| (f64::from(f32::from_bits(g)) - v).abs() <= magnitude / 8192.0 + 1e-6;
            let all = got.iter().zip(value).all(|(g, v)| near(*g, v));
            if all { Ok(()) } else { Err(format!("{:?} instead of {value:?}", got.map(f32::from_bits))) }
        }
        _ if got.map(f64::from) == value => Ok(()),
        _ => Err(format!("{got:?} instead of {value:?}")),
    }
}
