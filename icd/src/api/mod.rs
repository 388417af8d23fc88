//! The entry points, object by object: each checks handles and raw arguments, calls the runtime and converts
//! the answer.

pub mod buffer;
pub(crate) mod command_buffer;
pub mod context;
pub(crate) mod device;
pub mod enqueue;
pub mod event;
pub(crate) mod external;
pub(crate) mod image;
pub(crate) mod import;
pub mod kernel;
pub(crate) mod native;
pub(crate) mod pipe;
pub mod platform;
pub mod program;
pub mod queue;
pub(crate) mod sampler;
pub(crate) mod semaphore;
pub(crate) mod svm;
pub(crate) mod unified_svm;
pub(crate) mod usm;
