//! Instructions: opcodes with their immediate operands, and the data that every instruction has.
//!
//! Value operands are in [`InstData::args`], control-flow edges in [`InstData::targets`]; everything else is
//! immediate data inside the [`Op`]. A pass that only renames or counts uses therefore never looks at the
//! opcode.

use super::check::CheckOp;
use super::entity::{Block, FuncRef, Global, Slot, Value, Var};
use super::group::GroupOp;
use super::image::{ImageDim, ImageOp};
use super::implicit_arg::ImplicitArg;
use super::lanes::{ContextField, LaneOp};
use super::runtime::RuntimeCall;
use super::types::Space;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

pub use super::access::{Access, Root};

/// OpenCL.std extended instructions.
pub use spirv::OpenclStd100Op as ClOp;

/// Integer and pointer comparison predicates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum IntCc {
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
}

impl IntCc {
    /// The predicate of the same operands in the other order.
    pub fn swapped(self) -> IntCc {
        match self {
            IntCc::Ult => IntCc::Ugt,
            IntCc::Ule => IntCc::Uge,
            IntCc::Ugt => IntCc::Ult,
            IntCc::Uge => IntCc::Ule,
            IntCc::Slt => IntCc::Sgt,
            IntCc::Sle => IntCc::Sge,
            IntCc::Sgt => IntCc::Slt,
            IntCc::Sge => IntCc::Sle,
            other => other,
        }
    }
    /// The predicate that holds exactly where this one does not.
    pub fn inverse(self) -> IntCc {
        match self {
            IntCc::Eq => IntCc::Ne,
            IntCc::Ne => IntCc::Eq,
            IntCc::Ult => IntCc::Uge,
            IntCc::Ule => IntCc::Ugt,
            IntCc::Ugt => IntCc::Ule,
            IntCc::Uge => IntCc::Ult,
            IntCc::Slt => IntCc::Sge,
            IntCc::Sle => IntCc::Sgt,
            IntCc::Sgt => IntCc::Sle,
            IntCc::Sge => IntCc::Slt,
        }
    }
}

/// Floating-point predicates: `O*` are false and `U*` true if an operand is NaN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum FloatCc {
    Oeq,
    One,
    Olt,
    Ole,
    Ogt,
    Oge,
    Ord,
    Ueq,
    Une,
    Ult,
    Ule,
    Ugt,
    Uge,
    Uno,
}

/// Two-operand arithmetic; operands and result have one type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum BinOp {
    Iadd,
    Isub,
    Imul,
    Udiv,
    Sdiv,
    Urem,
    Srem,
    And,
    Or,
    Xor,
    /// Shifts: the amount is taken modulo the width (OpenCL C rules).
    Shl,
    Lshr,
    Ashr,
    /// Rotate left by an amount modulo the width.
    Rotl,
    /// High half of the double-width product.
    UmulHi,
    SmulHi,
    Umin,
    Umax,
    Smin,
    Smax,
    Fadd,
    Fsub,
    Fmul,
    Fdiv,
    /// C `fmod`-like remainder (sign of the dividend), exact.
    Frem,
    /// IEEE 754 minNum/maxNum as OpenCL `fmin`/`fmax`: a NaN operand is ignored.
    Fmin,
    Fmax,
}

/// One-operand arithmetic; operand and result have one type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum UnOp {
    /// Bit-wise not (logical not on `i1`).
    Not,
    Popcnt,
    Clz,
    Ctz,
    Bitrev,
    Fneg,
    Fabs,
    Floor,
    Ceil,
    Trunc,
    /// Round to nearest, ties to even.
    Rint,
    /// Square root with the device's own precision.
    Sqrt,
    /// Device-precision functions (GLSL.std.450): used for `native_*` and inside the library.
    NativeRsqrt,
    NativeSin,
    NativeCos,
    NativeTan,
    NativeExp2,
    NativeLog2,
    NativeExp,
    NativeLog,
    NativeRecip,
}

/// Value conversions; lane counts agree unless stated otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum CastOp {
    /// Integer to narrower integer (`i1`: the low bit).
    Trunc,
    Zext,
    Sext,
    /// Float to float of another width, round to nearest even.
    FpConv,
    /// Float to integer, round toward zero; out of range is undefined.
    FpToS,
    FpToU,
    /// Integer to float, round to nearest even.
    SToFp,
    UToFp,
    /// Same number of bits, another type: lane counts may differ. Not on pointers.
    Bitcast,
    /// Pointer to `i64` and back.
    PtrToInt,
    IntToPtr,
    /// Pointer to another address space (to or from generic).
    PtrCast,
}

/// Rounding mode of an explicit conversion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Rounding {
    Rte,
    Rtz,
    Rtp,
    Rtn,
}

/// Read-modify-write operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum RmwOp {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Xchg,
    Umin,
    Umax,
    Smin,
    Smax,
    Fadd,
    Fmin,
    Fmax,
}

/// Memory scope of atomics, fences and barriers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Scope {
    WorkItem,
    SubGroup,
    WorkGroup,
    Device,
    AllDevices,
}

/// Memory order of atomics and fences.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Ordering {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

/// Address spaces a barrier or fence orders.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct FenceSpaces {
    pub local: bool,
    pub global: bool,
    pub image: bool,
}

impl FenceSpaces {
    /// Local and global memory.
    pub const LOCAL_AND_GLOBAL: FenceSpaces = FenceSpaces { local: true, global: true, image: false };
}

/// Work-item queries. Results are `i64`, except `WorkDim` and the sub-group queries (`i32`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum WorkItemQuery {
    GlobalId,
    LocalId,
    GroupId,
    GlobalSize,
    LocalSize,
    EnqueuedLocalSize,
    NumGroups,
    GlobalOffset,
    WorkDim,
    GlobalLinearId,
    LocalLinearId,
    SubGroupSize,
    SubGroupMaxSize,
    NumSubGroups,
    EnqueuedNumSubGroups,
    SubGroupId,
    SubGroupLocalId,
}

/// 32-bit values that the device provides to a Vulkan compute shader (phase Lowered and later; result `i32`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum ShaderInput {
    LocalId,
    WorkgroupId,
    GlobalId,
    NumWorkgroups,
    WorkgroupSize,
    LocalIndex,
    /// Not 0 if the lane executes a work-item. A group's last vector of lanes may have others.
    IsWorkItem,
    SubGroupSize,
    NumSubGroups,
    SubGroupId,
    SubGroupLocalId,
    /// Texel order of the storage image at binding `dim` ([`crate::texel_order`]).
    TexelOrder,
    /// Abilities of texture units with the sampled image at binding `dim` ([`crate::abi::ability`]).
    ImageAbilities,
}

/// Operation of an instruction. Comments give `args -> results`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Op {
    /// `x, y -> T`
    Bin(BinOp),
    /// `x -> T`
    Un(UnOp),
    /// Correctly rounded fused multiply-add as in the OpenCL `fma` built-in. `a, b, c -> T`
    Fma,
    /// `a * b + c`, fused or not, whichever is faster. `a, b, c -> T`
    Mad,
    /// `x, y -> i1 or vec<i1>`
    Icmp(IntCc),
    /// `x, y -> i1 or vec<i1>`
    Fcmp(FloatCc),
    /// `cond(i1 or vec<i1>), a, b -> T`; an `i1` condition selects whole values.
    Select,
    /// `x -> U`
    Cast(CastOp),
    /// Conversion with explicit rounding, saturation or both between scalar kinds; `from_signed` and
    /// `to_signed` give the signedness of integers. Removed by `lower_builtins`. `x -> U`
    Convert {
        from_signed: bool,
        to_signed: bool,
        rounding: Option<Rounding>,
        saturate: bool,
    },

    /// `vec -> lane`
    Extract(u8),
    /// `vec, index(i32) -> lane`; out of range is undefined.
    ExtractDyn,
    /// `vec, lane -> vec`
    Insert(u8),
    /// `vec, lane, index(i32) -> vec`
    InsertDyn,
    /// One operand for each lane. `s0 .. sn -> vec`
    VecBuild,
    /// `s -> vec`
    Splat,
    /// Lane selection from the concatenation of both operands; `u8::MAX` gives an undefined lane. `a, b ->
    /// vec`
    Shuffle(SmallVec<[u8; 16]>),
    /// `vec<i1> -> i1`
    Any,
    /// `vec<i1> -> i1`
    All,

    /// `addr -> T`
    Load(Access),
    /// `value, addr ->`
    Store(Access),
    /// `ptr, i64 byte offset -> ptr`
    PtrAdd,
    /// Whether a pointer points into this address space (private, local or global); NULL and `__constant`
    /// memory count as global. `ptr -> i1`
    IsSpace(Space),
    /// Address of a stack slot. `-> ptr.private`
    SlotAddr(Slot),
    /// Address of a global. `-> ptr`
    GlobalAddr(Global),
    /// Address of the launch's print buffer (see [`crate::printf`]). `-> ptr.global`
    PrintBuffer,
    /// `dst, src, i64 bytes ->`
    Memcpy {
        dst: Access,
        src: Access,
    },
    /// `dst, i8, i64 bytes ->`
    Memset(Access),
    /// `addr, x -> old`
    AtomicRmw {
        op: RmwOp,
        access: Access,
        scope: Scope,
        order: Ordering,
    },
    /// `addr, expected, desired -> old`
    AtomicCas {
        access: Access,
        scope: Scope,
        success: Ordering,
        failure: Ordering,
    },
    /// `addr -> T`
    AtomicLoad {
        access: Access,
        scope: Scope,
        order: Ordering,
    },
    /// `value, addr ->`
    AtomicStore {
        access: Access,
        scope: Scope,
        order: Ordering,
    },
    /// Execution barrier over `exec` with memory ordering.
    Barrier {
        exec: Scope,
        memory: Scope,
        order: Ordering,
        spaces: FenceSpaces,
    },
    /// Memory fence.
    Fence {
        scope: Scope,
        order: Ordering,
        spaces: FenceSpaces,
    },

    /// Operation between the work-items of a sub-group or work-group.
    Group {
        scope: Scope,
        op: GroupOp,
    },
    /// Sum of four products of signed or unsigned bytes. `i32, i32 -> i32`
    Dot4 {
        x_signed: bool,
        y_signed: bool,
    },
    /// Ticks of a clock that the work-items of the scope share. `-> i64`
    Clock(Scope),

    /// Work-item query. The dimension is 0 for queries without one. `-> i64 or i32`
    WorkItem {
        query: WorkItemQuery,
        dim: u8,
    },
    /// Value provided by the device. `-> i32`
    Input {
        input: ShaderInput,
        dim: u8,
    },
    /// Load from the packed kernel arguments at a byte offset. `-> T` (i32, i64, f32 or f64)
    Arg {
        offset: u32,
    },
    /// An implicit argument of the launch, or the low word of one. `-> i32 or i64`
    Implicit(ImplicitArg),
    /// Load from the push-constant block at a byte offset. `-> T` (i32, i64, f32 or f64)
    PushConst {
        offset: u32,
    },

    /// An image operation (see [`ImageOp`]). Until it is lowered (`var`), the image is the first argument.
    Image {
        op: ImageOp,
        dim: ImageDim,
        var: Option<Var>,
    },

    /// OpenCL.std extended instruction (`ClOp`), removed by `lower_builtins`. `args -> T`
    OpenCl(#[serde(with = "super::binary::cl_op")] ClOp),
    /// `args -> results`
    Call(FuncRef),
    /// Call of the runtime (see [`RuntimeCall`]); native code only.
    Runtime(RuntimeCall),
    /// Call of the checking runtime (see [`CheckOp`]); instrumented native code only.
    Check(CheckOp),
    /// Operation on the work-items of a vector (see [`LaneOp`]); vectorised native code only.
    Lanes(LaneOp),
    /// Value of the launch's context; native code with parallel regions only. `-> T`
    Context(ContextField),

    /// `-> ` targets: one.
    Jump,
    /// `cond(i1)` targets: then, else.
    BrIf,
    /// `x(int)` targets: default, then one for each case value.
    Switch(Box<[u64]>),
    /// `results of the function`
    Return,
    Unreachable,
}

impl Op {
    /// Barrier of OpenCL C or SPIR-V over `exec` that orders `spaces` at the scope `memory`.
    ///
    /// A barrier that names no memory orders local and global memory between the work-items of
    /// `exec`. The specification leaves that memory unordered; other drivers order it, and producers
    /// (Julia) write OpControlBarrier without memory semantics for that effect.
    pub fn barrier(exec: Scope, memory: Scope, spaces: FenceSpaces) -> Op {
        let (memory, spaces) = match spaces == FenceSpaces::default() {
            true => (exec, FenceSpaces::LOCAL_AND_GLOBAL),
            false => (memory, spaces),
        };
        Op::Barrier { exec, memory, order: Ordering::AcqRel, spaces }
    }
    /// Whether this ends a block.
    pub fn is_terminator(&self) -> bool {
        matches!(self, Op::Jump | Op::BrIf | Op::Switch(_) | Op::Return | Op::Unreachable)
    }
    /// The memory access of a load, store or atomic.
    pub fn access(&self) -> Option<&Access> {
        match self {
            Op::Load(a) | Op::Store(a) | Op::Memset(a) => Some(a),
            Op::Check(CheckOp::Load { access, .. } | CheckOp::Store(access)) => Some(access),
            Op::Lanes(
                LaneOp::Load(access)
                | LaneOp::Store(access)
                | LaneOp::Gather(access)
                | LaneOp::Scatter(access),
            ) => Some(access),
            Op::AtomicRmw { access, .. }
            | Op::AtomicCas { access, .. }
            | Op::AtomicLoad { access, .. }
            | Op::AtomicStore { access, .. } => Some(access),
            _ => None,
        }
    }
    /// Mutable access to [`Op::access`].
    pub fn access_mut(&mut self) -> Option<&mut Access> {
        match self {
            Op::Load(a) | Op::Store(a) | Op::Memset(a) => Some(a),
            Op::Check(CheckOp::Load { access, .. } | CheckOp::Store(access)) => Some(access),
            Op::Lanes(
                LaneOp::Load(access)
                | LaneOp::Store(access)
                | LaneOp::Gather(access)
                | LaneOp::Scatter(access),
            ) => Some(access),
            Op::AtomicRmw { access, .. }
            | Op::AtomicCas { access, .. }
            | Op::AtomicLoad { access, .. }
            | Op::AtomicStore { access, .. } => Some(access),
            _ => None,
        }
    }
    /// Argument index of the address of a load, store or atomic; `None` for operations on vectors of
    /// work-items and for checks.
    pub fn address_arg(&self) -> Option<usize> {
        match self {
            Op::Load(_)
            | Op::AtomicRmw { .. }
            | Op::AtomicCas { .. }
            | Op::AtomicLoad { .. }
            | Op::Memset(_) => Some(0),
            Op::Store(_) | Op::AtomicStore { .. } => Some(1),
            _ => None,
        }
    }
    /// Whether the instruction must stay even without uses of its results: it writes memory, synchronises,
    /// transfers control, calls, or reads volatile memory.
    pub fn has_side_effects(&self) -> bool {
        match self {
            Op::Load(a) | Op::Lanes(LaneOp::Load(a) | LaneOp::Gather(a)) => a.volatile,
            Op::Lanes(LaneOp::Store(_) | LaneOp::Scatter(_)) => true,
            Op::Store(_)
            | Op::Memcpy { .. }
            | Op::Memset(_)
            | Op::AtomicRmw { .. }
            | Op::AtomicCas { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Barrier { .. }
            | Op::Fence { .. }
            | Op::Group { .. }
            | Op::Clock(_)
            | Op::Image { op: ImageOp::Write | ImageOp::WriteLevel, .. }
            | Op::Call(_)
            | Op::Runtime(_)
            | Op::Check(_) => true,
            Op::OpenCl(op) => matches!(
                op,
                ClOp::fract
                    | ClOp::frexp
                    | ClOp::lgamma_r
                    | ClOp::modf
                    | ClOp::remquo
                    | ClOp::sincos
                    | ClOp::printf
                    | ClOp::prefetch
            ),
            _ => self.is_terminator(),
        }
    }
    /// Whether the result depends only on the operands (so equal instructions may be merged).
    pub fn is_pure(&self) -> bool {
        !self.has_side_effects()
            && !matches!(self, Op::Load(_) | Op::Lanes(LaneOp::Load(_) | LaneOp::Gather(_)))
            && !matches!(self, Op::Image { op: ImageOp::Read | ImageOp::ReadLevel | ImageOp::Filter, .. })
    }
}

/// A control-flow edge: the block and the arguments for its parameters.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct BlockCall {
    pub block: Block,
    pub args: SmallVec<[Value; 4]>,
}

impl BlockCall {
    /// An edge with arguments.
    pub fn new(block: Block, args: &[Value]) -> Self {
        BlockCall { block, args: SmallVec::from_slice(args) }
    }
}

/// One instruction.
#[derive(PartialEq, Debug, Serialize, Deserialize)]
pub struct InstData {
    pub op: Op,
    pub args: SmallVec<[Value; 4]>,
    pub targets: Vec<BlockCall>,
    pub results: SmallVec<[Value; 1]>,
    /// Fast-math permissions of a floating-point operation.
    pub fast: FastMath,
    /// Source line (1-based), 0 if unknown.
    pub line: u32,
}

impl Clone for InstData {
    /// Copies the values as memory, which the derived form does one by one.
    fn clone(&self) -> Self {
        InstData {
            op: self.op.clone(),
            args: SmallVec::from_slice(&self.args),
            targets: self.targets.clone(),
            results: SmallVec::from_slice(&self.results),
            fast: self.fast,
            line: self.line,
        }
    }
}

impl InstData {
    /// The values that the instruction uses: arguments, and those of its targets.
    pub fn operands(&self) -> impl Iterator<Item = &Value> + '_ {
        self.args.iter().chain(self.targets.iter().flat_map(|t| &t.args))
    }

    /// Like [`InstData::operands`], to replace them.
    pub fn operands_mut(&mut self) -> impl Iterator<Item = &mut Value> + '_ {
        self.args.iter_mut().chain(self.targets.iter_mut().flat_map(|t| &mut t.args))
    }
}

/// Fast-math flags of -cl-fast-relaxed-math and similar options (SPIR-V FPFastMathMode).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct FastMath {
    pub no_nan: bool,
    pub no_inf: bool,
    pub no_signed_zero: bool,
    pub allow_recip: bool,
    /// A product may be fused with the sum that uses it.
    pub contract: bool,
    pub fast: bool,
}
