//! The command-line tool: installs the driver or runs programs on it without, describes the devices,
//! compiles kernels offline.
//!
//! Each subcommand is a module; errors are one line on stderr and the exit status 1.

mod cache;
mod check;
mod cli;
mod compile;
mod doctor;
mod info;
mod install;
mod loader_probe;
mod manual;
mod profile;
mod report;
mod run;
mod system;
mod trace;

use clap::Parser;
use cli::{Cli, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Profile(arguments) => profile::run(&arguments),
        Command::Trace(arguments) => trace::run(&arguments),
        Command::Info(arguments) => info::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::DoctorGroup(arguments) => doctor::run_child(&arguments),
        Command::Compile(arguments) => compile::run(&arguments),
        Command::Install(arguments) => install::install(&arguments),
        Command::Uninstall(arguments) => install::uninstall(&arguments),
        Command::Cache(arguments) => cache::run(&arguments),
        Command::Manual(arguments) => manual::run(&arguments),
        Command::LoaderProbe { loader } => loader_probe::run(&loader),
    };
    match result {
        Ok(code) => code,
        Err(message) => {
            eprintln!("pyroclast: {message}");
            ExitCode::FAILURE
        }
    }
}
