//! Images that share memory: with a buffer, and with another image of another channel order.

use super::format::Random;
use super::{Findings, Offer, offers};
use crate::cl::{Arg, HostData, ImageKind, Program, Session, image_format};
use pyroclast_runtime::cl::*;

const COPY: &str = "
kernel void read(read_only image2d_t im, global float4 *out)
{ int2 p = (int2)(get_global_id(0), get_global_id(1)); out[p.y * 5 + p.x] = read_imagef(im, p); }
kernel void write(write_only image2d_t im)
{ int2 p = (int2)(get_global_id(0), get_global_id(1)); write_imagef(im, p, (float4)(p.x * 0.125f, p.y * 0.25f, 1, 0)); }";

const DEPTH: &str = "
kernel void read(read_only image2d_depth_t im, global float4 *out)
{ int2 p = (int2)(get_global_id(0), get_global_id(1)); out[p.y * 5 + p.x] = (float4)(read_imagef(im, p)); }
kernel void write(write_only image2d_depth_t im)
{ int2 p = (int2)(get_global_id(0), get_global_id(1)); write_imagef(im, p, p.x * 0.125f); }";

const SIZE: [usize; 2] = [5, 4];

fn by_floats(offer: &&Offer) -> bool {
    offer.format.class() == super::format::Class::Float && !offer.format.is_depth()
}

/// Buffer and image show each other's writes, for every format.
pub fn image_of_buffer(session: &Session<'_>) -> Result<(), String> {
    if !session.extensions().contains("cl_khr_image2d_from_buffer") {
        return Ok(());
    }
    let program = session.build(COPY, "-cl-std=CL3.0")?;
    let (read, write) = (program.kernel("read")?, program.kernel("write")?);
    let alignment: cl_uint = session.device_number(CL_DEVICE_IMAGE_PITCH_ALIGNMENT)?;
    let mut findings = Findings::default();
    let offers = offers(session, ImageKind::D2)?;
    for offer in offers.iter().filter(by_floats).filter(|o| o.has(CL_MEM_READ_WRITE)) {
        let format = &offer.format;
        let test = || -> Result<(), String> {
            let step = alignment.max(1) as usize;
            let pitch_texels = SIZE[0].div_ceil(step) * step;
            let pitch = pitch_texels * format.bytes;
            let texels = pitch_texels * SIZE[1];
            let bytes = format.elements(&mut Random::new(3), texels, false);
            let buffer = session.buffer(bytes.len())?;
            let image = session.image_of_buffer(&buffer, format.cl, SIZE, pitch)?;
            // Written after the creation of the image.
            session.write(&buffer, &bytes)?;
            let out = session.buffer(16 * SIZE[0] * SIZE[1])?;
            read.set(&[Arg::Image(&image), Arg::Buffer(&out)])?;
            read.launch(&SIZE, None)?;
            let mut got = vec![[0u32; 4]; SIZE[0] * SIZE[1]];
            session.read(&out, &mut got)?;
            for (i, got) in got.iter().enumerate() {
                let at = i / SIZE[0] * pitch_texels + i % SIZE[0];
                format.check_read(format.load(&bytes, at), *got)?;
            }
            write.set(&[Arg::Image(&image)])?;
            write.launch(&SIZE, None)?;
            let mut after = vec![0u8; bytes.len()];
            session.read(&buffer, &mut after)?;
            for i in 0..texels {
                let (x, y) = (i % pitch_texels, i / pitch_texels);
                let element = format.load(&after, i);
                if x < SIZE[0] {
                    let texel = [x as f32 * 0.125, y as f32 * 0.25, 1.0, 0.0].map(f32::to_bits);
                    format.check_write(texel, element)?;
                } else if element != format.load(&bytes, i) {
                    return Err("elements behind a row were written".into());
                }
            }
            Ok(())
        };
        findings.note(|| format.name(), test());
    }
    findings.end()
}

/// An image read and written through another one of a different channel order in the same memory: sRGB and
/// linear, and depth.
pub fn image_of_image(session: &Session<'_>) -> Result<(), String> {
    // Images created from images are part of cl_khr_image2d_from_buffer.
    if !session.extensions().contains("cl_khr_image2d_from_buffer") {
        return Ok(());
    }
    let offers = offers(session, ImageKind::D2)?;
    let offered = |cl: cl_image_format| offers.iter().find(|o| super::same(o.format.cl, cl));
    let (program, depth) = (session.build(COPY, "-cl-std=CL3.0")?, session.build(DEPTH, "-cl-std=CL3.0")?);
    let mut findings = Findings::default();
    for (a, b) in
        [(CL_RGBA, CL_sRGBA), (CL_BGRA, CL_sBGRA), (CL_RGBx, CL_sRGBx), (CL_RGBA, CL_RGBA), (CL_R, CL_DEPTH)]
    {
        // Only depth has more than one channel type, and a depth image has no other order.
        let types: &[cl_channel_type] =
            if b == CL_DEPTH { &[CL_FLOAT, CL_UNORM_INT16] } else { &[CL_UNORM_INT8] };
        for (&data_type, (own, seen)) in types.iter().flat_map(|t| [(t, (a, b)), (t, (b, a))]) {
            let (own, seen) = (image_format(own, data_type), image_format(seen, data_type));
            let (Some(_), Some(offer)) = (offered(own), offered(seen)) else { continue };
            if own.image_channel_order == CL_DEPTH {
                continue;
            }
            let program = if offer.format.is_depth() { &depth } else { &program };
            let name = || format!("{} as {}", super::format::name(own), offer.format.name());
            findings.note(name, seen_as(session, program, own, offer));
        }
    }
    findings.end()
}

/// One image with a format, which another image reinterprets.
fn seen_as(
    session: &Session<'_>,
    program: &Program<'_>,
    own: cl_image_format,
    offer: &Offer,
) -> Result<(), String> {
    let (format, size, texels) = (&offer.format, [SIZE[0], SIZE[1], 1], SIZE[0] * SIZE[1]);
    let bytes = format.elements(&mut Random::new(4), texels, false);
    let data = HostData { bytes: &bytes, row_pitch: 0, slice_pitch: 0 };
    let first = session.image(CL_MEM_READ_WRITE, own, ImageKind::D2, size, format.bytes, Some(data))?;
    let second = session.image_of_image(&first, format.cl)?;
    let out = session.buffer(16 * texels)?;
    let read = program.kernel("read")?;
    read.set(&[Arg::Image(&second), Arg::Buffer(&out)])?;
    read.launch(&SIZE, None)?;
    let mut got = vec![[0u32; 4]; texels];
    session.read(&out, &mut got)?;
    for (i, got) in got.iter().enumerate() {
        format.check_read(format.load(&bytes, i), *got)?;
    }
    if !offer.has(CL_MEM_WRITE_ONLY) {
        return Ok(());
    }
    let write = program.kernel("write")?;
    write.set(&[Arg::Image(&second)])?;
    write.launch(&SIZE, None)?;
    let mut after = vec![0u8; bytes.len()];
    session.read_image(&first, [0; 3], size, [0, 0], &mut after)?;
    for i in 0..texels {
        let texel = [(i % SIZE[0]) as f32 * 0.125, (i / SIZE[0]) as f32 * 0.25, 1.0, 0.0].map(f32::to_bits);
        format.check_write(texel, format.load(&after, i)).map_err(|e| format!("written: {e}"))?;
    }
    Ok(())
}
