//! Developer tasks. `cargo xtask gen-cl <path to cl.xml>` rewrites the sources generated from the OpenCL
//! registry.
//!
//! `cargo xtask coverage` rewrites the list of entry points, `cargo xtask library` the built-in library.
//! `cargo xtask dist` makes the release packages, `docs` the book, `figure` the figure of the README.
//! `cargo xtask profile NAME COMMAND...` runs a command on a device that looks like another one.
//!
//! Generated files are committed; building Pyroclast needs neither the registry nor this tool.

mod book;
mod coverage;
mod dist;
mod gen_calls;
mod gen_cl;
mod library;
mod profile;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["gen-cl", path] => gen_cl::run(path),
        ["coverage"] => coverage::run(),
        ["library"] => library::run(),
        ["docs"] => book::run(),
        ["figure"] => book::figure::run(),
        ["dist", ..] => dist::run(&args[1..]),
        ["profile", name, ..] => profile::run(name, &args[2..]),
        _ => Err("usage: cargo xtask gen-cl <path to cl.xml> | coverage | library | dist | docs | figure | \
                  profile NAME COMMAND..."
            .to_string()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
