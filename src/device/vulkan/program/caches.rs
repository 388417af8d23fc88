//! Caches that the programs of a device share.

use super::empty_shader::EmptyShader;
use super::internal_shaders::InternalShaders;
use super::print::PrintBuffers;
use super::variants::Variants;
use crate::device::vulkan::memory::pools::MemoryPools;
use crate::store::Store;

/// Pipelines, print buffers and internal shaders.
pub struct ProgramCaches {
    pub memory: &'static MemoryPools,
    /// Pipelines, shared by programs.
    pub variants: Variants,
    /// Unused print buffers.
    pub prints: PrintBuffers,
    pub shaders: InternalShaders,
    pub empty: EmptyShader,
}

impl ProgramCaches {
    /// Empty caches; `store` is the disk cache of compiled pipelines.
    pub fn new(memory: &'static MemoryPools, store: &'static Store) -> ProgramCaches {
        ProgramCaches {
            memory,
            variants: Variants::new(memory.gpu, store),
            prints: PrintBuffers::new(memory.heap),
            shaders: InternalShaders::new(memory.gpu, store),
            empty: EmptyShader::new(memory.gpu, store),
        }
    }
}
