//! Code generation through the disk cache, and the dumps of compilations.

use super::cache::{Cache, Key};
use super::dump::Dump;
use super::stack::with_large_stack;
use crate::config::Config;
use crate::device::traits::LoadableCode;
use crate::record::{self, BuildStage, stage};
use clspv_bridge::driver;
use clspv_bridge::options::{Kernels, Library, Options};
use clspv_bridge::passes::PassObserver;
use clspv_bridge::{CompileError, Target};
use std::sync::{Arc, OnceLock};

/// The cache of the settings.
pub(super) fn cache() -> &'static Cache {
    static CACHE: OnceLock<Cache> = OnceLock::new();
    CACHE.get_or_init(|| Cache::from_config(Config::get()))
}

/// The dumps that the settings ask for.
pub(super) fn dump() -> Option<&'static Dump> {
    static DUMP: OnceLock<Option<Dump>> = OnceLock::new();
    DUMP.get_or_init(|| Dump::from_config(Config::get())).as_ref()
}

/// Compiled code in the cache. Modules are validated, and passes observed, when they are compiled, so none is
/// taken from the cache then.
pub(super) fn cached(key: Key) -> Option<LoadableCode> {
    let validated = ["ir", "spirv"].iter().any(|what| Config::get().validates(what))
        || dump().is_some_and(Dump::wants_passes);
    if validated { None } else { cache().program(key) }
}

/// Compiles libraries to an executable with this key, from the cache if possible.
pub(super) fn back_end(
    key: Key,
    kernels: &Kernels,
    libraries: &[Arc<Library>],
    options: &Options,
    specs: &[(u32, Vec<u8>)],
    target: &Target,
) -> std::result::Result<LoadableCode, CompileError> {
    let mut stage = BuildStage::begin(stage::BACK_END, || match kernels {
        Kernels::Named(names) => names.join(", "),
        _ => String::new(),
    });
    let libraries: Vec<&Library> = libraries.iter().map(|l| &**l).collect();
    if let Some(code) = cached(key) {
        record::note_cached(&mut stage);
        return Ok(code);
    }
    let snapshots = dump().and_then(Dump::snapshots);
    let observer = snapshots.as_ref().map(|s| s as &dyn PassObserver);
    let built =
        with_large_stack(|| driver::build_kernels(kernels, &libraries, options, specs, target, observer));
    if let (Some(dump), Some(snapshots)) = (dump(), snapshots) {
        dump.passes(&libraries, snapshots);
    }
    let program = built.unwrap_or_else(|| Err(CompileError::internal("the compiler panicked")))?;
    cache().store_program(key, &program);
    Ok(Arc::new(program).into())
}
