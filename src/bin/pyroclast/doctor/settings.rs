//! Writes features to hide into the user's configuration file, in the section of the device.

use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The user's configuration file.
pub fn file() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let config = set("XDG_CONFIG_HOME").filter(|p| p.is_absolute());
    let config = config.or_else(|| set("HOME").map(|home| home.join(".config")))?;
    Some(config.join("pyroclast").join("config.toml"))
}

/// Sets the features to hide of a device. The rest of the file stays as it is.
pub fn write(file: &Path, device: &str, hide: &[String]) -> Result<(), String> {
    let explain = |e: std::io::Error| format!("{}: {e}", file.display());
    let old = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(e) => return Err(explain(e)),
    };
    let new = with_features(&old, device, &super::report::signed(hide));
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(explain)?;
    }
    // A file that others can write is not read.
    let mode = std::fs::metadata(file).map_or(0o644, |data| data.permissions().mode() & 0o755);
    let temporary = file.with_extension(format!("toml.{}", std::process::id()));
    let made = std::fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(&temporary);
    let written = made.and_then(|mut out| {
        out.write_all(new.as_bytes())?;
        std::fs::rename(&temporary, file)
    });
    written.map_err(|e| {
        let _ = std::fs::remove_file(&temporary);
        explain(e)
    })
}

/// A configuration file's text with the features of a device.
fn with_features(text: &str, device: &str, features: &str) -> String {
    let name = device.replace('\\', "\\\\").replace('"', "\\\"");
    let section = format!("[device.\"{name}\"]");
    let line = format!("features = \"{features}\"");
    let mut lines: Vec<&str> = text.lines().collect();
    let Some(at) = lines.iter().position(|l| l.trim() == section) else {
        let gap = if text.is_empty() { "" } else { "\n" };
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        return format!("{text}{end}{gap}# By `pyroclast doctor`.\n{section}\n{line}\n");
    };
    let inside = lines[at + 1..].iter().take_while(|l| !l.trim_start().starts_with('['));
    let is_key = |l: &&str| l.split('=').next().is_some_and(|key| key.trim() == "features");
    match inside.clone().position(is_key) {
        Some(offset) => lines[at + 1 + offset] = &line,
        None => lines.insert(at + 1, &line),
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::with_features;

    #[test]
    fn the_rest_of_the_file_stays() {
        let new = with_features("", "Mali-G710", "-int8");
        assert_eq!(new, "# By `pyroclast doctor`.\n[device.\"Mali-G710\"]\nfeatures = \"-int8\"\n");
        let more = with_features("log = 'warn'", "A \"B\"", "-int8,-int16");
        assert!(more.starts_with("log = 'warn'\n\n# By"), "{more}");
        assert!(more.contains("[device.\"A \\\"B\\\"\"]\nfeatures = \"-int8,-int16\"\n"), "{more}");
        let text = "sync = true\n[device.\"X\"]\n# why\nfeatures = \"-a\"\n[program.y]\nfeatures = \"-z\"\n";
        let changed = with_features(text, "X", "-b");
        assert_eq!(changed, text.replace("\"-a\"", "\"-b\""));
        let without = with_features("[device.\"X\"]\n[program.y]\n", "X", "-b");
        assert_eq!(without, "[device.\"X\"]\nfeatures = \"-b\"\n[program.y]\n");
    }
}
