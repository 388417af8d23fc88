//! Images that share memory: with a buffer, and with another image that has another order of channels.

use super::format::{Format, Random};
use super::{Findings, Offer, offers};
use crate::cl::{Arg, HostData, ImageKind, Session, image_format};
use pyroclast_runtime::cl::*;

const COPY: &str = "
kernel void read(read_only image2d_t im, global float4 *out)
{ int2 p = (int2)(get_global_id(0), get_global_id(1)); out[p.y * 5 + p.x] = read_imagef(im, p); }
kernel void write(write_only image2d_t im)
{ int2 p = (int2)(get_global_id(0), get_global_id(1)); write_imagef(im, p, (float4)(p.x * 0.125f, p.y * 0.25f, 1, 0)); }";

const SIZE: [usize; 2] = [5, 4];

fn by_floats(offer: &&Offer) -> bool {
    offer.format.class() == super::format::Class::Float && !offer.format.is_depth()
}

/// What a buffer holds shows in images made of it, and the other way round, for every format.
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
            // Written after the image was made.
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

/// An image read as sRGB and as linear, which is the same memory.
pub fn image_of_image(session: &Session<'_>) -> Result<(), String> {
    let pairs = [(CL_RGBA, CL_sRGBA), (CL_sRGBA, CL_RGBA)];
    let offers = offers(session, ImageKind::D2)?;
    let offered = |cl: cl_image_format| {
        let order = cl.image_channel_order;
        let is = |o: &&Offer| o.format.cl.image_channel_order == order && o.format.cl.image_channel_data_type == CL_UNORM_INT8;
        offers.iter().find(is).is_some_and(|o| o.has(CL_MEM_READ_ONLY))
    };
    // Images of images are part of cl_khr_image2d_from_buffer.
    if !session.extensions().contains("cl_khr_image2d_from_buffer") || !offered(image_format(CL_sRGBA, CL_UNORM_INT8)) {
        return Ok(());
    }
    let program = session.build(COPY, "-cl-std=CL3.0")?;
    let read = program.kernel("read")?;
    for (order, seen) in pairs {
        let (cl, seen) = (image_format(order, CL_UNORM_INT8), image_format(seen, CL_UNORM_INT8));
        let format = Format::new(seen).ok_or("the reference does not know the format")?;
        let bytes = format.elements(&mut Random::new(4), SIZE[0] * SIZE[1], false);
        let data = HostData { bytes: &bytes, row_pitch: 0, slice_pitch: 0 };
        let first = session.image(CL_MEM_READ_ONLY, cl, ImageKind::D2, [SIZE[0], SIZE[1], 1], 4, Some(data))?;
        let second = session.image_of_image(&first, seen)?;
        let out = session.buffer(16 * SIZE[0] * SIZE[1])?;
        read.set(&[Arg::Image(&second), Arg::Buffer(&out)])?;
        read.launch(&SIZE, None)?;
        let mut got = vec![[0u32; 4]; SIZE[0] * SIZE[1]];
        session.read(&out, &mut got)?;
        for (i, got) in got.iter().enumerate() {
            format
                .check_read(format.load(&bytes, i), *got)
                .map_err(|e| format!("{} as {}: {e}", super::format::name(cl), format.name()))?;
        }
    }
    Ok(())
}
