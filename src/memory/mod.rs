//! Memory objects: flags, sizes, host pointer, parent, live mappings and destructor callbacks. `residency`
//! tracks where the bytes are; creation is in `buffer` and `image`, mappings in `mapping`.
//!
//! Commands keep the objects they use until they are complete, so an object is destroyed after its last use.
//! Locks: the residency's, the mappings' and the shadows' (all rank Residency, never together).

pub(crate) mod allocations;
pub mod buffer;
pub mod external;
pub mod image;
pub mod image_requirements;
pub mod import;
pub(crate) mod mapping;
pub mod pipe;
mod recorded;
pub(crate) mod residency;
pub mod svm;

use crate::callback::Callback;
use crate::cl::flags::MemFlags;
use crate::cl::*;
use crate::context::Context;
use crate::device::traits::DeviceMemory;
use crate::err;
use crate::error::Result;
use crate::host_ptr::HostPtr;
use crate::object::{ApiObject, ApiSlot, DestructorList, ObjectKind};
use crate::sync::{Mutex, Rank};
use mapping::{Mapping, Shadows};
use recorded::RecordedMemory;
use residency::Residency;
use std::ops::Range;
use std::sync::Arc;

/// A memory object.
pub struct MemObject {
    slot: ApiSlot,
    pub context: Arc<Context>,
    /// CL_MEM_OBJECT_*.
    pub object_type: cl_mem_object_type,
    pub flags: MemFlags,
    pub size: u64,
    /// The application's memory for CL_MEM_USE_HOST_PTR, at this object's start.
    pub host_ptr: Option<HostPtr>,
    /// Bytes from the start of the storage, and from the start of the parent (CL_MEM_OFFSET).
    pub offset: u64,
    pub origin: u64,
    /// CL_MEM_USES_SVM_POINTER.
    pub uses_svm: bool,
    /// CL_MEM_DEVICE_ADDRESS_EXT: the address on each device; `None` if they were not requested.
    pub addresses: Option<Vec<u64>>,
    /// CL_MEM_PROPERTIES.
    pub properties: Option<Vec<cl_mem_properties>>,
    mappings: Mutex<Vec<Mapping>>,
    shadows: Mutex<Shadows>,
    residency: Arc<Residency>,
    /// Properties of an image.
    image: Option<image::ImageInfo>,
    recorded: RecordedMemory,
    /// Properties of a pipe.
    pub pipe: Option<pipe::PipeInfo>,
    /// Dropped after the state that the application's callbacks may rely on being released, such as uses of
    /// its host pointer.
    destructors: DestructorList,
    /// CL_MEM_ASSOCIATED_MEMOBJECT; last, since a sub-buffer is destroyed before its parent.
    pub parent: Option<Arc<MemObject>>,
}

impl ApiObject for MemObject {
    const KIND: ObjectKind = ObjectKind::Mem;
    const INVALID: cl_int = CL_INVALID_MEM_OBJECT;
    fn api_slot(&self) -> &ApiSlot {
        &self.slot
    }
    fn published(&self) {
        self.recorded.begin(self.object_type, self.flags.0, self.size);
    }
}

impl MemObject {
    /// Creates an object of the storage's bytes from `offset` on, without a parent.
    fn new(
        context: &Arc<Context>,
        flags: MemFlags,
        size: u64,
        residency: Arc<Residency>,
        offset: u64,
    ) -> MemObject {
        MemObject {
            slot: ApiSlot::new(),
            context: context.clone(),
            object_type: CL_MEM_OBJECT_BUFFER,
            flags,
            size,
            host_ptr: None,
            parent: None,
            offset,
            origin: 0,
            uses_svm: false,
            addresses: None,
            properties: None,
            mappings: Mutex::new(Rank::Residency, Vec::new()),
            shadows: Mutex::new(Rank::Residency, Shadows::default()),
            residency,
            image: None,
            recorded: RecordedMemory::default(),
            pipe: None,
            destructors: DestructorList::default(),
        }
    }

    /// Properties of an image; `None` for other objects.
    pub fn image(&self) -> Option<&image::ImageInfo> {
        self.image.as_ref()
    }

    /// Locations of the bytes.
    pub(crate) fn residency(&self) -> &Arc<Residency> {
        &self.residency
    }

    /// The memory of the device with this index in the context, created if necessary.
    pub(crate) fn backing(&self, device: usize) -> Result<Arc<dyn DeviceMemory>> {
        self.residency.backing(self.context.device_ops(), device)
    }

    /// Byte range of the object in its storage.
    pub fn range(&self) -> Range<u64> {
        let in_buffer = self.image().and_then(|image| image.in_buffer.as_ref());
        let start = in_buffer.map_or(self.offset, |layout| layout.offset);
        start..start + self.size
    }

    /// Whether two objects share storage.
    pub(crate) fn same_storage(&self, other: &MemObject) -> bool {
        Arc::ptr_eq(&self.residency, &other.residency)
    }

    /// clSetMemObjectDestructorCallback.
    pub fn on_destroy(&self, callback: Callback) {
        self.destructors.push(callback);
    }

    /// CL_MEM_MAP_COUNT.
    pub fn map_count(&self) -> usize {
        self.mappings.lock().len()
    }

    /// Host memory that the device of this index copies from and to, for a mapping of `size` bytes, if
    /// available.
    pub(crate) fn shadow(&self, index: usize, size: u64) -> Option<Arc<dyn DeviceMemory>> {
        let ops = self.context.devices().get(index)?.ops();
        self.shadows.lock().take(&**ops, index, size)
    }

    /// Adds a mapping. CL_INVALID_OPERATION if it is for writing and overlaps another one for writing, of
    /// this object or, for buffers, of any that shares its bytes.
    pub(crate) fn add_mapping(&self, mapping: Mapping) -> Result<()> {
        if let Some(range) = self.written_range(&mapping) {
            self.residency.written.add(range)?;
        }
        let mut mappings = self.mappings.lock();
        if let Some(region) = mapping.image.filter(|_| mapping.write)
            && mappings.iter().any(|m| m.write && m.image.is_some_and(|other| other.overlaps(&region)))
        {
            return Err(err!(CL_INVALID_OPERATION, "the region overlaps one that is mapped for writing"));
        }
        mappings.push(mapping);
        Ok(())
    }

    /// Removes the mapping at `ptr`.
    pub(crate) fn take_mapping(&self, ptr: HostPtr) -> Option<Mapping> {
        let mapping = {
            let mut mappings = self.mappings.lock();
            let at = mappings.iter().position(|m| m.ptr == ptr)?;
            mappings.remove(at)
        };
        if let Some(range) = self.written_range(&mapping) {
            self.residency.written.remove(&range);
        }
        Some(mapping)
    }

    /// Restores a mapping from [`MemObject::take_mapping`], after a failed unmap.
    pub(crate) fn restore_mapping(&self, mapping: Mapping) {
        if let Err(error) = self.add_mapping(mapping) {
            tracing::warn!(%error, "a mapping was replaced while its unmap failed");
        }
    }

    /// Bytes of the storage that the application may write through a mapping of a buffer.
    fn written_range(&self, mapping: &Mapping) -> Option<Range<u64>> {
        let start = self.offset + mapping.offset;
        (mapping.write && mapping.image.is_none()).then(|| start..start + mapping.size)
    }
}
