//! A profiled run: what the recordings of its processes say, related to each other.
//!
//! Times are nanoseconds since the start of the first process. Lists are in order of their starts.

use crate::file::Recording;
use crate::load;

/// Everything that was recorded in a run.
#[derive(Default, Debug)]
pub struct Session {
    pub processes: Vec<Process>,
    /// Last time of any record.
    pub end: u64,
    pub threads: Vec<Thread>,
    pub calls: Vec<Call>,
    pub devices: Vec<Device>,
    pub queues: Vec<Queue>,
    pub commands: Vec<Command>,
    pub stages: Vec<Stage>,
    pub memory: Vec<Memory>,
    pub kernels: Vec<Kernel>,
    pub fallbacks: Vec<Fallback>,
    /// Sentences on what is missing from the recordings.
    pub remarks: Vec<String>,
}

/// A process.
#[derive(Debug)]
pub struct Process {
    pub id: u32,
    pub command: String,
}

/// A thread that made calls, or one of the driver's.
#[derive(Debug)]
pub struct Thread {
    /// Index of the process.
    pub process: usize,
    pub id: u32,
    pub name: String,
}

/// A call of the API.
#[derive(Clone, Debug)]
pub struct Call {
    /// Index of the thread.
    pub thread: usize,
    pub name: String,
    pub error: i32,
    pub start: u64,
    pub end: u64,
    /// The call had not returned when the process ended.
    pub is_open: bool,
}

/// A device that has queues.
#[derive(Debug)]
pub struct Device {
    pub name: String,
    /// CL_DEVICE_TYPE
    pub kind: u32,
    pub units: u32,
    pub megahertz: u32,
    pub memory: u64,
    pub local: u64,
}

/// A command queue.
#[derive(Debug)]
pub struct Queue {
    pub process: usize,
    pub device: usize,
    pub is_out_of_order: bool,
    pub created: u64,
}

/// Kind of a command's work.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum CommandKind {
    Kernel,
    Read,
    Write,
    Copy,
    Fill,
    Map,
    Unmap,
    Migrate,
    CommandBuffer,
    /// Markers, barriers and others without work of their own.
    Other,
}

impl CommandKind {
    /// The kind of a CL_COMMAND_* type.
    pub fn of(command_type: u32) -> CommandKind {
        match command_type {
            0x11F0..=0x11F2 => CommandKind::Kernel,
            0x11F3 | 0x11F6 | 0x1201 => CommandKind::Read,
            0x11F4 | 0x11F7 | 0x1202 => CommandKind::Write,
            0x11F5 | 0x11F8..=0x11FA | 0x1203 | 0x120A | 0x4205 => CommandKind::Copy,
            0x11FB | 0x11FC | 0x120C => CommandKind::Map,
            0x11FD | 0x120D => CommandKind::Unmap,
            0x1206 | 0x120E | 0x4206 => CommandKind::Migrate,
            0x1207 | 0x1208 | 0x120B | 0x4204 => CommandKind::Fill,
            0x12A8 => CommandKind::CommandBuffer,
            _ => CommandKind::Other,
        }
    }

    /// Text for people.
    pub fn name(self) -> &'static str {
        match self {
            CommandKind::Kernel => "kernel",
            CommandKind::Read => "read",
            CommandKind::Write => "write",
            CommandKind::Copy => "copy",
            CommandKind::Fill => "fill",
            CommandKind::Map => "map",
            CommandKind::Unmap => "unmap",
            CommandKind::Migrate => "migrate",
            CommandKind::CommandBuffer => "command buffer",
            CommandKind::Other => "marker or barrier",
        }
    }

    /// Whether the device computes.
    pub fn is_compute(self) -> bool {
        matches!(self, CommandKind::Kernel | CommandKind::CommandBuffer)
    }

    /// Whether bytes are moved.
    pub fn is_transfer(self) -> bool {
        !self.is_compute() && self != CommandKind::Other
    }
}

/// A command.
#[derive(Clone, Debug)]
pub struct Command {
    /// Number in its process.
    pub id: u64,
    pub queue: usize,
    pub kind: CommandKind,
    /// The kernel, or the kind.
    pub label: String,
    pub bytes: u64,
    pub global: [u64; 3],
    pub local: [u64; 3],
    /// Estimate for a launch.
    pub work: Option<Work>,
    /// Index of the thread that enqueued it, and of its call.
    pub thread: usize,
    pub call: Option<usize>,
    /// The call returned when the command was complete.
    pub is_blocking: bool,
    pub queued: u64,
    pub submitted: u64,
    /// Start and end of the execution; `None` if the command did not run to its end.
    pub run: Option<(u64, u64)>,
    /// CL_COMPLETE or an error; `None` if the process ended before.
    pub status: Option<i32>,
    /// Time until which an event of its wait list held it back.
    pub held_until: Option<u64>,
}

impl Command {
    /// Time of execution.
    pub fn duration(&self) -> u64 {
        self.run.map_or(0, |(start, end)| end - start)
    }
}

/// A part of a build: see [`crate::format::stage`].
#[derive(Clone, Debug)]
pub struct Stage {
    pub thread: usize,
    pub what: u8,
    pub is_cached: bool,
    pub label: String,
    pub start: u64,
    pub end: u64,
}

/// A memory object.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    pub size: u64,
    pub start: u64,
    /// `None` if it was never destroyed.
    pub end: Option<u64>,
}

/// Facts about a kernel.
#[derive(Clone, Debug, Default)]
pub struct Kernel {
    pub name: String,
    pub private: u64,
    pub local: u64,
    pub sub_group: u32,
    pub largest_group: u32,
    pub multiple: u32,
}

/// Work of a work-item, as the compiler estimates it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    pub float_ops: u64,
    pub int_ops: u64,
    pub loaded: u64,
    pub stored: u64,
    pub unknown_loops: u32,
}

/// A launch on the CPU device in place of its queue's.
#[derive(Clone, Debug)]
pub struct Fallback {
    pub kernel: String,
    pub time: u64,
}

impl Session {
    /// Relates the records of a run.
    pub fn new(recordings: &[Recording]) -> Session {
        load::load(recordings)
    }

    /// Facts about a kernel.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|k| k.name == name)
    }

    /// Intervals in which a thread of the program builds, without overlaps. The driver's own threads make
    /// better code in the background, for which nothing waits.
    pub fn building(&self) -> Vec<(u64, u64)> {
        let callers: std::collections::HashSet<usize> = self.calls.iter().map(|c| c.thread).collect();
        let mut merged: Vec<(u64, u64)> = Vec::new();
        for it in self.stages.iter().filter(|s| callers.contains(&s.thread)) {
            match merged.last_mut() {
                Some(last) if it.start <= last.1 => last.1 = last.1.max(it.end),
                _ => merged.push((it.start, it.end)),
            }
        }
        merged
    }

    /// Calls that had not returned when their process ended.
    pub fn open_calls(&self) -> impl Iterator<Item = &Call> {
        self.calls.iter().filter(|c| c.is_open)
    }
}
