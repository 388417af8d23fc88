//! The protocol of clGet*Info queries: value, its size, and the application's buffer.

use crate::convert::write_out;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::err;
use pyroclast_runtime::error::Result;
use pyroclast_runtime::info::InfoValue;
use std::ffi::c_void;

/// Writes the answer to a query. CL_INVALID_VALUE if the application's buffer is too small.
pub fn write(value: InfoValue, size: usize, ptr: *mut c_void, size_ret: *mut usize) -> Result<()> {
    let bytes = value.to_bytes();
    if !ptr.is_null() {
        if size < bytes.len() {
            return Err(err!(CL_INVALID_VALUE, "the value has {} bytes, the buffer {size}", bytes.len()));
        }
        // SAFETY: the application's buffer has `size` bytes, which is enough.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), ptr.cast::<u8>(), bytes.len()) };
    }
    write_out(size_ret, bytes.len());
    Ok(())
}

/// The error for an unknown param_name of a query.
pub fn unknown(query: &str, param_name: cl_uint) -> pyroclast_runtime::error::Error {
    err!(CL_INVALID_VALUE, "{query} has no parameter {param_name:#x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null_mut;

    #[test]
    fn sizes_are_followed() {
        let mut buffer = [0u8; 8];
        let mut size = 0;
        let value = || InfoValue::from("abc");
        assert!(write(value(), 0, null_mut(), &mut size).is_ok());
        assert_eq!(size, 4);
        assert!(write(value(), 3, buffer.as_mut_ptr().cast(), null_mut()).is_err());
        assert_eq!(buffer[0], 0);
        assert!(write(value(), 4, buffer.as_mut_ptr().cast(), null_mut()).is_ok());
        assert_eq!(&buffer[..4], b"abc\0");
    }
}
