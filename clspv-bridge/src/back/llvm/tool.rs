//! clang and the linker as child processes: LLVM IR in, a shared object for this processor out.
//!
//! The linker is our own child: clang would look for it in a PATH that may not contain it, and could not wait
//! for it in a host that ignores SIGCHLD.

use super::module_text;
use crate::error::{CompileError, Result};
use crate::front::clang::watch::Watch;
use crate::front::clang::{self, process};
use crate::options::FrontConfig;
use crate::parallel;
use crate::target::CpuTarget;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Options of the step. The code is vectorised already; operations are contracted only where the program
/// allows it.
const ARGS: &[&str] = &[
    "-x",
    "ir",
    "-w",
    "-c",
    "-fPIC",
    "-fno-math-errno",
    "-ffp-contract=off",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-stack-protector",
];

/// Bytes of text that justify a module and a process of their own: a tenth of a second's work.
const MODULE: usize = 64 << 10;

/// Linkers, best first.
const LINKERS: &[&str] = &["ld", "ld.lld", "ld.lld-22", "ld.bfd", "ld.gold"];

/// A private folder, removed with its contents when dropped or when this process ends.
struct Folder {
    root: PathBuf,
    _watch: Watch,
}

impl Folder {
    fn new() -> Result<Folder> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.subsec_nanos());
        let name = format!(
            "pyroclast-{}-{}-{nanos}-code",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let root = std::env::temp_dir().join(name);
        let watch = Watch::of_folder(&root);
        // Accessible to this user only, whatever the host's umask, because the code will be executed.
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
            .create(&root)
            .map_err(|e| CompileError::ToolFailed(format!("cannot make a folder for code: {e}")))?;
        Ok(Folder { root, _watch: watch })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

/// Divides the texts into at most `most` modules of about one size, each of at least [`MODULE`] bytes.
fn modules(texts: &[String], most: usize) -> Vec<String> {
    let all: usize = texts.iter().map(String::len).sum();
    let count = (all / MODULE).clamp(1, most.max(1));
    let mut parts: Vec<(usize, Vec<&str>)> = vec![(0, Vec::new()); count];
    let mut order: Vec<&str> = texts.iter().map(String::as_str).collect();
    order.sort_by_key(|text| std::cmp::Reverse(text.len()));
    for text in order {
        if let Some((size, part)) = parts.iter_mut().min_by_key(|(size, _)| *size) {
            *size += text.len();
            part.push(text);
        }
    }
    parts.iter().filter(|(size, _)| *size > 0).map(|(_, part)| module_text(part)).collect()
}

fn failed(what: &str, stderr: &str) -> CompileError {
    let first: Vec<&str> = stderr.lines().take(8).collect();
    CompileError::ToolFailed(format!("{what} failed: {}", first.join("\n")))
}

/// Compile time to spend on code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    Usual,
    /// Leaves out most of LLVM's passes.
    Little,
    /// For instrumented code, whose time is that of the calls. The calls make blocks large, and with large
    /// blocks the usual register allocator takes most of the compile time.
    Instrumented,
}

impl Effort {
    fn args(self) -> &'static [&'static str] {
        match self {
            Effort::Usual => &["-O2"],
            Effort::Little => &["-O1"],
            Effort::Instrumented => &["-O2", "-mllvm", "-regalloc=basic"],
        }
    }
}

/// Features of x86-64 that LLVM uses without being asked: names in /proc/cpuinfo and of clang's options.
const X86_FEATURES: &[(&str, &str)] = &[
    ("pni", "sse3"),
    ("ssse3", "ssse3"),
    ("sse4_1", "sse4.1"),
    ("sse4_2", "sse4.2"),
    ("sse4a", "sse4a"),
    ("popcnt", "popcnt"),
    ("abm", "lzcnt"),
    ("movbe", "movbe"),
    ("bmi1", "bmi"),
    ("bmi2", "bmi2"),
    ("tbm", "tbm"),
    ("avx", "avx"),
    ("avx2", "avx2"),
    ("fma", "fma"),
    ("fma4", "fma4"),
    ("xop", "xop"),
    ("f16c", "f16c"),
    ("gfni", "gfni"),
    ("avx_vnni", "avxvnni"),
    ("avx512f", "avx512f"),
    ("avx512bw", "avx512bw"),
    ("avx512cd", "avx512cd"),
    ("avx512dq", "avx512dq"),
    ("avx512vl", "avx512vl"),
    ("avx512ifma", "avx512ifma"),
    ("avx512vbmi", "avx512vbmi"),
    ("avx512_vbmi2", "avx512vbmi2"),
    ("avx512_vnni", "avx512vnni"),
    ("avx512_bitalg", "avx512bitalg"),
    ("avx512_vpopcntdq", "avx512vpopcntdq"),
    ("avx512_bf16", "avx512bf16"),
    ("avx512_fp16", "avx512fp16"),
];

/// Clang's options for the processor: the machine's, without features that are hidden from this process or
/// that an emulator lacks.
fn processor_args(cpu: &CpuTarget) -> Vec<OsString> {
    if cfg!(not(target_arch = "x86_64")) {
        return vec!["-mcpu=native".into()];
    }
    let lacking = X86_FEATURES.iter().filter(|(name, _)| !cpu.has(name));
    let without = lacking.map(|(_, option)| format!("-mno-{option}").into());
    std::iter::once("-march=native".into()).chain(without).collect()
}

/// Compiles a module's text to an object.
fn compile(clang: &Path, text: &str, object: &Path, effort: Effort, cpu: &CpuTarget) -> Result<()> {
    let mut args: Vec<OsString> = ARGS.iter().chain(effort.args()).map(OsString::from).collect();
    args.extend(processor_args(cpu));
    args.extend(["-o".into(), object.into(), "-".into()]);
    let compiled = process::run(clang, &args, text.as_bytes(), clang::time_limit())?;
    if object.is_file() { Ok(()) } else { Err(failed("the code generator", &compiled.stderr)) }
}

/// Compiles functions for a processor, those of large programs on several processors.
pub fn shared_object(texts: &[String], effort: Effort, cpu: &CpuTarget) -> Result<Vec<u8>> {
    let clang = clang::find(&FrontConfig::default())
        .ok_or_else(|| CompileError::ToolMissing("no clang was found (set PYROCLAST_CLANG)".into()))?;
    let folder = Folder::new()?;
    let modules = modules(texts, parallel::processor_count());
    let output = folder.root.join("code.so");
    let objects: Vec<PathBuf> = (0..modules.len()).map(|n| folder.root.join(format!("code{n}.o"))).collect();
    let tasks = modules.iter().zip(&objects).collect();
    let compiled = parallel::map(tasks, |(text, object): (&String, &PathBuf)| {
        compile(&clang, text, object, effort, cpu)
    });
    compiled.into_iter().collect::<Result<()>>()?;
    let linker = LINKERS.iter().find_map(|name| clang::in_folders(name));
    let linker = linker
        .ok_or_else(|| CompileError::ToolMissing("no linker was found (ld, of binutils or LLVM)".into()))?;
    let options = ["-shared".into(), "--build-id=none".into(), "-o".into(), output.clone().into()];
    let args: Vec<OsString> = options.into_iter().chain(objects.into_iter().map(OsString::from)).collect();
    let linked = process::run(&linker, &args, &[], clang::time_limit())?;
    match std::fs::read(&output) {
        Ok(bytes) if !bytes.is_empty() => Ok(bytes),
        _ => Err(failed("the linker", &linked.stderr)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn features_that_the_processor_lacks_are_switched_off() {
        let args = |features: &str| {
            let target = Target::native(features.into(), &|_| false);
            processor_args(target.cpu().unwrap())
        };
        assert!(args("pni avx")[..].contains(&"-mno-avx2".into()));
        assert!(!args("pni avx")[..].contains(&"-mno-avx".into()));
        let all: Vec<&str> = X86_FEATURES.iter().map(|(name, _)| *name).collect();
        assert_eq!(args(&all.join(" ")), ["-march=native"]);
    }

    #[test]
    fn every_text_is_in_one_module_and_no_module_is_small() {
        let texts: Vec<String> = (0..40usize).map(|i| format!("; {i} ").repeat(i * 37 % 23 * 300)).collect();
        let all: usize = texts.iter().map(String::len).sum();
        for most in [1, 2, 3, 64] {
            let modules = modules(&texts, most);
            assert!((1..=most).contains(&modules.len()) && modules.len() <= all / MODULE + 1);
            assert!(modules.iter().all(|m| modules.len() == 1 || m.len() >= MODULE / 2));
            for text in texts.iter().filter(|t| !t.is_empty()) {
                assert_eq!(modules.iter().filter(|m| m.contains(text.as_str())).count(), 1);
            }
        }
        assert_eq!(modules(&texts, 4).len(), 4);
        assert_eq!(modules(&texts[..3], 4).len(), 1);
    }
}
