//! Early execution of children, before their parents have ended, to make room in a full queue.
//!
//! A kernel may call enqueue_kernel in a loop until it succeeds. So the call that finds a queue full first
//! runs a child from that queue on its own thread: one that waits neither for a running kernel or work-group
//! nor for events. The newest comes first, which nests calls no deeper than the tree of kernels. Each run of
//! [`LEVELS`] nested calls has a thread of its own, so that no stack overflows.

use super::enqueue::{Child, Family, FamilyState};
use super::exec;
use super::on_device_queue::{CpuOnDeviceQueue, Room};
use super::pool::STACK;
use std::cell::Cell;
use std::sync::Arc;

/// Maximum nested kernels on one thread.
pub const LEVELS: usize = 4;

/// The work that a child waits for.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum ChildDependency {
    #[default]
    Nothing,
    /// The work-group of the parent with this linear number.
    Group(u64),
    Parent,
}

impl ChildDependency {
    /// CLK_ENQUEUE_FLAGS_NO_WAIT, ..._WAIT_KERNEL or ..._WAIT_WORK_GROUP. The group is not known yet.
    pub fn of_flags(flags: u64) -> Option<ChildDependency> {
        match flags {
            0 => Some(ChildDependency::Nothing),
            1 => Some(ChildDependency::Parent),
            2 => Some(ChildDependency::Group(0)),
            _ => None,
        }
    }
}

/// A thread that runs work-groups of a kernel: the context of runtime calls by the kernel.
pub struct Caller<'a> {
    pub family: &'a Family<'a>,
    /// Number of the kernel; 0 for the command's own.
    pub number: u64,
    depth: usize,
    /// Linear number of the running work-group.
    pub group: Cell<u64>,
    /// Whether children wait for that group.
    has_waiting: Cell<bool>,
}

impl<'a> Caller<'a> {
    pub fn new(family: &'a Family<'a>, number: u64, depth: usize) -> Caller<'a> {
        Caller { family, number, depth, group: Cell::new(0), has_waiting: Cell::new(false) }
    }

    /// Reserves `bytes` in a queue; `None` if running children cannot free enough.
    pub fn room(&self, queue: &Arc<CpuOnDeviceQueue>, bytes: u64) -> Option<Room> {
        loop {
            let room = queue.take(bytes);
            if room.is_some() || !self.run_other(queue) {
                return room;
            }
        }
    }

    /// Sets the group in a child's dependency.
    pub fn resolve(&self, after: ChildDependency, state: &mut FamilyState) -> ChildDependency {
        let ChildDependency::Group(_) = after else { return after };
        let group = self.group.get();
        if !self.has_waiting.replace(true) {
            state.groups.push((self.number, group));
        }
        ChildDependency::Group(group)
    }

    /// The work-group has ended.
    pub fn group_ended(&self) {
        if self.has_waiting.replace(false) {
            let own = (self.number, self.group.get());
            self.family.state.lock().groups.retain(|group| *group != own);
        }
    }

    /// Runs a child from a queue; false if none there may start.
    fn run_other(&self, queue: &Arc<CpuOnDeviceQueue>) -> bool {
        let depth = self.depth + 1;
        if !depth.is_multiple_of(LEVELS) {
            return run_one(self.family, queue, depth);
        }
        std::thread::scope(|scope| {
            let builder = std::thread::Builder::new().name("pyroclast-nested".into()).stack_size(STACK);
            let thread = builder.spawn_scoped(scope, || run_one(self.family, queue, depth));
            thread.is_ok_and(|t| t.join().unwrap_or(false))
        })
    }
}

fn run_one(family: &Family<'_>, queue: &Arc<CpuOnDeviceQueue>, depth: usize) -> bool {
    let child = {
        let mut state = family.state.lock();
        let child = state.take(|state, child| {
            child.room.as_ref().is_some_and(|r| r.is_on(queue)) && may_start(state, child)
        });
        child.map(|child| state.start(child, family.checker))
    };
    let Some(child) = child else { return false };
    let result = exec::run_child(&child, family, depth);
    family.ended(child, result);
    true
}

fn may_start(state: &FamilyState, child: &Child) -> bool {
    match child.after {
        ChildDependency::Nothing => true,
        ChildDependency::Group(group) => !state.groups.contains(&(child.parent, group)),
        ChildDependency::Parent => !state.running.contains(&child.parent),
    }
}
