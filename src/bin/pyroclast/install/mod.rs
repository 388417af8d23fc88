//! `pyroclast install` and `uninstall`: copy the driver and this tool to their places and register the driver
//! with the OpenCL loader, or undo that.
//!
//! Rules of the operating system are in [`platform`]; [`plan`] decides and executes the steps.

mod files;
mod plan;
pub mod platform;
pub mod target;

use super::{info, run, system};
use platform::{Scope, Width};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use target::Target;

/// Place of an installation.
#[derive(clap::Args)]
pub struct PlaceArgs {
    /// For everyone, in /usr/local and /etc (the default of root)
    #[arg(long, group = "scope")]
    system: bool,
    /// For this user alone, in the home folder (the default of other users)
    #[arg(long, group = "scope")]
    user: bool,
    /// In this folder
    #[arg(long, group = "scope", value_name = "DIR")]
    prefix: Option<PathBuf>,
    /// Take this folder for the root of the file system, to prepare a package or an image
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Only print what would be done
    #[arg(long)]
    dry_run: bool,
}

/// Arguments of `pyroclast install`.
#[derive(clap::Args)]
pub struct InstallArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// The driver to install instead of the one beside this tool
    #[arg(long, value_name = "FILE")]
    driver: Option<PathBuf>,
}

/// Arguments of `pyroclast uninstall`.
#[derive(clap::Args)]
pub struct UninstallArgs {
    #[command(flatten)]
    place: PlaceArgs,
}

impl PlaceArgs {
    fn scope(&self) -> Result<Scope, String> {
        let absolute = |p: &PathBuf| std::path::absolute(p).map_err(|e| format!("{}: {e}", p.display()));
        Ok(match &self.prefix {
            Some(prefix) => Scope::Prefix(absolute(prefix)?),
            None if self.system => Scope::System,
            None if self.user => Scope::User,
            // SAFETY: geteuid has no preconditions and cannot fail.
            None if unsafe { libc::geteuid() } == 0 => Scope::System,
            None => Scope::User,
        })
    }

    fn target(&self, width: Width) -> Result<Target, String> {
        let root = self.root.as_ref().map(std::path::absolute).transpose();
        Target::new(self.scope()?, width, root.map_err(|e| format!("--root: {e}"))?)
    }
}

/// Installs the driver, or prints the steps.
pub fn install(arguments: &InstallArgs) -> Result<ExitCode, String> {
    let driver = match &arguments.driver {
        Some(path) => path.canonicalize().map_err(|e| format!("{}: {e}", path.display()))?,
        None => run::find_driver()?,
    };
    let width = files::examine(&driver)?.width;
    let target = arguments.place.target(width)?;
    let tool = std::env::current_exe().map_err(|e| format!("own path: {e}"))?;
    // A driver of another width goes beside the tool of this one.
    let tool = Some(tool.as_path()).filter(|_| width == own_width());
    let steps = plan::install(&target, &driver, tool)?;
    print_steps(&steps, arguments.place.dry_run)?;
    if !arguments.place.dry_run {
        plan::execute(&target, &steps)?;
        info::print(&advice(&target))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Removes an installation, or prints the steps. Succeeds if nothing is installed.
pub fn uninstall(arguments: &UninstallArgs) -> Result<ExitCode, String> {
    let mut found = false;
    for width in [Width::Bits64, Width::Bits32] {
        let target = arguments.place.target(width)?;
        let steps = plan::uninstall(&target);
        found |= !steps.is_empty();
        print_steps(&steps, arguments.place.dry_run)?;
        if !arguments.place.dry_run {
            plan::execute(&target, &steps)?;
        }
        if target.state() == target::State::Package && width == Width::Bits64 {
            let icd = target.places.icd.display();
            info::print(&format!("{icd} stays: it is of a package; use the package manager to remove it\n"))?;
        }
    }
    if !found {
        info::print("nothing of Pyroclast is installed there\n")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn own_width() -> Width {
    if cfg!(target_pointer_width = "64") { Width::Bits64 } else { Width::Bits32 }
}

fn print_steps(steps: &[plan::Step], dry_run: bool) -> Result<(), String> {
    let mark = if dry_run { "would " } else { "" };
    let lines: Vec<String> = steps.iter().map(|s| format!("{mark}{}\n", s.text())).collect();
    info::print(&lines.concat())
}

/// Remarks after an installation: how programs find the driver, and what the system lacks.
fn advice(target: &Target) -> String {
    let places = &target.places;
    let vendors = places.vendors.display();
    let mut text = match target.scope {
        Scope::System => String::new(),
        Scope::User => format!(
            "\nPrograms started after the next login find the driver. In this shell:\n\n    \
             export OCL_ICD_VENDORS={vendors}\n"
        ),
        Scope::Prefix(_) if places.vendors == Path::new("/etc/OpenCL/vendors") => String::new(),
        Scope::Prefix(_) => {
            format!("\nOpenCL loaders look here if told so:\n\n    export OCL_ICD_VENDORS={vendors}\n")
        }
    };
    let survey = system::Survey::new();
    // Whether the loader lists the driver can be said only of a folder that it reads without a variable.
    let unlisted = system::not_listed(&survey).filter(|_| places.vendors == Path::new("/etc/OpenCL/vendors"));
    for problem in system::problems(&survey).into_iter().chain(unlisted) {
        text.push_str(&format!("\n{problem}.\n"));
    }
    text
}

/// The installations that this user may have: for everyone, for the user, and the one this tool belongs to.
pub fn targets() -> Vec<Target> {
    let scopes = [Some(Scope::System), Some(Scope::User), own_prefix().map(Scope::Prefix)];
    let target = |scope| Target::new(scope, own_width(), None).ok();
    scopes.into_iter().flatten().filter_map(target).collect()
}

/// The prefix of this tool, if it was installed in one that is neither the system's nor the user's.
fn own_prefix() -> Option<PathBuf> {
    let tool = std::env::current_exe().ok()?.canonicalize().ok()?;
    let prefix = tool.parent().filter(|p| p.ends_with("bin"))?.parent()?;
    let user = std::env::var_os("HOME").map(|h| PathBuf::from(h).join(".local"));
    let known = ["/", "/usr", "/usr/local"].iter().any(|p| prefix == Path::new(p));
    let is_other = !known && user.as_deref() != Some(prefix);
    // An archive that lies where it was unpacked has no record.
    let record = files::Record::path(&prefix.join("lib/pyroclast"));
    (is_other && record.is_file()).then(|| prefix.to_path_buf())
}
