//! Code of single kernels of a program that is built already, for devices that compile kernels one by one.

use super::cache::{Key, ProgramHasher};
use super::code;
use super::stack::with_large_stack;
use crate::device::Device;
use crate::device::traits::{DeviceKernel, KernelCompiler, LoadableCode};
use crate::record::{self, Record};
use clspv_bridge::options::{Kernels, Library, Options};
use clspv_bridge::{CompileError, Target, driver};
use parking_lot::Mutex;
use std::sync::{Arc, OnceLock};

/// Compiles kernels of a program.
pub struct ProgramKernels {
    libraries: Vec<Arc<Library>>,
    options: Options,
    specs: Vec<(u32, Vec<u8>)>,
    /// The start of all kernels' keys: hashing the libraries takes as long as reading code from the cache.
    hasher: OnceLock<Result<ProgramHasher, CompileError>>,
    /// Kernels that the recorder has.
    recorded: Mutex<Vec<String>>,
}

impl ProgramKernels {
    /// `options` are those of code generation.
    pub fn new(libraries: Vec<Arc<Library>>, options: Options, specs: Vec<(u32, Vec<u8>)>) -> ProgramKernels {
        ProgramKernels { libraries, options, specs, hasher: OnceLock::new(), recorded: Mutex::default() }
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

    /// Records facts about a kernel that was created, and in the background an estimate of its work.
    pub fn record(self: &Arc<Self>, kernel: &dyn DeviceKernel, device: &Device) {
        let name = &kernel.info().name;
        {
            let mut recorded = self.recorded.lock();
            if recorded.contains(name) {
                return;
            }
            recorded.push(name.clone());
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
        let (all, name) = (self.clone(), name.clone());
        let estimate = move || {
            let libraries: Vec<&Library> = all.libraries.iter().map(|l| &**l).collect();
            let work =
                with_large_stack(|| driver::estimate_work(&name, &libraries, &all.options, &all.specs));
            if let Some(Ok(work)) = work {
                record::put(&Record::Work {
                    name: id,
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
