//! Pyroclast's runtime: OpenCL semantics, the command scheduler and the devices. The C interface is in
//! `icd/`.

pub mod callback;
pub mod cl;
mod clock;
pub mod command;
pub mod command_buffer;
pub mod config;
pub mod context;
pub mod device;
pub mod error;
pub mod event;
pub mod fork;
pub mod host_ptr;
pub mod info;
pub mod kernel;
pub mod mapped_pages;
pub mod memory;
pub mod object;
mod pending_host_writes;
pub mod platform;
mod printf;
pub mod program;
pub mod queue;
pub mod record;
pub mod sampler;
pub mod semaphore;
pub mod store;
pub mod sync;
mod trace;
mod worker;
