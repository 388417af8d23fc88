//! Implicit conversion of arguments and overload resolution, for functions of programs and built-ins alike.
//!
//! OpenCL C has the ranking of C++: a candidate wins if none of its arguments needs a worse conversion than
//! with any other candidate, and one needs a better conversion. Conversions that only C allows rank last.

use super::builtins::ArgType;
use super::types::{AddressSpace, Arith, OpaqueType, QualTy, Quals, Ty, TypeKind, Types, VOID};
use smallvec::SmallVec;
use std::borrow::Borrow;

/// Rank of an implicit conversion, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rank {
    /// Equal types.
    Exact,
    /// Pointer to the same type with more qualifiers, or in the generic address space.
    Qualified,
    /// Integer promotion, or `float` to `double`.
    Promotion,
    /// Any other conversion between scalars, or between pointers.
    Conversion,
    /// Pointer to `bool`.
    PointerToBool,
    /// Scalar to vector.
    Splat,
    /// Conversion with a warning: qualifiers of the pointee are lost.
    Discarding,
    /// Conversion with a warning: the pointees differ.
    Incompatible,
}

/// Ranks of the arguments of a call, each with the number of qualifiers that its conversion adds.
pub type Ranks = SmallVec<[(Rank, u8); 4]>;

/// Whether pointers to `from` may be used as pointers to `to` without a cast.
pub fn is_space_subset(from: AddressSpace, to: AddressSpace) -> bool {
    use AddressSpace::{Constant, Default, Generic, Private};
    let normal = |space| if space == Default { Private } else { space };
    let (from, to) = (normal(from), normal(to));
    from == to || to == Generic && from != Constant
}

/// Whether address spaces have memory in common.
pub fn spaces_overlap(a: AddressSpace, b: AddressSpace) -> bool {
    is_space_subset(a, b) || is_space_subset(b, a)
}

/// Whether `outer` has every qualifier of `inner`, address spaces aside.
pub fn has_qualifiers(outer: Quals, inner: Quals) -> bool {
    (outer.is_const || !inner.is_const) && (outer.is_volatile || !inner.is_volatile)
}

/// Scalar type that a type computes in: itself, or that of an enumeration.
pub fn arith_of(types: &Types, ty: Ty) -> Option<Arith> {
    match types.resolved(ty) {
        TypeKind::Arith(arith) => Some(*arith),
        TypeKind::Enum(id) => types.enums.get(id.0 as usize).map(|e| e.underlying),
        _ => None,
    }
}

/// Rank of the implicit conversion of an argument to a parameter's type; `None` if there is none.
pub fn rank(types: &Types, from: &ArgType, to: QualTy) -> Option<Rank> {
    let (source, target) = (types.canonical(from.ty).ty, types.canonical(to).ty);
    if source == target {
        return Some(Rank::Exact);
    }
    match (types.kind(source), types.kind(target)) {
        (TypeKind::Error, _) => Some(Rank::Exact),
        (TypeKind::Pointer(a), TypeKind::Pointer(b)) => pointer_rank(types, from, *a, *b),
        (TypeKind::Pointer(_) | TypeKind::Block(_), TypeKind::Arith(Arith::Bool)) => {
            Some(Rank::PointerToBool)
        }
        (TypeKind::Arith(_) | TypeKind::Enum(_), TypeKind::Pointer(_) | TypeKind::Block(_))
            if from.is_zero =>
        {
            Some(Rank::Conversion)
        }
        (TypeKind::Pointer(to), TypeKind::Block(_)) if from.is_zero && to.ty == VOID => {
            Some(Rank::Conversion)
        }
        (TypeKind::Arith(_) | TypeKind::Enum(_), TypeKind::Opaque(opaque)) => {
            let converts = match opaque {
                OpaqueType::Sampler => from.is_constant,
                OpaqueType::Event | OpaqueType::Queue | OpaqueType::ClkEvent => from.is_zero,
                OpaqueType::ReserveId => false,
            };
            converts.then_some(Rank::Conversion)
        }
        (TypeKind::Arith(_) | TypeKind::Enum(_), TypeKind::Vector(..)) => Some(Rank::Splat),
        _ => {
            let (a, b) = (arith_of(types, source)?, arith_of(types, target)?);
            Some(if is_promotion(types, source, a, b) { Rank::Promotion } else { Rank::Conversion })
        }
    }
}

/// Whether a conversion between scalars is a promotion.
fn is_promotion(types: &Types, source: Ty, from: Arith, to: Arith) -> bool {
    match to {
        Arith::Int => from.is_int() && from.bytes() < 4 || from == Arith::Int,
        Arith::Double => from == Arith::Float,
        // An enumeration promotes to its underlying type.
        _ => from == to && matches!(types.kind(source), TypeKind::Enum(_)),
    }
}

fn pointer_rank(types: &Types, arg: &ArgType, from: QualTy, to: QualTy) -> Option<Rank> {
    let (from, to) = (types.canonical(from), types.canonical(to));
    if arg.is_zero && from.ty == VOID {
        return Some(Rank::Conversion);
    }
    if !is_space_subset(from.quals.space, to.quals.space) {
        return None;
    }
    let is_void = to.ty == VOID || from.ty == VOID;
    Some(match () {
        () if from.ty != to.ty && !is_void => Rank::Incompatible,
        () if !has_qualifiers(to.quals, from.quals) => Rank::Discarding,
        () if is_void && from.ty != to.ty => Rank::Conversion,
        () => Rank::Qualified,
    })
}

/// Choice among overloads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Index of the candidate.
    One(usize),
    /// No candidate takes the arguments.
    None,
    /// Indices of the candidates that none is better than.
    Ambiguous(Vec<usize>),
}

/// Chooses the best candidate by the ranks of its arguments; candidates without ranks do not take them.
///
/// Address spaces and qualifiers that are closer to the argument's win between conversions of equal rank:
/// `closeness` of a candidate and an argument is smaller if they are.
pub fn choose<R: Borrow<Ranks>>(candidates: &[Option<R>]) -> Choice {
    let viable = || candidates.iter().enumerate().filter_map(|(i, c)| Some((i, c.as_ref()?.borrow())));
    let mut best: Option<(usize, &Ranks)> = None;
    for candidate in viable() {
        best = match best {
            Some(known) if !is_better(candidate.1, known.1) => Some(known),
            _ => Some(candidate),
        };
    }
    let Some((index, ranks)) = best else {
        return Choice::None;
    };
    let rivals: Vec<usize> =
        viable().filter(|(i, other)| *i != index && !is_better(ranks, other)).map(|(i, _)| i).collect();
    if rivals.is_empty() {
        return Choice::One(index);
    }
    let mut all = rivals;
    all.push(index);
    all.sort_unstable();
    Choice::Ambiguous(all)
}

/// Whether no argument converts worse than in `b`, and one converts better.
fn is_better(a: &[(Rank, u8)], b: &[(Rank, u8)]) -> bool {
    a.iter().zip(b).all(|(x, y)| x <= y) && a.iter().zip(b).any(|(x, y)| x < y)
}

/// Ranks of all arguments for a candidate's parameters, each with how many qualifiers the conversion adds;
/// `None` if one does not convert.
pub fn ranks(types: &Types, args: &[ArgType], params: &[QualTy]) -> Option<Ranks> {
    args.iter().zip(params).map(|(arg, param)| rank_with_qualifiers(types, arg, *param)).collect()
}

/// Rank of an argument for a parameter, with how many qualifiers the conversion adds.
pub fn rank_with_qualifiers(types: &Types, arg: &ArgType, param: QualTy) -> Option<(Rank, u8)> {
    Some((rank(types, arg, param)?, added_qualifiers(types, arg.ty, param)))
}

/// Number of qualifiers that a conversion of pointers adds.
fn added_qualifiers(types: &Types, from: QualTy, to: QualTy) -> u8 {
    let (TypeKind::Pointer(a), TypeKind::Pointer(b)) = (types.resolved(from.ty), types.resolved(to.ty))
    else {
        return 0;
    };
    let (a, b) = (types.canonical(*a).quals, types.canonical(*b).quals);
    u8::from(b.is_const && !a.is_const)
        + u8::from(b.is_volatile && !a.is_volatile)
        + u8::from(!is_space_subset(b.space, a.space))
}

#[cfg(test)]
mod tests {
    use super::super::types::*;
    use super::*;

    fn pick(types: &Types, args: &[QualTy], candidates: &[&[Ty]]) -> Choice {
        let args: Vec<ArgType> =
            args.iter().map(|ty| ArgType { ty: *ty, is_zero: false, is_constant: false }).collect();
        let all: Vec<_> = candidates
            .iter()
            .map(|params| {
                let params: Vec<QualTy> = params.iter().map(|p| QualTy::plain(*p)).collect();
                ranks(types, &args, &params)
            })
            .collect();
        choose(&all)
    }

    #[test]
    fn scalars_rank_as_in_clang() {
        let types = Types::new();
        let one = |arg: Ty, candidates: &[&[Ty]]| pick(&types, &[QualTy::plain(arg)], candidates);
        assert_eq!(one(UINT, &[&[FLOAT], &[INT]]), Choice::Ambiguous(vec![0, 1]));
        assert_eq!(one(CHAR, &[&[FLOAT], &[INT]]), Choice::One(1));
        assert_eq!(one(FLOAT, &[&[HALF], &[DOUBLE]]), Choice::One(1));
        assert_eq!(one(INT, &[&[FLOAT], &[DOUBLE], &[HALF]]), Choice::Ambiguous(vec![0, 1, 2]));
        assert_eq!(one(UINT, &[&[LONG], &[ULONG]]), Choice::Ambiguous(vec![0, 1]));
        assert_eq!(one(BOOL, &[&[BOOL], &[INT]]), Choice::One(0));
    }

    #[test]
    fn scalars_win_over_splats() {
        let mut types = Types::new();
        let float4 = types.intern(TypeKind::Vector(Arith::Float, 4));
        let int2 = types.intern(TypeKind::Vector(Arith::Int, 2));
        let float2 = types.intern(TypeKind::Vector(Arith::Float, 2));
        let args = [QualTy::plain(float4), QualTy::plain(DOUBLE)];
        assert_eq!(pick(&types, &args, &[&[float4, float4], &[float4, FLOAT]]), Choice::One(1));
        let args = [QualTy::plain(FLOAT)];
        assert_eq!(pick(&types, &args, &[&[float2], &[int2]]), Choice::Ambiguous(vec![0, 1]));
        let args = [QualTy::plain(float2)];
        assert_eq!(pick(&types, &args, &[&[int2], &[FLOAT]]), Choice::None);
    }

    #[test]
    fn pointers_prefer_fewer_qualifiers() {
        let mut types = Types::new();
        let mut pointer = |ty, space, is_const| {
            let mut to = QualTy::plain(ty).in_space(space);
            to.quals.is_const = is_const;
            types.intern(TypeKind::Pointer(to))
        };
        let global = pointer(INT, AddressSpace::Global, false);
        let global_const = pointer(INT, AddressSpace::Global, true);
        let generic = pointer(INT, AddressSpace::Generic, false);
        let global_void = pointer(VOID, AddressSpace::Global, false);
        let local = pointer(INT, AddressSpace::Local, false);
        let args = [QualTy::plain(global)];
        assert_eq!(pick(&types, &args, &[&[global_const], &[global]]), Choice::One(1));
        assert_eq!(pick(&types, &args, &[&[generic], &[global]]), Choice::One(1));
        assert_eq!(pick(&types, &args, &[&[global_void], &[generic]]), Choice::One(1));
        assert_eq!(pick(&types, &args, &[&[local]]), Choice::None);
        let args = [QualTy::plain(global_const)];
        assert_eq!(pick(&types, &args, &[&[global_const], &[global]]), Choice::One(0));
    }
}
