//! Entries on disk under content keys: what is kept between processes (compilations, the driver's pipelines).
//!
//! An entry is a file named by its key. Files carry a hash of their content, are written under a temporary name and
//! renamed, and are checked when read: a damaged entry is a miss. Keeping things never causes an error; the folder is
//! bounded in size and trimmed by age. Holds no lock.

use crate::config::Config;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// The trimmer keeps the folder below this many bytes.
const MAX_BYTES: u64 = 512 << 20;
/// One write in this many (by key) looks at the size of the whole folder.
const TRIM_INTERVAL: u8 = 16;
const MAGIC: &[u8; 8] = b"PYROCLCE";
const HEADER: usize = MAGIC.len() + 36;

/// Names an entry.
pub type Key = blake3::Hash;

/// Entries in a folder, or none at all.
#[derive(Clone, Debug)]
pub struct Store {
    folder: Option<PathBuf>,
}

impl Store {
    /// The folder that the settings ask for: PYROCLAST_NO_CACHE, PYROCLAST_CACHE_DIR, else XDG_CACHE_HOME or HOME.
    pub fn from_config(config: &Config) -> Store {
        if config.no_cache {
            return Store::disabled();
        }
        let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let folder = (config.cache_dir.clone())
            .or_else(|| set("XDG_CACHE_HOME").filter(|p| p.is_absolute()).map(|p| p.join("pyroclast")))
            .or_else(|| set("HOME").map(|h| h.join(".cache").join("pyroclast")));
        Store { folder }
    }

    /// A store in this folder.
    pub fn at(folder: PathBuf) -> Store {
        Store { folder: Some(folder) }
    }

    /// A store that holds nothing.
    pub fn disabled() -> Store {
        Store { folder: None }
    }

    /// The file of an entry.
    pub fn path(&self, key: Key) -> Option<PathBuf> {
        let hex = key.to_hex();
        Some(self.folder.as_ref()?.join(&hex[..2]).join(&hex[2..]))
    }

    /// What `get` makes of the content of an entry written with this `version`; an entry it can make nothing of is damaged.
    pub fn read<T>(&self, key: Key, version: u32, get: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        let path = self.path(key)?;
        let bytes = std::fs::read(&path).ok()?;
        let value = content(&bytes, version).and_then(get);
        if value.is_none() {
            tracing::warn!(path = %path.display(), "damaged cache entry");
            let _ = std::fs::remove_file(&path);
        } else {
            touch(&path);
        }
        value
    }

    /// Keeps an entry.
    pub fn write(&self, key: Key, version: u32, content: &[u8]) {
        let Some(path) = self.path(key) else { return };
        let mut bytes = Vec::with_capacity(HEADER + content.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&version.to_le_bytes());
        bytes.extend_from_slice(blake3::hash(content).as_bytes());
        bytes.extend_from_slice(content);
        if let Err(error) = write_atomically(&path, &bytes) {
            tracing::debug!(path = %path.display(), %error, "cache entry not written");
        } else if key.as_bytes()[31].is_multiple_of(TRIM_INTERVAL) {
            self.trim(MAX_BYTES);
        }
    }

    /// Deletes the least recently used entries until the cache is well below `limit` bytes.
    pub fn trim(&self, limit: u64) {
        let Some(folder) = &self.folder else { return };
        let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for shard in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            // Only what this cache made: two hexadecimal digits, then files.
            if shard.file_name().len() != 2 {
                continue;
            }
            for file in std::fs::read_dir(shard.path()).into_iter().flatten().flatten() {
                if let Ok(data) = file.metadata() {
                    files.push((data.modified().unwrap_or(SystemTime::UNIX_EPOCH), data.len(), file.path()));
                }
            }
        }
        let mut total: u64 = files.iter().map(|f| f.1).sum();
        if total <= limit {
            return;
        }
        files.sort();
        for (_, size, path) in files {
            if total <= limit / 4 * 3 {
                break;
            }
            if std::fs::remove_file(path).is_ok() {
                total -= size;
            }
        }
    }
}

fn content(bytes: &[u8], version: u32) -> Option<&[u8]> {
    let rest = bytes.strip_prefix(MAGIC)?.strip_prefix(&version.to_le_bytes())?;
    let (hash, content) = rest.split_at_checked(32)?;
    (blake3::hash(content).as_bytes() == hash).then_some(content)
}

/// Marks the entry as used, at most once a day.
fn touch(path: &Path) {
    let Ok(file) = std::fs::File::open(path) else { return };
    let old =
        file.metadata().and_then(|m| m.modified()).is_ok_and(|t| t.elapsed().unwrap_or_default() > Duration::from_secs(86_400));
    if old {
        let _ = file.set_modified(SystemTime::now());
    }
}

fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let temporary = folder.join(format!(".tmp-{}-{}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed)));
    let result = std::fs::write(&temporary, bytes).and_then(|()| std::fs::rename(&temporary, path));
    if result.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    result
}
