//! Handles of test objects.

use super::*;
use pyroclast_runtime::object::ApiSlot;
use std::sync::atomic::AtomicBool;

struct Thing {
    slot: ApiSlot,
    value: u32,
    dropped: Arc<AtomicBool>,
}

impl ApiObject for Thing {
    const KIND: ObjectKind = ObjectKind::Sampler;
    const INVALID: cl_int = CL_INVALID_SAMPLER;
    fn api_slot(&self) -> &ApiSlot {
        &self.slot
    }
}

impl Drop for Thing {
    fn drop(&mut self) {
        self.dropped.store(true, Ordering::SeqCst);
    }
}

struct Other(ApiSlot);

impl ApiObject for Other {
    const KIND: ObjectKind = ObjectKind::Kernel;
    const INVALID: cl_int = CL_INVALID_KERNEL;
    fn api_slot(&self) -> &ApiSlot {
        &self.0
    }
}

struct TestSampler;
struct TestKernel;

impl HandleTarget for TestSampler {
    type Object = Thing;
}
impl HandleTarget for TestKernel {
    type Object = Other;
}

type Sampler = *mut TestSampler;

fn thing(value: u32) -> (Arc<Thing>, Arc<AtomicBool>) {
    let dropped = Arc::new(AtomicBool::new(false));
    (Arc::new(Thing { slot: ApiSlot::new(), value, dropped: dropped.clone() }), dropped)
}

/// Table that the handles of these tests carry.
static TABLE: Dispatch = crate::autogen_dispatch::MISSING;

/// Tests run one at a time: they inspect freed slots, which others would reuse.
fn alone() -> parking_lot::MutexGuard<'static, ()> {
    static ALONE: parking_lot::Mutex<()> = parking_lot::Mutex::new(());
    set_dispatch(&TABLE);
    ALONE.lock()
}

fn code<T>(result: Result<T>) -> cl_int {
    result.map_or_else(|e| e.code(), |_| CL_SUCCESS)
}

#[test]
fn counts_and_lifetime() {
    let _alone = alone();
    let (object, dropped) = thing(7);
    let handle = Sampler::publish(object);
    assert_eq!(handle.get().map(|t| t.value), Ok(7));
    assert_eq!(handle.reference_count(), Ok(1));
    assert_eq!(code(handle.retain()), CL_SUCCESS);
    assert_eq!(handle.reference_count(), Ok(2));
    assert_eq!(code(handle.release()), CL_SUCCESS);
    assert!(!dropped.load(Ordering::SeqCst));
    assert_eq!(code(handle.release()), CL_SUCCESS);
    assert!(dropped.load(Ordering::SeqCst));
}

#[test]
fn stale_handles_are_reported() {
    let _alone = alone();
    let handle = Sampler::publish(thing(1).0);
    assert_eq!(code(handle.release()), CL_SUCCESS);
    assert_eq!(code(handle.get()), CL_INVALID_SAMPLER);
    assert_eq!(code(handle.retain()), CL_INVALID_SAMPLER);
    assert_eq!(code(handle.release()), CL_INVALID_SAMPLER);
    assert_eq!(code(handle.arc()), CL_INVALID_SAMPLER);
}

#[test]
fn null_wild_and_misaligned_handles_are_reported() {
    let _alone = alone();
    assert_eq!(code(Sampler::get(std::ptr::null_mut())), CL_INVALID_SAMPLER);
    assert_eq!(code(Sampler::get(std::ptr::without_provenance_mut(0x1234_5678))), CL_INVALID_SAMPLER);
    let handle = Sampler::publish(thing(1).0);
    let shifted = handle.cast::<u8>().wrapping_add(8).cast::<TestSampler>();
    assert_eq!(code(shifted.get()), CL_INVALID_SAMPLER);
    assert_eq!(code(handle.release()), CL_SUCCESS);
}

#[test]
fn a_handle_of_another_kind_is_reported() {
    let _alone = alone();
    let handle = Sampler::publish(thing(1).0);
    assert_eq!(code(handle.cast::<TestKernel>().get()), CL_INVALID_KERNEL);
    assert_eq!(code(handle.release()), CL_SUCCESS);
}

#[test]
fn over_release_is_reported_while_the_runtime_holds_the_object() {
    let _alone = alone();
    let (object, dropped) = thing(3);
    let handle = Sampler::publish(object.clone());
    assert_eq!(code(handle.release()), CL_SUCCESS);
    assert_eq!(code(handle.release()), CL_INVALID_SAMPLER);
    // Still usable, as parent queries require; a retain acquires a reference again.
    assert_eq!(handle.get().map(|t| t.value), Ok(3));
    assert_eq!(Sampler::of(&object), handle);
    assert_eq!(code(handle.retain()), CL_SUCCESS);
    drop(object);
    assert!(!dropped.load(Ordering::SeqCst));
    assert_eq!(code(handle.release()), CL_SUCCESS);
    assert!(dropped.load(Ordering::SeqCst));
}

#[test]
fn a_slot_rests_before_it_is_used_again() {
    let _alone = alone();
    let first = Sampler::publish(thing(0).0);
    assert_eq!(code(first.release()), CL_SUCCESS);
    for _ in 0..QUARANTINE / 2 {
        let next = Sampler::publish(thing(0).0);
        assert_ne!(next, first);
        assert_eq!(code(next.release()), CL_SUCCESS);
    }
}

#[test]
fn more_objects_than_the_first_region_holds() {
    let _alone = alone();
    let handles: Vec<Sampler> = (0..3 * FIRST_REGION as u32).map(|i| Sampler::publish(thing(i).0)).collect();
    for (i, handle) in handles.iter().enumerate() {
        assert_eq!(handle.get().map(|t| t.value as usize), Ok(i));
    }
    for handle in &handles {
        assert_eq!(code(handle.release()), CL_SUCCESS);
    }
    assert!(handles.iter().all(|h| h.get().is_err() || h.get().is_ok_and(|t| t.value == 0)));
}

#[test]
fn threads_retain_and_release() {
    let _alone = alone();
    let (object, dropped) = thing(9);
    let handle = Sampler::publish(object) as usize;
    let threads: Vec<_> = (0..4)
        .map(|_| {
            std::thread::spawn(move || {
                let handle = std::ptr::with_exposed_provenance_mut::<TestSampler>(handle);
                for _ in 0..1000 {
                    assert_eq!(code(handle.retain()), CL_SUCCESS);
                    assert_eq!(handle.arc().map(|t| t.value), Ok(9));
                    assert_eq!(code(handle.release()), CL_SUCCESS);
                }
            })
        })
        .collect();
    assert!(threads.into_iter().all(|t| t.join().is_ok()));
    assert!(!dropped.load(Ordering::SeqCst));
    assert_eq!(code(std::ptr::with_exposed_provenance_mut::<TestSampler>(handle).release()), CL_SUCCESS);
    assert!(dropped.load(Ordering::SeqCst));
}

#[test]
fn handles_carry_the_dispatch_table() {
    let _alone = alone();
    let handle = Sampler::publish(thing(1).0);
    // SAFETY: the handle is that of a live slot.
    let slot = unsafe { &*handle.cast::<Slot>() };
    assert_eq!(slot.dispatch, &raw const TABLE);
    assert_eq!(std::mem::offset_of!(Slot, dispatch), 0);
    assert_eq!(std::mem::offset_of!(Slot, dispatch_data), size_of::<usize>());
    assert_eq!(code(handle.release()), CL_SUCCESS);
    // SAFETY: slots are never unmapped, so even a stale handle leads loaders to the table.
    assert!(!unsafe { &*handle.cast::<Slot>() }.dispatch.is_null());
}
