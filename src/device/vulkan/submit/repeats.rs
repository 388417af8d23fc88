//! Command buffers of batches that repeat. Programs often enqueue the same launches, copies and reads
//! many times, once for each step of a simulation. From the third time on, such a batch is not recorded: the
//! command buffer of an earlier time is submitted again.
//!
//! Batches are the same if their keys are ([`BatchKey`]).

use super::batch_key::BatchKey;
use super::command_allocator::{CommandAllocator, CommandAllocators};
use super::events::SharedEvent;
use super::profiling::Queries;
use super::record::ReadBack;
use super::timeline::Timeline;
use crate::device::batch::{BatchItem, DeviceCommand, Endpoint};
use crate::device::vulkan::core::gpu::Gpu;
use crate::host_ptr::HostPtr;
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::sync::Arc;

/// Number of different batches that a queue remembers.
const MOST_REMEMBERED: usize = 8;
/// Number of command buffers for each: several may be in flight.
const MOST_RECORDINGS: usize = 8;
/// Limit of recordings of forgotten batches, which are kept for their memory.
const MOST_SPARE: usize = 16;

/// A command buffer that may be submitted again. Its allocator returns to the pool with the last reference,
/// which the queue has, or a batch in flight.
pub struct Recording {
    allocator: Option<CommandAllocator>,
    pool: &'static CommandAllocators,
    /// It begins with a barrier for the work of other queues.
    fenced: bool,
    /// The event that it sets at its end, and the timeline that it returns to.
    event: Option<(SharedEvent, &'static Timeline)>,
    /// The timestamps that it writes.
    queries: Option<Arc<Queries>>,
    /// The staging memory of its reads, in their order.
    reads: SmallVec<[HostPtr; 1]>,
    /// The last submission that is complete.
    executed: Mutex<Option<(&'static Timeline, u64)>>,
}

impl Recording {
    /// Keeps the command buffer of a batch that is about to be submitted.
    pub fn new(
        allocator: CommandAllocator,
        pool: &'static CommandAllocators,
        fenced: bool,
        event: Option<(SharedEvent, &'static Timeline)>,
        queries: Option<Arc<Queries>>,
        reads: &[ReadBack],
    ) -> Recording {
        let (allocator, reads) = (Some(allocator), reads.iter().map(|read| read.src).collect());
        Recording { allocator, pool, fenced, event, queries, reads, executed: Mutex::new(None) }
    }

    /// Puts the recording into the memory of an unused one, if there is one.
    pub fn in_place_of(self, unused: Option<Arc<Recording>>) -> Arc<Recording> {
        if let Some(mut unused) = unused
            && let Some(old) = Arc::get_mut(&mut unused)
        {
            *old = self;
            return unused;
        }
        Arc::new(self)
    }

    /// The event that the command buffer sets.
    pub fn event(&self) -> Option<SharedEvent> {
        self.event.as_ref().map(|(event, _)| event.clone())
    }

    /// The timestamps that the command buffer writes.
    pub fn queries(&self) -> Option<Arc<Queries>> {
        self.queries.clone()
    }

    /// The command buffer.
    pub fn cmd(&self) -> Option<ash::vk::CommandBuffer> {
        self.allocator.as_ref().map(|allocator| allocator.cmd)
    }

    /// The copies to the host of the reads in a batch that the command buffer executes.
    pub fn read_backs(&self, items: &[BatchItem]) -> impl Iterator<Item = ReadBack> {
        let reads = items.iter().filter_map(|item| match &item.command {
            DeviceCommand::Copy { dst: Endpoint::Host(dst, layout), region, .. } => {
                Some((*dst, *layout, *region))
            }
            _ => None,
        });
        reads.zip(&self.reads).map(|((dst, layout, region), src)| ReadBack { src: *src, dst, layout, region })
    }

    /// Notes that a submission of the command buffer is complete, and that its timestamps have been read.
    pub fn note_executed(&self, timeline: &'static Timeline, value: u64) {
        if let Some(queries) = &self.queries {
            queries.reset();
        }
        *self.executed.lock() = Some((timeline, value));
    }

    /// Whether the device has left the command buffer, as no batch in flight refers to it.
    fn is_idle(self: &Arc<Self>) -> bool {
        Arc::strong_count(self) == 1
            && self.event.as_ref().is_none_or(|(event, _)| event.is_unset())
            && self.executed.lock().is_some_and(|(timeline, value)| timeline.has_left(value))
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if let Some(allocator) = self.allocator.take() {
            allocator.recycle(self.pool, *self.executed.get_mut());
        }
        if let Some((event, timeline)) = self.event.take() {
            timeline.put_back_event(event);
        }
    }
}

/// A batch that was submitted before.
#[derive(Default)]
struct Known {
    key: BatchKey,
    recordings: [Option<Arc<Recording>>; MOST_RECORDINGS],
}

impl Known {
    /// Forgets the batch, but for the memory of its contents and of some recordings.
    fn forget(&mut self, spare: &mut Vec<Arc<Recording>>) {
        self.key.clear();
        for recording in self.recordings.iter_mut().filter_map(Option::take) {
            set_aside(recording, spare);
        }
    }

    /// The place of the next recording: an empty one, or that of one that no batch executes.
    fn place(&mut self) -> Option<&mut Option<Arc<Recording>>> {
        let empty = self.recordings.iter().position(Option::is_none);
        let idle = || self.recordings.iter().position(|place| place.as_ref().is_some_and(Recording::is_idle));
        let at = empty.or_else(idle)?;
        self.recordings.get_mut(at)
    }
}

fn set_aside(recording: Arc<Recording>, spare: &mut Vec<Arc<Recording>>) {
    if spare.len() < MOST_SPARE {
        spare.push(recording);
    }
}

/// The batches that a queue remembers, the newest first.
#[derive(Default)]
pub struct Repeats {
    known: [Known; MOST_REMEMBERED],
    next: BatchKey,
    spare: Vec<Arc<Recording>>,
    /// [`Gpu::recordings_epoch`] when the contents were described.
    epoch: u64,
}

/// Result of [`Repeats::find`]: the way to submit a batch.
pub enum Found {
    /// Submit this command buffer.
    Recording(Arc<Recording>),
    /// Record, and keep the recording, perhaps in the place of another: the batch was submitted before.
    Again(Option<Arc<Recording>>),
    /// Record.
    New,
}

impl Repeats {
    /// Looks for a batch among those submitted before, which may need a command buffer that is `fenced`.
    pub fn find(&mut self, gpu: &Gpu, items: &[BatchItem], fenced: bool) -> Found {
        let epoch = gpu.recordings_epoch();
        if self.epoch != epoch {
            self.epoch = epoch;
            self.known.iter_mut().for_each(|known| known.forget(&mut self.spare));
        }
        if !self.next.describe(items) {
            return Found::New;
        }
        let Some(at) = self.known.iter().position(|known| known.key == self.next) else {
            self.known.rotate_right(1);
            let newest = &mut self.known[0];
            newest.forget(&mut self.spare);
            std::mem::swap(&mut newest.key, &mut self.next);
            return Found::New;
        };
        self.known[..=at].rotate_right(1);
        let known = &mut self.known[0];
        let serves = |recording: &&Arc<Recording>| (recording.fenced || !fenced) && recording.is_idle();
        if let Some(recording) = known.recordings.iter().flatten().find(serves) {
            return Found::Recording(recording.clone());
        }
        if known.place().is_none() {
            return Found::New;
        }
        let unused = self.spare.iter().position(|recording| Arc::strong_count(recording) == 1);
        Found::Again(unused.map(|at| self.spare.swap_remove(at)))
    }

    /// Keeps the recording of the batch that was looked for last.
    pub fn keep(&mut self, recording: Arc<Recording>) {
        if let Some(place) = self.known[0].place()
            && let Some(old) = place.replace(recording)
        {
            set_aside(old, &mut self.spare);
        }
    }
}
