//! Builds a session from recordings: relates commands to calls, queues and events, and device times to the
//! host's.

use crate::file::Recording;
use crate::format::Record;
use crate::session::*;
use std::collections::HashMap;

const OUT_OF_ORDER: u64 = 1;

/// See [`Session::new`].
pub fn load(recordings: &[Recording]) -> Session {
    let mut session = Session::default();
    let zero = recordings.iter().map(|r| r.start).min().unwrap_or(0);
    for recording in recordings {
        Loader::new(&mut session, recording, zero).run();
    }
    sort(&mut session);
    session.end = last_time(&session);
    for call in session.calls.iter_mut().filter(|c| c.is_open) {
        call.end = session.end;
    }
    session
}

/// Loads one process.
struct Loader<'a> {
    session: &'a mut Session,
    recording: &'a Recording,
    process: usize,
    zero: u64,
    threads: HashMap<u32, usize>,
    devices: HashMap<u64, usize>,
    queues: HashMap<u64, usize>,
    /// Index in the session's list by number.
    commands: HashMap<u64, usize>,
    memory: HashMap<u64, usize>,
    work: HashMap<u32, Work>,
    /// Numbers of the work of commands.
    command_work: Vec<(usize, u32)>,
    /// (command, wait list)
    waits: Vec<(u64, Vec<u64>)>,
    endings: Vec<Ending>,
    first_command: usize,
    first_call: usize,
}

/// End of a command, with times as recorded.
struct Ending {
    id: u64,
    status: i32,
    submitted: u64,
    start: u64,
    end: u64,
    offset: u64,
    reported: u64,
}

impl<'a> Loader<'a> {
    fn new(session: &'a mut Session, recording: &'a Recording, zero: u64) -> Loader<'a> {
        session.processes.push(Process { id: recording.process, command: recording.command.clone() });
        Loader {
            process: session.processes.len() - 1,
            first_command: session.commands.len(),
            first_call: session.calls.len(),
            session,
            recording,
            zero,
            threads: HashMap::new(),
            devices: HashMap::new(),
            queues: HashMap::new(),
            commands: HashMap::new(),
            memory: HashMap::new(),
            work: HashMap::new(),
            command_work: Vec::new(),
            waits: Vec::new(),
            endings: Vec::new(),
        }
    }

    fn run(mut self) {
        let recording = self.recording;
        for (thread, record) in recording.records() {
            let thread = self.thread(thread);
            self.add(thread, &record);
        }
        for open in recording.open_calls() {
            let (thread, start) = (self.thread(open.thread), self.time(open.start));
            let name = recording.name(open.name).to_owned();
            self.session.calls.push(Call { thread, name, error: 0, start, end: start, is_open: true });
        }
        for (at, work) in &self.command_work {
            self.session.commands[*at].work = self.work.get(work).copied();
        }
        self.end_commands();
        self.relate_events();
        self.relate_calls();
        let process = recording.process;
        if recording.is_full {
            let text =
                format!("The recording of process {process} reached its largest size; its end is missing.");
            self.session.remarks.push(text);
        }
        if recording.damaged > 0 {
            let text = format!("{} records of process {process} are damaged.", recording.damaged);
            self.session.remarks.push(text);
        }
    }

    fn time(&self, time: u64) -> u64 {
        time.saturating_sub(self.zero)
    }

    fn thread(&mut self, id: u32) -> usize {
        let (process, threads) = (self.process, &mut self.session.threads);
        *self.threads.entry(id).or_insert_with(|| {
            threads.push(Thread { process, id, name: String::new() });
            threads.len() - 1
        })
    }

    fn add(&mut self, thread: usize, record: &Record) {
        let name = |id| self.recording.name(id).to_owned();
        match *record {
            Record::Name { .. } | Record::Arguments { .. } | Record::Results { .. } => {}
            Record::Thread { name } => self.session.threads[thread].name = name.to_owned(),
            Record::Call { name: id, error, start, end } => {
                let (start, end) = (self.time(start), self.time(end));
                self.session.calls.push(Call {
                    thread,
                    name: name(id),
                    error,
                    start,
                    end: end.max(start),
                    is_open: false,
                });
            }
            Record::Device { id, name, kind, units, megahertz, memory, local } => {
                let devices = &mut self.session.devices;
                let known = devices.iter().position(|d| d.name == name && d.kind == kind);
                let index = known.unwrap_or_else(|| {
                    let name = name.to_owned();
                    devices.push(Device { name, kind, units, megahertz, memory, local });
                    devices.len() - 1
                });
                self.devices.insert(id, index);
            }
            Record::Queue { id, device, properties, time } => {
                let Some(&device) = self.devices.get(&device) else { return };
                let (process, created) = (self.process, self.time(time));
                let is_out_of_order = properties & OUT_OF_ORDER != 0;
                self.session.queues.push(Queue { process, device, is_out_of_order, created });
                self.queues.insert(id, self.session.queues.len() - 1);
            }
            Record::Command { .. } => self.add_command(thread, record),
            Record::Ended { id, status, submitted, start, end, offset, reported } => {
                self.endings.push(Ending { id, status, submitted, start, end, offset, reported });
            }
            Record::Stage { what, cached, label, start, end } => {
                let (start, end, label) = (self.time(start), self.time(end), label.to_owned());
                let is_cached = cached != 0;
                self.session.stages.push(Stage {
                    thread,
                    what,
                    is_cached,
                    label,
                    start,
                    end: end.max(start),
                });
            }
            Record::Memory { id, size, time, .. } => {
                let start = self.time(time);
                self.session.memory.push(Memory { size, start, end: None });
                self.memory.insert(id, self.session.memory.len() - 1);
            }
            Record::MemoryEnd { id, time } => {
                let end = self.time(time);
                if let Some(&at) = self.memory.get(&id) {
                    self.session.memory[at].end = Some(end);
                }
            }
            Record::Kernel { name: id, private, local, sub_group, largest_group, multiple, .. } => {
                let name = name(id);
                let kernel = kernel_of(self.session, name);
                (kernel.private, kernel.local) = (private, local);
                (kernel.sub_group, kernel.largest_group, kernel.multiple) =
                    (sub_group, largest_group, multiple);
            }
            Record::Work { id, float_ops, int_ops, loaded, stored, unknown_loops } => {
                self.work.insert(id, Work { float_ops, int_ops, loaded, stored, unknown_loops });
            }
            Record::Fallback { name: id, time } => {
                let (kernel, time) = (name(id), self.time(time));
                self.session.fallbacks.push(Fallback { kernel, time });
            }
        }
    }

    fn add_command(&mut self, thread: usize, record: &Record) {
        let Record::Command { id, queue, command_type, label, work, bytes, .. } = *record else { return };
        let Record::Command { commands, global, local, queued, waits, .. } = *record else { return };
        let Some(&queue) = self.queues.get(&queue) else { return };
        let kind = CommandKind::of(command_type);
        let label = match (kind, self.recording.name(label)) {
            (CommandKind::CommandBuffer, _) => format!("command buffer ({commands} commands)"),
            (kind, "") => kind.name().to_owned(),
            (_, name) => name.to_owned(),
        };
        let queued = self.time(queued);
        let ids = waits.chunks_exact(8).filter_map(|id| Some(u64::from_le_bytes(id.try_into().ok()?)));
        let ids: Vec<u64> = ids.collect();
        if !ids.is_empty() {
            self.waits.push((id, ids));
        }
        self.commands.insert(id, self.session.commands.len());
        if work != 0 {
            self.command_work.push((self.session.commands.len(), work));
        }
        self.session.commands.push(Command {
            id,
            queue,
            kind,
            label,
            bytes,
            global,
            local,
            work: None,
            thread,
            call: None,
            is_blocking: false,
            queued,
            submitted: queued,
            run: None,
            status: None,
            held_until: None,
        });
    }

    /// Sets the times of ended commands.
    fn end_commands(&mut self) {
        let corrections = self.clock_corrections();
        for ending in &self.endings {
            let Some(&at) = self.commands.get(&ending.id) else { continue };
            let correction = corrections.get(&self.session.commands[at].queue).copied().unwrap_or(0);
            let host = |t: u64| (t.wrapping_add(ending.offset) as i64).wrapping_add(correction) as u64;
            let (submitted, reported) = (self.time(ending.submitted), self.time(ending.reported));
            let run = (ending.end != 0).then(|| (self.time(host(ending.start)), self.time(host(ending.end))));
            let command = &mut self.session.commands[at];
            command.status = Some(ending.status);
            command.submitted = submitted.max(command.queued);
            // Clocks agree only roughly: execution is after the submission and before its report.
            command.run = run.map(|(start, end)| {
                let start = start.clamp(command.submitted, reported.max(command.submitted));
                (start, end.clamp(start, reported.max(start)))
            });
        }
    }

    /// Correction of each queue's device times: none if every command fits between its submission and its
    /// report. A driver that cannot compare its clock with the host's is off by a constant.
    fn clock_corrections(&self) -> HashMap<usize, i64> {
        let mut limits: HashMap<usize, (i64, i64)> = HashMap::new();
        for ending in self.endings.iter().filter(|e| e.end != 0) {
            let Some(&at) = self.commands.get(&ending.id) else { continue };
            let host = |t: u64| t.wrapping_add(ending.offset) as i64;
            let least = (ending.submitted as i64).wrapping_sub(host(ending.start));
            let most = (ending.reported as i64).wrapping_sub(host(ending.end));
            let known = limits.entry(self.session.commands[at].queue).or_insert((i64::MIN, i64::MAX));
            *known = (known.0.max(least), known.1.min(most));
        }
        // Within the clocks' accuracy nothing is corrected.
        const ACCURACY: i64 = 100_000;
        let correction = |(least, most): (i64, i64)| match (least > ACCURACY, most < -ACCURACY) {
            (true, _) => least,
            (_, true) => most,
            _ => 0,
        };
        limits.into_iter().map(|(queue, limit)| (queue, correction(limit))).collect()
    }

    /// Finds until when events held commands back: commands of other queues, and user events.
    fn relate_events(&mut self) {
        for (id, waits) in &self.waits {
            let Some(&at) = self.commands.get(id) else { continue };
            let commands = &self.session.commands;
            let (queue, submitted) = (commands[at].queue, commands[at].submitted);
            let ends = waits.iter().filter_map(|wait| match self.commands.get(wait) {
                Some(&other) if commands[other].queue == queue => None,
                Some(&other) => commands[other].run.map(|(_, end)| end),
                // A user event: it holds the command back before its submission.
                None => Some(submitted),
            });
            let until = ends.max().filter(|end| *end > commands[at].queued);
            self.session.commands[at].held_until = until;
        }
    }

    /// Finds the call that enqueued each command, and whether it blocked.
    fn relate_calls(&mut self) {
        let mut calls: HashMap<usize, Vec<usize>> = HashMap::new();
        for (i, call) in self.session.calls.iter().enumerate().skip(self.first_call) {
            calls.entry(call.thread).or_default().push(i);
        }
        for list in calls.values_mut() {
            list.sort_by_key(|i| self.session.calls[*i].start);
        }
        for at in self.first_command..self.session.commands.len() {
            let command = &self.session.commands[at];
            let Some(list) = calls.get(&command.thread) else { continue };
            let after = list.partition_point(|i| self.session.calls[*i].start <= command.queued);
            let Some(&index) = after.checked_sub(1).and_then(|i| list.get(i)) else { continue };
            let call = &self.session.calls[index];
            if call.end < command.queued && !call.is_open {
                continue;
            }
            let ended = command.run.is_some_and(|(_, end)| end <= call.end);
            let is_blocking = command.kind.is_transfer() && ended && !call.name.contains("Unmap");
            let command = &mut self.session.commands[at];
            (command.call, command.is_blocking) = (Some(index), is_blocking);
        }
    }
}

fn kernel_of(session: &mut Session, name: String) -> &mut Kernel {
    let at = session.kernels.iter().position(|k| k.name == name).unwrap_or(session.kernels.len());
    if at == session.kernels.len() {
        session.kernels.push(Kernel { name, ..Kernel::default() });
    }
    &mut session.kernels[at]
}

/// Sorts by start; commands keep their calls.
fn sort(session: &mut Session) {
    let mut order: Vec<usize> = (0..session.calls.len()).collect();
    order.sort_by_key(|i| (session.calls[*i].start, *i));
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(to, from)| place[*from] = to);
    session.calls.sort_by_key(|c| c.start);
    for command in &mut session.commands {
        command.call = command.call.map(|i| place[i]);
    }
    session.commands.sort_by_key(|c| c.queued);
    session.stages.sort_by_key(|s| s.start);
    session.memory.sort_by_key(|m| m.start);
}

fn last_time(session: &Session) -> u64 {
    let calls = session.calls.iter().map(|c| c.end);
    let commands = session.commands.iter().map(|c| c.run.map_or(c.submitted, |(_, end)| end));
    let stages = session.stages.iter().map(|s| s.end);
    calls.chain(commands).chain(stages).max().unwrap_or(0)
}
