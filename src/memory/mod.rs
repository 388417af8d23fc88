//! Memory objects: flags, sizes, host pointer, parent, live mappings and destructor callbacks. Where the bytes are is in
//! `residency`, creation of buffers in `buffer`, mappings in `mapping`.
//!
//! Commands hold the objects they use until they are done, so an object's end is after its last use.
//! Locks: the residency's, the mappings' and the shadows' (all rank Residency, never together).

pub mod buffer;
pub mod mapping;
pub mod residency;

use crate::callback::Callback;
use crate::cl::flags::MemFlags;
use crate::cl::*;
use crate::context::Context;
use crate::device::traits::DeviceMemory;
use crate::host_ptr::HostPtr;
use crate::object::{ApiObject, ApiSlot, DestructorList, ObjectKind};
use crate::sync::{Mutex, Rank};
use mapping::{Mapping, Shadows};
use residency::Residency;
use std::sync::Arc;

/// A memory object.
pub struct MemObject {
    slot: ApiSlot,
    pub context: Arc<Context>,
    /// CL_MEM_OBJECT_*
    pub object_type: cl_mem_object_type,
    pub flags: MemFlags,
    pub size: u64,
    /// The application's memory behind CL_MEM_USE_HOST_PTR, at this object's start.
    pub host_ptr: Option<HostPtr>,
    /// Bytes from the start of the parent.
    pub offset: u64,
    /// CL_MEM_PROPERTIES
    pub properties: Option<Vec<cl_mem_properties>>,
    mappings: Mutex<Vec<Mapping>>,
    shadows: Mutex<Shadows>,
    residency: Arc<Residency>,
    /// After what the application's callbacks may rely on being gone, such as the use of its host pointer.
    destructors: DestructorList,
    /// CL_MEM_ASSOCIATED_MEMOBJECT; last, since a sub-buffer ends before its parent.
    pub parent: Option<Arc<MemObject>>,
}

impl ApiObject for MemObject {
    const KIND: ObjectKind = ObjectKind::Mem;
    const INVALID: cl_int = CL_INVALID_MEM_OBJECT;
    fn api_slot(&self) -> &ApiSlot {
        &self.slot
    }
}

impl MemObject {
    #[allow(clippy::too_many_arguments)]
    fn new(
        context: Arc<Context>,
        flags: MemFlags,
        size: u64,
        host_ptr: Option<HostPtr>,
        parent: Option<Arc<MemObject>>,
        offset: u64,
        properties: Option<Vec<cl_mem_properties>>,
        residency: Arc<Residency>,
    ) -> Arc<MemObject> {
        Arc::new(MemObject {
            slot: ApiSlot::new(),
            context,
            object_type: CL_MEM_OBJECT_BUFFER,
            flags,
            size,
            host_ptr,
            parent,
            offset,
            properties,
            mappings: Mutex::new(Rank::Residency, Vec::new()),
            shadows: Mutex::new(Rank::Residency, Shadows::default()),
            residency,
            destructors: DestructorList::default(),
        })
    }

    /// Where the bytes are.
    pub fn residency(&self) -> &Arc<Residency> {
        &self.residency
    }

    /// Whether two objects share storage.
    pub fn same_storage(&self, other: &MemObject) -> bool {
        Arc::ptr_eq(&self.residency, &other.residency)
    }

    /// clSetMemObjectDestructorCallback
    pub fn on_destroy(&self, callback: Callback) {
        self.destructors.push(callback);
    }

    /// CL_MEM_MAP_COUNT
    pub fn map_count(&self) -> usize {
        self.mappings.lock().len()
    }

    /// Host memory that the device of this index copies from and to, for a mapping of `size` bytes; none if there is none.
    pub fn shadow(&self, index: usize, size: u64) -> Option<Arc<dyn DeviceMemory>> {
        let ops = self.context.devices().get(index)?.ops();
        self.shadows.lock().take(&**ops, index, size)
    }

    /// Notes a mapping that was handed out.
    pub fn add_mapping(&self, mapping: Mapping) {
        self.mappings.lock().push(mapping);
    }

    /// Takes back the mapping at `ptr`.
    pub fn take_mapping(&self, ptr: HostPtr) -> Option<Mapping> {
        let mut mappings = self.mappings.lock();
        let at = mappings.iter().position(|m| m.ptr == ptr)?;
        Some(mappings.remove(at))
    }
}
