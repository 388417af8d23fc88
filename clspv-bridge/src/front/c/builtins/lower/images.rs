//! Image functions.

use super::super::super::types::TypeKind;
use super::super::row::{BuiltinExpansion, ImageQuery};
use super::call::Call;
use crate::error::Result;
use crate::front::expand::images::{self, Detail};
use crate::front::expand::numbers::resize;
use crate::ir::{I1, I32, ImageDim, ImageOp, Op, Type, Value};

/// Lowers a function of this module.
pub fn lower(call: &mut Call<'_, '_, '_>, lowering: BuiltinExpansion) -> Result<Option<Value>> {
    let dim = dimension(call)?;
    let image = call.arg(0)?;
    let (sampled, detail) = match lowering {
        BuiltinExpansion::ReadImage => (false, Detail::First),
        BuiltinExpansion::ReadImageSampler => (true, Detail::First),
        BuiltinExpansion::ReadImageLevel => (true, Detail::Level(call.arg(3)?)),
        BuiltinExpansion::ReadImageGradient => (true, Detail::Gradients(call.arg(3)?, call.arg(4)?)),
        BuiltinExpansion::ReadImageLevelSamplerless => (false, Detail::Level(call.arg(2)?)),
        BuiltinExpansion::WriteImage => {
            let (at, texel) = (call.arg(1)?, call.arg(2)?);
            images::write(call.cx, image, dim, at, None, texel);
            return Ok(None);
        }
        BuiltinExpansion::WriteImageLevel => {
            let (at, level, texel) = (call.arg(1)?, call.arg(2)?, call.arg(3)?);
            images::write(call.cx, image, dim, at, Some(level), texel);
            return Ok(None);
        }
        BuiltinExpansion::QueryImage(query) => return self::query(call, image, dim, query).map(Some),
        _ => return Ok(None),
    };
    let ty = call.ty()?;
    Ok(Some(if sampled {
        let (sampler, at) = (call.arg(1)?, call.arg(2)?);
        images::sample(call.cx, image, sampler, dim, at, detail, ty)
    } else {
        let at = call.arg(1)?;
        images::read(call.cx, image, dim, at, detail, ty)
    }))
}

fn dimension(call: &Call<'_, '_, '_>) -> Result<ImageDim> {
    let ty = call.types.first().copied().ok_or_else(|| call.malformed())?;
    match call.cx.types().resolved(ty) {
        TypeKind::Image(image) => Ok(image.dim),
        _ => Err(call.malformed()),
    }
}

fn query(call: &mut Call<'_, '_, '_>, image: Value, dim: ImageDim, query: ImageQuery) -> Result<Value> {
    let (op, ty) = match query {
        ImageQuery::Order => (ImageOp::Order, I32),
        ImageQuery::DataType => (ImageOp::DataType, I32),
        ImageQuery::Levels => (ImageOp::Levels, I32),
        ImageQuery::FetchesBorder => (ImageOp::FetchesBorder, I1),
        _ => (ImageOp::Size, dim.size_type()),
    };
    let value = call.cx.builder().value(Op::Image { op, dim, var: None }, &[image], ty);
    if op != ImageOp::Size {
        return Ok(value);
    }
    let size = value;
    let part = |call: &mut Call<'_, '_, '_>, lane: u32| call.cx.builder().extract(size, lane as u8);
    let ty = call.ty()?;
    Ok(match query {
        ImageQuery::Width => part(call, 0),
        ImageQuery::Height => part(call, 1),
        ImageQuery::Depth => part(call, 2),
        ImageQuery::ArraySize => {
            let layers = part(call, dim.coordinates() - 1);
            resize(call.cx, layers, ty, false)
        }
        // Two lanes of an image in two dimensions; those of three get a fourth of zero.
        _ => {
            let zero = call.cx.f.bits(I32, 0);
            let mut lanes: Vec<Value> =
                (0..ty.lanes().min(dim.coordinates())).map(|lane| part(call, lane)).collect();
            lanes.resize(ty.lanes() as usize, zero);
            call.cx.emit(Op::VecBuild, &lanes, Type::vector(crate::ir::Scalar::I32, ty.lanes()))
        }
    })
}
