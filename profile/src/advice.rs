//! Plain advice: what costs most in a run, and what to do about it.

use crate::format::stage;
use crate::idle::{Reason, Usage};
use crate::session::{Command, CommandKind, Session};
use crate::statistics;
use crate::units;
use serde::Serialize;
use std::collections::BTreeMap;

/// Smallest part of the time worth a piece of advice.
const WORTH: f64 = 0.03;
/// Longest launch that is short.
const SHORT: u64 = 20_000;

/// A piece of advice.
#[derive(Clone, Debug, Serialize)]
pub struct Advice {
    /// Part of the time that it concerns, 0 to 1.
    pub share: f64,
    /// Observation.
    pub what: String,
    /// Remedy.
    pub remedy: String,
}

/// Advice about a run, the most important first.
pub fn advice(session: &Session, usage: &[Usage]) -> Vec<Advice> {
    let mut all = Vec::new();
    for device in usage {
        gaps(session, device, &mut all);
        idle(device, &mut all);
    }
    builds(session, &mut all);
    kernels(session, usage, &mut all);
    small_transfers(session, usage, &mut all);
    all.retain(|a: &Advice| a.share >= WORTH);
    all.sort_by(|a, b| b.share.total_cmp(&a.share));
    oddities(session, &mut all);
    all
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// A size as a word before a noun.
fn size_of(bytes: u64) -> String {
    if bytes < 1024 { format!("{bytes}-byte") } else { units::bytes(bytes) }
}

/// Gaps between kernels that contain a transfer for which a thread waited, by transfer and kernel.
fn gaps(session: &Session, usage: &Usage, all: &mut Vec<Advice>) {
    let on_device = |c: &&Command| session.queues[c.queue].device == usage.device;
    let mut commands: Vec<(u64, u64, &Command)> =
        session.commands.iter().filter(on_device).filter_map(|c| Some((c.run?.0, c.run?.1, c))).collect();
    commands.sort_by_key(|(start, ..)| *start);
    let mut sums: BTreeMap<(CommandKind, u64, &str), (u64, u64)> = BTreeMap::new();
    let (mut at, mut kernel) = (0, None);
    for (from, to) in &usage.gaps {
        let mut cause = None;
        while let Some((start, _, command)) = commands.get(at).filter(|(start, ..)| start < to) {
            if command.kind.is_compute() {
                kernel = Some(command);
            } else if command.is_blocking && start >= from {
                cause = cause.or(Some(command));
            }
            at += 1;
        }
        if let (Some(command), Some(kernel)) = (cause, kernel) {
            let sum = sums.entry((command.kind, command.bytes, &kernel.label)).or_default();
            *sum = (sum.0 + to - from, sum.1 + 1);
        }
    }
    for ((kind, bytes, kernel), (time, count)) in sums {
        let share = share(time, usage.length());
        let how = match kind {
            CommandKind::Map => "maps",
            CommandKind::Write => "writes",
            _ => "reads",
        };
        let what = format!(
            "{} of the time the device waits for {} blocking {how} after `{kernel}` ({count} times).",
            percent(share),
            size_of(bytes)
        );
        let remedy = match bytes {
            0..4096 => {
                "Keep the decision on the device, or look at the result only every few launches; pass CL_FALSE \
                 and enqueue the next work before you wait."
            }
            _ => {
                "Pass CL_FALSE and enqueue the next work before you wait, with two buffers in turn; or use a \
                 second queue for transfers."
            }
        };
        all.push(Advice { share, what, remedy: remedy.into() });
    }
}

/// Large parts of the time without a kernel, by reason.
fn idle(usage: &Usage, all: &mut Vec<Advice>) {
    let of = |reason: Reason| share(usage.idle[reason as usize], usage.length());
    let host = of(Reason::Host);
    if host > 0.2 {
        all.push(Advice {
            share: host,
            what: format!(
                "{} of the time the device has nothing to do: the host enqueues too late.",
                percent(host)
            ),
            remedy:
                "Enqueue ahead instead of waiting after each command (clFinish, clWaitForEvents, blocking \
                     calls), and move the host's own work behind clFlush."
                    .into(),
        });
    }
    let event = of(Reason::Event);
    if event > 0.1 {
        all.push(Advice {
            share: event,
            what: format!(
                "{} of the time commands wait for events of other queues or of the host.",
                percent(event)
            ),
            remedy: "Complete user events earlier, or order the commands in one queue.".into(),
        });
    }
}

fn builds(session: &Session, all: &mut Vec<Advice>) {
    let time = units::total(session.building().iter().map(|(start, end)| end - start));
    let share = share(time, session.end);
    let of = |what| session.stages.iter().filter(move |s| s.what == what);
    let (made, sources) =
        (of(stage::FRONT_END).filter(|s| !s.is_cached).count(), of(stage::FRONT_END).count());
    let plural = if sources == 1 { "" } else { "s" };
    let what = format!(
        "{} of the run is spent on compiling ({sources} source{plural}, {made} of them not in the cache).",
        percent(share)
    );
    let remedy = match made {
        0 => "Build each program once and keep it; build on another thread with a callback.",
        _ => "A second run takes compiled kernels from the cache; keep the source and its options the same.",
    };
    all.push(Advice { share, what, remedy: remedy.into() });
}

fn kernels(session: &Session, usage: &[Usage], all: &mut Vec<Advice>) {
    let whole = units::total(usage.iter().map(Usage::length));
    for sum in statistics::kernels(session) {
        let time = share(sum.total, whole);
        let name = &sum.name;
        if sum.launches >= 100 && sum.median < SHORT {
            let per_launch = units::time(sum.median);
            all.push(Advice {
                share: time,
                what: format!("`{name}` is launched {} times for {per_launch} each.", sum.launches),
                remedy: "Give each launch more work-items, join kernels, or record the launches once in a \
                         command buffer."
                    .into(),
            });
        }
        let group = sum.group.iter().fold(1u64, |all, n| all.saturating_mul((*n).max(1)));
        if sum.sub_group > 1 && group % u64::from(sum.sub_group) != 0 && sum.items > u64::from(sum.sub_group)
        {
            all.push(Advice {
                share: time,
                what: format!(
                    "Work-groups of `{name}` have {}, which do not fill sub-groups of {}.",
                    units::counted(group, "work-item"),
                    sum.sub_group
                ),
                remedy: "Use a local size that is a multiple of \
                         CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, or leave it to the driver (NULL)."
                    .into(),
            });
        }
        if sum.fallbacks > 0 {
            all.push(Advice {
                share: time.max(WORTH),
                what: format!("{} launches of `{name}` fell back to the CPU device.", sum.fallbacks),
                remedy: "The build log says which feature the device lacks.".into(),
            });
        }
    }
}

fn small_transfers(session: &Session, usage: &[Usage], all: &mut Vec<Advice>) {
    let whole = units::total(usage.iter().map(Usage::length));
    for sum in statistics::transfers(session).iter().filter(|sum| sum.count >= 100 && sum.median < 4096) {
        all.push(Advice {
            share: share(sum.total, whole),
            what: format!(
                "{} transfers of kind {} move {} each.",
                sum.count,
                sum.kind,
                units::bytes(sum.median)
            ),
            remedy: "Join them to fewer, larger transfers, or map the buffer once.".into(),
        });
    }
}

/// Observations without a part of the time.
fn oddities(session: &Session, all: &mut Vec<Advice>) {
    let errors = session.calls.iter().filter(|c| c.error != 0).count();
    if errors > 0 {
        all.push(Advice {
            share: 0.0,
            what: format!("{} returned an error.", units::counted(errors as u64, "call")),
            remedy: "`pyroclast trace` prints each call with its arguments and the name of its error.".into(),
        });
    }
    let kept: Vec<u64> = session.memory.iter().filter(|m| m.end.is_none()).map(|m| m.size).collect();
    if !kept.is_empty() {
        let size = units::bytes(units::total(kept.iter().copied()));
        all.push(Advice {
            share: 0.0,
            what: format!("Never released: {} ({size}).", units::counted(kept.len() as u64, "memory object")),
            remedy: "Release them with clReleaseMemObject if the program runs for long.".into(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::idle;
    use crate::idle::tests::{command, session};

    #[test]
    fn blocking_reads_are_named_with_their_kernel() {
        use CommandKind::{Kernel, Read};
        let step = |at: u64| {
            [command(Kernel, "step", at, at + 1, at + 50), command(Read, "read", at + 50, at + 80, at + 90)]
        };
        let session = session((0..10).flat_map(|i| step(i * 100)).collect());
        let all = advice(&session, &idle::usage(&session));
        assert!(
            all[0]
                .what
                .starts_with("50 % of the time the device waits for 4-byte blocking reads after `step`"),
            "{all:#?}"
        );
    }
}
