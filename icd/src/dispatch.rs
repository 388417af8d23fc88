//! The table that loaders call through, and the extension functions that are found by name.
//!
//! The two slots that ICD 2 reserves hold its tag. A function that is not named here answers CL_INVALID_OPERATION, so
//! no slot of the table is ever null where a loader may call it.

use crate::autogen_dispatch::{Dispatch, MISSING};
use std::ffi::c_void;

macro_rules! dispatch_table {
    ($($module:ident: [$($name:ident),* $(,)?])*) => {
        /// What the first word of every handle points to.
        pub static DISPATCH: Dispatch = Dispatch {
            $($($name: crate::api::$module::$name,)*)*
            ..MISSING
        };
    };
}

// One block a file of `api/`.
dispatch_table! {}

/// The address of a function by its name: what the table holds, and extensions.
pub fn find(name: &str) -> Option<*const c_void> {
    DISPATCH.find(name)
}
