//! The installable client driver: the C interface of OpenCL over the runtime.
//!
//! Exports the entry points of the core API and of cl_khr_icd and nothing else; extension functions are found
//! by name. [`handle`] resolves handles to objects, [`mod@entry`] wraps every function, [`dispatch`] is the
//! table for loaders.

#[allow(non_snake_case)]
pub mod api;
mod arguments;
mod autogen_dispatch;
mod callback;
mod convert;
pub mod dispatch;
mod entry;
mod handle;
mod info;
mod notify;
