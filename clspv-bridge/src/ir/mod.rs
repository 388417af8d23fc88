//! The SSA intermediate representation: a control-flow graph with block parameters, byte-addressed pointers
//! and no aggregate values.

pub(crate) mod access;
pub mod binary;
pub(crate) mod builder;
pub(crate) mod check;
pub(crate) mod edit;
pub(crate) mod entity;
pub(crate) mod fold;
pub(crate) mod func;
pub(crate) mod group;
pub(crate) mod image;
pub(crate) mod implicit_arg;
pub(crate) mod inst;
pub mod interp;
pub(crate) mod lanes;
pub mod lazy;
pub(crate) mod mangle;
pub(crate) mod module;
pub(crate) mod names;
pub mod parse;
pub(crate) mod print;
pub mod runtime;
pub(crate) mod types;
pub(crate) mod typing;
pub mod verify;

pub use access::{Access, Root};
pub use builder::Builder;
pub use check::CheckOp;
pub use entity::{
    Block, EntityRef, EntitySet, FuncRef, Global, Inst, PrimaryMap, SecondaryMap, Slot, Value, Var,
};
pub use func::{
    BlockData, Const, Frame, Function, Linkage, Merge, Signature, SlotData, UnrollHint, ValueData, ValueDef,
    VarClass, VarData, VarLen,
};
pub use group::{GroupOp, LaneMask, Scan};
pub use image::{ImageDim, ImageOp};
pub use implicit_arg::ImplicitArg;
pub use inst::{
    BinOp, BlockCall, CastOp, ClOp, FastMath, FenceSpaces, FloatCc, InstData, IntCc, Op, Ordering, RmwOp,
    Rounding, Scope, ShaderInput, UnOp, WorkItemQuery,
};
pub use lanes::{CallExtent, ContextField, LaneOp, VectorShape};
pub use module::{GlobalData, Module, Phase, Reloc};
pub use runtime::{RUNTIME_CALLS, RuntimeCall};
pub use types::{F16, F32, F64, I1, I8, I16, I32, I64, Opaque, Scalar, Space, Type};
