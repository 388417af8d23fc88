//! Memory of the interpreter: objects with bounds, whose bits are known or undefined.
//!
//! An address is the object's number in the upper half and the offset in the lower half, so pointers keep
//! their meaning when they are stored, loaded and computed with. Address 0 is NULL and belongs to no object.

use super::stop::Stop;
use crate::ir::Space;

/// One allocation.
struct Object {
    /// Bits and undefined bits of each byte.
    bytes: Vec<(u8, u8)>,
    readonly: bool,
    space: Space,
}

/// All allocations.
#[derive(Default)]
pub struct Memory {
    objects: Vec<Object>,
}

impl Memory {
    fn add(&mut self, bytes: Vec<(u8, u8)>) -> u64 {
        self.objects.push(Object { bytes, readonly: false, space: Space::Global });
        (self.objects.len() as u64) << 32
    }
    /// Allocates an object with these contents; returns its address.
    pub fn alloc(&mut self, bytes: &[u8]) -> u64 {
        self.add(bytes.iter().map(|b| (*b, 0)).collect())
    }
    /// Allocates an object with undefined contents; returns its address.
    pub fn alloc_undefined(&mut self, size: usize) -> u64 {
        self.add(vec![(0, 0xff); size])
    }
    /// Sets the address space of the object at this address; the default is global memory.
    pub fn set_space(&mut self, address: u64, space: Space) {
        if let Some(object) = self.object(address) {
            object.space = space;
        }
    }
    /// Address space of the object at this address; global if there is none.
    pub fn space(&mut self, address: u64) -> Space {
        self.object(address)
            .map_or(Space::Global, |o| if o.space == Space::Constant { Space::Global } else { o.space })
    }
    /// Forbids stores to the object at this address.
    pub fn protect(&mut self, address: u64) {
        if let Some(object) = self.object(address) {
            object.readonly = true;
        }
    }
    fn object(&mut self, address: u64) -> Option<&mut Object> {
        self.objects.get_mut(((address >> 32) as usize).checked_sub(1)?)
    }
    /// Contents of the object at this address.
    pub fn contents(&self, address: u64) -> &[(u8, u8)] {
        let at = ((address >> 32) as usize).checked_sub(1);
        at.and_then(|at| self.objects.get(at)).map_or(&[], |o| &o.bytes)
    }
    fn range(&mut self, address: u64, size: usize, what: &str) -> Result<&mut [(u8, u8)], Stop> {
        let offset = (address & 0xffff_ffff) as usize;
        let writes = what != "load";
        let bytes = self
            .object(address)
            .filter(|o| !(writes && o.readonly))
            .and_then(|o| o.bytes.get_mut(offset..offset + size));
        bytes.ok_or_else(|| {
            Stop::Undefined(format!("a {what} of {size} bytes at {address:#x} is outside of memory"))
        })
    }
    /// Reads bytes.
    pub fn load(&mut self, address: u64, size: usize) -> Result<Vec<(u8, u8)>, Stop> {
        self.range(address, size, "load").map(|b| b.to_vec())
    }
    /// Writes bytes.
    pub fn store(&mut self, address: u64, bytes: &[(u8, u8)]) -> Result<(), Stop> {
        self.range(address, bytes.len(), "store").map(|to| to.copy_from_slice(bytes))
    }
}
