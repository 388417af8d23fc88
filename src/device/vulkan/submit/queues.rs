//! The submit queues of a device.

use super::pools::SubmitPools;
use super::settling::Settling;
use super::submit_queue::SubmitQueue;
use crate::device::traits::{DeviceError, DeviceResult, Priority};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The submit queues, in the order of the VkQueues.
pub struct Queues {
    pub pools: &'static SubmitPools,
    list: Vec<&'static SubmitQueue>,
    turn: AtomicUsize,
    settling: Mutex<Settling>,
}

impl Queues {
    /// Wraps the VkQueues of the device.
    pub fn new(pools: &'static SubmitPools) -> DeviceResult<Queues> {
        let mut list: Vec<&'static SubmitQueue> = Vec::new();
        for (number, queue) in pools.gpu.queues().enumerate() {
            list.push(Box::leak(Box::new(SubmitQueue::new(pools, queue, number)?)));
        }
        let settling = Mutex::new(Settling::new(pools.gpu, &pools.programs.empty)?);
        Ok(Queues { pools, list, turn: AtomicUsize::new(0), settling })
    }

    /// Makes all views and pipelines visible to the device, which may see new ones late: to be called before
    /// they are used in a submission. Waits for an empty submission to a VkQueue that is idle, if one is;
    /// it serves for the others as well.
    pub fn settle(&self) -> DeviceResult<()> {
        let gpu = self.pools.gpu;
        if !gpu.adapter.has_late_uploads() || gpu.uploads.are_visible(gpu.uploads.made()) {
            return Ok(());
        }
        let mut settling = self.settling.lock();
        let made = gpu.uploads.made();
        if !gpu.uploads.are_visible(made) {
            settling.run(self.idle()?)?;
            gpu.uploads.set_visible(made);
        }
        Ok(())
    }

    /// The submit queues for medium priority.
    fn medium(&self) -> &[&'static SubmitQueue] {
        let priorities = self.pools.gpu.adapter.queue_priorities();
        &self.list[..priorities.iter().take_while(|priority| **priority == Priority::Medium).count()]
    }

    /// The submit queues for medium priority, in turn.
    pub fn next(&self) -> DeviceResult<&'static SubmitQueue> {
        let (medium, turn) = (self.medium(), self.turn.fetch_add(1, Ordering::Relaxed));
        let next = medium.get(turn % medium.len().max(1)).copied();
        next.ok_or_else(|| DeviceError::Unexpected("no queue".into()))
    }

    /// A submit queue for medium priority that is idle, if there is one.
    pub fn idle_medium(&self) -> Option<&'static SubmitQueue> {
        idle_of(self.medium())
    }

    /// The submit queue for work of a priority.
    pub fn of_priority(&self, priority: Priority) -> DeviceResult<&'static SubmitQueue> {
        if priority == Priority::Medium {
            return self.next();
        }
        let mut all = self.pools.gpu.adapter.queue_priorities().iter().zip(&self.list);
        all.find(|(other, _)| **other == priority).map_or_else(|| self.next(), |(_, own)| Ok(*own))
    }

    /// A submit queue that is idle, if there is one, so that work starts immediately.
    pub fn idle(&self) -> DeviceResult<&'static SubmitQueue> {
        idle_of(&self.list).map_or_else(|| self.next(), Ok)
    }
}

fn idle_of(list: &[&'static SubmitQueue]) -> Option<&'static SubmitQueue> {
    list.iter().copied().find(|submit_queue| submit_queue.is_idle())
}
