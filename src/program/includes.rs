//! Files that a translation unit reads, so that cached compilations never go stale.
//!
//! Follows `#include` through embedded headers and `-I` directories as the preprocessor would, but through
//! every conditional branch: the result is a superset of the files. If the set cannot be determined from the
//! text (`#include MACRO`), a run of the front end is required. Units that depend on more than file contents
//! (`__has_include`, the date macros) are not cacheable.

use clspv_bridge::options::Header;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Limit of files that are followed.
const MAX_FILES: usize = 4096;
/// Limit of a file's size.
const MAX_BYTES: u64 = 64 << 20;

/// How far the set of files that a unit reads is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dependencies {
    /// All files are known from the text.
    Known,
    /// The files are only known after a run of the preprocessor.
    Computed,
    /// The unit depends on more than file contents.
    Opaque,
}

/// Feeds every file that compiling `source` may read into `hasher`, as far as they are known.
pub fn hash_dependencies(
    source: &str,
    headers: &[Header],
    preprocessor: &[String],
    hasher: &mut blake3::Hasher,
) -> Dependencies {
    let dirs: Vec<PathBuf> =
        preprocessor.iter().filter_map(|p| p.strip_prefix("-I")).map(PathBuf::from).collect();
    // A macro body may contain the words that the scanner looks for.
    if preprocessor.iter().any(|p| has_opaque_word(p)) || headers.iter().any(|h| has_opaque_word(&h.text)) {
        return Dependencies::Opaque;
    }
    let Ok(cwd) = std::env::current_dir() else { return Dependencies::Opaque };
    if dirs.iter().any(|d| d.is_relative()) {
        hasher.update(cwd.as_os_str().as_encoded_bytes());
    }
    let mut walk = Walk { headers, dirs, cwd, seen: HashSet::new(), files: 0 };
    walk.unit(source, None, hasher)
}

struct Walk<'a> {
    headers: &'a [Header],
    dirs: Vec<PathBuf>,
    cwd: PathBuf,
    seen: HashSet<PathBuf>,
    files: usize,
}

impl Walk<'_> {
    fn unit(&mut self, text: &str, folder: Option<&Path>, hasher: &mut blake3::Hasher) -> Dependencies {
        // Worklist instead of recursion: include chains may be long.
        let mut pending: Vec<(String, Option<PathBuf>)> =
            vec![(text.to_owned(), folder.map(Path::to_path_buf))];
        let mut embedded: HashSet<usize> = HashSet::new();
        while let Some((text, folder)) = pending.pop() {
            if has_opaque_word(&text) {
                return Dependencies::Opaque;
            }
            let Some(includes) = scan(&text) else { return Dependencies::Computed };
            for (name, quoted) in includes {
                if let Some(i) = self.headers.iter().position(|h| h.name == name) {
                    if embedded.insert(i) {
                        pending.push((self.headers[i].text.clone(), None));
                    }
                    continue;
                }
                let mut folders: Vec<PathBuf> = Vec::new();
                if quoted {
                    folders.push(folder.clone().unwrap_or_else(|| self.cwd.clone()));
                }
                folders.extend(self.dirs.iter().cloned());
                for folder in folders {
                    let path = folder.join(&name);
                    // Absence is part of the key, too: a file that appears earlier in the search order wins.
                    hasher.update(path.as_os_str().as_encoded_bytes());
                    let content = match read(&path) {
                        Ok(content) => content,
                        Err(NotRegularFile) => return Dependencies::Opaque,
                    };
                    hasher.update(&[content.is_some() as u8]);
                    let Some(content) = content else { continue };
                    self.files += 1;
                    if self.files > MAX_FILES {
                        return Dependencies::Opaque;
                    }
                    hasher.update(blake3::hash(&content).as_bytes());
                    if self.seen.insert(path.clone()) {
                        let folder = path.parent().map(Path::to_path_buf);
                        pending.push((String::from_utf8_lossy(&content).into_owned(), folder));
                    }
                    break;
                }
            }
        }
        Dependencies::Known
    }
}

/// The path is not a plain file of a reasonable size.
struct NotRegularFile;

/// The content of a file; `None` if it does not exist. Programs may name any file of the system: pipes are
/// not waited for, devices and too large files are not read.
fn read(path: &Path) -> Result<Option<Vec<u8>>, NotRegularFile> {
    use std::io::Read;
    use std::os::unix::fs::OpenOptionsExt;
    let Ok(mut file) = std::fs::File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path) else {
        return Ok(None);
    };
    let data = file.metadata().map_err(|_| NotRegularFile)?;
    if data.is_dir() {
        return Ok(None);
    }
    if !data.is_file() || data.len() > MAX_BYTES {
        return Err(NotRegularFile);
    }
    let mut content = Vec::with_capacity(data.len() as usize + 1);
    match file.by_ref().take(MAX_BYTES).read_to_end(&mut content) {
        Ok(_) => Ok(Some(content)),
        Err(_) => Ok(None),
    }
}

/// Whether the text contains words whose meaning depends on more than file contents.
pub fn has_opaque_word(text: &str) -> bool {
    ["__has_include", "__has_embed", "__DATE__", "__TIME__", "__TIMESTAMP__", "??="]
        .iter()
        .any(|w| text.contains(w))
}

/// The `#include`s of a text in order: name, and whether it is in quotes. `None` if one of them is not a
/// plain name.
pub fn scan(text: &str) -> Option<Vec<(String, bool)>> {
    let mut out = Vec::new();
    // Most kernels include nothing: avoid the copy of their text.
    if !text.contains("include")
        && !text.contains("embed")
        && !text.contains("import")
        && !text.contains("\\\n")
        && !text.contains("\\\r")
    {
        return Some(out);
    }
    for line in strip_comments(&text.replace("\\\r\n", "").replace("\\\n", "")).lines() {
        let line = line.trim_start();
        let Some(rest) = line.strip_prefix('#').or_else(|| line.strip_prefix("%:")) else { continue };
        let rest = rest.trim_start();
        let word_end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let (word, operand) = rest.split_at(word_end);
        match word {
            "include" => {}
            "include_next" | "import" | "embed" => return None,
            _ => continue,
        }
        let operand = operand.trim();
        let close = match operand.chars().next() {
            Some('"') => '"',
            Some('<') => '>',
            _ => return None,
        };
        let name = operand[1..].split(close).next()?;
        out.push((name.to_owned(), close == '"'));
    }
    Some(out)
}

/// Replaces comments by a space; string and character literals are kept. Text outside comments is not
/// changed.
fn strip_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut literal: Option<char> = None;
    while let Some(c) = chars.next() {
        match (literal, c) {
            (Some(_), '\\') => {
                out.push(c);
                out.extend(chars.next());
                continue;
            }
            (Some(q), c) if c == q || c == '\n' => literal = None,
            (None, '"' | '\'') => literal = Some(c),
            (None, '/') if chars.peek() == Some(&'/') => {
                while chars.peek().is_some_and(|c| *c != '\n') {
                    chars.next();
                }
                continue;
            }
            (None, '/') if chars.peek() == Some(&'*') => {
                chars.next();
                let mut last = ' ';
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
                out.push(' ');
                continue;
            }
            _ => {}
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(source: &str, headers: &[Header], options: &[String]) -> Option<blake3::Hash> {
        let mut hasher = blake3::Hasher::new();
        (hash_dependencies(source, headers, options, &mut hasher) == Dependencies::Known)
            .then(|| hasher.finalize())
    }

    #[test]
    fn plain_includes_are_found() {
        let text = "// #include <no.h>\n/* #include \"no2.h\"\n */ # include <a.h> // c\n\
             %:include \"b c.h\"\n#inc\\\nlude <d.h>\n";
        let want = vec![("a.h".to_string(), false), ("b c.h".into(), true), ("d.h".into(), false)];
        assert_eq!(scan(text), Some(want));
    }

    #[test]
    fn what_cannot_be_known_is_refused() {
        use Dependencies::{Computed, Known, Opaque};
        for (text, expected) in [
            ("#include X", Computed),
            ("#include_next <a.h>", Computed),
            ("#if __has_include(<a>)\n#endif", Opaque),
            ("int t = __TIME__;", Opaque),
            ("??=include <a>", Opaque),
            ("#include <no_such_file.h>", Known),
        ] {
            assert_eq!(hash_dependencies(text, &[], &[], &mut blake3::Hasher::new()), expected, "{text}");
        }
        let header = Header { name: "h".into(), text: "#include X\n__DATE__".into() };
        assert_eq!(hash_dependencies("#include <h>", &[header], &[], &mut blake3::Hasher::new()), Opaque);
    }

    /// Programs may name anything: reads are bounded, and pipes are not waited for.
    #[test]
    fn devices_and_pipes_are_not_read() {
        let dir = std::env::temp_dir().join(format!("pyroclast-odd-includes-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("temporary directory");
        let pipe = dir.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
        for name in ["/dev/zero", &pipe.to_string_lossy()] {
            let source = format!("#include \"{name}\"\n");
            assert_eq!(
                hash_dependencies(&source, &[], &[], &mut blake3::Hasher::new()),
                Dependencies::Opaque,
                "{name}"
            );
        }
        // A folder cannot be included.
        assert!(key(&format!("#include \"{}\"\n", dir.display()), &[], &[]).is_some());
        std::fs::remove_dir_all(&dir).expect("clean up");
    }

    #[test]
    fn the_key_follows_the_files() {
        let dir = std::env::temp_dir().join(format!("pyroclast-includes-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("temporary directory");
        let options = [format!("-I{}", dir.display())];
        let source = "#include <outer.h>\n";
        let none = key(source, &[], &options).expect("cacheable");
        std::fs::write(dir.join("outer.h"), "#include \"inner.h\"\n").expect("write");
        let outer = key(source, &[], &options).expect("cacheable");
        std::fs::write(dir.join("inner.h"), "int x;").expect("write");
        let inner = key(source, &[], &options).expect("cacheable");
        std::fs::write(dir.join("inner.h"), "int y;").expect("write");
        let changed = key(source, &[], &options).expect("cacheable");
        assert!(none != outer && outer != inner && inner != changed);
        assert_eq!(key(source, &[], &options), Some(changed));
        // An embedded header of the same name hides the file.
        let headers = [Header { name: "outer.h".into(), text: String::new() }];
        let hidden = key(source, &headers, &options).expect("cacheable");
        std::fs::write(dir.join("inner.h"), "int z;").expect("write");
        assert_eq!(key(source, &headers, &options), Some(hidden));
        std::fs::remove_dir_all(&dir).expect("clean up");
    }

    #[test]
    fn cyclic_includes_end() {
        let headers = [
            Header { name: "a.h".into(), text: "#include <a.h>\n#include <b.h>".into() },
            Header { name: "b.h".into(), text: "#include \"a.h\"".into() },
        ];
        assert!(key("#include <a.h>", &headers, &[]).is_some());
    }
}
