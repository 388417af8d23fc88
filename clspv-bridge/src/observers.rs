//! Observers of the passes: the module's text after chosen passes, and the time of each pass.

use crate::ir::Module;
use crate::passes::PassObserver;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The text of a kernel's module after a pass.
pub struct Snapshot {
    /// Names of the module's kernels.
    pub kernel: String,
    pub pass: String,
    pub text: String,
}

/// Collects the modules after chosen passes. A pass that runs several times for a kernel gives a snapshot
/// each time, as it does for each pointer mode.
pub struct Snapshots {
    passes: Vec<String>,
    taken: Mutex<Vec<Snapshot>>,
}

impl Snapshots {
    /// Snapshots after the passes of these names, or after every pass for `all`.
    pub fn after(passes: Vec<String>) -> Snapshots {
        Snapshots { passes, taken: Mutex::new(Vec::new()) }
    }

    /// The snapshots, ordered by kernel, then in the order in which they were taken.
    pub fn finish(self) -> Vec<Snapshot> {
        let mut taken = self.taken.into_inner().unwrap_or_else(PoisonError::into_inner);
        taken.sort_by(|a, b| a.kernel.cmp(&b.kernel));
        taken
    }
}

impl PassObserver for Snapshots {
    fn after(&self, pass: &str, module: &Module, _time: Duration) {
        if self.passes.iter().any(|p| p == pass || p == "all") {
            let kernels: Vec<&str> = module.kernels.iter().map(|k| k.name.as_str()).collect();
            let snapshot =
                Snapshot { kernel: kernels.join(","), pass: pass.to_owned(), text: module.to_string() };
            self.taken.lock().unwrap_or_else(PoisonError::into_inner).push(snapshot);
        }
    }
}

/// Sums up the time of each pass over all kernels.
#[derive(Default)]
pub struct PassTimes {
    times: Mutex<BTreeMap<String, (u32, Duration)>>,
}

impl PassTimes {
    /// A table of the passes with how often each ran and its time, the longest first.
    pub fn table(&self) -> String {
        let times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rows: Vec<(&String, &(u32, Duration))> = times.iter().collect();
        rows.sort_by_key(|(_, (_, time))| std::cmp::Reverse(*time));
        let total: Duration = rows.iter().map(|(_, (_, time))| *time).sum();
        let mut text = format!("{:>10} {:>7} {:>6}  pass\n", "ms", "%", "runs");
        for (pass, (runs, time)) in rows {
            let share = 100.0 * time.as_secs_f64() / total.as_secs_f64().max(1e-9);
            text += &format!("{:>10.3} {share:>7.1} {runs:>6}  {pass}\n", 1e3 * time.as_secs_f64());
        }
        text + &format!("{:>10.3} {:>7} {:>6}  all passes\n", 1e3 * total.as_secs_f64(), "", "")
    }
}

impl PassObserver for PassTimes {
    fn after(&self, pass: &str, _module: &Module, time: Duration) {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = times.entry(pass.to_owned()).or_default();
        *entry = (entry.0 + 1, entry.1 + time);
    }
}

/// Several observers.
pub struct Observers<'a>(pub Vec<&'a dyn PassObserver>);

impl PassObserver for Observers<'_> {
    fn after(&self, pass: &str, module: &Module, time: Duration) {
        self.0.iter().for_each(|observer| observer.after(pass, module, time));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Kernels, Library, Options};
    use crate::target::Target;

    #[test]
    fn snapshots_and_times_of_a_build() {
        let bytes = include_bytes!("front/spirv/testdata/sgemm.spv");
        let spirv = bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
        let library = Library::from_spirv(spirv);
        let snapshots = Snapshots::after(vec!["lower_memory".into(), "structurize".into()]);
        let times = PassTimes::default();
        let observers = Observers(vec![&snapshots, &times]);
        let (options, target) = (Options::default(), Target::generic());
        crate::driver::build_kernels(&Kernels::Every, &[&library], &options, &[], &target, Some(&observers))
            .unwrap();
        let taken = snapshots.finish();
        assert!(taken.iter().all(|s| s.kernel == "sgemm" && s.text.contains("@sgemm")));
        let count = |pass: &str| taken.iter().filter(|s| s.pass == pass).count();
        assert!(count("lower_memory") > 0 && count("lower_memory") == count("structurize"));
        let table = times.table();
        assert!(table.contains("  mem2reg\n") && table.contains("  lower_images\n"), "{table}");
    }
}
