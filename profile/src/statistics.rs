//! Sums over a session: kernels, transfers, calls, builds and memory.

use crate::session::{CommandKind, Session, Work};
use crate::units::total;
use serde::Serialize;
use std::collections::BTreeMap;

/// Launches of one kernel.
#[derive(Clone, Debug, Serialize)]
pub struct KernelSum {
    pub name: String,
    pub launches: u64,
    /// Nanoseconds.
    pub total: u64,
    pub least: u64,
    pub median: u64,
    pub most: u64,
    /// Median work-items of a launch.
    pub items: u64,
    pub group: [u64; 3],
    /// Estimated floating-point operations, and bytes of global memory, of all launches; 0 if unknown.
    pub float_ops: u64,
    pub int_ops: u64,
    pub bytes: u64,
    /// Operations and bytes are lower bounds: the kernel has loops of unknown length, or some launches have
    /// no estimate.
    pub is_lower_bound: bool,
    /// Launches by duration: see [`BUCKETS_PER_OCTAVE`].
    pub histogram: Vec<(u32, u64)>,
    pub private: u64,
    pub local: u64,
    pub sub_group: u32,
    pub largest_group: u32,
    pub fallbacks: u64,
}

/// Buckets of histograms for each doubling of the duration: bucket `i` begins at 2^(i/4) ns.
pub const BUCKETS_PER_OCTAVE: u32 = 4;

/// Transfers of one kind.
#[derive(Clone, Debug, Serialize)]
pub struct TransferSum {
    pub kind: &'static str,
    pub count: u64,
    pub bytes: u64,
    pub total: u64,
    /// Transfers after which the calling thread continued only when they were complete.
    pub blocking: u64,
    /// Median size.
    pub median: u64,
}

/// Calls of one function.
#[derive(Clone, Debug, Serialize)]
pub struct CallSum {
    pub name: String,
    pub count: u64,
    pub total: u64,
    pub most: u64,
    pub errors: u64,
}

fn median(values: &mut [u64]) -> u64 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}

/// The bucket of a duration.
pub fn bucket(duration: u64) -> u32 {
    ((duration.max(1) as f64).log2() * f64::from(BUCKETS_PER_OCTAVE)) as u32
}

/// Kernels by total time.
pub fn kernels(session: &Session) -> Vec<KernelSum> {
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, command) in session.commands.iter().enumerate() {
        if command.kind.is_compute() && command.run.is_some() {
            by_name.entry(&command.label).or_default().push(i);
        }
    }
    let mut sums: Vec<KernelSum> =
        by_name.into_iter().map(|(name, launches)| kernel(session, name, &launches)).collect();
    sums.sort_by_key(|sum| std::cmp::Reverse(sum.total));
    sums
}

fn kernel(session: &Session, name: &str, launches: &[usize]) -> KernelSum {
    let commands = || launches.iter().map(|i| &session.commands[*i]);
    let items_of = |global: [u64; 3]| global.iter().fold(1, |n: u64, d| n.saturating_mul((*d).max(1)));
    let mut times: Vec<u64> = commands().map(|c| c.duration()).collect();
    let mut items: Vec<u64> = commands().map(|c| items_of(c.global)).collect();
    let mut histogram: BTreeMap<u32, u64> = BTreeMap::new();
    for time in &times {
        *histogram.entry(bucket(*time)).or_default() += 1;
    }
    let facts = session.kernel(name).cloned().unwrap_or_default();
    let works = || commands().filter_map(|c| Some((items_of(c.global), c.work?)));
    let all = |each: fn(&Work) -> u64| total(works().map(|(items, work)| items.saturating_mul(each(&work))));
    // Launches without an estimate count nothing.
    let is_partial = (1..launches.len()).contains(&works().count());
    KernelSum {
        name: name.to_owned(),
        launches: launches.len() as u64,
        total: total(times.iter().copied()),
        median: median(&mut times),
        least: times.first().copied().unwrap_or(0),
        most: times.last().copied().unwrap_or(0),
        items: median(&mut items),
        group: commands().next().map_or([0; 3], |c| c.local),
        float_ops: all(|work| work.float_ops),
        int_ops: all(|work| work.int_ops),
        bytes: all(|work| work.loaded.saturating_add(work.stored)),
        is_lower_bound: is_partial || works().any(|(_, work)| work.unknown_loops > 0),
        histogram: histogram.into_iter().collect(),
        private: facts.private,
        local: facts.local,
        sub_group: facts.sub_group,
        largest_group: facts.largest_group,
        fallbacks: session.fallbacks.iter().filter(|f| f.kernel == name).count() as u64,
    }
}

/// Kinds of transfers by total time.
pub fn transfers(session: &Session) -> Vec<TransferSum> {
    let mut by_kind: BTreeMap<CommandKind, Vec<usize>> = BTreeMap::new();
    for (i, command) in session.commands.iter().enumerate() {
        if command.kind.is_transfer() && command.run.is_some() {
            by_kind.entry(command.kind).or_default().push(i);
        }
    }
    let sum = |(kind, list): (CommandKind, Vec<usize>)| {
        let commands = || list.iter().map(|i| &session.commands[*i]);
        TransferSum {
            kind: kind.name(),
            count: list.len() as u64,
            bytes: total(commands().map(|c| c.bytes)),
            total: total(commands().map(|c| c.duration())),
            blocking: commands().filter(|c| c.is_blocking).count() as u64,
            median: median(&mut commands().map(|c| c.bytes).collect::<Vec<_>>()),
        }
    };
    let mut sums: Vec<TransferSum> = by_kind.into_iter().map(sum).collect();
    sums.sort_by_key(|sum| std::cmp::Reverse(sum.total));
    sums
}

/// Functions by total time.
pub fn calls(session: &Session) -> Vec<CallSum> {
    let mut by_name: BTreeMap<&str, CallSum> = BTreeMap::new();
    for call in &session.calls {
        let new = || CallSum { name: call.name.clone(), count: 0, total: 0, most: 0, errors: 0 };
        let sum = by_name.entry(&call.name).or_insert_with(new);
        let time = call.end - call.start;
        sum.count += 1;
        sum.total = sum.total.saturating_add(time);
        sum.most = sum.most.max(time);
        sum.errors += u64::from(call.error != 0);
    }
    let mut sums: Vec<CallSum> = by_name.into_values().collect();
    sums.sort_by_key(|sum| std::cmp::Reverse(sum.total));
    sums
}

/// Size of all memory objects over time: (time, bytes) at each change.
pub fn memory(session: &Session) -> Vec<(u64, u64)> {
    let begins = session.memory.iter().map(|m| (m.start, m.size as i64));
    let ends = session.memory.iter().filter_map(|m| Some((m.end?, -(m.size as i64))));
    let mut changes: Vec<(u64, i64)> = begins.chain(ends).collect();
    changes.sort_unstable();
    let mut size = 0i64;
    let sum = |(time, change): (u64, i64)| {
        size = size.saturating_add(change);
        (time, size.max(0) as u64)
    };
    changes.into_iter().map(sum).collect()
}
