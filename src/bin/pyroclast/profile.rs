//! `pyroclast profile`: runs a program with the recorder on, and reports what it did.
//!
//! The recordings are kept if the user names a folder for them; a report can be made of such a folder later.
//! The exit status is the program's own; programs that a signal ends have 128 and its number, as in shells.

use super::run::{self, DriverArgs};
use pyroclast_profile::file::Recording;
use pyroclast_profile::session::Session;
use pyroclast_profile::{chrome, page, summary};
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus};

/// Arguments of `pyroclast profile`.
#[derive(clap::Args)]
pub struct ProfileArgs {
    /// Write a trace for Perfetto (ui.perfetto.dev) or chrome://tracing
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Write a report as one page of HTML that needs no network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print no summary
    #[arg(long, short)]
    quiet: bool,
    /// Keep the recordings in this folder; without a program, report those that it has
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    #[command(flatten)]
    driver: DriverArgs,
    /// The program and its arguments, after `--`
    #[arg(
        required_unless_present = "data",
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM [ARGS]"
    )]
    program: Vec<OsString>,
}

/// Runs the program and writes the reports.
pub fn run(arguments: &ProfileArgs) -> Result<ExitCode, String> {
    let data = Data::new(arguments.data.as_deref(), arguments.program.is_empty())?;
    let mut status = None;
    if !arguments.program.is_empty() {
        let mut command = arguments.driver.command(&arguments.program)?;
        command.env("PYROCLAST_PROFILE", &data.folder);
        keep_running_at_interrupts();
        status = Some(command.status().map_err(|e| run::failure(&arguments.program, &e))?);
    }
    if let Some(signal) = status.and_then(|s| s.signal()) {
        eprintln!("pyroclast profile: signal {signal} ended the program; the report has what it did before");
    }
    let recordings = Recording::read_folder(&data.folder)?;
    if recordings.is_empty() {
        eprintln!("pyroclast profile: the program made no calls of this driver");
    } else {
        report(arguments, &Session::new(&recordings))?;
    }
    Ok(status.map_or(ExitCode::SUCCESS, exit_code))
}

fn report(arguments: &ProfileArgs, session: &Session) -> Result<(), String> {
    if !arguments.quiet {
        eprint!("\n{}", summary::text(session));
    }
    if let Some(path) = &arguments.trace {
        write(path, |out| chrome::write(session, out))?;
    }
    if let Some(path) = &arguments.html {
        write(path, |out| page::write(session, out))?;
    }
    Ok(())
}

fn write(path: &Path, content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), String> {
    let written = File::create(path).and_then(|file| {
        let mut out = BufWriter::new(file);
        content(&mut out)?;
        out.flush()
    });
    written.map_err(|e| format!("{}: {e}", path.display()))?;
    eprintln!("pyroclast profile: wrote {}", path.display());
    Ok(())
}

/// The exit code that reports how a program ended.
pub fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| status.signal().map(|s| 128 + s)).unwrap_or(1);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// A folder for recordings: the user's, or a private one that is removed at the end.
pub struct Data {
    pub folder: PathBuf,
    is_temporary: bool,
}

impl Data {
    /// Creates the folder, unless it is there to be read.
    pub fn new(chosen: Option<&Path>, read: bool) -> Result<Data, String> {
        let Some(folder) = chosen else {
            let folder = std::env::temp_dir().join(format!("pyroclast-profile-{}", std::process::id()));
            let made = std::fs::DirBuilder::new().mode(0o700).create(&folder);
            made.map_err(|e| format!("{}: {e}", folder.display()))?;
            return Ok(Data { folder, is_temporary: true });
        };
        let failed = |e: std::io::Error| format!("{}: {e}", chosen.unwrap_or(Path::new("")).display());
        if !read {
            std::fs::create_dir_all(folder).map_err(failed)?;
            if std::fs::read_dir(folder).map_err(failed)?.next().is_some() {
                return Err(format!("{} is not empty", folder.display()));
            }
        }
        // The program may change its directory.
        Ok(Data { folder: folder.canonicalize().map_err(failed)?, is_temporary: false })
    }
}

impl Drop for Data {
    fn drop(&mut self) {
        if self.is_temporary {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

extern "C" fn ignore(_: libc::c_int) {}

/// Lets an interrupt from the terminal end the program alone, so that its report is written. Unlike an
/// ignored signal, a handler is not inherited by the program.
pub fn keep_running_at_interrupts() {
    let handler = ignore as extern "C" fn(libc::c_int) as libc::sighandler_t;
    // SAFETY: the handler does nothing.
    unsafe { libc::signal(libc::SIGINT, handler) };
}
