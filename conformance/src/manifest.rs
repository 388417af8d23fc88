//! A corpus: a folder with a MANIFEST.tsv, one compilation a line (path, -cl-std, further options, note).
//! Selection and scheduling are the same for every command that processes a corpus; each entry has its own
//! scratch folder.

use progress_line::Progress;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const MANIFEST: &str = "MANIFEST.tsv";

/// Arguments of the commands that process a corpus.
#[derive(clap::Args, Default)]
pub struct Selection {
    /// Folder with MANIFEST.tsv
    dir: PathBuf,
    /// Only entries whose path contains this
    #[arg(long, default_value = "")]
    filter: String,
    /// Entries at a time
    #[arg(long, default_value_t = 2)]
    pub jobs: usize,
    /// Seconds for one entry (on one platform)
    #[arg(long, default_value_t = 120)]
    pub limit: u64,
    /// Fail unless at least this many entries are good
    #[arg(long, default_value_t = 0)]
    pub require: usize,
    /// Print only what is not good
    #[arg(short, long)]
    pub quiet: bool,
}

/// A line of a manifest.
pub struct CorpusEntry {
    /// Path of the source, relative to the folder.
    pub path: String,
    pub options: String,
}

/// The chosen entries, at least one.
pub struct Corpus {
    pub dir: PathBuf,
    pub entries: Vec<CorpusEntry>,
    /// Time limit of one entry.
    pub limit: Duration,
    jobs: usize,
    progress: Progress,
}

impl Selection {
    /// Reads the manifest.
    pub fn read(&self) -> Result<Corpus, String> {
        let dir = self.folder()?;
        let path = dir.join(MANIFEST);
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let entries = parse(&text, &dir);
        self.choose(dir, entries)
    }

    /// Reads the manifest, or, without one, lists the sources below the folder. `options` are those of
    /// sources that do not name their own.
    pub fn read_or_walk(&self, options: &str) -> Result<Corpus, String> {
        let dir = self.folder()?;
        if dir.join(MANIFEST).is_file() {
            return self.read();
        }
        let mut entries = Vec::new();
        walk(&dir, &dir, options, &mut entries)?;
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        self.choose(dir, entries)
    }

    fn folder(&self) -> Result<PathBuf, String> {
        self.dir.canonicalize().map_err(|e| format!("{}: {e}", self.dir.display()))
    }

    fn choose(&self, dir: PathBuf, mut entries: Vec<CorpusEntry>) -> Result<Corpus, String> {
        entries.retain(|e| e.path.contains(&self.filter));
        if entries.is_empty() {
            return Err("no entry matches".into());
        }
        Ok(Corpus::new(dir, entries, Duration::from_secs(self.limit), self.jobs.clamp(1, 64)))
    }
}

/// Adds the sources below `folder`, with paths relative to `dir`. Each can include files beside it.
fn walk(folder: &Path, dir: &Path, options: &str, entries: &mut Vec<CorpusEntry>) -> Result<(), String> {
    let listed = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for path in listed.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            walk(&path, dir, options, entries)?;
        } else if path.extension().is_some_and(|e| e == "cl") {
            let text = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let text = String::from_utf8_lossy(&text);
            let beside = folder.to_string_lossy().replace(' ', "\\ ");
            let own = options_in(&text).unwrap_or(options);
            let relative = path.strip_prefix(dir).unwrap_or(&path).to_string_lossy().into_owned();
            entries.push(CorpusEntry { path: relative, options: format!("{own} -I{beside}").trim().into() });
        }
    }
    Ok(())
}

/// Build options in the comment at the top of a source: a line `//! options: ...` or `// options: ...`.
fn options_in(text: &str) -> Option<&str> {
    let mut comment = text.lines().map_while(|line| line.strip_prefix("//"));
    comment.find_map(|line| line.trim_start_matches('!').trim().strip_prefix("options:")).map(str::trim)
}

fn parse(text: &str, dir: &Path) -> Vec<CorpusEntry> {
    let mut entries = Vec::new();
    for line in text.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty()) {
        let mut fields = line.split('\t');
        let path = fields.next().unwrap_or_default().to_owned();
        let standard = fields.next().unwrap_or_default();
        // Folder names may have spaces.
        let rest =
            fields.next().unwrap_or_default().replace("{CORPUS}", &dir.to_string_lossy().replace(' ', "\\ "));
        let standard = if standard.is_empty() { String::new() } else { format!("-cl-std={standard} ") };
        entries.push(CorpusEntry { path, options: format!("{standard}{rest}") });
    }
    entries
}

impl Corpus {
    fn new(dir: PathBuf, entries: Vec<CorpusEntry>, limit: Duration, jobs: usize) -> Corpus {
        let items = entries.iter().map(|entry| (entry.path.clone(), None));
        let progress = Progress::new(false, "files", jobs, items);
        Corpus { dir, entries, limit, jobs, progress }
    }

    /// Prints a line of output.
    pub fn print(&self, line: &str) {
        self.progress.clear();
        println!("{line}");
    }

    /// Calls `f` with every entry's index, the entry and a work folder, which may not exist yet and is
    /// removed afterwards. Several entries are processed at a time.
    pub fn each(&self, scratch: &Path, f: impl Fn(usize, &CorpusEntry, &Path) + Sync) {
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..self.jobs {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(entry) = self.entries.get(index) else { break };
                        let folder = scratch.join(index.to_string());
                        let start = Instant::now();
                        f(index, entry, &folder);
                        self.progress.done(&entry.path, start.elapsed().as_secs_f64(), false);
                        let _ = std::fs::remove_dir_all(&folder);
                    }
                });
            }
        });
        self.progress.clear();
        let _ = std::fs::remove_dir_all(scratch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn lines_become_entries() {
        let text = "# comment\n\na/b.cl\tCL2.0\t-I{CORPUS}/a -DX\tnote\nc.cl\t\t\t\n";
        let entries = parse(text, Path::new("/x y"));
        let read: Vec<(&str, &str)> = entries.iter().map(|e| (e.path.as_str(), e.options.as_str())).collect();
        assert_eq!(read, [("a/b.cl", "-cl-std=CL2.0 -I/x\\ y/a -DX"), ("c.cl", "")]);
    }

    #[test]
    fn sources_name_their_options() {
        assert_eq!(options_in("//! kernel: k\n//! options: -DX=1 -w\nkernel"), Some("-DX=1 -w"));
        assert_eq!(options_in("// options: -cl-std=CL2.0"), Some("-cl-std=CL2.0"));
        assert_eq!(options_in("kernel\n// options: -DX"), None);
    }

    #[test]
    fn folders_without_a_manifest_are_walked() {
        let dir = std::env::temp_dir().join(format!("pyroclast-walk-{}", std::process::id()));
        std::fs::create_dir_all(dir.join("in ner")).unwrap();
        std::fs::write(dir.join("in ner/a.cl"), "// options: -DA\n").unwrap();
        std::fs::write(dir.join("b.cl"), "").unwrap();
        std::fs::write(dir.join("c.h"), "").unwrap();
        let mut entries = Vec::new();
        let walked = walk(&dir, &dir, "-w", &mut entries);
        std::fs::remove_dir_all(&dir).unwrap();
        walked.unwrap();
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        let at = dir.to_string_lossy();
        let read: Vec<_> = entries.iter().map(|e| (e.path.as_str(), e.options.clone())).collect();
        assert_eq!(read, [("b.cl", format!("-w -I{at}")), ("in ner/a.cl", format!("-DA -I{at}/in\\ ner"))]);
    }

    #[test]
    fn every_entry_is_visited_once() {
        let entries = (0..20).map(|i| CorpusEntry { path: i.to_string(), options: String::new() }).collect();
        let corpus = Corpus::new(PathBuf::new(), entries, Duration::ZERO, 3);
        let seen = Mutex::new(Vec::new());
        corpus.each(Path::new("/nowhere"), |index, entry, folder| {
            assert!(folder.ends_with(&entry.path));
            seen.lock().unwrap().push(index);
        });
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        assert_eq!(seen, (0..20).collect::<Vec<_>>());
    }
}
