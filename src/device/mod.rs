//! Devices: the traits a device kind implements, the work it is handed, and the kinds there are.

pub mod batch;
pub mod info;
pub mod traits;
pub mod vulkan;
