//! Rows of the table of built-in functions: signatures, conditions and lowerings.

use super::super::ast::BuiltinId;
use super::super::language::Language;
use super::super::types::{AccessMode, QualTy};
use crate::ir::{BinOp, ClOp, GroupOp, RmwOp, RuntimeCall, WorkItemQuery};

/// Element types of a row's generic type, as a set of bits indexed by [`super::super::types::Arith`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Elements(pub u16);

impl Elements {
    pub const NONE: Elements = Elements(0);
    /// `char` to `ulong`
    pub const INTS: Elements = Elements(0b0001_1111_1110);
    /// `int` and `uint`
    pub const INTS_32: Elements = Elements(0b0000_0110_0000);
    /// `int`, `uint`, `long`, `ulong`
    pub const INTS_32_64: Elements = Elements(0b0001_1110_0000);
    pub const LONGS: Elements = Elements(0b0001_1000_0000);
    pub const SIGNED: Elements = Elements(0b0000_1010_1010);
    pub const UNSIGNED: Elements = Elements(0b0001_0101_0100);
    pub const HALF: Elements = Elements(1 << 9);
    pub const FLOAT: Elements = Elements(1 << 10);
    pub const DOUBLE: Elements = Elements(1 << 11);
    pub const FLOATS: Elements = Elements(0b1110_0000_0000);
    /// `float` and `double`
    pub const WIDE_FLOATS: Elements = Elements(0b1100_0000_0000);
    /// All but `bool`.
    pub const ALL: Elements = Elements(0b1111_1111_1110);
    pub const BOOL: Elements = Elements(1);

    /// Both sets.
    pub const fn and(self, other: Elements) -> Elements {
        Elements(self.0 | other.0)
    }
    /// Whether a scalar type is in the set.
    pub const fn has(self, arith: super::super::types::Arith) -> bool {
        self.0 >> arith as u16 & 1 != 0
    }
}

/// Lane counts of a row's generic type, as a set of bits indexed by the count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lanes(pub u32);

impl Lanes {
    pub const SCALAR: Lanes = Lanes(1 << 1);
    pub const VECTORS: Lanes = Lanes(1 << 2 | 1 << 3 | 1 << 4 | 1 << 8 | 1 << 16);
    pub const ANY: Lanes = Lanes(1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 8 | 1 << 16);
    /// Up to four lanes.
    pub const SPATIAL: Lanes = Lanes(1 << 1 | 1 << 2 | 1 << 3 | 1 << 4);
    /// 1, 2, 4, 8
    pub const BLOCK: Lanes = Lanes(1 << 1 | 1 << 2 | 1 << 4 | 1 << 8);

    /// Whether a count is in the set.
    pub const fn has(self, lanes: u8) -> bool {
        lanes < 32 && self.0 >> lanes & 1 != 0
    }
}

/// Sets of image shapes, as bits indexed by [`crate::ir::ImageDim`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shapes(pub u8);

impl Shapes {
    pub const D1: Shapes = Shapes(1 << 0);
    pub const D1_ARRAY: Shapes = Shapes(1 << 1);
    pub const BUFFER: Shapes = Shapes(1 << 2);
    pub const D2: Shapes = Shapes(1 << 3);
    pub const D2_ARRAY: Shapes = Shapes(1 << 4);
    pub const D3: Shapes = Shapes(1 << 5);
    pub const ALL: Shapes = Shapes(0b11_1111);
    /// All that a sampler applies to.
    pub const SAMPLED: Shapes = Shapes(0b11_1011);
    pub const D2S: Shapes = Shapes(1 << 3 | 1 << 4);

    /// Whether a shape is in the set.
    pub const fn has(self, dim: crate::ir::ImageDim) -> bool {
        self.0 >> dim as u8 & 1 != 0
    }
}

/// The types that a row's generic type `T` stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domain {
    /// The signature has no generic type.
    None,
    Arith(Elements, Lanes),
    /// An image; `T` is its type.
    Image {
        shapes: Shapes,
        is_depth: bool,
        access: Allowed,
    },
    /// A pipe; `T` is the type of its packets.
    Pipe(AccessMode),
}

/// AccessMode qualifiers of an image that a function takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Allowed {
    Read,
    Write,
    Any,
}

/// Condition under which a function exists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Needs {
    /// First version of the language, e.g. 200.
    pub since: u16,
    /// Extensions or features of which one suffices; empty for none.
    pub one_of: &'static [&'static str],
    /// Whether OpenCL C 2.0 has the function on every device.
    pub is_in_2_0: bool,
}

/// A comparison of floating-point numbers, or a classification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    LessGreater,
    Finite,
    Inf,
    Nan,
    Normal,
    Ordered,
    Unordered,
    SignBit,
    Any,
    All,
}

/// How a half or a vector is read or written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HalfForm {
    /// `vload_half`, `vload_halfn`: aligned to an element.
    Packed,
    /// `vloada_halfn`: aligned to the vector, vectors of three as four.
    Aligned,
}

/// Atomic functions of OpenCL C 2.0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum C11 {
    Init,
    Store,
    Load,
    Exchange,
    /// `strong` or `weak`: the same here.
    CompareExchange,
    Fetch(FetchOp),
    FlagTestAndSet,
    FlagClear,
}

/// Operation of an atomic read-modify-write, before the signedness of the type is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FetchOp {
    Add,
    Sub,
    Or,
    Xor,
    And,
    Min,
    Max,
    Inc,
    Dec,
    Exchange,
    CompareExchange,
}

impl FetchOp {
    /// The operation for a type; `None` for those that are not one read-modify-write with an operand.
    pub fn rmw(self, signed: bool, float: bool) -> Option<RmwOp> {
        Some(match (self, float, signed) {
            (FetchOp::Add, true, _) => RmwOp::Fadd,
            (FetchOp::Add | FetchOp::Inc, ..) => RmwOp::Add,
            (FetchOp::Sub | FetchOp::Dec, ..) => RmwOp::Sub,
            (FetchOp::Or, ..) => RmwOp::Or,
            (FetchOp::Xor, ..) => RmwOp::Xor,
            (FetchOp::And, ..) => RmwOp::And,
            (FetchOp::Min, true, _) => RmwOp::Fmin,
            (FetchOp::Min, _, true) => RmwOp::Smin,
            (FetchOp::Min, ..) => RmwOp::Umin,
            (FetchOp::Max, true, _) => RmwOp::Fmax,
            (FetchOp::Max, _, true) => RmwOp::Smax,
            (FetchOp::Max, ..) => RmwOp::Umax,
            (FetchOp::Exchange, ..) => RmwOp::Xchg,
            (FetchOp::CompareExchange, ..) => return None,
        })
    }
}

/// Operations of cl_khr_extended_bit_ops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BitOp {
    Insert,
    ExtractSigned,
    ExtractUnsigned,
    Reverse,
}

/// Queries of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageQuery {
    Width,
    Height,
    Depth,
    Dim,
    ArraySize,
    Order,
    DataType,
    Levels,
    FetchesBorder,
}

/// Rounding mode of an explicit conversion by name; `None` is the default of the destination.
pub type RoundingMode = Option<crate::ir::Rounding>;

/// BuiltinExpansion of a built-in function.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum BuiltinExpansion {
    /// OpenCL.std instruction.
    Ext(ClOp),
    /// OpenCL.std instruction for signed and for unsigned `T`.
    BySign(ClOp, ClOp),
    Relation(Relation),
    /// `select` for signed or unsigned conditions.
    Select,
    Shuffle,
    Dot,
    Cross,
    /// Integer dot product: signedness of both operands, whether it accumulates with saturation, and whether
    /// the operands are packed in 32 bits.
    IntDot {
        signed: [bool; 2],
        saturates: bool,
        packed: bool,
    },
    Bits(BitOp),
    VectorLoad,
    VectorStore,
    HalfLoad(HalfForm),
    HalfStore(HalfForm, RoundingMode),
    Convert {
        saturate: bool,
        rounding: RoundingMode,
    },
    WorkItem(WorkItemQuery),
    Barrier,
    SubGroupBarrier,
    /// `mem_fence` and its forms: orders by SPIR-V memory semantics bits.
    MemFence(crate::ir::Ordering),
    AtomicFence,
    /// `atomic_add`, `atom_add` ...
    Atomic(FetchOp),
    /// With the order and scope as arguments if `explicit`.
    C11 {
        op: C11,
        explicit: bool,
    },
    ToSpace(crate::ir::Space),
    GetFence,
    AsyncCopy {
        strided: bool,
    },
    AsyncCopy2D,
    AsyncCopy3D,
    WaitEvents,
    AsyncFence,
    Prefetch,
    Printf,
    ReadImage,
    ReadImageSampler,
    ReadImageLevel,
    ReadImageGradient,
    ReadImageLevelSamplerless,
    WriteImage,
    WriteImageLevel,
    QueryImage(ImageQuery),
    /// Vote, broadcast, ballot, shuffle or scan of a sub-group or work-group.
    Group(crate::ir::Scope, GroupOp),
    /// Reduction or scan, whose operator depends on the type.
    Combine {
        scope: crate::ir::Scope,
        scan: crate::ir::Scan,
        op: CombineOp,
        clustered: bool,
    },
    Rotate {
        clustered: bool,
    },
    IntelShuffle {
        down: bool,
    },
    BlockRead,
    BlockWrite,
    WorkGroupBroadcast,
    Clock {
        scope: crate::ir::Scope,
        hilo: bool,
    },
    Pipe(PipeOp),
    Enqueue(EnqueueOp),
    Assume,
    Expect,
}

/// Operator of a reduction, before the type is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CombineOp {
    Add,
    Mul,
    Min,
    Max,
    And,
    Or,
    Xor,
}

impl CombineOp {
    /// The operation on numbers of a type.
    pub fn bin(self, signed: bool, float: bool) -> BinOp {
        match (self, float, signed) {
            (CombineOp::Add, true, _) => BinOp::Fadd,
            (CombineOp::Add, ..) => BinOp::Iadd,
            (CombineOp::Mul, true, _) => BinOp::Fmul,
            (CombineOp::Mul, ..) => BinOp::Imul,
            (CombineOp::Min, true, _) => BinOp::Fmin,
            (CombineOp::Min, _, true) => BinOp::Smin,
            (CombineOp::Min, ..) => BinOp::Umin,
            (CombineOp::Max, true, _) => BinOp::Fmax,
            (CombineOp::Max, _, true) => BinOp::Smax,
            (CombineOp::Max, ..) => BinOp::Umax,
            (CombineOp::And, ..) => BinOp::And,
            (CombineOp::Or, ..) => BinOp::Or,
            (CombineOp::Xor, ..) => BinOp::Xor,
        }
    }
}

/// Operation on a pipe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PipeOp {
    Read,
    Write,
    ReservedRead,
    ReservedWrite,
    ReserveRead(crate::ir::Scope),
    ReserveWrite(crate::ir::Scope),
    CommitRead(crate::ir::Scope),
    CommitWrite(crate::ir::Scope),
    IsValid,
    NumPackets,
    MaxPackets,
}

/// Function of device-side enqueue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EnqueueOp {
    Marker,
    NdRange(u8),
    DefaultQueue,
    CreateUserEvent,
    SetUserEventStatus,
    IsValidEvent,
    Retain,
    Release,
    Capture,
    /// `enqueue_kernel`
    Kernel,
    /// A query of a block's kernel.
    BlockQuery(RuntimeCall),
    /// A query of a block's kernel for a range.
    RangeQuery(RuntimeCall),
}

impl EnqueueOp {
    /// Whether an argument is a block. Semantic analysis then checks the arguments itself.
    pub const fn takes_block(self) -> bool {
        matches!(self, EnqueueOp::Kernel | EnqueueOp::BlockQuery(_) | EnqueueOp::RangeQuery(_))
    }
}

/// A built-in function with one shape of signature.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub name: &'static str,
    /// Result and parameters (see [`super::pattern`]).
    pub signature: &'static str,
    pub domain: Domain,
    pub needs: Needs,
    pub lowering: BuiltinExpansion,
}

impl Row {
    /// A row of all versions.
    pub const fn new(
        name: &'static str,
        signature: &'static str,
        domain: Domain,
        lowering: BuiltinExpansion,
    ) -> Row {
        Row { name, signature, domain, needs: Needs { since: 100, one_of: &[], is_in_2_0: false }, lowering }
    }
    /// Restricts the row to versions from `since` on.
    pub const fn since(self, since: u16) -> Row {
        Row { needs: Needs { since, ..self.needs }, ..self }
    }
    /// Restricts the row to devices with one of the extensions or features.
    pub const fn one_of(self, one_of: &'static [&'static str]) -> Row {
        Row { needs: Needs { one_of, ..self.needs }, ..self }
    }
    /// Adds the row to OpenCL C 2.0 for every device.
    pub const fn in_2_0(self) -> Row {
        Row { needs: Needs { is_in_2_0: true, ..self.needs }, ..self }
    }
    /// Whether the function exists in a language.
    pub fn is_in(&self, language: &Language) -> bool {
        let Needs { since, one_of, is_in_2_0 } = self.needs;
        language.version >= u32::from(since)
            && (one_of.is_empty()
                || is_in_2_0 && language.version == 200
                || one_of.iter().any(|e| language.has(e)))
    }
}

/// Type of an argument after conversion of lvalues, arrays and functions to values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArgType {
    pub ty: QualTy,
    /// An integer constant zero, which converts to null pointers, events and queues.
    pub is_zero: bool,
    /// An integer constant, which converts to samplers.
    pub is_constant: bool,
}

/// A call that was resolved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resolved {
    pub builtin: BuiltinId,
    pub params: Vec<QualTy>,
    /// Whether more arguments follow the parameters, with default promotions.
    pub is_variadic: bool,
    pub result: QualTy,
}

/// A signature that a call was compared with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuiltinSignature {
    pub result: QualTy,
    pub params: Vec<QualTy>,
    pub is_variadic: bool,
}

/// A call that no signature or more than one fits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoMatch {
    /// With one signature of each row, for the generic type that is nearest to the arguments.
    None(Vec<BuiltinSignature>),
    /// With the signatures that none is better than.
    Ambiguous(Vec<BuiltinSignature>),
}
