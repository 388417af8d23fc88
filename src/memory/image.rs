//! Creation of images, on their own or from buffers and other images, and the properties of image objects.
//!
//! An image in a buffer shares the buffer's bytes: transfers are transfers of the buffer, and kernels access
//! a view that the device creates of its backing. An image of an image shares its texels in the same way.

// The names of the API.
#![allow(non_upper_case_globals)]

use super::MemObject;
use super::residency::{Initial, Residency};
use crate::cl::flags::MemFlags;
use crate::cl::image::{ImageFormat, ImageKind, ImageShape, bytes_of, host_layout};
use crate::cl::region::{RectLayout, region_end};
use crate::cl::*;
use crate::context::Context;
use crate::device::Device;
use crate::device::info::DeviceInfo;
use crate::device::traits::{DeviceMemory, ImageDesc};
use crate::err;
use crate::error::{Error, Result};
use crate::host_ptr::HostPtr;
use crate::sync::{Mutex, Rank};
use clspv_bridge::metadata::AccessQualifier;
use std::sync::Arc;

/// cl_image_desc with its handle resolved.
pub struct Descriptor {
    pub image_type: cl_mem_object_type,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub array_size: usize,
    pub row_pitch: usize,
    pub slice_pitch: usize,
    pub num_mip_levels: cl_uint,
    pub num_samples: cl_uint,
    pub mem: Option<Arc<MemObject>>,
}

type Views = Vec<Option<Arc<dyn DeviceMemory>>>;

/// Properties of an image object.
pub struct ImageInfo {
    pub format: ImageFormat,
    /// Shape of the first mip level.
    pub shape: ImageShape,
    pub levels: u32,
    /// CL_IMAGE_ROW_PITCH.
    pub row_pitch: u64,
    /// CL_IMAGE_SLICE_PITCH.
    pub slice_pitch: u64,
    /// Layout of the texels of an image in a buffer, from the start of its residency.
    pub in_buffer: Option<RectLayout>,
    /// Views for kernels, by device; `None` for images with memory of their own.
    pub(super) views: Option<Mutex<Views>>,
}

impl ImageInfo {
    /// Description for the device layer.
    pub fn desc(&self) -> ImageDesc {
        ImageDesc { format: self.format, shape: self.shape, levels: self.levels }
    }

    /// The layout of all texels in the application's memory, with the image's pitches.
    pub(crate) fn host_layout(&self) -> RectLayout {
        let slice = self.slice_pitch;
        match self.shape.kind {
            ImageKind::D1Array => {
                RectLayout { offset: 0, row_pitch: slice, slice_pitch: slice * u64::from(self.shape.size[1]) }
            }
            kind if kind.has_slices() => {
                RectLayout { offset: 0, row_pitch: self.row_pitch, slice_pitch: slice }
            }
            _ => RectLayout {
                offset: 0,
                row_pitch: self.row_pitch,
                slice_pitch: self.row_pitch * u64::from(self.shape.size[1]),
            },
        }
    }

    /// Size of all texels with the image's pitches, in bytes.
    pub fn size(&self) -> u64 {
        let (layout, [_, rows, slices]) = (self.host_layout(), self.shape.size.map(u64::from));
        if self.shape.kind.has_slices() { layout.slice_pitch * slices } else { layout.row_pitch * rows }
    }

    /// The layout of a part that begins at `origin`, from the layout of the whole.
    pub fn part(&self, whole: &RectLayout, origin: [u32; 3]) -> RectLayout {
        let [x, y, z] = origin.map(u64::from);
        let x = x * u64::from(self.format.element_size());
        RectLayout { offset: whole.offset + z * whole.slice_pitch + y * whole.row_pitch + x, ..*whole }
    }

    /// The memory that kernels on the device access: the image, or a view of the residency's memory there.
    pub(crate) fn for_kernels(
        &self,
        context: &Context,
        device: usize,
        memory: Arc<dyn DeviceMemory>,
    ) -> Result<Arc<dyn DeviceMemory>> {
        let Some(views) = &self.views else { return Ok(memory) };
        if let Some(Some(view)) = views.lock().get(device) {
            return Ok(view.clone());
        }
        let ops = context.ops(device)?;
        let made = match &self.in_buffer {
            Some(layout) => ops.view_buffer(&memory, layout, &self.desc()),
            None => ops.view_image(&memory, &self.desc()),
        };
        let made = made.map_err(Error::for_memory)?;
        let mut views = views.lock();
        let slot = views.get_mut(device).ok_or_else(|| Error::new(CL_INVALID_DEVICE))?;
        // Another thread may have been faster.
        Ok(slot.get_or_insert(made).clone())
    }

    /// Checks that kernels on the device can use the image as declared by an argument.
    pub(crate) fn validate_access(&self, facts: &DeviceInfo, access: AccessQualifier) -> Result<()> {
        let uses = facts.image.uses(self.format, self.shape.kind);
        // CL_IMAGE_FORMAT_NOT_SUPPORTED: the format does not support the declared access.
        if uses.allows(access) {
            Ok(())
        } else {
            Err(err!(CL_IMAGE_FORMAT_NOT_SUPPORTED, "the device cannot use the format so"))
        }
    }

    /// Checks that commands for a device may use the image.
    pub fn validate_device(&self, facts: &DeviceInfo) -> Result<()> {
        if !facts.images {
            return Err(err!(CL_INVALID_OPERATION, "the device does not support images"));
        }
        if self.levels > 1 && !facts.image.levels {
            return Err(err!(CL_INVALID_OPERATION, "the device does not support levels of detail"));
        }
        if !facts.image.fits(&self.shape) {
            return Err(err!(CL_INVALID_IMAGE_SIZE, "the image is too large for the device"));
        }
        if !facts.image.uses(self.format, self.shape.kind).read {
            return Err(err!(
                CL_IMAGE_FORMAT_NOT_SUPPORTED,
                "the device does not support the image's format"
            ));
        }
        Ok(())
    }
}

/// clGetSupportedImageFormats: formats that a device of the context supports.
pub fn supported_formats(
    context: &Context,
    flags: cl_mem_flags,
    image_type: cl_mem_object_type,
) -> Result<Vec<ImageFormat>> {
    // CL_INVALID_VALUE: flags that are undefined or exclude each other.
    const BOTH: cl_mem_flags = CL_MEM_KERNEL_READ_AND_WRITE;
    let checked = MemFlags::of_any(flags & !BOTH)?;
    let kind =
        ImageKind::from_cl(image_type).ok_or_else(|| err!(CL_INVALID_VALUE, "image type {image_type:#x}"))?;
    let mut list: Vec<ImageFormat> = Vec::new();
    for device in context.devices() {
        for support in &device.info().image.formats {
            let fits = if flags & BOTH != 0 {
                device.info().image.uses(support.format, kind).read_write
            } else {
                is_usable(device, support.format, kind, checked)
            };
            if fits && !list.contains(&support.format) {
                list.push(support.format);
            }
        }
    }
    Ok(list)
}

/// Whether the device supports the format for images with these flags.
fn is_usable(device: &Device, format: ImageFormat, kind: ImageKind, flags: MemFlags) -> bool {
    let uses = device.info().image.uses(format, kind);
    if flags.kernel_writable() { uses.write } else { uses.read }
}

/// clCreateImage, clCreateImageWithProperties. `properties` is the list as passed, if there was one.
pub fn create(
    context: &Arc<Context>,
    properties: Option<Vec<cl_mem_properties>>,
    flags: cl_mem_flags,
    format: Option<ImageFormat>,
    desc: Option<Descriptor>,
    host_ptr: Option<HostPtr>,
) -> Result<Arc<MemObject>> {
    if !context.devices().iter().any(|d| d.info().images) {
        return Err(err!(CL_INVALID_OPERATION, "no device of the context supports images"));
    }
    // CL_INVALID_PROPERTY: without extensions only an empty list is valid.
    if properties.as_ref().is_some_and(|p| p.iter().any(|v| *v != 0)) {
        return Err(err!(CL_INVALID_PROPERTY, "unknown image property"));
    }
    // CL_INVALID_IMAGE_FORMAT_DESCRIPTOR: NULL, or an undefined order, type or combination.
    let format = format.filter(|f| f.is_valid());
    let format = format
        .ok_or_else(|| err!(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "no format, or one that is not defined"))?;
    let desc = desc.ok_or_else(|| err!(CL_INVALID_IMAGE_DESCRIPTOR, "no description"))?;
    let kind = ImageKind::from_cl(desc.image_type);
    let kind = kind.ok_or_else(|| err!(CL_INVALID_IMAGE_DESCRIPTOR, "image type {:#x}", desc.image_type))?;
    if desc.num_samples != 0 {
        return Err(err!(CL_INVALID_IMAGE_DESCRIPTOR, "{} samples", desc.num_samples));
    }
    // CL_INVALID_IMAGE_DESCRIPTOR: CL_MEM_OBJECT_IMAGE1D_BUFFER requires a buffer.
    if kind == ImageKind::Buffer && desc.mem.as_ref().is_none_or(|m| m.image().is_some()) {
        return Err(err!(CL_INVALID_IMAGE_DESCRIPTOR, "no buffer"));
    }
    if desc.mem.as_ref().is_some_and(|m| m.pipe.is_some()) {
        return Err(err!(CL_INVALID_IMAGE_DESCRIPTOR, "an image of a pipe"));
    }
    let shape = shape(context, kind, &desc)?;
    let flags = match &desc.mem {
        Some(mem) => MemFlags::for_image_of(flags, mem.flags)?,
        None => MemFlags::for_buffer(flags)?,
    };
    // CL_INVALID_HOST_PTR: a host pointer without a flag that uses it, or the reverse; an image of another
    // object has none.
    if (desc.mem.is_none() && flags.needs_host_ptr()) != host_ptr.is_some() {
        return Err(err!(CL_INVALID_HOST_PTR, "a host pointer without its flag, or the reverse"));
    }
    // CL_IMAGE_FORMAT_NOT_SUPPORTED: no device supports the format for such images.
    if !context.devices().iter().any(|d| is_usable(d, format, kind, flags)) {
        return Err(err!(
            CL_IMAGE_FORMAT_NOT_SUPPORTED,
            "order {:#x}, type {:#x}",
            format.order,
            format.data_type
        ));
    }
    let levels = levels(context, &desc, &shape, format, host_ptr.is_some())?;
    let (row_pitch, slice_pitch) = pitches(&desc, &shape, format, host_ptr.is_some())?;
    let info = ImageInfo { format, shape, levels, row_pitch, slice_pitch, in_buffer: None, views: None };
    let (layout, size) = (info.host_layout(), info.size());
    if let Some(mem) = desc.mem {
        return of_object(context, mem, flags, info, size, properties, &desc.row_pitch, &desc.slice_pitch);
    }
    // CL_MEM_OBJECT_ALLOCATION_FAILURE: no device can hold it.
    let largest = context.devices().iter().map(|d| d.info().max_alloc_size).max().unwrap_or(0);
    let texels = (0..levels).fold(0u64, |n, level| n.saturating_add(shape.level(level).texels()));
    if texels.saturating_mul(u64::from(format.element_size())) > largest {
        return Err(err!(CL_MEM_OBJECT_ALLOCATION_FAILURE, "at most {largest} bytes can be allocated"));
    }
    let initial = match host_ptr {
        Some(ptr) if flags.uses_host_ptr() => Initial::Use(ptr),
        Some(ptr) => Initial::Copy(ptr),
        None => Initial::Nothing,
    };
    let residency = Arc::new(Residency::new_image(context.device_ops(), info.desc(), initial, layout)?);
    let host_ptr = host_ptr.filter(|_| flags.uses_host_ptr());
    let uses_svm = host_ptr.is_some_and(|p| context.allocations.find(p.addr() as u64).is_some());
    Ok(Arc::new(MemObject {
        object_type: desc.image_type,
        host_ptr,
        uses_svm,
        properties,
        image: Some(info),
        ..MemObject::new(context, flags, size, residency, 0)
    }))
}

/// The number of mip levels.
fn levels(
    context: &Context,
    desc: &Descriptor,
    shape: &ImageShape,
    format: ImageFormat,
    has_host_ptr: bool,
) -> Result<u32> {
    if desc.num_mip_levels <= 1 {
        return Ok(1);
    }
    // CL_INVALID_IMAGE_DESCRIPTOR: no device supports mip levels, or there are more than down to a single
    // texel. OpenCL-CTS creates two of a single texel and three of two.
    if !context.devices().iter().any(|d| d.info().image.levels)
        || desc.num_mip_levels > shape.most_levels().max(3)
    {
        return Err(err!(CL_INVALID_IMAGE_DESCRIPTOR, "{} levels of detail", desc.num_mip_levels));
    }
    // CL_INVALID_IMAGE_DESCRIPTOR: mip levels of an image of another object, or of a depth image.
    if desc.mem.is_some() || format.order == CL_DEPTH {
        return Err(err!(CL_INVALID_IMAGE_DESCRIPTOR, "levels of detail of such an image"));
    }
    // CL_INVALID_HOST_PTR: mip levels with contents from the application.
    if has_host_ptr {
        return Err(err!(CL_INVALID_HOST_PTR, "levels of detail in the application's memory"));
    }
    Ok(desc.num_mip_levels)
}

/// The shape for the kind, with the dimensions that it has.
pub(super) fn shape(context: &Context, kind: ImageKind, desc: &Descriptor) -> Result<ImageShape> {
    let size = match kind {
        ImageKind::D1 | ImageKind::Buffer => [desc.width, 1, 1],
        ImageKind::D1Array => [desc.width, desc.array_size, 1],
        ImageKind::D2 => [desc.width, desc.height, 1],
        ImageKind::D2Array => [desc.width, desc.height, desc.array_size],
        ImageKind::D3 => [desc.width, desc.height, desc.depth],
    };
    let invalid = || err!(CL_INVALID_IMAGE_SIZE, "{size:?} texels");
    // CL_INVALID_IMAGE_SIZE: a dimension is zero or exceeds the limits of all devices.
    let mut shape = ImageShape { kind, size: [0; 3] };
    for (to, from) in shape.size.iter_mut().zip(size) {
        *to = u32::try_from(from).ok().filter(|n| *n > 0).ok_or_else(invalid)?;
    }
    let fits = |d: &Arc<Device>| d.info().images && d.info().image.fits(&shape);
    if context.devices().iter().any(fits) { Ok(shape) } else { Err(invalid()) }
}

/// Row and slice pitch, as passed or without gaps.
pub(super) fn pitches(
    desc: &Descriptor,
    shape: &ImageShape,
    format: ImageFormat,
    has_host_ptr: bool,
) -> Result<(u64, u64)> {
    let given = desc.row_pitch != 0 || desc.slice_pitch != 0;
    let invalid = |why: &str| Err(Error::with(CL_INVALID_IMAGE_DESCRIPTOR, why));
    // Pitches require a host pointer or another memory object.
    if given && !has_host_ptr && desc.mem.is_none() {
        return invalid("pitches without a host pointer");
    }
    let element = format.element_size() as usize;
    let region = bytes_of(shape.size, format.element_size());
    let in_buffer = desc.mem.as_ref().is_some_and(|m| m.image().is_none());
    // A row pitch must be a multiple of the texel size.
    if !desc.row_pitch.is_multiple_of(element) {
        let code = if in_buffer { CL_INVALID_IMAGE_FORMAT_DESCRIPTOR } else { CL_INVALID_IMAGE_DESCRIPTOR };
        return Err(err!(code, "a row pitch of {} bytes", desc.row_pitch));
    }
    let slices = if shape.kind.has_slices() { desc.slice_pitch } else { 0 };
    // Pitches must hold a row and a slice.
    let Ok(layout) = host_layout(shape.kind, region, desc.row_pitch, slices) else {
        return invalid("the pitches are too small");
    };
    let row = if desc.row_pitch == 0 { region[0] } else { desc.row_pitch as u64 };
    // A slice pitch must be a multiple of the row pitch.
    if !(slices as u64).is_multiple_of(row) {
        let code = if in_buffer { CL_INVALID_IMAGE_FORMAT_DESCRIPTOR } else { CL_INVALID_IMAGE_DESCRIPTOR };
        return Err(err!(code, "the slice pitch is not a multiple of the row pitch"));
    }
    Ok(match shape.kind {
        ImageKind::D1Array => (row, layout.row_pitch),
        ImageKind::D2Array | ImageKind::D3 => (row, layout.slice_pitch),
        _ => (row, 0),
    })
}

/// Creates an image in a buffer, or of another image.
#[allow(clippy::too_many_arguments)]
fn of_object(
    context: &Arc<Context>,
    mem: Arc<MemObject>,
    flags: MemFlags,
    mut info: ImageInfo,
    size: u64,
    properties: Option<Vec<cl_mem_properties>>,
    row_pitch: &usize,
    slice_pitch: &usize,
) -> Result<Arc<MemObject>> {
    if !Arc::ptr_eq(&mem.context, context) {
        return Err(err!(CL_INVALID_IMAGE_DESCRIPTOR, "the memory object is of another context"));
    }
    match mem.image() {
        Some(other) => {
            // CL_INVALID_IMAGE_DESCRIPTOR: an image of an image must be two-dimensional, with the same size
            // and pitches and one mip level.
            let pitches = [(*row_pitch as u64, other.row_pitch), (*slice_pitch as u64, other.slice_pitch)];
            let same = pitches.iter().all(|(given, has)| *given == 0 || given == has);
            if info.shape.kind != ImageKind::D2 || info.shape != other.shape || other.levels != 1 || !same {
                return Err(err!(CL_INVALID_IMAGE_DESCRIPTOR, "not like the image it is made from"));
            }
            // CL_INVALID_IMAGE_FORMAT_DESCRIPTOR: another data type, or incompatible orders.
            if info.format.data_type != other.format.data_type
                || !is_compatible(info.format.order, other.format.order)
            {
                return Err(err!(
                    CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                    "not compatible with the image it is made from"
                ));
            }
            (info.row_pitch, info.slice_pitch, info.in_buffer) =
                (other.row_pitch, other.slice_pitch, other.in_buffer);
        }
        None => {
            let whole = info.host_layout();
            let region = bytes_of(info.shape.size, info.format.element_size());
            if region_end(&whole, region) > mem.size || size > mem.size {
                return Err(err!(
                    CL_INVALID_IMAGE_SIZE,
                    "the image needs {size} bytes, the buffer has {}",
                    mem.size
                ));
            }
            info.in_buffer = Some(RectLayout { offset: mem.offset, ..whole });
        }
    }
    info.views = Some(Mutex::new(Rank::Residency, vec![None; context.devices().len()]));
    let (host_ptr, residency) = (mem.host_ptr, mem.residency().clone());
    Ok(Arc::new(MemObject {
        object_type: info.shape.kind.to_cl(),
        host_ptr,
        properties,
        image: Some(info),
        uses_svm: mem.uses_svm,
        parent: Some(mem),
        ..MemObject::new(context, flags, size, residency, 0)
    }))
}

/// Whether an image of the first channel order can be created from one of the second.
fn is_compatible(order: cl_channel_order, of: cl_channel_order) -> bool {
    let pairs = [(CL_sBGRA, CL_BGRA), (CL_sRGBA, CL_RGBA), (CL_sRGB, CL_RGB), (CL_sRGBx, CL_RGBx)];
    order == of
        || pairs.contains(&(order, of))
        || pairs.contains(&(of, order))
        || (order, of) == (CL_DEPTH, CL_R)
}
