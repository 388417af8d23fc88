//! `pyroclast cache`: size of the cache of compiled kernels, and its removal.

use super::info::{bytes, print};
use super::report::CacheReport;
use clap::Subcommand;
use pyroclast_runtime::config::Config;
use pyroclast_runtime::store::Store;
use std::process::ExitCode;

/// Arguments of `pyroclast cache`.
#[derive(clap::Args)]
pub struct CacheArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Show the folder, the number of entries and their size
    Stats {
        /// Write a JSON object
        #[arg(long)]
        json: bool,
    },
    /// Delete all entries; running programs keep theirs
    Clear,
}

/// Shows or clears the cache that programs of this user use.
pub fn run(arguments: &CacheArgs) -> Result<ExitCode, String> {
    let store = Store::from_config(Config::get());
    let text = match (&arguments.action, store.folder()) {
        (Action::Stats { json: true }, _) => {
            serde_json::to_string(&CacheReport::new()).map_err(|e| e.to_string())?
        }
        (_, None) => {
            "no cache is kept (PYROCLAST_NO_CACHE, PYROCLAST_CACHE_SIZE, or there is no HOME)".to_string()
        }
        (Action::Stats { .. }, Some(folder)) => {
            let report = CacheReport::new();
            let (used, limit) = (bytes(report.bytes), bytes(report.limit));
            format!("{}: {} entries, {used} of {limit}", folder.display(), report.entries)
        }
        (Action::Clear, Some(folder)) => {
            let cleared = store.clear().map_err(|e| format!("{}: {e}", folder.display()))?;
            format!("{}: {} entries deleted, {}", folder.display(), cleared.entries, bytes(cleared.bytes))
        }
    };
    print(&format!("{text}\n"))?;
    Ok(ExitCode::SUCCESS)
}
