//! Benchmark of images: transfers and kernels on images of 3840 by 2160 pixels, and a separable blur of nine
//! taps through a sampler beside the same blur on buffers that emulate images.
//!
//! `bench_images [--driver libpyroclast.so]`: the loader offers the driver beside the system's own. Rates
//! count every byte read or written once, the best of several runs. The results of both blurs are compared.

use pyroclast_runtime::cl::*;
use test_support::cl::{self, Arg, Buffer, HostData, Image, ImageKind, Program, Session, image_format};

const SIZE: [usize; 2] = [3840, 2160];
const REGION: [usize; 3] = [SIZE[0], SIZE[1], 1];
const PIXELS: usize = SIZE[0] * SIZE[1];
/// Size of a work-group.
const GROUP: [usize; 2] = [16, 8];
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

/// Images of one format.
struct Format<'a> {
    session: &'a Session<'a>,
    program: Program<'a>,
    labels: &'static Labels,
    format: cl_image_format,
    /// Whether texels are bytes rather than floats.
    bytes: bool,
    /// Size of a texel.
    element: usize,
    content: Vec<u8>,
}

impl<'a> Format<'a> {
    fn new(
        session: &'a Session<'a>,
        data_type: cl_channel_type,
        labels: &'static Labels,
    ) -> Result<Format<'a>, String> {
        let bytes = data_type == CL_UNORM_INT8;
        let element = if bytes { 4 } else { 16 };
        let content: Vec<u8> = match bytes {
            true => (0..PIXELS * element).map(|i| ((i * 2654435761) >> 13) as u8).collect(),
            false => (0..PIXELS * 4)
                .flat_map(|i| ((((i * 2654435761) >> 13) & 255) as f32 / 255.0).to_le_bytes())
                .collect(),
        };
        let program = session.build(include_str!("bench_images.cl"), if bytes { "-DBYTES" } else { "" })?;
        let format = image_format(CL_RGBA, data_type);
        Ok(Format { session, program, labels, format, bytes, element, content })
    }

    fn image(&self, data: Option<HostData<'_>>) -> Result<Image<'a>, String> {
        self.session.image(CL_MEM_READ_WRITE, self.format, ImageKind::D2, REGION, self.element, data)
    }

    /// Rate of runs that access each image `factor` times, in GB/s.
    fn rate(&self, factor: f64, body: impl FnMut() -> Result<(), String>) -> Result<f64, String> {
        let time = self.session.best_time(SECONDS, body)?;
        Ok(factor * self.content.len() as f64 / time / 1e9)
    }

    fn measure(&self, rows: &mut Rows) -> Result<(), String> {
        let data = HostData { bytes: &self.content, row_pitch: 0, slice_pitch: 0 };
        let (a, b, c) = (self.image(Some(data))?, self.image(None)?, self.image(None)?);
        self.transfers(&a, &b, rows)?;
        self.kernels(&a, &b, rows)?;
        let weight = self.session.buffer(36)?;
        self.session.write(&weight, &weights())?;
        let blurred = self.blur([&a, &b, &c], &weight, rows)?;
        let emulated = self.emulated_blur(&weight, rows)?;
        if agree(&blurred, &emulated, self.bytes) { Ok(()) } else { Err("the two blurs differ".into()) }
    }

    /// Commands on images.
    fn transfers(&self, a: &Image<'_>, b: &Image<'_>, rows: &mut Rows) -> Result<(), String> {
        let (session, labels, content) = (self.session, self.labels, &self.content);
        let write = || session.write_image(a, [0; 3], REGION, [0, 0], content);
        rows.push((labels.write, self.rate(1.0, write)?));
        let mut back = vec![0u8; content.len()];
        let read = || session.read_image(a, [0; 3], REGION, [0, 0], &mut back);
        rows.push((labels.read, self.rate(1.0, read)?));
        if back != *content {
            return Err("a read gives other bytes than were written".into());
        }
        let (flags, pitch) = (CL_MAP_READ | CL_MAP_WRITE, SIZE[0] * self.element);
        let map = || session.map_image(a, flags, [0; 3], REGION, pitch, |_, _, _| {});
        rows.push((labels.map, self.rate(1.0, map)?));
        let copy = || session.copy_image(a, b, [0; 3], [0; 3], REGION);
        rows.push((labels.copied, self.rate(2.0, copy)?));
        let grey = [0.5f32.to_bits(); 4];
        let fill = || session.fill_image(b, grey, [0; 3], REGION);
        rows.push((labels.filled, self.rate(1.0, fill)?));
        Ok(())
    }

    /// Kernels that read, write and copy images.
    fn kernels(&self, a: &Image<'_>, b: &Image<'_>, rows: &mut Rows) -> Result<(), String> {
        let (session, labels) = (self.session, self.labels);
        let kernel = self.program.kernel("read_all")?;
        let never = session.buffer(16)?;
        kernel.set(&[Arg::Image(a), Arg::Buffer(&never)])?;
        rows.push((labels.kernel_read, self.rate(1.0, || kernel.launch(&SIZE, Some(&GROUP)))?));
        let kernel = self.program.kernel("write_all")?;
        let colour: Vec<u8> = [0.1f32, 0.2, 0.3, 0.4].iter().flat_map(|c| c.to_le_bytes()).collect();
        kernel.set(&[Arg::Image(b), Arg::Bytes(&colour)])?;
        rows.push((labels.kernel_write, self.rate(1.0, || kernel.launch(&SIZE, Some(&GROUP)))?));
        let kernel = self.program.kernel("copy")?;
        kernel.set(&[Arg::Image(a), Arg::Image(b)])?;
        rows.push((labels.copy, self.rate(2.0, || kernel.launch(&SIZE, Some(&GROUP)))?));
        Ok(())
    }

    /// Blurs the first image into the last one. Returns the result.
    fn blur(
        &self,
        [a, b, c]: [&Image<'_>; 3],
        weight: &Buffer<'_>,
        rows: &mut Rows,
    ) -> Result<Vec<u8>, String> {
        let (first, second) = (self.program.kernel("blur")?, self.program.kernel("blur")?);
        let (across, down) = (two(1, 0), two(0, 1));
        first.set(&[Arg::Image(a), Arg::Image(b), Arg::Buffer(weight), Arg::Bytes(&across)])?;
        second.set(&[Arg::Image(b), Arg::Image(c), Arg::Buffer(weight), Arg::Bytes(&down)])?;
        let time = self.session.best_time(SECONDS, || {
            first.launch(&SIZE, Some(&GROUP))?;
            second.launch(&SIZE, Some(&GROUP))
        })?;
        rows.push((self.labels.blur, time * 1e3));
        let mut out = vec![0u8; self.content.len()];
        self.session.read_image(c, [0; 3], REGION, [0, 0], &mut out)?;
        Ok(out)
    }

    /// The blur on buffers. Returns the result.
    fn emulated_blur(&self, weight: &Buffer<'_>, rows: &mut Rows) -> Result<Vec<u8>, String> {
        let (session, size) = (self.session, self.content.len());
        let (x, y, z) = (session.buffer(size)?, session.buffer(size)?, session.buffer(size)?);
        session.write(&x, &self.content)?;
        let kernel = |from: &Buffer<'_>, to: &Buffer<'_>, step: &[u8]| {
            let (kernel, whole) = (self.program.kernel("emulated")?, two(SIZE[0] as i32, SIZE[1] as i32));
            kernel.set(&[
                Arg::Buffer(from),
                Arg::Buffer(to),
                Arg::Buffer(weight),
                Arg::Bytes(step),
                Arg::Bytes(&whole),
                Arg::U32(SIZE[0] as u32),
            ])?;
            Ok::<_, String>(kernel)
        };
        let (first, second) = (kernel(&x, &y, &two(1, 0))?, kernel(&y, &z, &two(0, 1))?);
        let time = session.best_time(SECONDS, || {
            first.launch(&SIZE, Some(&GROUP))?;
            second.launch(&SIZE, Some(&GROUP))
        })?;
        rows.push((self.labels.emulated, time * 1e3));
        let mut out = vec![0u8; size];
        session.read(&z, &mut out)?;
        Ok(out)
    }
}

/// Bytes of a vector of two integers.
fn two(x: i32, y: i32) -> Vec<u8> {
    [x.to_le_bytes(), y.to_le_bytes()].concat()
}

fn measure(session: &Session<'_>) -> Result<Rows, String> {
    // CL_DEVICE_IMAGE_SUPPORT: images are optional.
    if !session.has_images()? {
        return Err("the device has no images".into());
    }
    let mut rows = Rows::new();
    Format::new(session, CL_UNORM_INT8, &BYTES)?.measure(&mut rows)?;
    Format::new(session, CL_FLOAT, &FLOATS)?.measure(&mut rows)?;
    Ok(rows)
}

fn main() -> Result<(), String> {
    cl::compare(measure)
}
