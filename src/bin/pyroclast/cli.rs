//! Definition of the command line. Manual pages and shell completions follow from it ([`manual`]).
//!
//! [`manual`]: super::manual

use super::{cache, check, compile, doctor, info, install, manual, profile, run, trace};
use clap::{Parser, Subcommand};

/// OpenCL 3.1 on Vulkan compute.
#[derive(Parser)]
#[command(name = "pyroclast", version, about, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Run an OpenCL program on this driver alone, without installing anything
    Run(run::RunArgs),
    /// Run an OpenCL program on the CPU device and report accesses outside of memory, races and uninitialised
    /// reads
    Check(check::CheckArgs),
    /// Run an OpenCL program and report what its kernels, transfers and calls cost
    Profile(profile::ProfileArgs),
    /// Run an OpenCL program and print its calls
    Trace(trace::TraceArgs),
    /// Show the installation, the devices, what each supports, why something is absent and what to do
    Info(info::InfoArgs),
    /// Check the devices with small kernels, and find features to hide where a Vulkan driver fails
    Doctor(doctor::DoctorArgs),
    /// Compile a kernel file offline
    Compile(compile::CompileArgs),
    /// Install the driver and register it with the OpenCL loader
    Install(install::InstallArgs),
    /// Undo an installation
    Uninstall(install::UninstallArgs),
    /// Show or clear the cache of compiled kernels
    Cache(cache::CacheArgs),
    /// Write manual pages and shell completions to a folder
    #[command(hide = true)]
    Manual(manual::ManualArgs),
    /// Run one group of checks (a child process of `doctor`)
    #[command(hide = true)]
    DoctorGroup(doctor::ChildArgs),
    /// Describe the OpenCL loader (a child process of `info`)
    #[command(hide = true)]
    LoaderProbe { loader: String },
}
