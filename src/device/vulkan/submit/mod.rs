//! Recording and submission: command buffers, hazards, queues and completions.

pub mod barriers;
pub mod batch_key;
pub mod by_host;
pub mod command_allocator;
pub mod copy;
pub mod events;
pub mod fences;
pub mod hazard;
pub mod list;
pub mod loss;
pub mod one_shot;
pub mod pools;
pub mod profiling;
pub mod queue;
pub mod queues;
pub mod reaper;
pub mod record;
pub mod record_image;
pub mod record_launch;
pub mod record_list;
pub mod rect;
pub mod repeats;
pub mod reused_fence;
pub mod submit_queue;
pub mod timeline;
pub mod transfer;
