//! Simplification rules for selects, vectors, pointer arithmetic and operations with one operand.

use crate::abi::sampler;
use crate::ir::{BinOp, CastOp, Const, FloatCc, I1, I64, ImageOp, Op, Scalar, Space, Type, UnOp, Value};
use crate::passes::opt::rewriter::{Action, Rewriter, rewrite};
use smallvec::SmallVec;

fn float_inverse(cc: FloatCc) -> FloatCc {
    match cc {
        FloatCc::Oeq => FloatCc::Une,
        FloatCc::One => FloatCc::Ueq,
        FloatCc::Olt => FloatCc::Uge,
        FloatCc::Ole => FloatCc::Ugt,
        FloatCc::Ogt => FloatCc::Ule,
        FloatCc::Oge => FloatCc::Ult,
        FloatCc::Ord => FloatCc::Uno,
        FloatCc::Ueq => FloatCc::One,
        FloatCc::Une => FloatCc::Oeq,
        FloatCc::Ult => FloatCc::Oge,
        FloatCc::Ule => FloatCc::Ogt,
        FloatCc::Ugt => FloatCc::Ole,
        FloatCc::Uge => FloatCc::Olt,
        FloatCc::Uno => FloatCc::Ord,
    }
}

/// Longest chain of operations on vectors of which one lane is computed instead.
const MAX_LANE_DEPTH: u32 = 4;

/// Whether there is a rule for an operation.
pub(crate) fn has_rule(op: &Op) -> bool {
    matches!(
        op,
        Op::Un(_)
            | Op::Select
            | Op::PtrAdd
            | Op::IsSpace(_)
            | Op::Extract(_)
            | Op::ExtractDyn
            | Op::InsertDyn
            | Op::Insert(_)
            | Op::VecBuild
            | Op::Shuffle(_)
            | Op::Image { op: ImageOp::CanFilter, .. }
    )
}

/// Applies a rule to a pure operation.
pub(crate) fn rule(s: &mut Rewriter<'_>, op: &Op, args: &[Value], ty: Type) -> Option<Action> {
    match op {
        Op::Un(u) => unary(s, *u, args[0]),
        Op::Select => select(s, args[0], args[1], args[2], ty),
        Op::PtrAdd => ptr_add(s, args[0], args[1], ty),
        Op::IsSpace(space) => is_space(s, *space, args[0]),
        // Texture units are not used for other samplers.
        Op::Image { op: ImageOp::CanFilter, .. } => {
            let is_other = sampler::for_texture_unit(s.bits(*args.last()?)?).is_none();
            is_other.then(|| Action::Value(s.constant(ty, 0)))
        }
        Op::Extract(lane) => extract(s, *lane, args[0]),
        Op::ExtractDyn => {
            let i = s.bits(args[1]).filter(|i| *i < s.ty(args[0]).lanes() as u64)?;
            rewrite(Op::Extract(i as u8), &args[..1])
        }
        Op::InsertDyn => {
            let i = s.bits(args[2]).filter(|i| *i < ty.lanes() as u64)?;
            rewrite(Op::Insert(i as u8), &args[..2])
        }
        Op::Insert(lane) => insert(s, *lane, args[0], args[1], ty),
        Op::VecBuild => {
            // Lanes 0, 1, ... of one vector of this type.
            let mut source = None;
            for (i, a) in args.iter().enumerate() {
                match s.def(*a)? {
                    (Op::Extract(n), v) if n as usize == i && source.is_none_or(|v0| v0 == v[0]) => {
                        source = Some(v[0])
                    }
                    _ => return None,
                }
            }
            source.filter(|v| s.ty(*v) == ty).map(Action::Value)
        }
        Op::Shuffle(sel) => {
            let n = s.ty(args[0]).lanes() as usize;
            if s.ty(args[0]) == ty && sel.iter().enumerate().all(|(i, l)| *l as usize == i || *l == u8::MAX) {
                return Some(Action::Value(args[0]));
            }
            if s.ty(args[1]) == ty
                && sel.iter().enumerate().all(|(i, l)| *l as usize == i + n || *l == u8::MAX)
            {
                return Some(Action::Value(args[1]));
            }
            None
        }
        _ => None,
    }
}

fn unary(s: &mut Rewriter<'_>, op: UnOp, x: Value) -> Option<Action> {
    let (def, args) = s.def(x)?;
    match (op, def) {
        (UnOp::Not, Op::Un(UnOp::Not)) | (UnOp::Fneg, Op::Un(UnOp::Fneg)) => Some(Action::Value(args[0])),
        (UnOp::Not, Op::Icmp(cc)) => rewrite(Op::Icmp(cc.inverse()), &args),
        (UnOp::Not, Op::Fcmp(cc)) => rewrite(Op::Fcmp(float_inverse(cc)), &args),
        (UnOp::Fabs, Op::Un(UnOp::Fabs)) => Some(Action::Value(x)),
        (UnOp::Fabs, Op::Un(UnOp::Fneg)) => rewrite(Op::Un(UnOp::Fabs), &args),
        (UnOp::Bitrev, Op::Un(UnOp::Bitrev)) => Some(Action::Value(args[0])),
        _ => None,
    }
}

fn select(s: &mut Rewriter<'_>, c: Value, a: Value, b: Value, ty: Type) -> Option<Action> {
    if a == b {
        return Some(Action::Value(a));
    }
    if let Some(bits) = s.bits(c) {
        return Some(Action::Value(if bits & 1 == 1 { a } else { b }));
    }
    let undefined = |s: &Rewriter<'_>, v| matches!(s.func.as_const(v), Some(Const::Undef(_)));
    if undefined(s, a) {
        return Some(Action::Value(b));
    }
    if undefined(s, b) || undefined(s, c) {
        return Some(Action::Value(a));
    }
    if let Some((Op::Un(UnOp::Not), n)) = s.def(c) {
        return rewrite(Op::Select, &[n[0], b, a]);
    }
    if ty.scalar() == Some(Scalar::I1) && s.ty(c) == ty {
        let not = |s: &mut Rewriter<'_>| s.emit(Op::Un(UnOp::Not), &[c], ty);
        match (s.bits(a), s.bits(b)) {
            (Some(1), Some(0)) => return Some(Action::Value(c)),
            (Some(0), Some(1)) => return rewrite(Op::Un(UnOp::Not), &[c]),
            (Some(1), _) => return rewrite(Op::Bin(BinOp::Or), &[c, b]),
            (_, Some(0)) => return rewrite(Op::Bin(BinOp::And), &[c, a]),
            (Some(0), _) => {
                let n = not(s);
                return rewrite(Op::Bin(BinOp::And), &[n, b]);
            }
            (_, Some(1)) => {
                let n = not(s);
                return rewrite(Op::Bin(BinOp::Or), &[n, a]);
            }
            _ => {}
        }
        debug_assert!(ty.lanes() > 1 || ty == I1);
    }
    None
}

/// Whether a pointer of this type points into the address space; `None` if the type does not say.
fn points_into(ty: Type, space: Space) -> Option<bool> {
    match ty.space()? {
        Space::Generic => None,
        Space::Constant => Some(space == Space::Global),
        own => Some(own == space),
    }
}

fn is_space(s: &mut Rewriter<'_>, space: Space, p: Value) -> Option<Action> {
    if let Some(is) = points_into(s.ty(p), space) {
        return Some(Action::Value(s.constant(I1, is as u64)));
    }
    match s.def(p)? {
        (Op::PtrAdd, args) => rewrite(Op::IsSpace(space), &args[..1]),
        (Op::Cast(CastOp::PtrCast), args) => rewrite(Op::IsSpace(space), &args),
        // A select between address spaces: its condition is the answer.
        (Op::Select, args) if s.ty(args[0]) == I1 => {
            let known = |s: &Rewriter<'_>, v: Value| {
                s.func.as_const(v).is_some()
                    || s.cast_of(v, CastOp::PtrCast).is_some_and(|x| s.ty(x) != Type::Ptr(Space::Generic))
            };
            if !known(s, args[1]) && !known(s, args[2]) {
                return None;
            }
            let x = s.emit(Op::IsSpace(space), &[args[1]], I1);
            let y = s.emit(Op::IsSpace(space), &[args[2]], I1);
            rewrite(Op::Select, &[args[0], x, y])
        }
        _ => None,
    }
}

fn ptr_add(s: &mut Rewriter<'_>, p: Value, offset: Value, ty: Type) -> Option<Action> {
    let c = s.bits(offset);
    if c == Some(0) {
        return Some(Action::Value(p));
    }
    let (Op::PtrAdd, inner) = s.def(p)? else { return None };
    let c1 = s.bits(inner[1]);
    match (c, c1) {
        (Some(c), Some(c1)) => {
            let sum = s.constant(I64, c.wrapping_add(c1));
            rewrite(Op::PtrAdd, &[inner[0], sum])
        }
        // Moves constants outwards, so that they meet.
        (None, Some(_)) if s.single_use(p) => {
            let base = s.emit(Op::PtrAdd, &[inner[0], offset], ty);
            rewrite(Op::PtrAdd, &[base, inner[1]])
        }
        _ => None,
    }
}

fn extract(s: &mut Rewriter<'_>, lane: u8, v: Value) -> Option<Action> {
    if let Some(Const::Undef(t)) = s.func.as_const(v) {
        let ty = t.lane();
        return Some(Action::Value(s.func.undef(ty)));
    }
    let (def, args) = s.def(v)?;
    match def {
        Op::VecBuild => args.get(lane as usize).copied().map(Action::Value),
        Op::Splat => Some(Action::Value(args[0])),
        Op::Insert(n) if n == lane => Some(Action::Value(args[1])),
        Op::Insert(_) => rewrite(Op::Extract(lane), &args[..1]),
        Op::Shuffle(sel) => {
            let n = s.ty(args[0]).lanes() as u8;
            match *sel.get(lane as usize)? {
                u8::MAX => {
                    let ty = s.ty(v).lane();
                    Some(Action::Value(s.func.undef(ty)))
                }
                l if l < n => rewrite(Op::Extract(l), &args[..1]),
                l => rewrite(Op::Extract(l - n), &args[1..2]),
            }
        }
        _ if s.has_known_lanes(v, MAX_LANE_DEPTH) => Some(Action::Value(s.lane(v, lane))),
        _ => None,
    }
}

/// A chain of insertions that sets every lane, or starts with a constant or a built vector, builds the
/// vector.
fn insert(s: &mut Rewriter<'_>, lane: u8, v: Value, x: Value, ty: Type) -> Option<Action> {
    let n = ty.lanes() as usize;
    let mut lanes: SmallVec<[Option<Value>; 16]> = SmallVec::from_elem(None, n);
    *lanes.get_mut(lane as usize)? = Some(x);
    let mut at = v;
    for _ in 0..2 * n {
        if lanes.iter().all(Option::is_some) {
            break;
        }
        match s.def(at) {
            Some((Op::Insert(l), args)) => {
                let slot = lanes.get_mut(l as usize)?;
                *slot = slot.or(Some(args[1]));
                at = args[0];
            }
            Some((Op::VecBuild, args)) => {
                for (slot, a) in lanes.iter_mut().zip(args) {
                    *slot = slot.or(Some(a));
                }
            }
            _ if matches!(s.func.as_const(at), Some(Const::Bits(..))) => {
                for (slot, l) in lanes.iter_mut().zip(0..) {
                    *slot = slot.or_else(|| Some(s.lane(at, l)));
                }
            }
            _ => return None,
        }
    }
    let lanes: Option<SmallVec<[Value; 16]>> = lanes.into_iter().collect();
    rewrite(Op::VecBuild, &lanes?)
}
