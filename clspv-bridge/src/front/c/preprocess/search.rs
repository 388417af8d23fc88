//! Search for included files: headers of the request, folders of `-I`, the file system.

use crate::options::{CompileRequest, Header};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum size of a file.
const MAX_FILE: u64 = 64 << 20;

/// Where a file that is read was found.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SearchPosition {
    /// The source itself, or the command line.
    Source,
    /// A header of the request.
    Header(usize),
    /// A file, with the number of the search folder in which it was found.
    File(PathBuf, Option<usize>),
}

/// Name in a directive.
pub struct Wanted<'n> {
    pub name: &'n str,
    pub is_angled: bool,
    /// Continues the search after the folder of the including file.
    pub is_next: bool,
}

/// A file that was found.
pub struct Found {
    pub name: Arc<str>,
    pub text: Arc<str>,
    pub position: SearchPosition,
}

/// Headers and folders of a request, with the files that were read.
pub struct Search<'s> {
    headers: &'s [Header],
    /// Number of each header, by its name in normal form.
    by_name: FxHashMap<String, usize>,
    folders: Vec<PathBuf>,
    texts: FxHashMap<PathBuf, Arc<str>>,
    header_texts: FxHashMap<usize, Arc<str>>,
    once: FxHashSet<SearchPosition>,
}

impl<'s> Search<'s> {
    pub fn new(request: &CompileRequest<'s>) -> Search<'s> {
        let folders = request.options.preprocessor.iter().filter_map(|p| p.strip_prefix("-I"));
        let names = request.headers.iter().enumerate().rev();
        Search {
            headers: request.headers,
            by_name: names.map(|(i, header)| (normal(&header.name), i)).collect(),
            folders: folders.map(PathBuf::from).collect(),
            texts: FxHashMap::default(),
            header_texts: FxHashMap::default(),
            once: FxHashSet::default(),
        }
    }

    /// Marks a file as one that is included once.
    pub fn set_once(&mut self, position: &SearchPosition) {
        self.once.insert(key(position));
    }

    /// Whether a file is not to be included again.
    pub fn is_once(&self, position: &SearchPosition) -> bool {
        !self.once.is_empty() && self.once.contains(&key(position))
    }

    /// Whether a file is found.
    pub fn exists(&self, wanted: &Wanted<'_>, from: &SearchPosition) -> bool {
        self.locate(wanted, from).is_some()
    }

    /// Finds and reads a file; names of files other than headers are added to `files`.
    pub fn find(
        &mut self,
        wanted: &Wanted<'_>,
        from: &SearchPosition,
        files: &mut Vec<PathBuf>,
    ) -> Option<Found> {
        let position = self.locate(wanted, from)?;
        let (name, text) = match &position {
            SearchPosition::Source => return None,
            SearchPosition::Header(index) => {
                let header = self.headers.get(*index)?;
                let text = self.header_texts.entry(*index).or_insert_with(|| header.text.as_str().into());
                (header.name.as_str().into(), Arc::clone(text))
            }
            SearchPosition::File(path, _) => {
                let text = match self.texts.get(path) {
                    Some(text) => Arc::clone(text),
                    None => {
                        let bytes = std::fs::read(path).ok()?;
                        let text: Arc<str> = match String::from_utf8(bytes) {
                            Ok(text) => text.into(),
                            Err(e) => String::from_utf8_lossy(e.as_bytes()).into(),
                        };
                        files.push(path.clone());
                        self.texts.insert(path.clone(), Arc::clone(&text));
                        text
                    }
                };
                (path.to_string_lossy().into(), text)
            }
        };
        Some(Found { name, text, position })
    }

    /// SearchPosition of a file that can be read.
    fn locate(&self, wanted: &Wanted<'_>, from: &SearchPosition) -> Option<SearchPosition> {
        let name = wanted.name;
        if Path::new(name).is_absolute() {
            return is_readable(Path::new(name)).then(|| SearchPosition::File(PathBuf::from(name), None));
        }
        let mut first = 0;
        if wanted.is_next {
            match from {
                SearchPosition::File(_, Some(index)) => first = index + 1,
                SearchPosition::Header(_) => {}
                _ => return self.in_headers(wanted, from).or_else(|| self.in_folders(name, 0)),
            }
        } else {
            if let Some(position) = self.in_headers(wanted, from) {
                return Some(position);
            }
            if !wanted.is_angled
                && let Some(position) = beside(name, from)
            {
                return Some(position);
            }
        }
        self.in_folders(name, first)
    }

    fn in_headers(&self, wanted: &Wanted<'_>, from: &SearchPosition) -> Option<SearchPosition> {
        if self.headers.is_empty() {
            return None;
        }
        let find = |name: &str| self.by_name.get(&normal(name)).map(|i| SearchPosition::Header(*i));
        if let (SearchPosition::Header(index), false) = (from, wanted.is_angled)
            && let Some((folder, _)) = self.headers.get(*index).and_then(|h| h.name.rsplit_once('/'))
            && let Some(position) = find(&format!("{folder}/{}", wanted.name))
        {
            return Some(position);
        }
        find(wanted.name)
    }

    fn in_folders(&self, name: &str, first: usize) -> Option<SearchPosition> {
        let folders = self.folders.iter().enumerate().skip(first);
        let mut paths = folders.map(|(i, folder)| (folder.join(name), Some(i)));
        paths.find(|(path, _)| is_readable(path)).map(|(path, index)| SearchPosition::File(path, index))
    }
}

/// File in the folder of the including file; that of the source is the current one.
fn beside(name: &str, from: &SearchPosition) -> Option<SearchPosition> {
    let (path, index) = match from {
        SearchPosition::Source => (Path::new(".").join(name), None),
        SearchPosition::Header(_) => return None,
        SearchPosition::File(file, index) => (file.parent()?.join(name), *index),
    };
    is_readable(&path).then_some(SearchPosition::File(path, index))
}

fn is_readable(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.len() <= MAX_FILE)
}

/// SearchPosition under which a file is known wherever it was found.
fn key(position: &SearchPosition) -> SearchPosition {
    match position {
        SearchPosition::File(path, _) => {
            SearchPosition::File(std::fs::canonicalize(path).unwrap_or_else(|_| path.clone()), None)
        }
        other => other.clone(),
    }
}

/// Name without `.` and `..`.
fn normal(name: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_normal_form() {
        assert_eq!(normal("./a//b/../c.h"), "a/c.h");
        assert_eq!(normal("../c.h"), "../c.h");
    }
}
