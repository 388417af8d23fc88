//! The state of a run of OpenCL-CTS: a file that identifies the run, then one result a line, appended when a
//! test ends. Tests with a result are not run again, so an interrupted run can be continued.

use crate::report::{Record, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Identity of a run: device, driver and mode, on which its results depend.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Identity {
    pub mode: String,
    pub device: String,
    pub driver: String,
    /// When the driver's file was written, in seconds since 1970, if it was named.
    pub written: Option<u64>,
}

/// The results of an earlier run that are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    All,
    /// Failures run again.
    AllButFailures,
    Nothing,
}

/// The file, open for appending, and the results in it.
pub struct State {
    file: Mutex<File>,
    pub results: HashMap<String, Record>,
}

impl State {
    /// Opens or creates the state with the results to keep.
    pub fn open(path: &Path, identity: &Identity, keep: Keep) -> Result<State, String> {
        let failed = |e: std::io::Error| format!("{}: {e}", path.display());
        let text = if keep == Keep::Nothing {
            String::new()
        } else {
            std::fs::read_to_string(path).unwrap_or_default()
        };
        let mut results = HashMap::new();
        if let Some((first, rest)) = text.split_once('\n') {
            match serde_json::from_str::<Identity>(first) {
                Ok(found) if found == *identity => {}
                Ok(found) => {
                    return Err(format!(
                        "{} is of another run ({found:?}); --fresh starts again",
                        path.display()
                    ));
                }
                Err(e) => {
                    return Err(format!("{} is not a state: {e}; --fresh starts again", path.display()));
                }
            }
            // The last line may have been cut off.
            let records = rest.lines().filter_map(|line| serde_json::from_str::<Record>(line).ok());
            results.extend(records.map(|r| (r.path(), r)));
        }
        results.retain(|_, r: &mut Record| keep == Keep::All || r.verdict != Verdict::Fail);
        // Rewritten, so that it ends with a whole line.
        let begun = path.with_extension("new");
        let mut file = File::create(&begun).map_err(failed)?;
        let mut lines = vec![serde_json::to_string(identity).map_err(|e| e.to_string())?];
        lines.extend(results.values().filter_map(|r| serde_json::to_string(r).ok()));
        file.write_all(format!("{}\n", lines.join("\n")).as_bytes()).map_err(failed)?;
        std::fs::rename(&begun, path).map_err(failed)?;
        Ok(State { file: Mutex::new(file), results })
    }

    /// Appends a result.
    pub fn add(&self, record: &Record) -> Result<(), String> {
        let line = serde_json::to_string(record).map_err(|e| e.to_string())?;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // One write, so that lines are never torn.
        file.write_all(format!("{line}\n").as_bytes()).map_err(|e| e.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_survive_an_interruption() {
        let folder = std::env::temp_dir().join(format!("pyroclast-cts-state-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("state");
        let identity =
            Identity { mode: "wimpy".into(), device: "D".into(), driver: "1".into(), written: Some(7) };
        let record = |name: &str, verdict| Record {
            area: "m".into(),
            name: name.into(),
            verdict,
            seconds: 1.0,
            text: "a\nb".into(),
        };
        let (one, two) = (record("one", Verdict::Pass), record("two", Verdict::Fail));
        let state = State::open(&path, &identity, Keep::All).expect("a state");
        assert!(state.results.is_empty());
        state.add(&one).and_then(|()| state.add(&two)).expect("results");
        drop(state);
        // A last line cut off as by a power failure.
        let text = std::fs::read_to_string(&path).expect("the file");
        std::fs::write(&path, format!("{text}{{\"area\":\"m\",\"na")).expect("the file");
        let state = State::open(&path, &identity, Keep::All).expect("a state");
        assert_eq!((state.results.len(), &state.results["m/two"]), (2, &two));
        state.add(&record("three", Verdict::Skip)).expect("a result");
        drop(state);
        let state = State::open(&path, &identity, Keep::AllButFailures).expect("a state");
        assert_eq!((state.results.len(), state.results.contains_key("m/two")), (2, false));
        drop(state);
        let other = Identity { driver: "2".into(), ..identity.clone() };
        assert!(State::open(&path, &other, Keep::All).is_err());
        assert!(State::open(&path, &other, Keep::Nothing).expect("a state").results.is_empty());
        let _ = std::fs::remove_dir_all(&folder);
    }
}
