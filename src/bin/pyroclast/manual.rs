//! `pyroclast manual`: manual pages and shell completions, from the definition of the command line. Packages
//! are made with it.

use super::cli::Cli;
use clap::CommandFactory;
use clap_complete::Shell;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `pyroclast manual`.
#[derive(clap::Args)]
pub struct ManualArgs {
    /// Folder for `share/man/man1`, `share/bash-completion` and others
    folder: PathBuf,
}

/// Folders of completions, as in distributions.
const COMPLETIONS: &[(Shell, &str, &str)] = &[
    (Shell::Bash, "share/bash-completion/completions", "pyroclast"),
    (Shell::Zsh, "share/zsh/site-functions", "_pyroclast"),
    (Shell::Fish, "share/fish/vendor_completions.d", "pyroclast.fish"),
];

/// Writes all pages and completions.
pub fn run(arguments: &ManualArgs) -> Result<ExitCode, String> {
    let explain = |e: std::io::Error| format!("{}: {e}", arguments.folder.display());
    write_pages(&arguments.folder.join("share/man/man1")).map_err(explain)?;
    for (shell, folder, name) in COMPLETIONS {
        let folder = arguments.folder.join(folder);
        std::fs::create_dir_all(&folder).map_err(explain)?;
        let mut bytes = Vec::new();
        clap_complete::generate(*shell, &mut Cli::command(), "pyroclast", &mut bytes);
        std::fs::write(folder.join(name), bytes).map_err(explain)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A page for the tool and one for each subcommand that is not hidden.
fn write_pages(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let page = |command: clap::Command, name: &str| {
        let mut bytes = Vec::new();
        clap_mangen::Man::new(command).render(&mut bytes)?;
        std::fs::write(folder.join(format!("{name}.1")), bytes)
    };
    for sub in command.get_subcommands().filter(|c| !c.is_hide_set()) {
        let name = format!("pyroclast-{}", sub.get_name());
        // The usage line keeps the blank; the page is named with a hyphen.
        page(sub.clone().display_name(name.clone()), &name)?;
    }
    page(command.clone(), "pyroclast")
}
