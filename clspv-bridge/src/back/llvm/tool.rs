//! clang and the linker as child processes: LLVM IR in, a shared object for this processor out.
//!
//! The linker is our own child: clang would look for it in a PATH that may lead nowhere, and could not wait for it in a host
//! that ignores SIGCHLD.

use crate::driver::FrontConfig;
use crate::error::{CompileError, Result};
use crate::front::{clang, process};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Options of the step. The vectors are there already; sums are fused where the program allows it only.
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

/// Linkers, best first.
const LINKERS: &[&str] = &["ld", "ld.lld", "ld.lld-22", "ld.bfd", "ld.gold"];

/// A folder of our own that vanishes with its contents.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.subsec_nanos());
        let name = format!("pyroclast-{}-{}-{nanos}-code", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let root = std::env::temp_dir().join(name);
        // For this user alone, whatever the host's umask: the code will be executed.
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&root).map_err(|e| CompileError::ToolFailed(format!("cannot make a folder for code: {e}")))?;
        Ok(Folder(root))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Compiles a module's text. `quick` leaves out most of LLVM's passes.
pub fn shared_object(text: &str, quick: bool) -> Result<Vec<u8>> {
    let clang = clang::find(&FrontConfig::default())
        .ok_or_else(|| CompileError::ToolMissing("no clang was found (set PYROCLAST_CLANG)".into()))?;
    let folder = Folder::new()?;
    let (object, output) = (folder.0.join("code.o"), folder.0.join("code.so"));
    let mut args: Vec<OsString> = ARGS.iter().map(OsString::from).collect();
    args.push(if quick { "-O1" } else { "-O2" }.into());
    args.push(if cfg!(target_arch = "x86_64") { "-march=native" } else { "-mcpu=native" }.into());
    args.extend(["-o".into(), object.clone().into(), "-".into()]);
    let failed = |what: &str, stderr: &str| {
        let first: Vec<&str> = stderr.lines().take(8).collect();
        CompileError::ToolFailed(format!("{what} failed: {}", first.join("\n")))
    };
    let compiled = process::run(&clang, &args, text.as_bytes(), clang::time_limit())?;
    if !object.is_file() {
        return Err(failed("the code generator", &compiled.stderr));
    }
    let linker = LINKERS.iter().find_map(|name| clang::in_folders(name));
    let linker = linker.ok_or_else(|| CompileError::ToolMissing("no linker was found (ld, of binutils or LLVM)".into()))?;
    let args: Vec<OsString> =
        ["-shared".into(), "--build-id=none".into(), "-o".into(), output.clone().into(), object.into()].into_iter().collect();
    let linked = process::run(&linker, &args, &[], clang::time_limit())?;
    match std::fs::read(&output) {
        Ok(bytes) if !bytes.is_empty() => Ok(bytes),
        _ => Err(failed("the linker", &linked.stderr)),
    }
}
