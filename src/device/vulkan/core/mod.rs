//! Vulkan objects of a device: the instance, the physical devices, their capabilities and the opened device.

pub mod adapter;
pub mod caps;
pub mod clock;
pub mod conv;
pub mod ext;
pub mod external;
pub mod fault;
pub mod features;
pub mod gpu;
pub mod instance;
pub mod internal_cache;
pub mod nvidia;
pub mod quirks;
pub mod samplers;
pub mod sync;
pub mod uploads;
