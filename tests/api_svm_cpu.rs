//! Shared memory: the host's processor as the device.

#[macro_use]
mod svm;

svm_suite! { "cpu", "", 0xf }
