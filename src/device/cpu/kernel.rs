//! Programs of the CPU device and their kernels, whose code may be loaded later.

use super::super::traits::{DeviceError, DeviceKernel, DeviceProgram, DeviceResult, KernelCompiler};
use super::loaded::{self, LaunchFacts, LoadedKernel};
use super::tiers::{self, Recipe, Targets, Tiers};
use clspv_bridge::abi::CompiledProgram;
use clspv_bridge::metadata::KernelInfo;
use std::any::Any;
use std::sync::{Arc, OnceLock};

/// A program.
pub struct CpuProgram {
    kernels: Vec<Arc<CpuKernel>>,
    targets: Targets,
}

/// A kernel.
pub struct CpuKernel {
    facts: LaunchFacts,
    code: KernelCode,
}

/// The code of a kernel.
enum KernelCode {
    /// Loaded with the program.
    Loaded(LoadedKernel),
    /// Compiled when it is wanted.
    Later { info: KernelInfo, tiers: OnceLock<Arc<Tiers>> },
}

impl CpuProgram {
    /// A program with code, or with the interfaces of its kernels. Then their code is compiled for these
    /// targets, once there is a compiler ([`DeviceProgram::offer_compiler`]).
    pub fn new(
        program: &Arc<CompiledProgram>,
        facts: LaunchFacts,
        targets: &Targets,
    ) -> DeviceResult<CpuProgram> {
        let native = program.native().ok_or_else(|| DeviceError::Unexpected("no native code".into()))?;
        let codes: Vec<KernelCode> = if native.object.is_empty() {
            let later = |info: KernelInfo| KernelCode::Later { info, tiers: OnceLock::new() };
            native.kernels.iter().map(|k| later(k.info.clone())).collect()
        } else {
            loaded::load(program, None, facts)?.into_iter().map(KernelCode::Loaded).collect()
        };
        let kernels = codes.into_iter().map(|code| Arc::new(CpuKernel { facts, code })).collect();
        Ok(CpuProgram { kernels, targets: targets.clone() })
    }
}

impl DeviceProgram for CpuProgram {
    fn kernel(&self, name: &str) -> DeviceResult<Arc<dyn DeviceKernel>> {
        let found = self.kernels.iter().find(|k| k.info().name == name);
        let kernel = found.ok_or_else(|| DeviceError::Unexpected(format!("no kernel {name}")))?;
        if let Some(tiers) = kernel.tiers() {
            tiers.want();
        }
        Ok(kernel.clone())
    }
    fn offer_compiler(&self, compiler: Arc<dyn KernelCompiler>) {
        for kernel in &self.kernels {
            if let KernelCode::Later { info, tiers } = &kernel.code {
                let (targets, facts) = (self.targets.clone(), kernel.facts);
                let recipe = Recipe { compiler: compiler.clone(), kernel: info.name.clone(), targets, facts };
                let _ = tiers.set(Arc::new(Tiers::new(recipe)));
            }
        }
        if self.kernels.iter().any(|kernel| kernel.tiers().is_some()) {
            tiers::prepare();
        }
    }
}

impl CpuKernel {
    /// A kernel with this code.
    pub fn new(code: LoadedKernel) -> CpuKernel {
        CpuKernel { facts: code.facts(), code: KernelCode::Loaded(code) }
    }

    /// The fastest code of the kernel so far. Waits for the first.
    pub fn loaded(&self) -> DeviceResult<&LoadedKernel> {
        match &self.code {
            KernelCode::Loaded(code) => Ok(code),
            KernelCode::Later { .. } => match self.tiers() {
                Some(tiers) => tiers.best(),
                None => Err(DeviceError::Unexpected("a program without code or a compiler".into())),
            },
        }
    }

    /// The state of code that is compiled when it is wanted.
    pub fn tiers(&self) -> Option<&Arc<Tiers>> {
        match &self.code {
            KernelCode::Later { tiers, .. } => tiers.get(),
            KernelCode::Loaded(_) => None,
        }
    }

    /// A fact of the code; `other` if the kernel has none, which its launches report.
    fn fact<T>(&self, other: T, of: impl FnOnce(&LoadedKernel) -> T) -> T {
        match self.loaded() {
            Ok(code) => of(code),
            Err(error) => {
                tracing::error!("kernel '{}' has no code: {error}", self.info().name);
                other
            }
        }
    }
}

impl DeviceKernel for CpuKernel {
    fn info(&self) -> &KernelInfo {
        match &self.code {
            KernelCode::Loaded(code) => &code.native().info,
            KernelCode::Later { info, .. } => info,
        }
    }
    fn max_work_group_size(&self) -> usize {
        loaded::max_work_group_size(self.info())
    }
    fn sub_group_size(&self) -> usize {
        self.info().reqd_sub_group_size.unwrap_or(self.facts.sub_group) as usize
    }
    fn preferred_multiple(&self) -> usize {
        self.facts.sub_group as usize
    }
    fn static_local_bytes(&self) -> u64 {
        self.fact(0, LoadedKernel::static_local_bytes)
    }
    fn local_bytes(&self, size_of: &dyn Fn(u16) -> u64) -> u64 {
        self.fact(0, |code| code.local_bytes(size_of))
    }
    fn private_bytes(&self) -> u64 {
        self.fact(0, LoadedKernel::private_bytes)
    }
    fn suggest_local_size(&self, global: [u64; 3], dims: u32) -> [u32; 3] {
        self.fact([1; 3], |code| code.suggest_local_size(global, dims))
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
