//! Code of single kernels of a program that is built already, for devices that compile kernels one by one.

use super::cache::{Key, ProgramHasher};
use super::code;
use super::stack::with_large_stack;
use crate::device::Device;
use crate::device::traits::{DeviceKernel, KernelCompiler, LoadableCode};
use crate::kernel::args::ArgSnapshot;
use crate::record::{self, Record};
use clspv_bridge::analysis::work::LaunchFacts;
use clspv_bridge::options::{Kernels, Library, Options};
use clspv_bridge::{CompileError, Target, driver};
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

/// Compiles kernels of a program.
pub struct ProgramKernels {
    libraries: Vec<Arc<Library>>,
    options: Options,
    specs: Vec<(u32, Vec<u8>)>,
    /// The start of all kernels' keys: hashing the libraries takes as long as reading code from the cache.
    hasher: OnceLock<Result<ProgramHasher, CompileError>>,
    /// Kernels whose facts the recorder has, and launches whose work is estimated, by kernel.
    recorded: Mutex<HashSet<String>>,
    estimated: Mutex<HashMap<String, Arc<Mutex<KnownLaunches>>>>,
}

/// Launches of a kernel that are estimated, each with its number; the newest one also counts for others.
const MOST_ESTIMATES: usize = 16;

/// Estimates of a kernel's work, for the recorder: one for each set of what it depends on.
pub struct WorkEstimates {
    kernels: Arc<ProgramKernels>,
    name: String,
    known: Arc<Mutex<KnownLaunches>>,
}

type KnownLaunches = Vec<(LaunchFacts, u32)>;

impl WorkEstimates {
    /// The number of a launch's estimate, which is recorded in the background.
    pub fn number(&self, arguments: &[ArgSnapshot], global: [u64; 3], local: [u64; 3]) -> u32 {
        let mut known = self.known.lock();
        let is_same = |launch: &LaunchFacts| {
            let (one, other) = (launch.arguments.iter(), arguments.iter().map(bits_of));
            launch.global == global && launch.local == local && one.copied().eq(other)
        };
        // The newest first.
        if let Some((_, number)) = known.iter().rev().find(|(launch, _)| is_same(launch)) {
            return *number;
        }
        if known.len() == MOST_ESTIMATES {
            return known.last().map_or(0, |(_, number)| *number);
        }
        let (arguments, number) = (arguments.iter().map(bits_of).collect(), record::new_id() as u32);
        let launch = LaunchFacts { arguments, global, local };
        known.push((launch.clone(), number));
        self.kernels.estimate(&self.name, launch, number);
        number
    }
}

/// The bits of a number.
fn bits_of(argument: &ArgSnapshot) -> Option<u64> {
    match argument {
        ArgSnapshot::Bytes(bytes) if bytes.len() <= 8 => {
            Some(bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte)))
        }
        _ => None,
    }
}

impl ProgramKernels {
    /// `options` are those of code generation.
    pub fn new(libraries: Vec<Arc<Library>>, options: Options, specs: Vec<(u32, Vec<u8>)>) -> ProgramKernels {
        let (recorded, estimated) = (Mutex::default(), Mutex::default());
        ProgramKernels { libraries, options, specs, hasher: OnceLock::new(), recorded, estimated }
    }

    /// Compiles kernels for a target, from the cache if possible.
    pub fn build(&self, kernels: &Kernels, target: &Target) -> Result<LoadableCode, CompileError> {
        let key = self.key(kernels, target)?;
        code::back_end(key, kernels, &self.libraries, &self.options, &self.specs, target)
    }

    /// The key of code in the cache; an error if the libraries have no encoding.
    fn key(&self, kernels: &Kernels, target: &Target) -> Result<Key, CompileError> {
        let libraries = || self.libraries.iter().map(|l| &**l).collect::<Vec<_>>();
        let new = || ProgramHasher::new(&libraries(), &self.options, &self.specs);
        match self.hasher.get_or_init(new) {
            Ok(hasher) => Ok(hasher.key(kernels, target)),
            Err(error) => Err(error.clone()),
        }
    }

    /// Records facts about a kernel that was created.
    pub fn record(&self, kernel: &dyn DeviceKernel, device: &Device) {
        let name = &kernel.info().name;
        if !self.recorded.lock().insert(name.clone()) {
            return;
        }
        let id = record::name(name);
        record::put(&Record::Kernel {
            name: id,
            device: device.record_id(),
            private: kernel.private_bytes(),
            local: kernel.static_local_bytes(),
            sub_group: kernel.sub_group_size() as u32,
            largest_group: kernel.max_work_group_size() as u32,
            multiple: kernel.preferred_multiple() as u32,
        });
    }

    /// Estimates of a kernel's work.
    pub fn estimates(self: &Arc<Self>, name: &str) -> WorkEstimates {
        let known = self.estimated.lock().entry(name.to_owned()).or_default().clone();
        WorkEstimates { kernels: self.clone(), name: name.to_owned(), known }
    }

    /// Records an estimate of a kernel's work in the background.
    fn estimate(self: &Arc<Self>, name: &str, launch: LaunchFacts, number: u32) {
        let (all, name) = (self.clone(), name.to_owned());
        let estimate = move || {
            let libraries: Vec<&Library> = all.libraries.iter().map(|l| &**l).collect();
            let work = with_large_stack(|| {
                driver::estimate_work(&name, &launch, &libraries, &all.options, &all.specs)
            });
            if let Some(Ok(work)) = work {
                record::put(&Record::Work {
                    id: number,
                    float_ops: work.float_ops,
                    int_ops: work.int_ops,
                    loaded: work.loaded,
                    stored: work.stored,
                    unknown_loops: work.unknown_loops,
                });
            }
        };
        // If no thread can be started, the estimate is left out.
        let _ = std::thread::Builder::new().name("pyroclast-record".into()).spawn(estimate);
    }
}

impl KernelCompiler for ProgramKernels {
    fn cached(&self, kernel: &str, target: &Target) -> Option<LoadableCode> {
        code::cached(self.key(&only(kernel), target).ok()?)
    }

    fn compile(&self, kernel: &str, target: &Target) -> Result<LoadableCode, CompileError> {
        self.build(&only(kernel), target)
    }
}

fn only(kernel: &str) -> Kernels {
    Kernels::Named(vec![kernel.to_owned()])
}
