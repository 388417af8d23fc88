//! Keys of device commands, which are equal if one recording serves them.

use crate::device::batch::{
    ArgValue, BatchItem, BufferRange, DeviceCommand, Endpoint, Launch, RectLayout, Region,
};
use std::sync::Arc;

/// Everything that commands depend on, as numbers. Objects are represented by their addresses: a key is valid
/// until recordings become invalid (`Gpu::recordings_epoch`).
#[derive(Default, PartialEq)]
pub struct CommandKey(Vec<u64>);

/// Whether a key has the values of arguments that are passed by value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    Compared,
    Ignored,
}

impl CommandKey {
    /// Makes the key equal to no command's.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Replaces the key by that of a launch, without the values of arguments that are passed by value.
    /// Returns false if the launch depends on more than a key tells.
    pub fn describe_launch(&mut self, launch: &Launch) -> bool {
        self.0.clear();
        self.launch(launch, Values::Ignored)
    }

    /// Appends a command of a batch. Returns false if it depends on more than a key tells.
    pub fn add(&mut self, item: &BatchItem) -> bool {
        self.0.push(u64::from(item.ordered));
        match &item.command {
            DeviceCommand::Launch(launch) => self.launch(launch, Values::Compared),
            DeviceCommand::Copy { src, dst, region } => self.copy(src, dst, *region),
            DeviceCommand::Fill { dst: Endpoint::Buffer(dst, layout), region, pattern } => {
                self.0.push(2);
                self.side(dst, layout);
                self.0.extend(region);
                self.bytes(pattern);
                true
            }
            _ => false,
        }
    }

    /// A copy between buffers, or a read, whatever its destination.
    fn copy(&mut self, src: &Endpoint, dst: &Endpoint, region: Region) -> bool {
        let Endpoint::Buffer(src, from) = src else { return false };
        if region.contains(&0) {
            return false;
        }
        match dst {
            Endpoint::Buffer(dst, to) => {
                self.0.push(3);
                self.side(dst, to);
            }
            Endpoint::Host(..) => self.0.push(4),
            Endpoint::Image(_) => return false,
        }
        self.side(src, from);
        self.0.extend(region);
        true
    }

    fn launch(&mut self, launch: &Launch, values: Values) -> bool {
        if !launch.indirect.is_empty() || launch.default_queue.is_some() {
            return false;
        }
        self.0.push(1);
        self.object(&launch.kernel);
        self.0.push(u64::from(launch.dims));
        self.0.extend(launch.offset);
        self.0.extend(launch.global);
        self.0.extend(launch.local.map(u64::from));
        launch.args.iter().for_each(|arg| self.argument(arg, values));
        true
    }

    /// Appends an argument: a number that tells its kind, then as many numbers as that kind has.
    fn argument(&mut self, arg: &ArgValue, values: Values) {
        match arg {
            ArgValue::Bytes(bytes) if values == Values::Ignored => self.0.extend([0, bytes.len() as u64]),
            ArgValue::Bytes(bytes) => {
                self.0.push(0);
                self.bytes(bytes);
            }
            ArgValue::Buffer(range) => {
                self.0.push(1);
                self.range(range);
            }
            ArgValue::NullBuffer => self.0.push(2),
            ArgValue::Image(image) => {
                self.0.push(3);
                self.object(image);
            }
            ArgValue::Local(size) => self.0.extend([4, *size]),
            ArgValue::Pointer { address, within: None } => self.0.extend([5, *address]),
            ArgValue::Pointer { address, within: Some(range) } => {
                self.0.extend([6, *address]);
                self.range(range);
            }
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.push(bytes.len() as u64);
        self.0.extend(bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(word)
        }));
    }

    fn side(&mut self, range: &BufferRange, layout: &RectLayout) {
        self.range(range);
        self.0.extend([layout.offset, layout.row_pitch, layout.slice_pitch]);
    }

    fn range(&mut self, range: &BufferRange) {
        self.object(&range.memory);
        self.0.extend([range.offset, range.size]);
    }

    fn object<T: ?Sized>(&mut self, object: &Arc<T>) {
        self.0.push(Arc::as_ptr(object).cast::<()>().addr() as u64);
    }
}
