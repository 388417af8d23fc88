//! Shared memory: without addresses of buffers nothing is shared.

#[macro_use]
mod svm;

svm_suite! { "", "-buffer_addresses", 0 }
