//! Values that memory is known to hold at a place of a function.

use crate::ir::*;

/// Most values that are known at a time. The oldest ones are forgotten first.
const MOST: usize = 64;

/// Memory that a place lies in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Object {
    Slot(Slot),
    Local(Global),
    Var(Var),
    /// The object that a pointer or address of unknown origin points to.
    Pointer,
}

/// The bytes of an access: `object + variable * scale + offset`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    object: Object,
    /// The address space; `None` if it may be any.
    space: Option<Space>,
    /// A variable part of the address, and the bytes that it counts.
    variable: Option<(Value, i64)>,
    offset: i64,
    bytes: i64,
}

impl Place {
    /// The place that an access of a type goes to. `address` is its operand.
    fn new(func: &Function, access: &Access, address: Value, ty: Type) -> Option<Place> {
        let bytes = i64::from(ty.access_bytes()?);
        match access.root {
            Root::Ptr => Some(Place::of_pointer(func, address, bytes)),
            Root::Addr => {
                let (address, offset) = split_sum(func, address);
                let variable = address.map(|address| (address, 1));
                let space = Some(Space::Global);
                Some(Place { object: Object::Pointer, space, variable, offset, bytes })
            }
            Root::Var(var) => {
                let data = &func.vars[var];
                let (space, var) = match data.class {
                    VarClass::Buffer { .. } => (Space::Global, var),
                    VarClass::Workgroup => (Space::Local, var),
                    VarClass::View { of } => (Space::Local, of),
                    VarClass::Private => (Space::Private, var),
                    VarClass::Image { .. } => return None,
                };
                let scale = i64::from(data.elem.access_bytes()?);
                let (index, constant) = split_sum(func, address);
                let offset = constant * scale;
                let variable = index.map(|index| (index, scale));
                Some(Place { object: Object::Var(var), space: Some(space), variable, offset, bytes })
            }
        }
    }

    fn of_pointer(func: &Function, mut pointer: Value, bytes: i64) -> Place {
        let space = func.ty(pointer).space().filter(|space| *space != Space::Generic);
        let space = space.map(|space| if space == Space::Constant { Space::Global } else { space });
        // The constant offset from `variable`, or from the object while there is none.
        let (mut variable, mut offset) = (None, 0i64);
        let object = loop {
            let def = func.def_inst(pointer).map(|inst| (&func.insts[inst].op, &func.insts[inst].args[..]));
            match def {
                Some((Op::SlotAddr(slot), _)) => break Object::Slot(*slot),
                Some((Op::GlobalAddr(global), _)) if space == Some(Space::Local) => {
                    break Object::Local(*global);
                }
                Some((Op::PtrAdd, [base, by])) => {
                    match (variable, func.as_bits(*by)) {
                        (None, Some(constant)) => offset = offset.wrapping_add(constant as i64),
                        (None, None) => variable = Some((pointer, 1)),
                        (Some(_), _) => {}
                    }
                    pointer = *base;
                }
                _ => break Object::Pointer,
            }
        };
        if object == Object::Pointer {
            variable = variable.or(Some((pointer, 1)));
        }
        Place { object, space, variable, offset, bytes }
    }

    /// Whether the two places may share bytes.
    fn may_overlap(&self, other: &Place) -> bool {
        if self.object == other.object && self.variable == other.variable {
            return self.offset < other.offset.saturating_add(other.bytes)
                && other.offset < self.offset.saturating_add(self.bytes);
        }
        let may_share_space = match (self.space, other.space) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        may_share_space && (self.object == other.object || !(self.is_distinct() && other.is_distinct()))
    }

    /// Whether no other object shares the object's memory. Several bindings may view one buffer.
    fn is_distinct(&self) -> bool {
        match self.object {
            Object::Slot(_) | Object::Local(_) => true,
            Object::Var(_) => self.space != Some(Space::Global),
            Object::Pointer => false,
        }
    }
}

/// Splits an address or index into a variable part, if it has one, and a constant one.
pub(crate) fn split_sum(func: &Function, value: Value) -> (Option<Value>, i64) {
    let signed = |v: Value, bits: u64| if func.ty(v) == I32 { i64::from(bits as i32) } else { bits as i64 };
    if let Some(bits) = func.as_bits(value) {
        return (None, signed(value, bits));
    }
    let sum = func.def_inst(value).map(|inst| &func.insts[inst]).filter(|d| d.op == Op::Bin(BinOp::Iadd));
    let split = sum.and_then(|data| Some((data.args[0], signed(value, func.as_bits(data.args[1])?))));
    split.map_or((Some(value), 0), |(variable, offset)| (Some(variable), offset))
}

/// A value that memory holds.
#[derive(Clone, Copy, Debug)]
struct Known {
    place: Place,
    value: Value,
    /// Whether the value comes from a load of [`Access::copied`].
    copied: bool,
}

/// The values that one work-item knows memory to hold: those that it has stored or loaded, as long as nothing
/// may have written to their places since. Other work-items write between barriers only.
#[derive(Clone, Default, Debug)]
pub(crate) struct MemoryValues {
    known: Vec<Known>,
}

impl MemoryValues {
    /// The value that a load returns, if it is known. Otherwise the load's result is known from here on.
    pub(crate) fn load(&mut self, func: &Function, data: &InstData) -> Option<Value> {
        let (Op::Load(access), [result]) = (&data.op, &data.results[..]) else { return None };
        let ty = func.ty(*result);
        let place = Place::new(func, access, data.args[0], ty).filter(|_| !access.volatile)?;
        let matches = |known: &&Known| {
            known.place == place && func.ty(known.value) == ty && (access.copied || !known.copied)
        };
        let known = self.known.iter().rev().find(matches).map(|known| known.value);
        if known.is_none() {
            self.add(Known { place, value: *result, copied: access.copied });
        }
        known
    }

    /// Whether a store writes the value that its place holds already. Such a store changes nothing that is
    /// known here, and nothing that other work-items may read before the next barrier.
    pub(crate) fn is_redundant(&self, func: &Function, data: &InstData) -> bool {
        let Op::Store(access) = &data.op else { return false };
        let (value, address) = (data.args[0], data.args[1]);
        let place = Place::new(func, access, address, func.ty(value)).filter(|_| !access.volatile);
        place.is_some_and(|place| self.known.iter().any(|known| known.place == place && known.value == value))
    }

    /// Forgets what an instruction with side effects may change, and notes what a store writes.
    pub(crate) fn write(&mut self, func: &Function, data: &InstData) {
        match &data.op {
            Op::Store(access) if !access.volatile => {
                let (value, address) = (data.args[0], data.args[1]);
                let Some(place) = Place::new(func, access, address, func.ty(value)) else {
                    return self.known.clear();
                };
                self.known.retain(|known| !known.place.may_overlap(&place));
                self.add(Known { place, value, copied: false });
            }
            // Only what this work-item alone can access stays as it is.
            Op::Barrier { .. } | Op::Fence { .. } => {
                self.known.retain(|known| known.place.space == Some(Space::Private));
            }
            _ => self.known.clear(),
        }
    }

    fn add(&mut self, known: Known) {
        if self.known.len() == MOST {
            self.known.remove(0);
        }
        self.known.push(known);
    }
}
