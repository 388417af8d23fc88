//! Programs: kernels and their pipelines, descriptors and launch plans, and the shaders of the device layer.

pub mod ahead;
pub mod caches;
pub mod data;
pub mod descriptors;
pub mod dispatch;
pub mod empty_shader;
pub mod grid;
pub mod group_size;
pub mod internal_shaders;
pub mod kernel;
pub mod pipeline;
mod pipeline_creation;
mod pipeline_entries;
pub mod pipeline_key;
pub mod print;
pub mod statistics;
pub mod variants;
pub mod window;
