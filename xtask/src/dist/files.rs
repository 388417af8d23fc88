//! Sets of files in memory, and the archives made of them: sorted, owned by root, all of one time.

use lzma_rust2::{CheckType, XzOptions, XzWriter};
use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A file or a symbolic link.
#[derive(Clone)]
pub enum Entry {
    File { bytes: Vec<u8>, executable: bool },
    Link(String),
}

impl Entry {
    /// The content of a file; empty for links.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Entry::File { bytes, .. } => bytes,
            Entry::Link(_) => &[],
        }
    }
    /// Size in bytes.
    pub fn len(&self) -> usize {
        self.bytes().len()
    }
}

/// Files by their paths, without a leading slash.
#[derive(Clone, Default)]
pub struct FileSet(BTreeMap<String, Entry>);

impl FileSet {
    /// Adds a file with mode 0644.
    pub fn add(&mut self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.0.insert(path.to_string(), Entry::File { bytes: bytes.into(), executable: false });
    }
    /// Adds a file with mode 0755.
    pub fn add_program(&mut self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.0.insert(path.to_string(), Entry::File { bytes: bytes.into(), executable: true });
    }
    /// Adds a symbolic link.
    pub fn add_link(&mut self, path: &str, target: &str) {
        self.0.insert(path.to_string(), Entry::Link(target.to_string()));
    }
    /// Adds all files of another set.
    pub fn extend(&mut self, other: FileSet) {
        self.0.extend(other.0);
    }
    /// Adds all files of another set below a folder.
    pub fn extend_below(&mut self, folder: &str, other: &FileSet) {
        self.0.extend(other.0.iter().map(|(path, entry)| (format!("{folder}/{path}"), entry.clone())));
    }
    /// Files in the order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Entry)> {
        self.0.iter()
    }

    /// The files below a folder of the disk.
    pub fn read(folder: &Path) -> Result<FileSet, String> {
        let mut files = FileSet::default();
        let mut folders = vec![folder.to_path_buf()];
        while let Some(at) = folders.pop() {
            let explain = |e: std::io::Error| format!("{}: {e}", at.display());
            for entry in std::fs::read_dir(&at).map_err(explain)? {
                let path = entry.map_err(explain)?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if let Ok(name) = path.strip_prefix(folder) {
                    files.add(&name.to_string_lossy(), std::fs::read(&path).map_err(explain)?);
                }
            }
        }
        Ok(files)
    }

    /// Writes the files below a folder.
    pub fn write_to(&self, folder: &Path) -> Result<(), String> {
        for (path, entry) in &self.0 {
            let path = folder.join(path);
            let explain = |e: std::io::Error| format!("{}: {e}", path.display());
            std::fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(explain)?;
            match entry {
                Entry::Link(target) => std::os::unix::fs::symlink(target, &path).map_err(explain)?,
                Entry::File { bytes, executable } => {
                    std::fs::write(&path, bytes).map_err(explain)?;
                    let mode = PermissionsExt::from_mode(if *executable { 0o755 } else { 0o644 });
                    std::fs::set_permissions(&path, mode).map_err(explain)?;
                }
            }
        }
        Ok(())
    }

    /// A tar archive, each path with `prefix` before it.
    pub fn tar(&self, prefix: &str, epoch: u64) -> Result<Vec<u8>, String> {
        let mut builder = tar::Builder::new(Vec::new());
        let mut folders: Vec<String> = Vec::new();
        let append = |builder: &mut tar::Builder<Vec<u8>>, path: &str, entry: Option<&Entry>| {
            let mut header = tar::Header::new_gnu();
            header.set_mtime(epoch);
            header.set_uid(0);
            header.set_gid(0);
            header.set_size(entry.map_or(0, |e| e.len() as u64));
            header.set_mode(match entry {
                Some(Entry::File { executable: false, .. }) => 0o644,
                Some(Entry::Link(_)) => 0o777,
                _ => 0o755,
            });
            header.set_entry_type(match entry {
                None => tar::EntryType::Directory,
                Some(Entry::File { .. }) => tar::EntryType::Regular,
                Some(Entry::Link(_)) => tar::EntryType::Symlink,
            });
            let result = header.set_username("root").and_then(|()| header.set_groupname("root"));
            result.and_then(|()| match entry {
                Some(Entry::Link(target)) => builder.append_link(&mut header, path, target),
                Some(Entry::File { bytes, .. }) => builder.append_data(&mut header, path, &bytes[..]),
                None => builder.append_data(&mut header, path, std::io::empty()),
            })
        };
        for (path, entry) in &self.0 {
            let path = format!("{prefix}{path}");
            for (at, _) in path.match_indices('/') {
                let folder = format!("{}/", &path[..at]);
                if !folders.contains(&folder) {
                    append(&mut builder, &folder, None).map_err(|e| format!("{folder}: {e}"))?;
                    folders.push(folder);
                }
            }
            append(&mut builder, &path, Some(entry)).map_err(|e| format!("{path}: {e}"))?;
        }
        builder.into_inner().map_err(|e| format!("tar: {e}"))
    }
}

/// Compresses bytes in the xz format.
pub fn xz(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut options = XzOptions::with_preset(6);
    options.set_check_sum_type(CheckType::Crc64);
    let mut writer = XzWriter::new(Vec::new(), options).map_err(|e| format!("xz: {e}"))?;
    writer.write_all(bytes).and_then(|()| writer.finish()).map_err(|e| format!("xz: {e}"))
}

/// Compresses bytes in the gzip format, without a time.
pub fn gzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    writer.write_all(bytes).and_then(|()| writer.finish()).map_err(|e| format!("gzip: {e}"))
}
