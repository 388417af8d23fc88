//! Facts about a device that only show once it is open: by trial, and by a query that takes as long as the
//! opening. They are kept on the disk cache, so that a later process knows them before it opens the device.

use super::core::adapter::Adapter;
use super::memory::heap::Heap;
use super::memory::trials::Trials;
use super::memory::{linear, shared};
use crate::device::info::{AddressSharing, DeviceInfo};
use crate::device::nvml::Nvml;
use crate::host_ptr::page;
use crate::store::{Key, Store};
use serde::{Deserialize, Serialize};

/// Format version of the entry on disk.
const VERSION: u32 = 1;

/// Facts about an open device.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TrialFacts {
    pub sharing: AddressSharing,
    /// Unit in which memory of the process can be imported; 0 if it cannot.
    import_alignment: u64,
    /// See [`linear::alignment`].
    image_alignment: Option<(u32, u32)>,
    pub nvml: Nvml,
}

impl TrialFacts {
    /// The facts about the open device that the heap is of. Also returns whether later processes will find
    /// the same.
    pub fn of(heap: &'static Heap, nvml: Nvml) -> (TrialFacts, bool) {
        let mut trials = Trials::default();
        let import_alignment = shared::import_alignment(heap, &mut trials);
        let facts = TrialFacts {
            sharing: shared::probe(heap, import_alignment, &mut trials),
            import_alignment,
            image_alignment: linear::alignment(heap.gpu, &mut trials),
            nvml,
        };
        (facts, trials.are_conclusive())
    }

    /// The facts that an earlier process found.
    pub fn read(store: &Store, adapter: &Adapter) -> Option<TrialFacts> {
        store.read(key(adapter), VERSION, |content| postcard::from_bytes(&content.bytes).ok())
    }

    /// Keeps the facts for later processes.
    pub fn write(&self, store: &Store, adapter: &Adapter) {
        match postcard::to_allocvec(self) {
            Ok(bytes) => store.write(key(adapter), VERSION, &bytes),
            Err(e) => tracing::debug!("facts of a device are not kept: {e}"),
        }
    }

    /// Adds the facts to those about the device.
    pub fn complete(&self, info: &mut DeviceInfo) {
        info.sharing = self.sharing;
        info.host_import_alignment = self.import_alignment;
        if let Some((pitch, start)) = self.image_alignment {
            (info.image.pitch_alignment, info.image.base_alignment) = (pitch, start);
        }
    }
}

/// Key of the facts: everything that they may depend on.
fn key(a: &Adapter) -> Key {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"vulkan device facts");
    a.identify(&mut hasher);
    for word in [a.api, a.props.device_type.as_raw() as u32] {
        hasher.update(&word.to_le_bytes());
    }
    for uuid in [&a.ids.device_uuid, &a.ids.driver_uuid] {
        hasher.update(uuid);
    }
    for t in a.memory.memory_types_as_slice() {
        hasher.update(&t.property_flags.as_raw().to_le_bytes());
    }
    for size in [a.host_import_alignment, a.max_buffer_size, page()] {
        hasher.update(&size.to_le_bytes());
    }
    hasher.update(format!("{:?} {:?}", a.features, a.quirks).as_bytes());
    hasher.finalize()
}
