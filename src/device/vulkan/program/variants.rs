//! Pipelines by kernel variant.
//!
//! Programs with the same code share them. Pipelines of released programs are kept for a while: many
//! applications build the same source again and again, and the driver would compile it each time. A lock
//! guards the table.

use super::pipeline::Pipelines;
use crate::device::vulkan::core::gpu::Gpu;
use crate::store::Store;
use clspv_bridge::abi::{KernelVariant, LaunchAbi};
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Weak};

/// Number of unused variants whose pipelines are kept.
const KEPT: usize = 64;

/// The variant's ABI, and the hash of its code.
type Id = (LaunchAbi, [u8; 32]);

/// The pipelines of a device.
pub struct Variants {
    gpu: &'static Gpu,
    /// The disk cache of compiled pipelines.
    store: &'static Store,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    known: HashMap<Id, Weak<Pipelines>>,
    /// Pipelines requested last, the newest at the end.
    recent: VecDeque<Arc<Pipelines>>,
}

impl Variants {
    /// An empty table.
    pub fn new(gpu: &'static Gpu, store: &'static Store) -> Variants {
        Variants { gpu, store, table: Mutex::default() }
    }

    /// The pipelines of a variant of the kernel `name`.
    pub fn get(&self, name: &str, variant: &KernelVariant) -> Arc<Pipelines> {
        let id = (variant.abi.clone(), *blake3::hash(bytemuck::cast_slice(&variant.spirv)).as_bytes());
        let mut table = self.table.lock();
        let known = table.known.get(&id).and_then(Weak::upgrade);
        let pipelines = known.unwrap_or_else(|| {
            let new = Arc::new(Pipelines::new(name, self.gpu, self.store));
            table.known.retain(|_, pipelines| pipelines.strong_count() > 0);
            table.known.insert(id, Arc::downgrade(&new));
            new
        });
        table.recent.retain(|recent| !Arc::ptr_eq(recent, &pipelines));
        table.recent.push_back(pipelines.clone());
        // Destroyed after the lock is released.
        let old = if table.recent.len() > KEPT { table.recent.pop_front() } else { None };
        drop(table);
        drop(old);
        pipelines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::vulkan::tests::{device, opened, scale_variant};
    use clspv_bridge::abi::{BlockStorage, PointerMode};

    fn store() -> &'static Store {
        Box::leak(Box::new(Store::from_config(crate::config::Config::get())))
    }

    #[test]
    fn small_grids_have_few_local_sizes() {
        let Some(device) = device() else { return };
        let gpu = opened(&device).gpu;
        let pipelines = Pipelines::new("k", gpu, store());
        let size = |x, best| pipelines.small_local_size([x, 1, 1], [best, 1, 1])[0];
        assert_eq!(
            [size(8, 8), size(16, 16), size(5, 5), size(7, 7), size(24, 24), size(12, 12)],
            [8, 8, 1, 1, 8, 1]
        );
    }

    #[test]
    fn the_same_code_has_the_same_pipelines_for_a_while() {
        let Some(device) = device() else { return };
        let gpu = opened(&device).gpu;
        let table = Variants::new(gpu, store());
        let variant = scale_variant(PointerMode::Bindings, BlockStorage::Push);
        let first = table.get("k", &variant);
        let mut other = variant.clone();
        other.abi.private_bytes = 1;
        assert!(!Arc::ptr_eq(&first, &table.get("k", &other)));
        let seen = Arc::downgrade(&first);
        drop(first);
        assert!(Arc::ptr_eq(&seen.upgrade().unwrap(), &table.get("k", &variant)));
        for bytes in 2..2 + KEPT as u32 {
            assert!(seen.upgrade().is_some());
            other.abi.private_bytes = bytes;
            table.get("k", &other);
        }
        assert!(seen.upgrade().is_none());
        assert!(table.table.lock().known.len() <= KEPT + 2);
    }
}
