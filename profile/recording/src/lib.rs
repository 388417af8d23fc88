//! The file format of recordings: records, and where they lie.
//!
//! A file belongs to one process. Its header takes [`CHUNK`] bytes (most of them a hole), followed by chunks
//! of that size. A chunk belongs to one thread, which maps it into memory and appends records. The number of
//! bytes in use is stored after a record is complete, so a file is valid whenever its process ends. All
//! numbers are little-endian.
//!
//! | header | | chunk | |
//! |---|---|---|---|
//! | 0 | [`MAGIC`] | 0 | [`CHUNK_MAGIC`] |
//! | 8 | u32 [`VERSION`] | 4 | u32 thread |
//! | 12 | u32 process | 8 | u32 bytes of records |
//! | 16 | u64 monotonic clock at the start | 12 | u32 name of the call in progress, or 0 |
//! | 24 | u64 nanoseconds since 1970 then | 16 | u64 start of that call |
//! | 32 | u32 [`FLAG_FULL`] | 24 | u64 time when the thread began the chunk |
//! | 36 | u32 length of the command line, its text | [`CHUNK_HEADER`] | records |
//!
//! A record is its kind (u8), its size with these three bytes (u16), and its fields. Of a number it has the
//! bytes without leading zeros, after their count: records are short, because each page of the file that a
//! program fills costs it a page fault. Times are nanoseconds of CLOCK_MONOTONIC. Names are numbers that a
//! [`Record::Name`] of any chunk defines; 0 stands for the absence of a name.

#![forbid(unsafe_code)]

/// First bytes of a file.
pub const MAGIC: [u8; 8] = *b"PYROPROF";
/// Version of the format.
pub const VERSION: u32 = 2;
/// Size of the header and of each chunk.
pub const CHUNK: usize = 64 << 10;
/// First bytes of a chunk.
pub const CHUNK_MAGIC: [u8; 4] = *b"CHNK";
/// Size of a chunk's header.
pub const CHUNK_HEADER: usize = 32;
/// Flag of the header: the file has reached its largest size, and later records are missing.
pub const FLAG_FULL: u32 = 1;
/// Largest size of a record.
pub const MAX_RECORD: usize = 8 << 10;
/// Longest text of a record in bytes; longer ones are cut.
pub const MAX_TEXT: usize = 1 << 10;
/// File extension of recordings.
pub const EXTENSION: &str = "pyroprof";

/// A value in a record.
trait Field<'a>: Sized {
    fn put(&self, out: &mut Vec<u8>);
    fn get(from: &mut &'a [u8]) -> Option<Self>;
}

fn take<'a>(from: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = from.split_at_checked(count)?;
    *from = rest;
    Some(taken)
}

impl<'a> Field<'a> for u64 {
    /// Without a branch: all bytes are written, and the zeros at the end dropped again.
    fn put(&self, out: &mut Vec<u8>) {
        let used = (u64::BITS - self.leading_zeros()).div_ceil(8);
        let mut bytes = [used as u8; 9];
        bytes[1..].copy_from_slice(&self.to_le_bytes());
        out.extend_from_slice(&bytes);
        out.truncate(out.len() - 8 + used as usize);
    }
    fn get(from: &mut &'a [u8]) -> Option<Self> {
        let count = usize::from(*take(from, 1)?.first()?);
        let mut bytes = [0; 8];
        bytes.get_mut(..count)?.copy_from_slice(take(from, count)?);
        Some(u64::from_le_bytes(bytes))
    }
}

macro_rules! number_fields {
    ($($ty:ty)*) => {$(
        impl<'a> Field<'a> for $ty {
            fn put(&self, out: &mut Vec<u8>) {
                u64::from(*self).put(out);
            }
            fn get(from: &mut &'a [u8]) -> Option<Self> {
                u64::get(from)?.try_into().ok()
            }
        }
    )*};
}

number_fields! { u8 u16 u32 }

impl<'a> Field<'a> for i32 {
    /// The sign is the lowest bit.
    fn put(&self, out: &mut Vec<u8>) {
        (((self << 1) ^ (self >> 31)) as u32).put(out);
    }
    fn get(from: &mut &'a [u8]) -> Option<Self> {
        let folded = u32::get(from)?;
        Some((folded >> 1) as i32 ^ -((folded & 1) as i32))
    }
}

impl<'a> Field<'a> for [u64; 3] {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|value| value.put(out));
    }
    fn get(from: &mut &'a [u8]) -> Option<Self> {
        Some([u64::get(from)?, u64::get(from)?, u64::get(from)?])
    }
}

impl<'a> Field<'a> for &'a [u8] {
    fn put(&self, out: &mut Vec<u8>) {
        self[..self.len().min(MAX_RECORD / 2)].put_counted(out);
    }
    fn get(from: &mut &'a [u8]) -> Option<Self> {
        let count = u32::get(from)?;
        take(from, count as usize)
    }
}

impl<'a> Field<'a> for &'a str {
    fn put(&self, out: &mut Vec<u8>) {
        let mut end = self.len().min(MAX_TEXT);
        while !self.is_char_boundary(end) {
            end -= 1;
        }
        self.as_bytes()[..end].put_counted(out);
    }
    fn get(from: &mut &'a [u8]) -> Option<Self> {
        std::str::from_utf8(<&[u8]>::get(from)?).ok()
    }
}

/// Bytes after their number.
trait PutCounted {
    fn put_counted(&self, out: &mut Vec<u8>);
}

impl PutCounted for [u8] {
    fn put_counted(&self, out: &mut Vec<u8>) {
        (self.len() as u32).put(out);
        out.extend_from_slice(self);
    }
}

macro_rules! records {
    ($($(#[$doc:meta])+ $kind:literal $name:ident { $($(#[$field_doc:meta])* $field:ident: $ty:ty,)* })*) => {
        /// One entry of a recording.
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub enum Record<'a> {
            $($(#[$doc])+ $name { $($(#[$field_doc])* $field: $ty,)* },)*
        }

        impl<'a> Record<'a> {
            /// Appends the record, with its kind and size.
            pub fn encode(&self, out: &mut Vec<u8>) {
                let start = out.len();
                match self {
                    $(Record::$name { $($field,)* } => {
                        out.extend_from_slice(&[$kind, 0, 0]);
                        $($field.put(out);)*
                    })*
                }
                let size = (out.len() - start) as u16;
                out[start + 1..start + 3].copy_from_slice(&size.to_le_bytes());
            }

            /// Reads a record of this kind; `None` if it is unknown or its fields do not fit.
            fn decode(kind: u8, mut from: &'a [u8]) -> Option<Record<'a>> {
                let from = &mut from;
                match kind {
                    $($kind => Some(Record::$name { $($field: Field::get(from)?,)* }),)*
                    _ => None,
                }
            }
        }
    };
}

records! {
    /// Defines a name.
    1 Name { id: u32, text: &'a str, }
    /// Name of the chunk's thread.
    2 Thread { name: &'a str, }
    /// A call of the API that has returned. `error` is its error code, or 0.
    3 Call { name: u32, error: i32, start: u64, end: u64, }
    /// Arguments of a call that has begun, as [`values`].
    4 Arguments { name: u32, start: u64, values: &'a [u8], }
    /// The result of a call, and the values behind its pointers to results, written before its `Call`.
    /// `word` is the result itself.
    5 Results { name: u32, start: u64, word: u64, values: &'a [u8], }
    /// A device.
    6 Device { id: u64, name: &'a str, kind: u32, units: u32, megahertz: u32, memory: u64, local: u64, }
    /// A command queue. `properties` are those of CL_QUEUE_PROPERTIES.
    7 Queue { id: u64, device: u64, properties: u64, time: u64, }
    /// An enqueued command. `label` is the kernel of a launch, `work` the number of its estimate, or 0;
    /// `commands` is the number of a command buffer's commands. `waits` are ids of commands, 8 bytes each.
    8 Command {
        id: u64,
        queue: u64,
        command_type: u32,
        label: u32,
        work: u32,
        bytes: u64,
        commands: u32,
        global: [u64; 3],
        local: [u64; 3],
        queued: u64,
        waits: &'a [u8],
    }
    /// The end of a command. Start and end are device times, to which `offset` is added for the host's; 0 if
    /// unknown. `reported` is the host's time when the runtime learned of it.
    9 Ended { id: u64, status: i32, submitted: u64, start: u64, end: u64, offset: u64, reported: u64, }
    /// A part of a build. `what` is one of [`stage`]; `cached` tells whether the disk cache had the result.
    11 Stage { what: u8, cached: u8, label: &'a str, start: u64, end: u64, }
    /// A memory object was created. `flags` are those of CL_MEM_FLAGS.
    12 Memory { id: u64, object_type: u32, flags: u64, size: u64, time: u64, }
    /// A memory object was destroyed.
    13 MemoryEnd { id: u64, time: u64, }
    /// Facts about a kernel on a device.
    14 Kernel {
        name: u32,
        device: u64,
        private: u64,
        local: u64,
        sub_group: u32,
        largest_group: u32,
        multiple: u32,
    }
    /// Work of one work-item, as the compiler estimates it for launches with this number. `unknown_loops` is
    /// the number of loops of unknown length; each counts as one iteration.
    15 Work { id: u32, float_ops: u64, int_ops: u64, loaded: u64, stored: u64, unknown_loops: u32, }
    /// A launch runs on the CPU device in place of its queue's device.
    16 Fallback { name: u32, time: u64, }
}

/// Parts of a build ([`Record::Stage`]).
pub mod stage {
    /// All of clBuildProgram, clCompileProgram or clLinkProgram.
    pub const BUILD: u8 = 1;
    /// Source to intermediate code.
    pub const FRONT_END: u8 = 2;
    /// Intermediate code to the device's.
    pub const BACK_END: u8 = 3;
    /// A pipeline made by the Vulkan driver.
    pub const PIPELINE: u8 = 4;
    /// Making a program launchable on its device.
    pub const LOAD: u8 = 5;

    /// Text for people.
    pub fn name(stage: u8) -> &'static str {
        match stage {
            BUILD => "build",
            FRONT_END => "front end",
            BACK_END => "code generation",
            PIPELINE => "Vulkan pipeline",
            LOAD => "load",
            _ => "compiler",
        }
    }
}

/// Captured values of a call: an encoding in [`Record::Arguments`] and [`Record::Results`].
pub mod values {
    use super::{Field, take};

    /// Captured memory is longer than its captured bytes.
    pub const CUT: u8 = 2;
    const CAPTURED: u8 = 1;

    /// The value of the parameter with this index.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct Value<'a> {
        pub index: u8,
        /// The value itself: a number, a handle or an address.
        pub word: u64,
        /// The bytes at the address.
        pub memory: Option<&'a [u8]>,
        /// Whether there is more memory than captured.
        pub cut: bool,
    }

    /// Appends a value.
    pub fn put(out: &mut Vec<u8>, value: &Value) {
        let flags = (u8::from(value.memory.is_some()) * CAPTURED) | (u8::from(value.cut) * CUT);
        out.extend_from_slice(&[value.index, flags]);
        value.word.put(out);
        if let Some(memory) = value.memory {
            memory.put(out);
        }
    }

    /// Reads all values, up to the first that is cut off.
    pub fn all(mut from: &[u8]) -> Vec<Value<'_>> {
        let mut values = Vec::new();
        while let Some(value) = get(&mut from) {
            values.push(value);
        }
        values
    }

    fn get<'a>(from: &mut &'a [u8]) -> Option<Value<'a>> {
        let &[index, flags] = take(from, 2)? else { return None };
        let word = u64::get(from)?;
        let memory = if flags & CAPTURED != 0 { Some(<&[u8]>::get(from)?) } else { None };
        Some(Value { index, word, memory, cut: flags & CUT != 0 })
    }
}

/// The header of a file.
pub fn file_header(process: u32, monotonic: u64, real: u64, command: &str) -> Vec<u8> {
    let text = &command.as_bytes()[..command.len().min(4000)];
    let mut out = MAGIC.to_vec();
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(&process.to_le_bytes());
    out.extend_from_slice(&monotonic.to_le_bytes());
    out.extend_from_slice(&real.to_le_bytes());
    out.extend_from_slice(&0u32.to_le_bytes());
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text);
    out
}

/// Offset of the flags in the header.
pub const FLAGS_OFFSET: u64 = 32;

/// Iterates over encoded records. Unknown kinds are skipped; the iteration ends where sizes make no sense.
pub struct Records<'a> {
    rest: &'a [u8],
    /// Number of records that could not be read.
    pub damaged: usize,
}

impl<'a> Records<'a> {
    /// The records in these bytes.
    pub fn new(bytes: &'a [u8]) -> Records<'a> {
        Records { rest: bytes, damaged: 0 }
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let head = take(&mut self.rest, 3);
            let body = head.and_then(|head| {
                let size = usize::from(u16::from_le_bytes([head[1], head[2]])).checked_sub(3)?;
                Some((head[0], take(&mut self.rest, size)?))
            });
            let Some((kind, body)) = body else {
                self.damaged += 1;
                self.rest = &[];
                return None;
            };
            match Record::decode(kind, body) {
                Some(record) => return Some(record),
                None => self.damaged += 1,
            }
        }
    }
}

/// A u32 of a header.
fn word(from: &mut &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(take(from, 4)?.try_into().ok()?))
}

/// A u64 of a header.
fn double(from: &mut &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(take(from, 8)?.try_into().ok()?))
}

/// Header fields of a file: process, monotonic clock, real time, flags, command line.
pub fn parse_header(bytes: &[u8]) -> Option<(u32, u64, u64, u32, String)> {
    let from = &mut &*bytes;
    let magic = take(from, 8)?;
    if magic != MAGIC || word(from)? != VERSION {
        return None;
    }
    let (process, monotonic, real, flags) = (word(from)?, double(from)?, double(from)?, word(from)?);
    let count = word(from)? as usize;
    let text = String::from_utf8_lossy(from.get(..count.min(from.len()))?).into_owned();
    Some((process, monotonic, real, flags, text))
}

/// Header of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChunkHeader {
    pub thread: u32,
    /// Bytes of records.
    pub used: u32,
    /// Name and start of the call in progress; name 0 for none.
    pub open: (u32, u64),
    /// When the thread began the chunk: the order of its chunks, which may differ from that in the file.
    pub begun: u64,
}

/// Reads the header of a chunk that a thread has begun.
pub fn parse_chunk_header(bytes: &[u8]) -> Option<ChunkHeader> {
    let from = &mut &*bytes;
    (take(from, 4)? == CHUNK_MAGIC).then_some(())?;
    let (thread, used) = (word(from)?, word(from)?);
    Some(ChunkHeader { thread, used, open: (word(from)?, double(from)?), begun: double(from)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_survive_the_trip() {
        let ids: Vec<u8> = [7u64, 8].iter().flat_map(|id| id.to_le_bytes()).collect();
        let records = [
            Record::Name { id: 1, text: "clFinish" },
            Record::Call { name: 1, error: -5, start: 10, end: 20 },
            Record::Command {
                id: 9,
                queue: 1,
                command_type: 0x11F0,
                label: 2,
                work: 3,
                bytes: 4096,
                commands: 0,
                global: [64, 1, 1],
                local: [8, 1, 1],
                queued: 5,
                waits: &ids,
            },
            Record::Stage { what: stage::FRONT_END, cached: 1, label: "ä", start: 1, end: 2 },
        ];
        let mut bytes = Vec::new();
        records.iter().for_each(|record| record.encode(&mut bytes));
        let read: Vec<Record> = Records::new(&bytes).collect();
        assert_eq!(read, records);
        // Every cut leaves the records before it.
        for cut in 0..bytes.len() {
            let mut rest = Records::new(&bytes[..cut]);
            let count = rest.by_ref().count();
            assert!(count < records.len() && records[..count] == read[..count]);
        }
    }

    #[test]
    fn numbers_take_the_bytes_that_they_need() {
        for error in [0, 1, -1, -1024, i32::MAX, i32::MIN] {
            for start in [0, 1, 255, 256, u64::MAX >> 8, u64::MAX] {
                let record = Record::Call { name: 7, error, start, end: start };
                let mut bytes = Vec::new();
                record.encode(&mut bytes);
                assert_eq!(Records::new(&bytes).collect::<Vec<_>>(), [record]);
            }
        }
        let mut bytes = Vec::new();
        Record::Call { name: 7, error: 0, start: 0x1234, end: 0x1_0000 }.encode(&mut bytes);
        assert_eq!(bytes, [3, 13, 0, 1, 7, 0, 2, 0x34, 0x12, 3, 0, 0, 1]);
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let text = "ä".repeat(MAX_TEXT);
        let mut bytes = Vec::new();
        Record::Thread { name: &text }.encode(&mut bytes);
        let read: Vec<Record> = Records::new(&bytes).collect();
        assert_eq!(read, [Record::Thread { name: &text[..MAX_TEXT] }]);
    }

    #[test]
    fn captured_values() {
        let mut bytes = Vec::new();
        let list = [
            values::Value { index: 0, word: 3, memory: None, cut: false },
            values::Value { index: 2, word: 0x1000, memory: Some(b"abc"), cut: true },
        ];
        list.iter().for_each(|value| values::put(&mut bytes, value));
        assert_eq!(values::all(&bytes), list);
        assert_eq!(values::all(&bytes[..bytes.len() - 1]), list[..1]);
    }
}
