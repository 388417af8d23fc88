//! Entries on disk under content keys, kept between processes (compilations, the driver's pipelines).
//!
//! An entry is a file named by its key. Files contain a hash of key and content, are written under a
//! temporary name and renamed, and are checked when read: a damaged entry is a miss. The store never causes
//! an error. The folder is bounded in size; the least recently used entries are deleted first. Any number of
//! processes may use one folder. Locks: none.
//!
//! Code is loaded from here, so only files that this user alone can have written are used: folder and files
//! must be owned by the user and not writable by others (docs/security.md).

use crate::config::Config;
use crate::mapped_pages::{MappedPages, SharedPages};
use bytes::Bytes;
use std::fs::{DirBuilder, File, Metadata};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once};
use std::time::{Duration, SystemTime};
use xxhash_rust::xxh3::Xxh3;

/// Limit of the folder's size in bytes, unless set.
const DEFAULT_LIMIT: u64 = 512 << 20;
/// One write of this many (by key) checks the size of the whole folder, ...
const TRIM_INTERVAL: u8 = 16;
/// ... but not before a store has written this part of its limit since it last did: a folder may have tens of
/// thousands of files.
const TRIM_PART: u64 = 64;
/// Precision of an entry's time of last use.
const TOUCH_INTERVAL: Duration = Duration::from_secs(600);
/// Age from which a temporary file is taken as left behind by an ended process.
const ABANDONED: Duration = Duration::from_secs(3600);
const TEMPORARY: &str = ".tmp-";
const MAGIC: &[u8; 8] = b"PYROCLC3";
/// The file that holds the secret.
const SECRET: &str = "secret";
/// Bytes before the content: magic, version (u32), hash (16 bytes), zeros.
pub const HEADER: usize = 64;
/// Bytes from which an entry is mapped rather than copied to memory: then the latter costs more.
const MAPPED: usize = 64 << 10;

/// Names an entry.
pub type Key = blake3::Hash;

/// The content of an entry.
pub struct EntryContent {
    pub bytes: Bytes,
    /// The mapped file that the bytes are a part of, if it is large.
    pub mapping: Option<Arc<MappedPages>>,
}

/// EntryContent of a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StoreUsage {
    pub entries: u64,
    pub bytes: u64,
}

/// A folder of entries, or a disabled store.
#[derive(Clone, Debug)]
pub struct Store {
    folder: Option<PathBuf>,
    /// Limit of the bytes of all entries.
    limit: u64,
    /// Bytes written since the folder's size was checked; the first check is due at once.
    unchecked: Arc<AtomicU64>,
}

/// The count of a new store.
fn all_unchecked() -> Arc<AtomicU64> {
    Arc::new(AtomicU64::new(1 << 62))
}

impl Store {
    /// The store in the configured folder: PYROCLAST_NO_CACHE, PYROCLAST_CACHE_DIR, else XDG_CACHE_HOME or
    /// HOME; limited by PYROCLAST_CACHE_SIZE.
    pub fn from_config(config: &Config) -> Store {
        let limit = config.cache_size.map_or(DEFAULT_LIMIT, |mib| mib.saturating_mul(1 << 20));
        if config.no_cache || limit == 0 {
            return Store::disabled();
        }
        let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let folder = (config.cache_dir.clone())
            .or_else(|| set("XDG_CACHE_HOME").filter(|p| p.is_absolute()).map(|p| p.join("pyroclast")))
            .or_else(|| set("HOME").map(|h| h.join(".cache").join("pyroclast")));
        Store { folder, limit, unchecked: all_unchecked() }
    }

    /// A store in this folder.
    pub fn at(folder: PathBuf) -> Store {
        Store { folder: Some(folder), limit: DEFAULT_LIMIT, unchecked: all_unchecked() }
    }

    /// The folder; `None` if the store is disabled.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Limit of the bytes of all entries.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Counts the entries and their bytes.
    pub fn usage(&self) -> StoreUsage {
        let mut usage = StoreUsage::default();
        for (_, size, path) in self.files() {
            if !is_temporary(&path) {
                usage.entries += 1;
                usage.bytes += size;
            }
        }
        usage
    }

    /// Deletes all entries, also those that other processes are writing (they lose nothing else), and returns
    /// how many there were. The secret stays, so that binaries keep their compiled code.
    pub fn clear(&self) -> std::io::Result<StoreUsage> {
        let usage = self.usage();
        for (_, _, path) in self.files() {
            match std::fs::remove_file(path) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(e),
                _ => {}
            }
        }
        Ok(usage)
    }

    /// A store that holds nothing.
    pub(crate) fn disabled() -> Store {
        Store { folder: None, limit: 0, unchecked: all_unchecked() }
    }

    /// The file of an entry.
    pub fn path(&self, key: Key) -> Option<PathBuf> {
        let hex = key.to_hex();
        Some(self.folder.as_ref()?.join(&hex[..2]).join(&hex[2..]))
    }

    /// Reads an entry written with this `version` and decodes its content by `get`. If `get` returns `None`,
    /// the entry is damaged.
    pub fn read<T>(&self, key: Key, version: u32, get: impl FnOnce(&EntryContent) -> Option<T>) -> Option<T> {
        let path = self.path(key)?;
        let (file, data) = open_own(&path, self.limit.max(DEFAULT_LIMIT))?;
        let EntryContent { bytes, mapping } = read_file(&file, &data)?;
        let intact = content(&bytes, key, version).map(|content| bytes.slice_ref(content));
        let value = intact.and_then(|bytes| get(&EntryContent { bytes, mapping }));
        if value.is_none() {
            tracing::warn!(path = %path.display(), "damaged cache entry");
            let _ = std::fs::remove_file(&path);
        } else if is_older(&data, TOUCH_INTERVAL) {
            // The modification time records the last use, for trimming. A folder that cannot be written is
            // not trimmed.
            let _ = file.set_modified(SystemTime::now());
        }
        value
    }

    /// Writes an entry.
    pub fn write(&self, key: Key, version: u32, content: &[u8]) {
        let Some(path) = self.path(key).filter(|_| self.is_private()) else { return };
        // A single entry must not evict most of the others.
        if content.len() as u64 > self.limit / 4 {
            return;
        }
        let mut bytes = Vec::with_capacity(HEADER + content.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&version.to_le_bytes());
        bytes.extend_from_slice(&hash(key, content));
        bytes.resize(HEADER, 0);
        bytes.extend_from_slice(content);
        if let Err(error) = write_atomically(&path, &bytes) {
            tracing::debug!(path = %path.display(), %error, "cache entry not written");
            return;
        }
        let new = bytes.len() as u64;
        let unchecked = self.unchecked.fetch_add(new, Ordering::Relaxed) + new;
        if key.as_bytes()[31].is_multiple_of(TRIM_INTERVAL) && unchecked >= self.limit / TRIM_PART {
            self.unchecked.store(0, Ordering::Relaxed);
            self.trim(self.limit);
        }
    }

    /// Deletes files that ended processes left half written, and the least recently used entries until the
    /// size is well below `limit` bytes. Other processes may read, write and trim at the same time.
    pub fn trim(&self, limit: u64) {
        if !self.is_private() {
            return;
        }
        let mut files = self.files();
        files.retain(|(modified, _, path)| {
            let abandoned = is_temporary(path) && modified.elapsed().is_ok_and(|age| age > ABANDONED);
            if abandoned {
                let _ = std::fs::remove_file(path);
            }
            !abandoned
        });
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

impl Store {
    /// Plain files in the store's own folders (two hexadecimal digits), with the time of their last use and
    /// their size. Links are not followed.
    fn files(&self) -> Vec<(SystemTime, u64, PathBuf)> {
        let mut files = Vec::new();
        for shard in self.folder.iter().flat_map(std::fs::read_dir).flatten().flatten() {
            if shard.file_name().len() != 2 || !shard.file_type().is_ok_and(|t| t.is_dir()) {
                continue;
            }
            for file in std::fs::read_dir(shard.path()).into_iter().flatten().flatten() {
                if let Some(data) = file.metadata().ok().filter(Metadata::is_file) {
                    files.push((data.modified().unwrap_or(SystemTime::UNIX_EPOCH), data.len(), file.path()));
                }
            }
        }
        files
    }

    /// Creates the folder if necessary. Returns whether it is owned by this user and not writable by others.
    fn is_private(&self) -> bool {
        let Some(folder) = &self.folder else { return false };
        match std::fs::symlink_metadata(folder) {
            Err(_) => make_folder(folder).is_ok(),
            // A link is accepted if the user owns it and the folder.
            Ok(_) => {
                let data = std::fs::metadata(folder);
                let private = data.as_ref().is_ok_and(|d| d.is_dir() && is_own(d));
                if !private && data.is_ok() {
                    static ONCE: Once = Once::new();
                    ONCE.call_once(|| {
                        let path = folder.display();
                        tracing::warn!(
                            "{path} is not used as a cache: \
                             it must be a folder of this user's that no other user can write"
                        );
                    });
                }
                private
            }
        }
    }

    /// A secret of this user, created at the first request: knowing it proves write access to this folder.
    pub(crate) fn secret(&self) -> Option<[u8; 32]> {
        if !self.is_private() {
            return None;
        }
        let path = self.folder.as_ref()?.join(SECRET);
        let read = || {
            let (file, data) = open_own(&path, 32)?;
            <[u8; 32]>::try_from(&*read_file(&file, &data)?.bytes).ok()
        };
        read().or_else(|| {
            // Of several processes the first wins; if the existing file is unusable, the last.
            let useless = path.symlink_metadata().is_ok();
            let temporary = temporary_in(path.parent()?);
            let mut file = File::options().write(true).create_new(true).mode(0o600).open(&temporary).ok()?;
            let kept = file.write_all(&random()?).is_ok()
                && if useless {
                    std::fs::rename(&temporary, &path)
                } else {
                    std::fs::hard_link(&temporary, &path)
                }
                .is_ok();
            let _ = std::fs::remove_file(&temporary);
            if !kept {
                tracing::debug!(path = %path.display(), "no secret kept, unless another process did");
            }
            read()
        })
    }
}

/// Unpredictable random bytes.
pub fn random() -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    File::open("/dev/urandom").and_then(|mut f| f.read_exact(&mut bytes)).ok()?;
    Some(bytes)
}

/// Whether a file or folder is owned by this user and not writable by others.
fn is_own(data: &Metadata) -> bool {
    // A process that changed its user keeps nothing.
    data.uid() == crate::config::file::user() && data.mode() & 0o022 == 0
}

/// Opens a plain file of at most `limit` bytes that is owned by this user. The name may refer to something
/// else: links are not followed, and pipes do not block.
fn open_own(path: &Path, limit: u64) -> Option<(File, Metadata)> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = File::options().read(true).custom_flags(flags).open(path).ok()?;
    let data = file.metadata().ok()?;
    (data.is_file() && is_own(&data) && data.len() <= limit).then_some((file, data))
}

/// Reads a file, or maps it if it is large and the system can.
fn read_file(mut file: &File, data: &Metadata) -> Option<EntryContent> {
    let size = usize::try_from(data.len()).ok()?;
    if let Some(mapping) = (size >= MAPPED).then(|| MappedPages::of_file(file, size).ok()).flatten() {
        let mapping = Arc::new(mapping);
        let bytes = Bytes::from_owner(SharedPages(mapping.clone()));
        return Some(EntryContent { bytes, mapping: Some(mapping) });
    }
    let mut bytes = vec![0; size];
    file.read_exact(&mut bytes).ok()?;
    Some(EntryContent { bytes: bytes.into(), mapping: None })
}

/// The content of an intact entry.
fn content(bytes: &[u8], key: Key, version: u32) -> Option<&[u8]> {
    let (header, content) = bytes.split_at_checked(HEADER)?;
    let rest = header.strip_prefix(MAGIC)?.strip_prefix(&version.to_le_bytes())?;
    let rest = rest.strip_prefix(&hash(key, content))?;
    rest.iter().all(|byte| *byte == 0).then_some(content)
}

/// A hash that notices damage and content under a wrong key, as fast as memory is read (XXH3). It does not
/// protect against anybody who can write the file.
fn hash(key: Key, content: &[u8]) -> [u8; 16] {
    let mut hasher = Xxh3::new();
    hasher.update(key.as_bytes());
    hasher.update(content);
    hasher.digest128().to_le_bytes()
}

/// Creates a folder, and its parents, accessible to this user only.
fn make_folder(path: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// A name that no other process uses.
fn temporary_in(folder: &Path) -> PathBuf {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    // Processes of different containers may have the same id and share the folder.
    let nanos = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.subsec_nanos());
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    folder.join(format!("{TEMPORARY}{}-{count}-{nanos}", std::process::id()))
}

/// Whether a file is being written, or was when its process ended.
fn is_temporary(path: &Path) -> bool {
    path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(TEMPORARY))
}

/// Whether the file was last written longer than `age` ago. A time in the future counts as now.
fn is_older(data: &Metadata, age: Duration) -> bool {
    data.modified().is_ok_and(|time| time.elapsed().unwrap_or_default() > age)
}

/// Writes under a unique temporary name, then renames to the final name: readers see the whole file or none,
/// and a process that ends in between leaves the entry as it was.
fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    make_folder(folder)?;
    let temporary = temporary_in(folder);
    let mut file = File::options().write(true).create_new(true).mode(0o600).open(&temporary)?;
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
        /// Files in it, including temporary ones.
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

    /// Contents that identify their key: hashes, in a number that depends on the key.
    fn filling(n: u64) -> Vec<u8> {
        key(n).as_bytes().repeat(1 + (n as usize % 97) * 40)
    }

    fn whole(content: &EntryContent) -> Option<Vec<u8>> {
        Some(content.bytes.to_vec())
    }

    #[test]
    fn other_versions_and_strangers_are_misses() {
        let folder = Folder::new("versions");
        let store = folder.store();
        store.write(key(1), 7, b"seven");
        assert_eq!(store.read(key(1), 7, whole).as_deref(), Some(&b"seven"[..]));
        assert_eq!(store.read(key(1), 8, whole), None);
        // Unusable files are deleted.
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

    /// Large entries are mapped.
    #[test]
    fn large_entries_are_checked_too() {
        let folder = Folder::new("large");
        let store = folder.store();
        let large: Vec<u8> = (0..MAPPED as u32).map(|i| ((i * i) >> 7) as u8).collect();
        store.write(key(1), 7, &large);
        let mapped = |content: &EntryContent| Some((content.mapping.is_some(), content.bytes.to_vec()));
        assert_eq!(store.read(key(1), 7, mapped), Some((true, large.clone())));
        let path = store.path(key(1)).expect("path");
        let mut bytes = std::fs::read(&path).expect("entry");
        bytes[MAPPED / 2] ^= 1;
        std::fs::write(&path, &bytes).expect("write");
        assert_eq!(store.read(key(1), 7, mapped), None);
        // EntryContent stays while it is used.
        store.write(key(1), 7, &large);
        let kept = store.read(key(1), 7, |content| Some(content.bytes.clone()));
        store.trim(0);
        assert!(!path.exists());
        assert_eq!(kept.as_deref(), Some(&large[..]));
    }

    /// A folder that cannot be created or written to (here: a file has its name) costs nothing but the
    /// entries.
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

    /// Code is loaded from here: files that others may have written are misses, and nothing is stored where
    /// others can write.
    #[test]
    fn what_others_can_write_is_not_used() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = Folder::new("foreign");
        let store = folder.store();
        store.write(key(1), 7, b"content");
        let path = store.path(key(1)).expect("path");
        let mode = |path: &Path| std::fs::symlink_metadata(path).expect("there").mode() & 0o777;
        assert_eq!(
            (mode(&folder.0), mode(path.parent().expect("shard")), mode(&path)),
            (0o700, 0o700, 0o600)
        );
        let set = |path: &Path, mode| {
            std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("chmod")
        };
        set(&path, 0o620);
        assert_eq!(store.read(key(1), 7, whole), None);
        set(&path, 0o600);
        assert!(store.read(key(1), 7, whole).is_some());
        // A file under another name, a link, a pipe.
        let other = store.path(key(2)).expect("path");
        std::fs::create_dir_all(other.parent().expect("shard")).expect("shard");
        std::fs::copy(&path, &other).expect("copy");
        assert_eq!(store.read(key(2), 7, whole), None);
        let _ = std::fs::remove_file(&other);
        let own = folder.0.join("own");
        std::fs::rename(&path, &own).expect("rename");
        symlink(&own, &path).expect("link");
        assert_eq!(store.read(key(1), 7, whole), None);
        std::fs::remove_file(&path).expect("remove");
        assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
        assert_eq!(store.read(key(1), 7, whole), None);
        std::fs::remove_file(&path).expect("remove");
        // A folder that others can write: nothing is stored there, and none of their files is deleted through
        // links.
        let elsewhere = Folder::new("elsewhere");
        std::fs::create_dir(&elsewhere.0).expect("folder");
        std::fs::write(elsewhere.0.join("precious"), b"x").expect("write");
        symlink(&elsewhere.0, folder.0.join("zz")).expect("link");
        store.trim(0);
        set(&folder.0, 0o777);
        store.write(key(3), 7, b"content");
        store.trim(0);
        assert!(store.path(key(3)).is_some_and(|p| !p.exists()));
        assert!(elsewhere.0.join("precious").exists());
    }

    #[test]
    fn clearing_leaves_the_secret_alone() {
        let folder = Folder::new("clear");
        let store = folder.store();
        assert_eq!(store.usage(), StoreUsage::default());
        (0..10).for_each(|n| store.write(key(n), 1, &filling(n)));
        let secret = store.secret().expect("a secret");
        let size = folder.files().iter().filter_map(|f| f.metadata().ok()).map(|m| m.len()).sum();
        let usage = StoreUsage { entries: 10, bytes: size };
        assert_eq!(store.usage(), usage);
        assert_eq!(store.clear().expect("cleared"), usage);
        assert_eq!(store.usage(), StoreUsage::default());
        assert_eq!(store.secret(), Some(secret));
        assert_eq!(Store::disabled().clear().expect("nothing"), StoreUsage::default());
    }

    #[test]
    fn the_secret_stays() {
        let folder = Folder::new("secret");
        let secrets: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| folder.store().secret())).collect();
            threads.into_iter().map(|t| t.join().expect("no panic")).collect()
        });
        let first = secrets[0].expect("a secret");
        assert!(secrets.iter().all(|s| *s == Some(first)) && first != [0; 32]);
        folder.store().trim(0);
        assert_eq!(folder.store().secret(), Some(first));
        std::fs::write(folder.0.join(SECRET), b"short").expect("write");
        let second = folder.store().secret().expect("a secret");
        assert!(second != first && folder.store().secret() == Some(second));
        assert!(folder.files().is_empty(), "nothing is left of making it");
        assert_eq!(Store::disabled().secret(), None);
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
        // Reading an entry refreshes it.
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
        // An entry as large as the limit is not kept.
        store.write(key(100), 1, &[0; 4 << 10]);
        assert!(store.read(key(100), 1, whole).is_none());
    }

    #[test]
    fn the_folder_is_not_examined_for_every_few_bytes() {
        let folder = Folder::new("seldom");
        let store = Store { limit: 64 << 10, ..folder.store() };
        let due: Vec<u64> = (0..).filter(|n| key(*n).as_bytes()[31].is_multiple_of(16)).take(3).collect();
        store.write(key(due[0]), 1, &[0; 10]);
        // Another process exceeds the limit.
        let shard = store.path(key(due[0])).and_then(|p| p.parent().map(Path::to_path_buf)).expect("shard");
        std::fs::write(shard.join("other"), [0; 70 << 10]).expect("write");
        store.write(key(due[1]), 1, &[0; 10]);
        assert!(shard.join("other").exists());
        store.write(key(due[2]), 1, &[0; 2 << 10]);
        assert!(!shard.join("other").exists());
    }

    /// Not a test of its own: the child process of the next test.
    #[test]
    #[ignore = "writes until it is killed"]
    fn endless_writer() {
        let Some(folder) = std::env::var_os("PYROCLAST_STORE_TEST") else { return };
        let store = Store { limit: 1 << 20, ..Store::at(folder.into()) };
        for n in (0..).map(|n: u64| n % 200) {
            store.write(key(n), 1, &filling(n));
        }
    }

    /// Processes write and trim the same entries and are killed at any moment; readers only see whole
    /// entries.
    #[test]
    fn killed_and_concurrent_writers() {
        let folder = Folder::new("kill");
        let store = folder.store();
        let program = std::env::current_exe().expect("own path");
        let mut seen = 0u64;
        for round in 0..12u64 {
            let mut writers: Vec<_> = (0..2)
                .map(|_| {
                    let mut command = Command::new(&program);
                    command
                        .args(["--exact", "store::tests::endless_writer", "--ignored"])
                        .env("PYROCLAST_STORE_TEST", &folder.0);
                    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a writer")
                })
                .collect();
            let begin = std::time::Instant::now();
            let enough = |seen: u64| seen > 100 * (round + 1) || begin.elapsed() > Duration::from_secs(300);
            while begin.elapsed() < Duration::from_millis(60 + round * 7) || !enough(seen) {
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
        assert!(seen > 1200, "{seen} entries read");
        // No entry was damaged: all that are there can be read.
        for n in 0..200 {
            let exists = store.path(key(n)).is_some_and(|p| p.exists());
            assert_eq!(store.read(key(n), 1, whole).is_some(), exists, "entry {n}");
        }
    }
}
