//! The disk cache of compilations: front-end results and executable programs, each under a content key.
//!
//! An entry is a file named by the hash of everything that determines it (source, headers, included files,
//! options, target, front-end tool, this build of the compiler). `store` manages the entries.

use super::codec::{self, Reader, Writer};
use super::includes::{self, Dependencies};
use crate::config::Config;
use crate::device::traits::LoadableCode;
pub use crate::store::Key;
use crate::store::{EntryContent, HEADER, Store};
use clspv_bridge::abi::CompiledProgram;
use clspv_bridge::native::flat_code::ALIGNMENT;
use clspv_bridge::options::{Extent, FrontConfig, Header, Kernels, Library, Options};
use clspv_bridge::{CompileError, Target};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

/// Number of targets whose hashes are kept.
const KEPT_TARGETS: usize = 8;

// Code that is aligned in an entry is aligned in the entry's file.
const _: () = assert!(HEADER.is_multiple_of(ALIGNMENT));

/// A cache in a folder, or a disabled one.
#[derive(Clone, Debug)]
pub struct Cache(Store);

impl Cache {
    /// The cache of the settings.
    pub(crate) fn from_config(config: &Config) -> Cache {
        Cache(Store::from_config(config))
    }

    /// A cache in this folder.
    pub fn at(folder: PathBuf) -> Cache {
        Cache(Store::at(folder))
    }

    /// A cache that holds nothing.
    #[cfg(test)]
    fn disabled() -> Cache {
        Cache(Store::disabled())
    }

    /// Reads the result of a front-end run.
    pub fn library(&self, key: Option<Key>) -> Option<Library> {
        self.0.read(key?, codec::VERSION, |content| decode(content, codec::get_library))
    }

    /// Stores the result of a front-end run.
    pub(crate) fn store_library(&self, key: Option<Key>, library: &Library) {
        if let Some(key) = key {
            let mut w = Writer::default();
            match codec::put_library(&mut w, library) {
                Ok(()) => self.0.write(key, codec::VERSION, &w.bytes),
                Err(error) => tracing::warn!("a compiled source is not cached: {error}"),
            }
        }
    }

    /// Reads an executable program.
    pub fn program(&self, key: Key) -> Option<LoadableCode> {
        self.0.read(key, codec::VERSION, |content| {
            let program = Arc::new(decode(content, codec::get_program)?);
            Some(LoadableCode { program, mapping: content.mapping.clone() })
        })
    }

    /// Stores an executable program.
    pub(crate) fn store_program(&self, key: Key, program: &CompiledProgram) {
        self.write(key, |w| codec::put_program(w, program));
    }

    /// The entries on disk.
    pub fn store(&self) -> &Store {
        &self.0
    }

    fn write(&self, key: Key, put: impl FnOnce(&mut Writer)) {
        let mut w = Writer::default();
        put(&mut w);
        self.0.write(key, codec::VERSION, &w.bytes);
    }
}

/// Decodes all of an entry.
fn decode<T>(content: &EntryContent, get: impl FnOnce(&mut Reader) -> Option<T>) -> Option<T> {
    let mut r = Reader::of_shared(&content.bytes);
    let value = get(&mut r)?;
    r.at_end().then_some(value)
}

/// Hashes length-prefixed bytes, so that neighbouring fields cannot be confused.
fn feed(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

/// The key of a front-end run, as far as it is known before the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LibraryKey {
    Known(Key),
    /// The key of a manifest: the set of files is only known after a run.
    Manifest(Key),
    /// The run has inputs that cannot be determined.
    None,
}

/// The key of a front-end run.
pub(crate) fn library_key(
    source: &str,
    headers: &[Header],
    options: &Options,
    config: &FrontConfig,
    extent: Extent,
) -> LibraryKey {
    let mut hasher = blake3::Hasher::new();
    let kind: &[u8] = match extent {
        Extent::Program => b"whole program",
        Extent::Part => b"library",
    };
    feed(&mut hasher, kind);
    feed(&mut hasher, compiler_identity().as_bytes());
    feed(&mut hasher, tool_identity(config).as_bytes());
    feed(&mut hasher, format!("{config:?}").as_bytes());
    feed(&mut hasher, format!("{options:?}").as_bytes());
    feed(&mut hasher, source.as_bytes());
    for header in headers {
        feed(&mut hasher, header.name.as_bytes());
        feed(&mut hasher, header.text.as_bytes());
    }
    let mut manifest = hasher.clone();
    match includes::hash_dependencies(source, headers, &options.preprocessor, &mut hasher) {
        Dependencies::Known => LibraryKey::Known(hasher.finalize()),
        Dependencies::Computed => {
            feed(&mut manifest, b"manifest");
            feed(&mut manifest, std::env::current_dir().unwrap_or_default().as_os_str().as_encoded_bytes());
            LibraryKey::Manifest(manifest.finalize())
        }
        Dependencies::Opaque => LibraryKey::None,
    }
}

/// The start of the keys of executable programs from the same libraries.
pub(crate) struct ProgramHasher(blake3::Hasher);

impl ProgramHasher {
    pub fn new(
        libraries: &[&Library],
        options: &Options,
        specs: &[(u32, Vec<u8>)],
    ) -> Result<ProgramHasher, CompileError> {
        let mut hasher = blake3::Hasher::new();
        feed(&mut hasher, b"program");
        feed(&mut hasher, compiler_identity().as_bytes());
        // Options that only the front end uses do not change the program.
        let options =
            Options { preprocessor: Vec::new(), warnings: Vec::new(), std: String::new(), ..options.clone() };
        feed(&mut hasher, format!("{options:?}").as_bytes());
        feed(&mut hasher, format!("{specs:?}").as_bytes());
        feed(&mut hasher, &(libraries.len() as u64).to_le_bytes());
        for library in libraries {
            let mut w = Writer::default();
            codec::put_library(&mut w, library)?;
            feed(&mut hasher, &w.bytes);
        }
        Ok(ProgramHasher(hasher))
    }

    /// The key of these kernels for a target.
    pub fn key(&self, kernels: &Kernels, target: &Target) -> Key {
        let mut hasher = self.0.clone();
        feed(&mut hasher, format!("{kernels:?}").as_bytes());
        feed(&mut hasher, target_identity(target).as_bytes());
        hasher.finalize()
    }
}

/// A hash of a target. Those of the last targets are kept: a kernel of the CPU device is looked up for
/// several, and writing a target as text takes as long as reading a small entry.
fn target_identity(target: &Target) -> blake3::Hash {
    static LAST: Mutex<VecDeque<(Target, blake3::Hash)>> = Mutex::new(VecDeque::new());
    let mut last = LAST.lock();
    if let Some((_, hash)) = last.iter().find(|(known, _)| known == target) {
        return *hash;
    }
    let hash = blake3::hash(format!("{target:?}").as_bytes());
    if last.len() == KEPT_TARGETS {
        last.pop_front();
    }
    last.push_back((target.clone(), hash));
    hash
}

/// Identifies this build of the compiler: version, and file, size and time of the library or program it is
/// linked into.
pub(crate) fn compiler_identity() -> &'static str {
    static IDENTITY: OnceLock<String> = OnceLock::new();
    IDENTITY.get_or_init(|| {
        let version = env!("CARGO_PKG_VERSION");
        let file = own_file().map(|p| file_identity(&p)).unwrap_or_default();
        format!("pyroclast {version} {file}")
    })
}

/// The file that this code was loaded from, looked up in the process's memory map.
fn own_file() -> Option<PathBuf> {
    let address = own_file as fn() -> Option<PathBuf> as usize;
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    for line in maps.lines() {
        let mut fields = line.split_ascii_whitespace();
        let (start, end) = fields.next()?.split_once('-')?;
        let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
        if (start..end).contains(&address) {
            return line.find('/').map(|at| PathBuf::from(&line[at..]));
        }
    }
    None
}

/// Path, size and modification time of a file.
fn file_identity(path: &Path) -> String {
    let Ok(data) = std::fs::metadata(path) else { return path.display().to_string() };
    let time =
        data.modified().ok().and_then(|t| t.duration_since(SystemTime::UNIX_EPOCH).ok()).unwrap_or_default();
    format!("{} {} {}", path.display(), data.len(), time.as_nanos())
}

/// Identifies the front-end tool: its file, resolved.
fn tool_identity(config: &FrontConfig) -> String {
    match clspv_bridge::front::clang::find(config) {
        Some(path) => file_identity(&path.canonicalize().unwrap_or(path)),
        None => config.clang.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::codec::tests::sample_program;
    use clspv_bridge::target::CodeGenerator;
    use std::time::Duration;

    fn temporary(name: &str) -> (Cache, PathBuf) {
        let folder = std::env::temp_dir().join(format!("pyroclast-cache-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        (Cache::at(folder.clone()), folder)
    }

    fn config() -> FrontConfig {
        FrontConfig { opencl_version: 310, ..FrontConfig::default() }
    }

    #[test]
    fn round_trip_and_damage() {
        let (cache, folder) = temporary("trip");
        let key = key_of(&Kernels::Every, &[], &Options::default(), &[], &Target::generic());
        assert!(cache.program(key).is_none());
        cache.store_program(key, &sample_program());
        assert_eq!(cache.program(key).map(|code| code.program), Some(Arc::new(sample_program())));
        let path = cache.0.path(key).expect("path");
        let mut bytes = std::fs::read(&path).expect("entry");
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        std::fs::write(&path, &bytes).expect("write");
        assert!(cache.program(key).is_none());
        assert!(!path.exists(), "a damaged entry is removed");
        std::fs::remove_dir_all(folder).expect("clean up");
    }

    fn key_of(
        kernels: &Kernels,
        libraries: &[&Library],
        options: &Options,
        specs: &[(u32, Vec<u8>)],
        target: &Target,
    ) -> Key {
        ProgramHasher::new(libraries, options, specs).expect("an encoding").key(kernels, target)
    }

    #[test]
    fn keys_depend_on_every_input() {
        let base = library_key("k", &[], &Options::default(), &config(), Extent::Part);
        assert!(matches!(base, LibraryKey::Known(_)));
        assert_eq!(base, library_key("k", &[], &Options::default(), &config(), Extent::Part));
        assert_ne!(base, library_key("l", &[], &Options::default(), &config(), Extent::Part));
        let options = Options { mad_enable: true, ..Options::default() };
        assert_ne!(base, library_key("k", &[], &options, &config(), Extent::Part));
        assert_ne!(
            base,
            library_key(
                "k",
                &[],
                &Options::default(),
                &FrontConfig { opencl_version: 300, ..config() },
                Extent::Part
            )
        );
        let more = FrontConfig { clang_args: vec!["-O3".into()], ..config() };
        assert_ne!(base, library_key("k", &[], &Options::default(), &more, Extent::Part));
        let header = Header { name: "h".into(), text: "t".into() };
        assert_ne!(base, library_key("k", &[header], &Options::default(), &config(), Extent::Part));

        let library = Library::from_spirv(vec![1]);
        let base = key_of(&Kernels::Every, &[&library], &Options::default(), &[], &Target::generic());
        assert_ne!(
            base,
            key_of(&Kernels::Every, &[&library, &library], &Options::default(), &[], &Target::generic())
        );
        assert_ne!(base, key_of(&Kernels::Every, &[&library], &options, &[], &Target::generic()));
        assert_ne!(
            base,
            key_of(&Kernels::Every, &[&library], &Options::default(), &[(1, vec![2])], &Target::generic())
        );
        assert_ne!(
            base,
            key_of(&Kernels::Possible, &[&library], &Options::default(), &[], &Target::generic())
        );
        let target = Target { int8: false, ..Target::generic() };
        assert_ne!(base, key_of(&Kernels::Every, &[&library], &Options::default(), &[], &target));
        let native = Target::native("any".into(), &|_| false);
        let [optimized, quick] = [native.clone(), native.with_generator(CodeGenerator::Cranelift)]
            .map(|target| key_of(&Kernels::Every, &[&library], &Options::default(), &[], &target));
        assert_ne!(optimized, quick);
    }

    #[test]
    fn trimming_keeps_the_newest() {
        let (cache, folder) = temporary("trim");
        let keys: Vec<Key> = (0u8..8).map(|i| blake3::hash(&[i])).collect();
        for (age, key) in keys.iter().enumerate() {
            cache.store_program(*key, &sample_program());
            let file =
                std::fs::File::options().write(true).open(cache.0.path(*key).expect("path")).expect("open");
            file.set_modified(SystemTime::now() - Duration::from_secs(1000 * age as u64)).expect("time");
        }
        let size = std::fs::metadata(cache.0.path(keys[0]).expect("path")).expect("entry").len();
        cache.0.trim(size * 4);
        assert!(cache.program(keys[0]).is_some());
        assert!(cache.program(keys[7]).is_none());
        std::fs::remove_dir_all(folder).expect("clean up");
    }

    #[test]
    fn a_disabled_cache_misses() {
        let key = blake3::hash(b"x");
        Cache::disabled().store_program(key, &sample_program());
        assert!(Cache::disabled().program(key).is_none());
    }

    #[test]
    fn identity_names_the_test_program() {
        let name = std::env::current_exe().expect("own path");
        assert!(compiler_identity().contains(&*name.file_name().expect("name").to_string_lossy()));
    }
}
