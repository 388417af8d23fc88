//! Filters of video and photo programs (the kinds of libavfilter's kernels): whole pictures pass through one
//! or two images and are compared with the same filter in double precision, within a unit in the last place
//! of the stored format.

use super::format::{Format, Random};
use super::{Findings, offers};
use crate::cl::{Arg, HostData, Image, ImageKind, Session, image_format};
use pyroclast_runtime::cl::*;

const W: usize = 37;
const H: usize = 23;
const SIZE: [usize; 3] = [W, H, 1];

/// Kernels `name(read_only a, read_only b, write_only out, global const float *c)`.
const SOURCE: &str = "
#define FILTER(name) kernel void name(read_only image2d_t a, read_only image2d_t b, write_only image2d_t out, global const float *c)
#define AT int2 p = (int2)(get_global_id(0), get_global_id(1))
const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t line = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
float4 blur(read_only image2d_t im, int2 p, int2 step, int radius)
{ float4 sum = 0; for (int i = -radius; i <= radius; i++) sum += read_imagef(im, edge, p + i * step); return sum / (2 * radius + 1); }
FILTER(overlay)
{ AT; int2 q = p - (int2)(5, 3); float4 m = read_imagef(a, edge, p);
  if (q.x < 0 || q.y < 0 || q.x >= get_image_width(b) / 2 || q.y >= get_image_height(b) / 2) { write_imagef(out, p, m); return; }
  float4 o = read_imagef(b, edge, q); write_imagef(out, p, o * o.w + m * (1.0f - o.w)); }
FILTER(unsharp)
{ AT; float4 sum = 0;
  for (int j = 0; j < 5; j++) for (int i = 0; i < 5; i++) sum += read_imagef(a, edge, p + (int2)(i - 2, j - 2)) * (c[i] * c[j]);
  float4 v = read_imagef(a, edge, p); write_imagef(out, p, v + 0.75f * (v - sum)); }
FILTER(average) { AT; write_imagef(out, p, blur(a, p, (int2)(1, 0), 4) * 0.5f + blur(a, p, (int2)(0, 1), 2) * 0.5f); }
FILTER(convolution)
{ AT; float4 sum = 0;
  for (int j = -1, k = 5; j <= 1; j++) for (int i = -1; i <= 1; i++, k++) sum += c[k] * read_imagef(a, edge, p + (int2)(i, j));
  write_imagef(out, p, sum * c[14] + c[15]); }
FILTER(erosion)
{ AT; float4 low = read_imagef(a, edge, p); float4 v = low;
  for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) low = fmin(low, read_imagef(a, edge, p + (int2)(i, j)));
  write_imagef(out, p, fmax(low, v - 0.25f)); }
FILTER(mirror)
{ AT; write_imagef(out, p, read_imagef(a, (int2)(get_image_width(a) - 1 - p.x, get_image_height(a) - 1 - p.y))); }
FILTER(xfade)
{ AT; float2 n = convert_float2(p) / convert_float2(get_image_dim(a)); float t = smoothstep(0.25f, 0.75f, n.x * 0.5f + n.y * 0.5f);
  write_imagef(out, p, mix(read_imagef(a, edge, p), read_imagef(b, edge, p), t)); }
FILTER(means)
{ AT; float4 sum = 0, v = read_imagef(a, edge, p); float all = 0;
  for (int j = -2; j <= 2; j++) for (int i = -2; i <= 2; i++) {
    float4 n = read_imagef(a, edge, p + (int2)(i, j)); float d = n.x - v.x; float w = 1.0f / (1.0f + 8.0f * d * d); sum += w * n; all += w; }
  write_imagef(out, p, sum / all); }
FILTER(shake)
{ AT; float2 q = (float2)(p.x * 0.96f - p.y * 0.125f + 2.25f, p.x * 0.125f + p.y * 0.96f - 1.5f);
  write_imagef(out, p, read_imagef(a, line, q + 0.5f)); }
";

/// Coefficients passed to all kernels: a row of five weights, nine more, factor and offset.
const NUMBERS: [f32; 16] =
    [0.0625, 0.25, 0.375, 0.25, 0.0625, 1.0, 2.0, 1.0, 2.0, 4.0, 2.0, 1.0, 2.0, 1.0, 0.0625, 0.03125];

/// A picture on the host.
struct Picture {
    texels: Vec<[f64; 4]>,
}

impl Picture {
    /// The nearest element, clamped to the edge.
    fn at(&self, x: i64, y: i64) -> [f64; 4] {
        self.texels[y.clamp(0, H as i64 - 1) as usize * W + x.clamp(0, W as i64 - 1) as usize]
    }
    fn linear(&self, x: f64, y: f64) -> [f64; 4] {
        let (u, v) = (x - 0.5, y - 0.5);
        let (i, j) = (u.floor() as i64, v.floor() as i64);
        let (a, b) = (u - u.floor(), v - v.floor());
        let top = lerp(self.at(i, j), self.at(i + 1, j), a);
        lerp(top, lerp(self.at(i, j + 1), self.at(i + 1, j + 1), a), b)
    }
    fn sum(&self, points: impl Iterator<Item = (i64, i64, f64)>) -> [f64; 4] {
        points.fold([0.0; 4], |sum, (x, y, w)| {
            let t = self.at(x, y);
            std::array::from_fn(|k| sum[k] + w * t[k])
        })
    }
}

fn lerp(a: [f64; 4], b: [f64; 4], t: f64) -> [f64; 4] {
    std::array::from_fn(|k| a[k] + (b[k] - a[k]) * t)
}

fn square(radius: i64) -> impl Iterator<Item = (i64, i64)> {
    (-radius..=radius).flat_map(move |j| (-radius..=radius).map(move |i| (i, j)))
}

type Filter = fn(&Picture, &Picture, i64, i64) -> [f64; 4];

/// The filters in double precision.
const FILTERS: &[(&str, Filter)] = &[
    ("overlay", |a, b, x, y| {
        let (m, (i, j)) = (a.at(x, y), (x - 5, y - 3));
        if i < 0 || j < 0 || i >= W as i64 / 2 || j >= H as i64 / 2 {
            return m;
        }
        let o = b.at(i, j);
        lerp(m, o, o[3])
    }),
    ("unsharp", |a, _, x, y| {
        let weight = |i: i64| f64::from(NUMBERS[(i + 2) as usize]);
        let soft = a.sum(square(2).map(|(i, j)| (x + i, y + j, weight(i) * weight(j))));
        lerp(a.at(x, y), soft, -0.75)
    }),
    ("average", |a, _, x, y| {
        let (across, down) =
            ((-4..=4).map(|i| (x + i, y, 0.5 / 9.0)), (-2..=2).map(|j| (x, y + j, 0.5 / 5.0)));
        a.sum(across.chain(down))
    }),
    ("convolution", |a, _, x, y| {
        let [factor, offset] = [NUMBERS[14], NUMBERS[15]].map(f64::from);
        let weight = |i: i64, j: i64| f64::from(NUMBERS[(5 + (j + 1) * 3 + i + 1) as usize]);
        a.sum(square(1).map(|(i, j)| (x + i, y + j, weight(i, j)))).map(|v| v * factor + offset)
    }),
    ("erosion", |a, _, x, y| {
        let v = a.at(x, y);
        let low = square(1).fold(v, |low, (i, j)| {
            let n = a.at(x + i, y + j);
            std::array::from_fn(|k| low[k].min(n[k]))
        });
        std::array::from_fn(|k| low[k].max(v[k] - 0.25))
    }),
    ("mirror", |a, _, x, y| a.at(W as i64 - 1 - x, H as i64 - 1 - y)),
    ("xfade", |a, b, x, y| {
        let n = (x as f64 / W as f64) * 0.5 + (y as f64 / H as f64) * 0.5;
        let t = ((n - 0.25) / 0.5).clamp(0.0, 1.0);
        lerp(a.at(x, y), b.at(x, y), t * t * (3.0 - 2.0 * t))
    }),
    ("means", |a, _, x, y| {
        let v = a.at(x, y)[0];
        let weight = |n: [f64; 4]| 1.0 / (1.0 + 8.0 * (n[0] - v) * (n[0] - v));
        let all: f64 = square(2).map(|(i, j)| weight(a.at(x + i, y + j))).sum();
        a.sum(square(2).map(|(i, j)| (x + i, y + j, weight(a.at(x + i, y + j)) / all)))
    }),
    ("shake", |a, _, x, y| {
        let (x, y) = (x as f64, y as f64);
        a.linear(x * f64::from(0.96f32) - y * 0.125 + 2.75, x * 0.125 + y * f64::from(0.96f32) - 1.0)
    }),
];

/// Whether the element equals the value within a unit in the last place of an integer, or within single
/// precision's errors, and within `more` from 0 to 1.
fn holds(format: &Format, element: u128, want: [f64; 4], more: f64) -> bool {
    let got = format.texel(element);
    let stored = [0, 1, 2, 3].map(|k| format.stores(k));
    (0..4).filter(|k| stored[*k]).all(|k| match format.cl.image_channel_data_type {
        CL_UNORM_INT8 => (got[k] - want[k].clamp(0.0, 1.0)).abs() <= more + 1.01 / 255.0,
        CL_UNORM_INT16 => (got[k] - want[k].clamp(0.0, 1.0)).abs() <= more + 2.0 / 65535.0,
        CL_HALF_FLOAT => (got[k] - want[k]).abs() <= more + want[k].abs().max(0.125) / 1000.0,
        _ => (got[k] - want[k]).abs() <= more + 2e-5,
    })
}

/// Every filter with common formats.
pub fn filters(session: &Session<'_>) -> Result<(), String> {
    let program = session.build(SOURCE, "-cl-std=CL1.2")?;
    let numbers = session.buffer(4 * NUMBERS.len())?;
    session.write(&numbers, &NUMBERS)?;
    let offered = offers(session, ImageKind::D2)?;
    let has_units = super::samplers::may_have_texture_units(session)?;
    let mut findings = Findings::default();
    let pairs = [
        (CL_R, CL_UNORM_INT8),
        (CL_RG, CL_UNORM_INT8),
        (CL_RGBA, CL_UNORM_INT8),
        (CL_BGRA, CL_UNORM_INT8),
        (CL_R, CL_UNORM_INT16),
        (CL_RGBA, CL_HALF_FLOAT),
        (CL_RGBA, CL_FLOAT),
    ];
    for (order, data_type) in pairs {
        let cl = image_format(order, data_type);
        let Some(offer) = offered.iter().find(|o| super::same(o.format.cl, cl) && o.has(CL_MEM_WRITE_ONLY))
        else {
            continue;
        };
        let format = &offer.format;
        let make = |seed| -> Result<(Image<'_>, Picture), String> {
            // Numbers from 0 to 1 in every format.
            let random = &mut Random::new(seed);
            let mut bytes = Vec::new();
            for _ in 0..W * H {
                let element = format.element(random, false);
                let unit = match data_type {
                    CL_FLOAT => (0..4)
                        .map(|_| u128::from((random.unit() as f32).to_bits()))
                        .fold(0, |e, c| e << 32 | c),
                    CL_HALF_FLOAT => {
                        let half = |u: f64| u128::from(half::f16::from_f64(u).to_bits());
                        (0..4).map(|_| half(random.unit())).fold(0, |e, c| e << 16 | c)
                    }
                    _ => element,
                };
                bytes.extend_from_slice(&unit.to_le_bytes()[..format.bytes]);
            }
            let data = HostData { bytes: &bytes, row_pitch: 0, slice_pitch: 0 };
            let image = session.image(CL_MEM_READ_ONLY, cl, ImageKind::D2, SIZE, format.bytes, Some(data))?;
            let texels = (0..W * H).map(|i| format.texel(format.load(&bytes, i))).collect();
            Ok((image, Picture { texels }))
        };
        let ((a, first), (b, second)) = (make(1)?, make(2)?);
        let out = session.image(CL_MEM_WRITE_ONLY, cl, ImageKind::D2, SIZE, format.bytes, None)?;
        for (name, filter) in FILTERS {
            // The weights of texture units have eight bits, in both directions.
            let more = if *name == "shake" && has_units { 1.0 / 64.0 } else { 0.0 };
            let test = || -> Result<(), String> {
                let kernel = program.kernel(name)?;
                kernel.set(&[Arg::Image(&a), Arg::Image(&b), Arg::Image(&out), Arg::Buffer(&numbers)])?;
                kernel.launch(&[W, H], None)?;
                let mut bytes = vec![0u8; W * H * format.bytes];
                session.read_image(&out, [0; 3], SIZE, [0, 0], &mut bytes)?;
                for i in 0..W * H {
                    let want = filter(&first, &second, (i % W) as i64, (i / W) as i64);
                    let element = format.load(&bytes, i);
                    if !holds(format, element, want, more) {
                        let got = format.texel(element);
                        return Err(format!("at {}, {}: {got:?} instead of {want:?}", i % W, i / W));
                    }
                }
                Ok(())
            };
            findings.note(|| format!("{name}, {}", format.name()), test());
        }
    }
    findings.end()
}
