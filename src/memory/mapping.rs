//! A region of a memory object handed to the application. Memory that the host sees is handed out as it is; other
//! regions live in a shadow that is filled when mapped and written back when unmapped.

use crate::host_ptr::{HostAllocation, HostPtr};
use std::sync::Arc;

/// A live mapping. Mappings that start at the same byte of host-visible memory have the same address; each unmap takes
/// one of them back.
#[derive(Clone)]
pub struct Mapping {
    /// What the application was given.
    pub ptr: HostPtr,
    /// Byte range of the memory object.
    pub offset: u64,
    pub size: u64,
    /// The application may write.
    pub write: bool,
    pub shadow: Shadow,
}

/// Where the application's pointer leads.
#[derive(Clone)]
pub enum Shadow {
    /// To the device's memory itself.
    Direct,
    /// To the application's memory behind CL_MEM_USE_HOST_PTR, which is not the device's.
    HostPtr,
    /// To memory of ours.
    Own(Arc<HostAllocation>),
}

impl Shadow {
    /// Whether bytes must be copied at map and unmap.
    pub fn is_copy(&self) -> bool {
        !matches!(self, Shadow::Direct)
    }
}
