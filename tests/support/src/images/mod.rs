//! Tests of images against a reference in test code.
//!
//! `format` and `sampling` are the reference; `commands`, `kernels` and `samplers` compare a device with it.
//! Nothing here depends on a driver: all features are queried.

#![allow(non_upper_case_globals)] // names of the specification in patterns

pub mod commands;
pub mod filters;
pub mod format;
pub mod il;
pub mod kernels;
pub mod levels;
pub mod objects;
pub mod read_write;
pub mod samplers;
pub mod sampling;

use crate::cl::{HostData, Image, ImageKind, Session, image_format};
use commands::Pitched;
use format::Format;
use pyroclast_runtime::cl::*;

/// The number of failures, with messages for the first few.
#[derive(Default)]
pub struct Findings {
    first: Vec<String>,
    count: usize,
}

impl Findings {
    pub fn note(&mut self, what: impl FnOnce() -> String, result: Result<(), String>) {
        if let Err(error) = result {
            self.count += 1;
            if self.first.len() < 12 {
                self.first.push(format!("{}: {error}", what()));
            }
        }
    }
    pub fn end(self) -> Result<(), String> {
        if self.count == 0 {
            Ok(())
        } else {
            Err(format!("{} failures:\n{}", self.count, self.first.join("\n")))
        }
    }
}

/// A format that a device supports for a type of image, with the flags: CL_MEM_READ_ONLY and similar
/// together.
pub struct Offer {
    pub format: Format,
    pub flags: cl_mem_flags,
}

impl Offer {
    pub fn has(&self, flag: cl_mem_flags) -> bool {
        self.flags & flag != 0
    }
    /// Access flags with which an image of this format can be created.
    pub fn create(&self) -> cl_mem_flags {
        let order = [CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY];
        // CL_MEM_KERNEL_READ_AND_WRITE is only a flag of the query.
        order.into_iter().find(|f| self.has(*f)).unwrap_or(CL_MEM_READ_WRITE)
    }
    /// Whether kernels may read such an image.
    pub fn can_read(&self) -> bool {
        self.has(CL_MEM_READ_ONLY | CL_MEM_READ_WRITE | CL_MEM_KERNEL_READ_AND_WRITE)
    }
}

/// Every format of a type of image; an error for a duplicate or a format unknown to the reference.
pub fn offers(session: &Session<'_>, kind: ImageKind) -> Result<Vec<Offer>, String> {
    let mut offers: Vec<Offer> = Vec::new();
    for flag in [CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE, CL_MEM_KERNEL_READ_AND_WRITE] {
        for cl in session.image_formats(flag, kind)? {
            let unknown = || format!("the reference does not know {}", format::name(cl));
            let format = Format::new(cl).ok_or_else(unknown)?;
            match offers.iter_mut().find(|o| same(o.format.cl, cl)) {
                Some(offer) if offer.has(flag) => return Err(format!("{} is listed twice", format.name())),
                Some(offer) => offer.flags |= flag,
                None => offers.push(Offer { format, flags: flag }),
            }
        }
    }
    Ok(offers)
}

/// Memory of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageMemory {
    Own,
    /// A buffer's memory (cl_ext_image_from_buffer), with any pitches.
    Buffer,
    /// A buffer's memory, with the device's preferred row pitch.
    Rows,
}

impl ImageMemory {
    /// Alignment of row pitches in elements.
    fn step(self, session: &Session<'_>) -> Result<usize, String> {
        match self {
            ImageMemory::Own | ImageMemory::Buffer => Ok(1),
            ImageMemory::Rows => {
                Ok(session.device_number::<cl_uint>(CL_DEVICE_IMAGE_PITCH_ALIGNMENT)?.max(1) as usize)
            }
        }
    }
}

/// Formats for images in buffers: elements of every size, swizzled, sRGB, packed, depth.
const IN_BUFFERS: [(cl_channel_order, cl_channel_type); 12] = [
    (CL_R, CL_UNORM_INT8),
    (CL_A, CL_UNORM_INT8),
    (CL_RG, CL_SIGNED_INT8),
    (CL_RGBA, CL_UNORM_INT8),
    (CL_BGRA, CL_UNORM_INT8),
    (CL_sRGBA, CL_UNORM_INT8),
    (CL_R, CL_HALF_FLOAT),
    (CL_RGB, CL_UNORM_SHORT_565),
    (CL_DEPTH, CL_FLOAT),
    (CL_RGBA, CL_UNSIGNED_INT16),
    (CL_LUMINANCE, CL_FLOAT),
    (CL_RGBA, CL_FLOAT),
];

/// The tested formats for images in a kind of memory; none if the device has no such images.
pub fn offers_in(session: &Session<'_>, kind: ImageKind, memory: ImageMemory) -> Result<Vec<Offer>, String> {
    let all = offers(session, kind)?;
    if memory == ImageMemory::Own {
        return Ok(all);
    }
    // Where cl_ext_image_requirements_info reports the pitch alignment, our driver requires that of an
    // element.
    let needed = ["cl_ext_image_from_buffer", "cl_ext_image_requirements_info"];
    if !needed.iter().all(|e| session.extensions().contains(e)) {
        return Ok(Vec::new());
    }
    let is = |o: &Offer| {
        IN_BUFFERS.contains(&(o.format.cl.image_channel_order, o.format.cl.image_channel_data_type))
    };
    Ok(all.into_iter().filter(is).collect())
}

/// An image of these elements in a kind of memory.
fn image_in<'a>(
    session: &'a Session<'a>,
    memory: ImageMemory,
    flags: cl_mem_flags,
    format: &Format,
    kind: ImageKind,
    size: [usize; 3],
    bytes: &[u8],
) -> Result<Image<'a>, String> {
    match memory {
        ImageMemory::Own => {
            let data = HostData { bytes, row_pitch: 0, slice_pitch: 0 };
            session.image(flags, format.cl, kind, size, format.bytes, Some(data))
        }
        ImageMemory::Buffer | ImageMemory::Rows => {
            let held = Pitched::filled(kind, size, format.bytes, memory.step(session)?, bytes);
            let data =
                HostData { bytes: &held.bytes, row_pitch: held.pitches[0], slice_pitch: held.pitches[1] };
            session.image_in_buffer(flags, format.cl, kind, size, data)
        }
    }
}

fn same(a: cl_image_format, b: cl_image_format) -> bool {
    a.image_channel_order == b.image_channel_order && a.image_channel_data_type == b.image_channel_data_type
}

const LISTS: [(cl_channel_order, &[cl_channel_type]); 2] = [
    (
        CL_RGBA,
        &[
            CL_UNORM_INT8,
            CL_SIGNED_INT8,
            CL_SIGNED_INT16,
            CL_SIGNED_INT32,
            CL_UNSIGNED_INT8,
            CL_UNSIGNED_INT16,
            CL_UNSIGNED_INT32,
            CL_HALF_FLOAT,
            CL_FLOAT,
        ],
    ),
    (
        CL_R,
        &[
            CL_UNORM_INT8,
            CL_SIGNED_INT8,
            CL_SIGNED_INT16,
            CL_SIGNED_INT32,
            CL_UNSIGNED_INT8,
            CL_UNSIGNED_INT16,
            CL_UNSIGNED_INT32,
            CL_HALF_FLOAT,
            CL_FLOAT,
        ],
    ),
];

/// Minimum List of Supported Image Formats: the device supports those of OpenCL 3.0.
pub fn required_formats(session: &Session<'_>, kind: ImageKind) -> Result<(), String> {
    let offers = offers(session, kind)?;
    let mut findings = Findings::default();
    let mut need = |order, data_type, flag: cl_mem_flags, purpose: &str| {
        let cl = image_format(order, data_type);
        let found = offers.iter().any(|o| same(o.format.cl, cl) && o.has(flag));
        findings.note(
            || format::name(cl),
            if found { Ok(()) } else { Err(format!("is not offered for {purpose}")) },
        );
    };
    // Writes to three-dimensional images are optional.
    let writes = kind != ImageKind::D3 || session.extensions().contains("cl_khr_3d_image_writes");
    for (flag, purpose) in
        [(CL_MEM_READ_ONLY, "reading"), (CL_MEM_WRITE_ONLY, "writing"), (CL_MEM_READ_WRITE, "either")]
    {
        if flag != CL_MEM_READ_ONLY && !writes {
            continue;
        }
        for data_type in LISTS[0].1.iter().chain(&[CL_UNORM_INT16]) {
            need(CL_RGBA, *data_type, flag, purpose);
        }
        // All known implementations leave out BGRA for buffer images, as does the table of texel formats.
        if kind != ImageKind::Buffer {
            need(CL_BGRA, CL_UNORM_INT8, flag, purpose);
        }
    }
    let both: cl_uint = session.device_number(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS)?;
    if both > 0 && writes {
        for (order, types) in LISTS {
            types.iter().for_each(|ty| need(order, *ty, CL_MEM_KERNEL_READ_AND_WRITE, "reading and writing"));
        }
    }
    findings.end()
}

/// A small size that is not a power of two in any dimension.
pub fn small_size(kind: ImageKind) -> [usize; 3] {
    match kind {
        ImageKind::D1 | ImageKind::Buffer => [13, 1, 1],
        ImageKind::D1Array => [13, 3, 1],
        ImageKind::D2 => [13, 6, 1],
        ImageKind::D2Array => [7, 6, 3],
        ImageKind::D3 => [7, 6, 5],
    }
}
