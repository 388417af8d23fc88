//! Newest launches of a queue: one that differs from them by numbers only need not be planned again. Programs
//! alternate between a few kernels, or change a counter from launch to launch.

use super::command_key::CommandKey;
use crate::device::batch::{ArgValue, Launch};
use crate::device::vulkan::core::gpu::Gpu;
use crate::device::vulkan::memory::access::Accesses;
use crate::device::vulkan::program::dispatch::DispatchState;
use std::sync::Arc;

/// Number of launches that are remembered.
const MOST: usize = 16;

/// A launch of one dispatch.
pub struct RecentLaunch {
    /// Everything but the values of arguments that are passed by value.
    key: CommandKey,
    /// The arguments, and the address of the kernel, which the recording keeps alive; none if the launch is
    /// of an earlier recording.
    recorded: Option<(Arc<Vec<ArgValue>>, usize)>,
    global: [u64; 3],
    local: [u32; 3],
    offset: [u64; 3],
    dims: u32,
    pub accesses: Accesses,
    pub state: DispatchState,
}

fn address_of(launch: &Launch) -> usize {
    Arc::as_ptr(&launch.kernel).cast::<()>().addr()
}

impl RecentLaunch {
    /// Whether a launch of the same recording is the same.
    fn repeats(&self, launch: &Launch) -> bool {
        self.has_arguments_of(launch)
            && self.recorded.as_ref().is_some_and(|(_, kernel)| *kernel == address_of(launch))
            && self.global == launch.global
            && self.local == launch.local
            && self.offset == launch.offset
            && self.dims == launch.dims
            && launch.indirect.is_empty()
            && launch.default_queue.is_none()
    }

    /// Whether the state has the values of a launch's arguments.
    pub fn has_arguments_of(&self, launch: &Launch) -> bool {
        self.recorded.as_ref().is_some_and(|(args, _)| Arc::ptr_eq(args, &launch.args))
    }

    /// Notes that the state has the values of a launch's arguments.
    pub fn note_arguments_of(&mut self, launch: &Launch) {
        self.recorded = Some((launch.args.clone(), address_of(launch)));
    }
}

/// The newest launches of a queue.
#[derive(Default)]
pub struct RecentLaunches {
    launches: Vec<RecentLaunch>,
    /// The place of the next one.
    next: usize,
    /// Key of the launch that is looked for.
    wanted: CommandKey,
    /// [`Gpu::recordings_epoch`] when the launches were recorded.
    epoch: u64,
}

impl RecentLaunches {
    /// Looks for a launch that another one differs from by numbers at most; with its place.
    pub fn find(&mut self, launch: &Launch) -> Option<(usize, &mut RecentLaunch)> {
        let at = match self.launches.iter().position(|recent| recent.repeats(launch)) {
            Some(at) => at,
            None if self.wanted.describe_launch(launch) => {
                self.launches.iter().position(|recent| recent.key == self.wanted)?
            }
            None => return None,
        };
        self.launches.get_mut(at).map(|recent| (at, recent))
    }

    /// Forgets launches that are no longer valid. Call it before a recording, whose commands exist.
    pub fn begin(&mut self, gpu: &Gpu) {
        let epoch = gpu.recordings_epoch();
        if self.epoch != epoch {
            self.epoch = epoch;
            self.launches.clear();
            self.next = 0;
        }
    }

    /// Releases the objects of a recording, at its end.
    pub fn end(&mut self) {
        self.launches.iter_mut().for_each(|recent| recent.recorded = None);
    }

    /// Adds a launch that accesses its arguments only, in the place of the oldest one if there are many;
    /// returns the place. None if the launch depends on more than its key says.
    pub fn add(&mut self, launch: &Launch, accesses: Accesses, state: DispatchState) -> Option<usize> {
        let mut key = CommandKey::default();
        if !key.describe_launch(launch) {
            return None;
        }
        let recent = RecentLaunch {
            key,
            recorded: Some((launch.args.clone(), address_of(launch))),
            global: launch.global,
            local: launch.local,
            offset: launch.offset,
            dims: launch.dims,
            accesses,
            state,
        };
        let at = self.next;
        match self.launches.get_mut(at) {
            Some(oldest) => *oldest = recent,
            None => self.launches.push(recent),
        }
        self.next = (at + 1) % MOST;
        Some(at)
    }
}
