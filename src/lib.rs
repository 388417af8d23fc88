//! Pyroclast's runtime: OpenCL semantics, the command scheduler and the devices. The C interface is in `icd/`.

pub mod config;
pub mod device;
pub mod host_ptr;
pub mod program;
