//! Features that no device has are reported absent the way the specification provides.

mod common;

use common::*;
use std::ptr::null;

#[test]
fn pipes() {
    let (context, device) = (context(), device());
    assert_eq!(number(&device_info(device, CL_DEVICE_PIPE_SUPPORT).unwrap()), 0);
    let mut code = 1;
    // SAFETY: pointers are NULL or valid; handles are live objects, though of another kind, which the loader can follow.
    unsafe {
        assert!(clCreatePipe(context, CL_MEM_READ_WRITE, 4, 4, null(), &mut code).is_null());
        assert_eq!(code, CL_INVALID_OPERATION);
        assert_eq!(clReleaseContext(context), CL_SUCCESS);
    }
}
