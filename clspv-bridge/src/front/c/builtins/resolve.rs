//! Overload resolution of built-in functions.
//!
//! The rows of a name are templates. The vectors and pointers of a call's arguments fix the generic type; if
//! all are scalars, each element type is a candidate. Candidates are ranked as those of programs
//! ([`super::super::overload`]).

use super::super::ast::BuiltinId;
use super::super::language::Language;
use super::super::overload::{Choice, Ranks, choose, rank_with_qualifiers};
use super::super::types::{AccessMode, AddressSpace, Arith, QualTy, Ty, TypeKind, Types, scalar};
use super::pattern::{self, TypeBinding, named_shape, pointer, shape, word_type};
use super::row::{
    Allowed, ArgType, BuiltinExpansion, BuiltinSignature, Domain, EnqueueOp, NoMatch, Resolved, Row,
};
use super::table::{row, rows_of};
use crate::ir::Space;
use smallvec::SmallVec;

/// A signature that takes the arguments.
struct Candidate {
    ranks: Ranks,
    resolved: Resolved,
}

/// Whether the language has a built-in function of this name.
pub fn is_builtin(name: &str, language: &Language) -> bool {
    conversion(name).is_some_and(|parts| parts.is_in(language))
        || rows_of(name).iter().any(|id| row(*id).is_some_and(|r| r.is_in(language)))
}

/// The function of this name that takes a block; `None` if the language has none.
pub fn block_function(name: &str, language: &Language) -> Option<(BuiltinId, EnqueueOp)> {
    rows_of(name).iter().find_map(|id| {
        let row = row(*id).filter(|row| row.is_in(language))?;
        match row.lowering {
            BuiltinExpansion::Enqueue(op) if op.takes_block() => Some((*id, op)),
            _ => None,
        }
    })
}

/// Finds the signature for a call. `None` if the language has no function of this name.
pub fn resolve(
    types: &mut Types,
    language: &Language,
    name: &str,
    args: &[ArgType],
) -> Option<Result<Resolved, NoMatch>> {
    if let Some(parts) = conversion(name) {
        return convert(types, language, &parts, args);
    }
    let rows: SmallVec<[(BuiltinId, &Row); 8]> = rows_of(name)
        .iter()
        .filter_map(|id| row(*id).map(|r| (*id, r)))
        .filter(|(_, r)| r.is_in(language))
        .collect();
    if rows.is_empty() {
        return None;
    }
    let mut found: Vec<Candidate> = Vec::new();
    for (id, row) in &rows {
        add_candidates(types, language, *id, row, args, &mut found);
    }
    Some(best(found).map_err(|ambiguous| {
        if !ambiguous.is_empty() {
            return NoMatch::Ambiguous(ambiguous);
        }
        NoMatch::None(rows.iter().filter_map(|(_, row)| example(types, language, row, args)).collect())
    }))
}

/// A row's signature for the generic type that is nearest to the arguments; `None` if that cannot be named.
fn example(types: &mut Types, language: &Language, row: &Row, args: &[ArgType]) -> Option<BuiltinSignature> {
    let mut words: SmallVec<[&str; 8]> = row.signature.split(' ').collect();
    let is_variadic = words.last() == Some(&"...");
    if is_variadic {
        words.pop();
    }
    let (&result, params) = words.split_first()?;
    let binding = match (bindings(types, language, row, params, args).first(), row.domain) {
        (Some(binding), _) => *binding,
        (None, Domain::Arith(elements, lanes)) => {
            let fits = |e: &Arith| elements.has(*e) && has_element(language, *e);
            let element = Arith::ALL.into_iter().find(fits)?;
            let generic = pattern::of_shape(types, element, lanes.0.trailing_zeros() as u8);
            TypeBinding { generic: Some(generic), ..TypeBinding::default() }
        }
        _ => return None,
    };
    let types_of = params.iter().enumerate().map(|(i, word)| {
        let of = args.get(i).and_then(|arg| pointee(types, arg.ty.ty));
        let space = match pointer(word) {
            Some(p) => of.map(|to| to.quals.space).filter(|s| p.takes(*s)).unwrap_or(AddressSpace::Global),
            None => AddressSpace::Private,
        };
        word_type(types, word, &binding, space)
    });
    let params: Option<Vec<QualTy>> = types_of.collect();
    let result = word_type(types, result, &binding, result_space(types, args))?;
    Some(BuiltinSignature { result, params: params?, is_variadic })
}

/// The signature of a row without a generic type, for a number of arguments that fits; `None` for others.
pub fn fixed_signature(types: &mut Types, id: BuiltinId, count: usize) -> Option<Resolved> {
    let row = row(id).filter(|row| row.domain == Domain::None)?;
    let mut words: SmallVec<[&str; 8]> = row.signature.split(' ').collect();
    let is_variadic = words.last() == Some(&"...");
    if is_variadic {
        words.pop();
    }
    let (&result, params) = words.split_first()?;
    let fits = if is_variadic { count >= params.len() } else { count == params.len() };
    let has_any_pointer = params.iter().any(|word| pointer(word).is_some_and(|p| p.takes_several()));
    if !fits || has_any_pointer || matches!(row.lowering, BuiltinExpansion::ToSpace(_)) {
        return None;
    }
    let binding = TypeBinding::default();
    let mut type_of = |word: &str| word_type(types, word, &binding, AddressSpace::Private);
    let result = type_of(result)?;
    let params: Option<Vec<QualTy>> = params.iter().map(|word| type_of(word)).collect();
    Some(Resolved { builtin: id, params: params?, is_variadic, result })
}

/// The best candidate; otherwise those that none is better than.
fn best(found: Vec<Candidate>) -> Result<Resolved, Vec<BuiltinSignature>> {
    let ranks: SmallVec<[Option<&Ranks>; 8]> = found.iter().map(|c| Some(&c.ranks)).collect();
    let choice = choose(&ranks);
    drop(ranks);
    match choice {
        Choice::One(index) => found.into_iter().nth(index).map(|c| c.resolved).ok_or_else(Vec::new),
        Choice::None => Err(Vec::new()),
        Choice::Ambiguous(of) => {
            let of = of.into_iter().filter_map(|i| found.get(i)).map(|c| &c.resolved);
            let signature = |Resolved { result, params, is_variadic, .. }: &Resolved| BuiltinSignature {
                result: *result,
                params: params.clone(),
                is_variadic: *is_variadic,
            };
            Err(of.map(signature).collect())
        }
    }
}

fn add_candidates(
    types: &mut Types,
    language: &Language,
    id: BuiltinId,
    row: &Row,
    args: &[ArgType],
    found: &mut Vec<Candidate>,
) {
    let mut words: SmallVec<[&str; 8]> = row.signature.split(' ').collect();
    let is_variadic = words.last() == Some(&"...");
    if is_variadic {
        words.pop();
    }
    let Some((&result, params)) = words.split_first() else { return };
    let fits = if is_variadic { args.len() >= params.len() } else { args.len() == params.len() };
    if !fits {
        return;
    }
    for binding in bindings(types, language, row, params, args) {
        if let Some((ranks, params)) = rank_all(types, params, args, &binding)
            && let Some(result) = result_type(types, row, result, &binding, args)
        {
            found.push(Candidate { ranks, resolved: Resolved { builtin: id, params, is_variadic, result } });
        }
    }
}

/// Type of the result.
fn result_type(
    types: &mut Types,
    row: &Row,
    word: &str,
    binding: &TypeBinding,
    args: &[ArgType],
) -> Option<QualTy> {
    let BuiltinExpansion::ToSpace(space) = row.lowering else {
        return word_type(types, word, binding, result_space(types, args));
    };
    let space = match space {
        Space::Global => AddressSpace::Global,
        Space::Local => AddressSpace::Local,
        _ => AddressSpace::Private,
    };
    let to = args.first().and_then(|arg| pointee(types, arg.ty.ty))?.in_space(space);
    Some(QualTy::plain(types.intern(TypeKind::Pointer(to))))
}

/// Address space of a returned pointer that takes the argument's.
fn result_space(types: &Types, args: &[ArgType]) -> AddressSpace {
    args.iter().find_map(|a| pointee(types, a.ty.ty)).map_or(AddressSpace::Private, |p| p.quals.space)
}

fn rank_all(
    types: &mut Types,
    params: &[&str],
    args: &[ArgType],
    binding: &TypeBinding,
) -> Option<(Ranks, Vec<QualTy>)> {
    let mut ranks = Ranks::new();
    let mut out = Vec::with_capacity(params.len());
    for (word, arg) in params.iter().zip(args) {
        let space = pointee(types, arg.ty.ty).map_or(AddressSpace::Private, |p| p.quals.space);
        if pointer(word).is_some_and(|p| !arg.is_zero && !p.takes(space)) {
            return None;
        }
        let param = match pointer(word) {
            // A pointee of any type.
            Some(p) if p.space == b'x' => arg.ty,
            _ => word_type(types, word, binding, space)?,
        };
        ranks.push(rank_with_qualifiers(types, arg, param)?);
        out.push(param);
    }
    Some((ranks, out))
}

/// Facts about the generic type that follow from the arguments.
#[derive(Default)]
struct Facts {
    generic: Option<Ty>,
    element: Option<Arith>,
    lanes: Option<u8>,
    other: Option<Ty>,
    pipe: Option<AccessMode>,
}

fn facts(types: &Types, params: &[&str], args: &[ArgType]) -> Facts {
    let mut facts = Facts::default();
    for (word, arg) in params.iter().zip(args) {
        let (word, ty) = match pointer(word) {
            Some(p) => {
                let Some(to) = pointee(types, arg.ty.ty) else { continue };
                let to = match types.resolved(to.ty) {
                    TypeKind::Atomic(inner) if p.is_atomic => *inner,
                    _ => to.ty,
                };
                match p.pointee {
                    "T" => facts.generic = facts.generic.or(Some(types.canonical(QualTy::plain(to)).ty)),
                    "S" => facts.element = facts.element.or(shape(types, to).map(|s| s.0)),
                    _ => {}
                }
                (p.pointee, to)
            }
            None => (*word, arg.ty.ty),
        };
        match types.resolved(ty) {
            TypeKind::Vector(element, lanes) => match word {
                "T" => facts.generic = facts.generic.or(Some(types.canonical(QualTy::plain(ty)).ty)),
                "X" => {
                    facts.element = facts.element.or(Some(*element));
                    facts.other = facts.other.or(Some(types.canonical(QualTy::plain(ty)).ty));
                }
                "U" | "J" | "R" | "N" => facts.lanes = facts.lanes.or(Some(*lanes)),
                _ => {}
            },
            TypeKind::Image(_) if word == "T" => {
                facts.generic = facts.generic.or(Some(types.canonical(QualTy::plain(ty)).ty));
            }
            TypeKind::Pipe(packet, access) if word == "pT" => {
                facts.generic = facts.generic.or(Some(types.canonical(QualTy::plain(*packet)).ty));
                facts.pipe = Some(*access);
            }
            _ => {}
        }
    }
    facts
}

/// The generic types to try.
fn bindings(
    types: &mut Types,
    language: &Language,
    row: &Row,
    params: &[&str],
    args: &[ArgType],
) -> SmallVec<[TypeBinding; 12]> {
    let facts = facts(types, params, args);
    let bound = |generic| TypeBinding { generic: Some(generic), other: facts.other, pipe: facts.pipe };
    match row.domain {
        Domain::None => SmallVec::from_iter([TypeBinding::default()]),
        Domain::Image { shapes, is_depth, access } => {
            let fits = |t: &Ty| match types.resolved(*t) {
                TypeKind::Image(i) => {
                    shapes.has(i.dim) && i.is_depth == is_depth && !i.is_msaa && is_allowed(access, i.access)
                }
                _ => false,
            };
            facts.generic.filter(fits).map(bound).into_iter().collect()
        }
        Domain::Pipe(access) => {
            let fits = facts.pipe == Some(access);
            facts.generic.filter(|_| fits).map(bound).into_iter().collect()
        }
        Domain::Arith(elements, lanes) => {
            if let Some(t) = facts.generic {
                let fits = shape(types, t)
                    .is_some_and(|(e, n)| elements.has(e) && lanes.has(n) && has_element(language, e));
                return fits.then(|| bound(t)).into_iter().collect();
            }
            let n = match (facts.lanes, lanes.0.count_ones()) {
                (_, 1) => lanes.0.trailing_zeros() as u8,
                (Some(n), _) => n,
                (None, _) => 1,
            };
            if !lanes.has(n) {
                return SmallVec::new();
            }
            let fits = |e: &Arith| {
                elements.has(*e) && has_element(language, *e) && facts.element.is_none_or(|known| known == *e)
            };
            let elements: SmallVec<[Arith; 12]> = Arith::ALL.into_iter().filter(fits).collect();
            elements.into_iter().map(|e| bound(pattern::of_shape(types, e, n))).collect()
        }
    }
}

fn is_allowed(allowed: Allowed, access: AccessMode) -> bool {
    match allowed {
        Allowed::Read => access != AccessMode::WriteOnly,
        Allowed::Write => access != AccessMode::ReadOnly,
        Allowed::Any => true,
    }
}

/// Whether functions exist for an element type.
fn has_element(language: &Language, element: Arith) -> bool {
    match element {
        Arith::Half => language.has("cl_khr_fp16"),
        Arith::Double => language.has("cl_khr_fp64") || language.has("__opencl_c_fp64"),
        _ => true,
    }
}

/// The pointee of a pointer.
fn pointee(types: &Types, ty: Ty) -> Option<QualTy> {
    match types.resolved(ty) {
        TypeKind::Pointer(to) => Some(types.canonical(*to)),
        _ => None,
    }
}

/// Destination, saturation and rounding in the name of a `convert_` function.
pub struct ConversionName {
    to: (Arith, u8),
    row: &'static str,
}

impl ConversionName {
    /// Whether the language has the conversion.
    fn is_in(&self, language: &Language) -> bool {
        let (element, _) = self.to;
        let is_saturating = self.row.contains("_sat");
        has_element(language, element) && element != Arith::Bool && !(is_saturating && element.is_float())
    }
}

/// The rows of conversions, by what follows the destination type.
const CONVERSIONS: &[(&str, &str)] = &[
    ("_sat_rte", "convert_sat_rte"),
    ("_sat_rtz", "convert_sat_rtz"),
    ("_sat_rtp", "convert_sat_rtp"),
    ("_sat_rtn", "convert_sat_rtn"),
    ("_sat", "convert_sat"),
    ("_rte", "convert_rte"),
    ("_rtz", "convert_rtz"),
    ("_rtp", "convert_rtp"),
    ("_rtn", "convert_rtn"),
    ("", "convert"),
];

/// Takes the name of a `convert_` function apart.
pub fn conversion(name: &str) -> Option<ConversionName> {
    let rest = name.strip_prefix("convert_")?;
    let (suffix, row) = CONVERSIONS.iter().find(|(suffix, _)| rest.ends_with(suffix))?;
    let to = named_shape(rest.strip_suffix(suffix)?)?;
    Some(ConversionName { to, row })
}

/// Resolves a conversion: its argument is a scalar or vector of the same number of lanes.
fn convert(
    types: &mut Types,
    language: &Language,
    parts: &ConversionName,
    args: &[ArgType],
) -> Option<Result<Resolved, NoMatch>> {
    let id = rows_of(parts.row).first().copied()?;
    let (element, lanes) = parts.to;
    let to = pattern::of_shape(types, element, lanes);
    if !parts.is_in(language) {
        return None;
    }
    let error = || {
        let (result, params) = (QualTy::plain(to), vec![QualTy::plain(to)]);
        NoMatch::None(vec![BuiltinSignature { result, params, is_variadic: false }])
    };
    let [arg] = args else { return Some(Err(error())) };
    let from = types.canonical(arg.ty).ty;
    Some(match shape(types, from) {
        Some((e, n)) if n == lanes && has_element(language, e) => {
            let param = if matches!(types.kind(from), TypeKind::Enum(_)) { scalar(e) } else { from };
            Ok(Resolved {
                builtin: id,
                params: vec![QualTy::plain(param)],
                is_variadic: false,
                result: QualTy::plain(to),
            })
        }
        _ => Err(error()),
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::types::{
        DOUBLE, FLOAT, HALF, INT, ImageType, LONG, OpaqueType, Quals, SHORT, UCHAR, UINT, ULONG, VOID,
    };
    use super::super::table;
    use super::*;
    use crate::ir::ImageDim;
    use crate::options::{FrontConfig, Options};

    fn language(std: &str) -> Language {
        let extensions = [
            "cl_khr_fp64",
            "cl_khr_fp16",
            "__opencl_c_images",
            "cl_khr_subgroups",
            "cl_khr_integer_dot_product",
            "cl_khr_extended_async_copies",
        ];
        let extensions = extensions.map(String::from).to_vec();
        let config = FrontConfig { extensions, ..FrontConfig::default() };
        Language::new(&Options { std: std.into(), ..Options::default() }, &config)
    }

    fn value(ty: Ty) -> ArgType {
        ArgType { ty: QualTy::plain(ty), is_zero: false, is_constant: false }
    }

    fn vector(types: &mut Types, arith: Arith, lanes: u8) -> Ty {
        types.intern(TypeKind::Vector(arith, lanes))
    }

    fn pointer_to(types: &mut Types, ty: Ty, space: AddressSpace) -> Ty {
        let quals = Quals { space, ..Quals::default() };
        types.intern(TypeKind::Pointer(QualTy { ty, quals }))
    }

    /// Result type of a call; `None` if it is ambiguous or has no match.
    fn call(types: &mut Types, name: &str, args: &[Ty]) -> Option<Ty> {
        let args: Vec<ArgType> = args.iter().map(|t| value(*t)).collect();
        let found = resolve(types, &language("CL3.0"), name, &args).expect("a built-in function");
        found.ok().map(|r| r.result.ty)
    }

    #[test]
    fn scalars_choose_the_element_type() {
        let types = &mut Types::new();
        assert_eq!(call(types, "sqrt", &[FLOAT]), Some(FLOAT));
        assert_eq!(call(types, "sqrt", &[DOUBLE]), Some(DOUBLE));
        assert_eq!(call(types, "sqrt", &[HALF]), Some(HALF));
        // Every floating-point type is a conversion away.
        assert_eq!(call(types, "sqrt", &[INT]), None);
        assert_eq!(call(types, "max", &[INT, INT]), Some(INT));
        assert_eq!(call(types, "max", &[SHORT, SHORT]), Some(SHORT));
        assert_eq!(call(types, "max", &[INT, UINT]), None);
        assert_eq!(call(types, "max", &[FLOAT, FLOAT]), Some(FLOAT));
        assert_eq!(call(types, "pow", &[FLOAT, DOUBLE]), None);
        assert_eq!(call(types, "abs", &[INT]), Some(UINT));
        assert_eq!(call(types, "ilogb", &[FLOAT]), Some(INT));
        assert_eq!(call(types, "isequal", &[DOUBLE, DOUBLE]), Some(INT));
        assert_eq!(call(types, "mul24", &[INT, INT]), Some(INT));
        assert_eq!(call(types, "get_global_id", &[INT]), Some(ULONG));
        assert_eq!(call(types, "upsample", &[SHORT, scalar(Arith::UShort)]), Some(INT));
    }

    #[test]
    fn vectors_fix_the_type_and_scalars_are_repeated() {
        let types = &mut Types::new();
        let (f4, d4, i4, l4) = (
            vector(types, Arith::Float, 4),
            vector(types, Arith::Double, 4),
            vector(types, Arith::Int, 4),
            vector(types, Arith::Long, 4),
        );
        assert_eq!(call(types, "max", &[f4, FLOAT]), Some(f4));
        assert_eq!(call(types, "clamp", &[f4, INT, FLOAT]), Some(f4));
        assert_eq!(call(types, "fmax", &[f4, d4]), None);
        assert_eq!(call(types, "dot", &[f4, f4]), Some(FLOAT));
        assert_eq!(call(types, "isless", &[d4, d4]), Some(l4));
        assert_eq!(call(types, "ldexp", &[f4, i4]), Some(f4));
        assert_eq!(call(types, "select", &[f4, f4, i4]), Some(f4));
        assert_eq!(call(types, "select", &[f4, f4, l4]), None);
        let (uc4, c4) = (vector(types, Arith::UChar, 4), vector(types, Arith::Char, 4));
        assert_eq!(call(types, "dot", &[uc4, c4]), Some(INT));
        let (f2, u4) = (vector(types, Arith::Float, 2), vector(types, Arith::UInt, 4));
        assert_eq!(call(types, "shuffle", &[f2, u4]), Some(f4));
        assert_eq!(call(types, "convert_int4_sat_rte", &[f4]), Some(i4));
        assert_eq!(call(types, "convert_float", &[UCHAR]), Some(FLOAT));
    }

    #[test]
    fn pointers_bind_types_and_spaces() {
        let types = &mut Types::new();
        let f4 = vector(types, Arith::Float, 4);
        for space in
            [AddressSpace::Global, AddressSpace::Local, AddressSpace::Private, AddressSpace::Constant]
        {
            let p = pointer_to(types, FLOAT, space);
            assert_eq!(call(types, "vload4", &[INT, p]), Some(f4), "{space:?}");
            let stored = call(types, "vstore4", &[f4, INT, p]);
            assert_eq!(stored.is_some(), space != AddressSpace::Constant, "{space:?}");
        }
        let (global, local) = (AddressSpace::Global, AddressSpace::Local);
        let counter = pointer_to(types, UINT, global);
        assert_eq!(call(types, "atomic_add", &[counter, INT]), Some(UINT));
        assert_eq!(call(types, "atomic_inc", &[counter]), Some(UINT));
        let atomic = types.intern(TypeKind::Atomic(INT));
        let atomic = pointer_to(types, atomic, global);
        assert_eq!(call(types, "atomic_fetch_add", &[atomic, INT]), Some(INT));
        let (from, to) = (pointer_to(types, f4, global), pointer_to(types, f4, local));
        let event = types.intern(TypeKind::Opaque(OpaqueType::Event));
        assert_eq!(call(types, "async_work_group_copy", &[to, from, INT, event]), Some(event));
        assert_eq!(call(types, "async_work_group_copy", &[to, to, INT, event]), None);
        let sign = pointer_to(types, INT, AddressSpace::Private);
        assert_eq!(call(types, "frexp", &[FLOAT, sign]), Some(FLOAT));
    }

    #[test]
    fn images_take_coordinates_of_their_shape() {
        let types = &mut Types::new();
        let sampler = types.intern(TypeKind::Opaque(OpaqueType::Sampler));
        let image = |types: &mut Types, dim, access| {
            types.intern(TypeKind::Image(ImageType { dim, is_depth: false, is_msaa: false, access }))
        };
        let read = image(types, ImageDim::D2, AccessMode::ReadOnly);
        let write = image(types, ImageDim::D3, AccessMode::WriteOnly);
        let (f4, f2, i2, i4) = (
            vector(types, Arith::Float, 4),
            vector(types, Arith::Float, 2),
            vector(types, Arith::Int, 2),
            vector(types, Arith::Int, 4),
        );
        assert_eq!(call(types, "read_imagef", &[read, sampler, f2]), Some(f4));
        assert_eq!(call(types, "read_imagef", &[read, sampler, i2]), Some(f4));
        assert_eq!(call(types, "read_imagei", &[read, i2]), Some(i4));
        assert_eq!(call(types, "read_imagef", &[read, sampler, f4]), None);
        assert_eq!(call(types, "write_imagef", &[write, i4, f4]), Some(VOID));
        assert_eq!(call(types, "write_imagef", &[read, i2, f4]), None);
        assert_eq!(call(types, "get_image_dim", &[read]), Some(i2));
        assert_eq!(call(types, "get_image_dim", &[write]), Some(i4));
    }

    #[test]
    fn signatures_of_the_table_are_well_formed() {
        let types = &mut Types::new();
        for row in table::rows() {
            let generic = match row.domain {
                Domain::None => None,
                Domain::Arith(elements, lanes) => {
                    let element = Arith::ALL.into_iter().find(|a| elements.has(*a)).expect(row.name);
                    Some(pattern::of_shape(types, element, lanes.0.trailing_zeros() as u8))
                }
                Domain::Image { is_depth, .. } => Some(types.intern(TypeKind::Image(ImageType {
                    dim: ImageDim::D2,
                    is_depth,
                    is_msaa: false,
                    access: AccessMode::ReadOnly,
                }))),
                Domain::Pipe(_) => Some(INT),
            };
            let binding = TypeBinding { generic, other: generic, pipe: Some(AccessMode::ReadOnly) };
            for word in row.signature.split(' ').filter(|w| *w != "...") {
                let ty = word_type(types, word, &binding, AddressSpace::Global);
                assert!(ty.is_some(), "{} {word}", row.name);
            }
            assert!(row.lowering != BuiltinExpansion::Assume || row.name == "__builtin_assume");
        }
        assert_eq!(call(types, "get_sub_group_id", &[]), Some(UINT));
        assert!(resolve(types, &language("CL1.2"), "work_group_barrier", &[]).is_none());
        assert_eq!(call(types, "convert_long", &[INT]), Some(LONG));
    }
}
