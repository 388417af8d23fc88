//! Images that one kernel reads and writes: communication between work-items through them, and kernels with
//! several of different formats.

use super::format::{Class, Format, Random};
use super::kernels::words;
use super::{Findings, Offer, offers, small_size};
use crate::cl::{Arg, HostData, ImageKind, Session, image_format};
use pyroclast_runtime::cl::*;

const ROUNDS: u32 = 5;

/// Whether kernels may read and write an image.
fn is_able(session: &Session<'_>, kind: ImageKind) -> Result<bool, String> {
    let both: cl_uint = session.device_number(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS)?;
    Ok(both > 0 && (kind != ImageKind::D3 || session.extensions().contains("cl_khr_3d_image_writes")))
}

/// Work-items of a group write elements, synchronise, and read each other's; they also read back their own.
pub fn exchange(session: &Session<'_>, kind: ImageKind) -> Result<(), String> {
    if !is_able(session, kind)? {
        return Ok(());
    }
    let (image, at) = words(kind, false);
    let source = format!(
        "#ifdef cl_khr_3d_image_writes\n#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n#endif\n\
         kernel void exchange(read_write {image} im, uint w, uint h, global uint2 *out)\n\
         {{ uint n = get_local_size(0), me = get_local_id(0); uint2 sum = 0;\n\
            for (uint round = 0; round < {ROUNDS}; round++) {{\n\
              uint i = (me + round) % n; write_imageui(im, {at}, (uint4)(me * 7 + round, 1, 2, 3));\n\
              atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);\n\
              sum.x = sum.x * 31 + read_imageui(im, {at}).x;\n\
              work_group_barrier(CLK_IMAGE_MEM_FENCE);\n\
              i = (me * 5 + 3 * round + 1) % n; sum.y = sum.y * 31 + read_imageui(im, {at}).x;\n\
              work_group_barrier(CLK_IMAGE_MEM_FENCE); }}\n\
            out[me] = sum; }}\n"
    );
    let program = session.build(&source, "-cl-std=CL3.0")?;
    let kernel = program.kernel("exchange")?;
    let (size, mut findings) = (small_size(kind), Findings::default());
    let n = size.iter().product::<usize>().min(session.offers().work_group_size);
    let (w, h) = (size[0].to_le_bytes(), size[1].to_le_bytes());
    for offer in offers(session, kind)?.iter().filter(|o| o.has(CL_MEM_KERNEL_READ_AND_WRITE)) {
        let format = &offer.format;
        if !matches!(format.cl.image_channel_data_type, CL_UNSIGNED_INT16 | CL_UNSIGNED_INT32)
            || !format.stores(0)
        {
            continue;
        }
        let test = || -> Result<(), String> {
            let image = session.image(CL_MEM_READ_WRITE, format.cl, kind, size, format.bytes, None)?;
            let out = session.buffer(8 * n)?;
            kernel.set(&[Arg::Image(&image), Arg::Bytes(&w[..4]), Arg::Bytes(&h[..4]), Arg::Buffer(&out)])?;
            kernel.launch(&[n], Some(&[n]))?;
            let mut got = vec![[0u32; 2]; n];
            session.read(&out, &mut got)?;
            for (me, got) in got.iter().enumerate() {
                let mut want = [0u32; 2];
                for round in 0..ROUNDS {
                    // The writer of the element that is read.
                    let i = (me + (me * 4) + 3 * round as usize + 1) % n;
                    let writer = (i + n * ROUNDS as usize - round as usize) % n;
                    want[0] = want[0].wrapping_mul(31).wrapping_add(me as u32 * 7 + round);
                    want[1] = want[1].wrapping_mul(31).wrapping_add(writer as u32 * 7 + round);
                }
                if *got != want {
                    return Err(format!("work-item {me}: {got:?} instead of {want:?}"));
                }
            }
            Ok(())
        };
        findings.note(|| format.name(), test());
    }
    findings.end()
}

/// One kernel swaps the elements of two images and copies one to a third, for every pair of formats of
/// floating-point texels, and again in another order.
pub fn several(session: &Session<'_>) -> Result<(), String> {
    const SIZE: [usize; 3] = [4, 3, 1];
    const N: usize = SIZE[0] * SIZE[1];
    if !is_able(session, ImageKind::D2)? {
        return Ok(());
    }
    let source = "kernel void swap(read_write image2d_t a, read_write image2d_t b, read_write image2d_t c, global float4 *was_a, \
                  global float4 *was_b)\n\
                  { int2 p = (int2)(get_global_id(0), get_global_id(1)); int i = p.y * 4 + p.x;\n\
                    float4 t = read_imagef(a, p), u = read_imagef(b, p); was_a[i] = t; was_b[i] = u;\n\
                    write_imagef(a, p, u); write_imagef(b, p, t);\n\
                    if (read_imagef(c, p).x != 5.0f) write_imagef(c, p, t); }\n";
    let program = session.build(source, "-cl-std=CL3.0")?;
    let kernel = program.kernel("swap")?;
    let all = offers(session, ImageKind::D2)?;
    let floats: Vec<&Format> = all
        .iter()
        .filter(|o: &&Offer| {
            o.has(CL_MEM_KERNEL_READ_AND_WRITE) && o.format.class() == Class::Float && !o.format.is_depth()
        })
        .map(|o| &o.format)
        .collect();
    if floats.len() < 6 {
        return Err(format!("only {} formats are read and written", floats.len()));
    }
    let third = image_format(CL_R, CL_FLOAT);
    let mut findings = Findings::default();
    let swap = |first: &Format, second: &Format| -> Result<(), String> {
        let make = |format: &Format, seed| {
            let bytes = format.elements(&mut Random::new(seed), N, false);
            let data = HostData { bytes: &bytes, row_pitch: 0, slice_pitch: 0 };
            session
                .image(CL_MEM_READ_WRITE, format.cl, ImageKind::D2, SIZE, format.bytes, Some(data))
                .map(|i| (i, bytes))
        };
        let ((a, a_bytes), (b, b_bytes)) = (make(first, 1)?, make(second, 2)?);
        let c = session.image(
            CL_MEM_READ_WRITE,
            third,
            ImageKind::D2,
            SIZE,
            4,
            Some(HostData { bytes: &[0; 4 * N], row_pitch: 0, slice_pitch: 0 }),
        )?;
        let (was_a, was_b) = (session.buffer(16 * N)?, session.buffer(16 * N)?);
        kernel.set(&[
            Arg::Image(&a),
            Arg::Image(&b),
            Arg::Image(&c),
            Arg::Buffer(&was_a),
            Arg::Buffer(&was_b),
        ])?;
        kernel.launch(&SIZE[..2], None)?;
        let mut seen = [vec![[0u32; 4]; N], vec![[0u32; 4]; N]];
        session.read(&was_a, &mut seen[0])?;
        session.read(&was_b, &mut seen[1])?;
        let mut after = [vec![0u8; N * first.bytes], vec![0u8; N * second.bytes]];
        session.read_image(&a, [0; 3], SIZE, [0, 0], &mut after[0])?;
        session.read_image(&b, [0; 3], SIZE, [0, 0], &mut after[1])?;
        let mut copy = vec![0u8; 4 * N];
        session.read_image(&c, [0; 3], SIZE, [0, 0], &mut copy)?;
        for i in 0..N {
            first.check_read(first.load(&a_bytes, i), seen[0][i]).map_err(|e| format!("first: {e}"))?;
            second.check_read(second.load(&b_bytes, i), seen[1][i]).map_err(|e| format!("second: {e}"))?;
            first.check_write(seen[1][i], first.load(&after[0], i)).map_err(|e| format!("first: {e}"))?;
            second.check_write(seen[0][i], second.load(&after[1], i)).map_err(|e| format!("second: {e}"))?;
            if copy[4 * i..4 * i + 4] != seen[0][i][0].to_le_bytes() {
                return Err("the copy differs".into());
            }
        }
        Ok(())
    };
    for first in &floats {
        for second in &floats {
            findings.note(|| format!("{} and {}", first.name(), second.name()), swap(first, second));
        }
    }
    findings.end()
}
