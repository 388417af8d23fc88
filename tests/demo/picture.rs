//! Demo: a picture pipeline on images. A PNG is decoded, blurred, cleaned by a bilateral filter, scaled down
//! and written as a PNG, on every device with images. The host checks each step with the device's output of
//! the previous step as input.
//!
//! The directory passed as the argument (default: the current one) receives `picture-in.png`, drawn here, and
//! for device number N `picture-N-blur.png`, `picture-N-bilateral.png` and `picture-N-small.png`.

use pyroclast_runtime::cl::*;
use std::cell::Cell;
use std::io::BufWriter;
use std::path::Path;
use test_support::cl::{Arg, HostData, Image, ImageKind, SKIPPED, Session, image_format, on_every_device};

const WIDTH: usize = 720;
const HEIGHT: usize = 480;
/// Size of the result.
const SMALL: [usize; 2] = [405, 270];
const RADIUS: usize = 4;
const REACH: usize = 4;
/// Decay of the bilateral filter's weights with the square of distance and of difference in colour.
const NEAR: f32 = 0.06;
const LIKE: f32 = 60.0;

/// Pixels of four bytes.
struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Picture {
    /// The pixel's colours from 0 to 1; outside the image, those of the nearest pixel.
    fn at(&self, x: isize, y: isize) -> [f64; 4] {
        let (x, y) =
            (x.clamp(0, self.width as isize - 1) as usize, y.clamp(0, self.height as isize - 1) as usize);
        std::array::from_fn(|k| f64::from(self.pixels[4 * (y * self.width + x) + k]) / 255.0)
    }

    fn write(&self, path: &Path) -> Result<(), String> {
        let file = std::fs::File::create(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let mut encoder = png::Encoder::new(BufWriter::new(file), self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(|e| e.to_string())?;
        writer.write_image_data(&self.pixels).map_err(|e| e.to_string())
    }

    fn read(path: &Path) -> Result<Picture, String> {
        let file = std::fs::File::open(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let mut reader = png::Decoder::new(file).read_info().map_err(|e| e.to_string())?;
        let mut pixels = vec![0; reader.output_buffer_size()];
        let info = reader.next_frame(&mut pixels).map_err(|e| e.to_string())?;
        if (info.color_type, info.bit_depth) != (png::ColorType::Rgba, png::BitDepth::Eight) {
            return Err(format!("{}: not RGBA with 8 bits", path.display()));
        }
        Ok(Picture { width: info.width as usize, height: info.height as usize, pixels })
    }

    /// A landscape: sky, sun, hills, a chequered field, and noise over all.
    fn draw() -> Picture {
        let mut pixels = Vec::with_capacity(4 * WIDTH * HEIGHT);
        let mut state = 1u32;
        for i in 0..WIDTH * HEIGHT {
            let (x, y) = ((i % WIDTH) as f32 / HEIGHT as f32, (i / WIDTH) as f32 / HEIGHT as f32);
            let hill = |base: f32, height: f32, wave: f32| base - height * (wave * x + base * 9.0).sin();
            let colour = if y > 0.8 {
                let [a, b] = [x / (y - 0.6), 1.0 / (y - 0.6)].map(|v| (v * 4.0).floor() as i32);
                if (a + b) % 2 == 0 { [0.85, 0.8, 0.6] } else { [0.35, 0.5, 0.2] }
            } else if y > hill(0.68, 0.07, 3.0) {
                [0.13, 0.33, 0.16]
            } else if y > hill(0.5, 0.09, 5.0) {
                [0.25, 0.45, 0.35]
            } else if (x - 1.1).powi(2) + (y - 0.2).powi(2) < 0.01 {
                [1.0, 0.92, 0.55]
            } else {
                [0.35 + 0.5 * y, 0.6 + 0.3 * y, 0.95]
            };
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            let noise = ((state >> 16) as f32 / 65535.0 - 0.5) * 0.12;
            pixels.extend(colour.map(|c: f32| ((c + noise).clamp(0.0, 1.0) * 255.0).round() as u8));
            pixels.push(255);
        }
        Picture { width: WIDTH, height: HEIGHT, pixels }
    }
}

/// The Gaussian's weights; their sum is 1.
fn weights() -> Vec<f32> {
    let raw: Vec<f32> = (0..=2 * RADIUS).map(|i| (-(i as f32 - RADIUS as f32).powi(2) / 6.0).exp()).collect();
    let sum: f32 = raw.iter().sum();
    raw.iter().map(|w| w / sum).collect()
}

/// Both directions of the blur at once.
fn blurred(from: &Picture, x: usize, y: usize) -> [f64; 4] {
    let (weights, reach) = (weights(), RADIUS as isize);
    let mut sum = [0f64; 4];
    for dy in -reach..=reach {
        for dx in -reach..=reach {
            let weight =
                f64::from(weights[(dy + reach) as usize]) * f64::from(weights[(dx + reach) as usize]);
            let pixel = from.at(x as isize + dx, y as isize + dy);
            (0..4).for_each(|k| sum[k] += weight * pixel[k]);
        }
    }
    sum
}

fn bilateral(from: &Picture, x: usize, y: usize) -> [f64; 4] {
    let (reach, centre) = (REACH as isize, from.at(x as isize, y as isize));
    let (mut sum, mut weights) = ([0f64; 4], 0f64);
    for dy in -reach..=reach {
        for dx in -reach..=reach {
            let pixel = from.at(x as isize + dx, y as isize + dy);
            let unlike: f64 = (0..3).map(|k| (pixel[k] - centre[k]).powi(2)).sum();
            let weight = (-f64::from(NEAR) * (dx * dx + dy * dy) as f64 - f64::from(LIKE) * unlike).exp();
            (0..4).for_each(|k| sum[k] += weight * pixel[k]);
            weights += weight;
        }
    }
    sum.map(|s| s / weights)
}

fn resized(from: &Picture, x: usize, y: usize) -> [f64; 4] {
    let u = (x as f64 + 0.5) / SMALL[0] as f64 * from.width as f64 - 0.5;
    let v = (y as f64 + 0.5) / SMALL[1] as f64 * from.height as f64 - 0.5;
    let (a, b) = (u - u.floor(), v - v.floor());
    let (x, y) = (u.floor() as isize, v.floor() as isize);
    let corners = [from.at(x, y), from.at(x + 1, y), from.at(x, y + 1), from.at(x + 1, y + 1)];
    let weights = [(1.0 - a) * (1.0 - b), a * (1.0 - b), (1.0 - a) * b, a * b];
    std::array::from_fn(|k| (0..4).map(|i| weights[i] * corners[i][k]).sum())
}

/// Compares a step's result. Written numbers are rounded to a code within 0.6 of it (Converting
/// Floating-point Values to Normalized Integer Channel Data Types); the rest of the tolerance is for the
/// device's arithmetic.
fn verify(
    step: &str,
    got: &Picture,
    from: &Picture,
    want: impl Fn(&Picture, usize, usize) -> [f64; 4],
) -> Result<(), String> {
    for y in 0..got.height {
        for x in 0..got.width {
            let pixel = want(from, x, y).map(|c| c * 255.0);
            let at = 4 * (y * got.width + x);
            let there = &got.pixels[at..at + 4];
            if (0..4).any(|k| (f64::from(there[k]) - pixel[k]).abs() > 0.65) {
                return Err(format!("{step}: pixel {x}, {y} is {there:?}, expected {pixel:.2?}"));
            }
        }
    }
    Ok(())
}

/// The contents of an image of bytes.
fn picture(session: &Session<'_>, image: &Image<'_>) -> Result<Picture, String> {
    let [width, height, _] = image.size;
    let mut pixels = vec![0; 4 * width * height];
    session.read_image(image, [0; 3], image.size, [0, 0], &mut pixels)?;
    Ok(Picture { width, height, pixels })
}

fn demo(session: &Session<'_>, input: &Picture, folder: &Path, number: usize) -> Result<String, String> {
    // Small devices have work-groups of 128 work-items.
    let tile = if session.max_work_group_size()? < 256 { 8 } else { 16 };
    let program = session
        .build(include_str!("picture.cl"), &format!("-DRADIUS={RADIUS} -DREACH={REACH} -DTILE={tile}"))?;
    let (bytes, floats) = (image_format(CL_RGBA, CL_UNORM_INT8), image_format(CL_RGBA, CL_FLOAT));
    let (size, small) = ([input.width, input.height, 1], [SMALL[0], SMALL[1], 1]);
    let data = HostData { bytes: &input.pixels, row_pitch: 0, slice_pitch: 0 };
    let make = |format, size, data| session.image(CL_MEM_READ_WRITE, format, ImageKind::D2, size, 4, data);
    let first = make(bytes, size, Some(data))?;
    // Values between the two directions of the blur are not rounded to bytes.
    let between = make(floats, size, None)?;
    let (blur, clean, result) =
        (make(bytes, size, None)?, make(bytes, size, None)?, make(bytes, small, None)?);
    let weight = session.buffer(4 * (2 * RADIUS + 1))?;
    session.write(&weight, &weights())?;
    let step = |x: i32, y: i32| [x.to_le_bytes(), y.to_le_bytes()].concat();
    let (across, down) = (step(1, 0), step(0, 1));

    let group = [tile, tile];
    let whole = |size: [usize; 3]| [size[0].next_multiple_of(tile), size[1].next_multiple_of(tile)];
    let kernels = [
        program.kernel("blur")?,
        program.kernel("blur")?,
        program.kernel("bilateral")?,
        program.kernel("resize")?,
    ];
    kernels[0].set(&[Arg::Image(&first), Arg::Image(&between), Arg::Buffer(&weight), Arg::Bytes(&across)])?;
    kernels[1].set(&[Arg::Image(&between), Arg::Image(&blur), Arg::Buffer(&weight), Arg::Bytes(&down)])?;
    // The noisy picture is cleaned, and the clean one scaled down.
    kernels[2].set(&[Arg::Image(&first), Arg::Image(&clean), Arg::F32(NEAR), Arg::F32(LIKE)])?;
    kernels[3].set(&[Arg::Image(&clean), Arg::Image(&result)])?;
    let time = session.best_time(0.2, || {
        kernels[..3].iter().try_for_each(|k| k.launch(&whole(size), Some(&group)))?;
        kernels[3].launch(&whole(small), Some(&group))
    })?;

    let [blur, clean, result] =
        [picture(session, &blur)?, picture(session, &clean)?, picture(session, &result)?];
    for (picture, name) in [(&blur, "blur"), (&clean, "bilateral"), (&result, "small")] {
        picture.write(&folder.join(format!("picture-{number}-{name}.png")))?;
    }
    verify("blur", &blur, input, blurred)?;
    verify("bilateral filter", &clean, input, bilateral)?;
    verify("resize", &result, &clean, resized)?;
    let path = folder.join(format!("picture-{number}-small.png"));
    Ok(format!("{WIDTH} x {HEIGHT}, all steps in {:.3} ms, {}", time * 1e3, path.display()))
}

fn main() -> std::process::ExitCode {
    let folder = std::path::PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    let path = folder.join("picture-in.png");
    let input = match Picture::draw().write(&path).and_then(|()| Picture::read(&path)) {
        Ok(input) => input,
        Err(error) => {
            eprintln!("picture: {error}");
            return std::process::ExitCode::FAILURE;
        }
    };
    let number = Cell::new(0);
    on_every_device("picture", |session: &Session<'_>| {
        let n = number.replace(number.get() + 1);
        // CL_DEVICE_IMAGE_SUPPORT: images are optional.
        if !session.has_images()? {
            return Ok(format!("{SKIPPED}: the device has no images"));
        }
        demo(session, &input, &folder, n)
    })
}
