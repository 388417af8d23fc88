//! Calls of the API: their times, and on request their arguments with the memory that these point to.
//!
//! Captured memory is read through /proc/self/mem, so that wrong pointers of the application are no danger.

use super::{Record, name, now, takes_arguments, writer};
use pyroclast_recording::values::{self, Value};
use pyroclast_recording::{MAX_RECORD, MAX_TEXT};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Most bytes captured of memory that is not text.
const MOST_BYTES: usize = 64;
/// Most bytes captured of all arguments of a call.
const MOST_OF_CALL: usize = MAX_RECORD / 4;

/// A function of the API.
pub struct ApiFunction {
    name: &'static str,
    /// "name: type" of each parameter, with commas between.
    parameters: &'static str,
    /// Sizes of the elements that parameters point to, or 0.
    elements: &'static [u16],
    /// Number of the name in the recording; 0 if it is not defined yet.
    id: AtomicU32,
}

impl ApiFunction {
    pub const fn new(name: &'static str, parameters: &'static str, elements: &'static [u16]) -> ApiFunction {
        ApiFunction { name, parameters, elements, id: AtomicU32::new(0) }
    }

    /// The name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    fn id(&self) -> u32 {
        match self.id.load(Ordering::Relaxed) {
            0 => {
                let id = name(self.name);
                self.id.store(id, Ordering::Relaxed);
                id
            }
            id => id,
        }
    }

    /// The parameters with their values.
    fn arguments(&self, words: &[u64]) -> Vec<Argument> {
        let described = split(self.parameters).into_iter().zip(self.elements);
        let argument = |((name, ty), size): ((&'static str, &str), &u16)| {
            let pointer = match size {
                0 => Pointer::None,
                1 if ty.ends_with("c_char") => Pointer::Text,
                size if ty.starts_with("*const") => Pointer::In(usize::from(*size)),
                size => Pointer::Out(usize::from(*size)),
            };
            (name, pointer)
        };
        let described = described.map(argument).zip(words);
        described.map(|((name, pointer), word)| Argument { name, word: *word, pointer }).collect()
    }
}

/// Names and types of parameters. Types of functions contain commas, too.
fn split(parameters: &'static str) -> Vec<(&'static str, &'static str)> {
    let (mut depth, mut start, mut list) = (0, 0, Vec::new());
    for (at, c) in parameters.char_indices().chain([(parameters.len(), ',')]) {
        match c {
            '(' | '<' => depth += 1,
            // Not the arrow of a function's type.
            ')' | '>' if !parameters[..at].ends_with('-') => depth -= 1,
            ',' if depth == 0 => {
                list.extend(parameters[start..at].split_once(':').map(|(name, ty)| (name.trim(), ty.trim())));
                start = at + 1;
            }
            _ => {}
        }
    }
    list
}

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
struct Argument {
    name: &'static str,
    /// The value as a number.
    word: u64,
    pointer: Pointer,
}

/// Kind of an argument's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pointer {
    /// No pointer, or one to an object of the driver.
    None,
    /// A zero-terminated string.
    Text,
    /// Elements of this size that the call reads.
    In(usize),
    /// Elements of this size that the call writes.
    Out(usize),
}

/// A call in progress.
pub struct OpenCall {
    function: &'static ApiFunction,
    name: u32,
    start: u64,
    before: (u32, u64),
}

/// Begins a call with these arguments.
#[cold]
pub fn begin(function: &'static ApiFunction, words: &[u64]) -> OpenCall {
    let name = function.id();
    let start = now();
    let before = writer::open_call(name, start);
    if takes_arguments() {
        let values = capture(&function.arguments(words), false);
        writer::put(&Record::Arguments { name, start, values: &values });
    }
    OpenCall { function, name, start, before }
}

impl OpenCall {
    /// Ends the call with an error code, or 0, and its result.
    #[cold]
    pub fn end(self, error: i32, word: u64, words: &[u64]) {
        let OpenCall { function, name, start, before } = self;
        let end = now();
        if takes_arguments() {
            let captured = || capture(&function.arguments(words), true);
            let values = if error == 0 { captured() } else { Vec::new() };
            writer::put(&Record::Results { name, start, word, values: &values });
        }
        writer::close_call(&Record::Call { name, error, start, end }, before);
    }
}

/// Encodes the arguments; of results (`out`) only those behind pointers.
fn capture(arguments: &[Argument], out: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (i, argument) in arguments.iter().enumerate() {
        let wanted = match argument.pointer {
            Pointer::None => None,
            Pointer::Text => (!out).then_some(MAX_TEXT / 4),
            Pointer::In(size) => (!out).then(|| size.saturating_mul(count(arguments, i, size))),
            Pointer::Out(size) => out.then(|| size.saturating_mul(count(arguments, i, size))),
        };
        if out && wanted.is_none() {
            continue;
        }
        let room = MOST_OF_CALL.saturating_sub(bytes.len());
        let most = if argument.pointer == Pointer::Text { MAX_TEXT / 4 } else { MOST_BYTES };
        let mut memory = wanted.filter(|size| *size > 0 && argument.word != 0).and_then(|size| {
            let taken = size.min(most).min(room);
            Some((read(argument.word, taken)?, taken < size))
        });
        if let Some((memory, cut)) = &mut memory {
            let end = match argument.pointer {
                Pointer::Text => memory.iter().position(|b| *b == 0),
                Pointer::In(size) if is_list(argument.name) => end_of_list(memory, size),
                Pointer::None | Pointer::In(_) | Pointer::Out(_) => None,
            };
            match end {
                Some(end) => {
                    memory.truncate(end);
                    *cut = false;
                }
                None => *cut |= argument.pointer == Pointer::Text,
            }
        }
        let cut = memory.as_ref().is_some_and(|(_, cut)| *cut);
        let memory = memory.as_ref().map(|(memory, _)| &**memory);
        values::put(&mut bytes, &Value { index: i as u8, word: argument.word, memory, cut });
    }
    bytes
}

/// Whether the parameter is a list that a zero ends.
fn is_list(name: &str) -> bool {
    name.ends_with("properties")
}

/// Bytes of a list of pairs before the zero that ends it.
fn end_of_list(memory: &[u8], size: usize) -> Option<usize> {
    let pairs = memory.chunks(2 * size.max(1));
    let ended = pairs.clone().position(|pair| pair.iter().take(size).all(|b| *b == 0))?;
    Some(ended * 2 * size)
}

/// Number of elements behind a pointer, by the conventions of the API's parameters.
fn count(arguments: &[Argument], index: usize, size: usize) -> usize {
    let name = arguments[index].name;
    let before = arguments[..index].iter().rev();
    let is_count = |a: &&Argument| a.name.starts_with("num_") || a.name == "count";
    let value = |a: &Argument| usize::try_from(a.word).unwrap_or(usize::MAX);
    match name {
        _ if is_list(name) => MOST_BYTES / size.max(1),
        // Sizes in all dimensions.
        _ if name.contains("_work_") => {
            arguments.iter().find(|a| a.name == "work_dim").map_or(1, |a| value(a).min(3))
        }
        _ if size == 8 && (name.ends_with("origin") || name.ends_with("region") || name == "region") => 3,
        // Bytes: the size is the parameter before, or the one after (`pattern, pattern_size`).
        _ if size == 1 => {
            let neighbour = |a: &&Argument| a.name.contains("size");
            let before = arguments[..index].last().filter(neighbour);
            before.or_else(|| arguments.get(index + 1).filter(neighbour)).map_or(0, value)
        }
        // Lists of results follow their length, other lists also with lists between.
        _ => {
            let mut between =
                if matches!(arguments[index].pointer, Pointer::Out(_)) { 0 } else { usize::MAX };
            let near = before.take_while(|a| {
                let is_near = is_count(a) || a.pointer != Pointer::None && between > 0;
                between = between.saturating_sub(1);
                is_near
            });
            near.into_iter().find(is_count).map_or(1, |a| value(a).max(1))
        }
    }
}

/// Reads memory of this process; `None` if none is there. May return less at the end of a mapping.
fn read(address: u64, size: usize) -> Option<Vec<u8>> {
    static MEMORY: OnceLock<Option<File>> = OnceLock::new();
    let memory = MEMORY.get_or_init(|| File::open("/proc/self/mem").ok()).as_ref()?;
    let mut bytes = vec![0; size];
    let taken = memory.read_at(&mut bytes, address).ok()?;
    bytes.truncate(taken);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument<T>(name: &'static str, at: &T, pointer: Pointer) -> Argument {
        Argument { name, word: std::ptr::from_ref(at) as u64, pointer }
    }

    fn number(name: &'static str, word: u64) -> Argument {
        Argument { name, word, pointer: Pointer::None }
    }

    #[test]
    fn memory_behind_arguments_is_captured() {
        let (sizes, list, text) = ([64u64, 2, 9], [0x1084u64, 7, 0, 5], c"kernel");
        let arguments = [
            number("work_dim", 2),
            argument("global_work_size", &sizes, Pointer::In(8)),
            argument("properties", &list, Pointer::In(8)),
            Argument { name: "name", word: text.as_ptr() as u64, pointer: Pointer::Text },
            Argument { name: "wrong", word: 8, pointer: Pointer::In(4) },
            argument("event", &sizes, Pointer::Out(8)),
        ];
        let bytes = capture(&arguments, false);
        let read = values::all(&bytes);
        let memory: Vec<Option<&[u8]>> = read.iter().map(|v| v.memory).collect();
        let raw = |words: &[u64]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
        let expected =
            [None, Some(raw(&sizes[..2])), Some(raw(&list[..2])), Some(b"kernel".to_vec()), None, None];
        assert_eq!(memory, expected.iter().map(Option::as_deref).collect::<Vec<_>>());
        let bytes = capture(&arguments, true);
        let read = values::all(&bytes);
        assert_eq!((read.len(), read[0].index, read[0].memory), (1, 5, Some(&*raw(&sizes[..1]))));
    }

    #[test]
    fn parameters_are_split() {
        static FUNCTION: ApiFunction = ApiFunction::new(
            "f",
            "context: cl_context, notify: Option<fn(*const c_char, usize) -> u32>, name: *const c_char, \
             sizes: *const usize, event: *mut cl_event",
            &[0, 0, 1, 8, 8],
        );
        let arguments = FUNCTION.arguments(&[1, 2, 3, 4, 5]);
        let names: Vec<&str> = arguments.iter().map(|a| a.name).collect();
        assert_eq!(names, ["context", "notify", "name", "sizes", "event"]);
        let pointers: Vec<Pointer> = arguments.iter().map(|a| a.pointer).collect();
        let expected = [Pointer::None, Pointer::None, Pointer::Text, Pointer::In(8), Pointer::Out(8)];
        assert_eq!(pointers, expected);
    }

    #[test]
    fn lists_have_their_length_before_them() {
        let events = [1u64, 2];
        let arguments = [
            number("num_devices", 1),
            argument("device_list", &events, Pointer::In(8)),
            number("num_events", 2),
            argument("events", &events, Pointer::In(8)),
            argument("event", &events, Pointer::Out(8)),
        ];
        assert_eq!([1, 3, 4].map(|i| count(&arguments, i, 8)), [1, 2, 1]);
        let bytes = [number("arg_size", 4), argument("arg_value", &events, Pointer::In(1))];
        assert_eq!(count(&bytes, 1, 1), 4);
    }
}
