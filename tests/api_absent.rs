//! Features that no device has are reported absent the way the specification provides.

mod common;

use common::*;
use std::ptr::{null, null_mut};

#[test]
fn images() {
    let (context, device) = (context(), device());
    assert_eq!(number(&device_info(device, CL_DEVICE_IMAGE_SUPPORT).unwrap()), 0);
    let format = cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNORM_INT8 };
    let (mut count, mut code) = (7, 1);
    // SAFETY: pointers are NULL or valid; handles are live objects, though of another kind, which the loader can follow.
    unsafe {
        let ask = |flags, kind, count: *mut cl_uint| clGetSupportedImageFormats(context, flags, kind, 0, null_mut(), count);
        assert_eq!(ask(CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, &mut count), CL_SUCCESS);
        assert_eq!(count, 0);
        assert_eq!(ask(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, &mut count), CL_INVALID_VALUE);
        assert_eq!(ask(CL_MEM_READ_WRITE, CL_MEM_OBJECT_BUFFER, &mut count), CL_INVALID_VALUE);
        let image = clCreateImage(context, CL_MEM_READ_WRITE, &format, null(), null_mut(), &mut code);
        assert!(image.is_null());
        assert_eq!(code, CL_INVALID_OPERATION);
        assert!(clCreateImage(device.cast(), CL_MEM_READ_WRITE, &format, null(), null_mut(), &mut code).is_null());
        assert_eq!(code, CL_INVALID_CONTEXT);
        assert_eq!(clGetImageInfo(device.cast(), CL_IMAGE_WIDTH, 0, null_mut(), null_mut()), CL_INVALID_MEM_OBJECT);
        assert!(clCreateSampler(context, CL_TRUE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &mut code).is_null());
        assert_eq!(code, CL_INVALID_OPERATION);
        assert_eq!(clRetainSampler(device.cast()), CL_INVALID_SAMPLER);
        assert_eq!(clReleaseContext(context), CL_SUCCESS);
    }
}

#[test]
fn pipes() {
    let (context, device) = (context(), device());
    assert_eq!(number(&device_info(device, CL_DEVICE_PIPE_SUPPORT).unwrap()), 0);
    let mut code = 1;
    // SAFETY: as above.
    unsafe {
        assert!(clCreatePipe(context, CL_MEM_READ_WRITE, 4, 4, null(), &mut code).is_null());
        assert_eq!(code, CL_INVALID_OPERATION);
        assert_eq!(clReleaseContext(context), CL_SUCCESS);
    }
}
