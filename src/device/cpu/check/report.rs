//! Reports of findings: text on stderr, lines of JSON in a file.
//!
//! A site (kind, kernel, lines) is reported on stderr once in a process, by the first launch that finds it;
//! the file has a line for each launch.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

/// Name of the memory at a null pointer.
pub const NULL: &str = "a null pointer";

/// Kind of a fault.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Fault {
    OutOfBounds { write: bool },
    Race { write: bool, other_write: bool },
    Uninitialised,
}

/// A finding of a launch, with the details of its first occurrence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    pub fault: Fault,
    pub line: u32,
    /// For races: line of the other access.
    pub other_line: u32,
    pub bytes: u64,
    pub global_id: [u64; 3],
    pub local_id: [u64; 3],
    pub group_id: [u64; 3],
    /// For races: global id of the other work-item, if known.
    pub other: Option<[u64; 3]>,
    /// The accessed memory: name, size, and the access's offset in it, which may be negative or past the end.
    pub memory: String,
    pub size: u64,
    pub offset: i64,
    /// Number of occurrences in this launch.
    pub count: u64,
}

/// Destination of reports, and the sites reported so far.
#[derive(Default)]
pub struct Reports {
    file: Option<PathBuf>,
    reported: HashSet<(Fault, String, u32, u32)>,
    /// Everything reported in this process, for tests.
    #[cfg(test)]
    pub all: Vec<Finding>,
}

impl Reports {
    /// Reports to stderr, and to `file` if there is one.
    pub fn new(file: Option<PathBuf>) -> Reports {
        Reports { file, ..Reports::default() }
    }

    /// Reports the findings of a launch.
    #[allow(clippy::print_stderr)] // the purpose of the setting
    pub fn report(&mut self, kernel: &str, findings: Vec<Finding>) {
        let mut lines = String::new();
        for f in &findings {
            let _ = writeln!(lines, "{}", f.json(kernel));
            if self.reported.insert((f.fault, kernel.to_owned(), f.line, f.other_line)) {
                let text = f.text(kernel);
                tracing::debug!("{text}");
                eprintln!("pyroclast check: {text}");
            }
        }
        if let Some(path) = self.file.as_ref().filter(|_| !lines.is_empty()) {
            let open = std::fs::OpenOptions::new().append(true).create(true).open(path);
            if let Err(e) = open.and_then(|mut file| file.write_all(lines.as_bytes())) {
                tracing::warn!("{}: {e}", path.display());
            }
        }
        #[cfg(test)]
        self.all.extend(findings);
    }
}

impl Fault {
    /// Name of the fault in reports.
    pub fn name(self) -> &'static str {
        match self {
            Fault::OutOfBounds { write: true } => "out-of-bounds write",
            Fault::OutOfBounds { write: false } => "out-of-bounds read",
            Fault::Race { write: true, other_write: true } => "race of two writes",
            Fault::Race { write: true, .. } => "race of a write with a read",
            Fault::Race { .. } => "race of a read with a write",
            Fault::Uninitialised => "read of uninitialised memory",
        }
    }
}

fn line_text(line: u32) -> String {
    if line == 0 { "an unknown line".into() } else { format!("line {line}") }
}

fn ids([x, y, z]: [u64; 3]) -> String {
    format!("({x}, {y}, {z})")
}

impl Finding {
    /// Location of the access in the memory, as text.
    fn location(&self) -> String {
        if self.memory.is_empty() {
            return format!("address {:#x}, which is not memory of this device", self.offset);
        }
        if self.memory == NULL {
            return format!("address {:#x}, through {NULL}", self.offset);
        }
        let (size, end) = (self.size as i64, self.offset.saturating_add(self.bytes as i64));
        let what = format!("{} ({} bytes)", self.memory, self.size);
        if self.offset < 0 {
            format!("{} bytes before {what}", -self.offset)
        } else if end > size {
            format!("{} bytes behind the end of {what}", end - size)
        } else {
            format!("offset {} of {what}", self.offset)
        }
    }

    fn text(&self, kernel: &str) -> String {
        let mut text = format!(
            "{} of {} bytes in kernel '{kernel}', {}: {}; work-item {}, in group {} {}",
            self.fault.name(),
            self.bytes,
            line_text(self.line),
            self.location(),
            ids(self.global_id),
            ids(self.group_id),
            ids(self.local_id)
        );
        if matches!(self.fault, Fault::Race { .. }) {
            let _ = write!(text, "; the other access is in {}", line_text(self.other_line));
            if let Some(other) = self.other {
                let _ = write!(text, ", by work-item {}", ids(other));
            }
        }
        if self.count > 1 {
            let _ = write!(text, " ({} times in this launch)", self.count);
        }
        text
    }

    fn json(&self, kernel: &str) -> String {
        let list = |v: [u64; 3]| format!("[{},{},{}]", v[0], v[1], v[2]);
        let mut out = format!(
            "{{\"kind\":\"{}\",\"kernel\":{},\"line\":{},\"count\":{},\"bytes\":{},\"global_id\":{},\"local_id\":{},\"group_id\":{},\
             \"memory\":{},\"size\":{},\"offset\":{}",
            self.fault.name(),
            quoted(kernel),
            self.line,
            self.count,
            self.bytes,
            list(self.global_id),
            list(self.local_id),
            list(self.group_id),
            quoted(&self.memory),
            self.size,
            self.offset
        );
        if matches!(self.fault, Fault::Race { .. }) {
            let _ = write!(out, ",\"other_line\":{}", self.other_line);
            if let Some(other) = self.other {
                let _ = write!(out, ",\"other_global_id\":{}", list(other));
            }
        }
        out + "}"
    }
}

/// A quoted JSON string.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out + "\""
}
