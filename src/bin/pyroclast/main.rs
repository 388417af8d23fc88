//! The command-line tool: runs OpenCL programs on this driver without installing it, describes the devices,
//! compiles kernels offline.
//!
//! Each subcommand is a module; errors are one line on stderr and the exit status 1.

mod check;
mod compile;
mod info;
mod profile;
mod run;
mod trace;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// OpenCL 3.1 on Vulkan compute.
#[derive(Parser)]
#[command(name = "pyroclast", version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run an OpenCL program on this driver alone, without installing anything
    Run(run::RunArgs),
    /// Run an OpenCL program on the CPU device and report accesses outside of memory, races and uninitialised
    /// reads
    Check(check::CheckArgs),
    /// Run an OpenCL program and report what its kernels, transfers and calls cost
    Profile(profile::ProfileArgs),
    /// Run an OpenCL program and print its calls
    Trace(trace::TraceArgs),
    /// List the devices, what each supports and why something is absent
    Info(info::InfoArgs),
    /// Compile a kernel file offline
    Compile(compile::CompileArgs),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Profile(arguments) => profile::run(&arguments),
        Command::Trace(arguments) => trace::run(&arguments),
        Command::Info(arguments) => info::run(&arguments),
        Command::Compile(arguments) => compile::run(&arguments),
    };
    match result {
        Ok(code) => code,
        Err(message) => {
            eprintln!("pyroclast: {message}");
            ExitCode::FAILURE
        }
    }
}
