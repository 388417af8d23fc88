//! Images and samplers of the small binding in `cl.rs`.
//!
//! Origins and regions are as in the API: three numbers, the layer of a one-dimensional array second, of a
//! two-dimensional one third. In images with mip levels, the level follows the coordinates. Every transfer is
//! blocking.

use super::{Api, Buffer, Session, check};
use pyroclast_runtime::cl::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

/// The types of images.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageKind {
    D1,
    D1Array,
    Buffer,
    D2,
    D2Array,
    D3,
}

impl ImageKind {
    pub const ALL: [ImageKind; 6] = [
        ImageKind::D1,
        ImageKind::D1Array,
        ImageKind::Buffer,
        ImageKind::D2,
        ImageKind::D2Array,
        ImageKind::D3,
    ];

    /// cl_mem_object_type.
    pub fn object_type(self) -> cl_mem_object_type {
        match self {
            ImageKind::D1 => CL_MEM_OBJECT_IMAGE1D,
            ImageKind::D1Array => CL_MEM_OBJECT_IMAGE1D_ARRAY,
            ImageKind::Buffer => CL_MEM_OBJECT_IMAGE1D_BUFFER,
            ImageKind::D2 => CL_MEM_OBJECT_IMAGE2D,
            ImageKind::D2Array => CL_MEM_OBJECT_IMAGE2D_ARRAY,
            ImageKind::D3 => CL_MEM_OBJECT_IMAGE3D,
        }
    }
}

/// The channel order and type.
pub const fn image_format(order: cl_channel_order, data_type: cl_channel_type) -> cl_image_format {
    cl_image_format { image_channel_order: order, image_channel_data_type: data_type }
}

/// Host memory of an image's contents: bytes and pitches (0: tight).
#[derive(Clone, Copy)]
pub struct HostData<'a> {
    pub bytes: &'a [u8],
    pub row_pitch: usize,
    pub slice_pitch: usize,
}

/// An image; `size` is the region of the whole.
pub struct Image<'a> {
    session: &'a Session<'a>,
    mem: cl_mem,
    /// The buffer or image whose memory the image shares.
    buffer: Option<cl_mem>,
    pub kind: ImageKind,
    pub size: [usize; 3],
}

impl Image<'_> {
    /// Address of the handle, as clSetKernelArg takes it.
    pub(super) fn handle(&self) -> *const c_void {
        (&raw const self.mem).cast()
    }
}

// SAFETY: as for `Session`.
unsafe impl Send for Image<'_> {}

impl Drop for Image<'_> {
    fn drop(&mut self) {
        for mem in [Some(self.mem), self.buffer].into_iter().flatten() {
            // SAFETY: the handles are ours and released once.
            unsafe { (self.session.api.clReleaseMemObject)(mem) };
        }
    }
}

pub struct Sampler<'a> {
    api: &'a Api,
    sampler: cl_sampler,
}

impl Sampler<'_> {
    pub(super) fn handle(&self) -> *const c_void {
        (&raw const self.sampler).cast()
    }
}

// SAFETY: as for `Session`.
unsafe impl Send for Sampler<'_> {}

impl Drop for Sampler<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is ours and released once.
        unsafe { (self.api.clReleaseSampler)(self.sampler) };
    }
}

impl<'a> Session<'a> {
    /// A numeric device query.
    pub fn device_number<T: Copy + Default>(&self, what: cl_device_info) -> Result<T, String> {
        let mut value = T::default();
        // SAFETY: room for the number.
        let code = unsafe {
            (self.api.clGetDeviceInfo)(
                self.device.id,
                what,
                size_of::<T>(),
                (&raw mut value).cast(),
                null_mut(),
            )
        };
        check("clGetDeviceInfo", code).map(|()| value)
    }

    /// CL_DEVICE_MAX_WORK_GROUP_SIZE.
    pub fn max_work_group_size(&self) -> Result<usize, String> {
        self.device_number(CL_DEVICE_MAX_WORK_GROUP_SIZE)
    }

    /// CL_DEVICE_IMAGE_SUPPORT.
    pub fn has_images(&self) -> Result<bool, String> {
        Ok(self.device_number::<cl_bool>(CL_DEVICE_IMAGE_SUPPORT)? != 0)
    }

    pub fn image_formats(
        &self,
        flags: cl_mem_flags,
        kind: ImageKind,
    ) -> Result<Vec<cl_image_format>, String> {
        let mut count = 0;
        let query = self.api.clGetSupportedImageFormats;
        // SAFETY: a query of the count.
        let code = unsafe { query(self.context, flags, kind.object_type(), 0, null_mut(), &mut count) };
        check("clGetSupportedImageFormats", code)?;
        if count == 0 {
            return Ok(Vec::new());
        }
        let mut formats = vec![image_format(0, 0); count as usize];
        // SAFETY: room for as many as there are.
        let code = unsafe {
            query(self.context, flags, kind.object_type(), count, formats.as_mut_ptr(), null_mut())
        };
        check("clGetSupportedImageFormats", code)?;
        Ok(formats)
    }

    /// An image with or without contents. A buffer image gets a buffer of `element` bytes for each texel.
    pub fn image(
        &'a self,
        flags: cl_mem_flags,
        format: cl_image_format,
        kind: ImageKind,
        size: [usize; 3],
        element: usize,
        data: Option<HostData<'_>>,
    ) -> Result<Image<'a>, String> {
        let mut err = 0;
        let mut desc = describe(kind, size);
        let mut host: *mut c_void = null_mut();
        let mut flags = flags;
        let mut buffer = None;
        let copied = if data.is_some() { CL_MEM_COPY_HOST_PTR } else { 0 };
        if let Some(data) = data {
            host = data.bytes.as_ptr().cast_mut().cast();
            (desc.image_row_pitch, desc.image_slice_pitch) = (data.row_pitch, data.slice_pitch);
        }
        if kind == ImageKind::Buffer {
            // SAFETY: the host's data, if there are any, are those of the image.
            let mem = unsafe {
                (self.api.clCreateBuffer)(self.context, flags | copied, size[0] * element, host, &mut err)
            };
            check("clCreateBuffer", err)?;
            buffer = Some(mem);
            desc.mem_object = mem;
            host = null_mut();
            (desc.image_row_pitch, desc.image_slice_pitch) = (0, 0);
        } else {
            flags |= copied;
        }
        // SAFETY: the host's data are as large as the description says.
        let mem = unsafe { (self.api.clCreateImage)(self.context, flags, &format, &desc, host, &mut err) };
        let made = check("clCreateImage", err);
        if let (Err(_), Some(buffer)) = (&made, buffer) {
            // SAFETY: the handle is ours.
            unsafe { (self.api.clReleaseMemObject)(buffer) };
        }
        made.map(|()| Image { session: self, mem, buffer, kind, size })
    }

    /// An image, other than a buffer image, in the memory of a buffer with the same contents.
    pub fn image_in_buffer(
        &'a self,
        flags: cl_mem_flags,
        format: cl_image_format,
        kind: ImageKind,
        size: [usize; 3],
        data: HostData<'_>,
    ) -> Result<Image<'a>, String> {
        let (mut err, host) = (0, data.bytes.as_ptr().cast_mut().cast());
        let copied = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
        // SAFETY: the contents are as long as the buffer.
        let buffer =
            unsafe { (self.api.clCreateBuffer)(self.context, copied, data.bytes.len(), host, &mut err) };
        check("clCreateBuffer", err)?;
        let mut desc = cl_image_desc { mem_object: buffer, ..describe(kind, size) };
        (desc.image_row_pitch, desc.image_slice_pitch) = (data.row_pitch, data.slice_pitch);
        // SAFETY: no host pointer.
        let mem =
            unsafe { (self.api.clCreateImage)(self.context, flags, &format, &desc, null_mut(), &mut err) };
        let made = check("clCreateImage", err);
        if made.is_err() {
            // SAFETY: the handle is ours.
            unsafe { (self.api.clReleaseMemObject)(buffer) };
        }
        made.map(|()| Image { session: self, mem, buffer: Some(buffer), kind, size })
    }

    /// An image with mip levels, without contents.
    pub fn image_with_levels(
        &'a self,
        flags: cl_mem_flags,
        format: cl_image_format,
        kind: ImageKind,
        size: [usize; 3],
        levels: u32,
    ) -> Result<Image<'a>, String> {
        let (mut err, desc) = (0, cl_image_desc { num_mip_levels: levels, ..describe(kind, size) });
        // SAFETY: no host pointer.
        let mem =
            unsafe { (self.api.clCreateImage)(self.context, flags, &format, &desc, null_mut(), &mut err) };
        check("clCreateImage", err)?;
        Ok(Image { session: self, mem, buffer: None, kind, size })
    }

    /// A two-dimensional image that shares a buffer's memory.
    pub fn image_of_buffer(
        &'a self,
        buffer: &Buffer<'_>,
        format: cl_image_format,
        size: [usize; 2],
        row_pitch: usize,
    ) -> Result<Image<'a>, String> {
        let size = [size[0], size[1], 1];
        let desc = cl_image_desc {
            image_row_pitch: row_pitch,
            mem_object: buffer.mem,
            ..describe(ImageKind::D2, size)
        };
        self.image_of(&desc, format, size)
    }

    /// A two-dimensional image that shares another one's memory in another format.
    pub fn image_of_image(&'a self, image: &Image<'_>, format: cl_image_format) -> Result<Image<'a>, String> {
        let desc = cl_image_desc { mem_object: image.mem, ..describe(ImageKind::D2, image.size) };
        self.image_of(&desc, format, image.size)
    }

    fn image_of(
        &'a self,
        desc: &cl_image_desc,
        format: cl_image_format,
        size: [usize; 3],
    ) -> Result<Image<'a>, String> {
        let mut err = 0;
        // SAFETY: no host pointer.
        let mem = unsafe { (self.api.clCreateImage)(self.context, 0, &format, desc, null_mut(), &mut err) };
        check("clCreateImage", err)?;
        Ok(Image { session: self, mem, buffer: None, kind: ImageKind::D2, size })
    }

    pub fn sampler(
        &'a self,
        normalized: bool,
        addressing: cl_uint,
        filter: cl_uint,
    ) -> Result<Sampler<'a>, String> {
        let mut err = 0;
        // SAFETY: a live context.
        let sampler = unsafe {
            (self.api.clCreateSampler)(self.context, u32::from(normalized), addressing, filter, &mut err)
        };
        check("clCreateSampler", err)?;
        Ok(Sampler { api: self.api, sampler })
    }

    pub fn sampler_with(&'a self, properties: &[(cl_uint, u32)]) -> Result<Sampler<'a>, String> {
        let list: Vec<cl_sampler_properties> =
            properties.iter().flat_map(|&(name, value)| [name.into(), value.into()]).chain([0]).collect();
        let mut err = 0;
        // SAFETY: a live context, a list that ends.
        let sampler =
            unsafe { (self.api.clCreateSamplerWithProperties)(self.context, list.as_ptr(), &mut err) };
        check("clCreateSamplerWithProperties", err)?;
        Ok(Sampler { api: self.api, sampler })
    }

    /// Reads a region to host memory with pitches (0: tight), of the size that they imply.
    pub fn read_image(
        &self,
        image: &Image<'_>,
        origin: impl AsRef<[usize]>,
        region: [usize; 3],
        pitches: [usize; 2],
        bytes: &mut [u8],
    ) -> Result<(), String> {
        // SAFETY: blocking, so the slice outlives the transfer.
        check("clEnqueueReadImage", unsafe {
            (self.api.clEnqueueReadImage)(
                self.queue,
                image.mem,
                1,
                origin.as_ref().as_ptr(),
                region.as_ptr(),
                pitches[0],
                pitches[1],
                bytes.as_mut_ptr().cast(),
                0,
                null(),
                null_mut(),
            )
        })
    }

    pub fn write_image(
        &self,
        image: &Image<'_>,
        origin: impl AsRef<[usize]>,
        region: [usize; 3],
        pitches: [usize; 2],
        bytes: &[u8],
    ) -> Result<(), String> {
        // SAFETY: blocking, so the slice outlives the transfer.
        check("clEnqueueWriteImage", unsafe {
            (self.api.clEnqueueWriteImage)(
                self.queue,
                image.mem,
                1,
                origin.as_ref().as_ptr(),
                region.as_ptr(),
                pitches[0],
                pitches[1],
                bytes.as_ptr().cast(),
                0,
                null(),
                null_mut(),
            )
        })
    }

    pub fn copy_image(
        &self,
        from: &Image<'_>,
        to: &Image<'_>,
        from_origin: impl AsRef<[usize]>,
        to_origin: impl AsRef<[usize]>,
        region: [usize; 3],
    ) -> Result<(), String> {
        let (a, b) = (from_origin.as_ref().as_ptr(), to_origin.as_ref().as_ptr());
        // SAFETY: live handles, arrays of three.
        check("clEnqueueCopyImage", unsafe {
            (self.api.clEnqueueCopyImage)(
                self.queue,
                from.mem,
                to.mem,
                a,
                b,
                region.as_ptr(),
                0,
                null(),
                null_mut(),
            )
        })
    }

    /// Fills with four numbers of 32 bits, or with one for a depth image.
    pub fn fill_image(
        &self,
        image: &Image<'_>,
        colour: [u32; 4],
        origin: impl AsRef<[usize]>,
        region: [usize; 3],
    ) -> Result<(), String> {
        let colour = colour.as_ptr().cast();
        // SAFETY: the colour is large enough for every format.
        check("clEnqueueFillImage", unsafe {
            (self.api.clEnqueueFillImage)(
                self.queue,
                image.mem,
                colour,
                origin.as_ref().as_ptr(),
                region.as_ptr(),
                0,
                null(),
                null_mut(),
            )
        })
    }

    pub fn image_to_buffer(
        &self,
        image: &Image<'_>,
        buffer: &Buffer<'_>,
        origin: impl AsRef<[usize]>,
        region: [usize; 3],
        offset: usize,
    ) -> Result<(), String> {
        let (o, r) = (origin.as_ref().as_ptr(), region.as_ptr());
        // SAFETY: live handles, arrays of three.
        check("clEnqueueCopyImageToBuffer", unsafe {
            (self.api.clEnqueueCopyImageToBuffer)(
                self.queue,
                image.mem,
                buffer.mem,
                o,
                r,
                offset,
                0,
                null(),
                null_mut(),
            )
        })
    }

    pub fn buffer_to_image(
        &self,
        buffer: &Buffer<'_>,
        image: &Image<'_>,
        offset: usize,
        origin: impl AsRef<[usize]>,
        region: [usize; 3],
    ) -> Result<(), String> {
        let (o, r) = (origin.as_ref().as_ptr(), region.as_ptr());
        // SAFETY: live handles, arrays of three.
        check("clEnqueueCopyBufferToImage", unsafe {
            (self.api.clEnqueueCopyBufferToImage)(
                self.queue,
                buffer.mem,
                image.mem,
                offset,
                o,
                r,
                0,
                null(),
                null_mut(),
            )
        })
    }

    /// Maps a region, passes each row (of `row` bytes) with its y and z to `body`, and unmaps.
    pub fn map_image(
        &self,
        image: &Image<'_>,
        flags: cl_map_flags,
        origin: impl AsRef<[usize]>,
        region: [usize; 3],
        row: usize,
        mut body: impl FnMut(usize, usize, &mut [u8]),
    ) -> Result<(), String> {
        let (mut row_pitch, mut slice_pitch, mut err) = (0usize, 0usize, 0);
        // SAFETY: live handles, arrays of three, room for the pitches.
        let ptr = unsafe {
            (self.api.clEnqueueMapImage)(
                self.queue,
                image.mem,
                1,
                flags,
                origin.as_ref().as_ptr(),
                region.as_ptr(),
                &mut row_pitch,
                &mut slice_pitch,
                0,
                null(),
                null_mut(),
                &mut err,
            )
        };
        check("clEnqueueMapImage", err)?;
        // Layers of a one-dimensional array are a slice pitch apart.
        let (y_pitch, z_pitch) =
            if image.kind == ImageKind::D1Array { (slice_pitch, 0) } else { (row_pitch, slice_pitch) };
        if row_pitch < row || (region[1] > 1 && y_pitch < row) || (region[2] > 1 && z_pitch < row * region[1])
        {
            return Err(format!(
                "clEnqueueMapImage: pitches {row_pitch} and {slice_pitch} for rows of {row} bytes"
            ));
        }
        for z in 0..region[2] {
            for y in 0..region[1] {
                // SAFETY: the mapped region has that many rows of that many bytes, this far apart.
                let bytes = unsafe {
                    std::slice::from_raw_parts_mut(ptr.cast::<u8>().add(z * z_pitch + y * y_pitch), row)
                };
                body(y, z, bytes);
            }
        }
        // SAFETY: mapped above.
        check("clEnqueueUnmapMemObject", unsafe {
            (self.api.clEnqueueUnmapMemObject)(self.queue, image.mem, ptr, 0, null(), null_mut())
        })?;
        self.finish()
    }
}

fn describe(kind: ImageKind, size: [usize; 3]) -> cl_image_desc {
    let [width, second, third] = size;
    let (height, depth, layers) = match kind {
        ImageKind::D1 | ImageKind::Buffer => (0, 0, 0),
        ImageKind::D1Array => (0, 0, second),
        ImageKind::D2 => (second, 0, 0),
        ImageKind::D2Array => (second, 0, third),
        ImageKind::D3 => (second, third, 0),
    };
    cl_image_desc {
        image_type: kind.object_type(),
        image_width: width,
        image_height: height,
        image_depth: depth,
        image_array_size: layers,
        image_row_pitch: 0,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        mem_object: null_mut(),
    }
}
