//! The application's C callbacks as closures that may run on the callback thread.

use std::ffi::c_void;

/// An address of the application that is only passed back to it.
#[derive(Clone, Copy)]
pub struct UserData(pub *mut c_void);
// SAFETY: never dereferenced here; the application must expect its callbacks on any thread.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl UserData {
    /// The pointer. (A method, so that closures capture the whole wrapper.)
    pub fn get(self) -> *mut c_void {
        self.0
    }
}

/// A callback of the form `f(object, user_data)`: destructor, build and release callbacks.
pub fn with_handle<T: 'static>(
    function: unsafe extern "C" fn(*mut T, *mut c_void),
    handle: *mut T,
    user_data: *mut c_void,
) -> Box<dyn FnOnce() + Send> {
    let (handle, user_data) = (UserData(handle.cast()), UserData(user_data));
    // SAFETY: the application's function, called with the arguments it was registered for.
    Box::new(move || unsafe { function(handle.get().cast(), user_data.get()) })
}
