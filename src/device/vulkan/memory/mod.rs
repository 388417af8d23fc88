//! Device memory: buffers, images, staging blocks, and memory shared with the host or other users.

pub mod buffer;
pub mod external;
pub mod format;
pub mod image;
pub mod linear;
pub mod shared;
pub mod staging;
