//! Names of operations, predicates and attributes in the text form.
//!
//! One table per enumeration serves both printing ([`Named::name`]) and parsing ([`Named::from_name`]), so
//! the two cannot disagree. The mnemonics of all opcode families are distinct.

use super::func::Linkage;
use super::group::{LaneMask, Scan};
use super::image::{ImageDim, ImageOp};
use super::inst::{
    BinOp, CastOp, ClOp, FloatCc, IntCc, Ordering, RmwOp, Rounding, Scope, ShaderInput, UnOp, WorkItemQuery,
};
use super::lanes::ContextField;
use super::module::Phase;
use super::runtime::RuntimeCall;
use super::types::{Opaque, Scalar, Space, Type};
use crate::metadata::{AccessQualifier, AddressQualifier, ArgKind};

/// An enumeration whose members have names in the text form.
pub trait Named: Sized + Copy + 'static {
    /// The name of this member.
    fn name(self) -> &'static str;
    /// The member with this name.
    fn from_name(name: &str) -> Option<Self>;
}

macro_rules! named {
    ($($ty:ident { $($variant:ident = $name:literal),* $(,)? })*) => {$(
        impl Named for $ty {
            fn name(self) -> &'static str {
                match self { $($ty::$variant => $name),* }
            }
            fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some($ty::$variant),)* _ => None }
            }
        }
    )*};
}

named! {
    BinOp {
        Iadd = "iadd", Isub = "isub", Imul = "imul", Udiv = "udiv", Sdiv = "sdiv", Urem = "urem",
        Srem = "srem", And = "and", Or = "or", Xor = "xor", Shl = "shl", Lshr = "lshr", Ashr = "ashr",
        Rotl = "rotl", UmulHi = "umul_hi", SmulHi = "smul_hi", Umin = "umin", Umax = "umax",
        Smin = "smin", Smax = "smax", Fadd = "fadd", Fsub = "fsub", Fmul = "fmul", Fdiv = "fdiv",
        Frem = "frem", Fmin = "fmin", Fmax = "fmax",
    }
    UnOp {
        Not = "not", Popcnt = "popcnt", Clz = "clz", Ctz = "ctz", Bitrev = "bitrev", Fneg = "fneg",
        Fabs = "fabs", Floor = "floor", Ceil = "ceil", Trunc = "ftrunc", Rint = "rint", Sqrt = "sqrt",
        NativeRsqrt = "native_rsqrt", NativeSin = "native_sin", NativeCos = "native_cos",
        NativeTan = "native_tan", NativeExp2 = "native_exp2", NativeLog2 = "native_log2",
        NativeExp = "native_exp", NativeLog = "native_log", NativeRecip = "native_recip",
    }
    CastOp {
        Trunc = "trunc", Zext = "zext", Sext = "sext", FpConv = "fp_conv", FpToS = "fp_to_s",
        FpToU = "fp_to_u", SToFp = "s_to_fp", UToFp = "u_to_fp", Bitcast = "bitcast",
        PtrToInt = "ptr_to_int", IntToPtr = "int_to_ptr", PtrCast = "ptr_cast",
    }
    IntCc {
        Eq = "eq", Ne = "ne", Ult = "ult", Ule = "ule", Ugt = "ugt", Uge = "uge", Slt = "slt",
        Sle = "sle", Sgt = "sgt", Sge = "sge",
    }
    RuntimeCall {
        EnqueueKernel = "enqueue_kernel", EnqueueMarker = "enqueue_marker",
        CreateUserEvent = "create_user_event", SetUserEventStatus = "set_user_event_status",
        RetainEvent = "retain_event", ReleaseEvent = "release_event", IsValidEvent = "is_valid_event",
        CaptureProfiling = "capture_event_profiling_info", DefaultQueue = "get_default_queue",
        WorkGroupSize = "work_group_size", PreferredMultiple = "preferred_multiple",
        SubGroupCount = "sub_group_count", MaxSubGroupSize = "max_sub_group_size",
        LocalSizeForSubGroups = "local_size_for_sub_groups", MaxSubGroups = "max_sub_groups",
    }
    FloatCc {
        Oeq = "oeq", One = "one", Olt = "olt", Ole = "ole", Ogt = "ogt", Oge = "oge", Ord = "ord",
        Ueq = "ueq", Une = "une", Ult = "ult", Ule = "ule", Ugt = "ugt", Uge = "uge", Uno = "uno",
    }
    ContextField { Scratch = "scratch", NoStream = "no_stream" }
    Scan { Reduce = "reduce", Inclusive = "inclusive", Exclusive = "exclusive" }
    LaneMask { Eq = "eq", Ge = "ge", Gt = "gt", Le = "le", Lt = "lt" }
    Rounding { Rte = "rte", Rtz = "rtz", Rtp = "rtp", Rtn = "rtn" }
    RmwOp {
        Add = "add", Sub = "sub", And = "and", Or = "or", Xor = "xor", Xchg = "xchg", Umin = "umin",
        Umax = "umax", Smin = "smin", Smax = "smax", Fadd = "fadd", Fmin = "fmin", Fmax = "fmax",
    }
    Scope {
        WorkItem = "work_item", SubGroup = "sub_group", WorkGroup = "work_group", Device = "device",
        AllDevices = "all_devices",
    }
    Ordering {
        Relaxed = "relaxed", Acquire = "acquire", Release = "release", AcqRel = "acq_rel",
        SeqCst = "seq_cst",
    }
    WorkItemQuery {
        GlobalId = "global_id", LocalId = "local_id", GroupId = "group_id", GlobalSize = "global_size",
        LocalSize = "local_size", EnqueuedLocalSize = "enqueued_local_size", NumGroups = "num_groups",
        GlobalOffset = "global_offset", WorkDim = "work_dim", GlobalLinearId = "global_linear_id",
        LocalLinearId = "local_linear_id", SubGroupSize = "sub_group_size",
        SubGroupMaxSize = "sub_group_max_size", NumSubGroups = "num_sub_groups",
        EnqueuedNumSubGroups = "enqueued_num_sub_groups", SubGroupId = "sub_group_id",
        SubGroupLocalId = "sub_group_local_id",
    }
    ShaderInput {
        LocalId = "local_id", WorkgroupId = "workgroup_id", GlobalId = "global_id",
        NumWorkgroups = "num_workgroups", WorkgroupSize = "workgroup_size", LocalIndex = "local_index",
        IsWorkItem = "is_work_item",
        SubGroupSize = "sub_group_size", NumSubGroups = "num_sub_groups", SubGroupId = "sub_group_id",
        SubGroupLocalId = "sub_group_local_id", TexelOrder = "texel_order",
        ImageAbilities = "image_abilities",
    }
    ImageDim {
        D1 = "d1", D1Array = "d1_array", Buffer = "buffer", D2 = "d2", D2Array = "d2_array", D3 = "d3",
    }
    ImageOp {
        Sample = "sample", SampleLod = "sample_lod", Read = "read", ReadLevel = "read_level",
        Levels = "levels", Write = "write", WriteLevel = "write_level", Size = "size", Order = "order",
        DataType = "data_type", Address = "address", CanFilter = "can_filter", Filter = "filter",
        FetchesBorder = "fetches_border",
    }
    Phase {
        Imported = "imported", Linked = "linked", Inlined = "inlined", Lowered = "lowered",
        Legal = "legal", Structured = "structured",
    }
    Linkage { Internal = "internal", Export = "export", Once = "once", Import = "import" }
    Space {
        Private = "private", Local = "local", Global = "global", Constant = "constant",
        Generic = "generic",
    }
    ArgKind {
        Value = "value", GlobalPtr = "global_ptr", ConstantPtr = "constant_ptr", LocalPtr = "local_ptr",
        Image = "image", Sampler = "sampler", Queue = "queue",
    }
    AddressQualifier { Private = "private", Local = "local", Global = "global", Constant = "constant" }
    AccessQualifier {
        None = "none", ReadOnly = "read_only", WriteOnly = "write_only", ReadWrite = "read_write",
    }
}

/// The OpenCL.std instruction with this name.
pub fn cl_op_from_name(name: &str) -> Option<ClOp> {
    (0..=204).filter_map(ClOp::from_u32).find(|op| format!("{op:?}") == name)
}

/// Most lanes of a vector.
const MAX_LANES: u8 = 64;

/// The pointer type `ptr.NAME`: an address space, and the number of lanes of a vector.
pub fn pointer_from_name(name: &str) -> Option<Type> {
    match name.split_once('x') {
        Some((space, lanes)) => {
            let lanes = lanes.parse::<u8>().ok().filter(|n| (2..=MAX_LANES).contains(n))?;
            Some(Type::PtrVector(Space::from_name(space)?, lanes))
        }
        None => Space::from_name(name).map(Type::Ptr),
    }
}

/// The type with this name (the inverse of `Display` of [`Type`]).
pub fn type_from_name(name: &str) -> Option<Type> {
    match name {
        "event" => return Some(Type::Opaque(Opaque::Event)),
        "image" => return Some(Type::Opaque(Opaque::Image)),
        _ => {}
    }
    if let Some(space) = name.strip_prefix("ptr.") {
        return pointer_from_name(space);
    }
    let (scalar, lanes) = match name.split_once('x') {
        Some((scalar, lanes)) => {
            (scalar, Some(lanes.parse::<u8>().ok().filter(|n| (2..=MAX_LANES).contains(n))?))
        }
        None => (name, None),
    };
    use Scalar::*;
    let scalar = [I1, I8, I16, I32, I64, F16, F32, F64].into_iter().find(|s| s.name() == scalar)?;
    Some(lanes.map_or(Type::Scalar(scalar), |n| Type::Vector(scalar, n)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::types::*;

    #[test]
    fn type_names_read_back() {
        for ty in [
            I1,
            F16,
            Type::Vector(Scalar::I8, 16),
            Type::Vector(Scalar::I32, 5),
            Type::Ptr(Space::Generic),
            Type::PtrVector(Space::Local, 16),
            Type::Opaque(Opaque::Event),
        ] {
            assert_eq!(type_from_name(&ty.to_string()), Some(ty));
        }
        assert_eq!(type_from_name("i32x65"), None);
        assert_eq!(type_from_name("i33"), None);
    }

    #[test]
    fn opencl_names_read_back() {
        assert_eq!(cl_op_from_name("sincos"), Some(ClOp::sincos));
        assert_eq!(cl_op_from_name("nonsense"), None);
    }
}
