//! OpenCL error codes for the device layer's failures.

use super::traits::DeviceError;
use crate::cl::*;
use crate::error::Error;

impl Error {
    /// The error of creating or backing a memory object, which has its own code for out of device memory.
    pub fn for_memory(error: DeviceError) -> Self {
        match error {
            DeviceError::OutOfDeviceMemory => {
                Error::with(CL_MEM_OBJECT_ALLOCATION_FAILURE, error.to_string())
            }
            other => other.into(),
        }
    }
}

impl From<DeviceError> for Error {
    fn from(error: DeviceError) -> Self {
        let code = match &error {
            DeviceError::OutOfHostMemory => CL_OUT_OF_HOST_MEMORY,
            DeviceError::OutOfDeviceMemory | DeviceError::Lost | DeviceError::Unexpected(_) => {
                CL_OUT_OF_RESOURCES
            }
            DeviceError::Unsupported(_) => CL_INVALID_OPERATION,
        };
        Error::with(code, error.to_string())
    }
}

impl From<Error> for DeviceError {
    fn from(error: Error) -> Self {
        match error.code() {
            CL_MEM_OBJECT_ALLOCATION_FAILURE => DeviceError::OutOfDeviceMemory,
            CL_OUT_OF_HOST_MEMORY => DeviceError::OutOfHostMemory,
            CL_INVALID_OPERATION => DeviceError::Unsupported(error.to_string()),
            _ => DeviceError::Unexpected(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_failures_map_to_codes() {
        assert_eq!(Error::from(DeviceError::OutOfDeviceMemory).code(), CL_OUT_OF_RESOURCES);
        assert_eq!(
            Error::for_memory(DeviceError::OutOfDeviceMemory).code(),
            CL_MEM_OBJECT_ALLOCATION_FAILURE
        );
        assert_eq!(Error::for_memory(DeviceError::Lost).code(), CL_OUT_OF_RESOURCES);
    }
}
