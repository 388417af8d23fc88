//! Shared memory: memory that both see is mapped at the device's address.

#[macro_use]
mod svm;

use test_support::api::*;

svm_suite! { "", "-host_addresses", CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER }
