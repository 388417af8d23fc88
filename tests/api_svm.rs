//! Shared memory: the device as it is.

#[macro_use]
mod svm;

svm_suite! { "", "", 0xf }
