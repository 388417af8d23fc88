//! Entries on disk under content keys: what is kept between processes (compilations, the driver's pipelines).
//!
//! An entry is a file named by its key. Files carry a hash of their content, are written under a temporary name and
//! renamed, and are checked when read: a damaged entry is a miss. Keeping things never causes an error; the folder is
//! bounded in size, and the entries used longest ago go first. Any number of processes may use one folder. Holds no lock.

use crate::config::Config;
use std::fs::{File, Metadata};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// Bytes that the folder is kept below unless the settings say otherwise.
const DEFAULT_LIMIT: u64 = 512 << 20;
/// One write in this many (by key) looks at the size of the whole folder.
const TRIM_INTERVAL: u8 = 16;
/// How exactly the time of an entry's last use is kept.
const TOUCH_INTERVAL: Duration = Duration::from_secs(600);
/// A file under a temporary name that is older was left by a process that ended.
const ABANDONED: Duration = Duration::from_secs(3600);
const TEMPORARY: &str = ".tmp-";
const MAGIC: &[u8; 8] = b"PYROCLCE";
const HEADER: usize = MAGIC.len() + 36;

/// Names an entry.
pub type Key = blake3::Hash;

/// Entries in a folder, or none at all.
#[derive(Clone, Debug)]
pub struct Store {
    folder: Option<PathBuf>,
    /// Bytes of all entries.
    limit: u64,
}

impl Store {
    /// The folder that the settings ask for: PYROCLAST_NO_CACHE, PYROCLAST_CACHE_DIR, else XDG_CACHE_HOME or HOME; and
    /// PYROCLAST_CACHE_SIZE.
    pub fn from_config(config: &Config) -> Store {
        let limit = config.cache_size.map_or(DEFAULT_LIMIT, |mib| mib.saturating_mul(1 << 20));
        if config.no_cache || limit == 0 {
            return Store::disabled();
        }
        let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let folder = (config.cache_dir.clone())
            .or_else(|| set("XDG_CACHE_HOME").filter(|p| p.is_absolute()).map(|p| p.join("pyroclast")))
            .or_else(|| set("HOME").map(|h| h.join(".cache").join("pyroclast")));
        Store { folder, limit }
    }

    /// A store in this folder.
    pub fn at(folder: PathBuf) -> Store {
        Store { folder: Some(folder), limit: DEFAULT_LIMIT }
    }

    /// A store that holds nothing.
    pub fn disabled() -> Store {
        Store { folder: None, limit: 0 }
    }

    /// The file of an entry.
    pub fn path(&self, key: Key) -> Option<PathBuf> {
        let hex = key.to_hex();
        Some(self.folder.as_ref()?.join(&hex[..2]).join(&hex[2..]))
    }

    /// What `get` makes of the content of an entry written with this `version`; an entry it can make nothing of is damaged.
    pub fn read<T>(&self, key: Key, version: u32, get: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        let path = self.path(key)?;
        let mut file = File::open(&path).ok()?;
        let data = file.metadata().ok()?;
        // Something else may have taken the name; it is not to be read to the end.
        if !data.is_file() || data.len() > self.limit.max(DEFAULT_LIMIT) {
            return None;
        }
        let mut bytes = Vec::with_capacity(data.len() as usize + 1);
        file.read_to_end(&mut bytes).ok()?;
        let value = content(&bytes, version).and_then(get);
        if value.is_none() {
            tracing::warn!(path = %path.display(), "damaged cache entry");
            let _ = std::fs::remove_file(&path);
        } else if is_older(&data, TOUCH_INTERVAL) {
            // The entries used last are kept when the folder is trimmed. A folder that cannot be written is not trimmed.
            let _ = file.set_modified(SystemTime::now());
        }
        value
    }

    /// Keeps an entry.
    pub fn write(&self, key: Key, version: u32, content: &[u8]) {
        let Some(path) = self.path(key) else { return };
        // One entry is not worth most of the others.
        if content.len() as u64 > self.limit / 4 {
            return;
        }
        let mut bytes = Vec::with_capacity(HEADER + content.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&version.to_le_bytes());
        bytes.extend_from_slice(blake3::hash(content).as_bytes());
        bytes.extend_from_slice(content);
        if let Err(error) = write_atomically(&path, &bytes) {
            tracing::debug!(path = %path.display(), %error, "cache entry not written");
        } else if key.as_bytes()[31].is_multiple_of(TRIM_INTERVAL) {
            self.trim(self.limit);
        }
    }

    /// Deletes what ended processes left half written, and the least recently used entries until the cache is well below
    /// `limit` bytes. Other processes may read, write and trim at the same time.
    pub fn trim(&self, limit: u64) {
        let Some(folder) = &self.folder else { return };
        let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for shard in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            // Only what this cache made: two hexadecimal digits, then files.
            if shard.file_name().len() != 2 {
                continue;
            }
            for file in std::fs::read_dir(shard.path()).into_iter().flatten().flatten() {
                let Ok(data) = file.metadata() else { continue };
                if file.file_name().to_string_lossy().starts_with(TEMPORARY) && is_older(&data, ABANDONED) {
                    let _ = std::fs::remove_file(file.path());
                    continue;
                }
                files.push((data.modified().unwrap_or(SystemTime::UNIX_EPOCH), data.len(), file.path()));
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

/// Whether the file was last written longer ago than this. A time in the future counts as now.
fn is_older(data: &Metadata, age: Duration) -> bool {
    data.modified().is_ok_and(|time| time.elapsed().unwrap_or_default() > age)
}

/// Writes under a name that no other process uses, then takes the final name: readers see all of it or nothing, and a
/// process that ends in between leaves the entry as it was.
fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    // Processes of different containers may have one number and share the folder.
    let nanos = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.subsec_nanos());
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let temporary = folder.join(format!("{TEMPORARY}{}-{count}-{nanos}", std::process::id()));
    let mut file = File::options().write(true).create_new(true).open(&temporary)?;
    let result = file.write_all(bytes).and_then(|()| std::fs::rename(&temporary, path));
    if result.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    /// A folder of this test's own, removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let folder = std::env::temp_dir().join(format!("pyroclast-store-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&folder);
            Folder(folder)
        }
        fn store(&self) -> Store {
            Store::at(self.0.clone())
        }
        /// Files in it, temporary ones included.
        fn files(&self) -> Vec<PathBuf> {
            let shards = std::fs::read_dir(&self.0).into_iter().flatten().flatten();
            let files = shards.flat_map(|s| std::fs::read_dir(s.path()).into_iter().flatten().flatten());
            files.map(|f| f.path()).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn key(n: u64) -> Key {
        blake3::hash(&n.to_le_bytes())
    }

    /// Contents that tell for which key they are: hashes, in a number that depends on the key.
    fn filling(n: u64) -> Vec<u8> {
        key(n).as_bytes().repeat(1 + (n as usize % 97) * 40)
    }

    fn whole(bytes: &[u8]) -> Option<Vec<u8>> {
        Some(bytes.to_vec())
    }

    #[test]
    fn other_versions_and_strangers_are_misses() {
        let folder = Folder::new("versions");
        let store = folder.store();
        store.write(key(1), 7, b"seven");
        assert_eq!(store.read(key(1), 7, whole).as_deref(), Some(&b"seven"[..]));
        assert_eq!(store.read(key(1), 8, whole), None);
        // What is of no use is gone.
        assert!(folder.files().is_empty());
        std::fs::create_dir_all(store.path(key(2)).expect("path")).expect("a folder in place of an entry");
        assert_eq!(store.read(key(2), 7, whole), None);
        store.write(key(2), 7, b"x");
        assert_eq!(store.read(key(2), 7, whole), None);
    }

    /// Every byte of an entry counts, and so does its length.
    #[test]
    fn damage_anywhere_is_noticed() {
        let folder = Folder::new("damage");
        let store = folder.store();
        store.write(key(1), 7, b"content");
        let path = store.path(key(1)).expect("path");
        let good = std::fs::read(&path).expect("entry");
        for at in 0..=good.len() {
            let mut bytes = good.clone();
            match bytes.get_mut(at) {
                Some(byte) => *byte ^= 0x10,
                None => bytes.push(0),
            }
            std::fs::write(&path, &bytes).expect("write");
            assert_eq!(store.read(key(1), 7, whole), None, "byte {at}");
            std::fs::write(&path, &good[..at.min(good.len() - 1)]).expect("write");
            assert_eq!(store.read(key(1), 7, whole), None, "{at} bytes");
        }
        std::fs::write(&path, &good).expect("write");
        assert!(store.read(key(1), 7, whole).is_some());
    }

    /// A folder that cannot be made or written to (here: a file is in the way) costs nothing but the entries.
    #[test]
    fn an_unusable_folder_is_an_empty_cache() {
        let folder = Folder::new("unusable");
        std::fs::write(&folder.0, b"a file").expect("write");
        let store = folder.store();
        store.write(key(1), 7, b"content");
        assert_eq!(store.read(key(1), 7, whole), None);
        store.trim(0);
        assert_eq!(std::fs::read(&folder.0).expect("read"), b"a file");
        std::fs::remove_file(&folder.0).expect("remove");
    }

    #[test]
    fn leftovers_and_the_oldest_go_first() {
        let folder = Folder::new("trim");
        let store = Store { limit: 8 << 10, ..folder.store() };
        for n in 0..64 {
            store.write(key(n), 1, &[0; 1000]);
            let file = File::options().write(true).open(store.path(key(n)).expect("path"));
            if let Ok(file) = file {
                file.set_modified(SystemTime::now() - Duration::from_secs(3000 - n)).expect("time");
            }
        }
        // Using an entry keeps it.
        let oldest = (0..64).find(|n| store.path(key(*n)).is_some_and(|p| p.exists())).expect("an entry");
        assert!(store.read(key(oldest), 1, whole).is_some());
        let shard = store.path(key(63)).and_then(|p| p.parent().map(Path::to_path_buf)).expect("shard");
        for (name, age) in [(".tmp-1-1-1", 7200), (".tmp-1-2-1", 1)] {
            std::fs::write(shard.join(name), b"half").expect("write");
            let file = File::options().write(true).open(shard.join(name)).expect("open");
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).expect("time");
        }
        store.trim(store.limit);
        assert!(!shard.join(".tmp-1-1-1").exists() && shard.join(".tmp-1-2-1").exists());
        assert!(store.read(key(oldest), 1, whole).is_some());
        assert!(store.read(key(63), 1, whole).is_some());
        let size: u64 = folder.files().iter().filter_map(|f| f.metadata().ok()).map(|m| m.len()).sum();
        assert!(size <= store.limit, "{size} bytes");
        // Something as large as the cache is not kept.
        store.write(key(100), 1, &[0; 4 << 10]);
        assert!(store.read(key(100), 1, whole).is_none());
    }

    /// Not a test of its own: what the next one starts.
    #[test]
    #[ignore = "writes until it is killed"]
    fn endless_writer() {
        let Some(folder) = std::env::var_os("PYROCLAST_STORE_TEST") else { return };
        let store = Store { limit: 1 << 20, ..Store::at(folder.into()) };
        for n in (0..).map(|n: u64| n % 200) {
            store.write(key(n), 1, &filling(n));
        }
    }

    /// Processes write and trim the same entries and are killed at any moment; whoever reads sees whole entries only.
    #[test]
    fn killed_and_concurrent_writers() {
        let folder = Folder::new("kill");
        let store = folder.store();
        let program = std::env::current_exe().expect("own path");
        let mut seen = 0;
        for round in 0..12u64 {
            let mut writers: Vec<_> = (0..2)
                .map(|_| {
                    let mut command = Command::new(&program);
                    command.args(["--exact", "store::tests::endless_writer", "--ignored"]).env("PYROCLAST_STORE_TEST", &folder.0);
                    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a writer")
                })
                .collect();
            let end = std::time::Instant::now() + Duration::from_millis(60 + round * 7);
            while std::time::Instant::now() < end {
                for n in 0..200 {
                    if let Some(bytes) = store.read(key(n), 1, whole) {
                        assert!(bytes == filling(n), "entry {n}");
                        seen += 1;
                    }
                }
            }
            for writer in &mut writers {
                writer.kill().expect("kill");
                writer.wait().expect("wait");
            }
        }
        assert!(seen > 100, "{seen} entries read");
        // No entry was damaged: all that are there can be read.
        for n in 0..200 {
            let exists = store.path(key(n)).is_some_and(|p| p.exists());
            assert_eq!(store.read(key(n), 1, whole).is_some(), exists, "entry {n}");
        }
    }
}
