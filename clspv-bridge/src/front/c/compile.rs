//! From source text to a library of IR.

use super::check::check;
use super::lower::input::LoweringInput;
use super::lower::lower;
use super::session::Input;
use crate::error::{CompileError, Result};
use crate::options::{CompileRequest, CompiledSource, Library, LibraryCode};
use std::sync::Arc;

/// Stack of the thread that compiles.
const STACK_BYTES: usize = 16 << 20;

/// Compiles a translation unit to a library of IR.
///
/// The error [`CompileError::Diagnostics`] holds the diagnostics of a wrong program; the library's log holds
/// the warnings of any other.
pub fn compile(request: &CompileRequest<'_>) -> Result<CompiledSource> {
    // Nested source is parsed recursively, to a bounded depth.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, || run(request));
        match thread {
            Ok(thread) => {
                thread.join().unwrap_or_else(|_| Err(CompileError::internal("the front end panicked")))
            }
            Err(_) => run(request),
        }
    })
}

fn run(request: &CompileRequest<'_>) -> Result<CompiledSource> {
    let input = Input::from(request);
    let checked = check(&input);
    let log = checked.session.render();
    if checked.has_errors() {
        return Err(CompileError::Diagnostics(log));
    }
    let module = lower(LoweringInput {
        session: &checked.session,
        unit: &checked.unit,
        types: &checked.types,
        options: request.options,
        language: &checked.language,
        extent: request.extent,
        in_memory: request.config.instrumented,
    })?;
    let library = Library { code: LibraryCode::Ir(Arc::new(module)), log, arg_info: Vec::new() };
    let dependencies = request.list_dependencies.then(|| checked.session.dependencies());
    Ok(CompiledSource { library, dependencies })
}
