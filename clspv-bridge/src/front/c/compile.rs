//! From source text to a library of IR.

use super::ast::FunctionDecl;
use super::check::{Checked, check};
use super::lower::input::LoweringInput;
use super::lower::lower;
use super::sema::spelling::Spelling;
use crate::error::{CompileError, Result};
use crate::ir::Module;
use crate::ir::lazy::LazyModule;
use crate::metadata::KernelArgInfo;
use crate::options::{CompileRequest, CompiledSource, Library, LibraryCode};

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
    let checked = check(request);
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
    let arg_info = arg_info(&checked, &module);
    let library = Library { code: LibraryCode::Ir(LazyModule::new(module)), log, arg_info };
    let dependencies = request.list_dependencies.then(|| checked.session.dependencies());
    Ok(CompiledSource { library, dependencies })
}

/// Facts of the kernels' arguments that only the source has.
fn arg_info(checked: &Checked, module: &Module) -> Vec<KernelArgInfo> {
    let (types, symbols) = (&checked.types, &checked.session.symbols);
    let spelling = Spelling { types, symbols };
    let kernels = checked.unit.functions.iter().filter(|f| f.is_kernel && f.body.is_some());
    let of_kernel = |decl: &FunctionDecl| {
        let name = symbols.text(decl.name);
        let info = module.kernels.iter().find(|k| k.name == name)?;
        let params = decl.params.iter().filter_map(|id| checked.unit.vars.get(id.0 as usize));
        Some(KernelArgInfo {
            kernel: name.to_owned(),
            args: info.args.clone(),
            base_types: params.map(|var| spelling.argument(types.canonical(var.ty))).collect(),
            vec_type_hint: info.vec_type_hint.clone(),
        })
    };
    kernels.filter_map(of_kernel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Op;
    use crate::options::{Extent, FrontConfig, Options};

    #[test]
    fn base_types_have_no_typedef_names() {
        let source =
            "typedef float real; typedef struct { int x; } point; kernel void k(global real *p, const real f,
                      global point *q, real g) { p[0] = f + g + q->x; }";
        let (options, config) = (Options::default(), FrontConfig::default());
        let library = compile(&CompileRequest::new(source, &options, &config)).unwrap().library;
        let [info] = &library.arg_info[..] else { panic!("{:?}", library.arg_info) };
        let names: Vec<_> = info.args.iter().map(|a| a.type_name.as_str()).collect();
        assert_eq!((info.kernel.as_str(), names), ("k", vec!["real*", "real", "point*", "real"]));
        assert_eq!(info.base_types[..2], ["float*", "float"]);
        assert_eq!(info.base_types[3], "float");
    }

    #[test]
    fn a_returned_variable_is_the_result() {
        let copies = |returned: &str| {
            let source = format!(
                "typedef struct {{ int x[200]; }} T; T make(int n, T other) {{ T p; for (int i = 0; i < 200; i++) p.x[i] = n; {returned} }}"
            );
            let (options, config) = (Options::default(), FrontConfig::default());
            let request =
                CompileRequest { extent: Extent::Part, ..CompileRequest::new(&source, &options, &config) };
            let library = compile(&request).unwrap().library;
            let LibraryCode::Ir(module) = &library.code else { panic!("not IR") };
            let module = module.module().unwrap();
            let insts = module.functions.values().flat_map(|f| f.insts.values());
            insts.filter(|i| matches!(i.op, Op::Memcpy { .. })).count()
        };
        // One copy is that of the parameter.
        assert_eq!(copies("if (n > 3) return p; p.x[0] = 1; return p;"), 1);
        assert_eq!(copies("if (n > 3) return other; return p;"), 3);
        assert_eq!(copies("volatile T q = p; return q;"), 3);
    }
}
