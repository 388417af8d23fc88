//! Conformance tools: run our own suite on an OpenCL device and report; compile a corpus of kernels and
//! validate every module, run its kernels on two OpenCL implementations and compare, or compare the front
//! ends on it; run the binaries of OpenCL-CTS; measure how long builds take, and the precision of
//! mathematical functions; compare random kernels on two devices, and random programs with both front ends.
//!
//! Each corpus entry is compiled in a child process of this tool, so that a crash is a result and does not
//! end the run.

#![allow(clippy::print_stdout)] // a command-line tool

mod build_times;
// The format of an execution test, and the reference of the tests of images.
// The OpenCL binding of the demo programs.
mod corpus;
mod cts;
mod devices;
mod execute;
mod front_end;
mod kernel_times;
mod manifest;
mod precision;
mod process;
mod random;
mod report;
mod run;
mod suite;

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
    /// Run our own suite on an OpenCL device and write a report
    Run(run::RunArgs),
    /// Run an area, or list its tests (what `run` runs)
    #[command(hide = true)]
    RunArea(run::RunAreaArgs),
    /// Print something from a kernel (what `run` runs)
    #[command(hide = true)]
    PrintOne(run::PrintOne),
    /// Put reports side by side
    Compare(run::Compare),
    /// Write the pages of a report again, with other expectations
    Pages(run::Pages),
    /// Compile every entry of a folder's MANIFEST.tsv and validate the modules
    Corpus(corpus::CorpusArgs),
    /// Compile one file in this process and write its modules to a folder (what `corpus` runs)
    #[command(hide = true)]
    One(corpus::OneCompileArgs),
    /// Measure how long programs take to build
    BuildTimes(build_times::BuildTimesArgs),
    /// Build one program in this process and print the times (what `build-times` runs)
    #[command(hide = true)]
    OneBuild(build_times::OneBuildArgs),
    /// Run the kernels of a folder's MANIFEST.tsv with generated data on two OpenCL platforms and compare the
    /// results
    Execute(execute::ExecuteArgs),
    /// Run the kernels of a plan on one platform (what `execute` runs)
    #[command(hide = true)]
    ExecuteOne(execute::ExecuteOneArgs),
    /// Measure the execution time of the largest kernels of a folder's MANIFEST.tsv on two OpenCL devices
    KernelTimes(kernel_times::KernelTimesArgs),
    /// Build one kernel in this process and measure it (what `kernel-times` runs)
    #[command(hide = true)]
    KernelTimesOne(kernel_times::KernelTimesOneArgs),
    /// Compare the built-in front end with clang on a folder of OpenCL C sources (MANIFEST.tsv, or any)
    FrontEnd(front_end::FrontEndArgs),
    /// Compile one file in this process and print facts about its kernels (what `front-end` runs)
    #[command(hide = true)]
    FrontEndOne(front_end::facts::OneFrontEndArgs),
    /// Compare random kernels on two devices
    Random(random::RandomArgs),
    /// Run one kernel in this process and print its results (what `random` runs)
    #[command(hide = true)]
    OneRandom(random::OneRandomArgs),
    /// Run a built OpenCL-CTS on a device and write a report
    Cts(cts::CtsArgs),
    /// Measure the errors of every mathematical function on an OpenCL device
    Precision(precision::PrecisionArgs),
}

fn main() -> ExitCode {
    test_support::api::with_installed_drivers();
    let result = match Cli::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::RunArea(arguments) => run::one(&arguments),
        Command::PrintOne(arguments) => run::print_one(&arguments),
        Command::Compare(arguments) => run::compare_reports(&arguments),
        Command::Pages(arguments) => run::pages(&arguments),
        Command::Corpus(arguments) => corpus::run(&arguments),
        Command::One(arguments) => corpus::one(&arguments),
        Command::BuildTimes(arguments) => build_times::run(&arguments),
        Command::OneBuild(arguments) => build_times::one(&arguments),
        Command::Execute(arguments) => execute::run(&arguments),
        Command::ExecuteOne(arguments) => execute::one(&arguments),
        Command::KernelTimes(arguments) => kernel_times::run(&arguments),
        Command::KernelTimesOne(arguments) => kernel_times::one(&arguments),
        Command::FrontEnd(arguments) => front_end::run(&arguments),
        Command::FrontEndOne(arguments) => front_end::facts::one(&arguments),
        Command::Random(arguments) => random::run(&arguments),
        Command::OneRandom(arguments) => random::one(&arguments),
        Command::Cts(arguments) => cts::run(&arguments),
        Command::Precision(arguments) => precision::run(&arguments),
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
