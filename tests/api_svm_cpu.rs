//! Shared memory: the host's processor as the device.

#[macro_use]
mod svm;
mod common;

svm_suite! { "cpu", "", 0xf }
