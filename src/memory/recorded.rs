//! A memory object's life for the recorder ([`crate::record`]).

use crate::cl::{cl_mem_flags, cl_mem_object_type};
use crate::record::{self, Record};
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of the object in the recording; 0 if it has none. Dropping it records the end of the object.
#[derive(Default)]
pub(super) struct RecordedMemory(AtomicU64);

impl RecordedMemory {
    /// Records a new object.
    pub fn begin(&self, object_type: cl_mem_object_type, flags: cl_mem_flags, size: u64) {
        if record::is_on() {
            let id = record::new_id();
            self.0.store(id, Ordering::Relaxed);
            record::put(&Record::Memory { id, object_type, flags, size, time: record::now() });
        }
    }
}

impl Drop for RecordedMemory {
    fn drop(&mut self) {
        let id = *self.0.get_mut();
        if id != 0 {
            record::put(&Record::MemoryEnd { id, time: record::now() });
        }
    }
}
