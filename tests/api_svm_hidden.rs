//! Shared memory: without addresses of buffers nothing is shared.

#[macro_use]
mod svm;

svm_suite! { "vulkan", "-buffer_addresses", 0 }
