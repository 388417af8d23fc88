//! Handles, by which applications refer to objects.
//!
//! A handle is the address of a [`Slot`]. Slots are in regions that are never unmapped, so a stale handle
//! still leads loaders to a dispatch table, and the driver to a slot that is marked dead. Lookup takes no
//! lock and counts no reference: the address must be in a region and slot-aligned, and the slot must be
//! marked with the requested kind.
//!
//! While the application's count is positive the slot owns one strong reference to the object. At zero the
//! reference is released; if the runtime still holds the object its handle stays usable (parent queries
//! return such handles), and a retain acquires the reference again. When the object is destroyed its slot is
//! marked dead and is quarantined before reuse, so that use after release is reported rather than aliased.
//!
//! Not covered: an application that releases an object in one thread while another thread is inside a call
//! with it. Locks: `POOL` (rank Handles), held only to allocate and free slots.

use crate::autogen_dispatch::Dispatch;
use pyroclast_runtime::callback::release;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::error::{Error, Result};
use pyroclast_runtime::object::{ApiObject, ObjectKind};
use pyroclast_runtime::sync::{Mutex, Rank};
use std::alloc::Layout;
use std::collections::VecDeque;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};

/// The target of a handle. The first two words are defined by the ICD interface.
#[repr(C, align(64))]
pub struct Slot {
    dispatch: *const Dispatch,
    dispatch_data: AtomicPtr<c_void>,
    /// An [`ObjectKind`], or [`DEAD`].
    kind: AtomicU32,
    /// The application's reference count.
    api_refs: AtomicU32,
    /// The object, from its `Arc`; valid while `kind` is not [`DEAD`].
    object: AtomicPtr<c_void>,
}

const DEAD: u32 = 0;
const SLOT_BYTES: usize = size_of::<Slot>();
/// Number of slots of the first region; each further region has twice as many.
const FIRST_REGION: usize = 1024;
const REGION_ALIGN: usize = 64 * 1024;
const MAX_REGIONS: usize = 22;
/// Number of dead slots in quarantine before one is reused.
const QUARANTINE: usize = 1024;

/// Addresses of the regions, filled in order and never emptied. Region i has `FIRST_REGION << i` slots.
static REGIONS: [AtomicPtr<Slot>; MAX_REGIONS] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; MAX_REGIONS];
/// Number of regions; written after the address of the region.
static REGION_COUNT: AtomicUsize = AtomicUsize::new(0);
/// The dispatch table that handles point to; null until [`set_dispatch`].
static DISPATCH: AtomicPtr<Dispatch> = AtomicPtr::new(std::ptr::null_mut());
/// The data of clIcdSetPlatformDispatchDataKHR; new handles carry it.
static DISPATCH_DATA: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

struct SlotAddress(NonNull<Slot>);
// SAFETY: the address of a slot that is never unmapped; all mutable fields of a slot are atomics.
unsafe impl Send for SlotAddress {}

struct Pool {
    /// Number of slots of the newest region in use.
    used: usize,
    quarantine: VecDeque<SlotAddress>,
}

static POOL: Mutex<Pool> = Mutex::new(Rank::Handles, Pool { used: 0, quarantine: VecDeque::new() });

impl Pool {
    /// Allocates a slot; `None` if out of memory.
    fn take(&mut self) -> Option<NonNull<Slot>> {
        if self.quarantine.len() > QUARANTINE
            && let Some(SlotAddress(slot)) = self.quarantine.pop_front()
        {
            return Some(slot);
        }
        let count = REGION_COUNT.load(Ordering::Relaxed);
        if count == 0 || self.used == FIRST_REGION << (count - 1) {
            if !grow(count) {
                return self.quarantine.pop_front().map(|SlotAddress(slot)| slot);
            }
            self.used = 0;
        }
        let newest =
            REGIONS.get(REGION_COUNT.load(Ordering::Relaxed).checked_sub(1)?)?.load(Ordering::Relaxed);
        // SAFETY: `used` is below the number of slots of the newest region.
        let slot = unsafe { newest.add(self.used) };
        self.used += 1;
        NonNull::new(slot)
    }
}

/// Sets the dispatch table of all handles. Before the first call no handle can be made.
pub fn set_dispatch(table: &'static Dispatch) {
    DISPATCH.store((&raw const *table).cast_mut(), Ordering::Release);
}

/// Adds region `count`; called with `POOL` held.
fn grow(count: usize) -> bool {
    let Some(entry) = REGIONS.get(count) else { return false };
    let dispatch = DISPATCH.load(Ordering::Acquire).cast_const();
    if dispatch.is_null() {
        return false;
    }
    let slots = FIRST_REGION << count;
    let Ok(layout) = Layout::from_size_align(slots * SLOT_BYTES, REGION_ALIGN) else { return false };
    // SAFETY: the layout is not empty.
    let region = unsafe { std::alloc::alloc(layout) }.cast::<Slot>();
    if region.is_null() {
        return false;
    }
    for i in 0..slots {
        let slot = Slot {
            dispatch,
            dispatch_data: AtomicPtr::new(std::ptr::null_mut()),
            kind: AtomicU32::new(DEAD),
            api_refs: AtomicU32::new(0),
            object: AtomicPtr::new(std::ptr::null_mut()),
        };
        // SAFETY: `i` is within the region just allocated, which is not shared yet.
        unsafe { region.add(i).write(slot) };
    }
    entry.store(region, Ordering::Relaxed);
    REGION_COUNT.store(count + 1, Ordering::Release);
    true
}

/// The slot at `ptr`, if that is the address of a slot.
fn slot_at<'a>(ptr: *const c_void) -> Option<&'a Slot> {
    let count = REGION_COUNT.load(Ordering::Acquire);
    for (i, region) in REGIONS.iter().enumerate().take(count) {
        let offset = (ptr as usize).wrapping_sub(region.load(Ordering::Relaxed) as usize);
        if offset < (FIRST_REGION << i) * SLOT_BYTES && offset.is_multiple_of(SLOT_BYTES) {
            // SAFETY: the address is that of an initialised slot of a region that is never unmapped; slots
            // are only changed through their atomics.
            return Some(unsafe { &*ptr.cast::<Slot>() });
        }
    }
    None
}

fn make_slot(kind: ObjectKind, object: *const c_void) -> Option<NonNull<c_void>> {
    let slot = POOL.lock().take()?;
    // SAFETY: a slot of a region, never unmapped; only atomics are changed.
    let fields = unsafe { slot.as_ref() };
    fields.dispatch_data.store(DISPATCH_DATA.load(Ordering::Acquire), Ordering::Relaxed);
    fields.object.store(object.cast_mut(), Ordering::Relaxed);
    fields.api_refs.store(0, Ordering::Relaxed);
    fields.kind.store(kind as u32, Ordering::Release);
    Some(slot.cast())
}

/// Marks the slot of a destroyed object as dead.
fn retire(handle: NonNull<c_void>) {
    let slot = handle.cast::<Slot>();
    // SAFETY: the handle was created by `make_slot`.
    let fields = unsafe { slot.as_ref() };
    fields.kind.store(DEAD, Ordering::Release);
    fields.object.store(std::ptr::null_mut(), Ordering::Relaxed);
    POOL.lock().quarantine.push_back(SlotAddress(slot));
}

/// Stores the loader's data for this platform: existing handles and later ones carry it.
pub fn set_dispatch_data(data: *mut c_void) {
    let _pool = POOL.lock();
    DISPATCH_DATA.store(data, Ordering::Release);
    let count = REGION_COUNT.load(Ordering::Acquire);
    for (i, region) in REGIONS.iter().enumerate().take(count) {
        for n in 0..FIRST_REGION << i {
            // SAFETY: slot `n` of region `i` is initialised and never unmapped.
            let slot = unsafe { &*region.load(Ordering::Relaxed).add(n) };
            slot.dispatch_data.store(data, Ordering::Release);
        }
    }
}

/// The object type of a handle type; implemented for `_cl_context`, `_cl_mem` and so on.
pub trait HandleTarget {
    type Object: ApiObject;
}

/// Operations on handles. Anything but a live handle of the right kind yields the kind's error code.
pub trait Handle: Copy + Sized {
    type Object: ApiObject;
    /// The object, borrowed for the duration of the call.
    fn get<'a>(self) -> Result<&'a Self::Object>;
    /// A reference to the object, which keeps it alive.
    fn arc(self) -> Result<Arc<Self::Object>>;
    /// The handle of a new object, with an application reference count of 1. NULL if out of memory.
    fn publish(object: Arc<Self::Object>) -> Self;
    /// The handle of an object, without an application reference (parent queries). NULL if out of memory.
    fn of(object: &Arc<Self::Object>) -> Self;
    /// Adds an application reference.
    fn retain(self) -> Result<()>;
    /// Removes an application reference; an error if there is none.
    fn release(self) -> Result<()>;
    /// The application's reference count.
    fn reference_count(self) -> Result<cl_uint>;
}

fn invalid<T: ApiObject>(ptr: *const c_void) -> Error {
    Error::with(T::INVALID, format!("{ptr:p} is not a valid {:?}", T::KIND))
}

/// The live slot of a handle of the given kind with its object.
fn live<'a, T: ApiObject>(ptr: *const c_void) -> Result<(&'a Slot, *const T)> {
    let slot = slot_at(ptr).filter(|slot| slot.kind.load(Ordering::Acquire) == T::KIND as u32);
    let slot = slot.ok_or_else(|| invalid::<T>(ptr))?;
    Ok((slot, slot.object.load(Ordering::Relaxed).cast::<T>()))
}

impl<H: HandleTarget> Handle for *mut H {
    type Object = H::Object;

    fn get<'a>(self) -> Result<&'a H::Object> {
        let (_, object) = live::<H::Object>(self.cast())?;
        // SAFETY: a live slot's object is alive, and the application may not release it during the call.
        Ok(unsafe { &*object })
    }

    fn arc(self) -> Result<Arc<H::Object>> {
        let (_, object) = live::<H::Object>(self.cast())?;
        // SAFETY: the object came from an Arc and is alive, as above; the new count belongs to the result.
        Ok(unsafe {
            Arc::increment_strong_count(object);
            Arc::from_raw(object)
        })
    }

    fn publish(object: Arc<H::Object>) -> Self {
        let handle = Self::of(&object);
        object.published();
        if !handle.is_null() {
            // The slot is live, since the object is held here.
            let _ = handle.retain();
        }
        handle
    }

    fn of(object: &Arc<H::Object>) -> Self {
        let address = Arc::as_ptr(object).cast::<c_void>();
        let handle = object.api_slot().handle_or_make(|| make_slot(H::Object::KIND, address), retire);
        handle.map_or(std::ptr::null_mut(), |h| h.as_ptr().cast())
    }

    fn retain(self) -> Result<()> {
        let (slot, object) = live::<H::Object>(self.cast())?;
        let more = |n: u32| if n == 0 { None } else { n.checked_add(1) };
        match slot.api_refs.fetch_update(Ordering::AcqRel, Ordering::Acquire, more) {
            Ok(_) => Ok(()),
            Err(u32::MAX) => Err(Error::with(CL_OUT_OF_RESOURCES, "too many references")),
            Err(_) => {
                // The count was zero: the slot acquires its strong reference (again) before the count rises.
                // SAFETY: the object came from an Arc and is alive because the slot is live.
                unsafe { Arc::increment_strong_count(object) };
                if slot.api_refs.fetch_add(1, Ordering::AcqRel) != 0 {
                    // Another thread was faster and has acquired the slot's reference.
                    // SAFETY: releases the count taken above; the slot's own keeps the object alive.
                    unsafe { Arc::decrement_strong_count(object) };
                }
                Ok(())
            }
        }
    }

    fn release(self) -> Result<()> {
        let (slot, object) = live::<H::Object>(self.cast())?;
        let less = |n: u32| n.checked_sub(1);
        match slot.api_refs.fetch_update(Ordering::AcqRel, Ordering::Acquire, less) {
            Ok(1) => {
                // SAFETY: the slot owned one strong reference while the count was positive.
                let reference = unsafe { Arc::from_raw(object) };
                release(|| H::Object::release(reference));
                Ok(())
            }
            Ok(_) => Ok(()),
            Err(_) => Err(Error::with(H::Object::INVALID, "released more often than retained")),
        }
    }

    fn reference_count(self) -> Result<cl_uint> {
        live::<H::Object>(self.cast()).map(|(slot, _)| slot.api_refs.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests;
