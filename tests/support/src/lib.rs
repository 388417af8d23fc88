//! Code that tests, conformance tools, demo programs and fuzz targets share.
//!
//! * [`api`]: harness of the API tests: the loader, its functions, contexts and queues
//! * [`browser`]: an installed Chromium, for tests of pages
//! * [`cl`]: a small host-side binding, for any OpenCL device
//! * [`clang`]: whether clang is installed
//! * [`exec`]: execution tests: a kernel with its launch and its expected results
//! * [`generated`]: generated programs in OpenCL C
//! * [`images`]: tests of images against a reference
//! * [`mutate`], [`mutate_text`]: mutations of SPIR-V modules and of sources
//! * [`skipped`]: message of tests that are skipped
//! * [`usage`]: processor time and memory of the process

#![allow(clippy::panic, clippy::unwrap_used)] // a failure of a test
#![allow(clippy::missing_panics_doc, clippy::not_unsafe_ptr_arg_deref)] // handles are pointers

#[cfg(feature = "opencl")]
pub mod api;
#[cfg(feature = "opencl")]
pub mod browser;
#[cfg(feature = "opencl")]
pub mod cl;
#[cfg(feature = "opencl")]
pub mod clang;
#[cfg(feature = "opencl")]
pub mod exec;
pub mod generated;
#[cfg(feature = "opencl")]
pub mod images;
pub mod mutate;
pub mod mutate_text;
pub mod skipped;
#[cfg(feature = "opencl")]
pub mod usage;
