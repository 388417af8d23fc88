//! Newest launches of a command buffer: one that differs from them by numbers only need not be planned again.
//! Programs alternate between a few kernels, or change a counter from launch to launch.

use crate::device::batch::{ArgValue, BufferRange, Launch};
use crate::device::vulkan::memory::access::Accesses;
use crate::device::vulkan::program::dispatch::DispatchState;
use std::sync::Arc;

/// Number of launches that are remembered.
const MOST: usize = 16;

/// A launch of one dispatch.
pub struct RecentLaunch {
    /// Address of the kernel of a launch of the same batch or list, which keeps it alive.
    kernel: usize,
    pub args: Arc<Vec<ArgValue>>,
    dims: u32,
    offset: [u64; 3],
    global: [u64; 3],
    local: [u32; 3],
    pub accesses: Accesses,
    pub state: DispatchState,
}

fn address_of(launch: &Launch) -> usize {
    Arc::as_ptr(&launch.kernel).cast::<()>().addr()
}

impl RecentLaunch {
    /// Describes a launch that accesses its arguments only.
    pub fn new(launch: &Launch, accesses: Accesses, state: DispatchState) -> RecentLaunch {
        RecentLaunch {
            kernel: address_of(launch),
            args: launch.args.clone(),
            dims: launch.dims,
            offset: launch.offset,
            global: launch.global,
            local: launch.local,
            accesses,
            state,
        }
    }

    /// Whether a launch differs by the values of arguments that are passed by value at most.
    fn resembles(&self, launch: &Launch) -> bool {
        self.kernel == address_of(launch)
            && self.global == launch.global
            && self.local == launch.local
            && self.offset == launch.offset
            && self.dims == launch.dims
            && launch.indirect.is_empty()
            && (Arc::ptr_eq(&self.args, &launch.args) || differ_by_numbers(&self.args, &launch.args))
    }
}

/// Whether lists of arguments are the same but for the values of those that are passed by value.
fn differ_by_numbers(a: &[ArgValue], b: &[ArgValue]) -> bool {
    let same_range = |a: &BufferRange, b: &BufferRange| {
        Arc::ptr_eq(&a.memory, &b.memory) && a.offset == b.offset && a.size == b.size
    };
    let same = |(a, b): (&ArgValue, &ArgValue)| match (a, b) {
        (ArgValue::Bytes(a), ArgValue::Bytes(b)) => a.len() == b.len(),
        (ArgValue::Buffer(a), ArgValue::Buffer(b)) => same_range(a, b),
        (ArgValue::NullBuffer, ArgValue::NullBuffer) => true,
        (ArgValue::Image(a), ArgValue::Image(b)) => Arc::ptr_eq(a, b),
        (ArgValue::Local(a), ArgValue::Local(b)) => a == b,
        (ArgValue::Pointer { address: a, within: from }, ArgValue::Pointer { address: b, within: to }) => {
            let same_memory = match (from, to) {
                (Some(from), Some(to)) => same_range(from, to),
                (None, None) => true,
                _ => false,
            };
            a == b && same_memory
        }
        _ => false,
    };
    a.len() == b.len() && a.iter().zip(b).all(same)
}

/// The newest launches of a command buffer.
#[derive(Default)]
pub struct RecentLaunches {
    launches: Vec<RecentLaunch>,
    /// The place of the next one.
    next: usize,
}

impl RecentLaunches {
    /// Looks for a launch that another one differs from by numbers at most; with its place.
    pub fn find(&mut self, launch: &Launch) -> Option<(usize, &mut RecentLaunch)> {
        self.launches.iter_mut().enumerate().find(|(_, recent)| recent.resembles(launch))
    }

    /// Forgets all, at the end of the command buffer.
    pub fn clear(&mut self) {
        self.launches.clear();
        self.next = 0;
    }

    /// Adds a launch, in the place of the oldest one if there are many; returns the place.
    pub fn add(&mut self, launch: RecentLaunch) -> usize {
        let at = self.next;
        match self.launches.get_mut(at) {
            Some(oldest) => *oldest = launch,
            None => self.launches.push(launch),
        }
        self.next = (at + 1) % MOST;
        at
    }
}
