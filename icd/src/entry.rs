//! `entry!`: the code around the body of every entry point. It contains panics, logs errors, implements
//! errcode_ret and records the call ([`pyroclast_runtime::record`]).
//!
//! Three forms:
//! ```ignore
//! // Result<()>
//! entry! { fn clRetainContext(context: cl_context) -> cl_int { context.retain() } }
//! // Result<handle>
//! entry! { fn clCreateUserEvent(context: cl_context; errcode_ret) -> cl_event { Ok(handle) } }
//! // Result<value>
//! entry! { fn clSVMAlloc(context: cl_context) -> *mut c_void, or null_mut(); { Ok(ptr) } }
//! ```
//! `for command_queue fn ...` also reports errors to the context of that argument ([`crate::notify`]). The
//! second form appends the parameter `errcode_ret: *mut cl_int`; a null handle means out of memory. A
//! function is exported under its name; `entry! { extension fn ... }` defines one that is only found by name
//! through clGetExtensionFunctionAddressForPlatform.

use pyroclast_runtime::cl::*;
use pyroclast_runtime::error::{Error, Result};
use pyroclast_runtime::fork;
use pyroclast_runtime::record;
use pyroclast_runtime::record::calls::{self, ApiFunction};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a body; a panic becomes an error. Errors are logged here, once.
pub fn guard<T: Word, const N: usize>(
    function: &'static ApiFunction,
    words: impl Fn() -> [u64; N],
    body: impl FnOnce() -> Result<T>,
) -> Result<T> {
    // Nothing works in a forked child, where a lock may be held forever; logging takes locks, too.
    if fork::is_child() {
        return Err(Error::new(CL_OUT_OF_RESOURCES));
    }
    if !record::is_on() {
        return contain(function.name(), body);
    }
    let call = calls::begin(function, &words());
    let result = contain(function.name(), body);
    let (error, word) = match &result {
        Ok(value) => (value.code(), value.word()),
        Err(error) => (error.code(), 0),
    };
    call.end(error, word, &words());
    result
}

/// A result as a number.
pub trait Word {
    fn word(&self) -> u64;
    /// The error code of a call that returns this nevertheless.
    fn code(&self) -> cl_int {
        CL_SUCCESS
    }
}

/// A handle with a code.
impl<T> Word for (*mut T, cl_int) {
    fn word(&self) -> u64 {
        self.0 as u64
    }
    fn code(&self) -> cl_int {
        self.1
    }
}

impl Word for () {
    fn word(&self) -> u64 {
        0
    }
}

impl<T> Word for *mut T {
    fn word(&self) -> u64 {
        *self as u64
    }
}

fn contain<T>(name: &'static str, body: impl FnOnce() -> Result<T>) -> Result<T> {
    tracing::trace!(target: "pyroclast::api", "{name}");
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        Err(Error::with(CL_OUT_OF_HOST_MEMORY, "a panic was contained; this is a bug of Pyroclast"))
    });
    if let Err(error) = &result {
        tracing::debug!(target: "pyroclast::api", "{name}: {error}");
    }
    result
}

/// The code of a result.
pub fn code(result: Result<()>) -> cl_int {
    result.map_or_else(|e| e.code(), |()| CL_SUCCESS)
}

/// Writes the code of a result. Returns its handle, or NULL.
///
/// # Safety
/// `errcode_ret` is NULL or points to a cl_int.
pub unsafe fn handle<T>(result: Result<*mut T>, errcode_ret: *mut cl_int) -> *mut T {
    let (handle, code) = match result {
        Ok(handle) if handle.is_null() => (handle, CL_OUT_OF_HOST_MEMORY),
        Ok(handle) => (handle, CL_SUCCESS),
        Err(error) => (std::ptr::null_mut(), error.code()),
    };
    if !errcode_ret.is_null() {
        // SAFETY: by this function's contract.
        unsafe { errcode_ret.write(code) };
    }
    handle
}

/// Defines an entry point; see the module documentation.
#[macro_export]
macro_rules! entry {
    ($(#[$meta:meta])* for $handle:ident fn $name:ident($($arg:ident: $ty:ty),* $(,)?)
     -> cl_int $body:block) => {
        $crate::entry! { $(#[$meta])* fn $name($($arg: $ty),*) -> cl_int {
            let result = (move || -> $crate::entry::Res<()> { $body })();
            result.inspect_err(|error| $crate::notify::report(stringify!($name), $handle, error))
        } }
    };
    ($(#[$meta:meta])* for $handle:ident fn $name:ident($($arg:ident: $ty:ty),* $(,)?; errcode_ret)
     -> $ret:ty $body:block) => {
        $crate::entry! { $(#[$meta])* fn $name($($arg: $ty),*; errcode_ret) -> $ret {
            let result = (move || -> $crate::entry::Res<$ret> { $body })();
            result.inspect_err(|error| $crate::notify::report(stringify!($name), $handle, error))
        } }
    };
    ($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> cl_int $body:block) => {
        $(#[$meta])*
        #[unsafe(no_mangle)]
        #[allow(clippy::missing_safety_doc, clippy::too_many_arguments, non_snake_case)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $crate::entry::Int {
            let (function, words) = $crate::entry::describe!($name($($arg: $ty),*));
            let body = move || -> $crate::entry::Res<()> { $body };
            $crate::entry::code($crate::entry::guard(function, words, body))
        }
    };
    ($(#[$meta:meta])* extension fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> cl_int $body:block) => {
        $(#[$meta])*
        #[allow(clippy::missing_safety_doc, clippy::too_many_arguments, non_snake_case)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $crate::entry::Int {
            let (function, words) = $crate::entry::describe!($name($($arg: $ty),*));
            let body = move || -> $crate::entry::Res<()> { $body };
            $crate::entry::code($crate::entry::guard(function, words, body))
        }
    };
    ($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?; errcode_ret) -> $ret:ty $body:block) => {
        $(#[$meta])*
        #[unsafe(no_mangle)]
        #[allow(clippy::missing_safety_doc, clippy::too_many_arguments, non_snake_case)]
        pub unsafe extern "C" fn $name($($arg: $ty,)* errcode_ret: *mut $crate::entry::Int) -> $ret {
            let (function, words) = $crate::entry::describe!($name($($arg: $ty),*));
            let body = move || -> $crate::entry::Res<$ret> { $body };
            let result = $crate::entry::guard(function, words, body);
            // SAFETY: errcode_ret is NULL or the application's cl_int, as the specification requires.
            unsafe { $crate::entry::handle(result, errcode_ret) }
        }
    };
    ($(#[$meta:meta])* extension fn $name:ident($($arg:ident: $ty:ty),* $(,)?; errcode_ret)
     -> $ret:ty $body:block) => {
        $(#[$meta])*
        #[allow(clippy::missing_safety_doc, clippy::too_many_arguments, non_snake_case)]
        pub unsafe extern "C" fn $name($($arg: $ty,)* errcode_ret: *mut $crate::entry::Int) -> $ret {
            let (function, words) = $crate::entry::describe!($name($($arg: $ty),*));
            let body = move || -> $crate::entry::Res<$ret> { $body };
            let result = $crate::entry::guard(function, words, body);
            // SAFETY: errcode_ret is NULL or the application's cl_int, as the specification requires.
            unsafe { $crate::entry::handle(result, errcode_ret) }
        }
    };
    ($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?)
     -> $ret:ty, or $default:expr; $body:block) => {
        $(#[$meta])*
        #[unsafe(no_mangle)]
        #[allow(clippy::missing_safety_doc, clippy::too_many_arguments, non_snake_case)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $ret {
            let (function, words) = $crate::entry::describe!($name($($arg: $ty),*));
            let body = move || -> $crate::entry::Res<$ret> { $body };
            let result = $crate::entry::guard(function, words, body);
            result.unwrap_or_else(|_| $default)
        }
    };
}

/// An entry point for the recorder, and a function that returns its arguments as numbers.
#[macro_export]
macro_rules! describe {
    ($name:ident($($arg:ident: $ty:ty),*)) => {{
        static FUNCTION: $crate::entry::Recorded = $crate::entry::Recorded::new(
            stringify!($name),
            stringify!($($arg: $ty),*),
            &[$(<$ty as $crate::arguments::Parameter>::ELEMENT),*],
        );
        (&FUNCTION, move || [$($crate::arguments::Parameter::word(&$arg)),*])
    }};
}

pub use describe;
pub use entry;
/// Used by the macro.
pub type Recorded = ApiFunction;
/// Used by the macro.
pub type Int = cl_int;
/// Used by the macro.
pub type Res<T> = Result<T>;

#[cfg(test)]
mod tests {
    use super::*;
    use pyroclast_runtime::err;

    entry! { extension fn testPlain(value: cl_int) -> cl_int {
        if value == 0 { Ok(()) } else { Err(err!(value)) }
    } }
    entry! { extension fn testPanic() -> cl_int {
        let empty: [u8; 0] = [];
        let i = std::hint::black_box(3);
        Err(err!(i32::from(empty[i])))
    } }
    entry! { extension fn testHandle(address: usize; errcode_ret) -> *mut u8 {
        if address == 1 { return Err(err!(CL_INVALID_VALUE)) }
        Ok(std::ptr::without_provenance_mut(address))
    } }

    #[test]
    fn codes_are_returned_and_panics_contained() {
        // SAFETY: the functions take no pointers.
        unsafe {
            assert_eq!(testPlain(0), CL_SUCCESS);
            assert_eq!(testPlain(CL_INVALID_EVENT), CL_INVALID_EVENT);
            assert_eq!(testPanic(), CL_OUT_OF_HOST_MEMORY);
        }
    }

    #[test]
    fn errcode_ret_is_followed() {
        let mut code = 77;
        // SAFETY: errcode_ret is NULL or valid.
        unsafe {
            assert_eq!(testHandle(64, &mut code) as usize, 64);
            assert_eq!(code, CL_SUCCESS);
            assert!(testHandle(1, &mut code).is_null());
            assert_eq!(code, CL_INVALID_VALUE);
            assert!(testHandle(0, &mut code).is_null());
            assert_eq!(code, CL_OUT_OF_HOST_MEMORY);
            assert!(testHandle(1, std::ptr::null_mut()).is_null());
        }
    }
}
