//! Reads files of recordings: complete ones, and those that a program is still writing.
//!
//! Files may be cut or damaged in any way; what can be read is used. Memory stays in proportion to the file's
//! size.

use crate::format::{self, CHUNK, CHUNK_HEADER, ChunkHeader, FLAG_FULL, Record, Records};
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The recording of a process.
pub struct Recording {
    bytes: Vec<u8>,
    pub process: u32,
    /// Program and arguments.
    pub command: String,
    /// Monotonic clock at the start.
    pub start: u64,
    /// Nanoseconds since 1970 at the start.
    pub real_start: u64,
    /// The file reached its largest size: later records are missing.
    pub is_full: bool,
    names: HashMap<u32, String>,
    chunks: Vec<Chunk>,
    /// Number of chunks and records that could not be read.
    pub damaged: usize,
}

struct Chunk {
    thread: u32,
    begun: u64,
    /// Records in the file's bytes.
    from: usize,
    to: usize,
    open: Option<OpenCall>,
}

/// A call that has not returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenCall {
    pub thread: u32,
    pub name: u32,
    pub start: u64,
}

impl Recording {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Recording, String> {
        let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Recording::parse(bytes).ok_or_else(|| format!("{}: not a recording", path.display()))
    }

    /// Reads every recording of a folder, the earliest first.
    pub fn read_folder(folder: &Path) -> Result<Vec<Recording>, String> {
        let mut all = Vec::new();
        for path in files_of(folder).map_err(|e| format!("{}: {e}", folder.display()))? {
            all.push(Recording::read(&path)?);
        }
        all.sort_by_key(|r| r.start);
        Ok(all)
    }

    /// Reads the bytes of a file; `None` if they do not start as one.
    pub fn parse(bytes: Vec<u8>) -> Option<Recording> {
        let (process, start, real_start, flags, command) = format::parse_header(&bytes)?;
        let mut recording = Recording {
            process,
            command,
            start,
            real_start,
            is_full: flags & FLAG_FULL != 0,
            names: HashMap::new(),
            chunks: Vec::new(),
            damaged: 0,
            bytes: Vec::new(),
        };
        for (i, chunk) in bytes.chunks(CHUNK).enumerate().skip(1) {
            // A chunk that no thread has begun to use.
            if chunk.iter().take(CHUNK_HEADER).all(|b| *b == 0) {
                continue;
            }
            let Some(ChunkHeader { thread, used, open: (name, start), begun }) =
                format::parse_chunk_header(chunk)
            else {
                recording.damaged += 1;
                continue;
            };
            let to = CHUNK_HEADER.saturating_add(used as usize);
            if to > chunk.len() {
                recording.damaged += 1;
            }
            let (from, to) = (CHUNK_HEADER.min(chunk.len()), to.min(chunk.len()));
            let mut records = Records::new(&chunk[from..to]);
            for record in &mut records {
                if let Record::Name { id, text } = record {
                    recording.names.insert(id, text.to_owned());
                }
            }
            recording.damaged += records.damaged;
            let open = (name != 0).then_some(OpenCall { thread, name, start });
            recording.chunks.push(Chunk { thread, begun, from: i * CHUNK + from, to: i * CHUNK + to, open });
        }
        recording.chunks.sort_by_key(|chunk| chunk.begun);
        recording.bytes = bytes;
        Some(recording)
    }

    /// The text of a name.
    pub fn name(&self, id: u32) -> &str {
        self.names.get(&id).map_or("", String::as_str)
    }

    /// All records with their threads; those of a thread in order.
    pub fn records(&self) -> impl Iterator<Item = (u32, Record<'_>)> {
        self.chunks.iter().flat_map(|chunk| {
            Records::new(&self.bytes[chunk.from..chunk.to]).map(|record| (chunk.thread, record))
        })
    }

    /// Calls that had not returned when the process ended.
    pub fn open_calls(&self) -> Vec<OpenCall> {
        // Only the last chunk of a thread counts.
        let last: HashMap<u32, Option<OpenCall>> = self.chunks.iter().map(|c| (c.thread, c.open)).collect();
        let mut calls: Vec<OpenCall> = last.into_values().flatten().collect();
        calls.sort_by_key(|call| call.start);
        calls
    }
}

/// The recordings in a folder.
fn files_of(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = std::fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> =
        paths.filter(|p| p.extension().is_some_and(|e| e == format::EXTENSION)).collect();
    paths.sort();
    Ok(paths)
}

/// Reads the recordings of a folder while programs write them.
pub struct Follower {
    folder: PathBuf,
    files: HashMap<PathBuf, FollowedFile>,
}

struct FollowedFile {
    file: File,
    process: u32,
    names: HashMap<u32, String>,
    /// Bytes of records read from each chunk.
    done: Vec<usize>,
}

/// A record that a [`Follower`] found, as its bytes.
pub struct Found {
    pub process: u32,
    pub thread: u32,
    bytes: Vec<u8>,
}

impl Found {
    /// The record.
    pub fn record(&self) -> Option<Record<'_>> {
        Records::new(&self.bytes).next()
    }
}

impl Follower {
    /// Follows the folder's recordings.
    pub fn new(folder: &Path) -> Follower {
        Follower { folder: folder.to_owned(), files: HashMap::new() }
    }

    /// Reads what was recorded since the last call.
    pub fn poll(&mut self) -> Vec<Found> {
        for path in files_of(&self.folder).unwrap_or_default() {
            if !self.files.contains_key(&path)
                && let Some(file) = FollowedFile::open(&path)
            {
                self.files.insert(path, file);
            }
        }
        let mut found = Vec::new();
        self.files.values_mut().for_each(|file| file.poll(&mut found));
        found
    }

    /// The text of a name.
    pub fn name(&self, process: u32, id: u32) -> &str {
        let file = self.files.values().find(|f| f.process == process);
        file.and_then(|f| f.names.get(&id)).map_or("", String::as_str)
    }
}

impl FollowedFile {
    fn open(path: &Path) -> Option<FollowedFile> {
        let file = File::open(path).ok()?;
        let mut header = [0; 64];
        file.read_exact_at(&mut header, 0).ok()?;
        let (process, ..) = format::parse_header(&header)?;
        Some(FollowedFile { file, process, names: HashMap::new(), done: Vec::new() })
    }

    /// The header of a chunk that a thread has begun.
    fn header(&self, index: usize) -> Option<ChunkHeader> {
        let mut header = [0; CHUNK_HEADER];
        self.file.read_exact_at(&mut header, ((index + 1) * CHUNK) as u64).ok()?;
        format::parse_chunk_header(&header)
    }

    fn poll(&mut self, found: &mut Vec<Found>) {
        let chunks = self.file.metadata().map_or(0, |m| m.len() as usize / CHUNK).saturating_sub(1);
        self.done.resize(chunks.max(self.done.len()), 0);
        let mut headers: Vec<(usize, ChunkHeader)> =
            (0..self.done.len()).filter_map(|i| Some((i, self.header(i)?))).collect();
        headers.sort_by_key(|(_, header)| header.begun);
        for (i, ChunkHeader { thread, used, .. }) in headers {
            let done = &mut self.done[i];
            let at = ((i + 1) * CHUNK) as u64;
            let used = (used as usize).min(CHUNK - CHUNK_HEADER);
            let mut bytes = vec![0; used.saturating_sub(*done)];
            if bytes.is_empty()
                || self.file.read_exact_at(&mut bytes, at + (CHUNK_HEADER + *done) as u64).is_err()
            {
                continue;
            }
            *done = used;
            for record in Records::new(&bytes) {
                if let Record::Name { id, text } = record {
                    self.names.insert(id, text.to_owned());
                    continue;
                }
                let mut bytes = Vec::new();
                record.encode(&mut bytes);
                found.push(Found { process: self.process, thread, bytes });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;
    use crate::{chrome, page, summary};

    /// Thread, records, and the call in progress of a chunk.
    type TestChunk<'a> = (u32, &'a [Record<'a>], Option<(u32, u64)>);

    /// The bytes of a file with these chunks.
    fn file_of(chunks: &[TestChunk]) -> Vec<u8> {
        let mut bytes = format::file_header(42, 1_000, 2_000, "program -x");
        bytes.resize(CHUNK, 0);
        for (thread, records, open) in chunks {
            let mut body = Vec::new();
            records.iter().for_each(|r| r.encode(&mut body));
            let (name, start) = open.unwrap_or_default();
            let at = bytes.len();
            bytes.extend_from_slice(&format::CHUNK_MAGIC);
            bytes.extend_from_slice(&thread.to_le_bytes());
            bytes.extend_from_slice(&(body.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&name.to_le_bytes());
            bytes.extend_from_slice(&u64::to_le_bytes(start));
            bytes.resize(at + CHUNK_HEADER, 0);
            bytes.extend(body);
            bytes.resize(at + CHUNK, 0);
        }
        bytes
    }

    fn sample() -> Vec<u8> {
        file_of(&[
            (1, &[Record::Name { id: 5, text: "clFlush" }, Record::Thread { name: "main" }], None),
            (2, &[Record::Call { name: 5, error: 0, start: 10, end: 11 }], Some((5, 12))),
        ])
    }

    /// Makes every report.
    fn report(recording: Recording) {
        let session = Session::new(&[recording]);
        let _ = summary::text(&session);
        chrome::write(&session, &mut io::sink()).expect("written");
        page::write(&session, &mut io::sink()).expect("written");
    }

    /// A file with a record of each kind.
    fn every_kind() -> Vec<u8> {
        let (queue, device, id, name) = (1, 2, 3, 5);
        let records = [
            Record::Name { id: name, text: "step" },
            Record::Device { id: device, name: "d", kind: 2, units: 1, megahertz: 1, memory: 1, local: 1 },
            Record::Queue { id: queue, device, properties: 1, time: 1_010 },
            Record::Command {
                id,
                queue,
                command_type: 0x11F0,
                label: name,
                work: 6,
                bytes: 4,
                commands: 0,
                global: [64, 1, 1],
                local: [8, 1, 1],
                queued: 1_020,
                waits: &[9, 0, 0, 0, 0, 0, 0, 0],
            },
            Record::Ended {
                id,
                status: 0,
                submitted: 1_030,
                start: 1_040,
                end: 1_050,
                offset: 0,
                reported: 1_060,
            },
            Record::Call { name, error: -30, start: 1_015, end: 1_025 },
            Record::Stage { what: 1, cached: 0, label: "l", start: 1_000, end: 1_005 },
            Record::Memory { id: 8, object_type: 0x10F0, flags: 1, size: 64, time: 1_001 },
            Record::MemoryEnd { id: 8, time: 1_070 },
            Record::Kernel {
                name,
                device,
                private: 1,
                local: 2,
                sub_group: 16,
                largest_group: 64,
                multiple: 8,
            },
            Record::Work { id: 6, float_ops: 1, int_ops: 2, loaded: 4, stored: 4, unknown_loops: 1 },
            Record::Fallback { name, time: 1_044 },
        ];
        file_of(&[(1, &records, None)])
    }

    #[test]
    fn damaged_records_of_every_kind_are_reported() {
        let whole = every_kind();
        report(Recording::parse(whole.clone()).expect("a recording"));
        let used = format::parse_chunk_header(&whole[CHUNK..]).expect("a chunk").used as usize;
        let first = CHUNK + CHUNK_HEADER;
        for at in first..first + used - 1 {
            for value in [0xFF, 0, whole[at] ^ 0x80] {
                let mut bytes = whole.clone();
                bytes[at] = value;
                // Large numbers in any field.
                bytes[at + 1] = value;
                report(Recording::parse(bytes).expect("a recording"));
            }
        }
    }

    #[test]
    fn files_are_read() {
        let recording = Recording::parse(sample()).expect("a recording");
        assert_eq!((recording.process, &*recording.command), (42, "program -x"));
        assert_eq!(recording.records().count(), 3);
        assert_eq!(recording.name(5), "clFlush");
        assert_eq!(recording.open_calls(), [OpenCall { thread: 2, name: 5, start: 12 }]);
        assert_eq!(recording.damaged, 0);
    }

    #[test]
    fn chunks_of_a_thread_are_in_the_order_of_their_beginning() {
        let call = |start| [Record::Call { name: 5, error: 0, start, end: start }];
        let (late, early) = (call(20), call(10));
        let mut bytes = file_of(&[(1, &late, Some((5, 21))), (1, &early, None)]);
        for (chunk, begun) in [(1, 15u64), (2, 9)] {
            let at = chunk * CHUNK + 24;
            bytes[at..at + 8].copy_from_slice(&begun.to_le_bytes());
        }
        let recording = Recording::parse(bytes).expect("a recording");
        let records: Vec<Record> = recording.records().map(|(_, record)| record).collect();
        assert_eq!(records, [early[0], late[0]]);
        assert_eq!(recording.open_calls(), [OpenCall { thread: 1, name: 5, start: 21 }]);
    }

    #[test]
    fn cut_files_keep_what_comes_before() {
        let bytes = sample();
        for cut in (0..bytes.len()).step_by(7).chain([8, 40, 50, CHUNK, CHUNK + 1, CHUNK + CHUNK_HEADER + 3])
        {
            let part = Recording::parse(bytes[..cut].to_vec());
            assert_eq!(part.is_some(), cut >= 40, "{cut}");
            assert!(part.is_none_or(|r| r.records().count() <= 3));
        }
        let first = Recording::parse(bytes[..2 * CHUNK].to_vec()).expect("a recording");
        assert_eq!(first.records().count(), 2);
    }

    #[test]
    fn damage_is_counted_and_survived() {
        let whole = sample();
        // A generator of positions and bytes.
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize
        };
        for _ in 0..2_000 {
            let mut bytes = whole.clone();
            for _ in 0..1 + next() % 4 {
                let at = [0, CHUNK, 2 * CHUNK][next() % 3] + next() % 120;
                bytes[at] = next() as u8;
            }
            if let Some(recording) = Recording::parse(bytes) {
                report(recording);
            }
        }
        let mut bytes = whole;
        bytes[CHUNK] = 0;
        let recording = Recording::parse(bytes).expect("a recording");
        assert_eq!((recording.damaged, recording.records().count()), (1, 1));
    }

    #[test]
    fn growing_files_are_followed() {
        let folder = std::env::temp_dir().join(format!("pyroclast-follow-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("42.pyroprof");
        let mut follower = Follower::new(&folder);
        assert!(follower.poll().is_empty());
        std::fs::write(&path, &sample()[..2 * CHUNK]).expect("written");
        assert_eq!(follower.poll().len(), 1);
        std::fs::write(&path, sample()).expect("written");
        let found = follower.poll();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].record(), Some(Record::Call { name: 5, error: 0, start: 10, end: 11 }));
        assert_eq!(follower.name(42, 5), "clFlush");
        std::fs::remove_dir_all(folder).expect("clean up");
    }
}
