//! Tiers of code: a kernel is compiled when it is created, and again, optimized, if it runs long.
//!
//! The first code is quick code, made by a thread in the background or by the first launch. Optimized code is
//! used in its place if the disk cache has it. Otherwise a thread of low priority makes it once the kernel's
//! launches have taken [`HOT`] together, the kernel with the longest time first; it replaces the quick code
//! between launches. A kernel whose optimized code cannot be made keeps its quick code.
//!
//! Locks: the list of wanted code ([`Background`]), never held while a kernel is compiled.

use super::super::traits::{DeviceError, DeviceResult, KernelCompiler};
use super::loaded::{self, LaunchFacts, LoadedKernel};
use clspv_bridge::Target;
use clspv_bridge::abi::CompiledProgram;
use parking_lot::Mutex;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

/// Time of launches after which a kernel is hot.
const HOT: Duration = Duration::from_millis(2);

/// Targets of a kernel's code.
#[derive(Clone, Debug)]
pub struct Targets {
    pub first: Target,
    /// The target for kernels that run long, if it is another.
    pub optimized: Option<Target>,
}

/// How to make code of a kernel.
pub struct Recipe {
    pub compiler: Arc<dyn KernelCompiler>,
    pub kernel: String,
    pub targets: Targets,
    pub facts: LaunchFacts,
}

/// The code of a kernel.
pub struct Tiers {
    recipe: Recipe,
    first: OnceLock<DeviceResult<LoadedKernel>>,
    optimized: OnceLock<LoadedKernel>,
    /// Whether compilation of the first code has been requested.
    wanted: AtomicBool,
    /// Whether no further compilation is due: optimized code is requested or loaded, or has no target.
    asked: AtomicBool,
    /// Time of the launches so far.
    nanos: AtomicU64,
}

impl Tiers {
    pub fn new(recipe: Recipe) -> Tiers {
        Tiers {
            asked: AtomicBool::new(recipe.targets.optimized.is_none()),
            recipe,
            first: OnceLock::new(),
            optimized: OnceLock::new(),
            wanted: AtomicBool::new(false),
            nanos: AtomicU64::new(0),
        }
    }

    /// Has the first code made in the background.
    pub fn want(self: &Arc<Self>) {
        if !self.wanted.swap(true, Ordering::Relaxed) {
            FIRST.post(self);
        }
    }

    /// The best code so far. Makes the first, or waits for the thread that does.
    pub fn best(&self) -> DeviceResult<&LoadedKernel> {
        match self.optimized.get() {
            Some(code) => Ok(code),
            None => self.first.get_or_init(|| self.make_first()).as_ref().map_err(Clone::clone),
        }
    }

    /// Whether the time of launches decides about optimized code.
    pub fn is_timed(&self) -> bool {
        !self.asked.load(Ordering::Relaxed)
    }

    /// Adds the time of a launch.
    pub fn ran(self: &Arc<Self>, time: Duration) {
        let time = time.as_nanos() as u64;
        let all = self.nanos.fetch_add(time, Ordering::Relaxed).saturating_add(time);
        if all >= HOT.as_nanos() as u64 && !self.asked.swap(true, Ordering::Relaxed) {
            OPTIMIZED.post(self);
        }
    }

    /// Optimized code of the disk cache, else quick code.
    fn make_first(&self) -> DeviceResult<LoadedKernel> {
        let Recipe { compiler, kernel, targets, .. } = &self.recipe;
        if let Some(target) = &targets.optimized
            && let Some(code) = compiler.cached(kernel, target)
        {
            match self.load(&code) {
                Ok(code) => {
                    self.asked.store(true, Ordering::Relaxed);
                    return Ok(code);
                }
                Err(error) => tracing::warn!("kernel '{kernel}' starts with quick code: {error}"),
            }
        }
        self.compile(&targets.first)
    }

    /// Makes the optimized code.
    fn optimize(&self) {
        let Some(target) = &self.recipe.targets.optimized else { return };
        let kernel = &self.recipe.kernel;
        match self.compile(target) {
            Ok(code) => {
                tracing::debug!("kernel '{kernel}' runs optimized code");
                let _ = self.optimized.set(code);
            }
            Err(error) => tracing::warn!("kernel '{kernel}' keeps its quick code: {error}"),
        }
    }

    fn compile(&self, target: &Target) -> DeviceResult<LoadedKernel> {
        let Recipe { compiler, kernel, .. } = &self.recipe;
        let failed = |what: String| DeviceError::Unexpected(format!("kernel '{kernel}': {what}"));
        match catch_unwind(AssertUnwindSafe(|| compiler.compile(kernel, target))) {
            Ok(Ok(code)) => self.load(&code),
            Ok(Err(error)) => Err(failed(error.to_string())),
            Err(_) => Err(failed("the compiler panicked".into())),
        }
    }

    fn load(&self, code: &Arc<CompiledProgram>) -> DeviceResult<LoadedKernel> {
        let kernels = loaded::load(code, self.recipe.facts)?;
        let found = kernels.into_iter().find(|k| k.native().info.name == self.recipe.kernel);
        found.ok_or_else(|| DeviceError::Unexpected(format!("no kernel {}", self.recipe.kernel)))
    }
}

/// Threads that make code, all processors but one at most. They end when no code is wanted.
struct Background {
    state: Mutex<State>,
    /// Niceness of the threads and of their child processes.
    nice: libc::c_int,
    work: fn(&Tiers),
}

struct State {
    kernels: Vec<Weak<Tiers>>,
    threads: usize,
}

static FIRST: Background = Background {
    state: Mutex::new(State { kernels: Vec::new(), threads: 0 }),
    nice: 0,
    work: |kernel| {
        let _ = kernel.best();
    },
};

static OPTIMIZED: Background = Background {
    state: Mutex::new(State { kernels: Vec::new(), threads: 0 }),
    nice: 10,
    work: Tiers::optimize,
};

impl Background {
    /// Has the code of a kernel made, unless the kernel ceases to exist before.
    fn post(&'static self, kernel: &Arc<Tiers>) {
        let most = std::thread::available_parallelism().map_or(1, |n| n.get()).saturating_sub(1).max(1);
        let mut state = self.state.lock();
        state.kernels.push(Arc::downgrade(kernel));
        if state.threads < most {
            let builder = std::thread::Builder::new().name("pyroclast-tiers".into());
            match builder.spawn(|| self.serve()) {
                Ok(_) => state.threads += 1,
                // The first code is made by the first launch, and does without optimized code.
                Err(error) => tracing::warn!(%error, "cannot start a thread that makes code"),
            }
        }
    }

    fn serve(&self) {
        if self.nice != 0 {
            #[cfg(target_os = "linux")]
            // SAFETY: changes the priority of the calling thread, which has the number 0.
            unsafe {
                libc::setpriority(libc::PRIO_PROCESS, 0, self.nice)
            };
        }
        while let Some(kernel) = self.next() {
            (self.work)(&kernel);
        }
    }

    /// Takes the kernel whose launches have taken longest, else the oldest. If there is none, the calling
    /// thread ends.
    fn next(&self) -> Option<Arc<Tiers>> {
        let mut state = self.state.lock();
        let nanos = |kernel: &Weak<Tiers>| kernel.upgrade().map_or(0, |k| k.nanos.load(Ordering::Relaxed));
        while let Some(at) = (0..state.kernels.len()).rev().max_by_key(|i| nanos(&state.kernels[*i])) {
            // Its program may be gone.
            if let Some(kernel) = state.kernels.remove(at).upgrade() {
                return Some(kernel);
            }
        }
        state.threads -= 1;
        None
    }
}
