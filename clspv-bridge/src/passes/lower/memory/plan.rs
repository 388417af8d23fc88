//! Result of the points-to analysis: representation of pointers and memory of each class.

use crate::ir::*;
use rustc_hash::FxHashMap;

/// Key of a points-to class: its root, and the bit of the address space if the class was divided, else 0.
pub(crate) type ClassKey = (usize, u8);

/// Source of a bound buffer's virtual address.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Base {
    /// The argument slot at this offset.
    Slot(u32),
    Data,
    /// The print buffer: pointers to it are never stored.
    None,
}

/// A descriptor and the buffer bound to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundBuffer {
    pub region: Region,
    pub base: Base,
    /// Offsets count from the start of the buffer, not from the start of the argument.
    pub whole: bool,
    /// The argument whose buffer lies in the window, from whose start offsets count.
    pub windowed: Option<u16>,
}

/// Representation of the pointers of a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PointerRep {
    /// `i64` device or virtual address.
    Addr,
    /// `i32` byte offset into a region.
    Region(usize),
    /// `i64` device address or tagged offset (see `lower_generic`).
    Tagged,
}

/// Memory of a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Region {
    /// A workgroup or private array with this element type.
    Array { var: Var, elem: Type, class: VarClass },
    /// A storage-buffer binding, seen through a view of each accessed type.
    Binding { binding: u32, readonly: bool },
    /// Never accessed.
    Unused,
}

/// Representation and memory of all pointers of a kernel.
pub(crate) struct MemoryPlan {
    pub rep: Vec<Option<PointerRep>>,
    pub regions: Vec<Region>,
    /// Address space of each region.
    pub region_space: Vec<Space>,
    pub slot_offset: FxHashMap<Slot, u32>,
    pub local_offset: FxHashMap<Global, u32>,
    /// Pointers that are not NULL where they are used, unless behaviour is undefined.
    pub dereferenced: EntitySet<Value>,
    /// Pointers in memory are virtual addresses ([`is_virtual`](crate::abi::PointerMode::is_virtual)).
    pub is_virtual: bool,
    /// In the virtual modes: the buffer of each region of global memory, and the buffers that the accesses of
    /// a value choose from.
    pub region_buffer: Vec<Option<BoundBuffer>>,
    pub candidates: FxHashMap<ClassKey, Vec<BoundBuffer>>,
    pub candidates_of: Vec<Option<ClassKey>>,
}

impl MemoryPlan {
    /// A plan without memory, for values in these classes.
    pub(super) fn new(is_virtual: bool, classes: Vec<Option<ClassKey>>) -> MemoryPlan {
        MemoryPlan {
            rep: Vec::new(),
            regions: Vec::new(),
            region_space: Vec::new(),
            slot_offset: FxHashMap::default(),
            local_offset: FxHashMap::default(),
            dereferenced: EntitySet::new(),
            is_virtual,
            region_buffer: Vec::new(),
            candidates: FxHashMap::default(),
            candidates_of: classes,
        }
    }

    /// Returns the buffers that accesses through a virtual address choose from; empty if there are none.
    pub(crate) fn candidates(&self, v: Value) -> &[BoundBuffer] {
        let at = self.candidates_of.get(v.index()).copied().flatten();
        at.and_then(|at| self.candidates.get(&at)).map_or(&[], Vec::as_slice)
    }
    pub(crate) fn rep(&self, v: Value) -> PointerRep {
        self.rep.get(v.index()).copied().flatten().unwrap_or(PointerRep::Addr)
    }
    /// Whether the value was a pointer when the plan was made.
    pub(crate) fn is_pointer(&self, v: Value) -> bool {
        self.rep.get(v.index()).copied().flatten().is_some()
    }
}
