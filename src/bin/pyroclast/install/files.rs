//! Files of an installation: recognising our own, writing them atomically, and the record of what was
//! installed.

use super::platform::Width;
use memchr::memmem;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Precedes the version in every driver (`VERSION_MARK` in `src/platform.rs`); the version ends
/// with a line feed.
const VERSION_MARK: &[u8] = b"pyroclast-driver-version=";
/// Name of the record in the driver's folder.
const RECORD: &str = "installed.json";
/// End of the names of files that are being written.
const TEMPORARY: &str = ".pyroclast-new";
/// Largest driver that is examined.
const MAX_LIBRARY: u64 = 1 << 30;

/// Facts about a driver's file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Driver {
    pub version: semver::Version,
    pub width: Width,
}

/// Reads a driver's version and width. The error says what the file is instead.
pub fn examine(path: &Path) -> Result<Driver, String> {
    let bytes = read(path)?;
    let header = bytes.get(..20).filter(|h| h.starts_with(b"\x7fELF"));
    let header = header.ok_or_else(|| format!("{} is not a shared library", path.display()))?;
    let width = if header[4] == 1 { Width::Bits32 } else { Width::Bits64 };
    let machine = u16::from_le_bytes([header[18], header[19]]);
    // e_machine: 62 x86-64, 3 x86, 183 AArch64, 40 ARM, 243 RISC-V.
    let ours: &[u16] = match std::env::consts::ARCH {
        "x86_64" | "x86" => &[62, 3],
        "aarch64" | "arm" => &[183, 40],
        "riscv64" => &[243],
        _ => &[],
    };
    if !ours.is_empty() && !ours.contains(&machine) {
        return Err(format!(
            "{} is built for another processor (ELF machine {machine}), this one is {}",
            path.display(),
            std::env::consts::ARCH
        ));
    }
    let version =
        version_in(&bytes).ok_or_else(|| format!("{} is not Pyroclast's driver", path.display()))?;
    Ok(Driver { version, width })
}

/// The version marked in the bytes of a driver.
fn version_in(bytes: &[u8]) -> Option<semver::Version> {
    memmem::find_iter(bytes, VERSION_MARK).find_map(|at| {
        let rest = bytes.get(at + VERSION_MARK.len()..)?;
        let end = rest.iter().take(64).position(|b| *b == b'\n')?;
        semver::Version::parse(std::str::from_utf8(&rest[..end]).ok()?).ok()
    })
}

/// Whether a file is a driver or tool of this project: both contain the mark.
pub fn has_mark(path: &Path) -> bool {
    read(path).is_ok_and(|bytes| memmem::find(&bytes, VERSION_MARK).is_some())
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let explain = |e: std::io::Error| format!("{}: {e}", path.display());
    let data = fs::metadata(path).map_err(explain)?;
    if !data.is_file() || data.len() > MAX_LIBRARY {
        return Err(format!("{} is not a shared library", path.display()));
    }
    fs::read(path).map_err(explain)
}

/// Content of a file to install.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// Bytes of another file, with the permission to execute or not.
    Copy {
        source: PathBuf,
        executable: bool,
    },
    Text(String),
    /// A symbolic link.
    Link(PathBuf),
}

impl Content {
    /// Whether the file at `path` has this content and these permissions.
    pub fn is_at(&self, path: &Path) -> bool {
        match self {
            Content::Link(target) => fs::read_link(path).is_ok_and(|t| t == *target),
            _ if fs::symlink_metadata(path).is_ok_and(|d| !d.is_file()) => false,
            Content::Text(text) => fs::read_to_string(path).is_ok_and(|t| t == *text),
            Content::Copy { source, executable } => {
                let mode = fs::metadata(path).map(|d| d.permissions().mode() & 0o777);
                mode.is_ok_and(|m| m == if *executable { 0o755 } else { 0o644 })
                    && matches!((fs::read(source), fs::read(path)), (Ok(a), Ok(b)) if a == b)
            }
        }
    }

    /// Writes the file under a temporary name and renames it: at any moment the old or the new file is
    /// there. Processes that use the old file keep it.
    pub fn write_to(&self, path: &Path) -> std::io::Result<()> {
        let temporary = temporary_of(path);
        let _ = fs::remove_file(&temporary);
        let result = self.write_new(&temporary).and_then(|()| fs::rename(&temporary, path));
        if result.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        result
    }

    fn write_new(&self, path: &Path) -> std::io::Result<()> {
        let (bytes, mode) = match self {
            Content::Link(target) => return std::os::unix::fs::symlink(target, path),
            Content::Text(text) => (text.clone().into_bytes(), 0o644),
            Content::Copy { source, executable } => {
                let mut bytes = Vec::new();
                File::open(source)?.read_to_end(&mut bytes)?;
                (bytes, if *executable { 0o755 } else { 0o644 })
            }
        };
        let mut file = File::create_new(path)?;
        file.write_all(&bytes)?;
        file.set_permissions(fs::Permissions::from_mode(mode))?;
        file.sync_all()
    }
}

fn temporary_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}{TEMPORARY}"))
}

/// Files that an interrupted installation of `path` left behind.
pub fn leftover_of(path: &Path) -> Option<PathBuf> {
    Some(temporary_of(path)).filter(|p| p.symlink_metadata().is_ok())
}

/// Creates a folder and its parents, readable by everyone.
pub fn make_folder(path: &Path) -> std::io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o755).create(path)
}

/// Record of the files of an installation; written before the first of them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    pub version: String,
    /// Installed files, without the folder given by `--root`.
    pub files: Vec<PathBuf>,
    /// Folders that were created for them, outermost first.
    pub folders: Vec<PathBuf>,
}

impl Record {
    /// The path of the record in a driver's folder.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join(RECORD)
    }

    /// The record in a driver's folder. A damaged one counts as absent.
    pub fn read(folder: &Path) -> Option<Record> {
        serde_json::from_slice(&fs::read(Record::path(folder)).ok()?).ok()
    }

    /// The text of the record.
    pub fn text(&self) -> Result<String, String> {
        let text =
            serde_json::to_string_pretty(self).map_err(|e| format!("the installation's record: {e}"))?;
        Ok(text + "\n")
    }
}

/// An error of the file system as a sentence that says what to do.
pub fn explain(path: &Path, error: &std::io::Error) -> String {
    let path = path.display();
    match error.kind() {
        ErrorKind::PermissionDenied => {
            format!("{path} cannot be changed: use sudo, or `--user` to install for yourself alone")
        }
        ErrorKind::ReadOnlyFilesystem => {
            format!("{path} is on a read-only file system: use `--user` or `--prefix DIR`")
        }
        ErrorKind::StorageFull => format!("{path}: the disk is full; free some space and run this again"),
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            format!("{path} cannot be created: a file has the name of one of its folders")
        }
        _ => format!("{path}: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_by_their_mark() {
        let version = |bytes: &[u8]| version_in(bytes).map(|v| v.to_string());
        assert_eq!(version(b"abcpyroclast-driver-version=1.2.3-rc.1\nxyz").as_deref(), Some("1.2.3-rc.1"));
        // The mark alone, as in the tool, and a mark at the end.
        assert_eq!(
            version(b"pyroclast-driver-version=pyroclast-driver-version=0.1.0\n").as_deref(),
            Some("0.1.0")
        );
        assert_eq!(version(b"pyroclast-driver-version="), None);
        assert_eq!(version(b"pyroclast-driver-version=one\n"), None);
    }

    #[test]
    fn errors_say_what_to_do() {
        let text = |kind: ErrorKind| explain(Path::new("/x"), &kind.into());
        assert!(text(ErrorKind::PermissionDenied).contains("sudo"));
        assert!(text(ErrorKind::ReadOnlyFilesystem).contains("--prefix"));
    }
}
