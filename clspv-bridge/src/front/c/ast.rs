//! Typed syntax tree: what semantic analysis produces and lowering reads.
//!
//! Every implicit conversion is a node of its own ([`CastKind`]), names are resolved, `sizeof` and other
//! constant queries are folded, overloads are chosen. Lowering therefore makes no decision about the language
//! and reports no error that the specification requires.
//!
//! Nodes live in the arenas of a [`Unit`] and refer to each other by handle.

use super::source::Loc;
use super::symbol::Symbol;
use super::types::{AddressSpace, QualTy, Ty};

/// Handle of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ExprId(pub u32);

/// Handle of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StmtId(pub u32);

/// Handle of a variable or parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct VarId(pub u32);

/// Handle of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FuncId(pub u32);

/// Handle of a block literal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BlockId(pub u32);

/// Handle of a label of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LabelId(pub u32);

/// Handle of a string literal's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StrId(pub u32);

/// Index of a row of the table of built-in functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BuiltinId(pub u16);

/// A run of handles in [`Unit::lists`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ExprList {
    pub start: u32,
    pub len: u32,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    /// Type; that of the object for lvalues, without qualifiers for values.
    pub ty: QualTy,
    pub is_lvalue: bool,
    pub loc: Loc,
}

/// Arithmetic and bitwise operators on two values of one type (shifts: the amount has its own type).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
}

/// Comparison operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Conversions. The operand is a value unless stated otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CastKind {
    /// Lvalue to its value: a load, atomic for `_Atomic` objects (sequentially consistent).
    Load,
    /// Array lvalue to the address of its first element.
    Decay,
    /// Between scalar types, `bool` included: C's conversion (to `bool`: not equal to zero).
    Arith,
    /// Between vectors with equally many lanes: lane by lane (only where the language converts implicitly).
    Vector,
    /// A scalar (already of the lanes' type) to a vector of it.
    Splat,
    /// Reinterprets the bits: vectors or scalars of one size.
    Bits,
    /// Pointer to pointer in the same address space.
    Pointer,
    /// Pointer to another address space.
    Space,
    PointerToInt,
    IntToPointer,
    /// Pointer to `bool`.
    PointerToBool,
    /// Integer constant zero to a null pointer, event, queue or block.
    Null,
    /// Integer constant (or `constant sampler_t` initializer) to a sampler.
    Sampler,
    /// Any value to `void`.
    Void,
}

/// Structure of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Erroneous; only in units with errors, which are not lowered.
    Error,
    /// Integer, `bool` or enumeration constant: the bits, sign- or zero-extended from the type.
    Int(u64),
    /// Floating-point constant, rounded to its type.
    Float(f64),
    /// Lvalue: array of `constant char` with static storage.
    Str(StrId),
    /// Lvalue.
    Var(VarId),
    /// A function's name: only as the callee of a diagnostic, and the operand of block-like built-ins.
    Func(FuncId),
    Block(BlockId),
    Plus(ExprId),
    Neg(ExprId),
    /// `~`
    BitNot(ExprId),
    /// `!` of a scalar: `int` 0 or 1. Of a vector: lanes 0 or -1.
    Not(ExprId),
    /// `*`: lvalue of the pointee.
    Deref(ExprId),
    /// `&` of an lvalue.
    AddrOf(ExprId),
    /// `++` and `--` of an lvalue; the type is that of the lvalue, pointers move by one element.
    Increment {
        target: ExprId,
        is_prefix: bool,
        by: i8,
    },
    Binary(BinaryOp, ExprId, ExprId),
    /// `int` 0 or 1, or a vector of 0 or -1 in signed lanes of the operands' width. Pointers compare as
    /// unsigned addresses.
    Compare(CompareOp, ExprId, ExprId),
    /// `&&`, `||` of scalars (each converted to `bool`): `int` 0 or 1.
    LogicalAnd(ExprId, ExprId),
    LogicalOr(ExprId, ExprId),
    /// `&&`, `||` of vectors, without short cuts: lanes 0 or -1.
    VectorLogical {
        is_and: bool,
        x: ExprId,
        y: ExprId,
    },
    /// Pointer plus an integer (`long` or `ulong`) in elements.
    PointerAdd(ExprId, ExprId),
    /// Pointer minus an integer in elements.
    PointerSub(ExprId, ExprId),
    /// Difference of two pointers in elements: `long`.
    PointerDiff(ExprId, ExprId),
    /// `=`: the value (of the target's type) after the store.
    Assign {
        target: ExprId,
        value: ExprId,
    },
    /// `op=`: the target is converted to `compute`, the operation done in it with `value`, and the result
    /// converted back.
    CompoundAssign {
        op: BinaryOp,
        target: ExprId,
        value: ExprId,
        compute: Ty,
    },
    /// `+=`, `-=` of pointers, in elements.
    PointerAssign {
        target: ExprId,
        count: ExprId,
        is_sub: bool,
    },
    /// `c ? x : y` with a `bool` condition; both have the result's type (or `void`).
    Conditional(ExprId, ExprId, ExprId),
    /// `c ? x : y` by the sign bits of a vector's lanes.
    VectorSelect(ExprId, ExprId, ExprId),
    /// `x ?: y` (GNU): `x` is evaluated once; `cond` is `x`'s conversion to `bool` with [`ExprKind::Opaque`]
    /// for its value.
    ConditionalOmitted {
        x: ExprId,
        cond: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    /// The value of the enclosing [`ExprKind::ConditionalOmitted`]'s `x`.
    Opaque,
    Comma(ExprId, ExprId),
    Cast(CastKind, ExprId),
    /// Member of a record (lvalue, or value of a record value), by index in [`super::types::Record::fields`].
    Member {
        base: ExprId,
        field: u32,
    },
    /// Vector components, as lvalue if `base` is one and no lane repeats. One lane is a scalar.
    Swizzle {
        base: ExprId,
        lanes: [u8; 16],
        len: u8,
    },
    /// Subscript of a vector by an expression (`int` or `long`); lvalue if `base` is.
    Lane {
        base: ExprId,
        index: ExprId,
    },
    /// `(float4)(a, b.xy, c)`: parts of the lanes' type, scalars and vectors, as many lanes together.
    VectorLiteral(ExprList),
    /// `(struct s){...}`: lvalue with the storage of a variable.
    CompoundLiteral(VarId),
    /// Braces after normalisation: for records and arrays, a sparse list in order.
    Init(InitId),
    Call {
        function: FuncId,
        args: ExprList,
    },
    /// Call of a block value.
    CallBlock {
        block: ExprId,
        args: ExprList,
    },
    /// Call of a built-in; arguments have the overload's parameter types.
    Builtin {
        builtin: BuiltinId,
        args: ExprList,
    },
    /// `({ ... })`: the value of the last statement.
    StmtExpr(StmtId),
}

/// Handle of an initializer list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct InitId(pub u32);

/// A normalised initializer list of a record, array or vector: elements that are not listed are zero.
#[derive(Clone, Debug, Default)]
pub struct InitList {
    /// Index of a field or element, and its initializer (a value, a string, or another list), in ascending
    /// order, each index once.
    pub items: Vec<(u64, ExprId)>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub loc: Loc,
}

/// Loop hints of `#pragma unroll` and `__attribute__((opencl_unroll_hint))`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LoopHint {
    /// `None` is the compiler's choice, 0 full unrolling, 1 none.
    pub unroll: Option<u32>,
}

/// Structure of a statement.
#[derive(Clone, Debug)]
pub enum StmtKind {
    Empty,
    Expr(ExprId),
    /// Declarations of variables, in order; their initializers are in [`Variable`].
    Decl(Vec<VarId>),
    Compound(Vec<StmtId>),
    /// The condition is `bool`.
    If {
        cond: ExprId,
        then: StmtId,
        otherwise: Option<StmtId>,
    },
    While {
        cond: ExprId,
        body: StmtId,
        hint: LoopHint,
    },
    DoWhile {
        body: StmtId,
        cond: ExprId,
        hint: LoopHint,
    },
    For {
        init: Option<StmtId>,
        cond: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
        hint: LoopHint,
    },
    /// The value is promoted; cases are [`StmtKind::Case`] anywhere in the body.
    Switch {
        value: ExprId,
        body: StmtId,
    },
    /// Values from `low` to `high` (GNU ranges), as bits of the promoted type.
    Case {
        low: u64,
        high: u64,
        body: StmtId,
    },
    Default(StmtId),
    Label {
        label: LabelId,
        body: StmtId,
    },
    Goto(LabelId),
    Break,
    Continue,
    Return(Option<ExprId>),
}

/// Storage of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// Parameter of a function or block.
    Param,
    /// Automatic: private memory.
    Auto,
    /// Static storage in the address space of the type: program-scope variables, `static` and `constant`
    /// variables of functions, string literals, and `local` variables of kernels.
    Static,
    /// Declared `extern` and not defined in this unit.
    Extern,
}

/// A variable or parameter.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Option<Symbol>,
    /// Name of the symbol in other modules, if an `asm` label states another one.
    pub label: Option<Symbol>,
    /// With the address space after inference.
    pub ty: QualTy,
    pub storage: Storage,
    /// Visible to other modules: program-scope variables that are not `static` or `constant` internals.
    pub is_exported: bool,
    pub init: Option<ExprId>,
    /// Alignment in bytes, at least that of the type.
    pub align: u32,
    /// Whether `&`, an array, or a member access may need the variable in memory. Parameters and variables
    /// that are scalars, vectors or pointers and never have their address taken are false.
    pub in_memory: bool,
    pub loc: Loc,
}

impl Variable {
    /// Address space of the object.
    pub fn space(&self) -> AddressSpace {
        self.ty.quals.space
    }
}

/// Attributes of a kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KernelAttributes {
    pub reqd_work_group_size: Option<[u32; 3]>,
    pub work_group_size_hint: Option<[u32; 3]>,
    /// Spelled as CL_KERNEL_ATTRIBUTES reports it, e.g. "float4".
    pub vec_type_hint: Option<Ty>,
    pub reqd_sub_group_size: Option<u32>,
}

/// Inlining attribute of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum InlineHint {
    #[default]
    None,
    Always,
    Never,
}

/// A function.
#[derive(Clone, Debug)]
pub struct FunctionDecl {
    pub name: Symbol,
    /// `TypeKind::Function`.
    pub ty: Ty,
    /// Parameters of the definition (or of the latest declaration).
    pub params: Vec<VarId>,
    /// `None` for a declaration without a body.
    pub body: Option<StmtId>,
    pub is_kernel: bool,
    /// `static`, or `inline` without an external definition.
    pub is_internal: bool,
    pub is_overloadable: bool,
    /// Name for other modules: that of an `asm` label, the Itanium-mangled one of `overloadable` functions,
    /// else the plain one.
    pub link_name: String,
    pub kernel: KernelAttributes,
    pub inline: InlineHint,
    /// Names of the labels, indexed by [`LabelId`].
    pub labels: Vec<Symbol>,
    pub loc: Loc,
}

/// A block literal (OpenCL C, section 6.14).
#[derive(Clone, Debug)]
pub struct BlockLiteral {
    pub params: Vec<VarId>,
    pub result: QualTy,
    pub body: StmtId,
    /// Captured variables of the enclosing function or block: the outer variable, and the copy in the block.
    pub captures: Vec<(VarId, VarId)>,
    pub labels: Vec<Symbol>,
    pub loc: Loc,
}

/// A checked translation unit.
#[derive(Debug, Default)]
pub struct Unit {
    pub exprs: Vec<Expr>,
    pub stmts: Vec<Stmt>,
    pub vars: Vec<Variable>,
    pub functions: Vec<FunctionDecl>,
    pub blocks: Vec<BlockLiteral>,
    pub inits: Vec<InitList>,
    pub lists: Vec<ExprId>,
    /// Bytes of string literals with their terminators.
    pub strings: Vec<Box<[u8]>>,
    /// Variables with static storage, in order of their definition.
    pub statics: Vec<VarId>,
    /// Whether `#pragma OPENCL FP_CONTRACT` is on at a floating-point operation is recorded for functions as
    /// a whole: those in which it is off.
    pub no_contract: Vec<FuncId>,
}

impl Unit {
    /// The expressions of a list.
    pub fn list(&self, list: ExprList) -> &[ExprId] {
        let start = list.start as usize;
        self.lists.get(start..start + list.len as usize).unwrap_or(&[])
    }
}
