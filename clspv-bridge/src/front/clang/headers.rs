//! The private folder of a compilation: headers of clCompileProgram, and the list of the files that were
//! read.

use super::watch::Watch;
use crate::error::{CompileError, Result};
use crate::options::Header;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Name, in the private folder, of the list of files that were read; no header can have it.
const DEPENDENCIES: &str = ".dependencies";

/// The files of a make rule: a target, a colon, and names in which blanks and some other characters are
/// escaped.
fn parse_dependencies(rule: &str) -> Vec<PathBuf> {
    let mut files = vec![String::new()];
    let mut chars = rule.split_once(": ").map_or("", |(_, files)| files).chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('\n')) => {
                chars.next();
                files.push(String::new());
            }
            ('\\', Some(' ' | '#')) | ('$', Some('$')) => {
                let last = files.len() - 1;
                files[last].extend(chars.next());
            }
            (' ' | '\n', _) => files.push(String::new()),
            (c, _) => {
                let last = files.len() - 1;
                files[last].push(c);
            }
        }
    }
    files.into_iter().filter(|f| !f.is_empty()).map(PathBuf::from).collect()
}

/// The headers of clCompileProgram in a private folder, removed when dropped or when this process ends.
pub struct HeaderFolder(Option<(PathBuf, Watch)>);

impl HeaderFolder {
    /// No folder, for a compilation without headers.
    pub fn absent() -> HeaderFolder {
        HeaderFolder(None)
    }

    /// Makes a folder if there are headers, or if `wanted` for other files.
    pub fn new(headers: &[Header], wanted: bool) -> Result<HeaderFolder> {
        if headers.is_empty() && !wanted {
            return Ok(HeaderFolder(None));
        }
        let failed =
            |e: std::io::Error| CompileError::ToolFailed(format!("cannot write the program's headers: {e}"));
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.subsec_nanos());
        let name =
            format!("pyroclast-{}-{}-{nanos}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let root = std::env::temp_dir().join(name);
        let watch = Watch::of_folder(&root);
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&root).map_err(failed)?;
        let folder = HeaderFolder(Some((root.clone(), watch)));
        for header in headers {
            let relative = Path::new(&header.name);
            let inside = relative.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
            if !inside || header.name.is_empty() || relative == Path::new(DEPENDENCIES) {
                return Err(CompileError::Diagnostics(format!(
                    "error: header name '{}' cannot be used\n",
                    header.name
                )));
            }
            let path = root.join(relative);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).map_err(failed)?;
            }
            std::fs::write(&path, &header.text).map_err(failed)?;
        }
        Ok(folder)
    }

    pub fn path(&self) -> Option<&Path> {
        self.0.as_ref().map(|(root, _)| root.as_path())
    }

    /// Path of the list of the files that clang reads.
    pub fn list(&self) -> Option<PathBuf> {
        self.path().map(|root| root.join(DEPENDENCIES))
    }

    /// The files that clang has read, except the headers; `None` if the list is not available.
    pub fn dependencies(&self) -> Option<Vec<PathBuf>> {
        let root = self.path()?;
        let files = parse_dependencies(&std::fs::read_to_string(self.list()?).ok()?);
        Some(files.into_iter().filter(|path| !path.starts_with(root)).collect())
    }
}

impl Drop for HeaderFolder {
    fn drop(&mut self) {
        if let Some((root, _)) = &self.0 {
            let _ = std::fs::remove_dir_all(root);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn make_rules_are_read() {
        let rule = "out: /usr/a.h \\\n  inc\\ d/b\\#.h $$c.h\n";
        assert_eq!(parse_dependencies(rule), ["/usr/a.h", "inc d/b#.h", "$c.h"].map(PathBuf::from));
    }
}
