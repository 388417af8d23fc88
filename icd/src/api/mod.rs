//! The entry points, object by object: each checks handles and raw arguments, calls the runtime and converts
//! the answer.

pub mod buffer;
pub mod command_buffer;
pub mod context;
pub mod device;
pub mod enqueue;
pub mod event;
pub mod external;
pub mod image;
pub mod import;
pub mod kernel;
pub mod native;
pub mod pipe;
pub mod platform;
pub mod program;
pub mod queue;
pub mod sampler;
pub mod semaphore;
pub mod svm;
pub mod unified_svm;
pub mod usm;
