//! Shared memory: the host has memory of its own at the device's address.

#[macro_use]
mod svm;

use test_support::api::*;

svm_suite! { "vulkan", "-host_addresses,-placed_memory", CL_DEVICE_SVM_COARSE_GRAIN_BUFFER }
