//! Images in a SPIR-V program with instructions that producers other than clang emit: channel order and type
//! count from zero, coordinates have any integer type, samplers are constants.

use super::format::{Format, Random};
use super::small_size;
use crate::cl::{Arg, HostData, ImageKind, Session, image_format};
use pyroclast_runtime::cl::*;
use rspirv::binary::Assemble;
use rspirv::dr::{Builder, Error, Operand};
use rspirv::spirv::{self, *};

/// Row that is read without a sampler.
const ROW: u32 = 2;

/// `images(read_only a, write_only b, sampler s, global float4 *out, global uint *facts)`: three reads of `a`
/// for each work-item, one of which is written to `b`; size, order and type of `a`.
fn program() -> Result<Vec<u32>, Error> {
    let mut b = Builder::new();
    b.set_version(1, 0);
    for c in [
        Capability::Addresses,
        Capability::Kernel,
        Capability::ImageBasic,
        Capability::LiteralSampler,
        Capability::Int64,
    ] {
        b.capability(c);
    }
    b.memory_model(AddressingModel::Physical64, MemoryModel::OpenCL);
    let (void, uint, ulong, float) =
        (b.type_void(), b.type_int(32, 0), b.type_int(64, 0), b.type_float(32, None));
    let (uint2, float2, float4) = (b.type_vector(uint, 2), b.type_vector(float, 2), b.type_vector(float, 4));
    let ulong3 = b.type_vector(ulong, 3);
    let mut image =
        |access| b.type_image(void, Dim::Dim2D, 0, 0, 0, 0, spirv::ImageFormat::Unknown, Some(access));
    let (read_only, write_only) = (image(AccessQualifier::ReadOnly), image(AccessQualifier::WriteOnly));
    let (sampler, sampled) = (b.type_sampler(), b.type_sampled_image(read_only));
    let global4 = b.type_pointer(None, StorageClass::CrossWorkgroup, float4);
    let global = b.type_pointer(None, StorageClass::CrossWorkgroup, uint);
    let input = b.type_pointer(None, StorageClass::Input, ulong3);
    let ty = b.type_function(void, [read_only, write_only, sampler, global4, global]);
    let ids = b.variable(input, None, StorageClass::Input, None);
    b.decorate(ids, Decoration::BuiltIn, [Operand::BuiltIn(BuiltIn::GlobalInvocationId)]);
    let edge = b.constant_sampler(sampler, SamplerAddressingMode::ClampToEdge, 0, SamplerFilterMode::Nearest);
    let mut number = |n: u32| b.constant_bit32(uint, n);
    let (zero, one, two, three, row, far) =
        (number(0), number(1), number(2), number(3), number(ROW), number(1000));
    let (lod, half) = (b.constant_bit32(float, 0), b.constant_bit32(float, 0.5f32.to_bits()));
    let function = b.begin_function(void, None, FunctionControl::NONE, ty)?;
    let [a, out_image, s] = [read_only, write_only, sampler].map(|ty| b.function_parameter(ty));
    let (a, out_image, s) = (a?, out_image?, s?);
    let (out, facts) = (b.function_parameter(global4)?, b.function_parameter(global)?);
    b.begin_block(None)?;
    let id = b.load(ulong3, None, ids, None, [])?;
    let id = b.composite_extract(ulong, None, id, [0])?;
    let x = b.u_convert(uint, None, id)?;
    let first = b.i_mul(uint, None, x, three)?;
    let store = |b: &mut Builder, i: u32, texel| -> Result<(), Error> {
        let index = b.i_add(uint, None, first, i)?;
        let at = b.in_bounds_ptr_access_chain(global4, None, out, index, [])?;
        b.store(at, texel, None, [])
    };
    // Without a sampler.
    let at = b.composite_construct(uint2, None, [x, row])?;
    let plain = b.image_read(float4, None, a, at, None, [])?;
    store(&mut b, zero, plain)?;
    // The sampler argument, floating-point coordinates.
    let fx = b.convert_u_to_f(float, None, x)?;
    let fx = b.f_add(float, None, fx, half)?;
    let at_float = b.composite_construct(float2, None, [fx, half])?;
    let with = b.sampled_image(sampled, None, a, s)?;
    let level = [Operand::IdRef(lod)];
    let argument =
        b.image_sample_explicit_lod(float4, None, with, at_float, ImageOperands::LOD, level.clone())?;
    store(&mut b, one, argument)?;
    // A constant sampler, integer coordinates, below the image.
    let at_far = b.composite_construct(uint2, None, [x, far])?;
    let with = b.sampled_image(sampled, None, a, edge)?;
    let constant = b.image_sample_explicit_lod(float4, None, with, at_far, ImageOperands::LOD, level)?;
    store(&mut b, two, constant)?;
    b.image_write(out_image, at, argument, None, [])?;
    let size = b.image_query_size_lod(uint2, None, a, zero)?;
    let width = b.composite_extract(uint, None, size, [0])?;
    let height = b.composite_extract(uint, None, size, [1])?;
    let order = b.image_query_order(uint, None, a)?;
    let data_type = b.image_query_format(uint, None, a)?;
    for (i, fact) in [(zero, width), (one, height), (two, order), (three, data_type)] {
        let at = b.in_bounds_ptr_access_chain(global, None, facts, i, [])?;
        b.store(at, fact, None, [])?;
    }
    b.ret()?;
    b.end_function()?;
    b.entry_point(ExecutionModel::Kernel, function, "images", [ids]);
    Ok(b.module().assemble())
}

/// `levels(read_write im, uint level, global uint *facts)`: copies the corner of each block of `level` to the
/// texel of the next level; size of `level`, and number of levels.
pub fn levels() -> Result<Vec<u32>, Error> {
    let mut b = Builder::new();
    b.set_version(1, 0);
    let needed = [
        Capability::Addresses,
        Capability::Kernel,
        Capability::ImageReadWrite,
        Capability::ImageMipmap,
        Capability::Int64,
    ];
    needed.into_iter().for_each(|c| b.capability(c));
    b.memory_model(AddressingModel::Physical64, MemoryModel::OpenCL);
    let (void, uint, ulong, float) =
        (b.type_void(), b.type_int(32, 0), b.type_int(64, 0), b.type_float(32, None));
    let (uint2, float4, ulong3) = (b.type_vector(uint, 2), b.type_vector(float, 4), b.type_vector(ulong, 3));
    let access = Some(AccessQualifier::ReadWrite);
    let image = b.type_image(void, Dim::Dim2D, 0, 0, 0, 0, spirv::ImageFormat::Unknown, access);
    let global = b.type_pointer(None, StorageClass::CrossWorkgroup, uint);
    let input = b.type_pointer(None, StorageClass::Input, ulong3);
    let ty = b.type_function(void, [image, uint, global]);
    let ids = b.variable(input, None, StorageClass::Input, None);
    b.decorate(ids, Decoration::BuiltIn, [Operand::BuiltIn(BuiltIn::GlobalInvocationId)]);
    let [zero, one, two] = [0, 1, 2].map(|n| b.constant_bit32(uint, n));
    let function = b.begin_function(void, None, FunctionControl::NONE, ty)?;
    let (im, level, facts) =
        (b.function_parameter(image)?, b.function_parameter(uint)?, b.function_parameter(global)?);
    b.begin_block(None)?;
    let id = b.load(ulong3, None, ids, None, [])?;
    let coordinate = |b: &mut Builder, i: u32| -> Result<(u32, u32), Error> {
        let id = b.composite_extract(ulong, None, id, [i])?;
        let own = b.u_convert(uint, None, id)?;
        Ok((own, b.i_mul(uint, None, own, two)?))
    };
    let ((x, from_x), (y, from_y)) = (coordinate(&mut b, 0)?, coordinate(&mut b, 1)?);
    let (to, from) =
        (b.composite_construct(uint2, None, [x, y])?, b.composite_construct(uint2, None, [from_x, from_y])?);
    let lod = |level| [Operand::IdRef(level)];
    let texel = b.image_read(float4, None, im, from, Some(ImageOperands::LOD), lod(level))?;
    let next = b.i_add(uint, None, level, one)?;
    b.image_write(im, to, texel, Some(ImageOperands::LOD), lod(next))?;
    let size = b.image_query_size_lod(uint2, None, im, level)?;
    let width = b.composite_extract(uint, None, size, [0])?;
    let height = b.composite_extract(uint, None, size, [1])?;
    let count = b.image_query_levels(uint, None, im)?;
    for (i, fact) in [(zero, width), (one, height), (two, count)] {
        let at = b.in_bounds_ptr_access_chain(global, None, facts, i, [])?;
        b.store(at, fact, None, [])?;
    }
    b.ret()?;
    b.end_function()?;
    b.entry_point(ExecutionModel::Kernel, function, "levels", [ids]);
    Ok(b.module().assemble())
}

/// Runs the kernel for each writable format of floating-point texels.
pub fn images_in_spirv(session: &Session<'_>) -> Result<(), String> {
    if !session.extensions().contains("cl_khr_il_program") {
        return Ok(());
    }
    let words = program().map_err(|e| e.to_string())?;
    let program = session.build_il(&words)?;
    let kernel = program.kernel("images")?;
    let sampler = session.sampler(false, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST)?;
    let size = small_size(ImageKind::D2);
    let texels = size[0] * size[1];
    for (order, data_type) in
        [(CL_RGBA, CL_FLOAT), (CL_RGBA, CL_UNORM_INT8), (CL_R, CL_HALF_FLOAT), (CL_BGRA, CL_UNORM_INT8)]
    {
        let cl = image_format(order, data_type);
        let format = Format::new(cl).ok_or("the reference does not know the format")?;
        let bytes = format.elements(&mut Random::new(9), texels, false);
        let data = HostData { bytes: &bytes, row_pitch: 0, slice_pitch: 0 };
        let a = session.image(CL_MEM_READ_ONLY, cl, ImageKind::D2, size, format.bytes, Some(data))?;
        let b = session.image(CL_MEM_WRITE_ONLY, cl, ImageKind::D2, size, format.bytes, None)?;
        let (out, facts) = (session.buffer(16 * 3 * size[0])?, session.buffer(16)?);
        kernel.set(&[
            Arg::Image(&a),
            Arg::Image(&b),
            Arg::Sampler(&sampler),
            Arg::Buffer(&out),
            Arg::Buffer(&facts),
        ])?;
        kernel.launch(&[size[0]], None)?;
        let (mut got, mut found) = (vec![[0u32; 4]; 3 * size[0]], [0u32; 4]);
        session.read(&out, &mut got)?;
        session.read(&facts, &mut found)?;
        let expected = [size[0] as u32, size[1] as u32, order - CL_R, data_type - CL_SNORM_INT8];
        if found != expected {
            return Err(format!("{}: facts {found:?} instead of {expected:?}", format.name()));
        }
        let mut after = vec![0u8; bytes.len()];
        session.read_image(&b, [0; 3], size, [0, 0], &mut after)?;
        for x in 0..size[0] {
            let rows = [ROW as usize, 0, size[1] - 1];
            for (i, row) in rows.into_iter().enumerate() {
                let element = format.load(&bytes, row * size[0] + x);
                let read = format.check_read(element, got[3 * x + i]);
                read.map_err(|e| format!("{}, read {i} of {x}: {e}", format.name()))?;
            }
            let written = format.load(&after, ROW as usize * size[0] + x);
            format
                .check_write(got[3 * x + 1], written)
                .map_err(|e| format!("{}, {x}: {e}", format.name()))?;
        }
    }
    Ok(())
}
