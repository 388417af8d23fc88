//! Configuration files: settings for every program of the machine or of a user, and for single programs.
//!
//! ```toml
//! log = "warn"                    # PYROCLAST_LOG
//! devices = ["vulkan", "cpu"]     # PYROCLAST_DEVICES=vulkan,cpu
//! [program.hashcat]               # only for programs of this file name
//! fallback = "cpu"
//! [device."Mali-G710"]            # only for devices of this name
//! features = ["-int8"]
//! ```
//!
//! Keys are the names of the variables in lower case, without `PYROCLAST_`. Reading never fails: mistakes
//! become complaints, and the rest of the file counts. Files that other users may have written are not read.

use super::RawSetting;
use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The variable that names another file, or "none".
pub const VARIABLE: &str = "PYROCLAST_CONFIG";
/// The file for all users.
const SYSTEM_FILE: &str = "/etc/pyroclast/config.toml";
/// Largest file that is read, in bytes.
const MAX_SIZE: u64 = 1 << 20;

/// Content of the configuration files.
#[derive(Default)]
pub struct Files {
    /// Settings in ascending order of precedence.
    pub settings: Vec<RawSetting>,
    pub complaints: Vec<String>,
    /// Files that were read.
    pub paths: Vec<PathBuf>,
}

impl Files {
    /// Reads the files that apply to this process: the system's, then the user's, or only the one that
    /// `PYROCLAST_CONFIG` names.
    pub fn of_process() -> Files {
        let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let paths = match set(VARIABLE) {
            Some(path) if path == Path::new("none") => Vec::new(),
            Some(path) => vec![path],
            None => {
                let config = set("XDG_CONFIG_HOME").filter(|p| p.is_absolute());
                let config = config.or_else(|| set("HOME").map(|h| h.join(".config")));
                let user = config.map(|c| c.join("pyroclast").join("config.toml"));
                std::iter::once(PathBuf::from(SYSTEM_FILE)).chain(user).collect()
            }
        };
        let programs = programs();
        let is_named = set(VARIABLE).is_some();
        let mut files = Files::default();
        for path in paths {
            match read(&path) {
                Ok(text) => {
                    files.parse(&path.display().to_string(), &text, &programs);
                    files.paths.push(path);
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound && !is_named => {}
                Err(error) => files.complaints.push(format!("{} is ignored: {error}", path.display())),
            }
        }
        files
    }

    /// Adds the settings of a text: those of every program, then those of the sections of `programs`.
    pub fn parse(&mut self, origin: &str, text: &str, programs: &[String]) {
        let (table, errors) = DeTable::parse_recoverable(text);
        let line = |at: usize| 1 + text.bytes().take(at).filter(|b| *b == b'\n').count();
        let at = |at: usize| format!("{origin}:{}", line(at));
        for error in errors {
            let place = error.span().map_or(origin.to_string(), |span| at(span.start));
            self.complaints.push(format!("{place}: {}", error.message()));
        }
        let mut chosen = Vec::new();
        for (key, value) in table.get_ref() {
            let kind = key.get_ref().as_ref();
            match value.get_ref() {
                DeValue::Table(sections) if ["program", "device"].contains(&kind) => {
                    for (name, section) in sections {
                        let device = (kind == "device").then(|| name.get_ref().to_string());
                        match section.get_ref() {
                            DeValue::Table(section)
                                if device.is_some() || programs.iter().any(|p| p == name.get_ref()) =>
                            {
                                chosen.push((section, device));
                            }
                            DeValue::Table(_) => {}
                            _ => self.complaints.push(format!(
                                "{}: '{kind}.{}' must be a section",
                                at(name.span().start),
                                name.get_ref()
                            )),
                        }
                    }
                }
                _ => self.assign(key, value, None, &at),
            }
        }
        for (section, device) in chosen {
            for (key, value) in section {
                self.assign(key, value, device.clone(), &at);
            }
        }
    }

    fn assign(
        &mut self,
        key: &Spanned<std::borrow::Cow<str>>,
        value: &Spanned<DeValue>,
        device: Option<String>,
        at: &dyn Fn(usize) -> String,
    ) {
        let origin = at(key.span().start);
        let key = key.get_ref();
        match text_of(value.get_ref()) {
            Some(value) => {
                let name = key.to_string();
                self.settings.push(RawSetting { origin: Some(origin), name, value, device });
            }
            None => self.complaints.push(format!(
                "{origin}: '{key}' must be a text, a number, true, false or a list of texts; sections for \
                 programs are named [program.NAME]"
            )),
        }
    }
}

/// A value as the environment variable would have it.
fn text_of(value: &DeValue) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Boolean(value) => Some(value.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_string()),
        DeValue::Array(values) => {
            let words: Option<Vec<String>> = values.iter().map(|v| text_of(v.get_ref())).collect();
            words.map(|w| w.join(","))
        }
        _ => None,
    }
}

/// The text of a file that only this user or root can have written. Does not block on pipes.
fn read(path: &Path) -> std::io::Result<String> {
    let refuse = |why: &str| Err(std::io::Error::other(why.to_string()));
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let data = file.metadata()?;
    if !data.is_file() || data.len() > MAX_SIZE {
        return refuse("it is not a plain file of at most 1 MiB");
    }
    if !is_trusted(&data) {
        return refuse("it must be owned by this user or root and not be writable by others");
    }
    let mut text = String::new();
    file.take(MAX_SIZE).read_to_string(&mut text)?;
    Ok(text)
}

/// Whether only this user or root can have written the file. A process that changed its user does not trust
/// the files of the user who started it.
fn is_trusted(data: &Metadata) -> bool {
    data.mode() & 0o022 == 0 && (data.uid() == 0 || data.uid() == user())
}

/// The user of this process, as the owner of /proc/self: root if the process changed its user or is protected
/// from inspection.
pub fn user() -> u32 {
    // SAFETY: asks for numbers.
    let (dumpable, user) = unsafe { (libc::prctl(libc::PR_GET_DUMPABLE), libc::geteuid()) };
    if dumpable == 1 { user } else { 0 }
}

/// File names of this program: of the executable, and as it was called (a link to an interpreter, for
/// instance).
fn programs() -> Vec<String> {
    let called = std::env::args_os().next().map(PathBuf::from);
    let paths = std::env::current_exe().ok().into_iter().chain(called);
    paths.filter_map(|p| Some(p.file_name()?.to_string_lossy().into_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn parse(text: &str) -> Files {
        let mut files = Files::default();
        files.parse("file", text, &["hashcat".to_string()]);
        files
    }

    fn config(text: &str, variables: &[(&str, &str)]) -> Config {
        let files = parse(text);
        let variables = variables.iter().map(|(name, value)| RawSetting::variable(name, value));
        Config::read(files.settings.into_iter().chain(variables)).0
    }

    #[test]
    fn the_user_owns_the_process() {
        let owner = std::fs::metadata("/proc/self").map(|data| data.uid());
        assert_eq!(owner.ok(), Some(user()));
    }

    #[test]
    fn values_of_every_type_are_understood() {
        let config = config(
            "log = 'warn'\ndevices = ['vulkan:1', \"cpu\"]\nsync = true\ncache_size = 64\nfeatures = \"-int8\"",
            &[],
        );
        assert_eq!(config.log.as_deref(), Some("warn"));
        assert_eq!(config.devices, ["vulkan:1", "cpu"]);
        assert!(config.sync && config.cache_size == Some(64) && config.hidden_features == ["int8"]);
    }

    #[test]
    fn sections_apply_to_their_program() {
        let text = "[program.hashcat]\nfallback = 'cpu'\n[program.other]\nsync = true\n";
        let own = config(text, &[]);
        assert_eq!(own.fallback.as_deref(), Some("cpu"));
        assert!(!own.sync);
        // A section is more specific than the rest, wherever it stands.
        let text = "program.hashcat.log = 'debug'\nlog = 'warn'\n";
        assert_eq!(config(text, &[]).log.as_deref(), Some("debug"));
    }

    #[test]
    fn sections_of_devices_hide_features_of_these_alone() {
        let text = "features = '-int8'\n[device.'A (tm)']\nfeatures = ['-float16', 'subgroups']\n\
                    [device.B]\nfeatures = '-float64'\nlog = 'debug'\n";
        let own = config(text, &[]);
        assert_eq!(own.hidden_on("A (tm)"), ["int8", "float16", "subgroups"]);
        assert_eq!(own.hidden_on("C"), ["int8"]);
        assert_eq!(own.log, None);
        // The variable is above all of them.
        assert_eq!(config(text, &[("PYROCLAST_FEATURES", "-int16")]).hidden_on("B"), ["int16"]);
        let (_, complaints) = Config::read(parse(text).settings);
        assert!(complaints.iter().any(|c| c.starts_with("file:6: 'log'")), "{complaints:?}");
    }

    #[test]
    fn variables_win() {
        let file = "log = 'warn'\nsync = true\n";
        let config = config(file, &[("PYROCLAST_LOG", "debug"), ("PYROCLAST_SYNC", "")]);
        assert_eq!(config.log.as_deref(), Some("debug"));
        assert!(!config.sync);
    }

    #[test]
    fn mistakes_name_their_line_and_the_rest_counts() {
        let files = parse("log = 'warn'\nlgo = 1\nsync = 1.5\n[program]\nx = 1\n[devices]\n");
        let (config, complaints) = Config::read(files.settings);
        assert_eq!(config.log.as_deref(), Some("warn"));
        assert!(complaints.iter().any(|c| c.starts_with("file:2: 'lgo'")), "{complaints:?}");
        for start in ["file:3: 'sync' must be", "file:5: 'program.x' must be a section", "file:6: 'devices'"]
        {
            assert!(files.complaints.iter().any(|c| c.starts_with(start)), "{start}: {:?}", files.complaints);
        }
        let files = parse("sync = true\nlog = \n= 3\n\u{0}");
        assert!(files.complaints.iter().any(|c| c.starts_with("file:2")), "{:?}", files.complaints);
        assert!(Config::read(files.settings).0.sync);
        let deep = format!("x = {}", "[".repeat(100_000));
        assert!(!parse(&deep).complaints.is_empty());
    }

    #[test]
    fn the_file_itself_is_no_setting_of_a_file() {
        let (_, complaints) = Config::read(parse("config = '/x'").settings);
        assert_eq!(complaints.len(), 1);
    }

    #[test]
    fn only_trusted_plain_files_are_read() {
        use std::os::unix::fs::PermissionsExt;
        let path = std::env::temp_dir().join(format!("pyroclast-config-{}.toml", std::process::id()));
        std::fs::write(&path, "sync = true").expect("write");
        let mode = |mode| std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).expect("chmod");
        mode(0o644);
        assert_eq!(read(&path).expect("text"), "sync = true");
        mode(0o666);
        assert!(read(&path).is_err());
        std::fs::remove_file(&path).expect("remove");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
        assert!(read(&path).is_err());
        std::fs::remove_file(&path).expect("remove");
        assert!(read(Path::new("/")).is_err() && read(Path::new("/dev/zero")).is_err());
    }
}
