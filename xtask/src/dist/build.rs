//! The build of the release: driver and tool, stripped, their debug files, manual pages and licences.

use super::elf::{self, Facts};
use super::files::FileSet;
use super::{Release, licences};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Everything that packages contain.
pub struct Product {
    pub driver: Vec<u8>,
    pub tool: Vec<u8>,
    /// Debug files at `.build-id/xx/rest.debug`.
    pub debug: FileSet,
    /// Manual pages and completions, from `share/`.
    pub manual: FileSet,
    /// Texts of the licences of all packages in driver and tool.
    pub licences: String,
    /// Newest C library that driver or tool needs.
    pub glibc: (u32, u32),
}

impl Product {
    /// Builds everything, or takes driver and tool from a folder.
    pub fn new(release: &Release, prebuilt: Option<&Path>) -> Result<Product, String> {
        let folder = match prebuilt {
            Some(folder) => release.root.join(folder),
            None => build(release)?,
        };
        let work = release.root.join("target/dist/work");
        std::fs::create_dir_all(&work).map_err(|e| format!("{}: {e}", work.display()))?;
        let mut debug = FileSet::default();
        let (driver, of_driver) = strip(&folder.join("libpyroclast.so"), &work, &mut debug)?;
        let (tool, of_tool) = strip(&folder.join("pyroclast"), &work, &mut debug)?;
        let manual = work.join("manual");
        let _ = std::fs::remove_dir_all(&manual);
        let arguments = ["manual", &manual.to_string_lossy()];
        output_of(&folder.join("pyroclast").to_string_lossy(), &arguments, &release.root)?;
        Ok(Product {
            driver,
            tool,
            debug,
            manual: FileSet::read(&manual)?,
            licences: licences::texts(&release.root)?,
            glibc: of_driver.glibc.max(of_tool.glibc),
        })
    }
}

/// Compiles driver and tool; their folder. Paths of this machine do not get into the code.
fn build(release: &Release) -> Result<PathBuf, String> {
    let target = release.root.join("target/dist");
    let root = release.root.display();
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let home = home.ok_or("HOME is not set")?;
    let flags = [
        format!("--remap-path-prefix={root}=/usr/src/pyroclast"),
        format!("--remap-path-prefix={}=/usr/src/cargo", home.display()),
    ];
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["build", "--release", "--locked", "-p", "pyroclast", "-p", "pyroclast-icd"]);
    command.arg("--target-dir").arg(&target).current_dir(&release.root);
    command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
    command.env("SOURCE_DATE_EPOCH", release.epoch.to_string());
    let status = command.status().map_err(|e| format!("cargo: {e}"))?;
    if !status.success() {
        return Err("the build failed".into());
    }
    Ok(target.join("release"))
}

/// Splits a program: returns it without symbols, and adds its debug file to `debug`.
fn strip(program: &Path, work: &Path, debug: &mut FileSet) -> Result<(Vec<u8>, Facts), String> {
    let read = |path: &Path| std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()));
    let facts = elf::facts(&read(program)?)?;
    let name = format!("{}.debug", facts.build_id.get(2..).unwrap_or_default());
    let (symbols, stripped) = (work.join(&name), work.join("stripped"));
    let objcopy = |arguments: &[&str], from: &Path, to: &Path| {
        let paths = [from.to_string_lossy(), to.to_string_lossy()];
        output_of("objcopy", &[arguments, &[paths[0].as_ref(), paths[1].as_ref()]].concat(), work)
    };
    objcopy(&["--only-keep-debug", "--compress-debug-sections"], program, &symbols)?;
    let link = format!("--add-gnu-debuglink={}", symbols.display());
    objcopy(&["--strip-all", &link], program, &stripped)?;
    let folder = facts.build_id.get(..2).unwrap_or_default();
    debug.add(&format!(".build-id/{folder}/{name}"), read(&symbols)?);
    Ok((read(&stripped)?, facts))
}

/// Standard output of a program; an error with its messages if it fails.
pub fn output_of(program: &str, arguments: &[&str], folder: &Path) -> Result<String, String> {
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    let output = output.map_err(|e| format!("{program}: {e}"))?;
    if !output.status.success() {
        return Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
