//! Shared memory: memory that both see is mapped at the device's address.

#[macro_use]
mod svm;

use test_support::api::*;

const CAPABILITIES: cl_device_svm_capabilities =
    CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER;

svm_suite! { "vulkan", "-host_addresses", CAPABILITIES }
