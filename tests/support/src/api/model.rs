//! Random commands on a buffer and its sub-buffers, with a model of the buffer's words on the host.
//!
//! Every command waits for the previous one. It changes the model as it changes the buffer; reads and
//! mappings compare both.

use super::devices::part;
use super::rig::*;
use super::*;
use std::ops::Range;

/// Number of words of the buffer.
pub const WORDS: usize = 1024;
/// Number of sub-buffers, which divide the buffer.
pub const PARTS: usize = 4;
const BYTES: usize = 4 * WORDS;

/// Words in whole pages, which devices may use in place.
#[repr(align(4096))]
pub struct Storage([u32; WORDS]);

/// Initial words of a buffer. They must outlive a buffer that uses them.
pub fn storage() -> Box<Storage> {
    Box::new(Storage(std::array::from_fn(|i| i as u32 * 7)))
}

/// A buffer, its sub-buffers and the words it must contain.
pub struct Model {
    pub mem: cl_mem,
    pub parts: Vec<cl_mem>,
    pub expected: Vec<u32>,
    /// Event of the last command.
    pub last: Option<cl_event>,
}

/// Operand of a command: the buffer or a sub-buffer, and some of its words.
#[derive(Clone, Copy)]
pub struct Operand {
    pub queue: cl_command_queue,
    pub object: cl_mem,
    /// First word of the object in the buffer.
    pub start: usize,
    /// Number of words of the object.
    pub count: usize,
    /// First of the selected words in the object.
    offset: usize,
    /// Number of selected words.
    some: usize,
}

impl Operand {
    /// Words of the object in the buffer.
    pub fn object_words(&self) -> Range<usize> {
        self.start..self.start + self.count
    }

    /// Selected words in the buffer.
    fn words(&self) -> Range<usize> {
        let first = self.start + self.offset;
        first..first + self.some
    }

    /// Offset and size of the selected words in the object, in bytes.
    fn bytes(&self) -> (usize, usize) {
        (4 * self.offset, 4 * self.some)
    }

    fn host_words(&self, round: u32) -> Vec<u32> {
        (0..self.some as u32).map(|i| i ^ round).collect()
    }
}

impl Model {
    /// A buffer of the storage's words. Flags without a host pointer make a command write them.
    pub fn new(
        context: cl_context,
        flags: cl_mem_flags,
        queue: cl_command_queue,
        storage: &mut Storage,
    ) -> Model {
        let (expected, mut code) = (storage.0.to_vec(), 1);
        let ptr = storage.0.as_mut_ptr().cast();
        let copied = flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR) != 0;
        let host = if copied { ptr } else { null_mut() };
        // SAFETY: the storage has the size, and the caller keeps it.
        let mem = unsafe { clCreateBuffer(context, flags, BYTES, host, &mut code) };
        ok(code);
        if !copied {
            // SAFETY: as above.
            ok(unsafe { clEnqueueWriteBuffer(queue, mem, 1, 0, BYTES, ptr, 0, null(), null_mut()) });
        }
        let parts = (0..PARTS).map(|i| part(mem, i * BYTES / PARTS, BYTES / PARTS)).collect();
        Model { mem, parts, expected, last: None }
    }

    /// A random queue, object and range of words.
    pub fn operand(&self, random: &mut Random, queues: &[cl_command_queue]) -> Operand {
        let queue = queues[random.below(queues.len())];
        let which = random.below(PARTS + 2);
        let (object, start, count) = match self.parts.get(which) {
            Some(part) => (*part, which * WORDS / PARTS, WORDS / PARTS),
            None => (self.mem, 0, WORDS),
        };
        let (offset, some) = (random.below(count / 2), 1 + random.below(count / 2));
        Operand { queue, object, start, count, offset, some }
    }

    /// Wait list of the next command.
    pub fn waits(&self) -> (cl_uint, *const cl_event) {
        (self.last.iter().len() as cl_uint, self.last.as_ref().map_or(null(), |e| &raw const *e))
    }

    /// Launches a kernel with a work-item for each word of the object.
    pub fn launch(&self, operand: &Operand, kernel: cl_kernel) -> cl_event {
        launch(operand.queue, kernel, operand.count, self.last.as_slice())
    }

    pub fn write(&mut self, operand: &Operand, round: u32) -> cl_event {
        let (words, (n, list), mut event) = (operand.host_words(round), self.waits(), null_mut());
        let (queue, object, data) = (operand.queue, operand.object, words.as_ptr().cast());
        let (offset, size) = operand.bytes();
        // SAFETY: live handles; a blocking command with memory of the size.
        ok(unsafe { clEnqueueWriteBuffer(queue, object, 1, offset, size, data, n, list, &mut event) });
        self.expected[operand.words()].copy_from_slice(&words);
        event
    }

    pub fn read(&self, operand: &Operand, round: u32) -> cl_event {
        let (mut words, (n, list), mut event) = (operand.host_words(round), self.waits(), null_mut());
        let (queue, object, data) = (operand.queue, operand.object, words.as_mut_ptr().cast());
        let (offset, size) = operand.bytes();
        // SAFETY: live handles; a blocking command with memory of the size.
        ok(unsafe { clEnqueueReadBuffer(queue, object, 1, offset, size, data, n, list, &mut event) });
        assert_eq!(words, self.expected[operand.words()], "round {round}");
        event
    }

    pub fn fill(&mut self, operand: &Operand, word: u32) -> cl_event {
        let ((n, list), (offset, size), mut event) = (self.waits(), operand.bytes(), null_mut());
        let (queue, object, pattern) = (operand.queue, operand.object, (&raw const word).cast());
        // SAFETY: live handles; a pattern of four bytes.
        ok(unsafe { clEnqueueFillBuffer(queue, object, pattern, 4, offset, size, n, list, &mut event) });
        self.expected[operand.words()].fill(word);
        event
    }

    /// Changes every selected word through a mapping, which a command of `unmapper` ends. The words are
    /// compared before if the flags request reading.
    pub fn map(
        &mut self,
        operand: &Operand,
        flags: cl_map_flags,
        unmapper: cl_command_queue,
        change: fn(u32) -> u32,
        round: u32,
    ) -> cl_event {
        let ((n, list), (offset, size)) = (self.waits(), operand.bytes());
        let (queue, object, none) = (operand.queue, operand.object, null_mut());
        let (mut event, mut code) = (null_mut(), 1);
        // SAFETY: live handles; the mapping has the words until it is unmapped.
        unsafe {
            let at = clEnqueueMapBuffer(queue, object, 1, flags, offset, size, n, list, none, &mut code);
            ok(code);
            let mapped = std::slice::from_raw_parts_mut(at.cast::<u32>(), operand.some);
            let words = &mut self.expected[operand.words()];
            if flags & CL_MAP_READ != 0 {
                assert_eq!(mapped, words, "round {round}");
            }
            words.iter_mut().for_each(|word| *word = change(*word));
            mapped.copy_from_slice(words);
            ok(clEnqueueUnmapMemObject(unmapper, object, at, 0, null(), &mut event));
        }
        event
    }

    /// Makes the next command wait for the event.
    pub fn advance(&mut self, event: cl_event) {
        release(self.last.replace(event));
    }

    /// Compares the buffer, as each of the queues reads it, and releases the memory objects.
    pub fn end(self, queues: &[cl_command_queue]) {
        ok(wait(self.last.as_slice()));
        release(self.last);
        for queue in queues {
            assert_eq!(read::<u32>(*queue, self.mem, WORDS), self.expected);
        }
        release(self.parts);
        self.mem.release();
    }
}
