//! State of a vectoriser about values, blocks and regions.

use crate::ir::*;

/// The arguments that vary between the work-items of a vector, one bit each.
pub(super) type VaryingArgs = u64;

/// The kind of function that is vectorised.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// A kernel, which runs a group of work-items.
    Kernel,
    /// A function with these varying arguments.
    Function(VaryingArgs),
}

/// Whether an argument varies.
pub(super) fn varies(varying: VaryingArgs, index: usize) -> bool {
    index < 64 && varying >> index & 1 == 1
}

/// The values that represent a value of the work-item's function.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub kind: OperandKind,
    /// One for each lane of the original type.
    pub parts: Vec<Value>,
}

/// How the parts represent the work-items.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum OperandKind {
    /// One scalar for all.
    Uniform,
    /// The scalar of lane 0, which grows by `step` from lane to lane. With a guard (an `i1` and a vector), it
    /// does so only if the `i1` is true; the vector holds the value in any case.
    Affine { step: i64, guard: Option<(Value, Value)> },
    /// A vector.
    Varying,
}

impl Operand {
    pub fn uniform(part: Value) -> Operand {
        Operand::uniform_parts(vec![part])
    }
    pub fn uniform_parts(parts: Vec<Value>) -> Operand {
        Operand { kind: OperandKind::Uniform, parts }
    }
    pub fn affine(part: Value, step: i64) -> Operand {
        Operand { kind: OperandKind::Affine { step, guard: None }, parts: vec![part] }
    }
    pub fn varying(parts: Vec<Value>) -> Operand {
        Operand { kind: OperandKind::Varying, parts }
    }
    pub fn is_uniform(&self) -> bool {
        self.kind == OperandKind::Uniform
    }
    /// The operand where it may be used without its guard.
    pub fn unguarded(&self) -> Operand {
        match self.kind {
            OperandKind::Affine { guard: Some((_, vector)), .. } => Operand::varying(vec![vector]),
            _ => self.clone(),
        }
    }
}

/// Type of a part: objects are their addresses.
pub(super) fn part_type(ty: Type) -> Type {
    match ty.lane() {
        Type::Opaque(_) => I64,
        lane => lane,
    }
}

/// Mask of the active work-items.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Mask {
    /// The work-items that exist, or the caller's active ones.
    Base,
    Value(Value),
}

/// A variable: part of a join's parameter, or a mask.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Variable {
    Param(Value, usize),
    /// Work-items that have reached a block.
    Reached(Block),
    /// Work-items that are in a loop's iteration, by its header.
    Iterating(Block),
}

/// A block of the work-item's function that edges may go to.
#[derive(Clone, Copy)]
pub(super) struct EdgeTarget {
    pub block: Block,
    pub masked: bool,
    /// Mask variable that edges set.
    pub keeps_mask: Option<Variable>,
    pub has_barrier: bool,
    /// Whether it is the header of the innermost loop.
    pub is_header: bool,
}

/// Values of the open region's vector.
#[derive(Default)]
pub(super) struct OwnValues {
    /// Local id of the first work-item: in dimension 0, or the linear one.
    pub base: Option<Value>,
    pub y: Option<Value>,
    pub z: Option<Value>,
    /// Mask of the work-items that exist; `None` if all do.
    pub tail: Option<Value>,
}

/// Values of the group.
#[derive(Default)]
pub(super) struct Prelude {
    /// Local size, global id of the first work-item.
    pub size: [Option<Value>; 3],
    pub first: [Option<Value>; 3],
    /// Work-items of the group.
    pub total: Option<Value>,
}
