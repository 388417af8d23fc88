//! Demo: the Mandelbrot set as a PNG, on every device, checked on the host.
//!
//! The picture of device number N is written to `mandelbrot-N.png` in the directory given as the argument
//! (default: the current one).

use std::cell::Cell;
use std::path::PathBuf;
use test_support::cl::{Arg, Session, on_every_device};

const WIDTH: usize = 1200;
const HEIGHT: usize = 800;
const LIMIT: u32 = 512;
const CENTRE: (f32, f32) = (-0.65, 0.0);
const SCALE: f32 = 2.9 / WIDTH as f32;

fn count(px: usize, py: usize) -> u32 {
    let x0 = CENTRE.0 + (px as f32 - 0.5 * WIDTH as f32) * SCALE;
    let y0 = CENTRE.1 + (py as f32 - 0.5 * HEIGHT as f32) * SCALE;
    let (mut x, mut y, mut i) = (0f32, 0f32, 0);
    while i < LIMIT && x * x + y * y < 4.0 {
        (x, y) = (x * x - y * y + x0, 2.0 * x * y + y0);
        i += 1;
    }
    i
}

fn colour(i: u32) -> [u8; 3] {
    if i == LIMIT { [0; 3] } else { [(9 * i) as u8, (5 * i) as u8, (64 + 3 * i) as u8] }
}

fn write_png(path: &PathBuf, pixels: &[u8]) -> Result<(), String> {
    let file = std::fs::File::create(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut encoder = png::Encoder::new(std::io::BufWriter::new(file), WIDTH as u32, HEIGHT as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(|e| e.to_string())?;
    writer.write_image_data(pixels).map_err(|e| e.to_string())
}

fn main() -> std::process::ExitCode {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    let number = Cell::new(0);
    on_every_device("mandelbrot", |session: &Session<'_>| {
        let program = session.build(include_str!("mandelbrot.cl"), "")?;
        let kernel = program.kernel("mandelbrot")?;
        let image = session.buffer(WIDTH * HEIGHT * 3)?;
        kernel.set(&[
            Arg::Buffer(&image),
            Arg::U32(WIDTH as u32),
            Arg::U32(HEIGHT as u32),
            Arg::F32(CENTRE.0),
            Arg::F32(CENTRE.1),
            Arg::F32(SCALE),
            Arg::U32(LIMIT),
        ])?;
        let time = session.best_time(0.3, || kernel.launch(&[WIDTH, HEIGHT], None))?;
        let mut pixels = vec![0u8; WIDTH * HEIGHT * 3];
        session.read(&image, &mut pixels)?;
        let path = folder.join(format!("mandelbrot-{}.png", number.replace(number.get() + 1)));
        write_png(&path, &pixels)?;
        // Contraction of a * b + c may change a pixel near the border of the set: a few in ten thousand may
        // differ.
        let mut differ = 0;
        let mut operations = 0u64;
        for py in 0..HEIGHT {
            for px in 0..WIDTH {
                let i = count(px, py);
                operations += 8 * i as u64;
                let at = 3 * (py * WIDTH + px);
                differ += usize::from(pixels[at..at + 3] != colour(i));
            }
        }
        if differ * 200 > WIDTH * HEIGHT {
            return Err(format!("{differ} of {} pixels differ", WIDTH * HEIGHT));
        }
        Ok(format!(
            "{WIDTH} x {HEIGHT} in {:.3} ms, {:.1} GFLOP/s, {}",
            time * 1e3,
            operations as f64 / time / 1e9,
            path.display()
        ))
    })
}
