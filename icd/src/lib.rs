//! The installable client driver: the C interface of OpenCL over the runtime.
//!
//! Exports the entry points of the core API and of cl_khr_icd and nothing else; extension functions are found
//! by name. [`handle`] resolves handles to objects, [`entry`] wraps every function, [`dispatch`] is the table
//! for loaders.

#[allow(non_snake_case)]
pub mod api;
pub mod autogen_dispatch;
pub mod callback;
pub mod convert;
pub mod dispatch;
pub mod entry;
pub mod handle;
pub mod info;
pub mod notify;
