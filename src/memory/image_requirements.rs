//! clGetImageRequirementsInfoEXT: requirements of images in buffers, and limits of images. Texels may begin
//! anywhere, and pitches need only be multiples of texels and rows: a device with stricter requirements
//! copies the texels.

use super::image::{Descriptor, ImageInfo, pitches, shape};
use crate::cl::flags::MemFlags;
use crate::cl::image::{ImageFormat, ImageKind};
use crate::cl::*;
use crate::context::Context;
use crate::device::info::ImageFacts;
use crate::err;
use crate::error::Result;
use crate::info::InfoValue;

/// Size of the largest texel in bytes.
const LARGEST_TEXEL: usize = 16;

/// Answers a query.
pub fn query(
    context: &Context,
    properties: &[cl_mem_properties],
    flags: cl_mem_flags,
    format: Option<ImageFormat>,
    desc: Option<&Descriptor>,
    param: cl_image_requirements_info_ext,
) -> Result<InfoValue> {
    // CL_INVALID_PROPERTY: no property is defined.
    if properties.iter().any(|v| *v != 0) {
        return Err(err!(CL_INVALID_PROPERTY, "unknown image property"));
    }
    // CL_INVALID_VALUE: flags that are undefined or exclude each other.
    MemFlags::of_any(flags & !CL_MEM_KERNEL_READ_AND_WRITE)?;
    if format.is_some_and(|f| !f.is_valid()) {
        return Err(err!(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "the format is not defined"));
    }
    let kind = match desc.map(|d| d.image_type) {
        None | Some(0) => None,
        Some(ty) => Some(
            ImageKind::from_cl(ty).ok_or_else(|| err!(CL_INVALID_IMAGE_DESCRIPTOR, "image type {ty:#x}"))?,
        ),
    };
    let texel = format.map_or(LARGEST_TEXEL, |f| f.element_size() as usize);
    let value = match param {
        CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT => InfoValue::Size(1),
        CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT | CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT => {
            InfoValue::Size(texel)
        }
        CL_IMAGE_REQUIREMENTS_SIZE_EXT => {
            let (Some(format), Some(desc), Some(kind)) = (format, desc, kind) else {
                return Err(err!(CL_INVALID_VALUE, "no format or no description"));
            };
            return size(context, format, kind, desc);
        }
        CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT => {
            return limit(context, kind, &ImageKind::ALL, |f, k| match k {
                ImageKind::Buffer => u32::try_from(f.max_buffer).unwrap_or(u32::MAX),
                ImageKind::D3 => f.max_3d[0],
                _ => f.max_2d[0],
            });
        }
        CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT => {
            let kinds = [ImageKind::D2, ImageKind::D2Array, ImageKind::D3];
            return limit(
                context,
                kind,
                &kinds,
                |f, k| if k == ImageKind::D3 { f.max_3d[1] } else { f.max_2d[1] },
            );
        }
        CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT => {
            return limit(context, kind, &[ImageKind::D3], |f, _| f.max_3d[2]);
        }
        CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT => {
            return limit(context, kind, &[ImageKind::D1Array, ImageKind::D2Array], |f, _| f.max_layers);
        }
        other => {
            return Err(err!(CL_INVALID_VALUE, "clGetImageRequirementsInfoEXT has no parameter {other:#x}"));
        }
    };
    // CL_INVALID_IMAGE_DESCRIPTOR: the described image cannot be created.
    if let (Some(desc), Some(kind)) = (desc, kind) {
        shape(context, kind, desc).map_err(|e| err!(CL_INVALID_IMAGE_DESCRIPTOR, "{e}"))?;
    }
    Ok(value)
}

/// Size of a buffer for the image, in bytes.
fn size(context: &Context, format: ImageFormat, kind: ImageKind, desc: &Descriptor) -> Result<InfoValue> {
    let shape = shape(context, kind, desc).map_err(|e| err!(CL_INVALID_IMAGE_DESCRIPTOR, "{e}"))?;
    let (row_pitch, slice_pitch) = pitches(desc, &shape, format, true)?;
    let info = ImageInfo { format, shape, levels: 1, row_pitch, slice_pitch, in_buffer: None, views: None };
    Ok(InfoValue::Size(info.size() as usize))
}

/// Limit that all devices with images support, for a kind or for all kinds with such a limit.
fn limit(
    context: &Context,
    kind: Option<ImageKind>,
    kinds: &[ImageKind],
    of: impl Fn(&ImageFacts, ImageKind) -> u32,
) -> Result<InfoValue> {
    if kind.is_some_and(|k| !kinds.contains(&k)) {
        return Err(err!(CL_INVALID_IMAGE_DESCRIPTOR, "the image has no such dimension"));
    }
    let devices = context.devices().iter().filter(|d| d.info().images);
    let all = devices
        .flat_map(|d| kinds.iter().map(move |k| (d, *k)))
        .filter(|(_, k)| kind.is_none_or(|one| one == *k));
    Ok(InfoValue::U32(all.map(|(d, k)| of(&d.info().image, k)).min().unwrap_or(0)))
}
