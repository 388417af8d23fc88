//! The kernels that are measured: the largest of the corpus, without many variants of one.
//!
//! A kernel's size is the number of instructions of its optimised code for any device, where everything that
//! it calls is inlined.

use super::arguments::KernelTimesArgs;
use crate::execute::plan::{CompiledEntry, ExecutionPlan};
use crate::execute::settings::Settings;
use crate::manifest::{Corpus, CorpusEntry};
use clspv_bridge::driver;
use clspv_bridge::ir::Module;
use clspv_bridge::options::Kernels;
use clspv_bridge::passes::PassObserver;
use clspv_bridge::pipeline;
use clspv_bridge::target::Target;
use pyroclast_runtime::program::stack::with_large_stack;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

/// A kernel that can be measured.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Candidate {
    /// Path of its file in the corpus.
    pub path: String,
    pub kernel: String,
    /// Number of instructions.
    pub size: usize,
    /// Build options of the file.
    pub options: String,
    /// Its launch, with exact arithmetic.
    pub plan: ExecutionPlan,
}

/// The chosen candidates, the largest first.
pub fn choose(
    corpus: &Corpus,
    settings: &Settings,
    arguments: &KernelTimesArgs,
    scratch: &Path,
) -> Vec<Candidate> {
    let all = Mutex::new(Vec::new());
    corpus.each(scratch, |_, entry, _| match candidates(entry, &corpus.dir, settings) {
        Ok(found) => {
            if let Ok(mut all) = all.lock() {
                all.extend(found);
            }
        }
        Err(error) => eprintln!("{}: {}", entry.path, error.lines().next().unwrap_or_default()),
    });
    let mut all = all.into_inner().unwrap_or_default();
    if arguments.kernel.is_empty() {
        return largest(all, arguments);
    }
    all.retain(|c| arguments.kernel.contains(&c.kernel));
    sort(&mut all);
    all
}

/// The largest first; kernels of equal size by their names.
fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| b.size.cmp(&a.size).then((&a.path, &a.kernel).cmp(&(&b.path, &b.kernel))));
}

/// The largest candidates within the limits of the arguments, and only one kernel of a name in each folder:
/// files of a folder may have variants of one kernel.
fn largest(mut candidates: Vec<Candidate>, limits: &KernelTimesArgs) -> Vec<Candidate> {
    sort(&mut candidates);
    let (mut of_file, mut of_folder, mut of_name) = (HashMap::new(), HashMap::new(), HashMap::new());
    candidates.retain(|c| {
        let folder = c.path.split('/').next().unwrap_or_default().to_owned();
        let name = (folder.clone(), c.kernel.clone());
        let counts = [
            (of_file.entry(c.path.clone()).or_insert(0), limits.per_file),
            (of_folder.entry(folder).or_insert(0), limits.per_folder),
            (of_name.entry(name).or_insert(0), 1),
        ];
        let fits = c.size <= limits.at_most && counts.iter().all(|(count, most)| **count < *most);
        counts.into_iter().filter(|_| fits).for_each(|(count, _)| *count += 1);
        fits
    });
    candidates.truncate(limits.count);
    candidates
}

/// The kernels of an entry for which there is data.
fn candidates(entry: &CorpusEntry, dir: &Path, settings: &Settings) -> Result<Vec<Candidate>, String> {
    let compiled = CompiledEntry::new(entry, dir)?;
    let (plan, _) = compiled.plan(settings)?;
    let sizes = sizes(&compiled)?;
    let candidate = |(kernel, size): (String, usize)| {
        let planned = plan.kernels.iter().find(|k| k.name == kernel)?.clone();
        let plan = ExecutionPlan { kernels: vec![planned], ..plan.clone() };
        Some(Candidate { path: entry.path.clone(), kernel, size, options: entry.options.clone(), plan })
    };
    Ok(sizes.into_iter().filter_map(candidate).collect())
}

/// Collects the sizes of kernels whose optimisation has ended.
#[derive(Default)]
struct SizeObserver(Mutex<Vec<(String, usize)>>);

impl PassObserver for SizeObserver {
    fn after(&self, pass: &str, module: &Module, _time: Duration) {
        if pipeline::OPTIMISE.last().map(|last| last.name()) != Some(pass) {
            return;
        }
        let Some(kernel) = module.kernels.first() else { return };
        let blocks = module.functions.values().flat_map(|f| f.layout.iter().map(|block| &f.blocks[*block]));
        let size = blocks.map(|block| block.insts.len()).sum();
        if let Ok(mut sizes) = self.0.lock() {
            sizes.push((kernel.name.clone(), size));
        }
    }
}

/// Names and sizes of the kernels of a file.
fn sizes(compiled: &CompiledEntry<'_>) -> Result<Vec<(String, usize)>, String> {
    let observer = SizeObserver::default();
    let build = || {
        let (target, libraries) = (Target::generic(), [&compiled.library]);
        let options = &compiled.options;
        driver::build_kernels(&Kernels::Possible, &libraries, options, &[], &target, Some(&observer))
            .map(drop)
    };
    with_large_stack(build).ok_or("the compiler panicked")?.map_err(|e| e.to_string())?;
    observer.0.into_inner().map_err(|_| "the compiler panicked".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_of_a_file_a_folder_and_a_name_are_chosen() {
        let candidate = |(path, kernel, size): &(&str, &str, usize)| Candidate {
            path: (*path).into(),
            kernel: (*kernel).into(),
            size: *size,
            ..Candidate::default()
        };
        let all = [
            ("a/1.cl", "small", 1),
            ("a/1.cl", "k", 90),
            ("a/1.cl", "l", 80),
            ("a/2.cl", "k", 85),
            ("a/2.cl", "m", 70),
            ("a/3.cl", "n", 60),
            ("b/1.cl", "k", 50),
            ("b/2.cl", "huge", 1000),
            ("b/3.cl", "o", 40),
        ];
        let limits =
            KernelTimesArgs { count: 3, per_file: 1, per_folder: 2, at_most: 100, ..Default::default() };
        let chosen = largest(all.iter().map(candidate).collect(), &limits);
        let names: Vec<(&str, &str)> = chosen.iter().map(|c| (c.path.as_str(), c.kernel.as_str())).collect();
        assert_eq!(names, [("a/1.cl", "k"), ("a/2.cl", "m"), ("b/1.cl", "k")]);
    }

    #[test]
    fn sizes_include_what_kernels_call() {
        let folder = std::env::temp_dir().join(format!("pyroclast-sizes-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let source = "float f(float x) { return sin(x) * exp(x); }
            kernel void calls(global float *a) { a[0] = f(a[1]); }
            kernel void adds(global float *a) { a[0] += a[1]; }";
        std::fs::write(folder.join("k.cl"), source).unwrap();
        let entry = CorpusEntry { path: "k.cl".into(), options: String::new() };
        let found = candidates(&entry, &folder, &Settings::default());
        std::fs::remove_dir_all(folder).unwrap();
        let size = |name: &str| found.iter().flatten().find(|c| c.kernel == name).map_or(0, |c| c.size);
        assert!(size("adds") > 3 && size("calls") > 10 * size("adds"), "{found:?}");
    }
}
