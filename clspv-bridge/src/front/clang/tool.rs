//! The clang to use, its processes, and what their results mean.

use super::arguments::IR_ARGS;
use super::prelude::{self, Declarations};
use super::process::{self, Output};
use crate::error::{CompileError, Result};
use crate::options::{CompileRequest, FrontConfig};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Processor time that one process of a tool may use: `PYROCLAST_CLANG_TIMEOUT` in seconds.
pub(crate) fn time_limit() -> Duration {
    let seconds = std::env::var("PYROCLAST_CLANG_TIMEOUT").ok().and_then(|v| v.trim().parse().ok());
    Duration::from_secs(seconds.unwrap_or(300))
}

/// Names to try if none is configured, best first.
const NAMES: &[&str] = &["clang-22", "clang-23", "clang-21", "clang-20", "clang"];

/// Folders to search besides PATH, which a host may have emptied.
const FOLDERS: &[&str] = &["/usr/bin", "/usr/local/bin", "/usr/lib/llvm-22/bin", "/opt/llvm/bin"];

/// Path of the clang to use: the configured one, `PYROCLAST_CLANG`, or the best that is installed.
pub fn find(config: &FrontConfig) -> Option<PathBuf> {
    let named = if config.clang.is_empty() {
        std::env::var("PYROCLAST_CLANG").unwrap_or_default()
    } else {
        config.clang.clone()
    };
    if !named.is_empty() {
        return if named.contains('/') {
            Some(PathBuf::from(named)).filter(|p| p.is_file())
        } else {
            in_folders(&named)
        };
    }
    NAMES.iter().find_map(|name| in_folders(name))
}

/// Whether clang is missing, with a message: the caller is a test that is skipped then.
#[cfg(test)]
pub(crate) fn is_missing() -> bool {
    test_support::skipped::without("clang", find(&FrontConfig::default()).is_none())
}

/// A tool by name in PATH or the usual folders.
pub(crate) fn in_folders(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let listed = std::env::split_paths(&path).filter(|p| p.is_absolute());
    listed.chain(FOLDERS.iter().map(PathBuf::from)).map(|folder| folder.join(name)).find(|p| p.is_file())
}

pub fn needed(config: &FrontConfig) -> Result<PathBuf> {
    find(config).ok_or_else(|| {
        CompileError::ToolMissing("no clang with a SPIR-V target was found (set PYROCLAST_CLANG)".into())
    })
}

/// Compiles a source to LLVM IR; returns it with the log.
pub fn emit_ir(
    clang: &Path,
    mut args: Vec<OsString>,
    request: &CompileRequest<'_>,
) -> Result<(String, String)> {
    args.extend(IR_ARGS.iter().map(OsString::from));
    let output = run_on_source(clang, &args, request)?;
    let log = readable(&output.stderr);
    check(&output, &log, |out| !out.is_empty())?;
    Ok((String::from_utf8_lossy(&output.stdout).into_owned(), log))
}

/// Distinguishes success, an error in the program, and a failure of the tool.
pub fn check(output: &Output, log: &str, is_result: impl Fn(&[u8]) -> bool) -> Result<()> {
    let ok = match output.status {
        Some(status) => status.success(),
        None => is_result(&output.stdout),
    };
    if ok && is_result(&output.stdout) {
        return Ok(());
    }
    if log.contains("unable to create target") || log.contains("unknown target triple") {
        return Err(CompileError::ToolMissing(format!("this clang has no SPIR-V target: {}", log.trim())));
    }
    let crashed = output.status.is_some_and(|s| s.code().is_none_or(|c| c > 1))
        || log.contains("fatal error: error in backend");
    if crashed || ok {
        return Err(CompileError::ToolFailed(format!(
            "error: the OpenCL C compiler failed on this program\n{log}"
        )));
    }
    Err(CompileError::Diagnostics(if log.is_empty() {
        "error: the OpenCL C compiler failed".into()
    } else {
        log.to_owned()
    }))
}

/// Runs clang on a source with the declarations that it needs. Runs it again if the source needs declarations
/// of later versions.
pub fn run_on_source(clang: &Path, args: &[OsString], request: &CompileRequest<'_>) -> Result<Output> {
    let run = |declarations| {
        let text = prelude::with_declarations(request.source, declarations, request.config);
        process::run(clang, args, text.as_bytes(), time_limit())
    };
    let output = run(Declarations::Usual)?;
    if prelude::misses_declarations(&output.stderr, request.options, request.config) {
        run(Declarations::Early)
    } else {
        Ok(output)
    }
}

/// Diagnostics without the compiler's own stack dumps and requests for bug reports.
pub fn readable(stderr: &str) -> String {
    let noise = [
        "PLEASE submit a bug report",
        "PLEASE ATTACH",
        "Stack dump:",
        "clang: error: unable to execute command",
    ];
    let mut out = String::new();
    for line in stderr.lines() {
        if noise.iter().any(|n| line.contains(n)) {
            break;
        }
        let count = line.split(' ').next().unwrap_or("");
        if line.ends_with(" generated.") && count.bytes().all(|b| b.is_ascii_digit()) {
            continue;
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}
