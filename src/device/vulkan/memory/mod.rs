//! Device memory: buffers, images, staging blocks, and memory shared with the host or other users.

pub mod access;
pub mod allocation_cache;
pub mod buffer;
pub mod bus;
pub mod claim;
pub mod external;
pub mod format;
pub mod heap;
pub mod image;
pub mod image_support;
pub mod linear;
pub mod pools;
pub mod shared;
pub mod staging;
pub mod trials;
pub mod window;
