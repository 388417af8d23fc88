//! Common parts of API objects: kind, error code for an invalid handle of the kind, and the link to the C
//! handle.
//!
//! The C interface owns the handles. An object retires its own handle when it is destroyed, so that a stale
//! handle is reported instead of dereferenced.

use crate::callback::{Callback, post_destructor};
use crate::cl::*;
use crate::sync::{Mutex, Rank};
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, OnceLock};

/// Kind of an API object. The value marks live handles; no value is zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum ObjectKind {
    Platform = 0x5059_0001,
    Device = 0x5059_0002,
    Context = 0x5059_0003,
    CommandQueue = 0x5059_0004,
    Mem = 0x5059_0005,
    Sampler = 0x5059_0006,
    Program = 0x5059_0007,
    Kernel = 0x5059_0008,
    Event = 0x5059_0009,
    CommandBuffer = 0x5059_000a,
    MutableCommand = 0x5059_000b,
    Semaphore = 0x5059_000c,
    DeviceCommandQueue = 0x5059_000d,
}

/// An object with a handle that applications hold.
pub trait ApiObject: Send + Sync + 'static {
    /// Marks its handles.
    const KIND: ObjectKind;
    /// Error code for an invalid handle of this kind.
    const INVALID: cl_int;
    /// The link to the handle, embedded in the object.
    fn api_slot(&self) -> &ApiSlot;
    /// Called when the application receives the object.
    fn published(&self) {}
    /// Releases a reference, which may be the last.
    fn release(reference: Arc<Self>) {
        drop(reference);
    }
}

struct Link {
    handle: AtomicPtr<c_void>,
    retire: fn(NonNull<c_void>),
}

/// The link of an object to its handle. Dropping it retires the handle.
#[derive(Default)]
pub struct ApiSlot(OnceLock<Link>);

impl ApiSlot {
    /// A slot without a handle.
    pub fn new() -> Self {
        ApiSlot::default()
    }
    /// Returns the handle; `make` creates it if there is none yet, and `retire` is called with it when the
    /// object is destroyed. `None` if `make` failed.
    pub fn handle_or_make(
        &self,
        make: impl FnOnce() -> Option<NonNull<c_void>>,
        retire: fn(NonNull<c_void>),
    ) -> Option<NonNull<c_void>> {
        let link = self.0.get_or_init(|| {
            let handle = make().map_or(std::ptr::null_mut(), NonNull::as_ptr);
            Link { handle: AtomicPtr::new(handle), retire }
        });
        NonNull::new(link.handle.load(Ordering::Relaxed))
    }
    /// The handle, if one was created for the object.
    pub fn handle(&self) -> Option<NonNull<c_void>> {
        self.0.get().and_then(|link| NonNull::new(link.handle.load(Ordering::Relaxed)))
    }
}

impl Drop for ApiSlot {
    fn drop(&mut self) {
        if let Some(link) = self.0.get()
            && let Some(handle) = NonNull::new(link.handle.load(Ordering::Relaxed))
        {
            (link.retire)(handle);
        }
    }
}

/// Destructor callbacks of an object. Dropping the list passes them, last registered first, to the call that
/// releases the object or to the callback thread: embed it in the object, before the fields that must outlive
/// them.
pub struct DestructorList(Mutex<Vec<Callback>>);

impl Default for DestructorList {
    fn default() -> Self {
        DestructorList(Mutex::new(Rank::CallbackChannel, Vec::new()))
    }
}

impl DestructorList {
    /// Adds a callback.
    pub fn push(&self, callback: Callback) {
        self.0.lock().push(callback);
    }
}

impl Drop for DestructorList {
    fn drop(&mut self) {
        for callback in self.0.get_mut().drain(..).rev() {
            post_destructor(callback);
        }
    }
}
