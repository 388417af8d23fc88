//! Accesses to device memory, by which commands are ordered. Pure.

use ash::vk;
use smallvec::SmallVec;

/// An object that commands access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Object {
    Buffer(vk::Buffer),
    Image(vk::Image),
    Anything,
}

/// One command's access to `start..end`: bytes of a buffer, or rows of an image (or all of it).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObjectAccess {
    pub object: Object,
    pub start: u64,
    pub end: u64,
    pub write: bool,
}

impl ObjectAccess {
    /// Reads and writes of unknown locations.
    pub const ANYWHERE: ObjectAccess =
        ObjectAccess { object: Object::Anything, start: 0, end: u64::MAX, write: true };

    /// Whether the accesses must happen one after the other.
    pub fn conflicts(&self, other: &ObjectAccess) -> bool {
        let anywhere = self.object == Object::Anything || other.object == Object::Anything;
        let meets = self.object == other.object && self.start < other.end && other.start < self.end;
        (self.write || other.write) && (anywhere || meets)
    }
}

/// Accesses of one command.
pub type Accesses = SmallVec<[ObjectAccess; 8]>;
