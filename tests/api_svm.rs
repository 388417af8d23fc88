//! Shared memory: the device as it is.

#[macro_use]
mod svm;
mod common;

svm_suite! { "", "", 0xf }
