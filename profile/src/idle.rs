//! Times at which a device computes nothing, and why.
//!
//! While no kernel runs, the first of these reasons that holds counts: a transfer runs; a command is held
//! back by an event of another queue or of the host; a command is enqueued and has not started; a thread
//! builds a program; else the host has not enqueued anything.

use crate::session::Session;
use serde::Serialize;

/// Why a device computes nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    Transfer,
    Event,
    Submission,
    Build,
    Host,
}

/// All reasons, the strongest first.
pub const REASONS: [Reason; 5] =
    [Reason::Transfer, Reason::Event, Reason::Submission, Reason::Build, Reason::Host];

impl Reason {
    /// Text for people, after "waits for".
    pub fn text(self) -> &'static str {
        match self {
            Reason::Transfer => "a transfer",
            Reason::Event => "an event",
            Reason::Submission => "the start of an enqueued command",
            Reason::Build => "a build",
            Reason::Host => "the host",
        }
    }
}

/// How a device spent its time, from its first command to the end of its last.
#[derive(Clone, Debug, Serialize)]
pub struct Usage {
    pub device: usize,
    pub start: u64,
    pub end: u64,
    /// Time in which kernels ran.
    pub busy: u64,
    /// Time for each of [`REASONS`].
    pub idle: [u64; 5],
    /// Intervals without kernels.
    #[serde(skip)]
    pub gaps: Vec<(u64, u64)>,
}

/// How each device with commands spent its time.
pub fn usage(session: &Session) -> Vec<Usage> {
    (0..session.devices.len()).filter_map(|device| of_device(session, device)).collect()
}

/// Layers of intervals: kernels, then the reasons but the last.
const LAYERS: usize = REASONS.len();

fn of_device(session: &Session, device: usize) -> Option<Usage> {
    let mut edges: Vec<(u64, usize, i32)> = Vec::new();
    let mut add = |layer: usize, from: u64, to: u64| {
        if from < to {
            edges.extend([(from, layer, 1), (to, layer, -1)]);
        }
    };
    let (mut start, mut end) = (u64::MAX, 0);
    for command in session.commands.iter().filter(|c| session.queues[c.queue].device == device) {
        start = start.min(command.queued);
        let Some((from, to)) = command.run else { continue };
        end = end.max(to);
        match command.kind {
            kind if kind.is_compute() => add(0, from, to),
            kind if kind.is_transfer() => add(1, from, to),
            _ => {}
        }
        let held = command.held_until.map_or(command.queued, |until| until.min(from));
        add(2, command.queued, held);
        add(3, held.max(command.queued), from);
    }
    if start >= end {
        return None;
    }
    for (from, to) in session.building() {
        add(4, from.clamp(start, end), to.clamp(start, end));
    }
    edges.sort_unstable();
    let mut usage = Usage { device, start, end, busy: 0, idle: [0; 5], gaps: Vec::new() };
    let (mut open, mut at) = ([0i32; LAYERS], start);
    for (time, layer, change) in edges.into_iter().chain([(end, 0, 0)]) {
        let time = time.clamp(start, end);
        if time > at {
            usage.spend(at, time, open.iter().position(|n| *n > 0));
            at = time;
        }
        open[layer] += change;
    }
    Some(usage)
}

impl Usage {
    /// Counts an interval; `layer` is the first that is occupied.
    fn spend(&mut self, from: u64, to: u64, layer: Option<usize>) {
        match layer {
            Some(0) => {
                self.busy += to - from;
                return;
            }
            Some(reason) => self.idle[reason - 1] += to - from,
            None => self.idle[Reason::Host as usize] += to - from,
        }
        match self.gaps.last_mut() {
            Some(last) if last.1 == from => last.1 = to,
            _ => self.gaps.push((from, to)),
        }
    }

    /// Length of the interval.
    pub fn length(&self) -> u64 {
        self.end - self.start
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::format::stage;
    use crate::session::{Call, Command, CommandKind, Device, Queue, Stage};

    /// A session with one device and queue.
    pub fn session(commands: Vec<Command>) -> Session {
        let device = Device { name: "d".into(), kind: 2, units: 1, megahertz: 0, memory: 0, local: 0 };
        let queue = Queue { process: 0, device: 0, is_out_of_order: false, created: 0 };
        Session { devices: vec![device], queues: vec![queue], commands, ..Session::default() }
    }

    pub fn command(kind: CommandKind, label: &str, queued: u64, start: u64, end: u64) -> Command {
        Command {
            id: 1,
            queue: 0,
            kind,
            label: label.into(),
            bytes: 4,
            global: [64, 1, 1],
            local: [64, 1, 1],
            work: None,
            thread: 0,
            call: None,
            is_blocking: kind.is_transfer(),
            queued,
            submitted: queued,
            run: Some((start, end)),
            status: Some(0),
            held_until: None,
        }
    }

    #[test]
    fn each_moment_has_one_reason() {
        use CommandKind::{Kernel, Read};
        let mut session = session(vec![
            command(Kernel, "k", 0, 10, 20),
            command(Read, "read", 20, 25, 30),
            Command { held_until: Some(60), ..command(Kernel, "k", 50, 65, 80) },
        ]);
        let label = String::new();
        session.stages.push(Stage {
            thread: 0,
            what: stage::BUILD,
            is_cached: false,
            label,
            start: 28,
            end: 40,
        });
        let call =
            Call { thread: 0, name: "clBuildProgram".into(), error: 0, start: 28, end: 40, is_open: false };
        session.calls.push(call);
        let usage = &usage(&session)[0];
        assert_eq!((usage.start, usage.end, usage.busy), (0, 80, 25));
        // Transfer 25-30; event 50-60; submission 0-10, 20-25, 60-65; build 30-40; host 40-50.
        assert_eq!(usage.idle, [5, 10, 20, 10, 10]);
        assert_eq!(usage.gaps, [(0, 10), (20, 65)]);
        assert_eq!(usage.busy + usage.idle.iter().sum::<u64>(), usage.length());
    }
}
