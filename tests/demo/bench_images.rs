//! Benchmark of images: transfers and kernels on images of 3840 by 2160 pixels, and a separable blur of nine
//! taps through a sampler beside the same blur on buffers that emulate images.
//!
//! `bench_images [--driver libpyroclast.so]`: the loader offers the driver beside the system's own. Rates
//! count every byte read or written once, the best of several runs. The results of both blurs are compared.

use pyroclast_runtime::cl::*;
use test_support::cl::{self, Arg, HostData, ImageKind, Session, image_format};

const SIZE: [usize; 2] = [3840, 2160];
const PIXELS: usize = SIZE[0] * SIZE[1];
const SECONDS: f64 = 0.5;

type Rows = Vec<(&'static str, f64)>;

/// Labels of a format's rows.
struct Labels {
    write: &'static str,
    read: &'static str,
    map: &'static str,
    copied: &'static str,
    filled: &'static str,
    kernel_read: &'static str,
    kernel_write: &'static str,
    copy: &'static str,
    blur: &'static str,
    emulated: &'static str,
}

const BYTES: Labels = Labels {
    write: "RGBA8 write, GB/s",
    read: "RGBA8 read, GB/s",
    map: "RGBA8 mapped and unmapped, GB/s",
    copied: "RGBA8 copied by a command, GB/s",
    filled: "RGBA8 filled by a command, GB/s",
    kernel_read: "RGBA8 read in kernel, GB/s",
    kernel_write: "RGBA8 written in kernel, GB/s",
    copy: "RGBA8 copied in kernel, GB/s",
    blur: "RGBA8 blur, ms",
    emulated: "RGBA8 blur on buffers, ms",
};

const FLOATS: Labels = Labels {
    write: "RGBAF write, GB/s",
    read: "RGBAF read, GB/s",
    map: "RGBAF mapped and unmapped, GB/s",
    copied: "RGBAF copied by a command, GB/s",
    filled: "RGBAF filled by a command, GB/s",
    kernel_read: "RGBAF read in kernel, GB/s",
    kernel_write: "RGBAF written in kernel, GB/s",
    copy: "RGBAF copied in kernel, GB/s",
    blur: "RGBAF blur, ms",
    emulated: "RGBAF blur on buffers, ms",
};

fn weights() -> Vec<f32> {
    let raw: Vec<f32> = (-4..=4).map(|i| (-(i * i) as f32 / 6.0).exp()).collect();
    let sum: f32 = raw.iter().sum();
    raw.iter().map(|w| w / sum).collect()
}

/// Whether two blurred pictures agree: within a code for bytes, within rounding errors for numbers.
fn agree(a: &[u8], b: &[u8], bytes: bool) -> bool {
    let number = |c: &[u8]| f32::from_le_bytes([c[0], c[1], c[2], c[3]]);
    match bytes {
        true => a.iter().zip(b).all(|(x, y)| x.abs_diff(*y) <= 1),
        false => a.chunks_exact(4).zip(b.chunks_exact(4)).all(|(x, y)| (number(x) - number(y)).abs() < 1e-5),
    }
}

fn one_format(
    session: &Session<'_>,
    data_type: cl_channel_type,
    labels: &Labels,
    rows: &mut Rows,
) -> Result<(), String> {
    let bytes = data_type == CL_UNORM_INT8;
    let element = if bytes { 4 } else { 16 };
    let size = PIXELS * element;
    let rate = |factor: f64, time: f64| factor * size as f64 / time / 1e9;
    let content: Vec<u8> = match bytes {
        true => (0..size).map(|i| ((i * 2654435761) >> 13) as u8).collect(),
        false => (0..PIXELS * 4)
            .flat_map(|i| ((((i * 2654435761) >> 13) & 255) as f32 / 255.0).to_le_bytes())
            .collect(),
    };
    let program = session.build(include_str!("bench_images.cl"), if bytes { "-DBYTES" } else { "" })?;
    let format = image_format(CL_RGBA, data_type);
    let region = [SIZE[0], SIZE[1], 1];
    let data = HostData { bytes: &content, row_pitch: 0, slice_pitch: 0 };
    let make = |data| session.image(CL_MEM_READ_WRITE, format, ImageKind::D2, region, element, data);
    let (a, b, c) = (make(Some(data))?, make(None)?, make(None)?);

    let time = session.best_time(SECONDS, || session.write_image(&a, [0; 3], region, [0, 0], &content))?;
    rows.push((labels.write, rate(1.0, time)));
    let mut back = vec![0u8; size];
    let time = session.best_time(SECONDS, || session.read_image(&a, [0; 3], region, [0, 0], &mut back))?;
    rows.push((labels.read, rate(1.0, time)));
    if back != content {
        return Err("a read gives other bytes than were written".into());
    }
    let time = session.best_time(SECONDS, || {
        let flags = CL_MAP_READ | CL_MAP_WRITE;
        session.map_image(&a, flags, [0; 3], region, SIZE[0] * element, |_, _, _| {})
    })?;
    rows.push((labels.map, rate(1.0, time)));
    let time = session.best_time(SECONDS, || session.copy_image(&a, &b, [0; 3], [0; 3], region))?;
    rows.push((labels.copied, rate(2.0, time)));
    let grey = [0.5f32.to_bits(); 4];
    let time = session.best_time(SECONDS, || session.fill_image(&b, grey, [0; 3], region))?;
    rows.push((labels.filled, rate(1.0, time)));
    let group = [16, 8];
    let kernel = program.kernel("read_all")?;
    let never = session.buffer(16)?;
    kernel.set(&[Arg::Image(&a), Arg::Buffer(&never)])?;
    rows.push((
        labels.kernel_read,
        rate(1.0, session.best_time(SECONDS, || kernel.launch(&SIZE, Some(&group)))?),
    ));
    let kernel = program.kernel("write_all")?;
    let colour: Vec<u8> = [0.1f32, 0.2, 0.3, 0.4].iter().flat_map(|c| c.to_le_bytes()).collect();
    kernel.set(&[Arg::Image(&b), Arg::Bytes(&colour)])?;
    rows.push((
        labels.kernel_write,
        rate(1.0, session.best_time(SECONDS, || kernel.launch(&SIZE, Some(&group)))?),
    ));
    let kernel = program.kernel("copy")?;
    kernel.set(&[Arg::Image(&a), Arg::Image(&b)])?;
    rows.push((labels.copy, rate(2.0, session.best_time(SECONDS, || kernel.launch(&SIZE, Some(&group)))?)));

    let weight = session.buffer(36)?;
    session.write(&weight, &weights())?;
    let two = |x: i32, y: i32| [x.to_le_bytes(), y.to_le_bytes()].concat();
    let (across, down, whole) = (two(1, 0), two(0, 1), two(SIZE[0] as i32, SIZE[1] as i32));
    let (first, second) = (program.kernel("blur")?, program.kernel("blur")?);
    first.set(&[Arg::Image(&a), Arg::Image(&b), Arg::Buffer(&weight), Arg::Bytes(&across)])?;
    second.set(&[Arg::Image(&b), Arg::Image(&c), Arg::Buffer(&weight), Arg::Bytes(&down)])?;
    let time = session.best_time(SECONDS, || {
        first.launch(&SIZE, Some(&group))?;
        second.launch(&SIZE, Some(&group))
    })?;
    rows.push((labels.blur, time * 1e3));
    session.read_image(&c, [0; 3], region, [0, 0], &mut back)?;

    let (x, y, z) = (session.buffer(size)?, session.buffer(size)?, session.buffer(size)?);
    session.write(&x, &content)?;
    let (first, second) = (program.kernel("emulated")?, program.kernel("emulated")?);
    let pitch = Arg::U32(SIZE[0] as u32);
    first.set(&[
        Arg::Buffer(&x),
        Arg::Buffer(&y),
        Arg::Buffer(&weight),
        Arg::Bytes(&across),
        Arg::Bytes(&whole),
        pitch,
    ])?;
    let pitch = Arg::U32(SIZE[0] as u32);
    second.set(&[
        Arg::Buffer(&y),
        Arg::Buffer(&z),
        Arg::Buffer(&weight),
        Arg::Bytes(&down),
        Arg::Bytes(&whole),
        pitch,
    ])?;
    let time = session.best_time(SECONDS, || {
        first.launch(&SIZE, Some(&group))?;
        second.launch(&SIZE, Some(&group))
    })?;
    rows.push((labels.emulated, time * 1e3));
    let mut other = vec![0u8; size];
    session.read(&z, &mut other)?;
    if agree(&back, &other, bytes) { Ok(()) } else { Err("the two blurs differ".into()) }
}

fn measure(session: &Session<'_>) -> Result<Rows, String> {
    // CL_DEVICE_IMAGE_SUPPORT: images are optional.
    if !session.has_images()? {
        return Err("the device has no images".into());
    }
    let mut rows = Rows::new();
    one_format(session, CL_UNORM_INT8, &BYTES, &mut rows)?;
    one_format(session, CL_FLOAT, &FLOATS, &mut rows)?;
    Ok(rows)
}

fn main() -> Result<(), String> {
    cl::compare(measure)
}
