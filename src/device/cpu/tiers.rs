//! Tiers of code: a kernel is compiled when it is created, and again for better code if it runs long.
//!
//! The first code is made by a thread in the background or by the first launch. Better code is used in its
//! place if the disk cache has it. Otherwise threads of low priority make it, tier after tier, once the
//! kernel's launches have taken [`HOT`] together: the lowest tier of all kernels first, and in a tier the
//! kernel with the longest time. It replaces the code before it between launches. A kernel whose better code
//! cannot be made keeps what it has. One whose first code cannot be made starts with code of a higher tier.
//!
//! Locks: the list of wanted code ([`Background`]), never held while a kernel is compiled.

use super::super::traits::{CompileFn, DeviceError, DeviceResult, KernelCompiler, LoadableCode};
use super::loaded::{self, LaunchFacts, LoadedKernel};
use clspv_bridge::options::Kernels;
use clspv_bridge::parallel::processor_count;
use clspv_bridge::{CompileError, Target};
use parking_lot::{Condvar, Mutex};
use std::cmp::Reverse;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

/// Time of launches after which a kernel is hot.
const HOT: Duration = Duration::from_millis(2);

/// Time without work after which a thread ends: starting one takes longer than reading code from the cache.
const LINGER: Duration = Duration::from_secs(5);

/// Has a thread ready that makes code of kernels when they are created.
pub fn prepare() {
    FIRST.prepare();
}

/// Targets of a kernel's code.
#[derive(Clone, Debug)]
pub struct Targets {
    pub first: Target,
    /// Targets for kernels that run long, the best last.
    pub hot: Vec<Target>,
}

impl Targets {
    /// Compiles a kernel to learn whether one of the targets has a generator for it.
    ///
    /// # Errors
    /// Returns the first target's error if there is none.
    pub fn check(&self, kernel: &str, compile: &mut CompileFn<'_>) -> Result<(), CompileError> {
        let mut check = |target: &Target| compile(Kernels::Named(vec![kernel.to_owned()]), target).map(drop);
        let Err(error) = check(&self.first) else { return Ok(()) };
        if self.hot.iter().any(|target| check(target).is_ok()) { Ok(()) } else { Err(error) }
    }

    /// The target of the fastest code.
    pub fn best(&self) -> &Target {
        self.hot.last().unwrap_or(&self.first)
    }
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
    /// Whether a thread makes the first code, or did.
    is_taken: AtomicBool,
    /// Code for the targets of kernels that run long.
    better: Vec<OnceLock<LoadedKernel>>,
    /// The number of those targets that are done.
    level: AtomicUsize,
    /// Whether compilation of the first code has been requested.
    wanted: AtomicBool,
    /// Whether no further compilation is due: better code is requested, or the best is loaded.
    asked: AtomicBool,
    /// Time of the launches so far.
    nanos: AtomicU64,
}

impl Tiers {
    pub fn new(recipe: Recipe) -> Tiers {
        Tiers {
            asked: AtomicBool::new(recipe.targets.hot.is_empty()),
            better: recipe.targets.hot.iter().map(|_| OnceLock::new()).collect(),
            recipe,
            first: OnceLock::new(),
            is_taken: AtomicBool::new(false),
            level: AtomicUsize::new(0),
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
        match self.better.iter().rev().find_map(OnceLock::get) {
            Some(code) => Ok(code),
            None => self.first().as_ref().map_err(Clone::clone),
        }
    }

    /// Makes the first code, or waits for the thread that does.
    fn first(&self) -> &DeviceResult<LoadedKernel> {
        self.is_taken.store(true, Ordering::Relaxed);
        self.first.get_or_init(|| self.make_first())
    }

    /// Makes the first code unless another thread does: to wait for it would make that thread wake this one.
    fn make_ahead(&self) {
        if !self.is_taken.load(Ordering::Relaxed) {
            self.first();
        }
    }

    /// Whether the time of launches decides about better code.
    pub fn is_timed(&self) -> bool {
        !self.asked.load(Ordering::Relaxed)
    }

    /// Adds the time of a launch.
    pub fn ran(self: &Arc<Self>, time: Duration) {
        let time = time.as_nanos() as u64;
        let all = self.nanos.fetch_add(time, Ordering::Relaxed).saturating_add(time);
        if all >= HOT.as_nanos() as u64 && !self.asked.swap(true, Ordering::Relaxed) {
            BETTER.post(self);
        }
    }

    /// The best code of the disk cache, else new code for the first target that has a generator for the
    /// kernel. The error is that of the first target.
    fn make_first(&self) -> DeviceResult<LoadedKernel> {
        let Recipe { compiler, kernel, targets, .. } = &self.recipe;
        for (level, target) in targets.hot.iter().enumerate().rev() {
            match compiler.cached(kernel, target).map(|code| self.load(&code)) {
                Some(Ok(code)) => {
                    self.level.store(level + 1, Ordering::Relaxed);
                    self.asked.fetch_or(level + 1 == targets.hot.len(), Ordering::Relaxed);
                    return Ok(code);
                }
                Some(Err(error)) => {
                    tracing::warn!("kernel '{kernel}' starts without its cached code: {error}")
                }
                None => {}
            }
        }
        let first = self.compile(&targets.first);
        let Err(error) = &first else { return first };
        for (level, target) in targets.hot.iter().enumerate() {
            if let Ok(code) = self.compile(target) {
                tracing::warn!("kernel '{kernel}' starts with code of tier {}: {error}", level + 1);
                self.level.store(level + 1, Ordering::Relaxed);
                self.asked.fetch_or(level + 1 == targets.hot.len(), Ordering::Relaxed);
                return Ok(code);
            }
        }
        first
    }

    /// Makes the code of the next tier, and requests that of the one after it.
    fn improve(self: &Arc<Self>) {
        let (level, kernel) = (self.level.load(Ordering::Relaxed), &self.recipe.kernel);
        let (Some(target), Some(code)) = (self.recipe.targets.hot.get(level), self.better.get(level)) else {
            return;
        };
        match self.compile(target) {
            Ok(better) => {
                tracing::debug!("kernel '{kernel}' runs code of tier {}", level + 1);
                let _ = code.set(better);
            }
            Err(error) => tracing::warn!("kernel '{kernel}' has no code of tier {}: {error}", level + 1),
        }
        self.level.store(level + 1, Ordering::Relaxed);
        if level + 1 < self.better.len() {
            BETTER.post(self);
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

    fn load(&self, code: &LoadableCode) -> DeviceResult<LoadedKernel> {
        let kernels = loaded::load(&code.program, code.mapping.as_ref(), self.recipe.facts)?;
        let found = kernels.into_iter().find(|k| k.native().info.name == self.recipe.kernel);
        found.ok_or_else(|| DeviceError::Unexpected(format!("no kernel {}", self.recipe.kernel)))
    }
}

/// Threads that make code, all processors but one at most. They end when no code has been wanted for
/// [`LINGER`].
struct Background {
    state: Mutex<State>,
    /// Code is wanted.
    wake: Condvar,
    /// Niceness of the threads and of their child processes.
    nice: libc::c_int,
    work: fn(&Arc<Tiers>),
}

struct State {
    kernels: Vec<Weak<Tiers>>,
    threads: usize,
    /// Number of threads that wait for work.
    idle: usize,
}

impl State {
    const NEW: State = State { kernels: Vec::new(), threads: 0, idle: 0 };
}

static FIRST: Background = Background {
    state: Mutex::new(State::NEW),
    wake: Condvar::new(),
    nice: 0,
    work: |kernel| kernel.make_ahead(),
};

static BETTER: Background =
    Background { state: Mutex::new(State::NEW), wake: Condvar::new(), nice: 10, work: Tiers::improve };

impl Background {
    /// Has the code of a kernel made, unless the kernel ceases to exist before.
    fn post(&'static self, kernel: &Arc<Tiers>) {
        let mut state = self.state.lock();
        state.kernels.push(Arc::downgrade(kernel));
        if state.idle >= state.kernels.len() {
            self.wake.notify_one();
        } else {
            self.start_thread(&mut state);
        }
    }

    /// Starts a thread if there is none: code will be wanted soon, by callers that cannot wait.
    fn prepare(&'static self) {
        let mut state = self.state.lock();
        if state.threads == 0 {
            self.start_thread(&mut state);
        }
    }

    fn start_thread(&'static self, state: &mut State) {
        if state.threads >= processor_count().saturating_sub(1).max(1) {
            return;
        }
        let builder = std::thread::Builder::new().name("pyroclast-tiers".into());
        match builder.spawn(|| self.serve()) {
            Ok(_) => state.threads += 1,
            // The first launch makes the code itself, and it is not replaced.
            Err(error) => tracing::warn!(%error, "cannot start a thread that makes code"),
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

    /// Takes the kernel of the lowest tier whose launches have taken longest, else the oldest. Waits for one;
    /// after a while without, the calling thread ends.
    fn next(&self) -> Option<Arc<Tiers>> {
        let mut state = self.state.lock();
        let urgency = |kernel: &Weak<Tiers>| {
            let kernel = kernel.upgrade()?;
            Some((Reverse(kernel.level.load(Ordering::Relaxed)), kernel.nanos.load(Ordering::Relaxed)))
        };
        loop {
            while let Some(at) = (0..state.kernels.len()).rev().max_by_key(|i| urgency(&state.kernels[*i])) {
                // Its program may be gone.
                if let Some(kernel) = state.kernels.remove(at).upgrade() {
                    return Some(kernel);
                }
            }
            state.idle += 1;
            let waited = self.wake.wait_for(&mut state, LINGER);
            state.idle -= 1;
            if waited.timed_out() && state.kernels.is_empty() {
                state.threads -= 1;
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::{self, ThreadId};

    struct NoCompiler;

    impl KernelCompiler for NoCompiler {
        fn cached(&self, _: &str, _: &Target) -> Option<LoadableCode> {
            None
        }
        fn compile(&self, _: &str, _: &Target) -> Result<LoadableCode, CompileError> {
            unreachable!("the test makes no code")
        }
    }

    fn kernel() -> Arc<Tiers> {
        Arc::new(Tiers::new(Recipe {
            compiler: Arc::new(NoCompiler),
            kernel: String::new(),
            targets: Targets { first: Target::generic(), hot: Vec::new() },
            facts: LaunchFacts { threads: 1, sub_group: 1, stream_from: 0 },
        }))
    }

    #[test]
    fn kernels_find_a_thread_that_waits_for_them() {
        static SEEN: Mutex<Vec<ThreadId>> = Mutex::new(Vec::new());
        static OWN: Background = Background {
            state: Mutex::new(State::NEW),
            wake: Condvar::new(),
            nice: 0,
            work: |_| SEEN.lock().push(thread::current().id()),
        };
        let wait_until = |done: &dyn Fn() -> bool| {
            while !done() {
                thread::sleep(Duration::from_millis(1));
            }
        };
        OWN.prepare();
        wait_until(&|| OWN.state.lock().idle == 1);
        let kernel = kernel();
        for count in 1..=3 {
            OWN.post(&kernel);
            wait_until(&|| SEEN.lock().len() == count && OWN.state.lock().idle == 1);
        }
        OWN.prepare();
        assert_eq!(OWN.state.lock().threads, 1);
        let seen = SEEN.lock();
        assert!(seen.iter().all(|thread| *thread == seen[0]));
    }
}
