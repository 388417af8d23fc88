//! `pyroclast run`: starts a program with the environment that makes OpenCL loaders use this driver and no
//! other.
//!
//! Both loaders, Khronos' and ocl-icd, read a folder of .icd files named by OCL_ICD_VENDORS. The folder is
//! made once in the user's cache (or else in a private temporary folder) and holds one file that names the
//! library.

use std::ffi::OsString;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Names of the driver: as it is built, and as it is installed.
const LIBRARIES: [&str; 2] = ["libpyroclast.so", "libpyroclast.so.1"];
/// Folder of 64-bit libraries on Debian.
#[cfg(target_arch = "x86_64")]
const MULTIARCH: &str = "../lib/x86_64-linux-gnu";
#[cfg(target_arch = "aarch64")]
const MULTIARCH: &str = "../lib/aarch64-linux-gnu";
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const MULTIARCH: &str = "../lib";
/// Folders of the driver, seen from the folder of this tool: of builds, archives, installations, packages.
const FOLDERS: &[&str] = &[".", "../lib/pyroclast", "../lib", "../lib64", MULTIARCH, "deps"];

/// The driver for a program.
#[derive(clap::Args)]
pub struct DriverArgs {
    /// The driver to use instead of the one beside this tool
    #[arg(long, value_name = "FILE")]
    driver: Option<PathBuf>,
}

/// A program to run, and its driver: the arguments of `pyroclast run`.
#[derive(clap::Args)]
pub struct RunArgs {
    #[command(flatten)]
    driver: DriverArgs,
    /// The program and its arguments, after `--`
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM [ARGS]"
    )]
    program: Vec<OsString>,
}

/// Replaces this process by the program; returns only if that fails.
pub fn run(arguments: &RunArgs) -> Result<ExitCode, String> {
    let error = arguments.command()?.exec();
    Err(arguments.failure(&error))
}

impl RunArgs {
    /// See [`DriverArgs::command`].
    pub fn command(&self) -> Result<Command, String> {
        self.driver.command(&self.program)
    }

    /// See [`failure`].
    pub fn failure(&self, error: &std::io::Error) -> String {
        failure(&self.program, error)
    }
}

impl DriverArgs {
    /// A command for a program in the environment that makes loaders use this driver.
    pub fn command(&self, program: &[OsString]) -> Result<Command, String> {
        let driver = match &self.driver {
            Some(path) => path.canonicalize().map_err(|e| format!("{}: {e}", path.display()))?,
            None => find_driver()?,
        };
        command(&driver, program)
    }
}

fn command(driver: &Path, program: &[OsString]) -> Result<Command, String> {
    let vendors = vendors_folder(driver)?;
    let Some((program, rest)) = program.split_first() else { return Err("no program given".into()) };
    let mut command = Command::new(program);
    command.args(rest).env("OCL_ICD_VENDORS", &vendors);
    // These would add other drivers.
    command.env_remove("OCL_ICD_FILENAMES").env_remove("OPENCL_VENDOR_PATH");
    Ok(command)
}

/// Error text for a program that could not be started.
pub fn failure(program: &[OsString], error: &std::io::Error) -> String {
    let name = program.first().map(|p| p.to_string_lossy()).unwrap_or_default();
    match error.kind() {
        std::io::ErrorKind::NotFound => format!("{name}: no such program"),
        _ => format!("{name}: {error}"),
    }
}

/// The driver next to this executable, or in a package's folder.
pub fn find_driver() -> Result<PathBuf, String> {
    let executable =
        std::env::current_exe().and_then(|p| p.canonicalize()).map_err(|e| format!("own path: {e}"))?;
    let folder = executable.parent().unwrap_or(Path::new("/"));
    let candidates = || FOLDERS.iter().flat_map(|f| LIBRARIES.map(|name| folder.join(f).join(name)));
    let found = candidates().find(|p| p.is_file());
    let found = found.ok_or_else(|| {
        let list: Vec<String> = FOLDERS.iter().map(|f| folder.join(f).display().to_string()).collect();
        format!(
            "{} was not found in {} (build it with `cargo build --workspace`, or give --driver)",
            LIBRARIES[0],
            list.join(", ")
        )
    })?;
    found.canonicalize().map_err(|e| format!("{}: {e}", found.display()))
}

/// A folder whose only .icd file names the driver.
fn vendors_folder(driver: &Path) -> Result<PathBuf, String> {
    let text = driver.to_str().ok_or("the driver's path is not UTF-8, which .icd files cannot hold")?;
    let name = blake3::hash(text.as_bytes()).to_hex();
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|p| p.is_absolute());
    let cache = cache.or_else(|| std::env::var_os("HOME").map(|h| PathBuf::from(h).join(".cache")));
    if let Some(cache) = cache {
        let folder = cache.join("pyroclast").join("vendors").join(&name[..16]);
        if write_icd(&folder, text).is_ok() {
            return Ok(folder);
        }
    }
    // A new folder, so that files of others are not used.
    let folder = std::env::temp_dir().join(format!("pyroclast-vendors-{}", std::process::id()));
    let made = std::fs::DirBuilder::new().mode(0o700).create(&folder);
    made.and_then(|()| write_icd(&folder, text)).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}

fn write_icd(folder: &Path, driver: &str) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let file = folder.join("pyroclast.icd");
    if std::fs::read_to_string(&file).is_ok_and(|t| t.trim_end() == driver) {
        return Ok(());
    }
    // Renamed into place: another run may be reading it.
    let temporary = folder.join(format!(".pyroclast.icd.{}", std::process::id()));
    std::fs::write(&temporary, format!("{driver}\n"))?;
    std::fs::rename(&temporary, &file)
}
