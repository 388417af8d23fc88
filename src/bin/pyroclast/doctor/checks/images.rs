//! Images: each type of image read, written and sampled, and the formats that every device with images has.

use super::super::check::{Arg, Check, Expected, Image, bytes_of};
use pyroclast_runtime::cl::*;

const SIZE: usize = 16;

/// A type of image: its name in OpenCL C, the object type, its size, and its coordinate from `i`.
const KINDS: [(&str, cl_mem_object_type, [usize; 3], &str); 5] = [
    ("image1d_t", CL_MEM_OBJECT_IMAGE1D, [SIZE, 1, 1], "i"),
    ("image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY, [SIZE, 4, 1], "(int2)(i % 16, i / 16)"),
    ("image2d_t", CL_MEM_OBJECT_IMAGE2D, [SIZE, SIZE, 1], "(int2)(i % 16, i / 16)"),
    ("image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, [SIZE, 8, 2], "(int4)(i % 16, i / 16 % 8, i / 128, 0)"),
    ("image3d_t", CL_MEM_OBJECT_IMAGE3D, [SIZE, 8, 4], "(int4)(i % 16, i / 16 % 8, i / 128, 0)"),
];

fn texels(count: usize, f: impl Fn(usize) -> u8) -> Vec<u8> {
    (0..count).map(f).collect()
}

fn image(kind: cl_mem_object_type, size: [usize; 3], data_type: cl_channel_type, texels: Vec<u8>) -> Arg {
    Arg::Image(Image { kind, order: CL_RGBA, data_type, size, texels })
}

fn check(
    name: String,
    source: &str,
    kernel: &str,
    args: Vec<Arg>,
    count: usize,
    expected: Expected,
) -> Check {
    Check {
        name,
        source: source.into(),
        kernel: kernel.into(),
        result: args.len() - 1,
        args,
        global: vec![count],
        local: None,
        expected,
    }
}

/// Every type of image, read into a buffer and written from one.
pub fn kinds() -> Vec<Check> {
    let mut all = Vec::new();
    for (ty, kind, size, at) in KINDS {
        let source = format!(
            "kernel void reads(read_only {ty} m, global uint4 *out) {{
                int i = get_global_id(0); out[i] = read_imageui(m, {at}); }}
            kernel void writes(global const uint4 *in, write_only {ty} m) {{
                int i = get_global_id(0); write_imageui(m, {at}, in[i] + 1); }}"
        );
        let count: usize = size.iter().product();
        let words: Vec<u32> = (0..4 * count as u32).map(|i| i.wrapping_mul(40_503)).collect();
        let of = |list: &[u32]| image(kind, size, CL_UNSIGNED_INT32, bytes_of(list));
        let more: Vec<u32> = words.iter().map(|w| w.wrapping_add(1)).collect();
        all.push(check(
            format!("{ty} is read"),
            &source,
            "reads",
            vec![of(&words), Arg::Buffer(vec![0; 16 * count])],
            count,
            Expected::Bytes(bytes_of(&words)),
        ));
        all.push(check(
            format!("{ty} is written"),
            &source,
            "writes",
            vec![Arg::Buffer(bytes_of(&words)), of(&vec![0; words.len()])],
            count,
            Expected::Bytes(bytes_of(&more)),
        ));
    }
    all
}

/// Formats of texels, converted by a read and a write.
pub fn formats() -> Vec<Check> {
    const SOURCE: &str = "
        kernel void floats(read_only image2d_t m, write_only image2d_t out) {
            int2 at = (int2)(get_global_id(0) % 16, get_global_id(0) / 16);
            write_imagef(out, at, read_imagef(m, at)); }
        kernel void ints(read_only image2d_t m, write_only image2d_t out) {
            int2 at = (int2)(get_global_id(0) % 16, get_global_id(0) / 16);
            write_imagei(out, at, read_imagei(m, at)); }
        kernel void uints(read_only image2d_t m, write_only image2d_t out) {
            int2 at = (int2)(get_global_id(0) % 16, get_global_id(0) / 16);
            write_imageui(out, at, read_imageui(m, at)); }";
    let count = SIZE * SIZE;
    let any = |bytes: usize| texels(count * bytes, |i| (i * 37 + i / 7) as u8);
    let numbers = bytes_of((0..4 * count as u16).map(|i| f32::from(i) / 8.0 - 30.0));
    let halves =
        bytes_of((0..4 * count as u16).map(|i| super::floats::half_bits(f32::from(i % 256) - 100.0)));
    let cases = [
        ("UNORM_INT8", CL_UNORM_INT8, "floats", any(4), true),
        ("UNORM_INT16", CL_UNORM_INT16, "floats", texels(count * 8, |i| (i / 2 * 37) as u8), true),
        ("HALF_FLOAT", CL_HALF_FLOAT, "floats", halves, false),
        ("FLOAT", CL_FLOAT, "floats", numbers, false),
        ("SIGNED_INT8", CL_SIGNED_INT8, "ints", any(4), false),
        ("SIGNED_INT16", CL_SIGNED_INT16, "ints", any(8), false),
        ("SIGNED_INT32", CL_SIGNED_INT32, "ints", any(16), false),
        ("UNSIGNED_INT8", CL_UNSIGNED_INT8, "uints", any(4), false),
        ("UNSIGNED_INT16", CL_UNSIGNED_INT16, "uints", any(8), false),
        ("UNSIGNED_INT32", CL_UNSIGNED_INT32, "uints", any(16), false),
    ];
    let plane = |data_type, texels| image(CL_MEM_OBJECT_IMAGE2D, [SIZE, SIZE, 1], data_type, texels);
    cases
        .into_iter()
        .map(|(name, data_type, kernel, texels, near)| {
            let expected = if near { Expected::Near } else { Expected::Bytes };
            let empty = vec![0; texels.len()];
            let args = vec![plane(data_type, texels.clone()), plane(data_type, empty)];
            check(format!("CL_RGBA, CL_{name}"), SOURCE, kernel, args, count, expected(texels))
        })
        .collect()
}

/// Samplers: addressing modes and filters.
pub fn samplers() -> Vec<Check> {
    const SOURCE: &str = "
        kernel void nearest(read_only image2d_t m, sampler_t s, global float4 *out) {
            int i = get_global_id(0); out[i] = read_imagef(m, s, (float2)(i % 24 - 3.5f, i / 24 - 1.5f)); }
        kernel void between(read_only image2d_t m, sampler_t s, global float4 *out) {
            int i = get_global_id(0); out[i] = read_imagef(m, s, (float2)(i % 8 + 1.0f, i / 8 + 1.0f)); }";
    let value = |x: usize, y: usize| [x as f32, y as f32, (x * y) as f32, 1.0];
    let rows: Vec<f32> = (0..SIZE * SIZE).flat_map(|i| value(i % SIZE, i / SIZE)).collect();
    let plane = || image(CL_MEM_OBJECT_IMAGE2D, [SIZE, SIZE, 1], CL_FLOAT, bytes_of(&rows));
    let count = 24 * 20;
    let coordinate = |i: usize| (i as i32 % 24 - 4, i as i32 / 24 - 2);
    let clamped = |v: i32| v.clamp(0, SIZE as i32 - 1) as usize;
    let edge: Vec<f32> = (0..count)
        .flat_map(|i| {
            let (x, y) = coordinate(i);
            value(clamped(x), clamped(y))
        })
        .collect();
    let border: Vec<f32> = (0..count)
        .flat_map(|i| {
            let (x, y) = coordinate(i);
            let inside = |v: i32| (0..SIZE as i32).contains(&v);
            if inside(x) && inside(y) { value(x as usize, y as usize) } else { [0.0; 4] }
        })
        .collect();
    // Halfway between four texels.
    let mean: Vec<f32> = (0..64usize)
        .flat_map(|i| {
            let (x, y) = (i % 8, i / 8);
            let four = [value(x, y), value(x + 1, y), value(x, y + 1), value(x + 1, y + 1)];
            [0, 1, 2, 3].map(|c| four.iter().map(|v| v[c]).sum::<f32>() / 4.0)
        })
        .collect();
    let cases = [
        ("the edge", "nearest", CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, edge),
        ("the border", "nearest", CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, border),
        ("a linear filter", "between", CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, mean),
    ];
    cases
        .into_iter()
        .map(|(name, kernel, addressing, filter, expected)| {
            let sampler = Arg::Sampler(addressing, filter, false);
            let args = vec![plane(), sampler, Arg::Buffer(vec![0; 4 * expected.len()])];
            let count = expected.len() / 4;
            let bytes = Expected::Bytes(bytes_of(&expected));
            check(format!("sampler with {name}"), SOURCE, kernel, args, count, bytes)
        })
        .collect()
}

/// Images that one kernel reads and writes.
pub fn read_write() -> Vec<Check> {
    const SOURCE: &str = "
        kernel void updated(read_write image2d_t m) {
            int2 at = (int2)(get_global_id(0) % 16, get_global_id(0) / 16);
            uint4 v = read_imageui(m, at); write_imageui(m, at, v.wzyx + 1); }";
    let words: Vec<u32> = (0..4 * (SIZE * SIZE) as u32).map(|i| i * 977).collect();
    let turned: Vec<u32> = words.chunks(4).flat_map(|v| [v[3] + 1, v[2] + 1, v[1] + 1, v[0] + 1]).collect();
    let plane = image(CL_MEM_OBJECT_IMAGE2D, [SIZE, SIZE, 1], CL_UNSIGNED_INT32, bytes_of(&words));
    let expected = Expected::Bytes(bytes_of(&turned));
    vec![check(
        "image that is read and written".into(),
        SOURCE,
        "updated",
        vec![plane],
        SIZE * SIZE,
        expected,
    )]
}
