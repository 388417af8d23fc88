//! Conformance tools: compile a corpus of kernels and validate every module; run the binaries of OpenCL-CTS.
//!
//! Each corpus entry is compiled in a child process of this tool, so that a crash is a result and not the end.

#![allow(clippy::print_stdout)] // a command-line tool

mod corpus;
mod cts;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Conformance tools of Pyroclast.
#[derive(Parser)]
#[command(name = "conformance")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compile every entry of a folder's MANIFEST.tsv and validate the modules
    Corpus(corpus::Arguments),
    /// Compile one file in this process and write its modules to a folder (what `corpus` runs)
    #[command(hide = true)]
    One(corpus::One),
    /// Run binaries of the OpenCL conformance test suite on the driver
    Cts(cts::Arguments),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Corpus(arguments) => corpus::run(&arguments),
        Command::One(arguments) => corpus::one(&arguments),
        Command::Cts(arguments) => cts::run(&arguments),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("conformance: {message}");
            ExitCode::from(2)
        }
    }
}
