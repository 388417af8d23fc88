//! The opcode signature table: result types of each operation by its operand types, and the rules for
//! operands.
//!
//! The printer and the parser omit result types that [`infer`] returns; the verifier compares with them. The
//! table is independent of control flow, phases and other functions.

use super::check::CheckOp;
use super::group::GroupOp;
use super::image::{ImageDim, ImageOp, TEXELS, is_coordinate};
use super::inst::{CastOp, Op, Root, Scope, ShaderInput, UnOp, WorkItemQuery};
use super::lanes::{ContextField, LaneOp};
use super::types::{F32, I1, I8, I32, I64, Scalar, Space, Type};
use super::{BinOp, RmwOp};
use smallvec::{SmallVec, smallvec};

/// Result types of an operation.
pub type ResultTypes = SmallVec<[Type; 1]>;

/// Returns the result types that follow from the operation and its operand types; `None` if the instruction
/// states them (loads, conversions, calls, ...) or the operands are invalid.
pub fn infer(op: &Op, args: &[Type]) -> Option<ResultTypes> {
    let arg = |i: usize| args.get(i).copied();
    let one = |t: Type| Some(smallvec![t]);
    match op {
        Op::Bin(_) | Op::Un(_) | Op::Fma | Op::Mad | Op::Insert(_) | Op::InsertDyn => one(arg(0)?),
        // One address with many offsets gives many addresses.
        Op::PtrAdd => one(arg(0)?.of_lanes(arg(1)?.lanes())),
        Op::Icmp(_) | Op::Fcmp(_) => one(Type::vector(Scalar::I1, arg(0)?.lanes())),
        Op::Select => one(arg(1)?),
        Op::Extract(_) | Op::ExtractDyn => one(arg(0)?.lane()),
        Op::VecBuild => one(Type::Vector(arg(0)?.scalar()?, args.len() as u8)),
        Op::Shuffle(lanes) => one(Type::vector(arg(0)?.scalar()?, lanes.len() as u32)),
        Op::Any | Op::All => one(I1),
        Op::IsSpace(_) => one(I1.of_lanes(arg(0)?.lanes())),
        Op::Group { op, .. } => one(match op {
            GroupOp::All
            | GroupOp::Any
            | GroupOp::AllEqual
            | GroupOp::Elect
            | GroupOp::InverseBallot
            | GroupOp::BallotBit => I1,
            GroupOp::Ballot | GroupOp::Mask(_) => Type::Vector(Scalar::I32, 4),
            GroupOp::BallotCount(_) | GroupOp::BallotLsb | GroupOp::BallotMsb => I32,
            _ => arg(0)?,
        }),
        Op::Dot4 { .. } => one(I32),
        Op::Clock(_) => one(I64),
        Op::SlotAddr(_) => one(Type::Ptr(super::Space::Private)),
        Op::AtomicRmw { .. } | Op::AtomicCas { .. } => one(arg(1)?),
        Op::WorkItem { query, .. } => one(match query {
            WorkItemQuery::WorkDim
            | WorkItemQuery::SubGroupSize
            | WorkItemQuery::SubGroupMaxSize
            | WorkItemQuery::NumSubGroups
            | WorkItemQuery::EnqueuedNumSubGroups
            | WorkItemQuery::SubGroupId
            | WorkItemQuery::SubGroupLocalId => I32,
            _ => I64,
        }),
        Op::Input { .. } => one(I32),
        Op::PrintBuffer => one(Type::Ptr(Space::Global)),
        Op::Image { op, dim, .. } => match op {
            ImageOp::Write | ImageOp::WriteLevel => Some(smallvec![]),
            ImageOp::Size => one(dim.size_type()),
            ImageOp::Levels | ImageOp::Order | ImageOp::DataType => one(I32),
            ImageOp::CanFilter | ImageOp::FetchesBorder => one(I1),
            ImageOp::Filter => one(TEXELS[0]),
            ImageOp::Address => one(Type::Ptr(Space::Constant)),
            ImageOp::Sample | ImageOp::SampleLod | ImageOp::Read | ImageOp::ReadLevel => None,
        },
        Op::Store(_)
        | Op::Memcpy { .. }
        | Op::Memset(_)
        | Op::AtomicStore { .. }
        | Op::Barrier { .. }
        | Op::Fence { .. }
        | Op::Jump
        | Op::BrIf
        | Op::Switch(_)
        | Op::Return
        | Op::Unreachable => Some(smallvec![]),
        Op::Cast(_)
        | Op::Convert { .. }
        | Op::Splat
        | Op::Load(_)
        | Op::GlobalAddr(_)
        | Op::AtomicLoad { .. }
        | Op::Arg { .. }
        | Op::Implicit(_)
        | Op::PushConst { .. }
        | Op::OpenCl(_)
        | Op::Call(_) => None,
        Op::Runtime(call) => Some(call.types().1.into_iter().collect()),
        Op::Check(check) => match check {
            CheckOp::Load { .. } => None,
            CheckOp::Address { .. } => one(arg(0)?),
            _ => Some(smallvec![]),
        },
        Op::Lanes(op) => match op {
            LaneOp::Load(_) | LaneOp::Gather(_) => None,
            LaneOp::Store(_) | LaneOp::Scatter(_) => Some(smallvec![]),
            LaneOp::MaskBits => one(I32),
            LaneOp::Freeze => one(arg(0)?),
        },
        Op::Context(ContextField::Scratch) => one(Type::Ptr(Space::Private)),
        Op::Context(ContextField::NoStream) => one(I64),
    }
}

/// Number of operands; `None` if it varies.
pub fn arity(op: &Op) -> Option<usize> {
    Some(match op {
        Op::Bin(_)
        | Op::Icmp(_)
        | Op::Fcmp(_)
        | Op::ExtractDyn
        | Op::Insert(_)
        | Op::Shuffle(_)
        | Op::PtrAdd => 2,
        Op::Un(_)
        | Op::Cast(_)
        | Op::Convert { .. }
        | Op::Extract(_)
        | Op::Splat
        | Op::Any
        | Op::All
        | Op::Load(_) => 1,
        Op::IsSpace(_) => 1,
        Op::Fma
        | Op::Mad
        | Op::Select
        | Op::InsertDyn
        | Op::Memcpy { .. }
        | Op::Memset(_)
        | Op::AtomicCas { .. } => 3,
        Op::Store(_) | Op::AtomicRmw { .. } | Op::AtomicStore { .. } => 2,
        Op::AtomicLoad { .. } | Op::BrIf | Op::Switch(_) => 1,
        Op::Group { op, .. } => match op {
            GroupOp::Elect | GroupOp::Mask(_) => 0,
            GroupOp::Broadcast | GroupOp::BallotBit => 2,
            GroupOp::Shuffle
            | GroupOp::ShuffleXor
            | GroupOp::ShuffleUp
            | GroupOp::ShuffleDown
            | GroupOp::Rotate { .. } => 2,
            _ => 1,
        },
        Op::Dot4 { .. } => 2,
        Op::Clock(_) => 0,
        Op::SlotAddr(_) | Op::GlobalAddr(_) | Op::Barrier { .. } | Op::Fence { .. } | Op::WorkItem { .. } => {
            0
        }
        Op::Input { .. }
        | Op::Arg { .. }
        | Op::Implicit(_)
        | Op::PushConst { .. }
        | Op::PrintBuffer
        | Op::Jump
        | Op::Unreachable => 0,
        Op::Image { op, var, .. } => op.operands() + usize::from(var.is_none()),
        Op::Runtime(call) => call.types().0.len(),
        Op::Check(CheckOp::Position) => 4,
        Op::Check(CheckOp::Start { .. }) | Op::Context(_) => 0,
        Op::Lanes(LaneOp::MaskBits | LaneOp::Freeze) => 1,
        // Some have a mask.
        Op::Check(_) | Op::Lanes(_) => return None,
        Op::VecBuild | Op::OpenCl(_) | Op::Call(_) | Op::Return => return None,
    })
}

/// Checks the operation's rules for operands and results; the error describes the violation. Includes the
/// operand count and the result types of [`infer`], but not references to slots, variables and functions.
pub fn check(op: &Op, args: &[Type], results: &[Type]) -> Result<(), String> {
    if let Some(n) = arity(op)
        && n != args.len()
    {
        return Err(format!("takes {n} operands, has {}", args.len()));
    }
    if let Some(types) = infer(op, args) {
        if types.as_slice() != results {
            return Err(format!("result types are {}, must be {}", list(results), list(&types)));
        }
    } else if !matches!(op, Op::Call(_) | Op::OpenCl(_) | Op::Lanes(_) | Op::Check(_)) && results.len() != 1 {
        return Err(format!("has {} results, must have one", results.len()));
    }
    match op {
        Op::Bin(_)
        | Op::Un(_)
        | Op::Fma
        | Op::Mad
        | Op::Icmp(_)
        | Op::Fcmp(_)
        | Op::Select
        | Op::Cast(_)
        | Op::Convert { .. }
        | Op::Dot4 { .. } => check_value(op, args, results),
        Op::Extract(_)
        | Op::ExtractDyn
        | Op::Insert(_)
        | Op::InsertDyn
        | Op::VecBuild
        | Op::Splat
        | Op::Shuffle(_)
        | Op::Any
        | Op::All => check_vector(op, args, results),
        Op::Load(_)
        | Op::Store(_)
        | Op::PtrAdd
        | Op::IsSpace(_)
        | Op::GlobalAddr(_)
        | Op::Memcpy { .. }
        | Op::Memset(_)
        | Op::AtomicRmw { .. }
        | Op::AtomicCas { .. }
        | Op::AtomicLoad { .. }
        | Op::AtomicStore { .. } => check_memory(op, args, results),
        Op::Input { .. }
        | Op::WorkItem { .. }
        | Op::Arg { .. }
        | Op::PushConst { .. }
        | Op::Implicit(_)
        | Op::Runtime(_)
        | Op::BrIf
        | Op::Switch(_) => check_input(op, args, results),
        Op::Image { op, dim, var } => check_image(*op, *dim, var.is_some(), args, results),
        Op::Group { scope, op } => check_group(*scope, *op, args),
        Op::Check(_) | Op::Lanes(_) => check_lanes(op, args, results),
        Op::PrintBuffer
        | Op::Context(_)
        | Op::SlotAddr(_)
        | Op::Clock(_)
        | Op::Barrier { .. }
        | Op::Fence { .. }
        | Op::OpenCl(_)
        | Op::Call(_)
        | Op::Jump
        | Op::Return
        | Op::Unreachable => Ok(()),
    }?;
    check_addresses(op, args)
}

/// The error of a broken rule.
fn require(args: &[Type], ok: bool, what: &str) -> Result<(), String> {
    if ok { Ok(()) } else { Err(format!("{what}; operands {}", list(args))) }
}

/// Arithmetic, comparisons, selections and conversions.
fn check_value(op: &Op, args: &[Type], results: &[Type]) -> Result<(), String> {
    let require = |ok, what| require(args, ok, what);
    match op {
        Op::Bin(b) => {
            require(args[0] == args[1], "operands must have one type")?;
            if is_float_bin(*b) {
                require(args[0].is_float(), "operands must be floating-point")
            } else {
                let logic = matches!(b, BinOp::And | BinOp::Or | BinOp::Xor);
                let i1 = args[0].scalar() == Some(Scalar::I1);
                require(args[0].is_int() && (logic || !i1), "operands must be integers")
            }
        }
        Op::Un(u) => match u {
            UnOp::Not => require(args[0].is_int(), "operand must be an integer"),
            UnOp::Popcnt | UnOp::Clz | UnOp::Ctz | UnOp::Bitrev => require(
                args[0].is_int() && args[0].scalar() != Some(Scalar::I1),
                "operand must be an integer",
            ),
            _ => require(args[0].is_float(), "operand must be floating-point"),
        },
        Op::Fma | Op::Mad => require(
            args[0].is_float() && args[1] == args[0] && args[2] == args[0],
            "operands must have one floating-point type",
        ),
        Op::Icmp(_) => require(
            args[0] == args[1] && !args[0].is_float(),
            "operands must be integers or pointers of one type",
        ),
        Op::Fcmp(_) => {
            require(args[0] == args[1] && args[0].is_float(), "operands must have one floating-point type")
        }
        Op::Select => {
            require(args[1] == args[2], "both choices must have one type")?;
            let lanes = args[0].lanes();
            require(
                args[0].scalar() == Some(Scalar::I1) && (lanes == 1 || lanes == args[1].lanes()),
                "the condition must be i1, or a vector of i1 as long as the choices",
            )
        }
        Op::Cast(c) => check_cast(*c, args[0], results[0]),
        Op::Convert { .. } => require(
            args[0].scalar().is_some()
                && results[0].scalar().is_some()
                && args[0].lanes() == results[0].lanes(),
            "lane counts must agree",
        ),
        Op::Dot4 { .. } => require(args[0] == I32 && args[1] == I32, "operands must be i32"),
        _ => Ok(()),
    }
}

/// Operations on the lanes of vectors.
fn check_vector(op: &Op, args: &[Type], results: &[Type]) -> Result<(), String> {
    let require = |ok, what| require(args, ok, what);
    match op {
        Op::Extract(lane) => require((*lane as u32) < args[0].lanes() && is_vector(args[0]), "no such lane"),
        Op::ExtractDyn => require(is_vector(args[0]) && args[1] == I32, "takes a vector and an i32"),
        Op::Insert(lane) => require(
            (*lane as u32) < args[0].lanes() && is_vector(args[0]) && args[1] == args[0].lane(),
            "unfit lane",
        ),
        Op::InsertDyn => require(
            is_vector(args[0]) && args[1] == args[0].lane() && args[2] == I32,
            "takes a vector, its lane type and an i32",
        ),
        Op::VecBuild => {
            require((2..=64).contains(&args.len()), "takes 2 to 64 lanes")?;
            require(args.iter().all(|a| *a == args[0] && !is_vector(*a)), "lanes must have one scalar type")
        }
        Op::Splat => require(
            is_vector(results[0]) && results[0].lane() == args[0],
            "result must be a vector of the operand",
        ),
        Op::Shuffle(lanes) => {
            require(
                args[0].scalar().is_some() && args[0].scalar() == args[1].scalar(),
                "operands must share their scalar type",
            )?;
            let n = args[0].lanes() + args[1].lanes();
            require(lanes.iter().all(|l| *l == u8::MAX || (*l as u32) < n), "a lane is out of range")?;
            require((1..=16).contains(&lanes.len()), "takes 1 to 16 lanes")
        }
        Op::Any | Op::All => require(args[0].scalar() == Some(Scalar::I1), "operand must be a vector of i1"),
        _ => Ok(()),
    }
}

/// Addresses, and accesses to memory.
fn check_memory(op: &Op, args: &[Type], results: &[Type]) -> Result<(), String> {
    let require = |ok, what| require(args, ok, what);
    match op {
        Op::Load(_) => in_memory(results[0]),
        Op::Store(_) => in_memory(args[0]),
        Op::PtrAdd => {
            let lanes = [args[0].lanes(), args[1].lanes()];
            let fits = lanes[0] == 1 || lanes[0] == lanes[1];
            require(
                args[0].space().is_some() && args[1].lane() == I64 && fits,
                "takes a pointer and an i64, or vectors of them",
            )
        }
        Op::IsSpace(space) => {
            require(args[0].space().is_some(), "takes a pointer")?;
            require(
                matches!(space, Space::Private | Space::Local | Space::Global),
                "private, local or global",
            )
        }
        Op::GlobalAddr(_) => require(results[0].space().is_some(), "result must be a pointer"),
        Op::Memcpy { .. } => require(args[2] == I64, "the length must be i64"),
        Op::Memset(_) => require(args[1] == I8 && args[2] == I64, "takes an address, an i8 and an i64"),
        Op::AtomicRmw { op, .. } => {
            let float = matches!(op, RmwOp::Fadd | RmwOp::Fmin | RmwOp::Fmax);
            let fits = if float { args[1].is_float() } else { args[1].is_int() || *op == RmwOp::Xchg };
            require(fits && atomic_type(args[1]), "unfit operand type")
        }
        Op::AtomicCas { .. } => require(args[1] == args[2] && atomic_type(args[1]), "unfit operand type"),
        Op::AtomicLoad { .. } => require(atomic_type(results[0]), "unfit result type"),
        Op::AtomicStore { .. } => require(atomic_type(args[0]), "unfit operand type"),
        _ => Ok(()),
    }
}

/// Inputs of the kernel, calls of the runtime, and branches.
fn check_input(op: &Op, args: &[Type], results: &[Type]) -> Result<(), String> {
    let require = |ok, what| require(args, ok, what);
    match op {
        Op::Input { input: ShaderInput::TexelOrder | ShaderInput::ImageAbilities, .. } => Ok(()),
        Op::WorkItem { dim, .. } | Op::Input { dim, .. } => {
            require(*dim < 3, "the dimension must be 0, 1 or 2")
        }
        Op::Arg { .. } | Op::PushConst { .. } => {
            require(results[0].access_bytes().is_some(), "unfit result type")
        }
        Op::Implicit(arg) => {
            require(results[0] == I32 || results[0] == I64 && arg.size() == 8, "unfit result type")
        }
        Op::Runtime(call) => {
            let fits =
                |(arg, want): (&Type, &Type)| arg == want || arg.space().is_some() && want.space().is_some();
            require(args.iter().zip(call.types().0).all(fits), "unfit operands")
        }
        Op::BrIf => require(args[0] == I1, "the condition must be i1"),
        Op::Switch(_) => require(args[0].is_int() && !is_vector(args[0]), "the selector must be an integer"),
        _ => Ok(()),
    }
}

/// Accesses to an image, which is the first operand unless it `is_var`.
fn check_image(
    op: ImageOp,
    dim: ImageDim,
    is_var: bool,
    args: &[Type],
    results: &[Type],
) -> Result<(), String> {
    let require = |ok, what| require(args, ok, what);
    let rest = if is_var { args } else { &args[1..] };
    require(is_var || args[0] == Type::Opaque(super::Opaque::Image), "the first operand must be an image")?;
    match op {
        ImageOp::Sample | ImageOp::Filter => require(rest[0] == I32, "a sampler is an i32")?,
        ImageOp::CanFilter => return require(rest[0] == I32, "a sampler is an i32"),
        ImageOp::SampleLod => {
            require(rest[0] == I32 && rest[2] == F32, "a sampler is an i32, a level an f32")?
        }
        ImageOp::ReadLevel => require(rest[1] == I32, "a level is an i32")?,
        ImageOp::Write => require(TEXELS.contains(&rest[1]), "unfit texel")?,
        ImageOp::WriteLevel => {
            require(rest[1] == I32 && TEXELS.contains(&rest[2]), "a level is an i32 before the texel")?
        }
        _ => {}
    }
    if let ImageOp::Sample | ImageOp::SampleLod | ImageOp::Read | ImageOp::ReadLevel = op {
        require(TEXELS.contains(&results[0]), "unfit texel")?;
    }
    let at = usize::from(matches!(op, ImageOp::Sample | ImageOp::SampleLod | ImageOp::Filter));
    require(op.operands() == 0 || is_coordinate(op, dim, rest[at]), "unfit coordinates")
}

/// Operands of operations on lanes and of checks, which may have a mask at the end.
fn check_lanes(op: &Op, args: &[Type], results: &[Type]) -> Result<(), String> {
    let has_mask = args.last().is_some_and(|ty| ty.is_bool() && is_vector(*ty));
    let rest = &args[..args.len() - usize::from(has_mask)];
    let pointer = rest.last().is_some_and(|ty| ty.space().is_some());
    let gathers = rest.last().is_some_and(|ty| is_vector(*ty));
    let ok = match op {
        Op::Lanes(LaneOp::MaskBits) => args[0].is_bool() && is_vector(args[0]) && args[0].lanes() <= 32,
        Op::Lanes(LaneOp::Freeze) => true,
        Op::Lanes(LaneOp::Load(_)) => rest.len() == 1 && pointer && !gathers && !results.is_empty(),
        Op::Lanes(LaneOp::Store(_)) => rest.len() >= 2 && pointer && !gathers,
        Op::Lanes(LaneOp::Gather(_)) => rest.len() == 1 && gathers && pointer && results.len() == 1,
        Op::Lanes(LaneOp::Scatter(_)) => rest.len() == 2 && gathers && pointer,
        Op::Check(CheckOp::Load { .. }) => rest.len() == 1 && pointer && !results.is_empty(),
        Op::Check(CheckOp::Store(_)) => rest.len() >= 2 && pointer,
        Op::Check(CheckOp::Address { .. }) => rest.len() == 1 && pointer,
        Op::Check(CheckOp::Order { .. }) => rest.is_empty(),
        Op::Check(CheckOp::Position) => args[..3] == [I64; 3] && args[3].space().is_some(),
        _ => true,
    };
    if !ok {
        return Err(format!("unfit operands {}", list(args)));
    }
    let frozen = matches!(op, Op::Lanes(LaneOp::MaskBits | LaneOp::Freeze));
    let data = rest.iter().take(rest.len().saturating_sub(1)).chain(results);
    data.filter(|_| !frozen).try_for_each(|ty| in_memory(*ty))
}

/// Operands of group operations.
fn check_group(scope: Scope, op: GroupOp, args: &[Type]) -> Result<(), String> {
    let mask = Type::Vector(Scalar::I32, 4);
    let plain = |ty: Type| ty.scalar().is_some();
    let ok = match op {
        GroupOp::All | GroupOp::Any | GroupOp::Ballot => args[0] == I1,
        GroupOp::AllEqual | GroupOp::BroadcastFirst => plain(args[0]),
        GroupOp::InverseBallot | GroupOp::BallotCount(_) | GroupOp::BallotLsb | GroupOp::BallotMsb => {
            args[0] == mask
        }
        GroupOp::BallotBit => args[0] == mask && args[1] == I32,
        GroupOp::Elect | GroupOp::Mask(_) => true,
        GroupOp::Broadcast
        | GroupOp::Shuffle
        | GroupOp::ShuffleXor
        | GroupOp::ShuffleUp
        | GroupOp::ShuffleDown
        | GroupOp::Rotate { .. } => plain(args[0]) && args[1] == I32,
        GroupOp::Combine { op, .. } => {
            let logic = matches!(op, BinOp::And | BinOp::Or | BinOp::Xor);
            let fits = if is_float_bin(op) {
                args[0].is_float()
            } else {
                args[0].is_int() && (logic || !args[0].is_bool())
            };
            fits && args[0].lanes() == 1 && super::group::identity(op, 32).is_some()
        }
    };
    let cluster = match op {
        GroupOp::Rotate { cluster } => cluster,
        GroupOp::Combine { cluster, scan: super::group::Scan::Reduce, .. } => cluster,
        GroupOp::Combine { cluster, .. } if cluster != 0 => return Err("a scan in clusters".into()),
        _ => 0,
    };
    let wide =
        matches!(op, GroupOp::All | GroupOp::Any | GroupOp::Broadcast | GroupOp::Combine { cluster: 0, .. });
    let in_scope = scope == Scope::SubGroup || scope == Scope::WorkGroup && wide;
    if !in_scope {
        return Err(format!("no such operation at scope {scope:?}"));
    }
    if cluster != 0 && !cluster.is_power_of_two() {
        return Err(format!("clusters of {cluster}"));
    }
    if ok { Ok(()) } else { Err(format!("unfit operands {}", list(args))) }
}

/// Whether the operator has floating-point operands.
pub fn is_float_bin(op: BinOp) -> bool {
    matches!(
        op,
        BinOp::Fadd | BinOp::Fsub | BinOp::Fmul | BinOp::Fdiv | BinOp::Frem | BinOp::Fmin | BinOp::Fmax
    )
}

/// Checks that address operands have the form of the access's root.
fn check_addresses(op: &Op, args: &[Type]) -> Result<(), String> {
    let fits = |root: Root, ty: Type| match root {
        Root::Ptr => ty.space().is_some(),
        Root::Addr => ty == I64 || ty == Type::Vector(Scalar::I32, 2),
        Root::Var(_) => ty == I32,
    };
    let bad = |ty: Type| Err(format!("the address has type {ty}, which does not fit its root"));
    if let Op::Memcpy { dst, src } = op {
        for (access, ty) in [(dst, args[0]), (src, args[1])] {
            if !fits(access.root, ty) {
                return bad(ty);
            }
            if !access.align.is_power_of_two() {
                return Err(format!("alignment {} is not a power of two", access.align));
            }
        }
    }
    if let (Some(access), Some(i)) = (op.access(), op.address_arg()) {
        if !fits(access.root, args[i]) {
            return bad(args[i]);
        }
        if !access.align.is_power_of_two() {
            return Err(format!("alignment {} is not a power of two", access.align));
        }
    }
    Ok(())
}

fn check_cast(op: CastOp, from: Type, to: Type) -> Result<(), String> {
    let lanes = from.lanes() == to.lanes();
    let bits = |t: Type| t.scalar().map_or(0, Scalar::bits);
    let ok = match op {
        CastOp::Trunc => lanes && from.is_int() && to.is_int() && bits(to) < bits(from),
        CastOp::Zext | CastOp::Sext => lanes && from.is_int() && to.is_int() && bits(to) > bits(from),
        CastOp::FpConv => lanes && from.is_float() && to.is_float() && bits(to) != bits(from),
        CastOp::FpToS | CastOp::FpToU => lanes && from.is_float() && to.is_int(),
        CastOp::SToFp | CastOp::UToFp => lanes && from.is_int() && to.is_float(),
        CastOp::Bitcast => {
            let i1 = from.scalar() == Some(Scalar::I1) || to.scalar() == Some(Scalar::I1);
            bits(from) != 0 && bits(from) * from.lanes() == bits(to) * to.lanes() && !i1
        }
        CastOp::PtrToInt => lanes && from.space().is_some() && to.lane() == I64,
        CastOp::IntToPtr => lanes && from.lane() == I64 && to.space().is_some(),
        CastOp::PtrCast => lanes && from.space().is_some() && to.space().is_some(),
    };
    if ok { Ok(()) } else { Err(format!("no such conversion: {from} to {to}")) }
}

fn in_memory(ty: Type) -> Result<(), String> {
    // Masks of vectors are, in the context array.
    if ty == I1 || ty.access_bytes().is_none() {
        return Err(format!("{ty} cannot be in memory"));
    }
    Ok(())
}

/// Whether atomics may access the type: 32- and 64-bit scalars (and narrower ones, which legalisation
/// widens), pointers.
fn atomic_type(ty: Type) -> bool {
    matches!(ty, Type::Scalar(s) if s != Scalar::I1) || ty.space().is_some()
}

fn is_vector(ty: Type) -> bool {
    matches!(ty, Type::Vector(..) | Type::PtrVector(..))
}

fn list(types: &[Type]) -> String {
    let names: Vec<String> = types.iter().map(Type::to_string).collect();
    format!("({})", names.join(", "))
}
