//! Defects of LLVM's SPIR-V back end, each with the rewrite of LLVM IR that avoids it.
//!
//! clang compiles most sources to SPIR-V in one step. A source that a defect may affect takes two: clang
//! emits LLVM IR, [`rewrite`] applies the table to its text, and clang's back end compiles that. A rewrite
//! examines the IR itself and leaves other text unchanged, so [`Affects`] may name too many sources, never
//! too few. What the rewritten text says in names ([`crate::front::markers`]) the SPIR-V reader undoes.

mod c11_atomics;
mod conversions;
mod cycles;
mod enqueue;
mod image_levels;
mod line_numbers;
mod local_init;
mod local_sizes;
mod vloada_half3;

use super::source_text::SourceText;
use crate::error::Result;
use crate::options::CompileRequest;
use std::borrow::Cow;

/// A defect of the back end and the way around it.
#[cfg_attr(not(test), expect(dead_code, reason = "the name, the releases and the issue document the table"))]
pub struct Workaround {
    pub name: &'static str,
    /// Releases of LLVM that have the defect, as far as they were examined.
    pub llvm: &'static str,
    /// Upstream issue or fix, or the defect in one line.
    pub issue: &'static str,
    pub affects: Affects,
    /// Whether the back end fails on affected code instead of miscompiling it: code that failed is worth
    /// another attempt once it is rewritten.
    pub fails: bool,
    /// The rewritten IR; `None` if there is nothing to rewrite.
    pub rewrite: fn(&str, &CompileRequest<'_>) -> Result<Option<String>>,
}

/// How it is found out that a source needs a rewrite.
pub enum Affects {
    /// By the source, before it is compiled.
    Source(fn(&SourceText<'_>) -> bool),
    /// By the SPIR-V that the back end made of code without the rewrite.
    Spirv(fn(&[u32]) -> bool),
    /// By a failure of the back end on code without the rewrite.
    Failure,
}

/// The workarounds, in the order of their rewrites.
pub const WORKAROUNDS: &[Workaround] = &[
    // First: the numbers of blocks are hashes of clang's own text.
    Workaround {
        name: "enqueue",
        llvm: "22",
        issue: "llvm/llvm-project#58070, #187671: blocks and the built-ins for events and queues",
        affects: Affects::Source(|s| enqueue::may_enqueue(&s.code, &s.request.options.std, s.request.config)),
        fails: true,
        rewrite: |ir, _| enqueue::rewrite(ir),
    },
    Workaround {
        name: "local_sizes",
        llvm: "up to 22",
        issue: "llvm/llvm-project#202047: a local variable gets the type that its uses suggest",
        affects: Affects::Spirv(local_sizes::may_be_wrong),
        fails: false,
        rewrite: |ir, _| Ok(local_sizes::note(ir)),
    },
    Workaround {
        name: "line_numbers",
        llvm: "22",
        issue: "llvm/llvm-project#113541: no OpLine and no DebugLine; instrumented code needs line numbers",
        affects: Affects::Source(|s| s.request.config.instrumented),
        fails: false,
        rewrite: |ir, request| Ok(request.config.instrumented.then(|| line_numbers::mark(ir))),
    },
    Workaround {
        name: "conversions",
        llvm: "up to 22",
        issue: "llvm/llvm-project#200791: signedness of conversions between integers",
        affects: Affects::Source(|s| conversions::may_convert(&s.code)),
        fails: false,
        rewrite: |ir, _| Ok(conversions::rename(ir)),
    },
    Workaround {
        name: "c11_atomics",
        llvm: "22",
        issue: "functions on atomic types lose their implied orders, and some calls are dropped",
        affects: Affects::Source(|s| c11_atomics::may_use(&s.code)),
        fails: false,
        rewrite: |ir, _| Ok(c11_atomics::rename(ir)),
    },
    Workaround {
        name: "image_levels",
        llvm: "22",
        issue: "image reads and writes lose their levels of detail and gradients",
        affects: Affects::Source(|s| {
            s.has_extension("cl_khr_mipmap_image") && image_levels::may_use(&s.code)
        }),
        fails: false,
        rewrite: |ir, _| Ok(image_levels::rename(ir)),
    },
    Workaround {
        name: "vloada_half3",
        llvm: "up to 22",
        issue: "llvm/llvm-project#212218: vloada_halfn is emitted as another instruction",
        affects: Affects::Source(|s| s.code.contains("half3")),
        fails: false,
        rewrite: |ir, _| Ok(vloada_half3::rename(ir)),
    },
    Workaround {
        name: "local_init",
        llvm: "22",
        issue: "local variables that the device initialises are undefined to LLVM",
        affects: Affects::Source(|s| s.request.options.initialize_local),
        fails: false,
        rewrite: |ir, request| Ok(request.options.initialize_local.then(|| local_init::mark(ir))),
    },
    Workaround {
        name: "cycles",
        llvm: "22",
        issue: "the back end does not return from variables whose initializers point to each other",
        affects: Affects::Failure,
        fails: true,
        rewrite: |ir, _| Ok(cycles::cut(ir)),
    },
];

/// Whether a source may need a rewrite. One that includes files may: their text is not seen.
pub fn may_affect(source: &SourceText<'_>) -> bool {
    let affects = |w: &Workaround| matches!(w.affects, Affects::Source(affects) if affects(source));
    source.has_includes || WORKAROUNDS.iter().any(affects)
}

/// Whether SPIR-V may be wrong that was compiled without rewrites.
pub fn may_have_affected(spirv: &[u32]) -> bool {
    WORKAROUNDS.iter().any(|w| matches!(w.affects, Affects::Spirv(affects) if affects(spirv)))
}

/// LLVM IR for the back end.
pub struct Rewritten<'a> {
    pub ir: Cow<'a, str>,
    /// Whether it is free of a defect that makes the back end fail.
    pub avoids_failure: bool,
}

/// Applies the rewrites, except those that are for code that failed.
pub fn rewrite<'a>(ir: &'a str, request: &CompileRequest<'_>) -> Result<Rewritten<'a>> {
    apply(ir, request, |affects| !matches!(affects, Affects::Failure))
}

/// Applies the rewrites for code that made the back end fail; `None` if there is nothing to rewrite.
pub fn rewrite_failed(ir: &str, request: &CompileRequest<'_>) -> Result<Option<String>> {
    let rewritten = apply(ir, request, |affects| matches!(affects, Affects::Failure))?;
    Ok(match rewritten.ir {
        Cow::Owned(ir) => Some(ir),
        Cow::Borrowed(_) => None,
    })
}

fn apply<'a>(
    ir: &'a str,
    request: &CompileRequest<'_>,
    selects: impl Fn(&Affects) -> bool,
) -> Result<Rewritten<'a>> {
    let mut rewritten = Rewritten { ir: ir.into(), avoids_failure: false };
    for workaround in WORKAROUNDS.iter().filter(|w| selects(&w.affects)) {
        if let Some(ir) = (workaround.rewrite)(&rewritten.ir, request)? {
            rewritten =
                Rewritten { ir: ir.into(), avoids_failure: rewritten.avoids_failure || workaround.fails };
        }
    }
    Ok(rewritten)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{FrontConfig, Options};

    /// Names of the workarounds that a source needs.
    fn needed(request: &CompileRequest<'_>) -> Vec<&'static str> {
        let source = SourceText::new(request);
        let needs = |w: &&Workaround| matches!(w.affects, Affects::Source(affects) if affects(&source));
        let names: Vec<_> = WORKAROUNDS.iter().filter(needs).map(|w| w.name).collect();
        assert_eq!(may_affect(&source), source.has_includes || !names.is_empty());
        names
    }

    #[test]
    fn sources_name_what_they_need() {
        let extensions = ["__opencl_c_device_enqueue", "cl_khr_mipmap_image"];
        let config =
            FrontConfig { extensions: extensions.map(String::from).to_vec(), ..FrontConfig::default() };
        let options = Options { std: "CL3.0".into(), ..Options::default() };
        for (source, names) in [
            ("kernel void k(global float *p) { *p = 1; } // atomic_load, convert_int, half3", &[][..]),
            ("#include \"x.h\"", &[]),
            ("queue_t q;", &["enqueue"]),
            ("x = convert_int(y); vloada_half3(0, p)", &["conversions", "vloada_half3"]),
            ("atomic_flag_clear(f);", &["c11_atomics"]),
            ("read_imagef(im, s, c, lod);", &["image_levels"]),
        ] {
            assert_eq!(needed(&CompileRequest::new(source, &options, &config)), names, "{source}");
        }
        let defines =
            Options { preprocessor: vec!["-DLOAD=atomic_load".into(), "-Usat".into()], ..Options::default() };
        assert_eq!(needed(&CompileRequest::new("LOAD(p);", &defines, &config)), ["c11_atomics"]);
        let zero = Options { initialize_local: true, ..Options::default() };
        assert_eq!(needed(&CompileRequest::new("", &zero, &config)), ["local_init"]);
        let instrumented = FrontConfig { instrumented: true, ..FrontConfig::default() };
        assert_eq!(needed(&CompileRequest::new("", &options, &instrumented)), ["line_numbers"]);
    }

    #[test]
    fn rewrites_apply_in_order_and_leave_other_text() {
        let (options, config) = (Options::default(), FrontConfig::default());
        let request = CompileRequest::new("", &options, &config);
        let other = "@a = global i32 0\ndefine void @f() {\n  call void @_Z1gv()\n  ret void\n}\n";
        let same = rewrite(other, &request).unwrap();
        assert!(matches!(same.ir, Cow::Borrowed(ir) if ir == other) && !same.avoids_failure);
        assert_eq!(rewrite_failed(other, &request).unwrap(), None);
        let ir =
            "@k.l = internal addrspace(3) global [2 x i32] undef\n  call i8 @_Z12convert_charj(i32 %0)\n";
        let marked = "@pc.size.8.k.l = internal addrspace(3) externally_initialized global [2 x i32] undef\n  \
            call i8 @pc_convert_char.j(i32 %0)\n";
        let zero = Options { initialize_local: true, ..Options::default() };
        let rewritten = rewrite(ir, &CompileRequest { options: &zero, ..request }).unwrap();
        assert_eq!((rewritten.ir.as_ref(), rewritten.avoids_failure), (marked, false));
        // LLVM's passes also run on instrumented code that the back end cannot compile without them.
        let instrumented = FrontConfig { instrumented: true, ..FrontConfig::default() };
        let rewritten = rewrite(ir, &CompileRequest { options: &zero, config: &instrumented, ..request });
        assert!(rewritten.unwrap().ir.contains("addrspace(3) externally_initialized global"));
        let cycle = "@a = global ptr @b\n@b = global ptr @a\n";
        assert_eq!(rewrite(cycle, &request).unwrap().ir, cycle);
        assert!(rewrite_failed(cycle, &request).unwrap().unwrap().contains("@pc.ref.b"));
    }

    #[test]
    fn entries_have_names_and_reasons() {
        for (n, workaround) in WORKAROUNDS.iter().enumerate() {
            assert!(!workaround.llvm.is_empty() && !workaround.issue.is_empty(), "{}", workaround.name);
            assert!(WORKAROUNDS[..n].iter().all(|other| other.name != workaround.name));
        }
    }
}
