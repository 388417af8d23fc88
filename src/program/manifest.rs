//! Cached front-end runs of sources with includes that cannot be determined from the text (`#include MACRO`):
//! after a run the list of files that clang read is stored with their hashes, and compared before later runs.
//!
//! The key of a manifest covers everything but the files. A manifest describes the files of the last run: one
//! that has changed, vanished, or appeared earlier in the search order makes it a miss. Sources that depend
//! on more than file contents are not cacheable (see [`includes`]).

use super::codec::{Reader, Writer};
use super::includes;
use crate::store::{Key, Store};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Version of the entries' format.
const VERSION: u32 = 1;
/// Limit of files that are compared.
const MAX_FILES: usize = 1024;
/// A file that changed this shortly before the run may change again within the resolution of its timestamp.
const SETTLED: Duration = Duration::from_millis(20);

/// Files that a front-end run read, and paths at which it found none.
#[derive(Debug, Default, PartialEq, Eq)]
struct Manifest {
    files: Vec<(PathBuf, [u8; 32])>,
    absent: Vec<PathBuf>,
}

/// The key of a front-end run whose manifest is stored under `base`, if its files are unchanged.
pub fn find(store: &Store, base: Key) -> Option<Key> {
    let manifest = store.read(base, VERSION, |content| Manifest::from_bytes(&content.bytes))?;
    let unchanged = |(path, hash): &(PathBuf, [u8; 32])| {
        std::fs::read(path).is_ok_and(|bytes| blake3::hash(&bytes).as_bytes() == hash)
    };
    let holds = manifest.files.iter().all(unchanged) && !manifest.absent.iter().any(|p| p.exists());
    holds.then(|| manifest.key(base))
}

/// Stores the manifest of a run that began at `begin` and read `files`. Returns the run's key; `None` if the
/// run has inputs that cannot be determined, or a file changed meanwhile.
pub fn keep(
    store: &Store,
    base: Key,
    files: &[PathBuf],
    preprocessor: &[String],
    begin: SystemTime,
) -> Option<Key> {
    if files.len() > MAX_FILES {
        return None;
    }
    let cwd = std::env::current_dir().ok()?;
    let folders: Vec<PathBuf> =
        preprocessor.iter().filter_map(|p| p.strip_prefix("-I")).map(|d| cwd.join(d)).collect();
    let mut manifest = Manifest::default();
    for file in files {
        let path = cwd.join(file);
        let changed = std::fs::metadata(&path).and_then(|m| m.modified()).ok()?;
        if changed + SETTLED > begin {
            return None;
        }
        let bytes = std::fs::read(&path).ok()?;
        if includes::has_opaque_word(&String::from_utf8_lossy(&bytes)) {
            return None;
        }
        // Paths at which a file of that name would have been found first.
        for (i, folder) in folders.iter().enumerate() {
            if let Ok(name) = path.strip_prefix(folder) {
                let earlier = folders[..i].iter().chain([&cwd]).map(|f| f.join(name));
                manifest.absent.extend(earlier.filter(|p| *p != path && !p.exists()));
            }
        }
        manifest.files.push((path, *blake3::hash(&bytes).as_bytes()));
    }
    manifest.absent.sort();
    manifest.absent.dedup();
    store.write(base, VERSION, &manifest.to_bytes());
    Some(manifest.key(base))
}

impl Manifest {
    fn key(&self, base: Key) -> Key {
        let mut hasher = blake3::Hasher::new();
        hasher.update(base.as_bytes());
        hasher.update(&self.to_bytes());
        hasher.finalize()
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::default();
        w.list(&self.files, |w, (path, hash)| {
            w.blob(path.as_os_str().as_encoded_bytes());
            w.bytes.extend_from_slice(hash);
        });
        w.list(&self.absent, |w, path| w.blob(path.as_os_str().as_encoded_bytes()));
        w.bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Manifest> {
        let path = |r: &mut Reader<'_>| -> Option<PathBuf> {
            use std::os::unix::ffi::OsStrExt;
            Some(Path::new(std::ffi::OsStr::from_bytes(r.blob()?)).to_path_buf())
        };
        let mut r = Reader::new(bytes);
        let files = r.list(|r| Some((path(r)?, r.take(32)?.try_into().ok()?)))?;
        let absent = r.list(path)?;
        r.at_end().then_some(Manifest { files, absent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn age(path: &Path) {
        let file = std::fs::File::options().write(true).open(path).expect("open");
        file.set_modified(SystemTime::now() - Duration::from_secs(100)).expect("time");
    }

    #[test]
    fn manifests_hold_while_nothing_changes() {
        let root = std::env::temp_dir().join(format!("pyroclast-manifest-{}", std::process::id()));
        let (first, second) = (root.join("first"), root.join("second"));
        for folder in [&first, &second] {
            std::fs::create_dir_all(folder).expect("folder");
        }
        let header = second.join("a.h");
        std::fs::write(&header, "int x;").expect("write");
        age(&header);
        let store = Store::at(root.join("cache"));
        let base = blake3::hash(b"base");
        let options = [format!("-I{}", first.display()), "-DX".into(), format!("-I{}", second.display())];
        let files = std::slice::from_ref(&header);
        assert_eq!(find(&store, base), None);
        let kept = keep(&store, base, files, &options, SystemTime::now());
        assert!(kept.is_some());
        assert_eq!(find(&store, base), kept);
        // Another file is found first.
        std::fs::write(first.join("a.h"), "int y;").expect("write");
        assert_eq!(find(&store, base), None);
        std::fs::remove_file(first.join("a.h")).expect("remove");
        assert_eq!(find(&store, base), kept);
        // The file has other contents; then it is deleted.
        std::fs::write(&header, "int z;").expect("write");
        assert_eq!(find(&store, base), None);
        // The file may have changed since the run.
        assert_eq!(keep(&store, base, files, &options, SystemTime::now()), None);
        age(&header);
        let changed = keep(&store, base, files, &options, SystemTime::now());
        assert!(changed.is_some() && changed != kept);
        std::fs::remove_file(&header).expect("remove");
        assert_eq!(find(&store, base), None);
        // Sources that depend on the clock are not stored.
        std::fs::write(&header, "char when[] = __TIME__;").expect("write");
        age(&header);
        assert_eq!(keep(&store, base, files, &options, SystemTime::now()), None);
        std::fs::remove_dir_all(root).expect("clean up");
    }

    #[test]
    fn damaged_manifests_are_none() {
        let manifest = Manifest { files: vec![("/a".into(), [7; 32])], absent: vec!["/b".into()] };
        let bytes = manifest.to_bytes();
        assert_eq!(Manifest::from_bytes(&bytes), Some(manifest));
        for n in 0..bytes.len() {
            assert_eq!(Manifest::from_bytes(&bytes[..n]), None);
        }
    }
}
